/** @file Bodies of Polyhedron's member functions. */
#pragma once

#include <cmath>

#include "cuda/rules/polytope/polyhedron.h"

namespace intervox::cuda {

namespace internal {

// Unit normals closer than this are one direction: rounding of two rotations.
inline constexpr double kSameNormal = 1e-13;
// Corners within this many coincidence distances make it worth comparing planes.
inline constexpr double kClose = 1e4;

/** The least and the largest of some numbers. */
struct Extremes {
  double low = 0.0, high = 0.0;
};

#ifdef __CUDA_ARCH__
INTERVOX_HD inline Extremes ExtremesOf(const double* x, int count) {
  Extremes of{x[0], x[0]};
  for (int i = 1; i < count; ++i) {
    of.low = x[i] < of.low ? x[i] : of.low;
    of.high = x[i] > of.high ? x[i] : of.high;
  }
  return of;
}
#else
/** Four doubles, wherever they begin. */
using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/** @param count  a multiple of 4 */
inline Extremes ExtremesOf(const double* x, int count) {
  const auto at = [&](int i) { return *reinterpret_cast<const Four*>(x + i); };
  Four low = at(0), high = at(0);
  for (int i = 4; i < count; i += 4) {
    const Four four = at(i);
    low = four < low ? four : low;
    high = four > high ? four : high;
  }
  Extremes of{low[0], high[0]};
  for (int k = 1; k < 4; ++k) {
    of.low = low[k] < of.low ? low[k] : of.low;
    of.high = high[k] > of.high ? high[k] : of.high;
  }
  return of;
}
#endif

}  // namespace internal

template <int kCorners, int kFaces>
INTERVOX_HD void Polyhedron<kCorners, kFaces>::SetBox(const Pose& X, const Vec3& half) {
  // Corner i lies at the upper end of axis k where bit k of i is set; faces are -x, x, -y, …
  constexpr geometry::HalfEdge kHalfEdges[24] = {
      {0, 2, 0},  {4, 16, 2}, {4, 4, 0},  {6, 19, 5}, {6, 6, 0},  {2, 20, 3}, {2, 0, 0}, {0, 23, 4},
      {1, 10, 1}, {3, 17, 4}, {3, 12, 1}, {7, 22, 3}, {7, 14, 1}, {5, 21, 5}, {5, 8, 1}, {1, 18, 2},
      {0, 15, 2}, {1, 7, 4},  {5, 1, 2},  {4, 13, 5}, {6, 11, 3}, {7, 3, 5},  {3, 5, 3}, {2, 9, 4}};
  constexpr int kFirst[6] = {0, 8, 16, 5, 7, 19};
  Begin();
  const Vec3 axis[3] = {X.R.Col(0), X.R.Col(1), X.R.Col(2)};
  const Vec3 u = half.x * axis[0], v = half.y * axis[1], w = half.z * axis[2];
  for (int i = 0; i < 8; ++i) {
    AddCorner(X.p + ((i & 1 ? u : -u) + (i & 2 ? v : -v) + (i & 4 ? w : -w)));
  }
  for (int k = 0; k < 3; ++k) {
    const double middle = Dot(axis[k], X.p);
    AddFace({-axis[k], half[k] - middle, 0.0, 0}, kFirst[2 * k]);
    AddFace({axis[k], half[k] + middle, 0.0, 0}, kFirst[2 * k + 1]);
  }
  SetHalfEdges(kHalfEdges, 24);
}

template <int kCorners, int kFaces>
INTERVOX_HD Cut Polyhedron<kCorners, kFaces>::Clip(const ClipPlane& plane, double on,
                                                   double coincide) {
  // No branches: compilers turn it into vector instructions.
  for (int i = 0; i < corners_; ++i) {
    d_[i] = std::fma(plane.n.x, x_[i],
                     std::fma(plane.n.y, y_[i], std::fma(plane.n.z, z_[i], -plane.offset)));
  }
  const auto [lowest, highest] = internal::ExtremesOf(d_, corners_);
  // Corners where planes meet at a small angle may lie off them, so faces are compared as planes.
  const double close = internal::kClose * coincide;
  if (highest < -close) return Cut::kNone;
  if (lowest >= -coincide) return Cut::kEmpty;
  if (highest <= close || lowest >= -close) {
    const Cut cut = FindCoincident(plane, coincide);
    if (cut != Cut::kNone) return cut;
  }
  if (highest <= on) return Cut::kNone;

  Work work;
  Classify(on, &work);
  CutEdges(&work);
  for (int i = 0; i < work.leaving && !work.full; ++i) CutFace(leaving_[i], &work);
  if (work.full) return Cut::kFull;
  DropFaces();
  AddCap(plane, &work);
  if (work.full) return Cut::kFull;
  for (int i = 0; i < work.gone_corners; ++i) FreeCorner(gone_corner_[i], work.inside);
  for (int i = 0; i < work.gone_edges; ++i) {
    const Index e = gone_edge_[i];
    edge_[2 * e].origin = edge_[2 * e + 1].origin = kCorners;
    free_edge_[free_edges_++] = e;
  }
  return faces_ < 4 ? Cut::kEmpty : Cut::kCut;
}

// Corners within rounding of the plane lie on it: d is 0.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::Classify(double on, Work* work) {
  while (d_[work->inside] > on) ++work->inside;
  for (int i = 0; i < corners_; ++i) {
    const bool out = d_[i] > on;
    is_out_[i] = out;
    d_[i] = !out && d_[i] >= -on ? 0.0 : d_[i];
    gone_corner_[work->gone_corners] = static_cast<Index>(i);
    work->gone_corners += static_cast<int>(out && !is_free_[i]);
  }
  for (int k = 0; k < free_corners_; ++k) {
    const int i = free_corner_[k];
    if (!is_out_[i]) continue;
    // What repeats a corner that goes repeats another.
    SetCorner(i, x_[work->inside], y_[work->inside], z_[work->inside]);
    is_free_[i] = true;
  }
}

