#include "host/distance/cell_search.h"

#include <algorithm>

#include "geometry/grid/voxel_levels.h"
#include "geometry/make_surface.h"

namespace intervox::host::distance {
namespace {

using geometry::OrientedBox;

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

}  // namespace

CellSearch::CellSearch(const CellNode& a, const CellNode& b, const Pose& X_WA, const Pose& X_WB,
                       double lower, Nearest* nearest)
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

void CellSearch::SearchFrom(Vec3 x, Vec3 y, double least_gain, const Parts* parts) {
  // Points of grids are found where boxes are bounded, and so are those of convex cells.
  if (HasGrid() && (parts == nullptr || (IsConvex(0) && IsConvex(1)))) return;
  Vec3 n, beyond_x, beyond_y;
  double last = HUGE_VAL, last_way = 0.0, shortest = HUGE_VAL, farthest = kFarthest;
  int idle = 0;
  for (int k = 0; k < kMostSearches && idle < kMostIdle; ++k) {
    std::vector<Constraint> constraints;
    for (const int b : {0, 1}) {
      if (parts != nullptr && IsGrid(b)) {
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

void CellSearch::SearchFromWorld(const std::array<Vec3, 2>& start) {
  SearchFrom((start[0] - origin_) / length_, (start[1] - origin_) / length_, 0.0, nullptr);
}

bool CellSearch::Begin(Parts* parts) {
  for (const int b : {0, 1}) {
    if (cell_[b].bounded) continue;
    const Vec3 start = cell_[1 - b].box.X.p;
    SearchFrom(start, start, kGain, nullptr);
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

int CellSearch::Divide(const Parts& parts, std::array<Parts, 2>* halves) {
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
      grid.box = HalfOf(grid.box, axis, side > 0.0);
      if (!BoundPart(body, &part)) continue;
    } else {
      OrientedBox& box = part.box[body];
      box.half[axis] *= 0.5;
      box.X.p += (side * box.half[axis]) * box.X.R.Col(axis);
      if (!Contract({&cell_[body], 1}, &box)) continue;
    }
    if (Bound(&part)) (*halves)[static_cast<std::size_t>(count++)] = part;
  }
  return count;
}

void CellSearch::PlaceNode(int b, const Pose& X_WC) {
  const CellNode& node = *node_[b];
  if (node.cell->grid.field == nullptr) {
    cell_[b] = Place(*node.cell, X_WC, origin_, length_);
    return;
  }
  const Pose X_WG = X_WC * node.cell->grid.X_CG;
  grid_[b] = {node.cell->grid.field->View(),
              {X_WG.R, (X_WG.p - origin_) / length_},
              node.cell->grid.voxel_size / length_,
              node.nodes};
  cell_[b].box = grid_[b].BoxOf(node.nodes);
}

bool CellSearch::BoundPart(int b, Parts* parts) {
  GridBound& part = parts->grid[b];
  if (node_[b]->full) return true;
  const auto bound = BoundGrid(grid_[b].view, part.box);
  if (!bound) return false;
  part = *bound;
  parts->box[b] = grid_[b].BoxOf(part.box);
  return true;
}

void CellSearch::AddPlane(int b, const Parts& parts, std::vector<Constraint>* constraints) const {
  const GridBound& part = parts.grid[b];
  if (!(SquaredNorm(part.normal) > 0.0)) return;
  const Vec3 at = grid_[b].PointOf(part.middle + part.reach * part.normal);
  constraints->push_back({b, geometry::MakePlane(grid_[b].X.R * part.normal, at)});
}

double CellSearch::GapAlong(const Parts& parts, const Vec3& way) const {
  const double size = Norm(way);
  if (!(size > 0.0)) return 0.0;
  const Vec3 n = way / size;
  const double slack = kRounding * (Norm(parts.box[0].X.p) + Norm(parts.box[1].X.p) +
                                    Norm(parts.box[0].half) + Norm(parts.box[1].half));
  return LeastAlongPart(0, parts, n) + LeastAlongPart(1, parts, -n) - slack;
}

double CellSearch::LeastAlongPart(int b, const Parts& parts, const Vec3& n) const {
  if (!IsGrid(b)) {
    const OrientedBox& box = parts.box[b];
    return Dot(n, box.X.p) - Dot(Abs(TransposeTimes(box.X.R, n)), box.half);
  }
  const GridBound& part = parts.grid[b];
  return Dot(n, grid_[b].PointOf(part.middle)) +
         grid_[b].h * LeastAlong(part, TransposeTimes(grid_[b].X.R, n));
}

Vec3 CellSearch::GridSlack(int b, const Parts& parts, const Vec3* at) const {
  if (at != nullptr && !(OutsideOf(b, *at) > 0.0)) return {};
  return grid_[b].h * parts.grid[b].slack;
}

double CellSearch::OutsideOf(int b, const Vec3& x) const {
  if (!IsGrid(b)) return Outside(cell_[b], x);
  return node_[b]->full
             ? 0.0
             : grid_[b].h * geometry::EvaluateExactly(grid_[b].view, grid_[b].NodeOf(x)).value;
}

Vec3 CellSearch::Inside(int b, const Vec3& x) const {
  if (!IsGrid(b) || node_[b]->full) return x;
  return grid_[b].PointOf(IntoSolid(grid_[b], grid_[b].NodeOf(x)));
}

void CellSearch::Take(const Vec3& relaxed_x, const Vec3& relaxed_y, const Vec3& n) {
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

double CellSearch::DistanceToBox(int b) const {
  PlacedCell box;
  const OrientedBox& other = cell_[1 - b].box;
  std::vector<Constraint> constraints;
  Relax(box, other, 1, &constraints);
  LinearizeAt(cell_[b], other.X.p, 0, &constraints);
  const NearestPoints near = FindNearest(constraints, other.X.p, other.X.p, {}, HUGE_VAL);
  return Outside(cell_[b], near.x) <= kInside ? near.distance : HUGE_VAL;
}

bool CellSearch::Bound(Parts* parts) {
  if (HasGrid()) {
    const double gap = BoxGap(parts->box[0], parts->box[1], {});
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

}  // namespace intervox::host::distance
