// Parts from files: what is read, refused and mended, and that results of scenes with parts stand
// alone.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "cli_call.h"
#include "host/input/error.h"
#include "host/parts/part.h"
#include "host/scene/pairs.h"
#include "host/scene/scene.h"
#include "host/scene/shape_metrics.h"
#include "host/world/world.h"
#include "parts_files.h"

namespace intervox::host {
namespace {

/** Writes bytes to a file of the tests' own folder. */
fs::path Put(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / ("intervox_parts_" + name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

InterferenceMetrics Measure(const geometry::ShapePtr& shape) {
  return MeasureSolid(Engine(), geometry::ToCells(*shape), {.tolerance = 1e-9}).sum;
}

double VolumeOf(const fs::path& path, const PartOptions& options = {}) {
  return Measure(ReadPart(path, options, "part").shape).volume;
}

/** What a file is refused with; empty where it is taken. */
std::string Refusal(const fs::path& path, const PartOptions& options = {}) {
  try {
    ReadPart(path, options, "part");
  } catch (const InputError& refusal) {
    return refusal.what();
  }
  return "";
}

void ExpectRefused(const fs::path& path, const std::vector<std::string>& words,
                   const PartOptions& options = {}) {
  const std::string refusal = Refusal(path, options);
  for (const std::string& word : words) {
    EXPECT_NE(refusal.find(word), std::string::npos) << word << " is not in: " << refusal;
  }
}

const TriangleMesh kBrick = BoxMesh({0, 0, 0}, {0.3, 0.2, 0.1});

TEST(Parts, EveryFormatIsTheSameHullToTheBit) {
  const std::vector<fs::path> files{
      Put("brick.obj", ObjText({kBrick})),
      Put("text.STL", StlText({kBrick})),
      Put("ascii.ply", PlyBytes(kBrick, "ascii")),
      Put("little.ply", PlyBytes(kBrick, "binary_little_endian")),
      Put("big.ply", PlyBytes(kBrick, "binary_big_endian")),
  };
  for (const fs::path& file : files) {
    const Part part = ReadPart(file, {}, "part");
    ASSERT_EQ(part.shape->operation, geometry::Operation::kPrimitive) << file;
    const std::vector<geometry::Cell> cells = geometry::ToCells(*part.shape);
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0].surfaces.size(), 6u) << "coplanar triangles are one face";
    EXPECT_NEAR(Measure(part.shape).volume, 0.006, 1e-17) << file;
    EXPECT_NE(part.report.front().find("12 triangles, 8 vertices"), std::string::npos);
  }
}

TEST(Parts, SinglePrecisionIsTakenAsItStands) {
  EXPECT_NEAR(VolumeOf(Put("binary.stl", StlBytes(kBrick))), 0.006, 1e-9);
}

TEST(Parts, MarksOfEditorsBeforeTheTextDoNoHarm) {
  const std::string mark = "\xEF\xBB\xBF", cube = "cube(size = [0.3, 0.2, 0.1], center = true);";
  for (const auto& [name, text] :
       {std::pair{"mark.stl", StlText({kBrick})}, std::pair{"mark.obj", ObjText({kBrick})},
        std::pair{"mark.ply", PlyBytes(kBrick, "ascii")}, std::pair{"mark.csg", cube}}) {
    EXPECT_NEAR(VolumeOf(Put(name, mark + text)), 0.006, 1e-17) << name;
    for (const bool little : {true, false}) {
      std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
      for (const char c : text) wide += little ? std::string{c, '\0'} : std::string{'\0', c};
      ExpectRefused(Put(name, wide), {name, "UTF-16", "Save it as UTF-8"});
    }
  }
  // A binary header may begin with anything.
  std::string binary = StlBytes(kBrick);
  binary.replace(0, 2, "\xFF\xFE");
  EXPECT_NEAR(VolumeOf(Put("header.stl", binary)), 0.006, 1e-9);
}

TEST(Parts, PiecesAreAUnion) {
  const TriangleMesh beside = BoxMesh({0.3, 0, 0}, {0.5, 0.2, 0.1});
  const TriangleMesh over = BoxMesh({0.2, 0.1, 0}, {0.4, 0.3, 0.1});
  EXPECT_NEAR(VolumeOf(Put("two.obj", ObjText({kBrick, beside}))), 0.01, 1e-15);
  EXPECT_NEAR(VolumeOf(Put("overlap.obj", ObjText({kBrick, over}))), 0.006 + 0.004 - 0.001, 1e-15);
  EXPECT_NEAR(VolumeOf(Put("solids.stl", StlText({kBrick, over}))), 0.009, 1e-15);
  const fs::path folder = fs::path(testing::TempDir()) / "intervox_parts_folder";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "a.obj") << ObjText({kBrick});
  std::ofstream(folder / "b.stl") << StlText({beside});
  std::ofstream(folder / "readme.txt") << "not a mesh";
  EXPECT_NEAR(VolumeOf(folder), 0.01, 1e-15);
}

TEST(Parts, GroupsOfOneSurfaceAreOneSolid) {
  // The faces of a brick in two groups: neither is closed, together they are.
  std::string text = ObjText({kBrick});
  text.replace(text.find("o piece_0"), 9, "g lower  ");
  std::size_t at = text.find("f ");
  for (int k = 0; k < 6; ++k) at = text.find("\nf ", at + 1);
  text.insert(at, "\ng upper");
  EXPECT_NEAR(VolumeOf(Put("groups.obj", text)), 0.006, 1e-17);
}

TEST(Parts, YUpIsATurn) {
  const Part part = ReadPart(Put("up.obj", ObjText({kBrick})), {.y_is_up = true}, "part");
  const Vec3 centroid = Measure(part.shape).p_WC;
  EXPECT_LT(Norm(centroid - Vec3{0.15, -0.05, 0.1}), 1e-15);
}

/** Triangles of a ball, rings by latitude and longitude. */
TriangleMesh BallMesh(int rings, double radius) {
  TriangleMesh mesh;
  const int n = 2 * rings;
  const double pi = std::acos(-1.0);
  mesh.p.push_back({0, 0, radius});
  for (int i = 1; i < rings; ++i) {
    for (int k = 0; k < n; ++k) {
      const double a = pi * i / rings, b = 2 * pi * k / n;
      mesh.p.push_back(radius *
                       Vec3{std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)});
    }
  }
  mesh.p.push_back({0, 0, -radius});
  const int last = static_cast<int>(mesh.p.size()) - 1;
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    mesh.triangles.push_back({0, 1 + k, 1 + next});
    mesh.triangles.push_back({last, last - n + next, last - n + k});
    for (int i = 0; i + 2 < rings; ++i) {
      const int a = 1 + i * n + k, b = 1 + i * n + next;
      mesh.triangles.push_back({a, a + n, b + n});
      mesh.triangles.push_back({a, b + n, b});
    }
  }
  return mesh;
}

