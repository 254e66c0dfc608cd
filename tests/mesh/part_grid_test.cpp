// Parts that are not convex become grids: their mass properties against the formulas.
#include <gtest/gtest.h>

#include <algorithm>
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
#include "host/study/voxel_study.h"
#include "tests/geometry/random_shapes.h"
#include "tests/host/parts_files.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

/** A file of the running test: others run beside it. */
fs::path Put(const std::string& name, const std::string& text) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path path = fs::path(testing::TempDir()) / ("intervox_part_grid_" + test + "_" + name);
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

TEST(PartGrid, WithoutAVoxelSizeItIsAHundredthOfTheDiagonal) {
  const std::string file =
      Put("two.obj", ObjText({EllMesh(), BoxMesh({3, 0, 0}, {4, 1, 1})})).string();
  SetMeshGridder(geometry::LevelSetOfMesh);
  for (const double scale : {1e-4, 1e-2}) {
    const std::string shape = "{file: " + file + ", scale: " + Text(scale) + "}";
    const PairsFile pairs =
        ParsePairs("schema: intervox/pairs/1\nshapes: {part: " + shape + "}", file);
    const geometry::Shape& part = *pairs.shapes.front().second;
    ASSERT_EQ(part.operation, geometry::Operation::kGrid);
    EXPECT_NEAR(part.grid.voxel_size, std::sqrt(21.0) / 100, 1e-15);
    EXPECT_EQ(part.scale, scale);
    if (scale == 1e-2) {
      EXPECT_NEAR(MassOf(pairs.shapes.front().second).volume, 4e-6, 0.01 * 4e-6);
    }
    for (const char* word : {"not convex (1 of 1 shell)", "a hundredth of the diagonal",
                             "deep inside its hull", "triangles enclosing 4"}) {
      EXPECT_NE(pairs.parts.front().find(word), std::string::npos) << pairs.parts.front();
    }
  }
  EXPECT_NE(Refusal("{sphere: {radius: 1}, voxel_size: 0.1}").find("how a part is read"),
            std::string::npos);
  EXPECT_NE(Refusal("{file: " + file + ", voxel_size: 1e-7}").find("use voxels of"),
            std::string::npos);
}

/** The triangles of several meshes as one object. */
TriangleMesh Together(const std::vector<TriangleMesh>& meshes) {
  TriangleMesh all;
  for (const TriangleMesh& mesh : meshes) Append(mesh, &all);
  return all;
}

