/** @file Panels of sections: their sums, what these may be off by, and where to divide. */
#pragma once

#include "cuda/rules/column/events.h"

namespace intervox::cuda::internal::column {

/** A range of sections with its sum. */
struct ColumnPanel {
  double t0 = 0, t1 = 0;
  bool hard0 = false, hard1 = false;  ///< something happens at that end
  int crack = -1;                     ///< something happens after this node; −1: nothing
  unsigned before = 0;                ///< shape at that node
  Moments x;
  double off_v = 0;
  Vec3 off_m;
  double error = 0;       ///< of the sections themselves
  double reach = 0;       ///< what nested rules in the sections differ by
  double hidden = 0;      ///< of what happens between nodes
  double off_s = 0;       ///< of x.s, between sections
  double area_error = 0;  ///< of x.s, of the sections themselves
  double least = 0;       ///< this share of what nested rules differ by is stated at least
};

/** A panel that is to be summed. */
INTERVOX_HD inline ColumnPanel PanelOf(double t0, double t1, bool hard0, bool hard1) {
  ColumnPanel panel;
  panel.t0 = t0;
  panel.t1 = t1;
  panel.hard0 = hard0;
  panel.hard1 = hard1;
  return panel;
}

/** Most sections of a panel. */
inline constexpr int kPanelSections = 15;

/** The sections of a panel, and the weights of those in it and in the rule nested in it. */
struct PanelRule {
  int count;
  const double *x, *fine, *lean;

  /** Where in the panel a node is, as a share; −1 and `count` are the ends. */
  INTERVOX_HD double ShareOf(int node) const {
    return node < 0 ? 0.0 : node < count ? x[node] : 1.0;
  }
};

/** Seven sections, and fifteen below the tolerance at which those are cheaper. */
INTERVOX_HD inline PanelRule RuleFor(const LocalPair& pair) {
  if (IsFine(pair)) {
    const NestedRule<16>& rule = Patterson15();
    return {15, rule.x, rule.fine, rule.lean};
  }
  const NestedRule<8>& rule = Patterson7();
  return {7, rule.x, rule.fine, rule.lean};
}

/** t at a share of the panel; roots at hard ends become analytic. */
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
  Vec3 lean_s;
  double face = 0;  ///< of the sections' area vectors, their lengths
  double error = 0, reach = 0, area_error = 0;
  unsigned shape[kPanelSections + 2] = {};
  double area[kPanelSections + 2] = {};  ///< of the sections but for the ends'
  int columns = 0, full = 0;

  INTERVOX_HD ColumnNodes& operator+=(const ColumnNodes& o) {
    x += o.x;
    lean_v += o.lean_v;
    lean_m += o.lean_m;
    lean_s += o.lean_s;
    face += o.face;
    error += o.error;
    reach += o.reach;
    area_error += o.area_error;
    for (int i = 0; i < kPanelSections + 2; ++i) {
      shape[i] += o.shape[i];
      area[i] += o.area[i];
    }
    columns += o.columns;
    full += o.full;
    return *this;
  }
};

/** Room for a section, and for the sums of a panel's. */
struct PanelRoom {
  SectionRoom section;
  LaneSums<ColumnNodes> lanes;
};

/** The section at t, integrated. */
__attribute__((noinline)) INTERVOX_HD inline SectionSums SumsAt(const ColumnChart& chart,
                                                                const LocalPair& pair, double t,
                                                                bool measure, SectionRoom* room) {
  int planes = 0;
  SectionLine* const plane = room->planes.value.line;
  if (!SectionAt(chart, t, -1, &room->section.value, plane, &planes)) return {};
  return IntegrateSection(room, pair, planes, measure, SectionGoalOf(pair));
}

