/** @file Planes and convex curved solids as the flux rule sees them, about its own origin a. */
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/local_pair.h"
#include "cuda/moments/moments.h"
#include "cuda/numerics/roots.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kFluxPlanes = 20;
inline constexpr int kFluxCurves = kFewCurves;

/** A planar face: Ω has n·x ≤ h. */
struct FluxPlane {
  Vec3 n;               ///< outward unit normal
  double h = 0.0;       ///< distance from a [m]
  double weight = 0.0;  ///< in S and G
};

/** A convex solid K: Ω lies in K (side +1) or outside of it (side −1).

 Ruled: the points o + t D + R ρ with D = e + k ρ, ρ a unit vector across the axis e: a cylinder
 (k = 0) or one nappe of a cone (R = 0, t ≥ 0). Otherwise an ellipsoid: M(x − o) in the unit ball.
 */
struct FluxCurve {
  bool ruled = true;
  bool cone = false;
  double side = 1.0;
  double weight = 0.0;
  Mat3 frame;           ///< columns: two directions across the axis, the axis; principal axes
  Vec3 o;               ///< apex, centre, or the axis point nearest to a [m]
  double radius = 0.0;  ///< of a cylinder [m]
  double k = 0.0;       ///< tangent of a cone's half angle
  Vec3 radii;           ///< of an ellipsoid [m]
};

/** Everything that bounds Ω, and its box, about a. */
struct FluxModel {
  FluxPlane plane[kFluxPlanes];
  FluxCurve curve[kFluxCurves];
  int planes = 0;
  int curves = 0;
  Vec3 a;                  ///< the origin of all fluxes in L [m]
  Vec3 lower, upper;       ///< the box about a, slightly wider than Ω's [m]
  double size = 0.0;       ///< its diagonal [m]
  double slack = 0.0;      ///< two points this close count as one [m]
  std::uint32_t near = 0;  ///< the planes that meet the box, as bits

  /** Whether Ω can have a face on plane i: what lies on the others is outside of its box. */
  INTERVOX_HD bool IsNear(int i) const { return (near >> i & 1u) != 0; }
};
static_assert(kFluxPlanes <= 32);

/** (F0): Σ of the integrals over Ω's faces, about a. */
struct FluxSums {
  Moments x;
  Vec3 closure;             ///< ∮ n dS, zero over a closed surface [m²]
  Mat3 r_n = Mat3::Zero();  ///< ∮ r nᵀ dS, V times the identity over a closed surface [m³]
  double area = 0.0;        ///< Σ |area elements| [m²]

  /** Adds other. */
  INTERVOX_HD FluxSums& operator+=(const FluxSums& other) {
    x += other.x;
    closure += other.closure;
    r_n = r_n + other.r_n;
    area += other.area;
    return *this;
  }
};

/** Adds a face's ∫ n dS and ∫ r nᵀ dS, weighted into S and G as well. */
INTERVOX_HD inline void AddArea(double weight, const Vec3& area, const Mat3& r_n, FluxSums* sums) {
  sums->closure += area;
  sums->r_n = sums->r_n + r_n;
  sums->area += Norm(area);
  sums->x.s += weight * area;
  sums->x.g += weight * Axial(r_n);
}

/** What an end of a generator is bounded by: plane i as i, else one of these. */
enum : int { kByNothing = -1, kByApex = -2, kByEntry = -3, kByExit = -4 };

/** An interval of a line and what bounds its ends. */
struct Span {
  double lo = -kFar, hi = kFar;
  int lo_by = kByNothing, hi_by = kByNothing;
};

/** Most spans of a line: two solids leave three. */
inline constexpr int kMostSpans = 3;

/** Keeps what of a line's spans is inside of a solid, or outside, which it `meets` in [in, out];
 returns how many there are. */
INTERVOX_HD inline int CutSpans(bool inside, bool meets, double in, double out, int count,
                                Span* span) {
  Span next[kMostSpans];
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const Span& old = span[i];
    const bool enters = in > old.lo, leaves = out < old.hi;
    const bool apart = !meets || out <= old.lo || in >= old.hi;
    if (inside) {
      if (apart || !(out > in)) continue;
      next[kept++] = {enters ? in : old.lo, leaves ? out : old.hi, enters ? kByEntry : old.lo_by,
                      leaves ? kByExit : old.hi_by};
    } else if (apart) {
      next[kept++] = old;
    } else {
      if (enters) next[kept++] = {old.lo, in, old.lo_by, kByEntry};
      if (leaves) next[kept++] = {out, old.hi, kByExit, old.hi_by};
    }
  }
  for (int i = 0; i < kept; ++i) span[i] = next[i];
  return kept;
}

/** A vector in the principal axes of K, of an ellipsoid in units of its radii. */
INTERVOX_HD inline Vec3 InAxes(const FluxCurve& s, const Vec3& r) {
  const Vec3 y = TransposeTimes(s.frame, r);
  return s.ruled ? y : Vec3{y.x / s.radii.x, y.y / s.radii.y, y.z / s.radii.z};
}

