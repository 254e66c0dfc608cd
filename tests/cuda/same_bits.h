/** @file What it means that two computations of metrics agree, and queries to compare them on. */
#pragma once

#include <cstring>
#include <vector>

#include "cuda/engine.h"
#include "tests/cuda/families.h"

namespace intervox::testing {

/** Field by field, since padding has no bits to compare. */
inline bool SameBits(const InterferenceMetrics& a, const InterferenceMetrics& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  };
  return same(a.volume, b.volume) && same(a.p_WC, b.p_WC) && same(a.J_W, b.J_W) &&
         same(a.area_vector, b.area_vector) && same(a.area_moment, b.area_moment) &&
         same(a.volume_lo, b.volume_lo) && same(a.volume_hi, b.volume_hi) &&
         same(a.volume_error, b.volume_error) && a.status == b.status && a.rule == b.rule &&
         a.contained == b.contained && a.work == b.work;
}

/** Each family with each, in random poses; the families must outlive the queries. */
inline std::vector<PairQuery> RandomQueries(const std::vector<Family>& families, int count,
                                            unsigned seed = 1) {
  Random random(seed);
  std::vector<PairQuery> queries;
  for (int i = 0; i < count; ++i) {
    const std::size_t n = families.size();
    queries.push_back({&families[i % n].cell, &families[i / n % n].cell, random.RandomPose(0.4),
                       random.RandomPose(0.4)});
  }
  return queries;
}

}  // namespace intervox::testing
