#include "host/parts/convex_shell.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/convex_hull.h"
#include "host/input/error.h"
#include "host/parts/defects.h"
#include "host/parts/edges.h"
#include "host/scene/text.h"

namespace intervox::host {
namespace {

/** Twice the area of a triangle as a vector along its normal. */
Vec3 AreaVector2(const TriangleMesh& mesh, int t) {
  const auto& v = mesh.triangles[t];
  return Cross(mesh.p[v[1]] - mesh.p[v[0]], mesh.p[v[2]] - mesh.p[v[0]]);
}

int OppositeCorner(const std::array<int, 3>& t, const HalfEdge& edge) {
  return *std::find_if(t.begin(), t.end(),
                       [&](int v) { return v != edge.lower && v != edge.upper; });
}

/** The deepest edge that bends inwards: how far the corner beyond it rises above the plane of the
 larger triangle, whose normal is the surer one. */
ConvexVerdict DeepestBend(const TriangleMesh& mesh) {
  ConvexVerdict bend;
  ForEachEdge(SortedEdges(mesh), [&](std::span<const HalfEdge> edge) {
    int a = edge[0].triangle, b = edge[1].triangle;
    if (SquaredNorm(AreaVector2(mesh, a)) < SquaredNorm(AreaVector2(mesh, b))) std::swap(a, b);
    const Vec3 n = AreaVector2(mesh, a);
    const double norm = Norm(n);
    if (!(norm > 0)) return;
    const Vec3& corner = mesh.p[OppositeCorner(mesh.triangles[b], edge[0])];
    const double height = Dot(n, corner - mesh.p[edge[0].lower]) / norm;
    if (height <= bend.depth) return;
    bend.depth = height;
    bend.where = 0.5 * (mesh.p[edge[0].lower] + mesh.p[edge[0].upper]);
  });
  return bend;
}

/** The triangle that is farthest from every face of the hull. */
ConvexVerdict DeepestTriangle(const TriangleMesh& mesh,
                              const std::vector<geometry::PlaneCut>& faces) {
  ConvexVerdict deepest;
  for (const auto& t : mesh.triangles) {
    double nearest = HUGE_VAL;
    for (const geometry::PlaneCut& face : faces) {
      double depth = 0;
      for (const int v : t) depth = std::max(depth, face.d - Dot(face.n, mesh.p[v]));
      nearest = std::min(nearest, depth);
    }
    if (nearest <= deepest.depth) continue;
    deepest.depth = nearest;
    deepest.where = (1.0 / 3) * (mesh.p[t[0]] + mesh.p[t[1]] + mesh.p[t[2]]);
  }
  return deepest;
}

[[noreturn]] void Fail(const std::string& label, const std::string& what,
                       const std::string& remedy) {
  throw InputError(label + ": part: " + what + ". " + remedy);
}

/** Why a closed shell is no exact hull; empty where it is one, or flat. */
std::string WhyNoHull(const TriangleMesh& shell, ConvexVerdict* verdict) {
  if (EnclosedVolume(shell) < 0) return "it has a hollow at " + Text(shell.p.front());
  try {
    *verdict = JudgeConvex(shell);
  } catch (const std::length_error&) {
    return "its hull has more than " + std::to_string(geometry::kMostHullTriangles) + " triangles";
  }
  const bool is_flat = verdict->faces == 0 && verdict->depth <= ConvexTolerance(shell);
  if (verdict->is_convex || is_flat) return "";
  const Defect crossings = FindCrossings(shell);
  return "at " + Text(verdict->where) + " it is " + Text(verdict->depth) + " deep inside its hull" +
         (crossings.count > 0 ? "; " + DefectText(crossings) : "");
}

}  // namespace

double ConvexTolerance(const TriangleMesh& mesh) {
  const auto [lower, upper] = geometry::BoxAround(mesh.p);
  const Vec3 far = Max(Abs(lower), Abs(upper));
  return 1e-6 * Norm(upper - lower) + 4e-7 * std::max({far.x, far.y, far.z});
}

ConvexVerdict JudgeConvex(const TriangleMesh& shell) {
  const double tolerance = ConvexTolerance(shell);
  ConvexVerdict verdict = DeepestBend(shell);
  if (verdict.depth > tolerance) return verdict;
  const std::vector<geometry::PlaneCut> faces = geometry::ConvexHull(shell.p);
  if (faces.empty()) return verdict;
  verdict = DeepestTriangle(shell, faces);
  verdict.faces = static_cast<int>(faces.size());
  const double turns = WindingNumber(shell, geometry::Mean(shell.p));
  verdict.is_convex = verdict.depth <= tolerance && std::abs(turns - 1) < 0.01;
  return verdict;
}

void RequireClosed(const TriangleMesh& mesh, const std::string& label, const std::string& remedy) {
  std::string list;
  for (const Defect& defect : FindDefects(mesh)) {
    list += (list.empty() ? "" : "; ") + DefectText(defect);
  }
  if (!list.empty()) Fail(label, "no closed surface: " + list, remedy);
}

ConvexShells ConvexShellsOf(const TriangleMesh& mesh, const std::string& label) {
  ConvexShells convex;
  for (const Defect& defect : FindDefects(mesh)) {
    if (defect.kind != DefectKind::kNonManifold) continue;
    convex.why_not = DefectText(defect);
    return convex;
  }
  std::vector<TriangleMesh> shells = Shells(mesh);
  const std::size_t all = shells.size();
  std::size_t others = 0;
  std::string first;
  for (TriangleMesh& shell : shells) {
    ConvexVerdict verdict;
    const std::string why = WhyNoHull(shell, &verdict);
    if (!why.empty()) {
      if (others++ == 0) first = why;
    } else if (verdict.faces == 0) {
      Fail(label, "the surface at " + Text(shell.p.front()) + " is flat", "Remove it.");
    } else if (others == 0) {
      const double volume = EnclosedVolume(shell);
      convex.shells.push_back({std::move(shell), verdict, volume});
    }
  }
  if (others > 0) {
    convex.shells.clear();
    convex.why_not = "not convex (" + std::to_string(others) + " of " + std::to_string(all) +
                     (all == 1 ? " shell" : " shells") + "): " + first;
  }
  return convex;
}

}  // namespace intervox::host
