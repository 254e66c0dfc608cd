/** @file The polar rule about a torus' axis: a torus cut by one plane. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/moments.h"
#include "cuda/polar/tables.h"

namespace intervox::cuda::internal {

/** A torus and the half-space a x + c z ≤ d in the torus' frame, a ≥ 0, turned about the axis.

 On the half plane at angle ψ from −x the plane is a line at w ρ + c z = d, w = −a cos ψ, and cuts a
 circular segment of height h from the disc. With η = w + a = a (1 − cos ψ) and δ the depth at ψ =
 0, h √(w²+c²) = δ − R η − r (2 a η − η²)/(1 + √(1 − 2 a η + η²)): nothing cancels, for any δ. */
struct TorusCut {
  double major = 0, minor = 0;
  double a = 0, c = 0;
  double depth = 0;   ///< δ [m]
  double weight = 0;  ///< of the plane's face minus the torus'
  Vec3 reference;     ///< deepest point of the torus, in its frame [m]
};

/** Sums over the half ψ ∈ [0, π], in the torus' frame about `reference`; even in y. */
struct TorusSums {
  double v = 0, x = 0, z = 0, xx = 0, yy = 0, zz = 0, xz = 0;
  double area = 0, area_x = 0, area_z = 0;  ///< of the plane's face, and its first moments

  INTERVOX_HD TorusSums& operator+=(const TorusSums& o) {
    v += o.v;
    x += o.x;
    z += o.z;
    xx += o.xx;
    yy += o.yy;
    zz += o.zz;
    xz += o.xz;
    area += o.area;
    area_x += o.area_x;
    area_z += o.area_z;
    return *this;
  }
};

/** Part [from, to] of ψ between events; each end as (1 − cos ψ)/2, with 1 minus it beside. */
struct TorusPanel {
  double from = 0, to = 0;
  bool full = false;  ///< whole discs
};

/** √(w²+c²), which is √(1 − 2 a η + η²). */
INTERVOX_HD inline double LineNorm(const TorusCut& t, double eta) {
  const double w = eta - t.a;
  return std::sqrt(w * w + t.c * t.c);
}

/** δ − (what the rise η costs): h √(w²+c²). */
INTERVOX_HD inline double CutHeight(const TorusCut& t, double eta) {
  const double root = LineNorm(t, eta);
  return t.depth - t.major * eta - t.minor * (2 * t.a * eta - eta * eta) / (1 + root);
}

/** The η at which the cut's height is `height` of the norm √(w²+c²): 0 leaves the torus, 2r takes
 whole discs. The height falls with η, so Newton's method in a bracket finds it. */
INTERVOX_HD inline double EventRise(const TorusCut& t, double radii) {
  double lo = 0, hi = 2 * t.a;
  const auto value = [&](double eta) {
    return CutHeight(t, eta) - radii * t.minor * LineNorm(t, eta);
  };
  if (value(0) <= 0) return 0;
  if (value(hi) >= 0) return hi;
  double eta = 0;
  for (int i = 0; i < 60; ++i) {
    const double f = value(eta);
    if (f > 0) {
      lo = eta;
    } else {
      hi = eta;
    }
    const double root = LineNorm(t, eta);
    // d/dη of −Rη + r √ − radii r √, up to the constant.
    const double slope = -t.major + (1 - radii) * t.minor * (eta - t.a) / root;
    double next = eta - f / slope;
    if (!(next >= lo && next <= hi)) next = 0.5 * (lo + hi);
    if (std::fabs(next - eta) <= 1e-16 * next) break;
    eta = next;
  }
  return eta;
}

/** Moments of a disc's cap of height h ≤ r below its pole: ∫∫ sʲ and ∫∫ sʲ q², s the depth under
 the pole, q along the chord. With s = h σ² the integrand is analytic. */
struct CapMoments {
  double a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0;
};

