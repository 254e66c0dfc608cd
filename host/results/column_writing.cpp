#include <hdf5.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "host/input/error.h"
#include "host/results/column_file.h"
#include "host/results/column_file_implementation.h"
#include "host/results/hdf5.h"

namespace intervox::host {
namespace {

/** Bytes of a chunk: large enough to be written in one go, small enough for short runs. */
constexpr hsize_t kChunkBytes = 32768;

/** Largest size that this process may give a file [bytes]. */
std::uintmax_t LargestFile() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? limit.rlim_cur : std::numeric_limits<std::uintmax_t>::max();
}

Handle Open(hid_t file, const OpenColumn& column) {
  Handle dataset(H5Oopen_by_addr(file, column.address), H5Dclose);
  Check(dataset >= 0, "opening " + column.info.name);
  return dataset;
}

}  // namespace

void ColumnFile::Reserve(const std::string& group, std::size_t members, std::size_t name_length) {
  const hid_t file = implementation_->Changed();
  if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) return;
  const Handle creation = GroupProperties();
  H5Pset_est_link_info(creation, static_cast<unsigned>(std::min<std::size_t>(members, kMostLinks)),
                       static_cast<unsigned>(std::min<std::size_t>(name_length, kMaxName)));
  const Handle made(H5Gcreate2(file, group.c_str(), LinkProperties(), creation, H5P_DEFAULT),
                    H5Gclose);
  Check(made >= 0, "making " + group);
}

void ColumnFile::ExpectRows(std::int64_t rows) { implementation_->expected_rows = rows; }

int ColumnFile::Column(const std::string& name, int width, const std::string& units, bool integer) {
  Implementation& self = *implementation_;
  auto& columns = self.columns;
  if (const auto known = self.number.find(name); known != self.number.end()) return known->second;
  self.Changed();
  const Handle links = LinkProperties();
  // Members of one group come one after the other: it is looked up once.
  const std::size_t slash = name.rfind('/');
  hid_t place = self.file;
  if (slash != std::string::npos) {
    const std::string parent = name.substr(0, slash);
    if (parent != self.parent || self.group < 0) {
      self.group = Handle(H5Gopen2(self.file, parent.c_str(), H5P_DEFAULT), H5Gclose);
      if (self.group < 0) {
        const Handle creation = GroupProperties();
        self.group =
            Handle(H5Gcreate2(self.file, parent.c_str(), links, creation, H5P_DEFAULT), H5Gclose);
      }
      Check(self.group >= 0, "making " + parent);
      self.parent = parent;
    }
    place = self.group;
  }
  const std::string own = slash == std::string::npos ? name : name.substr(slash + 1);
  Handle dataset(-1, H5Dclose);
  if (H5Lexists(place, own.c_str(), H5P_DEFAULT) > 0) {
    dataset = Handle(H5Dopen2(place, own.c_str(), H5P_DEFAULT), H5Dclose);
  }
  std::uintmax_t chunk_bytes = kChunkBytes;
  if (dataset < 0) {
    const hsize_t columns_of_row = static_cast<hsize_t>(width);
    const hsize_t start[2] = {0, columns_of_row};
    const hsize_t most[2] = {H5S_UNLIMITED, columns_of_row};
    const auto most_rows = static_cast<hsize_t>(std::max<std::int64_t>(1, self.expected_rows));
    const hsize_t chunk[2] = {std::clamp<hsize_t>(kChunkBytes / (8 * columns_of_row), 1, most_rows),
                              columns_of_row};
    chunk_bytes = 8 * chunk[0] * chunk[1];
    const int rank = width == 1 ? 1 : 2;
    const Handle space(H5Screate_simple(rank, start, most), H5Sclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(creation, rank, chunk);
    H5Pset_fletcher32(creation);
    dataset = Handle(H5Dcreate2(place, own.c_str(), integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, space,
                                links, creation, H5P_DEFAULT),
                     H5Dclose);
    Check(dataset >= 0, "making " + name);
    WriteText(dataset, "units", units);
  }
  ColumnInfo info = Describe(dataset, name);
  if (info.width != width || info.integer != integer) {
    throw InputError(self.name.string() + ": results: '" + name +
                     "' has another form. Run without --resume.");
  }
  H5O_info_t object;
  Check(H5Oget_info2(dataset, &object, H5O_INFO_BASIC) >= 0, "finding " + name);
  columns.push_back({std::move(info), object.addr, chunk_bytes, {}, {}, false});
  const int number = static_cast<int>(columns.size()) - 1;
  self.number.emplace(name, number);
  return number;
}

void ColumnFile::Put(int column, std::span<const double> row) {
  OpenColumn& c = implementation_->columns[static_cast<std::size_t>(column)];
  c.numbers.insert(c.numbers.end(), row.begin(), row.end());
  implementation_->changed = true;
}

void ColumnFile::PutInteger(int column, std::int64_t value) {
  implementation_->columns[static_cast<std::size_t>(column)].integers.push_back(value);
  implementation_->changed = true;
}

std::int64_t ColumnFile::Rows(int column) const {
  const OpenColumn& c = implementation_->columns[static_cast<std::size_t>(column)];
  const std::size_t waiting = std::max(c.numbers.size(), c.integers.size());
  return c.info.rows + static_cast<std::int64_t>(waiting) / c.info.width;
}

void ColumnFile::Truncate(int column, std::int64_t rows) {
  OpenColumn& c = implementation_->columns[static_cast<std::size_t>(column)];
  c.numbers.clear();
  c.integers.clear();
  if (c.info.rows <= rows) return;
  // The dataset is cut when it is written: chunks that are needed again stay where they are.
  c.info.rows = rows;
  c.cut = true;
  implementation_->changed = true;
}

void ColumnFile::Implementation::RequireRoom() const {
  constexpr std::uintmax_t kTables = 1 << 16, kTablesOfColumn = 1 << 12;
  std::uintmax_t added = kTables;
  for (const OpenColumn& c : columns) {
    added += 8 * (c.numbers.size() + c.integers.size()) + c.chunk + kTablesOfColumn;
  }
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file < 0 ? path : part, error);
  const std::uintmax_t needed = added + (file < 0 ? size : 0);  // the copy
  const std::uintmax_t left = std::filesystem::space(path.parent_path(), error).available;
  const std::uintmax_t most = LargestFile();
  if (left >= needed && most >= size + added) return;
  const bool full = left < needed;
  throw std::runtime_error(
      name.string() + ": results: the disk is full: " + std::to_string((full ? left : most) >> 10) +
      " KiB are " + (full ? "left, " : "allowed, ") +
      std::to_string((full ? needed : size + added) >> 10) +
      " KiB needed. What was written before stays readable. Make room, then go on with --resume, "
      "or name a file on another disk.");
}

