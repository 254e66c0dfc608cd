#include "host/simulation/stage.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "cuda/executor.h"
#include "host/bodies/loads.h"
#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** Contacts that may be born within one substep; more wait for its end. */
constexpr std::size_t kSpareSlots = 16;

/** The geometry is evaluated again at the implicit position where that changes a contact's V, or
 its moment over the patch's radius, by more than this share of what is there. */
constexpr double kMiss = 0.1;
constexpr int kMostMoves = 3;
/** The same for a dissipative step, which is safe only where it has converged. */
constexpr double kDissipativeMiss = 0.01;
constexpr int kMostDissipativeMoves = 25;
/** Bounds of Aitken's relaxation. */
constexpr double kLeastRelaxation = 0.05, kMostRelaxation = 2.0;

/** ω times the substep above which a body's stages are predicted with the velocity that was solved
 for last: the explicit tableau's, good to O(h³) where forces are smooth, is off by (ωh)² times what
 the body trembles by. */
constexpr double kStiffPhase = 1.0;

/** Bodies or contacts that go to a thread together. */
constexpr int kGrain = 256;

/** Powers are compared with the sum of their magnitudes and with what the force does at rest. */
constexpr double kRounding = 1e-12;
constexpr double kRestSpeed = 1e-3;  // [m/s]

/** Whether a power that must dissipate creates energy, beyond its terms' rounding: of a body at
 rest there is nothing else. */
bool Creates(const StageContact& contact) {
  const ContactPower& p = contact.power;
  const double sliding = p.friction - (p.bristle - p.bristle_spin);
  const double worst = std::min({p.normal, sliding, p.spinning - p.bristle_spin, p.rolling});
  const double scale = std::fabs(p.elastic) + std::fabs(p.normal) + std::fabs(p.friction) +
                       std::fabs(p.spinning) + std::fabs(p.rolling) + std::fabs(p.bristle) +
                       Norm(contact.force) * kRestSpeed;
  return worst < -kRounding * scale;
}

/** Adds h times a wrench about the centre of mass to a body's velocities. */
void Push(double h, const Vec3& force, const Vec3& torque, StageBody* body) {
  body->v += (h * body->inverse_mass) * force;
  body->w += h * (body->inverse_inertia_W * torque);
}

/** Adds h times a holder's wrench to a body's velocities. */
void PushHolder(double h, const HolderStage& holder, StageBody* body) {
  const Vec3 moment = holder.torque + Cross(holder.p_WB - body->p_WM, holder.force);
  Push(h, holder.force, moment, body);
}

}  // namespace

RigidBody BodyAtEnd(const BodyGroup& group, std::size_t f, const StageScratch& scratch) {
  const RigidBody& before = group.state[static_cast<std::size_t>(group.free[f])];
  RigidBody body = before;
  const double* at = StateLayout::Momentum(std::span<const double>(scratch.y), f);
  body.p_WM = ReadVec3(StateLayout::Center(std::span<const double>(scratch.x), f));
  body.q_WB = Normalized(StateLayout::Turn(scratch.x, f));
  body.momentum = ReadVec3(at);
  body.spin = ReadVec3(at + 3) - Cross(body.p_WM - before.p_WM, body.momentum);
  return body;
}

double ApproachVelocity(const BodyGroup& group, const Contact& contact) {
  const RigidBody& i = group.state[static_cast<std::size_t>(contact.body_i)];
  const RigidBody& j = group.state[static_cast<std::size_t>(contact.body_j)];
  const Vec3& c = contact.geometry.p_WC;
  const Vec3 v = i.v + Cross(i.w, c - i.p_WM) - j.v - Cross(j.w, c - j.p_WM);
  return Dot(contact.geometry.n, v);
}

/** Calls act(k) for each k < count on the trial's threads. */
template <class Act>
void GroupStage::ForEach(std::size_t count, const Act& act) const {
  const auto some = [&](int begin, int end) {
    for (int k = begin; k < end; ++k) act(static_cast<std::size_t>(k));
  };
  cuda::ParallelFor(static_cast<int>(count), kGrain, s_.threads, std::cref(some));
}

