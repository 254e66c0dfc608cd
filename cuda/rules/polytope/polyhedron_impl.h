/** @file Bodies of Polyhedron's member functions. */
#pragma once

#include <cmath>

#include "cuda/moments/triangle_sums.h"
#include "cuda/rules/polytope/polyhedron.h"

namespace intervox::cuda {

namespace internal {

// Unit normals closer than this are one direction: rounding of two rotations.
inline constexpr double kSameNormal = 1e-13;
// Corners within this many coincidence distances make it worth comparing planes.
inline constexpr double kClose = 1e4;

// Loops over these arrays have no branches: compilers turn them into vector instructions.
template <int N>
struct Extremes {
  double low[N], high[N];
  INTERVOX_HD double Lowest() const {
    double lowest = low[0];
    for (int k = 1; k < N; ++k) lowest = low[k] < lowest ? low[k] : lowest;
    return lowest;
  }
  INTERVOX_HD double Highest() const {
    double highest = high[0];
    for (int k = 1; k < N; ++k) highest = high[k] > highest ? high[k] : highest;
    return highest;
  }
};

}  // namespace internal

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::SetBox(const Pose& X, const Vec3& half) {
  constexpr std::int32_t kBoxLoops[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                            {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  Begin();
  const Vec3 axis[3] = {X.R.Col(0), X.R.Col(1), X.R.Col(2)};
  const Vec3 u = half.x * axis[0], v = half.y * axis[1], w = half.z * axis[2];
  for (int i = 0; i < 8; ++i) {
    AddCorner(X.p + ((i & 1 ? u : -u) + (i & 2 ? v : -v) + (i & 4 ? w : -w)));
  }
  for (int k = 0; k < 3; ++k) {
    const double middle = Dot(axis[k], X.p);
    AddFace(kBoxLoops[2 * k], 4, {-axis[k], half[k] - middle, 0.0, 0});
    AddFace(kBoxLoops[2 * k + 1], 4, {axis[k], half[k] + middle, 0.0, 0});
  }
}

template <int kCorners, int kFaces>
INTERVOX_HD Cut Polyhedron<kCorners, kFaces>::Clip(const ClipPlane& plane, double on,
                                                   double coincide) {
  Work work;
  work.x = x_[current_];
  work.y = y_[current_];
  work.z = z_[current_];
  internal::Extremes<kWide> extremes;
  for (int i = 0; i < corners_; i += kWide) {
    double d[kWide];
    for (int k = 0; k < kWide; ++k) {
      d[k] = std::fma(
          plane.n.x, work.x[i + k],
          std::fma(plane.n.y, work.y[i + k], std::fma(plane.n.z, work.z[i + k], -plane.offset)));
    }
    for (int k = 0; k < kWide; ++k) d_[i + k] = d[k];
    if (i == 0) {
      for (int k = 0; k < kWide; ++k) extremes.low[k] = extremes.high[k] = d[k];
    }
    for (int k = 0; k < kWide; ++k) {
      extremes.low[k] = d[k] < extremes.low[k] ? d[k] : extremes.low[k];
      extremes.high[k] = d[k] > extremes.high[k] ? d[k] : extremes.high[k];
    }
  }
  const double lowest = extremes.Lowest(), highest = extremes.Highest();
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
  const int next = current_ ^ 1;
  work.to_x = x_[next];
  work.to_y = y_[next];
  work.to_z = z_[next];
  work.from_loop = loop_[current_];
  work.loop_out = loop_[next];
  for (int i = 0; i < corners_; ++i) {
    if (d_[i] >= -on && d_[i] <= on) d_[i] = 0;
    // Written in any case and kept if inside.
    work.to_x[work.kept] = work.x[i];
    work.to_y[work.kept] = work.y[i];
    work.to_z[work.kept] = work.z[i];
    const bool inside = d_[i] <= 0;
    map_[i] = static_cast<Index>(inside ? work.kept : -1);
    work.kept += inside;
  }
  begin_[next][0] = 0;
  for (int f = 0; f < faces_ && !work.full; ++f) CutFace(f, &work);
  AddCap(planes_, &work);
  if (work.full) return Cut::kFull;
  ++planes_;
  current_ = next;
  corners_ = work.kept + work.crossings;
  faces_ = work.faces;
  Pad(next, corners_);
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

// The corner where an edge meets the plane: computed for the first of its two faces.
// (T1): the corner in which the edge crosses the plane.
template <int kCorners, int kFaces>
INTERVOX_HD inline int Polyhedron<kCorners, kFaces>::FindCrossing(int inside, int outside,
                                                                  Work* work) {
  if (d_[inside] == 0) return map_[inside];
  const std::int32_t edge = inside << 16 | outside;
  for (int i = 0; i < work->crossings; ++i) {
    if (crossing_[i] == edge) return work->kept + i;
  }
  const int corner = work->kept + work->crossings;
  if (work->crossings == kFaces || corner == kCorners) {
    work->full = true;
    return 0;
  }
  // From the nearer end, so that rounding is relative to the shorter step.
  const double a = -d_[inside], b = d_[outside];
  const bool from_inside = a <= b;
  const int u = from_inside ? inside : outside, w = from_inside ? outside : inside;
  const double t = (from_inside ? a : b) / (a + b);
  work->to_x[corner] = work->x[u] + t * (work->x[w] - work->x[u]);
  work->to_y[corner] = work->y[u] + t * (work->y[w] - work->y[u]);
  work->to_z[corner] = work->z[u] + t * (work->z[w] - work->z[u]);
  crossing_[work->crossings++] = edge;
  return corner;
}

template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CloseFace(int first, int plane, Work* work) {
  const int next = current_ ^ 1;
  if (work->loop < first + 3) {
    work->loop = first;
    return;
  }
  if (work->faces == kFaces) {
    work->full = true;
    return;
  }
  plane_[next][work->faces] = static_cast<Index>(plane);
  begin_[next][++work->faces] = static_cast<Index>(work->loop);
}

template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::AddEdge(int from, int to, Work* work) {
  if (from == to) return;
  if (work->edges == kFaces) {
    work->full = true;
    return;
  }
  edge_from_[work->edges] = static_cast<Index>(from);
  edge_to_[work->edges++] = static_cast<Index>(to);
}

template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CutFace(int f, Work* work) {
  const int begin = begin_[current_][f], end = begin_[current_][f + 1];
  const int first = work->loop;
  if (first + 2 * (end - begin) > kLoop) {
    work->full = true;
    return;
  }
  const auto push = [&](int corner) { work->loop_out[work->loop++] = static_cast<Index>(corner); };
  int left_at = -1, entered_first = -1;
  int before = work->from_loop[end - 1], before_to = map_[before];
  for (int i = begin; i < end; ++i) {
    const int corner = work->from_loop[i], to = map_[corner];
    if ((before_to | to) < 0 && before_to != to) {
      if (to >= 0) {
        const int entered = FindCrossing(corner, before, work);
        if (entered != to) push(entered);
        if (left_at < 0) {
          entered_first = entered;
        } else {
          AddEdge(entered, left_at, work);
          left_at = -1;
        }
      } else {
        left_at = FindCrossing(before, corner, work);
        if (left_at != before_to) push(left_at);
      }
    }
    if (to >= 0) push(to);
    before = corner;
    before_to = to;
  }
  if (entered_first >= 0) AddEdge(entered_first, left_at, work);
  CloseFace(first, plane_[current_][f], work);
}

template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::AddCap(int plane, Work* work) {
  // One loop, unless rounding made the cut outline touch itself.
  if (work->loop + work->edges > kLoop) work->full = true;
  while (work->edges > 0 && !work->full) {
    const int first = work->loop;
    const int start = edge_from_[0];
    int at = start;
    do {
      int e = 0;
      while (e < work->edges && edge_from_[e] != at) ++e;
      if (e == work->edges) break;
      work->loop_out[work->loop++] = static_cast<Index>(at);
      at = edge_to_[e];
      --work->edges;
      edge_from_[e] = edge_from_[work->edges];
      edge_to_[e] = edge_to_[work->edges];
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
INTERVOX_HD double Polyhedron<kCorners, kFaces>::Lowest(const Vec3& n) const {
  const double *x = x_[current_], *y = y_[current_], *z = z_[current_];
  internal::Extremes<kWide> extremes;
  for (int i = 0; i < corners_; i += kWide) {
    double d[kWide];
    for (int k = 0; k < kWide; ++k) d[k] = n.x * x[i + k] + n.y * y[i + k] + n.z * z[i + k];
    if (i == 0) {
      for (int k = 0; k < kWide; ++k) extremes.low[k] = d[k];
    }
    for (int k = 0; k < kWide; ++k) {
      extremes.low[k] = d[k] < extremes.low[k] ? d[k] : extremes.low[k];
    }
  }
  return extremes.Lowest();
}

// (T2): the sums over all faces.
template <int kCorners, int kFaces>
INTERVOX_HD Moments Polyhedron<kCorners, kFaces>::Integrate(double* area) const {
  const double *x = x_[current_], *y = y_[current_], *z = z_[current_];
  const Vec3 about = Corner(0);
  internal::TriangleSums<kWide> sums;
  for (int f = 0; f < faces_; ++f) {
    const Index* loop = loop_[current_] + begin_[current_][f];
    const int count = LoopSize(f);
    const double weight = Plane(f).weight;
    const auto at = [&](int corner) {
      return Vec3{x[corner] - about.x, y[corner] - about.y, z[corner] - about.z};
    };
    const Vec3 u = at(loop[0]);
    Vec3 v = at(loop[1]);
    for (int i = 2; i < count; ++i) {
      const Vec3 w = at(loop[i]);
      sums.Add(weight, u, v, w);
      v = w;
    }
  }
  return sums.Finish(area);
}

}  // namespace intervox::cuda
