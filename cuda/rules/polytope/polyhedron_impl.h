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

/** The least and the largest of what are numbers. */
struct Extremes {
  double low, high;
};

/** @param count  a multiple of kNumbersAtOnce */
INTERVOX_HD inline Extremes ExtremesOf(const double* x, int count) {
  using S = Wide<kNumbersAtOnce>;
  S low = S{} + INFINITY, high = S{} - INFINITY;
  for (int i = 0; i < count; i += kNumbersAtOnce) {
    const S some = LoadWide<kNumbersAtOnce>(x + i);
    low = Smaller(some, low);
    high = Larger(some, high);
  }
  return {Least(low), Most(high)};
}

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

  Work work{on};
  Classify(&work);
  if (!Reserve(work.leaving)) return Cut::kFull;
  CutEdges(work);
  for (int i = 0; i < work.gone_corners; ++i) FreeCorner(gone_corner_[i]);
  for (int i = 0; i < work.leaving; ++i) CutFace(leaving_[i], &work);
  DropFaces();
  if (!AddCap(plane, &work)) return Cut::kFull;
  for (int i = 0; i < work.gone_edges; ++i) FreeEdge(gone_edge_[i]);
  if (faces_ < 4) return Cut::kEmpty;
  live_ = Origin(FirstEdge(0));
  return Cut::kCut;
}

// Which corners are outside, which edges are, and which edges leave. No branches: that is no
// pattern that a processor could foresee.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::Classify(Work* work) {
  unsigned corners = 0, edges = 0, leaving = 0;
  for (int i = 0; i < corners_; ++i) {
    gone_corner_[corners] = static_cast<Index>(i);
    const bool out = d_[i] > work->on;
    is_out_[i] = out;
    corners += static_cast<unsigned>(out);
  }
  for (int e = 0; e < edges_; ++e) {
    const unsigned out = is_out_[origin_[2 * e]], to_out = is_out_[origin_[2 * e + 1]];
    gone_edge_[edges] = static_cast<Index>(e);
    edges += out & to_out;
    leaving_[leaving] = static_cast<Index>(2 * static_cast<unsigned>(e) + out);
    leaving += out ^ to_out;
  }
  work->gone_corners = static_cast<int>(corners);
  work->gone_edges = static_cast<int>(edges);
  work->leaving = static_cast<int>(leaving);
}

// Makes sure of places for so many corners and edges; false when there are not enough.
template <int kCorners, int kFaces>
INTERVOX_HD inline bool Polyhedron<kCorners, kFaces>::Reserve(int count) {
  while (free_corners_ < count) {
    if (corners_ == kCorners) return false;
    for (int k = 0; k < kWide; ++k) AddPlace();
  }
  while (free_edges_ < count) {
    if (edges_ == kEdges) return false;
    FreeEdge(static_cast<unsigned>(edges_++));
  }
  return true;
}

// (T1): an edge that crosses the plane ends in a new corner there, unless it starts on the plane.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CutEdges(const Work& work) {
  int places = free_corners_;
  for (int k = 0; k < work.leaving; ++k) {
    const unsigned leaving = leaving_[k], inside = origin_[leaving], outside = Target(leaving);
    if (IsOn(inside, work)) continue;
    const unsigned corner = free_corner_[--places];
    // From the nearer end, so that rounding is relative to the shorter step. Which one that is
    // cannot be foreseen either.
    const double a = -d_[inside], b = d_[outside];
    const unsigned both = inside ^ outside, u = b < a ? outside : inside, w = u ^ both;
    const double t = (b < a ? b : a) / (a + b);
    SetCorner(corner, x_[u] + t * (x_[w] - x_[u]), y_[u] + t * (y_[w] - y_[u]),
              z_[u] + t * (z_[w] - z_[u]));
    is_out_[corner] = 0;
    origin_[leaving ^ 1] = static_cast<Index>(corner);
  }
  free_corners_ = places;
}

// An edge in the plane replaces what the face of a half-edge that leaves has outside.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::CutFace(unsigned leaving, Work* work) {
  unsigned entering = next_[leaving];
  while (is_out_[Target(entering)] != 0) entering = next_[entering];
  const unsigned inside = origin_[leaving], again = Target(entering), face = face_of_[leaving];
  const bool from_on = IsOn(inside, *work), to_on = IsOn(again, *work);
  const unsigned from = from_on ? inside : Target(leaving);
  const unsigned to = to_on ? again : origin_[entering];
  const unsigned after = to_on ? next_[entering] : entering;
  if (from == to) {
    // The face has that corner in the plane and, but for rounding, no other.
    gone_edge_[work->gone_edges++] = static_cast<Index>(leaving / 2);
    unsigned before = after;
    while (next_[before] != leaving && before != leaving) before = next_[before];
    next_[before] = static_cast<Index>(after);
    edge_of_[face] = static_cast<Index>(before == leaving ? kNoEdge : after);
    return;
  }
  unsigned h = leaving;
  if (from_on && to_on && next_[after] == leaving) {
    // The face has that edge in the plane and nothing inside: the new face takes the edge.
    gone_edge_[work->gone_edges++] = static_cast<Index>(leaving / 2);
    edge_of_[face] = kNoEdge;
    h = after ^ 1;
  } else {
    if (!from_on) {
      h = 2u * free_edge_[--free_edges_];
      next_[leaving] = static_cast<Index>(h);
      origin_[h] = static_cast<Index>(from);
      face_of_[h] = static_cast<Index>(face);
    }
    next_[h] = static_cast<Index>(after);
    origin_[h ^ 1] = static_cast<Index>(to);
    edge_of_[face] = static_cast<Index>(h);
  }
  face_of_[h ^ 1] = static_cast<Index>(planes_);
  outline_at_[to] = static_cast<Index>(h ^ 1);
  outline_[work->outline++] = static_cast<Index>(h ^ 1);
}

