#include "host/parts/part.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "geometry/grid/level_set.h"
#include "host/input/bytes.h"
#include "host/input/error.h"
#include "host/parts/convex_shell.h"
#include "host/parts/csg.h"
#include "host/parts/defects.h"
#include "host/parts/nesting.h"
#include "host/parts/readers.h"
#include "host/scene/grids.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

namespace fs = std::filesystem;
using geometry::Shape;

const BytesRemedies kRemedies{"Name a part or a folder of parts.", "Make its mesh coarser."};

/** An extension and what reads it. */
struct Reader {
  const char* extension;
  std::vector<PartMesh> (*read)(const PartFile& file);  ///< null: a tree of solids
};

constexpr std::array<Reader, 4> kReaders{
    {{".stl", ReadStl}, {".obj", ReadObj}, {".ply", ReadPly}, {".csg", nullptr}}};

const Reader* ReaderOf(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto reader = std::find_if(kReaders.begin(), kReaders.end(),
                                   [&](const Reader& r) { return r.extension == extension; });
  return reader == kReaders.end() ? nullptr : &*reader;
}

[[noreturn]] void Fail(const std::string& file, const std::string& what,
                       const std::string& remedy) {
  throw InputError(file + ": part: " + what + ". " + remedy);
}

std::string Count(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

/** An object of a file on its way to a solid. */
struct Object {
  std::string file;
  PartMesh part;
  std::string Label() const { return part.name.empty() ? file : file + ", '" + part.name + "'"; }
};

std::vector<Object> ReadFile(const fs::path& path, const Reader& reader) {
  const std::string bytes = ReadBytes(path, kRemedies);
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
    Fail(path.string(), "the folder has no file with one of " + PartExtensions(),
         "Check the path.");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/** All triangles of a file's objects as one object: exporters part closed surfaces by material. */
Object Merged(const std::vector<Object>& objects) {
  Object all{objects.front().file, {}};
  for (const Object& object : objects) Append(object.part.mesh, &all.part.mesh);
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

  void Prepare(Object* object) const {
    TriangleMesh& mesh = object->part.mesh;
    if (options_.y_is_up) {
      for (Vec3& p : mesh.p) p = {p.x, 0.0 - p.z, p.y};  // no −0
    }
    const int merged = Weld(&mesh);
    const auto did = [&](int count, const std::string& one, const std::string& many) {
      if (count > 0) {
        report_->push_back(object->Label() + ": " +
                           Count(static_cast<std::size_t>(count), one, many));
      }
    };
    did(merged, "corner merged with an equal one", "corners merged with equal ones");
    if (options_.repair && !HasBadVertex(mesh)) {
      const Repairs repairs = RepairMesh(&mesh);
      did(repairs.degenerate, "degenerate triangle dropped", "degenerate triangles dropped");
      did(repairs.duplicate, "double triangle dropped", "double triangles dropped");
      did(repairs.turned, "triangle turned", "triangles turned");
      did(repairs.inverted, "surface turned inside out", "surfaces turned inside out");
      Weld(&mesh);
    }
    Require(*object);
  }

 private:
  static bool HasBadVertex(const TriangleMesh& mesh) {
    const std::vector<Defect> defects = FindDefects(mesh);
    return !defects.empty() && defects.front().kind <= DefectKind::kNotFinite;
  }

  void Require(const Object& object) const {
    const std::vector<Defect> defects = FindDefects(object.part.mesh);
    if (defects.empty()) return;
    using enum DefectKind;
    const bool is_mendable =
        !options_.repair && std::all_of(defects.begin(), defects.end(), [](const Defect& d) {
          return d.kind == kDegenerate || d.kind == kDuplicate || d.kind == kTurned ||
                 d.kind == kInverted;
        });
    RequireClosed(object.part.mesh, object.Label(),
                  is_mendable ? "Add 'repair: true'." : "Mend it in the program that made it.");
  }

  PartOptions options_;
  std::vector<std::string>* report_;
};

/** Splits closed objects into shells and makes each a hull. */
class HullMaker {
 public:
  explicit HullMaker(std::string name) : name_(std::move(name)) {}

  void Add(const Object& object, const std::string& remedy) {
    for (ConvexShell& shell : ConvexShellsOf(object.part.mesh, object.Label(), remedy)) {
      auto piece = std::make_shared<Shape>();
      piece->name = object.part.name;
      piece->primitive = geometry::Convex{std::move(shell.mesh.p)};
      pieces_.push_back(std::move(piece));
      volume_ += shell.volume;
      faces_ += shell.faces;
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
    return Count(pieces_.size(), "convex piece", "convex pieces") + " of " +
           Count(static_cast<std::size_t>(faces_), "face", "faces") + ", volume " + Text(volume_) +
           (pieces_.size() > 1 ? " where they do not overlap" : "");
  }

 private:
  std::string name_;
  std::vector<std::shared_ptr<Shape>> pieces_;
  double volume_ = 0;  ///< of all surfaces [cubed units of the file]
  int faces_ = 0;
};

/** The box of all vertices. */
std::array<Vec3, 2> BoxOf(const std::vector<Object>& objects) {
  Vec3 lower = objects.front().part.mesh.p.front(), upper = lower;
  for (const Object& object : objects) {
    for (const Vec3& p : object.part.mesh.p) {
      lower = Min(lower, p);
      upper = Max(upper, p);
    }
  }
  return {lower, upper};
}

std::string Extent(const std::vector<Object>& objects) {
  const std::array<Vec3, 2> box = BoxOf(objects);
  return "from " + Text(box[0]) + " to " + Text(box[1]);
}

/** Names the key that makes a grid, with a voxel size that is about a hundredth of the diagonal. */
std::string GridRemedy(const std::vector<Object>& objects, double scale) {
  const std::array<Vec3, 2> box = BoxOf(objects);
  const double h = scale * Norm(box[1] - box[0]) / 100;
  double digit = std::pow(10, std::floor(std::log10(h)));
  digit *= h >= 5 * digit ? 5 : h >= 2 * digit ? 2 : 1;
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", digit);
  return std::string("Add 'voxel_size: ") + text +
         "' [m] to take it as a grid, or split it into convex pieces, for example with CoACD, and "
         "name the file or the folder of them.";
}

/** One grid of all objects' triangles. */
geometry::ShapePtr GridOfObjects(const fs::path& path, const std::vector<Object>& objects,
                                 const PartOptions& options, const std::string& name,
                                 std::string* became) {
  // Objects with hollows are solids of their own, which others may lie in.
  std::vector<std::vector<ShellLayer>> solids;
  TriangleMesh all, full;
  std::size_t hollows = 0;
  for (const Object& object : objects) {
    Append(object.part.mesh, &all);
    std::vector<ShellLayer> layers = LayersOf(object.part.mesh, object.Label());
    if (layers.size() == 1) {
      Append(object.part.mesh, &full);
      continue;
    }
    for (const ShellLayer& layer : layers) hollows += layer.hollows;
    solids.push_back(std::move(layers));
  }
  if (!full.triangles.empty()) solids.push_back({{std::move(full), 0}});
  const Defect crossings = FindCrossings(all);
  Shape shape;
  shape.name = name;
  shape.operation = geometry::Operation::kGrid;
  try {
    shape.grid = GridOfMeshes(solids, *options.voxel_size, options.half_width);
  } catch (const std::invalid_argument& error) {
    Fail(path.string(), std::string("in the file's units, ") + error.what(),
         "Voxel sizes here are in metres.");
  }
  shape.grid.file = path.string();
  shape.grid.text = "file: " + Quoted(path.string()) + (options.y_is_up ? ", up: y" : "") +
                    (options.repair ? ", repair: true" : "");
  *became = "not convex, a grid of " + std::to_string(shape.grid.field->active) +
            " voxels near its surface" +
            (hollows > 0 ? " with " + Count(hollows, "hollow", "hollows") : "") +
            (crossings.count > 0 ? ", where " + DefectText(crossings) : "");
  return std::make_shared<const Shape>(std::move(shape));
}

/** An OpenSCAD tree as a part. */
Part ReadTree(const fs::path& path, const PartOptions& options, const std::string& name) {
  if (options.repair) {
    Fail(path.string(), "'repair' is for triangles; a tree of solids has none", "Remove it.");
  }
  const std::string bytes = ReadBytes(path, kRemedies);
  const PartFile file{std::make_shared<const std::string>(path.string()), bytes};
  CsgSolid solid = ReadCsg(file, options.facets, options.y_is_up, name);
  Part part{std::move(solid.shape), {}};
  const auto count = [](int n, const std::string& one, const std::string& many) {
    return Count(static_cast<std::size_t>(n), one, many);
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

std::string PartExtensions() {
  std::string list;
  for (const Reader& reader : kReaders) {
    list += (list.empty() ? "" : ", ") + std::string(reader.extension);
  }
  return list;
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
    for (Object& object : read) preparation.Prepare(&object);
    objects.insert(objects.end(), std::make_move_iterator(read.begin()),
                   std::make_move_iterator(read.end()));
  }
  std::size_t triangles = 0, vertices = 0;
  for (const Object& object : objects) {
    triangles += object.part.mesh.triangles.size();
    vertices += object.part.mesh.p.size();
  }
  std::string became;
  if (options.voxel_size && !std::all_of(objects.begin(), objects.end(),
                                         [](const Object& o) { return AreConvex(o.part.mesh); })) {
    part.shape = GridOfObjects(path, objects, options, name, &became);
  } else {
    HullMaker hulls(name);
    const std::string remedy = GridRemedy(objects, options.scale);
    for (const Object& object : objects) hulls.Add(object, remedy);
    part.shape = hulls.Take();
    became = hulls.Summary() + (options.voxel_size ? "; no grid is needed" : "");
  }
  part.report.insert(part.report.begin(),
                     path.string() + ": " + Count(triangles, "triangle", "triangles") + ", " +
                         Count(vertices, "vertex", "vertices") + ", " + became + ", " +
                         Extent(objects) + ", in the file's units");
  return part;
}

}  // namespace intervox::host
