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
  Moments body;                       ///< without s and g
  double a = 0.0;                     ///< of the floor's face [m²]
  Vec3 floor;                         ///< ∫ (1, x, z) dA over it, less what walls count for
  double gross = 0.0;                 ///< sum of the volumes that are added or taken away [m³]
  double walls = 0.0;                 ///< area of walls that a part lies between, at most [m²]
  double lean_v = 0.0, lean_a = 0.0;  ///< v and a by the nested rule

  INTERVOX_HD SliceSums& operator+=(const SliceSums& other) {
    body += other.body;
    a += other.a;
    floor += other.floor;
    gross += other.gross;
    walls += other.walls;
    lean_v += other.lean_v;
    lean_a += other.lean_a;
    return *this;
  }

  /** Adds a slice of the given thickness [m], or takes it away where that is negative; `length` is
   the floor's along e [m], `weight` that of its face less the wall's. */
  INTERVOX_HD void Add(const SegmentMoments& slice, double at_z, double thickness, double chord,
                       double length, double weight) {
    const double dv = thickness * slice.a, dt = thickness * slice.t;
    const double dx = dt + slice.at * dv;
    gross += std::fabs(dv);
    body.v += dv;
    body.m += Vec3{dx, 0.0, at_z * dv};
    body.second.diag +=
        Vec3{thickness * slice.tt + slice.at * (dt + dx), thickness * slice.yy, at_z * at_z * dv};
    body.second.off.y += at_z * dx;
    const double da = chord * length;
    a += da;
    floor += weight * da * Vec3{1.0, slice.at, at_z};
  }
};

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
  double far_root[2] = {0.0, 0.0};  ///< of a torus, where its section begins or ends to be whole
  bool far_real = false;
};

/** A slice's disc under the floor. */
struct DiscOverFloor {
  double r = 0.0, depth = 0.0, rest = 0.0;
};

/** Prepares a wall. */
INTERVOX_HD inline WallOverFloor LookAtWall(const SliceFrame& frame, const Profile& wall) {
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
  } else if (wall.side != 0.0) {
    // The floor's line meets the tube's circle, and its mirror image beyond the axis.
    const double along = frame.z0 - wall.apex, most = wall.minor * wall.minor;
    const auto meet = [&](double across, double* roots) {
      return RealRoots(1.0, frame.cosine * across + frame.sine * along,
                       across * across + along * along - most, roots) == 2;
    };
    out.real = meet(c - wall.major, out.root);
    out.far_real = meet(c + wall.major, out.far_root);
  } else {
    const double q0 = wall.Square(frame.z0);
    const double q1 = 0.5 * (wall.c1 + 2 * wall.c2 * frame.z0) * frame.sine;
    const double q2 = wall.c2 * frame.sine * frame.sine - frame.cosine * frame.cosine;
    out.bend = -q2;
    out.real = RealRoots(q2, q1 - c * frame.cosine, q0 - c * c, out.root) == 2;
  }
  return out;
}

/** Appends where a wall's segments begin, fill their discs, or end. */
INTERVOX_HD inline void AddSingular(const WallOverFloor& over, SlicePlaces* singular) {
  const Profile& wall = *over.wall;
  const SliceFrame& frame = *over.frame;
  if (wall.straight) {
    singular->Add(-over.depth0 / over.depth1);
    singular->Add(-over.rest0 / over.rest1);
  }
  for (int k = 0; k < 2; ++k) {
    if (over.real) singular->Add(over.root[k]);
    if (over.far_real) singular->Add(over.far_root[k]);
  }
  singular->Add((wall.lower - frame.z0) / frame.sine);
  singular->Add((wall.upper - frame.z0) / frame.sine);
}

