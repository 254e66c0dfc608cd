#include "geometry/decompose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/enclose.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** Less than this share of a cell's size is nothing: between a proof and new surfaces, between
 boxes. */
constexpr double kTouching = 1e-12;

/** A point that is guessed proves something where it is this deep, as a share of the cell's size.
 */
constexpr double kClear = 1e-8;

/** A piece thinner than this share of the cell that it is cut from is none: its faces are one. */
constexpr double kFlat = 1e-9;

bool IsFlat(const EnclosingPolytope& hull, double thinnest) {
  if (hull.polytope.empty) return true;
  return std::any_of(hull.cuts.begin(), hull.cuts.end(), [&](const PlaneCut& cut) {
    double depth = 0;
    for (const Vec3& v : hull.polytope.vertices) depth = std::max(depth, cut.d - Dot(cut.n, v));
    return depth <= thinnest;
  });
}

/** The cell within one more surface. */
RawCell Within(const RawCell& cell, const Surface& S) {
  RawCell within{{}, cell.name, cell.node, cell.box, cell.proofs, {}};
  within.surfaces.reserve(cell.surfaces.size() + 1);
  within.surfaces = cell.surfaces;
  within.surfaces.push_back(S);
  return within;
}

InteriorPoint Search(const std::vector<Surface>& surfaces, const EnclosingPolytope& hull,
                     Effort* effort) {
  ++effort->searches;
  effort->surfaces += static_cast<std::int64_t>(surfaces.size());
  return FindInterior(surfaces, hull);
}

bool IsEmpty(const std::vector<Surface>& surfaces, const EnclosingPolytope& hull, Effort* effort) {
  return Search(surfaces, hull, effort).verdict == Interior::kEmpty;
}

/** Whether a point is deeper than `clear` inside all surfaces but k, and as far outside k. */
bool Proves(const std::vector<Surface>& surfaces, std::size_t k, const Vec3& p, double clear) {
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const double level = Level(surfaces[i], p);
    if (!(i == k ? level > clear : level < -clear)) return false;
  }
  return true;
}

/** Whether the plane leaves nothing of a box beyond it but what is flat. */
bool HoldsBox(const Surface& plane, const Aabb& box) {
  const Vec3 center = 0.5 * (box.lower + box.upper), half = 0.5 * (box.upper - box.lower);
  const double size = Norm(half);
  if (plane.kind != SurfaceKind::kPlane || !std::isfinite(size)) return false;
  const PlaneCut cut = ToCut(plane, -1);
  return Dot(cut.n, center) - cut.d + Dot(Abs(cut.n), half) <= kTouching * size;
}

/** Whether the middle of what the cells' boxes share proves that the cells overlap. */
bool OverlapInMiddle(const RawCell& A, const RawCell& T) {
  const Vec3 lower = Max(A.box.lower, T.box.lower), upper = Min(A.box.upper, T.box.upper);
  const double size = Norm(upper - lower);
  if (!std::isfinite(size)) return false;
  const Vec3 middle = 0.5 * (lower + upper);
  const auto inside = [&](const Surface& S) { return Level(S, middle) < -kClear * size; };
  return std::all_of(A.surfaces.begin(), A.surfaces.end(), inside) &&
         std::all_of(T.surfaces.begin(), T.surfaces.end(), inside);
}

/** Whether a hole or a hollow ball lies beyond one of the cuts of a bounded hull: it takes nothing
 away there. */
bool LiesBeyond(const Surface& S, const EnclosingPolytope& hull, double touching) {
  const bool round = S.kind == SurfaceKind::kCylinder;
  if (S.side > 0 || (!round && S.kind != SurfaceKind::kEllipsoid)) return false;
  const Polytope& P = hull.polytope;
  const Vec3 axis = S.R.Col(2);
  const Vec3 middle = round ? S.o + Dot(0.5 * (P.lower + P.upper) - S.o, axis) * axis : S.o;
  // Within the hull the cylinder ends this far from its middle.
  const Vec3 reach{std::sqrt(-S.c / S.e.x), std::sqrt(-S.c / S.e.y),
                   round ? 0.5 * Norm(P.upper - P.lower) : std::sqrt(-S.c / S.e.z)};
  return std::any_of(hull.cuts.begin(), hull.cuts.end(), [&](const PlaneCut& cut) {
    const Vec3 m = Scaled(TransposeTimes(S.R, cut.n), reach);
    const double across = round ? std::hypot(m.x, m.y) + std::abs(m.z) : Norm(m);
    return Dot(cut.n, middle) - across >= cut.d - touching;
  });
}

