/** @file Simulations of scenes written as YAML, as a user writes them. */
#pragma once

#include <string>

#include "host/scene/reader.h"
#include "host/simulation.h"

namespace intervox::testing {

/** A simulation of the scene whose text follows the schema's line. */
inline Simulation FromText(const std::string& text) {
  return Simulation(
      host::ParseScene("schema: intervox/scene/1\nname: test\n" + text, "test.yaml", {}));
}

/** Steps to the end of the scene's duration. */
inline void RunToEnd(Simulation* simulation) {
  while (!simulation->Done()) simulation->Step();
}

}  // namespace intervox::testing
