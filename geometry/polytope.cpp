#include "geometry/polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/corner_clip.h"
#include "geometry/make_surface.h"
#include "geometry/plane_levels.h"

namespace intervox::geometry {
namespace {

/** A length relative to the result's size that counts as zero. */
constexpr double kRelativeTolerance = 1e-12;
/** How far a small cube reaches, in sizes of what is clipped. */
constexpr double kNearReach = 8;
/** Below this determinant three pairs of opposite cuts bound too wide a box. */
constexpr double kSlab = 0.1;

/** From so many cuts on a face is clipped by those of nearest normals first. */
constexpr std::size_t kManyCuts = 64;
/** How many of these. */
constexpr std::size_t kNearest = 24;

/** Two parallel cuts that keep nothing are this far apart, in sizes of what is clipped: their
 normals may differ by 1e-12, which at the corners of the clipping cube is a tenth of it. */
constexpr double kApart = 1e-5;

/** A polygon that is being clipped: coordinates by axis, padded with the first vertex to a multiple
 of four. */
struct LoosePolygon {
  std::size_t n = 0;
  std::size_t room = 0;         ///< for vertices, a multiple of four
  std::unique_ptr<double[]> x;  ///< x, y and z of all vertices
  std::unique_ptr<int[]> edge;  ///< as in PolytopeFace

  /** Makes room for that many vertices; what is there is lost where there was less. */
  void Reserve(std::size_t most) {
    if (room >= most) return;
    room = (2 * most + 7) / 4 * 4;
    x = std::make_unique<double[]>(3 * room);
    edge = std::make_unique<int[]>(room);
  }
  Vec3 At(std::size_t k) const { return {x[k], x[room + k], x[2 * room + k]}; }
  void Add(const Vec3& p, int beyond) {
    x[n] = p.x;
    x[room + n] = p.y;
    x[2 * room + n] = p.z;
    edge[n++] = beyond;
  }
  void Pad() {
    for (std::size_t k = n; k % 4 != 0; ++k) {
      for (int axis = 0; axis < 3; ++axis) x[axis * room + k] = x[axis * room];
    }
  }
};

/** A polygon and the working memory that clips it; Clip runs for each pair of cuts. */
struct Clipped {
  LoosePolygon now, next;
  std::vector<double> s;
  std::vector<std::pair<double, std::size_t>> nearest;  ///< cosines of normals, and cuts
  // Of many cuts, by four: the normals' coordinates and the offsets, padded with cuts far away.
  std::vector<Four> x, y, z, d;

  /** Takes what is to be looked through by four. */
  void Take(std::span<const PlaneCut> cuts) {
    const std::size_t count = (cuts.size() + 3) / 4;
    for (std::vector<Four>* values : {&x, &y, &z}) values->assign(count, Four{});
    constexpr double kFar = std::numeric_limits<double>::infinity();
    d.assign(count, Four{kFar, kFar, kFar, kFar});
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      x[j / 4][j % 4] = cuts[j].n.x;
      y[j / 4][j % 4] = cuts[j].n.y;
      z[j / 4][j % 4] = cuts[j].n.z;
      d[j / 4][j % 4] = cuts[j].d;
    }
  }
};

/** Clips the polygon by a cut, whose index its new edge gets. */
void Clip(const PlaneCut& cut, int index, double tolerance, Clipped* clipped) {
  const LoosePolygon& polygon = clipped->now;
  const std::size_t n = polygon.n;
  const double *const x = polygon.x.get(), *const y = x + polygon.room, *const z = y + polygon.room;
  if (n == 0) return;
  if (clipped->s.size() < n + 4) clipped->s.resize(n + 4);
  double* const s = clipped->s.data();
  const auto [lo, hi] = Levels(cut, x, y, z, n, s);
  if (hi <= tolerance) return;
  if (lo >= -tolerance) {
    clipped->now.n = 0;
    return;
  }
  LoosePolygon& out = clipped->next;
  out.n = 0;
  out.Reserve(2 * n);
  const int* const edge = polygon.edge.get();
  bool inside = s[0] <= tolerance;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = k + 1 < n ? k + 1 : 0;
    const bool next_inside = s[next] <= tolerance;
    const Vec3 from{x[k], y[k], z[k]};
    if (inside) out.Add(from, edge[k]);
    if (inside != next_inside) {
      const bool at_vertex = std::abs(inside ? s[k] : s[next]) <= tolerance;
      if (!at_vertex) {
        const double t = s[k] / (s[k] - s[next]);
        const Vec3 to{x[next], y[next], z[next]};
        out.Add(from + t * (to - from), inside ? index : edge[k]);
      } else if (inside) {  // the edge leaves at this very vertex
        out.edge[out.n - 1] = index;
      }
    }
    inside = next_inside;
  }
  if (out.n < 3) out.n = 0;
  out.Pad();
  std::swap(clipped->now, clipped->next);
}

