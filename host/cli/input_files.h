/** @file What commands do with the files that they are given. */
#pragma once

#include <string>
#include <utility>

#include "geometry/shape.h"

namespace intervox::cli {

/** The named shape of a pairs or scene file, or its only one where the name is empty.
 @param command  that asks for it
 @throws host::InputError naming the shapes that there are, or what the file is instead. */
std::pair<std::string, geometry::ShapePtr> ChooseShape(const std::string& command,
                                                       const std::string& file,
                                                       const std::string& name);

}  // namespace intervox::cli
