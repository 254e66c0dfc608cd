// `intervox batch` as scripts call it: output, refusals, kills, replays, full disks.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <regex>
#include <thread>

#include "batch_files.h"
#include "cli_call.h"
#include "host/batch/journal.h"
#include "host/results/column_file.h"
#include "parts_files.h"

namespace intervox {
namespace {

TEST(CliBatch, LeavesATableAndSaysWhatCameOut) {
  const fs::path path = host::WriteBallBatch("cli", host::kBallSample);
  const std::string out = (path.parent_path() / "out").string();
  const Outcome outcome = Call("batch " + path.string() + " -o " + out);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  for (const char* word : {"12 of 12 runs", "0 failed", "bounced", "95 % interval", "peak"}) {
    EXPECT_NE(outcome.text.find(word), std::string::npos) << outcome.text;
  }
  const host::ColumnFile file = host::ColumnFile::Read(out + "/batch.h5");
  EXPECT_EQ(file.Attribute("schema"), "intervox/batch-results/1");
  EXPECT_EQ(std::stod(file.Attribute("seed")), 7);
  for (const double status : file.Values("runs/status")) EXPECT_EQ(status, 1);
  EXPECT_EQ(file.Values("runs/params/bodies.ball.mass").size(), 12u);
  EXPECT_EQ(file.Values("runs/outcome/peak").size(), 12u);
  const Outcome again = Call("batch " + path.string() + " -o " + out);
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.text.find("--resume"), std::string::npos) << again.text;
  EXPECT_EQ(Call("batch " + path.string() + " -o " + out + " --resume").status, 0);
  EXPECT_EQ(Call("batch " + path.string() + " -o " + out + " --retry-failed").status, 0);
  EXPECT_EQ(Call("batch " + path.string() + " -o " + out + " --resume --number 14").status, 0);
  EXPECT_EQ(host::ColumnFile::Read(out + "/batch.h5").Values("runs/id").size(), 14u);
}

TEST(CliBatch, WarnsOfItsSceneOnceHoweverManyRuns) {
  const fs::path path = host::WriteBallBatch("cli_warn", host::kBallSample);
  std::string scene = host::BallScene();
  Write(path.parent_path() / "brick.obj", host::ObjText({host::BoxMesh({}, {60, 60, 10})}));
  const std::string bracket =
      "\n  bracket: {shape: {file: brick.obj}, fixed: true, pose: {position: [9, 0, 9]}}";
  scene.insert(scene.find("bodies:") + 7, bracket);
  Write(path.parent_path() / "ball.yaml", scene);
  const std::string out = (path.parent_path() / "out").string();
  for (const std::string& how :
       {" -o " + out, " -o " + out + " --resume", std::string(" --only 3 -o " + out + ".h5")}) {
    const std::string text = Call("batch " + path.string() + how).text;
    const std::size_t at =
        text.find("warning: bodies.bracket: read from brick.obj it is 60 m long");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find("warning: ", at + 1), std::string::npos) << text;
  }
  EXPECT_EQ(Call("batch -q " + path.string() + " --resume -o " + out).text, "");
}

TEST(CliBatch, SaysWhetherTheIntervalIsNarrowEnough) {
  const std::string rest = std::string(host::kBallSample) + "until: {outcome: bounced, interval: ";
  for (const auto& [interval, told] :
       {std::pair{"0.6, block: 5}\n", "ended by until"}, {"0.05}\n", "until is not reached"}}) {
    const fs::path path = host::WriteBallBatch("cli_until", rest + interval);
    const Outcome outcome =
        Call("batch " + path.string() + " -o " + (path.parent_path() / "out").string());
    EXPECT_NE(outcome.text.find(told), std::string::npos) << outcome.text;
  }
}

