#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>

#include "geometry/crowd.h"
#include "geometry/decompose.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"

#include "geometry/node.h"

namespace intervox::geometry {
namespace {

class Decomposer {
 public:
  explicit Decomposer(Effort* effort) : effort_(effort) {}

  /** The cells of a node in the frame of the tree's root; x_root = X (scale x_node). */
  std::vector<RawCell> Visit(const Shape& shape, const Pose& X, double scale,
                             const std::string& parent) {
    const int node = next_node_++;
    const std::string place = NodePlace(shape, parent);
    CheckNode(shape, place);
    const Pose X_node{X.R * shape.X.R, X.R * (scale * shape.X.p) + X.p};
    const double s = scale * shape.scale;
    if (shape.operation == Operation::kPrimitive) return Leaf(shape, X_node, s, place, node);
    std::vector<RawCell> cells = Visit(*shape.children.front(), X_node, s, place);
    for (std::size_t k = 1; k < shape.children.size(); ++k) {
      cells =
          Combine(shape.operation, std::move(cells), Visit(*shape.children[k], X_node, s, place));
    }
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

  void Append(std::vector<RawCell> pieces, std::vector<RawCell>* cells) {
    for (RawCell& piece : pieces) {
      for (RawCell& part : SplitCrowd(std::move(piece), effort_)) cells->push_back(std::move(part));
    }
  }

  /** Each cell on its own, and of `taken` only what its pieces' boxes meet. */
  std::vector<RawCell> Without(std::vector<RawCell> from, const std::vector<RawCell>& taken) {
    std::vector<RawCell> left;
    for (RawCell& cell : from) {
      std::vector<RawCell> pieces;
      pieces.push_back(std::move(cell));
      for (const RawCell& T : taken) {
        const bool near = std::any_of(pieces.begin(), pieces.end(),
                                      [&](const RawCell& A) { return Overlap(A.box, T.box); });
        if (!near) continue;
        std::vector<RawCell> rest;
        for (const RawCell& A : pieces) Append(Subtract(A, T, effort_), &rest);
        pieces = std::move(rest);
      }
      std::move(pieces.begin(), pieces.end(), std::back_inserter(left));
    }
    return left;
  }

  std::vector<RawCell> Combine(Operation operation, std::vector<RawCell> a,
                               std::vector<RawCell> b) {
    switch (operation) {
      case Operation::kUnion:
        for (RawCell& cell : Without(std::move(b), a)) a.push_back(std::move(cell));
        return a;
      case Operation::kDifference:
        return Without(std::move(a), b);
      default: {
        std::vector<RawCell> common;
        for (const RawCell& A : a) {
          for (const RawCell& B : b) Append(Intersect(A, B, effort_), &common);
        }
        return common;
      }
    }
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
  const std::vector<RawCell> raw = Decomposer(effort).Visit(shape, Pose::Identity(), 1.0, "");
  std::map<std::string, int> count;
  std::vector<Cell> cells;
  for (const RawCell& r : raw) {
    const std::string name = r.name.empty() ? NodeLabel(shape) : r.name;
    const std::string place = name + "/" + std::to_string(count[name]++);
    cells.push_back(MakeCellWithin(r.box, r.surfaces, place));
    cells.back().node = r.node;
  }
  LinkNeighbours(cells);
  return cells;
}

}  // namespace intervox::geometry
