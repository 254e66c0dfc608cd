/** @file The motion of a world: its accepted state, stepped group by group. */
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/simulation/energies.h"
#include "host/simulation/group_finder.h"
#include "host/simulation/stage.h"

namespace intervox::host {

/** Integrates a world. Bodies that may touch within a step are a group, found by the boxes that
 they sweep; groups step for themselves, on several threads, and the result has the same bits on any
 number of them. Where a body leaves its swept box the step is done again with a larger one. */
class Dynamics {
 public:
  /** @param world, engine  must outlive this. */
  Dynamics(const World& world, const Engine& engine);
  /** The motion of the same world from another's accepted state on, with the same bits.
   @param engine  must outlive this. */
  Dynamics(const Engine& engine, const Dynamics& other);

  /** Evaluates contacts and forces at the start. */
  void Start();
  /** One step of the scene's size, or none and false where `cancelled` says so within it.
   @throws std::runtime_error naming time and body when a state is not finite. */
  bool Step(const std::function<bool()>& cancelled);
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
  EnergyAudit Audit() const { return MakeAudit(world_, state_); }
  /** For wall time only. */
  SimulationCounters& counters() { return state_.counters; }

 private:
  void MakeScratch(const EngineOptions& options);
  void StepGroups(double end);
  void MergeGroups(double end);
  void DropCounters();
  void WatchRest();
  template <class Function>
  void ForEachGroup(const Function& function);

  const World& world_;
  PairFinder finder_;
  StageTools tools_;
  GroupFinder group_finder_;
  State state_;
  std::vector<std::unique_ptr<StageScratch>> scratch_;  ///< working memory, one for each thread
};

}  // namespace intervox::host
