#include "host/simulation/dynamics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace intervox::host {
namespace {

/** Contacts that may be born within one step; more wait for its end. */
constexpr std::size_t kSpareSlots = 16;

/** Share of the lightest free body's weight that does not matter (the sources' δf). Without gravity
 the weight is taken at 1 m/s². */
constexpr double kNegligibleWeight = 1e-6;

/** The engine need not resolve a volume whose force is negligible: δf over the stiffest k_v. */
double NegligibleVolume(const World& world) {
  double lightest = 0.0, stiffest = 0.0;
  for (const int b : world.free_bodies) {
    const double mass = world.start[static_cast<std::size_t>(b)].mass;
    if (lightest == 0.0 || mass < lightest) lightest = mass;
  }
  for (const WorldPair& pair : world.pairs) {
    stiffest = std::max(stiffest, pair.model->normal->Force(1.0, 0.0).f_e);
  }
  if (!(stiffest > 0.0)) return 0.0;
  return kNegligibleWeight * lightest * std::max(Norm(world.scene.gravity), 1.0) / stiffest;
}

FinderSettings EngineQuery(const World& world) {
  const EngineSettings& engine = world.scene.engine;
  return {engine.tolerance, engine.voxel_size, engine.rule, NegligibleVolume(world)};
}

Vec3 Read(const double* at) { return {at[0], at[1], at[2]}; }

void Write(const Vec3& v, double* at) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

}  // namespace

const WorldPair& WorldRules::Pair(int i, int j) const {
  return *std::lower_bound(world_.pairs.begin(), world_.pairs.end(), std::pair(i, j),
                           [](const WorldPair& pair, const std::pair<int, int>& bodies) {
                             return std::pair(pair.body_i, pair.body_j) < bodies;
                           });
}

Dynamics::Dynamics(const World& world, const Engine& engine)
    : world_(world),
      rules_(world),
      finder_(engine, EngineQuery(world)),
      stepper_(*world.tableau),
      bodies_(world.start),
      poses_(world.start.size()),
      quaternions_(world.start.size()),
      centers_(world.start.size()),
      loads_(world.start.size()) {
  caches_.resize(world.pairs.size());
  for (std::size_t k = 0; k < world.pairs.size(); ++k) {
    const WorldPair& pair = world.pairs[k];
    const auto i = static_cast<std::size_t>(pair.body_i), j = static_cast<std::size_t>(pair.body_j);
    const auto& boxes = pair.patches.per_cell_pair ? world.bare_boxes : world.boxes;
    near_.push_back({pair.body_i, pair.body_j, &boxes[i], &boxes[j], &caches_[k]});
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    quaternions_[b] = bodies_[b].q_WB;
    centers_[b] = bodies_[b].p_WM;
    poses_[b] = world.scene.bodies[b].X_WB;
    if (world.scene.bodies[b].holder && bodies_[b].kind == BodyKind::kFree) {
      holder_bodies_.push_back(b);
    }
  }
  holders_.resize(holder_bodies_.size());
}

void Dynamics::PlaceDriven(double t) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].kind != BodyKind::kDriven) continue;
    const FrameMotion motion = Evaluate(*world_.scene.bodies[b].motion, t);
    poses_[b] = motion.X_WF;
    quaternions_[b] = motion.q_WF;
    centers_[b] = motion.X_WF * bodies_[b].p_BM;
  }
}

void Dynamics::PlaceFree(std::span<const double> x) {
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    const auto b = static_cast<std::size_t>(world_.free_bodies[f]);
    const double* at = x.data() + 7 * f;
    centers_[b] = Read(at);
    quaternions_[b] = Normalized(Quaternion{at[3], at[4], at[5], at[6]});
    poses_[b] = FramePose(bodies_[b], centers_[b], ToRotation(quaternions_[b]));
  }
}

void Dynamics::Project(std::span<double> x) const {
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    double* q = x.data() + 7 * f + 3;
    const Quaternion unit = Normalized(Quaternion{q[0], q[1], q[2], q[3]});
    q[0] = unit.w;
    q[1] = unit.x;
    q[2] = unit.y;
    q[3] = unit.z;
  }
}

void Dynamics::SetAcceptedVelocities() {
  const double t = time();
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    RigidBody& body = bodies_[b];
    body.p_WM = centers_[b];
    body.q_WB = quaternions_[b];
    if (body.kind == BodyKind::kFree) {
      body.v = body.inverse_mass * body.momentum;
      body.w = InverseInertiaW(body, poses_[b].R) * body.spin;
    } else if (body.kind == BodyKind::kDriven) {
      const FrameMotion motion = Evaluate(*world_.scene.bodies[b].motion, t);
      body.w = motion.w_WF;
      body.v = motion.v_WF + Cross(motion.w_WF, centers_[b] - motion.X_WF.p);
    }
  }
}

/** n·v_c with the accepted velocities, at the geometry evaluated last; negative while approaching.
 */