GroupStage::GroupStage(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                       StageScratch* scratch)
    : tools_(tools), group_(group), substep_(substep), rules_(*tools.world, group), s_(*scratch) {
  s_.finder.threads = s_.grouping_scratch.threads = s_.threads;
  s_.patches.held = group.patches.held;
  s_.patches.next_id = group.patches.next_id;
  s_.patches.undefined_normals = group.patches.undefined_normals;
  s_.patches.contacts.resize(group.patches.contacts.size());
  ForEach(group.patches.contacts.size(),
          [&](std::size_t c) { s_.patches.contacts[c] = group.patches.contacts[c]; });
  s_.fastest = s_.fastest_followed = 0.0;
  layout_ = {group.free.size(), group.patches.contacts.size() + kSpareSlots};
  const std::size_t bodies = group.bodies.size();
  s_.poses.assign(group.poses.begin(), group.poses.end());
  s_.quaternions.resize(bodies);
  s_.centers.resize(bodies);
  s_.bodies.resize(bodies);
  s_.loads.resize(bodies);
  s_.holder_bodies.clear();
  for (std::size_t b = 0; b < bodies; ++b) {
    s_.quaternions[b] = Body(b).q_WB;
    s_.centers[b] = Body(b).p_WM;
    if (Body(b).kind == BodyKind::kFree && Settings(b).holder) s_.holder_bodies.push_back(b);
  }
  s_.holders.assign(s_.holder_bodies.size(), HolderStage{});
}

const BodySettings& GroupStage::Settings(std::size_t b) const {
  return tools_.world->scene.bodies[static_cast<std::size_t>(group_.bodies[b])];
}

void GroupStage::PlaceDriven(double t) {
  for (std::size_t b = 0; b < group_.bodies.size(); ++b) {
    if (Body(b).kind != BodyKind::kDriven) continue;
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

void GroupStage::Project(std::span<double> x) const {
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    StateLayout::SetTurn(Normalized(StateLayout::Turn(x, f)), x, f);
  }
}

void GroupStage::FindPairs() { tools_.finder->Find(group_.near, s_.poses, &s_.finder, &s_.active); }

/** Latches the contacts that have not been, unless their onset is awaited. Those found within a
 substep take the velocities of its start: nothing of the impact has acted on them. */
void GroupStage::BeginContacts() {
  ForEach(s_.patches.contacts.size(), [&](std::size_t c) {
    Contact& contact = s_.patches.contacts[c];
    if (!contact.active) return;
    const double v_n = ApproachVelocity(group_, contact);
    if (substep_.await_onset && contact.phase == ContactPhase::kProvisional &&
        v_n < -OnsetSpeed(*tools_.world, group_, contact.body_i, contact.body_j)) {
      contact.active = false;
      return;
    }
    if (contact.latched) return;
    const ContactModel& model = *rules_.Rule(contact.body_i, contact.body_j).model;
    model.Begin(contact.geometry.V, v_n, true, &contact.latch, &contact.state);
    contact.latched = true;
  });
}

/** Wrenches hold over whole substeps: a step is cut where one begins or ends. */
BodyLoad GroupStage::ExternalLoad(std::size_t b) const {
  const AppliedLoad applied = AverageLoad(Settings(b), s_.poses[b], s_.centers[b], substep_.start,
                                          substep_.start + substep_.length);
  const BodyInput& input = Body(b).input;
  BodyLoad load;
  load.applied_force = applied.force + input.force;
  load.applied_torque =
      applied.torque + input.torque + Cross(s_.poses[b] * input.p_BP - s_.centers[b], input.force);
  load.force = load.applied_force + Body(b).mass * tools_.world->scene.gravity;
  load.torque = load.applied_torque;
  return load;
}

/** The bodies as the stage solver takes them: velocities at y*, pushed by the explicit loads. */
void GroupStage::SetStageBodies(double t, double h_gamma, std::span<const double> y) {
  for (std::size_t b = 0; b < group_.bodies.size(); ++b) {
    StageBody& body = s_.bodies[b];
    body = {};
    body.p_WM = s_.centers[b];
    if (Body(b).kind != BodyKind::kDriven) continue;
    const FrameMotion motion = DriveAt(Settings(b), Body(b).input, t);
    body.w = motion.w_WF;
    body.v = motion.v_WF + Cross(motion.w_WF, s_.centers[b] - motion.X_WF.p);
    // A driven body is where it is: nothing is left to add.
    body.has_offset = true;
    body.dx = -h_gamma * body.v;
    body.dtheta = -h_gamma * body.w;
  }
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    StageBody& body = s_.bodies[b];
    const double* at = StateLayout::Momentum(y, f);
    const Vec3 p = ReadVec3(at), H = ReadVec3(at + 3);
    body.inverse_mass = Body(b).inverse_mass;
    body.inverse_inertia_W = InverseInertiaW(Body(b), s_.poses[b].R);
    body.v = body.inverse_mass * p;
    body.w = body.inverse_inertia_W * (H - Cross(s_.centers[b] - Body(b).p_WM, p));
    if (h_gamma > 0) {
      const Quaternion& q = s_.quaternions[b];
      // dq = ½ (0, dθ) q
      const Quaternion turn = StateLayout::Turn(s_.offset, f) * Quaternion{q.w, -q.x, -q.y, -q.z};
      body.has_offset = true;
      body.dx = ReadVec3(StateLayout::Center(std::span<const double>(s_.offset), f));
      body.dtheta = 2.0 * Vec3{turn.x, turn.y, turn.z};
    }
    s_.loads[b] = ExternalLoad(b);
    Push(h_gamma, s_.loads[b].force, s_.loads[b].torque, &body);
  });
}

