#include "cuda/moments/mass_properties.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/engine.h"
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

InterferenceMetrics OwnMetrics(const geometry::Cell& cell, double tolerance) {
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
  return ComputeMetrics(query);
}

}  // namespace

MassProperties ComputeMassProperties(std::span<const geometry::Cell> cells, double density,
                                     double tolerance) {
  if (!(density > 0) || !std::isfinite(density)) {
    throw std::invalid_argument("density is " + std::to_string(density) +
                                " kg/m³. It must be positive and finite.");
  }
  std::vector<InterferenceMetrics> parts;
  Vec3 origin, moment;
  MassProperties out;
  for (const geometry::Cell& cell : cells) {
    const InterferenceMetrics m = OwnMetrics(cell, tolerance);
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
    out.volume_error += m.volume_error;
    if (m.status == Status::kDisjoint || !(m.volume > 0)) continue;
    if (parts.empty()) origin = m.p_WC;
    out.volume += m.volume;
    moment += m.volume * (m.p_WC - origin);
    parts.push_back(m);
  }
  if (parts.empty()) {
    throw std::invalid_argument("the solid has no volume: all " + std::to_string(cells.size()) +
                                " cells are empty. Check its shape.");
  }
  out.mass = density * out.volume;
  out.center_of_mass = origin + moment / out.volume;
  for (const InterferenceMetrics& m : parts) {
    const Vec3 d = m.p_WC - out.center_of_mass;
    out.inertia = out.inertia + density * m.J_W +
                  density * m.volume * (Mat3::Diagonal(Dot(d, d) * Vec3{1, 1, 1}) - Outer(d, d));
  }
  return out;
}

}  // namespace intervox
