/** @file A simulation as Python holds it: with names, a recorder, and a guard against two threads.
 */
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/results/inputs.h"
#include "host/results/recorder.h"
#include "host/simulation.h"
#include "python/bindings/convert.h"
#include "python/bindings/signals.h"

namespace intervox::python {

/** A number of threads that may be asked for. @throws std::invalid_argument otherwise. */
int RequireThreads(int threads);

/** Things by name, in the scene's order. */
struct Index {
  std::string kind;  ///< "body" or "sensor", for messages
  std::vector<std::string> names;
  std::unordered_map<std::string, int> numbers;

  /** The number of a name or of a number. @throws nb::key_error, nb::index_error for others. */
  int Of(nb::handle key) const;
};

/** A results file that is being written. */
struct Recording {
  host::Recorder recorder;
  std::string path;
  std::int64_t every;   ///< steps
  std::int64_t number;  ///< among those of its session
  std::chrono::steady_clock::time_point flushed;
};

/** A simulation, its names and its recorder. */
class Session {
 public:
  /** @param threads  0: all cores. */
  Session(const Scene& scene, int threads);
  /** One that a batch steps, which lends it its simulation. */
  static std::unique_ptr<Session> Lent(Simulation simulation);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /** The simulation, while no thread is stepping it. @throws std::runtime_error otherwise. */
  Simulation& Get() {
    RequireIdle();
    return simulation_;
  }
  /** The bodies' names. */
  const Index& bodies() const { return names_->bodies; }
  /** The sensors' names. */
  const Index& sensors() const { return names_->sensors; }
  /** The joints' names. */
  const Index& joints() const { return names_->joints; }

  /** Steps so often; without the interpreter. */
  void Step(std::int64_t number);
  /** Steps until the simulation is done or has reached this time [s]. */
  void Run(double until);
  /** Whether a run to this time takes another step. */
  bool RunsUntil(double end) const;

  /** Does a recorded run of this scene again; written to `record` if that is given. */
  void Replay(const host::RecordedRun& run, const std::optional<std::string>& record);

  /** Gives a lent simulation back; until the next is lent this cannot be used. */
  Simulation TakeBack();
  /** Takes it again. */
  void Lend(Simulation simulation);

  /** One in the same state, without the recorder. */
  std::unique_ptr<Session> Clone();
  /** Goes on from bytes of Save. @throws std::invalid_argument while it is recorded. */
  void Restore(std::span<const unsigned char> bytes);

  /** Begins a results file with the present state and returns its number.
   @param every  [s]; absent: the scene's
   @throws std::invalid_argument when there is one already. */
  std::int64_t Record(const std::string& path, std::optional<double> every);
  /** Ends it with the present state; nothing where there is none. */
  void EndRecord();
  /** The results file that is being written, or nullptr. */
  const Recording* recording() const { return recording_.get(); }

 private:
  struct Names {
    Index bodies, sensors, joints;
  };
  static Names NamesOf(const Scene& scene);
  Session(Simulation simulation, std::shared_ptr<const Names> names);
  void RequireIdle() const;
  void RequireOwn(const char* call) const;
  void StepOnce(Signals* signals);
  void SampleStep();

  Simulation simulation_;
  std::shared_ptr<const Names> names_;
  std::unique_ptr<Recording> recording_;
  std::int64_t recordings_ = 0;
  bool stepping_ = false;  ///< guarded by the interpreter's lock
  bool lent_ = false;      ///< a batch steps it
  bool away_ = false;      ///< and has it
};

}  // namespace intervox::python
