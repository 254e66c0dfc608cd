#include "host/contact/points/settle.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "geometry/surface_eval.h"
#include "host/contact/points/curvature.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Surface;

constexpr std::size_t kMostSurfaces = 3;
/** Newton's steps for one set of surfaces, and changes of the set. */
constexpr int kMostIterations = 20, kMostChanges = 8;
/** Share of the lengths below which a step or a level is rounding. */
constexpr double kStill = 1e-13, kOnSurface = 1e-11;
/** The same of a step of equations that hold to rounding already: along a nearly flat direction it
 is rounding over the curvature. */
constexpr double kNearlyStill = 1e-7;
/** Share of the largest curvature or bend below which one is flat. */
constexpr double kFlat = 1e-9;

/** A body at the point: the surfaces that it lies on, with the multipliers of their gradients. */
struct Side {
  const Cell* cell = nullptr;
  Pose X_WC;
  std::array<const Surface*, kMostSurfaces> on{};
  std::array<double, kMostSurfaces> lambda{};
  int count = 0;

  Vec3 Local(const Vec3& p_W) const { return TransposeTimes(X_WC.R, p_W - X_WC.p); }
  const Surface& Of(int k) const { return *on[static_cast<std::size_t>(k)]; }
  double& Lambda(int k) { return lambda[static_cast<std::size_t>(k)]; }
  double Lambda(int k) const { return lambda[static_cast<std::size_t>(k)]; }
  /** How strongly surface k pushes out of the cell. */
  double Push(int k) const { return Of(k).side * Lambda(k); }
  bool Has(const Surface& s) const {
    return std::find(on.begin(), on.begin() + count, &s) != on.begin() + count;
  }
  void Add(const Surface& s) {
    on[static_cast<std::size_t>(count)] = &s;
    Lambda(count++) = 0.0;
  }
  void Drop(int k) {
    std::copy(on.begin() + k + 1, on.begin() + count, on.begin() + k);
    std::copy(lambda.begin() + k + 1, lambda.begin() + count, lambda.begin() + k);
    --count;
  }
};

/** Two cells with a point that is to become the deepest; p_A − p_B = x n in the world. */
struct Candidate {
  Side a, b;
  Vec3 p_A, n;
  double x = 0.0;
  double size = 1.0;  ///< of the smaller cell [m]

  Vec3 p_B() const { return p_A - x * n; }
};

/** Σ λ ∇∇f of a side, in the world. */
Mat3 BendOf(const Side& side, const Vec3& p_W) {
  Mat3 sum = Mat3::Zero();
  const Vec3 p = side.Local(p_W);
  for (int k = 0; k < side.count; ++k) sum = sum + side.Lambda(k) * Hessian(side.Of(k), p);
  return side.X_WC.R * sum * Transpose(side.X_WC.R);
}

/** The lengths whose rounding a level at a point has. */
double LengthOf(const Side& side, const Vec3& p_W) {
  double length = Norm(side.Local(p_W)) + Norm(side.X_WC.p);
  for (int k = 0; k < side.count; ++k) length = std::fmax(length, Norm(side.Of(k).o));
  return length;
}

/** The surface of a side whose level at a point is the largest of those that it does not lie on. */
const Surface* Outermost(const Side& side, const Vec3& p_W, double* level) {
  const Surface* found = nullptr;
  const Vec3 p = side.Local(p_W);
  for (const Surface& s : side.cell->surfaces) {
    if (side.Has(s)) continue;
    const double here = geometry::Level(s, p);
    if (found != nullptr && here <= *level) continue;
    *level = here;
    found = &s;
  }
  return found;
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 13, 13>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 13, 1>;

/** Where the unknowns stand in Newton's steps: p_A, n, x, multipliers; |n| = 1 has the row of x. */
constexpr int kP = 0, kN = 3, kX = 6, kLambda = 7;

void AddBlock(Matrix* m, int row, int column, const Mat3& block) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) (*m)(row + i, column + j) += block(i, j);
  }
}

