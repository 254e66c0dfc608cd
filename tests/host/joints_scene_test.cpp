// Joints in scene files: what they read as, and what their errors name.
#include <gtest/gtest.h>

#include <filesystem>

#include "host/input/error.h"
#include "host/results/column_file.h"
#include "host/results/recorder.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

const std::string kBodies = R"(
contacts: [{bodies: ["*", "*"], model: none}]
duration: 0.1
integrator: {method: ark3, step: 1e-3}
output: {every: 0.02}
bodies:
  post: {shape: {box: {size: [0.1, 0.1, 0.1]}}, fixed: true}
  arm: {shape: {box: {size: [0.5, 0.05, 0.05]}}, mass: 2, pose: {position: [0.25, 0, 0]}}
  tray: {shape: {box: {size: [0.1, 0.1, 0.02]}}, mass: 1, pose: {position: [0.5, 0, 0]}}
joints:
)";

/** The message about a scene's joints; empty: they are taken. */
std::string Refusal(const std::string& joints) {
  try {
    FromText(kBodies + joints, 2);
    return "";
  } catch (const host::InputError& error) {
    return error.what();
  }
}

void ExpectRefusal(const std::string& joints, const std::vector<std::string>& words) {
  const std::string what = Refusal(joints);
  for (const std::string& word : words) {
    EXPECT_NE(what.find(word), std::string::npos) << joints << what;
  }
}

TEST(JointScene, BadInputIsToldWithLineKeyLimitAndRemedy) {
  const std::string arm = "  hinge: {type: revolute, bodies: [arm, post], axis: [0, 1, 0]";
  EXPECT_EQ(Refusal(arm + "}"), "");
  ExpectRefusal("  hinge: {type: hinge, bodies: [arm, post]}",
                {"test.yaml:13", "joints.hinge.type", "'hinge'", "revolute"});
  ExpectRefusal("  hinge: {type: revolute, bodies: [arm]}", {"joints.hinge.bodies", "at least 2"});
  ExpectRefusal("  hinge: {type: revolute, bodies: [arm, pots]}",
                {"test.yaml:13", "joints.hinge.bodies", "pots", "post"});
  ExpectRefusal("  hinge: {type: revolute, bodies: [arm, arm]}", {"itself", "Name two"});
  ExpectRefusal("  hinge: {type: revolute, bodies: [post, world]}",
                {"joints.hinge.bodies", "neither body is free", "at least one"});
  ExpectRefusal("  hinge: {type: revolute, bodies: [arm, post], axis: [0, 0, 0]}",
                {"joints.hinge.axis", "zero"});
  ExpectRefusal(
      arm + ", second: {point: [0, 0, 0.001], axis: [0, 1, 0]}}",
      {"joints.hinge.second", "cannot close", "arm and post", "0.001 m", "1e-06", "Move"});
  ExpectRefusal(arm + ", second: {axis: [0, 1, 0.01]}}",
                {"joints.hinge.second", "cannot close", "rad apart", "1e-06", "Turn"});
  EXPECT_EQ(Refusal(arm + ", second: {axis: [0, 2, 0]}}"), "");
  // A ball turns any way in its socket.
  EXPECT_EQ(Refusal("  ball: {type: spherical, bodies: [arm, post], second: {axis: [1, 0, 0]}}"),
            "");
  ExpectRefusal(arm + ", drive: {velocity: 1, force_limit: 0}}",
                {"joints.hinge.drive.force_limit", "0"});
  ExpectRefusal(arm + ", drive: {velocity: 1}}", {"joints.hinge.drive", "force_limit"});
  ExpectRefusal(arm +
                    ", drive: {velocity: 1, force_limit: 1}, motion: {keys: [{t: 0, position: "
                    "0}]}}",
                {"joints.hinge", "only one of"});
  ExpectRefusal(arm + ", motion: {keys: [{t: 0, position: 0.1}]}}",
                {"joints.hinge.motion", "0.1 off at the start", "position 0"});
  ExpectRefusal(arm + ", motion: {keys: [{t: 1, position: 0}, {t: 1, position: 1}]}}",
                {"joints.hinge.motion.keys[1].t", "ascend"});
  ExpectRefusal(
      "  ball: {type: spherical, bodies: [arm, post], drive: {velocity: 1, force_limit: 1}}",
      {"joints.ball.drive", "no single free coordinate"});
  ExpectRefusal(arm + ", spin: 3}", {"joints.hinge", "unknown key 'spin'"});
}

TEST(JointScene, StartVelocitiesThatAJointForbidsAreRefused) {
  const std::string text = R"(
contacts: [{bodies: ["*", "*"], model: none}]
bodies:
  arm: {shape: {box: {size: [0.5, 0.05, 0.05]}}, mass: 2, pose: {position: [0.25, 0, 0]}, velocity: {linear: [0, 0, 0.1]}}
joints:
  hinge: {type: revolute, bodies: [arm, world], axis: [0, 1, 0]}
)";
  try {
    FromText(text, 2);
    FAIL();
  } catch (const host::InputError& error) {
    const std::string what = error.what();
    for (const char* word : {"joints.hinge", "arm and world", "0.1", "1.1e-06", "one motion"}) {
      EXPECT_NE(what.find(word), std::string::npos) << what;
    }
  }
}

