/** @file The flux rule's short way for a convex peg in a round hole: columns between wall and peg.
 */
#pragma once

#include "cuda/numerics/place.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/flux/crescent_breaks.h"
#include "cuda/rules/flux/crescent_sums.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kCrescentPanels = 48;
/** Three columns do where Simpson's rule differs from them by less than this share of V: they were
 seen to err by a ninetieth of the difference. */
inline constexpr double kFewColumns = 1e-5;

/** The panels of a crescent; `count` −1 when a generator is not bounded or there are too many. */
struct CrescentPanels {
  CrescentPanel panel[kCrescentPanels];
  int count = 0;
};

/** What is read of a pair as a peg in a hole, the sums, and those of a part. */
struct CrescentMemory {
  Place<Crescent> crescent;
  Place<CrescentBreaks> breaks;
  Place<CrescentPanels> panels;
  Place<CrescentSums> sums, part;
};

/** A direction across the hole's axis. */
struct CrescentDirection {
  double c = 1.0, s = 0.0;
};

/** The direction of a place that may lie up to a turn beyond the circle's last one. */
INTERVOX_HD inline CrescentDirection DirectionBeyond(double place) {
  constexpr double kTurn = 8.0 * kT;
  CrescentDirection out;
  DirectionOf(place >= kTurn ? place - kTurn : place, &out.c, &out.s);
  return out;
}

/** Adds the generators from a direction to another one, if they bound Ω. */
INTERVOX_HD inline void AddCrescentPanel(const Crescent& x, const LocalPair& pair,
                                         const CrescentDirection& from, const CrescentDirection& to,
                                         int kind0, int kind1, CrescentPanels* out) {
  const double c0 = from.c, s0 = from.s, c1 = to.c, s1 = to.s;
  const double cm = c0 + c1, sm = s0 + s1, length = std::sqrt(cm * cm + sm * sm);
  CrescentPanel p;
  p.c = cm / length;
  p.s = sm / length;
  p.reach = (p.c * s1 - p.s * c1) / (1.0 + p.c * c1 + p.s * s1);
  for (int i = 0; i < x.cuts; ++i) {
    // Panels end at cuts: all of one lies on one side.
    if (x.cut[i].n.x * p.c + x.cut[i].n.y * p.s > 0) return;
  }
  CrescentSpan span;
  if (!(p.reach > 0) || !FindSpan(x, p.c, p.s, &span)) return;
  if (span.lo_by == kByNothing || span.hi_by == kByNothing || out->count == kCrescentPanels) {
    out->count = -1;
    return;
  }
  if (x.sides > 0) {
    const int side = SideOfPanel(x, c0, s0, c1, s1);
    if (side < 0) return;
    if (side == 0) {
      out->count = -1;
      return;
    }
  }
  const double z = 0.5 * (span.lo + span.hi), r = x.radius + x.k * z;
  const Vec3 at = x.o + x.frame * Vec3{r * p.c, r * p.s, z};
  const Vec3 off = Abs(at - 0.5 * (pair.lower + pair.upper));
  const Vec3 half = (0.5 + 1e-9) * (pair.upper - pair.lower);
  // The listed surfaces may have more in common, far away.
  if (off.x > half.x || off.y > half.y || off.z > half.z) return;
  p.lo_by = span.lo_by;
  p.hi_by = span.hi_by;
  // Near its ends a crescent's outline turns sharply: nodes gather there.
  p.slope[0] = kind0 == kBreakIsFold ? 0.0 : 0.5;
  p.slope[1] = kind1 == kBreakIsFold ? 0.0 : 0.5;
  p.cut[0] = static_cast<std::int8_t>(kind0);
  p.cut[1] = static_cast<std::int8_t>(kind1);
  out->panel[out->count++] = p;
}

/** The panels between all breaks. */
INTERVOX_HD inline void ListCrescentPanels(const Crescent& x, const LocalPair& pair,
                                           const CrescentBreaks& breaks, CrescentPanels* out) {
  constexpr double kTurn = 8.0 * kT;
  constexpr double kWidest = 3.2 * kT;  // 144°
  const int count = breaks.count > 0 ? breaks.count : 1;
  CrescentDirection begin = DirectionBeyond(breaks.count > 0 ? breaks.v[0] : 0.0);
  for (int i = 0; i < count; ++i) {
    const double from = breaks.count > 0 ? breaks.v[i] : 0.0;
    const double to =
        i + 1 < count ? breaks.v[i + 1] : (breaks.count > 0 ? breaks.v[0] : 0) + kTurn;
    const int kind0 = breaks.count > 0 ? breaks.kind[i] : kBreakOfEnds;
    const int kind1 = breaks.count > 0 ? breaks.kind[i + 1 < count ? i + 1 : 0] : kBreakOfEnds;
    const double width = to - from;
    if (!(width > 1e-13)) {
      begin = DirectionBeyond(to);
      continue;
    }
    const int pieces = 1 + static_cast<int>(width / kWidest);
    for (int k = 0; k < pieces && out->count >= 0; ++k) {
      const CrescentDirection end =
          DirectionBeyond(k + 1 < pieces ? from + width * (k + 1) / pieces : to);
      AddCrescentPanel(x, pair, begin, end, k == 0 ? kind0 : kBreakOfEnds,
                       k + 1 == pieces ? kind1 : kBreakOfEnds, out);
      begin = end;
    }
  }
}

