#include "host/contact/points/ways_out.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/contact/points/polytopes.h"

namespace intervox::host::points {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/** The least n·p over the corners, and where. */
double Lowest(const PosedPolytope& part, const Vec3& n, int* corner) {
  double least = kInfinite;
  for (std::size_t k = 0; k < part.corners.size(); ++k) {
    const double at = Dot(n, part.corners[k]);
    if (!(at < least)) continue;
    least = at;
    *corner = static_cast<int>(k);
  }
  return least;
}

/** Whether arcs between the normals of two edges, one of them reflected, that cross each other's
 great circles do so on one half of the sphere, not on opposite ones. */
bool CrossOnOneSide(const Edge& a, const Edge& b) {
  return Dot(Cross(a.n_left, a.n_right), -b.n_left) * Dot(Cross(-b.n_left, -b.n_right), a.n_right) >
         0.0;
}

}  // namespace

double AddFaceWays(const PosedPolytope& reference, const PosedPolytope& other, bool of_a,
                   std::vector<WayOut>* ways) {
  double most = -kInfinite;
  for (std::size_t f = 0; f < reference.normals.size(); ++f) {
    WayOut way;
    way.x = Lowest(other, reference.normals[f], &way.corner) - reference.offsets[f];
    way.n = of_a ? -reference.normals[f] : reference.normals[f];
    way.face = static_cast<int>(f);
    way.of_a = of_a;
    most = std::max(most, way.x);
    ways->push_back(way);
  }
  return most;
}

double AddEdgeWays(const PosedPolytope& A, const PosedPolytope& B, double deepest,
                   const std::vector<double>& rise_b, const std::vector<double>& rise_a,
                   std::vector<WayOut>* ways) {
  const auto row = [](const std::vector<double>& rise, int face, std::size_t edges) {
    return rise.data() + static_cast<std::size_t>(face) * edges;
  };
  double most = -kInfinite;
  for (std::size_t i = 0; i < A.edges.size(); ++i) {
    const Edge& a = A.edges[i];
    const Vec3 u_a = a.to - a.from;
    const double* left = row(rise_b, a.left, B.edges.size());
    const double* right = row(rise_b, a.right, B.edges.size());
    for (std::size_t j = 0; j < B.edges.size(); ++j) {
      // Their cross product is a face of the Minkowski difference A − B where the arcs cross.
      if (!(left[j] * right[j] < 0.0)) continue;
      const Edge& b = B.edges[j];
      const double up = row(rise_a, b.left, A.edges.size())[i];
      if (!(up * row(rise_a, b.right, A.edges.size())[i] < 0.0) || !CrossOnOneSide(a, b)) continue;
      const Vec3 u_b = b.to - b.from;
      Vec3 n = Cross(u_a, u_b);
      const double square = SquaredNorm(n);
      if (!(square > kParallelEdges * SquaredNorm(u_a) * SquaredNorm(u_b))) continue;
      n = n / std::sqrt(square);
      // Out of B, into A: against A's outward normals.
      if (Dot(n, a.n_left + a.n_right) - Dot(n, b.n_left + b.n_right) > 0.0) n = -n;
      WayOut way;
      way.x = Dot(n, a.from - b.from);
      most = std::max(most, way.x);
      if (!(way.x > deepest)) continue;
      way.n = n;
      way.edge_a = static_cast<int>(i);
      way.edge_b = static_cast<int>(j);
      ways->push_back(way);
    }
  }
  return most;
}

int CrossingFeature(int edge_a, int edge_b) {
  return kFirstCrossing + edge_a * kMostEdges + edge_b;
}

PointContact PointOf(const WayOut& way, const PosedPolytope& A, const PosedPolytope& B) {
  PointContact point;
  point.x = way.x;
  point.n = way.n;
  if (way.face >= 0) {
    const Vec3& p = (way.of_a ? B : A).At(way.corner);
    point.feature = way.corner + (way.of_a ? kFirst : 0);
    point.p_WA = way.of_a ? p + way.x * way.n : p;
  } else {
    const Edge &a = A.EdgeAt(way.edge_a), &b = B.EdgeAt(way.edge_b);
    const Vec3 u = a.to - a.from, v = b.to - b.from, w = b.from - a.from;
    const double uu = Dot(u, u), uv = Dot(u, v), vv = Dot(v, v);
    point.feature = CrossingFeature(way.edge_a, way.edge_b);
    point.p_WA = a.from + ((Dot(w, u) * vv - Dot(w, v) * uv) / (uu * vv - uv * uv)) * u;
  }
  point.p_WB = point.p_WA - way.x * way.n;
  return point;
}

}  // namespace intervox::host::points
