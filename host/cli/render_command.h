/** @file The commands that draw, rasterise and triangulate. */
#pragma once

#include <CLI/CLI.hpp>

namespace intervox::cli {

/** `render`: pictures of a results file. */
void AddRender(CLI::App& app, int& status);
/** `rasterize`: a shape as an OpenVDB level set. */
void AddRasterize(CLI::App& app, int& status);
/** `mesh`: a shape, or the bodies of a scene, as triangles. */
void AddMesh(CLI::App& app, int& status);

}  // namespace intervox::cli
