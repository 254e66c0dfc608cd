#include "host/cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace intervox::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t writing = 0;

extern "C" void Interrupt(int signal) {
  if (interrupted != 0 && writing == 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // delivered when this function returns
  }
  interrupted = 1;
}

}  // namespace

void CatchInterrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, Interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool Interrupted() { return interrupted != 0; }

// The signals come to any thread; results are prepared by one.
Uninterrupted::Uninterrupted() { writing = writing + 1; }
Uninterrupted::~Uninterrupted() { writing = writing - 1; }

}  // namespace intervox::cli