void GroupStage::AddHolders(double t, double h_gamma) {
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    const std::size_t b = s_.holder_bodies[k];
    s_.holders[k] = MakeHolderStage(*Settings(b).holder, DriveAt(Settings(b), Body(b).input, t),
                                    s_.poses[b], s_.quaternions[b]);
    if (h_gamma > 0.0) MoveHolder(h_gamma, s_.bodies[b], &s_.holders[k]);
  }
}

/** The active contacts as the solver takes them, states at y*. */
void GroupStage::GatherContacts(std::span<const double> y, bool only_new) {
  s_.contact_of.clear();
  const std::span<Contact> contacts = s_.patches.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Contact& contact = contacts[c];
    if (!contact.active) {
      contact.solved = false;
      contact.f_n = 0.0;
      contact.force = contact.torque = Vec3{};
      continue;
    }
    if (only_new && contact.solved) continue;
    s_.contact_of.push_back(c);
  }
  s_.contacts.resize(s_.contact_of.size());
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const std::size_t c = s_.contact_of[k];
    const Contact& contact = contacts[c];
    StageContact& out = s_.contacts[k];
    out = {};
    out.body_i = contact.body_i;
    out.body_j = contact.body_j;
    out.model = rules_.Rule(contact.body_i, contact.body_j).model.get();
    out.geometry = contact.geometry;
    out.latch = contact.latch;
    out.state = contact.state + layout_.Slot(y, c);
    out.f_n = contact.f_n;
    out.force = contact.force;
    out.torque = contact.torque;
  });
}

/** Solves for contacts and holders at once: a holder's wrench is affine in the velocities, so
 without contacts the stage has a closed solution, and to the contacts the damper is inertia.
 s_.bodies: in y* with all explicit loads, out the velocities. */
void GroupStage::SolveVelocities(double h_gamma) {
  if (h_gamma > 0.0 && !s_.holders.empty()) {
    s_.base_bodies.assign(s_.bodies.begin(), s_.bodies.end());
    s_.drags.resize(s_.holders.size());
    for (std::size_t k = 0; k < s_.holders.size(); ++k) {
      HolderStage& holder = s_.holders[k];
      StageBody& body = s_.bodies[s_.holder_bodies[k]];
      SolveHolder(h_gamma, body, &holder);
      PushHolder(h_gamma, holder, &body);
      s_.drags[k] = {holder.p_WB, holder.D, holder.D_r};
      body.drag = &s_.drags[k];
    }
  }
  const StageResult result = host::SolveStage(h_gamma, s_.bodies, s_.contacts, s_.threads);
  counters().solver_iterations += result.iterations;
  if (!result.converged) ++counters().unconverged_stages;
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    HolderStage& holder = s_.holders[k];
    const std::size_t b = s_.holder_bodies[k];
    if (h_gamma == 0.0) {
      EvaluateHolder(s_.bodies[b], &holder);
      continue;
    }
    s_.bodies[b].drag = nullptr;
    if (s_.contacts.empty()) continue;
    // The wrench from the contacts' wrenches, so that it fits them to rounding.
    StageBody body = s_.base_bodies[b];
    for (const StageContact& contact : s_.contacts) {
      const double sign = contact.body_i == static_cast<int>(b)   ? 1.0
                          : contact.body_j == static_cast<int>(b) ? -1.0
                                                                  : 0.0;
      if (sign == 0.0) continue;
      const Vec3 moment = contact.torque + Cross(contact.geometry.p_WC - body.p_WM, contact.force);
      Push(sign * h_gamma, contact.force, moment, &body);
    }
    SolveHolder(h_gamma, body, &holder);
  }
}

