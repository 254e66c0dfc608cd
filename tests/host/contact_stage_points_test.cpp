// Points have a short way through a stage: it is the way of a patch without extent.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

using testing::Problem;
using testing::Random;

std::unique_ptr<const ContactModel> PointModel(const ModelSettings& normal,
                                               const ModelSettings& friction) {
  ContactModelSettings settings;
  settings.geometry = ContactGeometry::kPoints;
  settings.normal = normal;
  settings.friction = friction;
  return MakeContactModel(settings, {}, {});
}

ModelSettings Bristle(const std::string& name, double mu_s, double sigma_2, double dwell) {
  return {name,
          {{"mu_s", mu_s},
           {"mu_c", 0.3},
           {"sigma_0", 1e5},
           {"sigma_1", 316.23},
           {"sigma_2", sigma_2},
           {"dwell_time", dwell}},
          {}};
}

void ExpectNear(double got, double expected, double size, const char* what) {
  EXPECT_NEAR(got, expected, 1e-11 * (size + std::fabs(expected))) << what;
}

// Sliding and sticking, at speeds from a hundredth of v_epsilon to a hundred times v_stribeck.
TEST(StagePoints, TheBristlesShortFormIsItsLongOne) {
  Random random(3);
  for (int trial = 0; trial < 4000; ++trial) {
    const bool per_load = trial % 2 == 0;
    const auto model =
        PointModel({"gonthier", {{"stiffness", 1e5}, {"restitution", 0.5}}, {}},
                   Bristle(per_load ? "bristle" : "bristle_absolute", trial % 3 == 0 ? 0.3 : 0.5,
                           trial % 5 == 0 ? 0.7 : 0.0, trial % 7 == 0 ? 0.0 : 1e-2));
    const FrictionLaw& law = *model->friction;
    PointSlip slip;
    slip.H = random.Log(1e-6, 1e-2);
    const double speed = random.Log(1e-5, 10.0);
    for (int k = 0; k < 2; ++k) {
      slip.v[k] = speed * random.Uniform(-1.0, 1.0);
      slip.z[k] = random.Log(1e-8, 1e-5) * random.Uniform(-1.0, 1.0);
    }
    slip.f_n = random.Log(1e-2, 1e3);
    slip.s = trial % 4 == 0 ? 1.0 : random.Uniform(0.0, 1.0);
    slip.s_dw = random.Uniform(0.0, 1.0);
    const PointTraction a = law.EvaluatePoint(slip), b = law.FrictionLaw::EvaluatePoint(slip);
    const double force = slip.f_n, slope = force / speed;
    for (int k = 0; k < 2; ++k) {
      ExpectNear(a.f[k], b.f[k], force, "f");
      ExpectNear(a.slope[k][0], b.slope[k][0], slope, "slope with v_1");
      ExpectNear(a.slope[k][1], b.slope[k][1], slope, "slope with v_2");
      ExpectNear(a.slope[k][2], b.slope[k][2], 1.0, "slope with f_n");
      ExpectNear(a.z_rate[k], b.z_rate[k], speed, "z rate");
      EXPECT_EQ(a.z_j_rate[k], 0.0);
    }
    ExpectNear(a.s_dw_rate, b.s_dw_rate, 1.0, "s_dw rate");
    ExpectNear(a.stored, b.stored, force * speed, "stored");
  }
}

