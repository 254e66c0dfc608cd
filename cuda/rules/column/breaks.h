/** @file Where panels of columns end in a section: its corners, folds and meetings of curves. */
#pragma once

#include "cuda/rules/column/plane_section.h"

namespace intervox::cuda::internal::column {

/** Most ends of a section's panels, and halvings of one. */
inline constexpr int kColumnBreaks = 64;
inline constexpr int kSectionHalvings = 6;

/** Breaks closer than this share of a section's width are one, and where a curve passes through a
 corner within this share of an edge, it meets both edges. */
inline constexpr double kSameBreak = 1e-12;
inline constexpr double kSameCorner = 1e-9;

/** Up to this share of a resultant two curves are symmetric: its roots are pairs nearer to each
 other than a touch. */
inline constexpr double kSymmetric = 1e-16;

/** Where a surface's curve almost turns back, and how far off that is. */
struct NearFold {
  double u;
  float off;
  int id;
};

/** Most of them that are known. */
inline constexpr int kNearFolds = 12;

/** A number for the meeting of two surfaces, or of one with itself: a fold. */
INTERVOX_HD inline short MeetingOf(int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  return static_cast<short>((low + 2) * 128 + high + 2);
}

/** Bits for the number of a curve's folds. */
inline constexpr int kFoldBits = 5;
static_assert(kFoldBits * kColumnCurves <= 64);

/** Which surfaces meet on a section's boundary: equal while nothing happens. */
struct SectionShape {
  unsigned all = 0;         ///< with folds, which columns begin or end at, and the box
  unsigned edges = 0;       ///< without them
  std::uint64_t folds = 0;  ///< how many each curve has
};

/** Whether something happens between two sections. A single fold that comes or goes is none: where
 an edge passes it only the columns differ, and sums over them are as smooth as before. `strict`
 counts that, too. */
INTERVOX_HD inline bool Differ(const SectionShape& a, const SectionShape& b, bool strict) {
  if (strict) return a.all != b.all;
  if (a.edges != b.edges) return true;
  constexpr std::uint64_t kMask = (1u << kFoldBits) - 1;
  int changes = 0;
  for (int k = 0; k < kColumnCurves; ++k) {
    const int one = static_cast<int>(a.folds >> (kFoldBits * k) & kMask);
    const int other = static_cast<int>(b.folds >> (kFoldBits * k) & kMask);
    changes += one < other ? other - one : one - other;
  }
  return changes > 1;
}

/** The values of u at which panels end, and what happens there. */
struct SectionBreaks {
  double u[kColumnBreaks];
  short cause[kColumnBreaks];
  signed char depth[kColumnBreaks];  ///< halvings of the panel that follows
  int count = 0;
  bool full = false;
  NearFold fold[kNearFolds];  ///< of no end of Ω
  int folds = 0;

  /** Puts a break at x into panel i; false when there is no room. */
  INTERVOX_HD bool Split(int i, double x) {
    if (count == kColumnBreaks) return false;
    for (int k = count; k > i + 1; --k) {
      u[k] = u[k - 1];
      cause[k] = cause[k - 1];
      depth[k] = depth[k - 1];
    }
    u[i + 1] = x;
    cause[i + 1] = 0;
    depth[i + 1] = depth[i];
    ++count;
    return true;
  }

  /** Puts a break into the middle of panel i; false when that was done too often. */
  INTERVOX_HD bool Halve(int i) {
    if (depth[i] == kSectionHalvings || !Split(i, 0.5 * (u[i] + u[i + 1]))) return false;
    depth[i + 1] = ++depth[i];
    return true;
  }

  /** Notes where a surface's curve almost turns back: a fold that is no end of Ω, or a complex one
   whose imaginary part is `off`. */
  INTERVOX_HD void AddNearFold(double x, double off, int id) {
    if (folds < kNearFolds) fold[folds++] = {x, static_cast<float>(off), id};
  }

