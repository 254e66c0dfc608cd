/** @file A box around what two cells have in common, drawn in by linear forms below their levels.
 */
#pragma once

#include <cmath>
#include <span>

#include "geometry/cell.h"
#include "host/distance/box_axes.h"
#include "host/distance/lower_form.h"

namespace intervox::host::distance {

/** Draws the faces of a box in to where a form is not above 0. @returns false where it is above
 everywhere */
inline bool Cut(const LowerForm& form, PlacedBox* box) {
  const Triple along = Combined(Transposed(box->axes), form.gradient);
  const Triple reach = Magnitudes(along) * box->half;
  const double beyond = reach[0] + reach[1] + reach[2] - form.level;  // its least value, negated
  if (!(beyond >= 0.0)) return false;
  // Of NaN the second is taken: an axis along which the form does not change.
  const Triple share = Larger(AllOf(1.0) - AllOf(beyond) / (reach + reach), Triple{});
  if (!AnyOf(share > Triple{})) return true;
  const Triple off = share * box->half;
  box->half -= off;
  box->center -= Combined(box->axes, WithSigns(off, along));
  return true;
}

/** Draws a box in to what the forms of surfaces leave of it, each in turn. @returns false where
 that is nothing: the surfaces keep nothing in it */
inline bool Contract(std::span<const geometry::Surface> surfaces, PlacedBox* box) {
  for (const geometry::Surface& s : surfaces) {
    if (!Cut(FormBelow(s, *box), box)) return false;
  }
  return true;
}

/** Draws a box in to the part of it that may be in another one. @returns false where there is none
 */
inline bool Contract(const geometry::OrientedBox& bounds, PlacedBox* box) {
  const Triples axes = Transposed(RowsOf(bounds.X.R));
  const Triple middle = PositionOf(bounds.X);
  const double slack = internal::kFormRounding * PositionOf(*box, middle);
  const auto within = [&](const Triple& n, double half) {
    for (const double side : {1.0, -1.0}) {
      const Triple out = AllOf(side) * n;
      if (!Cut({Dot(out, box->center - middle) - half - slack, out}, box)) return false;
    }
    return true;
  };
  return within(axes.x, bounds.half.x) && within(axes.y, bounds.half.y) &&
         within(axes.z, bounds.half.z);
}

/** The bounds of a cell in a frame.
 @param X  of the cell's frame in it */
inline PlacedBox Place(const geometry::OrientedBox& bounds, const Placement& X) {
  const Triples columns = Transposed(X.rows);
  return {Combined(columns, PositionOf(bounds.X)) + X.position,
          Combined(columns, Transposed(RowsOf(bounds.X.R))), HalfOf(bounds)};
}

/** Contracts a box by turns as long as that takes much of it.
 @param contract  a turn, told its number; false where nothing is left
 @returns false where nothing is left */
template <class F>
bool ContractByTurns(PlacedBox* box, const F& contract) {
  constexpr int kMostTurns = 8;
  constexpr double kMuch = 0.7;  // of the volume: a turn that leaves more is the last
  double last = HUGE_VAL;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    if (!contract(turn)) return false;
    const double volume = box->half[0] * box->half[1] * box->half[2];
    if (volume > kMuch * last) break;
    last = volume;
  }
  return true;
}

/** Draws a box in to what two cells may have in common in it.
 @param X_AB  of the second in the frame of the first, which is the box'
 @returns false where that is nothing */
inline bool ContractToCommon(const geometry::Cell& a, const geometry::Cell& b,
                             const Placement& X_AB, PlacedBox* box) {
  const Triples columns = Transposed(X_AB.rows);
  PlacedBox of_b{Triple{}, Combined(X_AB.rows, box->axes), Triple{}};
  return ContractByTurns(box, [&](int turn) {
    const auto contract = [turn](const geometry::Cell& cell, PlacedBox* part) {
      return (turn > 0 || !cell.bounded || Contract(cell.bounds, part)) &&
             Contract(cell.surfaces, part);
    };
    if (!contract(a, box)) return false;
    of_b.center = Combined(X_AB.rows, box->center - X_AB.position);
    of_b.half = box->half;
    if (!contract(b, &of_b)) return false;
    box->center = Combined(columns, of_b.center) + X_AB.position;
    box->half = of_b.half;
    return true;
  });
}

}  // namespace intervox::host::distance
