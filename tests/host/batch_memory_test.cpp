// What a world of a batch holds beyond the scene that it shares: less than 256 KiB, while it is
// stepped too.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

#include "host/batch/batch.h"
#include "host/simulation.h"

namespace intervox::host {
namespace {

/** Bytes that malloc has given out. */
double Allocated() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }

/** The most that a run's world holds until a time [KiB]: the mean over worlds that are stepped side
 by side, as the allocator, TBB and the thread take some for themselves when they come to it. */
double MostHeld(const char* file, double until) {
  constexpr int kWorlds = 16;
  const Batch batch = LoadBatch(std::filesystem::path(INTERVOX_DATA_DIR) / "batches" / file);
  const Simulation like(batch.scene, EngineOptions{Device::kSerial, 1});
  Simulation grown(SceneWith(batch, DrawRun(batch, kWorlds)), like);  // what the thread keeps
  while (grown.Time() < until) grown.Step();
  const double before = Allocated();
  std::vector<Simulation> worlds;
  worlds.reserve(kWorlds);
  for (int run = 0; run < kWorlds; ++run) {
    worlds.emplace_back(SceneWith(batch, DrawRun(batch, run)), like);
  }
  double most = Allocated() - before;
  for (bool all_done = false; !all_done;) {
    all_done = true;
    for (Simulation& world : worlds) {
      if (world.Time() >= until) continue;
      world.Step();
      all_done = false;
    }
    most = std::max(most, Allocated() - before);
  }
  return most / 1024 / kWorlds;
}

TEST(BatchMemory, AWorldHoldsLessThanAQuarterOfAMebibyte) {
  if (Allocated() == 0) GTEST_SKIP() << "a sanitizer's allocator keeps no account";
  for (const auto& [file, until] :
       {std::pair{"peg_loose.yaml", 0.6}, {"peg_chamfer.yaml", 0.6}, {"battery_box.yaml", 0.8}}) {
    const double most = MostHeld(file, until);
    EXPECT_LT(most, 256) << file;
    EXPECT_GT(most, 8) << file << ": this is not what a world holds";
    std::printf("%s: %.0f KiB\n", file, most);
  }
}

}  // namespace
}  // namespace intervox::host
