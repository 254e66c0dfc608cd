#include "host/simulation/adaptive_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "host/contact/parameters.h"
#include "host/simulation/adaptive_rates.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/energy_guard.h"
#include "host/simulation/group_step.h"
#include "host/simulation/passivity.h"
#include "host/simulation/substep_plan.h"

namespace intervox::host {
namespace {

/** Events of a step that are located; more are taken where the method has come to. */
constexpr int kMostEvents = 400;
/** Times nearer than this share of a step are the same, and so is an event. */
constexpr double kSameTime = 1e-9;
/** What happens within this share of a step after an event is taken at its end: groupings may come
 and go. */
constexpr double kQuiet = 1e-4;
/** Internal steps of a step before it is given up. */
constexpr int kMostSteps = 1000000;
/** How often what gains energy is done again, and with how much of the tolerance. */
constexpr int kMostRedone = 6;
constexpr double kTighter = 0.1;
/** From this time on its steps resolve the contacts as well: what the law itself makes, without a
 potential, is then known, and no gain of the method. */
constexpr int kResolvedFrom = 2;
/** ω times a step that resolves a contact. */
constexpr double kResolvedPhase = 0.4;
/** What an interval may gain, as a share of what moves. Errors of methods have both signs, so what
 gains is done again until its gain is nothing. */
constexpr double kAllowedGain = 1e-9;
/** And what it may lose that neither friction nor damping took. Loose tolerances let fast modes
 vibrate, which the method damps and dampers and integrals take for motion. */
constexpr double kAllowedLoss = 1e-2;
/** What laws remember and what bounds passive contacts is moved on after this much of the fastest
 contact's phase, or of a step in tenths of it. */
constexpr double kRemembers = 0.1;
/** The cosine of the angle by which a normal may turn before bristles take on new axes. */
constexpr double kTurnCosine = 0.9950041652780258;  // 0.1 rad

/** An interval over which a method went without being interrupted. */
struct Interval {
  double length = 0.0;  ///< [s]
  int steps = 0;
  double phase = 0.0;    ///< largest ω of a contact times the step in which it had it
  double fastest = 0.0;  ///< largest ω of a contact [rad/s]
  bool by_event = false;
  std::vector<std::pair<std::int64_t, double>> peaks;  ///< forces on the way, by impact [N]
};

/** The number of steps that are left, and how accurate they are to be. */
struct Effort {
  double tolerance = 0.0;
  int steps = kMostSteps;
  int events = kMostEvents;
  double longest = HUGE_VAL;      ///< step [s]
  double first = 0.0;             ///< guess of an interval's first step; 0: none [s]
  double last_event = -HUGE_VAL;  ///< [s]
};

/** Whether a contact has begun or ended, or the grouping has changed, since the accepted state. */
bool SeesEvent(const BodyGroup& group, StageScratch* looked) {
  const std::vector<Contact>& now = looked->patches.contacts;
  for (std::size_t c = 0; c < now.size(); ++c) {
    const bool is_new = c >= group.patches.contacts.size();
    if (is_new && now[c].has_normal && now[c].pairs > 0) return true;
    if (!is_new && group.patches.contacts[c].pairs > 0 && now[c].pairs == 0) return true;
  }
  return Regroups(looked->patches, looked->active, looked->grouping, &looked->grouping_scratch);
}

/** One interval from the group's accepted state. Its end is left in the scratch as a trial. */
class IntervalMaker {
 public:
  IntervalMaker(const StageTools& tools, double end, const BodyGroup& group, Effort* effort,
                StageScratch* scratch)
      : tools_(tools),
        group_(group),
        effort_(*effort),
        scratch_(*scratch),
        substep_{group.time, end - group.time, false, false, true},
        rates_(tools, group, substep_, &OwnScratch(tools, scratch)),
        end_(end) {}

  Interval Make();

 private:
  static StageScratch& OwnScratch(const StageTools& tools, StageScratch* scratch) {
    if (!scratch->rates) scratch->rates = std::make_unique<StageScratch>(*tools.world->tableau);
    scratch->rates->followed.clear();
    return *scratch->rates;
  }

  bool LookAt(double t, std::span<const double> all);
  double FindEvent(double low, double high);
  bool MustStop(const Interval& interval) const;
  void Note(double step, Interval* interval);
  void Finish(double t);
  [[noreturn]] void Fail(const integrators::AdaptiveFailure& failure) const;

