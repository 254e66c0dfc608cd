// Forces at one stage: loads, holders and contacts, velocities implicit.

#include <algorithm>
#include <cmath>

#include "host/simulation/dynamics.h"

namespace intervox::host {
namespace {

Vec3 Read(const double* at) { return {at[0], at[1], at[2]}; }

void Write(const Vec3& v, double* at) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

/** Of powers, against the sum of their magnitudes and what the force does at a speed that is rest.
 */
constexpr double kRounding = 1e-12;

/** Whether a power that must dissipate creates energy, beyond its terms' rounding: of a body at
 rest there is nothing else. */
bool Creates(const StageContact& contact) {
  const ContactPower& p = contact.power;
  const double sliding = p.friction - (p.bristle - p.bristle_spin);
  const double worst = std::min({p.normal, sliding, p.spinning - p.bristle_spin, p.rolling});
  const double scale = std::fabs(p.elastic) + std::fabs(p.normal) + std::fabs(p.friction) +
                       std::fabs(p.spinning) + std::fabs(p.rolling) + std::fabs(p.bristle) +
                       Norm(contact.force) * kSlow;
  return worst < -kRounding * scale;
}

/** Adds h times a wrench about the centre of mass to a body's velocities. */
void Push(double h, const Vec3& force, const Vec3& torque, StageBody* body) {
  body->v += (h * body->inverse_mass) * force;
  body->w += h * (body->inverse_inertia_W * torque);
}

/** The same of a holder's wrench. */
void PushHolder(double h, const HolderStage& holder, StageBody* body) {
  const Vec3 moment = holder.torque + Cross(holder.p_WB - body->p_WM, holder.force);
  Push(h, holder.force, moment, body);
}

}  // namespace

Dynamics::Load Dynamics::ExternalLoad(std::size_t b, double t) const {
  const Pose& X_WB = poses_[b];
  Load load;
  for (const AppliedWrench& wrench : world_.scene.bodies[b].wrenches) {
    if (t < wrench.from || t >= wrench.to) continue;
    const Vec3 force = wrench.in_body_frame ? X_WB.R * wrench.force : wrench.force;
    const Vec3 torque = wrench.in_body_frame ? X_WB.R * wrench.torque : wrench.torque;
    load.applied_force += force;
    load.applied_torque += torque + Cross(X_WB * wrench.point - centers_[b], force);
  }
  load.force = load.applied_force + bodies_[b].mass * world_.scene.gravity;
  load.torque = load.applied_torque;
  return load;
}

/** The active contacts as the solver takes them, states at y*. */
void Dynamics::GatherContacts(std::span<const double> y) {
  stage_contacts_.clear();
  contact_of_.clear();
  const std::span<const Contact> contacts = patches_.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    if (!contact.active) continue;
    const double* increment = y.data() + SlotOffset(c);
    StageContact& out = stage_contacts_.emplace_back();
    out.body_i = contact.body_i;
    out.body_j = contact.body_j;
    out.model = rules_.Pair(contact.body_i, contact.body_j).model.get();
    out.geometry = contact.geometry;
    out.latch = contact.latch;
    out.state.z = contact.state.z + Read(increment);
    out.state.theta = contact.state.theta + increment[3];
    out.state.s_dw = contact.state.s_dw + increment[4];
    out.state.V_o = contact.state.V_o + increment[5];
    out.f_n = contact.f_n;
    out.force = contact.force;
    out.torque = contact.torque;
    contact_of_.push_back(c);
  }
}

/** Solves for contacts and holders at once: a holder's wrench is affine in the velocities, so
 without contacts the stage has a closed solution, and to the contacts the damper is inertia.
 stage_bodies_: in y* with all explicit loads, out the velocities. */
