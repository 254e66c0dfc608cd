/** @file The commands `batch` and `report`: many runs of one scene, and their page. */
#pragma once

#include <CLI/CLI.hpp>

namespace intervox::cli {

/** `batch`: runs a scene many times with sampled values. */
void AddBatch(CLI::App& app, int& status);
/** `report`: a page, pictures and tables of a batch's folder. */
void AddReport(CLI::App& app, int& status);

}  // namespace intervox::cli
