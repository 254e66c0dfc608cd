// `intervox info`: what a results file, a scene or a file of pairs holds.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>

#include "geometry/bounds.h"
#include "geometry/grid/level_set.h"
#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/input/error.h"
#include "host/input/printable.h"
#include "host/parts/part.h"
#include "host/results/column_file.h"
#include "host/scene/document.h"
#include "host/scene/names.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/scene/scene.h"
#include "host/scene/shape_metrics.h"
#include "host/scene/text.h"
#include "host/world/world.h"

namespace intervox::cli {
namespace {

using host::Printable;

/** An attribute on one line: numbers without idle zeros, short lists with commas. */
std::string OneLine(std::string text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return fmt::format("{:.6g}", number);
  if (text.size() > 300) return fmt::format("{} bytes of text", text.size());
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    text.replace(at, 1, ", ");
  }
  return text;
}

std::string Cells(std::size_t count) {
  return fmt::format("{} cell{}", count, count == 1 ? "" : "s");
}

/** What a grid holds. */
std::string DescribeGrid(const geometry::GridPart& grid) {
  const geometry::LevelSet& field = *grid.field;
  const std::size_t blocks = field.nodes.size() / geometry::kBlockNodes;
  return fmt::format("grid, {} blocks, {} voxels of {:.6g} m in a band of {:.3g}, {:.1f} MB",
                     blocks, field.active, grid.voxel_size, field.band,
                     1e-6 * static_cast<double>(geometry::BytesOf(field)));
}

/** The corners of a box as text, each coordinate to a millionth of the box's extent along it. */
std::string CornersText(const geometry::Aabb& box) {
  const auto text = [](double x, double extent) {
    const double step = 1e-6 * extent;
    if (!(std::abs(x) >= step)) return std::string("0");
    const double digits = std::ceil(std::log10(std::abs(x) / step));
    return fmt::format("{:.{}g}", x, static_cast<int>(std::clamp(digits, 1.0, 17.0)));
  };
  const Vec3 size = box.upper - box.lower;
  const auto corner = [&](const Vec3& p) {
    return fmt::format("[{}, {}, {}]", text(p.x, size.x), text(p.y, size.y), text(p.z, size.z));
  };
  return fmt::format("{} to {}", corner(box.lower), corner(box.upper));
}

/** ", VOLUME m3, within [..] to [..] m" of a bounded solid; the box may be wider than the solid. */
std::string Size(std::span<const geometry::Cell> cells, const geometry::Aabb& box) {
  if (!std::isfinite(Norm(box.upper - box.lower))) return ", unbounded";
  const host::ShapeMetrics solid = host::MeasureSolid(Engine(), cells, {});
  return fmt::format(", {:.6g} m3, within {} m", solid.sum.volume, CornersText(box));
}

/** One line for each cell: the CSG node it comes from, what bounds it, and its neighbours. */
void ListCells(std::span<const geometry::Cell> cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const geometry::Cell& cell = cells[k];
    const char* kind = !cell.bounded ? "unbounded" : cell.polytope ? "polytope" : "curved";
    std::cout << fmt::format("  cell {:<3} {:<40} ", k, cell.name);
    if (cell.grid.field != nullptr) {
      std::cout << DescribeGrid(cell.grid);
    } else {
      std::cout << fmt::format("{}, {} surfaces", kind, cell.surfaces.size());
    }
    if (!cell.neighbours.empty()) {
      std::cout << fmt::format(", beside {}", fmt::join(cell.neighbours, ", "));
    }
    std::cout << '\n';
  }
}

