/** @file The clip rule of grids: voxels as six tetrahedra, cut by levels linear between nodes. */
#pragma once

#include "cuda/rules/grid/fraction.h"
#include "geometry/grid/six_tetrahedra.h"

namespace intervox::cuda::internal::grid {

/** (G3): the point between two where levels that are linear between them vanish. */
INTERVOX_HD inline Barycentric Crossing(const Barycentric& p, const Barycentric& q, double at_p,
                                        double at_q) {
  const double t = at_p / (at_p - at_q);
  Barycentric out;
  for (int i = 0; i < 4; ++i) out.b[i] = p.b[i] + t * (q.b[i] - p.b[i]);
  return out;
}

/** Of Piece::face: no side. */
inline constexpr std::uint8_t kNoSide = 255;

/** Pushes a prism as three pieces: corners a, corners b above them, and the sides of its faces: the
 triangles a and b, and the quadrilaterals opposite of the three edges from a to b. */
INTERVOX_HD inline void PushPrism(const Barycentric (&a)[3], const Barycentric (&b)[3],
                                  std::uint8_t of_a, std::uint8_t of_b,
                                  const std::uint8_t (&walls)[3], int next, Piece* stack,
                                  int* top) {
  const auto n = static_cast<std::uint8_t>(next);
  stack[(*top)++] = {{a[0], a[1], a[2], b[0]}, {kNoSide, walls[1], walls[2], of_a}, n};
  stack[(*top)++] = {{a[1], a[2], b[0], b[1]}, {kNoSide, walls[2], walls[0], kNoSide}, n};
  stack[(*top)++] = {{a[2], b[0], b[1], b[2]}, {of_b, walls[0], walls[1], kNoSide}, n};
}

/** Pushes what a side keeps of a piece, whose corners have these levels of both signs. */
__attribute__((always_inline)) INTERVOX_HD inline void PushKept(const Piece& piece,
                                                                const double (&level)[4],
                                                                std::uint8_t side, int next,
                                                                Piece* stack, int* top) {
  int order[4], inside = 0, beyond = 4;
  for (int i = 0; i < 4; ++i) {
    if (level[i] <= 0) {
      order[inside++] = i;
    } else {
      order[--beyond] = i;
    }
  }
  const auto corner = [&](int i) -> const Barycentric& { return piece.p[order[i]]; };
  const auto face = [&](int i) { return piece.face[order[i]]; };
  const auto cross = [&](int i, int j) {
    return Crossing(corner(i), corner(j), level[order[i]], level[order[j]]);
  };
  if (inside == 1) {
    stack[(*top)++] = {{corner(0), cross(0, 1), cross(0, 2), cross(0, 3)},
                       {side, face(1), face(2), face(3)},
                       static_cast<std::uint8_t>(next)};
    return;
  }
  if (inside == 3) {
    PushPrism({corner(0), corner(1), corner(2)}, {cross(0, 3), cross(1, 3), cross(2, 3)}, face(3),
              side, {face(0), face(1), face(2)}, next, stack, top);
    return;
  }
  PushPrism({corner(0), cross(0, 2), cross(0, 3)}, {corner(1), cross(1, 2), cross(1, 3)}, face(1),
            face(0), {side, face(2), face(3)}, next, stack, top);
}

/** Pieces of a voxel's tetrahedra that wait to be summed: corner c of piece k is at at[c][axis][k],
 from the node at which all tetrahedra begin on, by the steps to the next ones. */
struct KeptPieces {
  static constexpr int N = kNumbersAtOnce;
  double at[4][3][N] = {};
  int count = 0;
};

/** Adds the moments of the pieces that wait. */
INTERVOX_HD inline void SumPieces(KeptPieces* kept, VolumeMoments* sums) {
  constexpr int N = KeptPieces::N;
  using S = Wide<N>;
  S p[4][3], e[3][3], sum[3], second[6], of[10];
  for (int axis = 0; axis < 3; ++axis) {
    for (int c = 0; c < 4; ++c) p[c][axis] = LoadWide<N>(kept->at[c][axis]);
    for (int c = 0; c < 3; ++c) e[c][axis] = p[c + 1][axis] - p[0][axis];
    sum[axis] = p[0][axis] + p[1][axis] + p[2][axis] + p[3][axis];
  }
  const S v = Magnitude(S(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                          e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]))) /
              6;
  // ∫ x xᵀ over a tetrahedron: of the corners and their sum.
  constexpr int kOf[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; ++k) {
    const int i = kOf[k][0], j = kOf[k][1];
    second[k] = sum[i] * sum[j];
    for (int c = 0; c < 4; ++c) second[k] += p[c][i] * p[c][j];
  }
  of[0] = v;
  for (int axis = 0; axis < 3; ++axis) of[1 + axis] = 0.25 * v * sum[axis];
  for (int k = 0; k < 6; ++k) of[4 + k] = v / 20 * second[k];
  double lane[10][N];
  for (int k = 0; k < 10; ++k) StoreWide(of[k], lane[k]);
  for (int k = 0; k < kept->count; ++k) {
    *sums += {lane[0][k],
              {lane[1][k], lane[2][k], lane[3][k]},
              {{lane[4][k], lane[5][k], lane[6][k]}, {lane[7][k], lane[8][k], lane[9][k]}}};
  }
  kept->count = 0;
}

