/** @file One section of the column rule: moments of the part of Ω in a plane, by columns. */
#pragma once

#include "cuda/clip/cells.h"
#include "cuda/flux/quadrature.h"
#include "cuda/flux/roots.h"
#include "cuda/moments.h"
#include "geometry/surface_ray.h"

namespace intervox::cuda::internal {

/** Most curved surfaces, edges of a section's polygon and ends of its panels. */
inline constexpr int kColumnCurves = 12;
inline constexpr int kColumnEdges = 32;
inline constexpr int kColumnBreaks = 64;

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

/** The plane x = P + u U + v V of L, the surfaces in it, and dV = (j0 + j1 u) du dv dt. */
struct PlaneSection {
  Vec3 P, U, V;
  double j0 = 1, j1 = 0;
  double u_lo = 0, u_hi = 0, v_lo = 0, v_hi = 0;
  SectionCurve curve[kColumnCurves];
  int curves = 0;
  SectionLine line[kColumnEdges];
  int lines = 0;
  const double* weight = nullptr;  ///< of curves in S and G, by id − planes; planes have none here
  int planes = 0;                  ///< of the pair
  bool rings = false;
  double radius = 0;  ///< of the circle about (0, 0), with rings
  bool full = false;
};

/** A value of a level and where it was taken. */
struct SectionPoint {
  double u, f;
};

/** Moments per dt of a section, and what they may be off by. */
struct SectionSums {
  Moments x;
  double error = 0;    ///< of x.v
  unsigned shape = 0;  ///< which surfaces bound which columns: equal while nothing happens
  int columns = 0;
  bool full = false;
};

inline constexpr int kColumnParts = 6;
/** Most halvings of a section's panel. */
inline constexpr int kSectionHalvings = 6;
/** tan(π/8): directions are reached from the middles of four quadrants. */
inline constexpr double kEighth = 0.41421356237309504880;

/** Crossings of the column at u with a torus: a quartic, sampled over the enclosing ball. */
INTERVOX_HD inline geometry::internal::Crossings RingCrossings(const PlaneSection& section,
                                                               const geometry::Surface& s,
                                                               double u) {
  geometry::internal::Crossings r;
  const Vec3 d = TransposeTimes(s.R, section.V);
  const Vec3 p = TransposeTimes(s.R, section.P + u * section.U - s.o);
  const double dd = SquaredNorm(d), nearest = -Dot(p, d) / dd;
  const Vec3 c = p + nearest * d;
  const double reach = s.e.x + s.e.y, cc = SquaredNorm(c);
  const double room = 1.01 * reach * reach - cc;
  if (!(room > 0)) return r;
  const double half = std::sqrt(room / dd);
  const double k = cc + (s.e.x - s.e.y) * (s.e.x + s.e.y), m = 4 * s.e.x * s.e.x;
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
  if (s.ring) return RingCrossings(section, pair.surface[s.id].surface, u);
  const double a = s.vv, b = s.uv * u + s.v, c = (s.uu * u + 2 * s.u) * u + s.c;
  const Crossings all = geometry::internal::QuadraticCrossings(a, b, c);
  if (!s.cone) return all;
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

/** The parts of the column at u that lie in Ω, ascending. */
__attribute__((noinline)) INTERVOX_HD inline int PartsAt(const PlaneSection& section,
                                                         const LocalPair& pair, double u,
                                                         ColumnPart* parts) {
  // The rectangle ends where a line along u does: a little wider, it never takes that line's place.
  const double wide = 1e-12 * (section.v_hi - section.v_lo);
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
      return 0;
    }
  }
  if (!(whole.lo < whole.hi)) return 0;
  int count = 1;
  parts[0] = whole;
  for (int i = 0; i < section.curves && count > 0; ++i) {
    const SectionCurve& s = section.curve[i];
    const geometry::internal::Crossings x = CrossingsAt(section, s, pair, u);
    ColumnPart kept[kColumnParts];
    int n = 0;
    for (int k = 0; k < count; ++k) {
      bool inside = x.inside_first == (s.side > 0);
      ColumnPart part = parts[k];
      for (int j = 0; j <= x.count; ++j) {
        const bool last = j == x.count;
        if (inside) {
          ColumnPart one = part;
          if (!last && x.t[j] < one.hi) {
            one.hi = x.t[j];
            one.above = s.id;
          }
          if (one.lo < one.hi && n < kColumnParts) kept[n++] = one;
        }
        if (last) break;
        if (x.t[j] > part.lo) {
          part.lo = x.t[j];
          part.below = s.id;
        }
        inside = !inside;
      }
    }
    count = n;
    for (int k = 0; k < n; ++k) parts[k] = kept[k];
  }
  return count;
}

