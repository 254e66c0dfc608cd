/** @file Bounds what contacts give back by what was put into them.

 The thesis' law, force k_v V n, is the gradient of no potential: where an overlap wraps around a
 part, or its normal turns, a cycle may give energy that nobody put in. A passive contact keeps an
 account E of the elastic work done on its foundation (the energy tank of passivity-based control).
 While E is above 0.9 of the least energy U = f_e V/(2 |S|) that its overlap takes, the law acts as
 it is; below, f_n = f_e (1 + a v_n − c v_n) with c = (1 − E/(0.9 U))/(0.05 ω V/|S|): an empty
 account lets bodies part no faster than at a twentieth of what U would give them, and what c
 dissipates is put back into the account. c is 0 of bodies that approach or rest. */
#pragma once

#include "host/simulation/stage.h"

namespace intervox::host {

/** Enters the elastic work of the trial in the scratch, which is accepted, into its contacts'
 accounts. @param by_stages  the work is that of the stages, else the change of U. */
void ChargeFoundations(const StageTools& tools, bool by_stages, const BodyGroup& group,
                       StageScratch* scratch);

/** Sets the damping by which a contact that IsBounded is bounded from an accepted state on. One
 whose beginning was not seen holds what its overlap tells of.
 @param h  since the accepted state before [s]
 @return whether it is */
bool BoundContact(const StageTools& tools, const ContactModel& model, double h,
                  const BodyGroup& group, Contact* contact);

/** Whether a contact's account is short at the end of the trial in the scratch, or was at its
 start: its bound then has to move. */
bool LacksEnergy(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch);

}  // namespace intervox::host
