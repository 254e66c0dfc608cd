#include "host/contact/points/shared_faces.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/contact/points/polytopes.h"
#include "host/contact/points/ways_out.h"

namespace intervox::host::points {
namespace {

/** Sine and cosines of 3° and 12°, between which faces stop lying on each other. */
constexpr double kFlatSine = 0.0523360;
constexpr double kFlatCosine = 0.9986295, kSteepCosine = 0.9781476;
/** Share of a part's size by which its sides are moved out, so that faces with a common edge keep
 their corners. */
constexpr double kBeside = 1e-6;
/** Of a corner's stiffness, where it has just come. */
constexpr double kLeastWeight = 1e-6;
/** Features behind the crossings: corners of what faces share that no edge or corner of the
 reference makes, and those beside its edges. */
constexpr int kFirstOther = kFirstCrossing + kMostEdges * kMostEdges;
constexpr int kFirstSlanted = kFirstOther + (kFirst + 1) * kFirst;
static_assert(std::int64_t{kFirstSlanted} + std::int64_t{kFirst} * kMostEdges <= INT32_MAX);

/** A corner of a polygon that is being clipped. It lies on two lines: the polygon's own edges have
 the numbers 0, 1, …, the clipping planes −1, −2, …. */
struct ClipCorner {
  Vec3 p;
  int line = 0;  ///< on which the edge from here to the next corner lies
};

std::size_t PlaneOf(int line) { return static_cast<std::size_t>(-1 - line); }

/** Clips a polygon by a plane, n·p ≤ offset kept. */
void Clip(const Vec3& n, double offset, int plane, std::vector<ClipCorner>* polygon,
          std::vector<ClipCorner>* scratch) {
  scratch->clear();
  const std::size_t count = polygon->size();
  for (std::size_t k = 0; k < count; ++k) {
    const ClipCorner& at = (*polygon)[k];
    const ClipCorner& next = (*polygon)[(k + 1) % count];
    const double out = Dot(n, at.p) - offset, out_next = Dot(n, next.p) - offset;
    if (out <= 0.0) scratch->push_back(at);
    if ((out <= 0.0) == (out_next <= 0.0)) continue;
    ClipCorner cut;
    cut.p = at.p + (out / (out - out_next)) * (next.p - at.p);
    const bool leaves = out <= 0.0;
    cut.line = leaves ? -1 - plane : at.line;
    scratch->push_back(cut);
  }
  std::swap(*polygon, *scratch);
}

/** Gives a point another depth, along another normal. Where that is deeper it weighs less, so that
 its energy stays. */
void Replace(double x, const Vec3& n, const Vec3& p_WB, double power, PointContact* point) {
  if (x < point->x) point->weight *= PowerOf(point->x / x, power);
  point->x = x;
  point->n = n;
  point->p_WB = p_WB;
  point->p_WA = p_WB + x * n;
}

/** Where an edge of the other passes a side of the reference's face: along the normal of both.
 Unlike the face's, that is the gradient of its depth while the parts tilt. */
void CrossingAt(const Vec3& n_face, const Edge& side, const Edge& edge, double power,
                PointContact* point) {
  const Vec3 p = side.from, u = side.to - p, q = edge.from, v = edge.to - q;
  const Vec3 across = Cross(u, v);
  const double square = SquaredNorm(across);
  if (!(square > kParallelEdges * SquaredNorm(u) * SquaredNorm(v))) return;
  const double sign = Dot(across, n_face) < 0.0 ? -1.0 : 1.0;
  const Vec3 n = (sign / std::sqrt(square)) * across;
  const double x = Dot(n, q - p);
  const Vec3 on_edge = q + (Dot(Cross(q - p, u), across) / square) * v;
  Replace(x, n, on_edge - x * n, power, point);
}

/** λ of faces with these outward normals; negative where they are too steep. */
double FlatnessOf(const Vec3& n_B, const Vec3& n_A) {
  return std::min(1.0, (-Dot(n_B, n_A) - kSteepCosine) / (kFlatCosine - kSteepCosine));
}

/** λ of an edge and a face. */
double FlatnessAlong(const Vec3& n, const Vec3& along) {
  const double sine = std::fabs(Dot(n, along)) / Norm(along);
  return std::min(1.0, (kSteepSine - sine) / (kSteepSine - kFlatSine));
}

/** The distance of a face's first corner from the farthest. */
double ExtentOf(const PosedPolytope& part, std::size_t face) {
  double square = 0.0;
  for (int k = 1; k < part.CornersOf(face); ++k) {
    square = std::max(
        square, SquaredNorm(part.At(part.CornerOf(face, k)) - part.At(part.CornerOf(face, 0))));
  }
  return std::sqrt(square);
}

/** A face of B and one of A, and the polygon that they share. */
class FacePair {
 public:
  FacePair(const PosedPolytope& B, std::size_t f, const PosedPolytope& A, std::size_t g,
           double power)
      : B_(B), A_(A), f_(f), g_(g), n_(B.normals[f]), power_(power) {
    polygon_.clear();
    for (int k = 0; k < A.CornersOf(g); ++k) polygon_.push_back({A.At(A.CornerOf(g, k)), k});
    for (std::size_t side = 0; side < B.normals.size() && !polygon_.empty(); ++side) {
      if (side == f) continue;
      Clip(B.normals[side], B.offsets[side] + kBeside * B.size, static_cast<int>(side), &polygon_,
           &scratch_);
    }
  }

