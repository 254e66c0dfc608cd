#include "host/contact/points/polytopes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "geometry/convex_hull.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;

/** What is asked later must be less deep by this share: A's faces, and edges, since a face holds a
 part up at several points. */
constexpr double kLessDeep = 0.95;
/** The cosine between the normals of two faces that lie on each other (168°). */
constexpr double kFacing = -0.98;
/** Squared sine below which two edges are parallel. */
constexpr double kParallel = 1e-12;
/** Share of a part's size by which its sides are moved out, so that faces with a common edge keep
 their corners. */
constexpr double kBeside = 1e-6;
/** Of a corner's stiffness, where it has just come. */
constexpr double kLeastWeight = 1e-6;
/** More than a polytope has edges. */
constexpr int kMostEdges = 9 << 11;
static_assert(geometry::kMostHullTriangles < kFirst);
static_assert(3 * geometry::kMostHullTriangles / 2 < kMostEdges);
/** Features behind the crossings: corners of what faces share that no edge or corner of the
 reference makes, and those beside its edges. */
constexpr int kFirstOther = kFirstCrossing + kMostEdges * kMostEdges;
constexpr int kFirstSlanted = kFirstOther + (kFirst + 1) * kFirst;
static_assert(std::int64_t{kFirstSlanted} + std::int64_t{kFirst} * kFirst <= INT32_MAX);

/** An edge of a posed polytope between two of its faces. */
struct Edge {
  Vec3 from, to;
  Vec3 n_left, n_right;   ///< outward normals of its faces
  int low = 0, high = 0;  ///< indices of `from` and `to`
};

/** A polytope in the world. */
struct Posed {
  std::vector<Vec3> corners;
  std::vector<Vec3> normals;    ///< of each face, outward
  std::vector<double> offsets;  ///< the face has n·p = offset
  std::vector<Edge> edges;
  const geometry::Corners* topology = nullptr;
};

int CornerOf(const geometry::Corners& t, std::size_t face, int k) {
  const int begin = t.begin[face], count = t.begin[face + 1] - begin;
  return t.loop[static_cast<std::size_t>(begin) + static_cast<std::size_t>(k % count)];
}

int SizeOf(const geometry::Corners& t, std::size_t face) {
  return t.begin[face + 1] - t.begin[face];
}

void Place(const Cell& cell, const Pose& X, Posed* out) {
  const geometry::Corners& t = cell.corners;
  out->topology = &t;
  out->corners.clear();
  out->normals.clear();
  out->offsets.clear();
  out->edges.clear();
  for (const Vec3& p : t.p_C) out->corners.push_back(X * p);
  for (std::size_t f = 0; f < t.surface.size(); ++f) {
    const geometry::Surface& s = cell.surfaces[static_cast<std::size_t>(t.surface[f])];
    const double side = s.side;
    out->normals.push_back(X.R * (side * s.PlaneNormal()));
    out->offsets.push_back(Dot(out->normals.back(), X * s.o));
  }
}

/** Lists the edges, each once. */
void AddEdges(Posed* out) {
  struct Side {
    int low, high, face;
  };
  thread_local std::vector<Side> sides;
  sides.clear();
  const geometry::Corners& t = *out->topology;
  for (std::size_t f = 0; f < t.surface.size(); ++f) {
    for (int k = 0; k < SizeOf(t, f); ++k) {
      const int from = CornerOf(t, f, k), to = CornerOf(t, f, k + 1);
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int>(f)});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high != b.high ? a.high < b.high : a.face < b.face;
  });
  for (std::size_t k = 0; k + 1 < sides.size(); ++k) {
    const Side& left = sides[k];
    const Side& right = sides[k + 1];
    if (left.low != right.low || left.high != right.high) continue;
    out->edges.push_back({out->corners[static_cast<std::size_t>(left.low)],
                          out->corners[static_cast<std::size_t>(left.high)],
                          out->normals[static_cast<std::size_t>(left.face)],
                          out->normals[static_cast<std::size_t>(right.face)], left.low, left.high});
  }
}

/** The least n·p over the corners, and where. */
double Lowest(const Posed& part, const Vec3& n, int* corner) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < part.corners.size(); ++k) {
    const double at = Dot(n, part.corners[k]);
    if (!(at < least)) continue;
    least = at;
    *corner = static_cast<int>(k);
  }
  return least;
}

