/** @file How far a run is: a bar on a terminal, a line now and then elsewhere. */
#pragma once

#include <chrono>

namespace intervox::cli {

/** Reports on standard error: fraction, simulated over wall time, time to go. */
class Progress {
 public:
  /** @param begin, end  simulated time [s].
   @param seconds  between two lines where there is no terminal [s]; 0: nothing is said anywhere. */
  Progress(double begin, double end, double seconds);
  /** Wipes the bar. */
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /** Says that simulated time t is reached, when it is time to. */
  void Show(double t);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  double every_;
  double begin_;
  double end_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace intervox::cli
