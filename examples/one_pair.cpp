// One pair of solids, one call: how much a ball overlaps a block with a hole, against the formula
// for a cap.
#include <intervox.h>

#include <cmath>
#include <cstdio>
#include <numbers>

int main() {
  using namespace intervox;
  // A block with a hole is several cells: MeasurePair takes them all and adds them up.
  const ShapePtr block = ParseShape(
      "difference: [{box: {size: [1, 1, 0.2]}}, {cylinder: {radius: 0.05, height: 1}, pose: "
      "{position: [0.3, 0, 0]}}]",
      "block");
  Shape ball;
  ball.primitive = geometry::Sphere{0.1};
  const std::vector<Cell> a = ToCells(ball), b = ToCells(*block);

  Pose X_WA;
  X_WA.p = {0.0, 0.0, 0.199};  // the ball reaches 1 mm into the block's upper face
  MeasureOptions options;
  options.tolerance = 1e-6;
  const InterferenceMetrics metrics = MeasurePair(Engine(), a, b, X_WA, Pose{}, options).sum;

  const double depth = 0.001;
  const double cap = std::numbers::pi * depth * depth * (0.1 - depth / 3);
  std::printf("%zu and %zu cells, volume %.12e m^3, by the formula %.12e m^3\n", a.size(), b.size(),
              metrics.volume, cap);
  const Vec3 n = Normalized(metrics.area_vector);
  std::printf("contact normal %.3f %.3f %.3f\n", n.x, n.y, n.z);
  return std::fabs(metrics.volume / cap - 1) < 1e-5 && n.z > 0.999 ? 0 : 1;
}
