#include "host/distance/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "cuda/device/executor.h"
#include "host/distance/cell_search.h"
#include "host/distance/cell_tree.h"

namespace intervox::host {
namespace {

using distance::CellNode;
using distance::CellSearch;
using distance::CellTree;
using distance::Parts;
using geometry::Cell;

/** Nearer than this, in sizes of the smaller solid, is touching. */
constexpr double kTouch = 1e-11;
/** Two posed solids: pairs of nodes of their trees and of parts of their cells, the nearest first.
 */
class SolidSearch {
 public:
  SolidSearch(const CellTree& a, const CellTree& b, const Pose& X_WA, const Pose& X_WB,
              const DistanceOptions& options, distance::Nearest* nearest)
      : tree_{&a, &b},
        X_W_{X_WA, X_WB},
        X_AB_{Transpose(X_WA.R) * X_WB.R, TransposeTimes(X_WA.R, X_WB.p - X_WA.p)},
        most_(options.most_boxes),
        nearest_(nearest) {}

  /** Finds the nearest points, and proves that none are nearer, within the boxes allowed. */
  void Run() {
    for (const int i : tree_[0]->roots) {
      for (const int j : tree_[1]->roots) Add(i, j, 0.0);
    }
    while (nearest_->distance > kTouch * nearest_->size) {
      const double of_nodes = nodes_.empty() ? HUGE_VAL : nodes_.top().lower;
      const double of_parts = parts_.empty() ? HUGE_VAL : parts_.top().lower;
      lower_ = std::fmin(of_nodes, of_parts);
      if (lower_ >= nearest_->Enough()) break;
      if (of_nodes <= of_parts) {
        OpenNodes();
      } else if (divided_ >= most_ || !OpenParts()) {
        break;
      }
    }
    lower_ = unproved_ ? 0.0 : std::fmax(0.0, std::fmin(lower_, nearest_->Enough()));
  }

  double Lower() const { return lower_; }
  int Boxes() const { return boxes_; }

 private:
  /** Ordered so that a priority queue gives the smallest bound first, and the latest of these. */
  struct NodePair {
    double lower;  ///< [m]
    int order, i, j;
    bool operator<(const NodePair& other) const {
      return lower != other.lower ? lower > other.lower : order < other.order;
    }
  };
  struct PartPair {
    double lower;  ///< [m]
    int order;
    CellSearch* search;
    Parts parts;
    bool operator<(const PartPair& other) const {
      return lower != other.lower ? lower > other.lower : order < other.order;
    }
  };

  const CellNode& Node(int body, int index) const {
    return tree_[body]->nodes[static_cast<std::size_t>(index)];
  }

  /** Adds a pair of nodes that may be near enough. */
  void Add(int i, int j, double lower) {
    lower = std::fmax(lower, distance::NodeGap(Node(0, i), Node(1, j), X_AB_));
    if (lower < nearest_->Enough()) nodes_.push({lower, order_++, i, j});
  }

  void AddParts(CellSearch* search, const Parts& parts) {
    parts_.push({search->Length() * parts.lower, order_++, search, parts});
  }

  /** Replaces the nearest pair of nodes by the children of the larger one, or by the cells. */
  void OpenNodes() {
    const NodePair pair = nodes_.top();
    nodes_.pop();
    const CellNode &a = Node(0, pair.i), &b = Node(1, pair.j);
    const bool inner_a = a.cell == nullptr, inner_b = b.cell == nullptr;
    if (inner_a && (!inner_b || RadiusOf(a) >= RadiusOf(b))) {
      Add(a.left, pair.j, pair.lower);
      Add(a.right, pair.j, pair.lower);
      return;
    }
    if (inner_b) {
      Add(pair.i, b.left, pair.lower);
      Add(pair.i, b.right, pair.lower);
      return;
    }
    auto search = std::make_unique<CellSearch>(a, b, X_W_[0], X_W_[1], pair.lower, nearest_);
    ++boxes_;
    Parts parts;
    if (!search->Begin(&parts)) {
      unproved_ = unproved_ || search->IsUnproved();
      return;
    }
    searches_.push_back(std::move(search));
    AddParts(searches_.back().get(), parts);
  }

  /** Divides the nearest parts. @returns false where rounding is all that is left */
  bool OpenParts() {
    const PartPair pair = parts_.top();
    std::array<Parts, 2> halves;
    const int count = pair.search->Divide(pair.parts, &halves);
    if (count < 0) return false;
    parts_.pop();
    boxes_ += 2;
    divided_ += 2;
    for (int k = 0; k < count; ++k) AddParts(pair.search, halves[static_cast<std::size_t>(k)]);
    return true;
  }

