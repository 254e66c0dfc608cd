/** @file The slice rule for two tori: arcs of each tube's circles that lie in the other torus. */
#pragma once

#include <cmath>

#include "cuda/moments/moments.h"
#include "cuda/numerics/tolerances.h"
#include "cuda/rules/slice/conic.h"
#include "cuda/rules/slice/panel.h"
#include "cuda/rules/slice/ring_turns.h"
#include "cuda/rules/slice/track.h"

namespace intervox::cuda::internal::slice {

/** One torus of two, and the other one in its frame. */
struct RingOfTwo {
  Mat3 F;  ///< axes in L as columns; z is the axis
  Vec3 o;  ///< centre in L [m]
  double major = 0.0, minor = 0.0, side = 1.0, weight = 0.0;
  Vec3 axis, centre;  ///< of the other, in this one's frame
  double other_major = 0.0, other_minor = 0.0, other_side = 1.0;

  /** (R13): the other's level, a quartic, around the tube; negative where Ω is. */
  INTERVOX_HD CircleLevel LevelAt(const Heading& h) const {
    const Vec3 e{h.c, h.s, 0.0};
    return TorusAround(major * e - centre, minor * e, {0.0, 0.0, minor}, axis, other_major,
                       other_minor, other_side);
  }
  /** Its derivative by the azimuth at a point of the tube. */
  INTERVOX_HD double TurnSlope(const Heading& h, const Plane2& d) const {
    const double rho = major + minor * d.x, square = other_major * other_major;
    const Vec3 y = Vec3{rho * h.c, rho * h.s, minor * d.z} - centre;
    const double k = SquaredNorm(y) + square - other_minor * other_minor;
    const Vec3 half = k * y - 2 * square * (y - Dot(axis, y) * axis);
    return other_side * 4 * rho * (half.y * h.c - half.x * h.s);
  }
};

INTERVOX_HD inline double ValueAt(const CircleLevel& l, const Plane2& d) {
  return d.x * (l.cc * d.x + l.cs * d.z + l.c) + d.z * (l.ss * d.z + l.s) + l.k;
}
INTERVOX_HD inline CircleLevel DerivativeOf(const CircleLevel& l) {
  return {l.cs, 2 * (l.ss - l.cc), -l.cs, l.s, -l.c, 0.0};
}

/** (R13): the azimuths at which an arc begins, ends or meets another one. */
class PairLooks {
 public:
  INTERVOX_HD PairLooks(const RingOfTwo& ring, HalfTurn* turn) : ring_(ring), turn_(turn) {}

  INTERVOX_HD void Find() {
    const double step = (turn_->upper - turn_->lower) / kLooks;
    LookAlong(
        turn_->lower, turn_->upper, step, &before_, &now_,
        [this](double u, Extrema* out) { Look(u, out); },
        [](const Extrema& before, const Extrema& now) { return Changes(before, now, 1.0); },
        [this](const Extrema& before, double u, const Extrema& now, double next) {
          for (int i = 0; i < now.count; ++i) {
            if (const Track* was = before.NearestOf(now.track[i])) {
              FollowLevel(
                  *was, u, now.track[i], next,
                  [this](double at, const Track& near) { return TrackAt(at, near); },
                  [this](double lo, double hi, const Track& at_lo, const Track& at_hi) {
                    AddChange(lo, hi, at_lo, at_hi);
                  });
            }
          }
        });
  }

 private:
  static constexpr int kLooks = 32, kHalvings = 48;

  /** All extrema of the level around the tube, places in radii, slopes by u = tan φ/2. */
  INTERVOX_HD void Look(double u, Extrema* out) const {
    const Heading h = turn_->At(u);
    const CircleLevel level = ring_.LevelAt(h);
    out->count = 0;
    ForRootsAround(DerivativeOf(level), [&](double, double c, double s) {
      const Plane2 d{c, s};
      Track* const x = out->Add();
      if (x == nullptr) return;
      x->at = d;
      x->level = ValueAt(level, d);
      x->slope = ring_.TurnSlope(h, d) * 2 / (1 + u * u);
      x->highest = ValueAt(DerivativeOf(DerivativeOf(level)), d) < 0;
    });
  }
  INTERVOX_HD Track TrackAt(double u, const Track& near) {
    Look(u, &between_);
    const Track* found = between_.NearestOf(near);
    return found != nullptr ? *found : near;
  }
  INTERVOX_HD void AddChange(double lo, double hi, Track at_lo, const Track& at_hi) {
    const bool above = at_lo.level > 0;
    if ((at_hi.level > 0) == above) return;
    for (int k = 0; k < kHalvings; ++k) {
      const double u = 0.5 * (lo + hi);
      const Track x = TrackAt(u, at_lo);
      const bool same = (x.level > 0) == above;
      (same ? lo : hi) = u;
      if (same) at_lo = x;
    }
    turn_->breaks.Add(0.5 * (lo + hi));
    turn_->singular.Add(0.5 * (lo + hi));
  }

