#include "geometry/corner_clip.h"

#include <algorithm>
#include <cmath>

#include "geometry/plane_levels.h"

namespace intervox::geometry {
namespace {

/** A level between one and this many tolerances is too near to zero to tell its sign. */
constexpr double kDoubt = 8;
/** Of more cuts, faces that are clipped one by one are faster. */
constexpr int kMostCuts = 63;
/** Room for the corners that are cut away too; a multiple of four. */
constexpr int kMostCorners = 256;
/** A face has an edge with each other cut at most. */
constexpr int kMostSides = kMostCuts;

/** A face that is left: its corners, counter-clockwise seen from outside. */
struct Loop {
  int cut = -1;
  int n = 0;
  std::array<int, kMostSides> corner;
  std::array<int, kMostSides> edge;  ///< as in Polytope
};

/** A corner that an edge got where a cut crosses it. */
struct Crossing {
  int inside, outside;  ///< the edge's ends
  int corner;
};

/** An edge of the new face. */
struct Side {
  int to = -1;  ///< the corner where it ends
  int edge = -1;
};

/** A convex polytope that is being clipped, with its working memory. Corners that were cut away are
 copies of others. */
struct Solid {
  int corners = 0;
  std::array<double, kMostCorners> x, y, z;
  std::array<double, kMostCorners> level;
  int faces = 0;
  std::array<Loop, kMostCuts> loop;
  int crossings = 0;
  std::array<Crossing, kMostCorners> crossing;
  std::array<Side, kMostCorners> side;  ///< of the new face, by the corner where it begins

