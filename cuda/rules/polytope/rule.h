/** @file Exact metrics of overlaps that planes bound. */
#pragma once

#include <cmath>

#include "cuda/local_pair.h"
#include "cuda/pair_frame.h"
#include "cuda/rules/polytope/polyhedron.h"

namespace intervox::cuda {

/** Room for the pairs of a simulation: boxes, wedges, hulls of up to forty faces. 12 KiB. */
using SmallPolyhedron = Polyhedron<96, 48>;

/** What became of a planar pair. */
struct PolytopeOutcome {
  Status status = Status::kDisjoint;
  bool full = false;       ///< the polyhedron was too small: run again with a larger one
  bool contained = false;  ///< one cell contains the other
  Moments moments;         ///< about p_WL
  Vec3 p_WL;               ///< [m]
  double error = 0.0;      ///< bound on the rounding of V [m³]
  int faces = 0;
};

namespace internal {

/** Room for the sums over a polyhedron's faces. */
using PolytopeSums = Place<TriangleSums<SmallPolyhedron::kWide>>;

// Rounding of a coordinate, and how close faces must be to be one; both relative to the numbers
// that went into a plane's offset and a corner's position.
inline constexpr double kRounding = 2.5e-16;
inline constexpr double kCoincidence = 5e-14;

// a·b + c with one rounding for each term.
INTERVOX_HD inline double FusedDot(const Vec3& a, const Vec3& b, double c) {
  return std::fma(a.x, b.x, std::fma(a.y, b.y, std::fma(a.z, b.z, c)));
}

INTERVOX_HD inline Vec3 FusedTransform(const Pose& X, const Vec3& p) {
  return {FusedDot(X.R.row0, p, X.p.x), FusedDot(X.R.row1, p, X.p.y), FusedDot(X.R.row2, p, X.p.z)};
}

// |x| + |y| + |z|.
INTERVOX_HD inline double OneNorm(const Vec3& v) {
  return std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z);
}

// The outward plane of surface s of a cell of body (0: A, 1: B), and the size of its offset's
// terms but for |X_LC.p|.
INTERVOX_HD inline ClipPlane ToClipPlane(const geometry::Surface& s, const Pose& X_LC, int body,
                                         double* scale) {
  const Vec3 n_C = s.side * s.PlaneNormal();
  const Vec3 n = X_LC.R * n_C;
  const double offset_C = Dot(n_C, s.o);
  *scale = std::fabs(offset_C);
  return {n, FusedDot(n, X_LC.p, offset_C), s.cut ? 0.0 : body == 0 ? -0.5 : 0.5, 1 << body};
}

// The cell's own closed surface. False when the polyhedron is too small.
template <class P>
INTERVOX_HD bool Start(const CellView& cell, const Pose& X_LC, int body, P* polyhedron) {
  polyhedron->Begin();
  for (int i = 0; i < cell.corner_count; ++i) {
    if (!polyhedron->AddCorner(FusedTransform(X_LC, cell.corners[i]))) return false;
  }
  for (int f = 0; f < cell.face_count; ++f) {
    double scale = 0;
    const ClipPlane plane = ToClipPlane(cell.surfaces[cell.faces[f].surface], X_LC, body, &scale);
    if (!polyhedron->AddFace(plane, cell.faces[f].half_edge)) return false;
  }
  return polyhedron->SetHalfEdges(cell.half_edges, cell.half_edge_count);
}

// Cuts with every plane of the cell; kNone and kCoincident are reported as kCut.
template <class P>
INTERVOX_HD Cut ClipByPlanes(const CellView& cell, const Pose& X_LC, int body, double size,
                             P* polyhedron) {
  const double reach = size + OneNorm(X_LC.p);
  for (int i = 0; i < cell.surface_count; ++i) {
    if (cell.surfaces[i].kind != geometry::SurfaceKind::kPlane) continue;
    double scale = 0;
    const ClipPlane plane = ToClipPlane(cell.surfaces[i], X_LC, body, &scale);
    scale += reach;
    const Cut cut = polyhedron->Clip(plane, kRounding * scale, kCoincidence * scale);
    if (cut == Cut::kEmpty || cut == Cut::kFull) return cut;
  }
  return Cut::kCut;
}

// Whether some direction never leaves either cell's planes: then their overlap is empty or
// infinite.
template <class P>
INTERVOX_HD bool HasRecession(const PairFrame& frame, P* polyhedron) {
  // The cone of n·x ≤ 0 has an interior, a ray or nothing but its apex. Planes moved outward by a
  // little keep rays: they leave the unit box, the apex's neighbourhood does not.
  constexpr double kSlack = 1e-9;
  polyhedron->SetBox(Vec3{-1, -1, -1}, Vec3{1, 1, 1});
  for (int body = 0; body < 2; ++body) {
    const CellView& cell = body == 0 ? frame.a : frame.b;
    const Mat3& R = body == 0 ? frame.X_LA.R : frame.X_LB.R;
    for (int i = 0; i < cell.surface_count; ++i) {
      const geometry::Surface& s = cell.surfaces[i];
      if (s.kind != geometry::SurfaceKind::kPlane) continue;
      const Cut cut = polyhedron->Clip({s.side * (R * s.PlaneNormal()), kSlack, 0, 0}, 0, 0);
      if (cut == Cut::kEmpty || cut == Cut::kFull) return false;
    }
  }
  Vec3 lower, upper;
  polyhedron->GetBox(&lower, &upper);
  const Vec3 reach = Max(Abs(lower), Abs(upper));
  return reach.x > 0.5 || reach.y > 0.5 || reach.z > 0.5;
}

// The planes of both cells out of a huge box about both frames; for pairs of two unbounded cells.
template <class P>
INTERVOX_HD Cut ClipUnbounded(const PairFrame& frame, double* size, P* polyhedron) {
  double reach = 0;
  for (int body = 0; body < 2; ++body) {
    const auto [cell, X_LC] = frame.Of(body);
    for (int i = 0; i < cell.surface_count; ++i) {
      if (cell.surfaces[i].kind != geometry::SurfaceKind::kPlane) continue;
      const Vec3 o = Abs(X_LC * cell.surfaces[i].o);
      reach += o.x + o.y + o.z;
    }
  }
  // Sharp wedges reach beyond their planes' points; a second round has a box that fits.
  constexpr double kReach = 1e5;
  const double half = kReach * (reach > 0 ? reach : 1.0);
  Vec3 lower{-half, -half, -half}, upper{half, half, half};
  Cut cut = Cut::kEmpty;
  for (int round = 0; round < 2; ++round) {
    const Vec3 margin = 0.01 * (upper - lower);
    polyhedron->SetBox(lower - margin, upper + margin);
    const Vec3 span = upper - lower;
    *size = span.x + span.y + span.z;
    cut = ClipByPlanes(frame.a, frame.X_LA, 0, *size, polyhedron);
    if (cut == Cut::kCut) cut = ClipByPlanes(frame.b, frame.X_LB, 1, *size, polyhedron);
    if (cut != Cut::kCut) return cut;
    polyhedron->GetBox(&lower, &upper);
  }
  return cut;
}

// Clips the overlap of two polytopes into the polyhedron.
template <class P>
INTERVOX_HD Cut ClipPair(const PairFrame& frame, double* size, P* polyhedron) {
  const auto [first, X_LF] = frame.Of(frame.first);
  const auto [second, X_LS] = frame.Of(1 - frame.first);
  *size = OneNorm(first.bounds->half) + OneNorm(X_LF.p);
  if (first.corner_count > 0) {
    if (!Start(first, X_LF, frame.first, polyhedron)) return Cut::kFull;
  } else {
    // Wide of the bounds, so that every face of the cell is cut out of it.
    polyhedron->SetBox(X_LF * first.bounds->X, 1.0625 * first.bounds->half);
    const Cut cut = ClipByPlanes(first, X_LF, frame.first, *size, polyhedron);
    if (cut != Cut::kCut) return cut;
  }
  return ClipByPlanes(second, X_LS, 1 - frame.first, *size, polyhedron);
}

// (T2), (T3): moments, error and flags of what is left.
template <class P>
INTERVOX_HD void Finish(const PairFrame& frame, double size, const P& polyhedron,
                        PolytopeSums* room, PolytopeOutcome* out) {
  const Vec3 about = polyhedron.Corner(0);
  double area = 0;
  out->moments = polyhedron.Integrate(&area, room);
  out->p_WL = frame.p_WL + about;
  out->faces = polyhedron.faces();
  // Each coordinate is off by a few roundings of `size`, which moves every face by as much.
  out->error = 8 * kRounding * size * area;
  if (!(out->moments.v > 0)) return;
  out->status = Status::kOk;
  bool only_a = true, only_b = true;
  double weights = 0;
  for (int f = 0; f < polyhedron.faces(); ++f) {
    only_a = only_a && (polyhedron.Bodies(f) & 1) != 0;
    only_b = only_b && (polyhedron.Bodies(f) & 2) != 0;
    const double w = polyhedron.Weight(f) - polyhedron.Weight(0);
    weights += w * w;
  }
  out->contained = only_a || only_b;
  // A closed surface of one weight has no area vector; rounding must not give it a direction.
  if (weights == 0) out->moments.s = out->moments.g = Vec3{};
}

}  // namespace internal

