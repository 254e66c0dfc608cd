/** @file Writes a simulation's course into a results file. */
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/results/column_file.h"
#include "host/results/inputs.h"
#include "host/simulation.h"

namespace intervox::host {

/** What made a results file. */
struct Provenance {
  std::string version;
  std::string commit;
  std::string device;  ///< for example "cpu, 2 threads"
};

/** The layout of a results file, `intervox/results/1` (docs/scene_format.md): one row of every
 time column for each sample; `patches/…` is a flat table with `time_index`; `impacts/…` has one row
 for each onset of contact, `inputs/…` one for each input from outside while this lives.

 Appending after a checkpoint gives the same bytes of data as an uninterrupted run. */
class Recorder {
 public:
  /** Makes a new file with the scene's text. @throws InputError when it cannot be written. */
  static Recorder Create(const std::filesystem::path& path, const Simulation& simulation,
                         const Provenance& provenance);
  /** Goes on after Simulation::Restore: samples later than the simulation's time are cut off.
   @throws InputError when the file is missing, corrupt or of another scene. */
  static Recorder Resume(const std::filesystem::path& path, const Simulation& simulation);

  /** Adds a sample of the present state, unless this time is there already. */
  void Sample(const Simulation& simulation);
  /** Writes all samples so far to disk. */
  void Flush(const Simulation& simulation);
  /** Sets a root attribute, for summaries. */
  void Set(const std::string& name, double value) { file_.SetAttribute(name, value); }
  /** Samples so far. */
  std::int64_t samples() const { return samples_; }

 private:
  Recorder(ColumnFile file, const Scene& scene);

  ColumnFile file_;
  // The columns of each table in recorder.cpp, in its order.
  int time_ = 0;
  std::vector<std::vector<int>> bodies_;
  std::vector<std::vector<int>> sensors_;
  std::vector<int> energies_;
  std::vector<int> patches_;
  std::vector<int> impacts_;
  InputColumns inputs_;
  std::int64_t samples_ = 0;
  double last_time_ = -1.0;
};

}  // namespace intervox::host
