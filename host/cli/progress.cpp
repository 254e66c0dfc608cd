#include "host/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "host/cli/since.h"

namespace intervox::cli {
namespace {

/** Time between two turns of the bar [s]. */
constexpr double kBarSeconds = 0.2;

}  // namespace

Progress::Progress(double begin, double end, double seconds)
    : terminal_(seconds > 0 && isatty(STDERR_FILENO) == 1),
      every_(terminal_ ? kBarSeconds : seconds),
      begin_(begin),
      end_(end) {}

Progress::~Progress() {
  if (terminal_) std::cerr << "\r\033[K";
}

void Progress::Show(double t) {
  if (every_ <= 0 || Since(last_) < every_) return;
  last_ = Clock::now();
  const double wall = Since(start_);
  const double rate = wall > 0 ? (t - begin_) / wall : 0.0;
  const double fraction = end_ > 0 ? t / end_ : 1.0;
  std::string text = terminal_ ? "\r\033[K" : "intervox: ";
  if (terminal_) {
    constexpr int kWidth = 30;
    const int full = static_cast<int>(fraction * kWidth);
    text += '[' + std::string(static_cast<std::size_t>(full), '#') +
            std::string(static_cast<std::size_t>(kWidth - full), '.') + "] ";
  }
  text += fmt::format("{:5.1f} %  t = {:.3f} s  {:.2f} x real time", 100 * fraction, t, rate);
  if (rate > 0) text += fmt::format("  {:.0f} s to go", (end_ - t) / rate);
  if (!terminal_) text += '\n';
  std::cerr << text << std::flush;
}

}  // namespace intervox::cli
