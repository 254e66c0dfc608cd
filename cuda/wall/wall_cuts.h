/** @file Tangent cuts: how a peg is shown to hang free in its hole before any rule runs. */
#pragma once

#include "cuda/cell_view.h"
#include "cuda/rules/polytope/polyhedron.h"
#include "cuda/surface/surface_bound.h"

namespace intervox::cuda {

namespace internal {

/** A plane that keeps all of the convex solid f ≤ 0 and cuts off x, tangent where that is cheap. */
INTERVOX_HD inline bool TangentTowards(const geometry::Surface& s, const Vec3& x,
                                       ClipPlane* plane) {
  using geometry::SurfaceKind;
  Vec3 y = ToPrincipal(s, x), g;
  double f = 0;
  if (s.kind == SurfaceKind::kCone) {
    if (!(y.x * y.x + y.y * y.y > 0)) return false;
    g = ConvexGradient(s, y);
    y = {};
  } else {
    const double q = Dot(s.e, Scaled(y, y));
    if (s.kind != SurfaceKind::kQuadric && q > 0) {
      // The ray from the centre or the axis meets the surface here.
      const double t = std::sqrt(-s.c / q);
      y = {t * y.x, t * y.y, s.kind == SurfaceKind::kCylinder ? y.z : t * y.z};
    } else {
      f = QuadricLevel(s, y);
    }
    g = ConvexGradient(s, y);
  }
  const double steep = Norm(g);
  if (!(steep > 0)) return false;
  const Vec3 n = (1.0 / steep) * (s.R * g);
  *plane = {n, Dot(n, s.R * y + s.o) - f / steep, 0.0, 0};
  return true;
}

// A round wall: s ρ − t z + c is the convex level that a cylinder or cone has along its radius and
// axis, in the frame of the axis and its origin.
struct RoundWall {
  Vec3 axis, origin;  // [m]
  double s = 0, t = 0, c = 0;
  const geometry::Surface* own = nullptr;  // in its cell's frame
  INTERVOX_HD double RadiusAt(double z) const { return (t * z - c) / s; }
};

// The directions across a hole's axis in which its cell reaches the wall: u with n·u ≤ k for all of
// the planes along the axis.
struct WallSector {
  static constexpr int kMostPlanes = 6;
  Vec3 axis;
  Vec3 n[kMostPlanes];
  double k[kMostPlanes];
  int count = 0;

  // The largest u·x: no less than |x| for an x across the axis that lies in the sector.
  INTERVOX_HD double Reach(const Vec3& x) const {
    const double whole = Norm(x);
    if (Holds(x, whole)) return whole;
    double reach = -INFINITY;
    for (int i = 0; i < count; ++i) {
      const Vec3 along = std::sqrt(1.0 - k[i] * k[i]) * Cross(axis, n[i]);
      for (const double sign : {1.0, -1.0}) {
        const Vec3 u = k[i] * n[i] + sign * along;
        if (Holds(u, 1.0)) reach = std::fmax(reach, Dot(u, x));
      }
    }
    return reach > -INFINITY ? reach : whole;
  }

