// docs/models.md names every law of the registry with the keys that it reads, and no others.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/registry.h"
#include "host/input/error.h"
#include "host/validation/one_body.h"
#include "tests/host/models_page.h"

namespace intervox::host {
namespace {

using testing::PageSection;
using testing::SectionsOfPage;

/** The keys that a law reads, at points and of volumes. Fails where it can be made in neither. */
template <class Law>
std::set<std::string> KeysOf(const LawRegistry<Law>& registry, const std::string& part,
                             const ModelSettings& settings) {
  std::set<std::string> keys;
  bool made = false;
  const auto found = registry.find(settings.model);
  EXPECT_NE(found, registry.end()) << settings.model;
  if (found == registry.end()) return keys;
  for (const ContactGeometry geometry : {ContactGeometry::kVolumes, ContactGeometry::kPoints}) {
    const Material none;
    Parameters parameters(part, settings, none, none, geometry);
    try {
      found->second(parameters);
      parameters.RefuseUnknown();
      made = true;
    } catch (const InputError&) {
      continue;
    }
    keys.insert(parameters.Known().begin(), parameters.Known().end());
    // A stiffness of points may come from a radius instead.
    if (geometry == ContactGeometry::kPoints && keys.contains("stiffness") &&
        keys.contains("exponent")) {
      keys.insert("radius");
    }
  }
  EXPECT_TRUE(made) << part << "." << settings.model;
  return keys;
}

template <class Law>
void ExpectComplete(const LawRegistry<Law>& registry, const std::string& part,
                    const std::vector<PageSection>& sections) {
  std::set<std::string> described;
  for (const PageSection& section : sections) {
    if (section.part != part || section.names.empty()) continue;
    const std::set<std::string> names(section.names.begin(), section.names.end());
    std::set<std::string> keys, with_examples, listed;
    for (const auto& [key, parameter] : section.parameters) listed.insert(key);
    for (const ModelSettings& settings : section.examples) {
      EXPECT_TRUE(names.contains(settings.model)) << part << "." << settings.model;
      with_examples.insert(settings.model);
      keys.merge(KeysOf(registry, part, settings));
    }
    EXPECT_EQ(with_examples, names) << part;
    EXPECT_EQ(keys, listed) << part << "." << *names.begin();
    described.insert(names.begin(), names.end());
  }
  for (const auto& [name, make] : registry) {
    if (name == "stiffening" || name.starts_with("test_")) continue;  // of this suite
    EXPECT_TRUE(described.contains(name)) << "docs/models.md lacks " << part << " " << name;
  }
}

TEST(ModelsPage, HasEveryLawWithEveryKey) {
  const std::vector<PageSection> sections = SectionsOfPage();
  ASSERT_GT(sections.size(), 20U);
  ExpectComplete(NormalLaws(), "normal", sections);
  ExpectComplete(FrictionLaws(), "friction", sections);
  ExpectComplete(RollingLaws(), "rolling", sections);
  ExpectComplete(SpinningLaws(), "spinning", sections);
}

TEST(ModelsPage, HasAFigureForEveryLaw) {
  for (const PageSection& section : SectionsOfPage()) {
    if (section.names.empty() || section.names.front() == "none") continue;
    EXPECT_FALSE(section.figures.empty()) << section.part << "." << section.names.front();
    for (const std::string& figure : section.figures) {
      EXPECT_TRUE(std::filesystem::exists(std::string(INTERVOX_DATA_DIR) + "/../docs/" + figure))
          << figure;
    }
  }
}

// Each law ends somewhere, and the page says where; the numbers of its limits are the laws' own.
TEST(ModelsPage, HasTheLimitsOfEveryLaw) {
  for (const PageSection& section : SectionsOfPage()) {
    if (section.names.empty() || section.names.front() == "none") continue;
    EXPECT_GT(section.limits.size(), 60U) << section.part << "." << section.names.front();
  }
  struct Case {
    std::string law;
    std::vector<std::string> returned;  ///< as the page has it
    std::vector<std::pair<std::string, double>> of;
  };
  const std::vector<Case> cases = {
      {"lankarani_nikravesh",
       {"0.913", "0.725", "0.665"},
       {{"restitution", 0.9}, {"restitution", 0.5}, {"restitution", 0.1}}},
      {"hunt_crossley",
       {"0.909", "0.663", "0.516"},
       {{"restitution", 0.9}, {"restitution", 0.5}, {"restitution", 0.1}}},
      {"hunt_crossley",
       {"0.909", "0.663", "0.488"},
       {{"dissipation", 0.1}, {"dissipation", 0.5}, {"dissipation", 1.0}}}};
  for (const Case& c : cases) {
    std::string limits;
    for (const PageSection& section : SectionsOfPage()) {
      if (section.part == "normal" && !section.names.empty() && section.names.front() == c.law)
        limits = section.limits;
    }
    for (std::size_t k = 0; k < c.of.size(); ++k) {
      ContactModelSettings settings;
      settings.geometry = ContactGeometry::kPoints;
      settings.normal = {c.law, {{"stiffness", 1e6}, {c.of[k].first, c.of[k].second}}, {}};
      const auto model = MakeContactModel(settings, {}, {});
      const double a = model->normal->DampingFactor(1.0);
      const double e = ReboundOf({1.0, 0.0,
                                  [&](double z, double rate) {
                                    return model->normal->Force(z, 0.0).f_e * (1.0 - a * rate);
                                  }},
                                 1.0, 1e-6, 1.0)
                           .speed;
      EXPECT_NEAR(e, std::stod(c.returned[k]), 6e-4) << c.law << " " << c.of[k].second;
      EXPECT_NE(limits.find(c.returned[k]), std::string::npos) << c.law << " " << e;
    }
  }
}

// What a model reads beside its laws: the keys of the sections about all laws of a part.
TEST(ModelsPage, HasTheKeysOfAllLaws) {
  std::map<std::string, std::set<std::string>> all;
  for (const PageSection& section : SectionsOfPage()) {
    if (!section.names.empty()) continue;
    for (const auto& [key, parameter] : section.parameters) all[section.part].insert(key);
  }
  EXPECT_EQ(all["normal"], (std::set<std::string>{"latch", "relaxation_time", "passive"}));
  EXPECT_EQ(all["friction"], (std::set<std::string>{"dwell_start"}));
  EXPECT_EQ(all["rolling"], (std::set<std::string>{"cap"}));
  EXPECT_EQ(all.count("spinning"), 0U);
  ContactModelSettings settings;
  settings.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
  settings.normal.parameters["passive"] = 0;
  settings.normal.parameters["relaxation_time"] = 2;
  settings.normal.choices["latch"] = "first";
  settings.friction.parameters["dwell_start"] = 1;
  settings.rolling.parameters["cap"] = 1;
  EXPECT_NO_THROW(MakeContactModel(settings, {}, {}));
}

}  // namespace
}  // namespace intervox::host
