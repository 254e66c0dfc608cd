/** @file What joints ask of a group's steps. */
#pragma once

#include <span>
#include <vector>

#include "host/simulation/stage.h"

namespace intervox::host {

/** Adds the times of prescribed coordinates' keys to the times at which steps of their bodies are
 cut. @param times  of each body of the world, ascending; stays so */
void AddJointTimes(std::span<const Joint> joints, std::vector<std::vector<double>>* times);

/** Returns the part of `left` [s] in which no joined body turns by more than a quarter of a radian:
 beyond that the scheme does not resolve how forces of joints turn. */
double LengthByJoints(const BodyGroup& group, double left);

/** Notes the error that the trial in the scratch leaves in the group's joints.
 @param t  time at its end [s]
 @throws std::runtime_error naming joint, error and remedy where a joint does not close. */
void RequireClosed(const StageTools& tools, const StageScratch& scratch, double t,
                   BodyGroup* group);

/** Ends a run whose joined bodies need ever shorter substeps, as next to a position in which joints
 lock.
 @throws std::runtime_error naming a joint, the time and remedies. */
[[noreturn]] void RefuseJammed(const StageTools& tools, const StageScratch& scratch,
                               const BodyGroup& group, int substeps);

/** Finds the forces of the group's joints at its accepted state: a function of that state. */
void ReadJoints(const StageTools& tools, BodyGroup* group, StageScratch* scratch);

}  // namespace intervox::host
