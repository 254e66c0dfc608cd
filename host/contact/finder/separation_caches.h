/** @file The separation caches of all near pairs of bodies. */
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuda/broad_phase/broad_phase.h"
#include "host/contact/finder/separation_cache.h"

namespace intervox::host {

/** Owns one separation cache for each near pair of bodies. Caches live while their pair is near.
 Memory follows the near pairs; allocates nothing in the steady state. */
class SeparationCaches {
 public:
  /** Sets caches[k] to the cache of near[k]: an empty one for a pair that has not been near at the
   last call. Caches of pairs that are no longer near are dropped. A cache keeps its address while
   its pair stays near.
   @param near  ascending, without duplicates. */
  void Update(std::span<const IndexPair> near, std::vector<SeparationCache*>* caches);

 private:
  struct Entry {
    IndexPair bodies;
    std::unique_ptr<SeparationCache> cache;
  };
  std::vector<Entry> entries_;  ///< ascending by bodies
  std::vector<Entry> next_;
  std::vector<std::unique_ptr<SeparationCache>> free_;
};

}  // namespace intervox::host
