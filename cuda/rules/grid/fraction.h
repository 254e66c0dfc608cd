/** @file The fraction rule's share of a voxel, from levels and slopes at its centre. */
#pragma once

#include "cuda/rules/clip/rule.h"
#include "cuda/rules/grid/tile.h"

namespace intervox::cuda::internal::grid {

/** (G1): the share of the unit cube about 0 with n·x ≤ d, n a unit vector (Scardovelli and Zaleski
 2000, J. Comput. Phys. 164, (14) to (20)), the components of n in ascending order m₁ ≤ m₂ ≤ m₃. */
INTERVOX_HD inline double ShareOfCube(const Vec3& n, double d) {
  const Vec3 a = Abs(n);
  double m[3] = {a.x, a.y, a.z};
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 2; ++i) {
      if (m[i] <= m[i + 1]) continue;
      const double swap = m[i];
      m[i] = m[i + 1];
      m[i + 1] = swap;
    }
  }
  const double sum = m[0] + m[1] + m[2];
  // From the cube's lowest corner; beyond the middle by symmetry.
  double at = d + 0.5 * sum;
  if (at <= 0) return 0;
  if (at >= sum) return 1;
  const bool upper = at > 0.5 * sum;
  if (upper) at = sum - at;
  // A corner's tetrahedron less those beyond the edges. Where m₁ or m₂ vanishes, the terms that it
  // divides are left out.
  constexpr double kThin = 1e-6;
  double share = 0;
  if (m[1] < kThin) {
    share = at / m[2];
  } else if (m[0] < kThin) {
    const double over = at > m[1] ? at - m[1] : 0;
    share = (at * at - over * over) / (2 * m[1] * m[2]);
  } else {
    double cube = at * at * at;
    for (int i = 0; i < 3; ++i) {
      const double over = at > m[i] ? at - m[i] : 0;
      cube -= over * over * over;
    }
    const double both = at > m[0] + m[1] ? at - m[0] - m[1] : 0;
    cube += both * both * both;
    share = cube / (6 * m[0] * m[1] * m[2]);
  }
  return upper ? 1 - share : share;
}

/** Components of a unit normal below this are small: SteepShare divides by them. */
inline constexpr double kSteep = 0.02;

/** What a half-space keeps of the unit cube about 0, and its plane there. */
struct CubeShare {
  double share = 0;
  double area = 0;  ///< of the plane in the cube
  Vec3 moment;      ///< area times its centre
};

/** (G1): what n·x ≤ d keeps, n a unit normal without small components, and its derivatives: by d
 the plane's area, by n minus its moment. */
INTERVOX_HD inline CubeShare SteepShare(const Vec3& n, double d) {
  const Vec3 m = Abs(n);
  const double sum = m.x + m.y + m.z;
  // From the cube's lowest corner; beyond the middle by symmetry.
  const bool upper = d > 0;
  const double at = 0.5 * sum - std::fabs(d);
  if (at <= 0) return {upper ? 1.0 : 0.0, 0, {}};
  // A corner's tetrahedron less those beyond one edge, which share those beyond two.
  const auto beyond = [at](double x) { return at > x ? at - x : 0.0; };
  const Vec3 one{beyond(m.x), beyond(m.y), beyond(m.z)};
  const Vec3 two{beyond(m.y + m.z), beyond(m.x + m.z), beyond(m.x + m.y)};
  const Vec3 one2 = Scaled(one, one), two2 = Scaled(two, two);
  const double per = 1 / (6 * m.x * m.y * m.z), both = two2.x + two2.y + two2.z;
  CubeShare out;
  out.share = per * (at * at * at - Dot(one2, one) + Dot(two2, two));
  out.area = 3 * per * (at * at - (one2.x + one2.y + one2.z) + both);
  const auto moment = [&](int axis) {
    const double by_m = out.share / m[axis] - 3 * per * (one2[axis] + two2[axis] - both);
    const double from_middle = by_m - 0.5 * out.area;
    return upper == (n[axis] < 0) ? from_middle : -from_middle;
  };
  out.moment = {moment(0), moment(1), moment(2)};
  if (upper) out.share = 1 - out.share;
  return out;
}

/** (G2): the share of both of two solids with shares a and b of a voxel, whose normals have the
 cosine c: what is common if they are independent (c = 0), one within the other (c = 1), or opposite
 (c = −1), and linear in c between. The ends are the bounds of Fréchet and Hoeffding. */
INTERVOX_HD inline CommonShare ShareOfBoth(double a, double b, double c) {
  const double along = c > 0 ? c : 0, against = c < 0 ? -c : 0, free = 1 - along - against;
  const bool a_less = a <= b, meet = a + b > 1;
  const double least = meet ? a + b - 1 : 0, most = a_less ? a : b;
  return {free * a * b + along * most + against * least,
          free * b + along * (a_less ? 1 : 0) + against * (meet ? 1 : 0),
          free * a + along * (a_less ? 0 : 1) + against * (meet ? 1 : 0),
          c > 0 ? most - a * b : a * b - least};
}

