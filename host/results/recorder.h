/** @file Writes a simulation's course into a results file. */
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/results/column_file.h"
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
 for each onset of contact.

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
  struct FrameColumns {
    int position = 0, orientation = 0, velocity = 0, angular_velocity = 0, force = 0, torque = 0;
  };
  struct PatchColumns {
    int time_index = 0, id = 0, body_i = 0, body_j = 0, pairs = 0;
    int time = 0, volume = 0, centroid = 0, normal = 0, area_vector = 0, inertia = 0, f_n = 0;
    int force = 0, torque = 0, velocity = 0, z = 0, theta = 0, s_dw = 0, volume_offset = 0;
    int v_i = 0, a = 0, since = 0;
  };
  Recorder(ColumnFile file, const Scene& scene);
  void PutPatch(const ContactReport& contact, double time);

  ColumnFile file_;
  int time_ = 0;
  std::vector<FrameColumns> bodies_;
  std::vector<FrameColumns> sensors_;
  std::vector<int> energies_;
  PatchColumns patch_;
  std::vector<int> impacts_;
  std::int64_t samples_ = 0;
  double last_time_ = -1.0;
};

}  // namespace intervox::host
