/** @file Cells of one body: their neighbours, their cut faces, their overlaps. */
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "geometry/cell.h"

namespace intervox::geometry {

struct Effort;

/** Sets `neighbours` and the surfaces' `cut` tags of the cells of one body anew.

 Cells are neighbours when they lie on opposite sides of a common surface and touch along an area of
 it. The face is tagged `cut` on both when it is the whole face of both cells: all of it is inside
 the body. A face that neighbours cover only in part stays untagged; the two sides' contributions to
 area vectors then cancel in the sum over the cells. */
void LinkNeighbours(std::vector<Cell>& cells);

/** The same, adding up its effort. */
void LinkNeighbours(std::vector<Cell>& cells, Effort* effort);

/** Whether the whole of face i of a cell lies against one neighbour, so that no other body reaches
 it. The cells' neighbours are linked. */
bool IsInside(std::span<const Cell> cells, std::size_t a, std::size_t i);

/** The first pair of cells, in order, that share volume deeper than 1e-9 of the smaller one's size;
 nothing when the cells are disjoint or only touch. */
std::optional<std::pair<int, int>> FindOverlap(std::span<const Cell> cells);

/** A cell cut by a plane: the parts below and above it, or the cell itself where one of them has no
 volume. The names of parts get the suffixes "-" and "+"; their neighbours are not linked. */
std::vector<Cell> Halves(const Cell& cell, const Surface& plane);

}  // namespace intervox::geometry
