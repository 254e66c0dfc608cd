// The joints of an island: with impulses μ = −H λ of their constraints, the stage equation is
//   M (v − v*) − H Σ Jᵀ w + Gᵀ μ = 0,  G v = target,
// and Newton's step solves [A Gᵀ; G −δ] with rows of G scaled so that G M⁻¹ Gᵀ has ones on its
// diagonal. The tiny compliance δ picks the smallest multipliers where constraints depend on each
// other, and costs one more step elsewhere.
#include <algorithm>
#include <cmath>

#include "host/contact/stage/stage_island.h"

namespace intervox::host::internal {
namespace {

constexpr double kCompliance = 1e-10;

// A row's part on a body: its Jacobian in (v, ω).
void JacobianOf(const JointRow& row, const Vec3& p_WJ, const StageBody& body, double sign,
                double* J) {
  const Vec3 angular = Cross(p_WJ - body.p_WM, row.linear) + row.angular;
  for (int i = 0; i < 3; ++i) {
    J[i] = sign * row.linear[i];
    J[3 + i] = sign * angular[i];
  }
}

// J M⁻¹ Jᵀ of one body.
double Mobility(const double* J, const StageBody& body) {
  const Vec3 linear{J[0], J[1], J[2]}, angular{J[3], J[4], J[5]};
  return body.inverse_mass * SquaredNorm(linear) + Dot(angular, body.inverse_inertia_W * angular);
}

double SignOf(int side) { return side == 0 ? 1.0 : -1.0; }

}  // namespace

void StageIsland::AddJoint(StageJoint* joint, const int rows[2], StageBody* const bodies[2]) {
  IslandJoint& added = joints_.emplace_back();
  added.joint = joint;
  added.first = multipliers_;
  multipliers_ += joint->rows;
  for (int side = 0; side < 2; ++side) {
    added.row[side] = rows[side];
    added.body[side] = bodies[side];
  }
}

double StageIsland::RelativeVelocity(const IslandJoint& joint, const JointRow& row) const {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (joint.body[side] == nullptr) continue;
    double J[6];
    const StageBody& body = *joint.body[side];
    JacobianOf(row, joint.joint->p_WJ, body, SignOf(side), J);
    sum += Dot(Vec3{J[0], J[1], J[2]}, body.v) + Dot(Vec3{J[3], J[4], J[5]}, body.w);
  }
  return sum;
}

// A joint's multipliers come right behind its bodies, so that chains are eliminated link by link.
void StageIsland::PlaceUnknowns() {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  body_at_.assign(bodies_.size(), kNone);
  multiplier_at_.resize(multipliers_);
  std::size_t next = 0;
  for (const IslandJoint& joint : joints_) {
    for (const int row : joint.row) {
      if (row < 0 || body_at_[static_cast<std::size_t>(row / 6)] != kNone) continue;
      body_at_[static_cast<std::size_t>(row / 6)] = next;
      next += 6;
    }
    for (std::size_t k = 0; k < joint.joint->rows; ++k) multiplier_at_[joint.first + k] = next++;
  }
  for (std::size_t& at : body_at_) {
    if (at != kNone) continue;
    at = next;
    next += 6;
  }
}

// Places of the unknowns, scales of the rows, and the longest arms of the bodies.
void StageIsland::BeginJoints() {
  if (joints_.empty()) return;
  PlaceUnknowns();
  impulses_.assign(multipliers_, 0.0);
  for (IslandJoint& joint : joints_) {
    for (std::size_t k = 0; k < joint.joint->rows; ++k) {
      double mobility = 0.0;
      for (int side = 0; side < 2; ++side) {
        if (joint.row[side] < 0) continue;
        double J[6];
        JacobianOf(joint.joint->row[k], joint.joint->p_WJ, *joint.body[side], 1.0, J);
        mobility += Mobility(J, *joint.body[side]);
      }
      joint.scale[k] = mobility > 0.0 ? 1.0 / std::sqrt(mobility) : 0.0;
    }
    for (int side = 0; side < 2; ++side) {
      if (joint.row[side] < 0) continue;
      FreeBody& b = bodies_[static_cast<std::size_t>(joint.row[side] / 6)];
      b.reach = std::max(b.reach, Norm(joint.joint->p_WJ - b.body->p_WM));
      // A joint at the centre of mass has no arm, but turns all the same.
      const double turn = Trace(b.body->inverse_inertia_W) / 3.0;
      if (turn > 0.0) b.reach = std::max(b.reach, std::sqrt(b.body->inverse_mass / turn));
    }
  }
}

