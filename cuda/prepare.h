/** @file Brings a pair with curved surfaces into its local frame: prunes, merges, boxes. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/numerics/scalar.h"
#include "cuda/pair_frame.h"
#include "cuda/rules/polytope/rule.h"
#include "cuda/surface/support.h"
#include "cuda/surface/surface_bound.h"
#include "cuda/wall/wall_cuts.h"

namespace intervox::cuda {

/** What Prepare found. */
struct Prepared {
  Status status = Status::kDisjoint;  ///< kOk: the pair is ready for a rule
  bool contained = false;             ///< one cell contains the other
  bool full = false;                  ///< more surfaces or faces than a LocalPair or P holds
};

namespace internal {

// Clips with the faces of a cell's bounds, which belong to neither body, where they cut at all.
template <class P>
INTERVOX_HD Cut ClipByBounds(const CellView& cell, const Pose& X_LC, double size, P* polyhedron) {
  if (!cell.bounded) return Cut::kCut;
  const Mat3 R = X_LC.R * cell.bounds->X.R;
  const Vec3 centre = X_LC * cell.bounds->X.p;
  for (int axis = 0; axis < 3; ++axis) {
    const double half = cell.bounds->half[axis];
    const double slack = kCoincidence * (size + half);
    for (int sign = -1; sign <= 1; sign += 2) {
      const Vec3 n = sign * R.Col(axis);
      const double offset = Dot(n, centre) + half + slack;
      if (-polyhedron->Lowest(-n) <= offset) continue;
      const Cut cut = polyhedron->Clip({n, offset, 0.0, 0}, kRounding * size, 0.0);
      if (cut == Cut::kEmpty || cut == Cut::kFull) return cut;
    }
  }
  return Cut::kCut;
}

INTERVOX_HD inline bool HasPlane(const CellView& cell) {
  for (int i = 0; i < cell.surface_count; ++i) {
    if (cell.surfaces[i].kind == geometry::SurfaceKind::kPlane) return true;
  }
  return false;
}

// Finds the common part of the boxes of the bounds that there are, along the axes; false when there
// is none. One of the cells is bounded.
INTERVOX_HD inline bool FindCommonBox(const PairFrame& frame, Vec3* lower, Vec3* upper) {
  *lower = {-INFINITY, -INFINITY, -INFINITY};
  *upper = {INFINITY, INFINITY, INFINITY};
  for (int k = 0; k < 2; ++k) {
    const auto [cell, X_LC] = frame.Of(k);
    if (!cell.bounded) continue;
    const geometry::OrientedBox& bounds = *cell.bounds;
    const Pose X = X_LC * bounds.X;
    Vec3 half{Dot(Abs(X.R.row0), bounds.half), Dot(Abs(X.R.row1), bounds.half),
              Dot(Abs(X.R.row2), bounds.half)};
    half += kCoincidence * (half + Abs(X.p));
    *lower = Max(*lower, X.p - half);
    *upper = Min(*upper, X.p + half);
  }
  return lower->x < upper->x && lower->y < upper->y && lower->z < upper->z;
}

// Whether a curved side of the cell is a hole's.
INTERVOX_HD inline bool HasHole(const CellView& cell) {
  for (int i = 0; i < cell.surface_count; ++i) {
    if (cell.surfaces[i].kind != geometry::SurfaceKind::kPlane && cell.surfaces[i].side < 0) {
      return true;
    }
  }
  return false;
}

// Clips with tangent planes where a convex curved side faces a hole; nothing to do in other pairs.
template <class P>
INTERVOX_HD Cut ClipByWalls(const PairFrame& frame, double size, P* polyhedron) {
  constexpr int kMostCurved = 8;
  const auto is_curved = [](const geometry::Surface& s) {
    return s.kind != geometry::SurfaceKind::kPlane && IsConvex(s);
  };
  bool hole = false, convex = false;
  for (const CellView* cell : {&frame.a, &frame.b}) {
    for (int i = 0; i < cell->surface_count; ++i) {
      const geometry::Surface& s = cell->surfaces[i];
      if (is_curved(s)) (s.side < 0 ? hole : convex) = true;
    }
  }
  if (!hole || !convex) return Cut::kCut;
  geometry::Surface curved[kMostCurved];
  int count = 0;
  for (int body = 0; body < 2; ++body) {
    const auto [cell, X_LC] = frame.Of(body);
    for (int i = 0; i < cell.surface_count && count < kMostCurved; ++i) {
      const geometry::Surface& s = cell.surfaces[i];
      if (is_curved(s)) curved[count++] = X_LC * s;
    }
  }
  return CutBeyondWalls(curved, count, kCoincidence * size, polyhedron);
}

// Whether the plane still holds a face of the polyhedron.
template <class P>
INTERVOX_HD bool IsFaceOf(const ClipPlane& plane, double coincide, const P& polyhedron) {
  for (int f = 0; f < polyhedron.faces(); ++f) {
    if ((polyhedron.Bodies(f) & plane.bodies) == 0) continue;
    bool on = true;
    const int first = polyhedron.FirstEdge(f);
    int h = first;
    do {
      const double d = Dot(plane.n, polyhedron.Corner(polyhedron.Origin(h))) - plane.offset;
      on = d <= coincide && d >= -coincide;
      h = polyhedron.NextEdge(h);
    } while (on && h != first);
    if (on) return true;
  }
  return false;
}

// How far the kept side of one surface reaches along the unit vector n, both in one frame; infinite
// unless it is convex and bounded that way by itself.
INTERVOX_HD inline double ReachOf(const geometry::Surface& s, const Vec3& n) {
  constexpr double kAlong = 1e-9;
  const bool across = std::fabs(Dot(s.R.Col(2), n)) < kAlong;
  const double extent = HalfExtent(s, n, across ? 0.0 : INFINITY);
  return extent < 0 ? INFINITY : Dot(n, s.o) + extent;
}

// Whether the cell is one ellipsoid, whose bounds it reaches by itself.
INTERVOX_HD inline bool IsOneEllipsoid(const CellView& cell) {
  return cell.surface_count == 1 && cell.surfaces[0].side > 0 &&
         cell.surfaces[0].kind == geometry::SurfaceKind::kEllipsoid;
}

// Bit k: the polyhedron has a face of body k's bounds that no surface of it implies by itself. What
// is inactive inside may still be what bounds Ω beyond that face, which the pair does not hold: a
// saddle in a box reaches to the face only as far as the box' other sides let it.
template <class P>
INTERVOX_HD int LooseBodies(const PairFrame& frame, double size, const P& polyhedron) {
  if (IsOneEllipsoid(frame.a) && IsOneEllipsoid(frame.b)) return 0;
  int loose = 0;
  for (int f = 0; f < polyhedron.faces() && loose != 3; ++f) {
    if (polyhedron.Bodies(f) != 0) continue;
    const Vec3 n = polyhedron.Normal(f);
    const double limit = polyhedron.Offset(f) + 4 * kCoincidence * size;
    int near = 0;
    bool implied = false;
    for (int body = 0; body < 2; ++body) {
      const auto [cell, X] = frame.Of(body);
      const Vec3 n_C = TransposeTimes(X.R, n);
      const double limit_C = limit - Dot(n, X.p);
      for (int i = 0; i < cell.surface_count && !implied; ++i) {
        const geometry::Surface& s = cell.surfaces[i];
        if (s.kind != geometry::SurfaceKind::kPlane && s.side > 0) {
          implied = ReachOf(s, n_C) <= limit_C;
        }
      }
      if (!cell.bounded) continue;
      const double most = Largest(Abs(TransposeTimes(cell.bounds->X.R, n_C)));
      if (most > 1 - 1e-12) near |= 1 << body;
    }
    if (!implied) loose |= near != 0 ? near : 3;
  }
  return loose;
}

INTERVOX_HD inline double FaceWeight(const geometry::Surface& s, int body) {
  return s.cut ? 0.0 : body == 0 ? -0.5 : 0.5;
}

// What became of a surface that was to be appended.
enum class Appended { kYes, kMerged, kOpposite, kFull };

// The coordinates' reach: the bounded cell's half extents, and how far its frame is from L's origin
// [m].
INTERVOX_HD inline double CoordinateReach(const PairFrame& frame) {
  const auto [cell, X_LC] = frame.Of(frame.first);
  return OneNorm(cell.bounds->half) + OneNorm(X_LC.p);
}

// Appends s unless an equal surface of the other body is there; that one is `shared` from now on.
INTERVOX_HD inline Appended Append(const geometry::Surface& s, int body, double size,
                                   std::uint64_t* shared, LocalPair* pair) {
  for (int i = 0; i < pair->count; ++i) {
    LocalSurface& other = pair->surface[i];
    if (other.body == body) continue;
    const int same = Coincidence(other.surface, s, kCoincidence, size);
    if (same == 0) continue;
    if (same < 0) return Appended::kOpposite;
    other.weight = 0.5 * (other.weight + FaceWeight(s, body));
    *shared |= std::uint64_t{1} << i;
    return Appended::kMerged;
  }
  if (pair->count == kMaxSurfaces) return Appended::kFull;
  LocalSurface& local = pair->surface[pair->count++];
  local.surface = s;
  local.body = static_cast<std::int8_t>(body);
  local.weight = FaceWeight(s, body);
  return Appended::kYes;
}

// What Prepare does, with the polytope cut beyond the walls of holes or without.
template <class P>
INTERVOX_HD Prepared PrepareBeyond(const PairFrame& frame, bool walls, P* polyhedron,
                                   LocalPair* pair) {
  using geometry::Surface;
  using geometry::SurfaceKind;
  using internal::Appended;
  Prepared out;
  pair->count = pair->planes = 0;
  if (frame.first < 0) {
    out.status = Status::kUnbounded;
    return out;
  }
  const auto [first, X_LF] = frame.Of(frame.first);
  const auto [second, X_LS] = frame.Of(1 - frame.first);
  const Vec3 half = first.bounds->half;
  const double size = internal::CoordinateReach(frame);
  Cut cut = Cut::kCut;
  if (first.bounded && second.bounded && !internal::HasPlane(first) &&
      !internal::HasPlane(second)) {
    // Nothing but bounds to clip: the boxes along the world's axes will do.
    Vec3 lower, upper;
    if (!internal::FindCommonBox(frame, &lower, &upper)) return out;
    polyhedron->SetBox(lower, upper);
  } else {
    polyhedron->SetBox(X_LF * first.bounds->X, half);
    cut = internal::ClipByPlanes(first, X_LF, frame.first, size, polyhedron);
    if (cut == Cut::kCut) {
      cut = internal::ClipByPlanes(second, X_LS, 1 - frame.first, size, polyhedron);
    }
    // Mostly the second's planes again, which then do not cut.
    if (cut == Cut::kCut) cut = internal::ClipByBounds(second, X_LS, size, polyhedron);
  }
  if (cut == Cut::kCut && walls) cut = internal::ClipByWalls(frame, size, polyhedron);
  out.full = cut == Cut::kFull;
  if (cut != Cut::kCut) return out;

  Vec3 lower, upper;
  polyhedron->GetBox(&lower, &upper);
  ShrinkToPegs(frame.a, frame.X_LA, *polyhedron, &lower, &upper);
  ShrinkToPegs(frame.b, frame.X_LB, *polyhedron, &lower, &upper);
  if (lower.x > upper.x || lower.y > upper.y || lower.z > upper.z) return out;
  const Vec3 centre = 0.5 * (lower + upper);
  pair->p_WL = frame.p_WL + centre;
  // Rounding of the polytope's corners must not cut into the overlap.
  const Vec3 margin = internal::kCoincidence * Vec3{size, size, size};
  pair->lower = lower - centre - margin;
  pair->upper = upper - centre + margin;
  static_assert(kMaxSurfaces <= 64);
  std::uint64_t shared = 0;
  const int loose = internal::LooseBodies(frame, size, *polyhedron);
  // All surfaces are kept of a loose body, which lies in its bounds, mostly without its holes, too.
  const auto holds = [&](int body, const CellView& cell) {
    return (loose >> body & 1) == 0 || cell.filled || !internal::HasHole(cell);
  };
  pair->whole = !walls && holds(0, frame.a) && holds(1, frame.b);
  for (int curved = 0; curved < 2; ++curved) {
    for (int body = 0; body < 2; ++body) {
      const auto [cell, X_LC] = frame.Of(body);
      const bool keep = (loose >> body & 1) != 0;
      for (int i = 0; i < cell.surface_count; ++i) {
        const Surface& s = cell.surfaces[i];
        if ((s.kind != SurfaceKind::kPlane) != (curved == 1)) continue;
        if (curved == 0) {
          double scale = 0;
          const ClipPlane plane = internal::ToClipPlane(s, X_LC, body, &scale);
          scale += size + internal::OneNorm(X_LC.p);
          // The faces of the bounds lie this far outside and stand in for the plane.
          const double coincide = 4 * internal::kCoincidence * scale;
          if (!keep && !internal::IsFaceOf(plane, coincide, *polyhedron)) continue;
        } else {
          const int sign = SignOver(X_LC * s, *polyhedron);
          if (sign * s.side > 0) return out;
          if (!keep && sign * s.side < 0) continue;
        }
        const Surface local = Pose{X_LC.R, X_LC.p - centre} * s;
        const Appended appended = internal::Append(local, body, size, &shared, pair);
        if (appended == Appended::kOpposite) return out;
        if (appended == Appended::kFull) {
          out.full = true;
          return out;
        }
      }
    }
    if (curved == 0) pair->planes = pair->count;
  }
  bool own[2] = {false, false};
  for (int i = 0; i < pair->count; ++i) {
    if ((shared >> i & 1) == 0) own[pair->surface[i].body] = true;
  }
  out.contained = !own[0] || !own[1];
  out.status = Status::kOk;
  return out;
}

// Whether a pair has holes and more curved surfaces than the rules that need no subdivision take.
INTERVOX_HD inline bool IsHollow(const LocalPair& pair) {
  bool hole = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    hole = hole || (pair.surface[i].surface.side < 0 && IsConvex(pair.surface[i].surface));
  }
  return hole && pair.count - pair.planes > kFewCurves;
}

}  // namespace internal

