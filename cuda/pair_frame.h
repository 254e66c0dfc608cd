/** @file The order and the frame of a pair: what makes its metrics independent of place and of
 * swapping.
 */
#pragma once

#include <cmath>

#include "cuda/cell_view.h"

namespace intervox::cuda {

/** A cell in the frame L. */
struct PosedView {
  const CellView& cell;
  const Pose& X_LC;
};

/** A pair's cells in canonical order, posed in a frame L with world axes and an origin inside the
 smaller bounded cell. Positions are subtracted before anything is rotated, so no digit is lost far
 from the world's origin. */
struct PairFrame {
  CellView a;
  CellView b;
  Pose X_LA;
  Pose X_LB;
  Vec3 p_WL;             ///< origin of L in the world [m]
  bool swapped = false;  ///< a is the query's B: S and G change sign on the way out
  int first = 0;         ///< the smaller bounded cell: 0 a, 1 b; -1 both are unbounded

  /** Cell a for 0, b for 1. */
  INTERVOX_HD PosedView Of(int body) const {
    return body == 0 ? PosedView{a, X_LA} : PosedView{b, X_LB};
  }
};

namespace internal {

INTERVOX_HD inline int Compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

INTERVOX_HD inline int Compare(const Vec3& a, const Vec3& b) {
  int order = Compare(a.x, b.x);
  if (order == 0) order = Compare(a.y, b.y);
  return order != 0 ? order : Compare(a.z, b.z);
}

INTERVOX_HD inline int Compare(const Mat3& a, const Mat3& b) {
  int order = Compare(a.row0, b.row0);
  if (order == 0) order = Compare(a.row1, b.row1);
  return order != 0 ? order : Compare(a.row2, b.row2);
}

INTERVOX_HD inline int Compare(const geometry::Surface& a, const geometry::Surface& b) {
  int order = static_cast<int>(a.kind) - static_cast<int>(b.kind);
  if (order == 0) order = a.side - b.side;
  if (order == 0) order = static_cast<int>(a.cut) - static_cast<int>(b.cut);
  if (order == 0) order = Compare(a.e, b.e);
  if (order == 0) order = Compare(a.o, b.o);
  if (order == 0) order = Compare(a.R, b.R);
  if (order == 0) order = Compare(a.l, b.l);
  return order != 0 ? order : Compare(a.c, b.c);
}

INTERVOX_HD inline int Compare(const CellView& a, const CellView& b) {
  if (a.surfaces == b.surfaces) return 0;
  if (a.surface_count != b.surface_count) return a.surface_count - b.surface_count;
  for (int i = 0; i < a.surface_count; ++i) {
    const int order = Compare(a.surfaces[i], b.surfaces[i]);
    if (order != 0) return order;
  }
  return 0;
}

INTERVOX_HD inline bool IsFinite(const Vec3& v) {
  // NaN and infinity survive a multiplication by zero; nothing else does.
  return 0.0 * v.x + 0.0 * v.y + 0.0 * v.z == 0.0;
}

// R must be orthonormal and right-handed to the accuracy that bounds, volumes and normals rely on.
INTERVOX_HD inline bool IsRotation(const Mat3& R) {
  constexpr double kTolerance = 1e-6;
  // Two orthonormal rows and their cross product.
  const double d = Dot(R.row0, R.row1), u = Dot(R.row0, R.row0) - 1, v = Dot(R.row1, R.row1) - 1;
  const double square = d * d + u * u + v * v + SquaredNorm(Cross(R.row0, R.row1) - R.row2);
  // False for NaN too.
  return square < kTolerance * kTolerance;
}

}  // namespace internal

/** Orders and places a pair. False when a pose is not finite or not rigid, or a cell has no
 * surface.
 */
INTERVOX_HD inline bool MakePairFrame(const PairView& query, PairFrame* frame) {
  using internal::Compare;
  if (!internal::IsFinite(query.X_WA.p) || !internal::IsFinite(query.X_WB.p)) return false;
  if (!internal::IsRotation(query.X_WA.R) || !internal::IsRotation(query.X_WB.R)) return false;
  if (query.a.surface_count < 1 || query.b.surface_count < 1) return false;
  int order = Compare(query.a, query.b);
  if (order == 0) order = Compare(query.X_WA.p, query.X_WB.p);
  if (order == 0) order = Compare(query.X_WA.R, query.X_WB.R);
  frame->swapped = order > 0;
  frame->a = frame->swapped ? query.b : query.a;
  frame->b = frame->swapped ? query.a : query.b;
  const Pose& X_WA = frame->swapped ? query.X_WB : query.X_WA;
  const Pose& X_WB = frame->swapped ? query.X_WA : query.X_WB;
  const CellView& a = frame->a;
  const CellView& b = frame->b;
  if (a.bounded && b.bounded) {
    frame->first = SquaredNorm(b.bounds->half) < SquaredNorm(a.bounds->half) ? 1 : 0;
  } else {
    frame->first = a.bounded ? 0 : b.bounded ? 1 : -1;
  }
  frame->X_LA.R = X_WA.R;
  frame->X_LB.R = X_WB.R;
  if (frame->first == 1) {
    const Vec3 r = X_WB.R * b.bounds->X.p;
    frame->X_LB.p = -r;
    frame->X_LA.p = (X_WA.p - X_WB.p) - r;
    frame->p_WL = X_WB.p + r;
  } else {
    const Vec3 r = frame->first == 0 ? X_WA.R * a.bounds->X.p : Vec3{};
    frame->X_LA.p = -r;
    frame->X_LB.p = (X_WB.p - X_WA.p) - r;
    frame->p_WL = X_WA.p + r;
  }
  return true;
}

namespace internal {

// Relative slack that covers rounding and the vanishing cross products of parallel edges.
inline constexpr double kBoxSlack = 1e-12;

INTERVOX_HD inline Vec3 Magnitudes(const Vec3& v) {
  return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)};
}

