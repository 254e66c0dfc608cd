/** @file Pairs in the local frame for the flux rule's tests, and a slow independent volume. */
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "cuda/rules/flux/rule.h"
#include "geometry/make_surface.h"

namespace intervox::cuda {

/** A pair under construction: A's faces have the weight −½, B's +½. */
struct FluxPair {
  LocalPair pair;

  explicit FluxPair(double half, double tolerance = 1e-9) {
    pair.lower = {-half, -half, -half};
    pair.upper = {half, half, half};
    pair.tolerance = tolerance;
  }
  /** Adds a surface of body 0 or 1, planes before curved surfaces. */
  FluxPair& Add(const geometry::Surface& s, int body, double weight_scale = 1.0) {
    LocalSurface& local = pair.surface[pair.count++];
    local.surface = s;
    local.body = static_cast<std::int8_t>(body);
    local.weight = weight_scale * (body == 1 ? 0.5 : -0.5);
    if (s.kind == geometry::SurfaceKind::kPlane) pair.planes = pair.count;
    return *this;
  }
  /** The six faces of a box about X, half extents h. */
  FluxPair& AddBox(const Pose& X, const Vec3& h, int body) {
    for (int i = 0; i < 3; ++i) {
      for (double sign : {1.0, -1.0}) {
        const Vec3 n = sign * X.R.Col(i);
        Add(geometry::MakePlane(n, X.p + h[i] * n), body);
      }
    }
    return *this;
  }
  /** The same with every surface moved by X, in a box that has room for it. */
  FluxPair Moved(const Pose& X, int body = -1) const {
    FluxPair out = *this;
    if (body < 0) {
      out.pair.lower = 1.8 * pair.lower - Abs(X.p);
      out.pair.upper = 1.8 * pair.upper + Abs(X.p);
    }
    for (int i = 0; i < pair.count; ++i) {
      LocalSurface& s = out.pair.surface[i];
      if (body < 0 || s.body == body) s.surface = X * s.surface;
    }
    return out;
  }
  /** The same cut by a plane, whose face does not count. */
  FluxPair Cut(const Vec3& n, double offset) const {
    FluxPair out(1.0, pair.tolerance);
    out.pair.lower = pair.lower;
    out.pair.upper = pair.upper;
    out.Add(geometry::MakePlane(n, offset), 0, 0.0);
    for (int i = 0; i < pair.count; ++i) out.Copy(pair.surface[i]);
    return out;
  }
  /** Adds a surface as it is. */
  void Copy(const LocalSurface& s) {
    pair.surface[pair.count++] = s;
    if (s.surface.kind == geometry::SurfaceKind::kPlane) pair.planes = pair.count;
  }
  RuleResult Run(Moments* moments) const {
    internal::Place<LocalPair> term;
    return FluxRule(pair, &term.value, moments);
  }
};

/** A frame at p whose z axis is n. */
inline Pose Along(const Vec3& n, const Vec3& p) { return {geometry::FrameAlong(Normalized(n)), p}; }

/** S's other side. */
inline geometry::Surface Outside(geometry::Surface s) {
  s.side = static_cast<std::int8_t>(-s.side);
  return s;
}

/** Random poses and directions from a fixed seed. */
struct FluxRandom {
  std::mt19937_64 engine;
  explicit FluxRandom(unsigned seed) : engine(seed) {}
  double Uniform(double lo, double hi) {
    return lo + (hi - lo) * std::generate_canonical<double, 53>(engine);
  }
  Vec3 Direction() {
    while (true) {
      const Vec3 v{Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1)};
      if (Norm(v) < 1 && Norm(v) > 0.1) return Normalized(v);
    }
  }
  Mat3 Rotation() {
    return ToRotation(
        Normalized(Quaternion{Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1)}));
  }
};

/** The kept length of a vertical line through a pair: an independent evaluation, from the level
 functions of surface.h alone. */
inline double ColumnLength(const LocalPair& pair, double x, double y) {
  std::vector<double> cuts{pair.lower.z, pair.upper.z};
  const auto value = [&](const geometry::Surface& s, double z) {
    const Vec3 u = TransposeTimes(s.R, Vec3{x, y, z} - s.o);
    if (s.kind == geometry::SurfaceKind::kPlane) return u.z;
    const double f = Dot(Scaled(s.e, u), u) + s.c;
    if (s.kind == geometry::SurfaceKind::kCone && u.z < 0) return std::abs(f);
    return f;
  };
  for (int i = 0; i < pair.count; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    const Vec3 u = TransposeTimes(s.R, Vec3{x, y, 0} - s.o), v = TransposeTimes(s.R, Vec3{0, 0, 1});
    if (s.kind == geometry::SurfaceKind::kPlane) {
      if (v.z != 0) cuts.push_back(-u.z / v.z);
      continue;
    }
    const double a = Dot(Scaled(s.e, v), v), b = Dot(Scaled(s.e, u), v);
    const double c = Dot(Scaled(s.e, u), u) + s.c;
    if (a == 0) {
      if (b != 0) cuts.push_back(-0.5 * c / b);
    } else if (b * b - a * c > 0) {
      cuts.push_back((-b - std::sqrt(b * b - a * c)) / a);
      cuts.push_back((-b + std::sqrt(b * b - a * c)) / a);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  double length = 0;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    const double lo = std::max(cuts[k], pair.lower.z), hi = std::min(cuts[k + 1], pair.upper.z);
    if (hi <= lo) continue;
    bool inside = true;
    for (int i = 0; i < pair.count && inside; ++i) {
      const geometry::Surface& s = pair.surface[i].surface;
      inside = s.side * value(s, 0.5 * (lo + hi)) <= 0;
    }
    if (inside) length += hi - lo;
  }
  return length;
}

/** The volume by columns on an n × n midpoint grid over the pair's box; error about n^(−3/2). */
inline double VolumeByColumns(const LocalPair& pair, int n) {
  const double dx = (pair.upper.x - pair.lower.x) / n, dy = (pair.upper.y - pair.lower.y) / n;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      sum += ColumnLength(pair, pair.lower.x + (i + 0.5) * dx, pair.lower.y + (j + 0.5) * dy);
    }
  }
  return sum * dx * dy;
}

}  // namespace intervox::cuda
