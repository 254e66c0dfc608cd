#include "host/mesh/triangulate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/mesh/grid_triangles.h"
#include "host/mesh/improve.h"

namespace intervox::host {
namespace {

/** Renumbers what is alive. */
Triangles Compact(const SurfaceSet& set, const SurfaceMesh& mesh) {
  Triangles out;
  std::vector<int> number(mesh.p.size(), -1);
  for (int t = 0; t < mesh.triangles.Size(); ++t) {
    const auto& triangle = mesh.triangles[t];
    if (!triangle.alive) continue;
    std::array<int, 3> v{};
    std::array<Vec3, 3> normals{};
    const auto& w = triangle.v;
    const Vec3 area = Cross(mesh.p[w[1]] - mesh.p[w[0]], mesh.p[w[2]] - mesh.p[w[0]]);
    const Vec3 flat = Norm(area) > 0 ? Normalized(area) : Vec3{0, 0, 1};
    for (int i = 0; i < 3; ++i) {
      int& n = number[w[i]];
      if (n < 0) {
        n = static_cast<int>(out.p.size());
        out.p.push_back(set.origin + mesh.p[w[i]]);
      }
      v[i] = n;
      normals[i] = ExactNormal(set, triangle.tag, mesh.p[w[i]]);
      if (SquaredNorm(normals[i]) == 0) normals[i] = flat;  // the apex of a cone
    }
    out.triangles.push_back(v);
    out.normals.push_back(normals);
    out.faces.push_back(triangle.tag);
    out.deviation = std::max(out.deviation, DeviationOf(set, mesh, t));
    for (int i = 0; i < 3; ++i) {
      const int a = w[i], b = w[(i + 1) % 3];
      if (a > b) continue;  // its other triangle passes it the other way
      const std::vector<int> around = mesh.triangles.Around(a, b);
      if (mesh.triangles[around[0]].tag != mesh.triangles[around[1]].tag) {
        out.creases.emplace_back(a, b);
      }
    }
  }
  for (auto& [a, b] : out.creases) {
    a = number[a];
    b = number[b];
  }
  return out;
}

}  // namespace

Triangles Triangulate(std::span<const geometry::Cell> cells, double deviation, const Told& told) {
  if (cells.size() == 1 && cells[0].grid.field != nullptr) return TrianglesOfGrid(cells[0].grid);
  for (const geometry::Cell& cell : cells) {
    if (cell.grid.field != nullptr) {
      throw std::invalid_argument("the cell '" + cell.name +
                                  "' is a grid beside others. Make one grid of all.");
    }
    if (!cell.bounded) {
      throw std::invalid_argument("the cell '" + cell.name +
                                  "' is unbounded. Intersect the shape with a box.");
    }
  }
  if (!(deviation > 0) || !std::isfinite(deviation)) {
    throw std::invalid_argument("the deviation is " + std::to_string(deviation) +
                                ". Give a length in m.");
  }
  if (cells.empty()) return {};
  const SurfaceSet set = CollectSurfaces(cells);
  constexpr double kCarved = 0.6, kTaken = 0.65;  // of the time
  SurfaceMesh mesh = TakeBoundary(set, Carve(set, deviation, PartOf(told, 0, kCarved)));
  Tell(told, kTaken);
  Improve(set, deviation, &mesh, PartOf(told, kTaken, 1));
  return Compact(set, mesh);
}

}  // namespace intervox::host
