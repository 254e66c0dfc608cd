// Integers: sums, products, logic, shifts, bytes.
#include <algorithm>
#include <bit>

#include "tests/stand_in/sass_operand.h"

namespace stand_in::sass {

namespace {

bool IsPredicate(const Operand& o) {
  return o.kind == Kind::kPredicate || o.kind == Kind::kUniformPredicate;
}

// Where the sources begin, behind the result and predicates for its carries.
std::size_t FirstSource(const Instruction& i) {
  std::size_t k = 1;
  while (IsPredicate(i.operands[k])) ++k;
  return k;
}

void Move(const Instruction& i, Thread& t) { Set(&t, i.operands[0], Word(t, i, i.operands[1])); }
void ClearLong(const Instruction& i, Thread& t) { SetLong(&t, i.operands[0], 0); }
void ReadPlace(const Instruction& i, Thread& t) {
  const Special special = i.operands[1].special;
  if (special != Special::kThread && special != Special::kBlock)
    Stop(i.number, "a special register");
  Set(&t, i.operands[0], special == Special::kThread ? t.number : t.block);
}

void AddTwo(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  Set(&t, o[0], Word(t, i, o[1]) + Word(t, i, o[2]));
}
// A negative number is added as its complement and one, so that the carry is the device's.
std::uint64_t Addend(const Instruction& i, const Thread& t, const Operand& o, int shift = 0) {
  return o.negative ? std::uint64_t{~(Bits(t, i, o) << shift)} + 1 : Word(t, i, o) << shift;
}
void AddThree(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t first = FirstSource(i);
  std::uint64_t sum = 0;
  for (std::size_t k = first; k < first + 3; ++k) sum += Addend(i, t, o[k]);
  if (i.extends) {
    for (std::size_t k = first + 3; k < o.size(); ++k) sum += Holds(t, o[k]) ? 1 : 0;
  }
  for (std::size_t k = 1; k < first; ++k) SetTruth(&t, o[k], sum >> 32 >= k);
  Set(&t, o[0], static_cast<std::uint32_t>(sum));
}

std::uint64_t Product(const Instruction& i, const Thread& t, const Operand& a, const Operand& b) {
  if (i.is_unsigned) return std::uint64_t{Word(t, i, a)} * Word(t, i, b);
  return static_cast<std::uint64_t>(std::int64_t{Signed(t, i, a)} * Signed(t, i, b));
}
void MultiplyAdd(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t k = FirstSource(i);
  const std::uint32_t product = Word(t, i, o[k]) * Word(t, i, o[k + 1]);
  std::uint64_t sum = std::uint64_t{product} + Word(t, i, o[k + 2]);
  if (i.extends) sum += Holds(t, o[k + 3]) ? 1 : 0;
  if (k == 2) SetTruth(&t, o[1], sum >> 32 != 0);
  Set(&t, o[0], static_cast<std::uint32_t>(sum));
}
void MultiplyAddLong(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t k = FirstSource(i);
  const std::uint64_t product = Product(i, t, o[k], o[k + 1]);
  const std::uint64_t sum = product + Long(t, i, o[k + 2]);
  if (k == 2) SetTruth(&t, o[1], sum < product);
  SetLong(&t, o[0], sum);
}
void MultiplyAddUpper(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t k = FirstSource(i);
  const std::uint64_t sum = Product(i, t, o[k], o[k + 1]) + Long(t, i, o[k + 2]);
  Set(&t, o[0], static_cast<std::uint32_t>(sum >> 32));
}

// Any function of three bits, by its table; a predicate before the result says whether it is not 0.
void Logic(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t k = IsPredicate(o[0]) ? 2 : 1;
  const std::uint32_t a = Word(t, i, o[k]), b = Word(t, i, o[k + 1]), c = Word(t, i, o[k + 2]);
  std::uint32_t value = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((o[k + 3].number >> row & 1) == 0) continue;
    value |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  if (k == 2) SetTruth(&t, o[0], value != 0 || Holds(t, o[k + 4]));
  Set(&t, o[k - 1], value);
}

// a · 2^n + b.
void ShiftAdd(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t k = FirstSource(i);
  const std::uint64_t sum =
      Addend(i, t, o[k], static_cast<int>(o[k + 2].number)) + Addend(i, t, o[k + 1]);
  if (k == 2) SetTruth(&t, o[1], sum >> 32 != 0);
  Set(&t, o[0], static_cast<std::uint32_t>(sum));
}
// The upper half of that, where a has 64 bits: those of two operands, or one with its sign.
void ShiftAddUpper(const Instruction& i, Thread& t, std::uint64_t a, std::size_t shift) {
  const Operands& o = i.operands;
  const std::size_t k = FirstSource(i);
  const std::uint64_t upper = (a << o[shift].number) >> 32;
  std::uint64_t sum = upper + Word(t, i, o[k + 1]);
  if (i.extends) sum += Holds(t, o[shift + 1]) ? 1 : 0;
  if (k == 2) SetTruth(&t, o[1], sum >> 32 != 0);
  Set(&t, o[0], static_cast<std::uint32_t>(sum));
}
void ShiftAddUpperOfTwo(const Instruction& i, Thread& t) {
  const std::size_t k = FirstSource(i);
  const std::uint64_t upper = Word(t, i, i.operands[k + 2]);
  ShiftAddUpper(i, t, Word(t, i, i.operands[k]) | upper << 32, k + 3);
}
void ShiftAddUpperOfSigned(const Instruction& i, Thread& t) {
  const std::size_t k = FirstSource(i);
  const std::int64_t a = Signed(t, i, i.operands[k]);
  ShiftAddUpper(i, t, static_cast<std::uint64_t>(a), k + 2);
}

std::uint64_t TwoWords(const Instruction& i, const Thread& t) {
  return Word(t, i, i.operands[1]) | std::uint64_t{Word(t, i, i.operands[3])} << 32;
}
void ShiftLeft(const Instruction& i, Thread& t) {
  const std::uint32_t by = Word(t, i, i.operands[2]);
  Set(&t, i.operands[0], by < 32 ? Word(t, i, i.operands[1]) << by : 0);
}
void ShiftLeftUpper(const Instruction& i, Thread& t) {
  const std::uint32_t by = Word(t, i, i.operands[2]);
  Set(&t, i.operands[0], static_cast<std::uint32_t>((by < 64 ? TwoWords(i, t) << by : 0) >> 32));
}
void ShiftRight(const Instruction& i, Thread& t) {
  const std::uint32_t by = Word(t, i, i.operands[2]);
  Set(&t, i.operands[0], static_cast<std::uint32_t>(by < 64 ? TwoWords(i, t) >> by : 0));
}
void ShiftRightOfSigned(const Instruction& i, Thread& t) {
  const std::uint32_t by = std::min(Word(t, i, i.operands[2]), std::uint32_t{63});
  const auto value = static_cast<std::int64_t>(TwoWords(i, t));
  Set(&t, i.operands[0], static_cast<std::uint32_t>(value >> by));
}
void ShiftRightUpper(const Instruction& i, Thread& t) {
  const std::uint32_t by = Word(t, i, i.operands[2]);
  Set(&t, i.operands[0], by < 32 ? Word(t, i, i.operands[3]) >> by : 0);
}
void ShiftRightSigned(const Instruction& i, Thread& t) {
  const std::uint32_t by = std::min(Word(t, i, i.operands[2]), std::uint32_t{31});
  Set(&t, i.operands[0], static_cast<std::uint32_t>(Signed(t, i, i.operands[3]) >> by));
}

void PermuteBytes(const Instruction& i, Thread& t) {
  const std::uint64_t from = TwoWords(i, t);
  const std::uint32_t choice = Word(t, i, i.operands[2]);
  std::uint32_t value = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t chosen = choice >> (4 * k);
    std::uint32_t byte = static_cast<std::uint32_t>(from >> (8 * (chosen & 7))) & 255;
    if ((chosen & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    value |= byte << (8 * k);
  }
  Set(&t, i.operands[0], value);
}
void ExtendSign(const Instruction& i, Thread& t) {
  const std::uint32_t unused = 32 - Word(t, i, i.operands[2]);
  const auto raised = static_cast<std::int32_t>(Word(t, i, i.operands[1]) << unused);
  Set(&t, i.operands[0], static_cast<std::uint32_t>(raised >> unused));
}
// The number of the highest bit that is set, -1 of 0.
void FindLeadingOne(const Instruction& i, Thread& t) {
  Set(&t, i.operands[0], static_cast<std::uint32_t>(std::bit_width(Word(t, i, i.operands[1]))) - 1);
}
void CountBits(const Instruction& i, Thread& t) {
  Set(&t, i.operands[0], static_cast<std::uint32_t>(std::popcount(Word(t, i, i.operands[1]))));
}
void Absolute(const Instruction& i, Thread& t) {
  const std::int32_t value = Signed(t, i, i.operands[1]);
  const auto bits = static_cast<std::uint32_t>(value);
  Set(&t, i.operands[0], value < 0 ? 0U - bits : bits);
}
std::uint32_t Extreme(const Instruction& i, std::uint32_t a, std::uint32_t b, bool minimum) {
  const bool less =
      i.is_unsigned ? a < b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  return less == minimum ? a : b;
}
void TakeExtreme(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  Set(&t, o[0], Extreme(i, Word(t, i, o[1]), Word(t, i, o[2]), Holds(t, o[3])));
}
void TakeExtremeOfThree(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const bool minimum = Holds(t, o[4]);
  const std::uint32_t of_two = Extreme(i, Word(t, i, o[1]), Word(t, i, o[2]), minimum);
  Set(&t, o[0], Extreme(i, of_two, Word(t, i, o[3]), minimum));
}
void AddTakeExtreme(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::uint32_t sum = Word(t, i, o[1]) + Word(t, i, o[2]);
  Set(&t, o[0], Extreme(i, sum, Word(t, i, o[3]), Holds(t, o[4])));
}

}  // namespace

Table IntegerTable() {
  return {
      {"MOV", {Move, ""}},
      {"UMOV", {Move, ""}},
      {"R2UR", {Move, ""}},
      {"CS2R", {ClearLong, ""}},
      {"S2R", {ReadPlace, ""}},
      {"S2UR", {ReadPlace, ""}},
      {"VIADD", {AddTwo, ""}},
      {"IADD3", {AddThree, " X "}},
      {"UIADD3", {AddThree, " X "}},
      {"IMAD", {MultiplyAdd, " MOV U32 IADD SHL X "}},
      {"IMAD.WIDE", {MultiplyAddLong, " U32 "}},
      {"IMAD.HI", {MultiplyAddUpper, " U32 "}},
      {"LOP3", {Logic, " LUT "}},
      {"LEA", {ShiftAdd, ""}},
      {"LEA.HI", {ShiftAddUpperOfTwo, " X "}},
      {"LEA.HI.SX32", {ShiftAddUpperOfSigned, ""}},
      {"LEA.HI.X.SX32", {ShiftAddUpperOfSigned, " X "}},
      {"SHF.L.U32", {ShiftLeft, ""}},
      {"SHF.L.U64.HI", {ShiftLeftUpper, ""}},
      {"SHF.R.U64", {ShiftRight, ""}},
      {"SHF.R.S64", {ShiftRightOfSigned, ""}},
      {"SHF.R.U32.HI", {ShiftRightUpper, ""}},
      {"SHF.R.S32.HI", {ShiftRightSigned, ""}},
      {"PRMT", {PermuteBytes, ""}},
      {"UPRMT", {PermuteBytes, ""}},
      {"SGXT", {ExtendSign, ""}},
      {"FLO.U32", {FindLeadingOne, ""}},
      {"POPC", {CountBits, ""}},
      {"IABS", {Absolute, ""}},
      {"VIMNMX", {TakeExtreme, " U32 "}},
      {"VIMNMX3", {TakeExtremeOfThree, " U32 "}},
      {"VIADDMNMX", {AddTakeExtreme, " U32 "}},
  };
}

}  // namespace stand_in::sass
