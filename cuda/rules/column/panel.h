/** @file Panels of sections: their sums, what these may be off by, and where to divide. */
#pragma once

#include "cuda/rules/column/events.h"

namespace intervox::cuda::internal::column {

/** A range of sections with its sum. */
struct ColumnPanel {
  double t0 = 0, t1 = 0;
  bool hard0 = false, hard1 = false;  ///< something happens at that end
  signed char level = 0;              ///< of its rule
  signed char crack = -1;             ///< something happens after this node; −1: nothing
  Moments x = {};
  double off_v = 0;
  Vec3 off_m = {};
  double error = 0;       ///< of the sections themselves
  double reach = 0;       ///< what nested rules in the sections differ by
  double hidden = 0;      ///< of what happens between nodes
  double off_s = 0;       ///< of x.s, between sections
  double area_error = 0;  ///< of x.s, of the sections themselves
  double least = 0;       ///< this share of what nested rules differ by is stated at least
};

/** Most sections of a panel. */
inline constexpr int kPanelSections = 31;

/** Rules for a panel, each nested in the next. */
inline constexpr int kPanelLevels = 3;

/** The sections of a panel, and the weights of those in it and in the rule nested in it. */
struct PanelRule {
  int count;
  const double *x, *fine, *lean;

  /** Where in the panel a node is, as a share; −1 and `count` are the ends. */
  INTERVOX_HD double ShareOf(int node) const {
    return node < 0 ? 0.0 : node < count ? x[node] : 1.0;
  }
  /** The place of a node, or of an end, among those of the finest rule and the ends. */
  INTERVOX_HD int PlaceOf(int node) const {
    return (node + 1) * ((kPanelSections + 1) / (count + 1));
  }
};

/** Patterson's rules of 7, 15 and 31 sections. */
INTERVOX_HD inline PanelRule RuleOf(int level) {
  if (level == 0) {
    const NestedRule<8>& rule = Patterson7();
    return {7, rule.x, rule.fine, rule.lean};
  }
  if (level == 1) {
    const NestedRule<16>& rule = Patterson15();
    return {15, rule.x, rule.fine, rule.lean};
  }
  const NestedRule<32>& rule = Patterson31();
  return {31, rule.x, rule.fine, rule.lean};
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

  INTERVOX_HD ColumnNodes& operator+=(const ColumnNodes& o) {
    x += o.x;
    lean_v += o.lean_v;
    lean_m += o.lean_m;
    lean_s += o.lean_s;
    face += o.face;
    error += o.error;
    reach += o.reach;
    area_error += o.area_error;
    return *this;
  }
};

/** Room for a section, for those of a panel and its ends, and for their sums; before there are
 panels, for what happens in one run. */
struct PanelRoom {
  SectionRoom section;
  union {
    Place<SectionSums> node[kPanelSections + 2];
    Place<ColumnEvents> own;
  };
  LaneSums<ColumnNodes> lanes;

