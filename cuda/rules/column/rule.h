/** @file The column rule: sections through Ω, integrated adaptively; any surfaces. */
#pragma once

#include <new>

#include "cuda/rules/column/cover.h"
#include "cuda/rules/column/faces.h"
#include "cuda/rules/column/lens.h"
#include "cuda/rules/column/panel.h"
#include "cuda/rules/column/ring_events.h"
#include "cuda/surface/near.h"

namespace intervox::cuda {

namespace internal::column {

/** Most panels of sections. */
inline constexpr int kColumnPanels = 64;

/** No panel is divided beyond this many columns: what is left is stated. */
inline constexpr int kMostColumns = 100000;
/** The same where solids nearly coincide: some 20 ms. */
inline constexpr int kMostColumnsNear = 40000;

/** Events closer than this share of a run are a swarm. Below the tolerance at which rules are
 cheaper than panels none is: what is left out would cost more than narrow panels. */
INTERVOX_HD inline double SwarmOf(const LocalPair& pair) { return IsFine(pair) ? 1e-5 : 0.01; }

/** Panels are not divided where all that this could gain is so small a share of what is left to be
 gained. */
inline constexpr double kNoGain = 0.05;

/** Whether so many columns are enough for the pair: twice as many where panels have twice as many
 sections. */
INTERVOX_HD inline bool IsSpent(const LocalPair& pair, int columns) {
  const int some = IsFine(pair) ? columns / 2 : columns;
  return some > kMostColumns || (some > kMostColumnsNear && NearlyCoincides(pair));
}

/** Appends the panels of one run of bins: probes find where the sections change, and what lies
 between two that differ is a panel of its own. */
INTERVOX_HD inline void AddRun(const ColumnChart& chart, const LocalPair& pair, double t0,
                               double t1, int probes, bool hard0, bool hard1, SectionRoom* room,
                               ColumnPanel* panels, int* count, int* columns) {
  // Beyond these there is room for one panel of each run and of each quadrant's part of it.
  constexpr int kMost = kColumnPanels / 2;
  const auto shape_at = [&](double t) {
    const SectionSums sums = SumsAt(chart, pair, t, false, room, {SectionGoalOf(pair)});
    *columns += sums.columns;
    return sums.shape;
  };
  const int first = *count;
  SectionShape before = shape_at(t0);
  bool uniform = false;
  double from = t0;
  for (int k = 1; k <= probes; ++k) {
    const double to = k == probes ? t1 : t0 + (t1 - t0) * k / probes;
    const SectionShape shape = shape_at(to);
    const bool same = !Differ(shape, before, !IsFine(pair));
    if (*count > first && ((same && uniform) || *count >= kMost)) {
      panels[*count - 1].t1 = to;
    } else {
      panels[(*count)++] = {from, to};
    }
    uniform = same;
    before = shape;
    from = to;
  }
  panels[first].hard0 = hard0;
  panels[*count - 1].hard1 = hard1;
}

/** Panels between the events in the runs of parallel sections. */
INTERVOX_HD inline int ListPlanePanels(const LocalPair& pair, const ColumnCover& cover,
                                       const ColumnEvents& events, ColumnPanel* panels) {
  // Beyond these there is room for one panel of each run.
  constexpr int kMost = kColumnPanels - kColumnRuns;
  int count = 0;
  for (int i = 0; i < cover.runs; ++i) {
    const ColumnRun& run = cover.run[i];
    const double least = SwarmOf(pair) * (run.t1 - run.t0);
    double from = run.t0;
    for (int k = 0; k <= events.count; ++k) {
      const bool last = k == events.count;
      if (!last && (count >= kMost || !events.Divides(k, from, run.t1, least))) continue;
      const double to = last ? run.t1 : events.t[k];
      panels[count++] = {from, to, true, true};
      from = to;
    }
  }
  return count;
}

/** Room for what is summed in panels, and for what happens in all runs and in one. */
struct SumRoom {
  PanelRoom panel;
  Place<ColumnEvents> events;
};

/** Panels between the events on a torus, in runs of half planes, at whose quadrants' borders the
 parameter has a kink; probes find what else happens. */
INTERVOX_HD inline int ListRingPanels(const ColumnChart& chart, const LocalPair& pair,
                                      const ColumnCover& cover, SumRoom* room, ColumnPanel* panels,
                                      int* columns) {
  ColumnEvents* const events = &room->events.value;
  // Beyond these there is room for one panel of each run and of each quadrant's part of it.
  constexpr int kMost = kColumnPanels / 2;
  int count = 0;
  for (int i = 0; i < cover.runs; ++i) {
    const ColumnRun& run = cover.run[i];
    ColumnEvents& own = room->panel.own.Make();
    ListRingEvents(chart, run.t0, run.t1, &own);
    const double least = SwarmOf(pair) * (run.t1 - run.t0);
    double from = run.t0;
    bool hard = true;
    int k = 0;
    while (from < run.t1) {
      while (k < own.count && !own.Divides(k, from, run.t1, least)) ++k;
      const double border = static_cast<int>(from + 4.5) - 3.5;
      double to = border < run.t1 ? border : run.t1;
      bool ends = to == run.t1;
      if (k < own.count && own.t[k] < to && count < kMost) {
        to = own.t[k];
        ends = true;
      }
      const int probes = 1 + static_cast<int>(run.probes * (to - from) / (run.t1 - run.t0));
      AddRun(chart, pair, from, to, probes, hard, ends, &room->panel.section, panels, &count,
             columns);
      from = to;
      hard = ends;
    }
    for (k = 0; k < own.count; ++k) events->Add(own.t[k]);
  }
  return count;
}

/** What is known and summed of a pair, which is too large for the stack of a device's thread: its
 chart, its model and its panels in turn, and room for finding the runs and for summing them. */
struct ColumnMemory {
  ColumnChart chart;
  union {
    clip::ClipModel model;
    ColumnPanel panels[kColumnPanels];
  };
  union {
    CoverRoom cover;
    SumRoom sum;
  };

