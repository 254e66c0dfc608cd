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
#include "cuda/rules/holes.h"

namespace intervox::cuda {

namespace internal::flux {

/** Room for making the lists of pieces. */
struct ListRoom {
  Place<SheetBreaks> breaks;
  Place<ConicKnots> knots;
  Place<Folds> folds;
};

/** Room for choosing a pole, then for the sums over panels. */
struct FluxSumRoom {
  Place<PoleRoom> poles;
  LaneSums<PanelSums> lanes;
};

/** What is read and listed of a pair, which is too large for the stack of a device's thread: first
 as a peg in a hole, then in one attempt after the other. */
struct FluxMemory {
  union {
    CrescentMemory crescent;
    FluxPanels panels;
  };
  FluxHits hits;
  float volume_error[kFluxPanels], area_error[kFluxPanels];  ///< of the panels
  Place<HoleTerms> holes;
  Place<FluxModel> model;
  union {
    ListRoom list;
    FluxSumRoom sum;
  };

  INTERVOX_HD FluxMemory() {}
};
static_assert(sizeof(FluxMemory) < 34 * 1024);

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
    SheetBreaks& breaks = memory->list.breaks.Make();
    for (int i = 0; i < model.planes; ++i) {
      if (model.IsNear(i)) AddConic(model, i, q, hits, &memory->list.knots, panels, &breaks);
    }
    if (breaks.full) return false;
    if (!model.curve[q].ruled) continue;
    if (!AddSheets(model, q, &memory->list.folds, &breaks, panels) || breaks.full) return false;
  }
  return !panels->full;
}

/** Chooses where the sums of the ellipsoid's face start, moves a there, and adds what they leave
 out: the whole sphere when they start on the face. False where that face adds nothing. */
INTERVOX_HD inline bool StartPatch(int round, FluxMemory* memory, FluxModel* model, FluxSums* sums,
                                   PatchPole* pole) {
  const FluxPanels& panels = memory->panels;
  const FluxCurve& s = model->curve[round];
  pole->small = FindSmallPole(*model, round, panels, &pole->e);
  if (pole->small) {
    Shift(s.frame * Scaled(s.radii, pole->e), model);
    *sums = {};
    memory->hits.Clear();
    AddStraightEdges(*model, &memory->hits, sums);
    return true;
  }
  bool inside = false;
  pole->e = FindLargePole(*model, round, panels, pole->e, &memory->sum.poles, &inside);
  if (inside) {
    PatchSums sphere;
    sphere.a = 4.0 * kPi;
    AddPatch(s, *pole, sphere, sums);
  }
  return inside || HasEdges(*model, round, panels);
}

/** Where the sums of an attempt start, and the tolerance that they are taken to. */
struct FluxStart {
  double tolerance = 0.0;
  Vec3 a;              ///< their origin in L [m]
  bool given = false;  ///< whether a is known before the attempt
  bool bound = false;  ///< whether the face of an ellipsoid prescribes a, known after it
};

/** Reads the pair and lists its pieces about start->a; where that is not given about an ellipsoid's
 centre, else about a point near Ω. False when the pair is not for this rule. */
INTERVOX_HD inline bool ListAbout(const LocalPair& pair, double nudge, FluxStart* start,
                                  FluxMemory* memory, FluxModel* model, FluxSums* edges) {
  if (!MakeFluxModel(pair, nudge, model)) return false;
  const int round = RoundCurve(*model);
  start->bound = round >= 0 && !start->given;
  if (!start->given) {
    start->a = start->bound ? model->curve[round].o : NearOverlap(*model, model->a);
  }
  model->a = start->a;
  Recentre(pair, model);
  *edges = {};
  return ListPanels(*model, memory, edges);
}

