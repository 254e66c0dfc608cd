/** @file A polytope of a cell in the world, with its edges. */
#pragma once

#include <vector>

#include "geometry/cell.h"

namespace intervox::host::points {

/** An edge of a posed polytope between two of its faces. */
struct Edge {
  Vec3 from, to;
  Vec3 n_left, n_right;     ///< outward normals of its faces
  int low = 0, high = 0;    ///< indices of `from` and `to`
  int left = 0, right = 0;  ///< its faces
  double square = 0.0;      ///< of its length [m²]
};

/** A polytope in the world. */
struct PosedPolytope {
  std::vector<Vec3> corners;
  std::vector<Vec3> normals;    ///< of each face, outward
  std::vector<double> offsets;  ///< the face has n·p = offset
  std::vector<Edge> edges;
  double size = 0.0;  ///< a length that its corners are not farther apart than twice [m]
  const geometry::Corners* topology = nullptr;

  /** The k-th corner of a face, counted on beyond the last. */
  int CornerOf(std::size_t face, int k) const {
    const int begin = topology->begin[face], count = topology->begin[face + 1] - begin;
    return topology->loop[static_cast<std::size_t>(begin) + static_cast<std::size_t>(k % count)];
  }
  /** How many corners a face has. */
  int CornersOf(std::size_t face) const {
    return topology->begin[face + 1] - topology->begin[face];
  }
  /** A corner. */
  const Vec3& At(int corner) const { return corners[static_cast<std::size_t>(corner)]; }
  /** An edge. */
  const Edge& EdgeAt(int edge) const { return edges[static_cast<std::size_t>(edge)]; }
  /** Whether a corner is one of a face. */
  bool IsOn(std::size_t face, int corner) const;
};

/** Places a cell's corners and faces; the edges are left out. */
void Place(const geometry::Cell& cell, const Pose& X_WC, PosedPolytope* out);

/** Lists the edges, each once, sorted by their corners. */
void AddEdges(PosedPolytope* out);

/** Sets out[f · edges + e] to n·u of face f of one polytope and edge e of another. */
void FindRises(const PosedPolytope& faces, const PosedPolytope& edges, std::vector<double>* out);

/** The number of the edge between two corners; the number of edges where there is none. */
int EdgeOf(const PosedPolytope& part, int one, int two);

/** The number of the edge between two faces; −1 where they share none. */
int EdgeBetween(const PosedPolytope& part, std::size_t one, std::size_t two);

}  // namespace intervox::host::points
