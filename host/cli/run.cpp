// `intervox run`: simulates a scene, with a progress bar on a terminal and a summary at the end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/replay.h"
#include "host/cli/result_writer.h"
#include "host/cli/summary.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/recorder.h"
#include "host/results/replace_file.h"
#include "host/simulation.h"
#include "host/simulation/checkpoint.h"

namespace intervox::cli {
namespace {

using Clock = std::chrono::steady_clock;

/** Time between two writes of the results to disk [s]. */
constexpr double kFlushSeconds = 2.0;

struct Options {
  std::string file;
  std::string out;
  std::vector<std::string> overrides;
  std::string replay;
  std::string device = "auto";
  int threads = 0;
  bool resume = false;
  bool quiet = false;
  bool json = false;
  double progress = 10.0;  ///< time between lines where there is no terminal [s]
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string DeviceText(const EngineOptions& options) {
  if (options.device == Device::kCuda) return "cuda:" + std::to_string(options.cuda_device);
  const unsigned threads = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::thread::hardware_concurrency();
  return "cpu, " + std::to_string(options.device == Device::kSerial ? 1u : threads) + " threads";
}

/** Says which substeps gained energy that nothing gave; whether there are any. */
bool WarnOfGains(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().gaining_substeps;
  if (count == 0) return false;
  std::cerr << fmt::format(
      "intervox: warning: {} gained energy that nothing gave; do not trust the motion from there "
      "on. Use a smaller step, less stiffness, or method ark3. The first:\n",
      count == 1 ? "1 substep" : fmt::format("{} substeps", count));
  const std::span<const EnergyGain> gains = simulation.Gains();
  for (std::size_t k = 0; k < std::min<std::size_t>(gains.size(), 5); ++k) {
    std::cerr << fmt::format(
        "  t = {:.6g} s, {:.3g} J, body {}\n", gains[k].t, gains[k].gain,
        simulation.GetScene().bodies[static_cast<std::size_t>(gains[k].body)].name);
  }
  return true;
}

int Simulate(Simulation& simulation, host::Recorder& recorder,
             const std::filesystem::path& checkpoint, const Options& options) {
  const Scene& scene = simulation.GetScene();
  const auto every = [&](double seconds) {
    const double steps = std::round(seconds / scene.integrator.step);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(steps, 1e15)));
  };
  const std::int64_t sample_steps = every(scene.output.every);
  const std::int64_t checkpoint_steps =
      scene.output.checkpoint_every ? every(*scene.output.checkpoint_every) : 0;
  const double begin = simulation.Time();
  const Clock::time_point start = Clock::now();
  ResultWriter writing(simulation, recorder, checkpoint);
  bool checkpoint_due = false;
  {
    Progress progress(begin, scene.duration, options.quiet ? 0.0 : options.progress);
    while (!simulation.Done() && !Interrupted()) {
      simulation.Step();
      const std::int64_t step = simulation.Counters().steps;
      if (step % sample_steps == 0 || simulation.Done()) recorder.Sample(simulation);
      checkpoint_due |= checkpoint_steps > 0 && step % checkpoint_steps == 0;
      if (checkpoint_due && !simulation.Done() && writing.CheckpointFitsIn()) {
        writing.Write(true);
        checkpoint_due = false;
      } else if (writing.FitsIn(kFlushSeconds)) {
        writing.Write(false);
      }
      progress.Show(simulation.Time());
    }
  }
  if (!simulation.Done()) {
    writing.Write(true);
    writing.Finish();
    std::cerr << fmt::format(
        "intervox: interrupted at t = {:.6g} s. The results so far and a checkpoint are saved; "
        "repeat the command with --resume to go on.\n",
        simulation.Time());
    return kFailed;
  }
  writing.Finish();
  recorder.Spill(simulation);
  const double wall = Since(start);  // with the results written
  WriteSummary(simulation, wall, begin, recorder);
  writing.Write(checkpoint_steps > 0);
  writing.Finish();
  if (options.json) {
    std::cout << SummaryJson(simulation, wall, begin) << '\n';
  } else if (!options.quiet) {
    std::cout << SummaryText(simulation, wall, begin);
  }
  if (const std::int64_t failures = simulation.Counters().engine_failures; failures > 0) {
    std::cerr << fmt::format(
        "intervox: warning: {} overlaps did not meet the tolerance; their best values were used. "
        "Raise engine.tolerance if that is good enough.\n",
        failures);
  }
  return WarnOfGains(simulation) ? kFailed : kDone;
}

/** Takes a run's results up again from its checkpoint; nothing where the run is complete. */
std::optional<host::Recorder> Resume(const std::filesystem::path& out,
                                     const std::filesystem::path& checkpoint,
                                     const std::function<host::Recorder()>& begin,
                                     Simulation* simulation) {
  std::error_code error;
  if (std::filesystem::is_regular_file(checkpoint, error)) {
    simulation->Restore(checkpoint);
    return host::Recorder::Resume(out, *simulation, host::ReadMark(checkpoint));
  }
  if (std::filesystem::exists(out, error) &&
      host::Recorder::IsComplete(out, simulation->GetScene())) {
    std::cerr << fmt::format("intervox: {}: the run is complete; there is nothing to resume.\n",
                             out.string());
    return std::nullopt;
  }
  std::cerr << fmt::format("intervox: {}: there is no checkpoint yet; the run starts anew.\n",
                           checkpoint.string());
  return begin();
}

int Run(const Options& options) {
  std::filesystem::path out = options.out;
  if (out.empty() && options.file == "-") {
    throw host::InputError(
        "command line: --out: missing. A scene from standard input has no name; name the results "
        "with -o.");
  }
  if (out.empty()) out = std::filesystem::path(options.file).stem().string() + ".h5";
  std::filesystem::path checkpoint = out;
  checkpoint.replace_extension(".checkpoint");
  const EngineOptions engine = ParseDevice(options.device, options.threads);
  MakeEngine(engine);
  RequireKind(options.file, "run", {FileKind::kScene});
  if (checkpoint == out) {
    throw host::InputError(out.string() +
                           ": results: this is the checkpoint's name. Name another with -o.");
  }
  host::RequireOther(out, options.file);
  host::RequireOther(checkpoint, options.file);
  host::RequireWritable(checkpoint);
  Simulation simulation(LoadScene(options.file, options.overrides), engine);
  CatchInterrupts();
  const auto begin = [&] {
    host::Recorder recorder =
        host::Recorder::Create(out, simulation, {Version(), Commit(), DeviceText(engine)});
    recorder.Sample(simulation);
    // An old checkpoint goes first: beside new results it would stand for what they are not.
    std::error_code error;
    std::filesystem::remove(checkpoint, error);
    host::SyncFolder(checkpoint.parent_path());
    recorder.Flush(simulation);
    return recorder;
  };
  std::optional<host::Recorder> recorder =
      options.resume ? Resume(out, checkpoint, begin, &simulation) : begin();
  if (!recorder) return kDone;
  if (!options.quiet) {
    for (const std::string& warning : simulation.Warnings()) {
      std::cerr << "intervox: warning: " << warning << '\n';
    }
  }
  try {
    const int status = Simulate(simulation, *recorder, checkpoint, options);
    if (!options.quiet && !options.json && status == kDone) {
      std::cout << "results: " << out.string() << '\n';
    }
    return status;
  } catch (const std::runtime_error&) {
    const Uninterrupted until_done;
    recorder->Flush(simulation);  // what was reached stays readable
    throw;
  }
}

}  // namespace

