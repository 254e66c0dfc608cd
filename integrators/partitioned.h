/** @file Steps a system stage by stage: velocities and internal states are solved for implicitly,
 at positions that are predicted and may be corrected. Knows systems and states, not contact. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "integrators/tableau.h"

namespace intervox::integrators {

/** A system x' = v(x, y), y' = F(t, x, y), a' = p(t, x, y) as the stepper sees it. Sizes of all
 spans are those that Step() was given; none of the calls may allocate if the step is not to. */
class PartitionedSystem {
 public:
  virtual ~PartitionedSystem() = default;
  /** v(x, y): rates of the positions. */
  virtual void PositionRate(std::span<const double> x, std::span<const double> y,
                            std::span<double> rate) = 0;
  /** v(x, y) where x and y are extrapolated and belong to no stage that was solved. */
  virtual void PredictRate(std::span<const double> x, std::span<const double> y,
                           std::span<double> rate) {
    PositionRate(x, y, rate);
  }
  /** How many of the velocities may change: those beyond keep what they start with until a stage
   brings them into use, and their rates are zero until then, unwritten by SolveStage. */
  virtual std::size_t VelocitiesInUse(std::size_t all) const { return all; }
  /** How many of the quadratures, the first ones, may have had a power in this step. */
  virtual std::size_t QuadraturesInUse(std::size_t all) const { return all; }
  /** How many of the velocities, the first ones, PredictRate reads. */
  virtual std::size_t VelocitiesThatMove(std::size_t all) const { return all; }
  /** Calls act(begin, end) over ranges that make up [0, count); of many, if need be, on threads. */
  template <class Act>
  void ForRanges(std::size_t count, const Act& act) const {
    constexpr std::size_t kFew = 1024;  // elements, not worth to be shared out
    if (count <= kFew) {
      act(std::size_t{0}, count);
    } else {
      ForManyRanges(count, std::cref(act));
    }
  }
  /** Copies a vector, by ranges. */
  void Copy(std::span<const double> from, std::span<double> to) const {
    ForRanges(from.size(), [&](std::size_t begin, std::size_t end) {
      std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    });
  }
  /** ForRanges of many elements. */
  virtual void ForManyRanges(std::size_t count,
                             const std::function<void(std::size_t, std::size_t)>& act) const {
    act(0, count);
  }
  /** Puts positions back onto their manifold (unit quaternions); called on every stage's positions
   and on the step's result. */
  virtual void Project(std::span<double> x) const = 0;
  /** Called before SolveStage with x* − x. The implicit tableau puts the stage's positions at
   x* + hγ x'_i; the x given to SolveStage is a prediction of that, off by O(h³). A system whose
   forces are stiff in the positions takes them at the implicit position, x + offset + hγ x'_i. */
  virtual void StageOffset(std::span<const double> /*offset*/) {}
  /** Solves y = y* + hγ F(t, x, y). The geometry at x is needed once; h_gamma = 0 evaluates F.
   @param stage    0 … stages − 1; stage 0 is the step's start
   @param h_gamma  step times the diagonal of the implicit tableau [s]
   @param y        in: y*; out: the stage's y
   @param rate     out: F(t, x, y) of the velocities in use; y − y* = hγ F to the solver's residual
   @param power    out: p(t, x, y) */
  virtual void SolveStage(int stage, double t, double h_gamma, std::span<const double> x,
                          std::span<double> y, std::span<double> rate, std::span<double> power) = 0;
};

/** One-step integrator with a tableau. Allocates only when a system is larger than any before.
 Deterministic: sums run over stages in ascending order. */
class PartitionedStepper {
 public:
  /** @param tableau  must outlive the stepper; those of AllTableaus() always do. */
  explicit PartitionedStepper(const Tableau& tableau) : tableau_(&tableau) {}

  /** Advances x, y and the quadratures a from t to t + h. On return the spans hold the new values,
   x projected. */
  void Step(PartitionedSystem& system, double t, double h, std::span<double> x, std::span<double> y,
            std::span<double> a);

 private:
  const Tableau* tableau_;
  std::vector<double> workspace_;
};

}  // namespace intervox::integrators
