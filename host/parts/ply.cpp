// Stanford PLY: a header of lines that says what follows, as words or as bytes of either order.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "host/input/place.h"
#include "host/parts/polygon_fan.h"
#include "host/parts/readers.h"
#include "host/parts/words.h"

namespace intervox::host {
namespace {

enum class Format { kAscii, kLittle, kBig };

/** A type of number: its bytes, and how they read. */
struct NumberType {
  std::array<std::string_view, 2> names;
  std::size_t bytes;
  double (*read)(const char* bytes);
};

template <class T>
double Read(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

constexpr std::array<NumberType, 8> kTypes{{{{"char", "int8"}, 1, Read<std::int8_t>},
                                            {{"uchar", "uint8"}, 1, Read<std::uint8_t>},
                                            {{"short", "int16"}, 2, Read<std::int16_t>},
                                            {{"ushort", "uint16"}, 2, Read<std::uint16_t>},
                                            {{"int", "int32"}, 4, Read<std::int32_t>},
                                            {{"uint", "uint32"}, 4, Read<std::uint32_t>},
                                            {{"float", "float32"}, 4, Read<float>},
                                            {{"double", "float64"}, 8, Read<double>}}};

constexpr const char* kLineEnd = "the end of the line";

bool IsSingle(const NumberType& type) { return type.read == Read<float>; }

/** A property: a number, or a list of them whose length is a number of its own type. */
struct Property {
  std::string name;
  const NumberType* count = nullptr;  ///< null: no list
  const NumberType* value = nullptr;
};

struct Element {
  std::string name;
  std::size_t number = 0;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  explicit PlyReader(const PartFile& file) : file_(file), words_(file) {}

  std::vector<PartMesh> Read() {
    Header();
    std::vector<PartMesh> parts(1);
    mesh_ = &parts.front().mesh;
    for (const Element& element : elements_) {
      // Each takes a byte at least, so a number that lies is found before memory is asked for.
      if (element.properties.empty()) continue;
      if (element.number > file_.bytes.size()) {
        words_.Fail("the header says " + std::to_string(element.number) + " of '" + element.name +
                        "', more than the file has bytes",
                    "Write the file again.");
      }
      ReadElement(element);
    }
    for (const std::array<int, 3>& t : mesh_->triangles) {
      for (const int v : t) {
        if (v < 0 || v >= static_cast<int>(mesh_->p.size())) {
          FailWhole("a face names vertex " + std::to_string(v) + " of " +
                    std::to_string(mesh_->p.size()) + ". They count from 0; write the file again.");
        }
      }
    }
    if (is_single_) parts.front().step = StepOfSingle(mesh_->p);
    return parts;
  }

 private:
  [[noreturn]] void FailWhole(const std::string& what) const {
    FailAt({file_.name, 0}, "", "part", what);
  }

  const NumberType* TypeOf(std::string_view word) const {
    for (const NumberType& type : kTypes) {
      if (word == type.names[0] || word == type.names[1]) return &type;
    }
    words_.Fail("unknown type " + Shown(word, kLineEnd),
                "PLY has char, uchar, short, …, float, double.");
  }

  void Header() {
    words_.Expect("ply");
    for (;;) {
      const std::string_view key = words_.Next();
      if (key == "end_header") break;
      if (key == "format") {
        ReadFormat(words_.NextOfLine());
      } else if (key == "element") {
        ReadElementLine();
      } else if (key == "property") {
        ReadPropertyLine();
      } else if (key != "comment" && key != "obj_info") {
        words_.Fail("expected a line of a PLY header, found " + Shown(key),
                    key.empty() ? "The file is cut off; write it again." : "Write it again.");
      }
      words_.RestOfLine();
    }
    words_.RestOfLine();
    at_ = words_.position();
  }

  void ReadFormat(std::string_view word) {
    if (word == "ascii") {
      format_ = Format::kAscii;
    } else if (word == "binary_little_endian") {
      format_ = Format::kLittle;
    } else if (word == "binary_big_endian") {
      format_ = Format::kBig;
    } else {
      words_.Fail("unknown format " + Shown(word, kLineEnd),
                  "Write ascii, binary_little_endian or binary_big_endian.");
    }
  }

  void ReadElementLine() {
    const std::string name(words_.NextOfLine());
    const std::string_view word = words_.NextOfLine();
    long long number = 0;
    if (!ToInteger(word, &number) || number < 0) {
      words_.Fail("expected a number of elements, found " + Shown(word, kLineEnd),
                  "Write the file again.");
    }
    elements_.push_back({name, static_cast<std::size_t>(number), {}});
  }

  void ReadPropertyLine() {
    if (elements_.empty()) words_.Fail("a property before any element", "Write the file again.");
    Property property;
    std::string_view type = words_.NextOfLine();
    if (type == "list") {
      property.count = TypeOf(words_.NextOfLine());
      type = words_.NextOfLine();
    }
    property.value = TypeOf(type);
    property.name = words_.NextOfLine();
    elements_.back().properties.push_back(property);
  }

  /** The next number of the body. */
  double Number(const NumberType& type) {
    if (format_ == Format::kAscii) return words_.Number("a number");
    if (file_.bytes.size() - at_ < type.bytes) {
      FailWhole("the file ends at byte " + std::to_string(at_) +
                ", within its data. It is cut off; write it again.");
    }
    std::array<char, 8> bytes{};
    std::memcpy(bytes.data(), file_.bytes.data() + at_, type.bytes);
    at_ += type.bytes;
    const bool native_is_little = std::endian::native == std::endian::little;
    if ((format_ == Format::kLittle) != native_is_little) {
      std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(type.bytes));
    }
    return type.read(bytes.data());
  }

  /** The length of a list, or an index, as a whole number within a file's bounds. */
  int Whole(double x, const char* what) const {
    constexpr double kMost = 1 << 30;
    if (x >= 0 && x <= kMost && x == std::floor(x)) return static_cast<int>(x);
    const std::string where =
        format_ == Format::kAscii ? "" : " before byte " + std::to_string(at_);
    words_.Fail(std::string(what) + where + " is no whole number in range", "Write it again.");
  }

  void ReadElement(const Element& element) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    std::vector<int> corners;
    for (std::size_t i = 0; i < element.number; ++i) {
      Vec3 p;
      int coordinates = 0;
      bool has_corners = false;
      for (const Property& property : element.properties) {
        if (property.count == nullptr) {
          const double x = Number(*property.value);
          const std::size_t k = property.name.size() == 1 ? property.name[0] - 'x' : 3u;
          if (k < 3) {
            p[static_cast<int>(k)] = x;
            if (is_vertex) is_single_ = format_ != Format::kAscii && IsSingle(*property.value);
            ++coordinates;
          }
          continue;
        }
        const bool takes = property.name == "vertex_indices" || property.name == "vertex_index";
        const int count = Whole(Number(*property.count), "the length of a list");
        if (takes) corners.clear();
        for (int j = 0; j < count; ++j) {
          const double x = Number(*property.value);
          if (takes) corners.push_back(Whole(x, "an index"));
        }
        has_corners = has_corners || takes;
      }
      if (is_vertex && coordinates != 3) FailWhole("vertices lack x, y or z. Write them.");
      if (is_vertex) mesh_->p.push_back(p);
      if (is_face && !has_corners) FailWhole("faces lack vertex_indices. Write them.");
      if (is_face) AddFan(corners, mesh_);
    }
  }

  PartFile file_;
  Words words_;
  Format format_ = Format::kAscii;
  std::vector<Element> elements_;
  std::size_t at_ = 0;  ///< of a binary body
  TriangleMesh* mesh_ = nullptr;
  bool is_single_ = false;  ///< whether coordinates are of single precision
};

}  // namespace

std::vector<PartMesh> ReadPly(const PartFile& file) { return PlyReader(file).Read(); }

}  // namespace intervox::host
