// Parts from 3MF and binary glTF: placed as their nodes say, and refused where they are damaged.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "geometry/limited_child.h"
#include "host/input/error.h"
#include "host/mesh/triangulate.h"
#include "host/mesh/write.h"
#include "host/parts/part.h"
#include "host/parts/readers.h"
#include "host/scene/shape_metrics.h"
#include "tests/host/parts_files.h"
#ifdef INTERVOX_HAS_ASSIMP
#include "host/parts/assimp/assimp.h"
#endif

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

class SceneFile : public testing::Test {
 protected:
  void SetUp() override {
#ifdef INTERVOX_HAS_ASSIMP
    SetSceneFileReader(ReadByAssimp);
#else
    GTEST_SKIP() << "built without assimp (Debian: libassimp-dev)";
#endif
  }
};

fs::path Put(const std::string& name, const std::string& bytes) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path path = fs::path(testing::TempDir()) / ("intervox_scene_file_" + test + name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

InterferenceMetrics Measure(const fs::path& path, const PartOptions& options = {}) {
  const Part part = ReadPart(path, options, "part");
  return MeasureSolid(Engine(), geometry::ToCells(*part.shape), {.tolerance = 1e-9}).sum;
}

std::string Refusal(const fs::path& path) {
  try {
    ReadPart(path, {}, "part");
  } catch (const InputError& refusal) {
    return refusal.what();
  }
  return "";
}

template <class T>
void Put(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

const TriangleMesh kBox = BoxMesh({0, 0, 0}, {1, 2, 3});

/** A binary glTF of a box, placed by the nodes. */
std::string Glb(const std::string& nodes, const TriangleMesh& box = kBox) {
  std::string buffer;
  for (const Vec3& p : box.p) {
    for (int k = 0; k < 3; ++k) Put(static_cast<float>(p[k]), &buffer);
  }
  for (const auto& t : box.triangles) {
    for (const int v : t) Put(static_cast<std::uint16_t>(v), &buffer);
  }
  std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"buffers":[{"byteLength":168}],
"bufferViews":[{"buffer":0,"byteLength":96},{"buffer":0,"byteOffset":96,"byteLength":72}],
"accessors":[{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":)" +
      Text(box.p.front()) + R"(,"max":)" + Text(box.p.back()) + R"(},
{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"nodes":)" +
      nodes + "}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string bytes = "glTF";
  Put(std::uint32_t{2}, &bytes);
  Put(static_cast<std::uint32_t>(28 + json.size() + buffer.size()), &bytes);
  Put(static_cast<std::uint32_t>(json.size()), &bytes);
  bytes += "JSON" + json;
  Put(static_cast<std::uint32_t>(buffer.size()), &bytes);
  return bytes + std::string("BIN\0", 4) + buffer;
}

/** The check sum of zip archives. */
std::uint32_t Crc(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

/** A zip archive of files as they stand. */
std::string Zip(const std::vector<std::array<std::string, 2>>& files) {
  std::string bytes, directory;
  for (const auto& [name, data] : files) {
    std::string head;
    Put(std::array<std::uint16_t, 5>{20, 0, 0, 0, 33}, &head);
    Put(std::array<std::uint32_t, 3>{Crc(data), static_cast<std::uint32_t>(data.size()),
                                     static_cast<std::uint32_t>(data.size())},
        &head);
    Put(std::array<std::uint16_t, 2>{static_cast<std::uint16_t>(name.size()), 0}, &head);
    const auto at = static_cast<std::uint32_t>(bytes.size());
    bytes += "PK\3\4" + head + name + data;
    directory += std::string("PK\1\2\24\0", 6) + head;
    Put(std::array<std::uint16_t, 3>{}, &directory);
    Put(std::array<std::uint32_t, 2>{0, at}, &directory);
    directory += name;
  }
  const auto begin = static_cast<std::uint32_t>(bytes.size());
  const auto count = static_cast<std::uint16_t>(files.size());
  std::string end = "PK\5\6";
  Put(std::array<std::uint16_t, 4>{0, 0, count, count}, &end);
  Put(std::array<std::uint32_t, 2>{static_cast<std::uint32_t>(directory.size()), begin}, &end);
  Put(std::uint16_t{0}, &end);
  return bytes + directory + end;
}

/** A 3MF of a box. */
std::string ThreeMf(const std::string& items, const TriangleMesh& box = kBox) {
  std::string model =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model unit=\"millimeter\" xml:lang=\"en-US\" "
      "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources><object "
      "id=\"1\" type=\"model\"><mesh><vertices>";
  for (const Vec3& p : box.p) {
    model += "<vertex x=\"" + Text(p.x) + "\" y=\"" + Text(p.y) + "\" z=\"" + Text(p.z) + "\"/>";
  }
  model += "</vertices><triangles>";
  for (const auto& t : box.triangles) {
    model += "<triangle v1=\"" + std::to_string(t[0]) + "\" v2=\"" + std::to_string(t[1]) +
             "\" v3=\"" + std::to_string(t[2]) + "\"/>";
  }
  model += "</triangles></mesh></object></resources><build>" + items + "</build></model>";
  return Zip(
      {{"[Content_Types].xml",
        "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/"
        "content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd."
        "openxmlformats-package.relationships+xml\"/><Default Extension=\"model\" "
        "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>"},
       {"_rels/.rels",
        "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/"
        "2006/relationships\"><Relationship Target=\"/3D/3dmodel.model\" Id=\"rel0\" "
        "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>"},
       {"3D/3dmodel.model", model}});
}

TEST_F(SceneFile, NodesPlaceGltfMeshes) {
  const InterferenceMetrics plain = Measure(Put("plain.glb", Glb(R"([{"mesh":0}])")));
  EXPECT_NEAR(plain.volume, 6, 1e-12);
  EXPECT_LT(Norm(plain.p_WC - Vec3{0.5, 1, 1.5}), 1e-12);
  // glTF has y up: (x, y, z) becomes (x, −z, y).
  const InterferenceMetrics up =
      Measure(Put("plain.glb", Glb(R"([{"mesh":0}])")), {.y_is_up = true});
  EXPECT_LT(Norm(up.p_WC - Vec3{0.5, -1.5, 1}), 1e-12);
  // A child of a node that turns 90° about z and doubles; and a mirror image beside it.
  const InterferenceMetrics placed = Measure(Put("placed.glb", Glb(R"([
    {"children":[1,2]},
    {"mesh":0,"translation":[10,0,0],"rotation":[0,0,0.70710678,0.70710678],"scale":[2,2,2]},
    {"mesh":0,"translation":[-10,0,0],"scale":[-1,1,1]}])")));
  EXPECT_NEAR(placed.volume, 48 + 6, 1e-4);
  const Vec3 turned{10 - 2, 1, 3}, mirrored{-10.5, 1, 1.5};
  EXPECT_LT(Norm(placed.p_WC - (48 * turned + 6 * mirrored) / 54), 1e-5);
}

TEST_F(SceneFile, OwnGltfReadsBack) {
  geometry::Shape shape;
  shape.primitive = geometry::Box{{0.01, 0.02, 0.03}};
  const auto cells = geometry::ToCells(shape);
  const auto mesh = std::make_shared<const Triangles>(Triangulate(cells, 1e-5));
  const std::vector<PlacedMesh> placed{{.name = "pin", .mesh = mesh}};
  const fs::path path = Put("pin.glb", "");
  WriteMeshes(path, {.name = "pins", .meshes = placed});
  EXPECT_NEAR(Measure(path).volume, 6e-6, 1e-6 * 6e-6);
}

TEST_F(SceneFile, ThreeMfIsABoxOfItsUnit) {
  const InterferenceMetrics box = Measure(Put("box.3mf", ThreeMf("<item objectid=\"1\"/>")));
  EXPECT_NEAR(box.volume, 6, 1e-12);
  EXPECT_LT(Norm(box.p_WC - Vec3{0.5, 1, 1.5}), 1e-12);
  const InterferenceMetrics moved = Measure(Put(
      "moved.3mf", ThreeMf("<item objectid=\"1\" transform=\"0 1 0 -1 0 0 0 0 1 10 20 30\"/>")));
  EXPECT_NEAR(moved.volume, 6, 1e-5);
  EXPECT_LT(Norm(moved.p_WC - Vec3{9, 20.5, 31.5}), 1e-5);
}

// These lost 15 % of their volume at 1e5 m without a word.
TEST_F(SceneFile, DigitsThatSinglePrecisionLosesAreTold) {
  for (const double size : {0.01, 1.0, 100.0}) {
    for (const double away : {0.0, 10.0, 1e3, 1e5}) {
      const Vec3 corner = (away * size) * Vec3{1, 1, 1};
      const Vec3 extent = size * Vec3{0.3, 0.2, 0.1};
      const TriangleMesh near = BoxMesh({}, extent), far = BoxMesh(corner, corner + extent);
      const std::string x = Text(corner.x);
      const auto warnings = [](const fs::path& path) {
        return ReadPart(path, {}, "part").warnings;
      };
      for (const fs::path& path :
           {Put("far.glb", Glb(R"([{"mesh":0}])", far)),
            Put("far.3mf", ThreeMf("<item objectid=\"1\"/>", far)),
            Put("shift.glb", Glb(R"([{"mesh":0,"translation":[)" + x + ",0,0]}]", near)),
            Put("shift.3mf",
                ThreeMf("<item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 0 " + x + " 0\"/>",
                        near))}) {
        ASSERT_EQ(warnings(path).size(), away >= 1e3 ? 1u : 0u) << path << size << " " << away;
        if (away < 1e3) continue;
        EXPECT_NE(warnings(path)[0].find("multiples of"), std::string::npos);
      }
      // Scales of nodes scale what is lost.
      const std::string s = Text(1 / size);
      const std::string scaled = R"([{"mesh":0,"scale":[)" + s + "," + s + "," + s + "]}]";
      EXPECT_EQ(warnings(Put("scaled.glb", Glb(scaled, far))).size(), away >= 1e3 ? 1u : 0u);
    }
  }
}

TEST_F(SceneFile, DamagedFilesAreRefused) {
  const std::string glb = Glb(R"([{"mesh":0}])"), threemf = ThreeMf("<item objectid=\"1\"/>");
  for (const double share : {0.0, 0.05, 0.3, 0.6, 0.95}) {
    const auto cut = [&](const std::string& whole) {
      return whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size())));
    };
    for (const fs::path& path : {Put("cut.glb", cut(glb)), Put("cut.3mf", cut(threemf))}) {
      EXPECT_NE(Refusal(path).find("cut."), std::string::npos) << share << Refusal(path);
    }
  }
  for (const char* name : {"zeros.glb", "zeros.3mf"}) {
    EXPECT_NE(Refusal(Put(name, std::string(1 << 20, '\0'))).find("assimp cannot read"),
              std::string::npos);
    const fs::path sparse = Put(name, "");
    fs::resize_file(sparse, 2ull << 30);
    EXPECT_NE(Refusal(sparse).find("larger than 256 MiB"), std::string::npos);
    fs::remove(sparse);
  }
  // Lengths and counts that lie.
  for (const auto& [from, to] : {std::pair{"\"count\":36", "\"count\":99999999"},
                                 std::pair{"\"count\":8", "\"count\":88888888"},
                                 std::pair{"\"byteLength\":168", "\"byteLength\":16888888"},
                                 std::pair{"\"scene\":0", "\"scene\":77"}}) {
    const std::string nodes = R"([{"mesh":0}])";
    std::string lies = Glb(nodes);
    lies.replace(lies.find(from), std::strlen(from), to);
    Refusal(Put("lies.glb", lies));  // comes back, whatever it says
  }
  const std::string circle = Refusal(Put("circle.glb", Glb(R"([{"children":[0],"mesh":0}])")));
  EXPECT_NE(circle.find("assimp cannot read"), std::string::npos) << circle;
}

TEST(LimitedChild, EndsAreTold) {
  using geometry::ChildEnd;
  const geometry::ChildLimits limits{.seconds = 1, .bytes = 1u << 28};
  const auto end = [&](const std::function<std::string()>& work) {
    return geometry::RunInChild(limits, work).end;
  };
  EXPECT_EQ(geometry::RunInChild(limits, [] { return std::string(1 << 20, 'x'); }).bytes,
            std::string(1 << 20, 'x'));
  EXPECT_EQ(
      geometry::RunInChild(limits, []() -> std::string { throw std::runtime_error("so"); }).bytes,
      "so");
  EXPECT_EQ(end([] { return std::string(); }), ChildEnd::kDone);
  EXPECT_EQ(end([]() -> std::string { throw std::runtime_error("so"); }), ChildEnd::kThrew);
  EXPECT_EQ(end([]() -> std::string { std::abort(); }), ChildEnd::kCrashed);
  EXPECT_EQ(end([]() -> std::string { _exit(3); }), ChildEnd::kCrashed);
  EXPECT_EQ(end([] { return std::string(1u << 30, 'x'); }), ChildEnd::kTooMuch);
  const auto spin = []() -> std::string {
    while (std::clock() >= 0) {
    }
    return "";
  };
  EXPECT_EQ(end(spin), ChildEnd::kTooLong);
  EXPECT_EQ(geometry::TextOf(ChildEnd::kTooLong, limits), "it took more than 1 s");
  EXPECT_EQ(geometry::TextOf(ChildEnd::kTooMuch, limits), "it took more than 0.268 GB of memory");
}

}  // namespace
}  // namespace intervox::host
