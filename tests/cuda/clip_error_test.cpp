// What the clip rule states of its error, held against the exact rules.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/rules/clip/error.h"
#include "tests/cuda/families.h"
#include "tests/samples.h"

namespace intervox {
namespace {

using testing::Random;
using testing::Solid;

const std::vector<Solid>& Solids() {
  static const std::vector<Solid> solids = [] {
    std::vector<Solid> out = testing::MoreSolids();
    for (const testing::Family& family : testing::AllFamilies()) {
      out.push_back(testing::SolidOf(family));
    }
    return out;
  }();
  return solids;
}

// By the first exact rule that takes the pair, to 1e-8; false when none does.
bool Exact(PairQuery q, InterferenceMetrics* m) {
  q.tolerance = 1e-8;
  for (const LeafRule rule : {LeafRule::kPolytope, LeafRule::kPolar, LeafRule::kFlux}) {
    q.rule = rule;
    *m = ComputeMetrics(q);
    if (m->status == Status::kOk) return m->volume_error <= 1e-7 * m->volume;
  }
  return false;
}

// Moves A along a random direction to where it just overlaps B, and back by 1e-4 … 0.1 m.
void PushApart(Random* random, PairQuery* q) {
  const Vec3 direction = random->Direction();
  const Pose X_WA = q->X_WA;
  double overlap = 0, free = 2;
  q->tolerance = 1e-2;
  for (int i = 0; i < 12; ++i) {
    const double middle = 0.5 * (overlap + free);
    q->X_WA.p = X_WA.p + middle * direction;
    (ComputeMetrics(*q).volume > 0 ? overlap : free) = middle;
  }
  q->X_WA.p = X_WA.p + (overlap - random->LogUniform(1e-4, 0.1)) * direction;
}

// A third each: parts near their seats, any two solids anywhere, any two that overlap a little.
// Calls f(query, exact metrics, names) where an exact rule knows the answer.
template <class F>
void ForKnownPairs(int count, unsigned seed, F&& f) {
  static const std::vector<testing::Fit> fits = testing::Fits();
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const testing::Fit& fit = fits[i / 3 % 3];
    const auto any = [&] {
      return &Solids()[static_cast<std::size_t>(
          random.Uniform(0, static_cast<double>(Solids().size())))];
    };
    const Solid* a = i % 3 == 0 ? &fit.part : any();
    const Solid* b = i % 3 == 0 ? &fit.seat : any();
    PairQuery q{&a->cells[0], &b->cells[0], random.RandomPose(0.4), random.RandomPose(0.4)};
    if (i % 3 == 0) {
      const double scale = random.LogUniform(1e-4, 0.1);
      const Vec3 turn = random.Uniform(0, 5 * scale) * random.Direction();
      q.X_WA = q.X_WB * Pose{testing::Turned(turn, {}), random.Vector(scale)};
    }
    if (i % 3 == 2) PushApart(&random, &q);
    for (const testing::Cell& cell_a : a->cells) {
      for (const testing::Cell& cell_b : b->cells) {
        q.a = &cell_a;
        q.b = &cell_b;
        InterferenceMetrics exact;
        if (Exact(q, &exact)) f(q, exact, a->name + ", " + b->name);
      }
    }
  }
}

void CheckErrors(int count, unsigned seed, double tolerance) {
  int known = 0;
  ForKnownPairs(count, seed, [&](PairQuery q, const InterferenceMetrics& exact, const auto& names) {
    q.tolerance = tolerance;
    q.rule = LeafRule::kClip;
    const InterferenceMetrics m = ComputeMetrics(q);
    const double error = std::fabs(m.volume - exact.volume);
    EXPECT_LE(error, m.volume_error + exact.volume_error + 1e-13 * exact.volume)
        << names << " V " << exact.volume;
    if (m.status == Status::kOk || m.status == Status::kDisjoint) {
      EXPECT_LE(error, tolerance * exact.volume + 1e-18) << names << " V " << exact.volume;
    }
    ++known;
  });
  EXPECT_GT(known, count / 3);
}

// One leaf of volume 2.16, of which a plane leaves a part that it knows, or does not.
TEST(ClipError, LeavesThatNoPlaneResolvesAreOpen) {
  const Vec3 c{0.2, -0.1, 0.3}, h{0.5, 0.6, 0.9};
  const auto doubt = [&](double sag, bool second, double apart) {
    cuda::internal::clip::HalfSpaceCut cut[2];
    cut[0] = {{0, 0, 2}, 0.6, 0, sag};
    cut[1] = {{0, 0, -2}, -0.6 + 2 * apart, 0, sag};  // `apart` beyond the first
    cuda::internal::clip::ClipSums sums;
    cuda::internal::clip::AddDoubt(cut, second ? 2 : 1, false, c, h, &sums);
    return std::pair(sums.open, sums.rough);
  };
  const double V = 8 * 0.5 * 0.6 * 0.9;
  // Across the leaf the surface rises by 2 · 0.9.
  for (const double sag : {1.8, 2.0, 100.0}) {
    EXPECT_NEAR(doubt(sag, false, 0).first, V, 1e-14) << sag;
    EXPECT_EQ(doubt(sag, false, 0).second, 0.0) << sag;
  }
  for (const double sag : {0.01, 0.9, 1.79}) {
    EXPECT_EQ(doubt(sag, false, 0).first, 0.0) << sag;
    EXPECT_NEAR(doubt(sag, false, 0).second, std::pow(0.5 * sag / 1.8 * V, 2), 1e-14) << sag;
  }
  // Two that are parallel, and nearer than four times what each bends, or not.
  EXPECT_GT(doubt(0.09, true, 0.17).first, 0.0);
  EXPECT_EQ(doubt(0.09, true, 0.19).first, 0.0);
}

TEST(ClipError, IsNeverAboveWhatIsStated) {
  CheckErrors(150, 1, 1e-2);
  CheckErrors(20, 2, 1e-3);
}

TEST(SlowClipError, IsNeverAboveWhatIsStated) {
  CheckErrors(intervox::testing::Samples(1000), 3, 1e-2);
  CheckErrors(intervox::testing::Samples(150), 4, 1e-3);
}

TEST(ClipError, NothingFoundIsNotNothingThere) {
  // With few cells the tangent planes of two tori may leave nothing between them.
  Random random(9);
  const testing::Cell torus = testing::AllFamilies().back().cell;
  int nothing = 0;
  for (int i = 0; i < 6000; ++i) {
    PairQuery q{&torus, &torus, random.RandomPose(0.5), {}};
    q.rule = LeafRule::kClip;
    q.voxel_size = 1;
    const InterferenceMetrics m = ComputeMetrics(q);
    if (m.volume > 0 || m.volume_error == 0) continue;
    ++nothing;
    q.rule = LeafRule::kAuto;
    const InterferenceMetrics exact = ComputeMetrics(q);
    EXPECT_EQ(m.status, Status::kToleranceNotMet);
    EXPECT_GE(m.volume_error, exact.volume);
    EXPECT_GE(m.volume_hi, exact.volume);
  }
  EXPECT_GT(nothing, 0);
}

TEST(ClipError, ManyPlanesShareACorner) {
  // 24 planes through the apex of a spike, which rounding moves in and out of each other, above a
  // plate that it enters upside down.
  constexpr int kSides = 24;
  constexpr double kSlope = 0.5, kDepth = 0.3;
  const double pi = std::acos(-1.0), turn = 2 * pi / kSides;
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Pose X = random.RandomPose(1);
    std::vector<geometry::Surface> sides;
    for (int k = 0; k < kSides; ++k) {
      const Vec3 n{std::cos(k * turn), std::sin(k * turn), -kSlope};
      sides.push_back(geometry::MakePlane(Normalized(n), 0));
    }
    sides.push_back(geometry::MakePlane({0, 0, 1}, 1));
    const testing::Cell spike = geometry::MakeCell(sides, "spike");
    const testing::Cell plate = testing::BoxCell({2, 2, 2 * kDepth});
    PairQuery q{&spike, &plate, X, X};
    q.rule = LeafRule::kClip;
    const InterferenceMetrics m = ComputeMetrics(q);
    // A pyramid over a regular polygon around a circle of radius kSlope kDepth.
    const double r = kSlope * kDepth;
    const double V = kSides * std::tan(0.5 * turn) * r * r * kDepth / 3;
    EXPECT_EQ(m.status, Status::kOk);
    EXPECT_NEAR(m.volume, V, 1e-13 * V + m.volume_error);
    EXPECT_LE(m.volume_error, 1e-10 * V);
  }
}

}  // namespace
}  // namespace intervox
