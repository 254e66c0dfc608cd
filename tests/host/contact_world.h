/** @file A small world for the contact tests: rigid bodies with flat pads on flat foundations,
 whose metrics are known in closed form, so that contact laws and steppers are tested without an
 engine. */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "integrators/partitioned.h"

namespace intervox::host::testing {

/** A rigid body of the test world. */
struct TestBody {
  double mass = 0.0;  ///< 0: driven at constant velocity
  Vec3 inertia;       ///< principal, body axes; 0 about an axis locks it
  Vec3 p;
  Quaternion q;
  Vec3 v;
  Vec3 w;
  Vec3 force;   ///< at the centre of mass, constant over a step
  Vec3 torque;  ///< likewise; world axes
};

/** A flat pad of body i on a foundation of body j: V = area × depth of the pad's centre. */
struct Pad {
  int body_i = 1;
  int body_j = 0;
  Vec3 p_B;             ///< the pad's centre on body i, body axes
  Vec3 n_J{0, 0, 1};    ///< the foundation's normal, axes of body j, from j toward i
  double offset = 0.0;  ///< of the foundation's plane along n_J from body j's centre
  double area = 1.0;
  double side = 0.0;  ///< pad width for the second moments
  const ContactModel* model = nullptr;

  bool begun = false;
  bool touched = false;  ///< overlapped at a stage of the last step
  PatchLatch latch;
  PatchState state;
  Vec3 n_before;      ///< normal at the last accepted step
  StageContact last;  ///< of the last stage evaluated
};

/** Totals of the audit, in the order of the quadratures. */
struct Audit {
  double elastic, normal, friction, spinning, rolling, bristle, work;
};

/** Bodies, pads and a stepper. States of a body: v and, unless it is driven, angular momentum. */
class World : public integrators::PartitionedSystem {
 public:
  explicit World(const std::string& method) : stepper_(*integrators::FindTableau(method)) {}

  std::vector<TestBody> bodies;
  std::vector<Pad> pads;
  Audit audit{};
  bool implicit_positions = true;  ///< lets stiff elastic forces act at implicit positions
  double time = 0.0;
  int iterations = 0;
  int most_iterations = 0;
  int unconverged = 0;
  double worst_residual = 0.0;
  double worst_friction_power = 0.0;  ///< most negative f·v − bristle power at a stage, over |f·v|

