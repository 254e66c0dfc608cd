/** @file The simulation of a scene: bodies in contact, stepped in time. */
#pragma once

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

/** The energy audit; all since the start [J]. The balance is
 kinetic + gravity + elastic + bristle − their start + dissipation − work = 0 up to the step's
 error. Dissipated energies never fall: where the step's weights take some back, it shows in the
 balance. */
struct EnergyAudit {
  double kinetic = 0.0;
  double gravity = 0.0;  ///< potential, 0 at the start
  double elastic = 0.0;  ///< stored: minus the elastic work done on the bodies
  /// Stored in bristles; a contact that ends leaves here what a falling load made negative.
  double bristle = 0.0;
  double dissipated_normal = 0.0;
  double dissipated_sliding = 0.0;  ///< friction without what the bristles store
  double dissipated_spinning = 0.0;
  double dissipated_rolling = 0.0;
  double work_applied = 0.0;     ///< by applied wrenches and holders
  double work_driven = 0.0;      ///< by prescribed motions
  double work_relaxation = 0.0;  ///< by the moving relaxation offset
  double balance = 0.0;          ///< what is left over: integration error
};

/** One onset of contact, for summaries. Onsets slower than 1 mm/s and patches that came out of a
 split are left out. */
struct ImpactRecord {
  double t = 0.0;  ///< accepted step at which the contact was first seen [s]
  int body_i = 0;  ///< index into Scene::bodies
  int body_j = 0;
  double approach_speed = 0.0;  ///< at the centroid, along the normal, > 0 [m/s]
  double peak_force = 0.0;      ///< largest normal force of this contact so far [N]
};

/** Counters of one run. */
struct SimulationCounters {
  std::int64_t steps = 0;
  std::int64_t stages = 0;
  std::int64_t pairs = 0;         ///< cell pairs given to the engine; a resumed run, which has no
                                  ///< knowledge of gaps from before, may count more
  std::int64_t active_pairs = 0;  ///< of them with overlap
  std::int64_t solver_iterations = 0;
  std::int64_t unconverged_stages = 0;
  std::int64_t creating_contacts = 0;  ///< at a stage, where a power that must dissipate created
  std::int64_t engine_failures = 0;    ///< pairs with a status other than ok and disjoint
  double slowest_step = 0.0;           ///< [s] of wall time
};

/** Simulates a scene. Deterministic: the same scene gives the same bits on any number of threads,
 and after Save and Restore. */
class Simulation {
 public:
  /** Builds bodies, cells and contacts. @throws host::InputError for what only building can find.
   */
  explicit Simulation(Scene scene, EngineOptions options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /** One accepted step. @throws std::runtime_error, naming time and body, when a state is no longer
   * finite. */
  void Step();
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
  /** The energy audit. */
  const EnergyAudit& Energy() const;
  /** The onsets of contact so far, in order. */
  std::span<const ImpactRecord> Impacts() const;
  /** The largest contact force on each body so far, by component [N]. */
  std::span<const Vec3> PeakForces() const;
  /** How long all free bodies have been slower than 1 mm/s, at the centre of mass and at the
   * frame's origin, without a break [s]; 0 while one moves. */
  double RestingFor() const;
  /** Counters. */
  const SimulationCounters& Counters() const;
  /** The scene it was made of. */
  const Scene& GetScene() const;
  /** Cells of a body, in its frame: its shape's, cut around their hollow faces. */
  std::span<const geometry::Cell> Cells(int body) const;

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
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox
