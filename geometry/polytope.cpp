#include "geometry/polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
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
/** Below this determinant three pairs of opposite cuts bound too wide a box. */
constexpr double kSlab = 0.1;

/** Two parallel cuts that keep nothing are this far apart, in sizes of what is clipped: their
 normals may differ by 1e-12, which at the corners of the clipping cube is a tenth of it. */
constexpr double kApart = 1e-5;

/** Working memory of ClipFace, which runs for each pair of cuts. */
struct FaceScratch {
  std::vector<double> s;
  PolytopeFace out;
};

void ClipFace(PolytopeFace* face, const PlaneCut& cut, int index, double tolerance,
              FaceScratch* scratch) {
  const std::size_t n = face->p.size();
  if (scratch->s.size() < n) scratch->s.resize(n);
  double* const s = scratch->s.data();
  PolytopeFace& out = scratch->out;
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

/** One pass over all cuts about `center`; those from `number` on are walls of the clipping cube. */
Polytope ClipAll(std::span<const PlaneCut> all, int number, const Vec3& center, double half_width,
                 double tolerance, bool judge_flatness) {
  thread_local PolytopeFace face;
  thread_local std::vector<Vec3> rough;
  thread_local FaceScratch kept;
  FaceScratch* const scratch = &kept;
  Polytope P;
  P.tolerance = tolerance;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const Mat3 R = FrameAlong(all[i].n);
    const Vec3 o = center + (all[i].d - Dot(all[i].n, center)) * all[i].n;
    const double h = 2 * half_width;  // reaches beyond the cube's diagonal
    if (std::abs(all[i].d - Dot(all[i].n, center)) > h) continue;
    const Vec3 u = h * R.Col(0), v = h * R.Col(1);
    face.cut = i;
    face.p.assign({o - u - v, o + u - v, o + u + v, o - u + v});
    face.edge.assign(4, -1);
    for (int j = 0; j < static_cast<int>(all.size()) && !face.p.empty(); ++j) {
      if (j == i) continue;
      const bool parallel = SquaredNorm(all[j].n - all[i].n) < 1e-24;
      if (parallel && std::abs(all[j].d - Dot(all[j].n, o)) <= tolerance) {
        if (j < i) face.p.clear();  // coincident: the first one owns the face
        continue;
      }
      ClipFace(&face, all[j], j, tolerance, scratch);
    }
    if (face.p.size() < 3) continue;
    rough = face.p;
    for (std::size_t k = 0; k < rough.size(); ++k) {
      const int before = face.edge[(k + rough.size() - 1) % rough.size()];
      const int after = face.edge[k];
      if (before >= 0 && after >= 0) {
        face.p[k] = CommonPoint(all[i], all[before], all[after], rough[k]);
      }
    }
    if (i >= number) P.bounded = false;
    P.faces.push_back(face);
  }
  std::size_t corners = 0;
  for (const PolytopeFace& face : P.faces) corners += face.p.size();
  P.vertices.reserve(corners);
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

/** One pass over all cuts inside the cube about `center`. */
Polytope ClipInCube(std::span<const PlaneCut> cuts, const Vec3& center, double half_width,
                    double tolerance) {
  std::vector<PlaneCut> all(cuts.begin(), cuts.end());
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      PlaneCut wall;
      wall.n[axis] = sign;
      wall.d = sign * center[axis] + half_width;
      all.push_back(wall);
    }
  }
  return ClipAll(all, static_cast<int>(cuts.size()), center, half_width, tolerance, false);
}

/** Where a bounded polytope lies: its middle and its largest extent along an axis. */
struct Place {
  Vec3 center;
  double extent = 0;
};

Place PlaceOf(const Polytope& P) {
  const Vec3 size = P.upper - P.lower;
  return {0.5 * (P.lower + P.upper), std::max({size.x, size.y, size.z})};
}

/** One pass over cuts that bound what they hold, with tolerances that follow its size. */
Polytope ClipBounded(std::span<const PlaneCut> cuts, const Place& place) {
  const double tolerance = kRelativeTolerance * place.extent + 4e-16 * Norm(place.center);
  return ClipAll(cuts, static_cast<int>(cuts.size()), place.center, 2 * place.extent, tolerance,
                 true);
}

