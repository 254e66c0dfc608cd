#include "host/scene/reader.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "host/input/nearest.h"
#include "host/scene/bodies.h"
#include "host/scene/grids.h"
#include "host/scene/joints.h"
#include "host/scene/named_paths.h"
#include "host/scene/names.h"
#include "host/scene/shapes.h"
#include "host/scene/text.h"

namespace intervox {
namespace host {
namespace {

Material ReadMaterial(const Cursor& c) {
  Material material;
  material.density = c.MaybeNumber("density");
  material.youngs_modulus = c.MaybeNumber("youngs_modulus");
  material.poisson_ratio = c.MaybeNumber("poisson_ratio");
  material.foundation_stiffness = c.MaybeNumber("foundation_stiffness");
  material.foundation_thickness = c.MaybeNumber("foundation_thickness");
  material.friction = c.MaybeNumber("friction");
  material.restitution = c.MaybeNumber("restitution");
  material.dissipation = c.MaybeNumber("dissipation");
  material.places = c.GetPlaces();
  return material;
}

/** The value of a key that holds a word of an enum, or a default. */
template <class E>
E ReadWord(const Cursor& c, const std::string& key, E otherwise) {
  if (!c.Has(key)) return otherwise;
  const Cursor at = c.At(key);
  const std::optional<E> value = ValueOf<E>(at.String());
  if (!value) at.Fail("'" + at.String() + "' is unknown here", Suggest(at.String(), WordsOf<E>()));
  return *value;
}

ParameterGroup ReadGroup(const Cursor& c, const std::string& name, Places* places) {
  ParameterGroup group;
  c.ForEach([&](const Cursor& value, const std::string& key) {
    places->keys.emplace_back(name + "." + key, value.GetPlace());
    if (value.value().kind == Value::Kind::kSequence) {
      group.lists[key] = value.Numbers(value.Count());
      for (int i = 0; i < value.Count(); ++i) {
        std::string item = name;
        item.append(".").append(key).append("[").append(std::to_string(i)).append("]");
        places->keys.emplace_back(item, value.Item(i).GetPlace());
      }
    } else {
      group.numbers[key] = value.Number();
    }
  });
  return group;
}

ModelSettings ReadModel(const Cursor& c) {
  ModelSettings settings;
  settings.places = c.GetPlaces();
  c.ForEach([&](const Cursor& value, const std::string& key) {
    if (key == "model") {
      settings.model = value.String();
    } else if (value.value().kind == Value::Kind::kMap) {
      settings.groups[key] = ReadGroup(value, key, &settings.places);
    } else if (value.IsNumber()) {
      settings.parameters[key] = value.Number();
    } else {
      settings.choices[key] = value.String();
    }
  });
  return settings;
}

/** Spells out the defaults that differ between versions of the schema. */
void AddDefaults(const Cursor& c, ContactModelSettings* settings) {
  const bool first = SceneVersion(c.Root()) == 1;
  const std::string& friction = settings->friction.model;
  const bool rubs = c.Has("friction") && friction != "none" && friction != "distributed";
  if (!c.Has("spinning") && rubs && !first) settings->spinning.model = "contensou";
  // A patch of a whole pair of bodies may wrap around one, which tilts against itself.
  const bool tilts =
      settings->geometry == ContactGeometry::kVolumes && settings->normal.model != "conserving";
  if (!c.Has("rolling") && tilts && !first) settings->rolling.model = "rocking";
  if (settings->rolling.model != "none") {
    settings->rolling.parameters.emplace("cap", first ? 0.0 : 1.0);
  }
  if (first) {
    settings->normal.parameters.emplace("passive", 0.0);
    settings->normal.choices.emplace("latch", "largest");
  }
}

ContactModelSettings ReadContactModel(const Cursor& c) {
  ContactModelSettings settings;
  const auto part = [&](const std::string& key, ModelSettings& model) {
    if (c.Has(key)) model = ReadModel(c.At(key));
  };
  part("normal", settings.normal);
  part("friction", settings.friction);
  part("rolling", settings.rolling);
  part("spinning", settings.spinning);
  settings.direction = ReadWord(c, "direction", settings.direction);
  settings.cells = ReadWord(c, "cells", settings.cells);
  settings.geometry = ReadWord(c, "geometry", settings.geometry);
  AddDefaults(c, &settings);
  settings.places = c.GetPlaces();
  return settings;
}

ContactSettings ReadContact(const Cursor& c) {
  const Cursor bodies = c.At("bodies");
  if (bodies.Count() != 2) bodies.Fail("a contact has two bodies", "Name two.");
  ContactSettings contact;
  contact.bodies = {bodies.Item(0).String(), bodies.Item(1).String()};
  contact.model = c.At("model").String();
  contact.places = c.GetPlaces();
  for (int i = 0; i < 2; ++i) {
    contact.places.keys.emplace_back("bodies[" + std::to_string(i) + "]",
                                     bodies.Item(i).GetPlace());
  }
  return contact;
}

SensorSettings ReadSensor(const Cursor& c, const std::string& name) {
  SensorSettings sensor;
  sensor.name = name;
  sensor.body = c.At("body").String();
  sensor.resolve_in = c.String("resolve_in", sensor.resolve_in);
  if (c.Has("frame")) sensor.X_BS = ReadPose(c.At("frame"));
  sensor.places = c.GetPlaces();
  return sensor;
}

/** Refuses what cannot name a group of the results: a slash parts groups, a zero ends a text. */
void RequireGroupName(const Cursor& cursor, const std::string& name) {
  const auto bad = [](unsigned char c) { return c == '/' || c < ' '; };
  if (name.empty() || name == "." || name == ".." || std::any_of(name.begin(), name.end(), bad)) {
    cursor.Fail("this name cannot name a group of the results",
                "Use letters, digits, blanks and underscores.");
  }
}

/** Reads one file's sections into a scene. */
class SceneReader {
 public:
  SceneReader(const Cursor& root, Library& library) : root_(root), library_(library) {}