/** Calls test(p) for points that may lie beyond S and inside the cell's other surfaces, whose hull
 is given, until it is true of one: what most surfaces need instead of a search. */
template <class Test>
Proof FindBeyond(const Surface& S, std::ptrdiff_t index, const EnclosingPolytope& hull, Test test) {
  constexpr double kStepOut = 1e-6;
  const Polytope& P = hull.polytope;
  if (S.kind == SurfaceKind::kPlane) {
    const PolytopeFace* const face = FindFace(hull, static_cast<int>(index));
    if (face == nullptr) return {};
    const std::span<const Vec3> corners = P.Corners(*face);
    const Vec3 middle = Mean(corners);
    const Vec3 out = (kStepOut * S.side * Norm(P.upper - P.lower)) * S.PlaneNormal();
    if (test(middle + out)) return {true, middle + out};
    for (const double share : {0.5, 0.9}) {
      for (const Vec3& v : corners) {
        const Vec3 p = (1 - share) * middle + share * v + out;
        if (test(p)) return {true, p};
      }
    }
    return {};
  }
  const Vec3 mean = Mean(P.vertices);
  if (S.side > 0) {
    for (const Vec3& v : P.vertices) {
      const Vec3 p = 0.1 * mean + 0.9 * v;
      if (test(p)) return {true, p};
    }
    return {};
  }
  const bool round = S.kind == SurfaceKind::kCylinder || S.kind == SurfaceKind::kCone;
  const Vec3 axis = S.R.Col(2);
  const Vec3 inside = round ? S.o + Dot(mean - S.o, axis) * axis : S.o;
  for (const double t : {0.0, 0.1, 0.3, 0.6}) {
    const Vec3 p = inside + t * (mean - inside);
    if (test(p)) return {true, p};
  }
  return {};
}

/** Simplify where the hull of the cell's surfaces is known.
 @param origins  out, if given: the number that each surface which is left had. */
