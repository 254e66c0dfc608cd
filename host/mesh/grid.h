/** @file Tetrahedra to be cut: a cube around a solid, finer near surfaces that bend more. */
#pragma once

#include "host/mesh/carve.h"

namespace intervox::host {

/** Fills a cube around the solid and bisects tetrahedra until each is small against the radius of
 curvature of every surface that bounds a cell in it, and, where it may hold an edge of the solid,
 so small that chords of these surfaces are within the deviation [m]. Cones' apexes become vertices.
 @throws std::invalid_argument where that takes more than some millions of tetrahedra. */
Carving MakeGrid(const SurfaceSet& set, double deviation, const Told& told = {});

/** The axis-aligned box of a tetrahedron. */
geometry::Aabb BoxOf(const Carving& carving, int t);

/** Refuses more tetrahedra than memory should hold. @throws std::invalid_argument. */
void RequireRoom(const Carving& carving);

}  // namespace intervox::host
