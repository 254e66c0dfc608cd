#include "host/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "host/cli/since.h"
#include "host/scene/grids.h"

namespace intervox::cli {
namespace {

/** Time between two turns of the bar [s]. */
constexpr double kBarSeconds = 0.2;

}  // namespace

Bar::Bar(double seconds)
    : terminal_(seconds > 0 && isatty(STDERR_FILENO) == 1),
      every_(terminal_ ? kBarSeconds : seconds) {}

Bar::~Bar() {
  if (terminal_) std::cerr << "\r\033[K";
}

bool Bar::IsDue() const { return every_ > 0 && Since(last_) >= every_; }

double Bar::Elapsed() const { return Since(start_); }

void Bar::Show(double fraction, const std::string& text) {
  last_ = Clock::now();
  std::string line = terminal_ ? "\r\033[K" : "intervox: ";
  if (terminal_) {
    constexpr int kWidth = 30;
    const int full = static_cast<int>(fraction * kWidth);
    line += '[' + std::string(static_cast<std::size_t>(full), '#') +
            std::string(static_cast<std::size_t>(kWidth - full), '.') + "] ";
  }
  line += fmt::format("{:5.1f} %  {}", 100 * fraction, text);
  if (!terminal_) line += '\n';
  std::cerr << line << std::flush;
}

void Progress::Show(double t) {
  if (!bar_.IsDue()) return;
  const double wall = bar_.Elapsed();
  const double rate = wall > 0 ? (t - begin_) / wall : 0.0;
  std::string text = fmt::format("t = {:.3f} s  {:.2f} x real time", t, rate);
  if (rate > 0) text += fmt::format("  {:.0f} s to go", (end_ - t) / rate);
  bar_.Show(end_ > 0 ? t / end_ : 1.0, text);
}

void WorkProgress::Show(double fraction) {
  if (!bar_.IsDue()) return;
  std::string text = work_;
  if (fraction > 0) {
    text += fmt::format("  {:.0f} s to go", bar_.Elapsed() * (1 - fraction) / fraction);
  }
  bar_.Show(fraction, text);
}

void ShowGrids(bool shown) {
  if (!shown) return host::SetGridWatch({});
  const auto progress = std::make_shared<std::optional<WorkProgress>>();
  host::SetGridWatch([progress](int done, int count) {
    if (done == 0) progress->emplace("working on a grid");
    if (done == count) return progress->reset();
    (*progress)->Show(static_cast<double>(done) / count);
  });
}

}  // namespace intervox::cli