void DescribeResults(const std::string& path, bool with_scene) {
  const host::ColumnFile file = host::ColumnFile::Read(path);
  file.Verify();
  if (with_scene) {
    const std::string scene = file.Attribute("scene");
    if (scene.empty()) throw host::InputError(path + ": --scene: the file holds no scene.");
    std::cout << Printable(scene);
    return;
  }
  for (const std::string& name : file.AttributeNames()) {
    std::cout << fmt::format("{:<28} {}\n", Printable(name),
                             Printable(OneLine(file.Attribute(name))));
  }
  for (const host::ColumnInfo& column : file.Columns()) {
    std::cout << fmt::format("{:<44} {:>9} x {:<2} [{}]\n", Printable(column.name), column.rows,
                             column.width, Printable(column.units));
  }
}

/** Remarks, but for those that are empty. */
void Note(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (!note.empty()) std::cout << "note             " << note << '\n';
  }
}

void ListParts(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) std::cout << "part             " << Printable(part) << '\n';
}

/** The volume of a body's solid [m³]; not above 0 where it has none. What its mass was integrated
 from is known by that, which takes long for a large grid. */
double VolumeOf(host::World* world, std::size_t b) {
  const BodySettings& body = world->scene.bodies[b];
  const host::SolidCells* solid = world->solid_of[b];
  const bool free = !body.fixed && !body.motion;
  if (!free || solid == nullptr || (body.mass && body.inertia)) {
    return host::MeasureSolid(Engine(), world->whole[b], {}).sum.volume;
  }
  const double density =
      body.mass ? 1.0 : world->scene.materials.at(body.material).density.value_or(1.0);
  return world->solids.Mass(*solid, density).mass / density;
}

void DescribeScene(Scene text, bool with_scene, bool with_cells) {
  if (with_scene) {
    std::cout << ToYaml(text);
    return;
  }
  const auto world = host::MakeWorld(std::move(text));
  const Scene& scene = world->scene;
  std::cout << fmt::format("scene            {}\nduration         {} s, {} at {} s steps\n",
                           scene.name, scene.duration, scene.integrator.method,
                           scene.integrator.step);
  std::cout << fmt::format("tolerance        {}\n", scene.engine.tolerance);
  ListParts(scene.parts);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySettings& body = scene.bodies[b];
    const std::span<const geometry::Cell> cells = world->whole[b];
    const double volume = VolumeOf(world.get(), b);
    const char* kind = body.fixed ? "fixed" : body.motion ? "driven" : "free";
    std::cout << fmt::format("body             {}: {}, {}", body.name, kind, Cells(cells.size()));
    if (volume > 0) std::cout << fmt::format(", {:.6g} m3", volume);
    if (body.mass) std::cout << fmt::format(", {} kg", *body.mass);
    std::cout << '\n';
    if (with_cells) ListCells(cells);
  }
  for (const ContactSettings& contact : scene.contacts) {
    std::cout << fmt::format("contact          {} and {}: {}\n", contact.bodies.first,
                             contact.bodies.second, contact.model);
  }
  for (const host::PairRule& rule : world->rules.All()) {
    for (const std::string& note : rule.model->notes) {
      std::cout << fmt::format("contact model    {}: {}\n", rule.name, note);
    }
  }
  for (const JointSettings& joint : scene.joints) {
    std::cout << fmt::format("joint            {}: {}, {} and {}{}\n", joint.name,
                             host::WordOf(joint.type), joint.bodies.first, joint.bodies.second,
                             joint.drive             ? ", with a drive"
                             : !joint.motion.empty() ? ", prescribed"
                                                     : "");
  }
  for (const SensorSettings& sensor : scene.sensors) {
    std::cout << fmt::format("sensor           {} on {}, in {}\n", sensor.name, sensor.body,
                             sensor.resolve_in);
  }
  Note(world->warnings);
}

/** The cells of a file's shape. */
std::vector<geometry::Cell> CutShape(const std::string& path, const std::string& name,
                                     const geometry::Shape& shape) {
  try {
    return geometry::ToCells(shape);
  } catch (const std::invalid_argument& error) {
    throw host::InputError(path + ": shapes." + name + ": " + error.what());
  }
}

