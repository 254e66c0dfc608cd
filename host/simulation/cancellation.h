/** @file Giving up a step within it. */
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace intervox::host {

/** Ends a step that is given up, up to Dynamics::Step. */
struct StepCancelled {};

/** The wish to give up a step: asked for on the thread that makes this, known to all. */
class Cancellation {
 public:
  /** @param cancelled  says whether to give up; must outlive this; empty: never. */
  explicit Cancellation(const std::function<bool()>& cancelled)
      : cancelled_(cancelled), asking_(std::this_thread::get_id()) {}

  /** Whether the calling thread is the one that asks. */
  bool IsAsking() const { return cancelled_ && std::this_thread::get_id() == asking_; }
  /** Whether the step is to be given up. */
  bool Wished() {
    if (!wished_.load(std::memory_order_relaxed) && IsAsking() && cancelled_()) wished_ = true;
    return wished_.load(std::memory_order_relaxed);
  }
  /** @throws StepCancelled where it is. */
  void Check() {
    if (Wished()) throw StepCancelled{};
  }

 private:
  const std::function<bool()>& cancelled_;
  const std::thread::id asking_;
  std::atomic<bool> wished_{false};
};

}  // namespace intervox::host