double Dynamics::ApproachVelocity(const Contact& contact) const {
  const RigidBody& i = bodies_[static_cast<std::size_t>(contact.body_i)];
  const RigidBody& j = bodies_[static_cast<std::size_t>(contact.body_j)];
  const Vec3& c = contact.geometry.p_WC;
  const Vec3 v = i.v + Cross(i.w, c - i.p_WM) - j.v - Cross(j.w, c - j.p_WM);
  return Dot(contact.geometry.n, v);
}

std::span<const ActivePair> Dynamics::FindPairs() {
  finder_.Find(near_, poses_, &finder_scratch_, &active_);
  memory_.counters.active_pairs += static_cast<std::int64_t>(active_.size());
  return active_;
}

/** Latches the contacts that have not been, unless their onset is awaited. Those found within a
 step take the velocities of its start: nothing of the impact has acted on them. */
void Dynamics::BeginContacts(bool on_purpose, bool accepted) {
  for (Contact& contact : patches_.contacts) {
    if (!contact.active) continue;
    const ContactModel& model = *rules_.Pair(contact.body_i, contact.body_j).model;
    const double v_n = ApproachVelocity(contact);
    if (!accepted && await_onset_ && contact.phase == ContactPhase::kProvisional && v_n < -kSlow) {
      contact.active = false;
      continue;
    }
    if (!contact.latched) {
      model.Begin(contact.geometry.V, v_n, on_purpose || !accepted, &contact.latch, &contact.state);
      contact.latched = true;
    } else if (accepted) {
      model.Accept(v_n, &contact.latch);
    }
  }
}

void Dynamics::RecordImpacts() {
  for (Contact& contact : patches_.contacts) {
    if (contact.phase == ContactPhase::kFresh && contact.latch.v_i > kSlow) {
      contact.impact = static_cast<std::int64_t>(memory_.impacts.size());
      memory_.impacts.push_back(
          {contact.since, contact.body_i, contact.body_j, contact.latch.v_i, 0.0});
    }
    if (contact.phase == ContactPhase::kFresh) contact.phase = ContactPhase::kAccepted;
    if (contact.impact < 0) continue;
    ImpactRecord& record = memory_.impacts[static_cast<std::size_t>(contact.impact)];
    record.peak_force = std::fmax(record.peak_force, contact.peak_f_n);
  }
}

void Dynamics::AcceptContacts(std::span<const ActivePair> pairs, bool on_purpose) {
  const PatchChanges changes = Accept(rules_, pairs, grouping_, time(), &patches_, &patch_scratch_);
  memory_.bristle_lost += changes.bristle_energy_lost;
  const std::array<double, kQuadratures>& work = memory_.work;
  const double sliding = work[kFrictionWork] - (work[kBristleStored] - work[kSpinStored]);
  const double losses[kLosses] = {work[kNormalLoss], sliding + memory_.bristle_lost,
                                  work[kSpinningWork] - work[kSpinStored], work[kRollingLoss]};
  for (std::size_t k = 0; k < kLosses; ++k) {
    memory_.lost[k] = std::fmax(memory_.lost[k], losses[k]);
  }
  BeginContacts(on_purpose, true);
}

/** The stepper's vectors from the accepted state. */
void Dynamics::LoadState() {
  const std::size_t free = world_.free_bodies.size();
  x_.resize(7 * free);
  y_.assign(6 * free + 6 * slots_, 0.0);
  a_.assign(kQuadratures + slots_, 0.0);
  for (std::size_t f = 0; f < free; ++f) {
    const RigidBody& body = bodies_[static_cast<std::size_t>(world_.free_bodies[f])];
    double* x = x_.data() + 7 * f;
    Write(body.p_WM, x);
    x[3] = body.q_WB.w;
    x[4] = body.q_WB.x;
    x[5] = body.q_WB.y;
    x[6] = body.q_WB.z;
    Write(body.momentum, y_.data() + 6 * f);
    Write(body.spin, y_.data() + 6 * f + 3);
  }
}

/** Forces at the accepted state: what is reported, and the first stage of the next step. */
void Dynamics::AcceptForces() {
  slots_ = patches_.contacts.size() + kSpareSlots;
  LoadState();
  first_rate_.resize(y_.size());
  first_power_.resize(a_.size());
  // No guess: the result is a function of the state alone, so that a resumed run has the same bits.
  for (Contact& contact : patches_.contacts) {
    contact.f_n = 0.0;
    contact.force = contact.torque = Vec3{};
  }
  for (HolderStage& holder : holders_) holder = {};
  Forces(time(), 0.0, y_, first_rate_, first_power_);
  first_bodies_.assign(stage_bodies_.begin(), stage_bodies_.end());
}

