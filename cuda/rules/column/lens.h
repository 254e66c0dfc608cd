/** @file A thin lens between two surfaces, in closed form but for a sum around its rim. */
#pragma once

#include "cuda/numerics/quadrature.h"
#include "cuda/rules/clip/tree.h"
#include "cuda/rules/column/section.h"
#include "cuda/surface/bend.h"

namespace intervox::cuda::internal::column {

/** How far faces may rise from the frame's origin, over the reach of Ω. */
inline constexpr double kHeight = 0.7;

/** One of the two faces in the lens' frame, z along the normal: the graph of a height over (x, y),
 to second order about the frame's origin. */
struct LensFace {
  MappedSurface s;
  double z = 0, zx = 0, zy = 0;                  ///< the height and its slopes
  double bend_xx = 0, bend_xy = 0, bend_yy = 0;  ///< its second derivatives, positive into Ω [1/m]
  double change = 0;                             ///< what these change by at most [1/m]
  double steep = 0;                              ///< a bound of |∇∇g|/|∂g/∂z| [1/m]
  double slack = 0;                              ///< rounding of the height [m]
  double upwards = 0;                            ///< the sign of ∂g/∂z: above Ω it is 1
};

/** A point of a face: its height, and the area vector of a unit of (x, y), out of Ω. */
struct LensPoint {
  double z = 0;
  Vec3 area;
};

/** Ω between the faces `upper` and `lower`, over a convex part of the plane z = 0. */
struct Lens {
  Vec3 p;  ///< the origin in L
  Mat3 F;  ///< the axes: a rotation
  LensFace upper, lower;
  double xx = 0, xy = 0, yy = 0;  ///< how its thickness bends, downwards [1/m]
  double least_bend = 0;          ///< a bound of that from below [1/m]
  double reach = 0;               ///< of Ω from p [m]
  Mat3 edges;                     ///< half edges of a box around Ω about p, as columns
  Vec3 way;                       ///< a unit vector: the frame is known to be bent as stated within
  double along = 0, across = 0;   ///< these distances of p along it and across it [m]
  double fine = 0;                ///< errors of slopes that do not matter
  double slack = 0;               ///< rounding of the thickness [m]
};

/** Makes a face from a surface of the frame, and bounds how it bends over the ball of radius r
 about the origin. False where it may not be the graph of a height there. */
INTERVOX_HD inline bool MakeFace(const LocalSurface& surface, double r, Lens* of, LensFace* face) {
  const Lens& lens = *of;
  face->s = MapSurface(surface, lens.p, lens.F);
  const LevelAndSlope at = Evaluate(face->s, {});
  Sym3 hessian;
  double size = 0, change = 0;
  if (!HessianOver(face->s, r, &hessian, &size, &change)) return false;
  const double gz = std::fabs(at.gradient.z);
  // What ∂g/∂z changes by over a unit of length.
  const double along_z = Norm(hessian * Vec3{0, 0, 1}) + change;
  const double least = gz - along_z * r;
  if (!(least > 0)) return false;
  face->upwards = at.gradient.z > 0 ? 1 : -1;
  face->z = -at.value / at.gradient.z;
  face->zx = -at.gradient.x / at.gradient.z;
  face->zy = -at.gradient.y / at.gradient.z;
  const double flat = std::sqrt(at.gradient.x * at.gradient.x + at.gradient.y * at.gradient.y);
  const double slope = (flat + size * r) / least, one = 1 + slope * slope;
  // Over (x, y) within the reach of Ω the face must not leave the ball.
  const double height = std::fabs(at.value) / least + slope * lens.reach;
  if (!(height < kHeight * lens.reach)) return false;
  if (surface.surface.kind == geometry::SurfaceKind::kTorus) {
    // A lens is long around a ring, in which direction that bends alike.
    const Vec3 way = TransposeTimes(face->s.M, BendOver(face->s, {}, 0).across);
    double along = height + std::fabs(way.z) * lens.reach, across = height;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 edge = lens.edges.Col(axis);
      const double part = Dot(edge, way);
      along += std::fabs(part);
      across += Norm(edge - part * way);
    }
    const double less = ChangeOver(face->s, along, across);
    if (less < change) {
      change = less;
      of->way = way;
      of->along = along;
      of->across = across;
    }
  }
  // z'' = −Pᵀ(∇∇g)P/g_z with P the columns (1, 0, zx) and (0, 1, zy).
  const Vec3 px{1, 0, face->zx}, py{0, 1, face->zy};
  const Vec3 hx = hessian * px, hy = hessian * py;
  face->bend_xx = Dot(px, hx) / gz;
  face->bend_xy = Dot(px, hy) / gz;
  face->bend_yy = Dot(py, hy) / gz;
  face->steep = size / least;
  face->slack = face->s.slack / least;
  const double bend = face->steep * one, turn = bend * r;
  face->change = (along_z * turn * (1 + 2 * std::sqrt(one) + turn) + change * one) / least;
  return true;
}