/** Newton's equations at a candidate, with lengths in its size. @returns the largest level. */
double Linearize(const Candidate& at, Matrix* m, Vector* right) {
  const double L = at.size, x = at.x / L;
  const Vec3 p_B = at.p_B();
  const Mat3 bend_A = L * BendOf(at.a, at.p_A), bend_B = L * BendOf(at.b, p_B);
  AddBlock(m, 0, kP, bend_A);
  AddBlock(m, 0, kN, Mat3::Identity());
  AddBlock(m, 3, kP, bend_B);
  AddBlock(m, 3, kN, -1.0 * Mat3::Identity() - x * bend_B);
  const Vec3 along = bend_B * at.n;
  Vec3 rest[2] = {at.n, -at.n};
  double off = 0.0;
  int row = kLambda;
  const auto add = [&](const Side& side, int body, const Vec3& p_W) {
    for (int k = 0; k < side.count; ++k, ++row) {
      const Vec3 p = side.Local(p_W), g = side.X_WC.R * geometry::Gradient(side.Of(k), p);
      const double level = geometry::Value(side.Of(k), p) / L;
      for (int i = 0; i < 3; ++i) {
        (*m)(3 * body + i, row) = (*m)(row, kP + i) = g[i];
        if (body == 1) (*m)(row, kN + i) = -x * g[i];
      }
      if (body == 1) (*m)(row, kX) = -Dot(g, at.n);
      (*right)(row) = -level;
      off = std::fmax(off, std::fabs(level));
      rest[body] += side.Lambda(k) * g;
    }
  };
  add(at.a, 0, at.p_A);
  add(at.b, 1, p_B);
  for (int i = 0; i < 3; ++i) {
    (*m)(3 + i, kX) = -along[i];
    (*m)(kX, kN + i) = at.n[i];
    (*right)(i) = -rest[0][i];
    (*right)(3 + i) = -rest[1][i];
  }
  (*right)(kX) = 0.5 * (1.0 - SquaredNorm(at.n));
  return off;
}

/** Newton's method for the equations of DeepestPoint with the surfaces as they are. */
bool Solve(Candidate* at) {
  constexpr double kFarthest = 10.0;  // sizes
  const int rows = kLambda + at->a.count + at->b.count;
  const double rounding =
      std::fmax(1.0, std::fmax(LengthOf(at->a, at->p_A), LengthOf(at->b, at->p_B())) / at->size);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Matrix m = Matrix::Zero(rows, rows);
    Vector right = Vector::Zero(rows);
    const double off = Linearize(*at, &m, &right);
    const Vector step = m.partialPivLu().solve(right);
    if (!step.allFinite() || !(step.head(kLambda).cwiseAbs().maxCoeff() < kFarthest)) return false;
    at->p_A += at->size * Vec3{step(kP), step(kP + 1), step(kP + 2)};
    at->n += Vec3{step(kN), step(kN + 1), step(kN + 2)};
    at->x += at->size * step(kX);
    int row = kLambda;
    for (Side* side : {&at->a, &at->b}) {
      for (int k = 0; k < side->count; ++k) side->Lambda(k) += step(row++);
    }
    const double moved = step.head(kLambda).cwiseAbs().maxCoeff();
    const double rest = right.head(kLambda).cwiseAbs().maxCoeff();
    const bool is_still =
        moved <= kStill * rounding || (moved <= kNearlyStill && rest <= kStill * rounding);
    if (is_still && off <= kOnSurface * rounding) return true;
  }
  return false;
}

/** Sets the multipliers so that Σ λ ∇f is nearest to a unit vector. */
void SetMultipliers(Side* side, const Vec3& p_W, const Vec3& n_W) {
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> g(3, side->count);
  const Vec3 n = TransposeTimes(side->X_WC.R, n_W), p = side->Local(p_W);
  for (int k = 0; k < side->count; ++k) {
    const Vec3 gradient = geometry::Gradient(side->Of(k), p);
    for (int i = 0; i < 3; ++i) g(i, k) = gradient[i];
  }
  const auto lambda = g.colPivHouseholderQr().solve(Eigen::Vector3d(n.x, n.y, n.z)).eval();
  for (int k = 0; k < side->count; ++k) side->Lambda(k) = lambda(k);
}

