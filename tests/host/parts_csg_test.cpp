// OpenSCAD's .csg: each word against formulas, matrices of six digits, facets and true surfaces.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/input/error.h"
#include "host/parts/csg.h"
#include "host/scene/scene.h"
#include "host/scene/shape_metrics.h"
#include "host/scene/text.h"
#include "parts_files.h"

namespace intervox::host {
namespace {

constexpr double kPi = std::numbers::pi;

CsgSolid Read(const std::string& text, Facets facets = {}, bool y_is_up = false) {
  return ReadCsg({std::make_shared<const std::string>("part.csg"), text}, facets, y_is_up, "part");
}

InterferenceMetrics Measure(const CsgSolid& solid) {
  return MeasureSolid(Engine(), geometry::ToCells(*solid.shape), {.tolerance = 1e-8}).sum;
}

double VolumeOf(const std::string& text, Facets facets = {}) {
  return Measure(Read(text, facets)).volume;
}

void ExpectRefused(const std::string& text, const std::vector<std::string>& words) {
  std::string refusal;
  try {
    Read(text);
  } catch (const InputError& error) {
    refusal = error.what();
  }
  for (const std::string& word : words) {
    EXPECT_NE(refusal.find(word), std::string::npos) << word << " is not in: " << refusal;
  }
}

const std::string kRound = "$fn = 0, $fa = 12, $fs = 2, ";

TEST(PartsCsg, PrimitivesStandWhereOpenScadPutsThem) {
  const InterferenceMetrics corner = Measure(Read("cube(size = [1, 2, 3], center = false);"));
  EXPECT_NEAR(corner.volume, 6, 1e-12);
  EXPECT_LT(Norm(corner.p_WC - Vec3{0.5, 1, 1.5}), 1e-12);
  EXPECT_LT(Norm(Measure(Read("cube(size = 2, center = true);")).p_WC), 1e-12);
  EXPECT_NEAR(VolumeOf("sphere(" + kRound + "r = 2);"), 32 * kPi / 3, 1e-6);
  const InterferenceMetrics cone =
      Measure(Read("cylinder(" + kRound + "h = 3, r1 = 2, r2 = 1, center = false);"));
  EXPECT_NEAR(cone.volume, 7 * kPi, 1e-6);
  EXPECT_NEAR(cone.p_WC.z, 3.0 * 11 / (4 * 7), 1e-6);  // h (R² + 2Rr + 3r²) / 4 (R² + Rr + r²)
  EXPECT_NEAR(VolumeOf("cylinder(" + kRound + "h = 3, r1 = 1, r2 = 1, center = true);"), 3 * kPi,
              1e-6);
}

TEST(PartsCsg, BooleansGroupsAndMarks) {
  EXPECT_NEAR(VolumeOf("difference() { cube(size = [2, 2, 2], center = true);\n"
                       " cylinder(" +
                       kRound + "h = 3, r1 = 0.5, r2 = 0.5, center = true); }"),
              8 - 0.5 * kPi, 1e-6);
  EXPECT_NEAR(
      VolumeOf("intersection() { cube(size = 2, center = true); cube(size = 2, center = false); }"),
      1, 1e-12);
  EXPECT_NEAR(
      VolumeOf(
          "group() { color([1, 0, 0, 1]) { cube(size = 1, center = true); } render(convexity = 2) {"
          " multmatrix([[1,0,0,5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) { cube(size = 1, center = true); "
          "} } }"),
      2, 1e-12);
  EXPECT_NEAR(
      VolumeOf(
          "cube(size = 1, center = true); %cube(size = 9, center = true); // a ghost\n"
          "*cube(size = 9, center = true); #multmatrix([[1,0,0,5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) {"
          " cube(size = 1, center = true); }"),
      2, 1e-12);
  const CsgSolid dropped =
      Read("union() { cube(size = [1, 0, 1], center = true); sphere(" + kRound + "r = 1); }");
  EXPECT_EQ(dropped.empty, 1);
  EXPECT_EQ(dropped.round, 1);
}

TEST(PartsCsg, RotationsOfSixDigitsAreMadeExact) {
  // rotate([30, 40, 50]) as OpenSCAD prints it.
  const std::string matrix =
      "[[0.492404, -0.456826, 0.740843, 1], [0.586824, 0.802872, 0.10504, 2],"
      " [-0.642788, 0.383022, 0.663414, 3], [0, 0, 0, 1]]";
  const CsgSolid solid =
      Read("multmatrix(" + matrix + ") { cube(size = [1, 2, 3], center = true); }");
  const Mat3& R = solid.shape->X.R;
  const Mat3 E = Transpose(R) * R - Mat3::Identity();
  for (int i = 0; i < 3; ++i) EXPECT_LT(Norm(E.Row(i)), 1e-15);
  EXPECT_NEAR(R(0, 0), 0.492404, 2e-6);
  EXPECT_EQ(solid.shape->X.p.z, 3);
  EXPECT_NEAR(Measure(solid).volume, 6, 1e-12) << "no scale creeps in";
}

TEST(PartsCsg, MirrorsAndScales) {
  const std::string mirror = "multmatrix([[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) { ";
  const InterferenceMetrics cube =
      Measure(Read(mirror + "cube(size = [1, 2, 3], center = false); }"));
  EXPECT_NEAR(cube.volume, 6, 1e-12);
  EXPECT_LT(Norm(cube.p_WC - Vec3{-0.5, 1, 1.5}), 1e-12);
  // A tetrahedron, its faces clockwise from outside; the mirror keeps it a solid.
  const std::string tetrahedron =
      "polyhedron(points = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], faces = "
      "[[0,1,2],[0,3,1],[0,2,3],[1,3,2]], convexity = 1);";
  EXPECT_NEAR(VolumeOf(tetrahedron), 1.0 / 6, 1e-14);
  EXPECT_NEAR(Measure(Read(mirror + tetrahedron + " }")).p_WC.x, -0.25, 1e-14);
  const std::string twice = "multmatrix([[2,0,0,0],[0,2,0,0],[0,0,2,0],[0,0,0,1]]) { ";
  EXPECT_NEAR(VolumeOf(twice + "sphere(" + kRound + "r = 1); }"), 32 * kPi / 3, 1e-6);
}

TEST(PartsCsg, StretchesAndShearsAreExact) {
  const std::string stretch = "multmatrix([[2,0,0,1],[0,1,0,0],[0,0,0.5,0],[0,0,0,1]]) { ";
  const CsgSolid egg = Read(stretch + "sphere(" + kRound + "r = 1); }");
  EXPECT_TRUE(std::holds_alternative<geometry::Ellipsoid>(egg.shape->primitive));
  EXPECT_NEAR(Measure(egg).volume, 4 * kPi / 3, 1e-6);
  EXPECT_NEAR(Measure(egg).p_WC.x, 1, 1e-7);
  // Volumes go with the determinant, centroids with the map, also under shear.
  const std::string shear = "multmatrix([[2,0.5,0,1],[0,1,0.3,0],[0.1,0,0.7,0],[0,0,0,1]]) { ";
  const double det = 2 * 0.7 + 0.5 * 0.3 * 0.1;
  const Vec3 top{1, 0.3 * 0.75, 0.7 * 0.75};
  EXPECT_NEAR(VolumeOf(shear + "cube(size = [1, 2, 3], center = true); }"), 6 * det, 1e-10);
  EXPECT_NEAR(VolumeOf(shear + "sphere(" + kRound + "r = 1); }"), 4 * kPi / 3 * det, 1e-5);
  const InterferenceMetrics cylinder =
      Measure(Read(shear + "cylinder(" + kRound + "h = 1.5, r1 = 1, r2 = 1, center = false); }"));
  EXPECT_NEAR(cylinder.volume, 1.5 * kPi * det, 1e-5);
  EXPECT_LT(Norm(cylinder.p_WC - top), 1e-6);
  EXPECT_NEAR(VolumeOf(shear + "cylinder(" + kRound + "h = 3, r1 = 2, r2 = 1, center = true); }"),
              7 * kPi * det, 1e-4);
  EXPECT_NEAR(VolumeOf(shear + "cylinder(" + kRound + "h = 3, r1 = 2, r2 = 0, center = true); }"),
              4 * kPi * det, 1e-4);
}

TEST(PartsCsg, FacetsAreAsked) {
  const auto prism = [](int n) { return 0.5 * n * std::sin(2 * kPi / n); };
  const std::string hexagon =
      "cylinder($fn = 6, $fa = 12, $fs = 2, h = 1, r1 = 1, r2 = 1, center = true);";
  EXPECT_NEAR(VolumeOf(hexagon), prism(6), 1e-12);
  EXPECT_NEAR(VolumeOf(hexagon, false), kPi, 1e-7);
  // $fn = 0: max(min(360 / $fa, 2 π r / $fs), 5) sides.
  const std::string coarse = "cylinder(" + kRound + "h = 1, r1 = 1, r2 = 1, center = true);";
  EXPECT_NEAR(VolumeOf(coarse), kPi, 1e-7);
  EXPECT_NEAR(VolumeOf(coarse, true), prism(5), 1e-12);
  // OpenSCAD 2021.01: the volume of its sphere($fn = 8, r = 1) as rings of octagons.
  double sphere = 0;
  const auto area = [](double phi) { return 2 * std::sqrt(2.0) * std::sin(phi) * std::sin(phi); };
  for (int i = 0; i < 3; ++i) {
    const double a = kPi * (i + 0.5) / 4, b = kPi * (i + 1.5) / 4;
    sphere += (std::cos(a) - std::cos(b)) / 3 * (area(a) + area(b) + std::sqrt(area(a) * area(b)));
  }
  EXPECT_NEAR(VolumeOf("sphere($fn = 8, r = 1);"), sphere, 1e-12);
}

TEST(PartsCsg, AnySizeAndAnyNumberOfFacetsHold) {
  for (const double r : {1e-2, 1.0, 1e2}) {
    for (const int n : {3, 30, 300}) {
      const std::string disc = "cylinder($fn = " + std::to_string(n) + ", h = " + Text(r) +
                               ", r1 = " + Text(r) + ", r2 = " + Text(r) + ", center = true);";
      const double prism = 0.5 * n * std::sin(2 * kPi / n) * r * r * r;
      EXPECT_NEAR(VolumeOf(disc), prism, 1e-10 * prism);
      EXPECT_NEAR(VolumeOf(disc, true), prism, 1e-10 * prism);
      EXPECT_NEAR(VolumeOf(disc, false), kPi * r * r * r, 1e-6 * r * r * r);
    }
  }
}

// A hull of 11,250 corners took six seconds to be refused, one of half a million minutes.
TEST(PartsCsg, SpheresOfTooManyFacetsAreRefusedAtTheirLine) {
  for (const int n : {110, 111, 150, 1000}) {
    const std::string sphere = "sphere($fn = " + std::to_string(n) + ", r = 1);";
    ExpectRefused("\n" + sphere, {"part.csg:2", "sphere: " + std::to_string(n) + " facets",
                                  "12000 triangles", "'$fn = 100'", "facets: false"});
    ExpectRefused("hull() {\n" + sphere + "}", {"part.csg:2", "12000 triangles"});
    EXPECT_NEAR(VolumeOf(sphere, false), 4 * kPi / 3, 1e-6);
  }
}

TEST(PartsCsg, HullsOfPoints) {
  // Two unit cubes three apart.
  EXPECT_NEAR(
      VolumeOf("hull() { cube(size = 1, center = false); multmatrix([[1,0,0,3],[0,1,0,0],[0,0,1,0],"
               "[0,0,0,1]]) { cube(size = 1, center = false); } }"),
      4, 1e-12);
  ExpectRefused("hull() {\n sphere(" + kRound + "r = 1); }",
                {"part.csg:2", "sphere", "facets: true"});
  ExpectRefused("hull() { difference() { cube(size = 1, center = false); } }",
                {"difference", "hull"});
}

TEST(PartsCsg, WhatIsNotExactIsRefusedWithItsLine) {
  ExpectRefused("\n\nminkowski(convexity = 0) { cube(size = 1, center = false); }",
                {"part.csg:3: part: minkowski"});
  ExpectRefused("import(file = \"a.stl\");",
                {"part.csg:1: part: import", "unlike cube, sphere", "and render. Replace it"});
  ExpectRefused("cub(size = 1);", {"part.csg:1: part: cub: "});
  // What its author made the whole of it is not added to the rest.
  ExpectRefused("cube(size = 1, center = true);\n!cube(size = 2, center = true);",
                {"part.csg:2", "'!'", "Remove it"});
  ExpectRefused("cube(size = 1", {"part.csg:1", "')'"});
  ExpectRefused("union() { cube(size = 1, center = true);", {"'}'"});
  ExpectRefused("cube(size = [1, 2], center = true);", {"'size' is no list of 3"});
  ExpectRefused("cube(size = nan, center = true);", {"no number"});
  ExpectRefused("", {"empty"});
  ExpectRefused(
      "multmatrix([[0,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) { cube(size = 1, center = true); }",
      {"flattens"});
  ExpectRefused("polyhedron(points = [[0,0,0],[1,0,0],[0,1,0]], faces = [[0,1,7]]);",
                {"names point 7"});
  ExpectRefused("polyhedron(points = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], faces = [[0,1,2]]);",
                {"3 open edges"});
  ExpectRefused(std::string(100000, '['), {"part.csg:1"});
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "union(){";
  ExpectRefused(deep, {"nested deeper than 500"});
}

// A comment of a file whose lines end in "\r" swallowed all that followed.
TEST(PartsCsg, CommentsEndWithTheirLineOnAnySystem) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string start = "// a cube" + end + "cube(size = 1, center = true); // its end" + end;
    EXPECT_NEAR(VolumeOf(start + "multmatrix([[1,0,0,5],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) {" + end +
                         "cube(size = 2, center = true); }//"),
                9, 1e-12);
    ExpectRefused(start + "cub(size = 1);", {"part.csg:3: part: cub: "});
    ExpectRefused(start + "color(\"a \\\"word\\\"" + end + "\") { cub(size = 1); }",
                  {"part.csg:4: part: cub: "});
  }
  // A text that ends after its backslash was read beyond its end.
  ExpectRefused("color(\"red\\", {"part.csg:1", "'\"'", "the end of the file"});
}