/** Adds one panel by bisection until each part's errors are below the goals. */
INTERVOX_HD inline void RefineCrescent(const Crescent& x, const CrescentPanel& p,
                                       double volume_goal, double area_goal,
                                       Place<CrescentSums>* room, CrescentSums* out) {
  constexpr int kEvaluations = 24;
  AddCutFaces(x, p, out);
  Bisection at;
  for (int n = 0; at.from < 1.0; ++n) {
    CrescentSums& part = room->Make();
    IntegrateCrescent<LobattoColumns>(x, p, Patterson15(), at.from, at.from + at.width, &part);
    const bool rough = part.volume_error > volume_goal || part.area_error > area_goal;
    if (rough && n < kEvaluations && at.width > 1e-3) {
      at.width *= 0.5;
      out->work += part.work;
      continue;
    }
    *out += part;
    at.Next();
  }
}

/** Adds all panels. */
template <class Columns, int N>
INTERVOX_HD inline void SumPanels(const Crescent& x, const CrescentPanels& panels,
                                  const NestedRule<N>& rule, CrescentSums* out) {
  for (int i = 0; i < panels.count; ++i) {
    IntegrateCrescent<Columns>(x, panels.panel[i], rule, 0.0, 1.0, out);
    AddCutFaces(x, panels.panel[i], out);
  }
}

/** Moments of a convex peg in a round hole with planes across it. Not accepted when the pair is
 something else, the overlap is not thin, or a few panels do not reach the tolerance. */
INTERVOX_HD inline RuleResult TryCrescent(const LocalPair& pair, CrescentMemory* memory,
                                          Moments* moments) {
  RuleResult result;
  Crescent& x = memory->crescent.Make();
  if (!MakeCrescent(pair, &x)) return result;
  CrescentBreaks& breaks = memory->breaks.Make();
  FindBreaks(x, &breaks);
  if (breaks.full) return result;
  CrescentPanels& panels = memory->panels.Make();
  ListCrescentPanels(x, pair, breaks, &panels);
  if (panels.count < 0) return result;
  const bool coarse = pair.tolerance > 3e-4;
  CrescentSums& total = memory->sums.Make();
  if (coarse) {
    SumPanels<GaussColumns>(x, panels, Kronrod11(), &total);
    if (!(total.along_miss <= kFewColumns * std::fabs(total.volume))) {
      const int work = total.work;
      total = CrescentSums{};
      SumPanels<LobattoColumns>(x, panels, Kronrod11(), &total);
      total.work += work;
    }
  } else {
    SumPanels<LobattoColumns>(x, panels, Patterson15(), &total);
  }
  // Eleven nodes err by a fifth of their estimate; where that is small, by some 1e-7 of V more.
  constexpr double kStated = 0.25, kLeast = 1e-6;
  const double tolerance = pair.tolerance < 1e-3 ? pair.tolerance : 1e-3;
  double share = coarse ? (kFluxShare - kLeast / tolerance) / kStated : kFluxShare;
  const double reach = x.radius + x.k * x.high + (x.high - x.low);
  const double rounding = kLevelRounding * total.area * reach;
  Vec3 closure;
  Moments sums = MomentsOf(x, total, &closure);
  const auto is_rough = [&] {
    // V alone decides on jumps.
    const double goal = share * tolerance, area_goal = 2 * goal * total.area;
    return !(total.volume_error <= goal * std::fabs(total.volume) + rounding) ||
           !(total.area_error <= area_goal) || !(Norm(closure) <= area_goal);
  };
  if (total.bad > 0) return result;
  if (is_rough()) {
    share = kFluxShare;
    const double part = share * tolerance / (1 + panels.count);
    const double volume_goal = part * std::fabs(total.volume), area_goal = part * total.area;
    if (!(total.along_error <= share * tolerance * std::fabs(total.volume) + rounding)) {
      return result;
    }
    const int work = total.work;
    total = CrescentSums{};
    for (int i = 0; i < panels.count; ++i) {
      RefineCrescent(x, panels.panel[i], volume_goal, area_goal, &memory->part, &total);
    }
    total.work += work;
    sums = MomentsOf(x, total, &closure);
  }
  result.work = total.work;
  // Nothing at all closes, too: what no panel shows is left to the general way.
  if (total.bad > 0 || is_rough() || !(total.volume > 0)) return result;
  result.error = total.volume_error + rounding;
  if (share > kFluxShare) {
    result.error = kStated * total.volume_error + kLeast * std::fabs(total.volume) + rounding;
  }
  result.accepted = true;
  *moments = Shifted(Turned(x.frame, sums), x.o);
  return result;
}

}  // namespace intervox::cuda::internal::flux