/** The directions across n in which a side goes on at its point, in the axes t and u across n. */
Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 2> TangentsOf(const Side& side, const Vec3& p_W,
                                                             const Vec3& t, const Vec3& u) {
  if (side.count == 1) return Eigen::Matrix2d::Identity();
  if (side.count == 3) return Eigen::Matrix<double, 2, 0>();
  const Vec3 p = side.Local(p_W);
  const Vec3 edge =
      side.X_WC.R * Cross(geometry::Gradient(side.Of(0), p), geometry::Gradient(side.Of(1), p));
  return Eigen::Vector2d(Dot(t, edge), Dot(u, edge)).normalized();
}

/** Whether the depth is least along n, not only stationary. With the bends S of both sides across n
 and the depth d the form |δ|² − d (m + δ)ᵀ S_A (m + δ) − d mᵀ S_B m is positive in what A alone
 moves by, δ, and negative in what both move by, m, A being the side with more directions. */
bool IsLeast(const Candidate& at) {
  for (const Side* side : {&at.a, &at.b}) {
    for (int k = 0; k < side->count && side->count > 1; ++k) {
      if (side->Push(k) <= kIdle) return false;  // a face is as deep as its edge
    }
  }
  const Vec3 t = AnyOrthogonal(at.n), u = Cross(at.n, t);
  const auto across = [&](const Mat3& bend) {
    Eigen::Matrix2d S;
    S << Dot(t, bend * t), Dot(t, bend * u), Dot(u, bend * t), Dot(u, bend * u);
    return (at.size * S).eval();
  };
  Eigen::Matrix2d S_A = across(BendOf(at.a, at.p_A)), S_B = across(BendOf(at.b, at.p_B()));
  auto T_A = TangentsOf(at.a, at.p_A, t, u), T_B = TangentsOf(at.b, at.p_B(), t, u);
  const auto fewer = [](const auto& a, const auto& b) { return a.cols() < b.cols(); };
  if (fewer(T_A, T_B) || (!fewer(T_B, T_A) && S_A.trace() > S_B.trace())) {
    std::swap(T_A, T_B);
    std::swap(S_A, S_B);
  }
  const double d = -at.x / at.size;
  const auto is_positive = [](const auto& form) {
    const auto values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(form, Eigen::EigenvaluesOnly).eigenvalues();
    return values.minCoeff() > kFlat * std::fmax(1.0, values.maxCoeff());
  };
  const auto own = (T_A.transpose() * T_A - d * T_A.transpose() * S_A * T_A).eval();
  if (T_A.cols() == 1) {
    // Two edges, which must cross: they have no direction in common.
    if (T_B.cols() != 1) return false;
    Eigen::Matrix2d both;
    both << own(0, 0), -T_A.col(0).dot(T_B.col(0)), 0.0, 1.0 - d * T_B.col(0).dot(S_B * T_B.col(0));
    both(1, 0) = both(0, 1);
    return is_positive(both);
  }
  if (T_A.cols() == 0 || !is_positive(own)) return false;
  if (T_B.cols() == 0) return true;
  // −m-part after δ is eliminated, over d: S_A + S_B + d S_A own⁻¹ S_A.
  const Eigen::Matrix2d sum = S_A + S_B + d * S_A * own.inverse() * S_A;
  return is_positive((T_B.transpose() * sum * T_B).eval());
}

/** The side and surface whose multiplier pulls most; no side where none does. */
std::pair<Side*, int> Pulling(Candidate* at) {
  std::pair<Side*, int> found{nullptr, 0};
  double least = -kIdle;
  for (Side* side : {&at->a, &at->b}) {
    for (int k = 0; k < side->count; ++k) {
      const double push = side->Push(k);
      if (push >= least) continue;
      least = push;
      found = {side, k};
    }
  }
  return found;
}

/** Brings a candidate to a point near it where the depth is stationary.
 @param is_least  whether it is least there */
