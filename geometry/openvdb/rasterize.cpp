#include "geometry/openvdb/rasterize.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetMeasure.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

// After OpenVDB's, which bring what these lack.
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#include <nanovdb/util/OpenToNanoVDB.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "geometry/grid/make_level_set.h"
#include "geometry/openvdb/nano_vdb.h"

namespace intervox::geometry {
namespace {

/** Where the cube of a voxel's edge falls below 3e-15, OpenVDB takes a grid's scale for zero [m].
 */
constexpr double kLeastVoxel = 1.5e-5;

/** Copies a level set's blocks into OpenVDB's leaves, in metres. */
void FillTree(const LevelSet& field, double voxel_size, openvdb::FloatGrid* grid) {
  const float background = grid->background();
  std::size_t place = 0;
  for (int i = 0; i < field.size[0]; ++i) {
    for (int j = 0; j < field.size[1]; ++j) {
      for (int k = 0; k < field.size[2]; ++k) {
        const std::int32_t block = field.places[place++];
        if (block < 0) continue;
        openvdb::FloatTree::LeafNodeType* leaf = grid->tree().touchLeaf(
            openvdb::Coord(field.origin[0] + kBlockEdge * i, field.origin[1] + kBlockEdge * j,
                           field.origin[2] + kBlockEdge * k));
        const float* nodes = field.nodes.data() + static_cast<std::ptrdiff_t>(block) * kBlockNodes;
        openvdb::Index n = 0;
        for (int x = 0; x < kBlockEdge; ++x) {
          for (int y = 0; y < kBlockEdge; ++y) {
            for (int z = 0; z < kBlockEdge; ++z, ++n) {
              const double level = voxel_size * nodes[(x * kBlockSide + y) * kBlockSide + z];
              const auto value = static_cast<float>(level);
              if (std::fabs(value) < background) {
                leaf->setValueOn(n, value);
              } else {
                leaf->setValueOff(n, std::copysign(background, value));
              }
            }
          }
        }
      }
    }
  }
}

/** Writes a grid as a NanoVDB file, with checksums, and reads it: NanoVDB does not say when a disk
 is full. */
void WriteNanoVdb(const openvdb::FloatGrid& grid, const std::string& path) {
  const nanovdb::GridHandle<> handle = nanovdb::openToNanoVDB<nanovdb::HostBuffer>(
      grid, nanovdb::StatsMode::Default, nanovdb::ChecksumMode::Full);
  nanovdb::io::writeGrid(path, handle);
  const nanovdb::GridHandle<> read = nanovdb::io::readGrid(path);
  if (!nanovdb::isValid(*read.grid<float>(), true)) throw std::runtime_error("it reads otherwise");
}

}  // namespace

RasterReport Rasterize(std::span<const Cell> cells, double voxel_size, double half_width,
                       const std::string& name, const std::filesystem::path& path) {
  if (!(voxel_size > 0) || !std::isfinite(voxel_size)) {
    throw std::invalid_argument("the voxel size must be positive, got " +
                                std::to_string(voxel_size));
  }
  if (voxel_size < kLeastVoxel) {
    throw std::invalid_argument("OpenVDB holds no voxels below 15 µm, got " +
                                std::to_string(1e6 * voxel_size) +
                                " µm; give a larger voxel size, or scale the shape up");
  }
  const RangeLoop on_all_cores = [](int count, const std::function<void(int, int)>& body) {
    tbb::parallel_for(tbb::blocked_range<int>(0, count),
                      [&](const tbb::blocked_range<int>& r) { body(r.begin(), r.end()); });
  };
  const std::shared_ptr<const LevelSet> field =
      MakeLevelSet(cells, voxel_size, half_width, on_all_cores);
  openvdb::initialize();
  const auto background = static_cast<float>(half_width * voxel_size);
  const openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(background);
  grid->setName(name);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
  FillTree(*field, voxel_size, grid.get());
  openvdb::tools::signedFloodFill(grid->tree());
  grid->pruneGrid();

  RasterReport report;
  report.active_voxels = static_cast<std::int64_t>(grid->activeVoxelCount());
  report.volume = openvdb::tools::levelSetVolume(*grid, true);
  // What stands there is replaced once all is written.
  const std::filesystem::path made = path.string() + ".new";
  try {
    if (IsNanoVdb(path)) {
      WriteNanoVdb(*grid, made.string());
    } else {
      openvdb::io::File file(made.string());
      file.write({grid});
      file.close();
      file.open(false);  // OpenVDB does not say when a disk is full
      file.readGrid(name);
      file.close();
    }
    std::filesystem::rename(made, path);
    report.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    throw std::runtime_error(path.string() + ": cannot write the grid (" + error.what() +
                             "). Is the disk full? Else check that the folder exists and is "
                             "writable.");
  }
  return report;
}

}  // namespace intervox::geometry
