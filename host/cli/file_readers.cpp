// What reads files by libraries that the program may lack.
#include "host/cli/cli.h"
#ifdef INTERVOX_HAS_ASSIMP
#include "host/parts/assimp/assimp.h"
#endif
#ifdef INTERVOX_HAS_OPENVDB
#include "geometry/openvdb/level_set_grid.h"
#include "host/scene/grids.h"
#endif

namespace intervox::cli {

void UseFileReaders() {
#ifdef INTERVOX_HAS_ASSIMP
  host::SetSceneFileReader(host::ReadByAssimp);
#endif
#ifdef INTERVOX_HAS_OPENVDB
  host::SetGridReader([](const std::filesystem::path& path, const geometry::RangeLoop& loop) {
    geometry::VdbLevelSet read = geometry::ReadVdb(path, loop);
    return host::GridFile{std::move(read.field), read.p_FG};
  });
  host::SetMeshGridder(geometry::LevelSetOfMesh);
#endif
}

}  // namespace intervox::cli
