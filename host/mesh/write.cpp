#include "host/mesh/write.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "geometry/box_around.h"
#include "host/input/writable.h"
#include "host/parts/readers.h"
#include "host/results/replace_file.h"

namespace intervox::host {
namespace {

constexpr int kLines = 1;  // glTF's number of the kind of primitive

static_assert(std::endian::native == std::endian::little, "STL and glTF are little-endian");

template <typename T>
void Append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

void Append(std::string* bytes, const Vec3& v) {
  for (int i = 0; i < 3; ++i) Append(bytes, static_cast<float>(v[i]));
}

std::string Stl(const MeshFile& file) {
  std::string bytes = "Intervox, metres: " + file.name;
  bytes.resize(80, ' ');
  std::uint32_t count = 0;
  for (const PlacedMesh& m : file.meshes)
    count += static_cast<std::uint32_t>(m.mesh->triangles.size());
  Append(&bytes, count);
  for (const PlacedMesh& m : file.meshes) {
    for (const auto& t : m.mesh->triangles) {
      const Vec3 a = m.X_WB * m.mesh->p[t[0]], b = m.X_WB * m.mesh->p[t[1]],
                 c = m.X_WB * m.mesh->p[t[2]];
      const Vec3 n = Cross(b - a, c - a);
      Append(&bytes, Norm(n) > 0 ? Normalized(n) : Vec3{});
      for (const Vec3& p : {a, b, c}) Append(&bytes, p);
      Append(&bytes, std::uint16_t{0});
    }
  }
  return bytes;
}

/** Vertices as formats with normals want them: one for each corner on each side of a crease. */
struct SplitVertices {
  std::vector<Vec3> p;
  std::vector<Vec3> normals;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

SplitVertices SplitAtCreases(const Triangles& mesh) {
  SplitVertices out;
  std::map<std::pair<int, int>, std::uint32_t> numbers;
  for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
    std::array<std::uint32_t, 3> v{};
    for (int i = 0; i < 3; ++i) {
      const std::pair key(mesh.triangles[k][i], mesh.faces[k]);
      const auto [at, added] = numbers.try_emplace(key, static_cast<std::uint32_t>(out.p.size()));
      if (added) {
        out.p.push_back(mesh.p[mesh.triangles[k][i]]);
        out.normals.push_back(mesh.normals[k][i]);
      }
      v[i] = at->second;
    }
    out.triangles.push_back(v);
  }
  return out;
}

std::string Obj(const MeshFile& file) {
  std::string text = "# Intervox: " + file.name + "; metres\n";
  std::size_t vertices = 1, normals = 1;  // OBJ counts from 1 through the whole file
  for (const PlacedMesh& m : file.meshes) {
    text += "o " + m.name + "\n";
    const SplitVertices split = SplitAtCreases(*m.mesh);
    for (const Vec3& p_B : m.mesh->p) {
      const Vec3 p = m.X_WB * p_B;
      text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
    }
    for (const Vec3& n_B : split.normals) {
      const Vec3 n = m.X_WB.R * n_B;
      text += fmt::format("vn {:.7g} {:.7g} {:.7g}\n", n.x, n.y, n.z);
    }
    for (std::size_t k = 0; k < split.triangles.size(); ++k) {
      text += 'f';
      for (int i = 0; i < 3; ++i) {
        text += fmt::format(" {}//{}", vertices + m.mesh->triangles[k][i],
                            normals + split.triangles[k][i]);
      }
      text += '\n';
    }
    vertices += m.mesh->p.size();
    normals += split.normals.size();
  }
  return text;
}

/** A glTF document that grows, with its binary part. */
class Gltf {
 public:
  nlohmann::ordered_json json;

