#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "host/contact/contact_model.h"

namespace intervox::host {
namespace {

std::unique_ptr<const ContactModel> Model(double stiffness, double restitution, double mu_s,
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

struct Problem {
  std::vector<StageBody> bodies;  // 0 is the ground
  std::vector<Mat3> inertia;
  std::vector<StageContact> contacts;
};

Problem Draw(Random& random, const ContactModel& model, int free, int contacts, double load) {
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

double Kinetic(const Problem& p) {
  double sum = 0.0;
  for (std::size_t b = 1; b < p.bodies.size(); ++b) {
    const StageBody& body = p.bodies[b];
    sum += 0.5 * SquaredNorm(body.v) / body.inverse_mass + 0.5 * Dot(body.w, p.inertia[b] * body.w);
  }
  return sum;
}

TEST(SolveStage, ReturnedVelocitiesStatesAndForcesSatisfyTheStageEquation) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(1);
  int converged = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Problem p = Draw(random, *model, 1 + trial % 3, 1 + trial % 7, random.Log(1.0, 3e3));
    const double H = random.Log(1e-6, 3e-4);
    const Problem start = p;
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    if (!result.converged) continue;
    ++converged;
    Problem end = p;  // F evaluated at the solution, explicitly
    SolveStage(0.0, end.bodies, end.contacts);
    std::vector<Vec3> v(p.bodies.size()), w(p.bodies.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const StageContact& c = p.contacts[k];
      const StageContact& e = end.contacts[k];
      const double size = 1e-5 * (1.0 + Norm(c.force));
      EXPECT_LT(Norm(c.force - e.force), size) << trial;
      EXPECT_LT(Norm(c.torque - e.torque), size) << trial;
      EXPECT_LT(Norm(c.rate.z - e.rate.z), 1e-6) << trial;
      EXPECT_NEAR(c.rate.theta, e.rate.theta, 1e-4) << trial;
      EXPECT_NEAR(c.rate.s_dw, e.rate.s_dw, 1e-4 * (1.0 + std::fabs(e.rate.s_dw))) << trial;
      EXPECT_LT(Norm(c.state.z - start.contacts[k].state.z - H * c.rate.z), 1e-18);
      const auto add = [&](int b, double sign) {
        const auto at = static_cast<std::size_t>(b);
        const StageBody& body = start.bodies[at];
        const Vec3 moment = c.torque + Cross(c.geometry.p_WC - body.p_WM, c.force);
        v[at] += sign * H * body.inverse_mass * c.force;
        w[at] += sign * H * (body.inverse_inertia_W * moment);
      };
      add(c.body_i, 1.0);
      add(c.body_j, -1.0);
    }
    for (std::size_t b = 0; b < p.bodies.size(); ++b) {
      EXPECT_LT(Norm(p.bodies[b].v - start.bodies[b].v - v[b]), 1e-12 * (1 + Norm(v[b])));
      EXPECT_LT(Norm(p.bodies[b].w - start.bodies[b].w - w[b]), 1e-12 * (1 + Norm(w[b])));
    }
  }
  EXPECT_GT(converged, 290);
}

// What a drag adds to the equation: M (y − y*) + H (K y − K y*) = H Σ Jᵀ w, K y written out as the
// force and torque of the damper; from weak drags to 1e4 times the inertia.
TEST(SolveStage, DragsAreImplicit) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(7);
  int converged = 0, iterations = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Problem p = Draw(random, *model, 1 + trial % 2, 1 + trial % 5, random.Log(1.0, 3e3));
    const double H = random.Log(1e-6, 3e-4);
    std::vector<StageDrag> drags(p.bodies.size());
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      const double strength = random.Log(1e-2, 1e4) / (H * p.bodies[b].inverse_mass);
      const Mat3 R = random.Rotation(), Q = random.Rotation();
      drags[b].p_WB = p.bodies[b].p_WM + random.Vector(0.1);
      drags[b].D = strength * (R * Mat3::Diagonal({1.0, 0.3, 0.0}) * Transpose(R));
      drags[b].D_r = (0.01 * strength) * (Q * Mat3::Diagonal({0.0, 1.0, 0.5}) * Transpose(Q));
      p.bodies[b].drag = &drags[b];
    }
    const Problem start = p;
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    iterations += result.iterations;
    if (!result.converged) continue;
    ++converged;
    Problem end = p;
    SolveStage(0.0, end.bodies, end.contacts);
    std::vector<Vec3> force(p.bodies.size()), torque(p.bodies.size());
    for (std::size_t k = 0; k < p.contacts.size(); ++k) {
      const StageContact& c = p.contacts[k];
      EXPECT_LT(Norm(c.force - end.contacts[k].force), 1e-4 * (1.0 + Norm(c.force))) << trial;
      const auto add = [&](int b, double sign) {
        const auto at = static_cast<std::size_t>(b);
        force[at] += sign * c.force;
        torque[at] += sign * (c.torque + Cross(c.geometry.p_WC - start.bodies[at].p_WM, c.force));
      };
      add(c.body_i, 1.0);
      add(c.body_j, -1.0);
    }
    for (std::size_t b = 1; b < p.bodies.size(); ++b) {
      const StageBody& body = p.bodies[b];
      const Vec3 arm = drags[b].p_WB - body.p_WM;
      const Vec3 dv = body.v - start.bodies[b].v, dw = body.w - start.bodies[b].w;
      const Vec3 drag = drags[b].D * (dv + Cross(dw, arm));
      const Vec3 p_change = dv / body.inverse_mass + H * drag;
      const Vec3 l_change = p.inertia[b] * dw + H * (drags[b].D_r * dw + Cross(arm, drag));
      // Rounding of velocities of order 1, times what they are multiplied by.
      const double rounding = 1e-14 * (1.0 / body.inverse_mass + H * Trace(drags[b].D));
      EXPECT_LT(Norm(p_change - H * force[b]), rounding + 1e-12 * H * Norm(force[b])) << trial;
      EXPECT_LT(Norm(l_change - H * torque[b]), rounding + 1e-12 * H * Norm(force[b])) << trial;
    }
  }
  EXPECT_GT(converged, 195);
  EXPECT_LT(iterations, 200 * 12);
}