  Vec3 At(int c) const { return {x[c], y[c], z[c]}; }
  int Add(const Vec3& p) {
    x[corners] = p.x;
    y[corners] = p.y;
    z[corners] = p.z;
    return corners++;
  }
  void Copy(int from, int to) {
    x[to] = x[from];
    y[to] = y[from];
    z[to] = z[from];
  }
};

/** The first of the cuts that coincide with one. */
int First(std::span<const PlaneCut> cuts, int of, double tolerance) {
  const PlaneCut& cut = cuts[of];
  for (int k = 0; k < of; ++k) {
    if (Parallel(cuts[k], cut) && std::abs(cuts[k].d - cut.d) <= tolerance) return k;
  }
  return of;
}

/** The parallelepiped: corner c is above the middle of slab k where bit k of c is set. */
void Begin(std::span<const PlaneCut> cuts, const Slabs& slabs, const Vec3& center, Solid* solid) {
  solid->corners = 0;
  for (int c = 0; c < 8; ++c) {
    const auto of = [&](int k) -> const PlaneCut& {
      return cuts[(c >> k & 1) != 0 ? slabs.upper[k] : slabs.lower[k]];
    };
    const Vec3 rough = CommonPoint(of(0), of(1), of(2), center);
    solid->Add(CommonPoint(of(0), of(1), of(2), rough));
  }
  const auto normal = [&](int k) { return cuts[slabs.upper[k]].n; };
  const bool right_handed = Dot(normal(0), Cross(normal(1), normal(2))) > 0;
  solid->faces = 0;
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    for (const bool above : {false, true}) {
      Loop& face = solid->loop[solid->faces++];
      face.cut = above ? slabs.upper[k] : slabs.lower[k];
      face.n = 4;
      const int base = above ? 1 << k : 0;
      const int around[] = {base, base | 1 << a, base | 1 << a | 1 << b, base | 1 << b};
      const int beyond[] = {slabs.lower[b], slabs.upper[a], slabs.upper[b], slabs.lower[a]};
      for (int m = 0; m < 4; ++m) {
        const bool forth = above == right_handed;
        face.corner[m] = around[forth ? m : (4 - m) % 4];
        face.edge[m] = beyond[forth ? m : 3 - m];
      }
    }
  }
}

/** The corner where the cut `index` crosses an edge between two faces. */
int CornerOn(std::span<const PlaneCut> cuts, int inside, int outside, int face, int beyond,
             int index, Solid* solid) {
  for (int k = 0; k < solid->crossings; ++k) {
    const Crossing& known = solid->crossing[k];
    if (known.inside == inside && known.outside == outside) return known.corner;
  }
  const Vec3 from = solid->At(inside), to = solid->At(outside);
  const double s = solid->level[inside];
  const Vec3 rough = from + s / (s - solid->level[outside]) * (to - from);
  const int corner = solid->Add(CommonPoint(cuts[face], cuts[beyond], cuts[index], rough));
  solid->level[corner] = 0;
  solid->crossing[solid->crossings++] = {inside, outside, corner};
  return corner;
}

/** Clips a face by the cut `index`, and gives the new face its edge with it. Returns whether
 something is left. Corners in the cut have the level 0. */
bool ClipLoop(std::span<const PlaneCut> cuts, int index, Loop* face, Solid* solid) {
  const auto level = [&](int k) { return solid->level[face->corner[k]]; };
  bool any_inside = false, any_outside = false;
  for (int k = 0; k < face->n; ++k) {
    any_inside = any_inside || level(k) < 0;
    any_outside = any_outside || level(k) > 0;
  }
  if (!any_inside) return false;
  if (!any_outside) {
    for (int k = 0; k < face->n; ++k) {
      const int next = k + 1 < face->n ? k + 1 : 0;
      if (level(k) < 0 || level(next) < 0) continue;
      face->edge[k] = index;
      solid->side[face->corner[next]] = {face->corner[k], face->cut};
    }
    return true;
  }
  Loop left;
  left.cut = face->cut;
  int leaves = -1;  // where the new edge begins in `left`
  for (int k = 0; k < face->n; ++k) {
    const int next = k + 1 < face->n ? k + 1 : 0;
    const double s = level(k), t = level(next);
    if (s <= 0) {
      left.corner[left.n] = face->corner[k];
      left.edge[left.n++] = face->edge[k];
    }
    if (s < 0 && t > 0) {
      leaves = left.n;
      left.corner[left.n] = CornerOn(cuts, face->corner[k], face->corner[next], face->cut,
                                     face->edge[k], index, solid);
      left.edge[left.n++] = index;
    } else if (s == 0 && t > 0) {
      leaves = left.n - 1;
      left.edge[leaves] = index;
    } else if (s > 0 && t < 0) {
      left.corner[left.n] = CornerOn(cuts, face->corner[next], face->corner[k], face->cut,
                                     face->edge[k], index, solid);
      left.edge[left.n++] = face->edge[k];
    }
  }
  const int enters = leaves + 1 < left.n ? leaves + 1 : 0;
  solid->side[left.corner[enters]] = {left.corner[leaves], left.cut};
  face->n = left.n;
  std::copy_n(left.corner.begin(), left.n, face->corner.begin());
  std::copy_n(left.edge.begin(), left.n, face->edge.begin());
  return true;
}

/** Clips the solid by a cut that crosses it. False where its faces do not close around the cut. */
bool ClipBy(std::span<const PlaneCut> cuts, int index, double tolerance, Solid* solid) {
  const int before = solid->corners;
  if (before + kMostSides > kMostCorners) return false;
  for (int c = 0; c < before; ++c) {
    double& s = solid->level[c];
    if (std::abs(s) <= tolerance) {
      s = 0;
    } else if (std::abs(s) <= kDoubt * tolerance) {
      return false;
    }
  }
  solid->crossings = 0;
  for (Side& side : std::span(solid->side).first(before + kMostSides)) side.to = -1;
  int kept = 0;
  for (int k = 0; k < solid->faces; ++k) {
    if (!ClipLoop(cuts, index, &solid->loop[k], solid)) continue;
    if (kept != k) solid->loop[kept] = solid->loop[k];
    ++kept;
  }
  solid->faces = kept;
  int begin = -1, sides = 0;
  for (int c = 0; c < solid->corners; ++c) {
    if (solid->side[c].to < 0) continue;
    begin = c;
    ++sides;
  }
  if (sides < 3) return false;
  Loop& face = solid->loop[solid->faces++];
  face.cut = index;
  face.n = 0;
  int at = begin;
  do {
    if (at < 0 || face.n == sides || solid->side[at].to < 0) return false;
    face.corner[face.n] = at;
    face.edge[face.n++] = solid->side[at].edge;
    at = solid->side[at].to;
  } while (at != begin);
  for (int c = 0; c < before; ++c) {
    if (solid->level[c] > 0) solid->Copy(begin, c);
  }
  return face.n == sides;
}

Polytope ToPolytope(const Solid& solid, double tolerance) {
  Polytope P;
  P.tolerance = tolerance;
  std::array<int, kMostCuts> order;
  int corners = 0;
  for (int k = 0; k < solid.faces; ++k) {
    order[k] = k;
    corners += solid.loop[k].n;
  }
  std::sort(order.begin(), order.begin() + solid.faces,
            [&](int a, int b) { return solid.loop[a].cut < solid.loop[b].cut; });
  P.faces.reserve(solid.faces);
  P.vertices.resize(corners);
  P.edges.resize(corners);
  P.corners.resize(corners);
  std::size_t at = 0;
  for (int k = 0; k < solid.faces; ++k) {
    const Loop& loop = solid.loop[order[k]];
    P.faces.push_back({loop.cut, at, static_cast<std::size_t>(loop.n)});
    for (int m = 0; m < loop.n; ++m, ++at) {
      P.vertices[at] = solid.At(loop.corner[m]);
      P.edges[at] = loop.edge[m];
      P.corners[at] = loop.corner[m];
    }
  }
  P.lower = P.upper = solid.At(0);
  for (int c = 1; c < solid.corners; ++c) {
    P.lower = Min(P.lower, solid.At(c));
    P.upper = Max(P.upper, solid.At(c));
  }
  return P;
}

/** The solid whose faces a polytope has. False where it has more than there is room for. */
bool FromPolytope(const Polytope& P, Solid* solid) {
  constexpr int kNone = -1;
  if (P.faces.size() >= kMostCuts) return false;
  std::array<int, kMostCorners> number;  // of the polytope's corners
  number.fill(kNone);
  solid->corners = 0;
  solid->faces = 0;
  for (const PolytopeFace& face : P.faces) {
    if (face.count >= kMostSides) return false;
    Loop& loop = solid->loop[solid->faces++];
    loop.cut = face.cut;
    loop.n = static_cast<int>(face.count);
    for (std::size_t k = 0; k < face.count; ++k) {
      const std::size_t at = face.first + k;
      int& corner = number[P.corners[at]];
      if (corner == kNone) corner = solid->Add(P.vertices[at]);
      loop.corner[k] = corner;
      loop.edge[k] = P.edges[at];
    }
  }
  return true;
}

/** What a cut does to a solid. */
enum class Cut { kNothing, kClips, kTakesAll, kDoubtful };

/** Clips the solid by the cut `index`. What it leaves has no meaning where it takes all, or where
 rounding decides. */
Cut Apply(std::span<const PlaneCut> cuts, int index, double tolerance, Solid* solid) {
  for (int c = solid->corners; c % 4 != 0; ++c) solid->Copy(0, c);
  const auto [lo, hi] = Levels(cuts[index], solid->x.data(), solid->y.data(), solid->z.data(),
                               static_cast<std::size_t>(solid->corners), solid->level.data());
  if (hi <= tolerance) return Cut::kNothing;
  if (lo > kDoubt * tolerance) return Cut::kTakesAll;
  if (lo >= -kDoubt * tolerance || hi <= kDoubt * tolerance) return Cut::kDoubtful;
  return ClipBy(cuts, index, tolerance, solid) ? Cut::kClips : Cut::kDoubtful;
}

Polytope Nothing(double tolerance) {
  Polytope nothing;
  nothing.tolerance = tolerance;
  nothing.empty = true;
  return nothing;
}

}  // namespace

