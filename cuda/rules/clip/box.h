/** @file The box of the clip rule: the frame in which the overlap is fewest cells. */
#pragma once

#include "cuda/numerics/scalar.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/surface/contact_frame.h"
#include "cuda/surface/support.h"
#include "geometry/surface_eval.h"

namespace intervox::cuda::internal::clip {

/** A parallelepiped around Ω: x = p + F y with y in [lower, upper]. */
struct ClipBox {
  bool valid = false;
  Vec3 p;
  Mat3 F;
  Vec3 lower, upper;  ///< proven to enclose Ω
  double cost = 0;    ///< expected number of cells at a given sag
};

/** Tightens [lower, upper] by n·y ≤ d; false when nothing is left. */
INTERVOX_HD inline bool Tighten(const Vec3& n, double d, Vec3* lower, Vec3* upper) {
  double low[3], total = 0;
  for (int i = 0; i < 3; ++i) {
    low[i] = n[i] > 0 ? n[i] * (*lower)[i] : n[i] * (*upper)[i];
    total += low[i];
  }
  if (total > d) return false;
  for (int i = 0; i < 3; ++i) {
    const double width = (*upper)[i] - (*lower)[i];
    const double room = d - (total - low[i]);
    if (n[i] > 1e-9 && room / n[i] < (*upper)[i]) {
      (*upper)[i] = room / n[i] + 1e-12 * width;
    } else if (n[i] < -1e-9 && room / n[i] > (*lower)[i]) {
      (*lower)[i] = room / n[i] - 1e-12 * width;
    }
  }
  return true;
}

/** Tightens by every plane and by the pair's own box, some rounds. */
INTERVOX_HD inline bool TightenByPair(const LocalPair& pair, ClipBox* box) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < pair.planes; ++i) {
      const geometry::Surface& s = pair.surface[i].surface;
      const Vec3 n = s.side * s.PlaneNormal();
      if (!Tighten(TransposeTimes(box->F, n), Dot(n, s.o - box->p), &box->lower, &box->upper)) {
        return false;
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 n;
      n[axis] = 1;
      const Vec3 m = TransposeTimes(box->F, n);
      if (!Tighten(m, pair.upper[axis] - box->p[axis], &box->lower, &box->upper) ||
          !Tighten(-m, box->p[axis] - pair.lower[axis], &box->lower, &box->upper)) {
        return false;
      }
    }
  }
  return true;
}

/** Sag of all curved surfaces over the box along each axis of y [m], squared extents in it. Along
 an axis on which an indefinite form vanishes, as on a generator, its twist is left. */
INTERVOX_HD inline Vec3 Sag(const LocalPair& pair, const ClipBox& box) {
  using geometry::SurfaceKind;
  Vec3 sag;
  const Vec3 half = 0.5 * (box.upper - box.lower);
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const bool indefinite = s.kind == SurfaceKind::kCone || s.kind == SurfaceKind::kQuadric;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 f = box.F.Col(axis);
      if (s.kind == SurfaceKind::kTorus) {
        sag[axis] += SquaredNorm(f) * 0.5 / s.e.y * half[axis] * half[axis];
        continue;
      }
      const Vec3 bend = Scaled(s.e, TransposeTimes(s.R, f));
      for (int other = 0; other < 3; ++other) {
        if (other != axis && !indefinite) continue;
        const Vec3 y = TransposeTimes(s.R, box.F.Col(other));
        sag[axis] += std::fabs(Dot(bend, y)) * half[axis] * half[other];
      }
    }
  }
  return sag;
}

/** How many cells the box needs for a sag of `unit`: patches of surface on pairs of axes. */
INTERVOX_HD inline double CellCost(const LocalPair& pair, const ClipBox& box, double unit) {
  const Vec3 sag = Sag(pair, box);
  const double x = 1 + std::sqrt(sag.x / unit), y = 1 + std::sqrt(sag.y / unit),
               z = 1 + std::sqrt(sag.z / unit);
  return x * y + y * z + z * x;
}

/** The box with axes R (a rotation), tightened. */
INTERVOX_HD inline ClipBox BoxAlong(const LocalPair& pair, const Mat3& R) {
  ClipBox box;
  box.F = R;
  box.p = 0.5 * (pair.lower + pair.upper);
  const Vec3 half = 0.5 * (pair.upper - pair.lower);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 u = R.Col(axis);
    double lo = -Dot(Abs(u), half), hi = -lo;
    for (int i = pair.planes; i < pair.count; ++i) {
      const geometry::Surface& s = pair.surface[i].surface;
      const Vec3 axis = s.R.Col(2);
      const double extent = HalfExtent(s, u, Dot(Abs(axis), half));
      if (extent < 0) continue;
      const bool long_one = s.kind == geometry::SurfaceKind::kCylinder;
      const Vec3 o = long_one ? s.o + Dot(axis, box.p - s.o) * axis : s.o;
      const double middle = Dot(u, o - box.p);
      const double slack = 1e-14 * (extent + std::fabs(middle));
      if (middle - extent - slack > lo) lo = middle - extent - slack;
      if (middle + extent + slack < hi) hi = middle + extent + slack;
    }
    box.lower[axis] = lo;
    box.upper[axis] = hi;
  }
  box.valid = box.lower.x < box.upper.x && box.lower.y < box.upper.y && box.lower.z < box.upper.z &&
              TightenByPair(pair, &box);
  return box;
}

