// `intervox run`: results, summary, interrupts, resumed runs, threads.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"

namespace intervox {
namespace {

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
    const bool sampled =
        column.name.rfind("patches/", 0) != 0 && column.name.rfind("impacts/", 0) != 0;
    if (sampled) {
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

void ExpectSameData(const std::string& a, const std::string& b) {
  const host::ColumnFile x = host::ColumnFile::Read(a);
  const host::ColumnFile y = host::ColumnFile::Read(b);
  const std::vector<host::ColumnInfo> columns = x.Columns();
  ASSERT_EQ(columns.size(), y.Columns().size());
  for (const host::ColumnInfo& column : columns) {
    const std::vector<double> u = x.Values(column.name);
    const std::vector<double> v = y.Values(column.name);
    ASSERT_EQ(u.size(), v.size()) << column.name;
    EXPECT_EQ(std::memcmp(u.data(), v.data(), 8 * u.size()), 0) << column.name;
  }
}

// Starts a run, interrupts it when its results have grown, and returns how it ended.
int Interrupted(const std::string& scene, const std::string& out, int signal) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string program = kProgram;
    execl(program.c_str(), program.c_str(), "run", scene.c_str(), "-o", out.c_str(), "-q",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::string checkpoint = fs::path(out).replace_extension(".checkpoint").string();
  // The program tries for an empty file first, to see whether it may write there.
  const auto saved = [&] {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(checkpoint, error);
    return !error && size > 0 && fs::exists(out);
  };
  for (int i = 0; i < 4000 && !saved(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string LongScene() {
  std::string text = kScene;
  const std::size_t at = text.find("step: 1e-3");
  return text.replace(at, 10, "step: 5e-6");  // slow enough to be interrupted
}

TEST(Cli, InterruptedAndResumedEqualsUninterrupted) {
  const fs::path folder = Folder("resume");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string out = (folder / ("cut" + std::to_string(signal) + ".h5")).string();
    const int status = Interrupted(scene, out, signal);
    EXPECT_EQ(status, signal == SIGKILL ? 128 + SIGKILL : 1);
    const std::vector<double> so_far = host::ColumnFile::Read(out).Values("time");
    EXPECT_LT(so_far.size(), 151u) << "the run ended before the signal";
    const Outcome resumed = Call("run -q --resume " + scene + " -o " + out);
    EXPECT_EQ(resumed.status, 0) << resumed.text;
    ExpectSameData(whole, out);
  }
}

TEST(Cli, ResumeRefusesAnotherSceneAndATruncatedCheckpoint) {
  const fs::path folder = Folder("refuse");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out).status, 0);
  EXPECT_EQ(Call("run -q --resume " + scene + " -o " + out + " --set bodies.ball.mass=3").status,
            2);
  const fs::path checkpoint = folder / "out.checkpoint";
  ASSERT_TRUE(fs::exists(checkpoint));
  fs::resize_file(checkpoint, fs::file_size(checkpoint) / 2);
  const Outcome outcome = Call("run -q --resume " + scene + " -o " + out);
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  EXPECT_NE(outcome.text.find("checkpoint"), std::string::npos) << outcome.text;
  EXPECT_EQ(host::ColumnFile::Read(out).Values("time").size(), 151u);  // still readable
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

}  // namespace
}  // namespace intervox
