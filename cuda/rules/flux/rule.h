/** @file The flux rule: exact edge and generator integrals for planes with one or two quadrics.

 Every moment of Ω is a sum over its faces: with r from a point a near the overlap and a homogeneous
 f of degree k, ∫f dV = Σ_faces ∮ f r·n dS/(k+3). A planar face is in turn a sum of fans over its
 edges: straight ones in closed form, conic arcs by quadrature in the angle. A cylinder's or cone's
 face is swept by its generators, along which the integrand is a polynomial between bounds in closed
 form. An ellipsoid's face reduces to line integrals along its boundary. Panels end at every vertex
 and fold, so that the integrands are analytic and the error falls geometrically.

 A peg in a hole takes the shorter way of crescent_rule.h where that accepts it.

 ∮ n dS = 0 and ∮ r nᵀ dS = V I are checked: a boundary that was misread does not meet them, and the
 rule gives up. Their residual enters the error estimate. */
#pragma once

#include "cuda/numerics/lanes.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/flux/crescent_rule.h"
#include "cuda/rules/flux/integrate.h"

namespace intervox::cuda {

namespace internal::flux {

/** The lists of one attempt, which are too large for the stack of a device's thread. */
struct FluxMemory {
  FluxPanels panels;
  FluxHits hits;
  float volume_error[kFluxPanels], area_error[kFluxPanels];  ///< of the panels

  INTERVOX_HD FluxMemory() {}
};
static_assert(sizeof(FluxMemory) < 28 * 1024);

/** A sum of panels with its errors. */
struct FluxTotal {
  FluxSums sums;
  double volume_error = 0.0, area_error = 0.0;
  int work = 0;

