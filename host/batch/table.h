/** @file The table of a batch's runs, `batch.h5`. */
#pragma once

#include <filesystem>

#include "host/batch/journal.h"

namespace intervox::host {

/** Number of the first run that `until` makes superfluous: its rate is known well enough by the
 blocks of runs before. Nothing while it is not, or without `until`. Blocks count once all of their
 runs are finished, so the number does not depend on the order in which they were. */
std::optional<std::int64_t> DecidedAt(const FinishedRuns& finished);

/** Writes `FOLDER/batch.h5` (docs/batch.md): aside, synced, renamed, so that at any instant the old
 table or the new one is there. Trajectories in FOLDER/trajectories are linked to.
 @throws std::runtime_error naming the file when the disk is full. */
void WriteTable(const std::filesystem::path& folder, const FinishedRuns& finished);

/** Gathers all journals of a folder and writes the table of their runs; one process at a time.
 @return what it wrote; nothing where there is no journal. @throws as ReadJournals, WriteTable. */
std::optional<FinishedRuns> GatherTable(const std::filesystem::path& folder);

/** Where the trajectory of a run is. */
std::filesystem::path TrajectoryPath(const std::filesystem::path& folder, std::int64_t id);

}  // namespace intervox::host
