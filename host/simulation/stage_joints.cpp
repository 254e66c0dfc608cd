// Joints of a stage: their equations, their forces, and the way back onto them.
#include <algorithm>
#include <cmath>

#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

constexpr int kMostCorrections = 20;

/** Adds sign times a wrench at p within one second to a body's velocities. */
void Push(double sign, const Vec3& p, const Vec3& force, const Vec3& torque, StageBody* body) {
  body->v += (sign * body->inverse_mass) * force;
  body->w += sign * (body->inverse_inertia_W * (torque + Cross(p - body->p_WM, force)));
}

/** The derivative at t of what is linear or quadratic in time, from values at t, t + d, t + 2d. */
Vec3 Slope(const Vec3& now, const Vec3& next, const Vec3& last, double d) {
  return (0.5 / d) * (4.0 * next - 3.0 * now - last);
}

}  // namespace

JointSide GroupStage::SideAt(int body) const {
  if (body < 0) return {};
  const auto b = static_cast<std::size_t>(body);
  return {s_.poses[b], s_.centers[b], s_.bodies[b].v, s_.bodies[b].w};
}

/** The joints' equations at the poses placed last, with the velocities of the stage's bodies. */
void GroupStage::SetJoints(double t) {
  s_.joint_equations.resize(group_.joints.size());
  s_.joints.resize(group_.joints.size());
  for (std::size_t k = 0; k < group_.joints.size(); ++k) {
    const GroupJoint& at = group_.joints[k];
    const Joint& joint = tools_.world->joints[static_cast<std::size_t>(at.joint)];
    s_.joint_equations[k] = host::Evaluate(joint, SideAt(at.body_a), SideAt(at.body_b), t,
                                           substep_.start + 0.5 * substep_.length);
    s_.joints[k] = s_.joint_equations[k].stage;
    s_.joints[k].body_a = at.body_a;
    s_.joints[k].body_b = at.body_b;
  }
}

/** Adds a joint's wrench to the rows of its bodies' momenta. */
void GroupStage::AddJointWrench(const StageJoint& joint, std::span<double> rows) const {
  const auto act = [&](int body, double sign) {
    if (body < 0) return;
    const auto b = static_cast<std::size_t>(body);
    const int f = group_.row_of[b];
    if (f < 0) return;
    double* row = StateLayout::Momentum(rows, static_cast<std::size_t>(f));
    const Vec3 moment = Cross(joint.p_WJ - Body(b).p_WM, joint.force) + joint.torque;
    WriteVec3(ReadVec3(row) + sign * joint.force, row);
    WriteVec3(ReadVec3(row + 3) + sign * moment, row + 3);
  };
  act(joint.body_a, 1.0);
  act(joint.body_b, -1.0);
}

/** Adds the powers of a joint's drive and of driven bodies that it holds; constraints have none. */
void GroupStage::AddJointPower(const StageJoint& joint, const GroupJoint& at,
                               std::span<double> power) const {
  const auto velocity = [&](const JointRow& row) {
    double sum = 0.0;
    for (const int body : {joint.body_a, joint.body_b}) {
      if (body < 0) continue;
      const StageBody& b = s_.bodies[static_cast<std::size_t>(body)];
      const double along =
          Dot(row.linear, b.v + Cross(b.w, joint.p_WJ - b.p_WM)) + Dot(row.angular, b.w);
      sum += body == joint.body_a ? along : -along;
    }
    return sum;
  };
  if (joint.servo.limit > 0.0) power[kAppliedWork] += joint.servo_force * velocity(joint.free);
  if (!tools_.world->joints[static_cast<std::size_t>(at.joint)].motion.empty()) {
    const std::size_t last = joint.rows - 1;
    power[kDrivenWork] += joint.multiplier[last] * velocity(joint.row[last]);
  }
  for (const int body : {joint.body_a, joint.body_b}) {
    if (body < 0 || group_.row_of[static_cast<std::size_t>(body)] >= 0) continue;
    const StageBody& driven = s_.bodies[static_cast<std::size_t>(body)];
    const double sign = body == joint.body_a ? 1.0 : -1.0;
    power[kDrivenWork] -=
        sign * (Dot(joint.force, driven.v + Cross(driven.w, joint.p_WJ - driven.p_WM)) +
                Dot(joint.torque, driven.w));
  }
}