TEST(Parts, AnySizeHoldsByAHundredBothWays) {
  // A hull of many points beside and within bricks, in units from micrometres to hundreds of
  // metres.
  for (const int rings : {3, 16}) {
    TriangleMesh ball = BallMesh(rings, 0.1);
    for (Vec3& p : ball.p) p += Vec3{1, 0, 0};
    const double whole = EnclosedVolume(ball) + 0.006 + 0.004 - 0.001;
    for (const double s : {1e-4, 1.0, 1e2}) {
      std::vector<TriangleMesh> objects{kBrick, BoxMesh({0.2, 0.1, 0}, {0.4, 0.3, 0.1}), ball};
      for (TriangleMesh& object : objects) {
        for (Vec3& p : object.p) p = s * p;
      }
      const fs::path file = Put("sizes.obj", ObjText(objects));
      const InterferenceMetrics flat = Measure(ReadPart(file, {}, "part").shape);
      const InterferenceMetrics up = Measure(ReadPart(file, {.y_is_up = true}, "part").shape);
      EXPECT_NEAR(flat.volume, whole * s * s * s, 1e-9 * whole * s * s * s);
      EXPECT_NEAR(up.volume, flat.volume, 1e-9 * flat.volume);
      EXPECT_LT(Norm(up.p_WC - Vec3{flat.p_WC.x, -flat.p_WC.z, flat.p_WC.y}), 1e-9 * s);
    }
  }
}

