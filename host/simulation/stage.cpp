#include "host/simulation/stage.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/contact/patch_depth.h"
#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** Contacts that may be born within one substep, and as many more for each free body; what is
 beyond waits for its end. */
constexpr std::size_t kSpareSlots = 16;
constexpr double kSlotsPerBody = 0.25;

/** Numbers of the stepper's vectors that go to a thread together. */
constexpr int kNumbersTogether = 1 << 13;

/** How often the geometry is evaluated again at the implicit position. */
constexpr int kMostMoves = 3;
constexpr int kMostDissipativeMoves = 25;

/** ω times the substep above which a body's stages are predicted with the velocity that was solved
 for last: the explicit tableau's, good to O(h³) where forces are smooth, is off by (ωh)² times what
 the body trembles by. */
constexpr double kStiffPhase = 1.0;

/** Pairs found where no body has moved by more than this share of its contacts' depth are those of
 the next stage, too. */
constexpr double kSamePlace = 1e-9;
/** At a substep's end the volumes follow the bodies from the last stage's pairs, to first order, if
 these have moved by less than this share of the engine's tolerance and of the depth. The normal and
 the area's moments err by as much. */
constexpr double kShareOfTolerance = 1e-2;
constexpr double kNextTo = 1e-5;

/** The small turn from one frame to another, rotation vector, world axes [rad]. */
Vec3 TurnBetween(const Mat3& from, const Mat3& to) {
  return 0.5 * (Cross(from.Col(0), to.Col(0)) + Cross(from.Col(1), to.Col(1)) +
                Cross(from.Col(2), to.Col(2)));
}

std::size_t SpareSlots(std::size_t free) {
  return kSpareSlots + static_cast<std::size_t>(kSlotsPerBody * static_cast<double>(free));
}

}  // namespace

Vec3 SpinAtEnd(const RigidBody& before, std::size_t f, const StageScratch& scratch) {
  const double* at = StateLayout::Momentum(std::span<const double>(scratch.y), f);
  const Vec3 moved =
      ReadVec3(StateLayout::Center(std::span<const double>(scratch.x), f)) - before.p_WM;
  return ReadVec3(at + 3) - Cross(moved, ReadVec3(at));
}

void MoveToEnd(std::size_t f, const StageScratch& scratch, RigidBody* body) {
  body->spin = SpinAtEnd(*body, f, scratch);
  body->p_WM = ReadVec3(StateLayout::Center(std::span<const double>(scratch.x), f));
  body->q_WB = Normalized(StateLayout::Turn(scratch.x, f));
  body->momentum = ReadVec3(StateLayout::Momentum(std::span<const double>(scratch.y), f));
}

RigidBody BodyAtEnd(const BodyGroup& group, std::size_t f, const StageScratch& scratch) {
  RigidBody body = group.state[static_cast<std::size_t>(group.free[f])];
  MoveToEnd(f, scratch, &body);
  return body;
}

double ApproachVelocity(const BodyGroup& group, const Contact& contact) {
  const RigidBody& i = group.state[static_cast<std::size_t>(contact.body_i)];
  const RigidBody& j = group.state[static_cast<std::size_t>(contact.body_j)];
  const Vec3& c = contact.geometry.p_WC;
  const Vec3 v = i.v + Cross(i.w, c - i.p_WM) - j.v - Cross(j.w, c - j.p_WM);
  return Dot(contact.geometry.n, v);
}

