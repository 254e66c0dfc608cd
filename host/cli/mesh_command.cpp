// `intervox mesh`: exact shapes as triangles for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "geometry/shape.h"
#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/input_files.h"
#include "host/cli/progress.h"
#include "host/cli/render_command.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/mesh/bodies.h"
#include "host/mesh/write.h"
#include "host/render/film.h"
#include "host/scene/pairs.h"
#include "host/scene/scene.h"
#include "host/scene/shape_metrics.h"
#include "host/world/solids.h"

namespace intervox::cli {
namespace {

using host::InputError;
using host::PlacedMesh;

struct MeshArguments {
  std::string file;
  std::string shape;
  std::string out = "mesh.glb";
  double deviation = 0.0;
};

/** How far the box reaches to which unbounded bodies are cut, in radii of what is looked at. */
constexpr double kReach = 3.0;

using Mesh = std::shared_ptr<const host::Triangles>;

/** Triangulates cells and prints how good it is. */
Mesh MakeMesh(const std::string& name, std::span<const geometry::Cell> cells,
              const MeshArguments& options) {
  const double deviation =
      options.deviation > 0 ? options.deviation : host::DefaultDeviation(cells);
  host::Triangles mesh;
  try {
    WorkProgress progress("meshing " + name);
    mesh = host::Triangulate(cells, deviation, [&](double fraction) { progress.Show(fraction); });
  } catch (const std::invalid_argument& error) {
    throw InputError(options.file + ": " + name + ": " + error.what());
  }
  host::MeasureOptions measure;
  measure.tolerance = cells.front().grid.field != nullptr ? 1e-4 : 1e-6;
  const double exact = host::MeasureSolid(Engine(), cells, measure).sum.volume;
  const double volume = host::EnclosedVolume(mesh);
  std::cout << fmt::format(
      "{}: {} cells, {} triangles, largest deviation {:.3g} m ({:.3g} m asked), volume {:.9g} m^3, "
      "exact {:.9g} m^3, difference {:+.2e} (relative)\n",
      name, cells.size(), mesh.triangles.size(), mesh.deviation, deviation, volume, exact,
      volume / exact - 1);
  return std::make_shared<const host::Triangles>(std::move(mesh));
}

/** Writes the file, and says what it loses. */
void WriteFile(const std::string& path, const host::MeshFile& file) {
  host::WriteMeshes(path, file);
  Warn(host::WhatSingleLoses(path, file));
}

/** Makes the meshes of a scene's bodies; those of one shape share theirs. */
class BodyMeshes {
 public:
  /** Unbounded bodies are cut to a box around the centre, in the axes of the body. */
  BodyMeshes(const Vec3& center, double radius, const MeshArguments& options)
      : center_(center), reach_(kReach * radius), options_(options) {}

  void Add(const std::string& name, std::span<const geometry::Cell> cells, const Pose& X_WB,
           const host::Color& color) {
    PlacedMesh placed;
    placed.name = name;
    placed.X_WB = X_WB;
    placed.color = {color.r, color.g, color.b};
    placed.is_cut_to_box =
        !std::all_of(cells.begin(), cells.end(), [](const geometry::Cell& c) { return c.bounded; });
    try {
      placed.mesh = MeshOf(name, cells, X_WB, placed.is_cut_to_box);
    } catch (const InputError& error) {
      // One body that cannot be shown is no reason to show none.
      std::cerr << "intervox: left out: " << error.what() << '\n';
      placed.mesh = std::make_shared<const host::Triangles>();
    }
    meshes_.push_back(std::move(placed));
  }

  /** Writes the file. */
  void Write(const Scene& scene) const {
    const Vec3 up = Norm(scene.gravity) > 0 ? -Normalized(scene.gravity) : Vec3{0, 0, 1};
    WriteFile(options_.out, {scene.name, meshes_, up, center_, reach_ / kReach});
  }

 private:
  Mesh MeshOf(const std::string& name, std::span<const geometry::Cell> cells, const Pose& X_WB,
              bool is_cut) {
    if (cells.empty()) return std::make_shared<const host::Triangles>();
    if (!is_cut) {
      Mesh& shared = known_[cells.data()];
      if (!shared) shared = MakeMesh(name, cells, options_);
      return shared;
    }
    const Vec3 p_B = Inverse(X_WB) * center_;
    const Vec3 reach{reach_, reach_, reach_};
    std::cout << fmt::format("{}: unbounded, cut to a box of +-{:.4g} m around the others\n", name,
                             reach_);
    return MakeMesh(name, host::CutToBox(cells, {p_B - reach, p_B + reach}), options_);
  }

