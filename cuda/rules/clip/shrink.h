/** @file The clip rule's box, shrunk to what its surfaces leave of it. */
#pragma once

#include "cuda/rules/clip/tree.h"
#include "cuda/surface/bend.h"

namespace intervox::cuda::internal::clip {

/** A lower bound of a level g over a box c ± h: c + 2 b·u + uᵀEu ≤ g with u = (y − c)/h. */
struct LevelBound : MappedQuadric {
  bool known = false;
};

/** (C9): the bound of a torus' level over a ball of radius r. Where it bends alike, its expansion
 to second order less the rest is the bound; else its tangent plane is, less what its least
 eigenvalue bends it by. */
INTERVOX_HD inline LevelBound BoundTorus(const MappedSurface& s, const Vec3& c, const Vec3& h) {
  LevelBound out;
  const double r = Norm(Scaled(s.length, h)), R = s.e.x;
  const TorusBend bend = BendOver(s, c, r);
  const double least_d = bend.d - r, least_rho = bend.rho - r;
  if (!(least_rho > 0 && bend.d > 0)) return out;
  out.b = 0.5 * s.sign * Scaled(h, TransposeTimes(s.M, bend.n));
  out.c = s.sign * bend.level - s.slack;
  if (bend.third > 0 && bend.third * r * bend.d < 0.8) {
    const Vec3 along = Scaled(h, TransposeTimes(s.M, bend.along));
    const Vec3 across = Scaled(h, TransposeTimes(s.M, bend.across));
    out.c -= bend.third * r * r * r / 6;
    out.E = 0.5 * s.sign / bend.d * (Square(along) + bend.hollow * Square(across));
  } else if (s.sign > 0) {
    const double hollow = R / least_rho - 1;
    if (hollow > 0 && !(least_d > 0)) return out;
    if (hollow > 0) out.c -= 0.5 * hollow / least_d * r * r;
  } else {
    if (!(least_d > 0)) return out;
    out.c -= 0.5 / least_d * r * r;  // k is below 1/d
  }
  out.known = true;
  return out;
}

/** (C9): the bound of a level; a plane's and a quadric's is itself. */
INTERVOX_HD inline LevelBound BoundLevel(const MappedSurface& s, const Vec3& c, const Vec3& h) {
  if (s.kind == geometry::SurfaceKind::kTorus) return BoundTorus(s, c, h);
  LevelBound out;
  // Below its apex a cone's level is not the quadric's.
  if (s.kind == geometry::SurfaceKind::kCone && s.sign < 0 &&
      s.origin.z + Dot(s.M.row2, c) < Dot(Abs(s.M.row2), h)) {
    return out;
  }
  const Vec3 half = HalfGradient(s, c);
  out.known = true;
  out.c = s.c + Dot(c, s.b + half) - s.slack;
  out.b = Scaled(h, half);
  out.E = {Scaled(s.E.diag, Scaled(h, h)),
           {s.E.off.x * h.x * h.y, s.E.off.y * h.x * h.z, s.E.off.z * h.y * h.z}};
  return out;
}

/** A part of the box −1 ≤ u ≤ 1. */
struct UnitBox {
  Vec3 lower{-1, -1, -1}, upper{1, 1, 1};
};

/** The least of a u² + 2 b u between lo and hi. */
INTERVOX_HD inline double LeastOf(double a, double b, double lo, double hi) {
  const double at_lo = (a * lo + 2 * b) * lo, at_hi = (a * hi + 2 * b) * hi;
  double least = at_lo < at_hi ? at_lo : at_hi;
  if (a > 0 && -b > a * lo && -b < a * hi) least = -b * b / a;
  return least;
}

/** Shortens [lo, hi] to where a u² + 2 b u + c ≤ 0; false where nothing is left. */
INTERVOX_HD inline bool SolveNegative(double a, double b, double c, double* lo, double* hi) {
  const auto value = [&](double u) { return (a * u + 2 * b) * u + c; };
  const bool low_out = value(*lo) > 0, high_out = value(*hi) > 0;
  if (!low_out && !high_out) return true;
  const double discriminant = b * b - a * c;
  if (low_out && high_out && !(a > 0 && discriminant >= 0)) return false;
  if (!(discriminant >= 0)) return true;
  const double q = -(b + (b < 0 ? -1.0 : 1.0) * std::sqrt(discriminant));
  const double roots[2] = {a != 0 ? q / a : 1e300, q != 0 ? c / q : 0.0};
  const double first = roots[0] < roots[1] ? roots[0] : roots[1];
  const double last = roots[0] < roots[1] ? roots[1] : roots[0];
  constexpr double kOutward = 1e-9;
  if (low_out && high_out) {
    if (first > *hi || last < *lo) return false;
    if (first > *lo) *lo = first - kOutward;
    if (last < *hi) *hi = last + kOutward;
    return true;
  }
  // One end is out: the root between the ends, where rounding leaves one.
  const double root = a == 0 ? roots[1] : (a > 0) == low_out ? first : last;
  if (!(root > *lo && root < *hi)) return true;
  if (low_out) *lo = root - kOutward;
  if (high_out) *hi = root + kOutward;
  return true;
}

/** Shortens the axes of a part to where the bound is not above zero; false where it is
 everywhere. */
INTERVOX_HD inline bool Contract(const MappedQuadric& g, UnitBox* part) {
  const Vec3 reach = Max(Abs(part->lower), Abs(part->upper));
  const Vec3 off = Abs(g.E.off);
  const double cross =
      2 * (off.x * reach.x * reach.y + off.y * reach.x * reach.z + off.z * reach.y * reach.z);
  Vec3 least;
  double sum = g.c - cross;
  for (int i = 0; i < 3; ++i) {
    least[i] = LeastOf(g.E.diag[i], g.b[i], part->lower[i], part->upper[i]);
    sum += least[i];
  }
  if (sum > 0) return false;
  for (int i = 0; i < 3; ++i) {
    if (!SolveNegative(g.E.diag[i], g.b[i], sum - least[i], &part->lower[i], &part->upper[i])) {
      return false;
    }
  }
  return true;
}

/** Shares of up to four levels, positive and 1 together, in whose sum slopes cancel best. False
 where fewer levels do as well. */
INTERVOX_HD inline bool FindShares(const LevelBound* const* of, int count, double* share) {
  // |b₀ + Σ s_k (b_k − b₀)|² is least where a s = −d, a and d the products of the differences.
  const Vec3 b0 = of[0]->b;
  double a[3][4], left = 1.0;
  for (int i = 1; i < count; ++i) {
    const Vec3 di = of[i]->b - b0;
    for (int j = 1; j < count; ++j) a[i - 1][j - 1] = Dot(di, of[j]->b - b0);
    a[i - 1][count - 1] = -Dot(di, b0);
  }
  const int n = count - 1;
  for (int i = 0; i < n; ++i) {
    if (!(a[i][i] > 0)) return false;
    for (int r = i + 1; r < n; ++r) {
      const double factor = a[r][i] / a[i][i];
      for (int c = i; c <= n; ++c) a[r][c] -= factor * a[i][c];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    double rest = a[i][n];
    for (int c = i + 1; c < n; ++c) rest -= a[i][c] * share[c + 1];
    share[i + 1] = rest / a[i][i];
    if (!(share[i + 1] > 0)) return false;
    left -= share[i + 1];
  }
  share[0] = left;
  return left > 0;
}

/** Shortens a part by the sums of two to four of the levels; false where nothing is left. */
INTERVOX_HD inline bool ContractBySums(const LevelBound* form, int forms, UnitBox* part) {
  // Bits of the levels that take part in a sum.
  for (unsigned set = 3; set < 1u << forms; ++set) {
    const LevelBound* of[4];
    int count = 0;
    for (int i = 0; i < forms && count <= 4; ++i) {
      if ((set >> i & 1) == 0) continue;
      if (count < 4) of[count] = &form[i];
      ++count;
    }
    if (count < 2 || count > 4) continue;
    double share[4];
    if (!FindShares(of, count, share)) continue;
    MappedQuadric sum;
    for (int i = 0; i < count; ++i) {
      sum.E += share[i] * of[i]->E;
      sum.b += share[i] * of[i]->b;
      sum.c += share[i] * of[i]->c;
    }
    if (!Contract(sum, part)) return false;
  }
  return true;
}

/** Tightens the model's box by each surface and by sums of those that face each other, which have
 no slope where a thin overlap is long; while that gains. False where nothing is left. */
__attribute__((noinline)) INTERVOX_HD inline bool Contract(ClipModel* model) {
  constexpr int kRounds = 40, kMostForms = 6;
  for (int round = 0; round < kRounds; ++round) {
    const Vec3 c = 0.5 * (model->box.lower + model->box.upper);
    const Vec3 h = 0.5 * (model->box.upper - model->box.lower);
    LevelBound form[kMostForms];
    int forms = 0;
    UnitBox part;
    for (int i = model->count - 1; i >= 0; --i) {
      const LevelBound g = BoundLevel(model->surface[i], c, h);
      if (!g.known) continue;
      if (!Contract(g, &part)) return false;
      // What is negative all over the box takes no part in sums.
      const Vec3 most = 2.0 * Abs(g.b) + Abs(g.E.diag) + 2.0 * Abs(g.E.off);
      if (forms < kMostForms && g.c + most.x + most.y + most.z > 0) form[forms++] = g;
    }
    if (!ContractBySums(form, forms, &part)) return false;
    const Vec3 low = Max(part.lower, Vec3{-1, -1, -1}), high = Min(part.upper, Vec3{1, 1, 1});
    model->box.lower = c + Scaled(h, low);
    model->box.upper = c + Scaled(h, high);
    const Vec3 left = 0.5 * (high - low);
    if (left.x * left.y * left.z > 0.8) break;
  }
  return true;
}

/** A box by its corners; the sum of two encloses both, and the default is empty. */
struct Hull {
  Vec3 lower{1e300, 1e300, 1e300};
  Vec3 upper{-1e300, -1e300, -1e300};
  int cells = 0;
  INTERVOX_HD Hull& operator+=(const Hull& o) {
    lower = Min(lower, o.lower);
    upper = Max(upper, o.upper);
    cells += o.cells;
    return *this;
  }
  /** Whether it holds the cell. */
  INTERVOX_HD bool Holds(const ClipCell& cell) const {
    const Vec3 low = cell.c - cell.h - lower, high = upper - cell.c - cell.h;
    return low.x >= 0 && low.y >= 0 && low.z >= 0 && high.x >= 0 && high.y >= 0 && high.z >= 0;
  }
};

/** The hull of what is left of the cells of a grid of 8 × 8 × 8, each contracted by itself. Cells
 within the hull so far are not looked at; those at the middle of the box's sides go first, as they
 widen it most. The box stays as it is. */
__attribute__((noinline)) INTERVOX_HD inline Hull HullOfCells(ClipModel* model) {
  const ClipBox all = model->box;
  const Vec3 h = 0.0625 * (all.upper - all.lower);
  const Vec3 middle = 0.5 * (all.upper + all.lower);
  const auto is_outer = [](int place) { return place == 0 || place == 3 ? 1 : 0; };
  Hull hull;
  // A block of 2 × 2 × 2 cells lies at so many sides of the box.
  for (const int sides : {1, 2, 3, 0}) {
    for (int i = 0; i < 64; ++i) {
      const int x = i & 3, y = i >> 2 & 3, z = i >> 4 & 3;
      if (is_outer(x) + is_outer(y) + is_outer(z) != sides) continue;
      ClipCell block;
      block.h = 2 * h;
      block.c = middle + Scaled(block.h, {2.0 * x - 3, 2.0 * y - 3, 2.0 * z - 3});
      block.active = AllSurfaces(*model);
      if (hull.Holds(block) || !Cull(*model, &block)) continue;
      for (int k = 0; k < 8; ++k) {
        ClipCell cell = block;
        cell.h = h;
        cell.c += Scaled(h, {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
        if (hull.Holds(cell) || !Cull(*model, &cell)) continue;
        model->box.lower = cell.c - h;
        model->box.upper = cell.c + h;
        if (Contract(model)) hull += {model->box.lower, model->box.upper};
      }
    }
  }
  model->box = all;
  return hull;
}

/** The hull of what is left of the box's eight parts, each contracted by itself. The box stays as
 it is. */
__attribute__((noinline)) INTERVOX_HD inline Hull HullOfParts(ClipModel* model) {
  const ClipBox all = model->box;
  const Vec3 middle = 0.5 * (all.upper + all.lower);
  Hull hull;
  for (int k = 0; k < 8; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      const bool high = (k >> axis & 1) != 0;
      model->box.lower[axis] = high ? middle[axis] : all.lower[axis];
      model->box.upper[axis] = high ? all.upper[axis] : middle[axis];
    }
    if (Contract(model)) hull += {model->box.lower, model->box.upper};
  }
  model->box = all;
  return hull;
}

/** Takes the hull for the box. Returns the share that it is of it. */
INTERVOX_HD inline double TakeHull(const Hull& hull, ClipModel* model) {
  const Vec3 before = model->box.upper - model->box.lower, after = hull.upper - hull.lower;
  if (after.x + after.y + after.z > 0.999 * (before.x + before.y + before.z)) return 1;
  model->box.lower = hull.lower;
  model->box.upper = hull.upper;
  return (after.x / before.x) * (after.y / before.y) * (after.z / before.z);
}

/** Gains below this share of the volume are not followed up. */
inline constexpr double kGain = 0.8;

/** Contracts the box and shrinks it to the hull of its parts while that gains, at most so many
 times; false when none is left. */
INTERVOX_HD inline bool ShrinkByParts(int most, ClipModel* model) {
  if (!Contract(model)) return false;
  for (int turn = 0; turn < most; ++turn) {
    const Hull hull = HullOfParts(model);
    if (!(hull.lower.x < hull.upper.x)) return false;
    if (TakeHull(hull, model) > kGain) break;
  }
  return true;
}

/** Shrinks the box to the hulls of its parts and of its cells while that gains; false when none is
 left. */
INTERVOX_HD inline bool Shrink(ClipModel* model) {
  constexpr int kTurns = 12, kByParts = 8;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!ShrinkByParts(kByParts, model)) return false;
    const Hull hull = HullOfCells(model);
    if (!(hull.lower.x < hull.upper.x)) return false;
    if (TakeHull(hull, model) > kGain) break;
  }
  return true;
}

}  // namespace intervox::cuda::internal::clip
