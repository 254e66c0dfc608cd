// Parts that are not convex become grids: their mass properties against the formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "cuda/moments/mass_properties.h"
#include "geometry/openvdb/level_set_grid.h"
#include "host/input/error.h"
#include "host/mesh/triangulate.h"
#include "host/scene/grids.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/scene/scene.h"
#include "tests/host/parts_files.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

fs::path Put(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(testing::TempDir()) / ("intervox_part_grid_" + name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

geometry::ShapePtr Read(const std::string& shape) {
  SetMeshGridder(geometry::LevelSetOfMesh);
  const fs::path file =
      Put("pairs.yaml", "schema: intervox/pairs/1\nshapes:\n  part: " + shape + "\n");
  return LoadPairs(file).shapes.front().second;
}

MassProperties MassOf(const geometry::ShapePtr& shape) {
  return ComputeMassProperties(geometry::ToCells(*shape), 1000, 1e-4);
}

std::string Refusal(const std::string& shape) {
  try {
    Read(shape);
  } catch (const InputError& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(PartGrid, AnEllHasItsMassProperties) {
  const std::string file = Put("ell.obj", ObjText({EllMesh()})).string();
  for (const std::string& text :
       {"{file: " + file + ", scale: 0.01, voxel_size: 4e-4, pose: {position: [0.1, 0, 0]}}",
        "{grid: {of: {file: " + file +
            ", scale: 0.01}, voxel_size: 4e-4}, pose: {position: [0.1, "
            "0, 0]}}"}) {
    const MassProperties mass = MassOf(Read(text));
    // Two boxes, of 2 × 1 × 1 and 1 × 1 × 1 cm.
    EXPECT_NEAR(mass.volume, 3e-6, 3e-3 * 3e-6);
    const Vec3 c{0.1 + 2.5e-2 / 3, 2.5e-2 / 3, 0.5e-2};
    EXPECT_LT(Norm(mass.center_of_mass - c), 1e-5);
    // About z: each box's own, and that of its centre's distance from the common one.
    const double m = 1e-3, of_long = 2 * m * (4 + 1) / 12, of_cube = m * 2 / 12;
    const double far = 2 * m * (std::pow(1 - 2.5 / 3, 2) + std::pow(0.5 - 2.5 / 3, 2)) +
                       m * (std::pow(0.5 - 2.5 / 3, 2) + std::pow(1.5 - 2.5 / 3, 2));
    const double J = 1e-4 * (of_long + of_cube + far);
    EXPECT_NEAR(mass.inertia(2, 2), J, 6e-3 * J);
  }
}

TEST(PartGrid, ATubeOfTrianglesIsATube) {
  geometry::Shape tube;
  tube.operation = geometry::Operation::kDifference;
  for (const double radius : {0.02, 0.012}) {
    auto round = std::make_shared<geometry::Shape>();
    round->primitive = geometry::Cylinder{radius, radius > 0.015 ? 0.03 : 0.04};
    tube.children.push_back(round);
  }
  const Triangles mesh = Triangulate(geometry::ToCells(tube), 2e-5);
  std::string text;
  for (const Vec3& p : mesh.p) text += "v " + Text(p.x) + " " + Text(p.y) + " " + Text(p.z) + "\n";
  for (const auto& t : mesh.triangles) {
    text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " +
            std::to_string(t[2] + 1) + "\n";
  }
  const std::string file = Put("tube.obj", text).string();
  const double pi = std::numbers::pi, V = pi * (4e-4 - 1.44e-4) * 0.03;
  double error[2];
  for (const int k : {0, 1}) {
    const MassProperties mass =
        MassOf(Read("{file: " + file + ", voxel_size: " + (k == 0 ? "1e-3" : "5e-4") + "}"));
    error[k] = std::fabs(mass.volume / V - 1);
    EXPECT_LT(Norm(mass.center_of_mass), 2e-5);
    const double J = 500 * V * (4e-4 + 1.44e-4);
    EXPECT_NEAR(mass.inertia(2, 2), J, 0.01 * J);
  }
  EXPECT_LT(error[1], 3e-3);
  EXPECT_LT(error[1], error[0]);
}

TEST(PartGrid, WithoutAVoxelSizeTheErrorNamesOne) {
  const std::string file =
      Put("two.obj", ObjText({EllMesh(), BoxMesh({3, 0, 0}, {4, 1, 1})})).string();
  const std::string refusal = Refusal("{file: " + file + ", scale: 0.01}");
  for (const char* word : {"not convex", "1 of 1 shells", "'voxel_size: 2e-04'", "CoACD"}) {
    EXPECT_NE(refusal.find(word), std::string::npos) << word << " is not in " << refusal;
  }
  EXPECT_NE(Refusal("{sphere: {radius: 1}, voxel_size: 0.1}").find("how a part is read"),
            std::string::npos);
  EXPECT_NE(Refusal("{file: " + file + ", half_width: 3}").find("voxel_size"), std::string::npos);
  EXPECT_NE(Refusal("{file: " + file + ", voxel_size: 1e-7}").find("use voxels of"),
            std::string::npos);
  // A hollow would be filled.
  TriangleMesh hollow = EllMesh();
  for (auto t : BoxMesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}).triangles) {
    hollow.triangles.push_back({t[0] + 12, t[2] + 12, t[1] + 12});
  }
  for (const Vec3& p : BoxMesh({0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}).p) hollow.p.push_back(p);
  const std::string holed = Put("hollow.obj", ObjText({hollow})).string();
  EXPECT_NE(Refusal("{file: " + holed + ", voxel_size: 0.05}").find("hollow"), std::string::npos);
}

TEST(PartGrid, ConvexPartsStayExactAndScenesReadBack) {
  SetMeshGridder(geometry::LevelSetOfMesh);
  const std::string brick = Put("brick.obj", ObjText({BoxMesh({0, 0, 0}, {3, 2, 1})})).string();
  EXPECT_EQ(Read("{file: " + brick + ", voxel_size: 0.1}")->operation,
            geometry::Operation::kPrimitive);
  EXPECT_EQ(Read("{grid: {of: {file: " + brick + "}, voxel_size: 0.1}}")->operation,
            geometry::Operation::kGrid);
  const std::string ell = Put("ell2.obj", ObjText({EllMesh()})).string();
  const Scene scene = LoadScene(
      Put("scene.yaml",
          "schema: intervox/scene/2\nshapes:\n  part: {file: " + ell +
              ", up: y, scale: 0.01, voxel_size: 5e-4}\n  wall: {lattice: {kind: gyroid, period: "
              "0.01, thickness: 2e-3, size: [0.02, 0.02, 0.02]}}\nmaterials: {m: {density: "
              "1000}}\nbodies:\n  a: {shape: part, material: m}\n  b: {shape: wall, material: m, "
              "pose: {position: [0.1, 0, 0]}}\nduration: 1e-3\nintegrator: {method: ark3, step: "
              "1e-3}\n"));
  const Scene again = ParseScene(ToYaml(scene), "again.yaml");
  for (const char* name : {"part", "wall"}) {
    EXPECT_EQ(again.shapes.at(name)->grid.field->checksum,
              scene.shapes.at(name)->grid.field->checksum);
    EXPECT_EQ(again.shapes.at(name)->scale, scene.shapes.at(name)->scale);
  }
}

}  // namespace
}  // namespace intervox::host
