/** @file How far a run is: a bar on a terminal, a line now and then elsewhere. */
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace intervox::cli {

/** Time between lines where there is no terminal, and nobody said another one [s]. */
inline constexpr double kProgressSeconds = 10.0;

/** A bar on standard error where that is a terminal, a line now and then elsewhere. */
class Bar {
 public:
  /** @param seconds  between two lines where there is no terminal [s]; 0: nothing is said anywhere.
   */
  explicit Bar(double seconds);
  /** Wipes the bar. */
  ~Bar();
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  /** Whether it is time to say something: call Show then. */
  bool IsDue() const;
  /** The time since the work began [s]. */
  double Elapsed() const;
  /** Says how much of the work is done, and the text behind it. */
  void Show(double fraction, const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  double every_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/** Reports on a run: fraction, simulated over wall time, time to go. */
class Progress {
 public:
  /** @param begin, end  simulated time [s].
   @param seconds  of the Bar. */
  Progress(double begin, double end, double seconds) : bar_(seconds), begin_(begin), end_(end) {}

  /** Says that simulated time t is reached, when it is time to. */
  void Show(double t);

 private:
  Bar bar_;
  double begin_;
  double end_;
};

/** Reports on work that has a name: fraction, time to go. */
class WorkProgress {
 public:
  /** @param work  what it is, for example "meshing 'ball'" */
  explicit WorkProgress(std::string work, double seconds = kProgressSeconds)
      : bar_(seconds), work_(std::move(work)) {}

  /** Says how much is done, when it is time to. */
  void Show(double fraction);

 private:
  Bar bar_;
  std::string work_;
};

/** From now on long work on grids shows its progress, or none does. */
void ShowGrids(bool shown);

}  // namespace intervox::cli
