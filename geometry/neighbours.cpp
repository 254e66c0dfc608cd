#include "geometry/neighbours.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "geometry/bounds.h"
#include "geometry/decompose.h"
#include "geometry/enclose.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** Cells that share less than this depth, as a share of the size, only touch. */
constexpr double kTouching = 1e-9;
/** Boxes looked at when cells are compared. */
constexpr int kOverlapBudget = 20000;
constexpr int kFaceBudget = 4000;

/** The half diagonal of a cell, or the size of its surfaces where it is unbounded. */
double SizeOf(const Cell& cell) {
  return cell.bounded ? Norm(cell.bounds.half) : LengthScale(cell.surfaces);
}

std::vector<Surface> Without(const Cell& cell, std::size_t i) {
  std::vector<Surface> rest = cell.surfaces;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
  return rest;
}

bool IsConvex(const Surface& S) {
  return S.kind == SurfaceKind::kPlane ||
         (S.side > 0 && (S.kind == SurfaceKind::kEllipsoid || S.kind == SurfaceKind::kCylinder ||
                         S.kind == SurfaceKind::kCone));
}

/** The polygon of a plane face, which the curved surfaces of the cell may cut further; null where
 the cell has none. */
const FacePolygon* PolygonOf(const Cell& cell, std::size_t i) {
  const auto face = std::find_if(cell.faces.begin(), cell.faces.end(), [i](const FacePolygon& f) {
    return f.surface == static_cast<int>(i);
  });
  return face != cell.faces.end() && cell.bounded ? &*face : nullptr;
}

/** No point of the polygon is farther than `touching` beyond t: by its vertices where t's kept side
 is convex, else by bounds over the box around them. */
bool AllSatisfy(const std::vector<Vec3>& polygon, const Surface& t, double touching) {
  if (IsConvex(t)) {
    return std::all_of(polygon.begin(), polygon.end(),
                       [&](const Vec3& p) { return Level(t, p) <= touching; });
  }
  Aabb box{polygon.front(), polygon.front()};
  for (const Vec3& p : polygon) box = {Min(box.lower, p), Max(box.upper, p)};
  const Bounds f = BoundsOverBox(t, 0.5 * (box.lower + box.upper), Mat3::Identity(),
                                 0.5 * (box.upper - box.lower));
  return (t.side > 0 ? f.hi : -f.lo) <= touching;
}

/** The whole of face i of A satisfies the surface t of the cell on its other side. */
bool FaceSatisfies(const Cell& A, std::size_t i, const Surface& t, double size) {
  const Surface& S = A.surfaces[i];
  const double touching = kTouching * size;
  if (const FacePolygon* face = PolygonOf(A, i); face != nullptr) {
    const bool all = AllSatisfy(face->p_C, t, touching);
    if (all || (A.polytope && IsConvex(t))) return all;
  }
  const std::vector<Surface> others = Without(A, i);
  for (const Surface& s : others) {
    if (Coincide(s, t, A.bounds.X.p, size) == Coincidence::kSame) return true;
    if (S.kind == SurfaceKind::kPlane && SameOnPlane(s, t, S, size)) return true;
  }
  if (S.kind == SurfaceKind::kPlane && IsConvex(t) && A.bounded) {
    const EnclosingPolytope hull = Enclose(A.surfaces);
    const PolytopeFace* face = FindFace(hull, static_cast<int>(i));
    if (face != nullptr) return AllSatisfy(face->p, t, touching);
  }
  std::vector<Surface> outside = others;
  outside.push_back(Complement(t));
  return FindOnSurface(S, outside, touching, kFaceBudget).verdict == Interior::kEmpty;
}

bool FaceWithin(const Cell& A, std::size_t i, const Cell& B, std::size_t j, double size) {
  for (std::size_t k = 0; k < B.surfaces.size(); ++k) {
    if (k != j && !FaceSatisfies(A, i, B.surfaces[k], size)) return false;
  }
  return true;
}

/** Whether A and B touch along an area of A's surface i, which is B's surface j from the other
 side. Planes: first by the polygon of A's face within B's planes and a point in its middle. */
bool Touch(const Cell& A, std::size_t i, const Cell& B, std::size_t j, double depth) {
  const auto levels = [&](const Cell& cell, std::size_t face, const Vec3& p) {
    double level = -1e300;
    for (std::size_t k = 0; k < cell.surfaces.size(); ++k) {
      if (k != face) level = std::max(level, Level(cell.surfaces[k], p));
    }
    return level;
  };
  if (const FacePolygon* face = PolygonOf(A, i); face != nullptr) {
    std::vector<Vec3> common = face->p_C;
    for (std::size_t k = 0; k < B.surfaces.size() && !common.empty(); ++k) {
      if (k == j || B.surfaces[k].kind != SurfaceKind::kPlane) continue;
      const PlaneCut cut = ToCut(B.surfaces[k], -1);
      common = ClipPolygon(common, cut.n, cut.d - depth, 0.0);
    }
    if (common.empty()) return false;
    const Vec3 middle = Mean(common);
    if (levels(A, i, middle) < -depth && levels(B, j, middle) < -depth) return true;
  }
  std::vector<Surface> both = Without(A, i);
  const std::vector<Surface> rest = Without(B, j);
  both.insert(both.end(), rest.begin(), rest.end());
  return FindOnSurface(A.surfaces[i], both, depth, kFaceBudget).verdict == Interior::kFound;
}

