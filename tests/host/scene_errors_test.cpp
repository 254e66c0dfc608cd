// Bad input: every message names the place, the key and the remedy.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/input/error.h"
#include "host/scene/document.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

struct Row {
  const char* name;
  std::string text;
  std::vector<std::string> fragments;  // all must stand in the message
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// A scene of two bodies in which one line is exchanged.
std::string SceneWith(const std::string& line, const std::string& replacement) {
  std::string text =
      "schema: intervox/scene/1\n"                                         // 1
      "gravity: [0, 0, -9.81]\n"                                           // 2
      "duration: 1\n"                                                      // 3
      "integrator: {method: ark3, step: 1e-3}\n"                           // 4
      "engine: {tolerance: 1e-3}\n"                                        // 5
      "shapes:\n"                                                          // 6
      "  ball: {sphere: {radius: 0.1}}\n"                                  // 7
      "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"            // 8
      "materials: {steel: {density: 7800}}\n"                              // 9
      "contact_models:\n"                                                  // 10
      "  soft:\n"                                                          // 11
      "    normal: {model: gonthier, stiffness: 1e9, restitution: 0.6}\n"  // 12
      "    friction: {model: bristle, mu_s: 0.3, sigma_0: 1e5}\n"          // 13
      "bodies:\n"                                                          // 14
      "  ground: {shape: floor, fixed: true}\n"                            // 15
      "  ball: {shape: ball, mass: 2, pose: {position: [0, 0, 0.2]}}\n"    // 16
      "contacts: [{bodies: [ball, ground], model: soft}]\n"                // 17
      "sensors: {s: {body: ball, resolve_in: ground}}\n"                   // 18
      "output: {every: 1e-3}\n";                                           // 19
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), replacement);
}

std::string Pairs(const std::string& shape) {
  return "schema: intervox/pairs/1\nshapes:\n  x: " + shape + "\n";
}

std::string Scene(const char* line, const char* replacement) {
  return SceneWith(line, replacement);
}

