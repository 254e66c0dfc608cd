// `intervox run`: results, summary, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli_runs.h"
#include "host/results/column_file.h"

namespace intervox {
namespace {

// Of a nut on its bolt the summary said that -0.35 mJ were stored and 0.40 mJ damped, of 0.65 mJ in
// all: what the law had given, and the bounds of passive contacts had taken back, was in both.
TEST(Cli, SummariesKeepWhatTheLawGaveApart) {
  const fs::path folder = Folder("summary");
  const std::string scene = Write(
      folder / "groove.yaml",
      "schema: intervox/scene/2\nname: groove\nduration: 0.5\ncontact_models:\n  default: {normal: "
      "{model: gonthier, stiffness: 2e5, restitution: 1}}\nbodies:\n  groove: {fixed: true, shape: "
      "{union: [{half_space: {normal: [0.74, 0, 0.6726], offset: 0}}, {half_space: {normal: "
      "[-0.74, "
      "0, 0.6726], offset: 0}}]}}\n  part: {shape: {box: {size: [0.1, 0.06, 0.08]}}, mass: 1, "
      "pose: "
      "{position: [0, 0, 0.12], rpy_deg: [10, 25, 5]}}\n");
  const Outcome outcome = Call("run " + scene + " -o " + (folder / "out.h5").string());
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const auto number = [&](const std::string& before) {
    const std::size_t at = outcome.text.find(before);
    return at == std::string::npos ? NAN : std::stod(outcome.text.substr(at + before.size()));
  };
  EXPECT_GE(number("stored "), 0) << outcome.text;
  EXPECT_NE(outcome.text.find("taken back at once"), std::string::npos) << outcome.text;
  // What is there is what was there at the start, nothing, and what the law gave.
  const double sign = outcome.text.find("kept of what was put in") == std::string::npos ? 1 : -1;
  EXPECT_NEAR(
      number("kinetic ") + number("gravity ") + number("stored ") + number("dissipated     "),
      sign * number("by the law     ") + number("left over      "), 1e-3 * -number("gravity "))
      << outcome.text;
}

// A box that is put down on a soft floor is damped like an impact at the v_small that it is given,
// and goes on settling for longer than the run: 0.72/(0.5 v_small) times its depth of 1 mm. That is
// told; by default, and with a larger v_small, there is nothing to tell.
TEST(Cli, RunTellsWhatStillSettles) {
  const fs::path folder = Folder("settling");
  const std::string scene = Write(
      folder / "soft.yaml",
      "schema: intervox/scene/2\nduration: 2\nintegrator: {step: 2e-3}\ncontact_models:\n  "
      "default: "
      "{normal: {model: gonthier, stiffness: 1e6, restitution: 0.5}}\nbodies:\n  floor: {fixed: "
      "true, shape: {half_space: {normal: [0, 0, 1], offset: 0}}}\n  box: {mass: 100, shape: {box: "
      "{size: [1, 1, 0.4]}}, pose: {position: [0, 0, 0.1992]}}\n");
  const std::string run = "run -q " + scene + " -o " + (folder / "out.h5").string();
  const std::string v_small = " --set contact_models.default.normal.v_small=";
  const Outcome slow = Call(run + v_small + "1e-4");
  EXPECT_EQ(slow.status, 0) << slow.text;
  EXPECT_NE(slow.text.find("floor and box settle into each other with a time constant of 1"),
            std::string::npos)
      << slow.text;
  for (const std::string& fast : {run, run + v_small + "0.01"}) {
    const Outcome outcome = Call(fast);
    EXPECT_EQ(outcome.text.find("settle into"), std::string::npos) << fast << "\n" << outcome.text;
  }
}

TEST(Cli, RunWritesResultsAndASummary) {
  const fs::path folder = Folder("run");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const Outcome outcome = Call("run " + scene + " -o " + out);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  for (const char* word :
       {"impacts", "peak", "at rest since", "dissipated", "real time", "steps"}) {
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word;
  }
  const host::ColumnFile file = host::ColumnFile::Read(out);
  EXPECT_EQ(file.Attribute("schema"), "intervox/results/1");
  EXPECT_NE(file.Attribute("scene").find("name: \"drop\""), std::string::npos);
  EXPECT_EQ(file.Attribute("source"), kScene);
  EXPECT_FALSE(file.Attribute("commit").empty());
  EXPECT_FALSE(file.Attribute("device").empty());
  const std::vector<double> time = file.Values("time");
  ASSERT_EQ(time.size(), 151u);  // 0, 2, …, 300 ms
  EXPECT_NEAR(time[100], 0.2, 1e-12);
  const std::vector<double> position = file.Values("bodies/ball/position");
  // Free fall by 0.05 m takes 0.101 s.
  EXPECT_NEAR(position[3 * 50 + 2], 0.15 - 0.5 * 9.81 * 0.1 * 0.1, 1e-9);
  for (const host::ColumnInfo& column : file.Columns()) {
    EXPECT_FALSE(column.units.empty()) << column.name;
    const std::string group = column.name.substr(0, column.name.find('/'));
    if (group == "inputs" || group == "start") {
      EXPECT_EQ(column.rows, 0) << column.name;
    } else if (group != "patches" && group != "impacts") {
      EXPECT_EQ(column.rows, 151) << column.name;
    }
  }
  const std::vector<double> index = file.Values("patches/time_index");
  ASSERT_FALSE(index.empty());
  EXPECT_TRUE(std::is_sorted(index.begin(), index.end()));
  EXPECT_EQ(file.Values("patches/normal").size(), 3 * index.size());
  EXPECT_GE(file.Values("impacts/peak_force").size(), 1u);

  EXPECT_EQ(Call("info " + out).status, 0);
  EXPECT_EQ(Call("info " + scene).status, 0);
  EXPECT_EQ(Call("info " + kData + "/examples/pairs.yaml").status, 0);
  // Cells say which CSG node they come from.
  const Outcome cells = Call("info --cells " + kData + "/scenes/battery_box.yaml");
  EXPECT_NE(cells.text.find("hull"), std::string::npos) << cells.text;
  EXPECT_NE(cells.text.find("socket"), std::string::npos) << cells.text;
  const Outcome effective = Call("info --scene " + out);
  EXPECT_EQ(effective.text, file.Attribute("scene"));
  const std::string csv = (folder / "csv").string();
  EXPECT_EQ(Call("export " + out + " -o " + csv).status, 0);
  std::ifstream energy(csv + "/energy.csv");
  std::string head;
  std::getline(energy, head);
  EXPECT_EQ(head.substr(0, 8), "time [s]");
  EXPECT_NE(head.find("kinetic [J]"), std::string::npos) << head;
  EXPECT_TRUE(fs::exists(csv + "/bodies_ball.csv"));
  std::ifstream patches(csv + "/patches.csv");
  std::getline(patches, head);
  EXPECT_EQ(head.substr(0, 8), "time [s]");
}

// Every quantity that docs/scene_format.md promises, with its units and numbers in a row.
TEST(Cli, ResultsHoldEveryQuantityWithItsUnits) {
  const fs::path folder = Folder("quantities");
  const std::string out = (folder / "out.h5").string();
  const std::string scene = Write(folder / "scene.yaml", kScene);
  ASSERT_EQ(Call("run -q " + scene + " -o " + out).status, 0);
  std::map<std::string, std::string> expected = {{"time", "s 1"},
                                                 {"patches/id", "1 1"},
                                                 {"patches/time_index", "1 1"},
                                                 {"patches/body_i", "1 1"},
                                                 {"patches/body_j", "1 1"},
                                                 {"patches/pairs", "1 1"},
                                                 {"patches/time", "s 1"},
                                                 {"patches/volume", "m^3 1"},
                                                 {"patches/depth", "m 1"},
                                                 {"patches/centroid", "m 3"},
                                                 {"patches/normal", "1 3"},
                                                 {"patches/area_vector", "m^2 3"},
                                                 {"patches/inertia", "m^5 9"},
                                                 {"patches/normal_force", "N 1"},
                                                 {"patches/force", "N 3"},
                                                 {"patches/torque", "N*m 3"},
                                                 {"patches/velocity", "m/s 3"},
                                                 {"patches/bristle", "m 3"},
                                                 {"patches/bristle_angle", "rad 1"},
                                                 {"patches/dwell", "1 1"},
                                                 {"patches/volume_offset", "m^3 1"},
                                                 {"patches/approach_speed", "m/s 1"},
                                                 {"patches/damping_factor", "s/m 1"},
                                                 {"patches/since", "s 1"},
                                                 {"energy/dissipated_numerical", "J 1"},
                                                 {"energy/law_gain", "J 1"},
                                                 {"impacts/time", "s 1"},
                                                 {"impacts/body_i", "1 1"},
                                                 {"impacts/body_j", "1 1"},
                                                 {"impacts/approach_speed", "m/s 1"},
                                                 {"impacts/peak_force", "N 1"},
                                                 {"inputs/step", "1 1"},
                                                 {"inputs/kind", "1 1"},
                                                 {"inputs/body", "1 1"},
                                                 {"inputs/time", "s 1"},
                                                 {"inputs/position", "m 3"},
                                                 {"inputs/rotation", "1 9"},
                                                 {"inputs/linear", "N or m/s 3"},
                                                 {"inputs/angular", "N*m or rad/s 3"},
                                                 {"start/state", "1 1"}};
  for (const std::string group : {"bodies/ball/", "bodies/floor/", "sensors/s/"}) {
    const std::string wrench = group[0] == 'b' ? "contact_" : "";
    for (const auto& [name, what] : {std::pair{"position", "m 3"},
                                     {"orientation", "1 4"},
                                     {"velocity", "m/s 3"},
                                     {"angular_velocity", "rad/s 3"}}) {
      expected[group + name] = what;
    }
    expected[group + wrench + "force"] = "N 3";
    expected[group + wrench + "torque"] = "N*m 3";
  }
  for (const std::string term : {"kinetic", "gravity", "elastic", "bristle", "dissipated_normal",
                                 "dissipated_sliding", "dissipated_spinning", "dissipated_rolling",
                                 "work_applied", "work_driven", "work_relaxation", "balance"}) {
    expected["energy/" + term] = "J 1";
  }
  const host::ColumnFile file = host::ColumnFile::Read(out);
  std::map<std::string, std::string> found;
  for (const host::ColumnInfo& column : file.Columns()) {
    found[column.name] = column.units + " " + std::to_string(column.width);
  }
  EXPECT_EQ(found, expected);
  // The audit closes at every sample, not at the end only.
  const auto energy = [&](const std::string& term) { return file.Values("energy/" + term); };
  std::vector<double> sum(file.Values("time").size());
  for (const auto& [name, sign] : {std::pair{"kinetic", 1.0},
                                   {"gravity", 1.0},
                                   {"elastic", 1.0},
                                   {"bristle", 1.0},
                                   {"dissipated_normal", 1.0},
                                   {"dissipated_sliding", 1.0},
                                   {"dissipated_spinning", 1.0},
                                   {"dissipated_rolling", 1.0},
                                   {"work_applied", -1.0},
                                   {"work_driven", -1.0},
                                   {"work_relaxation", -1.0}}) {
    const std::vector<double> term = energy(name);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += sign * term[i];
  }
  const std::vector<double> balance = energy("balance");
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i] - sum[0], balance[i], 1e-12) << i;
    EXPECT_LT(std::fabs(balance[i]), 1e-2 * 2 * 9.81 * 0.05) << i;
  }
}