TEST(CliBatch, RefusesBadOptions) {
  const std::string path = host::WriteBallBatch("cli_bad", host::kBallSample).string();
  for (const char* shard : {"0/2", "3/2", "1", "a/b", "1/", "/2", "1/99999999999"}) {
    EXPECT_EQ(Call("batch " + path + " --shard " + shard).status, 2) << shard;
  }
  EXPECT_EQ(Call("batch " + path + " --only -1").status, 2);
  EXPECT_EQ(Call("batch " + path + " -o /proc/none").status, 2);
  const Outcome file = Call("batch " + path + " -o " + path);
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.text.find("is a file, and a batch fills a folder"), std::string::npos)
      << file.text;
  EXPECT_EQ(Call("batch " + path + " --set bodies.bal.mass=1").status, 2);
  EXPECT_EQ(Call("report " + fs::path(path).parent_path().string()).status, 2);
}

// A part of another shape under the same name is another batch, though no text has changed.
TEST(CliBatch, NoticesThatASampledPartHasChanged) {
  const fs::path path = host::WriteBallBatch(
      "cli_part",
      "sample:\n  shapes.ball: {choice: [{sphere: {radius: 0.1}}, {file: brick.obj, scale: 0.1}]}\n"
      "outcomes: {height: \"position(ball)[2]\"}\n");
  const std::string out = (path.parent_path() / "out").string();
  Write(path.parent_path() / "brick.obj", host::ObjText({host::BoxMesh({}, {1, 1, 1})}));
  const std::string resume = "batch " + path.string() + " -o " + out + " --resume --number 13";
  const Outcome first = Call("batch " + path.string() + " -o " + out);
  ASSERT_EQ(first.status, 0) << first.text;
  EXPECT_EQ(Call(resume).status, 0);
  Write(path.parent_path() / "brick.obj", host::ObjText({host::BoxMesh({}, {1, 1, 1.2})}));
  const Outcome other = Call(resume);
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.text.find("holds runs of another batch"), std::string::npos) << other.text;
}

// A run beyond the file's number, as --number makes them, is the one of the larger batch.
TEST(CliBatch, ARunBeyondTheFilesNumberIsReplayedAlone) {
  const fs::path path = host::WriteBallBatch("cli_beyond", host::kBallSample);
  const std::string out = (path.parent_path() / "out").string();
  ASSERT_EQ(Call("batch " + path.string() + " -o " + out + " --number 15").status, 0);
  const std::string alone = (path.parent_path() / "alone.h5").string();
  const Outcome only = Call("batch " + path.string() + " --only 14 -o " + alone);
  ASSERT_EQ(only.status, 0) << only.text;
  const auto table = host::ColumnFile::Read(out + "/batch.h5");
  const auto time = host::ColumnFile::Read(alone).Values("time");
  ASSERT_EQ(table.Values("runs/id").size(), 15u);
  EXPECT_GT(time.back(), 0.0);
  std::smatch peak;
  ASSERT_TRUE(std::regex_search(only.text, peak, std::regex("peak +(\\S+)"))) << only.text;
  EXPECT_EQ(std::stod(peak[1].str()), table.Values("runs/outcome/peak")[14]);
}

// The command that --only prints runs the same scene to the same bits, in both ways.
TEST(CliBatch, ARunIsReplayedAlone) {
  const fs::path path = host::WriteBallBatch("cli_only", host::kBallSample);
  const fs::path folder = path.parent_path();
  ASSERT_EQ(Call("batch " + path.string() + " -o " + (folder / "out").string()).status, 0);
  const std::string alone = (folder / "alone.h5").string();
  const Outcome only = Call("batch " + path.string() + " --only 5 -o " + alone);
  ASSERT_EQ(only.status, 0) << only.text;
  std::smatch command;
  ASSERT_TRUE(std::regex_search(only.text, command, std::regex("intervox (run .*)\n")));
  const std::string run = (folder / "run.h5").string();
  ASSERT_EQ(Call(command[1].str() + " -q -o " + run).status, 0);
  const auto a = host::ColumnFile::Read(alone).Values("bodies/ball/contact_force");
  const auto b = host::ColumnFile::Read(run).Values("bodies/ball/contact_force");
  EXPECT_EQ(a, b);
  ASSERT_FALSE(a.empty());
  const double peak =
      host::ColumnFile::Read((folder / "out/batch.h5").string()).Values("runs/outcome/peak")[5];
  const std::string text = only.text.substr(only.text.find("peak") + 5);
  EXPECT_EQ(std::stod(text), peak);
}

