#include "host/world/solids.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "cuda/engine.h"
#include "geometry/convex_parts.h"
#include "geometry/cover.h"
#include "geometry/extremes.h"
#include "geometry/grid/grid_cells.h"
#include "geometry/grid/level_set.h"
#include "geometry/hollows.h"
#include "geometry/merge.h"
#include "geometry/neighbours.h"
#include "geometry/surface_eval.h"
#include "host/contact/parameters.h"
#include "host/contact/points/points.h"
#include "host/input/place.h"
#include "host/scene/grids.h"
#include "host/scene/primitives.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

constexpr double kMassTolerance = 1e-6;  // relative, of each cell's volume

/** All that cells are made of: two shapes with the same text have the same cells, to the bit. */
std::string Identity(const geometry::Shape& shape) {
  std::string text = Quoted(shape.name) + Text(shape.X.p) + Text(shape.X.R) + Text(shape.scale) +
                     std::to_string(static_cast<int>(shape.operation));
  if (shape.operation == geometry::Operation::kPrimitive) text += PrimitiveText(shape.primitive);
  if (shape.operation == geometry::Operation::kGrid) {
    text += Text(shape.grid.voxel_size) + std::to_string(shape.grid.field->checksum);
  }
  for (const geometry::ShapePtr& child : shape.children) text += "(" + Identity(*child) + ")";
  return text;
}

/** Cuts the shape of a body. A message names the shape where it has a name, else the body's key. */
std::vector<geometry::Cell> CutShape(const Scene& scene, const BodySettings& body) {
  const std::string file = scene.path.string();
  const auto shape = scene.shapes.find(body.shape);
  if (shape == scene.shapes.end() || shape->second == nullptr) {
    FailAt(body.places.Of("shape"), file, "bodies." + body.name + ".shape",
           "\"" + body.shape + "\" is not a shape of the scene. Name one of `shapes`.");
  }
  try {
    std::vector<geometry::Cell> cells = geometry::ToCells(*shape->second);
    geometry::RequireRoomToSplit(cells);
    return cells;
  } catch (const std::invalid_argument& error) {
    const auto place = scene.shape_places.find(body.shape);
    if (place == scene.shape_places.end() && body.places.self.file) {
      FailAt(body.places.Of("shape"), file, "bodies." + body.name + ".shape", error.what());
    }
    FailAt(place == scene.shape_places.end() ? Place{} : place->second, file,
           "shapes." + body.shape, error.what());
  }
}

/** Cells of one body must not share volume, or it would count twice. Touching is fine. */
void RefuseOverlap(const Scene& scene, const BodySettings& body,
                   const std::vector<geometry::Cell>& cells) {
  const auto overlap = geometry::FindOverlap(cells);
  if (!overlap) return;
  PairQuery query;
  query.a = &cells[static_cast<std::size_t>(overlap->first)];
  query.b = &cells[static_cast<std::size_t>(overlap->second)];
  const std::string key = "cells[" + std::to_string(overlap->second) + "]";
  FailAt(body.places.Of(key), scene.path.string(), "bodies." + body.name + "." + key,
         "overlaps cell [" + std::to_string(overlap->first) + "] by " +
             NumberText(ComputeMetrics(query).volume, 4) +
             " m³. Cells of one body must be disjoint; cut one of them, or use `shape:`.");
}

/** Whether the hollow faces of curved cells are balls' or of revolution. */
bool HasRingsOnly(std::span<const geometry::Cell> cells) {
  return std::all_of(cells.begin(), cells.end(), [](const geometry::Cell& cell) {
    return std::none_of(cell.surfaces.begin(), cell.surfaces.end(), [](const auto& s) {
      return s.side < 0 &&
             (s.kind == geometry::SurfaceKind::kQuadric ||
              (s.kind == geometry::SurfaceKind::kEllipsoid && !geometry::IsSphere(s)));
    });
  });
}

/** Whether a face that a neighbour covers in part is cut, so that all of it is inside the body or
 * none. */
enum class Covered { kInPart, kWholly };

/** Cells with what is needed to touch them in points: faces that are inside the body are cut ones,
 whether or not all of the neighbour's face is; and the corners of hulls.
 @param merged  from MergeCells. */
std::vector<geometry::Cell> CellsForPoints(std::vector<geometry::Cell> merged, Covered covered) {
  if (covered == Covered::kWholly) merged = geometry::SplitCoveredFaces(merged);
  std::vector<std::pair<std::size_t, std::size_t>> inside;
  for (std::size_t a = 0; a < merged.size(); ++a) {
    for (std::size_t i = 0; i < merged[a].surfaces.size(); ++i) {
      if (geometry::IsInside(merged, a, i)) inside.emplace_back(a, i);
    }
  }
  for (const auto& [a, i] : inside) merged[a].surfaces[i].cut = true;
  for (geometry::Cell& cell : merged) geometry::IndexCornersOfHull(&cell);
  geometry::MarkExtremes(merged);
  return merged;
}

