#include "host/contact/stage/stage_point.h"

#include <algorithm>
#include <cmath>

#include "cuda/patch/patch_quadrature.h"

namespace intervox::host::internal {
namespace {

// Below this share of the elastic force the rolling moment fades: it would jump to 0 where f_n is
// clamped, and an equation with a jump need not have a solution.
constexpr double kRollingFade = 0.05;

constexpr double kSmallChange = 1e-12;  // of s, below which a secant says nothing

// Beyond so many times the depth that was evaluated V grows linearly: a power that is far off would
// be a wall, which Newton's method comes down from by a share at a time.
constexpr double kKnownDepths = 100.0;

}  // namespace

NormalForce StagePoint::Law(double V_r) const {
  double S = S_there;
  if (area_power > 0.0) S *= std::pow((V_r + V_o) / V_there, area_power);
  return model->Force(V_r, S, latch);
}

double StagePoint::VolumeThere(double V_linear, double* slope) const {
  const double p = depth_power;
  if (p == 1.0) {
    *slope = 1.0;
    return V_linear;
  }
  const double V = V_there;
  const double depths = std::max(0.0, 1.0 + (V_linear / V - 1.0) / p);
  const double known = std::min(depths, kKnownDepths);
  *slope = std::pow(known, p - 1.0);
  return V * (known + p * (depths - known)) * *slope;
}

// p ∝ depth (1 + a v_n(x)), and v_n(x) = v_cn + (n×ω_t)·x: so (b/f_n) (n×ω_t) leans the pressure,
// as far as the rolling moment is let act, and not beyond where it turns tensile.
void StagePoint::Lean() {
  const Vec3& n = Normal();
  const Vec3 c = f_n > 0.0 ? (ramp * law.b / f_n) * Cross(n, w) : Vec3{};
  const double most = 1.0 / std::max(1.0, Norm(c) * radius);
  lean[0] = most * Dot(axis[1], c);
  lean[1] = most * Dot(axis[2], c);
  if (distributed) return;  // sums over the pressure itself
  pressed = AcrossTimes(spread, lean[0], lean[1]);
}

// The bristle turns with the plate: it becomes q (1 + a n×) (z* + H ż), which is implicit in the
// turn. The law is asked with that less H ż of the last evaluation: each changes the next by less
// than itself, however fast the plate turns.
void StagePoint::TurnBristles(double z[2], double z_j[2]) const {
  const double a = H * plate_spin, q = 1.0 / (1.0 + a * a);
  const auto deflection = [&](const double star[2], const double rate_before[2], double out[2]) {
    const double moved_1 = H * rate_before[0], moved_2 = H * rate_before[1];
    out[0] = q * (star[0] - a * star[1] - a * (moved_2 + a * moved_1));
    out[1] = q * (star[1] + a * star[0] + a * (moved_1 - a * moved_2));
  };
  deflection(z_star, z_rate_before, z);
  if (model->friction->HasSpringsOnBoth()) deflection(z_j_star, z_j_rate_before, z_j);
}

Vec3 StagePoint::TakeVelocities() {
  const Vec3& n = Normal();
  Vec3 v_c;
  plate_spin = 0.0;
  if (!rests_i) {
    v_c = body_i->v + Cross(body_i->w, rho_i);
    plate_spin = (1.0 - model->plate_share) * Dot(n, body_i->w);
  }
  if (!rests_j) {
    v_c -= body_j->v + Cross(body_j->w, rho_j);
    plate_spin += model->plate_share * Dot(n, body_j->w);
  }
  for (int k = 0; k < 3; ++k) v[k] = Dot(axis[k], v_c);
  return v_c;
}

void StagePoint::EvaluatePoint(bool hold) {
  stiff = 0.0;
  if (S_n > 0.0) {
    const double z = std::max(0.0, V_begin - H * v[0] - V_o);
    NormalForce rise;
    law = model->PointForce(z, latch, &rise);
    const double b = rise.b - Bound(rise, v[0]);
    stiff = std::max(0.0, H * (rise.f_e + b * v[0]));
  }
  const double damping = Bound(law, v[0]) - law.b;
  f_n = law.f_e - damping * v[0];
  slope_n = stiff + damping;
  if (!(f_n > 0.0)) f_n = slope_n = stiff = 0.0;
  if (!hold) s = model->friction->Weight(v[1] * v[1] + v[2] * v[2]);
  PointSlip slip;
  slip.H = H;
  slip.v[0] = v[1];
  slip.v[1] = v[2];
  slip.f_n = held ? load : f_n;
  slip.s = s;
  slip.s_dw = s_dw;
  TurnBristles(slip.z, slip.z_j);
  const PointTraction t = model->friction->EvaluatePoint(slip);
  for (int k = 0; k < 2; ++k) {
    f_t[k] = t.f[k];
    f_slope[k][0] = t.slope[k][0];
    f_slope[k][1] = t.slope[k][1];
    f_slope[k][3] = held ? 0.0 : t.slope[k][2];
    friction.z[k] = t.z_rate[k];
    friction.z_j[k] = t.z_j_rate[k];
    if (hold) continue;
    z_rate_before[k] = t.z_rate[k];
    z_j_rate_before[k] = t.z_j_rate[k];
  }
  friction.s_dw = t.s_dw_rate;
  friction.stored = t.stored;
}

// What friction changes by with the weight, and that with the velocities.
void StagePoint::FollowWeight(const Traction& at, Slip* slip) {
  const double change = s > 0.5 ? -kDifference : kDifference, square = slip->v_avg_squared;
  const double rise = model->friction->Weight((1.0 + kDifference) * square) - s;
  slip->s = s + change;
  const Traction beside = model->friction->Evaluate(*slip);
  slip->s = s;
  const double by_speed = rise > 0.0 || rise < 0.0 ? 2.0 * rise / (kDifference * square) : 0.0;
  const double u[3] = {slip->v.x.v, slip->v.y.v, slip->w.v};
  const Dual* forces[2][3] = {{&at.f.x, &at.f.y, &at.f_w}, {&beside.f.x, &beside.f.y, &beside.f_w}};
  for (int k = 0; k < 3; ++k) {
    by_weight[k] = (forces[1][k]->v - forces[0][k]->v) / change;
    weight_slope[k] = by_speed * u[k];
  }
}

void StagePoint::Evaluate(bool hold, bool follow) {
  if (!active) return;
  const Vec3 v_c = TakeVelocities();
  if (is_point) {
    EvaluatePoint(hold);
    return;
  }
  w = body_i->w - body_j->w;
  v[0] += Dot(twist, w);
  const auto set_slip = [&] {
    const Vec3 v_t = leans ? v_c + Cross(w, pressed) : v_c;
    for (int k = 1; k < 3; ++k) v[k] = Dot(axis[k], v_t);
  };
  set_slip();
  const Vec3& n = Normal();
  v[3] = Dot(n, w);

  stiff = stiff_e = 0.0;
  if (S_n > 0.0) {
    double slope;
    const double V = VolumeThere(V_begin - H * S_n * (v[0] + Dot(lever, w)), &slope);
    const double V_r = std::max(0.0, V - V_o);
    law = Law(V_r);
    const NormalForce further = Law((1.0 + kDifference) * V_r);
    if (V_r > 0.0) {
      const double v_n = NormalVelocity();
      const double b = law.b - Bound(law, v_n), further_b = further.b - Bound(further, v_n);
      const double change = (further.f_e - law.f_e) + (further_b - b) * v_n;
      const double area = slope * S_n;
      stiff = std::max(0.0, area * H * change / (kDifference * V_r));
      stiff_e = area * H * (further.f_e - law.f_e) / (kDifference * V_r);
    }
  }
  const double damping = Bound(law, NormalVelocity()) - law.b;
  f_n = law.f_e - damping * NormalVelocity();
  slope_n = stiff + damping;
  stiff *= turn;
  stiff_e *= turn;
  if (!(f_n > 0.0)) f_n = slope_n = stiff = stiff_e = 0.0;
  if (!hold) {
    FreshWeights(&s, &ramp);
    tilt_ramp = f_e_there > 0.0 ? std::min(1.0, f_n / (kRollingFade * f_e_there)) : 0.0;
    if (leans) {
      Lean();
      set_slip();
    }
  }

  Slip slip;
  slip.H = H;
  slip.v = {Dual::Variable(v[1], 0), Dual::Variable(v[2], 1)};
  slip.w = r_gyr > 0.0 ? Dual::Variable(r_gyr * v[3], 2) : Dual(0.0);
  slip.f_n = held ? Dual(load) : Dual::Variable(f_n, 3);
  slip.v_avg_squared = slip.v.x.v * slip.v.x.v + slip.v.y.v * slip.v.y.v + slip.w.v * slip.w.v;
  slip.s = s;
  TurnBristles(slip.z, slip.z_j);
  slip.z_w = r_theta_star;
  slip.z_j_w = r_theta_j_star;
  slip.s_dw = s_dw;
  slip.r_gyr = r_gyr;
  slip.lean[0] = lean[0];
  slip.lean[1] = lean[1];
  slip.patch = distributed ? contact->patch : nullptr;
  if (r_gyr > 0.0) {
    model->spinning->Factors(v_epsilon, &slip);
    last_C_v = slip.C_v.v;
    last_C_w = slip.C_w.v;
    if (held) {
      slip.C_v = C_v;
      slip.C_w = C_w;
    }
  }
  const Traction traction = model->friction->Evaluate(slip);
  const Dual* forces[3] = {&traction.f.x, &traction.f.y, &traction.f_w};
  for (int k = 0; k < 3; ++k) {
    f_t[k] = forces[k]->v;
    for (int l = 0; l < 4; ++l) f_slope[k][l] = forces[k]->d[l];
  }
  if (follow) {
    std::fill_n(by_weight, 3, 0.0);  // what a guess that was dropped has left
    if (s > 0.0 && s < 1.0) FollowWeight(traction, &slip);
  }
  friction = {{traction.z_rate[0], traction.z_rate[1]},
              traction.z_w_rate,
              {traction.z_j_rate[0], traction.z_j_rate[1]},
              traction.z_j_w_rate,
              traction.s_dw_rate,
              traction.stored,
              traction.stored_w};
  if (hold) return;
  for (int k = 0; k < 2; ++k) {
    z_rate_before[k] = friction.z[k];
    z_j_rate_before[k] = friction.z_j[k];
  }
}

void StagePoint::FreshWeights(double* fresh_s, double* fresh_ramp) const {
  const double spin = r_gyr * v[3];
  *fresh_s = model->friction->Weight(v[1] * v[1] + v[2] * v[2] + spin * spin);
  *fresh_ramp = law.f_e > 0.0 ? std::min(1.0, f_n / (kRollingFade * law.f_e)) : 0.0;
  if (rolling_reach > 0.0) {
    const double tilt = rolling_reach * std::sqrt(std::max(0.0, SquaredNorm(w) - v[3] * v[3]));
    if (tilt > 1.0) *fresh_ramp /= tilt;
  }
}

void StagePoint::ImproveWeights() {
  if (!active) return;
  double fresh_s, fresh_ramp;
  FreshWeights(&fresh_s, &fresh_ramp);
  // Fixed point of s ↦ fresh(s) by the secant method, which the falling branch's steep slope does
  // not disturb; half way where the secant does not say.
  double share = 0.5;
  if (std::fabs(s - s_before) > kSmallChange) {
    const double slope = (fresh_s - fresh_s_before) / (s - s_before);
    share = slope < 1.0 ? std::clamp(1.0 / (1.0 - slope), 0.02, 1.0) : 0.5;
  }
  s_before = s;
  fresh_s_before = fresh_s;
  s += share * (fresh_s - s);
  if (!is_point) ramp = 0.5 * (ramp + fresh_ramp);
}

double StagePoint::Hold(double share) {
  const double mobility = body_i->inverse_mass + body_j->inverse_mass;
  const double change =
      std::fabs(f_n - load) + f_n * (std::fabs(last_C_v - C_v) + std::fabs(last_C_w - C_w));
  load += share * (f_n - load);
  C_v += share * (last_C_v - C_v);
  C_w += share * (last_C_w - C_w);
  held = true;
  return H * mobility * change;
}

Vec3 StagePoint::Torque() const {
  if (is_point) return {};
  const Vec3 by_rolling = AcrossTimes(rolling, Dot(axis[1], w), Dot(axis[2], w));
  const Vec3 by_friction = leans ? Cross(pressed, -f_t[0] * axis[1] - f_t[1] * axis[2]) : Vec3{};
  return by_friction - (torque_factor * r_gyr * f_t[2]) * Normal() - ramp * by_rolling +
         (f_n * turn) * twist + ElasticTorque();
}

Vec3 StagePoint::ElasticTorque() const {
  if (is_point) return {};
  if (conserves) return f_n * lever;  // damping included
  if (!(S_n > 0.0)) return {};
  return tilt_ramp *
         ((turn * (law.f_e - f_e_there)) * lever -
          AcrossTimes(K, turned[0] + H * Dot(axis[1], w), turned[1] + H * Dot(axis[2], w)));
}

void StagePoint::Slope(bool follow, double C[4][4]) const {
  C[0][0] = turn * slope_n;
  C[0][1] = C[0][2] = C[0][3] = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double scale = k == 2 ? torque_factor * r_gyr : 1.0;
    C[k + 1][0] = -scale * f_slope[k][3] * slope_n;
    const double by_s = follow ? by_weight[k] : 0.0;
    C[k + 1][1] = scale * (f_slope[k][0] + by_s * weight_slope[0]);
    C[k + 1][2] = scale * (f_slope[k][1] + by_s * weight_slope[1]);
    C[k + 1][3] = scale * r_gyr * (f_slope[k][2] + by_s * weight_slope[2]);
  }
}

