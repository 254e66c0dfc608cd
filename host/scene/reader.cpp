#include "host/scene/reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/input/nearest.h"
#include "host/scene/bodies.h"
#include "host/scene/body_cells.h"
#include "host/scene/contacts.h"
#include "host/scene/shapes.h"

namespace intervox {
namespace host {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

LeafRule ReadRule(const std::string& name) {
  const std::vector<std::pair<std::string, LeafRule>> rules = {
      {"polytope", LeafRule::kPolytope}, {"flux", LeafRule::kFlux}, {"polar", LeafRule::kPolar},
      {"column", LeafRule::kColumn},     {"clip", LeafRule::kClip}, {"center", LeafRule::kCenter}};
  for (const auto& [word, rule] : rules) {
    if (word == name) return rule;
  }
  return LeafRule::kAuto;
}

Material ReadMaterial(const Cursor& c) {
  Material material;
  material.density = c.Number("density", kAbsent);
  material.youngs_modulus = c.Number("youngs_modulus", kAbsent);
  material.poisson_ratio = c.Number("poisson_ratio", kAbsent);
  material.foundation_stiffness = c.Number("foundation_stiffness", 0.0);
  material.friction = c.Number("friction", kAbsent);
  material.restitution = c.Number("restitution", kAbsent);
  return material;
}

ModelSettings ReadModel(const Cursor& c) {
  ModelSettings settings;
  c.ForEach([&](const Cursor& value, const std::string& key) {
    if (key == "model") {
      settings.model = value.String();
    } else if (value.IsNumber()) {
      settings.parameters[key] = value.Number();
    } else {
      settings.choices[key] = value.String();
    }
  });
  return settings;
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
  settings.direction = c.String("direction", settings.direction);
  settings.cells = c.String("cells", settings.cells);
  return settings;
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
  SceneReader(const Cursor& root, Library& library, const ReadOptions& options)
      : root_(root), library_(library), options_(options) {}

  Scene Read() {
    scene_.path = *root_.value().file;
    scene_.name = root_.String("name", "scene");
    scene_.gravity = root_.Vector("gravity", scene_.gravity);
    scene_.duration = root_.Number("duration", scene_.duration);
    Numerics();
    for (const auto& [name, shape] : library_.All()) scene_.shapes[name] = shape;
    Collect("materials", scene_.materials, ReadMaterial);
    Collect("contact_models", scene_.contact_models, ReadContactModel);
    Bodies();
    ReadContacts(root_, &scene_);
    CheckModels(library_, &scene_);
    Sensors();
    return std::move(scene_);
  }

 private:
  void Numerics() {
    if (root_.Has("integrator")) {
      const Cursor c = root_.At("integrator");
      scene_.integrator.method = c.String("method", scene_.integrator.method);
      scene_.integrator.step = c.Number("step", scene_.integrator.step);
    }
    if (root_.Has("engine")) {
      const Cursor c = root_.At("engine");
      scene_.engine.tolerance = c.Number("tolerance", scene_.engine.tolerance);
      scene_.engine.voxel_size = c.Number("voxel_size", 0.0);
      scene_.engine.rule = ReadRule(c.String("leaf_rule", "auto"));
      if (scene_.engine.rule == LeafRule::kCenter && scene_.engine.voxel_size == 0) {
        c.At("leaf_rule").Fail("'center' counts voxels", "Give voxel_size too.");
      }
    }
    if (root_.Has("output")) {
      const Cursor c = root_.At("output");
      scene_.output.every = c.Number("every", scene_.output.every);
      scene_.output.checkpoint_every = c.Number("checkpoint_every", 0.0);
    }
    if (scene_.integrator.step > scene_.duration) {
      root_.Fail("the step is longer than the duration", "Shorten integrator.step.");
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
      BodySettings body = ReadBody(c, name, scene_.duration);
      if (!body.material.empty() && !scene_.materials.contains(body.material)) {
        c.At("material")
            .Fail("no material is named '" + body.material + "'",
                  Suggest(body.material, Names(scene_.materials)));
      }
      RequireMass(c, body);
      if (c.Has("shape")) {
        Solid(c.At("shape"), body);
      } else {
        Cells(c.At("cells"), body);
      }
      scene_.bodies.push_back(std::move(body));
    });
  }

  void RequireMass(const Cursor& c, const BodySettings& body) const {
    const bool free = !body.fixed && !body.motion;
    const bool dense = !body.material.empty() && scene_.materials.at(body.material).density > 0;
    if (free && !body.mass && !dense) {
      c.Fail("the free body '" + body.name + "' has no mass",
             "Give mass, a material with a density, or fixed: true.");
    }
  }

  void Solid(const Cursor& c, BodySettings& body) {
    const bool named = c.value().kind == Value::Kind::kScalar;
    const geometry::ShapePtr shape = library_.Read(c, body.name);
    body.shape = named ? c.String() : body.name + ".shape";
    if (!named) scene_.shapes[body.shape] = shape;
    const std::string place =
        named ? library_.Place(body.shape) + ": shapes." + body.shape : std::string();
    if (options_.build_solids) BuildSolid(c, place, shape, body, &scene_.shape_cells[shape]);
  }

  void Cells(const Cursor& list, const BodySettings& body) {
    std::vector<geometry::Cell>& cells = scene_.listed_cells[body.name];
    for (int i = 0; i < list.Count(); ++i) {
      const std::string name = body.name + "/" + std::to_string(i);
      const Cursor item = list.Item(i);
      const geometry::ShapePtr shape = library_.Read(item, name);
      scene_.listed_shapes[body.name].push_back(shape);
      if (!options_.build_solids) continue;
      cells.push_back(ReadCell(item, shape));
      cells.back().name = name;
    }
    RefuseOverlaps(list, cells);
  }

  void Sensors() {
    if (!root_.Has("sensors")) return;
    root_.At("sensors").ForEach([&](const Cursor& c, const std::string& name) {
      RequireGroupName(c, name);
      SensorSettings sensor;
      sensor.name = name;
      sensor.body = c.At("body").String();
      sensor.resolve_in = c.String("resolve_in", "world");
      RequireBody(c.At("body"), sensor.body, "", scene_);
      if (c.Has("resolve_in")) RequireBody(c.At("resolve_in"), sensor.resolve_in, "world", scene_);
      if (c.Has("frame")) sensor.X_BS = ReadPose(c.At("frame"));
      scene_.sensors.push_back(std::move(sensor));
    });
  }

  const Cursor& root_;
  Library& library_;
  const ReadOptions& options_;
  Scene scene_;
};

}  // namespace

Scene ParseScene(const std::string& text, const std::filesystem::path& path,
                 const ReadOptions& options) {
  Value document = ParseDocument(text, path.string());
  for (const std::string& edit : options.overrides) ApplyOverride(edit, document);
  Validate(Cursor(document), ObjectNamed("scene"));
  Library library;
  const Cursor root(library.Add(std::move(document), path));
  Scene scene = SceneReader(root, library, options).Read();
  scene.source = text;
  scene.path = path;
  return scene;
}

}  // namespace host

Scene LoadScene(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return host::ParseScene(host::ReadTextFile(path), path, {overrides, true});
}

}  // namespace intervox
