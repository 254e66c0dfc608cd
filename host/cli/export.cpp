// `intervox export`: results as CSV, one file for each group of columns, or for ParaView.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "host/cli/cli.h"
#include "host/cli/export_vtk.h"
#include "host/cli/file_kind.h"
#include "host/cli/validators.h"
#include "host/input/error.h"
#include "host/input/printable.h"
#include "host/input/writable.h"
#include "host/results/column_file.h"
#include "host/results/replace_file.h"

namespace intervox::cli {
namespace {

using host::ColumnInfo;

/** Shortest text that reads back to the same bits. */
std::string Text(double x) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, x);
  return std::string(text, result.ptr);
}

/** Names of a column's parts: x, y, z; w, x, y, z; or numbers. */
std::string PartName(const ColumnInfo& column, int i) {
  if (column.width == 3) return std::string(1, "xyz"[i]);
  if (column.width == 4) return std::string(1, "wxyz"[i]);
  return std::to_string(i);
}

std::string Group(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string("time") : name.substr(0, slash);
}

/** The name of a group's file without its suffix. File systems take 255 bytes: longer names are cut
 between characters and numbered, so that they stay apart. */
std::string FileStem(std::string group, std::size_t number) {
  constexpr std::size_t kLongest = 200;
  std::replace(group.begin(), group.end(), '/', '_');
  if (group.size() <= kLongest) return group;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(group[end]) & 0xC0) == 0x80) --end;
  return group.substr(0, end) + "_" + std::to_string(number);
}

struct Table {
  std::vector<ColumnInfo> columns;
  std::vector<std::vector<double>> values;
};

/** Returns whether all of it was written. */
bool WriteTable(const std::filesystem::path& path, const Table& table) {
  std::ofstream stream(path);
  std::string line;
  std::int64_t rows = 0;
  for (const ColumnInfo& column : table.columns) {
    rows = std::max(rows, column.rows);
    const std::size_t slash = column.name.rfind('/');
    const std::string base =
        slash == std::string::npos ? column.name : column.name.substr(slash + 1);
    for (int i = 0; i < column.width; ++i) {
      line += (line.empty() ? "" : ",") + base +
              (column.width > 1 ? "." + PartName(column, i) : std::string()) + " [" + column.units +
              "]";
    }
  }
  stream << line << '\n';
  for (std::int64_t row = 0; row < rows; ++row) {
    line.clear();
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      for (int i = 0; i < table.columns[k].width; ++i) {
        const auto at = static_cast<std::size_t>(row * table.columns[k].width + i);
        line += (line.empty() && k == 0 && i == 0 ? "" : ",") +
                (at < table.values[k].size() ? Text(table.values[k][at]) : std::string());
      }
    }
    stream << line << '\n';
  }
  return static_cast<bool>(stream.flush());
}

void Export(const std::string& file_name, std::filesystem::path folder) {
  RequireKind(file_name, "export", {FileKind::kResults, FileKind::kMetrics});
  const host::ColumnFile file = host::ColumnFile::Read(file_name);
  if (folder.empty()) {
    folder = file_name;
    folder.replace_extension("");
    folder += "_csv";
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    throw host::InputError(folder.string() +
                           ": export: the folder cannot be made. Name another with -o.");
  }
  std::map<std::string, Table> tables;
  ColumnInfo time;
  for (const ColumnInfo& column : file.Columns()) {
    if (column.name == "time") {
      time = column;
    } else {
      tables[Group(column.name)].columns.push_back(column);
    }
  }
  std::size_t written = 0;
  for (auto& [group, table] : tables) {
    // Groups with a row for each sample get the time as their first column.
    const bool sampled = !time.name.empty() && group != "patches" && group != "impacts" &&
                         group != "inputs" && group != "start";
    if (sampled) table.columns.insert(table.columns.begin(), time);
    // Elsewhere a row's own time leads it.
    std::stable_partition(table.columns.begin(), table.columns.end(), [](const ColumnInfo& column) {
      return column.name == "time" || column.name.ends_with("/time");
    });
    for (const ColumnInfo& column : table.columns) {
      table.values.push_back(file.Values(column.name));
    }
    const std::filesystem::path out = folder / (FileStem(group, ++written) + ".csv");
    host::ReplaceBy(out, [&, &rows = table](const std::filesystem::path& made) {
      if (!WriteTable(made, rows)) host::FailToWrite(out);
    });
    std::cout << host::Printable(out.string()) << '\n';
  }
}

}  // namespace

void AddExport(CLI::App& app, int& status) {
  struct Options {
    std::string file;
    std::string folder;
    VtkOptions vtk;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "export", "Write results as CSV, one file for each group, or as series for ParaView");
  command->add_option("file", options->file, "Results, HDF5")->required();
  CLI::Option* out =
      command->add_option("-o,--out", options->folder, "Folder; default: the results' name + _csv");
  CLI::Option* vtk = command->add_option(
      "--vtk", options->vtk.folder,
      "Folder for ParaView instead: bodies.pvd, patches.pvd, forces.pvd and their files");
  vtk->excludes(out);
  command
      ->add_option("--frames", options->vtk.frames,
                   "With --vtk: every=SECONDS, at=T,T,…, count=N, all or last; default count=101")
      ->needs(vtk);
  command
      ->add_option(
          "--deviation", options->vtk.deviation,
          "With --vtk: largest distance of a triangle from the exact surface [m]; default: "
          "a thousandth of the body's diagonal")
      ->needs(vtk)
      ->check(InRange(1e-12, 1e12));
  command->callback([options, &status] {
    if (options->vtk.folder.empty()) {
      Export(options->file, options->folder);
    } else {
      ExportVtk(options->file, options->vtk);
    }
    status = kDone;
  });
}

}  // namespace intervox::cli
