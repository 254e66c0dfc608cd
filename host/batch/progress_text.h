/** @file How far a batch is, in words. */
#pragma once

#include <string>

#include "host/batch/runner.h"

namespace intervox::host {

/** One line without its end: "12 of 60 runs, 1 failed, success 90.0 % [62.3, 98.2]; 3.1 runs/s, 16
 s to go". */
std::string ProgressText(const Batch& batch, const BatchProgress& progress);

}  // namespace intervox::host
