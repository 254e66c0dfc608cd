// What is put into a simulation is in its results, and the run is done again from them alone, with
// the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numbers>

#include "host/input/error.h"
#include "host/results/recorder.h"
#include "tests/host/cli_call.h"
#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

/** A tilted tool on a holder, pressed on a plate that slides, and a ball that is thrown about. */
Simulation Scene() {
  return testing::FromText(
      "duration: 0.06\nintegrator: {step: 1e-3}\noutput: {every: 1e-3}\n"
      "shapes:\n  tool: {cylinder: {radius: 0.01, height: 0.05}}\n"
      "  plate: {box: {size: [0.3, 0.3, 0.02]}}\n  ball: {sphere: {radius: 0.02}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e9, restitution: 0.5}, "
      "friction: {model: coulomb, mu: 0.3}}}\n"
      "bodies:\n  plate: {shape: plate, pose: {rpy_deg: [0.3, 0.1, 7]}, motion: {velocity: "
      "{linear: [0.01, 0, 0]}}}\n"
      "  tool: {shape: tool, mass: 0.2, pose: {position: [0, 0, 0.0349], rpy_deg: [1, 2, 30]}, "
      "holder: {stiffness: 1e4, damping: 20, rotational_stiffness: 10, rotational_damping: 0.01}}\n"
      "  ball: {shape: ball, mass: 0.1, pose: {position: [0.08, 0, 0.031]}}\n");
}

/** The inputs of one step, of all kinds in turn. */
void Steer(int step, Simulation* simulation) {
  const double a = 0.1 * step;
  const Pose& X = simulation->State()[1].X_WB;
  if (step % 3 == 0) simulation->SetWrench(2, {0, a, 0.01}, {0, 0, 1e-4 * a}, {0, 0.01 * a, 0});
  if (step % 3 == 1) {
    simulation->SetHolderTarget(1, {X.R, X.p + Vec3{1e-3 * a, 0, -1e-3}}, {0.01 * a, 0, 0},
                                {0, 0, a});
  }
  if (step % 7 == 2) simulation->SetMotion(0, simulation->State()[0].X_WB, {0.02 * a, 0, 0});
  if (step == 31) simulation->SetState(2, {X.R, {0.1, 0.05, 0.04}}, {0, 0, -1}, {1, 2, 3});
}

std::filesystem::path File(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("intervox_inputs_" + name + ".h5");
}

void RunTo(int end, Recorder* recorder, Simulation* simulation) {
  for (auto k = static_cast<int>(simulation->Counters().steps); k < end; ++k) {
    Steer(k, simulation);
    simulation->Step();
    if (recorder != nullptr) recorder->Sample(*simulation);
  }
}

/** Writes the run that `path` holds to another file and compares all that is in both. */
void ExpectReplayed(const std::filesystem::path& path, const Simulation& end) {
  const RecordedRun run = ReadRun(path);
  Simulation again(run.scene);
  Replay replay(run, &again);
  const std::filesystem::path copy = path.string() + ".again";
  {
    Recorder recorder = Recorder::Create(copy, again, {});
    recorder.Sample(again);
    while (!replay.Done()) {
      replay.Step();
      recorder.Sample(again);
    }
    recorder.Flush(again);
  }
  ASSERT_EQ(again.Counters().steps, end.Counters().steps);
  for (std::size_t k = 0; k < end.State().size(); ++k) {
    EXPECT_EQ(std::memcmp(&end.State()[k], &again.State()[k], sizeof(BodyState)), 0) << k;
  }
  const ColumnFile first = ColumnFile::Read(path), second = ColumnFile::Read(copy);
  for (const ColumnInfo& column : first.Columns()) {
    // What counts work differs by what a restored run does not know of gaps.
    if (column.name == "start/state") continue;
    EXPECT_EQ(first.Values(column.name), second.Values(column.name)) << column.name;
  }
}

TEST(ResultsInputs, ARunIsDoneAgainFromItsResults) {
  Simulation simulation = Scene();
  Recorder recorder = Recorder::Create(File("whole"), simulation, {});
  recorder.Sample(simulation);
  RunTo(60, &recorder, &simulation);
  recorder.Flush(simulation);
  EXPECT_EQ(ReadRun(File("whole")).inputs.size(), 20u + 20u + 9u + 1u);
  EXPECT_TRUE(ReadRun(File("whole")).start.empty());
  ExpectReplayed(File("whole"), simulation);
  // The inputs mattered.
  Simulation alone = Scene();
  while (alone.Counters().steps < 60) alone.Step();
  EXPECT_GT(Norm(alone.State()[2].p_WM - simulation.State()[2].p_WM), 1e-2);
  EXPECT_GT(Norm(alone.State()[1].p_WM - simulation.State()[1].p_WM), 1e-5);
}