GroupStage::GroupStage(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                       StageScratch* scratch, bool takes_patches)
    : tools_(tools), group_(group), substep_(substep), rules_(*tools.world, group), s_(*scratch) {
  s_.finder.threads = s_.grouping_scratch.threads = s_.threads;
  if (takes_patches) {
    s_.patches.held = group.patches.held;
    s_.patches.next_id = group.patches.next_id;
    s_.patches.undefined_normals = group.patches.undefined_normals;
    s_.patches.contacts.resize(group.patches.contacts.size());
    ForEach(group.patches.contacts.size(),
            [&](std::size_t c) { s_.patches.contacts[c] = group.patches.contacts[c]; });
  }
  s_.fastest = s_.fastest_followed = 0.0;
  s_.diverged = false;
  s_.solved_at = substep.start;
  s_.solved_for = 0.0;
  s_.last_overlaps.clear();
  s_.found_at.clear();
  s_.contacts.clear();
  s_.contact_of.clear();
  layout_ = {group.free.size(), group.patches.contacts.size() +
                                    (substep.adaptive ? 0 : SpareSlots(group.free.size()))};
  const std::size_t bodies = group.bodies.size();
  s_.poses.resize(bodies);
  s_.quaternions.resize(bodies);
  s_.centers.resize(bodies);
  s_.bodies.resize(bodies);
  s_.loads.resize(bodies);
  s_.has_holder.resize(bodies);
  ForEach(bodies, [&](std::size_t b) {
    s_.poses[b] = group.poses[b];
    s_.quaternions[b] = Body(b).q_WB;
    s_.centers[b] = Body(b).p_WM;
    s_.has_holder[b] = Body(b).kind == BodyKind::kFree && Settings(b).holder;
  });
  s_.holder_bodies.clear();
  for (std::size_t b = 0; b < bodies; ++b) {
    if (s_.has_holder[b] != 0) s_.holder_bodies.push_back(b);
  }
  s_.holders.assign(s_.holder_bodies.size(), HolderStage{});
}

const BodySettings& GroupStage::Settings(std::size_t b) const {
  return tools_.world->scene.bodies[static_cast<std::size_t>(group_.bodies[b])];
}

void GroupStage::PlaceDriven(double t) {
  for (std::size_t b = 0; b < group_.bodies.size(); ++b) {
    if (group_.row_of[b] >= 0 || Body(b).kind != BodyKind::kDriven) continue;
    const FrameMotion motion = DriveAt(Settings(b), Body(b).input, t);
    s_.poses[b] = motion.X_WF;
    s_.quaternions[b] = motion.q_WF;
    s_.centers[b] = motion.X_WF * Body(b).p_BM;
  }
}

void GroupStage::PlaceFree(std::span<const double> x) {
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    s_.centers[b] = ReadVec3(StateLayout::Center(x, f));
    s_.quaternions[b] = Normalized(StateLayout::Turn(x, f));
    s_.poses[b] = FramePose(Body(b), s_.centers[b], ToRotation(s_.quaternions[b]));
  });
}

std::size_t GroupStage::VelocitiesInUse(std::size_t /*all*/) const {
  return StateLayout{layout_.free, s_.patches.contacts.size()}.VelocitySize();
}

std::size_t GroupStage::QuadraturesInUse(std::size_t /*all*/) const {
  return StateLayout::BristleQuadrature(s_.patches.contacts.size());
}

std::size_t GroupStage::VelocitiesThatMove(std::size_t /*all*/) const {
  return StateLayout{layout_.free, 0}.VelocitySize();
}

void GroupStage::ForManyRanges(std::size_t count,
                               const std::function<void(std::size_t, std::size_t)>& act) const {
  const auto some = [&](int begin, int end) {
    act(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  };
  cuda::ParallelFor(static_cast<int>(count), kNumbersTogether, s_.threads, some);
}

void GroupStage::CopyTo(std::span<const double> from, std::vector<double>* to) const {
  to->resize(from.size());
  Copy(from, *to);
}

void GroupStage::Project(std::span<double> x) const {
  ForEach(group_.free.size(),
          [&](std::size_t f) { StateLayout::SetTurn(Normalized(StateLayout::Turn(x, f)), x, f); });
}

/** How deep the shallowest contact that acts is [m]; 0 where none does. */
double LeastDepth(std::span<const Contact> contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts) {
    if (contact.active) least = std::fmin(least, Depth(contact.geometry));
  }
  return std::isfinite(least) ? least : 0.0;
}

/** Whether no point of a body has moved since the pairs were found by more than a share of the
 depth of any contact. An adaptive method, whose slopes are differences, sees each move. */
bool GroupStage::HaveStayed(double share) const {
  const auto same = [](const Pose& a, const Pose& b) {
    return a.p == b.p && a.R.row0 == b.R.row0 && a.R.row1 == b.R.row1 && a.R.row2 == b.R.row2;
  };
  if (s_.found_at.size() != s_.poses.size()) return false;
  double counts = -1.0;  // [m]; found when it is asked for
  for (std::size_t b = 0; b < s_.poses.size(); ++b) {
    const Pose &now = s_.poses[b], &then = s_.found_at[b];
    if (same(now, then)) continue;
    const BodyCells& cells = tools_.world->SizeOf(group_.bodies[b]);
    if (substep_.adaptive || !cells.bounded) return false;
    const double moved = Displacement(now, then, cells);
    // No contact is deeper than its bodies are wide.
    if (moved > share * 2.0 * cells.radius) return false;
    if (counts < 0.0) counts = share * LeastDepth(s_.patches.contacts);
    if (moved > counts) return false;
  }
  return true;
}

