/** @file Enclosures of the share of a box that surfaces cut off or leave. */
#pragma once

#include <span>

#include "cuda/certify/level.h"

namespace intervox::cuda::internal::certify {

/** A box of a frame by its corners, which are multiples of kGrain: middles and halves are exact. */
struct Box {
  Vec3 lower;
  Vec3 upper;

  /** Its centre. */
  Vec3 Centre() const { return 0.5 * (lower + upper); }
  /** Half extents. */
  Vec3 Half() const { return 0.5 * (upper - lower); }
};

/** Corners of boxes are multiples of this: sums and halves of such numbers below 2 are exact. */
inline constexpr double kGrain = 1.0 / (std::int64_t{1} << 44);

/** (S1)–(S3): bounds of the share of the box beyond the surface, f > 0. */
geometry::Bounds ShareBeyond(const BoxLevel& level);

/** (S4)–(S7): bounds of the share of the box within all surfaces. */
geometry::Bounds ShareWithin(std::span<const BoxLevel> levels);

/** (S8): shrinks the box to where a level may be ≤ 0. False where nothing is left. */
bool Shrink(const BoxLevel& level, Box* box);

}  // namespace intervox::cuda::internal::certify
