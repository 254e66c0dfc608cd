#include "host/simulation/group_step.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "host/simulation/accept.h"
#include "host/simulation/adaptive_step.h"
#include "host/simulation/arrest.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/event.h"
#include "host/simulation/joint_steps.h"
#include "host/simulation/late_onset.h"
#include "host/simulation/passivity.h"
#include "host/simulation/substep_plan.h"
#include "host/simulation/sudden_points.h"

namespace intervox::host {
namespace {

/** Substeps of a step before its rest becomes dissipative, and before its rest is taken as it
 comes. */
constexpr int kBudget = 120;
constexpr int kMostSubsteps = 4000;
/** Substeps of a step in which bodies that fly or turn may cut it. */
constexpr int kMostCuts = 4000;
/** What the first few onsets of a step add to its budget: an impact takes some fifty substeps, and
 must not be left to a dissipative one because others have moved before it. */
constexpr int kBudgetOfOnset = 60;
constexpr int kMostBudgeted = 2;
/** Events located in one step, and trials spent on finding them. */
constexpr int kMostEvents = 20;
constexpr int kMostProbes = 40;
/** How often a substep that gains energy is halved. */
constexpr int kMostHalvings = 24;
/** How often one is halved in which passive contacts give more than they have. */
constexpr int kMostOverdraws = 5;
/** How often a substep at whose end joints do not close is halved. */
constexpr int kMostClosings = 8;
/** Trials of a step that are made because one errs at a kink of a force. */
constexpr int kMostRefinements = 40;
/** The same, and the budget, of bodies in joints: light ones between heavy ones whip round in a few
 hundredths of a step. */
constexpr int kMostJointRefinements = 1000;
constexpr int kJointBudget = 600;
/** A substep is done again where a contact that it follows has turned out to be this much faster
 than the plan took it to be: its frequency grows with the depth in ways that moments do not tell.
 */
constexpr double kFaster = 2.0;
/** The error of a resolved substep falls with a power of its length. What after so many halvings is
 still above this share for each of them is not an error of the substep but made by a law. */
constexpr int kHalvingsForLaw = 3;
constexpr double kShareForLaw = 0.4;
/** A gain that halving does not help against is accepted, and told, up to this many times what a
 substep may gain. Beyond, the group is arrested instead, and has so many substeps to go on with;
 after so many arrests it rests until the step's end. */
constexpr double kAcceptable = 30.0;
constexpr int kSubstepsAfterArrest = 200;
constexpr int kMostArrests = 3;
/** What points gain that are deep of a sudden is taken where it is this share of what moves, though
 a substep may gain more: bodies may gain 1e-3 since the start, and an impact takes some hundred
 substeps. What is taken below that would be the scheme's own error, of either sign. */
constexpr double kSudden = 1e-5;
/** Half a substep that gains at least this share of what the whole did has a jump of the energy. */
constexpr double kPersists = 0.9;
/** A dissipative substep that gains energy is halved down to this share of the step. Below, its
 bodies are slowed down by what it gains. */
constexpr double kSlowable = 1.0 / 32;
/** Times nearer than this share of a step are the same. What still gains energy in so short a
 substep is a jump, as where rounding decides which of two overlaps is there, and no substep is
 short enough. */
constexpr double kSameTime = 1e-9;

void CheckFinite(const StageTools& tools, const BodyGroup& group) {
  for (const int body : group.free) {
    const auto b = static_cast<std::size_t>(body);
    const RigidBody& rigid = group.state[b];
    const double sum = SquaredNorm(rigid.momentum) + SquaredNorm(rigid.spin) +
                       SquaredNorm(rigid.p_WM) + rigid.q_WB.w;
    if (!std::isfinite(sum)) {
      throw std::runtime_error(
          "t = " + std::to_string(group.time) + " s: the state of body " +
          tools.world->scene.bodies[static_cast<std::size_t>(group.bodies[b])].name +
          " is no longer finite. Use a smaller step, or an implicit method.");
    }
  }
}

}  // namespace

double NextCut(const StageTools& tools, const BodyGroup& group, double end) {
  const double same = kSameTime * tools.world->step;
  double next = end;
  for (const int body : group.bodies) {
    const auto& cuts = tools.load_times[static_cast<std::size_t>(body)];
    const auto at = std::upper_bound(cuts.begin(), cuts.end(), group.time + same);
    if (at != cuts.end() && *at < next - same) next = *at;
  }
  return next;
}

void CommitSubstep(const StageTools& tools, const Substep& substep, double t,
                   const EnergyCheck& check, BodyGroup* group, StageScratch* scratch) {
  RequireClosed(tools, *scratch, t, group);
  ++scratch->counters.substeps;
  if (substep.dissipative) ++scratch->counters.dissipative_substeps;
  if (check.accepted_gain) {
    ++scratch->counters.gaining_substeps;
    group->gains.push_back({t, group->bodies[static_cast<std::size_t>(check.body)], check.gain});
  }
  AddToLedger(check, *scratch, group);
  if (!check.by_stages) BookWhatLawsGave(tools, *scratch, group);
  ChargeFoundations(tools, check, *group, substep.length, scratch);
  AcceptSubstep(tools, substep, t, group, scratch);
  CheckFinite(tools, *group);
}

namespace {

/** One step: what is left of the budgets, and how long a dissipative substep may be. */
struct StepProgress {
  int substeps = 0;  ///< of bodies that touch
  int cuts = 0;      ///< all substeps
  int events = 0;
  int probes = kMostProbes;
  int refinements = kMostRefinements;
  double smooth = 1e300;   ///< substep of bodies in joints that erred little last, doubled [s]
  double longest = 1e300;  ///< dissipative substep that gained nothing last, doubled [s]
  int arrests = 0;
  bool by_law = false;  ///< a law makes energy: shorter substeps do not help
};

/** Takes what a trial errs by from the motion of the bodies that touch: with its losses, or at
 least what it gains beyond them. */
bool TakeGain(const BodyGroup& group, const EnergyCheck& check, StageScratch* scratch) {
  return (check.balance > check.gain && SlowDown(group, check.balance, scratch)) ||
         SlowDown(group, check.gain, scratch);
}

/** Whether a gain that the substep alone may have has added up with others, by laws that have no
 potential: it is taken from the motion, as shorter substeps do not help. */
bool IsLawsOwn(const BodyGroup& group, const EnergyCheck& check) {
  return check.resolved && !check.Gains() && check.allowed_error == 0.0 && group.joints.empty();
}

/** Whether a substep is short against the time in which dampers stop what presses on them. The
 first stage takes their forces as they are: beyond, it would push bodies off. */
bool ResolvesDampers(const StageTools& tools, const BodyGroup& group, double length) {
  constexpr double kDamped = 1.0;
  const std::vector<Contact>& contacts = group.patches.contacts;
  return std::all_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
    return DampingRate(*tools.world, group, contact) * length <= kDamped;
  });
}

