#include "host/impulse/laws.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <vector>

#include "host/impulse/flow.h"
#include "host/impulse/local.h"
#include "host/input/error.h"
#include "host/input/nearest.h"

namespace intervox::host {
namespace {

constexpr double kLeastShare = 1e-7;  // of W's eigenvalues, so that rounding leaves them digits

void InRange(const char* name, double value, double low, double high, const char* remedy) {
  if (value >= low && value <= high && std::isfinite(value)) return;
  throw InputError(fmt::format("impulse law: {}: {:g} is out of range [{:g}, {:g}]. {}", name,
                               value, low, high, remedy));
}

void Check(const CollisionPoint& contact, const ImpulseParameters& parameters) {
  InRange("restitution", parameters.restitution, 0.0, 1.0, "0 is plastic, 1 elastic.");
  InRange("friction", parameters.friction, 0.0, std::numeric_limits<double>::max(),
          "0 is smooth; steel on steel has 0.1 to 0.8.");
  InRange("tangential_restitution", parameters.tangential_restitution, -1.0, 1.0,
          "-1 is smooth, 0 sticks, 1 turns the slip round.");
  if (!(std::fabs(SquaredNorm(contact.normal) - 1.0) < 1e-9)) {
    throw InputError(fmt::format("impulse law: normal: its length is {:g}. Give a unit vector.",
                                 Norm(contact.normal)));
  }
  if (!std::isfinite(contact.velocity.x + contact.velocity.y + contact.velocity.z)) {
    throw InputError("impulse law: velocity: not finite. Give metres per second.");
  }
}

/** The contact in axes of which the last is its normal; `axes` has them as rows. */
impulse::LocalContact ToLocal(const CollisionPoint& contact, std::array<Vec3, 3>* axes) {
  const Vec3 n = contact.normal, t = AnyOrthogonal(n);
  *axes = {t, Cross(n, t), n};
  Eigen::Matrix3d W;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      W(row, column) = Dot((*axes)[static_cast<std::size_t>(row)],
                           contact.inverse_inertia * (*axes)[static_cast<std::size_t>(column)]);
    }
  }
  const double skew = (W - W.transpose()).cwiseAbs().maxCoeff();
  if (!W.allFinite() || !(skew <= 1e-9 * W.cwiseAbs().maxCoeff())) {
    throw InputError(
        "impulse law: inverse_inertia: it is not a symmetric matrix of finite numbers. Give that "
        "of "
        "InverseContactInertia.");
  }
  const Eigen::Vector3d values =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(W, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(values[0] > kLeastShare * values[2])) {
    throw InputError(fmt::format(
        "impulse law: inverse_inertia: its least eigenvalue is {:g} of its largest; below {:g} "
        "rounding decides whether it is positive definite. Give that of InverseContactInertia, "
        "and a needle a thickness.",
        values[0] / values[2], kLeastShare));
  }
  impulse::LocalContact at;
  at.A = W.topLeftCorner<2, 2>();
  at.b = W.topRightCorner<2, 1>();
  at.c = W(2, 2);
  at.slip = {Dot((*axes)[0], contact.velocity), Dot((*axes)[1], contact.velocity)};
  at.v = Dot(n, contact.velocity);
  return at;
}

impulse::LocalImpulse Local(ImpulseLaw law, const impulse::LocalContact& at,
                            const ImpulseParameters& p) {
  using impulse::FlowEnd;
  using impulse::FlowOf;
  switch (law) {
    case ImpulseLaw::kNewton:
      return FlowOf(at, p.restitution, p.friction, FlowEnd::kNewton).impulse;
    case ImpulseLaw::kPoisson:
      return FlowOf(at, p.restitution, p.friction, FlowEnd::kPoisson).impulse;
    case ImpulseLaw::kStronge:
      return FlowOf(at, p.restitution, p.friction, FlowEnd::kStronge).impulse;
    case ImpulseLaw::kRouth:
      return impulse::RouthImpulse(at, p.restitution, p.friction);
    case ImpulseLaw::kKane:
      return impulse::KaneImpulse(at, p.restitution, p.friction);
    case ImpulseLaw::kBrach:
      return impulse::BrachImpulse(at, p.restitution, p.friction);
    case ImpulseLaw::kChatterjee:
      return impulse::ChatterjeeImpulse(at, p.restitution, p.tangential_restitution, p.friction);
  }
  return {};
}

}  // namespace

std::span<const ImpulseLawName> ImpulseLawNames() {
  static constexpr std::array names = {ImpulseLawName{"newton", ImpulseLaw::kNewton},
                                       ImpulseLawName{"poisson", ImpulseLaw::kPoisson},
                                       ImpulseLawName{"keller", ImpulseLaw::kPoisson},
                                       ImpulseLawName{"bhatt_koechling", ImpulseLaw::kPoisson},
                                       ImpulseLawName{"stronge", ImpulseLaw::kStronge},
                                       ImpulseLawName{"routh", ImpulseLaw::kRouth},
                                       ImpulseLawName{"kane", ImpulseLaw::kKane},
                                       ImpulseLawName{"brach", ImpulseLaw::kBrach},
                                       ImpulseLawName{"chatterjee", ImpulseLaw::kChatterjee}};
  return names;
}

ImpulseLaw ImpulseLawNamed(const std::string& name) {
  std::vector<std::string> known;
  for (const ImpulseLawName& each : ImpulseLawNames()) {
    if (each.name == name) return each.law;
    known.emplace_back(each.name);
  }
  throw InputError(fmt::format("impulse law: '{}' is not known. {}", name, Suggest(name, known)));
}

ImpulseOutcome Collide(ImpulseLaw law, const CollisionPoint& contact,
                       const ImpulseParameters& parameters) {
  Check(contact, parameters);
  std::array<Vec3, 3> axes;
  const impulse::LocalContact at = ToLocal(contact, &axes);
  const impulse::LocalImpulse P = Local(law, at, parameters);
  ImpulseOutcome outcome;
  outcome.impulse = P.t.x() * axes[0] + P.t.y() * axes[1] + P.n * axes[2];
  outcome.velocity = contact.velocity + contact.inverse_inertia * outcome.impulse;
  outcome.energy_change = 0.5 * Dot(outcome.impulse, contact.velocity + outcome.velocity);
  return outcome;
}

}  // namespace intervox::host
