/** @file Reads a listing of machine code, which scripts/sass_listing.py writes. Each line holds one
 thing: `kernel NAME`, `constant BANK HEX`, `global SECTION HEX`, an address in a
 bank (`address BANK OFFSET SECTION OFFSET_THERE`), or an instruction (`code ADDRESS LOW_WORD
 TEXT`). */
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/stand_in/sass_instruction.h"

namespace stand_in::sass {

struct Kernel {
  std::vector<Instruction> code;
  std::size_t stack_bytes = 0;  // frames of all its functions
  Launch launch;                // with constants and global memory
};

/** Throws std::runtime_error for what it does not know. */
Kernel Read(const std::string& listing);

}  // namespace stand_in::sass
