#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "host/batch/progress_text.h"
#include "host/batch/runner.h"
#include "host/input/writable.h"
#include "python/bindings/bindings.h"
#include "python/bindings/session.h"

namespace intervox::python {
namespace {

/** A Python controller of one run: a generator that goes on before each step, or a function that is
 called there. */
class RunController {
 public:
  /** @param make  takes the simulation; must outlive this. */
  explicit RunController(nb::handle make) : make_(make) {}
  ~RunController() {
    const nb::gil_scoped_acquire acquire;
    generator_.reset();
    session_.reset();
  }
  RunController(const RunController&) = delete;
  RunController& operator=(const RunController&) = delete;

  /** Before a step; without the interpreter lock. @throws nb::python_error of the controller. */
  void Control(Simulation* simulation) {
    if (ended_) return;
    const nb::gil_scoped_acquire acquire;
    if (session_) {
      Lent().Lend(std::move(*simulation));
    } else {
      session_ = nb::cast(Session::Lent(std::move(*simulation)));
    }
    try {
      Call();
    } catch (...) {
      *simulation = Lent().TakeBack();
      throw;
    }
    *simulation = Lent().TakeBack();
  }

 private:
  Session& Lent() const { return *nb::inst_ptr<Session>(session_); }

  void Call() {
    if (!generator_.is_valid()) {
      nb::object made = make_(session_);
      if (made.is_none()) return;
      if (PyIter_Check(made.ptr()) == 0) {
        throw nb::type_error(
            "controller: yields between steps as a generator does, or returns None before each "
            "step. It returned something else.");
      }
      generator_ = std::move(made);
    }
    const nb::object next = nb::steal(PyIter_Next(generator_.ptr()));
    if (next.is_valid()) return;
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    ended_ = true;  // the inputs stay as they are
  }

  nb::handle make_;
  nb::object session_, generator_;
  bool ended_ = false;
};

nb::object ArrayOf(const std::vector<double>& values) {
  const auto size = static_cast<Py_ssize_t>(values.size());
  return Array({&size, 1}, values.data());
}

/** The runs as columns by name. */
nb::dict Columns(const host::Batch& batch, const host::BatchSummary& summary,
                 const std::string& folder) {
  const host::FinishedRuns& finished = summary.finished;
  std::vector<double> ids, ok, seconds;
  nb::dict reasons, parameters, outcomes, rates;
  nb::list controllers;
  for (const host::RunResult& run : finished.runs) {
    ids.push_back(static_cast<double>(run.id));
    ok.push_back(run.ok ? 1.0 : 0.0);
    seconds.push_back(run.seconds);
    controllers.append(run.controller);
    if (!run.ok) reasons[nb::int_(run.id)] = run.reason;
  }
  for (std::size_t p = 0; p < finished.header.parameters.size(); ++p) {
    const char* name = finished.header.parameters[p].c_str();
    if (finished.header.numeric[p]) {
      std::vector<double> values;
      for (const auto& run : finished.runs) {
        values.push_back(std::strtod(run.values[p].c_str(), nullptr));
      }
      parameters[name] = ArrayOf(values);
    } else {
      nb::list values;
      for (const auto& run : finished.runs) values.append(run.values[p]);
      parameters[name] = values;
    }
  }
  for (std::size_t o = 0; o < batch.outcomes.size(); ++o) {
    const char* name = batch.outcomes[o].name.c_str();
    std::vector<double> values;
    std::int64_t hits = 0, judged = 0;
    for (const host::RunResult& run : finished.runs) {
      values.push_back(run.ok ? run.outcomes[o] : std::nan(""));
      if (run.ok) ++judged;
      if (run.ok && run.outcomes[o] != 0) ++hits;
    }
    outcomes[name] = ArrayOf(values);
    if (!batch.outcomes[o].boolean) continue;
    const host::Rate rate = host::WilsonRate(hits, judged);
    rates[name] = nb::make_tuple(rate.rate, rate.lo, rate.hi);
  }
  nb::dict all;
  all["name"] = batch.name;
  all["folder"] = folder;
  all["total"] = summary.progress.total;
  all["id"] = ArrayOf(ids);
  all["ok"] = ArrayOf(ok);
  all["seconds"] = ArrayOf(seconds);
  all["controllers"] = controllers;
  all["reasons"] = reasons;
  all["parameters"] = parameters;
  all["outcomes"] = outcomes;
  all["rates"] = rates;
  return all;
}

/** One run of a batch alone, with its trajectory in a file. */
host::BatchSummary RunOnly(const host::Batch& batch, const host::BatchOptions& options,
                           std::int64_t id) {
  host::RequireController(batch);
  host::RequireOther(options.folder, batch.path);
  host::RequireOther(options.folder, batch.scene_path);
  const host::Trajectory trajectory{options.folder, options.provenance};
  const Simulation like(batch.scene, EngineOptions{Device::kSerial, 1});
  if (options.warn) options.warn(like.Warnings());
  auto run = host::ComputeRun(batch, like, id, {&trajectory, options.cancelled, options.control});
  host::BatchSummary summary;
  summary.progress.total = 1;
  summary.finished.header = host::MakeHeader(batch, options.provenance);
  if (run) {
    run->controller = host::ControllerMark(batch);
    summary.finished.runs.push_back(std::move(*run));
  }
  return summary;
}

nb::dict RunBatch(const std::string& path, const std::string& folder,
                  const std::vector<std::string>& overrides, nb::object controller,
                  const std::string& controller_text, std::int64_t number, int threads, bool resume,
                  bool retry_failed, std::int64_t only, nb::object tick, double tick_seconds,
                  nb::object warn) {
  host::Batch batch = host::LoadBatch(path, overrides);
  if (number < 0) throw std::invalid_argument("number: a batch has at least one run.");
  if (number > 0) batch.number = number;
  batch.controller = controller_text;
  host::BatchOptions options;
  options.folder = folder;
  options.threads = RequireThreads(threads);
  options.resume = resume;
  options.retry_failed = retry_failed;
  options.provenance = {INTERVOX_VERSION, INTERVOX_COMMIT, "cpu, 1 thread"};
  Signals signals;
  options.cancelled = [&] { return signals.Raised(); };
  options.tick_seconds = tick_seconds;
  if (!tick.is_none()) {
    options.tick = [&](const host::BatchProgress& progress) {
      const nb::gil_scoped_acquire acquire;
      tick(host::ProgressText(batch, progress));
    };
  }
  if (!warn.is_none()) {
    options.warn = [&](std::span<const std::string> warnings) {
      const nb::gil_scoped_acquire acquire;
      for (const std::string& warning : warnings) warn("warning: " + warning);
    };
  }
  if (!controller.is_none()) {
    options.control = [&] {
      const auto run = std::make_shared<RunController>(controller);
      return [run](Simulation& simulation) { run->Control(&simulation); };
    };
  }
  const host::BatchSummary summary = [&] {
    const nb::gil_scoped_release release;
    host::BatchSummary done =
        only < 0 ? host::RunBatch(batch, options) : RunOnly(batch, options, only);
    signals.Check();
    return done;
  }();
  return Columns(batch, summary, folder);
}

}  // namespace

void BindBatch(nb::module_& m) {
  m.def("_run_batch", &RunBatch, "path"_a, "folder"_a, "overrides"_a, "controller"_a.none(),
        "controller_text"_a, "number"_a, "threads"_a, "resume"_a, "retry_failed"_a, "only"_a,
        "tick"_a.none(), "tick_seconds"_a, "warn"_a.none());
}

}  // namespace intervox::python
