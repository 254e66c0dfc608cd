/** @file Parts from files of other programs as solids. */
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "geometry/bounds.h"
#include "geometry/shape.h"
#include "host/parts/csg.h"

namespace intervox::host {

/** How a file is taken. */
struct PartOptions {
  bool y_is_up = false;  ///< the file's y axis becomes z: (x, y, z) → (x, −z, y)
  bool repair = false;   ///< mend what RepairMesh can
  Facets facets{};       ///< of a .csg
  /** Edge of a voxel [the file's units] of the grid that a mesh becomes which is not convex;
   without it a hundredth of the diagonal. */
  std::optional<double> voxel_size{};
  double half_width = 3;  ///< of its band [voxels]
};

/** A solid that was read, in the file's units. */
struct Part {
  geometry::ShapePtr shape;           ///< a hull, a union of hulls, a .csg's tree, or a grid
  std::vector<std::string> report;    ///< what was read and done, a line each
  std::vector<std::string> warnings;  ///< of what was lost before, a line each
};

/** Reads a part by the extension of its name, whatever its case: .stl, .obj, .ply,
 .3mf, .glb or .csg; or a
 folder, all meshes of which are read in the order of their names.

 Vertices with equal coordinates are one. A closed convex surface becomes its hull, and several of
 them, as objects, shells or files, the union of their hulls. If any is not convex, all become
 one grid: inside is what no path from far away reaches.
 @param name  is given to the solid
 @throws InputError naming the file, what is wrong with counts and places, and a remedy. */
Part ReadPart(const std::filesystem::path& path, const PartOptions& options,
              const std::string& name);

/** What to say of a solid that is longer than parts are, as one is whose file's unit was taken for
 metres; empty where there is nothing to say.
 @param file  of the part that the solid is, or has, as scenes write it
 @param box   around the solid, all scales applied [m] */
std::string UnitDoubt(const std::string& file, const geometry::Aabb& box);

/** The extensions that ReadPart knows, for messages and the table of keys. */
std::string PartExtensions();

}  // namespace intervox::host
