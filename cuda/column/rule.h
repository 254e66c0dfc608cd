/** @file The column rule: sections through Ω, integrated adaptively; any surfaces. */
#pragma once

#include "cuda/column/chart.h"
#include "cuda/surface_bound.h"

namespace intervox::cuda {

namespace internal {

/** Most panels of sections. */
inline constexpr int kColumnPanels = 72;

/** No panel is divided beyond this many columns: what is left is stated. */
inline constexpr int kMostColumns = 100000;

/** A range of sections with its seven-point sum. */
struct ColumnPanel {
  double t0 = 0, t1 = 0;
  bool hard0 = false, hard1 = false;  ///< something happens at that end
  int crack = -1;                     ///< something happens after this node; −1: nothing
  unsigned before = 0;                ///< shape at that node
  Moments x;
  double off_v = 0;
  Vec3 off_m;
  double error = 0;   ///< of the sections themselves
  double hidden = 0;  ///< of what happens between nodes
};

/** t of node k: −1 and 7 are the ends; roots at hard ends become analytic. */
INTERVOX_HD inline double NodeAt(const ColumnPanel& panel, double s, double* dt) {
  const double width = panel.t1 - panel.t0;
  double r = s, dr = 1;
  if (panel.hard0 && panel.hard1) {
    r = s * s * (3 - 2 * s);
    dr = 6 * s * (1 - s);
  } else if (panel.hard0) {
    r = s * s;
    dr = 2 * s;
  } else if (panel.hard1) {
    r = s * (2 - s);
    dr = 2 * (1 - s);
  }
  *dt = width * dr;
  return panel.t0 + width * r;
}

/** A panel's nodes, to be added. */
struct ColumnNodes {
  Moments x;
  double lean_v = 0;
  Vec3 lean_m;
  double error = 0;
  unsigned shape[9] = {};
  double area[9] = {};  ///< of the sections but for the ends'
  int columns = 0, full = 0;

