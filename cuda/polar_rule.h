/** @file The polar rule: rays from inside a smooth convex overlap of two surfaces. */
#pragma once

#include "cuda/contact_frame.h"
#include "cuda/moments.h"
#include "cuda/polar_rule_meridian.h"
#include "cuda/polar_rule_torus.h"

namespace intervox::cuda {

namespace internal {

/** Two surfaces in the mapped frame y, x = p + F y: a is met first along +z, b along −z. */
struct MappedLens {
  MappedQuadric a, b;
  bool b_is_plane = false;
  double top = 0;     ///< z of a on the axis
  double bottom = 0;  ///< z of b on the axis, negative
  Vec3 p;             ///< [m]
  Mat3 F;             ///< [m]
};

/** How finely a lens is integrated. */
struct PolarOrder {
  int azimuths = 8;  ///< divides kMaxAzimuths, even
  int rule = 0;      ///< index into kGaussOrders
  int top_cuts = 0;  ///< a's arcs are halved this often, at most 2
  int bottom_cuts = 0;
};

/** Sums over the azimuths in the mapped frame, about its origin. */
struct PolarSums {
  double v = 0;
  Vec3 m, q, d;            ///< as in Moments
  double k = 0;            ///< over the face of b: n dS = (β + Γy) k
  Vec3 k1, kq, kd;         ///< moments of k: y, (xx, yy, zz), (xy, xz, yz)
  double odd_v = 0;        ///< Σ (−1)^i of the summands: the error of half the azimuths
  Vec3 odd_m, odd_q;       ///< the same for m and q
  double top_bend = 0;     ///< largest 1 − w of a's arcs
  double bottom_bend = 0;  ///< largest 1 − w of b's arcs
  int failures = 0;        ///< meridians whose shape is not what the rule assumes

