#include "host/input/writable.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "host/input/error.h"

namespace intervox::host {

void RequireWritable(const std::filesystem::path& path) {
  if (path.empty()) throw InputError("results: the file has no name. Name one with -o.");
  std::error_code error;
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  if (!std::filesystem::is_directory(folder, error)) {
    throw InputError(path.string() + ": results: the folder '" + folder.string() +
                     "' does not exist. Make it, or name another with -o.");
  }
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(path.string() + ": results: this is a folder. Name a file with -o.");
  }
  const bool fresh = !std::filesystem::exists(path, error);
  if (!fresh && !std::filesystem::is_regular_file(path, error)) {
    throw InputError(path.string() + ": results: not a regular file. Name another with -o.");
  }
  // Nothing is made to find out: a kill would leave it.
  if (access((fresh ? folder : path).c_str(), W_OK) != 0) {
    throw InputError(path.string() +
                     ": results: the file cannot be written. Check the folder's "
                     "permissions, or name another with -o.");
  }
}

void FailToWrite(const std::filesystem::path& path) {
  const std::string why = errno != 0 ? std::strerror(errno) : "the disk may be full";
  throw std::runtime_error(path.string() + ": cannot be written (" + why +
                           "). Make room on its disk, see that its folder is writable, or name "
                           "another place.");
}

void RequireOther(const std::filesystem::path& path, const std::filesystem::path& input) {
  std::error_code error;
  if (std::filesystem::equivalent(path, input, error)) {
    throw InputError(path.string() +
                     ": results: they would overwrite this input. Name another file with -o.");
  }
}

void RequireExtension(const std::filesystem::path& path, std::span<const char* const> extensions) {
  std::string list;
  for (std::size_t i = 0; i < extensions.size(); ++i) {
    if (path.extension() == extensions[i]) return;
    if (i > 0) list += i + 1 < extensions.size() ? ", " : " or ";
    list += extensions[i];
  }
  throw InputError("command line: -o: unknown extension (" + path.string() +
                   "). Name a file that ends in " + list + ".");
}

}  // namespace intervox::host
