/** @file What keeps triangles from being the surface of a solid, counted and placed. */
#pragma once

#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace intervox::host {

/** The kinds of defect. */
enum class DefectKind {
  kEmpty,             ///< there is no triangle
  kNotFinite,         ///< a coordinate is no number, infinite or beyond 1e9
  kDegenerate,        ///< a triangle has the same corner twice
  kDuplicate,         ///< a triangle stands twice
  kOpen,              ///< an edge has one triangle only
  kNonManifold,       ///< an edge has more than two triangles
  kTurned,            ///< two triangles pass their edge in the same direction
  kInverted,          ///< a shell is seen clockwise from outside
  kSelfIntersecting,  ///< two triangles that share no corner cross
};

/** A kind of defect that a mesh has. */
struct Defect {
  DefectKind kind = DefectKind::kEmpty;
  long long count = 0;
  Vec3 where;  ///< of the first, in the mesh's units; zero where it has no place
};

/** Merges vertices with equal coordinates and drops those that no triangle has; −0 equals 0. The
 order stays that of first use. @returns how many vertices were merged with another. */
int Weld(TriangleMesh* mesh);

/** The defects of a welded mesh but for crossings, in the order of their kinds. Where a vertex is
 not finite nothing else is judged. */
std::vector<Defect> FindDefects(const TriangleMesh& mesh);

/** No more crossing pairs of triangles than these are counted. */
inline constexpr long long kMostCrossings = 1000;

/** The pairs of triangles of which one passes through an edge of the other, no corner shared. */
Defect FindCrossings(const TriangleMesh& mesh);

/** "3 open edges, the first at [1, 0, 0]". */
std::string DefectText(const Defect& defect);

/** Whether as many triangles pass each edge upwards as downwards: what they go round is the same
 whole number of times everywhere off them, also where edges have more than two. */
bool IsClosed(const TriangleMesh& mesh);

/** The parts of a mesh that hang together by edges, each with its own vertices. */
std::vector<TriangleMesh> Shells(const TriangleMesh& mesh);

}  // namespace intervox::host
