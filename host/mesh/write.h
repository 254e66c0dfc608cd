/** @file Files of triangles: STL, Wavefront OBJ, binary glTF. */
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/mesh/triangulate.h"

namespace intervox::host {

/** A triangulated body, where it stands, and how it looks. */
struct PlacedMesh {
  std::string name;
  std::shared_ptr<const Triangles>
      mesh;  ///< in the body's frame, not null; shared by bodies of one shape
  Pose X_WB{};
  std::array<double, 3> color{0.6, 0.6, 0.6};  ///< linear light
  bool is_cut_to_box = false;                  ///< an unbounded body of which only a part is here
};

/** What a file says of all its meshes. */
struct MeshFile {
  std::string name;
  std::span<const PlacedMesh> meshes;
  Vec3 up{0, 0, 1};   ///< against gravity
  Vec3 center{};      ///< of what is to be looked at, world [m]
  double radius = 0;  ///< around it [m]; 0: not known
};

/** @throws InputError unless the extension is one that WriteMeshes knows. */
void RequireMeshName(const std::filesystem::path& path);

/** Writes by the file's extension. `.stl`: binary, all meshes as one, in the world frame; `.obj`:
 one object for each mesh, in the world frame, with exact normals; `.glb`: one node for each mesh,
 with exact normals and creases as lines; a mesh far from its node's origin hangs on a second node,
 which holds its middle in double precision.
 @throws InputError for another extension; std::runtime_error when the disk is full. */
void WriteMeshes(const std::filesystem::path& path, const MeshFile& file);

/** What the single precision of `.stl` takes from meshes that lie far from the origin for their
 size: of each a line with its name and a remedy. */
std::vector<std::string> WhatSingleLoses(const std::filesystem::path& path, const MeshFile& file);

}  // namespace intervox::host
