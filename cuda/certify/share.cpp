#include "cuda/certify/share.h"

#include <cmath>
#include <optional>

#include "cuda/certify/half_space_share.h"
#include "cuda/rules/polytope/polyhedron.h"

namespace intervox::cuda::internal::certify {
namespace {

using geometry::Bounds;
using geometry::internal::AbsOf;
using geometry::internal::MaxOf;
using geometry::internal::MinOf;

/** Room for the rounding of a share or a mean of some dozen operations, relative. */
constexpr double kRoom = 1e-14;
/** Of so many surfaces each two are compared. */
constexpr std::size_t kCompared = 6;

/** lo and hi around what was computed to kRoom of its terms. */
Bounds Around(double value, double terms) { return {value - kRoom * terms, value + kRoom * terms}; }

Bounds Plus(const Bounds& x, const Bounds& y) {
  return {x.lo + y.lo - kRoom * AbsOf(x.lo + y.lo), x.hi + y.hi + kRoom * AbsOf(x.hi + y.hi)};
}

/** b's entry of the axes i and j. */
double Mixed(const BoxLevel& s, int i, int j) { return s.b[3 - i - j]; }

/** Bounds of the level over the face v_k = at, less than RangeOf takes. */
Bounds OverFace(const BoxLevel& s, int k, double at) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  double terms = AbsOf(s.f) + AbsOf(s.g[k]) + AbsOf(s.a[k]) + 2 * AbsOf(Mixed(s, i, j));
  Bounds r{s.f + at * s.g[k] + s.a[k] + s.low - 2 * AbsOf(Mixed(s, i, j)),
           s.f + at * s.g[k] + s.a[k] + s.high + 2 * AbsOf(Mixed(s, i, j))};
  for (const int n : {i, j}) {
    const double g = AbsOf(s.g[n] + 2 * at * Mixed(s, k, n)), a = s.a[n];
    r.lo += AbsOf(a) * 2 < g ? a - g : a > 0 ? -g * g / (4 * a) : a - g;
    r.hi += AbsOf(a) * 2 < g ? a + g : a < 0 ? -g * g / (4 * a) : a + g;
    terms += AbsOf(s.g[n]) + 2 * AbsOf(Mixed(s, k, n)) + AbsOf(a);
  }
  return {r.lo - kRoom * terms, r.hi + kRoom * terms};
}

/** (S2), (S3): the mean of v_k on the surface, over the box' face across k, where it is known. */
std::optional<Bounds> MeanHeight(const BoxLevel& s, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double turn = s.g[k] < 0 ? -1 : 1;
  const double spread =
      2 * (AbsOf(s.a[k]) + AbsOf(Mixed(s, k, i)) + AbsOf(Mixed(s, k, j))) + s.slope[k];
  const double steep = AbsOf(s.g[k]);
  const double least = (1 - kRoom) * steep - (1 + kRoom) * spread;
  if (!(least > 0)) return {};
  // A root on the axis through the middle, within what rounding leaves of it. `at` is the level
  // about it.
  BoxLevel at = s;
  double v = 0;
  const auto move = [&](double step) {
    v += step;
    if (s.torus != nullptr) {
      Vec3 c = s.centre;
      c[k] += v * s.half[k];
      at = LevelOver(*s.torus, c, s.half);
      return;
    }
    at.f = s.f + v * (s.g[k] + v * s.a[k]);
    at.g[k] = s.g[k] + 2 * v * s.a[k];
    at.g[i] = s.g[i] + 2 * v * Mixed(s, k, i);
    at.g[j] = s.g[j] + 2 * v * Mixed(s, k, j);
  };
  for (int step = 0; step < 4 && AbsOf(at.f) > s.slack; ++step) move(-at.f / at.g[k]);
  if (!(AbsOf(v) < 1)) return {};
  const double off = AbsOf(at.f) + s.slack + kRoom * (AbsOf(s.f) + steep + AbsOf(s.a[k]));
  // The surface leaves the box through its sides alone, with room for `off`.
  if (!(turn * (turn > 0 ? OverFace(s, k, 1).lo : OverFace(s, k, 1).hi) > off) ||
      !(turn * (turn > 0 ? OverFace(s, k, -1).hi : OverFace(s, k, -1).lo) < -off)) {
    return {};
  }
  Bounds mean = Around(v, 1);
  double bend = 0, terms = 0;
  for (const int n : {i, j}) {
    const double rate = -at.g[n] / at.g[k];
    bend -= (2 * at.a[n] + rate * (4 * Mixed(at, n, k) + 2 * rate * at.a[k])) / at.g[k];
    terms += (AbsOf(at.a[n]) + AbsOf(rate * Mixed(at, n, k)) + rate * rate * AbsOf(at.a[k])) * 4 /
             AbsOf(at.g[k]);
  }
  mean = Plus(mean, Around(bend / 6, terms));
  const double z = 1 / least;
  const double t = AbsOf(s.g[i]) + AbsOf(s.g[j]) + s.slope[i] + s.slope[j] +
                   2 * (AbsOf(s.a[i]) + AbsOf(s.a[j]) + 2 * AbsOf(Mixed(s, i, j)) +
                        AbsOf(Mixed(s, k, i)) + AbsOf(Mixed(s, k, j)));
  const double tt = 2 * (AbsOf(s.a[i]) + AbsOf(s.a[j]) + 2 * AbsOf(Mixed(s, i, j))) + 4 * s.bend;
  const double tz = 2 * (AbsOf(Mixed(s, k, i)) + AbsOf(Mixed(s, k, j))) + 2 * s.bend;
  const double zz = 2 * AbsOf(s.a[k]) + s.bend;
  const TorusDerivatives d =
      s.torus != nullptr ? HigherDerivatives(*s.torus, s.centre, s.half, k) : TorusDerivatives{};
  // Derivatives of the height across the face, along any direction in it, at most.
  const double h1 = t * z;
  const double h2 = z * (tt + h1 * (2 * tz + h1 * zz));
  const double h3 =
      z * (d.ttt + h1 * (3 * d.ttz + h1 * (3 * d.tzz + h1 * d.zzz)) + 3 * h2 * (tz + zz * h1));
  const double h4 =
      z * (d.tttt + h1 * (4 * d.tttz + h1 * (6 * d.ttzz + h1 * (4 * d.tzzz + h1 * d.zzzz))) +
           6 * h2 * (d.ttz + h1 * (2 * d.tzz + h1 * d.zzz)) + 4 * h3 * (tz + zz * h1) +
           3 * zz * h2 * h2);
  const double error = (1 + 16 * kRoom) * h4 / 24;
  mean = {mean.lo - error, mean.hi + error};
  const double shift = (1 + kRoom) * off / least;
  return Bounds{mean.lo - shift, mean.hi + shift};
}

/** (S5): whether no point of the box lies beyond both surfaces. */
bool AreDisjoint(const BoxLevel& one, const BoxLevel& other) {
  for (int k = 0; k < 3; ++k) {
    if (!(one.g[k] * other.g[k] < 0)) continue;
    const double s = AbsOf(other.g[k]), t = AbsOf(one.g[k]);
    if (RangeOf(Combined(s, one, t, other)).hi <= 0) return true;
  }
  return false;
}

/** (S6): the least found shift of `one` beyond which lies all that is beyond `other`. */
double ShiftAround(const BoxLevel& one, const BoxLevel& other) {
  int k = AbsOf(one.g.x) > AbsOf(one.g.y) ? 0 : 1;
  if (AbsOf(one.g.z) > AbsOf(one.g[k])) k = 2;
  if (!(one.g[k] * other.g[k] > 0)) return -1;
  const double t = one.g[k] / other.g[k];
  return MaxOf(0.0, -RangeOf(Combined(1, one, -t, other)).lo);
}

/** Cuts c + g·v ≤ 0 away from lower ≤ v ≤ upper; false where nothing is left. */
bool CutAway(double c, const Vec3& g, Vec3* lower, Vec3* upper) {
  double most[3], total = c, terms = AbsOf(c);
  for (int k = 0; k < 3; ++k) {
    most[k] = MaxOf(g[k] * (*lower)[k], g[k] * (*upper)[k]);
    total += most[k];
    terms += AbsOf(most[k]);
  }
  const double room = kRoom * terms;
  if (total + room <= 0) return false;
  for (int k = 0; k < 3; ++k) {
    if (g[k] == 0) continue;
    const double bound = -(total - most[k] + room) / g[k];
    const double slack = kRoom * AbsOf(bound);
    if (g[k] > 0 && bound - slack > (*lower)[k]) (*lower)[k] = bound - slack;
    if (g[k] < 0 && bound + slack < (*upper)[k]) (*upper)[k] = bound + slack;
  }
  return (*lower).x <= (*upper).x && (*lower).y <= (*upper).y && (*lower).z <= (*upper).z;
}

/** The polytope of a box and half-spaces. Coincident planes may count as one where they are apart
 by 4e-13 of the box, and corners are off by less: no share moves by more than kPolytopeRoom. */
constexpr double kOnPlane = 1e-15;
constexpr double kPolytopeRoom = 1e-12;

/** The share of the box with side (c + g·v) ≤ 0 for all of the planes; < 0: too many. */
template <class P>
double PolytopeShare(std::span<const BoxLevel> levels, double side, bool outer, P* polytope) {
  polytope->SetBox(Vec3{-1, -1, -1}, Vec3{1, 1, 1});
  for (const BoxLevel& level : levels) {
    const Bounds bend = BendOf(level);
    const double c = side * (level.f + ((side > 0) == outer ? bend.lo : bend.hi));
    const double length = Norm(level.g);
    if (!(length > 0)) {
      if (c > 0) return 0;
      continue;
    }
    const Cut cut =
        polytope->Clip({(side / length) * level.g, -c / length, 0, 0}, kOnPlane, kOnPlane);
    if (cut == Cut::kEmpty) return 0;
    if (cut == Cut::kFull) return -1;
  }
  double area = 0;
  return 0.125 * polytope->Integrate(&area).v;
}

/** (S7): bounds of the share beyond both. */
Bounds ShareBeyondBoth(const BoxLevel& one, const BoxLevel& other) {
  const BoxLevel levels[2] = {one, other};
  Polyhedron<24, 16> polytope;
  const double most = PolytopeShare(levels, -1, true, &polytope) + 2 * kPolytopeRoom;
  const double least = PolytopeShare(levels, -1, false, &polytope) - 2 * kPolytopeRoom;
  return {MaxOf(0.0, least), most};
}

/** Where all surfaces are planes. */
Bounds ShareWithinPlanes(std::span<const BoxLevel> levels) {
  Polyhedron<96, 48> polytope;
  const double most = PolytopeShare(levels, 1, true, &polytope);
  const double least = PolytopeShare(levels, 1, false, &polytope);
  if (most < 0 || least < 0) return {0, 1};
  const double room = kPolytopeRoom * static_cast<double>(levels.size());
  return {MaxOf(0.0, least - room), MinOf(1.0, most + room)};
}

double SnapDown(double x) {
  const double scaled = x / kGrain;
  auto n = static_cast<std::int64_t>(scaled);
  if (static_cast<double>(n) > scaled) --n;
  return static_cast<double>(n) * kGrain;
}

double SnapUp(double x) { return -SnapDown(-x); }

}  // namespace

