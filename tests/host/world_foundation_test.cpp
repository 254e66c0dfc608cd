// Stiffness from the material, and the defaults of each version of the schema.
#include "host/world/foundation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/input/error.h"
#include "host/scene/reader.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

// By Lamé's constants: what holds a layer that cannot widen is λ + 2 μ.
double ByLame(double E, double nu, double t) {
  const double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
  return (lambda + 2 * mu) / t;
}

TEST(Foundation, LayerIsAsStiffAsLameSays) {
  for (const double E : {2e9, 2e11, 2e13}) {
    for (const double nu : {-0.9, 0.0, 0.3, 0.49}) {
      for (const double t : {1e-4, 1e-2, 1.0}) {
        EXPECT_NEAR(LayerStiffness(E, nu, t) / ByLame(E, nu, t), 1.0, 1e-13) << E << nu << t;
      }
    }
  }
  EXPECT_DOUBLE_EQ(LayerStiffness(7e9, 0.0, 0.5), 1.4e10);
}

/** A box over a floor. */
std::string Text(const std::string& scene, const std::string& steel, const std::string& box,
                 const std::string& normal = "") {
  return "schema: intervox/scene/2\n" + scene +
         "shapes: {floor: {half_space: {normal: [0, 0, 1], offset: 0}}, box: {box: {size: [0.1, "
         "0.1, 0.1]}}}\n"
         "materials:\n"
         "  steel: {density: 7800, " +
         steel +
         "}\n"
         "  rubber: {youngs_modulus: 2e6, poisson_ratio: 0.48, foundation_thickness: 3e-3}\n"
         "contact_models:\n"
         "  default: {normal: {model: gonthier, restitution: 0.5" +
         normal +
         "}}\n"
         "bodies:\n"
         "  floor: {shape: floor, fixed: true, material: rubber}\n"
         "  box: {shape: box, material: steel, pose: {position: [0, 0, 1]}, " +
         box +
         "}\n"
         "  other: {shape: box, material: steel, pose: {position: [1, 0, 1]}}\n";
}

std::unique_ptr<World> Make(const std::string& text) {
  return MakeWorld(ParseScene(text, "s.yaml"));
}

double Stiffness(const World& world, int i, int j) {
  return world.Rule(i, j)->model->normal->Force(1.0, 0.0).f_e;
}

TEST(Foundation, BodyThenMaterialThenSceneGiveTheThickness) {
  const std::string E = "youngs_modulus: 2.1e11, poisson_ratio: 0.3";
  const double rubber = ByLame(2e6, 0.48, 3e-3);
  const auto series = [&](double t) { return 1 / (1 / rubber + 1 / ByLame(2.1e11, 0.3, t)); };
  const auto all = Make(Text("foundation_thickness: 0.2\n", E + ", foundation_thickness: 0.05",
                             "foundation_thickness: 1e-3"));
  EXPECT_NEAR(Stiffness(*all, 0, 1) / series(1e-3), 1, 1e-12);
  EXPECT_NEAR(Stiffness(*all, 0, 2) / series(0.05), 1, 1e-12);  // the same material, another layer
  EXPECT_NEAR(
      Stiffness(*all, 1, 2) * (1 / ByLame(2.1e11, 0.3, 1e-3) + 1 / ByLame(2.1e11, 0.3, 0.05)), 1,
      1e-12);
  EXPECT_NEAR(all->Rule(0, 1)->model->plate_share,
              ByLame(2.1e11, 0.3, 1e-3) / (ByLame(2.1e11, 0.3, 1e-3) + rubber), 1e-12);
  const auto by_scene = Make(Text("foundation_thickness: 0.2\n", E, ""));
  EXPECT_NEAR(Stiffness(*by_scene, 0, 2) / series(0.2), 1, 1e-12);
  const std::string ground = "contacts: [{bodies: [floor, \"*\"], model: default}]\n";
  // What is given stands.
  const auto material =
      Make(Text("foundation_thickness: 0.2\n", E + ", foundation_stiffness: 5e8", ""));
  EXPECT_NEAR(Stiffness(*material, 0, 2) * (1 / rubber + 1 / 5e8), 1, 1e-12);
  const auto model =
      Make(Text("", "poisson_ratio: 0.4999, youngs_modulus: 1e7", "", ", stiffness: 7e6"));
  EXPECT_EQ(Stiffness(*model, 0, 2), 7e6);
  const auto none = Make(Text(ground, E, ""));  // a layer of no thickness is rigid
  EXPECT_NEAR(Stiffness(*none, 0, 2) / rubber, 1, 1e-12);
}

