/** @file A ball within a convex set that is known by cutting planes. */
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "geometry/linear.h"

namespace intervox::host::distance {

/** A half-space n·x ≤ d. */
struct HalfSpaceCut {
  Vec3 n;          ///< unit vector
  double d = 0.0;  ///< [m]
};

/** What became of a search. */
enum class BallVerdict : std::uint8_t {
  kNone,       ///< proved: no ball of the radius asked for lies within all cuts
  kFound,      ///< the oracle took a point
  kUndecided,  ///< neither within the steps
};

/** The largest ball within four half-spaces around the origin and all cuts added since, by the dual
 simplex method (the central cutting planes of Elzinga and Moore 1975).

 The four planes that hold the ball keep their multipliers λ ≥ 0, Σ λ = 1, Σ λ n = 0: no ball within
 all cuts is larger than Σ λ d. */
class InnerBall {
 public:
  /** Starts with a regular tetrahedron around the ball of the radius about the origin, in which all
   points of the set must lie. */
  explicit InnerBall(double reach) : reach_(reach), radius_(reach) {
    constexpr double s = 0.5773502691896258;  // 1/√3
    // Turned a little, so that its planes are no faces' and ties are rare.
    constexpr double a = 0.8, b = 0.6;
    const Vec3 corners[4] = {{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}};
    for (int k = 0; k < 4; ++k) {
      const Vec3 v = corners[k];
      cut_[k] = {
          {a * v.x - b * v.y, a * (b * v.x + a * v.y) - b * v.z, b * (b * v.x + a * v.y) + a * v.z},
          reach};
      weight_[k] = 0.25;
    }
    Invert();
  }

  /** The ball's centre. */
  const Vec3& Center() const { return center_; }

  /** No ball within all cuts is larger [m]. Needs no convergence and no exact basis. */
  double Bound() const {
    Vec3 n;
    double d = 0.0;
    for (int k = 0; k < 4; ++k) {
      n += weight_[k] * cut_[k].n;
      d += weight_[k] * cut_[k].d;
    }
    return d + Norm(n) * reach_;
  }

  /** Adds a cut that the ball reaches beyond, and finds the next ball. False where the planes leave
   no room to do so in rounding. */
  bool Add(const HalfSpaceCut& cut) {
    // The cut's normal from those of the basis: n = Σ μ n_k, Σ μ = 1.
    if (!(SquaredNorm(cut.n) > 0.5)) return false;
    double mu[4];
    const Vec3 rest = TransposeTimes(inverse_, cut.n - cut_[0].n);
    mu[0] = 1.0 - rest.x - rest.y - rest.z;
    for (int k = 0; k < 3; ++k) mu[k + 1] = rest[k];
    int leaves = -1;
    double least = 0.0;
    for (int k = 0; k < 4; ++k) {
      if (!(mu[k] > kRegular)) continue;
      const double ratio = weight_[k] / mu[k];
      if (leaves >= 0 && !(ratio < least || (ratio == least && mu[k] > mu[leaves]))) continue;
      leaves = k;
      least = ratio;
    }
    if (leaves < 0) return false;
    cut_[leaves] = cut;
    return Invert();
  }

 private:
  /** Multipliers and determinants below this are rounding. */
  static constexpr double kRegular = 1e-11;

  /** The ball and the multipliers of the four planes. */
  bool Invert() {
    const Mat3 edges{cut_[1].n - cut_[0].n, cut_[2].n - cut_[0].n, cut_[3].n - cut_[0].n};
    const double det = Determinant(edges);
    if (!(std::fabs(det) > kRegular)) return false;
    inverse_ = Inverse(edges);
    center_ = inverse_ * Vec3{cut_[1].d - cut_[0].d, cut_[2].d - cut_[0].d, cut_[3].d - cut_[0].d};
    radius_ = cut_[0].d - Dot(cut_[0].n, center_);
    const Vec3 rest = -TransposeTimes(inverse_, cut_[0].n);
    weight_[0] = std::fmax(0.0, 1.0 - rest.x - rest.y - rest.z);
    double sum = weight_[0];
    for (int k = 0; k < 3; ++k) sum += weight_[k + 1] = std::fmax(0.0, rest[k]);
    for (double& w : weight_) w /= sum;
    return true;
  }

  double reach_;
  std::array<HalfSpaceCut, 4> cut_;
  std::array<double, 4> weight_;
  Mat3 inverse_;
  Vec3 center_;
  double radius_;
};

/** Looks for a point, or proves that no ball of the radius `least` lies within all cuts.
 @param oracle  called with a point: takes it (returns true), or gives a cut that the point is
                outside of or nearer to than to any other */
template <class Oracle>
BallVerdict SearchInside(double reach, double least, int most_steps, int* steps,
                         const Oracle& oracle) {
  InnerBall ball(reach);
  for (int k = 0; k < most_steps; ++k) {
    ++*steps;
    HalfSpaceCut cut;
    if (oracle(ball.Center(), &cut)) return BallVerdict::kFound;
    if (!ball.Add(cut)) return BallVerdict::kUndecided;
    if (ball.Bound() <= least) return BallVerdict::kNone;
  }
  return BallVerdict::kUndecided;
}

}  // namespace intervox::host::distance
