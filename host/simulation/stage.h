/** @file The stages of one trial substep of a group: geometry, contacts and velocities. */
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cuda/patch/patch_quadrature.h"
#include "host/bodies/holder.h"
#include "host/joints/joint.h"
#include "host/simulation/cancellation.h"
#include "host/simulation/for_each.h"
#include "host/simulation/group.h"
#include "host/simulation/state_layout.h"
#include "integrators/partitioned.h"

namespace intervox::integrators {

struct AdaptiveMethod;

}  // namespace intervox::integrators

namespace intervox::host {

/** What a trial substep is asked to do. */
struct Substep {
  double start = 0.0;   ///< accepted time [s]
  double length = 0.0;  ///< [s]
  /// Backward Euler with the geometry at the implicit position, for what a full step of the scene's
  /// scheme would not resolve.
  bool dissipative = false;
  /// Contacts that begin fast do not act before they are accepted, so that the motion up to an
  /// onset does not depend on where it is sought.
  bool await_onset = false;
  /// An adaptive method makes it: no contact begins within, as the method is cut there, and latches
  /// follow the approach speed at every stage.
  bool adaptive = false;
};

/** Loads on a body that do not depend on velocities. */
struct BodyLoad {
  Vec3 force, torque;                  ///< about the centre of mass [N], [N·m]
  Vec3 applied_force, applied_torque;  ///< the part that counts as applied work
};

/** What a contact adds to the rates of its bodies. */
struct ContactEffect {
  int row[2] = {-1, -1};  ///< places of the bodies among the free ones; −1: not free
  Vec3 force;             ///< on body i [N]
  Vec3 moment[2];         ///< on each about its centre at the step's start [N·m]
};

/** Where a contact's geometry was evaluated last, in a dissipative substep. */
struct LastOverlap {
  bool known = false;
  bool left = false;        ///< the bodies do not overlap where they are now
  Vec3 center[2];           ///< of mass of the contact's bodies [m]
  Quaternion turn[2];       ///< of their frames
  double mean_depth = 0.0;  ///< V/|S| [m]
  double power = 0.0;       ///< of the depth with which V grows, once known [–]
  Vec3 moved, turned;       ///< StageContact's
};

/** Working memory of trial substeps, one for each thread. The trial's result is left in it. */
struct StageScratch {
  /** @param scheme  of the scene. */
  explicit StageScratch(const integrators::Tableau& scheme)
      : stepper(scheme), dissipative_stepper(*integrators::FindTableau("be1")) {}

  integrators::PartitionedStepper stepper;
  integrators::PartitionedStepper dissipative_stepper;

  int threads = 1;  ///< that a trial may use; changes no result

  // Result of a trial.
  Patches patches;                     ///< as the trial leaves them
  std::vector<double> x, y, a;         ///< the stepper's vectors at its end
  std::vector<ActivePair> active;      ///< at its end, once looked at
  Grouping grouping;                   ///< likewise
  std::vector<double> energy_changes;  ///< of each free body, kinetic and gravity's [J]
  SimulationCounters counters;         ///< of all trials
  double joint_miss = 0.0;             ///< largest |c| of the joints at its end [m], [rad]
  std::size_t worst_joint = 0;         ///< of the group, which has it
  double projected = 0.0;              ///< energy that putting joints right has added [J]
  double fastest = 0.0;                ///< largest frequency of a contact at any stage [rad/s]
  bool diverged = false;               ///< the trial's solution is no longer finite
  double fastest_followed = 0.0;       ///< the same of those that the substep follows [rad/s]
  std::vector<bool> followed;  ///< of each contact of the group: the plan's length is for it

  // Of the stage evaluated last.
  double solved_at = 0.0;   ///< time of the contacts' wrenches, from the start of the trial on [s]
  double solved_for = 0.0;  ///< since the stage before; 0: there is none [s]
  std::vector<Pose> poses;
  std::vector<Pose> found_at;  ///< where the pairs were found last; empty: not yet in the trial
  std::vector<Quaternion> quaternions;
  std::vector<Vec3> centers;
  std::vector<StageBody> bodies;
  std::vector<StageContact*> contacts;  ///< of `patches`, that act
  std::vector<std::size_t> contact_of;  ///< index into patches.contacts of each of `contacts`
  std::vector<PatchQuadrature>
      quadratures;                      ///< of each of `contacts` whose friction is distributed
  std::vector<std::size_t> first_held;  ///< of each contact, in `held_pairs`
  std::vector<PairQuery> held_pairs;    ///< of contacts whose friction is distributed
  std::vector<BodyLoad> loads;
  std::vector<JointEquations> joint_equations;  ///< of the group's joints
  std::vector<StageJoint> joints;
  std::vector<StageBody> joint_bodies;  ///< for problems of the joints alone
  std::vector<double> servo_forces;     ///< of the joints

