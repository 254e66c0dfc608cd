/** @file The inside of ColumnFile, which its writing and its reading share. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/results/column_file.h"
#include "host/results/hdf5.h"

namespace intervox::host {

/** A column and its rows that are not written yet. */
struct OpenColumn {
  ColumnInfo info;
  haddr_t address = HADDR_UNDEF;  ///< of the dataset, which is open only while it is written
  std::uintmax_t chunk = 0;       ///< [bytes]
  std::vector<double> numbers;
  std::vector<std::int64_t> integers;
};

/** What a dataset says of itself. */
ColumnInfo Describe(hid_t dataset, const std::string& name);

/** What a ColumnFile holds. */
struct ColumnFile::Implementation {
  explicit Implementation(Handle opened, const std::filesystem::path& at)
      : file(std::move(opened)), path(at) {}
  Handle file;
  std::filesystem::path path;
  std::vector<OpenColumn> columns;
  std::unordered_map<std::string, int> number;  ///< of each column by name
  std::string parent;                           ///< group of the last column, "": none
  Handle group{-1, H5Gclose};                   ///< likewise, opened
  std::int64_t expected_rows = std::numeric_limits<std::int64_t>::max();
};

}  // namespace intervox::host
