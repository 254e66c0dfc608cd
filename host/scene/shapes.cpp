#include "host/scene/shapes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "host/input/nearest.h"
#include "host/parts/part.h"
#include "host/scene/grids.h"
#include "host/scene/lattice.h"
#include "host/scene/names.h"
#include "host/scene/primitives.h"
#include "host/scene/text.h"

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

int CountPrimitives(const Shape& shape) {
  int count = shape.operation == Operation::kPrimitive ? 1 : 0;
  for (const geometry::ShapePtr& child : shape.children) count += CountPrimitives(*child);
  return count;
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
  if (open_files_.size() == 1) folder_ = path.parent_path();
  if (root.Has("include")) Include(root.At("include"), path);
  if (const Value* shapes = kept.Find("shapes"); shapes != nullptr) {
    const Cursor section(root, *shapes, "shapes");
    if (section.Has("include")) Include(section.At("include"), path);
    section.ForEach([&](const Cursor& cursor, const std::string& name) {
      if (name == "include") return;
      if (!by_name_.emplace(name, NamedValue{&cursor.value(), path.parent_path()}).second) {
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
    const auto refuse = [&] {  // without a word of it: scenes of others shall show no secrets
      item.Fail("'" + item.String() + "' is no scene and no file of pairs",
                "Start it with 'schema: intervox/pairs/1'.");
    };
    if (text.find("schema") == std::string::npos) refuse();
    Value document = ParseDocument(text, file.string());
    if (document.Find("schema") == nullptr) refuse();
    const char* kind = SceneVersion(document) > 0 ? "scene" : "pairs";
    Validate(Cursor(document), ObjectNamed(kind));
    Add(std::move(document), file);
  }
}

Place Library::PlaceOf(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return {found->second.value->file, found->second.value->line};
}

std::string Library::PartIn(const geometry::ShapePtr& shape) const {
  const auto found = part_in_.find(shape);
  return found == part_in_.end() ? "" : found->second;
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
  // A circle is one fault, wherever one enters it.
  if (const auto told = circles_.find(name); told != circles_.end()) {
    throw InputError(told->second);
  }
  if (const auto first = std::find(open_.begin(), open_.end(), name); first != open_.end()) {
    try {
      from.Fail("the shape '" + name + "' refers to itself, directly or through others",
                "Break the circle.");
    } catch (const InputError& error) {
      for (auto on_it = first; on_it != open_.end(); ++on_it) circles_[*on_it] = error.what();
      throw;
    }
  }
  if (open_.size() >= static_cast<std::size_t>(kMaxReferences)) {
    from.Fail("references are nested deeper than " + std::to_string(kMaxReferences),
              "Flatten the chain of shapes.");
  }
  open_.push_back(name);
  Value empty;
  const Cursor root(empty);
  const Cursor shapes(root, empty, "shapes");
  // What is open is closed after a fault, too: other shapes are read after it.
  struct Restore {
    Library* library;
    std::filesystem::path folder;
    std::optional<GridSizes> sizes;
    ~Restore() {
      library->folder_ = std::move(folder);
      library->sizes_ = sizes;
      library->open_.pop_back();
    }
  } restore{this, std::exchange(folder_, found->second.folder), sizes_};
  const Built built = Build(Cursor(shapes, *found->second.value, name), name);
  return built_.emplace(name, built).first->second;
}

Library::Built Library::Build(const Cursor& cursor, const std::string& name) {
  if (cursor.value().kind == Value::Kind::kScalar) return BuildNamed(cursor.String(), cursor);
  Built node = Node(cursor, cursor.String("name", name));
  if (node.primitives > kMaxPrimitives) {
    cursor.Fail("the shape has more than " + std::to_string(kMaxPrimitives) + " primitives",
                "Build it of fewer parts.");
  }
  if (!node.part.empty()) part_in_[node.shape] = node.part;
  return node;
}

Library::Built Library::Node(const Cursor& cursor, const std::string& name) {
  const Pose X = cursor.Has("pose") ? ReadPose(cursor.At("pose")) : Pose{};
  const double scale = cursor.Number("scale", 1.0);
  const std::string kind = KindOf(cursor);
  const bool level_set = kind == "file" && IsLevelSet(cursor.At(kind).String());
  for (const char* key : {"up", "repair", "facets", "voxel_size", "half_width"}) {
    if (cursor.Has(key) && (kind != "file" || level_set)) {
      cursor.At(key).Fail(
          "says how a part is read, but here is a '" + (level_set ? "level set" : kind) + "'",
          "Remove it.");
    }
  }
  const Cursor solid = cursor.At(kind);
  Built built;
  Shape shape;
  if (kind == "ref" || kind == "grid" || kind == "lattice" || level_set) {
    built = kind == "ref"       ? BuildNamed(solid.String(), solid)
            : kind == "grid"    ? Grid(solid, name)
            : kind == "lattice" ? LatticeBlock(solid, name)
                                : LevelSetFile(solid, name);
    shape = Placed(*built.shape, X, scale);
    shape.name = name;
    built.shape = std::make_shared<const Shape>(std::move(shape));
    return built;
  }
  shape.name = name;
  shape.X = X;
  shape.scale = scale;
  if (kind == "file") return FromFile(cursor, std::move(shape));
  if (kind == "union") shape.operation = Operation::kUnion;
  if (kind == "intersection") shape.operation = Operation::kIntersection;
  if (kind == "difference") shape.operation = Operation::kDifference;
  if (shape.operation != Operation::kPrimitive) return Children(solid, name, std::move(shape));
  shape.primitive = ReadPrimitive(solid, kind);
  return {std::make_shared<const Shape>(std::move(shape)), 1};
}

Library::Built Library::Grid(const Cursor& cursor, const std::string& name) {
  const GridSizes sizes{cursor.At("voxel_size").Number(), cursor.Number("half_width", kHalfWidth)};
  const bool unbiased = cursor.Has("unbiased") && cursor.At("unbiased").Bool();
  const Cursor child = cursor.At("of");
  Built of;
  if (child.value().kind == Value::Kind::kMap && child.Has("file")) {
    const std::optional<GridSizes> outer = std::exchange(sizes_, sizes);
    of = Build(child, name);
    sizes_ = outer;
    // Its triangles were not convex.
    if (of.shape->operation == Operation::kGrid && !of.shape->grid.file.empty() &&
        !IsLevelSet(of.shape->grid.file)) {
      if (unbiased) cursor.At("unbiased").Fail("is for shapes with formulas", "Remove it.");
      return of;
    }
  } else {
    of = Build(child, name);
  }
  try {
    return {std::make_shared<const Shape>(
                GridOf(of.shape, sizes.voxel_size, sizes.half_width, unbiased)),
            1, of.part};
  } catch (const std::invalid_argument& error) {
    cursor.Fail(error.what(), "");
  }
}

Library::Built Library::LevelSetFile(const Cursor& cursor, const std::string& name) {
  const std::filesystem::path path = folder_ / cursor.String();
  geometry::ShapePtr& read = read_[path.string()];
  if (read == nullptr) {
    try {
      Shape shape = GridFromFile(path);
      shape.name = name;
      read = std::make_shared<const Shape>(std::move(shape));
    } catch (const std::invalid_argument& error) {
      cursor.Fail(error.what(), "");
    }
  }
  return {read, 1, cursor.String()};
}

Library::Built Library::LatticeBlock(const Cursor& cursor, const std::string& name) {
  Lattice lattice;
  lattice.kind = *ValueOf<LatticeKind>(cursor.At("kind").String());
  lattice.period = cursor.At("period").Number();
  lattice.thickness = cursor.At("thickness").Number();
  lattice.size = cursor.At("size").Vector();
  lattice.voxel_size = cursor.Number("voxel_size", lattice.period / kVoxelsOfPeriod);
  try {
    Shape shape;
    shape.name = name;
    shape.operation = Operation::kGrid;
    shape.grid = GridOfLattice(lattice);
    return {std::make_shared<const Shape>(std::move(shape)), 1};
  } catch (const std::invalid_argument& error) {
    cursor.Fail(error.what(), "");
  }
}

Library::Built Library::FromFile(const Cursor& cursor, Shape shape) {
  const Cursor file = cursor.At("file");
  PartOptions options;
  options.y_is_up = cursor.String("up", "z") == "y";
  options.repair = cursor.Has("repair") && cursor.At("repair").Bool();
  if (cursor.Has("facets")) options.facets = cursor.At("facets").Bool();
  std::optional<GridSizes> sizes = sizes_;
  const bool is_tree = std::filesystem::path(file.String()).extension() == ".csg";
  if (cursor.Has("voxel_size") && is_tree) {
    cursor.At("voxel_size").Fail("is for meshes", "Use {grid: {of: …, voxel_size: …}}.");
  }
  if (cursor.Has("voxel_size")) sizes = {cursor.At("voxel_size").Number(), kHalfWidth};
  if (sizes) {
    options.voxel_size = sizes->voxel_size / shape.scale;
    options.half_width = sizes->half_width;
  }
  if (cursor.Has("half_width")) {
    if (is_tree) cursor.At("half_width").Fail("is that of a grid", "Remove it.");
    options.half_width = cursor.At("half_width").Number();
  }
  Part part;
  try {
    part = ReadPart(folder_ / file.String(), options, shape.name);
  } catch (const InputError& failure) {
    file.Fail(failure.what(), "");
  }
  parts_.push_back("'" + shape.name + "', times " + Text(shape.scale) + " to metres");
  for (const std::string& line : part.report) parts_.back() += "\n  " + line;
  part_warnings_.insert(part_warnings_.end(), part.warnings.begin(), part.warnings.end());
  shape = Placed(*part.shape, shape.X, shape.scale);
  const int primitives = CountPrimitives(shape);
  return {std::make_shared<const Shape>(std::move(shape)), primitives, file.String()};
}

Library::Built Library::Children(const Cursor& list, const std::string& name, Shape shape) {
  int primitives = 0;
  std::string part;
  for (int i = 0; i < list.Count(); ++i) {
    const Built child = Build(list.Item(i), name + "/" + std::to_string(i));
    if (part.empty()) part = child.part;
    shape.children.push_back(child.shape);
    primitives = std::min(primitives + child.primitives, kMaxPrimitives + 1);
  }
  return {std::make_shared<const Shape>(std::move(shape)), primitives, part};
}

}  // namespace intervox::host
