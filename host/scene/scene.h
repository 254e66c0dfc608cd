/** @file A validated scene: SI units, every default explicit. What the YAML reader makes and the
 simulation takes. */
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/metrics.h"
#include "geometry/shape.h"

namespace intervox {

/** Integrator settings. */
struct IntegratorSettings {
  std::string method = "ark3";  ///< ark3, ark2, rk1 … rk5
  double step = 250e-6;         ///< [s]
};

/** Engine settings. */
struct EngineSettings {
  double tolerance = 1e-3;
  double voxel_size = 0.0;  ///< [m], 0: none
  LeafRule rule = LeafRule::kAuto;
};

/** Material of a body. Absent values are NaN. */
struct Material {
  double density = 0.0;               ///< [kg/m³]
  double youngs_modulus = 0.0;        ///< [Pa]
  double poisson_ratio = 0.0;         ///< [–]
  double foundation_stiffness = 0.0;  ///< k_v,i of this body [N/m³]; 0: not given
  double friction = 0.0;     ///< μ of this material [–]; combined by 2μ₁μ₂/(μ₁+μ₂)
  double restitution = 0.0;  ///< e [–]
};

/** A model by name with its numeric parameters and its named choices. */
struct ModelSettings {
  std::string model;
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> choices;  ///< for example latch: largest
};

/** One entry of `contact_models`. */
struct ContactModelSettings {
  ModelSettings normal{"gonthier", {}, {}};
  ModelSettings friction{"none", {}, {}};
  ModelSettings rolling{"none", {}, {}};
  ModelSettings spinning{"none", {}, {}};
  std::string direction = "area_vector";  ///< area_vector | eigenvector
  std::string cells = "patches";          ///< patches | pairs
};

/** A motion prescribed to a body: piecewise cubic (C¹) through key poses, or constant velocity. */
struct PrescribedMotion {
  /** Where and how fast the body is at one time. */
  struct Key {
    double t = 0.0;  ///< [s]
    Vec3 position;   ///< [m]
    Vec3 velocity;   ///< [m/s]
    Quaternion orientation;
    Vec3 angular_velocity;  ///< world axes [rad/s]
  };
  std::vector<Key> keys;  ///< ascending in t; held after the last
};

/** A wrench applied to a body between two times. */
struct AppliedWrench {
  double from = 0.0;           ///< [s]
  double to = 0.0;             ///< [s]
  Vec3 force;                  ///< [N]
  Vec3 torque;                 ///< about the body's frame origin + point [N·m]
  Vec3 point;                  ///< where the force acts, body frame [m]
  bool in_body_frame = false;  ///< force and torque turn with the body
};

/** A compliant holder (gripper): a six-axis spring and damper between a body's frame and a moving
 * target. */
struct Holder {
  Vec3 stiffness;             ///< translational, target axes [N/m]
  Vec3 damping;               ///< [N·s/m]
  Vec3 rotational_stiffness;  ///< [N·m/rad]
  Vec3 rotational_damping;    ///< [N·m·s/rad]
  PrescribedMotion target;
};

/** A body. */
struct BodySettings {
  std::string name;
  std::string shape;     ///< key of Scene::shapes; empty when cells are listed
  std::string material;  ///< may be empty when mass and inertia are given
  bool fixed = false;
  std::optional<PrescribedMotion> motion;  ///< driven
  std::optional<double> mass;              ///< [kg]; with a shape, scales its inertia
  std::optional<Vec3> center_of_mass;      ///< body frame [m]
  std::optional<Mat3> inertia;             ///< about the centre of mass, body axes [kg·m²]
  Pose X_WB;                               ///< start pose of the body frame
  Vec3 v_WB;                               ///< start velocity of the body frame's origin [m/s]
  Vec3 w_WB;                               ///< start angular velocity, world axes [rad/s]
  std::vector<AppliedWrench> wrenches;
  std::optional<Holder> holder;
};

/** Which two bodies may touch, and by which model. */
struct ContactSettings {
  std::pair<std::string, std::string> bodies;  ///< either may be "*"
  std::string model;  ///< key of Scene::contact_models; "none" filters the pair out
};

/** A wrench and motion sensor at a named frame. */
struct SensorSettings {
  std::string name;
  std::string body;
  Pose X_BS;               ///< sensor frame in the body frame
  std::string resolve_in;  ///< body whose axes the values are given in; "world" allowed
};

/** What is written. */
struct OutputSettings {
  double every = 1e-3;            ///< [s]
  double checkpoint_every = 0.0;  ///< [s], 0: none
};

/** A whole validated scene. */
struct Scene {
  std::string name;
  std::string source;  ///< the YAML text it came from
  std::filesystem::path path;
  Vec3 gravity{0, 0, -9.81};  ///< [m/s²]
  double duration = 1.0;      ///< [s]
  IntegratorSettings integrator;
  EngineSettings engine;
  std::map<std::string, geometry::ShapePtr> shapes;
  std::map<std::string, Material> materials;
  std::map<std::string, ContactModelSettings> contact_models;
  std::vector<BodySettings> bodies;
  std::map<std::string, std::vector<geometry::Cell>>
      listed_cells;  ///< by body, when the scene lists cells
  std::map<std::string, std::vector<geometry::ShapePtr>> listed_shapes;  ///< what they came from
  std::map<geometry::ShapePtr, std::vector<geometry::Cell>>
      shape_cells;  ///< of shapes that reading has cut into cells; others are cut when they are
                    ///< used
  std::vector<ContactSettings> contacts;  ///< first match wins; empty: all pairs by "default"
  std::vector<SensorSettings> sensors;
  OutputSettings output;
  std::vector<std::string> warnings;  ///< remarks of the contact laws on their parameters
};

/** Reads and validates a scene; `overrides` are `path=value` edits applied before validation.
 @throws host::InputError naming file, line, key, value and remedy. */
Scene LoadScene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/** The scene written back as YAML with every default explicit. */
std::string ToYaml(const Scene& scene);

}  // namespace intervox
