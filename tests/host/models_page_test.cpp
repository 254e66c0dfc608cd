// docs/models.md names every law of the registry with the keys that it reads, and no others.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/registry.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

/** The laws of one part of the page that are described together. */
struct Section {
  std::string part;             ///< normal, friction, rolling, spinning
  std::set<std::string> names;  ///< empty: of all laws of the part
  std::set<std::string> keys;
  std::vector<ModelSettings> examples;
};

/** What stands between back quotes in a line. */
std::vector<std::string> Quoted(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream parts(line);
  std::string part;
  for (bool inside = false; std::getline(parts, part, '`'); inside = !inside) {
    if (inside) out.push_back(part);
  }
  return out;
}

/** {model: NAME, key: number, …}. */
ModelSettings Example(const std::string& text) {
  ModelSettings settings;
  std::istringstream items(text.substr(1, text.size() - 2));
  std::string item;
  while (std::getline(items, item, ',')) {
    const std::size_t colon = item.find(':');
    const std::string key =
        item.substr(item.find_first_not_of(' '), colon - item.find_first_not_of(' '));
    const std::string value = item.substr(colon + 2);
    if (key == "model") {
      settings.model = value;
    } else {
      settings.parameters[key] = std::stod(value);
    }
  }
  return settings;
}

std::vector<Section> SectionsOfPage() {
  std::ifstream page(std::string(INTERVOX_DATA_DIR) + "/../docs/models.md");
  std::vector<Section> sections;
  std::string line, part;
  while (std::getline(page, line)) {
    for (const std::string name : {"Normal", "Friction", "Rolling", "Spinning"}) {
      if (line == "## " + name + " laws") part = std::string(1, name[0] | 0x20) + name.substr(1);
    }
    const std::vector<std::string> quoted = Quoted(line);
    if (line.starts_with("### ")) {
      sections.push_back({part, {quoted.begin(), quoted.end()}, {}, {}});
    } else if (!part.empty() && line.starts_with("| `")) {
      sections.back().keys.insert(quoted.front());
    } else if (!part.empty() && line.starts_with("- `{model: ")) {
      sections.back().examples.push_back(Example(quoted.front()));
    }
  }
  return sections;
}

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
                    const std::vector<Section>& sections) {
  std::set<std::string> described;
  for (const Section& section : sections) {
    if (section.part != part || section.names.empty()) continue;
    std::set<std::string> keys, with_examples;
    for (const ModelSettings& settings : section.examples) {
      EXPECT_TRUE(section.names.contains(settings.model)) << part << "." << settings.model;
      with_examples.insert(settings.model);
      keys.merge(KeysOf(registry, part, settings));
    }
    EXPECT_EQ(with_examples, section.names) << part;
    EXPECT_EQ(keys, section.keys) << part << "." << *section.names.begin();
    described.insert(section.names.begin(), section.names.end());
  }
  for (const auto& [name, make] : registry) {
    if (name == "stiffening" || name.starts_with("test_")) continue;  // of this suite
    EXPECT_TRUE(described.contains(name)) << "docs/models.md lacks " << part << " " << name;
  }
}

TEST(ModelsPage, HasEveryLawWithEveryKey) {
  const std::vector<Section> sections = SectionsOfPage();
  ASSERT_GT(sections.size(), 20U);
  ExpectComplete(NormalLaws(), "normal", sections);
  ExpectComplete(FrictionLaws(), "friction", sections);
  ExpectComplete(RollingLaws(), "rolling", sections);
  ExpectComplete(SpinningLaws(), "spinning", sections);
}

// What a model reads beside its laws: the keys of the sections about all laws of a part.
TEST(ModelsPage, HasTheKeysOfAllLaws) {
  std::map<std::string, std::set<std::string>> all;
  for (const Section& section : SectionsOfPage()) {
    if (section.names.empty()) all[section.part] = section.keys;
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