TEST(SolveStage, KeepsTheMomentumOfFreeBodiesToRounding) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    Problem p = Draw(random, *model, 2, 4, 500.0);
    for (StageContact& c : p.contacts) c.body_j = 3 - c.body_i;  // no ground
    const auto momentum = [&] {
      Vec3 linear, angular;
      for (std::size_t b = 1; b < 3; ++b) {
        const Vec3 mv = p.bodies[b].v / p.bodies[b].inverse_mass;
        linear += mv;
        angular += Cross(p.bodies[b].p_WM, mv) + p.inertia[b] * p.bodies[b].w;
      }
      return std::pair{linear, angular};
    };
    const auto [linear, angular] = momentum();
    SolveStage(2e-4, p.bodies, p.contacts);
    const auto [linear_after, angular_after] = momentum();
    EXPECT_LT(Norm(linear_after - linear), 3e-14 * (1 + Norm(linear)));
    EXPECT_LT(Norm(angular_after - angular), 3e-14 * (1 + Norm(angular)));
  }
}

// KE(y) − KE(y*) ≤ H (elastic power − what the bristles store): holds with or without convergence,
// at any load, because every other term dissipates.
TEST(SolveStage, NeverCreatesEnergyByFrictionOrDamping) {
  Random random(3);
  int unconverged = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto model = Model(1.0, random.Log(0.01, 1.0), 0.5, random.Log(0.05, 1.0));
    Problem p = Draw(random, *model, 1 + trial % 3, 1 + trial % 12, random.Log(1.0, 1e5));
    const double H = random.Log(1e-6, 5e-4);
    const double before = Kinetic(p);
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    unconverged += result.converged ? 0 : 1;
    double elastic = 0.0, bristle = 0.0, size = before;
    for (const StageContact& c : p.contacts) {
      const ContactPower& power = c.power;
      const double total = std::fabs(power.friction) + std::fabs(power.spinning) + 1e-12;
      EXPECT_GE(power.normal, -1e-12 * std::fabs(power.elastic)) << trial;
      EXPECT_GE(power.rolling, 0.0) << trial;
      EXPECT_GE(power.friction + power.spinning - power.bristle, -1e-9 * total) << trial;
      EXPECT_GE(c.f_n, 0.0);
      elastic += H * power.elastic;
      bristle += H * power.bristle;
      size += std::fabs(H * power.elastic);
    }
    EXPECT_LE(Kinetic(p), before + elastic - bristle + 1e-6 * size) << trial;
  }
  EXPECT_LT(unconverged, 60);
}

