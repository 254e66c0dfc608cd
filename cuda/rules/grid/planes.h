/** @file The planes of a side in voxels of a tile, by the levels at their nodes. */
#pragma once

#include "cuda/rules/grid/cube.h"
#include "cuda/rules/grid/tile.h"

namespace intervox::cuda::internal::grid {

/** Half-spaces of a side. */
template <int N>
INTERVOX_HD inline HalfSpaces<Wide<N>> HalfSpacesOf(const SideShares& side) {
  return {{LoadWide<N>(side.n[0]), LoadWide<N>(side.n[1]), LoadWide<N>(side.n[2])},
          LoadWide<N>(side.d)};
}

/** Stores what planes have of cubes. */
template <class S>
INTERVOX_HD inline void StoreFace(const S& area, const S (&moment)[3], SideShares* side) {
  StoreWide(area, side->area);
  for (int i = 0; i < 3; ++i) StoreWide(moment[i], side->moment[i]);
}

/** Finds a side's half-spaces in voxels, and what they keep of them by themselves.
 @param node   of the tile, each voxel's first
 @param turns  whether planes' areas are asked for where normals have a small component: otherwise 1
 @param unseen  Tile::unseen of the side */
template <int N>
INTERVOX_HD inline void FindShares(const double* level, const int (&node)[N], bool turns,
                                   double unseen, SideShares* side) {
  using S = Wide<N>;
  S g[8];
  for (int c = 0; c < 8; ++c) g[c] = Gather<N>(level + Tile::Corner(c), node);
  // Along z, then y, then x: sums and differences.
  const S a0 = g[0] + g[1], a1 = g[2] + g[3], a2 = g[4] + g[5], a3 = g[6] + g[7];
  const S low = a0 + a1, high = a2 + a3, mean = 0.125 * (low + high), zero{}, one = zero + 1;
  const S s[3] = {0.25 * (high - low), 0.25 * ((a1 - a0) + (a3 - a2)),
                  0.25 * (((g[1] - g[0]) + (g[3] - g[2])) + ((g[5] - g[4]) + (g[7] - g[6])))};
  const S slope = Root(S(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
  const auto slopes = slope > 0;
  const S per = slopes ? 1 / slope : zero, inside = mean > 0 ? -one : one;
  const HalfSpaces<S> plane{{per * s[0], per * s[1], per * s[2]}, slopes ? -per * mean : inside};
  const S(&n)[3] = plane.n;
  CubeShare<S> own = SteepShare(n, plane.d);
  // (G12): the nodes' distances from the plane, one edge at most.
  S most = zero;
  for (int c = 0; c < 8; ++c) {
    const S by_x = c & 4 ? mean + 0.5 * s[0] : mean - 0.5 * s[0];
    const S by_y = c & 2 ? by_x + 0.5 * s[1] : by_x - 0.5 * s[1];
    const S by_z = c & 1 ? by_y + 0.5 * s[2] : by_y - 0.5 * s[2];
    most = Larger(most, Magnitude(S(g[c] - by_z)));
  }
  StoreWide(mean, side->mean);
  StoreWide(slope, side->slope);
  for (int i = 0; i < 3; ++i) StoreWide(n[i], side->n[i]);
  StoreWide(plane.d, side->d);
  StoreWide(own.share, side->share);
  StoreFace(own.area, own.moment, side);
  const S m[3] = {Magnitude(n[0]), Magnitude(n[1]), Magnitude(n[2])};
  const S smallest = Smaller(Smaller(m[0], m[1]), m[2]);
  const auto steep = smallest > kSteep;
  StoreWide(Smaller(S((unseen + most) / slope), one), side->bend);
  side->flat = ((1U << N) - 1) & ~PositiveLanes(smallest - kSteep);
  if (side->flat == 0) return;
  for (int k = 0; k < N; ++k) {
    if ((side->flat >> k & 1) == 0) continue;
    side->share[k] = ShareOfCube({side->n[0][k], side->n[1][k], side->n[2][k]}, side->d[k]);
  }
  CubeFace<S> face{one, {zero, zero, zero}};
  if (turns) face = FaceInCube(plane, {{zero, zero, zero}, one});
  for (int i = 0; i < 3; ++i) own.moment[i] = steep ? own.moment[i] : face.moment[i];
  StoreFace<S>(steep ? own.area : face.area, own.moment, side);
}

}  // namespace intervox::cuda::internal::grid
