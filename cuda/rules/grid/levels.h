/** @file The levels of sides at the nodes of a tile, read where bounds leave them undecided. */
#pragma once

#include <cmath>

#include "cuda/rules/grid/lift.h"
#include "cuda/rules/grid/tile.h"

namespace intervox::cuda::internal::grid {

/** Reads nodes of a block, every kStride-th of them, to all nodes of a tile.
 @param f  at the tile's first node */
template <int kStride>
INTERVOX_HD inline void ReadRows(const float* f, double h, const Tile& tile, double* level) {
  constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
  const int x = tile.voxels.count[0], y = tile.voxels.count[1], z = tile.voxels.count[2];
  for (int i = 0; i <= x; ++i) {
    const float* from = f + kStride * kX * i;
    double* to = level + Tile::Node(i, 0, 0);
    if (z == kTileEdge) {
      for (int j = 0; j <= y; ++j, from += kStride * kY, to += kTileSide) {
        for (int k = 0; k <= kTileEdge; ++k) to[k] = h * from[kStride * k];
      }
      continue;
    }
    for (int j = 0; j <= y; ++j, from += kStride * kY, to += kTileSide) {
      to[0] = h * from[0];
      to[1] = h * from[kStride];
      // Beyond the tile's own nodes the block, and its memory, may end.
      if (z > 1) to[2] = h * from[2 * kStride];
      if (z > 2) to[3] = h * from[3 * kStride];
    }
  }
}

/** The nodes of the lattice's own grid at a tile's nodes. */
struct OwnNodes {
  const float* first = nullptr;  ///< at the tile's first node; null where all are `all`
  double all = 0;                ///< [voxels]
  int stride = 0;                ///< from node to node; 0 where the grid has no such nodes
};

/** Which of a grid's nodes from its first one on is at the origin of the lattice of its voxels,
 along an axis. */
INTERVOX_HD inline int NodeAtOrigin(const GridSide& own, int axis) {
  const double node = -own.p[axis] / own.h;
  return static_cast<int>(node < 0 ? node - 0.5 : node + 0.5) - own.view.origin[axis];
}

/** The nodes from node (in) of a place on. */
INTERVOX_HD inline OwnNodes OwnNodesAt(const geometry::GridView& view, std::int32_t block,
                                       const int (&in)[3], int stride) {
  OwnNodes out;
  out.stride = stride;
  out.all = block == geometry::kAbsentInside ? -view.band : view.band;
  if (block < 0) return out;
  out.first = view.nodes + static_cast<std::int64_t>(block) * geometry::kBlockNodes +
              (in[0] * geometry::kBlockSide + in[1]) * geometry::kBlockSide + in[2];
  return out;
}

/** Those of a tile of the grid's voxels, or of twice their edge, that lies in one block. */
INTERVOX_HD inline OwnNodes FindOwnNodes(const GridSide& own, const center::VoxelBlock& voxels,
                                         double edge) {
  const int stride = edge == own.h ? 1 : 2;
  if (edge != stride * own.h) return {};
  int place[3], in[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int node = NodeAtOrigin(own, axis) + stride * voxels.first[axis];
    place[axis] = node / geometry::kBlockEdge;
    in[axis] = node % geometry::kBlockEdge;
    if (in[axis] + stride * voxels.count[axis] > geometry::kBlockEdge) return {};
  }
  return OwnNodesAt(own.view, geometry::BlockAt(own.view, place[0], place[1], place[2]), in,
                    stride);
}

/** Reads the levels of the lattice's own grid at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const OwnNodes& own, double h, const Tile& tile,
                                   const NodeBits& nodes, double* level) {
  if (own.first == nullptr) {
    ForEachBit(nodes, [&](int i, int j, int k) { level[Tile::Node(i, j, k)] = h * own.all; });
  } else if (own.stride == 1) {
    ReadRows<1>(own.first, h, tile, level);
  } else {
    ReadRows<2>(own.first, h, tile, level);
  }
}

/** A grid's field along a tile's nodes, lifted by a share of its bends. */
class GridReader {
 public:
  INTERVOX_HD GridReader(const GridSide& side, const Tile& tile, double share)
      : side_(side),
        x_(tile.edge * side.per_metre.row0),
        y_(tile.edge * side.per_metre.row1),
        z_(tile.edge * side.per_metre.row2),
        first_(PlaceIn(side, tile.At(0, 0, 0)) - geometry::OriginOf(side.view)),
        end_(EndOf(side.view)),
        share_(share) {}

