// Whether two solids overlap, against how much: TestOverlap and MeasurePair on the same poses, one
// core. Argument: 0 asks whether, 3 and 6 ask for V to that many digits. Each line is the mean over
// all poses, each as often as the others; instr: user instructions of a call; overlap_%: the share
// that overlaps; engine_%: the share in which TestOverlap had to ask the engine.
#include "bench/instructions.h"
#include "host/distance/overlaps.h"
#include "host/scene/shape_metrics.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::Random;
using Cells = std::vector<geometry::Cell>;

constexpr int kPoses = 200;
constexpr int kRounds = 20;

struct Query {
  const Cells* a;
  const Cells* b;
  Pose X_WA, X_WB;
};

void RunQueries(benchmark::State& state, const std::vector<Query>& queries) {
  const auto digits = static_cast<double>(state.range(0));
  const Engine engine({Device::kSerial, 1, 0});
  const host::MeasureOptions options{std::pow(10.0, -digits), 0.0, LeafRule::kAuto};
  // Before the loop, so that no first call of a library's function is counted in it.
  double overlaps = 0, asked = 0;
  for (const Query& q : queries) {
    const host::OverlapTest test = host::TestOverlap(*q.a, *q.b, q.X_WA, q.X_WB);
    overlaps += test.overlaps ? 1 : 0;
    asked += test.proof == host::OverlapProof::kVolume ? 1 : 0;
  }
  std::size_t next = 0;
  bench::TimedLoop(state, [&] {
    const Query& q = queries[next];
    next = next + 1 < queries.size() ? next + 1 : 0;
    if (digits == 0) {
      benchmark::DoNotOptimize(host::TestOverlap(*q.a, *q.b, q.X_WA, q.X_WB));
    } else {
      benchmark::DoNotOptimize(host::MeasurePair(engine, *q.a, *q.b, q.X_WA, q.X_WB, options));
    }
  });
  const auto count = static_cast<double>(queries.size());
  state.counters["overlap_%"] = 100 * overlaps / count;
  state.counters["engine_%"] = 100 * asked / count;
}

/** Poses about half of which overlap. */
void RunPair(benchmark::State& state, const Cells& a, const Cells& b, double reach) {
  Random random(1);
  std::vector<Query> queries;
  for (int k = 0; k < kPoses; ++k) {
    queries.push_back({&a, &b, random.RandomPose(reach), random.RandomPose(reach)});
  }
  RunQueries(state, queries);
}

void BoxBox(benchmark::State& state) {
  RunPair(state, {testing::BoxCell({1, 0.8, 0.6})}, {testing::BoxCell({0.7, 0.9, 0.5})}, 0.6);
}
void Ellipsoids(benchmark::State& state) {
  RunPair(state, testing::CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}}),
          testing::CellsOf(geometry::Ellipsoid{{0.35, 0.5, 0.25}}), 0.6);
}
void CylinderBox(benchmark::State& state) {
  RunPair(state, testing::CellsOf(geometry::Cylinder{0.3, 0.8}),
          {testing::BoxCell({0.7, 0.9, 0.5})}, 0.6);
}
void Cones(benchmark::State& state) {
  const Cells cone = testing::CellsOf(geometry::Cone{0.4, 0.1, 0.7});
  RunPair(state, cone, cone, 0.5);
}
void Hulls(benchmark::State& state) {
  Random random(2);
  const Cells hull{random.Hull(40, 0.5)};
  RunPair(state, hull, hull, 0.6);
}
void HoledBoxCapsule(benchmark::State& state) {
  RunPair(state, testing::HoledBoxCells({1, 1, 0.5}, 0.25),
          testing::CellsOf(geometry::Capsule{0.2, 0.4}), 0.6);
}
void TorusCylinder(benchmark::State& state) {
  RunPair(state, testing::CellsOf(geometry::Torus{0.4, 0.15}),
          testing::CellsOf(geometry::Cylinder{0.3, 0.8}), 0.6);
}

// A peg in a hole 10 µm wider, tilted: some bear at two places, others hang free.
void PegInHole(benchmark::State& state) {
  const Cells peg = testing::CellsOf(geometry::Cylinder{0.00999, 0.06});
  const Cells block = testing::HoledBoxCells({0.06, 0.06, 0.04}, 0.01);
  Random random(5);
  std::vector<Query> queries;
  for (int k = 0; k < kPoses; ++k) {
    const Pose X = random.RandomPose(0.1);
    const Vec3 tilt{random.Uniform(-1e-3, 1e-3), random.Uniform(-1e-3, 1e-3), 0};
    const Vec3 p{random.Uniform(-1e-5, 1e-5), random.Uniform(-1e-5, 1e-5), 0.005};
    queries.push_back({&peg, &block, X * Pose{testing::Turned(tilt, {}), p}, X});
  }
  RunQueries(state, queries);
}

/** What share of the smaller solid a pose is to have in common with the other one. */
enum class Depth { kApart, kShallow, kDeep };

/** Poses at which the solids are apart, share less than a hundredth of the smaller one, or more
 than a tenth. */