  const StageTools& tools_;
  const BodyGroup& group_;
  Effort& effort_;
  StageScratch& scratch_;
  Substep substep_;
  GroupRates rates_;
  double end_;
  std::optional<integrators::AdaptiveStepper> stepper_;
  std::vector<double> all_, rate_;
};

/** Looks at contacts where the method is at t; whether there is an event. */
bool IntervalMaker::LookAt(double t, std::span<const double> all) {
  const Substep until{group_.time, t - group_.time, false, false, false};
  GroupStage look(tools_, group_, until, &scratch_);
  look.LoadState();
  rates_.Split(all, &scratch_);
  look.LookAtEnd();
  return SeesEvent(group_, &scratch_);
}

/** The earliest time at which the event that is seen at `high` is seen, and not at `low`. */
double IntervalMaker::FindEvent(double low, double high) {
  std::vector<double> there(all_.size());
  while (high - low > kSameTime * tools_.world->step) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low) || !(middle < high)) break;
    stepper_->At(middle, there);
    (LookAt(middle, there) ? high : low) = middle;
  }
  stepper_->At(high, all_);
  return high;
}

/** Whether something that only accepted states may change has to, where the method is now. */
bool IntervalMaker::MustStop(const Interval& interval) const {
  const double lasts = stepper_->Time() - group_.time;
  const bool is_due = lasts * interval.fastest > kRemembers || 10.0 * lasts > tools_.world->step;
  if (is_due && LacksEnergy(tools_, group_, scratch_)) return true;
  const GroupRules rules(*tools_.world, group_);
  for (std::size_t c = 0; c < group_.patches.contacts.size(); ++c) {
    const Contact& contact = scratch_.patches.contacts[c];
    if (!contact.active) continue;
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (is_due && model.normal->Remembers()) return true;
    if (Dot(contact.geometry.n, contact.n_accepted) < kTurnCosine) return true;
  }
  return false;
}

/** Takes down what an internal step has come to. */
void IntervalMaker::Note(double step, Interval* interval) {
  rate_.resize(all_.size());
  rates_.Rate(stepper_->Time(), std::span(all_).first(all_.size() - rates_.Quadratures()), rate_);
  rates_.KeepLatches();
  for (const Contact& contact : scratch_.rates->patches.contacts) {
    if (contact.impact != -1) interval->peaks.emplace_back(contact.impact, contact.f_n);
  }
  const double fastest = rates_.TakeFastest();
  interval->fastest = std::fmax(interval->fastest, fastest);
  interval->phase = std::fmax(interval->phase, step * fastest);
}

/** Leaves the trial that ends at t, where all_ is, in the scratch. */
void IntervalMaker::Finish(double t) {
  const Substep until{group_.time, t - group_.time, false, false, false};
  GroupStage last(tools_, group_, until, &scratch_);
  last.LoadState();
  rates_.Split(all_, &scratch_);
  last.ProjectJoints();
  last.LookAtEnd();
  for (std::size_t c = 0; c < group_.patches.contacts.size(); ++c) {
    scratch_.patches.contacts[c].latch = scratch_.rates->base_latches[c];
  }
}

void IntervalMaker::Fail(const integrators::AdaptiveFailure& failure) const {
  std::string contacts;
  for (const StageContact* acting : scratch_.rates->contacts) {
    const StageContact& contact = *acting;
    const auto name = [&](int b) {
      return tools_.world->scene
          .bodies[static_cast<std::size_t>(group_.bodies[static_cast<std::size_t>(b)])]
          .name;
    };
    if (contacts.size() > 200) break;
    contacts += (contacts.empty() ? " Contacts: " : ", ") + name(contact.body_i) + " and " +
                name(contact.body_j) + " with " + NumberText(contact.f_n, 4) + " N";
  }
  throw std::runtime_error("t = " + NumberText(failure.time(), 9) + " s: the method " +
                           tools_.world->scene.integrator.method +
                           " cannot go on: " + failure.what() + ". What errs most is " +
                           rates_.NameOf(failure.state()) + "." + contacts +
                           ". Use a larger integrator.tolerance, another method, or ark3.");
}

