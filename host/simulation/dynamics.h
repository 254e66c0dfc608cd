/** @file The motion of a world: forces at a stage, accepted steps, the sums of the energy audit. */
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/bodies/holder.h"
#include "host/simulation.h"
#include "host/world/world.h"
#include "integrators/partitioned.h"

namespace intervox::host {

/** Slower than this is rest, and too slow for an impact [m/s]. */
inline constexpr double kSlow = 1e-3;

/** Quadratures of the energy audit: all are integrals of the same stages [J]. */
enum Quadrature : std::size_t {
  kElasticWork,  ///< on the bodies
  kNormalLoss,
  kFrictionWork,  ///< against sliding, with what bristles store
  kSpinningWork,
  kRollingLoss,
  kBristleStored,  ///< by sliding and spinning
  kSpinStored,     ///< of it, by spinning
  kAppliedWork,
  kDrivenWork,
  kRelaxationWork,
  kQuadratures
};

/** Integrals of powers that dissipate, as the audit reports them. */
enum Loss : std::size_t { kNormalDamping, kSliding, kSpinning, kRolling, kLosses };

/** What a checkpoint holds besides bodies and contacts. */
struct DynamicsMemory {
  std::int64_t step = 0;
  std::array<double, kQuadratures> work{};
  /// Largest so far of each loss [J]: within a fast step the weights of ark3, one of which is
  /// negative, may take a little of it back although the power is never negative.
  std::array<double, kLosses> lost{};
  double bristle_lost = 0.0;  ///< by merged and retired bristles [J]
  double start_energy = 0.0;  ///< kinetic, at the start [J]
  int fine_steps = 0;         ///< steps that are still to be cut into substeps
  double moving_until = 0.0;  ///< last time at which a free body was not slow [s]
  std::vector<ImpactRecord> impacts;
  SimulationCounters counters;
};

/** Patch rules of a world. */
class WorldRules final : public PatchRules {
 public:
  /** @param world  must outlive this. */
  explicit WorldRules(const World& world) : world_(world) {}
  /** The pair of bodies i < j, which may touch. */
  const WorldPair& Pair(int i, int j) const;
  const PatchSettings& Settings(int i, int j) const override { return Pair(i, j).patches; }
  std::span<const int> Neighbours(int body, int cell) const override {
    const auto b = static_cast<std::size_t>(body), c = static_cast<std::size_t>(cell);
    return world_.cells[b][c].neighbours;
  }

 private:
  const World& world_;
};

/** Integrates a world. The state vectors of the stepper are: for each free body centre of mass and
 quaternion; for each free body p and H (see RigidBody), then for each contact the increments of z,
 θ, s_dw and V_o over the step, with room for contacts born in it. */
class Dynamics final : public integrators::PartitionedSystem {
 public:
  /** @param world, engine  must outlive this. */
  Dynamics(const World& world, const Engine& engine);

  /** Evaluates contacts and forces at the start. */
  void Start();
  /** One step of the scene's size, in one or more accepted pieces. Where a contact begins within it
   faster than 1 mm/s, the onset is located and the step is cut there, so that no piece has the kink
   of an onset inside; the rest of the step and the next three are done in quarters, as the onset of
   a stiff contact is faster than a step that suits the rest of the motion. Explicit schemes keep
   their steps.
   @throws std::runtime_error naming time and body when a state is not finite.
   */
  void Step();
  /** Time of the accepted step [s]. */
  double time() const { return now_; }

  /** Bodies at the accepted step. */
  std::span<const RigidBody> bodies() const { return bodies_; }
  /** Frames' poses at the accepted step. */
  std::span<const Pose> poses() const { return poses_; }
  /** Contacts at the accepted step, by ascending id. */
  const Patches& patches() const { return patches_; }
  /** Contacts of the accepted step as evaluated, with the contact each belongs to. */
  std::span<const StageContact> evaluated() const { return stage_contacts_; }
  /** Index into patches().contacts of each of evaluated(). */
  std::span<const std::size_t> evaluated_contacts() const { return contact_of_; }
  /** Audit, impacts and counters. */
  const DynamicsMemory& memory() const { return memory_; }
  /** The energy audit at the accepted step. */
  EnergyAudit Audit() const;
  /** For wall time only. */
  SimulationCounters& counters() { return memory_.counters; }