/** The point of a face over (x, y), by Newton's method from its second order. */
INTERVOX_HD inline LensPoint PointOver(const LensFace& face, double fine, double x, double y) {
  const double bent = face.bend_xx * x * x + 2 * face.bend_xy * x * y + face.bend_yy * y * y;
  double z = face.z + face.zx * x + face.zy * y - 0.5 * face.upwards * bent;
  for (int i = 0;; ++i) {
    const LevelAndSlope at = Evaluate(face.s, {x, y, z});
    const double step = at.value / at.gradient.z, turn = std::fabs(step) * face.steep;
    z -= step;
    // What is left of the height is of second order in the step.
    if (i == 5 || (turn * std::fabs(step) <= face.slack && turn <= fine)) {
      return {z, at.gradient / std::fabs(at.gradient.z)};
    }
  }
}

/** The two of the active surfaces; false where there are more or fewer. */
INTERVOX_HD inline bool FindFaces(const clip::ClipModel& model, const clip::ClipCell& box,
                                  int* faces) {
  int count = 0;
  for (int i = 0; i < model.count; ++i) {
    if ((box.active >> i & 1) == 0) continue;
    if (count == 2) return false;
    faces[count++] = i;
  }
  return count == 2;
}

/** (K8): the lens in the model's box. False unless it is proved that Ω lies between two graphs
 whose distance is concave. */
INTERVOX_HD inline bool FindLens(const LocalPair& pair, const clip::ClipModel& model,
                                 const clip::ClipCell& cell, Lens* lens) {
  int of[2];
  if (!FindFaces(model, cell, of)) return false;
  const clip::ClipBox& box = model.box;
  const Vec3 half = 0.5 * (box.upper - box.lower);
  const Vec3 ex = half.x * box.F.Col(0), ey = half.y * box.F.Col(1), ez = half.z * box.F.Col(2);
  double most = 0;
  for (int k = 0; k < 4; ++k) {
    const double r = SquaredNorm(ex + (k & 1 ? 1.0 : -1.0) * ey + (k & 2 ? 1.0 : -1.0) * ez);
    most = r > most ? r : most;
  }
  lens->reach = std::sqrt(most);
  lens->fine = 0.01 * pair.tolerance;
  lens->p = box.p + box.F * (0.5 * (box.lower + box.upper));
  const geometry::Surface& curved = pair.surface[of[1]].surface;
  const Vec3 g = geometry::Gradient(curved, lens->p);
  if (!(SquaredNorm(g) > 0)) return false;
  const Vec3 n = curved.side * Normalized(g), t = AnyOrthogonal(n);
  lens->F = Mat3::FromColumns(t, Cross(n, t), n);
  const double r = std::sqrt(1 + kHeight * kHeight) * lens->reach;
  lens->edges = Transpose(lens->F) * Mat3::FromColumns(ex, ey, ez);
  lens->along = lens->across = lens->reach;
  if (!MakeFace(pair.surface[of[1]], r, lens, &lens->upper) ||
      !MakeFace(pair.surface[of[0]], r, lens, &lens->lower)) {
    return false;
  }
  if (!(lens->upper.upwards > 0 && lens->lower.upwards < 0)) return false;
  lens->xx = lens->upper.bend_xx + lens->lower.bend_xx;
  lens->xy = lens->upper.bend_xy + lens->lower.bend_xy;
  lens->yy = lens->upper.bend_yy + lens->lower.bend_yy;
  const double mean = 0.5 * (lens->xx + lens->yy), split = 0.5 * (lens->xx - lens->yy);
  lens->least_bend = mean - std::sqrt(split * split + lens->xy * lens->xy) - lens->upper.change -
                     lens->lower.change;
  lens->slack = kPositionRounding / kMappedRounding * (lens->upper.slack + lens->lower.slack);
  return lens->least_bend > 0;
}

