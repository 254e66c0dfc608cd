/** @file Rays through the union of cell pairs' overlaps, in the frame of a patch. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/metrics.h"

namespace intervox::cuda::internal {

/** A vector in the patch's plane, P or any other coordinates. */
struct Vec2 {
  double x = 0.0, y = 0.0;
};

/** One stretch of a ray inside the overlaps, with the faces where it begins and ends; −1: the end
 of what was looked at. Faces of one surface that several cells have are one. */
struct Stretch {
  double lo = 0.0, hi = 0.0;
  int entry = -1, exit = -1;
};

/** A column along the patch's normal. */
struct Column {
  double depth = 0.0;  ///< length inside [m]
  Stretch main;        ///< its longest stretch; without meaning where the depth is 0
};

/** The overlaps of a patch's cell pairs. In its frame P the origin is the centroid and z the
 normal. */
class Columns {
 public:
  /** Takes the pairs' surfaces into P and drops those that keep all of the box |x|, |y|, |z| ≤
   half. @param R_WP  columns t1, t2, n */
  void Set(std::span<const PairQuery> pairs, const Vec3& p_WC, const Mat3& R_WP, double half);

  /** Whether the overlap is convex beyond doubt: it meets a line in one stretch at most. */
  bool IsConvex() const { return convex_; }
  /** Whether it is what a torus and a half-space have in common: nothing narrow can cut it, and a
   line that crosses the torus' circle once has at most one stretch there. */
  bool IsTorusOnPlane() const { return torus_on_plane_; }
  /** Where the line r e may have depth over a stretch of any shortness: where it crosses the
   circles of tori, of which the patch may be a thin ring. Fills up to kMostRings places, returns
   their number. */
  int Rings(const Vec2& e, double* places) const;
  static constexpr int kMostRings = 4;
  /** The outward normal of a face near one of its points, not of unit length. */
  Vec3 NormalOf(int face, const Vec3& p) const;
  /** The column over (x, y). */
  Column At(double x, double y);
  /** The stretch of origin + t direction, 0 ≤ t ≤ most, that begins at 0, up to `slack`; false:
   there is none. */
  bool From(const Vec3& origin, const Vec3& direction, double most, double slack, Stretch* stretch);

 private:
  /** All stretches of origin + t direction within [t_min, t_max], ascending and disjoint; valid
   until the next call. */
  std::span<const Stretch> Along(const Vec3& origin, const Vec3& direction, double t_min,
                                 double t_max);
  struct Face {
    enum class Form { kPlane, kQuadric, kOther };
    int id = 0;            // the first face of the same surface
    bool dropped = false;  // a cut that two pairs had between them
    Form form = Form::kOther;
    Vec3 n;  // the kept side is n·p ≤ d, or p·A p + 2 n·p ≤ d
    double d = 0.0;
    Mat3 A;
    geometry::Surface surface;
  };
  struct Pair {
    std::size_t first = 0, count = 0;  // faces
  };

  static void SetForm(Face* face);
  void Add(Face face);
  std::span<Face> FacesOf(const Pair& pair) {
    return std::span(faces_).subspan(pair.first, pair.count);
  }
  void SetTorusOnPlane();
  void JoinPairs();
  bool Join(const Pair& a, const Pair& b);
  bool Through(const Vec3& origin, const Vec3& direction, Stretch* stretch) const;
  void Cut(const Face& face, const Vec3& origin, const Vec3& direction, double t_min, double t_max);
  void Merge();

  std::vector<Face> faces_;
  std::vector<Pair> pairs_;
  std::vector<Stretch> all_, now_, next_;
  double half_ = 0.0;
  bool convex_ = false;
  bool torus_on_plane_ = false;
  bool simple_ = false;  // convex, and all faces are planes and quadrics
};

}  // namespace intervox::cuda::internal