const std::vector<Row>& SceneRows() {
  static const std::vector<Row> rows = {
      {"unknown_key", Scene("gravity:", "gravty:"), {"scene.yaml:2: gravty", "'gravity'"}},
      {"unknown_nested_key",
       Scene("step: 1e-3", "stepp: 1e-3"),
       {":4: integrator.stepp", "'step'"}},
      {"key_of_another",
       Scene("mass: 2", "density: 7800"),
       {":16: bodies.ball.density", "a key of material", "Known here: shape, "}},
      {"key_of_many", Scene("mass: 2", "position: [0, 0, 1]"), {":16: bodies.ball.position"}},
      {"far_key_lists_known", Scene("duration: 1", "zzzzzzzzzz: 1"), {":3: zzzzzzzzzz", "Known: "}},
      {"schema_version", Scene("scene/1", "scene/3"), {":1: schema", "'intervox/scene/2'"}},
      {"schema_missing", Scene("schema: intervox/scene/1\n", ""), {"'schema' is missing"}},
      {"wrong_type", Scene("duration: 1", "duration: long"), {":3: duration", "'long'", "number"}},
      {"quoted_number", Scene("duration: 1", "duration: '1'"), {":3: duration", "quotes"}},
      {"negative_duration", Scene("duration: 1", "duration: -1"), {":3: duration", "above 0"}},
      {"huge_number", Scene("duration: 1", "duration: 1e999"), {":3: duration", "double"}},
      {"nan", Scene("duration: 1", "duration: .nan"), {":3: duration", "not finite"}},
      {"infinity", Scene("[0, 0, -9.81]", "[0, 0, -.inf]"), {":2: gravity[2]", "not finite"}},
      {"two_numbers_for_three", Scene("[0, 0, -9.81]", "[0, 0]"), {":2: gravity", "3 numbers"}},
      {"method", Scene("ark3", "arc3"), {":4: integrator.method", "'ark3'"}},
      {"tolerance", Scene("tolerance: 1e-3", "tolerance: 1"), {":5: engine.tolerance", "1e-09"}},
      {"tolerance_and_voxels",
       Scene("tolerance: 1e-3", "tolerance: 1e-3, voxel_size: 1e-3"),
       {":5: engine.voxel_size", "Remove one"}},
      {"center_without_voxels",
       Scene("tolerance: 1e-3", "leaf_rule: center"),
       {":5: engine.leaf_rule", "voxel_size"}},
      {"zero_radius",
       Scene("radius: 0.1", "radius: 0"),
       {":7: shapes.ball.sphere.radius", "from 1e-12"}},
      {"unknown_shape_kind", Scene("sphere", "sfere"), {":7: shapes.ball.sfere", "'sphere'"}},
      {"no_mass", Scene(" mass: 2,", ""), {":16: bodies.ball", "no mass", "fixed: true"}},
      {"free_half_space", Scene("fixed: true", "mass: 1"), {":15: bodies.ground", "infinite"}},
      {"unknown_shape", Scene("shape: ball", "shape: bal"), {":16: bodies.ball.shape", "'ball'"}},
      {"no_shape", Scene("{shape: ball, ", "{"), {":16: bodies.ball", "shape, cells"}},
      {"unknown_material",
       Scene("mass: 2,", "material: steal,"),
       {":16: bodies.ball.material", "'steel'"}},
      {"fixed_is_no_bool",
       Scene("fixed: true", "fixed: 1"),
       {":15: bodies.ground.fixed", "true or"}},
      {"fixed_and_driven",
       Scene("fixed: true", "fixed: true, motion: {velocity: {}}"),
       {":15: bodies.ground.motion", "Remove one"}},
      {"velocity_of_fixed",
       Scene("fixed: true", "fixed: true, velocity: {linear: [1, 0, 0]}"),
       {":15: bodies.ground.velocity", "Remove"}},
      {"two_rotations",
       Scene("position: [0, 0, 0.2]", "quaternion: [1, 0, 0, 0], rpy_deg: [0, 0, 0]"),
       {":16: bodies.ball.pose.rpy_deg", "quaternion", "Remove one"}},
      {"zero_quaternion",
       Scene("position: [0, 0, 0.2]", "quaternion: [0, 0, 0, 0]"),
       {":16: bodies.ball.pose.quaternion", "zero", "[1, 0, 0, 0]"}},
      {"inertia_without_mass",
       Scene("mass: 2,", "material: steel, inertia: [1, 1, 1],"),
       {":16: bodies.ball.inertia", "mass"}},
      {"skew_inertia",
       Scene("mass: 2,", "mass: 2, inertia: [[1, 1, 0], [0, 1, 0], [0, 0, 1]],"),
       {":16: bodies.ball.inertia", "symmetric"}},
      {"negative_inertia",
       Scene("mass: 2,", "mass: 2, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, -1]],"),
       {":16: bodies.ball.inertia", "positive definite"}},
      {"key_poses_descend",
       Scene("fixed: true",
             "motion: {keys: [{t: 1, position: [0, 0, 0]}, {t: 1, position: [0, 0, 0]}]}"),
       {":15: bodies.ground.motion.keys[1].t", "ascend"}},
      {"restitution_too_small",
       Scene("restitution: 0.6", "restitution: 0"),
       {":12: contact_models.soft.normal.restitution", "0.01"}},
      {"restitution_too_large",
       Scene("restitution: 0.6", "restitution: 1.1"),
       {":12: contact_models.soft.normal.restitution", "to 1"}},
      {"unknown_law",
       Scene("model: gonthier", "model: gontier"),
       {":12: contact_models.soft.normal.model", "gonthier"}},
      {"unknown_parameter",
       Scene("restitution: 0.6", "restitution: 0.6, sigma_9: 1"),
       {":12: contact_models.soft.normal.sigma_9"}},
      {"latch",
       Scene("restitution: 0.6", "restitution: 0.6, latch: biggest"),
       {":12: contact_models.soft.normal.latch", "largest"}},
      {"unknown_contact_model",
       Scene("model: soft", "model: sof"),
       {":17: contacts[0].model", "'soft'"}},
      {"unknown_contact_body",
       Scene("[ball, ground]", "[ball, grund]"),
       {":17: contacts[0].bodies[1]", "'ground'"}},
      {"self_contact", Scene("[ball, ground]", "[ball, ball]"), {":17: contacts[0].bodies", "two"}},
      {"unknown_sensor_body",
       Scene("{body: ball,", "{body: boll,"),
       {":18: sensors.s.body", "'ball'"}},
      {"output", Scene("every: 1e-3", "every: 0"), {":19: output.every", "above 0"}},
      {"duplicate_key",
       Scene("duration: 1\n", "duration: 1\nduration: 2\n"),
       {":4: duration", "twice"}},
      {"malformed",
       Scene("gravity: [0, 0, -9.81]", "gravity: [0, 0, -9.81"),
       {"scene.yaml:", "YAML"}},
      {"two_documents", Scene("output: {every: 1e-3}\n", "---\na: 1\n"), {"more than one"}},
      {"overlapping_cells",
       Scene("{shape: floor, fixed: true}",
             "{cells: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 1, 1.5]}}], fixed: true}"),
       {":15: bodies.ground.cells[1]", "overlaps cell [0]"}},
      {"listed_union",
       Scene("{shape: floor, fixed: true}",
             "{cells: [{union: [{box: {size: [1, 1, 1]}}, {sphere: {radius: 1}}]}], fixed: true}"),
       {":15: bodies.ground.cells[0]", "cells"}},
      {"empty_solid",
       Scene("{sphere: {radius: 0.1}}",
             "{difference: [{sphere: {radius: 0.1}}, {box: {size: [1, 1, 1]}}]}"),
       {":7: shapes.ball", "the solid is empty"}},
      {"empty_solid_inline",
       Scene("shape: ball, mass", "shape: {difference: [ball, ball]}, mass"),
       {":16: bodies.ball.shape", "the solid is empty"}},
      {"torus_meets_itself",
       Scene("{sphere: {radius: 0.1}}", "{torus: {major_radius: 0.1, minor_radius: 0.2}}"),
       {":7: shapes.ball", "minor_radius is 0.2", "below major_radius"}},
      {"tiny_mass", Scene("mass: 2", "mass: 1e-300"), {":16: bodies.ball.mass", "from 1e-18"}},
      {"huge_mass", Scene("mass: 2", "mass: 1e300"), {":16: bodies.ball.mass", "to 1e+18"}},
      {"negative_mass", Scene("mass: 2", "mass: -2"), {":16: bodies.ball.mass", "from 1e-18"}},
      {"list_for_a_number",
       Scene("mass: 2", "mass: [2]"),
       {":16: bodies.ball.mass", "a list of 1"}},
      {"negative_step",
       Scene("step: 1e-3", "step: -1e-3"),
       {":4: integrator.step", "'-1e-3'", "from 1e-12"}},
      {"huge_gravity", Scene("-9.81", "-1e200"), {":2: gravity[2]", "1e+06"}},
      {"quote_never_closed",
       Scene("duration: 1\n", "name: \"drop\nduration: 1\n"),
       {":3: document", "never closed"}},
      {"body_without_value",
       Scene("  ground: {shape: floor, fixed: true}\n", "  ground:\n"),
       {":15: bodies.ground", "shape, cells"}},
      {"bodies_as_a_list",
       "schema: intervox/scene/1\nbodies: []\n",
       {":2: bodies", "a map of named entries", "a list of 0"}},
      {"restitution_missing",
       Scene(", restitution: 0.6", ""),
       {":12: contact_models.soft.normal.restitution", "is missing", "0.01"}},
      {"restitution_misspelt",
       Scene("restitution", "restitutoin"),
       {":12: contact_models.soft.normal.restitution", "is missing", "'restitutoin' is not known"}},
      {"stiffness_missing",
       Scene("stiffness: 1e9, ", ""),
       {":12: contact_models.soft.normal.stiffness", "is missing", "foundation_stiffness"}},
      {"contact_twice",
       Scene("contacts: [", "contacts: [{bodies: [ground, ball], model: soft}, "),
       {":17: contacts[1].bodies", "above already"}},
      {"slash_in_a_name",
       Scene("  ground: {shape", "  a/b: {shape: floor, fixed: true}\n  ground: {shape"),
       {":15: bodies.a/b", "group of the results", "letters"}},
      {"empty_name_of_a_sensor",
       Scene("sensors: {s: ", "sensors: {'': "),
       {":18: sensors", "group"}},
      {"contact_of_one",
       Scene("[ball, ground]", "[ball]"),
       {":17: contacts[0].bodies", "at least 2", "a list of 1"}},
      {"step_beyond_duration", Scene("step: 1e-3", "step: 2"), {"step", "duration"}},
      {"bodies_missing", "schema: intervox/scene/1\n", {"'bodies' is missing"}},
      {"no_bodies", "schema: intervox/scene/1\nbodies: {}\n", {":2: bodies", "no body"}},
      {"missing_include",
       "schema: intervox/scene/1\ninclude: [nowhere.yaml]\nbodies: {}\n",
       {":2: include[0]", "nowhere.yaml", "no such file"}},
      {"empty_file", "", {"empty"}},
      {"list_at_the_root", "- 1\n- 2\n", {":1: document", "map"}},
  };
  return rows;
}

