/** @file A closed convex polyhedron of fixed capacity that planes clip, and its exact moments.

 Corners are shared between faces and each crossing is computed once, so the surface stays closed to
 the bit. Its volume is therefore good to rounding even where two planes nearly coincide and the
 line in which they meet is not. */
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/moments/moments.h"
#include "cuda/moments/triangle_sums.h"
#include "cuda/numerics/place.h"
#include "cuda/numerics/wide.h"

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
 or Begin/AddCorner/AddFace/SetHalfEdges first.

 Half-edges 2e and 2e + 1 are the two directions of edge e; each knows the corner that it starts
 from, its face, and which half-edge follows on that face, counter-clockwise seen from outside. So a
 cut costs what it changes. The places of corners that are gone repeat one that is left for those
 who ask; their x is no number, which is neither inside nor outside of a plane. */
template <int kCorners, int kFaces>
class Polyhedron {
 public:
  /** Room for edges: kFaces faces have fewer than 3 kFaces, and a cut adds some before others go.
   */
  static constexpr int kEdges = 4 * kFaces;
  /** Corners are looked at this many at a time: a vector register's worth. */
  static constexpr int kWide = 4;
  static_assert(kCorners % kWide == 0 && 2 * kEdges < 65535 && kCorners < 65535);
  /** What is summed over its faces. */
  using TriangleSums = internal::TriangleSums<kWide>;

  /** Makes it the box [lower, upper] of faces that belong to neither body. */
  INTERVOX_HD void SetBox(const Vec3& lower, const Vec3& upper) {
    SetBox(Pose{Mat3::Identity(), 0.5 * (lower + upper)}, 0.5 * (upper - lower));
  }

  /** Makes it the oriented box with centre and axes X and half extents half. */
  INTERVOX_HD void SetBox(const Pose& X, const Vec3& half);

  /** Empties it. */
  INTERVOX_HD void Begin() {
    corners_ = faces_ = planes_ = edges_ = free_corners_ = free_edges_ = 0;
    live_ = 0;
    origin_[kNoEdge] = kOutside;
    is_out_[kOutside] = 1;
    is_out_[kInside] = 0;
  }

  /** Adds a corner; false when full. All corners come before the half-edges. */
  INTERVOX_HD bool AddCorner(const Vec3& p) {
    if (corners_ == kCorners) return false;
    SetCorner(static_cast<unsigned>(corners_), p.x, p.y, p.z);
    ++corners_;
    return true;
  }

  /** Adds a face, to which the half-edge belongs; false when full. */
  INTERVOX_HD bool AddFace(const ClipPlane& plane, int half_edge) {
    if (faces_ == kFaces) return false;
    StartFace(plane, half_edge);
    return true;
  }

  /** Ends the polyhedron with all half-edges of its corners and faces; false when full. */
  INTERVOX_HD bool SetHalfEdges(const geometry::HalfEdge* half_edges, int count) {
    if (count > 2 * kEdges) return false;
    edges_ = count / 2;
    for (int h = 0; h < count; ++h) {
      const geometry::HalfEdge& half_edge = half_edges[h];
      origin_[h] = half_edge.origin;
      next_[h] = half_edge.next;
      face_of_[h] = half_edge.face;
    }
    while (corners_ % kWide != 0) AddPlace();
    return true;
  }

  /** Cuts off what lies beyond the plane.
   @param on        corners this close count as on the plane [m]: rounding of the coordinates.
   @param coincide  a parallel face this close is the same face [m]; a rest this thin is empty. */
  INTERVOX_HD Cut Clip(const ClipPlane& plane, double on, double coincide);

  /** Number of corners, of which some may be there twice. */
  INTERVOX_HD int corners() const { return corners_; }
  /** Number of faces. */
  INTERVOX_HD int faces() const { return faces_; }
  /** Corner i. */
  INTERVOX_HD Vec3 Corner(int i) const { return At(x_[i] == x_[i] ? i : live_); }
  /** Corners i to i + N − 1, of which those that are not there have no numbers for places. N
   divides corners(). */
  template <int N>
  INTERVOX_HD void CornersAt(int i, internal::Wide<N> (&p)[3]) const {
    p[0] = internal::LoadWide<N>(x_ + i);
    p[1] = internal::LoadWide<N>(y_ + i);
    p[2] = internal::LoadWide<N>(z_ + i);
  }
  /** Bodies of face f, as ClipPlane::bodies. */
  INTERVOX_HD int Bodies(int f) const { return Plane(f).bodies; }
  /** Unit normal of face f, outward. */
  INTERVOX_HD const Vec3& Normal(int f) const { return Plane(f).n; }
  /** Normal · x on face f [m]. */
  INTERVOX_HD double Offset(int f) const { return Plane(f).offset; }
  /** Weight of face f. */
  INTERVOX_HD double Weight(int f) const { return Plane(f).weight; }
  /** A half-edge of face f. */
  INTERVOX_HD int FirstEdge(int f) const { return edge_of_[face_[f]]; }
  /** The half-edge that follows on the same face. */
  INTERVOX_HD int NextEdge(int h) const { return next_[h]; }
  /** The corner that a half-edge starts from. */
  INTERVOX_HD int Origin(int h) const { return origin_[h]; }
  /** The axis-aligned box of the corners. */
  INTERVOX_HD void GetBox(Vec3* lower, Vec3* upper) const;
  /** The least n·x over the corners. */
  INTERVOX_HD double Lowest(const Vec3& n) const;