/** A number for the surfaces that bound the column. */
INTERVOX_HD inline unsigned ShapeOf(const ColumnPart* parts, int count) {
  unsigned shape = 7u * static_cast<unsigned>(count);
  for (int k = 0; k < count; ++k) {
    shape = shape * 131u + static_cast<unsigned>(parts[k].below + 2);
    shape = shape * 131u + static_cast<unsigned>(parts[k].above + 2);
  }
  return shape;
}

/** A number for the meeting of two surfaces, or of one with itself: a fold. */
INTERVOX_HD inline short MeetingOf(int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  return static_cast<short>((low + 2) * 128 + high + 2);
}

/** The values of u at which panels end, and what happens there. */
struct SectionBreaks {
  double u[kColumnBreaks];
  short cause[kColumnBreaks];
  signed char depth[kColumnBreaks];  ///< halvings of the panel that follows
  int count = 0;
  bool full = false;

  /** Puts a break into the middle of panel i; false when there is no room. */
  INTERVOX_HD bool Halve(int i) {
    if (count == kColumnBreaks || depth[i] == kSectionHalvings) return false;
    for (int k = count; k > i + 1; --k) {
      u[k] = u[k - 1];
      cause[k] = cause[k - 1];
      depth[k] = depth[k - 1];
    }
    u[i + 1] = 0.5 * (u[i] + u[i + 2]);
    cause[i + 1] = 0;
    depth[i + 1] = ++depth[i];
    ++count;
    return true;
  }

  /** Makes one of breaks closer than `least`, whatever their order. */
  INTERVOX_HD void Merge(double least) {
    int n = 0;
    for (int k = 0; k < count; ++k) {
      if (n > 0 && u[k] - u[n - 1] <= least) {
        cause[n - 1] = static_cast<short>(cause[n - 1] + cause[k]);
        continue;
      }
      u[n] = u[k];
      cause[n++] = cause[k];
    }
    count = n;
  }