  /** Adds an accessor over bytes and returns its number. */
  std::size_t Accessor(const std::string& bytes, int component, const char* type, std::size_t count,
                       int target) {
    json["bufferViews"].push_back({{"buffer", 0},
                                   {"byteOffset", binary_.size()},
                                   {"byteLength", bytes.size()},
                                   {"target", target}});
    binary_ += bytes;
    binary_.resize((binary_.size() + 3) / 4 * 4, '\0');
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", component},
                                 {"count", count},
                                 {"type", type}});
    return json["accessors"].size() - 1;
  }
  std::size_t Vectors(const std::vector<Vec3>& values, bool with_range) {
    std::string bytes;
    for (const Vec3& v : values) Append(&bytes, v);
    const std::size_t number = Accessor(bytes, kFloat, "VEC3", values.size(), kVertices);
    if (with_range && !values.empty()) {
      const auto [lower, upper] = geometry::BoxAround(values);
      const auto list = [](const Vec3& v) {
        return nlohmann::ordered_json{static_cast<float>(v.x), static_cast<float>(v.y),
                                      static_cast<float>(v.z)};
      };
      json["accessors"].back()["min"] = list(lower);
      json["accessors"].back()["max"] = list(upper);
    }
    return number;
  }
  std::size_t Indices(const std::vector<std::uint32_t>& values) {
    std::string bytes;
    for (const std::uint32_t i : values) Append(&bytes, i);
    return Accessor(bytes, kUnsigned, "SCALAR", values.size(), kElements);
  }
  /** The whole file: header, JSON chunk, binary chunk. */
  std::string Glb() {
    json["buffers"] = {{{"byteLength", binary_.size()}}};
    std::string text = json.dump();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    std::string bytes = "glTF";
    Append(&bytes, std::uint32_t{2});
    Append(&bytes, static_cast<std::uint32_t>(28 + text.size() + binary_.size()));
    Append(&bytes, static_cast<std::uint32_t>(text.size()));
    bytes += "JSON" + text;
    Append(&bytes, static_cast<std::uint32_t>(binary_.size()));
    bytes += std::string("BIN\0", 4) + binary_;
    return bytes;
  }

 private:
  static constexpr int kFloat = 5126, kUnsigned = 5125, kVertices = 34962, kElements = 34963;
  std::string binary_;
};

/** The step of single precision at points, and how long they are together [m]. */
struct Digits {
  double step = 0, diagonal = 0;
  Vec3 middle;

  explicit Digits(const std::vector<Vec3>& points) {
    if (points.empty()) return;
    const auto [lower, upper] = geometry::BoxAround(points);
    step = StepOfSingle(points);
    diagonal = Norm(upper - lower);
    middle = 0.5 * (lower + upper);
  }
  bool AreLost() const { return step > kCoarseStep * diagonal; }
};

/** What the meshes of one shape share: accessors of triangles and of creases. */
struct Accessors {
  Vec3 origin;  ///< of their points, in the body's frame [m]
  std::size_t p = 0, normals = 0, triangles = 0;
  std::optional<std::pair<std::size_t, std::size_t>> creases;  ///< points and pairs of them
};

