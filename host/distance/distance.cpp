#include "host/distance/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "cuda/device/executor.h"
#include "geometry/grid/voxel_levels.h"
#include "geometry/make_surface.h"
#include "host/distance/cell_tree.h"
#include "host/distance/grid_box.h"
#include "host/distance/relaxation.h"

namespace intervox::host {
namespace {

using distance::CellNode;
using distance::CellTree;
using distance::Constraint;
using distance::FindNearest;
using distance::GridBound;
using distance::NearestPoints;
using distance::PlacedCell;
using distance::PlacedGrid;
using distance::Reach;
using geometry::Cell;
using geometry::OrientedBox;

/** Nearer than this, in sizes of the smaller solid, is touching. */
constexpr double kTouch = 1e-11;
/** A point is in a cell up to this level. */
constexpr double kInside = 1e-10;
/** Rounding of a gap along a direction, relative to the coordinates that it is a difference of. */
constexpr double kRounding = 1e-14;
/** Steps of a local search, how far its last one may lead, and what it may still gain. */
constexpr int kMostSearches = 40, kMostIdle = 3;
constexpr double kStill = 1e-13, kGain = 1e-13;
/** Distance at which solids touch but for rounding. */
constexpr double kTouching = 1e-12;
/** Rounding of a distance, the ratio of ways from which on they are slow, and how many of them are
 * gone at once at most. */
constexpr double kStandstill = 1e-15, kSlow = 0.5, kFarthest = 32.0;
/** A local search starts from each of the first boxes of two cells, and from every so many later
 on. */
constexpr int kFirstBoxes = 4, kSearchEvery = 16;

/** The nearest points found so far, in the world. */
struct Nearest {
  double distance = HUGE_VAL;  ///< [m]
  Vec3 p_WA, p_WB, n;
  double size = 0.0;       ///< of the smaller solid [m]
  double tolerance = 0.0;  ///< of the options

  /** How near a proof must come [m]. */
  double Room() const {
    return tolerance * (std::isfinite(distance) ? std::fmax(size, distance) : size);
  }
  /** What is not nearer than this needs no look [m]. */
  double Enough() const { return distance - Room(); }
};

/** A pair of boxes that hold parts of two cells, in the lengths of their search. */
struct Parts {
  double lower = 0.0;  ///< of their distance
  OrientedBox box[2];
  GridBound grid[2];  ///< of a grid
  Vec3 x[2];          ///< nearest points of the relaxed parts
};

/** Two placed cells; lengths are in sizes of the smaller, or in distances where these are more. */
class CellSearch {
 public:
  /** @param lower  of the cells' distance [m] */
  CellSearch(const CellNode& a, const CellNode& b, const Pose& X_WA, const Pose& X_WB, double lower,
             Nearest* nearest)
      : nearest_(nearest), node_{&a, &b} {
    const double of_a = RadiusOf(a), of_b = RadiusOf(b);
    origin_ = of_a <= of_b ? X_WA * a.box.X.p : X_WB * b.box.X.p;
    length_ = std::fmax(std::fmin(of_a, of_b), lower);
    PlaceNode(0, X_WA);
    PlaceNode(1, X_WB);
    for (const int i : {0, 1}) {
      if (cell_[i].bounded) reach_[i] = {cell_[i].box.X.p, Norm(cell_[i].box.half)};
    }
  }

