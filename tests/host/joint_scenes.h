/** @file Scenes of bodies in joints, built in code. */
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::scenes {

/** A slender link without cells. */
struct Link {
  double mass = 1.0;    ///< [kg]
  double length = 1.0;  ///< [m]
  double angle = 0.0;   ///< from straight down, about −y: towards +x [rad]
  double rate = 0.0;    ///< [rad/s]
};

/** Direction of a link's far end from its near end, in the plane of x and z. */
inline Vec3 Along(double angle) { return {std::sin(angle), 0, -std::cos(angle)}; }

/** A body whose frame's x axis points along a link, centre of mass at its origin. */
inline BodySettings LinkBody(const std::string& name, const Link& link, const Vec3& near,
                             const Vec3& v_near) {
  const Vec3 along = Along(link.angle), w{0, -link.rate, 0};
  const Vec3 arm = 0.5 * link.length * along;
  BodySettings body = Free(name, "", link.mass, near + arm, v_near + Cross(w, arm), w);
  const Vec3 y{0, 1, 0};
  body.X_WB.R = Transpose(Mat3{along, y, Cross(along, y)});
  const double inertia = link.mass * link.length * link.length / 12.0;
  body.inertia = Mat3::Diagonal({0.01 * inertia, inertia, inertia});
  return body;
}

/** A joint at a point of the world, its axis along y. */
inline JointSettings JointAt(JointType type, const std::string& a, const std::string& b,
                             const Vec3& point, const Vec3& axis = {0, 1, 0}) {
  JointSettings joint;
  joint.name = a + "-" + b;
  joint.type = type;
  joint.bodies = {a, b};
  joint.frame = {point, axis};
  return joint;
}

/** Links one behind the other, the first at the origin of the world or, if `free`, at nothing. */
inline Scene Chain(const std::vector<Link>& links, bool free = false) {
  Scene scene = MakeScene(Frictionless(1e6, 0.5), 1e-3);
  Vec3 near, v_near;
  std::string before = "world";
  for (std::size_t k = 0; k < links.size(); ++k) {
    const std::string name = "link" + std::to_string(k);
    scene.bodies.push_back(LinkBody(name, links[k], near, v_near));
    if (k > 0 || !free) {
      scene.joints.push_back(JointAt(JointType::kRevolute, name, before, near));
    }
    const Vec3 arm = links[k].length * Along(links[k].angle);
    v_near += Cross(Vec3{0, -links[k].rate, 0}, arm);
    near += arm;
    before = name;
  }
  return scene;
}

/** The angle of a link from straight down, in (−π, π] [rad]. */
inline double AngleOf(const BodyState& link) {
  const Vec3 along = link.X_WB.R.Col(0);
  return std::atan2(along.x, -along.z);
}

/** Kinetic and potential energy [J]. */
inline double Mechanical(const Simulation& simulation) {
  return simulation.Energy().kinetic + simulation.Energy().gravity;
}

}  // namespace intervox::scenes
