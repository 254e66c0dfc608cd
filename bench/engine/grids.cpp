// Grids on one core, by the clip rule of simulations unless said. Lens: two balls of R = 20 voxels,
// two voxels deep, or fifteen, in 20 random poses, each alone. Peg: a peg of 20 voxels in a hole
// with a gap of a quarter of a voxel, tilted until it touches both walls. Flat: a box of 30 x 40
// voxels on a slab, a hundredth of a voxel deep, turned about its normal. Both cut into blocks as a
// simulation does; one call is all pairs of blocks whose boxes meet. instr: user instructions of a
// call; V: of all its pairs [voxels]; pairs: how many there are.

#include "tests/geometry/grids.h"
#include "bench/engine/accuracy.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Random;

geometry::ShapePtr Of(const geometry::Primitive& primitive, const Vec3& p = {}) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->primitive = primitive;
  shape->X.p = p;
  return shape;
}

std::vector<Cell> Blocks(const geometry::Shape& shape) {
  return geometry::SplitGrids({geometry::MakeGridCell(
      geometry::MakeLevelSet(geometry::ToCells(shape), 1, 3, testing::Serially), {}, 1, "grid")});
}

/** All pairs of blocks that are not apart by the axes of the boxes of the first. */
std::vector<PairQuery> Near(const std::vector<Cell>& a, const std::vector<Cell>& b,
                            const Pose& X_WB) {
  std::vector<PairQuery> queries;
  for (const Cell& p : a) {
    for (const Cell& q : b) {
      const Pose X = Inverse(p.bounds.X) * X_WB * q.bounds.X;
      const Mat3 M{Abs(X.R.row0), Abs(X.R.row1), Abs(X.R.row2)};
      const Vec3 gap = Abs(X.p) - M * q.bounds.half - p.bounds.half;
      if (std::max({gap.x, gap.y, gap.z}) > 0) continue;
      PairQuery query{&p, &q, {}, X_WB};
      query.rule = LeafRule::kClip;
      queries.push_back(query);
    }
  }
  return queries;
}

void Run(benchmark::State& state, const std::vector<PairQuery>& queries) {
  double V = 0;
  bench::TimedLoop(state, [&] {
    V = 0;
    for (const PairQuery& query : queries) V += ComputeMetrics(query).volume;
  });
  state.counters["V"] = V;
  state.counters["pairs"] = static_cast<double>(queries.size());
}

void Lens(benchmark::State& state, LeafRule rule, double depth) {
  const Cell ball = testing::GridCell(geometry::Sphere{20}, 1);
  Random random(1);
  std::vector<PairQuery> queries;
  for (int k = 0; k < 20; ++k) {
    const Mat3 R = random.Rotation();
    PairQuery query{&ball, &ball, {}, {R, (40 - depth) * random.Direction()}};
    query.rule = rule;
    queries.push_back(query);
  }
  Run(state, queries);
}
BENCHMARK_CAPTURE(Lens, fraction, LeafRule::kFraction, 2)->Iterations(10);
BENCHMARK_CAPTURE(Lens, clip, LeafRule::kClip, 2)->Iterations(10);
BENCHMARK_CAPTURE(Lens, voxel, LeafRule::kVoxel, 2)->Iterations(2);
BENCHMARK_CAPTURE(Lens, fraction_deep, LeafRule::kFraction, 15)->Iterations(4);
BENCHMARK_CAPTURE(Lens, clip_deep, LeafRule::kClip, 15)->Iterations(4);

void Peg(benchmark::State& state) {
  geometry::Shape hole;
  hole.operation = geometry::Operation::kDifference;
  hole.children = {Of(geometry::Box{{60, 60, 24}}), Of(geometry::Cylinder{10.25, 40})};
  const std::vector<Cell> peg = Blocks(*Of(geometry::Cylinder{10, 60}, {0, 0, 20})),
                          socket = Blocks(hole);
  const Pose X_WB{testing::Turned({0, 0.024, 0.1}, Mat3::Identity()), {0.013, 0.021, 0.4}};
  Run(state, Near(socket, peg, X_WB));
}
BENCHMARK(Peg)->Iterations(10);

void Flat(benchmark::State& state) {
  const std::vector<Cell> box = Blocks(*Of(geometry::Box{{30, 40, 20}}, {0.3, 0.4, 10.2})),
                          slab = Blocks(*Of(geometry::Box{{80, 80, 16}}, {0.1, 0.2, -7.6}));
  const Pose X_WB{testing::Turned({0, 0, 0.35}, Mat3::Identity()), {0.13, 0.21, 0.19}};
  Run(state, Near(slab, box, X_WB));
}
BENCHMARK(Flat)->Iterations(10);

}  // namespace
}  // namespace intervox
