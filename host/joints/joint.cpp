#include "host/joints/joint.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace intervox::host {
namespace {

/** A joint's frame in the world as one side has it. */
struct Axes {
  Vec3 p, x, y, z;
};

Axes AxesOf(const Pose& X_WJ) { return {X_WJ.p, X_WJ.R.Col(0), X_WJ.R.Col(1), X_WJ.R.Col(2)}; }

/** Adds rows to a joint's equations. */
class Rows {
 public:
  Rows(const JointSide& a, const JointSide& b, const Vec3& p, const Vec3& p_b, JointEquations* out)
      : a_(a), b_(b), p_(p), d_(p - p_b), out_(*out) {
    v_a_ = a.v + Cross(a.w, p - a.p_WM);
    v_rel_ = v_a_ - b.v - Cross(b.w, p - b.p_WM);
    w_rel_ = a.w - b.w;
  }

  /** d·e with d from b's frame to a's and e fixed in b. */
  void Shift(const Vec3& e) { Add({e, {}}, Dot(d_, e), ShiftBias(e)); }

  /** f·e with f fixed in a and e fixed in b. */
  void Turn(const Vec3& f, const Vec3& e) {
    const Vec3 n = Cross(f, e);
    const Vec3 n_rate = Cross(Cross(a_.w, f), e) + Cross(f, Cross(b_.w, e));
    Add({{}, n}, Dot(f, e), Dot(w_rel_, n_rate));
  }

  void Add(const JointRow& row, double error, double bias) {
    const std::size_t k = out_.stage.rows++;
    out_.stage.row[k] = row;
    out_.error[k] = error;
    out_.bias[k] = bias;
  }

  /** (d·e)¨ at zero accelerations. */
  double ShiftBias(const Vec3& e) const {
    const Vec3 a_rel = Cross(a_.w, Cross(a_.w, p_ - a_.p_WM)) - Cross(b_.w, v_a_ - b_.v);
    return Dot(a_rel, e) + Dot(v_rel_, Cross(b_.w, e));
  }
  /** The rate of the turn about e, fixed in b, and its derivative at zero accelerations. */
  double TurnRate(const Vec3& e) const { return Dot(w_rel_, e); }
  double TurnBias(const Vec3& e) const { return Dot(w_rel_, Cross(b_.w, e)); }
  double ShiftRate(const Vec3& e) const { return Dot(v_rel_, e); }
  double ShiftAlong(const Vec3& e) const { return Dot(d_, e); }

 private:
  const JointSide &a_, &b_;
  Vec3 p_, d_, v_a_, v_rel_, w_rel_;
  JointEquations& out_;
};

/** The angle nearest to 0 that differs by whole turns. */
double Wrapped(double angle) {
  return angle - 2.0 * std::numbers::pi * std::round(angle / (2.0 * std::numbers::pi));
}

/** The free coordinate, and its row where it is prescribed. */
void AddCoordinate(const Joint& joint, const Axes& a, const Axes& b, double t, double within,
                   Rows* rows, JointEquations* out) {
  const bool turns = joint.IsAngular();
  out->stage.free = turns ? JointRow{{}, b.z} : JointRow{b.z, {}};
  out->coordinate = turns ? std::atan2(Dot(a.x, b.y), Dot(a.x, b.x)) : rows->ShiftAlong(b.z);
  out->rate = turns ? rows->TurnRate(b.z) : rows->ShiftRate(b.z);
  out->stage.servo = joint.servo;
  if (joint.motion.empty()) return;
  const CoordinateMotion motion = Evaluate(joint.motion, t, within);
  const double miss = out->coordinate - motion.position;
  const double bias = turns ? rows->TurnBias(b.z) : rows->ShiftBias(b.z);
  rows->Add(out->stage.free, turns ? Wrapped(miss) : miss, bias - motion.acceleration);
  out->stage.target[out->stage.rows - 1] = motion.velocity;
}

}  // namespace

ServoForce ForceAt(const StageServo& servo, double rate) {
  const double miss = servo.velocity - rate;
  const double beyond = std::fabs(miss) - servo.dead_band;
  if (!(servo.limit > 0.0) || beyond <= 0.0) return {};
  if (beyond >= servo.band) return {std::copysign(servo.limit, miss), 0.0};
  const double slope = servo.limit / servo.band;
  return {std::copysign(slope * beyond, miss), slope};
}

CoordinateMotion Evaluate(std::span<const JointKey> keys, double t, double within) {
  if (within < keys.front().t) return {keys.front().position, 0.0, 0.0};
  if (within >= keys.back().t) return {keys.back().position, 0.0, 0.0};
  const auto after = std::upper_bound(keys.begin(), keys.end(), within,
                                      [](double at, const JointKey& key) { return at < key.t; });
  const JointKey &from = *(after - 1), &to = *after;
  const double T = to.t - from.t, s = (t - from.t) / T;
  const double way = to.position - from.position;
  // q = q₀ + v₀ T s + c₂ s² + c₃ s³
  const double c1 = from.velocity * T, c2 = 3.0 * way - (2.0 * from.velocity + to.velocity) * T;
  const double c3 = (from.velocity + to.velocity) * T - 2.0 * way;
  return {from.position + s * (c1 + s * (c2 + s * c3)), (c1 + s * (2.0 * c2 + 3.0 * s * c3)) / T,
          (2.0 * c2 + 6.0 * s * c3) / (T * T)};
}

JointEquations Evaluate(const Joint& joint, const JointSide& side_a, const JointSide& side_b,
                        double t, double within) {
  const Axes a = AxesOf(side_a.X_WB * joint.X_AJ), b = AxesOf(side_b.X_WB * joint.X_BJ);
  JointEquations out;
  out.stage.p_WJ = a.p;
  Rows rows(side_a, side_b, a.p, b.p, &out);
  rows.Shift(b.x);
  rows.Shift(b.y);
  if (joint.type != JointType::kPrismatic) rows.Shift(b.z);
  if (joint.type != JointType::kSpherical) {
    rows.Turn(a.z, b.x);
    rows.Turn(a.z, b.y);
  }
  if (joint.type == JointType::kPrismatic || joint.type == JointType::kFixed) rows.Turn(a.x, b.y);
  if (joint.HasCoordinate()) AddCoordinate(joint, a, b, t, within, &rows, &out);
  return out;
}

double LargestError(const JointEquations& equations) {
  double largest = 0.0;
  for (std::size_t k = 0; k < equations.stage.rows; ++k) {
    const double error = std::fabs(equations.error[k]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

}  // namespace intervox::host
