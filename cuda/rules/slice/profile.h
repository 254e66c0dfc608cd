/** @file Surfaces of revolution as radii along their common axis, and planes across and along it.
 */
#pragma once

#include <cmath>

#include "cuda/local_pair.h"
#include "cuda/numerics/roots.h"
#include "cuda/rules/slice/disc.h"

namespace intervox::cuda::internal::slice {

/** Most planes through the axis between which a solid is a sector. */
inline constexpr int kMostSectorSides = 2;

/** A plane through the axis, n·(x, y) ≤ 0 from there. */
struct SectorSide {
  Plane2 n;             ///< in the frame, its second component along ŷ
  double weight = 0.0;  ///< of its face in S and G
};

/** Axes across and along the axis of revolution, in L: x̂ from the floor into the overlap, ŷ along
 the chords in which the floor cuts slices, ẑ along the axis. */
struct SliceFrame {
  Vec3 x, y, z;
  double axis_x = 0.0, axis_y = 0.0;  ///< where the axis is [m]
  bool has_floor = false;             ///< a plane that is not across the axis cuts the solid
  double sine = 0.0;  ///< ẑ·e of the floor's direction e = cosine x̂ + sine ẑ across the chords
  double cosine = 1.0;        ///< x̂·e
  double x0 = 0.0, z0 = 0.0;  ///< the foot of L's origin on the floor [m]
  double floor_weight = 0.0;  ///< of the floor's face in S and G
  SectorSide side[kMostSectorSides];
  int sides = 0;  ///< 0: slices are whole about the axis

  /** Out of the overlap. */
  INTERVOX_HD Vec3 FloorNormal() const { return {-sine, 0.0, cosine}; }
};

/** One wall of the solid: its radius r(z), r² = c0 + c1 z + c2 z², or one side of a torus' tube. */
struct Profile {
  bool outer = true;      ///< the solid is inside; false: outside
  bool straight = false;  ///< r = slope (z − apex) or the constant `radius`
  double weight = 0.0;    ///< in S and G
  bool gap = false;       ///< it ends a part that the solid leaves out, as does the one beside it
  double side = 0.0;  ///< r = major + side √(minor² − (z − apex)²) of a torus; 0: of others
  double slope = 0.0;               ///< of a cone, along ẑ
  double radius = 0.0;              ///< of a cylinder [m]
  double apex = 0.0;                ///< of a cone; of a torus its centre [m]
  double major = 0.0, minor = 0.0;  ///< radii of a torus [m]
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;
  double lower = -INFINITY, upper = INFINITY;  ///< where r is defined [m]

