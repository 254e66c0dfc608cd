// Exact rolling: the moment of the damping's pressure, and the cross term that friction has of it.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>

#include "cuda/engine.h"
#include "cuda/patch/patch_quadrature.h"
#include "geometry/shape.h"
#include "host/contact/contact_model.h"
#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

constexpr double kMu = 0.3, kStiffness = 1e8, kDamping = -2.0;  // a [s/m]
constexpr double kHalfX = 0.05, kHalfY = 0.03, kDepth = 1e-4;

std::unique_ptr<const ContactModel> Model(const std::string& friction, const std::string& rolling) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", kStiffness}, {"restitution", 0.5}}, {}};
  s.friction = {friction, {{"mu", kMu}, {"v_epsilon", 1e-9}}, {}};
  s.rolling = {rolling, {}, {}};
  return MakeContactModel(s, {}, {});
}

/** A block's face, evenly deep in a floor, and the motion of the block. */
struct Face {
  std::vector<StageBody> bodies{2};
  StageContact contact;
  PatchQuadrature quadrature;

  Face(const ContactModel& model, const Vec3& v, const Vec3& w) {
    bodies[1].inverse_mass = 1.0;
    bodies[1].inverse_inertia_W = 1e3 * Mat3::Identity();
    bodies[1].p_WM = {0.01, -0.02, 0.03};
    bodies[1].w = w;
    bodies[1].v = v + Cross(w, bodies[1].p_WM);  // v at the centroid, the origin
    const double V = 4 * kHalfX * kHalfY * kDepth;
    const double xx = kHalfX * kHalfX / 3, yy = kHalfY * kHalfY / 3, zz = kDepth * kDepth / 12;
    contact.body_i = 1;
    contact.body_j = 0;
    contact.model = &model;
    contact.geometry.V = V;
    contact.geometry.n = {0, 0, 1};
    contact.geometry.S = {0, 0, V / kDepth};
    contact.geometry.J_W = V * Mat3::Diagonal({yy + zz, xx + zz, xx + yy});
    contact.latch.a = kDamping;
    if (!model.friction->IsDistributed()) return;
    geometry::Shape block, floor;
    block.name = floor.name = "part";
    block.primitive = geometry::Box{{2 * kHalfX, 2 * kHalfY, 0.1}};
    floor.primitive = geometry::HalfSpace{{0, 0, 1}, 0};
    const auto a = geometry::ToCells(block), b = geometry::ToCells(floor);
    const PairQuery query{&a[0], &b[0], Pose{Mat3::Identity(), {0, 0, 0.05 - kDepth}}, {}, 1e-9};
    const Mat3 E = V * Mat3::Diagonal({xx, yy, zz});
    ComputePatchQuadrature(std::span(&query, 1), {{0, 0, -kDepth / 2}, {0, 0, 1}, E, V},
                           &quadrature);
    contact.patch = &quadrature;
  }
};

struct Wrench {
  Vec3 force, torque;
};

/** Pressure and Coulomb friction summed over the face. */
Wrench Sum(const Vec3& v, const Vec3& w, int count = 400) {
  Wrench sum;
  const Vec3 n{0, 0, 1};
  const double dA = 4 * kHalfX * kHalfY / (count * count);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      const Vec3 r{kHalfX * ((2 * i + 1.0) / count - 1), kHalfY * ((2 * k + 1.0) / count - 1), 0};
      const Vec3 at = v + Cross(w, r);
      const double p = kStiffness * kDepth * (1 + kDamping * at.z);
      const Vec3 slip{v.x - w.z * r.y, v.y + w.z * r.x, 0};
      const Vec3 f = (p * dA) * (n - (kMu / Norm(slip)) * slip);
      sum.force += f;
      sum.torque += Cross(r, f);
    }
  }
  return sum;
}

TEST(ExactRolling, SlidingFrictionActsAtTheCentreOfThePressure) {
  for (const Vec3& w : {Vec3{0.5, 3, 0}, Vec3{-2, 1, 0}, Vec3{0, 0, 0}}) {
    for (const Vec3& v : {Vec3{0.2, 0.1, -0.05}, Vec3{-0.1, 0.3, 0.02}, Vec3{0, -1, 0}}) {
      const Wrench expected = Sum(v, w);
      const auto exact = Model("coulomb", "exact"), thesis = Model("coulomb", "gonthier");
      Face face(*exact, v, w), plain(*thesis, v, w);
      SolveStage(0.0, face.bodies, std::span(&face.contact, 1));
      SolveStage(0.0, plain.bodies, std::span(&plain.contact, 1));
      const double scale = Norm(expected.force) * kHalfX;
      EXPECT_LT(Norm(face.contact.force - expected.force), 1e-6 * Norm(expected.force));
      EXPECT_LT(Norm(face.contact.torque - expected.torque), 1e-5 * scale);
      EXPECT_EQ(plain.contact.torque.z, 0.0);  // what the closed form drops
      if (Norm(w) > 0) {
        EXPECT_GT(std::fabs(expected.torque.z), 1e-3 * scale);
      }
      EXPECT_GE(face.contact.power.friction, 0.0);
    }
  }
}

TEST(ExactRolling, DistributedFrictionSumsOverThatPressure) {
  const auto exact = Model("distributed", "exact");
  for (const Vec3& w : {Vec3{0.5, 3, 0}, Vec3{-2, 1, 4}, Vec3{1, 1, -20}}) {
    const Vec3 v{0.2, 0.1, -0.05};
    const Wrench expected = Sum(v, w);
    Face face(*exact, v, w);
    SolveStage(0.0, face.bodies, std::span(&face.contact, 1));
    const double scale = kMu * expected.force.z;
    EXPECT_LT(Norm(face.contact.force - expected.force), 1e-3 * scale) << w.z;
    EXPECT_LT(std::fabs(face.contact.torque.z - expected.torque.z), 1e-3 * scale * kHalfX) << w.z;
  }
}

// In any state and at any step friction dissipates, and the stage's equation has its solution.
TEST(ExactRolling, DissipatesAndConverges) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> one(-1, 1);
  for (const char* friction : {"coulomb", "distributed"}) {
    const auto model = Model(friction, "exact");
    for (int trial = 0; trial < 200; ++trial) {
      const double turns = std::pow(10.0, 1.5 * one(random)), slides = std::pow(10.0, one(random));
      Face face(*model, slides * Vec3{one(random), one(random), one(random)},
                turns * Vec3{one(random), one(random), one(random)});
      const double H = trial % 2 == 0 ? 0.0 : 1e-4;
      const StageResult result = SolveStage(H, face.bodies, std::span(&face.contact, 1));
      EXPECT_TRUE(result.converged) << friction << trial;
      EXPECT_GE(face.contact.power.friction, -1e-12 * Norm(face.contact.force)) << trial;
    }
  }
}

}  // namespace
}  // namespace intervox::host