// Jammed at random by up to 24 contacts with friction above 1: some of these have no solution with
// the load that friction sees equal to the normal force. Even then nothing gains energy.
TEST(SolveStage, JammedContactsWithoutASolutionStillDissipate) {
  Random random(5);
  int unconverged = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const auto model = Model(1.0, random.Log(0.01, 0.5), 1.5, 1.2, random.Log(1e-3, 0.1));
    Problem p = Draw(random, *model, 1 + trial % 3, 2 + trial % 23, random.Log(1e3, 1e6));
    const double H = random.Log(1e-5, 5e-4);
    const double before = Kinetic(p);
    const StageResult result = SolveStage(H, p.bodies, p.contacts);
    unconverged += result.converged ? 0 : 1;
    double elastic = 0.0, bristle = 0.0, size = before;
    for (const StageContact& c : p.contacts) {
      elastic += H * c.power.elastic;
      bristle += H * c.power.bristle;
      size += std::fabs(H * c.power.elastic);
    }
    EXPECT_LE(Kinetic(p), before + elastic - bristle + 1e-6 * size) << trial << result.residual;
  }
  EXPECT_GT(unconverged, 10);  // the trials are as hard as they are meant to be
  EXPECT_LT(unconverged, 400);
}

TEST(SolveStage, DoesNotDependOnTheAxes) {
  const auto model = Model(1.0, 0.4, 0.4, 0.3);
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    Problem p = Draw(random, *model, 2, 3, 300.0);
    const Mat3 Q = random.Rotation();
    Problem q = p;
    for (StageBody& b : q.bodies) {
      b.inverse_inertia_W = Q * b.inverse_inertia_W * Transpose(Q);
      b.p_WM = Q * b.p_WM;
      b.v = Q * b.v;
      b.w = Q * b.w;
    }
    for (StageContact& c : q.contacts) {
      c.geometry.n = Q * c.geometry.n;
      c.geometry.p_WC = Q * c.geometry.p_WC;
      c.geometry.J_W = Q * c.geometry.J_W * Transpose(Q);
      c.state.z = Q * c.state.z;
    }
    SolveStage(1e-4, p.bodies, p.contacts);
    SolveStage(1e-4, q.bodies, q.contacts);
    for (std::size_t b = 0; b < p.bodies.size(); ++b) {
      EXPECT_LT(Norm(q.bodies[b].v - Q * p.bodies[b].v), 1e-9);
      EXPECT_LT(Norm(q.bodies[b].w - Q * p.bodies[b].w), 1e-8);
    }
  }
}

