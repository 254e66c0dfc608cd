/** @file Runs that are interrupted and compared. */
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"
#include "tests/samples.h"

namespace intervox {

/** All columns of two results files have the same bits. */
inline void ExpectSameData(const std::string& a, const std::string& b) {
  const host::ColumnFile x = host::ColumnFile::Read(a);
  const host::ColumnFile y = host::ColumnFile::Read(b);
  const std::vector<host::ColumnInfo> columns = x.Columns();
  ASSERT_EQ(columns.size(), y.Columns().size());
  for (const host::ColumnInfo& column : columns) {
    const std::vector<double> u = x.Values(column.name);
    const std::vector<double> v = y.Values(column.name);
    ASSERT_EQ(u.size(), v.size()) << column.name;
    if (u.empty()) continue;  // there is nothing to point at
    EXPECT_EQ(std::memcmp(u.data(), v.data(), 8 * u.size()), 0) << column.name;
  }
}

/** Waits until a run has written a checkpoint. */
inline void AwaitCheckpoint(const std::string& out) {
  const std::string checkpoint = fs::path(out).replace_extension(".checkpoint").string();
  for (int i = 0; i < 4000 && !(fs::exists(checkpoint) && fs::exists(out)); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/** Starts a run in a process of its own; what is written to it goes to `said` unless it is empty.
 */
inline pid_t StartRun(const std::string& scene, const std::string& out,
                      const std::string& said = "") {
  const pid_t child = fork();
  if (child != 0) return child;
  // What a shell starts in the background ignores interrupts, and its children with it.
  signal(SIGINT, SIG_DFL);
  if (!said.empty()) {
    if (freopen(said.c_str(), "w", stderr) == nullptr) _exit(126);
  }
  execl(kProgram.c_str(), kProgram.c_str(), "run", scene.c_str(), "-o", out.c_str(), "-q",
        static_cast<char*>(nullptr));
  _exit(127);
}

/** How a process ended, as a shell says it. */
inline int EndOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** Starts a run, interrupts it when its results have grown, and returns how it ended. */
inline int Interrupted(const std::string& scene, const std::string& out, int signal) {
  const pid_t child = StartRun(scene, out);
  AwaitCheckpoint(out);
  kill(child, signal);
  return EndOf(child);
}

/** kScene in steps small enough to be interrupted. */
inline std::string LongScene() {
  std::string text = kScene;
  const std::size_t at = text.find("step: 1e-3");
  // Slow enough to be interrupted; under sanitizers, which draw fewer samples, every step is
  // slower.
  return text.replace(at, 10, "step: " + std::to_string(2 / testing::SampleFactor()) + "e-6");
}

}  // namespace intervox
