/** @file Bodies of Polyhedron's member functions. */
#pragma once

#include <cmath>

#include "cuda/polyhedron.h"

namespace intervox::cuda {

namespace internal {

// Unit normals closer than this are one direction: rounding of two rotations.
inline constexpr double kSameNormal = 1e-13;
// Corners within this many coincidence distances make it worth comparing planes.
inline constexpr double kClose = 1e4;

}  // namespace internal

template <int kCorners, int kFaces>
INTERVOX_HD Cut Polyhedron<kCorners, kFaces>::Clip(const ClipPlane& plane, double on,
                                                   double coincide) {
  const double* x = x_[current_];
  const double* y = y_[current_];
  const double* z = z_[current_];
  double lowest = 0, highest = 0;
  for (int i = 0; i < corners_; ++i) {
    d_[i] = std::fma(plane.n.x, x[i],
                     std::fma(plane.n.y, y[i], std::fma(plane.n.z, z[i], -plane.offset)));
  }
  lowest = highest = d_[0];
  for (int i = 1; i < corners_; ++i) {
    lowest = d_[i] < lowest ? d_[i] : lowest;
    highest = d_[i] > highest ? d_[i] : highest;
  }
  // Corners where planes meet at a small angle may lie off them, so faces are compared as planes.
  const double close = internal::kClose * coincide;
  if (highest < -close) return Cut::kNone;
  if (lowest >= -coincide) return Cut::kEmpty;
  if (highest <= close || lowest >= -close) {
    const Cut cut = FindCoincident(plane, coincide);
    if (cut != Cut::kNone) return cut;
  }
  if (highest <= on) return Cut::kNone;

  if (planes_ == 2 * kFaces) return Cut::kFull;
  table_[planes_] = plane;
  Work work;
  const int next = current_ ^ 1;
  for (int i = 0; i < corners_; ++i) {
    if (d_[i] >= -on && d_[i] <= on) d_[i] = 0;
    if (d_[i] > 0) {
      map_[i] = -1;
      continue;
    }
    x_[next][work.corners] = x[i];
    y_[next][work.corners] = y[i];
    z_[next][work.corners] = z[i];
    map_[i] = work.corners++;
  }
  begin_[next][0] = 0;
  for (int f = 0; f < faces_ && !work.full; ++f) CutFace(f, &work);
  AddCap(planes_, &work);
  if (work.full) return Cut::kFull;
  ++planes_;
  current_ = next;
  corners_ = work.corners;
  faces_ = work.faces;
  return faces_ < 4 ? Cut::kEmpty : Cut::kCut;
}

template <int kCorners, int kFaces>
INTERVOX_HD Cut Polyhedron<kCorners, kFaces>::FindCoincident(const ClipPlane& plane,
                                                             double coincide) {
  for (int f = 0; f < faces_; ++f) {
    ClipPlane& face = table_[plane_[current_][f]];
    const Vec3 apart = Abs(face.n - plane.n), facing = Abs(face.n + plane.n);
    const double gap = plane.offset - face.offset;
    if (apart.x <= internal::kSameNormal && apart.y <= internal::kSameNormal &&
        apart.z <= internal::kSameNormal) {
      if (gap < -coincide || gap > coincide) continue;
      // Each of two coincident faces counts half; a face of the starting box counts nothing.
      const bool shared = face.bodies != 0 && (face.bodies & plane.bodies) == 0;
      face.weight = shared             ? 0.5 * (face.weight + plane.weight)
                    : face.bodies == 0 ? plane.weight
                                       : face.weight;
      face.bodies |= plane.bodies;
      return Cut::kCoincident;
    }
    if (facing.x <= internal::kSameNormal && facing.y <= internal::kSameNormal &&
        facing.z <= internal::kSameNormal && plane.offset + face.offset <= coincide) {
      return Cut::kEmpty;
    }
  }
  return Cut::kNone;
}

template <int kCorners, int kFaces>
INTERVOX_HD int Polyhedron<kCorners, kFaces>::FindCrossing(int inside, int outside, Work* work) {
  if (d_[inside] == 0) return map_[inside];
  for (int i = 0; i < work->crossings; ++i) {
    if (crossing_[i].inside == inside && crossing_[i].outside == outside) {
      return crossing_[i].corner;
    }
  }
  if (work->crossings == kFaces || work->corners == kCorners) {
    work->full = true;
    return 0;
  }
  // From the nearer end, so that rounding is relative to the shorter step.
  const double a = -d_[inside], b = d_[outside];
  const bool from_inside = a <= b;
  const int u = from_inside ? inside : outside, w = from_inside ? outside : inside;
  const double t = (from_inside ? a : b) / (a + b);
  const int now = current_, next = current_ ^ 1, corner = work->corners++;
  x_[next][corner] = x_[now][u] + t * (x_[now][w] - x_[now][u]);
  y_[next][corner] = y_[now][u] + t * (y_[now][w] - y_[now][u]);
  z_[next][corner] = z_[now][u] + t * (z_[now][w] - z_[now][u]);
  crossing_[work->crossings++] = {inside, outside, corner};
  return corner;
}

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::CloseFace(int first, int plane, Work* work) {
  const int next = current_ ^ 1;
  if (work->loop < first + 3) {
    work->loop = first;
    return;
  }
  if (work->faces == kFaces) {
    work->full = true;
    return;
  }
  plane_[next][work->faces] = plane;
  begin_[next][++work->faces] = work->loop;
}

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::CutFace(int f, Work* work) {
  const int* loop = loop_[current_] + begin_[current_][f];
  const int count = begin_[current_][f + 1] - begin_[current_][f];
  const int first = work->loop;
  int outside = 0;
  for (int i = 0; i < count; ++i) outside += map_[loop[i]] < 0;
  if (outside == count) return;
  if (first + 2 * count > kLoop) {
    work->full = true;
    return;
  }
  if (outside == 0) {
    for (int i = 0; i < count; ++i) Push(map_[loop[i]], work);
    CloseFace(first, plane_[current_][f], work);
    return;
  }
  int left_at = -1, entered_first = -1;
  for (int i = 0; i < count; ++i) {
    const int u = loop[i], w = loop[i + 1 < count ? i + 1 : 0];
    if (map_[u] >= 0) {
      Push(map_[u], work);
      if (map_[w] >= 0) continue;
      left_at = FindCrossing(u, w, work);
      if (left_at != map_[u]) Push(left_at, work);
    } else if (map_[w] >= 0) {
      const int entered = FindCrossing(w, u, work);
      if (entered != map_[w]) Push(entered, work);
      if (left_at < 0) {
        entered_first = entered;
      } else {
        AddEdge(entered, left_at, work);
        left_at = -1;
      }
    }
  }
  if (entered_first >= 0) AddEdge(entered_first, left_at, work);
  CloseFace(first, plane_[current_][f], work);
}

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::AddCap(int plane, Work* work) {
  // One loop, unless rounding made the cut outline touch itself.
  if (work->loop + work->edges > kLoop) work->full = true;
  while (work->edges > 0 && !work->full) {
    const int first = work->loop;
    const int start = edge_[0].from;
    int at = start;
    do {
      int e = 0;
      while (e < work->edges && edge_[e].from != at) ++e;
      if (e == work->edges) break;
      Push(at, work);
      at = edge_[e].to;
      edge_[e] = edge_[--work->edges];
    } while (at != start && !work->full);
    CloseFace(first, plane, work);
  }
}

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::GetBox(Vec3* lower, Vec3* upper) const {
  *lower = *upper = Corner(0);
  for (int i = 1; i < corners_; ++i) {
    *lower = Min(*lower, Corner(i));
    *upper = Max(*upper, Corner(i));
  }
}

template <int kCorners, int kFaces>
INTERVOX_HD Moments Polyhedron<kCorners, kFaces>::Integrate(const Vec3& about, double* area) const {
  Moments sum;
  double total = 0;
  for (int f = 0; f < faces_; ++f) {
    const int* loop = loop_[current_] + begin_[current_][f];
    const int count = begin_[current_][f + 1] - begin_[current_][f];
    const Vec3 u = Corner(loop[0]) - about;
    Vec3 v = Corner(loop[1]) - about;
    Vec3 s, g;
    for (int i = 2; i < count; ++i) {
      const Vec3 w = Corner(loop[i]) - about;
      const Vec3 a = Cross(v - u, w - u);  // twice the area vector
      const double t = Dot(u, a);          // six times the volume
      const Vec3 c = u + v + w;
      s += a;
      g += Cross(c, a);
      sum.v += t;
      sum.m += t * c;
      sum.q += t * (Scaled(u, u) + Scaled(v, v) + Scaled(w, w) + Scaled(c, c));
      sum.d += t * Vec3{u.x * u.y + v.x * v.y + w.x * w.y + c.x * c.y,
                        u.x * u.z + v.x * v.z + w.x * w.z + c.x * c.z,
                        u.y * u.z + v.y * v.z + w.y * w.z + c.y * c.z};
      v = w;
    }
    const double weight = Plane(f).weight;
    sum.s += weight * s;
    sum.g += weight * g;
    const Vec3 magnitude = Abs(s);
    total += magnitude.x + magnitude.y + magnitude.z;
  }
  sum.v *= 1.0 / 6;
  sum.m *= 1.0 / 24;
  sum.q *= 1.0 / 120;
  sum.d *= 1.0 / 120;
  sum.s *= 0.5;
  sum.g *= 1.0 / 6;
  *area = 0.5 * total;
  return sum;
}

}  // namespace intervox::cuda