// Adds Gᵀ μ and the servos' forces to the residual.
void StageIsland::EvaluateJoints() {
  for (IslandJoint& at : joints_) {
    StageJoint& joint = *at.joint;
    Vec3 force, torque;
    for (std::size_t k = 0; k < joint.rows; ++k) {
      force += impulses_[at.first + k] * joint.row[k].linear;
      torque += impulses_[at.first + k] * joint.row[k].angular;
    }
    if (joint.servo.limit > 0.0) {
      joint.servo_force = ForceAt(joint.servo, RelativeVelocity(at, joint.free)).force;
      force -= (H_ * joint.servo_force) * joint.free.linear;
      torque -= (H_ * joint.servo_force) * joint.free.angular;
    }
    for (int side = 0; side < 2; ++side) {
      if (at.row[side] < 0) continue;
      double* F = residual_.data() + at.row[side];
      const Vec3 moment = torque + Cross(joint.p_WJ - at.body[side]->p_WM, force);
      for (int i = 0; i < 3; ++i) {
        F[i] += SignOf(side) * force[i];
        F[3 + i] += SignOf(side) * moment[i];
      }
    }
  }
}

void StageIsland::AssembleJoints(IslandMatrix* matrix) {
  for (const IslandJoint& at : joints_) {
    const StageJoint& joint = *at.joint;
    for (std::size_t k = 0; k < joint.rows; ++k) {
      for (int side = 0; side < 2; ++side) {
        if (at.row[side] < 0) continue;
        double J[6];
        JacobianOf(joint.row[k], joint.p_WJ, *at.body[side], SignOf(side) * at.scale[k], J);
        matrix->AddConstraint(at.first + k, static_cast<std::size_t>(at.row[side] / 6), J);
      }
      matrix->SetCompliance(at.first + k, kCompliance);
    }
    if (!(joint.servo.limit > 0.0)) continue;
    double g[2][6];
    for (int side = 0; side < 2; ++side) {
      if (at.row[side] < 0) continue;
      JacobianOf(joint.free, joint.p_WJ, *at.body[side], SignOf(side), g[side]);
    }
    const double slope = ForceAt(joint.servo, RelativeVelocity(at, joint.free)).slope;
    matrix->AddProduct(H_ * slope, at.row, g);
  }
}

// Solves for the step and the change of the impulses, and takes in the latter, which the residual
// then holds.
bool StageIsland::SolveWithJoints() {
  const std::size_t n = residual_.size();
  system_.assign(residual_.begin(), residual_.end());
  system_.resize(n + multipliers_);
  solution_.resize(n + multipliers_);
  for (const IslandJoint& at : joints_) {
    for (std::size_t k = 0; k < at.joint->rows; ++k) {
      system_[n + at.first + k] =
          at.scale[k] * (RelativeVelocity(at, at.joint->row[k]) - at.joint->target[k]);
    }
  }
  if (!matrix_.SolveNegative(system_, solution_)) return false;
  std::copy_n(solution_.begin(), n, step_.begin());
  for (const IslandJoint& at : joints_) {
    for (std::size_t k = 0; k < at.joint->rows; ++k) {
      const double change = at.scale[k] * solution_[n + at.first + k];
      impulses_[at.first + k] += change;
      for (int side = 0; side < 2; ++side) {
        if (at.row[side] < 0) continue;
        double J[6];
        JacobianOf(at.joint->row[k], at.joint->p_WJ, *at.body[side], SignOf(side), J);
        double* F = residual_.data() + at.row[side];
        for (int i = 0; i < 6; ++i) F[i] += change * J[i];
      }
    }
  }
  return true;
}

// How far the joints' relative velocities are from their targets [m/s].
double StageIsland::JointMiss() const {
  double miss = 0.0;
  for (const IslandJoint& at : joints_) {
    for (std::size_t k = 0; k < at.joint->rows; ++k) {
      const double error = RelativeVelocity(at, at.joint->row[k]) - at.joint->target[k];
      double reach = 1.0;
      if (at.joint->row[k].linear == Vec3{}) {
        reach = 0.0;
        for (const int row : at.row) {
          if (row >= 0) reach = std::max(reach, bodies_[static_cast<std::size_t>(row / 6)].reach);
        }
      }
      miss = std::max(miss, reach * std::fabs(error));
    }
  }
  return miss;
}

// The forces of the joints, and the velocities that they give.
void StageIsland::TakeJointForces() {
  for (IslandJoint& at : joints_) {
    StageJoint& joint = *at.joint;
    joint.force = joint.servo_force * joint.free.linear;
    joint.torque = joint.servo_force * joint.free.angular;
    for (std::size_t k = 0; k < joint.rows; ++k) {
      joint.multiplier[k] = -impulses_[at.first + k] / H_;
      joint.force += joint.multiplier[k] * joint.row[k].linear;
      joint.torque += joint.multiplier[k] * joint.row[k].angular;
    }
  }
}

}  // namespace intervox::host::internal