  /** Inserts x in order. */
  INTERVOX_HD void Add(double x, short why) {
    if (count == kColumnBreaks) {
      full = true;
      return;
    }
    int k = count++;
    for (; k > 0 && u[k - 1] > x; --k) {
      u[k] = u[k - 1];
      cause[k] = cause[k - 1];
    }
    u[k] = x;
    cause[k] = why;
    depth[count - 1] = 0;
  }
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

/** Adds u when the point may lie on the boundary of the region. */
INTERVOX_HD inline void Consider(const PlaneSection& section, double u, double v, int i, int j,
                                 SectionBreaks* breaks) {
  if (u <= section.u_lo || u >= section.u_hi) return;
  if (InPolygon(section, u, v) && AdmitsAll(section, u, v, i, j)) {
    breaks->Add(u, MeetingOf(section.curve[i].id, section.curve[j].id));
  }
}

/** Whether the curve is a pair of lines along the columns. */
INTERVOX_HD inline bool IsWall(const SectionCurve& s) {
  const double flat = std::fabs(s.uu) + std::fabs(s.vv) + std::fabs(s.uv);
  return !s.ring && std::fabs(s.vv) <= 1e-12 * flat && std::fabs(s.uv) <= 1e-9 * flat &&
         std::fabs(s.v) <= 1e-9 * (std::fabs(s.u) + flat);
}

/** Where a curve turns back. */
INTERVOX_HD inline void AddFolds(const PlaneSection& section, int i, SectionBreaks* breaks) {
  const SectionCurve& s = section.curve[i];
  const double flat = std::fabs(s.uu) + std::fabs(s.vv) + std::fabs(s.uv);
  if (std::fabs(s.vv) <= 1e-12 * flat) {
    // No folds but for lines along the columns.
    if (!IsWall(s)) return;
    const auto x = geometry::internal::QuadraticCrossings(s.uu, s.u, s.c);
    for (int k = 0; k < x.count; ++k) {
      if (x.t[k] > section.u_lo && x.t[k] < section.u_hi) {
        breaks->Add(x.t[k], MeetingOf(s.id, s.id));
      }
    }
    return;
  }
  const double bend = s.uv * s.uv - s.vv * s.uu;
  if (s.cone && bend != 0) {
    // Next to the apex a hyperbola is almost a corner at its centre.
    const double centre = (s.vv * s.u - s.uv * s.v) / bend;
    if (centre > section.u_lo && centre < section.u_hi) breaks->Add(centre, 0);
  }
  const auto x =
      geometry::internal::QuadraticCrossings(bend, s.uv * s.v - s.vv * s.u, s.v * s.v - s.vv * s.c);
  for (int k = 0; k < x.count; ++k) {
    Consider(section, x.t[k], -(s.uv * x.t[k] + s.v) / s.vv, i, i, breaks);
  }
}

/** Where two curves meet: roots of the resultant of their levels as quadratics in v. */
INTERVOX_HD inline void AddMeetings(const PlaneSection& section, int i, int j,
                                    SectionBreaks* breaks) {
  const SectionCurve &f = section.curve[i], &g = section.curve[j];
  const double width = section.u_hi - section.u_lo;
  double sample[5], largest = 0, tall = 0;
  for (int k = 0; k < 5; ++k) {
    const double u = section.u_lo + 0.25 * k * width;
    const double b1 = f.uv * u + f.v, c1 = (f.uu * u + 2 * f.u) * u + f.c;
    const double b2 = g.uv * u + g.v, c2 = (g.uu * u + 2 * g.u) * u + g.c;
    const double ac = f.vv * c2 - g.vv * c1, ab = f.vv * b2 - g.vv * b1, bc = b1 * c2 - b2 * c1;
    sample[k] = ac * ac - 4 * ab * bc;
    const double top = std::fabs(ab), way = std::fabs(ac);
    tall = way > tall ? way : tall;
    largest = top > largest ? top : largest;
  }
  const double height = section.v_hi - section.v_lo;
  double roots[8];
  const int count = QuarticRoots(sample, 1e-10, roots);
  for (int k = 0; k < count; ++k) {
    const double u = section.u_lo + width * roots[k];
    const double b1 = f.uv * u + f.v, c1 = (f.uu * u + 2 * f.u) * u + f.c;
    const double b2 = g.uv * u + g.v, c2 = (g.uu * u + 2 * g.u) * u + g.c;
    const double ac = f.vv * c2 - g.vv * c1, ab = f.vv * b2 - g.vv * b1;
    if (std::fabs(ab) * height > 1e-4 * (tall + largest * height)) {
      Consider(section, u, -0.5 * ac / ab, i, j, breaks);
    } else if (u > section.u_lo && u < section.u_hi) {
      breaks->Add(u, MeetingOf(f.id, g.id));
    }
  }
}

/** Where the curve crosses the edge from (u0, v0) to (u1, v1). */
INTERVOX_HD inline void AddEdge(const PlaneSection& section, int i, int line, double u0, double v0,
                                double u1, double v1, SectionBreaks* breaks) {
  const SectionCurve& s = section.curve[i];
  const double du = u1 - u0, dv = v1 - v0;
  const double a = (s.uu * du + 2 * s.uv * dv) * du + s.vv * dv * dv;
  const double b =
      (s.uu * du + s.uv * dv) * u0 + (s.uv * du + s.vv * dv) * v0 + s.u * du + s.v * dv;
  const auto x = geometry::internal::QuadraticCrossings(a, b, s.Value(u0, v0));
  for (int k = 0; k < x.count; ++k) {
    const double t = x.t[k];
    if (t <= 0 || t >= 1) continue;
    const double u = u0 + t * du;
    if (u > section.u_lo && u < section.u_hi && AdmitsAll(section, u, v0 + t * dv, i, i)) {
      breaks->Add(u, MeetingOf(s.id, line));
    }
  }
}

/** Cuts the section's rectangle by the planes and lists where panels end; false when it is empty.
 */
INTERVOX_HD inline bool ListBreaks(PlaneSection* section, const SectionLine* plane, int planes,
                                   SectionBreaks* breaks) {
  double u[kColumnEdges], v[kColumnEdges];
  int id[kColumnEdges];  // of the edge that starts at the corner: −1 the box, else an entry of
                         // plane
  int count = 4;
  u[0] = u[3] = section->u_lo;
  u[1] = u[2] = section->u_hi;
  v[0] = v[1] = section->v_lo;
  v[2] = v[3] = section->v_hi;
  for (int k = 0; k < 4; ++k) id[k] = -1;
  for (int p = 0; p < planes; ++p) {
    const SectionLine& s = plane[p];
    double above[kColumnEdges];
    bool any = false, all = true;
    for (int k = 0; k < count; ++k) {
      above[k] = s.u * u[k] + s.v * v[k] - s.d;
      any = any || above[k] > 0;
      all = all && above[k] > 0;
    }
    if (all) return false;
    if (!any) continue;
    double x[kColumnEdges + 2], y[kColumnEdges + 2];
    int from[kColumnEdges + 2], n = 0;
    for (int k = 0; k < count; ++k) {
      const int next = k + 1 == count ? 0 : k + 1;
      if (above[k] <= 0) {
        x[n] = u[k];
        y[n] = v[k];
        from[n++] = id[k];
      }
      if ((above[k] > 0) != (above[next] > 0)) {
        const double t = above[k] / (above[k] - above[next]);
        x[n] = u[k] + t * (u[next] - u[k]);
        y[n] = v[k] + t * (v[next] - v[k]);
        from[n++] = above[next] > 0 ? p : id[k];
      }
      if (n > kColumnEdges) {
        section->full = true;
        return false;
      }
    }
    count = n;
    for (int k = 0; k < n; ++k) {
      u[k] = x[k];
      v[k] = y[k];
      id[k] = from[k];
    }
    if (count == 0) return false;
  }
  section->lines = 0;
  double lo = u[0], hi = u[0], bottom = v[0], top = v[0];
  for (int k = 0; k < count; ++k) {
    lo = u[k] < lo ? u[k] : lo;
    hi = u[k] > hi ? u[k] : hi;
    bottom = v[k] < bottom ? v[k] : bottom;
    top = v[k] > top ? v[k] : top;
    if (id[k] >= 0) section->line[section->lines++] = plane[id[k]];
  }
  section->u_lo = lo;
  section->u_hi = hi;
  section->v_lo = bottom;
  section->v_hi = top;
  if (!(lo < hi)) return false;
  for (int k = 0; k < count; ++k) {
    const int next = k + 1 == count ? 0 : k + 1, past = id[k == 0 ? count - 1 : k - 1];
    const bool extreme = u[k] == lo || u[k] == hi;
    if (extreme || AdmitsAll(*section, u[k], v[k], -1, -1)) {
      breaks->Add(u[k],
                  MeetingOf(id[k] < 0 ? -1 : plane[id[k]].id, past < 0 ? -1 : plane[past].id));
    }
    if (id[k] < 0) continue;
    for (int i = 0; i < section->curves; ++i) {
      if (!section->curve[i].ring) {
        AddEdge(*section, i, plane[id[k]].id, u[k], v[k], u[next], v[next], breaks);
      }
    }
  }
  for (int i = 0; i < section->curves; ++i) {
    if (section->curve[i].ring) continue;
    AddFolds(*section, i, breaks);
    for (int j = i + 1; j < section->curves; ++j) {
      if (!section->curve[j].ring) AddMeetings(*section, i, j, breaks);
    }
  }
  return true;
}

/** Where another torus crosses the circle of the section's own, of radius r. */
INTERVOX_HD inline void AddRingMeetings(const PlaneSection& section, const geometry::Surface& ring,
                                        double r, double accuracy, SectionBreaks* breaks) {
  constexpr int kLooks = 32, kMost = 40;
  const auto level = [&](double h, int eighth) {
    // Half-angle tangents about the middles of the quadrants, as in the chart.
    const double w = 1 / (1 + h * h), x = r * (1 - h * h) * w, y = 2 * r * h * w;
    const double u = eighth == 0 ? x : eighth == 1 ? -y : eighth == 2 ? -x : y;
    const double v = eighth == 0 ? y : eighth == 1 ? x : eighth == 2 ? -y : -x;
    return SectionPoint{u, geometry::Value(ring, section.P + u * section.U + v * section.V)};
  };
  const double step = 8 * kEighth / kLooks;
  const auto cross = [&](int quadrant, double lo, double hi, double f_lo, double f_hi) {
    double u = level(0.5 * (lo + hi), quadrant).u;
    for (int i = 0; i < kMost && hi - lo > accuracy; ++i) {
      double h = lo - f_lo * (hi - lo) / (f_hi - f_lo);
      if (i % 3 == 2 || !(h > lo && h < hi)) h = 0.5 * (lo + hi);
      const SectionPoint at = level(h, quadrant);
      u = at.u;
      if ((at.f > 0) == (f_lo > 0)) {
        lo = h;
        f_lo = at.f;
      } else {
        hi = h;
        f_hi = at.f;
      }
      const double least = std::fabs(f_lo) < std::fabs(f_hi) ? std::fabs(f_lo) : std::fabs(f_hi);
      if (least < accuracy * r) break;
    }
    if (u > section.u_lo && u < section.u_hi) breaks->Add(u, MeetingOf(-2, -2));
  };
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    double h[3] = {0, 0, 0}, f[3] = {0, 0, 0};
    for (int k = -1; k <= kLooks / 4 + 1; ++k) {
      h[0] = h[1];
      f[0] = f[1];
      h[1] = h[2];
      f[1] = f[2];
      h[2] = -kEighth + k * step;
      f[2] = level(h[2], quadrant).f;
      // [h0, h1] lies in the quadrant from its second look on.
      if (k >= 1 && k <= kLooks / 4 && (f[1] > 0) != (f[2] > 0)) {
        cross(quadrant, h[1], h[2], f[1], f[2]);
      }
      if (k < 1) continue;
      const bool dips = std::fabs(f[1]) <= std::fabs(f[0]) && std::fabs(f[1]) <= std::fabs(f[2]);
      if (!dips || (f[0] > 0) != (f[1] > 0) || (f[2] > 0) != (f[1] > 0)) continue;
      // The extremum of the parabola through the three, twice.
      double a = h[0], m = h[1], b = h[2], fa = f[0], fm = f[1], fb = f[2];
      for (int i = 0; i < 4 && (fm > 0) == (f[1] > 0); ++i) {
        const double p = (m - a) * (fm - fb), q = (m - b) * (fm - fa);
        double x = m - 0.5 * ((m - a) * p - (m - b) * q) / (p - q);
        if (!(x > a && x < b) || std::fabs(x - m) < 1e-3 * (b - a)) {
          x = b - m > m - a ? m + 1e-2 * (b - a) : m - 1e-2 * (b - a);
        }
        const double fx = level(x, quadrant).f;
        if (std::fabs(fx) < std::fabs(fm) || (fx > 0) != (f[1] > 0)) {
          (x > m ? a : b) = m;
          (x > m ? fa : fb) = fm;
          m = x;
          fm = fx;
        } else {
          (x > m ? b : a) = x;
          (x > m ? fb : fa) = fx;
        }
      }
      if ((fm > 0) == (f[1] > 0)) continue;
      cross(quadrant, a, m, fa, fm);
      cross(quadrant, m, b, fm, fb);
    }
  }
}

