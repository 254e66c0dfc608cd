// Distances of separated solids: closed forms, another method, motion, and the engine itself.
#include "host/distance/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/engine.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/scene/shape_metrics.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Box;
using geometry::Capsule;
using geometry::Cell;
using geometry::Cone;
using geometry::Cylinder;
using geometry::Ellipsoid;
using geometry::HalfSpace;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::ShapePtr;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using geometry::Tree;

using Cells = std::vector<Cell>;

constexpr double kTolerance = 1e-9;  // of the options, in sizes below 1

/** The distance, which must be proved to the tolerance. */
Separation Measure(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB) {
  const Separation out = MeasureDistance(a, b, X_WA, X_WB);
  EXPECT_EQ(out.status, Status::kOk) << out.reason;
  EXPECT_LE(out.lower, out.distance);
  EXPECT_NEAR(Norm(out.p_WA - out.p_WB), out.distance, 1e-12);
  return out;
}

/** How far a point is outside of a solid, by its levels. */
double Outside(const Cells& cells, const Vec3& p) {
  double least = HUGE_VAL;
  for (const Cell& cell : cells) {
    double most = -HUGE_VAL;
    for (const auto& s : cell.surfaces) most = std::fmax(most, geometry::Level(s, p));
    least = std::fmin(least, most);
  }
  return least;
}

TEST(Distance, ClosedForms) {
  const Cells ball = ToCells(*Leaf(Sphere{0.3})), floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0}));
  const Cells box = ToCells(*Leaf(Box{{1, 1, 1}})), torus = ToCells(*Leaf(Torus{0.4, 0.1}));
  const Cells cone = ToCells(*Leaf(Cone{0.3, 0.0, 0.5}));
  EXPECT_NEAR(Measure(ball, ball, {}, At(1, 2, 2)).distance, 3 - 0.6, kTolerance);
  EXPECT_NEAR(Measure(ball, floor, At(0, 0, 5), {}).distance, 4.7, 5 * kTolerance);
  EXPECT_NEAR(Measure(box, box, {}, At(1.25, 0.3, 0.2)).distance, 0.25, kTolerance);  // faces
  EXPECT_NEAR(Measure(box, box, {}, At(4, 5, 1.1)).distance, std::hypot(3.0, 4.0, 0.1), 1e-8);
  EXPECT_NEAR(Measure(ball, torus, At(0.7, 0, 0.5), {}).distance, std::hypot(0.3, 0.5) - 0.4, 1e-9);
  // On its tip: the nearest point is the apex, where a cone has no tangent plane.
  Separation tip =
      Measure(cone, floor, {ToRotation(Normalized(Quaternion{0, 1, 0.2, 0})), {0, 0, 1}}, {});
  EXPECT_NEAR(tip.distance, 1 - 0.25, 2 * kTolerance);
  EXPECT_NEAR(tip.n.z, 1, 1e-9);
}

// The pin of a shaft in a hole: the nearest points lie across the gap, not at the hole's far side.
TEST(Distance, PegInAHole) {
  const Cells block =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{1, 1, 0.5}}), Leaf(Cylinder{0.3, 2})}));
  const Cells peg = ToCells(*Leaf(Cylinder{0.29, 1.0}));
  const Separation out = Measure(block, peg, {}, At(0.004, 0.003, 0));
  EXPECT_NEAR(out.distance, 0.005, 1e-9);
  EXPECT_NEAR(out.n.x, 0.8, 1e-4);
  EXPECT_NEAR(out.n.y, 0.6, 1e-4);
}

