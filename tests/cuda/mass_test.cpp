#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "cuda/moments/mass_properties.h"
#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using testing::BoxCell;
using testing::Cell;
using testing::Random;

std::vector<Cell> Cells(const geometry::Primitive& primitive) {
  geometry::Shape shape;
  shape.primitive = primitive;
  return geometry::ToCells(shape);
}

TEST(MassProperties, TwoHalvesMakeTheWhole) {
  std::vector<Cell> halves;
  for (int side = 0; side < 2; ++side) {
    Cell half = BoxCell({2, 1, 0.5});
    std::vector<geometry::Surface> surfaces = half.surfaces;
    surfaces.push_back(
        geometry::MakePlane(Normalized(Vec3{side ? 1.0 : -1.0, side ? 0.2 : -0.2, 0}), 0.0));
    halves.push_back(geometry::MakeCell(surfaces, "half"));
  }
  const MassProperties m = ComputeMassProperties(halves, 3);
  EXPECT_NEAR(m.volume, 1, 1e-14);
  EXPECT_NEAR(m.mass, 3, 1e-13);
  EXPECT_NEAR(Norm(m.center_of_mass), 0, 1e-14);
  EXPECT_NEAR(m.inertia(0, 0), 3 * (1 + 0.25) / 12, 1e-13);
  EXPECT_NEAR(m.inertia(1, 1), 3 * (4 + 0.25) / 12, 1e-13);
  EXPECT_NEAR(m.inertia(0, 1), 0, 1e-13);
}

TEST(MassProperties, CurvedPrimitivesHaveClosedForms) {
  const double pi = std::acos(-1.0);
  struct Case {
    geometry::Primitive primitive;
    double volume, z, i_xx, i_zz;  // inertia of unit density about the centre
  };
  const double R = 0.3, r = 0.08, h = 0.5, a = 0.2;
  const double torus = 2 * pi * pi * R * r * r, cone = pi * a * a * h / 3;
  const Case cases[] = {
      {geometry::Sphere{R}, 4 * pi / 3 * R * R * R, 0, 8 * pi / 15 * std::pow(R, 5),
       8 * pi / 15 * std::pow(R, 5)},
      {geometry::Ellipsoid{{0.1, 0.2, 0.3}}, 4 * pi / 3 * 0.006, 0,
       4 * pi / 3 * 0.006 / 5 * (0.04 + 0.09), 4 * pi / 3 * 0.006 / 5 * 0.05},
      {geometry::Cylinder{a, h}, pi * a * a * h, 0, pi * a * a * h * (3 * a * a + h * h) / 12,
       pi * a * a * h * a * a / 2},
      {geometry::Cone{a, 0, h}, cone, -h / 4, cone * (3.0 / 20 * a * a + 3.0 / 80 * h * h),
       cone * 0.3 * a * a},
      {geometry::Torus{R, r}, torus, 0, torus * (0.5 * R * R + 0.625 * r * r),
       torus * (R * R + 0.75 * r * r)},
  };
  for (const Case& c : cases) {
    const MassProperties m = ComputeMassProperties(Cells(c.primitive), 1, 1e-6);
    EXPECT_NEAR(m.volume, c.volume, 1e-6 * c.volume) << c.primitive.index();
    EXPECT_NEAR(m.center_of_mass.z, c.z, 1e-7) << c.primitive.index();
    EXPECT_NEAR(m.inertia(0, 0), c.i_xx, 5e-6 * c.i_xx) << c.primitive.index();
    EXPECT_NEAR(m.inertia(2, 2), c.i_zz, 5e-6 * c.i_zz) << c.primitive.index();
  }
}

TEST(MassProperties, ACubeMinusManyBalls) {
  // More balls than one cell can hold; volume, centre and inertia by subtraction.
  Random random(3);
  const auto leaf = [](const geometry::Primitive& primitive, const Vec3& p) {
    auto shape = std::make_shared<geometry::Shape>();
    shape->primitive = primitive;
    shape->X.p = p;
    return shape;
  };
  geometry::Shape sponge;
  sponge.operation = geometry::Operation::kDifference;
  sponge.children = {leaf(geometry::Box{{1, 1, 1}}, {})};
  const double r = 0.06, v = 4 * std::acos(-1.0) / 3 * r * r * r;
  double volume = 1, about_z = 1.0 / 6;
  Vec3 moment;
  for (int i = 0; i < 125; ++i) {
    const Vec3 p = 0.2 * Vec3{i % 5 - 2.0, i / 5 % 5 - 2.0, i / 25 - 2.0} + random.Vector(0.03);
    sponge.children.push_back(leaf(geometry::Sphere{r}, p));
    volume -= v;
    moment -= v * p;
    about_z -= v * (0.4 * r * r + p.x * p.x + p.y * p.y);
  }
  const std::vector<Cell> cells = geometry::ToCells(sponge);
  EXPECT_GT(cells.size(), 10u);
  const MassProperties m = ComputeMassProperties(cells, 1, 1e-5);
  const Vec3 center = moment / volume;
  EXPECT_NEAR(m.volume, volume, 1e-5 * volume);
  EXPECT_NEAR(Norm(m.center_of_mass - center), 0, 1e-6);
  const double inertia = about_z - volume * (center.x * center.x + center.y * center.y);
  EXPECT_NEAR(m.inertia(2, 2), inertia, 2e-5 * inertia);
}

TEST(MassProperties, BadInputNamesTheCell) {
  const std::vector<Cell> floor = {testing::HalfSpaceCell({0, 0, 1}, 0)};
  EXPECT_THROW(ComputeMassProperties(floor, 1), std::invalid_argument);
  EXPECT_THROW(ComputeMassProperties({}, 1), std::invalid_argument);
  const std::vector<Cell> box = {BoxCell({1, 1, 1})};
  EXPECT_THROW(ComputeMassProperties(box, -1), std::invalid_argument);
}

}  // namespace
}  // namespace intervox