  void Step(double h) {
    Pack();
    for (std::size_t k = 0; k < pads.size(); ++k) {
      Pad& pad = pads[k];
      pad.touched = false;
      pad.n_before = ToRotation(bodies[static_cast<std::size_t>(pad.body_j)].q) * pad.n_J;
      if (!pad.begun) pad.model->Begin(0.0, NormalVelocity(pad), false, &pad.latch, &pad.state);
      const double states[6] = {pad.state.z.x,   pad.state.z.y,  pad.state.z.z,
                                pad.state.theta, pad.state.s_dw, pad.state.V_o};
      std::copy(states, states + 6, y_.data() + 6 * bodies.size() + 6 * k);
    }
    double a[7] = {};
    stepper_.Step(*this, time, h, x_, y_, a);
    Unpack();
    double* totals = &audit.elastic;
    for (int i = 0; i < 7; ++i) totals[i] += a[i];
    time += h;
    for (std::size_t k = 0; k < pads.size(); ++k) {
      Pad& pad = pads[k];
      const PatchGeometry g = Geometry(pad, bodies[static_cast<std::size_t>(pad.body_i)].p,
                                       ToRotation(bodies[static_cast<std::size_t>(pad.body_i)].q),
                                       bodies[static_cast<std::size_t>(pad.body_j)].p,
                                       ToRotation(bodies[static_cast<std::size_t>(pad.body_j)].q));
      if (g.V > 0.0) {
        const double* s = y_.data() + 6 * bodies.size() + 6 * k;
        pad.state = {g.R_n * Vec3{s[0], s[1], s[2]}, s[3], s[4], s[5], {}, 0.0};
        if (pad.begun) pad.model->Accept(NormalVelocity(pad), &pad.latch);
        pad.begun = true;
      } else {
        pad.begun = false;
        pad.state = {};
      }
    }
  }
  /** A step that is cut into `pieces` when a contact begins in it, as are the following ones. */
  void StepWithFineOnset(double h, int pieces, int following) {
    if (fine_steps_ == 0) {
      const std::vector<TestBody> old_bodies = bodies;
      const std::vector<Pad> old_pads = pads;
      const Audit old_audit = audit;
      Step(h);
      bool begins = false;
      for (std::size_t k = 0; k < pads.size(); ++k) {
        begins |= pads[k].touched && !old_pads[k].begun;
      }
      if (!begins) return;
      bodies = old_bodies;
      pads = old_pads;
      audit = old_audit;
      time -= h;
      fine_steps_ = following;
    }
    for (int i = 0; i < pieces; ++i) Step(h / pieces);
    --fine_steps_;
  }
  void Run(double duration, double h) {
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps; ++i) Step(h);
  }
  double Kinetic() const {
    double sum = 0.0;
    for (const TestBody& b : bodies) {
      const Vec3 w = TransposeTimes(ToRotation(b.q), b.w);
      sum += 0.5 * b.mass * SquaredNorm(b.v) + 0.5 * Dot(w, Scaled(b.inertia, w));
    }
    return sum;
  }
  /** Energy of the pads' foundations, which is exact for a flat pad. */
  double Elastic() const {
    double sum = 0.0;
    for (const Pad& pad : pads) {
      const TestBody& i = bodies[static_cast<std::size_t>(pad.body_i)];
      const TestBody& j = bodies[static_cast<std::size_t>(pad.body_j)];
      const PatchGeometry g = Geometry(pad, i.p, ToRotation(i.q), j.p, ToRotation(j.q));
      sum += 0.5 * pad.model->normal->Force(g.V, 0.0).f_e * g.V / pad.area;
    }
    return sum;
  }
  /** Relative velocity of the pad's centre, j's foundation taken as seen there. */
  Vec3 PadVelocity(const Pad& pad) const {
    const TestBody& i = bodies[static_cast<std::size_t>(pad.body_i)];
    const TestBody& j = bodies[static_cast<std::size_t>(pad.body_j)];
    const Vec3 arm = ToRotation(i.q) * pad.p_B;
    return i.v + Cross(i.w, arm) - j.v - Cross(j.w, i.p + arm - j.p);
  }

