// Wavefront OBJ: a line for each vertex and each polygon.
#include <algorithm>
#include <unordered_map>

#include "host/parts/polygon_fan.h"
#include "host/parts/readers.h"
#include "host/parts/words.h"

namespace intervox::host {
namespace {

/** Reads the lines of a file; triangles count the file's vertices until Objects() parts them. */
constexpr const char* kLineEnd = "the end of the line";

class ObjReader {
 public:
  explicit ObjReader(const PartFile& file) : words_(file) {}

  std::vector<PartMesh> Read() {
    while (!words_.AtEnd()) {
      const std::string_view key = words_.NextOfLine();
      if (key == "v") Vertex();
      if (key == "f") Face();
      if (key == "o") Begin(true);
      if (key == "g") Begin(false);
      words_.RestOfLine();
    }
    std::vector<PartMesh> parts;
    for (PartMesh& object : objects_) {
      if (!object.mesh.triangles.empty()) parts.push_back(OwnVertices(object));
    }
    return parts;
  }

 private:
  void Vertex() {
    Vec3 p;
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = words_.NextOfLine();
      if (!ToNumber(word, &p[k])) {
        words_.Fail("expected three coordinates of a vertex, found " + Shown(word, kLineEnd),
                    "Write numbers.");
      }
    }
    p_.push_back(p);
  }

  void Face() {
    corners_.clear();
    const auto count = static_cast<long long>(p_.size());
    for (std::string_view word = words_.NextOfLine(); !word.empty(); word = words_.NextOfLine()) {
      if (word.front() == '#') break;
      long long i = 0;
      if (!ToInteger(word.substr(0, word.find('/')), &i)) {
        words_.Fail("expected the number of a vertex, found " + Shown(word),
                    "Write faces as 'f 1 2 3'.");
      }
      if (i < 0) i += count + 1;
      if (i < 1 || i > count) {
        words_.Fail("the face names vertex " + Shown(word) + ", but " + std::to_string(count) +
                        " stand before it",
                    "Count from 1, vertices first.");
      }
      corners_.push_back(static_cast<int>(i - 1));
    }
    if (corners_.size() < 3) words_.Fail("a face of fewer than three corners", "Remove it.");
    if (objects_.empty()) objects_.emplace_back();
    AddFan(corners_, &objects_.back().mesh);
  }

  /** An object begins; groups count only as long as no object has come. */
  void Begin(bool is_object) {
    if (is_object && !has_objects_) {
      has_objects_ = true;
      if (!objects_.empty()) MergeGroups();
    } else if (!is_object && has_objects_) {
      return;
    }
    objects_.push_back({std::string(words_.NextOfLine()), {}});
  }

  void MergeGroups() {
    for (std::size_t k = 1; k < objects_.size(); ++k) {
      auto& all = objects_.front().mesh.triangles;
      const auto& more = objects_[k].mesh.triangles;
      all.insert(all.end(), more.begin(), more.end());
    }
    objects_.resize(1);
  }

  PartMesh OwnVertices(const PartMesh& object) const {
    PartMesh part{object.name, {}};
    std::unordered_map<int, int> number;
    for (std::array<int, 3> t : object.mesh.triangles) {
      for (int& v : t) {
        const auto [at, is_new] = number.emplace(v, static_cast<int>(part.mesh.p.size()));
        if (is_new) part.mesh.p.push_back(p_[static_cast<std::size_t>(v)]);
        v = at->second;
      }
      part.mesh.triangles.push_back(t);
    }
    return part;
  }

  Words words_;
  std::vector<Vec3> p_;
  std::vector<int> corners_;
  std::vector<PartMesh> objects_;
  bool has_objects_ = false;
};

}  // namespace

std::vector<PartMesh> ReadObj(const PartFile& file) { return ObjReader(file).Read(); }

}  // namespace intervox::host
