#include "host/cli/result_writer.h"

#include <cmath>
#include <functional>
#include <utility>

#include "host/cli/interrupt.h"
#include "host/cli/since.h"
#include "host/simulation/checkpoint.h"

namespace intervox::cli {
namespace {

/** Results are written again after at least so many times what the last writing took. */
constexpr double kShare = 20.0;
/** Checkpoints come at least so far apart: what a kill costs between them is soon run again [s]. */
constexpr double kSoon = 0.25;

}  // namespace

bool ResultWriter::FitsIn(double least_seconds) const {
  return Since(last_) > std::fmax(least_seconds, kShare * took_);
}

bool ResultWriter::CheckpointFitsIn() const { return FitsIn(kSoon); }

void ResultWriter::Write(bool with_checkpoint) {
  const Uninterrupted until_done;
  Finish();
  const Clock::time_point before = Clock::now();
  std::function<void()> write = recorder_.PrepareFlush(simulation_);
  if (with_checkpoint) {
    write = [flush = std::move(write), path = checkpoint_, bytes = simulation_.Save(),
             mark = recorder_.Mark()] {
      flush();
      host::WriteCheckpoint(path, bytes, mark);
    };
  }
  syncing_ = std::async(std::launch::async, std::move(write));
  last_ = Clock::now();
  took_ = Since(before);
}

void ResultWriter::Finish() {
  if (!syncing_.valid()) return;
  const Uninterrupted until_done;
  syncing_.get();
}

}  // namespace intervox::cli
