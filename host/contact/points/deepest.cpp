#include "host/contact/points/deepest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cuda/engine.h"
#include "geometry/edge_walk.h"
#include "geometry/surface_eval.h"
#include "host/contact/patch_depth.h"
#include "host/contact/points/extremes.h"
#include "host/contact/points/settle.h"
#include "host/contact/points/vertices.h"
#include "host/distance/distance.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;

/** The corner or the point of a rim of a cell that is farthest along a direction, a cone's tip, or
 the point of a torus, whose overlap with what it lies on has its mean far from there; empty where
 it has none. In the cell's frame. */
std::optional<Vec3> FarthestPoint(const Cell& cell, const Vec3& along) {
  const Surface* curved = OnlyCurved(cell);
  const bool is_ellipsoid =
      curved != nullptr && curved->side > 0 && curved->kind == SurfaceKind::kEllipsoid;
  std::optional<Vec3> farthest;
  const auto visit = [&](int, const Vec3& p) {
    if (farthest && Dot(along, p) <= Dot(along, *farthest)) return;
    if (LiesOn(cell, p)) farthest = p;
  };
  if (HasExtremes(cell)) {
    if (is_ellipsoid) return std::nullopt;
    VisitExtremes<CutEdges::kVisited>(cell, along, visit);
  } else {
    for (const geometry::FacePolygon& face : cell.faces) {
      for (const Vec3& p : face.p_C) visit(0, p);
    }
  }
  return farthest;
}

/** The plane face of a cell whose normal is nearest to a direction, and that normal, in the world.
 */
const Surface* FaceAcross(const Cell& cell, const Pose& X_WC, const Vec3& along, Vec3* normal) {
  constexpr double kFlattest = 0.98;  // the cosine of 11°
  const Surface* found = nullptr;
  double most = kFlattest;
  for (const Surface& s : cell.surfaces) {
    if (s.kind != SurfaceKind::kPlane) continue;
    const Vec3 n = PlaneOf(s, X_WC).n;
    if (!(Dot(n, along) > most)) continue;
    most = Dot(n, along);
    *normal = n;
    found = &s;
  }
  return found;
}

/** Tries to settle where a plane face lies flat on another, as nothing but edges tells where it is
 deepest then. */
std::optional<Settled> SettleFlat(const PairQuery& query, const PointContact& from) {
  const Cell &a = *query.a, &b = *query.b;
  Vec3 n_A, n_B;
  const Surface *face_A = FaceAcross(a, query.X_WA, -from.n, &n_A),
                *face_B = FaceAcross(b, query.X_WB, from.n, &n_B);
  if (face_A == nullptr || face_B == nullptr) return std::nullopt;
  const Vec3 middle = 0.5 * (from.p_WA + from.p_WB);
  const double near = kNearSurface * SizeOf(query);
  const auto settle = [&](const Cell& walker, const Pose& X_WC,
                          const Vec3& along) -> std::optional<Settled> {
    const auto end = geometry::EndOfWalk(walker, TransposeTimes(X_WC.R, middle - X_WC.p),
                                         TransposeTimes(X_WC.R, along));
    if (!end) return std::nullopt;
    const StartPlace place{X_WC * *end, near};
    PointContact on_face = from;
    on_face.n = &walker == query.a ? -along : along;
    if (&walker == query.a) return SettleFrom(query, on_face, place, {from.p_WB, 0.0});
    return SettleFrom(query, on_face, {from.p_WA, 0.0}, place);
  };
  if (const auto settled = settle(b, query.X_WB, -n_A)) return settled;
  if (const auto settled = settle(a, query.X_WA, -n_B)) return settled;
  if (!(SquaredNorm(n_A + n_B) < kIdle * kIdle)) return std::nullopt;
  // All of the faces is as deep: what they share has its middle where the overlap has it.
  const double x = Dot(n_B, query.X_WA * face_A->o - query.X_WB * face_B->o);
  if (!(x < 0.0) || !IsNear(n_B, x, from)) return std::nullopt;
  return Settled{{0, x, n_B, middle + 0.5 * x * n_B, middle - 0.5 * x * n_B}, false};
}

