/** @file Grids of shapes, and grids from files. */
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "geometry/grid/make_level_set.h"
#include "geometry/shape.h"
#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Half width of a band where none is given [voxels]. */
inline constexpr double kHalfWidth = 3.0;

/** Hears how many parts of a stage of long work on a grid are done, from any thread but one at a
 time: 0 of them when a stage begins and all of them when it ends. */
using GridWatch = std::function<void(int done, int count)>;

/** Sets who hears of work on grids; nobody at first. */
void SetGridWatch(GridWatch watch);

/** Calls body(begin, end) over ranges of blocks on all cores: a geometry::RangeLoop. */
void OnAllCores(int count, const std::function<void(int, int)>& body);

/** A node with the grid of a shape. Its name is the shape's.
 @param unbiased  by WithoutBias
 @throws std::invalid_argument as ToCells and MakeLevelSet do. */
geometry::Shape GridOf(const geometry::ShapePtr& of, double voxel_size,
                       double half_width = kHalfWidth, bool unbiased = false);

/** Whether a shape is a grid with the bias that interpolation between nodes adds. */
inline bool HasBias(const geometry::Shape& shape) {
  return shape.operation == geometry::Operation::kGrid && !shape.grid.unbiased;
}

/** The shape with its grid's field WithoutBias; a shape that has none stays as it is. */
geometry::Shape Unbiased(const geometry::Shape& shape);

/** What to say of a grid whose voxels are larger than a quarter of what is thinnest of the box
 around the shape that it was made of: it loses much of its volume, and all of its shape. Empty
 where they are smaller, and for other shapes. */
std::string CoarseGridText(const geometry::Shape& shape);

/** What a file of a level set holds. */
struct GridFile {
  std::shared_ptr<const geometry::LevelSet> field;
  Vec3 p_FG;  ///< node (0, 0, 0) of the grid in the file's frame [m]
};

/** Reads a level set from a file, in parallel by the loop. @throws std::runtime_error saying what
 * is wrong, and a remedy. */
using GridReader =
    std::function<GridFile(const std::filesystem::path&, const geometry::RangeLoop&)>;

/** Makes the level set of closed triangles: vertices, triangles, voxel size and half width. @throws
 std::invalid_argument. */
using MeshGridder = std::function<std::shared_ptr<const geometry::LevelSet>(
    std::span<const Vec3>, std::span<const std::array<int, 3>>, double, double,
    const geometry::RangeLoop&)>;

/** Sets what makes grids of triangles; a program without OpenVDB has none. */
void SetMeshGridder(MeshGridder gridder);

/** Whether SetMeshGridder was called. */
bool CanGridMeshes();

/** The grid of the union of solids, each of them layers of closed triangles from the outside to the
 inside.
 @param voxel_size  in the meshes' unit
 @throws std::invalid_argument for sizes out of range, or where the program has no OpenVDB. */
geometry::GridSource GridOfMeshes(std::span<const std::vector<ShellLayer>> solids,
                                  double voxel_size, double half_width);

/** Sets the reader of .vdb and .nvdb files; a program without OpenVDB has none. */
void SetGridReader(GridReader reader);

/** Whether a file's name is that of a level set. */
inline bool IsLevelSet(const std::filesystem::path& path) {
  return path.extension() == ".vdb" || path.extension() == ".nvdb";
}

/** A node with the grid of a .vdb or .nvdb file.
 @throws std::invalid_argument where the file is no such grid or the program has no OpenVDB. */
geometry::Shape GridFromFile(const std::filesystem::path& path);

}  // namespace intervox::host
