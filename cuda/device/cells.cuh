/** @file The cells of a batch, each once, on the host and on the device. */
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/device/state.cuh"
#include "geometry/cell.h"

namespace intervox::cuda {

/** The cells of a batch by number, in the order in which they were met. They must outlive it. */
class DeviceCells {
 public:
  /** Kinds of cells are told apart by a number below this one; two kinds may share theirs. */
  static constexpr int kKinds = 64;

  /** The number of a cell, which is taken in where it is new. O(1). */
  std::int32_t NumberOf(const geometry::Cell& cell);
  /** The same for cells whose surfaces are of the same kinds, in the same order. */
  int KindOf(std::int32_t number) const { return kinds_[static_cast<std::size_t>(number)]; }

  /** Copies all cells to the device: their surfaces, corners and bounds, and a table of views. */
  void Upload(int threads, DeviceState* state);
  /** The views by number, on the device; after Upload. */
  const CellView* d_views() const { return d_views_; }

 private:
  void Grow();

  std::vector<const geometry::Cell*> cells_;
  std::vector<std::uint8_t> kinds_;
  std::vector<std::int32_t> slots_;  ///< an open hash table of numbers, −1 where there is none
  const CellView* d_views_ = nullptr;
};

}  // namespace intervox::cuda
