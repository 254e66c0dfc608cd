#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "geometry/box_index.h"
#include "geometry/crowd.h"
#include "geometry/decompose.h"
#include "geometry/grid/grid_cells.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"

#include "geometry/node.h"

namespace intervox::geometry {
namespace {

std::vector<Aabb> BoxesOf(const std::vector<RawCell>& cells) {
  std::vector<Aabb> boxes;
  boxes.reserve(cells.size());
  for (const RawCell& cell : cells) boxes.push_back(cell.box);
  return boxes;
}

class Decomposer {
 public:
  explicit Decomposer(Effort* effort) : effort_(effort) {}

  /** The cells of a node in the frame of the tree's root; x_root = X (scale x_node). */
  std::vector<RawCell> Visit(const Shape& shape, const Pose& X, double scale,
                             const std::string& parent) {
    const int node = next_node_++;
    const std::string place = NodePlace(shape, parent);
    CheckNode(shape, place);
    if (shape.operation == Operation::kGrid) {
      throw std::invalid_argument(place +
                                  ": a grid is no operand of set operations. Make the grid of the "
                                  "whole: {grid: {of: {difference: [...]}, voxel_size: ...}}.");
    }
    const Pose X_node{X.R * shape.X.R, X.R * (scale * shape.X.p) + X.p};
    const double s = scale * shape.scale;
    if (shape.operation == Operation::kPrimitive) return Leaf(shape, X_node, s, place, node);
    std::vector<std::vector<RawCell>> operands;
    operands.reserve(shape.children.size());
    for (const ShapePtr& child : shape.children) {
      operands.push_back(Visit(*child, X_node, s, place));
    }
    std::vector<RawCell> cells = Combine(shape.operation, std::move(operands));
    if (cells.empty()) {
      throw std::invalid_argument(place +
                                  ": the solid is empty. Check the operands and their poses.");
    }
    const bool whole = shape.operation != Operation::kUnion;
    for (RawCell& cell : cells) {
      if (shape.name.empty() || (!whole && !cell.name.empty())) continue;
      cell.name = shape.name;
      cell.node = node;
    }
    return cells;
  }

 private:
  std::vector<RawCell> Leaf(const Shape& shape, const Pose& X, double scale,
                            const std::string& place, int node) {
    std::vector<RawCell> cells;
    for (SurfaceList& piece : ToPieces(shape.primitive, place)) {
      for (Surface& S : piece) {
        S = X * ScaledBy(S, scale);
        S.node = node;
      }
      cells.push_back(MakeRawCell(std::move(piece), shape.name, node));
    }
    return cells;
  }

  /** Cuts the tools numbered in `near` out of the piece, in that order; what is left is appended.
   */
  void Carve(RawCell piece, std::vector<int> near, const std::vector<RawCell>& tools,
             std::vector<RawCell>* left) {
    if (std::vector<RawCell> halves = SplitForTools(piece, near, tools, effort_); !halves.empty()) {
      for (RawCell& half : halves) CarveRest(std::move(half), near, tools, left);
      return;
    }
    for (std::size_t k = 0; k < near.size(); ++k) {
      const RawCell& T = tools[static_cast<std::size_t>(near[k])];
      if (!Overlap(piece.box, T.box)) continue;
      std::vector<RawCell> parts;
      for (RawCell& part : geometry::Subtract(piece, T, effort_)) {
        for (RawCell& p : SplitCrowd(std::move(part), effort_)) parts.push_back(std::move(p));
      }
      if (parts.size() == 1) {
        piece = std::move(parts.front());
        continue;
      }
      const std::span<const int> rest = std::span(near).subspan(k + 1);
      for (RawCell& part : parts) CarveRest(std::move(part), rest, tools, left);
      return;
    }
    left->push_back(std::move(piece));
  }

  /** Carve with those of the tools whose boxes meet the piece's. */
  void CarveRest(RawCell piece, std::span<const int> tools_left, const std::vector<RawCell>& tools,
                 std::vector<RawCell>* left) {
    std::vector<int> near;
    for (const int k : tools_left) {
      if (Overlap(piece.box, tools[static_cast<std::size_t>(k)].box)) near.push_back(k);
    }
    Carve(std::move(piece), std::move(near), tools, left);
  }

  /** Each cell on its own, and of `tools` only what its pieces' boxes meet. */
  void Subtract(std::vector<RawCell> from, const std::vector<RawCell>& tools, const BoxIndex& index,
                std::vector<RawCell>* left) {
    std::vector<int> near;
    for (RawCell& cell : from) {
      index.Find(cell.box, &near);
      Carve(std::move(cell), near, tools, left);
    }
  }

  std::vector<RawCell> Combine(Operation operation, std::vector<std::vector<RawCell>> operands) {
    std::vector<RawCell> cells = std::move(operands.front());
    BoxIndex index;
    if (operation == Operation::kUnion) {
      std::size_t indexed = 0;
      for (std::size_t k = 1; k < operands.size(); ++k) {
        for (; indexed < cells.size(); ++indexed) index.Add(cells[indexed].box);
        std::vector<RawCell> added;
        Subtract(std::move(operands[k]), cells, index, &added);
        std::move(added.begin(), added.end(), std::back_inserter(cells));
      }
      return cells;
    }
    if (operation == Operation::kDifference) {
      std::vector<RawCell> tools, left;
      for (std::size_t k = 1; k < operands.size(); ++k) {
        std::move(operands[k].begin(), operands[k].end(), std::back_inserter(tools));
      }
      index.Add(BoxesOf(tools));
      Subtract(std::move(cells), tools, index, &left);
      return left;
    }
    for (std::size_t k = 1; k < operands.size(); ++k) cells = Common(cells, operands[k]);
    return cells;
  }

  std::vector<RawCell> Common(const std::vector<RawCell>& a, const std::vector<RawCell>& b) {
    BoxIndex index;
    index.Add(BoxesOf(b));
    std::vector<RawCell> common;
    std::vector<int> near;
    for (const RawCell& A : a) {
      index.Find(A.box, &near);
      for (const int k : near) {
        for (RawCell& piece : Intersect(A, b[static_cast<std::size_t>(k)], effort_)) {
          for (RawCell& part : SplitCrowd(std::move(piece), effort_)) {
            common.push_back(std::move(part));
          }
        }
      }
    }
    return common;
  }

  Effort* effort_;
  int next_node_ = 0;
};

}  // namespace

std::vector<Cell> ToCells(const Shape& shape) {
  Effort effort;
  return ToCells(shape, &effort);
}

std::vector<Cell> ToCells(const Shape& shape, Effort* effort) {
  if (shape.operation == Operation::kGrid) {
    CheckNode(shape, NodePlace(shape, ""));
    Cell cell = MakeGridCell(shape.grid.field, shape.X, shape.scale, NodeLabel(shape) + "/0");
    cell.node = 0;
    return {cell};
  }
  std::vector<RawCell> raw = Decomposer(effort).Visit(shape, Pose::Identity(), 1.0, "");
  std::map<std::string, int> count;
  std::vector<Cell> cells;
  cells.reserve(raw.size());
  for (RawCell& r : raw) {
    const std::string name = r.name.empty() ? NodeLabel(shape) : r.name;
    const std::string place = name + "/" + std::to_string(count[name]++);
    cells.push_back(MakeCellWithin(r.box, std::move(r.surfaces), place));
    cells.back().node = r.node;
  }
  LinkNeighbours(cells, effort);
  return cells;
}

}  // namespace intervox::geometry
