/** @file Triangles of an exact surface made fewer, better shaped and as near to it as asked. */
#pragma once

#include "host/mesh/boundary.h"

namespace intervox::host {

/** Moves the vertices onto their surfaces, and splits, flips and collapses edges until no triangle
 is farther from its surface than the deviation [m] and none can be spared. Creases stay creases. */
void Improve(const SurfaceSet& set, double deviation, SurfaceMesh* mesh, const Told& told = {});

/** The largest distance, to first order, of a lattice of 15 points of a triangle from its surface
 [m]. */
double DeviationOf(const SurfaceSet& set, const SurfaceMesh& mesh, int triangle);

/** The outward unit normal of a triangle's exact surface near p. */
Vec3 ExactNormal(const SurfaceSet& set, int tag, const Vec3& p);

}  // namespace intervox::host
