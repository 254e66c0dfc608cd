#include "host/scene/shape_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/grid/grid_cells.h"
#include "geometry/shape.h"
#include "host/scene/grids.h"

namespace intervox::host {
namespace {

/** Queries given to the engine at once; bounds the memory. */
constexpr std::size_t kQueriesAtOnce = 65536;

bool HasVolume(const InterferenceMetrics& part) {
  return (part.status == Status::kOk || part.status == Status::kToleranceNotMet) && part.volume > 0;
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

ShapeMetrics Summed(std::span<const PairQuery> queries, std::span<const InterferenceMetrics> parts,
                    double tolerance) {
  ShapeMetrics out;
  out.sum = SumOfParts(parts, tolerance);
  const bool is_fine = out.sum.status == Status::kOk || out.sum.status == Status::kDisjoint;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.pairs += HasVolume(parts[i]) ? 1 : 0;
    if (!is_fine && out.reason.empty() && parts[i].status == out.sum.status) {
      out.reason = Reason(out.sum.status, queries[i].rule,
                          "cells '" + queries[i].a->name + "' and '" + queries[i].b->name + "'");
    }
  }
  return out;
}

ShapeMetrics Measure(const Engine& engine, const std::vector<PairQuery>& queries,
                     double tolerance) {
  return Summed(queries, engine.Compute(queries), tolerance);
}

/** One query for each pair of cells. */
void AddQueries(std::span<const geometry::Cell> a, std::span<const geometry::Cell> b,
                const Pose& X_WA, const Pose& X_WB, const MeasureOptions& options,
                std::vector<PairQuery>* queries) {
  for (const geometry::Cell& cell_a : a) {
    for (const geometry::Cell& cell_b : b) {
      queries->push_back(
          {&cell_a, &cell_b, X_WA, X_WB, options.tolerance, options.voxel_size, options.rule});
    }
  }
}

}  // namespace

double MeasureOptions::Judged() const {
  const bool by_voxels = rule == LeafRule::kFraction ||
                         (voxel_size > 0 && (rule == LeafRule::kCenter || rule == LeafRule::kClip));
  return by_voxels ? std::numeric_limits<double>::infinity() : tolerance;
}

ShapeMetrics MeasurePair(const Engine& engine, std::span<const geometry::Cell> a,
                         std::span<const geometry::Cell> b, const Pose& X_WA, const Pose& X_WB,
                         const MeasureOptions& options) {
  std::vector<PairQuery> queries;
  queries.reserve(a.size() * b.size());
  AddQueries(a, b, X_WA, X_WB, options, &queries);
  return Measure(engine, queries, options.Judged());
}

void MeasurePoses(const Engine& engine, std::span<const geometry::Cell> a,
                  std::span<const geometry::Cell> b, std::span<const Pose> X_WA,
                  std::span<const Pose> X_WB, const MeasureOptions& options,
                  std::span<InterferenceMetrics> sums) {
  const std::size_t cells = a.size() * b.size();
  const std::size_t step =
      std::max<std::size_t>(1, kQueriesAtOnce / std::max<std::size_t>(1, cells));
  std::vector<PairQuery> queries;
  std::vector<InterferenceMetrics> parts;
  for (std::size_t begin = 0; begin < sums.size(); begin += step) {
    const std::size_t end = std::min(sums.size(), begin + step);
    queries.clear();
    queries.reserve((end - begin) * cells);
    for (std::size_t i = begin; i < end; ++i) {
      AddQueries(a, b, X_WA[i], X_WB[i], options, &queries);
    }
    parts.resize(queries.size());
    engine.Compute(queries, parts);
    for (std::size_t i = begin; i < end; ++i) {
      sums[i] = SumOfParts(std::span(parts).subspan((i - begin) * cells, cells), options.Judged());
    }
  }
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
  if (!geometry::HasGrid(cells) || engine.options().device != Device::kThreads) {
    return Measure(engine, queries, options.Judged());
  }
  std::vector<InterferenceMetrics> parts;
  parts.reserve(queries.size());
  for (const PairQuery& query : queries) parts.push_back(ComputeMetrics(query, OnAllCores));
  return Summed(queries, parts, options.Judged());
}

}  // namespace intervox::host
