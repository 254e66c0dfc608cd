/** @file Points of two overlapping cells where the depth along their normal is stationary. */
#pragma once

#include <optional>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** Share of the lengths within which a nearest point is taken to lie on a surface. */
inline constexpr double kNearSurface = 1e-6;
/** Share of a multiplier's sum below which it neither pushes nor pulls. */
inline constexpr double kIdle = 1e-13;

/** The size of the smaller cell [m]. */
double SizeOf(const PairQuery& query);

/** A place whose surfaces a side begins with: those within `near` of it, at least one. */
struct StartPlace {
  Vec3 p_W;
  double near = 0.0;
};

/** A settled point, and whether a cell is pressed there by a face that cuts its body: a neighbour
 then has a deeper one. */
struct Settled {
  PointContact point;
  bool is_cut = false;
};

/** Whether a point may be what was estimated: farther from it there may be another overlap, or
 another way out. */
bool IsNear(const Vec3& n, double x, const PointContact& estimate);

/** What is taken for the deepest point: where the depth is least, or else the estimate itself where
 it is stationary. */
enum class Accepted { kLeast, kSame };

/** Tries to bring an estimate to a point near it that solves the equations of DeepestPoint.
 Newton's method starts with the surfaces at two places; surfaces join where the point leaves a
 cell, and go where they would pull.
 @param hardly  surfaces that push along the normal by less than this are left out at first
 @return empty where it does not settle, or elsewhere */
std::optional<Settled> SettleFrom(const PairQuery& query, const PointContact& from,
                                  const StartPlace& place_A, const StartPlace& place_B,
                                  double hardly = kIdle, Accepted accepted = Accepted::kLeast);

}  // namespace intervox::host::points
