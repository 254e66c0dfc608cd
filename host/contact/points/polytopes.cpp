#include "host/contact/points/polytopes.h"

#include <algorithm>
#include <utility>

#include "geometry/convex_hull.h"
#include "host/contact/points/posed_polytope.h"
#include "host/contact/points/shared_faces.h"
#include "host/contact/points/ways_out.h"

namespace intervox::host::points {
namespace {

static_assert(geometry::kMostHullTriangles < kFirst);
static_assert(3 * geometry::kMostHullTriangles / 2 < kMostEdges);

/** A way out that is deeper than the least by this factor costs more energy than what faces share
 along that: no corner weighs more than 1. */
constexpr double kMuchDeeper = 4.0;

/** Points with their energy over a constant. */
struct Candidate {
  double energy = 0.0;
  std::vector<PointContact> points;
};

/** Two polytopes that overlap, and what their faces share. */
class Overlap {
 public:
  /** `rise_b` and `rise_a` are AddEdgeWays'. */
  Overlap(const PosedPolytope& A, const PosedPolytope& B, const std::vector<double>& rise_b,
          const std::vector<double>& rise_a, double power)
      : A_(A), B_(B), power_(power) {
    count_ = 0;
    for (std::size_t f = 0; f < B.normals.size(); ++f) {
      for (std::size_t g = 0; g < A.normals.size(); ++g) {
        if (LieFlat(B.normals[f], A.normals[g])) Keep(Kind::kFaces, f, g);
      }
    }
    for (std::size_t f = 0; f < B.normals.size(); ++f) {
      for (std::size_t e = 0; e < A.edges.size(); ++e) {
        if (MayShare(B, f, A.edges[e], rise_a[f * A.edges.size() + e])) Keep(Kind::kEdgeOfA, f, e);
      }
    }
    for (std::size_t g = 0; g < A.normals.size(); ++g) {
      for (std::size_t e = 0; e < B.edges.size(); ++e) {
        if (MayShare(A, g, B.edges[e], rise_b[g * B.edges.size() + e])) Keep(Kind::kEdgeOfB, e, g);
      }
    }
  }

  /** The points along a way out: its own, or where they have more energy those of faces that lie on
   each other, or of an edge on a face, next to it. */
  void PointsAlong(const WayOut& way, Candidate* out) {
    out->points.assign(1, PointOf(way, A_, B_));
    const double alone = PowerOf(-way.x, power_);
    out->energy = alone;
    for (std::size_t k = 0; k < count_; ++k) {
      Flat& flat = flat_[k];
      // No end of an edge counts for more than a point as deep as the way out.
      if (flat.kind != Kind::kFaces && !(out->energy < 2.0 * alone)) return;
      if (IsBeside(flat, way)) Improve(way.x, &flat, out);
    }
  }

 private:
  enum class Kind { kFaces, kEdgeOfA, kEdgeOfB };

  /** A face that lies nearly flat on a face or an edge, and what they share, found once. */
  struct Flat {
    Kind kind = Kind::kFaces;
    std::size_t of_b = 0, of_a = 0;
    bool known = false;
    std::vector<PointContact> points;
  };

  void Keep(Kind kind, std::size_t of_b, std::size_t of_a) {
    if (count_ == flat_.size()) flat_.emplace_back();
    Flat& flat = flat_[count_++];
    flat.kind = kind;
    flat.of_b = of_b;
    flat.of_a = of_a;
    flat.known = false;
  }

  /** Whether an edge lies along a face and has an end below it. */
  static bool MayShare(const PosedPolytope& part, std::size_t face, const Edge& edge, double rise) {
    const Vec3& n = part.normals[face];
    if (!LiesAlong(rise, edge.square)) return false;
    return std::min(Dot(n, edge.from), Dot(n, edge.to)) < part.offsets[face];
  }