/** One attempt with all surfaces shifted by about `nudge`. */
INTERVOX_HD inline RuleResult TryFlux(const LocalPair& pair, double nudge, FluxStart* start,
                                      Moments* moments, FluxMemory* memory) {
  RuleResult result;
  FluxModel& model = memory->model.Make();
  PanelSums total;
  if (!ListAbout(pair, nudge, start, memory, &model, &total.sums)) return result;
  const FluxPanels& panels = memory->panels;
  const int round = RoundCurve(model);
  PatchPole pole;
  if (start->bound && !panels.shared && !StartPatch(round, memory, &model, &total.sums, &pole)) {
    // The ellipsoid holds Ω or is beside it: its centre may be far from there, and is not needed.
    start->a += NearOverlap(model, 0.5 * (model.lower + model.upper));
    start->given = true;
    if (!ListAbout(pair, nudge, start, memory, &model, &total.sums)) return result;
  }
  if (panels.shared) {
    result.work = 1;
    return result;
  }
  if (round >= 0 && !start->bound && HasEdges(model, round, panels)) return result;
  start->a = model.a;
  // A peg in its hole leaves the difference of two nearly equal fluxes: few digits will not do.
  const bool nested =
      model.curves == 2 && round < 0 && model.curve[0].side * model.curve[1].side < 0;
  const double tolerance = start->tolerance;
  // At a coarse tolerance seven nodes do for arcs: only sheets between close roots are hard.
  const auto is_fine = [&](const FluxPanel& p) {
    return nested && (tolerance < 3e-4 || p.kind == PanelKind::kSheet);
  };
  float* volume_error = memory->volume_error;
  float* area_error = memory->area_error;
  const auto integrate = [&](int i) {
    const FluxPanel& panel = panels.panel[i];
    const PanelSums p = IntegratePanel(model, panel, pole, is_fine(panel), 0.0, 1.0);
    volume_error[i] = static_cast<float>(p.volume_error);
    area_error[i] = static_cast<float>(p.area_error);
    return p;
  };
  total += SumInLanes<PanelSums>(panels.count, integrate, &memory->sum.lanes);
  const double goal = 0.8 * kFluxShare * (tolerance < 1e-3 ? tolerance : 1e-3);
  const double volume = std::fabs(total.sums.x.v);
  const double area = Largest(Abs(total.sums.x.s)) + volume / model.size;
  const double open = Opening(total.sums);
  const double leak = 1e-6 + 0.01 * tolerance;
  const bool leaky = Norm(total.sums.closure) > leak * total.sums.area;
  if (leaky || total.volume_error + open > goal * volume || total.area_error > goal * area) {
    // An open boundary that no panel owns up to is everybody's business.
    const bool all = leaky || open > 4.0 * total.volume_error;
    const double share = all ? 0.0 : goal / (1 + panels.count);
    const double volume_goal = share * volume, area_goal = share * area;
    const auto refine = [&](int i) {
      const double ev = volume_error[i], ea = area_error[i];
      if (ev <= volume_goal && ea <= area_goal) return PanelSums{};
      const PanelSums old =
          IntegratePanel(model, panels.panel[i], pole, is_fine(panels.panel[i]), 0.0, 1.0);
      PanelSums change =
          RefinePanel(model, panels.panel[i], pole, goal / (1 + panels.count) * volume,
                      goal / (1 + panels.count) * area);
      change.sums.x += -1.0 * old.sums.x;
      change.sums.closure -= old.sums.closure;
      change.sums.r_n = change.sums.r_n - old.sums.r_n;
      change.sums.area -= old.sums.area;
      change.volume_error -= old.volume_error;
      change.area_error -= old.area_error;
      return change;
    };
    total += SumInLanes<PanelSums>(panels.count, refine, &memory->sum.lanes);
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

/** How many times as large as the error of V, relatively, that of the inertia is: the square of
 Ω's distance from where its sums start over its radius of gyration. `start` and `centroid` in L. */
INTERVOX_HD inline double FarOff(const Moments& x, const Vec3& start, Vec3* centroid) {
  constexpr double kFarthest = 1e8;  // rounding leaves nothing to tell beyond
  if (!(x.v > 0)) return 0.0;
  *centroid = x.m / x.v;
  const double square = Trace(x.second) / x.v - SquaredNorm(*centroid);
  const double distance = SquaredNorm(*centroid - start);
  return distance < kFarthest * square ? distance / square : kFarthest;
}

/** Where to start again from, after an attempt that was accepted, or its error such that it covers
 the inertia's. False where the attempt will do. */
INTERVOX_HD inline bool StartAgain(const LocalPair& pair, const Moments& moments, FluxStart* start,
                                   RuleResult* result) {
  constexpr double kFarOff = 9.0;
  Vec3 centroid;
  const double far = FarOff(moments, start->a, &centroid);
  if (!(far > kFarOff)) return false;
  if (!start->bound) {
    // A speck in a large box: from near it the sums have its own size.
    start->a = centroid;
    start->given = true;
    return true;
  }
  // The face of an ellipsoid prescribes the start, as where planes cut a slab from a needle: V must
  // be known so much better.
  constexpr double kInertia = 5.0;  // its error in tolerances
  constexpr double kFinest = 1e-6;  // of the tolerances that it is held to
  const double goal = pair.tolerance > kFinest ? pair.tolerance : kFinest;
  const double most = result->error * far / kInertia;
  if (most <= goal * moments.v) return false;
  result->error = most;
  if (start->tolerance * far <= goal) return false;
  start->tolerance = goal / far;
  return true;
}

// There is no parametrisation for the curve in which two ellipsoids meet.
INTERVOX_HD inline int CountEllipsoids(const LocalPair& pair) {
  int count = 0;
  for (int i = pair.planes; i < pair.count; ++i) {
    count += pair.surface[i].surface.kind == geometry::SurfaceKind::kEllipsoid;
  }
  return count;
}

/** One pair as it is. */
INTERVOX_HD inline RuleResult FluxOf(const LocalPair& pair, Moments* moments, FluxMemory* memory) {
  if (CountEllipsoids(pair) > 1) return {};
  RuleResult result = TryCrescent(pair, &memory->crescent, moments);
  if (result.accepted) return result;
  FluxStart start{pair.tolerance, {}};
  result = TryFlux(pair, 0.0, &start, moments, memory);
  constexpr int kLooks = 3;  // the first look at Ω's place is rough
  for (int i = 0; i < kLooks && result.accepted; ++i) {
    if (!StartAgain(pair, *moments, &start, &result)) break;
    Moments about;
    RuleResult again = TryFlux(pair, 0.0, &start, &about, memory);
    again.work += result.work;
    if (!again.accepted) break;
    *moments = about;
    result = again;
  }
  if (!result.accepted && result.work > 0) {
    // Edges that coincide exactly, as where a ball ends a pin of its radius, part once every
    // surface moves by its own small distance.
    const double size = Norm(pair.upper - pair.lower);
    start = {pair.tolerance, {}};
    result = TryFlux(pair, 1e-11 * size, &start, moments, memory);
    result.error += 1e-11 * size * size * size;
  }
  return result;
}

}  // namespace internal::flux

/** Moments of a pair bounded by planes and one or two cylinders, cones or ellipsoids (at most one
 ellipsoid), either side, or of one that is so but for its holes (H1). Spectral: about 1e-9 relative
 for overlaps of ordinary shape. Not accepted for other surfaces, and when the boundary cannot be
 closed. Lanes share the panels.
 @param term  room for a pair without its holes */
INTERVOX_HD inline RuleResult FluxRule(const LocalPair& pair, LocalPair* term, Moments* moments,
                                       internal::flux::FluxMemory* memory) {
  using namespace internal;
  HoleTerms& terms = memory->holes.Make(pair, term);
  while (terms.Next()) {
    Moments of_term;
    const RuleResult result = flux::FluxOf(terms.pair(), &of_term, memory);
    terms.Take(result, of_term);
  }
  return terms.Result(moments);
}

/** The same with its memory on the stack. Out of line: it would be the stack of every pair. */
__attribute__((noinline)) inline RuleResult FluxRule(const LocalPair& pair, LocalPair* term,
                                                     Moments* moments) {
  internal::flux::FluxMemory memory;
  return FluxRule(pair, term, moments, &memory);
}

}  // namespace intervox::cuda
