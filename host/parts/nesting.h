/** @file Which shells of a closed mesh lie within others, and which of them bound hollows. */
#pragma once

#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** The solid of closed triangles in the order in which its layers are laid over each other, from
 the outside to the inside; the first is no hollow. Inside is where the triangles go round a point
 more than 0 times: a shell that faces inwards within one that faces outwards is a hollow, and may
 hold a further shell. One layer of all triangles where no shell faces inwards.
 @param label  names the mesh in messages
 @throws InputError that counts and places shells that face inwards and lie in no solid. */
std::vector<ShellLayer> LayersOf(const TriangleMesh& mesh, const std::string& label);

/** The numbers of the closed shells that face inwards and lie in an even number of others, so that
 they can bound no hollow. */
std::vector<int> FreeInwardShells(const std::vector<TriangleMesh>& shells);

}  // namespace intervox::host