std::optional<Polytope> ClipSlabs(std::span<const PlaneCut> cuts, const Slabs& slabs,
                                  const Vec3& center, double tolerance) {
  const int count = static_cast<int>(cuts.size());
  if (count > kMostCuts) return std::nullopt;
  Slabs first = slabs;
  for (int k = 0; k < 3; ++k) {
    first.lower[k] = First(cuts, slabs.lower[k], tolerance);
    first.upper[k] = First(cuts, slabs.upper[k], tolerance);
  }
  thread_local Solid solid;
  Begin(cuts, first, center, &solid);
  for (int k = 0; k < 3; ++k) {
    const PlaneCut& upper = cuts[first.upper[k]];
    // Of opposite corners: the slab's width.
    if (upper.d - Dot(upper.n, solid.At(0)) <= kDoubt * tolerance) return std::nullopt;
  }
  for (int index = 0; index < count; ++index) {
    const Cut cut = Apply(cuts, index, tolerance, &solid);
    if (cut == Cut::kTakesAll) return Nothing(tolerance);
    if (cut == Cut::kDoubtful) return std::nullopt;
  }
  return ToPolytope(solid, tolerance);
}

std::optional<Polytope> ClipShared(const Polytope& P, std::span<const PlaneCut> cuts,
                                   double tolerance) {
  thread_local Solid solid;
  if (P.corners.empty() || !FromPolytope(P, &solid)) return std::nullopt;
  const Cut cut = Apply(cuts, static_cast<int>(cuts.size()) - 1, tolerance, &solid);
  if (cut == Cut::kTakesAll) return Nothing(tolerance);
  if (cut == Cut::kDoubtful) return std::nullopt;
  return ToPolytope(solid, tolerance);
}

}  // namespace intervox::geometry
