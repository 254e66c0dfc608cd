#include "host/simulation/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace intervox::host {
namespace {

/** A number of things: `one` for 1, else N `several`. */
std::string Times(std::int64_t count, const char* one, const char* several) {
  return count == 1 ? one : fmt::format("{} {}", count, several);
}

/** The first records of what happened to bodies, a line each; energy(record) [J]. */
template <class Record, class Energy>
std::string First(const Simulation& simulation, std::span<const Record> records, const char* what,
                  const Energy& energy) {
  constexpr std::size_t kMost = 5;
  std::string lines;
  for (const Record& record : records.first(std::min(records.size(), kMost))) {
    lines += fmt::format("\n  t = {:.6g} s, {:.3g} J{}, body {}", record.t, energy(record), what,
                         simulation.GetScene().bodies[static_cast<std::size_t>(record.body)].name);
  }
  return lines;
}

/** Which substeps gained energy that nothing gave. */
std::string OfGains(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().gaining_substeps;
  if (count == 0) return "";
  return fmt::format(
      "{} gained energy that nothing gave; do not trust the motion from there on. Use a smaller "
      "step, less stiffness, or method ark3. The first:{}",
      Times(count, "1 substep", "substeps"),
      First(simulation, simulation.Gains(), "", [](const EnergyGain& x) { return x.gain; }));
}

/** Where bodies were stopped, as no substep went without gaining energy. */
std::string OfArrests(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().arrests;
  if (count == 0) return "";
  return fmt::format(
      "{} bodies that touch were stopped against each other, as no substep went without gaining "
      "energy. Use a smaller step or less stiffness. The first:{}",
      Times(count, "once", "times"),
      First(simulation, simulation.Arrests(), " taken",
            [](const ArrestRecord& x) { return x.taken; }));
}

std::string OfFailures(const Simulation& simulation) {
  const std::int64_t count = simulation.Counters().engine_failures;
  if (count == 0) return "";
  return fmt::format(
      "{} not meet the tolerance; their best values were used. Raise engine.tolerance if that is "
      "good enough.",
      Times(count, "1 overlap did", "overlaps did"));
}

/** The share of what went through from which on an energy without a source is told. */
constexpr double kWorthSaying = 0.01;

/** What the integrator leaves over. @param through  the most at any sample [J] */
std::string OfTheBalance(const Simulation& simulation, double through) {
  const double balance = simulation.Energy().balance;
  if (!(std::fabs(balance) > kWorthSaying * through)) return "";
  // What has never moved has rounding alone.
  if (simulation.RestingFor() >= simulation.Time()) return "";
  return fmt::format(
      "the integrator left {:.3g} J over, {:.2g} % of what went through; do not trust the motion. "
      "Use a smaller step, in which bodies turn by less than 0.1 rad.",
      balance, 100.0 * std::fabs(balance) / through);
}

/** What the normal law itself has given: it is no gradient where contacts wrap around a part or
 their normal turns. */
std::string OfTheLaw(const Simulation& simulation) {
  constexpr double kUnsure = 0.5;  // of what is stored now, which the moments tell to a fifth
  const EnergyAudit e = simulation.Energy();
  const double through = EnergyThrough(e);
  if (!(e.law_gain - kUnsure * e.Stored() > kWorthSaying * through)) return "";
  return fmt::format(
      "the normal law gave {:.3g} J that nothing put into it, {:.2g} % of what went through: "
      "contacts wrap around a part or their normal turns, and little damping takes it away. Use "
      "normal: {{passive: 1}}, {{model: conserving}}, a lower restitution, or more stiffness.",
      e.law_gain, 100.0 * e.law_gain / through);
}

}  // namespace

double EnergyThrough(const EnergyAudit& e) {
  return e.kinetic + std::fabs(e.gravity) + std::fabs(e.elastic) + e.Dissipated() +
         std::fabs(e.work_applied) + std::fabs(e.work_driven);
}

std::vector<std::string> WarningsOfRun(const Simulation& simulation, double through) {
  std::vector<std::string> warnings{OfFailures(simulation), OfArrests(simulation),
                                    OfTheBalance(simulation, through), OfTheLaw(simulation),
                                    OfGains(simulation)};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace intervox::host