/** The stages look once at what rests; and what an adaptive method asks of a velocity or a
 bristle moves no body. */
void GroupStage::FindPairs() {
  if (HaveStayed(kSamePlace)) return;
  tools_.finder->Find(group_.near, s_.poses, &s_.finder, &s_.active);
  if (group_.near.empty()) return;
  s_.found_at.resize(s_.poses.size());
  ForEach(s_.poses.size(), [&](std::size_t b) { s_.found_at[b] = s_.poses[b]; });
}

/** Lets the volumes of the pairs found follow their bodies to the poses placed last. */
void GroupStage::FollowBodies() {
  ForEach(s_.active.size(), [&](std::size_t k) {
    ActivePair& pair = s_.active[k];
    InterferenceMetrics& m = pair.metrics;
    const auto moved = [&](int body, Vec3* turned) {
      const auto b = static_cast<std::size_t>(body);
      const Pose &now = s_.poses[b], &then = s_.found_at[b];
      *turned = TurnBetween(then.R, now.R);
      return WayOfPoint(then, now, m.p_WC);
    };
    Vec3 turned_i, turned_j;
    const Vec3 way = moved(pair.i, &turned_i) - moved(pair.j, &turned_j);
    const double less = Dot(m.area_vector, way) + Dot(m.area_moment, turned_i - turned_j);
    for (double* volume : {&m.volume, &m.volume_lo, &m.volume_hi}) *volume -= less;
  });
}

/** Latches the contacts that have not been, unless their onset is awaited. Those found within a
 substep take the velocities of its start: nothing of the impact has acted on them. */
void GroupStage::BeginContacts() {
  ForEach(s_.patches.contacts.size(), [&](std::size_t c) {
    Contact& contact = s_.patches.contacts[c];
    const bool waits = substep_.await_onset && contact.phase == ContactPhase::kProvisional;
    if (!contact.active || (contact.latched && !waits)) return;
    const double v_n = ApproachVelocity(group_, contact);
    if (waits && BeginsFast(*tools_.world, group_, contact, v_n, substep_.length)) {
      contact.active = false;
      return;
    }
    if (contact.latched) return;
    const ContactModel& model = *rules_.Rule(contact.body_i, contact.body_j).model;
    model.Begin(contact.geometry.V, v_n, true, &contact.latch, &contact.accepted);
    model.BeginForm(contact.geometry, &contact.latch);
    contact.latched = true;
  });
}

void GroupStage::KeepLatches() {
  s_.base_latches.clear();
  for (const Contact& contact : s_.patches.contacts) s_.base_latches.push_back(contact.latch);
}

/** Latches the largest approach speed so far, that of the stage's own velocities included: so rates
 are a function of the state between two internal steps. */
void GroupStage::FollowApproach() {
  for (std::size_t c = 0; c < s_.patches.contacts.size(); ++c) {
    Contact& contact = s_.patches.contacts[c];
    contact.latch = s_.base_latches[c];
    if (!contact.active) continue;
    const StageBody& i = s_.bodies[static_cast<std::size_t>(contact.body_i)];
    const StageBody& j = s_.bodies[static_cast<std::size_t>(contact.body_j)];
    const Vec3& p = contact.geometry.p_WC;
    const Vec3 v = i.v + Cross(i.w, p - i.p_WM) - j.v - Cross(j.w, p - j.p_WM);
    rules_.Rule(contact.body_i, contact.body_j)
        .model->Accept(Dot(contact.geometry.n, v), &contact.latch);
  }
}