const std::vector<Row>& PairRows() {
  static const std::vector<Row> rows = {
      {"empty_union", Pairs("{union: []}"), {":3: shapes.x.union", "at least 1"}},
      {"no_kind", Pairs("{pose: {}}"), {":3: shapes.x", "exactly one"}},
      {"two_kinds", Pairs("{sphere: {radius: 1}, box: {size: [1, 1, 1]}}"), {":3: shapes.x.box"}},
      {"negative_size",
       Pairs("{box: {size: [1, -1, 1]}}"),
       {":3: shapes.x.box.size[1]", "from 1e-12"}},
      {"zero_cone",
       Pairs("{cone: {radius_bottom: 0, radius_top: 0, height: 1}}"),
       {":3: shapes.x.cone", "positive"}},
      {"flat_hull",
       Pairs("{convex: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}"),
       {":3: shapes.x.convex.vertices", "plane"}},
      {"line_hull",
       Pairs("{convex: {vertices: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]}}"),
       {":3: shapes.x.convex.vertices", "plane"}},
      {"three_points",
       Pairs("{convex: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}"),
       {":3: shapes.x.convex.vertices", "at least 4", "a list of 3"}},
      {"zero_normal",
       Pairs("{half_space: {normal: [0, 0, 0], offset: 0}}"),
       {":3: shapes.x.half_space.normal", "zero"}},
      {"nine_coefficients",
       Pairs("{quadric: {coefficients: [1, 1, 1, 0, 0, 0, 0, 0, 0]}}"),
       {":3: shapes.x.quadric.coefficients", "10 numbers"}},
      {"constant_quadric",
       Pairs("{quadric: {coefficients: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]}}"),
       {":3: shapes.x.quadric.coefficients", "constant"}},
      {"zero_scale",
       Pairs("{sphere: {radius: 1}, scale: 0}"),
       {":3: shapes.x.scale", "from 1e-12"}},
      {"self_reference", Pairs("{union: [x]}"), {":3: shapes.x.union[0]", "itself"}},
      {"circle", Pairs("{ref: y}\n  y: {ref: x}"), {"itself", "Break the circle"}},
      {"unknown_reference", Pairs("{ref: xx}"), {":3: shapes.x.ref", "'x'"}},
      {"mesh", Pairs("{file: part.stl}"), {":3: shapes.x.file", "no such file"}},
      {"pair_without_b",
       Pairs("{sphere: {radius: 1}}") + "pairs: [{a: x}]\n",
       {":4: pairs[0]", "'b' is missing"}},
      {"pair_twice",
       Pairs("{sphere: {radius: 1}}") + "pairs: [{name: p, a: x, b: x}, {name: p, a: x, b: x}]\n",
       {":4: pairs[1]", "twice"}},
      {"alias_to_itself",
       "schema: intervox/pairs/1\nshapes: {x: &a {union: [*a]}}\n",
       {":2: ", "anchor"}},
  };
  return rows;
}