// A recording may begin at any time: with what was put in before.
// The program does the same; by itself, and refuses what it cannot do.
TEST(ResultsInputs, TheCommandLineDoesItAgain) {
  Simulation simulation = Scene();
  const std::string path = File("program").string(), again = File("program_again").string();
  {
    Recorder recorder = Recorder::Create(path, simulation, {});
    recorder.Sample(simulation);
    RunTo(45, &recorder, &simulation);  // ends before the scene does
    recorder.Flush(simulation);
  }
  const Outcome done = Call("run --replay " + path + " -o " + again);
  ASSERT_EQ(done.status, 0) << done.text;
  EXPECT_NE(done.text.find("38 inputs"), std::string::npos) << done.text;
  const ColumnFile first = ColumnFile::Read(path), second = ColumnFile::Read(again);
  for (const ColumnInfo& column : first.Columns()) {
    EXPECT_EQ(first.Values(column.name), second.Values(column.name)) << column.name;
  }
  EXPECT_EQ(Call("run --replay " + path).status, 2);
  EXPECT_EQ(Call("run --replay " + path + " -o " + path).status, 2);
  EXPECT_EQ(Call("run --replay nowhere.h5 -o " + again).status, 2);
  EXPECT_EQ(Call("run").status, 2);
  EXPECT_EQ(Call("run scene.yaml --replay " + path + " -o " + again).status, 2);
}

TEST(ResultsInputs, ARecordingThatBeginsLaterHoldsTheStateThere) {
  Simulation simulation = Scene();
  RunTo(25, nullptr, &simulation);
  Recorder recorder = Recorder::Create(File("late"), simulation, {});
  recorder.Sample(simulation);
  RunTo(60, &recorder, &simulation);
  recorder.Flush(simulation);
  EXPECT_EQ(ReadRun(File("late")).start.size() > 100, true);
  EXPECT_EQ(ReadRun(File("late")).inputs.front().step, 25);
  ExpectReplayed(File("late"), simulation);
}

// An input before the first step counts as a later begin, though no step was done.
TEST(ResultsInputs, AnInputBeforeTheRecordingIsNotLost) {
  Simulation simulation = Scene();
  simulation.SetWrench(2, {0, 0.3, 0});
  Recorder recorder = Recorder::Create(File("before"), simulation, {});
  recorder.Sample(simulation);
  for (int k = 0; k < 10; ++k) {
    simulation.Step();
    recorder.Sample(simulation);
  }
  recorder.Flush(simulation);
  EXPECT_TRUE(ReadRun(File("before")).inputs.empty());
  ExpectReplayed(File("before"), simulation);
}

TEST(ResultsInputs, AResumedRunHasEachInputOnce) {
  std::vector<unsigned char> state;
  {
    Simulation simulation = Scene();
    Recorder recorder = Recorder::Create(File("resumed"), simulation, {});
    recorder.Sample(simulation);
    RunTo(22, &recorder, &simulation);  // the next step begins with an input
    state = simulation.Save();
    RunTo(40, &recorder, &simulation);
    recorder.Flush(simulation);
  }
  Simulation simulation = Scene();
  simulation.Restore(state);
  {
    Recorder recorder = Recorder::Resume(File("resumed"), simulation);
    RunTo(60, &recorder, &simulation);
    recorder.Flush(simulation);
  }
  EXPECT_EQ(ReadRun(File("resumed")).inputs.size(), 50u);
  ExpectReplayed(File("resumed"), simulation);
}

TEST(ResultsInputs, InputsAreKeptWhileTheyAreWantedAndNotInClones) {
  Simulation simulation = Scene();
  EXPECT_TRUE(simulation.AtStart());
  auto log = std::make_shared<InputLog>();
  simulation.KeepInputs(log);
  Simulation clone = simulation.Clone();
  clone.SetWrench(2, {1, 0, 0});
  EXPECT_TRUE(log->empty());
  EXPECT_TRUE(simulation.AtStart());
  EXPECT_FALSE(clone.AtStart());
  EXPECT_FALSE(clone.Clone().AtStart());
  simulation.Step();
  EXPECT_FALSE(simulation.AtStart());
  simulation.SetWrench(2, {1, 0, 0}, {0, 2, 0}, {0, 0, 3});
  ASSERT_EQ(log->size(), 1u);
  EXPECT_EQ(log->front().step, 1);
  EXPECT_EQ(log->front().time, simulation.Time());
  EXPECT_EQ(log->front().X.p.z, 3.0);
  EXPECT_THROW(simulation.SetWrench(0, {1, 0, 0}), std::invalid_argument);
  EXPECT_EQ(log->size(), 1u);
  log.reset();
  simulation.SetWrench(2, {2, 0, 0});  // nobody wants to know
}

TEST(ResultsInputs, WhatHoldsNoRunSaysSo) {
  const std::filesystem::path path = File("other");
  ColumnFile::Create(path).Flush();
  try {
    ReadRun(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no run is recorded here"), std::string::npos);
  }
}

}  // namespace
}  // namespace intervox::host
