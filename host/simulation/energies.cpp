#include "host/simulation/energies.h"

#include <cmath>

#include "host/simulation/contact_scales.h"

namespace intervox::host {

double ElasticSum(const World& world, const State& state) {
  double sum = 0.0;
  for (const Contact& contact : state.patches.contacts) {
    const ContactModel& model = *world.Rule(contact.body_i, contact.body_j)->model;
    const double held = ElasticEnergy(model, contact.geometry, contact.latch, contact.accepted.V_o);
    sum += model.IsBounded() ? std::fmin(held, std::fmax(0.0, contact.foundation_energy)) : held;
  }
  return sum;
}

double FreeEnergy(const World& world, const State& state, std::size_t b) {
  const RigidBody& body = state.bodies[b];
  return KineticEnergy(body) - body.mass * Dot(world.scene.gravity, body.p_WM);
}

EnergyAudit MakeAudit(const World& world, const State& state) {
  const std::array<double, kQuadratures>& work = state.ledger.work;
  const std::array<double, kLosses> lost = state.ledger.Losses();
  EnergyAudit out;
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const RigidBody& body = state.bodies[b];
    if (body.kind != BodyKind::kFree) continue;
    out.kinetic += KineticEnergy(body);
    out.gravity -= body.mass * Dot(world.scene.gravity, body.p_WM - world.start[b].p_WM);
  }
  out.elastic = state.ledger.elastic;
  out.bristle = work[kBristleStored] - state.ledger.bristle_lost;
  out.dissipated_normal = lost[kNormalDamping];
  out.dissipated_sliding = lost[kSliding];
  out.dissipated_spinning = lost[kSpinning];
  out.dissipated_rolling = lost[kRolling];
  out.dissipated_numerical = state.ledger.numerical;
  out.joint_projection = state.ledger.projected;
  out.work_applied = work[kAppliedWork] + work[kHolderWork];
  out.work_driven = work[kDrivenWork];
  out.work_relaxation = work[kRelaxationWork];
  out.bound_loss = work[kBoundLoss];
  out.law_gain = ElasticSum(world, state) - out.elastic - out.bound_loss;
  out.largest_fall = state.ledger.largest_fall;
  out.balance = out.kinetic + out.gravity + out.elastic + out.bristle - state.start_energy +
                out.dissipated_normal + out.dissipated_sliding + out.dissipated_spinning +
                out.dissipated_rolling + out.dissipated_numerical - out.work_applied -
                out.work_driven - out.work_relaxation;
  return out;
}

}  // namespace intervox::host