  /** Exact moments about Corner(0): tetrahedra from it to a fan of triangles on each face.
   @param area  Σ of the triangles' area vectors in the 1-norm [m²]. */
  INTERVOX_HD Moments Integrate(double* area) const {
    internal::Place<TriangleSums> room;
    return Integrate(area, &room);
  }
  /** The same with room for its sums. */
  INTERVOX_HD Moments Integrate(double* area, internal::Place<TriangleSums>* room) const;

 private:
  using Index = std::uint16_t;
  // Places of no corner, outside and inside of every plane. A face that has no half-edge any more
  // has kNoEdge, which starts outside; edges whose place is free start inside.
  static constexpr unsigned kOutside = kCorners, kInside = kCorners + 1, kNoEdge = 2 * kEdges;
  // Everything that lives during one cut only.
  struct Work {
    double on;  // beyond it corners are outside
    int gone_corners = 0, gone_edges = 0, leaving = 0, outline = 0;
  };

  INTERVOX_HD const ClipPlane& Plane(int f) const { return table_[face_[f]]; }
  INTERVOX_HD unsigned Target(unsigned h) const { return origin_[h ^ 1]; }
  INTERVOX_HD bool IsOn(unsigned corner, const Work& work) const { return d_[corner] >= -work.on; }
  INTERVOX_HD void StartFace(const ClipPlane& plane, int half_edge) {
    edge_of_[planes_] = static_cast<Index>(half_edge);
    face_[faces_++] = static_cast<Index>(planes_);
    table_[planes_++] = plane;
  }
  INTERVOX_HD Vec3 At(int i) const { return {x_[i], y_[i], z_[i]}; }
  INTERVOX_HD void SetCorner(unsigned i, double x, double y, double z) {
    x_[i] = x, y_[i] = y, z_[i] = z;
    outline_at_[i] = 0;
  }
  // Nothing is at the place i any more, and it may be taken.
  INTERVOX_HD void FreeCorner(unsigned i) {
    x_[i] = NAN;
    free_corner_[free_corners_++] = static_cast<Index>(i);
  }
  INTERVOX_HD void AddPlace() {
    y_[corners_] = z_[corners_] = 0.0;
    FreeCorner(static_cast<unsigned>(corners_++));
  }
  INTERVOX_HD Cut FindCoincident(const ClipPlane& plane, double coincide);
  INTERVOX_HD void FreeEdge(unsigned e) {
    origin_[2 * e] = origin_[2 * e + 1] = kInside;
    free_edge_[free_edges_++] = static_cast<Index>(e);
  }
  INTERVOX_HD void Classify(Work* work);
  INTERVOX_HD bool Reserve(int count);
  INTERVOX_HD void CutEdges(const Work& work);
  INTERVOX_HD void CutFace(unsigned leaving, Work* work);
  INTERVOX_HD void DropFaces();
  INTERVOX_HD bool LinkOutline(const Work& work);
  INTERVOX_HD bool AddCap(const ClipPlane& plane, Work* work);

  int corners_;  // a multiple of kWide, those that repeat another included
  int faces_;
  int planes_;
  int edges_;  // those whose place may be taken included
  int free_corners_, free_edges_;
  int live_;  // a corner that is there
  double x_[kCorners], y_[kCorners], z_[kCorners];
  double d_[kCorners];                 // signed distances to the plane of this cut
  ClipPlane table_[2 * kFaces];        // of all faces so far
  Index edge_of_[2 * kFaces];          // a half-edge of each of those
  Index face_[kFaces];                 // which of those are left
  std::uint8_t is_out_[kCorners + 2];  // of this cut: 1 outside, else 0
  Index outline_at_[kCorners];         // the half-edge of the new face that starts from the corner
  Index free_corner_[kCorners], gone_corner_[kCorners];
  Index origin_[2 * kEdges + 1], next_[2 * kEdges], face_of_[2 * kEdges];  // of the half-edges
  Index free_edge_[kEdges], gone_edge_[kEdges];
  Index leaving_[kEdges];  // half-edges from inside, or from the plane, to outside
  Index outline_[kEdges];  // half-edges of the new face
};

}  // namespace intervox::cuda

#include "cuda/rules/polytope/polyhedron_impl.h"
