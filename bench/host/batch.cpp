// A world of a batch: what it takes to make one, what it holds beyond the shared scene, and how
// fast a peg in contact is stepped at 250 µs; and how many times real time whole scenes are
// stepped, start-up apart; and what a second thread brings a batch. Run with
// --benchmark_filter=Peg, Scene or Threads.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "host/batch/batch.h"
#include "host/batch/run.h"
#include "host/batch/runner.h"

namespace intervox::host {
namespace {

const std::filesystem::path kBatches = std::filesystem::path(INTERVOX_DATA_DIR) / "batches";

Batch Read(const char* file) { return LoadBatch(kBatches / file, {"integrator.step=250e-6"}); }

/** Bytes that malloc has given out. */
double Allocated() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); }

/** Makes the world of a run, cells shared; bytes: held by each while none is stepped. */
void MakeWorld(benchmark::State& state, const char* file) {
  const Batch batch = Read(file);
  const Simulation like(batch.scene, EngineOptions{Device::kSerial, 1});
  std::vector<Simulation> worlds;
  worlds.reserve(100000);
  const double before = Allocated();
  for (auto _ : state) {
    const auto run = static_cast<std::int64_t>(worlds.size());
    worlds.emplace_back(SceneWith(batch, DrawRun(batch, run)), like);
  }
  state.counters["bytes"] = (Allocated() - before) / static_cast<double>(worlds.size());
}
BENCHMARK_CAPTURE(MakeWorld, peg, "peg_chamfer.yaml")->Iterations(100);
BENCHMARK_CAPTURE(MakeWorld, battery_box, "battery_box.yaml")->Iterations(20);

/** Steps of the shipped peg at 250 µs and tolerance 1e-3 while it slides down the wall of its hole:
 from 0.5 s on, all of them in contact. bytes: held by the world that has been stepped. */
void PegInContact(benchmark::State& state) {
  const Scene scene =
      LoadScene(kBatches / "../scenes/peg_insertion.yaml", {"integrator.step=250e-6"});
  const Simulation like(scene, EngineOptions{Device::kSerial, 1});
  const double before = Allocated();
  Simulation simulation(scene, like);
  while (simulation.Time() < 0.5) simulation.Step();
  std::int64_t touching = 0, steps = 0;
  for (auto _ : state) {
    simulation.Step();
    ++steps;
    touching += simulation.Contacts().empty() ? 0 : 1;
  }
  state.SetItemsProcessed(steps);
  state.counters["in_contact"] = static_cast<double>(touching) / static_cast<double>(steps);
  state.counters["bytes"] = Allocated() - before;
}
BENCHMARK(PegInContact)->Iterations(2000)->Unit(benchmark::kMicrosecond);

/** A shipped scene from its start to its end, on one thread, without the start-up. times_real_time:
 simulated over the processor's time. */
void WholeScene(benchmark::State& state, const char* file) {
  const Scene scene = LoadScene(kBatches / "../scenes" / file);
  const Simulation like(scene, EngineOptions{Device::kSerial, 1});
  double simulated = 0.0;
  for (auto _ : state) {
    state.PauseTiming();
    Simulation simulation(scene, like);
    state.ResumeTiming();
    while (!simulation.Done()) simulation.Step();
    simulated += simulation.Time();
  }
  state.counters["times_real_time"] = benchmark::Counter(simulated, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(WholeScene, peg_insertion, "peg_insertion.yaml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(WholeScene, battery_box, "battery_box.yaml")->Unit(benchmark::kMillisecond);

/** A batch of 40 loose pegs from its start to its table, on so many threads. The quotient of two
 rows' items_per_second says how many times faster more threads are; CPU is that of all threads. */
void BatchOnThreads(benchmark::State& state) {
  Batch batch = LoadBatch(kBatches / "peg_loose.yaml");
  batch.number = 40;
  BatchOptions options;
  options.folder = std::filesystem::temp_directory_path() / "intervox_bench_batch";
  options.threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
    std::filesystem::remove_all(options.folder);
    RunBatch(batch, options);
  }
  std::filesystem::remove_all(options.folder);
  state.SetItemsProcessed(state.iterations() * batch.number);
}
BENCHMARK(BatchOnThreads)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace intervox::host
