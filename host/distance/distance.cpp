#include "host/distance/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <vector>

#include "cuda/device/executor.h"
#include "host/distance/relaxation.h"

namespace intervox::host {
namespace {

using distance::Constraint;
using distance::FindNearest;
using distance::NearestPoints;
using distance::PlacedCell;
using distance::Reach;
using geometry::Cell;
using geometry::OrientedBox;

/** Nearer than this, in sizes of the smaller solid, is touching. */
constexpr double kTouch = 1e-11;
/** A point is in a cell up to this level. */
constexpr double kInside = 1e-10;
/** Steps of a local search, and how far its last one may lead. */
constexpr int kMostSearches = 40;
constexpr double kStill = 1e-13;
/** A local search starts from each of the first boxes, and from every so many later on. */
constexpr int kFirstBoxes = 16, kSearchEvery = 16;

/** A pair of boxes that hold parts of two cells. */
struct BoxPair {
  double lower = 0.0;  ///< of the parts' distance
  OrientedBox box[2];
  Vec3 x[2];  ///< nearest points of the relaxed parts

  /** Ordered so that a priority queue gives the smallest bound first. */
  bool operator<(const BoxPair& other) const { return lower > other.lower; }
};

/** Two placed cells and what is known of their distance; lengths are in sizes of the smaller. */
class CellSearch {
 public:
  CellSearch(PlacedCell a, PlacedCell b, double tolerance, int most)
      : cell_{std::move(a), std::move(b)}, tolerance_(tolerance), most_(most) {
    for (const int i : {0, 1}) {
      if (cell_[i].bounded) reach_[i] = {cell_[i].box.X.p, Norm(cell_[i].box.half)};
    }
  }

  /** Goes downhill: nearest points of the parts that are convex next to the last ones. What is
   known of their reach ends each search as soon as it is proved. */
  void SearchFrom(Vec3 x, Vec3 y) {
    for (int k = 0; k < kMostSearches; ++k) {
      std::vector<Constraint> constraints;
      LinearizeAt(cell_[0], x, 0, &constraints);
      LinearizeAt(cell_[1], y, 1, &constraints);
      const NearestPoints next = FindNearest(constraints, x, y, reach_, HUGE_VAL);
      if (!std::isfinite(next.distance)) return;
      const double way = Norm(next.x - x) + Norm(next.y - y);
      x = next.x;
      y = next.y;
      if (way < kStill || (IsConvex(0) && IsConvex(1))) break;
    }
    Take(x, y);
  }

  /** Finds the nearest points, or proves that none are nearer than `enough`. */
  void Run(double enough) {
    upper_ = enough;
    Vec3 start[2];
    for (const int b : {0, 1}) start[b] = cell_[cell_[b].bounded ? b : 1 - b].box.X.p;
    SearchFrom(start[0], start[1]);
    for (const int b : {0, 1}) {
      if (cell_[b].bounded) continue;
      // What is farther from the other solid than some point of this one is not nearest.
      const Reach& other = reach_[1 - b];
      const double radius = 3 * other.radius + DistanceToBox(b);
      if (!std::isfinite(radius)) return;
      reach_[b] = {other.center, radius};
      cell_[b].box = {{Mat3::Identity(), other.center}, {radius, radius, radius}};
    }
    Divide();
  }

  bool Found() const { return found_; }
  double Upper() const { return upper_; }
  double Lower() const { return lower_; }
  int Boxes() const { return boxes_; }
  const Vec3& Witness(int body) const { return witness_[body]; }
  /** How near the bound must come. */
  double Room() const {
    return tolerance_ * (std::isfinite(upper_) ? std::fmax(1.0, upper_) : 1.0);
  }

 private:
  bool IsConvex(int b) const { return cell_[b].others.empty(); }

