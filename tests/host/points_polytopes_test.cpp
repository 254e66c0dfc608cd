// Convex polytopes that pass through each other in points: the energy of their contact is a
// continuous function of the pose, whichever points it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/solid.h"
#include "host/contact/points/points.h"
#include "host/contact/points/shared_faces.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Box;
using geometry::Cell;
using geometry::Leaf;
using geometry::Random;
using geometry::ToCells;

Cell Hull(int seed, int count, double radius) {
  Random random(static_cast<unsigned>(seed));
  geometry::Convex hull;
  for (int k = 0; k < count; ++k) {
    hull.vertices.push_back(random.Uniform(0.7, 1.0) * radius * random.Direction());
  }
  return ToCells(*Leaf(hull))[0];
}

Cell BoxOf(const Vec3& size) { return ToCells(*Leaf(Box{size}))[0]; }

Mat3 Turn(const Vec3& turn) {
  const double angle = Norm(turn), s = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.0;
  return ToRotation(Quaternion{std::cos(0.5 * angle), s * turn.x, s * turn.y, s * turn.z});
}

/** Two polytopes, B at the origin, and a path of A beside it with a depth that it begins with. */
struct Path {
  Cell a, b;
  Mat3 R;
  Vec3 start, v, w;
  double depth = 0.0;

  Pose At(double t) const { return {Turn(t * w) * R, start + t * v}; }
  std::vector<PointContact> PointsAt(double t) const {
    std::vector<PointContact> out;
    FindPoints({&a, &b, At(t), {}, 1e-9}, &out);
    return out;
  }
  double EnergyAt(double t) const { return EnergyOf(PointsAt(t), kHertzPower); }
};

double Deepest(const std::vector<PointContact>& points) {
  double x = 0.0;
  for (const PointContact& point : points) x = std::min(x, point.x);
  return -x;
}

Path RandomPath(int trial, double depth, Random* random) {
  const int kind = trial % 4;
  Path path{kind == 0   ? BoxOf({0.5, 0.7, 0.9})
            : kind == 1 ? Hull(trial, 6, 0.5)
                        : Hull(trial, 14, 0.5),
            kind < 2    ? BoxOf({1, 0.4, 0.6})
            : kind == 2 ? Hull(trial + 1000, 18, 0.5)
                        : Hull(trial + 1000, 7, 0.6),
            random->Rotation(),
            {},
            {},
            {},
            depth};
  const Vec3 direction = random->Direction();
  double in = 0.0, out = 4.0;
  for (int k = 0; k < 50; ++k) {
    path.start = 0.5 * (in + out) * direction;
    (path.PointsAt(0.0).empty() ? out : in) = 0.5 * (in + out);
  }
  for (double s = in; s > 0.0 && Deepest(path.PointsAt(0.0)) < depth; s -= 0.1 * depth) {
    path.start = s * direction;
  }
  const Vec3 v = random->Direction();
  path.v = v - Dot(v, direction) * direction;
  path.w = 2.0 * random->Direction();
  return path;
}

struct Jumps {
  double length = 0.0;
  double sum = 0.0;   ///< in energies of one point at the path's depth
  double most = 0.0;  ///< share of the energy
};

/** Walks a path as long as it is not three times as deep, and bisects where the energy changes. */
void Walk(const Path& path, Jumps* jumps) {
  constexpr double kStep = 1e-3;
  const double one = PowerOf(path.depth, kHertzPower);
  double before = path.EnergyAt(0.0);
  for (double t = 0.0; t < 0.3; t += kStep) {
    const auto points = path.PointsAt(t + kStep);
    const double now = EnergyOf(points, kHertzPower);
    if (points.empty() || Deepest(points) > 3 * path.depth) return;
    double low = t, high = t + kStep, U_low = before, U_high = now;
    if (std::fabs(now - before) > 0.02 * std::max(now, before)) {
      for (int k = 0; k < 34; ++k) {
        const double middle = 0.5 * (low + high), U = path.EnergyAt(middle);
        const bool later = std::fabs(U - U_low) < std::fabs(U_high - U);
        (later ? low : high) = middle;
        (later ? U_low : U_high) = U;
      }
      jumps->sum += std::fabs(U_high - U_low) / one;
      jumps->most = std::max(jumps->most, std::fabs(U_high - U_low) / std::max(U_high, U_low));
    }
    jumps->length += kStep;
    before = now;
  }
}

// By least depth alone, with all corners of a face as soon as one is nearly as near as an edge, the
// energy would jump by ten times that of a point on a length of 1.
TEST(PolytopesInPoints, TheEnergyOfTheirContactDoesNotJump) {
  Random random(5);
  for (const double depth : {0.1, 0.03, 0.01}) {
    Jumps jumps;
    for (int trial = 0; trial < 60; ++trial) Walk(RandomPath(trial, depth, &random), &jumps);
    EXPECT_GT(jumps.length, 2.0) << depth;
    EXPECT_LT(jumps.sum, 0.1 * jumps.length) << depth;
    EXPECT_LT(jumps.most, 0.25) << depth;
  }
}

// Between a vertex on a face, an edge on a face and two faces the energy grows from that of one
// point to those of two and of four, and a rim takes over what passes it.
TEST(PolytopesInPoints, AWholeFaceIsAsStiffAsItsCorners) {
  const Cell table = BoxOf({1, 1, 0.2}), brick = BoxOf({0.2, 0.1, 0.05});
  constexpr double kDepth = 1e-4;
  const double one = PowerOf(kDepth, kHertzPower);
  const auto energy = [&](const Vec3& turn, const Vec3& at) {
    const Mat3 R = Turn(turn);
    // The lowest corner of the brick is at the depth.
    double low = 0.0;
    for (const double x : {-0.1, 0.1}) {
      for (const double y : {-0.05, 0.05}) {
        for (const double z : {-0.025, 0.025}) low = std::min(low, (R * Vec3{x, y, z}).z);
      }
    }
    std::vector<PointContact> out;
    FindPoints({&brick, &table, {R, at + Vec3{0, 0, 0.1 - low - kDepth}}, {}, 1e-9}, &out);
    return EnergyOf(out, kHertzPower) / one;
  };
  EXPECT_NEAR(energy({}, {}), 4.0, 1e-9);
  EXPECT_NEAR(energy({0.6, 0, 0}, {}), 2.0, 1e-9);
  EXPECT_NEAR(energy({0.6, 0.5, 0}, {}), 1.0, 1e-9);
  // Half over the rim: of the brick's sides one is whole, two are halves, and of the rim there is
  // its width over its diagonal.
  EXPECT_NEAR(energy({}, {0.5, 0, 0}), 1.0 + 0.5 + 0.5 + 0.1 / std::hypot(0.2, 0.1), 1e-4);
  EXPECT_NEAR(energy({0, 0.6, 0}, {0, 0.5, 0}), 2 * 0.5, 1e-4);
}

}  // namespace
}  // namespace intervox::host::points
