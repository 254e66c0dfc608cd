// `intervox validate` without a file: rows of the literature, what passes and what must not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "cli_call.h"
#include "host/validation/row.h"

namespace intervox {
namespace {

/** The rows that take some 3 s together. */
const std::string kFast =
    "--only single_impact,force_loops,ball_on_incline,force_plate,azad_scaling,impulse_laws,"
    "rod_drop,slender_rod,four_legged_chair,box_push,stribeck_curve,limit_surface,rolling_onset,"
    "steiner";

bool Says(const Outcome& outcome, const std::string& word) {
  return outcome.text.find(word) != std::string::npos;
}

TEST(CliValidate, FastRowsPass) {
  const Outcome outcome = Call("validate " + kFast, false);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(Says(outcome, "verdict")) << outcome.text;
  EXPECT_TRUE(Says(outcome, "14 of 14 rows pass")) << outcome.text;
  EXPECT_FALSE(Says(outcome, "FAIL")) << outcome.text;
}

TEST(SlowCliValidate, EveryRowPasses) {
  const Outcome outcome = Call("validate", false);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
}

TEST(CliValidate, JsonHasEachNumberWithItsReason) {
  const Outcome outcome = Call("validate --json --only box_push single_impact", false);
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const auto all = nlohmann::json::parse(outcome.text);
  EXPECT_EQ(all["schema"], "intervox/validation/1");
  ASSERT_EQ(all["rows"].size(), 2u);
  EXPECT_EQ(all["rows"][0]["name"], "single_impact");  // the table's order
  for (const auto& row : all["rows"]) {
    EXPECT_EQ(row["passes"], true);
    for (const auto& check : row["checks"]) {
      EXPECT_GT(check["tolerance"].get<double>(), 0.0) << check;
      EXPECT_FALSE(check["why"].get<std::string>().empty()) << check;
    }
  }
}

TEST(CliValidate, TheReportHasEachRowWithItsFigures) {
  const std::filesystem::path folder = Folder("cli_validate_report") / "page";
  const Outcome outcome =
      Call("validate --only single_impact,box_push --report " + folder.string(), false);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  std::ifstream file(folder / "validation.json");
  const auto all = nlohmann::json::parse(file);
  ASSERT_EQ(all["rows"].size(), 2u);
  const auto& figure = all["rows"][0]["figures"].at(0);
  EXPECT_EQ(figure["x"], "approach speed [m/s]");
  for (const auto& curve : figure["curves"]) EXPECT_EQ(curve["x"].size(), 4u);
  std::stringstream page;
  page << std::ifstream(folder / "index.html").rdbuf();
  for (const std::string word : {"single_impact", "box_push", "data:image", "2 of 2"}) {
    EXPECT_NE(page.str().find(word), std::string::npos) << word;
  }
}

TEST(CliValidate, AReportThatCannotBeWrittenIsRefusedBeforeTheRows) {
  const Outcome refused = Call("validate --only single_impact --report /proc/none");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(Says(refused, "--report")) << refused.text;
  EXPECT_FALSE(Says(refused, "verdict")) << refused.text;
}

TEST(CliValidate, AnUnknownRowIsAnErrorThatListsAll) {
  const Outcome unknown = Call("validate --only single_impact,single_impcat");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(Says(unknown, "'single_impcat'")) << unknown.text;
  const Outcome list = Call("validate --list");
  EXPECT_EQ(list.status, 0);
  for (const host::Row& row : host::Rows()) {
    EXPECT_TRUE(Says(unknown, row.name)) << unknown.text;
    EXPECT_TRUE(Says(list, row.name) && Says(list, row.scene)) << list.text;
  }
}

TEST(CliValidate, WrongUsageIsRefused) {
  EXPECT_EQ(Call("validate --scenes /nowhere").status, 2);
  const std::string scene = kData + "/scenes/lattice_drop.yaml";
  EXPECT_EQ(Call("validate " + scene + " --list").status, 2);
  EXPECT_EQ(Call("validate --only box_push --set bodies.ball.mass=1").status, 2);  // of no body
}

/** A wrong constant of a row, one that a wrong program might have, fails it. */
void ExpectFails(const std::string& call) {
  const Outcome outcome = Call("validate -q --only " + call, false);
  EXPECT_EQ(outcome.status, 1) << call << outcome.text;
  EXPECT_TRUE(Says(outcome, "FAIL")) << call << outcome.text;
  EXPECT_TRUE(Says(outcome, "0 of 1 rows pass")) << call << outcome.text;
}

TEST(CliValidate, AWrongConstantFails) {
  const std::string friction = " --set contact_models.default.friction.";
  ExpectFails("single_impact --set contact_models.default.normal.restitution_slope=0.201");
  ExpectFails("ball_on_incline" + friction + "mu_c=0.02" + friction + "mu_s=0.02");
  ExpectFails("ball_on_incline --set gravity=[0,0,-9.8]");
  ExpectFails("ball_on_incline --set bodies.ball.inertia=[0.0134,0.0134,0.0134]");
  ExpectFails("azad_scaling --set bodies.ball.mass=0.501");
  ExpectFails("impulse_laws --set contact_models.default.normal.restitution=0.99");
  ExpectFails("impulse_laws --set bodies.body.inertia=[0.01,0.0202,0.015]");
  ExpectFails("rod_drop --set contact_models.default.normal.dissipation=0.24");
  ExpectFails("rod_drop" + friction + "mu_c=0.08");
  ExpectFails("slender_rod --set bodies.rod.velocity.linear=[-0.95,0,0]");
  ExpectFails("slender_rod" + friction + "mu=1.4");
  ExpectFails("four_legged_chair --set bodies.chair.center_of_mass=[0.05,-0.021,0.4]");
  ExpectFails("four_legged_chair --set contact_models.default.normal.stiffness=1.1e6");
  ExpectFails("box_push" + friction + "mu_s=0.4" + friction + "mu_c=0.4");
  ExpectFails("box_push --set bodies.box.mass=1.001");
  ExpectFails("force_loops --set contact_models.default.normal.stiffness=3.41e10");
  ExpectFails("force_plate --set contact_models.default.normal.stiffness=2.56e8");
  ExpectFails("force_plate" + friction + "mu_s=0.155");
  const std::string law = " --set 'contact_models.default.friction={model: ";
  ExpectFails("stribeck_curve" + law + "stribeck, mu_s: 0.801, mu_c: 0.5, slip_tolerance: 1e-3}'");
  ExpectFails("limit_surface" + law + "distributed, mu: 0.301, v_epsilon: 1e-9}'");
  ExpectFails("rolling_onset" + friction + "mu=0.201");
  ExpectFails("steiner --set gravity=[0,0,-9.8]");
}

TEST(CliValidate, ARowThatEndsInAnErrorFails) {
  // A box on a floor has no radius of which Hertz' law could make a stiffness.
  const std::string hertz =
      "box_push --set 'contact_models.default={geometry: points, normal: {model: hunt_crossley, "
      "dissipation: 0.1}}' --set 'materials={steel: {youngs_modulus: 2e11}}' --set "
      "bodies.box.material=steel";
  ExpectFails(hertz);
  EXPECT_TRUE(Says(Call("validate -q --only " + hertz, false), "no stiffness"));
}

TEST(SlowCliValidate, AWrongConstantFails) {
  ExpectFails("stick_slip --set contact_models.default.friction.mu_s=0.151");
  ExpectFails("restitution_log --set materials.steel.youngs_modulus=2.12e11");
  ExpectFails("tippe_top --set bodies.top.inertia=[7e-7,7e-7,8e-7]");
  ExpectFails("battery_box --set bodies.box.mass=101");
  ExpectFails("morse_taper --set shapes.taper.cone.radius_top=0.0095");
  ExpectFails("ball_in_cylinder --set 'contact_models.default.friction={model: none}'");
  ExpectFails("ball_in_cylinder --set bodies.ball.inertia=[0.0134,0.0134,0.0134]");
  ExpectFails("ball_in_cylinder --set gravity=[0,0,-9]");
  ExpectFails("double_pendulum --set bodies.floor.shape.half_space.offset=-0.6111");
  ExpectFails("double_pendulum --set contact_models.default.friction.mu_c=0.3");
  ExpectFails("bouncing_drop --set contact_models.default.normal.damping=1.01e5");
  ExpectFails("bouncing_drop --set contact_models.default.normal.stiffness=1.1e10");
}

TEST(CliValidate, AFolderWithAnotherSceneFails) {
  const fs::path folder = Folder("validate_rows");
  fs::copy(kData + "/scenes/validation", folder, fs::copy_options::recursive);
  const std::string call = "validate -q --only azad_scaling --scenes " + folder.string();
  EXPECT_EQ(Call(call).status, 0);
  std::string text = TextOf(folder / "azad_scaling.yaml");
  const std::string mass = "mass: 0.5";
  text.replace(text.find(mass), mass.size(), "mass: 0.6");
  Write(folder / "azad_scaling.yaml", text);
  EXPECT_EQ(Call(call).status, 1);
  fs::remove(folder / "azad_scaling.yaml");
  EXPECT_EQ(Call(call).status, 2);
}

TEST(CliValidate, EachShippedSceneHasARow) {
  std::set<std::string> shipped, used;
  for (const auto& entry : fs::directory_iterator(kData + "/scenes/validation")) {
    shipped.insert(entry.path().filename().string());
  }
  // A scene beside the folder is one that ships for its own sake.
  for (const host::Row& row : host::Rows()) {
    const std::string scene(row.scene);
    if (!scene.starts_with("../")) used.insert(scene);
  }
  EXPECT_EQ(shipped, used);
}

TEST(CliValidate, HelpSaysBothUses) {
  const Outcome help = Call("help validate");
  EXPECT_EQ(help.status, 0);
  for (const char* word : {"literature", "--only", "--scenes", "--list", "--json", "--set"}) {
    EXPECT_TRUE(Says(help, word)) << help.text;
  }
}

}  // namespace
}  // namespace intervox
