/** @file NanoVDB's files: the level sets that devices and renderers pass around. */
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace intervox::geometry {

/** Whether a file's name is that of a NanoVDB file. */
inline bool IsNanoVdb(const std::filesystem::path& path) { return path.extension() == ".nvdb"; }

/** Eight voxels along each axis, the last one fastest. */
struct NanoLeaf {
  std::array<std::int32_t, 3> origin;   ///< the first voxel's index
  std::array<std::uint64_t, 8> active;  ///< a bit for each voxel
  std::array<float, 512> levels;        ///< [m]
};

/** The only level set of a NanoVDB file. */
struct NanoLevelSet {
  std::string contents;  ///< what the file holds, in words
  bool found = false;    ///< false where it holds no level set, or several; what follows is empty
  std::string name;
  float background = 0;           ///< [m]
  std::array<double, 9> scale{};  ///< row by row, of voxels' indices to places [m]
  std::array<double, 3> place{};  ///< of the voxel with index 0 [m]
  std::vector<NanoLeaf> leaves;
};

/** Reads a NanoVDB file whole, in the caller's process: its nodes point at each other by offsets
 that a damaged file may have anywhere, so that the caller is a child process. No thread of the
 parent's is needed.
 @return bytes for UnpackNanoVdb
 @throws std::exception for what is no NanoVDB file. */
std::string PackNanoVdb(const std::filesystem::path& path);

/** The level set that a child process packed.
 @throws std::runtime_error where bytes are missing. */
NanoLevelSet UnpackNanoVdb(std::string_view bytes);

}  // namespace intervox::geometry
