#include "host/simulation/event.h"

#include <cmath>

#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** An onset is located to within this share of the step, and of the contact's own time 1/ω. What a
 contact misses by beginning late by τ is a share (ωτ)² of the impact's energy. */
constexpr double kOnsetShare = 1e-4;
constexpr double kOnsetPhase = 2e-3;
/** A change of the grouping, at which forces jump, is located to this share of the step. */
constexpr double kRegroupShare = 1e-3;
/** Guesses at an onset are late by this share of the time since it, and more after a miss. */
constexpr double kLate = 0.02;
/** What two overlaps tell of the power with which V grows is trusted up to here: 3 is a corner's,
 more is that of a body which other contacts slow down or turn. */
constexpr double kMostPower = 30.0;

/** Looks for contacts that have begun, and fast, since the accepted state, and overlap now. */
void DetectOnsets(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch,
                  Event* event) {
  for (const Contact& contact : scratch.patches.contacts) {
    if (contact.phase != ContactPhase::kProvisional || !contact.has_normal || contact.pairs == 0) {
      continue;
    }
    const double speed = OnsetSpeed(*tools.world, group, contact.body_i, contact.body_j);
    if (!(ApproachVelocity(group, contact) < -speed)) continue;
    event->onset = true;
    // The last stage's velocities: other contacts have acted until now.
    const StageBody& i = scratch.bodies[static_cast<std::size_t>(contact.body_i)];
    const StageBody& j = scratch.bodies[static_cast<std::size_t>(contact.body_j)];
    const PatchGeometry& at = contact.geometry;
    const Vec3 v_c = i.v + Cross(i.w, at.p_WC - i.p_WM) - j.v - Cross(j.w, at.p_WC - j.p_WM);
    const double V_rate = -Dot(at.S, v_c) - Dot(at.G, i.w - j.w);
    if (V_rate > 0) event->age = std::fmax(event->age, at.V / V_rate);
    event->frequency = std::fmax(event->frequency, Frequency(*tools.world, group, contact));
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

/** Where on the way through the trial in the scratch the grouping changes, to `enough` [s]: one
 look a guess, where a trial takes four. */
double RegroupingOnPath(const StageTools& tools, const BodyGroup& group, Substep substep,
                        double enough, StageScratch* scratch) {
  const TrialPath path(group, substep.length, *scratch);
  double low = 0.0, high = substep.length;
  while (high - low > enough) {
    substep.length = 0.5 * (low + high);
    GroupStage stage(tools, group, substep, scratch);
    stage.LoadState();
    scratch->x = path.At(substep.length);
    stage.LookAtEnd();
    const bool regroups =
        Regroups(scratch->patches, scratch->active, scratch->grouping, &scratch->grouping_scratch);
    (regroups ? high : low) = substep.length;
  }
  return high;
}

}  // namespace

Event TrySubstep(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                 StageScratch* scratch) {
  GroupStage stage(tools, group, substep, scratch);
  stage.LoadState();
  stage.LoadFirstStage();
  stage.FindStiffBodies();
  integrators::PartitionedStepper& stepper =
      substep.dissipative ? scratch->dissipative_stepper : scratch->stepper;
  stepper.Step(stage, substep.start, substep.length, scratch->x, scratch->y, scratch->a);
  stage.LookAtEnd();
  Event event;
  DetectOnsets(tools, group, *scratch, &event);
  event.regroups =
      Regroups(scratch->patches, scratch->active, scratch->grouping, &scratch->grouping_scratch);
  return event;
}

double LocateEvent(const StageTools& tools, const BodyGroup& group, Substep substep, Event event,
                   int* probes, StageScratch* scratch) {
  const double step = tools.world->step;
  const auto attempt = [&](double length, bool await_onset) {
    substep.length = length;
    substep.await_onset = await_onset;
    return TrySubstep(tools, group, substep, scratch);
  };
  double low = 0.0, high = substep.length, at = high;
  double power = 1.0;   // p, as seen so far
  double missed = 0.0;  // by how much the next guess is moved on, as a share of the age
  const auto found = [&] {
    double enough = kOnsetShare * step;
    if (event.frequency > 0.0) enough = std::fmin(enough, kOnsetPhase / event.frequency);
    const double age = power * event.age;
    // Older than its first sight: it had belonged to another contact, or was lost in the tolerance.
    const bool parted = event.regroups || age > 2.0 * (high - low);
    return high - low <= (parted ? kRegroupShare * step : enough) ||
           (!event.regroups && age <= enough);
  };
  if (event.regroups && !found() && *probes > 0) {
    // One trial tells whether the guess holds.
    const double guess = RegroupingOnPath(tools, group, substep, kRegroupShare * step, scratch);
    at = guess;
    --*probes;
    const Event seen = attempt(guess, true);
    if (seen.Happened()) {
      low = std::fmax(0.0, guess - kRegroupShare * step);
      high = guess;
      event = seen;
    } else {
      low = guess;
    }
  }
  for (; !found() && *probes > 0; --*probes) {
    const double age = power * event.age;
    double guess = 0.5 * (low + high);
    if (!event.regroups && missed > 0.0) {
      guess = std::fmin(guess, low + missed * age);
    } else if (!event.regroups && high - age > low) {
      guess = high - (1.0 - kLate) * age;
    }
    at = guess;
    const Event seen = attempt(guess, true);
    if (seen.Happened()) {
      if (event.age > seen.age && seen.age > 0.0) {
        power = std::fmin((high - guess) / (event.age - seen.age), kMostPower);
      }
      high = guess;
      event = seen;
      missed = 0.0;
    } else {
      low = guess;
      missed = std::fmax(kLate, 4.0 * missed);
    }
  }
  const bool late = !found();
  if (late || at != high) attempt(high, !late);
  return high;
}

}  // namespace intervox::host