/** A polygon's area, and that times its centre. */
INTERVOX_HD inline void Measure(const clip::Polygon& polygon, double* area, Vec3* moment) {
  *area = 0;
  *moment = {};
  for (int i = 2; i < polygon.count; ++i) {
    const Vec3 &a = polygon.p[0], &b = polygon.p[i - 1], &c = polygon.p[i];
    const double part = 0.5 * Norm(Cross(b - a, c - a));
    *area += part;
    *moment += part / 3 * (a + b + c);
  }
}

/** Whether a half-space keeps all of a polygon: 1, nothing: −1, or some: 0. */
INTERVOX_HD inline int KeptOf(const clip::Polygon& polygon, const Vec3& n, double d) {
  bool all = true, nothing = true;
  for (int i = 0; i < polygon.count; ++i) {
    const double above = Dot(n, polygon.p[i]) - d;
    all = all && above <= 0;
    nothing = nothing && above >= 0;
  }
  return all ? 1 : nothing ? -1 : 0;
}

/** The plane that the means of eight nodes' levels and differences give, and what it keeps.
 @param node   of the tile, the voxel's first
 @param other  the plane's area counts where this one keeps it; null: all of it. Where nothing is in
 both the share is 0 */
INTERVOX_HD inline void FindShare(const Tile& tile, int side, int node, const SideShare* other,
                                  clip::PolygonRoom* room, SideShare* share) {
  SideShare& out = *share;
  out.side = side;
  out.share = out.area = out.d = 0;
  out.n = out.moment = {};
  out.kept = kNoPlane;
  // Along z, then y, then x: sums and differences.
  const double* const level = tile.level[side] + node;
  double g[8];
  int inside = 0;
  for (int c = 0; c < 8; ++c) {
    g[c] = level[Tile::Corner(c)];
    inside += g[c] <= 0;
  }
  const double a0 = g[0] + g[1], a1 = g[2] + g[3], a2 = g[4] + g[5], a3 = g[6] + g[7];
  const double low = a0 + a1, high = a2 + a3, mean = 0.125 * (low + high);
  const Vec3 s{0.25 * (high - low), 0.25 * ((a1 - a0) + (a3 - a2)),
               0.25 * (((g[1] - g[0]) + (g[3] - g[2])) + ((g[5] - g[4]) + (g[7] - g[6])))};
  out.slope = Norm(s);
  if (!(out.slope > 0)) {
    out.share = mean > 0 ? 0 : 1;
    return;
  }
  out.n = s / out.slope;
  const double d = out.d = -mean / out.slope;
  const Vec3 steep = Abs(out.n);
  bool whole = other == nullptr;
  if (!whole) {
    // (G10): the sum of both levels is above zero where there is nothing in both, and below where
    // all is in one of them at least.
    const Vec3 sum = Abs(s + other->slope * other->n);
    const double middle = mean - other->slope * other->d, reach = 0.5 * (sum.x + sum.y + sum.z);
    if (middle > reach) return;
    whole = middle < -reach;
  }
  const bool moves = tile.turn[side] != 0 || other != nullptr;
  if (whole && moves && steep.x > kSteep && steep.y > kSteep && steep.z > kSteep) {
    const CubeShare cube = SteepShare(out.n, d);
    out.share = cube.share;
    out.area = cube.area;
    out.moment = cube.moment;
    if (cube.area > 0) out.kept = 1;
    return;
  }
  out.share = ShareOfCube(out.n, d);
  if (!moves) return;
  // A plane along a face of the cube is counted in the voxel on its outer side.
  if (inside > 4 && d > (0.5 - clip::kAlongFace) * (steep.x + steep.y + steep.z)) return;
  clip::PlaneInBox({out.n, d, 0, 0}, {}, {0.5, 0.5, 0.5}, room);
  clip::Polygon& polygon = room->polygon.value;
  if (polygon.count == 0) return;
  out.kept = 1;
  if (other != nullptr) {
    out.kept = KeptOf(polygon, other->n, other->d);
    if (out.kept == 0) clip::ClipPolygon(other->n, other->d, room);
  }
  if (out.kept >= 0) Measure(polygon, &out.area, &out.moment);
  return;
}

/** The corner of the unit cube that is furthest along a direction. */
INTERVOX_HD inline Vec3 CornerAlong(const Vec3& n) {
  return {n.x > 0 ? 0.5 : -0.5, n.y > 0 ? 0.5 : -0.5, n.z > 0 ? 0.5 : -0.5};
}

/** The volume of what two planes keep of the unit cube that meet in it: columns under both and
 under the cube's upper end, which is not there where a plane lies along it. */
