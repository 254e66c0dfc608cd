// Results of a resumed run are those of a run that was never stopped, row by row.
#include "host/results/recorder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "host/input/error.h"
#include "host/results/column_file.h"
#include "host/simulation/checkpoint.h"
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

// A checkpoint's mark is that of its results: another run's are refused, and those that hold less.
TEST(RecorderTest, AMarkIsHeldAgainstTheResults) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "intervox_mark";
  std::filesystem::create_directories(folder);
  const auto path = folder / "run.h5", checkpoint = folder / "run.checkpoint";
  ResultsMark mark;
  {
    Simulation simulation = Balls();
    Recorder recorder = Recorder::Create(path, simulation, {});
    Record(0.01, &simulation, &recorder);
    mark = recorder.Mark();
    WriteCheckpoint(checkpoint, simulation.Save(), mark);
    Record(0.015, &simulation, &recorder);
  }
  EXPECT_EQ(mark.samples, 11);
  EXPECT_GE(mark.patches, 11);
  EXPECT_NE(mark.run, 0u);
  const ResultsMark read = ReadMark(checkpoint);
  EXPECT_EQ(read.run, mark.run);
  EXPECT_EQ(read.samples, mark.samples);
  EXPECT_EQ(read.patches, mark.patches);
  Simulation simulation = Balls();
  simulation.Restore(checkpoint);
  const auto resume = [&](ResultsMark of) { Recorder::Resume(path, simulation, of); };
  EXPECT_THROW(resume({mark.run + 1, mark.samples, mark.patches}), InputError);
  EXPECT_THROW(resume({mark.run, mark.samples + 1, mark.patches}), InputError);
  EXPECT_THROW(resume({mark.run, mark.samples, mark.patches + 1}), InputError);
  EXPECT_NO_THROW(resume(mark));
  // The same run goes on under the same number.
  Recorder recorder = Recorder::Resume(path, simulation, mark);
  EXPECT_EQ(recorder.Mark().run, mark.run);
  EXPECT_EQ(recorder.Mark().patches, mark.patches);
  // Every byte of the mark is under its checksum.
  for (int byte = 1; byte <= 32; ++byte) {
    std::fstream file(checkpoint, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-byte, std::ios::end);
    const int was = file.peek();
    file.seekp(-byte, std::ios::end);
    file.put(static_cast<char>(was ^ 1));
    file.close();
    EXPECT_THROW(ReadMark(checkpoint), InputError) << byte;
    std::fstream again(checkpoint, std::ios::in | std::ios::out | std::ios::binary);
    again.seekp(-byte, std::ios::end);
    again.put(static_cast<char>(was));
  }
  EXPECT_NO_THROW(ReadMark(checkpoint));
}

// The last row of each column against what the simulation reports.
class LastRow {
 public:
  explicit LastRow(const ColumnFile& file) : file_(file) {}
  void Is(const std::string& column, std::initializer_list<double> expected,
          std::size_t rows_before_end = 0) const {
    const std::vector<double> values = file_.Values(column);
    const std::size_t end = values.size() - rows_before_end * expected.size();
    ASSERT_GE(end, expected.size()) << column;
    std::size_t at = end - expected.size();
    for (const double value : expected) EXPECT_EQ(values[at++], value) << column;
  }
  void Is(const std::string& column, const Vec3& v, std::size_t rows_before_end = 0) const {
    Is(column, {v.x, v.y, v.z}, rows_before_end);
  }
  void Is(const std::string& column, const Quaternion& q) const {
    Is(column, {q.w, q.x, q.y, q.z});
  }

 private:
  const ColumnFile& file_;
};

