/** @file Cells cut by planes. */
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "geometry/neighbours.h"

namespace intervox::geometry {

/** The cells cut by a plane, the part below the plane first, and neighbours linked anew. */
inline std::vector<Cell> SplitByPlane(std::span<const Cell> cells, const Surface& plane) {
  std::vector<Cell> parts;
  for (const Cell& cell : cells) {
    for (Cell& half : Halves(cell, plane)) parts.push_back(std::move(half));
  }
  LinkNeighbours(parts);
  return parts;
}

}  // namespace intervox::geometry
