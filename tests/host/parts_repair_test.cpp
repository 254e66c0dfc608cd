// Repair of meshes: holes are closed, near vertices joined, surfaces turned, and each is said with
// its count and place.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "host/input/error.h"
#include "host/parts/defects.h"
#include "host/parts/holes.h"
#include "host/parts/part.h"
#include "host/scene/shape_metrics.h"
#include "parts_files.h"

namespace intervox::host {
namespace {

const TriangleMesh kBrick = BoxMesh({0, 0, 0}, {0.3, 0.2, 0.1});

std::filesystem::path Put(const std::string& text) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("intervox_repair_" + test + ".obj");
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/** Volume and report of objects that are mended. */
struct Mended {
  double volume = 0;
  std::string report;
};

Mended Mend(const std::vector<TriangleMesh>& objects) {
  const Part part = ReadPart(Put(ObjText(objects)), {.repair = true}, "part");
  Mended mended;
  mended.volume =
      MeasureSolid(Engine(), geometry::ToCells(*part.shape), {.tolerance = 1e-9}).sum.volume;
  for (const std::string& line : part.report) mended.report += line + "\n";
  return mended;
}

void ExpectSaid(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
  }
}

TriangleMesh Without(TriangleMesh mesh, std::vector<int> triangles) {
  for (auto t = triangles.rbegin(); t != triangles.rend(); ++t) {
    mesh.triangles.erase(mesh.triangles.begin() + *t);
  }
  return mesh;
}

TriangleMesh Inwards(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TEST(PartsRepair, FlatHolesGetFlatLids) {
  // BoxMesh has two triangles for each face: bottom, top, front, back, left, right.
  const struct {
    std::vector<int> missing;
    std::string said;
  } cases[] = {
      {{3}, "1 hole closed by 1 triangle, the widest 0.36055"},
      {{2, 3}, "1 hole closed by 2 triangles"},
      {{0, 1, 2, 3}, "2 holes closed by 4 triangles"},
      {{0, 5, 10}, "3 holes closed by 3 triangles"},
  };
  for (const auto& [missing, said] : cases) {
    for (const double scale : {1e-2, 1.0, 1e2}) {
      TriangleMesh open = Without(kBrick, missing);
      for (Vec3& p : open.p) p = scale * p;
      const Mended mended = Mend({open});
      const double volume = 0.006 * scale * scale * scale;
      EXPECT_NEAR(mended.volume, volume, 1e-14 * volume);
      if (scale == 1) ExpectSaid(mended.report, {said, "1 convex piece of 6 faces"});
    }
  }
}

TEST(PartsRepair, ALongHoleHasAVertexInItsMiddle) {
  // A cylinder of many sides without its ends.
  for (const int n : {12, kMostHoleEdges + 100}) {
    TriangleMesh tube;
    for (int k = 0; k < n; ++k) {
      const double a = 2 * std::numbers::pi * k / n;
      tube.p.push_back({std::cos(a), std::sin(a), 0});
      tube.p.push_back({std::cos(a), std::sin(a), 2});
      const int i = 2 * k, j = 2 * ((k + 1) % n);
      tube.triangles.push_back({i, j, j + 1});
      tube.triangles.push_back({i, j + 1, i + 1});
    }
    const ClosedHoles closed = CloseHoles(&tube);
    EXPECT_EQ(closed.holes, 2);
    EXPECT_EQ(closed.triangles, n > kMostHoleEdges ? 2 * n : 2 * (n - 2));
    EXPECT_NEAR(closed.widest, 2 * std::sqrt(2.0), 1e-3);
    EXPECT_TRUE(FindDefects(tube).empty());
    EXPECT_NEAR(EnclosedVolume(tube), n * std::sin(2 * std::numbers::pi / n), 1e-12);
  }
}

TEST(PartsRepair, AnOutlineThatIsNotConvexIsFilledWithinItself) {
  // The L without its lower face.
  TriangleMesh open = EllMesh();
  std::erase_if(open.triangles, [](const auto& t) { return t[0] < 6 && t[1] < 6 && t[2] < 6; });
  const ClosedHoles closed = CloseHoles(&open);
  EXPECT_EQ(closed.holes, 1);
  EXPECT_EQ(closed.triangles, 4);
  EXPECT_TRUE(FindDefects(open).empty());
  EXPECT_NEAR(EnclosedVolume(open), 3, 1e-14);
  double area = 0;
  for (std::size_t t = open.triangles.size() - 4; t < open.triangles.size(); ++t) {
    const auto& v = open.triangles[t];
    area += 0.5 * Norm(Cross(open.p[v[1]] - open.p[v[0]], open.p[v[2]] - open.p[v[0]]));
  }
  EXPECT_NEAR(area, 3, 1e-14);
}

TEST(PartsRepair, FacesThatNearlyMeetAreJoined) {
  TriangleMesh loose;
  for (std::size_t face = 0; face < 6; ++face) {
    TriangleMesh one = kBrick;
    one.triangles = {kBrick.triangles[2 * face], kBrick.triangles[2 * face + 1]};
    for (Vec3& p : one.p) p += 1e-8 * Vec3{static_cast<double>(face), 1, 2};
    Append(one, &loose);
  }
  const Mended mended = Mend({loose});
  EXPECT_NEAR(mended.volume, 0.006, 1e-8);
  ExpectSaid(mended.report, {"vertices of open edges joined with near ones, the first at ["});
}

TEST(PartsRepair, ACornerOnAnEdgeIsACrack) {
  // The middle of the edge between top and front is a corner of the top only.
  TriangleMesh crack = kBrick;
  crack.p.push_back({0.15, 0, 0.1});
  std::erase_if(crack.triangles, [](const auto& t) { return t[0] == 4 && t[1] == 5 && t[2] == 7; });
  crack.triangles.push_back({4, 8, 7});
  crack.triangles.push_back({8, 5, 7});
  const Mended mended = Mend({crack});
  EXPECT_NEAR(mended.volume, 0.006, 1e-16);
  ExpectSaid(mended.report, {"1 hole closed by 1 triangle", "6 faces"});
}

TEST(PartsRepair, OneOfTwoSurfacesIsTurned) {
  TriangleMesh two = kBrick;
  Append(Inwards(BoxMesh({1, 0, 0}, {1.1, 0.2, 0.1})), &two);
  const Mended mended = Mend({two});
  EXPECT_NEAR(mended.volume, 0.008, 1e-16);
  ExpectSaid(mended.report, {"1 surface turned inside out at [1"});
}

TEST(PartsRepair, WhatEnclosesNothingIsDropped) {
  TriangleMesh sheet;
  sheet.p = {{2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const Mended mended = Mend({kBrick, sheet});
  EXPECT_NEAR(mended.volume, 0.006, 1e-17);
  ExpectSaid(mended.report, {"1 surface that encloses nothing dropped at [2"});
  try {
    Mend({sheet});
    ADD_FAILURE() << "a sheet is no solid";
  } catch (const InputError& refusal) {
    ExpectSaid(refusal.what(), {"enclose no volume", "Export a solid"});
  }
}

TEST(PartsRepair, WithoutItTheMessageNamesIt) {
  try {
    ReadPart(Put(ObjText({Without(kBrick, {3})})), {}, "part");
    ADD_FAILURE() << "an open brick was taken";
  } catch (const InputError& refusal) {
    ExpectSaid(refusal.what(), {"3 open edges, the first at [", "Add 'repair: true'."});
  }
}

}  // namespace
}  // namespace intervox::host
