/** @file A plane through Ω: lines and conics in it, and the columns between them. */
#pragma once

#include "cuda/local_pair.h"
#include "cuda/numerics/place.h"
#include "cuda/numerics/roots.h"
#include "geometry/surface_eval.h"
#include "geometry/surface_ray.h"

namespace intervox::cuda::internal::column {

/** Most curved surfaces of a pair, and edges of a section's polygon. */
inline constexpr int kColumnCurves = 12;
inline constexpr int kColumnEdges = 32;

/** A surface in the plane of a section: f = uu u² + 2 uv uv + vv v² + 2 u u + 2 v v + c. */
struct SectionCurve {
  double uu = 0, uv = 0, vv = 0, u = 0, v = 0, c = 0;
  double slack = 0;               ///< levels up to this count as zero where panels end
  double z0 = 0, zu = 0, zv = 0;  ///< cone: height over the apex
  int side = 1;                   ///< the region has side · f ≤ 0
  int id = 0;                     ///< its place in the pair
  bool cone = false;
  bool ring = false;  ///< a torus, which only columns know

  INTERVOX_HD double Value(double x, double y) const {
    return (uu * x + 2 * (uv * y + u)) * x + (vv * y + 2 * v) * y + c;
  }
  /** Whether (x, y) lies on the kept side, or close to it. */
  INTERVOX_HD bool Admits(double x, double y) const {
    if (ring) return true;
    const bool nappe = !cone || z0 + zu * x + zv * y > 0;
    const double f = Value(x, y);
    return side > 0 ? nappe && f <= slack : !nappe || f >= -slack;
  }
};

/** A line in the plane of a section, kept side u·x + v·y ≤ d. */
struct SectionLine {
  double u = 0, v = 0, d = 0;
  int id = -1;  ///< its place in the pair; −1: the box
};

/** Part of a column inside Ω, and the surfaces that end it. */
struct ColumnPart {
  double lo, hi;
  int below, above;
};

/** Most parts of a column. */
inline constexpr int kColumnParts = 6;

/** The parts of a column, ascending. */
struct ColumnParts {
  ColumnPart part[kColumnParts];
  int count = 0;
  bool full = false;  ///< there were more
};

/** The plane x = P + u U + v V of L, the surfaces in it, and dV = (j0 + j1 u) du dv dt. */
struct PlaneSection {
  Vec3 P, U, V;
  double j0 = 1, j1 = 0;
  double u_lo = 0, u_hi = 0, v_lo = 0, v_hi = 0;
  SectionCurve curve[kColumnCurves];
  int curves = 0;
  SectionLine line[kColumnEdges];
  int lines = 0;
  const double* weight = nullptr;  ///< in S and G, by id: of those that ends of columns stand for
  std::uint64_t walls = 0;         ///< curves along the columns, which count as faces: bit id
  bool rings = false;
  double radius = 0;  ///< of the circle about (0, 0), with rings
  bool full = false;
};

/** Whether (u, v) is in the region up to curves i and j and the lines, which may pass through it.
 */
INTERVOX_HD inline bool AdmitsAll(const PlaneSection& section, double u, double v, int i, int j) {
  for (int k = 0; k < section.curves; ++k) {
    if (k != i && k != j && !section.curve[k].Admits(u, v)) return false;
  }
  return true;
}

INTERVOX_HD inline bool InPolygon(const PlaneSection& section, double u, double v) {
  const double slack = 1e-9 * (section.v_hi - section.v_lo + section.u_hi - section.u_lo);
  if (v < section.v_lo - slack || v > section.v_hi + slack) return false;
  for (int k = 0; k < section.lines; ++k) {
    const SectionLine& s = section.line[k];
    if (s.u * u + s.v * v > s.d + slack) return false;
  }
  return true;
}

/** Half of what f changes by along a column so high; over half of its slope along u it is how far
 the curve leans. */
INTERVOX_HD inline double LeanOf(const SectionCurve& s, double u, double tall) {
  const double along = s.uv * u + s.v;
  return (std::fabs(along) + 0.5 * std::fabs(s.vv) * tall) * tall;
}

/** How far the section reaches along the columns from v = 0. */
INTERVOX_HD inline double HeightOf(const PlaneSection& section) {
  const double low = std::fabs(section.v_lo), high = std::fabs(section.v_hi);
  return low > high ? low : high;
}

/** Whether the curve is a pair of lines along the columns. */
INTERVOX_HD inline bool IsWall(const SectionCurve& s) {
  const double flat = std::fabs(s.uu) + std::fabs(s.vv) + std::fabs(s.uv);
  return !s.ring && std::fabs(s.vv) <= 1e-12 * flat && std::fabs(s.uv) <= 1e-9 * flat &&
         std::fabs(s.v) <= 1e-9 * (std::fabs(s.u) + flat);
}

/** Whether the curve counts as a wall's face: it leans so little over the section's height that the
 columns which end on it lie in a strip hardly wider than what its ends are known to. */
INTERVOX_HD inline bool HasWallsFace(const PlaneSection& section, const SectionCurve& s) {
  constexpr double kStrip =
      1e-8;  // of the width: ends are roots of a quartic, known to 1e-13 of it
  if (IsWall(s)) return true;
  const double flat = std::fabs(s.uu) + std::fabs(s.vv) + std::fabs(s.uv);
  if (s.ring || !(std::fabs(s.vv) <= 1e-12 * flat)) return false;
  const double strip = kStrip * (section.u_hi - section.u_lo), tall = HeightOf(section);
  const auto x = geometry::internal::QuadraticCrossings(s.uu, s.u, s.c);
  bool some = false;
  for (int k = 0; k < x.count; ++k) {
    const double u = x.t[k];
    if (u <= section.u_lo || u >= section.u_hi) continue;
    if (!(LeanOf(s, u, tall) <= strip * std::fabs(s.uu * u + s.u))) return false;
    some = true;
  }
  return some;
}

/** Crossings of the line p + t d, in the torus' own frame, with a torus: a quartic, sampled over
 the enclosing ball. */
INTERVOX_HD inline geometry::internal::Crossings TorusCrossings(const Vec3& p, const Vec3& d,
                                                                double major, double minor) {
  geometry::internal::Crossings r;
  const double dd = SquaredNorm(d), nearest = -Dot(p, d) / dd;
  const Vec3 c = p + nearest * d;
  const double reach = major + minor, cc = SquaredNorm(c);
  const double room = 1.01 * reach * reach - cc;
  if (!(room > 0)) return r;
  const double half = std::sqrt(room / dd);
  const double k = cc + (major - minor) * (major + minor), m = 4 * major * major;
  double sample[5], roots[8];
  for (int i = 0; i < 5; ++i) {
    const double t = half * (0.5 * i - 1);
    const double x = c.x + t * d.x, y = c.y + t * d.y, w = k + dd * t * t;
    sample[i] = w * w - m * (x * x + y * y);
  }
  const int count = QuarticRoots(sample, 0, roots);
  r.count = count < 4 ? count : 4;
  for (int i = 0; i < r.count; ++i) r.t[i] = nearest + half * (2 * roots[i] - 1);
  return r;
}

/** Crossings of the column at u with a curve, as in geometry/surface_ray.h. */
INTERVOX_HD inline geometry::internal::Crossings CrossingsAt(const PlaneSection& section,
                                                             const SectionCurve& s,
                                                             const LocalPair& pair, double u) {
  using geometry::internal::Crossings;
  if (s.ring) {
    const geometry::Surface& torus = pair.surface[s.id].surface;
    const Vec3 p = TransposeTimes(torus.R, section.P + u * section.U - torus.o);
    return TorusCrossings(p, TransposeTimes(torus.R, section.V), torus.e.x, torus.e.y);
  }
  const double a = s.vv, b = s.uv * u + s.v, c = (s.uu * u + 2 * s.u) * u + s.c;
  if (!s.cone) return geometry::internal::QuadraticCrossings(a, b, c);
  const Crossings all = geometry::internal::QuadraticCrossings(a, b, c);
  Crossings r;
  const double z = s.z0 + s.zu * u;
  if (a > 0) {
    return all.count == 2 && z + 0.5 * (all.t[0] + all.t[1]) * s.zv > 0 ? all : r;
  }
  r.inside_first = s.zv < 0;
  if (a < 0) {
    r.t[0] = all.count == 2 ? all.t[s.zv > 0 ? 1 : 0] : -z / s.zv;
    r.count = 1;
    return r;
  }
  return all.count == 1 && all.inside_first == r.inside_first ? all : Crossings{};
}

/** (K1): the parts of the column at u that lie in Ω. */
__attribute__((noinline)) INTERVOX_HD inline void PartsAt(const PlaneSection& section,
                                                          const LocalPair& pair, double u,
                                                          ColumnParts* out) {
  out->count = 0;
  out->full = false;
  // The rectangle ends where a line along u does: a little wider, it never takes that line's place.
  const double wide = 1e-12 * (section.v_hi - section.v_lo) +
                      1e-15 * (std::fabs(section.v_lo) + std::fabs(section.v_hi));
  ColumnPart whole{section.v_lo - wide, section.v_hi + wide, -1, -1};
  for (int i = 0; i < section.lines; ++i) {
    const SectionLine& s = section.line[i];
    const double rest = s.d - s.u * u;
    if (s.v > 0) {
      if (rest < whole.hi * s.v) {
        whole.hi = rest / s.v;
        whole.above = s.id;
      }
    } else if (s.v < 0) {
      if (rest < whole.lo * s.v) {
        whole.lo = rest / s.v;
        whole.below = s.id;
      }
    } else if (rest < 0) {
      return;
    }
  }
  if (!(whole.lo < whole.hi)) return;
  int count = 1;
  out->part[0] = whole;
  for (int i = 0; i < section.curves && count > 0; ++i) {
    const SectionCurve& s = section.curve[i];
    const geometry::internal::Crossings x = CrossingsAt(section, s, pair, u);
    // What becomes of one part takes its place.
    ColumnPart some[kColumnParts];
    ColumnPart* const kept = count == 1 ? out->part : some;
    int n = 0;
    for (int k = 0; k < count; ++k) {
      bool inside = x.inside_first == (s.side > 0);
      ColumnPart part = out->part[k];
      for (int j = 0; j <= x.count; ++j) {
        const bool last = j == x.count;
        if (inside) {
          ColumnPart one = part;
          if (!last && x.t[j] < one.hi) {
            one.hi = x.t[j];
            one.above = s.id;
          }
          const bool any = one.lo < one.hi, room = n < kColumnParts;
          if (any && room) kept[n++] = one;
          out->full = out->full || (any && !room);
        }
        if (last) break;
        if (x.t[j] > part.lo) {
          part.lo = x.t[j];
          part.below = s.id;
        }
        inside = !inside;
      }
    }
    for (int k = 0; k < n && count > 1; ++k) out->part[k] = kept[k];
    count = n;
  }
  out->count = count;
}

/** A number for the surfaces that bound the column. */
INTERVOX_HD inline unsigned ShapeOf(const ColumnParts& parts) {
  unsigned shape = 7u * static_cast<unsigned>(parts.count);
  for (int k = 0; k < parts.count; ++k) {
    shape = shape * 131u + static_cast<unsigned>(parts.part[k].below + 2);
    shape = shape * 131u + static_cast<unsigned>(parts.part[k].above + 2);
  }
  return shape;
}

}  // namespace intervox::cuda::internal::column
