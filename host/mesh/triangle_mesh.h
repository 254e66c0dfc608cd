/** @file Triangles over shared vertices: what is written to other programs and read from them. */
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "geometry/linear.h"

namespace intervox::host {

/** Triangles over shared vertices. */
struct TriangleMesh {
  std::vector<Vec3> p;                        ///< vertices [m]
  std::vector<std::array<int, 3>> triangles;  ///< counter-clockwise seen from outside
};

/** Shells that are added to a solid together, or taken from it. */
struct ShellLayer {
  TriangleMesh mesh;
  std::size_t hollows = 0;  ///< the number of shells that face inwards and are taken away: all or 0
};

/** Adds another mesh's triangles, with its vertices behind those of this one. */
void Append(const TriangleMesh& more, TriangleMesh* mesh);

/** The volume that closed triangles enclose [m³], by Gauss' theorem; negative where they are seen
 clockwise from outside. */
double EnclosedVolume(const TriangleMesh& mesh);

/** How often closed triangles go round a point: their solid angles over 4π (van Oosterom 1983).
 Near a whole number off the surface. */
double WindingNumber(const TriangleMesh& mesh, const Vec3& o);

}  // namespace intervox::host