/** The tip of a cone of A where it is the deepest point of A in B, which pushes it out in a
 direction that the tip is farthest in. */
std::optional<Settled> TipOf(const PairQuery& query, const PointContact& estimate) {
  const Surface& cone = *OuterCurved(*query.a);
  const Vec3 tip_W = query.X_WA * cone.o;
  const std::optional<PointContact> point = VertexIn(*query.b, query.X_WB, 0, tip_W);
  if (!point) return std::nullopt;
  // The tangent of the angle α between the axis and the wall is k.
  const double k = std::sqrt(-cone.e.z / cone.e.x),
               along = Dot(point->n, query.X_WA.R * cone.R.Col(2));
  if (!(along * std::sqrt(1.0 + k * k) > k) || !IsNear(point->n, point->x, estimate))
    return std::nullopt;
  return Settled{*point, false};
}

bool IsTip(const Cell& cell, const std::optional<Vec3>& p) {
  const Surface* curved = OuterCurved(cell);
  return p && curved != nullptr && curved->kind == SurfaceKind::kCone && *p == curved->o;
}

/** Tries to settle from an estimate: on the faces next to it, or on edges of one or both cells. */
std::optional<Settled> SettleFromMoments(const PairQuery& query, const PointContact& from) {
  const std::optional<Vec3> edge_A = FarthestPoint(*query.a, TransposeTimes(query.X_WA.R, -from.n));
  const std::optional<Vec3> edge_B = FarthestPoint(*query.b, TransposeTimes(query.X_WB.R, from.n));
  const bool tip_A = IsTip(*query.a, edge_A), tip_B = IsTip(*query.b, edge_B);
  if (tip_A) {
    if (const auto tip = TipOf(query, from)) return tip;
  }
  if (tip_B) {
    auto tip = TipOf({query.b, query.a, query.X_WB, query.X_WA}, OfTheOther(from));
    if (tip) tip->point = OfTheOther(tip->point);
    if (tip) return tip;
  }
  const double near = kNearSurface * SizeOf(query);
  std::array<std::optional<StartPlace>, 2> A, B;
  A[0] = {from.p_WA, 0.0};
  B[0] = {from.p_WB, 0.0};
  if (edge_A && !tip_A) A[1] = {query.X_WA * *edge_A, near};
  if (edge_B && !tip_B) B[1] = {query.X_WB * *edge_B, near};
  // The normal is nearly right: what hardly pushes along it is likely to go.
  constexpr double kHardly = 0.05;
  for (const double hardly : {kHardly, kIdle}) {
    for (const auto& [a, b] : {std::pair(0, 0), {1, 0}, {0, 1}, {1, 1}}) {
      const auto &of_a = A[static_cast<std::size_t>(a)], &of_b = B[static_cast<std::size_t>(b)];
      if (!of_a || !of_b || (hardly == kIdle && a + b == 0)) continue;
      if (const auto settled = SettleFrom(query, from, *of_a, *of_b, hardly)) return settled;
    }
  }
  return SettleFlat(query, from);
}

/** Whether a boundary point of a cell is one of a neighbour, too. */
bool LiesOnCut(const Cell& cell, const Pose& X_WC, const Vec3& p_W, double near) {
  const Vec3 p = TransposeTimes(X_WC.R, p_W - X_WC.p);
  return std::any_of(cell.surfaces.begin(), cell.surfaces.end(),
                     [&](const Surface& s) { return s.cut && geometry::Level(s, p) > -near; });
}

/** The deepest point by the distance of the cells after they are moved apart along n. The signed
 distance along n is that distance less the way; the direction in which the cells are then nearest
 is n itself where the depth is least.
 @param downhill  looks for nearest points next to the estimate first, not everywhere */
