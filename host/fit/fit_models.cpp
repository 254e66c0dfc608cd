// The curves that measurements are fitted to, and what is read off them to begin with.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/fit/fit.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

/** The one of θ at that place. */
FitQuantity Parameter(const std::string& name, const std::string& unit, std::size_t at) {
  return {name, unit, [at](std::span<const double> theta) { return theta[at]; }};
}

double LargestSize(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/** θ_0 of y ≈ θ_0 x. */
double Proportion(std::span<const double> x, std::span<const double> y) {
  double xx = 0.0, xy = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += x[k] * x[k];
    xy += x[k] * y[k];
  }
  return xx > 0.0 ? xy / xx : 0.0;
}

/** Slope and height of the line through (log x, log y) where both are above 0. */
std::pair<double, double> PowerLaw(std::span<const double> x, std::span<const double> y) {
  double n = 0.0, a = 0.0, b = 0.0, aa = 0.0, ab = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0.0) || !(y[k] > 0.0)) continue;
    const double u = std::log(x[k]), v = std::log(y[k]);
    n += 1.0;
    a += u;
    b += v;
    aa += u * u;
    ab += u * v;
  }
  const double spread = n * aa - a * a;
  const double slope = spread > 0.0 ? (n * ab - a * b) / spread : 1.5;
  return {slope, n > 0.0 ? std::exp((b - slope * a) / n) : 1.0};
}

Fit ForceDepth(const Measurements& data, const FitConditions& /*conditions*/) {
  const std::vector<double>&z = *data.Find("depth"), &f = *data.Find("force");
  const std::vector<double>* rate = data.Find("rate");
  const double deepest = LargestSize(z);
  const auto [p, k] = PowerLaw(z, f);
  // By the force at the greatest depth, which does not depend on the exponent as k does.
  FitCurve curve;
  curve.measured = f;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    const double elastic = z[row] > 0.0 ? theta[0] * std::pow(z[row] / deepest, theta[1]) : 0.0;
    return rate == nullptr ? elastic : elastic * (1.0 + 1.5 * theta[2] * (*rate)[row]);
  };
  curve.start = {k * std::pow(deepest, p), p};
  curve.scale = {curve.start[0], 1.0};
  std::vector<FitQuantity> wanted = {
      {"stiffness", "N/m^p",
       [=](std::span<const double> theta) { return theta[0] / std::pow(deepest, theta[1]); }},
      Parameter("exponent", "1", 1)};
  if (rate != nullptr) {
    const double fastest = LargestSize(*rate);
    curve.start.push_back(0.0);
    curve.scale.push_back(fastest > 0.0 ? 1.0 / fastest : 1.0);
    wanted.push_back(Parameter("dissipation", "s/m", 2));
  }
  return FitLeastSquares(curve, wanted, data.source);
}

Fit ForceLinear(const Measurements& data, const FitConditions& /*conditions*/) {
  const std::vector<double>&z = *data.Find("depth"), &rate = *data.Find("rate"),
        &f = *data.Find("force");
  FitCurve curve;
  curve.measured = f;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    return theta[0] * z[row] + theta[1] * rate[row];
  };
  const double k = Proportion(z, f), fastest = LargestSize(rate), largest = LargestSize(f);
  curve.start = {k, 0.0};
  curve.scale = {k != 0.0 ? std::fabs(k) : 1.0, fastest > 0.0 ? largest / fastest : 1.0};
  const FitQuantity wanted[] = {Parameter("stiffness", "N/m", 0), Parameter("damping", "N s/m", 1)};
  return FitLeastSquares(curve, wanted, data.source);
}

Fit Restitution(const Measurements& data, const FitConditions& /*conditions*/) {
  const std::vector<double>&v = *data.Find("approach_speed"), &back = *data.Find("rebound_speed");
  FitCurve curve;
  curve.measured = back;
  curve.value = [&](std::size_t row, std::span<const double> theta) { return theta[0] * v[row]; };
  curve.start = {Proportion(v, back)};
  curve.scale = {1.0};
  const FitQuantity wanted[] = {Parameter("restitution", "1", 0)};
  return FitLeastSquares(curve, wanted, data.source);
}

Fit RestitutionSlope(const Measurements& data, const FitConditions& /*conditions*/) {
  const std::vector<double>&v = *data.Find("approach_speed"), &back = *data.Find("rebound_speed");
  FitCurve curve;
  curve.measured = back;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    return (1.0 - theta[0] * v[row]) * v[row];
  };
  const double fastest = LargestSize(v);
  curve.start = {0.0};
  curve.scale = {fastest > 0.0 ? 1.0 / fastest : 1.0};
  const FitQuantity wanted[] = {Parameter("restitution_slope", "s/m", 0)};
  return FitLeastSquares(curve, wanted, data.source);
}