/** Halves a substep that is to be done again, with backward Euler where it resolves nothing. */
void Halve(bool resolved, Substep* substep, StepProgress* progress, StageScratch* scratch) {
  ++scratch->counters.redone_substeps;
  substep->length *= 0.5;
  if (resolved) return;
  substep->dissipative = true;
  progress->longest = 2.0 * substep->length;
}

/** Makes a trial substep that gains no energy, cut at its first event. */
Substep FindSubstep(const StageTools& tools, const SubstepPlan& plan, const BodyGroup& group,
                    StepProgress* progress, StageScratch* scratch, EnergyCheck* check) {
  Substep substep{group.time, plan.length, plan.dissipative, false};
  if (plan.dissipative) substep.length = std::fmin(substep.length, progress->longest);
  if (!group.joints.empty()) substep.length = std::fmin(substep.length, progress->smooth);
  substep.await_onset = progress->events < kMostEvents && progress->probes > 0;
  const bool has_laws = group.joints.empty() || !group.patches.contacts.empty();
  double first_gain = 0.0, last_gain = 0.0;
  for (int halvings = 0;; ++halvings) {
    const Event event = TrySubstep(tools, group, substep, scratch);
    if (scratch->joint_miss > kJointTolerance && halvings < kMostClosings) {
      substep.length *= 0.5;
      continue;
    }
    const double phase = scratch->fastest_followed * substep.length;
    if (!substep.dissipative && phase > kFaster * kPhase && progress->substeps < kBudget) {
      substep.length *= kPhase / phase;
      continue;
    }
    if (substep.await_onset && CutsStep(group, event)) {
      ++progress->events;
      substep.length = LocateEvent(tools, group, substep, event, &progress->probes, scratch);
    }
    if (StepsPastOnsets(group) && !scratch->diverged) {
      BeginLateContacts(tools, group, substep.length, scratch);
    }
    *check = CheckEnergy(tools, group, substep, plan.length, scratch);
    bool gains = check->Gains() || check->GainsInAll();
    const bool overdraws = check->Overdraws() && halvings < kMostOverdraws;
    if (!gains && ((!check->Errs() && !overdraws) || progress->refinements-- <= 0)) {
      progress->smooth = 2.0 * substep.length;
      if (check->IsUnbacked() && group.joints.empty() && SlowDown(group, check->gain, scratch)) {
        *check = CheckEnergy(tools, group, substep, plan.length, scratch);
        ++scratch->counters.slowed_substeps;
      }
      if (check->resolved && check->gain > kSudden * check->moved &&
          TakeFromSuddenPoints(tools, group, check->gain, scratch)) {
        *check = CheckEnergy(tools, group, substep, plan.length, scratch);
      }
      return substep;
    }
    const bool persists = halvings > 0 && check->gain > kPersists * last_gain;
    const bool falls = halvings > 0 && check->gain <= kShareForLaw * last_gain;
    last_gain = check->gain;
    const bool is_sudden =
        gains && persists && TakeFromSuddenPoints(tools, group, check->gain, scratch);
    if (is_sudden) {
      *check = CheckEnergy(tools, group, substep, plan.length, scratch);
      gains = check->Gains() || check->GainsInAll();
      if (!gains) return substep;
    }
    if (gains && substep.dissipative && group.joints.empty() &&
        substep.length <= kSlowable * tools.world->step && TakeGain(group, *check, scratch)) {
      *check = CheckEnergy(tools, group, substep, plan.length, scratch);
      ++scratch->counters.slowed_substeps;
      return substep;
    }
    if (halvings == 0) first_gain = check->gain;
    // What sudden points do within a substep, before it is taken from them, falls with its length.
    if (has_laws && check->resolved && !is_sudden && halvings == kHalvingsForLaw &&
        check->gain > std::pow(kShareForLaw, kHalvingsForLaw) * first_gain) {
      progress->by_law = gains;
    }
    // Small gains that have added up: shorter substeps help soon or not at all.
    if (has_laws && !check->Gains() && !falls && !is_sudden && halvings >= kHalvingsForLaw) {
      progress->by_law = gains;
    }
    const bool jumps = gains && substep.length <= kSameTime * tools.world->step;
    if (((check->resolved || !check->Gains()) && progress->by_law) || halvings >= kMostHalvings ||
        progress->substeps > kMostSubsteps || jumps) {
      // Points that weigh more as their bodies turn gain in proportion to a substep's length.
      if (gains && TakeFromSuddenPoints(tools, group, check->gain, scratch)) {
        *check = CheckEnergy(tools, group, substep, plan.length, scratch);
        gains = check->Gains() || check->GainsInAll();
      }
      if (gains && IsLawsOwn(group, *check) && TakeGain(group, *check, scratch)) {
        *check = CheckEnergy(tools, group, substep, plan.length, scratch);
        ++scratch->counters.slowed_substeps;
        gains = check->Gains() || check->GainsInAll();
      }
      check->accepted_gain = gains;
      check->hopeless = gains && !(check->gain <= kAcceptable * check->allowed);
      return substep;
    }
    const bool resolved = check->resolved && ResolvesDampers(tools, group, substep.length);
    Halve(resolved, &substep, progress, scratch);
  }
}