// A ball just above faces, edges and corners of a box: however little is between them, the distance
// is proved, and the normal is that of the box although the points are hardly apart.
TEST(Distance, SolidsThatAlmostTouch) {
  Random random(13);
  for (const double gap : {1e-3, 1e-6, 1e-7, 1e-8, 3e-9}) {
    for (int k = 0; k < 40; ++k) {
      const double radius = random.Uniform(0.1, 1);
      const Vec3 half{random.Uniform(0.1, 1), random.Uniform(0.1, 1), random.Uniform(0.1, 1)};
      Vec3 p = random.InBox(1), n;
      for (int i = 0; i < 3; ++i) {
        const bool at_end = i == k % 3 || random.Below(2) == 0;
        p[i] = at_end ? std::copysign(half[i], p[i]) : half[i] * p[i];
        n[i] = at_end ? std::copysign(random.Uniform(0.1, 1), p[i]) : 0;
      }
      n = n / Norm(n);
      const Separation out =
          Measure(ToCells(*Leaf(Sphere{radius})), ToCells(*Leaf(Box{2.0 * half})),
                  {Mat3::Identity(), p + (radius + gap) * n}, {});
      EXPECT_NEAR(out.distance, gap, 1e-12);
      EXPECT_LE(Norm(out.n - n), 1e-10) << gap;
    }
  }
}

// A ball over a bore that is hardly narrower, and hardly beside its axis: the rim is nearly as near
// everywhere, and from an eighth of it away the way downhill still ends at the nearest point.
TEST(Distance, DownhillAlongARim) {
  const Cells block =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{1, 1, 0.5}}), Leaf(Cylinder{0.3, 2})}));
  for (const double beside : {3e-2, 1e-2, 1e-3}) {
    const double height = 0.06, gap = 1e-3, angle = 0.2, from = 0.7;
    const double radius = std::hypot(0.3 - beside, height) - gap;
    const Cells ball = ToCells(*Leaf(Sphere{radius}));
    const Vec3 rim{0.3 * std::cos(angle), 0.3 * std::sin(angle), 0.25};
    const Vec3 center{beside * std::cos(angle), beside * std::sin(angle), 0.25 + height};
    const Vec3 start{0.3 * std::cos(from), 0.3 * std::sin(from), 0.25};
    DistanceOptions options;
    options.start = {start, start};
    const Separation out = MeasureDistance(ball, block, {Mat3::Identity(), center}, {}, options);
    EXPECT_NEAR(out.distance, gap, 1e-9) << beside;
    EXPECT_LE(Norm(out.p_WB - rim), 1e-6) << beside;
  }
}

ShapePtr RandomSolid(Random* random, double size) {
  const auto length = [&] { return size * std::pow(10, random->Uniform(-1.5, 0)); };
  const double a = length(), b = length(), c = length();
  switch (random->Below(7)) {
    case 0:
      return Leaf(Box{{a, b, c}});
    case 1:
      return Leaf(Ellipsoid{{a, b, c}});
    case 2:
      return Leaf(Cylinder{a, b});
    case 3:
      return Leaf(Cone{a, 0, b});
    case 4:
      return Leaf(Cone{a, 0.5 * a, c});
    case 5:
      return Leaf(Capsule{a, b});
    default:
      return Leaf(Sphere{a});
  }
}

// Any sizes, and sizes a thousandfold apart: witness points lie in the solids, moved by all but a
// little of the distance the engine finds no overlap, and what is left is the rest of the distance.
TEST(Distance, RandomSolidsOfAnySize) {
  Random random(5);
  const Engine engine{EngineOptions{}};
  for (const double ratio : {1.0, 1e-3, 1e3}) {
    for (const double scale : {1.0, 1e-5, 1e5}) {
      for (int k = 0; k < 20; ++k) {
        const Cells a = ToCells(*RandomSolid(&random, scale));
        const Cells b = ToCells(*RandomSolid(&random, scale * ratio));
        Pose X{random.Rotation(), 2 * scale * (1 + ratio) * random.Direction()};
        const Separation out = MeasureDistance(a, b, {}, X);
        ASSERT_EQ(out.status, Status::kOk) << ratio << ' ' << scale << ' ' << k;
        ASSERT_GT(out.distance, 0);
        const double size = scale * std::fmax(1.0, ratio);
        EXPECT_LE(Outside(a, out.p_WA), 1e-9 * size);
        EXPECT_LE(Outside(b, Inverse(X) * out.p_WB), 1e-9 * size);
        X.p += 0.999 * out.distance * out.n;
        const auto near = MeasurePair(engine, a, b, {}, X, {});
        EXPECT_EQ(near.sum.status, Status::kDisjoint);
        const Separation rest = MeasureDistance(a, b, {}, X);
        EXPECT_NEAR(rest.distance, 1e-3 * out.distance, 3e-9 * std::fmax(size, out.distance));
        // Beyond, edges may pass each other; where the engine finds an overlap there is no
        // distance.
        X.p += 2e-3 * out.distance * out.n;
        const double beyond = MeasureDistance(a, b, {}, X).distance;
        EXPECT_LE(beyond, 1.001e-3 * out.distance + 3e-9 * size);
        const bool meet = MeasurePair(engine, a, b, {}, X, {}).sum.volume > 0;
        EXPECT_EQ(beyond == 0, meet) << beyond;
      }
    }
  }
}

