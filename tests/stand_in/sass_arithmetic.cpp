// Arithmetic of doubles and floats, and conversions between them and integers.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tests/stand_in/sass_operand.h"

namespace stand_in::sass {

namespace {

// Sets the direction of rounding for as long as it lives.
class Rounding {
 public:
  explicit Rounding(int direction) { std::fesetround(direction); }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;
};

void Add(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetDouble(&t, o[0], Double(t, i, o[1]) + Double(t, i, o[2]));
}
void Multiply(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetDouble(&t, o[0], Double(t, i, o[1]) * Double(t, i, o[2]));
}
void Fuse(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetDouble(&t, o[0], std::fma(Double(t, i, o[1]), Double(t, i, o[2]), Double(t, i, o[3])));
}
// The volatile values keep the compiler from computing with another rounding.
template <int kDirection>
void MultiplyRounded(const Instruction& i, Thread& t) {
  const Rounding rounding(kDirection);
  const volatile double a = Double(t, i, i.operands[1]), b = Double(t, i, i.operands[2]);
  const volatile double product = a * b;
  SetDouble(&t, i.operands[0], product);
}
template <int kDirection>
void FuseRounded(const Instruction& i, Thread& t) {
  const Rounding rounding(kDirection);
  const volatile double a = Double(t, i, i.operands[1]), b = Double(t, i, i.operands[2]);
  const volatile double c = Double(t, i, i.operands[3]);
  const volatile double sum = std::fma(a, b, c);
  SetDouble(&t, i.operands[0], sum);
}
void AddSingles(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetSingle(&t, o[0], Single(t, i, o[1]) + Single(t, i, o[2]));
}
void MultiplySingles(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetSingle(&t, o[0], Single(t, i, o[1]) * Single(t, i, o[2]));
}
void FuseSingles(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  SetSingle(&t, o[0], std::fmaf(Single(t, i, o[1]), Single(t, i, o[2]), Single(t, i, o[3])));
}
// A pair of halves is only made of 0 · 0 + two numbers: what the encoding has is the sum.
void LoadHalves(const Instruction& i, Thread& t) {
  if (i.operands[1].index != kZero || i.operands[2].index != kZero) {
    Stop(i.number, "arithmetic of halves");
  }
  Set(&t, i.operands[0], i.operands[4].encoded);
}

// The double whose upper half is given.
double FromUpperHalf(const Thread& t, const Instruction& i, const Operand& o) {
  return std::bit_cast<double>(std::uint64_t{std::bit_cast<std::uint32_t>(Single(t, i, o))} << 32);
}
void SetUpperHalf(Thread* t, const Operand& o, double value) {
  Set(t, o, static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32));
}
// Newton steps begin with these two.
void BeginReciprocal(const Instruction& i, Thread& t) {
  const double x = FromUpperHalf(t, i, i.operands[1]);
  const bool tiny = std::fabs(x) < std::numeric_limits<double>::min();
  const double infinity = std::numeric_limits<double>::infinity();
  SetUpperHalf(&t, i.operands[0], tiny ? std::copysign(infinity, x) : 1 / x);
}
void BeginReciprocalRoot(const Instruction& i, Thread& t) {
  SetUpperHalf(&t, i.operands[0], 1 / std::sqrt(FromUpperHalf(t, i, i.operands[1])));
}
void ReciprocalOfSingle(const Instruction& i, Thread& t) {
  SetSingle(&t, i.operands[0], 1 / Single(t, i, i.operands[1]));
}

template <class From>
void ToDouble(const Instruction& i, Thread& t) {
  const auto value = sizeof(From) == 8 ? static_cast<From>(Long(t, i, i.operands[1]))
                                       : static_cast<From>(Word(t, i, i.operands[1]));
  SetDouble(&t, i.operands[0], static_cast<double>(value));
}
void ShortToSingle(const Instruction& i, Thread& t) {
  const auto value = static_cast<std::int16_t>(Word(t, i, i.operands[1]));
  SetSingle(&t, i.operands[0], static_cast<float>(value));
}
template <class From>
void ToSingleUpward(const Instruction& i, Thread& t) {
  const Rounding rounding(FE_UPWARD);
  const volatile auto value = static_cast<From>(Signed(t, i, i.operands[1]));
  const volatile float converted = static_cast<float>(value);
  SetSingle(&t, i.operands[0], converted);
}
// Towards zero; what does not fit becomes the nearest that does, a NaN what `of_nan` says.
template <class To, class From>
To Truncated(From value, To of_nan) {
  constexpr auto kMost = std::numeric_limits<To>::max(), kLeast = std::numeric_limits<To>::min();
  if (std::isnan(value)) return of_nan;
  if (value >= static_cast<From>(kMost)) return kMost;
  return value <= static_cast<From>(kLeast) ? kLeast : static_cast<To>(value);
}
void ToInteger(const Instruction& i, Thread& t) {
  const double value = Double(t, i, i.operands[1]);
  Set(&t, i.operands[0], static_cast<std::uint32_t>(Truncated<std::int32_t>(value, 0)));
}
void ToLong(const Instruction& i, Thread& t) {
  const auto of_nan = std::numeric_limits<std::int64_t>::min();
  const double value = Double(t, i, i.operands[1]);
  SetLong(&t, i.operands[0], static_cast<std::uint64_t>(Truncated(value, of_nan)));
}
void SingleToUnsigned(const Instruction& i, Thread& t) {
  Set(&t, i.operands[0], Truncated<std::uint32_t>(Single(t, i, i.operands[1]), 0));
}
void Widen(const Instruction& i, Thread& t) {
  SetDouble(&t, i.operands[0], static_cast<double>(Single(t, i, i.operands[1])));
}
void Narrow(const Instruction& i, Thread& t) {
  SetSingle(&t, i.operands[0], static_cast<float>(Double(t, i, i.operands[1])));
}

}  // namespace

Table ArithmeticTable() {
  return {
      {"DADD", {Add, ""}},
      {"DMUL", {Multiply, ""}},
      {"DMUL.RP", {MultiplyRounded<FE_UPWARD>, ""}},
      {"DFMA", {Fuse, ""}},
      {"DFMA.RP", {FuseRounded<FE_UPWARD>, ""}},
      {"DFMA.RM", {FuseRounded<FE_DOWNWARD>, ""}},
      {"FADD", {AddSingles, ""}},
      {"FMUL", {MultiplySingles, ""}},
      {"FFMA", {FuseSingles, ""}},
      {"HFMA2.MMA", {LoadHalves, ""}},
      {"MUFU.RCP64H", {BeginReciprocal, ""}},
      {"MUFU.RSQ64H", {BeginReciprocalRoot, ""}},
      {"MUFU.RCP", {ReciprocalOfSingle, ""}},
      {"I2F.F64", {ToDouble<std::int32_t>, ""}},
      {"I2F.F64.S16", {ToDouble<std::int16_t>, ""}},
      {"I2F.F64.U16", {ToDouble<std::uint16_t>, ""}},
      {"I2F.F64.S64", {ToDouble<std::int64_t>, ""}},
      {"I2F.S16", {ShortToSingle, ""}},
      {"I2F.RP", {ToSingleUpward<std::int32_t>, ""}},
      {"I2F.U32.RP", {ToSingleUpward<std::uint32_t>, ""}},
      {"F2I.F64.TRUNC", {ToInteger, ""}},
      {"F2I.S64.F64.TRUNC", {ToLong, ""}},
      {"F2I.FTZ.U32.TRUNC.NTZ", {SingleToUnsigned, ""}},
      {"F2F.F64.F32", {Widen, ""}},
      {"F2F.F32.F64", {Narrow, ""}},
  };
}

}  // namespace stand_in::sass