void GroupStage::LoadState() {
  s_.x.resize(layout_.PositionSize());
  s_.y.resize(layout_.VelocitySize());
  s_.a.resize(StateLayout::BristleQuadrature(layout_.slots));
  const auto clear = [&](std::span<double> numbers) {
    ForRanges(numbers.size(), [&](std::size_t begin, std::size_t end) {
      std::fill(numbers.data() + begin, numbers.data() + end, 0.0);
    });
  };
  clear(std::span(s_.y).subspan(6 * layout_.free));
  clear(s_.a);
  ForEach(group_.free.size(), [&](std::size_t f) {
    const RigidBody& body = Body(static_cast<std::size_t>(group_.free[f]));
    WriteVec3(body.p_WM, StateLayout::Center(std::span<double>(s_.x), f));
    StateLayout::SetTurn(body.q_WB, s_.x, f);
    double* at = StateLayout::Momentum(std::span<double>(s_.y), f);
    WriteVec3(body.momentum, at);
    WriteVec3(body.spin, at + 3);
  });
}

void GroupStage::FindStiffBodies() {
  s_.stiff.assign(group_.bodies.size(), false);
  const auto is_stiff = [&](double omega) { return omega * substep_.length > kStiffPhase; };
  const std::vector<Contact>& contacts = group_.patches.contacts;
  s_.flags.resize(contacts.size());
  ForEach(contacts.size(), [&](std::size_t c) {
    const Contact& contact = contacts[c];
    s_.flags[c] =
        contact.active &&
        is_stiff(Frequency(*rules_.Rule(contact.body_i, contact.body_j).model, contact.geometry,
                           contact.latch, s_.bodies[static_cast<std::size_t>(contact.body_i)],
                           s_.bodies[static_cast<std::size_t>(contact.body_j)]));
  });
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (s_.flags[c] == 0) continue;
    const Contact& contact = contacts[c];
    s_.stiff[static_cast<std::size_t>(contact.body_i)] = true;
    s_.stiff[static_cast<std::size_t>(contact.body_j)] = true;
  }
  for (const std::size_t b : s_.holder_bodies) {
    if (is_stiff(FrequencyBound(*Settings(b).holder, Body(b)))) s_.stiff[b] = true;
  }
}

void GroupStage::FindCarriedBodies() {
  constexpr double kLittle = 0.1;  // of the mass times the longest arm, squared
  s_.carried.assign(group_.bodies.size(), false);
  const auto carry = [&](int body, const Pose& X_BJ) {
    if (body < 0) return;
    const RigidBody& rigid = Body(static_cast<std::size_t>(body));
    const double moment = Trace(rigid.inertia_M) / 3.0;
    if (moment < kLittle * rigid.mass * SquaredNorm(X_BJ.p - rigid.p_BM)) {
      s_.carried[static_cast<std::size_t>(body)] = true;
    }
  };
  for (const GroupJoint& at : group_.joints) {
    const Joint& joint = tools_.world->joints[static_cast<std::size_t>(at.joint)];
    carry(at.body_a, joint.X_AJ);
    carry(at.body_b, joint.X_BJ);
  }
}

void GroupStage::LookAtEnd() {
  if (!group_.near.empty()) {
    PlaceDriven(substep_.start + substep_.length);
    PlaceFree(s_.x);
  }
  // The last stage has looked next to where the bodies are, if it foresaw the motion well.
  const double share =
      std::clamp(kShareOfTolerance * tools_.world->scene.engine.tolerance, kSamePlace, kNextTo);
  if (!rules_.HavePoints() && HaveStayed(share)) {
    FollowBodies();
    s_.found_at.clear();
  } else {
    s_.found_at.clear();
    FindPairs();
  }
  const std::span<Contact> contacts = s_.patches.contacts;
  s_.centroids.resize(contacts.size());
  ForEach(contacts.size(), [&](std::size_t c) { s_.centroids[c] = contacts[c].geometry.p_WC; });
  Evaluate(rules_, s_.active, layout_.slots, &s_.patches, &s_.grouping_scratch);
  // The last stage's wrench is about the centroid at the position that was predicted for it.
  ForEach(s_.centroids.size(), [&](std::size_t c) {
    Contact& contact = s_.patches.contacts[c];
    contact.torque += Cross(s_.centroids[c] - contact.geometry.p_WC, contact.force);
  });
  Group(rules_, s_.active, &s_.grouping_scratch, &s_.grouping);
}

void GroupStage::StageOffset(std::span<const double> offset) { CopyTo(offset, &s_.offset); }

bool GroupStage::IsFinite() const {
  double sum = 0.0;
  for (const int b : group_.free) {
    const StageBody& body = s_.bodies[static_cast<std::size_t>(b)];
    sum += SquaredNorm(body.v) + SquaredNorm(body.w);
  }
  return std::isfinite(sum);
}