  INTERVOX_HD ColumnMemory() {}
};

/** (K4): the sum over all panels, divided until the tolerance is met. */
__attribute__((noinline)) INTERVOX_HD inline RuleResult SumPanels(
    const LocalPair& pair, const ColumnChart& chart, const ColumnCover& cover, SumRoom* room,
    ColumnPanel* panels, Moments* moments) {
  for (int i = 0; i < kColumnPanels; ++i) ::new (&panels[i]) ColumnPanel;
  bool full = false;
  RuleResult result;
  result.work = cover.cells;
  ColumnEvents& events = room->events.Make();
  int count = 0;
  if (chart.ring < 0) {
    ListPlaneEvents(chart, &room->panel.section, &events);
    count = ListPlanePanels(pair, cover, events, panels);
  } else {
    count = ListRingPanels(chart, pair, cover, room, panels, &result.work);
  }
  double range = 0;
  for (int i = 0; i < count; ++i) range += panels[i].t1 - panels[i].t0;
  // Wide panels first: what they hold says how little narrow ones need to be known.
  Moments total;
  int looked = 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < count; ++i) {
      const double width = panels[i].t1 - panels[i].t0;
      if ((count * width >= range) != (turn == 0)) continue;
      const PanelGoal goal = PanelGoalOf(pair, total, range, width);
      Integrate(chart, pair, goal, total, &room->panel, &panels[i], &result.work, &full);
      total += panels[i].x;
      // Too much for a first look: another rule is to try.
      if (++looked < count && IsSpent(pair, result.work)) return result;
    }
  }
  const double target = GoalOf(pair);
  // Panels that are put aside, to make room, and what they err by.
  Moments aside;
  double error_aside = 0, reach_aside = 0, area_aside = 0;
  double jumps = 0;  // what may lie between where sections jump and where panels end
  double error = 0;
  for (;;) {
    total = aside;
    for (int i = 0; i < count; ++i) total += panels[i].x;
    // The error of S counts in the measure of V's.
    const double area = kOfArea * AreaOf(total), share = area > 0 ? total.v / area : 0.0;
    error = error_aside;
    double area_error = share * area_aside, most = 0, least = 1e300, gains = 0;
    int worst = -1, best = -1;
    for (int i = 0; i < count; ++i) {
      const double e = ErrorOf(panels[i], total), off_s = share * panels[i].off_s;
      error += e;
      area_error += off_s + share * panels[i].area_error;
      const double gain = e - panels[i].error > off_s ? e - panels[i].error : off_s;
      gains += gain;
      if (gain > most) {
        most = gain;
        worst = i;
      }
      if (gain < least) {
        least = gain;
        best = i;
      }
    }
    if (full) return result;
    const double left_over = error > area_error ? error : area_error;
    // What sections themselves err by is not mended by more of them.
    const bool done = left_over <= target * total.v || gains <= kNoGain * target * total.v;
    if (done || left_over <= 0.3 * pair.volume_floor || worst < 0 || IsSpent(pair, result.work)) {
      break;
    }
    if (count == kColumnPanels) {
      aside += panels[best].x;
      error_aside += ErrorOf(panels[best], total);
      reach_aside += ReachOf(panels[best], total);
      area_aside += panels[best].off_s + panels[best].area_error;
      panels[best] = panels[--count];
      continue;
    }
    ColumnPanel& left = panels[worst];
    const double width = left.t1 - left.t0;
    const double level = left.x.v / width;
    // A jump of the section that is located this well is stated, but not sought any further.
    const double fine = 0.02 * target * total.v / (level > 0 ? level : 1e300);
    bool hard = false;
    double unsure = 0;
    const double t =
        DivideAt(chart, pair, events, left, fine > 1e-13 * width ? fine : 1e-13 * width,
                 &room->panel.section, &hard, &unsure, &result.work);
    if (!(t > left.t0 && t < left.t1)) {
      // What happens does so at the very end: nothing is hidden.
      left.off_v = left.hidden = 0;
      left.off_m = {};
      left.off_s = 0;
      continue;
    }
    jumps += unsure * std::fabs(level);
    ColumnPanel& right = panels[count++];
    right = {t, left.t1, hard, left.hard1};
    left.t1 = t;
    left.hard1 = hard;
    for (ColumnPanel* half : {&left, &right}) {
      const PanelGoal goal = PanelGoalOf(pair, total, range, half->t1 - half->t0);
      Integrate(chart, pair, goal, total, &room->panel, half, &result.work, &full);
    }
  }
  result.accepted = true;
  result.error = error + jumps;
  result.reach = reach_aside + jumps + cover.rounding;
  for (int i = 0; i < count; ++i) result.reach += ReachOf(panels[i], total);
  *moments = total;
  return result;
}