Fit RestitutionPower(const Measurements& data, const FitConditions& /*conditions*/) {
  const std::vector<double>&v = *data.Find("approach_speed"), &back = *data.Find("rebound_speed");
  // e is fitted at the middle of the speeds, where it depends least on the power.
  double logarithms = 0.0, count = 0.0, ratios = 0.0;
  for (std::size_t row = 0; row < v.size(); ++row) {
    if (!(v[row] > 0.0)) continue;
    logarithms += std::log(v[row]);
    ratios += back[row] / v[row];
    count += 1.0;
  }
  const double middle = count > 0.0 ? std::exp(logarithms / count) : 1.0;
  FitCurve curve;
  curve.measured = back;
  curve.value = [&, middle](std::size_t row, std::span<const double> theta) {
    if (!(v[row] > 0.0)) return 0.0;
    return theta[0] * std::pow(middle / v[row], theta[1]) * v[row];
  };
  curve.start = {count > 0.0 ? ratios / count : 1.0, 0.25};
  curve.scale = {1.0, 1.0};
  const FitQuantity wanted[] = {
      {"restitution.speed", "m/s",
       [=](std::span<const double> theta) { return middle * std::pow(theta[0], 1.0 / theta[1]); }},
      Parameter("restitution.power", "1", 1)};
  return FitLeastSquares(curve, wanted, data.source);
}

Fit Stick(const Measurements& data, const FitConditions& conditions) {
  if (!(conditions.load > 0.0)) {
    throw InputError("--load: the model stick needs the normal force of the pull. Give it in N.");
  }
  const std::vector<double>&x = *data.Find("displacement"), &f = *data.Find("force");
  const double load = conditions.load, farthest = LargestSize(x);
  // Where it slides is the mean of the last quarter; where it sticks, what is below half of that.
  double slides = 0.0, sticks = 0.0, count = 0.0;
  const std::size_t tail = x.size() - x.size() / 4;
  for (std::size_t k = tail; k < x.size(); ++k)
    slides += f[k] / static_cast<double>(x.size() - tail);
  std::vector<double> near_x, near_f;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (f[k] > 0.5 * slides) continue;
    near_x.push_back(x[k]);
    near_f.push_back(f[k]);
    count += 1.0;
  }
  sticks = count > 2.0 ? Proportion(near_x, near_f) : 10.0 * slides / farthest;
  FitCurve curve;
  curve.measured = f;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    return load * std::min(theta[0] * x[row], theta[1]);
  };
  curve.start = {sticks / load, slides / load};
  curve.scale = {std::fabs(curve.start[0]) + 1e-300, std::fabs(curve.start[1]) + 1e-300};
  const FitQuantity wanted[] = {Parameter("sigma_0", "1/m", 0), Parameter("mu_s", "1", 1)};
  return FitLeastSquares(curve, wanted, data.source);
}

Fit Slide(const Measurements& data, const FitConditions& conditions) {
  if (!(conditions.load > 0.0)) {
    throw InputError("--load: the model slide needs the normal force. Give it in N.");
  }
  const std::vector<double>&v = *data.Find("velocity"), &f = *data.Find("force");
  const double load = conditions.load;
  // The slowest quarter of the rows has μ_S, the fastest μ_C; v_S is where half of both is between.
  std::vector<std::size_t> order(v.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(v[a]) < std::fabs(v[b]); });
  const std::size_t quarter = std::max<std::size_t>(1, v.size() / 4);
  double slow = 0.0, fast = 0.0;
  for (std::size_t k = 0; k < std::min(quarter, v.size()); ++k) {
    slow += std::fabs(f[order[k]]) / static_cast<double>(quarter);
    fast += std::fabs(f[order[v.size() - 1 - k]]) / static_cast<double>(quarter);
  }
  std::size_t middle = 0;
  while (middle + 1 < order.size() && std::fabs(f[order[middle]]) > 0.5 * (slow + fast)) ++middle;
  const double v_S = (v.empty() ? 0.0 : std::fabs(v[order[middle]])) / std::sqrt(std::numbers::ln2);
  FitCurve curve;
  curve.measured = f;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    const double s = v[row] / theta[2];
    const double mu = theta[1] + (theta[0] - theta[1]) * std::exp(-s * s);
    return std::copysign(load * mu, v[row]);
  };
  curve.start = {slow / load, fast / load, v_S > 0.0 ? v_S : 1.0};
  curve.scale = {std::fabs(curve.start[0]) + 1e-300, std::fabs(curve.start[1]) + 1e-300,
                 curve.start[2]};
  const FitQuantity wanted[] = {
      Parameter("mu_s", "1", 0),
      Parameter("mu_c", "1", 1),
      {"v_stribeck", "m/s", [](std::span<const double> q) { return std::fabs(q[2]); }}};
  return FitLeastSquares(curve, wanted, data.source);
}