std::optional<Settled> MoveApart(const PairQuery& query, PointContact point, bool downhill) {
  constexpr int kMostTurns = 16;
  constexpr double kTurn = 1e-9;
  constexpr double kFarther = 4.0, kClear = 1.1;
  constexpr double kLeastWay = 1e-4;  // sizes; below, rounding turns n more than the way does
  DistanceOptions options;
  const double least_way = kLeastWay * SizeOf(query);
  double way = std::fmax(-2.0 * point.x, least_way);
  if (downhill) options.start = {point.p_WA + way * point.n, point.p_WB};
  for (int k = 0; k < kMostTurns; ++k) {
    const Vec3 by = way * point.n;
    const Separation apart = MeasureDistance(
        {query.a, 1}, {query.b, 1}, {query.X_WA.R, query.X_WA.p + by}, query.X_WB, options);
    if (apart.status == Status::kInvalid) {
      if (!options.start) break;
      options.start.reset();  // next to the last points there are none
      continue;
    }
    if (!(apart.distance > 0.0)) {
      way *= kFarther;
      if (options.start) options.start = {point.p_WA + way * point.n, point.p_WB};
      continue;
    }
    const double turn = Norm(apart.n - point.n), x = apart.distance - Dot(apart.n, by);
    const Vec3 p_A = apart.p_WA - by;
    point = {0, x, apart.n, p_A, p_A - x * apart.n};
    if (turn <= kTurn || point.x >= 0.0) break;
    const double near = kNearSurface * SizeOf(query);
    if (const auto settled = SettleFrom(query, point, {point.p_WA, near}, {point.p_WB, near}, kIdle,
                                        Accepted::kSame)) {
      return settled;
    }
    // The nearer the cells, the less n turns on.
    way = std::fmax(-kClear * point.x, least_way);
    options.start = {point.p_WA + way * point.n, point.p_WB};
  }
  if (!(point.x < 0.0)) return std::nullopt;
  const double near = kNearSurface * SizeOf(query);
  const bool is_cut = LiesOnCut(*query.a, query.X_WA, point.p_WA, near) ||
                      LiesOnCut(*query.b, query.X_WB, point.p_WB, near);
  return Settled{point, is_cut};
}

/** The deepest point as the moments tell it, to a tolerance; empty where the cells do not overlap.
 */
std::optional<PointContact> EstimateOf(PairQuery query, double tolerance) {
  constexpr double kFineTolerance = 1e-6;
  query.tolerance = tolerance;
  const InterferenceMetrics m = ComputeMetrics(query);
  if (m.status != Status::kOk && m.status != Status::kToleranceNotMet) return std::nullopt;
  const double S = Norm(m.area_vector);
  if (!(m.volume > 0.0) || !(S > 0.0)) return std::nullopt;
  PatchGeometry patch;
  patch.V = m.volume;
  patch.S = m.area_vector;
  patch.n = m.area_vector / S;
  patch.J_W = m.J_W;
  // Second moments that are too rough to tell how deep.
  const bool rough = !(Dot(patch.n, SecondMoment(patch) * patch.n) > 0.0);
  if (rough && tolerance > kFineTolerance) return EstimateOf(query, kFineTolerance);
  const double depth = Depth(patch);
  const Vec3 p_WA = m.p_WC - 0.5 * depth * patch.n;
  return PointContact{0, -depth, patch.n, p_WA, p_WA + depth * patch.n};
}

}  // namespace

std::optional<PointContact> DeepestPoint(const PairQuery& query,
                                         std::optional<PointContact>* on_cut) {
  const bool on_grids = query.a->grid.field || query.b->grid.field;
  if (on_grids) return EstimateOf(query, query.tolerance);
  // The moments only tell where to start.
  constexpr double kStartTolerance = 1e-2;
  const auto point = EstimateOf(query, std::fmax(query.tolerance, kStartTolerance));
  if (!point) return std::nullopt;
  std::optional<Settled> found = SettleFromMoments(query, *point);
  if (!found) found = MoveApart(query, *point, true);
  if (!found) found = MoveApart(query, *point, false);
  if (found && found->is_cut && on_cut != nullptr) *on_cut = found->point;
  return found && !found->is_cut ? std::optional(found->point) : std::nullopt;
}

}  // namespace intervox::host::points