  /** Adds other. */
  INTERVOX_HD FluxTotal& operator+=(const FluxTotal& other) {
    sums += other.sums;
    volume_error += other.volume_error;
    area_error += other.area_error;
    work += other.work;
    return *this;
  }
};

/** How far ∮ r nᵀ dS is from V times the identity [m³]. */
INTERVOX_HD inline double Opening(const FluxSums& sums) {
  double worst = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 off = sums.r_n.Row(i) - Vec3{i == 0 ? sums.x.v : 0.0, i == 1 ? sums.x.v : 0.0,
                                            i == 2 ? sums.x.v : 0.0};
    const double m = Largest(Abs(off));
    worst = m > worst ? m : worst;
  }
  return worst;
}

/** The pieces of ∂Ω, into the memory's lists. False when the pair is not for this rule. */
INTERVOX_HD inline bool ListPanels(const FluxModel& model, FluxMemory* memory, FluxSums* edges) {
  FluxPanels* panels = &memory->panels;
  FluxHits& hits = memory->hits;
  panels->Clear();
  hits.Clear();
  if (!AddStraightEdges(model, &hits, edges) || hits.full) return false;
  for (int q = 0; q < model.curves; ++q) {
    SheetBreaks breaks;
    for (int i = 0; i < model.planes; ++i) AddConic(model, i, q, hits, panels, &breaks);
    if (breaks.full) return false;
    if (model.curve[q].ruled && (!AddSheets(model, q, &breaks, panels) || breaks.full)) {
      return false;
    }
  }
  return !panels->full;
}

/** Chooses where the sums of the ellipsoid's face start, moves a there, and adds what they leave
 out: the whole sphere when they start on the face. */
INTERVOX_HD inline PatchPole StartPatch(int round, FluxMemory* memory, FluxModel* model,
                                        FluxSums* sums) {
  const FluxPanels& panels = memory->panels;
  const FluxCurve& s = model->curve[round];
  PatchPole pole;
  pole.small = FindSmallPole(*model, round, panels, &pole.e);
  if (pole.small) {
    Shift(s.frame * Scaled(s.radii, pole.e), model);
    *sums = {};
    memory->hits.Clear();
    AddStraightEdges(*model, &memory->hits, sums);
    return pole;
  }
  bool inside = false;
  pole.e = FindLargePole(*model, round, panels, pole.e, &inside);
  if (inside) {
    PatchSums sphere;
    sphere.a = 4.0 * kPi;
    AddPatch(s, pole, sphere, sums);
  }
  return pole;
}

/** One attempt with all surfaces shifted by about `nudge`, about `origin` where it is given and no
 ellipsoid prescribes its centre. */
INTERVOX_HD inline RuleResult TryFlux(const LocalPair& pair, double nudge, Moments* moments,
                                      FluxMemory* memory, const Vec3* origin = nullptr) {
  RuleResult result;
  FluxModel model;
  if (!MakeFluxModel(pair, nudge, &model)) return result;
  int round = -1;
  for (int q = 0; q < model.curves; ++q) {
    if (!model.curve[q].ruled) round = q;
  }
  if (round < 0 && origin != nullptr) {
    model.a = *origin;
  } else if (round < 0) {
    ApproachOverlap(&model);
  } else {
    model.a = model.curve[round].o;
  }
  Recentre(pair, &model);
  FluxTotal total;
  if (!ListPanels(model, memory, &total.sums)) return result;
  const FluxPanels& panels = memory->panels;
  if (panels.shared) {
    result.work = 1;
    return result;
  }
  const PatchPole pole = round >= 0 ? StartPatch(round, memory, &model, &total.sums) : PatchPole{};
  // A peg in its hole leaves the difference of two nearly equal fluxes: few digits will not do.
  const bool nested =
      model.curves == 2 && round < 0 && model.curve[0].side * model.curve[1].side < 0;
  // At a coarse tolerance seven nodes do for arcs: only sheets between close roots are hard.
  const auto is_fine = [&](const FluxPanel& p) {
    return nested && (pair.tolerance < 3e-4 || p.kind == PanelKind::kSheet);
  };
  float* volume_error = memory->volume_error;
  float* area_error = memory->area_error;
  total += SumInLanes<FluxTotal>(panels.count, [&](int i) {
    const bool fine = is_fine(panels.panel[i]);
    const PanelSums p = IntegratePanel(model, panels.panel[i], pole, fine, 0.0, 1.0);
    volume_error[i] = static_cast<float>(p.volume_error);
    area_error[i] = static_cast<float>(p.area_error);
    return FluxTotal{p.sums, p.volume_error, p.area_error, fine ? 15 : 7};
  });
  const double goal = 0.8 * kFluxShare * (pair.tolerance < 1e-3 ? pair.tolerance : 1e-3);
  const double volume = std::fabs(total.sums.x.v);
  const double area = Largest(Abs(total.sums.x.s)) + volume / model.size;
  const double open = Opening(total.sums);
  const double leak = 1e-6 + 0.01 * pair.tolerance;
  const bool leaky = Norm(total.sums.closure) > leak * total.sums.area;
  if (leaky || total.volume_error + open > goal * volume || total.area_error > goal * area) {
    // An open boundary that no panel owns up to is everybody's business.
    const bool all = leaky || open > 4.0 * total.volume_error;
    const double share = all ? 0.0 : goal / (1 + panels.count);
    const double volume_goal = share * volume, area_goal = share * area;
    total += SumInLanes<FluxTotal>(panels.count, [&](int i) {
      FluxTotal change;
      const double ev = volume_error[i], ea = area_error[i];
      if (ev <= volume_goal && ea <= area_goal) return change;
      const PanelSums old =
          IntegratePanel(model, panels.panel[i], pole, is_fine(panels.panel[i]), 0.0, 1.0);
      const PanelSums p =
          RefinePanel(model, panels.panel[i], pole, goal / (1 + panels.count) * volume,
                      goal / (1 + panels.count) * area, &change.work);
      change.sums = p.sums;
      change.sums.x += -1.0 * old.sums.x;
      change.sums.closure -= old.sums.closure;
      change.sums.r_n = change.sums.r_n - old.sums.r_n;
      change.sums.area -= old.sums.area;
      change.volume_error = p.volume_error - old.volume_error;
      change.area_error = p.area_error - old.area_error;
      return change;
    });
  }
  const Moments& x = total.sums.x;
  result.work = total.work;
  result.error =
      total.volume_error + Opening(total.sums) + kPositionRounding * total.sums.area * model.size;
  if (!(result.error < 1e200)) return result;
  // A face through a adds nothing to V and r n: only the area vector misses it.
  const double gap = Norm(total.sums.closure);
  result.accepted =
      gap <= leak * total.sums.area && (result.error <= 0.01 * std::fabs(x.v) ||
                                        result.error <= 1e-9 * total.sums.area * model.size);
  *moments = Shifted(x, model.a);
  // What is there with what the gap may hide does not matter: no other rule need look at it.
  const double most = std::fabs(x.v) + result.error + gap * model.size;
  if (!result.accepted && most <= pair.volume_floor) {
    result.accepted = true;
    result.error = most;
    *moments = {};
  }
  return result;
}

/** Whether Ω is so far from where its sums start that the centroid and the inertia, which are
 differences then, have errors many times those of V. `start` and `centroid` in L. */
INTERVOX_HD inline bool IsFarOff(const Moments& x, const Vec3& start, Vec3* centroid) {
  // The centroid errs by this many gyration radii times the error of V, the inertia by its square.
  constexpr double kFarOff = 3.0;
  if (!(x.v > 0)) return false;
  *centroid = x.m / x.v;
  const double square = Trace(x.second) / x.v - SquaredNorm(*centroid);
  return SquaredNorm(*centroid - start) > kFarOff * kFarOff * square;
}

// There is no parametrisation for the curve in which two ellipsoids meet.
INTERVOX_HD inline int CountEllipsoids(const LocalPair& pair) {
  int count = 0;
  for (int i = pair.planes; i < pair.count; ++i) {
    count += pair.surface[i].surface.kind == geometry::SurfaceKind::kEllipsoid;
  }
  return count;
}

}  // namespace internal::flux

