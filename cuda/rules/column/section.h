/** @file Moments of the part of Ω in a plane, by columns. */
#pragma once

#include "cuda/moments/moments.h"
#include "cuda/numerics/quadrature.h"
#include "cuda/rules/column/ring_breaks.h"

namespace intervox::cuda::internal::column {

/** S may err by this many times the share of its size that V may err by. */
inline constexpr double kOfArea = 30;

/** Moments per dt of a section, and what they may be off by. */
struct SectionSums {
  Moments x;
  double error = 0;       ///< of x.v
  double reach = 0;       ///< what nested rules differ by
  double area_error = 0;  ///< of x.s
  SectionShape shape;
  int columns = 0;
  bool full = false;
};

/** Moments of the section about the coordinates' origin, in u and v, and its faces' S and G. */
struct PlaneSums {
  double a = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0;
  Vec3 s, g;
  double lean_a = 0, lean_u = 0;  ///< by the nested rule
  Vec3 lean_s;
  bool full = false;

  INTERVOX_HD PlaneSums& operator+=(const PlaneSums& o) {
    a += o.a;
    u += o.u;
    v += o.v;
    uu += o.uu;
    uv += o.uv;
    vv += o.vv;
    s += o.s;
    g += o.g;
    lean_a += o.lean_a;
    lean_u += o.lean_u;
    lean_s += o.lean_s;
    full = full || o.full;
    return *this;
  }

