#include "host/input/bytes.h"

#include <fstream>
#include <sstream>

#include "host/input/error.h"

namespace intervox::host {

std::string ReadBytes(const std::filesystem::path& path, const BytesRemedies& remedies) {
  const auto fail = [&](const std::string& what, const std::string& remedy) {
    throw InputError(path.string() + ": file: " + what + ". " + remedy);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("no such file", "Check the path.");
  if (!std::filesystem::is_regular_file(status)) fail("not a regular file", remedies.no_file);
  if (std::filesystem::file_size(path, error) > kMaxBytes || error) {
    fail("larger than " + std::to_string(kMaxBytes >> 20) + " MiB", remedies.too_large);
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  if (stream.peek() != std::ifstream::traits_type::eof()) bytes << stream.rdbuf();
  if (!stream.is_open() || stream.bad()) fail("cannot be read", "Check its permissions.");
  return std::move(bytes).str();
}

}  // namespace intervox::host
