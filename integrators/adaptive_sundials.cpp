// The adaptive methods by SUNDIALS' CVODE and ARKODE.
#ifdef INTERVOX_HAS_SUNDIALS

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "integrators/adaptive.h"

namespace intervox::integrators {
namespace {

/** Differences for the Jacobian, in shares of a state's scale and of its value. */
constexpr double kDifference = 1e-6;
constexpr double kRelativeDifference = 1.5e-8;
/** Steps in a row that are shorter than this share of the task, after which a method is given up.
 */
constexpr double kNothing = 1e-12;
constexpr int kMostOfNothing = 50;
/** A weight of integrals in norms: they do not count. */
constexpr double kNoWeight = 1e-100;

std::span<double> Numbers(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

struct Free {
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
  void operator()(SUNContext c) const { SUNContext_Free(&c); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

}  // namespace

struct AdaptiveStepper::Implementation {
  Implementation(const AdaptiveMethod& method, const AdaptiveTask& given, RateSystem& of,
                 std::span<const double> y)
      : task(given), system(of), states(y.size() - given.integrals), time(given.start) {
    SUNContext made = nullptr;
    Require(SUNContext_Create(nullptr, &made) == 0);
    context.reset(made);
    const auto n = static_cast<sunindextype>(y.size());
    values.reset(N_VNew_Serial(n, made));
    Require(values != nullptr);
    std::copy(y.begin(), y.end(), Numbers(values.get()).begin());
    scales.resize(states);
    base_rate.resize(y.size());
    is_bdf = method.name == "bdf";
    if (is_bdf) {
      MakeBdf();
    } else {
      MakeRungeKutta(method);
    }
  }
  ~Implementation() {
    if (memory == nullptr) return;
    if (is_bdf) {
      CVodeFree(&memory);
    } else {
      ARKStepFree(&memory);
    }
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  static void Require(bool good) {
    if (!good) throw std::runtime_error("SUNDIALS could not be set up.");
  }

  void MakeSolver() {
    const sunindextype n = N_VGetLength(values.get());
    matrix.reset(SUNDenseMatrix(n, n, context.get()));
    solver.reset(SUNLinSol_Dense(values.get(), matrix.get(), context.get()));
    Require(matrix != nullptr && solver != nullptr);
  }

  void MakeBdf() {
    memory = CVodeCreate(CV_BDF, context.get());
    Require(memory != nullptr && CVodeInit(memory, &RateOf, task.start, values.get()) == 0);
    MakeSolver();
    Require(CVodeSetUserData(memory, this) == 0 && CVodeWFtolerances(memory, &WeightsOf) == 0 &&
            CVodeSetErrHandlerFn(memory, &Ignore, nullptr) == 0 &&
            CVodeSetLinearSolver(memory, solver.get(), matrix.get()) == 0 &&
            CVodeSetJacFn(memory, &JacobianOf) == 0 && CVodeSetMaxStep(memory, task.longest) == 0 &&
            CVodeSetStopTime(memory, task.end) == 0 && CVodeSetStabLimDet(memory, 1) == 0);
  }

  void MakeRungeKutta(const AdaptiveMethod& method) {
    const ARKRhsFn explicit_part = method.is_implicit ? nullptr : &RateOf;
    const ARKRhsFn implicit_part = method.is_implicit ? &RateOf : nullptr;
    memory = ARKStepCreate(explicit_part, implicit_part, task.start, values.get(), context.get());
    Require(memory != nullptr);
    if (method.is_implicit) {
      MakeSolver();
      Require(ARKStepSetTableNum(memory, ARKODE_TRBDF2_3_3_2, ARKODE_ERK_NONE) == 0 &&
              ARKStepSetLinearSolver(memory, solver.get(), matrix.get()) == 0 &&
              ARKStepSetJacFn(memory, &JacobianOf) == 0);
    } else {
      Require(ARKStepSetTableNum(memory, ARKODE_DIRK_NONE, ARKODE_DORMAND_PRINCE_7_4_5) == 0);
    }
    Require(ARKStepSetUserData(memory, this) == 0 && ARKStepWFtolerances(memory, &WeightsOf) == 0 &&
            ARKStepSetErrHandlerFn(memory, &Ignore, nullptr) == 0 &&
            ARKStepSetInitStep(memory, task.first) == 0 &&
            ARKStepSetMaxStep(memory, task.longest) == 0 &&
            ARKStepSetStopTime(memory, task.end) == 0);
  }

  /** The system's rates; what it throws is kept for Step(). @return SUNDIALS' status: above 0 has
   the step tried again. */
  int Rate(double t, std::span<const double> y, std::span<double> rate) {
    try {
      system.Rate(t, y.first(states), rate);
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
    finite = std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); });
    return finite ? 0 : 1;
  }

  static int RateOf(realtype t, N_Vector y, N_Vector rate, void* self) {
    return static_cast<Implementation*>(self)->Rate(t, Numbers(y), Numbers(rate));
  }

  static int WeightsOf(N_Vector y, N_Vector weights, void* self) {
    auto& at = *static_cast<Implementation*>(self);
    at.system.Scales(Numbers(y).first(at.states), at.scales);
    const std::span<double> w = Numbers(weights);
    // Norms are means over all numbers; only the states are to count.
    const double share = std::sqrt(static_cast<double>(w.size()) / static_cast<double>(at.states));
    std::fill(w.begin(), w.end(), kNoWeight);
    for (std::size_t k = 0; k < at.states; ++k) {
      w[k] = share / (at.task.tolerance * at.scales[k]);
      if (!std::isfinite(w[k]) || !(w[k] > 0.0)) return -1;
    }
    return 0;
  }

  /** The Jacobian by differences; its columns for the integrals are zero. */
  static int JacobianOf(realtype t, N_Vector y, N_Vector rate, SUNMatrix jacobian, void* self,
                        N_Vector moved, N_Vector /*b*/, N_Vector /*c*/) {
    auto& at = *static_cast<Implementation*>(self);
    SUNMatZero(jacobian);
    const std::span<double> x = Numbers(y);
    const std::span<double> f = Numbers(rate), f_moved = Numbers(moved);
    at.base_rate.assign(f.begin(), f.end());
    for (std::size_t k = 0; k < at.states; ++k) {
      const double before = x[k];
      x[k] += std::max(kDifference * at.scales[k], kRelativeDifference * std::fabs(before));
      const double difference = x[k] - before;
      const int status = at.Rate(t, x, f_moved);
      x[k] = before;
      if (status != 0) return status;
      realtype* const column = SM_COLUMN_D(jacobian, static_cast<sunindextype>(k));
      for (std::size_t r = 0; r < x.size(); ++r) {
        column[r] = (f_moved[r] - at.base_rate[r]) / difference;
      }
    }
    return 0;
  }

  /** The cubic between the ends of the last step: ARKODE's own dense output is a degree lower than
   the method, for TR-BDF2 a straight line. */
  void Interpolate(double t, std::span<double> y) {
    const std::span<double> after = Numbers(values.get());
    if (!knows_rates) {
      before_rate.resize(before.size());
      after_rate.resize(before.size());
      const int status =
          std::max(Rate(before_time, before, before_rate), Rate(time, after, after_rate));
      if (thrown) std::rethrow_exception(thrown);
      if (status != 0) throw AdaptiveFailure("accelerations are not finite", before_time, 0);
      knows_rates = true;
    }
    const double h = time - before_time, s = (t - before_time) / h, r = 1.0 - s;
    for (std::size_t k = 0; k < y.size(); ++k) {
      y[k] = r * r * ((1.0 + 2.0 * s) * before[k] + s * h * before_rate[k]) +
             s * s * ((1.0 + 2.0 * r) * after[k] - r * h * after_rate[k]);
    }
  }

  static void Ignore(int, const char*, const char*, char*, void*) {}

  /** Of the step that failed, the state that errs most against its scale. */
  std::size_t WorstState() {
    const Owned<N_Vector> errors(N_VClone(values.get()));
    const int status = is_bdf ? CVodeGetEstLocalErrors(memory, errors.get())
                              : ARKStepGetEstLocalErrors(memory, errors.get());
    if (status != 0) return 0;
    const std::span<double> e = Numbers(errors.get());
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t k = 0; k < states; ++k) {
      const double error = std::fabs(e[k]) / scales[k];
      if (!(error <= most)) {
        most = error;
        worst = k;
      }
    }
    return worst;
  }

  static std::string Reason(int status) {
    switch (status) {
      case CV_TOO_MUCH_ACC:
        return "the tolerance is below what rounding allows";
      case CV_ERR_FAILURE:
        return "its error stays above the tolerance, however short the step";
      case CV_CONV_FAILURE:
        return "the equations of its stages cannot be solved, however short the step";
      case CV_FIRST_RHSFUNC_ERR:
      case CV_REPTD_RHSFUNC_ERR:
      case CV_RHSFUNC_FAIL:
      case CV_UNREC_RHSFUNC_ERR:
        return "accelerations are not finite";
      default:
        return "SUNDIALS reports " + std::to_string(status);
    }
  }

  AdaptiveTask task;
  RateSystem& system;
  std::size_t states;
  double time;
  bool is_bdf = false;
  Owned<SUNContext> context;
  Owned<N_Vector> values;
  Owned<SUNMatrix> matrix;
  Owned<SUNLinearSolver> solver;
  void* memory = nullptr;
  std::vector<double> scales, base_rate;
  double before_time = 0.0;    ///< the last step's start [s]
  std::vector<double> before;  ///< the numbers there, for Runge–Kutta methods
  std::vector<double> before_rate, after_rate;
  bool knows_rates = false;  ///< the two before are the last step's
  std::exception_ptr thrown;
  bool finite = true;  ///< the last rates are
  int still = 0;       ///< steps in a row that were next to nothing
};

bool HasAdaptiveMethods() { return true; }

AdaptiveStepper::AdaptiveStepper(const AdaptiveMethod& method, const AdaptiveTask& task,
                                 RateSystem& system, std::span<const double> y)
    : implementation_(std::make_unique<Implementation>(method, task, system, y)) {}
AdaptiveStepper::~AdaptiveStepper() = default;

void AdaptiveStepper::Step() {
  Implementation& self = *implementation_;
  if (!self.is_bdf) {
    const std::span<double> now = Numbers(self.values.get());
    self.before.assign(now.begin(), now.end());
    self.before_time = self.time;
    self.knows_rates = false;
  }
  const int status =
      self.is_bdf
          ? CVode(self.memory, self.task.end, self.values.get(), &self.time, CV_ONE_STEP)
          : ARKStepEvolve(self.memory, self.task.end, self.values.get(), &self.time, ARK_ONE_STEP);
  if (self.thrown) std::rethrow_exception(self.thrown);
  if (status < 0) {
    throw AdaptiveFailure(Implementation::Reason(status), self.time, self.WorstState());
  }
  const bool moves = LastStep() > kNothing * (self.task.end - self.task.start);
  self.still = moves || self.time >= self.task.end ? 0 : self.still + 1;
  if (self.still < kMostOfNothing) return;
  throw AdaptiveFailure(
      self.finite ? "its steps have shrunk to nothing" : "accelerations are not finite", self.time,
      self.WorstState());
}

double AdaptiveStepper::Time() const { return implementation_->time; }

double AdaptiveStepper::LastStep() const {
  Implementation& self = *implementation_;
  double length = 0.0;
  if (self.is_bdf) {
    CVodeGetLastStep(self.memory, &length);
  } else {
    ARKStepGetLastStep(self.memory, &length);
  }
  return length;
}

void AdaptiveStepper::At(double t, std::span<double> y) const {
  Implementation& self = *implementation_;
  if (t == self.time) {
    const std::span<double> now = Numbers(self.values.get());
    std::copy(now.begin(), now.end(), y.begin());
    return;
  }
  if (!self.is_bdf) return self.Interpolate(t, y);
  const Owned<N_Vector> out(
      N_VMake_Serial(static_cast<sunindextype>(y.size()), y.data(), self.context.get()));
  if (CVodeGetDky(self.memory, t, 0, out.get()) != 0) {
    throw AdaptiveFailure("its dense output does not reach there", t, 0);
  }
}

}  // namespace intervox::integrators

#endif
