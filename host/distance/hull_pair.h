/** @file Whether the hulls of two cells meet: the search of Gilbert, Johnson and Keerthi for the
 origin in the set of their points' differences. */
#pragma once

#include "host/distance/hull.h"

namespace intervox::host::distance {

/** What became of the search. */
enum class HullVerdict : std::uint8_t {
  kApart,      ///< proved by a plane between the hulls
  kMeet,       ///< a point of both was found, which rounding or a non-convex cell may refuse
  kUndecided,  ///< neither within the steps
};

/** A point of the difference A − B, and the point of A that it stems from. */
struct Difference {
  Vec3 w, a;
};

/** A simplex of differences, the last one the newest, and where to look for the origin. */
class DifferenceSimplex {
 public:
  /** Adds a point. @returns whether the simplex holds the origin */
  bool Add(const Difference& point) {
    at_[count_++] = point;
    switch (count_) {
      case 1:
        way_ = -at_[0].w;
        return false;
      case 2:
        KeepOfLine();
        return false;
      case 3:
        KeepOfTriangle();
        return false;
      default:
        return KeepOfTetrahedron();
    }
  }

  /** From the simplex towards the origin. */
  const Vec3& Way() const { return way_; }

  /** The point of A whose difference from one of B is 0: by the volumes over the faces. */
  Vec3 PointOfA() const {
    const Vec3 p = at_[0].w, q = at_[1].w, r = at_[2].w, s = at_[3].w;
    const Vec3 rs = Cross(r, s), pq = Cross(p, q);
    const double share[4] = {Dot(q, rs), -Dot(p, rs), Dot(s, pq), -Dot(r, pq)};
    const double sum = share[0] + share[1] + share[2] + share[3];
    return (share[0] * at_[0].a + share[1] * at_[1].a + share[2] * at_[2].a + share[3] * at_[3].a) /
           sum;
  }

 private:
  void Keep(const Difference& p) {
    at_[0] = p;
    count_ = 1;
    way_ = -p.w;
  }

  /** Of a line from an older point to the newest. */
  void KeepOfLine() {
    const Vec3 edge = at_[0].w - at_[1].w, out = -at_[1].w;
    const double along = Dot(edge, out);
    if (!(along > 0)) return Keep(at_[1]);
    way_ = SquaredNorm(edge) * out - along * edge;
  }

  void KeepLine(const Difference& old, const Difference& newest) {
    at_[0] = old;
    at_[1] = newest;
    count_ = 2;
    KeepOfLine();
  }

  /** Of a triangle whose newest point is the last. */
  void KeepOfTriangle() {
    const Difference a = at_[2], b = at_[1], c = at_[0];
    const Vec3 ab = b.w - a.w, ac = c.w - a.w, out = -a.w;
    const Vec3 n = Cross(ab, ac);
    if (Dot(Cross(n, ac), out) > 0) {
      if (Dot(ac, out) > 0) return KeepLine(c, a);
      return KeepLine(b, a);
    }
    if (Dot(Cross(ab, n), out) > 0) return KeepLine(b, a);
    if (Dot(n, out) > 0) {
      way_ = n;
      return;
    }
    at_[0] = b;
    at_[1] = c;
    way_ = -n;
  }

  void KeepTriangle(const Difference& c, const Difference& b, const Difference& a) {
    at_[0] = c;
    at_[1] = b;
    at_[2] = a;
    count_ = 3;
    KeepOfTriangle();
  }

  /** Of a tetrahedron: the older three are seen anticlockwise from the newest. */
  bool KeepOfTetrahedron() {
    const Difference a = at_[3], b = at_[2], c = at_[1], d = at_[0];
    const Vec3 ab = b.w - a.w, ac = c.w - a.w, ad = d.w - a.w, out = -a.w;
    if (Dot(Cross(ab, ac), out) > 0) {
      KeepTriangle(c, b, a);
    } else if (Dot(Cross(ac, ad), out) > 0) {
      KeepTriangle(d, c, a);
    } else if (Dot(Cross(ad, ab), out) > 0) {
      KeepTriangle(b, d, a);
    } else {
      return true;
    }
    return false;
  }

  Difference at_[4];
  int count_ = 0;
  Vec3 way_;
};

/** Looks whether the hulls of two bounded cells meet.
 @param X_AB    of B's cell in the frame of A's
 @param margin  by what their points must be apart to prove that the cells are [m]
 @param point   where they meet: a point of both, in A's frame
 @param steps   counts the points that were looked at */
inline HullVerdict LookAtHulls(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_AB,
                               double margin, Vec3* point, int* steps) {
  constexpr int kMostSteps = 16;
  const Hull hull_a = HullOf(a), hull_b = HullOf(b);
  DifferenceSimplex simplex;
  Vec3 way = X_AB * b.bounds.X.p - a.bounds.X.p;
  for (int k = 0; k < kMostSteps; ++k) {
    ++*steps;
    const Vec3 p_A = FarthestPoint(hull_a, way);
    const Vec3 p_B = X_AB * FarthestPoint(hull_b, -TransposeTimes(X_AB.R, way));
    const Vec3 w = p_A - p_B;
    const double along = Dot(w, way);
    if (along < 0) {
      if (along * along > margin * margin * SquaredNorm(way)) return HullVerdict::kApart;
      return HullVerdict::kUndecided;
    }
    if (simplex.Add({w, p_A})) {
      *point = simplex.PointOfA();
      return HullVerdict::kMeet;
    }
    way = simplex.Way();
  }
  return HullVerdict::kUndecided;
}

}  // namespace intervox::host::distance
