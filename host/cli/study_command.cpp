// `intervox study`: accuracy and time of rules against voxel size, tolerance and threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/interrupt.h"
#include "host/cli/progress.h"
#include "host/cli/validators.h"
#include "host/cli/version.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/results/column_file.h"
#include "host/scene/names.h"
#include "host/study/scene_queries.h"
#include "host/study/voxel_study.h"

namespace intervox::cli {
namespace {

struct StudyArguments {
  std::string file;
  std::string out = "study";
  std::vector<double> voxel_sizes;
  std::vector<std::string> rules{"center", "fraction", "clip", "voxel"};
  std::vector<double> tolerances{1e-5};
  double half_width = 3;
  std::vector<int> threads{1};
  std::vector<std::string> devices{"cpu"};
  int samples = 20;
  double force_error = 0;
  double stiffness = 0;
};

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) host::FailToWrite(path);
}

std::string Csv(const std::vector<host::StudyRow>& rows) {
  std::string text =
      "pair,rule,voxel_size,device,threads,queries,volume,exact_volume,volume_error,centroid_error,"
      "inertia_error,"
      "area_error,seconds,voxels,tolerance\n";
  for (const host::StudyRow& r : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.pair,
                        host::WordOf(r.rule), r.voxel_size, r.device, r.threads, r.queries,
                        r.volume, r.exact_volume, r.volume_error, r.centroid_error, r.inertia_error,
                        r.area_error, r.seconds, r.work, r.tolerance);
  }
  return text;
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "\n"));
}

/** The rows in HDF5; pairs, rules and devices by their numbers in the root's attributes of these
 names. */
void WriteHdf5(const std::filesystem::path& path, const std::vector<host::StudyRow>& rows) {
  struct Quantity {
    const char* name;
    const char* units;
    double host::StudyRow::*value;
  };
  constexpr std::array kQuantities = {
      Quantity{"voxel_size", "m", &host::StudyRow::voxel_size},
      Quantity{"tolerance", "1", &host::StudyRow::tolerance},
      Quantity{"volume", "m^3", &host::StudyRow::volume},
      Quantity{"exact_volume", "m^3", &host::StudyRow::exact_volume},
      Quantity{"volume_error", "1", &host::StudyRow::volume_error},
      Quantity{"centroid_error", "1", &host::StudyRow::centroid_error},
      Quantity{"inertia_error", "1", &host::StudyRow::inertia_error},
      Quantity{"area_error", "1", &host::StudyRow::area_error},
      Quantity{"seconds", "s", &host::StudyRow::seconds}};
  host::ColumnFile file = host::ColumnFile::Create(path);
  std::vector<std::string> pairs, rules, devices;
  const auto number = [](std::vector<std::string>* words, const std::string& word) {
    const auto at = std::find(words->begin(), words->end(), word);
    if (at == words->end()) return words->push_back(word), words->size() - 1;
    return static_cast<std::size_t>(at - words->begin());
  };
  const auto put = [&](const char* name, std::int64_t value) {
    file.PutInteger(file.Column(name, 1, "1", true), value);
  };
  for (const host::StudyRow& row : rows) {
    put("pair", static_cast<std::int64_t>(number(&pairs, row.pair)));
    put("rule", static_cast<std::int64_t>(number(&rules, host::WordOf(row.rule))));
    put("device", static_cast<std::int64_t>(number(&devices, row.device)));
    put("threads", row.threads);
    put("queries", row.queries);
    put("voxels", row.work);
    for (const Quantity& q : kQuantities) file.Put(file.Column(q.name, 1, q.units), row.*q.value);
  }
  file.SetAttribute("schema", std::string("intervox/study/1"));
  file.SetAttribute("program_version", VersionText());
  file.SetAttribute("pairs", Joined(pairs));
  file.SetAttribute("rules", Joined(rules));
  file.SetAttribute("devices", Joined(devices));
  file.Flush();
}

/** The number of threads, or the device. */
std::string EngineText(const host::StudyRow& row) {
  return row.threads > 0 ? std::to_string(row.threads) : row.device;
}

/** A voxel size or a tolerance, or a dash for none. */
std::string SizeText(double size) { return size > 0 ? fmt::format("{:.4g}", size) : "-"; }

/** Which setting is the cheapest for a force error, and what the thesis' rule h = (δf/k_v)^(1/3)
 would take. */
