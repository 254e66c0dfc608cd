// Properties of whole solids, which may be many cells: those that invariants_test.cpp leaves out
// against all families, and parts in the seats they were made for. The names that start with Slow
// run thousands of poses.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cuda/families.h"
#include "tests/cuda/path.h"
#include "tests/samples.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Random;
using testing::Solid;

constexpr double kTolerance = 1e-3;

// Two posed solids. `scale` is the distance [m] over which their overlap changes.
struct Draw {
  const Solid* a = nullptr;
  const Solid* b = nullptr;
  Pose X_WA, X_WB;
  double scale = 0.1;

  std::string Name() const { return a->name + ", " + b->name; }
};

const std::vector<Solid>& More() {
  static const std::vector<Solid> solids = testing::MoreSolids();
  return solids;
}

// Every solid; those of More() first.
const std::vector<Solid>& All() {
  static const std::vector<Solid> solids = [] {
    std::vector<Solid> out = More();
    for (const testing::Family& family : testing::AllFamilies()) {
      out.push_back(testing::SolidOf(family));
    }
    return out;
  }();
  return solids;
}

const std::vector<testing::Fit>& Fits() {
  static const std::vector<testing::Fit> fits = testing::Fits();
  return fits;
}

// Each solid of More() `count` times, against one of all at random, two half-spaces excepted; a
// torus, a hundred times dearer than the rest, takes every eighth turn only.
template <class F>
void ForSolids(int count, unsigned seed, F&& f) {
  Random random(seed);
  for (const Solid& a : More()) {
    for (int i = 0; i < count; ++i) {
      std::size_t k = 0;
      do {
        k = static_cast<std::size_t>(random.Uniform(0, static_cast<double>(All().size())));
      } while ((All()[k].name == "torus" && random.Uniform(0, 8) > 1) ||
               !(a.cells[0].bounded || All()[k].cells[0].bounded));
      Draw draw{&a, &All()[k], random.RandomPose(0.4), random.RandomPose(0.4)};
      if (i % 2 == 1) std::swap(draw.a, draw.b);
      f(draw, &random);
    }
  }
}

// Each fit `count` times, anywhere, off its seat by up to 1e-4 … 1e-2 m and as much of an angle.
template <class F>
void ForFits(int count, unsigned seed, F&& f) {
  Random random(seed);
  for (const testing::Fit& fit : Fits()) {
    for (int i = 0; i < count; ++i) {
      Draw draw{&fit.part, &fit.seat, {}, random.RandomPose(1)};
      draw.scale = random.LogUniform(1e-4, 1e-2);
      const Vec3 turn = random.Uniform(0, 5 * draw.scale) * random.Direction();
      draw.X_WA = draw.X_WB * Pose{testing::Turned(turn, {}), random.Vector(draw.scale)};
      if (i % 2 == 1) {
        std::swap(draw.a, draw.b);
        std::swap(draw.X_WA, draw.X_WB);
      }
      f(draw, &random);
    }
  }
}

// Calls f(query) for each pair of cells.
template <class F>
void ForCells(const std::vector<Cell>& a, const std::vector<Cell>& b, const Draw& draw,
              double tolerance, F&& f) {
  for (const Cell& cell_a : a) {
    for (const Cell& cell_b : b) {
      PairQuery q{&cell_a, &cell_b, draw.X_WA, draw.X_WB};
      q.tolerance = tolerance;
      f(q);
    }
  }
}

template <class F>
void ForCells(const Draw& draw, double tolerance, F&& f) {
  ForCells(draw.a->cells, draw.b->cells, draw, tolerance, f);
}

void CheckSwap(const Draw& draw) {
  ForCells(draw, kTolerance, [&](PairQuery q) {
    const InterferenceMetrics m = ComputeMetrics(q);
    std::swap(q.a, q.b);
    std::swap(q.X_WA, q.X_WB);
    const InterferenceMetrics w = ComputeMetrics(q);
    EXPECT_EQ(m.volume, w.volume) << draw.Name();
    EXPECT_EQ(m.p_WC, w.p_WC) << draw.Name();
    EXPECT_TRUE(m.J_W.row0 == w.J_W.row0 && m.J_W.row1 == w.J_W.row1 && m.J_W.row2 == w.J_W.row2)
        << draw.Name();
    EXPECT_EQ(m.area_vector, -w.area_vector) << draw.Name();
    EXPECT_EQ(m.area_moment, -w.area_moment) << draw.Name();
    EXPECT_EQ(m.status, w.status) << draw.Name();
    EXPECT_EQ(m.volume_error, w.volume_error) << draw.Name();
  });
}

