/** @file Columnar results in an HDF5 file: named columns that grow by rows and survive a kill. */
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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

 The file at PATH is never written to: a flush changes a copy, PATH.part, and renames it into place,
 so that what stands at PATH is whole at any instant, for readers too. Rows are kept in memory until
 then. Tables and numbers carry checksums, and what does not agree with them is an error. One writer
 at a time; not thread-safe. */
class ColumnFile {
 public:
  /** Makes a new file, which replaces an old one at its first flush. @throws InputError when the
   folder is missing or not writable, or another program writes the file. */
  static ColumnFile Create(const std::filesystem::path& path);
  /** Opens a file to go on writing. @throws InputError when it is missing, damaged or written by
   another program. */
  static ColumnFile Append(const std::filesystem::path& path);
  /** Opens a file to read. @throws InputError when it is missing or no HDF5 file. */
  static ColumnFile Read(const std::filesystem::path& path);
  /** Flushes what has changed. */
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
  /** Rows of a column so far, those in memory included. */
  std::int64_t Rows(int column) const;
  /** Cuts a column to its first rows on disk; drops those in memory. */
  void Truncate(int column, std::int64_t rows);

  /** Writes what is in memory to the copy beside the file, which stays as it was.
   @throws std::runtime_error when the disk is full. */
  void Spill();
  /** Writes what is in memory and puts it in the file's place, synced to the disk.
   @throws std::runtime_error when the disk is full; the file is then as it was. */
  void Flush() { PrepareFlush()(); }
  /** The same with the sync put off: what is returned does it, on any thread. It must be done
   before anything else is asked of this file than Put. */
  [[nodiscard]] std::function<void()> PrepareFlush();

  /** Sets a text attribute of the root, replacing an old one. */
  void SetAttribute(const std::string& name, const std::string& text);
  /** Sets a number attribute of the root, replacing an old one. */
  void SetAttribute(const std::string& name, double value);
  /** A text or number attribute of the root; empty when it is not there.
   @throws InputError when it is damaged. */
  std::string Attribute(const std::string& name) const;
  /** Names of the root's attributes. @throws InputError when they are damaged. */
  std::vector<std::string> AttributeNames() const;

  /** All columns of the file, by name. @throws InputError when one is damaged. */
  std::vector<ColumnInfo> Columns() const;
  /** The rows of a column, one after the other; integers are converted.
   @throws InputError when it is not there or damaged. */
  std::vector<double> Values(const std::string& name) const;
  /** Reads all attributes and columns. @throws InputError when one is damaged. */
  void Verify() const;

 private:
  struct Implementation;
  explicit ColumnFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace intervox::host
