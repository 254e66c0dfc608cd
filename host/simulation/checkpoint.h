/** @file Checkpoints: one versioned flat file with a checksum.

 Layout, little-endian: "INTERVOX", version u32, 0 u32, fingerprint of the scene u64, length of the
 payload u64, FNV-1a of the payload u64, payload. */
#pragma once

#include <filesystem>

#include "host/simulation/dynamics.h"

namespace intervox::host {

/** Writes the state aside, syncs it and renames it into place: the old file or the new one is
 there at any time. @throws std::runtime_error naming the path and the system's reason. */
void SaveCheckpoint(const std::filesystem::path& path, const World& world,
                    const Dynamics& dynamics);

/** Reads a state. On an error `dynamics` is as it was.
 @throws InputError when the file is missing, truncated, corrupt or of another scene or version. */
void RestoreCheckpoint(const std::filesystem::path& path, const World& world, Dynamics* dynamics);

}  // namespace intervox::host
