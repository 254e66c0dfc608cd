// `intervox report`: gathers the journals of a batch's folder and has python/batch_report.py draw.
#include <filesystem>
#include <memory>

#include "host/batch/table.h"
#include "host/cli/batch_command.h"
#include "host/cli/cli.h"
#include "host/cli/drawing.h"
#include "host/cli/file_kind.h"
#include "host/input/error.h"

namespace intervox::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string folder;
  std::string out;
  std::vector<std::string> over;
  std::string outcome;
  int worst = 3;
};

int RunReport(const ReportArguments& options) {
  RequireKind(options.folder, "report", {}, "the folder that 'intervox batch' made");
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
  std::vector<std::string> words = {options.folder, "--intervox",
                                    fs::read_symlink("/proc/self/exe").string(), "--worst",
                                    std::to_string(options.worst)};
  if (!options.out.empty()) words.insert(words.end(), {"-o", options.out});
  if (!options.outcome.empty()) words.insert(words.end(), {"--outcome", options.outcome});
  for (const std::string& path : options.over) words.insert(words.end(), {"--over", path});
  return Draw("batch_report.py", words);
}

}  // namespace

void AddReport(CLI::App& app, int& status) {
  const auto options = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "Draw a page of a batch's results");
  command->add_option("folder", options->folder, "Folder that `intervox batch` made")->required();
  command->add_option("-o,--out", options->out, "Folder of the report; default FOLDER/report");
  command->add_option("--outcome", options->outcome,
                      "The outcome that curves and map show; default: the first boolean one");
  command->add_option("--over", options->over, "Twice: the parameters of the heat map")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--worst", options->worst, "Runs drawn as the worst; default 3")
      ->check(CLI::Range(0, 20));
  command->callback([options, &status] { status = RunReport(*options); });
}

}  // namespace intervox::cli
