/** @file Overlaps with holes as signed sums of overlaps without.

 (H1) A solid A less the inside H of a hole has what A has, less what A and H have in common. Of
 several holes V = Σ (−1)^|T| V(A ∩ H_T) over the subsets T, H_T the inside of all holes of T; S and
 G likewise, since a hole's face turns around with its side. So a rule that knows two curved
 surfaces takes a tube on a cylinder, whose walls are two of three. */
#pragma once

#include <cmath>

#include "cuda/local_pair.h"
#include "cuda/moments/moments.h"
#include "cuda/wall/wall_cuts.h"
#include "geometry/surface_eval.h"

namespace intervox::cuda::internal {

/** Most holes of a pair: 2³ terms. */
inline constexpr int kMostHoles = 3;

/** Whether all that a hole's wall encloses lies in the convex surface, over the box of the pair:
 round walls along one direction, or two balls. */
INTERVOX_HD inline bool LiesWithin(const geometry::Surface& hole, const geometry::Surface& convex,
                                   const LocalPair& pair) {
  constexpr double kParallel = 1e-10, kRoom = 1e-9;
  if (geometry::IsSphere(hole) && geometry::IsSphere(convex)) {
    const auto radius = [](const geometry::Surface& s) { return std::sqrt(-s.c / s.e.x); };
    const double room = radius(convex) - radius(hole) - Norm(hole.o - convex.o);
    return room > kRoom * radius(convex);
  }
  RoundWall in, out;
  if (!MakeRoundWall(hole, Pose::Identity(), &in) ||
      !MakeRoundWall(convex, Pose::Identity(), &out)) {
    return false;
  }
  const Vec3 across = Cross(in.axis, out.axis);
  if (!(SquaredNorm(across) <= kParallel * kParallel)) return false;
  const double sign = Dot(in.axis, out.axis) > 0 ? 1.0 : -1.0;
  const Vec3 apart = in.origin - out.origin;
  const double along = Dot(apart, out.axis), off = Norm(apart - along * out.axis);
  const Vec3 middle = 0.5 * (pair.lower + pair.upper), half = 0.5 * (pair.upper - pair.lower);
  const double at = Dot(in.axis, middle - in.origin), reach = Dot(Abs(in.axis), half);
  for (const double z : {at - reach, at + reach}) {
    const double inner = in.RadiusAt(z), outer = out.RadiusAt(along + sign * z);
    // Beyond an apex nothing is enclosed, and the walls between the ends are straight.
    if (!(outer - std::fmax(inner, 0.0) - off > kRoom * outer)) return false;
  }
  return true;
}

/** A rule's way through a pair: first the pair as it is; then, where the rule refuses that and the
 pair has more curved surfaces than the rule knows, the terms of (H1), and those once more, to a
 finer tolerance, where they nearly cancel. It is a part of the rule's memory. */
class HoleTerms {
 public:
  /** @param room  for a term; it must outlive this */
  INTERVOX_HD HoleTerms(const LocalPair& pair, LocalPair* room) : pair_(pair), room_(*room) {
    if (!pair.whole || pair.count - pair.planes <= kFewCurves) return;
    for (int i = pair.planes; i < pair.count; ++i) {
      const geometry::Surface& s = pair.surface[i].surface;
      if (s.side > 0 || !IsConvex(s)) continue;
      if (holes_ == kMostHoles) {
        holes_ = 0;
        return;
      }
      hole_[holes_] = i;
      around_[holes_] = -1;
      for (int j = pair.planes; j < pair.count && around_[holes_] < 0; ++j) {
        const LocalSurface& other = pair.surface[j];
        const bool taken = IsAround(j) || other.surface.side < 0;
        if (!taken && LiesWithin(s, other.surface, pair)) around_[holes_] = j;
      }
      ++holes_;
    }
    for (unsigned terms = 0; terms < 1u << holes_; ++terms) {
      if (CurvedOf(terms) > kFewCurves) holes_ = 0;
    }
  }

  /** Whether there is something left to be asked, as pair(). */
  INTERVOX_HD bool Next() {
    if (done_) return false;
    if (pass_ == kWhole) return true;
    MakeTerm();
    return true;
  }