TEST(Foundation, WhatCannotBeIsRefusedAtItsLine) {
  const auto refused = [](const std::string& text, const std::string& begin,
                          const std::string& remedy) {
    try {
      Make(text);
      FAIL() << "accepted: " << text;
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.substr(0, begin.size()), begin);
      EXPECT_NE(what.find(remedy), std::string::npos) << what;
    }
  };
  const std::string E = "youngs_modulus: 2e9, ";
  refused(Text("", E + "poisson_ratio: 0.4901, foundation_thickness: 1", ""),
          "s.yaml:4: materials.steel.poisson_ratio: 0.4901 is above 0.49", "Give 0.49 or less");
  refused(Text("", E + "foundation_thickness: 1", ""),
          "s.yaml:4: materials.steel.poisson_ratio: is missing", "Give it");
  refused(Text("", "foundation_thickness: 1", ""),
          "s.yaml:4: materials.steel.foundation_thickness: 1 m says nothing", "Give it");
  refused(Text("", "friction: 0", "foundation_thickness: 0.25"),
          "s.yaml:10: bodies.box.foundation_thickness: 0.25 m says nothing", "Give the body");
  refused(Text("", E + "foundation_thickness: 0", ""),
          "s.yaml:4: materials.steel.foundation_thickness: ", "0");
  EXPECT_NO_THROW(Make(Text("", E + "poisson_ratio: 0.49, foundation_thickness: 1", "")));
}

/** A contact model as the versions of the schema understand it. */
ContactModelSettings Model(int version, const std::string& parts) {
  return ParseScene(
             "schema: intervox/scene/" + std::to_string(version) +
                 "\nbodies: {a: {shape: {sphere: {radius: 1}}, fixed: true}}\n"
                 "contact_models: {m: {normal: {model: gonthier, stiffness: 1, restitution: 0.5}" +
                 parts + "}}\n",
             "s.yaml")
      .contact_models.at("m");
}

TEST(SceneVersions, TheSecondRubsWhereItSlidesAndCapsRolling) {
  const std::string rubs = ", friction: {model: coulomb, mu: 0.3}";
  EXPECT_EQ(Model(2, rubs).spinning.model, "contensou");
  EXPECT_EQ(Model(1, rubs).spinning.model, "none");
  EXPECT_EQ(Model(2, rubs + ", spinning: {model: none}").spinning.model, "none");
  EXPECT_EQ(Model(2, ", friction: {model: none}").spinning.model, "none");
  EXPECT_EQ(Model(2, "").spinning.model, "none");
  const std::string rolls = ", rolling: {model: gonthier";
  EXPECT_EQ(Model(2, rolls + "}").rolling.parameters.at("cap"), 1.0);
  EXPECT_EQ(Model(1, rolls + "}").rolling.parameters.at("cap"), 0.0);
  EXPECT_EQ(Model(2, rolls + ", cap: 0}").rolling.parameters.at("cap"), 0.0);
  EXPECT_EQ(Model(1, rolls + ", cap: 1}").rolling.parameters.at("cap"), 1.0);
  EXPECT_TRUE(MakeContactModel(Model(2, rolls + "}"), {}, {})->rolling_cap);
  EXPECT_FALSE(MakeContactModel(Model(1, rolls + "}"), {}, {})->rolling_cap);
}

TEST(SceneVersions, AreWrittenAsTheSecondWithTheirMeaning) {
  for (const int version : {1, 2}) {
    Scene scene;
    scene.name = "x";
    scene.foundation_thickness = 0.125;
    scene.contact_models["m"] =
        Model(version, ", friction: {model: coulomb, mu: 0.3}, rolling: {model: gonthier}");
    BodySettings body;
    body.name = "a";
    body.shape = "s";
    body.fixed = true;
    body.foundation_thickness = 0.375;
    scene.bodies = {body};
    auto ball = std::make_shared<geometry::Shape>();
    ball->name = "s";
    ball->primitive = geometry::Sphere{1.0};
    scene.shapes["s"] = ball;
    scene.materials["x"].foundation_thickness = 0.625;
    const std::string text = ToYaml(scene);
    EXPECT_EQ(text.substr(0, 25), "schema: intervox/scene/2\n");
    const Scene again = ParseScene(text, "again.yaml");
    EXPECT_EQ(again.contact_models.at("m").spinning.model, version == 1 ? "none" : "contensou");
    EXPECT_EQ(again.contact_models.at("m").rolling.parameters.at("cap"), version == 1 ? 0.0 : 1.0);
    EXPECT_EQ(again.foundation_thickness, 0.125);
    EXPECT_EQ(again.bodies[0].foundation_thickness, 0.375);
    EXPECT_EQ(again.materials.at("x").foundation_thickness, 0.625);
  }
  Scene made;  // in code, where nothing is said of a cap
  made.contact_models["m"].rolling.model = "gonthier";
  EXPECT_NE(ToYaml(made).find("rolling: {model: \"gonthier\", \"cap\": 0}"), std::string::npos);
}

}  // namespace
}  // namespace intervox::host
