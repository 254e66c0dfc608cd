/** @file Counts what an executable allocates. Replaces its global operators new and delete, so one
 source of an executable includes this. */
#pragma once

#include <cstdlib>
#include <new>

namespace intervox::testing {

/** Calls of operator new by this thread. */
inline thread_local long allocations = 0;

}  // namespace intervox::testing

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++intervox::testing::allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++intervox::testing::allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(align, (size + align - 1) / align * align)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++intervox::testing::allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