void GroupStage::StoreJoints(std::span<double> rate, std::span<double> power) {
  for (std::size_t k = 0; k < s_.joints.size(); ++k) {
    AddJointWrench(s_.joints[k], rate);
    AddJointPower(s_.joints[k], group_.joints[k], power);
  }
}

/** Sets joint_bodies to the stage's bodies with accelerations for velocities: of free bodies those
 that the rates of their momenta give, of driven ones those of their motion. */
void GroupStage::SetAccelerations(double t, std::span<const double> rate) {
  s_.joint_bodies.assign(s_.bodies.begin(), s_.bodies.end());
  for (std::size_t b = 0; b < group_.bodies.size(); ++b) {
    StageBody& body = s_.joint_bodies[b];
    body.drag = nullptr;
    const Vec3 w = body.w;
    if (const int f = group_.row_of[b]; f >= 0) {
      const double* row = StateLayout::Momentum(rate, static_cast<std::size_t>(f));
      const Vec3 force = ReadVec3(row);
      const Vec3 torque = ReadVec3(row + 3) - Cross(s_.centers[b] - Body(b).p_WM, force);
      const Mat3& R = s_.poses[b].R;
      const Vec3 spin = R * (Body(b).inertia_M * TransposeTimes(R, w));
      body.v = body.inverse_mass * force;
      body.w = body.inverse_inertia_W * (torque - Cross(w, spin));
    } else if (Body(b).kind == BodyKind::kDriven) {
      // One-sided differences, exact for cubics, away from the end that may be a key.
      const bool known = substep_.length > 0.0;
      const double length = known ? substep_.length : tools_.world->step;
      const bool late = known && t > substep_.start + 0.5 * length;
      const double d = (late ? -0.25 : 0.25) * length;
      FrameMotion at[3];
      Vec3 v[3];
      for (int k = 0; k < 3; ++k) {
        at[k] = DriveAt(Settings(b), Body(b).input, t + k * d);
        v[k] = at[k].v_WF + Cross(at[k].w_WF, at[k].X_WF * Body(b).p_BM - at[k].X_WF.p);
      }
      body.v = Slope(v[0], v[1], v[2], d);
      body.w = Slope(at[0].w_WF, at[1].w_WF, at[2].w_WF, d);
    }
  }
}

/** Finds the joints' forces at known velocities, from c̈ = 0, and adds them to rates and powers. */
void GroupStage::SolveJointForces(double t, std::span<double> rate, std::span<double> power) {
  if (group_.joints.empty()) return;
  SetJoints(t);
  SetAccelerations(t, rate);
  std::vector<double>& servo = s_.servo_forces;
  servo.assign(s_.joints.size(), 0.0);
  for (std::size_t k = 0; k < s_.joints.size(); ++k) {
    StageJoint& joint = s_.joints[k];
    const JointEquations& equations = s_.joint_equations[k];
    servo[k] = ForceAt(joint.servo, equations.rate).force;
    joint.servo.limit = 0.0;
    for (std::size_t r = 0; r < joint.rows; ++r) joint.target[r] = -equations.bias[r];
    for (const int body : {joint.body_a, joint.body_b}) {
      if (body < 0 || servo[k] == 0.0) continue;
      Push(body == joint.body_a ? servo[k] : -servo[k], joint.p_WJ, joint.free.linear,
           joint.free.angular, &s_.joint_bodies[static_cast<std::size_t>(body)]);
    }
  }
  host::SolveStage(1.0, s_.joint_bodies, {}, 1, s_.joints);
  for (std::size_t k = 0; k < s_.joints.size(); ++k) {
    StageJoint& joint = s_.joints[k];
    joint.servo = s_.joint_equations[k].stage.servo;
    joint.servo_force = servo[k];
    joint.force += servo[k] * joint.free.linear;
    joint.torque += servo[k] * joint.free.angular;
  }
  StoreJoints(rate, power);
}

