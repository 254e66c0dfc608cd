/** @file Normal laws of the affine form f_n = max(0, f_e + b v_n), of volumes and of points. */
#pragma once

#include <algorithm>
#include <cmath>

#include "host/contact/damping_factor.h"
#include "host/contact/laws.h"
#include "host/contact/restitution.h"

namespace intervox::host {

/** The stiffness of a law linear in V [N/m³], at points in the depth [N/m]. */
double LinearStiffness(Parameters& p);

/** The elastic part: k_v V of a volume; k zᵖ of a point z deep, whose potential is k z^(p+1)/(p+1).
 Hertz's k = E* form, 1/E* = Σ (1 − ν²)/E and p = 3/2 where no stiffness is given, with the form
 (4/3) √R of a radius that is given, or that of the curvatures where the bodies touch. */
class ElasticPart {
 public:
  /** stiffness [N/m³, N/mᵖ], exponent p [–] and radius R [m] of points.
   @param may_follow  without stiffness and radius the curvatures set the stiffness of points. */
  ElasticPart(Parameters& p, double exponent, bool may_follow = false);
  /** The force [N] at the measure of compliance V: a volume [m³] or a depth [m]. */
  double Force(double V) const {
    if (exponent_ == 1.5) return k_ * V * std::sqrt(V);
    return exponent_ == 1.0 ? k_ * V : k_ * std::pow(V, exponent_);
  }
  /** The slope of a force there with a depth z > 0 [N/m]. */
  double Slope(double force, double z) const { return exponent_ * force / z; }
  /** The energy that a point z deep stores [J]. */
  double Potential(double z) const { return Force(z) * z / (exponent_ + 1.0); }
  /** Whether it acts at points. */
  bool AtPoints() const { return at_points_; }
  /** Whether Force() is that of a HertzForm of 1 m^½. */
  bool FollowsCurvature() const { return follows_; }

 private:
  bool at_points_;
  double exponent_;
  bool follows_ = false;
  double k_;
};

/** f_n = f_e (1 + a v_n) with a factor a ≤ 0 latched for the approach speed v_i. */
class FactorNormal : public NormalLaw {
 public:
  NormalForce Force(double V_r, double a) const override {
    const double f_e = elastic_.Force(V_r);
    return {f_e, a * f_e};
  }
  NormalForce PointForce(double z, double a, NormalForce* slope) const override {
    const double f_e = elastic_.Force(z), rise = z > 0.0 ? elastic_.Slope(f_e, z) : 0.0;
    *slope = {rise, a * rise};
    return {f_e, a * f_e};
  }
  bool Conserves() const override { return elastic_.AtPoints(); }
  double Potential(double V) const override { return elastic_.Potential(V); }
  bool FollowsCurvature() const override { return elastic_.FollowsCurvature(); }

 protected:
  /** stiffness, exponent, radius: ElasticPart; restitution, constant or over the speed; v_small.
   @param needs_e  e has to be known */
  FactorNormal(Parameters& p, double exponent, bool needs_e);
  /** max(v_i, v_small) [m/s]. */
  double Speed(double v_i) const { return std::max(v_i, v_small_); }
  Restitution e_;
  double v_small_;

 private:
  ElasticPart elastic_;
};

/** d(e) of Gonthier's factor (3.23), kept where e is constant. */
class ExactDamping {
 public:
  /** Of the law's e. */
  explicit ExactDamping(const Restitution& e) : d_(e.IsConstant() ? DampingRoot(e.At(0.0)) : 0.0) {}
  /** a = −d(e)/(e v) with e at the speed v_i, and v = max(v_i, v_small) [s/m]. */
  double Factor(const Restitution& e, double v_i, double v) const {
    const double at = e.At(v_i);
    return -(e.IsConstant() ? d_ : DampingRoot(at)) / (at * v);
  }

 private:
  double d_;
};

/** The exact factor a = −d(e)/(e max(v_i, v_small)), Gonthier (3.19)–(3.25), (4.63), (4.178): an
 impact returns with e times its speed. */
class GonthierNormal : public FactorNormal {
 public:
  /** @copydoc FactorNormal::FactorNormal */
  explicit GonthierNormal(Parameters& p) : FactorNormal(p, 1.5, true), d_(e_) {}
  double DampingFactor(double v_i) const override { return d_.Factor(e_, v_i, Speed(v_i)); }

 private:
  ExactDamping d_;
};

/** α [s/m] of a law that takes a dissipation or an e: the scene's; where it gives the law neither,
 the materials'. Below 0: none. */
double DissipationOf(Parameters& p);

/** Hunt and Crossley's a = −(3/2)(1 − e)/v_i (3.11), (3.13), (3.26); with `dissipation` α [s/m]
 their a = −(3/2) α of e = 1 − α v_i, which Drake's H(x)(1 + (3/2) d ẋ) is too. Right for e near 1.
 */
class HuntCrossleyNormal : public FactorNormal {
 public:
  /** dissipation α [s/m]; else restitution; else the materials' dissipation, or restitution. */
  explicit HuntCrossleyNormal(Parameters& p) : HuntCrossleyNormal(p, 1.5) {}
  double DampingFactor(double v_i) const override {
    if (dissipation_ >= 0.0) return -1.5 * dissipation_;
    return -1.5 * (1.0 - e_.At(v_i)) / Speed(v_i);
  }

