#include "host/scene/pairs.h"

#include <set>

#include "host/scene/shapes.h"

namespace intervox {

using host::Cursor;

PairsFile LoadPairs(const std::filesystem::path& path) {
  return ParsePairs(host::ReadTextFile(path), path);
}

PairsFile ParsePairs(const std::string& text, const std::filesystem::path& path) {
  host::Value document = host::ParseDocument(text, path.string());
  PairsFile file;
  file.is_scene = host::SceneVersion(document) > 0;
  Validate(Cursor(document), host::ObjectNamed(file.is_scene ? "scene" : "pairs"));
  host::Library library;
  const Cursor root(library.Add(std::move(document), path));
  file.shapes = library.All();
  if (!root.Has("pairs")) return file;
  const Cursor list = root.At("pairs");
  std::set<std::string> names;
  for (int i = 0; i < list.Count(); ++i) {
    const Cursor c = list.Item(i);
    PosedPair pair;
    pair.name = c.String("name", "pair-" + std::to_string(i + 1));
    if (!names.insert(pair.name).second) {
      c.Fail("the name '" + pair.name + "' stands twice", "Give each pair its own name.");
    }
    pair.a = library.Read(c.At("a"), pair.name + ".a");
    pair.b = library.Read(c.At("b"), pair.name + ".b");
    if (c.Has("pose_a")) pair.X_WA = ReadPose(c.At("pose_a"));
    if (c.Has("pose_b")) pair.X_WB = ReadPose(c.At("pose_b"));
    pair.place = *c.value().file + ":" + std::to_string(c.value().line);
    file.pairs.push_back(std::move(pair));
  }
  return file;
}

}  // namespace intervox
