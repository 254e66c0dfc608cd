#include "host/parts/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "host/input/bytes.h"
#include "host/input/error.h"
#include "host/input/printable.h"
#include "host/parts/convex_shell.h"
#include "host/parts/csg.h"
#include "host/parts/defects.h"
#include "host/parts/part_grid.h"
#include "host/parts/readers.h"
#include "host/parts/repair.h"
#include "host/scene/grids.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using geometry::Shape;
using Object = PartObject;

const BytesRemedies kRemedies{"Name a part or a folder of parts.", "Make its mesh coarser."};

/** An extension and what reads it. */
struct Reader {
  const char* extension;
  std::vector<PartMesh> (*read)(const PartFile& file);  ///< null: a tree of solids
};

constexpr std::array<Reader, 6> kReaders{{{".stl", ReadStl},
                                          {".obj", ReadObj},
                                          {".ply", ReadPly},
                                          {".3mf", ReadThreeMf},
                                          {".glb", ReadGlb},
                                          {".csg", nullptr}}};

const Reader* ReaderOf(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto reader = std::find_if(kReaders.begin(), kReaders.end(),
                                   [&](const Reader& r) { return r.extension == extension; });
  return reader == kReaders.end() ? nullptr : &*reader;
}

/** The extensions of parts, with or without those of trees of solids. */
std::string Extensions(bool with_trees) {
  std::string list;
  for (const Reader& reader : kReaders) {
    if (reader.read == nullptr && !with_trees) continue;
    list += (list.empty() ? "" : ", ") + std::string(reader.extension);
  }
  return list;
}

[[noreturn]] void Fail(const std::string& file, const std::string& what,
                       const std::string& remedy) {
  throw InputError(file + ": part: " + what + ". " + remedy);
}

/** The bytes of a part without the mark that some editors put before UTF-8. */
std::string BytesOf(const fs::path& path) {
  std::string bytes = ReadBytes(path, kRemedies);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  const std::string start = bytes.substr(0, 4);
  const bool little = start.starts_with("\xFF\xFE") && start.ends_with('\0');
  const bool big = start.starts_with("\xFE\xFF\0"s);
  if (little || big) Fail(path.string(), "its text is UTF-16", "Save it as UTF-8.");
  return bytes;
}

std::vector<Object> ReadFile(const fs::path& path, const Reader& reader) {
  const std::string bytes = BytesOf(path);
  if (bytes.empty()) Fail(path.string(), "the file is empty", "Write it again.");
  std::vector<Object> objects;
  const auto name = std::make_shared<const std::string>(path.string());
  for (PartMesh& part : reader.read({name, bytes})) {
    objects.push_back({path.string(), std::move(part)});
  }
  if (objects.empty()) Fail(path.string(), "the file has no triangle", "Write it again.");
  return objects;
}

