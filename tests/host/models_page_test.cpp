// docs/models.md names every law of the registry with the keys that it reads, and no others.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/registry.h"
#include "host/input/error.h"
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