// A matrix that places an L far away made it its hull: 4e-7 of where it stood was rounding.
TEST(PartsCsg, PolyhedraAreJudgedAsTheyAreWritten) {
  const TriangleMesh ell = LongEllMesh();
  std::string points, faces;
  for (const Vec3& p : ell.p) points += Text(p) + ",";
  for (const auto& t : ell.triangles) {
    faces += Text(Vec3{1.0 * t[0], 1.0 * t[2], 1.0 * t[1]}) + ",";
  }
  for (const std::string x : {"0", "1e3", "1e7"}) {
    const std::string matrix = "multmatrix([[1,0,0," + x + "],[0,1,0,0],[0,0,1,0],[0,0,0,1]]) {";
    ExpectRefused(matrix + "polyhedron(points = [" + points + "], faces = [" + faces + "]); }",
                  {"not convex", "CoACD"});
  }
}

// A radius that was called r, or had no name, was left out of account: the solid had r = 1.
TEST(PartsCsg, ArgumentsThatAreNotReadAreRefused) {
  for (const std::string text :
       {"cylinder(h = 1, r = 2);", "cylinder(h = 1, d1 = 2, r2 = 1);", "sphere(d = 4);",
        "cube(size = 1, centre = true);", "polyhedron(points = [], faces = [], r = 1);",
        "hull() { sphere($fn = 6, d = 4); }"}) {
    ExpectRefused("\n" + text, {"part.csg:2", "is unknown", "openscad -o"});
  }
  for (const std::string text : {"sphere(3);", "cylinder(2, 1, 1);", "cube([1, 2, 3]);"}) {
    ExpectRefused("\n" + text, {"part.csg:2", "without its name", "A .csg has"});
  }
  ExpectRefused("cube(size = 1, center = 1);", {"'center' is neither true nor false"});
  EXPECT_NEAR(VolumeOf("cylinder($fn = 0, $fe = 7, h = 1, r1 = 2, r2 = 2, center = false);"),
              4 * kPi, 1e-6);
}

TEST(PartsCsg, YUpTurnsTheWholeTree) {
  const InterferenceMetrics m = Measure(Read("cube(size = [1, 2, 3], center = false);", {}, true));
  EXPECT_LT(Norm(m.p_WC - Vec3{0.5, -1.5, 1}), 1e-12);
}

}  // namespace
}  // namespace intervox::host