class BadScene : public testing::TestWithParam<Row> {};
class BadPairs : public testing::TestWithParam<Row> {};

// A remedy that stands in the message already is not followed by another stop.
void ExpectGoodMessage(const std::string& message, const std::string& file, const Row& row) {
  for (const std::string& fragment : row.fragments) {
    EXPECT_NE(message.find(fragment), std::string::npos) << fragment << "\nin: " << message;
  }
  EXPECT_TRUE(message.back() == '.' || message.back() == '?')
      << "no remedy at the end: " << message;
  EXPECT_EQ(message.find(".."), std::string::npos) << message;
  EXPECT_EQ(message.find(file), 0u) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST_P(BadScene, IsRefusedWithPlaceAndRemedy) {
  try {
    MakeWorld(ParseScene(GetParam().text, "scene.yaml"));
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    ExpectGoodMessage(error.what(), "scene.yaml", GetParam());
  }
}

TEST_P(BadPairs, IsRefusedWithPlaceAndRemedy) {
  try {
    ParsePairs(GetParam().text, "pairs.yaml");
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    ExpectGoodMessage(error.what(), "pairs.yaml", GetParam());
  }
}

std::string RowName(const testing::TestParamInfo<Row>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Table, BadScene, testing::ValuesIn(SceneRows()), RowName);
INSTANTIATE_TEST_SUITE_P(Table, BadPairs, testing::ValuesIn(PairRows()), RowName);

TEST(SceneErrors, TheTableStartsFromAGoodScene) {
  EXPECT_NO_THROW(MakeWorld(ParseScene(SceneWith("duration: 1", "duration: 1"), "scene.yaml")));
}

TEST(SceneErrors, MissingFileAndFolder) {
  EXPECT_THROW(LoadScene("/nowhere/scene.yaml"), InputError);
  EXPECT_THROW(LoadScene("/"), InputError);
  EXPECT_THROW(LoadScene("/dev/zero"), InputError);
}

TEST(SceneErrors, CyclicIncludes) {
  const fs::path folder = fs::path(testing::TempDir()) / "intervox_cyclic_includes";
  fs::create_directories(folder);
  std::ofstream(folder / "a.yaml") << "schema: intervox/pairs/1\nshapes: {include: [b.yaml]}\n";
  std::ofstream(folder / "b.yaml") << "schema: intervox/pairs/1\ninclude: [a.yaml]\n";
  try {
    LoadPairs(folder / "a.yaml");
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("includes itself"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("b.yaml:2"), std::string::npos) << error.what();
  }
}

// A scene of somebody else's shall not have the program print other files.
TEST(SceneErrors, IncludesOfOtherFilesShowNothingOfThem) {
  const fs::path folder = fs::path(testing::TempDir()) / "intervox_other_includes";
  fs::create_directories(folder);
  std::ofstream(folder / "a.yaml") << "schema: intervox/pairs/1\nshapes: {include: [b.txt]}\n";
  for (const char* text : {"secret:x:0:0\nsecret:x:1:1\n", "secret\n", "secret: 1\nsecret: 2\n",
                           "[secret, schema]\n", "secret: schema\n", "secret: [\n", "- secret\n"}) {
    std::ofstream(folder / "b.txt") << text;
    try {
      LoadPairs(folder / "a.yaml");
      FAIL() << "was accepted";
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("a.yaml:2: shapes.include[0]: 'b.txt' is no scene"), std::string::npos)
          << what;
      EXPECT_EQ(what.find("secret"), std::string::npos) << what;
    }
  }
}