/** @return the box around the last shape [m] */
geometry::Aabb DescribePairs(const PairsFile& file, const std::string& path, bool with_scene,
                             bool with_cells) {
  if (with_scene) {
    throw host::InputError("command line: --scene: a file of pairs holds no scene. Leave it out.");
  }
  ListParts(file.parts);
  geometry::Aabb box{};
  for (const auto& [name, shape] : file.shapes) {
    const std::vector<geometry::Cell> cells = CutShape(path, name, *shape);
    box = geometry::BoundsInPose(cells, Pose::Identity());
    std::cout << fmt::format("shape            {}: {}{}\n", name, Cells(cells.size()),
                             Size(cells, box));
    if (with_cells) ListCells(cells);
  }
  for (const PosedPair& pair : file.pairs) {
    std::cout << fmt::format("pair             {}: {} and {}\n", pair.name, pair.a->name,
                             pair.b->name);
  }
  Note(file.warnings);
  return box;
}

/** A part or a grid as the only shape of a file that is made up for it. */
PairsFile ParsePart(const std::string& path, bool repair) {
  const std::string file = std::filesystem::absolute(path).string();
  try {
    return ParsePairs("schema: intervox/pairs/1\nshapes: {part: {file: " + host::Quoted(file) +
                          (repair ? ", repair: true}}" : "}}"),
                      path);
  } catch (const host::InputError& error) {
    // Who gave the part knows nothing of that file's lines; the part's own place follows.
    const std::string what = error.what();
    const std::size_t at = what.rfind(file);
    throw host::InputError(at == std::string::npos ? what : what.substr(at));
  }
}

/** Describes it, and says so where its unit is in doubt. */
void DescribePart(const std::string& path, bool repair, bool with_scene, bool with_cells) {
  const PairsFile file = ParsePart(path, repair);
  const geometry::Aabb box = DescribePairs(file, path, with_scene, with_cells);
  Note({host::UnitDoubt(std::filesystem::path(path).filename().string(), box)});
}

/** Whether a YAML text says that it is a scene; anything else is read as pairs. */
bool IsScene(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.rfind("schema:", 0) == 0) return line.find("intervox/scene") != std::string::npos;
  }
  return false;
}

}  // namespace

void AddInfo(CLI::App& app, int& status) {
  struct Options {
    std::string file;
    bool scene = false;
    bool cells = false;
    bool repair = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("info", "Say what a file of results, a scene, pairs or a part holds");
  command
      ->add_option(
          "file", options->file,
          "HDF5 or YAML file, a part or a folder of its pieces; -: YAML from standard input")
      ->required();
  command->add_flag("--scene", options->scene, "Print the scene, every default explicit");
  command->add_flag("--cells", options->cells,
                    "List the cells of a scene's bodies or a file's shapes, with their CSG nodes");
  command->add_flag("--repair", options->repair, "Mend a part's triangles before (docs/parts.md)");
  command->callback([options, &status] {
    const std::string& path = options->file;
    RequireKind(path, "info",
                {FileKind::kResults, FileKind::kMetrics, FileKind::kScene, FileKind::kPairs,
                 FileKind::kPart, FileKind::kGrid});
    const FileKind kind = KindOf(path);
    if (kind == FileKind::kPart || kind == FileKind::kGrid || std::filesystem::is_directory(path)) {
      DescribePart(path, options->repair, options->scene, options->cells);
      status = kDone;
      return;
    }
    if (IsHdf5(path)) {
      DescribeResults(path, options->scene);
      status = kDone;
      return;
    }
    const bool from_input = path == "-";
    const std::string text = from_input ? host::ReadStandardInput() : host::ReadTextFile(path);
    const std::string name = from_input ? host::kStandardInput : path;
    if (IsScene(text)) {
      DescribeScene(host::ParseScene(text, name), options->scene, options->cells);
    } else {
      DescribePairs(ParsePairs(text, name), name, options->scene, options->cells);
    }
    status = kDone;
  });
}

}  // namespace intervox::cli
