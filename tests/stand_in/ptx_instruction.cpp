#include "tests/stand_in/ptx_instruction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace stand_in::ptx {

namespace {

template <class T>
T Get(const std::uint64_t* r, int slot) {
  T value;
  std::memcpy(&value, r + slot, sizeof(T));
  return value;
}

template <class T>
std::uint64_t Widened(T value) {
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(value);
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(value);
  if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(value);
}

template <class T>
char* Address(const Instruction& i, const std::uint64_t* r) {
  return reinterpret_cast<char*>(r[i.slot[0]] + static_cast<std::uint64_t>(i.offset));
}

template <class T, int N>
void Load(const Instruction& i, std::uint64_t* r) {
  const char* at = Address<T>(i, r);
  for (int k = 0; k < N; ++k) {
    T value;
    std::memcpy(&value, at + k * sizeof(T), sizeof(T));
    r[i.slot[1 + k]] = Widened(value);
  }
}

template <class T, int N>
void Store(const Instruction& i, std::uint64_t* r) {
  char* at = Address<T>(i, r);
  for (int k = 0; k < N; ++k) std::memcpy(at + k * sizeof(T), r + i.slot[1 + k], sizeof(T));
}

// An operation of T that gives a U, on as many operands as it takes.
template <class T, class U, class Operation, std::size_t... K>
void Apply(const Instruction& i, std::uint64_t* r, std::index_sequence<K...>) {
  r[i.slot[0]] = Widened(static_cast<U>(Operation{}(Get<T>(r, i.slot[1 + K])...)));
}
template <class T, class U, int kOperands, class Operation>
Handler Make(Operation) {
  static_assert(std::is_empty_v<Operation>, "made anew for each call");
  return [](const Instruction& i, std::uint64_t* r) {
    Apply<T, U, Operation>(i, r, std::make_index_sequence<kOperands>{});
  };
}

// What every type has; `name` as in u32. Integers wrap, so sums and products are taken unsigned.
template <class T>
void AddMemory(const std::string& name, Table* table) {
  (*table)["ld." + name] = Load<T, 1>;
  (*table)["ld.v2." + name] = Load<T, 2>;
  (*table)["ld.v4." + name] = Load<T, 4>;
  (*table)["st." + name] = Store<T, 1>;
  (*table)["st.v2." + name] = Store<T, 2>;
  (*table)["st.v4." + name] = Store<T, 4>;
}

template <class T>
void AddComparisons(const std::string& name, Table* table) {
  Table& t = *table;
  t["setp.eq." + name] = Make<T, bool, 2>([](T a, T b) { return a == b; });
  t["setp.lt." + name] = Make<T, bool, 2>([](T a, T b) { return a < b; });
  t["setp.le." + name] = Make<T, bool, 2>([](T a, T b) { return a <= b; });
  t["setp.gt." + name] = Make<T, bool, 2>([](T a, T b) { return a > b; });
  t["setp.ge." + name] = Make<T, bool, 2>([](T a, T b) { return a >= b; });
  // Of floating-point values `ne` is false for NaN, and `…u` is true for NaN.
  t["setp.ne." + name] = Make<T, bool, 2>([](T a, T b) { return a < b || a > b; });
  t["setp.equ." + name] = Make<T, bool, 2>([](T a, T b) { return !(a < b || a > b); });
  t["setp.ltu." + name] = Make<T, bool, 2>([](T a, T b) { return !(a >= b); });
  t["setp.leu." + name] = Make<T, bool, 2>([](T a, T b) { return !(a > b); });
  t["setp.gtu." + name] = Make<T, bool, 2>([](T a, T b) { return !(a <= b); });
  t["setp.geu." + name] = Make<T, bool, 2>([](T a, T b) { return !(a < b); });
  t["setp.neu." + name] = Make<T, bool, 2>([](T a, T b) { return !(a == b); });
  t["setp.num." + name] = Make<T, bool, 2>([](T a, T b) { return a == a && b == b; });
  t["setp.nan." + name] = Make<T, bool, 2>([](T a, T b) { return a != a || b != b; });
}

template <class T>
void AddIntegers(const std::string& name, Table* table) {
  using U = std::uint64_t;
  Table& t = *table;
  AddMemory<T>(name, table);
  AddComparisons<T>(name, table);
  t["add." + name] = Make<T, T, 2>([](T a, T b) { return static_cast<U>(a) + static_cast<U>(b); });
  t["sub." + name] = Make<T, T, 2>([](T a, T b) { return static_cast<U>(a) - static_cast<U>(b); });
  t["mul.lo." + name] =
      Make<T, T, 2>([](T a, T b) { return static_cast<U>(a) * static_cast<U>(b); });
  t["mad.lo." + name] = Make<T, T, 3>(
      [](T a, T b, T c) { return static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c); });
  t["neg." + name] = Make<T, T, 1>([](T a) { return U{0} - static_cast<U>(a); });
  t["min." + name] = Make<T, T, 2>([](T a, T b) { return std::min(a, b); });
  t["max." + name] = Make<T, T, 2>([](T a, T b) { return std::max(a, b); });
  // What a division by zero gives is not specified: all ones here.
  t["div." + name] = Make<T, T, 2>([](T a, T b) { return b == 0 ? T(-1) : T(a / b); });
  t["rem." + name] = Make<T, T, 2>([](T a, T b) { return b == 0 ? T(-1) : T(a % b); });
  t["shr." + name] = [](const Instruction& i, std::uint64_t* r) {
    constexpr std::uint32_t kLast = 8 * sizeof(T) - 1;
    const T a = Get<T>(r, i.slot[1]);
    const auto by = Get<std::uint32_t>(r, i.slot[2]);
    const T last = static_cast<T>(a >> kLast);
    r[i.slot[0]] = Widened(by > kLast ? (std::is_signed_v<T> ? last : T(0)) : T(a >> by));
  };
  t["shl." + name] = [](const Instruction& i, std::uint64_t* r) {
    const auto by = Get<std::uint32_t>(r, i.slot[2]);
    r[i.slot[0]] = by >= 8 * sizeof(T) ? 0 : Get<U>(r, i.slot[1]) << by;
  };
  t["cvt.rn.f64." + name] = Make<T, double, 1>([](T a) { return static_cast<double>(a); });
  t["cvt.rzi." + name + ".f64"] = Make<double, T, 1>([](double a) {
    constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
    if (std::isnan(a)) return T(0);
    if (a <= kLow) return std::numeric_limits<T>::min();
    return a >= kHigh ? std::numeric_limits<T>::max() : static_cast<T>(a);
  });
  const auto from = [&](auto other, const std::string& other_name) {
    using F = decltype(other);
    t["cvt." + name + "." + other_name] = Make<F, T, 1>([](F a) { return static_cast<T>(a); });
  };
  from(std::int8_t{}, "s8"), from(std::int16_t{}, "s16"), from(std::int32_t{}, "s32");
  from(std::int64_t{}, "s64"), from(std::uint8_t{}, "u8"), from(std::uint16_t{}, "u16");
  from(std::uint32_t{}, "u32"), from(std::uint64_t{}, "u64");
}

template <class T, class Wide>
void AddWide(const std::string& name, Table* table) {
  (*table)["mul.wide." + name] = Make<T, Wide, 2>([](T a, T b) { return Wide(a) * Wide(b); });
  (*table)["mad.wide." + name] = [](const Instruction& i, std::uint64_t* r) {
    const Wide product = Wide(Get<T>(r, i.slot[1])) * Wide(Get<T>(r, i.slot[2]));
    r[i.slot[0]] = Widened(static_cast<Wide>(product + Get<Wide>(r, i.slot[3])));
  };
  (*table)["mul.hi." + name] = Make<T, T, 2>(
      [](T a, T b) { return static_cast<T>((Wide(a) * Wide(b)) >> (8 * sizeof(T))); });
}

// The one that is a number; of zeros max takes +0 and min −0.
double Larger(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Bits of the first operand, a number of so many bits, in the place of some of the second's.
std::uint64_t Inserted(const Instruction& i, const std::uint64_t* r, unsigned bits) {
  const auto from = Get<std::uint32_t>(r, i.slot[3]) & 255U,
             count = Get<std::uint32_t>(r, i.slot[4]) & 255U;
  if (from >= bits) return r[i.slot[2]];
  const std::uint64_t ones = count > 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  const std::uint64_t mask = ones << from;
  return (r[i.slot[1]] << from & mask) | (r[i.slot[2]] & ~mask);
}

std::uint32_t Permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t result = 0;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t pick = selector >> (4 * k) & 15u;
    std::uint32_t byte = static_cast<std::uint32_t>(both >> (8 * (pick & 7u))) & 0xFFu;
    if ((pick & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xFFu : 0u;
    result |= byte << (8 * k);
  }
  return result;
}

}  // namespace

Table MakeTable() {
  using std::uint32_t;
  using U = std::uint64_t;
  Table t;
  AddIntegers<std::int8_t>("s8", &t);
  AddIntegers<std::int16_t>("s16", &t);
  AddIntegers<std::int32_t>("s32", &t);
  AddIntegers<std::int64_t>("s64", &t);
  AddIntegers<std::uint8_t>("u8", &t);
  AddIntegers<std::uint16_t>("u16", &t);
  AddIntegers<uint32_t>("u32", &t);
  AddIntegers<U>("u64", &t);
  AddIntegers<std::uint8_t>("b8", &t);
  AddIntegers<std::uint16_t>("b16", &t);
  AddIntegers<uint32_t>("b32", &t);
  AddIntegers<U>("b64", &t);
  AddWide<std::int16_t, std::int32_t>("s16", &t);
  AddWide<std::int32_t, std::int64_t>("s32", &t);
  AddWide<std::uint16_t, uint32_t>("u16", &t);
  AddWide<uint32_t, U>("u32", &t);
  AddMemory<double>("f64", &t);
  AddMemory<float>("f32", &t);
  AddComparisons<double>("f64", &t);
  AddComparisons<float>("f32", &t);

  for (const char* type : {"b8", "b16", "b32", "b64", "s16", "s32", "s64", "u16", "u32", "u64",
                           "f32", "f64", "pred"}) {
    const std::string name = type;
    t["mov." + name] = Make<U, U, 1>([](U a) { return a; });
    t["and." + name] = Make<U, U, 2>([](U a, U b) { return a & b; });
    t["or." + name] = Make<U, U, 2>([](U a, U b) { return a | b; });
    t["xor." + name] = Make<U, U, 2>([](U a, U b) { return a ^ b; });
    t["not." + name] = Make<U, U, 1>([](U a) { return ~a; });
    t["selp." + name] = Make<U, U, 3>([](U a, U b, U p) { return p != 0 ? a : b; });
  }
  // A predicate is 0 or 1, but is written as -1 for true.
  t["mov.pred"] = Make<U, U, 1>([](U a) { return a & 1u; });
  t["not.pred"] = Make<U, U, 1>([](U a) { return a ^ 1u; });
  t["cvta.local.u64"] = t["cvta.global.u64"] = t["mov.u64"];
  t["cvta.to.local.u64"] = t["cvta.to.global.u64"] = t["mov.u64"];
  t["prmt.b32"] = Make<uint32_t, uint32_t, 3>(
      [](uint32_t a, uint32_t b, uint32_t c) { return Permuted(a, b, c); });

  t["clz.b64"] =
      Make<U, uint32_t, 1>([](U a) { return static_cast<uint32_t>(std::countl_zero(a)); });
  t["popc.b32"] = Make<uint32_t, uint32_t, 1>(
      [](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); });
  t["popc.b64"] = Make<U, uint32_t, 1>([](U a) { return static_cast<uint32_t>(std::popcount(a)); });
  // Bits of one number in the place of another's.
  t["bfi.b32"] = [](const Instruction& i, std::uint64_t* r) {
    r[i.slot[0]] = Widened(static_cast<uint32_t>(Inserted(i, r, 32)));
  };
  t["bfi.b64"] = [](const Instruction& i, std::uint64_t* r) { r[i.slot[0]] = Inserted(i, r, 64); };

  t["add.rn.f64"] = Make<double, double, 2>([](double a, double b) { return a + b; });
  t["sub.rn.f64"] = Make<double, double, 2>([](double a, double b) { return a - b; });
  t["mul.rn.f64"] = Make<double, double, 2>([](double a, double b) { return a * b; });
  t["div.rn.f64"] = Make<double, double, 2>([](double a, double b) { return a / b; });
  t["rcp.rn.f64"] = Make<double, double, 1>([](double a) { return 1.0 / a; });
  t["sqrt.rn.f64"] = Make<double, double, 1>([](double a) { return std::sqrt(a); });
  t["fma.rn.f64"] =
      Make<double, double, 3>([](double a, double b, double c) { return std::fma(a, b, c); });
  t["neg.f64"] = Make<U, U, 1>([](U a) { return a ^ U { 1 } << 63; });
  t["abs.f64"] = Make<U, U, 1>([](U a) { return a & ~(U{1} << 63); });
  t["max.f64"] = Make<double, double, 2>([](double a, double b) { return Larger(a, b); });
  t["min.f64"] = Make<double, double, 2>([](double a, double b) { return -Larger(-a, -b); });
  t["sub.rn.f32"] = Make<float, float, 2>([](float a, float b) { return a - b; });
  t["mul.rn.f32"] = Make<float, float, 2>([](float a, float b) { return a * b; });
  t["abs.f32"] = Make<float, float, 1>([](float a) { return std::fabs(a); });
  t["cvt.rn.f32.s16"] =
      Make<std::int16_t, float, 1>([](std::int16_t a) { return static_cast<float>(a); });
  t["cvt.f64.f32"] = Make<float, double, 1>([](float a) { return a; });
  t["cvt.rn.f32.f64"] = Make<double, float, 1>([](double a) { return static_cast<float>(a); });

  // mov between a register and a vector of its parts.
  t["split.b64"] = [](const Instruction& i, std::uint64_t* r) {
    const U whole = r[i.slot[2]];
    r[i.slot[0]] = static_cast<uint32_t>(whole);
    r[i.slot[1]] = whole >> 32;
  };
  t["split.b32"] = [](const Instruction& i, std::uint64_t* r) {
    const uint32_t whole = Get<uint32_t>(r, i.slot[2]);
    r[i.slot[0]] = static_cast<std::uint16_t>(whole);
    r[i.slot[1]] = whole >> 16;
  };
  t["join.b64"] = [](const Instruction& i, std::uint64_t* r) {
    r[i.slot[0]] = U{Get<uint32_t>(r, i.slot[2])} << 32 | Get<uint32_t>(r, i.slot[1]);
  };
  t["join.b32"] = [](const Instruction& i, std::uint64_t* r) {
    r[i.slot[0]] = U{Get<std::uint16_t>(r, i.slot[2])} << 16 | Get<std::uint16_t>(r, i.slot[1]);
  };
  // mov of a symbol: its address.
  t["address"] = [](const Instruction& i, std::uint64_t* r) {
    r[i.slot[0]] = r[i.slot[1]] + static_cast<U>(i.offset);
  };
  return t;
}

}  // namespace stand_in::ptx