  FinderScratch finder;
  PatchScratch grouping_scratch;
  std::vector<Vec3> centroids;  ///< of the contacts at the last stage
  std::vector<bool> stiff;      ///< bodies whose contacts or holder are stiff against the substep
  std::vector<bool> carried;    ///< bodies of little inertia that joints carry about
  std::vector<HolderStage> holders;
  std::vector<char> has_holder;  ///< of each body
  std::vector<std::size_t> holder_bodies;
  std::vector<StageBody> base_bodies;
  std::vector<StageDrag> drags;
  std::vector<double> frequencies, offset, y_star, x_star, x_now, x_next, miss, miss_before;
  std::vector<double> first_rate, first_power;
  double first_length = -1.0;          ///< of the substep whose first stage the plan has loaded [s]
  std::vector<std::size_t> acting;     ///< contacts that act at the accepted state
  std::vector<ContactEffect> effects;  ///< of contacts that act
  std::vector<std::array<double, kQuadratures>> powers;  ///< of ranges
  std::vector<char> flags;                               ///< of the contacts
  std::vector<LastOverlap> last_overlaps;                ///< of the contacts

  // Of adaptive methods.
  std::vector<PatchLatch> base_latches;  ///< of the contacts, at the internal step before
  std::unique_ptr<StageScratch> rates;  ///< of their stages, beside the trials at their steps' ends
};

/** What trial substeps are made with and do not change. */
struct StageTools {
  const World* world = nullptr;
  const PairFinder* finder = nullptr;
  std::vector<double> thickness;                ///< PartThickness of each body [m]
  std::vector<std::vector<double>> load_times;  ///< LoadTimes of each body
  Cancellation* cancellation = nullptr;         ///< of the step that is being made, if any
  const integrators::AdaptiveMethod* adaptive = nullptr;  ///< null: the tableau's steps are taken

  /** Whether the scene's scheme is implicit. */
  bool IsImplicit() const {
    const int last = world->tableau->stages - 1;
    return world->tableau->a_implicit[last][last] > 0.0;
  }
};

/** The equations of a group within one trial substep, for the stepper. Its state vectors are laid
 out as StateLayout says. */
class GroupStage final : public integrators::PartitionedSystem {
 public:
  /** All must outlive this. Starts the trial: scratch.patches become the group's.
   @param takes_patches  false: only the accepted state is asked for, and scratch.patches stay */
  GroupStage(const StageTools& tools, const BodyGroup& group, const Substep& substep,
             StageScratch* scratch, bool takes_patches = true);

  /** Loads the stepper's vectors with the group's state. */
  void LoadState();
  /** Rates and powers at the accepted state from the wrenches that its contacts have. */
  void LoadFirstStage();
  /** Finds the bodies whose stages are predicted as those of stiff ones, before the stepper steps.
   */
  void FindStiffBodies();
  /** Finds the bodies of little inertia that joints carry about, likewise. */
  void FindCarriedBodies();
  /** Finds the wrenches at the accepted state of the contacts that have none. */
  void SolveNewContacts();
  /** Puts the bodies at the end of the substep back onto their joints, positions first, then
   velocities, with the masses as the norm. */
  void ProjectJoints();
  /** Turns the bodies that nothing touched and no torque acted on as they turn without: no scheme's
   error makes or takes their energy, however far they turn in the substep. */
  void TurnFreeBodies();
  /** Finds the forces of the joints at the accepted state. @param readings  one for each joint */
  void ReadJoints(std::vector<JointReading>* readings);
  /** Evaluates contacts at the end of the substep, and groups the cell pairs there. */
  void LookAtEnd();
  /** Finds the overlapping cell pairs at the poses placed last. */
  void FindPairs();
  /** Has the latches of an adaptive substep go on from those that the contacts have now. */
  void KeepLatches();

