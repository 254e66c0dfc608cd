/** @file Numbers and words that a child process hands back: one program, one machine. */
#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace intervox::geometry {

/** Writes numbers and words one after the other. */
class ChildWriter {
 public:
  /** Writes the bytes of a value. */
  template <class T>
  void Put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /** Writes a word's length and its bytes. */
  void PutText(std::string_view text) {
    Put(text.size());
    bytes_ += text;
  }
  /** Hands over what was written. */
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/** Reads what a ChildWriter wrote. The child's memory may have been overwritten: nothing is
 believed.
 @throws std::runtime_error where bytes are missing. */
class ChildReader {
 public:
  explicit ChildReader(std::string_view bytes) : bytes_(bytes) {}

  /** Reads the bytes of a value. */
  template <class T>
  T Get() {
    T value;
    const std::string_view from = Bytes(sizeof value);
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  /** A number of things that take at least so many bytes each. */
  std::size_t Count(std::size_t bytes_each) {
    const auto count = Get<std::size_t>();
    if (count > bytes_.size() / bytes_each) throw std::runtime_error("its answer is cut off");
    return count;
  }
  /** Reads so many bytes. */
  std::string_view Bytes(std::size_t size) {
    if (size > bytes_.size()) throw std::runtime_error("its answer is cut off");
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  /** Reads what PutText wrote. */
  std::string Text() { return std::string(Bytes(Count(1))); }

 private:
  std::string_view bytes_;
};

}  // namespace intervox::geometry