/** Sums the panel's sections. */
INTERVOX_HD inline void Integrate(const ColumnChart& chart, const LocalPair& pair, PanelRoom* room,
                                  ColumnPanel* panel, int* columns, bool* full) {
  const PanelRule rule = RuleFor(pair);
  const int last = rule.count + 1;
  const auto node = [&](int i) {
    ColumnNodes one;
    const bool end = i == 0 || i == last;
    if ((i == 0 && panel->hard0) || (i == last && panel->hard1)) return one;
    double dt = 0;
    const double t = NodeAt(*panel, rule.ShareOf(i - 1), &dt);
    const SectionSums sums = SumsAt(chart, pair, t, !end, &room->section);
    one.shape[i] = sums.shape;
    one.columns = sums.columns;
    one.full = sums.full ? 1 : 0;
    if (end) return one;
    const double w = rule.fine[i - 1] * dt, lean = rule.lean[i - 1] * dt;
    one.area[i] = sums.x.v;
    one.x = w * sums.x;
    one.lean_v = lean * sums.x.v;
    one.lean_m = lean * sums.x.m;
    one.lean_s = lean * sums.x.s;
    one.face = w * Norm(sums.x.s);
    one.error = w * sums.error;
    one.reach = w * sums.reach;
    one.area_error = w * sums.area_error;
    return one;
  };
  const ColumnNodes nodes = SumInLanes<ColumnNodes>(last + 1, node, &room->lanes);
  panel->least = LeastShareOf(pair);
  panel->x = nodes.x;
  panel->off_v = nodes.x.v - nodes.lean_v;
  panel->off_m = nodes.x.m - nodes.lean_m;
  panel->error = nodes.error;
  panel->reach = nodes.reach;
  panel->crack = -1;
  panel->hidden = 0;
  // Of several changes the one that may hide most; of equals the one nearest to the middle.
  double most = -1;
  const int middle = rule.count / 2;
  for (int k = 0; k <= rule.count; ++k) {
    const int i = k % 2 == 0 ? middle - k / 2 : middle + 1 + k / 2;
    if ((i == 0 && panel->hard0) || (i == rule.count && panel->hard1)) continue;
    if (nodes.shape[i] == nodes.shape[i + 1]) continue;
    // What happens between two nodes hides a part of what changes there, whatever the sums say:
    // more of it at an end, beyond whose last node no other follows.
    const bool end = i == 0 || i == rule.count;
    double dt = 0;
    const double from = NodeAt(*panel, rule.ShareOf(i - 1), &dt);
    const double to = NodeAt(*panel, rule.ShareOf(i), &dt);
    double change = std::fabs(nodes.area[i + 1] - nodes.area[i]);
    // Next to an end, of what changes from there: at its first node little may be left.
    const bool low = i <= 1 && !panel->hard0, high = i >= rule.count - 1 && !panel->hard1;
    if (low || high) {
      const SectionSums ends =
          SumsAt(chart, pair, low ? panel->t0 : panel->t1, true, &room->section);
      const double beyond = std::fabs(ends.x.v - nodes.area[low ? 1 : rule.count]);
      change = end || beyond > change ? beyond : change;
      *columns += ends.columns;
    }
    const double hides = (end ? 0.5 : 0.1) * (to - from) * change;
    panel->hidden += hides;
    if (hides <= most) continue;
    most = hides;
    panel->crack = i;
    panel->before = nodes.shape[i];
  }
  panel->off_s = NestedError(Norm(nodes.x.s - nodes.lean_s), nodes.face, panel->crack < 0);
  panel->area_error = nodes.area_error;
  *columns += nodes.columns;
  *full = *full || nodes.full > 0;
}

/** Where the panel is best divided: where something happens in it, else in the middle. `unsure` is
 the width in which what happens was located. */
INTERVOX_HD inline double DivideAt(const ColumnChart& chart, const LocalPair& pair,
                                   const ColumnEvents& events, const ColumnPanel& panel,
                                   double fine, SectionRoom* room, bool* hard, double* unsure,
                                   int* columns) {
  double dt = 0;
  *unsure = 0;
  *hard = panel.crack >= 0;
  if (!*hard) return NodeAt(panel, 0.5, &dt);
  const PanelRule rule = RuleFor(pair);
  const int k = panel.crack;
  double lo = NodeAt(panel, rule.ShareOf(k - 1), &dt);
  double hi = NodeAt(panel, rule.ShareOf(k), &dt);
  double known = panel.t0;
  for (int i = 0; i < events.count; ++i) {
    const double t = events.t[i], middle = 0.5 * (lo + hi);
    if (t > lo && t < hi && std::fabs(t - middle) < std::fabs(known - middle)) known = t;
  }
  if (known > lo && known < hi) return known;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (lo + hi);
    if (!(middle > lo && middle < hi) || hi - lo < fine) break;
    const SectionSums sums = SumsAt(chart, pair, middle, false, room);
    *columns += sums.columns;
    (sums.shape == panel.before ? lo : hi) = middle;
  }
  *unsure = hi - lo;
  return 0.5 * (lo + hi);
}

/** What the panel's two rules differ by: in V, or in the centroid in the same measure. */
INTERVOX_HD inline double DifferenceOf(const ColumnPanel& panel, const Moments& total) {
  const double v = std::fabs(total.v), of_v = std::fabs(panel.off_v);
  if (!(v > 0)) return of_v;
  const Vec3 c = total.m / v;
  const double r2 = Trace(total.second) / v - SquaredNorm(c);
  const double of_m = r2 > 0 ? Norm(panel.off_m - panel.off_v * c) / std::sqrt(r2) : of_v;
  return of_v > of_m ? of_v : of_m;
}

/** The panel's error in the measure of V. */
INTERVOX_HD inline double ErrorOf(const ColumnPanel& panel, const Moments& total) {
  const double off = DifferenceOf(panel, total);
  if (!(std::fabs(total.v) > 0)) return off;
  const double nested = NestedError(off, panel.x.v, panel.crack < 0, panel.least);
  return panel.error + (nested > panel.hidden ? nested : panel.hidden);
}

/** How far the panel's bounds stand off: what nested rules differ by, without the credit that the
 finer ones have for being finer. */
INTERVOX_HD inline double ReachOf(const ColumnPanel& panel, const Moments& total) {
  const double off = DifferenceOf(panel, total);
  return panel.reach + (off > panel.hidden ? off : panel.hidden);
}

/** The area that errors of S are measured by: |S|, and where S vanishes that of a compact Ω. */
INTERVOX_HD inline double AreaOf(const Moments& total) {
  const double v = total.v;
  if (!(v > 0)) return 0;
  const double r2 = Trace(total.second) / v - SquaredNorm(total.m / v);
  return Norm(total.s) + (r2 > 0 ? v / std::sqrt(r2) : 0.0);
}

}  // namespace intervox::cuda::internal::column
