#include "geometry/merge.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "geometry/box_around.h"
#include "geometry/crowd.h"
#include "geometry/decompose.h"
#include "geometry/extremes.h"
#include "geometry/faces.h"
#include "geometry/interior.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {
namespace {

/** Boxes looked at before a surface is taken not to hold a cell. */
constexpr int kHoldsBudget = 4000;
/** Cells that are compared with their common hull, whose cost grows with the square. */
constexpr std::size_t kMostTogether = 64;

/** A cell that others may have been merged into. */
struct Part {
  Cell cell;
  std::vector<std::size_t> neighbours;
  bool gone = false;  ///< merged into another
};

bool MayMerge(const Cell& cell, Hollows hollows) {
  if (cell.grid.field) return false;
  const auto is_hollow = [](const Surface& S) {
    return S.kind != SurfaceKind::kPlane && S.side < 0;
  };
  return hollows == Hollows::kMerged ||
         std::none_of(cell.surfaces.begin(), cell.surfaces.end(), is_hollow);
}

/** Whether no point of the cell lies beyond the surface. */
bool Holds(const Surface& S, const Cell& cell, double size) {
  for (const Surface& own : cell.surfaces) {
    if (Coincide(own, S, cell.bounds.X.p, size) == Coincidence::kSame) return true;
  }
  const double touching = kTouchingDepth * size;
  if (S.kind == SurfaceKind::kPlane && !cell.corners.p_C.empty()) {
    return std::all_of(cell.corners.p_C.begin(), cell.corners.p_C.end(),
                       [&](const Vec3& p) { return Level(S, p) <= touching; });
  }
  std::vector<Surface> beyond = cell.surfaces;
  beyond.push_back(Complement(S));
  return FindInterior(beyond, touching, kHoldsBudget).verdict == Interior::kEmpty;
}

/** Adds a surface unless it is there already. */
void AddSurface(const Surface& S, const Cell& near, double size, std::vector<Surface>* out) {
  const bool known = std::any_of(out->begin(), out->end(), [&](const Surface& T) {
    return Coincide(S, T, near.bounds.X.p, size) == Coincidence::kSame;
  });
  if (known) return;
  out->push_back(S);
  out->back().cut = false;
}

/** An order of surfaces that no cut changes. */
bool Precedes(const Surface& S, const Surface& T) {
  const auto key = [](const Surface& s) {
    const Vec3 n = s.R.Col(2);
    return std::tuple(s.kind, s.side, n.x, n.y, n.z, s.o.x, s.o.y, s.o.z, s.e.x, s.e.y, s.e.z, s.c);
  };
  return key(S) < key(T);
}

/** The cell of these surfaces: the same bits whichever of the parts they came from.
 @param parts  whose union it is, which lies in their box. */
Cell Merged(std::vector<Surface> surfaces, std::span<const Cell* const> parts) {
  std::sort(surfaces.begin(), surfaces.end(), Precedes);
  const Cell& first = *parts[0];
  Cell cell = MakeCell(surfaces, first.name);
  if (!cell.bounded) {  // the parts tell in which box it is
    Aabb box = BoundsInPose(first, Pose::Identity());
    for (const Cell* part : parts) box = BoxAround(box, BoundsInPose(*part, Pose::Identity()));
    cell = MakeCellWithin(box, std::move(surfaces), first.name);
  }
  cell.node = first.node;
  return cell;
}

/** The union of two cells where it is one cell: they share a surface S from opposite sides, and
 every other surface of either holds both. What these others bound is then A below S, B beyond. */
std::optional<Cell> Union(const Cell& A, const Cell& B) {
  const double size = std::min(SizeOf(A), SizeOf(B));
  for (std::size_t i = 0; i < A.surfaces.size(); ++i) {
    for (std::size_t j = 0; j < B.surfaces.size(); ++j) {
      if (Coincide(A.surfaces[i], B.surfaces[j], A.bounds.X.p, size) != Coincidence::kOpposite) {
        continue;
      }
      std::vector<Surface> around;
      const auto hold = [&](const Cell& cell, std::size_t but, const Cell& other) {
        for (std::size_t k = 0; k < cell.surfaces.size(); ++k) {
          if (k == but) continue;
          if (!Holds(cell.surfaces[k], other, size)) return false;
          AddSurface(cell.surfaces[k], cell, size, &around);
        }
        return true;
      };
      if (!hold(A, i, B) || !hold(B, j, A) || around.empty() || IsCrowded(around)) continue;
      const Cell* both[] = {&A, &B};
      return Merged(std::move(around), both);
    }
  }
  return std::nullopt;
}

/** Merges pairs of some cells, which are taken in that order, until none is left. */
void MergePairs(std::span<const std::size_t> order, Hollows hollows, std::vector<Part>* parts) {
  for (const std::size_t a : order) {
    Part& A = (*parts)[a];
    if (A.gone || !MayMerge(A.cell, hollows)) continue;
    for (std::size_t k = 0; k < A.neighbours.size();) {
      const std::size_t b = A.neighbours[k++];
      Part& B = (*parts)[b];
      if (!MayMerge(B.cell, hollows)) continue;
      std::optional<Cell> both = Union(A.cell, B.cell);
      if (!both) continue;
      A.cell = std::move(*both);
      B.gone = true;
      A.neighbours.insert(A.neighbours.end(), B.neighbours.begin(), B.neighbours.end());
      std::sort(A.neighbours.begin(), A.neighbours.end());
      A.neighbours.erase(std::unique(A.neighbours.begin(), A.neighbours.end()), A.neighbours.end());
      for (const std::size_t c : B.neighbours) {
        std::vector<std::size_t>& of_c = (*parts)[c].neighbours;
        std::replace(of_c.begin(), of_c.end(), b, a);
        std::sort(of_c.begin(), of_c.end());
        of_c.erase(std::unique(of_c.begin(), of_c.end()), of_c.end());
      }
      std::erase_if(A.neighbours, [&](std::size_t c) { return c == a || c == b; });
      k = 0;  // the larger cell may fit what the smaller one did not
    }
  }
}

/** The union of several polytopes where it is one: what all surfaces bound that hold them all, if
 the polytopes leave nothing of it. */
std::optional<Cell> Union(const std::vector<const Cell*>& cells) {
  std::vector<Surface> around;
  for (const Cell* cell : cells) {
    const double size = SizeOf(*cell);
    for (const Surface& S : cell->surfaces) {
      const auto holds = [&](const Cell* other) { return Holds(S, *other, size); };
      if (std::all_of(cells.begin(), cells.end(), holds)) AddSurface(S, *cell, size, &around);
    }
  }
  if (around.empty()) return std::nullopt;
  Cell whole = Merged(std::move(around), cells);
  const auto is_in_one = [&](const Vec3& p) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const Cell* cell) { return Touches(*cell, p); });
  };
  const std::vector<Vec3>& corners = whole.corners.p_C;
  if (corners.empty() || !std::all_of(corners.begin(), corners.end(), is_in_one)) {
    return std::nullopt;
  }
  Effort effort;
  std::vector<RawCell> left{RawCellOf(whole)};
  for (const Cell* cell : cells) {
    const RawCell taken = RawCellOf(*cell);
    std::vector<RawCell> next;
    for (const RawCell& piece : left) {
      for (RawCell& part : Subtract(piece, taken, &effort)) {
        const double depth = kTouchingDepth * SizeOf(*cell);
        if (FindInterior(part.surfaces, depth).verdict == Interior::kEmpty) continue;
        next.push_back(std::move(part));
      }
    }
    left = std::move(next);
  }
  if (!left.empty()) return std::nullopt;
  return whole;
}

