/** @file What commands do with the files that they are given. */
#pragma once

#include <string>
#include <utility>

#include "geometry/shape.h"

namespace intervox::cli {

/** The file begins as HDF5 files do. */
bool IsHdf5(const std::string& path);

/** The named shape of a pairs or scene file, or its only one where the name is empty.
 @throws host::InputError naming the shapes that there are. */
std::pair<std::string, geometry::ShapePtr> ChooseShape(const std::string& file,
                                                       const std::string& name);

}  // namespace intervox::cli
