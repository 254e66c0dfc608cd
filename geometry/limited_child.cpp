#include "geometry/limited_child.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "geometry/free_memory.h"

namespace intervox::geometry {
namespace {

/** The first byte that a child hands back says how it ended. */
constexpr char kReturned = 'r', kException = 'e', kNoMemory = 'm';

/** Clock time that a child may take for each second of processor time: cores may be busy. */
constexpr double kPatience = 10;

/** The size of this process' address space [bytes]. */
rlim_t AddressSpace() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGE_SIZE));
}

void Limit(const ChildLimits& limits) {
  const auto seconds = static_cast<rlim_t>(std::ceil(limits.seconds));
  const rlim_t bytes = AddressSpace() + limits.bytes;
  const rlimit none{0, 0}, time{seconds, seconds}, memory{bytes, bytes};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &memory);
  std::signal(SIGALRM, SIG_DFL);
  alarm(static_cast<unsigned>(kPatience * limits.seconds));
}

/** Silences the standard streams: crashes and libraries' complaints are the parent's to report. */
void Silence() {
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
}

void WriteAll(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = write(to, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(1);
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
}

[[noreturn]] void BeChild(int to, const ChildLimits& limits,
                          const std::function<std::string()>& work) {
  Silence();
  Limit(limits);
  char how = kReturned;
  try {
    const std::string bytes = work();
    WriteAll(to, &how, 1);
    WriteAll(to, bytes.data(), bytes.size());
  } catch (const std::bad_alloc&) {
    how = kNoMemory;
    WriteAll(to, &how, 1);
  } catch (const std::exception& error) {
    how = kException;
    const std::string what = error.what();
    WriteAll(to, &how, 1);
    WriteAll(to, what.data(), what.size());
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

std::string TextOf(ChildEnd end, const ChildLimits& limits) {
  char text[96];
  switch (end) {
    case ChildEnd::kTooLong:
      std::snprintf(text, sizeof text, "it took more than %.0f s", std::ceil(limits.seconds));
      return text;
    case ChildEnd::kTooMuch:
      std::snprintf(text, sizeof text, "it took more than %.3g GB of memory",
                    1e-9 * static_cast<double>(limits.bytes));
      return text;
    default:
      return "it crashed";
  }
}

ChildLimits LimitsOfReading(std::size_t file_bytes) {
  return {.seconds = 5 + 1e-7 * static_cast<double>(file_bytes),
          .bytes = static_cast<std::size_t>(FreeMemory() / 2)};
}

ChildResult RunInChild(const ChildLimits& limits, const std::function<std::string()>& work) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a child process");
  const pid_t child = fork();
  if (child < 0) {
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    throw std::runtime_error("no child process can be made");
  }
  if (child == 0) {
    close(pipe_ends[0]);
    BeChild(pipe_ends[1], limits, work);
  }
  close(pipe_ends[1]);
  std::string answer;
  char part[1 << 16];
  bool too_much = false;
  for (;;) {
    const ssize_t size = read(pipe_ends[0], part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (answer.size() + static_cast<std::size_t>(size) > limits.most) {
      too_much = true;
      kill(child, SIGKILL);
      break;
    }
    answer.append(part, static_cast<std::size_t>(size));
  }
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (too_much) return {ChildEnd::kTooMuch, {}};
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const bool is_late = signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL;
    return {is_late ? ChildEnd::kTooLong : ChildEnd::kCrashed, {}};
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty()) {
    return {ChildEnd::kCrashed, {}};
  }
  const ChildEnd end = answer.front() == kReturned    ? ChildEnd::kDone
                       : answer.front() == kException ? ChildEnd::kThrew
                                                      : ChildEnd::kTooMuch;
  answer.erase(0, 1);
  return {end, std::move(answer)};
}

}  // namespace intervox::geometry
