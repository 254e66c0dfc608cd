/** @file (G6) of a grid: its field less what interpolation between a lattice's nodes adds. Nodes
 have that apart, so it is the trilinear field of lifted nodes; four points are read at once. */
#pragma once

#include "cuda/numerics/wide.h"
#include "cuda/rules/grid/model.h"

namespace intervox::cuda::internal::grid {

/** N places in a grid's frame [voxels]. */
template <int N>
struct WidePlace {
  Wide<N> x, y, z;
};

/** N levels of a grid with their gradients in its axes. */
template <int N>
struct WideLevel {
  Wide<N> value;
  WidePlace<N> gradient;

  INTERVOX_HD Vec3 GradientOf(int k) const {
    return {Lane(gradient.x, k), Lane(gradient.y, k), Lane(gradient.z, k)};
  }
};

/** The voxels around N places. */
template <int N>
struct WideVoxel {
  std::int64_t node[N];  ///< number of the first of its nodes; beyond the band some node's
  WidePlace<N> t;        ///< where in it the place is, in [0, 1)
  Wide<N> beyond;        ///< the level beyond the band [voxels]; 0 where there are nodes
};

/** Numbers of the nodes that are `in` blocks. */
template <int N>
INTERVOX_HD inline void NodesIn(const std::int32_t (&block)[N], const Whole<N>& in,
                                std::int64_t (&node)[N]) {
  for (int k = 0; k < N; ++k) {
    node[k] = static_cast<std::int64_t>(block[k]) * geometry::kBlockNodes + Lane(in, k);
  }
}
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
template <>
inline void NodesIn<4>(const std::int32_t (&block)[4], const Whole<4>& in,
                       std::int64_t (&node)[4]) {
  using Longs = long long __attribute__((vector_size(32)));
  using Halves = int __attribute__((vector_size(32)));
  constexpr long long kNodes = geometry::kBlockNodes;
  const Whole<4> blocks{block[0], block[1], block[2], block[3]};
  const Longs wide = __builtin_ia32_pmovsxdq256(blocks), nodes{kNodes, kNodes, kNodes, kNodes};
  const Longs all =
      __builtin_ia32_pmuldq256(reinterpret_cast<Halves>(wide), reinterpret_cast<Halves>(nodes)) +
      __builtin_ia32_pmovsxdq256(in);
  __builtin_memcpy(node, &all, sizeof(all));
}
#endif

/** The voxels that hold places, one each. @param u  from the grid's first node on
 @param end  of the grid's places there */
template <int N>
__attribute__((always_inline)) INTERVOX_HD inline WideVoxel<N> FindVoxels(
    const geometry::GridView& grid, const Vec3& end, const WidePlace<N>& u) {
  using geometry::kBlockEdge, geometry::kBlockSide;
  // Without a branch: beyond the grid its first place stands in.
  const Wide<N> low = Smaller(Smaller(u.x, u.y), u.z), zero{};
  const Wide<N> high =
      Smaller(Smaller(Wide<N>(end.x - u.x), Wide<N>(end.y - u.y)), Wide<N>(end.z - u.z));
  const auto in_grid = (low >= 0) & (high > 0);
  const Wide<N> x = in_grid ? u.x : zero, y = in_grid ? u.y : zero, z = in_grid ? u.z : zero;
  const Whole<N> i = WholeOf(x), j = WholeOf(y), k = WholeOf(z);
  constexpr int kBits = 3, kIn = kBlockEdge - 1;
  static_assert(1 << kBits == kBlockEdge);
  const Whole<N> place = ((i >> kBits) * grid.size[1] + (j >> kBits)) * grid.size[2] + (k >> kBits);
  const Whole<N> in = ((i & kIn) * kBlockSide + (j & kIn)) * kBlockSide + (k & kIn);
  std::int32_t block[N];
  for (int lane = 0; lane < N; ++lane) block[lane] = grid.places[Lane(place, lane)];
  const Wide<N> number = NumberOf(LoadAll<Whole<N>>(block)), band = zero + grid.band;
  for (int lane = 0; lane < N; ++lane) block[lane] = block[lane] < 0 ? 0 : block[lane];
  WideVoxel<N> out;
  NodesIn<N>(block, in, out.node);
  out.t = {x - NumberOf(i), y - NumberOf(j), z - NumberOf(k)};
  const Wide<N> absent = number == geometry::kAbsentInside ? -band : band;
  const Wide<N> level = number < 0 ? absent : zero;
  out.beyond = in_grid ? level : band;
  return out;
}

/** Two nodes of N voxels, at[k] and the next one: f, or lifted f − unit r|r| of single precision.
 */
template <int N, bool kLifted>
INTERVOX_HD inline void LoadNodes(const float* f, const std::int8_t* r, const std::int64_t (&at)[N],
                                  float unit, Wide<N>* first, Wide<N>* second) {
  for (int k = 0; k < N; ++k) {
    float two[2] = {f[at[k]], f[at[k] + 1]};
    for (int i = 0; i < 2 && kLifted; ++i) {
      const auto root = static_cast<float>(r[at[k] + i]);
      two[i] -= unit * root * std::fabs(root);
    }
    SetLane(first, k, two[0]);
    SetLane(second, k, two[1]);
  }
}
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
/** Two nodes of four voxels side by side. */
using EightFloats = float __attribute__((vector_size(32)));
inline EightFloats LoadPairs(const float* f, const std::int64_t (&at)[4]) {
  double two[4];
  for (int k = 0; k < 4; ++k) __builtin_memcpy(&two[k], f + at[k], sizeof(two[k]));
  return reinterpret_cast<EightFloats>(Wide<4>{two[0], two[1], two[2], two[3]});
}
inline void SplitPairs(const EightFloats& pairs, Wide<4>* first, Wide<4>* second) {
  *first = __builtin_ia32_cvtps2pd256(__builtin_shufflevector(pairs, pairs, 0, 2, 4, 6));
  *second = __builtin_ia32_cvtps2pd256(__builtin_shufflevector(pairs, pairs, 1, 3, 5, 7));
}
template <>
inline void LoadNodes<4, false>(const float* f, const std::int8_t* /*r*/,
                                const std::int64_t (&at)[4], float /*unit*/, Wide<4>* first,
                                Wide<4>* second) {
  SplitPairs(LoadPairs(f, at), first, second);
}
template <>
inline void LoadNodes<4, true>(const float* f, const std::int8_t* r, const std::int64_t (&at)[4],
                               float unit, Wide<4>* first, Wide<4>* second) {
  short of[4];
  for (int k = 0; k < 4; ++k) __builtin_memcpy(&of[k], r + at[k], sizeof(of[k]));
  // One by one, which g++ makes an instruction each.
  short __attribute__((vector_size(16))) bytes{};
  bytes[0] = of[0];
  bytes[1] = of[1];
  bytes[2] = of[2];
  bytes[3] = of[3];
  const EightFloats root = __builtin_ia32_cvtdq2ps256(
      __builtin_ia32_pmovsxbd256(reinterpret_cast<char __attribute__((vector_size(16)))>(bytes)));
  using Bits = decltype(root < root);
  const auto size = reinterpret_cast<EightFloats>(reinterpret_cast<Bits>(root) & 0x7fff'ffff);
  SplitPairs(LoadPairs(f, at) - unit * root * size, first, second);
}
#endif

/** The nodes of voxels: of node (x, y, z) at 4x + 2y + z. @param share  of their bends */
template <int N, bool kLifted>
INTERVOX_HD inline void VoxelNodes(const geometry::GridView& grid, const WideVoxel<N>& voxel,
                                   double share, Wide<N> (&f)[8]) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const auto unit = static_cast<float>(share * geometry::kBendUnit);
  const auto load = [&](int to, Wide<N>* two) {
    LoadNodes<N, kLifted>(grid.nodes + to, grid.bends + to, voxel.node, unit, &two[0], &two[1]);
  };
  load(0, f);
  load(kY, f + 2);
  load(kX, f + 4);
  load(kX + kY, f + 6);
}

/** The lifted levels in voxels with their gradients. @param share  of the bends; 0: the field */
template <int N>
__attribute__((always_inline)) INTERVOX_HD inline WideLevel<N> LevelsIn(
    const geometry::GridView& grid, const WideVoxel<N>& voxel, double share) {
  WideLevel<N> out;
  out.value = voxel.beyond;
  out.gradient = WidePlace<N>{};
  if (grid.nodes == nullptr) return out;
  Wide<N> f[8];
  if (share != 0) {
    VoxelNodes<N, true>(grid, voxel, share, f);
  } else {
    VoxelNodes<N, false>(grid, voxel, share, f);
  }
  // Along z, then y, then x.
  const WidePlace<N>& t = voxel.t;
  const Wide<N> z0 = f[1] - f[0], z1 = f[3] - f[2], z2 = f[5] - f[4], z3 = f[7] - f[6];
  const Wide<N> f0 = f[0] + t.z * z0, f1 = f[2] + t.z * z1, f2 = f[4] + t.z * z2,
                f3 = f[6] + t.z * z3;
  const Wide<N> y0 = f1 - f0, y1 = f3 - f2, low = f0 + t.y * y0, high = f2 + t.y * y1;
  const Wide<N> z_low = z0 + t.y * (z1 - z0), z_high = z2 + t.y * (z3 - z2);
  const Wide<N> of_x = high - low, of_y = y0 + t.x * (y1 - y0),
                of_z = z_low + t.x * (z_high - z_low), value = low + t.x * of_x, zero{};
  const auto nodes = voxel.beyond == 0;
  out.value = nodes ? value : voxel.beyond;
  out.gradient = {nodes ? of_x : zero, nodes ? of_y : zero, nodes ? of_z : zero};
  return out;
}

/** The places of N of a lattice's nodes, from the grid's first node on. */
template <int N>
INTERVOX_HD inline WidePlace<N> PlacesOf(const GridSide& side, const Whole<N>& i, const Whole<N>& j,
                                         const Whole<N>& k) {
  const Wide<N> x = NumberOf(i), y = NumberOf(j), z = NumberOf(k);
  const auto& [of_x, of_y, of_z] = side.per_node;
  return {side.first.x + x * of_x.x + y * of_y.x + z * of_z.x,
          side.first.y + x * of_x.y + y * of_y.y + z * of_z.y,
          side.first.z + x * of_x.z + y * of_y.z + z * of_z.z};
}

/** A grid's field, not lifted, at N of a lattice's nodes. */
template <int N>
INTERVOX_HD inline Wide<N> FieldAt(const GridSide& side, const Whole<N>& i, const Whole<N>& j,
                                   const Whole<N>& k) {
  const WideVoxel<N> voxel = FindVoxels<N>(side.view, side.end, PlacesOf<N>(side, i, j, k));
  return side.h * LevelsIn<N>(side.view, voxel, 0).value;
}

/** How far a place may be from a voxel's end to lie between two [voxels]. */
inline constexpr double kBeside = 1e-9;

/** The mean of a grid's gradients beside a place, in its axes. */
INTERVOX_HD inline Vec3 MeanGradient(const GridSide& side, const Vec3& u) {
  const Vec3 apart = TransposeTimes(side.R, (kBeside / std::sqrt(3.0)) * Vec3{1, 1, 1});
  Vec3 sum;
  for (const double sign : {1.0, -1.0}) {
    const Vec3 p = u + sign * apart;
    const WideVoxel<1> voxel = FindVoxels<1>(side.view, side.end, {p.x, p.y, p.z});
    sum += LevelsIn<1>(side.view, voxel, side.share).GradientOf(0);
  }
  return 0.5 * sum;
}

/** A grid's levels at N of a lattice's nodes with their gradients, in the grid's axes. Where a node
 lies between two voxels its gradient is the mean of theirs: V may have a kink there, and S is then
 the mean of its derivatives on both sides. */
template <int N>
INTERVOX_HD inline WideLevel<N> LevelsAt(const GridSide& side, const Whole<N>& i, const Whole<N>& j,
                                         const Whole<N>& k) {
  const WidePlace<N> u = PlacesOf<N>(side, i, j, k);
  const WideVoxel<N> voxel = FindVoxels<N>(side.view, side.end, u);
  WideLevel<N> out = LevelsIn<N>(side.view, voxel, side.share);
  out.value = side.h * out.value;
  const WidePlace<N>& t = voxel.t;
  const Wide<N> off = Larger(Larger(Magnitude(Wide<N>(t.x - 0.5)), Magnitude(Wide<N>(t.y - 0.5))),
                             Magnitude(Wide<N>(t.z - 0.5)));
  const unsigned between = PositiveLanes(off - (0.5 - kBeside));
  if (between == 0) return out;
  for (int lane = 0; lane < N; ++lane) {
    if ((between >> lane & 1) == 0) continue;
    const Vec3 mean = MeanGradient(side, {Lane(u.x, lane), Lane(u.y, lane), Lane(u.z, lane)});
    SetLane(&out.gradient.x, lane, mean.x);
    SetLane(&out.gradient.y, lane, mean.y);
    SetLane(&out.gradient.z, lane, mean.z);
  }
  return out;
}

}  // namespace intervox::cuda::internal::grid