  /** The field, not lifted, at N nodes. */
  template <int N>
  INTERVOX_HD Wide<N> FieldAt(const Whole<N>& i, const Whole<N>& j, const Whole<N>& k) const {
    const WideVoxel<N> voxel = FindVoxels<N>(side_.view, end_, Place<N>(i, j, k));
    return side_.h * LevelsIn<N>(side_.view, voxel, 0).value;
  }

  /** The levels at N nodes with their gradients, in the grid's axes. Where a node lies between two
   voxels its gradient is the mean of theirs: V may have a kink there, and S is then the mean of its
   derivatives on both sides. */
  template <int N>
  INTERVOX_HD WideLevel<N> At(const Whole<N>& i, const Whole<N>& j, const Whole<N>& k) const {
    const WidePlace<N> u = Place<N>(i, j, k);
    const WideVoxel<N> voxel = FindVoxels<N>(side_.view, end_, u);
    WideLevel<N> out = LevelsIn<N>(side_.view, voxel, share_);
    out.value = side_.h * out.value;
    const WidePlace<N>& t = voxel.t;
    const Wide<N> off = Larger(Larger(Magnitude(Wide<N>(t.x - 0.5)), Magnitude(Wide<N>(t.y - 0.5))),
                               Magnitude(Wide<N>(t.z - 0.5)));
    const unsigned between = PositiveLanes(off - (0.5 - kBeside));
    if (between == 0) return out;
    const Vec3 apart = TransposeTimes(side_.R, (kBeside / std::sqrt(3.0)) * Vec3{1, 1, 1});
    for (int lane = 0; lane < N; ++lane) {
      if ((between >> lane & 1) == 0) continue;
      const Vec3 at{Lane(u.x, lane), Lane(u.y, lane), Lane(u.z, lane)};
      const Vec3 mean = 0.5 * (SlopeAt(at + apart) + SlopeAt(at - apart));
      SetLane(&out.gradient.x, lane, mean.x);
      SetLane(&out.gradient.y, lane, mean.y);
      SetLane(&out.gradient.z, lane, mean.z);
    }
    return out;
  }

 private:
  static constexpr double kBeside = 1e-9;  ///< [voxels]

  INTERVOX_HD Vec3 SlopeAt(const Vec3& u) const {
    const WideVoxel<1> voxel = FindVoxels<1>(side_.view, end_, {u.x, u.y, u.z});
    return LevelsIn<1>(side_.view, voxel, share_).GradientOf(0);
  }
  template <int N>
  INTERVOX_HD WidePlace<N> Place(const Whole<N>& i, const Whole<N>& j, const Whole<N>& k) const {
    const Wide<N> x = NumberOf(i), y = NumberOf(j), z = NumberOf(k);
    return {first_.x + x * x_.x + y * y_.x + z * z_.x, first_.y + x * x_.y + y * y_.y + z * z_.y,
            first_.z + x * x_.z + y * y_.z + z * z_.z};
  }