void Dynamics::SolveVelocities(double h_gamma) {
  SimulationCounters& counters = memory_.counters;
  if (h_gamma > 0.0 && !holders_.empty()) {
    base_bodies_.assign(stage_bodies_.begin(), stage_bodies_.end());
    drags_.resize(holders_.size());
    for (std::size_t k = 0; k < holders_.size(); ++k) {
      HolderStage& holder = holders_[k];
      StageBody& body = stage_bodies_[holder_bodies_[k]];
      SolveHolder(h_gamma, body, &holder);
      PushHolder(h_gamma, holder, &body);
      drags_[k] = {holder.p_WB, holder.D, holder.D_r};
      body.drag = &drags_[k];
    }
  }
  const StageResult result = host::SolveStage(h_gamma, stage_bodies_, stage_contacts_);
  counters.solver_iterations += result.iterations;
  if (!result.converged) ++counters.unconverged_stages;
  for (std::size_t k = 0; k < holders_.size(); ++k) {
    HolderStage& holder = holders_[k];
    const std::size_t b = holder_bodies_[k];
    if (h_gamma == 0.0) {
      EvaluateHolder(stage_bodies_[b], &holder);
      continue;
    }
    stage_bodies_[b].drag = nullptr;
    if (stage_contacts_.empty()) continue;
    // The wrench from the contacts' wrenches, so that it fits them to rounding.
    StageBody body = base_bodies_[b];
    for (const StageContact& contact : stage_contacts_) {
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

void Dynamics::Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
                      std::span<double> power) {
  std::fill(rate.begin(), rate.end(), 0.0);
  std::fill(power.begin(), power.end(), 0.0);
  stage_bodies_.resize(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    StageBody& body = stage_bodies_[b];
    body = {};
    body.p_WM = centers_[b];
    if (bodies_[b].kind != BodyKind::kDriven) continue;
    const FrameMotion motion = Evaluate(*world_.scene.bodies[b].motion, t);
    body.w = motion.w_WF;
    body.v = motion.v_WF + Cross(motion.w_WF, centers_[b] - motion.X_WF.p);
    // A driven body is where it is: nothing is left to add.
    body.has_offset = true;
    body.dx = -h_gamma * body.v;
    body.dtheta = -h_gamma * body.w;
  }
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    const auto b = static_cast<std::size_t>(world_.free_bodies[f]);
    StageBody& body = stage_bodies_[b];
    const Vec3 p = Read(y.data() + 6 * f), H = Read(y.data() + 6 * f + 3);
    body.inverse_mass = bodies_[b].inverse_mass;
    body.inverse_inertia_W = InverseInertiaW(bodies_[b], poses_[b].R);
    body.v = body.inverse_mass * p;
    body.w = body.inverse_inertia_W * (H - Cross(centers_[b] - bodies_[b].p_WM, p));
    if (h_gamma > 0) {
      const double* offset = offset_.data() + 7 * f;
      const Quaternion& q = quaternions_[b];
      // dq = ½ (0, dθ) q
      const Quaternion turn = Quaternion{offset[3], offset[4], offset[5], offset[6]} *
                              Quaternion{q.w, -q.x, -q.y, -q.z};
      body.has_offset = true;
      body.dx = Read(offset);
      body.dtheta = 2.0 * Vec3{turn.x, turn.y, turn.z};
    }
    loads_[b] = ExternalLoad(b, t);
    Push(h_gamma, loads_[b].force, loads_[b].torque, &body);
  }
  for (std::size_t k = 0; k < holders_.size(); ++k) {
    const std::size_t b = holder_bodies_[k];
    holders_[k] = MakeHolderStage(*world_.scene.bodies[b].holder, t, poses_[b], quaternions_[b]);
  }
  GatherContacts(y);
  SolveVelocities(h_gamma);

  // Holders are loads now.
  for (std::size_t k = 0; k < holders_.size(); ++k) {
    const std::size_t b = holder_bodies_[k];
    const Vec3 moment =
        holders_[k].torque + Cross(holders_[k].p_WB - centers_[b], holders_[k].force);
    loads_[b].force += holders_[k].force;
    loads_[b].torque += moment;
    loads_[b].applied_force += holders_[k].force;
    loads_[b].applied_torque += moment;
  }
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    const auto b = static_cast<std::size_t>(world_.free_bodies[f]);
    Write(loads_[b].force, rate.data() + 6 * f);
    Write(loads_[b].torque + Cross(centers_[b] - bodies_[b].p_WM, loads_[b].force),
          rate.data() + 6 * f + 3);
  }
  StoreContacts(rate, power);
  // y from the rates: what bodies gain is what the wrenches gave, to rounding.
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += h_gamma * rate[k];
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    const auto b = static_cast<std::size_t>(world_.free_bodies[f]);
    StageBody& body = stage_bodies_[b];
    const Vec3 p = Read(y.data() + 6 * f), H = Read(y.data() + 6 * f + 3);
    body.v = body.inverse_mass * p;
    body.w = body.inverse_inertia_W * (H - Cross(centers_[b] - bodies_[b].p_WM, p));
    power[kAppliedWork] +=
        Dot(loads_[b].applied_force, body.v) + Dot(loads_[b].applied_torque, body.w);
  }
}

