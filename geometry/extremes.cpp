#include "geometry/extremes.h"

#include <algorithm>
#include <cstddef>

#include "geometry/faces.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** How far from a corner, in shares of a cell's size, another cell's corner is the same. */
constexpr double kSameCorner = 10 * kTouchingDepth;
/** Sines and cosines of directions below this are 0: corners are known to 1e-9 of a cell's size. */
constexpr double kParallel = 1e-7;

/** The cells that hold p and are connected with cell a by such cells, a first. */
std::vector<std::size_t> CellsAround(std::span<const Cell> cells, std::size_t a, const Vec3& p) {
  std::vector<std::size_t> around{a};
  for (std::size_t k = 0; k < around.size(); ++k) {
    for (const int neighbour : cells[around[k]].neighbours) {
      const auto b = static_cast<std::size_t>(neighbour);
      if (std::find(around.begin(), around.end(), b) != around.end()) continue;
      if (Touches(cells[b], p)) around.push_back(b);
    }
  }
  return around;
}

bool HasCorner(const Cell& cell, const Vec3& p) {
  const double room = kSameCorner * SizeOf(cell);
  return std::any_of(cell.corners.p_C.begin(), cell.corners.p_C.end(),
                     [&](const Vec3& q) { return Norm(q - p) <= room; });
}

/** Appends the edges, unit vectors u, of the cone n·u ≤ 0 of these vectors n: directions across two
 of them on whose other side none is. */
void AddEdgesOf(const std::vector<Vec3>& normals, std::vector<Vec3>* edges) {
  for (std::size_t i = 0; i < normals.size(); ++i) {
    for (std::size_t j = i + 1; j < normals.size(); ++j) {
      const Vec3 across = Cross(normals[i], normals[j]);
      const double sine = Norm(across);
      if (!(sine > kParallel)) continue;
      for (const double sign : {1.0, -1.0}) {
        const Vec3 u = (sign / sine) * across;
        const bool is_edge = std::all_of(normals.begin(), normals.end(),
                                         [&](const Vec3& n) { return Dot(n, u) <= kParallel; });
        if (is_edge) edges->push_back(u);
      }
    }
  }
}

/** Appends the directions of a cell's edges at p, where it is the cone of its tangent planes.
 Returns false where p lies on a face of the cell or inside it. */
bool AddEdgesAt(const Cell& cell, const Vec3& p, std::vector<Vec3>* edges) {
  std::vector<Vec3> normals;
  for (const Surface& S : cell.surfaces) {
    if (Level(S, p) < -kSameCorner * SizeOf(cell)) continue;
    const Vec3 n = OutwardNormal(S, p);
    if (SquaredNorm(n) > 0.0) normals.push_back(n);
  }
  const std::size_t before = edges->size();
  AddEdgesOf(normals, edges);
  return edges->size() > before;
}

/** Whether a plane through the origin has all directions strictly on one side. Their cone's faces
 have the edges of its polar cone as normals, whose sum is such a plane's, if there is one. */
bool ArePointed(const std::vector<Vec3>& edges) {
  std::vector<Vec3> normals;
  AddEdgesOf(edges, &normals);
  Vec3 sum;
  for (const Vec3& n : normals) sum += n;
  return SquaredNorm(sum) > 0.0 && std::all_of(edges.begin(), edges.end(), [&](const Vec3& u) {
           return Dot(sum, u) < -kParallel * Norm(sum);
         });
}

bool IsExtreme(std::span<const Cell> cells, std::size_t a, const Vec3& p) {
  std::vector<Vec3> edges;
  for (const std::size_t b : CellsAround(cells, a, p)) {
    if (b < a && HasCorner(cells[b], p)) return false;
    if (!AddEdgesAt(cells[b], p, &edges)) return false;
  }
  return ArePointed(edges);
}

}  // namespace

void MarkExtremes(std::span<Cell> cells) {
  for (std::size_t a = 0; a < cells.size(); ++a) {
    Corners& corners = cells[a].corners;
    corners.extreme.clear();
    if (cells[a].neighbours.empty()) continue;
    for (const Vec3& p : corners.p_C) corners.extreme.push_back(IsExtreme(cells, a, p));
  }
}

}  // namespace intervox::geometry
