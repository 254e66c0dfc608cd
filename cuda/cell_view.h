/** @file Plain views of cells and queries: what the engine reads on any device. */
#pragma once

#include "cuda/metrics.h"

namespace intervox::cuda {

/** A cell by raw pointers; the cell's owner keeps them alive. */
struct CellView {
  const geometry::Surface* surfaces = nullptr;
  const Vec3* corners = nullptr;  ///< of a closed polytope in the cell's frame [m]; may be absent
  const geometry::HalfEdge* half_edges = nullptr;  ///< of the polytope's surface
  const geometry::CornerFace* faces = nullptr;     ///< of the polytope's surface
  const geometry::OrientedBox* bounds = nullptr;
  std::int32_t surface_count = 0;
  std::int32_t corner_count = 0;  ///< 0: no closed surface is known
  std::int32_t half_edge_count = 0;
  std::int32_t face_count = 0;
  bool bounded = true;
  bool polytope = false;
  bool filled = true;  ///< Cell::filled
};

/** A query by views. */
struct PairView {
  CellView a;
  CellView b;
  Pose X_WA;  ///< pose of A's frame in the world
  Pose X_WB;  ///< pose of B's frame in the world
  double tolerance = 1e-3;
  double voxel_size = 0.0;  ///< [m]
  LeafRule rule = LeafRule::kAuto;
  double volume_floor = 0.0;  ///< [m³]
};

/** Views a cell. O(1). */
inline CellView MakeView(const geometry::Cell& cell) {
  CellView view;
  view.surfaces = cell.surfaces.data();
  view.surface_count = static_cast<std::int32_t>(cell.surfaces.size());
  view.bounds = &cell.bounds;
  view.bounded = cell.bounded;
  view.polytope = cell.polytope;
  view.filled = cell.filled;
  if (cell.corners.p_C.empty()) return view;
  view.corners = cell.corners.p_C.data();
  view.half_edges = cell.corners.half_edges.data();
  view.faces = cell.corners.faces.data();
  view.corner_count = static_cast<std::int32_t>(cell.corners.p_C.size());
  view.half_edge_count = static_cast<std::int32_t>(cell.corners.half_edges.size());
  view.face_count = static_cast<std::int32_t>(cell.corners.faces.size());
  return view;
}

/** Views a query; its cells must not be null. O(1). */
inline PairView MakeView(const PairQuery& query) {
  return {MakeView(*query.a), MakeView(*query.b), query.X_WA, query.X_WB,
          query.tolerance,    query.voxel_size,   query.rule, query.volume_floor};
}

}  // namespace intervox::cuda