/** A direction along which the two are apart, x > 0, or overlap least. */
struct Axis {
  double x = -std::numeric_limits<double>::infinity();
  int face = -1;   ///< of the reference, or −1: two edges
  int corner = 0;  ///< of the other, the deepest
  const Edge* a = nullptr;
  const Edge* b = nullptr;
  Vec3 n;  ///< of two edges, from B to A
};

/** The face of `reference` beyond which the other reaches least. */
Axis BestFace(const Posed& reference, const Posed& other) {
  Axis best;
  for (std::size_t f = 0; f < reference.normals.size(); ++f) {
    int corner = 0;
    const double x = Lowest(other, reference.normals[f], &corner) - reference.offsets[f];
    if (!(x > best.x)) continue;
    best.x = x;
    best.face = static_cast<int>(f);
    best.corner = corner;
  }
  return best;
}

/** Whether the cross product of two edges is a face of the Minkowski difference A − B: the arcs of
 their normals on the sphere, one of them reflected, cross. */
bool Supports(const Edge& a, const Edge& b, const Vec3& u_a, const Vec3& u_b) {
  const double left = Dot(a.n_left, u_b), right = Dot(a.n_right, u_b);
  const double up = -Dot(b.n_left, u_a), down = -Dot(b.n_right, u_a);
  if (!(left * right < 0.0) || !(up * down < 0.0)) return false;
  // On one half of the sphere, not on opposite ones.
  return Dot(Cross(a.n_left, a.n_right), -b.n_left) * Dot(Cross(-b.n_left, -b.n_right), a.n_right) >
         0.0;
}

/** The two edges along whose normal the parts overlap least. */
Axis BestEdges(const Posed& A, const Posed& B) {
  Axis best;
  for (const Edge& a : A.edges) {
    const Vec3 u_a = a.to - a.from;
    for (const Edge& b : B.edges) {
      const Vec3 u_b = b.to - b.from;
      if (!Supports(a, b, u_a, u_b)) continue;
      Vec3 n = Cross(u_a, u_b);
      const double square = SquaredNorm(n);
      if (!(square > kParallel * SquaredNorm(u_a) * SquaredNorm(u_b))) continue;
      n = n / std::sqrt(square);
      // Out of B, into A: against A's outward normals.
      if (Dot(n, a.n_left + a.n_right) - Dot(n, b.n_left + b.n_right) > 0.0) n = -n;
      const double x = Dot(n, a.from - b.from);
      if (!(x > best.x)) continue;
      best.x = x;
      best.a = &a;
      best.b = &b;
      best.n = n;
    }
  }
  return best;
}

/** The number of an edge between two corners; the number of edges where there is none. */
int EdgeOf(const Posed& part, int one, int two) {
  const std::pair<int, int> ends = std::minmax(one, two);
  const auto found = std::lower_bound(part.edges.begin(), part.edges.end(), ends,
                                      [](const Edge& edge, const std::pair<int, int>& key) {
                                        return std::pair(edge.low, edge.high) < key;
                                      });
  if (found == part.edges.end() || std::pair(found->low, found->high) != ends) {
    return static_cast<int>(part.edges.size());
  }
  return static_cast<int>(found - part.edges.begin());
}

int CrossingFeature(int edge_a, int edge_b) {
  return kFirstCrossing + edge_a * kMostEdges + edge_b;
}

/** The point at which two edges are nearest, halfway. */
PointContact CrossingOf(const Axis& axis, const Posed& A, const Posed& B) {
  const Vec3 u = axis.a->to - axis.a->from, v = axis.b->to - axis.b->from;
  const Vec3 w = axis.b->from - axis.a->from;
  const double uu = Dot(u, u), uv = Dot(u, v), vv = Dot(v, v);
  const double s = std::clamp((Dot(w, u) * vv - Dot(w, v) * uv) / (uu * vv - uv * uv), 0.0, 1.0);
  PointContact point;
  point.feature = CrossingFeature(static_cast<int>(axis.a - A.edges.data()),
                                  static_cast<int>(axis.b - B.edges.data()));
  point.x = axis.x;
  point.n = axis.n;
  point.p_WA = axis.a->from + s * u;
  point.p_WB = point.p_WA - axis.x * axis.n;
  return point;
}

/** A corner of a polygon that is being clipped. It lies on two lines: the polygon's own edges have
 the numbers 0, 1, …, the clipping planes −1, −2, …. */
struct ClipCorner {
  Vec3 p;
  int line = 0;  ///< on which the edge from here to the next corner lies
};

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

