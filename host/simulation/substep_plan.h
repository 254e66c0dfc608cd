/** @file How long the next substep of a group may be, and by which scheme. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** ω times the substep of a contact that moves. */
inline constexpr double kPhase = 0.2;

/** A plan for the next substep. */
struct SubstepPlan {
  double length = 0.0;       ///< [s]
  bool dissipative = false;  ///< the rest of the step, by backward Euler
};

/** Plans a substep of at most `left`. A contact whose motion over the rest of the step, by velocity
 and acceleration, is small against its depth may take the whole of it: the schemes are L-stable.
 Others take 0.2/ω, ω being the frequency that they will have by then; vibrations of lasting
 contacts that are slow against what the loads do within a step are left to a dissipative step. Two
 bodies do not move past each other by more than half of the thinner one.
 Leaves in the scratch the rates at the accepted state, and which contacts the substep follows.
 @param least  bodies that fly or turn cut it no shorter [s] */
SubstepPlan PlanSubstep(const StageTools& tools, const BodyGroup& group, double left, double least,
                        StageScratch* scratch);

/** The part of `left` [s] in which no two bodies pass each other unseen: they come no deeper into
 each other than half of the thinner one, from as far as their boxes are apart. */
double LengthByThickness(const StageTools& tools, const BodyGroup& group, double left,
                         double least);

/** How long each of the steps that make up `left` [s] may be for the same, wherever they begin. */
double LongestByThickness(const StageTools& tools, const BodyGroup& group, double left);

/** The thickness of a body's parts that count: the least of those cells whose boxes have a tenth
 of the largest one's volume; infinite for unbounded ones [m]. */
double PartThickness(const BodyCells& cells);

}  // namespace intervox::host
