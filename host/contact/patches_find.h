/** @file Which cells of two bodies overlap now: cached candidates, then boxes, then the engine. */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/engine.h"

namespace intervox::host {

/** A cell pair that overlaps. */
struct ActivePair {
  int body_pair = 0;  ///< index into the body pairs
  int a = 0;          ///< cell of body i
  int b = 0;          ///< cell of body j
  InterferenceMetrics metrics;
};

/** A cell's oriented box in its body's frame; for an unbounded cell its planes instead. */
struct CellBox {
  Vec3 center;          ///< [m]
  Mat3 R;               ///< axes as columns
  Vec3 half;            ///< [m]
  double radius = 0.0;  ///< of the ball around the box [m]
  bool bounded = true;
  std::vector<Vec3> plane_normals;    ///< out of the cell
  std::vector<double> plane_offsets;  ///< the cell has n·x ≤ offset [m]
};

/** The cells of a body with their boxes and the ball around them all. */
struct BodyCells {
  std::span<const geometry::Cell> cells;
  std::vector<CellBox> boxes;
  Vec3 center;          ///< of the ball, body frame [m]
  double radius = 0.0;  ///< [m]
  bool bounded = true;  ///< all cells are
};

/** Boxes of the cells; the cells must outlive the result. */
BodyCells MakeBodyCells(std::span<const geometry::Cell> cells);

/** Whether two boxes, the second seen from the first's body by X_IJ, may be nearer than `margin`.
 Conservative: never false for cells that overlap. Separating axes; about 0.1 µs. */
bool MayTouch(const CellBox& a, const CellBox& b, const Pose& X_IJ, double margin);

/** How a finder queries the engine. */
struct FinderSettings {
  double tolerance = 1e-3;
  double voxel_size = 0.0;
  LeafRule rule = LeafRule::kAuto;
  double volume_floor = 0.0;  ///< PairQuery::volume_floor [m³]
};

/** Finds the overlapping cell pairs of a list of body pairs.

 Each body pair keeps the cell pairs whose boxes came within a margin; the list holds until the
 bodies have moved by the margin relative to each other, for any cell, and is made anew then. So the
 result is a pure function of the poses. Allocates nothing in the steady state. */
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

  /** Cell pairs given to the engine so far. */
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
  };
  struct BodyPairCells {
    int i = 0, j = 0;
    const BodyCells* cells_i = nullptr;
    const BodyCells* cells_j = nullptr;
    double margin = -1.0;  ///< of the list; < 0: there is none [m]
    Pose X_listed;         ///< relative pose that the list was made at
    std::vector<Candidate> candidates;
  };

  void UpdateCandidates(const Pose& X_IJ, BodyPairCells* pair);

  const Engine* engine_;
  FinderSettings settings_;
  std::vector<BodyPairCells> body_pairs_;
  std::vector<PairQuery> queries_;
  std::vector<InterferenceMetrics> metrics_;
  std::vector<ActivePair> queried_;
  std::vector<ActivePair> active_;
  std::int64_t query_count_ = 0;
  std::int64_t failure_count_ = 0;
};

}  // namespace intervox::host
