#include "geometry/interior.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "geometry/enclose.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** Depths below this share of the size count as touching. */
constexpr double kTouching = 1e-12;

/** A point this deep, as a share of the size, needs no look at surfaces that coincide. */
constexpr double kClear = 1e-8;

/** A box of the subdivision, in the axes of the root box. */
struct SearchBox {
  Vec3 center;
  Vec3 half;
  double level = 0;         ///< greatest side·f at the centre: the least goes first
  std::uint64_t order = 0;  ///< breaks ties, so that the search is deterministic
  std::uint64_t done = 0;   ///< bit k: surface k holds the whole box deep inside; the first 64 only
  bool operator<(const SearchBox& other) const {
    return level != other.level ? level > other.level : order > other.order;
  }
};

bool IsDone(std::uint64_t done, std::size_t k) { return k < 64 && (done >> k & 1) != 0; }

/** The greatest level at x of the surfaces that are not `done`. */
double GreatestLevel(std::span<const Surface> surfaces, const Vec3& x, std::uint64_t done = 0) {
  double level = -1e300;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    if (!IsDone(done, k)) level = std::max(level, Level(surfaces[k], x));
  }
  return level;
}

/** Side f ≤ 0 is a convex set. */
bool IsConvex(SurfaceKind kind) {
  return kind == SurfaceKind::kEllipsoid || kind == SurfaceKind::kCylinder ||
         kind == SurfaceKind::kCone;
}

/** The polytope lies inside a convex solid whose complement is kept. */
bool SwallowedByComplement(std::span<const Surface> surfaces, const Polytope& P, double touching) {
  return std::any_of(surfaces.begin(), surfaces.end(), [&](const Surface& S) {
    return S.side < 0 && IsConvex(S.kind) &&
           std::all_of(P.vertices.begin(), P.vertices.end(),
                       [&](const Vec3& v) { return Value(S, v) <= touching; });
  });
}

bool HasOppositePair(std::span<const Surface> surfaces, const Vec3& center, double size) {
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].kind == SurfaceKind::kPlane) continue;
    for (std::size_t j = i + 1; j < surfaces.size(); ++j) {
      if (Coincide(surfaces[i], surfaces[j], center, size) == Coincidence::kOpposite) return true;
    }
  }
  return false;
}

/** Some w, positive or of any sign, makes w side_S f_S + side_T f_T at least −touching over the
 box: then T leaves nothing where S leaves something, or on S itself. Settles surfaces with common
 axes at once, those that touch along a curve included. */
bool Excludes(const Surface& S, const Surface& T, const Vec3& c, const Mat3& R, const Vec3& half,
              double touching, bool any_sign) {
  const auto quadratic = [&](const Surface& A) {
    if (A.kind == SurfaceKind::kPlane || A.kind == SurfaceKind::kTorus) return false;
    if (A.kind != SurfaceKind::kCone) return true;
    const Vec3 axis = A.R.Col(2);  // a cone is its quadric on its own nappe
    return Dot(axis, c - A.o) - Dot(Abs(TransposeTimes(R, axis)), half) >= -1e-9 * Norm(half);
  };
  if (!quadratic(S) || !quadratic(T)) return false;
  if (!any_sign && S.side == T.side) return false;
  const Mat3 M = Transpose(S.R) * R;
  const Vec3 y0 = TransposeTimes(S.R, c - S.o);
  // T's coefficients in the axes of S; only a common set of axes is treated.
  const Mat3 Q = Transpose(S.R) * T.R;
  const Mat3 E = Q * Mat3::Diagonal(T.e) * Transpose(Q);
  const Vec3 o = TransposeTimes(S.R, T.o - S.o);
  const Vec3 l = Q * T.l - E * o;
  const double constant = Dot(o, E * o) - 2 * Dot(Q * T.l, o) + T.c;
  const double off = std::abs(E(0, 1)) + std::abs(E(0, 2)) + std::abs(E(1, 2));
  const double size = std::abs(E(0, 0)) + std::abs(E(1, 1)) + std::abs(E(2, 2));
  if (off > 1e-14 * size) return false;
  const Vec3 e{E(0, 0), E(1, 1), E(2, 2)};
  for (int k = 0; k < 3; ++k) {
    if (S.e[k] == 0 || e[k] == 0) continue;
    const double w = -T.side * e[k] / S.e[k];  // cancels the square along axis k
    if (!any_sign && w * S.side <= 0) continue;
    const Bounds b = internal::QuadricRange(w * S.e + T.side * e, w * S.l + T.side * l,
                                            w * S.c + T.side * constant, y0, M, half);
    if (b.lo >= -touching) return true;
  }
  return false;
}

/** No point of the surface is deeper than `depth` in the others: one of them excludes it, or two
 cut a plane in the same curve and keep opposite sides of it there. */
