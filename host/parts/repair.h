/** @file Mends triangles until they are closed surfaces, and says what was done. */
#pragma once

#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Mends welded triangles of finite vertices, in this order: drops degenerate ones, joins vertices
 of open edges that are nearer than ConvexTolerance, drops double triangles (two that face each
 other both go), turns triangles to agree with their neighbours, closes holes, drops surfaces that
 enclose nothing, and turns surfaces that face inwards and lie in no solid. Afterwards as many
 triangles pass each edge one way as the other; an edge may still have more than two.
 @returns a line for each kind of repair, with its count and the place of the first. */
std::vector<std::string> RepairMesh(TriangleMesh* mesh);

}  // namespace intervox::host
