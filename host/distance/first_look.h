/** @file What tells most pairs apart, in functions that call nothing and so need no frame. */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "geometry/cell.h"
#include "host/distance/box_axes.h"
#include "host/distance/common_ball.h"
#include "host/distance/hull.h"

namespace intervox::host::distance {

/** What a first look at a pair says. */
enum class FirstLook : std::uint8_t {
  kApart,      ///< they are apart
  kMeet,       ///< a point of both is known
  kNear,       ///< the bounds' faces do not separate them
  kTurned,     ///< the bounds are turned in their cells: nothing was looked at
  kNotFinite,  ///< a pose is not
};

/** Two balls: a point in the middle of what they share along the line of their centres. */
[[gnu::noinline]] inline FirstLook LookAtBalls(const geometry::Surface& a,
                                               const geometry::Surface& b, const Pose& X_WA,
                                               const Pose& X_WB, Vec3* p_W) {
  const Triple radii = Roots(-Triple{a.c, b.c} / Triple{a.e.x, b.e.x, 1.0, 1.0});
  const double r_a = radii[0], r_b = radii[1];
  const Triple way = WayBetween(X_WA, a.o, X_WB, b.o);
  const double between = Roots(AllOf(Dot(way, way)))[0];
  // Whatever is not finite shows in the distance.
  if (!(between < HUGE_VAL) && !AreFinite(X_WA, X_WB)) return FirstLook::kNotFinite;
  if (!(r_a + r_b - between > kThin * std::min(r_a, r_b))) return FirstLook::kApart;
  const double begin = std::max(-r_a, between - r_b), end = std::min(r_a, between + r_b);
  const double along = between > 0 ? 0.5 * (begin + end) / between : 0.0;
  *p_W = ToVec3(Moved(X_WA, a.o) + along * way);
  return FirstLook::kMeet;
}

/** Two bounded cells by the faces' axes of the boxes around them. */
[[gnu::noinline]] inline FirstLook LookAtBounds(const geometry::Cell& a, const geometry::Cell& b,
                                                const Pose& X_WA, const Pose& X_WB) {
  if (!AreFinite(X_WA, X_WB)) return FirstLook::kNotFinite;
  if (!AreUpright(a.bounds, b.bounds)) return FirstLook::kTurned;
  const BoxPair boxes = PlaceUpright(a.bounds, b.bounds, Relative(X_WA, X_WB));
  const double square = std::min(Dot(boxes.a, boxes.a), Dot(boxes.b, boxes.b));
  const double thin = kThin * Roots(AllOf(square))[0];
  return AreApartAlongFaces(boxes, thin) ? FirstLook::kApart : FirstLook::kNear;
}

/** Whether two bounded cells, whose bounds are not turned in them, are apart along the way between
 their shrunk bounds. */
[[gnu::noinline, gnu::flatten]] inline bool AreApartAlongTheWay(const geometry::Cell& a,
                                                                const geometry::Cell& b,
                                                                const Pose& X_WA,
                                                                const Pose& X_WB) {
  const Placement X_AB = Relative(X_WA, X_WB);
  const BoxPair boxes = PlaceUpright(a.bounds, b.bounds, X_AB);
  const Triple way = FindDeepPlace(boxes).apart;
  const double square = std::min(Dot(boxes.a, boxes.a), Dot(boxes.b, boxes.b));
  if (!(Dot(way, way) > kHardlyApart * kHardlyApart * square)) return false;
  const Triple way_B = Combined(X_AB.rows, way);
  Hull hull;
  SetHull(a, &hull);
  const double end_a = Dot(FarthestPoint(hull, way) - X_AB.position, way);
  SetHull(b, &hull);
  const double gap = Dot(FarthestPoint(hull, -way_B), way_B) - end_a;
  const Triple sizes = boxes.a + boxes.b;
  const double margin = kHullRounding * (sizes[0] + sizes[1] + sizes[2]);
  return gap > 0 && gap * gap > margin * margin * Dot(way, way);
}

}  // namespace intervox::host::distance
