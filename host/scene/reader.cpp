#include "host/scene/reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "cuda/engine.h"
#include "host/contact/contact_model.h"
#include "host/scene/bodies.h"
#include "host/scene/nearest.h"
#include "host/scene/shapes.h"

namespace intervox {
namespace host {
namespace {

/** Largest share of a cell's box that two listed cells may have in common: rounding of faces that
 touch in turned frames. */
constexpr double kTouching = 1e-9;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<std::string> Names(const std::map<std::string, T>& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

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

/** One listed cell: a shape that is exactly one cell. */
geometry::Cell ReadCell(const Cursor& c, const geometry::ShapePtr& shape) {
  std::vector<geometry::Cell> cells;
  try {
    cells = geometry::ToCells(*shape);
  } catch (const std::invalid_argument& error) {
    c.Fail(error.what(), "");
  }
  if (cells.size() != 1) {
    c.Fail("the shape has " + std::to_string(cells.size()) + " cells",
           "List an intersection of primitives for each cell, or use `shape:`.");
  }
  return cells.front();
}

double BoxVolume(const geometry::Cell& cell) {
  return 8 * cell.bounds.half.x * cell.bounds.half.y * cell.bounds.half.z;
}

std::string Text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

/** Cells of one body must not share volume, or it would count twice. Touching is fine. */
void RefuseOverlaps(const Cursor& list, const std::vector<geometry::Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = i + 1; j < cells.size(); ++j) {
      PairQuery query;
      query.a = &cells[i];
      query.b = &cells[j];
      const InterferenceMetrics overlap = ComputeMetrics(query);
      const double smaller = std::min(BoxVolume(cells[i]), BoxVolume(cells[j]));
      const double limit = std::isfinite(smaller) ? kTouching * smaller : 0.0;
      if (overlap.status == Status::kUnbounded || overlap.volume > limit) {
        list.Item(static_cast<int>(j))
            .Fail("overlaps cell [" + std::to_string(i) + "] by " + Text(overlap.volume) + " m³",
                  "Cells of one body must be disjoint; cut one of them, or use `shape:`.");
      }
    }
  }
}

/** Cuts a body's solid into cells, to find what only building can find.
 @param place  where the solid is written: "FILE:LINE: KEY" */
void BuildSolid(const Cursor& c, const std::string& place, const geometry::ShapePtr& shape,
                const BodySettings& body, std::vector<geometry::Cell>* cut) {
  try {
    if (cut->empty()) *cut = geometry::ToCells(*shape);
    const bool free = !body.fixed && !body.motion;
    for (const geometry::Cell& cell : *cut) {
      if (free && !body.inertia && !cell.bounded) {
        c.Fail("the cell '" + cell.name + "' is infinite, so the free body has no inertia",
               "Fix the body, bound its shape, or give mass and inertia.");
      }
    }
  } catch (const std::invalid_argument& error) {
    if (place.empty()) c.Fail(error.what(), "");
    throw InputError(place + ": " + error.what());
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
    Contacts();
    CheckModels();
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

  void RequireBody(const Cursor& c, const std::string& name, const std::string& also) const {
    if (name == also) return;
    std::vector<std::string> names;
    for (const BodySettings& body : scene_.bodies) {
      if (body.name == name) return;
      names.push_back(body.name);
    }
    c.Fail("no body is named '" + name + "'", Suggest(name, names));
  }

  void Contacts() {
    if (!root_.Has("contacts")) return;
    const Cursor list = root_.At("contacts");
    for (int i = 0; i < list.Count(); ++i) {
      const Cursor c = list.Item(i);
      const Cursor bodies = c.At("bodies");
      if (bodies.Count() != 2) bodies.Fail("a contact has two bodies", "Name two.");
      ContactSettings contact;
      contact.bodies = {bodies.Item(0).String(), bodies.Item(1).String()};
      contact.model = c.At("model").String();
      RequireBody(bodies.Item(0), contact.bodies.first, "*");
      RequireBody(bodies.Item(1), contact.bodies.second, "*");
      if (contact.bodies.first == contact.bodies.second && contact.bodies.first != "*") {
        bodies.Fail("a body does not touch itself", "Name two bodies.");
      }
      if (contact.model != "none" && !scene_.contact_models.contains(contact.model)) {
        c.At("model").Fail("no contact model is named '" + contact.model + "'",
                           Suggest(contact.model, Names(scene_.contact_models)));
      }
      const auto same = [&](const ContactSettings& other) {
        const auto& [x, y] = other.bodies;
        return contact.bodies == other.bodies || contact.bodies == std::pair(y, x);
      };
      if (std::any_of(scene_.contacts.begin(), scene_.contacts.end(), same)) {
        bodies.Fail("a contact of these two bodies stands above already", "Remove one of them.");
      }
      scene_.contacts.push_back(std::move(contact));
    }
  }

  const Material& MaterialOf(const BodySettings& body) const {
    static const Material none{kAbsent, kAbsent, kAbsent, 0.0, kAbsent, kAbsent};
    return body.material.empty() ? none : scene_.materials.at(body.material);
  }

  /** The model of two bodies: the first contact that names them, or "default". */
  std::string ModelOf(const std::string& a, const std::string& b) const {
    const auto fits = [](const std::string& pattern, const std::string& name) {
      return pattern == "*" || pattern == name;
    };
    for (const ContactSettings& contact : scene_.contacts) {
      const auto& [x, y] = contact.bodies;
      if ((fits(x, a) && fits(y, b)) || (fits(x, b) && fits(y, a))) return contact.model;
    }
    return scene_.contacts.empty() ? "default" : "none";
  }

  /** Makes each model once for each pair of materials that it meets, so that its laws check their
   parameters and the message can name the line. */
  void CheckModels() {
    std::set<std::tuple<std::string, std::string, std::string>> met;
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < scene_.bodies.size(); ++j) {
        const BodySettings& a = scene_.bodies[i];
        const BodySettings& b = scene_.bodies[j];
        const std::string model = ModelOf(a.name, b.name);
        const auto settings = scene_.contact_models.find(model);
        if (settings == scene_.contact_models.end()) continue;
        if (!met.insert({model, a.material, b.material}).second) continue;
        try {
          const auto made = MakeContactModel(settings->second, MaterialOf(a), MaterialOf(b));
          const std::string prefix = "contact_models." + model + ".";
          for (const std::string& warning : made->warnings) {
            scene_.warnings.push_back(prefix);
            scene_.warnings.back() += warning;
          }
        } catch (const InputError& error) {
          FailInModel(model, error.what());
        }
      }
    }
  }

  /** Throws a law's complaint, "normal.restitution: …", at its place in the file. */
  [[noreturn]] void FailInModel(const std::string& model, const std::string& message) const {
    const std::string key = message.substr(0, message.find(':'));
    const std::string part = key.substr(0, key.find('.'));
    std::string place = scene_.path.string();
    library_.ForEach("contact_models", [&](const Cursor& c, const std::string& name) {
      if (name != model) return;
      const Value* value = &c.value();
      for (const std::string& step : {part, key.substr(std::min(part.size() + 1, key.size()))}) {
        if (const Value* child = value->Find(step); child != nullptr) value = child;
      }
      place = *value->file + ":" + std::to_string(value->line);
    });
    throw InputError(place + ": contact_models." + model + "." + message);
  }

  void Sensors() {
    if (!root_.Has("sensors")) return;
    root_.At("sensors").ForEach([&](const Cursor& c, const std::string& name) {
      SensorSettings sensor;
      sensor.name = name;
      sensor.body = c.At("body").String();
      sensor.resolve_in = c.String("resolve_in", "world");
      RequireBody(c.At("body"), sensor.body, "");
      if (c.Has("resolve_in")) RequireBody(c.At("resolve_in"), sensor.resolve_in, "world");
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