  void PositionRate(std::span<const double> x, std::span<const double> y,
                    std::span<double> rate) override {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const double* p = x.data() + 7 * k;
      const double* v = y.data() + 6 * k;
      double* r = rate.data() + 7 * k;
      std::copy(v, v + 3, r);
      const Vec3 w = Spin(bodies[k], {p[3], p[4], p[5], p[6]}, {v[3], v[4], v[5]});
      const Quaternion dq = Quaternion{0, w.x, w.y, w.z} * Quaternion{p[3], p[4], p[5], p[6]};
      r[3] = 0.5 * dq.w;
      r[4] = 0.5 * dq.x;
      r[5] = 0.5 * dq.y;
      r[6] = 0.5 * dq.z;
    }
  }
  void Project(std::span<double> x) const override {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      double* p = x.data() + 7 * k + 3;
      const Quaternion q = Normalized(Quaternion{p[0], p[1], p[2], p[3]});
      p[0] = q.w;
      p[1] = q.x;
      p[2] = q.y;
      p[3] = q.z;
    }
  }
  void StageOffset(std::span<const double> offset) override {
    offset_.assign(offset.begin(), offset.end());
  }
  void SolveStage(int /*stage*/, double /*t*/, double H, std::span<const double> x,
                  std::span<double> y, std::span<double> rate, std::span<double> power) override {
    const std::size_t n = bodies.size();
    stage_bodies_.resize(n);
    contacts_.resize(pads.size());
    for (std::size_t k = 0; k < n; ++k) {
      const TestBody& b = bodies[k];
      const double* p = x.data() + 7 * k;
      double* v = y.data() + 6 * k;
      const Mat3 R = ToRotation(Quaternion{p[3], p[4], p[5], p[6]});
      StageBody& s = stage_bodies_[k];
      s.inverse_mass = b.mass > 0.0 ? 1.0 / b.mass : 0.0;
      const Vec3 inverse{Reciprocal(b.inertia.x), Reciprocal(b.inertia.y), Reciprocal(b.inertia.z)};
      s.inverse_inertia_W = R * Mat3::Diagonal(inverse) * Transpose(R);
      s.p_WM = {p[0], p[1], p[2]};
      const double* d = offset_.data() + 7 * k;
      const Quaternion turn =
          Quaternion{d[3], d[4], d[5], d[6]} * Quaternion{p[3], -p[4], -p[5], -p[6]};
      s.has_offset = implicit_positions;
      s.dx = {d[0], d[1], d[2]};
      s.dtheta = 2.0 * Vec3{turn.x, turn.y, turn.z};
      const Vec3 accel = s.inverse_mass * b.force;
      s.v = Vec3{v[0], v[1], v[2]} + H * accel;
      s.w = Spin(b, {p[3], p[4], p[5], p[6]}, Vec3{v[3], v[4], v[5]} + H * b.torque);
      double* f = rate.data() + 6 * k;
      for (int i = 0; i < 3; ++i) {
        f[i] = accel[i];
        f[3 + i] = b.torque[i];
      }
    }
    for (std::size_t k = 0; k < pads.size(); ++k) {
      const Pad& pad = pads[k];
      StageContact& c = contacts_[k];
      const auto pose = [&](int b) { return x.data() + 7 * static_cast<std::size_t>(b); };
      const auto rotation = [&](const double* p) {
        return ToRotation(Quaternion{p[3], p[4], p[5], p[6]});
      };
      const double* i = pose(pad.body_i);
      const double* j = pose(pad.body_j);
      const double* s = y.data() + 6 * n + 6 * k;
      c.body_i = pad.body_i;
      c.body_j = pad.body_j;
      c.model = pad.model;
      c.geometry = Geometry(pad, {i[0], i[1], i[2]}, rotation(i), {j[0], j[1], j[2]}, rotation(j));
      c.latch = pad.latch;
      c.state = {{s[0], s[1], s[2]}, s[3], s[4], s[5], {}, 0.0};
      c.f_n = pad.last.f_n;
      c.force = pad.last.force;
      c.torque = pad.last.torque;
    }
    const StageResult result = host::SolveStage(H, stage_bodies_, contacts_);
    iterations += result.iterations;
    most_iterations = std::max(most_iterations, result.iterations);
    unconverged += result.converged ? 0 : 1;
    worst_residual = std::max(worst_residual, result.residual);
    std::fill(power.begin(), power.end(), 0.0);
    for (std::size_t k = 0; k < pads.size(); ++k) {
      const StageContact& c = contacts_[k];
      pads[k].last = c;
      pads[k].touched |= c.geometry.V > 0.0;
      const auto add = [&](int b, double sign) {
        const StageBody& s = stage_bodies_[static_cast<std::size_t>(b)];
        double* f = rate.data() + 6 * static_cast<std::size_t>(b);
        const Vec3 moment = c.torque + Cross(c.geometry.p_WC - s.p_WM, c.force);
        const Vec3 dv = sign * s.inverse_mass * c.force;
        if (s.inverse_mass == 0.0) return;
        for (int i = 0; i < 3; ++i) {
          f[i] += dv[i];
          f[3 + i] += sign * moment[i];
        }
      };
      add(c.body_i, 1.0);
      add(c.body_j, -1.0);
      double* f = rate.data() + 6 * n + 6 * k;
      double* s = y.data() + 6 * n + 6 * k;
      const double values[6] = {c.state.z.x,   c.state.z.y,  c.state.z.z,
                                c.state.theta, c.state.s_dw, c.state.V_o};
      const double rates[6] = {c.rate.z.x,   c.rate.z.y,  c.rate.z.z,
                               c.rate.theta, c.rate.s_dw, c.rate.V_o};
      std::copy(values, values + 6, s);
      std::copy(rates, rates + 6, f);
      power[0] += c.power.elastic;
      power[1] += c.power.normal;
      power[2] += c.power.friction;
      power[3] += c.power.spinning;
      power[4] += c.power.rolling;
      power[5] += c.power.bristle;
      const double total = c.power.friction + c.power.spinning;
      worst_friction_power = std::min(worst_friction_power, total - c.power.bristle);
    }
    for (std::size_t k = 0; k < 6 * n; ++k) y[k] += H * rate[k];
    for (std::size_t k = 0; k < n; ++k)
      power[6] +=
          Dot(bodies[k].force, stage_bodies_[k].v) + Dot(bodies[k].torque, stage_bodies_[k].w);
  }

 private:
  // Angular velocity of a body with the angular momentum L; of a driven one it is the state itself.
  static Vec3 Spin(const TestBody& b, const Quaternion& q, const Vec3& L) {
    if (b.mass == 0.0) return L;
    const Mat3 R = ToRotation(q);
    const Vec3 l = TransposeTimes(R, L);
    return R * Vec3{Reciprocal(b.inertia.x) * l.x, Reciprocal(b.inertia.y) * l.y,
                    Reciprocal(b.inertia.z) * l.z};
  }
  static double Reciprocal(double value) { return value > 0.0 ? 1.0 / value : 0.0; }

  PatchGeometry Geometry(const Pad& pad, const Vec3& p_i, const Mat3& R_i, const Vec3& p_j,
                         const Mat3& R_j) const {
    PatchGeometry g;
    g.n = R_j * pad.n_J;
    const Vec3 p = p_i + R_i * pad.p_B;
    const double depth = pad.offset - Dot(g.n, p - p_j);
    g.V = std::max(0.0, pad.area * depth);
    g.p_WC = p;
    g.S = pad.area * g.n;
    const double m = g.V * pad.side * pad.side / 12.0;
    g.J_W = m * (Mat3::Identity() + Outer(g.n, g.n));
    g.R_n = Turn(pad.n_before, g.n);
    return g;
  }
  // The smallest rotation from a to b.
  static Mat3 Turn(const Vec3& a, const Vec3& b) {
    const Vec3 k = Cross(a, b);
    const double c = Dot(a, b);
    return c * Mat3::Identity() + CrossMatrix(k) + (1.0 / (1.0 + c)) * Outer(k, k);
  }
  double NormalVelocity(const Pad& pad) const {
    const Vec3 n = ToRotation(bodies[static_cast<std::size_t>(pad.body_j)].q) * pad.n_J;
    return Dot(n, PadVelocity(pad));
  }
  void Pack() {
    x_.resize(7 * bodies.size());
    y_.resize(6 * bodies.size() + 6 * pads.size());
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const TestBody& b = bodies[k];
      const double x[7] = {b.p.x, b.p.y, b.p.z, b.q.w, b.q.x, b.q.y, b.q.z};
      const Mat3 R = ToRotation(b.q);
      const Vec3 L = b.mass == 0.0 ? b.w : R * Scaled(b.inertia, TransposeTimes(R, b.w));
      const double y[6] = {b.v.x, b.v.y, b.v.z, L.x, L.y, L.z};
      std::copy(x, x + 7, x_.data() + 7 * k);
      std::copy(y, y + 6, y_.data() + 6 * k);
    }
  }
  void Unpack() {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      TestBody& b = bodies[k];
      const double* x = x_.data() + 7 * k;
      const double* y = y_.data() + 6 * k;
      b.p = {x[0], x[1], x[2]};
      b.q = {x[3], x[4], x[5], x[6]};
      b.v = {y[0], y[1], y[2]};
      b.w = Spin(b, b.q, {y[3], y[4], y[5]});
    }
  }

  integrators::PartitionedStepper stepper_;
  int fine_steps_ = 0;
  std::vector<double> x_, y_, offset_;
  std::vector<StageBody> stage_bodies_;
  std::vector<StageContact> contacts_;
};

}  // namespace intervox::host::testing
