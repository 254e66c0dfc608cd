/** @file The finished runs of a batch on disk: a file of lines, each written by one call, so that a
 kill at any instant loses no finished run. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/batch/batch.h"
#include "host/batch/run.h"
#include "host/results/recorder.h"

namespace intervox::host {

/** What a table of runs needs to know of its batch. */
struct BatchHeader {
  std::string name;
  std::string fingerprint;  ///< Fingerprint, in hexadecimal digits
  std::uint64_t seed = 0;
  std::int64_t number = 0;
  std::string batch_source;
  std::string scene;       ///< with its defaults, as YAML
  std::string batch_file;  ///< absolute
  std::vector<std::string> overrides;
  std::vector<std::string> parameters;
  std::vector<bool> numeric;  ///< of each parameter
  std::vector<std::string> outcomes;
  std::vector<std::string> expressions;  ///< of each outcome
  std::vector<bool> boolean;             ///< of each outcome
  std::optional<UntilRule> until;
  std::string controller;  ///< its text; of the last one where there were several
  Provenance provenance;
};

/** The header of a batch. */
BatchHeader MakeHeader(const Batch& batch, const Provenance& provenance);

/** A journal being written, by one process at a time. */
class Journal {
 public:
  /** Opens or makes a journal, cuts off a line that a kill left unfinished, and adds the header.
   @throws InputError when it is of another batch, or another process writes it;
   std::runtime_error when the disk is full. */
  Journal(const std::filesystem::path& path, const BatchHeader& header);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /** Adds a finished run. @throws std::runtime_error when the disk is full; the file then is as
   before. */
  void Append(const RunResult& run);
  /** Has the disk take what is written. */
  void Sync();

 private:
  void Write(const std::string& line);

  std::filesystem::path path_;
  int file_ = -1;
};

/** What a folder of journals holds. */
struct FinishedRuns {
  BatchHeader header;           ///< the last one written; its number the largest
  std::vector<RunResult> runs;  ///< by ascending id, each once: its last attempt
  int damaged = 0;              ///< lines that are not as they were written
};

/** Reads all journals of a folder; nothing where there is none.
 @throws InputError for journals of different batches. */
std::optional<FinishedRuns> ReadJournals(const std::filesystem::path& folder);

}  // namespace intervox::host