bool IsBounded(const geometry::Cell& cell) { return cell.bounded && !cell.grid.field; }

std::vector<geometry::Cell> ListedCells(const Scene& scene, const BodySettings& body) {
  std::vector<geometry::Cell> cells;
  for (std::size_t i = 0; i < body.cells.size(); ++i) {
    const std::string key = "cells[" + std::to_string(i) + "]";
    const auto fail = [&](const std::string& what) {
      FailAt(body.places.Of(key), scene.path.string(), "bodies." + body.name + "." + key, what);
    };
    std::vector<geometry::Cell> parts;
    try {
      parts = geometry::ToCells(*body.cells[i]);
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
    if (parts.size() != 1) {
      fail("the shape has " + std::to_string(parts.size()) +
           " cells. List an intersection of primitives for each cell, or use `shape:`.");
    }
    cells.push_back(std::move(parts.front()));
    cells.back().name = body.name + "/" + std::to_string(i);
  }
  RefuseOverlap(scene, body, cells);
  geometry::LinkNeighbours(cells);
  return cells;
}

}  // namespace

const SolidCells* Solids::Of(const Scene& scene, const BodySettings& body) {
  if (!body.cells.empty()) {
    std::string text = "cells of " + Quoted(body.name);
    for (const geometry::ShapePtr& shape : body.cells) text += "(" + Identity(*shape) + ")";
    return Find(text, [&] { return ListedCells(scene, body); });
  }
  if (body.shape.empty()) return nullptr;
  const auto shape = scene.shapes.find(body.shape);
  if (shape == scene.shapes.end() || shape->second == nullptr) CutShape(scene, body);  // says so
  const auto done = by_shape_.find(shape->second);
  if (done != by_shape_.end()) return done->second;
  const SolidCells* solid = Find(Identity(*shape->second), [&] { return CutShape(scene, body); });
  by_shape_.emplace(shape->second, solid);
  return solid;
}

template <class Cut>
const SolidCells* Solids::Find(const std::string& text, const Cut& cut) {
  const auto done = by_text_.find(text);
  if (done != by_text_.end()) return done->second.get();
  auto solid = std::make_shared<SolidCells>();
  std::vector<geometry::Cell> whole = cut();
  solid->split = geometry::SplitHollows(geometry::SplitGrids(whole));
  solid->whole = std::move(whole);
  if (solid->split.size() == solid->whole.size()) solid->split = {};
  solid->boxes = MakeBodyCells(solid->Cells());
  return by_text_.emplace(text, std::move(solid)).first->second.get();
}

const MassProperties& Solids::Mass(const SolidCells& solid, double density) {
  const auto key = std::pair(&solid, density);
  const auto done = masses_.find(key);
  if (done != masses_.end()) return done->second;
  const MassProperties mass =
      ComputeMassProperties(solid.whole, density, kMassTolerance, OnAllCores);
  return masses_.emplace(key, mass).first->second;
}

void SolidCells::AddBareCells() {
  std::call_once(bare_made_, [this] {
    bare_ = whole;
    for (geometry::Cell& cell : bare_) {
      for (geometry::Surface& surface : cell.surfaces) surface.cut = false;
    }
    bare_boxes = MakeBodyCells(bare_);
  });
}

void SolidCells::AddMergedCells() {
  std::call_once(merged_made_, [this] {
    const bool has_rings_only = HasRingsOnly(whole);
    const std::vector<geometry::Cell> of_whole =
        geometry::MergeCells(whole, geometry::Hollows::kMerged);
    // Around hollows it is cut anew, wherever it was cut.
    const bool as_it_is = split.empty() && of_whole.size() == whole.size();
    merged_ = CellsForPoints(
        as_it_is ? of_whole
                 : geometry::MergeCells(geometry::SplitHollows(geometry::SplitGrids(of_whole)),
                                        geometry::Hollows::kKept),
        has_rings_only ? Covered::kWholly : Covered::kInPart);
    merged_boxes = MakeBodyCells(merged_);
    touches_whole_below = points::TouchesWholeBelow(merged_);
    widest_hollow = points::WidestHollow(of_whole);
    convex_ = geometry::LargestConvexParts(of_whole);
    convex_boxes = MakeBodyCells(convex_);
    convex_boxes.overlap = true;
    is_bounded = !whole.empty() && std::all_of(whole.begin(), whole.end(), IsBounded);
    if (!has_rings_only) return;
    // Balls and planes feel no cuts, and polytopes come free of whole cells.
    unsplit_ = CellsForPoints(of_whole, Covered::kInPart);
    if (split.empty() && unsplit_.size() == merged_.size()) {
      unsplit_.clear();
      return;
    }
    unsplit_boxes = MakeBodyCells(unsplit_);
  });
}

void Solids::AddBareCells() {
  for (const auto& [text, solid] : by_text_) solid->AddBareCells();
}

void Solids::AddMergedCells() {
  for (const auto& [text, solid] : by_text_) solid->AddMergedCells();
}

}  // namespace intervox::host