Mat3 StagePoint::PointSlope(bool coupled) const {
  const Vec3 &n = axis[0], &t_1 = axis[1], &t_2 = axis[2];
  const auto row = [&](int k) {
    const double by_load = coupled ? -H * f_slope[k][3] * slope_n : 0.0;
    return by_load * n + (H * f_slope[k][0]) * t_1 + (H * f_slope[k][1]) * t_2;
  };
  const Vec3 r_n = (H * slope_n) * n, r_1 = row(0), r_2 = row(1);
  return {n.x * r_n + t_1.x * r_1 + t_2.x * r_2, n.y * r_n + t_1.y * r_1 + t_2.y * r_2,
          n.z * r_n + t_1.z * r_1 + t_2.z * r_2};
}

void StagePoint::Finish() const {
  StageContact& c = *contact;
  c.rate = PatchState{};
  c.power = ContactPower{};
  c.f_n = 0.0;
  c.force = c.torque = Vec3{};
  if (!active) return;
  // ż_W = ż_model + Ω n×z, with z at the stage's end.
  const double a = H * plate_spin, q = 1.0 / (1.0 + a * a);
  const Mat3& R_n = c.geometry.R_n;
  const auto rate_of = [&](const double star[2], const double rate[2]) {
    const double z1 = star[0] + H * rate[0], z2 = star[1] + H * rate[1];
    const double end1 = q * (z1 - a * z2), end2 = q * (z2 + a * z1);
    const double rate1 = rate[0] - plate_spin * end2, rate2 = rate[1] + plate_spin * end1;
    return TransposeTimes(R_n, rate1 * axis[1] + rate2 * axis[2]);
  };
  c.rate.z = rate_of(z_star, friction.z);
  if (model->friction->HasSpringsOnBoth()) c.rate.z_j = rate_of(z_j_star, friction.z_j);
  c.rate.theta = r_gyr > 0.0 ? friction.z_w / r_gyr : 0.0;
  c.rate.theta_j = r_gyr > 0.0 ? friction.z_j_w / r_gyr : 0.0;
  c.rate.s_dw = friction.s_dw;
  c.rate.V_o = c.model->relaxation_time > 0.0 ? -V_o / c.model->relaxation_time : 0.0;
  c.state.z += H * c.rate.z;
  c.state.theta += H * c.rate.theta;
  c.state.z_j += H * c.rate.z_j;
  c.state.theta_j += H * c.rate.theta_j;
  c.state.s_dw += H * c.rate.s_dw;
  c.state.V_o += H * c.rate.V_o;
  c.f_n = f_n;
  c.force = Force();
  c.torque = Torque();
  const double v_n = NormalVelocity();
  c.power.elastic = c.geometry.turn * law.f_e * v_n + (conserves ? 0.0 : Dot(w, ElasticTorque()));
  c.power.normal = c.geometry.turn * (law.f_e - f_n) * v_n;
  const double bound = Bound(law, v_n);
  if (bound > 0.0) c.power.bound = c.power.normal * bound / (bound - law.b);
  c.power.friction = f_t[0] * v[1] + f_t[1] * v[2];
  c.power.spinning = torque_factor * f_t[2] * r_gyr * v[3];
  c.power.rolling = ramp * Dot(w, AcrossTimes(rolling, Dot(axis[1], w), Dot(axis[2], w)));
  if (distributed) {  // of the two, only the sum is to dissipate
    c.power.friction += c.power.spinning;
    c.power.spinning = 0.0;
  }
  c.power.bristle = friction.stored + torque_factor * friction.stored_w;
  c.power.bristle_spin = torque_factor * friction.stored_w;
}

}  // namespace intervox::host::internal
