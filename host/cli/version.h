/** @file What was built. */
#pragma once

#include <string>

namespace intervox::cli {

/** "intervox 0.1.0 (commit)". */
std::string VersionText();
/** "0.1.0". */
std::string Version();
/** The commit that was configured, or "unknown". */
std::string Commit();

}  // namespace intervox::cli
