/** @file A picture in memory and its way to a PNG file. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace intervox::host {

/** An RGB picture with 8 bits a channel, sRGB, rows from the top. */
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 × width × height

  /** The channel c of the pixel in column i of row j. */
  std::uint8_t& At(int i, int j, int c) {
    return rgb[3 * (static_cast<std::size_t>(j) * width + i) + c];
  }
  /** The channel c of the pixel in column i of row j. */
  std::uint8_t At(int i, int j, int c) const {
    return rgb[3 * (static_cast<std::size_t>(j) * width + i) + c];
  }
};

/** Writes a picture as PNG. @throws std::runtime_error naming the path when it cannot be written.
 */
void WritePng(const Image& image, const std::filesystem::path& path);

}  // namespace intervox::host
