/** @file `intervox run --replay`: a recorded run, done again. */
#pragma once

#include <filesystem>

#include "cuda/engine.h"

namespace intervox::cli {

/** Does the run of a results file again with its scene and inputs, and writes it to another.
 @return an exit status. @throws host::InputError when either cannot be read or written. */
int ReplayRun(const std::filesystem::path& results, const std::filesystem::path& out,
              const EngineOptions& engine, bool quiet);

}  // namespace intervox::cli
