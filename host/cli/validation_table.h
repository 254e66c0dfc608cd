/** @file The rows of `intervox validate`, run and printed. */
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/validation/row.h"

namespace intervox::cli {

/** How rows are run and printed. */
struct RowOptions {
  std::filesystem::path scenes;    ///< the folder of their scenes
  std::vector<std::string> edits;  ///< `path=value`, of each scene
  bool json = false;
  bool quiet = false;            ///< no progress bar
  std::filesystem::path report;  ///< folder of a page with figures; empty: none
};

/** Runs rows and prints a line for each number; validation.json and index.html go to the report's
 folder. @return whether all passed. @throws host::InputError for a scene that cannot be read;
 std::runtime_error where the page cannot be drawn. */
bool RunRows(const std::vector<host::Row>& rows, const RowOptions& options);

}  // namespace intervox::cli