std::vector<fs::path> FilesOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (auto at = fs::directory_iterator(path, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const Reader* reader = ReaderOf(at->path());
    if (reader != nullptr && reader->read != nullptr) files.push_back(at->path());
  }
  if (files.empty()) {
    Fail(path.string(), "the folder has no file of triangles, one of " + Extensions(false),
         "Check the path; a .csg is named itself.");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/** All triangles of a file's objects as one object: exporters part closed surfaces by material. */
Object Merged(const std::vector<Object>& objects) {
  Object all{objects.front().file, {}};
  for (const Object& object : objects) {
    Append(object.part.mesh, &all.part.mesh);
    all.part.step = std::max(all.part.step, object.part.step);
  }
  return all;
}

bool HasOpenEdges(const Object& object) {
  TriangleMesh mesh = object.part.mesh;
  Weld(&mesh);
  const std::vector<Defect> defects = FindDefects(mesh);
  return std::any_of(defects.begin(), defects.end(),
                     [](const Defect& d) { return d.kind == DefectKind::kOpen; });
}

/** Makes a file's objects closed surfaces of welded vertices, or says what is wrong with them. */
class Preparation {
 public:
  Preparation(const PartOptions& options, std::vector<std::string>* report)
      : options_(options), report_(report) {}

  /** Returns false where repairs have left nothing. */
  bool Prepare(Object* object) const {
    TriangleMesh& mesh = object->part.mesh;
    if (options_.y_is_up) {
      for (Vec3& p : mesh.p) p = {p.x, 0.0 - p.z, p.y};  // no −0
    }
    const int merged = Weld(&mesh);
    if (merged > 0) {
      report_->push_back(object->Label() + ": " +
                         CountText(static_cast<std::size_t>(merged),
                                   "corner merged with an equal one",
                                   "corners merged with equal ones"));
    }
    if (options_.repair && !HasBadVertex(mesh)) {
      for (const std::string& line : RepairMesh(&mesh)) {
        report_->push_back(object->Label() + ": " + line);
      }
      Weld(&mesh);
      if (mesh.triangles.empty()) return false;
    }
    Require(*object);
    return true;
  }

 private:
  static bool HasBadVertex(const TriangleMesh& mesh) {
    const std::vector<Defect> defects = FindDefects(mesh);
    return !defects.empty() && defects.front().kind <= DefectKind::kNotFinite;
  }

  void Require(const Object& object) const {
    const TriangleMesh& mesh = object.part.mesh;
    const std::vector<Defect> defects = FindDefects(mesh);
    if (defects.empty()) return;
    const bool is_mendable = defects.front().kind > DefectKind::kNotFinite;
    if (options_.repair && is_mendable && IsClosed(mesh) && EnclosedVolume(mesh) > 0) return;
    const std::string lost = LostDigits(object);
    RequireClosed(mesh, object.Label(),
                  !lost.empty() ? "Its " + lost
                  : is_mendable && !options_.repair
                      ? "Add 'repair: true'. 'intervox info' of the file itself takes --repair."
                      : "Mend it in the program that made it.");
  }

  PartOptions options_;
  std::vector<std::string>* report_;
};

/** What of a shell its hull fills, where that is more than the rounding of a file near the origin;
 else empty. */
std::string FilledText(const Object& object, const ConvexShell& shell) {
  const double depth = shell.verdict.depth;
  if (!(depth > kCoarseStep * DiagonalOf({object}))) return "";
  return fmt::format(
      "{}: part: at {} it is {:.6g} deep inside its hull, in the file's units, and is taken "
      "for that hull, because so far from the origin this may be rounding. Move it to the origin "
      "before it is exported.",
      object.Label(), Text(shell.verdict.where), depth);
}

/** Splits closed objects into shells and makes each a hull. */
class HullMaker {
 public:
  explicit HullMaker(std::string name) : name_(std::move(name)) {}

  void Add(const Object& object, std::vector<ConvexShell> shells) {
    for (ConvexShell& shell : shells) {
      auto piece = std::make_shared<Shape>();
      piece->name = object.part.name;
      piece->primitive = geometry::Convex{std::move(shell.mesh.p)};
      pieces_.push_back(std::move(piece));
      volume_ += shell.volume;
      faces_ += shell.verdict.faces;
    }
  }

  geometry::ShapePtr Take() {
    Shape whole;
    if (pieces_.size() == 1) {
      whole = *pieces_.front();
    } else {
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (pieces_[i]->name.empty()) pieces_[i]->name = name_ + "/" + std::to_string(i);
        whole.children.push_back(pieces_[i]);
      }
      whole.operation = geometry::Operation::kUnion;
    }
    whole.name = name_;
    return std::make_shared<const Shape>(std::move(whole));
  }

  std::string Summary() const {
    return CountText(pieces_.size(), "convex piece", "convex pieces") + " of " +
           CountText(static_cast<std::size_t>(faces_), "face", "faces") + ", volume " +
           Text(volume_) + (pieces_.size() > 1 ? " where they do not overlap" : "");
  }

 private:
  std::string name_;
  std::vector<std::shared_ptr<Shape>> pieces_;
  double volume_ = 0;  ///< of all surfaces [cubed units of the file]
  int faces_ = 0;
};

/** An OpenSCAD tree as a part. */
Part ReadTree(const fs::path& path, const PartOptions& options, const std::string& name) {
  if (options.repair) {
    Fail(path.string(), "'repair' is for triangles; a tree of solids has none", "Remove it.");
  }
  const std::string bytes = BytesOf(path);
  const PartFile file{std::make_shared<const std::string>(path.string()), bytes};
  CsgSolid solid = ReadCsg(file, options.facets, options.y_is_up, name);
  Part part{std::move(solid.shape), {}, {}};
  const auto count = [](int n, const std::string& one, const std::string& many) {
    return CountText(static_cast<std::size_t>(n), one, many);
  };
  part.report.push_back(
      path.string() + ": " +
      count(solid.round, "round shape as its true surface", "round shapes as their true surfaces") +
      ", " + std::to_string(solid.faceted) + " as facets");
  if (solid.empty > 0) {
    part.report.push_back(
        path.string() + ": " +
        count(solid.empty, "shape without volume dropped", "shapes without volume dropped"));
  }
  return part;
}

}  // namespace

