/** @file The faults of an input, gathered so that all are told of at once. */
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/input/error.h"

namespace intervox::host {

/** Messages of faults in the order in which they were found, each once. */
class Faults {
 public:
  /** Calls f and keeps the InputError that it throws. */
  template <class F>
  void Try(const F& f) {
    try {
      f();
    } catch (const InputError& error) {
      if (known_.insert(error.what()).second) messages_.emplace_back(error.what());
    }
  }

  /** Whether no fault was found. */
  bool IsEmpty() const { return messages_.empty(); }

  /** Ends the reading where there are faults. @throws InputError with a line for each, up to
   kMostFaults, and how many there are */
  void Throw() const;

  /** Lines that one message has at most. */
  static constexpr std::size_t kMostFaults = 20;

 private:
  std::vector<std::string> messages_;
  std::set<std::string> known_;
};

}  // namespace intervox::host