void ColumnFile::Implementation::WriteRows(OpenColumn* column) {
  OpenColumn& c = *column;
  const std::size_t width = static_cast<std::size_t>(c.info.width);
  const std::size_t count = c.info.integer ? c.integers.size() : c.numbers.size();
  const hsize_t rows = count / width;
  if (rows == 0 && !c.cut) return;
  const hsize_t before = static_cast<hsize_t>(c.info.rows);
  const hsize_t size[2] = {before + rows, width};
  const hsize_t start[2] = {before, 0};
  const hsize_t block[2] = {rows, width};
  const int rank = width == 1 ? 1 : 2;
  const Handle dataset = Open(file, c);
  Check(H5Dset_extent(dataset, size) >= 0, "sizing " + c.info.name);
  c.cut = false;
  if (rows == 0) return;
  const Handle target(H5Dget_space(dataset), H5Sclose);
  H5Sselect_hyperslab(target, H5S_SELECT_SET, start, nullptr, block, nullptr);
  const Handle source(H5Screate_simple(rank, block, nullptr), H5Sclose);
  const void* values = c.info.integer ? static_cast<const void*>(c.integers.data())
                                      : static_cast<const void*>(c.numbers.data());
  Check(H5Dwrite(dataset, c.info.integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, source, target,
                 H5P_DEFAULT, values) >= 0,
        "writing " + c.info.name);
  c.info.rows += static_cast<std::int64_t>(rows);
  c.numbers.clear();
  c.integers.clear();
}

void ColumnFile::Spill() {
  Implementation& self = *implementation_;
  if (!self.failure->empty()) throw std::runtime_error(*self.failure);
  self.RequireRoom();
  try {
    self.File();
    for (OpenColumn& column : self.columns) self.WriteRows(&column);
  } catch (const std::runtime_error& error) {
    *self.failure = error.what();
    throw;
  }
}

std::function<void()> ColumnFile::PrepareFlush() {
  Spill();
  Implementation& self = *implementation_;
  *self.failure = self.name.string() + ": results: a flush was begun and not done.";
  self.Close();
  self.changed = false;
  return [part = self.part, path = self.path, failure = self.failure] {
    try {
      ReplaceFile(part, path);
      failure->clear();
    } catch (const std::runtime_error& error) {
      *failure = error.what();
      throw;
    }
  };
}

void ColumnFile::SetAttribute(const std::string& name, const std::string& text) {
  WriteText(implementation_->Changed(), name, text);
}

void ColumnFile::SetAttribute(const std::string& name, double value) {
  const hid_t file = implementation_->Changed();
  if (H5Aexists(file, name.c_str()) > 0) H5Adelete(file, name.c_str());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(file, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  Check(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0, "writing " + name);
}

}  // namespace intervox::host
