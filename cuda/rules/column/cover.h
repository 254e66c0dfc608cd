/** @file Where along the sections Ω may be, by the clip rule's certified bounds of cells. */
#pragma once

#include <new>

#include "cuda/rules/column/chart.h"
#include "cuda/rules/column/ring_span.h"

namespace intervox::cuda::internal::column {

/** Bins of the sections' parameter that may hold a part of Ω. */
inline constexpr int kColumnBins = 512;

/** A range of the sections' parameter. */
struct ColumnSpan {
  double lo, hi;
};

/** The sections that a box of the model's frame may meet, about `middle` for half planes: within
 two quadrants of it. */
INTERVOX_HD inline ColumnSpan SpanOf(const clip::ClipModel& model, const ColumnChart& chart,
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
  double rounding = 0;  ///< what rounding of levels may make of the volume [m³]
};

/** Bins of a span that hold cells, how many cells there are, and the box of those in `only`. */
struct ColumnBinSums {
  unsigned long long bits[kColumnBins / 64] = {};
  clip::Hull hull;

  INTERVOX_HD bool Has(int i) const { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  /** Marks the bins from one to another, the last one too: a wide cell has most of them. */
  INTERVOX_HD void Mark(int from, int to) {
    for (int i = from / 64; i <= to / 64; ++i) {
      const int first = i == from / 64 ? from % 64 : 0, last = i == to / 64 ? to % 64 : 63;
      bits[i] |= ~0ull << first & ~0ull >> (63 - last);
    }
  }
  INTERVOX_HD ColumnBinSums& operator+=(const ColumnBinSums& o) {
    for (int i = 0; i < kColumnBins / 64; ++i) bits[i] |= o.bits[i];
    hull += o.hull;
    return *this;
  }
};

/** Room for the cells that wait, and for the lanes' bins. */
struct CoverRoom {
  Place<clip::CellStack> cells;
  LaneSums<ColumnBinSums> lanes;
};

/** Marks the bins of the model's cells at a level. */
INTERVOX_HD inline ColumnBinSums BinsOf(const clip::ClipModel& model, const ColumnChart& chart,
                                        const ColumnSpan& span, double middle, int level,
                                        const ColumnSpan& only, CoverRoom* room) {
  int items = 1;
  for (int i = 0; i < 2; ++i) {
    for (int axis = 0; axis < 3; ++axis) items <<= model.split[i] >> axis & 1;
  }
  const double unit = kColumnBins / (span.hi - span.lo);
  const auto bins_of = [&](int item) {
    ColumnBinSums mine;
    clip::VisitCells(model, 2, level, item, &room->cells, [&](const clip::ClipCell& cell) {
      const ColumnSpan one = SpanOf(model, chart, cell.c, cell.h, middle);
      if (one.lo < only.hi && one.hi > only.lo) mine.hull += {cell.c - cell.h, cell.c + cell.h, 1};
      if (one.lo > span.hi || one.hi < span.lo) return;
      int from = static_cast<int>((one.lo - span.lo) * unit + 1e-6);
      int to = static_cast<int>((one.hi - span.lo) * unit - 1e-6);
      from = from < 0 ? 0 : from;
      to = to < from ? from : to;
      to = to < kColumnBins ? to : kColumnBins - 1;
      mine.Mark(from, to);
    });
    return mine;
  };
  return SumInLanes<ColumnBinSums>(items, bins_of, &room->lanes);
}

/** Adds the runs of the model's box, of those `within` a span if one is given. Where there are
 several, each is looked at in its own box, so that a contact much smaller than what lies between
 two of them is found; a single one of parallel planes in boxes of its quarters. */
INTERVOX_HD inline void AddRuns(const ColumnChart& chart, const ColumnSpan* within,
                                clip::ClipModel* model, CoverRoom* room, ColumnCover* cover) {
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
    bins = BinsOf(*model, chart, span, middle, level, span, room);
    if (bins.hull.cells >= kEnough || bins.hull.cells == 0 || level == kDeepest) break;
  }
  cover->cells += bins.hull.cells;
  // Gaps are bridged until the runs are few.
  const int most_runs = kColumnRuns - cover->runs;
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
      few = runs < most_runs;
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
          const clip::Hull hull = BinsOf(*model, chart, span, middle, level, part, room).hull;
          model->box.lower = hull.lower;
          model->box.upper = hull.upper;
        } else {
          model->box.lower[chart.t] = part.lo;
          model->box.upper[chart.t] = part.hi;
        }
        if (clip::Shrink(model)) AddRuns(chart, &part, model, room, cover);
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

/** The surface in whose frame a thin overlap is looked for: a torus, else one for which the clip
 rule has no contact frame. Null: there is none. */
INTERVOX_HD inline const geometry::Surface* FindBent(const LocalPair& pair) {
  const geometry::Surface* bent = nullptr;
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    if (s.kind == geometry::SurfaceKind::kTorus) return &s;
    if (bent == nullptr && !HasConvexForm(s)) bent = &s;
  }
  return bent;
}