/** Between the breaks of conics, those of tori: where the shape of the columns changes. */
INTERVOX_HD inline void AddRingBreaks(const PlaneSection& section, const LocalPair& pair,
                                      double goal, SectionBreaks* breaks) {
  constexpr int kHalvings = 30;
  // Without the circle nothing else is known of where the torus is.
  const int looks = section.radius == 0 ? 24 : 6;
  const SectionBreaks known = *breaks;
  ColumnPart parts[kColumnParts];
  for (int i = 0; i + 1 < known.count; ++i) {
    const double width = known.u[i + 1] - known.u[i];
    if (!(width > 1e-9 * (section.u_hi - section.u_lo))) continue;
    // What lies between the last halves errs by the power 3/2 of its share.
    double from = known.u[i] + 1e-3 * width;
    unsigned shape = ShapeOf(parts, PartsAt(section, pair, from, parts));
    for (int k = 1; k <= looks; ++k) {
      const double to = k == looks ? known.u[i + 1] - 1e-3 * width : known.u[i] + k * width / looks;
      const unsigned next = ShapeOf(parts, PartsAt(section, pair, to, parts));
      if (next != shape) {
        double lo = from, hi = to;
        for (int h = 0; h < kHalvings; ++h) {
          const double share = (hi - lo) / width;
          if (share * share * share < goal * goal) break;
          const double middle = 0.5 * (lo + hi);
          const bool same = ShapeOf(parts, PartsAt(section, pair, middle, parts)) == shape;
          (same ? lo : hi) = middle;
        }
        breaks->Add(0.5 * (lo + hi), MeetingOf(-2, -2));
      }
      from = to;
      shape = next;
    }
  }
}

