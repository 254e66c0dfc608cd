// Results of a resumed run are those of a run that was never stopped, row by row.
#include "host/results/recorder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/results/column_file.h"
#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

// A ball that lies on the floor, so that each sample has a patch, and one that falls onto it.
Simulation Balls() {
  return testing::FromText(
      "duration: 0.02\nintegrator: {step: 1e-3}\n"
      "shapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "  ball: {sphere: {radius: 0.1}}\ncontact_models: {default: {normal: {model: gonthier, "
      "stiffness: 1e6, restitution: 0.5}}}\nbodies:\n  floor: {shape: floor, fixed: true}\n"
      "  low: {shape: ball, mass: 1, pose: {position: [0, 0, 0.0995]}}\n"
      "  high: {shape: ball, mass: 1, pose: {position: [1, 0, 0.1003]}, velocity: {linear: [0, 0, "
      "-0.1]}}\n");
}

void Record(double until, Simulation* simulation, Recorder* recorder) {
  recorder->Sample(*simulation);
  while (simulation->Time() < until - 5e-4) {
    simulation->Step();
    recorder->Sample(*simulation);
  }
  recorder->Flush(*simulation);
}

TEST(RecorderTest, AResumedRunCutsWhatCameAfterItsCheckpoint) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "intervox_recorder";
  std::filesystem::create_directories(folder);
  const auto whole_path = folder / "whole.h5", path = folder / "cut.h5";
  const auto checkpoint = folder / "cut.checkpoint";
  {
    Simulation simulation = Balls();
    Recorder recorder = Recorder::Create(whole_path, simulation, {});
    Record(0.02, &simulation, &recorder);
  }
  const ColumnFile whole = ColumnFile::Read(whole_path);
  ASSERT_GT(whole.Values("patches/id").size(), 30u);
  ASSERT_GT(whole.Values("impacts/time").size(), 0u);
  // Steps until the checkpoint, and until the run is stopped.
  for (const auto& [saved, stopped] :
       {std::pair{0, 20}, {1, 2}, {5, 5}, {5, 6}, {5, 14}, {19, 20}}) {
    {
      Simulation simulation = Balls();
      Recorder recorder = Recorder::Create(path, simulation, {});
      Record(1e-3 * saved, &simulation, &recorder);
      simulation.Save(checkpoint);
      Record(1e-3 * stopped, &simulation, &recorder);
    }
    {
      Simulation simulation = Balls();
      simulation.Restore(checkpoint);
      Recorder recorder = Recorder::Resume(path, simulation);
      Record(0.02, &simulation, &recorder);
    }
    const ColumnFile resumed = ColumnFile::Read(path);
    ASSERT_EQ(resumed.Columns().size(), whole.Columns().size());
    for (const ColumnInfo& column : whole.Columns()) {
      EXPECT_EQ(resumed.Values(column.name), whole.Values(column.name))
          << column.name << " from " << saved << " stopped at " << stopped;
    }
  }
}

}  // namespace
}  // namespace intervox::host
