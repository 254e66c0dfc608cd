/** @file The slice rule: a solid of revolution cut by one plane, sliced across its axis. */
#pragma once

#include "cuda/moments/moments.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/holes.h"
#include "cuda/rules/slice/ring_pair.h"
#include "cuda/rules/slice/ring_rule.h"
#include "cuda/rules/slice/sector.h"
#include "cuda/rules/slice/walls.h"

namespace intervox::cuda {

namespace internal::slice {

/** Sums over slices in the solid's frame, y about the axis; those over the floor's face apart. */
struct SliceSums {
  Moments body;        ///< s and g of faces in a sector alone
  double a = 0.0;      ///< of the floor's face [m²]
  Vec3 floor;          ///< ∫ (1, x, z) dA over it, less what walls count for
  double gross = 0.0;  ///< sum of the volumes that are added or taken away [m³]
  double walls = 0.0;  ///< area of walls that a part lies between, at most [m²]
  double sides = 0.0;  ///< area of a sector's sides [m²]
  double lost = 0.0;   ///< of v, to rounding [m³]

  INTERVOX_HD SliceSums& operator+=(const SliceSums& other) {
    body += other.body;
    a += other.a;
    floor += other.floor;
    gross += other.gross;
    walls += other.walls;
    sides += other.sides;
    lost += other.lost;
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

  /** (R15): adds the same of a slice in a sector.
   @param wall  weight of the wall that encloses it */
  INTERVOX_HD void Add(const SliceFrame& frame, const SectorSlice& slice, double at_z,
                       double thickness, double length, double wall) {
    const PlaneMoments& m = slice.figure.moments;
    const Plane2& o = slice.figure.origin;
    const double dv = thickness * m.a, at_x = frame.axis_x + o.x;
    const double x = thickness * m.x, y = thickness * m.z, dx = x + at_x * dv, dy = y + o.z * dv;
    gross += std::fabs(dv);
    lost += std::fabs(thickness) * slice.figure.lost;
    body.v += dv;
    body.m += Vec3{dx, dy, at_z * dv};
    body.second.diag += Vec3{thickness * m.xx + at_x * (x + dx), thickness * m.zz + o.z * (y + dy),
                             at_z * at_z * dv};
    body.second.off += Vec3{thickness * m.xz + at_x * y + o.z * dx, at_z * dx, at_z * dy};
    for (int i = 0; i < slice.lines; ++i) {
      const DiscLine& line = slice.line[i];
      if (line.gone) continue;
      const bool side = i < frame.sides;
      const double da = (line.upper - line.lower) * (side ? thickness : length);
      (side ? sides : a) += side ? std::fabs(da) : da;
      const Vec3 n = side ? Vec3{frame.side[i].n.x, frame.side[i].n.z, 0.0} : frame.FloorNormal();
      const double weight = (side ? frame.side[i].weight : frame.floor_weight) - wall;
      const Plane2 middle = line.foot + 0.5 * (line.upper + line.lower) * line.along;
      body.s += weight * da * n;
      body.g += weight * da * Cross(Vec3{frame.axis_x + middle.x, middle.z, at_z}, n);
    }
  }
};

/** The walls of a part of the slices: what the second one encloses is taken away, if it is there.
 Where both are sums at once, rounding of where the floor is moves both alike. */
struct PartOverFloor {
  const WallOverFloor* wall[2] = {nullptr, nullptr};
  int walls = 0;
  SlicePlaces singular;  ///< along the floor
};

/** The walls of a solid, seen from its floor. */
struct WallsOverFloor {
  WallOverFloor wall[kMostProfiles];
};

/** What is read of a pair as a solid of revolution, and room for its slices. */
struct RevolvedMemory {
  Place<SlicedSolid> solid;
  Place<OtherPlanes> others;
  Place<SlicePlaces> breaks, ends;
  Place<WallsOverFloor> over;
  Place<PartOverFloor> part;
  Place<SectorSlice> slice;
};

/** Adds a strip of a wall that has another one beside it, from which it may differ by little.
 @param around  length of the wall around its slice, at most [m] */
INTERVOX_HD inline void AddWall(const PartOverFloor& over, int k, double z, double around,
                                double thickness, SliceSums* sums) {
  if (over.walls < 2) return;
  sums->walls += around * thickness * (1 + over.wall[k]->wall->Steepness(z, thickness));
}

/** Sums of one panel: in a sector, where nodes are dear, there are half as many of them. */
template <class Node>
INTERVOX_HD SliceSums SumPanel(const SliceFrame& frame, double lower, double upper,
                               const SlicePlaces& singular, double tolerance,
                               const SumErrors& least, const Node& add, RuleResult* result) {
  constexpr int kTries = 16;
  if (frame.sides > 0)
    return SumMapped<SliceSums>(lower, upper, singular, kTries, tolerance, least, add, result);
  return SumHalves<SliceSums>(lower, upper, singular, tolerance, add, result);
}

/** Where the panel from there on ends: at the next singular place, or the last. */
INTERVOX_HD inline double PanelEnd(const PartOverFloor& over, double begin, double last) {
  for (int i = 0; i < over.singular.count; ++i) {
    const double end = over.singular.at[i];
    if (end > begin) return std::fmin(end, last);
  }
  return last;
}

/** What the slice in the middle of a panel shows. */
struct PanelLook {
  bool any = false;   ///< a wall encloses something
  bool whole = true;  ///< all do, and the floor cuts none
  double v = 0.0;     ///< what that makes of the panel's volume [m³]
  double a = 0.0;     ///< and of the floor's area in it [m²]; both in a sector
};

INTERVOX_HD inline PanelLook LookAt(const PartOverFloor& over, double begin, double end,
                                    Place<SectorSlice>* room) {
  const SliceFrame& frame = *over.wall[0]->frame;
  const double tau = 0.5 * (begin + end), length = end - begin;
  PanelLook look;
  for (int k = 0; k < over.walls; ++k) {
    const DiscOverFloor disc = DiscAt(*over.wall[k], tau);
    bool there = disc.depth > 0 && disc.r > 0;
    if (there && frame.sides > 0) {
      SectorSlice& slice = room->Make();
      SectorOver(frame, disc, frame.x0 - frame.axis_x + frame.cosine * tau, &slice);
      there = slice.figure.moments.a > 0 || slice.figure.lost > 0;
      const double sign = k == 0 ? length : -length;
      look.v += sign * frame.sine * slice.figure.moments.a;
      look.a += sign * slice.Chord();
    }
    look.any = look.any || there;
    look.whole = look.whole && there && !(disc.rest > 0);
  }
  return look;
}

/** Sums of a part between two heights.
 @param before  volume and area that are summed already */
INTERVOX_HD inline SliceSums SumPart(const PartOverFloor& over, double lower, double upper,
                                     double tolerance, const SumErrors& before,
                                     RevolvedMemory* memory, RuleResult* result) {
  const SliceFrame& frame = *over.wall[0]->frame;
  OtherPlanes* const others = &memory->others.value;
  const auto whole = [&](double z, double thickness, SliceSums* sums) {
    for (int k = 0; k < over.walls; ++k) {
      const Profile& wall = *over.wall[k]->wall;
      const double r = wall.Radius(z), part = k == 0 ? thickness : -thickness;
      if (k == 0)
        others->Look({frame.axis_x - r, frame.axis_y, z}, {2 * r, 0.0, 0.0}, {0.0, r, 0.0});
      if (frame.sides > 0) {
        SectorSlice& slice = memory->slice.Make();
        SectorOf(frame, r, &slice);
        sums->Add(frame, slice, z, part, 0.0, wall.weight);
      } else {
        sums->Add(WholeDisc(r, frame.axis_x), z, part, 0.0, 0.0, 0.0);
      }
      AddWall(over, k, z, 2 * kPi * r, thickness, sums);
    }
  };
  SlicePlaces& ends = memory->ends.Make();
  for (int k = 0; k < over.walls; ++k) {
    ends.Add(over.wall[k]->wall->lower);
    ends.Add(over.wall[k]->wall->upper);
  }
  if (!frame.has_floor) return SumPanel(frame, lower, upper, ends, tolerance, {}, whole, result);
  const auto part = [&](double tau, double length, SliceSums* sums) {
    const double x = frame.x0 + frame.cosine * tau, z = frame.z0 + frame.sine * tau;
    for (int k = 0; k < over.walls; ++k) {
      const DiscOverFloor disc = DiscAt(*over.wall[k], tau);
      if (!(disc.depth > 0) || !(disc.r > 0)) continue;
      const bool cut = disc.rest > 0;
      const double sign = k == 0 ? 1.0 : -1.0, weight = over.wall[k]->wall->weight;
      const double thickness = sign * frame.sine * length;
      const double half = cut ? std::sqrt(disc.depth * disc.rest) : disc.r;
      if (k == 0 && cut) {
        others->Look({x, frame.axis_y, z}, {disc.depth, 0.0, 0.0},
                     {0.0, disc.depth < disc.r ? half : disc.r, 0.0});
      }
      if (frame.sides > 0) {
        SectorSlice& slice = memory->slice.Make();
        SectorOver(frame, disc, x - frame.axis_x, &slice);
        sums->Add(frame, slice, z, thickness, sign * length, weight);
      } else if (cut) {
        sums->Add(Segment(disc.r, disc.depth, disc.rest, x), z, thickness, 2 * half, sign * length,
                  frame.floor_weight - weight);
      } else {
        sums->Add(WholeDisc(disc.r, frame.axis_x), z, thickness, 0.0, 0.0, 0.0);
      }
      // An arc is at most π/2 times its chord, or else less than the circle.
      AddWall(over, k, z, kPi * (cut && disc.depth < disc.r ? half : 2 * disc.r),
              frame.sine * length, sums);
    }
  };
  SliceSums sums;
  const double first = (lower - frame.z0) / frame.sine, last = (upper - frame.z0) / frame.sine;
  SumErrors least;  // of panels with next to nothing in them
  if (frame.sides > 0) {
    constexpr double kShare = 0.1;
    least = before;
    for (double begin = first; begin < last;) {
      const double end = PanelEnd(over, begin, last);
      const PanelLook look = LookAt(over, begin, end, &memory->slice);
      least.v += look.v;
      least.a += look.a;
      begin = end;
    }
    least.v *= kShare * tolerance;
    least.a *= kShare * tolerance;
  }
  double begin_z = lower;
  for (double begin = first; begin < last && !others->OneCuts();) {
    const double end = PanelEnd(over, begin, last);
    const double end_z = end == last ? upper : frame.z0 + frame.sine * end;
    const PanelLook look = LookAt(over, begin, end, &memory->slice);
    if (look.whole) {
      sums += SumPanel(frame, begin_z, end_z, ends, tolerance, least, whole, result);
    } else if (look.any) {
      sums += SumPanel(frame, begin, end, over.singular, tolerance, least, part, result);
    }
    begin = end;
    begin_z = end_z;
  }
  return sums;
}

/** Sums in the solid's frame to moments in L, without the faces across the axis. */
INTERVOX_HD inline Moments FromSlices(const SlicedSolid& solid, const SliceSums& sums) {
  const SliceFrame& f = solid.frame;
  Moments x = sums.body;
  if (f.has_floor) {
    x.s += sums.floor.x * f.FloorNormal();
    x.g += Cross(Vec3{sums.floor.y, 0.0, sums.floor.z}, f.FloorNormal());
  }
  return Turned(Mat3::FromColumns(f.x, f.y, f.z), Shifted(x, {0.0, f.axis_y, 0.0}));
}

/** (R6): adds s and g of a slice at z as a face of that weight, seen from below. */
INTERVOX_HD inline void AddSlice(const SlicedSolid& solid, const SliceFace& slice, double z,
                                 double weight, Moments* moments) {
  const SliceFrame& f = solid.frame;
  const Vec3 first = slice.x * f.x + (slice.a * f.axis_y + slice.y) * f.y + slice.a * z * f.z;
  moments->s += weight * slice.a * f.z;
  moments->g += weight * Cross(first, f.z);
}

/** Integrates with the floor that is set.
 @return the sums; `result` says whether they may be used, and their error */
INTERVOX_HD inline SliceSums SumSlices(const LocalPair& pair, RevolvedMemory* memory,
                                       Moments* moments, RuleResult* result) {
  const SlicedSolid& solid = memory->solid.value;
  const OtherPlanes& others = memory->others.value;
  const SliceFrame& frame = solid.frame;
  // Ω lies in the pair's box.
  const Vec3 centre = 0.5 * (pair.lower + pair.upper), half = 0.5 * (pair.upper - pair.lower);
  const double at = Dot(frame.z, centre), reach = Dot(Abs(frame.z), half);
  const double lower = std::fmax(solid.lower, at - reach);
  const double upper = std::fmin(solid.upper, at + reach);
  SliceSums sums;
  SlicePlaces& breaks = memory->breaks.Make();
  FindBreaks(solid, lower, upper, &breaks);
  result->accepted = !breaks.full;
  if (!(lower < upper) || breaks.full) return sums;
  WallOverFloor* const over = memory->over.Make().wall;
  for (int i = 0; i < solid.profiles; ++i) {
    over[i].wall = &solid.profile[i];
    over[i].frame = &frame;
    if (frame.has_floor) LookAtWall(frame, solid.profile[i], &over[i]);
  }
  // Far below what is asked for, at next to no cost: cutting a face must not show.
  const double tolerance = (frame.sides > 0 ? 1e-3 : 1e-5) * pair.tolerance;
  double begin = lower;
  Moments slices;
  for (int i = 0; i <= breaks.count && !others.OneCuts(); ++i) {
    const double end = i < breaks.count ? breaks.at[i] : upper;
    const SliceParts parts = FindWalls(solid, 0.5 * (begin + end));
    for (int k = 0; k < parts.count; ++k) {
      PartOverFloor& part = memory->part.Make();
      const auto bound = [&](int wall, double sign) {
        part.wall[part.walls++] = &over[wall];
        if (frame.has_floor) AddSingular(over[wall], &part.singular);
        if (frame.has_floor && frame.sides > 0) AddSectorPlaces(over[wall], &part.singular);
        if (!solid.mixed) return;  // what one part ends at the next one begins at
        const double weight = solid.profile[wall].weight;
        AddSlice(solid, SliceOf(over[wall], begin, &memory->slice), begin, sign * weight, &slices);
        AddSlice(solid, SliceOf(over[wall], end, &memory->slice), end, -sign * weight, &slices);
      };
      bound(parts.part[k].outer, 1.0);
      if (parts.part[k].inner >= 0) bound(parts.part[k].inner, -1.0);
      sums += SumPart(part, begin, end, tolerance, {sums.body.v, sums.a}, memory, result);
      ++result->work;
    }
    begin = end;
  }
  result->error += internal::kLevelRounding * sums.gross + sums.lost;
  if (!(sums.body.v > 0)) return sums;
  *moments = FromSlices(solid, sums);
  moments->s += slices.s;
  moments->g += slices.g;
  double rounding = sums.a + sums.sides;
  for (const double side : {-1.0, 1.0}) {
    const double z = side < 0 ? solid.lower : solid.upper;
    if (!(std::fabs(z) < INFINITY) || z < lower || z > upper) continue;
    const double inward = (side < 0 ? 1e-9 : -1e-9) * (upper - lower);
    const double cap_weight = side < 0 ? solid.lower_weight : solid.upper_weight;
    const auto add = [&](int wall, double sign) {
      const SliceFace slice = SliceOf(over[wall], z, &memory->slice);
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

/** Slices with one plane for the floor, or none with −1; false where others cut the overlap, too.
 @param sector  slice between the planes through the axis */
INTERVOX_HD inline bool SliceOnFloor(const LocalPair& pair, int floor, bool sector,
                                     RevolvedMemory* memory, Moments* moments, RuleResult* result) {
  SlicedSolid* const solid = &memory->solid.value;
  SetFloor(floor, sector, solid);
  const SliceFrame& frame = solid->frame;
  OtherPlanes& others = memory->others.Make();
  for (int i = 0; i < solid->floors; ++i) {
    if (i == floor || (sector && solid->floor[i].side)) continue;
    const Vec3& n = solid->floor[i].n;
    others.plane[others.count++] = {{Dot(n, frame.x), Dot(n, frame.y), Dot(n, frame.z)},
                                    solid->floor[i].offset};
  }
  *moments = {};
  *result = {};
  const SliceSums sums = SumSlices(pair, memory, moments, result);
  if (!result->accepted) return true;
  if (others.OneCuts()) return false;
  if (!(sums.body.v > 0)) {
    *moments = {};
    return true;
  }
  bool alone = true;
  for (int i = 0; i < others.count; ++i) {
    if (others.plane[i].Empties()) {
      *moments = {};
      result->error = result->reach = 0.0;
      return true;
    }
    alone = alone && others.plane[i].Clears();
  }
  return alone;
}

/** The solid of revolution that the pair is, under one of its planes and between those through the
 axis; refuses what is none. */
INTERVOX_HD inline RuleResult RevolvedRule(const LocalPair& pair, RevolvedMemory* memory,
                                           Moments* moments) {
  SlicedSolid& solid = memory->solid.Make();
  if (!MakeSlicedSolid(pair, &solid)) return {};
  RuleResult result;
  for (const bool sector : {false, true}) {
    if (sector && solid.sides == 0) break;
    const bool none = sector ? solid.sides == solid.floors : solid.floors == 0;
    for (int floor = none ? -1 : 0; floor < solid.floors; ++floor) {
      if (sector && floor >= 0 && solid.floor[floor].side) continue;
      if (SliceOnFloor(pair, floor, sector, memory, moments, &result)) return result;
    }
  }
  return {};
}

/** What is read of a pair, and room for its slices, which would be too large for the stack of a
 device's thread: one of these is in use at a time. */
struct SliceMemory {
  RingPairMemory two;
  RingMemory ring;
  RevolvedMemory revolved;
  Place<HoleTerms> holes;
};
static_assert(sizeof(SliceMemory) < 28 * 1024);

}  // namespace internal::slice

/** Moments of a solid of revolution (coaxial cylinders, cones, tori, balls or spheroids between
 planes across the axis) or of a sector of one under one more plane, of a torus between planes, in a
 ball or beside a quadric, or of a ball in a torus' groove. Every slice across the axis is a
 circular segment, or the difference of two, and every one along a torus' axis what lines or a conic
 leave of a disc, with moments in closed form; the sum over slices is one-dimensional. Of several
 planes that are not across the axis one must cut alone. It refuses any other pair. */
INTERVOX_HD inline RuleResult SliceRule(const LocalPair& pair, LocalPair* term, Moments* moments,
                                        internal::slice::SliceMemory* memory) {
  using namespace internal::slice;
  if (pair.planes == pair.count) return {};
  if (const RuleResult two = TwoRingsRule(pair, &memory->two, moments); two.accepted) return two;
  bool ring = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    ring = ring || pair.surface[i].surface.kind == geometry::SurfaceKind::kTorus;
  }
  const bool alone = ring && pair.count == pair.planes + 1;
  const RuleResult revolved = alone ? RuleResult{} : RevolvedRule(pair, &memory->revolved, moments);
  if (!ring || (revolved.accepted && revolved.error <= pair.tolerance * moments->v)) {
    return revolved;
  }
  internal::HoleTerms& terms = memory->holes.Make(pair, term);
  while (terms.Next()) {
    Moments of_term;
    const RuleResult result = RingRule(terms.pair(), &memory->ring, &of_term);
    terms.Take(result, of_term);
  }
  Moments beside;
  const RuleResult round = terms.Result(&beside);
  if (!round.accepted || (revolved.accepted && revolved.error <= round.error)) return revolved;
  *moments = beside;
  return round;
}

/** The same on the CPU, its memory on the stack; compiled apart, see CMakeLists.txt. */
RuleResult SliceRule(const LocalPair& pair, LocalPair* term, Moments* moments);

}  // namespace intervox::cuda
