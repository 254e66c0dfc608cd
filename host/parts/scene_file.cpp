// Files that hold scenes, 3MF and glTF: read by a library that the program may lack.
#include <utility>

#include "host/input/error.h"
#include "host/parts/readers.h"

namespace intervox::host {
namespace {

SceneFileReader& Reader() {
  static SceneFileReader reader;
  return reader;
}

std::vector<PartMesh> Read(const PartFile& file, const std::string& extension) {
  if (Reader()) return Reader()(file, extension);
  throw InputError(*file.name + ": part: this program was built without assimp, which reads " +
                   extension +
                   " files. Install it (Debian: libassimp-dev) and build again, or write the part "
                   "as .stl, .obj or .ply.");
}

}  // namespace

void SetSceneFileReader(SceneFileReader reader) { Reader() = std::move(reader); }

std::vector<PartMesh> ReadThreeMf(const PartFile& file) { return Read(file, ".3mf"); }

std::vector<PartMesh> ReadGlb(const PartFile& file) { return Read(file, ".glb"); }

}  // namespace intervox::host