/** Where a pass over cuts begins: a square of this half width around the middle's foot on each cut,
 and the length that is zero. */
struct Pass {
  Vec3 center;
  double half_width = 0.0;
  double tolerance = 0.0;
};

/** A ball around the polygon: cuts that pass it by leave the polygon as it is. */
struct Ball {
  Vec3 center;
  double radius = 0.0;
};

Ball BallAround(const LoosePolygon& polygon) {
  Ball ball;
  for (std::size_t k = 0; k < polygon.n; ++k) ball.center += polygon.At(k);
  ball.center = ball.center / static_cast<double>(polygon.n);
  for (std::size_t k = 0; k < polygon.n; ++k) {
    ball.radius = std::max(ball.radius, Norm(polygon.At(k) - ball.center));
  }
  ball.radius *= 1 + 1e-9;
  return ball;
}

/** Whether one of four comparisons holds. */
template <class FourFlags>
bool Any(const FourFlags& flags) {
  return (flags[0] | flags[1] | flags[2] | flags[3]) != 0;
}

/** Clips the polygon of cut i by the cuts whose normals are nearest to its own: on hulls of many
 points they leave little more than the face. */
void ClipByNearest(std::span<const PlaneCut> all, std::size_t i, double tolerance,
                   Clipped* clipped) {
  std::vector<std::pair<double, std::size_t>>& nearest = clipped->nearest;  // ascending
  nearest.assign(kNearest, {-2.0, i});
  const Vec3 n = all[i].n;
  for (std::size_t four = 0; four < clipped->x.size(); ++four) {
    const Four cosines = clipped->x[four] * n.x + clipped->y[four] * n.y + clipped->z[four] * n.z;
    if (!Any(cosines > nearest[0].first)) continue;
    for (std::size_t j = 4 * four; j < std::min(4 * four + 4, all.size()); ++j) {
      const double cosine = cosines[j % 4];
      if (cosine <= nearest[0].first || Parallel(all[j], all[i])) continue;
      std::size_t k = 0;
      for (; k + 1 < kNearest && nearest[k + 1].first < cosine; ++k) nearest[k] = nearest[k + 1];
      nearest[k] = {cosine, j};
    }
  }
  for (auto it = nearest.rbegin(); it != nearest.rend() && it->second != i; ++it) {
    Clip(all[it->second], static_cast<int>(it->second), tolerance, clipped);
  }
}

/** Clips the polygon of cut i by cut j. Returns whether the face is cut i's still: of coincident
 cuts the first one owns it. */
bool ClipByCut(std::span<const PlaneCut> all, std::size_t i, std::size_t j, const Vec3& foot,
               double tolerance, Clipped* clipped) {
  if (j == i) return true;
  if (Parallel(all[j], all[i]) && std::abs(all[j].d - Dot(all[j].n, foot)) <= tolerance) {
    return j > i;
  }
  Clip(all[j], static_cast<int>(j), tolerance, clipped);
  return true;
}

