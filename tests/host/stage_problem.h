/** @file Stages for the tests of SolveStage: models, random bodies and contacts. */
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "host/contact/contact_model.h"

namespace intervox::host::testing {

/** Gonthier's normal law, bristle, Contensou and rolling resistance. */
inline std::unique_ptr<const ContactModel> Model(double stiffness, double restitution, double mu_s,
                                                 double mu_c, double v_S = 0.1) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", stiffness}, {"restitution", restitution}}, {}};
  s.friction = {"bristle",
                {{"mu_s", mu_s},
                 {"mu_c", mu_c},
                 {"sigma_0", 1e5},
                 {"sigma_1", 316.23},
                 {"v_stribeck", v_S},
                 {"dwell_time", 1e-2}},
                {}};
  s.rolling.model = "gonthier";
  s.spinning.model = "contensou";
  return MakeContactModel(s, {}, {});
}

/** Draws of a fixed seed. */
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine_);
  }
  double Log(double a, double b) { return std::exp(Uniform(std::log(a), std::log(b))); }
  Vec3 Vector(double size) {
    return {Uniform(-size, size), Uniform(-size, size), Uniform(-size, size)};
  }
  Mat3 Rotation() {
    return ToRotation(
        Normalized(Quaternion{Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1)}));
  }

 private:
  std::mt19937_64 engine_;
};

/** One stage. */
struct Problem {
  std::vector<StageBody> bodies;  // 0 is the ground
  std::vector<Mat3> inertia;
  std::vector<StageContact> contacts;
};

/** A contact of body 1 on body 0 with the normal z, of volume V [m³] and J_W = J diag(1, 1, 2). */
inline StageContact OnGround(const ContactModel& model, double V, double J) {
  StageContact c;
  c.body_i = 1;
  c.body_j = 0;
  c.model = &model;
  c.geometry.V = V;
  c.geometry.n = {0, 0, 1};
  c.geometry.J_W = J * Mat3::Diagonal({1, 1, 2});
  return c;
}

/** Random bodies and contacts, each with up to `load` [N] of elastic force. */
inline Problem Draw(Random& random, const ContactModel& model, int free, int contacts,
                    double load) {
  Problem p;
  p.bodies.resize(static_cast<std::size_t>(free) + 1);
  p.inertia.resize(p.bodies.size());
  for (std::size_t b = 1; b < p.bodies.size(); ++b) {
    const double mass = random.Log(0.1, 10.0);
    const Mat3 R = random.Rotation();
    p.inertia[b] = R * Mat3::Diagonal(mass * Vec3{0.01, 0.02, 0.015}) * Transpose(R);
    p.bodies[b].inverse_mass = 1.0 / mass;
    p.bodies[b].inverse_inertia_W = Inverse(p.inertia[b]);
    p.bodies[b].p_WM = random.Vector(0.2);
    p.bodies[b].v = random.Vector(0.5);
    p.bodies[b].w = random.Vector(2.0);
  }
  for (int k = 0; k < contacts; ++k) {
    StageContact c;
    c.body_i = 1 + k % free;
    c.body_j = k % 3 == 0 || free == 1 ? 0 : 1 + (k + 1) % free;
    c.model = &model;
    PatchGeometry& g = c.geometry;
    g.n = Normalized(random.Vector(1.0));
    g.p_WC = random.Vector(0.2);
    g.V = load * random.Uniform(0.1, 1.0);  // stiffness 1: V is the elastic force
    g.J_W = (1e-4 * g.V) * (Mat3::Identity() + Outer(g.n, g.n));
    c.latch = {0.5, model.normal->DampingFactor(0.5)};
    const Vec3 z = random.Vector(2e-6);
    c.state.z = z - Dot(z, g.n) * g.n;
    c.state.theta = random.Uniform(-1e-4, 1e-4);
    c.state.s_dw = random.Uniform(0.0, 1.0);
    p.contacts.push_back(c);
  }
  return p;
}

/** Kinetic energy of the free bodies [J]. */
inline double Kinetic(const Problem& p) {
  double sum = 0.0;
  for (std::size_t b = 1; b < p.bodies.size(); ++b) {
    const StageBody& body = p.bodies[b];
    sum += 0.5 * SquaredNorm(body.v) / body.inverse_mass + 0.5 * Dot(body.w, p.inertia[b] * body.w);
  }
  return sum;
}

}  // namespace intervox::host::testing
