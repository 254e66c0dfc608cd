// Batches on threads, in shards, resumed: the same bits; cells are shared; nothing finished is
// lost.
#include <gtest/gtest.h>

#include <sstream>

#include "batch_files.h"
#include "host/batch/run.h"
#include "host/batch/runner.h"
#include "host/batch/table.h"
#include "host/scene/reader.h"

namespace intervox::host {
namespace {

/** All of a folder's results but the seconds, exactly. */
std::string Bits(const fs::path& folder) {
  const auto finished = ReadJournals(folder);
  std::ostringstream text;
  text << std::hexfloat;
  for (const RunResult& run : finished->runs) {
    text << run.id << ' ' << run.ok << ' ' << run.reason;
    for (const std::string& value : run.values) text << ' ' << value;
    for (const double x : run.outcomes) text << ' ' << x;
    text << '\n';
  }
  return text.str();
}

BatchOptions In(const fs::path& folder, int threads = 1) {
  BatchOptions options;
  options.folder = folder;
  options.threads = threads;
  return options;
}

TEST(BatchRun, SameBitsForThreadsShardsAndResumes) {
  const fs::path path = WriteBallBatch("bits", kBallSample);
  const Batch batch = LoadBatch(path);
  const fs::path folder = path.parent_path();
  RunBatch(batch, In(folder / "one", 1));
  const std::string bits = Bits(folder / "one");
  EXPECT_EQ(std::count(bits.begin(), bits.end(), '\n'), 12);
  RunBatch(batch, In(folder / "three", 3));
  EXPECT_EQ(Bits(folder / "three"), bits);

  for (const int shard : {2, 3, 1}) {
    BatchOptions options = In(folder / "shards", 2);
    options.shard = shard;
    options.shards = 3;
    EXPECT_EQ(RunBatch(batch, options).progress.here, 4);
  }
  EXPECT_EQ(Bits(folder / "shards"), bits);

  // Cut off in the middle of the fifth run's line, as a kill may.
  fs::create_directories(folder / "cut");
  const std::string journal = TextOf(folder / "one/runs.jsonl");
  std::size_t end = 0;
  for (int line = 0; line < 5; ++line) end = journal.find('\n', end) + 1;
  std::ofstream(folder / "cut/runs.jsonl") << journal.substr(0, end + 40);
  BatchOptions options = In(folder / "cut", 2);
  options.resume = true;
  const BatchSummary summary = RunBatch(batch, options);
  EXPECT_EQ(summary.progress.here, 8);  // a header and four runs were there
  EXPECT_EQ(summary.progress.finished, 12);
  EXPECT_EQ(summary.finished.damaged, 0);
  EXPECT_EQ(Bits(folder / "cut"), bits);
}

TEST(BatchRun, ADamagedLineIsDoneAgain) {
  const fs::path path = WriteBallBatch("damaged", kBallSample);
  const Batch batch = LoadBatch(path);
  const fs::path folder = path.parent_path() / "out";
  RunBatch(batch, In(folder));
  const std::string bits = Bits(folder);
  std::string journal = TextOf(folder / "runs.jsonl");
  const std::size_t digit = journal.find("\"outcomes\":[", journal.find("\"run\":3")) + 16;
  journal[digit] = journal[digit] == '5' ? '6' : '5';
  std::ofstream(folder / "runs.jsonl") << journal;
  BatchOptions options = In(folder);
  options.resume = true;
  const BatchSummary summary = RunBatch(batch, options);
  EXPECT_EQ(summary.progress.here, 1);
  EXPECT_EQ(summary.finished.damaged, 1);
  EXPECT_EQ(Bits(folder), bits);
}

TEST(BatchRun, AddsRunsWhereTheNumberGrew) {
  const Batch few = LoadBatch(WriteBallBatch("grew", kBallSample, 3));
  const fs::path folder = few.path.parent_path() / "out";
  RunBatch(few, In(folder));
  const Batch more = LoadBatch([] {
    const fs::path path = fs::path(testing::TempDir()) / "intervox_test_batch_grew/batch.yaml";
    std::ofstream(path) << "schema: intervox/batch/1\nscene: ball.yaml\nseed: 7\nnumber: 5\n"
                        << kBallSample;
    return path;
  }());
  BatchOptions options = In(folder);
  options.resume = true;
  EXPECT_EQ(RunBatch(more, options).progress.here, 2);
}

TEST(BatchRun, RefusesFoldersThatAreNotItsOwn) {
  const fs::path path = WriteBallBatch("folders", kBallSample, 3);
  const fs::path folder = path.parent_path() / "out";
  RunBatch(LoadBatch(path), In(folder));
  const std::string before = TextOf(folder / "runs.jsonl");
  EXPECT_THROW(RunBatch(LoadBatch(path), In(folder)), InputError);  // without resume
  for (const char* edit : {"gravity=[0, 0, -9]", "bodies.ball.pose.position[0]=1"}) {
    BatchOptions options = In(folder);
    options.resume = true;
    EXPECT_THROW(RunBatch(LoadBatch(path, {edit}), options), InputError) << edit;
  }
  Batch batch = LoadBatch(path);
  BatchOptions resumed = In(folder);
  resumed.resume = true;
  batch.seed += 1;
  EXPECT_THROW(RunBatch(batch, resumed), InputError);
  batch.seed -= 1;
  batch.controller = "def control(simulation): ...";
  EXPECT_THROW(RunBatch(batch, resumed), InputError);
  batch.controller.clear();
  const Journal journal(folder / "runs-1-of-2.jsonl", MakeHeader(batch, {}));
  BatchOptions options = In(folder);
  options.shards = 2;
  options.resume = true;
  EXPECT_THROW(RunBatch(batch, options), InputError);  // another process writes it
  EXPECT_EQ(TextOf(folder / "runs.jsonl"), before);
}

TEST(BatchRun, CellsAreSharedUnlessTheShapeIsSampled) {
  const Batch batch = LoadBatch(WriteBallBatch(
      "shared",
      "sample:\n  shapes.ball.sphere.radius: {choice: [0.1, 0.09]}\n"
      "  bodies.ball.mass: {uniform: [1, 3]}\noutcomes: {z: \"position(ball)[2]\"}\n"));
  const Simulation like(batch.scene);
  int shared = 0;
  for (int k = 0; k < 8; ++k) {
    const std::vector<Value> values = DrawRun(batch, k);
    Simulation run(SceneWith(batch, values), like);
    EXPECT_EQ(run.Cells(0).data(), like.Cells(0).data());
    const bool same = run.Cells(1).data() == like.Cells(1).data();
    EXPECT_EQ(same, values[0].scalar == "0.1");
    shared += same ? 1 : 0;
    Simulation alone(SceneWith(batch, values));
    EXPECT_NE(alone.Cells(0).data(), like.Cells(0).data());
    for (int step = 0; step < 120; ++step) {
      run.Step();
      alone.Step();
    }
    EXPECT_EQ(run.State()[1].X_WB.p.z, alone.State()[1].X_WB.p.z);
    EXPECT_EQ(run.State()[1].contact_force.z, alone.State()[1].contact_force.z);
  }
  EXPECT_GT(shared, 0);
  EXPECT_LT(shared, 8);
}

TEST(BatchRun, SharedCellsOutliveTheSimulationTheyCameFrom) {
  auto like = std::make_unique<Simulation>(ParseScene(BallScene(), "ball.yaml"));
  Simulation run(ParseScene(BallScene(), "ball.yaml"), *like);
  like.reset();
  for (int step = 0; step < 120; ++step) run.Step();
  EXPECT_GT(run.State()[1].contact_force.z, 0);
}

TEST(BatchRun, AnEndingRunEndsWhereItIsToldTo) {
  const Batch batch = LoadBatch(WriteBallBatch(
      "stop", "stop: {when: \"contacts > 0\", after: 0.05}\noutcomes: {t: time, n: contacts}\n"));
  const Simulation like(batch.scene);
  EXPECT_NEAR(ComputeRun(batch, like, 0)->outcomes[0], 0.05, 1e-9);
  const Batch later = LoadBatch(
      WriteBallBatch("stop", "stop: {when: \"contacts > 0\"}\noutcomes: {t: time, n: contacts}\n"));
  const auto run = ComputeRun(later, like, 0);
  EXPECT_NEAR(run->outcomes[0], 0.101, 2e-3);  // √(2 · 0.05 m / g)
  EXPECT_EQ(run->outcomes[1], 1.0);
}

TEST(BatchRun, FailedRunsSayWhyAndTheOthersGoOn) {
  const Batch batch =
      LoadBatch(WriteBallBatch("failed",
                               "sample:\n  bodies.ball.mass: {normal: {mean: 1, sigma: 1}}\n"
                               "outcomes: {a: \"1 / (time - time)\"}\n",
                               20));
  const fs::path folder = batch.path.parent_path() / "out";
  const BatchSummary summary = RunBatch(batch, In(folder, 2));
  EXPECT_EQ(summary.progress.failed, 20);
  int refused = 0;
  for (const RunResult& run : summary.finished.runs) {
    const bool negative = std::stod(run.values[0]) <= 0;
    refused += negative ? 1 : 0;
    EXPECT_NE(run.reason.find(negative ? "mass" : "not finite"), std::string::npos) << run.reason;
    EXPECT_NE(run.replay.find("--only " + std::to_string(run.id)), std::string::npos);
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 20);
}

TEST(BatchRun, KeepsTheTrajectoriesThatAreAskedFor) {
  const Batch all =
      LoadBatch(WriteBallBatch("keep_all", std::string(kBallSample) + "keep: all\n", 3));
  const fs::path folder = all.path.parent_path() / "out";
  RunBatch(all, In(folder, 2));
  for (int k = 0; k < 3; ++k) {
    const ColumnFile file = ColumnFile::Read(TrajectoryPath(folder, k));
    EXPECT_EQ(file.Values("time").size(), 101u);
    EXPECT_EQ(file.Values("bodies/ball/position")[2],
              SceneWith(all, DrawRun(all, k)).bodies[1].X_WB.p.z);
  }
  // In the table they stand as /trajectories/ID.
  EXPECT_EQ(ColumnFile::Read(folder / "batch.h5").Values("trajectories/2/time").size(), 101u);

  const Batch failed = LoadBatch(
      WriteBallBatch("keep_failed", "keep: failed\noutcomes: {a: \"1 / (time - time)\"}\n", 2));
  RunBatch(failed, In(failed.path.parent_path() / "out"));
  EXPECT_TRUE(fs::exists(TrajectoryPath(failed.path.parent_path() / "out", 1)));
}

TEST(BatchRun, ABatchThatIsSteeredIsRefusedWithoutItsController) {
  const fs::path path =
      WriteBallBatch("steered", std::string(kBallSample) + "controller: \"lift.py\"\n");
  Batch batch = LoadBatch(path);
  BatchOptions options;
  options.folder = path.parent_path() / "out";
  try {
    RunBatch(batch, options);
    FAIL() << "ran without its controller";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lift.py"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(options.folder));
  batch.controller = "lifts the ball";
  options.control = [] { return [](Simulation& ball) { ball.SetWrench(1, {0, 0, 100}); }; };
  EXPECT_EQ(RunBatch(batch, options).progress.failed, 0);
}

// `intervox batch --only` cannot do again what a controller of Python did.
TEST(BatchRun, AFailedRunWithAControllerSaysHowPythonDoesItAlone) {
  Batch batch = LoadBatch(WriteBallBatch("replayed", kBallSample), {"bodies.ball.mass=2"});
  EXPECT_NE(ReplayCommand(batch, 3).find("--set bodies.ball.mass=2 --only 3"), std::string::npos);
  batch.controller = "def lift(simulation)";
  const std::string text = ReplayCommand(batch, 3);
  for (const char* word : {"intervox.run_batch(", "only=3", "overrides=[\"bodies.ball.mass=2\"]"}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

TEST(BatchRun, StopsWhereTheRateIsKnownForAnyNumberOfThreads) {
  const std::string rest =
      std::string(kBallSample) +
      "stop: {after: 0.002}\nuntil: {outcome: bounced, interval: 0.21, block: 8}\n";
  const Batch batch = LoadBatch(WriteBallBatch("until", rest, 1000));
  // None of them bounces in 2 ms. For 0 of n Wilson's interval is [0, z²/(n + z²)]: n = 15 gives
  // 0.204, in the midst of a block, n = 8 gives 0.325.
  for (const int threads : {1, 3}) {
    const fs::path folder = batch.path.parent_path() / std::to_string(threads);
    const BatchSummary summary = RunBatch(batch, In(folder, threads));
    EXPECT_TRUE(summary.decided);
    EXPECT_EQ(summary.progress.finished, 16);
    EXPECT_EQ(ColumnFile::Read(folder / "batch.h5").Values("runs/id").size(), 16u);
    BatchOptions again = In(folder, threads);
    again.resume = true;
    EXPECT_EQ(RunBatch(batch, again).progress.here, 0);
  }
  BatchOptions shard = In(batch.path.parent_path() / "shard");
  shard.shards = 2;
  EXPECT_THROW(RunBatch(batch, shard), InputError);
}

}  // namespace
}  // namespace intervox::host
