/** @file Random poses and solids with fixed seeds, and builders of CSG trees. */
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "geometry/make_surface.h"
#include "geometry/primitives/pieces.h"
#include "geometry/shape.h"
#include "geometry/surface_eval.h"

namespace intervox::geometry {

/** Uniform numbers from a fixed seed. */
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double lo, double hi) {
    return lo + (hi - lo) * std::uniform_real_distribution<double>(0, 1)(engine_);
  }
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vec3 InBox(double half) {
    const double x = Uniform(-half, half), y = Uniform(-half, half), z = Uniform(-half, half);
    return {x, y, z};
  }
  Vec3 Direction() {
    for (;;) {
      const Vec3 v = InBox(1);
      const double n = SquaredNorm(v);
      if (n > 0.01 && n < 1) return Normalized(v);
    }
  }
  Mat3 Rotation() {
    const Vec3 a = Direction();
    const double w = Uniform(-1, 1);
    return ToRotation(Normalized(Quaternion{w, a.x, a.y, a.z}));
  }
  Pose RandomPose(double reach) {
    const Mat3 R = Rotation();
    return {R, InBox(reach)};
  }

 private:
  std::mt19937 engine_;
};

/** A leaf. */
inline ShapePtr Leaf(Primitive primitive, Pose X = {}, std::string name = "", double scale = 1.0) {
  auto shape = std::make_shared<Shape>();
  shape->primitive = std::move(primitive);
  shape->X = X;
  shape->name = std::move(name);
  shape->scale = scale;
  return shape;
}

/** An inner node. */
inline ShapePtr Tree(Operation operation, std::vector<ShapePtr> children, std::string name = "",
                     Pose X = {}, double scale = 1.0) {
  auto shape = std::make_shared<Shape>();
  shape->operation = operation;
  shape->children = std::move(children);
  shape->name = std::move(name);
  shape->X = X;
  shape->scale = scale;
  return shape;
}

/** A pose without rotation. */
inline Pose At(double x, double y, double z) { return {Mat3::Identity(), {x, y, z}}; }

/** Whether a point is in a thread of four sides with radii 0.6 and 0.4, pitch 0.5, length 1, crest
 0.1 and flanks of 60°. Over each side the ridge lies between the larger and the smaller of the
 heights that the two ways to triangulate a flank give. */
inline bool InThread(const Vec3& p) {
  if (Abs(p).z > 0.5) return false;
  // Turned so that its side lies between the angles 0 and 90°: u along x, v along y.
  double u = p.x, v = p.y;
  int side = 0;
  for (; !(u >= 0 && v >= 0) && side < 4; ++side) {
    const double t = u;
    u = v;
    v = -t;
  }
  const double r = u + v;
  if (r <= 0.4) return true;
  if (r > 0.6) return false;
  const double root = 0.05 + 0.2 * std::sqrt(1.0 / 3), crest = 0.05;
  // Heights at (0.4, 0), (0, 0.4), (0, 0.6), (0.6, 0) over the middle of the ridge.
  const auto plane = [&](double x1, double y1, double h1, double x2, double y2, double h2,
                         double x3, double y3, double h3) {
    const double d = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1);
    const double b = ((u - x1) * (y3 - y1) - (x3 - x1) * (v - y1)) / d;
    const double c = ((x2 - x1) * (v - y1) - (u - x1) * (y2 - y1)) / d;
    return std::pair{h1 + b * (h2 - h1) + c * (h3 - h1), std::min({b, c, 1 - b - c})};
  };
  const auto folded = [&](double a, double b, double c, double d, bool first) {
    const auto one =
        first ? plane(0.4, 0, a, 0, 0.4, b, 0, 0.6, c) : plane(0.4, 0, a, 0, 0.4, b, 0.6, 0, d);
    const auto two =
        first ? plane(0.4, 0, a, 0, 0.6, c, 0.6, 0, d) : plane(0, 0.4, b, 0, 0.6, c, 0.6, 0, d);
    return one.second >= two.second ? one.first : two.first;
  };
  for (int turn = -3; turn <= 3; ++turn) {
    const double z = 0.5 * turn + 0.125 * side, next = z + 0.125;
    const auto height = [&](double up, bool first) {
      return folded(z + up * root, next + up * root, next + up * crest, z + up * crest, first);
    };
    if (p.z <= std::max(height(1, true), height(1, false)) &&
        p.z >= std::min(height(-1, true), height(-1, false))) {
      return true;
    }
  }
  return false;
}