/** Points of a solid that are spread over its bounds, moved onto its surface along a ray to q. */
double SampledDistance(const Cells& a, const Cells& b, const Pose& X, int count, Random* random) {
  double least = HUGE_VAL;
  for (int k = 0; k < count; ++k) {
    const Cell& cell = a[static_cast<std::size_t>(random->Below(static_cast<int>(a.size())))];
    const Vec3 h = cell.bounds.half;
    const Vec3 p = cell.bounds.X * Vec3{random->Uniform(-h.x, h.x), random->Uniform(-h.y, h.y),
                                        random->Uniform(-h.z, h.z)};
    if (Outside(a, p) > 0) continue;
    // Another method for the point: the distance is that of a tiny ball, less its radius.
    const double radius = 1e-6;
    const Separation out =
        MeasureDistance(ToCells(*Leaf(Sphere{radius})), b, {Mat3::Identity(), p}, X);
    least = std::fmin(least, out.distance + radius);
  }
  return least;
}

// Holes and tubes keep no convex sets: no point of the solid is nearer than what was proved.
TEST(Distance, SolidsThatAreNotConvex) {
  Random random(7);
  const std::vector<ShapePtr> shapes = {
      Leaf(Torus{0.35, 0.1}),
      Tree(Operation::kDifference, {Leaf(Cylinder{0.3, 0.5}), Leaf(Cylinder{0.2, 0.9})}),
      Tree(Operation::kDifference, {Leaf(Box{{0.7, 0.7, 0.4}}), Leaf(Cylinder{0.2, 0.9})}),
      Tree(Operation::kDifference,
           {Leaf(Box{{0.7, 0.7, 0.4}}), Leaf(Sphere{0.3}, At(0, 0, 0.25))})};
  const Cells box = ToCells(*Leaf(Box{{0.3, 0.25, 0.2}}));
  int apart = 0;
  for (const ShapePtr& shape : shapes) {
    const Cells solid = ToCells(*shape);
    for (int k = 0; k < 8; ++k) {
      const Pose X{random.Rotation(), random.InBox(0.7)};
      const Separation out = Measure(solid, box, {}, X);
      if (out.distance == 0) continue;
      ++apart;
      EXPECT_LE(Outside(solid, out.p_WA), 1e-9);
      EXPECT_LE(Outside(box, Inverse(X) * out.p_WB), 1e-9);
      EXPECT_GE(SampledDistance(solid, box, X, 60, &random), out.lower);
    }
  }
  EXPECT_GT(apart, 12);
}

// The same in any frame, and from the other solid.
TEST(Distance, OfFramesAndOfOrder) {
  Random random(11);
  for (int k = 0; k < 30; ++k) {
    const Cells a = ToCells(*RandomSolid(&random, 1)), b = ToCells(*RandomSolid(&random, 1));
    const Pose X{random.Rotation(), 1.5 * random.Direction()}, Y = random.RandomPose(3);
    const double distance = Measure(a, b, {}, X).distance;
    EXPECT_NEAR(Measure(a, b, Y, Y * X).distance, distance, 3e-9);
    EXPECT_NEAR(Measure(b, a, X, {}).distance, distance, 3e-9);
  }
}

