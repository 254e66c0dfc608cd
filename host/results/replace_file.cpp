#include "host/results/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "host/input/error.h"
#include "host/input/writable.h"

namespace intervox::host {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& path, const char* what) {
  throw std::runtime_error(path.string() + ": cannot " + what + ": " + std::strerror(errno) + ".");
}

}  // namespace

void ReplaceFile(const std::filesystem::path& made, const std::filesystem::path& path) {
  const int file = ::open(made.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(made, "open");
  const bool synced = ::fsync(file) == 0;
  if (::close(file) != 0 || !synced) FailToWrite(path);
  if (::rename(made.c_str(), path.c_str()) != 0) Fail(path, "rename");
  SyncFolder(path.parent_path());
}

void ReplaceBy(const std::filesystem::path& path,
               const std::function<void(const std::filesystem::path& made)>& write) {
  std::filesystem::path made = path;
  made += ".new";
  try {
    write(made);
    ReplaceFile(made, path);
  } catch (const std::exception&) {
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    throw;
  }
}

void ReplaceBytes(const std::filesystem::path& path, std::span<const char> bytes) {
  ReplaceBy(path, [&](const std::filesystem::path& made) {
    std::ofstream stream(made, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) FailToWrite(path);
  });
}

void SyncFolder(const std::filesystem::path& folder) {
  const int handle =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;  // a folder that may be written but not read cannot be synced
  ::fsync(handle);
  ::close(handle);
}

WriterLock::WriterLock(const std::filesystem::path& path)
    : path_(path.string() + ".lock"),
      file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (file_ < 0) {
    const std::string why = std::strerror(errno);
    throw InputError(path.string() + ": results: no file can be made beside them (" + why +
                     "). Check the folder's permissions and the length of the name, or name "
                     "another with -o.");
  }
  // Some network disks know no locks: there nobody is refused.
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw InputError(path.string() +
                   ": results: another program is writing them. Wait for it, or name another file "
                   "with -o.");
}

WriterLock::~WriterLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace intervox::host
