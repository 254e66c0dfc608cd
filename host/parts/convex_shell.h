/** @file Which closed triangles bound a convex solid. */
#pragma once

#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** Whether triangles bound a convex solid, and if not, what shows it. */
struct ConvexVerdict {
  bool is_convex = false;
  int faces = 0;       ///< of its hull, coplanar triangles merged
  double depth = 0.0;  ///< how far an edge bends inwards, or a triangle lies inside the hull
  Vec3 where;          ///< of that
};

/** How far a vertex of a convex mesh may be off its hull, as a share of the extent: rounding of
 files in single precision, 1e-6, and 4e-7 of the largest coordinate. */
double ConvexTolerance(const TriangleMesh& mesh);

/** Judges one closed shell of positive volume.

 First no edge bends inwards by more than the tolerance, then each triangle lies within it on one
 face of the hull, and the triangles go round an inner point once.
 @throws std::length_error where the hull has more than geometry::kMostHullTriangles triangles. */
ConvexVerdict JudgeConvex(const TriangleMesh& shell);

/** A closed convex part of a mesh. */
struct ConvexShell {
  TriangleMesh mesh;
  ConvexVerdict verdict;
  double volume = 0.0;  ///< [cubed units of the mesh]
};

/** Throws unless welded triangles are closed surfaces.
 @param label   names the mesh in the message, which counts and places the defects
 @param remedy  what to do
 @throws InputError. */
void RequireClosed(const TriangleMesh& mesh, const std::string& label, const std::string& remedy);

/** The shells of closed triangles as hulls, if they are. */
struct ConvexShells {
  std::vector<ConvexShell> shells;  ///< all of them, where each is convex
  /** Why some shells are none, with counts and the place of the first: it is not convex, has a
   hollow, a hull of too many triangles, or an edge of more than two. Empty where each is convex. */
  std::string why_not;
};

/** Judges the shells of closed triangles. @throws InputError where one of them is flat. */
ConvexShells ConvexShellsOf(const TriangleMesh& mesh, const std::string& label);

}  // namespace intervox::host
