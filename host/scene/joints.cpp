#include "host/scene/joints.h"

#include "host/input/nearest.h"
#include "host/scene/names.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

JointSettings::Frame ReadFrame(const Cursor& c) {
  JointSettings::Frame frame;
  frame.point = c.Vector("point", frame.point);
  frame.axis = c.Vector("axis", frame.axis);
  if (!(Norm(frame.axis) > 0.0)) c.At("axis").Fail("is zero", "Give the direction of the axis.");
  return frame;
}

JointDrive ReadDrive(const Cursor& c) {
  JointDrive drive;
  drive.velocity = c.At("velocity").Number();
  drive.force_limit = c.At("force_limit").Number();
  drive.dead_band = c.Number("dead_band", drive.dead_band);
  drive.band = c.Number("band", drive.band);
  return drive;
}

std::vector<JointKey> ReadKeys(const Cursor& list) {
  std::vector<JointKey> keys;
  for (int i = 0; i < list.Count(); ++i) {
    const Cursor c = list.Item(i);
    const JointKey key{c.At("t").Number(), c.At("position").Number(), c.Number("velocity", 0.0)};
    if (!keys.empty() && !(key.t > keys.back().t)) {
      c.At("t").Fail("times do not ascend", "Sort the keys by time.");
    }
    keys.push_back(key);
  }
  return keys;
}

std::string FrameText(const JointSettings::Frame& frame) {
  return "point: " + host::Text(frame.point) + ", axis: " + host::Text(frame.axis);
}

}  // namespace

JointSettings ReadJoint(const Cursor& c, const std::string& name) {
  JointSettings joint;
  joint.name = name;
  joint.places = c.GetPlaces();
  joint.type = *ValueOf<JointType>(c.At("type").String());
  const Cursor bodies = c.At("bodies");
  if (bodies.Count() != 2) bodies.Fail("a joint has two bodies", "Name two, or one and world.");
  joint.bodies = {bodies.Item(0).String(), bodies.Item(1).String()};
  joint.frame = ReadFrame(c);
  joint.in_body = c.String("frame", "world") == "body";
  if (c.Has("second")) joint.second = ReadFrame(c.At("second"));
  joint.contact = c.Has("contact") && c.At("contact").Bool();
  if (c.Has("drive")) joint.drive = ReadDrive(c.At("drive"));
  if (c.Has("motion")) joint.motion = ReadKeys(c.At("motion").At("keys"));
  const bool has_coordinate =
      joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  for (const char* key : {"drive", "motion"}) {
    if (c.Has(key) && !has_coordinate) {
      c.At(key).Fail("a " + WordOf(joint.type) + " joint has no single free coordinate",
                     "Remove it, or use type: revolute or prismatic.");
    }
  }
  return joint;
}

std::string JointText(const JointSettings& joint) {
  std::string text = "{type: " + WordOf(joint.type) + ", bodies: [" + Quoted(joint.bodies.first) +
                     ", " + Quoted(joint.bodies.second) + "], " + FrameText(joint.frame) +
                     ", frame: " + (joint.in_body ? "body" : "world");
  if (joint.second) text += ", second: {" + FrameText(*joint.second) + "}";
  text += ", contact: " + host::Text(joint.contact);
  if (joint.drive) {
    const JointDrive& drive = *joint.drive;
    text += ", drive: {velocity: " + host::Text(drive.velocity) +
            ", force_limit: " + host::Text(drive.force_limit) +
            ", dead_band: " + host::Text(drive.dead_band) + ", band: " + host::Text(drive.band) +
            "}";
  }
  if (!joint.motion.empty()) {
    std::string keys;
    for (const JointKey& key : joint.motion) {
      keys += (keys.empty() ? "{t: " : ", {t: ") + host::Text(key.t) +
              ", position: " + host::Text(key.position) +
              ", velocity: " + host::Text(key.velocity) + "}";
    }
    text += ", motion: {keys: [" + keys + "]}";
  }
  return text + "}";
}

}  // namespace intervox::host
