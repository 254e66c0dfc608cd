#include "geometry/free_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace intervox::geometry {
namespace {

/** The number behind a word of a file of words and numbers; without a word the file's first.
 Nothing where there is none, as of a limit that is `max`. */
std::optional<double> NumberIn(const char* path, const std::string& word = {}) {
  std::ifstream file(path);
  double number = 0;
  for (std::string at; word.empty() || file >> at;) {
    if (word.empty() || at == word) {
      if (file >> number) return number;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/** What a control group's limit leaves; what only holds copies of files does not count. */
double Left(const char* limit, const char* used, const char* list, const std::string& files) {
  const std::optional<double> most = NumberIn(limit), now = NumberIn(used);
  if (!most || !now) return 1e300;
  return std::max(0.0, *most - *now + NumberIn(list, files).value_or(0));
}

}  // namespace

double FreeMemory() {
  const std::optional<double> available = NumberIn("/proc/meminfo", "MemAvailable:");
  const double free = available ? 1024 * *available
                                : static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) *
                                      static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return std::min({free,
                   Left("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                        "/sys/fs/cgroup/memory.stat", "inactive_file"),
                   Left("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                        "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file")});
}

}  // namespace intervox::geometry
