/** @file Which bodies step together. */
#pragma once

#include <span>
#include <vector>

#include "host/contact/finder/body_broad_phase.h"
#include "host/contact/finder/separation_caches.h"
#include "host/simulation/group.h"

namespace intervox::host {

/** Divides the bodies of a world into groups: those whose boxes, grown by their reach in a step,
 touch. A pure function of the state and of how often reaches were widened; what it keeps decides
 only what that costs. */
class GroupFinder {
 public:
  /** @param world  must outlive this.
   @param threads  for lists of bodies; changes no result. */
  GroupFinder(const World& world, int threads);

  /** Forgets widened reaches: a new step. */
  void NewStep() { widened_.assign(widened_.size(), 1.0); }
  /** Makes the groups for a step of h from an accepted state, in the order of their first bodies.
   */
  void Find(const State& state, double h);
  /** The groups made last, with what belongs to them of the state. */
  std::span<BodyGroup> groups() { return {groups_.data(), group_count_}; }
  /** Whether every free body of the groups has ended within the reach that made them; widens that
   of others.
   @param before  the state that they were made from. */
  bool StayedWithinReach(const State& before);

 private:
  void ConnectBodies(const State& state);
  void Fill(const State& state);
  std::size_t AddGroup();
  double ReachOf(const State& state, std::size_t body, double h) const;

  const World& world_;
  BodyBroadPhase broad_phase_;
  SeparationCaches caches_;
  std::vector<BodyGroup> groups_;  ///< the first group_count_ are in use
  std::size_t group_count_ = 0;
  std::vector<PlacedBody> placed_;
  std::vector<double> widened_;  ///< factor on the reach of each body
  std::vector<double> reach_;    ///< [m]
  std::vector<IndexPair> near_;
  std::vector<SeparationCache*> near_caches_;
  std::vector<int> parent_;
  std::vector<int> group_of_;        ///< of each free body; −1: not free
  std::vector<int> local_contact_;   ///< of each contact, its index in its group
  std::vector<int> local_body_;      ///< of each free body, likewise
  std::vector<int> local_near_;      ///< of each near pair, likewise
  std::vector<std::size_t> counts_;  ///< of each group, what was numbered so far
  int threads_;
};

}  // namespace intervox::host
