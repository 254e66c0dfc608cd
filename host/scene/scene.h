/** @file A scene as its text says it: SI units, every default explicit. The YAML reader makes it;
 MakeWorld (host/world/world.h) resolves its names and shapes. */
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/metrics.h"
#include "geometry/shape.h"
#include "host/input/place.h"

namespace intervox {

/** Integrator settings. */
struct IntegratorSettings {
  std::string method = "ark3";  ///< ark3, ark2, rk1 … rk5; bdf, trbdf2, dopri5 choose their steps
  double step = 250e-6;         ///< [s]
  double tolerance = 1e-6;      ///< of the steps that a method chooses
  host::Places places{};
};

/** Engine settings. */
struct EngineSettings {
  double tolerance = 1e-3;
  std::optional<double> voxel_size;  ///< [m]; instead of the tolerance
  LeafRule rule = LeafRule::kAuto;
};

/** Material of a body. */
struct Material {
  std::optional<double> density{};               ///< [kg/m³]
  std::optional<double> youngs_modulus{};        ///< [Pa]
  std::optional<double> poisson_ratio{};         ///< [–]
  std::optional<double> foundation_stiffness{};  ///< k_v,i of this body [N/m³]
  std::optional<double> friction{};  ///< μ of this material [–]; combined by 2μ₁μ₂/(μ₁+μ₂)
  std::optional<double> restitution{};           ///< e [–]
  std::optional<double> dissipation{};           ///< α of e = 1 − α v [s/m]
  std::optional<double> foundation_thickness{};  ///< t of its elastic layer [m]
  host::Places places{};
};

/** A parameter that is itself a map, as in `restitution: {speeds: [0, 1], values: [0.9, 0.5]}`. */
struct ParameterGroup {
  std::map<std::string, double> numbers{};
  std::map<std::string, std::vector<double>> lists{};
};

/** A model by name with its numeric parameters and its named choices. */
struct ModelSettings {
  std::string model;
  std::map<std::string, double> parameters;
  std::map<std::string, std::string> choices;  ///< for example latch: largest
  std::map<std::string, ParameterGroup> groups{};
  host::Places places{};
};

/** What a contact's normal is made of. */
enum class NormalDirection { kAreaVector, kEigenvector };

/** What one contact is: a patch of neighbouring cell pairs, or each cell pair alone. */
enum class ContactCells { kPatches, kPairs };

/** What two bodies touch in: the volume of their overlap, or points. */
enum class ContactGeometry { kVolumes, kPoints };

/** One entry of `contact_models`. */
struct ContactModelSettings {
  ModelSettings normal{"gonthier", {}, {}};
  ModelSettings friction{"none", {}, {}};
  ModelSettings rolling{"none", {}, {}};
  ModelSettings spinning{"none", {}, {}};
  NormalDirection direction = NormalDirection::kAreaVector;
  ContactCells cells = ContactCells::kPatches;
  ContactGeometry geometry = ContactGeometry::kVolumes;
  host::Places places{};
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
  /// Ascending in t. One: its velocities from then on, for ever. Several: held after the last.
  std::vector<Key> keys;
};

/** A wrench applied to a body between two times. */
struct AppliedWrench {
  double from = 0.0;           ///< [s]
  double to = 0.0;             ///< [s]; infinite: for ever. It acts on [from, to)
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
  std::string shape;  ///< key of Scene::shapes; empty when cells are listed, or there are none
  std::vector<geometry::ShapePtr> cells;  ///< listed by hand: each is one cell
  std::string part;      ///< the file of another program that its solid has; empty: none
  std::string material;  ///< may be empty when mass and inertia are given
  std::optional<double> foundation_thickness;  ///< [m]; instead of the material's
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
  host::Places places{};  ///< of its keys, and of "cells[0]", "cells[1]", …
};

/** Which motions of one body relative to another a joint leaves free. */
enum class JointType {
  kRevolute,   ///< a turn about the axis
  kPrismatic,  ///< a shift along the axis
  kSpherical,  ///< all turns about the point
  kFixed       ///< none
};

/** A velocity drive of a joint's free coordinate: the force f(ε) of the velocity error
 ε = velocity − rate. It is 0 for |ε| ≤ dead_band, grows linearly over `band` beyond that, and stays
 at ± force_limit. */
struct JointDrive {
  double velocity = 0.0;     ///< commanded [m/s] or [rad/s]
  double force_limit = 0.0;  ///< largest force [N] or torque [N·m]
  double dead_band = 0.0;    ///< [m/s] or [rad/s]
  double band = 1e-3;        ///< [m/s] or [rad/s]
};

/** One key of a joint's prescribed coordinate. */
struct JointKey {
  double t = 0.0;         ///< [s]
  double position = 0.0;  ///< of the coordinate [m] or [rad]
  double velocity = 0.0;  ///< [m/s] or [rad/s]
};

/** A joint between two bodies, or a body and the world. */
struct JointSettings {
  /** A point and an axis. */
  struct Frame {
    Vec3 point;          ///< [m]
    Vec3 axis{0, 0, 1};  ///< of any length
  };
  std::string name;
  JointType type = JointType::kRevolute;
  std::pair<std::string, std::string> bodies;  ///< the second may be "world"
  Frame frame;
  bool in_body = false;         ///< whether `frame` is in the first body's axes, not the world's
  std::optional<Frame> second;  ///< the same frame in the second body's axes; must meet `frame`
  bool contact = false;         ///< whether the two bodies may touch
  std::optional<JointDrive> drive;
  std::vector<JointKey> motion;  ///< ascending in t; empty: the coordinate is free
  host::Places places{};
};

/** Which two bodies may touch, and by which model. */
struct ContactSettings {
  std::pair<std::string, std::string> bodies;  ///< either may be "*"
  std::string model;      ///< key of Scene::contact_models; "none" filters the pair out
  host::Places places{};  ///< of its keys, and of "bodies[0]" and "bodies[1]"
};

/** A wrench and motion sensor at a named frame. */
struct SensorSettings {
  std::string name;
  std::string body;
  Pose X_BS;                         ///< sensor frame in the body frame
  std::string resolve_in = "world";  ///< body whose axes the values are given in; "world" allowed
  host::Places places{};
};

/** What is written. */
struct OutputSettings {
  double every = 1e-3;                     ///< [s]
  std::optional<double> checkpoint_every;  ///< [s]; absent: no checkpoints
};

/** A whole scene: plain values, as its files say them. */
struct Scene {
  std::string name;
  std::string source;  ///< the YAML text it came from
  std::filesystem::path path;
  Vec3 gravity{0, 0, -9.81};  ///< [m/s²]
  double duration = 1.0;      ///< [s]
  IntegratorSettings integrator;
  EngineSettings engine;
  std::map<std::string, geometry::ShapePtr> shapes;
  std::map<std::string, host::Place> shape_places;  ///< of the named shapes
  std::vector<std::string> parts;  ///< what was read from files of other programs, a line each
  std::vector<std::string> part_warnings;  ///< of what those had lost, a line each
  std::map<std::string, Material> materials;
  std::optional<double> foundation_thickness;  ///< [m]; of bodies that have no other
  std::map<std::string, ContactModelSettings> contact_models;
  std::vector<BodySettings> bodies;
  std::vector<ContactSettings> contacts;  ///< first match wins; empty: all pairs by "default"
  std::vector<JointSettings> joints;
  std::vector<SensorSettings> sensors;
  OutputSettings output;
};

/** Reads a scene and checks its text: keys, kinds and ranges of values, references between shapes.
 Other names, cells, masses and contact models are checked when the scene is made ready, by
 MakeWorld or a Simulation.
 @param overrides  `path=value` edits applied before
 @throws host::InputError naming file, line, key, value and remedy. */
Scene LoadScene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/** The scene written back as YAML with every default explicit. */
std::string ToYaml(const Scene& scene);

}  // namespace intervox
