#include "host/distance/cell_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace intervox::host::distance {
namespace {

using geometry::Cell;
using geometry::Extent;
using geometry::OrientedBox;

/** Rounding of a gap, relative to the coordinates that it is a difference of. */
constexpr double kRounding = 1e-14;

bool IsUnbounded(const CellNode& node) { return node.cell != nullptr && !node.cell->bounded; }

/** Half extents of a box along the axes of a frame. @param R  takes the box' frame to that one */
Vec3 ReachOf(const OrientedBox& box, const Mat3& R) {
  const Mat3 turn = R * box.X.R;
  return {Dot(Abs(turn.row0), box.half), Dot(Abs(turn.row1), box.half),
          Dot(Abs(turn.row2), box.half)};
}

class Builder {
 public:
  explicit Builder(CellTree* tree) : tree_(tree) {}

  /** Adds the leaf of a cell. @returns its index */
  int AddLeaf(const Cell& cell) {
    tree_->nodes.push_back({cell.bounds, &cell, -1, -1});
    return Last();
  }

  /** Adds the leaves of a grid's cell. */
  void AddGrid(const Cell& cell, std::vector<int>* leaves) {
    const geometry::LevelSet& field = *cell.grid.field;
    std::array<int, 3> size = field.size;
    std::vector<Floor> floors;
    for (const Extent* extents = field.extents.data();;) {
      floors.push_back({extents, size});
      if (size[0] == 1 && size[1] == 1 && size[2] == 1) break;
      extents += static_cast<std::ptrdiff_t>(size[0]) * size[1] * size[2];
      for (int& n : size) n = (n + 1) / 2;
    }
    Descend(cell, floors, static_cast<int>(floors.size()) - 1, {0, 0, 0}, leaves);
  }

  /** Adds nodes above the given ones. @returns the topmost one's index */
  int Join(std::vector<int>::iterator begin, std::vector<int>::iterator end) {
    if (end - begin == 1) return *begin;
    Vec3 least = At(*begin).box.X.p, most = least;
    for (auto it = begin; it != end; ++it) {
      least = Min(least, At(*it).box.X.p);
      most = Max(most, At(*it).box.X.p);
    }
    const Vec3 spread = most - least;
    int axis = spread.y > spread.x ? 1 : 0;
    if (spread.z > spread[axis]) axis = 2;
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](int a, int b) {
      const double u = At(a).box.X.p[axis], v = At(b).box.X.p[axis];
      return u != v ? u < v : a < b;
    });
    const int left = Join(begin, middle), right = Join(middle, end);
    tree_->nodes.push_back({Around(At(left).box, At(right).box), nullptr, left, right});
    return Last();
  }

 private:
  /** Extents of cubes of places, and how many there are along each axis. */
  struct Floor {
    const Extent* extents;
    std::array<int, 3> size;
  };

  /** Descends to places that the surface crosses, and to cubes of full ones. @param at  of a cube
   of 2^level places along each axis, in cubes */
  void Descend(const Cell& cell, const std::vector<Floor>& floors, int level,
               const std::array<int, 3>& at, std::vector<int>* leaves) {
    const Floor& floor = floors[static_cast<std::size_t>(level)];
    const geometry::GridPart& part = cell.grid;
    NodeBox nodes;
    bool whole = true;  // all of the cube is of the part
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] >= floor.size[axis]) return;
      const int first = at[axis] << level, last = (at[axis] + 1) << level;
      const int lower = std::max(first, part.lower[axis]), upper = std::min(last, part.upper[axis]);
      if (lower >= upper) return;
      whole = whole && lower == first && upper == last;
      const auto a = static_cast<int>(axis);
      nodes.lower[a] = part.field->origin[axis] + geometry::kBlockEdge * lower;
      nodes.upper[a] = part.field->origin[axis] + geometry::kBlockEdge * upper;
    }
    const Extent& e = floor.extents[(at[0] * floor.size[1] + at[1]) * floor.size[2] + at[2]];
    if (e.lo >= 0.0F) return;
    const bool full = whole && e.hi <= 0.0F;
    if (full || level == 0) {
      const PlacedGrid placed{{}, part.X_CG, part.voxel_size, nodes};
      tree_->nodes.push_back({placed.BoxOf(nodes), &cell, -1, -1, nodes, full});
      leaves->push_back(Last());
      return;
    }
    for (int k = 0; k < 8; ++k) {
      Descend(cell, floors, level - 1,
              {2 * at[0] + (k >> 2), 2 * at[1] + (k >> 1 & 1), 2 * at[2] + (k & 1)}, leaves);
    }
  }

  const CellNode& At(int index) const { return tree_->nodes[static_cast<std::size_t>(index)]; }
  int Last() const { return static_cast<int>(tree_->nodes.size()) - 1; }

  /** The box along the frame's axes around two boxes. */
  static OrientedBox Around(const OrientedBox& a, const OrientedBox& b) {
    const Vec3 of_a = ReachOf(a, Mat3::Identity()), of_b = ReachOf(b, Mat3::Identity());
    const Vec3 lower = Min(a.X.p - of_a, b.X.p - of_b), upper = Max(a.X.p + of_a, b.X.p + of_b);
    return {{Mat3::Identity(), 0.5 * (lower + upper)}, 0.5 * (upper - lower)};
  }

  CellTree* tree_;
};

