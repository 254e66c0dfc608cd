#include "host/batch/table.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "host/batch/hdf5_lock.h"
#include "host/batch/wilson.h"
#include "host/input/error.h"
#include "host/results/replace_file.h"

namespace intervox::host {
namespace {

constexpr const char* kSchema = "intervox/batch-results/1";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/** Statuses of a run in the table. */
enum Status { kPending = 0, kOk = 1, kFailed = 2 };

/** An HDF5 handle that is closed. */
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5 refuses");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): as the C API wants

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void Check(herr_t status) {
  if (status < 0) throw std::runtime_error("HDF5 cannot write");
}

Handle TextType() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  Check(H5Tset_size(type, H5T_VARIABLE));
  Check(H5Tset_cset(type, H5T_CSET_UTF8));
  return Handle(H5Tcopy(type), H5Tclose);
}

/** Sets a text attribute: of fixed length as in other results, unless it is longer than an
 attribute of the file's version may be. */
void SetText(hid_t object, const char* name, const std::string& text) {
  constexpr std::size_t kLongest = 32000;
  const bool fixed = text.size() < kLongest;
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  Check(H5Tset_size(type, fixed ? text.size() + 1 : H5T_VARIABLE));
  Check(H5Tset_cset(type, H5T_CSET_UTF8));
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* data = text.c_str();
  Check(H5Awrite(attribute, type, fixed ? static_cast<const void*>(data) : &data));
}

void SetNumber(hid_t object, const char* name, std::int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(object, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  Check(H5Awrite(attribute, H5T_NATIVE_INT64, &value));
}

/** A new dataset of one column. Groups on its way are made. */
Handle WriteColumn(hid_t file, const std::string& name, hid_t type, std::size_t rows,
                   const void* data, const char* units) {
  const hsize_t size = rows;
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  Check(H5Pset_create_intermediate_group(groups, 1));
  const hid_t dataset =
      H5Dcreate2(file, name.c_str(), type, space, groups, H5P_DEFAULT, H5P_DEFAULT);
  Handle column(dataset, H5Dclose);
  if (rows > 0) Check(H5Dwrite(column, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  SetText(column, "units", units);
  return Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
}

void WriteNumbers(hid_t file, const std::string& name, const std::vector<double>& values,
                  const char* units) {
  WriteColumn(file, name, H5T_NATIVE_DOUBLE, values.size(), values.data(), units);
}

void WriteIntegers(hid_t file, const std::string& name, const std::vector<std::int64_t>& values) {
  WriteColumn(file, name, H5T_NATIVE_INT64, values.size(), values.data(), "1");
}

void WriteTexts(hid_t file, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> data;
  data.reserve(texts.size());
  for (const std::string& text : texts) data.push_back(text.c_str());
  WriteColumn(file, name, TextType(), data.size(), data.data(), "");
}

double ToNumber(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

void WriteRuns(hid_t file, const FinishedRuns& finished, std::size_t rows) {
  const BatchHeader& header = finished.header;
  std::vector<std::int64_t> id(rows), status(rows, kPending);
  std::vector<std::string> reason(rows), replay(rows), controller(rows);
  std::vector<double> seconds(rows, kNone);
  std::vector<std::vector<double>> outcomes(header.outcomes.size(),
                                            std::vector<double>(rows, kNone));
  std::vector<std::vector<double>> numbers(header.parameters.size(),
                                           std::vector<double>(rows, kNone));
  std::vector<std::vector<std::string>> words(header.parameters.size(),
                                              std::vector<std::string>(rows));
  for (std::size_t k = 0; k < rows; ++k) id[k] = static_cast<std::int64_t>(k);
  for (const RunResult& run : finished.runs) {
    const auto k = static_cast<std::size_t>(run.id);
    if (k >= rows) continue;
    status[k] = run.ok ? kOk : kFailed;
    reason[k] = run.reason;
    replay[k] = run.replay;
    controller[k] = run.controller;
    seconds[k] = run.seconds;
    for (std::size_t p = 0; p < std::min(words.size(), run.values.size()); ++p) {
      words[p][k] = run.values[p];
      if (header.numeric[p]) numbers[p][k] = ToNumber(run.values[p]);
    }
    for (std::size_t o = 0; o < std::min(outcomes.size(), run.outcomes.size()); ++o) {
      outcomes[o][k] = run.outcomes[o];
    }
  }
  WriteIntegers(file, "runs/id", id);
  WriteIntegers(file, "runs/status", status);
  WriteTexts(file, "runs/reason", reason);
  WriteTexts(file, "runs/replay", replay);
  if (!header.controller.empty()) WriteTexts(file, "runs/controller", controller);
  WriteNumbers(file, "runs/seconds", seconds, "s");
  for (std::size_t p = 0; p < words.size(); ++p) {
    const std::string name = "runs/params/" + header.parameters[p];
    if (header.numeric[p]) {
      WriteNumbers(file, name, numbers[p], "SI");
    } else {
      WriteTexts(file, name, words[p]);
    }
  }
  for (std::size_t o = 0; o < outcomes.size(); ++o) {
    const std::string name = "runs/outcome/" + header.outcomes[o];
    WriteNumbers(file, name, outcomes[o], header.boolean[o] ? "1" : "SI");
    const Handle column(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    SetNumber(column, "boolean", header.boolean[o] ? 1 : 0);
    SetText(column, "expression", header.expressions[o]);
  }
}

void WriteAttributes(hid_t file, const FinishedRuns& finished) {
  const BatchHeader& h = finished.header;
  SetText(file, "schema", kSchema);
  SetText(file, "name", h.name);
  SetText(file, "batch", h.fingerprint);
  SetText(file, "batch_file", h.batch_file);
  SetText(file, "batch_source", h.batch_source);
  SetText(file, "scene", h.scene);
  std::string overrides;
  for (const std::string& edit : h.overrides) overrides += edit + "\n";
  SetText(file, "overrides", overrides);
  SetText(file, "program_version", h.provenance.version);
  SetText(file, "commit", h.provenance.commit);
  SetText(file, "device", h.provenance.device);
  if (!h.controller.empty()) SetText(file, "controller", h.controller);
  SetNumber(file, "seed", static_cast<std::int64_t>(h.seed));
  SetNumber(file, "number", h.number);
}

/** Trajectories are files of their own, of runs that are killed as well as of finished ones. */
void LinkTrajectories(hid_t file, const std::filesystem::path& folder, const FinishedRuns& finished,
                      std::size_t rows) {
  const Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  Check(H5Pset_create_intermediate_group(groups, 1));
  for (const RunResult& run : finished.runs) {
    std::error_code error;
    const std::filesystem::path path = TrajectoryPath(folder, run.id);
    if (static_cast<std::size_t>(run.id) >= rows || !std::filesystem::exists(path, error)) continue;
    const std::string target = (path.parent_path().filename() / path.filename()).string();
    const std::string name = "trajectories/" + std::to_string(run.id);
    Check(H5Lcreate_external(target.c_str(), "/", file, name.c_str(), groups, H5P_DEFAULT));
  }
}

/** HDF5 says what goes wrong on standard error, unless told not to: an exception says it here. */
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &report_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, report_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t report_ = nullptr;
  void* data_ = nullptr;
};

/** The table as the bytes of an HDF5 file. It is made in memory: the library does not outlive a
 disk that is full. */
std::vector<unsigned char> TableBytes(const std::filesystem::path& folder,
                                      const FinishedRuns& finished) {
  constexpr std::size_t kGrowth = 1 << 20;
  const auto rows = static_cast<std::size_t>(DecidedAt(finished).value_or(finished.header.number));
  const std::lock_guard lock(Hdf5Lock());
  const Quiet quiet;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  Check(H5Pset_fapl_core(access, kGrowth, false));
  const Handle file(H5Fcreate("batch.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  WriteAttributes(file, finished);
  WriteRuns(file, finished, rows);
  LinkTrajectories(file, folder, finished, rows);
  Check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) throw std::runtime_error("HDF5 gives no image");
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file, bytes.data(), bytes.size()) < 0) {
    throw std::runtime_error("HDF5 gives no image");
  }
  return bytes;
}

/** A lock file, held while this lives. */
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : file_(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) {
      throw InputError(folder.string() + ": the folder cannot be written (" + std::strerror(errno) +
                       "). Check its permissions.");
    }
  }
  ~FolderLock() { close(file_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace

std::optional<std::int64_t> DecidedAt(const FinishedRuns& finished) {
  if (!finished.header.until) return std::nullopt;
  const UntilRule& until = *finished.header.until;
  std::int64_t hits = 0, count = 0, next = 0;
  for (const RunResult& run : finished.runs) {
    if (run.id != next) return std::nullopt;  // a gap: nothing after it counts yet
    ++next;
    if (run.ok) {
      ++count;
      hits += run.outcomes[until.outcome] != 0 ? 1 : 0;
    }
    if (next % until.block != 0) continue;
    const Rate rate = WilsonRate(hits, count);
    if (rate.hi - rate.lo < until.interval) return next;
  }
  return std::nullopt;
}

void WriteTable(const std::filesystem::path& folder, const FinishedRuns& finished) {
  const std::filesystem::path path = folder / "batch.h5";
  try {
    const std::vector<unsigned char> bytes = TableBytes(folder, finished);
    ReplaceBytes(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path.string() + ": cannot be written (" + error.what() +
                             "). The runs are safe in the journals beside it; make room, then "
                             "repeat the command with --resume.");
  }
}

std::optional<FinishedRuns> GatherTable(const std::filesystem::path& folder) {
  const FolderLock lock(folder);
  auto finished = ReadJournals(folder);
  if (finished) WriteTable(folder, *finished);
  return finished;
}

std::filesystem::path TrajectoryPath(const std::filesystem::path& folder, std::int64_t id) {
  return folder / "trajectories" / (std::to_string(id) + ".h5");
}

}  // namespace intervox::host
