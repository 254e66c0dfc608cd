/** @file `intervox run --replay`: a recorded run, done again. */
#pragma once

#include <filesystem>

#include "cuda/engine.h"
#include "host/cli/simulate.h"

namespace intervox::cli {

/** Does the run of a results file again with its scene and inputs, and writes it to another, as
 `run` does: with progress, summary and an end where a signal asks for one.
 @return an exit status. @throws host::InputError when either cannot be read or written. */
int ReplayRun(const std::filesystem::path& results, const std::filesystem::path& out,
              const EngineOptions& engine, const Telling& telling);

}  // namespace intervox::cli
