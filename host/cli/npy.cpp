#include "host/cli/npy.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "host/input/error.h"

namespace intervox::cli {
namespace {

/** Largest number of values that is read, 8 GiB. */
constexpr std::size_t kMaxValues = std::size_t{1} << 30;

[[noreturn]] void Refuse(const std::filesystem::path& path, const std::string& what) {
  throw host::InputError(path.string() + ": array: " + what +
                         ". Save it with numpy.save of a float64 array of shape (n, 7).");
}

/** The text after "'key':" in the header's dictionary. */
std::string After(const std::string& header, const std::string& key,
                  const std::filesystem::path& path) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) Refuse(path, "the header has no '" + key + "'");
  const std::size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
  if (begin == std::string::npos) Refuse(path, "the header is cut off");
  return header.substr(begin);
}

std::string ReadHeader(std::ifstream& stream, const std::filesystem::path& path) {
  unsigned char start[8] = {};
  stream.read(reinterpret_cast<char*>(start), sizeof start);
  if (!stream || std::memcmp(start, "\x93NUMPY", 6) != 0) Refuse(path, "not a .npy file");
  std::uint32_t length = 0;
  const int bytes = start[6] == 1 ? 2 : 4;
  for (int i = 0; i < bytes; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(stream.get())) << (8 * i);
  }
  if (!stream || length > (1u << 20)) Refuse(path, "the header is corrupt");
  std::string header(length, '\0');
  stream.read(header.data(), length);
  if (!stream) Refuse(path, "the header is cut off");
  return header;
}

void ReadShape(const std::string& text, const std::filesystem::path& path, Array& array) {
  std::vector<std::size_t> shape;
  std::size_t i = 1;
  while (i < text.size() && text[i] != ')' && shape.size() <= 2) {
    if (text[i] == '-') Refuse(path, "a dimension of the array is negative");
    if (text[i] >= '0' && text[i] <= '9') {
      std::size_t value = 0;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') {
        value = value * 10 + static_cast<std::size_t>(text[i++] - '0');
        if (value > kMaxValues) Refuse(path, "the array is too large");
      }
      shape.push_back(value);
    } else {
      ++i;
    }
  }
  if (text.empty() || text[0] != '(' || shape.empty() || shape.size() > 2) {
    Refuse(path, "the array does not have one or two dimensions");
  }
  array.rows = shape.size() == 2 ? shape[0] : 1;
  array.columns = shape.back();
  if (array.columns > 0 && array.rows > kMaxValues / array.columns) {
    Refuse(path, "the array is too large");
  }
}

}  // namespace

Array ReadNpy(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) Refuse(path, "no such file");
  std::ifstream stream(path, std::ios::binary);
  const std::string header = ReadHeader(stream, path);
  if (After(header, "descr", path).substr(0, 5) != "'<f8'") {
    Refuse(path, "the elements are not little-endian doubles");
  }
  if (After(header, "fortran_order", path).substr(0, 5) != "False") {
    Refuse(path, "the array is stored by columns");
  }
  Array array;
  ReadShape(After(header, "shape", path), path, array);
  const auto begin = stream.tellg();
  const std::uintmax_t bytes = array.rows * array.columns * sizeof(double);
  if (std::filesystem::file_size(path, error) - static_cast<std::uintmax_t>(begin) < bytes ||
      error) {
    Refuse(path, "the file is cut off");
  }
  array.values.resize(array.rows * array.columns);
  stream.read(reinterpret_cast<char*>(array.values.data()), static_cast<std::streamsize>(bytes));
  if (!stream) Refuse(path, "the file is cut off");
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (!std::isfinite(array.values[i])) {
      Refuse(path,
             "row " + std::to_string(i / array.columns) + " holds a number that is not finite");
    }
  }
  return array;
}

}  // namespace intervox::cli