// A box on one plate, or on twenty tiles of it, landing and sliding without turning.
TEST(SolveStage, TwentyTilesPushLikeOnePlate) {
  const auto model = Model(1e9, 0.3, 0.3, 0.3);
  for (const double H : {0.0, 1e-5, 1e-4, 5e-4}) {
    const auto solve = [&](int nx, int ny, Vec3* force, int* iterations) {
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 0.01;
      bodies[1].inverse_inertia_W = Mat3::Diagonal({0.1, 0.1, 0.05});
      bodies[1].p_WM = {0, 0, 1e-9};  // in the contact plane, so that friction does not tip it
      bodies[1].v = {0.3, 0.05, -0.4};
      std::vector<StageContact> contacts;
      for (int i = 0; i < nx * ny; ++i) {
        StageContact c;
        c.body_i = 1;
        c.body_j = 0;
        c.model = model.get();
        c.geometry.V = 1e-4 / (nx * ny);
        c.geometry.n = {0, 0, 1};
        c.geometry.p_WC = {(i % nx + 0.5) / nx - 0.5, (i / nx + 0.5) / ny - 0.5, 0};
        c.geometry.J_W = Mat3::Diagonal({1, 1, 2}) * Mat3::Diagonal({1e-7, 1e-7, 1e-7});
        c.latch = {0.4, model->normal->DampingFactor(0.4)};
        contacts.push_back(c);
      }
      const StageResult result = SolveStage(H, bodies, contacts);
      EXPECT_TRUE(result.converged);
      *iterations = result.iterations;
      *force = {};
      for (const StageContact& c : contacts) *force += c.force;
      return bodies[1];
    };
    Vec3 one_force, tiles_force;
    int one_iterations, tiles_iterations;
    const StageBody one = solve(1, 1, &one_force, &one_iterations);
    const StageBody tiles = solve(5, 4, &tiles_force, &tiles_iterations);
    EXPECT_LT(Norm(tiles_force - one_force), 1e-7 * Norm(one_force)) << H;
    EXPECT_LT(Norm(tiles.v - one.v), 1e-9) << H;
    EXPECT_LT(Norm(tiles.w - one.w), 1e-7) << H;
    EXPECT_LE(tiles_iterations, one_iterations + 2) << H;
  }
}

// A peg jammed across a hole: two opposite walls, and a third patch at the tip.
TEST(SolveStage, APegWedgedInTwoCornersHolds) {
  for (const double mu : {0.1, 0.3, 0.5, 1.0}) {
    const auto model = Model(1.0, 0.5, mu, mu);
    for (const double push : {1.0, 10.0, 50.0}) {
      std::vector<StageBody> bodies(2);
      bodies[1].inverse_mass = 1.0 / 0.02;
      bodies[1].inverse_inertia_W = Mat3::Diagonal({1 / 4e-6, 1 / 4e-6, 1 / 2e-7});
      const double H = 1e-4;
      bodies[1].v = {0.0, 0.0, -0.01 - push / 0.02 * H};
      bodies[1].w = {0.0, 0.5, 0.0};
      std::vector<StageContact> contacts(3);
      const Vec3 n[3] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}};
      const Vec3 p[3] = {{-0.004, 0, -0.02}, {0.004, 0, 0.015}, {0.003, 0, -0.025}};
      for (int k = 0; k < 3; ++k) {
        contacts[k].body_i = 1;
        contacts[k].body_j = 0;
        contacts[k].model = model.get();
        contacts[k].geometry.n = n[k];
        contacts[k].geometry.p_WC = p[k];
        contacts[k].geometry.V = 2.0 * push;
        contacts[k].geometry.J_W = (2e-8 * push) * (Mat3::Identity() + Outer(n[k], n[k]));
        contacts[k].latch = {0.01, model->normal->DampingFactor(0.01)};
      }
      const StageResult result = SolveStage(H, bodies, contacts);
      EXPECT_TRUE(result.converged) << mu << " " << push << " residual " << result.residual;
      EXPECT_LE(result.iterations, 20) << mu << " " << push;
      for (const StageContact& c : contacts) {
        EXPECT_LE(Norm(c.force - c.f_n * c.geometry.n), mu * c.f_n * (1 + 1e-12));
      }
    }
  }
}

