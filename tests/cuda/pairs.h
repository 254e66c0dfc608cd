/** @file Cells, poses and independent volumes for the engine's tests. */
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "cuda/engine.h"
#include "geometry/convex_hull.h"
#include "geometry/make_surface.h"
#include "tests/geometry/boxes.h"

namespace intervox::testing {

using geometry::Cell;
using geometry::Surface;

/** A centred box. */
inline Cell BoxCell(const Vec3& size) {
  return geometry::MakeCell(geometry::BoxSurfaces(size), "box");
}

/** The half-space n·x ≤ offset. */
inline Cell HalfSpaceCell(const Vec3& n, double offset) {
  return geometry::MakeCell({geometry::MakePlane(Normalized(n), offset)}, "half-space");
}

/** The hull of points. */
inline Cell HullCell(std::span<const Vec3> points) {
  std::vector<Surface> planes;
  for (const geometry::PlaneCut& cut : geometry::ConvexHull(points)) {
    planes.push_back(geometry::MakePlane(cut.n, cut.d));
  }
  return geometry::MakeCell(planes, "hull");
}

/** Random numbers with a fixed seed. */
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  double LogUniform(double lower, double upper) {
    return std::exp(Uniform(std::log(lower), std::log(upper)));
  }
  double Normal() { return std::normal_distribution<double>()(engine_); }
  Vec3 Vector(double reach) {
    const double x = Uniform(-reach, reach), y = Uniform(-reach, reach);
    return {x, y, Uniform(-reach, reach)};
  }
  Vec3 Direction() {
    const double x = Normal(), y = Normal();
    return Normalized(Vec3{x, y, Normal()});
  }
  Mat3 Rotation() {
    const double w = Normal(), x = Normal(), y = Normal();
    return ToRotation(Normalized(Quaternion{w, x, y, Normal()}));
  }
  Pose RandomPose(double reach) {
    const Mat3 R = Rotation();
    return {R, Vector(reach)};
  }
  Cell Hull(int points, double radius) {
    std::vector<Vec3> p;
    for (int i = 0; i < points; ++i) p.push_back(radius * Direction());
    return HullCell(p);
  }

 private:
  std::mt19937_64 engine_;
};

/** Frobenius norm. */
inline double Frobenius(const Mat3& m) {
  return std::sqrt(SquaredNorm(m.row0) + SquaredNorm(m.row1) + SquaredNorm(m.row2));
}

/** R turned by the rotation vector v [rad]. */
inline Mat3 Turned(const Vec3& v, const Mat3& R) {
  const double angle = Norm(v);
  if (angle == 0) return R;
  const Vec3 axis = v / angle;
  const double s = std::sin(0.5 * angle);
  return ToRotation({std::cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z}) * R;
}

/** The pieces of a cell's complement: piece k is inside the surfaces before k and outside k. */
inline std::vector<Cell> ComplementPieces(const Cell& cell) {
  std::vector<Cell> pieces;
  for (std::size_t k = 0; k < cell.surfaces.size(); ++k) {
    std::vector<Surface> surfaces(cell.surfaces.begin(), cell.surfaces.begin() + k);
    surfaces.push_back(geometry::Complement(cell.surfaces[k]));
    pieces.push_back(geometry::MakeCell(surfaces, "piece"));
  }
  return pieces;
}

/** Volume of the intersection of two polytopes by another method: every triple of planes gives a
 corner, the corners of each plane are sorted by angle, long double throughout. O(n⁴). */
inline double EnumeratedVolume(const PairQuery& q) {
  using Real = long double;
  struct Plane {
    Real n[3], d;
  };
  std::vector<Plane> planes;
  const auto add = [&](const Cell& cell, const Pose& X) {
    for (const Surface& s : cell.surfaces) {
      const Vec3 n = s.side * s.PlaneNormal();
      Plane plane{};
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) plane.n[r] += static_cast<Real>(X.R(r, c)) * n[c];
      }
      for (int r = 0; r < 3; ++r) {
        plane.d += static_cast<Real>(n[r]) * s.o[r] +
                   plane.n[r] * (static_cast<Real>(X.p[r]) - static_cast<Real>(q.X_WA.p[r]));
      }
      planes.push_back(plane);
    }
  };
  add(*q.a, q.X_WA);
  add(*q.b, q.X_WB);
  const auto det = [](const Real* a, const Real* b, const Real* c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  };
  struct Corner {
    Real p[3], angle;
  };
  Real volume = 0;
  const int count = static_cast<int>(planes.size());
  Real origin[3] = {};
  bool have_origin = false;
  for (int i = 0; i < count; ++i) {
    std::vector<Corner> corners;
    for (int j = 0; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        if (j == i || k == i) continue;
        const Plane &a = planes[i], &b = planes[j], &c = planes[k];
        const Real D = det(a.n, b.n, c.n);
        if (std::fabs(D) < 1e-12L) continue;
        Corner corner{};
        for (int r = 0; r < 3; ++r) {
          const int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
          const auto cross = [&](const Plane& u, const Plane& v) {
            return u.n[r1] * v.n[r2] - u.n[r2] * v.n[r1];
          };
          corner.p[r] = (a.d * cross(b, c) + b.d * cross(c, a) + c.d * cross(a, b)) / D;
        }
        bool inside = true;
        for (int m = 0; m < count && inside; ++m) {
          if (m == i || m == j || m == k) continue;
          Real d = -planes[m].d;
          for (int r = 0; r < 3; ++r) d += planes[m].n[r] * corner.p[r];
          inside = d <= 1e-17L;
        }
        if (inside) corners.push_back(corner);
      }
    }
    if (corners.size() < 3) continue;
    if (!have_origin) {
      std::copy(corners[0].p, corners[0].p + 3, origin);
      have_origin = true;
    }
    Real centre[3] = {}, u[3], v[3];
    for (const Corner& c : corners) {
      for (int r = 0; r < 3; ++r) centre[r] += c.p[r] / static_cast<Real>(corners.size());
    }
    const Plane& plane = planes[i];
    const Vec3 e = AnyOrthogonal({static_cast<double>(plane.n[0]), static_cast<double>(plane.n[1]),
                                  static_cast<double>(plane.n[2])});
    Real along = 0, norm = 0;
    for (int r = 0; r < 3; ++r) along += plane.n[r] * e[r];
    for (int r = 0; r < 3; ++r) u[r] = e[r] - along * plane.n[r];
    for (int r = 0; r < 3; ++r) norm += u[r] * u[r];
    for (Real& c : u) c /= std::sqrt(norm);
    for (int r = 0; r < 3; ++r) {
      const int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
      v[r] = plane.n[r1] * u[r2] - plane.n[r2] * u[r1];
    }
    for (Corner& c : corners) {
      Real a = 0, b = 0;
      for (int r = 0; r < 3; ++r) {
        a += u[r] * (c.p[r] - centre[r]);
        b += v[r] * (c.p[r] - centre[r]);
      }
      c.angle = std::atan2(b, a);
    }
    std::sort(corners.begin(), corners.end(),
              [](const Corner& a, const Corner& b) { return a.angle < b.angle; });
    for (std::size_t k = 0; k < corners.size(); ++k) {
      Real a[3], b[3], c[3];
      for (int r = 0; r < 3; ++r) {
        a[r] = centre[r] - origin[r];
        b[r] = corners[k].p[r] - origin[r];
        c[r] = corners[(k + 1) % corners.size()].p[r] - origin[r];
      }
      volume += det(a, b, c) / 6;
    }
  }
  return static_cast<double>(volume);
}

}  // namespace intervox::testing
