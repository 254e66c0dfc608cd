/** @file The grouping of the cell pairs of one pair of bodies. */
#pragma once

#include <span>
#include <vector>

#include "host/contact/patches/patches.h"

namespace intervox::host {

/** Groups the cell pairs of one pair of bodies; private to grouping. Pairs are named by their place
 in the list. Costs n k log n for n pairs with k neighbours each, and for each merging of two groups
 as much as their pairs that touch other groups' have. */
class GroupRun {
 public:
  /** Finds the neighbours of each pair. */
  GroupRun(const PatchRules& rules, std::span<const ActivePair> pairs, PatchScratch* scratch);

  /** Appends the group of each pair to `group_of`, the first one's number being `first`.
   @return the number of groups. */
  int Run(int first, std::vector<int>* group_of);

 private:
  static std::size_t At(int k) { return static_cast<std::size_t>(k); }
  int Count() const { return static_cast<int>(pairs_.size()); }
  std::span<const int> Near(int k) const;
  const Vec3& AreaVector(int k) const;

  /** Makes groups of the pairs with a direction, from the largest area vector on: a group takes
   neighbours that agree with its sum so far. It does so in passes over the pairs by falling size,
   of which a pass looks only at neighbours of the group. */
  void Grow();
  void GrowFrom(int seed);

  /** Merges groups that touch. Two groups are one that both agree with their common sum, so that
   the order of growth does not matter, or that may be one convex overlap. The nearest come first,
   because a sliver may belong to many, and in which order these come is decided by rounding. Groups
   that agree do so through pairs that agree: two feet on a plate are not one for the sake of a
   sliver that is next to both. */
  void MergeGroups();
  void ListGroups();
  void Link(int g, int h);
  /** Whether two groups agree with their common sum, and touch through pairs that do. */
  bool FaceOneWay(int g, int h);
  void AddGap(int g, int h);
  /** Merges h into g < h. */
  void Merge(int g, int h);

  /** Gives each pair without a direction to the group of its neighbour of the largest S. */
  void JoinUndirected();

  std::span<const ActivePair> pairs_;
  PatchScratch& s_;
  int stamp_ = 0;  ///< the merging now, of which groups have been seen
};

}  // namespace intervox::host