/** How large a box may be that is turned to a surface's normal in its middle, where its gradient is
 g. Sections in parallel, as those of a quadric, are turned only where it is nearly flat. */
INTERVOX_HD inline double LargestToTurn(const geometry::Surface& s, const Vec3& g) {
  if (s.kind == geometry::SurfaceKind::kTorus) return 2.5 * s.e.y;
  return 0.5 * Norm(g) / Largest(Abs(s.e));
}

/** The direction across n in which the gap at x between the bent surface and what faces it bends
 least: a thin overlap is long there. Zero: nothing faces it within `reach`. */
INTERVOX_HD inline Vec3 LeastBend(const LocalPair& pair, const geometry::Surface& bent,
                                  const Vec3& x, const Vec3& n, double reach) {
  Sym3 gap, facing;
  double most = -0.5;
  const Vec3 u = AnyOrthogonal(n), v = Cross(n, u);
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 g = geometry::Gradient(s, x);
    const double slope = Norm(g);
    if (!(slope > 0) || std::fabs(geometry::Value(s, x)) > reach * slope) continue;
    Sym3 hessian;
    double size = 0, change = 0;
    const MappedSurface mapped = MapSurface(pair.surface[i], x, Mat3::Identity());
    const double of_level = Norm(Evaluate(mapped, {}).gradient);
    if (!HessianOver(mapped, 0, &hessian, &size, &change) || !(of_level > 0)) continue;
    const double along = s.side * bent.side * Dot(g, n) / slope;
    if (&s == &bent) gap = (1 / of_level) * hessian;
    if (&s == &bent || !(along < most)) continue;
    most = along;
    facing = (1 / of_level) * hessian;
  }
  if (most == -0.5) return {};
  gap += facing;
  const double xx = Dot(u, gap * u), xy = Dot(u, gap * v), yy = Dot(v, gap * v);
  const double split = 0.5 * (xx - yy), far = std::sqrt(split * split + xy * xy);
  // (xy, −split − far) and (split − far, xy) are both the eigenvector of the least eigenvalue.
  return split > 0 ? xy * u - (split + far) * v : (split - far) * u + xy * v;
}

/** A direction across n along which a thin overlap near x may be long: the edge of another surface
 that comes within `reach` of x, else where the gap bends least, else around the axis of the bent
 one. */
INTERVOX_HD inline Vec3 LongWay(const LocalPair& pair, const geometry::Surface& bent, const Vec3& x,
                                const Vec3& n, double reach) {
  Vec3 way;
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 g = geometry::Gradient(s, x);
    const double slope = Norm(g);
    if (&s == &bent || !(slope > 0) || std::fabs(geometry::Value(s, x)) > reach * slope) continue;
    const Vec3 edge = Cross(n, g / slope);
    if (SquaredNorm(edge) > SquaredNorm(way)) way = edge;
  }
  constexpr double kEdge = 0.2;  // the sine of the least angle of an edge
  if (Norm(way) < kEdge) way = LeastBend(pair, bent, x, n, reach);
  if (!(SquaredNorm(way) > 0)) {
    way = Cross(bent.R.Col(2), x - bent.o);
    way -= Dot(way, n) * n;
  }
  return SquaredNorm(way) > 0 ? Normalized(way) : AnyOrthogonal(n);
}

/** The volume of a box. */
INTERVOX_HD inline double VolumeOf(const clip::ClipBox& box) {
  const Vec3 size = box.upper - box.lower;
  return size.x * size.y * size.z * std::fabs(Determinant(box.F));
}

/** A box is shrunk by parts this often before it is turned: in the right frame it shrinks faster.
 */
inline constexpr int kByParts = 1;

/** Turns the box of a small part of a surface to its normal there, in which a thin overlap is thin,
 and contracts it again, as long as that helps. False when nothing is left. */
INTERVOX_HD inline bool TurnToNormal(const LocalPair& pair, const geometry::Surface& bent,
                                     clip::ClipModel* model) {
  constexpr int kTurns = 6;
  for (int turn = 0; turn < kTurns; ++turn) {
    const clip::ClipBox old = model->box;
    const Vec3 middle = 0.5 * (old.lower + old.upper), half = 0.5 * (old.upper - old.lower);
    const Mat3 E =
        Mat3::FromColumns(half.x * old.F.Col(0), half.y * old.F.Col(1), half.z * old.F.Col(2));
    const Vec3 x = old.p + old.F * middle;
    const double reach = Norm(E.Col(0)) + Norm(E.Col(1)) + Norm(E.Col(2));
    const Vec3 g = geometry::Gradient(bent, x);
    if (reach > LargestToTurn(bent, g) || !(SquaredNorm(g) > 0)) return true;
    const Vec3 n = Normalized(g), t = LongWay(pair, bent, x, n, reach);
    model->box.p = x;
    model->box.F = Mat3::FromColumns(t, Cross(n, t), n);
    Vec3 extent;
    for (int k = 0; k < 3; ++k) {
      const Vec3 along = TransposeTimes(E, model->box.F.Col(k));
      extent[k] = 1.000001 * (Abs(along).x + Abs(along).y + Abs(along).z);
    }
    model->box.lower = -extent;
    model->box.upper = extent;
    MapSurfaces(pair, model);
    if (!clip::ShrinkByParts(kByParts, model)) return false;
    const Vec3 now = model->box.upper - model->box.lower;
    const double was = VolumeOf(old), is = now.x * now.y * now.z;
    if (is > 0.5 * was) {
      if (is >= was) {
        model->box = old;
        MapSurfaces(pair, model);
      }
      return true;
    }
  }
  return true;
}

