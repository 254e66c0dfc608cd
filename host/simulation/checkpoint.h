/** @file Checkpoints: one versioned flat file with a checksum.

 Layout, little-endian: "INTERVOX", version u32, 0 u32, fingerprint of the scene u64, length of the
 payload u64, FNV-1a of the payload u64, payload; then the mark of the results beside it: run u64,
 samples i64, patches i64, FNV-1a of these u64. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/simulation/reports.h"
#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** Where a run's results stood when a checkpoint was taken: with fewer it cannot be resumed. */
struct ResultsMark {
  std::uint64_t run = 0;     ///< the run's own number, 0: no results
  std::int64_t samples = 0;  ///< written so far
  std::int64_t patches = 0;  ///< rows of the table of patches
};

/** The state as the contents of a file. */
std::vector<unsigned char> MakeCheckpoint(const World& world, const State& state,
                                          const RunFigures& figures);

/** Writes a file's contents aside, syncs them and renames them into place: the old file or the new
 one is there at any time. Touches no simulation, so that another thread can do it.
 @throws std::runtime_error naming the path and the system's reason. */
void WriteCheckpoint(const std::filesystem::path& path, std::span<const unsigned char> bytes,
                     const ResultsMark& mark = {});

/** The mark in a checkpoint. @throws InputError when the file is missing, truncated or corrupt. */
ResultsMark ReadMark(const std::filesystem::path& path);

/** Reads a state; poses and velocities are not set. On an error `figures` are as they were.
 @throws InputError when the file is missing, truncated, corrupt or of another scene or version. */
State ReadCheckpoint(const std::filesystem::path& path, const World& world, RunFigures* figures);

/** The same from memory. @param name  of the checkpoint, for messages. */
State FromCheckpoint(std::span<const unsigned char> bytes, const std::string& name,
                     const World& world, RunFigures* figures);

}  // namespace intervox::host
