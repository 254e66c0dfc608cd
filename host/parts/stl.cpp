// STL: 80 bytes of comment, the number of triangles, then 50 bytes for each; or words.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "host/input/place.h"
#include "host/parts/readers.h"
#include "host/parts/words.h"

namespace intervox::host {
namespace {

constexpr std::size_t kHeader = 84;    ///< bytes before the triangles
constexpr std::size_t kTriangle = 50;  ///< bytes: a normal, three corners, an attribute

static_assert(std::endian::native == std::endian::little, "STL's numbers are read as they stand");

template <class T>
T At(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::vector<PartMesh> ReadBinary(std::string_view bytes) {
  std::vector<PartMesh> objects(1);
  TriangleMesh& mesh = objects.front().mesh;
  const auto count = At<std::uint32_t>(bytes, 80);
  mesh.p.reserve(3 * static_cast<std::size_t>(count));
  mesh.triangles.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t at = kHeader + kTriangle * i + 12;
    const auto corner = [&](std::size_t k) {
      const std::size_t x = at + 12 * k;
      return Vec3{At<float>(bytes, x), At<float>(bytes, x + 4), At<float>(bytes, x + 8)};
    };
    const int first = static_cast<int>(mesh.p.size());
    for (std::size_t k = 0; k < 3; ++k) mesh.p.push_back(corner(k));
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  objects.front().step = StepOfSingle(mesh.p);
  return objects;
}

void ReadFacet(Words& words, TriangleMesh* mesh) {
  words.Expect("normal");
  for (int k = 0; k < 3; ++k) words.Number("a normal's component");
  words.Expect("outer");
  words.Expect("loop");
  const int first = static_cast<int>(mesh->p.size());
  for (int k = 0; k < 3; ++k) {
    words.Expect("vertex");
    Vec3 p;
    for (int j = 0; j < 3; ++j) p[j] = words.Number("a coordinate");
    mesh->p.push_back(p);
  }
  words.Expect("endloop");
  words.Expect("endfacet");
  mesh->triangles.push_back({first, first + 1, first + 2});
}

std::vector<PartMesh> ReadAscii(const PartFile& file) {
  std::vector<PartMesh> objects;
  Words words(file);
  while (!words.AtEnd()) {
    words.Expect("solid");
    objects.push_back({std::string(words.RestOfLine()), {}});
    for (;;) {
      const std::string_view word = words.Next();
      if (SameWord(word, "endsolid")) {
        words.RestOfLine();
        break;
      }
      if (!SameWord(word, "facet")) {
        words.Fail("expected 'facet' or 'endsolid', found " + Shown(word),
                   word.empty() ? "The file is cut off; write it again." : "Write the file again.");
      }
      ReadFacet(words, &objects.back().mesh);
    }
  }
  return objects;
}

}  // namespace

double StepOfSingle(const std::vector<Vec3>& points) {
  double largest = 0;
  for (const Vec3& p : points) {
    for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(p[i]));
  }
  const auto single = static_cast<float>(largest);
  return static_cast<double>(std::nextafter(single, HUGE_VALF)) - single;
}

std::vector<PartMesh> ReadStl(const PartFile& file) {
  const std::string_view bytes = file.bytes;
  std::uint64_t said = 0;
  if (bytes.size() >= kHeader) {
    said = At<std::uint32_t>(bytes, 80);
    if (bytes.size() == kHeader + kTriangle * said) return ReadBinary(bytes);
  }
  const std::string_view start = bytes.substr(0, 4096);
  const bool is_text = start.find('\0') == std::string_view::npos;
  if (is_text && SameWord(bytes.substr(0, 5), "solid")) return ReadAscii(file);
  const std::string size = std::to_string(bytes.size()) + " bytes";
  if (bytes.size() < kHeader) {
    FailAt({file.name, 0}, "", "part",
           "no STL: " + size + ", not even a header of 84. Write the file again.");
  }
  FailAt({file.name, 0}, "", "part",
         "a binary STL of " + size + " says at byte 80 that it has " + std::to_string(said) +
             " triangles, which take " + std::to_string(kHeader + kTriangle * said) +
             ". It is cut off or no STL; write it again.");
}

}  // namespace intervox::host
