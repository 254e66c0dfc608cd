/** @file Checkpoints: one versioned flat file with a checksum.

 Layout, little-endian: "INTERVOX", version u32, 0 u32, fingerprint of the scene u64, length of the
 payload u64, FNV-1a of the payload u64, payload. */
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/simulation/reports.h"
#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** The state as the contents of a file. */
std::vector<unsigned char> MakeCheckpoint(const World& world, const State& state,
                                          const RunFigures& figures);

/** Writes a file's contents aside, syncs them and renames them into place: the old file or the new
 one is there at any time. Touches no simulation, so that another thread can do it.
 @throws std::runtime_error naming the path and the system's reason. */
void WriteCheckpoint(const std::filesystem::path& path, std::span<const unsigned char> bytes);

/** Reads a state; poses and velocities are not set. On an error `figures` are as they were.
 @throws InputError when the file is missing, truncated, corrupt or of another scene or version. */
State ReadCheckpoint(const std::filesystem::path& path, const World& world, RunFigures* figures);

/** The same from memory. @param name  of the checkpoint, for messages. */
State FromCheckpoint(std::span<const unsigned char> bytes, const std::string& name,
                     const World& world, RunFigures* figures);

}  // namespace intervox::host
