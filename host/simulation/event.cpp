#include "host/simulation/event.h"

#include <cmath>

#include "host/contact/patch_depth.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/late_onset.h"

namespace intervox::host {
namespace {

/** An onset is located to within this share of the step and of the contact's own time 1/ω. What a
 contact misses by beginning late by τ is a share (ωτ)² of the impact's energy. */
constexpr double kOnsetShare = 1e-3;
constexpr double kOnsetPhase = 2e-3;
/** A change of the grouping, at which forces jump, is located to this share of the step. */
constexpr double kRegroupShare = 1e-3;
/** Guesses at an onset are late by this share of the time since it, and more after a miss. */
constexpr double kLate = 0.02;
/** Where a trial does not see an event as soon as its path says, it is first tried later by this
 share of the step, then by more. */
constexpr double kTrialLate = 4e-3;
/** Guesses on the way of a trial. */
constexpr int kMostLooks = 40;
/** What two overlaps tell of the power with which V grows is trusted up to here: 3 is a corner's,
 more is that of a body which other contacts slow down or turn. */
constexpr double kMostPower = 30.0;

/** Looks for contacts that have begun, and fast, since the accepted state, and overlap now, so long
 after it. */
void DetectOnsets(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch,
                  double length, Event* event) {
  for (const Contact& contact : scratch.patches.contacts) {
    if (contact.phase != ContactPhase::kProvisional || !contact.has_normal || contact.pairs == 0) {
      continue;
    }
    const double v_n = ApproachVelocity(group, contact);
    if (!BeginsFast(*tools.world, group, contact, v_n, length)) continue;
    event->onset = true;
    // The last stage's velocities: other contacts have acted until now.
    const StageBody& i = scratch.bodies[static_cast<std::size_t>(contact.body_i)];
    const StageBody& j = scratch.bodies[static_cast<std::size_t>(contact.body_j)];
    const PatchGeometry& at = contact.geometry;
    const Vec3 v_c = i.v + Cross(i.w, at.p_WC - i.p_WM) - j.v - Cross(j.w, at.p_WC - j.p_WM);
    const double V_rate = -Dot(at.S, v_c) - Dot(at.G, i.w - j.w);
    const double age = V_rate > 0 ? at.V / V_rate : 0.0;
    const double frequency = Frequency(*tools.world, group, contact);
    event->age = std::fmax(event->age, age);
    event->frequency = std::fmax(event->frequency, frequency);
    const double since = V_rate > 0 ? std::fmin(DepthPower(at, Norm(at.S)) * age, length) : length;
    event->phase = std::fmax(event->phase, frequency * since);
  }
}

/** The way of a group's free bodies through a trial substep: the cubics between its ends. */
class TrialPath {
 public:
  /** Of the trial that the scratch holds. */
  TrialPath(const BodyGroup& group, double length, const StageScratch& scratch)
      : length_(length), layout_{group.free.size(), 0}, end_(scratch.x) {
    for (std::vector<double>* part : {&start_, &start_rate_, &end_rate_}) {
      part->resize(layout_.PositionSize());
    }
    for (std::size_t f = 0; f < group.free.size(); ++f) {
      const auto b = static_cast<std::size_t>(group.free[f]);
      const RigidBody& body = group.state[b];
      const StageBody& last = scratch.bodies[b];
      WriteVec3(body.p_WM, StateLayout::Center(std::span(start_), f));
      StateLayout::SetTurn(body.q_WB, start_, f);
      WriteVec3(body.v, StateLayout::Center(std::span(start_rate_), f));
      StateLayout::SetTurn(QuaternionRate(body.w, body.q_WB), start_rate_, f);
      WriteVec3(last.v, StateLayout::Center(std::span(end_rate_), f));
      StateLayout::SetTurn(QuaternionRate(last.w, StateLayout::Turn(end_, f)), end_rate_, f);
    }
  }

  /** The positions at a time after the start, as the stepper's vector. */
  std::vector<double> At(double time) const {
    const double s = time / length_, r = 1.0 - s;
    std::vector<double> x(start_.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = r * r * ((1.0 + 2.0 * s) * start_[k] + s * length_ * start_rate_[k]) +
             s * s * ((1.0 + 2.0 * r) * end_[k] - r * length_ * end_rate_[k]);
    }
    return x;
  }

 private:
  double length_;
  StateLayout layout_;
  std::vector<double> start_, end_, start_rate_, end_rate_;
};

/** What has happened at the end of the trial, or where the bodies were looked at on its way. */
Event SeeEvent(const StageTools& tools, const BodyGroup& group, double length,
               StageScratch* scratch) {
  Event event;
  DetectOnsets(tools, group, *scratch, length, &event);
  // Where bodies are many, a patch that is grouped anew by a step late is nothing to all of them.
  event.regroups =
      !StepsPastOnsets(group) &&
      Regroups(scratch->patches, scratch->active, scratch->grouping, &scratch->grouping_scratch);
  return event;
}

/** A search for the first event: between a length without one and a length with one. */
struct EventSearch {
  double low = 0.0, high = 0.0;
  Event event;          ///< seen at `high`
  double power = 0.0;   ///< p, as seen so far; 0: not yet
  double missed = 0.0;  ///< by how much the next guess is moved on, as a share of the age
  double later = 0.0;  ///< by how much it is where a path has told of the event before; 0: none [s]
  bool past = false;   ///< onsets may be stepped past

