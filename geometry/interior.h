/** @file Whether an intersection of sides of surfaces has an interior, by certified bounds. */
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "geometry/enclose.h"
#include "geometry/surface.h"

namespace intervox::geometry {

/** What bounds and samples say about an intersection of kept sides. */
enum class Interior {
  kEmpty,      ///< certified: no point, or thinner than 1e-12 of its size
  kFound,      ///< a point inside all surfaces is known
  kUndecided,  ///< the budget ran out first, as for curved surfaces that just touch
};

/** The verdict and, when found, the point. */
struct InteriorPoint {
  Interior verdict = Interior::kUndecided;
  Vec3 point;
};

/** Boxes looked at before giving up. */
inline constexpr int kInteriorBudget = 4000;

/** Looks for a point at which every surface's side·f is below −depth. First exactly over the
 enclosing polytope, then by subdividing its box, most promising box first.
 @param depth  [m], ≥ 0. `kEmpty` refers to that depth too.
 Deterministic; cost up to `budget` bounds of each surface. */
InteriorPoint FindInterior(std::span<const Surface> surfaces, double depth = 0.0,
                           int budget = kInteriorBudget);

/** The same where the surfaces' hull is known. */
InteriorPoint FindInterior(std::span<const Surface> surfaces, const EnclosingPolytope& hull,
                           double depth = 0.0, int budget = kInteriorBudget);

/** Looks for a point of the surface `on` at which every other surface's side·f is below −depth;
 `kEmpty` certifies that there is none.
 @param within  a box that holds all such points: infinite where nothing is known, but not flat. */
InteriorPoint FindOnSurface(const Surface& on, std::span<const Surface> others, const Aabb& within,
                            double depth, int budget = kInteriorBudget);

/** Whether a surface is one of revolution about an axis through o, to rounding of that size. */
bool TurnsAbout(const Surface& S, const Vec3& o, const Vec3& axis, double size);

/** The same as FindOnSurface where all surfaces turn about the axis R.Col(2) of `on`: a half plane
 about it tells, and what touches along a circle is told apart, which boxes around it are not.
 @param within  a box that holds all such points, finite */
InteriorPoint FindOnProfile(const Surface& on, std::span<const Surface> others, const Aabb& within,
                            double depth, int budget = kInteriorBudget);

/** The end of some steps from x down the level function towards the surface: on it, as a rule. */
Vec3 PulledOnto(const Surface& on, Vec3 x);

/** How two surfaces relate as bounds of cells. */
enum class Coincidence {
  kNone,
  kSame,      ///< one surface, the same side kept
  kOpposite,  ///< one surface, opposite sides kept
};

/** Whether a look at two surfaces tells that they do not coincide: of most pairs of planes. */
inline bool ClearlyDiffer(const Surface& S, const Surface& T) {
  const bool plane = S.kind == SurfaceKind::kPlane;
  if (plane != (T.kind == SurfaceKind::kPlane)) return true;
  return plane && std::abs(Dot(S.PlaneNormal(), T.PlaneNormal())) < 0.999;
}

/** Compares two surfaces as point sets near `center`, within 1e-10 of `size` [m]. */
Coincidence Coincide(const Surface& S, const Surface& T, const Vec3& center, double size);

/** A surface with what tells it from most others at once: of one that is compared often. */
struct ComparedSurface {
  const Surface* surface = nullptr;
  Vec3 b;        ///< of a plane its outward normal, of a quadric the linear part, scaled to |f| = 1
  double c = 0;  ///< the level at the centre of the comparison, scaled likewise
};

/** Prepares a comparison near `center` at a `size` [m]; the surface must outlive it. */
ComparedSurface Compared(const Surface& S, const Vec3& center, double size);

/** Coincide of surfaces that were prepared with the same centre and size. */
Coincidence Coincide(const ComparedSurface& S, const ComparedSurface& T, const Vec3& center,
                     double size);

/** Whether two surfaces cut the plane `on` in the same curve and keep the same side of it there, as
 a sphere and a cylinder of one radius do in the plane of their tangency. Planes and quadrics only.
 */
bool SameOnPlane(const Surface& S, const Surface& T, const Surface& on, double size);

}  // namespace intervox::geometry
