/** @file Signals that ask a run to end: Ctrl-C, a request to terminate, a terminal that closes. */
#pragma once

namespace intervox::cli {

/** From now on SIGINT, SIGTERM and SIGHUP ask for an end instead of making one; a second one makes
 it, but not while results are written. One that is ignored, as by nohup, stays ignored. */
void CatchInterrupts();

/** Whether an end was asked for. */
bool Interrupted();

/** While one lives, no signal ends the program. */
class Uninterrupted {
 public:
  /** From now on. */
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace intervox::cli
