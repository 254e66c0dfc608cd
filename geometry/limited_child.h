/** @file Work on files that may be hostile, in a child process with limits. */
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace intervox::geometry {

/** What a child process may take. */
struct ChildLimits {
  double seconds = 10;          ///< of processor time; ten times as long by the clock
  std::size_t bytes = 0;        ///< of memory, beyond what its parent has
  std::size_t most = 1u << 30;  ///< bytes that it may hand back
};

/** How a child process ended. */
enum class ChildEnd {
  kDone,     ///< its work returned
  kThrew,    ///< its work threw an exception
  kCrashed,  ///< a signal ended it
  kTooLong,  ///< it ran out of time
  kTooMuch,  ///< it ran out of memory
};

/** What became of a child process. */
struct ChildResult {
  ChildEnd end = ChildEnd::kCrashed;
  std::string bytes;  ///< what its work returned, or the exception's message
};

/** Says how a child process ended that did not come to an end of its own: "it took more than 10 s
 of processor time". */
std::string TextOf(ChildEnd end, const ChildLimits& limits);

/** The limits for reading a file: 5 s and a second for every 10 MB, and half of the memory that is
 free. */
ChildLimits LimitsOfReading(std::size_t file_bytes);

/** Runs work in a child process and waits for what it returns. What it writes to the standard
 streams is lost, and nothing that it changes in memory is seen here.
 @throws std::runtime_error where no process can be made. */
ChildResult RunInChild(const ChildLimits& limits, const std::function<std::string()>& work);

}  // namespace intervox::geometry