INTERVOX_HD inline CapMoments IntegrateCap(double r, double h) {
  CapMoments out;
  const GaussNode* node = GaussRule(3);
  for (int i = 0; i < GaussOrder(3); ++i) {
    const double sigma_squared = node[i].b2;
    const double s = h * sigma_squared;
    const double half = std::sqrt(s * (2 * r - s));
    // ds = 2 h σ dσ and √s = √h σ keep the sum free of σ itself.
    const double sigma = 0.5 * node[i].b1 + node[i].b2;
    const double w = node[i].weight * 2 * h * sigma * 2 * half;
    const double q = half * half / 3;
    out.a0 += w;
    out.a1 += w * s;
    out.a2 += w * s * s;
    out.a3 += w * s * s * s;
    out.b0 += w * q;
    out.b1 += w * q * s;
  }
  return out;
}

/** Adds `sign` times the cap whose pole points along (er, ez) in the half plane (u, z), u = (ur,
 uy). */
INTERVOX_HD inline void AddCap(const TorusCut& t, double ur, double uy, double er, double ez,
                               double h, double sign, TorusSums* sums) {
  const CapMoments cap = IntegrateCap(t.minor, h);
  const double pole = t.major + t.minor * er;
  const double tr = -ez, tz = er;
  // x = base − e s + t q with the area's weight ρ = pole − er s + tr q.
  const double m0 = sign * (pole * cap.a0 - er * cap.a1);
  const double ms = sign * (pole * cap.a1 - er * cap.a2);
  const double mq = sign * tr * cap.b0;
  const double mss = sign * (pole * cap.a2 - er * cap.a3);
  const double msq = sign * tr * cap.b1;
  const double mqq = sign * (pole * cap.b0 - er * cap.b1);
  const Vec3 base{pole * ur - t.reference.x, pole * uy, t.minor * ez - t.reference.z};
  const Vec3 e{er * ur, er * uy, ez}, q{tr * ur, tr * uy, tz};
  const Vec3 first = mq * q - ms * e;
  sums->v += m0;
  sums->x += m0 * base.x + first.x;
  sums->z += m0 * base.z + first.z;
  const auto second = [&](int i, int j) {
    return m0 * base[i] * base[j] + base[i] * first[j] + first[i] * base[j] + mss * e[i] * e[j] -
           msq * (e[i] * q[j] + q[i] * e[j]) + mqq * q[i] * q[j];
  };
  sums->xx += second(0, 0);
  sums->yy += second(1, 1);
  sums->zz += second(2, 2);
  sums->xz += second(0, 2);
}

/** Adds a whole disc. */
INTERVOX_HD inline void AddDisc(const TorusCut& t, double ur, double uy, TorusSums* sums) {
  constexpr double kPi = 3.14159265358979323846;
  const double r2 = t.minor * t.minor, area = kPi * r2, square = 0.25 * area * r2;
  const double m0 = t.major * area;
  const Vec3 base{t.major * ur - t.reference.x, t.major * uy, -t.reference.z};
  sums->v += m0;
  sums->x += m0 * base.x + square * ur;
  sums->z += m0 * base.z;
  sums->xx += m0 * base.x * base.x + 2 * base.x * square * ur + t.major * square * ur * ur;
  sums->yy += m0 * base.y * base.y + 2 * base.y * square * uy + t.major * square * uy * uy;
  sums->zz += m0 * base.z * base.z + t.major * square;
  sums->xz += m0 * base.x * base.z + base.z * square * ur;
}

/** The half plane at k = (1 − cos ψ)/2 and its complement 1 − k. */
INTERVOX_HD inline TorusSums AddHalfPlane(const TorusCut& t, double k, double rest, bool full) {
  TorusSums sums;
  const double ur = k - rest, uy = 2 * std::sqrt(k * rest);
  if (full) {
    AddDisc(t, ur, uy, &sums);
    return sums;
  }
  const double eta = 2 * t.a * k;
  const double w = eta - t.a;
  const double norm = LineNorm(t, eta);
  double h = CutHeight(t, eta) / norm;
  const double twice = 2 * t.minor;
  h = h < 0 ? 0 : h > twice ? twice : h;
  const double er = -w / norm, ez = -t.c / norm;
  if (h <= t.minor) {
    AddCap(t, ur, uy, er, ez, h, 1, &sums);
  } else {
    AddDisc(t, ur, uy, &sums);
    AddCap(t, ur, uy, -er, -ez, twice - h, -1, &sums);
  }
  // The chord: ρ dq/norm is the plane's own area element.
  const double half = std::sqrt(h * (twice - h));
  const double rho = t.major + er * (t.minor - h);
  const double length = 2 * half * rho / norm;
  const double turn = -ez * 2 * half * half * half / 3 / norm;
  sums.area = length;
  sums.area_x = length * (rho * ur - t.reference.x) + turn * -ez * ur;
  sums.area_z = length * (ez * (t.minor - h) - t.reference.z) + turn * er;
  return sums;
}