bool NothingOn(const Surface& on, std::span<const Surface> others, const OrientedBox& box,
               const Vec3& half, double depth) {
  const auto excludes = [&](const Surface& T) {
    return Excludes(on, T, box.X.p, box.X.R, half, depth, true);
  };
  if (on.kind != SurfaceKind::kPlane) return std::any_of(others.begin(), others.end(), excludes);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].kind == SurfaceKind::kPlane) continue;
    for (std::size_t j = i + 1; j < others.size(); ++j) {
      if (others[j].kind == SurfaceKind::kPlane) continue;
      if (SameOnPlane(others[i], Complement(others[j]), on, Norm(half))) return true;
    }
  }
  return false;
}

/** The half extents, infinite ones replaced by `reach`. */
Vec3 FiniteHalf(const OrientedBox& box, double reach) {
  Vec3 half = box.half;
  for (int k = 0; k < 3; ++k) {
    if (std::isinf(half[k])) half[k] = reach;
  }
  return half;
}

/** What a search makes of a box that no surface excludes. */
enum class Look { kSplit, kDrop, kTake };

/** Runs the subdivision; `look(box, &witness)` may take a witness, drop the box or have it split.
 */
template <typename Looker>
InteriorPoint Subdivide(std::span<const Surface> surfaces, const OrientedBox& root,
                        const Vec3& root_half, double depth, double touching, int budget,
                        Looker look) {
  const Mat3& R = root.X.R;
  std::priority_queue<SearchBox> queue;
  std::uint64_t order = 0;
  queue.push({root.X.p, root_half, GreatestLevel(surfaces, root.X.p), order++, 0});
  const double needed = std::max(depth, touching);
  const double smallest = 1e-13 * Norm(root_half);
  for (int k = 0; k < budget && !queue.empty(); ++k) {
    SearchBox box = queue.top();
    queue.pop();
    bool out = false;
    for (std::size_t i = 0; i < surfaces.size() && !out; ++i) {
      if (IsDone(box.done, i)) continue;
      const Bounds f = BoundsOverBox(surfaces[i], box.center, R, box.half);
      const bool inside = surfaces[i].side > 0;
      out = (inside ? f.lo : -f.hi) >= -needed;
      const bool all = (inside ? f.hi : -f.lo) < -needed;
      if (all && i < 64) box.done |= std::uint64_t{1} << i;
    }
    if (out) continue;
    Vec3 witness;
    const Look seen = look(box, &witness);
    if (seen == Look::kTake) return {Interior::kFound, witness};
    if (seen == Look::kDrop) continue;
    int axis = box.half.x >= box.half.y && box.half.x >= box.half.z ? 0
               : box.half.y >= box.half.z                           ? 1
                                                                    : 2;
    if (box.half[axis] <= smallest) return {Interior::kUndecided, {}};
    SearchBox child = box;
    child.half[axis] = 0.5 * box.half[axis];
    for (int sign = -1; sign <= 1; sign += 2) {
      child.center = box.center + (sign * child.half[axis]) * R.Col(axis);
      child.level = GreatestLevel(surfaces, child.center, box.done);
      child.order = order++;
      queue.push(child);
    }
  }
  return {queue.empty() ? Interior::kEmpty : Interior::kUndecided, {}};
}

}  // namespace

InteriorPoint FindInterior(std::span<const Surface> surfaces, double depth, int budget) {
  if (surfaces.empty()) return {Interior::kFound, {}};
  return FindInterior(surfaces, Enclose(surfaces), depth, budget);
}

InteriorPoint FindInterior(std::span<const Surface> surfaces, const EnclosingPolytope& hull,
                           double depth, int budget) {
  const Polytope& P = hull.polytope;
  if (P.empty) return {Interior::kEmpty, {}};
  // The mean of the vertices settles most polytopes at once; a point towards a vertex, many cells
  // with holes.
  const Vec3 mean = Mean(P.vertices);
  const double level = GreatestLevel(surfaces, mean);
  const double clear = std::max(depth, kClear * Norm(P.upper - P.lower));
  if (P.bounded && level < -clear) return {Interior::kFound, mean};
  for (std::size_t k = 0; k < P.vertices.size() && P.bounded; ++k) {
    const Vec3 p = 0.1 * mean + 0.9 * P.vertices[k];
    if (GreatestLevel(surfaces, p) < -clear) return {Interior::kFound, p};
  }
  const OrientedBox root = EnclosingBox(surfaces, P);
  const Vec3 half = FiniteHalf(root, 10 * LengthScale(surfaces));
  const double touching = kTouching * Norm(half);
  if (P.bounded && SwallowedByComplement(surfaces, P, touching)) return {Interior::kEmpty, {}};
  if (HasOppositePair(surfaces, root.X.p, Norm(half))) return {Interior::kEmpty, {}};
  for (std::size_t i = 0; i < surfaces.size() && P.bounded; ++i) {
    for (std::size_t j = 0; j < surfaces.size(); ++j) {
      if (i != j && Excludes(surfaces[i], surfaces[j], root.X.p, root.X.R, half, touching, false)) {
        return {Interior::kEmpty, {}};
      }
    }
  }
  const double needed = std::max(depth, touching);
  if (level < -needed) return {Interior::kFound, mean};
  InteriorPoint r = Subdivide(surfaces, root, half, depth, touching, budget,
                              [&](const SearchBox& box, Vec3* witness) {
                                *witness = box.center;
                                return box.level < -needed ? Look::kTake : Look::kSplit;
                              });
  if (r.verdict == Interior::kEmpty && !P.bounded) r.verdict = Interior::kUndecided;
  return r;
}

