#include "host/cli/npz.h"

#include <zlib.h>

#include <stdexcept>

#include "host/input/writable.h"

namespace intervox::cli {
namespace {

// Field values of the ZIP format, APPNOTE.TXT 6.3: version 4.5 knows ZIP64, whose sizes stand in an
// extra field while the 32-bit ones hold all ones; 1 January 1980 is the earliest date.
constexpr std::uint64_t kZip64 = 45;
constexpr std::uint64_t kStored = 0;
constexpr std::uint64_t kDate = (1 << 5) | 1;
constexpr std::uint64_t kInExtra = 0xffffffff;

/** The lowest bytes of a number, little-endian. */
std::string Field(int bytes, std::uint64_t value) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string LocalHeader(const std::string& name, std::uint64_t bytes, std::uint32_t crc) {
  return Field(4, 0x04034b50) + Field(2, kZip64) + Field(2, 0) + Field(2, kStored) + Field(2, 0) +
         Field(2, kDate) + Field(4, crc) + Field(4, kInExtra) + Field(4, kInExtra) +
         Field(2, name.size()) + Field(2, 20) + name +  //
         Field(2, 1) + Field(2, 16) + Field(8, bytes) + Field(8, bytes);
}

std::string TableEntry(const std::string& name, std::uint64_t bytes, std::uint32_t crc,
                       std::uint64_t offset) {
  return Field(4, 0x02014b50) + Field(2, kZip64) + Field(2, kZip64) + Field(2, 0) +
         Field(2, kStored) + Field(2, 0) + Field(2, kDate) + Field(4, crc) + Field(4, kInExtra) +
         Field(4, kInExtra) + Field(2, name.size()) + Field(2, 28) + Field(2, 0) + Field(2, 0) +
         Field(2, 0) + Field(4, 0) + Field(4, kInExtra) + name +  //
         Field(2, 1) + Field(2, 24) + Field(8, bytes) + Field(8, bytes) + Field(8, offset);
}

/** The three records at the end: ZIP64's, where to find it, and the old one. */
std::string TableEnd(std::uint64_t entries, std::uint64_t table, std::uint64_t bytes) {
  return Field(4, 0x06064b50) + Field(8, 44) + Field(2, kZip64) + Field(2, kZip64) + Field(4, 0) +
         Field(4, 0) + Field(8, entries) + Field(8, entries) + Field(8, bytes) + Field(8, table) +
         Field(4, 0x07064b50) + Field(4, 0) + Field(8, table + bytes) + Field(4, 1) +
         Field(4, 0x06054b50) + Field(2, 0) + Field(2, 0) + Field(2, entries) + Field(2, entries) +
         Field(4, kInExtra) + Field(4, kInExtra) + Field(2, 0);
}

/** The header of a .npy array, version 1; its length is a multiple of 64. */
std::string NpyHeader(const std::string& type, const std::string& shape) {
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01") + Field(1, 0) + Field(2, text.size()) + text;
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path, std::size_t rows) : path_(path), rows_(rows) {
  host::RequireWritable(path);
  stream_.open(path, std::ios::binary | std::ios::trunc);
  Check();
}

int NpzFile::Add(const std::string& name, const std::string& type, const std::string& shape,
                 std::uint64_t bytes) {
  Member member;
  member.name = name + ".npy";
  member.pending = NpyHeader(type, shape);
  member.bytes = member.pending.size() + bytes;
  if (!members_.empty()) {
    const Member& last = members_.back();
    member.offset = last.offset + LocalHeader(last.name, 0, 0).size() + last.bytes;
  }
  members_.push_back(std::move(member));
  return static_cast<int>(members_.size()) - 1;
}

void NpzFile::AddText(const std::string& name, const std::string& text) {
  const int member = Add(name, "|S" + std::to_string(text.size()), "", text.size());
  Append(member, text.data(), text.size());
}

int NpzFile::AddColumn(const std::string& name, int width, bool integer) {
  const std::string shape = std::to_string(rows_) + "," + (width > 1 ? std::to_string(width) : "");
  return Add(name, integer ? "<i8" : "<f8", shape, 8 * rows_ * static_cast<std::uint64_t>(width));
}

void NpzFile::Append(int column, const void* bytes, std::size_t count) {
  members_[static_cast<std::size_t>(column)].pending.append(static_cast<const char*>(bytes), count);
}

void NpzFile::Put(int column, std::span<const double> numbers) {
  Append(column, numbers.data(), numbers.size_bytes());
}

void NpzFile::PutInteger(int column, std::int64_t value) { Append(column, &value, sizeof value); }

void NpzFile::WriteAt(std::uint64_t offset, const std::string& bytes) {
  stream_.seekp(static_cast<std::streamoff>(offset));
  stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Check();
}

void NpzFile::Check() const {
  if (stream_) return;
  host::FailToWrite(path_);
}

void NpzFile::Flush() {
  for (Member& m : members_) {
    WriteAt(m.offset + LocalHeader(m.name, 0, 0).size() + m.written, m.pending);
    m.crc = static_cast<std::uint32_t>(
        crc32_z(m.crc, reinterpret_cast<const unsigned char*>(m.pending.data()), m.pending.size()));
    m.written += m.pending.size();
    m.pending.clear();
  }
}

void NpzFile::Close() {
  Flush();
  std::string table;
  std::uint64_t end = 0;
  for (const Member& m : members_) {
    if (m.written != m.bytes) throw std::logic_error("NpzFile: " + m.name + " is incomplete");
    const std::string header = LocalHeader(m.name, m.bytes, m.crc);
    WriteAt(m.offset, header);
    table += TableEntry(m.name, m.bytes, m.crc, m.offset);
    end = m.offset + header.size() + m.bytes;
  }
  WriteAt(end, table + TableEnd(members_.size(), end, table.size()));
  stream_.flush();
  Check();
}

}  // namespace intervox::cli
