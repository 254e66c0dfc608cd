// Triangles of grids: closed, of the volume that the clip rule finds, near the exact shapes.
#include "host/mesh/grid_triangles.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "tests/cuda/pairs.h"
#include "tests/geometry/grids.h"
#include "tests/mesh/closed.h"

namespace intervox {
namespace {

double ByClip(const geometry::Cell& grid) {
  const geometry::Cell all = testing::HalfSpaceCell({0, 0, 1}, 100);
  PairQuery query;
  query.a = &grid;
  query.b = &all;
  query.rule = LeafRule::kClip;
  return ComputeMetrics(query).volume;
}

TEST(GridTriangles, AreClosedAndEncloseTheVolumeOfTheClipRule) {
  struct Case {
    geometry::Primitive shape;
    int euler;
  };
  for (const Case& c : {Case{geometry::Sphere{6.3}, 2}, Case{geometry::Torus{7, 2.6}, 0},
                        Case{geometry::Box{{9.5, 7.5, 5.5}}, 2}}) {
    const geometry::Cell grid = testing::GridCell(c.shape, 1);
    const host::Triangles mesh = host::Triangulate({&grid, 1}, 1);
    EXPECT_EQ(host::ExpectClosed(mesh), c.euler);
    const double V = ByClip(grid);
    EXPECT_NEAR(host::EnclosedVolume(mesh), V, 1e-3 * V);
    EXPECT_LT(mesh.deviation, 0.3);
    // Triangles face outwards, as the field's normals do.
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto& v = mesh.triangles[t];
      const auto p = [&](int i) {
        return mesh.p[static_cast<std::size_t>(v[static_cast<std::size_t>(i)])];
      };
      const Vec3 area = Cross(p(1) - p(0), p(2) - p(0));
      for (const Vec3& n : mesh.normals[t]) EXPECT_GE(Dot(area, n), 0);
    }
  }
}

TEST(GridTriangles, FacesOnNodesHaveTheirVolume) {
  const geometry::Cell grid = testing::GridCell(geometry::Box{{8, 6, 4}}, 1);
  const host::Triangles mesh = host::TrianglesOfGrid(grid.grid);
  EXPECT_EQ(host::ExpectClosed(mesh), 2);
  EXPECT_NEAR(host::EnclosedVolume(mesh), 192, 0.1);
}

}  // namespace
}  // namespace intervox