  std::size_t Count() const { return polygon_.size(); }

  /** The corner with its own normal and half the shares of its sides; x ≥ 0 where it is not deep.
   */
  PointContact PointAt(std::size_t k) const {
    const ClipCorner& at = polygon_[k];
    const std::size_t before = (k + Count() - 1) % Count();
    const double x = Dot(n_, at.p) - B_.offsets[f_];
    PointContact point{0, x, n_, at.p, at.p - x * n_};
    if (!(x < 0.0)) return point;
    const int in = polygon_[before].line, onward = at.line;
    if (in < 0 && onward < 0) {
      CornerOfB(PlaneOf(in), PlaneOf(onward), &point);
    } else if (in < 0 || onward < 0) {
      BesideEdge(PlaneOf(std::min(in, onward)), std::max(in, onward), &point);
    } else {
      point.feature = A_.CornerOf(g_, onward);
    }
    point.weight *= 0.5 * (ShareOf(k) + ShareOf(before));
    return point;
  }

 private:
  /** What there is of the edge that a side lies on, as far as the other face reaches. */
  double ShareOf(std::size_t k) const {
    const ClipCorner& at = polygon_[k];
    double whole = B_.size, reach = ExtentOf(A_, g_);
    if (at.line >= 0) {
      whole = Norm(A_.At(A_.CornerOf(g_, at.line + 1)) - A_.At(A_.CornerOf(g_, at.line)));
      reach = ExtentOf(B_, f_);
    } else if (const int edge = EdgeBetween(B_, f_, PlaneOf(at.line)); edge >= 0) {
      whole = Norm(B_.EdgeAt(edge).to - B_.EdgeAt(edge).from);
    }
    return std::min(1.0, Norm(polygon_[(k + 1) % Count()].p - at.p) / std::min(whole, reach));
  }

  /** Two sides of f meet: B's corner, below A's face. */
  void CornerOfB(std::size_t one, std::size_t two, PointContact* point) const {
    point->feature = kFirstOther + static_cast<int>(one * kFirst + two) + 1;
    for (int k = 0; k < B_.CornersOf(f_); ++k) {
      const int corner = B_.CornerOf(f_, k);
      if (!B_.IsOn(one, corner) || !B_.IsOn(two, corner)) continue;
      point->feature = kFirst + corner;
      const Vec3& n_A = A_.normals[g_];
      Replace(Dot(n_A, B_.At(corner)) - A_.offsets[g_], -n_A, B_.At(corner), power_, point);
      return;
    }
  }

  /** An edge of A passes a side of f. */
  void BesideEdge(std::size_t side, int line, PointContact* point) const {
    const int edge_a = EdgeOf(A_, A_.CornerOf(g_, line), A_.CornerOf(g_, line + 1));
    const int edge_b = EdgeBetween(B_, f_, side);
    if (edge_b < 0) {
      point->feature = kFirstSlanted + static_cast<int>(side) * kMostEdges + edge_a;
      return;
    }
    point->feature = CrossingFeature(edge_a, edge_b);
    CrossingAt(n_, B_.EdgeAt(edge_b), A_.EdgeAt(edge_a), power_, point);
  }