// The slope of every normal law of points against a central difference.
TEST(StagePoints, ForcesHaveTheirSlopes) {
  const ModelSettings laws[] = {
      {"gonthier", {{"stiffness", 1e7}, {"restitution", 0.5}}, {}},
      {"gonthier", {{"stiffness", 1e5}, {"restitution", 0.5}, {"exponent", 1.0}}, {}},
      {"hunt_crossley", {{"stiffness", 1e6}, {"restitution", 0.5}, {"exponent", 2.2}}, {}},
      {"lee_wang", {{"stiffness", 1e7}, {"damping", 1e3}}, {}},
      {"linear", {{"stiffness", 1e5}, {"damping", 10.0}}, {}},
      {"stronge", {{"stiffness", 1e5}, {"restitution", 0.5}}, {}}};
  for (const ModelSettings& law : laws) {
    const auto model = PointModel(law, {"none", {}, {}});
    PatchLatch latch;
    latch.v_i = 0.3;
    latch.a = model->normal->DampingFactor(0.3);
    latch.form = 0.7;
    for (const double z : {1e-6, 1e-4, 1e-2}) {
      NormalForce slope;
      const NormalForce at = model->PointForce(z, latch, &slope);
      const NormalForce same = model->Force(z, 1.0, latch);
      EXPECT_DOUBLE_EQ(at.f_e, same.f_e) << law.model;
      EXPECT_DOUBLE_EQ(at.b, same.b) << law.model;
      const double h = 1e-4 * z;
      const NormalForce above = model->Force(z + h, 1.0, latch);
      const NormalForce below = model->Force(z - h, 1.0, latch);
      const double by_force = (above.f_e - below.f_e) / (2 * h),
                   by_b = (above.b - below.b) / (2 * h);
      EXPECT_NEAR(slope.f_e, by_force, 1e-5 * std::fabs(by_force)) << law.model << " at " << z;
      EXPECT_NEAR(slope.b, by_b, 1e-5 * std::fabs(by_b)) << law.model << " at " << z;
    }
  }
}

/** Points between random bodies, about `depth` deep [m]; the bodies have been moved. */
Problem Points(Random& random, const ContactModel& model, int free, int contacts, double depth) {
  Problem p = testing::Draw(random, model, free, contacts, depth);
  for (StageBody& body : p.bodies) {
    body.has_offset = true;
    if (body.inverse_mass == 0.0) continue;
    body.dx = random.Vector(0.1 * depth);
    body.dtheta = random.Vector(0.1 * depth);
  }
  for (StageContact& contact : p.contacts) {
    PatchGeometry& g = contact.geometry;
    g.is_point = true;
    g.J_W = Mat3::Zero();
    g.S = g.n;
    contact.state.theta = 0.0;
    contact.force = random.Vector(1.0);
  }
  return p;
}

// A patch of no extent with V = z and S = n is solved for by the general way, a point by its own,
// and a point that alone acts on its bodies by a third. Their velocities are the same.
TEST(StagePoints, MoveBodiesAsPatchesWithoutExtentDo) {
  Random random(5);
  int compared = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const auto model = PointModel({"gonthier",
                                   {{"stiffness", random.Log(1e3, 1e7)},
                                    {"restitution", 0.5},
                                    {"exponent", trial % 2 == 0 ? 1.0 : 1.5}},
                                   {}},
                                  Bristle("bristle", trial % 3 == 0 ? 0.5 : 0.3, 0.0, 1e-2));
    const int free = 1 + trial % 3, contacts = trial % 4 == 0 ? 1 : 1 + trial % 9;
    Problem points = Points(random, *model, free, contacts, random.Log(1e-6, 1e-3));
    Problem patches = points;
    for (StageContact& contact : patches.contacts) contact.geometry.is_point = false;
    const double H = random.Log(1e-6, 1e-3);
    const StageResult a = SolveStage(H, points.bodies, points.contacts);
    const StageResult b = SolveStage(H, patches.bodies, patches.contacts);
    EXPECT_EQ(a.converged, b.converged) << trial;
    if (!a.converged || !b.converged) continue;
    ++compared;
    double scale = 1e-3;
    for (const StageBody& body : patches.bodies)
      scale = std::max(scale, Norm(body.v) + Norm(body.w));
    for (std::size_t k = 0; k < points.bodies.size(); ++k) {
      EXPECT_LT(Norm(points.bodies[k].v - patches.bodies[k].v), 1e-7 * scale) << trial;
      EXPECT_LT(Norm(points.bodies[k].w - patches.bodies[k].w), 1e-6 * scale) << trial;
    }
    for (std::size_t k = 0; k < points.contacts.size(); ++k) {
      const StageContact &x = points.contacts[k], &y = patches.contacts[k];
      const double force = 1e-5 * (Norm(y.force) + scale / H * 1e-2);
      EXPECT_LT(Norm(x.force - y.force), force) << trial;
      EXPECT_EQ(Norm(x.torque), 0.0);
      EXPECT_LT(Norm(x.rate.z - y.rate.z), 1e-5 * scale) << trial;
      EXPECT_NEAR(x.rate.s_dw, y.rate.s_dw, 1e-4 * (1.0 + std::fabs(y.rate.s_dw))) << trial;
    }
  }
  EXPECT_GT(compared, 550);
}

}  // namespace
}  // namespace intervox::host
