#include "host/results/column_file.h"

#include <hdf5.h>

#include <stdexcept>
#include <utility>

#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/column_file_implementation.h"
#include "host/results/hdf5.h"
#include "host/results/replace_file.h"

namespace intervox::host {
namespace {

/** The file that a path stands for, so that a rename replaces it and not a link to it. */
std::filesystem::path Target(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path target = path;
  constexpr int kMostFollowed = 40;  // as the system has it
  for (int i = 0; i < kMostFollowed && std::filesystem::is_symlink(target, error); ++i) {
    // What a link names starts at its folder, unless it is absolute.
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  target = std::filesystem::weakly_canonical(target, error);
  return error ? path : target;
}

}  // namespace

ColumnFile::Implementation::Implementation(const std::filesystem::path& at)
    : name(at),
      path(Target(at)),
      part(path.string() + ".part"),
      file(-1, H5Fclose),
      group(-1, H5Gclose) {}

void ColumnFile::Implementation::OpenPart() {
  std::error_code error;
  std::filesystem::copy_file(path, part, std::filesystem::copy_options::overwrite_existing, error);
  if (error) {
    std::filesystem::remove(part, error);
    throw std::runtime_error(name.string() +
                             ": results: they cannot be copied to be written on. Is the disk full? "
                             "What was written before stays readable.");
  }
  const Handle access = AccessProperties();
  file = Handle(H5Fopen(part.c_str(), H5F_ACC_RDWR, access), H5Fclose);
  if (file < 0) FailDamaged(name, "the file");
}

void ColumnFile::Implementation::Close() {
  group = Handle(-1, H5Gclose);
  parent.clear();
  // The library keeps the number where closing fails.
  const bool closed = H5Fclose(file.Release()) >= 0;
  Check(closed, "writing " + part.string());
}

Hdf5Id ColumnFile::Implementation::File() {
  if (file < 0) OpenPart();
  return file;
}

Hdf5Id ColumnFile::Implementation::Changed() {
  changed = true;
  return File();
}

ColumnFile::ColumnFile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ColumnFile::~ColumnFile() {
  if (!implementation_ || !implementation_->lock) return;
  try {
    if (implementation_->changed) Flush();
  } catch (const std::runtime_error&) {
    // A destructor has nobody to tell; callers that care call Flush themselves.
  }
  implementation_->file = Handle(-1, H5Fclose);
  std::error_code error;
  std::filesystem::remove(implementation_->part, error);
}
ColumnFile::ColumnFile(ColumnFile&&) noexcept = default;
ColumnFile& ColumnFile::operator=(ColumnFile&&) noexcept = default;

ColumnFile ColumnFile::Create(const std::filesystem::path& path) {
  Silence();
  RequireWritable(path);
  auto made = std::make_unique<Implementation>(path);
  made->lock = std::make_unique<WriterLock>(made->path);
  const Handle access = AccessProperties();
  const Handle creation = CreateProperties();
  made->file = Handle(H5Fcreate(made->part.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  if (made->file < 0) {
    throw InputError(path.string() + ": results: " + made->part.string() +
                     " cannot be made. Remove what is there, or name another file with -o.");
  }
  made->changed = true;
  return ColumnFile(std::move(made));
}

ColumnFile ColumnFile::Append(const std::filesystem::path& path) {
  Read(path).Verify();
  RequireWritable(path);
  auto opened = std::make_unique<Implementation>(path);
  opened->lock = std::make_unique<WriterLock>(opened->path);
  opened->OpenPart();
  return ColumnFile(std::move(opened));
}

ColumnFile ColumnFile::Read(const std::filesystem::path& path) {
  Silence();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path.string() + ": results: no such file. Check the path.");
  }
  auto opened = std::make_unique<Implementation>(path);
  opened->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (opened->file < 0) {
    throw InputError(path.string() +
                     ": results: not an HDF5 file, or damaged. Name a file that "
                     "'intervox run' wrote.");
  }
  return ColumnFile(std::move(opened));
}

}  // namespace intervox::host
