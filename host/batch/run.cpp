#include "host/batch/run.h"

#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "host/batch/expression.h"
#include "host/batch/hdf5_lock.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** A trajectory cannot be written: no fault of the run. */
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/** What a controller has thrown: no fault of the run either. */
struct ControlError {
  std::exception_ptr thrown;
};

void Control(const Controller& controller, Simulation& simulation) {
  if (!controller) return;
  try {
    controller(simulation);
  } catch (...) {
    throw ControlError{std::current_exception()};
  }
}

/** Writes a trajectory, or nothing where none is wanted. */
class MaybeRecorder {
 public:
  MaybeRecorder(const Trajectory* record, const Simulation& simulation) {
    if (record == nullptr) return;
    const double steps =
        std::round(simulation.GetScene().output.every / simulation.GetScene().integrator.step);
    every_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::fmin(steps, 1e15)));
    Write(
        [&] { recorder_.emplace(Recorder::Create(record->path, simulation, record->provenance)); });
  }
  ~MaybeRecorder() {
    if (!recorder_) return;
    const std::lock_guard lock(Hdf5Lock());
    recorder_.reset();
  }
  MaybeRecorder(const MaybeRecorder&) = delete;
  MaybeRecorder& operator=(const MaybeRecorder&) = delete;

  void Sample(const Simulation& simulation) {
    if (recorder_ && simulation.Counters().steps % every_ == 0) recorder_->Sample(simulation);
  }
  void Finish(const Simulation& simulation) {
    if (!recorder_) return;
    Write([&] {
      recorder_->Sample(simulation);
      recorder_->Flush(simulation);
    });
  }

 private:
  template <class Function>
  static void Write(const Function& function) {
    const std::lock_guard lock(Hdf5Lock());
    try {
      function();
    } catch (const std::exception& error) {
      throw RecordError(std::string(error.what()) +
                        " Finished runs are saved; repeat the command with --resume.");
    }
  }

  std::optional<Recorder> recorder_;
  std::int64_t every_ = 1;
};

/** The expressions of a batch, for one run. */
struct Watched {
  Watched(const Batch& batch, const Scene& scene) {
    if (!batch.stop.when.empty()) stop.emplace(batch.stop.when, scene);
    for (const OutcomeRule& rule : batch.outcomes) outcomes.emplace_back(rule.expression, scene);
  }
  void Watch(const Simulation& simulation) {
    if (stop) stop->Watch(simulation);
    for (Expression& outcome : outcomes) outcome.Watch(simulation);
  }

  std::optional<Expression> stop;
  std::vector<Expression> outcomes;
};

bool Ends(const Batch& batch, Watched& watched, const Simulation& simulation) {
  if (simulation.Done()) return true;
  const double half_step = 0.5 * simulation.GetScene().integrator.step;
  if (batch.stop.after && simulation.Time() >= *batch.stop.after - half_step) return true;
  return watched.stop && watched.stop->Value(simulation) != 0;
}

/** Why the outcomes of a run are not to be trusted; empty where they are. */
std::string Distrust(const Batch& batch, const Simulation& simulation,
                     const std::vector<double>& outcomes) {
  if (const std::int64_t count = simulation.Counters().gaining_substeps; count > 0) {
    return "gained energy that nothing gave in " + std::to_string(count) +
           " substeps, the first at t = " + Text(simulation.Gains().front().t) + " s";
  }
  if (simulation.Counters().arrests > 0) {
    return "bodies were stopped against each other, the first time at t = " +
           Text(simulation.Arrests().front().t) + " s: no substep went without gaining energy";
  }
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!std::isfinite(outcomes[k])) {
      return "the outcome '" + batch.outcomes[k].name + "' is not finite";
    }
  }
  return "";
}

/** Steps to the end; false: cancelled. */
bool StepToEnd(const Batch& batch, Simulation& simulation, Watched& watched,
               MaybeRecorder& recorder, const RunOptions& options) {
  const Controller controller = options.control ? options.control() : Controller{};
  watched.Watch(simulation);
  recorder.Sample(simulation);
  while (!Ends(batch, watched, simulation)) {
    Control(controller, simulation);
    if (!simulation.Step(options.cancelled)) return false;
    watched.Watch(simulation);
    recorder.Sample(simulation);
  }
  return true;
}

}  // namespace

std::optional<RunResult> ComputeRun(const Batch& batch, const Simulation& like, std::int64_t id,
                                    const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  result.id = id;
  const std::vector<Value> values = DrawRun(batch, id);
  for (const Value& value : values) result.values.push_back(FlowText(value));
  try {
    Simulation simulation(SceneWith(batch, values), like);
    Watched watched(batch, simulation.GetScene());
    MaybeRecorder recorder(options.record, simulation);
    try {
      if (!StepToEnd(batch, simulation, watched, recorder, options)) return std::nullopt;
    } catch (const std::runtime_error&) {
      recorder.Finish(simulation);  // how it came to that
      throw;
    }
    recorder.Finish(simulation);
    for (Expression& outcome : watched.outcomes) {
      result.outcomes.push_back(outcome.Value(simulation));
    }
    result.reason = Distrust(batch, simulation, result.outcomes);
  } catch (const ControlError& error) {
    std::rethrow_exception(error.thrown);
  } catch (const RecordError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    result.reason = error.what();
  }
  result.ok = result.reason.empty();
  if (!result.ok) {
    result.outcomes.clear();
    result.replay = ReplayCommand(batch, id);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  result.seconds = took.count();
  return result;
}

}  // namespace intervox::host