/** The line's part p + t d inside K; false when empty. `residual` is taken from the discriminant:
 its rounded value at the fold where a piece ends, so that the two roots meet there exactly; with
 `touch` a negative discriminant counts as 0. */
INTERVOX_HD inline bool ClipToSolid(const FluxCurve& s, const Vec3& p, const Vec3& d, double* lo,
                                    double* hi, double residual = 0.0, bool touch = false) {
  const Vec3 y = InAxes(s, p - s.o), v = InAxes(s, d);
  double alpha, beta, gamma;
  if (s.ruled) {
    const double kk = s.k * s.k;
    alpha = v.x * v.x + v.y * v.y - kk * v.z * v.z;
    beta = v.x * y.x + v.y * y.y - kk * v.z * y.z;
    gamma = y.x * y.x + y.y * y.y - kk * y.z * y.z - s.radius * s.radius;
  } else {
    alpha = Dot(v, v);
    beta = Dot(v, y);
    gamma = Dot(y, y) - 1.0;
  }
  double disc = beta * beta - alpha * gamma - residual;
  if (alpha >= 0 && disc < 0 && !touch) return false;
  disc = disc > 0 ? std::sqrt(disc) : 0.0;
  if (alpha == 0 && beta == 0) {
    *lo = -kFar;
    *hi = kFar;
    return gamma < 0;
  }
  const auto [first, second, by_c] = QuadraticRoots(alpha, beta, gamma, disc);
  if (!s.cone) {
    *lo = first;
    *hi = second;
    return true;
  }
  if (alpha > 0) {  // a chord lies in one nappe
    *lo = first;
    *hi = second;
    return y.z + 0.5 * (first + second) * v.z >= 0;
  }
  if (alpha == 0) {  // along a generator's direction: f = 2βt + γ
    *lo = beta > 0 ? -kFar : by_c;
    *hi = beta > 0 ? by_c : kFar;
    return (beta > 0) == (v.z < 0);
  }
  *lo = v.z > 0 ? second : -kFar;
  *hi = v.z > 0 ? kFar : first;
  return true;
}

/** The quadratic form that vanishes on ∂K; a cone's holds for both nappes. */
INTERVOX_HD inline double FluxForm(const FluxCurve& s, const Vec3& x) {
  const Vec3 y = InAxes(s, x - s.o);
  if (!s.ruled) return Dot(y, y) - 1.0;
  const double r = s.radius + s.k * y.z;
  return y.x * y.x + y.y * y.y - r * r;
}

/** A level of Ω's side of K, ≤ 0 in it: near the surface about the distance [m]. */
INTERVOX_HD inline double Level(const FluxCurve& s, const Vec3& x) {
  const Vec3 y = InAxes(s, x - s.o);
  if (s.ruled) {
    const double rho = std::sqrt(y.x * y.x + y.y * y.y);
    return s.side * (rho - s.radius - s.k * y.z) / std::sqrt(1.0 + s.k * s.k);
  }
  const double slope = Norm(Vec3{y.x / s.radii.x, y.y / s.radii.y, y.z / s.radii.z});
  return slope > 0 ? 0.5 * s.side * (Dot(y, y) - 1.0) / slope : -0.5 * s.side * s.radii.x;
}

/** Whether x is in Ω's box. */
INTERVOX_HD inline bool IsInBox(const FluxModel& model, const Vec3& x) {
  const Vec3 below = model.lower - x, above = x - model.upper;
  return below.x <= 0 && below.y <= 0 && below.z <= 0 && above.x <= 0 && above.y <= 0 &&
         above.z <= 0;
}

/** The largest level of x among all planes but `skip_plane` and, unless `skip_curve` is −1, all
 curved surfaces but that one: ≤ 0 where none of them excludes x [m]. */
INTERVOX_HD inline double Margin(const FluxModel& model, const Vec3& x, int skip_plane,
                                 int skip_curve) {
  double f = -kFar;
  for (int i = 0; i < model.planes; ++i) {
    const double g = Dot(model.plane[i].n, x) - model.plane[i].h;
    if (i != skip_plane && g > f) f = g;
  }
  for (int i = 0; i < model.curves && skip_curve >= 0; ++i) {
    const double g = i == skip_curve ? -kFar : Level(model.curve[i], x);
    if (g > f) f = g;
  }
  return f;
}

/** Reads a pair; false when a surface, a number of surfaces or the box is not for this rule.
 `nudge` [m] shifts every surface by its own small share, which resolves coincident edges. */
