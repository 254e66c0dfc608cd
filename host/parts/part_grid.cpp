#include "host/parts/part_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "geometry/grid/level_set.h"
#include "host/input/error.h"
#include "host/parts/defects.h"
#include "host/parts/nesting.h"
#include "host/scene/grids.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** Voxels along the diagonal where no voxel size is given. */
constexpr double kVoxelsOfDiagonal = 100;

/** A number for people, of six digits. */
std::string Short(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

/** Most voxels near the surface: some 2 GB and minutes. */
constexpr double kMostVoxels = 1e8;

double AreaOf(const TriangleMesh& mesh) {
  double area = 0;
  for (const auto& t : mesh.triangles) {
    area += 0.5 * Norm(Cross(mesh.p[t[1]] - mesh.p[t[0]], mesh.p[t[2]] - mesh.p[t[0]]));
  }
  return area;
}

/** The longest edge of all triangles. */
double LongestEdgeOf(const TriangleMesh& mesh) {
  double longest = 0;
  for (const auto& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      longest = std::max(longest, Norm(mesh.p[t[(i + 1) % 3]] - mesh.p[t[i]]));
    }
  }
  return longest;
}

/** Refuses voxels that are too many for the triangles, before memory is taken for them: those near
 their area, and, as a needle has none, those around the longest edge. */
void RequireFewVoxels(const std::filesystem::path& path, const TriangleMesh& mesh, double area,
                      double h, double half_width) {
  const double reach = half_width + 1, longest = LongestEdgeOf(mesh);
  const double flat = 2 * reach * area, round = std::numbers::pi * reach * reach * longest;
  const double voxels = flat / (h * h) + round / h;
  if (voxels <= kMostVoxels) return;
  const double fits = (round + std::sqrt(round * round + 4 * kMostVoxels * flat)) / kMostVoxels / 2;
  throw InputError(path.string() + ": part: in the file's units, voxels of " + Short(h) +
                   " are about " + Short(1e-6 * voxels) + " million near its surface of area " +
                   Short(area) + " with edges of up to " + Short(longest) +
                   ", and more than 100 million; use voxels of " + Short(1.01 * fits) +
                   " or more.");
}

/** What to say of voxels that are too large for what is as thick as a plate of this volume and
 area; empty where they are not. A ball of radius R is 2R/3 thick by that, a cube a third of its
 edge. */
std::string CoarseText(double volume, double area, double h) {
  constexpr double kThinnest = 1.5;  // voxels: a ball of R = 2.25 h loses some 15 %, walls vanish
  const double thick = 2 * volume / area;
  if (!(thick < kThinnest * h)) return "";
  return "in the file's units, it is " + Short(thick) +
         " thick in the mean, twice its volume over its area, and its voxels are " + Short(h) +
         ": volume and contacts are far off. Use voxels below " + Short(thick / 3) +
         ", in these units; a 'voxel_size' is in metres.";
}

/** The volume of a grid's inside, by what its nodes have of the voxels around them [voxels]. */
double VolumeOf(const geometry::LevelSet& field) {
  constexpr int kEdge = geometry::kBlockEdge, kSide = geometry::kBlockSide;
  double sum = 0;
  for (const std::int32_t place : field.places) {
    if (place == geometry::kAbsentInside) sum += kEdge * kEdge * kEdge;
    if (place < 0) continue;
    const float* f = field.nodes.data() + static_cast<std::size_t>(place) * geometry::kBlockNodes;
    for (int n = 0; n < kEdge * kEdge * kEdge; ++n) {  // without those of the next blocks
      const int at = (n / (kEdge * kEdge) * kSide + n / kEdge % kEdge) * kSide + n % kEdge;
      sum += std::clamp(0.5 - f[at], 0.0, 1.0);
    }
  }
  return sum;
}

/** What to say of a grid that fills more than its triangles enclose: what can be reached only
 through gaps of less than some two voxels counts as inside. Empty where it does not. */
