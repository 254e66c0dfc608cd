#include "host/bodies/free_rotation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/bodies/rigid_body.h"

namespace intervox::host {
namespace {

constexpr std::size_t kMostTerms = 24;
constexpr int kMostPieces = 8192;
/** A series is summed up to terms of this share of the first. */
constexpr double kEnough = 1e-17;
/** A piece is not begun with a larger angle than this [rad]. */
constexpr double kMostAngle = 2.0;

/** q ω for a vector ω. */
Quaternion Times(const Quaternion& q, const Vec3& w) { return q * Quaternion{0.0, w.x, w.y, w.z}; }

/** a + s b. */
Quaternion Plus(const Quaternion& a, double s, const Quaternion& b) {
  return {a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

double LargestOf(const Quaternion& q) {
  return std::max({std::fabs(q.w), std::fabs(q.x), std::fabs(q.y), std::fabs(q.z)});
}

/** Turns q by the first `left` [s] of the motion that one series tells. Returns how much of it. */
double TurnByPiece(const RigidBody& body, double left, Quaternion* q) {
  std::array<Vec3, kMostTerms + 1> L, w;
  std::array<Quaternion, kMostTerms + 1> turn;
  L[0] = TransposeTimes(ToRotation(*q), body.spin);
  w[0] = body.inverse_inertia_M * L[0];
  turn[0] = *q;
  const double speed = Norm(w[0]), size = Norm(L[0]);
  // The terms are those of the time in units of h.
  const double h = speed * left > kMostAngle ? kMostAngle / speed : left;
  std::size_t terms = 0;
  double last = 1.0, before = 1.0;
  while (terms < kMostTerms && std::fmax(last, before) > kEnough) {
    const std::size_t k = terms++;
    L[k + 1] = {};
    turn[k + 1] = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t i = 0; i <= k; ++i) {
      L[k + 1] += Cross(L[i], w[k - i]);
      turn[k + 1] = Plus(turn[k + 1], 1.0, Times(turn[i], w[k - i]));
    }
    const double by = h / static_cast<double>(k + 1);
    L[k + 1] = by * L[k + 1];
    w[k + 1] = body.inverse_inertia_M * L[k + 1];
    Quaternion& term = turn[k + 1];
    term = {0.5 * by * term.w, 0.5 * by * term.x, 0.5 * by * term.y, 0.5 * by * term.z};
    before = last;
    last = LargestOf(term) + Norm(L[k + 1]) / size;
  }
  // Where the series is not at its end, only the part of h is taken for which it is.
  const double most = std::fmax(last, before);
  const double share = most > kEnough ? 0.8 * std::pow(kEnough / most, 1.0 / kMostTerms) : 1.0;
  Quaternion sum = turn[terms];
  for (std::size_t k = terms; k-- > 0;) {
    sum = Plus(turn[k], share, sum);
  }
  *q = Normalized(sum);
  return share * h;
}

}  // namespace

Quaternion TurnFreely(const RigidBody& body, double duration) {
  Quaternion q = body.q_WB;
  if (!(SquaredNorm(body.spin) > 0.0)) return q;
  double left = duration;
  for (int piece = 0; left > 0.0 && piece < kMostPieces; ++piece) {
    const double done = TurnByPiece(body, left, &q);
    left = done < left ? left - done : 0.0;
  }
  return q;
}

}  // namespace intervox::host
