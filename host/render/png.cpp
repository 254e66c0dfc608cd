#include <png.h>

#include <cerrno>

#include "host/input/writable.h"
#include "host/render/image.h"

namespace intervox::host {

void WritePng(const Image& image, const std::filesystem::path& path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  errno = 0;
  if (png_image_write_to_file(&header, path.c_str(), 0, image.rgb.data(), 3 * image.width,
                              nullptr) == 0) {
    FailToWrite(path);  // libpng has removed what it wrote
  }
}

}  // namespace intervox::host
