/** @file The polar rule: rays from inside a smooth convex overlap of two surfaces. */
#pragma once

#include "cuda/numerics/lanes.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/polar/order.h"

namespace intervox::cuda {

namespace internal::polar {

/** Adds an arc, halved `cuts` times; false when a half is no arc. */
template <bool kSurface>
INTERVOX_HD inline bool AddHalved(const Conic& conic, const Arc& arc, int cuts, double sense,
                                  int rule, MeridianMoments* sum) {
  if (cuts == 0) {
    AddArc<kSurface>(conic, arc, sense, rule, sum);
    return true;
  }
  const Planar middle = Middle(arc);
  Arc left, right;
  if (!MakeArc(conic, arc.p0, middle, &left) || !MakeArc(conic, middle, arc.p2, &right)) {
    return false;
  }
  if (cuts == 1) {
    AddArc<kSurface>(conic, left, sense, rule, sum);
    AddArc<kSurface>(conic, right, sense, rule, sum);
    return true;
  }
  for (const Arc* half : {&left, &right}) {
    const Planar quarter = Middle(*half);
    Arc first, second;
    if (!MakeArc(conic, half->p0, quarter, &first) || !MakeArc(conic, quarter, half->p2, &second)) {
      return false;
    }
    AddArc<kSurface>(conic, first, sense, rule, sum);
    AddArc<kSurface>(conic, second, sense, rule, sum);
  }
  return true;
}

/** The integrals along the meridian in lane k, the i-th, as a term of the sum over azimuths. */
template <int N>
INTERVOX_HD inline PolarSums SumMeridian(const MappedLens& lens, const PolarOrder& order,
                                         const MeridianLanes<N>& x, int k, int i) {
  PolarSums out;
  if (!x.found[k]) {
    out.failures = 1;
    return out;
  }
  const Conic a = SectionA(x, lens.a, k), b = SectionB(x, lens.b, k);
  const Arc top = x.Top(lens.top, k), bottom = x.Low(lens.bottom, k);
  out.top_bend = 1 - top.m.w;
  out.bottom_bend = 1 - bottom.m.w;
  MeridianMoments f;
  if (!AddHalved<false>(a, top, order.top_cuts, 1, order.rule, &f) ||
      !AddHalved<true>(b, bottom, order.bottom_cuts, -1, order.rule, &f)) {
    out.failures = 1;
    return out;
  }
  const double cosine = x.cosine[k], sine = x.sine[k];
  const double cc = cosine * cosine, ss = sine * sine, cs = cosine * sine;
  const auto total = [](const double* lanes) { return MeridianMoments::Total(lanes); };
  const double r = total(f.r), rr = total(f.rr), rz = total(f.rz);
  out.body = {total(f.v),
              {r * cosine, r * sine, total(f.z)},
              {{rr * cc, rr * ss, total(f.zz)}, {rr * cs, rz * cosine, rz * sine}}};
  const double kr = total(f.kr), krr = total(f.krr), krz = total(f.krz);
  out.face = {total(f.k),
              {kr * cosine, kr * sine, total(f.kz)},
              {{krr * cc, krr * ss, total(f.kzz)}, {krr * cs, krz * cosine, krz * sine}}};
  const double sign = i % 2 == 0 ? 1 : -1;
  out.odd_v = sign * out.body.v;
  out.odd_m = sign * out.body.m;
  out.odd_q = sign * out.body.second.diag;
  return out;
}

/** The sum over all azimuths, N of them at a time; shares: of kManyAzimuths and more. */
template <int N>
INTERVOX_HD inline PolarSums SumMeridians(const MappedLens& lens, const PolarOrder& order,
                                          HighShares* shares) {
  MeridianLanes<N> x;
  int first = -1;  // of those in x
  return SumInLanes<PolarSums>(order.azimuths, [&](int i) {
    if (first < 0 || i < first || i >= first + N) {
      first = i;
      for (int k = 0; k < N; ++k) {
        const int at = i + k < order.azimuths ? i + k : order.azimuths - 1;
        Azimuth(at * (kMaxAzimuths / order.azimuths), &x.cosine[k], &x.sine[k]);
      }
      CutMeridians(lens.a, lens.b, lens.b_is_plane, lens.top, lens.bottom, &x);
    }
    const PolarSums one = SumMeridian(lens, order, x, i - first, i);
    if (order.azimuths >= kManyAzimuths) shares->Add(order.azimuths, i, one.body.v);
    return one;
  });
}

/** The sums back in L; weight: of b's face minus a's. */
INTERVOX_HD inline Moments MapBack(const MappedLens& lens, const PolarSums& sums, int azimuths,
                                   double weight) {
  const double unit = 2 * kPi / azimuths;
  const VolumeMoments &body = sums.body, &face = sums.face;
  const MappedQuadric& b = lens.b;
  const Vec3 area = face.v * b.b + b.E * face.m;
  return Mapped(lens.F, lens.p, {unit / 3 * body.v, unit / 4 * body.m, unit / 5 * body.second},
                weight * unit * area,
                weight * unit * (Outer(face.m, b.b) + face.second.Full() * b.E.Full()));
}

/** Integrates a lens to the tolerance, N meridians at a time; false when it is not shaped as
 assumed or needs more than max_azimuths. */
template <int N>
INTERVOX_HD inline bool IntegrateLens(const MappedLens& lens, double weight, double tolerance,
                                      double rounding, int max_azimuths, Moments* out,
                                      RuleResult* result) {
  // No result may jump by more than a tenth of the tolerance where the order changes.
  const double target = 0.1 * tolerance;
  double top = lens.a.E.diag.z * lens.top * lens.top;
  double bottom = lens.b.E.diag.z * lens.bottom * lens.bottom;
  const double guess = top > bottom ? top : bottom;
  PolarOrder order;
  // The largest number that ellipsoid pairs of this thickness seldom exceed.
  const double scaled = guess * std::sqrt(std::sqrt(1e-6 / tolerance));
  order.azimuths = scaled < 1e-3   ? 8
                   : scaled < 2e-3 ? 10
                   : scaled < 5e-3 ? 12
                   : scaled < 3e-2 ? 16
                   : scaled < 0.2  ? 20
                                   : 24;
  // The bend was seen to be at most 1.15 of these.
  top *= 1.2;
  bottom *= 1.2;
  ChooseRule(top < 1.9 ? top : 1.9, bottom < 1.9 ? bottom : 1.9, target, &order);
  for (int turn = 0; turn < 8; ++turn) {
    // A sum of more than its lanes takes them in another order.
    HighShares shares;
    const PolarSums sums = order.azimuths <= kLanes ? SumMeridians<N>(lens, order, &shares)
                                                    : SumMeridians<1>(lens, order, &shares);
    result->work += order.azimuths * GaussOrder(order.rule) *
                    ((1 << order.top_cuts) + (1 << order.bottom_cuts));
    if (sums.failures > 0 || !(sums.body.v > 0)) return false;
    const double arc_error = ArcError(HalvedBend(sums.top_bend, order.top_cuts), order.rule) +
                             ArcError(HalvedBend(sums.bottom_bend, order.bottom_cuts), order.rule);
    const double difference = AzimuthDifference(sums, lens.F);
    const double share = shares.Largest() / sums.body.v;
    const double high = share > difference ? share : difference;
    const double azimuth_error = ErrorOfDifference(order.azimuths, difference, high);
    const bool last = turn == 7 || (order.azimuths == max_azimuths && arc_error <= 2 * target);
    if ((azimuth_error <= target && arc_error <= 2 * target) || last) {
      *out = MapBack(lens, sums, order.azimuths, weight);
      result->error = out->v * (azimuth_error + arc_error + rounding);
      // Half of the azimuths err by that much: nothing but clean decay makes all of them better.
      result->reach = out->v * (high + arc_error + rounding);
      return azimuth_error <= tolerance && arc_error <= tolerance;
    }
    if (arc_error > 2 * target) {
      const PolarOrder before = order;
      ChooseRule(sums.top_bend, sums.bottom_bend, target, &order);
      if (order.rule == before.rule && order.top_cuts == before.top_cuts &&
          order.bottom_cuts == before.bottom_cuts && azimuth_error <= target) {
        return false;
      }
    }
    if (azimuth_error > target) {
      const int more = MoreAzimuths(order.azimuths, difference, high, target);
      // Another view may need fewer by far.
      if (order.azimuths == max_azimuths || (more > max_azimuths && max_azimuths < kMaxAzimuths)) {
        return false;
      }
      order.azimuths = more;
    }
  }
  return false;
}

}  // namespace internal::polar

/** Metrics of a smooth convex overlap: two planes or convex quadrics bound it, or one ellipsoid.

 From an interior point the overlap is star-shaped; each half plane through the axis meets the two
 faces in two conic arcs that join at the rim, and an arc is an exact rational curve. So the volume,
 both moments and the boundary integrals are smooth one-dimensional integrals (Gauss) of a smooth
 periodic function (equally spaced azimuths), for any depth.
 @return accepted = false unless every other surface of the pair is proved inactive and the faces
 are proved to meet in one rim on every meridian used; error estimates |error of V| [m³]. With any N
 the bits are the same. */
template <int N = 4>
INTERVOX_HD inline RuleResult PolarRule(const LocalPair& pair, Moments* moments) {
  RuleResult result;
  const int curved = pair.count - pair.planes;
  if (curved < 1 || curved > 2) return result;
  for (int i = pair.planes; i < pair.count; ++i) {
    if (!HasConvexForm(pair.surface[i].surface)) return result;
  }
  const int ia = pair.planes;
  const QuadricForm a = MakeForm(pair.surface[ia].surface);
  const bool b_is_plane = curved == 1;
  const int ib = b_is_plane ? internal::polar::DeepestPlane(pair, a) : pair.planes + 1;
  DeepestPoint deepest;
  QuadricForm b;
  if (ib < 0) {
    // One surface alone, or one whose overlap with a plane is infinite.
    if (pair.planes > 0 || !internal::AtPencil(a, a, 0, &deepest)) return result;
    *moments = internal::polar::WholeEllipsoid(deepest);
    result.accepted = true;
    result.work = 1;
    return result;
  }
  b = internal::polar::SideForm(pair.surface[ib]);
  deepest = FindDeepest(a, b, b_is_plane);
  if (deepest.disjoint) {
    *moments = {};
    result.accepted = true;
    return result;
  }
  if (!deepest.found) return result;
  for (int i = 0; i < pair.planes; ++i) {
    if (i != ib && !InsideEverywhere(deepest, internal::polar::SideForm(pair.surface[i])))
      return result;
  }
  const double rounding = internal::kLevelRounding * (a.size + b.size) / deepest.depth;
  internal::polar::MappedLens lens;
  if (internal::polar::MakeLens(a, b, b_is_plane, deepest, &lens)) {
    const double weight = pair.surface[ib].weight - pair.surface[ia].weight;
    for (int view = 0; view < 3 && !result.accepted; ++view) {
      if (view > 0 && !internal::polar::TurnLens(a, b, &lens)) break;
      const int azimuths = view < 2 ? 40 : internal::polar::kMaxAzimuths;
      result.accepted = internal::polar::IntegrateLens<N>(lens, weight, pair.tolerance, rounding,
                                                          azimuths, moments, &result);
    }
    return result;
  }
  const bool inner_is_a = deepest.lambda == 0;
  if (!inner_is_a && deepest.lambda != 1) return result;
  if (!internal::polar::Contains(inner_is_a ? b : a, deepest)) return result;
  *moments = internal::polar::WholeEllipsoid(deepest);
  result.error = internal::kLevelRounding * moments->v;
  result.work = 1;
  result.accepted = true;
  return result;
}

}  // namespace intervox::cuda
