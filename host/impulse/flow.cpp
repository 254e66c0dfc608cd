#include "host/impulse/flow.h"

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "integrators/tableau.h"

namespace intervox::host::impulse {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-13;  // of a step, speeds and inverse masses being of size 1
constexpr double kStraight = 1e-13;   // a slip that turns slower than this keeps its direction
constexpr double kAttracted =
    1e-12;                          // [rad], a slip nearer to a direction that attracts it is there
constexpr double kStopped = 1e-15;  // a falling slip below this has ended

/** A piece of the flow along which friction keeps its direction. */
struct Ray {
  Eigen::Vector2d friction;  ///< dp_t/dp_n
  double slip = 0.0;         ///< d|u|/dp_n
  double rise = 0.0;         ///< dv/dp_n
};

/** The flow: angle and logarithm of the slip, and what has grown since the piece began. */
struct Polar {
  double angle = 0.0, log_slip = 0.0, n = 0.0, tx = 0.0, ty = 0.0, work = 0.0;
};

Polar Sum(const Polar& a, double s, const Polar& b) {
  return {a.angle + s * b.angle, a.log_slip + s * b.log_slip, a.n + s * b.n, a.tx + s * b.tx,
          a.ty + s * b.ty,       a.work + s * b.work};
}

Eigen::Vector2d Direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

/** One collision under way. */
class Collision {
 public:
  Collision(const LocalContact& contact, double e, double mu, FlowEnd end)
      : at_(contact), e_(e), mu_(mu), end_(end), v_start_(contact.v), v_(contact.v) {
    slip_ = contact.slip.norm();
    angle_ = std::atan2(contact.slip.y(), contact.slip.x());
  }

  Flow Run() {
    if (v_ > 0.0 || (v_ == 0.0 && NextRise() >= 0.0)) return flow_;
    for (int piece = 0; piece < 1000; ++piece) {
      if (!compresses_ && Missing() <= 0.0) return flow_;
      if (mu_ == 0.0 || slip_ == 0.0 || Keeps(angle_)) {
        Follow(NextRay());
      } else {
        Turn();
      }
    }
    throw std::runtime_error("impulse law: the flow of slip does not end");
  }

 private:
  /** Whether a slip in this direction keeps it: it turns too slowly, or is at a direction that
   attracts it. The second is what ends a slip that turns much faster than it changes. */
  bool Keeps(double angle) const {
    const double turns = std::fabs(Rates(angle, 0.0).angle);
    return turns < kStraight || turns < kAttracted * Attraction(angle);
  }

  /** −d(dθ/dτ)/dθ: how fast directions near this one come to it. */
  double Attraction(double angle) const {
    const Eigen::Vector2d d = Direction(angle), across(-d.y(), d.x());
    return d.dot(at_.b) + mu_ * (across.dot(at_.A * across) - d.dot(at_.A * d));
  }

  /** The piece that begins now, if its slip keeps its direction. */
  Ray NextRay() {
    Ray ray;
    if (mu_ == 0.0) {
      ray = {Eigen::Vector2d::Zero(), 0.0, at_.c};
    } else if (slip_ == 0.0) {
      const DiscFriction disc = FrictionOnDisc(at_.A, at_.b, mu_);
      if (disc.slip > 0.0) angle_ = std::atan2(-disc.q.y(), -disc.q.x());
      ray = {disc.q, disc.slip * mu_, at_.c + at_.b.dot(disc.q)};
    } else {
      const Polar rates = Rates(angle_, 0.0);
      const Eigen::Vector2d friction = -mu_ * Direction(angle_);
      ray = {friction, rates.log_slip, at_.c + at_.b.dot(friction)};
    }
    return ray;
  }

  double NextRise() {
    if (slip_ > 0.0) return at_.c - mu_ * at_.b.dot(Direction(angle_));
    return NextRay().rise;
  }

