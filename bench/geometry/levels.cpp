// Reading levels: the trilinear field of a ball of R = 20 voxels by blocks of our own, and by
// NanoVDB's accessor and sampler on the same levels. Random: points anywhere in the band. Tile: the
// 5³ nodes of a turned lattice's tile, one tile after the other. One call is 1,000 points; sum: of
// their levels, the same of both but for a float's digits.
#include <nanovdb/util/IO.h>
#include <nanovdb/util/Primitives.h>
#include <nanovdb/util/SampleFromVoxels.h>

#include "bench/instructions.h"
#include "tests/geometry/grids.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::geometry {
namespace {

constexpr double kRadius = 20;

std::vector<Vec3> RandomPoints() {
  Random random(1);
  std::vector<Vec3> points;
  for (int n = 0; n < 1000; ++n) {
    points.push_back((kRadius + random.Uniform(-1.5, 1.5)) * random.Direction());
  }
  return points;
}

std::vector<Vec3> TilePoints() {
  Random random(1);
  std::vector<Vec3> points;
  for (int tile = 0; tile < 8; ++tile) {
    const Mat3 R = random.Rotation();
    const Vec3 at = kRadius * random.Direction();
    for (int n = 0; n < 125; ++n) {
      points.push_back(at + R * Vec3{n / 25 - 2.0, n / 5 % 5 - 2.0, n % 5 - 2.0});
    }
  }
  return points;
}

void Blocks(benchmark::State& state, const std::vector<Vec3>& points) {
  const auto field = MakeLevelSet(testing::CellsOf(Sphere{kRadius}), 1, 5, testing::Serially);
  const GridView view = field->View();
  double sum = 0;
  bench::TimedLoop(state, [&] {
    sum = 0;
    for (const Vec3& u : points) sum += LevelOf(view, u);
    benchmark::DoNotOptimize(sum);
  });
  state.counters["sum"] = sum;
}

void NanoVdb(benchmark::State& state, const std::vector<Vec3>& points) {
  const auto handle = nanovdb::createLevelSetSphere<float>(kRadius, nanovdb::Vec3f(0), 1, 5);
  const auto accessor = handle.grid<float>()->getAccessor();
  const auto sampler = nanovdb::createSampler<1>(accessor);
  double sum = 0;
  bench::TimedLoop(state, [&] {
    sum = 0;
    for (const Vec3& u : points) sum += sampler(nanovdb::Vec3d(u.x, u.y, u.z));
    benchmark::DoNotOptimize(sum);
  });
  state.counters["sum"] = sum;
}

BENCHMARK_CAPTURE(Blocks, random, RandomPoints())->Iterations(100);
BENCHMARK_CAPTURE(NanoVdb, random, RandomPoints())->Iterations(100);
BENCHMARK_CAPTURE(Blocks, tile, TilePoints())->Iterations(100);
BENCHMARK_CAPTURE(NanoVdb, tile, TilePoints())->Iterations(100);

}  // namespace
}  // namespace intervox::geometry
