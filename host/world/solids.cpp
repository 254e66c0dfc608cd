#include "host/world/solids.h"

#include <stdexcept>
#include <string>

#include "cuda/engine.h"
#include "geometry/hollows.h"
#include "geometry/neighbours.h"
#include "host/contact/parameters.h"
#include "host/input/place.h"

namespace intervox::host {
namespace {

constexpr double kMassTolerance = 1e-6;  // relative, of each cell's volume

/** Cuts the shape of a body. A message names the shape where it has a name, else the body's key. */
std::vector<geometry::Cell> CutShape(const Scene& scene, const BodySettings& body) {
  const std::string file = scene.path.string();
  const auto shape = scene.shapes.find(body.shape);
  if (shape == scene.shapes.end() || shape->second == nullptr) {
    FailAt(body.places.Of("shape"), file, "bodies." + body.name + ".shape",
           "\"" + body.shape + "\" is not a shape of the scene. Name one of `shapes`.");
  }
  try {
    return geometry::ToCells(*shape->second);
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
  if (!body.cells.empty()) return Add(ListedCells(scene, body));
  if (body.shape.empty()) return nullptr;
  const auto shape = scene.shapes.find(body.shape);
  const geometry::Shape* key = shape == scene.shapes.end() ? nullptr : shape->second.get();
  const auto done = by_shape_.find(key);
  if (done != by_shape_.end()) return done->second;
  const SolidCells* solid = Add(CutShape(scene, body));
  by_shape_.emplace(key, solid);
  return solid;
}

const SolidCells* Solids::Add(std::vector<geometry::Cell> whole) {
  auto solid = std::make_unique<SolidCells>();
  solid->split = geometry::SplitHollows(whole);
  solid->whole = std::move(whole);
  if (solid->split.size() == solid->whole.size()) solid->split = {};
  solid->boxes = MakeBodyCells(solid->Cells());
  all_.push_back(std::move(solid));
  return all_.back().get();
}

const MassProperties& Solids::Mass(const SolidCells& solid, double density) {
  const auto key = std::pair(&solid, density);
  const auto done = masses_.find(key);
  if (done != masses_.end()) return done->second;
  const MassProperties mass = ComputeMassProperties(solid.whole, density, kMassTolerance);
  return masses_.emplace(key, mass).first->second;
}

void Solids::AddBareCells() {
  for (const auto& solid : all_) {
    solid->bare = solid->whole;
    for (geometry::Cell& cell : solid->bare) {
      for (geometry::Surface& surface : cell.surfaces) surface.cut = false;
    }
    solid->bare_boxes = MakeBodyCells(solid->bare);
  }
}

}  // namespace intervox::host
