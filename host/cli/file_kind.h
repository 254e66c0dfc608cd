/** @file What kind of file a path names, so that a wrong one is answered with the command for it.
 */
#pragma once

#include <initializer_list>
#include <string>

namespace intervox::cli {

/** Kinds of file that users hand to commands. */
enum class FileKind {
  kUnknown,  ///< the command's own reader says what is wrong
  kResults,  ///< of `run`
  kMetrics,  ///< of `metrics`, `overlaps` or `distance` with --poses, HDF5
  kRuns,     ///< of `batch`, HDF5
  kHdf5,     ///< of another program, or damaged
  kScene,
  kPairs,
  kBatch,
  kCheckpoint,
  kArray,  ///< NumPy's
  kPart,   ///< of another program: .stl, .obj, .ply, .3mf, .glb, .csg
  kCad,
  kGrid,
  kPicture,
};

/** Whether a file begins as HDF5 files do. */
bool IsHdf5(const std::string& path);

/** The kind of a file, by its first bytes, and by its name where they do not tell. */
FileKind KindOf(const std::string& path);

/** @throws host::InputError when a file is of a known kind that is not among those `taken`: it says
 what the file is, which command takes it, and what this one takes.
 @param wanted  what the command takes where that is of no kind above */
void RequireKind(const std::string& path, const std::string& command,
                 std::initializer_list<FileKind> taken, std::string wanted = {});

}  // namespace intervox::cli
