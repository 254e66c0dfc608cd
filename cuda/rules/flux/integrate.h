/** @file One piece of the boundary to a given accuracy, and the small face of an ellipsoid. */
#pragma once

#include "cuda/rules/flux/sheet_sums.h"

namespace intervox::cuda::internal::flux {

/** A boundary point of the ellipsoid's face at σ ∈ [0, 1] of a piece, in the frame of the unit
 sphere; the face's `end` 0 or 1 of a sheet. False when the piece does not bound that face. */
INTERVOX_HD inline bool PatchPoint(const FluxModel& model, int round, const FluxPanel& p,
                                   double sigma, int end, Vec3* y) {
  const FluxCurve& ball = model.curve[round];
  if (p.kind == PanelKind::kRoundArc) {
    *y = InAxes(ball, PointOf(model, p, sigma).x - ball.o);
    return end == 0;
  }
  if (p.kind != PanelKind::kSheet) return false;
  const int by = end == 0 ? p.lo_by : p.hi_by;
  if (by > kByEntry) return false;
  const double at = p.u0 + sigma * (p.u1 - p.u0);
  const Generator g =
      GeneratorOf(model.curve[p.curve], p.c, p.s, p.map == 0 ? at : p.fold + p.map * at * at);
  double in = 0.0, out = 0.0;
  ClipToSolid(ball, g.b, g.d, &in, &out, p.residual, true);
  *y = InAxes(ball, g.b + (by == kByEntry ? in : out) * g.d - ball.o);
  return true;
}

/** Whether any piece bounds the face of the ellipsoid. */
INTERVOX_HD inline bool HasEdges(const FluxModel& model, int round, const FluxPanels& panels) {
  Vec3 y;
  for (int i = 0; i < 2 * panels.count; ++i) {
    if (PatchPoint(model, round, panels.panel[i / 2], 0.5, i % 2, &y)) return true;
  }
  return false;
}

/** Whether the face of the ellipsoid is small enough for sectors, seen from the boundary's mean. */
INTERVOX_HD inline bool FindSmallPole(const FluxModel& model, int round, const FluxPanels& panels,
                                      Vec3* pole) {
  constexpr double kSmall = 0.5;  // |y − e|²: 41° around the pole
  Vec3 mean, y;
  for (int i = 0; i < 6 * panels.count; ++i) {
    if (PatchPoint(model, round, panels.panel[i / 6], 0.5 * (i % 3), i / 3 % 2, &y)) mean += y;
  }
  const double length = Norm(mean);
  if (!(length > 0)) return false;
  *pole = mean / length;
  for (int i = 0; i < 6 * panels.count; ++i) {
    if (PatchPoint(model, round, panels.panel[i / 6], 0.5 * (i % 3), i / 3 % 2, &y) &&
        !(SquaredNorm(y - *pole) < kSmall)) {
      return false;
    }
  }
  const FluxCurve& s = model.curve[round];
  return Margin(model, s.o - s.frame * Scaled(s.radii, *pole), -1, round) > 0;
}

/** The candidate k for the centre of a large patch's sums: the normals of the planes, the other
 surface's axes and the boundary's mean, both ways; in the frame of the unit sphere. */
INTERVOX_HD inline Vec3 PoleCandidate(const FluxModel& model, int round, const Vec3& mean, int k) {
  const FluxCurve& s = model.curve[round];
  const double way = k % 2 == 0 ? 1.0 : -1.0;
  if (k < 2) return way * mean;
  if (k < 8) {
    const int axis = k / 2 - 1;
    const Mat3 frame = model.curves > 1 ? model.curve[1 - round].frame : Mat3::Identity();
    return Normalized(way * TransposeTimes(s.frame, frame.Col(axis)));
  }
  return Normalized(Scaled(s.radii, TransposeTimes(s.frame, model.plane[k - 8].n)));
}

/** Room for the candidates, and for how far from the boundary each is. */
struct PoleRoom {
  static constexpr int kMost = 8 + kFluxPlanes;
  Vec3 candidate[kMost];
  double gap[kMost];
};

/** The pole of a large patch's sums: −e is the candidate that is farthest from the boundary.
 `inside`: whether −e lies on the patch, so that the line integrals leave out 4π. */
INTERVOX_HD inline Vec3 FindLargePole(const FluxModel& model, int round, const FluxPanels& panels,
                                      Vec3 mean, Place<PoleRoom>* room, bool* inside) {
  const int count = 8 + model.planes;
  Vec3* const candidate = room->value.candidate;
  double* const gap = room->value.gap;
  for (int k = 0; k < count; ++k) {
    candidate[k] = PoleCandidate(model, round, mean, k);
    gap[k] = 4.0;  // squared diameter
  }
  Vec3 y;
  for (int i = 0; i < 6 * panels.count; ++i) {
    if (!PatchPoint(model, round, panels.panel[i / 6], 0.5 * (i % 3), i / 3 % 2, &y)) continue;
    for (int k = 0; k < count; ++k) {
      const double g = SquaredNorm(y - candidate[k]);
      gap[k] = g < gap[k] ? g : gap[k];
    }
  }
  int best = 0;
  for (int k = 1; k < count; ++k) {
    if (gap[k] > gap[best]) best = k;
  }
  const FluxCurve& s = model.curve[round];
  double level = Margin(model, s.o + s.frame * Scaled(s.radii, candidate[best]), -1, round);
  // Without a boundary, the place that says most: others may touch a surface.
  for (int k = 0; k < count && gap[best] == 4.0; ++k) {
    const double f = Margin(model, s.o + s.frame * Scaled(s.radii, candidate[k]), -1, round);
    if (std::fabs(f) > std::fabs(level)) level = f;
  }
  *inside = level <= 0;
  return -candidate[best];
}

/** One panel's share [from, to] ⊂ [0, 1] with 7 or 15 nodes. */
INTERVOX_HD inline PanelSums IntegratePanel(const FluxModel& model, const FluxPanel& p,
                                            const PatchPole& pole, bool fine, double from,
                                            double to) {
  if (p.kind == PanelKind::kSheet) {
    return fine ? IntegrateSheet(model, p, pole, Patterson15(), from, to)
                : IntegrateSheet(model, p, pole, Patterson7(), from, to);
  }
  return fine ? IntegrateArc(model, p, pole, Patterson15(), from, to)
              : IntegrateArc(model, p, pole, Patterson7(), from, to);
}

/** One panel by bisection until each part's error is below its share. */
INTERVOX_HD inline PanelSums RefinePanel(const FluxModel& model, const FluxPanel& p,
                                         const PatchPole& pole, double volume_goal,
                                         double area_goal) {
  PanelSums out;
  constexpr int kEvaluations =
      48;  // enough for any analytic piece; more would not help a rough one
  Bisection at;
  for (int n = 1; at.from < 1.0; ++n) {
    const PanelSums part = IntegratePanel(model, p, pole, true, at.from, at.from + at.width);
    const bool rough = part.volume_error > volume_goal || part.area_error > area_goal;
    if (rough && at.width > 1e-4 && n < kEvaluations) {
      at.width *= 0.5;
      out.work += part.work;
      continue;
    }
    out += part;
    at.Next();
  }
  return out;
}

}  // namespace intervox::cuda::internal::flux
