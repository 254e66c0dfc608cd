#include "host/cli/input_files.h"

#include "host/cli/file_kind.h"
#include "host/input/error.h"
#include "host/scene/pairs.h"

namespace intervox::cli {

std::pair<std::string, geometry::ShapePtr> ChooseShape(const std::string& command,
                                                       const std::string& file,
                                                       const std::string& name) {
  RequireKind(file, command, {FileKind::kPairs, FileKind::kScene});
  const auto shapes = LoadPairs(file).shapes;
  if (name.empty() && shapes.size() == 1) return shapes.front();
  for (const auto& entry : shapes) {
    if (entry.first == name) return entry;
  }
  if (shapes.empty()) {
    throw host::InputError(file +
                           ": --shape: no shape has a name there. Name one under 'shapes:'.");
  }
  std::string known;
  for (const auto& [word, shape] : shapes) known += (known.empty() ? "" : ", ") + word;
  throw host::InputError(
      file + ": --shape: " + (name.empty() ? "several shapes" : "no such shape") + " (" +
      (name.empty() ? std::to_string(shapes.size()) : name) + "). Choose one of: " + known + ".");
}

}  // namespace intervox::cli
