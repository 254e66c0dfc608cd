/** @file The polygon that other half-spaces leave of one's plane. */
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "geometry/plane_levels.h"
#include "geometry/polytope.h"

namespace intervox::geometry::internal {

/** From so many cuts on a face is clipped by those of nearest normals first. */
inline constexpr std::size_t kManyCuts = 64;

/** A polygon that is being clipped: coordinates by axis, padded with the first vertex to a multiple
 of four. */
struct LoosePolygon {
  std::size_t n = 0;
  std::size_t room = 0;         ///< for vertices, a multiple of four
  std::unique_ptr<double[]> x;  ///< x, y and z of all vertices
  std::unique_ptr<int[]> edge;  ///< as in PolytopeFace

  /** Makes room for that many vertices; what is there is lost where there was less. */
  void Reserve(std::size_t most) {
    if (room >= most) return;
    room = (2 * most + 7) / 4 * 4;
    x = std::make_unique<double[]>(3 * room);
    edge = std::make_unique<int[]>(room);
  }
  Vec3 At(std::size_t k) const { return {x[k], x[room + k], x[2 * room + k]}; }
  void Add(const Vec3& p, int beyond) {
    x[n] = p.x;
    x[room + n] = p.y;
    x[2 * room + n] = p.z;
    edge[n++] = beyond;
  }
  void Pad() {
    for (std::size_t k = n; k % 4 != 0; ++k) {
      for (int axis = 0; axis < 3; ++axis) x[axis * room + k] = x[axis * room];
    }
  }
};

/** A polygon and the working memory that clips it; Clip runs for each pair of cuts. */
struct Clipped {
  LoosePolygon now, next;
  std::vector<double> s;
  std::vector<std::pair<double, std::size_t>> nearest;  ///< cosines of normals, and cuts
  // Of many cuts, by four: the normals' coordinates and the offsets, padded with cuts far away.
  std::vector<Four> x, y, z, d;

  /** Takes what is to be looked through by four. */
  void Take(std::span<const PlaneCut> cuts);
};

/** Where a pass over cuts begins: a square of this half width around the middle's foot on each cut,
 and the length that is zero. */
struct Pass {
  Vec3 center;
  double half_width = 0.0;
  double tolerance = 0.0;
};

/** Clips the polygon by a cut, whose index its new edge gets. */
void Clip(const PlaneCut& cut, int index, double tolerance, Clipped* clipped);

/** Clips a square on cut i by all other cuts. Returns whether a polygon is left. */
bool ClipFace(std::span<const PlaneCut> all, std::size_t i, const Pass& pass, Clipped* clipped);

/** Vertex k of what is left of cut i, recomputed from the three cuts that meet in it. */
Vec3 Vertex(std::span<const PlaneCut> all, std::size_t i, const LoosePolygon& polygon,
            std::size_t k);

/** The working memory of this thread, made ready for a pass over cuts. */
Clipped* MemoryFor(std::span<const PlaneCut> cuts);

}  // namespace intervox::geometry::internal
