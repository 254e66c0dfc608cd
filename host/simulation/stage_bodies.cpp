// Bodies of a stage: their explicit loads and holders, and their velocities.
#include <algorithm>
#include <atomic>

#include "host/bodies/free_rotation.h"
#include "host/bodies/loads.h"
#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

/** A spin that has changed by no more than this share of it has had no torque but by rounding. */
constexpr double kSameSpin = 1e-9;

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

/** Wrenches hold over whole substeps: a step is cut where one begins or ends. */
BodyLoad GroupStage::ExternalLoad(std::size_t b) const {
  const AppliedLoad applied = AverageLoad(Settings(b), s_.poses[b], s_.centers[b], substep_.start,
                                          substep_.start + substep_.length);
  const BodyInput& input = Body(b).input;
  BodyLoad load;
  load.applied_force = applied.force + input.force;
  load.applied_torque = applied.torque + input.torque;
  if (SquaredNorm(input.force) > 0.0) {
    load.applied_torque += Cross(s_.poses[b] * input.p_BP - s_.centers[b], input.force);
  }
  load.force = load.applied_force + Body(b).mass * tools_.world->scene.gravity;
  load.torque = load.applied_torque;
  return load;
}

/** The bodies as the stage solver takes them: velocities at y*, pushed by the explicit loads. */
void GroupStage::SetStageBodies(double t, double h_gamma, std::span<const double> y) {
  ForEach(group_.bodies.size(), [&](std::size_t b) {
    StageBody& body = s_.bodies[b];
    body = {};
    body.p_WM = s_.centers[b];
    if (group_.row_of[b] >= 0 || Body(b).kind != BodyKind::kDriven) return;
    const FrameMotion motion = DriveAt(Settings(b), Body(b).input, t);
    body.w = motion.w_WF;
    body.v = motion.v_WF + Cross(motion.w_WF, s_.centers[b] - motion.X_WF.p);
    // A driven body is where it is: nothing is left to add.
    body.has_offset = true;
    body.dx = -h_gamma * body.v;
    body.dtheta = -h_gamma * body.w;
  });
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
  const StageResult result =
      host::SolveStage(h_gamma, s_.bodies, s_.contacts, s_.threads, s_.joints);
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
    if (s_.contacts.empty() && s_.joints.empty()) continue;
    // The wrench from the contacts' wrenches, so that it fits them to rounding.
    StageBody body = s_.base_bodies[b];
    for (const StageContact* acting : s_.contacts) {
      const StageContact& contact = *acting;
      const double sign = contact.body_i == static_cast<int>(b)   ? 1.0
                          : contact.body_j == static_cast<int>(b) ? -1.0
                                                                  : 0.0;
      if (sign == 0.0) continue;
      const Vec3 moment = contact.torque + Cross(contact.geometry.p_WC - body.p_WM, contact.force);
      Push(sign * h_gamma, contact.force, moment, &body);
    }
    for (const StageJoint& joint : s_.joints) {
      const double sign = joint.body_a == static_cast<int>(b)   ? 1.0
                          : joint.body_b == static_cast<int>(b) ? -1.0
                                                                : 0.0;
      const Vec3 moment = joint.torque + Cross(joint.p_WJ - body.p_WM, joint.force);
      Push(sign * h_gamma, joint.force, moment, &body);
    }
    SolveHolder(h_gamma, body, &holder);
  }
}

/** Writes the explicit loads and holders, which are loads once they are known, into the rates. */
void GroupStage::StoreLoads(std::span<double> rate) {
  ForRanges(VelocitiesInUse(rate.size()), [&](std::size_t begin, std::size_t end) {
    std::fill(rate.data() + begin, rate.data() + end, 0.0);
  });
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    const std::size_t b = s_.holder_bodies[k];
    BodyLoad& load = s_.loads[b];
    const HolderStage& holder = s_.holders[k];
    const Vec3 moment = holder.torque + Cross(holder.p_WB - s_.centers[b], holder.force);
    load.force += holder.force;
    load.torque += moment;
  }
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const BodyLoad& load = s_.loads[b];
    double* row = StateLayout::Momentum(rate, f);
    WriteVec3(load.force, row);
    WriteVec3(load.torque + Cross(s_.centers[b] - Body(b).p_WM, load.force), row + 3);
  });
}

/** The work of applied loads and holders at the velocities that belong to y. */
void GroupStage::AddAppliedPower(double h_gamma, std::span<const double> y,
                                 std::span<double> power) {
  s_.powers.assign(RangesOf(group_.free.size()), {});
  host::ForRanges(
      group_.free.size(), s_.threads, [&](std::size_t r, std::size_t begin, std::size_t end) {
        for (std::size_t f = begin; f < end; ++f) {
          const auto b = static_cast<std::size_t>(group_.free[f]);
          StageBody& body = s_.bodies[b];
          const double* at = StateLayout::Momentum(y, f);
          const Vec3 p = ReadVec3(at), H = ReadVec3(at + 3);
          body.v = body.inverse_mass * p;
          body.w = body.inverse_inertia_W * (H - Cross(s_.centers[b] - Body(b).p_WM, p));
          s_.powers[r][kAppliedWork] +=
              Dot(s_.loads[b].applied_force, body.v) + Dot(s_.loads[b].applied_torque, body.w);
        }
      });
  for (const auto& part : s_.powers) power[kAppliedWork] += part[kAppliedWork];
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    const HolderPower holder = PowerOf(h_gamma, s_.bodies[s_.holder_bodies[k]], s_.holders[k]);
    power[kHolderWork] += holder.on_body;
    power[kTargetWork] += holder.by_target;
    power[kHolderLoss] += holder.loss;
  }
}

void GroupStage::TurnFreeBodies() {
  if (!group_.joints.empty()) return;
  std::vector<char>& turns = s_.flags;
  turns.assign(group_.bodies.size(), 1);
  ForEach(s_.patches.contacts.size(), [&](std::size_t c) {
    const Contact& contact = s_.patches.contacts[c];
    if (contact.phase == ContactPhase::kProvisional && !contact.active) return;
    for (const int body : {contact.body_i, contact.body_j}) {
      std::atomic_ref(turns[static_cast<std::size_t>(body)]).store(0, std::memory_order_relaxed);
    }
  });
  for (const std::size_t b : s_.holder_bodies) turns[b] = 0;
  ForEach(group_.free.size(), [&](std::size_t f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const RigidBody& before = Body(b);
    if (turns[b] == 0 || SquaredNorm(s_.loads[b].torque) > 0.0) return;
    const Vec3 change = SpinAtEnd(before, f, s_) - before.spin;
    if (SquaredNorm(change) > kSameSpin * kSameSpin * SquaredNorm(before.spin)) return;
    StateLayout::SetTurn(TurnFreely(before, substep_.length), s_.x, f);
  });
}

}  // namespace intervox::host
