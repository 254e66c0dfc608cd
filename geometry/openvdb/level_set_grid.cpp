#include "geometry/openvdb/level_set_grid.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "geometry/limited_child.h"
#include "geometry/openvdb/nano_vdb.h"

namespace intervox::geometry {
namespace {

using openvdb::Coord;
using openvdb::FloatGrid;

/** Distances have a slope of 1, and of √3 at most as voxels see it where they have kinks. */
constexpr double kMostSlope = 4;

[[noreturn]] void Refuse(const std::filesystem::path& path, const std::string& what) {
  throw std::runtime_error(path.string() + ": " + what);
}

/** Nodes from which on OpenVDB's single precision loses digits of triangles. */
constexpr double kFar = 4096;

/** Joins the blocks of an OpenVDB grid; its levels times `per_voxel` are in voxels.
 @param shift  of its nodes to those of the level set, whole blocks */
std::shared_ptr<const LevelSet> Join(const FloatGrid& grid, const Coord& shift, double per_voxel,
                                     double voxel_size, double band, const RangeLoop& loop) {
  const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
  const Coord low = box.min() + shift, high = box.max() + shift;
  std::array<int, 3> origin{}, size{};
  PlaceBlocks({low.x() - 1.0, low.y() - 1.0, low.z() - 1.0},
              {high.x() + 1.0, high.y() + 1.0, high.z() + 1.0}, voxel_size, &origin, &size);
  std::vector<PlaceKind> kinds;
  const auto accessor = grid.getConstAccessor();
  for (int i = 0; i < size[0]; ++i) {
    for (int j = 0; j < size[1]; ++j) {
      for (int k = 0; k < size[2]; ++k) {
        const Coord first = Coord(origin[0] + kBlockEdge * i, origin[1] + kBlockEdge * j,
                                  origin[2] + kBlockEdge * k) -
                            shift;
        // Leaves are blocks; the nodes at the far faces are those of the next ones.
        const bool inside = accessor.getValue(first) < 0;
        bool varies = false;
        for (int c = 0; c < 8; ++c) {
          const Coord near =
              first.offsetBy((c & 4) != 0 ? kBlockEdge : 0, (c & 2) != 0 ? kBlockEdge : 0,
                             (c & 1) != 0 ? kBlockEdge : 0);
          varies = varies || grid.tree().probeConstLeaf(near) != nullptr ||
                   accessor.isValueOn(near) || (accessor.getValue(near) < 0) != inside;
        }
        kinds.push_back(varies   ? PlaceKind::kBand
                        : inside ? PlaceKind::kInside
                                 : PlaceKind::kOutside);
      }
    }
  }
  const BlockReader read = [&](const std::array<int, 3>& first, float* nodes) {
    const auto values = grid.getConstAccessor();
    const Coord at = Coord(first[0], first[1], first[2]) - shift;
    for (int i = 0; i < kBlockSide; ++i) {
      for (int j = 0; j < kBlockSide; ++j) {
        for (int k = 0; k < kBlockSide; ++k) {
          *nodes++ = static_cast<float>(per_voxel * values.getValue(at.offsetBy(i, j, k)));
        }
      }
    }
  };
  return JoinBlocks(origin, size, kinds, read, voxel_size, band, loop);
}

/** Reads the level set of a file. */
FloatGrid::Ptr ReadGrid(const std::filesystem::path& path, std::string* names) {
  openvdb::io::File file(path.string());
  file.open(false);
  FloatGrid::Ptr found;
  int count = 0;
  for (auto name = file.beginName(); name != file.endName(); ++name) {
    const openvdb::GridBase::Ptr head = file.readGridMetadata(name.gridName());
    *names += (names->empty() ? "'" : ", '") + name.gridName() + "' (" +
              openvdb::GridBase::gridClassToString(head->getGridClass()) + " of " +
              head->valueType() + ")";
    if (head->getGridClass() != openvdb::GRID_LEVEL_SET || head->valueType() != "float") continue;
    ++count;
    found = openvdb::gridPtrCast<FloatGrid>(file.readGrid(name.gridName()));
  }
  return count == 1 ? found : nullptr;
}

/** What a child process with limits makes of the file: what it cannot read is not read here.
 @param kind  OpenVDB or NanoVDB */
std::string InChild(const std::filesystem::path& path, const std::string& kind,
                    const std::function<std::string()>& work) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  ChildLimits limits = LimitsOfReading(error ? 0 : size);
  limits.most = limits.bytes;
  ChildResult child = RunInChild(limits, work);
  if (child.end == ChildEnd::kDone) return std::move(child.bytes);
  if (child.end == ChildEnd::kThrew) {
    Refuse(path, "not a whole " + kind + " file (" + child.bytes + "). Write it anew.");
  }
  Refuse(path, "the file is damaged, or too large for this machine: reading its " +
                   std::to_string(size) + " bytes, " + TextOf(child.end, limits) +
                   ". Write it anew, or with larger voxels.");
}

/** The level set of a NanoVDB file; null where it holds none, or several. */
FloatGrid::Ptr FromNano(const NanoLevelSet& from) {
  if (!from.found) return nullptr;
  auto grid = FloatGrid::create(from.background);
  openvdb::Mat4d matrix = openvdb::Mat4d::identity();
  for (int i = 0; i < 3; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int j = 0; j < 3; ++j) matrix(j, i) = from.scale[3 * row + static_cast<std::size_t>(j)];
    matrix(3, i) = from.place[row];
  }
  grid->setTransform(openvdb::math::Transform::createLinearTransform(matrix));
  grid->setName(from.name);
  for (const NanoLeaf& leaf : from.leaves) {
    auto* to = grid->tree().touchLeaf(Coord(leaf.origin[0], leaf.origin[1], leaf.origin[2]));
    for (openvdb::Index k = 0; k < leaf.levels.size(); ++k) {
      to->setValueOnly(k, leaf.levels[k]);
      to->setActiveState(k, (leaf.active[k / 64] >> (k % 64) & 1) != 0);
    }
  }
  openvdb::tools::signedFloodFill(grid->tree());
  return grid;
}

