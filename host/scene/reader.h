/** @file The scene reader, with the switches that tests and tools need. */
#pragma once

#include <string>
#include <vector>

#include "host/scene/scene.h"

namespace intervox::host {

/** How a scene is read. */
struct ReadOptions {
  std::vector<std::string> overrides;  ///< `path=value` edits, applied in order before validation
  bool build_solids = true;  ///< cut the bodies' shapes into cells once, so that empty solids and
                             ///< overlapping listed cells are reported with their line
};

/** Reads a scene from text; `path` names it in messages and is where includes start.
 @throws InputError naming file, line, key, value and remedy. */
Scene ParseScene(const std::string& text, const std::filesystem::path& path,
                 const ReadOptions& options = {});

}  // namespace intervox::host