/** Clips a square on cut i by all other cuts. Returns whether a polygon is left. */
bool ClipFace(std::span<const PlaneCut> all, std::size_t i, const Pass& pass, Clipped* clipped) {
  const PlaneCut& own = all[i];
  const double above = own.d - Dot(own.n, pass.center);
  const double h = 2 * pass.half_width;  // reaches beyond the cube's diagonal
  if (std::abs(above) > h) return false;
  const Mat3 R = FrameAlong(own.n);
  const Vec3 o = pass.center + above * own.n;
  const Vec3 u = h * R.Col(0), v = h * R.Col(1);
  LoosePolygon& polygon = clipped->now;
  polygon.n = 0;
  polygon.Add(o - u - v, -1);
  polygon.Add(o + u - v, -1);
  polygon.Add(o + u + v, -1);
  polygon.Add(o - u + v, -1);
  if (all.size() < kManyCuts) {
    for (std::size_t j = 0; j < all.size() && polygon.n > 0; ++j) {
      if (!ClipByCut(all, i, j, o, pass.tolerance, clipped)) return false;
    }
    return polygon.n >= 3;
  }
  ClipByNearest(all, i, pass.tolerance, clipped);
  if (polygon.n == 0) return false;
  const Ball ball = BallAround(polygon);
  const Vec3 c = ball.center;
  for (std::size_t four = 0; four < clipped->x.size() && polygon.n > 0; ++four) {
    const Four room = clipped->d[four] -
                      (clipped->x[four] * c.x + clipped->y[four] * c.y + clipped->z[four] * c.z);
    if (!Any(room < ball.radius)) continue;
    for (std::size_t j = 4 * four; j < std::min(4 * four + 4, all.size()); ++j) {
      if (room[j % 4] >= ball.radius || polygon.n == 0) continue;
      if (!ClipByCut(all, i, j, o, pass.tolerance, clipped)) return false;
    }
  }
  return polygon.n >= 3;
}

/** Vertex k of what is left of cut i, recomputed from the three cuts that meet in it. */
Vec3 Vertex(std::span<const PlaneCut> all, std::size_t i, const LoosePolygon& polygon,
            std::size_t k) {
  const int before = polygon.edge[k > 0 ? k - 1 : polygon.n - 1];
  const int after = polygon.edge[k];
  const Vec3 rough = polygon.At(k);
  if (before < 0 || after < 0) return rough;
  return CommonPoint(all[i], all[static_cast<std::size_t>(before)],
                     all[static_cast<std::size_t>(after)], rough);
}

/** The working memory of this thread, made ready for a pass over cuts. */
Clipped* Memory(std::span<const PlaneCut> cuts) {
  thread_local Clipped clipped;
  clipped.now.Reserve(cuts.size() + 4);
  if (cuts.size() >= kManyCuts) clipped.Take(cuts);
  return &clipped;
}

/** One pass over all cuts; those from `number` on are walls of the clipping cube. */
Polytope ClipAll(std::span<const PlaneCut> all, std::size_t number, const Pass& pass) {
  Clipped* const clipped = Memory(all);
  const LoosePolygon& polygon = clipped->now;
  Polytope P;
  P.tolerance = pass.tolerance;
  thread_local std::vector<PolytopeFace> faces;
  thread_local std::vector<Vec3> vertices;
  thread_local std::vector<int> edges;
  faces.clear();
  vertices.clear();
  edges.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!ClipFace(all, i, pass, clipped)) continue;
    faces.push_back({static_cast<int>(i), vertices.size(), polygon.n});
    edges.insert(edges.end(), polygon.edge.get(), polygon.edge.get() + polygon.n);
    for (std::size_t k = 0; k < polygon.n; ++k) vertices.push_back(Vertex(all, i, polygon, k));
    if (i >= number) P.bounded = false;
  }
  P.faces = faces;
  P.vertices = vertices;
  P.edges = edges;
  P.empty = P.vertices.empty();
  if (P.empty) return P;
  const Aabb box = BoxAround(P.vertices);
  P.lower = box.lower;
  P.upper = box.upper;
  return P;
}