void Dynamics::Start() {
  PlaceDriven(time());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (bodies_[b].kind == BodyKind::kFree) {
      poses_[b] = FramePose(bodies_[b], centers_[b], ToRotation(quaternions_[b]));
    }
  }
  SetAcceptedVelocities();
  FindPairs();
  Group(rules_, active_, &patch_scratch_, &grouping_);
  AcceptContacts(active_, true);
  AcceptForces();
  RecordImpacts();
  memory_.start_energy = 0.0;
  for (const RigidBody& body : bodies_) memory_.start_energy += KineticEnergy(body);
}

void Dynamics::CheckFinite() const {
  for (const int index : world_.free_bodies) {
    const auto b = static_cast<std::size_t>(index);
    const RigidBody& body = bodies_[b];
    const double sum = SquaredNorm(body.momentum) + SquaredNorm(body.spin) +
                       SquaredNorm(centers_[b]) + quaternions_[b].w;
    if (!std::isfinite(sum)) {
      throw std::runtime_error("t = " + std::to_string(time()) + " s: the state of body " +
                               world_.scene.bodies[b].name +
                               " is no longer finite. Use a smaller step, or an implicit method.");
    }
  }
}

/** Steps the vectors from the accepted state; nothing is accepted yet. */
void Dynamics::Advance(double h) {
  LoadState();
  stepper_.Step(*this, now_, h, x_, y_, a_);
  memory_.counters.stages += world_.tableau->stages;
}

/** Accepts what Advance and Look have found as the state at t. */
void Dynamics::Commit(double t) {
  now_ = t;
  for (std::size_t q = 0; q < kQuadratures; ++q) memory_.work[q] += a_[q];
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    RigidBody& body = bodies_[static_cast<std::size_t>(world_.free_bodies[f])];
    const Vec3 center = Read(x_.data() + 7 * f);
    body.momentum = Read(y_.data() + 6 * f);
    body.spin = Read(y_.data() + 6 * f + 3) - Cross(center - body.p_WM, body.momentum);
  }
  CheckFinite();
  const std::span<Contact> contacts = patches_.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double* y = y_.data() + SlotOffset(c);
    contacts[c].state.z += Read(y);
    contacts[c].state.theta += y[3];
    contacts[c].state.s_dw += y[4];
    contacts[c].state.V_o += y[5];
    contacts[c].bristle_energy += a_[kQuadratures + c];
  }
  SetAcceptedVelocities();
  // Latches first as the contacts were grouped until now: a patch that merges brings its own.
  BeginContacts(false, true);
  AcceptContacts(end_pairs_, false);
  AcceptForces();
  RecordImpacts();
}

EnergyAudit Dynamics::Audit() const {
  const std::array<double, kQuadratures>& work = memory_.work;
  EnergyAudit out;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const RigidBody& body = bodies_[b];
    if (body.kind != BodyKind::kFree) continue;
    out.kinetic += KineticEnergy(body);
    out.gravity -= body.mass * Dot(world_.scene.gravity, body.p_WM - world_.start[b].p_WM);
  }
  out.elastic = work[kRelaxationWork] - work[kElasticWork];
  out.bristle = work[kBristleStored] - memory_.bristle_lost;
  out.dissipated_normal = memory_.lost[kNormalDamping];
  out.dissipated_sliding = memory_.lost[kSliding];
  out.dissipated_spinning = memory_.lost[kSpinning];
  out.dissipated_rolling = memory_.lost[kRolling];
  out.work_applied = work[kAppliedWork];
  out.work_driven = work[kDrivenWork];
  out.work_relaxation = work[kRelaxationWork];
  out.balance = out.kinetic + out.gravity + out.elastic + out.bristle - memory_.start_energy +
                out.dissipated_normal + out.dissipated_sliding + out.dissipated_spinning +
                out.dissipated_rolling - out.work_applied - out.work_driven - out.work_relaxation;
  return out;
}

void Dynamics::Restore(std::span<const RigidBody> bodies, const Patches& patches,
                       const DynamicsMemory& memory) {
  memory_ = memory;
  now_ = static_cast<double>(memory.step) * world_.step;
  bodies_.assign(bodies.begin(), bodies.end());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    centers_[b] = bodies_[b].p_WM;
    quaternions_[b] = bodies_[b].q_WB;
    if (bodies_[b].kind == BodyKind::kFree) {
      poses_[b] = FramePose(bodies_[b], centers_[b], ToRotation(quaternions_[b]));
    }
  }
  PlaceDriven(time());
  SetAcceptedVelocities();
  patches_ = patches;
  FindPairs();
  Evaluate(rules_, active_, patches.contacts.size(), &patches_, &patch_scratch_);
  for (Contact& contact : patches_.contacts) {
    contact.geometry.n = contact.n_accepted;
    contact.geometry.R_n = Mat3::Identity();
  }
  AcceptForces();
  // Evaluating once more has counted once more.
  memory_.counters = memory.counters;
  finder_scratch_.counters = {memory.counters.pairs,
                              memory.counters.engine_failures - patches.undefined_normals};
  patches_.undefined_normals = patches.undefined_normals;
}

}  // namespace intervox::host