void PrintCheapest(const std::vector<host::StudyRow>& rows, double force_error, double stiffness) {
  const double volume = force_error / stiffness;
  std::cout << fmt::format(
      "\ncheapest for a force error of {:g} N at {:g} N/m3; (error of force/stiffness)^(1/3) is "
      "{:.4g} m\n{:<24} {:<9} {:>10} {:>10} {:>8} {:>12} {:>11}\n",
      force_error, stiffness, std::cbrt(volume), "pair", "rule", "voxel [m]", "tolerance",
      "threads", "force err [N]", "queries/s");
  const std::vector<host::StudyRow> cheapest = host::CheapestWithin(rows, volume);
  for (const host::StudyRow& r : cheapest) {
    std::cout << fmt::format("{:<24} {:<9} {:>10} {:>10} {:>8} {:>12.3g} {:>11.4g}\n", r.pair,
                             host::WordOf(r.rule), SizeText(r.voxel_size), SizeText(r.tolerance),
                             EngineText(r), stiffness * r.volume_error * r.exact_volume / r.queries,
                             1 / r.seconds);
  }
  if (cheapest.empty()) std::cout << "no setting is that good: take smaller voxels\n";
}

void Print(const std::vector<host::StudyRow>& rows, const std::vector<host::StudyOrder>& orders) {
  std::cout << fmt::format(
      "{:<24} {:<9} {:>10} {:>10} {:>7} {:>10} {:>10} {:>10} {:>10} {:>8} {:>11}\n", "pair", "rule",
      "voxel [m]", "tolerance", "threads", "V error", "centroid", "J error", "S error", "voxels",
      "queries/s");
  for (const host::StudyRow& r : rows) {
    std::cout << fmt::format(
        "{:<24} {:<9} {:>10} {:>10} {:>7} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>8} "
        "{:>11.4g}\n",
        r.pair, host::WordOf(r.rule), SizeText(r.voxel_size), SizeText(r.tolerance), EngineText(r),
        r.volume_error, r.centroid_error, r.inertia_error, r.area_error, r.work, 1 / r.seconds);
  }
  if (orders.empty()) return;
  std::cout << fmt::format(
      "\norders in the voxel size, and the error of V that Richardson's extrapolation leaves\n"
      "{:<24} {:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>13}\n",
      "pair", "rule", "tolerance", "V", "centroid", "J", "S", "extrapolated");
  const auto order = [](double x) { return std::isnan(x) ? "-" : fmt::format("{:.2f}", x); };
  for (const host::StudyOrder& o : orders) {
    std::cout << fmt::format(
        "{:<24} {:<9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>13}\n", o.pair, host::WordOf(o.rule),
        SizeText(o.tolerance), order(o.volume), order(o.centroid), order(o.inertia), order(o.area),
        std::isnan(o.extrapolated) ? "-" : fmt::format("{:.2e}", o.extrapolated));
  }
}

/** Names the pairs that have no rows, as their shapes do not overlap. */
void PrintLeftOut(const PairsFile& file, const std::vector<host::StudyRow>& rows,
                  const host::StudySettings& settings) {
  std::string list;
  for (const PosedPair& pair : file.pairs) {
    const auto has = [&](const host::StudyRow& row) { return row.pair == pair.name; };
    if (std::any_of(rows.begin(), rows.end(), has)) continue;
    list += (list.empty() ? "" : ", ") + pair.name;
  }
  if (list.empty()) return;
  const bool any_takes = std::any_of(settings.rules.begin(), settings.rules.end(), host::IsOfGrids);
  std::cout << "\nleft out, as they do not overlap" << (any_takes ? "" : " or no rule takes them")
            << ": " << list << '\n';
}

/** The processor with each number of threads, and the devices.
 @throws host::InputError where a device is none. */
std::vector<EngineOptions> EnginesOf(const StudyArguments& options) {
  std::vector<EngineOptions> engines;
  for (const std::string& device : options.devices) {
    if (ParseDevice(device, 1).device == Device::kCuda) {
      engines.push_back(MakeEngine(ParseDevice(device, 1)).options());
      continue;
    }
    for (const int threads : options.threads) engines.push_back(ParseDevice(device, threads));
  }
  return engines;
}

/** Refuses rules of grids without a voxel size.
 @throws host::InputError. */
void RequireVoxelSizes(const host::StudySettings& settings) {
  const bool has_grids = std::any_of(settings.rules.begin(), settings.rules.end(), host::IsOfGrids);
  if (!has_grids || !settings.voxel_sizes.empty()) return;
  throw host::InputError(
      "command line: --voxel-sizes: is missing, and rules of grids need it. Give some, or exact "
      "rules alone by --leaf-rules.");
}

/** Names the rules that do not take a pair. */
void PrintUntaken(const std::vector<host::StudyRow>& rows, const host::StudySettings& settings) {
  std::vector<std::string> names;
  for (const host::StudyRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.pair) == names.end()) names.push_back(row.pair);
  }
  for (const LeafRule rule : settings.rules) {
    std::string list;
    for (const std::string& name : names) {
      const auto is = [&](const host::StudyRow& r) { return r.pair == name && r.rule == rule; };
      if (std::any_of(rows.begin(), rows.end(), is)) continue;
      list += (list.empty() ? "" : ", ") + name;
    }
    if (!list.empty()) {
      std::cout << fmt::format("\nthe rule {} does not take: {}\n", host::WordOf(rule), list);
    }
  }
}

