/** @file The sections of the column rule: parallel planes, or half planes about a torus' axis, and
 where along them Ω may be. */
#pragma once

#include "cuda/clip/rule.h"
#include "cuda/column/section.h"

namespace intervox::cuda::internal {

/** Bins of the sections' parameter that may hold a part of Ω. */
inline constexpr int kColumnBins = 512;

/** Ω's surfaces in the frame y, x = p + F y, and the sections in it. */
struct ColumnChart {
  Vec3 p;
  Mat3 F;
  Vec3 half_normal[kMaxSurfaces];  ///< of the pair's planes, c + 2 half_normal·y ≤ 0
  double offset[kMaxSurfaces] = {};
  MappedSurface curved[kColumnCurves];  ///< the pair's other surfaces
  double weight[kColumnCurves] = {};    ///< of those in S and G
  int count = 0, planes = 0;
  int ring = -1;            ///< the torus whose half planes are used; −1: parallel planes
  double major = 0;         ///< of that torus
  int t = 0, u = 1, v = 2;  ///< axes of parallel planes
  Vec3 lower, upper;        ///< of y; u and v are measured from the torus' centre circle
  double scale = 1;         ///< |det F|
};

/** Turns the parameter τ ∈ [−4, 8) into a direction, with dφ/dτ; smooth but at odd multiples of ½.
 */
INTERVOX_HD inline double DirectionAt(double tau, double* c, double* s) {
  const int turn = static_cast<int>(tau + 4.5) - 4, quadrant = turn & 3;
  const double h = 2 * kEighth * (tau - turn);
  const double w = 1 / (1 + h * h);
  const double x = (1 - h * h) * w, y = 2 * h * w;
  *c = quadrant == 0 ? x : quadrant == 1 ? -y : quadrant == 2 ? -x : y;
  *s = quadrant == 0 ? y : quadrant == 1 ? x : quadrant == 2 ? -y : -x;
  return 4 * kEighth * w;
}

/** τ of a direction. */
INTERVOX_HD inline double ParameterOf(double x, double y) {
  const double ax = std::fabs(x), ay = std::fabs(y);
  const double norm = std::sqrt(x * x + y * y);
  const double quadrant = ax >= ay ? x > 0 ? 0 : 2 : y > 0 ? 1 : 3;
  const double along = ax >= ay ? ax : ay;
  const double across = quadrant == 0 ? y : quadrant == 1 ? -x : quadrant == 2 ? -y : x;
  return quadrant + across / (norm + along) / (2 * kEighth);
}

/** The restriction of a mapped surface to the plane y0 + u yu + v yv. */
INTERVOX_HD inline SectionCurve RestrictTo(const MappedSurface& s, const Vec3& y0, const Vec3& yu,
                                           const Vec3& yv) {
  const auto times = [&](const Vec3& y) {
    return Vec3{s.xx * y.x + s.xy * y.y + s.xz * y.z, s.xy * y.x + s.yy * y.y + s.yz * y.z,
                s.xz * y.x + s.yz * y.y + s.zz * y.z};
  };
  const Vec3 g0 = times(y0), gu = times(yu), gv = times(yv);
  const Vec3 half = s.b + g0;
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
                                    const Vec3& yv, int skip, PlaneSection* section,
                                    SectionLine* plane, int* planes) {
  section->curves = section->lines = 0;
  section->rings = section->full = false;
  section->radius = 0;
  section->weight = chart.weight;
  section->planes = chart.planes;
  section->P = chart.p + chart.F * y0;
  section->U = chart.F * yu;
  section->V = chart.F * yv;
  *planes = 0;
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
    plane[(*planes)++] = line;
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

/** The section at t; false when a plane leaves nothing of it. */
INTERVOX_HD inline bool SectionAt(const ColumnChart& chart, double t, PlaneSection* section,
                                  SectionLine* plane, int* planes) {
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
  return FillSection(chart, y0, yu, yv, -1, section, plane, planes);
}

/** A range of the sections' parameter. */
struct ColumnSpan {
  double lo, hi;
};

/** The sections that a box of the model's frame may meet, about `middle` for half planes: within
 two quadrants of it. */
INTERVOX_HD inline ColumnSpan SpanOf(const ClipModel& model, const ColumnChart& chart,
                                     const Vec3& c, const Vec3& h, double middle) {
  if (chart.ring < 0) return {c[chart.t] - h[chart.t], c[chart.t] + h[chart.t]};
  const MappedSurface& ring = model.surface[chart.ring];
  const Vec3 x = ring.origin + ring.M * c;
  const double wx = 1.000001 * Dot(Abs(ring.M.row0), h), wy = 1.000001 * Dot(Abs(ring.M.row1), h);
  const ColumnSpan all{middle - 2, middle + 2};
  if (std::fabs(x.x) <= wx && std::fabs(x.y) <= wy) return all;
  // Half-angle tangents about the box' own direction are bounded at the corners.
  const double norm = std::sqrt(x.x * x.x + x.y * x.y);
  double least = 1, most = -1;
  for (int k = 0; k < 4; ++k) {
    const double px = x.x + (k & 1 ? wx : -wx), py = x.y + (k & 2 ? wy : -wy);
    const double along = (x.x * px + x.y * py) / norm, across = (x.x * py - x.y * px) / norm;
    const double t = across / (std::sqrt(px * px + py * py) + along);
    least = t < least ? t : least;
    most = t > most ? t : most;
  }
  const auto turned = [&](double t) {
    const double cosine = 1 - t * t, sine = 2 * t;
    double tau = ParameterOf(cosine * x.x - sine * x.y, cosine * x.y + sine * x.x) - middle;
    if (tau > 2) tau -= 4;
    if (tau < -2) tau += 4;
    return middle + tau;
  };
  const ColumnSpan span{turned(least), turned(most)};
  return span.lo <= span.hi ? span : all;
}

/** A run of sections that may meet Ω, in certified bounds. */
struct ColumnRun {
  double t0, t1;
  int probes;  ///< places to look at before it is summed
};

/** Most runs. */
inline constexpr int kColumnRuns = 16;

/** A single run is looked at in this many boxes. */
inline constexpr int kRunParts = 4;

/** The runs of a pair. */
struct ColumnCover {
  ColumnRun run[kColumnRuns];
  int runs = 0;
  int cells = 0;
};

/** Bins of a span that hold cells, how many cells there are, and the box of those in `only`. */
struct ColumnBinSums {
  unsigned long long bits[kColumnBins / 64] = {};
  Hull hull;

  INTERVOX_HD bool Has(int i) const { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  INTERVOX_HD ColumnBinSums& operator+=(const ColumnBinSums& o) {
    for (int i = 0; i < kColumnBins / 64; ++i) bits[i] |= o.bits[i];
    hull += o.hull;
    return *this;
  }
};

/** Marks the bins of the model's cells at a level. */
template <class Team>
INTERVOX_HD ColumnBinSums BinsOf(const Team& team, const ClipModel& model, const ColumnChart& chart,
                                 const ColumnSpan& span, double middle, int level,
                                 const ColumnSpan& only) {
  int items = 1;
  for (int i = 0; i < 2; ++i) {
    for (int axis = 0; axis < 3; ++axis) items <<= model.split[i] >> axis & 1;
  }
  const double unit = kColumnBins / (span.hi - span.lo);
  return team.template Sum<ColumnBinSums>(items, [&](int item) {
    ColumnBinSums mine;
    VisitCells(model, 2, level, item, [&](const ClipCell& cell) {
      const ColumnSpan one = SpanOf(model, chart, cell.c, cell.h, middle);
      if (one.lo < only.hi && one.hi > only.lo) {
        mine.hull.lower = Min(mine.hull.lower, cell.c - cell.h);
        mine.hull.upper = Max(mine.hull.upper, cell.c + cell.h);
        ++mine.hull.cells;
      }
      if (one.lo > span.hi || one.hi < span.lo) return;
      int from = static_cast<int>((one.lo - span.lo) * unit + 1e-6);
      int to = static_cast<int>((one.hi - span.lo) * unit - 1e-6);
      from = from < 0 ? 0 : from;
      to = to < from ? from : to;
      to = to < kColumnBins ? to : kColumnBins - 1;
      for (int i = from; i <= to; ++i) mine.bits[i / 64] |= 1ull << (i % 64);
    });
    return mine;
  });
}

/** Adds the runs of the model's box, of those `within` a span if one is given. Where there are
 several, each is looked at in its own box, so that a contact much smaller than what lies between
 two of them is found; a single one of parallel planes in boxes of its quarters. */
template <class Team>
INTERVOX_HD void AddRuns(const Team& team, const ColumnChart& chart, const ColumnSpan* within,
                         ClipModel* model, ColumnCover* cover) {
  constexpr int kEnough = 120, kDeepest = 6;
  const Vec3 c = 0.5 * (model->box.lower + model->box.upper);
  const Vec3 h = 0.5 * (model->box.upper - model->box.lower);
  double middle = 0;
  if (chart.ring >= 0) {
    const MappedSurface& ring = model->surface[chart.ring];
    const Vec3 x = ring.origin + ring.M * c;
    middle = x.x == 0 && x.y == 0 ? 0.0 : ParameterOf(x.x, x.y);
    const double off = within == nullptr ? 0 : 0.5 * (within->lo + within->hi) - middle;
    middle += off > 2 ? 4 : off < -2 ? -4 : 0;
  }
  ColumnSpan span = SpanOf(*model, chart, c, h, middle);
  if (within != nullptr) {
    span.lo = span.lo > within->lo ? span.lo : within->lo;
    span.hi = span.hi < within->hi ? span.hi : within->hi;
  }
  if (!(span.lo < span.hi)) return;
  ColumnBinSums bins;
  int level = 3;
  for (; level <= kDeepest; ++level) {
    bins = BinsOf(team, *model, chart, span, middle, level, span);
    if (bins.hull.cells >= kEnough || bins.hull.cells == 0 || level == kDeepest) break;
  }
  cover->cells += bins.hull.cells;
  // Gaps are bridged until the runs are few.
  const int room = kColumnRuns - cover->runs;
  int from[kColumnRuns], to[kColumnRuns], runs = 0;
  for (int gap = 0;; gap = 2 * gap + 1) {
    bool few = true;
    runs = 0;
    for (int i = 0; i < kColumnBins; ++i) {
      if (!bins.Has(i)) continue;
      if (runs > 0 && i <= to[runs - 1] + gap) {
        to[runs - 1] = i + 1;
        continue;
      }
      few = runs < room;
      if (!few) break;
      from[runs] = i;
      to[runs++] = i + 1;
    }
    if (few || gap > kColumnBins) break;
  }
  const double unit = (span.hi - span.lo) / kColumnBins;
  const Vec3 lower = model->box.lower, upper = model->box.upper;
  for (int i = 0; i < runs; ++i) {
    const ColumnSpan own{span.lo + from[i] * unit, span.lo + to[i] * unit};
    const int parts = runs > 1 ? 1 : chart.ring < 0 ? kRunParts : 0;
    if (within == nullptr && parts > 0 && cover->runs + runs - i < kColumnRuns) {
      for (int k = 0; k < parts; ++k) {
        const double width = (own.hi - own.lo) / parts;
        const ColumnSpan part{k == 0 ? own.lo : own.lo + k * width,
                              k + 1 == parts ? own.hi : own.lo + (k + 1) * width};
        if (cover->runs == kColumnRuns) {
          cover->run[kColumnRuns - 1].t1 = part.hi;
          continue;
        }
        if (parts == 1) {
          const Hull hull = BinsOf(team, *model, chart, span, middle, level, part).hull;
          model->box.lower = hull.lower;
          model->box.upper = hull.upper;
        } else {
          model->box.lower[chart.t] = part.lo;
          model->box.upper[chart.t] = part.hi;
        }
        if (Shrink(team, model)) AddRuns(team, chart, &part, model, cover);
        model->box.lower = lower;
        model->box.upper = upper;
      }
      continue;
    }
    if (cover->runs == kColumnRuns) {
      // No room: the last run reaches over to this one.
      cover->run[kColumnRuns - 1].t1 = own.hi;
      continue;
    }
    const double share = (own.hi - own.lo) / (span.hi - span.lo);
    int probes = 1 + static_cast<int>(12 * share);
    if (chart.ring >= 0 && probes < 8 * (own.hi - own.lo)) {
      probes = 1 + static_cast<int>(8 * (own.hi - own.lo));
    }
    ColumnRun* last = cover->runs > 0 ? &cover->run[cover->runs - 1] : nullptr;
    const double nearly = own.lo - 1e-9 * (own.hi - own.lo);
    if (chart.ring < 0 && last != nullptr && last->t1 >= nearly && last->t0 < nearly) {
      last->t1 = own.hi;
      last->probes += probes;
      continue;
    }
    cover->run[cover->runs++] = {own.lo, own.hi, probes};
  }
}

/** The chart of a pair in the clip rule's box: about its first torus, else along the longest axis,
 with columns along the thinnest. */
INTERVOX_HD inline void MakeChart(const LocalPair& pair, const ClipModel& model,
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
    const double det = Determinant(chart->F);
    chart->scale = det < 0 ? -det : det;
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

/** Which curves stand for S and G: where Ω is closed by faces of full weight, what planes of one
 body contribute follows from the other body's curves. True when planes are to be added. */
INTERVOX_HD inline bool SetWeights(const LocalPair& pair, ColumnChart* chart) {
  bool full = true;
  int planes[2] = {0, 0};
  for (int i = 0; i < pair.count; ++i) {
    const LocalSurface& s = pair.surface[i];
    full = full && (s.weight == 0.5 || s.weight == -0.5);
    if (i < pair.planes) ++planes[s.body];
  }
  const int flat = planes[0] == 0 ? 1 : planes[1] == 0 ? 0 : -1;
  const bool closed = full && flat >= 0 && pair.planes > 0;
  for (int i = pair.planes; i < pair.count; ++i) {
    const LocalSurface& s = pair.surface[i];
    chart->weight[i - pair.planes] = !closed ? s.weight : s.body == flat ? 0 : 2 * s.weight;
  }
  return pair.planes > 0 && !closed;
}

/** Adds S and G of the planes: each is a section of its own. `chart` is overwritten. */
INTERVOX_HD inline void AddPlaneFaces(const LocalPair& pair, ColumnChart* chart, Moments* moments) {
  const Mat3 I = Mat3::Identity();
  chart->p = {};
  chart->F = I;
  chart->ring = -1;
  for (int i = 0; i < pair.count; ++i) {
    const MappedSurface s = MapSurface(pair.surface[i], {}, I);
    if (i < pair.planes) {
      chart->half_normal[i] = s.b;
      chart->offset[i] = s.c;
    } else {
      chart->curved[i - pair.planes] = s;
    }
  }
  const Vec3 centre = 0.5 * (pair.lower + pair.upper), half = 0.5 * (pair.upper - pair.lower);
  for (int i = 0; i < pair.planes; ++i) {
    const LocalSurface& local = pair.surface[i];
    if (local.weight == 0) continue;
    const Vec3 n = local.surface.side * local.surface.PlaneNormal();
    const Vec3 U = AnyOrthogonal(n), V = Cross(n, U);
    const Vec3 P = centre + Dot(n, local.surface.o - centre) * n;
    PlaneSection section;
    const double reach_u = Dot(Abs(U), half), reach_v = Dot(Abs(V), half);
    section.u_lo = -reach_u;
    section.u_hi = reach_u;
    section.v_lo = -reach_v;
    section.v_hi = reach_v;
    SectionLine plane[kMaxSurfaces];
    int planes = 0;
    if (!FillSection(*chart, P, U, V, i, &section, plane, &planes)) continue;
    section.weight = nullptr;
    section.planes = pair.count;
    const SectionSums sums =
        IntegrateSection(&section, pair, plane, planes, true, 0.01 * pair.tolerance);
    moments->s += local.weight * sums.x.v * n;
    moments->g += local.weight * Cross(sums.x.m, n);
  }
}

/** Maps the pair's surfaces into the model's box. */
INTERVOX_HD inline void MapAll(const LocalPair& pair, ClipModel* model) {
  for (int i = 0; i < pair.count; ++i) {
    model->surface[i] = MapSurface(pair.surface[i], model->box.p, model->box.F);
  }
}

/** Turns the box of a small part of a torus to the torus' normal there, in which a thin overlap is
 thin, and shrinks it again, as long as that helps. False when no cell is left. */
template <class Team>
INTERVOX_HD bool TurnToNormal(const Team& team, const LocalPair& pair,
                              const geometry::Surface& torus, ClipModel* model) {
  constexpr int kTurns = 6;
  for (int turn = 0; turn < kTurns; ++turn) {
    const ClipBox old = model->box;
    const Vec3 middle = 0.5 * (old.lower + old.upper), half = 0.5 * (old.upper - old.lower);
    const Mat3 E =
        Mat3::FromColumns(half.x * old.F.Col(0), half.y * old.F.Col(1), half.z * old.F.Col(2));
    const Vec3 x = old.p + old.F * middle;
    const double reach = Norm(E.Col(0)) + Norm(E.Col(1)) + Norm(E.Col(2));
    const Vec3 g = geometry::Gradient(torus, x);
    if (reach > 2.5 * torus.e.y || !(SquaredNorm(g) > 0)) return true;
    const Vec3 n = Normalized(g), axis = torus.R.Col(2), around = Cross(axis, x - torus.o);
    const Vec3 t = SquaredNorm(around) > 0 ? Normalized(around) : AnyOrthogonal(n);
    model->box.p = x;
    model->box.F = Mat3::FromColumns(t, Cross(n, t), n);
    Vec3 extent;
    for (int k = 0; k < 3; ++k) {
      const Vec3 along = TransposeTimes(E, model->box.F.Col(k));
      extent[k] = 1.000001 * (Abs(along).x + Abs(along).y + Abs(along).z);
    }
    model->box.lower = -extent;
    model->box.upper = extent;
    MapAll(pair, model);
    if (!Shrink(team, model)) return false;
    const Vec3 now = model->box.upper - model->box.lower;
    const double det = Determinant(old.F);
    const double was = 8 * half.x * half.y * half.z * (det < 0 ? -det : det);
    const double is = now.x * now.y * now.z;
    if (is > 0.5 * was) {
      if (is >= was) {
        model->box = old;
        MapAll(pair, model);
      }
      return true;
    }
  }
  return true;
}

/** What is known before the first section. */
enum class ColumnStart { kReady, kEmpty, kRefused };

/** Chart and cover of a pair. Out of line, so that the model is gone when panels are summed. */
template <class Team>
__attribute__((noinline)) INTERVOX_HD ColumnStart
StartColumns(const Team& team, const LocalPair& pair, ColumnChart* chart, ColumnCover* cover) {
  ClipModel model;
  bool disjoint = false;
  model.box = ChooseBox(pair, &disjoint);
  if (disjoint) return ColumnStart::kEmpty;
  if (!model.box.valid || pair.planes == pair.count) return ColumnStart::kRefused;
  if (pair.count - pair.planes > kColumnCurves) return ColumnStart::kRefused;
  model.count = pair.count;
  model.planes = pair.planes;
  MapAll(pair, &model);
  if (!Shrink(team, &model)) return ColumnStart::kEmpty;
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    if (s.kind != geometry::SurfaceKind::kTorus) continue;
    if (!TurnToNormal(team, pair, s, &model)) return ColumnStart::kEmpty;
    break;
  }
  PlanSplits(pair, &model);
  MakeChart(pair, model, chart);
  AddRuns(team, *chart, nullptr, &model, cover);
  return cover->runs > 0 ? ColumnStart::kReady : ColumnStart::kEmpty;
}

}  // namespace intervox::cuda::internal
