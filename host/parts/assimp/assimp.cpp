#include "host/parts/assimp/assimp.h"

#include <assimp/mesh.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "geometry/child_bytes.h"
#include "geometry/limited_child.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

/** Nodes within nodes, at most: files may nest them without an end. */
constexpr int kDeepest = 1000;
/** Triangles of all placed meshes, at most. */
constexpr std::size_t kMostTriangles = 20'000'000;

/** A linear map with a shift, in double precision. */
struct Placement {
  double m[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  double step = 0;  ///< how finely the shift is known, as assimp holds it in single precision

  Vec3 operator()(const aiVector3D& p) const {
    Vec3 out;
    for (int i = 0; i < 3; ++i) out[i] = m[i][0] * p.x + m[i][1] * p.y + m[i][2] * p.z + m[i][3];
    return out;
  }
  Placement operator*(const aiMatrix4x4& inner) const {
    Placement out;
    for (int i = 0; i < 3; ++i) {
      for (unsigned j = 0; j < 4; ++j) {
        out.m[i][j] = j == 3 ? m[i][3] : 0;
        for (int k = 0; k < 3; ++k) out.m[i][j] += m[i][k] * inner[static_cast<unsigned>(k)][j];
      }
    }
    const Vec3 shift{inner.a4, inner.b4, inner.c4};
    out.step = std::max(step, Stretch() * StepOfSingle({shift}));
    return out;
  }
  /** The length of its longest column. */
  double Stretch() const {
    double most = 0;
    for (int j = 0; j < 3; ++j) most = std::max(most, std::hypot(m[0][j], m[1][j], m[2][j]));
    return most;
  }
  /** Whether it mirrors, which turns triangles inside out. */
  bool Mirrors() const {
    const auto column = [&](int j) { return Vec3{m[0][j], m[1][j], m[2][j]}; };
    return Dot(column(0), Cross(column(1), column(2))) < 0;
  }
};

/** Places meshes as their nodes say. */
class Placer {
 public:
  explicit Placer(const aiScene& scene) : scene_(scene) {}

  void Visit(const aiNode& node, const Placement& outer, int depth) {
    if (depth > kDeepest) throw std::runtime_error("nodes are nested deeper than 1000");
    const Placement placement = outer * node.mTransformation;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      if (node.mMeshes[i] >= scene_.mNumMeshes) throw std::runtime_error("a node has no mesh");
      Add(*scene_.mMeshes[node.mMeshes[i]], node.mName, placement);
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) {
      Visit(*node.mChildren[i], placement, depth + 1);
    }
  }

  std::string Take() {
    geometry::ChildWriter whole;
    whole.Put(objects_);
    return whole.Take() + out_.Take();
  }

 private:
  void Add(const aiMesh& mesh, const aiString& name, const Placement& placement) {
    std::vector<std::array<int, 3>> triangles;
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
      const aiFace& face = mesh.mFaces[i];
      if (face.mNumIndices != 3) continue;
      std::array<int, 3> t{};
      for (unsigned k = 0; k < 3; ++k) {
        if (face.mIndices[k] >= mesh.mNumVertices) throw std::runtime_error("a corner is missing");
        t[k] = static_cast<int>(face.mIndices[k]);
      }
      if (placement.Mirrors()) std::swap(t[1], t[2]);
      triangles.push_back(t);
    }
    total_ += triangles.size();
    if (total_ > kMostTriangles) throw std::runtime_error("more than 20 million triangles");
    if (triangles.empty()) return;
    ++objects_;
    out_.PutText({name.data, name.length});
    out_.Put(static_cast<std::size_t>(mesh.mNumVertices));
    std::vector<Vec3> own;
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D& p = mesh.mVertices[i];
      own.push_back({p.x, p.y, p.z});
      out_.Put(placement(p));
    }
    out_.Put(std::max(placement.step, placement.Stretch() * StepOfSingle(own)));
    out_.Put(triangles.size());
    for (const auto& t : triangles) out_.Put(t);
  }

  const aiScene& scene_;
  geometry::ChildWriter out_;
  std::size_t objects_ = 0, total_ = 0;
};

std::string Import(std::string_view bytes, const std::string& extension) {
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, extension.substr(1).c_str());
  if (scene == nullptr || scene->mRootNode == nullptr) {
    std::string reason = importer.GetErrorString();
    constexpr std::string_view kMadeUp = "$$$___magic___$$$";  // the name of what is in memory
    if (const auto at = reason.find(kMadeUp); at != std::string::npos) {
      reason.erase(at, kMadeUp.size());
    }
    throw std::runtime_error(reason);
  }
  Placer placer(*scene);
  placer.Visit(*scene->mRootNode, {}, 0);
  return placer.Take();
}

std::vector<PartMesh> Unpack(std::string_view bytes) {
  geometry::ChildReader in(bytes);
  std::vector<PartMesh> objects(in.Count(3 * sizeof(std::size_t)));
  for (PartMesh& object : objects) {
    object.name = in.Text();
    object.mesh.p.resize(in.Count(sizeof(Vec3)));
    for (Vec3& p : object.mesh.p) p = in.Get<Vec3>();
    object.step = in.Get<double>();
    object.mesh.triangles.resize(in.Count(sizeof(std::array<int, 3>)));
    for (auto& t : object.mesh.triangles) {
      t = in.Get<std::array<int, 3>>();
      for (const int v : t) {
        if (v < 0 || static_cast<std::size_t>(v) >= object.mesh.p.size()) {
          throw std::runtime_error("its answer names a vertex that is not there");
        }
      }
    }
  }
  return objects;
}

}  // namespace

std::vector<PartMesh> ReadByAssimp(const PartFile& file, const std::string& extension) {
  const auto refuse = [&](std::string what) {
    while (what.ends_with('.')) what.pop_back();
    throw InputError(*file.name + ": part: assimp cannot read the file: " + what +
                     ". Write it anew, or as .stl, .obj or .ply.");
  };
  geometry::ChildLimits limits = geometry::LimitsOfReading(file.bytes.size());
  geometry::ChildResult child;
  try {
    child = geometry::RunInChild(limits, [&] { return Import(file.bytes, extension); });
    if (child.end == geometry::ChildEnd::kDone) return Unpack(child.bytes);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  refuse(child.end == geometry::ChildEnd::kThrew ? child.bytes : TextOf(child.end, limits));
  return {};
}

}  // namespace intervox::host
