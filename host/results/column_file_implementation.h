/** @file The inside of ColumnFile, which its writing and its reading share. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/results/column_file.h"
#include "host/results/hdf5.h"
#include "host/results/replace_file.h"

namespace intervox::host {

/** A column and its rows that are not written yet. */
struct OpenColumn {
  ColumnInfo info;
  std::uint64_t address = 0;  ///< of the dataset, which is open only while it is written
  std::uintmax_t chunk = 0;   ///< [bytes]
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
  bool cut = false;  ///< the dataset has more rows than info.rows
};

/** What a dataset says of itself. @throws std::out_of_range when it cannot be read. */
ColumnInfo Describe(Hdf5Id dataset, const std::string& name);

/** Throws InputError that something in a results file is damaged. */
[[noreturn]] void FailDamaged(const std::filesystem::path& file, const std::string& what);

/** What a ColumnFile holds. */
struct ColumnFile::Implementation {
  /** Nothing is opened. */
  explicit Implementation(const std::filesystem::path& at);

  /** Opens the copy that is changed, made of the file first unless it is there. */
  void OpenPart();
  /** Closes the HDF5 file. @throws std::runtime_error when its last bytes cannot be written. */
  void Close();
  /** The HDF5 file, opened where it is not. */
  Hdf5Id File();
  /** The same for a change. */
  Hdf5Id Changed();
  /** @throws std::runtime_error when what is in memory would not fit on the disk. */
  void RequireRoom() const;
  /** Writes a column's rows that are in memory. */
  void WriteRows(OpenColumn* column);

  std::filesystem::path name;        ///< as it was given
  std::filesystem::path path;        ///< what it stands for, links followed
  std::filesystem::path part;        ///< the copy that is changed
  std::unique_ptr<WriterLock> lock;  ///< none: read only
  Handle file;
  bool changed = false;  ///< since the last flush
  /// What a write has failed of, and until a flush is done that it is not; nothing is written then.
  std::shared_ptr<std::string> failure = std::make_shared<std::string>();
  std::vector<OpenColumn> columns;
  std::unordered_map<std::string, int> number;  ///< of each column by name
  std::string parent;                           ///< group of the last column, "": none
  Handle group;                                 ///< likewise, opened
  std::int64_t expected_rows = std::numeric_limits<std::int64_t>::max();
};

}  // namespace intervox::host