TEST(SceneErrors, FilesThatAreNoText) {
  const fs::path path = fs::path(testing::TempDir()) / "intervox_no_text.yaml";
  for (const std::string& bytes : {std::string("\x89HDF\r\n\x1a\n\0\0", 10),
                                   std::string("schema: intervox/scene/1\nname: a\0b\n", 35)}) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      ReadTextFile(path);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("not a text file"), std::string::npos);
    }
  }
  fs::remove(path);
}

TEST(SceneErrors, QuotesThatAreClosed) {
  for (const char* name : {"\"a 'b' \\\" c\"", "'it''s \"x\"'", "\"two\n  lines\"", "\"\\\\\""}) {
    const std::string text =
        "schema: intervox/pairs/1\nshapes: {x: {sphere: {radius: 1}}}\npairs: [{name: " +
        std::string(name) + ", a: x, b: x}]\n";
    EXPECT_NO_THROW(ParsePairs(text, "p.yaml")) << text;
  }
}

TEST(SceneErrors, DeepAndWideDocuments) {
  EXPECT_THROW(ParsePairs(std::string(100000, '['), "p.yaml"), InputError);
  EXPECT_THROW(ParsePairs(std::string(100000, '{'), "p.yaml"), InputError);
  // Each shape doubles the one before: 2^60 primitives by reference.
  std::string text = "schema: intervox/pairs/1\nshapes:\n  s0: {sphere: {radius: 1}}\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "s" + std::to_string(i - 1);
    text += "  s" + std::to_string(i) + ": {union: [" + last + ", " + last + "]}\n";
  }
  EXPECT_THROW(ParsePairs(text, "p.yaml"), InputError);
  // The same by YAML aliases.
  text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += last + (k < 9 ? ", " : "]\n");
  }
  EXPECT_THROW(ParsePairs(text, "p.yaml"), InputError);
}

