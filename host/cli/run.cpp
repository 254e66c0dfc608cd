// `intervox run`: simulates a scene, with a progress bar on a terminal and a summary at the end.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "host/cli/cli.h"
#include "host/cli/edits.h"
#include "host/cli/file_kind.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/replay.h"
#include "host/cli/simulate.h"
#include "host/cli/version.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/recorder.h"
#include "host/results/replace_file.h"
#include "host/simulation.h"
#include "host/simulation/checkpoint.h"

namespace intervox::cli {
namespace {

struct RunArguments {
  std::string file;
  std::string out;
  std::vector<std::string> overrides;
  std::string replay;
  std::string device = "auto";
  int threads = 0;
  bool resume = false;
  Telling telling;
};

std::string DeviceText(const EngineOptions& options) {
  if (options.device == Device::kCuda) return "cuda:" + std::to_string(options.cuda_device);
  const unsigned threads = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::thread::hardware_concurrency();
  return "cpu, " + std::to_string(options.device == Device::kSerial ? 1u : threads) + " threads";
}

/** Takes a run's results up again from its checkpoint; nothing where the run is complete. */
std::optional<host::Recorder> Resume(const std::filesystem::path& out,
                                     const std::filesystem::path& checkpoint,
                                     const std::function<host::Recorder()>& begin,
                                     Simulation* simulation) {
  std::error_code error;
  if (std::filesystem::is_regular_file(checkpoint, error)) {
    if (!std::filesystem::exists(out, error)) {
      throw host::InputError(fmt::format(
          "{}: there are no results, {}, beside this checkpoint. Put them back, or begin anew "
          "without --resume.",
          checkpoint.string(), out.string()));
    }
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

int RunScene(const RunArguments& options) {
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
  ShowGrids(!options.telling.quiet && options.telling.progress > 0);
  if (checkpoint == out) {
    throw host::InputError(out.string() +
                           ": results: this is the checkpoint's name. Name another with -o.");
  }
  host::RequireOther(out, options.file);
  host::RequireOther(checkpoint, options.file);
  host::RequireWritable(out);
  host::RequireWritable(checkpoint);
  Simulation simulation(LoadScene(options.file, options.overrides), engine);
  CatchInterrupts();
  const auto begin = [&] {
    host::Recorder recorder =
        host::Recorder::Create(out, simulation, {Version(), Commit(), DeviceText(engine)});
    // An old checkpoint goes first: beside new results it would stand for what they are not.
    std::error_code error;
    std::filesystem::remove(checkpoint, error);
    host::SyncFolder(checkpoint.parent_path());
    recorder.Flush(simulation);  // empty, so that chunks are written once
    recorder.Sample(simulation);
    return recorder;
  };
  std::optional<host::Recorder> recorder =
      options.resume ? Resume(out, checkpoint, begin, &simulation) : begin();
  if (!recorder) return kDone;
  if (!options.telling.quiet) Warn(simulation.Warnings());
  const Course course{simulation,
                      *recorder,
                      checkpoint,
                      simulation.GetScene().duration,
                      [&] { return simulation.Done(); },
                      [&] { return simulation.Step(Interrupted); },
                      "The results so far and a checkpoint are saved; repeat the command with "
                      "--resume to go on."};
  const int status = Simulate(course, options.telling);
  if (status == kDone && !options.telling.quiet && !options.telling.json) {
    std::cout << "results: " << out.string() << '\n';
  }
  return status;
}

}  // namespace

void AddRun(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  CLI::Option* file = command->add_option("file", options->file,
                                          "Scene file, intervox/scene/2 or 1; -: standard input");
  CLI::Option* replay = command
                            ->add_option("--replay", options->replay,
                                         "Results whose run is done again; in place of a scene")
                            ->excludes(file);
  command->add_option("-o,--out", options->out, "Results, HDF5; default: the scene's name + .h5");
  CLI::Option* set = AddEdits(command, &options->overrides);
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:k");
  command->add_option("--threads", options->threads, "0: all cores")->check(CLI::Range(0, 4096));
  CLI::Option* resume = command->add_flag("--resume", options->resume,
                                          "Go on from the checkpoint beside the results");
  replay->excludes(set)->excludes(resume);  // it is the same run, from its beginning
  command->add_flag("--json", options->telling.json, "Print the summary as JSON");
  command
      ->add_option("--progress", options->telling.progress,
                   "Time between lines of progress [s] where there is no terminal; 0: none")
      ->check(CLI::Range(0.0, 1e9));
  command->add_flag("-q,--quiet", options->telling.quiet, "No progress bar, no summary");
  command->callback([options, &status] {
    if (options->replay.empty()) {
      if (options->file.empty()) throw CLI::RequiredError("file");
      status = RunScene(*options);
    } else {
      status = ReplayRun(options->replay, options->out,
                         ParseDevice(options->device, options->threads), options->telling);
    }
  });
}

}  // namespace intervox::cli