/** OpenVDB's list of what makes a grid of each type. */
struct GridMakers : openvdb::GridBase {
  using GridBase::registerGrid;
};

/** Keeps every grid of floats that is read from now on, for a child process: OpenVDB takes trees
 apart with threads, of which a child has none to wait for. */
void KeepGrids() {
  FloatGrid::unregisterGrid();
  GridMakers::registerGrid(FloatGrid::gridType(),
                           [] { return *new openvdb::GridBase::Ptr(FloatGrid::create()); });
}

/** The level set of a file of either kind; null where it holds none, or several. */
FloatGrid::Ptr ReadSafely(const std::filesystem::path& path, std::string* names) {
  if (IsNanoVdb(path)) {
    const std::string packed = InChild(path, "NanoVDB", [&] { return PackNanoVdb(path); });
    try {
      const NanoLevelSet read = UnpackNanoVdb(packed);
      *names = read.contents;
      return FromNano(read);
    } catch (const std::exception& error) {  // a singular transform, too
      Refuse(path, std::string("the file is damaged (") + error.what() + "). Write it anew.");
    }
  }
  static_cast<void>(InChild(path, "OpenVDB", [&] {
    KeepGrids();
    std::string ignored;
    static_cast<void>(ReadGrid(path, &ignored));
    return std::string();
  }));
  try {
    return ReadGrid(path, names);
  } catch (const std::exception& error) {
    Refuse(path, std::string("not a whole OpenVDB file (") + error.what() + "). Write it anew.");
  }
}

/** Refuses levels that are no finite numbers: nothing that follows would see them. */
void RequireNumbers(const std::filesystem::path& path, const FloatGrid& grid) {
  std::int64_t count = 0;
  Coord first;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    for (openvdb::Index n = 0; n < FloatGrid::TreeType::LeafNodeType::SIZE; ++n) {
      if (std::isfinite(leaf->getValue(n))) continue;
      if (count++ == 0) first = leaf->offsetToGlobalCoord(n);
    }
  }
  if (count == 0) return;
  Refuse(path, "grid '" + grid.getName() + "': " + std::to_string(count) +
                   (count == 1 ? " level is" : " levels are") +
                   " no finite number, the first at voxel [" + std::to_string(first.x()) + ", " +
                   std::to_string(first.y()) + ", " + std::to_string(first.z()) +
                   "]. Make a level set anew.");
}

/** A mesh in index space, in double precision. */
struct MeshAdapter {
  std::span<const Vec3> p;
  std::span<const std::array<int, 3>> triangles;
  double voxel_size;
  Vec3 origin;  // [voxels]

  std::size_t polygonCount() const { return triangles.size(); }
  std::size_t pointCount() const { return p.size(); }
  std::size_t vertexCount(std::size_t) const { return 3; }
  void getIndexSpacePoint(std::size_t n, std::size_t v, openvdb::Vec3d& x) const {
    const Vec3 at = p[static_cast<std::size_t>(triangles[n][v])] / voxel_size - origin;
    x = openvdb::Vec3d(at.x, at.y, at.z);
  }
};

}  // namespace

