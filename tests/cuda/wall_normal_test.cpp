// The mean normal and moment of an overlap with a round wall, against sums over points of it.
#include "cuda/wall/wall_normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "geometry/hollows.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/shape.h"
#include "geometry/solid.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Cell;

constexpr double kPi = std::numbers::pi;

geometry::ShapePtr Leaf(geometry::Primitive primitive) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->primitive = std::move(primitive);
  return shape;
}

/** The quarters of a block, 40 mm wide and high, around a bore of the radius at z = 0 and slope. */
std::vector<Cell> Bore(double scale, double radius, double slope) {
  geometry::Shape block;
  block.operation = geometry::Operation::kDifference;
  geometry::Primitive bore = geometry::Cylinder{scale * radius, scale * 0.05};
  if (slope > 0) {
    bore = geometry::Cone{scale * (radius - 0.025 * slope), scale * (radius + 0.025 * slope),
                          scale * 0.05};
  }
  block.children = {Leaf(geometry::Box{scale * Vec3{0.04, 0.04, 0.04}}), Leaf(bore)};
  return geometry::SplitHollows(geometry::ToCells(block));
}

struct Sum {
  double volume = 0;
  Vec3 first, normal, moment;  // about the origin
};

/** Sums over the columns of the part beyond the wall, in the bore's frame. The part is convex. */
Sum SumOver(const Cell& sector, const Cell& part, const Pose& X_BA, double radius, double slope) {
  constexpr int kAround = 640, kAlong = 80, kHalvings = 20;
  const double steep = std::sqrt(1 + slope * slope);
  Sum sum;
  for (int i = 0; i < kAlong; ++i) {
    const double z = 0.04 * ((i + 0.5) / kAlong - 0.5), wall = radius + slope * z;
    for (int j = 0; j < kAround; ++j) {
      const double turn = 2 * kPi * (j + 0.5) / kAround;
      const Vec3 out{std::cos(turn), std::sin(turn), 0};
      const Vec3 n = (1 / steep) * (out - Vec3{0, 0, slope});
      const auto level = [&](double rho) {
        return geometry::Level(part, TransposeTimes(X_BA.R, rho * out + Vec3{0, 0, z} - X_BA.p));
      };
      double inside = wall, outside = 1.1 * wall;
      if (level(inside) > 0) continue;
      for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (inside + outside);
        (level(middle) > 0 ? outside : inside) = middle;
      }
      const Vec3 p = 0.5 * (wall + inside) * out + Vec3{0, 0, z};
      if (geometry::Level(sector, p) > 0) continue;
      const double volume = 0.5 * (wall + inside) * (inside - wall);
      sum.volume += volume;
      sum.first += volume * p;
      sum.normal += volume * n;
      sum.moment += volume * Cross(p, n);
    }
  }
  return sum;
}

struct Leaning {
  std::string name;
  geometry::Primitive part;
  double radius, slope;  // of the bore
  Pose X;                // of the part
};

std::vector<Leaning> Examples() {
  const Pose aside{Mat3::Identity(), {6e-5, 2e-5, 0}};
  const Pose tilted{testing::Turned({0.003, 0.004, 0}, {}), {3e-5, -2e-5, 0}};
  const double morse = 0.5 / 20.02;
  const auto pin = [](double slope) {
    return geometry::Cone{0.01 - 0.015 * slope, 0.01 + 0.015 * slope, 0.03};
  };
  return {{"pin pushed aside", geometry::Cylinder{0.01, 0.03}, 0.01, 0, aside},
          {"pin pressed in", geometry::Cylinder{0.0101, 0.03}, 0.01, 0, {}},
          {"pin tilted", geometry::Cylinder{0.01002, 0.03}, 0.01, 0, tilted},
          {"taper", pin(morse), 0.01, morse, {Mat3::Identity(), {0, 0, -0.002}}},
          {"taper aside", pin(morse), 0.01, morse, {Mat3::Identity(), {2e-5, 4e-5, -0.001}}},
          {"steep taper", pin(0.3), 0.01, 0.3, {Mat3::Identity(), {1e-5, 0, -1e-4}}}};
}

/** Compares a part's means on one quarter, at some size, with the sum at the size 1. */
void ExpectMeans(const PairQuery& query, const Sum& sum, const Mat3& R_WB, double size) {
  const Vec3 normal = (-1 / sum.volume) * sum.normal, center = (1 / sum.volume) * sum.first;
  const Vec3 moment = (-1 / sum.volume) * sum.moment - Cross(center, normal);
  const WallMean mean = MeanOnWall(query, ComputeMetrics(query));
  EXPECT_LT(Norm(mean.normal - R_WB * normal), 0.005);
  EXPECT_LT(Norm(mean.moment - size * (R_WB * moment)), 0.005 * size * 0.01);
  // From the other side, the same with the other sign.
  PairQuery swapped{query.b, query.a, query.X_WB, query.X_WA, query.tolerance};
  const WallMean back = MeanOnWall(swapped, ComputeMetrics(swapped));
  EXPECT_LT(Norm(back.normal + mean.normal), 1e-3);
  EXPECT_LT(Norm(back.moment + mean.moment), 1e-3 * size * 0.01);
}