bool Simplify(RawCell* cell, const EnclosingPolytope& hull, Effort* effort,
              std::vector<std::ptrdiff_t>* origins = nullptr) {
  const double parent = Norm(cell->box.upper - cell->box.lower);
  const double thinnest = std::isfinite(parent) ? kFlat * parent : 0.0;
  const bool bounded = hull.polytope.bounded;
  const Vec3 center = bounded ? 0.5 * (hull.polytope.lower + hull.polytope.upper) : Vec3{};
  const double size =
      bounded ? Norm(hull.polytope.upper - hull.polytope.lower) : LengthScale(cell->surfaces);
  std::vector<Surface> kept;
  std::vector<Proof> proofs;
  std::vector<std::ptrdiff_t> origin;  // of the surfaces in `kept`
  std::vector<ComparedSurface> compared;
  compared.reserve(cell->surfaces.size());
  const std::size_t judged = cell->proofs.size();
  kept.reserve(cell->surfaces.size());
  proofs.reserve(cell->surfaces.size());
  origin.reserve(cell->surfaces.size());
  for (std::size_t k = 0; k < cell->surfaces.size(); ++k) {
    const Surface& S = cell->surfaces[k];
    const ComparedSurface own = Compared(S, center, size);
    // Those that an earlier Simplify has judged differ from each other.
    const bool twice =
        k >= judged &&
        std::any_of(compared.begin(), compared.end(), [&](const ComparedSurface& other) {
          return Coincide(own, other, center, size) == Coincidence::kSame;
        });
    if (twice) continue;
    compared.push_back(own);
    kept.push_back(S);
    origin.push_back(static_cast<std::ptrdiff_t>(k));
    proofs.push_back(k < judged ? cell->proofs[k] : Proof{});
    for (std::size_t j = judged; j < cell->surfaces.size() && proofs.back().known; ++j) {
      proofs.back().known = Level(cell->surfaces[j], proofs.back().point) < -kTouching * size;
    }
  }
  if (bounded && !hull.polytope.empty) {
    cell->box = {Max(cell->box.lower, hull.polytope.lower),
                 Min(cell->box.upper, hull.polytope.upper)};
  }
  bool same_hull = kept.size() == cell->surfaces.size();
  // A quadric's box in the hull comes from the planes too, and of doubles another one has the face.
  const bool faces_tell = same_hull && bounded && !hull.polytope.empty &&
                          std::none_of(kept.begin(), kept.end(), [](const Surface& S) {
                            return S.kind == SurfaceKind::kQuadric;
                          });
  const auto drop = [&](std::size_t k) {
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
    proofs.erase(proofs.begin() + static_cast<std::ptrdiff_t>(k));
    origin.erase(origin.begin() + static_cast<std::ptrdiff_t>(k));
  };
  for (std::size_t k = kept.size(); faces_tell && k-- > 0;) {  // without a face it bounds nothing
    if (kept[k].kind == SurfaceKind::kPlane && !proofs[k].known &&
        FindFace(hull, static_cast<int>(origin[k])) == nullptr) {
      drop(k);
    }
  }
  for (const bool planes : {true, false}) {
    for (std::size_t k = kept.size(); k-- > 0 && kept.size() > 1;) {
      if ((kept[k].kind == SurfaceKind::kPlane) != planes || proofs[k].known) continue;
      if (bounded && !hull.polytope.empty) {
        proofs[k] = FindBeyond(kept[k], origin[k], hull,
                               [&](const Vec3& p) { return Proves(kept, k, p, kClear * size); });
        if (proofs[k].known) continue;
      }
      if (faces_tell && same_hull && LiesBeyond(kept[k], hull, kTouching * size)) {
        drop(k);
        continue;
      }
      std::vector<Surface> outside = kept;
      outside.erase(outside.begin() + static_cast<std::ptrdiff_t>(k));
      outside.push_back(Complement(kept[k]));
      const InteriorPoint beyond = Search(outside, Enclose(outside), effort);
      if (beyond.verdict == Interior::kEmpty) {
        drop(k);
        same_hull = false;
      } else {
        proofs[k] = {beyond.verdict == Interior::kFound, beyond.point};
      }
    }
  }
  cell->surfaces = std::move(kept);
  cell->proofs = std::move(proofs);
  if (origins != nullptr) *origins = std::move(origin);
  return same_hull ? !IsFlat(hull, thinnest) : !IsFlat(Enclose(cell->surfaces), thinnest);
}

/** Whether a plane leaves one of its two sides of a cell next to nothing, by the cell's hull. */
bool LeavesWhole(const RawCell& cell, const Surface& plane) {
  const double size = Norm(cell.box.upper - cell.box.lower);
  if (cell.hull == nullptr || cell.hull->polytope.empty || !std::isfinite(size)) return false;
  const PlaneCut cut = ToCut(plane, -1);
  double below = 0, above = 0;
  for (const Vec3& v : cell.hull->polytope.vertices) {
    const double level = Dot(cut.n, v) - cut.d;
    below = std::max(below, -level);
    above = std::max(above, level);
  }
  return std::min(below, above) <= 0.1 * kFlat * size;
}

/** The hull of a piece within one more surface, a plane. That of a quadric is built anew, for its
 box in it is smaller. */
EnclosingPolytope HullOfHalf(const RawCell& piece, const RawCell& half) {
  const auto is_quadric = [](const Surface& S) { return S.kind == SurfaceKind::kQuadric; };
  if (piece.hull != nullptr &&
      std::none_of(half.surfaces.begin(), half.surfaces.end(), is_quadric)) {
    const int last = static_cast<int>(half.surfaces.size()) - 1;
    if (auto hull = EncloseFurther(*piece.hull, half.surfaces.back(), last)) {
      return *std::move(hull);
    }
  }
  return EncloseWithin(half.surfaces, half.box);
}