/** Moments of the section about the coordinates' origin, in u and v. */
struct PlaneSums {
  double a = 0, u = 0, v = 0, uu = 0, uv = 0, vv = 0, lean = 0;

  INTERVOX_HD PlaneSums& operator+=(const PlaneSums& o) {
    a += o.a;
    u += o.u;
    v += o.v;
    uu += o.uu;
    uv += o.uv;
    vv += o.vv;
    lean += o.lean;
    return *this;
  }
};

/** Adds a column of weight w and, with `faces`, its ends. */
INTERVOX_HD inline void AddColumn(const PlaneSection& section, const LocalPair& pair, double u,
                                  const ColumnPart* parts, int count, double w, double lean,
                                  PlaneSums* sums, Moments* out) {
  const double j = section.j0 + section.j1 * u;
  for (int k = 0; k < count; ++k) {
    const ColumnPart& part = parts[k];
    const double length = part.hi - part.lo, middle = 0.5 * (part.hi + part.lo);
    const double a = w * j * length, av = a * middle;
    sums->lean += lean * j * length;
    sums->a += a;
    sums->u += a * u;
    sums->v += av;
    sums->uu += a * u * u;
    sums->uv += av * u;
    sums->vv += av * middle + a * length * length / 12;
    for (int end = 0; end < 2; ++end) {
      const int id = end == 0 ? part.below : part.above;
      if (id < section.planes || section.weight[id - section.planes] == 0) continue;
      const Vec3 x = section.P + u * section.U + (end == 0 ? part.lo : part.hi) * section.V;
      const Vec3 g = geometry::Gradient(pair.surface[id].surface, x);
      const double slope = Dot(g, section.V);
      if (slope == 0) continue;
      const Vec3 n = (end == 0 ? -w : w) * j * section.weight[id - section.planes] / slope * g;
      out->s += n;
      out->g += Cross(x, n);
    }
  }
}

