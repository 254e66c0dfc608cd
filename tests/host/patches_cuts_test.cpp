// Random cuts through curved, edge and corner contacts: the patches that the pieces make are the
// patches of the solids as they were.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/bodies/motion.h"
#include "tests/geometry/split.h"
#include "tests/host/simulation_scenes.h"
#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

using Cells = std::vector<geometry::Cell>;
using Random = std::mt19937_64;

double Uniform(Random& random, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(random);
}

Vec3 Direction(Random& random) {
  std::normal_distribution<double> normal;
  return Normalized(Vec3{normal(random), normal(random), normal(random)});
}

Cells CellsOf(const geometry::Primitive& primitive, const Pose& X = {}) {
  return geometry::ToCells(*scenes::Solid(primitive, "solid", X));
}

/** Cut by planes that pass within `reach` of `point` (both in the cells' frame), along `normals` or
 anywhere. */
Cells Cut(Cells cells, int count, const Vec3& point, double reach, Random& random) {
  for (int k = 0; k < count; ++k) {
    geometry::Surface plane;
    const Vec3 n = Direction(random), u = AnyOrthogonal(n);
    plane.R = Mat3::FromColumns(u, Cross(n, u), n);
    plane.o = point + Uniform(random, -reach, reach) * n;
    cells = geometry::SplitByPlane(cells, plane);
  }
  return cells;
}

/** The patches of two bodies' cells, grouped as at an accepted step. */
std::vector<Contact> Patches(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB) {
  const Engine engine({Device::kSerial, 1, 0});
  FinderSettings settings;
  settings.tolerance = 1e-4;
  const BodyCells cells_a = MakeBodyCells(a), cells_b = MakeBodyCells(b);
  testing::TwoBodyFinder finder(engine, settings, &cells_a, &cells_b);
  testing::TwoBodyPatches patches({}, a, b);
  const Pose poses[2] = {X_WA, X_WB};
  patches.Accept(finder.Find(poses), 0);
  return patches.contacts();
}

/** Difference of two patches in shares of what they push and of their size: volume, place, normal
 and the moments that rolling and spinning take. */
double Difference(const PatchGeometry& a, const PatchGeometry& b) {
  const double size = std::sqrt(Trace(a.J_W) / a.V);
  double inertia = 0;
  for (int i = 0; i < 3; ++i) inertia += Norm(a.J_W.Row(i) - b.J_W.Row(i));
  return std::fabs(a.V - b.V) / a.V + Norm(a.p_WC - b.p_WC) / size + Norm(a.n - b.n) +
         Norm(a.S - b.S) / Norm(a.S) + Norm(a.G - b.G) / (Norm(a.S) * size) +
         inertia / Trace(a.J_W);
}

