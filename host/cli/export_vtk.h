/** @file Results as series of files for ParaView. */
#pragma once

#include <filesystem>
#include <string>

namespace intervox::cli {

/** How `export --vtk` writes. */
struct VtkOptions {
  std::filesystem::path folder;
  std::string frames = "count=101";  ///< as ChooseSamples reads it
  double deviation = 0.0;            ///< of the triangles [m]; 0: each body's default
};

/** Writes three series into the folder and prints their names: `bodies.pvd`, posed triangles of the
 bounded bodies; `patches.pvd`, ellipses of the contact patches; `forces.pvd`, the contact forces as
 vectors at their points. Bodies that stand still are written once.
 @throws host::InputError for results or a folder that cannot be used. */
void ExportVtk(const std::filesystem::path& results, const VtkOptions& options);

}  // namespace intervox::cli