/** The cuts with the walls of a cube. */
std::vector<PlaneCut> WithCube(std::span<const PlaneCut> cuts, const Pass& pass) {
  std::vector<PlaneCut> all;
  all.reserve(cuts.size() + 6);
  all.assign(cuts.begin(), cuts.end());
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      PlaneCut wall;
      wall.n[axis] = sign;
      wall.d = sign * pass.center[axis] + pass.half_width;
      all.push_back(wall);
    }
  }
  return all;
}

/** One pass over all cuts inside a cube. */
Polytope ClipInCube(std::span<const PlaneCut> cuts, const Pass& pass) {
  return ClipAll(WithCube(cuts, pass), cuts.size(), pass);
}

/** What a pass inside a cube says of the polytope's place, without its faces. */
struct Reach {
  Vec3 lower, upper;
  bool empty = true;
  bool bounded = true;
};

/** What a pass without a cube's walls says, or nothing where a wall might have a part in it. Where
 each face is bounded by cuts, so is the polytope. */
std::optional<Reach> ReachOfCuts(std::span<const PlaneCut> cuts, const Pass& pass) {
  Clipped* const clipped = Memory(cuts);
  const LoosePolygon& polygon = clipped->now;
  Reach reach;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (!ClipFace(cuts, i, pass, clipped)) continue;
    for (std::size_t k = 0; k < polygon.n; ++k) {
      const Vec3 away = Abs(polygon.At(k) - pass.center);
      if (polygon.edge[k] < 0 || std::max({away.x, away.y, away.z}) > pass.half_width) return {};
      const Vec3 v = Vertex(cuts, i, polygon, k);
      reach.lower = reach.empty ? v : Min(reach.lower, v);
      reach.upper = reach.empty ? v : Max(reach.upper, v);
      reach.empty = false;
    }
  }
  if (reach.empty) return {};
  return reach;
}

/** Finds it; stops where the cube bounds the polytope. */
Reach ReachInCube(std::span<const PlaneCut> cuts, const Pass& pass) {
  if (const std::optional<Reach> reach = ReachOfCuts(cuts, pass)) return *reach;
  const std::vector<PlaneCut> all = WithCube(cuts, pass);
  Clipped* const clipped = Memory(all);
  const LoosePolygon& polygon = clipped->now;
  Reach reach;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!ClipFace(all, i, pass, clipped)) continue;
    for (std::size_t k = 0; k < polygon.n; ++k) {
      const Vec3 v = Vertex(all, i, polygon, k);
      reach.lower = reach.empty ? v : Min(reach.lower, v);
      reach.upper = reach.empty ? v : Max(reach.upper, v);
      reach.empty = false;
    }
    if (i >= cuts.size()) reach.bounded = false;
    if (!reach.bounded) break;
  }
  return reach;
}

/** Whether no vertex lies well inside some cut. */
bool IsFlat(const Polytope& P, std::span<const PlaneCut> cuts) {
  return std::any_of(cuts.begin(), cuts.end(), [&](const PlaneCut& cut) {
    return std::all_of(P.vertices.begin(), P.vertices.end(),
                       [&](const Vec3& v) { return cut.d - Dot(cut.n, v) <= 4 * P.tolerance; });
  });
}

/** Lengths below this are zero [m] for a polytope in a place. */
double ToleranceAt(const Place& place) {
  return kRelativeTolerance * place.extent + 4e-16 * Norm(place.center);
}

/** One pass over cuts that bound what they hold, with tolerances that follow its size.
 @param slabs  of the cuts, where there are some. */
Polytope ClipBounded(std::span<const PlaneCut> cuts, const Place& place,
                     const Slabs* slabs = nullptr) {
  const double tolerance = ToleranceAt(place);
  std::optional<Polytope> quick;
  if (slabs != nullptr) quick = ClipSlabs(cuts, *slabs, place.center, tolerance);
  Polytope P = quick ? *std::move(quick)
                     : ClipAll(cuts, cuts.size(), {place.center, 2 * place.extent, tolerance});
  P.empty = P.empty || IsFlat(P, cuts);
  return P;
}

