#include "geometry/openvdb/rasterize.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetMeasure.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/combinable.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "geometry/openvdb/signed_distance.h"

namespace intervox::geometry {
namespace {

/** Where the cube of a voxel's edge falls below 3e-15, OpenVDB takes a grid's scale for zero [m].
 */
constexpr double kLeastVoxel = 1.5e-5;

constexpr int kLeaf = 8;  // OpenVDB's leaves have 8³ voxels

/** The values of one leaf, x slowest as OpenVDB stores them. */
struct Block {
  openvdb::Coord origin;
  std::array<float, kLeaf * kLeaf * kLeaf> values;
};

/** Descends the octree over the voxels and keeps the leaves that the band meets: the distance at a
 node's centre bounds that of all its voxels, since it changes no faster than the point moves. */
class Band {
 public:
  Band(const SignedDistance& distance, double voxel_size, double width)
      : distance_(distance), voxel_size_(voxel_size), width_(width) {}

  std::vector<Block> Collect(const openvdb::Coord& origin, int edge) {
    Descend(origin, edge);
    tasks_.wait();
    std::vector<Block> blocks;
    found_.combine_each(
        [&](std::vector<Block>& part) { blocks.insert(blocks.end(), part.begin(), part.end()); });
    std::sort(blocks.begin(), blocks.end(),
              [](const Block& a, const Block& b) { return a.origin < b.origin; });
    return blocks;
  }

 private:
  Vec3 Point(const openvdb::Coord& origin, double x, double y, double z) const {
    return voxel_size_ * Vec3{origin.x() + x, origin.y() + y, origin.z() + z};
  }

  void Descend(const openvdb::Coord& origin, int edge) {
    const double middle = 0.5 * (edge - 1);
    const double reach = std::sqrt(3.0) * middle * voxel_size_ + width_;
    if (std::fabs(distance_(Point(origin, middle, middle, middle), reach)) >= reach) return;
    if (edge == kLeaf) {
      Fill(origin);
      return;
    }
    const int half = edge / 2;
    for (int k = 0; k < 8; ++k) {
      const openvdb::Coord child = origin.offsetBy((k & 4) != 0 ? half : 0, (k & 2) != 0 ? half : 0,
                                                   (k & 1) != 0 ? half : 0);
      tasks_.run([this, child, half] { Descend(child, half); });
    }
  }

  void Fill(const openvdb::Coord& origin) {
    Block block{origin, {}};
    std::size_t at = 0;
    for (int i = 0; i < kLeaf; ++i) {
      for (int j = 0; j < kLeaf; ++j) {
        for (int k = 0; k < kLeaf; ++k) {
          block.values[at++] = static_cast<float>(distance_(Point(origin, i, j, k), width_));
        }
      }
    }
    found_.local().push_back(block);
  }

  const SignedDistance& distance_;
  double voxel_size_;
  double width_;
  tbb::task_group tasks_;
  tbb::combinable<std::vector<Block>> found_;
};

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
  if (!(half_width >= 2) || !(half_width <= 100)) {
    throw std::invalid_argument("the half width must be 2 to 100 voxels, got " +
                                std::to_string(half_width));
  }
  const SignedDistance distance(cells);
  const double width = half_width * voxel_size;
  const Vec3 lower = (distance.Lower() - Vec3{width, width, width}) / voxel_size;
  const Vec3 upper = (distance.Upper() + Vec3{width, width, width}) / voxel_size;
  openvdb::Coord origin;
  int edge = kLeaf;
  for (int k = 0; k < 3; ++k) {
    if (!(upper[k] - lower[k] < 1 << 20) || !(std::fabs(lower[k]) < 1 << 28)) {
      throw std::invalid_argument("a voxel size of " + std::to_string(voxel_size) +
                                  " m makes the grid too large; use larger voxels");
    }
    origin[k] = static_cast<int>(std::floor(lower[k] / kLeaf)) * kLeaf;
    while (origin[k] + edge <= upper[k]) edge *= 2;
  }

  openvdb::initialize();
  const auto background = static_cast<float>(width);
  const openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(background);
  grid->setName(name);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(openvdb::math::Transform::createLinearTransform(voxel_size));
  for (const Block& block : Band(distance, voxel_size, width).Collect(origin, edge)) {
    openvdb::FloatTree::LeafNodeType* leaf = grid->tree().touchLeaf(block.origin);
    for (openvdb::Index n = 0; n < block.values.size(); ++n) {
      if (std::fabs(block.values[n]) < background) {
        leaf->setValueOn(n, block.values[n]);
      } else {
        leaf->setValueOff(n, block.values[n]);
      }
    }
  }
  openvdb::tools::signedFloodFill(grid->tree());
  grid->pruneGrid();

  RasterReport report;
  report.active_voxels = static_cast<std::int64_t>(grid->activeVoxelCount());
  report.volume = openvdb::tools::levelSetVolume(*grid, true);
  try {
    openvdb::io::File file(path.string());
    file.write({grid});
    file.close();
    file.open(false);  // OpenVDB does not say when a disk is full
    file.readGrid(name);
    file.close();
    report.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  } catch (const std::exception& error) {
    throw std::runtime_error(path.string() + ": cannot write the grid (" + error.what() +
                             "). Check that the folder exists and is writable.");
  }
  return report;
}

}  // namespace intervox::geometry
