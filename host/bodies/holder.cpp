#include "host/bodies/holder.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace intervox::host {
namespace {

Mat3 Turned(const Mat3& R, const Vec3& diagonal) {
  return R * Mat3::Diagonal(diagonal) * Transpose(R);
}

/** Solves A x = b. */
Vec3 Solve(const Mat3& A, const Vec3& b) {
  Eigen::Matrix3d matrix;
  matrix << A.row0.x, A.row0.y, A.row0.z, A.row1.x, A.row1.y, A.row1.z, A.row2.x, A.row2.y,
      A.row2.z;
  const Eigen::Vector3d x = matrix.partialPivLu().solve(Eigen::Vector3d(b.x, b.y, b.z));
  return {x(0), x(1), x(2)};
}

/** Rounding of a coordinate over its size, and of an angle [rad], with what a step adds. */
constexpr double kRounding = 1e-15;

/** The rotation vector from the target to the body, in the target's axes. */
Vec3 TurnFrom(const FrameMotion& target, const Quaternion& q_WB) {
  const Quaternion& q = target.q_WF;
  return ToRotationVector(Quaternion{q.w, -q.x, -q.y, -q.z} * q_WB);
}

double Largest(const Vec3& v) { return std::max({v.x, v.y, v.z}); }

}  // namespace

HolderEnergy EnergyOf(const Holder& holder, const FrameMotion& target, const Pose& X_WB,
                      const Quaternion& q_WB) {
  const Vec3 e_T = TransposeTimes(target.X_WF.R, X_WB.p - target.X_WF.p);
  const Vec3 turn_T = TurnFrom(target, q_WB);
  const Vec3 f = Scaled(holder.stiffness, e_T), tau = Scaled(holder.rotational_stiffness, turn_T);
  const double off = kRounding * (Norm(X_WB.p) + Norm(target.X_WF.p));
  return {0.5 * (Dot(f, e_T) + Dot(tau, turn_T)),
          (Norm(f) + Largest(holder.stiffness) * off) * off +
              (Norm(tau) + Largest(holder.rotational_stiffness) * kRounding) * kRounding};
}

double FrequencyBound(const Holder& holder, const RigidBody& body) {
  const double turning = Trace(body.inverse_inertia_M);
  return std::sqrt(Largest(holder.stiffness) *
                       (body.inverse_mass + SquaredNorm(body.p_BM) * turning) +
                   Largest(holder.rotational_stiffness) * turning);
}

HolderStage MakeHolderStage(const Holder& holder, const FrameMotion& target, const Pose& X_WB,
                            const Quaternion& q_WB) {
  const Mat3& R = target.X_WF.R;
  const Vec3 e = X_WB.p - target.X_WF.p;
  const Vec3 turn_T = TurnFrom(target, q_WB);
  HolderStage out;
  out.p_WB = X_WB.p;
  out.f_0 = -(R * Scaled(holder.stiffness, TransposeTimes(R, e)));
  out.tau_0 = -(R * Scaled(holder.rotational_stiffness, turn_T));
  out.K = Turned(R, holder.stiffness);
  out.K_r = Turned(R, holder.rotational_stiffness);
  out.D = Turned(R, holder.damping);
  out.D_r = Turned(R, holder.rotational_damping);
  out.R_WT = R;
  out.k = holder.stiffness;
  out.d = holder.damping;
  out.v_ref = target.v_WF + Cross(target.w_WF, e);
  out.w_ref = target.w_WF;
  return out;
}

void MoveHolder(double h_gamma, const StageBody& body, HolderStage* holder) {
  // −K (dx_B + hγ v_B) in the form −K (dx_B + hγ v_ref) − hγ K (v_B − v_ref).
  const Vec3 dx_B = body.dx + Cross(body.dtheta, holder->p_WB - body.p_WM);
  holder->f_0 -= holder->K * (dx_B + h_gamma * holder->v_ref);
  holder->tau_0 -= holder->K_r * (body.dtheta + h_gamma * holder->w_ref);
  holder->D = holder->D + h_gamma * holder->K;
  holder->D_r = holder->D_r + h_gamma * holder->K_r;
  holder->d += h_gamma * holder->k;
}

void EvaluateHolder(const StageBody& body, HolderStage* holder) {
  const Vec3 v_B = body.v + Cross(body.w, holder->p_WB - body.p_WM);
  holder->force = holder->f_0 - holder->D * (v_B - holder->v_ref);
  holder->torque = holder->tau_0 - holder->D_r * (body.w - holder->w_ref);
}

void SolveHolder(double h_gamma, const StageBody& body, HolderStage* holder) {
  // With r from the mass centre to B, the damper sees m Δv = hγ f and I Δω = hγ T, T = τ + r × f:
  // f = S (f* − D (Δω × r)), S = (1 + hγ D/m)⁻¹, and so
  // (1 + hγ (D_r + [r]ᵀ S D [r]) I⁻¹) T = τ* + r × S f*, f* and τ* being the wrench at v*.
  EvaluateHolder(body, holder);
  const Vec3 r = holder->p_WB - body.p_WM;
  const auto share = [&](double d) { return 1.0 / (1.0 + h_gamma * body.inverse_mass * d); };
  const Vec3 s{share(holder->d.x), share(holder->d.y), share(holder->d.z)};
  const Mat3 SD = Turned(holder->R_WT, Scaled(s, holder->d)), X = CrossMatrix(r);
  const Vec3 f = holder->R_WT * Scaled(s, TransposeTimes(holder->R_WT, holder->force));
  const Mat3 Q = holder->D_r + Transpose(X) * (SD * X);
  const Mat3 system = Mat3::Identity() + h_gamma * (Q * body.inverse_inertia_W);
  const Vec3 T = Solve(system, holder->torque + Cross(r, f));
  const Vec3 turn = h_gamma * (body.inverse_inertia_W * T);
  holder->force = f - SD * Cross(turn, r);
  holder->torque = T - Cross(r, holder->force);
}

HolderPower PowerOf(double h_gamma, const StageBody& body, const HolderStage& holder) {
  const Vec3 v_B = body.v + Cross(body.w, holder.p_WB - body.p_WM);
  const Vec3 u = v_B - holder.v_ref, u_r = body.w - holder.w_ref;
  return {Dot(holder.force, v_B) + Dot(holder.torque, body.w),
          Dot(holder.force, holder.v_ref) + Dot(holder.torque, holder.w_ref),
          Dot(u, (holder.D - h_gamma * holder.K) * u) +
              Dot(u_r, (holder.D_r - h_gamma * holder.K_r) * u_r)};
}

}  // namespace intervox::host
