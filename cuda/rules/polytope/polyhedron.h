/** @file A closed convex polyhedron of fixed capacity that planes clip, and its exact moments.

 Corners are shared between faces and each crossing is computed once, so the surface stays closed to
 the bit. Its volume is therefore good to rounding even where two planes nearly coincide and the
 line in which they meet is not. */
#pragma once

#include <cstdint>

#include "cuda/moments/moments.h"

namespace intervox::cuda {

/** A plane n·x = offset that keeps n·x ≤ offset, with what its face counts for. */
struct ClipPlane {
  Vec3 n;         ///< unit normal, out of the solid
  double offset;  ///< [m]
  double weight;  ///< of its face in S and G: LocalSurface::weight
  int bodies;     ///< whose face it is: bit 0 A, bit 1 B, 0 neither
};

/** What a cut did. */
enum class Cut {
  kNone,        ///< the polyhedron lies inside
  kCut,         ///< a piece is gone
  kEmpty,       ///< nothing is left
  kCoincident,  ///< the plane is one of the faces already; they share the face now
  kFull,        ///< the capacity does not suffice; the polyhedron is no longer valid
};

/** A convex polyhedron with at most kCorners corners and kFaces faces. Not initialised: call SetBox
 or Begin/AddCorner/AddFace first. */
template <int kCorners, int kFaces>
class Polyhedron {
 public:
  /** Room for all loops together: twice the edges of a polyhedron with kFaces faces. */
  static constexpr int kLoop = 6 * kFaces;
  /** Corners are looked at this many at a time: a vector register's worth. */
  static constexpr int kWide = 4;
  static_assert(kCorners % kWide == 0 && kLoop < 32768 && kCorners < 32768);

  /** Makes it the box [lower, upper] of faces that belong to neither body. */
  INTERVOX_HD void SetBox(const Vec3& lower, const Vec3& upper) {
    SetBox(Pose{Mat3::Identity(), 0.5 * (lower + upper)}, 0.5 * (upper - lower));
  }

  /** Makes it the oriented box with centre and axes X and half extents half. */
  INTERVOX_HD void SetBox(const Pose& X, const Vec3& half);

  /** Empties it. */
  INTERVOX_HD void Begin() {
    current_ = 0;
    corners_ = faces_ = planes_ = 0;
    begin_[0][0] = 0;
  }

  /** Adds a corner; false when full. All corners come before the first cut. */
  INTERVOX_HD bool AddCorner(const Vec3& p) {
    if (corners_ == kCorners) return false;
    x_[0][corners_] = p.x;
    y_[0][corners_] = p.y;
    z_[0][corners_] = p.z;
    ++corners_;
    return true;
  }

  /** Adds a face with its loop, counter-clockwise seen from outside; false when full. */
  INTERVOX_HD bool AddFace(const std::int32_t* loop, int count, const ClipPlane& plane) {
    const int first = begin_[0][faces_];
    if (faces_ == kFaces || first + count > kLoop) return false;
    for (int i = 0; i < count; ++i) loop_[0][first + i] = static_cast<Index>(loop[i]);
    plane_[0][faces_] = static_cast<Index>(planes_);
    table_[planes_++] = plane;
    begin_[0][++faces_] = static_cast<Index>(first + count);
    return true;
  }

  /** Ends the list of corners. Call it after the last AddCorner. */
  INTERVOX_HD void EndCorners() { Pad(0, corners_); }

  /** Cuts off what lies beyond the plane.
   @param on        corners this close count as on the plane [m]: rounding of the coordinates.
   @param coincide  a parallel face this close is the same face [m]; a rest this thin is empty. */
  INTERVOX_HD Cut Clip(const ClipPlane& plane, double on, double coincide);

  /** Number of corners. */
  INTERVOX_HD int corners() const { return corners_; }
  /** Number of faces. */
  INTERVOX_HD int faces() const { return faces_; }
  /** Corner i. */
  INTERVOX_HD Vec3 Corner(int i) const {
    return {x_[current_][i], y_[current_][i], z_[current_][i]};
  }
  /** Bodies of face f, as ClipPlane::bodies. */
  INTERVOX_HD int Bodies(int f) const { return Plane(f).bodies; }
  /** Unit normal of face f, outward. */
  INTERVOX_HD const Vec3& Normal(int f) const { return Plane(f).n; }
  /** Normal · x on face f [m]. */
  INTERVOX_HD double Offset(int f) const { return Plane(f).offset; }
  /** Weight of face f. */
  INTERVOX_HD double Weight(int f) const { return Plane(f).weight; }
  /** Number of corners of face f. */
  INTERVOX_HD int LoopSize(int f) const { return begin_[current_][f + 1] - begin_[current_][f]; }
  /** Corner i of face f. */
  INTERVOX_HD int Loop(int f, int i) const { return loop_[current_][begin_[current_][f] + i]; }
  /** The axis-aligned box of the corners. */
  INTERVOX_HD void GetBox(Vec3* lower, Vec3* upper) const;
  /** The least n·x over the corners. */
  INTERVOX_HD double Lowest(const Vec3& n) const;

  /** Exact moments about Corner(0): tetrahedra from it to a fan of triangles on each face.
   @param area  Σ of the triangles' area vectors in the 1-norm [m²]. */
  INTERVOX_HD Moments Integrate(double* area) const;

 private:
  using Index = std::int16_t;
  // Everything that lives during one cut only.
  struct Work {
    const double *x, *y, *z;  // now
    double *to_x, *to_y, *to_z;
    const Index* from_loop;
    Index* loop_out;
    int kept = 0;  // corners that stay; crossings come behind them
    int loop = 0, faces = 0, crossings = 0, edges = 0;
    bool full = false;
  };

  INTERVOX_HD int FindCrossing(int inside, int outside, Work* work);
  INTERVOX_HD const ClipPlane& Plane(int f) const { return table_[plane_[current_][f]]; }
  INTERVOX_HD void CloseFace(int first, int plane, Work* work);
  INTERVOX_HD Cut FindCoincident(const ClipPlane& plane, double coincide);
  INTERVOX_HD void AddEdge(int from, int to, Work* work);
  // Inlined, so that what lives during a cut stays in registers.
  __attribute__((always_inline)) INTERVOX_HD void CutFace(int f, Work* work);
  INTERVOX_HD void AddCap(int plane, Work* work);
  // Fills the last vector of corners with copies of the first, which change no extremum.
  INTERVOX_HD void Pad(int buffer, int corners) {
    for (int i = corners; i % kWide != 0; ++i) {
      x_[buffer][i] = x_[buffer][0];
      y_[buffer][i] = y_[buffer][0];
      z_[buffer][i] = z_[buffer][0];
    }
  }

  int current_;
  int corners_;
  int faces_;
  int planes_;
  double x_[2][kCorners], y_[2][kCorners], z_[2][kCorners];
  double d_[kCorners];           // signed distance to the plane of this cut
  ClipPlane table_[2 * kFaces];  // of all faces so far
  Index map_[kCorners];          // new index, or -1 outside
  Index loop_[2][kLoop];
  Index begin_[2][kFaces + 1];
  Index plane_[2][kFaces];                     // of each face, in table_
  std::int32_t crossing_[kFaces];              // corners inside and outside, as one number
  Index edge_from_[kFaces], edge_to_[kFaces];  // of the cap
};

}  // namespace intervox::cuda

#include "cuda/rules/polytope/polyhedron_impl.h"