  /** Goes on from a checkpoint. `bodies` hold momenta, centres and quaternions. */
  void Restore(std::span<const RigidBody> bodies, const Patches& patches,
               const DynamicsMemory& memory);

  void PositionRate(std::span<const double> x, std::span<const double> y,
                    std::span<double> rate) override;
  void Project(std::span<double> x) const override;
  void StageOffset(std::span<const double> offset) override;
  void SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                  std::span<double> y, std::span<double> rate, std::span<double> power) override;

 private:
  struct Event {
    bool onset = false;     // a contact has begun, and fast
    bool regroups = false;  // the grouping has changed
    double age = 0.0;       // of the overlaps that have begun: the largest V/V̇ [s]
  };
  struct Load {
    Vec3 force, torque;                  // about the centre of mass
    Vec3 applied_force, applied_torque;  // of it, what counts as applied work
  };

  void PlaceDriven(double t);
  void PlaceFree(std::span<const double> x);
  void SetAcceptedVelocities();
  double ApproachVelocity(const Contact& contact) const;
  void BeginContacts(bool on_purpose, bool accepted);
  std::span<const ActivePair> FindPairs();
  void AcceptContacts(std::span<const ActivePair> pairs, bool on_purpose);
  void LoadState();
  void Advance(double h);
  void Commit(double t);
  void Pieces(double end);
  void FindOnset(Event* event) const;
  Event Look(double h);
  Event Try(double h, bool await_onset);
  double Locate(double h, Event event, int* probes);
  void AcceptForces();
  void RecordImpacts();
  Load ExternalLoad(std::size_t body, double t) const;
  void Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
              std::span<double> power);
  void GatherContacts(std::span<const double> y);
  void SolveVelocities(double h_gamma);
  void StoreContacts(std::span<double> rate, std::span<double> power);
  void CheckFinite() const;
  std::size_t SlotOffset(std::size_t slot) const {
    return 6 * world_.free_bodies.size() + 6 * slot;
  }

  const World& world_;
  WorldRules rules_;
  PairFinder finder_;
  std::vector<SeparationCache> caches_;  ///< of each pair of bodies
  std::vector<NearPair> near_;
  FinderScratch finder_scratch_;
  std::vector<ActivePair> active_;
  Patches patches_;
  PatchScratch patch_scratch_;
  Grouping grouping_;  ///< of end_pairs_
  integrators::PartitionedStepper stepper_;
  std::vector<RigidBody> bodies_;
  DynamicsMemory memory_;

  double now_ = 0.0;       ///< time of the accepted state [s]
  std::size_t slots_ = 0;  ///< contacts that fit into the current step
  std::vector<Pose> poses_;
  std::vector<Quaternion> quaternions_;
  std::vector<Vec3> centers_;
  std::vector<StageBody> stage_bodies_;
  std::vector<StageBody> base_bodies_;
  std::vector<StageContact> stage_contacts_;
  std::vector<std::size_t> contact_of_;
  std::vector<Load> loads_;
  std::vector<HolderStage> holders_;
  std::vector<StageDrag> drags_;  // of the holders, while a stage is solved
  std::vector<std::size_t> holder_bodies_;
  std::vector<StageBody> first_bodies_;  ///< of the accepted state
  bool await_onset_ = false;  ///< contacts that begin fast do not act before they are accepted
  std::span<const ActivePair> end_pairs_;  ///< at the end of what Advance did, as Look found them
  Patches saved_patches_;
  std::vector<double> x_, y_, a_, first_rate_, first_power_, offset_;
};

}  // namespace intervox::host
