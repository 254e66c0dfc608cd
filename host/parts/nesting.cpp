#include "host/parts/nesting.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/box_around.h"
#include "host/input/error.h"
#include "host/parts/defects.h"

namespace intervox::host {
namespace {

/** A shell with the box of its vertices. */
struct Shell {
  TriangleMesh mesh;
  geometry::Aabb box;
  bool is_hollow = false;
  int depth = 0;  ///< how many shells it lies in
};

/** How often other shells go round a shell, and how many of them do. */
struct Surroundings {
  int turns = 0;
  int depth = 0;
};

/** Looks from the shell's first vertex that lies on no other shell; from the last, if need be. */
Surroundings SurroundingsOf(const std::vector<Shell>& shells, const Shell& shell) {
  Surroundings around;
  for (const Vec3& p : shell.mesh.p) {
    around = {};
    bool is_clear = true;
    for (const Shell& other : shells) {
      const Vec3 out = Max(other.box.lower - p, p - other.box.upper);
      if (&other == &shell || std::max({out.x, out.y, out.z}) > 0) continue;
      const double turns = WindingNumber(other.mesh, p);
      is_clear = is_clear && std::abs(turns - std::round(turns)) < 0.01;
      around.turns += static_cast<int>(std::round(turns));
      around.depth += std::round(turns) != 0;
    }
    if (is_clear) break;
  }
  return around;
}

/** A shell with its box; which way it faces is told by its volume. */
Shell Boxed(TriangleMesh mesh) {
  Shell shell{std::move(mesh), {}};
  shell.box = geometry::BoxAround(shell.mesh.p);
  shell.is_hollow = EnclosedVolume(shell.mesh) < 0;
  return shell;
}

}  // namespace

std::vector<int> FreeInwardShells(const std::vector<TriangleMesh>& shells) {
  std::vector<Shell> boxed;
  boxed.reserve(shells.size());
  for (const TriangleMesh& mesh : shells) boxed.push_back(Boxed(mesh));
  std::vector<int> free;
  for (int s = 0; s < static_cast<int>(boxed.size()); ++s) {
    if (boxed[s].is_hollow && SurroundingsOf(boxed, boxed[s]).depth % 2 == 0) free.push_back(s);
  }
  return free;
}

std::vector<ShellLayer> LayersOf(const TriangleMesh& mesh, const std::string& label) {
  std::vector<Shell> shells;
  bool has_hollow = false;
  for (TriangleMesh& part : Shells(mesh)) {
    shells.push_back(Boxed(std::move(part)));
    has_hollow = has_hollow || shells.back().is_hollow;
  }
  if (!has_hollow) return {{mesh, 0}};

  Defect inverted{DefectKind::kInverted, 0, {}};
  std::vector<const Shell*> order;
  for (Shell& shell : shells) {
    const Surroundings around = SurroundingsOf(shells, shell);
    shell.depth = around.depth;
    if (shell.is_hollow && around.turns < 1 && inverted.count++ == 0) {
      inverted.where = shell.mesh.p.front();
    }
    // Within two solids at once it leaves one: no boundary.
    if (!shell.is_hollow || around.turns == 1) order.push_back(&shell);
  }
  if (inverted.count > 0) {
    throw InputError(label + ": part: " + DefectText(inverted) +
                     ", and in no solid whose hollow it could be. Turn its triangles, or remove "
                     "it, in the program that made it.");
  }
  std::stable_sort(order.begin(), order.end(), [](const Shell* a, const Shell* b) {
    return a->depth != b->depth ? a->depth < b->depth : a->is_hollow > b->is_hollow;
  });
  std::vector<ShellLayer> layers;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Shell& shell = *order[i];
    if (i == 0 || shell.depth != order[i - 1]->depth ||
        shell.is_hollow != order[i - 1]->is_hollow) {
      layers.emplace_back();
    }
    Append(shell.mesh, &layers.back().mesh);
    layers.back().hollows += shell.is_hollow ? 1 : 0;
  }
  return layers;
}

}  // namespace intervox::host