 protected:
  /** @param exponent  by default. */
  HuntCrossleyNormal(Parameters& p, double exponent)
      : HuntCrossleyNormal(p, exponent, DissipationOf(p)) {}

 private:
  HuntCrossleyNormal(Parameters& p, double exponent, double dissipation)
      : FactorNormal(p, exponent, dissipation < 0.0), dissipation_(dissipation) {}

  double dissipation_;  ///< below 0: e has to be known
};

/** Marhefka and Orin's: Hunt and Crossley's with n = 1, for facets. */
class MarhefkaOrinNormal : public HuntCrossleyNormal {
 public:
  /** @copydoc HuntCrossleyNormal::HuntCrossleyNormal */
  explicit MarhefkaOrinNormal(Parameters& p) : HuntCrossleyNormal(p, 1.0) {}
};

/** Lankarani and Nikravesh's a = −(3/4)(1 − e²)/v_i (3.16), (3.17), (3.27). */
class LankaraniNikraveshNormal : public FactorNormal {
 public:
  /** @copydoc FactorNormal::FactorNormal */
  explicit LankaraniNikraveshNormal(Parameters& p) : FactorNormal(p, 1.5, true) {}
  double DampingFactor(double v_i) const override {
    const double e = e_.At(v_i);
    return -0.75 * (1.0 - e * e) / Speed(v_i);
  }
};

/** f_n = max(0, k zⁿ + λ z^q ż) of points, Azad (1): a constant λ, whose e depends on the speed. */
class PowerNormal : public NormalLaw {
 public:
  NormalForce Force(double z, double /*a*/) const override {
    return {elastic_.Force(z), z > 0.0 ? -damping_ * std::pow(z, damping_exponent_) : 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }
  bool Conserves() const override { return true; }
  double Potential(double z) const override { return elastic_.Potential(z); }

 protected:
  /** @param exponent, damping_exponent  n and q. */
  PowerNormal(Parameters& p, double exponent, double damping_exponent);
  ElasticPart elastic_;
  double damping_, damping_exponent_;
};

/** The generic law: n and q are parameters. */
class GenericNormal : public PowerNormal {
 public:
  /** stiffness k, exponent n (1.5), damping λ [N·s/m^(q+1)], damping_exponent q (n). */
  explicit GenericNormal(Parameters& p);
};

/** Lee and Wang's: damping is linear in the depth. */
class LeeWangNormal : public PowerNormal {
 public:
  /** stiffness k, exponent n (1.5), damping λ [N·s/m²]. */
  explicit LeeWangNormal(Parameters& p) : PowerNormal(p, 1.5, 1.0) {}
};

/** Azad and Featherstone's max(0, √z (k z + λ ż)), Azad (8), (11). With `recovery` a surface that
 the bodies leave behind comes back by k z + λ ż = 0, and acts again where they meet it. */
class AzadFeatherstoneNormal : public PowerNormal {
 public:
  /** stiffness k [N/m^1.5], damping λ = λ* √R [N·s/m^1.5], recovery. */
  explicit AzadFeatherstoneNormal(Parameters& p);
  bool Recovers() const override { return recovers_; }
  double Recovered(double z, double before, double rate, double h) const override;

 private:
  bool recovers_;
};

/** Kelvin and Voigt's spring and damper: f_n = max(0, k_v V_r − c v_n), at points k z − c v_n. */
class LinearNormal : public NormalLaw {
 public:
  /** stiffness k_v [N/m³], at points [N/m]; damping c [N·s/m]. */
  explicit LinearNormal(Parameters& p)
      : elastic_(p, 1.0),
        c_(p.InRange("damping", 0.0, 0.0, 1e300, "Damping must not be negative.")) {
    RefuseRestitution(p);
  }
  NormalForce Force(double V_r, double /*a*/) const override {
    return {elastic_.Force(V_r), V_r > 0.0 ? -c_ : 0.0};
  }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }
  bool Conserves() const override { return elastic_.AtPoints(); }
  double Potential(double V) const override { return elastic_.Potential(V); }

 private:
  ElasticPart elastic_;
  double c_;
};

/** The energy-conserving law: w(V) = c V^m, force w′(V) S and moment w′(V) G about the centroid, of
 the whole pair of bodies. c = k_v/(2A) and m = 2 on a face of area A; c = k_v/(3√(πR)), m = 3/2 for
 a thin cap; c = (8/15) E* √R (πR)^(−5/4), m = 5/4 for Hertz's contact. */
class ConservingNormal : public NormalLaw {
 public:
  /** coefficient c [J/m^(3m)]; exponent m [–]; restitution e; v_small. */
  explicit ConservingNormal(Parameters& p);
  NormalForce Force(double V_r, double a) const override {
    const double p_e = c_ * m_ * std::pow(V_r, m_ - 1.0);
    return {p_e, a * p_e};
  }
  double DampingFactor(double v_i) const override {
    return d_.Factor(e_, v_i, std::max(v_i, v_small_));
  }
  bool Conserves() const override { return true; }
  double Potential(double V) const override { return c_ * std::pow(V, m_); }

 private:
  double c_, m_;
  Restitution e_;
  double v_small_;
  ExactDamping d_;
};

}  // namespace intervox::host