std::string FilledUpText(double filled, double enclosed, double h) {
  constexpr double kMore = 1.05;
  if (!(filled > kMore * enclosed)) return "";
  return "in the file's units, its triangles enclose " + Short(enclosed) + ", and its grid fills " +
         Short(filled) + ": what lies behind gaps of less than some two voxels of " + Short(h) +
         " was taken for inside. Use smaller voxels.";
}

/** The box of all vertices. */
std::array<Vec3, 2> BoxOf(const std::vector<PartObject>& objects) {
  Vec3 lower = objects.front().part.mesh.p.front(), upper = lower;
  for (const PartObject& object : objects) {
    for (const Vec3& p : object.part.mesh.p) {
      lower = Min(lower, p);
      upper = Max(upper, p);
    }
  }
  return {lower, upper};
}

}  // namespace

std::string CountText(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string ExtentText(const std::vector<PartObject>& objects) {
  const std::array<Vec3, 2> box = BoxOf(objects);
  return "from " + Text(box[0]) + " to " + Text(box[1]);
}

std::string LostDigits(const PartObject& object) {
  const double step = object.part.step;
  if (object.part.mesh.p.empty()) return "";
  const std::array<Vec3, 2> box = BoxOf({object});
  const double diagonal = Norm(box[1] - box[0]);
  if (!std::isfinite(step) || !(step > kCoarseStep * diagonal)) return "";
  return "coordinates were read in single precision, which so far from the origin, at " +
         Text(box[1]) + ", knows multiples of " + Short(step) + ", where the part is " +
         Short(diagonal) +
         " long, in the file's units; what is finer is lost. Move it to the origin before it is "
         "exported, or export .obj.";
}

double DiagonalOf(const std::vector<PartObject>& objects) {
  const std::array<Vec3, 2> box = BoxOf(objects);
  return Norm(box[1] - box[0]);
}

geometry::ShapePtr GridOfObjects(const std::filesystem::path& path,
                                 const std::vector<PartObject>& objects, const PartOptions& options,
                                 const std::string& name, std::string* became,
                                 std::vector<std::string>* warnings) {
  const std::array<Vec3, 2> box = BoxOf(objects);
  const double h = options.voxel_size.value_or(Norm(box[1] - box[0]) / kVoxelsOfDiagonal);
  // Objects with hollows are solids of their own, which others may lie in.
  std::vector<std::vector<ShellLayer>> solids;
  TriangleMesh all, full;
  std::size_t hollows = 0;
  for (const PartObject& object : objects) {
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
  const double area = AreaOf(all), volume = EnclosedVolume(all);
  RequireFewVoxels(path, all, area, h, options.half_width);
  const Defect crossings = FindCrossings(all);
  geometry::Shape shape;
  shape.name = name;
  shape.operation = geometry::Operation::kGrid;
  try {
    shape.grid = GridOfMeshes(solids, h, options.half_width);
  } catch (const std::invalid_argument& error) {
    throw InputError(path.string() + ": part: in the file's units, " + error.what() +
                     (options.voxel_size ? ". Voxel sizes here are in metres."
                                         : ". Give a 'voxel_size' in metres."));
  }
  shape.grid.file = path.string();
  shape.grid.text = "file: " + Quoted(path.string()) + (options.y_is_up ? ", up: y" : "") +
                    (options.repair ? ", repair: true" : "");
  *became = "a grid of " + std::to_string(shape.grid.field->active) + " voxels of " + Short(h) +
            (options.voxel_size ? "" : ", a hundredth of the diagonal,") + " near its surface" +
            (hollows > 0 ? " with " + CountText(hollows, "hollow", "hollows") : "") +
            ", triangles enclosing " + Short(volume) +
            (crossings.count > 0 ? ", where " + DefectText(crossings) : "");
  std::string coarse = CoarseText(volume, area, h);
  if (coarse.empty()) coarse = FilledUpText(h * h * h * VolumeOf(*shape.grid.field), volume, h);
  if (!coarse.empty()) warnings->push_back(path.string() + ": part: " + coarse);
  return std::make_shared<const geometry::Shape>(std::move(shape));
}

}  // namespace intervox::host
