// Runs that end early: what they leave, and how they go on.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <pty.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli_runs.h"
#include "host/results/column_file.h"
#include "tests/host/pile_of_boxes.h"

namespace intervox {
namespace {

bool Says(const Outcome& outcome, const std::string& word) {
  return outcome.text.find(word) != std::string::npos;
}

TEST(Cli, InterruptedAndResumedEqualsUninterrupted) {
  const fs::path folder = Folder("resume");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
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

TEST(Cli, AnInterruptEndsWithinAStep) {
  const fs::path folder = Folder("long_step");
  const std::string scene = Write(folder / "scene.yaml", PileOfBoxes(50));
  const std::string out = (folder / "out.h5").string();
  const pid_t child = StartRun(scene, out);
  for (int k = 0; k < 1000 && !fs::exists(out); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto start = std::chrono::steady_clock::now();
  kill(child, SIGINT);
  EXPECT_EQ(EndOf(child), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  EXPECT_EQ(host::ColumnFile::Read(out).Values("time").size(), 1u) << "the step ended";
  EXPECT_TRUE(fs::exists(folder / "out.checkpoint"));
}

TEST(Cli, AReplayIsInterruptedAsARunIs) {
  const fs::path folder = Folder("replay");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  const std::vector<double> times = host::ColumnFile::Read(whole).Values("time");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const fs::path out = folder / ("cut" + std::to_string(signal) + ".h5");
    const std::string said = (folder / "said.txt").string();
    const pid_t child = StartRun("--replay=" + whole, out.string(), said);
    for (int k = 0; k < 4000 && !fs::exists(out); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, signal);
    EXPECT_EQ(EndOf(child), 1);
    EXPECT_NE(TextOf(said).find("interrupted at t = "), std::string::npos) << TextOf(said);
    const std::vector<double> so_far = host::ColumnFile::Read(out.string()).Values("time");
    ASSERT_LT(so_far.size(), times.size()) << "the replay ended before the signal";
    EXPECT_GT(so_far.size(), 1u);
    EXPECT_TRUE(std::equal(so_far.begin(), so_far.end(), times.begin()));
  }
  for (const char* edit : {" --resume", " --set gravity=[0,0,0]"}) {  // it is the same run anew
    EXPECT_EQ(Call("run --replay " + whole + " -o " + scene + ".h5" + edit).status, 2) << edit;
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

// A closed terminal ends a run as SIGTERM does: with its results, a checkpoint and a message; a run
// that ignores it, as under nohup, goes on to its end.
TEST(Cli, AClosedTerminalIsARequestToEnd) {
  const fs::path folder = Folder("hangup");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string out = (folder / "out.h5").string(), said = (folder / "said").string();
  const pid_t child = StartRun(scene, out, said);
  AwaitCheckpoint(out);
  kill(child, SIGHUP);
  EXPECT_EQ(EndOf(child), 1);
  EXPECT_NE(TextOf(said).find("interrupted at t ="), std::string::npos) << TextOf(said);
  const std::size_t samples = host::ColumnFile::Read(out).Values("time").size();
  EXPECT_GT(samples, 25u) << "no sample after the first checkpoint";
  EXPECT_LT(samples, 151u);

  const auto before = ::signal(SIGHUP, SIG_IGN);
  const pid_t ignoring = StartRun(scene, (folder / "nohup.h5").string());
  ::signal(SIGHUP, before);
  AwaitCheckpoint((folder / "nohup.h5").string());
  kill(ignoring, SIGHUP);
  EXPECT_EQ(EndOf(ignoring), 0);
}

// However many signals come, what is at the results' path is whole and a run goes on from it.
TEST(Cli, ManySignalsDoNoHarm) {
  const fs::path folder = Folder("signals");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  for (int pause = 0; pause < 6; ++pause) {
    const std::string out = (folder / ("cut" + std::to_string(pause) + ".h5")).string();
    const pid_t child = StartRun(scene, out);
    AwaitCheckpoint(out);
    for (const int signal : {SIGINT, SIGINT, SIGTERM}) {
      kill(child, signal);
      usleep(static_cast<useconds_t>(300 * pause * pause));
    }
    EndOf(child);
    EXPECT_NO_THROW(host::ColumnFile::Read(out).Verify());
    EXPECT_EQ(Call("run -q --resume " + scene + " -o " + out).status, 0);
    ExpectSameData(whole, out);
  }
}

// A checkpoint goes with the results that it was taken after, and with no others.
TEST(Cli, AStaleCheckpointIsRefused) {
  const fs::path folder = Folder("stale");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const fs::path out = folder / "out.h5", checkpoint = folder / "out.checkpoint";
  const std::string call = "run -q " + scene + " -o " + out.string();
  ASSERT_EQ(Call(call).status, 0);
  fs::copy_file(checkpoint, folder / "old.checkpoint");
  fs::copy_file(out, folder / "old.h5");
  // A new run takes the old checkpoint away before its results are there, and writes its own.
  ASSERT_EQ(Call(call + " --set output.checkpoint_every=0").status, 0);
  EXPECT_FALSE(fs::exists(checkpoint));
  ASSERT_EQ(Call(call).status, 0);
  // The same scene, the same bits, but another run's.
  fs::copy_file(folder / "old.checkpoint", checkpoint, fs::copy_options::overwrite_existing);
  const std::string before = TextOf(out);
  const Outcome other = Call(call + " --resume");
  EXPECT_EQ(other.status, 2) << other.text;
  EXPECT_TRUE(Says(other, "of another run than the checkpoint")) << other.text;
  EXPECT_TRUE(TextOf(out) == before) << "the refused results were written to";
  // Its own results, but fewer than when it was taken.
  {
    host::ColumnFile file = host::ColumnFile::Append(folder / "old.h5");
    file.Truncate(file.Column("time", 1, "s"), 100);
  }
  fs::copy_file(folder / "old.h5", out, fs::copy_options::overwrite_existing);
  const Outcome fewer = Call(call + " --resume");
  EXPECT_EQ(fewer.status, 2) << fewer.text;
  EXPECT_TRUE(Says(fewer, "hold 100 samples")) << fewer.text;
  EXPECT_TRUE(Says(fewer, "after 151")) << fewer.text;
}

TEST(Cli, WithoutACheckpointResumeStartsAnewAndSaysSo) {
  const fs::path folder = Folder("anew");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const std::string call = "run -q " + scene + " -o " + out + " --set output.checkpoint_every=0";
  const Outcome first = Call(call + " --resume");
  EXPECT_EQ(first.status, 0) << first.text;
  EXPECT_TRUE(Says(first, "out.checkpoint: there is no checkpoint yet; the run starts anew"))
      << first.text;
  const std::string complete = TextOf(out);
  const Outcome again = Call(call + " --resume");
  EXPECT_EQ(again.status, 0);
  EXPECT_TRUE(Says(again, "the run is complete; there is nothing to resume")) << again.text;
  EXPECT_TRUE(TextOf(out) == complete) << "a complete run was written to";
  // Results of another scene are not overwritten by a resume.
  EXPECT_EQ(Call(call + " --resume --set bodies.ball.mass=3").status, 2);
  EXPECT_TRUE(TextOf(out) == complete);
}

TEST(Cli, ACheckpointWithoutItsResultsIsRefusedWithBothNames) {
  const fs::path folder = Folder("alone");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string call = "run -q " + scene + " -o " + (folder / "out.h5").string();
  ASSERT_EQ(Call(call).status, 0);
  ASSERT_TRUE(fs::exists(folder / "out.checkpoint"));
  fs::remove(folder / "out.h5");
  const Outcome outcome = Call(call + " --resume");
  EXPECT_EQ(outcome.status, 2);
  for (const char* word : {"out.checkpoint: there are no results", "out.h5", "without --resume"}) {
    EXPECT_TRUE(Says(outcome, word)) << outcome.text;
  }
  EXPECT_EQ(Call(call).status, 0);
}

// Results are read while a run writes them: with the C library as with `info`.
TEST(Cli, ResultsCanBeReadWhileTheyAreWritten) {
  const fs::path folder = Folder("reading");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string out = (folder / "out.h5").string();
  const pid_t child = StartRun(scene, out);
  AwaitCheckpoint(out);
  std::size_t samples = 0;
  int reads = 0;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    const hid_t file = H5Fopen(out.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    H5Fclose(file);
    const std::size_t now = host::ColumnFile::Read(out).Values("time").size();
    EXPECT_GE(now, samples);
    samples = now;
    ++reads;
  }
  EXPECT_GT(reads, 3);
  EXPECT_EQ(Call("info " + out).status, 0);
  EXPECT_FALSE(fs::exists(out + ".part"));
  EXPECT_FALSE(fs::exists(out + ".lock"));
}

TEST(Cli, TwoRunsDoNotShareResults) {
  const fs::path folder = Folder("two_runs");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string out = (folder / "out.h5").string();
  const pid_t child = StartRun(scene, out);
  AwaitCheckpoint(out);
  const Outcome second = Call("run -q " + scene + " -o " + out);
  EXPECT_EQ(second.status, 2) << second.text;
  EXPECT_TRUE(Says(second, "another program is writing them")) << second.text;
  EXPECT_TRUE(fs::exists(folder / "out.checkpoint")) << "the first run's checkpoint is gone";
  EXPECT_EQ(EndOf(child), 0);
  EXPECT_EQ(host::ColumnFile::Read(out).Values("time").size(), 151u);
}

// On a terminal a bar with the ratio of simulated to wall time turns; elsewhere lines are written.
TEST(Cli, ProgressIsABarOnATerminalAndLinesElsewhere) {
  const fs::path folder = Folder("progress");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string out = (folder / "out.h5").string();
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0) << "no pseudo-terminal: " << std::strerror(errno) << "; is devpts mounted?";
  if (child == 0) {
    execl(kProgram.c_str(), kProgram.c_str(), "run", scene.c_str(), "-o", out.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string shown;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(terminal, buffer, sizeof buffer)) > 0;) {
    shown.append(buffer, static_cast<std::size_t>(count));
  }
  close(terminal);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const char* part : {"\r\033[K[", " %  t = ", " x real time", " s to go"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << "\n" << shown;
  }
  const Outcome lines = Call("run --progress 0.05 " + scene + " -o " + out);
  EXPECT_EQ(lines.text.find('\r'), std::string::npos) << lines.text;
  EXPECT_NE(lines.text.find("%  t = "), std::string::npos) << lines.text;
  const Outcome quiet = Call("run --progress 0 " + scene + " -o " + out);
  EXPECT_EQ(quiet.text.find("%  t = "), std::string::npos) << quiet.text;
  EXPECT_EQ(Call("run -q " + scene + " -o " + out).text, "");
}

TEST(Cli, TheSummaryAsJson) {
  const fs::path folder = Folder("json");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const Outcome outcome = Call("run --json " + scene + " -o " + out, false);
  ASSERT_EQ(outcome.status, 0);
  const nlohmann::json summary = nlohmann::json::parse(outcome.text);  // nothing else is printed
  const host::ColumnFile file = host::ColumnFile::Read(out);
  EXPECT_EQ(summary["name"], "drop");
  EXPECT_NEAR(summary["time"].get<double>(), 0.3, 1e-12);
  for (const char* key : {"impacts", "steps", "substeps", "pairs", "wall_time", "rest_time"}) {
    EXPECT_NEAR(summary[key].get<double>(),
                std::stod(file.Attribute(std::string("summary_") + key)), 1e-6)
        << key;
  }
  const std::vector<double> position = file.Values("bodies/ball/position");
  EXPECT_EQ(summary["bodies"]["ball"]["position"][2].get<double>(), position.back());
  EXPECT_EQ(summary["energy"]["kinetic"].get<double>(), file.Values("energy/kinetic").back());
  const std::vector<double> peaks = file.Values("impacts/peak_force");
  EXPECT_EQ(summary["hardest_impact"]["peak_force"].get<double>(),
            *std::max_element(peaks.begin(), peaks.end()));
  EXPECT_EQ(summary["hardest_impact"]["bodies"][1], "ball");
}

}  // namespace
}  // namespace intervox
