// Which rule a pair of bodies gets, against the list of contacts read from its beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "host/input/error.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

Scene Balls(int count) {
  Scene scene;
  auto ball = std::make_shared<geometry::Shape>();
  ball->name = "ball";
  ball->primitive = geometry::Sphere{0.01};
  scene.shapes["ball"] = ball;
  scene.materials["steel"] = {7800, 2e11, 0.3, 1e9, 0.1, 0.9};
  scene.materials["rubber"] = {1200, 1e7, 0.49, 1e6, 0.9, 0.5};
  ContactModelSettings model;
  model.normal.parameters = {{"restitution", 0.5}};
  for (const char* name : {"default", "hard", "soft"}) scene.contact_models[name] = model;
  for (int b = 0; b < count; ++b) {
    BodySettings body;
    body.name = "b" + std::to_string(b);
    body.shape = "ball";
    body.material = b % 3 == 0 ? "rubber" : "steel";
    body.mass = 1.0;
    body.inertia = Mat3::Diagonal({1, 1, 1});
    body.fixed = b % 4 == 3;
    scene.bodies.push_back(body);
  }
  return scene;
}

bool Fits(const ContactSettings& contact, const std::string& i, const std::string& j) {
  const auto one = [](const std::string& pattern, const std::string& name) {
    return pattern == "*" || pattern == name;
  };
  const auto& [a, b] = contact.bodies;
  return (one(a, i) && one(b, j)) || (one(a, j) && one(b, i));
}

/** The first contact that fits, as the scene's format defines it. */
std::string ModelByTheList(const Scene& scene, int i, int j) {
  if (scene.contacts.empty()) return "default";
  const std::string& a = scene.bodies[static_cast<std::size_t>(i)].name;
  const std::string& b = scene.bodies[static_cast<std::size_t>(j)].name;
  for (const ContactSettings& contact : scene.contacts) {
    if (Fits(contact, a, b)) return contact.model;
  }
  return "none";
}

TEST(PairRules, TheFirstContactThatFitsMakesTheRule) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
  int filtered = 0, ruled = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Scene scene = Balls(9);
    const auto name = [&] { return pick(3) == 0 ? "*" : "b" + std::to_string(pick(9)); };
    for (int k = pick(8); k > 0; --k) {
      const char* models[] = {"none", "hard", "soft"};
      const ContactSettings contact{{name(), name()}, models[pick(3)]};
      const std::string &x = contact.bodies.first, &y = contact.bodies.second;
      const auto same = [&](const ContactSettings& other) {
        return other.bodies == contact.bodies || other.bodies == std::pair(y, x);
      };
      const bool again = std::any_of(scene.contacts.begin(), scene.contacts.end(), same);
      if (!again && (x != y || x == "*")) scene.contacts.push_back(contact);
    }
    scene.contact_models["hard"].cells = ContactCells::kPairs;
    scene.contact_models["soft"].direction = NormalDirection::kEigenvector;
    const auto world = MakeWorld(scene);
    for (int i = 0; i < 9; ++i) {
      EXPECT_EQ(world->Rule(i, i), nullptr);
      for (int j = 0; j < 9; ++j) {
        if (i == j) continue;
        const std::string model = ModelByTheList(scene, i, j);
        const PairRule* rule = world->Rule(i, j);
        EXPECT_EQ(rule, world->Rule(j, i));
        const bool none = model == "none" || (i % 4 == 3 && j % 4 == 3);
        ASSERT_EQ(rule == nullptr, none) << trial << ": " << i << " " << j << " " << model;
        (none ? filtered : ruled) += 1;
        if (none) continue;
        EXPECT_EQ(rule->patches.per_cell_pair, model == "hard");
        EXPECT_EQ(rule->patches.normal.eigenvector, model == "soft");
        const int low = std::min(i, j), high = std::max(i, j);
        const double share = low % 3 == high % 3 || (low % 3 != 0 && high % 3 != 0) ? 0.5
                             : low % 3 == 0 ? 1e9 / (1e9 + 1e6)
                                            : 1e6 / (1e9 + 1e6);
        EXPECT_DOUBLE_EQ(rule->model->plate_share, share);
      }
    }
  }
  EXPECT_GT(filtered, 1000);
  EXPECT_GT(ruled, 1000);
}

TEST(PairRules, ABodyWithoutCellsTouchesNothing) {
  Scene scene = Balls(3);
  scene.bodies[1].shape.clear();
  const auto world = MakeWorld(scene);
  EXPECT_EQ(world->Rule(0, 1), nullptr);
  EXPECT_NE(world->Rule(0, 2), nullptr);
}

TEST(PairRules, ThereAreAsManyModelsAsKinds) {
  Scene scene = Balls(90);
  const auto world = MakeWorld(scene);
  // Rubber and steel as they meet: two alike, and each as the first of two.
  EXPECT_EQ(world->rules.All().size(), 4U);
  for (int i = 0; i < 90; ++i) {
    for (int j = i + 1; j < 90; ++j) {
      const PairRule* rule = world->Rule(i, j);
      EXPECT_EQ(rule == nullptr, i % 4 == 3 && j % 4 == 3);
    }
  }
}

TEST(PairRules, AModelThatNoPairMeetsIsNotMade) {
  Scene scene = Balls(6);
  scene.contact_models["hard"].normal.parameters = {{"restitution", 77}};
  scene.contacts = {{{"*", "b3"}, "none"}, {{"b0", "b1"}, "soft"}, {{"b3", "b1"}, "hard"}};
  EXPECT_EQ(MakeWorld(scene)->rules.All().size(), 1U);
  scene.contacts[2].bodies = {"b0", "b2"};
  try {
    MakeWorld(scene);
    FAIL() << "hard is met by b0 and b2";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bodies b0 and b2"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace intervox::host