/** Node `i` of a panel cut into `cuts` parts. The panel is mapped by tan(ψ/2), or its inverse
 beyond a right angle, and by s = 3τ² − 2τ³, which lifts the roots at its ends. */
INTERVOX_HD inline TorusSums AddNode(const TorusCut& t, const TorusPanel& panel, int cuts, int i) {
  const GaussNode& node = GaussRule(4)[i % GaussOrder(4)];
  const double tau = (i / GaussOrder(4) + (0.5 * node.b1 + node.b2)) / cuts;
  const double s = tau * tau * (3 - 2 * tau);
  const double ds = node.weight / cuts * 6 * tau * (1 - tau);
  const bool near = panel.to <= 0.5;
  // k = T²/(1 + T²) with T = tan(ψ/2); its complement on the far side.
  const double k0 = near ? panel.from : 1 - panel.to, k1 = near ? panel.to : 1 - panel.from;
  const double t0 = std::sqrt(k0 / (1 - k0)), t1 = std::sqrt(k1 / (1 - k1));
  const double T = near ? t0 + s * (t1 - t0) : t1 + s * (t0 - t1);
  const double k = T * T / (1 + T * T), rest = 1 / (1 + T * T);
  const double dpsi = 2 * rest * (t1 - t0) * ds;
  TorusSums sums =
      near ? AddHalfPlane(t, k, rest, panel.full) : AddHalfPlane(t, rest, k, panel.full);
  for (double* value : {&sums.v, &sums.x, &sums.z, &sums.xx, &sums.yy, &sums.zz, &sums.xz,
                        &sums.area, &sums.area_x, &sums.area_z}) {
    *value *= dpsi;
  }
  return sums;
}

/** Moments in the torus' frame about a point, brought to L. Columns of R: the frame's axes. */
INTERVOX_HD inline Moments FromTorusFrame(const TorusSums& s, const Mat3& R, const Vec3& p,
                                          double weight, const Vec3& n) {
  Moments out;
  out.v = 2 * s.v;
  const Vec3 first = R * Vec3{2 * s.x, 0, 2 * s.z};
  out.m = out.v * p + first;
  const Mat3 second{{2 * s.xx, 0, 2 * s.xz}, {0, 2 * s.yy, 0}, {2 * s.xz, 0, 2 * s.zz}};
  const Mat3 total =
      R * second * Transpose(R) + Outer(first, p) + Outer(p, first) + out.v * Outer(p, p);
  out.q = {total(0, 0), total(1, 1), total(2, 2)};
  out.d = {total(0, 1), total(0, 2), total(1, 2)};
  out.s = 2 * weight * s.area * n;
  out.g = Cross(weight * (R * Vec3{2 * s.area_x, 0, 2 * s.area_z} + 2 * s.area * p), n);
  return out;
}

/** Largest difference of V, centroid and inertia in the measure of the tolerance. */
INTERVOX_HD inline double TorusDifference(const TorusSums& x, const TorusSums& y) {
  const double r2 = (y.xx + y.yy + y.zz) / y.v, r = std::sqrt(r2);
  const double dv = std::fabs(x.v - y.v) / y.v;
  const double dm = (std::fabs(x.x - y.x) + std::fabs(x.z - y.z)) / (y.v * r);
  const double dq = 0.2 *
                    (std::fabs(x.xx - y.xx) + std::fabs(x.yy - y.yy) + std::fabs(x.zz - y.zz) +
                     std::fabs(x.xz - y.xz)) /
                    (y.v * r2);
  const double larger = dv > dm ? dv : dm;
  return larger > dq ? larger : dq;
}