  /** Divides panel i, at whose columns' ends are the surfaces of a set: at an almost fold of theirs
   within it, at some times the distance of one beyond an end, else in the middle. False when that
   was done too often. */
  INTERVOX_HD bool Divide(int i, std::uint64_t ends) {
    constexpr double kGrowth = 8, kWithin = 1e-3;
    const double from = u[i], to = u[i + 1], width = to - from;
    double nearest = width / (kGrowth * kGrowth), at = 0.5 * (from + to);
    const auto consider = [&](double x, double away, int id) {
      if (id < 0 || (ends >> id & 1) == 0) return;
      const double low = x - from, high = to - x;
      const bool within = low > kWithin * width && high > kWithin * width;
      const double beside = within ? 0.0 : low < high ? std::fabs(low) : std::fabs(high);
      const double off = beside > away ? beside : away;
      if (off >= nearest || (!within && !(off > 1e-10 * width))) return;
      nearest = off;
      at = within ? x : low < high ? from + kGrowth * off : to - kGrowth * off;
    };
    for (int k = 0; k < folds; ++k) consider(fold[k].u, fold[k].off, fold[k].id);
    for (int k = 0; k < count; ++k) {
      if (cause[k] / 128 == cause[k] % 128) consider(u[k], 0, cause[k] % 128 - 2);
    }
    if (depth[i] == kSectionHalvings || !Split(i, at)) return false;
    depth[i + 1] = ++depth[i];
    return true;
  }

