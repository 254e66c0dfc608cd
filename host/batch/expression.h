/** @file Expressions over a simulation, such as `position(peg)[2] < 0.0251`. */
#pragma once

#include <memory>
#include <string>

#include "host/simulation.h"

namespace intervox::host {

/** A formula of muParser's, in which words such as `position(peg)[2]` and `time` stand for what a
 simulation reports (docs/batch.md). Of one simulation at a time, because of what it keeps of the
 steps before: Watch is called at the start and after each step. */
class Expression {
 public:
  /** @param scene  whose bodies and sensors it names
   @throws std::invalid_argument saying what is wrong with the text, and the remedy. */
  Expression(const std::string& text, const Scene& scene);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /** Whether its value is a truth: a comparison, or several combined. */
  bool boolean() const;
  /** Takes note of the present for `max_over_time` and the like. */
  void Watch(const Simulation& simulation);
  /** Its value now; a truth is 0 or 1. May be infinite or not a number. */
  double Value(const Simulation& simulation);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox::host
