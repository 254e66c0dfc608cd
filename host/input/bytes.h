/** @file Whole files as bytes. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace intervox::host {

/** Largest file [bytes]. */
inline constexpr std::uintmax_t kMaxBytes = 256u << 20;

/** What messages advise where a path is no file, and where a file is too large. */
struct BytesRemedies {
  std::string no_file;
  std::string too_large;
};

/** The bytes of a file. @throws InputError when it is missing, no regular file, unreadable or
 larger than kMaxBytes. */
std::string ReadBytes(const std::filesystem::path& path, const BytesRemedies& remedies);

}  // namespace intervox::host
