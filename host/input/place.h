/** @file Where settings stand in their files, so that an error found late still names the line. */
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace intervox::host {

/** A line of a file. Empty for a setting that was made in code. */
struct Place {
  std::shared_ptr<const std::string> file;
  int line = 0;  ///< one-based; 0: none

  /** "FILE:LINE", or `otherwise` where there is no file. */
  std::string Text(const std::string& otherwise) const;
};

/** Where a group of settings and its keys stand. */
struct Places {
  Place self;
  std::vector<std::pair<std::string, Place>> keys;

  /** The place of a key; that of the group where the key does not stand. */
  const Place& Of(const std::string& key) const;
};

/** Throws InputError "FILE:LINE: KEY: what".
 @param otherwise  stands for FILE:LINE where the place has no file
 @param what       what is wrong, its value and the remedy */
[[noreturn]] void FailAt(const Place& place, const std::string& otherwise, const std::string& key,
                         const std::string& what);

}  // namespace intervox::host