// Sizes that fit each by itself and not together had no line, and the status of a failed run.
TEST(SceneErrors, SizesThatDoNotFitHaveTheirLine) {
  for (const auto& [solid, told] : std::vector<std::pair<std::string, std::string>>{
           {"rounded_box: {size: [1, 1, 1], radius: 0.6}", "rounded_box: radius is 0.6. It may be"},
           {"wedge: {size: [1, 1, 1], top: 1.5}", "wedge: top is 1.5. Give a length"},
           {"torus: {major_radius: 1, minor_radius: 1}", "torus: minor_radius is 1. It must be"},
           {"thread: {radius: 1, root_radius: 1, pitch: 1, length: 1, crest: 0.1, sides: 9}",
            "thread: the depth is 0. Make"},
           {"extrude: {outline: [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], height: 1}",
            "extrude: the outline touches or crosses itself"},
           {"revolve: {outline: [[-1, 0, 0], [1, 0, 0], [1, 1, 0]]}",
            "revolve: outline[0][0] is -1. It is the distance"},
           {"quadric: {coefficients: [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]}",
            "quadric: the quadric q <= 0 has no interior. Check"},
           {"half_spaces: [{normal: [0, 0, 1], offset: -1}, {normal: [0, 0, -1], offset: -1}]",
            "half_spaces: the half-spaces have no common interior. Check"}}) {
    const std::string text = "schema: intervox/pairs/1\nshapes:\n  s:\n    union:\n" +
                             ("      - sphere: {radius: 1}\n      - " + solid + "\n");
    try {
      ParsePairs(text, "p.yaml");
      ADD_FAILURE() << solid << " was taken";
    } catch (const InputError& error) {
      const std::string start = "p.yaml:6: shapes.s.union[1]." + told;
      EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start) << error.what();
    }
  }
}

// A misspelt material or contact model was added beside the one that was meant, without a word.
TEST(SceneErrors, OverridesReachOnlyWhatIsThere) {
  const std::string good = SceneWith("duration: 1", "duration: 1");
  const auto message = [&](const std::vector<std::string>& edits) {
    try {
      ParseScene(good, "scene.yaml", edits);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message({"bodies.bal.mass=2"}),
            "--set bodies.bal.mass=2: bodies.bal: the scene has no 'bal' in bodies. Did you mean "
            "'ball'? A new one is given whole: --set 'bodies.bal={…}'.");
  for (const std::string path : {"materials.none.density", "contact_models.sotf.normal.model",
                                 "shapes.bal.sphere.radius", "sensors.none.body"}) {
    const std::string told = message({path + "=1"});
    EXPECT_NE(told.find("the scene has no '"), std::string::npos) << path << ": " << told;
    EXPECT_NE(told.find("A new one is given whole"), std::string::npos) << path << ": " << told;
  }
  EXPECT_EQ(message({"materials.lead={density: 11340}"}), "accepted");
  EXPECT_EQ(message({"materials={lead: {density: 1}}", "materials.lead.density=11340"}),
            "accepted");
  EXPECT_EQ(message({"bodies.next={shape: ball, mass: 1, pose: {position: [9, 9, 9]}}",
                     "bodies.next.mass=2"}),
            "accepted");
}

TEST(SceneErrors, Overrides) {
  const std::string good = SceneWith("duration: 1", "duration: 1");
  const auto message = [&](const std::string& edit) {
    try {
      ParseScene(good, "scene.yaml", {edit});
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message("bodies.ball.pose.position[2]=0.5"), "accepted");
  EXPECT_EQ(message("bodies.ball.pose.position.2=0.5"), "accepted");
  EXPECT_EQ(message("contact_models.soft.rolling={model: gonthier}"), "accepted");
  EXPECT_NE(message("duration=-1").find("--set duration=-1: duration"), std::string::npos);
  EXPECT_NE(message("durtion=1").find("'duration'"), std::string::npos);
  EXPECT_NE(message("duration").find("path=value"), std::string::npos);
  EXPECT_NE(message("gravity[3]=1").find("from 0 to 2"), std::string::npos);
  EXPECT_NE(message("duration.x=1").find("Shorten"), std::string::npos);
  EXPECT_NE(message("gravity=[").find("YAML"), std::string::npos);
  EXPECT_NE(message("=1").find("path=value"), std::string::npos);
  EXPECT_NE(message("duration=").find("no value"), std::string::npos);
  for (const char* edit : {"gravity[2=1", "gravity2]=1", "gravity[[2]]=1", "gravity[2]]=1"}) {
    EXPECT_NE(message(edit).find("not closed"), std::string::npos) << edit;
  }
}

}  // namespace
}  // namespace intervox::host
