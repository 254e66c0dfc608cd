// `intervox rasterize`: a shape as a sparse level set, its volume against the exact one.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iostream>
#include <memory>

#include "geometry/bounds.h"
#include "geometry/shape.h"
#include "host/cli/cli.h"
#include "host/cli/input_files.h"
#include "host/cli/render_command.h"
#include "host/cli/validators.h"
#include "host/input/error.h"
#include "host/input/writable.h"
#include "host/scene/shape_metrics.h"
#ifdef INTERVOX_HAS_OPENVDB
#include "geometry/openvdb/rasterize.h"
#endif

namespace intervox::cli {
namespace {

struct RasterizeArguments {
  std::string file;
  std::string shape;
  std::string out = "out.vdb";
  double voxel_size = 0.0;
  double half_width = 3.0;
};

#ifdef INTERVOX_HAS_OPENVDB
int RunRasterize(const RasterizeArguments& options) {
  const auto [name, shape] = ChooseShape("rasterize", options.file, options.shape);
  host::RequireWritable(options.out);
  host::RequireOther(options.out, options.file);
  host::RequireExtension(options.out, std::array{".vdb", ".nvdb"});
  std::vector<geometry::Cell> cells;
  geometry::RasterReport report;
  double voxel_size = options.voxel_size;
  const auto start = std::chrono::steady_clock::now();
  try {
    cells = geometry::ToCells(*shape);
    if (voxel_size == 0) {
      const geometry::Aabb box = geometry::BoundsInPose(cells, Pose::Identity());
      const double size = Norm(box.upper - box.lower);
      voxel_size = std::isfinite(size) ? size / 100 : 1.0;  // Rasterize refuses unbounded solids
    }
    report = geometry::Rasterize(cells, voxel_size, options.half_width, name, options.out);
  } catch (const std::invalid_argument& error) {
    throw host::InputError(options.file + ": " + name + ": " + error.what());
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  host::MeasureOptions measure;
  measure.tolerance = 1e-6;
  const double exact = host::MeasureSolid(Engine(), cells, measure).sum.volume;
  std::cout << fmt::format(
      "{}: {} cells, {} active voxels of {:.4g} m, {:.1f} MB, {:.2f} s -> {}\n"
      "volume: grid {:.9g} m^3, exact {:.9g} m^3, difference {:+.3e} (relative)\n",
      name, cells.size(), report.active_voxels, voxel_size,
      1e-6 * static_cast<double>(report.bytes), seconds, options.out, report.volume, exact,
      report.volume / exact - 1);
  return kDone;
}
#else
int RunRasterize(const RasterizeArguments& options) {
  ChooseShape("rasterize", options.file, options.shape);
  throw host::InputError(
      "command line: rasterize: this program was built without OpenVDB (INTERVOX_OPENVDB=OFF). "
      "Build the release preset.");
}
#endif

}  // namespace

void AddRasterize(CLI::App& app, int& status) {
  const auto options = std::make_shared<RasterizeArguments>();
  CLI::App* command =
      app.add_subcommand("rasterize", "Write a shape as a narrow-band level set (OpenVDB)");
  command->add_option("file", options->file, "Pairs file with `shapes`")->required();
  command->add_option("--shape", options->shape, "Which shape; may be left out for the only one");
  command->add_option("-o,--out", options->out,
                      "OpenVDB file, or NanoVDB's (.nvdb); default out.vdb");
  command
      ->add_option("--voxel-size", options->voxel_size,
                   "Edge of a voxel [m]; default: a hundredth of the solid's diagonal")
      ->check(InRange(1e-12, 1e6));
  command->add_option("--half-width", options->half_width, "Half width of the band in voxels");
  command->callback([options, &status] { status = RunRasterize(*options); });
}

}  // namespace intervox::cli
