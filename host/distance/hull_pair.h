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
  Triple w, a;
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
  const Triple& Way() const { return way_; }

  /** The point of A whose difference from one of B is 0: by the volumes over the faces. */
  Triple PointOfA() const {
    const Triple p = at_[0].w, q = at_[1].w, r = at_[2].w, s = at_[3].w;
    const Triple rs = Cross(r, s), pq = Cross(p, q);
    const double share[4] = {Dot(q, rs), -Dot(p, rs), Dot(s, pq), -Dot(r, pq)};
    const double sum = share[0] + share[1] + share[2] + share[3];
    return (AllOf(share[0]) * at_[0].a + AllOf(share[1]) * at_[1].a + AllOf(share[2]) * at_[2].a +
            AllOf(share[3]) * at_[3].a) /
           AllOf(sum);
  }

 private:
  void Keep(const Difference& p) {
    at_[0] = p;
    count_ = 1;
    way_ = -p.w;
  }

  /** Of a line from an older point to the newest. */
  void KeepOfLine() {
    const Triple edge = at_[0].w - at_[1].w, out = -at_[1].w;
    const double along = Dot(edge, out);
    if (!(along > 0)) return Keep(at_[1]);
    way_ = AllOf(Dot(edge, edge)) * out - AllOf(along) * edge;
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
    const Triple ab = b.w - a.w, ac = c.w - a.w, out = -a.w;
    const Triple n = Cross(ab, ac);
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
    const Triple ab = b.w - a.w, ac = c.w - a.w, ad = d.w - a.w, out = -a.w;
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
  Triple way_;
};

/** The search, in the frame of A's cell. */
class HullSearch {
 public:
  /** @param X_AB    of B's cell in the frame of A's
      @param way     where to look first: from A to B
      @param margin  by what points must be apart to prove that the cells are [m] */
  HullSearch(const geometry::Cell& a, const geometry::Cell& b, const Placement& X_AB,
             const Triple& way, double margin)
      : way_(way), margin_(margin) {
    SetHull(a, &a_);
    SetHull(b, &b_);
    Move(X_AB, &b_);
  }

  /** Looks until the hulls are known to meet or not.
   @param steps  counts the points that are looked at */
  HullVerdict Run(int* steps) {
    constexpr int kMostSteps = 16;
    for (int k = 0; k < kMostSteps; ++k) {
      ++*steps;
      const Triple p_A = FarthestPoint(a_, way_), w = p_A - FarthestPoint(b_, -way_);
      const double along = Dot(w, way_);
      if (along < 0) {
        if (along * along > margin_ * margin_ * Dot(way_, way_)) return HullVerdict::kApart;
        return HullVerdict::kUndecided;
      }
      if (simplex_.Add({w, p_A})) return HullVerdict::kMeet;
      way_ = simplex_.Way();
    }
    return HullVerdict::kUndecided;
  }

  /** Where they meet: a point of both. */
  Vec3 Point() const { return ToVec3(simplex_.PointOfA()); }

 private:
  Hull a_, b_;
  DifferenceSimplex simplex_;
  Triple way_;
  double margin_;
};

}  // namespace intervox::host::distance