 private:
  INTERVOX_HD bool Holds(const Vec3& x, double norm) const {
    for (int i = 0; i < count; ++i) {
      if (Dot(n[i], x) > (k[i] + 1e-9) * norm) return false;
    }
    return true;
  }
};

INTERVOX_HD inline bool MakeRoundWall(const geometry::Surface& s, const Pose& X, RoundWall* wall) {
  using geometry::SurfaceKind;
  if (s.kind == SurfaceKind::kCone) {
    wall->s = std::sqrt(s.e.x);
    wall->t = std::sqrt(-s.e.z);
    wall->c = 0;
  } else if (s.kind == SurfaceKind::kCylinder) {
    wall->s = 1;
    wall->t = 0;
    wall->c = -std::sqrt(-s.c / s.e.x);
  } else {
    return false;
  }
  wall->own = &s;
  wall->axis = X.R * s.R.Col(2);
  wall->origin = X * s.o;
  return true;
}

// How far the part of a round peg from `low` to `high` on its axis reaches past a round hole's
// sector of wall, as the hole's convex level; negative where all of it lies inside. It is the hull
// of two circles about the peg's axis.
INTERVOX_HD inline double PastWall(const RoundWall& peg, const RoundWall& hole,
                                   const WallSector& sector, double low, double high) {
  // Steepest rise of the hole's level across the peg's axis.
  const double tilt = Norm(Cross(peg.axis, hole.axis));
  const double rise = hole.s + hole.t * tilt;
  // A cone has nothing below its apex.
  if (peg.t > 0 && low < 0) low = 0;
  double past = -INFINITY;
  for (const double z : {low, high}) {
    const Vec3 d = peg.origin + z * peg.axis - hole.origin;
    const double along = Dot(hole.axis, d);
    const double level = hole.s * sector.Reach(d - along * hole.axis) - hole.t * along + hole.c;
    past = std::fmax(past, level + rise * peg.RadiusAt(z));
    if (past >= 0) break;
  }
  return past;
}

// A part of a wall's axis.
struct AxisSpan {
  double low, high;  // [m]
};

// What the bounds of a posed cell reach of a wall's axis.
INTERVOX_HD inline AxisSpan SpanOnAxis(const geometry::OrientedBox& bounds, const Pose& X,
                                       const RoundWall& wall) {
  const double z = Dot(wall.axis, X * bounds.X.p - wall.origin);
  const double reach =
      Dot(Abs(TransposeTimes(bounds.X.R, TransposeTimes(X.R, wall.axis))), bounds.half);
  return {z - reach, z + reach};
}

// Shortens a span to what the bounds of a posed cell reach of it.
INTERVOX_HD inline void ClipAxis(const CellView& cell, const Pose& X, const RoundWall& wall,
                                 AxisSpan* span) {
  if (!cell.bounded) return;
  const AxisSpan own = SpanOnAxis(*cell.bounds, X, wall);
  if (own.low > span->low) span->low = own.low;
  if (own.high < span->high) span->high = own.high;
}

// The sector that the planes of a posed cell leave of its round hole's wall. Beyond a wall of the
// radius R, n·x ≤ h leaves directions with n·u ≤ h/R.
INTERVOX_HD inline WallSector SectorOf(const CellView& cell, const Pose& X, const RoundWall& hole) {
  constexpr double kAlong = 1e-12, kMost = 0.9;
  AxisSpan span{-INFINITY, INFINITY};
  ClipAxis(cell, X, hole, &span);
  const double least = hole.t > 0 ? hole.RadiusAt(span.low) : hole.RadiusAt(0);
  WallSector sector;
  sector.axis = hole.axis;
  if (!(least > 0)) return sector;
  for (int i = 0; i < cell.surface_count && sector.count < WallSector::kMostPlanes; ++i) {
    const geometry::Surface& s = cell.surfaces[i];
    if (s.kind != geometry::SurfaceKind::kPlane) continue;
    const Vec3 n_C = s.side > 0 ? s.R.Col(2) : -s.R.Col(2);
    if (std::fabs(Dot(n_C, hole.own->R.Col(2))) > kAlong) continue;
    const double k = Dot(n_C, s.o - hole.own->o) / least;
    if (k > kMost) continue;
    sector.n[sector.count] = X.R * n_C;
    sector.k[sector.count++] = k > 0 ? k : 0.0;
  }
  return sector;
}

// How the round pegs among the surfaces sit in a hole, as far as the polyhedron reaches.
enum class Fit { kUnknown, kFree, kTouching };

template <class P>
INTERVOX_HD Fit FitOf(const geometry::Surface* surfaces, int count, const geometry::Surface& hole,
                      const P& polyhedron) {
  RoundWall wall, peg;
  Fit fit = Fit::kUnknown;
  if (!MakeRoundWall(hole, {}, &wall)) return fit;
  for (int k = 0; k < count; ++k) {
    if (surfaces[k].side < 0 || !MakeRoundWall(surfaces[k], {}, &peg)) continue;
    const double z = Dot(peg.axis, peg.origin);
    if (PastWall(peg, wall, {}, polyhedron.Lowest(peg.axis) - z,
                 -polyhedron.Lowest(-peg.axis) - z) < 0) {
      return Fit::kFree;
    }
    fit = Fit::kTouching;
  }
  return fit;
}

}  // namespace internal

/** Whether a round peg of one cell lies inside a round hole of the other wherever the bounds of
 both and the planes along the hole allow an overlap: then there is none. Cheap; a pin in its socket
 is known to be free by this alone, and to be free of the walls that it does not lean on. */
INTERVOX_HD inline bool HangsFree(const CellView& pegs, const Pose& X_LP, const CellView& holes,
                                  const Pose& X_LH) {
  using geometry::SurfaceKind;
  for (int h = 0; h < holes.surface_count; ++h) {
    internal::RoundWall hole, peg;
    const geometry::Surface& wall = holes.surfaces[h];
    if (wall.side > 0 || !internal::MakeRoundWall(wall, X_LH, &hole)) continue;
    const internal::WallSector sector = internal::SectorOf(holes, X_LH, hole);
    for (int p = 0; p < pegs.surface_count; ++p) {
      const geometry::Surface& side = pegs.surfaces[p];
      if (side.side < 0 || !internal::MakeRoundWall(side, X_LP, &peg)) continue;
      internal::AxisSpan span{-INFINITY, INFINITY};
      internal::ClipAxis(pegs, X_LP, peg, &span);
      internal::ClipAxis(holes, X_LH, peg, &span);
      if (span.low >= span.high) return true;
      if (internal::PastWall(peg, hole, sector, span.low, span.high) < 0) return true;
    }
  }
  return false;
}

/** Cuts a polyhedron around Ω with tangent planes of the convex curved sides where it reaches
 farthest past a hole's wall, until it lies inside the hole or reaches past the wall for good.
 @param surfaces  all surfaces of both cells in the polyhedron's frame, `count` of them.
 @param on        corners this close count as on a plane [m].
 @return kEmpty when there is no overlap. */
template <class P>
INTERVOX_HD Cut CutBeyondWalls(const geometry::Surface* surfaces, int count, double on,
                               P* polyhedron) {
  constexpr int kMostCuts = 8;
  for (int h = 0; h < count; ++h) {
    const geometry::Surface& hole = surfaces[h];
    if (hole.side > 0 || !internal::IsConvex(hole)) continue;
    const internal::Fit fit = internal::FitOf(surfaces, count, hole, *polyhedron);
    if (fit == internal::Fit::kFree) return Cut::kEmpty;
    // Round on round: what is not free touches, and no cut would prove otherwise.
    if (fit == internal::Fit::kTouching) continue;
    for (int cuts = 0; cuts <= kMostCuts; ++cuts) {
      Vec3 farthest;
      double level = 0;
      for (int i = 0; i < polyhedron->corners(); ++i) {
        const Vec3 x = polyhedron->Corner(i);
        const double f = internal::ConvexLevel(hole, internal::ToPrincipal(hole, x));
        if (i == 0 || f > level) {
          level = f;
          farthest = x;
        }
      }
      // All corners in a convex hole: so is everything between them.
      if (level < 0) return Cut::kEmpty;
      if (cuts == kMostCuts) break;
      int best = -1;
      double excess = on;
      for (int k = 0; k < count; ++k) {
        const geometry::Surface& s = surfaces[k];
        if (s.side < 0 || !internal::IsConvex(s)) continue;
        const double f = internal::ConvexLevel(s, internal::ToPrincipal(s, farthest));
        if (f > excess) {
          excess = f;
          best = k;
        }
      }
      ClipPlane plane;
      if (best < 0 || !internal::TangentTowards(surfaces[best], farthest, &plane)) break;
      const Cut cut = polyhedron->Clip(plane, on, 0.0);
      if (cut == Cut::kEmpty || cut == Cut::kFull) return cut;
      if (cut == Cut::kNone) break;
    }
  }
  return Cut::kCut;
}

/** Shrinks a box around Ω to the round pegs of a posed cell: along its axis each reaches as far as
 the polyhedron, and across it as far as its circles. */
template <class P>
INTERVOX_HD void ShrinkToPegs(const CellView& cell, const Pose& X, const P& polyhedron, Vec3* lower,
                              Vec3* upper) {
  internal::RoundWall peg;
  for (int i = 0; i < cell.surface_count; ++i) {
    const geometry::Surface& s = cell.surfaces[i];
    if (s.side < 0 || !internal::MakeRoundWall(s, X, &peg)) continue;
    const double z = Dot(peg.axis, peg.origin);
    double low = polyhedron.Lowest(peg.axis) - z;
    const double high = -polyhedron.Lowest(-peg.axis) - z;
    if (peg.t > 0 && low < 0) low = 0;
    // The sines: of a peg almost along an axis √(1 − a²) would lose half their digits.
    const Vec3 square = Scaled(peg.axis, peg.axis);
    const Vec3 reach{std::sqrt(square.y + square.z), std::sqrt(square.x + square.z),
                     std::sqrt(square.x + square.y)};
    const Vec3 c0 = peg.origin + low * peg.axis, c1 = peg.origin + high * peg.axis;
    const Vec3 r0 = peg.RadiusAt(low) * reach, r1 = peg.RadiusAt(high) * reach;
    *lower = Max(*lower, Min(c0 - r0, c1 - r1));
    *upper = Min(*upper, Max(c0 + r0, c1 + r1));
  }
}

}  // namespace intervox::cuda
