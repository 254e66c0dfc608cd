/** @file Columnar results in an HDF5 file: named columns that grow by rows and survive a kill. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace intervox::host {

/** What a column holds. */
struct ColumnInfo {
  std::string name;  ///< path in the file, for example "bodies/box/position"
  std::string units;
  int width = 1;         ///< numbers in a row
  bool integer = false;  ///< 64-bit integers instead of doubles
  std::int64_t rows = 0;
};

/** An HDF5 file of columns, chunked, each with a `units` attribute.

 Rows are kept in memory until Flush, which writes whole columns' tails and then the file's own
 tables, so that between two flushes the file on disk is complete. Not thread-safe. */
class ColumnFile {
 public:
  /** Makes a new file, replacing an old one. @throws InputError when the folder is missing or not
   writable. */
  static ColumnFile Create(const std::filesystem::path& path);
  /** Opens a file to go on writing. @throws InputError when it is missing, corrupt or locked. */
  static ColumnFile Append(const std::filesystem::path& path);
  /** Opens a file to read. @throws InputError when it is missing or no HDF5 file. */
  static ColumnFile Read(const std::filesystem::path& path);
  ~ColumnFile();
  ColumnFile(ColumnFile&&) noexcept;
  ColumnFile& operator=(ColumnFile&&) noexcept;

  /** Makes a group, unless it is there, with room for so many members with names of about this
   length: without room each costs more than the one before. */
  void Reserve(const std::string& group, std::size_t members, std::size_t name_length);
  /** Columns made from now on are laid out for so many rows, if that is less than a chunk. */
  void ExpectRows(std::int64_t rows);
  /** The number of a column, made when it is not there.
   @throws InputError when it is there with another width or kind. */
  int Column(const std::string& name, int width, const std::string& units, bool integer = false);
  /** Adds numbers: whole rows, or parts of one in turn. */
  void Put(int column, std::span<const double> row);
  /** Adds one number. */
  void Put(int column, double value) { Put(column, std::span(&value, 1)); }
  /** Adds one integer to an integer column. */
  void PutInteger(int column, std::int64_t value);
  /** @throws std::runtime_error when what is in memory would not fit on the disk. */
  void RequireRoom() const;
  /** Writes what is in memory. @throws std::runtime_error when the disk is full. */
  void Flush();
  /** Cuts a column to its first rows on disk; drops those in memory. */
  void Truncate(int column, std::int64_t rows);

  /** Sets a text attribute of the root, replacing an old one. */
  void SetAttribute(const std::string& name, const std::string& text);
  /** Sets a number attribute of the root, replacing an old one. */
  void SetAttribute(const std::string& name, double value);
  /** A text or number attribute of the root; empty when it is not there. */
  std::string Attribute(const std::string& name) const;
  /** Names of the root's attributes. */
  std::vector<std::string> AttributeNames() const;

  /** All columns of the file, by name. */
  std::vector<ColumnInfo> Columns() const;
  /** The rows of a column, one after the other; integers are converted.
   @throws InputError when it is not there. */
  std::vector<double> Values(const std::string& name) const;

 private:
  struct Implementation;
  explicit ColumnFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox::host
