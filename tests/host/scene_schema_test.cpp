// The published schemas, the reader's table of keys and the shipped files tell the same story.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "host/scene/json_schema.h"
#include "host/scene/key_reference.h"
#include "host/scene/keys.h"
#include "host/scene/pairs.h"
#include "host/scene/scene.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

const fs::path kData = INTERVOX_DATA_DIR;

std::string Read(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(SceneSchema, FilesAreWhatTheTableSays) {
  for (const std::string root : {"scene", "pairs", "batch"}) {
    const fs::path path = kData / "schema" / (root + ".schema.json");
    if (std::getenv("INTERVOX_WRITE_SCHEMA") != nullptr) std::ofstream(path) << JsonSchema(root);
    EXPECT_EQ(Read(path), JsonSchema(root))
        << path << " is out of step; run this test with INTERVOX_WRITE_SCHEMA=1 to write it";
  }
}

TEST(SceneSchema, ThePageHasEveryKey) {
  const fs::path path = kData / "../docs/scene_format.md";
  const std::string text = Read(path);
  const std::string heading = "INTERVOX_WRITE_SCHEMA=1. -->\n";
  const std::size_t at = text.find(heading);
  ASSERT_NE(at, std::string::npos);
  const std::string head = text.substr(0, at + heading.size());
  if (std::getenv("INTERVOX_WRITE_SCHEMA") != nullptr)
    std::ofstream(path) << head << KeyReference();
  EXPECT_EQ(Read(path).substr(head.size()), KeyReference())
      << path << " is out of step; run this test with INTERVOX_WRITE_SCHEMA=1 to write it";
}

// Independent of the writer: every key of every object stands in the shipped schema, and no other.
TEST(SceneSchema, EveryKeyIsInTheSchemaAndViceVersa) {
  for (const std::string root : {"scene", "pairs", "batch"}) {
    const auto schema = nlohmann::json::parse(Read(kData / "schema" / (root + ".schema.json")));
    std::set<std::string> objects = {root};
    for (const auto& [name, definition] : schema["definitions"].items()) objects.insert(name);
    for (const std::string& name : objects) {
      const auto& object = name == root ? schema : schema["definitions"][name];
      std::set<std::string> published, known;
      for (const auto& [key, value] : object["properties"].items()) published.insert(key);
      for (const Key& key : ObjectNamed(name).keys) known.insert(key.name);
      EXPECT_EQ(published, known) << name;
    }
  }
}

TEST(SceneSchema, EveryObjectIsReached) {
  std::set<std::string> reached = {"scene", "pairs", "batch"};
  for (const std::string root : {"scene", "pairs", "batch"}) {
    const auto schema = nlohmann::json::parse(JsonSchema(root));
    for (const auto& [name, definition] : schema["definitions"].items()) reached.insert(name);
  }
  for (const Object& object : Objects()) EXPECT_TRUE(reached.contains(object.name)) << object.name;
}

TEST(SceneSchema, EveryKeyIsDocumented) {
  for (const Object& object : Objects()) {
    EXPECT_FALSE(object.doc.empty()) << object.name;
    for (const Key& key : object.keys) EXPECT_FALSE(key.doc.empty()) << key.name;
  }
}

TEST(SceneSchema, ShippedFilesAreRead) {
  int files = 0;
  for (const char* folder : {"scenes", "examples", "oracle"}) {
    for (const auto& entry : fs::directory_iterator(kData / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string text = Read(entry.path());
      if (text.find("intervox/scene/") != std::string::npos) {
        EXPECT_NO_THROW(LoadScene(entry.path())) << entry.path();
      } else {
        EXPECT_NO_THROW(LoadPairs(entry.path())) << entry.path();
      }
      ++files;
    }
  }
  EXPECT_GE(files, 6);
}

}  // namespace
}  // namespace intervox::host
