#include "host/mesh/write.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/input/error.h"
#include "tests/geometry/random_shapes.h"
#include "tests/mesh/closed.h"

namespace intervox::host {
namespace {

using geometry::Leaf;

/** A drilled block, twice, turned and moved; both are one mesh. */
std::vector<PlacedMesh> TwoBlocks() {
  const auto cells = geometry::ToCells(
      *geometry::Tree(geometry::Operation::kDifference,
                      {Leaf(geometry::Box{{1, 2, 3}}), Leaf(geometry::Cylinder{0.25, 4})}));
  const auto mesh = std::make_shared<const Triangles>(Triangulate(cells, 5e-3));
  const Pose X{ToRotation(Normalized(Quaternion{1, 0.3, -0.2, 0.5})), {5, 6, 7}};
  return {{"left", mesh, {}, {1, 0, 0}}, {"right one", mesh, X, {0, 0, 1}}};
}

std::string Written(const std::string& extension, std::span<const PlacedMesh> meshes) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto path =
      std::filesystem::path(testing::TempDir()) / ("intervox_mesh_" + test + extension);
  WriteMeshes(path, {"two blocks", meshes, {0, 0, 1}, {1, 2, 3}, 4});
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <typename T>
T At(const std::string& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

Vec3 VectorAt(const std::string& bytes, std::size_t place) {
  return {At<float>(bytes, place), At<float>(bytes, place + 4), At<float>(bytes, place + 8)};
}

TEST(WriteMeshes, StlHoldsAllTrianglesInTheWorld) {
  const auto meshes = TwoBlocks();
  const std::string bytes = Written(".stl", meshes);
  const auto count = At<std::uint32_t>(bytes, 80);
  ASSERT_EQ(count, 2 * meshes[0].mesh->triangles.size());
  ASSERT_EQ(bytes.size(), 84 + 50 * std::size_t{count});
  EXPECT_NE(bytes.substr(0, 5), "solid") << "programs would read it as text";
  double volume = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = 84 + 50 * k;
    const Vec3 a = VectorAt(bytes, at + 12), b = VectorAt(bytes, at + 24),
               c = VectorAt(bytes, at + 36);
    volume += Dot(a, Cross(b, c)) / 6;
    const Vec3 n = Cross(b - a, c - a);
    if (Norm(n) > 1e-5) {
      EXPECT_GT(Dot(VectorAt(bytes, at), Normalized(n)), 0.999) << k;
    }
  }
  EXPECT_NEAR(volume, 2 * EnclosedVolume(*meshes[0].mesh), 1e-4);
}

TEST(WriteMeshes, ObjNamesObjectsAndCountsThrough) {
  const auto meshes = TwoBlocks();
  std::istringstream lines(Written(".obj", meshes));
  std::vector<Vec3> p, n;
  std::vector<std::string> names;
  double volume = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    Vec3 v;
    if (kind == "v" && words >> v.x >> v.y >> v.z) p.push_back(v);
    if (kind == "vn" && words >> v.x >> v.y >> v.z) n.push_back(v);
    if (kind == "o") names.push_back(line.substr(2));
    if (kind != "f") continue;
    std::size_t corner[3], normal[3];
    for (int i = 0; i < 3; ++i) {
      words >> corner[i];
      words.ignore(2);
      words >> normal[i];
      ASSERT_LE(corner[i], p.size());
      ASSERT_LE(normal[i], n.size());
    }
    const Vec3 a = p[corner[0] - 1], b = p[corner[1] - 1], c = p[corner[2] - 1];
    volume += Dot(a, Cross(b, c)) / 6;
    for (const std::size_t k : normal) EXPECT_GT(Dot(n[k - 1], Cross(b - a, c - a)), 0);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"left", "right one"}));
  EXPECT_NEAR(volume, 2 * EnclosedVolume(*meshes[0].mesh), 1e-12 * 400);
}

