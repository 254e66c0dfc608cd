/** @file Bounds what contacts give back by what was put into them.

 The thesis' law, force k_v V n, is the gradient of no potential: where an overlap wraps around a
 part, or its normal turns, a cycle may give energy that nobody put in. A passive contact keeps an
 account E of the elastic work done on its foundation (the energy tank of passivity-based control).
 While E is above 0.97 of the least energy U = f_e V/(2 |S|) that its overlap takes, the law acts as
 it is; below, f_n = f_e (1 + a v_n − c v_n) with c = (1 − E/(0.97 U))/(0.05 ω V/|S|): an empty
 account lets bodies part no faster than at a twentieth of what U would give them, and what c
 dissipates is put back into the account. c is 0 of bodies that approach or rest. Laws whose turns
 lose energy creep five times slower in implicit substeps, and full steps store in them no more than
 was paid. */
#pragma once

#include "host/simulation/energy_guard.h"
#include "host/simulation/stage.h"

namespace intervox::host {

/** Whether full steps store in a contact no more than its bodies have paid for: what its law's
 turns lose was then pressed into it. Of laws without turns the overlap alone says what they store,
 so that no cycle gives anything. */
bool IsPaidFor(const ContactModel& model);

/** What a contact stores after a trial whose stages are not believed, by its overlap [J]. */
struct OverlapChange {
  double all = 0.0;  ///< more than before; one that IsPaidFor gives no more than is in its account
  /// What one that IsPaidFor does without where bodies have not paid for it: what it stores more,
  /// and what is in its account beyond what its overlap told of before.
  double free = 0.0;
};

/** @param before  the contact before the trial; null: it is new */
OverlapChange StoredByOverlap(const ContactModel& model, const Contact* before,
                              const Contact& after);

/** The power that a contact's foundation takes at a stage, as its account counts it [W]. */
double FoundationPower(const Contact& contact);

/** Enters the elastic work of the trial in the scratch, which is accepted, into its contacts'
 accounts: that of the stages where the trial resolves its contacts, and of a contact that does not
 swing in it, else as far as it was paid the change of U.
 @param h  length of the trial [s] */
void ChargeFoundations(const StageTools& tools, const EnergyCheck& check, const BodyGroup& group,
                       double h, StageScratch* scratch);

/** Sets the damping by which a contact that IsBounded is bounded from an accepted state on. One
 whose beginning was not seen holds what its overlap tells of.
 @param h  since the accepted state before [s]
 @return whether it is */
bool BoundContact(const StageTools& tools, const ContactModel& model, double h,
                  const BodyGroup& group, Contact* contact);

/** What the contacts' accounts have given beyond what was in them in the trial in the scratch,
 whose stages are believed [J]: within a substep nothing bounds them. */
double Overdraft(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch);

/** Whether a contact's account is short at the end of the trial in the scratch, or was at its
 start: its bound then has to move. */
bool LacksEnergy(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch);

}  // namespace intervox::host
