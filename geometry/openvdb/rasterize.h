/** @file Solids as sparse narrow-band level sets in OpenVDB's files, or NanoVDB's. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "geometry/cell.h"

namespace intervox::geometry {

/** What became of a rasterisation. */
struct RasterReport {
  std::int64_t active_voxels = 0;
  std::int64_t bytes = 0;  ///< of the file
  double volume = 0.0;     ///< of the level set as OpenVDB integrates it [m³]
};

/** Writes the union of disjoint bounded cells as a level set with true distances, in parallel.

 Voxels with |distance| < half_width · voxel_size are active and hold the signed distance to the
 union's boundary [m] in single precision; voxel (i, j, k) is the point voxel_size · (i, j, k) of
 the cells' frame. Deterministic: the same values for any number of threads.
 @param voxel_size  edge of a voxel [m], > 0
 @param half_width  half width of the band in voxels, ≥ 2
 @param name        of the grid
 @param path        a NanoVDB file where it ends in .nvdb
 @throws std::invalid_argument for parameters out of range, unbounded cells, and grids above 2^20
 voxels along an axis; std::runtime_error, naming the path, when the file cannot be written. */
RasterReport Rasterize(std::span<const Cell> cells, double voxel_size, double half_width,
                       const std::string& name, const std::filesystem::path& path);

}  // namespace intervox::geometry
