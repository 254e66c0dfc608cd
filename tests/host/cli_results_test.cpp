// Results as other programs read them: rows of patches and samples agree, and failures are told.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"

namespace intervox {
namespace {

TEST(Cli, EveryPatchPointsAtTheSampleItWasTakenIn) {
  const fs::path folder = Folder("time_index");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out).status, 0);
  const host::ColumnFile file = host::ColumnFile::Read(out);
  const std::vector<double> time = file.Values("time");
  const std::vector<double> index = file.Values("patches/time_index");
  const std::vector<double> patch_time = file.Values("patches/time");
  const std::vector<double> force = file.Values("patches/force");
  const std::vector<double> body_force = file.Values("bodies/ball/contact_force");
  ASSERT_GT(index.size(), 3u);
  ASSERT_EQ(index.size(), patch_time.size());
  std::vector<bool> touched(time.size());
  for (std::size_t k = 0; k < index.size(); ++k) {
    const auto i = static_cast<std::size_t>(index[k]);
    ASSERT_LT(i, time.size());
    EXPECT_EQ(time[i], patch_time[k]) << k;
    touched[i] = true;
    // One patch: what it does to body i, the floor, it does to the ball the other way.
    EXPECT_EQ(body_force[3 * i + 2], -force[3 * k + 2]) << k;
  }
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (!touched[i]) {
      EXPECT_EQ(body_force[3 * i + 2], 0.0) << i;
    }
  }
}

TEST(Cli, FailuresOfTheEngineAreWarnedOfAndCounted) {
  const fs::path folder = Folder("failures");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const auto failures = [&](const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    return std::stod(host::ColumnFile::Read(out).Attribute("summary_engine_failures"));
  };
  const Outcome bad = Call("run " + scene + " -o " + out + " --set engine.leaf_rule=polytope");
  EXPECT_GT(failures(bad), 50.0);
  EXPECT_NE(bad.text.find("warning"), std::string::npos) << bad.text;
  EXPECT_EQ(bad.text.find(" 0 engine failures"), std::string::npos) << bad.text;
  const Outcome good = Call("run " + scene + " -o " + out);
  EXPECT_EQ(failures(good), 0.0);
  EXPECT_EQ(good.text.find("warning"), std::string::npos) << good.text;
  EXPECT_NE(good.text.find(" 0 engine failures"), std::string::npos) << good.text;
}

// File systems take names of 255 bytes, and bodies may have longer ones that differ at their ends.
TEST(Cli, BodiesOfLongNamesAreExported) {
  const fs::path folder = Folder("long_names");
  std::string text = kScene, name;
  for (int k = 0; k < 150; ++k) name += "é";
  const std::size_t bodies = text.find("bodies:\n") + 8;
  for (const char* end : {"a", "b"}) {
    text.insert(
        bodies,
        "  " + name + end +
            ": {shape: {box: {size: [1, 1, 1]}}, fixed: true, pose: {position: [9, 9, 9]}}\n");
  }
  const std::string scene = Write(folder / "scene.yaml", text), out = (folder / "out.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out + " --set duration=0.01").status, 0);
  const Outcome outcome = Call("export " + out + " -o " + (folder / "csv").string());
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder / "csv")) {
    files += entry.path().filename().string().starts_with("bodies_éé") ? 1 : 0;
  }
  EXPECT_EQ(files, 2);
}

TEST(Cli, ResultsOfTooLongANameAreRefusedWithTheReason) {
  const std::string scene = Write(Folder("too_long") / "scene.yaml", kScene);
  const Outcome longer = Call("run -q " + scene + " -o " + std::string(300, 'n') + ".h5");
  EXPECT_EQ(longer.status, 2);
  EXPECT_NE(longer.text.find("File name too long"), std::string::npos) << longer.text;
}

// A ball that hangs in the air without gravity has been at rest since 0, one that is pushed at 0.1
// s is not at rest at the end, and one whose push has been taken back at 0.2 s is since then.
TEST(Cli, TheSummarySaysSinceWhenAllRests) {
  const fs::path folder = Folder("rest");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const auto rest = [&](const std::string& wrenches, bool moves) {
    const Outcome outcome =
        Call("run " + scene + " -o " + out +
             " --set 'gravity=[0,0,0]' --set 'bodies.ball.pose.position=[0,0,5]' --set "
             "'bodies.ball.velocity.linear=[0,0,0]' --set 'bodies.ball.wrenches=[" +
             wrenches + "]'");
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("at rest since"), std::string::npos);
    EXPECT_EQ(outcome.text.find("still moving") != std::string::npos, moves) << outcome.text;
    return std::stod(host::ColumnFile::Read(out).Attribute("summary_rest_time"));
  };
  EXPECT_EQ(rest("", false), 0.0);
  const std::string push = "{from: 0.1, to: 0.101, force: [0, 0, 20000]}";
  EXPECT_EQ(rest(push, true), -1.0);
  EXPECT_NEAR(rest(push + ", {from: 0.199, to: 0.2, force: [0, 0, -20000]}", false), 0.2, 1.01e-3);
}

}  // namespace
}  // namespace intervox
