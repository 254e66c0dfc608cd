/** @file Files that take another's place in one step: a reader, and a kill, find the old one or the
 new one. */
#pragma once

#include <filesystem>
#include <functional>
#include <span>

namespace intervox::host {

/** Syncs `made` to the disk, renames it to `path` and syncs their folder.
 @throws std::runtime_error naming the path and the system's reason; `path` is then as it was. */
void ReplaceFile(const std::filesystem::path& made, const std::filesystem::path& path);

/** Has a file PATH.new made and replaces `path` by it; a file that could not be made is removed.
 @throws what `write` throws, and as ReplaceFile. */
void ReplaceBy(const std::filesystem::path& path,
               const std::function<void(const std::filesystem::path& made)>& write);

/** The same of a file of these bytes. */
void ReplaceBytes(const std::filesystem::path& path, std::span<const char> bytes);

/** Syncs a folder, so that names which were made or removed in it survive a power cut. */
void SyncFolder(const std::filesystem::path& folder);

/** Keeps other programs of this kind from writing the same file, by a lock on PATH.lock, which is
 removed at the end; one that a kill left behind locks nothing. */
class WriterLock {
 public:
  /** @throws InputError when another program writes the file. */
  explicit WriterLock(const std::filesystem::path& path);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_;
};

}  // namespace intervox::host
