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
  std::int64_t
      node[N];       ///< number of the first of its nodes; beyond the band that of another place
  WidePlace<N> t;    ///< where in it the place is, in [0, 1)
  int within = N;    ///< how many places have nodes
  double beyond[N];  ///< where not all have: the level of those that have not [voxels], or 0
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
  WideVoxel<N> out;
  const Wide<N> room =
      Smaller(Smaller(Smaller(u.x, u.y), u.z),
              Smaller(Smaller(Wide<N>(end.x - u.x), Wide<N>(end.y - u.y)), Wide<N>(end.z - u.z)));
  if (PositiveLanes(room) == (1U << N) - 1) {
    const Whole<N> i = WholeOf(u.x), j = WholeOf(u.y), k = WholeOf(u.z);
    out.t = {u.x - NumberOf(i), u.y - NumberOf(j), u.z - NumberOf(k)};
    constexpr int kBits = 3, kIn = kBlockEdge - 1;
    static_assert(1 << kBits == kBlockEdge);
    const Whole<N> place =
        ((i >> kBits) * grid.size[1] + (j >> kBits)) * grid.size[2] + (k >> kBits);
    const Whole<N> in = ((i & kIn) * kBlockSide + (j & kIn)) * kBlockSide + (k & kIn);
    std::int32_t block[N], any_sign = 0;
    for (int lane = 0; lane < N; ++lane) {
      block[lane] = grid.places[Lane(place, lane)];
      any_sign |= block[lane];
    }
    NodesIn<N>(block, in, out.node);
    if (any_sign >= 0) return out;
    for (int lane = 0; lane < N; ++lane) {
      const bool inside = block[lane] == geometry::kAbsentInside;
      out.beyond[lane] = block[lane] >= 0 ? 0 : inside ? -grid.band : grid.band;
    }
  } else {
    for (int lane = 0; lane < N; ++lane) {
      const geometry::VoxelAt voxel =
          geometry::FindVoxelFromFirst(grid, {Lane(u.x, lane), Lane(u.y, lane), Lane(u.z, lane)});
      // As numbers, for there may be none: null is no place in the array.
      out.node[lane] = (reinterpret_cast<std::intptr_t>(voxel.node) -
                        reinterpret_cast<std::intptr_t>(grid.nodes)) /
                       static_cast<std::intptr_t>(sizeof(float));
      out.beyond[lane] = voxel.beyond;
      SetLane(&out.t.x, lane, voxel.t[0]);
      SetLane(&out.t.y, lane, voxel.t[1]);
      SetLane(&out.t.z, lane, voxel.t[2]);
    }
  }
  for (const double beyond : out.beyond) out.within -= beyond != 0;
  if (out.within == N || out.within == 0) return out;
  std::int64_t any = 0;
  for (int lane = 0; lane < N; ++lane) {
    if (out.beyond[lane] == 0) any = out.node[lane];
  }
  for (int lane = 0; lane < N; ++lane) {
    if (out.beyond[lane] != 0) out.node[lane] = any;
  }
  return out;
}

/** The end of a grid's places, from its first node on [voxels]. */
INTERVOX_HD inline Vec3 EndOf(const geometry::GridView& grid) {
  constexpr double kEdge = geometry::kBlockEdge;
  return {kEdge * grid.size[0], kEdge * grid.size[1], kEdge * grid.size[2]};
}

/** Two lifted nodes of N voxels, at[k] and the next one: f − unit r|r| of single precision. */
template <int N>
INTERVOX_HD inline void LoadLifted(const float* f, const std::int8_t* r,
                                   const std::int64_t (&at)[N], float unit, Wide<N>* first,
                                   Wide<N>* second) {
  for (int k = 0; k < N; ++k) {
    float two[2] = {f[at[k]], f[at[k] + 1]};
    for (int i = 0; i < 2 && unit != 0; ++i) {
      const auto root = static_cast<float>(r[at[k] + i]);
      two[i] -= unit * root * std::fabs(root);
    }
    SetLane(first, k, two[0]);
    SetLane(second, k, two[1]);
  }
}
#if defined(__AVX2__) && !defined(__clang__) && !defined(__CUDACC__)
template <>
inline void LoadLifted<4>(const float* f, const std::int8_t* r, const std::int64_t (&at)[4],
                          float unit, Wide<4>* first, Wide<4>* second) {
  using Floats = float __attribute__((vector_size(32)));
  double two[4];
  for (int k = 0; k < 4; ++k) __builtin_memcpy(&two[k], f + at[k], sizeof(two[k]));
  auto pairs = reinterpret_cast<Floats>(Wide<4>{two[0], two[1], two[2], two[3]});
  if (unit != 0) {
    short of[4];
    for (int k = 0; k < 4; ++k) __builtin_memcpy(&of[k], r + at[k], sizeof(of[k]));
    const short __attribute__((vector_size(16))) bytes{of[0], of[1], of[2], of[3]};
    const Floats root = __builtin_ia32_cvtdq2ps256(
        __builtin_ia32_pmovsxbd256(reinterpret_cast<char __attribute__((vector_size(16)))>(bytes)));
    using Bits = decltype(root < root);
    pairs -= unit * root * reinterpret_cast<Floats>(reinterpret_cast<Bits>(root) & 0x7fff'ffff);
  }
  *first = __builtin_ia32_cvtps2pd256(__builtin_shufflevector(pairs, pairs, 0, 2, 4, 6));
  *second = __builtin_ia32_cvtps2pd256(__builtin_shufflevector(pairs, pairs, 1, 3, 5, 7));
}
#endif

/** The nodes of voxels, lifted: of node (x, y, z) at 4x + 2y + z. @param share  of their bends */
template <int N>
INTERVOX_HD inline void LiftedNodes(const geometry::GridView& grid, const WideVoxel<N>& voxel,
                                    double share, Wide<N> (&f)[8]) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const auto unit = static_cast<float>(share * geometry::kBendUnit);
  const auto load = [&](int to, Wide<N>* two) {
    LoadLifted<N>(grid.nodes + to, grid.bends + to, voxel.node, unit, &two[0], &two[1]);
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
  if (voxel.within > 0) {
    Wide<N> f[8];
    LiftedNodes<N>(grid, voxel, share, f);
    // Along z, then y, then x.
    const WidePlace<N>& t = voxel.t;
    const Wide<N> z0 = f[1] - f[0], z1 = f[3] - f[2], z2 = f[5] - f[4], z3 = f[7] - f[6];
    const Wide<N> f0 = f[0] + t.z * z0, f1 = f[2] + t.z * z1, f2 = f[4] + t.z * z2,
                  f3 = f[6] + t.z * z3;
    const Wide<N> y0 = f1 - f0, y1 = f3 - f2, low = f0 + t.y * y0, high = f2 + t.y * y1;
    const Wide<N> z_low = z0 + t.y * (z1 - z0), z_high = z2 + t.y * (z3 - z2);
    out.value = low + t.x * (high - low);
    out.gradient = {high - low, y0 + t.x * (y1 - y0), z_low + t.x * (z_high - z_low)};
  }
  if (voxel.within == N) return out;
  for (int k = 0; k < N; ++k) {
    if (voxel.beyond[k] == 0) continue;
    SetLane(&out.value, k, voxel.beyond[k]);
    SetLane(&out.gradient.x, k, 0);
    SetLane(&out.gradient.y, k, 0);
    SetLane(&out.gradient.z, k, 0);
  }
  return out;
}

}  // namespace intervox::cuda::internal::grid