/** Adds the faces along the columns, on which no column ends. */
INTERVOX_HD inline void AddWalls(const PlaneSection& section, const LocalPair& pair,
                                 Moments* faces) {
  ColumnPart parts[kColumnParts];
  for (int i = 0; i < section.curves; ++i) {
    const SectionCurve& s = section.curve[i];
    const double weight = section.weight[s.id - section.planes];
    if (weight == 0 || !IsWall(s)) continue;
    const auto x = geometry::internal::QuadraticCrossings(s.uu, s.u, s.c);
    for (int k = 0; k < x.count; ++k) {
      // The slope of side · f says on which side of the wall Ω is.
      const double out = s.side * (s.uu * x.t[k] + s.u) > 0 ? 1 : -1;
      const double u = x.t[k] - 1e-9 * out * (section.u_hi - section.u_lo);
      if (u <= section.u_lo || u >= section.u_hi) continue;
      const int count = PartsAt(section, pair, u, parts);
      for (int p = 0; p < count; ++p) {
        const double middle = 0.5 * (parts[p].lo + parts[p].hi);
        const Vec3 at = section.P + x.t[k] * section.U + middle * section.V;
        const Vec3 g = geometry::Gradient(pair.surface[s.id].surface, at);
        const double area = out * weight * (section.j0 + section.j1 * x.t[k]) *
                            (parts[p].hi - parts[p].lo) / Dot(g, section.U);
        faces->s += area * g;
        faces->g += Cross(at, area * g);
      }
    }
  }
}