/** The box around three independent pairs of opposite cuts, as most bounded cells have them: then
 no cube need be clipped. Nothing where there are none, or a pair leaves less than rounding shows.
 @param apart  out: by how much a pair leaves less than nothing; then there is no box [m] */
std::optional<Place> BetweenSlabs(std::span<const PlaneCut> cuts, double* apart) {
  Mat3 N = Mat3::Zero();  // rows: the normals of the slabs
  Vec3 middle, half;
  int found = 0;
  for (std::size_t i = 0; i < cuts.size() && found < 3; ++i) {
    const Vec3& n = cuts[i].n;
    if (found == 1 && SquaredNorm(Cross(N.Row(0), n)) < kSlab * kSlab) continue;
    if (found == 2 && std::abs(Dot(Cross(N.Row(0), N.Row(1)), n)) < kSlab) continue;
    double upper = cuts[i].d, lower = -std::numeric_limits<double>::infinity();
    for (const PlaneCut& other : cuts) {
      if (SquaredNorm(other.n + n) < 1e-24) lower = std::max(lower, -other.d);
      if (SquaredNorm(other.n - n) < 1e-24) upper = std::min(upper, other.d);
    }
    if (!(upper - lower > kSlab * kRelativeTolerance * (std::abs(upper) + std::abs(lower)))) {
      if (std::isfinite(lower)) {
        *apart = lower - upper;
        return std::nullopt;
      }
      continue;
    }
    if (!std::isfinite(lower)) continue;
    for (int k = 0; k < 3; ++k) N(found, k) = n[k];
    middle[found] = 0.5 * (lower + upper);
    half[found] = 0.5 * (upper - lower);
    ++found;
  }
  if (found < 3) return std::nullopt;
  const Vec3 a = N.Row(0), b = N.Row(1), c = N.Row(2);
  const double det = Dot(a, Cross(b, c));
  const Vec3 columns[3] = {Cross(b, c) / det, Cross(c, a) / det, Cross(a, b) / det};
  Place place;
  Vec3 reach;
  for (int k = 0; k < 3; ++k) {
    place.center += middle[k] * columns[k];
    reach += half[k] * Abs(columns[k]);
  }
  place.extent = 2 * std::max({reach.x, reach.y, reach.z});
  return place;
}

}  // namespace

Polytope ClipPolytope(std::span<const PlaneCut> cuts, double scale) {
  double apart = 0.0;
  if (const std::optional<Place> place = BetweenSlabs(cuts, &apart)) {
    Polytope P = ClipBounded(cuts, *place);
    if (P.empty) return P;
    const Place own = PlaceOf(P);
    return own.extent < 0.5 * place->extent ? ClipBounded(cuts, own) : P;
  }
  const double near = kNearReach * scale;
  if (apart > kApart * scale) {
    Polytope nothing;
    nothing.empty = true;
    nothing.tolerance = 1e-15 * near;
    return nothing;
  }
  const double reach = kUnboundedReach * scale;
  Polytope P = ClipInCube(cuts, {}, reach, 1e-15 * reach);
  if (P.empty) {  // so it seems where rounding at the large cube's corners flattens thin results
    P = ClipInCube(cuts, {}, near, 1e-15 * near);
    P.empty = P.empty || !P.bounded;
    if (P.empty) return P;
  }
  if (!P.bounded) {
    const double far = kUnboundedReach * std::max(scale, 1.0);
    return far > reach ? ClipInCube(cuts, {}, far, 1e-15 * reach) : P;
  }
  return ClipBounded(cuts, PlaceOf(P));  // about the result
}

Vec3 Mean(std::span<const Vec3> points) {
  Vec3 sum;
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

PlaneCut ToCut(const Surface& plane, int id) {
  const Vec3 n = plane.side * plane.PlaneNormal();
  return {n, Dot(n, plane.o), id};
}

std::vector<Vec3> ClipPolygon(std::span<const Vec3> p, const Vec3& n, double d, double tolerance) {
  PolytopeFace face;
  face.p.assign(p.begin(), p.end());
  face.edge.assign(p.size(), -1);
  FaceScratch scratch;
  ClipFace(&face, {n, d, -1}, -1, tolerance, &scratch);
  return face.p;
}

}  // namespace intervox::geometry
