#include "host/cli/export_vtk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <numbers>

#include "host/cli/file_kind.h"
#include "host/cli/frames.h"
#include "host/input/error.h"
#include "host/mesh/bodies.h"
#include "host/mesh/vtk.h"
#include "host/render/film.h"

namespace intervox::cli {
namespace {

using host::VtkArray;
using host::VtkPolyData;

/** Triangles of the bounded bodies; null for the others. */
std::vector<std::shared_ptr<const host::Triangles>> MakeMeshes(const host::Film& film,
                                                               double deviation) {
  std::vector<std::shared_ptr<const host::Triangles>> meshes;
  std::map<const geometry::Cell*, std::shared_ptr<const host::Triangles>> known;
  for (const host::FilmBody& body : film.Bodies()) {
    auto& mesh = known[body.cells.data()];
    if (!mesh && body.is_bounded && !body.cells.empty()) {
      const double most = deviation > 0 ? deviation : host::DefaultDeviation(body.cells);
      mesh = std::make_shared<const host::Triangles>(host::Triangulate(body.cells, most));
    }
    if (!body.is_bounded) std::cerr << "intervox: left out, unbounded: " << body.name << '\n';
    meshes.push_back(body.is_bounded ? mesh : nullptr);
  }
  return meshes;
}

bool StandsStill(const host::FilmBody& body) {
  return std::all_of(body.poses.begin(), body.poses.end(), [&](const Pose& X) {
    return Norm(X.p - body.poses.front().p) == 0 && X.R.row0 == body.poses.front().R.row0 &&
           X.R.row1 == body.poses.front().R.row1;
  });
}

/** The bodies that stand still, or those that move, as they are at a sample. */
VtkPolyData BodiesAt(const host::Film& film, int sample, bool still,
                     const std::vector<std::shared_ptr<const host::Triangles>>& meshes) {
  VtkPolyData data;
  VtkArray body{"body", 1, {}, true};
  for (std::size_t b = 0; b < meshes.size(); ++b) {
    if (!meshes[b] || StandsStill(film.Bodies()[b]) != still) continue;
    const int first = static_cast<int>(data.points.size());
    for (const Vec3& p_B : meshes[b]->p) {
      data.points.push_back(film.Bodies()[b].poses[sample] * p_B);
    }
    for (const auto& t : meshes[b]->triangles) {
      data.polygons.push_back({first + t[0], first + t[1], first + t[2]});
      body.values.push_back(static_cast<double>(b));
    }
  }
  data.of_cells = {body};
  return data;
}

void Append(VtkArray* array, const Vec3& v) {
  for (int i = 0; i < 3; ++i) array->values.push_back(v[i]);
}

/** The contacts of a sample with what they hold: ellipses, or points. */
VtkPolyData ContactsAt(const host::Film& film, int sample, bool as_ellipses) {
  VtkPolyData data;
  VtkArray force{"force", 3, {}, false}, normal{"normal", 3, {}, false};
  VtkArray pressure{"normal_force", 1, {}, false}, volume{"volume", 1, {}, false};
  VtkArray body_i{"body_i", 1, {}, true}, body_j{"body_j", 1, {}, true};
  constexpr int kCorners = 32;
  for (const host::FilmContact& c : film.ContactsAt(sample)) {
    if (!(c.volume > 0)) continue;
    if (as_ellipses) {
      const host::PatchMark mark = host::MarkOfPatch(c.p_WC, c.n, c.volume, c.J_W, 0, HUGE_VAL);
      const Vec3 second = mark.second * Normalized(Cross(c.n, mark.axis));
      std::vector<int> corners;
      for (int k = 0; k < kCorners; ++k) {
        const double angle = 2 * std::numbers::pi * k / kCorners;
        corners.push_back(static_cast<int>(data.points.size()));
        data.points.push_back(c.p_WC + std::cos(angle) * mark.axis + std::sin(angle) * second);
      }
      data.polygons.push_back(corners);
    } else {
      data.points.push_back(c.p_WC);
    }
    // The force on the body that moves.
    const double sign = film.Bodies()[c.body_i].is_fixed ? -1 : 1;
    Append(&force, sign * c.force);
    Append(&normal, c.n);
    pressure.values.push_back(std::fabs(Dot(c.force, c.n)));
    volume.values.push_back(c.volume);
    body_i.values.push_back(c.body_i);
    body_j.values.push_back(c.body_j);
  }
  data.points_are_cells = !as_ellipses;
  data.of_cells = {force, normal, pressure, volume, body_i, body_j};
  // ParaView's glyphs take vectors of points.
  if (!as_ellipses) data.of_points = {force};
  return data;
}

}  // namespace

void ExportVtk(const std::filesystem::path& results, const VtkOptions& options) {
  RequireKind(results.string(), "export --vtk", {FileKind::kResults});
  const host::Film film(results);
  const std::set<int> samples = ChooseSamples(film, options.frames);
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (!std::filesystem::is_directory(options.folder)) {
    throw host::InputError(options.folder.string() +
                           ": export: the folder cannot be made. Name another with --vtk.");
  }
  const auto meshes = MakeMeshes(film, options.deviation);
  host::VtkPart still, bodies, patches, forces;
  const VtkPolyData standing = BodiesAt(film, 0, true, meshes);
  if (!standing.points.empty()) host::WriteVtp(options.folder / "still.vtp", standing);
  for (const int sample : samples) {
    const double time = film.Time(sample);
    const auto add = [&](const char* kind, const VtkPolyData& data, host::VtkPart* series) {
      const std::string name = fmt::format("{}_{:06d}.vtp", kind, sample);
      host::WriteVtp(options.folder / name, data);
      series->emplace_back(time, name);
    };
    if (!standing.points.empty()) still.emplace_back(time, "still.vtp");
    add("bodies", BodiesAt(film, sample, false, meshes), &bodies);
    add("patches", ContactsAt(film, sample, true), &patches);
    add("forces", ContactsAt(film, sample, false), &forces);
  }
  const auto write = [&](const char* name, const std::vector<host::VtkPart>& parts) {
    host::WritePvd(options.folder / name, parts);
    std::cout << (options.folder / name).string() << '\n';
  };
  write("bodies.pvd", {still, bodies});
  write("patches.pvd", {patches});
  write("forces.pvd", {forces});
}

}  // namespace intervox::cli
