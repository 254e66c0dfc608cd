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
/** How well an onset is located, as a share of the step. What is left of its kink at a piece's end
 changes a velocity by (ωh)² times this, ω the contact's frequency. */
constexpr double kOnsetShare = 1e-5;
/** The same of a change of the grouping, at which forces jump: found by bisection. */
constexpr double kRegroupShare = 2.5e-4;
/** Events located in one step; later ones fall where they fall. */
constexpr int kMostEvents = 4;
/** Probes in one step: what bounds the time that a step can take. */
constexpr int kMostProbes = 14;
/** Guesses at an onset are late by this share of the time since it. */
constexpr double kLate = 0.02;
/** Time since the onset over V/(|S| v_n): 1 for a face, 2 for an edge, 3 for a corner; no more. */
constexpr double kMostPower = 3.0;

}  // namespace

/** Whether a contact has begun, and fast, since the accepted state. `age` is the depth over the
 speed of those that overlap at the geometry evaluated last, the largest: how long ago one began,
 but for its power; 0 when none overlaps [s]. */
bool Dynamics::FoundOnset(double* age) const {
  bool found = false;
  *age = 0.0;
  for (const Contact& contact : patches_.contacts()) {
    if (!contact.provisional || !contact.has_normal) continue;
    const double speed = -ApproachVelocity(contact);
    if (!(speed > kSlow)) continue;
    found = true;
    if (contact.pairs == 0) continue;
    *age = std::fmax(*age, contact.geometry.V / (Norm(contact.geometry.S) * speed));
  }
  return found;
}

/** What happens by the end of Advance(h) that the step is to be cut for. */
Dynamics::Event Dynamics::Look(double h) {
  PlaceDriven(now_ + h);
  PlaceFree(x_);
  end_pairs_ = FindPairs();
  patches_.Evaluate(end_pairs_, slots_);
  Event event;
  event.onset = FoundOnset(&event.age);
  event.regroups = patches_.Regroups(end_pairs_);
  return event;
}

/** The first event within the h after the accepted state, by whose end `event` has been seen: a
 time just after it, from the accepted state on. The vectors are those of Advance by that time.

 Near its onset t* a contact has V ~ (t − t*)^p, with p = 1 for a face, 2 for an edge and 3 for a
 corner, and |S| ~ V/(t − t*). So V/|S| is linear in time, and the secant through two overlaps meets
 t*. A change of grouping is found by bisection. `probes` is what may be spent, and what is left:
 without any, the end of h stands. */
double Dynamics::Locate(double h, Event event, int* probes) {
  const double step = world_.step;
  double low = 0.0, high = h, at = h;
  double power = 1.0;   // of the overlap that came first, as seen so far
  bool missed = false;  // the guess before was too early
  const auto look = [&](double guess) {
    patches_.Restore(saved_contacts_, saved_held_, saved_patches_);
    Advance(guess);
    at = guess;
    return Look(guess);
  };
  for (; *probes > 0; --*probes) {
    const double close = (event.regroups ? kRegroupShare : kOnsetShare) * step;
    const bool secant = !event.regroups && event.age > 0.0;
    if (high - low <= close || (secant && power * event.age <= close)) break;
    // Bisection between what is sure and what is likely, or a little late of what is most likely:
    // overlaps tell more than gaps.
    const double floor = secant ? std::fmax(low, high - 1.1 * kMostPower * event.age) : low;
    double guess = 0.5 * (floor + high);
    if (secant && !missed && high - power * event.age > low) {
      guess = high - (1.0 - kLate) * power * event.age;
    }
    const Event seen = look(guess);
    missed = !seen.onset && !seen.regroups;
    if (missed) {
      low = guess;
      continue;
    }
    if (secant && seen.age > 0.0 && event.age > seen.age) {
      power = std::fmin((high - guess) / (event.age - seen.age), kMostPower);
    }
    high = guess;
    event = seen;
  }
  if (at != high) look(high);
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
    saved_contacts_.assign(patches_.contacts().begin(), patches_.contacts().end());
    saved_held_.assign(patches_.held().begin(), patches_.held().end());
    saved_patches_ = patches_.memory();
    Advance(next - now_);
    const Event event = Look(next - now_);
    if ((event.onset || event.regroups) && events < kMostEvents) {
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
  memory_.counters.pairs = finder_.queries();
  memory_.counters.engine_failures = finder_.failures() + patches_.undefined_normals();
}

}  // namespace intervox::host
