#include "cuda/moments/mass_properties.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "cuda/moments/metrics_sum.h"
#include "geometry/make_surface.h"

namespace intervox {

namespace {

// A box wide of the cell's bounds: intersecting with it changes nothing.
geometry::Cell WideBox(const geometry::OrientedBox& bounds) {
  constexpr double kWide = 1.25;
  const Vec3& half = bounds.half;
  const double least = 1e-3 * (half.x + half.y + half.z);
  std::vector<geometry::Surface> planes;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const Vec3 n = sign * bounds.X.R.Col(axis);
      planes.push_back(geometry::MakePlane(n, bounds.X.p + (kWide * half[axis] + least) * n));
    }
  }
  return geometry::MakeCell(std::move(planes), "bounds");
}

InterferenceMetrics OwnMetrics(const geometry::Cell& cell, double tolerance,
                               const geometry::RangeLoop& loop) {
  if (!cell.bounded) {
    throw std::invalid_argument("cell '" + cell.name +
                                "': it is unbounded, so it has no mass. Bound it, or give the "
                                "body's mass and inertia.");
  }
  PairQuery query;
  query.a = &cell;
  query.tolerance = tolerance;
  geometry::Cell box;
  if (cell.polytope) {
    query.b = &cell;
  } else {
    box = WideBox(cell.bounds);
    query.b = &box;
  }
  return ComputeMetrics(query, loop);
}

}  // namespace

MassProperties ComputeMassProperties(std::span<const geometry::Cell> cells, double density,
                                     double tolerance, const geometry::RangeLoop& loop) {
  if (!(density > 0) || !std::isfinite(density)) {
    throw std::invalid_argument("density is " + std::to_string(density) +
                                " kg/m³. It must be positive and finite.");
  }
  std::vector<InterferenceMetrics> parts;
  for (const geometry::Cell& cell : cells) {
    const InterferenceMetrics m = OwnMetrics(cell, tolerance, loop);
    if (m.status == Status::kInvalid || m.status == Status::kUnbounded) {
      throw std::invalid_argument("cell '" + cell.name + "': the engine cannot take it (status " +
                                  std::to_string(static_cast<int>(m.status)) +
                                  "). Check its surfaces.");
    }
    if (m.status == Status::kToleranceNotMet && !(m.volume > 0)) {
      throw std::invalid_argument("cell '" + cell.name +
                                  "': no rule could integrate it. Cut it into simpler cells, or "
                                  "give the body's mass and inertia.");
    }
    parts.push_back(m);
  }
  const InterferenceMetrics whole = SumOfParts(parts, tolerance);
  if (!(whole.volume > 0)) {
    throw std::invalid_argument("the solid has no volume: all " + std::to_string(cells.size()) +
                                " cells are empty. Check its shape.");
  }
  MassProperties out;
  out.volume = whole.volume;
  out.volume_error = whole.volume_error;
  out.mass = density * whole.volume;
  out.center_of_mass = whole.p_WC;
  out.inertia = density * whole.J_W;
  return out;
}

}  // namespace intervox
