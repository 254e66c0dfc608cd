#include "geometry/decompose.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "geometry/enclose.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

std::vector<Surface> With(std::vector<Surface> surfaces, const Surface& S) {
  surfaces.push_back(S);
  return surfaces;
}

bool IsEmpty(const std::vector<Surface>& surfaces) {
  return FindInterior(surfaces).verdict == Interior::kEmpty;
}

}  // namespace

RawCell MakeRawCell(std::vector<Surface> surfaces, std::string name, int node) {
  const double inf = std::numeric_limits<double>::infinity();
  RawCell cell{std::move(surfaces), std::move(name), node, {{-inf, -inf, -inf}, {inf, inf, inf}}};
  const EnclosingPolytope hull = Enclose(cell.surfaces);
  if (hull.polytope.bounded && !hull.polytope.empty) {
    cell.box = {hull.polytope.lower, hull.polytope.upper};
  }
  return cell;
}

std::vector<RawCell> Subtract(const RawCell& A, const RawCell& T) {
  if (!Overlap(A.box, T.box)) return {A};
  std::vector<Surface> both = A.surfaces;
  both.insert(both.end(), T.surfaces.begin(), T.surfaces.end());
  if (IsEmpty(both)) return {A};
  std::vector<Surface> order = T.surfaces;
  std::stable_partition(order.begin(), order.end(),
                        [](const Surface& S) { return S.kind != SurfaceKind::kPlane; });
  std::vector<RawCell> pieces;
  RawCell prefix = A;
  for (const Surface& t : order) {
    RawCell piece = prefix;
    piece.surfaces.push_back(Complement(t));
    if (IsEmpty(piece.surfaces)) continue;  // t does not cut: its kept side holds the prefix
    if (Simplify(&piece.surfaces)) pieces.push_back(std::move(piece));
    prefix.surfaces.push_back(t);
  }
  return pieces;
}

std::vector<RawCell> Intersect(const RawCell& A, const RawCell& T) {
  if (!Overlap(A.box, T.box)) return {};
  RawCell cell = A;
  cell.box = {Max(A.box.lower, T.box.lower), Min(A.box.upper, T.box.upper)};
  cell.surfaces.insert(cell.surfaces.end(), T.surfaces.begin(), T.surfaces.end());
  if (IsEmpty(cell.surfaces)) return {};
  if (!Simplify(&cell.surfaces)) return {};
  return {cell};
}

bool Simplify(std::vector<Surface>* surfaces) {
  const EnclosingPolytope hull = Enclose(*surfaces);
  const bool bounded = hull.polytope.bounded;
  const Vec3 center = bounded ? 0.5 * (hull.polytope.lower + hull.polytope.upper) : Vec3{};
  const double size =
      bounded ? Norm(hull.polytope.upper - hull.polytope.lower) : LengthScale(*surfaces);
  std::vector<Surface> kept;
  for (const Surface& S : *surfaces) {
    const bool twice = std::any_of(kept.begin(), kept.end(), [&](const Surface& T) {
      return Coincide(S, T, center, size) == Coincidence::kSame;
    });
    if (!twice) kept.push_back(S);
  }
  for (const bool planes : {true, false}) {
    for (std::size_t k = kept.size(); k-- > 0 && kept.size() > 1;) {
      if ((kept[k].kind == SurfaceKind::kPlane) != planes) continue;
      std::vector<Surface> rest = kept;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (IsEmpty(With(rest, Complement(kept[k])))) kept = std::move(rest);
    }
  }
  *surfaces = std::move(kept);
  return !Enclose(*surfaces).polytope.empty;
}

}  // namespace intervox::geometry
