/** @file What stands for S and G: faces by the ends of columns, or as sections of their own. */
#pragma once

#include "cuda/rules/column/chart.h"

namespace intervox::cuda::internal::column {

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
  for (int i = pair.planes; i < pair.count; ++i) {
    chart->weight[i - pair.planes] = pair.surface[i].weight + kConstant[best];
  }
  return kConstant[best];
}

/** Adds S and G of the planes, their weights raised by a constant: each is a section of its own,
 within a box around Ω. `chart` is overwritten. False when a section has too many parts. */
INTERVOX_HD inline bool AddPlaneFaces(const LocalPair& pair, const clip::ClipBox& box,
                                      double raised, ColumnChart* chart, Moments* moments) {
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
    const LocalSurface& local = pair.surface[i];
    const double weight = local.weight + raised;
    if (weight == 0 || (chart->active >> i & 1) == 0) continue;
    const Vec3 n = local.surface.side * local.surface.PlaneNormal();
    const Vec3 U = AnyOrthogonal(n), V = Cross(n, U);
    const Vec3 P = centre + Dot(n, local.surface.o - centre) * n;
    PlaneSection section;
    const double reach_u = Dot(Abs(TransposeTimes(edges, U)), {1, 1, 1});
    const double reach_v = Dot(Abs(TransposeTimes(edges, V)), {1, 1, 1});
    section.u_lo = -reach_u;
    section.u_hi = reach_u;
    section.v_lo = -reach_v;
    section.v_hi = reach_v;
    SectionLine plane[kMaxSurfaces];
    int planes = 0;
    if (!FillSection(*chart, P, U, V, i, &section, plane, &planes)) continue;
    section.weight = nullptr;
    section.planes = pair.count;
    const SectionSums sums =
        IntegrateSection(&section, pair, plane, planes, true, 0.01 * pair.tolerance);
    if (sums.full) return false;
    moments->s += weight * sums.x.v * n;
    moments->g += weight * Cross(sums.x.m, n);
  }
  return true;
}

}  // namespace intervox::cuda::internal::column