TEST(Parts, WhatNeedsAGridIsRefusedWithARemedy) {
  ExpectRefused(Put("ell.obj", ObjText({EllMesh()})), {"not convex", "grid", "CoACD", "ell.obj"});
  // A hollow: the inner shell is turned round.
  TriangleMesh hollow = kBrick;
  for (const auto& t : BoxMesh({0.05, 0.05, 0.02}, {0.2, 0.1, 0.05}).triangles) {
    hollow.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
  }
  for (const Vec3& p : BoxMesh({0.05, 0.05, 0.02}, {0.2, 0.1, 0.05}).p) hollow.p.push_back(p);
  ExpectRefused(Put("hollow.obj", ObjText({hollow})), {"hollow at", "grid"});
  // A dent of a thousandth, and one of a thousandth of a millionth, which is rounding.
  for (const double dent : {1e-3, 1e-9}) {
    TriangleMesh dented = kBrick;
    dented.p.push_back({0.15, 0.1, 0.1 - dent});
    dented.triangles.erase(dented.triangles.begin() + 2, dented.triangles.begin() + 4);
    for (const auto& [a, b] :
         {std::pair{4, 5}, std::pair{5, 7}, std::pair{7, 6}, std::pair{6, 4}}) {
      dented.triangles.push_back({a, b, 8});
    }
    EXPECT_EQ(Refusal(Put("dent.obj", ObjText({dented}))).empty(), dent < 1e-6) << dent;
  }
}

TEST(Parts, CrossingTrianglesAreCounted) {
  // A bow tie: a prism whose outline crosses itself, closed all the same.
  TriangleMesh tie;
  for (const double z : {0.0, 1.0}) {
    for (const Vec3& p : {Vec3{0, 0, z}, Vec3{2, 1.5, z}, Vec3{2, 0, z}, Vec3{0, 1, z}}) {
      tie.p.push_back(p);
    }
  }
  tie.triangles = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}};
  for (int k = 0; k < 4; ++k) {
    const int n = (k + 1) % 4;
    tie.triangles.push_back({k, n, n + 4});
    tie.triangles.push_back({k, n + 4, k + 4});
  }
  ExpectRefused(Put("tie.obj", ObjText({tie})), {"that cross"}, {.repair = true});
}

TEST(Parts, DefectsAreCountedAndPlaced) {
  TriangleMesh open = kBrick;
  open.triangles.pop_back();
  ExpectRefused(Put("open.obj", ObjText({open})), {"3 open edges", "the first at ["});
  TriangleMesh inverted = kBrick;
  for (auto& t : inverted.triangles) std::swap(t[0], t[1]);
  ExpectRefused(Put("inverted.obj", ObjText({inverted})),
                {"1 surface turned inside out", "repair"});
  TriangleMesh turned = kBrick;
  std::swap(turned.triangles[3][0], turned.triangles[3][1]);
  ExpectRefused(Put("turned.obj", ObjText({turned})), {"3 edges between", "repair"});
  TriangleMesh twice = kBrick;
  twice.triangles.push_back(twice.triangles[5]);
  ExpectRefused(Put("twice.obj", ObjText({twice})), {"1 double triangle at", "3 edges of more"});
  TriangleMesh degenerate = kBrick;
  degenerate.triangles.push_back({1, 1, 2});
  ExpectRefused(Put("degenerate.obj", ObjText({degenerate})), {"1 degenerate triangle at"});
  TriangleMesh flat;
  flat.p = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  flat.triangles = {{0, 1, 2}, {0, 2, 1}};
  EXPECT_FALSE(Refusal(Put("flat.obj", ObjText({flat}))).empty());
  std::string nan = ObjText({kBrick});
  nan.replace(nan.find("v 0.3"), 5, "v nan");
  ExpectRefused(Put("nan.obj", nan), {"1 vertex that is not finite"}, {.repair = true});
  std::string huge = ObjText({kBrick});
  huge.replace(huge.find("v 0.3"), 5, "v 1e999");
  ExpectRefused(Put("huge.obj", huge), {"not finite"});
}