  void PositionRate(std::span<const double> x, std::span<const double> y,
                    std::span<double> rate) override;
  void PredictRate(std::span<const double> x, std::span<const double> y,
                   std::span<double> rate) override;
  std::size_t VelocitiesInUse(std::size_t all) const override;
  std::size_t QuadraturesInUse(std::size_t all) const override;
  std::size_t VelocitiesThatMove(std::size_t all) const override;
  void ForManyRanges(std::size_t count,
                     const std::function<void(std::size_t, std::size_t)>& act) const override;
  void Project(std::span<double> x) const override;
  void StageOffset(std::span<const double> offset) override;
  void SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                  std::span<double> y, std::span<double> rate, std::span<double> power) override;

 private:
  template <class Act>
  void ForEach(std::size_t count, const Act& act) const;
  void CopyTo(std::span<const double> from, std::vector<double>* to) const;
  const RigidBody& Body(std::size_t b) const { return group_.state[b]; }
  const BodySettings& Settings(std::size_t b) const;
  void PlaceDriven(double t);
  void PlaceFree(std::span<const double> x);
  /** Whether wrenches go on by themselves: systems of few bodies cost too little for it. */
  bool HasManyBodies() const { return group_.free.size() > kMostDenseBodies; }
  /** What makes a change between stages a rate; 0 before the second stage [1/s]. */
  double PerStage() const { return s_.solved_for != 0.0 ? 1.0 / s_.solved_for : 0.0; }
  bool HaveStayed(double share) const;
  void FollowBodies();
  void BeginContacts();
  void FollowApproach();
  BodyLoad ExternalLoad(std::size_t body) const;
  void SetStageBodies(double t, double h_gamma, std::span<const double> y);
  void AddHolders(double t, double h_gamma);
  void GatherContacts(double t, std::span<const double> y, bool only_new);
  void FindQuadratures();
  void ListHeldPairs();
  void SolveVelocities(double h_gamma);
  void Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
              std::span<double> power);
  void StoreContacts(double h_gamma, std::span<double> rate, std::span<double> power);
  template <class Before>
  void AddContacts(std::span<const std::size_t> acting, std::span<const Contact> contacts,
                   const Before& before, std::span<double> rate, std::span<double> power);
  void StoreLoads(std::span<double> rate);
  JointSide SideAt(int body) const;
  void SetJoints(double t);
  void AddJointWrench(const StageJoint& joint, std::span<double> rows) const;
  void AddJointPower(const StageJoint& joint, const GroupJoint& at, std::span<double> power) const;
  void StoreJoints(std::span<double> rate, std::span<double> power);
  void SolveJointForces(double t, std::span<double> rate, std::span<double> power);
  void SetAccelerations(double t, std::span<const double> rate);
  void MoveOntoJoints(double t);
  void ProjectVelocities(double t);
  double MechanicalEnergy() const;
  void AddAppliedPower(double h_gamma, std::span<const double> y, std::span<double> power);
  SimulationCounters& counters() { return s_.counters; }
  ContactEffect EffectOf(const Contact& contact, std::span<double> power) const;
  Vec3 CarriedTurn(std::size_t b) const;
  bool IsFinite() const;
  bool Misses(std::size_t k, double h_gamma) const;
  void MoveToImplicitPosition(double h_gamma, int iteration);
  void WatchFrequencies();
  void BeginOverlaps();
  void FollowOverlaps();

  const StageTools& tools_;
  const BodyGroup& group_;
  const Substep& substep_;
  GroupRules rules_;
  StateLayout layout_;
  StageScratch& s_;
  bool misses_ = false;      ///< a contact of the solution found last Misses
  int solved_ = -1;          ///< the stage evaluated last; −1: none yet
  double solved_at_ = 0.0;   ///< its time [s]
  double relaxation_ = 1.0;  ///< of the iteration to the implicit position
};

/** Calls act(k) for each k < count on the trial's threads. */
template <class Act>
void GroupStage::ForEach(std::size_t count, const Act& act) const {
  host::ForEach(count, s_.threads, act);
}

/** The spin of free body f at the end of the trial in the scratch, from the body before it. */
Vec3 SpinAtEnd(const RigidBody& before, std::size_t f, const StageScratch& scratch);

/** Moves free body f to where the trial in the scratch leaves it; its velocities stay. */
void MoveToEnd(std::size_t f, const StageScratch& scratch, RigidBody* body);

/** Free body f of a group as the trial in the scratch leaves it; velocities are those of before. */
RigidBody BodyAtEnd(const BodyGroup& group, std::size_t f, const StageScratch& scratch);

/** n·v of body i relative to body j at the contact's centroid with the accepted velocities,
 negative while approaching [m/s]. */
double ApproachVelocity(const BodyGroup& group, const Contact& contact);

}  // namespace intervox::host