Bounds ShareBeyond(const BoxLevel& level) {
  const Bounds bend = BendOf(level);
  Bounds share{(1 - kRoom) * HalfSpaceShare(level.f + bend.lo, level.g),
               (1 + kRoom) * HalfSpaceShare(level.f + bend.hi, level.g)};
  const double steep = AbsOf(level.g.x) + AbsOf(level.g.y) + AbsOf(level.g.z);
  if (!level.smooth || bend.hi - bend.lo < 64 * kRoom * steep) return share;
  int k = AbsOf(level.g.x) > AbsOf(level.g.y) ? 0 : 1;
  if (AbsOf(level.g.z) > AbsOf(level.g[k])) k = 2;
  const std::optional<Bounds> mean = MeanHeight(level, k);
  if (!mean) return share;
  const Bounds above = level.g[k] > 0 ? Bounds{0.5 - 0.5 * mean->hi, 0.5 - 0.5 * mean->lo}
                                      : Bounds{0.5 + 0.5 * mean->lo, 0.5 + 0.5 * mean->hi};
  share.lo = MaxOf(share.lo, above.lo - kRoom);
  share.hi = MinOf(share.hi, above.hi + kRoom);
  return share;
}

Bounds ShareWithin(std::span<const BoxLevel> levels) {
  const std::size_t n = levels.size();
  if (n == 0) return {1, 1};
  bool planes = true;
  for (const BoxLevel& level : levels) planes = planes && level.plane;
  if (planes && n > 1 && n <= 40) return ShareWithinPlanes(levels);
  if (n > kCompared) {
    Bounds out{1, 1};
    for (const BoxLevel& level : levels) {
      const Bounds beyond = ShareBeyond(level);
      out.lo -= beyond.hi + kRoom;
      out.hi = MinOf(out.hi, 1 - beyond.lo + kRoom);
    }
    return {MaxOf(out.lo, 0.0), out.hi};
  }
  // Surfaces that nearly coincide become one, with room for both.
  BoxLevel set[kCompared];
  Bounds beyond[kCompared];
  std::size_t sets = 0;
  double most = 0;
  for (const BoxLevel& level : levels) {
    const Bounds own = ShareBeyond(level);
    most = MaxOf(most, own.lo);
    bool merged = false;
    for (std::size_t i = 0; i < sets && !merged; ++i) {
      const double out = ShiftAround(set[i], level), in = ShiftAround(level, set[i]);
      if (out < 0 || in < 0) continue;
      // The one that has more beyond it stays; what was merged into it stays within its room.
      BoxLevel wide = out <= in ? set[i] : level;
      const double by = (1 + kRoom) * MinOf(out, in);
      wide.high += by;
      wide.slack += by;
      const Bounds both = by == 0 ? (out <= in ? beyond[i] : own) : ShareBeyond(wide);
      if (both.hi > MinOf(beyond[i].hi, own.hi) + 0.5 * MaxOf(beyond[i].hi, own.hi)) continue;
      set[i] = wide;
      beyond[i] = both;
      merged = true;
    }
    if (merged) continue;
    set[sets] = level;
    beyond[sets++] = own;
  }
  // Inclusion and exclusion, cut off on either side.
  Bounds out{1, 1};
  Bounds pairs[kCompared][kCompared];
  double terms = 1;
  for (std::size_t i = 0; i < sets; ++i) {
    out.lo -= beyond[i].hi;
    out.hi -= beyond[i].lo;
    terms += beyond[i].hi;
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = AreDisjoint(set[i], set[j]);
      pairs[i][j] = apart ? Bounds{} : ShareBeyondBoth(set[i], set[j]);
      out.lo += pairs[i][j].lo;
      out.hi += pairs[i][j].hi;
      terms += pairs[i][j].hi;
      for (std::size_t k = 0; k < j; ++k) {
        out.lo -= MinOf(pairs[i][j].hi, MinOf(pairs[i][k].hi, pairs[j][k].hi));
      }
    }
  }
  return {MaxOf(0.0, out.lo - kRoom * terms), MinOf(MinOf(1 - most, out.hi) + kRoom * terms, 1.0)};
}

bool Shrink(const BoxLevel& level, Box* box) {
  // −f ≥ 0 somewhere: what lies where the least of f is above zero goes.
  Vec3 lower{-1, -1, -1}, upper{1, 1, 1};
  const double least = level.f + BendOf(level).lo;
  if (!CutAway(-least, -level.g, &lower, &upper)) return false;
  const Vec3 c = box->Centre(), h = box->Half();
  for (int k = 0; k < 3; ++k) {
    if (lower[k] > -1) box->lower[k] = MaxOf(box->lower[k], SnapDown(c[k] + h[k] * lower[k]));
    if (upper[k] < 1) box->upper[k] = MinOf(box->upper[k], SnapUp(c[k] + h[k] * upper[k]));
  }
  return box->lower.x < box->upper.x && box->lower.y < box->upper.y && box->lower.z < box->upper.z;
}

}  // namespace intervox::cuda::internal::certify
