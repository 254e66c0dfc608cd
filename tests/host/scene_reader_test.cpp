// What good files mean: defaults, poses, references, includes, motions, and the way back to YAML.
#include <gtest/gtest.h>
#include <cstring>
#include <random>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

#include "geometry/surface_eval.h"
#include "host/input/error.h"
#include "host/input/nearest.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/world/world.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

Scene Read(const std::string& body) {
  return ParseScene(
      "schema: intervox/scene/1\nduration: 2\nshapes:\n  ball: {sphere: {radius: 0.1}}\n" + body,
      "scene.yaml");
}

void ExpectNear(const Vec3& a, const Vec3& b, double tolerance = 1e-15) {
  EXPECT_NEAR(Norm(a - b), 0.0, tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(SceneReader, DefaultsAreTheDocumentedOnes) {
  const Scene scene = ParseScene(
      "schema: intervox/scene/1\nbodies: {a: {shape: {sphere: {radius: 1}}, fixed: true}}\n",
      "s.yaml");
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(scene.duration, 1.0);
  EXPECT_EQ(scene.integrator.method, "ark3");
  EXPECT_EQ(scene.integrator.step, 250e-6);
  EXPECT_EQ(scene.engine.tolerance, 1e-3);
  EXPECT_EQ(scene.engine.rule, LeafRule::kAuto);
  EXPECT_EQ(scene.output.every, 1e-3);
  EXPECT_FALSE(scene.output.checkpoint_every);
  EXPECT_TRUE(scene.contacts.empty());
}

TEST(SceneReader, ThreeWaysToTurnAgree) {
  const auto turned = [](const std::string& rotation) {
    return Read("bodies: {b: {shape: ball, mass: 1, pose: {" + rotation + "}}}\n").bodies[0].X_WB.R;
  };
  const double half = std::sqrt(0.5);
  const Mat3 a = turned("rpy_deg: [0, 0, 90]");
  const Mat3 b = turned("quaternion: [2, 0, 0, 2]");
  const Mat3 c = turned("rotation_vector: [0, 0, " + std::to_string(std::numbers::pi / 2) + "]");
  for (int i = 0; i < 3; ++i) {
    ExpectNear(a.Row(i), b.Row(i), 1e-15);
    ExpectNear(a.Row(i), c.Row(i), 1e-6);
  }
  EXPECT_EQ(a.row0, (Vec3{0, -1, 0}));  // quarter turns are exact
  EXPECT_NEAR(half, ToQuaternion(b).z, 1e-15);
}

TEST(SceneReader, RollPitchYawTurnAboutFixedAxes) {
  const Mat3 R =
      Read("bodies: {b: {shape: ball, mass: 1, pose: {rpy_deg: [90, 0, 90]}}}\n").bodies[0].X_WB.R;
  // First about x: y goes to z. Then about the fixed z: z stays.
  ExpectNear(R * Vec3{0, 1, 0}, {0, 0, 1});
  ExpectNear(R * Vec3{1, 0, 0}, {0, 1, 0});
}

TEST(SceneReader, HalfSpacesAreNormalised) {
  const PairsFile file = ParsePairs(
      "schema: intervox/pairs/1\nshapes: {f: {half_space: {normal: [0, 0, 2], offset: 3}}}\n", "p");
  const auto& half_space = std::get<geometry::HalfSpace>(file.shapes[0].second->primitive);
  EXPECT_EQ(half_space.normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(half_space.offset, 1.5);
}

TEST(SceneReader, ReferencesArePlacedAndScaled) {
  const PairsFile file = ParsePairs(
      "schema: intervox/pairs/1\nshapes:\n"
      "  a: {sphere: {radius: 1}, pose: {position: [1, 0, 0]}, scale: 2}\n"
      "  b: {ref: a, scale: 3, pose: {position: [0, 0, 5], rpy_deg: [0, 0, 90]}}\n"
      "  c: {union: [a, {ref: b, pose: {position: [0, 0, 1]}}, {box: {size: [1, 1, 1]}, name: "
      "lid}]}\n",
      "p");
  const geometry::Shape& b = *file.shapes[1].second;
  EXPECT_EQ(b.scale, 6.0);
  ExpectNear(b.X.p, {0, 3, 5});
  const geometry::Shape& c = *file.shapes[2].second;
  EXPECT_EQ(c.children[0], file.shapes[0].second);  // shared, not copied
  ExpectNear(c.children[1]->X.p, {0, 3, 6});
  EXPECT_EQ(c.children[1]->name, "c/1");
  EXPECT_EQ(c.children[2]->name, "lid");
}

TEST(SceneReader, IncludesShareShapesAndModels) {
  const fs::path folder = fs::path(testing::TempDir()) / "intervox_includes";
  fs::create_directories(folder / "parts");
  std::ofstream(folder / "parts/ball.yaml")
      << "schema: intervox/pairs/1\nshapes: {ball: {sphere: {radius: 0.3}}}\n";
  std::ofstream(folder / "parts/models.yaml")
      << "schema: intervox/scene/1\ninclude: [ball.yaml]\nmaterials: {wood: {density: 700}}\n"
         "bodies: {unused: {shape: ball, mass: 1}}\n";
  std::ofstream(folder / "scene.yaml")
      << "schema: intervox/scene/1\ninclude: [parts/models.yaml]\n"
         "shapes: {include: [parts/ball.yaml], two: {union: [ball]}}\n"
         "bodies: {b: {shape: two, material: wood}}\n";
  const Scene scene = LoadScene(folder / "scene.yaml");
  EXPECT_EQ(scene.materials.at("wood").density, 700);
  EXPECT_EQ(scene.bodies.size(), 1u);
  EXPECT_TRUE(scene.shapes.contains("ball"));
}

TEST(SceneReader, AbsentMaterialValuesAreAbsent) {
  const Scene scene =
      Read("materials: {m: {density: 5}}\nbodies: {b: {shape: ball, material: m}}\n");
  const Material& m = scene.materials.at("m");
  EXPECT_EQ(m.density, 5);
  EXPECT_FALSE(m.friction || m.restitution || m.youngs_modulus || m.foundation_stiffness);
}

TEST(SceneReader, ConstantVelocityIsOneKeyAndHasNoEnd) {
  const Scene scene = Read(
      "bodies: {b: {shape: ball, motion: {velocity: {linear: [1, 0, 0], angular: [0, 0, 3]}}, "
      "pose: {position: [5, 0, 0]}}}\n");
  const PrescribedMotion& motion = *scene.bodies[0].motion;
  ASSERT_EQ(motion.keys.size(), 1u);
  EXPECT_EQ(motion.keys[0].t, 0.0);
  EXPECT_EQ(motion.keys[0].position, (Vec3{5, 0, 0}));
  EXPECT_EQ(motion.keys[0].velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(motion.keys[0].angular_velocity, (Vec3{0, 0, 3}));
}

TEST(SceneReader, HoldersAndWrenches) {
  const Scene scene = Read(
      "bodies:\n  b:\n    shape: ball\n    mass: 1\n    pose: {position: [0, 0, 1]}\n"
      "    holder: {stiffness: [1, 2, 3], damping: 4}\n"
      "    wrenches: [{from: 0.5, force: [0, 0, -1], frame: body}]\n");
  const BodySettings& body = scene.bodies[0];
  EXPECT_EQ(body.holder->stiffness, (Vec3{1, 2, 3}));
  EXPECT_EQ(body.holder->damping, (Vec3{4, 4, 4}));
  ASSERT_EQ(body.holder->target.keys.size(), 1u);
  EXPECT_EQ(body.holder->target.keys[0].position, (Vec3{0, 0, 1}));
  EXPECT_EQ(body.wrenches[0].to, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ToYaml(ParseScene(ToYaml(scene), "again.yaml")), ToYaml(scene));
  EXPECT_TRUE(body.wrenches[0].in_body_frame);
}

TEST(SceneReader, ListedCells) {
  const Scene scene = Read(
      "bodies: {b: {cells: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 1, 1]}, pose: {position: "
      "[1, 0, 0]}}], mass: 1}}\n");
  EXPECT_EQ(scene.bodies[0].cells.size(), 2u);
  const auto world = MakeWorld(scene);
  ASSERT_EQ(world->whole[0].size(), 2u);
  EXPECT_EQ(world->whole[0][1].name, "b/1");
  EXPECT_EQ(world->whole[0][1].neighbours, std::vector<int>{0});
  EXPECT_NEAR(world->start[0].p_BM.x, 0.5, 1e-12);
}

TEST(SceneReader, ToYamlReadsBackToTheSameScene) {
  for (const auto& entry : fs::directory_iterator(fs::path(INTERVOX_DATA_DIR) / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    const Scene first = LoadScene(entry.path());
    const std::string text = ToYaml(first);
    const Scene second = ParseScene(text, "again.yaml");
    EXPECT_EQ(second.bodies.size(), first.bodies.size());
    for (const auto& [name, shape] : first.shapes) {
      EXPECT_EQ(geometry::ToCells(*shape).size(),
                geometry::ToCells(*second.shapes.at(name)).size());
    }
    EXPECT_EQ(ToYaml(second), text) << entry.path();
    for (std::size_t b = 0; b < first.bodies.size(); ++b) {
      EXPECT_EQ(std::memcmp(&second.bodies[b].X_WB, &first.bodies[b].X_WB, sizeof(Pose)), 0);
    }
  }
}

// A scene that was made in a program has no title, and its shapes need no names.
TEST(SceneReader, EveryPrimitiveReadsBackToItsSurfaces) {
  Scene scene = Read("bodies: {b: {shape: ball, mass: 1}}\n");
  scene.name.clear();
  for (const geometry::Example& example : geometry::Examples()) {
    geometry::Shape leaf;
    leaf.primitive = example.primitive;
    scene.shapes["s" + std::to_string(scene.shapes.size())] =
        std::make_shared<geometry::Shape>(leaf);
  }
  const Scene again = ParseScene(ToYaml(scene), "again.yaml");
  ASSERT_EQ(again.shapes.size(), 1 + geometry::Examples().size());
  for (const auto& [key, shape] : scene.shapes) {
    const std::string name = geometry::PrimitiveName(shape->primitive);
    const auto cells = geometry::ToCells(*shape);
    const auto read = geometry::ToCells(*again.shapes.at(key));
    ASSERT_EQ(read.size(), cells.size()) << name;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      ASSERT_EQ(read[c].surfaces.size(), cells[c].surfaces.size()) << name;
      for (std::size_t s = 0; s < cells[c].surfaces.size(); ++s) {
        for (const Vec3& p : {Vec3{0.1, 0.2, 0.3}, Vec3{-0.7, 0.4, 0.9}, Vec3{2, -3, 0.5}}) {
          EXPECT_DOUBLE_EQ(geometry::Value(read[c].surfaces[s], p),
                           geometry::Value(cells[c].surfaces[s], p))
              << name;
        }
      }
    }
  }
}

// Whatever the rotation, and wherever it stands: a file that was written is read to the same bits.
// Whether two poses are of the same numbers; of a zero the sign does not count.
bool SameNumbers(const Pose& a, const Pose& b) {
  double x[12], y[12];
  static_assert(sizeof x == sizeof(Pose));
  std::memcpy(x, &a, sizeof x);
  std::memcpy(y, &b, sizeof y);
  return std::equal(std::begin(x), std::end(x), std::begin(y));
}

TEST(SceneReader, WrittenRotationsReadBackToTheSameBits) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int matrices = 0;
  for (int k = 0; k < 300; ++k) {
    const double size = std::pow(10.0, normal(random) * 3);
    const auto number = [&] {
      return std::to_string(std::clamp(size * normal(random), -8.123e5, 8.123e5));
    };
    const std::string list = number() + ", " + number() + ", " + number();
    const std::string rotation = k % 4 == 0   ? "rpy_deg: [" + list + "]"
                                 : k % 4 == 1 ? "rpy_deg: [90, " + number() + ", -90]"
                                 : k % 4 == 2 ? "rotation_vector: [" + list + "]"
                                              : "quaternion: [1, " + list + "]";
    const std::string shape = "{ref: ball, pose: {position: [1, 2, 3], " + rotation + "}}";
    const Scene first =
        Read("bodies:\n  a: {shape: {union: [" + shape + ", {union: [" + shape + "], pose: {" +
             rotation + "}}]}, fixed: true, pose: {" + rotation +
             "}}\n  b: {shape: ball, mass: 1, motion: {keys: [{t: 0, position: [0, 0, 9], " +
             rotation + "}]}}\nsensors: {s: {body: a, frame: {" + rotation + "}}}\n");
    const std::string text = ToYaml(first);
    matrices += text.find("matrix") != std::string::npos ? 1 : 0;
    const Scene second = ParseScene(text, "again.yaml");
    ASSERT_EQ(ToYaml(second), text) << rotation;
    ASSERT_TRUE(SameNumbers(second.bodies[0].X_WB, first.bodies[0].X_WB));
    ASSERT_TRUE(SameNumbers(second.sensors[0].X_BS, first.sensors[0].X_BS));
    const auto& one = *first.shapes.at("a.shape")->children[1];
    const auto& other = *second.shapes.at("a.shape")->children[1];
    ASSERT_TRUE(SameNumbers(one.X, other.X)) << rotation;
    ASSERT_TRUE(SameNumbers(one.children[0]->X, other.children[0]->X));
    const Quaternion& q = first.bodies[1].motion->keys[0].orientation;
    ASSERT_EQ(std::memcmp(&q, &second.bodies[1].motion->keys[0].orientation, sizeof q), 0);
  }
  EXPECT_GT(matrices, 10);
  EXPECT_LT(matrices, 300);
}

TEST(SceneReader, AMatrixIsARotationByRows) {
  const auto turned = [](const std::string& rotation) {
    return Read("bodies: {a: {shape: ball, fixed: true, pose: {" + rotation + "}}}\n")
        .bodies[0]
        .X_WB.R;
  };
  // A turn by +90 degrees about z takes x to y.
  const Mat3 R = turned("matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]");
  EXPECT_EQ((R * Vec3{1, 0, 0}), (Vec3{0, 1, 0}));
  const Mat3 same = turned("rpy_deg: [0, 0, 90]");
  EXPECT_EQ(std::memcmp(&R, &same, sizeof R), 0);
  // Of six digits: made orthonormal.
  const Mat3 rounded = turned("matrix: [[0.866025, -0.5, 0], [0.5, 0.866025, 0], [0, 0, 1]]");
  const Mat3 off = Transpose(rounded) * rounded - Mat3::Identity();
  EXPECT_LT(std::fabs(off.row0.x) + std::fabs(off.row1.y), 1e-15);
  for (const char* bad :
       {"matrix: [[0, 1, 0], [1, 0, 0], [0, 0, 1]]", "matrix: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]",
        "matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]"}) {
    EXPECT_THROW(turned(bad), InputError) << bad;
  }
}

TEST(SceneReader, ToYamlKeepsEveryKindOfSetting) {
  const Scene first = Read(
      "materials: {m: {density: 5, friction: 0.5}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e9, restitution: 0.5, "
      "latch: first}, direction: eigenvector, cells: pairs}}\n"
      "bodies:\n  a: {cells: [ball], fixed: true}\n  'b \"x\"':\n    shape: {ref: ball, scale: 2}\n"
      "    mass: 3\n    center_of_mass: [0, 0, 0.01]\n    inertia: [1, 2, 2.5]\n"
      "    velocity: {linear: [1, 2, 3], angular: [4, 5, 6]}\n    holder: {stiffness: 5}\n"
      "    wrenches: [{force: [1, 0, 0], to: 1}]\n"
      "  d: {shape: ball, motion: {keys: [{t: 0, position: [0, 0, 3]}]}, material: m}\n"
      "contacts: [{bodies: ['*', a], model: default}, {bodies: ['*', '*'], model: none}]\n"
      "sensors: {s: {body: a, frame: {position: [1, 2, 3]}}}\n"
      "engine: {voxel_size: 1e-3, leaf_rule: center}\n");
  const std::string text = ToYaml(first);
  EXPECT_EQ(ToYaml(ParseScene(text, "again.yaml")), text);
  EXPECT_NE(text.find("latch\": \"first\""), std::string::npos) << text;
  EXPECT_NE(text.find("voxel_size: 0.001, leaf_rule: center"), std::string::npos) << text;
  EXPECT_NE(text.find("\"b \\\"x\\\"\""), std::string::npos) << text;
}

TEST(SceneReader, OverridesChangeWhatTheyName) {
  const std::string text =
      "schema: intervox/scene/1\ngravity: [0, 0, -2]\n"
      "bodies: {a: {shape: {sphere: {radius: 1}}, mass: 1}}\n";
  const Scene scene = ParseScene(
      text, "s.yaml", {"bodies.a.mass=7", "gravity[2]=-1", "bodies.a.pose.position=[1, 2, 3]"});
  EXPECT_EQ(*scene.bodies[0].mass, 7);
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -1}));
  EXPECT_EQ(scene.bodies[0].X_WB.p, (Vec3{1, 2, 3}));
}

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("gravty", "gravity"), 1);
  EXPECT_EQ(EditDistance("gravtiy", "gravity"), 1);  // neighbours swapped
  EXPECT_EQ(EditDistance("Gravity", "gravity"), 0);
  const std::vector<std::string> words = {"mass", "material", "motion"};
  EXPECT_EQ(Nearest("mas", words), "mass");
  EXPECT_EQ(Nearest("meterial", words), "material");
  EXPECT_EQ(Nearest("x", {}), "");
}

}  // namespace
}  // namespace intervox::host