  /** Adds what happens at breaks first … last, which are one place: the set of their causes, as
   rounding decides how often one of them is found there. */
  INTERVOX_HD void AddCauses(int first, int last, int planes, SectionShape* shape) const {
    for (int i = first; i <= last; ++i) {
      bool known = cause[i] == 0;
      for (int k = first; k < i && !known; ++k) known = cause[k] == cause[i];
      if (known) continue;
      const unsigned x = static_cast<unsigned>(cause[i] + 1) * 2654435761u;
      const unsigned number = (x ^ (x >> 15)) * 2246822519u;
      const int low = cause[i] / 128 - 2, curve = low - planes;
      shape->all += number;
      if (low == cause[i] % 128 - 2 && curve >= 0) {
        shape->folds += std::uint64_t{1} << (kFoldBits * curve);
      } else if (low != -1) {
        shape->edges += number;
      }
    }
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

/** Room for a section's polygon while planes cut it: its corners, their levels, and of each edge
 the plane that it is of; and the same of what a plane leaves. */
struct SectionPolygon {
  double u[kColumnEdges], v[kColumnEdges], above[kColumnEdges];
  int id[kColumnEdges];
  double x[kColumnEdges + 2], y[kColumnEdges + 2];
  int from[kColumnEdges + 2];
};

/** The lines in which planes cut a section. */
struct SectionLines {
  SectionLine line[kMaxSurfaces];
  int count;
};

/** Room for one section: its surfaces, its polygon, and where its panels end. */
struct SectionRoom {
  Place<PlaneSection> section;
  Place<SectionLines> planes;
  SectionPolygon polygon;
  Place<SectionBreaks> breaks, known;
};

/** Adds u when the point, which lies on two curves, may lie on the boundary of the region. */
INTERVOX_HD inline void Consider(const PlaneSection& section, double u, double v, int i, int j,
                                 short why, SectionBreaks* breaks) {
  if (u <= section.u_lo || u >= section.u_hi) return;
  if (InPolygon(section, u, v) && AdmitsAll(section, u, v, i, j)) breaks->Add(u, why);
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
  const double linear = s.uv * s.v - s.vv * s.u, rest = s.v * s.v - s.vv * s.c;
  const auto x = geometry::internal::QuadraticCrossings(bend, linear, rest);
  if (x.count == 0 && bend != 0) {
    const double square = bend * rest - linear * linear;
    breaks->AddNearFold(-linear / bend, square > 0 ? std::sqrt(square) / std::fabs(bend) : 0, s.id);
  }
  for (int k = 0; k < x.count; ++k) {
    const int before = breaks->count;
    Consider(section, x.t[k], -(s.uv * x.t[k] + s.v) / s.vv, i, i, MeetingOf(s.id, s.id), breaks);
    if (breaks->count == before) breaks->AddNearFold(x.t[k], 0, s.id);
  }
}

/** (K2): where two curves meet, roots of the resultant ac² − 4 ab bc of their levels as quadratics
 in v. Where both are symmetric about one line along u, ab and bc vanish and its roots are double
 ones of ac; so they are with a wall, whose place is a break already. */
INTERVOX_HD inline void AddMeetings(const PlaneSection& section, int i, int j,
                                    SectionBreaks* breaks) {
  const SectionCurve &f = section.curve[i], &g = section.curve[j];
  if (IsWall(f) || IsWall(g)) return;
  const double width = section.u_hi - section.u_lo;
  double sample[5], ac[5], largest = 0, tall = 0, odd = 0, ab = 0, bc = 0;
  const auto at = [&](double u) {
    const double b1 = f.uv * u + f.v, c1 = (f.uu * u + 2 * f.u) * u + f.c;
    const double b2 = g.uv * u + g.v, c2 = (g.uu * u + 2 * g.u) * u + g.c;
    ab = f.vv * b2 - g.vv * b1;
    bc = b1 * c2 - b2 * c1;
    return f.vv * c2 - g.vv * c1;
  };
  for (int k = 0; k < 5; ++k) {
    ac[k] = at(section.u_lo + 0.25 * k * width);
    sample[k] = ac[k] * ac[k] - 4 * ab * bc;
    const double top = std::fabs(ab), way = std::fabs(ac[k]), rest = std::fabs(4 * ab * bc);
    tall = way > tall ? way : tall;
    largest = top > largest ? top : largest;
    odd = rest > odd ? rest : odd;
  }
  if (odd <= kSymmetric * tall * tall) {
    // ac = ac[2] + 2 b x + a x² over x in [−1, 1].
    const double a = 0.5 * (ac[0] + ac[4]) - ac[2], b = 0.25 * (ac[4] - ac[0]);
    const auto x = geometry::internal::QuadraticCrossings(a, b, ac[2]);
    for (int k = 0; k < x.count; ++k) {
      const double u = section.u_lo + 0.5 * (1 + x.t[k]) * width;
      if (u > section.u_lo && u < section.u_hi) breaks->Add(u, MeetingOf(f.id, g.id));
    }
    return;
  }
  const double height = section.v_hi - section.v_lo;
  const short why = MeetingOf(f.id, g.id);
  double roots[8];
  const int count = QuarticRoots(sample, 1e-10, roots);
  for (int k = 0; k < count; ++k) {
    const double u = section.u_lo + width * roots[k], way = at(u);
    if (std::fabs(ab) * height > 1e-4 * (tall + largest * height)) {
      Consider(section, u, -0.5 * way / ab, i, j, why, breaks);
    } else if (u > section.u_lo && u < section.u_hi) {
      breaks->Add(u, why);
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
    double t = x.t[k];
    if (t < -kSameCorner || t > 1 + kSameCorner) continue;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double u = u0 + t * du;
    if (AdmitsAll(section, u, v0 + t * dv, i, i)) breaks->Add(u, MeetingOf(s.id, line));
  }
}

/** (K2): cuts the section's rectangle by the planes and lists where panels end, with its `ends` or
 only what bounds Ω; false when it is empty. */
INTERVOX_HD inline bool ListBreaks(bool ends, SectionRoom* room) {
  PlaneSection* const section = &room->section.value;
  const SectionLine* const plane = room->planes.value.line;
  SectionPolygon* const polygon = &room->polygon;
  SectionBreaks* const breaks = &room->breaks.Make();
  double *const u = polygon->u, *const v = polygon->v;
  int* const id = polygon->id;  // of the edge that starts at the corner: −1 the box, else an entry
                                // of plane
  int count = 4;
  u[0] = u[3] = section->u_lo;
  u[1] = u[2] = section->u_hi;
  v[0] = v[1] = section->v_lo;
  v[2] = v[3] = section->v_hi;
  for (int k = 0; k < 4; ++k) id[k] = -1;
  for (int p = 0; p < room->planes.value.count; ++p) {
    const SectionLine& s = plane[p];
    double* const above = polygon->above;
    bool any = false, all = true;
    for (int k = 0; k < count; ++k) {
      above[k] = s.u * u[k] + s.v * v[k] - s.d;
      any = any || above[k] > 0;
      all = all && above[k] > 0;
    }
    if (all) return false;
    if (!any) continue;
    double *const x = polygon->x, *const y = polygon->y;
    int *const from = polygon->from, n = 0;
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
  const double same = kSameBreak * (hi - lo);
  for (int k = 0; k < count; ++k) {
    const int next = k + 1 == count ? 0 : k + 1, past = id[k == 0 ? count - 1 : k - 1];
    const bool corner = id[k] >= 0 && past >= 0, extreme = u[k] - lo <= same || hi - u[k] <= same;
    if ((ends && extreme) || ((ends || corner) && AdmitsAll(*section, u[k], v[k], -1, -1))) {
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

}  // namespace intervox::cuda::internal::column