TEST(WriteMeshes, GlbIsAsTheFormatWantsAndSharesMeshes) {
  const auto meshes = TwoBlocks();
  const std::string bytes = Written(".glb", meshes);
  ASSERT_EQ(bytes.substr(0, 4), "glTF");
  ASSERT_EQ(At<std::uint32_t>(bytes, 4), 2u);
  ASSERT_EQ(At<std::uint32_t>(bytes, 8), bytes.size());
  const auto length = At<std::uint32_t>(bytes, 12);
  ASSERT_EQ(length % 4, 0u);
  const auto json = nlohmann::json::parse(bytes.substr(20, length));
  const std::size_t binary = 28 + length;
  EXPECT_EQ(At<std::uint32_t>(bytes, binary - 8), json["buffers"][0]["byteLength"]);
  ASSERT_EQ(json["nodes"].size(), 2u);
  EXPECT_EQ(json["nodes"][1]["name"], "right one");
  EXPECT_EQ(json["nodes"][1]["translation"], (nlohmann::json{5, 6, 7}));
  EXPECT_EQ(json["scenes"][0]["extras"]["radius"], 4);
  const auto& first = json["meshes"][0]["primitives"];
  EXPECT_EQ(first[0]["indices"], json["meshes"][1]["primitives"][0]["indices"]) << "written twice";
  EXPECT_EQ(first[1]["mode"], 1);
  // The triangles enclose the volume, face as their normals do, and stay inside the stated box.
  const auto place = [&](std::size_t accessor) {
    return binary + json["bufferViews"]
                        [json["accessors"][accessor]["bufferView"].get<std::size_t>()]["byteOffset"]
                            .get<std::size_t>();
  };
  const auto& attributes = first[0]["attributes"];
  const std::size_t p = place(attributes["POSITION"]), n = place(attributes["NORMAL"]);
  const std::size_t i = place(first[0]["indices"]);
  const std::size_t count = json["accessors"][first[0]["indices"].get<std::size_t>()]["count"];
  double volume = 0;
  for (std::size_t k = 0; k < count; k += 3) {
    std::array<Vec3, 3> corner, normal;
    for (std::size_t m = 0; m < 3; ++m) {
      const auto v = At<std::uint32_t>(bytes, i + 4 * (k + m));
      corner[m] = VectorAt(bytes, p + 12 * std::size_t{v});
      normal[m] = VectorAt(bytes, n + 12 * std::size_t{v});
      EXPECT_NEAR(Norm(normal[m]), 1, 1e-6);
    }
    volume += Dot(corner[0], Cross(corner[1], corner[2])) / 6;
    EXPECT_GT(Dot(normal[0], Cross(corner[1] - corner[0], corner[2] - corner[0])), 0);
  }
  EXPECT_NEAR(volume, EnclosedVolume(*meshes[0].mesh), 1e-5);
  const auto& range = json["accessors"][attributes["POSITION"].get<std::size_t>()];
  EXPECT_EQ(range["min"], (nlohmann::json{-0.5, -1.0, -1.5}));
  EXPECT_EQ(range["max"], (nlohmann::json{0.5, 1.0, 1.5}));
}

// Vertices at 1e5 m were multiples of 8 mm: now a node of double precision holds their middle.
TEST(WriteMeshes, AGlbFarFromTheOriginKeepsItsDigits) {
  auto meshes = TwoBlocks();
  Triangles far = *meshes[0].mesh;
  const Vec3 away{1e5, 2e5, -3e5};
  for (Vec3& p : far.p) p += away;
  meshes[0].mesh = std::make_shared<const Triangles>(far);
  const std::string bytes = Written(".glb", meshes);
  const auto json = nlohmann::json::parse(bytes.substr(20, At<std::uint32_t>(bytes, 12)));
  ASSERT_EQ(json["nodes"].size(), 3u);
  EXPECT_EQ(json["scenes"][0]["nodes"], (nlohmann::json{0, 2}));
  EXPECT_EQ(json["nodes"][0]["children"], nlohmann::json::array({1}));
  EXPECT_FALSE(json["nodes"][0].contains("mesh"));
  EXPECT_EQ(json["nodes"][2]["name"], "right one");
  const nlohmann::json& held = json["nodes"][1];
  const nlohmann::json& primitive = json["meshes"][held["mesh"].get<std::size_t>()]["primitives"];
  for (const auto& part : primitive) {  // triangles, and the creases between them
    const nlohmann::json& box =
        json["accessors"][part["attributes"]["POSITION"].get<std::size_t>()];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double at = held["translation"][axis];
      double lower = 1e300, upper = -1e300;
      for (const Vec3& p : far.p) {
        lower = std::min(lower, p[static_cast<int>(axis)]);
        upper = std::max(upper, p[static_cast<int>(axis)]);
      }
      EXPECT_NEAR(at + box["min"][axis].get<double>(), lower, 1e-6);
      EXPECT_NEAR(at + box["max"][axis].get<double>(), upper, 1e-6);
    }
  }
}

TEST(WriteMeshes, RefusesOtherExtensions) {
  const auto meshes = TwoBlocks();
  EXPECT_THROW(Written(".step", meshes), InputError);
  EXPECT_THROW(Written("", meshes), InputError);
  EXPECT_THROW(WriteMeshes("/dev/full/x.stl", {"", meshes}), std::runtime_error);
}

}  // namespace
}  // namespace intervox::host
