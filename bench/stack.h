/** @file How much stack a call takes, measured. */
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace intervox::bench {

/** Bytes of stack that f takes at its deepest, on top of what an empty call takes: f runs in a
 thread whose stack was filled with a pattern, and what it overwrote is counted. f must not throw.
 */
template <class F>
std::size_t StackOf(F&& f) {
  // Thread locals live on top of a thread's stack and are first touched in the empty call as well.
  constexpr std::size_t kBytes = 2 << 20;
  constexpr unsigned char kPattern = 0xa5;
  const auto used = [&](bool call) {
    const std::unique_ptr<unsigned char[]> memory(new unsigned char[kBytes]);
    std::fill_n(memory.get(), kBytes, kPattern);
    struct Task {
      F* f;
      bool call;
    } task{&f, call};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory.get(), kBytes);
    pthread_t thread;
    const auto run = [](void* t) -> void* {
      const Task& todo = *static_cast<Task*>(t);
      if (todo.call) (*todo.f)();
      return nullptr;
    };
    if (pthread_create(&thread, &attributes, run, &task) != 0) return std::size_t{0};
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    // Stacks grow downwards.
    std::size_t untouched = 0;
    while (untouched < kBytes && memory[untouched] == kPattern) ++untouched;
    return kBytes - untouched;
  };
  return used(true) - used(false);
}

}  // namespace intervox::bench
