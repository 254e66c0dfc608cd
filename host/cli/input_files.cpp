#include "host/cli/input_files.h"

#include <cstring>
#include <fstream>

#include "host/input/error.h"
#include "host/scene/pairs.h"

namespace intervox::cli {

bool IsHdf5(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  char start[8] = {};
  stream.read(start, sizeof start);
  return stream && std::memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

std::pair<std::string, geometry::ShapePtr> ChooseShape(const std::string& file,
                                                       const std::string& name) {
  const auto shapes = LoadPairs(file).shapes;
  if (name.empty() && shapes.size() == 1) return shapes.front();
  for (const auto& entry : shapes) {
    if (entry.first == name) return entry;
  }
  std::string known;
  for (const auto& [word, shape] : shapes) known += (known.empty() ? "" : ", ") + word;
  throw host::InputError(
      file + ": --shape: " + (name.empty() ? "several shapes" : "no such shape") + " (" +
      (name.empty() ? std::to_string(shapes.size()) : name) + "). Choose one of: " + known + ".");
}

}  // namespace intervox::cli