/** Adds a contact's wrench to the rates of its bodies, and to the work of driven ones. */
void GroupStage::AddWrench(const Contact& contact, std::span<double> rate,
                           std::span<double> power) const {
  const Vec3& a = contact.geometry.p_WC;
  const auto act = [&](int body, double sign) {
    const auto b = static_cast<std::size_t>(body);
    const Vec3 force = sign * contact.force;
    const int f = group_.row_of[b];
    if (f >= 0) {
      double* row = StateLayout::Momentum(rate, static_cast<std::size_t>(f));
      const Vec3 moment = Cross(a - Body(b).p_WM, force) + sign * contact.torque;
      WriteVec3(ReadVec3(row) + force, row);
      WriteVec3(ReadVec3(row + 3) + moment, row + 3);
    } else {
      // What the contact gives to a driven body, its drive has to take out.
      const StageBody& driven = s_.bodies[b];
      power[kDrivenWork] -= Dot(force, driven.v + Cross(driven.w, a - driven.p_WM)) +
                            sign * Dot(contact.torque, driven.w);
    }
  };
  act(contact.body_i, 1.0);
  act(contact.body_j, -1.0);
}

/** Wrenches, rates and powers of the contacts, from the solver's. */
void GroupStage::StoreContacts(std::span<double> rate, std::span<double> power) {
  const std::span<Contact> contacts = s_.patches.contacts;
  std::atomic<std::int64_t> creating{0};
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const StageContact& out = s_.contacts[k];
    const std::size_t c = s_.contact_of[k];
    Contact& contact = contacts[c];
    contact.f_n = out.f_n;
    contact.force = out.force;
    contact.torque = out.torque;
    contact.rate = out.rate;
    contact.power = out.power;
    contact.solved = true;
    if (Creates(out)) ++creating;
    contact.relaxation_power = 0.0;
    if (out.rate.V_o != 0.0 && HasDirection(out.geometry.S, out.geometry.V)) {
      // The offset falls: at rest, V_r grows by −V̇_o as if pressed in by −V̇_o/|S|.
      const double V_r = std::fmax(0.0, out.geometry.V - out.state.V_o);
      const double S = Norm(out.geometry.S);
      const double f_e = out.model->Force(V_r, S, out.latch.a).f_e;
      contact.relaxation_power = -f_e * out.rate.V_o / S;
    }
  });
  counters().creating_contacts += creating;
  for (const std::size_t c : s_.contact_of) AddContact(c, rate, power);
}

/** Adds what a contact has to the rates and powers. */
void GroupStage::AddContact(std::size_t c, std::span<double> rate, std::span<double> power) const {
  const Contact& contact = s_.patches.contacts[c];
  layout_.SetSlot(contact.rate, rate, c);
  AddWrench(contact, rate, power);
  if (!rules_.Rule(contact.body_i, contact.body_j).model->HasPotential()) {
    power[kElasticWork] += contact.power.elastic;
  }
  power[kNormalLoss] += contact.power.normal;
  power[kFrictionWork] += contact.power.friction;
  power[kSpinningWork] += contact.power.spinning;
  power[kRollingLoss] += contact.power.rolling;
  power[kBristleStored] += contact.power.bristle;
  power[kSpinStored] += contact.power.bristle_spin;
  power[kRelaxationWork] += contact.relaxation_power;
  power[kQuadratures + c] = contact.power.bristle;
}

