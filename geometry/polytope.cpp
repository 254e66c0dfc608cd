#include "geometry/polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/corner_clip.h"
#include "geometry/face_clip.h"

namespace intervox::geometry {
namespace {

using internal::ClipFace;
using internal::Clipped;
using internal::kManyCuts;
using internal::LoosePolygon;
using internal::MemoryFor;
using internal::Pass;
using internal::Vertex;

/** A length relative to the result's size that counts as zero. */
constexpr double kRelativeTolerance = 1e-12;
/** How far a small cube reaches, in sizes of what is clipped. */
constexpr double kNearReach = 8;
/** Below this determinant three pairs of opposite cuts bound too wide a box. */
constexpr double kSlab = 0.1;

/** Two parallel cuts that keep nothing are this far apart, in sizes of what is clipped: their
 normals may differ by 1e-12, which at the corners of the clipping cube is a tenth of it. */
constexpr double kApart = 1e-5;

/** One pass over all cuts; those from `number` on are walls of the clipping cube. */
Polytope ClipAll(std::span<const PlaneCut> all, std::size_t number, const Pass& pass) {
  Clipped* const clipped = MemoryFor(all);
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
  Clipped* const clipped = MemoryFor(cuts);
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
  Clipped* const clipped = MemoryFor(all);
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