struct Case {
  const char* name;
  geometry::Primitive primitive;
  double size;  // largest radius
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SlowCutContact : public ::testing::TestWithParam<Case> {};

/** Turned anyhow, about one axis (edges and lines of contact), or upright. */
Pose Turned(int trial, Random& random) {
  const double angle = trial % 4 == 1 ? M_PI / 2 : Uniform(random, 0, M_PI);
  const Vec3 axis = trial % 4 == 0 ? Direction(random) : Vec3{0, 1, 0};
  return {ToRotation(FromRotationVector((trial % 4 == 3 ? 0.0 : angle) * axis)), {}};
}

/** The height at which the cells begin to touch the floor. */
double TouchingHeight(const Cells& cells, const Cells& floor, Pose X, double size) {
  double in = 0, out = 2 * size;
  for (int k = 0; k < 50; ++k) {
    X.p.z = 0.5 * (in + out);
    (Patches(cells, floor, X, {}).empty() ? out : in) = X.p.z;
  }
  return in;
}

TEST_P(SlowCutContact, IsTheSamePatchInAnyPoseAndCutAnyhow) {
  Random random(7);
  const Cells whole_floor = CellsOf(geometry::Box{{4, 4, 2}}, {{}, {0, 0, -1}});
  const Cells whole = CellsOf(GetParam().primitive);
  int spanning = 0;
  for (int trial = 0; trial < 80; ++trial) {
    Pose X = Turned(trial, random);
    const double depth = GetParam().size * std::pow(10, Uniform(random, -4, -1));
    X.p.z = TouchingHeight(whole, whole_floor, X, GetParam().size) - depth;
    const std::vector<Contact> expected = Patches(whole, whole_floor, X, {});
    ASSERT_EQ(expected.size(), 1U) << trial;
    const PatchGeometry& g = expected[0].geometry;
    const double reach = Uniform(random, 0, 1) * std::sqrt(Trace(g.J_W) / g.V);
    const Cells floor = Cut(whole_floor, trial % 3, g.p_WC, reach, random);
    const Cells body = Cut(whole, (trial / 3) % 3, Inverse(X) * g.p_WC, reach, random);
    const std::vector<Contact> cut = Patches(body, floor, X, {});
    EXPECT_EQ(cut.size(), 1U) << "trial " << trial << ", depth " << depth;
    if (cut.size() != 1) continue;
    EXPECT_LT(Difference(g, cut[0].geometry), 1e-3) << "trial " << trial << ", depth " << depth;
    spanning += cut[0].pairs > 1 ? 1 : 0;
  }
  EXPECT_GT(spanning, 60);
}

// A box pressed into the corner of a floor and a wall: two patches, however either is cut.
TEST(CutCorner, KeepsFloorAndWallApart) {
  Random random(11);
  auto corner = std::make_shared<geometry::Shape>();
  corner->operation = geometry::Operation::kUnion;
  corner->children = {scenes::Solid(geometry::Box{{4, 4, 2}}, "floor", {{}, {0, 0, -1}}),
                      scenes::Solid(geometry::Box{{2, 4, 4}}, "wall", {{}, {-1, 0, 0}})};
  const Cells whole_corner = geometry::ToCells(*corner);
  const Cells whole = CellsOf(geometry::Box{{1, 0.8, 0.6}});
  for (int trial = 0; trial < 200; ++trial) {
    const double depth = std::pow(10, Uniform(random, -6, -4));
    const Vec3 tilt = 0.1 * depth * Direction(random);
    const Pose X{ToRotation(FromRotationVector(tilt)), {0.5 - depth, 0, 0.3 - 2 * depth}};
    const std::vector<Contact> expected = Patches(whole, whole_corner, X, {});
    ASSERT_EQ(expected.size(), 2U);
    // Cuts through the inner edge, through the contacts, anywhere.
    const Vec3 point = trial % 3 == 0   ? Vec3{}
                       : trial % 3 == 1 ? expected[0].geometry.p_WC
                                        : expected[1].geometry.p_WC;
    const double reach = Uniform(random, 0, 1);
    const Cells cut_corner = Cut(whole_corner, 1 + trial % 3, point, reach, random);
    const Cells body = Cut(whole, (trial / 3) % 3, Inverse(X) * point, reach, random);
    const std::vector<Contact> cut = Patches(body, cut_corner, X, {});
    ASSERT_EQ(cut.size(), 2U) << "trial " << trial << ", depth " << depth;
    for (const Contact& contact : expected) {
      const bool first = Dot(cut[0].geometry.n, contact.geometry.n) > 0.5;
      // The sliver in the inner edge, a share of depth/width, belongs to either.
      EXPECT_LT(Difference(contact.geometry, cut[first ? 0 : 1].geometry), 1e-3) << trial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solids, SlowCutContact,
                         ::testing::Values(Case{"ball", geometry::Sphere{1}, 1},
                                           Case{"box", geometry::Box{{1, 0.8, 0.6}}, 0.8},
                                           Case{"cylinder", geometry::Cylinder{0.4, 1}, 0.7},
                                           Case{"cone", geometry::Cone{0.5, 0.1, 0.8}, 0.7},
                                           Case{"capsule", geometry::Capsule{0.3, 0.8}, 0.7},
                                           Case{"ellipsoid", geometry::Ellipsoid{{1, 0.7, 0.5}},
                                                1}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace intervox::host
