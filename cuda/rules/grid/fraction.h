/** @file The fraction rule's share of voxels, from levels and slopes at their centres. */
#pragma once

#include "cuda/rules/clip/rule.h"
#include "cuda/rules/grid/planes.h"

namespace intervox::cuda::internal::grid {

/** The share of both of two solids, with its derivatives. */
template <class S>
struct CommonShare {
  S share, by_a, by_b, by_cosine;
  S spread;  ///< of what it may be
};

/** (G2): the share of both of two solids with shares a and b of a voxel, whose normals have the
 cosine c: what is common if they are independent (c = 0), one within the other (c = 1), or opposite
 (c = −1), and linear in c between. The ends are the bounds of Fréchet and Hoeffding. */
template <class S>
INTERVOX_HD inline CommonShare<S> ShareOfBoth(const S& a, const S& b, const S& c) {
  const S zero{}, along = Larger(c, zero), against = Larger(S(-c), zero);
  const S free = 1 - along - against, product = a * b;
  const auto a_less = a <= b, meet = a + b > 1, less = c > 0;
  const S least = Larger(S(a + b - 1), zero), most = Smaller(a, b), if_meet = meet ? against : zero;
  return {free * product + along * most + against * least,
          free * b + (a_less ? along : zero) + if_meet,
          free * a + (a_less ? zero : along) + if_meet, less ? most - product : product - least,
          most - least};
}

/** Leaves out planes along a face of their cube that are counted in the voxel on its outer side. */
template <int N>
INTERVOX_HD inline void LeaveToOthers(const double* level, const int (&node)[N], SideShares* side) {
  using S = Wide<N>;
  if (side->flat == 0) return;
  const S reach = Magnitude(LoadWide<N>(side->n[0])) + Magnitude(LoadWide<N>(side->n[1])) +
                  Magnitude(LoadWide<N>(side->n[2]));
  const unsigned along =
      PositiveLanes(LoadWide<N>(side->d) - (0.5 - clip::kAlongFace) * reach) & PositiveLanes(reach);
  for (int k = 0; k < N; ++k) {
    if ((along >> k & 1) == 0) continue;
    int inside = 0;
    for (int c = 0; c < 8; ++c) inside += level[node[k] + Tile::Corner(c)] <= 0;
    if (inside <= 4) continue;
    side->area[k] = side->moment[0][k] = side->moment[1][k] = side->moment[2][k] = 0;
  }
}

/** (G10): the share of both of two grids, exactly; areas are what the other one keeps. Thin lenses
 of two grids need it: what normals and shares alone tell errs alike in all voxels along a rim that
 lies on the lattice. @returns that share */
template <int N>
INTERVOX_HD inline Wide<N> FindCommonShares(SideShares* first, SideShares* second) {
  using S = Wide<N>;
  constexpr double kAll = 1 - 1e-13, kNothing = 1e-13;
  const S zero{}, one = zero + 1;
  const HalfSpaces<S> a = HalfSpacesOf<N>(*first), b = HalfSpacesOf<N>(*second);
  const S slope_a = LoadWide<N>(first->slope), slope_b = LoadWide<N>(second->slope);
  // The sum of both levels is above zero where there is nothing in both, and below where all is in
  // one of them at least.
  S reach = zero;
  for (int i = 0; i < 3; ++i) reach += Magnitude(S(slope_a * a.n[i] + slope_b * b.n[i]));
  const S middle = LoadWide<N>(first->mean) + LoadWide<N>(second->mean), half = 0.5 * reach;
  const S share_a = LoadWide<N>(first->share), share_b = LoadWide<N>(second->share);
  const S least = Smaller(share_a, share_b);
  const auto none = (middle > half) | (least < kNothing);
  const auto all = (middle < -half) | (Larger(share_a, share_b) > kAll);
  const S layer = Larger(S(share_a + share_b - 1), zero);
  S both = none ? zero : layer;
  const S area_a = LoadWide<N>(first->area);
  S area = LoadWide<N>(second->area), moment[3], other = none ? zero : area_a;
  area = none ? zero : area;
  for (int i = 0; i < 3; ++i) {
    const S own = LoadWide<N>(second->moment[i]);
    moment[i] = none ? zero : own;
  }
  const auto decided = none | all;
  if (PositiveLanes(decided ? one : zero) != (1U << N) - 1) {
    const CommonPart<S> part = CommonPartOf(a, b);
    both = decided ? both : part.volume;
    area = decided ? area : part.of_b.area;
    other = decided ? other : part.of_a.area;
    for (int i = 0; i < 3; ++i) moment[i] = decided ? moment[i] : part.of_b.moment[i];
  }
  StoreWide(other, first->area);
  StoreFace(area, moment, second);
  return both;
}

/** Adds to a side's gains what voxels' volumes change with the levels at their nodes.
 @param by_share  what the volumes change with the side's shares
 @param by_n      with its normals, by the common shares with others */
template <int N>
INTERVOX_HD inline void AddGainsOf(const SideShares& side, const int (&node)[N], int count,
                                   const Wide<N>& by_share, const Wide<N> (&by_n)[3],
                                   double* gain) {
  using S = Wide<N>;
  const S slope = LoadWide<N>(side.slope), zero{}, per = slope > 0 ? 1 / slope : zero;
  const S n[3] = {LoadWide<N>(side.n[0]), LoadWide<N>(side.n[1]), LoadWide<N>(side.n[2])};
  const S along = by_n[0] * n[0] + by_n[1] * n[1] + by_n[2] * n[2];
  const S by_mean = -0.125 * per * by_share * LoadWide<N>(side.area);
  S by_s[3];
  for (int i = 0; i < 3; ++i) {
    by_s[i] = 0.25 * per * (by_n[i] - along * n[i] - by_share * LoadWide<N>(side.moment[i]));
  }
  double by_node[8][N];
  for (int c = 0; c < 8; ++c) {
    const S by_x = c & 4 ? by_mean + by_s[0] : by_mean - by_s[0];
    const S by_y = c & 2 ? by_x + by_s[1] : by_x - by_s[1];
    StoreWide(S(c & 1 ? by_y + by_s[2] : by_y - by_s[2]), by_node[c]);
  }
  for (int k = 0; k < count; ++k) {
    double* const of = gain + node[k];
    for (int c = 0; c < 8; ++c) of[Tile::Corner(c)] -= by_node[c][k];
  }
}

/** (G12): the share of the spread of (G2) that counts as its error. */
inline constexpr double kOfSpread = 0.05;

/** (G12): the share of a voxel's face that a side's plane counts at least, where two sides of two
 grids cut the voxel. Planes of tips and sharp rims that lie between nodes keep nothing of each
 other: of 2,000 crossings of spikes' ends some 200 err by more without it, and one with it. */
inline constexpr double kLeastFace = 0.35;

/** Finds what sides keep of voxels, one after the other, each against the common share of those
 before it, two grids exactly. @param spread  of the common shares @returns these */
template <int N>
INTERVOX_HD inline Wide<N> FindSharesOf(const int (&node)[N], std::uint64_t mixed, Tile* tile,
                                        int* sides, Wide<N>* spread) {
  using S = Wide<N>;
  const S zero{}, one = zero + 1;
  S share = one;
  *spread = zero;
  int& count = *sides = 0;
  for (; mixed != 0; mixed &= mixed - 1, ++count) {
    SideShares& side = tile->shares[count];
    const int slot = side.slot = LowestBit(mixed);
    const bool turns = tile->turn[slot] != 0;
    FindShares<N>(tile->level[slot], node, turns, tile->unseen[slot], &side);
    CommonShare<S> both{LoadWide<N>(side.share), zero, one, zero, zero};
    SideShares& before = tile->shares[count - (count > 0)];
    if (tile->grids == 2 && count == 1 && tile->side[slot] == 1 && tile->side[before.slot] == 0) {
      both = {FindCommonShares<N>(&before, &side), one, one, zero, zero};
    } else if (count > 0) {
      S cosine = zero;
      for (int i = 0; i < 3; ++i) cosine += LoadWide<N>(side.n[i]) * LoadWide<N>(before.n[i]);
      both = ShareOfBoth<S>(share, both.share, cosine);
    }
    if (turns) LeaveToOthers<N>(tile->level[slot], node, &side);
    share = both.share;
    *spread += both.spread;
    StoreWide(both.by_a, side.by_before);
    StoreWide(both.by_b, side.by_share);
    StoreWide(both.by_cosine, side.by_cosine);
  }
  return share;
}

/** Goes back through the sides of voxels: calls each(side, by_share, by_n) with what their volumes
 change with its own share, and with its normal by the common shares.
 @returns what of (G12) the planes have */
template <int N, class Each>
INTERVOX_HD inline Wide<N> GoBack(const Tile& tile, int count, const Each& each) {
  using S = Wide<N>;
  const SideShares* shares = tile.shares;
  const S zero{}, whole = zero + tile.edge * tile.edge * tile.edge;
  const S least = count > 1 && tile.grids == 2 ? kLeastFace * whole : zero;
  S far = zero, later = whole, next[3] = {zero, zero, zero};  // by the cosine with the next one
  for (int s = count - 1; s >= 0; --s) {
    const SideShares& side = shares[s];
    const S by_cosine = later * LoadWide<N>(side.by_cosine);
    S by_n[3];
    for (int i = 0; i < 3; ++i) {
      by_n[i] = s > 0 ? next[i] + by_cosine * LoadWide<N>(shares[s - 1].n[i]) : next[i];
      next[i] = by_cosine * LoadWide<N>(side.n[i]);
    }
    const S by_share = later * LoadWide<N>(side.by_share);
    far += Larger(S(by_share * LoadWide<N>(side.area)), least) * LoadWide<N>(side.bend);
    each(side, by_share, by_n);
    later = later * LoadWide<N>(side.by_before);
  }
  return far;
}

/** Adds the numbers of so many lanes. */
template <int N>
INTERVOX_HD inline void AddLanes(const Wide<N>& numbers, int count, double* sum) {
  double of[N];
  StoreWide(numbers, of);
  for (int k = 0; k < count; ++k) *sum += of[k];
}

/** Calls add(x, y, z, node, count, share, spread, sides) for a few voxels at a time that the same
 sides cut: their numbers along each axis, the tile's numbers of their first nodes, how many they
 are, and what FindSharesOf says of them. */
template <int N, class Add>
INTERVOX_HD inline void ForSharesOf(Tile* tile, const VoxelBits& voxels, std::uint64_t mixed,
                                    const Add& add) {
  ForSeveralBits<N>(voxels,
                    [&](const Whole<N>& x, const Whole<N>& y, const Whole<N>& z, int count) {
                      const Whole<N> nodes = Tile::Node(x, y, z);
                      int node[N], sides;
                      for (int k = 0; k < N; ++k) node[k] = Lane(nodes, k);
                      Wide<N> spread;
                      const Wide<N> share = FindSharesOf<N>(node, mixed, tile, &sides, &spread);
                      add(x, y, z, node, count, share, spread, sides);
                    });
}

/** Counts voxels of the tile that the same sides cut with their shares, with the derivatives of
 these by the nodes' levels, and (G12). */
INTERVOX_HD inline void AddShares(Tile* tile, const VoxelBits& voxels, std::uint64_t mixed,
                                  clip::ClipSums* sums) {
  constexpr int N = kNumbersAtOnce;
  using S = Wide<N>;
  const S whole = S{} + tile->edge * tile->edge * tile->edge;
  ForSharesOf<N>(tile, voxels, mixed,
                 [&](const Whole<N>& x, const Whole<N>& y, const Whole<N>& z, const int(&node)[N],
                     int count, const S& share, const S& spread, int sides) {
                   const auto add_gains = [&](const SideShares& side, const S& by_share,
                                              const S(&by_n)[3]) {
                     if (tile->turn[side.slot] == 0) return;
                     AddGainsOf<N>(side, node, count, by_share, by_n, tile->gain[side.slot]);
                   };
                   const S far = GoBack<N>(*tile, sides, add_gains);
                   AddLanes<N>(S(far + whole * (kOfSpread * spread)), count, &sums->between);
                   for (int k = 0; k < count; ++k) {
                     tile->share[Tile::Voxel(Lane(x, k), Lane(y, k), Lane(z, k))] = Lane(share, k);
                   }
                 });
}

/** Adds of (G12) what such voxels' planes have. */
INTERVOX_HD inline void AddBetween(Tile* tile, const VoxelBits& voxels, std::uint64_t mixed,
                                   clip::ClipSums* sums) {
  constexpr int N = kNumbersAtOnce;
  using S = Wide<N>;
  const auto nothing = [](const SideShares&, const S&, const S(&)[3]) {};
  ForSharesOf<N>(tile, voxels, mixed,
                 [&](const Whole<N>&, const Whole<N>&, const Whole<N>&, const int(&)[N], int count,
                     const S&, const S&, int sides) {
                   AddLanes<N>(GoBack<N>(*tile, sides, nothing), count, &sums->between);
                 });
}

}  // namespace intervox::cuda::internal::grid