/** side w − u for w² − u² = product, without cancellation. */
INTERVOX_HD inline double BeyondSide(double side, double w, double u, double product) {
  return side * u > 0 ? product / (side * w + u) : side * w - u;
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
  if (wall.side != 0.0) {
    const double w = wall.HalfTube(frame.z0 + frame.sine * tau);
    const auto beyond = [&](double u, bool real, const double* root) {
      const double product = real ? (tau - root[0]) * (root[1] - tau) : (w - u) * (w + u);
      return BeyondSide(wall.side, w, u, product);
    };
    out.depth = beyond(c - wall.major, over.real, over.root);
    out.rest = beyond(-c - wall.major, over.far_real, over.far_root);
    return out;
  }
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

/** The walls of a part of the slices: what the second one encloses is taken away, if it is there.
 Where both are sums at once, rounding of where the floor is moves both alike. */
struct PartOverFloor {
  const WallOverFloor* wall[2] = {nullptr, nullptr};
  int walls = 0;
  SlicePlaces singular;  ///< along the floor
};

/** Adds a strip of a wall that has another one beside it, from which it may differ by little.
 @param along  its area but for how steep it is [m²] */
INTERVOX_HD inline void AddWall(const PartOverFloor& over, int k, double z, double along,
                                SliceSums* sums) {
  if (over.walls == 2) sums->walls += along * (1 + over.wall[k]->wall->Steepness(z));
}

/** Sums of a part between two heights. */
INTERVOX_HD inline SliceSums SumPart(const PartOverFloor& over, double lower, double upper,
                                     double tolerance, OtherPlanes* others, RuleResult* result) {
  const SliceFrame& frame = *over.wall[0]->frame;
  const auto whole = [&](double z, double thickness, SliceSums* sums) {
    for (int k = 0; k < over.walls; ++k) {
      const double r = over.wall[k]->wall->Radius(z);
      if (k == 0)
        others->Look({frame.axis_x - r, frame.axis_y, z}, {2 * r, 0.0, 0.0}, {0.0, r, 0.0});
      sums->Add(WholeDisc(r, frame.axis_x), z, k == 0 ? thickness : -thickness, 0.0, 0.0, 0.0);
      AddWall(over, k, z, 2 * kPi * r * thickness, sums);
    }
  };
  SlicePlaces ends;
  for (int k = 0; k < over.walls; ++k) {
    ends.Add(over.wall[k]->wall->lower);
    ends.Add(over.wall[k]->wall->upper);
  }
  if (!frame.has_floor) return SumPanel<SliceSums>(lower, upper, ends, tolerance, whole, result);
  const auto part = [&](double tau, double length, SliceSums* sums) {
    const double x = frame.x0 + frame.cosine * tau, z = frame.z0 + frame.sine * tau;
    for (int k = 0; k < over.walls; ++k) {
      const DiscOverFloor disc = DiscAt(*over.wall[k], tau);
      if (!(disc.depth > 0) || !(disc.r > 0)) continue;
      const double sign = k == 0 ? 1.0 : -1.0;
      if (!(disc.rest > 0)) {
        sums->Add(WholeDisc(disc.r, frame.axis_x), z, sign * frame.sine * length, 0.0, 0.0, 0.0);
        AddWall(over, k, z, 2 * kPi * disc.r * frame.sine * length, sums);
        continue;
      }
      const double half = std::sqrt(disc.depth * disc.rest);
      if (k == 0) {
        others->Look({x, frame.axis_y, z}, {disc.depth, 0.0, 0.0},
                     {0.0, disc.depth < disc.r ? half : disc.r, 0.0});
      }
      sums->Add(Segment(disc.r, disc.depth, disc.rest, x), z, sign * frame.sine * length, 2 * half,
                sign * length, frame.floor_weight - over.wall[k]->wall->weight);
      // An arc is at most π/2 times its chord, or else less than the circle.
      AddWall(over, k, z, kPi * (disc.depth < disc.r ? half : 2 * disc.r) * frame.sine * length,
              sums);
    }
  };
  SliceSums sums;
  const double first = (lower - frame.z0) / frame.sine, last = (upper - frame.z0) / frame.sine;
  double begin = first, begin_z = lower;
  for (int i = 0; i <= over.singular.count; ++i) {
    const double end = i < over.singular.count ? over.singular.at[i] : last;
    if (!(end > begin) || end > last) continue;
    const double end_z = end == last ? upper : frame.z0 + frame.sine * end;
    bool any = false, all_whole = true;
    for (int k = 0; k < over.walls; ++k) {
      const DiscOverFloor disc = DiscAt(*over.wall[k], 0.5 * (begin + end));
      const bool there = disc.depth > 0 && disc.r > 0;
      any = any || there;
      all_whole = all_whole && there && !(disc.rest > 0);
    }
    if (all_whole) {
      sums += SumPanel<SliceSums>(begin_z, end_z, ends, tolerance, whole, result);
    } else if (any) {
      sums += SumPanel<SliceSums>(begin, end, over.singular, tolerance, part, result);
    }
    begin = end;
    begin_z = end_z;
  }
  return sums;
}

/** A part of a slice between an outer wall and an inner one; −1: none. */
struct WallsAt {
  int outer = -1, inner = -1;
};

/** The parts of the solid's slice at a height, apart from each other. */
struct SliceParts {
  WallsAt part[kMostProfiles / 2 + 1];
  int count = 0;
};

/** Takes what lies between the walls i and i + 1 out of the parts. */
INTERVOX_HD inline void LeaveOut(const SlicedSolid& solid, double z, int i, SliceParts* parts) {
  const double low = solid.profile[i].Radius(z), high = solid.profile[i + 1].Radius(z);
  SliceParts left;
  for (int k = 0; k < parts->count; ++k) {
    const WallsAt& part = parts->part[k];
    const double inner = part.inner >= 0 ? solid.profile[part.inner].Radius(z) : 0.0;
    const double outer = solid.profile[part.outer].Radius(z);
    if (high <= inner || low >= outer) {
      left.part[left.count++] = part;
      continue;
    }
    if (low > inner) left.part[left.count++] = {i, part.inner};
    if (high < outer) left.part[left.count++] = {part.outer, i + 1};
  }
  *parts = left;
}

/** Between the innermost outer wall and the outermost inner one, but for what tori leave out. */
INTERVOX_HD inline SliceParts FindWalls(const SlicedSolid& solid, double z) {
  WallsAt at;
  double outer = INFINITY, inner = 0.0;
  for (int i = 0; i < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    if (p.gap) continue;
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
  SliceParts parts;
  if (at.outer < 0 || inner >= outer) return parts;
  parts.part[parts.count++] = at;
  for (int i = 0; i + 1 < solid.profiles; ++i) {
    const Profile& p = solid.profile[i];
    if (p.gap && p.side < 0 && z > p.lower && z < p.upper) LeaveOut(solid, z, i, &parts);
  }
  return parts;
}

/** Appends where r = slope z + offset meets the circle of a torus' tube. */
template <class Add>
INTERVOX_HD void AddMeetings(const Profile& ring, double slope, double offset, const Add& add) {
  const double across = offset - ring.major;
  double roots[2];
  const int count =
      RealRoots(1.0 + slope * slope, slope * across - ring.apex,
                across * across + ring.apex * ring.apex - ring.minor * ring.minor, roots);
  for (int r = 0; r < count; ++r) add(roots[r]);
}

/** Appends where a wall meets a torus', by the line through the points of two circles. */
template <class Add>
INTERVOX_HD void AddRingBreaks(const Profile& ring, const Profile& q, const Add& add) {
  if (q.straight) {
    AddMeetings(ring, q.slope, q.slope != 0.0 ? -q.slope * q.apex : q.radius, add);
    return;
  }
  const bool is_ring = q.side != 0.0;
  const double major = is_ring ? q.major : 0.0, apex = is_ring ? q.apex : 0.5 * q.c1;
  const double square = is_ring ? q.minor * q.minor : q.c0 + apex * apex;
  const double apart = ring.major - major, along = ring.apex - apex;
  const double levels = apart * (ring.major + major) + along * (ring.apex + apex) -
                        (ring.minor * ring.minor - square);
  if (apart != 0.0) {
    AddMeetings(ring, -along / apart, 0.5 * levels / apart, add);
  } else if (along != 0.0) {
    add(0.5 * levels / along);
  }
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
      if (p.side != 0.0 || q.side != 0.0) {
        if (p.side != 0.0) AddRingBreaks(p, q, add);
        if (p.side == 0.0) AddRingBreaks(q, p, add);
        continue;
      }
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
    const Vec3 n{-f.sine, 0.0, f.cosine};
    x.s = sums.floor.x * n;
    x.g = Cross(Vec3{sums.floor.y, 0.0, sums.floor.z}, n);
  }
  return Turned(Mat3::FromColumns(f.x, f.y, f.z), Shifted(x, {0.0, f.axis_y, 0.0}));
}

/** (R6): adds s and g of a slice at z as a face of that weight, seen from below. */
INTERVOX_HD inline void AddSlice(const SlicedSolid& solid, const SegmentMoments& slice, double z,
                                 double weight, Moments* moments) {
  const SliceFrame& f = solid.frame;
  const double x = slice.t + slice.at * slice.a;
  const Vec3 first = x * f.x + slice.a * f.axis_y * f.y + slice.a * z * f.z;
  moments->s += weight * slice.a * f.z;
  moments->g += weight * Cross(first, f.z);
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
  for (int i = 0; i < solid.profiles; ++i) {
    over[i] = WallOverFloor{&solid.profile[i], &frame};
    if (frame.has_floor) over[i] = LookAtWall(frame, solid.profile[i]);
  }
  // Far below what is asked for, at next to no cost: cutting a face must not show.
  const double tolerance = 1e-5 * pair.tolerance;
  double begin = lower;
  Moments slices;
  for (int i = 0; i <= breaks.count; ++i) {
    const double end = i < breaks.count ? breaks.at[i] : upper;
    const SliceParts parts = FindWalls(solid, 0.5 * (begin + end));
    for (int k = 0; k < parts.count; ++k) {
      PartOverFloor part;
      const auto bound = [&](int wall, double sign) {
        part.wall[part.walls++] = &over[wall];
        if (frame.has_floor) AddSingular(over[wall], &part.singular);
        if (!solid.mixed) return;  // what one part ends at the next one begins at
        const double weight = solid.profile[wall].weight;
        AddSlice(solid, SliceOf(over[wall], begin), begin, sign * weight, &slices);
        AddSlice(solid, SliceOf(over[wall], end), end, -sign * weight, &slices);
      };
      bound(parts.part[k].outer, 1.0);
      if (parts.part[k].inner >= 0) bound(parts.part[k].inner, -1.0);
      sums += SumPart(part, begin, end, tolerance, others, result);
      ++result->work;
    }
    begin = end;
  }
  result->error += internal::kLevelRounding * sums.gross;
  if (!(sums.body.v > 0)) return sums;
  *moments = FromSlices(solid, sums);
  moments->s += slices.s;
  moments->g += slices.g;
  double rounding = sums.a;
  for (const double side : {-1.0, 1.0}) {
    const double z = side < 0 ? solid.lower : solid.upper;
    if (!(std::fabs(z) < INFINITY) || z < lower || z > upper) continue;
    const double inward = (side < 0 ? 1e-9 : -1e-9) * (upper - lower);
    const double cap_weight = side < 0 ? solid.lower_weight : solid.upper_weight;
    const auto add = [&](int wall, double sign) {
      const SegmentMoments slice = SliceOf(over[wall], z);
      const double weight = cap_weight - (solid.mixed ? 0.0 : solid.profile[wall].weight);
      AddSlice(solid, slice, z, sign * side * weight, moments);
      rounding += sign * slice.a;
    };
    const SliceParts parts = FindWalls(solid, z + inward);
    for (int k = 0; k < parts.count; ++k) {
      add(parts.part[k].outer, 1.0);
      if (parts.part[k].inner >= 0) add(parts.part[k].inner, -1.0);
    }
  }
  result->rounding = result->error <= pair.tolerance * sums.body.v;
  // What rounding of the positions makes of the volume.
  result->error += internal::kPositionRounding * solid.reach * (rounding + 2 * sums.walls);
  return sums;
}

/** The solid of revolution that the pair is, under one of its planes; refuses what is none. */
INTERVOX_HD inline RuleResult RevolvedRule(const LocalPair& pair, Moments* moments) {
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

}  // namespace internal::slice

/** Moments of a solid of revolution (coaxial cylinders, cones, tori, balls or spheroids between
 planes across the axis) under one more plane, or of a torus between planes, in a ball or beside a
 quadric. Every slice across the axis is a circular segment, or the difference of two, and every one
 along a torus' axis what lines or a conic leave of a disc, with moments in closed form; the sum
 over slices is one-dimensional. Of several planes that are not across the axis one must cut alone.
 It refuses any other pair. */
INTERVOX_HD inline RuleResult SliceRule(const LocalPair& pair, Moments* moments) {
  using namespace internal::slice;
  if (pair.planes == pair.count) return {};
  if (const RuleResult two = TwoRingsRule(pair, moments); two.accepted) return two;
  bool ring = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    ring = ring || pair.surface[i].surface.kind == geometry::SurfaceKind::kTorus;
  }
  if (ring && pair.count == pair.planes + 1) return RingRule(pair, moments);
  const RuleResult revolved = RevolvedRule(pair, moments);
  if (!ring || (revolved.accepted && revolved.error <= pair.tolerance * moments->v)) {
    return revolved;
  }
  Moments beside;
  const RuleResult round = RingRule(pair, &beside);
  if (!round.accepted || (revolved.accepted && revolved.error <= round.error)) return revolved;
  *moments = beside;
  return round;
}

}  // namespace intervox::cuda
