/** @file What stands for S and G: faces by the ends of columns, or as sections of their own. */
#pragma once

#include "cuda/rules/column/chart.h"
#include "cuda/rules/column/ring_span.h"

namespace intervox::cuda::internal::column {

/** Least cosine between a plane's normal and the columns at which their ends stand for its face. */
inline constexpr double kLeastSlope = 0.01;

/** (K6): chooses what stands for S and G. Over the closed surface of Ω the areas sum to nothing,
 and so do their moments: any constant may be added to all weights, and one that leaves a body's
 faces without weight leaves the other's to be integrated. A torus other than the chart's own has
 the poorest columns, and each plane takes a section of its own. Returns the constant. */
INTERVOX_HD inline double SetWeights(const LocalPair& pair, ColumnChart* chart) {
  constexpr double kConstant[] = {0.0, 0.5, -0.5};
  constexpr int kPlaneCost = 4, kRingCost = 1000;
  int best = 0, least = 0;
  for (int k = 0; k < 3; ++k) {
    int cost = 0;
    for (int i = 0; i < pair.count; ++i) {
      if (pair.surface[i].weight + kConstant[k] == 0 || (chart->active >> i & 1) == 0) continue;
      const bool torus = pair.surface[i].surface.kind == geometry::SurfaceKind::kTorus;
      cost += i < pair.planes ? kPlaneCost : torus && i != chart->ring ? kRingCost : 1;
    }
    if (k == 0 || cost < least) {
      best = k;
      least = cost;
    }
  }
  const int axis = chart->ring >= 0 ? 2 : chart->v;
  const Vec3 along = chart->F.Col(axis);
  bool rings = false;
  for (int i = pair.planes; i < pair.count; ++i) {
    rings = rings || pair.surface[i].surface.kind == geometry::SurfaceKind::kTorus;
  }
  for (int i = 0; i < pair.count; ++i) {
    const Vec3 n = pair.surface[i].surface.PlaneNormal();
    const bool ends =
        i >= pair.planes || (rings && std::fabs(Dot(n, along)) > kLeastSlope * Norm(along));
    chart->weight[i] = ends ? pair.surface[i].weight + kConstant[best] : 0.0;
  }
  return kConstant[best];
}

/** Adds S and G of the planes for which no columns stand, their weights raised by a constant: each
 is a section of its own, within a box around Ω. `chart` is overwritten. False when a section has
 too many parts. */
INTERVOX_HD inline bool AddPlaneFaces(const LocalPair& pair, const clip::ClipBox& box,
                                      double raised, SectionRoom* room, ColumnChart* chart,
                                      Moments* moments) {
  PlaneSection& section = room->section.value;
  std::uint64_t open = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const bool has_face = pair.surface[i].weight + raised != 0 && (chart->active >> i & 1) != 0;
    if (has_face && chart->weight[i] == 0) open |= std::uint64_t{1} << i;
  }
  const auto add = [&](int i) {
    section.weight = nullptr;
    section.j0 = 1;
    section.j1 = 0;
    const SectionSums sums = IntegrateSection(room, pair, true, {SectionGoalOf(pair)});
    const LocalSurface& local = pair.surface[i];
    const Vec3 n = (local.weight + raised) * local.surface.side * local.surface.PlaneNormal();
    moments->s += sums.x.v * n;
    moments->g += Cross(sums.x.m, n);
    return !sums.full;
  };
  for (int i = 0; i < pair.planes && chart->ring >= 0; ++i) {
    const geometry::Surface& own = pair.surface[i].surface;
    const geometry::Surface& torus = pair.surface[chart->ring].surface;
    if ((open >> i & 1) == 0 || !IsSide(own, torus)) continue;
    open &= ~(std::uint64_t{1} << i);
    const Vec3 d = TransposeTimes(chart->F, Cross(torus.R.Col(2), own.PlaneNormal()));
    for (int side = -1; side <= 1; side += 2) {
      const double t = ParameterOf(side * d.x, side * d.y);
      if (SectionAt(*chart, t, i, room) && !add(i)) return false;
    }
  }
  if (open == 0) return true;
  chart->p = {};
  chart->F = Mat3::Identity();
  chart->ring = -1;
  MapSurfaces(pair, chart);
  // A little wider, as the chart is.
  const Vec3 half = 0.5000001 * (box.upper - box.lower);
  const Vec3 centre = box.p + box.F * (0.5 * (box.lower + box.upper));
  const Mat3 edges =
      Mat3::FromColumns(half.x * box.F.Col(0), half.y * box.F.Col(1), half.z * box.F.Col(2));
  for (int i = 0; i < pair.planes; ++i) {
    if ((open >> i & 1) == 0) continue;
    const geometry::Surface& own = pair.surface[i].surface;
    const Vec3 n = own.side * own.PlaneNormal(), U = AnyOrthogonal(n), V = Cross(n, U);
    const Vec3 P = centre + Dot(n, own.o - centre) * n;
    const double reach_u = Dot(Abs(TransposeTimes(edges, U)), {1, 1, 1});
    const double reach_v = Dot(Abs(TransposeTimes(edges, V)), {1, 1, 1});
    section.u_lo = -reach_u;
    section.u_hi = reach_u;
    section.v_lo = -reach_v;
    section.v_hi = reach_v;
    if (FillSection(*chart, P, U, V, i, room) && !add(i)) return false;
  }
  return true;
}

}  // namespace intervox::cuda::internal::column