// A brick drops into a soft groove and wraps around its corner: with nothing to damp it the law
// gives a seventh of what goes through. Points have a potential, and there is nothing to say.
TEST(Cli, RunWarnsOfWhatTheNormalLawGives) {
  const fs::path folder = Folder("cli_law");
  const std::string scene =
      Write(folder / "scene.yaml",
            "schema: intervox/scene/2\nname: law\nduration: 1\nintegrator: {step: 1e-3}\n"
            "contact_models:\n"
            "  default: {normal: {model: gonthier, stiffness: 2e5, restitution: 1, passive: 0}}\n"
            "bodies:\n"
            "  groove:\n"
            "    fixed: true\n"
            "    shape:\n"
            "      union:\n"
            "        - {half_space: {normal: [0.74, 0, 0.6726], offset: 0}}\n"
            "        - {half_space: {normal: [-0.74, 0, 0.6726], offset: 0}}\n"
            "  brick: {shape: {box: {size: [0.1, 0.06, 0.08]}}, mass: 1,\n"
            "          pose: {position: [0, 0, 0.12], rpy_deg: [10, 25, 5]}}\n");
  const std::string run = "run " + scene + " -q -o " + (folder / "r.h5").string();
  const Outcome elastic = Call(run);
  EXPECT_EQ(elastic.status, 0) << elastic.text;
  EXPECT_NE(elastic.text.find("the normal law gave"), std::string::npos) << elastic.text;
  EXPECT_NE(elastic.text.find("conserving"), std::string::npos) << elastic.text;
  const Outcome passive = Call(run + " --set contact_models.default.normal.passive=1");
  EXPECT_EQ(passive.status, 0) << passive.text;
  EXPECT_EQ(passive.text.find("the normal law"), std::string::npos) << passive.text;
  const Outcome points = Call(run + " --set contact_models.default.geometry=points");
  EXPECT_EQ(points.status, 0) << points.text;
  EXPECT_EQ(points.text.find("the normal law"), std::string::npos) << points.text;
}