/** (K10): the sum of thin lenses, one in each part of a torus at most. Not accepted where there is
 anything else; `around` then says whether the model has a box around Ω. */
__attribute__((noinline)) INTERVOX_HD inline RuleResult SumParts(const LocalPair& pair,
                                                                 clip::ClipModel* model,
                                                                 Moments* moments, bool* around) {
  *around = false;
  const SpanParts parts = FindParts(pair);
  if (parts.span.torus == nullptr) return {};
  RuleResult total;
  for (int i = 0; i < parts.count; ++i) {
    const RingSpan part = parts.Part(i);
    Moments one;
    RuleResult result;
    ColumnStart start = FitTube(pair, part, model);
    if (start == ColumnStart::kReady) result = SumLens(pair, *model, &one);
    if (start == ColumnStart::kReady && !result.accepted) {
      start = TurnBox(pair, model);
      if (start == ColumnStart::kReady) result = SumLens(pair, *model, &one);
    }
    if (start == ColumnStart::kEmpty) continue;
    // A lens about which the box of another part reaches is not counted twice.
    const bool own = !(one.v > 0) || part.Holds(one.m / one.v);
    if (!result.accepted || !own) {
      *around = parts.count == 1 && model->box.valid;
      *moments = {};
      return {};
    }
    *moments += one;
    total.error += result.error;
    total.work += result.work;
    total.rounding = total.rounding || result.rounding;
  }
  total.accepted = true;
  return total;
}

}  // namespace internal::column

/** Metrics of any overlap by plane sections. A section is bounded by lines and conics; columns
 through it end at roots in closed form, and their panels at its corners and folds, so that seven
 columns a panel do. Sections are parallel, or go through a torus' axis, where the torus is a
 circle; they are summed by panels of seven that are divided, where the largest error is, at the
 place at which the section changes its shape.
 @return error: the sum of what nested rules differ by, squared where nothing happens between. */
INTERVOX_HD inline RuleResult ColumnRule(const LocalPair& pair, Moments* moments,
                                         internal::column::ColumnMemory* memory) {
  using namespace internal::column;
  RuleResult result;
  *moments = {};
  ColumnChart& chart = *::new (&memory->chart) ColumnChart;
  ColumnCover cover;
  internal::clip::ClipModel* model = &memory->model;
  bool around = false;
  result = SumParts(pair, model, moments, &around);
  if (result.accepted) return result;
  ColumnStart start = FitBox(pair, around, model);
  if (start == ColumnStart::kReady) result = SumLens(pair, *model, moments);
  if (result.accepted) return result;
  if (start == ColumnStart::kReady) start = ShrinkBox(pair, model);
  if (start == ColumnStart::kReady) result = SumLens(pair, *model, moments);
  if (result.accepted) return result;
  if (start == ColumnStart::kReady)
    start = StartColumns(pair, model, &memory->cover, &chart, &cover);
  result.accepted = start == ColumnStart::kEmpty;
  if (start != ColumnStart::kReady) return result;
  const double raised = SetWeights(pair, &chart);
  const internal::clip::ClipBox box = model->box;  // panels take the model's place
  result = SumPanels(pair, chart, cover, &memory->sum, memory->panels, moments);
  if (!result.accepted || !(moments->v > 0)) return result;
  result.accepted = AddPlaneFaces(pair, box, raised, &memory->sum.panel.section, &chart, moments);
  return result;
}

/** The same with its memory on the stack. Out of line: it would be the stack of every pair. */
__attribute__((noinline)) inline RuleResult ColumnRule(const LocalPair& pair, Moments* moments) {
  internal::column::ColumnMemory memory;
  return ColumnRule(pair, moments, &memory);
}

}  // namespace intervox::cuda
