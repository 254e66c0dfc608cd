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
/** They are vibrations once the contact has lasted for this phase: an impact is over after π. */
constexpr double kLastingPhase = 6.0;
/** The spring of a holder is followed to this phase where it swings its body by more than this
 share of the depth of what it touches. Faster than kStiffPhase it is held by the scheme. */
constexpr double kHolderPhase = 0.4;
constexpr double kSwingShare = 0.02;
constexpr double kStiffPhase = 2.0;
/** Two bodies move by at most this share of the thinner one in a substep once their boxes meet. */
constexpr double kThicknessShare = 0.5;
/** Methods that choose their steps are not held to shorter ones than into so many. */
constexpr double kMostPieces = 200.0;
/** A body that torques may act on turns by θ in a substep with θ³ s² at most this, s being the sine
 of the angle between ω and L: by its scheme's error it loses a twentieth of that of its energy in
 every radian, and beyond 4 rad gains. It turns by no more than kMostTurn. */
constexpr double kTurnError = 2e-5;
constexpr double kMostTurn = 1.0;
constexpr double kNoWobble = 1e-6;

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
  double approach = 0.0;  ///< the speed by which it may deepen now [m/s]
  double hastens = 0.0;   ///< by how much that may grow [m/s²]
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
  out.approach = std::fmax(0.0, -v) + tilt;
  out.hastens = std::fabs(a) + turn;
  out.way = out.speed * left + 0.5 * out.hastens * left * left;
  return out;
}

/** The power of the depth with which the force of a contact in points grows. */
double ForcePower(const StageTools& tools, const BodyGroup& group, const Contact& contact) {
  const int i = group.bodies[static_cast<std::size_t>(contact.body_i)];
  const int j = group.bodies[static_cast<std::size_t>(contact.body_j)];
  return tools.world->Rule(i, j)->patches.power - 1.0;
}

