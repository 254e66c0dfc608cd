/** @file The face of a cylinder or cone, swept by its generators. */
#pragma once

#include "cuda/rules/flux/edges.h"

namespace intervox::cuda::internal::flux {

/** A generator o + R ρ + t D of a ruled surface. */
struct Generator {
  Vec3 b, d, rho, tau;
};

/** The generator at u of a quadrant of curve q. */
INTERVOX_HD inline Generator GeneratorOf(const FluxCurve& s, const Vec3& c, const Vec3& sn,
                                         double u) {
  const double ig = 1.0 / (1.0 + u * u);
  Generator out;
  out.rho = ((1.0 - u * u) * ig) * c + (2.0 * u * ig) * sn;
  out.tau = ((1.0 - u * u) * ig) * sn - (2.0 * u * ig) * c;
  out.b = s.o + s.radius * out.rho;
  out.d = s.frame.Col(2) + s.k * out.rho;
  return out;
}

/** The directions of quadrant k's middle and of a quarter turn further. */
INTERVOX_HD inline void QuadrantAxes(const FluxCurve& s, int k, Vec3* c, Vec3* sn) {
  const Vec3 x = s.frame.Col(0), y = s.frame.Col(1);
  *c = k == 0 ? x : k == 1 ? y : k == 2 ? -x : -y;
  *sn = k == 0 ? y : k == 1 ? -x : k == 2 ? -y : x;
}

/** The other curved surface, or −1. */
INTERVOX_HD inline int OtherCurve(const FluxModel& model, int q) {
  return model.curves < 2 ? -1 : 1 - q;
}

/** The parts of a generator that bound Ω, at most 2. */
INTERVOX_HD inline int SpansOf(const FluxModel& model, int q, const Generator& g, Span* spans) {
  Span all;
  if (model.curve[q].cone) {
    all.lo = 0.0;
    all.lo_by = kByApex;
  }
  for (int i = 0; i < model.planes; ++i) {
    const double slope = Dot(model.plane[i].n, g.d);
    const double gap = model.plane[i].h - Dot(model.plane[i].n, g.b);
    if (slope > 0) {
      const double t = gap / slope;
      if (t < all.hi) {
        all.hi = t;
        all.hi_by = i;
      }
    } else if (slope < 0) {
      const double t = gap / slope;
      if (t > all.lo) {
        all.lo = t;
        all.lo_by = i;
      }
    } else if (gap < 0) {
      return 0;
    }
  }
  if (!(all.hi > all.lo)) return 0;
  spans[0] = all;
  const int other = OtherCurve(model, q);
  if (other < 0) return 1;
  const FluxCurve& solid = model.curve[other];
  double in, out;
  const bool meets = ClipToSolid(solid, g.b, g.d, &in, &out);
  return CutSpans(solid.side > 0, meets, in, out, 1, spans);
}

/** Where a generator of curve q touches the other surface: u in a quadrant. */
struct Fold {
  int quadrant = 0;
  double u = 0.0;
  double residual = 0.0;  ///< the discriminant there, zero but for rounding
};

/** All such places of a sheet. */
struct Folds {
  static constexpr int kMost = 16;
  Fold fold[kMost];
};

/** The discriminant of a generator against the other surface, in that one's frame. */
struct FoldField {
  Vec3 y, v;          ///< the axis' point and direction
  Vec3 across[2];     ///< the first surface's directions across its axis
  Vec3 metric;        ///< weights of the squares
  double unit = 0.0;  ///< the level of the surface
  double radius = 0.0, k = 0.0;

