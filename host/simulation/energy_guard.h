/** @file Whether a trial substep gains energy, by functions of the state. */
#pragma once

#include <cmath>

#include "host/simulation/stage.h"

namespace intervox::host {

/** The energy balance of a trial substep [J]. */
struct EnergyCheck {
  /// Whether the substep is short against every vibration of its contacts and holders. Then the
  /// elastic work of laws without a potential is that of the stages; what it differs from the
  /// change of the patches' energy is the law's own share. Else the energy of the patches counts, a
  /// function of the state; so does that of the holders' springs.
  bool resolved = false;
  /// Whether what the contacts store changes by the work of the stages, not by their patches.
  bool by_stages = false;
  /// Whether what laws give, and bounds take of it, is not told apart from what is stored.
  bool gifts_unknown = false;
  double gain = 0.0;       ///< mechanical energy gained beyond the work done, losses not credited
  double allowed = 0.0;    ///< what may be gained by this substep
  double left = 0.0;       ///< what may be gained since the start, less what was
  double balance = 0.0;    ///< the gain with all losses: what the substep errs by
  double rounding = 0.0;   ///< of the gain
  double moved = 0.0;      ///< energy that goes through the substep
  double elastic = 0.0;    ///< change of what the contacts store
  double unpaid = 0.0;     ///< share of passive overlaps' OverlapChange::free that they do without
  double overdraft = 0.0;  ///< what passive contacts give of a sudden that was never put in
  double holders = 0.0;    ///< work of the holders on the bodies
  double numerical = 0.0;  ///< taken by an unresolved substep, or by putting joints right
  double projected = 0.0;  ///< of `numerical`, the latter
  double error = 0.0;      ///< of a resolved one between contacts that have a potential
  double allowed_error = 0.0;  ///< of the scheme on smooth motion
  double allowed_overdraft = HUGE_VAL;
  /// What an unresolved substep may gain between passive contacts, whose accounts are empty by
  /// then.
  double backed = HUGE_VAL;
  int body = 0;                ///< local index of the free body that gained most
  bool accepted_gain = false;  ///< it was accepted all the same
  bool hopeless = false;       ///< it must not be: it gains far more than it may, however short

  /** Whether it gains more than it may, or has no finite end. */
  bool Gains() const { return !(gain <= allowed); }
  /** Whether its bodies have gained more since the start than they may. */
  bool GainsInAll() const { return gain > rounding && gain > left; }
  /** Whether it gains what was put into no passive contact, and shorter substeps would gain as
   * well.
   */
  bool IsUnbacked() const { return gain > backed; }
  /** Whether passive contacts give more than a bound that is set at its end may come too late for.
   */
  bool Overdraws() const { return overdraft > allowed_overdraft; }
  /** Whether it errs by more than the scheme does where forces are smooth. */
  bool Errs() const { return std::fabs(error) > allowed_error; }
};

/** Checks the trial in the scratch, and leaves there how its bodies' energies change.
 @param planned  length of the substep before it was cut and halved [s] */
EnergyCheck CheckEnergy(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                        double planned, StageScratch* scratch);

/** What the contacts store at the end of the trial beyond what they stored at its start, by the
 work of the stages where a law has no potential [J]. */
double ElasticChange(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch);

/** Books what laws without a potential gave in an unresolved trial, which is in the ledger, apart
 from what the substep took: patches that grow along a wall store more than was put into them. */
void BookWhatLawsGave(const StageTools& tools, const StageScratch& scratch, BodyGroup* group);

/** Enters the trial in the scratch, which is accepted, into the group's ledger and its bodies'
 accounts. */
void AddToLedger(const EnergyCheck& check, const StageScratch& scratch, BodyGroup* group);

}  // namespace intervox::host
