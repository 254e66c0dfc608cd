#include "integrators/tableau.h"

namespace intervox::integrators {
namespace {

constexpr double kSqrt2 = 1.41421356237309504880168872420969808;

constexpr Tableau Explicit(Tableau t) {
  for (int i = 0; i < t.stages; ++i) {
    t.c[i] = 0.0;
    for (int j = 0; j < i; ++j) {
      t.a_implicit[i][j] = t.a_explicit[i][j];
      t.c[i] += t.a_explicit[i][j];
    }
  }
  return t;
}

// ARK2(2,3,2): gamma = 1 − 1/√2, delta = 1/(2√2), alpha = (3 + 2√2)/6.
constexpr double kGamma2 = 1.0 - 1.0 / kSqrt2;
constexpr double kDelta2 = 1.0 / (2.0 * kSqrt2);
constexpr double kAlpha2 = (3.0 + 2.0 * kSqrt2) / 6.0;

// ARK3(2)4L[2]SA: diagonal and weights, which are also the last implicit row (stiffly accurate).
constexpr double kGamma3 = 1767732205903.0 / 4055673282236.0;
constexpr double kB31 = 1471266399579.0 / 7840856788654.0;
constexpr double kB32 = -4482444167858.0 / 7529755066697.0;
constexpr double kB33 = 11266239266428.0 / 11593286722821.0;

constexpr Tableau kTableaus[] = {
    Explicit({"rk1", 1, 1, {{0}}, {}, {1}, {}}),
    Explicit({"rk2", 2, 2, {{0}, {1}}, {}, {1.0 / 2, 1.0 / 2}, {}}),
    Explicit({"rk3", 3, 3, {{0}, {1.0 / 2}, {0, 3.0 / 4}}, {}, {2.0 / 9, 1.0 / 3, 4.0 / 9}, {}}),
    Explicit({"rk4",
              4,
              4,
              {{0}, {1.0 / 2}, {0, 1.0 / 2}, {0, 0, 1}},
              {},
              {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
              {}}),
    Explicit({"rk5",
              6,
              5,
              {{0},
               {1.0 / 5},
               {3.0 / 40, 9.0 / 40},
               {44.0 / 45, -56.0 / 15, 32.0 / 9},
               {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
               {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
              {},
              {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
              {}}),
    {"be1", 1, 1, {{0}}, {{1}}, {1}, {1}},
    {"ark1", 2, 1, {{0}, {1}}, {{0}, {0, 1}}, {0, 1}, {0, 1}},
    {"ark2",
     3,
     2,
     {{0}, {2 - kSqrt2}, {1 - kAlpha2, kAlpha2}},
     {{0}, {kGamma2, kGamma2}, {kDelta2, kDelta2, kGamma2}},
     {kDelta2, kDelta2, kGamma2},
     {0, 2 - kSqrt2, 1}},
    {"ark3",
     4,
     3,
     {{0},
      {1767732205903.0 / 2027836641118.0},
      {5535828885825.0 / 10492691773637.0, 788022342437.0 / 10882634858940.0},
      {6485989280629.0 / 16251701735622.0, -4246266847089.0 / 9704473918619.0,
       10755448449292.0 / 10357097424841.0}},
     {{0},
      {kGamma3, kGamma3},
      {2746238789719.0 / 10658868560708.0, -640167445237.0 / 6845629431997.0, kGamma3},
      {kB31, kB32, kB33, kGamma3}},
     {kB31, kB32, kB33, kGamma3},
     {0, 1767732205903.0 / 2027836641118.0, 3.0 / 5, 1}}};

}  // namespace

std::span<const Tableau> AllTableaus() { return kTableaus; }

const Tableau* FindTableau(std::string_view name) {
  for (const Tableau& t : kTableaus) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

}  // namespace intervox::integrators
