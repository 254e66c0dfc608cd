/** @file Random numbers by counter: a draw depends on seed, run, path and its number alone, so that
 runs come out the same in any order, on any number of threads. */
#pragma once

#include <cstdint>
#include <string_view>

namespace intervox::host {

/** The draws of one sampled path in one run. */
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
  std::uint64_t path = 0;  ///< PathHash of the path
};

/** FNV-1a of a path's text. */
std::uint64_t PathHash(std::string_view path);

/** Draw number k, uniform in (0, 1): Philox 4x64-10. */
double UniformDraw(const Stream& stream, std::uint64_t k);
/** Draw number k of the standard normal distribution: the same, by Box and Muller. */
double NormalDraw(const Stream& stream, std::uint64_t k);

}  // namespace intervox::host
