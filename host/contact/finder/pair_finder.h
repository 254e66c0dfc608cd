/** @file Which cells of near bodies overlap now: Verlet lists, then boxes, then the engine. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/engine.h"
#include "cuda/wall/wall_normal.h"
#include "host/contact/finder/separation_cache.h"

namespace intervox::host {

/** A cell pair that overlaps, or one point of it. Lists of them ascend by (i, j, a, b, point). */
struct ActivePair {
  int i = 0;  ///< body
  int j = 0;  ///< body, i < j
  int a = 0;  ///< cell of body i
  int b = 0;  ///< cell of body j
  InterferenceMetrics metrics;
  WallMean wall;                ///< of the round wall that they meet at
  int point = 0;                ///< which of the pair's points, where bodies touch in points
  double k_1 = 0.0, k_2 = 0.0;  ///< of the gap, where its NearPair asks for them [1/m]
  Vec3 d_1{};                   ///< the direction of k_1, of volumes
  double weight = 1.0;          ///< of the point's stiffness [–]
  double nearby = 0.0;          ///< a distance that is small beside both cells, of a point [m]
};

/** Two bodies whose cells may overlap, and what is remembered of them. */
struct NearPair {
  int i = 0;  ///< index of the body's pose
  int j = 0;  ///< likewise, i < j
  const BodyCells* cells_i = nullptr;
  const BodyCells* cells_j = nullptr;
  SeparationCache* cache = nullptr;  ///< of these cells of these bodies, and of no other pair
  bool points = false;               ///< they touch in points, not in volumes
  bool curvatures = false;           ///< contacts know the curvatures of the gap
  double power = 2.5;                ///< of the depth in the energy of points [–]
};

/** How a finder queries the engine. */
struct FinderSettings {
  double tolerance = 1e-3;
  double voxel_size = 0.0;
  LeafRule rule = LeafRule::kAuto;
  double volume_floor = 0.0;  ///< PairQuery::volume_floor [m³]
};

/** What finders have done so far. */
struct FinderCounters {
  std::int64_t queries = 0;   ///< cell pairs given to the engine; depends on the caches
  std::int64_t failures = 0;  ///< pairs whose status was neither ok nor disjoint
};

/** Working memory of a finder, and what it counts. One for each thread. */
struct FinderScratch {
  FinderCounters counters;
  int threads = 1;  ///< for looking through the near pairs; the engine has its own

  /** A query's place: the near pair, and the candidate in its list. */
  struct Place {
    std::size_t pair = 0;
    std::size_t candidate = 0;
  };
  /** Queries of some consecutive near pairs. */
  struct Range {
    std::vector<Place> places;
    double cost = 0.0;  ///< estimate for them [µs]
  };
  std::vector<Range> ranges;  ///< working memory, as are the next
  std::vector<Place> places;
  std::vector<PairQuery> queries;
  std::vector<InterferenceMetrics> metrics;
  /** Of each place, its points after the first; where it has none, one on a cut face. */
  std::vector<std::vector<ActivePair>> further;
  std::vector<ActivePair> all;  ///< with these in their places
};

/** Finds the overlapping cell pairs of near bodies. Has no state: calls from several threads are
 safe with disjoint pairs and a scratch each. */
class PairFinder {
 public:
  /** @param engine  must outlive the finder. */
  PairFinder(const Engine& engine, const FinderSettings& settings)
      : engine_(&engine), settings_(settings) {}

  /** What it was made with. */
  const FinderSettings& settings() const { return settings_; }

  /** Clears `out` and fills it with the overlapping cell pairs at the poses X_WB: ascending by
   (i, j, a, b) where the near pairs ascend by (i, j). The result is a pure function of the poses.
   Allocates nothing in the steady state. */
  void Find(std::span<const NearPair> pairs, std::span<const Pose> X_WB, FinderScratch* scratch,
            std::vector<ActivePair>* out) const;

 private:
  double Ask(std::span<const NearPair> pairs, std::span<const Pose> X_WB,
             FinderScratch* scratch) const;
  PairQuery QueryOf(const NearPair& pair, const SeparationCache::Candidate& candidate,
                    std::span<const Pose> X_WB) const;

  const Engine* engine_;
  FinderSettings settings_;
};

}  // namespace intervox::host
