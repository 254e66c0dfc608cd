/** @file From the text of PTX to its functions. */
#pragma once

#include <string>
#include <vector>

#include "tests/stand_in/ptx_instruction.h"

namespace stand_in::ptx {

/** A translation unit with one kernel. Its code holds addresses of its globals: moved, not copied.
 */
struct Module {
  std::vector<Function> functions;
  Globals globals;
  int kernel = 0;
};

/** Throws std::runtime_error with the line for what it does not understand. */
Module Read(const std::string& text);

}  // namespace stand_in::ptx