  Vec3 center_;
  double reach_ = 0.0;
  const MeshArguments& options_;
  std::vector<PlacedMesh> meshes_;
  std::map<const geometry::Cell*, Mesh> known_;
};

void WriteResults(const MeshArguments& options) {
  const host::Film film(options.file);
  BodyMeshes meshes(film.Center(), film.Radius(), options);
  for (const host::FilmBody& body : film.Bodies()) {
    meshes.Add(body.name, body.cells, body.poses.front(), body.color);
  }
  meshes.Write(film.GetScene());
}

void WriteScene(const MeshArguments& options) {
  const Scene scene = LoadScene(options.file);
  host::Solids solids;
  std::vector<std::pair<const BodySettings*, std::span<const geometry::Cell>>> bodies;
  std::optional<geometry::Aabb> all;
  for (const BodySettings& body : scene.bodies) {
    const host::SolidCells* solid = solids.Of(scene, body);
    if (solid == nullptr) continue;
    bodies.emplace_back(&body, solid->whole);
    const geometry::Aabb box = geometry::BoundsInPose(solid->whole, body.X_WB);
    if (!std::isfinite(Norm(box.upper - box.lower))) continue;
    if (!all) all = box;
    *all = {Min(all->lower, box.lower), Max(all->upper, box.upper)};
  }
  const Vec3 center = all ? 0.5 * (all->lower + all->upper) : Vec3{};
  const double radius = all ? 0.5 * Norm(all->upper - all->lower) : 1.0;
  BodyMeshes meshes(center, radius, options);
  std::size_t others = 0;
  for (const auto& [body, cells] : bodies) {
    meshes.Add(body->name, cells, body->X_WB, host::BodyColor(body->fixed, others));
    others += body->fixed ? 0 : 1;
  }
  meshes.Write(scene);
}

void WriteShape(const std::string& name, const geometry::Shape& shape,
                const MeshArguments& options) {
  std::vector<geometry::Cell> cells;
  try {
    cells = geometry::ToCells(shape);
  } catch (const std::invalid_argument& error) {
    throw InputError(options.file + ": " + name + ": " + error.what());
  }
  PlacedMesh placed;
  placed.name = name;
  placed.mesh = MakeMesh(name, cells, options);
  WriteFile(options.out, {name, std::span(&placed, 1)});
}

int RunMesh(const MeshArguments& options) {
  if (options.deviation < 0 || !std::isfinite(options.deviation)) {
    throw InputError(fmt::format("command line: --deviation: not a length ({}). Give it in m.",
                                 options.deviation));
  }
  host::RequireMeshName(options.out);
  host::RequireWritable(options.out);
  host::RequireOther(options.out, options.file);
  RequireKind(options.file, "mesh", {FileKind::kScene, FileKind::kPairs, FileKind::kResults});
  if (IsHdf5(options.file)) {
    if (!options.shape.empty()) {
      throw InputError("command line: --shape: not for results (" + options.file +
                       "). Leave it out, or name the scene's file.");
    }
    WriteResults(options);
  } else {
    const auto shapes = LoadPairs(options.file);
    Warn(shapes.warnings);
    if (options.shape.empty() && shapes.is_scene) {
      WriteScene(options);
    } else {
      const auto [name, shape] = ChooseShape("mesh", options.file, options.shape);
      WriteShape(name, *shape, options);
    }
  }
  std::cout << options.out << '\n';
  return kDone;
}

}  // namespace

void AddMesh(CLI::App& app, int& status) {
  const auto options = std::make_shared<MeshArguments>();
  CLI::App* command = app.add_subcommand(
      "mesh", "Write a shape, or all bodies of a scene, as triangles of the exact surfaces");
  command->add_option("file", options->file, "Scene or pairs file, YAML; or results, HDF5")
      ->required();
  command->add_option("--shape", options->shape,
                      "Which shape; without it all bodies of a scene, where they start");
  command->add_option("-o,--out", options->out,
                      "File: .stl, .obj or .glb, in metres; default mesh.glb");
  command->add_option("--deviation", options->deviation,
                      "Largest distance of a triangle from the exact surface [m]; default: a "
                      "thousandth of the body's diagonal");
  command->callback([options, &status] { status = RunMesh(*options); });
}

}  // namespace intervox::cli