  const PosedPolytope &B_, &A_;
  std::size_t f_, g_;
  Vec3 n_;
  double power_;
  inline static thread_local std::vector<ClipCorner> polygon_, scratch_;
};

/** Where a line enters a convex part through its sides, and where it leaves it. */
struct Chord {
  double t[2] = {0.0, 1.0};  ///< in shares of the line's length
  int plane[2] = {-1, -1};   ///< −1: the line begins or ends there itself
  bool IsEmpty() const { return !(t[1] > t[0]); }
};

/** The chord of an edge within all sides of a part but one face. */
Chord ChordOf(const PosedPolytope& part, std::size_t face, const Edge& edge) {
  Chord chord;
  const Vec3 u = edge.to - edge.from;
  for (std::size_t side = 0; side < part.normals.size(); ++side) {
    if (side == face) continue;
    const double from =
        Dot(part.normals[side], edge.from) - part.offsets[side] - kBeside * part.size;
    const double rate = Dot(part.normals[side], u);
    if (rate == 0.0) {
      if (from > 0.0) chord.t[1] = -1.0;
      continue;
    }
    const int end = rate > 0.0 ? 1 : 0;
    const double at = -from / rate;
    if (end == 1 ? at >= chord.t[1] : at <= chord.t[0]) continue;
    chord.t[end] = at;
    chord.plane[end] = static_cast<int>(side);
  }
  return chord;
}

}  // namespace

double PowerOf(double z, double power) {
  if (power == 2.0) return z * z;
  return power == 2.5 ? z * z * std::sqrt(z) : std::pow(z, power);
}

double EnergyOf(const std::vector<PointContact>& points, double power) {
  double sum = 0.0;
  for (const PointContact& point : points) sum += point.weight * PowerOf(-point.x, power);
  return sum;
}

bool LieFlat(const Vec3& n_B, const Vec3& n_A) { return FlatnessOf(n_B, n_A) > 0.0; }

void ShareFaces(const PosedPolytope& B, std::size_t f, const PosedPolytope& A, std::size_t g,
                double power, std::vector<PointContact>* out) {
  out->clear();
  const double flat = FlatnessOf(B.normals[f], A.normals[g]);
  if (!(flat > 0.0)) return;
  const FacePair pair(B, f, A, g, power);
  for (std::size_t k = 0; k < pair.Count(); ++k) {
    PointContact point = pair.PointAt(k);
    if (!(point.x < 0.0)) continue;
    point.weight = std::max(kLeastWeight, flat * point.weight);
    // Where more than three faces meet, the sides that were moved out meet several times.
    const auto known = std::find_if(out->begin(), out->end(), [&](const PointContact& other) {
      return other.feature == point.feature;
    });
    if (known != out->end()) {
      known->weight += point.weight;
    } else {
      out->push_back(point);
    }
  }
}

void ShareEdge(const PosedPolytope& reference, std::size_t face, const PosedPolytope& other,
               int edge, bool of_a, double power, std::vector<PointContact>* out) {
  out->clear();
  const Edge& e = other.EdgeAt(edge);
  const Vec3 n = reference.normals[face], u = e.to - e.from;
  const double flat = FlatnessAlong(n, u);
  if (!(flat > 0.0)) return;  // where squares and roots round apart
  const Chord chord = ChordOf(reference, face, e);
  if (chord.IsEmpty()) return;
  for (int end = 0; end < 2; ++end) {
    const Vec3 p = e.from + chord.t[end] * u;
    const double x = Dot(n, p) - reference.offsets[face];
    if (!(x < 0.0)) continue;
    PointContact point{0, x, n, p, p - x * n};
    if (chord.plane[end] < 0) {
      point.feature = (of_a ? kFirst : 0) + (end == 0 ? e.low : e.high);
    } else {
      const int side = EdgeBetween(reference, face, static_cast<std::size_t>(chord.plane[end]));
      point.feature = side < 0 ? kFirstSlanted + chord.plane[end] * kMostEdges + edge
                      : of_a   ? CrossingFeature(side, edge)
                               : CrossingFeature(edge, side);
      if (side >= 0) CrossingAt(n, reference.EdgeAt(side), e, power, &point);
    }
    if (!(point.x < 0.0)) continue;
    const double share = std::min(
        1.0, (chord.t[1] - chord.t[0]) * std::max(1.0, Norm(u) / ExtentOf(reference, face)));
    point.weight = std::max(kLeastWeight, flat * share * point.weight);
    out->push_back(of_a ? OfTheOther(point) : point);
  }
}

}  // namespace intervox::host::points
