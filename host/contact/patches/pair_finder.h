/** @file Which cells of two bodies overlap now: cached candidates, then boxes, then the engine. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/engine.h"
#include "host/contact/patches/cell_boxes.h"

namespace intervox::host {

/** A cell pair that overlaps. */
struct ActivePair {
  int body_pair = 0;  ///< index into the body pairs
  int a = 0;          ///< cell of body i
  int b = 0;          ///< cell of body j
  InterferenceMetrics metrics;
};

/** How a finder queries the engine. */
struct FinderSettings {
  double tolerance = 1e-3;
  double voxel_size = 0.0;
  LeafRule rule = LeafRule::kAuto;
  double volume_floor = 0.0;  ///< PairQuery::volume_floor [m³]
};

/** Finds the overlapping cell pairs of a list of body pairs.

 Each body pair keeps the cell pairs whose boxes came within a margin; the list holds until the
 bodies have travelled by the margin relative to each other, for any cell, and is made anew then. Of
 a listed pair that was found apart, it keeps the travel that cannot close the gap: the gap of the
 boxes, or the distance by which one of the cells can be grown without meeting the other. What is
 kept decides what is computed, never what comes out: the result is a pure function of the poses.
 Allocates nothing in the steady state. */
class PairFinder {
 public:
  /** @param engine  must outlive the finder. */
  PairFinder(const Engine& engine, const FinderSettings& settings)
      : engine_(&engine), settings_(settings) {}

  /** Adds a body pair; indices are those of the poses given to Find. */
  void AddBodyPair(int body_i, int body_j, const BodyCells* cells_i, const BodyCells* cells_j);

  /** The overlapping cell pairs at the poses X_WB, by ascending body pair, a, b. Valid until the
   * next call. */
  std::span<const ActivePair> Find(std::span<const Pose> X_WB);

  /** Cell pairs given to the engine so far; depends on what the finder has kept from before. */
  std::int64_t queries() const { return query_count_; }
  /** Pairs so far whose status was neither ok nor disjoint. */
  std::int64_t failures() const { return failure_count_; }
  /** Sets the counters, after a restore. */
  void SetCounters(std::int64_t queries, std::int64_t failures) {
    query_count_ = queries;
    failure_count_ = failures;
  }

 private:
  struct Candidate {
    int a = 0;
    int b = 0;
    bool met = false;                                ///< overlapped when last computed
    double apart_until = 0.0;                        ///< travel that cannot close the gap [m]
    std::array<double, kGrowth.size()> grow_from{};  ///< travel before which growing is no use [m]
  };
  struct BodyPairCells {
    int i = 0, j = 0;
    const BodyCells* cells_i = nullptr;
    const BodyCells* cells_j = nullptr;
    bool movable = false;       ///< a body is bounded, so that there is a bound of its motion
    bool listed = false;        ///< there is a list
    Pose X_last;                ///< relative pose of the last call
    double moved = 0.0;         ///< by the last call [m]
    double travel = 0.0;        ///< way of the farthest point so far [m]
    double listed_until = 0.0;  ///< travel up to which the list holds [m]
    std::vector<Candidate> candidates;
  };

  void Travel(const Pose& X_IJ, BodyPairCells* pair) const;
  void ListCandidates(const Pose& X_IJ, BodyPairCells* pair) const;
  void AddQueries(std::size_t body_pair, const Pose& X_WI, const Pose& X_WJ);
  void ProveApart(const PairQuery& query, BodyPairCells* pair, Candidate* candidate);

  const Engine* engine_;
  FinderSettings settings_;
  std::vector<BodyPairCells> body_pairs_;
  std::vector<PairQuery> queries_;
  std::vector<InterferenceMetrics> metrics_;
  std::vector<ActivePair> queried_;
  std::vector<std::size_t> candidate_of_;  ///< of each query, in its body pair's list
  std::vector<ActivePair> active_;
  double cost_ = 0.0;  ///< of the queries [µs]
  std::int64_t query_count_ = 0;
  std::int64_t failure_count_ = 0;
};

}  // namespace intervox::host