TriangleMesh Inwards(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TriangleMesh Cube(double half, const Vec3& at = {}) {
  return BoxMesh(at - half * Vec3{1, 1, 1}, at + half * Vec3{1, 1, 1});
}

double VolumeOf(const std::string& name, const std::vector<TriangleMesh>& objects, double h) {
  const std::string file = Put(name, ObjText(objects)).string();
  return MassOf(Read("{file: " + file + ", voxel_size: " + Text(h) + "}")).volume;
}

TEST(PartGrid, HollowsAreEmptyHoweverDeepTheyNest) {
  // Cubes of edge 2, 1.4, 0.8: a wall, a hollow, and a cube that floats in it.
  const TriangleMesh box = Cube(1), hollow = Inwards(Cube(0.7)), core = Cube(0.4);
  for (const double h : {0.1, 0.05}) {
    EXPECT_NEAR(VolumeOf("hollow.obj", {Together({box, hollow})}, h), 8 - 2.744, 0.05 * h);
    EXPECT_NEAR(VolumeOf("core.obj", {Together({core, hollow, box})}, h), 8 - 2.744 + 0.512,
                0.05 * h);
    const TriangleMesh bubble = Inwards(Cube(0.2));
    EXPECT_NEAR(VolumeOf("bubble.obj", {Together({bubble, core, hollow, box})}, h),
                8 - 2.744 + 0.512 - 0.064, 0.05 * h);
  }
  // Two hollows side by side, and another solid that stands in one of them as an object.
  const TriangleMesh left = Inwards(Cube(0.3, {-0.5, 0, 0})),
                     right = Inwards(Cube(0.3, {0.5, 0, 0}));
  EXPECT_NEAR(VolumeOf("two_hollows.obj", {Together({box, left, right})}, 0.05), 8 - 2 * 0.216,
              3e-3);
  EXPECT_NEAR(VolumeOf("filled.obj", {Together({box, left, right}), Cube(0.3, {0.5, 0, 0})}, 0.05),
              8 - 0.216, 2e-2);
  // The field is the distance to both walls.
  const std::string file = Put("walls.obj", ObjText({Together({box, hollow})})).string();
  const geometry::ShapePtr part = Read("{file: " + file + ", voxel_size: 0.05}");
  const geometry::GridView field = part->grid.field->View();
  for (const double x : {0.0, 0.6, 0.7, 0.75, 0.8, 0.95, 1.0, 1.1, 2.0}) {
    const double f = x < 0.85 ? (0.7 - x) : (x - 1);
    EXPECT_NEAR(geometry::LevelOf(field, Vec3{x, 0.02, 0.01} / 0.05),
                std::clamp(f / 0.05, -field.band, field.band), 1e-4)
        << x;
  }
}

TEST(PartGrid, AHollowBallIsThatOfItsFormula) {
  const auto ball = [](double radius, const Vec3& at) {
    geometry::Shape shape;
    shape.primitive = geometry::Sphere{radius};
    const Triangles mesh = Triangulate(geometry::ToCells(shape), 5e-4);
    TriangleMesh out{mesh.p, {mesh.triangles.begin(), mesh.triangles.end()}};
    for (Vec3& p : out.p) p += at;
    return out;
  };
  const double r = 0.5, shift = 0.2;
  const std::string file =
      Put("hollow_ball.obj", ObjText({Together({ball(1, {0.013, 0.021, 0}),
                                                Inwards(ball(r, {0.013 + shift, 0.021, 0}))})}))
          .string();
  const MassProperties mass = MassOf(Read("{file: " + file + ", voxel_size: 0.04}"));
  const double full = 4 * std::numbers::pi / 3, V = full * (1 - r * r * r);
  EXPECT_NEAR(mass.volume, V, 2e-3 * V);
  const Vec3 c{0.013 - shift * full * r * r * r / V, 0.021, 0};
  EXPECT_LT(Norm(mass.center_of_mass - c), 5e-4);
}

TEST(PartGrid, EdgesOfFourTrianglesAreMendedAsAGrid) {
  // Two cubes that share an edge: no hulls, but what they go round is known everywhere.
  const std::string file =
      Put("edge.obj", ObjText({Together({Cube(1), Cube(1, {2, 2, 0})})})).string();
  EXPECT_NE(Refusal("{file: " + file + ", voxel_size: 0.1}").find("1 edge of more than two"),
            std::string::npos);
  const geometry::ShapePtr part = Read("{file: " + file + ", voxel_size: 0.1, repair: true}");
  EXPECT_NEAR(MassOf(part).volume, 16, 0.1);
}

TEST(PartGrid, AHollowInNoSolidIsAnInvertedSurface) {
  const auto refusal = [](const std::string& name, const std::vector<TriangleMesh>& shells) {
    return Refusal("{file: " + Put(name, ObjText({Together(shells)})).string() +
                   ", voxel_size: 0.05}");
  };
  for (const std::string& text :
       {refusal("beside.obj", {Cube(1), Inwards(Cube(0.3, {2, 0, 0}))}),
        refusal("twice.obj", {Cube(1), Inwards(Cube(0.7)), Inwards(Cube(0.4))})}) {
    for (const char* word : {"1 surface turned inside out at [", "in no solid", "Turn"}) {
      EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  }
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

// Walls thinner than voxels lost their volume without a word, and on the voxels of the default,
// too.
TEST(PartGrid, VoxelsThatAreLargeForThePartAreToldOf) {
  SetMeshGridder(geometry::LevelSetOfMesh);
  // An angle with legs of 1 x 1 and a thickness of 0.02: 2V/A is 0.0194.
  const TriangleMesh ell = EllMesh();
  TriangleMesh thin = ell;
  for (Vec3& p : thin.p) p = {p.x, p.y, 0.02 * p.z};
  const std::string file = Put("thin.obj", ObjText({thin})).string();
  const auto warnings = [&](const std::string& keys) {
    return ParsePairs("schema: intervox/pairs/1\nshapes: {part: " + keys + "}", file).warnings;
  };
  for (const std::string scale : {"1", "0.01"}) {
    const std::string of = "{file: " + file + ", scale: " + scale;
    const auto sized = [&](double h) {
      return "{grid: {of: " + of + "}, voxel_size: " + Text(h * std::stod(scale)) + "}}";
    };
    for (const std::vector<std::string>& told : {warnings(of + "}"), warnings(sized(0.018))}) {
      ASSERT_EQ(told.size(), 1u);
      EXPECT_NE(told[0].find("0.0194805"), std::string::npos) << told[0];
      EXPECT_NE(told[0].find("Use voxels below 0.0064935"), std::string::npos) << told[0];
    }
    EXPECT_TRUE(warnings(sized(0.0125)).empty());
  }
  EXPECT_TRUE(warnings("{file: " + Put("ell.obj", ObjText({ell})).string() + "}").empty());
}

// Needles have no area to tell of their voxels, which took 12 GiB and ended the program.
TEST(PartGrid, NeedlesAreRefusedBeforeMemoryIsTakenForThem) {
  TriangleMesh ell = EllMesh();
  for (Vec3& p : ell.p) p = 0.05 * p;
  const TriangleMesh needle = BoxMesh({}, {1500, 1e-5, 1e-5});
  const std::string refusal = Refusal(
      "{file: " + Put("needle.obj", ObjText({ell, needle})).string() + ", voxel_size: 4e-4}");
  for (const char* part :
       {"million near its surface", "with edges of up to 1500", "use voxels of "}) {
    EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
  }
}

// A vessel whose neck is narrower than two voxels was solid, and nobody was told.
TEST(PartGrid, WhatLiesBehindNarrowGapsIsToldOf) {
  SetMeshGridder(geometry::LevelSetOfMesh);
  // A box with a chamber that a bore of 0.1 leads to.
  const auto box = [](double side) { return geometry::Leaf(geometry::Box{{side, side, side}}); };
  const auto vessel = geometry::Tree(
      geometry::Operation::kDifference,
      {box(2), box(1.4), geometry::Leaf(geometry::Cylinder{0.05, 1.2}, geometry::At(0, 0, 0.7))});
  const Triangles mesh = Triangulate(geometry::ToCells(*vessel), 2e-3);
  const TriangleMesh plain{mesh.p, {mesh.triangles.begin(), mesh.triangles.end()}};
  const std::string file = Put("vessel.obj", ObjText({plain})).string();
  const auto read = [&](double h) {
    return ParsePairs("schema: intervox/pairs/1\nshapes: {part: {file: " + file +
                          ", voxel_size: " + Text(h) + "}}",
                      file);
  };
  const double V = EnclosedVolume(plain);
  const PairsFile coarse = read(0.11), fine = read(0.025);
  EXPECT_GT(MassOf(coarse.shapes.front().second).volume, 1.3 * V);
  ASSERT_EQ(coarse.warnings.size(), 1u);
  EXPECT_NE(coarse.warnings[0].find("Use smaller voxels"), std::string::npos);
  EXPECT_NEAR(MassOf(fine.shapes.front().second).volume, V, 0.01 * V);
  EXPECT_TRUE(fine.warnings.empty());
}

// Of triangles the study makes grids of each size; the finest stands for an exact shape.
TEST(PartGrid, IsStudiedAtEachVoxelSize) {
  SetMeshGridder(geometry::LevelSetOfMesh);
  const std::string file = Put("ell.obj", ObjText({EllMesh()})).string();
  const auto rows = [&](const std::string& part, std::vector<std::string>* notes) {
    const PairsFile pairs =
        ParsePairs("schema: intervox/pairs/1\nshapes:\n  part: " + part +
                       "\n  floor: {half_space: {normal: [0.2, 0.1, 1], offset: 0}}\npairs:\n"
                       "  - {a: part, b: floor, pose_a: {position: [0, 0, -0.005]}}\n",
                   file);
    StudySettings settings;
    settings.voxel_sizes = {1e-3, 5e-4};
    settings.rules = {LeafRule::kVoxel};
    settings.tolerances = {1e-4};
    *notes = StudyNotes(pairs, settings);
    return StudyVoxels(pairs, settings);
  };
  std::vector<std::string> notes;
  for (const std::string voxels : {"1e-3", "25e-5"}) {
    const std::vector<StudyRow> of_part =
        rows("{file: " + file + ", scale: 0.0103, up: y, voxel_size: " + voxels + "}", &notes);
    ASSERT_EQ(of_part.size(), 2u);
    ASSERT_EQ(notes.size(), 1u);
    const bool finer = voxels == "25e-5";
    EXPECT_NE(notes[0].find(finer ? "voxels of 0.00025 m" : "voxels of 0.0005 m"),
              std::string::npos)
        << notes[0];
    EXPECT_GT(of_part[0].volume_error, 1e-5);
    EXPECT_LT(of_part[0].volume_error, 0.02);
    EXPECT_EQ(of_part[1].volume_error > 0, finer);
  }
}

}  // namespace
}  // namespace intervox::host
