#include "host/batch/progress_text.h"

#include <fmt/format.h>

namespace intervox::host {
namespace {

std::string RateText(const Batch& batch, const BatchProgress& p) {
  if (p.outcome < 0 || p.finished == p.failed) return "";
  return fmt::format(", {} {:.1f} % [{:.1f}, {:.1f}]",
                     batch.outcomes[static_cast<std::size_t>(p.outcome)].name, 100 * p.rate.rate,
                     100 * p.rate.lo, 100 * p.rate.hi);
}

/** A time in the unit that keeps it readable. */
std::string TimeText(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string ProgressText(const Batch& batch, const BatchProgress& p) {
  std::string text =
      fmt::format("{} of {}{} runs", p.finished, batch.until ? "at most " : "", p.total);
  if (p.failed > 0) text += fmt::format(", {} failed", p.failed);
  text += RateText(batch, p);
  if (p.here == 0 || p.seconds <= 0) return text;
  const double rate = static_cast<double>(p.here) / p.seconds;
  return text + fmt::format("; {:.3g} runs/s, {}{} to go", rate, batch.until ? "at most " : "",
                            TimeText(static_cast<double>(p.pending) / rate));
}

}  // namespace intervox::host