TEST(Distance, TellsWhatItCannotDo) {
  const Cells floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0})),
              torus = ToCells(*Leaf(Torus{0.4, 0.1}));
  const Separation both = MeasureDistance(floor, floor, {}, At(0, 0, -1));
  EXPECT_EQ(both.status, Status::kInvalid);
  EXPECT_NE(both.reason.find("unbounded"), std::string::npos);
  // Too few boxes for a ball on a torus' axis, of which a whole circle is nearest: what is proved
  // is stated.
  DistanceOptions few;
  few.most_boxes = 200;
  const Cells ball = ToCells(*Leaf(Sphere{0.1}));
  const Separation rough = MeasureDistance(torus, ball, {}, {}, few);
  EXPECT_EQ(rough.status, Status::kToleranceNotMet);
  EXPECT_NEAR(rough.distance, 0.2, 1e-9);
  EXPECT_GT(rough.lower, 0);
  EXPECT_LT(rough.lower, rough.distance);
}

/** n³ boxes of 0.6 of their period in the unit cube. */
Cells BoxLattice(int n) {
  Cells out;
  const double p = 1.0 / n;
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3 at{i % n + 0.5, i / n % n + 0.5, i / (n * n) + 0.5};
    const Vec3 x = p * at - Vec3{0.5, 0.5, 0.5};
    out.push_back(ToCells(*Leaf(Box{{0.6 * p, 0.6 * p, 0.6 * p}}, At(x.x, x.y, x.z)))[0]);
  }
  return out;
}

/** A gear of trapezoidal teeth. */
Cells Gear(int teeth) {
  geometry::Extrude gear{{}, 0.1};
  for (int k = 0; k < teeth; ++k) {
    for (const auto& [r, at] : {std::pair{0.4, -0.25}, {0.5, -0.12}, {0.5, 0.12}, {0.4, 0.25}}) {
      const double angle = 2 * M_PI / teeth * (k + at);
      gear.outline.push_back({r * std::cos(angle), r * std::sin(angle), 0});
    }
  }
  return ToCells(*Leaf(gear));
}

/** The distance of the segments from p to p + u and from q to q + v: inside both, or at an end. */
double SegmentDistance(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const auto to_point = [](const Vec3& from, const Vec3& along, const Vec3& x) {
    const double t = std::clamp(Dot(x - from, along) / SquaredNorm(along), 0.0, 1.0);
    return Norm(from + t * along - x);
  };
  double least = std::min(
      {to_point(p, u, q), to_point(p, u, q + v), to_point(q, v, p), to_point(q, v, p + u)});
  const Vec3 n = Cross(u, v), way = q - p;
  const double square = SquaredNorm(n);
  if (!(square > 0)) return least;
  const double s = Dot(Cross(way, v), n) / square, t = Dot(Cross(way, u), n) / square;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
    least = std::fmin(least, std::fabs(Dot(way, n)) / std::sqrt(square));
  return least;
}

