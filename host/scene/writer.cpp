// Scenes back to YAML: flow maps, one line for each named thing, shortest numbers that read back to
// the same bits.
#include <string>

#include "host/scene/grids.h"
#include "host/scene/joints.h"
#include "host/scene/names.h"
#include "host/scene/primitives.h"
#include "host/scene/scene.h"
#include "host/scene/text.h"

namespace intervox {
namespace {

using host::IsLevelSet;
using host::Quoted;
using host::Text;

using geometry::Operation;
using geometry::Shape;

std::string Text(const Shape& shape);

std::string GridText(const Shape& shape) {
  const geometry::GridSource& grid = shape.grid;
  if (grid.text.empty()) {
    return "grid: {of: " + Text(*shape.children[0]) + ", voxel_size: " + Text(grid.voxel_size) +
           ", half_width: " + Text(grid.half_width) + (grid.unbiased ? ", unbiased: true}" : "}");
  }
  // A level set and a lattice have sizes of their own; a part's are metres once it is scaled.
  const bool is_part = !grid.file.empty() && !IsLevelSet(grid.file);
  return grid.text + (is_part ? ", voxel_size: " + Text(grid.voxel_size * shape.scale) +
                                    ", half_width: " + Text(grid.half_width)
                              : "");
}

std::string Text(const Shape& shape) {
  std::string solid;
  if (shape.operation == Operation::kPrimitive) {
    solid = host::PrimitiveText(shape.primitive);
  } else if (shape.operation == Operation::kGrid) {
    solid = GridText(shape);
  } else {
    solid = shape.operation == Operation::kUnion          ? "union: ["
            : shape.operation == Operation::kIntersection ? "intersection: ["
                                                          : "difference: [";
    for (std::size_t i = 0; i < shape.children.size(); ++i) {
      solid += (i == 0 ? "" : ", ") + Text(*shape.children[i]);
    }
    solid += "]";
  }
  return "{" + solid + ", pose: " + Text(shape.X) + ", scale: " + Text(shape.scale) +
         (shape.name.empty() ? "" : ", name: " + Quoted(shape.name)) + "}";
}

std::string Text(const PrescribedMotion& motion) {
  std::string keys;
  for (const PrescribedMotion::Key& key : motion.keys) {
    keys += (keys.empty() ? "" : ", ") + ("{t: " + Text(key.t)) +
            ", position: " + Text(key.position) + ", quaternion: " + Text(key.orientation) +
            ", velocity: " + Text(key.velocity) +
            ", angular_velocity: " + Text(key.angular_velocity) + "}";
  }
  return "{keys: [" + keys + "]}";
}

std::string Text(const ParameterGroup& group) {
  std::string text;
  const auto add = [&](const std::string& key, const std::string& value) {
    text += (text.empty() ? "" : ", ") + Quoted(key) + ": " + value;
  };
  for (const auto& [key, value] : group.numbers) add(key, Text(value));
  for (const auto& [key, values] : group.lists) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + Text(value);
    add(key, "[" + list + "]");
  }
  return "{" + text + "}";
}

std::string Text(const ModelSettings& settings) {
  std::string text = "{model: " + Quoted(settings.model);
  for (const auto& [key, value] : settings.parameters)
    text += ", " + Quoted(key) + ": " + Text(value);
  for (const auto& [key, value] : settings.choices) {
    text += ", " + Quoted(key) + ": " + Quoted(value);
  }
  for (const auto& [key, group] : settings.groups) {
    text += ", " + Quoted(key) + ": " + Text(group);
  }
  return text + "}";
}

/** A rolling law made in code may leave its cap to MakeContactModel, whose default is the old one.
 */
std::string RollingText(ModelSettings settings) {
  if (settings.model != "none") settings.parameters.emplace("cap", 0.0);
  return Text(settings);
}

std::string Text(const AppliedWrench& wrench) {
  return "{from: " + Text(wrench.from) +
         (std::isinf(wrench.to) ? std::string() : ", to: " + Text(wrench.to)) +
         ", force: " + Text(wrench.force) + ", torque: " + Text(wrench.torque) +
         ", point: " + Text(wrench.point) +
         ", frame: " + (wrench.in_body_frame ? "body" : "world") + "}";
}

std::string Text(const Holder& holder) {
  return "{stiffness: " + Text(holder.stiffness) + ", damping: " + Text(holder.damping) +
         ", rotational_stiffness: " + Text(holder.rotational_stiffness) +
         ", rotational_damping: " + Text(holder.rotational_damping) +
         ", target: " + Text(holder.target) + "}";
}

std::string BodyText(const BodySettings& body) {
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += "    " + key + ": " + value + "\n";
  };
  if (!body.cells.empty()) {
    std::string list;
    for (const geometry::ShapePtr& shape : body.cells) {
      list += (list.empty() ? "" : ", ") + Text(*shape);
    }
    line("cells", "[" + list + "]");
  } else {
    line("shape", Quoted(body.shape));
  }
  if (!body.material.empty()) line("material", Quoted(body.material));
  if (body.foundation_thickness) line("foundation_thickness", Text(*body.foundation_thickness));
  if (body.motion) {
    line("motion", Text(*body.motion));
  } else {
    line("fixed", Text(body.fixed));
    line("pose", Text(body.X_WB));
  }
  if (body.mass) line("mass", Text(*body.mass));
  if (body.center_of_mass) line("center_of_mass", Text(*body.center_of_mass));
  if (body.inertia) line("inertia", Text(*body.inertia));
  if (!body.fixed && !body.motion) {
    line("velocity", "{linear: " + Text(body.v_WB) + ", angular: " + Text(body.w_WB) + "}");
  }
  std::string wrenches;
  for (const AppliedWrench& wrench : body.wrenches) {
    wrenches += (wrenches.empty() ? "" : ", ") + Text(wrench);
  }
  line("wrenches", "[" + wrenches + "]");
  if (body.holder) line("holder", Text(*body.holder));
  return text;
}