/** A torus with planes of which at most one cuts it. Accepted only when the support of the torus
 shows every other plane inactive. */
template <class Team>
INTERVOX_HD RuleResult TorusRule(const Team& team, const LocalPair& pair, Moments* moments) {
  RuleResult result;
  const LocalSurface& local = pair.surface[pair.planes];
  const geometry::Surface& torus = local.surface;
  const double major = torus.e.x, minor = torus.e.y;
  if (torus.side != 1 || !(major > minor)) return result;
  const Vec3 axis = torus.R.Col(2);
  int active = -1;
  double above = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const geometry::Surface& plane = pair.surface[i].surface;
    const Vec3 n = plane.side * plane.PlaneNormal();
    const double along = Dot(n, axis);
    const double across = Norm(n - along * axis);
    const double support = Dot(n, torus.o - plane.o) + major * across + minor;
    if (support <= 0) continue;
    if (active >= 0) return result;
    active = i;
    above = support;
  }
  TorusCut t;
  t.major = major;
  t.minor = minor;
  Vec3 n = -axis, e1 = torus.R.Col(0);
  t.depth = 1e300;
  if (active >= 0) {
    const geometry::Surface& plane = pair.surface[active].surface;
    n = plane.side * plane.PlaneNormal();
    t.c = Dot(n, axis);
    const Vec3 across = n - t.c * axis;
    t.a = Norm(across);
    // A plane through the axis cuts whole discs in one half plane: V is even in this tilt.
    if (std::fabs(t.c) < 1e-8) t.c = t.c < 0 ? -1e-8 : 1e-8;
    if (t.a > 1e-15) e1 = across / t.a;
    // δ = d + R a + r, with d = −n·(o − p).
    t.depth = 2 * (major * t.a + minor) - above;
    t.weight = pair.surface[active].weight - local.weight;
    if (t.depth <= 0) {
      *moments = {};
      result.accepted = true;
      return result;
    }
  }
  const Mat3 R = Mat3::FromColumns(e1, Cross(axis, e1), axis);
  TorusPanel panel[4];
  int panels = 0;
  double end = 1, whole = 1;
  if (active >= 0) {
    t.reference = {-major - minor * t.a, 0, -minor * t.c};
    if (!(t.a > 0)) {
      end = 1;
      whole = t.depth >= 2 * minor ? 1 : 0;
    } else {
      end = EventRise(t, 0) / (2 * t.a);
      whole = EventRise(t, 2) / (2 * t.a);
    }
  }
  const auto add = [&](double from, double to, bool full) {
    if (!(to > from)) return;
    if (from < 0.5 && to > 0.5) {
      panel[panels++] = {from, 0.5, full};
      panel[panels++] = {0.5, to, full};
    } else {
      panel[panels++] = {from, to, full};
    }
  };
  add(0, whole, true);
  add(whole, end, false);
  if (panels == 0) return result;
  const int n_nodes = GaussOrder(4);
  TorusSums sums, before;
  double change = 1;
  for (int cuts = 1; cuts <= 32; cuts *= 2) {
    const int each = cuts * n_nodes;
    sums = team.template Sum<TorusSums>(
        panels * each, [&](int i) { return AddNode(t, panel[i / each], cuts, i % each); });
    result.work += panels * each;
    if (!(sums.v > 0)) return result;
    if (cuts > 1) {
      change = TorusDifference(before, sums);
      if (change <= 0.3 * pair.tolerance) break;
    }
    before = sums;
  }
  const Vec3 p = torus.o + R * t.reference;
  *moments = FromTorusFrame(sums, R, p, t.weight, n);
  const Vec3 far = Abs(torus.o);
  const double rounding = active >= 0 ? 1e-15 * (major + far.x + far.y + far.z) / t.depth : 1e-15;
  result.error = moments->v * (0.05 * change + rounding);
  result.accepted = change <= pair.tolerance;
  return result;
}

}  // namespace intervox::cuda::internal
