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
  Overlap(const PosedPolytope& A, const PosedPolytope& B, double power)
      : A_(A), B_(B), power_(power) {
    count_ = 0;
  }

  /** The points along a way out: its own, or where they have more energy those of faces that lie on
   each other, or of an edge on a face, next to it. */
  void PointsAlong(const WayOut& way, Candidate* out) {
    out->points.assign(1, PointOf(way, A_, B_));
    out->energy = PowerOf(-way.x, power_);
    for (const Kind kind : {Kind::kFaces, Kind::kEdgeOfA, Kind::kEdgeOfB}) {
      // No end of an edge counts for more than a point as deep as the way out.
      if (kind != Kind::kFaces && !(out->energy < 2.0 * PowerOf(-way.x, power_))) return;
      if (way.face < 0) {
        const Edge &a = A_.EdgeAt(way.edge_a), &b = B_.EdgeAt(way.edge_b);
        for (const int f : {b.left, b.right}) AlongFaceOfB(kind, f, way.x, out);
        for (const int g : {a.left, a.right}) AlongFaceOfA(kind, g, way.x, out);
      } else if (way.of_a) {
        AlongFaceOfA(kind, way.face, way.x, out);
      } else {
        AlongFaceOfB(kind, way.face, way.x, out);
      }
    }
  }

 private:
  enum class Kind { kFaces, kEdgeOfA, kEdgeOfB };

  /** What a face and a face or an edge share, found once. */
  struct Known {
    Kind kind = Kind::kFaces;
    std::size_t of_b = 0, of_a = 0;
    std::vector<PointContact> points;
  };

  void AlongFaceOfB(Kind kind, int face, double x, Candidate* out) {
    const auto f = static_cast<std::size_t>(face);
    if (kind == Kind::kEdgeOfB) return;
    const std::size_t count = kind == Kind::kFaces ? A_.normals.size() : A_.edges.size();
    for (std::size_t k = 0; k < count; ++k) Improve(kind, f, k, x, out);
  }

  void AlongFaceOfA(Kind kind, int face, double x, Candidate* out) {
    const auto g = static_cast<std::size_t>(face);
    if (kind == Kind::kEdgeOfA) return;
    const std::size_t count = kind == Kind::kFaces ? B_.normals.size() : B_.edges.size();
    for (std::size_t k = 0; k < count; ++k) Improve(kind, k, g, x, out);
  }

  const std::vector<PointContact>& Shared(Kind kind, std::size_t of_b, std::size_t of_a) {
    for (std::size_t k = 0; k < count_; ++k) {
      const Known& known = known_[k];
      if (known.kind == kind && known.of_b == of_b && known.of_a == of_a) return known.points;
    }
    if (count_ == known_.size()) known_.emplace_back();
    Known& known = known_[count_++];
    known.kind = kind;
    known.of_b = of_b;
    known.of_a = of_a;
    switch (kind) {
      case Kind::kFaces:
        ShareFaces(B_, of_b, A_, of_a, power_, &known.points);
        break;
      case Kind::kEdgeOfA:
        ShareEdge(B_, of_b, A_, static_cast<int>(of_a), false, power_, &known.points);
        break;
      case Kind::kEdgeOfB:
        ShareEdge(A_, of_a, B_, static_cast<int>(of_b), true, power_, &known.points);
        break;
    }
    return known.points;
  }

  /** Takes what is shared where it has more energy. */
  void Improve(Kind kind, std::size_t of_b, std::size_t of_a, double x, Candidate* out) {
    if (!MayLieFlat(kind, of_b, of_a)) return;
    trial_.points = Shared(kind, of_b, of_a);
    for (PointContact& point : trial_.points) point.weight *= ShareAlong(x, point.x);
    std::erase_if(trial_.points, [](const PointContact& point) { return point.weight == 0.0; });
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
    return fade * PowerOf(1.0 / deeper, power_);
  }

  bool MayLieFlat(Kind kind, std::size_t of_b, std::size_t of_a) const {
    if (kind == Kind::kFaces) return LieFlat(B_.normals[of_b], A_.normals[of_a]);
    const Edge& edge = kind == Kind::kEdgeOfA ? A_.edges[of_a] : B_.edges[of_b];
    return LiesAlong(kind == Kind::kEdgeOfA ? B_.normals[of_b] : A_.normals[of_a],
                     edge.to - edge.from);
  }

  const PosedPolytope &A_, &B_;
  double power_;
  std::size_t count_ = 0;
  inline static thread_local std::vector<Known> known_;
  inline static thread_local Candidate trial_;
};

}  // namespace

double PointsOfPolytopes(const geometry::Cell& a, const Pose& X_WA, const geometry::Cell& b,
                         const Pose& X_WB, double power, std::vector<PointContact>* out) {
  thread_local PosedPolytope A, B;
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
  const double beyond_edges = AddEdgeWays(A, B, deepest, &ways);
  if (beyond_edges > 0.0) return beyond_edges;
  std::sort(ways.begin(), ways.end(),
            [](const WayOut& one, const WayOut& two) { return one.x > two.x; });
  Overlap overlap(A, B, power);
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