// Boxes with half extents u and v; the second's axes R and centre t as seen from the first.
INTERVOX_HD inline bool BoxesApart(const Vec3& u, const Vec3& v, const Mat3& R, const Vec3& t) {
  const Vec3 slack{kBoxSlack, kBoxSlack, kBoxSlack};
  const Vec3 m[3] = {Magnitudes(R.row0) + slack, Magnitudes(R.row1) + slack,
                     Magnitudes(R.row2) + slack};
  const Vec3 gap_u = Magnitudes(t) - u - Vec3{Dot(m[0], v), Dot(m[1], v), Dot(m[2], v)};
  if (gap_u.x > 0 || gap_u.y > 0 || gap_u.z > 0) return true;
  const Vec3 gap_v = Magnitudes(TransposeTimes(R, t)) - v - (u.x * m[0] + u.y * m[1] + u.z * m[2]);
  if (gap_v.x > 0 || gap_v.y > 0 || gap_v.z > 0) return true;
  // The products of an axis of the first with those of the second.
  const auto apart = [&](double t1, double t2, const Vec3& r1, const Vec3& r2, double u1, double u2,
                         const Vec3& m0, const Vec3& m1, const Vec3& m2) {
    const Vec3 gap =
        Magnitudes(t2 * r1 - t1 * r2) - (u1 * m2 + u2 * m1) -
        Vec3{v.y * m0.z + v.z * m0.y, v.x * m0.z + v.z * m0.x, v.x * m0.y + v.y * m0.x};
    return gap.x > 0 || gap.y > 0 || gap.z > 0;
  };
  return apart(t.y, t.z, R.row1, R.row2, u.y, u.z, m[0], m[1], m[2]) ||
         apart(t.z, t.x, R.row2, R.row0, u.z, u.x, m[1], m[2], m[0]) ||
         apart(t.x, t.y, R.row0, R.row1, u.x, u.y, m[2], m[0], m[1]);
}

// Whether a plane of the cell has the box X, half wholly outside.
INTERVOX_HD inline bool PlanesExclude(const CellView& cell, const Pose& X_LC, const Pose& X,
                                      const Vec3& half) {
  for (int i = 0; i < cell.surface_count; ++i) {
    const geometry::Surface& s = cell.surfaces[i];
    if (s.kind != geometry::SurfaceKind::kPlane) continue;
    const Vec3 n_C = s.side * s.PlaneNormal();
    const Vec3 n = X_LC.R * n_C;
    const double middle = Dot(n, X.p - X_LC.p) - Dot(n_C, s.o);
    if (middle > (1 + kBoxSlack) * Dot(Abs(TransposeTimes(X.R, n)), half)) return true;
  }
  return false;
}

}  // namespace internal

/** Whether the bounds of the two cells are certainly apart: the separating axes of two oriented
 boxes, or the planes of an unbounded cell against the other's box. About 0.1 µs. */
INTERVOX_HD inline bool AreApart(const PairFrame& frame) {
  if (frame.first < 0) return false;
  const CellView& a = frame.a;
  const CellView& b = frame.b;
  if (a.bounded && b.bounded) {
    const Pose X_LA = frame.X_LA * a.bounds->X;
    const Pose X_LB = frame.X_LB * b.bounds->X;
    return internal::BoxesApart(a.bounds->half, b.bounds->half, Transpose(X_LA.R) * X_LB.R,
                                TransposeTimes(X_LA.R, X_LB.p - X_LA.p));
  }
  return a.bounded
             ? internal::PlanesExclude(b, frame.X_LB, frame.X_LA * a.bounds->X, a.bounds->half)
             : internal::PlanesExclude(a, frame.X_LA, frame.X_LB * b.bounds->X, b.bounds->half);
}

}  // namespace intervox::cuda
