// One step: onsets of contact are located, and the step is cut there.

#include <cmath>

#include "host/simulation/dynamics.h"

namespace intervox::host {
namespace {

/** Pieces of a step with an onset of contact, and how many steps after it are cut too. */
constexpr int kPieces = 4;
constexpr int kFineSteps = 3;
/** A piece that would be shorter than this share of kPieces' is joined to the next. */
constexpr double kShortPiece = 0.125;
/** How well an onset is located, as a share of the step: a contact that begins late by this begins
 with a share of the impact's energy of (ωh)² times its square, ω the contact's frequency. */
constexpr double kOnsetShare = 1e-4;
/** The same of a change of the grouping, at which forces jump: found by bisection. */
constexpr double kRegroupShare = 1e-3;
/** Events located in one step; contacts that begin later act from within their piece. */
constexpr int kMostEvents = 4;
/** Probes in one step: what bounds the time that a step can take. */
constexpr int kMostProbes = 10;
/** Guesses at an onset are late by this share of the time since it, and more after a miss. */
constexpr double kLate = 0.02;

/** What two overlaps tell of the power with which V grows is trusted up to here: 3 is a corner's,
 more is that of a body which other contacts slow down or turn. */
constexpr double kMostPower = 30.0;

}  // namespace

/** Looks for contacts that have begun, and fast, since the accepted state, and overlap now. */
void Dynamics::FindOnset(Event* event) const {
  for (const Contact& contact : patches_.contacts) {
    if (contact.phase != ContactPhase::kProvisional || !contact.has_normal || contact.pairs == 0)
      continue;
    if (!(ApproachVelocity(contact) < -kSlow)) continue;
    event->onset = true;
    // The last stage's velocities: other contacts have acted until now.
    const StageBody& i = stage_bodies_[static_cast<std::size_t>(contact.body_i)];
    const StageBody& j = stage_bodies_[static_cast<std::size_t>(contact.body_j)];
    const PatchGeometry& at = contact.geometry;
    const Vec3 v_c = i.v + Cross(i.w, at.p_WC - i.p_WM) - j.v - Cross(j.w, at.p_WC - j.p_WM);
    const double V_rate = -Dot(at.S, v_c) - Dot(at.G, i.w - j.w);
    if (V_rate > 0) event->age = std::fmax(event->age, at.V / V_rate);
  }
}

/** What has happened by the end of Advance(h) that the step is to be cut for. */
Dynamics::Event Dynamics::Look(double h) {
  PlaceDriven(now_ + h);
  PlaceFree(x_);
  end_pairs_ = FindPairs();
  Evaluate(rules_, end_pairs_, slots_, &patches_, &patch_scratch_);
  Event event;
  FindOnset(&event);
  Group(rules_, end_pairs_, &patch_scratch_, &grouping_);
  event.regroups = Regroups(patches_, end_pairs_, grouping_, &patch_scratch_);
  return event;
}

/** Advance(h) and Look(h) from the accepted state, whatever has been tried before. */
Dynamics::Event Dynamics::Try(double h, bool await_onset) {
  patches_ = saved_patches_;
  await_onset_ = await_onset;
  Advance(h);
  await_onset_ = false;
  return Look(h);
}

/** The first event within the h after the accepted state, by whose end `event` has been seen: a
 time just after it, from the accepted state on. The vectors are those of Advance by that time.

 While an onset is awaited, the motion up to it does not depend on where it is sought. Near it a
 contact has V ~ (t − t*)^p, so V/V̇ is (t − t*)/p with p = 1 for a face, 2 for an edge and 3 for a
 corner: Newton's step from one overlap does not reach beyond t* unless others slow the bodies down,
 and two overlaps tell p. Guesses come a little late, so that the next look sees an overlap as well.
 A change of grouping is found by bisection. `probes` is what may be spent, and what is left:
 without any, the motion up to the last guess is done with contacts that act at once. */
double Dynamics::Locate(double h, Event event, int* probes) {
  const double step = world_.step;
  double low = 0.0, high = h, at = h;
  double power = 1.0;   // p, as seen so far
  double missed = 0.0;  // by how much the next guess is moved on, as a share of the age
  const auto found = [&] {
    const double age = power * event.age;
    // Older than its first sight: it had belonged to another contact, or was lost in the tolerance.
    const bool parted = event.regroups || age > 2.0 * (high - low);
    return high - low <= (parted ? kRegroupShare : kOnsetShare) * step ||
           (!event.regroups && age <= kOnsetShare * step);
  };
  for (; !found() && *probes > 0; --*probes) {
    const double age = power * event.age;
    double guess = 0.5 * (low + high);
    if (!event.regroups && missed > 0.0) {
      guess = std::fmin(guess, low + missed * age);
    } else if (!event.regroups && high - age > low) {
      guess = high - (1.0 - kLate) * age;
    }
    at = guess;
    const Event seen = Try(guess, true);
    if (seen.onset || seen.regroups) {
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
  if (late || at != high) Try(high, !late);
  return high;
}

/** Steps to `end`, cut at events and after onsets. */
void Dynamics::Pieces(double end) {
  const double start = now_, h = world_.step, piece = h / kPieces;
  bool fine = memory_.fine_steps > 0;
  if (fine) --memory_.fine_steps;
  int probes = kMostProbes;
  for (int events = 0; now_ < end;) {
    double next = end;
    if (fine) {
      const int k = 1 + static_cast<int>((now_ - start) / piece + kShortPiece);
      if (k < kPieces) next = start + k * piece;
    }
    saved_patches_ = patches_;
    const bool locate = events < kMostEvents && probes > 0;
    const Event event = Try(next - now_, locate);
    if (locate && (event.onset || event.regroups)) {
      ++events;
      const double located = Locate(next - now_, event, &probes);
      if (located < next - now_) next = now_ + located;
    }
    if (event.onset) {
      fine = true;
      memory_.fine_steps = kFineSteps;
    }
    Commit(next);
  }
}

void Dynamics::Step() {
  const int last = world_.tableau->stages - 1;
  const double end = static_cast<double>(memory_.step + 1) * world_.step;
  if (world_.tableau->a_implicit[last][last] > 0) {
    Pieces(end);
  } else {
    Advance(world_.step);
    Look(world_.step);
    Commit(end);
  }
  ++memory_.step;
  ++memory_.counters.steps;
  for (const int index : world_.free_bodies) {
    const RigidBody& body = bodies_[static_cast<std::size_t>(index)];
    const Vec3 v_B = body.v + Cross(body.w, poses_[static_cast<std::size_t>(index)].p - body.p_WM);
    if (Norm(body.v) >= kSlow || Norm(v_B) >= kSlow) memory_.moving_until = time();
  }
  memory_.counters.pairs = finder_scratch_.counters.queries;
  memory_.counters.engine_failures = finder_scratch_.counters.failures + patches_.undefined_normals;
}

}  // namespace intervox::host