// Every axis on an axis and every coordinate a multiple of 0.05 m, the unit of most sizes: faces
// coincide, edges lie in faces, axes coincide.
Pose LatticePose(Random* random) {
  const int z = static_cast<int>(random->Uniform(0, 3));
  const double side = random->Uniform(-1, 1) < 0 ? -1 : 1;
  Vec3 first, third;
  third[z] = random->Uniform(-1, 1) < 0 ? -1 : 1;
  first[(z + 1 + static_cast<int>(random->Uniform(0, 2))) % 3] = side;
  Vec3 p;
  for (int i = 0; i < 3; ++i) p[i] = 0.05 * std::round(random->Uniform(-6, 6));
  return {Mat3::FromColumns(first, Cross(third, first), third), p};
}

void CheckLatticeSwap(Draw draw, Random* random) {
  draw.X_WA = LatticePose(random);
  draw.X_WB = LatticePose(random);
  CheckSwap(draw);
}

void CheckMotion(const Draw& draw, Random* random) {
  const Pose X = random->RandomPose(5);
  ForCells(draw, kTolerance, [&](PairQuery q) {
    const InterferenceMetrics m = ComputeMetrics(q);
    q.X_WA = X * q.X_WA;
    q.X_WB = X * q.X_WB;
    const InterferenceMetrics w = ComputeMetrics(q);
    const double e = 2 * kTolerance, V = m.volume;
    // A sliver may miss its tolerance in one frame and meet it in another.
    EXPECT_TRUE(m.status == w.status || V + w.volume < 1e-12) << draw.Name() << " V " << V;
    ASSERT_NEAR(V, w.volume, e * V + 1e-14) << draw.Name();
    if (!(V > 1e-9)) return;
    const double r = std::sqrt(0.5 * Trace(m.J_W) / V);
    EXPECT_LE(Norm(X * m.p_WC - w.p_WC), e * r + 1e-13) << draw.Name();
    const Mat3 J = X.R * m.J_W * Transpose(X.R) - w.J_W;
    EXPECT_LE(Norm(J.row0) + Norm(J.row1) + Norm(J.row2), 15 * e * Trace(m.J_W)) << draw.Name();
    const double area = std::pow(V, 2.0 / 3) + Norm(m.area_vector);
    EXPECT_LE(Norm(X.R * m.area_vector - w.area_vector), 50 * e * area) << draw.Name();
  });
}

void CheckComplement(Draw draw) {
  if (!draw.a->cells[0].bounded) {  // V(A) must be finite
    std::swap(draw.a, draw.b);
    std::swap(draw.X_WA, draw.X_WB);
  }
  const double span = 9;
  const Cell box = testing::BoxCell({span, span, span});
  double V = 0, sum = 0;
  ForCells(draw.a->cells, {box}, draw, kTolerance,
           [&](const PairQuery& q) { V += ComputeMetrics(q).volume; });
  const auto add = [&](const PairQuery& q) {
    const InterferenceMetrics m = ComputeMetrics(q);
    sum += m.volume;
    // A sliver may miss its own relative tolerance without weight in the sum.
    EXPECT_TRUE(m.status == Status::kOk || m.status == Status::kDisjoint ||
                m.volume_error < 1e-9 * V)
        << draw.Name() << " error " << m.volume_error / V;
  };
  ForCells(draw, kTolerance, add);
  ForCells(draw.a->cells, draw.b->outside, draw, kTolerance, add);
  EXPECT_NEAR(sum, V, 2 * kTolerance * V) << draw.Name();
}

// Sums over the pairs of cells; the moment of the areas about a point.
struct Sum {
  double volume = 0;
  Vec3 area_vector, moment;
  bool ok = true;
};

Sum SumOf(const Draw& draw, double tolerance, const Vec3& p_W) {
  Sum sum;
  ForCells(draw, tolerance, [&](const PairQuery& q) {
    const InterferenceMetrics m = ComputeMetrics(q);
    sum.ok = sum.ok && (m.status == Status::kOk || m.status == Status::kDisjoint);
    sum.volume += m.volume;
    sum.area_vector += m.area_vector;
    sum.moment += m.area_moment + Cross(m.p_WC - p_W, m.area_vector);
  });
  return sum;
}

// dV/ds by central differences of fourth order over h, A moving along e or turning about its
// origin.
double SlopeOfV(const Draw& draw, double tolerance, const Vec3& e, bool turns, double h) {
  double V[4];  // at −h, h, −2h, 2h
  for (int i = 0; i < 4; ++i) {
    Draw moved = draw;
    const Vec3 d = (i % 2 == 1 ? h : -h) * (i < 2 ? 1 : 2) * e;
    if (turns) {
      moved.X_WA.R = testing::Turned(d, draw.X_WA.R);
    } else {
      moved.X_WA.p += d;
    }
    V[i] = SumOf(moved, tolerance, draw.X_WA.p).volume;
  }
  return (8 * (V[1] - V[0]) - (V[3] - V[2])) / (12 * h);
}

