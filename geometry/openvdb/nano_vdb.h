/** @file NanoVDB's files: what devices and renderers pass around, to OpenVDB's grids and back. */
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>
#include <string>

namespace intervox::geometry {

/** Whether a file's name is that of a NanoVDB file. */
inline bool IsNanoVdb(const std::filesystem::path& path) { return path.extension() == ".nvdb"; }

/** Reads a NanoVDB file whole, in the caller's process: its nodes point at each other by offsets
 that a damaged file may have anywhere, so that the caller is a child process.
 @return bytes for FromStream
 @throws std::exception for what is no NanoVDB file. */
std::string NanoVdbAsStream(const std::filesystem::path& path);

/** The grid of NanoVdbAsStream; null where the file holds no level set of floats, or several.
 @param names  out: what the file holds */
openvdb::FloatGrid::Ptr FromStream(const std::string& bytes, std::string* names);

/** Writes a grid as a NanoVDB file, with checksums, and reads it: NanoVDB does not say when a disk is
 full. @throws std::exception. */
void WriteNanoVdb(const openvdb::FloatGrid& grid, const std::filesystem::path& path);

}  // namespace intervox::geometry
