#include "host/results/column_file.h"

#include <hdf5.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "host/input/error.h"
#include "host/input/writable.h"

namespace intervox::host {
namespace {

/** Bytes of a chunk: large enough to be written in one go, small enough for short runs. */
constexpr hsize_t kChunkBytes = 32768;
/** Links that a group keeps in its header: as many as HDF5 allows. */
constexpr unsigned kMostLinks = 65535;
/** Longest text of an attribute that is read [bytes]. */
constexpr std::size_t kMaxText = std::size_t{64} << 20;
/** Longest link, object or attribute name that is read. */
constexpr std::size_t kMaxName = 1024;

/** Owns an HDF5 identifier. */
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): a C handle

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void Check(bool good, const std::string& what) {
  if (!good) throw std::runtime_error("results: " + what + " failed. Is the disk full?");
}

/** HDF5 prints its own stack of errors unless told not to, and when the program ends it closes once
 more, and crashes on, a file whose last bytes did not fit on the disk. */
void Silence() {
  static const bool kept_from_exit = H5dont_atexit() >= 0;
  static_cast<void>(kept_from_exit);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/** Bytes that may be added to a file: what its disk has left, within the process' own limit. */
std::uintmax_t Room(const std::filesystem::path& path) {
  std::error_code error;
  std::uintmax_t room = std::filesystem::space(path, error).available;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    room = std::min<std::uintmax_t>(room, limit.rlim_cur > size ? limit.rlim_cur - size : 0);
  }
  return room;
}

Handle LinkProperties() {
  Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(properties, 1);
  H5Pset_char_encoding(properties, H5T_CSET_UTF8);
  return properties;
}

/** File tables stay in memory until a flush, so that nothing half-made reaches the disk before.
 They carry checksums, as the format of HDF5 1.8 has them and the older one, the default, has not:
 the library crashes on corrupt tables that it takes for good. The format of 1.10 would mark a
 killed run's file as open for ever. */
Handle AccessProperties() {
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5AC_cache_config_t config;
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(properties, &config) >= 0) {
    config.evictions_enabled = false;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(properties, &config);
  }
  // Rows go to the disk as they are flushed: no chunk needs to be kept in memory.
  H5Pset_cache(properties, 0, 1, 0, 1.0);
  H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_V18);
  return properties;
}

/** Groups keep their links in their headers, which have checksums; so do groups made in them. From
 other places HDF5 1.10 reads what it has not written when a file is corrupt. */
Handle CreateProperties() {
  Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_link_phase_change(properties, kMostLinks, kMostLinks);
  return properties;
}

