// Triangles of grids: closed, of the volume that the clip rule finds, near the exact shapes.
#include "host/mesh/grid_triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "geometry/grid/level_set.h"
#include "host/parts/defects.h"
#include "host/scene/lattice.h"
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

/** Defects of a mesh as files of single precision hold it. */
std::string DefectsInSingle(host::TriangleMesh mesh) {
  for (Vec3& p : mesh.p) {
    p = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
  }
  host::Weld(&mesh);
  std::string text;
  for (const host::Defect& defect : host::FindDefects(mesh)) {
    text += host::DefectText(defect) + "; ";
  }
  return text;
}

// Nodes just outside of the surface drew vertices together, which are one in single precision.
TEST(GridTriangles, OfLatticesAreClosedInSinglePrecision) {
  using host::LatticeKind;
  for (const LatticeKind kind :
       {LatticeKind::kGyroid, LatticeKind::kSchwarzP, LatticeKind::kDiamond}) {
    for (const double period : {1e-4, 0.01, 1.0}) {
      for (const double voxels : {14.0, 20.0}) {
        const double size = 1.3 * period;
        const host::Lattice lattice{
            kind, period, 0.16 * period, {size, size, 0.7 * size}, period / voxels};
        geometry::Shape shape;
        shape.operation = geometry::Operation::kGrid;
        shape.grid = host::GridOfLattice(lattice);
        const std::vector<geometry::Cell> cells = geometry::ToCells(shape);
        const host::Triangles mesh = host::Triangulate(cells, 1);
        EXPECT_EQ(DefectsInSingle(mesh), "")
            << static_cast<int>(kind) << ' ' << period << ' ' << voxels;
      }
    }
  }
}

// Far from the origin of its frame, in voxels.
TEST(GridTriangles, AreClosedInSinglePrecisionFarFromTheOrigin) {
  for (const double far : {0.0, 30.0, 300.0, 3000.0}) {
    for (const double radius : {3.0, 4.7, 6.0}) {
      geometry::Cell grid = testing::GridCell(geometry::Sphere{radius}, 1);
      grid.grid.X_CG.p += Vec3{far, -0.7 * far, 0.3 * far};
      const host::Triangles mesh = host::TrianglesOfGrid(grid.grid);
      EXPECT_EQ(host::ExpectClosed(mesh), 2);
      EXPECT_EQ(DefectsInSingle(mesh), "") << far << ' ' << radius;
    }
  }
}

}  // namespace
}  // namespace intervox