// A table that stops at once would take what is joined to it along, and its energy, unseen.
TEST(JointScene, ADrivenBodyThatStopsAtOnceIsRefused) {
  const auto refusal = [](double first, double last, double speed) {
    const std::string moves = "velocity: [" + std::to_string(speed) + ", 0, 0]";
    const std::string shift = std::to_string(speed * (last - first));
    try {
      FromText(
          "contacts: [{bodies: [\"*\", \"*\"], model: none}]\nduration: 1\nbodies:\n"
          "  table: {shape: {box: {size: [1, 1, 0.1]}}, motion: {keys: [{t: " +
              std::to_string(first) + ", position: [0, 0, 0], " + moves +
              "}, {t: " + std::to_string(last) + ", position: [" + shift + ", 0, 0], " + moves +
              "}]}}\n  part: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, pose: {position: "
              "[0, 0, 0.1]}, velocity: {linear: [" +
              std::to_string(first > 0 ? 0.0 : speed) +
              ", 0, 0]}}\njoints:\n  weld: {type: fixed, bodies: [part, table]}\n",
          2);
      return std::string();
    } catch (const host::InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal(0, 1.0, 0.5), "");
  EXPECT_EQ(refusal(0, 0.4, 0), "");
  for (const char* word : {"joints.weld.bodies", "table ends at 0.4 s", "0.5 m/s", "velocity 0"}) {
    EXPECT_NE(refusal(0, 0.4, 0.5).find(word), std::string::npos) << refusal(0, 0.4, 0.5);
  }
  EXPECT_NE(refusal(0.2, 2, 0.5).find("table begins at 0.2 s"), std::string::npos)
      << refusal(0.2, 2, 0.5);
}

TEST(JointScene, ReadsBackWhatItWrites) {
  const std::string joints =
      R"(  hinge: {type: revolute, bodies: [arm, post], point: [0, 0.1, 0], axis: [0, 1, 0], drive: {velocity: 2, force_limit: 3, dead_band: 0.1, band: 0.2}, contact: true}
  slide: {type: prismatic, bodies: [tray, arm], frame: body, axis: [1, 0, 0], second: {point: [0.25, 0, 0], axis: [1, 0, 0]}, motion: {keys: [{t: 0, position: 0}, {t: 0.05, position: 0.01, velocity: 0.1}]}}
)";
  const Simulation first = FromText(kBodies + joints, 2);
  const std::string text = ToYaml(first.GetScene());
  const Scene again = host::ParseScene(text, "again.yaml", {});
  EXPECT_EQ(ToYaml(again), text);
  ASSERT_EQ(again.joints.size(), 2u);
  EXPECT_EQ(again.joints[0].drive->dead_band, 0.1);
  EXPECT_EQ(again.joints[1].motion[1].velocity, 0.1);
  EXPECT_TRUE(again.joints[0].contact && !again.joints[1].contact);
  EXPECT_TRUE(again.joints[1].in_body && again.joints[1].second.has_value());
}

TEST(JointScene, ResultsHoldCoordinatesForcesAndErrors) {
  const std::string joints = R"(  hinge: {type: revolute, bodies: [arm, post], axis: [0, 1, 0]}
  slide: {type: prismatic, bodies: [tray, arm], point: [0.5, 0, 0], axis: [1, 0, 0]}
)";
  Simulation simulation = FromText(kBodies + joints, 2);
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) /
                                     ("joints-" + std::to_string(::getpid()) + ".h5");
  {
    host::Recorder recorder = host::Recorder::Create(path, simulation, {"v", "c", "d"});
    while (!simulation.Done()) {
      recorder.Sample(simulation);
      simulation.Step();
    }
    recorder.Sample(simulation);
    recorder.Flush(simulation);
  }
  const host::ColumnFile file = host::ColumnFile::Read(path);
  const std::vector<double> angle = file.Values("joints/hinge/angle");
  EXPECT_EQ(angle.back(), simulation.Joints()[0].coordinate);
  EXPECT_GT(angle.back(), 0.05);
  EXPECT_EQ(file.Values("joints/slide/displacement").back(), simulation.Joints()[1].coordinate);
  EXPECT_EQ(file.Values("joints/slide/rate").back(), simulation.Joints()[1].rate);
  const std::vector<double> force = file.Values("joints/hinge/force");
  EXPECT_EQ(force[force.size() - 1], simulation.Joints()[0].force.z);
  EXPECT_EQ(force.size(), 3 * angle.size());
  for (const double error : file.Values("joints/slide/error")) EXPECT_LE(error, 1e-10);
  std::filesystem::remove(path);
}

TEST(JointControl, ABodyInAJointIsNotPlaced) {
  Simulation simulation =
      FromText(kBodies + "  hinge: {type: revolute, bodies: [arm, post], axis: [0, 1, 0]}", 2);
  try {
    simulation.SetState(1, {Mat3::Identity(), {0, 0, 1}});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("joint hinge"), std::string::npos) << error.what();
  }
  simulation.SetState(2, {Mat3::Identity(), {0, 0, 1}});  // the tray is in none
  EXPECT_EQ(simulation.State()[2].X_WB.p.z, 1.0);
}

}  // namespace
}  // namespace intervox