/** The box around three independent pairs of opposite cuts, as most bounded cells have them: then
 no cube need be clipped. Nothing where there are none, or a pair leaves less than rounding shows.
 @param slabs  out: the pairs.
 @param apart  out: by how much a pair leaves less than nothing; then there is no box [m] */
std::optional<Place> BetweenSlabs(std::span<const PlaneCut> cuts, Slabs* slabs, double* apart) {
  Mat3 N = Mat3::Zero();  // rows: the normals of the slabs
  Vec3 middle, half;
  int found = 0;
  // Of many cuts: parallel ones are among those whose normals have the same |x|.
  std::vector<std::pair<double, const PlaneCut*>> by_x;
  if (cuts.size() >= kManyCuts) {
    for (const PlaneCut& cut : cuts) by_x.emplace_back(std::abs(cut.n.x), &cut);
    std::sort(by_x.begin(), by_x.end());
  }
  for (std::size_t i = 0; i < cuts.size() && found < 3; ++i) {
    const Vec3& n = cuts[i].n;
    if (found == 1 && SquaredNorm(Cross(N.Row(0), n)) < kSlab * kSlab) continue;
    if (found == 2 && std::abs(Dot(Cross(N.Row(0), N.Row(1)), n)) < kSlab) continue;
    double upper = cuts[i].d, lower = -std::numeric_limits<double>::infinity();
    slabs->upper[found] = static_cast<int>(i);
    const auto look = [&](const PlaneCut& other) {
      const int index = static_cast<int>(&other - cuts.data());
      if (SquaredNorm(other.n + n) < 1e-24 && -other.d > lower) {
        lower = -other.d;
        slabs->lower[found] = index;
      }
      if (SquaredNorm(other.n - n) < 1e-24 && other.d < upper) {
        upper = other.d;
        slabs->upper[found] = index;
      }
    };
    if (by_x.empty()) {
      for (const PlaneCut& other : cuts) look(other);
    } else {
      auto at = std::lower_bound(by_x.begin(), by_x.end(), std::abs(n.x) - 1e-11,
                                 [](const auto& entry, double x) { return entry.first < x; });
      for (; at != by_x.end() && at->first <= std::abs(n.x) + 1e-11; ++at) look(*at->second);
    }
    if (!std::isfinite(lower)) continue;
    if (!(upper - lower > kSlab * kRelativeTolerance * (std::abs(upper) + std::abs(lower)))) {
      *apart = lower - upper;
      return std::nullopt;
    }
    for (int k = 0; k < 3; ++k) N(found, k) = n[k];
    middle[found] = 0.5 * (lower + upper);
    half[found] = 0.5 * (upper - lower);
    ++found;
  }
  if (found < 3) return std::nullopt;
  const Vec3 a = N.Row(0), b = N.Row(1), c = N.Row(2);
  const double det = Dot(a, Cross(b, c));
  const Vec3 columns[3] = {Cross(b, c) / det, Cross(c, a) / det, Cross(a, b) / det};
  Place place;
  Vec3 reach;
  for (int k = 0; k < 3; ++k) {
    place.center += middle[k] * columns[k];
    reach += half[k] * Abs(columns[k]);
  }
  place.extent = 2 * std::max({reach.x, reach.y, reach.z});
  return place;
}

/** Whether cuts bound each face, and none reaches beyond the box with room to spare around a place.
 */
bool LiesIn(const Polytope& P, const Place& place) {
  if (P.empty) return false;
  const Vec3 away = Max(Abs(P.lower - place.center), Abs(P.upper - place.center));
  if (std::max({away.x, away.y, away.z}) > place.extent) return false;
  return std::none_of(P.edges.begin(), P.edges.end(), [](int cut) { return cut < 0; });
}

}  // namespace

Place PlaceOf(const Vec3& lower, const Vec3& upper) {
  const Vec3 size = upper - lower;
  return {0.5 * (lower + upper), std::max({size.x, size.y, size.z})};
}