// (T1): an edge that crosses the plane ends in a new corner there, unless it starts on the plane.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CutEdges(Work* work) {
  // No branches either: which edges cross is no pattern that a processor could foresee.
  for (int e = 0; e < edges_; ++e) {
    const int out = is_out_[edge_[2 * e].origin], to_out = is_out_[edge_[2 * e + 1].origin];
    gone_edge_[work->gone_edges] = static_cast<Index>(e);
    work->gone_edges += out & to_out;
    leaving_[work->leaving] = static_cast<Index>(2 * e + out);
    work->leaving += out ^ to_out;
  }
  for (int k = 0; k < work->leaving; ++k) {
    const int leaving = leaving_[k];
    const int inside = edge_[leaving].origin, outside = Target(leaving);
    if (d_[inside] == 0) continue;
    const int corner = TakeCorner(work);
    // From the nearer end, so that rounding is relative to the shorter step.
    const double a = -d_[inside], b = d_[outside];
    const bool from_inside = a <= b;
    const int u = from_inside ? inside : outside, w = from_inside ? outside : inside;
    const double t = (from_inside ? a : b) / (a + b);
    SetCorner(corner, x_[u] + t * (x_[w] - x_[u]), y_[u] + t * (y_[w] - y_[u]),
              z_[u] + t * (z_[w] - z_[u]));
    is_out_[corner] = false;
    edge_[leaving ^ 1].origin = static_cast<Index>(corner);
  }
}

// A place for a new corner.
template <int kCorners, int kFaces>
INTERVOX_HD inline int Polyhedron<kCorners, kFaces>::TakeCorner(Work* work) {
  if (free_corners_ == 0) {
    if (corners_ == kCorners) {
      work->full = true;
      return 0;
    }
    for (int k = 0; k < kWide; ++k) FreeCorner(corners_++, work->inside);
  }
  return free_corner_[--free_corners_];
}

// A place for a new edge.
template <int kCorners, int kFaces>
INTERVOX_HD inline int Polyhedron<kCorners, kFaces>::TakeEdge(Work* work) {
  if (free_edges_ > 0) return free_edge_[--free_edges_];
  if (edges_ == kEdges) {
    work->full = true;
    return 0;
  }
  return edges_++;
}