  /** Goes downhill: nearest points of the parts that are convex next to the last ones. What is
   known of their reach ends each search as soon as it is proved. */
  void SearchFrom(Vec3 x, Vec3 y, double least_gain = kGain, const Parts* parts = nullptr) {
    // Points of grids are found where boxes are bounded, and so are those of convex cells.
    if (HasGrid() && (parts == nullptr || (IsConvex(0) && IsConvex(1)))) return;
    Vec3 n, beyond_x, beyond_y;
    double last = HUGE_VAL, last_way = 0.0, shortest = HUGE_VAL, farthest = kFarthest;
    int idle = 0;
    for (int k = 0; k < kMostSearches && idle < kMostIdle; ++k) {
      std::vector<Constraint> constraints;
      for (const int b : {0, 1}) {
        if (IsGrid(b)) {
          Relax(cell_[b], parts->box[b], b, &constraints);
          AddPlane(b, *parts, &constraints);
        } else {
          LinearizeAt(cell_[b], b == 0 ? x + beyond_x : y + beyond_y, b, &constraints);
        }
      }
      const NearestPoints next = FindNearest(constraints, x, y, reach_, HUGE_VAL);
      if (!std::isfinite(next.distance)) return;
      const bool is_beyond = SquaredNorm(beyond_x) + SquaredNorm(beyond_y) > 0.0;
      if (is_beyond && next.distance > last + kStandstill) {
        beyond_x = beyond_y = {};
        farthest *= 0.25;
        continue;
      }
      if (is_beyond) farthest *= 4.0;
      const Vec3 by_x = next.x - x, by_y = next.y - y;
      const double way = Norm(by_x) + Norm(by_y), gain = std::fabs(next.distance - last);
      // Where points may slide along each other, rounding alone moves them on.
      idle = next.distance < last || way < 0.5 * shortest ? 0 : idle + 1;
      shortest = std::fmin(shortest, way);
      // Ways that shrink by a ratio have their limit where a geometric series has it: planes that
      // touch there lead on at once.
      const double ratio = last_way > 0.0 ? way / last_way : 0.0;
      const double share = ratio < 1.0 ? std::fmin(ratio / (1.0 - ratio), farthest) : farthest;
      const bool is_slow = ratio > kSlow;
      beyond_x = is_slow ? share * by_x : Vec3{};
      beyond_y = is_slow ? share * by_y : Vec3{};
      last_way = is_beyond || is_slow ? 0.0 : way;
      x = next.x;
      y = next.y;
      n = next.n;
      last = next.distance;
      if (last < kTouching) break;  // nothing is nearer
      if (way < kStill || gain < least_gain * (1.0 + last) || (IsConvex(0) && IsConvex(1))) break;
      // What falls by less and less does not get below the nearest points known.
      if (k > 0 && length_ * (last - 2.0 * gain) > nearest_->distance) return;
    }
    Take(x, y, n);
  }

  /** The same from points of the world until the points stand still: the distance is at rest long
   before the direction is. */
  void SearchFromWorld(const std::array<Vec3, 2>& start) {
    SearchFrom((start[0] - origin_) / length_, (start[1] - origin_) / length_, 0.0);
  }

  /** Bounds the cells' distance. @returns false where they are not near enough */
  bool Begin(Parts* parts) {
    for (const int b : {0, 1}) {
      if (cell_[b].bounded) continue;
      const Vec3 start = cell_[1 - b].box.X.p;
      SearchFrom(start, start);
      // What is farther from the other solid than some point of this one is not nearest.
      const Reach& other = reach_[1 - b];
      const double radius = 3 * other.radius + DistanceToBox(b);
      if (!std::isfinite(radius)) {
        unproved_ = true;
        return false;
      }
      reach_[b] = {other.center, radius};
      cell_[b].box = {{Mat3::Identity(), other.center}, {radius, radius, radius}};
    }
    for (const int b : {0, 1}) {
      parts->box[b] = cell_[b].box;
      if (IsGrid(b)) parts->grid[b].box = grid_[b].most;
      if (IsGrid(b) && !BoundPart(b, parts)) return false;
    }
    return Bound(parts);
  }

  /** Halves the box that gives most away where points lie outside of their cell. @returns how many
   parts may be near enough; −1: nothing is given away, and rounding is all that is left */
  int Divide(const Parts& parts, std::array<Parts, 2>* halves) {
    if (divided_ < kFirstBoxes || divided_ % kSearchEvery == 0) {
      SearchFrom(parts.x[0], parts.x[1], kGain, &parts);
    }
    ++divided_;
    int body = -1, axis = 0;
    for (const bool all : {false, true}) {
      double most = 0.0;
      for (const int b : {0, 1}) {
        const Vec3* at = all ? nullptr : &parts.x[b];
        const Vec3 slack = IsGrid(b) ? GridSlack(b, parts, at) : Slack(cell_[b], parts.box[b], at);
        for (int i = 0; i < 3; ++i) {
          if (slack[i] <= most) continue;
          most = slack[i];
          body = b;
          axis = i;
        }
      }
      if (body >= 0) break;
    }
    if (body < 0) return -1;
    int count = 0;
    for (const double side : {-1.0, 1.0}) {
      Parts part = parts;
      if (IsGrid(body)) {
        GridBound& grid = part.grid[body];
        grid.box = distance::HalfOf(grid.box, axis, side > 0.0);
        if (!BoundPart(body, &part)) continue;
      } else {
        OrientedBox& box = part.box[body];
        box.half[axis] *= 0.5;
        box.X.p += (side * box.half[axis]) * box.X.R.Col(axis);
      }
      if (Bound(&part)) (*halves)[static_cast<std::size_t>(count++)] = part;
    }
    return count;
  }

