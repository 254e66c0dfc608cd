#include "host/cli/replay.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "host/cli/cli.h"
#include "host/cli/summary.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/inputs.h"
#include "host/results/recorder.h"

namespace intervox::cli {

int ReplayRun(const std::filesystem::path& results, const std::filesystem::path& out,
              const EngineOptions& engine, bool quiet) {
  if (out.empty()) {
    throw host::InputError("command line: --out: missing. Name the results to write with -o.");
  }
  host::RequireOther(out, results);
  host::RequireWritable(out);
  const host::RecordedRun run = host::ReadRun(results);
  Simulation simulation(run.scene, engine);
  host::Replay replay(run, &simulation);
  host::Recorder recorder =
      host::Recorder::Create(out, simulation, {Version(), Commit(), "cpu, replayed"});
  const double begin = simulation.Time();
  const auto start = std::chrono::steady_clock::now();
  const double steps = std::round(run.scene.output.every / run.scene.integrator.step);
  const auto every = static_cast<std::int64_t>(std::fmax(1.0, std::fmin(steps, 1e15)));
  recorder.Sample(simulation);
  while (!replay.Done()) {
    replay.Step();
    if (simulation.Counters().steps % every == 0 || replay.Done()) recorder.Sample(simulation);
  }
  recorder.Flush(simulation);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  WriteSummary(simulation, wall.count(), begin, recorder);
  recorder.Flush(simulation);
  if (!quiet) {
    std::cout << SummaryText(simulation, wall.count(), begin)
              << fmt::format("replayed: {} inputs of {}\nresults: {}\n", run.inputs.size(),
                             results.string(), out.string());
  }
  return kDone;
}

}  // namespace intervox::cli