int RunStudy(const StudyArguments& options) {
  RequireKind(options.file, "study", {FileKind::kPairs, FileKind::kScene});
  if ((options.force_error > 0) != (options.stiffness > 0)) {
    throw host::InputError(
        "command line: --force-error: it needs --stiffness, and that needs it. Give both.");
  }
  const std::filesystem::path out = options.out;
  std::error_code error;
  std::filesystem::create_directories(out, error);
  host::RequireWritable(out / "study.csv");  // before the work
  PairsFile file = LoadPairs(options.file);
  Warn(file.warnings);
  if (file.is_scene) {
    CatchInterrupts();
    file = host::QueriesOf(LoadScene(options.file), options.samples, Interrupted);
    if (Interrupted()) {
      std::cerr << "intervox: interrupted\n";
      return kFailed;
    }
    std::cout << fmt::format("{} queries of the scene's bodies in contact at {} times\n\n",
                             file.pairs.size(), options.samples);
  }
  host::StudySettings settings;
  settings.voxel_sizes = options.voxel_sizes;
  settings.tolerances = options.tolerances;
  settings.half_width = options.half_width;
  settings.engines = EnginesOf(options);
  for (const std::string& rule : options.rules) {
    settings.rules.push_back(*host::ValueOf<LeafRule>(rule));
  }
  RequireVoxelSizes(settings);
  std::vector<host::StudyRow> rows;
  {
    WorkProgress progress("studying " + options.file);
    settings.told = [&](double fraction) { progress.Show(fraction); };
    rows = host::StudyVoxels(file, settings);
  }
  if (rows.empty()) {
    throw host::InputError(options.file +
                           ": pairs: no pair overlaps, or no rule takes one. Give posed pairs "
                           "that do, or a scene whose bodies touch.");
  }
  Print(rows, host::OrdersOf(rows));
  PrintLeftOut(file, rows, settings);
  PrintUntaken(rows, settings);
  const std::vector<std::string> notes = host::StudyNotes(file, settings);
  if (!notes.empty()) std::cout << fmt::format("\n{}\n", fmt::join(notes, "\n"));
  if (options.force_error > 0) PrintCheapest(rows, options.force_error, options.stiffness);
  Write(out / "study.csv", Csv(rows));
  Write(out / "study.svg", host::StudyPicture(rows));
  WriteHdf5(out / "study.h5", rows);
  std::cout << "\n-> " << (out / "study.csv").string() << ", study.h5, study.svg\n";
  return kDone;
}

}  // namespace

void AddStudy(CLI::App& app, int& status) {
  const auto options = std::make_shared<StudyArguments>();
  CLI::App* command = app.add_subcommand(
      "study", "Compare rules with the exact metrics at several voxel sizes and tolerances");
  command->add_option("file", options->file, "Pairs file, or a scene: its own contacts")
      ->required();
  command->add_option("-o,--out", options->out, "Folder for study.csv, study.h5 and study.svg");
  command
      ->add_option("--voxel-sizes", options->voxel_sizes,
                   "Voxel sizes [m], separated by commas; of rules of grids")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(InRange(1e-12, 1e6));
  command
      ->add_option("--leaf-rules", options->rules,
                   "Rules, separated by commas: of grids center, fraction, clip, voxel, which is "
                   "the default; of the exact shapes auto, polytope, flux, polar, slice, column")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(host::WordsOf<LeafRule>()));
  command
      ->add_option(
          "--tolerances,--tolerance", options->tolerances,
          "Tolerances of V, separated by commas, of the rule voxel and of exact ones: each "
          "has its rows [1e-9, 0.1]; default 1e-5")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(InRange(1e-9, 0.1));
  command->add_option("--half-width", options->half_width, "Of the bands, in voxels; default 3")
      ->check(CLI::Range(2.0, 100.0));
  command
      ->add_option("--threads", options->threads,
                   "Numbers of threads of the engine, separated by commas; default 1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--device", options->devices,
                   "Some of cpu, cuda, cuda:N, separated by commas: each has its rows; default cpu")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--samples", options->samples,
                   "Of a scene: times at which its contacts are taken; default 20")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--force-error", options->force_error,
                   "Say which setting is the cheapest for this error of a force [N]")
      ->check(InRange(1e-30, 1e30));
  command->add_option("--stiffness", options->stiffness, "For --force-error: of the contact [N/m3]")
      ->check(InRange(1e-30, 1e30));
  command->callback([options, &status] { status = RunStudy(*options); });
}

}  // namespace intervox::cli
