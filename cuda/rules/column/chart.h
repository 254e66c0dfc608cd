/** @file The sections of the column rule: parallel planes, or half planes about a torus' axis. */
#pragma once

#include "cuda/rules/clip/rule.h"
#include "cuda/rules/column/section.h"

namespace intervox::cuda::internal::column {

/** Ω's surfaces in the frame y, x = p + F y, and the sections in it. */
struct ColumnChart {
  Vec3 p;
  Mat3 F;
  Vec3 half_normal[kMaxSurfaces];  ///< of the pair's planes, c + 2 half_normal·y ≤ 0
  double offset[kMaxSurfaces] = {};
  MappedSurface curved[kColumnCurves];  ///< the pair's other surfaces
  double weight[kMaxSurfaces] = {};     ///< in S and G, where ends of columns stand for the face
  int count = 0, planes = 0;
  std::uint64_t active =
      ~std::uint64_t{0};    ///< surfaces (bits) that Ω may touch: others have no face
  int ring = -1;            ///< the torus whose half planes are used; −1: parallel planes
  double major = 0;         ///< of that torus
  int t = 0, u = 1, v = 2;  ///< axes of parallel planes
  Vec3 lower, upper;        ///< of y; u and v are measured from the torus' centre circle
  double scale = 1;         ///< |det F|
};

/** Takes the pair's surfaces into the chart, mapped into its frame. */
INTERVOX_HD inline void MapSurfaces(const LocalPair& pair, ColumnChart* chart) {
  for (int i = 0; i < pair.count; ++i) {
    const MappedSurface s = MapSurface(pair.surface[i], chart->p, chart->F);
    if (i < pair.planes) {
      chart->half_normal[i] = s.b;
      chart->offset[i] = s.c;
    } else {
      chart->curved[i - pair.planes] = s;
    }
  }
}

/** Turns the parameter τ ∈ [−4, 8) into a direction, with dφ/dτ; smooth but at odd multiples of ½.
 */
INTERVOX_HD inline double DirectionAt(double tau, double* c, double* s) {
  const int turn = static_cast<int>(tau + 4.5) - 4, quadrant = turn & 3;
  return 4 * kT * DirectionOf({quadrant, 2 * kT * (tau - turn)}, c, s);
}

/** τ of a direction. */
INTERVOX_HD inline double ParameterOf(double x, double y) {
  const QuadrantAngle angle = AngleOf(x, y);
  return angle.quadrant + angle.u / (2 * kT);
}

/** (K1): the restriction of a mapped surface to the plane y0 + u yu + v yv. */
INTERVOX_HD inline SectionCurve RestrictTo(const MappedSurface& s, const Vec3& y0, const Vec3& yu,
                                           const Vec3& yv) {
  const Vec3 gu = s.E * yu, gv = s.E * yv, half = s.b + s.E * y0;
  SectionCurve out;
  // The mapped level is turned by the side; curves keep the surface's own.
  out.uu = s.sign * Dot(yu, gu);
  out.uv = s.sign * Dot(yu, gv);
  out.vv = s.sign * Dot(yv, gv);
  out.u = s.sign * Dot(yu, half);
  out.v = s.sign * Dot(yv, half);
  out.c = s.sign * (s.c + Dot(y0, s.b + half));
  out.side = s.sign > 0 ? 1 : -1;
  if (s.kind == geometry::SurfaceKind::kCone) {
    out.cone = true;
    out.z0 = s.origin.z + Dot(s.M.row2, y0);
    out.zu = Dot(s.M.row2, yu);
    out.zv = Dot(s.M.row2, yv);
  }
  return out;
}

/** Fills in what cuts the plane y0 + u yu + v yv, but for plane `skip`; false when a plane leaves
 nothing of it. */
INTERVOX_HD inline bool FillSection(const ColumnChart& chart, const Vec3& y0, const Vec3& yu,
                                    const Vec3& yv, int skip, SectionRoom* room) {
  PlaneSection* const section = &room->section.value;
  SectionLines* const planes = &room->planes.value;
  section->curves = section->lines = 0;
  section->rings = section->full = false;
  section->radius = 0;
  section->weight = chart.weight;
  section->P = chart.p + chart.F * y0;
  section->U = chart.F * yu;
  section->V = chart.F * yv;
  planes->count = 0;
  for (int i = 0; i < chart.planes; ++i) {
    if (i == skip) continue;
    const Vec3& b = chart.half_normal[i];
    SectionLine line;
    line.u = 2 * Dot(b, yu);
    line.v = 2 * Dot(b, yv);
    line.d = -(chart.offset[i] + 2 * Dot(b, y0));
    line.id = i;
    const double norm = std::sqrt(line.u * line.u + line.v * line.v);
    if (!(norm > 1e-14 * Norm(b))) {
      if (line.d < 0) return false;
      continue;
    }
    line.u /= norm;
    line.v /= norm;
    line.d /= norm;
    planes->line[planes->count++] = line;
  }
  const double reach_u = section->u_hi - section->u_lo, reach_v = section->v_hi - section->v_lo;
  for (int i = chart.planes; i < chart.count; ++i) {
    const MappedSurface& s = chart.curved[i - chart.planes];
    SectionCurve& curve = section->curve[section->curves++];
    if (i == chart.ring) {
      curve = {};
      curve.uu = curve.vv = 1;
      curve.c = -s.e.y * s.e.y;
      curve.side = s.sign > 0 ? 1 : -1;
      section->radius = s.e.y;
    } else if (s.kind == geometry::SurfaceKind::kTorus) {
      curve = {};
      curve.ring = true;
      curve.side = s.sign > 0 ? 1 : -1;
      section->rings = true;
    } else {
      curve = RestrictTo(s, y0, yu, yv);
    }
    curve.id = i;
    curve.slack = 1e-8 * ((std::fabs(curve.uu) * reach_u + 2 * std::fabs(curve.u)) * reach_u +
                          (std::fabs(curve.vv) * reach_v + 2 * std::fabs(curve.v)) * reach_v +
                          std::fabs(curve.uv) * reach_u * reach_v);
  }
  return true;
}

/** The section at t, plane `skip` not cutting it; false when a plane leaves nothing of it. */
INTERVOX_HD inline bool SectionAt(const ColumnChart& chart, double t, int skip, SectionRoom* room) {
  PlaneSection* const section = &room->section.value;
  Vec3 y0, yu, yv;
  if (chart.ring >= 0) {
    double c = 0, s = 0;
    const double turn = DirectionAt(t, &c, &s);
    yu = {c, s, 0};
    yv = {0, 0, 1};
    y0 = chart.major * yu;
    section->j0 = turn * chart.major;
    section->j1 = turn;
  } else {
    y0[chart.t] = t;
    yu[chart.u] = 1;
    yv[chart.v] = 1;
    section->j0 = chart.scale;
    section->j1 = 0;
  }
  section->u_lo = chart.lower[chart.u];
  section->u_hi = chart.upper[chart.u];
  section->v_lo = chart.lower[chart.v];
  section->v_hi = chart.upper[chart.v];
  return FillSection(chart, y0, yu, yv, skip, room);
}

/** The chart of a pair in the clip rule's box: about its first torus, else along the longest axis,
 with columns along the thinnest. */
INTERVOX_HD inline void MakeChart(const LocalPair& pair, const clip::ClipModel& model,
                                  ColumnChart* chart) {
  chart->count = pair.count;
  chart->planes = pair.planes;
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const bool first = chart->ring < 0 || pair.surface[chart->ring].surface.side < s.side;
    if (s.kind == geometry::SurfaceKind::kTorus && first) chart->ring = i;
  }
  if (chart->ring >= 0) {
    const geometry::Surface& s = pair.surface[chart->ring].surface;
    chart->p = s.o;
    chart->F = s.R;
    chart->major = s.e.x;
    chart->u = 0;
    chart->v = 1;
    const double r = 1.0000001 * s.e.y;
    chart->lower = {-r, -r, -r};
    chart->upper = {r, r, r};
    if (s.side < 0) {
      // Outside of the tube: from the axis to the farthest corner of the box.
      chart->lower.y = 1e300;
      chart->upper = {0, -1e300, 0};
      for (int k = 0; k < 8; ++k) {
        const Vec3 y{k & 1 ? model.box.upper.x : model.box.lower.x,
                     k & 2 ? model.box.upper.y : model.box.lower.y,
                     k & 4 ? model.box.upper.z : model.box.lower.z};
        const Vec3 x = TransposeTimes(s.R, model.box.p + model.box.F * y - s.o);
        const double rho = 1.0000001 * std::sqrt(x.x * x.x + x.y * x.y);
        chart->upper.x = rho > chart->upper.x ? rho : chart->upper.x;
        chart->lower.y = x.z < chart->lower.y ? x.z : chart->lower.y;
        chart->upper.y = x.z > chart->upper.y ? x.z : chart->upper.y;
      }
      chart->lower.x = -chart->major;
      chart->upper.x -= chart->major;
    }
  }
  if (chart->ring < 0) {
    chart->p = model.box.p;
    chart->F = model.box.F;
    chart->lower = model.box.lower;
    chart->upper = model.box.upper;
    chart->scale = std::fabs(Determinant(chart->F));
    const Vec3 extent = chart->upper - chart->lower;
    const Vec3 length{extent.x * Norm(chart->F.Col(0)), extent.y * Norm(chart->F.Col(1)),
                      extent.z * Norm(chart->F.Col(2))};
    int thin = 0, tall = 0;
    for (int axis = 1; axis < 3; ++axis) {
      if (length[axis] < length[thin]) thin = axis;
      if (length[axis] >= length[tall]) tall = axis;
    }
    if (tall == thin) tall = thin == 2 ? 0 : thin + 1;
    chart->v = thin;
    chart->t = tall;
    chart->u = 3 - thin - tall;
  }
  // The box may end where a face does: a little wider, sections end at the face, and not at the
  // box, whose edges are no boundary of Ω.
  constexpr double kWider = 1e-7;
  for (const int axis : {chart->u, chart->v}) {
    const double more = kWider * (chart->upper[axis] - chart->lower[axis]);
    chart->lower[axis] -= more;
    chart->upper[axis] += more;
  }
  if (chart->ring >= 0 && chart->lower.x < -chart->major) chart->lower.x = -chart->major;
  MapSurfaces(pair, chart);
}

}  // namespace intervox::cuda::internal::column