/** The same of a group that is made by itself: it does not take them over from where it is made. */
Handle GroupProperties() {
  Handle properties(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_link_phase_change(properties, kMostLinks, kMostLinks);
  return properties;
}

/** Text of a fixed length: the heap of texts with a variable one has no checksums. */
Handle TextType(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(1, length));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void WriteText(hid_t object, const std::string& name, const std::string& text) {
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Handle type = TextType(text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  Check(attribute >= 0 && H5Awrite(attribute, type, text.c_str()) >= 0, "writing " + name);
}

std::string ReadText(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return "";
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) return "";
  if (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) {
    double value = 0;
    H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
    std::string text = std::to_string(value);
    return text;
  }
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return "";
  std::string text(std::min(H5Tget_size(type), kMaxText), '\0');
  const Handle memory = TextType(text.size());
  if (H5Aread(attribute, memory, text.data()) < 0) return "";
  return text.substr(0, text.find('\0'));
}

struct OpenColumn {
  ColumnInfo info;
  haddr_t address = HADDR_UNDEF;       // of the dataset, which is open only while it is written
  std::uintmax_t chunk = kChunkBytes;  // [bytes]
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
};

Handle Open(hid_t file, const OpenColumn& column) {
  Handle dataset(H5Oopen_by_addr(file, column.address), H5Dclose);
  Check(dataset >= 0, "opening " + column.info.name);
  return dataset;
}

ColumnInfo Describe(hid_t dataset, const std::string& name) {
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

}  // namespace

struct ColumnFile::Implementation {
  explicit Implementation(Handle opened, const std::filesystem::path& at)
      : file(std::move(opened)), path(at) {}
  Handle file;
  std::filesystem::path path;
  std::vector<OpenColumn> columns;
  std::unordered_map<std::string, int> number;  // of each column by name
  std::string parent;                           // group of the last column, "": none
  Handle group{-1, H5Gclose};                   // likewise, opened
  std::int64_t expected_rows = std::numeric_limits<std::int64_t>::max();
};

ColumnFile::ColumnFile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ColumnFile::~ColumnFile() {
  if (!implementation_) return;
  try {
    Flush();
  } catch (const std::runtime_error&) {
    // A destructor has nobody to tell; callers that care call Flush themselves.
    return;
  }
}
ColumnFile::ColumnFile(ColumnFile&&) noexcept = default;
ColumnFile& ColumnFile::operator=(ColumnFile&&) noexcept = default;

ColumnFile ColumnFile::Create(const std::filesystem::path& path) {
  Silence();
  RequireWritable(path);
  const Handle access = AccessProperties();
  const Handle creation = CreateProperties();
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  if (file < 0) {
    throw InputError(path.string() +
                     ": results: the file cannot be made; another program may "
                     "have it open. Close that, or name another with -o.");
  }
  return ColumnFile(std::make_unique<Implementation>(std::move(file), path));
}

ColumnFile ColumnFile::Append(const std::filesystem::path& path) {
  Silence();
  const Handle access = AccessProperties();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), H5Fclose);
  if (file < 0) {
    throw InputError(path.string() +
                     ": results: missing, corrupt or open elsewhere. Run without "
                     "--resume, or name the right file with -o.");
  }
  return ColumnFile(std::make_unique<Implementation>(std::move(file), path));
}

ColumnFile ColumnFile::Read(const std::filesystem::path& path) {
  Silence();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path.string() + ": results: no such file. Check the path.");
  }
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) {
    throw InputError(path.string() +
                     ": results: not an HDF5 file, or corrupt. Name a file that "
                     "'intervox run' wrote.");
  }
  return ColumnFile(std::make_unique<Implementation>(std::move(file), path));
}

void ColumnFile::Reserve(const std::string& group, std::size_t members, std::size_t name_length) {
  const hid_t file = implementation_->file;
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
    dataset = Handle(H5Dcreate2(place, own.c_str(), integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, space,
                                links, creation, H5P_DEFAULT),
                     H5Dclose);
    Check(dataset >= 0, "making " + name);
    WriteText(dataset, "units", units);
  }
  ColumnInfo info = Describe(dataset, name);
  if (info.width != width || info.integer != integer) {
    throw InputError(self.path.string() + ": results: '" + name +
                     "' has another form. Run without --resume.");
  }
  H5O_info_t object;
  Check(H5Oget_info2(dataset, &object, H5O_INFO_BASIC) >= 0, "finding " + name);
  columns.push_back({std::move(info), object.addr, chunk_bytes, {}, {}});
  const int number = static_cast<int>(columns.size()) - 1;
  self.number.emplace(name, number);
  return number;
}

void ColumnFile::Put(int column, std::span<const double> row) {
  OpenColumn& c = implementation_->columns[static_cast<std::size_t>(column)];
  c.numbers.insert(c.numbers.end(), row.begin(), row.end());
}

void ColumnFile::PutInteger(int column, std::int64_t value) {
  implementation_->columns[static_cast<std::size_t>(column)].integers.push_back(value);
}

void ColumnFile::Truncate(int column, std::int64_t rows) {
  OpenColumn& c = implementation_->columns[static_cast<std::size_t>(column)];
  c.numbers.clear();
  c.integers.clear();
  if (c.info.rows <= rows) return;
  const hsize_t size[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(c.info.width)};
  const Handle dataset = Open(implementation_->file, c);
  Check(H5Dset_extent(dataset, size) >= 0, "cutting " + c.info.name);
  c.info.rows = rows;
}