/** The distance of disjoint polytopes by all of their corners, edges and faces. */
double PolytopeDistance(const Cell& a, const Cell& b, const Pose& X_AB) {
  double least = HUGE_VAL;
  const auto loop_of = [](const Cell& cell, std::size_t f) {
    std::vector<Vec3> out;
    for (auto k = cell.corners.begin[f]; k < cell.corners.begin[f + 1]; ++k) {
      out.push_back(
          cell.corners
              .p_C[static_cast<std::size_t>(cell.corners.loop[static_cast<std::size_t>(k)])]);
    }
    return out;
  };
  const auto corners_to_faces = [&](const Cell& points, const Cell& faces, const Pose& X) {
    for (std::size_t f = 0; f + 1 < faces.corners.begin.size(); ++f) {
      const std::vector<Vec3> loop = loop_of(faces, f);
      const Vec3 n = Normalized(Cross(loop[1] - loop[0], loop[2] - loop[1]));
      for (const Vec3& corner : points.corners.p_C) {
        const Vec3 p = X * corner;
        bool above = true;
        for (std::size_t k = 0; k < loop.size(); ++k) {
          const Vec3& next = loop[(k + 1) % loop.size()];
          above = above && Dot(Cross(next - loop[k], p - loop[k]), n) >= 0;
        }
        if (above) least = std::fmin(least, std::fabs(Dot(n, p - loop[0])));
      }
    }
  };
  corners_to_faces(a, b, Inverse(X_AB));
  corners_to_faces(b, a, X_AB);
  for (std::size_t f = 0; f + 1 < a.corners.begin.size(); ++f) {
    const std::vector<Vec3> of_a = loop_of(a, f);
    for (std::size_t g = 0; g + 1 < b.corners.begin.size(); ++g) {
      std::vector<Vec3> of_b = loop_of(b, g);
      for (Vec3& p : of_b) p = X_AB * p;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        const Vec3 u = of_a[(i + 1) % of_a.size()] - of_a[i];
        for (std::size_t j = 0; j < of_b.size(); ++j) {
          const Vec3 v = of_b[(j + 1) % of_b.size()] - of_b[j];
          least = std::fmin(least, SegmentDistance(of_a[i], u, of_b[j], v));
        }
      }
    }
  }
  return least;
}

// Gears and lattices by all pairs of corners, edges and faces of their cells.
TEST(Distance, ManyPolytopesByTheirFeatures) {
  Random random(13);
  const Cells box = ToCells(*Leaf(Box{{0.3, 0.25, 0.2}}));
  struct Case {
    Cells a, b;
    double reach;
  };
  const std::vector<Case> cases = {{BoxLattice(3), box, 1.2},
                                   {BoxLattice(2), BoxLattice(2), 1.7},
                                   {Gear(12), box, 0.9},
                                   {Gear(12), Gear(17), 1.2},
                                   {Gear(60), box, 0.9}};
  for (const auto& [a, b, reach] : cases) {
    for (int k = 0; k < 4; ++k) {
      const Pose X{random.Rotation(), reach * random.Direction()};
      const Separation out = Measure(a, b, {}, X);
      if (out.distance == 0) continue;
      double least = HUGE_VAL;
      for (const Cell& p : a) {
        for (const Cell& q : b) least = std::fmin(least, PolytopeDistance(p, q, X));
      }
      EXPECT_NEAR(out.distance, least, 2e-9);
    }
  }
}

/** A turned part of waves: arcs of tori bulge out and in by turns. */
constexpr double kWave = 0.1, kRadius = 0.3;
std::vector<geometry::OutlinePoint> Waves(int waves) {
  std::vector<geometry::OutlinePoint> out = {{0, 0, 0}};
  for (int k = 0; k < waves; ++k) out.push_back({kRadius, kWave * k, k % 2 ? -0.3 : 0.3});
  out.push_back({kRadius, kWave * waves, 0});
  out.push_back({0, kWave * waves, 0});
  return out;
}

/** The nearest point of such a part, by its outline: p itself inside, else on an arc or an end. */
Vec3 NearestOfWaves(const std::vector<geometry::OutlinePoint>& outline, const Vec3& p) {
  const double rho = std::hypot(p.x, p.y), top = outline.back().y;
  const Vec3 out = rho > 0 ? Vec3{p.x / rho, p.y / rho, 0} : Vec3{1, 0, 0};
  double least = HUGE_VAL;
  Vec3 nearest = p;
  const auto take = [&](double r, double z) {
    const double way = std::hypot(r - rho, z - p.z);
    if (way >= least) return;
    least = way;
    nearest = Vec3{r * out.x, r * out.y, z};
  };
  bool inside = p.z >= 0 && p.z <= top;
  for (std::size_t k = 1; k + 2 < outline.size(); ++k) {
    const double b = outline[k].bulge, z = 0.5 * (outline[k].y + outline[k + 1].y);
    // An arc of sagitta |b| times half its chord bulges to the side of b.
    const double half = 0.5 * kWave, radius = half * (1 + b * b) / (2 * std::fabs(b));
    const double center = kRadius - (b > 0 ? 1 : -1) * (radius - std::fabs(b) * half);
    const double u = rho - center, v = p.z - z, d = std::hypot(u, v);
    if (std::fabs(v) <= half && (p.z >= outline[k].y && p.z <= outline[k + 1].y)) {
      inside = inside && (b > 0 ? rho <= center || d <= radius : rho <= center && d >= radius);
    }
    if (d > 0 && std::fabs(v / d * radius) <= half && (b > 0 ? u > 0 : u < 0)) {
      take(center + u / d * radius, z + v / d * radius);
    }
    take(kRadius, outline[k].y);
    take(kRadius, outline[k + 1].y);
  }
  if (inside) return p;
  for (const double z : {0.0, top}) take(std::fmin(rho, kRadius), z);
  return nearest;
}