/** The overlap of two cells that only planes bound: exact to rounding, about 1e-12 of V times
 max(1, 1e-4 size/depth). Serial; about 1 µs for boxes. */
template <class P>
INTERVOX_HD PolytopeOutcome PolytopePair(const PairFrame& frame, P* polyhedron,
                                         internal::PolytopeSums* room) {
  PolytopeOutcome out;
  double size = 0;
  Cut cut = Cut::kEmpty;
  if (frame.first >= 0) {
    cut = internal::ClipPair(frame, &size, polyhedron);
  } else {
    const bool recession = internal::HasRecession(frame, polyhedron);
    cut = internal::ClipUnbounded(frame, &size, polyhedron);
    if (cut == Cut::kCut && recession) {
      out.status = Status::kUnbounded;
      return out;
    }
  }
  out.full = cut == Cut::kFull;
  if (cut == Cut::kCut) internal::Finish(frame, size, *polyhedron, room, &out);
  return out;
}

/** The same for a prepared pair, about its own origin: its planes out of its box, in `polyhedron`.
 Refuses curved surfaces. */
template <class P>
INTERVOX_HD RuleResult PolytopeRule(const LocalPair& pair, P* polyhedron, Moments* moments) {
  if (pair.planes != pair.count) return {};
  const Vec3 margin = 0.0625 * (pair.upper - pair.lower);
  polyhedron->SetBox(pair.lower - margin, pair.upper + margin);
  const Vec3 span = Abs(pair.upper) + Abs(pair.lower);
  const double size = span.x + span.y + span.z;
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 n = s.side * s.PlaneNormal();
    const Cut cut =
        polyhedron->Clip({n, Dot(n, s.o), pair.surface[i].weight, 1 << pair.surface[i].body},
                         internal::kRounding * size, internal::kCoincidence * size);
    if (cut == Cut::kFull) return {};
    if (cut == Cut::kEmpty) {
      *moments = {};
      return {true, 0.0, i + 1};
    }
  }
  double area = 0;
  *moments = Shifted(polyhedron->Integrate(&area), polyhedron->Corner(0));
  return {true, 8 * internal::kRounding * size * area, polyhedron->faces()};
}

}  // namespace intervox::cuda