// An edge in the plane replaces what the face of a half-edge that leaves has outside.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CutFace(int leaving, Work* work) {
  int entering = edge_[leaving].next;
  while (is_out_[Target(entering)]) entering = edge_[entering].next;
  const Index inside = edge_[leaving].origin, again = Target(entering);
  const bool from_on = d_[inside] == 0, to_on = d_[again] == 0;
  const Index from = from_on ? inside : Target(leaving);
  const Index to = to_on ? again : edge_[entering].origin;
  const int after = to_on ? edge_[entering].next : entering;
  const int face = edge_[leaving].face;
  if (from == to) {
    // The face has that corner in the plane and, but for rounding, no other.
    gone_edge_[work->gone_edges++] = static_cast<Index>(leaving / 2);
    int before = after;
    while (edge_[before].next != leaving && before != leaving) before = edge_[before].next;
    edge_[before].next = static_cast<Index>(after);
    edge_of_[face] = before == leaving ? kNone : static_cast<Index>(after);
    return;
  }
  if (from_on && to_on && edge_[after].next == leaving) {
    // The face has that edge in the plane and nothing inside: the new face takes the edge.
    gone_edge_[work->gone_edges++] = static_cast<Index>(leaving / 2);
    edge_of_[face] = kNone;
    outline_[work->outline++] = static_cast<Index>(after);
    return;
  }
  int h = leaving;
  if (!from_on) {
    h = 2 * TakeEdge(work);
    edge_[leaving].next = static_cast<Index>(h);
    edge_[h].origin = from;
    edge_[h].face = static_cast<Index>(face);
  }
  edge_[h].next = static_cast<Index>(after);
  edge_[h ^ 1].origin = to;
  edge_of_[face] = static_cast<Index>(h);
  outline_[work->outline++] = static_cast<Index>(h ^ 1);
}

// Forgets the faces that lie outside.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::DropFaces() {
  const int faces = faces_;
  faces_ = 0;
  for (int f = 0; f < faces; ++f) {
    const Index h = edge_of_[face_[f]];
    face_[faces_] = face_[f];
    faces_ += static_cast<int>(h != kNone && !is_out_[edge_[h].origin]);
  }
}

// One face, unless rounding made the outline touch itself.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::AddCap(const ClipPlane& plane, Work* work) {
  while (work->outline > 0 && !work->full) {
    if (faces_ == kFaces || planes_ == 2 * kFaces) {
      work->full = true;
      return;
    }
    const Index first = outline_[--work->outline];
    Index h = first;
    while (Target(h) != edge_[first].origin) {
      int i = work->outline - 1;
      while (i > 0 && edge_[outline_[i]].origin != Target(h)) --i;
      edge_[h].face = static_cast<Index>(planes_);
      edge_[h].next = outline_[i];
      h = outline_[i];
      outline_[i] = outline_[--work->outline];
    }
    edge_[h].face = static_cast<Index>(planes_);
    edge_[h].next = first;
    StartFace(plane, first);
  }
}

template <int kCorners, int kFaces>
INTERVOX_HD Cut Polyhedron<kCorners, kFaces>::FindCoincident(const ClipPlane& plane,
                                                             double coincide) {
  for (int f = 0; f < faces_; ++f) {
    ClipPlane& face = table_[face_[f]];
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
INTERVOX_HD void Polyhedron<kCorners, kFaces>::GetBox(Vec3* lower, Vec3* upper) const {
  *lower = *upper = Corner(0);
  for (int i = 1; i < corners_; ++i) {
    *lower = Min(*lower, Corner(i));
    *upper = Max(*upper, Corner(i));
  }
}

template <int kCorners, int kFaces>
INTERVOX_HD double Polyhedron<kCorners, kFaces>::Lowest(const Vec3& n) const {
  double lowest = Dot(n, Corner(0));
  for (int i = 1; i < corners_; ++i) {
    const double d = Dot(n, Corner(i));
    lowest = d < lowest ? d : lowest;
  }
  return lowest;
}

// (T2): the sums over all faces.
template <int kCorners, int kFaces>
INTERVOX_HD Moments
Polyhedron<kCorners, kFaces>::Integrate(double* area, internal::Place<TriangleSums>* room) const {
  const Vec3 about = Corner(0);
  TriangleSums& sums = room->Make();
  const auto at = [&](int h) { return Corner(edge_[h].origin) - about; };
  for (int f = 0; f < faces_; ++f) {
    const int first = FirstEdge(f);
    const double weight = Plane(f).weight;
    const Vec3 u = at(first);
    int h = edge_[first].next;
    Vec3 v = at(h);
    for (h = edge_[h].next; h != first; h = edge_[h].next) {
      const Vec3 w = at(h);
      sums.Add(weight, u, v, w);
      v = w;
    }
  }
  return sums.Finish(area);
}

}  // namespace intervox::cuda