/** The least way that going to and fro between nearest points finds from random starts. */
double ToAndFro(const std::vector<geometry::OutlinePoint>& a,
                const std::vector<geometry::OutlinePoint>& b, const Pose& X, Random* random) {
  double least = HUGE_VAL;
  for (int start = 0; start < 300; ++start) {
    Vec3 y = X * (Vec3{0, 0, 0.5 * b.back().y} + random->InBox(0.5)), x;
    double last = HUGE_VAL;
    for (int k = 0; k < 3000; ++k) {
      x = NearestOfWaves(a, y);
      y = X * NearestOfWaves(b, Inverse(X) * x);
      const double now = Norm(x - y);
      if (last - now < 1e-15) break;
      last = now;
    }
    least = std::fmin(least, Norm(x - y));
  }
  return least;
}

// Turned parts of up to a hundred cells: tori from outside and inside, hollow cones between cells.
TEST(Distance, TurnedPartsByGoingToAndFro) {
  Random random(17);
  int apart = 0;
  for (const auto& [of_a, of_b] : {std::pair{1, 1}, {2, 1}, {3, 4}, {8, 5}, {30, 3}}) {
    const auto outline_a = Waves(of_a), outline_b = Waves(of_b);
    const Cells a = ToCells(*Leaf(geometry::Revolve{outline_a}));
    const Cells b = ToCells(*Leaf(geometry::Revolve{outline_b}));
    for (int k = 0; k < 4; ++k) {
      Pose X{random.Rotation(), {}};
      X.p = Vec3{0, 0, 0.5 * outline_a.back().y} + random.Uniform(0.5, 1.2) * random.Direction() -
            X.R * Vec3{0, 0, 0.5 * outline_b.back().y};
      const Separation out = Measure(a, b, {}, X);
      const double least = ToAndFro(outline_a, outline_b, X, &random);
      EXPECT_LE(out.lower, least + 1e-12) << of_a << ' ' << of_b << ' ' << k;
      EXPECT_NEAR(out.distance, least, 1e-7) << of_a << ' ' << of_b << ' ' << k;
      EXPECT_LE(out.boxes, 4000);
      apart += out.distance > 0;
    }
  }
  EXPECT_GT(apart, 10);
}

// Ten thousand cells on a plane and beside a ball: few pairs are looked at.
TEST(Distance, OfThousandsOfCellsLooksAtFew) {
  const Cells lattice = BoxLattice(16), ball = ToCells(*Leaf(Sphere{0.1}));
  const Cells floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0}));
  const double edge = 0.5 - 0.2 / 16;
  Separation out = Measure(lattice, floor, At(0, 0, 1), {});
  EXPECT_NEAR(out.distance, 1 - edge, 1e-9);
  EXPECT_LE(out.boxes, 4);
  out = Measure(ball, lattice, At(1, 1, 1), {});
  EXPECT_NEAR(out.distance, std::sqrt(3.0) * (1 - edge) - 0.1, 1e-9);
  EXPECT_LE(out.boxes, 20);
  out = Measure(lattice, lattice, {}, At(1.5, 0, 0));
  EXPECT_NEAR(out.distance, 1.5 - 2 * edge, 1e-9);
  EXPECT_LE(out.boxes, 4);
}

}  // namespace
}  // namespace intervox::host
