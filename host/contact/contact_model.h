/** @file A contact model: a normal, a friction, a rolling and a spinning law, composed by name. */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/contact/laws.h"

namespace intervox::host {

/** What two bodies in contact do to each other. Immutable once made; shared by all contacts of the
 pair, whose own constants are in PatchLatch and whose states are in PatchState. */
class ContactModel {
 public:
  /** How the approach speed is latched. */
  enum class Latch { kLoad, kLargest, kFirst };

  /** The parts; use MakeContactModel to get them by name. */
  std::unique_ptr<const NormalLaw> normal;
  std::unique_ptr<const FrictionLaw> friction;
  std::unique_ptr<const RollingLaw> rolling;
  std::unique_ptr<const SpinningLaw> spinning;
  Latch latch = Latch::kLargest;
  double relaxation_time = 0.0;  ///< τ_r of V̇_o = −V_o/τ_r [s]; 0: relaxation off
  double plate_share = 0.5;      ///< r_i of ω_p = r_j ω_i + r_i ω_j, Gonthier (4.127), (4.163)
  bool starts_sticking = false;  ///< s_dw = 1 at the start of a contact
  bool rolling_cap = false;      ///< keeps the rolling pressure from turning tensile
  bool passive = true;           ///< a contact gives back no more than was put into it
  std::vector<std::string> warnings;  ///< remarks on the parameters
  std::vector<std::string> notes;     ///< what was taken for parameters that are not given

  /** Whether contacts store a function of their volume, normal->Potential(V). */
  bool HasPotential() const { return normal->Conserves() && relaxation_time == 0.0; }

  /** Whether what a contact was given bounds what it gives back: laws with a potential give back
   what they were given by themselves. */
  bool IsBounded() const { return passive && !HasPotential(); }

  /** The normal force of a patch with the relaxed volume V_r [m³] and the area S = |S| [m²]. */
  NormalForce Force(double V_r, double S, const PatchLatch& latched) const;

  /** The same of a point at the relaxed depth z [m], with its slope [N/m, N·s/m²]. */
  NormalForce PointForce(double z, const PatchLatch& latched, NormalForce* slope) const;

  /** A contact begins, at an accepted step: bristles 0, the relaxation offset takes the volume that
   is there already, the approach speed is latched.
   @param V    volume of interference [m³]
   @param v_n  normal velocity at the centroid [m/s], negative while approaching
   @param on_purpose  the scene starts in overlap: no offset */
  void Begin(double V, double v_n, bool on_purpose, PatchLatch* latched, PatchState* state) const;

  /** Latches Hertz' form of a contact that begins, for laws that follow the curvatures. 0 where the
   bodies touch at an edge, at a corner or on flats: there Hertz' law has no stiffness. Others
   have the weight of their point. */
  void BeginForm(const PatchGeometry& geometry, PatchLatch* latched) const;

  /** An accepted step of a contact that lasts. kLargest and kLoad move the latch to the largest
   approach speed so far, so that |a| only falls; kFirst keeps the first. */
  void Accept(double v_n, PatchLatch* latched) const;

  /** Likewise of kLoad: a contact that was put down slower than its load presses takes the speed by
   which it settles with four times its critical damping, |a| speed = 8; but none above that of the
   free impact that presses as deep as the load does. What is slower is no impact but a landing.
   @param speed  √(2 E/m) of the energy E that the contact stores under its load [m/s] */
  void FollowLoad(double speed, PatchLatch* latched) const;

  /** The least approach speed that FollowLoad latches under such a load [m/s]. */
  double LandingSpeed(double speed) const;

  /** Likewise of kLoad: halves the latched speed of a contact that has lasted for two of its
   periods without approaching half as fast: its impact is over, and what swings now has the damping
   of its own speed. No lower than LandingSpeed, and only where that damps more: where slow impacts
   lose less, or nothing, a contact keeps what its blow had, or it would swing for ever.
   @param v_n      rate of parting, negative while approaching [m/s]
   @param speed    as FollowLoad's [m/s]; above 0
   @param periods  that have passed since the accepted step before [–] */
  void Forget(double v_n, double speed, double periods, PatchLatch* latched) const;

  /** The same of laws that remember: moves what they remember where the patch has turned.
   @param V_r     its relaxed volume [m³]; of a point its depth [m]
   @param V_rate  the rate of it [m³/s]
   @param h       since the accepted step before, above 0 [s] */
  void Remember(double V_r, double V_rate, double h, PatchLatch* latched) const;
};

/** Composes the model that `settings` names; the materials fill in what is not given.
 @throws InputError whose message begins with the key, as in "normal.restitution: …". */
std::unique_ptr<const ContactModel> MakeContactModel(const ContactModelSettings& settings,
                                                     const Material& material_i,
                                                     const Material& material_j);

}  // namespace intervox::host
