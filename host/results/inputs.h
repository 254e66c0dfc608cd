/** @file The inputs of a run in its results file, and the run done again from there. */
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "host/results/column_file.h"
#include "host/simulation.h"

namespace intervox::host {

/** Writes what is put into a simulation to `inputs/…` of its results, one row for each input; and
 where the recording does not begin with the scene's own start, the state there to `start/state`. */
class InputColumns {
 public:
  /** Makes the columns. */
  explicit InputColumns(ColumnFile* file);
  /** Keeps what is put into the simulation from now on, in a new file. */
  void Begin(const Simulation& simulation, ColumnFile* file);
  /** The same in a file that is taken up again: inputs at and after the present step are cut off.
   */
  void Resume(const Simulation& simulation, ColumnFile* file);
  /** Gives the file what has come since the last call. */
  void Write(ColumnFile* file);

 private:
  std::shared_ptr<InputLog> log_ = std::make_shared<InputLog>();
  std::vector<int> columns_;
  int state_ = 0;
};

/** A recorded run: all that it takes to do it again. */
struct RecordedRun {
  Scene scene;
  std::vector<unsigned char> start;  ///< state at which it begins; empty: as the scene says
  InputLog inputs;
  double end = 0.0;  ///< time of the last sample [s]
};

/** Reads a results file. @throws InputError when it is missing, damaged or holds no run. */
RecordedRun ReadRun(const std::filesystem::path& path);

/** Does a recorded run again, with the same bits. */
class Replay {
 public:
  /** Brings a new simulation of run.scene to where the run begins. Both must outlive this. */
  Replay(const RecordedRun& run, Simulation* simulation);
  /** Whether the run's end is reached. */
  bool Done() const;
  /** Puts in what came before this step, and steps; false where `cancelled` has it given up, after
   which it may be called again. */
  bool Step(const std::function<bool()>& cancelled = {});

 private:
  const RecordedRun& run_;
  Simulation& simulation_;
  std::size_t next_ = 0;
};

}  // namespace intervox::host
