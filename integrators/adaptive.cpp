#include "integrators/adaptive.h"

namespace intervox::integrators {
namespace {

constexpr AdaptiveMethod kMethods[] = {{"bdf", true}, {"trbdf2", true}, {"dopri5", false}};

}  // namespace

std::span<const AdaptiveMethod> AllAdaptiveMethods() { return kMethods; }

const AdaptiveMethod* FindAdaptiveMethod(std::string_view name) {
  for (const AdaptiveMethod& method : kMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

}  // namespace intervox::integrators

#ifndef INTERVOX_HAS_SUNDIALS

namespace intervox::integrators {

bool HasAdaptiveMethods() { return false; }

struct AdaptiveStepper::Implementation {};

AdaptiveStepper::AdaptiveStepper(const AdaptiveMethod& /*method*/, const AdaptiveTask& /*task*/,
                                 RateSystem& /*system*/, std::span<const double> /*y*/) {
  throw std::logic_error("AdaptiveStepper: the program was built without SUNDIALS.");
}
AdaptiveStepper::~AdaptiveStepper() = default;
void AdaptiveStepper::Step() {}
double AdaptiveStepper::Time() const { return 0.0; }
double AdaptiveStepper::LastStep() const { return 0.0; }
void AdaptiveStepper::At(double /*t*/, std::span<double> /*y*/) const {}

}  // namespace intervox::integrators

#endif