/** Moments of a pair bounded by planes and one or two cylinders, cones or ellipsoids (at most one
 ellipsoid), either side. Spectral: about 1e-9 relative for overlaps of ordinary shape. Not accepted
 for other surfaces, and when the boundary cannot be closed. Lanes share the panels. */
INTERVOX_HD inline RuleResult FluxRule(const LocalPair& pair, Moments* moments,
                                       internal::flux::FluxMemory* memory) {
  if (internal::flux::CountEllipsoids(pair) > 1) return {};
  RuleResult result = internal::flux::TryCrescent(pair, moments);
  if (result.accepted) return result;
  result = internal::flux::TryFlux(pair, 0.0, moments, memory);
  // A speck in a large box: from near it the sums have its own size. The first look at its place is
  // rough.
  constexpr int kLooks = 3;
  Vec3 start = 0.5 * (pair.lower + pair.upper), centroid;
  for (int i = 0; i < kLooks && result.accepted; ++i) {
    if (!internal::flux::IsFarOff(*moments, start, &centroid)) break;
    Moments about;
    RuleResult again = internal::flux::TryFlux(pair, 0.0, &about, memory, &centroid);
    again.work += result.work;
    if (!again.accepted) break;
    start = centroid;
    *moments = about;
    result = again;
  }
  if (!result.accepted && result.work > 0) {
    // Edges that coincide exactly, as where a ball ends a pin of its radius, part once every
    // surface moves by its own small distance.
    const double size = Norm(pair.upper - pair.lower);
    result = internal::flux::TryFlux(pair, 1e-11 * size, moments, memory);
    result.error += 1e-11 * size * size * size;
  }
  return result;
}

/** The same with its memory on the stack. */
inline RuleResult FluxRule(const LocalPair& pair, Moments* moments) {
  internal::flux::FluxMemory memory;
  return FluxRule(pair, moments, &memory);
}

}  // namespace intervox::cuda
