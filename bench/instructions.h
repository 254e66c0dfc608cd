/** @file The timed loop of every benchmark, with its user instructions counted beside the time. */
#pragma once

#include <benchmark/benchmark.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <limits>

namespace intervox::bench {

/** Counts the user instructions of the calling thread from its construction on, by the processor's
 own counter. */
class InstructionCounter {
 public:
  InstructionCounter() {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof(attributes);
    attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
  }
  ~InstructionCounter() {
    if (file_ >= 0) close(file_);
  }
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /** Instructions so far; NaN where the kernel or the machine lends no counter. */
  double Read() const {
    std::int64_t count = 0;
    if (file_ < 0 || read(file_, &count, sizeof(count)) != sizeof(count)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return static_cast<double>(count);
  }

 private:
  int file_ = -1;
};

/** Says once, above the table, where `instr` comes from on this machine. */
inline const bool kSaysWhereInstructionsComeFrom = [] {
  const bool counted = InstructionCounter().Read() >= 0;
  benchmark::AddCustomContext(
      "instr", counted ? "user instructions of one call, by the processor's counter"
                       : "n/a: no counter here; scripts/bench_instructions.py counts by callgrind");
  return counted;
}();

/** Runs f once each iteration and adds the counter `instr`, user instructions of one call. Out of
 line, so that callgrind can be told to count in here alone. */
template <class F>
[[gnu::noinline]] void TimedLoop(benchmark::State& state, F&& f) {
  const InstructionCounter counter;
  const double before = counter.Read();
  for (auto _ : state) f();
  const double count = counter.Read() - before;
  state.counters["instr"] = count / static_cast<double>(state.iterations());
}

}  // namespace intervox::bench
