/** @file The nearest points of two cells: downhill, and in boxes whose distance is bounded. */
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "host/distance/cell_tree.h"
#include "host/distance/grid_box.h"
#include "host/distance/relaxation.h"

namespace intervox::host::distance {

/** The nearest points found so far, in the world. */
struct Nearest {
  double distance = HUGE_VAL;  ///< [m]
  Vec3 p_WA, p_WB, n;
  double size = 0.0;       ///< of the smaller solid [m]
  double tolerance = 0.0;  ///< of the options

  /** How near a proof must come [m]. */
  double Room() const {
    return tolerance * (std::isfinite(distance) ? std::fmax(size, distance) : size);
  }
  /** What is not nearer than this needs no look [m]. */
  double Enough() const { return distance - Room(); }
};

/** A pair of boxes that hold parts of two cells, in the lengths of their search. */
struct Parts {
  double lower = 0.0;  ///< of their distance
  geometry::OrientedBox box[2];
  GridBound grid[2];  ///< of a grid
  Vec3 x[2];          ///< nearest points of the relaxed parts
};

/** Two placed cells; lengths are in sizes of the smaller, or in distances where these are more. */
class CellSearch {
 public:
  /** @param lower  of the cells' distance [m] */
  CellSearch(const CellNode& a, const CellNode& b, const Pose& X_WA, const Pose& X_WB, double lower,
             Nearest* nearest);

  /** Goes downhill from points of the world until they stand still: the distance is at rest long
   before the direction is. */
  void SearchFromWorld(const std::array<Vec3, 2>& start);

  /** Bounds the cells' distance. @returns false where they are not near enough */
  bool Begin(Parts* parts);

  /** Halves the box that gives most away where points lie outside of their cell. @returns how many
   parts may be near enough; −1: nothing is given away, and rounding is all that is left */
  int Divide(const Parts& parts, std::array<Parts, 2>* halves);

  /** What its lengths are in [m]. */
  double Length() const { return length_; }
  /** Whether no box is known that holds the nearest points of an unbounded cell. */
  bool IsUnproved() const { return unproved_; }

 private:
  bool IsConvex(int b) const { return cell_[b].others.empty(); }
  bool IsGrid(int b) const { return grid_[b].h > 0.0; }
  bool HasGrid() const { return IsGrid(0) || IsGrid(1); }

  /** Goes downhill: nearest points of the parts that are convex next to the last ones. What is
   known of their reach ends each search as soon as it is proved.
   @param parts  boxes of grids; may be null */
  void SearchFrom(Vec3 x, Vec3 y, double least_gain, const Parts* parts);

  /** Places a body's cell, or a grid's leaf. */
  void PlaceNode(int b, const Pose& X_WC);

  /** Bounds a grid's part, and shrinks its box to it. @returns false where there is none */
  bool BoundPart(int b, Parts* parts);

  /** Appends the plane that bounds a grid's part, where there is one. */
  void AddPlane(int b, const Parts& parts, std::vector<Constraint>* constraints) const;

  /** How far the parts are apart along a direction at least. */
  double GapAlong(const Parts& parts, const Vec3& way) const;

  /** A lower bound of n · x on a body's part. */
  double LeastAlongPart(int b, const Parts& parts, const Vec3& n) const;

  /** What Slack is for a grid. */
  Vec3 GridSlack(int b, const Parts& parts, const Vec3* at) const;

  /** How far a point is outside of a body's cell. */
  double OutsideOf(int b, const Vec3& x) const;

  /** The point itself, or one of a grid's solid next to it. */
  Vec3 Inside(int b, const Vec3& x) const;

  /** Takes the points where they lie in their cells and are nearer than all before. */
  void Take(const Vec3& relaxed_x, const Vec3& relaxed_y, const Vec3& n);

  /** The distance of an unbounded cell from the other one's box; infinite where none was found. */
  double DistanceToBox(int b) const;

  /** Bounds the distance of the parts in the boxes. @returns false where there are none near
   enough. */
  bool Bound(Parts* parts);

  Nearest* nearest_;
  const CellNode* node_[2];
  PlacedCell cell_[2];  ///< of a grid: no surfaces
  PlacedGrid grid_[2];
  Vec3 origin_;
  double length_ = 1.0;
  std::array<Reach, 2> reach_;
  int divided_ = 0;
  bool unproved_ = false;
};

}  // namespace intervox::host::distance
