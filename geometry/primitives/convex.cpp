#include "geometry/primitives/convex.h"

#include <stdexcept>

#include "geometry/convex_hull.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {

Pieces ToPieces(const Convex& primitive, const std::string& place) {
  for (std::size_t i = 0; i < primitive.vertices.size(); ++i) {
    RequirePosition(place, "vertices[" + std::to_string(i) + "]", primitive.vertices[i]);
  }
  if (primitive.vertices.size() < 4) {
    Refuse(place, "the number of vertices", static_cast<double>(primitive.vertices.size()),
           "A convex hull needs at least four points that do not lie in one plane.");
  }
  std::vector<PlaneCut> cuts;
  try {
    cuts = ConvexHull(primitive.vertices);
  } catch (const std::length_error&) {
    throw std::invalid_argument(place + ": the hull of its " +
                                std::to_string(primitive.vertices.size()) +
                                " vertices has more than " + std::to_string(kMostHullTriangles) +
                                " triangles. Give fewer points.");
  }
  if (cuts.empty()) {
    throw std::invalid_argument(place + ": the hull of its " +
                                std::to_string(primitive.vertices.size()) +
                                " vertices is flat. Give points that do not all lie in one plane.");
  }
  SurfaceList planes;
  for (const PlaneCut& cut : cuts) planes.push_back(MakePlane(cut.n, primitive.vertices[cut.id]));
  return {planes};
}

}  // namespace intervox::geometry
