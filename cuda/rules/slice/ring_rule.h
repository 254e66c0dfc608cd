/** @file The slice rule for a torus or a sector of one: sums of sections over half planes. */
#pragma once

#include <cmath>

#include "cuda/numerics/tolerances.h"
#include "cuda/rules/slice/ring_quadric.h"
#include "cuda/rules/slice/ring_section.h"

namespace intervox::cuda::internal::slice {

/** Beside a quadric alone that reaches less deep into the tube, in its radii, other rules are
 * asked. */
inline constexpr double kThin = 2e-3;

/** What is read of a pair with a ring, and room for its sections. */
struct RingMemory {
  Place<Ring> ring;
  Place<RingTurns> turns;
  Place<RingSection> section;
  Place<RingLooks> looks;
};

/** What bounds a section beside a quadric, as a number: it changes at events alone. */
INTERVOX_HD inline unsigned KindOf(const RingSection& section) {
  if (section.empty) return 0;
  const ConicFigure& within = section.within;
  unsigned kind = within.arcs + 32u * within.bows;
  for (int i = 0; i < within.spans; ++i) kind = 31u * kind + within.span[i].line + 1;
  return kind;
}

/** (R8): sums of a panel between two breaks. */
INTERVOX_HD inline RingSums SumPanelOf(const LocalPair& pair, const Ring& ring,
                                       const HalfTurn& turn, double lower, double upper,
                                       double tolerance, const SumErrors& least,
                                       RingSection* section, PanelChange* change,
                                       RuleResult* result) {
  const auto at = [&](double u, double weight, RingSums* node) {
    const Heading heading = turn.At(u);
    SectionAt(ring, heading, section);
    if (ring.quadric.there && !(section->figure.lost > 0)) change->Look(KindOf(*section), u);
    if (section->empty) return;
    if (ring.watches > 0) Watch(pair, ring, heading, section);
    *node = SumsOf(ring, heading, *section, 2 * weight / (1 + u * u));
  };
  constexpr int kTries = 27;
  const RingSums total =
      SumMapped<RingSums>(lower, upper, turn.singular, kTries, tolerance, least, at, result);
  result->error += total.lost;
  return total;
}

/** Adds what the middles of a half turn's panels make of V and of the area. */
INTERVOX_HD inline void AddMiddles(const Ring& ring, const HalfTurn& turn, RingSection* section,
                                   SumErrors* sizes) {
  double begin = turn.lower;
  for (int i = 0; i <= turn.breaks.count; ++i) {
    const double end = i < turn.breaks.count ? turn.breaks.at[i] : turn.upper;
    if (!(end > begin)) continue;
    const double u = 0.5 * (begin + end);
    SectionAt(ring, turn.At(u), section);
    if (section->figure.moments.a > 0) {
      const RingSums one = SumsOf(ring, turn.At(u), *section, 2 * (end - begin) / (1 + u * u));
      sizes->v += one.body.v;
      sizes->a += one.a;
    }
    begin = end;
  }
}

/** Whether all that a look at a panel shows is empty. */
INTERVOX_HD inline bool LooksEmpty(const Ring& ring, const HalfTurn& turn, double lower,
                                   double upper, RingSection* section) {
  const NestedRule<8>& looks = Patterson7();
  for (int i = 0; i < (ring.quadric.there ? 7 : 1); ++i) {
    const double s = ring.quadric.there ? looks.x[i] : 0.5, x = s * s * (3 - 2 * s);
    SectionAt(ring, turn.At(lower + x * (upper - lower)), section);
    if (section->figure.moments.a > 0 || section->figure.lost > 0) return false;
  }
  return true;
}

/** (R6): adds s and g of the face in which the ring's body ends at an azimuth; returns its area.
 @param sense  1 where the body lies counterclockwise from there, −1 where it ends: a section that
 rounding has lost is sought a little further in */
INTERVOX_HD inline double AddSide(const Ring& ring, const Heading& heading, const RingSide& side,
                                  double sense, RingSection* section, Moments* moments) {
  constexpr double kFurther = 1e-8;
  SectionAt(ring, heading, section);
  for (int k = 1; k < 8 && section->figure.lost > 0 && !(section->figure.moments.a > 0); ++k) {
    SectionAt(ring, heading.Turned({1.0, sense * k * kFurther}), section);
  }
  const PlaneMoments& m = section->figure.moments;
  if (section->empty || !(m.a > 0)) return 0.0;
  const Plane2& o = section->figure.origin;
  const double x = m.x + (ring.major + o.x) * m.a, z = m.z + o.z * m.a;
  const Vec3 first = m.a * ring.centre + Vec3{x * heading.c, x * heading.s, z};
  moments->s += side.weight * m.a * side.n;
  moments->g += side.weight * Cross(first, side.n);
  return m.a;
}

/** (R7, R9, R11): moments of a torus or of a sector of it between planes, in a ball, or on one side
 of a quadric. */
INTERVOX_HD inline RuleResult RingRule(const LocalPair& pair, RingMemory* memory,
                                       Moments* moments) {
  *moments = {};
  Ring& ring = memory->ring.Make();
  if (!MakeRing(pair, &ring)) {
    memory->ring.Make();
    if (!MakeGroove(pair, &ring)) return {};
    RingSection& near = memory->section.Make();
    WatchFarLines(&near.groove_room, &near.groove, &ring);
  }
  RuleResult result{true, 0.0, 0, false};
  if (ring.empty) return result;
  const bool beside = ring.quadric.there;
  RingTurns& turns = memory->turns.Make();
  FindTurns(ring, &turns);
  if (ring.ball.outside) AddGrooveEvents(ring, &turns);
  if (beside) {
    const double lowest = FindQuadricTurns(ring, &memory->looks, &turns);
    // A thin lens is one for the column rule.
    if (ring.cuts == 0 && ring.whole && lowest > -kThin * ring.minor) return {};
  }
  // Far below what is asked for, at next to no cost: cutting a face must not show.
  const double tolerance = std::fmax((beside ? 1e-2 : 1e-3) * pair.tolerance, 1e-13);
  RingSection& section = memory->section.Make();
  for (int i = 0; i < ring.watches; ++i) {
    section.lowest[i] = INFINITY;
    section.highest[i] = -INFINITY;
  }
  // Beside a quadric there may be panels with next to nothing in them.
  SumErrors least;
  if (beside) {
    for (const HalfTurn& turn : turns.turn) AddMiddles(ring, turn, &section, &least);
    constexpr double kShare = 0.1;
    least.v *= kShare * tolerance;
    least.a *= kShare * tolerance;
  }
  RingSums sums;
  for (HalfTurn& turn : turns.turn) {
    const auto sum = [&](double lower, double upper, PanelChange* change, RingSums* part,
                         RuleResult* panel) {
      if (LooksEmpty(ring, turn, lower, upper, &section)) return false;
      *part = SumPanelOf(pair, ring, turn, lower, upper, tolerance, least, &section, change, panel);
      return true;
    };
    const auto kind_at = [&](double u) {
      SectionAt(ring, turn.At(u), &section);
      return KindOf(section);
    };
    RingSums half;
    if (turn.lower < turn.upper) SumPanels(sum, kind_at, &turn, &half, &result);
    sums += half;
    if (turn.breaks.full || turn.singular.full) return {};
  }
  for (int i = 0; i < ring.watches && sums.body.v > 0; ++i) {
    const double between = 0.1 * (section.highest[i] - section.lowest[i]);
    if (!(section.highest[i] <= -between)) return {};
  }
  // What was not found beside a quadric may be there.
  if (!(sums.body.v > 0)) return beside ? RuleResult{} : result;
  double area = sums.a;
  if (!ring.whole) {
    area += AddSide(ring, ring.first, ring.first_side, 1.0, &section, &sums.body);
    area += AddSide(ring, ring.last, ring.last_side, -1.0, &section, &sums.body);
  }
  *moments = Turned(Mat3::FromColumns(ring.x, ring.y, ring.z), sums.body);
  result.rounding = !beside && result.error <= pair.tolerance * sums.body.v;
  // What rounding of the positions makes of the volume: of planes, and of where they meet.
  const bool several = ring.cuts > 1 || beside || ring.ball.outside;
  const double moves = (several ? 4 : 1) * kPositionRounding * ring.reach;
  result.error += (moves + kLevelRounding * ring.quadric.terms) * area;
  result.error += kLevelRounding * sums.body.v;
  return result;
}

}  // namespace intervox::cuda::internal::slice
