/** @file Objects of polygons while a file is read. */
#pragma once

#include <span>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Adds a polygon's triangles, a fan from its first corner. */
inline void AddFan(std::span<const int> corners, TriangleMesh* mesh) {
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    mesh->triangles.push_back({corners[0], corners[k], corners[k + 1]});
  }
}

}  // namespace intervox::host
