#include "cuda/wall/wall_clearance.h"

#include <cmath>

#include "cuda/wall/wall_cuts.h"

namespace intervox {
namespace {

using cuda::CellView;
using cuda::internal::ClipAxis;
using cuda::internal::MakeRoundWall;
using cuda::internal::PastWall;
using cuda::internal::RoundWall;
using cuda::internal::SectorOf;
using cuda::internal::WallSector;

/** Rounding of positions, as a share of the cells' size and distance. */
constexpr double kRounding = 1e-13;

/** What of its axis a cell may reach. */
struct Span {
  double low = -INFINITY, high = INFINITY;  // [m]
};

Span Along(const RoundWall& peg, const CellView& cell, const Pose& X) {
  Span span;
  ClipAxis(cell, X, peg, &span.low, &span.high);
  return span;
}

/** The distance by which a peg hangs free; `pegs` and `holes` are what their cells reach of the
 peg's axis. A point of the hole's cell is at the wall or beyond it, where the level is not
 negative, and the level rises by its steepness at most: what is nearer than d to a point of the peg
 is nearer than d along the axis as well, and there the level is below −d times the steepness. */
double Clearance(const RoundWall& peg, const RoundWall& hole, const WallSector& sector,
                 const Span& pegs, const Span& holes) {
  const double gap = std::fmax(pegs.low - holes.high, holes.low - pegs.high);
  if (gap >= 0) return gap;
  const double steepness = std::sqrt(hole.s * hole.s + hole.t * hole.t);
  const auto within = [&](double reach) {
    const double low = std::fmax(pegs.low, holes.low - reach);
    const double high = std::fmin(pegs.high, holes.high + reach);
    return -PastWall(peg, hole, sector, low, high) / steepness;
  };
  const double most = within(0);
  if (!(most > 0)) return 0;
  for (const double share : {1.0, 0.5, 0.25}) {
    const double d = std::fmin(share * most, within(share * most));
    if (d > 0) return d;
  }
  return 0;
}

/** The largest clearance of the pegs of one cell in the holes of the other. */
double Largest(const CellView& pegs, const Pose& X_LP, const CellView& holes, const Pose& X_LH) {
  double largest = 0;
  for (int h = 0; h < holes.surface_count; ++h) {
    const geometry::Surface& wall = holes.surfaces[h];
    RoundWall hole, peg;
    if (wall.side > 0 || !MakeRoundWall(wall, X_LH, &hole)) continue;
    const WallSector sector = SectorOf(holes, X_LH, hole);
    for (int p = 0; p < pegs.surface_count; ++p) {
      const geometry::Surface& side = pegs.surfaces[p];
      if (side.side < 0 || !MakeRoundWall(side, X_LP, &peg)) continue;
      largest = std::fmax(
          largest, Clearance(peg, hole, sector, Along(peg, pegs, X_LP), Along(peg, holes, X_LH)));
    }
  }
  return largest;
}

}  // namespace

double WallClearance(const PairQuery& query) {
  const CellView a = cuda::MakeView(*query.a), b = cuda::MakeView(*query.b);
  if (!a.bounded || !b.bounded) return 0;
  const Pose X_LA{query.X_WA.R, query.X_WA.p - query.X_WB.p}, X_LB{query.X_WB.R, {}};
  const double clearance = std::fmax(Largest(a, X_LA, b, X_LB), Largest(b, X_LB, a, X_LA));
  const double size = Norm(X_LA.p) + Norm(a.bounds->X.p) + Norm(a.bounds->half) +
                      Norm(b.bounds->X.p) + Norm(b.bounds->half);
  return std::fmax(0.0, clearance - kRounding * size);
}

}  // namespace intervox
