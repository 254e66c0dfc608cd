/** @file "Device" memory of the stand-in: apart from all else, and what may be read of it. */
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "cuda/cell_view.h"

namespace stand_in {

/** Where allocations start, and their bytes. */
inline std::map<const char*, std::size_t>& Allocations() {
  static std::map<const char*, std::size_t> allocations;
  return allocations;
}

inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "stand-in for CUDA: %s\n", what);
  std::abort();
}

/** Whether `count` values at p lie in one allocation. */
template <class T>
bool OnDevice(const T* p, std::size_t count) {
  const char* at = reinterpret_cast<const char*>(p);
  auto next = Allocations().upper_bound(at);
  if (next == Allocations().begin()) return false;
  --next;
  return at + count * sizeof(T) <= next->first + next->second;
}

inline void CheckView(const intervox::cuda::CellView& cell) {
  const auto check = [](const auto* p, int count) {
    Require(OnDevice(p, static_cast<std::size_t>(count)), "a view points to host memory");
  };
  check(cell.surfaces, cell.surface_count);
  check(cell.bounds, 1);
  if (cell.corner_count == 0) return;
  check(cell.corners, cell.corner_count);
  check(cell.loop_begin, cell.face_count + 1);
  check(cell.loop, cell.loop_begin[cell.face_count]);
  check(cell.loop_surface, cell.face_count);
}

}  // namespace stand_in