/** What two cells share is flat at most: their boxes meet in a face, an edge or not at all. */
bool OnlyTouch(const RawCell& A, const RawCell& B) {
  const Vec3 common = Min(A.box.upper, B.box.upper) - Max(A.box.lower, B.box.lower);
  const double size = std::min(Norm(A.box.upper - A.box.lower), Norm(B.box.upper - B.box.lower));
  return std::min({common.x, common.y, common.z}) <= (std::isfinite(size) ? kTouching * size : 0.0);
}

}  // namespace

RawCell MakeRawCell(std::vector<Surface> surfaces, std::string name, int node) {
  const double inf = std::numeric_limits<double>::infinity();
  RawCell cell{
      std::move(surfaces), std::move(name), node, {{-inf, -inf, -inf}, {inf, inf, inf}}, {}, {}};
  const EnclosingPolytope hull = Enclose(cell.surfaces);
  if (hull.polytope.bounded && !hull.polytope.empty) {
    cell.box = {hull.polytope.lower, hull.polytope.upper};
  }
  return cell;
}

RawCell RawCellOf(const Cell& cell) {
  return {cell.surfaces, cell.name, cell.node, BoundsInPose(cell, Pose::Identity()), {}, {}};
}

std::vector<RawCell> Subtract(const RawCell& A, const RawCell& T, Effort* effort) {
  if (OnlyTouch(A, T)) return {A};
  ++effort->cuts;
  if (!OverlapInMiddle(A, T)) {
    std::vector<Surface> both = A.surfaces;
    both.insert(both.end(), T.surfaces.begin(), T.surfaces.end());
    if (IsEmpty(both, Enclose(both), effort)) return {A};
  }
  std::vector<Surface> order = T.surfaces;
  std::stable_partition(order.begin(), order.end(),
                        [](const Surface& S) { return S.kind != SurfaceKind::kPlane; });
  std::vector<RawCell> pieces;
  RawCell prefix = A;
  for (const Surface& t : order) {
    if (HoldsBox(t, prefix.box)) continue;
    RawCell piece = Within(prefix, Complement(t));
    const EnclosingPolytope hull = Enclose(piece.surfaces);
    if (IsEmpty(piece.surfaces, hull, effort))
      continue;  // t does not cut: its kept side holds the prefix
    if (Simplify(&piece, hull, effort)) pieces.push_back(std::move(piece));
    prefix.surfaces.push_back(t);
  }
  return pieces;
}

std::vector<RawCell> Intersect(const RawCell& A, const RawCell& T, Effort* effort) {
  if (OnlyTouch(A, T)) return {};
  ++effort->cuts;
  RawCell cell = A;
  cell.box = {Max(A.box.lower, T.box.lower), Min(A.box.upper, T.box.upper)};
  cell.surfaces.insert(cell.surfaces.end(), T.surfaces.begin(), T.surfaces.end());
  const EnclosingPolytope hull = Enclose(cell.surfaces);
  if (IsEmpty(cell.surfaces, hull, effort) || !Simplify(&cell, hull, effort)) return {};
  return {cell};
}

std::vector<RawCell> Halves(const RawCell& piece, const Surface& plane, Effort* effort) {
  if (LeavesWhole(piece, plane)) return {piece};
  std::vector<RawCell> halves;
  for (const bool above : {false, true}) {
    RawCell half = Within(piece, above ? Complement(plane) : plane);
    half.name += above ? '+' : '-';
    EnclosingPolytope hull = HullOfHalf(piece, half);
    std::vector<std::ptrdiff_t> origins;
    if (IsEmpty(half.surfaces, hull, effort) || !Simplify(&half, hull, effort, &origins)) {
      return {piece};
    }
    if (std::optional<EnclosingPolytope> own = Renumbered(std::move(hull), origins)) {
      half.hull = std::make_shared<const EnclosingPolytope>(*std::move(own));
    }
    halves.push_back(std::move(half));
  }
  return halves;
}

bool Simplify(RawCell* cell, Effort* effort) {
  return Simplify(cell, Enclose(cell->surfaces), effort);
}

}  // namespace intervox::geometry
