/** @file Before long work: can its result be written? And after it: what to say where it cannot. */
#pragma once

#include <filesystem>
#include <span>

namespace intervox::host {

/** Returns when a file can be written at `path`, leaving what is there as it is.
 @throws InputError when the folder is missing, `path` is a folder or a device, or permissions
 forbid it. */
void RequireWritable(const std::filesystem::path& path);

/** Throws what a file that could not be written is told with: its name, errno's reason, remedies.
 @throws std::runtime_error always */
[[noreturn]] void FailToWrite(const std::filesystem::path& path);

/** @throws InputError when `path` is the file that `input` names: writing would destroy it. */
void RequireOther(const std::filesystem::path& path, const std::filesystem::path& input);

/** @throws InputError when `path` ends in none of two or more extensions, which it names. */
void RequireExtension(const std::filesystem::path& path, std::span<const char* const> extensions);

}  // namespace intervox::host
