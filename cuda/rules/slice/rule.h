/** @file The slice rule: a solid of revolution cut by one plane, sliced across its axis. */
#pragma once

#include "cuda/moments/moments.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/slice/panel.h"
#include "cuda/rules/slice/profile.h"
#include "cuda/rules/slice/ring_pair.h"
#include "cuda/rules/slice/ring_rule.h"
#include "cuda/rules/slice/segment.h"

namespace intervox::cuda {

namespace internal::slice {

/** Sums over slices in the solid's frame, y about the axis; those over the floor's face apart. */
struct SliceSums {
  Moments body;                        ///< without s and g
  double a = 0.0, ax = 0.0, az = 0.0;  ///< ∫ (1, x, z) dA over the floor's face
  double lean_v = 0.0, lean_a = 0.0;   ///< v and a by the nested rule

  INTERVOX_HD SliceSums& operator+=(const SliceSums& other) {
    body += other.body;
    a += other.a;
    ax += other.ax;
    az += other.az;
    lean_v += other.lean_v;
    lean_a += other.lean_a;
    return *this;
  }

  /** Adds a slice of the given thickness [m]; `length` is the floor's along e [m]. */
  INTERVOX_HD void Add(const SegmentMoments& slice, double at_z, double thickness, double chord,
                       double length) {
    const double dv = thickness * slice.a, dt = thickness * slice.t;
    const double dx = dt + slice.at * dv;
    body.v += dv;
    body.m += Vec3{dx, 0.0, at_z * dv};
    body.second.diag +=
        Vec3{thickness * slice.tt + slice.at * (dt + dx), thickness * slice.yy, at_z * at_z * dv};
    body.second.off.y += at_z * dx;
    const double da = chord * length;
    a += da;
    ax += slice.at * da;
    az += at_z * da;
  }
};

/** The sums times −1: what a hole takes away. */
INTERVOX_HD inline SliceSums operator-(const SliceSums& x) {
  return {-1.0 * x.body, -x.a, -x.ax, -x.az, -x.lean_v, -x.lean_a};
}

/** (R1): a wall seen from the floor, by the coordinate τ along the floor's direction e:
 x = x₀ + cosine τ, z = z₀ + sine τ. */
struct WallOverFloor {
  const Profile* wall = nullptr;
  const SliceFrame* frame = nullptr;
  double depth0 = 0.0, depth1 = 0.0;  ///< straight walls: the depth is linear in τ
  double rest0 = 0.0, rest1 = 0.0;    ///< and so is what is left of the diameter
  double bend = 0.0;  ///< else r² − (x − axis)² = bend (τ − t₀)(t₁ − τ)
  double root[2] = {0.0, 0.0};
  bool real = false;
};

/** A slice's disc under the floor. */
struct DiscOverFloor {
  double r = 0.0, depth = 0.0, rest = 0.0;
};

/** Prepares a wall, and finds where its segments begin, fill their discs, or end. */
INTERVOX_HD inline WallOverFloor LookAtWall(const SliceFrame& frame, const Profile& wall,
                                            SlicePlaces* singular) {
  WallOverFloor out;
  out.wall = &wall;
  out.frame = &frame;
  const double c = frame.x0 - frame.axis_x;
  if (wall.straight) {
    const double r = wall.Radius(frame.z0), slope = wall.slope * frame.sine;
    out.depth0 = r - c;
    out.depth1 = slope - frame.cosine;
    out.rest0 = r + c;
    out.rest1 = slope + frame.cosine;
    singular->Add(-out.depth0 / out.depth1);
    singular->Add(-out.rest0 / out.rest1);
  } else {
    const double q0 = wall.Square(frame.z0);
    const double q1 = 0.5 * (wall.c1 + 2 * wall.c2 * frame.z0) * frame.sine;
    const double q2 = wall.c2 * frame.sine * frame.sine - frame.cosine * frame.cosine;
    out.bend = -q2;
    out.real = RealRoots(q2, q1 - c * frame.cosine, q0 - c * c, out.root) == 2;
    if (out.real) {
      singular->Add(out.root[0]);
      singular->Add(out.root[1]);
    }
  }
  singular->Add((wall.lower - frame.z0) / frame.sine);
  singular->Add((wall.upper - frame.z0) / frame.sine);
  return out;
}

/** (R3): the disc at τ. Depths are computed without cancellation where they are small. */
INTERVOX_HD inline DiscOverFloor DiscAt(const WallOverFloor& over, double tau) {
  const Profile& wall = *over.wall;
  const SliceFrame& frame = *over.frame;
  DiscOverFloor out;
  out.r = wall.Radius(frame.z0 + frame.sine * tau);
  if (wall.straight) {
    out.depth = over.depth0 + over.depth1 * tau;
    out.rest = over.rest0 + over.rest1 * tau;
    return out;
  }
  const double c = frame.x0 - frame.axis_x + frame.cosine * tau;
  const double product =
      over.real ? over.bend * (tau - over.root[0]) * (over.root[1] - tau) : out.r * out.r - c * c;
  out.depth = c > 0 ? product / (out.r + c) : out.r - c;
  out.rest = out.r + c;
  return out;
}

/** The part of a slice at z that one wall encloses. */
INTERVOX_HD inline SegmentMoments SliceOf(const WallOverFloor& over, double z) {
  const SliceFrame& frame = *over.frame;
  if (!frame.has_floor) return WholeDisc(over.wall->Radius(z), frame.axis_x);
  const double tau = (z - frame.z0) / frame.sine;
  const DiscOverFloor disc = DiscAt(over, tau);
  if (!(disc.depth > 0) || !(disc.r > 0)) return {};
  if (!(disc.rest > 0)) return WholeDisc(disc.r, frame.axis_x);
  return Segment(disc.r, disc.depth, disc.rest, frame.x0 + frame.cosine * tau);
}

/** Sums of what one wall encloses between two heights. */
INTERVOX_HD inline SliceSums SumWall(const WallOverFloor& over, const SlicePlaces& singular,
                                     double lower, double upper, double tolerance,
                                     OtherPlanes* others, RuleResult* result) {
  const SliceFrame& frame = *over.frame;
  const Profile& wall = *over.wall;
  const auto whole = [&](double z, double weight, SliceSums* sums) {
    const double r = wall.Radius(z);
    others->Look({frame.axis_x - r, frame.axis_y, z}, {2 * r, 0.0, 0.0}, {0.0, r, 0.0});
    sums->Add(WholeDisc(r, frame.axis_x), z, weight, 0.0, 0.0);
  };
  SlicePlaces ends;
  ends.Add(wall.lower);
  ends.Add(wall.upper);
  if (!frame.has_floor) return SumPanel<SliceSums>(lower, upper, ends, tolerance, whole, result);
  const auto part = [&](double tau, double weight, SliceSums* sums) {
    const DiscOverFloor disc = DiscAt(over, tau);
    if (!(disc.depth > 0) || !(disc.rest > 0) || !(disc.r > 0)) return;
    const double x = frame.x0 + frame.cosine * tau, z = frame.z0 + frame.sine * tau;
    const double half = std::sqrt(disc.depth * disc.rest);
    others->Look({x, frame.axis_y, z}, {disc.depth, 0.0, 0.0},
                 {0.0, disc.depth < disc.r ? half : disc.r, 0.0});
    sums->Add(Segment(disc.r, disc.depth, disc.rest, x), z, frame.sine * weight, 2 * half, weight);
  };
  SliceSums sums;
  const double first = (lower - frame.z0) / frame.sine, last = (upper - frame.z0) / frame.sine;
  double begin = first, begin_z = lower;
  for (int i = 0; i <= singular.count; ++i) {
    const double end = i < singular.count ? singular.at[i] : last;
    if (!(end > begin) || end > last) continue;
    const double end_z = end == last ? upper : frame.z0 + frame.sine * end;
    const DiscOverFloor disc = DiscAt(over, 0.5 * (begin + end));
    if (disc.depth > 0 && disc.r > 0) {
      sums += disc.rest > 0 ? SumPanel<SliceSums>(begin, end, singular, tolerance, part, result)
                            : SumPanel<SliceSums>(begin_z, end_z, ends, tolerance, whole, result);
    }
    begin = end;
    begin_z = end_z;
  }
  return sums;
}

/** The innermost outer wall and the outermost inner one at a height; −1: none. */
struct WallsAt {
  int outer = -1, inner = -1;
};

INTERVOX_HD inline WallsAt FindWalls(const SlicedSolid& solid, double z) {
  WallsAt at;
  double outer = INFINITY, inner = 0.0;
  for (int i = 0; i < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    const bool there = z > p.lower && z < p.upper;
    if (p.outer && !there) return {};
    const double r = there ? p.Radius(z) : 0.0;
    if (p.outer && r < outer) {
      outer = r;
      at.outer = i;
    } else if (!p.outer && r > inner) {
      inner = r;
      at.inner = i;
    }
  }
  if (at.outer < 0 || inner >= outer) return {};
  return at;
}

/** Heights between two others at which another wall may become the innermost. */
INTERVOX_HD inline SlicePlaces FindBreaks(const SlicedSolid& solid, double lower, double upper) {
  SlicePlaces breaks;
  const auto add = [&](double z) {
    if (z > lower && z < upper) breaks.Add(z);
  };
  for (int i = 0; i < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    add(p.lower);
    add(p.upper);
    for (int k = 0; k < i; ++k) {
      const Profile& q = solid.profile[k];
      double roots[2];
      const int count = RealRoots(p.c2 - q.c2, 0.5 * (p.c1 - q.c1), p.c0 - q.c0, roots);
      for (int r = 0; r < count; ++r) add(roots[r]);
    }
  }
  return breaks;
}

/** Sums in the solid's frame to moments in L, without the faces across the axis. */
INTERVOX_HD inline Moments FromSlices(const SlicedSolid& solid, const SliceSums& sums) {
  const SliceFrame& f = solid.frame;
  Moments x = sums.body;
  if (f.has_floor) {
    const double weight = f.floor_weight - solid.wall_weight;
    const Vec3 n{-f.sine, 0.0, f.cosine};
    x.s = weight * sums.a * n;
    x.g = weight * Cross(Vec3{sums.ax, 0.0, sums.az}, n);
  }
  return Turned(Mat3::FromColumns(f.x, f.y, f.z), Shifted(x, {0.0, f.axis_y, 0.0}));
}

/** (R6): adds s and g of the face in which a plane across the axis bounds the solid; side +1:
 * above. */
INTERVOX_HD inline void AddCap(const SlicedSolid& solid, const SegmentMoments& outer,
                               const SegmentMoments& inner, double z, double side, double weight,
                               Moments* moments) {
  const SliceFrame& f = solid.frame;
  const double w = side * (weight - solid.wall_weight);
  const double a = outer.a - inner.a;
  const double x = outer.t + outer.at * outer.a - (inner.t + inner.at * inner.a);
  const Vec3 first = x * f.x + a * f.axis_y * f.y + a * z * f.z;
  moments->s += w * a * f.z;
  moments->g += w * Cross(first, f.z);
}

/** Integrates with the floor that is set.
 @return the sums; `result` says whether they may be used, and their error */
INTERVOX_HD inline SliceSums SumSlices(const LocalPair& pair, const SlicedSolid& solid,
                                       OtherPlanes* others, Moments* moments, RuleResult* result) {
  const SliceFrame& frame = solid.frame;
  // Ω lies in the pair's box.
  const Vec3 centre = 0.5 * (pair.lower + pair.upper), half = 0.5 * (pair.upper - pair.lower);
  const double at = Dot(frame.z, centre), reach = Dot(Abs(frame.z), half);
  const double lower = std::fmax(solid.lower, at - reach);
  const double upper = std::fmin(solid.upper, at + reach);
  SliceSums sums;
  const SlicePlaces breaks = FindBreaks(solid, lower, upper);
  result->accepted = !breaks.full;
  if (!(lower < upper) || breaks.full) return sums;
  WallOverFloor over[kMostProfiles];
  SlicePlaces singular[kMostProfiles];
  for (int i = 0; i < solid.profiles; ++i) {
    over[i] = WallOverFloor{&solid.profile[i], &frame};
    if (frame.has_floor) over[i] = LookAtWall(frame, solid.profile[i], &singular[i]);
  }
  // Far below what is asked for, at next to no cost: cutting a face must not show.
  const double tolerance = 1e-5 * pair.tolerance;
  OtherPlanes unseen;  // what a hole takes away may reach anywhere
  double begin = lower;
  for (int i = 0; i <= breaks.count; ++i) {
    const double end = i < breaks.count ? breaks.at[i] : upper;
    const WallsAt walls = FindWalls(solid, 0.5 * (begin + end));
    if (walls.outer >= 0) {
      sums +=
          SumWall(over[walls.outer], singular[walls.outer], begin, end, tolerance, others, result);
      if (walls.inner >= 0) {
        sums += -SumWall(over[walls.inner], singular[walls.inner], begin, end, tolerance, &unseen,
                         result);
      }
      ++result->work;
    }
    begin = end;
  }
  if (!(sums.body.v > 0)) return sums;
  *moments = FromSlices(solid, sums);
  double rounding = sums.a;
  for (const double side : {-1.0, 1.0}) {
    const double z = side < 0 ? solid.lower : solid.upper;
    if (!(std::fabs(z) < INFINITY) || z < lower || z > upper) continue;
    const double inward = (side < 0 ? 1e-9 : -1e-9) * (upper - lower);
    const WallsAt walls = FindWalls(solid, z + inward);
    if (walls.outer < 0) continue;
    const SegmentMoments outer = SliceOf(over[walls.outer], z);
    const SegmentMoments inner =
        walls.inner >= 0 ? SliceOf(over[walls.inner], z) : SegmentMoments{};
    AddCap(solid, outer, inner, z, side, side < 0 ? solid.lower_weight : solid.upper_weight,
           moments);
    rounding += outer.a - inner.a;
  }
  result->rounding = result->error <= pair.tolerance * sums.body.v;
  // What rounding of the positions makes of the volume.
  result->error +=
      internal::kPositionRounding * solid.reach * rounding + internal::kLevelRounding * sums.body.v;
  return sums;
}

}  // namespace internal::slice

/** Moments of a solid of revolution (coaxial cylinders, cones or spheroids between planes across
 the axis) under one more plane, or of a torus between planes or in a ball. Every slice across the
 axis is a circular segment, or the difference of two, and every one along a torus' axis what lines
 or a circle leave of a disc, with moments in closed form; the sum over slices is one-dimensional.
 Of several planes that are not across the axis one must cut alone. It refuses any other pair. */
INTERVOX_HD inline RuleResult SliceRule(const LocalPair& pair, Moments* moments) {
  using namespace internal::slice;
  if (pair.planes == pair.count) return {};
  if (const RuleResult two = TwoRingsRule(pair, moments); two.accepted) return two;
  for (int i = pair.planes; i < pair.count; ++i) {
    if (pair.surface[i].surface.kind == geometry::SurfaceKind::kTorus) {
      return RingRule(pair, moments);
    }
  }
  SlicedSolid solid;
  if (!MakeSlicedSolid(pair, &solid)) return {};
  for (int floor = solid.floors > 0 ? 0 : -1; floor < solid.floors; ++floor) {
    SetFloor(floor, &solid);
    OtherPlanes others;
    for (int i = 0; i < solid.floors; ++i) {
      if (i == floor) continue;
      const Vec3& n = solid.floor[i].n;
      others.plane[others.count++] = {
          {Dot(n, solid.frame.x), Dot(n, solid.frame.y), Dot(n, solid.frame.z)},
          solid.floor[i].offset};
    }
    RuleResult result;
    const SliceSums sums = SumSlices(pair, solid, &others, moments, &result);
    if (!result.accepted) return result;
    if (!(sums.body.v > 0)) {
      *moments = {};
      return result;
    }
    bool alone = true;
    for (int i = 0; i < others.count; ++i) {
      if (others.plane[i].Empties()) {
        *moments = {};
        result.error = result.reach = 0.0;
        return result;
      }
      alone = alone && others.plane[i].Clears();
    }
    if (alone) return result;
  }
  return {};
}

}  // namespace intervox::cuda