TEST(SolveStage, MassRatioOfTenThousandConverges) {
  const auto model = Model(1.0, 0.5, 0.4, 0.4);
  for (const double heavy : {1e-4, 1.0, 1e4}) {
    std::vector<StageBody> bodies(3);
    const double mass[3] = {0, 1.0, heavy};
    for (int b = 1; b < 3; ++b) {
      bodies[b].inverse_mass = 1.0 / mass[b];
      bodies[b].inverse_inertia_W = (1.0 / (0.01 * mass[b])) * Mat3::Identity();
      bodies[b].p_WM = {0, 0, 0.1 * b};
      bodies[b].v = {0.02 * b, 0, -0.1};
    }
    std::vector<StageContact> contacts(2);
    for (int k = 0; k < 2; ++k) {
      contacts[k].body_i = k + 1;
      contacts[k].body_j = k;
      contacts[k].model = model.get();
      contacts[k].geometry.n = {0, 0, 1};
      contacts[k].geometry.p_WC = {0.01, 0, 0.1 * k + 0.05};
      contacts[k].geometry.V = 10.0 * (mass[1] * (1 - k) + mass[2]);
      contacts[k].geometry.J_W = 1e-5 * Mat3::Diagonal({1, 1, 2});
      contacts[k].latch = {0.1, model->normal->DampingFactor(0.1)};
    }
    const StageResult result = SolveStage(1e-4, bodies, contacts);
    EXPECT_TRUE(result.converged) << heavy;
    EXPECT_LE(result.iterations, 15) << heavy;
  }
}

TEST(SolveStage, InactiveAndClampedContactsDoNothing) {
  const auto model = Model(1e6, 0.2, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1.0;
  bodies[1].inverse_inertia_W = Mat3::Identity();
  bodies[1].v = {0.1, 0, 1.0};  // away, faster than the spring can follow
  bodies[1].w = {1, 2, 3};
  std::vector<StageContact> contacts(2);
  for (StageContact& c : contacts) {
    c.body_i = 1;
    c.body_j = 0;
    c.model = model.get();
    c.geometry.n = {0, 0, 1};
    c.geometry.J_W = Mat3::Identity();
    c.state.z = {1e-6, 0, 0};
    c.force = {1, 2, 3};
    c.latch = {0.1, model->normal->DampingFactor(0.1)};
  }
  contacts[1].geometry.V = 1e-6;
  const StageResult result = SolveStage(1e-4, bodies, contacts);
  EXPECT_TRUE(result.converged);
  for (const StageContact& c : contacts) {
    EXPECT_EQ(c.f_n, 0.0);
    EXPECT_EQ(Norm(c.force), 0.0);
    EXPECT_EQ(Norm(c.torque), 0.0);
  }
  EXPECT_EQ(contacts[0].state.z.x, 1e-6);  // no overlap: its states stand still
  EXPECT_EQ(bodies[1].v.z, 1.0);
  EXPECT_EQ(bodies[1].w.y, 2.0);
}

// The bristle turns with the plate: with r_i = r_j = ½ by half the relative spin of a body on
// ground.
TEST(SolveStage, BristlesTurnWithThePlate) {
  const auto model = Model(1e6, 0.5, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[0].w = bodies[1].w = {0, 0, 3.0};  // driven, turning together
  StageContact c;
  c.body_i = 1;
  c.body_j = 0;
  c.model = model.get();
  c.geometry.V = 1e-6;
  c.geometry.n = {0, 0, 1};
  c.geometry.J_W = 1e-10 * Mat3::Diagonal({1, 1, 2});
  c.state.z = {1e-7, 0, 0};
  c.state.s_dw = 1.0;
  SolveStage(0.0, bodies, {&c, 1});
  EXPECT_NEAR(c.rate.z.y, 3.0 * 1e-7, 1e-14);
  EXPECT_NEAR(c.rate.z.x, 0.0, 1e-14);
  EXPECT_NEAR(c.force.x, -1.0 * 1e5 * 1e-7, 1e-12);  // from ż of the model, which is 0
  EXPECT_NEAR(c.force.y, 0.0, 1e-12);
  // R_n turns it out of the old plane.
  c.geometry.n = {1, 0, 0};
  c.geometry.R_n = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};  // z onto x, x onto −z
  c.state.z = {1e-7, 0, 0};
  bodies[0].w = bodies[1].w = {};
  SolveStage(1e-4, bodies, {&c, 1});
  EXPECT_NEAR(c.force.z, 1e5 * 1e-7, 1e-12);
  EXPECT_NEAR(c.state.z.x, 1e-7, 1e-18);
}

TEST(SolveStage, RelaxationOffsetDecaysAndTakesItsShareOfTheForce) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 1.0}, {"relaxation_time", 2.0}}, {}};
  const auto model = MakeContactModel(s, {}, {});
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1e-9;
  StageContact c;
  c.body_i = 1;
  c.body_j = 0;
  c.model = model.get();
  c.geometry.V = 3e-5;
  c.geometry.n = {0, 0, 1};
  c.geometry.J_W = 1e-9 * Mat3::Diagonal({1, 1, 2});
  c.state.V_o = 1e-5;
  StageContact implicit = c;
  SolveStage(0.0, bodies, {&c, 1});
  EXPECT_NEAR(c.f_n, 20.0, 1e-12);
  EXPECT_DOUBLE_EQ(c.rate.V_o, -1e-5 / 2.0);
  SolveStage(0.5, bodies, {&implicit, 1});
  EXPECT_NEAR(implicit.state.V_o, 1e-5 / 1.25, 1e-20);  // V_o = V_o*/(1 + H/τ_r)
  EXPECT_NEAR(implicit.f_n, 30.0 - 8.0, 1e-9);
}

