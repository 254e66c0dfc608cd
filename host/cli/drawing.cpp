#include "host/cli/drawing.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "host/cli/cli.h"

extern char** environ;

namespace intervox::cli {
namespace {

namespace fs = std::filesystem;

/** Where a script is: installed beside the executable, or in the source tree. */
std::string Find(const std::string& script) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/intervox/python" / script;
  if (fs::exists(installed, error)) return installed.string();
  const fs::path source = fs::path(INTERVOX_PYTHON_DIR) / script;
  if (fs::exists(source, error)) return source.string();
  throw std::runtime_error(installed.string() +
                           " is missing. Install Intervox whole, with its Python programs.");
}

}  // namespace

int Draw(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/usr/bin/python3", Find(script)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::cout.flush();
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (error != 0) {
    throw std::runtime_error(words[0] + ": cannot be started (" + std::strerror(error) +
                             "). scripts/install_dependencies.sh installs it.");
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

}  // namespace intervox::cli