  INTERVOX_HD PolarSums& operator+=(const PolarSums& o) {
    v += o.v;
    m += o.m;
    q += o.q;
    d += o.d;
    k += o.k;
    k1 += o.k1;
    kq += o.kq;
    kd += o.kd;
    odd_v += o.odd_v;
    odd_m += o.odd_m;
    odd_q += o.odd_q;
    top_bend = top_bend > o.top_bend ? top_bend : o.top_bend;
    bottom_bend = bottom_bend > o.bottom_bend ? bottom_bend : o.bottom_bend;
    failures += o.failures;
    return *this;
  }
};

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

/** The integrals along one meridian as a term of the sum over azimuths. */
INTERVOX_HD inline PolarSums AddMeridian(const MappedLens& lens, const PolarOrder& order, int i) {
  PolarSums out;
  double cosine, sine;
  Azimuth(i * (kMaxAzimuths / order.azimuths), &cosine, &sine);
  const Conic a = Section(lens.a, cosine, sine);
  const Conic b = Section(lens.b, cosine, sine);
  Planar rim;
  Arc top, bottom;
  if (!FindRim(a, b, lens.b_is_plane, &rim) || !MakeArc(a, {0, lens.top}, rim, &top) ||
      !MakeArc(b, {0, lens.bottom}, rim, &bottom) || !ArcInside(b, top) || !ArcInside(a, bottom)) {
    out.failures = 1;
    return out;
  }
  out.top_bend = 1 - top.m.w;
  out.bottom_bend = 1 - bottom.m.w;
  MeridianMoments f;
  if (!AddHalved<false>(a, top, order.top_cuts, 1, order.rule, &f) ||
      !AddHalved<true>(b, bottom, order.bottom_cuts, -1, order.rule, &f)) {
    out.failures = 1;
    return out;
  }
  const double cc = cosine * cosine, ss = sine * sine, cs = cosine * sine;
  out.v = f.v;
  out.m = {f.r * cosine, f.r * sine, f.z};
  out.q = {f.rr * cc, f.rr * ss, f.zz};
  out.d = {f.rr * cs, f.rz * cosine, f.rz * sine};
  out.k = f.k;
  out.k1 = {f.kr * cosine, f.kr * sine, f.kz};
  out.kq = {f.krr * cc, f.krr * ss, f.kzz};
  out.kd = {f.krr * cs, f.krz * cosine, f.krz * sine};
  const double sign = i % 2 == 0 ? 1 : -1;
  out.odd_v = sign * out.v;
  out.odd_m = sign * out.m;
  out.odd_q = sign * out.q;
  return out;
}

/** The sums back in L: det F, F M Fᵀ and the cofactor of F; weight: of b's face minus a's. */
INTERVOX_HD inline Moments MapBack(const MappedLens& lens, const PolarSums& sums, int azimuths,
                                   double weight) {
  constexpr double kTwoPi = 6.28318530717958647693;
  const double unit = kTwoPi / azimuths;
  const double det = Determinant(lens.F);
  const double scale = unit * (det < 0 ? -det : det);
  Moments out;
  out.v = scale / 3 * sums.v;
  const Vec3 first = scale / 4 * (lens.F * sums.m);
  out.m = out.v * lens.p + first;
  const Mat3 second{{sums.q.x, sums.d.x, sums.d.y},
                    {sums.d.x, sums.q.y, sums.d.z},
                    {sums.d.y, sums.d.z, sums.q.z}};
  const Mat3 inner = scale / 5 * (lens.F * second * Transpose(lens.F));
  const Vec3 p = lens.p;
  out.q = {inner(0, 0) + p.x * (2 * first.x + out.v * p.x),
           inner(1, 1) + p.y * (2 * first.y + out.v * p.y),
           inner(2, 2) + p.z * (2 * first.z + out.v * p.z)};
  out.d = {inner(0, 1) + p.x * first.y + p.y * first.x + out.v * p.x * p.y,
           inner(0, 2) + p.x * first.z + p.z * first.x + out.v * p.x * p.z,
           inner(1, 2) + p.y * first.z + p.z * first.y + out.v * p.y * p.z};
  // n_L dS_L = C n dS with C = |det F| F⁻ᵀ; T = ∫ y nᵀ dS.
  const Mat3 C = weight * scale * Transpose(Inverse(lens.F));
  const Mat3 k2{{sums.kq.x, sums.kd.x, sums.kd.y},
                {sums.kd.x, sums.kq.y, sums.kd.z},
                {sums.kd.y, sums.kd.z, sums.kq.z}};
  const MappedQuadric& b = lens.b;
  const Mat3 gamma{{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}};
  out.s = C * (sums.k * b.beta + b.Gamma(sums.k1));
  const Mat3 T = lens.F * (Outer(sums.k1, b.beta) + k2 * gamma) * Transpose(C);
  out.g = Cross(p, out.s) + Vec3{T(1, 2) - T(2, 1), T(2, 0) - T(0, 2), T(0, 1) - T(1, 0)};
  return out;
}

/** Γ and β of a form about p in the frame F, scaled so that the surface is 2β·y + yᵀΓy = 1. */
INTERVOX_HD inline MappedQuadric MapForm(const QuadricForm& form, const Vec3& p, double value,
                                         const Mat3& F) {
  const double scale = -1 / value;
  const Mat3 EF = form.E * F;
  const Vec3 c0 = F.Col(0), c1 = F.Col(1), c2 = F.Col(2);
  const Vec3 e0 = EF.Col(0), e1 = EF.Col(1), e2 = EF.Col(2);
  MappedQuadric out;
  out.beta = scale * TransposeTimes(F, form.HalfGradient(p));
  out.xx = scale * Dot(c0, e0);
  out.yy = scale * Dot(c1, e1);
  out.zz = scale * Dot(c2, e2);
  out.xy = scale * Dot(c0, e1);
  out.xz = scale * Dot(c0, e2);
  out.yz = scale * Dot(c1, e2);
  return out;
}

/** 1/ρ along d from p of a form with value < 0 at p; ≤ 0 when the ray never leaves. */
INTERVOX_HD inline double InverseExit(const QuadricForm& form, const Vec3& p, double value,
                                      const Vec3& d) {
  const double beta = -Dot(form.HalfGradient(p), d) / value;
  const double alpha = -Dot(d, form.E * d) / value;
  const double disc = beta * beta + alpha;
  return disc < 0 ? -1.0 : beta + std::sqrt(disc);
}

/** Makes the lens of forms a and b at their deepest point. False when no axis through that point
 meets a first on one side and b first on the other. */
INTERVOX_HD inline bool MakeLens(const QuadricForm& a, const QuadricForm& b, bool b_is_plane,
                                 const DeepestPoint& deepest, MappedLens* lens) {
  const Vec3 p = deepest.p;
  Vec3 n = a.HalfGradient(p) - b.HalfGradient(p);
  if (!(SquaredNorm(n) > 0)) return false;
  Vec3 d = deepest.H_inverse * n;
  double top = InverseExit(a, p, deepest.f_a, d);
  double bottom = InverseExit(b, p, deepest.f_b, -d);
  // Where b cuts a from aside, walk over the ellipsoid to where b is highest above it.
  for (int i = 0; i < 12; ++i) {
    const double wrong_top = InverseExit(b, p, deepest.f_b, d);
    const double wrong_bottom = InverseExit(a, p, deepest.f_a, -d);
    if (top > wrong_top && bottom > wrong_bottom) break;
    if (i == 11) return false;
    const Vec3 x = p - std::sqrt(deepest.depth / Dot(d, deepest.H * d)) * d;
    n = deepest.lambda < 0.5 ? -b.HalfGradient(x) : a.HalfGradient(p + (p - x));
    if (!(SquaredNorm(n) > 0)) return false;
    d = deepest.H_inverse * n;
    top = InverseExit(a, p, deepest.f_a, d);
    bottom = InverseExit(b, p, deepest.f_b, -d);
  }
  if (!(top > 0) || !(bottom > 0)) return false;
  n = Normalized(n);
  // F maps the section of the enclosing ellipsoid across the axis to the unit circle.
  const Vec3 t1 = AnyOrthogonal(n);
  const Vec3 h1 = deepest.H * t1;
  const double t1h = Dot(t1, h1);
  Vec3 t2 = Cross(n, t1);
  t2 -= Dot(t2, h1) / t1h * t1;
  const Vec3 c1 = std::sqrt(deepest.depth / t1h) * t1;
  const Vec3 c2 = std::sqrt(deepest.depth / Dot(t2, deepest.H * t2)) * t2;
  const double half = 0.5 * (1 / top + 1 / bottom);
  lens->p = p;
  lens->F = Mat3::FromColumns(c1, c2, half * d);
  lens->a = MapForm(a, p, deepest.f_a, lens->F);
  lens->b = MapForm(b, p, deepest.f_b, lens->F);
  lens->b_is_plane = b_is_plane;
  lens->top = 1 / (half * top);
  lens->bottom = -1 / (half * bottom);
  return true;
}

/** Another view of the same lens: from about its centroid, along the difference of the mean
 directions of its two faces, both from some rays. False when the rays see one face only. */
INTERVOX_HD inline bool TurnLens(const QuadricForm& a, const QuadricForm& b, MappedLens* lens) {
  constexpr int kLevels = 6, kTurns = 12;
  const MappedQuadric faces[2] = {lens->a, lens->b};
  Vec3 mean[2];
  double volume = 0;
  Vec3 centroid;
  for (int i = 0; i < kLevels * kTurns; ++i) {
    const double z = (2.0 * (i / kTurns) + 1) / kLevels - 1;
    const double r = std::sqrt(1 - z * z);
    double cosine, sine;
    Azimuth(i % kTurns * (kMaxAzimuths / kTurns), &cosine, &sine);
    const Vec3 d{r * cosine, r * sine, z};
    double u[2];
    for (int k = 0; k < 2; ++k) {
      const double beta = Dot(faces[k].beta, d);
      const double disc = beta * beta + Dot(d, faces[k].Gamma(d));
      u[k] = disc < 0 ? -1.0 : beta + std::sqrt(disc);
    }
    const int face = u[0] > u[1] ? 0 : 1;
    if (!(u[face] > 0)) return false;
    mean[face] += d;
    const double rho = 1 / u[face], cube = rho * rho * rho;
    volume += cube;
    centroid += 0.75 * rho * cube * d;
  }
  const Vec3 axis = mean[0] - mean[1];
  if (!(SquaredNorm(mean[0]) > 0) || !(SquaredNorm(mean[1]) > 0) || !(SquaredNorm(axis) > 0)) {
    return false;
  }
  const Vec3 z = Normalized(axis), x = AnyOrthogonal(z);
  const Vec3 p = lens->p + lens->F * (centroid / volume);
  Mat3 F = lens->F * Mat3::FromColumns(x, Cross(z, x), z);
  const double value_a = a.Value(p), value_b = b.Value(p);
  if (!(value_a < 0) || !(value_b < 0)) return false;
  const double top = InverseExit(a, p, value_a, F.Col(2));
  const double bottom = InverseExit(b, p, value_b, -F.Col(2));
  if (!(top > 0) || !(bottom > 0) || !(top > InverseExit(b, p, value_b, F.Col(2))) ||
      !(bottom > InverseExit(a, p, value_a, -F.Col(2)))) {
    return false;
  }
  const double half = 0.5 * (1 / top + 1 / bottom);
  F = Mat3::FromColumns(F.Col(0), F.Col(1), half * F.Col(2));
  lens->p = p;
  lens->F = F;
  lens->a = MapForm(a, p, value_a, F);
  lens->b = MapForm(b, p, value_b, F);
  lens->top = 1 / (half * top);
  lens->bottom = -1 / (half * bottom);
  return true;
}

/** Bound of the error, relative to V, of a Gauss rule on an arc of the given bend, also for the
 first and (a fifth of) the second moments. Powers follow from the integrands, of degree 8 over the
 tenth power of the weight polynomial; factors are twice the largest seen on random ellipsoids. */
INTERVOX_HD inline double ArcError(double bend, int rule) {
  const double b2 = bend * bend;
  switch (rule) {
    case 0:
      return 3e-3 * bend;
    case 1:
      return 5e-4 * b2;
    case 2:
      return 1.2e-5 * b2 * b2;
    case 3:
      return 1.2e-7 * b2 * b2 * b2 * bend;
    default:
      return 5e-11 * b2 * b2 * b2 * b2 * b2;
  }
}

/** The bend of each part of an arc that is halved `cuts` times: 1 − cos of half the angle. */
INTERVOX_HD inline double HalvedBend(double bend, int cuts) {
  for (int i = 0; i < cuts; ++i) {
    // 1 − √(1 − bend/2) without cancellation.
    bend = 0.5 * bend / (1 + std::sqrt(1 - 0.5 * bend));
  }
  return bend;
}

/** The cheapest rule whose error bound meets the target; the finest if none does. One rule serves
 both faces, each with its own halvings. */
INTERVOX_HD inline void ChooseRule(double top_bend, double bottom_bend, double target,
                                   PolarOrder* order) {
  int best = 1 << 20;
  order->rule = kGaussRules - 1;
  order->top_cuts = order->bottom_cuts = 2;
  for (int rule = 0; rule < kGaussRules; ++rule) {
    int cuts[2];
    for (int face = 0; face < 2; ++face) {
      const double bend = face == 0 ? top_bend : bottom_bend;
      int n = 0;
      while (n < 3 && ArcError(HalvedBend(bend, n), rule) > target) ++n;
      cuts[face] = n;
    }
    if (cuts[0] > 2 || cuts[1] > 2) continue;
    const int cost = GaussOrder(rule) * ((1 << cuts[0]) + (1 << cuts[1]));
    if (cost < best) {
      best = cost;
      order->rule = rule;
      order->top_cuts = cuts[0];
      order->bottom_cuts = cuts[1];
    }
  }
}

/** Relative difference of V, centroid and inertia between all azimuths and every second one, in
 metres: the thin direction of a lens counts for little. */
INTERVOX_HD inline double AzimuthDifference(const PolarSums& sums, const Mat3& F) {
  const Vec3 square{SquaredNorm(F.Col(0)), SquaredNorm(F.Col(1)), SquaredNorm(F.Col(2))};
  const double r2 = Dot(square, sums.q) / sums.v;
  const double of_m = std::sqrt(Dot(square, Scaled(sums.odd_m, sums.odd_m)) / r2) / sums.v;
  const double of_q = 0.2 * Norm(Scaled(square, sums.odd_q)) / (sums.v * r2);
  const double d = std::fabs(sums.odd_v) / sums.v;
  const double larger = d > of_m ? d : of_m;
  return larger > of_q ? larger : of_q;
}

/** The error claimed for all azimuths: the difference δ is the error of half of them, so the whole
 has about δ²; 6 δ^1.5 held for nearly all random ellipsoids. Where many azimuths are needed the
 decay is no clean power, and δ itself is claimed. */
INTERVOX_HD inline double ErrorOfDifference(int azimuths, double difference) {
  const double factor = azimuths > 30 ? 1 : 6 * std::sqrt(difference);
  return factor < 1 ? difference * factor : difference;
}

/** The smallest number of azimuths that should meet the target, from the difference seen with
 `azimuths`: differences fall like a geometric series. */
INTERVOX_HD inline int MoreAzimuths(int azimuths, double difference, double target) {
  constexpr int kCounts[] = {10, 12, 16, 20, 24, 30, 40, 48, 60, 80, 120, kMaxAzimuths};
  const double eighth = std::sqrt(std::sqrt(std::sqrt(difference)));
  for (int count : kCounts) {
    if (count <= azimuths) continue;
    double next = 1;
    for (int i = 0; i < 8 * count / azimuths; ++i) next *= eighth;
    if (ErrorOfDifference(count, next) <= target || count == kMaxAzimuths) return count;
  }
  return kMaxAzimuths;
}

/** A whole ellipsoid {(x−p)ᵀH(x−p) ≤ depth}. */
INTERVOX_HD inline Moments WholeEllipsoid(const DeepestPoint& at) {
  constexpr double kPi = 3.14159265358979323846;
  const Mat3 shape = at.depth * at.H_inverse;
  Moments out;
  out.v = 4 * kPi / 3 * std::sqrt(Determinant(shape));
  out.m = out.v * at.p;
  const Mat3 second = (0.2 * out.v) * shape + out.v * Outer(at.p, at.p);
  out.q = {second(0, 0), second(1, 1), second(2, 2)};
  out.d = {second(0, 1), second(0, 2), second(1, 2)};
  return out;
}

/** Proof that the ellipsoid f_A ≤ 0 about its centre lies inside f ≤ 0: a multiplier μ with f − μ
 f_A ≤ 0 everywhere (the S-lemma). */
INTERVOX_HD inline bool Contains(const QuadricForm& form, const DeepestPoint& at) {
  if (InsideEverywhere(at, form)) return true;
  const Vec3 g = form.HalfGradient(at.p);
  const double value = form.Value(at.p);
  if (value > 0) return false;
  // Plane: M = μH gives value + μ depth + g·H⁻¹g/μ, least at μ = √(g·H⁻¹g/depth).
  const Mat3 HE = at.H_inverse * form.E;
  const double trace = Trace(HE);
  const double gradient = std::sqrt(Dot(g, at.H_inverse * g) / at.depth);
  for (int i = 1; i <= 12; ++i) {
    const double mu = trace * i / 12 + gradient;
    const Mat3 M = mu * at.H - form.E;
    const double minor = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
    if (!(M(0, 0) > 0) || !(minor > 0) || !(Determinant(M) > 0)) continue;
    if (value + mu * at.depth + Dot(g, Inverse(M) * g) < 0) return true;
  }
  return false;
}

/** The plane that cuts deepest into the ellipsoid-like form a, or −1. */
INTERVOX_HD inline int DeepestPlane(const LocalPair& pair, const QuadricForm& a) {
  Mat3 inverse;
  if (!InvertPositive(a.E, &inverse)) return -1;
  const Vec3 centre = -(inverse * a.b);
  int best = -1;
  double largest = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const QuadricForm plane = MakeForm(pair.surface[i].surface);
    const double reach = (pair.surface[i].surface.side < 0 ? -1 : 1) * plane.Value(centre) /
                         std::sqrt(Dot(plane.b, inverse * plane.b));
    if (best < 0 || reach > largest) {
      best = i;
      largest = reach;
    }
  }
  return best;
}

/** The form of a listed surface, turned so that the cell has f ≤ 0. */
INTERVOX_HD inline QuadricForm SideForm(const LocalSurface& surface) {
  QuadricForm form = MakeForm(surface.surface);
  if (surface.surface.side < 0) {
    form.E = -1.0 * form.E;
    form.b = -form.b;
    form.c = -form.c;
  }
  return form;
}

/** Integrates a lens to the tolerance; false when it is not shaped as assumed or needs more than
 max_azimuths. */
template <class Team>
INTERVOX_HD bool IntegrateLens(const Team& team, const MappedLens& lens, double weight,
                               double tolerance, double rounding, int max_azimuths, Moments* out,
                               RuleResult* result) {
  // No result may jump by more than a tenth of the tolerance where the order changes.
  const double target = 0.1 * tolerance;
  double top = lens.a.zz * lens.top * lens.top;
  double bottom = lens.b.zz * lens.bottom * lens.bottom;
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
    const PolarSums sums = team.template Sum<PolarSums>(
        order.azimuths, [&](int i) { return AddMeridian(lens, order, i); });
    result->work += order.azimuths * GaussOrder(order.rule) *
                    ((1 << order.top_cuts) + (1 << order.bottom_cuts));
    if (sums.failures > 0 || !(sums.v > 0)) return false;
    const double arc_error = ArcError(HalvedBend(sums.top_bend, order.top_cuts), order.rule) +
                             ArcError(HalvedBend(sums.bottom_bend, order.bottom_cuts), order.rule);
    const double difference = AzimuthDifference(sums, lens.F);
    const double azimuth_error = ErrorOfDifference(order.azimuths, difference);
    const bool last = turn == 7 || (order.azimuths == max_azimuths && arc_error <= 2 * target);
    if ((azimuth_error <= target && arc_error <= 2 * target) || last) {
      *out = MapBack(lens, sums, order.azimuths, weight);
      result->error = out->v * (azimuth_error + arc_error + rounding);
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
      const int more = MoreAzimuths(order.azimuths, difference, target);
      // Another view may need fewer by far.
      if (order.azimuths == max_azimuths || (more > max_azimuths && max_azimuths < kMaxAzimuths)) {
        return false;
      }
      order.azimuths = more;
    }
  }
  return false;
}

}  // namespace internal