TEST(SolveStage, RollingOpposesAndTheCapKeepsThePressureFromTension) {
  for (const double cap : {0.0, 1.0}) {
    ContactModelSettings s;
    s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
    s.rolling = {"gonthier", {{"cap", cap}}, {}};
    const auto model = MakeContactModel(s, {}, {});
    std::vector<StageBody> bodies(2);
    bodies[1].w = {30.0, 40.0, 5.0};
    StageContact c;
    c.body_i = 1;
    c.body_j = 0;
    c.model = model.get();
    c.geometry.V = 1e-5;
    c.geometry.n = {0, 0, 1};
    c.geometry.J_W = (1e-5 * 0.005) * Mat3::Diagonal({1, 1, 2});  // r_gyr = 0.1, ρ = 0.1414
    c.latch = {1.0, model->normal->DampingFactor(1.0)};
    SolveStage(0.0, bodies, {&c, 1});
    // τ_r = k_v a J ω_t, Gonthier (4.183); capped at |a||ω_t|ρ = 1.
    const double a = c.latch.a, tilt = -a * 50.0 * std::sqrt(0.02);
    ASSERT_GT(tilt, 1.0);
    const double expected = 1e6 * a * 5e-8 / (cap > 0 ? tilt : 1.0);
    EXPECT_NEAR(c.torque.x, expected * 30.0, 1e-12);
    EXPECT_NEAR(c.torque.y, expected * 40.0, 1e-12);
    EXPECT_NEAR(c.torque.z, 0.0, 1e-15);
    EXPECT_NEAR(c.power.rolling, -expected * 2500.0, 1e-9);
  }
}

TEST(SolveStage, LockedAxesStayLocked) {
  const auto model = Model(1e6, 0.5, 0.4, 0.4);
  std::vector<StageBody> bodies(2);
  bodies[1].inverse_mass = 1.0;
  bodies[1].inverse_inertia_W = Mat3::Diagonal({0, 10.0, 0});  // a planar body
  bodies[1].v = {0.1, 0, -0.2};
  StageContact c;
  c.body_i = 1;
  c.body_j = 0;
  c.model = model.get();
  c.geometry.V = 1e-4;
  c.geometry.n = {0, 0, 1};
  c.geometry.p_WC = {0.1, 0.2, -0.1};
  c.geometry.J_W = 1e-8 * Mat3::Diagonal({1, 1, 2});
  c.latch = {0.2, model->normal->DampingFactor(0.2)};
  EXPECT_TRUE(SolveStage(1e-4, bodies, {&c, 1}).converged);
  EXPECT_EQ(bodies[1].w.x, 0.0);
  EXPECT_EQ(bodies[1].w.z, 0.0);
  EXPECT_NE(bodies[1].w.y, 0.0);
}

}  // namespace
}  // namespace intervox::host
