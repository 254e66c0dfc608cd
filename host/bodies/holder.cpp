#include "host/bodies/holder.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace intervox::host {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Mat3 Turned(const Mat3& R, const Vec3& diagonal) {
  return R * Mat3::Diagonal(diagonal) * Transpose(R);
}

void Put(const Mat3& block, int row, int col, Matrix6* out) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) (*out)(row + i, col + j) = block(i, j);
  }
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
}

void EvaluateHolder(const StageBody& body, HolderStage* holder) {
  const Vec3 v_B = body.v + Cross(body.w, holder->p_WB - body.p_WM);
  holder->force = holder->f_0 - holder->D * (v_B - holder->v_ref);
  holder->torque = holder->tau_0 - holder->D_r * (body.w - holder->w_ref);
}

void SolveHolder(double h_gamma, const StageBody& body, HolderStage* holder) {
  // Unknown: the wrench (f, τ) about B. With A the inverse mass seen at B, the velocities at B are
  // u = u* + hγ A (f, τ), and (f, τ) = (f_0, τ_0) − D (u − u_ref), so (1 + hγ D A)(f, τ) = the
  // wrench at u*.
  const Mat3 X = CrossMatrix(holder->p_WB - body.p_WM);
  const Mat3 IX = body.inverse_inertia_W * X;
  Mat3 A_vv = (-1.0) * (X * IX);  // v_B = v − X w, moment of f about M: X f
  for (int i = 0; i < 3; ++i) A_vv(i, i) += body.inverse_mass;
  Matrix6 A = Matrix6::Zero(), D = Matrix6::Zero();
  Put(A_vv, 0, 0, &A);
  Put((-1.0) * (X * body.inverse_inertia_W), 0, 3, &A);
  Put(IX, 3, 0, &A);
  Put(body.inverse_inertia_W, 3, 3, &A);
  Put(holder->D, 0, 0, &D);
  Put(holder->D_r, 3, 3, &D);
  EvaluateHolder(body, holder);
  Vector6 rhs;
  rhs << holder->force.x, holder->force.y, holder->force.z, holder->torque.x, holder->torque.y,
      holder->torque.z;
  const Matrix6 system = Matrix6::Identity() + h_gamma * (D * A);
  const Vector6 wrench = system.partialPivLu().solve(rhs);
  holder->force = {wrench(0), wrench(1), wrench(2)};
  holder->torque = {wrench(3), wrench(4), wrench(5)};
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