  INTERVOX_HD ColumnNodes& operator+=(const ColumnNodes& o) {
    x += o.x;
    lean_v += o.lean_v;
    lean_m += o.lean_m;
    error += o.error;
    for (int i = 0; i < 9; ++i) {
      shape[i] += o.shape[i];
      area[i] += o.area[i];
    }
    columns += o.columns;
    full += o.full;
    return *this;
  }
};

/** The section at t, integrated. */
__attribute__((noinline)) INTERVOX_HD inline SectionSums SumsAt(const ColumnChart& chart,
                                                                const LocalPair& pair, double t,
                                                                bool measure) {
  PlaneSection section;
  SectionLine plane[kMaxSurfaces];
  int planes = 0;
  if (!SectionAt(chart, t, &section, plane, &planes)) return {};
  return IntegrateSection(&section, pair, plane, planes, measure, 0.01 * pair.tolerance);
}

/** Sums the panel's sections. */
template <class Team>
INTERVOX_HD void Integrate(const Team& team, const ColumnChart& chart, const LocalPair& pair,
                           ColumnPanel* panel, int* columns, bool* full) {
  const NestedRule<8>& rule = Patterson7();
  const ColumnNodes nodes = team.template Sum<ColumnNodes>(9, [&](int i) {
    ColumnNodes one;
    const bool end = i == 0 || i == 8;
    if ((i == 0 && panel->hard0) || (i == 8 && panel->hard1)) return one;
    double dt = 0;
    const double t = NodeAt(*panel, end ? i / 8 : rule.x[i - 1], &dt);
    const SectionSums sums = SumsAt(chart, pair, t, !end);
    one.shape[i] = sums.shape;
    one.columns = sums.columns;
    one.full = sums.full ? 1 : 0;
    if (end) return one;
    const double w = rule.fine[i - 1] * dt, lean = rule.lean[i - 1] * dt;
    one.area[i] = sums.x.v;
    one.x = w * sums.x;
    one.lean_v = lean * sums.x.v;
    one.lean_m = lean * sums.x.m;
    one.error = w * sums.error;
    return one;
  });
  panel->x = nodes.x;
  panel->off_v = nodes.x.v - nodes.lean_v;
  panel->off_m = nodes.x.m - nodes.lean_m;
  panel->error = nodes.error;
  panel->crack = -1;
  panel->hidden = 0;
  // Of several changes the one nearest to the middle: the others may not matter then.
  constexpr int kOutward[] = {3, 4, 2, 5, 1, 6, 0, 7};
  for (const int i : kOutward) {
    if ((i == 0 && panel->hard0) || (i == 7 && panel->hard1)) continue;
    if (nodes.shape[i] == nodes.shape[i + 1]) continue;
    // What happens between two nodes hides a part of what changes there, whatever the sums say.
    const int j = i == 0 ? 1 : i == 7 ? 6 : i;
    double dt = 0;
    const double gap = NodeAt(*panel, i == 7 ? 1 : rule.x[i], &dt) -
                       NodeAt(*panel, i == 0 ? 0 : rule.x[i - 1], &dt);
    panel->hidden += 0.1 * gap * std::fabs(nodes.area[j + 1] - nodes.area[j]);
    if (panel->crack >= 0) continue;
    panel->crack = i;
    panel->before = nodes.shape[i];
  }
  *columns += nodes.columns;
  *full = *full || nodes.full > 0;
}

/** Where the panel is best divided: where something happens in it, else in the middle. */
INTERVOX_HD inline double DivideAt(const ColumnChart& chart, const LocalPair& pair,
                                   const ColumnPanel& panel, double fine, bool* hard,
                                   int* columns) {
  double dt = 0;
  *hard = panel.crack >= 0;
  if (!*hard) return NodeAt(panel, 0.5, &dt);
  const NestedRule<8>& rule = Patterson7();
  const int k = panel.crack;
  double lo = NodeAt(panel, k == 0 ? 0 : rule.x[k - 1], &dt);
  double hi = NodeAt(panel, k == 7 ? 1 : rule.x[k], &dt);
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (lo + hi);
    if (!(middle > lo && middle < hi) || hi - lo < fine) break;
    const SectionSums sums = SumsAt(chart, pair, middle, false);
    *columns += sums.columns;
    (sums.shape == panel.before ? lo : hi) = middle;
  }
  return 0.5 * (lo + hi);
}

/** The panel's error: of V, or of the centroid in the same measure. */
INTERVOX_HD inline double ErrorOf(const ColumnPanel& panel, const Moments& total) {
  const double v = std::fabs(total.v);
  if (!(v > 0)) return std::fabs(panel.off_v);
  const Vec3 c = total.m / v;
  const double r2 = (total.q.x + total.q.y + total.q.z) / v - SquaredNorm(c);
  const double of_v = std::fabs(panel.off_v);
  const double of_m = r2 > 0 ? Norm(panel.off_m - panel.off_v * c) / std::sqrt(r2) : of_v;
  const double off = of_v > of_m ? of_v : of_m;
  const double nested = NestedError(off, panel.x.v, panel.crack < 0);
  return panel.error + (nested > panel.hidden ? nested : panel.hidden);
}

/** Most hints. */
inline constexpr int kColumnHints = 8;

/** Sections through what is small beside the distance of two probes. */
struct ColumnHints {
  double t[kColumnHints];
  int count = 0;

