/** @file Triangles from 3MF and binary glTF, by assimp in a child process. */
#pragma once

#include <string>
#include <vector>

#include "host/parts/readers.h"

namespace intervox::host {

/** Reads a scene: an object for each mesh at each of its nodes, placed. Coordinates are in single
 precision, as assimp keeps them; points and lines are left out.
 A child process with limits of time and memory does it, so that a hostile file ends that.
 @param extension  ".3mf" or ".glb"
 @throws InputError naming file, what is wrong and a remedy. */
std::vector<PartMesh> ReadByAssimp(const PartFile& file, const std::string& extension);

}  // namespace intervox::host
