/** @file The polar rule: rays from inside a smooth convex overlap of two surfaces. */
#pragma once

#include "cuda/numerics/tolerances.h"
#include "cuda/rules/polar/order.h"

namespace intervox::cuda {

namespace internal::polar {

/** Adds an arc, halved `cuts` times; `good` becomes 0 where a half is no arc. */
template <bool kSurface, class S>
INTERVOX_HD inline void AddHalved(const Conic<S>& conic, const Arc<S>& arc, int cuts, double sense,
                                  int rule, S* good, MeridianMoments<S>* body,
                                  MeridianMoments<S>* face) {
  if (cuts == 0) {
    AddArc<kSurface>(conic, arc, sense, rule, body, face);
    return;
  }
  Arc<S> part[4] = {arc};
  for (int count = 1; count < 1 << cuts; count *= 2) {
    for (int i = count - 1; i >= 0; --i) {
      const Planar<S> from = part[i].p0, middle = Middle(part[i]);
      part[2 * i + 1] = MakeArc(conic, middle, part[i].p2, good);
      part[2 * i] = MakeArc(conic, from, middle, good);
    }
  }
  for (int i = 0; i < 1 << cuts; ++i) {
    AddArc<kSurface>(conic, part[i], sense, rule, body, face);
  }
}

/** Sums over azimuths in the mapped frame, about its origin: N lanes of them. */
template <int N>
struct PolarLanes {
  using S = Wide<N>;

  // V, m, the squares and the products: of the body, and of k over the face of b.
  S body[10] = {}, face[10] = {};
  S cosine[2] = {}, sine[2] = {};     ///< of HighShares
  S top_bend = {}, bottom_bend = {};  ///< largest 1 − w of the arcs

  /** Adds sums along meridians at azimuths of that cosine and sine. */
  INTERVOX_HD static void Add(const MeridianMoments<S>& f, const S& c, const S& s, S (&sum)[10]) {
    const S rrc = f.rr * c;
    sum[0] += f.v;
    sum[1] += f.r * c;
    sum[2] += f.r * s;
    sum[3] += f.z;
    sum[4] += rrc * c;
    sum[5] += f.rr * s * s;
    sum[6] += f.zz;
    sum[7] += rrc * s;
    sum[8] += f.rz * c;
    sum[9] += f.rz * s;
  }
  /** The sums of lane k. */
  INTERVOX_HD PolarSums operator[](int k) const {
    const auto moments = [k](const S(&x)[10]) {
      return VolumeMoments{Lane(x[0], k),
                           {Lane(x[1], k), Lane(x[2], k), Lane(x[3], k)},
                           {{Lane(x[4], k), Lane(x[5], k), Lane(x[6], k)},
                            {Lane(x[7], k), Lane(x[8], k), Lane(x[9], k)}}};
    };
    return {moments(body),
            moments(face),
            {{Lane(cosine[0], k), Lane(cosine[1], k)}, {Lane(sine[0], k), Lane(sine[1], k)}},
            Lane(top_bend, k),
            Lane(bottom_bend, k)};
  }
};

/** Adds the integrals along the meridians of azimuths i, i + 1, …, N of them, or as many as the
 order has; false where one is not shaped as assumed. */
template <int N>
INTERVOX_HD inline bool AddMeridians(const MappedLens& lens, const PolarOrder& order, int i,
                                     PolarLanes<N>* sum) {
  using S = Wide<N>;
  Meridians<N> x;
  for (int k = 0; k < N; ++k) {
    const int at = i + k < order.azimuths ? i + k : order.azimuths - 1;
    double cosine, sine;
    Azimuth(at * (kMaxAzimuths / order.azimuths), &cosine, &sine);
    SetLane(&x.cosine, k, cosine);
    SetLane(&x.sine, k, sine);
  }
  if (!CutMeridians(lens.a, lens.b, lens.b_is_plane, lens.top, lens.bottom, &x)) return false;
  MeridianMoments<S> body, face;
  S good = S{} + 1.0;
  AddHalved<false>(x.a, x.top, order.top_cuts, 1, order.rule, &good, &body, &face);
  AddHalved<true>(x.b, x.low, order.bottom_cuts, -1, order.rule, &good, &body, &face);
  if (!(Least(good) > 0)) return false;
  for (int k = order.azimuths - i; k < N; ++k) {
    for (MeridianMoments<S>* f : {&body, &face}) {
      for (S* of : {&f->v, &f->r, &f->z, &f->rr, &f->rz, &f->zz}) SetLane(of, k, 0.0);
    }
  }
  sum->Add(body, x.cosine, x.sine, sum->body);
  sum->Add(face, x.cosine, x.sine, sum->face);
  sum->top_bend = Larger(1 - x.top.m.w, sum->top_bend);
  sum->bottom_bend = Larger(1 - x.low.m.w, sum->bottom_bend);
  if (order.azimuths < kManyAzimuths) return true;
  for (int k = 0; k < N && i + k < order.azimuths; ++k) {
    HighShares share;
    share.Add(order.azimuths, i + k, Lane(body.v, k));
    for (int f = 0; f < 2; ++f) {
      SetLane(&sum->cosine[f], k, Lane(sum->cosine[f], k) + share.cosine[f]);
      SetLane(&sum->sine[f], k, Lane(sum->sine[f], k) + share.sine[f]);
    }
  }
  return true;
}

/** Sums over all azimuths, N of them at a time; false where a meridian is not shaped as assumed.
 Every fourth one waits apart, and the first and the third sums are those of the even ones: the same
 bits with any N. */
template <int N>
INTERVOX_HD inline bool SumMeridians(const MappedLens& lens, const PolarOrder& order,
                                     AzimuthSums* sums) {
  for (int first = 0; first < 4; first += N) {
    PolarLanes<N> lanes;
    for (int i = first; i < order.azimuths; i += 4) {
      if (!AddMeridians(lens, order, i, &lanes)) return false;
    }
    for (int k = 0; k < N; ++k) {
      const bool odd = (first + k) % 2 == 1;
      (odd ? sums->odd : sums->even) += lanes[k];
    }
  }
  return true;
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
    AzimuthSums halves;
    const bool found = SumMeridians<N>(lens, order, &halves);
    result->work += order.azimuths * GaussOrder(order.rule) *
                    ((1 << order.top_cuts) + (1 << order.bottom_cuts));
    if (!found) return false;
    PolarSums sums = halves.even;
    sums += halves.odd;
    if (!(sums.body.v > 0)) return false;
    const double arc_error = ArcError(HalvedBend(sums.top_bend, order.top_cuts), order.rule) +
                             ArcError(HalvedBend(sums.bottom_bend, order.bottom_cuts), order.rule);
    const double difference = AzimuthDifference(halves, sums.body, lens.F);
    const double share = sums.shares.Largest() / sums.body.v;
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
template <int N = internal::kNumbersAtOnce>
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
