// Damage of any byte of a results file is found: nothing wrong is ever read as right.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "host/input/error.h"
#include "host/results/column_file.h"
#include "tests/samples.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;

/** All that a file holds. */
struct Content {
  std::map<std::string, std::string> attributes;
  std::map<std::string, std::vector<double>> columns;
  std::map<std::string, std::string> units;
  bool operator==(const Content&) const = default;
};

Content ContentOf(const fs::path& path) {
  const ColumnFile file = ColumnFile::Read(path);
  Content content;
  for (const std::string& name : file.AttributeNames()) {
    content.attributes[name] = file.Attribute(name);
  }
  for (const ColumnInfo& column : file.Columns()) {
    content.columns[column.name] = file.Values(column.name);
    content.units[column.name] = column.units;
  }
  return content;
}

/** A small file with all kinds of what results have: more attributes than stand in a header,
 groups, integers, columns of one chunk and of several, one without rows. */
std::string SmallFile(const fs::path& path) {
  {
    ColumnFile file = ColumnFile::Create(path);
    for (int i = 0; i < 12; ++i) file.SetAttribute("number" + std::to_string(i), 1.0 + i);
    file.SetAttribute("scene", std::string(700, 'y'));
    file.ExpectRows(3);
    const int a = file.Column("time", 1, "s");
    const int b = file.Column("bodies/box/position", 3, "m");
    const int c = file.Column("patches/id", 1, "1", true);
    file.Column("impacts/time", 1, "s");
    for (int row = 0; row < 20; ++row) {
      file.Put(a, 0.1 * row);
      file.Put(b, std::vector<double>{1.0 * row, 2.0 * row, 3.0 * row});
      file.PutInteger(c, row);
      if (row % 6 == 0) file.Flush();
    }
  }
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/** Whether the damaged bytes are refused; they may also be read as what was written, never as
 anything else. */
bool Refused(const fs::path& path, const std::string& bytes, const Content& whole,
             const std::string& damage) {
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    EXPECT_TRUE(ContentOf(path) == whole) << damage;
    return false;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return true;
  }
}

// Flips a bit in every byte of those that are `step` apart.
void CheckFlippedBits(std::size_t step) {
  const fs::path path =
      fs::path(::testing::TempDir()) / ("intervox_flip_" + std::to_string(step) + ".h5");
  const std::string good = SmallFile(path);
  const Content whole = ContentOf(path);
  ASSERT_EQ(whole.columns.size(), 4u);
  ASSERT_EQ(whole.attributes.size(), 13u);
  std::size_t refused = 0, used = 0;
  for (std::size_t i = 0; i < good.size(); i += step) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    refused += Refused(path, bytes, whole, "byte " + std::to_string(i)) ? 1 : 0;
    used += good[i] != 0 ? 1 : 0;
  }
  // Room that is kept free has no checksum.
  EXPECT_GT(refused, used * 9 / 10) << "of " << good.size() << " bytes";
}

TEST(ResultsDamage, OneFlippedBitIsFound) { CheckFlippedBits(testing::Stride(7)); }
TEST(SlowResultsDamage, OneFlippedBitInAnyByteIsFound) { CheckFlippedBits(1); }

TEST(ResultsDamage, ATruncatedFileIsRefusedAtAnyLength) {
  const fs::path path = fs::path(::testing::TempDir()) / "intervox_short.h5";
  const std::string good = SmallFile(path);
  const Content whole = ContentOf(path);
  for (std::size_t size = 0; size < good.size(); size += testing::Stride(7)) {
    EXPECT_TRUE(Refused(path, good.substr(0, size), whole, "cut to " + std::to_string(size)))
        << size;
  }
}

TEST(ResultsDamage, GoingOnFromADamagedFileIsRefused) {
  const fs::path path = fs::path(::testing::TempDir()) / "intervox_append.h5";
  std::string bytes = SmallFile(path);
  // A number of a chunk that nothing is added to.
  const double number = 3.0 * 2;
  const std::size_t at =
      bytes.find(std::string(reinterpret_cast<const char*>(&number), sizeof number));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = static_cast<char>(bytes[at + 3] ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(ColumnFile::Append(path), InputError);
  EXPECT_THROW(ColumnFile::Read(path).Verify(), InputError);
}

}  // namespace
}  // namespace intervox::host
