/** @file Writes arrays as NumPy does. */
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace intervox {

/** Writes doubles as a .npy file; `shape` is the tuple as Python shows it. @returns the path */
inline std::string Npy(const std::filesystem::path& path, const std::vector<double>& values,
                       const std::string& shape) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream stream(path, std::ios::binary);
  stream << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 255)
         << static_cast<char>(header.size() >> 8) << header;
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(8 * values.size()));
  return path.string();
}

}  // namespace intervox