TEST(Cli, ThreadsDoNotChangeBits) {
  const fs::path folder = Folder("threads");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string one = (folder / "one.h5").string();
  const std::string two = (folder / "two.h5").string();
  ASSERT_EQ(Call("run -q --threads 1 " + scene + " -o " + one).status, 0);
  ASSERT_EQ(Call("run -q --threads 3 " + scene + " -o " + two).status, 0);
  ExpectSameData(one, two);
}

// What the integrator leaves over beyond a hundredth of what went through is told; a scene at rest
// and one that starts in overlap have nothing to tell of.
TEST(Cli, RunTellsOfEnergyThatIsLeftOver) {
  const fs::path folder = Folder("run_balance");
  const std::string out = " -o " + (folder / "out.h5").string();
  const std::string tumbling = Write(
      folder / "tumbling.yaml",
      "schema: intervox/scene/2\nduration: 0.3\nintegrator: {step: 1e-3, method: rk4}\nbodies:\n"
      "  box: {shape: {box: {size: [0.1, 0.05, 0.02]}}, mass: 1, wrenches: [{to: 1, torque: "
      "[1e-9, 0, 0]}], velocity: {angular: [300, 1000, 10]}}\n");
  Outcome outcome = Call("run -q " + tumbling + out);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("the integrator left"), std::string::npos) << outcome.text;
  outcome = Call("run -q --set integrator.step=1e-5 " + tumbling + out);
  EXPECT_EQ(outcome.text, "");
  for (const char* type : {"spherical", "fixed"}) {
    for (const char* place : {"0", "10"}) {
      const std::string hanging = Write(
          folder / "hanging.yaml",
          std::string("schema: intervox/scene/2\nduration: 0.2\nbodies:\n  box: {shape: {box: "
                      "{size: [0.1, 0.1, 0.1]}}, mass: 1, pose: {position: [") +
              place + ", 0, 0]}}\njoints: {j: {type: " + type + ", bodies: [box, world], point: [" +
              place + ", 0, 0]}}\n");
      EXPECT_EQ(Call("run -q " + hanging + out).text, "") << type << place;
    }
  }
  for (const char* depth : {"9.81e-6", "1e-4", "3e-3"}) {
    const std::string resting = Write(
        folder / "resting.yaml",
        std::string("schema: intervox/scene/2\nduration: 0.2\ncontact_models: {default: {normal: "
                    "{model: gonthier, stiffness: 1e8, restitution: 0.5}}}\nbodies:\n  floor: "
                    "{shape: {half_space: {normal: [0, 0, 1], offset: ") +
            depth +
            "}}, fixed: true}\n  box: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, pose: "
            "{position: [0, 0, 0.05]}}\n");
    EXPECT_EQ(Call("run -q " + resting + out).text, "") << depth;
  }
}

// A mesh and a grid are written aside: what stood there stays where the new one cannot be written.
TEST(Cli, WhatCannotBeWrittenReplacesNothing) {
  const fs::path folder = Folder("replace");
  const std::string scene = kData + "/../examples/ball.yaml";
  const std::string limit = "ulimit -f 8; ";
  for (const std::string& command :
       {"mesh " + scene + " -o " + (folder / "ball.stl").string(),
        "rasterize " + scene + " --shape ball -o " + (folder / "ball.vdb").string()}) {
    const std::string file = command.substr(command.rfind(' ') + 1);
    if (Call(command).status == 2) continue;  // without OpenVDB
    const std::string before = TextOf(file);
    ASSERT_GT(before.size(), 1u << 14);
    EXPECT_NE(Call(command, true, limit).status, 0);
    EXPECT_TRUE(TextOf(file) == before) << file;
  }
}

}  // namespace
}  // namespace intervox
