// Single calls, for comparison with the same from Python (bench/python/calls.py).
#include <benchmark/benchmark.h>

#include <vector>

#include "intervox.h"

namespace {

using namespace intervox;  // NOLINT(google-build-using-namespace): local to the benchmark

Simulation Peg() {
  Simulation simulation(LoadScene(std::string(INTERVOX_DATA_DIR) + "/scenes/peg_insertion.yaml"),
                        {Device::kSerial});
  for (int k = 0; k < 400; ++k) simulation.Step();
  return simulation;
}

void MeasureBallAndSlab(benchmark::State& state) {
  const std::vector<Cell> a = ToCells(*ParseShape("sphere: {radius: 0.1}", "a"));
  const std::vector<Cell> b = ToCells(*ParseShape("box: {size: [1, 1, 0.2]}", "b"));
  const Engine engine({Device::kSerial});
  MeasureOptions options;
  options.tolerance = 1e-4;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        MeasurePair(engine, a, b, Pose{}, {Mat3::Identity(), {0, 0, -0.199}}, options).sum.volume);
  }
}
BENCHMARK(MeasureBallAndSlab);

void StepPeg(benchmark::State& state) {
  Simulation simulation = Peg();
  const std::vector<unsigned char> start = simulation.Save();
  int k = 0;
  for (auto _ : state) {
    if (++k % 100 == 0) simulation.Restore(start);
    simulation.Step();
  }
}
BENCHMARK(StepPeg);

void SetWrench(benchmark::State& state) {
  Simulation simulation = Peg();
  for (auto _ : state) simulation.SetWrench(1, {0, 0, 0});
}
BENCHMARK(SetWrench);

void SetHolderTarget(benchmark::State& state) {
  Simulation simulation = Peg();
  const Pose X = simulation.State()[1].X_WB;
  for (auto _ : state) simulation.SetHolderTarget(1, X);
}
BENCHMARK(SetHolderTarget);

void Clone(benchmark::State& state) {
  const Simulation simulation = Peg();
  for (auto _ : state) benchmark::DoNotOptimize(simulation.Clone().Time());
}
BENCHMARK(Clone);

void Save(benchmark::State& state) {
  const Simulation simulation = Peg();
  for (auto _ : state) benchmark::DoNotOptimize(simulation.Save().data());
}
BENCHMARK(Save);

}  // namespace
