// Prism, wedge, rounded box, fillet, extruded and revolved outlines: volume, centroid and inertia
// by the formula, by counting random points, and in a random pose.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "geometry/bounds.h"
#include "geometry/primitives/pieces.h"
#include "geometry/solid.h"
#include "host/scene/shape_metrics.h"

namespace intervox::host {
namespace {

using namespace geometry;  // NOLINT(google-build-using-namespace)
constexpr double kPi = std::numbers::pi;

InterferenceMetrics Measure(const Shape& shape) {
  return MeasureSolid(Engine(), ToCells(shape), {.tolerance = 1e-9}).sum;
}

Shape Leaf(Primitive primitive) {
  Shape shape;
  shape.primitive = std::move(primitive);
  return shape;
}

/** Volume and centroid by a million points in the solid's box, judged by the levels of its tree. */
std::pair<double, Vec3> Count(const Shape& shape) {
  const geometry::Solid solid(shape);
  const Aabb box = solid.Bounds(Pose::Identity());
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  constexpr int kPoints = 200000;
  int inside = 0;
  Vec3 sum;
  for (int k = 0; k < kPoints; ++k) {
    const double u = share(random), v = share(random), w = share(random);
    const Vec3 p = box.lower + Scaled({u, v, w}, box.upper - box.lower);
    if (!solid.Contains(p)) continue;
    ++inside;
    sum += p;
  }
  const Vec3 size = box.upper - box.lower;
  return {size.x * size.y * size.z * inside / kPoints, sum / inside};
}

void ExpectSolid(const Primitive& primitive, double volume, const Vec3& centroid,
                 double accuracy = 1e-7) {
  SCOPED_TRACE(PrimitiveName(primitive));
  const Shape shape = Leaf(primitive);
  const InterferenceMetrics exact = Measure(shape);
  EXPECT_NEAR(exact.volume, volume, accuracy * volume);
  EXPECT_LT(Norm(exact.p_WC - centroid), accuracy);
  const auto [counted, middle] = Count(shape);
  EXPECT_NEAR(counted, volume, 0.02 * volume);
  EXPECT_LT(Norm(middle - centroid), 0.01);
  Shape posed = shape;
  posed.X = {ToRotation(Normalized(Quaternion{0.3, -0.5, 0.2, 0.7})), {0.3, -2, 1}};
  posed.scale = 3;
  const InterferenceMetrics moved = Measure(posed);
  EXPECT_NEAR(moved.volume, 27 * volume, 270 * accuracy * volume);
  EXPECT_LT(Norm(moved.p_WC - posed.X * (3 * centroid)), 10 * accuracy);
  // Unit density: an inertia goes with the fifth power of lengths; its trace does not turn.
  EXPECT_NEAR(Trace(moved.J_W), 243 * Trace(exact.J_W), 1e-5 * Trace(moved.J_W));
}

TEST(PartsPrimitives, PrismIsItsFormula) {
  for (const int n : {3, 4, 6, 17}) {
    const double area = 0.5 * n * 0.09 * std::sin(2 * kPi / n);
    ExpectSolid(Prism{n, 0.3, 0.5}, area * 0.5, {});
  }
}

TEST(PartsPrimitives, WedgeIsItsFormula) {
  for (const double top : {0.0, 0.25, 1.0}) {
    // A box of length `top` and a triangle of base 1 − top.
    const double box = top, triangle = 0.5 * (1 - top), area = box + triangle;
    const double x = (box * 0.5 * top + triangle * (top + (1 - top) / 3)) / area - 0.5;
    const double z = (triangle * 0.4 / 3 + box * 0.2) / area - 0.2;
    ExpectSolid(Wedge{{1, 0.5, 0.4}, top}, area * 0.4 * 0.5, {x, 0, z});
  }
}

TEST(PartsPrimitives, RoundedBoxIsTheSteinerFormula) {
  for (const double r : {0.01, 0.1, 0.2}) {
    const Vec3 a = Vec3{1, 0.6, 0.4} - Vec3{2 * r, 2 * r, 2 * r};
    const double volume = a.x * a.y * a.z + 2 * r * (a.x * a.y + a.y * a.z + a.z * a.x) +
                          kPi * r * r * (a.x + a.y + a.z) + 4 * kPi / 3 * r * r * r;
    ExpectSolid(RoundedBox{{1, 0.6, 0.4}, r}, volume, {});
  }
  ExpectSolid(RoundedBox{{1, 1, 1}, 0.5}, kPi / 6, {});  // a ball
}

TEST(PartsPrimitives, FilletIsItsFormula) {
  // A square less a quarter of a disc; about the corner, the second moment of x is that of both.
  for (const auto& [r, length] : {std::pair{0.3, 0.5}, {0.003, 1.0}, {2.0, 0.01}}) {
    const double quarter = 0.25 * kPi * r * r, area = r * r - quarter;
    const double x = (0.5 * r * r * r - quarter * (r - 4 * r / (3 * kPi))) / area;
    ExpectSolid(Fillet{r, length}, area * length, {x, x, 0});
    const double about_wall =
        r * r * r * r / 3 - (quarter * r * r - 2 * r * r * r * r / 3 + kPi * r * r * r * r / 16);
    const double xx = length * (about_wall - area * x * x);  // ∫(x − x̄)² dV
    const double zz = area * length * length * length / 12;
    const Mat3 J = Measure(Leaf(Fillet{r, length})).J_W;
    EXPECT_NEAR(J(2, 2), 2 * xx, 1e-6 * J(2, 2));
    EXPECT_NEAR(J(0, 0), xx + zz, 1e-6 * J(0, 0));
    EXPECT_NEAR(J(1, 1), J(0, 0), 1e-9 * J(0, 0));
  }
}

/** A pair's volume of overlap. */
double Overlap(const Shape& a, const Shape& b, const Pose& X_WB) {
  return MeasurePair(Engine(), ToCells(a), ToCells(b), {}, X_WB, {.tolerance = 1e-7}).sum.volume;
}

/** The part of a fillet's volume where `length`(x, y, bottom, top) keeps so much of a line along z:
 the midpoint rule, in x and in y up to the cylinder. */
template <class Length>
double Lines(const Fillet& fillet, const Length& length) {
  constexpr int kLines = 1500;
  const double r = fillet.radius, h = 0.5 * fillet.length;
  double sum = 0;
  for (int i = 0; i < kLines; ++i) {
    const double x = r * (i + 0.5) / kLines;
    const double wide = r - std::sqrt(r * r - (r - x) * (r - x));
    double line = 0;
    for (int j = 0; j < kLines; ++j) line += length(x, wide * (j + 0.5) / kLines, -h, h);
    sum += line * wide / kLines;
  }
  return sum * r / kLines;
}

TEST(PartsPrimitives, FilletsMeetBallsAndBoxesAsLinesSay) {
  const Fillet fillet{0.3, 0.5};
  for (const Vec3& c : {Vec3{0.1, 0.2, 0.1}, Vec3{0.22, 0.08, 0.2}, Vec3{-0.1, 0.02, 0}}) {
    const double lines = Lines(fillet, [&](double x, double y, double bottom, double top) {
      const double s2 = 0.04 - (x - c.x) * (x - c.x) - (y - c.y) * (y - c.y);
      const double s = std::sqrt(std::max(0.0, s2));
      return std::max(0.0, std::min(top, c.z + s) - std::max(bottom, c.z - s));
    });
    const double exact = Overlap(Leaf(fillet), Leaf(Sphere{0.2}), {Mat3::Identity(), c});
    EXPECT_NEAR(exact, lines, 2e-5 * lines);
  }
  const Vec3 size{0.2, 0.3, 0.4};
  const Pose X_WB{ToRotation(Normalized(Quaternion{0.7, 0.3, 0.5, 0.2})), {0.1, 0.12, 0.1}};
  const double lines = Lines(fillet, [&](double x, double y, double bottom, double top) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 n = X_WB.R.Col(k);
      const double at = Dot(n, Vec3{x, y, 0} - X_WB.p);  // and n.z of it for each z
      const double u = (-0.5 * size[k] - at) / n.z, v = (0.5 * size[k] - at) / n.z;
      bottom = std::max(bottom, std::min(u, v));
      top = std::min(top, std::max(u, v));
    }
    return std::max(0.0, top - bottom);
  });
  EXPECT_NEAR(Overlap(Leaf(fillet), Leaf(Box{size}), X_WB), lines, 2e-5 * lines);
}