/** Metrics of a smooth convex overlap: two planes or convex quadrics bound it, or one ellipsoid;
 and of a torus cut by one plane (see TorusRule).

 From an interior point the overlap is star-shaped; each half plane through the axis meets the two
 faces in two conic arcs that join at the rim, and an arc is an exact rational curve. So the volume,
 both moments and the boundary integrals are smooth one-dimensional integrals (Gauss) of a smooth
 periodic function (equally spaced azimuths), for any depth.
 @return accepted = false unless every other surface of the pair is proved inactive and the faces
 are proved to meet in one rim on every meridian used; error estimates |error of V| [m³]. */
template <class Team>
INTERVOX_HD RuleResult PolarRule(const Team& team, const LocalPair& pair, Moments* moments) {
  RuleResult result;
  const int curved = pair.count - pair.planes;
  if (curved < 1 || curved > 2) return result;
  if (curved == 1 && pair.surface[pair.planes].surface.kind == geometry::SurfaceKind::kTorus) {
    return internal::TorusRule(team, pair, moments);
  }
  for (int i = pair.planes; i < pair.count; ++i) {
    if (!HasConvexForm(pair.surface[i].surface)) return result;
  }
  const int ia = pair.planes;
  const QuadricForm a = MakeForm(pair.surface[ia].surface);
  const bool b_is_plane = curved == 1;
  const int ib = b_is_plane ? internal::DeepestPlane(pair, a) : pair.planes + 1;
  DeepestPoint deepest;
  QuadricForm b;
  if (ib < 0) {
    // One surface alone, or one whose overlap with a plane is infinite.
    if (pair.planes > 0 || !internal::AtPencil(a, a, 0, &deepest)) return result;
    *moments = internal::WholeEllipsoid(deepest);
    result.accepted = true;
    result.work = 1;
    return result;
  }
  b = internal::SideForm(pair.surface[ib]);
  deepest = FindDeepest(a, b, b_is_plane);
  if (deepest.disjoint) {
    *moments = {};
    result.accepted = true;
    return result;
  }
  if (!deepest.found) return result;
  for (int i = 0; i < pair.planes; ++i) {
    if (i != ib && !InsideEverywhere(deepest, internal::SideForm(pair.surface[i]))) return result;
  }
  const double rounding = 1e-15 * (a.size + b.size) / deepest.depth;
  internal::MappedLens lens;
  if (internal::MakeLens(a, b, b_is_plane, deepest, &lens)) {
    const double weight = pair.surface[ib].weight - pair.surface[ia].weight;
    for (int view = 0; view < 3 && !result.accepted; ++view) {
      if (view > 0 && !internal::TurnLens(a, b, &lens)) break;
      const int azimuths = view < 2 ? 40 : internal::kMaxAzimuths;
      result.accepted = internal::IntegrateLens(team, lens, weight, pair.tolerance, rounding,
                                                azimuths, moments, &result);
    }
    return result;
  }
  const bool inner_is_a = deepest.lambda == 0;
  if (!inner_is_a && deepest.lambda != 1) return result;
  if (!internal::Contains(inner_is_a ? b : a, deepest)) return result;
  *moments = internal::WholeEllipsoid(deepest);
  result.error = 1e-15 * moments->v;
  result.work = 1;
  result.accepted = true;
  return result;
}

}  // namespace intervox::cuda