/** What the finer of two nested rules errs by, from their difference. The power 3/2 holds for roots
 that no panel ends at, and is far from what analytic integrands do; `smooth` says that one of the
 two is what there is. */
INTERVOX_HD inline double NestedError(double difference, double size, bool smooth) {
  const double d = std::fabs(difference);
  if (!(size > 0) || !smooth) return d;
  const double root = 2 * std::sqrt(d / size);
  return root < 1 ? d * root : d;
}

/** Adds the columns of a panel; roots at either end become analytic. */
template <int N>
INTERVOX_HD inline void AddPanel(const PlaneSection& section, const LocalPair& pair, double from,
                                 double width, const NestedRule<N>& rule, PlaneSums* sums,
                                 Moments* faces) {
  ColumnPart parts[kColumnParts];
  for (int k = 0; k < N - 1; ++k) {
    const double s = rule.x[k];
    const double u = from + width * (s * s * (3 - 2 * s));
    const double du = 6 * width * s * (1 - s);
    const int count = PartsAt(section, pair, u, parts);
    AddColumn(section, pair, u, parts, count, rule.fine[k] * du, rule.lean[k] * du, sums, faces);
  }
}

/** Whether the end of a column is a plane, or the box. */
INTERVOX_HD inline bool IsStraight(const LocalPair& pair, int id) { return id < pair.planes; }

/** Adds the columns of a panel between two lines: Gauss' three points are exact. */
INTERVOX_HD inline void AddStraightPanel(const PlaneSection& section, const LocalPair& pair,
                                         double from, double width, PlaneSums* sums,
                                         Moments* faces) {
  constexpr double kNode[3] = {0.112701665379258311, 0.5, 0.887298334620741689};
  constexpr double kWeight[3] = {0.277777777777777778, 0.444444444444444444, 0.277777777777777778};
  ColumnPart parts[kColumnParts];
  for (int k = 0; k < 3; ++k) {
    const double u = from + width * kNode[k];
    const int count = PartsAt(section, pair, u, parts);
    AddColumn(section, pair, u, parts, count, width * kWeight[k], 0, sums, faces);
  }
}