TEST(Parts, RepairMendsExactlyAndSaysSo) {
  TriangleMesh broken = kBrick;
  for (auto& t : broken.triangles) std::swap(t[0], t[1]);     // inside out
  std::swap(broken.triangles[3][0], broken.triangles[3][1]);  // but for one
  broken.triangles.push_back(broken.triangles[5]);            // twice
  broken.triangles.push_back({1, 1, 2});                      // degenerate
  const Part part = ReadPart(Put("broken.obj", ObjText({broken})), {.repair = true}, "part");
  EXPECT_NEAR(Measure(part.shape).volume, 0.006, 1e-17);
  std::string report;
  for (const std::string& line : part.report) report += line + "\n";
  for (const char* done : {"1 degenerate triangle dropped", "1 double triangle dropped",
                           "1 triangle turned", "1 surface turned inside out"}) {
    EXPECT_NE(report.find(done), std::string::npos) << done << " is not in: " << report;
  }
}

TEST(Parts, HostileFilesAreRefused) {
  ExpectRefused("/nowhere/part.stl", {"no such file"});
  ExpectRefused(Put("part.step", "x"), {".stl"});
  ExpectRefused(Put("zeros.stl", std::string(1 << 20, '\0')), {"says at byte 80", "0 triangles"});
  ExpectRefused(Put("zeros.obj", std::string(1 << 20, '\0')), {"no triangle"});
  ExpectRefused(Put("zeros.ply", std::string(1 << 20, '\0')), {"ply"});
  ExpectRefused(Put("cut.stl", StlBytes(kBrick).substr(0, 300)), {"cut off"});
  ExpectRefused(Put("cut_text.stl", StlText({kBrick}).substr(0, 700)), {"stl:45", "'loo'"});
  ExpectRefused(Put("cut.ply", PlyBytes(kBrick, "binary_big_endian").substr(0, 300)), {"cut off"});
  std::string lies = PlyBytes(kBrick, "binary_little_endian");
  lies.replace(lies.find("vertex 8"), 8, "vertex 4000000000000");
  ExpectRefused(Put("lies.ply", lies), {"4000000000000"});
  std::string beyond = ObjText({kBrick});
  ExpectRefused(Put("beyond.obj", beyond + "f 1 2 99\n"), {"names vertex '99'", ":"});
  ExpectRefused(Put("speck.stl", StlBytes(BoxMesh({0, 0, 0}, {3e-30, 2e-30, 1e-30}))),
                {"speck.stl: part: it is smaller than 1e-12", "give a scale"});
  EXPECT_EQ(Refusal(Put("dust.stl", StlBytes(BoxMesh({0, 0, 0}, {3e-12, 2e-12, 1e-12})))), "");
  const fs::path sparse = Put("sparse.stl", "");
  fs::resize_file(sparse, 2ull << 30);
  ExpectRefused(sparse, {"larger than 256 MiB"});
  fs::remove(sparse);
}

// An empty .glb was "invalid parameters", a folder of .csg had "none of … .csg", and a line that
// ends early was the end of the file.
TEST(Parts, WhatIsMissingIsSaid) {
  for (const char* name :
       {"nothing.glb", "nothing.3mf", "nothing.obj", "nothing.stl", "nothing.ply"}) {
    ExpectRefused(Put(name, ""), {name, "the file is empty"});
  }
  const fs::path trees = Folder("parts_trees");
  Write(trees / "a.csg", "cube(size = 1, center = true);");
  ExpectRefused(trees, {"no file of triangles", ".3mf, .glb. ", "a .csg is named itself"});
  ExpectRefused(Put("line.obj", "v 1 2\nv 0 0 0\n"), {"line.obj:1", "found the end of the line"});
  ExpectRefused(Put("line.ply", "ply\nformat\nelement vertex 8\n"),
                {"line.ply:2", "the end of the line"});
  ExpectRefused(Put("file.ply", "ply\nformat ascii 1.0\n"), {"the end of the file"});
}

