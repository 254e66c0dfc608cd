// `intervox study`: accuracy and time of the grids' rules against the voxel size.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/input/error.h"
#include "host/scene/names.h"
#include "host/study/voxel_study.h"

namespace intervox::cli {
namespace {

struct Options {
  std::string file;
  std::string out = "study";
  std::vector<double> voxel_sizes;
  std::vector<std::string> rules{"center", "fraction", "clip", "voxel"};
  double tolerance = 1e-5;
  double half_width = 3;
};

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    throw host::InputError(path.string() +
                           ": cannot be written. Check that the folder is writable.");
  }
}

std::string Csv(const std::vector<host::StudyRow>& rows) {
  std::string text =
      "pair,rule,voxel_size,volume,exact_volume,volume_error,centroid_error,inertia_error,"
      "area_error,seconds,voxels\n";
  for (const host::StudyRow& r : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", r.pair, host::WordOf(r.rule),
                        r.voxel_size, r.volume, r.exact_volume, r.volume_error, r.centroid_error,
                        r.inertia_error, r.area_error, r.seconds, r.work);
  }
  return text;
}

void Print(const std::vector<host::StudyRow>& rows, const std::vector<host::StudyOrder>& orders) {
  std::cout << fmt::format("{:<20} {:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8} {:>11}\n", "pair",
                           "rule", "voxel [m]", "V error", "centroid", "J error", "S error",
                           "voxels", "queries/s");
  for (const host::StudyRow& r : rows) {
    std::cout << fmt::format(
        "{:<20} {:<9} {:>10.4g} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>8} {:>11.4g}\n", r.pair,
        host::WordOf(r.rule), r.voxel_size, r.volume_error, r.centroid_error, r.inertia_error,
        r.area_error, r.work, 1 / r.seconds);
  }
  std::cout << fmt::format("\norders in the voxel size\n{:<20} {:<9} {:>10} {:>10} {:>10} {:>10}\n",
                           "pair", "rule", "V", "centroid", "J", "S");
  for (const host::StudyOrder& o : orders) {
    std::cout << fmt::format("{:<20} {:<9} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}\n", o.pair,
                             host::WordOf(o.rule), o.volume, o.centroid, o.inertia, o.area);
  }
}

int Run(const Options& options) {
  RequireKind(options.file, "study", {FileKind::kPairs});
  const PairsFile file = LoadPairs(options.file);
  host::StudySettings settings;
  settings.voxel_sizes = options.voxel_sizes;
  settings.tolerance = options.tolerance;
  settings.half_width = options.half_width;
  for (const std::string& rule : options.rules) {
    settings.rules.push_back(*host::ValueOf<LeafRule>(rule));
  }
  const std::vector<host::StudyRow> rows = host::StudyVoxels(file, settings);
  if (rows.empty()) {
    throw host::InputError(options.file + ": pairs: no pair overlaps. Give posed pairs that do.");
  }
  Print(rows, host::OrdersOf(rows));
  std::error_code error;
  const std::filesystem::path out = options.out;
  std::filesystem::create_directories(out, error);
  Write(out / "study.csv", Csv(rows));
  Write(out / "study.svg", host::StudyPicture(rows));
  std::cout << "\n-> " << (out / "study.csv").string() << ", " << (out / "study.svg").string()
            << '\n';
  return kDone;
}

}  // namespace

void AddStudy(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "study", "Compare the grids' rules with the exact metrics at several voxel sizes");
  command->add_option("file", options->file, "Pairs file, intervox/pairs/1")->required();
  command->add_option("-o,--out", options->out, "Folder for study.csv and study.svg");
  command->add_option("--voxel-sizes", options->voxel_sizes, "Voxel sizes [m], separated by commas")
      ->required()
      ->delimiter(',')
      ->check(CLI::Range(1e-12, 1e6));
  command
      ->add_option("--leaf-rules", options->rules,
                   "Some of center, fraction, clip, voxel; default all")
      ->delimiter(',')
      ->check(CLI::IsMember({"center", "fraction", "clip", "voxel"}));
  command
      ->add_option("--tolerance", options->tolerance,
                   "Of the exact metrics and of the rule voxel [1e-9, 0.1]; default 1e-5")
      ->check(CLI::Range(1e-9, 0.1));
  command->add_option("--half-width", options->half_width, "Of the bands, in voxels; default 3")
      ->check(CLI::Range(2.0, 100.0));
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace intervox::cli
