/** @file The four parts a contact model is composed of. A law's file reads as its equations; one
 line in registry.cpp, or one call from the user's own code, gives it its name. */
#pragma once

#include "host/contact/contact.h"
#include "host/contact/dual.h"
#include "host/contact/loading_curve.h"
#include "host/contact/parameters.h"

namespace intervox::host {

/** A normal force that is affine in the normal velocity: f_n = max(0, f_e + b v_cn), b ≤ 0. Of a
 law that conserves, a pressure: both are divided by |S|, which is 1 of a point. */
struct NormalForce {
  double f_e = 0.0;  ///< elastic part [N], ≥ 0
  double b = 0.0;    ///< minus the damping [N·s/m], ≤ 0
};

/** A normal law. */
class NormalLaw {
 public:
  virtual ~NormalLaw() = default;
  /** The force at the relaxed volume V_r = max(0, V − V_o) [m³], at points a depth [m], with the
   latched factor a [s/m]. */
  virtual NormalForce Force(double V_r, double a) const = 0;
  /** The same of a point at the depth z, with its slope there: that of both parts [N/m, N·s/m²]. */
  virtual NormalForce PointForce(double z, double a, NormalForce* slope) const {
    constexpr double kDifference = 1e-6;  // relative
    const NormalForce f = Force(z, a), further = Force((1.0 + kDifference) * z, a);
    const double over = z > 0.0 ? 1.0 / (kDifference * z) : 0.0;
    *slope = {(further.f_e - f.f_e) * over, (further.b - f.b) * over};
    return f;
  }
  /** The factor a ≤ 0 [s/m] to latch for the approach speed v_i [m/s]; 0 for laws without one. */
  virtual double DampingFactor(double v_i) const = 0;
  /** Whether the elastic part is the gradient of a potential w(V), of the volume of the whole pair
   of bodies or of the depth of a point: Force() is then the pressure w′(V) [Pa, N], which acts with
   S and with the area moment G, and v_n is −V̇/|S|. */
  virtual bool Conserves() const { return false; }
  /** The potential w(V) of a law that conserves [J]. */
  virtual double Potential(double /*V*/) const { return 0.0; }
  /** Whether the curvatures of the bodies where they touch set the stiffness: force, damping and
   potential are then those for a HertzForm of 1 m^½, to be multiplied by the latch's. */
  virtual bool FollowsCurvature() const { return false; }
  /** Whether the force depends on how far the patch has been pressed. Force() is that of a patch
   that has not turned yet. */
  virtual bool Remembers() const { return HasCurve() || Recovers(); }
  /** Whether the elastic part is Curve() of the latch. */
  virtual bool HasCurve() const { return false; }
  /** The elastic part of a law that has a curve. */
  virtual LoadingCurve Curve(const PatchLatch& /*latch*/) const { return {}; }
  /** Whether the surface comes back by itself where the bodies part faster: until they meet it
   again at the depth V_max of the latch there is no force. */
  virtual bool Recovers() const { return false; }
  /** The depth of that surface, and 0 while the bodies press on it. @param z  their depth now [m]
   @param before  at the state before, or the surface's where it was free [m]; @param rate  of z
   [m/s]; @param h  since then [s] */
  virtual double Recovered(double /*z*/, double /*before*/, double /*rate*/, double /*h*/) const {
    return 0.0;
  }
  /** Moves the memory of a patch that was pressed to V_p, above Curve().V_2, and parts at V ≤ V_p
   already. At no V may the curve rise by it: so it only takes energy. */
  virtual void Turn(double /*V_p*/, double /*V*/, PatchLatch* /*latch*/) const {}
};

/** What a friction law sees at one stage. Velocities are duals; history is plain. */
struct Slip {
  double H = 0.0;              ///< hγ: step times the implicit tableau's diagonal [s]; 0: explicit
  Dual2 v;                     ///< tangential velocity at the centroid [m/s]
  Dual w;                      ///< r_gyr ω_n: spin as a velocity [m/s]
  Dual f_n;                    ///< normal force [N]
  double v_avg_squared = 0.0;  ///< |v|² + w²
  double s = 1.0;          ///< the law's own Weight(), which the solver may hold while it iterates
  double z[2] = {0, 0};    ///< bristle deflection before the stage's own contribution [m]
  double z_w = 0.0;        ///< r_gyr θ, likewise [m]
  double z_j[2] = {0, 0};  ///< of the springs on body j, where the law has them on both [m]
  double z_j_w = 0.0;      ///< likewise [m]
  double s_dw = 0.0;       ///< dwell state, likewise
  Dual C_v{1.0};           ///< Contensou factors
  Dual C_w{1.0};
  double r_gyr = 0.0;  ///< radius of gyration of the patch about n [m]
  /// The pressure over its mean is that of the depth, times 1 + lean·(x, y): damping presses harder
  /// where the bodies roll together [1/m].
  double lean[2] = {0, 0};
  const PatchQuadrature* patch = nullptr;  ///< of a law that IsDistributed; its axes are v's
};

/** What a friction law answers: forces against the motion, and its states' rates. */
struct Traction {
  Dual2 f;                      ///< force: f_t = −f [N]
  Dual f_w;                     ///< spin force: τ_s = −r_gyr f_w n [N]
  double z_rate[2] = {0, 0};    ///< ż of the model, at the stage's end [m/s]
  double z_w_rate = 0.0;        ///< r_gyr θ̇ [m/s]
  double z_j_rate[2] = {0, 0};  ///< of the springs on body j [m/s]
  double z_j_w_rate = 0.0;      ///< likewise [m/s]
  double s_dw_rate = 0.0;       ///< ṡ_dw [1/s]
  double stored = 0.0;          ///< of f·v: power into the bristles [W]
  double stored_w = 0.0;        ///< of f_w w, likewise [W]
};

/** What a friction law sees of a point, which does not spin: a Slip without w and with plain
 numbers. */
struct PointSlip {
  double H = 0.0;
  double v[2] = {0, 0};
  double f_n = 0.0;
  double s = 1.0;
  double z[2] = {0, 0};
  double z_j[2] = {0, 0};
  double s_dw = 0.0;
};

/** What it answers: a Traction without f_w. */
struct PointTraction {
  double f[2] = {0, 0};
  double slope[2][3] = {};  ///< of f with v_t1, v_t2 and f_n
  double z_rate[2] = {0, 0};
  double z_j_rate[2] = {0, 0};
  double s_dw_rate = 0.0;
  double stored = 0.0;
};

/** A friction law, for sliding and spinning alike. */
class FrictionLaw {
 public:
  virtual ~FrictionLaw() = default;
  /** A weight in [0, 1] that depends on the speed only (the bristle's s); the solver updates it in
   each sweep and holds it when it does not settle. */
  virtual double Weight(double /*v_avg_squared*/) const { return 1.0; }
  /** The traction, with states that take part implicitly eliminated: z = z* + H ż. */
  virtual Traction Evaluate(const Slip& slip) const = 0;
  /** The same of a point; a law may have a shorter way to it. */
  virtual PointTraction EvaluatePoint(const PointSlip& x) const {
    Slip slip;
    slip.H = x.H;
    slip.v = {Dual::Variable(x.v[0], 0), Dual::Variable(x.v[1], 1)};
    slip.f_n = Dual::Variable(x.f_n, 3);
    slip.v_avg_squared = x.v[0] * x.v[0] + x.v[1] * x.v[1];
    slip.s = x.s;
    for (int k = 0; k < 2; ++k) {
      slip.z[k] = x.z[k];
      slip.z_j[k] = x.z_j[k];
    }
    slip.s_dw = x.s_dw;
    const Traction t = Evaluate(slip);
    PointTraction out;
    const Dual* forces[2] = {&t.f.x, &t.f.y};
    for (int k = 0; k < 2; ++k) {
      out.f[k] = forces[k]->v;
      out.slope[k][0] = forces[k]->d[0];
      out.slope[k][1] = forces[k]->d[1];
      out.slope[k][2] = forces[k]->d[3];
      out.z_rate[k] = t.z_rate[k];
      out.z_j_rate[k] = t.z_j_rate[k];
    }
    out.s_dw_rate = t.s_dw_rate;
    out.stored = t.stored;
    return out;
  }
  /** Whether it sums over the patch, spinning included: slips then have `patch`, the spinning law
   is none, and only the power of force and moment together is to dissipate. */
  virtual bool IsDistributed() const { return false; }
  /** Whether it has springs on both bodies: z_j and z_j_w, which are 0 for the others. */
  virtual bool HasSpringsOnBoth() const { return false; }
  /** What bristles whose deflections have this sum of squares [m²] hold at the load f_n [J]; 0 for
   a law without. Where their stiffness follows the load they hold more than sliding has put in. */
  virtual double Stored(double /*f_n*/, double /*square*/) const { return 0.0; }
  /** Speed below which directions are regularised [m/s]. */
  virtual double VelocityScale() const = 0;
};

/** A rolling law. */
class RollingLaw {
 public:
  virtual ~RollingLaw() = default;
  /** The symmetric matrix Q ≥ 0 [m⁵] in τ_r = (b/V) Q ω_t; with b = k_v V_r a this is
   τ_r = k_v a (V_r/V) Q ω_t. */
  virtual Mat3 Moment(const PatchGeometry& geometry) const = 0;
  /** Whether it depends on the curvatures k_1 and k_2 of the geometry, which cost a little. */
  virtual bool FollowsCurvature() const { return false; }
  /** Whether friction, too, sees that damping presses harder where the bodies roll together. */
  virtual bool LeansPressure() const { return false; }
};

/** A spinning law: how sliding and spinning share friction. */
class SpinningLaw {
 public:
  virtual ~SpinningLaw() = default;
  /** Sets C_v and C_w from v, w and the friction law's velocity scale v_ε. */
  virtual void Factors(double v_epsilon, Slip* slip) const = 0;
  /** Multiplies the spinning torque. */
  virtual double TorqueFactor() const = 0;
};

}  // namespace intervox::host