/** The cells that are connected with one, itself first. */
std::vector<std::size_t> ConnectedTo(std::size_t a, const std::vector<Part>& parts,
                                     std::vector<bool>* seen) {
  std::vector<std::size_t> connected{a};
  (*seen)[a] = true;
  for (std::size_t k = 0; k < connected.size(); ++k) {
    for (const std::size_t b : parts[connected[k]].neighbours) {
      if ((*seen)[b]) continue;
      (*seen)[b] = true;
      connected.push_back(b);
    }
  }
  return connected;
}

/** Whether cells may be one: where no surface is hollow a cell is convex, so that what lies halfway
 between points of two of them lies in one. */
bool MayBeOne(std::span<const std::size_t> cells, const std::vector<Part>& parts) {
  std::vector<Vec3> inside;
  for (const std::size_t a : cells) {
    const std::vector<Surface>& surfaces = parts[a].cell.surfaces;
    if (!std::all_of(surfaces.begin(), surfaces.end(), KeepsConvex)) return false;
    const InteriorPoint found = FindInterior(surfaces);
    if (found.verdict != Interior::kFound) return false;
    inside.push_back(found.point);
  }
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const Vec3 middle = 0.5 * (inside[i] + inside[k]);
      const bool held = std::any_of(cells.begin(), cells.end(),
                                    [&](std::size_t a) { return Touches(parts[a].cell, middle); });
      if (!held) return false;
    }
  }
  return true;
}

