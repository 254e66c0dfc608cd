#include "host/cli/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include "host/cli/cli.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/result_writer.h"
#include "host/cli/since.h"
#include "host/cli/summary.h"
#include "host/cli/warn.h"
#include "host/simulation/warnings.h"

namespace intervox::cli {
namespace {

using Clock = std::chrono::steady_clock;

/** Time between two writes of the results to disk [s]. */
constexpr double kFlushSeconds = 2.0;

/** Names a contact that settles slowly, because it is damped like an impact at v_small. */
void TellOfSettling(const Simulation& simulation) {
  constexpr double kLong = 1.0;    // [s]
  constexpr double kMoves = 1e-6;  // share of the load that the damping carries
  const ContactReport* slowest = nullptr;
  double longest = kLong;
  for (const ContactReport& contact : simulation.Contacts()) {
    const double area = Norm(contact.geometry.S), a = std::fabs(contact.latch.a);
    if (!(area > 0.0)) continue;
    const double constant = a * contact.geometry.V / area;
    const bool moves = a * std::fabs(Dot(contact.geometry.n, contact.v_c)) > kMoves;
    if (!moves || !(constant > longest) || simulation.Time() - contact.since < kLong) continue;
    longest = constant;
    slowest = &contact;
  }
  if (slowest == nullptr) return;
  const auto name = [&](int body) {
    return simulation.GetScene().bodies[static_cast<std::size_t>(body)].name;
  };
  std::cerr << fmt::format(
      "intervox: note: {} and {} settle into each other with a time constant of {:.2g} s, the "
      "damping factor times the depth. Give a larger v_small, or latch: load, for a rest that "
      "comes sooner.\n",
      name(slowest->body_i), name(slowest->body_j), longest);
}

int StepToEnd(const Course& course, const Telling& telling) {
  Simulation& simulation = course.simulation;
  host::Recorder& recorder = course.recorder;
  const Scene& scene = simulation.GetScene();
  const bool with_checkpoints = !course.checkpoint.empty();
  const auto every = [&](double seconds) {
    const double steps = std::round(seconds / scene.integrator.step);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(steps, 1e15)));
  };
  const std::int64_t sample_steps = every(scene.output.every);
  const std::int64_t checkpoint_steps =
      with_checkpoints && scene.output.checkpoint_every ? every(*scene.output.checkpoint_every) : 0;
  const double begin = simulation.Time();
  const Clock::time_point start = Clock::now();
  ResultWriter writing(simulation, recorder, course.checkpoint);
  bool checkpoint_due = false;
  double through = host::EnergyThrough(simulation.Energy());
  {
    Progress progress(begin, course.end, telling.quiet ? 0.0 : telling.progress);
    while (!course.done() && !Interrupted()) {
      if (!course.step()) break;
      const std::int64_t step = simulation.Counters().steps;
      if (step % sample_steps == 0 || course.done()) {
        recorder.Sample(simulation);
        through = std::fmax(through, host::EnergyThrough(simulation.Energy()));
      }
      checkpoint_due |= checkpoint_steps > 0 && step % checkpoint_steps == 0;
      if (checkpoint_due && !course.done() && writing.CheckpointFitsIn()) {
        writing.Write(true);
        checkpoint_due = false;
      } else if (writing.FitsIn(kFlushSeconds)) {
        writing.Write(false);
      }
      progress.Show(simulation.Time());
    }
  }
  if (!course.done()) {
    writing.Write(with_checkpoints);
    writing.Finish();
    std::cerr << fmt::format("intervox: interrupted at t = {:.6g} s. {}\n", simulation.Time(),
                             course.go_on);
    return kFailed;
  }
  writing.Finish();
  recorder.Spill(simulation);
  const double wall = Since(start);  // with the results written
  WriteSummary(simulation, wall, begin, recorder);
  writing.Write(checkpoint_steps > 0);
  writing.Finish();
  if (telling.json) {
    std::cout << SummaryJson(simulation, wall, begin) << '\n';
  } else if (!telling.quiet) {
    std::cout << SummaryText(simulation, wall, begin);
  }
  Warn(host::WarningsOfRun(simulation, through));
  TellOfSettling(simulation);
  return simulation.Counters().gaining_substeps > 0 ? kFailed : kDone;
}

}  // namespace

int Simulate(const Course& course, const Telling& telling) {
  try {
    return StepToEnd(course, telling);
  } catch (const std::runtime_error&) {
    const Uninterrupted until_done;
    course.recorder.Flush(course.simulation);  // what was reached stays readable
    throw;
  }
}

}  // namespace intervox::cli