INTERVOX_HD inline bool MakeFluxModel(const LocalPair& pair, double nudge, FluxModel* model) {
  using geometry::SurfaceKind;
  const Vec3 extent = pair.upper - pair.lower;
  if (!(Largest(Abs(extent)) < 1e100) || !(extent.x > 0) || !(extent.y > 0) || !(extent.z > 0)) {
    return false;
  }
  model->planes = model->curves = 0;
  model->size = Norm(extent);
  model->slack = 1e-9 * model->size;
  model->a = 0.5 * (pair.lower + pair.upper);
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const double shift = nudge * (1.0 + 0.37 * i + 0.11 * (i % 3));
    if (s.kind == SurfaceKind::kPlane) {
      if (model->planes == kFluxPlanes) return false;
      FluxPlane& plane = model->plane[model->planes++];
      plane.n = s.side > 0 ? s.R.Col(2) : -s.R.Col(2);
      plane.h = Dot(plane.n, s.o) + shift;
      plane.weight = pair.surface[i].weight;
      continue;
    }
    if (model->curves == kFluxCurves) return false;
    FluxCurve& curve = model->curve[model->curves++];
    curve = {};
    curve.side = s.side > 0 ? 1.0 : -1.0;
    curve.weight = pair.surface[i].weight;
    curve.frame = s.R;
    curve.o = s.o;
    if (s.kind == SurfaceKind::kEllipsoid) {
      curve.ruled = false;
      curve.radii = {std::sqrt(-s.c / s.e.x) + shift, std::sqrt(-s.c / s.e.y) + shift,
                     std::sqrt(-s.c / s.e.z) + shift};
    } else if (s.kind == SurfaceKind::kCylinder) {
      curve.radius = std::sqrt(-s.c / s.e.x) + shift;
    } else if (s.kind == SurfaceKind::kCone) {
      curve.cone = true;
      curve.k = std::sqrt(-s.e.z / s.e.x);
      curve.o += (shift / (1.0 + curve.k)) * s.R.Col(2);
    } else {
      return false;
    }
  }
  return model->curves > 0 &&
         (model->curves == 1 || model->curve[0].ruled || model->curve[1].ruled);
}

/** The curve that is an ellipsoid, or −1. */
INTERVOX_HD inline int RoundCurve(const FluxModel& model) {
  int round = -1;
  for (int q = 0; q < model.curves; ++q) {
    if (!model.curve[q].ruled) round = q;
  }
  return round;
}

/** A point near Ω on the ruled surfaces' and planes' kept sides, from x on. */
INTERVOX_HD inline Vec3 NearOverlap(const FluxModel& model, Vec3 x) {
  // A few projections bring x near Ω, so that thin overlaps sum small fluxes.
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < model.planes; ++i) {
      const double f = Dot(model.plane[i].n, x) - model.plane[i].h;
      if (f > 0) x -= f * model.plane[i].n;
    }
    for (int i = 0; i < model.curves; ++i) {
      const FluxCurve& s = model.curve[i];
      const double f = Level(s, x);
      if (!(f > 0) || !s.ruled) continue;
      const Vec3 e = s.frame.Col(2);
      const Vec3 across = (x - s.o) - Dot(x - s.o, e) * e;
      const double rho = Norm(across);
      if (rho > 0) x -= (s.side * f / std::sqrt(1.0 + s.k * s.k) / rho) * across;
    }
  }
  return x;
}

/** Moves the origin of all lengths by d. */
INTERVOX_HD inline void Shift(const Vec3& d, FluxModel* model) {
  model->a += d;
  model->lower -= d;
  model->upper -= d;
  for (int i = 0; i < model->planes; ++i) model->plane[i].h -= Dot(model->plane[i].n, d);
  for (int i = 0; i < model->curves; ++i) model->curve[i].o -= d;
}

/** Moves the origin of all lengths to model->a, finds the planes near Ω and turns each axis frame
 so that its first direction points to it. */
INTERVOX_HD inline void Recentre(const LocalPair& pair, FluxModel* model) {
  for (int i = 0; i < model->planes; ++i) {
    model->plane[i].h -= Dot(model->plane[i].n, model->a);
  }
  const Vec3 margin{model->slack, model->slack, model->slack};
  model->lower = pair.lower - model->a - margin;
  model->upper = pair.upper - model->a + margin;
  const Vec3 middle = 0.5 * (model->lower + model->upper);
  const Vec3 half = 0.5 * (model->upper - model->lower);
  model->near = 0;
  for (int i = 0; i < model->planes; ++i) {
    const FluxPlane& plane = model->plane[i];
    const double reach = Dot(Abs(plane.n), half) + model->slack;
    if (std::fabs(Dot(plane.n, middle) - plane.h) <= reach) model->near |= 1u << i;
  }
  for (int i = 0; i < model->curves; ++i) {
    FluxCurve& s = model->curve[i];
    s.o -= model->a;
    if (!s.ruled) continue;
    const Vec3 e = s.frame.Col(2);
    if (!s.cone) s.o -= Dot(s.o - middle, e) * e;
    const Vec3 across = (middle - s.o) - Dot(middle - s.o, e) * e;
    const double length = Norm(across);
    if (length > 1e-6 * model->size) {
      const Vec3 first = across / length;
      s.frame = Mat3::FromColumns(first, Cross(e, first), e);
    }
  }
}

}  // namespace intervox::cuda::internal::flux