/** The middle of the lens' plane figure and how it is spanned: (x, y) = c + L (cos φ, sin φ) goes
 about its rim. */
struct LensRim {
  double x = 0, y = 0;
  double lxx = 0, lyx = 0, lyy = 0;  ///< L's columns are (lxx, lyx) and (0, lyy)
};

/** What is known of the middle. */
enum class LensMiddle { kFound, kEmpty, kRounding, kUnknown };

/** Goes up to where the lens is thickest. */
INTERVOX_HD inline LensMiddle FindMiddle(const Lens& lens, LensRim* rim) {
  const double det = lens.xx * lens.yy - lens.xy * lens.xy;
  constexpr int kSteps = 12;
  for (int i = 0; i < kSteps; ++i) {
    const LensPoint top = PointOver(lens.upper, lens.fine, rim->x, rim->y);
    const LensPoint bottom = PointOver(lens.lower, lens.fine, rim->x, rim->y);
    const double h = top.z - bottom.z;
    const double hx = -top.area.x - bottom.area.x, hy = -top.area.y - bottom.area.y;
    // The most that a concave thickness rises by.
    const double rise = 0.5 * (hx * hx + hy * hy) / lens.least_bend;
    if (h + rise < -lens.slack) return LensMiddle::kEmpty;
    if (h + rise < lens.slack) return LensMiddle::kRounding;
    if (rise < 0.01 * h) {
      // L Lᵀ = 2 h K⁻¹.
      rim->lxx = std::sqrt(2 * h * lens.yy / det);
      rim->lyx = -lens.xy / lens.yy * rim->lxx;
      rim->lyy = std::sqrt(2 * h / lens.yy);
      return LensMiddle::kFound;
    }
    rim->x += (lens.yy * hx - lens.xy * hy) / det;
    rim->y += (lens.xx * hy - lens.xy * hx) / det;
    const Vec3 at{rim->x, rim->y, 0.0};
    const double part = Dot(lens.way, at);
    if (!(std::fabs(part) <= lens.along && Norm(at - part * lens.way) <= lens.across)) break;
  }
  return LensMiddle::kUnknown;
}

/** ∫ over the lens in its frame: of a part of its figure with its seven radial points, and of the
 three nested in them V alone. */
struct LensSums {
  VolumeMoments x;
  Vec3 s;
  Mat3 t = Mat3::Zero();
  double lean = 0, area = 0;
};

/** Adds the ray (c, s) of the figure, of a share dφ of the turn. False where no rim was found. */
INTERVOX_HD inline bool AddRay(const Lens& lens, const LensRim& rim, double c, double s,
                               LensSums* sums) {
  const double dx = rim.lxx * c, dy = rim.lyx * c + rim.lyy * s;
  // The root of a concave height: Newton's method closes in from without.
  double end = 1;
  for (int i = 0;; ++i) {
    const double x = rim.x + end * dx, y = rim.y + end * dy;
    const LensPoint top = PointOver(lens.upper, lens.fine, x, y),
                    bottom = PointOver(lens.lower, lens.fine, x, y);
    const double slope = -(top.area.x + bottom.area.x) * dx - (top.area.y + bottom.area.y) * dy;
    if (!(slope < 0) || i == 20) return false;
    const double step = (top.z - bottom.z) / slope;
    end -= step;
    constexpr double kRim = 1e-6;  // squared by the last step
    if (std::fabs(step) <= kRim * end || std::fabs(top.z - bottom.z) <= lens.slack) break;
  }
  if (!(end > 0)) return false;
  const NestedRule<8>& rule = Patterson7();
  const double jacobian = rim.lxx * rim.lyy * end * end;
  for (int k = 0; k < 7; ++k) {
    const double tau = rule.x[k], x = rim.x + tau * end * dx, y = rim.y + tau * end * dy;
    const LensPoint top = PointOver(lens.upper, lens.fine, x, y),
                    bottom = PointOver(lens.lower, lens.fine, x, y);
    const double h = top.z - bottom.z, w = rule.fine[k] * tau * jacobian;
    const double middle = 0.5 * (top.z + bottom.z);
    sums->x.AddPoint(w * h, {x, y, middle});
    sums->x.second.diag.z += w * h * h * h / 12;
    sums->lean += rule.lean[k] * tau * jacobian * h;
    sums->area += w;
    for (int face = 0; face < 2; ++face) {
      const LensPoint& at = face == 0 ? top : bottom;
      const Vec3 n = w * (face == 0 ? lens.upper : lens.lower).s.weight * at.area;
      sums->s += n;
      sums->t = sums->t + Outer({x, y, at.z}, n);
    }
  }
  return true;
}

