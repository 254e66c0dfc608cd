/** @file The six tetrahedra that a voxel is divided into. */
#pragma once

namespace intervox::geometry {

/** Each goes from the node whose numbers are even to the one whose numbers are odd, along these
 axes in turn (Kuhn 1960). Voxels next to each other are mirrored, so that no direction is
 preferred, and share the triangles of their faces. */
inline constexpr int kTetrahedraSteps[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

}  // namespace intervox::geometry