bool Settle(Candidate* at, bool* is_least) {
  for (int change = 0; change < kMostChanges; ++change) {
    if (!Solve(at)) return false;
    const auto [pulling, which] = Pulling(at);
    if (pulling != nullptr) {
      if (pulling->count == 1) return false;
      pulling->Drop(which);
      continue;
    }
    Side* left = nullptr;
    const Surface* violated = nullptr;
    double most = 0.0;
    for (Side* side : {&at->a, &at->b}) {
      const Vec3 p_W = side == &at->a ? at->p_A : at->p_B();
      double level = 0.0;
      const Surface* outermost = Outermost(*side, p_W, &level);
      if (outermost == nullptr ||
          level <= std::fmax(most, kOnSurface * (at->size + LengthOf(*side, p_W))))
        continue;
      most = level;
      left = side;
      violated = outermost;
    }
    if (violated == nullptr) {
      *is_least = IsLeast(*at);
      return at->x < 0.0;
    }
    if (left->count == static_cast<int>(kMostSurfaces)) return false;
    left->Add(*violated);
  }
  return false;
}

/** Sets the multipliers for a normal, and drops the surfaces that hardly push along it, or pull. */
void KeepPushing(Side* side, const Vec3& p_W, const Vec3& n_W, double hardly) {
  for (;;) {
    SetMultipliers(side, p_W, n_W);
    int least = 0;
    for (int k = 1; k < side->count; ++k) {
      if (side->Push(k) < side->Push(least)) least = k;
    }
    if (side->count == 1 || side->Push(least) > hardly) return;
    side->Drop(least);
  }
}

/** Whether a cut face is among those that push. */
bool IsCut(const Side& side) {
  for (int k = 0; k < side.count; ++k) {
    if (side.Of(k).cut && side.Push(k) > kIdle) return true;
  }
  return false;
}

}  // namespace

double SizeOf(const PairQuery& query) {
  double size = HUGE_VAL;
  for (const Cell* cell : {query.a, query.b}) {
    if (cell->bounded) size = std::fmin(size, Norm(cell->bounds.half));
  }
  return std::isfinite(size) ? size : 1.0;
}

bool IsNear(const Vec3& n, double x, const PointContact& estimate) {
  constexpr double kNearNormal = 0.5, kDeeper = 4.0;
  return Dot(n, estimate.n) > kNearNormal && x > kDeeper * estimate.x;
}

std::optional<Settled> SettleFrom(const PairQuery& query, const PointContact& from,
                                  const StartPlace& place_A, const StartPlace& place_B,
                                  double hardly, Accepted accepted) {
  Candidate at{{query.a, query.X_WA, {}, {}, 0},
               {query.b, query.X_WB, {}, {}, 0},
               place_A.p_W,
               from.n,
               from.x,
               SizeOf(query)};
  for (Side* side : {&at.a, &at.b}) {
    const StartPlace& place = side == &at.a ? place_A : place_B;
    double level = 0.0;
    while (side->count < static_cast<int>(kMostSurfaces)) {
      const Surface* s = Outermost(*side, place.p_W, &level);
      if (s == nullptr || (side->count > 0 && level < -place.near)) break;
      side->Add(*s);
    }
    KeepPushing(side, place.p_W, side == &at.a ? -from.n : from.n, hardly);
  }
  bool is_least = false;
  if (!Settle(&at, &is_least)) return std::nullopt;
  const Vec3 n = at.n / Norm(at.n);
  // What moving apart comes to may be a saddle, too.
  constexpr double kSame = 1e-3;
  const bool is_same = Norm(n - from.n) < kSame && std::fabs(at.x - from.x) < -kSame * from.x;
  const bool is_wanted = is_least ? IsNear(n, at.x, from) : accepted == Accepted::kSame && is_same;
  if (!is_wanted) return std::nullopt;
  return Settled{{0, at.x, n, at.p_A, at.p_A - at.x * n}, IsCut(at.a) || IsCut(at.b)};
}

}  // namespace intervox::host::points
