// Failed runs done again, by another controller too: what is kept, what is refused.
#include <gtest/gtest.h>

#include "batch_files.h"
#include "host/batch/run.h"
#include "host/batch/runner.h"
#include "host/batch/table.h"

namespace intervox::host {
namespace {

/** A batch that has a result where its ball was pushed: 1 / x is not finite otherwise. */
Batch PushedBall(const std::string& name) {
  return LoadBatch(WriteBallBatch(name,
                                  "sample:\n  bodies.ball.mass: {uniform: [1, 3]}\n"
                                  "outcomes: {a: \"1 / position(ball)[0]\"}\nkeep: failed\n",
                                  8));
}

/** A controller that pushes balls heavier than this. */
BatchOptions Pushing(const Batch& batch, double mass) {
  BatchOptions options;
  options.folder = batch.path.parent_path() / "out";
  options.threads = 2;
  options.control = [mass] {
    return [mass](Simulation& simulation) {
      if (simulation.GetScene().bodies[1].mass > mass) simulation.SetWrench(1, {1, 0, 0});
    };
  };
  return options;
}

std::string Refusal(const Batch& batch, const BatchOptions& options) {
  try {
    RunBatch(batch, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BatchRetry, AnotherControllerDoesOnlyWhatFailedAndOnlyOnRequest) {
  Batch batch = PushedBall("retry");
  batch.controller = "pushes the heavy ones";
  const BatchSummary first = RunBatch(batch, Pushing(batch, 2));
  ASSERT_GT(first.progress.failed, 0);
  ASSERT_LT(first.progress.failed, 8);
  const std::string before = ControllerMark(batch);

  batch.controller = "pushes all";
  BatchOptions options = Pushing(batch, 0);
  options.resume = true;
  EXPECT_NE(Refusal(batch, options).find("retry_failed"), std::string::npos);
  options.resume = false;
  options.retry_failed = true;
  const BatchSummary second = RunBatch(batch, options);
  EXPECT_EQ(second.progress.here, first.progress.failed);
  EXPECT_EQ(second.progress.failed, 0);
  ASSERT_EQ(second.finished.runs.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) {
    const RunResult &was = first.finished.runs[k], &is = second.finished.runs[k];
    EXPECT_TRUE(is.ok);
    EXPECT_EQ(is.values, was.values);
    EXPECT_EQ(is.controller, was.ok ? before : ControllerMark(batch));
    EXPECT_EQ(is.attempt, was.ok ? 1 : 2);
    if (was.ok) {
      EXPECT_EQ(is.outcomes, was.outcomes);
    }
    EXPECT_FALSE(fs::exists(TrajectoryPath(options.folder, was.id)));  // of the failure
  }
  EXPECT_EQ(RunBatch(batch, options).progress.here, 0);
}

// One that fails again stands as failed, and is tried once in each call.
TEST(BatchRetry, WhatFailsAgainIsTriedOnceInEachCall) {
  Batch batch = PushedBall("retry_again");
  batch.controller = "pushes none";
  BatchOptions options = Pushing(batch, 9);
  RunBatch(batch, options);
  options.retry_failed = true;
  for (const int attempt : {2, 3}) {
    const BatchSummary again = RunBatch(batch, options);
    EXPECT_EQ(again.progress.here, 8);
    EXPECT_EQ(again.progress.failed, 8);
    for (const RunResult& run : again.finished.runs) EXPECT_EQ(run.attempt, attempt);
    EXPECT_TRUE(fs::exists(TrajectoryPath(options.folder, 3)));
  }
  // A shard leaves the others' alone.
  options.shard = 1;
  options.shards = 2;
  EXPECT_EQ(RunBatch(batch, options).progress.here, 4);
}

TEST(BatchRetry, AControllerThatFailedBeforeAnyRunWasFinishedIsReplaced) {
  Batch batch = PushedBall("retry_nothing");
  batch.controller = "raises";
  BatchOptions options = Pushing(batch, 0);
  const auto push = options.control;
  options.control = [] { return [](Simulation&) { throw std::logic_error("mine"); }; };
  EXPECT_THROW(RunBatch(batch, options), std::logic_error);
  batch.controller = "pushes all";
  options.control = push;
  EXPECT_EQ(RunBatch(batch, options).progress.finished, 8);
}

TEST(BatchRetry, RunsWithAndWithoutAControllerAreNotMixed) {
  Batch batch = PushedBall("retry_none");
  batch.controller = "pushes all";
  RunBatch(batch, Pushing(batch, 0));
  batch.controller.clear();
  BatchOptions options;
  options.folder = batch.path.parent_path() / "out";
  options.retry_failed = true;
  EXPECT_NE(Refusal(batch, options).find("with a controller"), std::string::npos);
  options.folder = batch.path.parent_path() / "none";
  options.retry_failed = false;
  RunBatch(batch, options);
  batch.controller = "pushes all";
  options.retry_failed = true;
  EXPECT_NE(Refusal(batch, options).find("without a controller"), std::string::npos);
}

}  // namespace
}  // namespace intervox::host