/** Fills `pair`, but for its tolerance and floor, with the surfaces that may bound the overlap,
 about the centre of a box around it. Drops a surface only when a certified bound shows it inactive
 over a polytope that encloses Ω, and none of a body whose bounds hold a face of that polytope that
 takes several of its surfaces to imply. */
template <class P>
INTERVOX_HD Prepared Prepare(const PairFrame& frame, P* polyhedron, LocalPair* pair) {
  Prepared out;
  for (int look = 0; look < 3; ++look) {
    // A hollow pair is asked about by its holes (rules/holes.h), which takes all that they are in:
    // the second look is without walls, and the third, where that is too much, like the first.
    out = internal::PrepareBeyond(frame, look != 1, polyhedron, pair);
    const bool ready = out.status == Status::kOk;
    if (look == 0 ? !ready || !internal::IsHollow(*pair) : ready) break;
  }
  return out;
}

/** Whether one cell has one curved side, the wall of a round hole, and the other one, a convex peg,
 but for what is coaxial: a solid of revolution has a rule of its own. */
INTERVOX_HD inline bool IsPegInHole(const PairFrame& frame) {
  using geometry::Surface;
  using geometry::SurfaceKind;
  constexpr double kCoaxial = 1e-6;
  if (frame.a.surface_count + frame.b.surface_count > kMaxSurfaces) return false;
  const Surface* side[2] = {nullptr, nullptr};
  for (int body = 0; body < 2; ++body) {
    const CellView& cell = body == 0 ? frame.a : frame.b;
    for (int i = 0; i < cell.surface_count; ++i) {
      const Surface& s = cell.surfaces[i];
      if (s.kind == SurfaceKind::kPlane) continue;
      if (side[body] != nullptr) return false;
      side[body] = &s;
    }
    if (side[body] == nullptr) return false;
  }
  const int hole = side[0]->side < 0 ? 0 : 1;
  const Surface &wall = *side[hole], &peg = *side[1 - hole];
  if (!internal::ArePegAndWall(peg, wall)) return false;
  const Pose &X_LH = frame.Of(hole).X_LC, &X_LP = frame.Of(1 - hole).X_LC;
  const Vec3 axis = X_LH.R * wall.R.Col(2), o = X_LP * peg.o;
  const Vec3 apart = o - X_LH * wall.o;
  const double reach = internal::OneNorm(apart) + internal::OneNorm(o);
  if (SquaredNorm(Cross(apart, axis)) > kCoaxial * kCoaxial * reach * reach) return true;
  return internal::IsRuled(peg) &&
         SquaredNorm(Cross(X_LP.R * peg.R.Col(2), axis)) > kCoaxial * kCoaxial;
}

