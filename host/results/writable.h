/** @file A check before long work: can its result be written? */
#pragma once

#include <filesystem>

namespace intervox::host {

/** Returns when a file can be written at `path`, leaving what is there as it is.
 @throws InputError when the folder is missing, `path` is a folder, or permissions forbid it. */
void RequireWritable(const std::filesystem::path& path);

}  // namespace intervox::host
