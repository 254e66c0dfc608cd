// Rows where rigid contact has no answer or many: the slender rod and the four-legged chair.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/impulse/complementarity.h"
#include "host/impulse/slender_rod.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBody = 1;  // the body after the floor, in each scene

/** The rod of the scene: 1 kg, half of it 1 m long, tan θ = 2, sliding back at 1 m/s. */
SlenderRod SceneRod(double turning, double mu) {
  return {1.0, 1.0, std::atan(2.0), turning, -1.0, mu, 9.81};
}

/** The least of JammingFriction's quotient over the angle, from W alone, by golden sections. */
double LeastJammingFriction(double* angle) {
  const auto quotient = [](double at) {
    SlenderRod rod = SceneRod(0.0, 0.0);
    rod.angle = at;
    const Mat3 W = RodContact(rod, 0.0).inverse_inertia;
    return W(2, 2) / std::fabs(W(0, 2));
  };
  double low = 0.5, high = 1.5;
  for (int k = 0; k < 80; ++k) {
    const double third = (high - low) * (2.0 - std::numbers::phi);
    (quotient(low + third) < quotient(high - third) ? high : low) =
        quotient(low + third) < quotient(high - third) ? high - third : low + third;
  }
  *angle = 0.5 * (low + high);
  return quotient(*angle);
}

/** What a compliant end gets until it leaves. */
struct Jerk {
  Vec3 impulse;  // [N s]
  bool left = false;
};

/** The scene's rod from a start in which its end presses with a force. */
Jerk Slide(const RowScene& scene, double turning, double mu, double force) {
  constexpr double kRadius = 1e-3, kStiffness = 1e10;
  Simulation simulation = scene.Start(
      {fmt::format("contact_models.default.normal.stiffness={}", kStiffness),
       fmt::format("contact_models.default.friction.mu={}", mu),
       fmt::format("bodies.rod.pose.position=[0,0,{:.17g}]", kRadius - force / kStiffness),
       fmt::format("bodies.rod.velocity.angular=[0,{},0]", -turning)});
  const Vec3 start = simulation.State()[kBody].v_WM;
  Jerk jerk;
  while (!simulation.Done() && !jerk.left) {
    scene.Step(simulation);
    jerk.left = simulation.State()[kBody].X_WB.p.z > kRadius;
  }
  jerk.impulse =
      simulation.State()[kBody].v_WM - start + Vec3{0, 0, 9.81 * simulation.Time()};  // 1 kg
  return jerk;
}

}  // namespace

std::vector<Check> PainleveRod(const RowScene& scene) {
  constexpr double kMu = 1.6, kFast = 4.0, kMostDrawn = 6.0;
  const char* exact = "a closed form, to rounding";
  std::vector<Check> checks;
  double angle = 0.0;
  const double least = LeastJammingFriction(&angle);
  checks.push_back({"least friction that jams", "1", 4.0 / 3.0, least, 1e-12, exact});
  checks.push_back({"tangent of its angle", "1", 2.0, std::tan(angle), 1e-6,
                    "a minimum is found to the root of rounding"});
  struct Case {
    const char* what;
    double turning, mu;
    int ways;
  };
  for (const Case& c : {Case{"slides", 0.0, 1.2, 1}, Case{"leaves", kFast, 1.2, 1},
                        Case{"inconsistent", 0.0, kMu, 0}, Case{"indeterminate", kFast, kMu, 2}}) {
    const auto ways = static_cast<double>(RodSolutions(SceneRod(c.turning, c.mu)).size());
    checks.push_back({fmt::format("rigid ways to go on, {}", c.what), "1", double(c.ways), ways,
                      0.5, "a whole number"});
  }
  Figure figure{"Normal force with which the rod may slide on, at rest about its centre",
                "angle from the floor [degree]",
                "normal force over the weight",
                {}};
  for (const double mu : {0.5, 1.0, 1.2, kMu}) {
    Curve& curve = figure.curves.emplace_back();
    curve.label = fmt::format("μ {}", mu);
    for (int degrees = 5; degrees <= 85; ++degrees) {
      SlenderRod rod = SceneRod(0.0, mu);
      rod.angle = degrees * std::numbers::pi / 180;
      double share =
          std::nan("");  // a gap where it cannot slide on, or with a force beyond the axis
      for (const RodSolution& way : RodSolutions(rod)) {
        const double force = way.normal_force / 9.81;  // of 1 kg
        if (force > 0.0 && force < kMostDrawn) share = force;
      }
      curve.Add(degrees, share);
    }
  }
  scene.Draw(std::move(figure));
  // Where rigid bodies have no way, the springs collide without approach, as the flow at v = 0
  // does.
  const CollisionPoint at = RodContact(SceneRod(0.0, kMu), 0.0);
  const Vec3 P = Collide(ImpulseLaw::kStronge, at, {1.0, kMu, 0.0}).impulse;
  const char* stiff = "the weight acts meanwhile; what it does falls as 1/√k, from 8e-3 at 1e9 N/m";
  const Jerk inconsistent = Slide(scene, 0.0, kMu, 0.0);
  checks.push_back({"P_n of springs, inconsistent: the flow's", "N s", P.z, inconsistent.impulse.z,
                    0.01, stiff});
  checks.push_back({"P_x of springs, inconsistent: the flow's", "N s", P.x, inconsistent.impulse.x,
                    0.01, stiff});
  // Where they have two, the force of the sliding one parts starts that leave from starts that jam.
  double force = 0.0;
  for (const RodSolution& way : RodSolutions(SceneRod(kFast, kMu))) {
    force = std::max(force, way.normal_force);
  }
  const Jerk leaves = Slide(scene, kFast, kMu, 0.9 * force);
  const Jerk jams = Slide(scene, kFast, kMu, 1.1 * force);
  checks.push_back({"P_n of springs, indeterminate, pressed by 0.9 f_n", "N s", 0.0,
                    leaves.impulse.z, 0.01, stiff});
  checks.push_back({"P_n of springs, indeterminate, by 1.1 f_n: the flow's", "N s", P.z,
                    jams.impulse.z, 0.01, stiff});
  return checks;
}

