/** @file Levels that are followed around an axis, from look to look, to where they change sign. */
#pragma once

#include <cmath>

#include "cuda/rules/slice/conic.h"
#include "cuda/rules/slice/panel.h"

namespace intervox::cuda::internal::slice {

/** A level at one place: at an extremum around a tube, or where a line meets a surface. */
struct Track {
  Plane2 at;  ///< in the half plane, from the tube's centre
  double level = 0.0;
  double slope = 0.0;    ///< the level's derivative along the way
  bool highest = false;  ///< of an extremum
};

/** The extrema around a tube in one half plane. */
struct Extrema {
  Track track[kCircleRoots];
  int count = 0;

  /** One more, or null where there is no room. */
  INTERVOX_HD Track* Add() {
    if (count == kCircleRoots) return nullptr;
    track[count] = {};
    return &track[count++];
  }
  /** The extremum of the same kind nearest to one; null where there is none. */
  INTERVOX_HD const Track* NearestOf(const Track& one) const {
    const Track* found = nullptr;
    double nearest = INFINITY;
    for (int i = 0; i < count; ++i) {
      const Plane2 way = track[i].at - one.at;
      if (track[i].highest != one.highest || !(Dot(way, way) < nearest)) continue;
      nearest = Dot(way, way);
      found = &track[i];
    }
    return found;
  }
};

/** Whether extrema begin, end or leap between two looks: what begins or ends does so on one side of
 zero, so that there are none where all levels have one sign. */
INTERVOX_HD inline bool Changes(const Extrema& before, const Extrema& now, double radius) {
  constexpr double kLeap = 0.5;
  bool above = false, below = false;
  for (const Extrema* of : {&before, &now}) {
    for (int i = 0; i < of->count; ++i) (of->track[i].level > 0 ? above : below) = true;
  }
  if (!above || !below) return false;
  if (now.count != before.count) return true;
  for (int i = 0; i < now.count; ++i) {
    const Track* was = before.NearestOf(now.track[i]);
    if (was == nullptr) return true;
    const Plane2 way = was->at - now.track[i].at;
    if (Dot(way, way) > kLeap * kLeap * radius * radius) return true;
  }
  return false;
}

/** Looks from `lower` to `upper` in steps, which are halved where extrema change.
 @param look     look(s, &looked)
 @param changes  whether extrema change between two that were looked at
 @param follow   follow(before, s, now, next) */
template <class Looked, class Look, class Changing, class FollowAll>
INTERVOX_HD void LookAlong(double lower, double upper, double step, Looked* before, Looked* now,
                           const Look& look, const Changing& changes, const FollowAll& follow) {
  constexpr double kFinest = 0.02;
  double s = lower, way = step;
  look(s, before);
  while (s < upper) {
    const double next = s + 1.001 * way >= upper ? upper : s + way;
    look(next, now);
    if (way > kFinest * step && changes(*before, *now)) {
      way *= 0.5;
      continue;
    }
    follow(*before, s, *now, next);
    *before = *now;
    s = next;
    way = std::fmin(2 * way, step);
  }
}

/** Finds the changes of sign of a level between two looks. Where the cubic with the levels and
 slopes at both dips to about zero, its lowest point is the next look.
 @param at   at(s, near): the level at s that is followed from a track nearby
 @param add  add(lo, hi, at_lo, at_hi): the level may have changed its sign between the two */
template <class At, class Add>
INTERVOX_HD void FollowLevel(Track first, double from, Track last, double to, const At& at,
                             const Add& add) {
  const double sign = first.level > 0 ? 1.0 : -1.0;
  constexpr int kSeeks = 20;
  constexpr double kNear = 0.3, kEnds = 0.05;
  for (int k = 0; k < kSeeks && (first.level > 0) == (last.level > 0); ++k) {
    const double h = to - from, f0 = sign * first.level, f1 = sign * last.level;
    double t = 0.0, lowest = 0.0;
    if (!LowestOfCubic(f0, sign * first.slope * h, f1, sign * last.slope * h, &t, &lowest)) return;
    if (lowest > kNear * (std::fmax(f0, f1) - lowest)) return;
    const double s = from + std::fmax(kEnds, std::fmin(1 - kEnds, t)) * h;
    const Track x = at(s, t < 0.5 ? first : last);
    if ((x.level > 0) != (first.level > 0)) {
      add(from, s, first, x);
      add(s, to, x, last);
      return;
    }
    const bool left = sign * x.slope < 0;
    (left ? from : to) = s;
    (left ? first : last) = x;
  }
  add(from, to, first, last);
}

}  // namespace intervox::cuda::internal::slice
