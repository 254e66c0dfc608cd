/** @file Simulations of scenes written as YAML, as a user writes them. */
#pragma once

#include <string>

#include "host/scene/reader.h"
#include "host/simulation.h"

namespace intervox::testing {

/** A simulation of the scene whose text follows the schema's line. */
inline Simulation FromText(const std::string& text, int schema = 1) {
  const std::string head = "schema: intervox/scene/" + std::to_string(schema) + "\nname: test\n";
  return Simulation(host::ParseScene(head + text, "test.yaml", {}));
}

/** Steps to the end of the scene's duration. */
inline void RunToEnd(Simulation* simulation) {
  while (!simulation->Done()) simulation->Step();
}

/** Steps until what touches has parted, or to the end. */
inline void RunThroughContact(Simulation* simulation) {
  for (bool touched = false; !simulation->Done();) {
    simulation->Step();
    const bool touches = !simulation->Contacts().empty();
    if (touched && !touches) return;
    touched = touches;
  }
}

}  // namespace intervox::testing
