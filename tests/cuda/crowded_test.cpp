// Pairs with more surfaces than the engine holds at once.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Random;

Cell CellOf(const geometry::Primitive& primitive) {
  geometry::Shape shape;
  shape.primitive = primitive;
  return geometry::ToCells(shape).front();
}

TEST(Crowded, MoreFacesThanAPairHolds) {
  // A ball in a hull of 60 planes, each of which takes off a small cap of it; closed forms for all.
  const double pi = std::acos(-1.0), d = 0.99, h = 1 - d, cap = pi * h * h * (3 - h) / 3;
  const double cap_z = 0.75 * (2 - h) * (2 - h) / (3 - h);  // of a cap's centroid along its axis
  geometry::HalfSpaces hull;
  Vec3 sum;
  const int faces = 60;
  for (int k = 0; k < faces; ++k) {  // directions on a spiral, 20° and more apart
    const double z = 1 - (2 * k + 1.0) / faces, turn = k * pi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    const Vec3 n{r * std::cos(turn), r * std::sin(turn), z};
    hull.half_spaces.push_back({n, d});
    sum += n;
  }
  const Cell a = CellOf(geometry::Sphere{1}), b = CellOf(hull);
  ASSERT_GT(b.surfaces.size(), 48u);
  const double volume = 4 * pi / 3 - faces * cap;
  Random random(5);
  for (const bool swapped : {false, true}) {
    for (const double scale : {0.0, 1.0, 100.0}) {
      const Pose X = random.RandomPose(scale);
      const PairQuery query{swapped ? &b : &a, swapped ? &a : &b, X, X, 1e-5};
      const InterferenceMetrics m = ComputeMetrics(query);
      EXPECT_EQ(m.status, Status::kOk);
      EXPECT_NEAR(m.volume, volume, 1e-5 * volume);
      EXPECT_NEAR(Norm(m.p_WC - (X.p - X.R * (cap * cap_z / volume * sum))), 0, 1e-6);
      const Vec3 discs = (swapped ? -1 : 1) * pi * (1 - d * d) * (X.R * sum);
      EXPECT_NEAR(Norm(m.area_vector - discs), 0, 1e-4);
    }
  }
}

}  // namespace
}  // namespace intervox
