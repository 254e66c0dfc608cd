/** @file Scenes built in code for the simulation's tests. */
#pragma once

#include <memory>
#include <string>

#include "host/scene/scene.h"

namespace intervox::scenes {

/** A placed primitive. */
inline geometry::ShapePtr Solid(geometry::Primitive primitive, const std::string& name,
                                const Pose& X = {}) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->name = name;
  shape->primitive = std::move(primitive);
  shape->X = X;
  return shape;
}

/** A free body of the named shape. */
inline BodySettings Free(const std::string& name, const std::string& shape, double mass,
                         const Vec3& p, const Vec3& v = {}, const Vec3& w = {}) {
  BodySettings body;
  body.name = name;
  body.shape = shape;
  body.mass = mass;
  body.X_WB.p = p;
  body.v_WB = v;
  body.w_WB = w;
  return body;
}

/** A fixed body of the named shape. */
inline BodySettings Fixed(const std::string& name, const std::string& shape) {
  BodySettings body;
  body.name = name;
  body.shape = shape;
  body.fixed = true;
  return body;
}

/** Gonthier's normal law without friction. */
inline ContactModelSettings Frictionless(double stiffness, double restitution) {
  ContactModelSettings model;
  model.normal = {"gonthier", {{"stiffness", stiffness}, {"restitution", restitution}}, {}};
  return model;
}

/** With the bristle, spinning friction and rolling resistance. */
inline ContactModelSettings Frictional(double stiffness, double restitution, double mu) {
  ContactModelSettings model = Frictionless(stiffness, restitution);
  model.friction = {"bristle",
                    {{"mu_s", mu},
                     {"mu_c", mu},
                     {"sigma_0", 1e5},
                     {"sigma_1", 316.23},
                     {"v_stribeck", 0.1},
                     {"dwell_time", 1e-3}},
                    {}};
  model.spinning = {"contensou", {}, {}};
  model.rolling = {"gonthier", {}, {}};
  return model;
}

/** An empty scene with a default contact model, gravity along −z. */
inline Scene MakeScene(const ContactModelSettings& model, double step = 250e-6) {
  Scene scene;
  scene.name = "test";
  scene.gravity = {0, 0, -9.81};
  scene.integrator.step = step;
  scene.contact_models["default"] = model;
  return scene;
}

}  // namespace intervox::scenes
