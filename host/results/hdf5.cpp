#include "host/results/hdf5.h"

#include <hdf5.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace intervox::host {
namespace {

static_assert(std::is_same_v<Hdf5Id, hid_t> && std::is_same_v<int, herr_t>);

/** Longest text of an attribute that is read [bytes]. */
constexpr std::size_t kMaxText = std::size_t{64} << 20;

/** Text of a fixed length: the heap of texts with a variable one has no checksums. */
Handle TextType(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(1, length));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

}  // namespace

void Check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error("results: " + what + " failed. Is the disk full?");
}

void Silence() {
  static const bool kept_from_exit = H5dont_atexit() >= 0;
  static_cast<void>(kept_from_exit);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle LinkProperties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(properties, 1);
  H5Pset_char_encoding(properties, H5T_CSET_UTF8);
  return properties;
}

Handle AccessProperties() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Rows go to the disk as they are flushed: no chunk needs to be kept in memory.
  H5Pset_cache(properties, 0, 1, 0, 1.0);
  H5Pset_libver_bounds(properties, H5F_LIBVER_V110, H5F_LIBVER_V110);
  return properties;
}

Handle CreateProperties() {
  Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_phase_change(properties, kMostLinks, kMostLinks);
  return properties;
}

Handle GroupProperties() {
  Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_link_phase_change(properties, kMostLinks, kMostLinks);
  return properties;
}

void WriteText(Hdf5Id object, const std::string& name, const std::string& text) {
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Handle type = TextType(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  Check(attribute >= 0 && H5Awrite(attribute, type, text.c_str()) >= 0, "writing " + name);
}

std::string ReadText(Hdf5Id object, const std::string& name) {
  const auto require = [&](bool good) {
    if (!good) throw std::out_of_range(name);
  };
  const htri_t exists = H5Aexists(object, name.c_str());
  require(exists >= 0);
  if (exists == 0) return "";
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  require(attribute >= 0);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) return "";
  if (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) {
    double value = 0;
    require(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
    return std::to_string(value);
  }
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return "";
  std::string text(std::min(H5Tget_size(type), kMaxText), '\0');
  const Handle memory = TextType(text.size());
  require(H5Aread(attribute, memory, text.data()) >= 0);
  return text.substr(0, text.find('\0'));
}

}  // namespace intervox::host
