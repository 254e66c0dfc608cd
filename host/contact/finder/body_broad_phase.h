/** @file Which bodies are near each other: one broad phase over all, with a Verlet list. */
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cuda/broad_phase/broad_phase.h"
#include "host/contact/finder/cell_boxes.h"

namespace intervox::host {

/** A body as the broad phase sees it. */
struct PlacedBody {
  const BodyCells* cells = nullptr;  ///< null, or without cells: near nothing
  Pose X_WB;
  double reach = 0.0;  ///< its box is grown by this on all sides, ≥ 0 [m]
  bool moves = false;  ///< free or driven: two bodies of which neither moves are not a pair
};

/** Finds the pairs of bodies that are near each other.

 Two bounded bodies are near when their world boxes, each grown by its reach, share a point; an
 unbounded body is near all bounded ones that none of its planes holds off by more than both
 reaches, and all unbounded ones. The result is a pure function of the arguments.

 Kept is a Verlet list: the pairs whose boxes overlap when they are grown by a margin more. It holds
 while each body's grown box stays in the box that the list was made with, so in the steady state
 a call costs O(bodies + kept pairs + unbounded × bodies) and allocates nothing. A new list is made
 by BoxPairs. Memory follows neighbours. */
class BodyBroadPhase {
 public:
  /** Whether two bodies i < j may ever touch; the answer may not change. Several threads ask. */
  using Filter = std::function<bool(int i, int j)>;

  /** @param threads  0: all cores. Changes no result. */
  explicit BodyBroadPhase(Filter may_touch, int threads = 0)
      : may_touch_(std::move(may_touch)), threads_(threads) {}

  /** Clears `near` and fills it with the near pairs that pass the filter, ascending. */
  void Find(std::span<const PlacedBody> bodies, std::vector<IndexPair>* near);

  /** How often a list has been made. */
  std::int64_t lists_made() const { return lists_made_; }
  /** Pairs in the list now. */
  std::size_t kept() const { return neighbours_.size(); }

 private:
  /** What the list was made with. */
  struct Listed {
    const BodyCells* cells = nullptr;
    geometry::Aabb box;  ///< grown by reach and margin
    bool moves = false;
  };

  bool IsListGood(std::span<const PlacedBody> bodies) const;
  void ListNear(std::span<const PlacedBody> bodies, std::size_t i,
                std::vector<IndexPair>* near) const;
  void MakeList(std::span<const PlacedBody> bodies);
  bool AreNear(std::span<const PlacedBody> bodies, int unbounded, int other) const;

  Filter may_touch_;
  int threads_;
  std::int64_t lists_made_ = 0;
  std::vector<Listed> listed_;
  std::vector<int> bounded_, unbounded_;  ///< bodies with cells, ascending
  std::vector<std::size_t> first_;        ///< of body i in neighbours_; one more at the end
  std::vector<int> neighbours_;           ///< bounded j > i of the list, ascending for each i
  std::vector<geometry::Aabb> grown_;     ///< box of each bounded body, grown by its reach
  BoxPairs box_pairs_;
  std::vector<std::vector<IndexPair>> near_of_;  ///< ranges of bodies
  std::vector<geometry::Aabb> fat_;
  std::vector<IndexPair> fat_pairs_;
};

}  // namespace intervox::host