/** Writes the explicit loads and holders, which are loads once they are known, into the rates. */
void GroupStage::StoreLoads(std::span<double> rate) {
  std::fill(rate.begin(), rate.end(), 0.0);
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    const std::size_t b = s_.holder_bodies[k];
    BodyLoad& load = s_.loads[b];
    const HolderStage& holder = s_.holders[k];
    const Vec3 moment = holder.torque + Cross(holder.p_WB - s_.centers[b], holder.force);
    load.force += holder.force;
    load.torque += moment;
  }
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const BodyLoad& load = s_.loads[b];
    double* row = StateLayout::Momentum(rate, f);
    WriteVec3(load.force, row);
    WriteVec3(load.torque + Cross(s_.centers[b] - Body(b).p_WM, load.force), row + 3);
  }
}

/** The work of applied loads and holders at the velocities that belong to y. */
void GroupStage::AddAppliedPower(double h_gamma, std::span<const double> y,
                                 std::span<double> power) {
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    StageBody& body = s_.bodies[b];
    const double* at = StateLayout::Momentum(y, f);
    const Vec3 p = ReadVec3(at), H = ReadVec3(at + 3);
    body.v = body.inverse_mass * p;
    body.w = body.inverse_inertia_W * (H - Cross(s_.centers[b] - Body(b).p_WM, p));
    power[kAppliedWork] +=
        Dot(s_.loads[b].applied_force, body.v) + Dot(s_.loads[b].applied_torque, body.w);
  }
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    const HolderPower holder = PowerOf(h_gamma, s_.bodies[s_.holder_bodies[k]], s_.holders[k]);
    power[kHolderWork] += holder.on_body;
    power[kTargetWork] += holder.by_target;
    power[kHolderLoss] += holder.loss;
  }
}

void GroupStage::Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
                        std::span<double> power) {
  std::fill(power.begin(), power.end(), 0.0);
  SetStageBodies(t, h_gamma, y);
  AddHolders(t, h_gamma);
  GatherContacts(y, false);
  SolveVelocities(h_gamma);
  StoreLoads(rate);
  StoreContacts(rate, power);
  // y from the rates: what bodies gain is what the wrenches gave, to rounding.
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += h_gamma * rate[k];
  AddAppliedPower(h_gamma, y, power);
}

void GroupStage::LoadState() {
  s_.x.resize(layout_.PositionSize());
  s_.y.assign(layout_.VelocitySize(), 0.0);
  s_.a.assign(kQuadratures + layout_.slots, 0.0);
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    const RigidBody& body = Body(static_cast<std::size_t>(group_.free[f]));
    WriteVec3(body.p_WM, StateLayout::Center(std::span<double>(s_.x), f));
    StateLayout::SetTurn(body.q_WB, s_.x, f);
    double* at = StateLayout::Momentum(std::span<double>(s_.y), f);
    WriteVec3(body.momentum, at);
    WriteVec3(body.spin, at + 3);
  }
}

void GroupStage::FindStiffBodies() {
  s_.stiff.assign(group_.bodies.size(), false);
  const auto is_stiff = [&](double omega) { return omega * substep_.length > kStiffPhase; };
  for (const Contact& contact : group_.patches.contacts) {
    if (!contact.active || !is_stiff(Frequency(*tools_.world, group_, contact))) continue;
    s_.stiff[static_cast<std::size_t>(contact.body_i)] = true;
    s_.stiff[static_cast<std::size_t>(contact.body_j)] = true;
  }
  for (const std::size_t b : s_.holder_bodies) {
    const RigidBody& body = Body(b);
    if (is_stiff(FrequencyBound(*Settings(b).holder, body.inverse_mass, body.p_BM,
                                body.inverse_inertia_M))) {
      s_.stiff[b] = true;
    }
  }
}

void GroupStage::LoadFirstStage() {
  FindStiffBodies();
  s_.first_rate.resize(s_.y.size());
  s_.first_power.assign(s_.a.size(), 0.0);
  SetStageBodies(substep_.start, 0.0, s_.y);
  AddHolders(substep_.start, 0.0);
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    EvaluateHolder(s_.bodies[s_.holder_bodies[k]], &s_.holders[k]);
  }
  StoreLoads(s_.first_rate);
  for (std::size_t c = 0; c < s_.patches.contacts.size(); ++c) {
    if (s_.patches.contacts[c].active) AddContact(c, s_.first_rate, s_.first_power);
  }
  AddAppliedPower(0.0, s_.y, s_.first_power);
}

