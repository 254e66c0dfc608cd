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

/** Between contacts that have a potential all energy is a function of the state, so what a substep
 errs by is known. A scheme of order p, on smooth motion, errs by less than this times (ωτ)^(p+1)
 of what moves; at a kink of the force, by more. */
constexpr double kSmoothShare = 0.1;
/** What else errs: bodies that turn, holders, rounding. */
constexpr double kOtherShare = 1e-10;

/** Elastic energy of contacts [J]. */
struct StoredEnergy {
  double all = 0.0;
  double potential = 0.0;  ///< of those that have one
  double unseen = 0.0;     ///< of the others that have acted at no stage: they begin with it
};

StoredEnergy Stored(const StageTools& tools, const BodyGroup& group, const Patches& patches) {
  StoredEnergy sum;
  for (const Contact& contact : patches.contacts) {
    if (contact.pairs == 0 || !contact.has_normal) continue;
    const PairRule* rule =
        tools.world->Rule(group.bodies[static_cast<std::size_t>(contact.body_i)],
                          group.bodies[static_cast<std::size_t>(contact.body_j)]);
    const double energy = ElasticEnergy(*rule->model, contact.geometry);
    sum.all += energy;
    if (rule->model->HasPotential()) {
      sum.potential += energy;
    } else if (!contact.solved) {
      sum.unseen += energy;
    }
  }
  return sum;
}

}  // namespace

double ElasticChange(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch) {
  return scratch.a[kRelaxationWork] - scratch.a[kElasticWork] +
         Stored(tools, group, scratch.patches).potential -
         Stored(tools, group, group.patches).potential;
}

EnergyCheck CheckEnergy(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                        double planned, const StageScratch& scratch) {
  EnergyCheck check;
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
  const std::vector<double>& a = scratch.a;
  const double work = a[kAppliedWork] + a[kDrivenWork] + a[kRelaxationWork];
  const bool touches = !group.patches.contacts.empty() || !scratch.patches.contacts.empty();
  if (!touches) {
    check.resolved = true;
    check.elastic = a[kRelaxationWork] - a[kElasticWork];
    check.allowed = HUGE_VAL;
    return check;
  }
  const StoredEnergy stored = Stored(tools, group, group.patches);
  const StoredEnergy after = Stored(tools, group, scratch.patches);
  check.elastic = check.resolved ? a[kRelaxationWork] - a[kElasticWork] + after.unseen +
                                       after.potential - stored.potential
                                 : after.all - stored.all;
  check.gain = mechanical + check.elastic - work;
  moved += std::fabs(a[kAppliedWork]) + std::fabs(a[kDrivenWork]) + stored.all;
  check.allowed = (check.resolved ? kResolvedShare : kUnresolvedShare) * moved;
  const double losses = a[kNormalLoss] + a[kFrictionWork] - (a[kBristleStored] - a[kSpinStored]) +
                        a[kSpinningWork] - a[kSpinStored] + a[kRollingLoss];
  const double balance = check.gain + a[kBristleStored] + losses;
  if (!check.resolved) {
    check.numerical = -balance;
  } else if (stored.potential + after.potential > 0.0) {
    check.error = balance;
    const int power = tools.world->tableau->order + 1;
    check.allowed_error =
        (kSmoothShare * std::pow(scratch.fastest * planned, power) + kOtherShare) * moved +
        tools.world->scene.engine.tolerance * (stored.potential + after.potential);
  }
  return check;
}

void AddToLedger(const EnergyCheck& check, const StageScratch& scratch, EnergyLedger* ledger) {
  for (std::size_t q = 0; q < kQuadratures; ++q) ledger->work[q] += scratch.a[q];
  ledger->elastic += check.elastic;
  ledger->numerical += check.numerical;
}

}  // namespace intervox::host