std::string PartExtensions() { return Extensions(true); }

std::string UnitDoubt(const std::string& file, const geometry::Aabb& box) {
  constexpr double kLong = 10.0;  // [m]: programs that draw parts write millimetres, mostly
  const Vec3 size = box.upper - box.lower;
  const double extent = std::max({size.x, size.y, size.z});
  if (!(extent > kLong) || !std::isfinite(extent)) return "";
  return fmt::format(
      "read from {} it is {:.3g} m long. If that was drawn in millimetres, write "
      "{{file: {}, scale: 0.001}}.",
      Printable(file), extent, Printable(file));
}

Part ReadPart(const fs::path& path, const PartOptions& options, const std::string& name) {
  const Reader* named = ReaderOf(path);
  if (named != nullptr && named->read == nullptr) return ReadTree(path, options, name);
  if (options.facets) {
    Fail(path.string(), "'facets' is for .csg; meshes have facets only", "Remove it.");
  }
  Part part;
  std::vector<Object> objects;
  const Preparation preparation(options, &part.report);
  for (const fs::path& file : FilesOf(path)) {
    const Reader* reader = ReaderOf(file);
    if (reader == nullptr) {
      Fail(file.string(), "its name ends with none of " + PartExtensions(), "Convert the file.");
    }
    std::vector<Object> read = ReadFile(file, *reader);
    if (read.size() > 1 && std::any_of(read.begin(), read.end(), HasOpenEdges)) {
      read = {Merged(read)};
    }
    for (Object& object : read) {
      if (preparation.Prepare(&object)) objects.push_back(std::move(object));
    }
  }
  if (objects.empty()) {
    Fail(path.string(), "its triangles enclose no volume, also with their holes closed",
         "Export a solid, not a sheet.");
  }
  constexpr double kSmallest = 1e-12;  // as sizes of primitives
  if (!(DiagonalOf(objects) >= kSmallest)) {
    Fail(path.string(), "it is smaller than 1e-12, " + ExtentText(objects) + " in the file's units",
         "Write it in larger units, and give a scale.");
  }
  for (const Object& object : objects) {
    const std::string lost = LostDigits(object);
    if (!lost.empty()) part.warnings.push_back(object.Label() + ": part: its " + lost);
  }
  std::size_t triangles = 0, vertices = 0;
  HullMaker hulls(name);
  std::string label, why_not;  // of the first object that is not convex
  std::vector<std::string> filled_texts;
  for (const Object& object : objects) {
    triangles += object.part.mesh.triangles.size();
    vertices += object.part.mesh.p.size();
    if (!why_not.empty()) continue;
    ConvexShells convex = ConvexShellsOf(object.part.mesh, object.Label());
    label = object.Label();
    why_not = std::move(convex.why_not);
    for (const ConvexShell& shell : convex.shells) {
      const std::string filled = FilledText(object, shell);
      if (!filled.empty()) filled_texts.push_back(filled);
    }
    hulls.Add(object, std::move(convex.shells));
  }
  std::string became;
  if (why_not.empty()) {
    part.shape = hulls.Take();
    part.warnings.insert(part.warnings.end(), filled_texts.begin(), filled_texts.end());
    became = hulls.Summary() + (options.voxel_size ? "; no grid is needed" : "");
  } else if (options.voxel_size || CanGridMeshes()) {
    part.shape = GridOfObjects(path, objects, options, name, &became, &part.warnings);
    became = why_not + (label == path.string() ? "" : " in " + label) + ", so " + became;
  } else {
    Fail(label, why_not,
         "Split it into convex pieces, for example with CoACD, and name the file or the folder of "
         "them, or use a program with OpenVDB (INTERVOX_OPENVDB=ON), which makes a grid of it");
  }
  part.report.insert(part.report.begin(),
                     path.string() + ": " + CountText(triangles, "triangle", "triangles") + ", " +
                         CountText(vertices, "vertex", "vertices") + ", " + became + ", " +
                         ExtentText(objects) + ", in the file's units");
  return part;
}

}  // namespace intervox::host