namespace {

constexpr double kWeight = 60.0, kHalfX = 0.2, kHalfY = 0.15, kStiffness = 1e6;
constexpr Vec3 kCentre{0.05, -0.02, 0.42};  // above the floor
constexpr std::array<Vec3, 4> kFeet = {
    {{kHalfX, kHalfY, 0}, {-kHalfX, kHalfY, 0}, {-kHalfX, -kHalfY, 0}, {kHalfX, -kHalfY, 0}}};

/** The feet's forces in the simulation at its end [N]. */
std::array<double, 4> FeetForces(const RowScene& scene, const std::vector<std::string>& edits) {
  Simulation simulation = scene.Start(edits);
  while (!simulation.Done()) scene.Step(simulation);
  std::array<double, 4> forces{};
  for (const ContactReport& contact : simulation.Contacts()) {
    const Vec3 p = contact.geometry.p_WC;
    for (std::size_t k = 0; k < 4; ++k) {
      if (p.x * kFeet[k].x > 0.0 && p.y * kFeet[k].y > 0.0) forces[k] += contact.f_n;
    }
  }
  return forces;
}

}  // namespace

std::vector<Check> FourLeggedChair(const RowScene& scene) {
  constexpr double kShort = 10e-6, kShorter = 200e-6;  // [m]
  const char* exact = "linear equations, to rounding";
  const char* rest = "at rest; the chair leans by 1e-4, and its centre moves by 4e-5 of 0.2 m";
  std::vector<Check> checks;
  LeggedBody chair;
  chair.mass = 6.0;
  chair.gravity = kWeight / 6.0;
  chair.inertia = {0.3, 0.35, 0.25};
  for (const Vec3& foot : kFeet) chair.legs.push_back(foot - kCentre);
  Eigen::MatrixXd B;
  Eigen::VectorXd d;
  LegProblem(chair, &B, &d);
  const ComplementaritySolution rigid = SolveComplementarity(B, d);
  checks.push_back({"error of the complementarity problem's solution", "1", 0.0,
                    ComplementarityError(rigid, d), 1e-12, exact});
  checks.push_back({"legs that carry nothing in it", "1", 1.0,
                    double((rigid.f.array() < 1e-9 * kWeight).count()), 0.5, "a vertex of many"});
  const double family = (B * Eigen::Vector4d(1, -1, 1, -1)).cwiseAbs().maxCoeff();
  checks.push_back({"accelerations by forces (1, −1, 1, −1)", "m/s^2", 0.0, family, 1e-12, exact});

  const std::array<double, 4> even = FeetForces(scene, {});
  const std::array<double, 4> uneven =
      FeetForces(scene, {fmt::format("shapes.chair.union[0].pose.position[2]={}", kShort)});
  const std::array<double, 4> three =
      FeetForces(scene, {fmt::format("shapes.chair.union[2].pose.position[2]={}", kShorter)});
  double shift = 0.0;
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3& foot = kFeet[k];
    const double sign = k % 2 == 0 ? 1.0 : -1.0;
    const double f = kWeight / 4 * (1 + kCentre.x / foot.x + kCentre.y / foot.y);
    shift += sign * (even[k] - rigid.f[static_cast<Eigen::Index>(k)]) / 4;
    checks.push_back({fmt::format("leg {}, four springs", k + 1), "N", f, even[k], 5e-3, rest});
    checks.push_back({fmt::format("leg {}, leg 1 shorter by 10 µm", k + 1), "N",
                      f - sign * kStiffness * kShort / 4, uneven[k], 5e-3, rest});
  }
  const auto legs = [](const char* label, const std::array<double, 4>& forces) {
    return Curve{label, {1, 2, 3, 4}, {forces.begin(), forces.end()}};
  };
  Curve vertex{"one of the rigid answers", {1, 2, 3, 4}, {rigid.f.begin(), rigid.f.end()}, true};
  scene.Draw({"What each leg carries",
              "leg",
              "force [N]",
              {legs("four springs", even), legs("leg 1 shorter by 10 µm", uneven),
               legs("leg 3 shorter by 0.2 mm", three), std::move(vertex)}});
  double off = 0.0;  // what of the springs' forces is no member of the rigid family
  for (std::size_t k = 0; k < 4; ++k) {
    const double member = rigid.f[static_cast<Eigen::Index>(k)] + (k % 2 == 0 ? shift : -shift);
    off = std::max(off, std::fabs(even[k] - member));
  }
  checks.push_back({"springs' forces off the rigid family", "N", 0.0, off, 5e-3, rest});
  // Leg 3 in the air: three legs have one answer.
  LeggedBody standing = chair;
  standing.legs.erase(standing.legs.begin() + 2);
  LegProblem(standing, &B, &d);
  const ComplementaritySolution unique = SolveComplementarity(B, d);
  checks.push_back({"leg 3, shorter by 0.2 mm", "N", 0.0, three[2], 5e-3, rest});
  for (const std::size_t k : {0U, 1U, 3U}) {
    checks.push_back({fmt::format("leg {} of three", k + 1), "N",
                      unique.f[k == 3 ? 2 : static_cast<Eigen::Index>(k)], three[k], 0.02,
                      "the chair leans by 1e-3, and its centre moves by 4e-4 of 0.2 m"});
  }
  return checks;
}

}  // namespace intervox::host
