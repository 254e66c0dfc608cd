/** @file What instructions of machine code read and write: operands as numbers. */
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/stand_in/sass_instruction.h"

namespace stand_in::sass {

using Operands = std::vector<Operand>;

/** Reads a constant from its bank. */
template <class T>
T Constant(const Thread& t, const Instruction& i, const Operand& o) {
  const std::vector<char>& bank = t.launch->banks[static_cast<std::size_t>(o.bank)];
  const auto added = static_cast<std::int32_t>(t.registers[static_cast<std::size_t>(o.index)]);
  const std::int64_t at = o.offset + added;
  if (at < 0 || static_cast<std::size_t>(at) + sizeof(T) > bank.size()) {
    Stop(i.number, "a constant outside its bank");
  }
  T value;
  std::memcpy(&value, bank.data() + at, sizeof(T));
  return value;
}

/** Reads the bits of an operand, without its signs. */
inline std::uint32_t Bits(const Thread& t, const Instruction& i, const Operand& o) {
  switch (o.kind) {
    case Kind::kRegister:
      return t.registers[static_cast<std::size_t>(o.index)];
    case Kind::kUniform:
      return t.uniforms[static_cast<std::size_t>(o.index)];
    case Kind::kConstant:
      return Constant<std::uint32_t>(t, i, o);
    default:
      Stop(i.number, "an operand that is no number");
  }
}

/** Reads the bits of an operand of 64 bits, without its signs. */
inline std::uint64_t LongBits(const Thread& t, const Instruction& i, const Operand& o) {
  const auto k = static_cast<std::size_t>(o.index);
  switch (o.kind) {
    case Kind::kRegister:
      return k == kZero ? 0 : t.registers[k] | std::uint64_t{t.registers[k + 1]} << 32;
    case Kind::kUniform:
      return k == kUniformZero ? 0 : t.uniforms[k] | std::uint64_t{t.uniforms[k + 1]} << 32;
    case Kind::kConstant:
      return Constant<std::uint64_t>(t, i, o);
    case Kind::kNumber:
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(o.number)});
    default:
      Stop(i.number, "an operand that is no number of 64 bits");
  }
}

// An operand as a number, with its signs.

inline std::uint32_t Word(const Thread& t, const Instruction& i, const Operand& o) {
  if (o.kind == Kind::kNumber) return o.number;
  std::uint32_t value = Bits(t, i, o);
  if (o.inverted) value = ~value;
  return o.negative ? 0U - value : value;
}

inline std::uint64_t Long(const Thread& t, const Instruction& i, const Operand& o) {
  const std::uint64_t value = LongBits(t, i, o);
  return o.negative ? 0U - value : value;
}

inline std::int32_t Signed(const Thread& t, const Instruction& i, const Operand& o) {
  return static_cast<std::int32_t>(Word(t, i, o));
}

inline float Single(const Thread& t, const Instruction& i, const Operand& o) {
  std::uint32_t bits = o.kind == Kind::kNumber ? o.encoded : Bits(t, i, o);
  if (o.absolute) bits &= 0x7FFFFFFFU;
  if (o.negative) bits ^= 0x80000000U;
  return std::bit_cast<float>(bits);
}

inline double Double(const Thread& t, const Instruction& i, const Operand& o) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint64_t bits = o.kind == Kind::kNumber ? std::uint64_t{o.encoded} << 32 : LongBits(t, i, o);
  if (o.absolute) bits &= ~kSign;
  if (o.negative) bits ^= kSign;
  return std::bit_cast<double>(bits);
}

// Writes a number to the register that an operand names, or to two together.

inline void Set(Thread* t, const Operand& o, std::uint32_t value, int after = 0) {
  const auto k = static_cast<std::size_t>(o.index + after);
  if (o.kind == Kind::kUniform) {
    if (o.index != kUniformZero) t->uniforms[k] = value;
  } else if (o.index != kZero) {
    t->registers[k] = value;
  }
}

inline void SetLong(Thread* t, const Operand& o, std::uint64_t value) {
  Set(t, o, static_cast<std::uint32_t>(value));
  Set(t, o, static_cast<std::uint32_t>(value >> 32), 1);
}

inline void SetSingle(Thread* t, const Operand& o, float value) {
  Set(t, o, std::bit_cast<std::uint32_t>(value));
}

inline void SetDouble(Thread* t, const Operand& o, double value) {
  SetLong(t, o, std::bit_cast<std::uint64_t>(value));
}

/** Writes a predicate. */
inline void SetTruth(Thread* t, const Operand& o, bool value) {
  if (o.index == kTrue) return;
  auto& all = o.kind == Kind::kUniformPredicate ? t->uniform_predicates : t->predicates;
  all[static_cast<std::size_t>(o.index)] = value;
}

}  // namespace stand_in::sass