INTERVOX_HD inline double VolumeUnder(const SideShare& a, const SideShare& b,
                                      clip::PolygonRoom* room) {
  constexpr double kHalf = 0.5;
  const clip::HalfSpaceCut of_a{a.n, a.d, 0, 0}, of_b{b.n, b.d, 0, 0};
  const Vec3 half{kHalf, kHalf, kHalf};
  clip::Polygon& polygon = room->polygon.value;
  double volume = b.n.z * (b.moment.z + kHalf * b.area), area = 0;
  Vec3 moment;
  clip::PlaneInBox(of_a, {}, half, room);
  if (polygon.count > 0) clip::ClipPolygon(b.n, b.d, room);
  Measure(polygon, &area, &moment);
  volume += a.n.z * (moment.z + kHalf * area);
  if (clip::EndAlong(of_a, {}, half) > 0 || clip::EndAlong(of_b, {}, half) > 0) return volume;
  // The upper end is beyond a plane where its lowest corner is.
  const auto beyond = [](const SideShare& s) {
    return kHalf * (s.n.z - std::fabs(s.n.x) - std::fabs(s.n.y)) >= s.d;
  };
  if (beyond(a) || beyond(b)) return volume;
  polygon.p[0] = {-kHalf, -kHalf, kHalf};
  polygon.p[1] = {kHalf, -kHalf, kHalf};
  polygon.p[2] = {kHalf, kHalf, kHalf};
  polygon.p[3] = {-kHalf, kHalf, kHalf};
  polygon.count = 4;
  clip::ClipPolygon(a.n, a.d, room);
  if (polygon.count > 0) clip::ClipPolygon(b.n, b.d, room);
  Measure(polygon, &area, &moment);
  return volume + area;
}

/** The share of both of two planes, exactly; the second's area is what the first keeps of it. Thin
 lenses of two grids need it: what normals and shares alone tell errs alike in all voxels along a
 rim that lies on the lattice.

 Planes that do not meet in the cube part it in three: what one of them keeps lies in what the other
 keeps, or beyond it, or leaves a layer in common. */
INTERVOX_HD inline CommonShare ShareOfPlanes(const SideShare& a, const SideShare& b,
                                             clip::PolygonRoom* room) {
  double share = 0;
  if (b.kept == 0) {
    share = VolumeUnder(a, b, room);
  } else if (b.kept == 1) {
    const bool layer = Dot(b.n, CornerAlong(a.n)) <= b.d;
    share = layer ? a.share + b.share - 1 : b.share;
  } else if (b.kept == -1) {
    share = Dot(b.n, CornerAlong(-a.n)) <= b.d ? a.share : 0;
  } else {
    share = b.share > 0.5 ? a.share : 0;
  }
  return {share > 0 ? share : 0, 0, 1, 0};
}

/** Adds voxel (i, j, k) of the tile by its share: the sides one after the other, each against the
 common share of those before it, two grids exactly; with the derivative of that share by the nodes'
 levels. The lattice's own grid stands still, and has none. */
INTERVOX_HD inline void AddShare(Tile* tile, int i, int j, int k, std::uint64_t mixed,
                                 clip::ClipSums* sums) {
  const int node = Tile::Node(i, j, k);
  SideShare* sides = tile->share;
  int count = 0;
  double share = 1;
  for (; mixed != 0; mixed &= mixed - 1) {
    const int s = LowestBit(mixed);
    SideShare& side = sides[count];
    const bool grids = tile->grids == 2 && count == 1 && tile->side[s] == 1 &&
                       tile->side[sides[0].side] == 0 && sides[0].slope > 0;
    FindShare(*tile, s, node, grids ? &sides[0] : nullptr, &tile->polygon, &side);
    if (!(side.share > 0) && !(side.area > 0)) return;
    if (count == 0) {
      side.both = {side.share, 0, 1, 0};
    } else if (grids && side.slope > 0) {
      side.both = ShareOfPlanes(sides[0], side, &tile->polygon);
    } else {
      side.both = ShareOfBoth(share, side.share, Dot(side.n, sides[count - 1].n));
    }
    share = side.both.share;
    ++count;
  }
  const double h = tile->edge, half = 0.5 * h;
  clip::AddBox(share, tile->At(i, j, k) + Vec3{half, half, half}, {half, half, half}, sums);
  // Backwards: what the share changes with each side's plane, and that with the nodes' levels.
  double later = h * h * h;
  Vec3 next;  // by this side's normal, through the cosine with the next one
  for (int s = count - 1; s >= 0; --s) {
    const SideShare& side = sides[s];
    const double by_cosine = later * side.both.by_c;
    Vec3 by_n = next;
    next = {};
    if (s > 0) {
      by_n += by_cosine * sides[s - 1].n;
      next = by_cosine * side.n;
    }
    if (tile->turn[side.side] != 0 && side.slope > 0) {
      const double per = -later * side.both.by_b;
      const double by_mean = 0.125 / side.slope * per * side.area;
      const Vec3 by_s = 0.25 / side.slope * (per * side.moment + by_n - Dot(by_n, side.n) * side.n);
      double* const gain = tile->gain[side.side] + node;
      for (int c = 0; c < 8; ++c) {
        gain[Tile::Corner(c)] -= by_mean + (c & 4 ? by_s.x : -by_s.x) + (c & 2 ? by_s.y : -by_s.y) +
                                 (c & 1 ? by_s.z : -by_s.z);
      }
    }
    later *= side.both.by_a;
  }
}

}  // namespace intervox::cuda::internal::grid
