/** @file Level sets by OpenVDB: from its files and NanoVDB's, and from closed triangle meshes. */
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>

#include "geometry/grid/make_level_set.h"

namespace intervox::geometry {

/** A level set as a file has it. */
struct VdbLevelSet {
  std::shared_ptr<const LevelSet> field;
  Vec3 p_FG;  ///< node (0, 0, 0) in the file's frame [m]
};

/** Reads the only level set of an OpenVDB file, or of a NanoVDB file (.nvdb, its quantised floats
 included): of floats, with cubic voxels along the file's axes. A child process with limits of
 memory and time reads it first, so that a damaged file ends that.
 @throws std::runtime_error naming path, grid, what is wrong and a remedy. */
VdbLevelSet ReadVdb(const std::filesystem::path& path, const RangeLoop& loop);

/** The level set of a closed surface, by its distance to the triangles (OpenVDB's meshToVolume);
 inside is what no path from far away reaches, whichever way the triangles turn. Whether the surface
 is closed is the caller's to check.
 @param p          vertices [m]
 @param triangles  three vertices each
 @throws std::invalid_argument for parameters out of range, vertices that are not finite or not
 there, and grids that need more memory than there is. */
std::shared_ptr<const LevelSet> LevelSetOfMesh(std::span<const Vec3> p,
                                               std::span<const std::array<int, 3>> triangles,
                                               double voxel_size, double half_width,
                                               const RangeLoop& loop);

}  // namespace intervox::geometry
