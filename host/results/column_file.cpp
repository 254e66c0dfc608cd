#include "host/results/column_file.h"

#include <stdexcept>
#include <utility>

#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/column_file_implementation.h"
#include "host/results/hdf5.h"

namespace intervox::host {

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

}  // namespace intervox::host