TEST(CliBatch, AFullDiskLosesNothing) {
  const fs::path path = host::WriteBallBatch("cli_full", host::kBallSample, 200);
  const fs::path out = path.parent_path() / "out";
  const std::string command = "batch " + path.string() + " -q --threads 2 -o " + out.string();
  const Outcome full = Call(command, true, "ulimit -f 24; ");
  EXPECT_EQ(full.status, 1) << full.text;
  EXPECT_NE(full.text.find("--resume"), std::string::npos) << full.text;
  const auto saved = host::ReadJournals(out);
  ASSERT_TRUE(saved);
  EXPECT_GT(saved->runs.size(), 20u);
  EXPECT_LT(saved->runs.size(), 200u);
  EXPECT_EQ(saved->damaged, 0);
  EXPECT_EQ(Call(command + " --resume").status, 0);
  EXPECT_EQ(host::ReadJournals(out)->runs.size(), 200u);
}

/** Starts a batch and kills it after a while; the children die with their group. */
void KillAfter(const std::string& arguments, int microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c",
          ("exec " + kProgram + " " + arguments + " >/dev/null 2>&1").c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
}

// scripts/kill_batch.py does the same a hundred times.
TEST(CliBatch, KilledAtAnyTimeNothingFinishedIsLostAndNothingDoubled) {
  const fs::path path = host::WriteBallBatch("cli_kill", host::kBallSample, 60);
  const fs::path whole = path.parent_path() / "whole", out = path.parent_path() / "out";
  const std::string command = "batch " + path.string() + " -q --threads 2 -o ";
  ASSERT_EQ(Call(command + whole.string()).status, 0);
  std::size_t before = 0;
  for (const int after : {15000, 40000, 25000, 60000, 33000}) {
    KillAfter(command + out.string() + " --resume", after);
    const auto saved = host::ReadJournals(out);
    const std::size_t now = saved ? saved->runs.size() : 0;
    EXPECT_GE(now, before);
    before = now;
    if (fs::exists(out / "batch.h5")) {
      EXPECT_NO_THROW(host::ColumnFile::Read(out / "batch.h5"));
    }
  }
  ASSERT_EQ(Call(command + out.string() + " --resume").status, 0);
  const auto a = host::ReadJournals(whole), b = host::ReadJournals(out);
  ASSERT_EQ(a->runs.size(), 60u);
  ASSERT_EQ(b->runs.size(), 60u);
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_EQ(a->runs[k].id, b->runs[k].id);
    EXPECT_EQ(a->runs[k].values, b->runs[k].values);
    EXPECT_EQ(a->runs[k].outcomes, b->runs[k].outcomes);
  }
  std::ifstream journal(out / "runs.jsonl");
  std::map<std::string, int> lines;
  for (std::string line; std::getline(journal, line);) {
    if (line.rfind("{\"run\":", 0) == 0) ++lines[line.substr(0, line.find(','))];
  }
  EXPECT_EQ(lines.size(), 60u);
  for (const auto& [run, count] : lines) EXPECT_EQ(count, 1) << run;
}

TEST(CliBatch, AnInterruptSaysHowToGoOn) {
  const fs::path path = host::WriteBallBatch("cli_int", host::kBallSample, 100000);
  std::string out;
  Outcome outcome;
  for (const char* seconds : {"0.5", "1", "2", "4", "8"}) {  // a busy machine is slow to start
    out = (path.parent_path() / seconds).string();
    outcome = Call("batch " + path.string() + " -o " + out, true,
                   std::string("timeout --foreground -s INT ") + seconds + " ");
    if (const auto runs = host::ReadJournals(out); runs && !runs->runs.empty()) break;
  }
  EXPECT_NE(outcome.text.find("--resume"), std::string::npos) << outcome.text;
  const auto saved = host::ReadJournals(out);
  ASSERT_TRUE(saved);
  EXPECT_GT(saved->runs.size(), 0u);
  EXPECT_LT(saved->runs.size(), 100000u);
  EXPECT_EQ(host::ColumnFile::Read(out + "/batch.h5").Values("runs/id").size(), 100000u);
}

}  // namespace
}  // namespace intervox
