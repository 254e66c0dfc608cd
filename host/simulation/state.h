/** @file The state of a simulation at an accepted step: a value. A snapshot, a clone, a checkpoint
 and the world of a batch are copies of it. */
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/bodies/rigid_body.h"
#include "host/contact/patches/patches.h"
#include "host/simulation/report.h"

namespace intervox::host {

/** Quadratures of the energy audit: all are integrals of the same stages [J]. */
enum Quadrature : std::size_t {
  kElasticWork,  ///< on the bodies, by contacts without a potential
  kNormalLoss,
  kBoundLoss,     ///< of it, by what bounds passive contacts
  kFrictionWork,  ///< against sliding, with what bristles store
  kSpinningWork,
  kRollingLoss,
  kBristleStored,  ///< by sliding and spinning
  kSpinStored,     ///< by spinning alone
  kAppliedWork,
  kHolderWork,  ///< on the bodies, by holders
  kTargetWork,  ///< on holders, by what moves their targets
  kHolderLoss,  ///< by the holders' dampers
  kDrivenWork,
  kRelaxationWork,
  kQuadratures
};

/** Integrals of powers that dissipate, as the audit reports them. */
enum Loss : std::size_t { kNormalDamping, kSliding, kSpinning, kRolling, kLosses };

/** What dissipates of integrals of powers. */
std::array<double, kLosses> LossesOf(std::span<const double> work);

/** The sums of the energy audit [J]. */
struct EnergyLedger {
  std::array<double, kQuadratures> work{};
  double elastic = 0.0;       ///< stored in contacts
  double numerical = 0.0;     ///< taken by substeps that resolve no vibration
  double bristle_lost = 0.0;  ///< by merged and retired bristles
  double projected = 0.0;     ///< of `numerical`, what putting bodies back onto joints took
  std::array<double, kLosses> highest{};  ///< largest so far of each loss
  double largest_fall = 0.0;              ///< of a loss below its largest value

  /** The losses so far, with what bristles lost. */
  std::array<double, kLosses> Losses() const;
  /** Adds the sums of one substep or of one group's step. */
  void Add(const EnergyLedger& other);
  /** Takes the losses of now into `highest` and `largest_fall`. */
  void Watch();
};

/** The state at an accepted step. A new member must be visited in checkpoint.cpp as well. */
struct State {
  std::int64_t step = 0;
  double time = 0.0;              ///< [s]
  std::vector<RigidBody> bodies;  ///< of all, in the scene's order
  std::vector<Pose> poses;        ///< of the bodies' frames; follow from the bodies
  Patches patches;                ///< contacts with their forces and rates
  EnergyLedger ledger;
  double start_energy = 0.0;         ///< kinetic and stored in contacts, at the start [J]
  double moving_until = 0.0;         ///< last time at which a free body was not slow [s]
  std::vector<JointReading> joints;  ///< of all; follow from the rest of the state
  double joint_error = 0.0;          ///< largest |c| of a joint at an accepted substep [m], [rad]
  std::vector<ImpactRecord> impacts;
  std::vector<EnergyGain> gains;      ///< the first kMostGains
  std::vector<ArrestRecord> arrests;  ///< likewise
  SimulationCounters counters;
};

/** Gains of energy that are kept in full; more are counted only. */
inline constexpr std::size_t kMostGains = 100;

}  // namespace intervox::host
