#include "tests/stand_in/sass_instruction.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

namespace stand_in::sass {

namespace {

using Operands = std::vector<Operand>;

bool IsPredicate(const Operand& o) {
  return o.kind == Kind::kPredicate || o.kind == Kind::kUniformPredicate;
}

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

// The bits of an operand, without its signs.
std::uint32_t Bits(const Thread& t, const Instruction& i, const Operand& o) {
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

std::uint64_t LongBits(const Thread& t, const Instruction& i, const Operand& o) {
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

std::uint32_t Word(const Thread& t, const Instruction& i, const Operand& o) {
  if (o.kind == Kind::kNumber) return o.number;
  std::uint32_t value = Bits(t, i, o);
  if (o.inverted) value = ~value;
  return o.negative ? 0U - value : value;
}

std::uint64_t Long(const Thread& t, const Instruction& i, const Operand& o) {
  const std::uint64_t value = LongBits(t, i, o);
  return o.negative ? 0U - value : value;
}

std::int32_t Signed(const Thread& t, const Instruction& i, const Operand& o) {
  return static_cast<std::int32_t>(Word(t, i, o));
}

float Single(const Thread& t, const Instruction& i, const Operand& o) {
  std::uint32_t bits = o.kind == Kind::kNumber ? o.encoded : Bits(t, i, o);
  if (o.absolute) bits &= 0x7FFFFFFFU;
  if (o.negative) bits ^= 0x80000000U;
  return std::bit_cast<float>(bits);
}

double Double(const Thread& t, const Instruction& i, const Operand& o) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint64_t bits = o.kind == Kind::kNumber ? std::uint64_t{o.encoded} << 32 : LongBits(t, i, o);
  if (o.absolute) bits &= ~kSign;
  if (o.negative) bits ^= kSign;
  return std::bit_cast<double>(bits);
}

void Set(Thread* t, const Operand& o, std::uint32_t value, int after = 0) {
  const auto k = static_cast<std::size_t>(o.index + after);
  if (o.kind == Kind::kUniform) {
    if (o.index != kUniformZero) t->uniforms[k] = value;
  } else if (o.index != kZero) {
    t->registers[k] = value;
  }
}

void SetLong(Thread* t, const Operand& o, std::uint64_t value) {
  Set(t, o, static_cast<std::uint32_t>(value));
  Set(t, o, static_cast<std::uint32_t>(value >> 32), 1);
}

void SetSingle(Thread* t, const Operand& o, float value) {
  Set(t, o, std::bit_cast<std::uint32_t>(value));
}

void SetDouble(Thread* t, const Operand& o, double value) {
  SetLong(t, o, std::bit_cast<std::uint64_t>(value));
}

void SetTruth(Thread* t, const Operand& o, bool value) {
  if (o.index == kTrue) return;
  auto& all = o.kind == Kind::kUniformPredicate ? t->uniform_predicates : t->predicates;
  all[static_cast<std::size_t>(o.index)] = value;
}

// --- arithmetic of doubles and floats -------------------------------------------------------

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

// --- comparisons ----------------------------------------------------------------------------

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

// --- predicates -----------------------------------------------------------------------------

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

// --- integers -------------------------------------------------------------------------------

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
void AddThree(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::size_t first = FirstSource(i);
  std::uint64_t sum = 0;
  for (std::size_t k = first; k < first + 3; ++k) {
    if (o[k].negative) {
      sum += std::uint64_t{~Bits(t, i, o[k])} + 1;
    } else {
      sum += Word(t, i, o[k]);
    }
  }
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
  const std::uint32_t shifted = Word(t, i, o[k]) << o[k + 2].number;
  const std::uint64_t sum = std::uint64_t{shifted} + Word(t, i, o[k + 1]);
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
void AddTakeExtreme(const Instruction& i, Thread& t) {
  const Operands& o = i.operands;
  const std::uint32_t sum = Word(t, i, o[1]) + Word(t, i, o[2]);
  Set(&t, o[0], Extreme(i, sum, Word(t, i, o[3]), Holds(t, o[4])));
}

// --- conversions ----------------------------------------------------------------------------

template <class From>
void ToDouble(const Instruction& i, Thread& t) {
  const auto value = sizeof(From) == 8 ? static_cast<From>(Long(t, i, i.operands[1]))
                                       : static_cast<From>(Word(t, i, i.operands[1]));
  SetDouble(&t, i.operands[0], static_cast<double>(value));
}
void ToSingleUpward(const Instruction& i, Thread& t) {
  const Rounding rounding(FE_UPWARD);
  const volatile std::int32_t value = Signed(t, i, i.operands[1]);
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

// --- memory ---------------------------------------------------------------------------------

void LoadConstant(const Instruction& i, Thread& t) {
  const Operand& from = i.operands[1];
  if (i.bytes == 8) {
    SetLong(&t, i.operands[0], LongBits(t, i, from));
  } else if (i.bytes == 1) {
    Set(&t, i.operands[0], Constant<std::uint8_t>(t, i, from));
  } else {
    Set(&t, i.operands[0], Word(t, i, from));
  }
}

std::uint64_t LocalAddress(const Thread& t, const Operand& o) {
  const auto added = static_cast<std::int32_t>(t.registers[static_cast<std::size_t>(o.index)]);
  return static_cast<std::uint64_t>(o.offset + added) +
         t.uniforms[static_cast<std::size_t>(o.uniform)];
}
std::uint64_t GenericAddress(const Thread& t, const Operand& o) {
  const auto k = static_cast<std::size_t>(o.index), u = static_cast<std::size_t>(o.uniform);
  std::uint64_t address = static_cast<std::uint64_t>(o.offset) + t.registers[k];
  if (o.wide && k != kZero) address += std::uint64_t{t.registers[k + 1]} << 32;
  if (u != kUniformZero) address += t.uniforms[u] | std::uint64_t{t.uniforms[u + 1]} << 32;
  return address;
}

bool InGlobals(const Thread& t, const char* at, std::size_t bytes) {
  for (const auto& [section, memory] : t.launch->globals) {
    if (at >= memory.data() && at + bytes <= memory.data() + memory.size()) return true;
  }
  return false;
}

template <bool kLocal>
char* MemoryOf(const Instruction& i, Thread* t, const Operand& o) {
  std::uint64_t address = kLocal ? LocalAddress(*t, o) : GenericAddress(*t, o);
  if (address % i.bytes != 0) Stop(i.number, "an unaligned access");
  const bool local = kLocal || address >> 48 == kLocalWindow >> 48;
  if (local) {
    if (!kLocal) address -= kLocalWindow;
    if (address > t->local.size() || i.bytes > t->local.size() - address) {
      Stop(i.number, "an access outside the stack");
    }
    return t->local.data() + address;
  }
  char* at = reinterpret_cast<char*>(address);
  if (!t->launch->on_device(at, i.bytes) && !InGlobals(*t, at, i.bytes)) {
    Stop(i.number, "an access outside its memory");
  }
  return at;
}

template <class T>
std::uint32_t Read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<std::uint32_t>(value);
}
template <bool kLocal>
void Load(const Instruction& i, Thread& t) {
  const Operand& to = i.operands[0];
  const char* at = MemoryOf<kLocal>(i, &t, i.operands[1]);
  if (i.bytes == 1) {
    Set(&t, to, i.is_signed ? Read<std::int8_t>(at) : Read<std::uint8_t>(at));
  } else if (i.bytes == 2) {
    Set(&t, to, i.is_signed ? Read<std::int16_t>(at) : Read<std::uint16_t>(at));
  } else {
    for (int k = 0; k < i.bytes / 4; ++k) Set(&t, to, Read<std::uint32_t>(at + 4 * k), k);
  }
}
template <bool kLocal>
void Store(const Instruction& i, Thread& t) {
  const Operand& from = i.operands[1];
  if (from.kind != Kind::kRegister) Stop(i.number, "a store of other than registers");
  char* at = MemoryOf<kLocal>(i, &t, i.operands[0]);
  const std::size_t bytes = std::min<std::size_t>(i.bytes, 4);
  for (int k = 0; 4 * k < i.bytes; ++k) {
    const auto index = static_cast<std::size_t>(from.index + (from.index == kZero ? 0 : k));
    std::memcpy(at + 4 * k, &t.registers[index], bytes);
  }
}

// --- control --------------------------------------------------------------------------------

// Each number is that of an instruction of 16 bytes.
void Jump(const Instruction& i, Thread* t, std::uint32_t address) {
  if (address % 16 != 0) Stop(i.number, "a jump to nowhere");
  t->next = address / 16;
}
void Branch(const Instruction& i, Thread& t) {
  const bool taken = i.operands.size() == 1 || Holds(t, i.operands[0]);
  if (taken) Jump(i, &t, i.operands.back().number);
}
void Return(const Instruction& i, Thread& t) {
  Jump(i, &t, Word(t, i, i.operands[0]) + i.operands[1].number);
}
void BranchByTable(const Instruction& i, Thread& t) {
  const auto behind = static_cast<std::uint32_t>(16 * (i.number + 1));
  Jump(i, &t, behind + Word(t, i, i.operands[0]) + i.operands[1].number);
}
void Exit(const Instruction&, Thread& t) { t.ended = true; }
void Nothing(const Instruction&, Thread&) {}

// Threads of a warp wait for each other at barriers: alone, one need only be awaited where it
// waits.
std::uint32_t& BarrierOf(Thread* t, const Operand& o) {
  return t->barriers[static_cast<std::size_t>(o.index)];
}
void BeginBarrier(const Instruction& i, Thread& t) { BarrierOf(&t, i.operands[0]) = 1; }
void WaitAtBarrier(const Instruction& i, Thread& t) {
  std::uint32_t& barrier = BarrierOf(&t, i.operands[0]);
  if (barrier != 1) Stop(i.number, "waits where it is not awaited");
  barrier = 0;
}
void LeaveBarrier(const Instruction& i, Thread& t) {
  if (i.operands.size() == 1 || Holds(t, i.operands[0])) BarrierOf(&t, i.operands.back()) = 0;
}
void MoveBarrier(const Instruction& i, Thread& t) {
  if (i.operands[0].kind == Kind::kBarrier) {
    BarrierOf(&t, i.operands[0]) = Word(t, i, i.operands[1]);
  } else {
    Set(&t, i.operands[0], BarrierOf(&t, i.operands[1]));
  }
}
void MoveAndClearBarrier(const Instruction& i, Thread& t) {
  MoveBarrier(i, t);
  BarrierOf(&t, i.operands[1]) = 0;
}

}  // namespace

bool Holds(const Thread& t, const Operand& o) {
  const auto& all = o.kind == Kind::kUniformPredicate ? t.uniform_predicates : t.predicates;
  return all[static_cast<std::size_t>(o.index)] != o.inverted;
}

Table MakeTable() {
  const std::string compare = " LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU AND OR XOR ";
  const std::string memory = " E 64 128 U8 S8 U16 S16 CONSTANT LU ";
  return {
      {"DADD", {Add, ""}},
      {"DMUL", {Multiply, ""}},
      {"DMUL.RP", {MultiplyRounded<FE_UPWARD>, ""}},
      {"DFMA", {Fuse, ""}},
      {"DFMA.RP", {FuseRounded<FE_UPWARD>, ""}},
      {"DFMA.RM", {FuseRounded<FE_DOWNWARD>, ""}},
      {"FFMA", {FuseSingles, ""}},
      {"HFMA2.MMA", {LoadHalves, ""}},
      {"MUFU.RCP64H", {BeginReciprocal, ""}},
      {"MUFU.RSQ64H", {BeginReciprocalRoot, ""}},
      {"MUFU.RCP", {ReciprocalOfSingle, ""}},
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
      {"MOV", {Move, ""}},
      {"UMOV", {Move, ""}},
      {"R2UR", {Move, ""}},
      {"CS2R", {ClearLong, ""}},
      {"S2R", {ReadPlace, ""}},
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
      {"SHF.R.U32.HI", {ShiftRightUpper, ""}},
      {"SHF.R.S32.HI", {ShiftRightSigned, ""}},
      {"PRMT", {PermuteBytes, ""}},
      {"UPRMT", {PermuteBytes, ""}},
      {"SGXT", {ExtendSign, ""}},
      {"IABS", {Absolute, ""}},
      {"VIMNMX", {TakeExtreme, " U32 "}},
      {"VIADDMNMX", {AddTakeExtreme, " U32 "}},
      {"I2F.F64", {ToDouble<std::int32_t>, ""}},
      {"I2F.F64.S16", {ToDouble<std::int16_t>, ""}},
      {"I2F.F64.U16", {ToDouble<std::uint16_t>, ""}},
      {"I2F.F64.S64", {ToDouble<std::int64_t>, ""}},
      {"I2F.RP", {ToSingleUpward, ""}},
      {"F2I.F64.TRUNC", {ToInteger, ""}},
      {"F2I.S64.F64.TRUNC", {ToLong, ""}},
      {"F2I.FTZ.U32.TRUNC.NTZ", {SingleToUnsigned, ""}},
      {"F2F.F64.F32", {Widen, ""}},
      {"F2F.F32.F64", {Narrow, ""}},
      {"LDC", {LoadConstant, " 64 U8 "}},
      {"ULDC", {LoadConstant, " 64 "}},
      {"LDL", {Load<true>, memory}},
      {"STL", {Store<true>, memory}},
      {"LDG", {Load<false>, memory}},
      {"STG", {Store<false>, memory}},
      {"LD", {Load<false>, memory}},
      {"ST", {Store<false>, memory}},
      {"BRA", {Branch, ""}},
      {"CALL.REL.NOINC", {Branch, ""}},
      {"RET.REL.NODEC", {Return, ""}},
      {"BRX", {BranchByTable, ""}},
      {"EXIT", {Exit, ""}},
      {"NOP", {Nothing, ""}},
      {"WARPSYNC.ALL", {Nothing, ""}},
      {"BSSY", {BeginBarrier, ""}},
      {"BSYNC", {WaitAtBarrier, ""}},
      {"BREAK", {LeaveBarrier, ""}},
      {"BMOV.32", {MoveBarrier, ""}},
      {"BMOV.32.CLEAR", {MoveAndClearBarrier, ""}},
  };
}

}  // namespace stand_in::sass