/** Adds a piece of a tetrahedron whose steps go along the axes in that order, and its faces' gains
 by the tile's numbers of its nodes. */
INTERVOX_HD inline void AddPiece(const Piece& piece, const int (&order)[3], const int (&node)[4],
                                 Tile* tile, KeptPieces* kept, VolumeMoments* sums) {
  Vec3 u[4];
  for (int i = 0; i < 4; ++i) {
    const double* b = piece.p[i].b;
    const double yz = b[2] + b[3];
    u[i] = {b[1] + yz, yz, b[3]};
    for (int k = 0; k < 3; ++k) kept->at[i][order[k]][kept->count] = u[i][k];
  }
  if (++kept->count == KeptPieces::N) SumPieces(kept, sums);
  for (int f = 0; f < 4; ++f) {
    const int side = piece.face[f];
    if (side == kNoSide || tile->turn[side] == 0) continue;
    const int i = (f + 1) % 4, j = (f + 2) % 4, k = (f + 3) % 4;
    const double* g = tile->level[side];
    const Vec3 slope{g[node[1]] - g[node[0]], g[node[2]] - g[node[1]], g[node[3]] - g[node[2]]};
    // ∂V/∂level of a node is minus the mean of its share over the face, times area over slope.
    const double edge = tile->edge;
    const double gain =
        edge * edge * edge / 6 *
        std::sqrt(SquaredNorm(Cross(u[j] - u[i], u[k] - u[i])) / SquaredNorm(slope));
    for (int n = 0; n < 4; ++n) {
      tile->gain[side][node[n]] += gain * (piece.p[i].b[n] + piece.p[j].b[n] + piece.p[k].b[n]);
    }
  }
}

/** Adds a voxel's moments by its steps: along each axis by `step` from `first`. */
INTERVOX_HD inline void AddSteps(const VolumeMoments& local, const Vec3& first, const Vec3& step,
                                 double edge, clip::ClipSums* sums) {
  const Sym3 steps = Square(step);
  const VolumeMoments scaled{
      local.v,
      Scaled(step, local.m),
      {Scaled(steps.diag, local.second.diag), Scaled(steps.off, local.second.off)}};
  VolumeMoments& volume = *sums;
  volume += Shifted(edge * edge * edge * scaled, first);
}

/** (G11): whether the sum of the first two sides' levels is above zero at all nodes of voxel
 (i, j, k): it is then so in its tetrahedra, between whose nodes both are linear, and they hold
 nothing of both.
 @param mixed  bits of the sides that cut the voxel */
