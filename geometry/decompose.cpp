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

/** A proof keeps this distance from new surfaces, as a share of the cell's size. */
constexpr double kTouching = 1e-12;

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

std::vector<Surface> With(std::vector<Surface> surfaces, const Surface& S) {
  surfaces.push_back(S);
  return surfaces;
}

InteriorPoint Search(const std::vector<Surface>& surfaces, Effort* effort) {
  ++effort->searches;
  effort->surfaces += static_cast<std::int64_t>(surfaces.size());
  return FindInterior(surfaces);
}

bool IsEmpty(const std::vector<Surface>& surfaces, Effort* effort) {
  return Search(surfaces, effort).verdict == Interior::kEmpty;
}

}  // namespace

RawCell MakeRawCell(std::vector<Surface> surfaces, std::string name, int node) {
  const double inf = std::numeric_limits<double>::infinity();
  RawCell cell{
      std::move(surfaces), std::move(name), node, {{-inf, -inf, -inf}, {inf, inf, inf}}, {}};
  const EnclosingPolytope hull = Enclose(cell.surfaces);
  if (hull.polytope.bounded && !hull.polytope.empty) {
    cell.box = {hull.polytope.lower, hull.polytope.upper};
  }
  return cell;
}

std::vector<RawCell> Subtract(const RawCell& A, const RawCell& T, Effort* effort) {
  if (!Overlap(A.box, T.box)) return {A};
  ++effort->cuts;
  std::vector<Surface> both = A.surfaces;
  both.insert(both.end(), T.surfaces.begin(), T.surfaces.end());
  if (IsEmpty(both, effort)) return {A};
  std::vector<Surface> order = T.surfaces;
  std::stable_partition(order.begin(), order.end(),
                        [](const Surface& S) { return S.kind != SurfaceKind::kPlane; });
  std::vector<RawCell> pieces;
  RawCell prefix = A;
  for (const Surface& t : order) {
    RawCell piece = prefix;
    piece.surfaces.push_back(Complement(t));
    if (IsEmpty(piece.surfaces, effort))
      continue;  // t does not cut: its kept side holds the prefix
    if (Simplify(&piece, effort)) pieces.push_back(std::move(piece));
    prefix.surfaces.push_back(t);
  }
  return pieces;
}

std::vector<RawCell> Intersect(const RawCell& A, const RawCell& T, Effort* effort) {
  if (!Overlap(A.box, T.box)) return {};
  ++effort->cuts;
  RawCell cell = A;
  cell.box = {Max(A.box.lower, T.box.lower), Min(A.box.upper, T.box.upper)};
  cell.surfaces.insert(cell.surfaces.end(), T.surfaces.begin(), T.surfaces.end());
  if (IsEmpty(cell.surfaces, effort)) return {};
  if (!Simplify(&cell, effort)) return {};
  return {cell};
}

bool Simplify(RawCell* cell, Effort* effort) {
  const double parent = Norm(cell->box.upper - cell->box.lower);
  const double thinnest = std::isfinite(parent) ? kFlat * parent : 0.0;
  const EnclosingPolytope hull = Enclose(cell->surfaces);
  const bool bounded = hull.polytope.bounded;
  const Vec3 center = bounded ? 0.5 * (hull.polytope.lower + hull.polytope.upper) : Vec3{};
  const double size =
      bounded ? Norm(hull.polytope.upper - hull.polytope.lower) : LengthScale(cell->surfaces);
  std::vector<Surface> kept;
  std::vector<Proof> proofs;
  const std::size_t judged = cell->proofs.size();
  for (std::size_t k = 0; k < cell->surfaces.size(); ++k) {
    const Surface& S = cell->surfaces[k];
    const bool twice = std::any_of(kept.begin(), kept.end(), [&](const Surface& T) {
      return Coincide(S, T, center, size) == Coincidence::kSame;
    });
    if (twice) continue;
    kept.push_back(S);
    proofs.push_back(k < judged ? cell->proofs[k] : Proof{});
    for (std::size_t j = judged; j < cell->surfaces.size() && proofs.back().known; ++j) {
      proofs.back().known = Level(cell->surfaces[j], proofs.back().point) < -kTouching * size;
    }
  }
  if (bounded && !hull.polytope.empty) {
    cell->box = {Max(cell->box.lower, hull.polytope.lower),
                 Min(cell->box.upper, hull.polytope.upper)};
  }
  for (const bool planes : {true, false}) {
    for (std::size_t k = kept.size(); k-- > 0 && kept.size() > 1;) {
      if ((kept[k].kind == SurfaceKind::kPlane) != planes || proofs[k].known) continue;
      std::vector<Surface> rest = kept;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const InteriorPoint beyond = Search(With(rest, Complement(kept[k])), effort);
      if (beyond.verdict == Interior::kEmpty) {
        kept = std::move(rest);
        proofs.erase(proofs.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        proofs[k] = {beyond.verdict == Interior::kFound, beyond.point};
      }
    }
  }
  cell->surfaces = std::move(kept);
  cell->proofs = std::move(proofs);
  return !IsFlat(Enclose(cell->surfaces), thinnest);
}

}  // namespace intervox::geometry
