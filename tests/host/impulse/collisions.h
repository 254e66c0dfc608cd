/** @file Collisions at random, for the tests of impulse laws. */
#pragma once

#include <cmath>
#include <random>

#include "geometry/linear.h"
#include "host/impulse/laws.h"

namespace intervox::host::testing {

/** Two bodies that meet at a point with a normal. */
struct RandomCollision {
  CollidingBody i, j;
  Vec3 point, normal;
  ImpulseParameters surfaces;

  /** The contact as laws take it. */
  CollisionPoint At() const { return CollisionAt(i, j, point, normal); }
};

/** Draws collisions whose masses, sizes, speeds and μ span four decades each. */
class CollisionSource {
 public:
  explicit CollisionSource(unsigned seed) : random_(seed) {}

  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /** Between a hundredth and a hundred times a value, even in its logarithm. */
  double Around(double value) { return value * std::pow(100.0, Uniform(-1.0, 1.0)); }
  Vec3 Vector(double size) {
    return {Uniform(-size, size), Uniform(-size, size), Uniform(-size, size)};
  }
  /** An orthogonal matrix of determinant 1. */
  Mat3 Rotation() {
    const Vec3 x = Normalized(Vector(1.0)), y = AnyOrthogonal(x), z = Cross(x, y);
    const double angle = Uniform(-3.0, 3.0);
    const Vec3 u = std::cos(angle) * y + std::sin(angle) * z;
    return Transpose(Mat3{x, u, Cross(x, u)});
  }
  CollidingBody Body(double size, double speed) {
    CollidingBody body;
    body.mass = Around(1.0);
    // The inertia of a box of any shape.
    const Vec3 sides{Uniform(0.05, 1.0) * size, Uniform(0.05, 1.0) * size,
                     Uniform(0.05, 1.0) * size};
    const Vec3 q = Scaled(sides, sides);
    const Mat3 R = Rotation();
    const Mat3 J{{q.y + q.z, 0, 0}, {0, q.z + q.x, 0}, {0, 0, q.x + q.y}};
    body.inertia = (body.mass / 12.0) * (R * J * Transpose(R));
    body.p = Vector(size);
    body.v = Vector(speed);
    body.w = Vector(speed / size);
    return body;
  }
  /** Two bodies that approach, one of them held fast at times. */
  RandomCollision Next() {
    RandomCollision c;
    const double size = Around(0.5), speed = Around(1.0);
    do {
      c.i = Body(size, speed);
      c.j = Uniform(0, 1) < 0.3 ? CollidingBody{} : Body(size, speed);
      c.point = Vector(0.5 * size);
      c.normal = Normalized(Vector(1.0));
      if (Dot(c.normal, c.At().velocity) > 0.0) c.normal = -c.normal;
    } while (Dot(c.normal, c.At().velocity) == 0.0);
    c.surfaces.friction = Uniform(0, 1) < 0.1 ? 0.0 : Around(0.5);
    const double pick = Uniform(0, 1);
    c.surfaces.restitution = pick < 0.1 ? 0.0 : pick < 0.2 ? 1.0 : Uniform(0.0, 1.0);
    c.surfaces.tangential_restitution = Uniform(-1.0, 1.0);
    return c;
  }

 private:
  std::mt19937 random_;
};

/** A contact of a planar collision, given by its matrix: slip along x, y uncoupled, z normal. */
inline CollisionPoint Planar(double a, double b, double c, double slip, double v) {
  CollisionPoint contact;
  contact.inverse_inertia = {{a, 0, b}, {0, 1, 0}, {b, 0, c}};
  contact.velocity = {slip, 0, v};
  return contact;
}

}  // namespace intervox::host::testing