/** Moves the origin to the middle and measures the axes by the half extents: surfaces are then as
 exact as Ω is near and small. A box of no volume stays as it is. */
INTERVOX_HD inline void Recentre(ClipBox* box) {
  const Vec3 middle = 0.5 * (box->lower + box->upper), half = 0.5 * (box->upper - box->lower);
  if (!(half.x > 0 && half.y > 0 && half.z > 0)) return;
  // What p's own rounding moves the box by, in its coordinates.
  const Vec3 p = box->p, shift = box->F * middle;
  const double moved = kLevelRounding * (Norm(p) + Norm(shift));
  box->p = p + shift;
  box->F =
      Mat3::FromColumns(half.x * box->F.Col(0), half.y * box->F.Col(1), half.z * box->F.Col(2));
  const Mat3 back = Inverse(box->F);
  box->upper = Vec3{1, 1, 1} + moved * Vec3{Norm(back.row0), Norm(back.row1), Norm(back.row2)};
  box->lower = -box->upper;
}

/** The contact frame of two convex surfaces, the overlap's thin direction along z. The pencil's
 ellipsoid bounds x and y; the tangent planes of the two levels at the deepest point bound z. */
INTERVOX_HD inline ClipBox ContactBox(const LocalPair& pair, int ia, int ib, bool* disjoint) {
  ClipBox box;
  const QuadricForm a = MakeForm(pair.surface[ia].surface);
  const QuadricForm b = MakeForm(pair.surface[ib].surface);
  const DeepestPoint at = FindDeepest(a, b, ib < pair.planes);
  *disjoint = at.disjoint;
  if (!at.found) return box;
  const Vec3 ga = a.HalfGradient(at.p), gb = b.HalfGradient(at.p);
  if (at.lambda == 0 || at.lambda == 1) return box;
  // Far from Ω the levels say little about its thickness.
  constexpr double kRough = 1e-7;
  const double rounding = internal::RoundingAt(a, b, at.p);
  if (rounding > -kRough * (at.f_a > at.f_b ? at.f_a : at.f_b)) return box;
  const Vec3 n = Normalized(ga - gb);
  Vec3 c1, c2;
  CircleAxes(at, n, &c1, &c2);
  Vec3 d = at.H_inverse * n;
  d = d / Dot(d, n);
  // f(p + v) ≥ f(p) + 2 g·v for a convex level, and g is parallel to n for both.
  const double above = -0.5 * at.f_a / Norm(ga), below = 0.5 * at.f_b / Norm(gb);
  box.p = at.p;
  box.F = Mat3::FromColumns(c1, c2, 0.5 * (above - below) * d);
  const double scale = 2 / (above - below);
  const double pencil = std::sqrt(at.depth / Dot(d, at.H * d)) * scale;
  const double up = above * scale, down = below * scale;
  box.lower = {-1.000001, -1.000001, down > -pencil ? down : -pencil};
  box.upper = {1.000001, 1.000001, up < pencil ? up : pencil};
  box.lower.z -= 1e-6;
  box.upper.z += 1e-6;
  box.valid = TightenByPair(pair, &box);
  if (box.valid) Recentre(&box);
  return box;
}

/** (C1): the cheapest box of: the pair's own, the contact frame, the axes of each curved surface
 and the frames of its planes. */
INTERVOX_HD inline ClipBox ChooseBox(const LocalPair& pair, bool* disjoint) {
  ClipBox best = BoxAlong(pair, Mat3::Identity());
  // An empty tightened box proves that there is no overlap.
  *disjoint = !best.valid;
  if (*disjoint) return best;
  const int curved = pair.count - pair.planes;
  if (curved == 0) return best;
  const Vec3 extent = best.upper - best.lower;
  const double unit = 1e-3 * Smallest(extent);
  best.cost = CellCost(pair, best, unit);
  const auto take = [&](ClipBox box) {
    box.cost = CellCost(pair, box, unit);
    if (box.cost < 0.9 * best.cost) best = box;
  };
  bool convex = true;
  const int frames = curved + (pair.planes < 8 ? pair.planes : 8);
  for (int k = 0; k < frames; ++k) {
    const geometry::Surface& s = pair.surface[k < curved ? pair.planes + k : k - curved].surface;
    convex = convex && (k >= curved || HasConvexForm(s));
    const ClipBox box = BoxAlong(pair, s.R);
    *disjoint = !box.valid;
    if (*disjoint) return box;
    take(box);
  }
  if (!convex) return best;
  const int partners = curved >= 2 ? pair.count : pair.planes;
  for (int i = curved >= 2 ? pair.planes + 1 : 0; i < partners; ++i) {
    const ClipBox box = ContactBox(pair, pair.planes, i, disjoint);
    if (*disjoint) return box;
    if (box.valid) take(box);
  }
  return best;
}

}  // namespace intervox::cuda::internal::clip