Vec3 PulledOnto(const Surface& on, Vec3 x) {
  if (on.kind == SurfaceKind::kCylinder) {
    const Vec3 y = TransposeTimes(on.R, x - on.o);
    const double square = y.x * y.x + y.y * y.y;
    const double stretch = square > 0 ? std::sqrt(-on.c / on.e.x / square) : 1.0;
    return on.R * Vec3{stretch * y.x, stretch * y.y, y.z} + on.o;
  }
  if (on.kind == SurfaceKind::kEllipsoid && on.e.x == on.e.y && on.e.y == on.e.z) {
    const Vec3 y = x - on.o;
    const double square = SquaredNorm(y);
    return square > 0 ? on.o + std::sqrt(-on.c / on.e.x / square) * y : x;
  }
  constexpr double kArrived = 1e-32;  // squared step, as a share of the squared distance to o
  for (int k = 0; k < 8; ++k) {       // Newton's method along the gradient
    const Vec3 g = Gradient(on, x);
    const double square = SquaredNorm(g);
    if (!(square > 0)) break;
    const Vec3 step = (Value(on, x) / square) * g;
    x -= step;
    if (SquaredNorm(step) <= kArrived * SquaredNorm(x - on.o)) break;
  }
  return x;
}

namespace {

/** Searches a box for such a point of the surface. */
InteriorPoint SearchOn(const Surface& on, std::span<const Surface> others, const OrientedBox& root,
                       const Vec3& half, double depth, int budget) {
  const auto look = [&](const SearchBox& box, Vec3* witness) {
    const Bounds f = BoundsOverBox(on, box.center, root.X.R, box.half);
    if (f.lo > 0 || f.hi < 0) return Look::kDrop;
    const Vec3 x = PulledOnto(on, box.center);
    *witness = x;
    const bool on_surface = std::abs(Value(on, x)) <= 1e-9 * Norm(half);
    return on_surface && GreatestLevel(others, x) < -depth ? Look::kTake : Look::kSplit;
  };
  return Subdivide(others, root, half, depth, 0.0, budget, look);
}

InteriorPoint FindOnSurface(const Surface& on, std::span<const Surface> others, const Polytope& P,
                            double depth, int budget) {
  if (P.empty) return {Interior::kEmpty, {}};
  if (P.bounded) {  // a point towards a vertex settles most slivers
    const Vec3 mean = Mean(P.vertices);
    const double size = Norm(P.upper - P.lower), clear = std::max(depth, kClear * size);
    for (const Vec3& v : P.vertices) {
      const Vec3 x = PulledOnto(on, 0.1 * mean + 0.9 * v);
      if (GreatestLevel(others, x) < -clear && std::abs(Value(on, x)) <= kTouching * size) {
        return {Interior::kFound, x};
      }
    }
  }
  const OrientedBox root = EnclosingBox(others, P);
  const Vec3 half = FiniteHalf(root, 10 * LengthScale(others));
  if (NothingOn(on, others, root, half, depth)) return {Interior::kEmpty, {}};
  return SearchOn(on, others, root, half, depth, budget);
}

}  // namespace

InteriorPoint FindOnSurface(const Surface& on, std::span<const Surface> others, const Aabb& within,
                            double depth, int budget) {
  const InteriorPoint found =
      FindOnSurface(on, others, EncloseIn(others, within).polytope, depth, budget);
  if (found.verdict != Interior::kUndecided) return found;
  return FindOnSurface(on, others, Enclose(others).polytope, depth, budget);  // along other axes
}

bool TurnsAbout(const Surface& S, const Vec3& o, const Vec3& axis, double size) {
  constexpr double kRounding = 1e-13;
  const auto parallel = [&](const Vec3& own) { return Norm(Cross(own, axis)) <= kRounding; };
  if (S.kind == SurfaceKind::kPlane) return parallel(S.PlaneNormal());
  if (!(Norm(Cross(S.o - o, axis)) <= kRounding * size)) return false;
  if (S.kind == SurfaceKind::kEllipsoid) {
    const bool round = S.e.x == S.e.y;
    return round && (S.e.y == S.e.z || parallel(S.R.Col(2)));
  }
  return S.kind != SurfaceKind::kQuadric && parallel(S.R.Col(2));
}

InteriorPoint FindOnProfile(const Surface& on, std::span<const Surface> others, const Aabb& within,
                            double depth, int budget) {
  const Vec3 axis = on.R.Col(2), centre = 0.5 * (within.lower + within.upper) - on.o;
  const double reach = 0.5 * Norm(within.upper - within.lower), along = Dot(centre, axis);
  const double radius = Norm(centre - along * axis) + reach;
  OrientedBox root;
  root.X.R = on.R;
  root.X.p = on.o + along * axis + 0.5 * radius * on.R.Col(0);
  root.half = {0.5 * radius, 0.0, reach};
  return SearchOn(on, others, root, root.half, depth, budget);
}

}  // namespace intervox::geometry
