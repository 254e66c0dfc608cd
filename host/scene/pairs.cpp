#include "host/scene/pairs.h"

#include <set>

#include "host/scene/grids.h"
#include "host/scene/shapes.h"
#include "host/scene/validate_all.h"

namespace intervox {

using host::Cursor;

namespace {

PosedPair ReadPair(const Cursor& c, int index, std::set<std::string>* names,
                   host::Library* library) {
  PosedPair pair;
  pair.name = c.String("name", "pair-" + std::to_string(index + 1));
  if (!names->insert(pair.name).second) {
    c.Fail("the name '" + pair.name + "' stands twice", "Give each pair its own name.");
  }
  pair.a = library->Read(c.At("a"), pair.name + ".a");
  pair.b = library->Read(c.At("b"), pair.name + ".b");
  if (c.Has("pose_a")) pair.X_WA = ReadPose(c.At("pose_a"));
  if (c.Has("pose_b")) pair.X_WB = ReadPose(c.At("pose_b"));
  pair.place = *c.value().file + ":" + std::to_string(c.value().line);
  return pair;
}

/** Warns once of each shape, by its own name or by that of the pair that it stands in. */
void WarnOfCoarseGrids(PairsFile* file) {
  std::set<const geometry::Shape*> seen;
  const auto look = [&](const std::string& place, const geometry::ShapePtr& shape) {
    if (shape == nullptr || !seen.insert(shape.get()).second) return;
    const std::string coarse = host::CoarseGridText(*shape);
    if (!coarse.empty()) file->warnings.push_back(place + ": " + coarse);
  };
  for (const auto& [name, shape] : file->shapes) look("shapes." + name, shape);
  for (const PosedPair& pair : file->pairs) {
    look(pair.name + ".a", pair.a);
    look(pair.name + ".b", pair.b);
  }
}

}  // namespace

PairsFile LoadPairs(const std::filesystem::path& path) {
  if (path == "-") return ParsePairs(host::ReadStandardInput(), host::kStandardInput);
  return ParsePairs(host::ReadTextFile(path), path);
}

PairsFile ParsePairs(const std::string& text, const std::filesystem::path& path) {
  host::Value document = host::ParseDocument(text, path.string());
  PairsFile file;
  file.is_scene = host::SceneVersion(document) > 0;
  host::Faults faults;
  ValidateAll(Cursor(document), host::ObjectNamed(file.is_scene ? "scene" : "pairs"), &faults);
  faults.Throw();
  host::Library library;
  const Cursor root(library.Add(std::move(document), path));
  faults.Try([&] { file.shapes = library.All(); });
  if (!faults.IsEmpty()) {  // there may be more
    library.ForEach("shapes", [&](const Cursor& shape, const std::string& name) {
      if (name != "include") faults.Try([&] { library.Named(name, shape); });
    });
  }
  file.parts = library.Parts();
  if (root.Has("pairs")) {
    const Cursor list = root.At("pairs");
    std::set<std::string> names;
    for (int i = 0; i < list.Count(); ++i) {
      faults.Try([&] { file.pairs.push_back(ReadPair(list.Item(i), i, &names, &library)); });
    }
    file.parts = library.Parts();
  }
  faults.Throw();
  file.warnings = library.PartWarnings();
  WarnOfCoarseGrids(&file);
  return file;
}

geometry::ShapePtr ParseShape(const std::string& text, const std::filesystem::path& path) {
  // As the one named shape of a file, so that it has the same keys and messages as there.
  host::Value shape = host::ParseDocument(text, path.string());
  host::Value map, schema;
  map.kind = host::Value::Kind::kMap;
  schema.kind = host::Value::Kind::kScalar;
  map.file = schema.file = shape.file;
  map.line = schema.line = shape.line;
  schema.scalar = "intervox/pairs/1";
  host::Value document = map;
  map.entries.push_back({"shape", shape.line, std::move(shape)});
  document.entries.push_back({"schema", schema.line, schema});
  document.entries.push_back({"shapes", map.line, std::move(map)});
  Validate(Cursor(document), host::ObjectNamed("pairs"));
  host::Library library;
  library.Add(std::move(document), path);
  return library.All().front().second;
}

}  // namespace intervox
