// One pair of solids, one call: how much a ball overlaps a slab, against the formula for a cap.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "cuda/engine.h"
#include "geometry/shape.h"

int main() {
  using namespace intervox;
  geometry::Shape ball;
  ball.primitive = geometry::Sphere{0.1};
  geometry::Shape slab;
  slab.primitive = geometry::Box{{1.0, 1.0, 0.2}};
  const std::vector<geometry::Cell> a = geometry::ToCells(ball);
  const std::vector<geometry::Cell> b = geometry::ToCells(slab);

  PairQuery query;
  query.a = &a.front();
  query.b = &b.front();
  query.X_WA.p = {0.0, 0.0, 0.199};  // the ball reaches 1 mm into the slab's upper face
  query.tolerance = 1e-6;
  const InterferenceMetrics metrics = Engine().Compute({&query, 1}).front();

  const double depth = 0.001;
  const double cap = std::numbers::pi * depth * depth * (0.1 - depth / 3);
  std::printf("volume %.12e m^3, by the formula %.12e m^3\n", metrics.volume, cap);
  std::printf("contact normal %.3f %.3f %.3f\n", metrics.area_vector.x / Norm(metrics.area_vector),
              metrics.area_vector.y / Norm(metrics.area_vector),
              metrics.area_vector.z / Norm(metrics.area_vector));
  return std::fabs(metrics.volume / cap - 1) < 1e-5 && metrics.area_vector.z > 0 ? 0 : 1;
}