TEST(Parts, MutatedFilesAreReadOrRefused) {
  const std::vector<std::pair<std::string, std::string>> seeds{
      {"fuzz.obj", ObjText({kBrick, EllMesh()})},
      {"fuzz_text.stl", StlText({kBrick})},
      {"fuzz.stl", StlBytes(kBrick)},
      {"fuzz_text.ply", PlyBytes(kBrick, "ascii")},
      {"fuzz.ply", PlyBytes(kBrick, "binary_little_endian")},
      {"fuzz.csg",
       "difference() { cube(size = [1, 2, 3], center = true); multmatrix([[1, 0, 0, 1],"
       " [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) { sphere($fn = 0, r = 1); } }\n"}};
  std::mt19937 random(5);
  int refused = 0;
  for (int k = 0; k < 300; ++k) {
    const auto& [name, seed] = seeds[random() % seeds.size()];
    std::string bytes = seed;
    for (unsigned n = 1 + random() % 8; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    try {
      geometry::ToCells(*ReadPart(Put(name, bytes), {.repair = random() % 2 == 0}, "part").shape);
    } catch (const InputError&) {
      ++refused;
    } catch (const std::invalid_argument&) {
      ++refused;  // a solid that is not finite or too large
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 300);
}

/** A scene in which the brick of a file falls on a floor. */
std::string SceneText(const std::string& file) {
  return "schema: intervox/scene/2\nduration: 0.01\n"
         "shapes:\n  brick: {file: " +
         file +
         ", scale: 0.5}\n"
         "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
         "materials: {steel: {density: 7800}}\n"
         "contact_models: {default: {normal: {model: gonthier, stiffness: 1e8, restitution: "
         "0.5}}}\n"
         "bodies:\n  floor: {shape: floor, fixed: true}\n"
         "  brick: {shape: brick, material: steel, pose: {position: [0, 0, -1e-6]}}\n";
}

TEST(Parts, PathsStartAtTheFileThatNamesThem) {
  const fs::path folder = Folder("parts_paths");
  fs::create_directories(folder / "sub");
  Write(folder / "sub" / "brick.obj", ObjText({kBrick}));
  Write(folder / "sub" / "shapes.yaml",
        "schema: intervox/pairs/1\nshapes: {brick: {file: brick.obj}}\n");
  const std::string top = Write(folder / "top.yaml",
                                "schema: intervox/pairs/1\ninclude: [sub/shapes.yaml]\n"
                                "shapes: {other: {file: sub/brick.obj, up: y, scale: 2}}\n");
  const PairsFile file = LoadPairs(top);
  ASSERT_EQ(file.shapes.size(), 2u);
  EXPECT_NEAR(Measure(file.shapes[1].second).volume, 8 * 0.006, 1e-14);
  EXPECT_EQ(file.parts.size(), 2u);
  const Outcome info = Call("info " + top);
  EXPECT_EQ(info.status, 0) << info.text;
  EXPECT_NE(info.text.find("1 convex piece of 6 faces"), std::string::npos) << info.text;
  EXPECT_NE(info.text.find("other: 1 cell, 0.048 m3, within ["), std::string::npos) << info.text;
}

TEST(Parts, InfoDoubtsTheUnitOfWhatIsLongerThanTenMetres) {
  const fs::path folder = Folder("parts_units");
  for (const double size : {1e-3, 0.1, 9.9, 10.1, 1e3, 1e5}) {
    const std::string part =
        Write(folder / "part.obj", ObjText({BoxMesh({0, 0, 0}, {size, 0.1 * size, 0.1 * size})}));
    const Outcome info = Call("info " + part);
    EXPECT_EQ(info.status, 0) << info.text;
    EXPECT_EQ(info.text.find("{file: part.obj, scale: 0.001}") != std::string::npos, size > 10)
        << size << ": " << info.text;
  }
}

/** A scene of one fixed body with this shape. */
fs::path PutScene(const std::string& name, const std::string& shape) {
  return Put(name,
             "schema: intervox/scene/2\nname: large\nduration: 2e-3\nintegrator: {step: 1e-3}\n"
             "contact_models:\n  default: {normal: {model: gonthier, stiffness: 1e7, restitution: "
             "0.5}}\n"
             "bodies:\n  bracket: {shape: " +
                 shape +
                 ", fixed: true}\n  ball: {shape: {sphere: {radius: 0.1}}, mass: 1, pose: "
                 "{position: [0, 0, -5]}}\n");
}

int CountOf(const std::string& word, const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Parts, ScenesDoubtTheUnitOfTheirPartsAsInfoDoes) {
  const std::string part = Put("scene_large.obj", ObjText({BoxMesh({}, {60, 20, 10})})).string();
  const std::string name = fs::path(part).filename().string();
  const std::string told =
      "bodies.bracket: read from " + name +
      " it is 60 m long. If that was drawn in millimetres, write {file: " + name +
      ", scale: 0.001}.";
  const auto quiet = [](const std::string& shape) {
    return MakeWorld(LoadScene(PutScene("scene_fine.yaml", shape)))->warnings;
  };
  for (const std::string& shape :
       {"{file: " + name + "}", std::string("{ref: bracket}"),
        std::string("{ref: bracket, scale: 1.0}"),
        std::string(
            "{union: [bracket, {box: {size: [1, 1, 12]}, pose: {position: [5, 5, 5]}}]}")}) {
    const fs::path scene = PutScene("scene_large.yaml", shape);
    std::ofstream(scene, std::ios::app) << "shapes:\n  bracket: {file: " << name << "}\n";
    for (const std::string& call : {"run " + scene.string() + " -o " + scene.string() + ".h5 ",
                                    "validate " + scene.string(), "info " + scene.string()}) {
      EXPECT_EQ(CountOf(told, Call(call).text), 1) << call << "\n" << Call(call).text;
    }
    EXPECT_EQ(
        CountOf("metres", Call("run -q " + scene.string() + " -o " + scene.string() + ".h5").text),
        0);
  }
  EXPECT_TRUE(quiet("{file: " + name + ", scale: 0.001}").empty());
  EXPECT_TRUE(quiet("{file: " + name + ", scale: 0.1}").empty());
  EXPECT_TRUE(quiet("{box: {size: [60, 20, 10]}}").empty()) << "it is no part";
  EXPECT_TRUE(quiet("{half_space: {normal: [0, 0, 1], offset: -20}}").empty());
  const fs::path scaled = PutScene("scene_scaled.yaml", "{ref: bracket, scale: 0.001}");
  std::ofstream(scaled, std::ios::app) << "shapes:\n  bracket: {file: " << name << "}\n";
  EXPECT_TRUE(MakeWorld(LoadScene(scaled))->warnings.empty());
}

TEST(Parts, DigitsThatSinglePrecisionLosesFarFromTheOriginAreTold) {
  for (const double size : {0.01, 1.0, 100.0}) {
    for (const double away : {0.0, 10.0, 1e3, 1e5}) {
      const Vec3 corner = (away * size) * Vec3{1, 1, 1};
      const TriangleMesh brick = BoxMesh(corner, corner + size * Vec3{0.3, 0.2, 0.1});
      const Part part = ReadPart(Put("far.stl", StlBytes(brick)), {}, "part");
      ASSERT_EQ(part.warnings.size(), away >= 1e3 ? 1u : 0u) << size << " " << away;
      EXPECT_TRUE(ReadPart(Put("far_text.stl", StlText({brick})), {}, "part").warnings.empty());
      if (away < 1e3) continue;
      for (const char* word : {"far.stl", "single precision", "multiples of", "to the origin"}) {
        EXPECT_NE(part.warnings[0].find(word), std::string::npos) << part.warnings[0];
      }
    }
  }
  // Steps of 1/128 m at 1e5 m, in a part of 0.04 m.
  const TriangleMesh brick = BoxMesh({1e5, 1e5, 1e5}, {1e5 + 0.0123, 1e5 + 0.0234, 1e5 + 0.0345});
  const fs::path file = Put("far_scene.stl", StlBytes(brick));
  for (const std::string& call :
       {"info " + file.string(),
        "validate " + PutScene("far.yaml", "{file: " + file.filename().string() + "}").string()}) {
    EXPECT_EQ(CountOf("multiples of 0.0078125", Call(call).text), 1) << Call(call).text;
  }
  // So far that its corners fall together: the remedy is no repair.
  ExpectRefused(
      Put("farther.stl", StlBytes(BoxMesh({1e6, 1e6, 1e6}, {1e6 + 0.01, 1e6 + 0.02, 1e6 + 0.03}))),
      {"degenerate", "multiples of 0.0625", "to the origin"});
}

// An L far from the origin became its hull, a sixth larger, because 4e-7 of its coordinates is more
// than its notch is deep.
TEST(Parts, HollowsThatCountAsRoundingFarFromTheOriginAreTold) {
  for (const double size : {0.01, 1.0, 10.0}) {
    for (const double away : {0.0, 10.0, 1e3, 1e5, 1e7}) {
      TriangleMesh ell = LongEllMesh(), brick = kBrick;
      for (TriangleMesh* mesh : {&ell, &brick}) {
        for (Vec3& p : mesh->p) p = size * p + (away * size) * Vec3{1, 1, 1};
      }
      EXPECT_TRUE(ReadPart(Put("far_brick.obj", ObjText({brick})), {}, "part").warnings.empty());
      if (away < 1e7) continue;  // a grid, or refused without OpenVDB
      const Part part = ReadPart(Put("far_ell.obj", ObjText({ell})), {}, "part");
      ASSERT_EQ(part.warnings.size(), 1u) << size << " " << away;
      for (const char* word : {"far_ell.obj", "deep inside its hull", "to the origin"}) {
        EXPECT_NE(part.warnings[0].find(word), std::string::npos) << part.warnings[0];
      }
    }
  }
}

// Texts of systems whose lines end with a carriage return alone, and those that mix them.
TEST(Parts, LinesEndAsAnySystemEndsThem) {
  const auto with = [](std::string text, const std::string& end) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size()) {
      text.replace(at, 1, end);
    }
    return text;
  };
  const TriangleMesh beside = BoxMesh({0.3, 0, 0}, {0.5, 0.2, 0.1});
  for (const char* end : {"\r", "\r\n", "\n", "\r\r"}) {
    EXPECT_NEAR(VolumeOf(Put("end.stl", with(StlText({kBrick, beside}), end))), 0.01, 1e-15);
    EXPECT_NEAR(VolumeOf(Put("end.obj", with(ObjText({kBrick, beside}), end))), 0.01, 1e-15);
    EXPECT_NEAR(VolumeOf(Put("end.ply", with(PlyBytes(kBrick, "ascii"), end))), 0.006, 1e-15);
  }
  std::string mixed = StlText({kBrick, beside});
  mixed.replace(mixed.find('\n'), 1, "\r");
  EXPECT_NEAR(VolumeOf(Put("mixed.stl", mixed)), 0.01, 1e-15);
  // Lines are counted all the same.
  std::string text = with(StlText({kBrick}), "\r");
  text.replace(text.find("endloop"), 7, "endlop ");
  ExpectRefused(Put("lines.stl", text), {"lines.stl:7", "'endlop'"});
}

