/** @file The pieces of Ω's boundary that the flux rule integrates one by one. */
#pragma once

#include "cuda/numerics/circle.h"
#include "cuda/rules/flux/model.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kFluxPanels = 160;

/** A direction's place on the circle, 2 kT quadrant + u + kT; (x, y) need not be a unit vector. */
INTERVOX_HD inline double PlaceOf(double x, double y) {
  const QuadrantAngle angle = AngleOf(x, y);
  return 2 * kT * angle.quadrant + angle.u + kT;
}

/** The direction of a place, a unit vector. */
INTERVOX_HD inline void DirectionOf(double place, double* c, double* s) {
  const int quadrant = place >= 6 * kT ? 3 : place >= 4 * kT ? 2 : place >= 2 * kT ? 1 : 0;
  internal::DirectionOf({quadrant, place - 2 * kT * quadrant - kT}, c, s);
}

/** The kinds of piece. */
enum class PanelKind : std::uint8_t {
  kRuledArc,  ///< plane ∩ ruled surface: an edge of the planar face
  kRoundArc,  ///< plane ∩ ellipsoid: an edge of the planar face and of the ellipsoid's face
  kSheet      ///< generators of a ruled surface between two bounds
};

/** One smooth piece.

 Arcs: u from u0 to u1, ρ(u) = (1−u²)/(1+u²) c + 2u/(1+u²) s, and t (cone: 1/t) from t0 to t1, in
 between as sin of the angle. Sheets: u = fold + map σ², σ from u0 to u1, or u itself where map = 0.
 */
struct FluxPanel {
  PanelKind kind = PanelKind::kSheet;
  std::int8_t curve = 0;
  std::int8_t plane = 0;
  std::int8_t map = 0;
  std::int8_t lo_by = 0, hi_by = 0;
  double sign = 1.0;
  Vec3 c, s;  ///< unit vectors across the axis; ellipsoid: half axes of the circle in the unit ball
  Vec3 centre;  ///< ellipsoid: the circle's centre in the unit ball
  double u0 = 0.0, u1 = 0.0;
  double t0 = 0.0, t1 = 0.0;
  double fold = 0.0;
  double residual = 0.0;  ///< the discriminant's rounded value at the fold
};

/** The list of pieces; `full` when one did not fit. */
struct FluxPanels {
  union {
    FluxPanel panel[kFluxPanels];  ///< the first `count`; the rest is never written, nor zeroed
  };
  int count = 0;
  bool full = false;
  bool shared = false;  ///< three surfaces share an edge: which of them end there is not known

  INTERVOX_HD FluxPanels() {}

  /** Forgets them. */
  INTERVOX_HD void Clear() {
    count = 0;
    full = shared = false;
  }

  /** Adds a panel or notes that there is no room. */
  INTERVOX_HD void Push(const FluxPanel& p) {
    if (count < kFluxPanels) {
      panel[count++] = p;
    } else {
      full = true;
    }
  }
};

/** A point on an arc or line piece with its derivative along the piece's parameter in [0, 1]. */
struct ArcPoint {
  Vec3 x, dx;
  double u = 0.0, t = 0.0;
  double form = 0.0;  ///< the factor that makes a quadratic form along the arc a quartic
};

/** The point σ ∈ [0, 1] of an arc. */
INTERVOX_HD inline ArcPoint PointOf(const FluxModel& model, const FluxPanel& p, double sigma) {
  const FluxCurve& s = model.curve[p.curve];
  ArcPoint out;
  const double du = p.u1 - p.u0, u = p.u0 + sigma * du;
  const double g = 1.0 + u * u, ig = 1.0 / g;
  const double cosine = (1.0 - u * u) * ig, sine = 2.0 * u * ig;
  const Vec3 rho = cosine * p.c + sine * p.s, tau = cosine * p.s - sine * p.c;
  const double turn = 2.0 * du * ig;
  out.u = u;
  if (!s.ruled) {
    const Vec3 y = p.centre + rho, dy = turn * tau;
    out.x = s.o + s.frame * Scaled(s.radii, y);
    out.dx = s.frame * Scaled(s.radii, dy);
    out.form = g * g;
    return out;
  }
  // φ = (sin δ − sin δ0)/(sin δ1 − sin δ0), and its derivative by σ, without cancellation.
  const double g0 = 1.0 + p.u0 * p.u0, g1 = 1.0 + p.u1 * p.u1;
  const double span = 1.0 - p.u0 * p.u1;
  const double share = span > 0 ? g1 / span : 0.0;
  const double phi = span > 0 ? sigma * (1.0 - u * p.u0) * share * ig : sigma;
  const double slope = span > 0 ? g0 * (1.0 - u * u) * share * ig * ig : 1.0;
  const double w = p.t0 + (p.t1 - p.t0) * phi, dw = (p.t1 - p.t0) * slope;
  const double t = s.cone ? 1.0 / w : w;
  const double dt = s.cone ? -t * t * dw : dw;
  const Vec3 d = s.frame.Col(2) + s.k * rho;
  out.t = t;
  out.x = s.o + s.radius * rho + t * d;
  out.dx = ((s.radius + s.k * t) * turn) * tau + dt * d;
  out.form = s.cone ? g * g * w * w : g * g;
  return out;
}

}  // namespace intervox::cuda::internal::flux