  /** The time since the onset by its age, as far as p is known [s]. */
  double Since() const { return (power > 0.0 ? power : 1.0) * event.age; }
};

/** How near to an onset is near enough [s]. */
double EnoughFor(const EventSearch& search, double step) {
  const Event& event = search.event;
  if (search.past) return event.frequency > 0.0 ? kLatePhase / event.frequency : step;
  const double share = kOnsetShare * step;
  return event.frequency > 0.0 ? std::fmin(share, kOnsetPhase / event.frequency) : share;
}

/** Whether `high` is near enough to the event. */
bool IsFound(const EventSearch& search, double step) {
  if (search.past && search.event.phase <= kLatePhase) return true;
  const double enough = EnoughFor(search, step);
  const double age = search.Since(), span = search.high - search.low;
  // Older than its first sight: it had belonged to another contact, or was lost in the tolerance.
  const bool parted = search.event.regroups || age > 2.0 * span;
  return span <= (parted ? kRegroupShare * step : enough) ||
         (!search.event.regroups && age <= enough);
}

/** Where to look next, between `low` and `high`. */
double NextGuess(const EventSearch& at, double step) {
  const double halfway = 0.5 * (at.low + at.high);
  if (at.later > 0.0) return std::fmin(halfway, at.low + at.later);
  if (at.event.regroups) return halfway;
  const double age = at.Since(), enough = EnoughFor(at, step);
  if (at.missed > 0.0) return std::fmin(halfway, at.low + at.missed * age);
  // Late by half of what is enough: at an overlap of next to nothing rounding would speak.
  if (at.high - age > at.low) return at.high - age + std::fmax(kLate * age, 0.5 * enough);
  return at.power > 0.0 ? std::fmin(halfway, at.low + enough) : halfway;
}

/** Narrows the search by at most `most` guesses, which see(length) judges, and counts them off. */
template <class See>
void Narrow(double step, const See& see, int* most, EventSearch* search) {
  EventSearch& at = *search;
  for (; !IsFound(at, step) && *most > 0; --*most) {
    const double guess = NextGuess(at, step);
    const Event seen = see(guess);
    if (seen.Happened()) {
      // What a path tells of the power it tells from nearer.
      if (at.event.age > seen.age && seen.age > 0.0 && !(at.later > 0.0 && at.power > 0.0)) {
        at.power = std::fmin((at.high - guess) / (at.event.age - seen.age), kMostPower);
      }
      at.high = guess;
      at.event = seen;
      at.missed = at.later = 0.0;
    } else {
      at.low = guess;
      at.missed = std::fmax(kLate, 4.0 * at.missed);
      at.later *= 4.0;
    }
  }
}

}  // namespace

bool CutsStep(const BodyGroup& group, const Event& event) {
  return event.Happened() && !(StepsPastOnsets(group) && event.phase <= kLatePhase);
}

Event TrySubstep(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                 StageScratch* scratch) {
  GroupStage stage(tools, group, substep, scratch);
  stage.LoadState();
  // Right after its plan the first stage is loaded already.
  if (scratch->first_length != substep.length) stage.LoadFirstStage();
  scratch->first_length = -1.0;
  stage.FindStiffBodies();
  stage.FindCarriedBodies();
  integrators::PartitionedStepper& stepper =
      substep.dissipative ? scratch->dissipative_stepper : scratch->stepper;
  stepper.Step(stage, substep.start, substep.length, scratch->x, scratch->y, scratch->a);
  stage.ProjectJoints();
  if (scratch->diverged) return {};
  stage.TurnFreeBodies();
  stage.LookAtEnd();
  return SeeEvent(tools, group, substep.length, scratch);
}

double LocateEvent(const StageTools& tools, const BodyGroup& group, Substep substep, Event event,
                   int* probes, StageScratch* scratch) {
  const double step = tools.world->step;
  EventSearch search{0.0, substep.length, event};
  search.past = StepsPastOnsets(group);
  double tried = substep.length;
  const auto attempt = [&](double length) {
    tried = substep.length = length;
    return TrySubstep(tools, group, substep, scratch);
  };
  if (!IsFound(search, step) && *probes > 0) {
    // A look on the trial's way takes a quarter of a trial, and one trial tells if it was right.
    const TrialPath path(group, substep.length, *scratch);
    const auto look = [&](double length) {
      substep.length = length;
      GroupStage stage(tools, group, substep, scratch);
      stage.LoadState();
      scratch->x = path.At(length);
      stage.LookAtEnd();
      return SeeEvent(tools, group, length, scratch);
    };
    EventSearch on_path = search;
    int looks = kMostLooks;
    Narrow(step, look, &looks, &on_path);
    --*probes;
    search.power = on_path.power;
    if (const Event seen = attempt(on_path.high); seen.Happened()) {
      // What the path says of the time before is no trial's word; a regrouping has no age.
      search.low = seen.regroups ? on_path.low : 0.0;
      search.high = on_path.high;
      search.event = seen;
    } else {
      search.low = on_path.high;
      search.later = kTrialLate * step;
    }
    Narrow(step, attempt, probes, &search);
  }
  const bool late = !IsFound(search, step);
  if (late || tried != search.high) {
    substep.await_onset = !late;
    attempt(search.high);
  }
  return search.high;
}

}  // namespace intervox::host
