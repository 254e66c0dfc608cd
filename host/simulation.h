/** @file The simulation of a scene: bodies in contact, stepped in time. */
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "host/contact/contact.h"
#include "host/scene/scene.h"
#include "host/simulation/input_log.h"
#include "host/simulation/report.h"

namespace intervox {

/** Motion of one body. */
struct BodyState {
  Pose X_WB;            ///< pose of the body frame
  Quaternion q_WB;      ///< its orientation, unit
  Vec3 p_WM;            ///< centre of mass [m]
  Vec3 v_WM;            ///< velocity of the centre of mass [m/s]
  Vec3 v_WB;            ///< velocity of the body frame's origin [m/s]
  Vec3 w_WB;            ///< angular velocity, world axes [rad/s]
  Vec3 contact_force;   ///< sum of contact forces [N]
  Vec3 contact_torque;  ///< of contact forces, about the body frame's origin, world axes [N·m]
};

/** One contact patch as reported. */
struct ContactReport {
  std::uint64_t id = 0;  ///< of the patch, unique in a run
  int body_i = 0;        ///< index into Scene::bodies
  int body_j = 0;
  int pairs = 0;  ///< cell pairs in the patch
  host::PatchGeometry geometry;
  host::PatchState state;
  host::PatchLatch latch;
  double f_n = 0.0;    ///< normal force [N]
  Vec3 force;          ///< on body i at the centroid [N]
  Vec3 torque;         ///< on body i about the centroid [N·m]
  Vec3 v_c;            ///< relative velocity of i at the centroid [m/s]
  double since = 0.0;  ///< when the contact began [s]
};

/** One sensor's reading, in its `resolve_in` axes. */
struct SensorReading {
  Vec3 position;           ///< of the sensor frame, in the resolve_in body's frame [m]
  Quaternion orientation;  ///< of the sensor frame, in the resolve_in body's frame
  Vec3 velocity;           ///< linear, relative to the world [m/s]
  Vec3 angular_velocity;   ///< [rad/s]
  Vec3 force;              ///< contact force on the body [N]
  Vec3 torque;             ///< about the sensor frame's origin [N·m]
};

/** Simulates a scene. Deterministic: the same scene gives the same bits on any number of threads,
 and after Save and Restore. */
class Simulation {
 public:
  /** Builds bodies, cells and contacts. @throws host::InputError for what only building can find.
   */
  explicit Simulation(Scene scene, EngineOptions options = {});
  /** The same with the engine's options of another simulation, whose cells it shares where shapes
   are the same. `like` may be gone later; several threads may call this with one `like`. */
  Simulation(Scene scene, const Simulation& like);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /** One accepted step. @throws std::runtime_error, naming time and body, when a state is no longer
   * finite. */
  void Step();
  /** The same, unless it is given up within: the state then stays, and false comes back.
   @param cancelled  whether to give up; asked at every stage, on the calling thread. */
  bool Step(const std::function<bool()>& cancelled);
  /** Steps until the scene's duration, or until this time [s] if that is sooner, to half a step.
   @param each  if given, called after every accepted step; it may give inputs, clone and save.
   @return whether the end was reached: false once `each` returns false.
   @throws std::invalid_argument for an `until` that is no number, else what Step throws. */
  bool Run(double until = HUGE_VAL, const std::function<bool(Simulation&)>& each = {});
  /** Simulated time [s]. */
  double Time() const;
  /** Whether the scene's duration is reached. */
  bool Done() const;
  /** The bodies, in the scene's order. */
  std::span<const BodyState> State() const;
  /** The contacts of the last accepted step, by ascending id. */
  std::span<const ContactReport> Contacts() const;
  /** The sensors, in the scene's order. */
  std::span<const SensorReading> Sensors() const;
  /** The joints, in the scene's order. */
  std::span<const JointReading> Joints() const;
  /** The largest error of a joint's equations at accepted substeps so far [m], [rad]. */
  double LargestJointError() const;
  /** The energy audit. */
  const EnergyAudit& Energy() const;
  /** The onsets of contact so far, in order. */
  std::span<const ImpactRecord> Impacts() const;
  /** The largest contact force on each body so far, by component [N]. */
  std::span<const Vec3> PeakForces() const;
  /** The substeps that gained energy which nothing gave, at most the first 100 of them. */
  std::span<const EnergyGain> Gains() const;
  /** The first times at which bodies were stopped against each other. */
  std::span<const ArrestRecord> Arrests() const;
  /** How long all free bodies have been slow without a break, turning included [s]; 0 while one
   moves. Slow is a thousandth of √(g L), L being the body's size; without gravity 2.5e-6 L/h. */
  double RestingFor() const;
  /** Counters. */
  const SimulationCounters& Counters() const;
  /** The scene it was made of. */
  const Scene& GetScene() const;
  /** Remarks of the contact laws on their parameters. */
  std::span<const std::string> Warnings() const;
  /** Cells of a body, in its frame: its shape's, cut around their hollow faces. */
  std::span<const geometry::Cell> Cells(int body) const;

  // Inputs from outside, between steps. Each holds until it is set again, and is part of the state.
  // They throw std::invalid_argument naming call and body for one that does not take the input.

  /** A wrench on a free body, besides the scene's own.
   @param force, torque  world axes [N], [N·m]. @param point  where the force acts, in the body's
   frame [m]. */
  void SetWrench(int body, const Vec3& force, const Vec3& torque = {}, const Vec3& point = {});
  /** Has the target of a body's holder go on from X_WT with constant velocities.
   @param v, w  of the target's frame, world axes [m/s], [rad/s]. */
  void SetHolderTarget(int body, const Pose& X_WT, const Vec3& v = {}, const Vec3& w = {});
  /** Has a driven body go on from X_WB with constant velocities, likewise. Contacts last where that
   is its place, within rounding; a body that a joint holds must go on from its place. */
  void SetMotion(int body, const Pose& X_WB, const Vec3& v = {}, const Vec3& w = {});
  /** Places a free body and sets its velocities: v of its frame's origin. Its contacts end, and
   those that it has there begin; what that adds to the energy is work_applied. A body that a joint
   holds is not placed. */
  void SetState(int body, const Pose& X_WB, const Vec3& v = {}, const Vec3& w = {});

  /** The call of the four that an input says, whatever its step and time. */
  void Apply(const Input& input);
  /** From now on adds each input to this log while it lives; one log at a time, none in clones. */
  void KeepInputs(const std::weak_ptr<InputLog>& log) const;
  /** Whether it is as its scene says: nothing was stepped, put in or restored so far. */
  bool AtStart() const;

  /** A simulation in the same state, which goes on with the same bits. Shapes and scene are shared.
   */
  Simulation Clone() const;
  /** The state as bytes, as a checkpoint has it. Equal states may have bytes that differ in what
   counts work: the slowest step, and pairs that were looked at. */
  std::vector<unsigned char> Save() const;
  /** Goes on from bytes of the same scene. @throws host::InputError as below. */
  void Restore(std::span<const unsigned char> bytes);

  /** Writes a checkpoint: aside, synced, renamed. @throws std::runtime_error naming the path. */
  void Save(const std::filesystem::path& path) const;
  /** The same put off: writes the state of this moment when called, on any thread, while this
   simulation goes on or when it is gone. */
  std::function<void()> PrepareSave(const std::filesystem::path& path) const;
  /** Goes on from a checkpoint of the same scene. @throws host::InputError when it is truncated,
   corrupt or of another scene. */
  void Restore(const std::filesystem::path& path);

 private:
  struct Implementation;
  explicit Simulation(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox
