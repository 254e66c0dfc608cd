// Comparisons, what is chosen by them, and predicates.
#include <cmath>

#include "tests/stand_in/sass_operand.h"

namespace stand_in::sass {

namespace {

template <class T>
bool Accepts(std::uint8_t accepted, T a, T b) {
  const std::uint8_t found = a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kUnordered;
  return (accepted & found) != 0;
}

// Sets two predicates: a comparison and its contrary, each combined with a third.
void SetCompared(const Instruction& i, Thread* t, bool value) {
  const bool with = Holds(*t, i.operands[4]);
  const auto combined = [&](bool v) {
    return i.combine == Combine::kAnd  ? v && with
           : i.combine == Combine::kOr ? v || with
                                       : v != with;
  };
  const bool first = combined(value), second = combined(!value);
  SetTruth(t, i.operands[0], first);
  SetTruth(t, i.operands[1], second);
}

void CompareDoubles(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetCompared(i, &t, Accepts(i.accepts, Double(t, i, o[2]), Double(t, i, o[3])));
}
void CompareSingles(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetCompared(i, &t, Accepts(i.accepts, Single(t, i, o[2]), Single(t, i, o[3])));
}
void CompareIntegers(const Instruction& i, Thread& t) {
  const std::uint32_t a = Word(t, i, i.operands[2]), b = Word(t, i, i.operands[3]);
  bool value = i.is_unsigned
                   ? Accepts(i.accepts, a, b)
                   : Accepts(i.accepts, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  if (i.extends && a == b) value = Holds(t, i.operands[5]);
  SetCompared(i, &t, value);
}
// Says whether the first is the one to take, and whether there is none.
template <bool kMaximum>
void ChooseDouble(const Instruction& i, Thread& t) {
  const double a = Double(t, i, i.operands[2]), b = Double(t, i, i.operands[3]);
  const bool first =
      kMaximum ? a > b || (a == b && !std::signbit(a)) : a < b || (a == b && std::signbit(a));
  const bool take = !std::isnan(a) && (std::isnan(b) || first);
  const bool none = std::isnan(a) && std::isnan(b);
  SetTruth(&t, i.operands[0], take);
  SetTruth(&t, i.operands[1], none);
}

void SelectSingle(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetSingle(&t, o[0], Single(t, i, Holds(t, o[3]) ? o[1] : o[2]));
}
void Select(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  Set(&t, o[0], Word(t, i, Holds(t, o[3]) ? o[1] : o[2]));
}

void CombinePredicates(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const int row = Holds(t, o[2]) << 2 | Holds(t, o[3]) << 1 | static_cast<int>(Holds(t, o[4]));
  SetTruth(&t, o[0], (o[5].number >> row & 1) != 0);
  SetTruth(&t, o[1], (o[6].number >> row & 1) != 0);
}
void StorePredicates(const Instruction& i, Thread& t) {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < kTrue; ++k) bits |= std::uint32_t{t.predicates[k]} << k;
  const std::uint32_t mask = Word(t, i, i.operands[3]);
  Set(&t, i.operands[0], (Word(t, i, i.operands[2]) & ~mask) | (bits & mask));
}
void LoadPredicates(const Instruction& i, Thread& t) {
  const std::uint32_t bits = Word(t, i, i.operands[1]), mask = Word(t, i, i.operands[2]);
  for (std::size_t k = 0; k < kTrue; ++k) {
    if ((mask >> k & 1) != 0) t.predicates[k] = (bits >> k & 1) != 0;
  }
}
// What one thread says, all and any of its warp say.
void Vote(const Instruction& i, Thread& t) { SetTruth(&t, i.operands[0], Holds(t, i.operands[1])); }

}  // namespace

Table ComparisonTable() {
  const std::string compare = " LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU AND OR XOR ";
  return {
      {"DSETP", {CompareDoubles, compare}},
      {"DSETP.MAX", {ChooseDouble<true>, " AND "}},
      {"DSETP.MIN", {ChooseDouble<false>, " AND "}},
      {"FSETP", {CompareSingles, compare}},
      {"ISETP", {CompareIntegers, compare + "U32 EX "}},
      {"UISETP", {CompareIntegers, compare + "U32 "}},
      {"FSEL", {SelectSingle, ""}},
      {"SEL", {Select, ""}},
      {"USEL", {Select, ""}},
      {"PLOP3", {CombinePredicates, " LUT "}},
      {"UPLOP3", {CombinePredicates, " LUT "}},
      {"P2R", {StorePredicates, ""}},
      {"R2P", {LoadPredicates, ""}},
      {"VOTEU", {Vote, " ANY ALL "}},
  };
}

}  // namespace stand_in::sass