/** Points that lie far from the body's origin are written about their middle. */
Accessors AddTriangles(const Triangles& mesh, Gltf* gltf) {
  Accessors out;
  if (const Digits digits(mesh.p); digits.AreLost()) out.origin = digits.middle;
  SplitVertices split = SplitAtCreases(mesh);
  for (Vec3& p : split.p) p -= out.origin;
  std::vector<std::uint32_t> triangles, lines;
  for (const auto& t : split.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  std::map<int, std::uint32_t> on_crease;
  std::vector<Vec3> points;
  for (const auto& [a, b] : mesh.creases) {
    for (const int v : {a, b}) {
      const auto [at, added] = on_crease.try_emplace(v, static_cast<std::uint32_t>(points.size()));
      if (added) points.push_back(mesh.p[v] - out.origin);
      lines.push_back(at->second);
    }
  }
  out.p = gltf->Vectors(split.p, true);
  out.normals = gltf->Vectors(split.normals, false);
  out.triangles = gltf->Indices(triangles);
  if (!lines.empty()) {
    const std::size_t p = gltf->Vectors(points, true);
    out.creases = {p, gltf->Indices(lines)};
  }
  return out;
}

void AddNode(const PlacedMesh& m, std::map<const Triangles*, Accessors>* known, Gltf* gltf) {
  auto& json = gltf->json;
  const Quaternion q = ToQuaternion(m.X_WB.R);
  nlohmann::ordered_json node = {{"name", m.name},
                                 {"translation", {m.X_WB.p.x, m.X_WB.p.y, m.X_WB.p.z}},
                                 {"rotation", {q.x, q.y, q.z, q.w}}};
  node["extras"]["color"] = m.color;
  node["extras"]["cut_to_box"] = m.is_cut_to_box;
  json["scenes"][0]["nodes"].push_back(json["nodes"].size());
  if (!m.mesh->triangles.empty()) {
    node["extras"]["deviation"] = m.mesh->deviation;
    auto at = known->find(m.mesh.get());
    if (at == known->end()) at = known->emplace(m.mesh.get(), AddTriangles(*m.mesh, gltf)).first;
    const Accessors& shared = at->second;
    json["materials"].push_back({{"name", m.name},
                                 {"pbrMetallicRoughness",
                                  {{"baseColorFactor", {m.color[0], m.color[1], m.color[2], 1.0}},
                                   {"metallicFactor", 0.1},
                                   {"roughnessFactor", 0.6}}}});
    nlohmann::ordered_json primitives;
    primitives.push_back({{"attributes", {{"POSITION", shared.p}, {"NORMAL", shared.normals}}},
                          {"indices", shared.triangles},
                          {"material", json["materials"].size() - 1}});
    if (shared.creases) {
      primitives.push_back({{"attributes", {{"POSITION", shared.creases->first}}},
                            {"indices", shared.creases->second},
                            {"mode", kLines}});
    }
    const std::size_t number = json["meshes"].size();
    json["meshes"].push_back({{"name", m.name}, {"primitives", primitives}});
    const Vec3& o = shared.origin;
    if (SquaredNorm(o) > 0) {  // which a node holds in double precision
      node["children"] = nlohmann::ordered_json::array({json["nodes"].size() + 1});
      json["nodes"].push_back(node);
      node = {{"name", m.name}, {"translation", {o.x, o.y, o.z}}};
    }
    node["mesh"] = number;
  }
  json["nodes"].push_back(node);
}

std::string Glb(const MeshFile& file) {
  Gltf gltf;
  gltf.json["asset"] = {{"version", "2.0"}, {"generator", "Intervox"}};
  gltf.json["scene"] = 0;
  gltf.json["scenes"] = {{{"name", file.name}, {"nodes", nlohmann::ordered_json::array()}}};
  gltf.json["scenes"][0]["extras"] = {{"up", {file.up.x, file.up.y, file.up.z}}};
  if (file.radius > 0) {
    gltf.json["scenes"][0]["extras"]["center"] = {file.center.x, file.center.y, file.center.z};
    gltf.json["scenes"][0]["extras"]["radius"] = file.radius;
  }
  gltf.json["nodes"] = nlohmann::ordered_json::array();
  std::map<const Triangles*, Accessors> known;
  for (const PlacedMesh& m : file.meshes) AddNode(m, &known, &gltf);
  return gltf.Glb();
}

}  // namespace

void RequireMeshName(const std::filesystem::path& path) {
  RequireExtension(path, std::array{".stl", ".obj", ".glb"});
}

void WriteMeshes(const std::filesystem::path& path, const MeshFile& file) {
  const std::string extension = path.extension().string();
  std::string bytes;
  if (extension == ".stl") {
    bytes = Stl(file);
  } else if (extension == ".obj") {
    bytes = Obj(file);
  } else {
    RequireMeshName(path);
    bytes = Glb(file);
  }
  ReplaceBytes(path, bytes);
}

std::vector<std::string> WhatSingleLoses(const std::filesystem::path& path, const MeshFile& file) {
  std::vector<std::string> warnings;
  if (path.extension() != ".stl") return warnings;
  for (const PlacedMesh& m : file.meshes) {
    std::vector<Vec3> points = m.mesh->p;
    for (Vec3& p : points) p = m.X_WB * p;
    const Digits digits(points);
    if (!digits.AreLost()) continue;
    warnings.push_back(fmt::format(
        "{}: {}: it lies so far from the origin that the single precision of .stl files knows "
        "multiples of {:.6g} m there, where it is {:.6g} m long; what is finer is lost. "
        "Write .obj or .glb, or move it to the origin.",
        path.string(), m.name, digits.step, digits.diagonal));
  }
  return warnings;
}

}  // namespace intervox::host