void GroupStage::SolveNewContacts() {
  // Without a guess the result is a function of the state alone.
  for (Contact& contact : s_.patches.contacts) {
    if (contact.solved) continue;
    contact.f_n = 0.0;
    contact.force = contact.torque = Vec3{};
  }
  s_.first_rate.resize(s_.y.size());
  s_.first_power.assign(s_.a.size(), 0.0);
  SetStageBodies(substep_.start, 0.0, s_.y);
  GatherContacts(s_.y, true);
  host::SolveStage(0.0, s_.bodies, s_.contacts);
  StoreContacts(s_.first_rate, s_.first_power);
}

void GroupStage::LookAtEnd() {
  if (!group_.near.empty()) {
    PlaceDriven(substep_.start + substep_.length);
    PlaceFree(s_.x);
  }
  FindPairs();
  const std::span<Contact> contacts = s_.patches.contacts;
  s_.centroids.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) s_.centroids[c] = contacts[c].geometry.p_WC;
  Evaluate(rules_, s_.active, layout_.slots, &s_.patches, &s_.grouping_scratch);
  // The last stage's wrench is about the centroid at the position that was predicted for it.
  for (std::size_t c = 0; c < s_.centroids.size(); ++c) {
    Contact& contact = s_.patches.contacts[c];
    contact.torque += Cross(s_.centroids[c] - contact.geometry.p_WC, contact.force);
  }
  Group(rules_, s_.active, &s_.grouping_scratch, &s_.grouping);
}

void GroupStage::StageOffset(std::span<const double> offset) {
  s_.offset.assign(offset.begin(), offset.end());
}

void GroupStage::WatchFrequencies() {
  s_.frequencies.resize(s_.contacts.size());
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const StageContact& contact = s_.contacts[k];
    s_.frequencies[k] = Frequency(*contact.model, contact.geometry, contact.latch,
                                  s_.bodies[static_cast<std::size_t>(contact.body_i)],
                                  s_.bodies[static_cast<std::size_t>(contact.body_j)]);
  });
  for (std::size_t k = 0; k < s_.contacts.size(); ++k) {
    s_.fastest = std::fmax(s_.fastest, s_.frequencies[k]);
    const std::size_t c = s_.contact_of[k];
    if (c < s_.followed.size() && s_.followed[c]) {
      s_.fastest_followed = std::fmax(s_.fastest_followed, s_.frequencies[k]);
    }
  }
}

/** Whether the implicit position is so far from where the geometry was evaluated that the linear
 change of a contact's wrench does not hold. */
bool GroupStage::Misses(double h_gamma) const {
  const double limit = substep_.dissipative ? kDissipativeMiss : kMiss;
  std::atomic<bool> misses{false};
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const StageContact& contact = s_.contacts[k];
    const PatchGeometry& g = contact.geometry;
    const double S = Norm(g.S);
    if (misses || !(g.V > 0.0) || !(S > 0.0)) return;
    const auto turn = [&](int b) {
      const StageBody& body = s_.bodies[static_cast<std::size_t>(b)];
      return body.has_offset ? body.dtheta + h_gamma * body.w : Vec3{};
    };
    const auto move = [&](int b, const Vec3& turned) {
      const StageBody& body = s_.bodies[static_cast<std::size_t>(b)];
      return body.has_offset ? body.dx + h_gamma * body.v + Cross(turned, g.p_WC - body.p_WM)
                             : Vec3{};
    };
    const Vec3 turn_i = turn(contact.body_i), turn_j = turn(contact.body_j);
    const Vec3 moved = move(contact.body_i, turn_i) - move(contact.body_j, turn_j);
    const Vec3 turned = turn_i - turn_j;
    const double volume = std::fabs(Dot(g.S, moved) + Dot(g.G, turned));
    const double tilt = Norm(turned - Dot(turned, g.n) * g.n) * PatchRadius(g);
    if (volume + tilt * S > limit * g.V) misses = true;
  });
  return misses;
}