void ColumnFile::RequireRoom() const {
  // HDF5 leaves a file that it could write in part only unreadable, so it must not begin.
  constexpr std::uintmax_t kTables = 1 << 16, kTablesOfColumn = 1 << 12;
  std::uintmax_t needed = kTables;
  for (const OpenColumn& c : implementation_->columns) {
    needed += 8 * (c.numbers.size() + c.integers.size()) + c.chunk + kTablesOfColumn;
  }
  const std::uintmax_t room = Room(implementation_->path);
  if (room < needed) {
    throw std::runtime_error(implementation_->path.string() +
                             ": results: the disk is full: " + std::to_string(room >> 10) +
                             " KiB are left, " + std::to_string(needed >> 10) +
                             " KiB needed. What was written before stays readable.");
  }
}

void ColumnFile::Flush() {
  const auto waits = [](const OpenColumn& c) { return !c.numbers.empty() || !c.integers.empty(); };
  if (std::any_of(implementation_->columns.begin(), implementation_->columns.end(), waits)) {
    RequireRoom();
  }
  for (OpenColumn& c : implementation_->columns) {
    const std::size_t width = static_cast<std::size_t>(c.info.width);
    const std::size_t count = c.info.integer ? c.integers.size() : c.numbers.size();
    const hsize_t rows = count / width;
    if (rows == 0) continue;
    const hsize_t before = static_cast<hsize_t>(c.info.rows);
    const hsize_t size[2] = {before + rows, width};
    const hsize_t start[2] = {before, 0};
    const hsize_t block[2] = {rows, width};
    const int rank = width == 1 ? 1 : 2;
    const Handle dataset = Open(implementation_->file, c);
    Check(H5Dset_extent(dataset, size) >= 0, "growing " + c.info.name);
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
  Check(H5Fflush(implementation_->file, H5F_SCOPE_GLOBAL) >= 0, "flushing");
}

void ColumnFile::SetAttribute(const std::string& name, const std::string& text) {
  WriteText(implementation_->file, name, text);
}

void ColumnFile::SetAttribute(const std::string& name, double value) {
  const hid_t file = implementation_->file;
  if (H5Aexists(file, name.c_str()) > 0) H5Adelete(file, name.c_str());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(file, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  Check(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0, "writing " + name);
}

std::string ColumnFile::Attribute(const std::string& name) const {
  return ReadText(implementation_->file, name);
}

std::vector<std::string> ColumnFile::AttributeNames() const {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  H5Aiterate2(implementation_->file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names);
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
  H5Ovisit2(implementation_->file, H5_INDEX_NAME, H5_ITER_INC, collect, &names, H5O_INFO_BASIC);
  std::vector<ColumnInfo> infos;
  for (const std::string& name : names) {
    const Handle dataset(H5Dopen2(implementation_->file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset >= 0) infos.push_back(Describe(dataset, name));
  }
  return infos;
}

std::vector<double> ColumnFile::Values(const std::string& name) const {
  const Handle dataset(H5Dopen2(implementation_->file, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (dataset < 0) {
    throw InputError(implementation_->path.string() + ": results: there is no '" + name +
                     "'. See 'intervox info'.");
  }
  const ColumnInfo info = Describe(dataset, name);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  // Every number of a column is stored, whatever size the file claims for it.
  const std::size_t stored = H5Dget_storage_size(dataset) / sizeof(double);
  const auto rows = static_cast<std::size_t>(info.rows),
             width = static_cast<std::size_t>(info.width);
  const bool fits = H5Sget_simple_extent_ndims(space) <= 2 && width > 0 && rows <= stored / width;
  std::vector<double> values(fits ? rows * width : 0);
  if (!fits || (!values.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                           H5P_DEFAULT, values.data()) < 0)) {
    throw InputError(implementation_->path.string() + ": results: '" + name +
                     "' is corrupt. The other columns may still be readable.");
  }
  return values;
}

}  // namespace intervox::host
