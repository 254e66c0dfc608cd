/** @file FNV-1a, 64 bits: the checksum of checkpoints and scenes. */
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "geometry/linear.h"

namespace intervox::host {

/** Running FNV-1a checksum over bytes. */
class Checksum {
 public:
  /** Adds bytes. */
  void AddBytes(std::span<const unsigned char> bytes) {
    for (const unsigned char byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3ULL;
  }
  /** Adds a text and its length. */
  void AddText(std::string_view text) {
    Add(static_cast<std::int64_t>(text.size()));
    AddBytes({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  }
  /** Adds a number's bytes. */
  void Add(double x) { AddObject(x); }
  /** Adds a number's bytes. */
  void Add(std::int64_t x) { AddObject(x); }
  /** Adds three numbers. */
  void Add(const Vec3& v) {
    Add(v.x);
    Add(v.y);
    Add(v.z);
  }
  /** The checksum so far. */
  std::uint64_t value() const { return value_; }

 private:
  template <class T>
  void AddObject(const T& x) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &x, sizeof(T));
    AddBytes(bytes);
  }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace intervox::host
