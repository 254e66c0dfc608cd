/** @file Points at which two cells touch: contact without a volume. */
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cuda/metrics.h"

namespace intervox::host::points {

/** One point at which cell A presses against cell B. */
struct PointContact {
  int feature = 0;      ///< which of the pair's points: the same from step to step
  double x = 0.0;       ///< signed distance, negative in penetration [m]
  Vec3 n;               ///< unit normal from B toward A, along which x grows
  Vec3 p_WA;            ///< A's witness point, in the world [m]
  Vec3 p_WB;            ///< B's: p_WA − x n [m]
  double weight = 1.0;  ///< of its stiffness, where points share what a face has [–]
};

/** The same point with the roles of A and B exchanged. */
inline PointContact OfTheOther(const PointContact& point) {
  return {point.feature, point.x, -point.n, point.p_WB, point.p_WA, point.weight};
}

/** What two cells are to contact by points. */
enum class PairKind {
  kBall,       ///< a ball and any cell: the foot of its centre, three of a ring
  kPlane,      ///< a half-space and corners, rims or extreme points of a convex cell
  kPolytopes,  ///< two cells whose hulls are polytopes: by the way out that takes the least energy
  kRing,       ///< a whole torus and a convex cell: deepest places, and some that stay on the ring
  kCap,  ///< a part of a ball over hollows that it does not fit into: as the ball, or by vertices
  kVertices,  ///< cylinders, cones and tubes with polytopes or each other: vertices in the other
  kAny,       ///< any others: the deepest point by their distance once they are moved apart
};

/** The radius below which hollow faces that cells touch need not be cut into sectors [m]: infinite
 for balls, half-spaces and polytopes, the tube of a whole torus, the widest circle on a part of a
 ball; 0 for others. The least of all cells. */
double TouchesWholeBelow(std::span<const geometry::Cell> cells);

/** The radius that hollows of cells are narrower than [m]: a thicker tube touches them whole. 0: no
 face is hollow; infinite: some are neither bores nor dimples. */
double WidestHollow(std::span<const geometry::Cell> cells);

/** The exponent of z in the energy of a point by Hertz' law. */
inline constexpr double kHertzPower = 2.5;

/** The kind of a pair: of its cells alone, whatever their poses. */
PairKind KindOf(const geometry::Cell& a, const geometry::Cell& b);

/** Appends the points at which the cells of a query penetrate, x < 0.
 - A ball touches at the foot of its centre (Gonthier A.2: plane, edge, cylinder, cone and others),
   and where that is on a circle about an axis nearer to the centre (a rim, a funnel), at 120° too.
 - On a half-space stand the corners of a polytope; of a cylinder, cone or tube the lowest point of
   each rim and two more at 120° from it, and the tip; the lowest point of an ellipsoid or torus.
   Where one of them is in a hollow, the deepest point.
 - Two polytopes touch along the way out that takes the least energy: at a corner beyond a face,
   where two edges cross, or, where faces lie on each other, at the corners of what these share.
   These corners come and go as parts slide over each other. Each has the weight of what there is of
   the two edges that meet there, so what comes begins with what it takes from its neighbours, and
   each is a corner on a face or a crossing of edges with its own normal, the gradient of its depth.
   So do cells with hollows, a box with a hole, as long as these points are on the cell.
 - A whole torus touches a cell that is convex but for hollows narrower than its tube at the feet of
   balls along its circle, see PointsOfRing.
 - A part of a ball over hollows that it does not fit into touches as the ball does, as long as the
 way out of each point is shorter than through its plane; else by vertices.
 - Cylinders and cones touch each other and polytopes, and tubes polytopes, at vertices that are
 inside the other, see PointsOfVertices; where there are none, at their deepest point.
 - Any others touch at their deepest point, where the least motion takes them apart: see
 DeepestPoint. Feet on cut faces are left out: a neighbouring cell has the point.
 @param kind  KindOf of the cells
 @param power  p of a point's energy ∝ zᵖ: the law's exponent and 1
 @param on_cut  takes a deepest point that was left out as it is on a cut face; may be null
 @return a distance that the cells are certainly apart [m]; 0 where none is known. */
double FindPoints(const PairQuery& query, PairKind kind, double power,
                  std::vector<PointContact>* out, std::optional<PointContact>* on_cut = nullptr);

/** The same where the kind is not known yet, by Hertz' law. */
inline double FindPoints(const PairQuery& query, std::vector<PointContact>* out) {
  return FindPoints(query, KindOf(*query.a, *query.b), kHertzPower, out);
}

}  // namespace intervox::host::points
