#include "host/scene/shape_metrics.h"

#include <algorithm>

#include "geometry/shape.h"

namespace intervox::host {
namespace {

/** Larger is worse. */
int Severity(Status status) {
  switch (status) {
    case Status::kDisjoint:
      return 0;
    case Status::kOk:
      return 1;
    case Status::kToleranceNotMet:
      return 2;
    case Status::kUnbounded:
      return 3;
    case Status::kInvalid:
      return 4;
  }
  return 4;
}

bool HasVolume(const InterferenceMetrics& part) {
  return (part.status == Status::kOk || part.status == Status::kToleranceNotMet) && part.volume > 0;
}

/** ∫((ρ·ρ)I − ρρᵀ)dV of a point of volume V at ρ. */
Mat3 PointInertia(double V, const Vec3& rho) {
  return V * (SquaredNorm(rho) * Mat3::Identity() - Outer(rho, rho));
}

std::string Reason(Status status, LeafRule rule, const std::string& where) {
  switch (status) {
    case Status::kToleranceNotMet:
      return where + ": the tolerance is not met within the budget" +
             (rule == LeafRule::kAuto ? ". Raise it"
                                      : "; the leaf rule may not fit these shapes. Try 'auto'");
    case Status::kUnbounded:
      return where + ": the overlap is infinite";
    case Status::kInvalid:
      return where + ": a pose is not finite, or a cell is malformed or has too many faces";
    default:
      return "";
  }
}

ShapeMetrics Measure(const Engine& engine, const std::vector<PairQuery>& queries,
                     double tolerance) {
  const std::vector<InterferenceMetrics> parts = engine.Compute(queries);
  ShapeMetrics out;
  out.sum = SumOfParts(parts, tolerance);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.pairs += HasVolume(parts[i]) ? 1 : 0;
    if (out.reason.empty() && parts[i].status == out.sum.status) {
      out.reason = Reason(out.sum.status, queries[i].rule,
                          "cells '" + queries[i].a->name + "' and '" + queries[i].b->name + "'");
    }
  }
  return out;
}

}  // namespace

std::string StatusName(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kDisjoint:
      return "disjoint";
    case Status::kToleranceNotMet:
      return "tolerance_not_met";
    case Status::kUnbounded:
      return "unbounded";
    case Status::kInvalid:
      return "invalid";
  }
  return "invalid";
}

InterferenceMetrics SumOfParts(std::span<const InterferenceMetrics> parts, double tolerance) {
  InterferenceMetrics sum;
  const InterferenceMetrics* only = nullptr;
  int with_volume = 0;
  for (const InterferenceMetrics& part : parts) {
    if (Severity(part.status) > Severity(sum.status)) sum.status = part.status;
    sum.work += part.work;
    sum.volume += part.volume;
    sum.volume_lo += part.volume_lo;
    sum.volume_hi += part.volume_hi;
    sum.volume_error += part.volume_error;
    if (!HasVolume(part)) continue;
    ++with_volume;
    if (only == nullptr) only = &part;
  }
  if (only == nullptr) return sum;
  // A sliver that misses its own tolerance may weigh nothing in the sum.
  if (sum.status == Status::kToleranceNotMet && sum.volume_error <= tolerance * sum.volume) {
    sum.status = Status::kOk;
  }
  sum.rule = only->rule;
  if (with_volume == 1) {
    sum.p_WC = only->p_WC;
    sum.J_W = only->J_W;
    sum.area_vector = only->area_vector;
    sum.area_moment = only->area_moment;
    sum.contained = only->contained;
    return sum;
  }
  const Vec3 origin = only->p_WC;
  Vec3 first;
  for (const InterferenceMetrics& part : parts) {
    if (!HasVolume(part)) continue;
    first += part.volume * (part.p_WC - origin);
    sum.area_vector += part.area_vector;
    if (part.rule != sum.rule) sum.rule = LeafRule::kAuto;
  }
  const Vec3 centroid = first / sum.volume;
  sum.p_WC = origin + centroid;
  for (const InterferenceMetrics& part : parts) {
    if (!HasVolume(part)) continue;
    const Vec3 arm = (part.p_WC - origin) - centroid;
    sum.J_W = sum.J_W + part.J_W + PointInertia(part.volume, arm);
    sum.area_moment += part.area_moment + Cross(arm, part.area_vector);
  }
  return sum;
}

ShapeMetrics MeasurePair(const Engine& engine, std::span<const geometry::Cell> a,
                         std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                         const MeasureOptions& options) {
  std::vector<PairQuery> queries;
  queries.reserve(a.size() * b.size());
  for (const geometry::Cell& cell_a : a) {
    for (const geometry::Cell& cell_b : b) {
      queries.push_back(
          {&cell_a, &cell_b, X_WA, X_WB, options.tolerance, options.voxel_size, options.rule});
    }
  }
  return Measure(engine, queries, options.tolerance);
}

ShapeMetrics MeasureSolid(const Engine& engine, std::span<const geometry::Cell> cells,
                          const MeasureOptions& options) {
  // Each cell against a box that contains it with room to spare: none of the box's faces counts.
  std::vector<geometry::Cell> boxes;
  boxes.reserve(cells.size());
  std::vector<PairQuery> queries;
  for (const geometry::Cell& cell : cells) {
    if (!cell.bounded) {
      ShapeMetrics out;
      out.sum.status = Status::kUnbounded;
      out.reason = "cell '" + cell.name + "' is infinite";
      return out;
    }
    geometry::Shape box;
    const Vec3 h = cell.bounds.half;
    const double reach = 4 * std::max({h.x, h.y, h.z});
    box.name = "around " + cell.name;
    box.primitive = geometry::Box{{reach, reach, reach}};
    boxes.push_back(geometry::ToCells(box).front());
    queries.push_back({&cell, &boxes.back(), Pose{}, cell.bounds.X, options.tolerance,
                       options.voxel_size, options.rule});
  }
  return Measure(engine, queries, options.tolerance);
}

}  // namespace intervox::host
