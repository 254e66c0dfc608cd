#include "host/scene/bodies.h"

#include <cmath>
#include <limits>

namespace intervox::host {
namespace {

/** One key: Evaluate goes on from it for ever, with velocities that are exact. */
PrescribedMotion ConstantVelocity(const Cursor& cursor, const Pose& start) {
  return {{{0.0, start.p, cursor.Vector("linear", {}), ToQuaternion(start.R),
            cursor.Vector("angular", {})}}};
}

PrescribedMotion AtRest(const Pose& X) { return {{{0.0, X.p, {}, ToQuaternion(X.R), {}}}}; }

AppliedWrench ReadWrench(const Cursor& c) {
  AppliedWrench wrench;
  wrench.from = c.Number("from", 0.0);
  // Without an end it acts in the last sample of a run too.
  wrench.to = c.Number("to", std::numeric_limits<double>::infinity());
  wrench.force = c.Vector("force", {});
  wrench.torque = c.Vector("torque", {});
  wrench.point = c.Vector("point", {});
  wrench.in_body_frame = c.String("frame", "world") == "body";
  if (!(wrench.to >= wrench.from)) {
    c.Fail("'to' lies before 'from'", "Give a later 'to'.");
  }
  return wrench;
}

Holder ReadHolder(const Cursor& c, const Pose& start) {
  const auto vector = [&](const std::string& key) {
    return c.Has(key) ? c.At(key).NumberOrVector() : Vec3{};
  };
  Holder holder;
  holder.stiffness = vector("stiffness");
  holder.damping = vector("damping");
  holder.rotational_stiffness = vector("rotational_stiffness");
  holder.rotational_damping = vector("rotational_damping");
  holder.target = c.Has("target") ? ReadMotion(c.At("target"), start) : AtRest(start);
  return holder;
}

Mat3 ReadInertia(const Cursor& c) {
  Mat3 I;
  if (c.Item(0).value().kind == Value::Kind::kSequence) {
    I = {c.Item(0).Vector(), c.Item(1).Vector(), c.Item(2).Vector()};
  } else {
    I = Mat3::Diagonal(c.Vector());
  }
  const double scale = std::fabs(I(0, 0)) + std::fabs(I(1, 1)) + std::fabs(I(2, 2));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < i; ++j) {
      if (std::fabs(I(i, j) - I(j, i)) > 1e-9 * scale) {
        c.Fail("the matrix is not symmetric", "Write the same value on both sides.");
      }
    }
  }
  const double minor = I(0, 0) * I(1, 1) - I(0, 1) * I(1, 0);
  if (!(I(0, 0) > 0) || !(minor > 0) || !(Determinant(I) > 0)) {
    c.Fail("the matrix is not positive definite", "Give a physical inertia.");
  }
  return I;
}

}  // namespace

PrescribedMotion ReadMotion(const Cursor& cursor, const Pose& start) {
  if (cursor.Has("velocity")) return ConstantVelocity(cursor.At("velocity"), start);
  PrescribedMotion motion;
  const Cursor keys = cursor.At("keys");
  for (int i = 0; i < keys.Count(); ++i) {
    const Cursor c = keys.Item(i);
    PrescribedMotion::Key key;
    key.t = c.At("t").Number();
    key.position = c.At("position").Vector();
    key.velocity = c.Vector("velocity", {});
    key.orientation = ReadRotation(c);
    key.angular_velocity = c.Vector("angular_velocity", {});
    if (!motion.keys.empty() && !(key.t > motion.keys.back().t)) {
      c.At("t").Fail("times do not ascend", "Sort the key poses by time.");
    }
    motion.keys.push_back(key);
  }
  return motion;
}

BodySettings ReadBody(const Cursor& c, const std::string& name) {
  BodySettings body;
  body.name = name;
  body.places = c.GetPlaces();
  body.material = c.String("material", "");
  body.foundation_thickness = c.MaybeNumber("foundation_thickness");
  body.fixed = c.Has("fixed") && c.At("fixed").Bool();
  if (c.Has("pose")) body.X_WB = ReadPose(c.At("pose"));
  if (c.Has("mass")) body.mass = c.At("mass").Number();
  if (c.Has("center_of_mass")) body.center_of_mass = c.At("center_of_mass").Vector();
  if (c.Has("inertia")) body.inertia = ReadInertia(c.At("inertia"));
  if (body.inertia && !body.mass) {
    c.At("inertia").Fail("an inertia without a mass", "Give the mass too.");
  }
  if (c.Has("motion")) {
    const Cursor motion = c.At("motion");
    if (motion.Has("keys") && c.Has("pose")) {
      c.At("pose").Fail("stands beside key poses", "Remove it: the first key pose is the start.");
    }
    body.motion = ReadMotion(motion, body.X_WB);
    const PrescribedMotion::Key& first = body.motion->keys.front();
    body.X_WB = {ToRotation(first.orientation), first.position};
  }
  if (c.Has("velocity")) {
    const Cursor velocity = c.At("velocity");
    if (body.fixed || body.motion) {
      velocity.Fail("this body is fixed or driven", "Remove the velocity.");
    }
    body.v_WB = velocity.Vector("linear", {});
    body.w_WB = velocity.Vector("angular", {});
  }
  if (c.Has("wrenches")) {
    const Cursor list = c.At("wrenches");
    for (int i = 0; i < list.Count(); ++i) {
      body.wrenches.push_back(ReadWrench(list.Item(i)));
    }
  }
  if (c.Has("holder")) body.holder = ReadHolder(c.At("holder"), body.X_WB);
  return body;
}

}  // namespace intervox::host
