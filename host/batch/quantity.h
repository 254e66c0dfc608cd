/** @file What expressions may ask of a simulation. */
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/simulation.h"

namespace intervox::host {

/** A number read off a simulation, in SI units. */
using Quantity = std::function<double(const Simulation&)>;

/** Whether a word asks of a body or a sensor: `position`, `speed`, … */
bool AsksOfBody(std::string_view word);
/** Names of all words that ask of a body or a sensor, and of those that do not, as `time`. */
std::vector<std::string> QuantityNames();

/** A quantity without argument, `time` …; nothing for another word. */
std::optional<Quantity> SceneQuantity(std::string_view word);

/** What `word(name)[index]` stands for. A vector without an index is its length.
 @param name  a body, else a sensor, of the scene @param index  −1: none
 @throws std::invalid_argument with the remedy for unknown names and bad indices. */
Quantity BodyQuantity(const std::string& word, const std::string& name, int index,
                      const Scene& scene);

}  // namespace intervox::host
