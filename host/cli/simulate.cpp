#include "host/cli/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>

#include "host/cli/cli.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/result_writer.h"
#include "host/cli/since.h"
#include "host/cli/summary.h"

namespace intervox::cli {
namespace {

using Clock = std::chrono::steady_clock;

/** Time between two writes of the results to disk [s]. */
constexpr double kFlushSeconds = 2.0;

/** A number of things: `one` for 1, else N `several`. */
std::string Times(std::int64_t count, const char* one, const char* several) {
  return count == 1 ? one : fmt::format("{} {}", count, several);
}

/** Lists the first records of what happened to bodies; energy(record) [J]. */
template <class Record, class Energy>
void ListFirst(const Simulation& simulation, std::span<const Record> records, const char* what,
               const Energy& energy) {
  constexpr std::size_t kMost = 5;
  for (const Record& record : records.first(std::min(records.size(), kMost))) {
    const std::string& body =
        simulation.GetScene().bodies[static_cast<std::size_t>(record.body)].name;
    std::cerr << fmt::format("  t = {:.6g} s, {:.3g} J{}, body {}\n", record.t, energy(record),
                             what, body);
  }
}

/** Says which substeps gained energy that nothing gave; whether there are any. */
bool WarnOfGains(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().gaining_substeps;
  if (count == 0) return false;
  std::cerr << fmt::format(
      "intervox: warning: {} gained energy that nothing gave; do not trust the motion from there "
      "on. Use a smaller step, less stiffness, or method ark3. The first:\n",
      Times(count, "1 substep", "substeps"));
  ListFirst(simulation, simulation.Gains(), "", [](const EnergyGain& x) { return x.gain; });
  return true;
}

/** Says where bodies were stopped, as no substep went without gaining energy. */
void WarnOfArrests(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().arrests;
  if (count == 0) return;
  std::cerr << fmt::format(
      "intervox: warning: {} bodies that touch were stopped against each other, as no substep went "
      "without gaining energy. Use a smaller step or less stiffness. The first:\n",
      Times(count, "once", "times"));
  ListFirst(simulation, simulation.Arrests(), " taken",
            [](const ArrestRecord& x) { return x.taken; });
}

/** The energy that has gone through a run, as an audit shows it [J]. */
double EnergyThrough(const EnergyAudit& e) {
  return e.kinetic + std::fabs(e.gravity) + std::fabs(e.elastic) + e.Dissipated() +
         std::fabs(e.work_applied) + std::fabs(e.work_driven);
}

/** The share of what went through from which on an energy without a source is told. */
constexpr double kWorthSaying = 0.01;

/** Says when the integrator leaves energy over. @param through  the most at any sample [J] */
void WarnOfTheBalance(const Simulation& simulation, double through) {
  const double balance = simulation.Energy().balance;
  if (!(std::fabs(balance) > kWorthSaying * through)) return;
  // What has never moved has rounding alone.
  if (simulation.RestingFor() >= simulation.Time()) return;
  std::cerr << fmt::format(
      "intervox: warning: the integrator left {:.3g} J over, {:.2g} % of what went through; do not "
      "trust the motion. Use a smaller step, in which bodies turn by less than 0.1 rad.\n",
      balance, 100.0 * std::fabs(balance) / through);
}

/** Says when the normal law itself has given energy: it is no gradient where contacts wrap around a
 part or their normal turns. */
void WarnOfTheLaw(const Simulation& simulation) {
  constexpr double kUnsure = 0.5;  // of what is stored now, which the moments tell to a fifth
  const EnergyAudit e = simulation.Energy();
  const double through = EnergyThrough(e);
  const double stored = std::fmax(0.0, e.law_gain + e.elastic);
  if (!(e.law_gain - kUnsure * stored > kWorthSaying * through)) return;
  std::cerr << fmt::format(
      "intervox: warning: the normal law gave {:.3g} J that nothing put into it, {:.2g} % of what "
      "went through: contacts wrap around a part or their normal turns, and little damping "
      "takes it away. Use normal: {{passive: 1}}, {{model: conserving}}, a lower restitution, or "
      "more stiffness.\n",
      e.law_gain, 100.0 * e.law_gain / through);
}

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
    if (!moves || !(constant > longest) || simulation.Time() - contact.since < constant) continue;
    longest = constant;
    slowest = &contact;
  }
  if (slowest == nullptr) return;
  const auto name = [&](int body) {
    return simulation.GetScene().bodies[static_cast<std::size_t>(body)].name;
  };
  std::cerr << fmt::format(
      "intervox: note: {} and {} settle into each other with a time constant of {:.2g} s, the "
      "damping factor times the depth. Give a larger v_small for a rest that comes sooner.\n",
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
  double through = EnergyThrough(simulation.Energy());
  {
    Progress progress(begin, course.end, telling.quiet ? 0.0 : telling.progress);
    while (!course.done() && !Interrupted()) {
      if (!course.step()) break;
      const std::int64_t step = simulation.Counters().steps;
      if (step % sample_steps == 0 || course.done()) {
        recorder.Sample(simulation);
        through = std::fmax(through, EnergyThrough(simulation.Energy()));
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
  if (const std::int64_t failures = simulation.Counters().engine_failures; failures > 0) {
    std::cerr << fmt::format(
        "intervox: warning: {} overlaps did not meet the tolerance; their best values were used. "
        "Raise engine.tolerance if that is good enough.\n",
        failures);
  }
  WarnOfArrests(simulation);
  WarnOfTheBalance(simulation, through);
  WarnOfTheLaw(simulation);
  TellOfSettling(simulation);
  return WarnOfGains(simulation) ? kFailed : kDone;
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
