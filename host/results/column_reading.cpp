#include <hdf5.h>

#include <stdexcept>
#include <string_view>

#include "host/input/error.h"
#include "host/results/column_file.h"
#include "host/results/column_file_implementation.h"
#include "host/results/hdf5.h"

namespace intervox::host {

namespace {

/** Does what reads; what cannot be read is damage. */
template <class F>
auto OrDamaged(const std::filesystem::path& file, F&& read) {
  try {
    return read();
  } catch (const std::out_of_range& error) {
    FailDamaged(file, std::string("'") + error.what() + "'");
  }
}

}  // namespace

void FailDamaged(const std::filesystem::path& file, const std::string& what) {
  throw InputError(file.string() + ": results: " + what +
                   " is damaged: what stands there does not agree with its checksum. Use a copy of "
                   "the file, or run anew.");
}

ColumnInfo Describe(Hdf5Id dataset, const std::string& name) {
  if (dataset < 0) throw std::out_of_range(name);
  ColumnInfo info;
  info.name = name;
  info.units = ReadText(dataset, "units");
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const Handle type(H5Dget_type(dataset), H5Tclose);
  hsize_t sizes[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, sizes, nullptr);
  info.rows = rank > 0 ? static_cast<std::int64_t>(sizes[0]) : 1;
  info.width = rank > 1 ? static_cast<int>(sizes[1]) : 1;
  info.integer = H5Tget_class(type) == H5T_INTEGER;
  return info;
}

std::string ColumnFile::Attribute(const std::string& name) const {
  return OrDamaged(implementation_->name, [&] { return ReadText(implementation_->File(), name); });
}

std::vector<std::string> ColumnFile::AttributeNames() const {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  if (H5Aiterate2(implementation_->File(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) <
      0) {
    FailDamaged(implementation_->name, "the list of attributes");
  }
  return names;
}

std::vector<ColumnInfo> ColumnFile::Columns() const {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
    if (info->type == H5O_TYPE_DATASET && std::string_view(name).size() < kMaxName) {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    }
    return 0;
  };
  const hid_t file = implementation_->File();
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, collect, &names, H5O_INFO_BASIC) < 0) {
    FailDamaged(implementation_->name, "the list of columns");
  }
  std::vector<ColumnInfo> infos;
  for (const std::string& name : names) {
    const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    infos.push_back(OrDamaged(implementation_->name, [&] { return Describe(dataset, name); }));
  }
  return infos;
}

std::vector<double> ColumnFile::Values(const std::string& name) const {
  const Handle dataset(H5Dopen2(implementation_->File(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset < 0) {
    throw InputError(implementation_->name.string() + ": results: there is no '" + name +
                     "', or it is damaged. See 'intervox info'.");
  }
  const ColumnInfo info = OrDamaged(implementation_->name, [&] { return Describe(dataset, name); });
  const Handle space(H5Dget_space(dataset), H5Sclose);
  // Every number of a column is stored, whatever size the file claims for it.
  const std::size_t stored = H5Dget_storage_size(dataset) / sizeof(double);
  const auto rows = static_cast<std::size_t>(info.rows),
             width = static_cast<std::size_t>(info.width);
  const bool fits = H5Sget_simple_extent_ndims(space) <= 2 && width > 0 && rows <= stored / width;
  std::vector<double> values(fits ? rows * width : 0);
  if (!fits || (!values.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                           H5P_DEFAULT, values.data()) < 0)) {
    FailDamaged(implementation_->name, "'" + name + "'");
  }
  return values;
}

void ColumnFile::Verify() const {
  for (const std::string& name : AttributeNames()) Attribute(name);
  for (const ColumnInfo& column : Columns()) Values(column.name);
}

}  // namespace intervox::host
