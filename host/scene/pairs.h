/** @file Files of posed pairs of shapes, `intervox/pairs/1`. */
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "geometry/shape.h"

namespace intervox {

/** Two posed shapes. */
struct PosedPair {
  std::string name;
  geometry::ShapePtr a;
  geometry::ShapePtr b;
  Pose X_WA;          ///< of a in the world; p in [m]
  Pose X_WB;          ///< of b in the world; p in [m]
  std::string place;  ///< "FILE:LINE" of the pair, for messages
};

/** A validated file of pairs. */
struct PairsFile {
  std::vector<std::pair<std::string, geometry::ShapePtr>> shapes;  ///< in the file's order
  std::vector<PosedPair> pairs;
  std::vector<std::string> parts;  ///< what was read from files of other programs, a line each
  /// Of what those had lost, and of grids that are too coarse, a line each.
  std::vector<std::string> warnings;
  bool is_scene = false;  ///< a scene file, of which only the shapes are here
};

/** Reads and validates a file of pairs. A scene file serves too, for its shapes.
 @throws host::InputError naming file, line, key, value and remedy of each shape and pair that has a
 fault: the first ones, and how many there are. */
PairsFile LoadPairs(const std::filesystem::path& path);

/** The same from text; `path` names it in messages and is where includes start. */
PairsFile ParsePairs(const std::string& text, const std::filesystem::path& path);

/** One shape from the text of its value, for example "sphere: {radius: 0.1}"; `path` likewise. */
geometry::ShapePtr ParseShape(const std::string& text, const std::filesystem::path& path);

}  // namespace intervox
