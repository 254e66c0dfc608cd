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

/** What half-spaces keep of unit cubes about 0, and their planes there. */
template <class S>
struct CubeShare {
  S share, area;  ///< of the cube; of the plane in it
  S moment[3];    ///< area times its centre
};

/** (G1): what n·x ≤ d keeps, n a unit normal without small components, and its derivatives: by d
 the plane's area, by n minus its moment. */
template <class S>
INTERVOX_HD inline CubeShare<S> SteepShare(const S (&n)[3], const S& d) {
  const S zero = 0 * d, m[3] = {Magnitude(n[0]), Magnitude(n[1]), Magnitude(n[2])};
  // From the cube's lowest corner; beyond the middle by symmetry. Nothing is below it.
  const S at = Larger(S(0.5 * (m[0] + m[1] + m[2]) - Magnitude(d)), zero);
  // A corner's tetrahedron less those beyond one edge, which share those beyond two.
  const S all2 = at * at;
  S one2[3], two2[3], cubes = all2 * at, squares = all2, both = zero;
  for (int i = 0; i < 3; ++i) {
    const S one = Larger(S(at - m[i]), zero);
    const S two = Larger(S(at - (m[(i + 1) % 3] + m[(i + 2) % 3])), zero);
    one2[i] = one * one;
    two2[i] = two * two;
    cubes += two2[i] * two - one2[i] * one;
    squares -= one2[i];
    both += two2[i];
  }
  const S per = 1 / (6 * m[0] * m[1] * m[2]);
  CubeShare<S> out;
  const S share = per * cubes;
  out.area = 3 * per * (squares + both);
  for (int i = 0; i < 3; ++i) {
    const S per_m = 6 * per * (m[(i + 1) % 3] * m[(i + 2) % 3]);
    const S by_m = share * per_m - 3 * per * (one2[i] + two2[i] - both);
    const S from_middle = by_m - 0.5 * out.area;
    out.moment[i] = d * n[i] < 0 ? from_middle : -from_middle;
  }
  out.share = d > 0 ? 1 - share : share;
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

/** A convex polygon, counter-clockwise. */
struct FlatPolygon {
  /** Corners: four, by each of three cuts half as many again where rounding breaks an edge, and
   room. */
  static constexpr int kMost = 4 + 2 + 3 + 4 + 1;
  double u[kMost], w[kMost];
  int count;
};

/** The unit square about 0 and what cuts keep of it. */
class SquareCuts {
 public:
  INTERVOX_HD SquareCuts() {
    FlatPolygon& all = room_[0];
    all.count = 4;
    for (int i = 0; i < 4; ++i) {
      all.u[i] = i == 1 || i == 2 ? 0.5 : -0.5;
      all.w[i] = i >= 2 ? 0.5 : -0.5;
    }
  }

  /** Keeps p u + q w ≤ r. @returns 1 where that is all, −1 where it is nothing, which leaves the
   polygon as it was, or 0 */
  INTERVOX_HD int Keep(double p, double q, double r) {
    const FlatPolygon& from = polygon();
    double above[FlatPolygon::kMost];
    bool all = true, nothing = true;
    for (int i = 0; i < from.count; ++i) {
      above[i] = p * from.u[i] + q * from.w[i] - r;
      all &= above[i] <= 0;
      nothing &= above[i] >= 0;
    }
    if (all || nothing) return all ? 1 : -1;
    // Corners and crossings are written and then counted or not: branches would be guessed wrong.
    now_ = 1 - now_;
    FlatPolygon& to = room_[now_];
    int count = 0, last = from.count - 1;
    for (int i = 0; i < from.count; last = i++) {
      const double t = above[last] / (above[last] - above[i]);
      to.u[count] = from.u[last] + t * (from.u[i] - from.u[last]);
      to.w[count] = from.w[last] + t * (from.w[i] - from.w[last]);
      count += (above[i] > 0) != (above[last] > 0);
      to.u[count] = from.u[i];
      to.w[count] = from.w[i];
      count += above[i] <= 0;
    }
    to.count = count;
    return 0;
  }

  INTERVOX_HD const FlatPolygon& polygon() const { return room_[now_]; }

 private:
  FlatPolygon room_[2];
  int now_ = 0;
};

/** A polygon's area, and that times its centre. */
INTERVOX_HD inline void Measure(const FlatPolygon& polygon, double* area, double* u, double* w) {
  double twice = 0, by_u = 0, by_w = 0;
  double du = polygon.u[1] - polygon.u[0], dw = polygon.w[1] - polygon.w[0];
  for (int i = 2; i < polygon.count; ++i) {
    const double next_u = polygon.u[i] - polygon.u[0], next_w = polygon.w[i] - polygon.w[0];
    const double part = du * next_w - next_u * dw;
    twice += part;
    by_u += part * (du + next_u);
    by_w += part * (dw + next_w);
    du = next_u;
    dw = next_w;
  }
  *area = 0.5 * twice;
  *u = *area * polygon.u[0] + by_u / 6;
  *w = *area * polygon.w[0] + by_w / 6;
}

/** What a plane n·x = d has of the unit cube about 0, where another side keeps it. */
struct CubeFace {
  int kept = kNoPlane;  ///< SideShare::kept
  double area = 0;
  Vec3 moment;  ///< area times its centre
};

/** Finds that along the axis of the largest component of n. @param other  null: keeps all */
INTERVOX_HD inline CubeFace FaceInCube(const Vec3& n, double d, const SideShare* other) {
  CubeFace out;
  const Vec3 m = Abs(n);
  const int k = m.z >= m.x && m.z >= m.y ? 2 : m.x >= m.y ? 0 : 1;
  const int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
  // Along axis k the plane is at (e − p u − q w)/m_k.
  const double p = n[k] > 0 ? n[i] : -n[i], q = n[k] > 0 ? n[j] : -n[j], e = n[k] > 0 ? d : -d;
  const double reach = 0.5 * (m[i] + m[j]), room = 0.5 * m[k];
  SquareCuts square;
  if (reach > room - e && square.Keep(-p, -q, room - e) < 0) return out;
  if (reach > room + e && square.Keep(p, q, room + e) < 0) return out;
  out.kept = 1;
  if (other != nullptr) {
    const Vec3& a = other->n;
    out.kept =
        square.Keep(a[i] * m[k] - a[k] * p, a[j] * m[k] - a[k] * q, other->d * m[k] - a[k] * e);
    if (out.kept < 0) return out;
  }
  double area = 0, u = 0, w = 0;
  Measure(square.polygon(), &area, &u, &w);
  const double per = 1 / m[k];
  out.area = per * area;
  out.moment[i] = per * u;
  out.moment[j] = per * w;
  out.moment[k] = per * per * (e * area - p * u - q * w);
  return out;
}

/** Finds a side's planes in voxels. @param node  of the tile, each voxel's first */
template <int N>
INTERVOX_HD inline void FindPlanes(const double* level, const int (&node)[N], SidePlanes* planes) {
  Wide<N> g[8];
  for (int c = 0; c < 8; ++c) g[c] = Gather<N>(level + Tile::Corner(c), node);
  // Along z, then y, then x: sums and differences.
  const Wide<N> a0 = g[0] + g[1], a1 = g[2] + g[3], a2 = g[4] + g[5], a3 = g[6] + g[7];
  const Wide<N> low = a0 + a1, high = a2 + a3, mean = 0.125 * (low + high);
  const Wide<N> s[3] = {0.25 * (high - low), 0.25 * ((a1 - a0) + (a3 - a2)),
                        0.25 * (((g[1] - g[0]) + (g[3] - g[2])) + ((g[5] - g[4]) + (g[7] - g[6])))};
  const Wide<N> slope = Root(Wide<N>(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
  const Wide<N> per = 1 / slope, n[3] = {per * s[0], per * s[1], per * s[2]}, d = -per * mean;
  const CubeShare<Wide<N>> steep = SteepShare(n, d);
  StoreWide(mean, planes->mean);
  StoreWide(slope, planes->slope);
  StoreWide(d, planes->d);
  StoreWide(steep.share, planes->share);
  StoreWide(steep.area, planes->area);
  for (int i = 0; i < 3; ++i) {
    StoreWide(n[i], planes->n[i]);
    StoreWide(steep.moment[i], planes->moment[i]);
  }
}

/** What a side keeps of voxel k of those whose planes were found.
 @param node   of the tile, the voxel's first
 @param other  the plane's area counts where this one keeps it; null: all of it. Where nothing is in
 both the share is 0 */
INTERVOX_HD inline void FindShare(const Tile& tile, int side, int node, const SidePlanes& planes,
                                  int k, const SideShare* other, SideShare* share) {
  SideShare& out = *share;
  out.side = side;
  out.share = out.area = out.d = 0;
  out.n = out.moment = {};
  out.kept = kNoPlane;
  const double mean = planes.mean[k];
  out.slope = planes.slope[k];
  if (!(out.slope > 0)) {
    out.share = mean > 0 ? 0 : 1;
    return;
  }
  out.n = planes.NormalOf(k);
  const double d = out.d = planes.d[k];
  const Vec3 steep = Abs(out.n);
  bool whole = other == nullptr;
  if (!whole) {
    // (G10): the sum of both levels is above zero where there is nothing in both, and below where
    // all is in one of them at least.
    const Vec3 sum = Abs(out.slope * out.n + other->slope * other->n);
    const double middle = mean - other->slope * other->d, reach = 0.5 * (sum.x + sum.y + sum.z);
    if (middle > reach) return;
    whole = middle < -reach;
  }
  if (whole && steep.x > kSteep && steep.y > kSteep && steep.z > kSteep) {
    out.share = planes.share[k];
    out.area = planes.area[k];
    out.moment = planes.MomentOf(k);
    if (out.area > 0) out.kept = 1;
    return;
  }
  out.share = ShareOfCube(out.n, d);
  if (tile.turn[side] == 0 && other == nullptr) return;
  // A plane along a face of the cube is counted in the voxel on its outer side.
  if (d > (0.5 - clip::kAlongFace) * (steep.x + steep.y + steep.z)) {
    int inside = 0;
    for (int c = 0; c < 8; ++c) inside += tile.level[side][node + Tile::Corner(c)] <= 0;
    if (inside > 4) return;
  }
  const CubeFace face = FaceInCube(out.n, d, other);
  out.kept = face.kept;
  out.area = face.area;
  out.moment = face.moment;
}

/** The corner of the unit cube that is furthest along a direction. */
INTERVOX_HD inline Vec3 CornerAlong(const Vec3& n) {
  return {n.x > 0 ? 0.5 : -0.5, n.y > 0 ? 0.5 : -0.5, n.z > 0 ? 0.5 : -0.5};
}

/** The volume of what two planes keep of the unit cube that meet in it: columns along z under both
 and under the cube's upper end. */
INTERVOX_HD inline double VolumeUnder(const SideShare& a, const SideShare& b) {
  constexpr double kHalf = 0.5;
  const CubeFace of_a = FaceInCube(a.n, a.d, &b);
  const double volume =
      b.n.z * (b.moment.z + kHalf * b.area) + a.n.z * (of_a.moment.z + kHalf * of_a.area);
  SquareCuts end;
  if (end.Keep(a.n.x, a.n.y, a.d - kHalf * a.n.z) < 0) return volume;
  if (end.Keep(b.n.x, b.n.y, b.d - kHalf * b.n.z) < 0) return volume;
  double area = 0, u = 0, w = 0;
  Measure(end.polygon(), &area, &u, &w);
  return volume + area;
}

/** The share of both of two planes, exactly; the second's area is what the first keeps of it. Thin
 lenses of two grids need it: what normals and shares alone tell errs alike in all voxels along a
 rim that lies on the lattice.

 Planes that do not meet in the cube part it in three: what one of them keeps lies in what the other
 keeps, or beyond it, or leaves a layer in common. */
INTERVOX_HD inline CommonShare ShareOfPlanes(const SideShare& a, const SideShare& b) {
  double share = 0;
  if (b.kept == 0) {
    share = VolumeUnder(a, b);
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

/** Adds voxel (i, j, k) of the tile, number `of` of those whose planes were found, by its share:
 the sides one after the other, each against the common share of those before it, two grids exactly;
 with the derivative of that share by the nodes' levels. The lattice's own grid stands still, and
 has none. */
INTERVOX_HD inline void AddShare(Tile* tile, int i, int j, int k, int of, std::uint64_t mixed,
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
    FindShare(*tile, s, node, tile->planes[count], of, grids ? &sides[0] : nullptr, &side);
    if (!(side.share > 0) && !(side.area > 0)) return;
    if (count == 0) {
      side.both = {side.share, 0, 1, 0};
    } else if (grids && side.slope > 0) {
      side.both = ShareOfPlanes(sides[0], side);
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

/** Adds voxels of the tile that the same sides cut, a few at a time. */
INTERVOX_HD inline void AddShares(Tile* tile, const VoxelBits& voxels, std::uint64_t mixed,
                                  clip::ClipSums* sums) {
  constexpr int N = kNumbersAtOnce;
  ForSeveralBits<N>(voxels,
                    [&](const Whole<N>& x, const Whole<N>& y, const Whole<N>& z, int count) {
                      const Whole<N> nodes = Tile::Node(x, y, z);
                      int node[N];
                      for (int k = 0; k < N; ++k) node[k] = Lane(nodes, k);
                      SidePlanes* planes = tile->planes;
                      for (std::uint64_t rest = mixed; rest != 0; rest &= rest - 1) {
                        FindPlanes(tile->level[LowestBit(rest)], node, planes++);
                      }
                      for (int k = 0; k < count; ++k)
                        AddShare(tile, Lane(x, k), Lane(y, k), Lane(z, k), k, mixed, sums);
                    });
}

}  // namespace intervox::cuda::internal::grid
