#include "host/bodies/motion.h"

#include <cmath>
#include <cstddef>

namespace intervox::host {
namespace {

Quaternion Sum(double a, const Quaternion& p, double b, const Quaternion& q) {
  return {a * p.w + b * q.w, a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z};
}

FrameMotion Held(const PrescribedMotion::Key& key) {
  const Quaternion q = Normalized(key.orientation);
  return {q, {ToRotation(q), key.position}, {}, {}};
}

/** The Hermite cubic between two keys at t. */
FrameMotion Between(const PrescribedMotion::Key& a, const PrescribedMotion::Key& b, double t) {
  const double h = b.t - a.t;
  const double u = (t - a.t) / h;
  // Hermite's basis and its derivatives with respect to time.
  const double a0 = (1 + 2 * u) * (1 - u) * (1 - u), a1 = h * u * (1 - u) * (1 - u);
  const double b0 = u * u * (3 - 2 * u), b1 = h * u * u * (u - 1);
  const double da0 = 6 * u * (u - 1) / h, da1 = (1 - u) * (1 - 3 * u);
  const double db0 = -da0, db1 = u * (3 * u - 2);

  FrameMotion out;
  out.X_WF.p = a0 * a.position + a1 * a.velocity + b0 * b.position + b1 * b.velocity;
  out.v_WF = da0 * a.position + da1 * a.velocity + db0 * b.position + db1 * b.velocity;

  const Quaternion qa = Normalized(a.orientation);
  Quaternion qb = Normalized(b.orientation);
  if (qa.w * qb.w + qa.x * qb.x + qa.y * qb.y + qa.z * qb.z < 0) {
    qb = {-qb.w, -qb.x, -qb.y, -qb.z};  // the shorter way round
  }
  const Quaternion ra = QuaternionRate(a.angular_velocity, qa);
  const Quaternion rb = QuaternionRate(b.angular_velocity, qb);
  const Quaternion q = Sum(1, Sum(a0, qa, a1, ra), 1, Sum(b0, qb, b1, rb));
  const Quaternion dq = Sum(1, Sum(da0, qa, da1, ra), 1, Sum(db0, qb, db1, rb));
  // Normalising takes out the radial part of dq, which is the scalar part of dq q*.
  const double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  const Quaternion w = dq * Quaternion{q.w, -q.x, -q.y, -q.z};
  out.w_WF = (2 / norm2) * Vec3{w.x, w.y, w.z};
  out.q_WF = Normalized(q);
  out.X_WF.R = ToRotation(out.q_WF);
  return out;
}

bool Finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

Quaternion FromRotationVector(const Vec3& r) {
  const double angle = Norm(r);
  const double s = angle > 1e-8 ? std::sin(0.5 * angle) / angle : 0.5;
  return Normalized(Quaternion{std::cos(0.5 * angle), s * r.x, s * r.y, s * r.z});
}

Vec3 ToRotationVector(const Quaternion& q) {
  const Vec3 v = q.w < 0 ? Vec3{-q.x, -q.y, -q.z} : Vec3{q.x, q.y, q.z};
  const double s = Norm(v);
  const double angle = 2 * std::atan2(s, std::fabs(q.w));
  return s > 1e-8 ? (angle / s) * v : 2.0 * v;
}

Quaternion QuaternionRate(const Vec3& w, const Quaternion& q) {
  return Quaternion{0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * q;
}

FrameMotion Evaluate(const PrescribedMotion::Key& key, double t) {
  const double dt = t - key.t;
  FrameMotion out;
  out.q_WF =
      Normalized(FromRotationVector(dt * key.angular_velocity) * Normalized(key.orientation));
  out.X_WF = {ToRotation(out.q_WF), key.position + dt * key.velocity};
  out.v_WF = key.velocity;
  out.w_WF = key.angular_velocity;
  return out;
}

FrameMotion Evaluate(const PrescribedMotion& motion, double t) {
  const auto& keys = motion.keys;
  if (t < keys.front().t) return Held(keys.front());
  if (keys.size() == 1) return Evaluate(keys.front(), t);
  if (t >= keys.back().t) return Held(keys.back());
  std::size_t k = 0;
  while (t >= keys[k + 1].t) ++k;
  return Between(keys[k], keys[k + 1], t);
}

bool IsValid(const PrescribedMotion& motion) {
  const PrescribedMotion::Key* last = nullptr;
  for (const PrescribedMotion::Key& key : motion.keys) {
    const Quaternion& q = key.orientation;
    const double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!std::isfinite(key.t) || !Finite(key.position) || !Finite(key.velocity) ||
        !Finite(key.angular_velocity) || !std::isfinite(norm2) || norm2 <= 0) {
      return false;
    }
    if (last != nullptr && key.t <= last->t) return false;
    last = &key;
  }
  return last != nullptr;
}

}  // namespace intervox::host
