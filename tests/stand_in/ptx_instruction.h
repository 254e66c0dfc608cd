/** @file PTX as the stand-in runs it: functions of instructions on slots of 8 bytes, where what is
 narrower lies in the low ones. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stand_in::ptx {

/** Throws std::runtime_error. */
[[noreturn]] inline void Stop(int line, const std::string& what) {
  throw std::runtime_error("PTX line " + std::to_string(line) + ": " + what);
}

// The first slots of every function: where its frame begins, and its place in the grid.
enum : int { kFrame, kThread, kBlock, kThreads, kBlocks, kFirstFree };

struct Instruction;
using Handler = void (*)(const Instruction&, std::uint64_t* r);

enum class Kind : std::uint8_t { kPlain, kMemory, kBranch, kCall, kReturn };
enum class Space : std::uint8_t { kGeneric, kLocal, kGlobal };

struct Instruction {
  Handler run = nullptr;
  Kind kind = Kind::kPlain;
  Space space = Space::kGeneric;
  std::uint8_t bytes = 0;         // of memory
  bool unless = false;            // the guard is negated
  int guard = -1;                 // slot
  int slot[5] = {0, 0, 0, 0, 0};  // in the order of the text; memory: base first
  std::int64_t offset = 0;        // of an address
  int target = 0;                 // of a branch: instruction; of a call: number of the function
  int line = 0;
  std::vector<std::int64_t> passed;  // of a call: offsets of the result and the arguments
};

struct Parameter {
  std::int64_t offset = 0;
  std::size_t bytes = 0;
};

struct Function {
  std::vector<Instruction> code;
  std::vector<std::pair<int, std::uint64_t>> constants;  // slot, value
  std::vector<Parameter> parameters;                     // the result first, if there is one
  bool returns = false;
  int slots = kFirstFree;
  std::int64_t frame_bytes = 0;
};

// By name, in words: their alignment.
using Globals = std::map<std::string, std::vector<std::uint64_t>, std::less<>>;

/** What runs an instruction, by its opcode without the state space: ld.local.u32 is ld.u32. */
using Table = std::unordered_map<std::string, Handler>;
Table MakeTable();

}  // namespace stand_in::ptx