TEST(PartsPrimitives, AFilletTakenFromAnEdgeRoundsIt) {
  auto fillet = std::make_shared<Shape>(Leaf(Fillet{0.1, 2}));
  fillet->X.p = {-0.5, -0.4, 0};
  Shape rounded;
  rounded.operation = Operation::kDifference;
  rounded.children = {std::make_shared<Shape>(Leaf(Box{{1, 0.8, 0.6}})), fillet};
  const double volume = 0.48 - 0.6 * 0.01 * (1 - kPi / 4);
  EXPECT_NEAR(Measure(rounded).volume, volume, 1e-8);
  rounded.operation = Operation::kUnion;
  rounded.children = {std::make_shared<Shape>(Leaf(Box{{1, 0.8, 0.6}})), fillet};
  fillet->X.p = {0.5, -0.4, 0};
  EXPECT_NEAR(Measure(rounded).volume, 0.48 + 2 * 0.01 * (1 - kPi / 4), 1e-8);
}

TEST(PartsPrimitives, ExtrudedOutlinesAreTheirFormula) {
  // An L, a slot with round ends, a block with a half-round notch, a disc as two half circles.
  ExpectSolid(Extrude{{{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}, 0.5}, 1.5,
              {5.0 / 6, 5.0 / 6, 0});
  ExpectSolid(Extrude{{{-1, -0.5, 0}, {1, -0.5, 1}, {1, 0.5, 0}, {-1, 0.5, 1}}, 0.5},
              0.5 * (2 + kPi / 4), {});
  const double notch = kPi / 32, area = 2 - notch;
  const double x = -notch * (1 - 4 * 0.25 / (3 * kPi)) / area;
  ExpectSolid(
      Extrude{
          {{-1, -0.5, 0}, {1, -0.5, 0}, {1, -0.25, -1}, {1, 0.25, 0}, {1, 0.5, 0}, {-1, 0.5, 0}},
          0.5},
      0.5 * area, {x, 0, 0});
  ExpectSolid(Extrude{{{-1, 0, 1}, {1, 0, 1}}, 0.5}, 0.5 * kPi, {});
  // The same outline the other way round is the same solid.
  ExpectSolid(Extrude{{{1, 0, -1}, {-1, 0, -1}}, 0.5}, 0.5 * kPi, {});
}

TEST(PartsPrimitives, RevolvedOutlinesAreTheirFormula) {
  // Pappus: a square ring, a cone, a torus, a ball, a bowl between two balls.
  ExpectSolid(Revolve{{{1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}}}, 3 * kPi, {0, 0, 0.5});
  ExpectSolid(Revolve{{{0, 0, 0}, {1, 0, 0}, {0, 3, 0}}}, kPi, {0, 0, 0.75});
  ExpectSolid(Revolve{{{0.5, 0, 1}, {1.5, 0, 1}}}, 2 * kPi * kPi * 0.25, {});
  ExpectSolid(Revolve{{{0, -1, 1}, {0, 1, 0}}}, 4 * kPi / 3, {});
  const double shell = 2 * kPi / 3 * (1 - 0.512);
  const double z = -(kPi / 4 * (1 - 0.4096)) / shell;
  const double quarter = std::tan(kPi / 8);
  ExpectSolid(Revolve{{{0, -1, quarter}, {1, 0, 0}, {0.8, 0, -quarter}, {0, -0.8, 0}}}, shell,
              {0, 0, z}, 1e-6);
}

TEST(PartsPrimitives, InertiaOfADiscIsItsFormula) {
  const InterferenceMetrics disc =
      Measure(Leaf(Revolve{{{0, -0.5, 0}, {2, -0.5, 0}, {2, 0.5, 0}, {0, 0.5, 0}}}));
  const double m = 4 * kPi;
  EXPECT_NEAR(disc.J_W(2, 2), 0.5 * m * 4, 1e-6 * m);
  EXPECT_NEAR(disc.J_W(0, 0), m * (3 * 4 + 1) / 12, 1e-6 * m);
}

// Bulges of 1e-10 and less hung, and flat arcs were told to touch themselves.
TEST(PartsPrimitives, FlatArcsAreTheirFormula) {
  for (const double depth : {1.0, 1e-3}) {
    for (const double size : {1e-2, 1e-4, 1e-5, 1e-6}) {
      if (size >= depth) continue;
      for (const double bulge : {size, -size}) {
        // To first order a segment of chord 1 has the area 2/3 of its sagitta, half the bulge.
        const double area = depth + bulge / 3 * (1 + 0.2 * bulge * bulge);
        const double volume =
            Measure(Leaf(Extrude{{{0, 0, bulge}, {1, 0, 0}, {1, depth, 0}, {0, depth, 0}}, 1}))
                .volume;
        EXPECT_NEAR(volume, area, 1e-8 * depth) << depth << " " << bulge;
      }
    }
  }
  for (const double bulge : {9e-10, -1e-12, 1e-300}) {
    for (const Primitive& flat :
         std::vector<Primitive>{Extrude{{{1, 0, bulge}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}}, 1},
                                Revolve{{{1, 0, bulge}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}}}}) {
      const double volume = std::holds_alternative<Extrude>(flat) ? 1.0 : 3 * kPi;
      EXPECT_NEAR(Measure(Leaf(flat)).volume, volume, 1e-9 * volume) << bulge;
    }
  }
}

