/** @file Bilinear normal laws: stiff while pressed, softer in sum while parting. Neither damps;
 what pressing takes and parting does not give back is lost when a patch turns. */
#pragma once

#include "host/contact/laws.h"
#include "host/contact/restitution.h"

namespace intervox::host {

/** f_n = k₁ V while pressed, another line while parting from V_max, the V of the last turn. A patch
 that is pressed beyond V_max presses with k₁ V again. V is a volume; of a point its depth, so that
 k₁ is in N/m. An impact on a face, or of a point, returns with e times its speed. */
class BilinearNormal : public NormalLaw {
 public:
  NormalForce Force(double V_r, double /*a*/) const override { return {k_1_ * V_r, 0.0}; }
  double DampingFactor(double /*v_i*/) const override { return 0.0; }
  bool Conserves() const override { return at_points_; }
  double Potential(double V) const override { return 0.5 * k_1_ * V * V; }
  bool HasCurve() const override { return true; }

 protected:
  /** stiffness k₁ [N/m³, N/m]; restitution, constant or over the latched speed, by default the
   materials'. */
  explicit BilinearNormal(Parameters& p);
  /** The share of the work that a turn loses, 1 − e² [–]. */
  double LostBy(const PatchLatch& latch) const {
    const double e = e_.At(latch.v_i);
    return 1.0 - e * e;
  }
  bool at_points_;
  double k_1_;
  Restitution e_;
};

/** Stronge's (Ullrich 2.4.2): parting on the slope k₂ = k₁/e² from the turn, f_n = max(0, k₂ (V −
 (1 − e²) V_max)), and pressed again along the same line. Of the work of pressing the share 1 − e²
 is plastic. */
class StrongeNormal : public BilinearNormal {
 public:
  /** @copydoc BilinearNormal::BilinearNormal */
  explicit StrongeNormal(Parameters& p) : BilinearNormal(p) {}
  LoadingCurve Curve(const PatchLatch& latch) const override;
  /** Sets V_max so that the patch stores e² ½ k₁ V_p², less what it has given back since V_p. What
   an earlier turn has crushed stays so, whatever e is now. */
  void Turn(double V_p, double V, PatchLatch* latch) const override;

 private:
  /** 1 − e² of the last turn [–]. */
  double Lost(const PatchLatch& latch) const {
    if (e_.IsConstant()) return LostBy(latch);
    return latch.V_max > 0.0 ? 1.0 - latch.unloading : 0.0;
  }
};

/** Chatterjee's (Ullrich 2.4.2): parting on a line through the origin, f_n = k₂ V with k₂ = e² k₁,
 so the force jumps at the turn. Pressed again, it climbs back to k₁ V while V grows by a half
 beyond V_max: a jump would leave a load between e² k₁ V and k₁ V without a place to rest. */
class ChatterjeeNormal : public BilinearNormal {
 public:
  /** @copydoc BilinearNormal::BilinearNormal */
  explicit ChatterjeeNormal(Parameters& p) : BilinearNormal(p) {}
  LoadingCurve Curve(const PatchLatch& latch) const override;
  /** Sets V_max = V_p and k₂ so that the patch stores e² ½ k₁ V_p², less what it has given back
   since V_p. */
  void Turn(double V_p, double V, PatchLatch* latch) const override;
};

}  // namespace intervox::host
