// Level sets of triangles against those of the exact shapes that the triangles were made of.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/openvdb/level_set_grid.h"
#include "host/mesh/triangulate.h"
#include "tests/geometry/grids.h"

namespace intervox {
namespace {

using geometry::GridView;

void ExpectLikeExact(const geometry::Primitive& primitive, double deviation) {
  const double h = 0.05;
  const auto cells = testing::CellsOf(primitive);
  const host::Triangles mesh = host::Triangulate(cells, deviation);
  const auto of_mesh = geometry::LevelSetOfMesh(mesh.p, mesh.triangles, h, 3, testing::Serially);
  const auto exact = geometry::MakeLevelSet(cells, h, 3, testing::Serially);
  EXPECT_EQ(of_mesh->voxel_size, h);
  const GridView a = of_mesh->View(), b = exact->View();
  int near = 0;
  for (int i = exact->lower[0] - 3; i <= exact->upper[0] + 3; ++i) {
    for (int j = exact->lower[1] - 3; j <= exact->upper[1] + 3; ++j) {
      for (int k = exact->lower[2] - 3; k <= exact->upper[2] + 3; ++k) {
        const Vec3 u{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        const double f = geometry::Evaluate(b, u).value;
        if (std::fabs(f) > 1.2) continue;  // what the surface between nodes is made of
        ++near;
        // The deviation is sampled on triangles; between the samples it is somewhat more.
        ASSERT_NEAR(geometry::Evaluate(a, u).value, f, 1.5 * deviation / h + 1e-5);
      }
    }
  }
  EXPECT_GT(near, 4000);
}

TEST(LevelSetOfMesh, CubeAndTorusAreLikeTheExactShapes) {
  ExpectLikeExact(geometry::Box{{1, 1, 1}}, 1e-3);
  ExpectLikeExact(geometry::Torus{0.7, 0.3}, 2e-3);
}

// OpenVDB reads triangles in single precision: a part at 1e8 voxels lost all but 1e-5 of its
// volume.
TEST(LevelSetOfMesh, FarFromTheOriginTheFieldIsTheSame) {
  const double h = 1.0 / 32;  // so that shifted vertices are exact
  host::Triangles mesh = host::Triangulate(testing::CellsOf(geometry::Torus{0.7, 0.3}), 2e-3);
  for (Vec3& x : mesh.p) {
    for (int axis = 0; axis < 3; ++axis) x[axis] = std::round(0x1p20 * x[axis]) / 0x1p20;
  }
  const auto near = geometry::LevelSetOfMesh(mesh.p, mesh.triangles, h, 3, testing::Serially);
  const std::array<int, 3> shift{8 * 12'000'000, -8 * 700'000, 8 * 3000};
  std::vector<Vec3> p;
  for (const Vec3& x : mesh.p) {
    p.push_back(x + h * Vec3{double(shift[0]), double(shift[1]), double(shift[2])});
  }
  const auto far = geometry::LevelSetOfMesh(p, mesh.triangles, h, 3, testing::Serially);
  EXPECT_EQ(far->nodes, near->nodes);
  EXPECT_EQ(far->places, near->places);
  EXPECT_NE(far->checksum, near->checksum);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(far->origin[axis], near->origin[axis] + shift[axis]);
    EXPECT_EQ(far->lower[axis], near->lower[axis] + shift[axis]);
  }
}

TEST(LevelSetOfMesh, RefusesWhatIsNoSurface) {
  const std::vector<Vec3> p{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  using Triangle = std::array<int, 3>;
  const auto refuse = [&](const std::vector<Vec3>& p, const std::vector<Triangle>& t, double h,
                          const std::string& part) {
    try {
      geometry::LevelSetOfMesh(p, t, h, 3, testing::Serially);
      ADD_FAILURE() << "no refusal: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refuse(p, {}, 0.05, "no triangles");
  refuse(p, {{0, 1, 4}}, 0.05, "vertex 4 of 4");
  refuse({{0, 0, 0}, {1, 0, 0}, {0, INFINITY, 0}}, {{0, 1, 2}}, 0.05, "not finite");
  refuse(p, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}, 1e-7, "use voxels of");
}

}  // namespace
}  // namespace intervox
