// Files of pairs with faults: all are told of at once, and nothing is computed.
#include <gtest/gtest.h>

#include <string>

#include "cli_call.h"
#include "host/input/faults.h"
#include "host/scene/pairs.h"

namespace intervox {
namespace {

/** How often a word stands in a text. */
int CountOf(const std::string& word, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

/** A file of pairs, of which those have a fault that `radius` gives one. */
template <class Radius>
std::string Balls(int count, const Radius& radius) {
  std::string text =
      "schema: intervox/pairs/1\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n";
  std::string pairs = "pairs:\n";
  for (int i = 0; i < count; ++i) {
    const std::string name = "ball-" + std::to_string(i);
    text += "  " + name + ": {sphere: {radius: " + radius(i) + "}}\n";
    pairs += "  - {a: " + name + ", b: floor, pose_a: {position: [0, 0, 1]}}\n";
  }
  return text + pairs;
}

std::string MessageOf(const std::string& text) {
  try {
    ParsePairs(text, "pairs.yaml");
  } catch (const host::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(InputFaults, OfTenThousandPairsEachIsNamed) {
  const auto radius = [](int i) {
    return i % 1000 == 7 ? std::string("-1") : i % 1000 == 9 ? std::string("wide") : "0.1";
  };
  const fs::path folder = Folder("faults");
  const std::string file = Write(folder / "pairs.yaml", Balls(10000, radius));
  for (const char* command : {"distance ", "overlaps ", "metrics "}) {
    const Outcome outcome = Call(command + file + " --json");
    EXPECT_EQ(outcome.status, 2);
    for (const int i : {7, 9, 1007, 9009}) {
      const std::string place = "pairs.yaml:" + std::to_string(i + 4) + ": shapes.ball-" +
                                std::to_string(i) + ".sphere.radius: ";
      EXPECT_EQ(CountOf(place, outcome.text), 1) << i << outcome.text;
    }
    EXPECT_NE(outcome.text.find("20 faults; nothing was computed"), std::string::npos);
    EXPECT_EQ(outcome.text.find("\"distance\""), std::string::npos);
  }
}

TEST(InputFaults, ListIsCutAndCounted) {
  const std::string text = MessageOf(Balls(300, [](int) { return "-1"; }));
  EXPECT_EQ(CountOf("sphere.radius", text), static_cast<int>(host::Faults::kMostFaults));
  EXPECT_NE(text.find("300 faults, of which 20 are listed"), std::string::npos) << text;
}

TEST(InputFaults, OneIsTheMessageAlone) {
  const std::string text = MessageOf(Balls(5, [](int i) { return i == 2 ? "-1" : "1"; }));
  EXPECT_EQ(text.find("pairs.yaml:6: shapes.ball-2.sphere.radius: "), 0u) << text;
  EXPECT_EQ(CountOf("\n", text), 0);
}

// What only building a shape finds, and a bad shape that others use: once.
TEST(InputFaults, OfReferencesFilesAndPairs) {
  const std::string text = MessageOf(
      "schema: intervox/pairs/1\n"
      "shapes:\n"
      "  good: {box: {size: [1, 1, 1]}}\n"
      "  lost: {ref: nothing}\n"
      "  loop: {ref: loop}\n"
      "  absent: {file: /nowhere/part.stl}\n"
      "  user: {union: [good, lost]}\n"
      "pairs:\n"
      "  - {name: p, a: good, b: good}\n"
      "  - {name: p, a: good, b: good}\n"
      "  - {name: q, a: user, b: lost}\n"
      "  - {name: r, a: good, b: godo}\n"
      "  - {name: s, a: good, b: good, pose_b: {quaternion: [0, 0, 0, 0]}}\n");
  EXPECT_EQ(CountOf("no shape is named 'nothing'", text), 1) << text;
  EXPECT_EQ(CountOf("refers to itself", text), 1) << text;
  EXPECT_EQ(CountOf("/nowhere/part.stl", text), 1) << text;
  EXPECT_EQ(CountOf("the name 'p' stands twice", text), 1) << text;
  EXPECT_EQ(CountOf("pairs.yaml:12: ", text), 1) << text;
  EXPECT_EQ(CountOf("pairs.yaml:13: ", text), 1) << text;
  EXPECT_NE(text.find("6 faults; nothing was computed"), std::string::npos) << text;
}

// Keys of the file, of a shape and of a pair.
TEST(InputFaults, OfKeysInOneGo) {
  const std::string text = MessageOf(
      "schema: intervox/pairs/1\n"
      "shape: {}\n"
      "shapes:\n"
      "  a: {box: {sise: [1, 1, 1]}}\n"
      "  b: {box: {size: [1, 1, 1]}, sphere: {radius: 1}}\n"
      "pairs:\n"
      "  - {a: a, c: b}\n"
      "  - {a: a}\n");
  for (const char* line : {"pairs.yaml:2: ", "pairs.yaml:4: ", "pairs.yaml:5: ", "pairs.yaml:7: ",
                           "pairs.yaml:8: ", "5 faults; "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << '\n' << text;
  }
}

}  // namespace
}  // namespace intervox