  const GridSide& side_;
  Vec3 x_, y_, z_, first_, end_;
  double share_;
};

/** The share of a grid's bends that interpolation between a tile's nodes adds. */
INTERVOX_HD inline double LiftOf(const GridSide& side, const Tile& tile) {
  return tile.lifts ? tile.edge / side.h * (tile.edge / side.h) / 12 : 0;
}

/** (G9): which of so many places are decided by a grid's field in their middle, no node around
 being further away than `reach` tells. @returns by the lowest eight bits those outside, by the next
 eight those inside, also of places that are not asked for */
template <int kPlaces, class MiddlesOf>
INTERVOX_HD inline unsigned DecidePlaces(unsigned places, double reach,
                                         const MiddlesOf& middles_of) {
  constexpr int N = kNumbersAtOnce;
  unsigned decided = 0;
  for (int n = 0; n < kPlaces; n += N) {
    if ((places >> n & ((1U << N) - 1)) == 0) continue;
    const Wide<N> middles = middles_of(n);
    decided |= PositiveLanes(middles - reach) << n | PositiveLanes(-reach - middles) << (8 + n);
  }
  return decided;
}

/** Whether there are more than four. */
INTERVOX_HD inline bool HasMoreThanFour(Groups groups) {
  for (int n = 0; n < 4; ++n) groups &= groups - 1;
  return groups != 0;
}

/** (G9) of the lattice's own grid, whose nodes the middles are, or of another one. */
INTERVOX_HD inline unsigned DecideGroups(const GridSide& side, const OwnNodes& own,
                                         const Tile& tile, Groups groups) {
  constexpr int N = kNumbersAtOnce;
  const double slope = (side.view.slope + 1e-9) * tile.edge / side.h, step = std::sqrt(3.0) * slope;
  if (own.stride != 0) {
    if (own.first == nullptr && std::fabs(own.all) > step + kOnNode) {
      return own.all > 0 ? groups : groups << 8;
    }
    constexpr int kX = geometry::kBlockSide * geometry::kBlockSide, kY = geometry::kBlockSide;
    return DecidePlaces<8>(groups, step + kOnNode, [&](int first) {
      const auto middle_at = [&](int n) {
        return own.stride * (kX * (1 + (n >> 1 & 2)) + kY * (1 + (n & 2)) + 1 + 2 * (n & 1));
      };
      double middle[N];
      if (own.first != nullptr && groups == 255U) {
        for (int k = 0; k < N; ++k) middle[k] = own.first[middle_at(first + k)];
      } else {
        // Beyond the tile's own nodes the block, and its memory, may end.
        for (int k = 0; k < N; ++k) {
          const bool there = own.first != nullptr && (groups >> (first + k) & 1U) != 0;
          middle[k] = there ? own.first[middle_at(first + k)] : own.all;
        }
      }
      return LoadWide<N>(middle);
    });
  }
  const GridReader reader(side, tile, 0);
  constexpr double kMore = kMostShare * geometry::kMostBend + kOnNode;
  // The middles of groups, or, an edge further along x, of two groups side by side.
  const auto middles = [&](const Whole<N>& n, int along) {
    return reader.FieldAt<N>(Whole<N>(1 + along + (n >> 1 & 2)), Whole<N>(1 + (n & 2)),
                             Whole<N>(1 + 2 * (n & 1)));
  };
  unsigned decided = 0;
  if (HasMoreThanFour(groups)) {
    // Two groups at a time, whose nodes are at most √6 edges away, tell enough where tiles are far.
    const Groups two = (groups | groups >> 4) & 15U;
    const unsigned of_two =
        DecidePlaces<4>(two, (std::sqrt(6.0) * slope + kMore) * side.h, [&](int first) {
          int n[N];
          for (int k = 0; k < N; ++k) n[k] = first + k;
          return middles(LoadAll<Whole<N>>(n), 1);
        });
    decided = of_two | of_two << 4;
  }
  Groups rest = groups & ~(decided | decided >> 8);
  while (rest != 0) {
    int n[N];
    for (int k = 0; k < N; ++k, rest &= rest - 1) n[k] = rest != 0 ? LowestBit(rest) : n[0];
    const Wide<N> level = middles(LoadAll<Whole<N>>(n), 0);
    const double reach = (step + kMore) * side.h;
    const unsigned outside = PositiveLanes(level - reach), inside = PositiveLanes(-reach - level);
    for (int k = 0; k < N; ++k) {
      decided |= (outside >> k & 1U) << n[k] | (inside >> k & 1U) << (8 + n[k]);
    }
  }
  return decided;
}

/** Reads the levels of a grid, with its gradients, at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const GridSide& side, double share, const NodeBits& nodes,
                                   Tile* tile, double* level) {
  constexpr int N = kNumbersAtOnce;
  const GridReader reader(side, *tile, share);
  const auto read = [&](const Whole<N>& x, const Whole<N>& y, const Whole<N>& z, int /*count*/) {
    const WideLevel<N> at = reader.At<N>(x, y, z);
    const Whole<N> nodes_of = Tile::Node(x, y, z);
    for (int k = 0; k < N; ++k) {
      const int node = Lane(nodes_of, k);
      level[node] = Lane(at.value, k);
      tile->gradient[node] = at.GradientOf(k);
    }
  };
  ForSeveralBits<N>(nodes, read);
}

/** Reads the levels of a surface at nodes of a tile. */
INTERVOX_HD inline void ReadLevels(const MappedSurface& side, const Tile& tile,
                                   const NodeBits& nodes, double* level) {
  if (side.kind == geometry::SurfaceKind::kPlane) {
    const Vec3 slope = 2 * side.b;
    ForEachBit(nodes, [&](int i, int j, int k) {
      level[Tile::Node(i, j, k)] = side.c + Dot(tile.At(i, j, k), slope);
    });
    return;
  }
  ForEachBit(nodes, [&](int i, int j, int k) {
    level[Tile::Node(i, j, k)] = Evaluate(side, tile.At(i, j, k)).value;
  });
}

/** Makes the nodes that are on a side's face, but for rounding, be on it: in the cells around them
 it is then one face. */
INTERVOX_HD inline void SnapToFace(const NodeBits& nodes, double room, double* level) {
  ForEachBit(nodes, [&](int i, int j, int k) {
    double& g = level[Tile::Node(i, j, k)];
    if (std::fabs(g) < room) g = 0;
  });
}

}  // namespace intervox::cuda::internal::grid