/** Wrenches, rates and powers of the contacts. */
void Dynamics::StoreContacts(std::span<double> rate, std::span<double> power) {
  const std::span<Contact> contacts = patches_.contacts;
  for (std::size_t k = 0; k < stage_contacts_.size(); ++k) {
    const StageContact& out = stage_contacts_[k];
    const std::size_t c = contact_of_[k];
    Contact& contact = contacts[c];
    contact.f_n = out.f_n;
    contact.force = out.force;
    contact.torque = out.torque;
    contact.peak_f_n = std::fmax(contact.peak_f_n, out.f_n);

    double* slot = rate.data() + SlotOffset(c);
    Write(out.rate.z, slot);
    slot[3] = out.rate.theta;
    slot[4] = out.rate.s_dw;
    slot[5] = out.rate.V_o;

    const Vec3& a = out.geometry.p_WC;
    const auto act = [&](int index, double sign) {
      const auto b = static_cast<std::size_t>(index);
      const Vec3 force = sign * out.force;
      if (bodies_[b].kind == BodyKind::kFree) {
        // free_bodies ascends: the row of b is its rank.
        const auto at =
            std::lower_bound(world_.free_bodies.begin(), world_.free_bodies.end(), index) -
            world_.free_bodies.begin();
        double* row = rate.data() + 6 * at;
        const Vec3 moment = Cross(a - bodies_[b].p_WM, force) + sign * out.torque;
        Write(Read(row) + force, row);
        Write(Read(row + 3) + moment, row + 3);
      } else {
        // What the contact gives to a driven body, its drive has to take out.
        const StageBody& body = stage_bodies_[b];
        power[kDrivenWork] -=
            Dot(force, body.v + Cross(body.w, a - body.p_WM)) + sign * Dot(out.torque, body.w);
      }
    };
    act(out.body_i, 1.0);
    act(out.body_j, -1.0);

    if (Creates(out)) ++memory_.counters.creating_contacts;
    power[kElasticWork] += out.power.elastic;
    power[kNormalLoss] += out.power.normal;
    power[kFrictionWork] += out.power.friction;
    power[kSpinningWork] += out.power.spinning;
    power[kRollingLoss] += out.power.rolling;
    power[kBristleStored] += out.power.bristle;
    power[kSpinStored] += out.power.bristle_spin;
    power[kQuadratures + c] = out.power.bristle;
    if (out.rate.V_o != 0.0 && HasDirection(out.geometry.S, out.geometry.V)) {
      // The offset falls: at rest, V_r grows by −V̇_o as if pressed in by −V̇_o/|S|.
      const double V_r = std::fmax(0.0, out.geometry.V - out.state.V_o);
      const double f_e = out.model->normal->Force(V_r, out.latch.a).f_e;
      power[kRelaxationWork] -= f_e * out.rate.V_o / Norm(out.geometry.S);
    }
  }
}

void Dynamics::StageOffset(std::span<const double> offset) {
  offset_.assign(offset.begin(), offset.end());
}

void Dynamics::SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                          std::span<double> y, std::span<double> rate, std::span<double> power) {
  if (stage == 0 && h_gamma == 0.0) {
    // Evaluated when the state was accepted.
    stage_bodies_.assign(first_bodies_.begin(), first_bodies_.end());
    std::copy(first_rate_.begin(), first_rate_.end(), rate.begin());
    std::copy(first_power_.begin(), first_power_.end(), power.begin());
    return;
  }
  PlaceDriven(t);
  PlaceFree(x);
  Evaluate(rules_, FindPairs(), slots_, &patches_, &patch_scratch_);
  BeginContacts(false, false);
  Forces(t, h_gamma, y, rate, power);
}

void Dynamics::PositionRate(std::span<const double> x, std::span<const double> /*y*/,
                            std::span<double> rate) {
  for (std::size_t f = 0; f < world_.free_bodies.size(); ++f) {
    const StageBody& body = stage_bodies_[static_cast<std::size_t>(world_.free_bodies[f])];
    const double* at = x.data() + 7 * f;
    const Quaternion dq = QuaternionRate(body.w, {at[3], at[4], at[5], at[6]});
    double* out = rate.data() + 7 * f;
    Write(body.v, out);
    out[3] = dq.w;
    out[4] = dq.x;
    out[5] = dq.y;
    out[6] = dq.z;
  }
}

}  // namespace intervox::host
