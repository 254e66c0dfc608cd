/** @file Outlines of lines and arcs, cut into parts that are each an intersection. */
#pragma once

#include <string>
#include <vector>

#include "geometry/shape.h"

namespace intervox::geometry {

/** Most corners of an outline. */
inline constexpr int kMostOutlinePoints = 1000;

/** A point of the plane [m]. */
struct PlanePoint {
  double x = 0, y = 0;
};

/** A line that bounds a part, which lies to the left of the way from a to b. */
struct OutlineLine {
  PlanePoint a, b;
};

/** One side of a circle. */
struct OutlineCircle {
  int side = 1;  ///< +1: inside, −1: outside
  PlanePoint center;
  double radius = 0.0;  ///< [m]
};

/** A convex region of lines, cut by sides of circles: part of an outline's inside. */
struct OutlinePart {
  std::vector<OutlineLine> lines;
  std::vector<OutlineCircle> circles;
};

/** The parts of an outline's inside; they share no area and leave no gap.

 Arcs are divided until the triangles between their chords and tangents are clear of each other,
 grooves not where they are deepest.
 The chords make a polygon, which is cut into convex ones; caps beyond chords are parts of their
 own, and an arc that bulges inwards is taken out of the convex polygon that holds its triangle.
 Where none does, its tangents take the place of its chord, and the gore between them and the arc is
 a part: it is thin, and dear to integrate. Either direction of turning is taken.
 @throws std::invalid_argument for fewer than three corners (two where both ways are arcs), more
 than kMostOutlinePoints, corners that are equal or not finite, a bulge beyond ±100 or from 1e-9 to
 1e-6 in size, and an outline that touches or crosses itself; the message names place, corner and
 remedy. Flatter arcs are lines. */
std::vector<OutlinePart> OutlineParts(const std::vector<OutlinePoint>& outline,
                                      const std::string& place);

}  // namespace intervox::geometry
