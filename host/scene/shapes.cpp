#include "host/scene/shapes.h"

#include <algorithm>
#include <utility>

#include "host/input/nearest.h"
#include "host/scene/primitives.h"

namespace intervox::host {
namespace {

using geometry::Operation;
using geometry::Shape;

/** The shape, placed once more: by a scale and then by a pose. */
Shape Placed(Shape shape, const Pose& X, double scale) {
  shape.X = {X.R * shape.X.R, X.R * (scale * shape.X.p) + X.p};
  shape.scale *= scale;
  return shape;
}

/** The key that says what the solid is: the validated map has exactly one. */
std::string KindOf(const Cursor& cursor) {
  for (const std::string& key : ObjectNamed("shape").exactly_one) {
    if (cursor.Has(key)) return key;
  }
  cursor.Fail("no solid is given", "Give one.");
}

}  // namespace

const Value& Library::Add(Value document, const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path file = std::filesystem::weakly_canonical(path, error);
  if (error) file = path;
  documents_.push_back(std::move(document));
  const Value& kept = documents_.back();
  const Cursor root(kept);
  files_.insert(file);
  open_files_.push_back(file);
  if (root.Has("include")) Include(root.At("include"), path);
  if (const Value* shapes = kept.Find("shapes"); shapes != nullptr) {
    const Cursor section(root, *shapes, "shapes");
    if (section.Has("include")) Include(section.At("include"), path);
    section.ForEach([&](const Cursor& cursor, const std::string& name) {
      if (name == "include") return;
      if (!by_name_.emplace(name, &cursor.value()).second) {
        cursor.Fail("the shape is defined in two files", "Rename one of them.");
      }
      named_.emplace_back(name, &cursor.value());
    });
  }
  open_files_.pop_back();
  return kept;
}

void Library::Include(const Cursor& list, const std::filesystem::path& path) {
  for (int i = 0; i < list.Count(); ++i) {
    const Cursor item = list.Item(i);
    const std::filesystem::path file = path.parent_path() / item.String();
    std::error_code error;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, error);
    if (error) item.Fail("'" + item.String() + "' is no usable path", "Check the path.");
    if (std::find(open_files_.begin(), open_files_.end(), canonical) != open_files_.end()) {
      item.Fail("'" + item.String() + "' includes itself, directly or through others",
                "Remove one of the includes.");
    }
    if (files_.contains(canonical)) continue;
    if (open_files_.size() >= static_cast<std::size_t>(kMaxReferences)) {
      item.Fail("includes are nested deeper than " + std::to_string(kMaxReferences),
                "Flatten them.");
    }
    std::string text;
    try {
      text = ReadTextFile(file);
    } catch (const InputError& failure) {
      item.Fail("cannot include '" + item.String() + "' (" + failure.what() + ")",
                "Paths are relative to the file that includes.");
    }
    Value document = ParseDocument(text, file.string());
    const char* kind = SceneVersion(document) > 0 ? "scene" : "pairs";
    Validate(Cursor(document), ObjectNamed(kind));
    Add(std::move(document), file);
  }
}

Place Library::PlaceOf(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return {found->second->file, found->second->line};
}

void Library::ForEach(const std::string& section,
                      const std::function<void(const Cursor&, const std::string&)>& f) const {
  for (const Value& document : documents_) {
    const Value* value = document.Find(section);
    if (value == nullptr) continue;
    const Cursor root(document);
    const Cursor entries(root, *value, section);
    entries.ForEach(f);
  }
}

geometry::ShapePtr Library::Named(const std::string& name, const Cursor& from) {
  return BuildNamed(name, from).shape;
}

geometry::ShapePtr Library::Read(const Cursor& cursor, const std::string& name) {
  return Build(cursor, name).shape;
}

std::vector<std::pair<std::string, geometry::ShapePtr>> Library::All() {
  std::vector<std::pair<std::string, geometry::ShapePtr>> all;
  for (const auto& [name, value] : named_) {
    all.emplace_back(name, Named(name, Cursor(*value)));
  }
  return all;
}

Library::Built Library::BuildNamed(const std::string& name, const Cursor& from) {
  if (const auto done = built_.find(name); done != built_.end()) return done->second;
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, value] : named_) names.push_back(known);
    from.Fail("no shape is named '" + name + "'", Suggest(name, names));
  }
  if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
    from.Fail("the shape '" + name + "' refers to itself, directly or through others",
              "Break the circle.");
  }
  if (open_.size() >= static_cast<std::size_t>(kMaxReferences)) {
    from.Fail("references are nested deeper than " + std::to_string(kMaxReferences),
              "Flatten the chain of shapes.");
  }
  open_.push_back(name);
  Value empty;
  const Cursor root(empty);
  const Cursor shapes(root, empty, "shapes");
  const Built built = Build(Cursor(shapes, *found->second, name), name);
  open_.pop_back();
  return built_.emplace(name, built).first->second;
}

Library::Built Library::Build(const Cursor& cursor, const std::string& name) {
  if (cursor.value().kind == Value::Kind::kScalar) return BuildNamed(cursor.String(), cursor);
  Built node = Node(cursor, cursor.String("name", name));
  if (node.primitives > kMaxPrimitives) {
    cursor.Fail("the shape has more than " + std::to_string(kMaxPrimitives) + " primitives",
                "Build it of fewer parts.");
  }
  return node;
}

Library::Built Library::Node(const Cursor& cursor, const std::string& name) {
  const Pose X = cursor.Has("pose") ? ReadPose(cursor.At("pose")) : Pose{};
  const double scale = cursor.Number("scale", 1.0);
  const std::string kind = KindOf(cursor);
  const Cursor solid = cursor.At(kind);
  Built built;
  Shape shape;
  if (kind == "ref") {
    built = BuildNamed(solid.String(), solid);
    shape = Placed(*built.shape, X, scale);
    shape.name = name;
    built.shape = std::make_shared<const Shape>(std::move(shape));
    return built;
  }
  shape.name = name;
  shape.X = X;
  shape.scale = scale;
  if (kind == "union") shape.operation = Operation::kUnion;
  if (kind == "intersection") shape.operation = Operation::kIntersection;
  if (kind == "difference") shape.operation = Operation::kDifference;
  if (shape.operation != Operation::kPrimitive) return Children(solid, name, std::move(shape));
  shape.primitive = ReadPrimitive(solid, kind);
  return {std::make_shared<const Shape>(std::move(shape)), 1};
}

Library::Built Library::Children(const Cursor& list, const std::string& name, Shape shape) {
  int primitives = 0;
  for (int i = 0; i < list.Count(); ++i) {
    const Built child = Build(list.Item(i), name + "/" + std::to_string(i));
    shape.children.push_back(child.shape);
    primitives = std::min(primitives + child.primitives, kMaxPrimitives + 1);
  }
  return {std::make_shared<const Shape>(std::move(shape)), primitives};
}

}  // namespace intervox::host