/** Frequency [rad/s] and damping ratio of an oscillation, read off its crossings of `rest` and the
 decay between its first and its second half. */
std::pair<double, double> ReadOff(std::span<const double> t, std::span<const double> x, double rest,
                                  double noise) {
  int crossings = 0;
  double first = 0.0, last = 0.0, early = 0.0, late = 0.0;
  bool above = false, armed = false;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double off = x[k] - rest;
    (2 * k < t.size() ? early : late) += off * off;
    if (std::fabs(off) < noise) continue;
    if (armed && (off > 0.0) != above) {
      last = t[k];
      if (crossings++ == 0) first = last;
    }
    above = off > 0.0;
    armed = true;
  }
  const double span = t[t.size() - 1] - t[0];
  const double omega = crossings > 1 ? std::numbers::pi * (crossings - 1) / (last - first)
                                     : 2.0 * std::numbers::pi / span;
  // Energies of the halves are a factor exp(−2 ζ ω span/2) apart.
  const double decay = late > 0.0 && early > late ? std::log(early / late) / span : 0.1 / span;
  return {omega, std::min(0.9, decay / omega)};
}

Fit Ringing(const Measurements& data, const FitConditions& conditions) {
  const std::vector<double>&t = *data.Find("time"), &x = *data.Find("displacement");
  if (x.size() < 10) {
    throw InputError(data.source + ": has " + std::to_string(x.size()) +
                     " rows, ringing needs 10. Measure more.");
  }
  const std::size_t tail = x.size() - x.size() / 4;
  double rest = 0.0;
  for (std::size_t k = tail; k < x.size(); ++k) rest += x[k] / static_cast<double>(x.size() - tail);
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::fabs(value - rest));
  const auto [omega, zeta] = ReadOff(t, x, rest, 0.1 * largest);
  const double start = t[0];
  FitCurve curve;
  curve.measured = x;
  curve.value = [&](std::size_t row, std::span<const double> theta) {
    const double zeta_now = std::clamp(theta[1], -0.999, 0.999), s = t[row] - start;
    const double damped = theta[0] * std::sqrt(1.0 - zeta_now * zeta_now);
    return theta[4] + std::exp(-zeta_now * theta[0] * s) *
                          (theta[2] * std::cos(damped * s) + theta[3] * std::sin(damped * s));
  };
  curve.start = {omega, zeta, x[0] - rest, 0.0, rest};
  curve.scale = {0.1 * omega, 0.1, largest, largest, largest};
  const double g = conditions.gravity;
  const FitQuantity wanted[] = {
      {"sigma_0", "1/m", [=](std::span<const double> q) { return q[0] * q[0] / g; }},
      {"sigma_1", "s/m", [=](std::span<const double> q) { return 2.0 * q[1] * q[0] / g; }},
      Parameter("frequency", "rad/s", 0),
      Parameter("damping_ratio", "1", 1)};
  return FitLeastSquares(curve, wanted, data.source);
}

}  // namespace

const std::vector<FitModelEntry>& FitModels() {
  static const std::vector<FitModelEntry> models = {
      {"force_depth", "force = k z^p (1 + 1.5 a rate)", {"depth", "force"}, &ForceDepth},
      {"force_linear", "force = k z + c rate", {"depth", "rate", "force"}, &ForceLinear},
      {"restitution", "rebound = e v", {"approach_speed", "rebound_speed"}, &Restitution},
      {"restitution_slope",
       "rebound = (1 - slope v) v",
       {"approach_speed", "rebound_speed"},
       &RestitutionSlope},
      {"restitution_power",
       "rebound = (speed/v)^power v",
       {"approach_speed", "rebound_speed"},
       &RestitutionPower},
      {"stick", "force = load min(sigma_0 x, mu)", {"displacement", "force"}, &Stick},
      {"slide",
       "force = load (mu_c + (mu_s - mu_c) exp(-v^2/v_S^2))",
       {"velocity", "force"},
       &Slide},
      {"ringing", "x'' + g sigma_1 x' + g sigma_0 x = 0", {"time", "displacement"}, &Ringing}};
  return models;
}

}  // namespace intervox::host