VdbLevelSet ReadVdb(const std::filesystem::path& path, const RangeLoop& loop) {
  if (!std::filesystem::is_regular_file(path)) {
    Refuse(path, "no such file. Paths are relative to the file that names them.");
  }
  openvdb::initialize();
  std::string names;
  const FloatGrid::Ptr grid = ReadSafely(path, &names);
  if (grid == nullptr) {
    Refuse(path, "the file must hold one level set of floats, and holds " +
                     (names.empty() ? "nothing" : names) +
                     ". Write one level set; a fog volume has no distances.");
  }
  const std::string name = "grid '" + grid->getName() + "': ";
  if (grid->empty()) Refuse(path, name + "no voxel is active. Give a band around the surface.");
  const openvdb::math::Transform& transform = grid->transform();
  const openvdb::Vec3d h = transform.voxelSize();
  const openvdb::Vec3d at = transform.indexToWorld(openvdb::Vec3d(0, 0, 0));
  bool cubic = transform.isLinear() && h.x() > 0 && std::isfinite(h.x());
  for (int axis = 0; axis < 3 && cubic; ++axis) {
    openvdb::Vec3d e(0, 0, 0);
    e[axis] = 1;
    const openvdb::Vec3d d = transform.indexToWorld(e) - at - h.x() * e;
    cubic = d.length() <= 1e-6 * h.x();
  }
  if (!cubic || !at.isFinite()) {
    Refuse(path, name + "its voxels are no cubes along the axes. Resample it to a uniform scale.");
  }
  RequireNumbers(path, *grid);
  const double band = grid->background() / h.x();
  if (!(band >= 1) || !(band <= kMostHalfWidth)) {
    Refuse(path, name + "its background is " + std::to_string(band) +
                     " voxels. A band of 2 to 100 voxels on either side is needed.");
  }
  try {
    VdbLevelSet read{Join(*grid, Coord(), 1 / h.x(), h.x(), band, loop), {at.x(), at.y(), at.z()}};
    if (read.field->slope <= kMostSlope) return read;
    throw std::invalid_argument(
        "levels of neighbouring voxels differ by " + std::to_string(read.field->slope) +
        " voxels; the surface is open, or they are no distances. Make a level set anew");
  } catch (const std::invalid_argument& error) {
    Refuse(path, name + error.what() + ".");
  }
}

std::shared_ptr<const LevelSet> LevelSetOfMesh(std::span<const Vec3> p,
                                               std::span<const std::array<int, 3>> triangles,
                                               double voxel_size, double half_width,
                                               const RangeLoop& loop) {
  RequireGridSizes(voxel_size, half_width);
  Vec3 lower = 1e300 * Vec3{1, 1, 1}, upper = -lower;
  for (const Vec3& x : p) {
    if (!std::isfinite(x.x + x.y + x.z)) {
      throw std::invalid_argument("a vertex of the mesh is not finite. Give finite coordinates.");
    }
    lower = Min(lower, x);
    upper = Max(upper, x);
  }
  for (const std::array<int, 3>& triangle : triangles) {
    for (const int v : triangle) {
      if (v >= 0 && static_cast<std::size_t>(v) < p.size()) continue;
      throw std::invalid_argument("a triangle names vertex " + std::to_string(v) + " of " +
                                  std::to_string(p.size()) + ". Number them from 0.");
    }
  }
  if (triangles.empty()) throw std::invalid_argument("the mesh has no triangles. Give some.");
  // Refused before OpenVDB takes the memory.
  std::array<int, 3> origin{}, size{};
  PlaceBlocks(lower / voxel_size, upper / voxel_size, voxel_size, &origin, &size);
  openvdb::initialize();
  const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
  const auto band = static_cast<float>(half_width);
  Coord shift;
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = 0.5 * (lower[axis] + upper[axis]) / voxel_size;
    if (std::fabs(middle) < kFar) continue;
    shift[axis] = kBlockEdge * static_cast<int>(std::round(middle / kBlockEdge));
  }
  const Vec3 start{static_cast<double>(shift[0]), static_cast<double>(shift[1]),
                   static_cast<double>(shift[2])};
  const FloatGrid::Ptr grid = openvdb::tools::meshToVolume<FloatGrid>(
      MeshAdapter{p, triangles, voxel_size, start}, *transform, band, band);
  return Join(*grid, shift, 1, voxel_size, half_width, loop);
}

}  // namespace intervox::geometry
