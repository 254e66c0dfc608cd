#include "host/cli/replay.h"

#include <fmt/format.h>

#include <iostream>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/interrupt.h"
#include "host/cli/version.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/inputs.h"
#include "host/results/recorder.h"

namespace intervox::cli {

int ReplayRun(const std::filesystem::path& results, const std::filesystem::path& out,
              const EngineOptions& engine, const Telling& telling) {
  if (out.empty()) {
    throw host::InputError("command line: --out: missing. Name the results to write with -o.");
  }
  RequireKind(results.string(), "run --replay", {FileKind::kResults});
  host::RequireOther(out, results);
  host::RequireWritable(out);
  const host::RecordedRun run = host::ReadRun(results);
  Simulation simulation(run.scene, engine);
  CatchInterrupts();
  host::Replay replay(run, &simulation);
  host::Recorder recorder =
      host::Recorder::Create(out, simulation, {Version(), Commit(), "cpu, replayed"});
  recorder.Flush(simulation);
  recorder.Sample(simulation);
  const Course course{simulation,
                      recorder,
                      {},
                      run.end,
                      [&] { return replay.Done(); },
                      [&] { return replay.Step(Interrupted); },
                      "The results so far are saved. A replay begins anew: repeat the command."};
  const int status = Simulate(course, telling);
  if (replay.Done() && !telling.quiet && !telling.json) {
    std::cout << fmt::format("replayed: {} inputs of {}\nresults: {}\n", run.inputs.size(),
                             results.string(), out.string());
  }
  return status;
}

}  // namespace intervox::cli