Interval IntervalMaker::Make() {
  Interval interval;
  all_ = rates_.Start();
  const double longest =
      std::fmin(effort_.longest, LongestByThickness(tools_, group_, end_ - group_.time));
  const integrators::AdaptiveTask task{
      group_.time, end_, longest, effort_.first, effort_.tolerance, rates_.Quadratures()};
  stepper_.emplace(*tools_.adaptive, task, rates_, all_);
  rates_.TakeFastest();
  double t = group_.time;
  for (bool stop = false; t < end_ && !stop;) {
    try {
      if (--effort_.steps < 0) {
        throw integrators::AdaptiveFailure(
            "it has taken " + std::to_string(kMostSteps) + " steps within one of the scene's", t,
            0);
      }
      stepper_->Step();
    } catch (const integrators::AdaptiveFailure& failure) {
      // From a new beginning it may go on; without having moved it does not.
      if (interval.steps == 0) Fail(failure);
      break;
    }
    ++interval.steps;
    const double before = t;
    t = stepper_->Time();
    stepper_->At(t, all_);
    const bool quiet = t - effort_.last_event < kQuiet * tools_.world->step && t < end_;
    if (LookAt(t, all_) && !quiet) {
      interval.by_event = stop = true;
      interval.phase = std::fmax(interval.phase, (t - before) * rates_.TakeFastest());
      if (--effort_.events >= 0) t = FindEvent(before, t);
      effort_.last_event = t;
    } else {
      Note(t - before, &interval);
      stop = MustStop(interval);
    }
  }
  interval.length = t - group_.time;
  effort_.first = interval.by_event ? 0.0 : stepper_->LastStep();
  Finish(t);
  return interval;
}

void AddCounters(StageScratch* from, StageScratch* to) {
  to->counters.stages += from->counters.stages;
  to->counters.active_pairs += from->counters.active_pairs;
  to->counters.solver_iterations += from->counters.solver_iterations;
  to->counters.unconverged_stages += from->counters.unconverged_stages;
  to->finder.counters.queries += from->finder.counters.queries;
  to->finder.counters.failures += from->finder.counters.failures;
  from->counters = {};
  from->finder.counters = {};
}

}  // namespace

void StepAdaptively(const StageTools& tools, double end, BodyGroup* group, StageScratch* scratch) {
  Effort effort;
  while (group->time < end) {
    const double until = NextCut(tools, *group, end);
    effort.tolerance = tools.world->scene.integrator.tolerance;
    effort.longest = HUGE_VAL;
    for (int redone = 0;; ++redone) {
      const Interval interval = IntervalMaker(tools, until, *group, &effort, scratch).Make();
      AddCounters(scratch->rates.get(), scratch);
      const Substep substep{group->time, interval.length, false, false, false};
      // So that ω times the interval tells whether its steps resolve the contacts.
      scratch->fastest = interval.length > 0.0 ? interval.phase / interval.length : 0.0;
      EnergyCheck check = CheckEnergy(tools, *group, substep, interval.length, scratch);
      const double enough = std::fmax(check.rounding, kAllowedGain * check.moved);
      // Bristles count as well: at loose tolerances what friction stores errs.
      double risen = check.balance;
      for (const double loss : LossesOf(scratch->a)) risen -= loss;
      const bool gains =
          check.Gains() || check.GainsInAll() || std::fmax(check.gain, risen) > enough;
      const bool loses = !(check.balance >= -kAllowedLoss * check.moved);
      if ((gains || loses) && redone < kMostRedone) {
        ++scratch->counters.redone_substeps;
        effort.tolerance *= kTighter;
        if (redone + 1 >= kResolvedFrom && interval.fastest > 0.0) {
          effort.longest = std::fmin(effort.longest, kResolvedPhase / interval.fastest);
        }
        effort.first = 0.0;
        continue;
      }
      check.accepted_gain = check.Gains() || check.GainsInAll();
      const double t = group->time + interval.length;
      scratch->counters.substeps += interval.steps - 1;
      for (const auto& peak : interval.peaks) group->peaks.push_back(peak);
      CommitSubstep(tools, substep, std::fabs(t - end) <= kSameTime * tools.world->step ? end : t,
                    check, group, scratch);
      break;
    }
  }
}

}  // namespace intervox::host
