#include "host/distance/convex_program.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "geometry/surface_eval.h"

namespace intervox::host::distance {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/** Iterations after which what is known is returned. */
constexpr int kMostIterations = 60;
/** Iterations in which rounding lets nothing more be proved, after which the method ends. */
constexpr int kMostIdle = 3;
/** Distances and violations below this share of the lengths are rounding. */
constexpr double kRounding = 1e-13;
/** Share of the way to the boundary that a step goes, and of the gap that it aims at. */
constexpr double kToBoundary = 0.995;
/** Products of slacks and multipliers below this are rounding. */
constexpr double kSmallestGap = 1e-22;
constexpr double kCentering = 0.05;

/** A function with its derivatives. */
struct Jet {
  double value = 0.0;
  Vec3 gradient;
  Mat3 hessian;  ///< positive semidefinite
};

/** The part of a Hessian that is positive semidefinite, of a torus: across the tube, and around the
 axis on its outer half. */
Mat3 TorusHessian(const Surface& s, const Vec3& x) {
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  const double rho = std::hypot(y.x, y.y), tube = std::hypot(rho - s.e.x, y.z);
  Mat3 out{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  if (!(rho > 0.0) || !(tube > 0.0)) return out;
  const Vec3 radial{y.x / rho, y.y / rho, 0.0};
  const Vec3 along{-radial.y, radial.x, 0.0};
  const Vec3 out_of_tube = ((rho - s.e.x) * radial + Vec3{0, 0, y.z}) / tube;
  const Vec3 around_tube = Cross(along, out_of_tube);
  const double bend = std::fmax(0.0, (rho - s.e.x) / (tube * rho));
  out = (1.0 / tube) * Outer(around_tube, around_tube) + bend * Outer(along, along);
  return s.R * out * Transpose(s.R);
}

/** (ρ − k z)/√(1 + k²) of a cone ρ ≤ k z about its axis: convex, with a kink on the axis. */
Jet ConeJet(const Surface& s, const Vec3& x) {
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  const double k = std::sqrt(-s.e.z / s.e.x), scale = 1.0 / std::sqrt(1.0 + k * k);
  const double rho = std::hypot(y.x, y.y);
  const Vec3 radial = rho > 0.0 ? Vec3{y.x / rho, y.y / rho, 0.0} : Vec3{};
  const Vec3 along = s.R * Vec3{-radial.y, radial.x, 0.0};
  Jet out;
  out.value = scale * (rho - k * y.z);
  out.gradient = scale * (s.R * (radial - Vec3{0.0, 0.0, k}));
  out.hessian = (rho > 0.0 ? scale / rho : 0.0) * Outer(along, along);
  return out;
}

bool IsConvexCone(const Surface& s) { return s.kind == SurfaceKind::kCone && s.side > 0; }

Jet JetOf(const Constraint& constraint, const Vec3& x) {
  const Surface& s = constraint.surface;
  if (IsConvexCone(s)) return ConeJet(s, x);
  if (const auto flat = FlatOfHull(constraint, x)) {
    return {flat->level, flat->n, Mat3{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  }
  const double side = s.side;
  Jet out;
  out.value = side * geometry::Value(s, x);
  out.gradient = side * geometry::Gradient(s, x);
  out.hessian = Mat3{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  if (s.kind == SurfaceKind::kPlane) return out;
  if (s.kind == SurfaceKind::kTorus) {
    if (s.side > 0) out.hessian = TorusHessian(s, x);
    return out;
  }
  const auto bend = [&](double e) { return std::fmax(0.0, 2 * side * e); };
  const Mat3 inner{{bend(s.e.x), 0, 0}, {0, bend(s.e.y), 0}, {0, 0, bend(s.e.z)}};
  out.hessian = s.R * inner * Transpose(s.R);
  return out;
}

/** One condition c(x) ≤ 0 with its slack s > 0, c + s = 0 in the end, and its multiplier λ > 0. */
class Smooth {
 public:
  Smooth(const Constraint& constraint, const Vec3& x) : constraint_(&constraint) {
    Linearize(x);
    slack_ = std::fmax(-jet_.value, kStart);
    lambda_ = kStart / slack_;
  }
  int Body() const { return constraint_->body; }
  void Linearize(const Vec3& x) { jet_ = JetOf(*constraint_, x); }
  double Product() const { return slack_ * lambda_; }
  double Violation() const { return jet_.value; }
  /** Σ λ c, which is subtracted, and its gradient. */
  double Held() const { return lambda_ * jet_.value; }
  Vec3 Pull() const { return lambda_ * jet_.gradient; }
  double Weight() const { return lambda_; }

  /** Adds its part to Newton's matrix and right side. */
  void AddTo(double target, Mat3* matrix, Vec3* right) const {
    const double weight = lambda_ / slack_;
    const double pull = target / slack_ + weight * (jet_.value + slack_);
    *right -= pull * jet_.gradient;
    *matrix = *matrix + weight * Outer(jet_.gradient, jet_.gradient) + lambda_ * jet_.hessian;
  }
  /** Finds its own part of the step, and how far it may go. */
  void SetStep(double target, const Vec3& way, double* primal, double* dual) {
    ds_ = -(jet_.value + slack_) - Dot(jet_.gradient, way);
    dl_ = (target - lambda_ * ds_) / slack_ - lambda_;
    if (ds_ < 0.0) *primal = std::fmin(*primal, -kToBoundary * slack_ / ds_);
    if (dl_ < 0.0) *dual = std::fmin(*dual, -kToBoundary * lambda_ / dl_);
  }
  void Step(double primal, double dual) {
    slack_ += primal * ds_;
    lambda_ += dual * dl_;
  }

 private:
  static constexpr double kStart = 0.1;

  const Constraint* constraint_;
  Jet jet_;
  double slack_ = 0.0, lambda_ = 0.0, ds_ = 0.0, dl_ = 0.0;
};

/** x₀² − x₁² − x₂², which is positive within the cone x₀ ≥ |(x₁, x₂)|. */
double Minkowski(const Vec3& x) { return x.x * x.x - x.y * x.y - x.z * x.z; }

/** The largest share ≤ 1 of the step that stays within the cone, a little short of it. */
double WithinCone(const Vec3& x, const Vec3& step) {
  // (x + α step)² = a α² + 2 b α + c with c > 0.
  const double a = Minkowski(step), c = Minkowski(x);
  const double b = x.x * step.x - x.y * step.y - x.z * step.z;
  double most = step.x < 0.0 ? -x.x / step.x : HUGE_VAL;
  const double discriminant = b * b - a * c;
  if (discriminant >= 0.0) {
    const double q = -(b + std::copysign(std::sqrt(discriminant), b));
    for (const double root : {q / a, c / q}) {
      if (root > 0.0) most = std::fmin(most, root);
    }
  }
  return std::fmin(1.0, kToBoundary * most);
}

/** A circular cone as a vector s = A x + b within the cone s₀ ≥ |(s₁, s₂)|, with a multiplier in
 the same cone and the scaling of Nesterov and Todd (1997): its apex is no exception. */
class Conic {
 public:
  Conic(const Constraint& constraint, const Vec3& x) : body_(constraint.body) {
    const Surface& s = constraint.surface;
    const double k = std::sqrt(-s.e.z / s.e.x), scale = 1.0 / std::sqrt(1.0 + k * k);
    rows_ = Mat3{scale * k * s.R.Col(2), scale * s.R.Col(0), scale * s.R.Col(1)};
    apex_ = s.o;
    Linearize(x);
    const double out = std::hypot(value_.y, value_.z) - value_.x;
    slack_ = value_ + Vec3{std::fmax(0.0, out) + kStart, 0.0, 0.0};
    lambda_ = kStart * Inverse(slack_);
  }
  int Body() const { return body_; }
  void Linearize(const Vec3& x) { value_ = rows_ * (x - apex_); }
  double Product() const { return Dot(slack_, lambda_); }
  double Violation() const { return std::hypot(value_.y, value_.z) - value_.x; }
  double Held() const { return -Dot(lambda_, value_); }
  Vec3 Pull() const { return -TransposeTimes(rows_, lambda_); }
  double Weight() const { return lambda_.x; }

  void AddTo(double target, Mat3* matrix, Vec3* right) const {
    const Mat3 scaling = Scaling();
    *right += TransposeTimes(rows_, target * Inverse(slack_) + scaling * (slack_ - value_));
    *matrix = *matrix + Transpose(rows_) * scaling * rows_;
  }
  void SetStep(double target, const Vec3& way, double* primal, double* dual) {
    ds_ = value_ - slack_ + rows_ * way;
    dl_ = target * Inverse(slack_) - lambda_ - Scaling() * ds_;
    *primal = std::fmin(*primal, WithinCone(slack_, ds_));
    *dual = std::fmin(*dual, WithinCone(lambda_, dl_));
  }
  void Step(double primal, double dual) {
    slack_ += primal * ds_;
    lambda_ += dual * dl_;
  }

 private:
  static constexpr double kStart = 0.1;

  static Vec3 Mirrored(const Vec3& x) { return {x.x, -x.y, -x.z}; }
  /** The inverse of Jordan's product. */
  static Vec3 Inverse(const Vec3& x) { return Mirrored(x) / Minkowski(x); }

  /** The matrix that takes slacks to multipliers: W⁻² = (2 w wᵀ − J)/η². */
  Mat3 Scaling() const {
    const double ss = Minkowski(slack_), ll = Minkowski(lambda_);
    const Vec3 s = slack_ / std::sqrt(ss), l = lambda_ / std::sqrt(ll);
    const double gamma = std::sqrt(0.5 * (1.0 + Dot(s, l)));
    const Vec3 w = (0.5 / gamma) * (Mirrored(s) + l);
    const Mat3 mirror{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    return std::sqrt(ll / ss) * (2.0 * Outer(w, w) + -1.0 * mirror);
  }

  int body_;
  Mat3 rows_;
  Vec3 apex_, value_, slack_, lambda_, ds_, dl_;
};

/** The iterate: both points, and the constraints with their slacks and multipliers. */
class Program {
 public:
  /** @param conic  whether cones are conic constraints; else they are smooth but for their axis */
  Program(const std::vector<Constraint>& constraints, const Vec3& x, const Vec3& y, bool conic)
      : z_{x, y} {
    for (const Constraint& c : constraints) {
      if (conic && IsConvexCone(c.surface)) {
        conics_.emplace_back(c, z_[c.body]);
      } else {
        smooths_.emplace_back(c, z_[c.body]);
      }
    }
  }

  /** The mean of the products of slacks and multipliers. */
  double Gap() const {
    double sum = 0.0;
    ForEach(*this, [&](const auto& c) { sum += c.Product(); });
    return Count() > 0 ? sum / static_cast<double>(Count()) : 0.0;
  }

  /** The gap at which Σ λ c is rounding: smaller ones do nothing but spoil the matrix. */
  double SmallestGap() const {
    return 0.1 * kRounding * Norm(z_[0] - z_[1]) /
           static_cast<double>(std::max<std::size_t>(Count(), 1));
  }

  /** One step of Newton's method towards a gap of `target`. */
  void Step(double target) {
    const Vec3 d = z_[0] - z_[1];
    Mat3 own[2] = {Mat3::Identity(), Mat3::Identity()};
    Vec3 pull[2] = {-d, d};
    ForEach(*this, [&](const auto& c) { c.AddTo(target, &own[c.Body()], &pull[c.Body()]); });
    Matrix6 matrix = Matrix6::Identity() * kRounding;
    Vector6 right;
    for (int i = 0; i < 3; ++i) {
      for (const int b : {0, 1}) {
        right[3 * b + i] = pull[b][i];
        for (int j = 0; j < 3; ++j) matrix(3 * b + i, 3 * b + j) += own[b].Row(i)[j];
      }
      matrix(i, 3 + i) -= 1.0;
      matrix(3 + i, i) -= 1.0;
    }
    const Vector6 dz = matrix.ldlt().solve(right);
    const Vec3 way[2] = {{dz[0], dz[1], dz[2]}, {dz[3], dz[4], dz[5]}};
    double primal = 1.0, dual = 1.0;
    ForEach(*this, [&](auto& c) { c.SetStep(target, way[c.Body()], &primal, &dual); });
    for (const int b : {0, 1}) z_[b] += primal * way[b];
    ForEach(*this, [&](auto& c) {
      c.Step(primal, dual);
      c.Linearize(z_[c.Body()]);
    });
  }

  /** What is known at the iterate. */
  NearestPoints Known(const std::array<Reach, 2>& reach) const {
    NearestPoints out;
    out.x = z_[0];
    out.y = z_[1];
    out.distance = Norm(z_[0] - z_[1]);
    out.violation = 0.0;
    ForEach(*this, [&](const auto& c) { out.violation = std::fmax(out.violation, c.Violation()); });
    if (!(out.distance > 0.0) || !std::isfinite(reach[0].radius + reach[1].radius)) return out;
    Vec3 pull[2];
    double held = 0.0, weight = 0.0;
    ForEach(*this, [&](const auto& c) {
      held += c.Held();
      weight += c.Weight();
      pull[c.Body()] += c.Pull();
    });
    // The pulls tell n to all digits, x − y only to those that |x − y| keeps of the lengths.
    const Vec3 across = 0.5 * (pull[1] - pull[0]);
    const double force = Norm(across);
    if (!(force > 0.0)) return out;
    out.n = across / force;
    double sum = Dot(out.n, z_[0] - z_[1]) + held / force;
    const double rest = 0.5 * Norm(pull[0] + pull[1]) / force, size = 1.0 + weight / force;
    for (const int b : {0, 1}) sum -= rest * (Norm(z_[b] - reach[b].center) + reach[b].radius);
    out.lower = std::fmax(0.0, sum - kRounding * size);
    return out;
  }

 private:
  std::size_t Count() const { return smooths_.size() + conics_.size(); }

  template <class Self, class F>
  static void ForEach(Self& self, const F& f) {
    for (auto& c : self.smooths_) f(c);
    for (auto& c : self.conics_) f(c);
  }

  Vec3 z_[2];
  std::vector<Smooth> smooths_;
  std::vector<Conic> conics_;
};

}  // namespace

std::optional<Flat> FlatOfHull(const Constraint& constraint, const Vec3& x) {
  if (!constraint.hull) return {};
  const Surface& s = constraint.surface;
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  if (y.x * y.x + y.y * y.y >= s.e.x * s.e.x) return {};
  return Flat{std::fabs(y.z) - s.e.y, std::copysign(1.0, y.z) * s.R.Col(2)};
}

double ConstraintValue(const Constraint& constraint, const Vec3& x) {
  const Surface& s = constraint.surface;
  return IsConvexCone(s) ? ConeJet(s, x).value : geometry::Level(s, x);
}

namespace {

/** Whether the iterate is as good as rounding allows. */
bool IsProved(const NearestPoints& at, double lower) {
  return at.violation <= kRounding && at.distance - lower <= 4 * kRounding * (1.0 + at.distance);
}

/** Iterates until nothing is left to gain; the best bound goes into `lower`. */
NearestPoints Iterate(Program program, const std::array<Reach, 2>& reach, double enough,
                      double* lower) {
  NearestPoints best = program.Known(reach);
  int idle = 0;
  for (int k = 0; k < kMostIterations && idle < kMostIdle; ++k) {
    const double gap = program.Gap(), least = program.SmallestGap();
    program.Step(std::fmax(kCentering * gap, least));
    const NearestPoints next = program.Known(reach);
    if (!std::isfinite(next.distance)) break;
    const bool nearer = next.distance - next.lower < 0.5 * (best.distance - *lower);
    idle = nearer || gap > 2.0 * least ? 0 : idle + 1;
    *lower = std::fmax(*lower, next.lower);
    best = next;
    if (*lower > enough || IsProved(next, *lower)) break;
    if (next.violation <= kRounding && gap < kSmallestGap) break;
  }
  return best;
}

}  // namespace

NearestPoints FindNearest(const std::vector<Constraint>& constraints, const Vec3& x, const Vec3& y,
                          const std::array<Reach, 2>& reach, double enough) {
  double lower = 0.0;
  NearestPoints best = Iterate({constraints, x, y, false}, reach, enough, &lower);
  // As smooth constraints cones have a kink on their axis, at the apex above all; as conic ones
  // they lose half their digits where they are touched beside it.
  const bool cones = std::any_of(constraints.begin(), constraints.end(),
                                 [](const Constraint& c) { return IsConvexCone(c.surface); });
  if (cones && lower <= enough && !IsProved(best, lower)) {
    const NearestPoints again = Iterate({constraints, best.x, best.y, true}, reach, enough, &lower);
    if (std::isfinite(again.distance) && again.violation <= std::fmax(best.violation, kRounding)) {
      best = again;
    }
  }
  if (!IsProved(best, best.lower)) best.n = (best.x - best.y) / best.distance;
  best.lower = lower;
  return best;
}

}  // namespace intervox::host::distance