/** a sums. */
INTERVOX_HD inline LensSums operator*(double a, const LensSums& x) {
  return {a * x.x, a * x.s, a * x.t, a * x.lean, a * x.area};
}

/** What two sums differ by, in the measure of V. */
INTERVOX_HD inline double Difference(const LensSums& a, const LensSums& b) {
  const double v = b.x.v;
  const double of_v = std::fabs(a.x.v - v);
  const Vec3 c = b.x.m / v;
  const double r2 = Trace(b.x.second) / v - SquaredNorm(c);
  const double of_m = r2 > 0 ? Norm(a.x.m - b.x.m - (a.x.v - v) * c) / std::sqrt(r2) : of_v;
  const double of_s = Norm(a.s - b.s) / b.area * v / 30;
  const double off = of_v > of_m ? of_v : of_m;
  return off > of_s ? off : of_s;
}

/** The direction of half the angle, below a half turn. */
INTERVOX_HD inline void HalveAngle(double* c, double* s) {
  *c = std::sqrt(0.5 * (1 + *c));
  *s = 0.5 * *s / *c;
}

/** Sums over rays at equal angles, each time with others between them, until the tolerance is met.
 */
INTERVOX_HD inline RuleResult SumRays(const LocalPair& pair, const Lens& lens, const LensRim& rim,
                                      Moments* moments) {
  constexpr int kMostRays = 64, kFirst = 4, kOfRay = 9;
  RuleResult result;
  LensSums sums, before;
  double from_c = 1, from_s = 0, step_c = 0, step_s = 1;
  int rays = 0;
  for (int more = kFirst; rays + more <= kMostRays; more = rays) {
    double c = from_c, s = from_s;
    for (int k = 0; k < more; ++k) {
      if (!AddRay(lens, rim, c, s, &sums)) return result;
      const double turned = c * step_c - s * step_s;
      s = c * step_s + s * step_c;
      c = turned;
    }
    rays += more;
    const LensSums total = (2 * kPi / rays) * sums;
    if (rays > kFirst) {
      const double along = std::fabs(total.x.v - total.lean);
      result.error = NestedError(Difference(before, total), total.x.v, true) +
                     NestedError(along, total.x.v, true);
      const double rounding = lens.slack * total.area;
      if (result.error <= 0.05 * pair.tolerance * total.x.v ||
          result.error <= 0.3 * pair.volume_floor || result.error <= rounding) {
        result.accepted = true;
        result.rounding = rounding > result.error;
        result.error += rounding;
        result.work = kOfRay * rays;
        *moments = Mapped(lens.F, lens.p, total.x, total.s, total.t);
        return result;
      }
      HalveAngle(&step_c, &step_s);
    }
    before = total;
    from_c = step_c;
    from_s = step_s;
    HalveAngle(&from_c, &from_s);
  }
  return result;
}

/** The moments of a pair that is a lens in the model's box. Not accepted where it is none, or no
 thin one. */
__attribute__((noinline)) INTERVOX_HD inline RuleResult SumLens(const LocalPair& pair,
                                                                const clip::ClipModel& model,
                                                                Moments* moments) {
  RuleResult result;
  clip::ClipCell box = clip::WholeBox(model);
  if (!clip::Cull(model, &box)) {
    result.accepted = true;  // empty
    return result;
  }
  Lens lens;
  LensRim rim;
  if (!FindLens(pair, model, box, &lens)) return result;
  const LensMiddle middle = FindMiddle(lens, &rim);
  if (middle == LensMiddle::kFound) return SumRays(pair, lens, rim, moments);
  result.accepted = middle != LensMiddle::kUnknown;
  if (middle == LensMiddle::kRounding) {
    // V = π h²/√det K of a lens as thick as its thickness is known.
    result.rounding = true;
    result.error = kPi * lens.slack * lens.slack / std::sqrt(lens.xx * lens.yy - lens.xy * lens.xy);
  }
  return result;
}

}  // namespace intervox::cuda::internal::column
