// The reader meets 100,000 broken files: each is refused with an InputError or accepted; nothing
// else may come out, and none may take long.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/input/error.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

constexpr int kFiles = 100000;
constexpr double kMostSeconds = 2.0;  // for one file; they are a few kilobytes

/** SplitMix64: the same mutations on every machine. */
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t Below(std::size_t n) { return n == 0 ? 0 : Next() % n; }

 private:
  std::uint64_t state_;
};

std::string Read(const fs::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The parts of a file between blanks and punctuation, as [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> Tokens(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> tokens;
  const std::string stops = " \n,:{}[]";
  std::size_t begin = text.find_first_not_of(stops);
  while (begin != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(stops, begin), text.size());
    tokens.emplace_back(begin, end);
    begin = text.find_first_not_of(stops, end);
  }
  return tokens;
}

const std::vector<std::string>& Nasty() {
  static const std::vector<std::string> words = {"1e999",
                                                 "-1e999",
                                                 ".nan",
                                                 ".inf",
                                                 "-.inf",
                                                 "0",
                                                 "-0",
                                                 "-1",
                                                 "1e-320",
                                                 "1e308",
                                                 "1e12",
                                                 "99999999999999999999999999",
                                                 "null",
                                                 "~",
                                                 "true",
                                                 "''",
                                                 "\"\\0\"",
                                                 "*a",
                                                 "&a",
                                                 "!!binary x",
                                                 "<<",
                                                 "?",
                                                 "|",
                                                 ">",
                                                 "- - - -",
                                                 "{}",
                                                 "[]",
                                                 "[[[]]]",
                                                 "{a: {a: {a: 1}}}",
                                                 "\xff\xfe",
                                                 "\t",
                                                 "%YAML 9.9",
                                                 "---",
                                                 "...",
                                                 "0x10",
                                                 "1_000",
                                                 "include",
                                                 "ref",
                                                 "union",
                                                 "[nan, nan, nan]",
                                                 "[0, 0, 0, 0]"};
  return words;
}

std::string Mutate(const std::string& seed, Random& random) {
  std::string text = seed;
  const std::size_t edits = 1 + random.Below(4);
  for (std::size_t k = 0; k < edits && !text.empty(); ++k) {
    const std::size_t at = random.Below(text.size());
    switch (random.Below(10)) {
      case 0:  // a byte becomes another
        text[at] = static_cast<char>(random.Below(256));
        break;
      case 1:  // a bit flips
        text[at] = static_cast<char>(text[at] ^ (1 << random.Below(8)));
        break;
      case 2:  // bytes go
        text.erase(at, 1 + random.Below(20));
        break;
      case 3:  // the rest goes
        text.resize(at);
        break;
      case 4:  // a piece is repeated
        text.insert(at, text.substr(random.Below(text.size()), 1 + random.Below(60)));
        break;
      case 5:  // brackets without end
        text.insert(at, std::string(1 + random.Below(300), "[{(-&*:?"[random.Below(8)]));
        break;
      default: {  // a token becomes a nasty one, or another of the file
        const auto tokens = Tokens(text);
        if (tokens.empty()) break;
        const auto [begin, end] = tokens[random.Below(tokens.size())];
        const auto [from, to] = tokens[random.Below(tokens.size())];
        const std::string other = text.substr(from, to - from);
        text.replace(begin, end - begin,
                     random.Below(2) == 0 ? other : Nasty()[random.Below(Nasty().size())]);
      }
    }
  }
  return text;
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const char* name : {"scenes/ball_in_groove.yaml", "scenes/ball_over_edge.yaml",
                           "scenes/peg_insertion.yaml", "examples/pairs.yaml"}) {
    seeds.push_back(Read(fs::path(INTERVOX_DATA_DIR) / name));
    EXPECT_FALSE(seeds.back().empty()) << name;
  }
  seeds.push_back(
      "schema: intervox/scene/1\nshapes: {b: {box: {size: [1, 1, 1]}}}\nmaterials: {m: {density: "
      "1}}\nbodies:\n  a: {cells: [b, {ref: b, pose: {position: [2, 0, 0]}}], material: m}\n  c: "
      "{shape: b, motion: {velocity: {linear: [1, 0, 0]}}, wrenches: [{force: [1, 0, 0]}]}\n");
  seeds.push_back("schema: &s intervox/pairs/1\nshapes:\n  a: &x {sphere: {radius: 1}}\n  b: *x\n");
  return seeds;
}

// Reads `files` mutated texts without cutting solids; returns how many were refused.
int ReadBroken(int files, std::uint64_t seed) {
  const std::vector<std::string> seeds = Seeds();
  Random random(seed);
  int refused = 0;
  for (int i = 0; i < files; ++i) {
    // Small seeds are cheap: they carry most of the load.
    const std::size_t pick = random.Below(10) < 6 ? 4 + random.Below(2) : random.Below(4);
    const std::string text = Mutate(seeds[pick], random);
    const bool pairs = text.find("pairs/1") != std::string::npos;
    const auto start = std::chrono::steady_clock::now();
    try {
      if (pairs) {
        ParsePairs(text, "fuzz.yaml");
      } else {
        ParseScene(text, "fuzz.yaml");
      }
    } catch (const InputError& error) {
      ++refused;
      EXPECT_NE(error.what()[0], '\0');
    } catch (const std::exception& error) {
      ADD_FAILURE() << "file " << i << " let out: " << error.what() << "\n" << text;
      return refused;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), kMostSeconds) << "file " << i << "\n" << text;
  }
  return refused;
}

TEST(SlowSceneFuzz, HundredThousandBrokenFiles) {
  const int refused = ReadBroken(kFiles, 2026);
  EXPECT_GT(refused, kFiles / 4);  // the mutations bite,
  EXPECT_LT(refused, kFiles);      // and not all files are hopeless
  RecordProperty("refused", refused);
}

TEST(SceneFuzz, AFewBrokenFiles) { EXPECT_GT(ReadBroken(2000, 1), 500); }

TEST(SceneFuzz, SolidsOfBrokenFilesToo) {
  const std::vector<std::string> seeds = Seeds();
  Random random(77);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = Mutate(seeds[random.Below(5) == 3 ? 4 : random.Below(3)], random);
    const auto start = std::chrono::steady_clock::now();
    try {
      MakeWorld(ParseScene(text, "fuzz.yaml"));
    } catch (const InputError&) {
      continue;
    } catch (const std::exception& error) {
      FAIL() << "file " << i << " let out: " << error.what() << "\n" << text;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    ASSERT_LT(took.count(), kMostSeconds) << "file " << i << "\n" << text;
  }
}

TEST(SceneFuzz, BrokenOverrides) {
  const std::string scene = Seeds()[1];
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::string edit = Mutate("bodies.ball.pose.position[2]=0.5", random);
    try {
      ParseScene(scene, "fuzz.yaml", {edit});
    } catch (const InputError&) {
      continue;
    } catch (const std::exception& error) {
      FAIL() << edit << " let out: " << error.what();
    }
  }
}

}  // namespace
}  // namespace intervox::host
