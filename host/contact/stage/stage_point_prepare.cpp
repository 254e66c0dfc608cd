#include "host/contact/stage/stage_point.h"

#include <algorithm>
#include <cmath>

#include "cuda/patch/patch_quadrature.h"
#include "host/contact/patch_depth.h"

namespace intervox::host::internal {
namespace {

/** A rolling moment, symmetric and in the plane across n, without what its J has wrong: J of an
 overlap as small as the engine's errors may not be positive. */
Mat3 Dissipating(const Mat3& Q, const Vec3& n) {
  // Of the two eigenvalues, half the sum and half the difference: |Q|² is the sum of their squares.
  const double mean = 0.5 * Trace(Q);
  const double square = SquaredNorm(Q.row0) + SquaredNorm(Q.row1) + SquaredNorm(Q.row2);
  const double apart = std::sqrt(std::max(0.0, 0.5 * square - mean * mean));
  if (mean >= apart) return Q;
  if (mean + apart <= 0.0) return Mat3::Zero();
  const Mat3 T = Mat3::Identity() - Outer(n, n);
  return ((mean + apart) / (2.0 * apart)) * (Q - (mean - apart) * T);
}

/** Elastic moment per angle of a face about its own centroid, f_e' ∫ (r×n)(r×n)ᵀ dS, from the
 second moments of the overlap. For even depth these are the face's times the depth; where the depth
 varies the face's are larger, by up to twice for an edge or a wedge and 5/3 for a corner, which
 shows in the variance along n. What is too small would be unstable, what is too large is not. */
Mat3 TiltStiffness(const PatchGeometry& g, double S, double slope) {
  const Mat3 T = Mat3::Identity() - Outer(g.n, g.n);
  const Mat3 M = Dissipating(T * SecondMoment(g) * T, g.n);
  return (std::min(2.0, DepthPower(g, S)) * slope * S / g.V) * (Trace(M) * T - M);
}

/** A symmetric matrix that has no part along the first of three axes. */
AcrossNormal Across(const Mat3& M, const Vec3 axis[3]) {
  const Vec3 M_2 = M * axis[2];
  return {Dot(axis[1], M * axis[1]), Dot(axis[1], M_2), Dot(axis[2], M_2)};
}

/** What the pressure of a law that conserves is multiplied by to give f_n: |S|; but where the sides
 of a part press against each other S vanishes, and its moment remains. */
double PressedArea(const PatchGeometry& g) {
  const double S = Norm(g.S), r = std::sqrt(std::max(0.0, Trace(g.J_W) / g.V));
  return r > 0.0 ? std::max(S, Norm(g.G) / r) : S;
}

bool IsDriven(const StageBody& body) {
  return body.inverse_mass == 0.0 && Trace(body.inverse_inertia_W) == 0.0;
}

/** Whether it does not move at all. */
bool IsAtRest(const StageBody& body) {
  return IsDriven(body) && SquaredNorm(body.v) == 0.0 && SquaredNorm(body.w) == 0.0;
}

bool KnowsOffset(const StageBody& body) { return body.has_offset || IsDriven(body); }

}  // namespace

void StagePoint::Prepare(double h_gamma, std::span<StageBody> bodies, StageContact* c) {
  const bool keeps = is_point && c->geometry.is_point;  // a point has changed no other terms
  static_cast<PointTerms&>(*this) = {};
  if (!keeps) static_cast<VolumeTerms&>(*this) = {};
  contact = c;
  H = h_gamma;
  body_i = &bodies[static_cast<std::size_t>(c->body_i)];
  body_j = &bodies[static_cast<std::size_t>(c->body_j)];
  rests_i = IsAtRest(*body_i);
  rests_j = IsAtRest(*body_j);
  const PatchGeometry& g = c->geometry;
  model = c->model;
  latch = c->latch;
  turn = g.turn;
  s_dw = c->state.s_dw;
  active = g.V > 0.0;
  if (!active) return;
  is_point = g.is_point;
  if (is_point) {
    PreparePoint();
  } else {
    PrepareVolume();
  }
  TakeVelocities();
}

void StagePoint::PrepareVolume() {
  const StageContact* c = contact;
  const PatchGeometry& g = c->geometry;
  conserves = model->normal->Conserves();
  S_there = conserves ? PressedArea(g) : std::max(0.0, Dot(g.n, g.S));
  axis[0] = conserves && S_there > 0.0 ? (1.0 / S_there) * g.S : g.n;
  distributed = model->friction->IsDistributed();
  axis[1] = c->patch != nullptr ? c->patch->t1 : AnyOrthogonal(g.n);
  axis[2] = Cross(g.n, axis[1]);
  rho_i = g.p_WC - body_i->p_WM;
  rho_j = g.p_WC - body_j->p_WM;
  twist = (1.0 / g.turn) * g.twist;  // v_n is the mean along a round wall's own normals
  const double tau_r = model->relaxation_time;
  V_o = tau_r > 0.0 ? c->state.V_o * tau_r / (tau_r + H) : 0.0;  // V̇_o = −V_o/τ_r, implicit
  if (conserves && S_there > 0.0) {
    lever = (1.0 / S_there) * g.G;
    area_power = 1.0 - 1.0 / DepthPower(g, Norm(g.S));
  }
  V_begin = V_there = g.V;
  law = Law(std::max(0.0, g.V - V_o));
  const double V_r = std::max(0.0, g.V - V_o);
  if (H > 0.0 && V_r > 0.0 && KnowsOffset(*body_i) && KnowsOffset(*body_j)) {
    const double S = S_there;
    if (S > 0.0) {
      S_n = S;
      const Vec3 G = g.G - S * twist;  // what v_n does not hold of the change of V
      lever = (1.0 / S) * G;
      f_e_there = law.f_e;
      if (!conserves) {
        depth_power = c->depth_power > 0.0
                          ? c->depth_power
                          : std::max(1.0, DepthPower(g, Norm(g.S)) - DepthPowerError(g, Norm(g.S)));
      }
      // A face's pressure that is w′(V) everywhere has no moment about the face's centroid.
      if (!conserves) {
        const double further = Law((1.0 + kDifference) * V_r).f_e;
        K = Across(TiltStiffness(g, S, (further - law.f_e) / (kDifference * V_r)), axis);
      }
      // A driven body is where it has to be: nothing of hγ v is to be added to its position.
      const auto moved = [&](const StageBody& body, const Vec3& arm) {
        return IsDriven(body) ? -H * (Dot(axis[0], body.v) + Dot(arm, body.w))
                              : Dot(axis[0], body.dx) + Dot(arm, body.dtheta);
      };
      const auto angle_of = [&](const StageBody& body) {
        return IsDriven(body) ? -H * body.w : body.dtheta;
      };
      const Vec3 arm_i = Cross(rho_i, axis[0]) + twist, arm_j = Cross(rho_j, axis[0]) + twist;
      const Vec3 angle = angle_of(*body_i) - angle_of(*body_j) + c->turned;
      for (int k = 0; k < 2; ++k) turned[k] = Dot(axis[k + 1], angle);
      const double way = moved(*body_i, arm_i) - moved(*body_j, arm_j) + Dot(axis[0], c->moved) +
                         Dot(twist, c->turned);
      V_begin -= S_n * way + Dot(G, angle);
    }
  }

  torque_factor = distributed ? 1.0 : model->spinning->TorqueFactor();
  v_epsilon = model->friction->VelocityScale();
  const double J_nn = Dot(g.n, g.J_W * g.n);
  if (torque_factor > 0.0 && J_nn > 0.0) r_gyr = std::sqrt(J_nn / g.V);
  rolling = Across((-law.b / g.V) * Dissipating(model->rolling->Moment(g), g.n), axis);
  if (model->rolling_cap && J_nn > 0.0) {
    rolling_reach = -latch.a * std::sqrt(2.0 * J_nn / g.V);  // disc: radius = √2 r_gyr
  }
  leans = model->rolling->LeansPressure() && !conserves && J_nn > 0.0;
  if (leans) {
    const Mat3 T = Mat3::Identity() - Outer(g.n, g.n);
    spread = Across((1.0 / g.V) * Dissipating(T * SecondMoment(g) * T, g.n), axis);
    radius = std::sqrt(2.0 * J_nn / g.V);
  }

  const Vec3 z_W = g.R_n * c->state.z;
  z_star[0] = Dot(axis[1], z_W);
  z_star[1] = Dot(axis[2], z_W);
  r_theta_star = r_gyr * c->state.theta;
  const Vec3 z_j_W = g.R_n * c->state.z_j;
  z_j_star[0] = Dot(axis[1], z_j_W);
  z_j_star[1] = Dot(axis[2], z_j_W);
  const Vec3 rate_W = g.R_n * c->rate.z, rate_j_W = g.R_n * c->rate.z_j;
  for (int k = 0; k < 2; ++k) {
    z_rate_before[k] = Dot(axis[k + 1], rate_W);
    z_j_rate_before[k] = Dot(axis[k + 1], rate_j_W);
  }
  r_theta_j_star = r_gyr * c->state.theta_j;
}

void StagePoint::PreparePoint() {
  const StageContact& c = *contact;
  const PatchGeometry& g = c.geometry;
  conserves = model->normal->Conserves();
  S_there = 1.0;
  axis[0] = g.n;
  axis[1] = AnyOrthogonal(g.n);
  axis[2] = Cross(g.n, axis[1]);
  rho_i = g.p_WC - body_i->p_WM;
  rho_j = g.p_WC - body_j->p_WM;
  const double tau_r = model->relaxation_time;
  V_o = tau_r > 0.0 ? c.state.V_o * tau_r / (tau_r + H) : 0.0;
  V_begin = g.V;
  const double V_r = std::max(0.0, g.V - V_o);
  if (H > 0.0 && V_r > 0.0 && KnowsOffset(*body_i) && KnowsOffset(*body_j)) {
    S_n = 1.0;
    const auto moved = [&](const StageBody& body, const Vec3& rho) {
      return IsDriven(body) ? -H * (body.v + Cross(body.w, rho))
                            : body.dx + Cross(body.dtheta, rho);
    };
    V_begin -= Dot(axis[0], moved(*body_i, rho_i) - moved(*body_j, rho_j));
  } else {
    law = Law(V_r);
  }
  const auto across = [&](const Vec3& z, double out[2]) {
    const Vec3 z_W = g.R_n * z;
    out[0] = Dot(axis[1], z_W);
    out[1] = Dot(axis[2], z_W);
  };
  across(c.state.z, z_star);
  if (model->friction->HasSpringsOnBoth()) across(c.state.z_j, z_j_star);
}

}  // namespace intervox::host::internal
