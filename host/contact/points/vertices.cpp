#include "host/contact/points/vertices.h"

#include <algorithm>
#include <cmath>

#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/deepest.h"
#include "host/contact/points/extremes.h"
#include "host/contact/points/nearest.h"
#include "host/contact/points/polytopes.h"
#include "host/contact/points/shared_faces.h"
#include "host/contact/points/wall_crossings.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** The feature of the deepest point beside vertices. */
constexpr int kDeepest = -1;

/** How far a cell reaches least beyond a plane face of the other. */
struct BestFace {
  double x = -HUGE_VAL;  ///< negative: by how much it reaches in [m]
  Vec3 n_W;              ///< out of the face's cell
};

/** The best face of `of`; the other's lowest vertex tells how far it reaches. */
void Improve(const Cell& of, const Pose& X_WO, const Cell& other, const Pose& X_WC, bool is_b,
             BestFace* best) {
  for (const Surface& s : of.surfaces) {
    if (s.kind != SurfaceKind::kPlane || s.cut) continue;
    const Plane plane = PlaneOf(s, X_WO);
    double least = HUGE_VAL;
    VisitExtremes<CutEdges::kVisited>(
        other, TransposeTimes(X_WC.R, -plane.n), [&](int, const Vec3& p) {
          least = std::fmin(least, Dot(plane.n, X_WC * p) - plane.offset);
        });
    if (!(least > best->x)) continue;
    best->x = least;
    best->n_W = is_b ? plane.n : -plane.n;
  }
}

/** Appends the vertices of A that are inside B. */
void AddVertices(const Cell& a, const Pose& X_WA, const Vec3& down_W, const Cell& b,
                 const Pose& X_WB, std::vector<PointContact>* out) {
  VisitExtremes(a, TransposeTimes(X_WA.R, down_W), [&](int feature, const Vec3& p_A) {
    if (!LiesOn(a, p_A)) return;
    if (const auto point = VertexIn(b, X_WB, feature, X_WA * p_A)) out->push_back(*point);
  });
}

/** Puts the deepest point of the cells in the place of the vertex that has most energy, where it is
 deeper. So nothing jumps as the first vertex comes in, and as the last goes.
 @param reach  how far the cells reach least beyond a face: none is deeper than that */
void ReplaceDeepest(const PairQuery& query, double reach, double power, std::size_t before,
                    std::vector<PointContact>* out) {
  constexpr double kSame = 1e-9;
  const auto energy = [&](const PointContact& point) {
    return point.weight * PowerOf(-point.x, power);
  };
  const auto most =
      std::max_element(out->begin() + static_cast<std::ptrdiff_t>(before), out->end(),
                       [&](const auto& one, const auto& two) { return energy(one) < energy(two); });
  const double known = (1.0 + kSame) * energy(*most);
  if (!(PowerOf(-reach, power) > known)) return;
  std::optional<PointContact> deepest = DeepestPoint(query);
  if (!deepest || !(PowerOf(-deepest->x, power) > known)) return;
  deepest->feature = kDeepest;
  *most = *deepest;
}

}  // namespace

bool IsRoundWithVertices(const Cell& cell) {
  const Surface* s = OuterCurved(cell);
  if (s == nullptr || !cell.bounded || !HasExtremes(cell)) return false;
  if (s->kind == SurfaceKind::kCone) return true;
  return (s->kind == SurfaceKind::kCylinder || geometry::IsSphere(*s)) &&
         std::any_of(cell.surfaces.begin(), cell.surfaces.end(), [](const Surface& plane) {
           return plane.kind == SurfaceKind::kPlane && !plane.cut;
         });
}

std::optional<PointContact> VertexIn(const Cell& cell, const Pose& X_WC, int feature,
                                     const Vec3& p_W) {
  const Vec3 p = TransposeTimes(X_WC.R, p_W - X_WC.p);
  if (!(geometry::Level(cell, p) < 0.0)) return std::nullopt;
  const std::optional<Foot> foot = NearestOnCell(cell, p);
  if (!foot || foot->is_cut || !(foot->x < 0.0)) return std::nullopt;
  const Vec3 n_W = X_WC.R * foot->n;
  return PointContact{feature, foot->x, n_W, p_W, p_W - foot->x * n_W};
}

bool HaveVertices(const Cell& a, const Cell& b) {
  const auto is_polytope = [](const Cell& cell) { return cell.polytope && HasCorners(cell); };
  const bool round_a = IsRoundWithVertices(a), round_b = IsRoundWithVertices(b);
  // Within a hole a rim presses sideways, where three points along the axis are not.
  if (round_a && round_b) return !HasHollows(a) && !HasHollows(b);
  return (round_a && is_polytope(b)) || (round_b && is_polytope(a));
}

std::optional<double> PointsOfVertices(const PairQuery& query, double power,
                                       std::vector<PointContact>* out) {
  const Cell &a = *query.a, &b = *query.b;
  BestFace best;
  Improve(b, query.X_WB, a, query.X_WA, true, &best);
  Improve(a, query.X_WA, b, query.X_WB, false, &best);
  if (best.x > 0.0) return best.x;
  const std::size_t before = out->size();
  AddVertices(b, query.X_WB, best.n_W, a, query.X_WA, out);
  for (std::size_t k = before; k < out->size(); ++k) {
    PointContact& point = (*out)[k];
    point = OfTheOther(point);
    point.feature += kFirst;
  }
  AddVertices(a, query.X_WA, -best.n_W, b, query.X_WB, out);
  if (HasCorners(a) && IsCylinder(b)) AddWallCrossings(query, out);
  if (HasCorners(b) && IsCylinder(a)) {
    const std::size_t own = out->size();
    AddWallCrossings({query.b, query.a, query.X_WB, query.X_WA}, out);
    for (std::size_t k = own; k < out->size(); ++k) (*out)[k] = OfTheOther((*out)[k]);
  }
  if (out->size() == before) return std::nullopt;
  ReplaceDeepest(query, best.x, power, before, out);
  return 0.0;
}

}  // namespace intervox::host::points
