/** @file Levels of surfaces over boxes, as a quadratic form and what is certainly left of them. */
#pragma once

#include "geometry/surface.h"
#include "geometry/surface_eval.h"

namespace intervox::cuda::internal::certify {

/** A surface's level in the coordinates u of a frame, x = p + F u with |u_i| ≤ 1, turned so that
 the cell has f ≤ 0. The true level differs from that of the numbers below by `slack` at most. */
struct FrameLevel {
  geometry::SurfaceKind kind = geometry::SurfaceKind::kPlane;
  double sign = 1;  ///< the side
  // f = k + 2 q·u + uᵀAu; of a torus nothing of it.
  double k = 0;
  Vec3 q;
  Vec3 diagonal;  ///< of A
  Vec3 off;       ///< of A: yz, xz, xy
  double slack = 0;
  // Torus and cone: principal coordinates y = m + M u.
  Vec3 m;
  Mat3 M;
  Vec3 e;
  double scale = 0;  ///< of the torus' quartic
};

/** The level over a box c ± h, with v = (u − c)/h:
 f + g·v + Σ a_i v_i² + 2 (b_x v_y v_z + b_y v_x v_z + b_z v_x v_y) + a remainder in [low, high]. */
struct BoxLevel {
  double f = 0;
  Vec3 g;
  Vec3 a;
  Vec3 b;
  double low = 0;      ///< at most 0
  double high = 0;     ///< at least 0
  double slack = 0;    ///< the part of the remainder that is no smooth function
  Vec3 slope;          ///< what the remainder adds to ∂f/∂v_i at most
  double bend = 0;     ///< and to each second derivative
  bool smooth = true;  ///< whether these are known
  bool plane = false;
  int index = 0;  ///< of the surface
  // Of a torus: what it is the level of.
  const FrameLevel* torus = nullptr;
  Vec3 centre, half;
};

/** (L1): maps a cell's surface. @param X_LC  pose of the cell's frame in that of p and F; its
 position may be rounded. */
FrameLevel MapLevel(const geometry::Surface& surface, const Pose& X_LC, const Vec3& p,
                    const Mat3& F);

/** (L2), (L3): the level over a box within the frame. */
BoxLevel LevelOver(const FrameLevel& level, const Vec3& c, const Vec3& h);

/** Bounds of a torus' derivatives over a box, along v_k (z) and across it (t: any direction within
 the face, each component at most 1). */
struct TorusDerivatives {
  double ttt, ttz, tzz, zzz;
  double tttt, tttz, ttzz, tzzz, zzzz;
};

/** (L6): the third and fourth derivatives. */
TorusDerivatives HigherDerivatives(const FrameLevel& torus, const Vec3& c, const Vec3& h, int k);

/** s times the level, and plus t times another: a level as well. */
BoxLevel Combined(double s, const BoxLevel& one, double t, const BoxLevel& other);

/** (L4): bounds of the level over its box. */
geometry::Bounds RangeOf(const BoxLevel& level);

/** (L5): bounds of the level's distance from f + g·v over its box. */
geometry::Bounds BendOf(const BoxLevel& level);

}  // namespace intervox::cuda::internal::certify