/** Integrates the section, each panel to a relative `goal`. With `measure` false only its shape.
 Out of line: many places ask for a section, and ptxas would take each of them for many minutes. */
__attribute__((noinline)) INTERVOX_HD inline SectionSums IntegrateSection(PlaneSection* section,
                                                                          const LocalPair& pair,
                                                                          const SectionLine* plane,
                                                                          int planes, bool measure,
                                                                          double goal) {
  SectionSums out;
  SectionBreaks breaks;
  const bool some = ListBreaks(section, plane, planes, &breaks);
  out.full = section->full || breaks.full;
  if (!some || out.full) return out;
  if (section->rings) {
    for (int i = 0; i < section->curves; ++i) {
      if (!section->curve[i].ring || section->radius == 0) continue;
      AddRingMeetings(*section, pair.surface[section->curve[i].id].surface, section->radius,
                      1e-2 * goal, &breaks);
    }
    AddRingBreaks(*section, pair, goal, &breaks);
  }
  out.full = breaks.full;
  const double least = 1e-12 * (section->u_hi - section->u_lo);
  breaks.Merge(least);
  PlaneSums total;
  unsigned last = ShapeOf(nullptr, 0);
  int end = 0;
  ColumnPart parts[kColumnParts];
  for (int i = 0; i + 1 < breaks.count; ++i) {
    const double from = breaks.u[i], width = breaks.u[i + 1] - from;
    const int middle = PartsAt(*section, pair, from + 0.5 * width, parts);
    ++out.columns;
    const unsigned shape = ShapeOf(parts, middle);
    if (shape != last) {
      out.shape = (out.shape * 31u + shape) * 31u + static_cast<unsigned>(breaks.cause[i]);
    }
    last = shape;
    if (middle == 0) continue;
    end = breaks.cause[i + 1];
    if (!measure) continue;
    PlaneSums sums;
    Moments faces;
    if (!section->rings && middle == 1 && IsStraight(pair, parts[0].below) &&
        IsStraight(pair, parts[0].above)) {
      AddStraightPanel(*section, pair, from, width, &sums, &faces);
      out.columns += 3;
      out.x += faces;
      total += sums;
      continue;
    }
    AddPanel(*section, pair, from, width, Patterson7(), &sums, &faces);
    out.columns += 7;
    double error = NestedError(sums.a - sums.lean, sums.a, true);
    if (error > goal * sums.a) {
      sums = {};
      faces = {};
      AddPanel(*section, pair, from, width, Patterson15(), &sums, &faces);
      out.columns += 15;
      error = NestedError(sums.a - sums.lean, sums.a, true);
    }
    if (error > 10 * goal * sums.a && breaks.Halve(i)) {
      --i;
      continue;
    }
    out.error += error;
    out.x += faces;
    total += sums;
  }
  out.shape = out.shape * 31u + static_cast<unsigned>(end);
  if (!measure) return out;
  if (section->weight != nullptr) AddWalls(*section, pair, &out.x);
  const Vec3 &P = section->P, &U = section->U, &V = section->V;
  out.x.v = total.a;
  const Vec3 first = total.u * U + total.v * V;
  out.x.m = total.a * P + first;
  const Vec3 both = 2.0 * first + total.a * P;
  out.x.q = Scaled(P, both) + total.uu * Scaled(U, U) + total.vv * Scaled(V, V) +
            2 * total.uv * Scaled(U, V);
  const auto mixed = [&](int i, int j) {
    return total.a * P[i] * P[j] + P[i] * first[j] + P[j] * first[i] + total.uu * U[i] * U[j] +
           total.vv * V[i] * V[j] + total.uv * (U[i] * V[j] + U[j] * V[i]);
  };
  out.x.d = {mixed(0, 1), mixed(0, 2), mixed(1, 2)};
  return out;
}

}  // namespace intervox::cuda::internal