  double Length() const { return length_; }
  /** Whether no box is known that holds the nearest points of an unbounded cell. */
  bool IsUnproved() const { return unproved_; }

 private:
  bool IsConvex(int b) const { return cell_[b].others.empty(); }
  bool IsGrid(int b) const { return grid_[b].h > 0.0; }
  bool HasGrid() const { return IsGrid(0) || IsGrid(1); }

  /** Places a body's cell, or a grid's leaf. */
  void PlaceNode(int b, const Pose& X_WC) {
    const CellNode& node = *node_[b];
    if (node.cell->grid.field == nullptr) {
      cell_[b] = distance::Place(*node.cell, X_WC, origin_, length_);
      return;
    }
    const Pose X_WG = X_WC * node.cell->grid.X_CG;
    grid_[b] = {node.cell->grid.field->View(),
                {X_WG.R, (X_WG.p - origin_) / length_},
                node.cell->grid.voxel_size / length_,
                node.nodes};
    cell_[b].box = grid_[b].BoxOf(node.nodes);
  }

  /** Bounds a grid's part, and shrinks its box to it. @returns false where there is none */
  bool BoundPart(int b, Parts* parts) {
    GridBound& part = parts->grid[b];
    if (node_[b]->full) return true;
    const auto bound = distance::BoundGrid(grid_[b].view, part.box);
    if (!bound) return false;
    part = *bound;
    parts->box[b] = grid_[b].BoxOf(part.box);
    return true;
  }

  /** Appends the plane that bounds a grid's part, where there is one. */
  void AddPlane(int b, const Parts& parts, std::vector<Constraint>* constraints) const {
    const GridBound& part = parts.grid[b];
    if (!(SquaredNorm(part.normal) > 0.0)) return;
    const Vec3 at = grid_[b].PointOf(part.middle + part.reach * part.normal);
    constraints->push_back({b, geometry::MakePlane(grid_[b].X.R * part.normal, at)});
  }

  /** How far the parts are apart along a direction at least. */
  double GapAlong(const Parts& parts, const Vec3& way) const {
    const double size = Norm(way);
    if (!(size > 0.0)) return 0.0;
    const Vec3 n = way / size;
    const double slack = kRounding * (Norm(parts.box[0].X.p) + Norm(parts.box[1].X.p) +
                                      Norm(parts.box[0].half) + Norm(parts.box[1].half));
    return LeastAlongPart(0, parts, n) + LeastAlongPart(1, parts, -n) - slack;
  }

  /** A lower bound of n · x on a body's part. */
  double LeastAlongPart(int b, const Parts& parts, const Vec3& n) const {
    if (!IsGrid(b)) {
      const OrientedBox& box = parts.box[b];
      return Dot(n, box.X.p) - Dot(Abs(TransposeTimes(box.X.R, n)), box.half);
    }
    const GridBound& part = parts.grid[b];
    return Dot(n, grid_[b].PointOf(part.middle)) +
           grid_[b].h * LeastAlong(part, TransposeTimes(grid_[b].X.R, n));
  }

  /** What Slack is for a grid. */
  Vec3 GridSlack(int b, const Parts& parts, const Vec3* at) const {
    if (at != nullptr && !(OutsideOf(b, *at) > 0.0)) return {};
    return grid_[b].h * parts.grid[b].slack;
  }

  /** How far a point is outside of a body's cell. */
  double OutsideOf(int b, const Vec3& x) const {
    if (!IsGrid(b)) return distance::Outside(cell_[b], x);
    return node_[b]->full
               ? 0.0
               : grid_[b].h * geometry::EvaluateExactly(grid_[b].view, grid_[b].NodeOf(x)).value;
  }