// Its pieces of 1e-12 m had no extent, and the box had lost three of its sides.
TEST(PartsPrimitives, RoundedBoxesOfSharpEdgesAreBoxes) {
  for (const double r : {1e-12, 1e-11, 1e-9}) {
    const Shape box = Leaf(RoundedBox{{1, 2, 3}, r});
    EXPECT_NEAR(Measure(box).volume, 6, 1e-9) << r;
    EXPECT_EQ(ToCells(box).size(), r < 1e-10 ? 1u : 25u) << r;
  }
}

/** The message that a primitive is refused with; empty where it is taken. */
std::string Refusal(const Primitive& primitive) {
  try {
    ToCells(Leaf(primitive));
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(PartsPrimitives, BadSizesAreRefused) {
  const std::vector<std::pair<Primitive, const char*>> bad{
      {Prism{2, 1, 1}, "sides"},
      {Prism{1001, 1, 1}, "sides"},
      {Prism{6, 0, 1}, "radius"},
      {Prism{6, 1, -1}, "height"},
      {Wedge{{1, 1, 1}, 1.5}, "top"},
      {Wedge{{1, 0, 1}, 0.5}, "size[1]"},
      {RoundedBox{{1, 1, 1}, 0.6}, "radius"},
      {RoundedBox{{1, 1, 1}, 0}, "radius"},
      {Fillet{0, 1}, "radius"},
      {Fillet{1, -1}, "length"},
      {Extrude{{{0, 0, 0}, {1, 0, 0}}, 1}, "corners"},
      {Extrude{{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}, 1}, "crosses itself"},
      {Extrude{{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 1}, "one point"},
      {Extrude{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 1}, "no area"},
      {Extrude{{{0, 0, 0}, {1, 0, 1000}, {1, 1, 0}}, 1}, "bulge"},
      {Extrude{{{0, 0, NAN}, {1, 0, 0}, {1, 1, 0}}, 1}, "bulge"},
      {Extrude{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 0}, "height"},
      {Extrude{{{0, 0, 1e-7}, {1, 0, 0}, {1, 1, 0}}, 1}, "An arc so flat is a line"},
      {Extrude{{{0, 0, 0}, {1, 0, -2e-9}, {1, 1, 0}}, 1}, "outline[1][2] is -2e-09"},
      // The arc of the right side reaches through the left one.
      {Extrude{{{0, 0, 0}, {1, 0, -2}, {1, 1, 0}, {0, 1, 0}}, 1}, "crosses itself"},
      {Revolve{{{-1, 0, 0}, {1, 0, 0}, {1, 1, 0}}}, "distance from the axis"},
      {Revolve{{{0.5, -1, 1}, {0.5, 1, 0}}}, "neither a ball nor a torus"},
  };
  for (const auto& [primitive, word] : bad) {
    EXPECT_NE(Refusal(primitive).find(word), std::string::npos)
        << word << " is not in: " << Refusal(primitive);
  }
}

TEST(PartsPrimitives, AnySizeHoldsByAHundredBothWays) {
  for (const double s : {1e-2, 1.0, 1e2}) {
    const double volume =
        Measure(Leaf(Extrude{{{0, 0, 0}, {s, 0, 0.2}, {s, 1, 0}, {0, 1, 0}}, 1})).volume;
    // A segment of chord 1: sagitta 0.1, r = (0.25 + 0.01) / 0.2.
    const double r = 1.3, angle = 4 * std::atan(0.2);
    EXPECT_NEAR(volume, s + 0.5 * r * r * (angle - std::sin(angle)), 1e-7 * volume) << s;
  }
}

}  // namespace
}  // namespace intervox::host