  Scene Read() {
    scene_.path = *root_.value().file;
    scene_.name = root_.String("name", "scene");
    scene_.gravity = root_.Vector("gravity", scene_.gravity);
    scene_.duration = root_.Number("duration", scene_.duration);
    scene_.foundation_thickness = root_.MaybeNumber("foundation_thickness");
    Numerics();
    for (const auto& [name, shape] : library_.All()) {
      scene_.shapes[name] = shape;
      scene_.shape_places[name] = library_.PlaceOf(name);
    }
    Collect("materials", scene_.materials, ReadMaterial);
    Collect("contact_models", scene_.contact_models, ReadContactModel);
    Bodies();
    Contacts();
    Joints();
    Sensors();
    scene_.parts = library_.Parts();
    scene_.part_warnings = library_.PartWarnings();
    return std::move(scene_);
  }

 private:
  void Numerics() {
    if (root_.Has("integrator")) {
      const Cursor c = root_.At("integrator");
      scene_.integrator.method = c.String("method", scene_.integrator.method);
      scene_.integrator.step = c.Number("step", scene_.integrator.step);
      scene_.integrator.tolerance = c.Number("tolerance", scene_.integrator.tolerance);
      scene_.integrator.places = c.GetPlaces();
    }
    if (root_.Has("engine")) {
      const Cursor c = root_.At("engine");
      scene_.engine.tolerance = c.Number("tolerance", scene_.engine.tolerance);
      scene_.engine.voxel_size = c.MaybeNumber("voxel_size");
      scene_.engine.rule = ReadWord(c, "leaf_rule", scene_.engine.rule);
      if (c.Has("representation")) representation_ = ReadRepresentation(c.At("representation"));
      if (scene_.engine.rule == LeafRule::kCenter && !scene_.engine.voxel_size &&
          !representation_) {
        c.At("leaf_rule").Fail("'center' counts voxels", "Give voxel_size too.");
      }
    }
    if (root_.Has("output")) {
      const Cursor c = root_.At("output");
      scene_.output.every = c.Number("every", scene_.output.every);
      const double checkpoints = c.Number("checkpoint_every", 0.0);
      if (checkpoints > 0) scene_.output.checkpoint_every = checkpoints;
    }
    if (scene_.integrator.step > scene_.duration) {
      root_.Fail("the step is longer than the duration", "Shorten integrator.step.");
    }
    constexpr double kMostSteps = 1e12;
    if (const double steps = scene_.duration / scene_.integrator.step; steps > kMostSteps) {
      const bool long_run = root_.Has("duration") || !root_.Has("integrator");
      (long_run ? root_.At("duration") : root_.At("integrator").At("step"))
          .Fail("asks for " + Text(steps) + " steps; no run is longer than 1e12",
                "Shorten it, or take longer steps.");
    }
  }

  template <class T>
  void Collect(const std::string& section, std::map<std::string, T>& map,
               T (*read)(const Cursor&)) {
    library_.ForEach(section, [&](const Cursor& cursor, const std::string& name) {
      if (!map.emplace(name, read(cursor)).second) {
        cursor.Fail("'" + name + "' is defined in two files", "Rename one of them.");
      }
    });
  }

  void Bodies() {
    const Cursor bodies = root_.At("bodies");
    if (bodies.Count() == 0) bodies.Fail("there is no body", "Add one.");
    bodies.ForEach([&](const Cursor& c, const std::string& name) {
      RequireGroupName(c, name);
      if (name == "*" || name == "world") {
        c.Fail("the name '" + name + "' is reserved", "Rename the body.");
      }
      BodySettings body = ReadBody(c, name);
      if (c.Has("shape")) {
        Solid(c, &body);
      } else {
        Cells(c.At("cells"), &body);
      }
      scene_.bodies.push_back(std::move(body));
    });
  }

