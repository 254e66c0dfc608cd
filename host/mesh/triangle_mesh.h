/** @file Triangles over shared vertices: what is written to other programs and read from them. */
#pragma once

#include <array>
#include <vector>

#include "geometry/linear.h"

namespace intervox::host {

/** Triangles over shared vertices. */
struct TriangleMesh {
  std::vector<Vec3> p;                        ///< vertices [m]
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
};

/** The volume that closed triangles enclose [m³], by Gauss' theorem; negative where they are seen
 clockwise from outside. */
double EnclosedVolume(const TriangleMesh& mesh);

}  // namespace intervox::host
