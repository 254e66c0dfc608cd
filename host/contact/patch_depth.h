/** @file How large and how deep a patch is, from its moments. */
#pragma once

#include <algorithm>
#include <cmath>

#include "host/contact/contact.h"

namespace intervox::host {

/** ∫ρρᵀ about the patch's centroid [m⁵]. */
inline Mat3 SecondMoment(const PatchGeometry& g) {
  return 0.5 * Trace(g.J_W) * Mat3::Identity() - g.J_W;
}

/** How unevenly deep a patch is: 1 for a face of even depth, 2 for a wedge, an edge or a cap, 3 for
 a corner. V grows with about this power of the approach. From the variance of the overlap along n,
 in shares of the mean depth's square: 1/12, 2/9, 0.34. Requires V > 0 and an area S > 0 [m²]. */
inline double DepthPower(const PatchGeometry& g, double S) {
  constexpr double kEven = 1.0 / 12, kWedge = 2.0 / 9;
  if (g.is_point) return 1.0;
  const double variance = Dot(g.n, SecondMoment(g) * g.n) * S * S / (g.V * g.V * g.V);
  return std::clamp(1.0 + (variance - kEven) / (kWedge - kEven), 1.0, 3.0);
}

/** The mean depth V/S of a patch [m], but no more than four times what a face of its spread along n
 has: where walls on several sides press, S falls to 0 and tells of no depth any more. */
inline double MeanDepth(const PatchGeometry& g, double S) {
  if (g.is_point) return g.V;
  constexpr double kRounding = 1e-13;  // of the moments
  constexpr double kLargest = 16.0 * 12.0;
  const double spread = std::max(0.0, Dot(g.n, SecondMoment(g) * g.n)) + kRounding * Trace(g.J_W);
  return std::fmin(g.V / S, std::sqrt(kLargest * spread / g.V));
}

/** The overlap [m³]; of a point, which has a depth for V, none. */
inline double Volume(const PatchGeometry& g) { return g.is_point ? 0.0 : g.V; }

/** The area vector [m²]; of a point, which has a normal for S, none. */
inline Vec3 AreaVector(const PatchGeometry& g) { return g.is_point ? Vec3{} : g.S; }

/** How deep the deepest point of a patch is, to first order [m]: DepthPower V/|S|. */
inline double Depth(const PatchGeometry& g) {
  if (g.is_point) return g.V;
  const double S = Norm(g.S);
  return g.V > 0.0 && S > 0.0 ? DepthPower(g, S) * MeanDepth(g, S) : 0.0;
}

/** What rounding of the moments makes of DepthPower, where a patch is thin against its width. */
inline double DepthPowerError(const PatchGeometry& g, double S) {
  constexpr double kRounding = 1e-14;  // of the moments
  return std::min(2.0, 10.0 * kRounding * Trace(g.J_W) * S * S / (g.V * g.V * g.V));
}

}  // namespace intervox::host
