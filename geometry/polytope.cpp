#include "geometry/polytope.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

/** A length relative to the result's size that counts as zero. */
constexpr double kRelativeTolerance = 1e-12;
/** How far a small cube reaches, in sizes of what is clipped. */
constexpr double kNearReach = 8;
/** Below this determinant three unit normals do not define a point well. */
constexpr double kIndependent = 1e-5;

void ClipFace(PolytopeFace* face, const PlaneCut& cut, int index, double tolerance) {
  const std::size_t n = face->p.size();
  thread_local std::vector<double> s;  // kept: this runs for each pair of cuts
  thread_local PolytopeFace out;
  s.resize(n);
  double lo = 0, hi = 0;
  for (std::size_t k = 0; k < n; ++k) {
    s[k] = Dot(cut.n, face->p[k]) - cut.d;
    lo = k == 0 ? s[k] : std::min(lo, s[k]);
    hi = k == 0 ? s[k] : std::max(hi, s[k]);
  }
  if (hi <= tolerance) return;
  if (lo >= -tolerance) {
    face->p.clear();
    face->edge.clear();
    return;
  }
  out.p.clear();
  out.edge.clear();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = (k + 1) % n;
    const bool inside = s[k] <= tolerance;
    const bool next_inside = s[next] <= tolerance;
    if (inside) {
      out.p.push_back(face->p[k]);
      out.edge.push_back(face->edge[k]);
    }
    if (inside == next_inside) continue;
    const bool at_vertex = std::abs(inside ? s[k] : s[next]) <= tolerance;
    if (inside) {
      if (at_vertex) {  // the edge leaves at this very vertex
        out.edge.back() = index;
        continue;
      }
    } else if (at_vertex) {
      continue;
    }
    const double t = s[k] / (s[k] - s[next]);
    out.p.push_back(face->p[k] + t * (face->p[next] - face->p[k]));
    out.edge.push_back(inside ? index : face->edge[k]);
  }
  std::swap(face->p, out.p);
  std::swap(face->edge, out.edge);
  if (face->p.size() < 3) {
    face->p.clear();
    face->edge.clear();
  }
}

Vec3 CommonPoint(const PlaneCut& a, const PlaneCut& b, const PlaneCut& c, const Vec3& near) {
  const Vec3 bc = Cross(b.n, c.n), ca = Cross(c.n, a.n), ab = Cross(a.n, b.n);
  const double det = Dot(a.n, bc);
  if (std::abs(det) < kIndependent) return near;
  const auto offset = [&near](const PlaneCut& cut) { return cut.d - Dot(cut.n, near); };
  return near + (offset(a) * bc + offset(b) * ca + offset(c) * ab) / det;
}

/** One pass over all cuts inside the cube about `center`. */
Polytope Clip(std::span<const PlaneCut> cuts, const Vec3& center, double half_width,
              double tolerance, bool judge_flatness) {
  std::vector<PlaneCut> all(cuts.begin(), cuts.end());
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      PlaneCut wall;
      wall.n[axis] = sign;
      wall.d = sign * center[axis] + half_width;
      all.push_back(wall);
    }
  }
  Polytope P;
  P.tolerance = tolerance;
  const int number = static_cast<int>(cuts.size());
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const Mat3 R = FrameAlong(all[i].n);
    const Vec3 o = center + (all[i].d - Dot(all[i].n, center)) * all[i].n;
    const double h = 2 * half_width;  // reaches beyond the cube's diagonal
    if (std::abs(all[i].d - Dot(all[i].n, center)) > h) continue;
    const Vec3 u = h * R.Col(0), v = h * R.Col(1);
    PolytopeFace face{i, {o - u - v, o + u - v, o + u + v, o - u + v}, {-1, -1, -1, -1}};
    for (int j = 0; j < static_cast<int>(all.size()) && !face.p.empty(); ++j) {
      if (j == i) continue;
      const bool parallel = SquaredNorm(all[j].n - all[i].n) < 1e-24;
      if (parallel && std::abs(all[j].d - Dot(all[j].n, o)) <= tolerance) {
        if (j < i) face.p.clear();  // coincident: the first one owns the face
        continue;
      }
      ClipFace(&face, all[j], j, tolerance);
    }
    if (face.p.size() < 3) continue;
    const std::vector<Vec3> rough = face.p;
    for (std::size_t k = 0; k < rough.size(); ++k) {
      const int before = face.edge[(k + rough.size() - 1) % rough.size()];
      const int after = face.edge[k];
      if (before >= 0 && after >= 0) {
        face.p[k] = CommonPoint(all[i], all[before], all[after], rough[k]);
      }
    }
    if (i >= number) P.bounded = false;
    P.faces.push_back(std::move(face));
  }
  for (const PolytopeFace& face : P.faces) {
    P.vertices.insert(P.vertices.end(), face.p.begin(), face.p.end());
  }
  P.empty = P.vertices.empty();
  if (P.empty) return P;
  P.lower = P.upper = P.vertices.front();
  for (const Vec3& v : P.vertices) {
    P.lower = Min(P.lower, v);
    P.upper = Max(P.upper, v);
  }
  if (!judge_flatness) return P;
  for (const PlaneCut& cut : all) {  // flat: no vertex lies well inside some cut
    double depth = 0;
    for (const Vec3& v : P.vertices) depth = std::max(depth, cut.d - Dot(cut.n, v));
    if (depth <= 4 * tolerance) P.empty = true;
  }
  return P;
}

}  // namespace

Polytope ClipPolytope(std::span<const PlaneCut> cuts, double scale) {
  const double reach = kUnboundedReach * scale;
  Polytope P = Clip(cuts, {}, reach, 1e-15 * reach, false);
  if (P.empty) {  // so it seems where rounding at the large cube's corners flattens thin results
    const double near = kNearReach * scale;
    P = Clip(cuts, {}, near, 1e-15 * near, false);
    P.empty = P.empty || !P.bounded;
    if (P.empty) return P;
  }
  if (!P.bounded) {
    const double far = kUnboundedReach * std::max(scale, 1.0);
    return far > reach ? Clip(cuts, {}, far, 1e-15 * reach, false) : P;
  }
  // Again about the result, so that tolerances follow its own size.
  const Vec3 center = 0.5 * (P.lower + P.upper);
  const Vec3 size = P.upper - P.lower;
  const double extent = std::max({size.x, size.y, size.z});
  const double tolerance = kRelativeTolerance * extent + 4e-16 * Norm(center);
  return Clip(cuts, center, 2 * extent, tolerance, true);
}

PlaneCut ToCut(const Surface& plane, int id) {
  const Vec3 n = plane.side * plane.PlaneNormal();
  return {n, Dot(n, plane.o), id};
}

std::vector<Vec3> ClipPolygon(std::span<const Vec3> p, const Vec3& n, double d, double tolerance) {
  PolytopeFace face;
  face.p.assign(p.begin(), p.end());
  face.edge.assign(p.size(), -1);
  ClipFace(&face, {n, d, -1}, -1, tolerance);
  return face.p;
}

}  // namespace intervox::geometry