  INTERVOX_HD PanelRoom() {}
};

/** The section at t, integrated. */
__attribute__((noinline)) INTERVOX_HD inline SectionSums SumsAt(const ColumnChart& chart,
                                                                const LocalPair& pair, double t,
                                                                bool measure, SectionRoom* room,
                                                                const SectionGoal& goal) {
  if (!SectionAt(chart, t, -1, room)) return {};
  return IntegrateSection(room, pair, measure, goal);
}

/** Integrates those sections of the panel's rule that no coarser one has. */
INTERVOX_HD inline void AddSections(const ColumnChart& chart, const LocalPair& pair,
                                    const SectionGoal& goal, PanelRoom* room, ColumnPanel* panel,
                                    int* columns, bool* full) {
  const PanelRule rule = RuleOf(panel->level);
  for (int i = -1; i <= rule.count; ++i) {
    if (panel->level > 0 && (i & 1) != 0) continue;
    SectionSums& sums = room->node[rule.PlaceOf(i)].Make();
    const bool end = i < 0 || i == rule.count;
    if ((i < 0 && panel->hard0) || (i == rule.count && panel->hard1)) continue;
    double dt = 0;
    const double t = NodeAt(*panel, rule.ShareOf(i), &dt);
    sums = SumsAt(chart, pair, t, !end, &room->section, goal);
    *columns += sums.columns;
    *full = *full || sums.full;
  }
}

/** Sums the sections of the panel's rule, and finds what happens between them. */
INTERVOX_HD inline void SumSections(const ColumnChart& chart, const LocalPair& pair,
                                    const SectionGoal& goal, PanelRoom* room, ColumnPanel* panel,
                                    int* columns) {
  const PanelRule rule = RuleOf(panel->level);
  const auto at = [&](int i) -> const SectionSums& { return room->node[rule.PlaceOf(i)].value; };
  const auto node = [&](int i) {
    ColumnNodes one;
    if (i == 0 || i == rule.count + 1) return one;
    double dt = 0;
    NodeAt(*panel, rule.ShareOf(i - 1), &dt);
    const SectionSums& sums = at(i - 1);
    const double w = rule.fine[i - 1] * dt, lean = rule.lean[i - 1] * dt;
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
  const ColumnNodes nodes = SumInLanes<ColumnNodes>(rule.count + 2, node, &room->lanes);
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
    if (!Differ(at(i - 1).shape, at(i).shape, !IsFine(pair))) continue;
    // What happens between two nodes hides a part of what changes there, whatever the sums say:
    // more of it at an end, beyond whose last node no other follows.
    const bool end = i == 0 || i == rule.count;
    double dt = 0;
    const double from = NodeAt(*panel, rule.ShareOf(i - 1), &dt);
    const double to = NodeAt(*panel, rule.ShareOf(i), &dt);
    double change = std::fabs(at(i).x.v - at(i - 1).x.v);
    // Next to an end, of what changes from there: at its first node little may be left.
    const bool low = i <= 1 && !panel->hard0, high = i >= rule.count - 1 && !panel->hard1;
    if (low || high) {
      const SectionSums ends =
          SumsAt(chart, pair, low ? panel->t0 : panel->t1, true, &room->section, goal);
      const double beyond = std::fabs(ends.x.v - at(low ? 0 : rule.count - 1).x.v);
      change = end || beyond > change ? beyond : change;
      *columns += ends.columns;
    }
    const double hides = (end ? 0.5 : 0.1) * (to - from) * change;
    panel->hidden += hides;
    if (hides <= most) continue;
    most = hides;
    panel->crack = static_cast<signed char>(i);
  }
  panel->off_s = NestedError(Norm(nodes.x.s - nodes.lean_s), nodes.face, panel->crack < 0);
  panel->area_error = nodes.area_error;
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
  const PanelRule rule = RuleOf(panel.level);
  const int k = panel.crack;
  double lo = NodeAt(panel, rule.ShareOf(k - 1), &dt);
  double hi = NodeAt(panel, rule.ShareOf(k), &dt);
  double known = panel.t0;
  for (int i = 0; i < events.count; ++i) {
    const double t = events.t[i], middle = 0.5 * (lo + hi);
    if (t > lo && t < hi && std::fabs(t - middle) < std::fabs(known - middle)) known = t;
  }
  if (known > lo && known < hi) return known;
  const SectionGoal goal{SectionGoalOf(pair)};
  const SectionSums before = SumsAt(chart, pair, lo, false, room, goal);
  *columns += before.columns;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (lo + hi);
    if (!(middle > lo && middle < hi) || hi - lo < fine) break;
    const SectionSums sums = SumsAt(chart, pair, middle, false, room, goal);
    *columns += sums.columns;
    (Differ(sums.shape, before.shape, !IsFine(pair)) ? hi : lo) = middle;
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

/** What a panel is integrated to: the goal of its sections, and what it may state between them. */
struct PanelGoal {
  SectionGoal section;
  double v = 0, s = 0;
};

/** The goal of a panel of a width in a range of t, where other panels hold what is known so far.
 Below the tolerance at which rules are cheaper than panels a panel may state a share of what all
 may, and its sections no less than what is theirs in V, or in a small part of it where the panel is
 narrow. */
INTERVOX_HD inline PanelGoal PanelGoalOf(const LocalPair& pair, const Moments& known, double range,
                                         double width) {
  constexpr double kShare = 0.15, kNarrow = 1.0 / 32;
  PanelGoal goal{{SectionGoalOf(pair)}};
  if (!IsFine(pair)) return goal;
  const double area = kOfArea * AreaOf(known);
  const double part = width < kNarrow * range ? width / kNarrow : range;
  goal.section.v = goal.section.share * known.v / part;
  goal.section.s = goal.section.share * area / part;
  goal.v = kShare * GoalOf(pair) * known.v;
  goal.s = kShare * GoalOf(pair) * area;
  return goal;
}

/** Sums the panel by seven sections. Below the tolerance at which rules are cheaper than panels,
 fifteen and 31 follow while it states more than it may and nothing at which it is to be divided
 lies between them.
 @param others  what other panels hold, in whose measure errors are */
INTERVOX_HD inline void Integrate(const ColumnChart& chart, const LocalPair& pair,
                                  const PanelGoal& goal, const Moments& others, PanelRoom* room,
                                  ColumnPanel* panel, int* columns, bool* full) {
  double before = 0;
  for (panel->level = 0;; ++panel->level) {
    AddSections(chart, pair, goal.section, room, panel, columns, full);
    SumSections(chart, pair, goal.section, room, panel, columns);
    if (!IsFine(pair) || *full) return;
    Moments total = others;
    total += panel->x;
    // Rules that hardly gain from more sections are not better than what they differ by.
    const double off = DifferenceOf(*panel, total);
    if (before > 0 && off > panel->least * before) panel->least = off / before;
    before = off;
    if (panel->level + 1 == kPanelLevels) return;
    const double between = ErrorOf(*panel, total) - panel->error;
    if ((between <= goal.v && panel->off_s <= goal.s) || panel->hidden > goal.v) return;
  }
}

}  // namespace intervox::cuda::internal::column
