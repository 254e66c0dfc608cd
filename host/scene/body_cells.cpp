#include "host/scene/body_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "cuda/engine.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

/** Largest share of a cell's box that two listed cells may have in common: rounding of faces that
 touch in turned frames. */
constexpr double kTouching = 1e-9;

double BoxVolume(const geometry::Cell& cell) {
  return 8 * cell.bounds.half.x * cell.bounds.half.y * cell.bounds.half.z;
}

std::string Text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

}  // namespace

geometry::Cell ReadCell(const Cursor& c, const geometry::ShapePtr& shape) {
  std::vector<geometry::Cell> cells;
  try {
    cells = geometry::ToCells(*shape);
  } catch (const std::invalid_argument& error) {
    c.Fail(error.what(), "");
  }
  if (cells.size() != 1) {
    c.Fail("the shape has " + std::to_string(cells.size()) + " cells",
           "List an intersection of primitives for each cell, or use `shape:`.");
  }
  return cells.front();
}

void RefuseOverlaps(const Cursor& list, const std::vector<geometry::Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = i + 1; j < cells.size(); ++j) {
      PairQuery query;
      query.a = &cells[i];
      query.b = &cells[j];
      const InterferenceMetrics overlap = ComputeMetrics(query);
      const double smaller = std::min(BoxVolume(cells[i]), BoxVolume(cells[j]));
      const double limit = std::isfinite(smaller) ? kTouching * smaller : 0.0;
      if (overlap.status == Status::kUnbounded || overlap.volume > limit) {
        list.Item(static_cast<int>(j))
            .Fail("overlaps cell [" + std::to_string(i) + "] by " + Text(overlap.volume) + " m³",
                  "Cells of one body must be disjoint; cut one of them, or use `shape:`.");
      }
    }
  }
}

void BuildSolid(const Cursor& c, const std::string& place, const geometry::ShapePtr& shape,
                const BodySettings& body, std::vector<geometry::Cell>* cut) {
  try {
    if (cut->empty()) *cut = geometry::ToCells(*shape);
    const bool free = !body.fixed && !body.motion;
    for (const geometry::Cell& cell : *cut) {
      if (free && !body.inertia && !cell.bounded) {
        c.Fail("the cell '" + cell.name + "' is infinite, so the free body has no inertia",
               "Fix the body, bound its shape, or give mass and inertia.");
      }
    }
  } catch (const std::invalid_argument& error) {
    if (place.empty()) c.Fail(error.what(), "");
    throw InputError(place + ": " + error.what());
  }
}

}  // namespace intervox::host