/** One kind of a circular surface, one side kept: never opposite sides of one surface. */
bool SameKindAndSide(const Surface& S, const Surface& T) {
  return S.kind == T.kind && S.side == T.side && S.kind != SurfaceKind::kPlane &&
         S.kind != SurfaceKind::kQuadric;
}

/** Links two cells across each surface that they share. */
void Link(std::vector<Cell>& cells, int a, int b) {
  Cell& A = cells[static_cast<std::size_t>(a)];
  Cell& B = cells[static_cast<std::size_t>(b)];
  const double size = std::min(SizeOf(A), SizeOf(B));
  bool touching = false;
  for (std::size_t i = 0; i < A.surfaces.size(); ++i) {
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      const Surface &S = A.surfaces[i], &T = B.surfaces[j];
      if (SameKindAndSide(S, T) || Coincide(S, T, A.bounds.X.p, size) != Coincidence::kOpposite ||
          !Touch(A, i, B, j, kTouching * size)) {
        continue;
      }
      touching = true;
      if (FaceWithin(A, i, B, j, size) && FaceWithin(B, j, A, i, size)) {
        A.surfaces[i].cut = true;
        B.surfaces[j].cut = true;
      }
    }
  }
  if (!touching) return;
  A.neighbours.push_back(b);
  B.neighbours.push_back(a);
}

/** The cells' boxes, grown by a share of the cells' sizes. */
std::vector<Aabb> BoxesOf(std::span<const Cell> cells, double share) {
  std::vector<Aabb> boxes;
  for (const Cell& cell : cells) {
    const Aabb box = BoundsInPose(cell, Pose::Identity());
    const double margin = share * SizeOf(cell);
    const Vec3 grown{margin, margin, margin};
    boxes.push_back({box.lower - grown, box.upper + grown});
  }
  return boxes;
}

}  // namespace

void LinkNeighbours(std::vector<Cell>& cells) {
  Effort effort;
  LinkNeighbours(cells, &effort);
}

void LinkNeighbours(std::vector<Cell>& cells, Effort* effort) {
  for (Cell& cell : cells) {
    cell.neighbours.clear();
    for (Surface& S : cell.surfaces) S.cut = false;
  }
  for (const auto& [a, b] : NearPairs(BoxesOf(cells, kTouching))) {
    ++effort->pairs;
    Link(cells, a, b);
  }
  for (Cell& cell : cells) std::sort(cell.neighbours.begin(), cell.neighbours.end());
}

bool IsInside(std::span<const Cell> cells, std::size_t a, std::size_t i) {
  const Cell& A = cells[a];
  if (A.surfaces[i].cut) return true;
  return std::any_of(A.neighbours.begin(), A.neighbours.end(), [&](int b) {
    const Cell& B = cells[static_cast<std::size_t>(b)];
    const double size = std::min(SizeOf(A), SizeOf(B));
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      if (SameKindAndSide(A.surfaces[i], B.surfaces[j])) continue;
      if (Coincide(A.surfaces[i], B.surfaces[j], A.bounds.X.p, size) == Coincidence::kOpposite &&
          FaceWithin(A, i, B, j, size)) {
        return true;
      }
    }
    return false;
  });
}

std::optional<std::pair<int, int>> FindOverlap(std::span<const Cell> cells) {
  for (const auto& [a, b] : NearPairs(BoxesOf(cells, 0.0))) {
    const Cell& A = cells[static_cast<std::size_t>(a)];
    const Cell& B = cells[static_cast<std::size_t>(b)];
    std::vector<Surface> both = A.surfaces;
    both.insert(both.end(), B.surfaces.begin(), B.surfaces.end());
    const double depth = kTouching * std::min(SizeOf(A), SizeOf(B));
    if (FindInterior(both, depth, kOverlapBudget).verdict == Interior::kFound) {
      return std::pair(a, b);
    }
  }
  return std::nullopt;
}

void RequireDisjoint(std::span<const Cell> cells, const std::string& place) {
  const auto overlap = FindOverlap(cells);
  if (!overlap) return;
  throw std::invalid_argument(
      place + ": the cells '" + cells[static_cast<std::size_t>(overlap->first)].name + "' and '" +
      cells[static_cast<std::size_t>(overlap->second)].name +
      "' overlap, so that their common volume would count twice. Make them disjoint, or give the "
      "body a union as its shape.");
}

std::vector<Cell> Halves(const Cell& cell, const Surface& plane) {
  Effort effort;
  const RawCell whole = MakeRawCell(cell.surfaces, cell.name, cell.node);
  const std::vector<RawCell> halves = Halves(whole, plane, &effort);
  if (halves.size() == 1) return {cell};
  std::vector<Cell> parts;
  for (const RawCell& half : halves) {
    parts.push_back(MakeCell(half.surfaces, half.name));
    parts.back().node = cell.node;
  }
  return parts;
}

std::vector<Cell> SplitByPlane(std::span<const Cell> cells, const Surface& plane) {
  std::vector<Cell> parts;
  for (const Cell& cell : cells) {
    for (Cell& half : Halves(cell, plane)) parts.push_back(std::move(half));
  }
  LinkNeighbours(parts);
  return parts;
}

}  // namespace intervox::geometry
