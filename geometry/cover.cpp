#include "geometry/cover.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "geometry/faces.h"
#include "geometry/interior.h"
#include "geometry/neighbours.h"
#include "geometry/polytope.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

constexpr std::size_t kMostFurther = 64;
/** Share of the size by which a plane has corners of a face on both sides. */
constexpr double kCrosses = 1e-7;

bool Crosses(const Surface& plane, const std::vector<Vec3>& polygon, double room) {
  const auto beyond = [&](double sign) {
    return std::any_of(polygon.begin(), polygon.end(),
                       [&](const Vec3& p) { return sign * Value(plane, p) > room; });
  };
  return beyond(1.0) && beyond(-1.0);
}

/** A plane face of B, whose surface j lies against a polygon, that crosses the polygon; null where
 B covers none or all of it. */
const Surface* Boundary(const std::vector<Vec3>& polygon, const Cell& B, std::size_t j,
                        double room) {
  std::vector<Vec3> covered = polygon;
  const Surface* crossing = nullptr;
  for (std::size_t k = 0; k < B.surfaces.size(); ++k) {
    const Surface& S = B.surfaces[k];
    if (k == j || S.kind != SurfaceKind::kPlane) continue;
    const double side = S.side;
    const Vec3 n = side * S.PlaneNormal();
    covered = ClipPolygon(covered, n, Dot(n, S.o) - room, 0.0);
    if (covered.empty()) return nullptr;
    if (crossing == nullptr && Crosses(S, polygon, room)) crossing = &S;
  }
  return crossing;
}

/** A plane that divides a face of cell a into what a neighbour covers and what it does not. */
std::optional<Surface> CutOf(std::span<const Cell> cells, std::size_t a) {
  const Cell& A = cells[a];
  for (const FacePolygon& face : A.faces) {
    const auto i = static_cast<std::size_t>(face.surface);
    if (A.neighbours.empty() || IsInside(cells, a, i)) continue;
    for (const int b : A.neighbours) {
      const Cell& B = cells[static_cast<std::size_t>(b)];
      if (!B.polytope) continue;
      const double size = std::min(SizeOf(A), SizeOf(B));
      for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
        if (B.surfaces[j].kind != SurfaceKind::kPlane) continue;
        if (Coincide(A.surfaces[i], B.surfaces[j], A.bounds.X.p, size) != Coincidence::kOpposite) {
          continue;
        }
        if (const Surface* plane = Boundary(face.p_C, B, j, kCrosses * size)) return *plane;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Cell> SplitCoveredFaces(std::span<const Cell> cells) {
  std::vector<Cell> out(cells.begin(), cells.end());
  const std::size_t most = cells.size() + kMostFurther;
  for (std::size_t a = 0; a < out.size() && out.size() < most;) {
    std::vector<Cell> parts;
    if (out[a].bounded && !out[a].grid.field) {
      if (const auto plane = CutOf(out, a)) parts = Halves(out[a], *plane);
    }
    if (parts.size() < 2) {
      ++a;
      continue;
    }
    out[a] = std::move(parts[0]);
    out.push_back(std::move(parts[1]));
    LinkNeighbours(out);
    a = 0;
  }
  return out;
}

}  // namespace intervox::geometry