// S and G are minus the gradient of V, along and about a random direction: by differences over
// `step` times the scale, at a tolerance that resolves them. Overlaps below scale × `area` are too
// thin for the step; where it meets a kink of V, a smaller one does not.
void CheckGradient(const Draw& draw, Random* random, double tolerance, double step, double area) {
  const Sum m = SumOf(draw, tolerance, draw.X_WA.p);
  if (!m.ok || m.volume < area * draw.scale) return;
  const double size = Norm(m.area_vector) + std::pow(m.volume, 2.0 / 3);
  for (const bool turns : {false, true}) {
    const Vec3 e = random->Direction();
    const double expected = -Dot(turns ? m.moment : m.area_vector, e);
    double slope = SlopeOfV(draw, tolerance, e, turns, step * draw.scale);
    if (std::fabs(slope - expected) > 4e-3 * size) {
      slope = SlopeOfV(draw, 0.03 * tolerance, e, turns, 0.1 * step * draw.scale);
    }
    EXPECT_NEAR(slope, expected, 4e-3 * size)
        << draw.Name() << (turns ? " about " : " along ") << e.x << " " << e.y << " " << e.z
        << " V " << m.volume << " scale " << draw.scale;
  }
}

// Along a straight path V follows its own gradient: no jump above a tenth of the tolerance.
void CheckPath(Draw draw, Random* random, int poses) {
  const Vec3 start = draw.X_WA.p, direction = random->Direction();
  const double step = 1e-3 * draw.scale;
  std::vector<testing::PathPose> path;
  for (int i = 0; i < poses; ++i) {
    draw.X_WA.p = start + (i * step) * direction;
    const Sum sum = SumOf(draw, kTolerance, start);
    path.push_back({sum.volume, -Dot(sum.area_vector, direction)});
  }
  EXPECT_LE(testing::LargestJump(path, step), 0.1 * kTolerance)
      << draw.Name() << " scale " << draw.scale;
}

void Swaps(int count) {
  const auto check = [](const Draw& draw, Random* random) {
    CheckSwap(draw);
    CheckLatticeSwap(draw, random);
  };
  ForSolids(count, 1, check);
  ForFits(count, 2, check);
}

void Motions(int count) {
  const auto check = [](const Draw& draw, Random* random) { CheckMotion(draw, random); };
  ForSolids(count, 3, check);
  ForFits(count, 4, check);
}

void Complements(int count) {
  const auto check = [](const Draw& draw, Random*) { CheckComplement(draw); };
  ForSolids(count, 5, check);
  ForFits(count, 6, check);
}

void Gradients(int count) {
  ForSolids(count, 7, [](const Draw& draw, Random* random) {
    CheckGradient(draw, random, 3e-5, 0.02, 1e-3);
  });
  ForFits(count, 8,
          [](const Draw& draw, Random* random) { CheckGradient(draw, random, 1e-5, 0.01, 1e-3); });
}

void Paths(int count, int poses) {
  const auto check = [&](const Draw& draw, Random* random) { CheckPath(draw, random, poses); };
  ForSolids(count, 9, check);
  ForFits(count, 10, check);
}

TEST(SolidInvariants, SwapNegatesToTheBit) { Swaps(20); }
TEST(SolidInvariants, RigidMotion) { Motions(20); }
TEST(SolidInvariants, InsideAndOutsideMakeTheWhole) { Complements(5); }
TEST(SolidInvariants, AreaVectorAndMomentAreTheGradient) { Gradients(4); }
TEST(SolidInvariants, PathsHaveNoJumps) { Paths(2, 20); }

TEST(SlowSolidInvariants, SwapNegatesToTheBit) { Swaps(intervox::testing::Samples(150)); }
TEST(SlowSolidInvariants, RigidMotion) { Motions(intervox::testing::Samples(150)); }
TEST(SlowSolidInvariants, InsideAndOutsideMakeTheWhole) {
  Complements(intervox::testing::Samples(150));
}
TEST(SlowSolidInvariants, AreaVectorAndMomentAreTheGradient) {
  Gradients(intervox::testing::Samples(75));
}
TEST(SlowSolidInvariants, PathsHaveNoJumps) { Paths(intervox::testing::Samples(2), 500); }

}  // namespace
}  // namespace intervox
