// `intervox report`: gathers the journals of a batch's folder and has python/batch_report.py draw.
#include <spawn.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "host/batch/table.h"
#include "host/cli/batch_command.h"
#include "host/cli/cli.h"
#include "host/input/error.h"

extern char** environ;

namespace intervox::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder;
  std::string out;
  std::vector<std::string> over;
  std::string outcome;
  int worst = 3;
};

/** Where the drawing script is: in the source tree, or installed beside the executable. */
fs::path Script(const fs::path& program) {
  std::error_code error;
  fs::path installed =
      program.parent_path().parent_path() / "share/intervox/python/batch_report.py";
  if (fs::exists(installed, error)) return installed;
  fs::path source = fs::path(INTERVOX_PYTHON_DIR) / "batch_report.py";
  if (fs::exists(source, error)) return source;
  throw std::runtime_error("report: " + installed.string() +
                           " is missing. Install Intervox whole, with its Python programs.");
}

/** Calls a program and waits. @return its exit status. */
int Call(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    throw std::runtime_error(words[0] + ": cannot be started (" + std::strerror(error) +
                             "). scripts/install_dependencies.sh installs it.");
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

int Run(const Options& options) {
  std::error_code error;
  if (!fs::is_directory(options.folder, error)) {
    throw host::InputError(options.folder +
                           ": no such folder. Name the one that `intervox batch` made.");
  }
  if (!host::ReadJournals(options.folder)) {
    throw host::InputError(options.folder +
                           ": holds no runs of a batch. Name the folder that `intervox batch` "
                           "made.");
  }
  host::GatherTable(options.folder);
  const fs::path program = fs::read_symlink("/proc/self/exe");
  std::cout.flush();
  std::vector<std::string> words = {"/usr/bin/python3",
                                    Script(program).string(),
                                    options.folder,
                                    "--intervox",
                                    program.string(),
                                    "--worst",
                                    std::to_string(options.worst)};
  if (!options.out.empty()) words.insert(words.end(), {"-o", options.out});
  if (!options.outcome.empty()) words.insert(words.end(), {"--outcome", options.outcome});
  for (const std::string& path : options.over) words.insert(words.end(), {"--over", path});
  return Call(words);
}

}  // namespace

void AddReport(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Draw a page of a batch's results");
  command->add_option("folder", options->folder, "Folder that `intervox batch` made")->required();
  command->add_option("-o,--out", options->out, "Folder of the report; default FOLDER/report");
  command->add_option("--outcome", options->outcome,
                      "The outcome that curves and map show; default: the first boolean one");
  command->add_option("--over", options->over, "Twice: the parameters of the heat map")
      ->expected(1)
      ->take_all();
  command->add_option("--worst", options->worst, "Runs drawn as the worst; default 3")
      ->check(CLI::Range(0, 20));
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace intervox::cli
