/** @file The interval of a rate. */
#pragma once

#include <cmath>
#include <cstdint>

namespace intervox::host {

/** A rate with its 95 % interval. */
struct Rate {
  double rate = 0.0;
  double lo = 0.0;
  double hi = 1.0;
};

/** Wilson's score interval of `hits` out of `count` (E. B. Wilson, 1927). Without any: [0, 1]. */
inline Rate WilsonRate(std::int64_t hits, std::int64_t count) {
  if (count <= 0) return {};
  constexpr double z = 1.959963984540054;
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(hits) / n;
  const double center = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {p, std::fmax(0.0, center - half), std::fmin(1.0, center + half)};
}

}  // namespace intervox::host
