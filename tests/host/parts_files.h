/** @file Small meshes as files, for tests. */
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"
#include "host/scene/text.h"

namespace intervox::host {

/** A box between two corners: 8 vertices, 12 triangles. */
inline TriangleMesh BoxMesh(const Vec3& lower, const Vec3& upper) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) {
    mesh.p.push_back(
        {k & 1 ? upper.x : lower.x, k & 2 ? upper.y : lower.y, k & 4 ? upper.z : lower.z});
  }
  for (const std::array<int, 4>& q :
       {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4},
        std::array{2, 6, 7, 3}, std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}}) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  }
  return mesh;
}

/** An L of two boxes as one closed surface: not convex. */
inline TriangleMesh EllMesh() {
  TriangleMesh mesh;
  const std::array<std::array<double, 2>, 6> corner{
      {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}};
  for (const double z : {0.0, 1.0}) {
    for (const auto& c : corner) mesh.p.push_back({c[0], c[1], z});
  }
  for (const std::array<int, 3>& t :
       {std::array{0, 1, 2}, std::array{0, 2, 3}, std::array{0, 3, 4}, std::array{0, 4, 5}}) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (int k = 0; k < 6; ++k) {
    const int n = (k + 1) % 6;
    mesh.triangles.push_back({k, n, n + 6});
    mesh.triangles.push_back({k, n + 6, k + 6});
  }
  return mesh;
}

/** An L whose mean of corners lies within it, by less than its notch is deep. */
inline TriangleMesh LongEllMesh() {
  TriangleMesh mesh = EllMesh();
  for (Vec3& p : mesh.p) p = {p.x == 2 ? 4 : p.x, p.y == 2 ? 1.5 : p.y, p.z};
  return mesh;
}

/** An OBJ of objects, vertices numbered through. */
inline std::string ObjText(const std::vector<TriangleMesh>& objects) {
  std::string text = "# written by a test\n";
  int first = 1;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    text += "o piece_" + std::to_string(k) + "\n";
    for (const Vec3& p : objects[k].p) {
      text += "v " + Text(p.x) + " " + Text(p.y) + " " + Text(p.z) + "\n";
    }
    for (const auto& t : objects[k].triangles) {
      text += "f";
      for (const int v : t) text += " " + std::to_string(v + first) + "/1/1";
      text += "\n";
    }
    first += static_cast<int>(objects[k].p.size());
  }
  return text;
}

/** A binary STL. */
inline std::string StlBytes(const TriangleMesh& mesh) {
  std::string bytes(84, ' ');
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::memcpy(bytes.data() + 80, &count, 4);
  for (const auto& t : mesh.triangles) {
    std::array<float, 12> numbers{};
    for (int k = 0; k < 9; ++k) {
      numbers[static_cast<std::size_t>(3 + k)] = static_cast<float>(mesh.p[t[k / 3]][k % 3]);
    }
    bytes.append(reinterpret_cast<const char*>(numbers.data()), 48);
    bytes.append(2, '\0');
  }
  return bytes;
}

/** An ASCII STL of solids. */
inline std::string StlText(const std::vector<TriangleMesh>& solids) {
  std::string text;
  for (const TriangleMesh& mesh : solids) {
    text += "solid a test's\n";
    for (const auto& t : mesh.triangles) {
      text += " facet normal 0 0 0\n  outer loop\n";
      for (const int v : t) {
        const Vec3& p = mesh.p[static_cast<std::size_t>(v)];
        text += "   vertex " + Text(p.x) + " " + Text(p.y) + " " + Text(p.z) + "\n";
      }
      text += "  endloop\n endfacet\n";
    }
    text += "endsolid a test's\n";
  }
  return text;
}

/** A PLY with vertices in double, ASCII or binary of either order. */
inline std::string PlyBytes(const TriangleMesh& mesh, const std::string& format) {
  std::string bytes = "ply\nformat " + format + " 1.0\ncomment a test's\nelement vertex " +
                      std::to_string(mesh.p.size()) +
                      "\nproperty double x\nproperty double y\nproperty double z\nproperty uchar "
                      "red\nelement face " +
                      std::to_string(mesh.triangles.size()) +
                      "\nproperty list uchar int vertex_indices\nend_header\n";
  const bool is_text = format == "ascii";
  const auto put = [&](auto value) {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    if (format == "binary_big_endian") raw.assign(raw.rbegin(), raw.rend());
    bytes += is_text ? Text(static_cast<double>(value)) + " " : raw;
  };
  for (const Vec3& p : mesh.p) {
    for (int k = 0; k < 3; ++k) put(p[k]);
    put(static_cast<unsigned char>(200));
    if (is_text) bytes += "\n";
  }
  for (const auto& t : mesh.triangles) {
    put(static_cast<unsigned char>(3));
    for (const int v : t) put(static_cast<std::int32_t>(v));
    if (is_text) bytes += "\n";
  }
  return bytes;
}

}  // namespace intervox::host