/** Fills `pair`, but for its tolerance and floor, with the surfaces of a peg and its hole, about
 the centre of the common part of their bounds: no polytope tells which of them bound the overlap.
 Planes of the hole that hold the peg's bounds are left out; as all of the peg's surfaces are there,
 so is all that bounds Ω. False where that part is empty or two surfaces are one with opposite
 sides. */
INTERVOX_HD inline bool PreparePeg(const PairFrame& frame, LocalPair* pair) {
  using geometry::SurfaceKind;
  pair->count = pair->planes = 0;
  pair->whole = false;
  Vec3 lower, upper;
  if (!internal::FindCommonBox(frame, &lower, &upper)) return false;
  const Vec3 centre = 0.5 * (lower + upper);
  pair->p_WL = frame.p_WL + centre;
  pair->lower = lower - centre;
  pair->upper = upper - centre;
  const double size = internal::CoordinateReach(frame);
  std::uint64_t shared = 0;
  for (int curved = 0; curved < 2; ++curved) {
    for (int body = 0; body < 2; ++body) {
      const auto [cell, X_LC] = frame.Of(body);
      const auto [other, X_LO] = frame.Of(1 - body);
      const Pose X{X_LC.R, X_LC.p - centre};
      const bool drops = curved == 0 && other.bounded && internal::HasHole(cell);
      const Mat3 R_LO = drops ? X_LO.R * other.bounds->X.R : Mat3{};
      const Vec3 apart = drops ? X_LO * other.bounds->X.p - X_LC.p : Vec3{};
      for (int i = 0; i < cell.surface_count; ++i) {
        const geometry::Surface& s = cell.surfaces[i];
        if ((s.kind != SurfaceKind::kPlane) != (curved == 1)) continue;
        if (drops) {
          const Vec3 n_C = s.side * s.PlaneNormal(), n = X_LC.R * n_C;
          const double room = Dot(n_C, s.o) - Dot(n, apart);
          if (room >
              (1 + internal::kBoxSlack) * Dot(Abs(TransposeTimes(R_LO, n)), other.bounds->half)) {
            continue;
          }
        }
        const internal::Appended appended = internal::Append(X * s, body, size, &shared, pair);
        if (appended == internal::Appended::kOpposite) return false;
      }
    }
    if (curved == 0) pair->planes = pair->count;
  }
  return true;
}

}  // namespace intervox::cuda
