// `intervox validate`: whether a scene could be run, or whether results of the literature come out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "host/cli/cli.h"
#include "host/cli/edits.h"
#include "host/cli/file_kind.h"
#include "host/cli/validation_table.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/world/world.h"

namespace intervox::cli {
namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::vector<std::string> only;
  std::string scenes;
  std::string report;
  bool list = false;
  bool json = false;
  bool quiet = false;
};

int ValidateFile(const ValidateArguments& options) {
  RequireKind(options.file, "validate", {FileKind::kScene});
  const auto world = host::MakeWorld(LoadScene(options.file, options.overrides));
  Warn(world->warnings);
  std::size_t cells = 0;
  for (const auto& of_body : world->cells) cells += of_body.size();
  std::cout << fmt::format("{}: valid: {} bodies, {} free; {} cells; {} kinds of contact\n",
                           options.file, world->start.size(), world->free_bodies.size(), cells,
                           world->rules.All().size());
  return kDone;
}

/** Where the rows' scenes are: the folder given, installed beside the program, or in the sources.
 */
fs::path Scenes(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (fs::is_directory(given, error)) return given;
    throw host::InputError(given +
                           ": --scenes: no such folder. Name one like "
                           "data/scenes/validation.");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path installed = program.parent_path().parent_path() / "share/intervox/scenes/validation";
  if (fs::is_directory(installed, error)) return installed;
  fs::path source = INTERVOX_VALIDATION_DIR;
  if (fs::is_directory(source, error)) return source;
  throw host::InputError(installed.string() +
                         ": missing. Install Intervox whole, or give --scenes.");
}

/** The rows of these names, all without any. @throws host::InputError for a name of none. */
std::vector<host::Row> Chosen(const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const host::Row& row : host::Rows()) names.push_back(row.name);
  for (const std::string& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw host::InputError(
          fmt::format("command line: --only: '{}': there is no such row. Known: {}.", name,
                      fmt::join(names, ", ")));
    }
  }
  std::vector<host::Row> rows;
  for (const host::Row& row : host::Rows()) {
    if (only.empty() || std::find(only.begin(), only.end(), row.name) != only.end()) {
      rows.push_back(row);
    }
  }
  return rows;
}

/** Makes the folder of the report, before the rows take their time. */
void MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw host::InputError(folder + ": --report: " + error.message() +
                           ". Name a folder that can be written to.");
  }
}

int ValidateRows(const ValidateArguments& options) {
  const std::vector<host::Row> rows = Chosen(options.only);
  if (options.list) {
    for (const host::Row& row : rows) {
      std::cout << fmt::format("{:<23} {:<28} {}\n", row.name, row.scene, row.source);
    }
    return kDone;
  }
  if (!options.report.empty()) MakeFolder(options.report);
  return RunRows(rows, {Scenes(options.scenes), options.overrides, options.json, options.quiet,
                        options.report})
             ? kDone
             : kFailed;
}

}  // namespace

void AddValidate(CLI::App& app, int& status) {
  const auto options = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand(
      "validate",
      "Say whether a scene could be run; without one, reproduce results of the literature");
  CLI::Option* file = command->add_option(
      "file", options->file,
      "Scene file, intervox/scene/2 or 1; -: standard input. Without it the rows are run");
  AddEdits(command, &options->overrides, "Edit of the scene, or of every row's, path=value");
  command->add_option("--only", options->only, "Names of rows; default all")
      ->delimiter(',')
      ->excludes(file);
  command
      ->add_option("--scenes", options->scenes,
                   "Folder of the rows' scenes; default the shipped one")
      ->excludes(file);
  command->add_flag("--list", options->list, "List the rows with scene and source; run none")
      ->excludes(file);
  command->add_flag("--json", options->json, "Print the rows as JSON")->excludes(file);
  command
      ->add_option("--report", options->report,
                   "Folder of a page with figures: validation.json, index.html")
      ->excludes(file);
  command->add_flag("-q,--quiet", options->quiet, "No progress bar")->excludes(file);
  command->callback([options, &status] {
    status = options->file.empty() ? ValidateRows(*options) : ValidateFile(*options);
  });
}

}  // namespace intervox::cli
