/** @file Methods that choose their own steps by an error estimate. They know systems and states,
 not contact. */
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace intervox::integrators {

/** A method that chooses its steps. */
struct AdaptiveMethod {
  std::string_view name;    ///< as scenes call it: bdf, trbdf2, dopri5
  bool is_implicit = true;  ///< whether it is for stiff systems
};

/** All of them: bdf (CVODE's backward differentiation of order 1 to 5), trbdf2 (ARKODE's TR-BDF2, a
 singly diagonally implicit Runge–Kutta method of order 2 with an estimate of order 3) and dopri5
 (ARKODE's Dormand and Prince 5(4), explicit). */
std::span<const AdaptiveMethod> AllAdaptiveMethods();

/** The method called `name`, or null when there is none. */
const AdaptiveMethod* FindAdaptiveMethod(std::string_view name);

/** Whether this program was built with SUNDIALS, which has the methods. */
bool HasAdaptiveMethods();

/** A system y' = f(t, y), and integrals a' = p(t, y) beside it that f does not depend on. */
class RateSystem {
 public:
  virtual ~RateSystem() = default;
  /** f and, after it, p. @param rate  as long as y and the integrals together. What is not finite
   has the step tried again, shorter. An exception ends the step and comes out of it. */
  virtual void Rate(double t, std::span<const double> y, std::span<double> rate) = 0;
  /** The size of each state that counts: a step may err by the tolerance times that, as the root
   of the mean square over all states. All above 0. */
  virtual void Scales(std::span<const double> y, std::span<double> scales) = 0;
};

/** A method that cannot go on. */
class AdaptiveFailure : public std::runtime_error {
 public:
  /** @param what  why. @param time  where it stands [s]. @param state  index of the state that errs
   most */
  AdaptiveFailure(const std::string& what, double time, std::size_t state)
      : std::runtime_error(what), time_(time), state_(state) {}
  /** Where it stands [s]. */
  double time() const { return time_; }
  /** The state that errs most against its scale. */
  std::size_t state() const { return state_; }

 private:
  double time_;
  std::size_t state_;
};

/** What a stepper is to do. */
struct AdaptiveTask {
  double start = 0.0;       ///< [s]
  double end = 0.0;         ///< no step goes beyond [s]
  double longest = 0.0;     ///< step [s]
  double first = 0.0;       ///< guess of the first step of a Runge–Kutta method [s]; 0: estimated
  double tolerance = 1e-6;  ///< of a step, in shares of the states' scales
  std::size_t integrals = 0;  ///< how many of the last numbers are integrals, which no error counts
};

/** Steps a system by its own step sizes. Deterministic: the same calls give the same bits. */
class AdaptiveStepper {
 public:
  /** Begins at task.start. @param y  states, then integrals. @param system  must outlive this.
   @throws std::logic_error where the program has no SUNDIALS. */
  AdaptiveStepper(const AdaptiveMethod& method, const AdaptiveTask& task, RateSystem& system,
                  std::span<const double> y);
  ~AdaptiveStepper();
  AdaptiveStepper(const AdaptiveStepper&) = delete;
  AdaptiveStepper& operator=(const AdaptiveStepper&) = delete;

  /** One step. @throws AdaptiveFailure, and what Rate throws. */
  void Step();
  /** The time reached [s]. */
  double Time() const;
  /** The length of the last step [s]. */
  double LastStep() const;
  /** The numbers at a time within the last step, by the method's dense output. */
  void At(double t, std::span<double> y) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox::integrators