/** |max(v, 0)|. */
double Outer(const Vec3& v) { return Norm(Max(v, Vec3{})); }

/** How far a box lies beyond the planes of an unbounded cell. @param X  of the box' frame in the
 cell's */
double BeyondPlanes(const Cell& cell, const OrientedBox& box, const Pose& X) {
  const Vec3 center = X * box.X.p;
  double gap = 0.0;
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.kind != geometry::SurfaceKind::kPlane) continue;
    const Vec3 n = static_cast<double>(s.side) * s.PlaneNormal();
    const Vec3 along = Abs(TransposeTimes(box.X.R, TransposeTimes(X.R, n)));
    const double slack = kRounding * (Norm(center) + Norm(s.o) + Norm(X.p));
    gap = std::fmax(gap, Dot(n, center - s.o) - Dot(along, box.half) - slack);
  }
  return gap;
}

}  // namespace

CellTree MakeCellTree(std::span<const Cell> cells) {
  CellTree tree;
  tree.nodes.reserve(2 * cells.size());
  Builder builder(&tree);
  std::vector<int> bounded;
  for (const Cell& cell : cells) {
    if (cell.grid.field != nullptr) {
      builder.AddGrid(cell, &bounded);
    } else {
      (cell.bounded ? bounded : tree.roots).push_back(builder.AddLeaf(cell));
    }
  }
  if (bounded.empty()) return tree;
  tree.roots.push_back(builder.Join(bounded.begin(), bounded.end()));
  tree.size = Norm(tree.nodes[static_cast<std::size_t>(tree.roots.back())].box.half);
  return tree;
}

double NodeGap(const CellNode& a, const CellNode& b, const Pose& X_AB) {
  const bool free_a = IsUnbounded(a), free_b = IsUnbounded(b);
  if (free_a && free_b) return 0.0;
  if (free_a) return BeyondPlanes(*a.cell, b.box, X_AB);
  if (free_b) return BeyondPlanes(*b.cell, a.box, Inverse(X_AB));
  return BoxGap(a.box, b.box, X_AB);
}

double BoxGap(const OrientedBox& a, const OrientedBox& b, const Pose& X_AB) {
  const Mat3 turn = Transpose(a.X.R) * (X_AB.R * b.X.R);
  const Vec3 center_b = X_AB * b.X.p;
  const Vec3 way = TransposeTimes(a.X.R, center_b - a.X.p);
  const Mat3 size{Abs(turn.row0), Abs(turn.row1), Abs(turn.row2)};
  const double slack =
      kRounding * (Norm(a.X.p) + Norm(b.X.p) + Norm(X_AB.p) + Norm(a.half) + Norm(b.half));
  const double along_a = Outer(Abs(way) - a.half - size * b.half);
  const double along_b =
      Outer(Abs(TransposeTimes(turn, way)) - b.half - TransposeTimes(size, a.half));
  return std::fmax(0.0, std::fmax(along_a, along_b) - slack);
}

double RadiusOf(const CellNode& node) {
  return IsUnbounded(node) ? std::numeric_limits<double>::infinity() : Norm(node.box.half);
}

}  // namespace intervox::host::distance
