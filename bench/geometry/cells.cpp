// CSG to disjoint cells. Sponge: a cube minus n balls, one in each cube of a grid. Holes: a plate
// with n blind holes. Tiles: a union of n boxes that touch. Columns: the cells that come out, the
// cuts (pieces compared with an operand whose box they meet) and the emptiness searches. Times
// include the neighbours.
#include <benchmark/benchmark.h>

#include "geometry/decompose.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::geometry {
namespace {

void Decompose(benchmark::State& state, const ShapePtr& shape) {
  Effort effort;
  std::size_t cells = 0;
  for (auto _ : state) {
    effort = {};
    cells = ToCells(*shape, &effort).size();
  }
  state.counters["cells"] = static_cast<double>(cells);
  state.counters["cuts"] = static_cast<double>(effort.cuts);
  state.counters["searches"] = static_cast<double>(effort.searches);
}

void Sponge(benchmark::State& state) {
  Random random(1);
  const int n = static_cast<int>(state.range(0));
  const double edge = 1.0 / n;
  std::vector<ShapePtr> operands{Leaf(Box{{1, 1, 1}})};
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3 p = random.InBox(0.1 * edge) +
                   edge * Vec3{i % n + 0.5, i / n % n + 0.5, i / n / n + 0.5} - Vec3{0.5, 0.5, 0.5};
    operands.push_back(Leaf(Sphere{0.3 * edge}, At(p.x, p.y, p.z)));
  }
  Decompose(state, Tree(Operation::kDifference, operands));
}
BENCHMARK(Sponge)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);

void Holes(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<ShapePtr> operands{Leaf(Box{{1.0 * n, 1.0 * n, 1}})};
  for (int i = 0; i < n * n; ++i) {
    operands.push_back(
        Leaf(Cylinder{0.3, 1}, At(i % n + 0.5 - 0.5 * n, i / n + 0.5 - 0.5 * n, 0.2)));
  }
  Decompose(state, Tree(Operation::kDifference, operands));
}
BENCHMARK(Holes)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);

void Tiles(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<ShapePtr> tiles;
  for (int i = 0; i < n * n; ++i) tiles.push_back(Leaf(Box{{1, 1, 1}}, At(i % n, i / n, 0)));
  Decompose(state, Tree(Operation::kUnion, tiles));
}
BENCHMARK(Tiles)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace intervox::geometry