  /** Takes the points where they lie in their cells and are nearer than all before. */
  void Take(const Vec3& x, const Vec3& y) {
    const double distance = Norm(x - y);
    if (!(distance < upper_)) return;
    if (distance::Outside(cell_[0], x) > kInside || distance::Outside(cell_[1], y) > kInside)
      return;
    upper_ = distance;
    witness_[0] = x;
    witness_[1] = y;
    found_ = true;
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
  bool Bound(BoxPair* pair) {
    ++boxes_;
    std::vector<Constraint> constraints;
    for (const int b : {0, 1}) {
      if (!Relax(cell_[b], pair->box[b], b, &constraints)) return false;
    }
    std::array<Reach, 2> reach;
    for (const int b : {0, 1}) reach[b] = {pair->box[b].X.p, Norm(pair->box[b].half)};
    const NearestPoints near =
        FindNearest(constraints, pair->box[0].X.p, pair->box[1].X.p, reach, upper_);
    pair->lower = std::fmax(pair->lower, near.lower);
    pair->x[0] = near.x;
    pair->x[1] = near.y;
    Take(near.x, near.y);
    return pair->lower < upper_ - Room();
  }

  /** Divides boxes, the nearest first, until no part is nearer than what was found. */
  void Divide() {
    std::priority_queue<BoxPair> queue;
    BoxPair root;
    for (const int b : {0, 1}) root.box[b] = cell_[b].box;
    if (Bound(&root)) queue.push(root);
    while (!queue.empty() && upper_ > kTouch && boxes_ < most_) {
      const BoxPair pair = queue.top();
      if (pair.lower >= upper_ - Room()) break;
      queue.pop();
      if (boxes_ < kFirstBoxes || boxes_ % kSearchEvery == 0) SearchFrom(pair.x[0], pair.x[1]);
      int body = -1, axis = 0;
      double most = 0.0;
      for (const int b : {0, 1}) {
        const Vec3 slack = Slack(cell_[b], pair.box[b]);
        for (int i = 0; i < 3; ++i) {
          if (slack[i] <= most) continue;
          most = slack[i];
          body = b;
          axis = i;
        }
      }
      if (body < 0) {  // nothing is given away: rounding is all that is left
        queue.push(pair);
        break;
      }
      for (const double side : {-1.0, 1.0}) {
        BoxPair part = pair;
        OrientedBox& box = part.box[body];
        box.half[axis] *= 0.5;
        box.X.p += (side * box.half[axis]) * box.X.R.Col(axis);
        if (Bound(&part)) queue.push(part);
      }
    }
    lower_ = std::fmax(0.0, upper_ - Room());
    if (!queue.empty()) lower_ = std::fmin(lower_, queue.top().lower);
  }

  PlacedCell cell_[2];
  double tolerance_;
  int most_;
  std::array<Reach, 2> reach_;
  double upper_ = HUGE_VAL, lower_ = 0.0;
  Vec3 witness_[2];
  bool found_ = false;
  int boxes_ = 0;
};

/** A pair of cells, and how far their bounds are apart. */
struct CellPair {
  const Cell* a;
  const Cell* b;
  double lower;
};

double RadiusOf(const Cell& cell) { return Norm(cell.bounds.half); }

double BoundsDistance(const Cell& a, const Cell& b, const Pose& X_WA, const Pose& X_WB) {
  if (!a.bounded || !b.bounded) return 0.0;
  const double way = Norm(X_WA * a.bounds.X.p - X_WB * b.bounds.X.p);
  return std::fmax(0.0, way - RadiusOf(a) - RadiusOf(b));
}

Separation Refused(const char* reason) {
  Separation out;
  out.reason = reason;
  return out;
}

}  // namespace

Separation MeasureDistance(std::span<const Cell> a, std::span<const Cell> b, const Pose& X_WA,
                           const Pose& X_WB, const DistanceOptions& options) {
  std::vector<CellPair> pairs;
  double size = HUGE_VAL;
  Vec3 origin;
  for (const Cell& p : a) {
    for (const Cell& q : b) {
      if (p.grid.field || q.grid.field) return Refused("distances to grids are not measured");
      if (!p.bounded && !q.bounded) return Refused("both solids are unbounded");
      pairs.push_back({&p, &q, BoundsDistance(p, q, X_WA, X_WB)});
    }
  }
  if (pairs.empty()) return Refused("a solid is empty");
  for (const CellPair& pair : pairs) {
    if (pair.a->bounded && RadiusOf(*pair.a) < size) {
      size = RadiusOf(*pair.a);
      origin = X_WA * pair.a->bounds.X.p;
    }
    if (pair.b->bounded && RadiusOf(*pair.b) < size) {
      size = RadiusOf(*pair.b);
      origin = X_WB * pair.b->bounds.X.p;
    }
  }
  if (!(size > 0.0)) return Refused("a solid has no extent");
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const CellPair& p, const CellPair& q) { return p.lower < q.lower; });
  Separation out;
  out.distance = HUGE_VAL;
  out.lower = HUGE_VAL;
  for (const CellPair& pair : pairs) {
    if (pair.lower >= out.distance) break;
    const double length = std::fmax(size, pair.lower);
    CellSearch search(distance::Place(*pair.a, X_WA, origin, length),
                      distance::Place(*pair.b, X_WB, origin, length), options.tolerance,
                      options.most_boxes - out.boxes);
    if (options.start) {
      const auto& [p_WA, p_WB] = *options.start;
      search.SearchFrom((p_WA - origin) / length, (p_WB - origin) / length);
    } else {
      search.Run(out.distance / length);
    }
    out.boxes += search.Boxes();
    out.lower = std::fmin(out.lower, length * search.Lower());
    if (!search.Found()) continue;
    out.distance = length * search.Upper();
    out.p_WA = length * search.Witness(0) + origin;
    out.p_WB = length * search.Witness(1) + origin;
  }
  if (!std::isfinite(out.distance)) return Refused("no point was found in one of the solids");
  if (out.distance <= kTouch * size) {
    out.distance = 0.0;
    out.lower = 0.0;
  } else {
    out.n = (out.p_WA - out.p_WB) / Norm(out.p_WA - out.p_WB);
  }
  out.lower = std::fmin(out.lower, out.distance);
  const double room = options.tolerance * std::fmax(size, out.distance);
  const bool met = out.distance - out.lower <= 1.001 * room;
  out.status = met ? Status::kOk : Status::kToleranceNotMet;
  if (!met) out.reason = "parts that may be nearer are left; allow more boxes";
  return out;
}

void MeasureDistances(std::span<const Cell> a, std::span<const Cell> b, std::span<const Pose> X_WA,
                      std::span<const Pose> X_WB, const DistanceOptions& options, int threads,
                      std::span<Separation> separations) {
  cuda::ParallelFor(static_cast<int>(separations.size()), 1, threads, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const auto i = static_cast<std::size_t>(k);
      separations[i] = MeasureDistance(a, b, X_WA[i], X_WB[i], options);
    }
  });
}

}  // namespace intervox::host