namespace {

/** What says that it is not bounded, without faces. */
Polytope Open() {
  Polytope open;
  open.bounded = false;
  return open;
}

/** ClipPolytope, which may leave out the faces of what is not bounded. */
Polytope ClipWithin(std::span<const PlaneCut> cuts, double scale,
                    const std::optional<Place>& likely, bool only_bounded) {
  double apart = 0.0;
  Slabs slabs;
  if (const std::optional<Place> place = BetweenSlabs(cuts, &slabs, &apart)) {
    Polytope P = ClipBounded(cuts, *place, &slabs);
    if (P.empty) return P;
    const Place own = PlaceOf(P.lower, P.upper);
    if (own.extent < 0.5 * place->extent) return ClipBounded(cuts, own, &slabs);
    return P;
  }
  const double near = kNearReach * scale;
  if (apart > kApart * scale) {
    Polytope nothing;
    nothing.empty = true;
    nothing.tolerance = 1e-15 * near;
    return nothing;
  }
  if (likely) {
    Polytope P = ClipBounded(cuts, *likely);
    if (LiesIn(P, *likely)) return P;
  }
  const double reach = kUnboundedReach * scale;
  Pass pass{{}, reach, 1e-15 * reach};
  Reach found = ReachInCube(cuts, pass);
  // So it seems where rounding at the large cube's corners flattens thin results.
  if (found.empty) {
    found = ReachInCube(cuts, {{}, near, 1e-15 * near});
    if (found.empty || !found.bounded) {
      Polytope nothing = ClipInCube(cuts, {{}, near, 1e-15 * near});
      nothing.empty = true;
      return nothing;
    }
  }
  if (!found.bounded) {
    if (only_bounded) return Open();
    pass.half_width = std::max(reach, kUnboundedReach * std::max(scale, 1.0));
    return ClipInCube(cuts, pass);
  }
  return ClipBounded(cuts, PlaceOf(found.lower, found.upper));  // about the result
}

}  // namespace

Polytope ClipPolytope(std::span<const PlaneCut> cuts, double scale,
                      const std::optional<Place>& likely) {
  return ClipWithin(cuts, scale, likely, false);
}

std::optional<Polytope> ClipFurther(const Polytope& P, std::span<const PlaneCut> cuts) {
  const Place place = PlaceOf(P.lower, P.upper);
  std::optional<Polytope> result = ClipShared(P, cuts, ToleranceAt(place));
  if (!result || result->empty) return result;
  const Place own = PlaceOf(result->lower, result->upper);
  if (own.extent < 0.5 * place.extent) result = ClipShared(P, cuts, ToleranceAt(own));
  if (result) result->empty = result->empty || IsFlat(*result, cuts);
  return result;
}

Polytope ClipIfBounded(std::span<const PlaneCut> cuts, double scale) {
  constexpr std::size_t kFewest = 4;  // half-spaces that bound something
  if (cuts.size() < kFewest) return Open();
  return ClipWithin(cuts, scale, std::nullopt, true);
}

Vec3 Mean(std::span<const Vec3> points) {
  Vec3 sum;
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

PlaneCut ToCut(const Surface& plane, int id) {
  const Vec3 n = plane.side * plane.PlaneNormal();
  return {n, Dot(n, plane.o), id};
}

std::vector<Vec3> ClipPolygon(std::span<const Vec3> p, const Vec3& n, double d, double tolerance) {
  thread_local Clipped clipped;
  LoosePolygon& polygon = clipped.now;
  polygon.n = 0;
  polygon.Reserve(p.size());
  for (const Vec3& x : p) polygon.Add(x, -1);
  polygon.Pad();
  Clip({n, d, -1}, -1, tolerance, &clipped);
  std::vector<Vec3> out(polygon.n);
  for (std::size_t k = 0; k < polygon.n; ++k) out[k] = polygon.At(k);
  return out;
}

}  // namespace intervox::geometry