Cell Scaled(geometry::Primitive primitive, double size) {
  geometry::Shape shape;
  shape.primitive = std::move(primitive);
  shape.scale = size;
  return geometry::ToCells(shape).front();
}

TEST(WallNormal, IsTheMeanOverThePointsOfTheOverlap) {
  testing::Random random(5);
  for (const Leaning& e : Examples()) {
    const Cell part = Scaled(e.part, 1);
    const std::vector<Cell> bore = Bore(1, e.radius, e.slope);
    int touched = 0;
    for (std::size_t k = 0; k < bore.size(); ++k) {
      const PairQuery at_home{&part, &bore[k], e.X, {}};
      if (!(ComputeMetrics(at_home).volume > 0)) continue;
      ++touched;
      const Sum sum = SumOver(bore[k], part, e.X, e.radius, e.slope);
      ASSERT_GT(sum.volume, 0);
      for (const double size : {1.0, 0.01, 100.0}) {
        SCOPED_TRACE(::testing::Message() << e.name << " times " << size);
        const Cell sized = Scaled(e.part, size), quarter = Bore(size, e.radius, e.slope)[k];
        const Pose X_WB{random.Rotation(), size * random.Vector(0.05)};
        ExpectMeans({&sized, &quarter, X_WB * Pose{e.X.R, size * e.X.p}, X_WB, 1e-4}, sum, X_WB.R,
                    size);
      }
    }
    EXPECT_GE(touched, 1) << e.name;
  }
}

// One convex part that meets one quarter of a bore in two places, at different heights.
TEST(WallNormal, OfTwoContactsInOneQuarterIsTheirMean) {
  const auto tip = [](double turn, double z, double reach) {
    return Vec3{reach * std::cos(turn), reach * std::sin(turn), z};
  };
  const std::vector<Cell> quarters = Bore(1, 0.01, 0);
  for (const std::vector<Vec3>& tips :
       {std::vector{tip(0.6, 0.008, 0.01005), tip(-0.5, -0.009, 0.01005)},
        std::vector{tip(0.4, 0.004, 0.0101), tip(-0.7, -0.012, 0.01007)},
        std::vector{tip(0.7, 0.01, 0.01001), tip(-0.7, 0.01, 0.01001)}}) {
    const Cell part = Scaled(
        geometry::Convex{{tips[0], tips[1], {-0.004, 0.004, 0.002}, {-0.004, -0.004, -0.002}}}, 1);
    const std::vector<Cell> halves = geometry::Halves(part, geometry::MakePlane({0, 1, 0}, 0.0));
    ASSERT_EQ(halves.size(), 2u);
    int touched = 0;
    for (const Cell& quarter : quarters) {
      PairQuery query{&part, &quarter, {}, {}, 1e-5};
      const InterferenceMetrics both = ComputeMetrics(query);
      if (!(both.volume > 0)) continue;
      ++touched;
      Vec3 normal, moment;
      for (const Cell& half : halves) {
        query.a = &half;
        const InterferenceMetrics one = ComputeMetrics(query);
        const Vec3 n = Normalized(Vec3{-one.p_WC.x, -one.p_WC.y, 0});
        normal += (one.volume / both.volume) * n;
        moment += (one.volume / both.volume) * Cross(one.p_WC - both.p_WC, n);
      }
      query.a = &part;
      const WallMean mean = MeanOnWall(query, both);
      EXPECT_LT(Norm(mean.normal - normal), 0.003);
      EXPECT_LT(Norm(mean.moment - moment), 0.003 * 0.01);
      EXPECT_LT(Norm(mean.normal), 0.9);
    }
    EXPECT_EQ(touched, 1);
  }
}

TEST(WallNormal, IsNoneOfFlatFacesBesideAHole) {
  const std::vector<Cell> sectors = Bore(1, 0.01, 0);
  const Cell ring = geometry::ToCells(*Leaf(geometry::Cylinder{0.015, 0.01})).front();
  const Cell plate = geometry::ToCells(*Leaf(geometry::Box{{0.01, 0.04, 0.04}})).front();
  const Cell ball = geometry::ToCells(*Leaf(geometry::Sphere{0.002})).front();
  int touched = 0;
  for (const Cell& sector : sectors) {
    for (const auto& [part, p] : {std::pair{&ring, Vec3{0, 0, 0.02499}},   // on the top
                                  std::pair{&plate, Vec3{0.02499, 0, 0}},  // at the outside
                                  std::pair{&ball, Vec3{0.008, 0.014, 0.0219}}}) {
      const PairQuery query{part, &sector, Pose{Mat3::Identity(), p}, {}};
      const InterferenceMetrics m = ComputeMetrics(query);
      if (!(m.volume > 0)) continue;
      ++touched;
      EXPECT_EQ(Norm(MeanOnWall(query, m).normal), 0) << p.x << " " << p.z;
    }
  }
  EXPECT_GE(touched, 7);
}

}  // namespace
}  // namespace intervox