void AtDepth(benchmark::State& state, Cells (*shape_a)(), Cells (*shape_b)(), Depth depth) {
  const Cells a = shape_a(), b = shape_b();
  Random random(7);
  const Engine engine({Device::kSerial, 1, 0});
  const host::MeasureOptions options{1e-3, 0.0, LeafRule::kAuto};
  double whole = HUGE_VAL;
  for (const Cells* solid : {&a, &b}) {
    const auto m = host::MeasureSolid(engine, *solid, options).sum;
    if (m.status == Status::kOk) whole = std::min(whole, m.volume);
  }
  std::vector<Query> queries;
  while (queries.size() < kPoses) {
    const Pose X_WA = random.RandomPose(0.5), X_WB = random.RandomPose(0.5);
    const auto m = host::MeasurePair(engine, a, b, X_WA, X_WB, options).sum;
    const double share = m.volume / whole;
    const bool taken = depth == Depth::kApart     ? share == 0
                       : depth == Depth::kShallow ? share > 0 && share < 0.01
                                                  : share > 0.1;
    if (taken) queries.push_back({&a, &b, X_WA, X_WB});
  }
  RunQueries(state, queries);
}

void AllFamilies(benchmark::State& state) {
  std::vector<Cells> solids;
  for (const testing::Family& family : testing::AllFamilies()) solids.push_back({family.cell});
  Random random(6);
  std::vector<Query> queries;
  for (std::size_t i = 0; i < 98; ++i) {
    queries.push_back(
        {&solids[i % 7], &solids[i / 7 % 7], random.RandomPose(0.5), random.RandomPose(0.5)});
  }
  RunQueries(state, queries);
}

#define INTERVOX_QUERIES(name, rounds) \
  BENCHMARK(name)->Arg(0)->Arg(3)->Arg(6)->Unit(benchmark::kMicrosecond)->Iterations(rounds)
INTERVOX_QUERIES(BoxBox, kRounds* kPoses);
INTERVOX_QUERIES(Ellipsoids, kRounds* kPoses);
INTERVOX_QUERIES(CylinderBox, kRounds* kPoses);
INTERVOX_QUERIES(Cones, kRounds* kPoses);
INTERVOX_QUERIES(Hulls, kRounds* kPoses);
INTERVOX_QUERIES(HoledBoxCapsule, kRounds* kPoses);
INTERVOX_QUERIES(PegInHole, kRounds* kPoses);
INTERVOX_QUERIES(TorusCylinder, kPoses);
INTERVOX_QUERIES(AllFamilies, 98);

Cells ABox() { return {testing::BoxCell({0.5, 0.6, 0.7})}; }
Cells AHull() { return {Random(2).Hull(40, 0.5)}; }
Cells AnEllipsoid() { return testing::CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}}); }
Cells ACylinder() { return testing::CellsOf(geometry::Cylinder{0.3, 0.8}); }
Cells ACone() { return testing::CellsOf(geometry::Cone{0.4, 0.0, 0.7}); }
Cells ABall() { return testing::CellsOf(geometry::Sphere{0.3}); }
Cells AHalfSpace() { return {testing::HalfSpaceCell({0, 0, 1}, 0.05)}; }
Cells ATorus() { return testing::CellsOf(geometry::Torus{0.4, 0.15}); }
Cells AHoledBox() { return testing::HoledBoxCells({1, 1, 0.5}, 0.25); }

#define INTERVOX_DEPTH(name, a, b, depth, rounds) \
  BENCHMARK_CAPTURE(AtDepth, name, a, b, depth)   \
      ->Arg(0)                                    \
      ->Arg(3)                                    \
      ->Unit(benchmark::kMicrosecond)             \
      ->Iterations(rounds)
#define INTERVOX_DEPTHS(name, a, b, rounds)                      \
  INTERVOX_DEPTH(name##_apart, a, b, Depth::kApart, rounds);     \
  INTERVOX_DEPTH(name##_shallow, a, b, Depth::kShallow, rounds); \
  INTERVOX_DEPTH(name##_deep, a, b, Depth::kDeep, rounds)
INTERVOX_DEPTHS(box_box, ABox, ABox, kPoses);
INTERVOX_DEPTHS(hull_hull, AHull, AHull, kPoses);
INTERVOX_DEPTHS(cylinder_box, ACylinder, ABox, kPoses);
INTERVOX_DEPTHS(cone_box, ACone, ABox, kPoses);
INTERVOX_DEPTHS(ellipsoid_ellipsoid, AnEllipsoid, AnEllipsoid, kPoses);
INTERVOX_DEPTHS(cylinder_cylinder, ACylinder, ACylinder, kPoses);
INTERVOX_DEPTHS(cylinder_holed_box, ACylinder, AHoledBox, kPoses);
INTERVOX_DEPTHS(torus_box, ATorus, ABox, kPoses);
INTERVOX_DEPTHS(ball_ball, ABall, ABall, kPoses);
INTERVOX_DEPTHS(torus_half_space, ATorus, AHalfSpace, kPoses);

}  // namespace
}  // namespace intervox