  /** Inserts x in order. */
  INTERVOX_HD void Add(double x) {
    if (count == kColumnHints) return;
    int k = count++;
    for (; k > 0 && t[k - 1] > x; --k) t[k] = t[k - 1];
    t[k] = x;
  }
};

/** The section's parameter at x of L. */
INTERVOX_HD inline double ParameterAt(const ColumnChart& chart, const Vec3& x) {
  if (chart.ring >= 0) {
    const Vec3 y = TransposeTimes(chart.F, x - chart.p);
    return y.x == 0 && y.y == 0 ? 0.0 : ParameterOf(y.x, y.y);
  }
  const Vec3 n = Cross(chart.F.Col(chart.u), chart.F.Col(chart.v));
  return Dot(n, x - chart.p) / Dot(n, chart.F.Col(chart.t));
}

/** Where an ellipsoid is cut by a plane, or reaches past a hole's wall, by little: through the
 middle of what is cut off, and through the point that is farthest out. */
INTERVOX_HD inline ColumnHints ListHints(const ColumnChart& chart, const LocalPair& pair) {
  using geometry::SurfaceKind;
  constexpr int kSteps = 8;
  ColumnHints hints;
  for (int i = pair.planes; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    if (s.kind != SurfaceKind::kEllipsoid || s.side < 0) continue;
    // The point that is farthest out along n, off the centre.
    const auto support = [&](const Vec3& n) {
      const Vec3 m = TransposeTimes(s.R, n);
      const Vec3 e{m.x / s.e.x, m.y / s.e.y, m.z / s.e.z};
      return std::sqrt(-s.c / Dot(m, e)) * (s.R * e);
    };
    for (int k = 0; k < pair.planes; ++k) {
      const geometry::Surface& plane = pair.surface[k].surface;
      const Vec3 n = plane.PlaneNormal(), far = support(n);
      const double share = Dot(n, plane.o - s.o) / Dot(n, far);
      if (std::fabs(share) < 1) hints.Add(ParameterAt(chart, s.o + share * far));
    }
    for (int k = pair.planes; k < pair.count; ++k) {
      const geometry::Surface& hole = pair.surface[k].surface;
      if (hole.side > 0 || !IsConvex(hole)) continue;
      // Steps along the gradient of a convex level only rise.
      Vec3 x = s.o;
      for (int step = 0; step < kSteps; ++step) {
        const Vec3 g = geometry::Gradient(hole, x);
        if (!(SquaredNorm(g) > 0)) break;
        x = s.o + support(g);
      }
      hints.Add(ParameterAt(chart, x));
    }
  }
  return hints;
}

/** Appends the panels of one run of bins: probes find where the sections change, and what lies
 between two that differ is a panel of its own. */
INTERVOX_HD inline void AddRun(const ColumnChart& chart, const LocalPair& pair, double t0,
                               double t1, int probes, const ColumnHints& hints, bool hard0,
                               bool hard1, ColumnPanel* panels, int* count, int* columns) {
  // Beyond these there is room for one panel of each run and of each quadrant's part of it.
  constexpr int kMost = kColumnPanels / 2;
  const auto shape_at = [&](double t) {
    const SectionSums sums = SumsAt(chart, pair, t, false);
    *columns += sums.columns;
    return sums.shape;
  };
  const int first = *count;
  unsigned before = shape_at(t0);
  bool uniform = false;
  double from = t0;
  int hint = 0;
  for (int k = 1; k <= probes;) {
    double to = k == probes ? t1 : t0 + (t1 - t0) * k / probes;
    // Half planes' parameter returns after four quadrants.
    double next = to;
    for (; hint < hints.count; ++hint) {
      next = hints.t[hint];
      if (chart.ring >= 0) {
        while (next < t0) next += 4;
      }
      if (next > from) break;
    }
    if (hint < hints.count && next < to) {
      to = next;
      ++hint;
    } else {
      ++k;
    }
    const unsigned shape = shape_at(to);
    const bool same = shape == before;
    if (*count > first && ((same && uniform) || *count >= kMost)) {
      panels[*count - 1].t1 = to;
    } else {
      ColumnPanel& panel = panels[(*count)++];
      panel = {};
      panel.t0 = from;
      panel.t1 = to;
    }
    uniform = same;
    before = shape;
    from = to;
  }
  panels[first].hard0 = hard0;
  panels[*count - 1].hard1 = hard1;
}

/** Panels over the runs; none crosses a border of the half planes' quadrants. */
INTERVOX_HD inline int ListPanels(const ColumnChart& chart, const LocalPair& pair,
                                  const ColumnCover& cover, ColumnPanel* panels, int* columns) {
  int count = 0;
  const ColumnHints hints = ListHints(chart, pair);
  for (int i = 0; i < cover.runs; ++i) {
    const ColumnRun& run = cover.run[i];
    double from = run.t0;
    while (from < run.t1) {
      double to = run.t1;
      if (chart.ring >= 0) {
        const double border = static_cast<int>(from + 4.5) - 3.5;
        to = border < to ? border : to;
      }
      const int probes = 1 + static_cast<int>(run.probes * (to - from) / (run.t1 - run.t0));
      // The box may touch Ω at an end, where sections begin as a root.
      AddRun(chart, pair, from, to, probes, hints, from == run.t0, to == run.t1, panels, &count,
             columns);
      from = to;
    }
  }
  return count;
}

/** The sum over all panels, divided until the tolerance is met. Out of line, so that the panels
 take no memory while the chart is made. */
template <class Team>
__attribute__((noinline)) INTERVOX_HD RuleResult SumPanels(const Team& team, const LocalPair& pair,
                                                           const ColumnChart& chart,
                                                           const ColumnCover& cover,
                                                           Moments* moments) {
  ColumnPanel panels[kColumnPanels];
  bool full = false;
  RuleResult result;
  result.work = cover.cells;
  int count = ListPanels(chart, pair, cover, panels, &result.work);
  for (int i = 0; i < count; ++i) Integrate(team, chart, pair, &panels[i], &result.work, &full);
  const double target = 0.05 * pair.tolerance;
  Moments total;
  double error = 0;
  for (;;) {
    total = {};
    for (int i = 0; i < count; ++i) total += panels[i].x;
    error = 0;
    double most = 0;
    int worst = -1;
    for (int i = 0; i < count; ++i) {
      const double e = ErrorOf(panels[i], total);
      error += e;
      if (e - panels[i].error > most) {
        most = e - panels[i].error;
        worst = i;
      }
    }
    if (full) return result;
    if (error <= target * total.v || error <= 0.3 * pair.volume_floor || worst < 0 ||
        count == kColumnPanels || result.work > kMostColumns) {
      break;
    }
    ColumnPanel& left = panels[worst];
    const double width = left.t1 - left.t0;
    const double level = left.x.v / width;
    // A jump of the section that is located this well does not matter.
    const double fine = 0.02 * target * total.v / (level > 0 ? level : 1e300);
    bool hard = false;
    const double t = DivideAt(chart, pair, left, fine > 1e-13 * width ? fine : 1e-13 * width, &hard,
                              &result.work);
    if (!(t > left.t0 && t < left.t1)) {
      left.off_v = 0;
      left.off_m = {};
      continue;
    }
    ColumnPanel& right = panels[count++];
    right = {};
    right.t0 = t;
    right.t1 = left.t1;
    right.hard0 = hard;
    right.hard1 = left.hard1;
    left.t1 = t;
    left.hard1 = hard;
    Integrate(team, chart, pair, &left, &result.work, &full);
    Integrate(team, chart, pair, &right, &result.work, &full);
  }
  result.accepted = true;
  result.error = error;
  *moments = total;
  return result;
}

}  // namespace internal

/** Metrics of any overlap by plane sections. A section is bounded by lines and conics; columns
 through it end at roots in closed form, and their panels at its corners and folds, so that seven
 columns a panel do. Sections are parallel, or go through a torus' axis, where the torus is a
 circle; they are summed by panels of seven that are divided, where the largest error is, at the
 place at which the section changes its shape.
 @return error: the sum of what nested rules differ by, squared where nothing happens between. */
template <class Team>
INTERVOX_HD RuleResult ColumnRule(const Team& team, const LocalPair& pair, Moments* moments) {
  using namespace internal;
  RuleResult result;
  *moments = {};
  ColumnChart chart;
  ColumnCover cover;
  const ColumnStart start = StartColumns(team, pair, &chart, &cover);
  result.accepted = start == ColumnStart::kEmpty;
  if (start != ColumnStart::kReady) return result;
  const bool flat = SetWeights(pair, &chart);
  result = SumPanels(team, pair, chart, cover, moments);
  if (!result.accepted || !(moments->v > 0)) return result;
  if (flat) AddPlaneFaces(pair, &chart, moments);
  return result;
}

}  // namespace intervox::cuda
