/** @file What a simulation shows of its state. */
#pragma once

#include <vector>

#include "host/simulation.h"
#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** Bodies, with the contact wrenches on them. */
void ReportBodies(const State& from, int threads, std::vector<BodyState>* out);
/** Contacts by ascending id. */
void ReportContacts(const State& from, std::vector<ContactReport>* out);
/** Sensors in the scene's order. @param bodies  from ReportBodies. */
void ReportSensors(const World& world, const std::vector<BodyState>& bodies,
                   std::vector<SensorReading>* out);

/** Figures over the whole run so far. */
struct RunFigures {
  std::vector<Vec3> peak_force;  ///< of each body: largest |contact force| by component [N]
};

/** Takes in a reported state. */
void UpdateFigures(const std::vector<BodyState>& bodies, RunFigures* figures);

}  // namespace intervox::host
