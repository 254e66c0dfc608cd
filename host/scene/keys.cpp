#include "host/scene/keys.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "geometry/grid/make_level_set.h"
#include "host/parts/part.h"
#include "host/scene/batch_keys.h"
#include "host/scene/names.h"
#include "host/scene/primitives.h"
#include "integrators/adaptive.h"
#include "integrators/tableau.h"

namespace intervox::host {
namespace {

using geometry::kLeastHalfWidth;
using geometry::kMostHalfWidth;

constexpr Range kRestitution{0.01, 1, false}, kSpeed{0, 1e6, false};

Key Number(std::string name, Range range, bool required, std::string doc) {
  return {std::move(name), Type::kNumber, range, "", required, 0, std::move(doc)};
}
Key Vector(std::string name, Range range, bool required, std::string doc) {
  return {std::move(name), Type::kVector, range, "", required, 3, std::move(doc)};
}
Key Matrix() { return {"matrix", Type::kPoints, kAny, "", false, 3, "Three orthonormal rows."}; }
Key Plain(std::string name, Type type, bool required, std::string doc) {
  return {std::move(name), type, kAny, "", required, 0, std::move(doc)};
}
Key Of(std::string name, Type type, std::string of, bool required, std::string doc) {
  return {std::move(name), type, kAny, std::move(of), required, 0, std::move(doc)};
}
Key List(std::string name, Type type, std::string of, int count, bool required, std::string doc) {
  return {std::move(name), type, kAny, std::move(of), required, count, std::move(doc)};
}

std::vector<std::string> Methods() {
  std::vector<std::string> names;
  for (const integrators::Tableau& tableau : integrators::AllTableaus()) {
    names.emplace_back(tableau.name);
  }
  for (const integrators::AdaptiveMethod& method : integrators::AllAdaptiveMethods()) {
    names.emplace_back(method.name);
  }
  return names;
}

void AddShapes(std::vector<Object>& t) {
  for (Object& object : PrimitiveObjects()) t.push_back(std::move(object));
  t.push_back({"grid",
               "A shape as a narrow-band level set: its distance at the nodes of a lattice through "
               "the shape's origin, trilinear between them.",
               {Plain("of", Type::kShape, true, "The shape; bounded, and no grid."),
                Number("voxel_size", kSize, true, "Between nodes [m]."),
                Number("half_width", {kLeastHalfWidth, kMostHalfWidth, false}, false,
                       "Of the band, in voxels; default 3."),
                Plain("unbiased", Type::kBool, false,
                      "Take off what interpolation between nodes adds to levels; default false.")},
               {},
               {}});
  t.push_back(
      {"lattice",
       "A block of a triply periodic wall, as a grid: the points within half the thickness "
       "of a nodal surface, cut to a box around the origin.",
       {Of("kind", Type::kChoice, Choice(WordsOf<LatticeKind>()), true, "The surface."),
        Number("period", kSize, true, "Edge of its cubic cell [m]."),
        Number("thickness", kSize, true, "Of the wall [m]; less than a third of the period."),
        Vector("size", kSize, true, "Edges of the box [m]."),
        Number("voxel_size", kSize, false, "[m]; default: a twentieth of the period.")},
       {},
       {}});
  // Exactly one of the keys of primitives and operations says what the solid is.
  std::vector<Key> solids = PrimitiveKeys();
  solids.insert(
      solids.end(),
      {List("union", Type::kShapes, "", 1, false, "The union of shapes."),
       List("intersection", Type::kShapes, "", 1, false, "The intersection of shapes."),
       List("difference", Type::kShapes, "", 1, false, "The first shape minus the rest."),
       Of("grid", Type::kObject, "grid", false, "A sparse grid of a shape."),
       Of("lattice", Type::kObject, "lattice", false, "A block of a periodic wall, as a grid."),
       Plain("ref", Type::kString, false, "The name of another shape."),
       Plain("file", Type::kString, false,
             "A part from another program, or a folder of its pieces: " + PartExtensions() +
                 "; or a level set of OpenVDB, .vdb, or of NanoVDB, .nvdb; relative to this file. "
                 "See "
                 "parts.md, grids.md.")});
  Object shape{
      "shape",
      "A solid: exactly one primitive, operation, reference or file, with a pose and a scale.",
      solids,
      {},
      {}};
  for (const Key& key : solids) shape.exactly_one.push_back(key.name);
  shape.keys.push_back(
      Of("pose", Type::kObject, "pose", false, "Where it stands; default: at the origin."));
  shape.keys.push_back(
      Number("scale", {1e-12, 1e9, false}, false, "Uniform, applied before the pose; default 1."));
  shape.keys.push_back(Plain("name", Type::kString, false, "A name for messages and cells."));
  shape.keys.push_back(Of("up", Type::kChoice, "z|y", false,
                          "The file's axis that becomes z; y turns (x, y, z) to (x, -z, y)."));
  shape.keys.push_back(Plain("repair", Type::kBool, false,
                             "Mend the file's triangles: see parts.md; default false."));
  shape.keys.push_back(
      Plain("facets", Type::kBool, false,
            "Round shapes of a .csg: true as facets, false as true surfaces; default: as facets "
            "where $fn is above 0."));
  shape.keys.push_back(Number("voxel_size", kSize, false,
                              "Of the grid that the file's triangles become where they are not "
                              "convex [m], scale applied; default: a hundredth of the diagonal."));
  shape.keys.push_back(Number("half_width", {kLeastHalfWidth, kMostHalfWidth, false}, false,
                              "Of that grid's band, in voxels; default 3."));
  t.push_back(std::move(shape));
  t.push_back({"pose",
               "A rigid placement: a position and at most one rotation.",
               {Vector("position", kLength, false, "[m]; default [0, 0, 0]."),
                {"quaternion", Type::kNumbers, kAny, "", false, 4, "[w, x, y, z], not zero."},
                Vector("rpy_deg", {-1e6, 1e6, false}, false,
                       "Turns about the fixed axes x, then y, then z [°]."),
                Vector("rotation_vector", {-1e6, 1e6, false}, false, "Axis times angle [rad]."),
                Matrix()},
               {},
               {"quaternion", "rpy_deg", "rotation_vector", "matrix"}});
}

void AddBodies(std::vector<Object>& t) {
  t.push_back({"velocity",
               "A velocity of a body's frame.",
               {Vector("linear", kAny, false, "[m/s]; default [0, 0, 0]."),
                Vector("angular", kAny, false, "World axes [rad/s]; default [0, 0, 0].")},
               {},
               {}});
  t.push_back({"key_pose",
               "One key of a prescribed motion.",
               {Number("t", kNonNegative, true, "[s], ascending."),
                Vector("position", kLength, true, "[m]"),
                {"quaternion", Type::kNumbers, kAny, "", false, 4, "[w, x, y, z], not zero."},
                Vector("rpy_deg", {-1e6, 1e6, false}, false,
                       "Turns about the fixed axes x, then y, then z [°]."),
                Vector("rotation_vector", {-1e6, 1e6, false}, false, "Axis times angle [rad]."),
                Matrix(),
                Vector("velocity", kAny, false, "[m/s]; default [0, 0, 0]."),
                Vector("angular_velocity", kAny, false, "World axes [rad/s]; default [0, 0, 0].")},
               {},
               {"quaternion", "rpy_deg", "rotation_vector", "matrix"}});
  t.push_back(
      {"motion",
       "A prescribed motion: cubic through key poses, or at a constant velocity.",
       {List("keys", Type::kObjects, "key_pose", 1, false, "Key poses; the last one is held."),
        Of("velocity", Type::kObject, "velocity", false, "Constant velocity from the start pose.")},
       {"keys", "velocity"},
       {}});
  t.push_back({"wrench",
               "A force and a torque applied for a while.",
               {Number("from", kNonNegative, false, "[s]; default 0."),
                Number("to", kNonNegative, false, "[s]; default: the scene's duration."),
                Vector("force", kAny, false, "[N]; default [0, 0, 0]."),
                Vector("torque", kAny, false, "About the point [N·m]; default [0, 0, 0]."),
                Vector("point", kLength, false,
                       "Where the force acts, body frame [m]; default: the frame's origin."),
                Of("frame", Type::kChoice, "world|body", false,
                   "Axes of force and torque; default world.")},
               {},
               {}});
  t.push_back(
      {"holder",
       "A compliant gripper: springs and dampers between the body's frame and a moving target.",
       {{"stiffness", Type::kNumberOrVector, kNonNegative, "", true, 3, "Target axes [N/m]."},
        {"damping", Type::kNumberOrVector, kNonNegative, "", false, 3, "[N·s/m]; default 0."},
        {"rotational_stiffness", Type::kNumberOrVector, kNonNegative, "", false, 3,
         "[N·m/rad]; default 0."},
        {"rotational_damping", Type::kNumberOrVector, kNonNegative, "", false, 3,
         "[N·m·s/rad]; default 0."},
        Of("target", Type::kObject, "motion", false, "Motion of the target; default: at rest.")},
       {},
       {}});
  t.push_back(
      {"body",
       "A rigid body.",
       {Plain("shape", Type::kShape, false, "Its solid, cut into cells by the program."),
        List("cells", Type::kShapes, "", 1, false,
             "Its cells, listed by hand; each must be one cell, and no two may overlap."),
        Plain("representation", Type::kValue, false,
              "Of its shape: exact, or {grid: h, unbiased: false}; default: the engine's."),
        Plain("material", Type::kString, false, "A name from `materials`."),
        Number("foundation_thickness", kSize, false,
               "t of its elastic layer [m]; default: the material's."),
        Plain("fixed", Type::kBool, false, "Never moves; default false."),
        Of("motion", Type::kObject, "motion", false, "Driven along a prescribed motion."),
        Number("mass", kMass, false, "[kg]; default: the material's density times the volume."),
        Vector("center_of_mass", kLength, false, "Body frame [m]; default: the shape's centroid."),
        {"inertia", Type::kInertia, kAny, "", false, 0,
         "About the centre of mass, body axes [kg·m²]; default: the shape's."},
        Of("pose", Type::kObject, "pose", false, "Start pose of the body frame."),
        Of("velocity", Type::kObject, "velocity", false, "Start velocity of the body frame."),
        List("wrenches", Type::kObjects, "wrench", 0, false, "Applied wrenches."),
        Of("holder", Type::kObject, "holder", false, "A compliant gripper that holds it.")},
       {"shape", "cells"},
       {"fixed", "motion"}});
}

void AddJoints(std::vector<Object>& t) {
  t.push_back({"joint_frame",
               "A joint's point and axis in a body's frame.",
               {Vector("point", kLength, false, "[m]; default [0, 0, 0]."),
                Vector("axis", {-1e6, 1e6, false}, false, "Not zero; default [0, 0, 1].")},
               {},
               {}});
  t.push_back({"joint_drive",
               "A velocity drive with limited force.",
               {Number("velocity", kAny, true, "Commanded rate [m/s] or [rad/s]."),
                Number("force_limit", kPositive, true, "Largest force [N] or torque [N·m]."),
                Number("dead_band", kNonNegative, false,
                       "Velocity error below which the drive gives no force [m/s] or [rad/s]; "
                       "default 0."),
                Number("band", kPositive, false,
                       "Velocity error beyond the dead band at which the force reaches its limit "
                       "[m/s] or [rad/s]; default 1e-3.")},
               {},
               {}});
  t.push_back({"joint_key",
               "One key of a joint's prescribed coordinate.",
               {Number("t", kNonNegative, true, "[s], ascending."),
                Number("position", kLength, true, "Coordinate [m] or [rad]; 0 at the start pose."),
                Number("velocity", kAny, false, "[m/s] or [rad/s]; default 0.")},
               {},
               {}});
  t.push_back({"joint_motion",
               "A prescribed coordinate: cubic through keys, held before the first and after the "
               "last.",
               {List("keys", Type::kObjects, "joint_key", 1, true, "Its keys.")},
               {},
               {}});
  t.push_back(
      {"joint",
       "A joint between two bodies, or a body and the world.",
       {Of("type", Type::kChoice, Choice(WordsOf<JointType>()), true,
           "What it leaves free: a turn about the axis, a shift along it, all turns, nothing."),
        List("bodies", Type::kStrings, "", 2, true, "Two names; the second may be world."),
        Vector("point", kLength, false, "[m]; default [0, 0, 0]."),
        Vector("axis", {-1e6, 1e6, false}, false, "Not zero; default [0, 0, 1]."),
        Of("frame", Type::kChoice, "world|body", false,
           "What point and axis are given in: the world at the start, or the first body's frame; "
           "default world."),
        Of("second", Type::kObject, "joint_frame", false,
           "Point and axis in the second body's frame; default: where the first body's are."),
        Plain("contact", Type::kBool, false, "Whether the two bodies may touch; default false."),
        Of("drive", Type::kObject, "joint_drive", false, "Drives the free coordinate."),
        Of("motion", Type::kObject, "joint_motion", false, "Prescribes the free coordinate.")},
       {},
       {"drive", "motion"}});
}

void AddModels(std::vector<Object>& t) {
  t.push_back({"material",
               "What a body is made of.",
               {Number("density", kPositive, false, "[kg/m³]"),
                Number("youngs_modulus", kPositive, false, "[Pa]"),
                Number("poisson_ratio", {-1, 0.5, true}, false, "[-]"),
                Number("foundation_stiffness", kFoundation, false,
                       "k_v of this body [N/m³]; two bodies act in series. Default: from "
                       "youngs_modulus, poisson_ratio and a foundation thickness."),
                Number("foundation_thickness", kSize, false,
                       "t of the elastic layer [m]; default: the scene's."),
                Number("friction", kNonNegative, false,
                       "Coefficient of this material [-]; pairs combine as 2ab/(a+b)."),
                Number("restitution", kRestitution, false, "[-]"),
                Number("dissipation", kNonNegative, false,
                       "α of e = 1 - α v [s/m], of hunt_crossley and marhefka_orin that are given "
                       "neither dissipation nor restitution.")},
               {},
               {}});
  t.push_back(
      {"restitution_law",
       "The restitution e over the approach speed v; an e below 0.01 is 0.01.",
       {{"speeds", Type::kNumberList, kSpeed, "", false, 2,
         "Of a table [m/s], ascending; e is monotone between them (cubic, PCHIP) and "
         "constant beyond."},
        {"values", Type::kNumberList, kRestitution, "", false, 2, "e at the speeds [-]."},
        Number("speed", {1e-12, 1e6, false}, false,
               "v₀ of e = min(most, value (v₀/v)^power) [m/s]: where metals begin to yield, "
               "or that of a measured value."),
        Number("value", kRestitution, false, "e at v₀ [-]; default 1."),
        Number("power", {0, 100, false}, false, "[-]; default 0.25, Johnson's of metals."),
        Number("most", kRestitution, false, "e of slow impacts [-]; default 1."),
        Number("loss", {0, 1e6, false}, false, "a of e = 1 - a v^exponent [(s/m)^exponent]."),
        Number("exponent", {0.01, 100, false}, false,
               "[-]; default 1; 0.2 of viscoelastic balls.")},
       {"speeds", "speed", "loss"},
       {}});
  t.push_back(
      {"normal_model",
       "The normal force.",
       {Plain("model", Type::kString, true, "Name of the model, for example gonthier."),
        Number("stiffness", kFoundation, false,
               "k_v [N/m³]; at points k of k zᵖ [N/m^p], default Hertz's of the materials."),
        Number("radius", kSize, false,
               "R of Hertz' law, 1/R = 1/R₁ + 1/R₂ [m]; default: the curvatures at the contact."),
        Number("coefficient", kPositive, false,
               "c of the model conserving, whose energy is c V^m [J/m^(3m)]."),
        Number("exponent", {1, 4, false}, false,
               "m of the model conserving [-]; at points p of k zᵖ, default 1.5."),
        {"restitution", Type::kNumberOrObject, kRestitution, "restitution_law", false, 0,
         "e [-], or how it follows the speed."},
        Number("v_small", kPositive, false, "Least approach speed that is latched [m/s]."),
        Number("relaxation_time", kNonNegative, false,
               "τ_r of the numerical relaxation [s]; 0 turns it off."),
        Number("passive", {0, 1, false}, false,
               "1 keeps a contact from giving back more than was put into it, 0 does not; default "
               "1, in scene/1 0."),
        Of("latch", Type::kChoice, "load|largest|first", false,
           "Which approach speed sets the damping factor: the largest so far, the first, or the "
           "largest so far, forgotten once the contact has lasted, and no less than the load "
           "presses with; default load, with v_small and in scene/1 largest.")},
       {},
       {},
       true});
  t.push_back(
      {"friction_model",
       "Sliding friction.",
       {Plain("model", Type::kString, true, "Name of the model, for example bristle; none."),
        Number("mu_s", kNonNegative, false, "Static coefficient [-]."),
        Number("mu_c", kNonNegative, false, "Kinetic coefficient [-]."),
        Number("sigma_0", kPositive, false, "Bristle stiffness per unit load [1/m]."),
        Number("sigma_1", kPositive, false, "Bristle damping per unit load [s/m]."),
        Number("sigma_2", kNonNegative, false, "Viscous friction per unit load [s/m]."),
        Number("v_stribeck", kPositive, false, "Stribeck speed [m/s]."),
        Number("stiffness", kPositive, false, "Of the model goyal, on body i [N/m]."),
        Number("damping", kPositive, false, "Of the model goyal, on body i [N·s/m]."),
        Number("stiffness_j", kPositive, false, "On body j [N/m]; default `stiffness`."),
        Number("damping_j", kPositive, false, "On body j [N·s/m]; default `damping`."),
        Number("slip_tolerance", kPositive, false,
               "v_s of the model stribeck [m/s]; default 1e-3."),
        Number("dwell_time", kNonNegative, false, "τ_dw [s].")},
       {},
       {},
       true});
  t.push_back({"rolling_model",
               "Rolling resistance.",
               {Plain("model", Type::kString, true, "gonthier, exact, rocking or none."),
                Number("cap", {0, 1, false}, false,
                       "1 keeps the rolling pressure from turning tensile, 0 does not; default 1, "
                       "in scene/1 0.")},
               {},
               {},
               true});
  t.push_back({"spinning_model",
               "Spinning friction.",
               {Plain("model", Type::kString, true, "contensou or none.")},
               {},
               {},
               true});
  t.push_back(
      {"contact_model",
       "How two bodies press and rub on each other.",
       {Of("normal", Type::kObject, "normal_model", false, "Normal force."),
        Of("friction", Type::kObject, "friction_model", false, "Friction; default none."),
        Of("rolling", Type::kObject, "rolling_model", false,
           "Default rocking of volumes; none at points, with conserving, and in scene/1."),
        Of("spinning", Type::kObject, "spinning_model", false,
           "Default contensou where friction is given; none with distributed, and in scene/1."),
        Of("direction", Type::kChoice, Choice(WordsOf<NormalDirection>()), false,
           "Of the normal; default area_vector."),
        Of("cells", Type::kChoice, Choice(WordsOf<ContactCells>()), false,
           "One sub-model for each patch, or for each cell pair; default patches."),
        Of("geometry", Type::kChoice, Choice(WordsOf<ContactGeometry>()), false,
           "What bodies touch in: the volume of their overlap, or points of greatest depth; "
           "default volumes.")},
       {},
       {}});
  t.push_back({"contact",
               "Which bodies may touch, and by which model; the first match wins.",
               {List("bodies", Type::kStrings, "", 2, true, "Two names; either may be \"*\"."),
                Plain("model", Type::kString, true,
                      "A name from `contact_models`; none: they pass through each other.")},
               {},
               {}});
}

void AddRoots(std::vector<Object>& t) {
  t.push_back({"integrator",
               "How time is stepped.",
               {Of("method", Type::kChoice, Choice(Methods()), false, "Default ark3."),
                Number("step", {1e-12, 1e6, false}, false, "[s]; default 250e-6."),
                Number("tolerance", {1e-12, 0.1, false}, false,
                       "Of the steps that bdf, trbdf2 and dopri5 choose; default 1e-6.")},
               {},
               {}});
  t.push_back(
      {"engine",
       "How overlaps are measured.",
       {Number("tolerance", {1e-9, 0.1, false}, false, "Relative, of the volume; default 1e-3."),
        Number("voxel_size", kSize, false, "[m]; instead of a tolerance."),
        Of("leaf_rule", Type::kChoice, Choice(WordsOf<LeafRule>()), false, "Default auto."),
        Plain("representation", Type::kValue, false,
              "Of bounded shapes: exact, or {grid: h, unbiased: false} on voxels of h [m]; default "
              "exact.")},
       {},
       {"tolerance", "voxel_size"}});
  t.push_back({"sensor",
               "A wrench and motion sensor at a frame of a body.",
               {Plain("body", Type::kString, true, "The body that carries it."),
                Of("frame", Type::kObject, "pose", false, "In the body's frame."),
                Plain("resolve_in", Type::kString, false,
                      "The body whose axes the values are given in; default world.")},
               {},
               {}});
  t.push_back({"output",
               "What is written.",
               {Number("every", kPositive, false, "Time between samples [s]; default 1e-3."),
                Number("checkpoint_every", kNonNegative, false,
                       "Time between checkpoints [s]; default 0: none.")},
               {},
               {}});
  t.push_back({"pair",
               "Two posed shapes.",
               {Plain("name", Type::kString, false, "Default: pair-N."),
                Plain("a", Type::kShape, true, "First shape."),
                Plain("b", Type::kShape, true, "Second shape."),
                Of("pose_a", Type::kObject, "pose", false, "Of a in the world."),
                Of("pose_b", Type::kObject, "pose", false, "Of b in the world.")},
               {},
               {}});
  t.push_back({"pairs",
               "A file of posed pairs of shapes.",
               {Of("schema", Type::kChoice, "intervox/pairs/1", true,
                   "Kind and version: intervox/pairs/1."),
                Plain("name", Type::kString, false, "A title."),
                Plain("include", Type::kStrings, false, "Files whose shapes are used."),
                Plain("shapes", Type::kShapesMap, false, "Named solids."),
                List("pairs", Type::kObjects, "pair", 0, false, "The pairs.")},
               {},
               {}});
  t.push_back({"scene",
               "A scene: bodies in contact and how to simulate them.",
               {Of("schema", Type::kChoice, "intervox/scene/2|intervox/scene/1", true,
                   "Kind and version: intervox/scene/2. Files of version 1 keep its defaults."),
                Plain("name", Type::kString, false, "A title."),
                Plain("include", Type::kStrings, false,
                      "Files whose shapes, materials and contact models are used."),
                Vector("gravity", {-1e6, 1e6, false}, false, "[m/s²]; default [0, 0, -9.81]."),
                Number("duration", {0, 1e9, true}, false, "[s]; default 1."),
                Of("integrator", Type::kObject, "integrator", false, "How time is stepped."),
                Of("engine", Type::kObject, "engine", false, "How overlaps are measured."),
                Plain("shapes", Type::kShapesMap, false, "Named solids."),
                Of("materials", Type::kNamed, "material", false, "By name."),
                Number("foundation_thickness", kSize, false,
                       "t of the elastic layers of all bodies whose own or whose material's is not "
                       "given [m]."),
                Of("contact_models", Type::kNamed, "contact_model", false, "By name."),
                Of("bodies", Type::kNamed, "body", true, "The bodies by name."),
                List("contacts", Type::kObjects, "contact", 0, false,
                     "Default: all bodies touch, by the model named default."),
                Of("joints", Type::kNamed, "joint", false, "By name."),
                Of("sensors", Type::kNamed, "sensor", false, "By name."),
                Of("output", Type::kObject, "output", false, "What is written.")},
               {},
               {}});
}

std::vector<Object> MakeObjects() {
  std::vector<Object> table = BatchObjects();
  AddShapes(table);
  AddBodies(table);
  AddJoints(table);
  AddModels(table);
  AddRoots(table);
  return table;
}

}  // namespace

std::span<const Object> Objects() {
  static const std::vector<Object> table = MakeObjects();
  return table;
}

const Object& ObjectNamed(std::string_view name) {
  for (const Object& object : Objects()) {
    if (object.name == name) return object;
  }
  std::fprintf(stderr, "intervox: no object %s in the table of keys\n", std::string(name).c_str());
  std::abort();
}

std::vector<std::string> KeyNames(const Object& object) {
  std::vector<std::string> names;
  for (const Key& key : object.keys) names.push_back(key.name);
  return names;
}

std::vector<std::string> Choices(const std::string& of) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= of.size()) {
    const std::size_t end = std::min(of.find('|', begin), of.size());
    words.push_back(of.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace intervox::host