bool IsOn(const geometry::Corners& t, std::size_t face, int corner) {
  const auto begin = t.loop.begin() + t.begin[face], end = t.loop.begin() + t.begin[face + 1];
  return std::find(begin, end, corner) != end;
}

/** A corner of what two faces share, where edges of both cross: along the normal of the edges.
 Unlike along a face's normal, the depth has that normal as its gradient while the faces tilt.
 Where they cross at a small angle the point stays as it is.
 @param beside  the reference's face beyond the edge. @param line  of the other's edge */
void CrossingAt(const Posed& reference, std::size_t face, std::size_t beside, const Posed& other,
                std::size_t flattest, int line, bool is_a, PointContact* point) {
  const geometry::Corners& t = *reference.topology;
  for (int k = 0; k < SizeOf(t, face); ++k) {
    const int from = CornerOf(t, face, k), to = CornerOf(t, face, k + 1);
    if (!IsOn(t, beside, from) || !IsOn(t, beside, to)) continue;
    const auto corner = [](const Posed& part, int c) {
      return part.corners[static_cast<std::size_t>(c)];
    };
    const int first = CornerOf(*other.topology, flattest, line);
    const int second = CornerOf(*other.topology, flattest, line + 1);
    const int mine = EdgeOf(reference, from, to), others = EdgeOf(other, first, second);
    point->feature = is_a ? CrossingFeature(mine, others) : CrossingFeature(others, mine);
    const Vec3 p = corner(reference, from), u = corner(reference, to) - p;
    const Vec3 q = corner(other, first), v = corner(other, second) - q;
    const Vec3 across = Cross(u, v);
    const double square = SquaredNorm(across);
    if (!(square > kParallel * SquaredNorm(u) * SquaredNorm(v))) return;
    const double side = Dot(across, reference.normals[face]) < 0.0 ? -1.0 : 1.0;
    const Vec3 n = (side / std::sqrt(square)) * across;
    if (Dot(n, reference.normals[face]) < -kFacing) return;
    point->n = n;
    point->x = Dot(n, q - p);
    point->p_WA = q + (Dot(Cross(q - p, u), across) / square) * v;
    point->p_WB = point->p_WA - point->x * n;
    return;
  }
}

/** A corner of what two faces share that is one of the reference's: below the other's face. */
void CornerAt(const Posed& reference, std::size_t face, std::size_t one, std::size_t two,
              const Posed& other, std::size_t flattest, bool is_a, PointContact* point) {
  const geometry::Corners& t = *reference.topology;
  const bool facing = Dot(other.normals[flattest], reference.normals[face]) < kFacing;
  for (int k = 0; k < SizeOf(t, face) && facing; ++k) {
    const int corner = CornerOf(t, face, k);
    if (!IsOn(t, one, corner) || !IsOn(t, two, corner)) continue;
    const Vec3 p = reference.corners[static_cast<std::size_t>(corner)];
    point->feature = is_a ? corner : kFirst + corner;
    point->n = -other.normals[flattest];
    point->x = Dot(other.normals[flattest], p) - other.offsets[flattest];
    point->p_WB = p;
    point->p_WA = p + point->x * point->n;
    return;
  }
}

/** Appends the corners of the other's nearest face that lie within the reference and beyond its
 face; the reference is B, but for `is_a`. Weights are the corners' shares of the polygon's
 circumference, half of both sides each, times the corners that the whole face has: a corner that is
 cut off gives its share to the two that come, and a whole rectangle has four of weight 1. */
