// CSG to disjoint cells. Sponge: a cube minus n balls, one in each cube of a grid. Holes: a plate
// with n blind holes. Tiles: a union of n boxes that touch. Columns: the cells that come out, the
// cuts (pieces compared with an operand whose box they meet), the emptiness searches, and err: the
// relative error of the cells' volumes together, at 1e-9 each, against the formula. Times include
// the neighbours.
#include <cmath>
#include <numbers>

#include "bench/instructions.h"
#include "cuda/moments/mass_properties.h"
#include "geometry/decompose.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::geometry {
namespace {

void Decompose(benchmark::State& state, const ShapePtr& shape, double volume) {
  Effort effort;
  std::vector<Cell> cells;
  bench::TimedLoop(state, [&] {
    effort = {};
    cells = ToCells(*shape, &effort);
  });
  state.counters["cells"] = static_cast<double>(cells.size());
  state.counters["err"] = std::fabs(ComputeMassProperties(cells, 1.0).volume / volume - 1);
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
  const double balls = 4.0 / 3 * std::numbers::pi * 0.3 * 0.3 * 0.3;
  Decompose(state, Tree(Operation::kDifference, operands), 1 - balls);
}
BENCHMARK(Sponge)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond)->Iterations(3);

void Holes(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<ShapePtr> operands{Leaf(Box{{1.0 * n, 1.0 * n, 1}})};
  for (int i = 0; i < n * n; ++i) {
    operands.push_back(
        Leaf(Cylinder{0.3, 1}, At(i % n + 0.5 - 0.5 * n, i / n + 0.5 - 0.5 * n, 0.2)));
  }
  const double hole = std::numbers::pi * 0.3 * 0.3 * 0.8;
  Decompose(state, Tree(Operation::kDifference, operands), n * n * (1 - hole));
}
BENCHMARK(Holes)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(3);

void Tiles(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<ShapePtr> tiles;
  for (int i = 0; i < n * n; ++i) tiles.push_back(Leaf(Box{{1, 1, 1}}, At(i % n, i / n, 0)));
  Decompose(state, Tree(Operation::kUnion, tiles), n * n);
}
BENCHMARK(Tiles)->Arg(5)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace intervox::geometry