  const CellTree* tree_[2];
  Pose X_W_[2], X_AB_;
  int most_;
  distance::Nearest* nearest_;
  std::priority_queue<NodePair> nodes_;
  std::priority_queue<PartPair> parts_;
  std::vector<std::unique_ptr<CellSearch>> searches_;
  double lower_ = 0.0;
  int order_ = 0, boxes_ = 0, divided_ = 0;
  bool unproved_ = false;
};

Separation Refused(const char* reason) {
  Separation out;
  out.reason = reason;
  return out;
}

/** Why the distance of two solids is not measured; null: it is. */
const char* FaultOf(const CellTree& a, const CellTree& b) {
  bool free_a = false, free_b = false;
  for (const CellTree* tree : {&a, &b}) {
    for (const CellNode& node : tree->nodes) {
      if (node.cell == nullptr) continue;
      (tree == &a ? free_a : free_b) |= !node.cell->bounded;
    }
  }
  if (free_a && free_b) return "both solids are unbounded";
  if (a.nodes.empty() || b.nodes.empty()) return "a solid is empty";
  return nullptr;
}

bool HasGrid(const CellTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const CellNode& node) {
    return node.cell != nullptr && node.cell->grid.field != nullptr;
  });
}

/** Goes downhill from the options' start in each pair of cells. */
void SearchFromStart(const CellTree& a, const CellTree& b, const Pose& X_WA, const Pose& X_WB,
                     const DistanceOptions& options, distance::Nearest* nearest) {
  for (const CellNode& i : a.nodes) {
    for (const CellNode& j : b.nodes) {
      if (i.cell == nullptr || j.cell == nullptr) continue;
      CellSearch search(i, j, X_WA, X_WB, 0.0, nearest);
      search.SearchFromWorld(*options.start);
    }
  }
}

Separation Measure(const CellTree& a, const CellTree& b, const Pose& X_WA, const Pose& X_WB,
                   const DistanceOptions& options) {
  if (const char* fault = FaultOf(a, b)) return Refused(fault);
  distance::Nearest nearest;
  nearest.tolerance = options.tolerance;
  nearest.size = HUGE_VAL;
  for (const CellTree* tree : {&a, &b}) {
    if (tree->size > 0.0) nearest.size = std::fmin(nearest.size, tree->size);
  }
  if (!std::isfinite(nearest.size)) return Refused("a solid has no extent");
  Separation out;
  if (options.start && !HasGrid(a) && !HasGrid(b)) {
    SearchFromStart(a, b, X_WA, X_WB, options, &nearest);
  } else {
    SolidSearch search(a, b, X_WA, X_WB, options, &nearest);
    search.Run();
    out.lower = search.Lower();
    out.boxes = search.Boxes();
  }
  out.distance = nearest.distance;
  out.p_WA = nearest.p_WA;
  out.p_WB = nearest.p_WB;
  if (!std::isfinite(out.distance)) return Refused("no point was found in one of the solids");
  if (out.distance <= kTouch * nearest.size) {
    out.distance = 0.0;
    out.lower = 0.0;
  } else {
    out.n = nearest.n;
  }
  out.lower = std::fmin(out.lower, out.distance);
  const bool met = out.distance - out.lower <= 1.001 * nearest.Room();
  out.status = met ? Status::kOk : Status::kToleranceNotMet;
  if (!met) out.reason = "parts that may be nearer are left; allow more boxes";
  return out;
}

}  // namespace

Separation MeasureDistance(std::span<const Cell> a, std::span<const Cell> b, const Pose& X_WA,
                           const Pose& X_WB, const DistanceOptions& options) {
  return Measure(distance::MakeCellTree(a), distance::MakeCellTree(b), X_WA, X_WB, options);
}

void MeasureDistances(std::span<const Cell> a, std::span<const Cell> b, std::span<const Pose> X_WA,
                      std::span<const Pose> X_WB, const DistanceOptions& options, int threads,
                      std::span<Separation> separations) {
  const CellTree of_a = distance::MakeCellTree(a), of_b = distance::MakeCellTree(b);
  cuda::ForEach(separations.size(), 1, threads, [&](std::size_t i) {
    separations[i] = Measure(of_a, of_b, X_WA[i], X_WB[i], options);
  });
}

}  // namespace intervox::host