TEST(RecorderTest, EveryColumnHoldsItsQuantity) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "intervox_columns.h5";
  Simulation simulation = testing::FromText(
      "duration: 0.02\nintegrator: {step: 1e-3}\nshapes:\n"
      "  floor: {half_space: {normal: [0, 0.1, 1], offset: 0}}\n"
      "  ball: {sphere: {radius: 0.1}}\ncontact_models:\n  default:\n    normal: {model: gonthier, "
      "stiffness: 1e6, restitution: 0.5, relaxation_time: 2}\n    friction: {model: bristle, mu_s: "
      "0.4, mu_c: 0.3, sigma_0: 1e3, sigma_1: 50, v_stribeck: 0.1, dwell_time: 0.2}\n"
      "    rolling: {model: gonthier}\n    spinning: {model: contensou}\nbodies:\n"
      "  floor: {shape: floor, fixed: true}\n"
      "  ball: {shape: ball, mass: 1, pose: {position: [0, 0, 0.1002]}, velocity: {linear: [0.3, "
      "0.2, -0.3], angular: [1, 2, 3]}, wrenches: [{force: [1, 0, 0]}]}\n"
      "sensors: {s: {body: ball, frame: {position: [0, 0.05, 0], rpy_deg: [10, 20, 30]}}}\n");
  Recorder recorder = Recorder::Create(path, simulation, {});
  Record(0.02, &simulation, &recorder);
  const ColumnFile file = ColumnFile::Read(path);
  const LastRow last(file);
  last.Is("time", {simulation.Time()});
  const BodyState& ball = simulation.State()[1];
  last.Is("bodies/ball/position", ball.X_WB.p);
  last.Is("bodies/ball/orientation", ball.q_WB);
  last.Is("bodies/ball/velocity", ball.v_WB);
  last.Is("bodies/ball/angular_velocity", ball.w_WB);
  last.Is("bodies/ball/contact_force", ball.contact_force);
  last.Is("bodies/ball/contact_torque", ball.contact_torque);
  const SensorReading& sensor = simulation.Sensors()[0];
  last.Is("sensors/s/position", sensor.position);
  last.Is("sensors/s/orientation", sensor.orientation);
  last.Is("sensors/s/velocity", sensor.velocity);
  last.Is("sensors/s/angular_velocity", sensor.angular_velocity);
  last.Is("sensors/s/force", sensor.force);
  last.Is("sensors/s/torque", sensor.torque);
  ASSERT_EQ(simulation.Contacts().size(), 1u);
  const ContactReport& patch = simulation.Contacts()[0];
  last.Is("patches/time_index", {20});
  last.Is("patches/time", {simulation.Time()});
  last.Is("patches/id", {static_cast<double>(patch.id)});
  last.Is("patches/body_i", {0});
  last.Is("patches/body_j", {1});
  last.Is("patches/pairs", {1});
  last.Is("patches/volume", {patch.geometry.V});
  last.Is("patches/centroid", patch.geometry.p_WC);
  last.Is("patches/normal", patch.geometry.n);
  last.Is("patches/area_vector", patch.geometry.S);
  const Mat3& J = patch.geometry.J_W;
  last.Is("patches/inertia",
          {J(0, 0), J(0, 1), J(0, 2), J(1, 0), J(1, 1), J(1, 2), J(2, 0), J(2, 1), J(2, 2)});
  last.Is("patches/normal_force", {patch.f_n});
  last.Is("patches/force", patch.force);
  last.Is("patches/torque", patch.torque);
  last.Is("patches/velocity", patch.v_c);
  last.Is("patches/bristle", patch.state.z);
  last.Is("patches/bristle_angle", {patch.state.theta});
  last.Is("patches/dwell", {patch.state.s_dw});
  last.Is("patches/volume_offset", {patch.state.V_o});
  last.Is("patches/approach_speed", {patch.latch.v_i});
  last.Is("patches/damping_factor", {patch.latch.a});
  last.Is("patches/since", {patch.since});
  EXPECT_NE(patch.state.theta, 0.0);
  EXPECT_NE(patch.latch.a, patch.latch.v_i);
  ASSERT_EQ(simulation.Impacts().size(), 1u);
  const ImpactRecord& impact = simulation.Impacts()[0];
  last.Is("impacts/time", {impact.t});
  last.Is("impacts/body_i", {0});
  last.Is("impacts/body_j", {1});
  last.Is("impacts/approach_speed", {impact.approach_speed});
  last.Is("impacts/peak_force", {impact.peak_force});
  const EnergyAudit& energy = simulation.Energy();
  last.Is("energy/kinetic", {energy.kinetic});
  last.Is("energy/gravity", {energy.gravity});
  last.Is("energy/elastic", {energy.elastic});
  last.Is("energy/bristle", {energy.bristle});
  last.Is("energy/dissipated_normal", {energy.dissipated_normal});
  last.Is("energy/dissipated_sliding", {energy.dissipated_sliding});
  last.Is("energy/dissipated_spinning", {energy.dissipated_spinning});
  last.Is("energy/dissipated_rolling", {energy.dissipated_rolling});
  last.Is("energy/work_applied", {energy.work_applied});
  last.Is("energy/work_driven", {energy.work_driven});
  last.Is("energy/work_relaxation", {energy.work_relaxation});
  last.Is("energy/balance", {energy.balance});
}

}  // namespace
}  // namespace intervox::host