INTERVOX_HD inline bool ApartInVoxel(const Tile& tile, int i, int j, int k, std::uint64_t mixed) {
  int side[2] = {}, count = 0;
  for (int s = 0; s < tile.count && count < 2; ++s) {
    if ((mixed >> s & 1) != 0) side[count++] = s;
  }
  if (count < 2) return false;
  const double *a = tile.level[side[0]], *b = tile.level[side[1]];
  bool apart = true;
  for (int c = 0; c < 8; ++c) {
    const int n = Tile::Node(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
    apart = apart && a[n] + b[n] > 0;
  }
  return apart;
}

/** The bits of the sides that each corner (x, y, z) of voxel (i, j, k), 4x + 2y + z, is outside of.
 @param mixed  bits of the sides that cut the voxel */
INTERVOX_HD inline void FindOutside(const Tile& tile, int i, int j, int k, std::uint64_t mixed,
                                    std::uint64_t (&outside)[8]) {
  for (std::uint64_t& bits : outside) bits = 0;
  for (; mixed != 0; mixed &= mixed - 1) {
    const int side = LowestBit(mixed);
    for (int c = 0; c < 8; ++c) {
      const int bit = 8 * (j + (c >> 1 & 1)) + k + (c & 1);
      outside[c] |= (tile.positive[side][i + (c >> 2)] >> bit & 1U) << side;
    }
  }
}

/** (G3): adds voxel (i, j, k) of the tile, cut by the levels that are linear in each of its six
 tetrahedra, which share the triangles of their faces, so that V is continuous.
 @param mixed  bits of the sides that cut the voxel */
INTERVOX_HD inline void AddTetrahedra(Tile* tile, int i, int j, int k, std::uint64_t mixed,
                                      clip::ClipSums* sums) {
  if (ApartInVoxel(*tile, i, j, k, mixed)) return;
  constexpr int kStride[3] = {kTileSide * kTileSide, kTileSide, 1};
  const int at[3] = {i, j, k};
  std::uint64_t outside[8];
  FindOutside(*tile, i, j, k, mixed, outside);
  int from = 0, corner = 0, stride[3];
  Vec3 first, step;
  for (int axis = 0; axis < 3; ++axis) {
    const int odd = (tile->voxels.first[axis] + at[axis]) & 1;
    from += (at[axis] + odd) * kStride[axis];
    corner += odd * (4 >> axis);
    stride[axis] = odd != 0 ? -kStride[axis] : kStride[axis];
    first[axis] = tile->edge * (tile->voxels.first[axis] + at[axis] + odd);
    step[axis] = odd != 0 ? -tile->edge : tile->edge;
  }
  VolumeMoments local;
  KeptPieces kept;
  for (int t = 0; t < geometry::kTetrahedra; ++t) {
    const geometry::TetrahedronSteps steps = geometry::StepsOf(t);
    const int(&order)[3] = steps.axis;
    const int n1 = from + stride[order[0]], n2 = n1 + stride[order[1]], n3 = n2 + stride[order[2]];
    const int node[4] = {from, n1, n2, n3};
    const int c1 = corner ^ 4 >> order[0], c2 = c1 ^ 4 >> order[1], c3 = c2 ^ 4 >> order[2];
    if ((outside[corner] & outside[c1] & outside[c2] & outside[c3]) != 0) continue;
    const std::uint64_t any = outside[corner] | outside[c1] | outside[c2] | outside[c3];
    Piece* const stack = tile->pieces;
    int top = 0;
    stack[top++] = {{{{1, 0, 0, 0}}, {{0, 1, 0, 0}}, {{0, 0, 1, 0}}, {{0, 0, 0, 1}}},
                    {kNoSide, kNoSide, kNoSide, kNoSide},
                    0};
    while (top > 0) {
      const Piece& piece = stack[--top];
      const bool whole = piece.next == 0;
      int s = piece.next, inside = 4;
      double level[4];
      for (; s < tile->count && inside == 4; ++s) {
        if ((any >> s & 1) == 0) continue;
        const double* g = tile->level[s];
        inside = 0;
        for (int c = 0; c < 4; ++c) {
          const double* b = piece.p[c].b;
          level[c] =
              whole ? g[node[c]]
                    : b[0] * g[node[0]] + b[1] * g[node[1]] + b[2] * g[node[2]] + b[3] * g[node[3]];
          inside += level[c] <= 0;
        }
      }
      if (inside == 4) {
        AddPiece(piece, order, node, tile, &kept, &local);
      } else if (inside > 0) {
        const Piece cut = piece;  // which what is kept of it replaces
        PushKept(cut, level, static_cast<std::uint8_t>(s - 1), s, stack, &top);
      }
    }
  }
  if (kept.count > 0) SumPieces(&kept, &local);
  if (local.v > 0) AddSteps(local, first, step, tile->edge, sums);
}

/** Adds voxels of the tile that the same sides cut; (G12) where levels are lifted. */
INTERVOX_HD inline void AddTetrahedra(Tile* tile, const VoxelBits& voxels, std::uint64_t mixed,
                                      clip::ClipSums* sums) {
  ForEachBit(voxels, [&](int i, int j, int k) { AddTetrahedra(tile, i, j, k, mixed, sums); });
  if (tile->lifts) AddBetween(tile, voxels, mixed, sums);
}

}  // namespace intervox::cuda::internal::grid