/** The longest time τ ≤ left with ω(τ) τ ≤ kPhase, ω growing as the contact deepens. */
double ResolvedLength(double left, double omega, const ContactMotion& motion,
                      const PatchGeometry& g, double point_power) {
  const double S = Norm(g.S), grows = DepthPower(g, S), depth = grows * g.V / S;
  const double p = g.is_point ? point_power : grows;
  const auto phase = [&](double tau) {
    const double deeper = (motion.approach + motion.hastens * tau) * tau;
    return tau * omega * std::pow(1.0 + deeper / depth, 0.5 * (p - 1.0));
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

/** Whether a torque may act on a free body in the rest of the step. */
bool TorqueMayAct(const StageTools& tools, const BodyGroup& group, std::size_t b) {
  if (!group.patches.contacts.empty()) return true;
  const BodySettings& settings =
      tools.world->scene.bodies[static_cast<std::size_t>(group.bodies[b])];
  const BodyInput& input = group.state[b].input;
  return settings.holder || !settings.wrenches.empty() ||
         SquaredNorm(input.force) + SquaredNorm(input.torque) > 0.0;
}

/** The part of `left` [s] in which bodies turn by no more than their scheme follows. */
double LengthByTurning(const StageTools& tools, const BodyGroup& group, double left, double least) {
  double length = left;
  for (const int body : group.free) {
    const auto b = static_cast<std::size_t>(body);
    const RigidBody& rigid = group.state[b];
    const double w = Norm(rigid.w), theta = w * length;
    if (!(theta * theta * theta > kTurnError)) continue;
    const double s = Norm(Cross(rigid.spin, rigid.w)) / (Norm(rigid.spin) * w);
    const double most = std::fmin(kMostTurn, std::cbrt(kTurnError / (s * s)));
    // A ball, and a body that turns about an axis of its own, have nothing to lose.
    if (!(theta > most && s > kNoWobble) || !TorqueMayAct(tools, group, b)) continue;
    length = std::fmin(length, std::fmax(most / w, least));
  }
  return length;
}

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
  const double length = ResolvedLength(left, omega, motion, g, ForcePower(tools, group, contact));
  if (length >= left) return wish;
  double load = 0.0;
  for (const int body : {contact.body_i, contact.body_j}) {
    const auto b = static_cast<std::size_t>(body);
    load = std::fmax(load, Norm(scratch.loads[b].force) * group.state[b].inverse_mass);
  }
  const double L = SmallerSize(*tools.world, group, contact.body_i, contact.body_j);
  const double lasted = group.time - contact.since, step = tools.world->step;
  const double slow_speed = kSlowShare * std::sqrt(load * L) + kSlowSteps * load * step;
  if (motion.speed < slow_speed && lasted * omega > kLastingPhase) {
    wish.slow = motion.way > kSlowQuietShare * g.V / Norm(g.S);
  } else {
    wish.length = length;
  }
  return wish;
}

/** The part of `left` [s] in which holders swing bodies that touch others by little, or with a
 phase that the scheme follows. */
double LengthByHolders(const StageTools& tools, const BodyGroup& group, double left,
                       const StageScratch& scratch) {
  if (scratch.holder_bodies.empty()) return left;
  thread_local std::vector<double> kept;
  std::vector<double>& depths = kept;
  depths.assign(group.bodies.size(), 0.0);
  for (const Contact& contact : group.patches.contacts) {
    const double S = Norm(contact.geometry.S);
    if (!contact.active || !(S > 0.0)) continue;
    for (const int body : {contact.body_i, contact.body_j}) {
      double& depth = depths[static_cast<std::size_t>(body)];
      depth = std::fmax(depth, contact.geometry.V / S);
    }
  }
  double length = left;
  for (const std::size_t b : scratch.holder_bodies) {
    const Holder& holder =
        *tools.world->scene.bodies[static_cast<std::size_t>(group.bodies[b])].holder;
    const Vec3& k = holder.stiffness;
    const double omega = std::sqrt(std::max({k.x, k.y, k.z}) * group.state[b].inverse_mass);
    const double phase = omega * left;
    if (!(phase > kHolderPhase && phase < kStiffPhase)) continue;
    const double swing = 0.5 * left * left * Norm(MotionOf(group, scratch, static_cast<int>(b)).a);
    if (depths[b] > 0.0 && swing > kSwingShare * depths[b]) {
      length = std::fmin(length, kHolderPhase / omega);
    }
  }
  return length;
}

/** The time in which a way is covered from a speed on [s]. */
double TimeFor(double way, double speed, double acceleration) {
  return 2.0 * way / (speed + std::sqrt(speed * speed + 2.0 * acceleration * way));
}

/** How two bodies may move against each other. */
struct Approach {
  double speed = 0.0;  ///< [m/s]
  double fall = 0.0;   ///< [m/s²]
  double way = 0.0;    ///< that is no way past each other [m]

  double Moves(double time) const { return (speed + 0.5 * fall * time) * time; }
};

/** @param falls  the bodies' accelerations [m/s²] */
Approach ApproachOf(const StageTools& tools, const BodyGroup& group, std::span<const Vec3> falls,
                    const NearPair& pair) {
  const auto i = static_cast<std::size_t>(pair.i), j = static_cast<std::size_t>(pair.j);
  const RigidBody &a = group.state[i], &b = group.state[j];
  const double thickness = std::fmin(tools.thickness[static_cast<std::size_t>(group.bodies[i])],
                                     tools.thickness[static_cast<std::size_t>(group.bodies[j])]);
  return {Norm(a.v - b.v) + Norm(a.w) * pair.cells_i->radius + Norm(b.w) * pair.cells_j->radius,
          Norm(falls[i] - falls[j]), kThicknessShare * thickness};
}

/** The part of `left` [s] in which no two bodies move past each other by more than half of the
 thinner one, plus gap(pair, enough), a lower bound of their distance up to `enough` [m].
 @param falls  the bodies' accelerations [m/s²] */
template <class Gap>
double LengthBetween(const StageTools& tools, const BodyGroup& group, double left,
                     std::span<const Vec3> falls, const Gap& gap, int threads) {
  thread_local std::vector<char> may_pass;
  may_pass.resize(group.near.size());
  const std::span<char> flags = may_pass;
  ForEach(group.near.size(), threads, [&](std::size_t k) {
    const Approach approach = ApproachOf(tools, group, falls, group.near[k]);
    flags[k] = approach.Moves(left) > approach.way;
  });
  double length = left;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (flags[k] == 0) continue;
    const Approach approach = ApproachOf(tools, group, falls, group.near[k]);
    const double moves = approach.Moves(length);
    if (!(moves > approach.way)) continue;
    const double way = approach.way + std::fmax(0.0, gap(group.near[k], moves));
    length = std::fmin(length, TimeFor(way, approach.speed, approach.fall));
  }
  return length;
}