  INTERVOX_HD FoldField(const FluxCurve& s, const FluxCurve& other) : radius(s.radius), k(s.k) {
    const Mat3& R = other.frame;
    y = TransposeTimes(R, s.o - other.o);
    v = TransposeTimes(R, s.frame.Col(2));
    across[0] = TransposeTimes(R, s.frame.Col(0));
    across[1] = TransposeTimes(R, s.frame.Col(1));
    if (other.ruled) {
      metric = {1.0, 1.0, -other.k * other.k};
      unit = other.radius * other.radius;
    } else {
      const Vec3 r = other.radii;
      metric = {1.0 / (r.x * r.x), 1.0 / (r.y * r.y), 1.0 / (r.z * r.z)};
      unit = 1.0;
    }
  }
  /** The discriminant at u of a quadrant times (1 + u²)², a quartic in u; where `t` is given, also
   the parameter of the closest approach. */
  INTERVOX_HD double At(int quadrant, double u, double* t = nullptr) const {
    double c = 0.0, s = 0.0;
    internal::DirectionOf({quadrant, u}, &c, &s);
    const double square = 1.0 + u * u;
    const Vec3 rho = c * across[0] + s * across[1];
    const Vec3 at = y + radius * rho, along = v + k * rho;
    const Vec3 weighted = Scaled(metric, along);
    const double alpha = Dot(weighted, along), beta = Dot(weighted, at);
    const double gamma = Dot(Scaled(metric, at), at) - unit;
    if (t != nullptr) *t = -beta / alpha;
    return (beta * beta - alpha * gamma) * square * square;
  }
};

/** Pushes the sheets of curve q between the breaks. False when a generator is not bounded. */
INTERVOX_HD inline bool AddSheets(const FluxModel& model, int q, Place<Folds>* room,
                                  SheetBreaks* breaks, FluxPanels* panels) {
  const FluxCurve& s = model.curve[q];
  const int other = OtherCurve(model, q);
  Fold* const folds = room->value.fold;
  int fold_count = 0;
  Vec3 c, sn;
  if (other >= 0) {
    const FoldField field(s, model.curve[other]);
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      QuadrantAxes(s, quadrant, &c, &sn);
      double sample[5], root[8], t;
      double noise = 0.0;
      for (int k = 0; k < 5; ++k) {
        sample[k] = field.At(quadrant, kT * (0.5 * k - 1.0));
        noise = std::fabs(sample[k]) > noise ? std::fabs(sample[k]) : noise;
      }
      noise *= 1e-13;
      const int n = QuarticRoots(sample, 1e-5, root);
      for (int k = 0; k < n; ++k) {
        const double u = kT * (2.0 * root[k] - 1.0);
        const Generator g = GeneratorOf(s, c, sn, u);
        const double square = 1.0 + u * u;
        const double residual = field.At(quadrant, u, &t) / (square * square);
        if (!(std::fabs(t) < kFar)) continue;
        const Vec3 x = g.b + t * g.d;
        const Vec3 off = Abs(x - 0.5 * (model.lower + model.upper));
        if (Largest(Abs(off)) > 1.5 * model.size || fold_count == Folds::kMost) continue;
        // A minimum near zero only marks where the roots come close.
        folds[fold_count++] = {quadrant, u, std::fabs(residual) <= noise ? residual : 0.0};
        breaks->Push(2 * kT * quadrant + u + kT);
      }
    }
  }
  int next = 0;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    QuadrantAxes(s, quadrant, &c, &sn);
    const double origin = 2 * kT * quadrant + kT, end = 2 * kT * (quadrant + 1);
    double from = -kT;
    while (kT > from + 1e-15) {  // the same test as below: what is left may be rounding
      double to = kT;
      if (next < breaks->count && breaks->v[next] < end) {
        to = breaks->v[next++] - origin;
        if (to > kT) to = kT;
      }
      if (!(to > from + 1e-15)) continue;
      Span spans[2];
      const Generator middle = GeneratorOf(s, c, sn, 0.5 * (from + to));
      const int count = SpansOf(model, q, middle, spans);
      for (int m = 0; m < count; ++m) {
        const Span& span = spans[m];
        if (!IsInBox(model, middle.b + (0.5 * (span.lo + span.hi)) * middle.d)) continue;
        if (span.lo_by == kByNothing || span.hi_by == kByNothing) return false;
        FluxPanel sheet;
        sheet.kind = PanelKind::kSheet;
        sheet.curve = static_cast<std::int8_t>(q);
        sheet.lo_by = static_cast<std::int8_t>(span.lo_by);
        sheet.hi_by = static_cast<std::int8_t>(span.hi_by);
        sheet.c = c;
        sheet.s = sn;
        sheet.u0 = from;
        sheet.u1 = to;
        const bool rooted = span.lo_by <= kByEntry || span.hi_by <= kByEntry;
        double left = -kFar, right = kFar, left_residual = 0.0, right_residual = 0.0;
        for (int f = 0; f < fold_count && rooted; ++f) {
          const double u = folds[f].u;
          const int turn = (folds[f].quadrant - quadrant + 4) % 4;
          if (turn == 2) continue;
          const double v = turn == 0   ? u
                           : turn == 1 ? (u + 1.0) / (1.0 - u)
                                       : (u - 1.0) / (1.0 + u);
          // The breaks were rounded on their way through the whole circle.
          if (v <= from + 1e-12 && v > left) {
            left = v > from - 1e-14 ? from : v;
            left_residual = folds[f].residual;
          }
          if (v >= to - 1e-12 && v < right) {
            right = v < to + 1e-14 ? to : v;
            right_residual = folds[f].residual;
          }
        }
        const double length = to - from;
        const bool near_left = from - left < length, near_right = right - to < length;
        const double split = near_left && near_right ? 0.5 * (from + to) : near_left ? to : from;
        const auto push = [&](int map, double fold, double residual, double u0, double u1) {
          FluxPanel part = sheet;
          part.map = static_cast<std::int8_t>(map);
          part.fold = fold;
          part.residual = residual;
          part.u0 = u0;
          part.u1 = u1;
          panels->Push(part);
        };
        if (near_left) {
          push(1, left, left_residual, std::sqrt(from > left ? from - left : 0.0),
               std::sqrt(split - left));
        }
        if (near_right) {
          push(-1, right, right_residual, -std::sqrt(right - split),
               -std::sqrt(right > to ? right - to : 0.0));
        }
        if (!near_left && !near_right) panels->Push(sheet);
      }
      from = to;
    }
  }
  return true;
}

}  // namespace intervox::cuda::internal::flux
