#include "host/impulse/collision.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "host/input/error.h"

namespace intervox::host {
namespace {

bool Finite(const Vec3& a) { return std::isfinite(a.x + a.y + a.z); }

Eigen::Matrix3d ToEigen(const Mat3& A) {
  Eigen::Matrix3d out;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) out(row, column) = A(row, column);
  }
  return out;
}

Eigen::Vector3d ToEigen(const Vec3& a) { return {a.x, a.y, a.z}; }

Vec3 FromEigen(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }

void Check(const CollidingBody& body) {
  if (!(body.mass > 0.0)) {
    throw InputError(fmt::format(
        "collision: {}: mass: {:g} is not positive. Give kilograms, or infinity for a body that "
        "does not move.",
        body.name, body.mass));
  }
  if (!Finite(body.p) || !Finite(body.v) || !Finite(body.w)) {
    throw InputError(fmt::format(
        "collision: {}: position or velocity is not finite. Give finite numbers.", body.name));
  }
  if (std::isinf(body.mass)) return;
  const Eigen::Matrix3d J = ToEigen(body.inertia);
  const double size = J.cwiseAbs().maxCoeff();
  if (!J.allFinite() || !((J - J.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size)) {
    throw InputError(fmt::format(
        "collision: {}: inertia: it is not a symmetric matrix of finite numbers. Give the inertia "
        "about the centre of mass, world axes.",
        body.name));
  }
  const Eigen::Vector3d principal =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(J, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(principal[0] > 0.0) || principal[2] > (1.0 + 1e-9) * (principal[0] + principal[1])) {
    throw InputError(fmt::format(
        "collision: {}: inertia: principal moments {:g}, {:g}, {:g} belong to no body. Each must "
        "be positive and at most the sum of the other two.",
        body.name, principal[0], principal[1], principal[2]));
  }
}

/** A body's share of W. */
Eigen::Matrix3d Share(const CollidingBody& body, const Vec3& point) {
  if (std::isinf(body.mass)) return Eigen::Matrix3d::Zero();
  const Vec3 r = point - body.p;
  Eigen::Matrix3d cross;
  cross << 0, -r.z, r.y, r.z, 0, -r.x, -r.y, r.x, 0;
  return Eigen::Matrix3d::Identity() / body.mass - cross * ToEigen(body.inertia).inverse() * cross;
}

void Kick(const Vec3& impulse, const Vec3& point, CollidingBody* body) {
  if (std::isinf(body->mass)) return;
  body->v += impulse / body->mass;
  body->w +=
      FromEigen(ToEigen(body->inertia).ldlt().solve(ToEigen(Cross(point - body->p, impulse))));
}

}  // namespace

Mat3 InverseContactInertia(const CollidingBody& i, const CollidingBody& j, const Vec3& point) {
  Check(i);
  Check(j);
  if (!Finite(point)) throw InputError("collision: point: not finite. Give metres, world frame.");
  if (std::isinf(i.mass) && std::isinf(j.mass)) {
    throw InputError(fmt::format(
        "collision: {}, {}: both masses are infinite. Give one of the bodies a finite mass.",
        i.name, j.name));
  }
  const Eigen::Matrix3d sum = Share(i, point) + Share(j, point);
  const Eigen::Matrix3d W = 0.5 * (sum + sum.transpose());
  Mat3 out;
  for (int row = 0; row < 3; ++row) out.Row(row) = FromEigen(W.row(row));
  return out;
}

CollisionPoint CollisionAt(const CollidingBody& i, const CollidingBody& j, const Vec3& point,
                           const Vec3& normal) {
  if (!(Norm(normal) > 0.0) || !Finite(normal)) {
    throw InputError("collision: normal: it has no direction. Give a vector from body j toward i.");
  }
  CollisionPoint contact;
  contact.inverse_inertia = InverseContactInertia(i, j, point);
  contact.normal = Normalized(normal);
  contact.velocity = i.v + Cross(i.w, point - i.p) - j.v - Cross(j.w, point - j.p);
  return contact;
}

void ApplyImpulse(const Vec3& impulse, const Vec3& point, CollidingBody* i, CollidingBody* j) {
  Kick(impulse, point, i);
  Kick(-impulse, point, j);
}

double KineticEnergy(const CollidingBody& body) {
  if (std::isinf(body.mass)) return 0.0;
  return 0.5 * body.mass * SquaredNorm(body.v) + 0.5 * Dot(body.w, body.inertia * body.w);
}

}  // namespace intervox::host