/** Merges the pairs of connected cells that may be one in other orders, as a first pair that fits
 may leave others that do not: until one cell is left. */
void MergeInOtherOrders(const std::vector<Part>& cut, Hollows hollows, std::vector<Part>* parts) {
  constexpr int kOrders = 24;
  std::vector<bool> seen(cut.size(), false);
  std::vector<Part> again;
  for (std::size_t a = 0; a < cut.size(); ++a) {
    if (seen[a]) continue;
    std::vector<std::size_t> order = ConnectedTo(a, cut, &seen);
    const auto left_of = [&](const std::vector<Part>& of) {
      return std::count_if(order.begin(), order.end(), [&](std::size_t b) { return !of[b].gone; });
    };
    if (order.size() > kMostTogether || left_of(*parts) == 1 || !MayBeOne(order, cut)) continue;
    if (again.empty()) again = cut;
    // What was cut last is smallest.
    std::sort(order.begin(), order.end(), [&](std::size_t b, std::size_t c) {
      return std::pair(SizeOf(cut[b].cell), b) < std::pair(SizeOf(cut[c].cell), c);
    });
    for (int k = 0; k < kOrders; ++k) {
      for (const std::size_t b : order) again[b] = cut[b];
      MergePairs(order, hollows, &again);
      if (left_of(again) == 1) {
        for (const std::size_t b : order) (*parts)[b] = std::move(again[b]);
        break;
      }
      // A fixed shuffle of the order before.
      std::size_t state = static_cast<std::size_t>(k) + 1;
      for (std::size_t i = order.size(); i > 1; --i) {
        state = (state * 1103515245 + 12345) % 2147483648;
        std::swap(order[i - 1], order[state / 65536 % i]);
      }
    }
  }
}

void MergeConnected(std::vector<Part>* parts) {
  std::vector<bool> seen(parts->size(), false);
  for (std::size_t a = 0; a < parts->size(); ++a) {
    if ((*parts)[a].gone || seen[a]) continue;
    const std::vector<std::size_t> connected = ConnectedTo(a, *parts, &seen);
    if (connected.size() < 3 || connected.size() > kMostTogether) continue;
    std::vector<const Cell*> cells;
    cells.reserve(connected.size());
    for (const std::size_t b : connected) cells.push_back(&(*parts)[b].cell);
    const auto is_polytope = [](const Cell* cell) { return !cell->corners.p_C.empty(); };
    if (!std::all_of(cells.begin(), cells.end(), is_polytope)) continue;
    std::optional<Cell> whole = Union(cells);
    if (!whole) continue;
    for (const std::size_t b : connected) (*parts)[b].gone = b != a;
    (*parts)[a].cell = std::move(*whole);
  }
}

}  // namespace

std::vector<Cell> MergeCells(std::span<const Cell> cells, Hollows hollows) {
  std::vector<Part> cut;
  cut.reserve(cells.size());
  for (const Cell& cell : cells) {
    cut.push_back({cell, {cell.neighbours.begin(), cell.neighbours.end()}});
  }
  std::vector<Part> parts = cut;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  MergePairs(order, hollows, &parts);
  MergeConnected(&parts);
  MergeInOtherOrders(cut, hollows, &parts);
  std::vector<Cell> merged;
  for (Part& part : parts) {
    if (part.gone) continue;
    const Cell* cell = &part.cell;
    const bool keeps = !MayMerge(*cell, hollows) ||
                       std::is_sorted(cell->surfaces.begin(), cell->surfaces.end(), Precedes);
    merged.push_back(keeps ? *cell : Merged(cell->surfaces, {&cell, 1}));
  }
  LinkNeighbours(merged);
  MarkExtremes(merged);
  return merged;
}

}  // namespace intervox::geometry
