/** @file Machine code of sm_90 as the stand-in runs it, and a thread that runs it. */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/stand_in/on_device.h"

namespace stand_in::sass {

/** Throws std::runtime_error. */
[[noreturn]] inline void Stop(std::size_t number, const std::string& what) {
  throw std::runtime_error("SASS instruction " + std::to_string(number) + ": " + what);
}

// Registers that are always zero, and the predicate that always holds.
inline constexpr int kZero = 255, kUniformZero = 63, kTrue = 7;

enum class Kind : std::uint8_t {
  kRegister,
  kUniform,
  kPredicate,
  kUniformPredicate,
  kBarrier,
  kNumber,
  kConstant,
  kMemory,
  kSpecial
};
enum class Special : std::uint8_t { kNothing, kThread, kBlock, kPredicates };

struct Operand {
  Kind kind = Kind::kNumber;
  Special special = Special::kNothing;
  bool negative = false, absolute = false, inverted = false;
  bool wide = false;           // of memory: the register holds 64 bits
  int bank = 0;                // of a constant
  int index = 0;               // of a register; of memory and constants: of the one that is added
  int uniform = kUniformZero;  // of memory: another that is added
  std::uint32_t number = 0;    // as an integer
  std::uint32_t encoded = 0;   // as the encoding has it: a float, or the upper half of a double
  std::int64_t offset = 0;     // of memory, constants and jumps
};

// What a comparison may find, as bits.
enum : std::uint8_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
enum class Combine : std::uint8_t { kAnd, kOr, kXor };

struct Thread;
struct Instruction;
using Handler = void (*)(const Instruction&, Thread&);

struct Instruction {
  Handler run = nullptr;
  std::size_t number = 0;  // its place in the code
  Operand guard;
  std::vector<Operand> operands;
  std::uint8_t accepts = 0;  // results of a comparison that hold
  Combine combine = Combine::kAnd;
  bool is_unsigned = false, is_signed = false;
  bool extends = false;  // takes the carry, or the lower half's comparison
  std::uint8_t bytes = 4;
};

/** What every thread of a launch sees. */
struct Launch {
  std::array<std::vector<char>, 5> banks;                         // of constants
  std::map<std::string, std::vector<char>, std::less<>> globals;  // by section
  OnDevice on_device;
};

/** A thread, alone in its warp. */
struct Thread {
  const Launch* launch = nullptr;
  std::array<std::uint32_t, 256> registers;
  std::array<std::uint32_t, 64> uniforms;
  std::array<bool, 8> predicates, uniform_predicates;
  std::array<std::uint32_t, 16> barriers;  // whether it is awaited there
  std::vector<char> local;
  std::uint32_t number = 0, block = 0;
  std::size_t next = 0;  // instruction
  bool ended = false;
};

// Where local memory lies among generic addresses: no host has memory there.
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{0xF0} << 48;

/** Whether a predicate holds. */
inline bool Holds(const Thread& t, const Operand& o) {
  const auto& all = o.kind == Kind::kUniformPredicate ? t.uniform_predicates : t.predicates;
  return all[static_cast<std::size_t>(o.index)] != o.inverted;
}

/** What runs an opcode, and which modifiers may follow it, each with a blank before and after. */
struct Entry {
  Handler run;
  std::string modifiers;
};
using Table = std::unordered_map<std::string, Entry>;

// The opcodes of each kind, and all of them.
Table ArithmeticTable();
Table ComparisonTable();
Table IntegerTable();
Table MemoryTable();
Table ControlTable();
Table MakeTable();

}  // namespace stand_in::sass
