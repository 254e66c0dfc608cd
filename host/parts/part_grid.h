/** @file Parts that are no hulls, as grids. */
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "host/parts/part.h"
#include "host/parts/readers.h"

namespace intervox::host {

/** An object of a file on its way to a solid. */
struct PartObject {
  std::string file;
  PartMesh part;

  /** Names it in messages. */
  std::string Label() const { return part.name.empty() ? file : file + ", '" + part.name + "'"; }
};

/** "1 hole", "2 holes". */
std::string CountText(std::size_t n, const std::string& one, const std::string& many);

/** "from [0, 0, 0] to [1, 1, 1]", of all vertices. */
std::string ExtentText(const std::vector<PartObject>& objects);

/** What single precision takes from an object that lies far from the origin for its size, with a
 remedy, to go on after "its "; empty where that is little. */
std::string LostDigits(const PartObject& object);

/** The diagonal of the box around all objects, in the file's units. */
double DiagonalOf(const std::vector<PartObject>& objects);

/** One grid of all objects' triangles, with voxels of a hundredth of the diagonal where the options
 give no voxel size.
 @param became    says what became of them
 @param warnings  gets a line where voxels are too large for the part
 @throws InputError for hollows in no solid, and for voxel sizes that are out of range or need more
 memory than there is. */
geometry::ShapePtr GridOfObjects(const std::filesystem::path& path,
                                 const std::vector<PartObject>& objects, const PartOptions& options,
                                 const std::string& name, std::string* became,
                                 std::vector<std::string>* warnings);

}  // namespace intervox::host