// Forgets the faces that lie outside.
template <int kCorners, int kFaces>
INTERVOX_HD inline void Polyhedron<kCorners, kFaces>::DropFaces() {
  int left = 0;
  for (int f = 0; f < faces_; ++f) {
    const Index face = face_[f];
    face_[left] = face;
    left += static_cast<int>(is_out_[origin_[edge_of_[face]]] == 0);
  }
  faces_ = left;
}

// Makes the outline one loop; false where it is not.
template <int kCorners, int kFaces>
INTERVOX_HD inline bool Polyhedron<kCorners, kFaces>::LinkOutline(const Work& work) {
  const auto cap = static_cast<unsigned>(planes_);
  for (int k = 0; k < work.outline; ++k) {
    const unsigned h = outline_[k], next = outline_at_[Target(h)];
    if (face_of_[next] != cap) return false;
    next_[h] = static_cast<Index>(next);
  }
  const unsigned first = outline_[0];
  unsigned h = first;
  for (int count = work.outline; count > 0; --count) {
    h = next_[h];
    if (h == first) return count == 1;
  }
  return false;
}

// One face, unless rounding made the outline touch itself. False when it does not fit.
template <int kCorners, int kFaces>
INTERVOX_HD inline bool Polyhedron<kCorners, kFaces>::AddCap(const ClipPlane& plane, Work* work) {
  if (work->outline == 0) return true;
  const auto is_full = [&] { return faces_ == kFaces || planes_ == 2 * kFaces; };
  if (is_full()) return false;
  if (LinkOutline(*work)) {
    StartFace(plane, outline_[work->outline - 1]);
    return true;
  }
  while (work->outline > 0) {
    if (is_full()) return false;
    const Index first = outline_[--work->outline];
    unsigned h = first;
    while (Target(h) != origin_[first]) {
      int i = work->outline - 1;
      while (i > 0 && origin_[outline_[i]] != Target(h)) --i;
      face_of_[h] = static_cast<Index>(planes_);
      next_[h] = outline_[i];
      h = outline_[i];
      outline_[i] = outline_[--work->outline];
    }
    face_of_[h] = static_cast<Index>(planes_);
    next_[h] = first;
    StartFace(plane, first);
  }
  return true;
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
  using S = internal::Wide<internal::kNumbersAtOnce>;
  S low[3], high[3], p[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = S{} + INFINITY;
    high[k] = S{} - INFINITY;
  }
  for (int i = 0; i < corners_; i += internal::kNumbersAtOnce) {
    CornersAt<internal::kNumbersAtOnce>(i, p);
    const S there = p[0];
    for (int k = 0; k < 3; ++k) {
      p[k] = there == there ? p[k] : there;
      low[k] = internal::Smaller(p[k], low[k]);
      high[k] = internal::Larger(p[k], high[k]);
    }
  }
  // Plus zero: of two zeros either sign may be found first.
  using internal::Least, internal::Most;
  *lower = {Least(low[0]) + 0.0, Least(low[1]) + 0.0, Least(low[2]) + 0.0};
  *upper = {Most(high[0]) + 0.0, Most(high[1]) + 0.0, Most(high[2]) + 0.0};
}

template <int kCorners, int kFaces>
INTERVOX_HD double Polyhedron<kCorners, kFaces>::Lowest(const Vec3& n) const {
  using S = internal::Wide<internal::kNumbersAtOnce>;
  S lowest = S{} + INFINITY, p[3];
  for (int i = 0; i < corners_; i += internal::kNumbersAtOnce) {
    CornersAt<internal::kNumbersAtOnce>(i, p);
    lowest = internal::Smaller(n.x * p[0] + n.y * p[1] + n.z * p[2], lowest);
  }
  return internal::Least(lowest) + 0.0;
}

// (T2): the sums over all faces.
template <int kCorners, int kFaces>
INTERVOX_HD Moments
Polyhedron<kCorners, kFaces>::Integrate(double* area, internal::Place<TriangleSums>* room) const {
  const Vec3 about = Corner(0);
  TriangleSums& sums = room->Make();
  const auto at = [&](int h) { return At(origin_[h]) - about; };
  for (int f = 0; f < faces_; ++f) {
    const int first = FirstEdge(f);
    const double weight = Plane(f).weight;
    const Vec3 u = at(first);
    int h = next_[first];
    Vec3 v = at(h);
    for (h = next_[h]; h != first; h = next_[h]) {
      const Vec3 w = at(h);
      sums.Add(weight, u, v, w);
      v = w;
    }
  }
  return sums.Finish(area);
}

}  // namespace intervox::cuda