/** A solid of one kind, of size about 1, with its membership written out by hand. */
struct Example {
  Primitive primitive;
  bool (*contains)(const Vec3& p);
};

/** At least one example of each primitive; the completeness test checks that. */
inline std::vector<Example> Examples() {
  return {
      {HalfSpace{{0, 3, 4}, 2.5}, [](const Vec3& p) { return 0.6 * p.y + 0.8 * p.z <= 0.5; }},
      {Box{{1, 1.5, 0.8}},
       [](const Vec3& p) {
         const Vec3 a = Abs(p);
         return a.x <= 0.5 && a.y <= 0.75 && a.z <= 0.4;
       }},
      {Sphere{0.7}, [](const Vec3& p) { return SquaredNorm(p) <= 0.49; }},
      {Ellipsoid{{0.4, 0.9, 0.6}},
       [](const Vec3& p) {
         return SquaredNorm({p.x / 0.4, p.y / 0.9, p.z / 0.6}) <= 1;
       }},
      {Cylinder{0.5, 1.2},
       [](const Vec3& p) { return p.x * p.x + p.y * p.y <= 0.25 && Abs(p).z <= 0.6; }},
      {Cone{0.7, 0.2, 1.0},
       [](const Vec3& p) {
         const double r = 0.7 - 0.5 * (p.z + 0.5);
         return Abs(p).z <= 0.5 && p.x * p.x + p.y * p.y <= r * r;
       }},
      {Cone{0.0, 0.6, 1.0},
       [](const Vec3& p) {
         const double r = 0.6 * (p.z + 0.5);
         return Abs(p).z <= 0.5 && p.x * p.x + p.y * p.y <= r * r;
       }},
      {Cone{0.5, 0.5, 1.0},
       [](const Vec3& p) { return p.x * p.x + p.y * p.y <= 0.25 && Abs(p).z <= 0.5; }},
      {Capsule{0.4, 0.8},
       [](const Vec3& p) {
         const double z = Abs(p).z > 0.4 ? Abs(p).z - 0.4 : 0;
         return p.x * p.x + p.y * p.y + z * z <= 0.16;
       }},
      {Torus{0.6, 0.25},
       [](const Vec3& p) {
         const double a = std::sqrt(p.x * p.x + p.y * p.y) - 0.6;
         return a * a + p.z * p.z <= 0.0625;
       }},
      {Quadric{{1, 2, -1, 0.3, 0, 0.1, 0, 0.2, 0, -0.2}},
       [](const Vec3& p) {
         return p.x * p.x + 2 * p.y * p.y - p.z * p.z + 0.3 * p.x * p.y + 0.1 * p.y * p.z +
                    0.2 * p.y - 0.2 <=
                0;
       }},
      {Quadric{{1, 1, 0, 0, 0, 0, 0, 0, -1, 0}},
       [](const Vec3& p) { return p.x * p.x + p.y * p.y <= p.z; }},
      {Quadric{{1, 1, -0.5, 0, 0, 0, 0, 0, 0, 0}},
       [](const Vec3& p) { return p.x * p.x + p.y * p.y <= 0.5 * p.z * p.z; }},
      {Quadric{{-1, -1, 0, 0, 0, 0, 0, 0, 0, 0.25}},
       [](const Vec3& p) { return p.x * p.x + p.y * p.y >= 0.25; }},
      {Quadric{{-1, 0, 0, 0, 0, 0, 0, 0, 0, 0.09}}, [](const Vec3& p) { return Abs(p).x >= 0.3; }},
      {Convex{{{0, 0, 0.7}, {0.5, 0, -0.3}, {-0.5, 0.5, -0.3}, {-0.5, -0.5, -0.3}, {0, 0, 0}}},
       [](const Vec3& p) {
         return p.z >= -0.3 && p.x >= -0.5 * (0.7 - p.z) &&
                Abs(p).y <= 0.5 * (0.5 * (0.7 - p.z) - p.x);
       }},
      {HalfSpaces{{{{1, 0, 0}, 0.5}, {{0, 2, 0}, 0.8}, {{-1, -1, 0}, 0.2}, {{1, 0, 0}, 0.9}}},
       [](const Vec3& p) { return p.x <= 0.5 && p.y <= 0.4 && p.x + p.y >= -0.2; }},
      {Prism{6, 0.6, 1.0},
       [](const Vec3& p) {
         const Vec3 a = Abs(p);
         const double root = std::sqrt(3.0);
         return a.z <= 0.5 && a.y <= 0.3 * root && root * a.x + a.y <= 0.6 * root;
       }},
      {Wedge{{1, 0.8, 0.6}, 0.3},
       [](const Vec3& p) {
         return p.x >= -0.5 && p.x <= 0.5 - 0.7 * (p.z + 0.3) / 0.6 && Abs(p).y <= 0.4 &&
                Abs(p).z <= 0.3;
       }},
      {RoundedBox{{1, 0.9, 0.7}, 0.2},
       [](const Vec3& p) {
         return SquaredNorm(Max(Abs(p) - Vec3{0.3, 0.25, 0.15}, Vec3{})) <= 0.04;
       }},
      {Fillet{1.2, 1.2},
       [](const Vec3& p) {
         const double x = 1.2 - p.x, y = 1.2 - p.y;
         return p.x >= 0 && p.y >= 0 && x >= 0 && y >= 0 && x * x + y * y >= 1.44 &&
                Abs(p).z <= 0.6;
       }},
      {Extrude{{{-0.6, -0.4, 0},
                {0.6, -0.4, 1},
                {0.6, 0.4, 0},
                {-0.6, 0.4, 0},
                {-0.6, 0.3, -1},
                {-0.6, -0.3, 0}},
               0.8},
       [](const Vec3& p) {
         const bool block = Abs(p).x <= 0.6 && Abs(p).y <= 0.4;
         const bool nose = std::hypot(p.x - 0.6, p.y) <= 0.4;
         return Abs(p).z <= 0.4 && (block || nose) && std::hypot(p.x + 0.6, p.y) >= 0.3;
       }},
      {Revolve{{{0.2, -0.5, 0},
                {0.7, -0.5, 0},
                {0.7, -0.2, -1},
                {0.7, 0.2, 0},
                {0.5, 0.5, 0},
                {0.2, 0.5, 0}}},
       [](const Vec3& p) {
         const double r = std::hypot(p.x, p.y);
         return Abs(p).z <= 0.5 && r >= 0.2 && r <= 0.7 && r <= 0.7 - (p.z - 0.2) / 1.5 &&
                std::hypot(r - 0.7, p.z) >= 0.2;
       }},
      {Revolve{{{0, -0.5, 1}, {0, 0.5, 0}}}, [](const Vec3& p) { return Norm(p) <= 0.5; }},
      {Thread{0.6, 0.4, 0.5, 1.0, 0.1, 60, 4}, InThread},
  };
}

/** Single surfaces of the examples, posed at random and kept on a random side. */
inline std::vector<Surface> RandomSurfaces(Random* random, const std::vector<Example>& examples,
                                           int count) {
  std::vector<Surface> surfaces;
  for (int k = 0; k < count; ++k) {
    const int pick = random->Below(static_cast<int>(examples.size()));
    const Pieces pieces = ToPieces(examples[static_cast<std::size_t>(pick)].primitive, "");
    const SurfaceList& list = pieces.front();
    const int one = random->Below(static_cast<int>(list.size()));
    surfaces.push_back(random->RandomPose(0.5) * list[static_cast<std::size_t>(one)]);
    if (random->Below(2)) surfaces.back() = Complement(surfaces.back());
  }
  return surfaces;
}

/** The greatest level of the surfaces at p: below 0 inside of all of them. */
inline double GreatestLevel(const std::vector<Surface>& surfaces, const Vec3& p) {
  double level = -1e9;
  for (const Surface& S : surfaces) level = std::max(level, Level(S, p));
  return level;
}

}  // namespace intervox::geometry