/** Arrests the group where only a large gain would go on, and makes room for what follows. After
 several arrests it rests until `end`. */
void GiveUp(const StageTools& tools, const EnergyCheck& check, double end, BodyGroup* group,
            StepProgress* progress, StageScratch* scratch) {
  const double taken = Arrest(tools, group, scratch);
  ++scratch->counters.arrests;
  group->arrests.push_back(
      {group->time, group->bodies[static_cast<std::size_t>(check.body)], taken});
  if (++progress->arrests >= kMostArrests) {
    group->time = end;
    SetVelocities(*tools.world, group);
    return;
  }
  progress->substeps = kMostSubsteps - kSubstepsAfterArrest;
  progress->longest = 1e300;
  progress->by_law = false;
}

void StepImplicitly(const StageTools& tools, double end, BodyGroup* group, StageScratch* scratch) {
  const double same = kSameTime * tools.world->step;
  StepProgress progress;
  const bool joined = !group->joints.empty();
  if (joined) progress.refinements = kMostJointRefinements;
  const int without_onsets = joined ? kJointBudget : kBudget;
  while (group->time < end) {
    const double left = NextCut(tools, *group, end) - group->time;
    if (joined && progress.substeps >= kMostSubsteps) {
      RefuseJammed(tools, *scratch, *group, progress.substeps);
    }
    const double least = ++progress.cuts < kMostCuts ? same : left;
    SubstepPlan plan = PlanSubstep(tools, *group, left, least, scratch);
    // Bodies in flight are cut for what they may meet.
    const bool flies = group->patches.contacts.empty() && !joined;
    const int budget = without_onsets + kBudgetOfOnset * std::min(progress.events, kMostBudgeted);
    if (!flies && ++progress.substeps > budget) {
      plan = {joined ? left : LengthByThickness(tools, *group, left, least), true};
    }
    if (plan.length * 1.5 > left && !plan.dissipative) plan.length = left;
    EnergyCheck check;
    const Substep substep = FindSubstep(tools, plan, *group, &progress, scratch, &check);
    if (check.hopeless) {
      GiveUp(tools, check, end, group, &progress, scratch);
      continue;
    }
    // Beyond the budget one tiny substep must not bind the rest of the step, which would not end.
    if (progress.substeps > budget) {
      progress.longest = std::fmax(progress.longest, 2.0 * substep.length);
    }
    double t = group->time + substep.length;
    if (std::fabs(t - end) <= same) t = end;
    CommitSubstep(tools, substep, t, check, group, scratch);
  }
}

}  // namespace

void StepGroup(const StageTools& tools, double end, BodyGroup* group, StageScratch* scratch) {
  if (tools.adaptive != nullptr) {
    StepAdaptively(tools, end, group, scratch);
    ReadJoints(tools, group, scratch);
    return;
  }
  if (tools.IsImplicit()) {
    StepImplicitly(tools, end, group, scratch);
    ReadJoints(tools, group, scratch);
    return;
  }
  while (group->time < end) {
    const double left = NextCut(tools, *group, end) - group->time;
    const Substep substep{group->time, left, false, false};
    TrySubstep(tools, *group, substep, scratch);
    EnergyCheck check = CheckEnergy(tools, *group, substep, left, scratch);
    check.accepted_gain = check.Gains() || check.GainsInAll();
    check.elastic = ElasticChange(tools, *group, *scratch);
    check.by_stages = true;
    check.holders = scratch->a[kHolderWork];
    check.numerical = check.projected;
    const double t = group->time + left;
    CommitSubstep(tools, substep, std::fabs(t - end) <= kSameTime * tools.world->step ? end : t,
                  check, group, scratch);
  }
  ReadJoints(tools, group, scratch);
}

}  // namespace intervox::host