std::string MaterialText(const Material& material) {
  std::string text;
  const auto add = [&](const std::string& key, const std::optional<double>& value) {
    if (value) text += (text.empty() ? "" : ", ") + key + ": " + Text(*value);
  };
  add("density", material.density);
  add("youngs_modulus", material.youngs_modulus);
  add("poisson_ratio", material.poisson_ratio);
  add("foundation_stiffness", material.foundation_stiffness);
  add("foundation_thickness", material.foundation_thickness);
  add("friction", material.friction);
  add("restitution", material.restitution);
  add("dissipation", material.dissipation);
  return "{" + text + "}";
}

}  // namespace

std::string ToYaml(const Scene& scene) {
  std::string text = "schema: intervox/scene/2\n" +
                     (scene.name.empty() ? "" : "name: " + Quoted(scene.name) + "\n") +
                     "gravity: " + Text(scene.gravity) + "\nduration: " + Text(scene.duration) +
                     "\nintegrator: {method: " + scene.integrator.method +
                     ", step: " + Text(scene.integrator.step) +
                     ", tolerance: " + Text(scene.integrator.tolerance) + "}\nengine: {";
  text += scene.engine.voxel_size ? "voxel_size: " + Text(*scene.engine.voxel_size)
                                  : "tolerance: " + Text(scene.engine.tolerance);
  text += ", leaf_rule: " + host::WordOf(scene.engine.rule) + ", representation: exact}\nshapes:\n";
  for (const auto& [name, shape] : scene.shapes) {
    text += "  " + Quoted(name) + ": " + Text(*shape) + "\n";
  }
  if (scene.foundation_thickness) {
    text += "foundation_thickness: " + Text(*scene.foundation_thickness) + "\n";
  }
  text += "materials:\n";
  for (const auto& [name, material] : scene.materials) {
    text += "  " + Quoted(name) + ": " + MaterialText(material) + "\n";
  }
  text += "contact_models:\n";
  for (const auto& [name, model] : scene.contact_models) {
    text += "  " + Quoted(name) + ":\n    normal: " + Text(model.normal) +
            "\n    friction: " + Text(model.friction) +
            "\n    rolling: " + RollingText(model.rolling) +
            "\n    spinning: " + Text(model.spinning) +
            "\n    direction: " + host::WordOf(model.direction) +
            "\n    cells: " + host::WordOf(model.cells) +
            "\n    geometry: " + host::WordOf(model.geometry) + "\n";
  }
  text += "bodies:\n";
  for (const BodySettings& body : scene.bodies) {
    text += "  " + Quoted(body.name) + ":\n" + BodyText(body);
  }
  text += scene.contacts.empty() ? "contacts: []\n" : "contacts:\n";
  for (const ContactSettings& contact : scene.contacts) {
    text += "  - {bodies: [" + Quoted(contact.bodies.first) + ", " + Quoted(contact.bodies.second) +
            "], model: " + Quoted(contact.model) + "}\n";
  }
  if (!scene.joints.empty()) text += "joints:\n";
  for (const JointSettings& joint : scene.joints) {
    text += "  " + Quoted(joint.name) + ": " + host::JointText(joint) + "\n";
  }
  text += "sensors:\n";
  for (const SensorSettings& sensor : scene.sensors) {
    text += "  " + Quoted(sensor.name) + ": {body: " + Quoted(sensor.body) +
            ", frame: " + Text(sensor.X_BS) + ", resolve_in: " + Quoted(sensor.resolve_in) + "}\n";
  }
  return text + "output: {every: " + Text(scene.output.every) +
         ", checkpoint_every: " + Text(scene.output.checkpoint_every.value_or(0.0)) + "}\n";
}

}  // namespace intervox
