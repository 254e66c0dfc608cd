// Laws that need no integration: friction on a disc, Routh's graph, and Kane's, Brach's and
// Chatterjee's laws.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "host/impulse/local.h"
#include "host/input/error.h"

namespace intervox::host::impulse {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/** The impulse that leaves a given velocity, W⁻¹ (slip⁺ − slip, v⁺ − v). */
LocalImpulse Leaving(const LocalContact& at, const Eigen::Vector2d& slip, double v) {
  Eigen::Matrix3d W;
  W << at.A, at.b, at.b.transpose(), at.c;
  Eigen::Vector3d change;
  change << slip - at.slip, v - at.v;
  const Eigen::Vector3d P = W.ldlt().solve(change);
  return {P.head<2>(), P[2]};
}

}  // namespace

DiscFriction FrictionOnDisc(const Eigen::Matrix2d& A, const Eigen::Vector2d& g, double radius) {
  const Eigen::Vector2d stuck = -A.inverse() * g;
  if (stuck.norm() <= radius) return {stuck, 0.0};
  if (radius == 0.0) return {Eigen::Vector2d::Zero(), 0.0};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(A);
  const Eigen::Vector2d along = eigen.eigenvectors().transpose() * g;
  const auto at = [&](double kappa) {
    return Eigen::Vector2d(-along[0] / (eigen.eigenvalues()[0] + kappa),
                           -along[1] / (eigen.eigenvalues()[1] + kappa));
  };
  // |q(κ)| falls from beyond the radius at 0 to less than it at |g|/R.
  double low = 0.0, high = g.norm() / radius;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (at(middle).norm() > radius ? low : high) = middle;
  }
  const Eigen::Vector2d q = at(high);
  return {eigen.eigenvectors() * (q * (radius / q.norm())), high};
}

LocalImpulse RouthImpulse(const LocalContact& at, double e, double mu) {
  const Eigen::Vector2d along = at.slip.norm() > 0.0 ? at.slip : at.b;
  const Eigen::Vector2d t =
      along.norm() > 0.0 ? Eigen::Vector2d(along.normalized()) : Eigen::Vector2d(1.0, 0.0);
  const Eigen::Vector2d across(-t.y(), t.x());
  const double coupled = std::fabs(across.dot(at.A * t)) + std::fabs(across.dot(at.b));
  if (coupled > 1e-9 * (at.A.trace() + at.c)) {
    throw InputError(
        "impulse law: routh: an impulse in the plane of slip and normal would leave it. Give a "
        "planar collision, or use poisson, which is the same law in space.");
  }
  if (at.v >= 0.0) return {};
  const double a = t.dot(at.A * t), b = t.dot(at.b), s = t.dot(at.slip);
  const double slides = s > 0.0 ? 1.0 : 0.0;  // the first direction of friction is −t
  // The line of friction P_t = −μ P_n meets the line of no slip at P_s.
  const double falls = b - mu * a;
  const double P_s = slides == 0.0 ? 0.0 : falls < 0.0 ? -s / falls : kNever;
  // Then P_t follows the line of no slip, or friction that points the other way.
  const double ratio = std::fabs(b) <= mu * a ? -b / a : b > 0.0 ? -mu : mu;
  const double first = at.c - b * mu, second = at.c + b * ratio;  // dv/dP_n
  double P_c = first > 0.0 ? -at.v / first : kNever;
  if (P_c > P_s) P_c = P_s + (-at.v - first * P_s) / second;
  const double P = (1.0 + e) * P_c;
  const double P_t = P <= P_s ? -mu * P : -mu * P_s + ratio * (P - P_s);
  return {P_t * t, P};
}

LocalImpulse KaneImpulse(const LocalContact& at, double e, double mu) {
  if (at.v >= 0.0) return {};
  const auto friction = [&](double n) {
    return Eigen::Vector2d(FrictionOnDisc(at.A, at.slip + n * at.b, mu * n).q);
  };
  const auto rises = [&](double n) {
    return at.c * n + at.b.dot(friction(n)) + (1.0 + e) * at.v >= 0.0;
  };
  double high = -at.v / at.c;
  while (!rises(high)) {
    high *= 2.0;
    if (!std::isfinite(high)) throw std::runtime_error("impulse law: kane: no impulse ends it");
  }
  double low = 0.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (rises(middle) ? high : low) = middle;
  }
  return {friction(high), high};
}

LocalImpulse BrachImpulse(const LocalContact& at, double e, double mu) {
  if (at.v >= 0.0) return {};
  const double s = at.slip.norm();
  const Eigen::Vector2d along = s > 0.0 ? at.slip : at.b;
  const Eigen::Vector2d t =
      along.norm() > 0.0 ? Eigen::Vector2d(along.normalized()) : Eigen::Vector2d(1.0, 0.0);
  const double a = t.dot(at.A * t), b = t.dot(at.b), speed = (1.0 + e) * -at.v;
  // P_n = speed/(c − ζ b), and the slip along t ends at ζ_c.
  const double top = s * at.c + b * speed, bottom = s * b + a * speed;
  double ratio = bottom > 0.0 ? std::clamp(top / bottom, -mu, mu) : mu;
  // The energy gained, times (c − ζ b)/P_n: q₀ + q₁ ζ + q₂ ζ², q₀ ≤ 0.
  const double q0 = at.c * (at.v + 0.5 * speed);
  const double q1 = -at.v * b - s * at.c - b * speed, q2 = s * b + 0.5 * a * speed;
  if (q0 + ratio * (q1 + ratio * q2) > 0.0) {
    // The gain vanishes once between 0 and ζ: on ζ's side of 0.
    const double root = std::sqrt(std::max(0.0, q1 * q1 - 4.0 * q2 * q0));
    const double big = -0.5 * (q1 + std::copysign(root, q1));
    const double one = q2 != 0.0 ? big / q2 : 0.0, other = big != 0.0 ? q0 / big : 0.0;
    double bounded = 0.0;
    for (const double zero : {one, other}) {
      if (zero * ratio > 0.0 && std::fabs(zero) < std::fabs(ratio)) bounded = zero;
    }
    ratio = bounded;
  }
  const double n = speed / (at.c - ratio * b);
  return {-ratio * n * t, n};
}

LocalImpulse ChatterjeeImpulse(const LocalContact& at, double e, double e_t, double mu) {
  if (at.v >= 0.0) return {};
  const double P_I = -at.v / at.c;                                      // no friction, e = 0
  const LocalImpulse P_II = Leaving(at, Eigen::Vector2d::Zero(), 0.0);  // sticks, e = 0
  const double size = P_II.t.norm(), more = P_II.n - P_I;
  double kappa = 1.0 + e_t;
  if (kappa * size > mu * ((1.0 + e) * P_I + kappa * more)) {
    kappa = mu * (1.0 + e) * P_I / (size - mu * more);
  }
  return {kappa * P_II.t, (1.0 + e) * P_I + kappa * more};
}

}  // namespace intervox::host::impulse
