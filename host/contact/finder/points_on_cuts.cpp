#include "host/contact/finder/points_on_cuts.h"

#include <algorithm>
#include <cmath>

#include "geometry/faces.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

/** Share of a cell's size, and of a unit normal, within which points are the same. */
constexpr double kSame = 1e-7;

double RoomOf(const geometry::Cell& cell) { return kSame * geometry::SizeOf(cell); }

/** The cells of a body that hold a point. */
std::vector<int> CellsAt(const BodyCells& cells, const Pose& X_WB, const Vec3& p_W) {
  const Vec3 p = TransposeTimes(X_WB.R, p_W - X_WB.p);
  std::vector<int> out;
  for (std::size_t c = 0; c < cells.cells.size(); ++c) {
    const geometry::Cell& cell = cells.cells[c];
    if (geometry::Level(cell, p) <= RoomOf(cell)) out.push_back(static_cast<int>(c));
  }
  return out;
}

}  // namespace

void KeepWhereCellsAgree(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                         std::vector<PointOnCut>* points) {
  std::vector<PointOnCut> kept;
  for (const PointOnCut& at : *points) {
    const double room = std::fmin(RoomOf(pair.cells_i->cells[static_cast<std::size_t>(at.a)]),
                                  RoomOf(pair.cells_j->cells[static_cast<std::size_t>(at.b)]));
    const auto agrees = [&](const PointOnCut& other) {
      return Norm(other.point.p_WA - at.point.p_WA) <= room &&
             std::fabs(other.point.x - at.point.x) <= room &&
             Norm(other.point.n - at.point.n) <= kSame;
    };
    if (std::any_of(kept.begin(), kept.end(), agrees)) continue;
    const std::vector<int> of_i = CellsAt(*pair.cells_i, X_WI, at.point.p_WA),
                           of_j = CellsAt(*pair.cells_j, X_WJ, at.point.p_WB);
    const auto has = [&](int a, int b) {
      return std::any_of(points->begin(), points->end(), [&](const PointOnCut& other) {
        return other.a == a && other.b == b && agrees(other);
      });
    };
    const bool all = std::all_of(of_i.begin(), of_i.end(), [&](int a) {
      return std::all_of(of_j.begin(), of_j.end(), [&](int b) { return has(a, b); });
    });
    if (all && of_i.size() + of_j.size() > 2) kept.push_back(at);
  }
  std::swap(*points, kept);
}

}  // namespace intervox::host