  const RingOfTwo& ring_;
  HalfTurn* turn_;
  Extrema before_, now_, between_;  ///< two neighbouring looks, and one between them
};

/** (R13): integrals over a part of ∂Ω; `closure` and `turning` are zero over all of it. */
struct FaceSums {
  Moments body;
  double a = 0.0;
  Vec3 closure, turning;  ///< ∫ n dS and ∫ x × n dS

  INTERVOX_HD FaceSums& operator+=(const FaceSums& other) {
    body += other.body;
    a += other.a;
    closure += other.closure;
    turning += other.turning;
    return *this;
  }
};

/** (R13): adds the arc from p counterclockwise by at most a quarter turn to q, over the angle dφ.
 */
INTERVOX_HD inline void AddQuarter(const RingOfTwo& ring, const Heading& h, const Plane2& p,
                                   const Plane2& q, double angle, FaceSums* out) {
  Plane2 middle = p + q;
  const double length = std::sqrt(Dot(middle, middle));
  if (!(length > 0)) return;
  middle = 1 / length * middle;
  const double sine = Cross(middle, q), reach = sine / (1 + Dot(middle, q));
  if (!(reach > 0)) return;
  const Vec3 out_L = h.c * ring.F.Col(0) + h.s * ring.F.Col(1), up = ring.F.Col(2);
  const NestedRule<12>& rule = Kronrod11();
  for (int i = 0; i < 11; ++i) {
    const double u = reach * (2 * rule.x[i] - 1), per = 1 / (1 + u * u);
    const double c = (1 - u * u) * per, s = 2 * u * per;
    const Plane2 d{middle.x * c - middle.z * s, middle.z * c + middle.x * s};
    const double rho = ring.major + ring.minor * d.x;
    const double area = 4 * reach * rule.fine[i] * per * ring.minor * rho * angle;
    const Vec3 normal = ring.side * (d.x * out_L + d.z * up);
    const Vec3 x = ring.o + rho * out_L + ring.minor * d.z * up;
    const double cone = area * Dot(x, normal);
    out->a += area;
    out->closure += area * normal;
    out->turning += area * Cross(x, normal);
    out->body.v += cone / 3;
    out->body.m += cone / 4 * x;
    out->body.second += cone / 5 * Square(x);
  }
}

/** (R13): adds the arcs of the tube at an azimuth that lie in the other torus. Returns the number
 of their ends. */
INTERVOX_HD inline unsigned AddArcsAt(const RingOfTwo& ring, const Heading& h, double angle,
                                      FaceSums* out) {
  const CircleLevel level = ring.LevelAt(h);
  Plane2 end[kCircleRoots];
  int ends = 0;
  ForRootsAround(level, [&](double, double c, double s) {
    if (ends < kCircleRoots) end[ends++] = {c, s};
  });
  // Roots come by quadrants, in each ascending.
  for (int i = 0; i < (ends > 0 ? ends : 1); ++i) {
    Plane2 p = ends > 0 ? end[i] : Plane2{1.0, 0.0};
    const Plane2 q = ends > 0 ? end[i + 1 < ends ? i + 1 : 0] : p;
    // In quarter turns from p on: how many before q.
    int quarters = 0;
    Plane2 next{-p.z, p.x};
    if (ends < 2) {
      quarters = 4;
    } else {
      Plane2 from = p;
      while (quarters < 3 && !(Cross(from, q) > 0 && Dot(from, q) > 0)) {
        from = {-from.z, from.x};
        ++quarters;
      }
    }
    // One look between p and q.
    const double half = 0.5;
    Plane2 middle = quarters == 0 ? p + q : next;
    if (quarters == 1) middle = half * (p + next);
    middle = 1 / std::sqrt(Dot(middle, middle)) * middle;
    if (ValueAt(level, middle) >= 0) continue;
    for (int k = 0; k < quarters; ++k) {
      AddQuarter(ring, h, p, next, angle, out);
      p = next;
      next = {-p.z, p.x};
    }
    if (ends >= 2) AddQuarter(ring, h, p, q, angle, out);
  }
  out->body.s = ring.weight * out->closure;
  out->body.g = ring.weight * out->turning;
  return static_cast<unsigned>(ends);
}

/** Room for a half turn and for following levels around it. */
struct RingPairMemory {
  Place<HalfTurn> turn;
  Place<PairLooks> looks;
};

/** (R13): sums over one torus. False where there are too many events. */
INTERVOX_HD inline bool SumFaces(const RingOfTwo& ring, double tolerance, RingPairMemory* memory,
                                 FaceSums* total, RuleResult* result) {
  constexpr int kTries = 27;
  for (const double sense : {1.0, -1.0}) {
    HalfTurn& turn = memory->turn.Make();
    turn.sense = sense;
    memory->looks.Make(ring, &turn).Find();
    const auto sum = [&](double lower, double upper, PanelChange* change, FaceSums* part,
                         RuleResult* panel) {
      const auto node = [&](double u, double weight, FaceSums* sums) {
        change->Look(AddArcsAt(ring, turn.At(u), 2 * weight / (1 + u * u), sums), u);
      };
      *part = SumMapped<FaceSums>(lower, upper, turn.singular, kTries, tolerance, {}, node, panel);
      return true;
    };
    const auto ends_at = [&](double u) {
      FaceSums unused;
      return AddArcsAt(ring, turn.At(u), 0.0, &unused);
    };
    SumPanels(sum, ends_at, &turn, total, result);
    if (turn.breaks.full || turn.singular.full) return false;
  }
  return true;
}

INTERVOX_HD inline RingOfTwo MakeRingOfTwo(const LocalSurface& one, const LocalSurface& two) {
  const geometry::Surface &s = one.surface, &t = two.surface;
  RingOfTwo ring;
  ring.F = s.R;
  ring.o = s.o;
  ring.major = s.e.x;
  ring.minor = s.e.y;
  ring.side = s.side;
  ring.weight = one.weight;
  ring.axis = TransposeTimes(s.R, t.R.Col(2));
  ring.centre = TransposeTimes(s.R, t.o - s.o);
  ring.other_major = t.e.x;
  ring.other_minor = t.e.y;
  ring.other_side = t.side;
  return ring;
}

/** (R13): moments of what two whole tori have in common, or of one outside of the other. Refused
 where the boundary does not close: something was missed then. */
INTERVOX_HD inline RuleResult TwoRingsRule(const LocalPair& pair, RingPairMemory* memory,
                                           Moments* moments) {
  *moments = {};
  if (pair.planes > 0 || pair.count != 2) return {};
  for (int i = 0; i < 2; ++i) {
    const geometry::Surface& s = pair.surface[i].surface;
    if (s.kind != geometry::SurfaceKind::kTorus || !(s.e.x > s.e.y)) return {};
  }
  if (pair.surface[0].surface.side < 0 && pair.surface[1].surface.side < 0) return {};
  RuleResult result{true, 0.0, 0, false};
  FaceSums sums;
  const double tolerance = std::fmax(1e-2 * pair.tolerance, 1e-13);
  double reach = 0.0;
  for (int i = 0; i < 2; ++i) {
    const RingOfTwo ring = MakeRingOfTwo(pair.surface[i], pair.surface[1 - i]);
    if (!SumFaces(ring, tolerance, memory, &sums, &result)) return {};
    reach = std::fmax(reach, Norm(ring.o) + ring.major + ring.minor);
  }
  if (!(sums.body.v > 0) || !(sums.a > 0)) return {};
  // Where the surface has a gap its place counts.
  const double span = Norm(pair.upper - pair.lower);
  const double gap = Norm(sums.closure) * span + Norm(sums.turning);
  constexpr double kClosed = 1e-6;
  if (!(gap <= kClosed * sums.body.v)) return {};
  result.error += gap + 4 * kPositionRounding * reach * sums.a + kLevelRounding * sums.body.v;
  result.reach += gap;
  *moments = sums.body;
  return result;
}

}  // namespace intervox::cuda::internal::slice
