/** @file Writes a simulation's course into a results file. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/results/column_file.h"
#include "host/results/inputs.h"
#include "host/simulation.h"
#include "host/simulation/checkpoint.h"

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
  /** Makes a new file with the scene's text, which replaces an old one at the first flush.
   @param every  time between samples [s], for a replay, where it is not the scene's
   @throws InputError when it cannot be written. */
  static Recorder Create(const std::filesystem::path& path, const Simulation& simulation,
                         const Provenance& provenance, std::optional<double> every = {});
  /** Goes on after Simulation::Restore: samples later than the simulation's time are cut off.
   @param mark  of the checkpoint, by which another run's results are refused
   @throws InputError when the file is missing, damaged, of another scene or of another run. */
  static Recorder Resume(const std::filesystem::path& path, const Simulation& simulation,
                         const ResultsMark& mark = {});

  /** Whether a file holds a finished run of this scene. @throws InputError when it is damaged or of
   another scene. */
  static bool IsComplete(const std::filesystem::path& path, const Scene& scene);

  /** Adds a sample of the present state, unless this time is there already. */
  void Sample(const Simulation& simulation);
  /** Writes all samples so far to disk. */
  void Flush(const Simulation& simulation) { PrepareFlush(simulation)(); }
  /** The same with the sync put off, as ColumnFile::PrepareFlush. */
  [[nodiscard]] std::function<void()> PrepareFlush(const Simulation& simulation);
  /** Writes all samples so far beside the file, which stays as it was. */
  void Spill(const Simulation& simulation);
  /** Where the results stand, for a checkpoint that is written after them. */
  ResultsMark Mark() const;
  /** Sets a root attribute, for summaries. */
  void Set(const std::string& name, double value) { file_.SetAttribute(name, value); }
  /** Samples so far. */
  std::int64_t samples() const { return samples_; }

 private:
  Recorder(ColumnFile file, const Scene& scene);
  /** Puts all impacts anew: their peak forces change while they last. */
  void PutImpactsAndInputs(const Simulation& simulation);

  ColumnFile file_;
  // The columns of each table in recorder.cpp, in its order.
  int time_ = 0;
  std::vector<std::vector<int>> bodies_;
  std::vector<std::vector<int>> sensors_;
  std::vector<std::vector<int>> joints_;
  std::vector<int> energies_;
  std::vector<int> patches_;
  std::vector<int> impacts_;
  std::uint64_t run_ = 0;
  InputColumns inputs_;
  std::int64_t samples_ = 0;
  double last_time_ = -1.0;
};

}  // namespace intervox::host