  /** What a `representation` asks for. */
  struct Voxels {
    double size = 0;  // [m]
    bool unbiased = false;
  };

  /** Reads a `representation`: nothing where it is exact. */
  static std::optional<Voxels> ReadRepresentation(const Cursor& c) {
    const bool is_map = c.value().kind == Value::Kind::kMap;
    const bool has_bias_key = is_map && c.Has("unbiased");
    if (is_map && c.Has("grid") && c.Count() == (has_bias_key ? 2 : 1)) {
      return Voxels{c.At("grid").Number(kSize), has_bias_key && c.At("unbiased").Bool()};
    }
    if (c.value().kind != Value::Kind::kScalar || c.String() != "exact") {
      c.Fail("is " + c.Found(),
             "Give exact, or {grid: h} with a voxel size h in metres, and unbiased: true if "
             "wanted.");
    }
    return std::nullopt;
  }

  /** Of a body: its own, else the scene's, which leaves unbounded shapes and grids as they are. */
  std::optional<Voxels> VoxelsOf(const Cursor& body, const geometry::Shape& shape) const {
    if (body.Has("representation")) return ReadRepresentation(body.At("representation"));
    if (!representation_) return std::nullopt;
    try {
      for (const geometry::Cell& cell : geometry::ToCells(shape)) {
        if (!cell.bounded || cell.grid.field != nullptr) return std::nullopt;
      }
    } catch (const std::invalid_argument& error) {
      body.At("shape").Fail(error.what(), "");
    }
    return representation_;
  }

  void Solid(const Cursor& from, BodySettings* body) {
    const Cursor c = from.At("shape");
    const geometry::ShapePtr shape = library_.Read(c, body->name);
    body->part = library_.PartIn(shape);
    const bool named = c.value().kind == Value::Kind::kScalar;
    body->shape = named ? c.String() : body->name + ".shape";
    if (!named) scene_.shapes[body->shape] = shape;
    const std::optional<Voxels> voxels = VoxelsOf(from, *shape);
    if (!voxels) return;
    body->shape += " on voxels of " + Text(voxels->size) + " m";
    if (voxels->unbiased) body->shape += " without bias";
    geometry::ShapePtr& grid = scene_.shapes[body->shape];
    if (grid != nullptr) return;
    try {
      grid = std::make_shared<const geometry::Shape>(
          GridOf(shape, voxels->size, kHalfWidth, voxels->unbiased));
    } catch (const std::invalid_argument& error) {
      c.Fail(error.what(), "");
    }
  }

  void Cells(const Cursor& list, BodySettings* body) {
    for (int i = 0; i < list.Count(); ++i) {
      const std::string index = std::to_string(i);
      const Cursor item = list.Item(i);
      body->cells.push_back(library_.Read(item, body->name + "/" + index));
      if (body->part.empty()) body->part = library_.PartIn(body->cells.back());
      body->places.keys.emplace_back("cells[" + index + "]", item.GetPlace());
    }
  }

  void Contacts() {
    if (!root_.Has("contacts")) return;
    const Cursor list = root_.At("contacts");
    for (int i = 0; i < list.Count(); ++i) scene_.contacts.push_back(ReadContact(list.Item(i)));
  }

  void Joints() {
    if (!root_.Has("joints")) return;
    root_.At("joints").ForEach([&](const Cursor& c, const std::string& name) {
      RequireGroupName(c, name);
      scene_.joints.push_back(ReadJoint(c, name));
    });
  }

  void Sensors() {
    if (!root_.Has("sensors")) return;
    root_.At("sensors").ForEach([&](const Cursor& c, const std::string& name) {
      RequireGroupName(c, name);
      scene_.sensors.push_back(ReadSensor(c, name));
    });
  }

  const Cursor& root_;
  Library& library_;
  Scene scene_;
  std::optional<Voxels> representation_;  // of grids; nothing: exact
};

}  // namespace

Scene ParseScene(const std::string& text, const std::filesystem::path& path,
                 const std::vector<std::string>& overrides) {
  Value document = ParseDocument(text, path.string());
  for (const std::string& edit : overrides) ApplySceneOverride(edit, document);
  return ReadScene(std::move(document), text, path);
}

Scene ReadScene(Value document, const std::string& text, const std::filesystem::path& path) {
  Validate(Cursor(document), ObjectNamed("scene"));
  Library library;
  const Cursor root(library.Add(std::move(document), path));
  Scene scene = SceneReader(root, library).Read();
  scene.source = text;
  scene.path = path;
  return scene;
}

}  // namespace host

Scene LoadScene(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  if (path == "-") {
    return host::ParseScene(host::ReadStandardInput(), host::kStandardInput, overrides);
  }
  return host::ParseScene(host::ReadTextFile(path), path, overrides);
}

}  // namespace intervox