/** The accelerations of a group's bodies, in memory of the calling thread: by its contacts, too,
 where the scratch has their rates. */
std::span<const Vec3> FallsOf(const StageTools& tools, const BodyGroup& group,
                              const StageScratch* scratch) {
  thread_local std::vector<Vec3> falls;
  falls.assign(group.bodies.size(), Vec3{});
  for (std::size_t f = 0; f < group.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group.free[f]);
    falls[b] =
        scratch == nullptr
            ? LoadAcceleration(*tools.world, group, group.free[f])
            : group.state[b].inverse_mass *
                  ReadVec3(StateLayout::Momentum(std::span<const double>(scratch->first_rate), f));
  }
  return falls;
}

/** What LengthByThickness says, with the rates in the scratch, if any. */
double LengthByGaps(const StageTools& tools, const BodyGroup& group, double left, double least,
                    const StageScratch* scratch) {
  const auto gap = [&](const NearPair& pair, double enough) {
    const Pose& X_WI = group.poses[static_cast<std::size_t>(pair.i)];
    const Pose& X_WJ = group.poses[static_cast<std::size_t>(pair.j)];
    return BodiesGap(*pair.cells_i, *pair.cells_j, Inverse(X_WI) * X_WJ, enough);
  };
  const int threads = scratch != nullptr ? scratch->threads : 1;
  const double length =
      LengthBetween(tools, group, left, FallsOf(tools, group, scratch), gap, threads);
  return std::fmax(length, std::fmin(left, least));
}

}  // namespace

double LengthByThickness(const StageTools& tools, const BodyGroup& group, double left,
                         double least) {
  return LengthByGaps(tools, group, left, least, nullptr);
}

double LongestByThickness(const StageTools& tools, const BodyGroup& group, double left) {
  const auto none = [](const NearPair& /*pair*/, double /*enough*/) { return 0.0; };
  const double length = LengthBetween(tools, group, left, FallsOf(tools, group, nullptr), none, 1);
  return std::fmax(length, left / kMostPieces);
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

SubstepPlan PlanSubstep(const StageTools& tools, const BodyGroup& group, double left, double least,
                        StageScratch* scratch) {
  scratch->followed.assign(group.patches.contacts.size(), false);
  scratch->first_length = -1.0;
  left = LengthByTurning(tools, group, LengthByJoints(group, left), least);
  if (group.patches.contacts.empty()) return {LengthByThickness(tools, group, left, least), false};
  const Substep whole{group.time, left, false, false};
  GroupStage stage(tools, group, whole, scratch, false);
  stage.LoadState();
  stage.LoadFirstStage();
  if (group.joints.empty() && scratch->holders.empty()) scratch->first_length = left;
  SubstepPlan plan{LengthByGaps(tools, group, left, least, scratch), false};
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
  plan.length = std::fmin(plan.length, LengthByHolders(tools, group, left, *scratch));
  return plan;
}

}  // namespace intervox::host
