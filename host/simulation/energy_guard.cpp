#include "host/simulation/energy_guard.h"

#include <algorithm>
#include <cmath>

#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** ω times the substep up to which it resolves a contact. */
constexpr double kResolvedPhase = 0.5;
/** A substep may gain these shares of what it moves. */
constexpr double kUnresolvedShare = 1e-3;
constexpr double kResolvedShare = 1e-2;

/** Elastic energy of contacts.
 @param unseen  of those alone that overlap at the end of a trial and have acted at no stage: they
 begin with this energy. */
double StoredEnergy(const StageTools& tools, const BodyGroup& group, const Patches& patches,
                    bool unseen = false) {
  double sum = 0.0;
  for (const Contact& contact : patches.contacts) {
    if (contact.pairs == 0 || !contact.has_normal || (unseen && contact.solved)) continue;
    const PairRule* rule =
        tools.world->Rule(group.bodies[static_cast<std::size_t>(contact.body_i)],
                          group.bodies[static_cast<std::size_t>(contact.body_j)]);
    sum += ElasticEnergy(*rule->model, contact.geometry);
  }
  return sum;
}

}  // namespace

EnergyCheck CheckEnergy(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                        const StageScratch& scratch) {
  EnergyCheck check;
  const std::vector<double>& a = scratch.a;
  const double by_stages = a[kRelaxationWork] - a[kElasticWork];
  if (group.patches.contacts.empty() && scratch.patches.contacts.empty()) {
    check.resolved = true;
    check.elastic = by_stages;
    check.allowed = HUGE_VAL;
    return check;
  }
  check.resolved = !substep.dissipative && scratch.fastest * substep.length <= kResolvedPhase;
  double mechanical = 0.0, moved = 0.0, most = 0.0;
  for (std::size_t f = 0; f < group.free.size(); ++f) {
    const RigidBody& body = group.state[static_cast<std::size_t>(group.free[f])];
    RigidBody after = BodyAtEnd(group, f, scratch);
    SetVelocities(&after);
    const double before = KineticEnergy(body);
    const double fall = body.mass * Dot(tools.world->scene.gravity, after.p_WM - body.p_WM);
    const double gain = KineticEnergy(after) - before - fall;
    mechanical += gain;
    moved += before + std::fabs(fall);
    if (gain > most) {
      most = gain;
      check.body = group.free[f];
    }
  }
  const double work = a[kAppliedWork] + a[kDrivenWork] + a[kRelaxationWork];
  const double stored = StoredEnergy(tools, group, group.patches);
  check.elastic = check.resolved ? by_stages + StoredEnergy(tools, group, scratch.patches, true)
                                 : StoredEnergy(tools, group, scratch.patches) - stored;
  check.gain = mechanical + check.elastic - work;
  moved += std::fabs(a[kAppliedWork]) + std::fabs(a[kDrivenWork]) + stored;
  check.allowed = (check.resolved ? kResolvedShare : kUnresolvedShare) * moved;
  if (!check.resolved) {
    const double losses = a[kNormalLoss] + a[kFrictionWork] - (a[kBristleStored] - a[kSpinStored]) +
                          a[kSpinningWork] - a[kSpinStored] + a[kRollingLoss];
    check.numerical = -(check.gain + a[kBristleStored] + losses);
  }
  return check;
}

void AddToLedger(const EnergyCheck& check, const StageScratch& scratch, EnergyLedger* ledger) {
  for (std::size_t q = 0; q < kQuadratures; ++q) ledger->work[q] += scratch.a[q];
  ledger->elastic += check.elastic;
  ledger->numerical += check.numerical;
}

}  // namespace intervox::host
