/** @file Boxes around what cells have in common, drawn in by linear forms below their levels. */
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "geometry/cell.h"
#include "host/distance/box_axes.h"
#include "host/distance/lower_form.h"

namespace intervox::host::distance {

/** The bounds of a cell in a frame.
 @param X  of the cell's frame in it */
inline PlacedBox Place(const geometry::OrientedBox& bounds, const Placement& X) {
  const Triples columns = Transposed(X.rows);
  return {Combined(columns, PositionOf(bounds.X)) + X.position,
          Combined(columns, Transposed(RowsOf(bounds.X.R))), HalfOf(bounds)};
}

/** What is left of a box: where along its axes, and which of the surfaces still matter. */
struct BoxPart {
  Triple at{};             ///< its middle, from that of the box [m]
  Triple half;             ///< its half extents [m]
  std::uint64_t idle = 0;  ///< a bit for each plane that it lies within
};

/** What a form leaves of a box. */
enum class Left : std::uint8_t { kNothing, kPart, kAll };

/** Draws the faces of a box in to where a form about its middle is not above 0. */
inline Left Cut(const LowerForm& form, BoxPart* part) {
  const Triple reach = Magnitudes(form.gradient) * part->half;
  const double sum = reach[0] + reach[1] + reach[2];
  const double beyond = sum - form.level;  // its least value, negated
  if (!(beyond >= 0.0)) return Left::kNothing;
  // Of NaN the second is taken: an axis along which the form does not change.
  const Triple share = Larger(AllOf(1.0) - AllOf(beyond) / (reach + reach), Triple{});
  if (!AnyOf(share > Triple{})) return sum <= -form.level ? Left::kAll : Left::kPart;
  const Triple off = share * part->half;
  part->half -= off;
  part->at -= WithSigns(off, form.gradient);
  return Left::kPart;
}

/** A box around what cells have in common, and the surfaces of these. */
class CommonBox {
 public:
  explicit CommonBox(const PlacedBox& box) : box_(box), rows_(Transposed(box.axes)), count_(0) {}

  /** The whole box. */
  BoxPart Whole() const { return {Triple{}, box_.half, 0}; }

  /** A part's middle in the box' frame. */
  Triple MiddleOf(const BoxPart& part) const { return box_.center + Combined(box_.axes, part.at); }

  /** Adds surfaces of the box' frame, as far as there is room: without the others parts are drawn
   in less. */
  void Add(std::span<const geometry::Surface> surfaces) { Add(surfaces, box_); }

  /** Adds surfaces of a frame that the box' frame has at X. */
  void Add(std::span<const geometry::Surface> surfaces, const Placement& X) {
    Add(surfaces,
        {Combined(X.rows, box_.center - X.position), Combined(X.rows, box_.axes), box_.half});
  }

  /** Draws a part in to another box. @returns false where nothing is left */
  bool Contract(const PlacedBox& other, BoxPart* part) const {
    const Triple way = box_.center - other.center;
    const Triple sizes = Magnitudes(box_.center) + Magnitudes(other.center) + box_.half;
    const double slack = internal::kFormRounding * (sizes[0] + sizes[1] + sizes[2]);
    const auto within = [&](const Triple& n, double half) {
      const Triple along = Combined(rows_, n);
      const double away = Dot(n, way), room = half + slack;
      return Cut({away + Dot(along, part->at) - room, along}, part) != Left::kNothing &&
             Cut({-away - Dot(along, part->at) - room, -along}, part) != Left::kNothing;
    };
    return within(other.axes.x, other.half[0]) && within(other.axes.y, other.half[1]) &&
           within(other.axes.z, other.half[2]);
  }

  /** Draws a part in by all surfaces, by turns as long as that takes much of it. @returns false
   where nothing is left: they have nothing in common there */
  bool Contract(BoxPart* part) const {
    constexpr int kMostTurns = 8;
    constexpr double kMuch = 0.7;  // of the volume: a turn that leaves more is the last
    double last = HUGE_VAL;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      if (!CutByAll(part)) return false;
      const double volume = part->half[0] * part->half[1] * part->half[2];
      if (volume > kMuch * last) break;
      last = volume;
    }
    return true;
  }

  /** Halves a part across its longest axis. */
  static void Halve(const BoxPart& part, BoxPart* halves) {
    int axis = 0;
    for (const int i : {1, 2}) axis = part.half[i] > part.half[axis] ? i : axis;
    const double half = 0.5 * part.half[axis];
    for (const int k : {0, 1}) {
      halves[k] = part;
      halves[k].half[axis] = half;
      halves[k].at[axis] += k == 0 ? -half : half;
    }
  }

 private:
  static constexpr int kMost = 64;

  void Add(std::span<const geometry::Surface> surfaces, const PlacedBox& box) {
    const Triples rows = Transposed(box.axes);
    for (const geometry::Surface& s : surfaces) {
      if (count_ == kMost) return;
      surface_[count_] = Place(s, box, rows);
      count_ += IsIdle(surface_[count_]) ? 0 : 1;
    }
  }

  /** Whether a surface is a plane that the whole box lies within, but for rounding. */
  bool IsIdle(const PlacedSurface& placed) const {
    if (placed.surface->kind != geometry::SurfaceKind::kPlane) return false;
    const Triple reach = Magnitudes(placed.axes.x) * box_.half;
    return reach[0] + reach[1] + reach[2] + placed.middle[0] <=
           internal::kFormRounding * placed.position;
  }

  /** Draws a part in by one surface after the other. @returns false where nothing is left */
  bool CutByAll(BoxPart* part) const {
    std::uint64_t bit = 1;
    for (int k = 0; k < count_; ++k, bit <<= 1) {
      if ((part->idle & bit) != 0) continue;
      const Left left = Cut(FormBelow(surface_[k], part->at, part->half), part);
      if (left == Left::kNothing) return false;
      const bool plane = surface_[k].surface->kind == geometry::SurfaceKind::kPlane;
      if (plane && left == Left::kAll) part->idle |= bit;
    }
    return true;
  }

  PlacedBox box_;
  Triples rows_;  ///< of the matrix whose columns are the box' axes
  int count_;
  PlacedSurface surface_[kMost];
};

}  // namespace intervox::host::distance
