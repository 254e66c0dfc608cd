/** @file The motion of a world: its accepted state, stepped group by group. */
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/contact/finder/body_broad_phase.h"
#include "host/contact/finder/separation_caches.h"
#include "host/simulation/group.h"
#include "host/simulation/stage.h"

namespace intervox::host {

/** Integrates a world. Bodies that may touch within a step are a group, found by the boxes that
 they sweep; groups step for themselves, on several threads, and the result has the same bits on any
 number of them. Where a body leaves its swept box the step is done again with a larger one. */
class Dynamics {
 public:
  /** @param world, engine  must outlive this. */
  Dynamics(const World& world, const Engine& engine);

  /** Evaluates contacts and forces at the start. */
  void Start();
  /** One step of the scene's size.
   @throws std::runtime_error naming time and body when a state is not finite. */
  void Step();
  /** Goes on from a state; poses and velocities follow from the momenta. */
  void Restore(State state);

  /** What is put into a body from outside; it holds from the next step on. */
  BodyInput& Input(int body) { return state_.bodies[static_cast<std::size_t>(body)].input; }
  /** Places a free body where the key says, or has a driven one go on from there. Its contacts end,
   and those that it has there begin, unless a driven one goes on from where it is. What that adds
   to the energy is applied or driven work. */
  void Place(int body, const PrescribedMotion::Key& at);

  /** The accepted state. */
  const State& state() const { return state_; }
  /** The energy audit of the accepted state. */
  EnergyAudit Audit() const;
  /** For wall time only. */
  SimulationCounters& counters() { return state_.counters; }

 private:
  void FindGroups(double h);
  void ConnectBodies();
  void FillGroups();
  std::size_t AddGroup();
  void StepGroups(double end);
  bool StayedWithinReach();
  void MergeGroups(double end);
  void PlaceDriven();
  void WatchRest();
  double ReachOf(std::size_t body, double h) const;
  int Root(int body);
  void EndContacts(int body);
  double ElasticSum() const;
  double FreeEnergy(std::size_t body) const;
  template <class Function>
  void ForEachGroup(const Function& function);

  const World& world_;
  const Engine& engine_;
  PairFinder finder_;
  StageTools tools_;
  BodyBroadPhase broad_phase_;
  SeparationCaches caches_;
  State state_;

  // Working memory.
  std::vector<std::unique_ptr<StageScratch>> scratch_;  ///< one for each thread
  std::vector<BodyGroup> groups_;                       ///< the first group_count_ are in use
  std::size_t group_count_ = 0;
  std::vector<PlacedBody> placed_;
  std::vector<double> widened_;  ///< factor on the reach of each body
  std::vector<double> reach_;    ///< [m]
  std::vector<IndexPair> near_;
  std::vector<SeparationCache*> near_caches_;
  std::vector<int> parent_;
  std::vector<int> group_of_;       ///< of each free body; −1: not free
  std::vector<int> local_contact_;  ///< of each contact, its index in its group
};

}  // namespace intervox::host