  /** Adds a column of weight 1 in both rules with its weights. */
  INTERVOX_HD void AddWeighted(const PlaneSums& one, double w, double lean) {
    a += w * one.a;
    u += w * one.u;
    v += w * one.v;
    uu += w * one.uu;
    uv += w * one.uv;
    vv += w * one.vv;
    s += w * one.s;
    g += w * one.g;
    lean_a += lean * one.lean_a;
    lean_u += lean * one.lean_u;
    lean_s += lean * one.lean_s;
    full = full || one.full;
  }
};

/** Below this tolerance rules of up to 31 points are cheaper than more panels, of columns as well
 as of sections. */
inline constexpr double kFineTolerance = 1e-7;

INTERVOX_HD inline bool IsFine(const LocalPair& pair) { return pair.tolerance < kFineTolerance; }

/** What all panels of sections may state together, relative to V. */
INTERVOX_HD inline double GoalOf(const LocalPair& pair) {
  return (IsFine(pair) ? 0.7 : 0.05) * pair.tolerance;
}

/** What a panel of columns may state, relative to its area. */
INTERVOX_HD inline double SectionGoalOf(const LocalPair& pair) {
  return (IsFine(pair) ? 0.2 : 0.01) * pair.tolerance;
}

/** What a panel of columns may state: a share of its section's area and area vector, and no less
 than v and s of them. */
struct SectionGoal {
  double share, v = 0, s = 0;
};

/** The share of what nested rules differ by that is stated at least: where something just beside a
 panel's end is not known the finer rule is better by no more than a factor. */
INTERVOX_HD inline double LeastShareOf(const LocalPair& pair) { return IsFine(pair) ? 0.02 : 0.0; }

/** Slopes below this share of a gradient are rounding: the face lies along what it should cross. */
inline constexpr double kAlong = 1e-14;

/** Adds the column at u and its ends, of weight w and, in the nested rule, lean. */
INTERVOX_HD inline void AddColumn(const PlaneSection& section, const LocalPair& pair, double u,
                                  double w, double lean, PlaneSums* sums) {
  ColumnParts parts;
  PartsAt(section, pair, u, &parts);
  sums->full = sums->full || parts.full;
  const double j = section.j0 + section.j1 * u;
  for (int k = 0; k < parts.count; ++k) {
    const ColumnPart& part = parts.part[k];
    const double length = part.hi - part.lo, middle = 0.5 * (part.hi + part.lo);
    const double a = w * j * length, av = a * middle;
    const double lean_a = lean * j * length;
    sums->lean_a += lean_a;
    sums->lean_u += lean_a * u;
    sums->a += a;
    sums->u += a * u;
    sums->v += av;
    sums->uu += a * u * u;
    sums->uv += av * u;
    sums->vv += av * middle + a * length * length / 12;
    for (int end = 0; end < 2; ++end) {
      const int id = end == 0 ? part.below : part.above;
      if (id < 0 || section.weight == nullptr || section.weight[id] == 0) continue;
      if ((section.walls >> id & 1) != 0) continue;  // one that leans by rounding: see AddWalls
      const Vec3 x = section.P + u * section.U + (end == 0 ? part.lo : part.hi) * section.V;
      const Vec3 g = geometry::Gradient(pair.surface[id].surface, x);
      const double slope = Dot(g, section.V);
      // Where a column ends along a face it has no width.
      if (!(std::fabs(slope) > kAlong * Dot(Abs(g), Abs(section.V)))) continue;
      const Vec3 n = (end == 0 ? -j : j) * section.weight[id] / slope * g;
      sums->s += w * n;
      sums->g += w * Cross(x, n);
      sums->lean_s += lean * n;
    }
  }
}

/** Adds the faces along the columns, on which no column ends. Two columns within such a wall, no
 nearer than it leans by rounding, say how far it reaches: Ω may be hardly wider than that, so they
 are continued linearly. */
INTERVOX_HD inline void AddWalls(const PlaneSection& section, const LocalPair& pair,
                                 PlaneSums* sums) {
  constexpr double kWithin = 1e-11;
  const double width = section.u_hi - section.u_lo;
  const double tall = HeightOf(section);
  ColumnParts parts, further;
  for (int i = 0; i < section.curves; ++i) {
    const SectionCurve& s = section.curve[i];
    const double weight = section.weight[s.id];
    if (weight == 0 || (section.walls >> s.id & 1) == 0) continue;
    const auto x = geometry::internal::QuadraticCrossings(s.uu, s.u, s.c);
    for (int k = 0; k < x.count; ++k) {
      // The slope of side · f says on which side of the wall Ω is.
      const double across = s.uu * x.t[k] + s.u;
      const double out = s.side * across > 0 ? 1 : -1;
      const double lean = LeanOf(s, x.t[k], tall);
      const double within = out * (kWithin * width + 2 * lean / std::fabs(across));
      const double u = x.t[k] - within;
      if (u <= section.u_lo || u >= section.u_hi) continue;
      PartsAt(section, pair, u, &parts);
      PartsAt(section, pair, u - within, &further);
      for (int p = 0; p < parts.count; ++p) {
        double lo = parts.part[p].lo, hi = parts.part[p].hi;
        if (further.count == parts.count) {
          lo += lo - further.part[p].lo;
          hi += hi - further.part[p].hi;
        }
        const double length = hi - lo, middle = lo + 0.5 * length;
        const Vec3 at = section.P + x.t[k] * section.U + middle * section.V;
        const Vec3 g = geometry::Gradient(pair.surface[s.id].surface, at);
        const double slope = Dot(g, section.U);
        // Two walls that touch cancel.
        if (!(std::fabs(slope) > kAlong * Dot(Abs(g), Abs(section.U)))) continue;
        const double area = out * weight * (section.j0 + section.j1 * x.t[k]) * length / slope;
        sums->s += area * g;
        sums->g += Cross(at, area * g);
      }
    }
  }
}

/** (K9): what the finer of two nested rules errs by, from their difference. The power 3/2 holds for
 roots that no panel ends at, and is far from what analytic integrands do; `smooth` says that one of
 the two is what there is.
 @param least  share of the difference that is stated at least */
INTERVOX_HD inline double NestedError(double difference, double size, bool smooth,
                                      double least = 0.0) {
  const double d = std::fabs(difference);
  if (!(size > 0) || !smooth) return d;
  const double root = 2 * std::sqrt(d / size), share = root > least ? root : least;
  return share < 1 ? d * share : d;
}

/** What rules of 7, 15 and 31 columns make of one panel. */
struct NestedSums {
  PlaneSums seven, fifteen, all;
};

/** Adds the columns of Patterson's 31 in a panel that the rule of 7, 15 or 31, the `level`, has and
 no lower one; roots at either end of the panel become analytic. */
INTERVOX_HD inline void AddPanel(const PlaneSection& section, const LocalPair& pair, double from,
                                 double width, int level, NestedSums* sums) {
  const NestedRule<32>& rule = Patterson31();
  const NestedRule<16>& fifteen = Patterson15();
  const NestedRule<8>& seven = Patterson7();
  const int step = level == 2 ? 2 : 4;
  for (int k = level == 0 ? 3 : 1 - level / 2; k < 31; k += step) {
    const double s = rule.x[k];
    const double u = from + width * (s * s * (3 - 2 * s));
    const double du = 6 * width * s * (1 - s);
    PlaneSums one;
    AddColumn(section, pair, u, 1.0, 1.0, &one);
    sums->all.AddWeighted(one, rule.fine[k] * du, rule.lean[k] * du);
    if (level == 2) continue;
    sums->fifteen.AddWeighted(one, fifteen.fine[k / 2] * du, fifteen.lean[k / 2] * du);
    if (level == 0) sums->seven.AddWeighted(one, seven.fine[k / 4] * du, seven.lean[k / 4] * du);
  }
}

/** Adds the columns of a panel between two lines: Gauss' three points are exact. */
INTERVOX_HD inline void AddStraightPanel(const PlaneSection& section, const LocalPair& pair,
                                         double from, double width, PlaneSums* sums) {
  constexpr double kNode[3] = {0.112701665379258311, 0.5, 0.887298334620741689};
  constexpr double kWeight[3] = {0.277777777777777778, 0.444444444444444444, 0.277777777777777778};
  for (int k = 0; k < 3; ++k) {
    AddColumn(section, pair, from + width * kNode[k], width * kWeight[k], width * kWeight[k], sums);
  }
}

/** What a panel's area and its faces' area vector err by, and what nested rules differ by. */
struct PanelErrors {
  double a, s, reach;
};

/** The errors of a panel of columns. Two rules may agree on the area by chance, as their difference
 passes through zero from one section to the next; on its first moment about the panel's middle they
 hardly do so in the same section. */
INTERVOX_HD inline PanelErrors ErrorsOf(const PlaneSums& sums, double from, double width,
                                        double least) {
  const double off = sums.a - sums.lean_a;
  const double turn = sums.u - sums.lean_u - (from + 0.5 * width) * off;
  const double of_a = std::fabs(off), of_u = std::fabs(turn) / width;
  const double reach = of_a > of_u ? of_a : of_u;
  return {NestedError(reach, sums.a, true, least),
          NestedError(Norm(sums.s - sums.lean_s), Norm(sums.s), true), reach};
}

/** The moments in space, from those in the plane. */
INTERVOX_HD inline Moments LiftMoments(const PlaneSection& section, const PlaneSums& x) {
  const Vec3 &U = section.U, &V = section.V;
  const Sym3 second = x.uu * Square(U) + x.vv * Square(V) + x.uv * Mixed(U, V);
  const VolumeMoments about_P{x.a, x.u * U + x.v * V, second};
  return {Shifted(about_P, section.P), x.s, x.g};
}

/** Integrates the section in the room, each panel's area to its share of the section's or what the
 goal leaves it, and its area vector to thirty of them. With `measure` false only its shape. Out of
 line: many places ask for a section, and ptxas would take each of them for many minutes. */
__attribute__((noinline)) INTERVOX_HD inline SectionSums IntegrateSection(SectionRoom* room,
                                                                          const LocalPair& pair,
                                                                          bool measure,
                                                                          const SectionGoal& goal) {
  // Off the middle, where a symmetric hole may touch both sides of what it leaves.
  constexpr double kLook = 0.41, kTouch = 1e-7, kUnsure = 1e-6, kHalfDigits = 3e-8, kGrowth = 20;
  SectionSums out;
  const bool fine = IsFine(pair);
  PlaneSection* const section = &room->section.value;
  const double box_lo = section->u_lo, box_hi = section->u_hi;
  const bool some = ListBreaks(true, room);
  SectionBreaks& breaks = room->breaks.value;
  out.full = section->full || breaks.full;
  if (!some || out.full) return out;
  if (section->rings) {
    for (int i = 0; i < section->curves; ++i) {
      if (!section->curve[i].ring) continue;
      AddRingEdges(*section, i, pair, &breaks);
      AddRingFolds(*section, i, pair, &breaks);
      if (section->radius == 0) continue;
      AddRingMeetings(*section, pair.surface[section->curve[i].id].surface, section->radius,
                      &breaks);
    }
    // Of one torus and the section's own circle all breaks are known.
    if (section->curves > (section->radius > 0 ? 2 : 1)) {
      AddRingBreaks(*section, pair, goal.share, &room->known, &breaks);
    }
  }
  out.full = breaks.full;
  const double least = kSameBreak * (section->u_hi - section->u_lo);
  const double touch = kTouch * (section->u_hi - section->u_lo);
  const double unsure = kUnsure * (section->u_hi - section->u_lo);
  section->walls = 0;
  for (int i = 0; i < section->curves; ++i) {
    const SectionCurve& s = section->curve[i];
    if (HasWallsFace(*section, s)) section->walls |= std::uint64_t{1} << s.id;
  }
  double narrow = 0;  // the last panel's width
  double last_length = 0;
  bool were_roots = false;
  PlaneSums total;
  unsigned last = ShapeOf({});
  int here = 0;  // the first of the breaks that are one place
  bool open = false;
  ColumnParts parts;
  for (int i = 0; i + 1 < breaks.count; ++i) {
    const double from = breaks.u[i], width = breaks.u[i + 1] - from;
    if (width <= least) continue;
    PartsAt(*section, pair, from + kLook * width, &parts);
    out.full = out.full || parts.full;
    ++out.columns;
    const unsigned shape = ShapeOf(parts);
    // What rounding makes of a touch is no change.
    if (width > touch) {
      if (shape != last) {
        breaks.AddCauses(here, i, pair.planes, &out.shape);
        if (section->rings) {
          out.shape.all = out.shape.all * 31u + shape;
          out.shape.edges = out.shape.all;
        }
      }
      last = shape;
      open = parts.count > 0;
      here = i + 1;
    }
    const double before = narrow;
    narrow = parts.count > 0 ? width : 0.0;
    if (!measure) continue;
    // Nearly double roots are known to half their digits: between two of them columns may begin
    // anywhere, and beside them a strip of their length may be missed.
    double length = 0;
    std::uint64_t ends = 0;
    for (int k = 0; k < parts.count; ++k) {
      const ColumnPart& part = parts.part[k];
      length += part.hi - part.lo;
      if (part.below >= 0) ends |= std::uint64_t{1} << part.below;
      if (part.above >= 0) ends |= std::uint64_t{1} << part.above;
    }
    const bool roots = width < unsure;
    if (roots != were_roots) {
      const double longer = roots ? last_length : length;
      out.reach += kHalfDigits * (section->u_hi - section->u_lo) * longer *
                   std::fabs(section->j0 + section->j1 * from);
    }
    were_roots = roots;
    last_length = length;
    // The box reaches a little beyond what is in it, and its sides are no roots.
    const bool beside = from <= box_lo + least || from + width >= box_hi - least;
    if (parts.count == 0 && (!roots || beside)) continue;
    PlaneSums sums;
    if (!section->rings && parts.count == 1 && parts.part[0].below < pair.planes &&
        parts.part[0].above < pair.planes) {
      AddStraightPanel(*section, pair, from, width, &sums);
      out.columns += 3;
      total += sums;
      continue;
    }
    // Next to a much narrower panel two folds are close, beyond which columns shrink like a root:
    // panels grow from there by steps.
    if (before > 0.01 * touch && width > kGrowth * kGrowth * before &&
        breaks.Split(i, from + kGrowth * before)) {
      narrow = before;
      --i;
      continue;
    }
    const double after = i + 2 < breaks.count ? breaks.u[i + 2] - breaks.u[i + 1] : 0.0;
    if (after > 0.01 * touch && width > kGrowth * kGrowth * after) {
      PartsAt(*section, pair, breaks.u[i + 1] + kLook * after, &parts);
      if (parts.count > 0 && breaks.Split(i, breaks.u[i + 1] - kGrowth * after)) {
        narrow = before;
        --i;
        continue;
      }
    }
    NestedSums nested;
    AddPanel(*section, pair, from, width, 0, &nested);
    sums = nested.seven;
    out.columns += 7;
    PanelErrors error = ErrorsOf(sums, from, width, LeastShareOf(pair));
    const auto misses = [&](double share) {
      const double a = fine ? sums.a + total.a : sums.a;
      const double s = fine ? Norm(sums.s) + Norm(total.s) : Norm(sums.s);
      return (error.a > share * goal.share * a && error.a > share * goal.v) ||
             (error.s > share * goal.share * kOfArea * s && error.s > share * goal.s);
    };
    for (int level = 1; level <= (fine ? 2 : 1) && misses(1); ++level) {
      AddPanel(*section, pair, from, width, level, &nested);
      sums = level == 1 ? nested.fifteen : nested.all;
      out.columns += 8 * level;
      // Rules that hardly gain from more columns are not better than what they differ by.
      const double before = error.reach;
      error = ErrorsOf(sums, from, width, LeastShareOf(pair));
      const double ratio = fine && before > 0 ? error.reach / before : 0.0;
      if (ratio > LeastShareOf(pair)) error = ErrorsOf(sums, from, width, ratio);
    }
    if (misses(10) && (fine ? breaks.Divide(i, ends) : breaks.Halve(i))) {
      --i;
      continue;
    }
    out.error += error.a;
    out.reach += error.reach;
    out.area_error += error.s;
    total += sums;
  }
  if (open) breaks.AddCauses(here, breaks.count - 1, pair.planes, &out.shape);
  if (!measure) return out;
  if (section->weight != nullptr) AddWalls(*section, pair, &total);
  out.full = out.full || total.full;
  out.x = LiftMoments(*section, total);
  return out;
}

}  // namespace intervox::cuda::internal::column
