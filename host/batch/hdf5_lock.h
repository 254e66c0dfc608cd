/** @file Debian's HDF5 library is for one thread at a time. */
#pragma once

#include <mutex>

namespace intervox::host {

/** Held around every call that may reach the HDF5 library while other threads may do so too. */
inline std::mutex& Hdf5Lock() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace intervox::host
