#include "host/scene/grids.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cuda/device/executor.h"
#include "geometry/bounds.h"
#include "geometry/grid/combine.h"
#include "geometry/grid/without_bias.h"
#include "host/contact/parameters.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

using geometry::Combination;

/** Blocks of a level set that go together to a thread. */
constexpr int kBlocksAtOnce = 4;

MeshGridder& Gridder() {
  static MeshGridder gridder;
  return gridder;
}

GridWatch& Watch() {
  static GridWatch watch;
  return watch;
}

/** Tells the watch of one loop; of loops that run at once it hears of the first. */
class Teller {
 public:
  explicit Teller(int count) : count_(count), is_first_(Watch() && !busy_.exchange(true)) {
    if (is_first_) Watch()(0, count_);
  }
  ~Teller() {
    if (!is_first_) return;
    Watch()(count_, count_);
    busy_ = false;
  }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  void Add(int more) {
    if (!is_first_) return;
    const int done = done_ += more;
    const std::unique_lock lock(telling_, std::try_to_lock);
    if (lock && done < count_) Watch()(done, count_);
  }

 private:
  static inline std::atomic<bool> busy_ = false;
  int count_;
  bool is_first_;
  std::atomic<int> done_ = 0;
  std::mutex telling_;
};

GridReader& Reader() {
  static GridReader reader;
  return reader;
}

}  // namespace

void SetGridWatch(GridWatch watch) { Watch() = std::move(watch); }

void OnAllCores(int count, const std::function<void(int, int)>& body) {
  Teller teller(count);
  cuda::ParallelFor(count, kBlocksAtOnce, 0, [&](int begin, int end) {
    body(begin, end);
    teller.Add(end - begin);
  });
}

geometry::Shape GridOf(const geometry::ShapePtr& of, double voxel_size, double half_width,
                       bool unbiased) {
  const std::vector<geometry::Cell> cells = geometry::ToCells(*of);
  geometry::Shape shape;
  shape.name = of->name;
  shape.operation = geometry::Operation::kGrid;
  shape.children = {of};
  shape.grid.voxel_size = voxel_size;
  shape.grid.half_width = half_width;
  shape.grid.field = geometry::MakeLevelSet(cells, voxel_size, half_width, OnAllCores);
  return unbiased ? Unbiased(shape) : shape;
}

std::string CoarseGridText(const geometry::Shape& shape) {
  constexpr double kFewest = 4.0;  // a ball of so many voxels loses some 20 % of its volume
  if (shape.operation != geometry::Operation::kGrid || shape.children.empty()) return "";
  const geometry::Aabb box =
      geometry::BoundsInPose(geometry::ToCells(*shape.children[0]), Pose::Identity());
  const Vec3 size = box.upper - box.lower;
  const double extent = std::min({size.x, size.y, size.z}), h = shape.grid.voxel_size;
  if (!(extent < kFewest * h)) return "";
  return "on a grid of voxels of " + NumberText(h) + " m, and only " + NumberText(extent, 3) +
         " m thick: volume and contacts are far off. Use voxels below " +
         NumberText(extent / 10.0, 2) + " m, or the exact shape.";
}

geometry::Shape Unbiased(const geometry::Shape& shape) {
  geometry::Shape out = shape;
  if (!HasBias(shape)) return out;
  out.grid.field = geometry::WithoutBias(*shape.grid.field, OnAllCores);
  out.grid.unbiased = true;
  return out;
}

void SetMeshGridder(MeshGridder gridder) { Gridder() = std::move(gridder); }

bool CanGridMeshes() { return static_cast<bool>(Gridder()); }

geometry::GridSource GridOfMeshes(std::span<const std::vector<ShellLayer>> solids,
                                  double voxel_size, double half_width) {
  if (!Gridder()) {
    throw std::invalid_argument(
        "this program was built without OpenVDB (INTERVOX_OPENVDB=OFF), which makes grids of "
        "meshes. Build the release preset");
  }
  geometry::GridSource grid;
  const auto join = [](std::shared_ptr<const geometry::LevelSet> more, Combination how,
                       std::shared_ptr<const geometry::LevelSet>* field) {
    *field = *field == nullptr ? more : geometry::Combine(**field, *more, how, OnAllCores);
  };
  for (const std::vector<ShellLayer>& layers : solids) {
    std::shared_ptr<const geometry::LevelSet> solid;
    for (const ShellLayer& layer : layers) {
      join(Gridder()(layer.mesh.p, layer.mesh.triangles, voxel_size, half_width, OnAllCores),
           layer.hollows > 0 ? Combination::kDifference : Combination::kUnion, &solid);
    }
    join(std::move(solid), Combination::kUnion, &grid.field);
  }
  grid.voxel_size = voxel_size;
  grid.half_width = half_width;
  return grid;
}

void SetGridReader(GridReader reader) { Reader() = std::move(reader); }

geometry::Shape GridFromFile(const std::filesystem::path& path) {
  if (!Reader()) {
    throw std::invalid_argument(
        "this program was built without OpenVDB (INTERVOX_OPENVDB=OFF), which reads grids. Build "
        "the release preset");
  }
  GridFile file;
  try {
    file = Reader()(path, OnAllCores);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  geometry::Shape shape;
  shape.operation = geometry::Operation::kGrid;
  shape.X.p = file.p_FG;
  shape.grid.file = path.string();
  shape.grid.text = "file: " + Quoted(path.string());
  shape.grid.voxel_size = file.field->voxel_size;
  shape.grid.half_width = file.field->band;
  shape.grid.field = std::move(file.field);
  return shape;
}

}  // namespace intervox::host
