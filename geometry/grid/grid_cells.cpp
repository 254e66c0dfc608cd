#include "geometry/grid/grid_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <utility>

#include "geometry/free_memory.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

using Place = std::array<int, 3>;

/** The cell between six planes, at the nodes lower and upper, of some of a grid's blocks. */
Cell BoxedCell(const GridPart& part, const Vec3& lower, const Vec3& upper, std::string name) {
  std::vector<Surface> planes;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 n = part.X_CG.R.Col(axis);
    planes.push_back(MakePlane(-n, part.X_CG * (part.voxel_size * lower)));
    planes.push_back(MakePlane(n, part.X_CG * (part.voxel_size * upper)));
  }
  for (Surface& plane : planes) plane.cut = true;
  Cell cell = MakeCell(std::move(planes), std::move(name));
  cell.polytope = false;
  cell.corners = {};
  cell.grid = part;
  return cell;
}

Vec3 NodeOf(const LevelSet& field, const Place& place) {
  Vec3 node;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    node[axis] = field.origin[a] + kBlockEdge * place[a];
  }
  return node;
}

/** Blocks of one grid, and the cell that each belongs to. */
class Blocks {
 public:
  explicit Blocks(const Cell& whole)
      : whole_(whole), field_(*whole.grid.field), owner_(field_.places.size(), kFree) {}

  /** Appends the cells, numbered from cells->size() on. */
  void Split(std::vector<Cell>* cells) {
    first_ = static_cast<int>(cells->size());
    ForEachPlace(whole_.grid.lower, whole_.grid.upper, [&](const Place& at) {
      const Extent& e = field_.extents[Index(at)];
      if (e.lo > 0 || owner_[Index(at)] != kFree) return;
      Place upper = {at[0] + 1, at[1] + 1, at[2] + 1};
      if (e.hi <= 0) upper = Grow(at, upper);
      const int number = static_cast<int>(cells->size());
      ForEachPlace(at, upper, [&](const Place& p) { owner_[Index(p)] = number; });
      GridPart part = whole_.grid;
      part.lower = at;
      part.upper = upper;
      cells->push_back(BoxedCell(part, NodeOf(field_, at), NodeOf(field_, upper),
                                 whole_.name + "/" + std::to_string(number)));
      cells->back().node = whole_.node;
    });
    Link(cells);
  }

 private:
  static constexpr int kFree = -1;

  std::size_t Index(const Place& at) const {
    return static_cast<std::size_t>((at[0] * field_.size[1] + at[1]) * field_.size[2] + at[2]);
  }

  template <class F>
  static void ForEachPlace(const Place& lower, const Place& upper, const F& f) {
    for (int i = lower[0]; i < upper[0]; ++i) {
      for (int j = lower[1]; j < upper[1]; ++j) {
        for (int k = lower[2]; k < upper[2]; ++k) f(Place{i, j, k});
      }
    }
  }

  bool AllFull(const Place& lower, const Place& upper) const {
    bool full = true;
    ForEachPlace(lower, upper, [&](const Place& at) {
      full = full && field_.extents[Index(at)].hi <= 0 && owner_[Index(at)] == kFree;
    });
    return full;
  }

  /** Extends the box of full blocks along z, then y, then x while all that it gains is full. */
  Place Grow(const Place& lower, Place upper) const {
    for (const std::size_t axis : {2u, 1u, 0u}) {
      while (upper[axis] < whole_.grid.upper[axis]) {
        Place from = lower, to = upper;
        from[axis] = upper[axis];
        to[axis] = upper[axis] + 1;
        if (!AllFull(from, to)) break;
        ++upper[axis];
      }
    }
    return upper;
  }

  void Link(std::vector<Cell>* cells) const {
    for (std::size_t c = static_cast<std::size_t>(first_); c < cells->size(); ++c) {
      Cell& cell = (*cells)[c];
      std::set<int> beside;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (const int end : {0, 1}) {
          Place lower = cell.grid.lower, upper = cell.grid.upper;
          lower[axis] = end == 0 ? lower[axis] - 1 : upper[axis];
          upper[axis] = lower[axis] + 1;
          if (lower[axis] < 0 || upper[axis] > field_.size[axis]) continue;
          ForEachPlace(lower, upper, [&](const Place& at) {
            if (owner_[Index(at)] != kFree) beside.insert(owner_[Index(at)]);
          });
        }
      }
      cell.neighbours.assign(beside.begin(), beside.end());
    }
  }

  const Cell& whole_;
  const LevelSet& field_;
  std::vector<int> owner_;
  int first_ = 0;
};

}  // namespace

Cell MakeGridCell(std::shared_ptr<const LevelSet> field, const Pose& X_CG, double scale,
                  std::string name) {
  GridPart part;
  part.voxel_size = scale * field->voxel_size;
  part.X_CG = X_CG;
  part.upper = field->size;
  Vec3 lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    // The surface ends within a voxel of the nodes that are inside.
    lower[axis] = field->lower[a] - 1;
    upper[axis] = field->upper[a] + 1;
  }
  part.field = std::move(field);
  return BoxedCell(part, lower, upper, std::move(name));
}

void RequireRoomToSplit(const std::vector<Cell>& cells) {
  constexpr double kBytes = 7500;  // of a cell; a cell of a lattice and of a peg's block alike
  constexpr double kMostShare = 0.75;
  double free = 0;
  for (const Cell& cell : cells) {
    if (cell.grid.field == nullptr) continue;
    const std::vector<Extent>& extents = cell.grid.field->extents;
    const auto end = extents.begin() + static_cast<std::ptrdiff_t>(cell.grid.field->places.size());
    const auto count = static_cast<double>(
        std::count_if(extents.begin(), end, [](const Extent& e) { return e.lo <= 0 && e.hi > 0; }));
    if (free == 0) free = kMostShare * FreeMemory();
    if (kBytes * count <= free) continue;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "%.4g blocks of 8 x 8 x 8 voxels of %.4g m as cells need %.4g GB, and %.4g GB are "
        "free; use voxels of %.4g m or more",
        count, cell.grid.voxel_size, 1e-9 * kBytes * count, 1e-9 * free / kMostShare,
        1.5 * cell.grid.voxel_size * std::sqrt(kBytes * count / free));
    throw std::invalid_argument(text);
  }
}

bool HasGrid(std::span<const Cell> cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const Cell& cell) { return cell.grid.field != nullptr; });
}

std::vector<Cell> SplitGrids(std::vector<Cell> cells) {
  if (!HasGrid(cells)) return cells;
  std::vector<Cell> parts;
  for (const Cell& cell : cells) {
    if (cell.grid.field == nullptr) {
      parts.push_back(cell);
    } else {
      Blocks(cell).Split(&parts);
    }
  }
  return parts;
}

}  // namespace intervox::geometry
