/** @file The table of keys as a JSON Schema, for editors and other programs. */
#pragma once

#include <string>

namespace intervox::host {

/** The JSON Schema (draft 7) of files whose root is the object `root`, "scene" or "pairs", as the
 text of data/schema/ROOT.schema.json. */
std::string JsonSchema(const std::string& root);

}  // namespace intervox::host