  /** What restitution still has to give until the collision ends: speed, impulse or work. */
  double Missing() const {
    switch (end_) {
      case FlowEnd::kNewton:
        return e_ * -v_start_ - v_;
      case FlowEnd::kPoisson:
        return e_ * flow_.compression - restitution_;
      case FlowEnd::kStronge:
        return e_ * e_ * -flow_.work_compression - flow_.work_restitution;
    }
    return 0.0;
  }

  /** The same after an impulse n that does a work. */
  double Missing(double n, double work, double v) const {
    const double gain = end_ == FlowEnd::kNewton ? v - v_ : end_ == FlowEnd::kPoisson ? n : work;
    return Missing() - gain;
  }

  /** The impulse after which restitution has ended, along a ray. */
  double RestitutionAlong(const Ray& ray) const {
    const double missing = Missing();
    if (end_ == FlowEnd::kPoisson) return missing;
    if (end_ == FlowEnd::kNewton) return ray.rise > 0.0 ? missing / ray.rise : kNever;
    const double square = v_ * v_ + 2.0 * ray.rise * missing;
    return square > 0.0 ? 2.0 * missing / (v_ + std::sqrt(square)) : kNever;
  }

  /** Follows a ray until the slip ends, the phase changes, or the collision ends. */
  void Follow(const Ray& ray) {
    const double slip_ends = ray.slip < 0.0 ? slip_ / -ray.slip : kNever;
    const bool turns = compresses_ ? ray.rise > 0.0 : ray.rise < 0.0;
    const double phase_ends = turns ? -v_ / ray.rise : kNever;
    const double restitution_ends = compresses_ ? kNever : RestitutionAlong(ray);
    const double n = std::fmin(slip_ends, std::fmin(phase_ends, restitution_ends));
    if (!std::isfinite(n)) throw std::runtime_error("impulse law: a piece of the flow has no end");
    const double v = n == phase_ends ? 0.0 : v_ + ray.rise * n;
    Advance(n * ray.friction, n, 0.5 * (v_ + v) * n, v);
    slip_ = n == slip_ends ? 0.0 : std::fmax(0.0, slip_ + ray.slip * n);
    if (n == restitution_ends) {
      // Rounding is not to leave a rest of what is missing.
      e_ = 0.0;
      end_ = FlowEnd::kPoisson;
    } else if (n == phase_ends) {
      compresses_ = !compresses_;
    }
  }

  void Advance(const Eigen::Vector2d& t, double n, double work, double v) {
    flow_.impulse.t += t;
    flow_.impulse.n += n;
    (compresses_ ? flow_.compression : restitution_) += n;
    (compresses_ ? flow_.work_compression : flow_.work_restitution) += work;
    v_ = v;
  }

  double VelocityAfter(const Polar& y) const {
    return v_ + at_.b.x() * y.tx + at_.b.y() * y.ty + at_.c * y.n;
  }

  /** d/dτ, Bhatt and Koechling (5.17), (5.18), with the impulses and the work beside. */
  Polar Rates(double angle, double log_slip, double v = 0.0) const {
    const Eigen::Vector2d d = Direction(angle);
    const Eigen::Vector2d u = at_.b - mu_ * (at_.A * d);
    const double r = std::exp(log_slip);
    return {d.x() * u.y() - d.y() * u.x(), d.dot(u), r, -mu_ * r * d.x(), -mu_ * r * d.y(), r * v};
  }
  Polar Rates(const Polar& y) const { return Rates(y.angle, y.log_slip, VelocityAfter(y)); }

