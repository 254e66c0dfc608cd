#include "host/cli/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "host/input/error.h"
#include "host/results/column_file.h"

namespace intervox::cli {
namespace {

constexpr std::string_view kHdf5Start = "\x89HDF\r\n\x1a\n";

/** What a kind is called, and what to do with such a file. */
struct Words {
  FileKind kind;
  const char* noun;
  const char* use;
};

constexpr std::array<Words, 13> kWords = {{
    {FileKind::kResults, "results of 'run'",
     "'intervox info', 'export' and 'render' take it; 'info --scene' prints its scene"},
    {FileKind::kMetrics, "results of 'metrics', 'overlaps' or 'distance'",
     "'intervox info' and 'export' take it"},
    {FileKind::kRuns, "the table of a batch's runs",
     "'intervox report' takes its folder, and writes the table as runs.csv"},
    {FileKind::kHdf5, "an HDF5 file that is not Intervox's, or damaged",
     "Name a file that 'intervox run' wrote"},
    {FileKind::kScene, "a scene", "'intervox run', 'validate' and 'info' take it"},
    {FileKind::kPairs, "a file of pairs",
     "'intervox metrics', 'overlaps', 'distance', 'info' and 'rasterize' take it"},
    {FileKind::kBatch, "a batch", "'intervox batch' takes it"},
    {FileKind::kCheckpoint, "a checkpoint",
     "'intervox run --resume' with the scene and -o takes the one beside the results"},
    {FileKind::kArray, "an array of NumPy", "'intervox metrics PAIRS --poses' takes poses"},
    {FileKind::kPart, "a part of another program",
     "'intervox info' takes it, and shapes of scenes and pairs name it: {file: part.stl}"},
    {FileKind::kCad, "a CAD model or mesh of a kind that is not read",
     "Write it as a mesh, .stl, .obj, .ply, .3mf or .glb, or as OpenSCAD's .csg"},
    {FileKind::kGrid, "an OpenVDB grid",
     "'intervox info' takes it, and shapes of scenes and pairs name it: {file: grid.vdb}"},
    {FileKind::kPicture, "a picture", "'intervox render' writes such files and reads none"},
}};

const Words& Of(FileKind kind) {
  return *std::find_if(kWords.begin(), kWords.end(),
                       [&](const Words& w) { return w.kind == kind; });
}

std::string LowerExtension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

FileKind ByName(const std::string& path) {
  const std::string extension = LowerExtension(path);
  for (const auto& [name, kind] : {std::pair{".stl", FileKind::kPart},
                                   {".obj", FileKind::kPart},
                                   {".ply", FileKind::kPart},
                                   {".3mf", FileKind::kPart},
                                   {".glb", FileKind::kPart},
                                   {".csg", FileKind::kPart},
                                   {".gltf", FileKind::kCad},
                                   {".off", FileKind::kCad},
                                   {".step", FileKind::kCad},
                                   {".stp", FileKind::kCad},
                                   {".iges", FileKind::kCad},
                                   {".igs", FileKind::kCad},
                                   {".vdb", FileKind::kGrid},
                                   {".nvdb", FileKind::kGrid},
                                   {".png", FileKind::kPicture}}) {
    if (extension == name) return kind;
  }
  return FileKind::kUnknown;
}

FileKind Hdf5Kind(const std::string& path) {
  std::string schema;
  try {
    schema = host::ColumnFile::Read(path).Attribute("schema");
  } catch (const host::InputError&) {
    return FileKind::kUnknown;  // damaged: the reader says more
  }
  if (schema.starts_with("intervox/results/")) return FileKind::kResults;
  if (schema.starts_with("intervox/batch-results/")) return FileKind::kRuns;
  for (const char* of_poses : {"intervox/metrics/", "intervox/overlaps/", "intervox/distances/"}) {
    if (schema.starts_with(of_poses)) return FileKind::kMetrics;
  }
  return FileKind::kHdf5;
}

/** The kind that the line `schema: intervox/KIND/VERSION` of a YAML file names. */
FileKind BySchema(std::ifstream& stream) {
  constexpr int kMostLines = 10000;
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(stream, line); ++i) {
    if (!line.starts_with("schema:")) continue;
    for (const auto& [word, kind] : {std::pair{"intervox/scene/", FileKind::kScene},
                                     {"intervox/pairs/", FileKind::kPairs},
                                     {"intervox/batch/", FileKind::kBatch}}) {
      if (line.find(word) != std::string::npos) return kind;
    }
    return FileKind::kUnknown;
  }
  return FileKind::kUnknown;
}

}  // namespace

bool IsHdf5(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 8> start{};
  stream.read(start.data(), start.size());
  return stream && std::string_view(start.data(), start.size()) == kHdf5Start;
}

FileKind KindOf(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return FileKind::kUnknown;
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 8> bytes{};
  stream.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  if (start == kHdf5Start) return Hdf5Kind(path);
  if (start == "INTERVOX") return FileKind::kCheckpoint;
  if (start.starts_with("\x93NUMPY")) return FileKind::kArray;
  if (start.starts_with("PK\x03\x04") && LowerExtension(path) == ".npz") return FileKind::kArray;
  if (start.starts_with("\x89PNG")) return FileKind::kPicture;
  if (const FileKind named = ByName(path); named != FileKind::kUnknown) return named;
  stream.clear();
  stream.seekg(0);
  return BySchema(stream);
}

void RequireKind(const std::string& path, const std::string& command,
                 std::initializer_list<FileKind> taken, std::string wanted) {
  const FileKind kind = KindOf(path);
  if (kind == FileKind::kUnknown || std::count(taken.begin(), taken.end(), kind) > 0) return;
  for (const FileKind each : taken)
    wanted += (wanted.empty() ? "" : " or ") + std::string(Of(each).noun);
  throw host::InputError(path + ": " + command + ": this is " + Of(kind).noun + ", and '" +
                         command + "' takes " + wanted + ". " + Of(kind).use + ".");
}

}  // namespace intervox::cli
