#include "host/cli/version.h"

namespace intervox::cli {

std::string VersionText() {
  return std::string("intervox ") + INTERVOX_VERSION + " (" + INTERVOX_COMMIT + ")";
}

std::string Version() { return INTERVOX_VERSION; }

std::string Commit() { return INTERVOX_COMMIT; }

}  // namespace intervox::cli