void GroupStage::ReadJoints(std::vector<JointReading>* readings) {
  LoadFirstStage();
  readings->resize(s_.joints.size());
  for (std::size_t k = 0; k < s_.joints.size(); ++k) {
    const StageJoint& joint = s_.joints[k];
    const JointEquations& equations = s_.joint_equations[k];
    const auto index = static_cast<std::size_t>(group_.joints[k].joint);
    const bool prescribed = !tools_.world->joints[index].motion.empty();
    (*readings)[k] = {equations.coordinate,
                      equations.rate,
                      joint.force,
                      joint.torque,
                      prescribed ? joint.multiplier[joint.rows - 1] : joint.servo_force,
                      LargestError(equations)};
  }
}

double GroupStage::MechanicalEnergy() const {
  double sum = 0.0;
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    RigidBody body = BodyAtEnd(group_, f, s_);
    SetVelocities(&body);
    sum += KineticEnergy(body) - body.mass * Dot(tools_.world->scene.gravity, body.p_WM);
  }
  return sum;
}

/** Moves the bodies by Gauss and Newton's method until the joints' equations hold: each step is the
 smallest, in the norm of the masses, that makes up for the errors to first order. */
void GroupStage::MoveOntoJoints(double t) {
  double before = HUGE_VAL;
  for (int k = 0;; ++k) {
    SetJoints(t);
    s_.joint_miss = 0.0;
    for (std::size_t j = 0; j < s_.joints.size(); ++j) {
      const JointEquations& equations = s_.joint_equations[j];
      const double error = LargestError(equations);
      if (!(error <= s_.joint_miss)) {
        s_.joint_miss = error;
        s_.worst_joint = j;
      }
      s_.joints[j].servo.limit = 0.0;
      for (std::size_t r = 0; r < equations.stage.rows; ++r) {
        s_.joints[j].target[r] = -equations.error[r];
      }
    }
    const bool stalls = s_.joint_miss <= 0.1 * kJointTolerance && s_.joint_miss > 0.5 * before;
    if (s_.joint_miss <= kJointsClosed || stalls || k == kMostCorrections) return;
    before = s_.joint_miss;
    s_.joint_bodies.resize(group_.bodies.size());
    for (std::size_t b = 0; b < group_.bodies.size(); ++b) {
      StageBody& body = s_.joint_bodies[b];
      body = {};
      body.p_WM = s_.centers[b];
      if (group_.row_of[b] < 0) continue;
      body.inverse_mass = Body(b).inverse_mass;
      body.inverse_inertia_W = InverseInertiaW(Body(b), s_.poses[b].R);
    }
    host::SolveStage(1.0, s_.joint_bodies, {}, 1, s_.joints);
    for (std::size_t f = 0; f < group_.free.size(); ++f) {
      const auto b = static_cast<std::size_t>(group_.free[f]);
      const StageBody& body = s_.joint_bodies[b];
      WriteVec3(s_.centers[b] + body.v, StateLayout::Center(std::span<double>(s_.x), f));
      StateLayout::SetTurn(Normalized(FromRotationVector(body.w) * s_.quaternions[b]), s_.x, f);
    }
    PlaceFree(s_.x);
  }
}

/** Gives the bodies at the end of the substep the nearest velocities that the joints allow. */
void GroupStage::ProjectVelocities(double t) {
  SetStageBodies(t, 0.0, s_.y);
  SetJoints(t);
  for (StageJoint& joint : s_.joints) joint.servo.limit = 0.0;
  host::SolveStage(1.0, s_.bodies, {}, 1, s_.joints);
  for (const StageJoint& joint : s_.joints) AddJointWrench(joint, s_.y);
}

void GroupStage::ProjectJoints() {
  s_.joint_miss = s_.projected = 0.0;
  if (group_.joints.empty()) return;
  const double t = substep_.start + substep_.length;
  const double before = MechanicalEnergy();
  PlaceDriven(t);
  PlaceFree(s_.x);
  MoveOntoJoints(t);
  ProjectVelocities(t);
  s_.projected = MechanicalEnergy() - before;
}

}  // namespace intervox::host
