// `intervox run`: simulates a scene, with a progress bar on a terminal and a summary at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "host/cli/cli.h"
#include "host/cli/replay.h"
#include "host/cli/summary.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/recorder.h"
#include "host/simulation.h"

namespace intervox::cli {
namespace {

using Clock = std::chrono::steady_clock;

/** Time between two writes of the results to disk [s]. */
constexpr double kFlushSeconds = 2.0;
/** It is at least so many times what the last one took. */
constexpr double kFlushShare = 20.0;
/** Time between two turns of the progress bar [s]. */
constexpr double kBarSeconds = 0.2;

volatile std::sig_atomic_t interrupted = 0;
/** The first signal asks for a clean end, a second one gets the system's. */
extern "C" void Interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

struct Options {
  std::string file;
  std::string out;
  std::vector<std::string> overrides;
  std::string replay;
  std::string device = "auto";
  int threads = 0;
  bool resume = false;
  bool quiet = false;
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/** A bar on standard error: fraction, simulated over wall time, time to go. */
class Progress {
 public:
  Progress(bool shown, double begin, double end) : shown_(shown), begin_(begin), end_(end) {}
  ~Progress() {
    if (shown_) std::cerr << "\r\033[K";
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(double t) {
    if (!shown_ || Since(last_) < kBarSeconds) return;
    last_ = Clock::now();
    const double wall = Since(start_);
    const double rate = wall > 0 ? (t - begin_) / wall : 0.0;
    const double fraction = end_ > 0 ? t / end_ : 1.0;
    constexpr int kWidth = 30;
    const int full = static_cast<int>(fraction * kWidth);
    std::cerr << fmt::format("\r\033[K[{}{}] {:5.1f} %  t = {:.3f} s  {:.2f} x real time",
                             std::string(static_cast<std::size_t>(full), '#'),
                             std::string(static_cast<std::size_t>(kWidth - full), '.'),
                             100 * fraction, t, rate);
    if (rate > 0) std::cerr << fmt::format("  {:.0f} s to go", (end_ - t) / rate);
    std::cerr << std::flush;
  }

 private:
  bool shown_;
  double begin_;
  double end_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/** Writes checkpoints one after the other on a thread of its own: syncing a disk takes milliseconds
 in which the simulation can go on. */
class CheckpointWriter {
 public:
  /** Starts `write` when the one before is done. @throws what that one threw. */
  void Write(std::function<void()> write) {
    Finish();
    writing_ = std::async(std::launch::async, std::move(write));
  }
  /** Waits. @throws what the writing threw. */
  void Finish() {
    if (writing_.valid()) writing_.get();
  }

 private:
  std::future<void> writing_;
};

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
  Clock::time_point flushed = start;
  double flush_time = 0.0;
  CheckpointWriter writer;
  const auto save = [&] {
    recorder.Flush(simulation);  // results never lag behind the checkpoint
    writer.Write(simulation.PrepareSave(checkpoint));
    flushed = Clock::now();
  };
  if (!options.resume) recorder.Sample(simulation);
  {
    Progress progress(!options.quiet && isatty(STDERR_FILENO) == 1, begin, scene.duration);
    while (!simulation.Done() && interrupted == 0) {
      simulation.Step();
      const std::int64_t step = simulation.Counters().steps;
      if (step % sample_steps == 0 || simulation.Done()) recorder.Sample(simulation);
      if (checkpoint_steps > 0 && step % checkpoint_steps == 0 && !simulation.Done()) save();
      if (Since(flushed) > std::fmax(kFlushSeconds, kFlushShare * flush_time)) {
        const Clock::time_point before = Clock::now();
        recorder.Flush(simulation);
        flushed = Clock::now();
        flush_time = Since(before);
      }
      progress.Show(simulation.Time());
    }
  }
  if (simulation.Done() && checkpoint_steps == 0) {
    recorder.Flush(simulation);
  } else {
    save();
    writer.Finish();
  }
  if (!simulation.Done()) {
    std::cerr << fmt::format(
        "intervox: interrupted at t = {:.6g} s. The results so far and a checkpoint are saved; "
        "repeat the command with --resume to go on.\n",
        simulation.Time());
    return kFailed;
  }
  const double wall = Since(start);  // with the results written
  WriteSummary(simulation, wall, begin, recorder);
  recorder.Flush(simulation);
  if (!options.quiet) std::cout << SummaryText(simulation, wall, begin);
  if (const std::int64_t failures = simulation.Counters().engine_failures; failures > 0) {
    std::cerr << fmt::format(
        "intervox: warning: {} overlaps did not meet the tolerance; their best values were used. "
        "Raise engine.tolerance if that is good enough.\n",
        failures);
  }
  return WarnOfGains(simulation) ? kFailed : kDone;
}

int Run(const Options& options) {
  std::filesystem::path out = options.out;
  if (out.empty()) out = std::filesystem::path(options.file).stem().string() + ".h5";
  std::filesystem::path checkpoint = out;
  checkpoint.replace_extension(".checkpoint");
  const EngineOptions engine = ParseDevice(options.device, options.threads);
  MakeEngine(engine);
  if (checkpoint == out) {
    throw host::InputError(out.string() +
                           ": results: this is the checkpoint's name. Name another with -o.");
  }
  host::RequireOther(out, options.file);
  host::RequireOther(checkpoint, options.file);
  host::RequireWritable(checkpoint);
  interrupted = 0;
  std::signal(SIGINT, Interrupt);
  std::signal(SIGTERM, Interrupt);
  Simulation simulation(LoadScene(options.file, options.overrides), engine);
  if (options.resume) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(checkpoint, error)) {
      throw host::InputError(checkpoint.string() +
                             ": checkpoint: no such file. Run without --resume, or name the "
                             "results with -o.");
    }
    simulation.Restore(checkpoint);
  }
  host::Recorder recorder =
      options.resume
          ? host::Recorder::Resume(out, simulation)
          : host::Recorder::Create(out, simulation, {Version(), Commit(), DeviceText(engine)});
  if (!options.quiet) {
    for (const std::string& warning : simulation.Warnings()) {
      std::cerr << "intervox: warning: " << warning << '\n';
    }
  }
  try {
    const int status = Simulate(simulation, recorder, checkpoint, options);
    if (!options.quiet && status == kDone) std::cout << "results: " << out.string() << '\n';
    return status;
  } catch (const std::runtime_error&) {
    recorder.Flush(simulation);  // what was reached stays readable
    throw;
  }
}

}  // namespace

void AddRun(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  CLI::Option* file =
      command->add_option("file", options->file, "Scene file, intervox/scene/2 or 1");
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