  /** Whether a face of it is the way's, or beside one of its edges. */
  bool IsBeside(const Flat& flat, const WayOut& way) const {
    const bool has_f = flat.kind != Kind::kEdgeOfB, has_g = flat.kind != Kind::kEdgeOfA;
    const int f = static_cast<int>(flat.of_b), g = static_cast<int>(flat.of_a);
    if (way.face >= 0) return way.of_a ? has_g && g == way.face : has_f && f == way.face;
    const Edge &a = A_.EdgeAt(way.edge_a), &b = B_.EdgeAt(way.edge_b);
    return (has_f && (f == b.left || f == b.right)) || (has_g && (g == a.left || g == a.right));
  }

  void Find(Flat* flat) const {
    flat->known = true;
    switch (flat->kind) {
      case Kind::kFaces:
        ShareFaces(B_, flat->of_b, A_, flat->of_a, power_, &flat->points);
        break;
      case Kind::kEdgeOfA:
        ShareEdge(B_, flat->of_b, A_, static_cast<int>(flat->of_a), false, power_, &flat->points);
        break;
      case Kind::kEdgeOfB:
        ShareEdge(A_, flat->of_a, B_, static_cast<int>(flat->of_b), true, power_, &flat->points);
        break;
    }
  }

  /** Takes what is shared where it has more energy along a way of depth −x. */
  void Improve(double x, Flat* flat, Candidate* out) {
    if (!flat->known) Find(flat);
    trial_.points.clear();
    for (PointContact point : flat->points) {
      point.weight *= ShareAlong(x, point.x);
      if (point.weight > 0.0) trial_.points.push_back(point);
    }
    trial_.energy = EnergyOf(trial_.points, power_);
    if (trial_.energy > out->energy) std::swap(trial_, *out);
  }

  /** By how much a point's weight counts along a way out of depth −x: it counts for no more than a
   point as deep as that, and not where it is far deeper and the way is none out of it. */
  double ShareAlong(double x, double of_point) const {
    constexpr double kFarDeeper = 1.5;
    if (of_point >= x) return 1.0;
    const double deeper = of_point / x;
    const double fade = std::max(0.0, (kFarDeeper - deeper) / (kFarDeeper - 1.0));
    return fade > 0.0 ? fade * PowerOf(1.0 / deeper, power_) : 0.0;
  }

  const PosedPolytope &A_, &B_;
  double power_;
  std::size_t count_ = 0;
  inline static thread_local std::vector<Flat> flat_;
  inline static thread_local Candidate trial_;
};

}  // namespace

double PointsOfPolytopes(const geometry::Cell& a, const Pose& X_WA, const geometry::Cell& b,
                         const Pose& X_WB, double power, std::vector<PointContact>* out) {
  thread_local PosedPolytope A, B;
  thread_local std::vector<double> rise_b, rise_a;
  thread_local std::vector<WayOut> ways;
  thread_local Candidate least, found;
  Place(a, X_WA, &A);
  Place(b, X_WB, &B);
  ways.clear();
  const double beyond_b = AddFaceWays(B, A, false, &ways);
  if (beyond_b > 0.0) return beyond_b;
  const double beyond_a = AddFaceWays(A, B, true, &ways);
  if (beyond_a > 0.0) return beyond_a;
  AddEdges(&A);
  AddEdges(&B);
  const double deepest = kMuchDeeper * std::max(beyond_a, beyond_b);
  FindRises(A, B, &rise_b);
  FindRises(B, A, &rise_a);
  const double beyond_edges = AddEdgeWays(A, B, deepest, rise_b, rise_a, &ways);
  if (beyond_edges > 0.0) return beyond_edges;
  std::sort(ways.begin(), ways.end(),
            [](const WayOut& one, const WayOut& two) { return one.x > two.x; });
  Overlap overlap(A, B, rise_b, rise_a, power);
  least.points.clear();
  for (const WayOut& way : ways) {
    if (!least.points.empty() && !(PowerOf(-way.x, power) < least.energy)) break;
    overlap.PointsAlong(way, &found);
    if (least.points.empty() || found.energy < least.energy) std::swap(least, found);
  }
  for (const PointContact& point : least.points) {
    if (point.x < 0.0) out->push_back(point);
  }
  return 0.0;
}

}  // namespace intervox::host::points
