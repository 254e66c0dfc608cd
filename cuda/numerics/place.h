/** @file Room for what is too large for the stack of a device's thread. */
#pragma once

#include <new>
#include <utility>

#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** Room for a T, in which nothing is until it is made. A rule's memory consists of these: on the
 CPU it lies on the stack, on a device in global memory. */
template <class T>
union Place {
  T value;

  INTERVOX_HD Place() {}

  /** Makes a T there, as a local variable is made: what has no initialiser is not set. */
  INTERVOX_HD T& Make() { return *::new (static_cast<void*>(&value)) T; }
  /** Makes a T there. */
  template <class... From>
  INTERVOX_HD T& Make(From&&... from) {
    return *::new (static_cast<void*>(&value)) T(std::forward<From>(from)...);
  }
};

}  // namespace intervox::cuda::internal
