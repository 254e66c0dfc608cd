#include "cuda/wall/wall_clearance.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cuda/wall/wall_cuts.h"

namespace intervox {
namespace {

using cuda::CellView;
using cuda::internal::AxisSpan;
using cuda::internal::MakeRoundWall;
using cuda::internal::PastWall;
using cuda::internal::RoundWall;
using cuda::internal::SectorOf;
using cuda::internal::SpanOnAxis;
using cuda::internal::WallSector;

/** Rounding of positions, as a share of the cells' size and distance. */
constexpr double kRounding = 1e-13;

/** The distance by which a peg hangs free; `pegs` and `holes` are what their cells reach of the
 peg's axis. A point of the hole's cell is at the wall or beyond it, where the level is not
 negative, and the level rises by its steepness at most: what is nearer than d to a point of the peg
 is nearer than d along the axis as well, and there the level is below −d times the steepness. */
double Clearance(const RoundWall& peg, const RoundWall& hole, const WallSector& sector,
                 const AxisSpan& pegs, const AxisSpan& holes) {
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

/** Calls visit(peg, hole) for the round pegs of one cell and the round holes of the other. */
template <class Visit>
void VisitFits(std::span<const geometry::Surface> pegs, const Pose& X_LP,
               std::span<const geometry::Surface> holes, const Pose& X_LH, const Visit& visit) {
  for (const geometry::Surface& wall : holes) {
    RoundWall hole, peg;
    if (wall.side > 0 || !MakeRoundWall(wall, X_LH, &hole)) continue;
    for (const geometry::Surface& side : pegs) {
      if (side.side < 0 || !MakeRoundWall(side, X_LP, &peg)) continue;
      visit(peg, hole);
    }
  }
}

std::span<const geometry::Surface> SurfacesOf(const CellView& cell) {
  return {cell.surfaces, static_cast<std::size_t>(cell.surface_count)};
}

/** The largest clearance of the pegs of one cell in the holes of the other. */
double Largest(const CellView& pegs, const Pose& X_LP, const CellView& holes, const Pose& X_LH) {
  double largest = 0;
  const auto keep = [&](const RoundWall& peg, const RoundWall& hole) {
    largest = std::fmax(largest, Clearance(peg, hole, SectorOf(holes, X_LH, hole),
                                           SpanOnAxis(*pegs.bounds, X_LP, peg),
                                           SpanOnAxis(*holes.bounds, X_LH, peg)));
  };
  VisitFits(SurfacesOf(pegs), X_LP, SurfacesOf(holes), X_LH, keep);
  return largest;
}

/** How far a peg reaches past a wall at one place on its axis, and the middle of that. */
struct Beyond {
  double level = 0;
  Vec3 p;  // [m]
};

Beyond BeyondAt(const RoundWall& peg, const RoundWall& hole, double z) {
  const Vec3 centre = peg.origin + z * peg.axis, d = centre - hole.origin;
  const double along = Dot(hole.axis, d), radius = peg.RadiusAt(z);
  const Vec3 out = d - along * hole.axis;
  // Across the peg's axis, and about straight out of the hole.
  const Vec3 across = out - Dot(out, peg.axis) * peg.axis;
  const double off = Norm(out), length = Norm(across);
  if (!(radius > 0) || !(length > 0)) return {};
  Beyond beyond;
  beyond.level = hole.s * (off + radius) - hole.t * along + hole.c;
  beyond.p = centre + (radius - 0.5 * beyond.level / hole.s) / length * across;
  return beyond;
}

/** Keeps what reaches farthest past a wall among the ends of the pegs, moved inward by a share.
 @param X  of the cell with the holes in the frame of that with the pegs, in which all is told */
bool Farthest(const geometry::Cell& pegs, const geometry::Cell& holes, const Pose& X, double share,
              Beyond* farthest) {
  bool found = false;
  const auto keep = [&](const RoundWall& peg, const RoundWall& hole) {
    const AxisSpan of_peg = SpanOnAxis(pegs.bounds, {}, peg);
    const AxisSpan of_hole = SpanOnAxis(holes.bounds, X, peg);
    const double low = std::max(of_peg.low, of_hole.low);
    const double high = std::min(of_peg.high, of_hole.high), inward = share * (high - low);
    if (!(inward > 0)) return;
    for (const double z : {low + inward, high - inward}) {
      const Beyond beyond = BeyondAt(peg, hole, z);
      if (!(beyond.level > farthest->level)) continue;
      *farthest = beyond;
      found = true;
    }
  };
  VisitFits(pegs.surfaces, {}, holes.surfaces, X, keep);
  return found;
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

bool PointBeyondWall(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_AB,
                     double share, Vec3* p_A) {
  if (!a.bounded || !b.bounded) return false;
  Beyond farthest;
  if (Farthest(a, b, X_AB, share, &farthest)) *p_A = farthest.p;
  if (Farthest(b, a, Inverse(X_AB), share, &farthest)) *p_A = X_AB * farthest.p;
  return farthest.level > 0;
}

}  // namespace intervox
