#include "host/fit/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

#include "host/input/error.h"

namespace intervox::host {
namespace {

constexpr double kDifference = 1e-6;  // of a parameter's scale, for slopes
constexpr int kMostEvaluations = 2000;
constexpr double kSingular = 1e-12;  // least eigenvalue of JᵀJ over the largest, columns scaled

/** The residuals over x = (θ − start)/scale, as Eigen asks for them. */
struct Residuals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  const FitCurve& curve;

  int inputs() const { return static_cast<int>(curve.start.size()); }
  int values() const { return static_cast<int>(curve.measured.size()); }
  std::vector<double> Theta(const InputType& x) const {
    std::vector<double> theta = curve.start;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      theta[k] += curve.scale[k] * x[static_cast<Eigen::Index>(k)];
    }
    return theta;
  }
  int operator()(const InputType& x, ValueType& r) const {
    const std::vector<double> theta = Theta(x);
    for (std::size_t k = 0; k < curve.measured.size(); ++k) {
      r[static_cast<Eigen::Index>(k)] = curve.value(k, theta) - curve.measured[k];
    }
    return 0;
  }
  int df(const InputType& x, JacobianType& J) const {
    ValueType up(values()), down(values());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      InputType moved = x;
      moved[k] = x[k] + kDifference;
      (*this)(moved, up);
      moved[k] = x[k] - kDifference;
      (*this)(moved, down);
      J.col(k) = (up - down) / (2.0 * kDifference);
    }
    return 0;
  }
};

}  // namespace

double StudentQuantile(int n) {
  // Cornish and Fisher's expansion about the normal law's quantile.
  const double z = 1.959963984540054, z2 = z * z, v = 1.0 / n;
  const double g1 = z * (z2 + 1.0) / 4.0;
  const double g2 = z * (z2 * (5.0 * z2 + 16.0) + 3.0) / 96.0;
  const double g3 = z * (z2 * (z2 * (3.0 * z2 + 19.0) + 17.0) - 15.0) / 384.0;
  const double g4 =
      z * (z2 * (z2 * (z2 * (79.0 * z2 + 776.0) + 1482.0) - 1920.0) - 945.0) / 92160.0;
  return z + v * (g1 + v * (g2 + v * (g3 + v * g4)));
}

Fit FitLeastSquares(const FitCurve& curve, std::span<const FitQuantity> wanted,
                    const std::string& source) {
  const int n = static_cast<int>(curve.measured.size());
  const int p = static_cast<int>(curve.start.size());
  if (n < p + 5) {
    throw InputError(source + ": has " + std::to_string(n) + " rows of use, " + std::to_string(p) +
                     " parameters need " + std::to_string(p + 5) + ". Measure more.");
  }
  Residuals residuals{curve};
  Eigen::VectorXd x = Eigen::VectorXd::Zero(p);
  Eigen::LevenbergMarquardt<Residuals> solver(residuals);
  solver.parameters.maxfev = kMostEvaluations;
  solver.parameters.ftol = solver.parameters.xtol = 1e-12;
  solver.minimize(x);
  Eigen::VectorXd r(n);
  residuals(x, r);
  Eigen::MatrixXd J(n, p);
  residuals.df(x, J);
  // Columns of length 1, so that units do not make the matrix look singular.
  const Eigen::VectorXd length = J.colwise().norm();
  const bool moves = length.minCoeff() > 0.0 && r.allFinite() && J.allFinite();
  const Eigen::MatrixXd unit = moves ? Eigen::MatrixXd(J * length.cwiseInverse().asDiagonal()) : J;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(unit.transpose() * unit);
  if (!moves || !(eigen.eigenvalues()[0] > kSingular * eigen.eigenvalues()[p - 1])) {
    throw InputError(source +
                     ": its rows do not tell the parameters of the model apart. Measure "
                     "over a wider range, or fit another model.");
  }
  const double variance = r.squaredNorm() / (n - p);
  const Eigen::MatrixXd inverse = eigen.eigenvectors() *
                                  eigen.eigenvalues().cwiseInverse().asDiagonal() *
                                  eigen.eigenvectors().transpose();
  const std::vector<double> theta = residuals.Theta(x);
  Fit fit;
  fit.deviation = std::sqrt(variance);
  fit.points = n;
  fit.evaluations = static_cast<int>(solver.nfev);
  const double t = StudentQuantile(n - p);
  for (const FitQuantity& quantity : wanted) {
    Eigen::VectorXd slope(p);
    for (int k = 0; k < p; ++k) {
      const auto at = static_cast<std::size_t>(k);
      std::vector<double> up = theta, down = theta;
      up[at] += kDifference * curve.scale[at];
      down[at] -= kDifference * curve.scale[at];
      slope[k] = (quantity.value(up) - quantity.value(down)) / (2.0 * kDifference) / length[k];
    }
    const double half = t * std::sqrt(variance * slope.dot(inverse * slope));
    const double value = quantity.value(theta);
    fit.parameters.push_back({quantity.name, quantity.unit, value, value - half, value + half});
  }
  return fit;
}

Fit FitModel(const std::string& model, const Measurements& data, const FitConditions& conditions) {
  std::string names;
  for (const FitModelEntry& entry : FitModels()) {
    names += (names.empty() ? "" : ", ") + entry.name;
    if (entry.name != model) continue;
    for (const std::string& column : entry.columns) {
      if (data.Find(column) != nullptr) continue;
      throw InputError(fmt::format(
          "{}: has no column \"{}\", which the model {} needs; it has: {}. Name it in the first "
          "line.",
          data.source, column, model, fmt::join(data.names, ", ")));
    }
    return entry.fit(data, conditions);
  }
  throw InputError("--model: \"" + model + "\" is not known. Use one of: " + names + ".");
}

}  // namespace intervox::host