  INTERVOX_HD const LocalPair& pair() const { return pass_ == kWhole ? pair_ : room_; }

  /** Takes the rule's answer about pair(). */
  INTERVOX_HD void Take(const RuleResult& result, const Moments& moments) {
    if (pass_ == kWhole) {
      result_ = result;
      moments_ = moments;
      done_ = result.accepted || holes_ == 0;
      pass_ = kTerms;
      tolerance_ = pair_.tolerance;
      return;
    }
    work_ += result.work;
    if (!result.accepted) {
      done_ = true;
      return;
    }
    const double sign = IsOdd(term_) ? -1.0 : 1.0;
    sum_ += sign * moments;
    all_ += std::fabs(moments.v);
    error_ += result.error;
    reach_ += result.reach;
    if (++term_ < 1u << holes_) return;
    const bool some = sum_.v > 0 && (!result_.accepted || error_ < result_.error);
    if (some) {
      result_ = {true, error_, work_, false, reach_};
      moments_ = sum_;
    }
    // The terms' errors may be much of their difference.
    const double finer = std::fmax(pair_.tolerance * sum_.v / all_, kFinest);
    done_ = !some || pass_ == kFiner || error_ <= kEnough * pair_.tolerance * sum_.v ||
            !(finer < tolerance_);
    pass_ = kFiner;
    tolerance_ = finer;
    term_ = 0;
    sum_ = {};
    all_ = error_ = reach_ = 0.0;
  }

  /** What the rule says of the whole pair. */
  INTERVOX_HD RuleResult Result(Moments* moments) const {
    *moments = moments_;
    return result_;
  }

 private:
  enum Pass { kWhole, kTerms, kFiner };
  static constexpr double kFinest = 1e-13, kEnough = 0.3;

  INTERVOX_HD static bool IsOdd(unsigned term) {
    return ((term ^ term >> 1 ^ term >> 2) & 1u) != 0;
  }
  INTERVOX_HD bool IsAround(int i) const {
    for (int h = 0; h < holes_; ++h) {
      if (around_[h] == i) return true;
    }
    return false;
  }
  /** How many curved surfaces a term has. */
  INTERVOX_HD int CurvedOf(unsigned term) const {
    int count = pair_.count - pair_.planes;
    for (int h = 0; h < holes_; ++h) {
      const bool inside = (term >> h & 1u) != 0;
      if (!inside || around_[h] >= 0) --count;
    }
    return count;
  }
  /** Of a surface: 0 where the term leaves it out, −1 where it turns around, else 1. */
  INTERVOX_HD int SignIn(unsigned term, int i) const {
    for (int h = 0; h < holes_; ++h) {
      const bool inside = (term >> h & 1u) != 0;
      if (hole_[h] == i) return inside ? -1 : 0;
      if (around_[h] == i && inside) return 0;
    }
    return 1;
  }
  INTERVOX_HD void MakeTerm() {
    LocalPair& term = room_;
    term.planes = pair_.planes;
    term.p_WL = pair_.p_WL;
    term.lower = pair_.lower;
    term.upper = pair_.upper;
    term.volume_floor = pair_.volume_floor;
    term.tolerance = tolerance_;
    term.whole = true;
    term.count = 0;
    for (int i = 0; i < pair_.count; ++i) {
      const int sign = SignIn(term_, i);
      if (sign == 0) continue;
      LocalSurface& s = term.surface[term.count++];
      s = pair_.surface[i];
      s.surface.side *= sign;
    }
  }

  const LocalPair& pair_;
  LocalPair& room_;  ///< for a term
  int holes_ = 0;
  int hole_[kMostHoles] = {}, around_[kMostHoles] = {};
  Pass pass_ = kWhole;
  bool done_ = false;
  unsigned term_ = 0;
  double tolerance_ = 0.0;
  Moments sum_, moments_;
  RuleResult result_;
  double all_ = 0.0, error_ = 0.0, reach_ = 0.0;
  int work_ = 0;
};

}  // namespace intervox::cuda::internal