void PointsOnFace(const Posed& reference, const Posed& other, const Axis& axis, bool is_a,
                  std::vector<PointContact>* out) {
  thread_local std::vector<ClipCorner> polygon, scratch;
  const auto face = static_cast<std::size_t>(axis.face);
  const Vec3 n = reference.normals[face];
  // Of the other's faces at its deepest corner the one that lies flattest on the reference.
  const geometry::Corners& t = *other.topology;
  std::size_t flattest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < other.normals.size(); ++f) {
    bool has = false;
    for (int k = 0; k < SizeOf(t, f); ++k) has = has || CornerOf(t, f, k) == axis.corner;
    if (!has || !(Dot(n, other.normals[f]) < least)) continue;
    least = Dot(n, other.normals[f]);
    flattest = f;
  }
  polygon.clear();
  for (int k = 0; k < SizeOf(t, flattest); ++k) {
    const int corner = CornerOf(t, flattest, k);
    polygon.push_back({other.corners[static_cast<std::size_t>(corner)], k});
  }
  double size = 0.0;
  for (const Vec3& p : reference.corners) size = std::max(size, Norm(p - reference.corners[0]));
  for (std::size_t f = 0; f < reference.normals.size(); ++f) {
    if (f == face) continue;
    Clip(reference.normals[f], reference.offsets[f] + kBeside * size, static_cast<int>(f), &polygon,
         &scratch);
  }
  const std::size_t count = polygon.size();
  const std::size_t before = out->size();
  double around = 0.0;
  for (std::size_t k = 0; k < count; ++k) around += Norm(polygon[(k + 1) % count].p - polygon[k].p);
  for (std::size_t k = 0; k < count; ++k) {
    const ClipCorner& at = polygon[k];
    const double x = Dot(n, at.p) - reference.offsets[face];
    if (!(x < 0.0)) continue;
    PointContact point{0, x, n, at.p, at.p - x * n};
    const int in = polygon[(k + count - 1) % count].line, onward = at.line;
    const auto plane_of = [](int line) { return static_cast<std::size_t>(-1 - line); };
    if (in < 0 && onward < 0) {
      point.feature = kFirstOther + static_cast<int>(plane_of(in)) * kFirst - onward;
      CornerAt(reference, face, plane_of(in), plane_of(onward), other, flattest, is_a, &point);
    } else if (in < 0 || onward < 0) {
      const std::size_t beside = plane_of(std::min(in, onward));
      const int line = std::max(in, onward);
      point.feature = kFirstSlanted + static_cast<int>(beside) * kFirst + line;
      CrossingAt(reference, face, beside, other, flattest, line, is_a, &point);
    } else {
      point.feature = CornerOf(t, flattest, onward) + (is_a ? kFirst : 0);
    }
    if (!(point.x < 0.0)) continue;
    const double sides =
        Norm(polygon[(k + 1) % count].p - at.p) + Norm(at.p - polygon[(k + count - 1) % count].p);
    point.weight = std::max(kLeastWeight, 0.5 * SizeOf(t, flattest) * sides / around);
    // Where more than three faces meet, the sides that were moved out meet several times.
    const auto known =
        std::find_if(out->begin() + static_cast<std::ptrdiff_t>(before), out->end(),
                     [&](const PointContact& other) { return other.feature == point.feature; });
    if (known != out->end()) {
      known->weight += point.weight;
    } else {
      out->push_back(is_a ? OfTheOther(point) : point);
    }
  }
}

}  // namespace

double PointsOfPolytopes(const Cell& a, const Pose& X_WA, const Cell& b, const Pose& X_WB,
                         std::vector<PointContact>* out) {
  thread_local Posed A, B;
  Place(a, X_WA, &A);
  Place(b, X_WB, &B);
  const Axis on_b = BestFace(B, A);
  if (on_b.x > 0.0) return on_b.x;
  const Axis on_a = BestFace(A, B);
  if (on_a.x > 0.0) return on_a.x;
  AddEdges(&A);
  AddEdges(&B);
  const Axis edges = BestEdges(A, B);
  if (edges.x > 0.0) return edges.x;
  // Two faces that lie on each other: B's, whichever corners of a large part reach farther down.
  const bool facing = Dot(A.normals[static_cast<std::size_t>(on_a.face)],
                          B.normals[static_cast<std::size_t>(on_b.face)]) < kFacing;
  const bool by_b = facing || !(on_a.x > kLessDeep * on_b.x);
  const Vec3 n = by_b ? B.normals[static_cast<std::size_t>(on_b.face)]
                      : -A.normals[static_cast<std::size_t>(on_a.face)];
  // Edges that cross at a face are corners of what the faces share.
  const bool beside = edges.a != nullptr && Dot(edges.n, n) < -kFacing;
  if (beside && edges.x > kLessDeep * std::max(on_a.x, on_b.x)) {
    out->push_back(CrossingOf(edges, A, B));
    return 0.0;
  }
  const std::size_t before = out->size();
  if (by_b) PointsOnFace(B, A, on_b, false, out);
  if (!by_b) PointsOnFace(A, B, on_a, true, out);
  // What is beside the face where the other is deepest: the edges, then the other's face.
  if (out->size() == before && edges.a != nullptr) out->push_back(CrossingOf(edges, A, B));
  if (out->size() == before && by_b) PointsOnFace(A, B, on_a, true, out);
  if (out->size() == before && !by_b) PointsOnFace(B, A, on_b, false, out);
  return 0.0;
}

}  // namespace intervox::host::points