  /** The point itself, or one of a grid's solid next to it. */
  Vec3 Inside(int b, const Vec3& x) const {
    if (!IsGrid(b) || node_[b]->full) return x;
    return grid_[b].PointOf(IntoSolid(grid_[b], grid_[b].NodeOf(x)));
  }

  /** Takes the points where they lie in their cells and are nearer than all before. */
  void Take(const Vec3& relaxed_x, const Vec3& relaxed_y, const Vec3& n) {
    if (!(length_ * Norm(relaxed_x - relaxed_y) < nearest_->distance)) return;
    const Vec3 x = Inside(0, relaxed_x), y = Inside(1, relaxed_y);
    const double way = length_ * Norm(x - y);
    if (!(way < nearest_->distance)) return;
    if (OutsideOf(0, x) > kInside || OutsideOf(1, y) > kInside) return;
    nearest_->distance = way;
    nearest_->p_WA = length_ * x + origin_;
    nearest_->p_WB = length_ * y + origin_;
    // Points of grids are those of their solids, which n is not of.
    nearest_->n = HasGrid() && way > 0.0 ? (length_ / way) * (x - y) : n;
  }

  /** The distance of an unbounded cell from the other one's box; infinite where none was found. */
  double DistanceToBox(int b) const {
    PlacedCell box;
    const OrientedBox& other = cell_[1 - b].box;
    std::vector<Constraint> constraints;
    Relax(box, other, 1, &constraints);
    LinearizeAt(cell_[b], other.X.p, 0, &constraints);
    const NearestPoints near = FindNearest(constraints, other.X.p, other.X.p, {}, HUGE_VAL);
    return distance::Outside(cell_[b], near.x) <= kInside ? near.distance : HUGE_VAL;
  }

  /** Bounds the distance of the parts in the boxes. @returns false where there are none near
   * enough. */
  bool Bound(Parts* parts) {
    if (HasGrid()) {
      const double gap = distance::BoxGap(parts->box[0], parts->box[1], {});
      const double enough = nearest_->Enough() / length_;
      if (gap >= enough) return false;
      for (const Vec3& way : {parts->x[0] - parts->x[1], nearest_->p_WA - nearest_->p_WB}) {
        if (GapAlong(*parts, way) >= enough) return false;
      }
    }
    std::vector<Constraint> constraints;
    for (const int b : {0, 1}) {
      if (!Relax(cell_[b], parts->box[b], b, &constraints)) return false;
      AddPlane(b, *parts, &constraints);
    }
    std::array<Reach, 2> reach;
    for (const int b : {0, 1}) reach[b] = {parts->box[b].X.p, Norm(parts->box[b].half)};
    const NearestPoints near = FindNearest(constraints, parts->box[0].X.p, parts->box[1].X.p, reach,
                                           nearest_->Enough() / length_);
    parts->lower = std::fmax(parts->lower, near.lower);
    parts->x[0] = near.x;
    parts->x[1] = near.y;
    Take(near.x, near.y, near.n);
    return length_ * parts->lower < nearest_->Enough();
  }

  Nearest* nearest_;
  const CellNode* node_[2];
  PlacedCell cell_[2];  ///< of a grid: no surfaces
  PlacedGrid grid_[2];
  Vec3 origin_;
  double length_ = 1.0;
  std::array<Reach, 2> reach_;
  int divided_ = 0;
  bool unproved_ = false;
};

/** Two posed solids: pairs of nodes of their trees and of parts of their cells, the nearest first.
 */
class SolidSearch {
 public:
  SolidSearch(const CellTree& a, const CellTree& b, const Pose& X_WA, const Pose& X_WB,
              const DistanceOptions& options, Nearest* nearest)
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
  Nearest* nearest_;
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
                     const DistanceOptions& options, Nearest* nearest) {
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
  Nearest nearest;
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
  cuda::ParallelFor(static_cast<int>(separations.size()), 1, threads, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      separations[i] = Measure(of_a, of_b, X_WA[i], X_WB[i], options);
    }
  });
}

}  // namespace intervox::host
