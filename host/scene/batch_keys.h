/** @file The keys of batch files, a part of the table in keys.h. */
#pragma once

#include <vector>

#include "host/scene/keys.h"

namespace intervox::host {

/** The objects of batch files; "batch" is the root. */
std::vector<Object> BatchObjects();

}  // namespace intervox::host
