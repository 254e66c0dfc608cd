// Which rule's answer a pair gets.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/plan.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

// The flux rule may err by more than it states, so an error that is no small share of the tolerance
// is not enough: the next rule is asked, and its answer is taken where that is.
TEST(Planner, AsksFurtherRulesWhereTheFluxRulesErrorIsNotSmall) {
  constexpr int kDraws[] = {148, 700, 1647, 2479, 2578, 2622, 2663, 2747, 2795, 3568};
  const std::vector<testing::Family> families = testing::AllFamilies();
  testing::Random random(23);
  int between = 0, others = 0;
  for (int k = 0; k <= kDraws[9]; ++k) {
    const auto draw = static_cast<std::size_t>(k);
    PairQuery q{&families[draw % families.size()].cell,
                &families[draw / families.size() % families.size()].cell, random.RandomPose(0.4),
                random.RandomPose(0.4), 1e-9};
    if (std::find(std::begin(kDraws), std::end(kDraws), k) == std::end(kDraws)) continue;
    const auto answer = [&](LeafRule rule) {
      q.rule = rule;
      return ComputeMetrics(q);
    };
    const InterferenceMetrics planned = answer(LeafRule::kAuto);
    const InterferenceMetrics flux = answer(LeafRule::kFlux);
    const InterferenceMetrics column = answer(LeafRule::kColumn);
    ASSERT_EQ(planned.status, Status::kOk) << k;
    const double share = flux.volume_error / (q.tolerance * flux.volume);
    if (!(flux.volume > 0) || !(share > 0.05 && share < 1)) continue;
    ++between;
    if (planned.rule == LeafRule::kColumn) ++others;
    if (column.status == Status::kOk) {
      // The column rule's answer is taken even where the flux rule states less, as it does not err
      // by more than it states.
      EXPECT_EQ(planned.rule, share > cuda::kFluxShare ? LeafRule::kColumn : LeafRule::kFlux) << k;
      EXPECT_NEAR(flux.volume, column.volume, q.tolerance * column.volume) << k;
    }
  }
  EXPECT_GE(between, 4);
  EXPECT_GE(others, 2);
}

// A ball in its groove: where the first look at the boundary leaves it open, the rule looks again
// with every surface moved by its own small distance, and closes it.
TEST(Planner, TheFluxRuleClosesTheBoundaryOfABallInAGroove) {
  const testing::Fit fit = testing::Fits()[2];
  ASSERT_EQ(fit.part.cells.size(), 1u);
  testing::Random random(77);
  int found = 0, missed = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    const double scale = random.LogUniform(1e-5, 1e-2);
    PairQuery q{&fit.part.cells[0], &fit.seat.cells[k % fit.seat.cells.size()], {}, {}};
    q.X_WA = {testing::Turned(random.Uniform(0, 5 * scale) * random.Direction(), {}),
              random.Vector(scale)};
    q.rule = LeafRule::kFlux;
    const InterferenceMetrics m = ComputeMetrics(q);
    found += m.status == Status::kOk;
    missed += m.status == Status::kToleranceNotMet;
  }
  EXPECT_GT(found, 100);
  EXPECT_LE(missed, 2);
}

// To 1e-9 the clip rule spends 40 ms and errs by a hundred times what the column rule states.
TEST(Planner, TheClipRuleIsNotAskedWhereItCannotDoBetter) {
  cuda::PairView query;
  query.tolerance = 1e-12;
  cuda::Moments moments;
  moments.v = 2;
  for (const double share : {1e-6, 1e-7, 1e-9, 1e-11}) {
    for (const LeafRule rule : {LeafRule::kFlux, LeafRule::kColumn}) {
      cuda::Progress progress;
      const bool ends = cuda::KeepBest(query, rule, {true, share * moments.v}, moments, &progress);
      EXPECT_EQ(ends, rule == LeafRule::kColumn && share < 1e-8) << share;
      EXPECT_EQ(progress.rule, rule);
    }
    // A better answer of an earlier rule counts as well.
    cuda::Progress progress;
    cuda::KeepBest(query, LeafRule::kFlux, {true, share * moments.v}, moments, &progress);
    const bool ends = cuda::KeepBest(query, LeafRule::kColumn, {}, {}, &progress);
    EXPECT_EQ(ends, share < 1e-8) << share;
  }
}

}  // namespace
}  // namespace intervox
