/** @file What a simulation reports besides its state: energy, impacts, counters. */
#pragma once

#include <cstdint>

#include "geometry/linear.h"

namespace intervox {

/** The energy audit; all since the start [J]. The balance is
 kinetic + gravity + elastic + bristle − their start + dissipation − work = 0 up to the error of
 the resolved substeps. Dissipated energies are the integrals themselves: where the weights of a
 substep take some back, they fall. */
struct EnergyAudit {
  double kinetic = 0.0;
  double gravity = 0.0;  ///< potential, 0 at the start
  /// Stored in contacts: minus the elastic work on the bodies in resolved substeps, the change of
  /// the patches' elastic energy in the others.
  double elastic = 0.0;
  /// Stored in bristles; a contact that ends leaves here what a falling load made negative.
  double bristle = 0.0;
  double dissipated_normal = 0.0;
  double dissipated_sliding = 0.0;  ///< friction without what the bristles store
  double dissipated_spinning = 0.0;
  double dissipated_rolling = 0.0;
  /// Taken by substeps that do not resolve the contacts' vibrations: full implicit steps of parts
  /// at rest, and dissipative steps.
  double dissipated_numerical = 0.0;
  double work_applied = 0.0;      ///< by applied wrenches and holders
  double work_driven = 0.0;       ///< by prescribed motions
  double work_relaxation = 0.0;   ///< by the moving relaxation offset
  double joint_projection = 0.0;  ///< of dissipated_numerical, taken by putting joints right
  double largest_fall = 0.0;      ///< of any dissipated energy below an earlier value, ≥ 0
  double balance = 0.0;           ///< what is left over: error of the resolved substeps
  /// What normal laws without a potential have given beyond what bodies put into them: what patches
  /// store now, by their moments, less `elastic` and what bounds passive contacts took. Of contacts
  /// that last right to a fifth of that.
  double law_gain = 0.0;
  double bound_loss = 0.0;  ///< of dissipated_normal, by what bounds passive contacts
  /** What patches store now, by their moments: a function of the state, unlike `elastic`. */
  double Stored() const { return elastic + law_gain + bound_loss; }
  /** All that was dissipated. */
  double Dissipated() const {
    return dissipated_normal + dissipated_sliding + dissipated_spinning + dissipated_rolling +
           dissipated_numerical;
  }
};

/** What a joint does at an accepted state. */
struct JointReading {
  double coordinate = 0.0;  ///< free shift [m], or angle in (−π, π] [rad]; 0 where there is none
  double rate = 0.0;        ///< of the coordinate [m/s], [rad/s]
  Vec3 force;               ///< on the first body at the joint's point, world axes [N]
  Vec3 torque;              ///< on the first body about that point, world axes [N·m]
  double drive = 0.0;       ///< force [N] or torque [N·m] of its drive or prescribed motion
  double error = 0.0;       ///< largest error of its constraint equations [m], [rad]
};

/** One onset of contact, for summaries. Onsets that are slow against the scene and patches that
 came out of a split are left out. */
struct ImpactRecord {
  double t = 0.0;  ///< accepted time at which the contact was first seen [s]
  int body_i = 0;  ///< index into Scene::bodies
  int body_j = 0;
  double approach_speed = 0.0;  ///< at the centroid, along the normal, > 0 [m/s]
  double peak_force = 0.0;      ///< largest normal force of this contact at accepted substeps [N]
};

/** A substep that gained energy which nothing gave, after all that could be done about it. */
struct EnergyGain {
  double t = 0.0;     ///< end of the substep [s]
  int body = 0;       ///< the free body that gained most, index into Scene::bodies
  double gain = 0.0;  ///< [J]
};

/** Bodies that were stopped against each other: no substep, however short, went without gaining
 energy from nothing. */
struct ArrestRecord {
  double t = 0.0;      ///< [s]
  int body = 0;        ///< the free body that would have gained most, index into Scene::bodies
  double taken = 0.0;  ///< kinetic energy that went [J]
};

/** Counters of one run. */
struct SimulationCounters {
  std::int64_t steps = 0;
  std::int64_t substeps = 0;  ///< accepted, summed over groups of bodies
  std::int64_t stages = 0;
  std::int64_t pairs = 0;         ///< cell pairs given to the engine; a resumed run, which has no
                                  ///< knowledge of gaps from before, may count more
  std::int64_t active_pairs = 0;  ///< of them with overlap
  std::int64_t solver_iterations = 0;
  std::int64_t unconverged_stages = 0;
  std::int64_t creating_contacts = 0;     ///< at a stage, where a power that must dissipate created
  std::int64_t bounded_contacts = 0;      ///< at an accepted substep, pressing less than their law
                                          ///< says: they have given back what was put into them
  std::int64_t engine_failures = 0;       ///< pairs with a status other than ok and disjoint
  std::int64_t dissipative_substeps = 0;  ///< backward Euler, beyond the budget or for vibrations
  std::int64_t redone_substeps = 0;       ///< trials done again: they would have gained energy
  std::int64_t slowed_substeps = 0;   ///< whose gain was taken from the bodies' motion against each
                                      ///< other
  std::int64_t gaining_substeps = 0;  ///< that gained energy all the same; must be 0
  std::int64_t arrests = 0;           ///< groups of bodies stopped, as an ArrestRecord says
  double slowest_step = 0.0;          ///< [s] of wall time
};

}  // namespace intervox