  /** r² [m²]. */
  INTERVOX_HD double Square(double z) const { return c0 + z * (c1 + z * c2); }
  /** How steeply r changes at z, over a strip of the given thickness [m]: finite where the wall
   begins across the axis. */
  INTERVOX_HD double Steepness(double z, double thickness) const {
    if (straight) return std::fabs(slope);
    const double rise = side != 0.0 ? std::fabs(z - apex) : std::fabs(0.5 * c1 + c2 * z);
    const double least = std::sqrt(rise * std::fabs(thickness));
    const double across = side != 0.0 ? HalfTube(z) : Radius(z);
    return rise > 0 ? rise / std::fmax(across, least) : 0.0;
  }
  /** Half the length that a torus' tube has at z, across the axis [m]. */
  INTERVOX_HD double HalfTube(double z) const {
    const double square = (minor - (z - apex)) * (minor + (z - apex));
    return square > 0 ? std::sqrt(square) : 0.0;
  }
  /** r [m]. */
  INTERVOX_HD double Radius(double z) const {
    if (straight) return slope != 0.0 ? slope * (z - apex) : radius;
    if (side != 0.0) return major + side * HalfTube(z);
    const double square = Square(z);
    return square > 0 ? std::sqrt(square) : 0.0;
  }
};

/** Most walls of one solid. */
inline constexpr int kMostProfiles = 8;

/** Most planes of one pair that are not across the axis. */
inline constexpr int kMostFloors = 4;

/** A plane that may be taken for the floor: x·n ≤ offset. */
struct FloorPlane {
  Vec3 n;  ///< in L
  double offset = 0.0, weight = 0.0;
  bool side = false;  ///< it contains the axis
};

/** A solid of revolution between two planes across its axis, and the planes of which one may be the
 floor that cuts it. */
struct SlicedSolid {
  SliceFrame frame;
  FloorPlane floor[kMostFloors];
  int floors = 0;
  int sides = 0;  ///< how many of them contain the axis; 0 where they are no sector's
  Vec3 point;     ///< of the axis, in L [m]
  Profile profile[kMostProfiles];
  int profiles = 0;
  bool rings = false;                          ///< there are walls of tori
  bool flat = false;                           ///< there are walls of spheroids that are no balls
  bool mixed = false;                          ///< weights of walls differ
  double lower = -INFINITY, upper = INFINITY;  ///< planes across the axis [m]
  double lower_weight = 0.0, upper_weight = 0.0;
  double reach = 0.0;  ///< largest coordinate that enters a difference [m]
};

/** Vectors count as parallel, and points as one relative to the reach, within this much. */
inline constexpr double kCoaxial = 4e-15;

/** The roots of a t² + 2 b t + c, the smaller first; returns how many are real. */
INTERVOX_HD inline int RealRoots(double a, double b, double c, double* roots) {
  const double square = b * b - a * c;
  if (!(square >= 0) || (a == 0.0 && b == 0.0)) return 0;
  const RootPair<double> x = QuadraticRoots(a, b, c, std::sqrt(square));
  roots[0] = a == 0.0 ? x.by_c : x.first;
  roots[1] = x.second;
  return a == 0.0 ? 1 : 2;
}

/** Whether the surface is one of revolution about an axis of its own; spheres are about any. */
INTERVOX_HD inline bool FindAxis(const geometry::Surface& s, bool* any, Vec3* axis) {
  using geometry::SurfaceKind;
  *any = false;
  *axis = s.R.Col(2);
  switch (s.kind) {
    case SurfaceKind::kCylinder:
    case SurfaceKind::kCone:
    case SurfaceKind::kTorus:
      return true;
    case SurfaceKind::kEllipsoid:
      *any = s.e.x == s.e.y && s.e.y == s.e.z;
      if (s.e.x == s.e.y) return true;
      *axis = s.e.y == s.e.z ? s.R.Col(0) : s.R.Col(1);
      return s.e.y == s.e.z || s.e.x == s.e.z;
    default:
      return false;
  }
}

/** Appends the walls that a coaxial surface makes; false where it has none that slices know. */
INTERVOX_HD inline bool AddProfiles(const LocalSurface& local, const Vec3& z, SlicedSolid* solid) {
  using geometry::SurfaceKind;
  const geometry::Surface& s = local.surface;
  const bool torus = s.kind == SurfaceKind::kTorus;
  if (solid->profiles + (torus ? 2 : 1) > kMostProfiles) return false;
  Profile p;
  p.outer = s.side > 0;
  p.weight = local.weight;
  const double at = Dot(z, s.o);
  if (torus) {
    p.major = s.e.x;
    p.minor = s.e.y;
    p.apex = at;
    p.lower = at - p.minor;
    p.upper = at + p.minor;
    p.gap = s.side < 0;
    for (const double side : {-1.0, 1.0}) {
      p.side = side;
      p.outer = side > 0;
      solid->profile[solid->profiles++] = p;
    }
    solid->rings = true;
    return p.major > p.minor;
  }
  if (s.kind == SurfaceKind::kCylinder) {
    p.straight = true;
    p.c0 = -s.c / s.e.x;
    p.radius = std::sqrt(p.c0);
  } else if (s.kind == SurfaceKind::kCone) {
    p.straight = true;
    const double slope = std::sqrt(-s.e.z / s.e.x);
    p.slope = Dot(s.R.Col(2), z) > 0 ? slope : -slope;
    p.apex = at;
    p.c0 = slope * slope * at * at;
    p.c1 = -2 * slope * slope * at;
    p.c2 = slope * slope;
    (p.slope > 0 ? p.lower : p.upper) = at;
  } else {
    // The coefficient that two axes share is the one across.
    const double across = s.e.x == s.e.y || s.e.x == s.e.z ? s.e.x : s.e.y;
    const double along = s.e.x == s.e.y ? s.e.z : s.e.x == s.e.z ? s.e.y : s.e.x;
    const double square = -s.c / across, flat = along / across;
    p.c0 = square - flat * at * at;
    p.c1 = 2 * flat * at;
    p.c2 = -flat;
    if (flat != 1.0) solid->flat = true;
    const double half = std::sqrt(square / flat);
    p.lower = at - half;
    p.upper = at + half;
  }
  solid->profile[solid->profiles++] = p;
  return true;
}

/** Finds the planes that contain the axis: one or two that are neither parallel nor all there is.
 */
INTERVOX_HD inline void FindSides(const Vec3& axis, SlicedSolid* solid) {
  constexpr double kLeastSine = 1e-6;
  const Vec3* first = nullptr;
  for (int i = 0; i < solid->floors; ++i) {
    FloorPlane& plane = solid->floor[i];
    const double level = Dot(plane.n, solid->point) - plane.offset;
    plane.side =
        std::fabs(Dot(plane.n, axis)) <= kCoaxial && std::fabs(level) <= kCoaxial * solid->reach;
    if (!plane.side) continue;
    const bool parallel = first != nullptr && Norm(Cross(*first, plane.n)) < kLeastSine;
    if (parallel || ++solid->sides > kMostSectorSides) {
      solid->sides = 0;
      return;
    }
    first = &plane.n;
  }
  if (solid->floors == 1) solid->sides = 0;  // it is the floor
}

/** Reads a pair as a solid of revolution between planes across its axis, cut by a few more planes;
 false where it is anything else. */
INTERVOX_HD inline bool MakeSlicedSolid(const LocalPair& pair, SlicedSolid* solid) {
  using geometry::Surface;
  using geometry::SurfaceKind;
  // The axis: of the first wall that has one of its own, or that of two spheres, or across the
  // plane of a sphere's own body.
  Vec3 axis, point = pair.surface[pair.planes].surface.o;
  bool known = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    const LocalSurface& local = pair.surface[i];
    bool any = false;
    Vec3 own;
    if (!FindAxis(local.surface, &any, &own)) return false;
    solid->mixed = solid->mixed || local.weight != pair.surface[pair.planes].weight;
    if (!any && !known) {
      known = true;
      axis = own;
      point = local.surface.o;
    }
  }
  for (int i = pair.planes + 1; i < pair.count && !known; ++i) {
    const Vec3 apart = pair.surface[i].surface.o - point;
    if (!(SquaredNorm(apart) > 0)) continue;
    known = true;
    axis = Normalized(apart);
  }
  for (int i = 0; i < pair.planes && !known; ++i) {
    if (pair.planes > 1 && pair.surface[i].body != pair.surface[pair.planes].body) continue;
    known = true;
    axis = pair.surface[i].surface.PlaneNormal();
  }
  if (!known) return false;
  solid->frame.z = axis;
  double reach = Norm(point);
  bool enclosed = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    const Surface& s = pair.surface[i].surface;
    bool any = false;
    Vec3 own;
    FindAxis(s, &any, &own);
    const Vec3 apart = s.o - point;
    reach = std::fmax(reach, Norm(s.o));
    if (!any && !(SquaredNorm(Cross(own, axis)) < kCoaxial * kCoaxial)) return false;
    if (!(Norm(Cross(apart, axis)) <= kCoaxial * reach)) return false;
    if (!AddProfiles(pair.surface[i], axis, solid)) return false;
    enclosed = enclosed || s.side > 0;
  }
  if (!enclosed) return false;                    // planes bound what is outside of a hole
  if (solid->rings && solid->flat) return false;  // they meet at roots of a quartic
  // Planes: across the axis, or a floor.
  for (int i = 0; i < pair.planes; ++i) {
    const LocalSurface& local = pair.surface[i];
    const Vec3 n = local.surface.PlaneNormal();
    const double along = Dot(n, axis);
    if (SquaredNorm(n - along * axis) < kCoaxial * kCoaxial) {
      const double at = Dot(axis, local.surface.o);
      reach = std::fmax(reach, std::fabs(at));
      if (along > 0 && at < solid->upper) {
        solid->upper = at;
        solid->upper_weight = local.weight;
      } else if (along < 0 && at > solid->lower) {
        solid->lower = at;
        solid->lower_weight = local.weight;
      }
    } else {
      if (solid->floors == kMostFloors) return false;
      const double offset = Dot(n, local.surface.o);
      solid->floor[solid->floors++] = {n, offset, local.weight, false};
      reach = std::fmax(reach, std::fabs(offset));
    }
  }
  solid->point = point;
  solid->reach = reach;
  FindSides(axis, solid);
  return true;
}

/** The unit vector across the axis z that is farthest from n. */
INTERVOX_HD inline Vec3 AwayFrom(const Vec3& n, const Vec3& z) {
  const Vec3 across = Dot(n, z) * z - n;
  if (!(SquaredNorm(across) > kCoaxial * kCoaxial)) return AnyOrthogonal(z);
  // Of a short vector rounding leaves no more than its direction.
  const Vec3 x = Normalized(across);
  return Normalized(x - Dot(x, z) * z);
}

/** Takes one of the planes for the floor, or none with −1; `sector`: between those through the
 axis. */
INTERVOX_HD inline void SetFloor(int floor, bool sector, SlicedSolid* solid) {
  SliceFrame& frame = solid->frame;
  frame.has_floor = floor >= 0;
  frame.x = AnyOrthogonal(frame.z);
  if (frame.has_floor) {
    const FloorPlane& plane = solid->floor[floor];
    frame.floor_weight = plane.weight;
    frame.cosine = Dot(plane.n, frame.z);
    frame.sine = Norm(plane.n - frame.cosine * frame.z);
    frame.x = AwayFrom(plane.n, frame.z);
    frame.x0 = -frame.sine * plane.offset;
    frame.z0 = frame.cosine * plane.offset;
  }
  frame.y = Cross(frame.z, frame.x);
  frame.axis_x = Dot(frame.x, solid->point);
  frame.axis_y = Dot(frame.y, solid->point);
  frame.sides = 0;
  for (int i = 0; i < solid->floors && sector; ++i) {
    const FloorPlane& plane = solid->floor[i];
    if (!plane.side) continue;
    frame.side[frame.sides++] = {{Dot(plane.n, frame.x), Dot(plane.n, frame.y)}, plane.weight};
  }
}

}  // namespace intervox::cuda::internal::slice