TEST(Parts, KeysOfFilesStandBesideFilesOnly) {
  const fs::path folder = Folder("parts_keys");
  const std::string file = Write(folder / "a.yaml",
                                 "schema: intervox/pairs/1\nshapes:\n"
                                 "  a: {sphere: {radius: 1}, repair: true}\n");
  const Outcome outcome = Call("info " + file);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("a.yaml:3: shapes.a.repair"), std::string::npos) << outcome.text;
}

TEST(Parts, MessagesNameBothPlaces) {
  const fs::path folder = Folder("parts_places");
  Write(folder / "bad.obj", "v 0 0 0\nv 1 x 0\n");
  const std::string file =
      Write(folder / "a.yaml", "schema: intervox/pairs/1\nshapes:\n  a: {file: bad.obj}\n");
  const Outcome outcome = Call("metrics --shape a " + file);
  EXPECT_EQ(outcome.status, 2);
  for (const char* word : {"a.yaml:3: shapes.a.file: ", "bad.obj:2: part: ", "'x'"}) {
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word << " not in " << outcome.text;
  }
}

TEST(Parts, ResultsStandAloneAndAChangedPartIsNoticed) {
  const fs::path folder = Folder("parts_replay");
  Write(folder / "brick.obj", ObjText({kBrick}));
  const std::string scene = Write(folder / "scene.yaml", SceneText("brick.obj"));
  const std::string results = (folder / "out.h5").string(), again = (folder / "again.h5").string();
  ASSERT_EQ(Call("run " + scene + " -o " + results).status, 0);
  // Resuming with another part is refused, as with another scene.
  Write(folder / "brick.obj", ObjText({BoxMesh({0, 0, 0}, {0.3, 0.2, 0.11})}));
  const Outcome resumed = Call("run " + scene + " -o " + results + " --resume");
  EXPECT_EQ(resumed.status, 2) << resumed.text;
  fs::remove(folder / "brick.obj");
  const Outcome replayed = Call("run --replay " + results + " -o " + again);
  EXPECT_EQ(replayed.status, 0) << replayed.text;
  EXPECT_EQ(Call("run " + scene + " -o " + again).status, 2);
}

}  // namespace
}  // namespace intervox::host
