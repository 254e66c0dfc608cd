// Corners of cells that are corners of the body, whatever cuts go through them.
#include "geometry/extremes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/solid.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

constexpr int kSide = 3;

/** Blocks of a grid of 3 × 3 × 3 that a body is made of. */
using Blocks = std::array<bool, kSide * kSide * kSide>;

bool IsFilled(const Blocks& blocks, int i, int j, int k) {
  if (std::min({i, j, k}) < 0 || std::max({i, j, k}) >= kSide) return false;
  return blocks[static_cast<std::size_t>((i * kSide + j) * kSide + k)];
}

/** How often a grid point is a corner of the body: blocks next to it that touch no other across a
 face. Two that do leave a straight edge or a face there. */
int CornersAt(const Blocks& blocks, int i, int j, int k) {
  int count = 0;
  for (int a = -1; a < 1; ++a) {
    for (int b = -1; b < 1; ++b) {
      for (int c = -1; c < 1; ++c) {
        const bool alone = !IsFilled(blocks, i - 1 - a, j + b, k + c) &&
                           !IsFilled(blocks, i + a, j - 1 - b, k + c) &&
                           !IsFilled(blocks, i + a, j + b, k - 1 - c);
        if (IsFilled(blocks, i + a, j + b, k + c) && alone) ++count;
      }
    }
  }
  return count;
}

/** The extremes of all cells, sorted. */
std::vector<std::array<double, 3>> ExtremesOf(const std::vector<Cell>& cells, const Pose& X) {
  std::vector<std::array<double, 3>> found;
  for (const Cell& cell : cells) {
    for (std::size_t k = 0; k < cell.corners.p_C.size(); ++k) {
      if (!cell.corners.extreme.empty() && !cell.corners.extreme[k]) continue;
      const Vec3 p = TransposeTimes(X.R, cell.corners.p_C[k] - X.p);
      found.push_back({p.x, p.y, p.z});
    }
  }
  return found;
}

/** Cuts each cell that a plane through a corner of it meets, or only some of them. */
std::vector<Cell> Cut(std::vector<Cell> cells, Random* random) {
  for (int cuts = random->Below(3); cuts > 0; --cuts) {
    const Cell& some =
        cells[static_cast<std::size_t>(random->Below(static_cast<int>(cells.size())))];
    const auto corner = static_cast<std::size_t>(random->Below(8)) % some.corners.p_C.size();
    const Surface plane = MakePlane(random->Direction(), some.corners.p_C[corner]);
    std::vector<Cell> next;
    for (const Cell& cell : cells) {
      if (random->Uniform(0, 1) < 0.3) {
        next.push_back(cell);
        continue;
      }
      for (Cell& half : Halves(cell, plane)) next.push_back(std::move(half));
    }
    cells = std::move(next);
  }
  return cells;
}

TEST(Extremes, OfABodyOfBlocksAreItsCornersHoweverItIsCut) {
  Random random(17);
  int most = 0, hidden = 0;
  for (int round = 0; round < 120; ++round) {
    const Pose X = random.RandomPose(1);
    const double share = random.Uniform(0.1, 0.9);
    const double size = round % 3 == 0 ? 1e-3 : round % 3 == 1 ? 1.0 : 1e3;
    Blocks blocks{};
    std::vector<Cell> cells;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        for (int k = 0; k < kSide; ++k) {
          if (random.Uniform(0, 1) > share) continue;
          blocks[static_cast<std::size_t>((i * kSide + j) * kSide + k)] = true;
          const Vec3 center{i + 0.5, j + 0.5, k + 0.5};
          cells.push_back(ToCells(
              *Leaf(Box{{size, size, size}}, X * Pose{Mat3::Identity(), size * center}))[0]);
        }
      }
    }
    if (cells.empty()) continue;
    cells = Cut(std::move(cells), &random);
    LinkNeighbours(cells);
    MarkExtremes(cells);
    const auto found = ExtremesOf(cells, X);
    int corners = 0;
    for (int i = 0; i <= kSide; ++i) {
      for (int j = 0; j <= kSide; ++j) {
        for (int k = 0; k <= kSide; ++k) {
          const int expected = CornersAt(blocks, i, j, k);
          corners += expected;
          const auto is_here = [&](const std::array<double, 3>& p) {
            return Norm(Vec3{p[0], p[1], p[2]} - size * Vec3{double(i), double(j), double(k)}) <
                   1e-7 * size;
          };
          EXPECT_EQ(std::count_if(found.begin(), found.end(), is_here), expected)
              << "round " << round << " at " << i << j << k;
        }
      }
    }
    EXPECT_EQ(static_cast<int>(found.size()), corners) << "round " << round;
    most = std::max(most, corners);
    for (const Cell& cell : cells) {
      hidden += static_cast<int>(
          std::count(cell.corners.extreme.begin(), cell.corners.extreme.end(), false));
    }
  }
  EXPECT_GT(most, 20);
  EXPECT_GT(hidden, 1000);
}

// A ridge whose end is cut off along a plane through its tip: the tip is one corner of the body.
TEST(Extremes, OfACutThroughASharpTipAreOneCorner) {
  const std::vector<Vec3> tip = {{0, 0, 0}, {1, 0.01, 0}, {1, -0.01, 0}, {1, 0, 0.01}};
  for (const Vec3& n : {Vec3{0, 1, 0}, Vec3{0.3, 1, 0.2}, Vec3{0, 0.5, -1}}) {
    std::vector<Cell> cells =
        Halves(ToCells(*Leaf(Convex{tip}))[0], MakePlane(Normalized(n), {0, 0, 0}));
    LinkNeighbours(cells);
    MarkExtremes(cells);
    const auto found = ExtremesOf(cells, Pose::Identity());
    EXPECT_EQ(found.size(), 4u);
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [](const auto& p) {
                              return Norm(Vec3{p[0], p[1], p[2]}) < 1e-12;
                            }),
              1);
  }
}

}  // namespace
}  // namespace intervox::geometry
