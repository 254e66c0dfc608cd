/** @file NanoVDB's files: the level sets that devices and renderers pass around. */
#pragma once

#include <filesystem>
#include <string>

namespace intervox::geometry {

/** Whether a file's name is that of a NanoVDB file. */
inline bool IsNanoVdb(const std::filesystem::path& path) { return path.extension() == ".nvdb"; }

/** Reads a NanoVDB file whole, in the caller's process: its nodes point at each other by offsets
 that a damaged file may have anywhere, so that the caller is a child process.
 @return what the file holds, in words; a zero; and its only level set as a stream of OpenVDB's, or
 nothing where it holds none, or several
 @throws std::exception for what is no NanoVDB file. */
std::string NanoVdbAsStream(const std::filesystem::path& path);

}  // namespace intervox::geometry