void GroupStage::SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                            std::span<double> y, std::span<double> rate, std::span<double> power) {
  solved_ = stage;
  solved_at_ = t;
  if (stage == 0 && h_gamma == 0.0) {
    // The contacts have had their wrenches since the state was accepted.
    Copy(std::span<const double>(s_.first_rate).first(VelocitiesInUse(rate.size())), rate);
    Copy(s_.first_power, power);
    return;
  }
  ++counters().stages;
  PlaceDriven(t);
  PlaceFree(x);
  const int most = substep_.dissipative ? kMostDissipativeMoves : kMostMoves;
  if (h_gamma > 0.0) {
    CopyTo(y, &s_.y_star);
    CopyTo(x, &s_.x_now);
    s_.x_star.resize(x.size());
    ForEach(x.size(), [&](std::size_t k) { s_.x_star[k] = x[k] + s_.offset[k]; });
  }
  if (substep_.dissipative) BeginOverlaps();
  for (int moves = 0;; ++moves) {
    if (tools_.cancellation != nullptr) tools_.cancellation->Check();
    FindPairs();
    counters().active_pairs += static_cast<std::int64_t>(s_.active.size());
    Evaluate(rules_, s_.active, layout_.slots, &s_.patches, &s_.grouping_scratch);
    BeginContacts();
    if (substep_.dissipative) FollowOverlaps();
    Forces(t, h_gamma, y, rate, power);
    if (substep_.dissipative && !IsFinite()) {
      s_.diverged = true;
      return;
    }
    WatchFrequencies();
    // A dissipative step looks again at least once: what it moves into is not there yet.
    const bool again =
        h_gamma > 0.0 && moves < most && (misses_ || (substep_.dissipative && moves == 0));
    if (!again) return;
    MoveToImplicitPosition(h_gamma, moves);
    std::copy(s_.y_star.begin(), s_.y_star.end(), y.begin());
  }
}

void GroupStage::PositionRate(std::span<const double> /*x*/, std::span<const double> /*y*/,
                              std::span<double> rate) {
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const StageBody& body = s_.bodies[b];
    WriteVec3(body.v, StateLayout::Center(rate, f));
    StateLayout::SetTurn(QuaternionRate(body.w, s_.quaternions[b]), rate, f);
  });
}

/** The angular velocity of a carried body at the coming stage, from the accepted state and the last
 stage. Its momentum about a point at rest is nearly all due to its centre's motion: what is left of
 a prediction of that is the prediction's error. */
Vec3 GroupStage::CarriedTurn(std::size_t b) const {
  const RigidBody& body = Body(b);
  const auto f = static_cast<std::size_t>(group_.row_of[b]);
  const Vec3 torque =
      ReadVec3(StateLayout::Momentum(std::span<const double>(s_.first_rate), f) + 3);
  const Vec3 a = TurnOf(body, ToRotation(body.q_WB), torque - Cross(body.w, body.spin));
  const double next = tools_.world->tableau->c[solved_ + 1] * substep_.length,
               last = solved_at_ - substep_.start;
  const Vec3 straight = body.w + next * a;
  if (!(last > 0.0)) return straight;
  const double ratio = next / last;
  return straight + (ratio * ratio) * (s_.bodies[b].w - body.w - last * a);
}

void GroupStage::PredictRate(std::span<const double> x, std::span<const double> y,
                             std::span<double> rate) {
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const RigidBody& body = Body(b);
    const Vec3 c = ReadVec3(StateLayout::Center(x, f));
    const Quaternion q = Normalized(StateLayout::Turn(x, f));
    if (s_.stiff[b]) {
      WriteVec3(s_.bodies[b].v, StateLayout::Center(rate, f));
      StateLayout::SetTurn(QuaternionRate(s_.bodies[b].w, q), rate, f);
      return;
    }
    const double* at = StateLayout::Momentum(y, f);
    const Vec3 p = ReadVec3(at), H = ReadVec3(at + 3);
    const Vec3 w = s_.carried[b] && solved_ >= 0
                       ? CarriedTurn(b)
                       : TurnOf(body, ToRotation(q), H - Cross(c - body.p_WM, p));
    WriteVec3(body.inverse_mass * p, StateLayout::Center(rate, f));
    StateLayout::SetTurn(QuaternionRate(w, q), rate, f);
  });
}

}  // namespace intervox::host
