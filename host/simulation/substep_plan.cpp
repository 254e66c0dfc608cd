#include "host/simulation/substep_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/contact/patch_depth.h"

#include "host/simulation/contact_scales.h"
#include "host/simulation/joint_steps.h"

namespace intervox::host {
namespace {

/** A contact whose motion is below this share of its depth in the rest of the step is at rest
 or slides: the scheme's own damping holds it. A slow one may move further: what presses slowly
 keeps the scheme's order, and what rocks lets go of its face within a step. */
constexpr double kQuietShare = 0.1;
constexpr double kSlowQuietShare = 0.4;
/** The lever of a face that tilts moves by more than this share of the patch's radius; that of a
 body that rolls does not. */
constexpr double kLeverShare = 0.15;
/** Vibrations are slow below these shares of √(a L) and of a h, a being the loads' acceleration. */
constexpr double kSlowShare = 0.012;
constexpr double kSlowSteps = 2.0;
/** They are vibrations once the contact has lasted for this phase, and for a step: an impact is
 over after π. */
constexpr double kLastingPhase = 6.0;
/** Two bodies move past each other by at most this share of the thinner one in a substep, and a
 tumbling body turns by at most this much [rad]: beyond a radian the schemes make energy. */
constexpr double kThicknessShare = 0.5;
constexpr double kMostTurn = 0.05;
/** Unless that takes more substeps than these. */
constexpr double kMostCuts = 200.0;

/** A body's motion and acceleration at the accepted state. */
struct Motion {
  Vec3 p, v, w, a, alpha;
};

Motion MotionOf(const BodyGroup& group, const StageScratch& scratch, int body) {
  const auto b = static_cast<std::size_t>(body);
  const RigidBody& rigid = group.state[b];
  Motion out{rigid.p_WM, rigid.v, rigid.w, {}, {}};
  const int f = group.row_of[b];
  if (f < 0) return out;
  const double* row = StateLayout::Momentum(std::span<const double>(scratch.first_rate),
                                            static_cast<std::size_t>(f));
  out.a = rigid.inverse_mass * ReadVec3(row);
  out.alpha = scratch.bodies[b].inverse_inertia_W * ReadVec3(row + 3);
  return out;
}

/** What a contact does in the rest of the step. */
struct ContactMotion {
  double speed = 0.0;     ///< at the patch's rim, along n [m/s]
  double closing = 0.0;   ///< at its centroid [m/s]
  double approach = 0.0;  ///< the largest speed by which it may deepen [m/s]
  double way = 0.0;       ///< [m]
};

ContactMotion MotionWithin(double left, const Motion& i, const Motion& j, const Contact& contact) {
  const PatchGeometry& g = contact.geometry;
  const Vec3 r_i = g.p_WC - i.p, r_j = g.p_WC - j.p;
  const double v = Dot(g.n, i.v + Cross(i.w, r_i) - j.v - Cross(j.w, r_j));
  const double a = Dot(g.n, i.a + Cross(i.alpha, r_i) - j.a - Cross(j.alpha, r_j));
  const auto across = [&](const Vec3& x) { return Norm(x - Dot(x, g.n) * g.n); };
  const double r = PatchRadius(g);
  const double turn = across(i.alpha - j.alpha) * r;
  double tilt = across(i.w - j.w) * r;
  if (contact.lever_speed * left < kLeverShare * r) tilt = 0.0;
  ContactMotion out;
  out.speed = std::fabs(v) + tilt;
  out.closing = std::fmax(0.0, -v);
  out.approach = std::fmax(0.0, -v) + tilt + (std::fabs(a) + turn) * left;
  out.way = out.speed * left + 0.5 * (std::fabs(a) + turn) * left * left;
  return out;
}

/** The longest time τ ≤ left with ω(τ) τ ≤ kPhase, ω growing as the contact deepens. */
double ResolvedLength(double left, double omega, double approach, const PatchGeometry& g) {
  const double S = Norm(g.S), p = DepthPower(g, S), depth = p * g.V / S;
  const auto phase = [&](double tau) {
    return tau * omega * std::pow(1.0 + approach * tau / depth, 0.5 * (p - 1.0));
  };
  if (phase(left) <= kPhase) return left;
  double low = 0.0, high = left;
  for (int k = 0; k < 200 && high > 1.2 * low; ++k) {
    const double middle = low > 0.0 ? std::sqrt(low * high) : 0.1 * high;
    (phase(middle) <= kPhase ? low : high) = middle;
  }
  return low;
}

/** What a contact asks of the substep. */
struct ContactWish {
  double length = HUGE_VAL;  ///< that it is followed with [s]
  bool slow = false;         ///< a slow vibration that moves too far for a full step
};

ContactWish WishOf(const StageTools& tools, const BodyGroup& group, double left,
                   const StageScratch& scratch, const Contact& contact) {
  ContactWish wish;
  const PatchGeometry& g = contact.geometry;
  if (!contact.active || !(g.V > 0.0) || !(Norm(g.S) > 0.0)) return wish;
  const ContactMotion motion = MotionWithin(left, MotionOf(group, scratch, contact.body_i),
                                            MotionOf(group, scratch, contact.body_j), contact);
  if (!(motion.way > kQuietShare * g.V / Norm(g.S))) return wish;
  // Damping makes the onset of an impact faster: f_e (1 + |a| v) grows with V like a stiffer
  // spring.
  const double omega =
      Frequency(*tools.world, group, contact) * std::sqrt(1.0 - contact.latch.a * motion.closing);
  const double length = ResolvedLength(left, omega, motion.approach, g);
  if (length >= left) return wish;
  double load = 0.0;
  for (const int body : {contact.body_i, contact.body_j}) {
    const auto b = static_cast<std::size_t>(body);
    load = std::fmax(load, Norm(scratch.loads[b].force) * group.state[b].inverse_mass);
  }
  const double L = SmallerSize(*tools.world, group, contact.body_i, contact.body_j);
  const double slow_speed =
      kSlowShare * std::sqrt(load * L) + kSlowSteps * load * tools.world->step;
  const double lasted = group.time - contact.since;
  if (motion.speed < slow_speed && lasted > tools.world->step && lasted * omega > kLastingPhase) {
    wish.slow = motion.way > kSlowQuietShare * g.V / Norm(g.S);
  } else {
    wish.length = length;
  }
  return wish;
}

}  // namespace

namespace {

/** A lower bound of the distance of two bodies by their boxes [m]. */
double GapOf(const BodyGroup& group, const NearPair& pair) {
  const Pose &X_WI = group.poses[static_cast<std::size_t>(pair.i)],
             &X_WJ = group.poses[static_cast<std::size_t>(pair.j)];
  const BodyCells &i = *pair.cells_i, &j = *pair.cells_j;
  if (!i.bounded && !j.bounded) return 0.0;
  if (!i.bounded) return UnboundedGap(i, X_WI, WorldBox(j, X_WJ), X_WJ * j.center, j.radius);
  if (!j.bounded) return UnboundedGap(j, X_WJ, WorldBox(i, X_WI), X_WI * i.center, i.radius);
  const geometry::Aabb a = WorldBox(i, X_WI), b = WorldBox(j, X_WJ);
  const auto apart = [](double lower_a, double upper_a, double lower_b, double upper_b) {
    return std::fmax(0.0, std::fmax(lower_a - upper_b, lower_b - upper_a));
  };
  return Norm(Vec3{apart(a.lower.x, a.upper.x, b.lower.x, b.upper.x),
                   apart(a.lower.y, a.upper.y, b.lower.y, b.upper.y),
                   apart(a.lower.z, a.upper.z, b.lower.z, b.upper.z)});
}

/** The part of `left` [s] in which no free body tumbles by more than the schemes resolve. A turn
 about a principal axis or of a ball needs no limit: there ω and L are parallel. */
double LengthByTumbling(const BodyGroup& group, double left) {
  double length = left;
  for (const int body : group.free) {
    const RigidBody& rigid = group.state[static_cast<std::size_t>(body)];
    const double turn = Norm(rigid.w);
    if (!(turn * left > kMostTurn)) continue;
    const double tumble = std::sqrt(turn * Norm(Cross(rigid.w, rigid.spin)) / Norm(rigid.spin));
    if (!(tumble * left > kMostTurn)) continue;
    length = std::fmin(length, std::fmax(kMostTurn / tumble, left / kMostCuts));
  }
  return length;
}

}  // namespace

double LengthByThickness(const StageTools& tools, const BodyGroup& group, double left,
                         bool from_here) {
  double length = left;
  for (const NearPair& pair : group.near) {
    const auto i = static_cast<std::size_t>(pair.i), j = static_cast<std::size_t>(pair.j);
    const RigidBody &a = group.state[i], &b = group.state[j];
    const double speed =
        Norm(a.v - b.v) + Norm(a.w) * pair.cells_i->radius + Norm(b.w) * pair.cells_j->radius;
    const double thickness = std::fmin(tools.thickness[static_cast<std::size_t>(group.bodies[i])],
                                       tools.thickness[static_cast<std::size_t>(group.bodies[j])]);
    double way = kThicknessShare * thickness;
    if (!(speed * left > way)) continue;
    if (from_here) way += std::fmax(0.0, GapOf(group, pair));
    length = std::fmin(length, std::fmax(way / speed, from_here ? 0.0 : left / kMostCuts));
  }
  return length;
}

double PartThickness(const BodyCells& cells) {
  if (!cells.bounded) return std::numeric_limits<double>::infinity();
  const auto volume = [](const CellBox& box) { return box.half.x * box.half.y * box.half.z; };
  double largest = 0.0, thickness = std::numeric_limits<double>::infinity();
  for (const CellBox& box : cells.boxes) largest = std::fmax(largest, volume(box));
  for (const CellBox& box : cells.boxes) {
    if (volume(box) < 0.1 * largest) continue;
    thickness = std::fmin(thickness, 2.0 * std::min({box.half.x, box.half.y, box.half.z}));
  }
  return thickness;
}

SubstepPlan PlanSubstep(const StageTools& tools, const BodyGroup& group, double left,
                        StageScratch* scratch) {
  scratch->followed.assign(group.patches.contacts.size(), false);
  scratch->first_length = -1.0;
  left = LengthByTumbling(group, LengthByJoints(group, left));
  if (group.patches.contacts.empty()) return {LengthByThickness(tools, group, left, true), false};
  const Substep whole{group.time, left, false, false};
  GroupStage stage(tools, group, whole, scratch, false);
  stage.LoadState();
  stage.LoadFirstStage();
  if (group.joints.empty() && scratch->holders.empty()) scratch->first_length = left;
  SubstepPlan plan{LengthByThickness(tools, group, left, true), false};
  bool slow = false, fast = plan.length < left;
  const std::vector<Contact>& contacts = group.patches.contacts;
  thread_local std::vector<ContactWish> kept;
  std::vector<ContactWish>& wishes = kept;  // this thread's, on all threads
  wishes.resize(contacts.size());
  ForEach(contacts.size(), scratch->threads,
          [&](std::size_t c) { wishes[c] = WishOf(tools, group, left, *scratch, contacts[c]); });
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    slow = slow || wishes[c].slow;
    if (!(wishes[c].length < HUGE_VAL)) continue;
    fast = true;
    scratch->followed[c] = true;
    plan.length = std::fmin(plan.length, wishes[c].length);
  }
  plan.dissipative = slow && !fast;
  return plan;
}

}  // namespace intervox::host
