// Joints of a scene: names resolved, frames found at the start, what cannot close refused.
#include <cmath>

#include "host/contact/parameters.h"
#include "host/joints/joint.h"

namespace intervox::host {
namespace {

/** Two descriptions of one frame may differ by this much [m] and [rad]. */
constexpr double kFrameGap = 1e-6;
/** Start velocities may miss a joint's equations by this much [m/s] and [rad/s], and by this share
 of the bodies' speeds. */
constexpr double kVelocityGap = 1e-6;

/** Refuses a joint. */
class Refusal {
 public:
  Refusal(const Scene& scene, const JointSettings& settings) : scene_(scene), settings_(settings) {}
  [[noreturn]] void operator()(const std::string& key, const std::string& what) const {
    FailAt(settings_.places.Of(key), scene_.path.string(),
           "joints." + settings_.name + (key.empty() ? "" : "." + key), what);
  }

 private:
  const Scene& scene_;
  const JointSettings& settings_;
};

JointSide SideOf(const Scene& scene, std::span<const RigidBody> start, int body) {
  if (body < 0) return {};
  const auto b = static_cast<std::size_t>(body);
  JointSide side;
  side.X_WB = scene.bodies[b].X_WB;
  RigidBody rigid = start[b];
  side.p_WM = side.X_WB * rigid.p_BM;
  if (rigid.kind == BodyKind::kFree) {
    SetVelocities(&rigid);
    side.v = rigid.v;
    side.w = rigid.w;
  } else if (rigid.kind == BodyKind::kDriven) {
    const FrameMotion motion = DriveAt(scene.bodies[b], rigid.input, 0.0);
    side.w = motion.w_WF;
    side.v = motion.v_WF + Cross(side.w, side.p_WM - motion.X_WF.p);
  }
  return side;
}

Pose FrameAt(const Vec3& point, const Vec3& axis) {
  const Vec3 z = Normalized(axis), x = AnyOrthogonal(z);
  return {Transpose(Mat3{x, Cross(z, x), z}), point};
}

void RequireMeeting(const JointSettings& settings, const Pose& X_WJ, const Pose& X_WB,
                    const Refusal& refuse) {
  if (!settings.second) return;
  const Vec3 point = X_WB * settings.second->point;
  const Vec3 axis = Normalized(X_WB.R * settings.second->axis);
  const double gap = Norm(point - X_WJ.p);
  if (gap > kFrameGap) {
    refuse("second", "the joint cannot close: its points on " + settings.bodies.first + " and " +
                         settings.bodies.second + " are " + NumberText(gap) +
                         " m apart at the start; at most " + NumberText(kFrameGap) +
                         " m is allowed. Move a body or a point.");
  }
  const double tilt = std::atan2(Norm(Cross(axis, X_WJ.R.Col(2))), Dot(axis, X_WJ.R.Col(2)));
  if (settings.type != JointType::kSpherical && tilt > kFrameGap) {
    refuse("second", "the joint cannot close: its axes on " + settings.bodies.first + " and " +
                         settings.bodies.second + " are " + NumberText(tilt) +
                         " rad apart at the start; at most " + NumberText(kFrameGap) +
                         " rad is allowed. Turn a body or an axis.");
  }
}

/** Start velocities must obey the joint, and the prescribed coordinate must start where it is. */
void RequireStart(const Joint& joint, const JointSide& a, const JointSide& b,
                  const JointSettings& settings, const Refusal& refuse) {
  const JointEquations at = Evaluate(joint, a, b, 0.0, 0.0);
  if (const double error = LargestError(at); error > kFrameGap) {
    refuse("motion", "the prescribed coordinate is " + NumberText(error) +
                         " off at the start, where it is 0; at most " + NumberText(kFrameGap) +
                         " is allowed. Start the keys at position 0.");
  }
  const double speed = Norm(a.v) + Norm(b.v) + Norm(a.w) + Norm(b.w);
  for (std::size_t k = 0; k < at.stage.rows; ++k) {
    const JointRow& row = at.stage.row[k];
    const auto velocity = [&](const JointSide& side) {
      return Dot(row.linear, side.v + Cross(side.w, at.stage.p_WJ - side.p_WM)) +
             Dot(row.angular, side.w);
    };
    const double miss = std::fabs(velocity(a) - velocity(b) - at.stage.target[k]);
    if (miss <= kVelocityGap * (1.0 + speed)) continue;
    refuse("", "the start velocities of " + settings.bodies.first + " and " +
                   settings.bodies.second + " part at the joint by " + NumberText(miss) +
                   " m/s or rad/s; at most " + NumberText(kVelocityGap * (1.0 + speed)) +
                   " is allowed. Give both bodies velocities of one motion.");
  }
}

/** A driven body that starts or stops at once would throw what is joined to it: what that takes no
 drive gives. */
void RequireSteadyMotion(const Scene& scene, int body, const Refusal& refuse) {
  if (body < 0) return;
  const BodySettings& settings = scene.bodies[static_cast<std::size_t>(body)];
  if (!settings.motion) return;
  const std::vector<PrescribedMotion::Key>& keys = settings.motion->keys;
  const auto require = [&](const PrescribedMotion::Key& key, const char* what) {
    const double speed = Norm(key.velocity), turn = Norm(key.angular_velocity);
    if (!(key.t > 0.0 && key.t < scene.duration) || (speed == 0.0 && turn == 0.0)) return;
    refuse("bodies", "the motion of " + settings.name + what + NumberText(key.t) +
                         " s at once, with " + NumberText(speed) + " m/s and " + NumberText(turn) +
                         " rad/s; a joined body cannot. Give that key of its motion the velocity "
                         "0, or place it outside of the run, 0 to " +
                         NumberText(scene.duration) + " s.");
  };
  require(keys.front(), " begins at ");
  if (keys.size() > 1) require(keys.back(), " ends at ");
}

Joint MakeJoint(const Scene& scene, const BodyNames& names, std::span<const RigidBody> start,
                const JointSettings& settings) {
  const Refusal refuse(scene, settings);
  const std::string key = "joints." + settings.name + ".bodies";
  const auto index = [&](const std::string& name) {
    return names.Require(name, settings.places.Of("bodies"), key);
  };
  Joint joint;
  joint.name = settings.name;
  joint.type = settings.type;
  joint.body_a = index(settings.bodies.first);
  joint.body_b = settings.bodies.second == "world" ? -1 : index(settings.bodies.second);
  if (joint.body_a == joint.body_b) {
    refuse("bodies", "a body is not joined to itself. Name two bodies, or one and world.");
  }
  const auto is_free = [&](int body) {
    return body >= 0 && start[static_cast<std::size_t>(body)].kind == BodyKind::kFree;
  };
  if (!is_free(joint.body_a) && !is_free(joint.body_b)) {
    refuse("bodies", "neither body is free (" + settings.bodies.first + ", " +
                         settings.bodies.second + "). Join at least one free body.");
  }
  RequireSteadyMotion(scene, joint.body_a, refuse);
  RequireSteadyMotion(scene, joint.body_b, refuse);
  const JointSide a = SideOf(scene, start, joint.body_a), b = SideOf(scene, start, joint.body_b);
  Pose X_WJ = FrameAt(settings.frame.point, settings.frame.axis);
  if (settings.in_body) X_WJ = a.X_WB * X_WJ;
  RequireMeeting(settings, X_WJ, b.X_WB, refuse);
  joint.X_AJ = Inverse(a.X_WB) * X_WJ;
  joint.X_BJ = Inverse(b.X_WB) * X_WJ;
  joint.contact = settings.contact;
  joint.motion = settings.motion;
  if (settings.drive) {
    const JointDrive& drive = *settings.drive;
    joint.servo = {drive.velocity, drive.force_limit, drive.dead_band, drive.band};
  }
  RequireStart(joint, a, b, settings, refuse);
  return joint;
}

}  // namespace

std::vector<Joint> MakeJoints(const Scene& scene, const BodyNames& names,
                              std::span<const RigidBody> start) {
  std::vector<Joint> joints;
  for (const JointSettings& settings : scene.joints) {
    joints.push_back(MakeJoint(scene, names, start, settings));
  }
  return joints;
}

}  // namespace intervox::host
