#include "geometry/hollows.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <utility>

#include "geometry/bounds.h"
#include "geometry/decompose.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"

namespace intervox::geometry {
namespace {

/** Whether a cell reaches into the hole of a torus, nearer to its axis than the middle of its tube:
 beyond, as in a rounded rim, the tube's face is convex. */
bool ReachesIntoHole(const Cell& cell, const Surface& torus, Effort* effort) {
  constexpr double kSlack = 1.0 / 16;  // of the tube's radius
  const double hole = torus.e.x - kSlack * torus.e.y;
  const RawCell within = MakeRawCell({MakeCylinder(hole, {torus.R, torus.o})}, "", -1);
  return !Intersect(RawCellOf(cell), within, effort).empty();
}

bool IsHollow(const Cell& cell, const Surface& S, Effort* effort) {
  switch (S.kind) {
    case SurfaceKind::kEllipsoid:
    case SurfaceKind::kCylinder:
    case SurfaceKind::kCone:
      return S.side < 0;
    case SurfaceKind::kQuadric:
      return S.side < 0 || S.e.x < 0 || S.e.y < 0 || S.e.z < 0;
    case SurfaceKind::kTorus:
      return S.side < 0 || ReachesIntoHole(cell, S, effort);
    case SurfaceKind::kPlane:
      break;
  }
  return false;
}

/** The hollow face of a piece that stems from a surface. */
bool Has(const RawCell& piece, const Surface& hollow) {
  return std::any_of(piece.surfaces.begin(), piece.surfaces.end(), [&](const Surface& S) {
    return S.kind == hollow.kind && S.side == hollow.side && S.o == hollow.o && S.e == hollow.e &&
           S.R.Col(2) == hollow.R.Col(2);
  });
}

Surface PlaneThrough(const Vec3& o, const Vec3& n, const Vec3& along) {
  Surface plane;
  plane.R = Mat3::FromColumns(along, Cross(n, along), n);
  plane.o = o;
  return plane;
}

/** A general quadric's own planes of symmetry. */
std::vector<Surface> PlanesOfSymmetry(const Surface& S) {
  constexpr double kFlat = 1e-9;
  const Vec3 e = Abs(S.e);
  std::vector<Surface> planes;
  for (int i = 0; i < 3; ++i) {
    if (e[i] <= kFlat * std::max({e.x, e.y, e.z})) continue;
    planes.push_back(PlaneThrough(S.o, S.R.Col(i), S.R.Col((i + 1) % 3)));
  }
  return planes;
}

/** Planes through the axis, halfway between the body's axes where it is parallel to one: coaxial
 faces share them, and parts tend to lean on walls along the axes. */
std::vector<Surface> PlanesThrough(const Surface& hollow) {
  if (hollow.kind == SurfaceKind::kQuadric) return PlanesOfSymmetry(hollow);
  const Vec3 axis = hollow.R.Col(2), size = Abs(axis);
  constexpr double kTie = 1e-6;
  const int across = size.x <= size.y + kTie && size.x <= size.z + kTie ? 0
                     : size.y <= size.z + kTie                          ? 1
                                                                        : 2;
  Vec3 e{};
  e[across] = 1.0;
  const Vec3 u = Normalized(e - Dot(e, axis) * axis), v = Cross(axis, u);
  std::vector<Surface> planes{PlaneThrough(hollow.o, Normalized(u + v), axis),
                              PlaneThrough(hollow.o, Normalized(u - v), axis)};
  if (hollow.kind == SurfaceKind::kEllipsoid) planes.push_back(PlaneThrough(hollow.o, axis, u));
  return planes;
}

/** The faces of a cell around which it is cut: hollow, and not wholly against another cell, where
 nothing can touch them. */
std::vector<Surface> Hollows(std::span<const Cell> cells, std::size_t a, Effort* effort) {
  std::vector<Surface> hollows;
  for (std::size_t i = 0; i < cells[a].surfaces.size(); ++i) {
    if (IsHollow(cells[a], cells[a].surfaces[i], effort) && !IsInside(cells, a, i)) {
      hollows.push_back(cells[a].surfaces[i]);
    }
  }
  return hollows;
}

/** The cell cut in sectors around its hollow faces; one piece where no plane cuts it. */
std::vector<RawCell> Sectors(const Cell& cell, const std::vector<Surface>& hollows,
                             Effort* effort) {
  std::vector<RawCell> pieces{RawCellOf(cell)};
  for (const Surface& hollow : hollows) {
    for (const Surface& plane : PlanesThrough(hollow)) {
      std::vector<RawCell> next;
      for (RawCell& piece : pieces) {
        if (!Has(piece, hollow)) {
          next.push_back(std::move(piece));
          continue;
        }
        for (RawCell& half : Halves(piece, plane, effort)) next.push_back(std::move(half));
      }
      pieces = std::move(next);
    }
  }
  return pieces;
}

Cell CellOf(RawCell piece) {
  Cell cell = piece.hull != nullptr
                  ? MakeCellIn(*piece.hull, std::move(piece.surfaces), std::move(piece.name))
                  : MakeCellWithin(piece.box, std::move(piece.surfaces), std::move(piece.name));
  cell.node = piece.node;
  return cell;
}

}  // namespace

std::vector<Cell> SplitHollows(std::vector<Cell> cells) {
  Effort effort;
  return SplitHollows(std::move(cells), &effort);
}

std::vector<Cell> SplitHollows(std::vector<Cell> cells, Effort* effort) {
  std::deque<Cell> parts;                        // of the cells that are cut, one after the other
  std::vector<std::size_t> count(cells.size());  // of each cell's parts; none: it stays whole
  std::size_t total = cells.size();
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const std::vector<Surface> hollows = Hollows(cells, a, effort);
    if (hollows.empty()) continue;
    std::vector<RawCell> pieces = Sectors(cells[a], hollows, effort);
    if (pieces.size() == 1) continue;
    for (RawCell& piece : pieces) parts.push_back(CellOf(std::move(piece)));
    count[a] = pieces.size();
    total += pieces.size() - 1;
  }
  if (parts.empty()) return cells;
  std::vector<Cell> all;
  all.reserve(total);
  for (std::size_t a = 0; a < cells.size(); ++a) {
    if (count[a] == 0) all.push_back(std::move(cells[a]));
    for (std::size_t k = 0; k < count[a]; ++k) {
      all.push_back(std::move(parts.front()));
      parts.pop_front();
    }
  }
  cells = {};
  LinkNeighbours(all, effort);
  return all;
}

}  // namespace intervox::geometry
