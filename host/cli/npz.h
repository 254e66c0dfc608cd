/** @file Columns in NumPy's .npz format: a ZIP archive of uncompressed .npy arrays. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace intervox::cli {

/** A .npz file whose number of rows is known from the start, so that columns grow on disk and not
 in memory. It opens in NumPy once Close has been called; ZIP64 throughout, so its size is not
 limited. Not thread-safe. */
class NpzFile {
 public:
  /** Makes a new file, replacing an old one. @throws host::InputError when it cannot be written. */
  NpzFile(const std::filesystem::path& path, std::size_t rows);

  /** Adds an array of ASCII text without dimensions. Before the first Flush only. */
  void AddText(const std::string& name, const std::string& text);
  /** Adds an array of `rows` doubles, or 64-bit integers, with `width` in a row; of one dimension
   for width 1. Before the first Flush only. @return its number */
  int AddColumn(const std::string& name, int width, bool integer = false);
  /** Adds numbers to a column: whole rows, or parts of one in turn. */
  void Put(int column, std::span<const double> numbers);
  /** Adds one integer to an integer column. */
  void PutInteger(int column, std::int64_t value);
  /** Writes what is in memory. @throws std::runtime_error when the disk is full. */
  void Flush();
  /** Flushes and writes the archive's table. Requires that every column has all its rows.
   @throws std::runtime_error when the disk is full. */
  void Close();

 private:
  struct Member {
    std::string name;           ///< in the archive, with .npy
    std::uint64_t bytes = 0;    ///< of header and array
    std::uint64_t written = 0;  ///< of them
    std::uint64_t offset = 0;   ///< of the member in the file
    std::uint32_t crc = 0;      ///< of what is written
    std::string pending;        ///< not yet written
  };

  int Add(const std::string& name, const std::string& type, const std::string& shape,
          std::uint64_t bytes);
  void Append(int column, const void* bytes, std::size_t count);
  void WriteAt(std::uint64_t offset, const std::string& bytes);
  void Check() const;

  std::filesystem::path path_;
  std::ofstream stream_;
  std::size_t rows_;
  std::vector<Member> members_;
};

}  // namespace intervox::cli