void AddRun(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  CLI::Option* file = command->add_option("file", options->file,
                                          "Scene file, intervox/scene/2 or 1; -: standard input");
  command
      ->add_option("--replay", options->replay,
                   "Results whose run is done again; in place of a scene")
      ->excludes(file);
  command->add_option("-o,--out", options->out, "Results, HDF5; default: the scene's name + .h5");
  command->add_option("--set", options->overrides, "Edit of the scene, path=value")
      ->expected(1)
      ->take_all();
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:k");
  command->add_option("--threads", options->threads, "0: all cores")->check(CLI::Range(0, 4096));
  command->add_flag("--resume", options->resume, "Go on from the checkpoint beside the results");
  command->add_flag("--json", options->json, "Print the summary as JSON");
  command
      ->add_option("--progress", options->progress,
                   "Time between lines of progress [s] where there is no terminal; 0: none")
      ->check(CLI::Range(0.0, 1e9));
  command->add_flag("-q,--quiet", options->quiet, "No progress bar, no summary");
  command->callback([options, &status] {
    if (options->replay.empty()) {
      if (options->file.empty()) throw CLI::RequiredError("file");
      status = Run(*options);
    } else {
      status = ReplayRun(options->replay, options->out,
                         ParseDevice(options->device, options->threads), options->quiet);
    }
  });
}

}  // namespace intervox::cli
