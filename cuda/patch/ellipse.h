/** @file The ellipse of a patch, which sets its coordinates, and cubics through depths along a
 * line. */
#pragma once

#include <cmath>

#include "cuda/patch/patch_quadrature.h"
#include "cuda/patch/profile.h"

namespace intervox::cuda::internal {

/** The ellipse of inertia is taken to be no narrower than this share of its length. */
inline constexpr double kNarrowest = 1e-5;

/** Coefficients of the cubics that are 1 at one of Gauss' four points and 0 at the others. */
struct Cubics {
  double c[kDepths][kDepths];  ///< of each point, the powers' ascending
};

/** Makes them by Lagrange's formula. */
inline Cubics MakeCubics() {
  Cubics cubics{};
  for (int g = 0; g < kDepths; ++g) {
    double c[kDepths] = {1, 0, 0, 0}, scale = 1;
    for (int o = 0; o < kDepths; ++o) {
      if (o == g) continue;
      for (int k = kDepths - 1; k > 0; --k) c[k] = c[k - 1] - kGauss[o] * c[k];
      c[0] *= -kGauss[o];
      scale *= kGauss[g] - kGauss[o];
    }
    for (int k = 0; k < kDepths; ++k) cubics.c[g][k] = c[k] / scale;
  }
  return cubics;
}

/** A symmetric 2×2 matrix that maps the unit circle to the patch's ellipse of inertia. */
struct Stretching {
  double xx = 0, xy = 0, yy = 0;
  double longest = 0;  ///< σ along its longest axis [m]

  /** Of a point of the circle. */
  Vec2 operator*(const Vec2& a) const { return {xx * a.x + xy * a.y, xy * a.x + yy * a.y}; }
  /** Area over area. */
  double Determinant() const { return xx * yy - xy * xy; }
};

/** √M of the patch's second moments over V, without an eigenvector, which a round patch lacks. */
inline Stretching RootOfMoments(const PatchMoments& moments, const Vec3& t1, const Vec3& t2) {
  const double V = moments.volume;
  double xx = Dot(t1, moments.E_W * t1) / V, yy = Dot(t2, moments.E_W * t2) / V;
  const double xy = Dot(t1, moments.E_W * t2) / V;
  const double least = kNarrowest * kNarrowest * std::fabs(xx + yy);
  const double mean = 0.5 * (xx + yy);
  const double apart = std::sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  if (mean - apart < least) {
    xx += least - (mean - apart);
    yy += least - (mean - apart);
  }
  const double root = std::sqrt(xx * yy - xy * xy), scale = 1 / std::sqrt(xx + yy + 2 * root);
  return {scale * (xx + root), scale * xy, scale * (yy + root), std::sqrt(mean + apart)};
}

}  // namespace intervox::cuda::internal