  /** One step of Dormand and Prince's method of order 5. @param error  of order 4, in units of what
   is allowed */
  Polar Step(const Polar& y, double h, double* error) const {
    static const integrators::Tableau& method = *integrators::FindTableau("rk5");
    static constexpr std::array<double, 7> off_b = {
        // of order 5 less those of order 4
        71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    std::array<Polar, 7> k;
    k[0] = Rates(y);
    Polar next;
    for (std::size_t stage = 0; stage < 6; ++stage) {
      const double* a = stage < 5 ? method.a_explicit[stage + 1] : method.b;
      next = y;
      for (std::size_t m = 0; m <= stage; ++m) next = Sum(next, h * a[m], k[m]);
      k[stage + 1] = Rates(next);
    }
    Polar off;
    for (std::size_t m = 0; m < 7; ++m) off = Sum(off, h * off_b[m], k[m]);
    const auto share = [](double wrong, double value) {
      return std::fabs(wrong) / (kTolerance * (1.0 + std::fabs(value)));
    };
    *error = std::fmax(std::fmax(share(off.angle, 0.0), share(off.log_slip, 0.0)),
                       std::fmax(std::fmax(share(off.n, next.n), share(off.work, next.work)),
                                 std::fmax(share(off.tx, next.tx), share(off.ty, next.ty))));
    return next;
  }

  /** Whether the phase has changed or the collision has ended by y. */
  bool Ends(const Polar& y) const {
    const double v = VelocityAfter(y);
    if (compresses_) return v >= 0.0;
    return v < 0.0 || Missing(y.n, y.work, v) <= 0.0;
  }

  /** Follows a slip that turns, until it keeps its direction, it ends, or so does the phase. */
  void Turn() {
    Polar y{angle_, std::log(slip_)};
    if (!compresses_ && v_ == 0.0 && NextRise() < 0.0) {
      compresses_ = true;  // friction turns the bodies back into each other
      return;
    }
    double h = 0.01, error = 0.0;
    for (int steps = 0;; ++steps) {
      if (steps > 20000) throw std::runtime_error("impulse law: the slip turns without end");
      const Polar next = Step(y, h, &error);
      if (error > 1.0 || !std::isfinite(error)) {
        h *= std::isfinite(error) ? std::fmax(0.2, 0.9 * std::pow(error, -0.2)) : 0.1;
        continue;
      }
      if (Ends(next)) break;
      y = next;
      h *= std::fmin(4.0, 0.9 * std::pow(std::fmax(error, 1e-10), -0.2));
      const bool stops = y.log_slip < std::log(kStopped) && Rates(y).log_slip < 0.0;
      if (stops || Keeps(y.angle)) {
        Accept(y);
        if (stops) slip_ = 0.0;
        return;
      }
    }
    double low = 0.0, high = h;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (Ends(Step(y, middle, &error)) ? high : low) = middle;
    }
    const Polar last = Step(y, high, &error);
    const bool turned = compresses_ || VelocityAfter(last) < 0.0;
    Accept(last);
    if (turned) {
      v_ = 0.0;
      compresses_ = !compresses_;
    }
  }

  void Accept(const Polar& y) {
    angle_ = y.angle;
    slip_ = std::exp(y.log_slip);
    Advance({y.tx, y.ty}, y.n, y.work, VelocityAfter(y));
  }

  const LocalContact& at_;
  double e_, mu_;
  FlowEnd end_;
  double v_start_, v_, slip_ = 0.0, angle_ = 0.0;
  double restitution_ = 0.0;
  bool compresses_ = true;
  Flow flow_;
};

}  // namespace

Flow FlowOf(const LocalContact& contact, double e, double mu, FlowEnd end) {
  const double speed = std::sqrt(contact.slip.squaredNorm() + contact.v * contact.v);
  if (speed == 0.0) return {};
  const double scale = contact.A.trace() + contact.c;  // [1/kg]
  LocalContact unit = contact;
  unit.A /= scale;
  unit.b /= scale;
  unit.c /= scale;
  unit.slip /= speed;
  unit.v /= speed;
  Flow flow = Collision(unit, e, mu, end).Run();
  const double impulse = speed / scale, work = speed * impulse;
  flow.impulse.t *= impulse;
  flow.impulse.n *= impulse;
  flow.compression *= impulse;
  flow.work_compression *= work;
  flow.work_restitution *= work;
  return flow;
}

}  // namespace intervox::host::impulse
