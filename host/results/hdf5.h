/** @file What every use of the HDF5 library here shares: handles, checks, properties, texts. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace intervox::host {

/** Links that a group keeps in its header: as many as HDF5 allows. */
inline constexpr unsigned kMostLinks = 65535;
/** Longest link, object or attribute name that is read. */
inline constexpr std::size_t kMaxName = 1024;

/** HDF5's hid_t, without its header. */
using Hdf5Id = std::int64_t;

/** Owns an HDF5 identifier. */
class Handle {
 public:
  /** @param id  below 0: none. */
  Handle(Hdf5Id id, int (*close)(Hdf5Id)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  /** Gives the identifier away; it is not closed here any more. */
  Hdf5Id Release() { return std::exchange(id_, -1); }
  /** The identifier. */
  operator Hdf5Id() const { return id_; }  // NOLINT(google-explicit-constructor): a C handle

 private:
  Hdf5Id id_;
  int (*close_)(Hdf5Id);
};

/** @throws std::runtime_error naming what failed unless it went well. */
void Check(bool good, const std::string& what);

/** HDF5 prints its own stack of errors unless told not to, and when the program ends it closes once
 more, and crashes on, a file whose last bytes did not fit on the disk. */
void Silence();

/** Properties of new links: groups in between are made. */
Handle LinkProperties();

/** How files are opened to be written: in the format of HDF5 1.10, whose tables all carry
 checksums. Chunks of the format of 1.8 are found by tables without. */
Handle AccessProperties();

/** Groups keep their links in their headers, which have checksums; so do groups made in them. From
 other places HDF5 1.10 reads what it has not written when a file is corrupt. */
Handle CreateProperties();

/** The same of a group that is made by itself: it does not take them over from where it is made. */
Handle GroupProperties();

/** Sets a text attribute of an object, replacing an old one. */
void WriteText(Hdf5Id object, const std::string& name, const std::string& text);

/** A text or number attribute of an object; empty when it is not there.
 @throws std::out_of_range when it cannot be read. */
std::string ReadText(Hdf5Id object, const std::string& name);

}  // namespace intervox::host