/** What is known before the first section. */
enum class ColumnStart { kReady, kEmpty, kRefused };

/** The model of a pair in the box of a part of a torus. Refused where that is long. */
__attribute__((noinline)) INTERVOX_HD inline ColumnStart FitTube(const LocalPair& pair,
                                                                 const RingSpan& part,
                                                                 clip::ClipModel* memory) {
  clip::ClipModel& model = *::new (memory) clip::ClipModel;
  bool empty = false;
  model.box = BoxOnTube(pair, part, &empty);
  if (empty) return ColumnStart::kEmpty;
  if (!model.box.valid) return ColumnStart::kRefused;
  MapSurfaces(pair, &model);
  return ColumnStart::kReady;
}

/** Contracts the model's box and turns it to the normal of what is bent. */
INTERVOX_HD inline ColumnStart TurnBox(const LocalPair& pair, clip::ClipModel* model) {
  const geometry::Surface* bent = FindBent(pair);
  if (!clip::ShrinkByParts(kByParts, model)) return ColumnStart::kEmpty;
  if (bent != nullptr && !TurnToNormal(pair, *bent, model)) return ColumnStart::kEmpty;
  return ColumnStart::kReady;
}

/** The model of a pair in the smallest box found around Ω, without cells.
 @param around  whether the memory holds a model whose box is one around Ω */
__attribute__((noinline)) INTERVOX_HD inline ColumnStart FitBox(const LocalPair& pair, bool around,
                                                                clip::ClipModel* memory) {
  const clip::ClipBox known = around ? memory->box : clip::ClipBox{};
  clip::ClipModel& model = *::new (memory) clip::ClipModel;
  bool disjoint = false;
  model.box = clip::ChooseBox(pair, &disjoint);
  if (disjoint) return ColumnStart::kEmpty;
  if (!model.box.valid || pair.planes == pair.count) return ColumnStart::kRefused;
  if (known.valid && VolumeOf(known) < VolumeOf(model.box)) model.box = known;
  MapSurfaces(pair, &model);
  return TurnBox(pair, &model);
}

/** Shrinks the fitted box to cells that may hold a part of Ω, and turns it again. */
__attribute__((noinline)) INTERVOX_HD inline ColumnStart ShrinkBox(const LocalPair& pair,
                                                                   clip::ClipModel* model) {
  if (!clip::Shrink(model)) return ColumnStart::kEmpty;
  Recentre(&model->box);
  MapSurfaces(pair, model);
  const geometry::Surface* bent = FindBent(pair);
  const bool left = bent == nullptr || TurnToNormal(pair, *bent, model);
  return left ? ColumnStart::kReady : ColumnStart::kEmpty;
}

/** What rounding of the chart's curved surfaces may make of the volume in the model's box: a level
 that ranges over ±G there and errs by δ moves the share δ/G of it. Next to a cone's apex levels are
 small beside the terms they are made of. */
INTERVOX_HD inline double RoundingOf(const ColumnChart& chart, const clip::ClipModel& model,
                                     const clip::ClipCell& box) {
  double share = 0;
  for (int i = chart.planes; i < chart.count; ++i) {
    if ((box.active >> i & 1) == 0) continue;
    double most = 0;
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
      const double level = Evaluate(model.surface[i], box.c + Scaled(box.h, corner)).value;
      most = std::fabs(level) > most ? std::fabs(level) : most;
    }
    if (most > 0) {
      share += kLevelRounding / kMappedRounding * chart.curved[i - chart.planes].slack / most;
    }
  }
  return 8 * box.h.x * box.h.y * box.h.z * std::fabs(Determinant(model.box.F)) * share;
}

/** (K5): chart and cover of a pair, from its shrunk box. */
__attribute__((noinline)) INTERVOX_HD inline ColumnStart StartColumns(const LocalPair& pair,
                                                                      clip::ClipModel* model,
                                                                      CoverRoom* room,
                                                                      ColumnChart* chart,
                                                                      ColumnCover* cover) {
  if (pair.count - pair.planes > kColumnCurves) return ColumnStart::kRefused;
  clip::PlanSplits(pair, model);
  MakeChart(pair, *model, chart);
  clip::ClipCell box = clip::WholeBox(*model);
  if (!clip::Cull(*model, &box)) return ColumnStart::kEmpty;
  chart->active = box.active;
  cover->rounding = RoundingOf(*chart, *model, box);
  AddRuns(*chart, nullptr, model, room, cover);
  return cover->runs > 0 ? ColumnStart::kReady : ColumnStart::kEmpty;
}

}  // namespace intervox::cuda::internal::column
