/** @file Events within a substep: contacts that begin, and changes of the grouping. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** What has happened by the end of a trial substep that the step is to be cut for. */
struct Event {
  bool onset = false;      ///< a contact has begun, and fast
  bool regroups = false;   ///< the grouping has changed
  double age = 0.0;        ///< of the overlaps that have begun: the largest V/V̇ [s]
  double frequency = 0.0;  ///< the largest of those contacts' [rad/s]
  double phase = 0.0;      ///< the largest ω (t − t*) of them, as far as their overlaps tell

  /** Whether anything has. */
  bool Happened() const { return onset || regroups; }
};

/** Whether the step is to be cut for what has happened. */
bool CutsStep(const BodyGroup& group, const Event& event);

/** Makes a trial substep from the group's accepted state; its result is in the scratch. */
Event TrySubstep(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                 StageScratch* scratch);

/** The first event within a trial substep, by whose end `event` was seen: a length just beyond it.
 The scratch holds the trial of that length. While an onset is awaited, the motion up to it does not
 depend on where it is sought. Near it a contact has V ~ (t − t*)^p, so V/V̇ is (t − t*)/p with p = 1
 for a face, 2 for an edge and 3 for a corner: Newton's step from one overlap does not reach beyond
 t* unless others slow the bodies down, and two overlaps tell p. Guesses come a little late, so that
 the next look sees an overlap as well. A change of grouping is found by bisection.
 @param probes  how many trials may be spent, and what is left; without any, the trial up to the
 last guess is made with contacts that act at once. */
double LocateEvent(const StageTools& tools, const BodyGroup& group, Substep substep, Event event,
                   int* probes, StageScratch* scratch);

}  // namespace intervox::host