/** Moves the bodies to the implicit position, by Aitken's relaxation in the norm of the masses: a
 plain move may jump between the two sides of a face for ever. */
void GroupStage::MoveToImplicitPosition(double h_gamma, int iteration) {
  s_.x_next.resize(s_.x_star.size());
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const StageBody& body = s_.bodies[b];
    const Quaternion dq = QuaternionRate(body.w, s_.quaternions[b]);
    const Quaternion q = StateLayout::Turn(s_.x_star, f);
    const std::span<const double> x_star = s_.x_star;
    WriteVec3(ReadVec3(StateLayout::Center(x_star, f)) + h_gamma * body.v,
              StateLayout::Center(std::span<double>(s_.x_next), f));
    StateLayout::SetTurn(
        {q.w + h_gamma * dq.w, q.x + h_gamma * dq.x, q.y + h_gamma * dq.y, q.z + h_gamma * dq.z},
        s_.x_next, f);
  }
  Project(s_.x_next);
  s_.miss.resize(s_.x_next.size());
  for (std::size_t k = 0; k < s_.miss.size(); ++k) s_.miss[k] = s_.x_next[k] - s_.x_now[k];
  if (iteration > 0) {
    double along = 0.0, square = 0.0;
    for (std::size_t f = 0; f < group_.free.size(); ++f) {
      const RigidBody& body = Body(static_cast<std::size_t>(group_.free[f]));
      const double inertia =
          4.0 / 3.0 * Trace(body.inertia_M);  // |dq|² is a quarter of the angle's
      for (std::size_t k = 7 * f; k < 7 * f + 7; ++k) {
        const double mass = k < 7 * f + 3 ? body.mass : inertia;
        const double change = s_.miss[k] - s_.miss_before[k];
        along += mass * s_.miss_before[k] * change;
        square += mass * change * change;
      }
    }
    if (square > 0.0) {
      relaxation_ = std::clamp(-relaxation_ * along / square, kLeastRelaxation, kMostRelaxation);
    }
  } else {
    relaxation_ = 1.0;
  }
  std::swap(s_.miss, s_.miss_before);
  for (std::size_t k = 0; k < s_.x_now.size(); ++k) s_.x_now[k] += relaxation_ * s_.miss_before[k];
  Project(s_.x_now);
  PlaceFree(s_.x_now);
  for (std::size_t k = 0; k < s_.x_now.size(); ++k) s_.offset[k] = s_.x_star[k] - s_.x_now[k];
}

void GroupStage::SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                            std::span<double> y, std::span<double> rate, std::span<double> power) {
  if (stage == 0 && h_gamma == 0.0) {
    // The contacts have had their wrenches since the state was accepted.
    std::copy(s_.first_rate.begin(), s_.first_rate.end(), rate.begin());
    std::copy(s_.first_power.begin(), s_.first_power.end(), power.begin());
    return;
  }
  ++counters().stages;
  PlaceDriven(t);
  PlaceFree(x);
  const int most = substep_.dissipative ? kMostDissipativeMoves : kMostMoves;
  if (h_gamma > 0.0) {
    s_.y_star.assign(y.begin(), y.end());
    s_.x_now.assign(x.begin(), x.end());
    s_.x_star.resize(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) s_.x_star[k] = x[k] + s_.offset[k];
  }
  for (int moves = 0;; ++moves) {
    FindPairs();
    counters().active_pairs += static_cast<std::int64_t>(s_.active.size());
    Evaluate(rules_, s_.active, layout_.slots, &s_.patches, &s_.grouping_scratch);
    BeginContacts();
    Forces(t, h_gamma, y, rate, power);
    WatchFrequencies();
    // A dissipative step looks again at least once: what it moves into is not there yet.
    const bool again =
        h_gamma > 0.0 && moves < most && (Misses(h_gamma) || (substep_.dissipative && moves == 0));
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
    const Vec3 w = InverseInertiaW(body, ToRotation(q)) * (H - Cross(c - body.p_WM, p));
    WriteVec3(body.inverse_mass * p, StateLayout::Center(rate, f));
    StateLayout::SetTurn(QuaternionRate(w, q), rate, f);
  });
}

}  // namespace intervox::host
