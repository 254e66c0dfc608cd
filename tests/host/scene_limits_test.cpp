// Limits of scene files: what lies at them is read, and what lies beyond is refused in a moment,
// with place and remedy.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "cli_call.h"
#include "host/input/error.h"
#include "host/scene/document.h"
#include "host/scene/reader.h"
#include "host/scene/shapes.h"

namespace intervox::host {
namespace {

std::string MessageOf(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void ExpectWords(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' in: " << message;
  }
}

/** A scene whose shape s6 has a million primitives, ten at a time; `more` follows it. */
std::string Millions(const std::string& more) {
  std::string text = "schema: intervox/scene/2\nshapes:\n  s0: {sphere: {radius: 1}}\n";
  for (int k = 1; k <= 6; ++k) {
    const std::string below = "s" + std::to_string(k - 1);
    text += "  s" + std::to_string(k) + ": {union: [" + below;
    for (int n = 1; n < 10; ++n) text += ", " + below;
    text += "]}\n";
  }
  return text + more + "bodies: {b: {shape: s0, fixed: true}}\n";
}

TEST(SceneLimits, AMillionPrimitivesAreAShapeAndOneMoreIsNot) {
  EXPECT_EQ(kMaxPrimitives, 1'000'000);
  EXPECT_EQ(MessageOf([] { ParseScene(Millions(""), "m.yaml", {}); }), "");
  ExpectWords(MessageOf([] { ParseScene(Millions("  s7: {union: [s6, s0]}\n"), "m.yaml", {}); }),
              {"m.yaml:10: shapes.s7", "more than 1000000 primitives", "fewer parts"});
  // Each level ten times the one below: 10^12 by the end, and refused at the first that is too
  // many.
  std::string bomb;
  for (int k = 7; k <= 12; ++k) {
    const std::string below = "s" + std::to_string(k - 1);
    bomb += "  s" + std::to_string(k) + ": {union: [" + below + ", " + below + "]}\n";
  }
  ExpectWords(MessageOf([&] { ParseScene(Millions(bomb), "m.yaml", {}); }),
              {"m.yaml:10: shapes.s7", "more than 1000000 primitives"});
}

TEST(SceneLimits, AFileBeyond256MiBIsNotRead) {
  EXPECT_EQ(kMaxBytes, std::uintmax_t{256} << 20);
  const auto path = Folder("limits") / "large.yaml";
  std::ofstream(path) << "schema: intervox/scene/2\n";
  std::filesystem::resize_file(path, kMaxBytes + 1);  // sparse: takes no room
  ExpectWords(MessageOf([&] { ReadTextFile(path); }),
              {"large.yaml: file", "larger than 256 MiB", "check the path"});
}

TEST(SlowSceneLimits, AMillionKeysAreAMapAndOneMoreIsNot) {
  EXPECT_EQ(kMaxKeys, 1'000'000u);
  std::string text = "bodies:\n";
  for (int k = 0; k < 1'000'000; ++k) text += "  b" + std::to_string(k) + ": 0\n";
  EXPECT_EQ(ParseDocument(text, "m.yaml").Find("bodies")->entries.size(), kMaxKeys);
  ExpectWords(MessageOf([&] { ParseDocument(text + "  last: 0\n", "m.yaml"); }),
              {"m.yaml:1000002: last", "more than 1000000 keys", "Split the map"});
}

}  // namespace
}  // namespace intervox::host
