// Rows of parts in parts: a ring that drops on a cone, and a taper that holds itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

/** A force along the taper's axis over time: in, gone, and out [N]. */
struct Pull {
  double in = 200.0;  ///< reached at kIn
  double out = 0.0;   ///< reached at kOut
  double At(double t) const {
    constexpr double kIn = 0.1, kFree = 0.13, kRest = 0.16, kOut = 0.4;  // [s]
    if (t < kIn) return -in * t / kIn;
    if (t < kFree) return -in * (kFree - t) / (kFree - kIn);
    if (t < kRest) return 0.0;
    return out * (t - kRest) / (kOut - kRest);
  }
};

}  // namespace

std::vector<Check> MorseTaper(const RowScene& scene) {
  constexpr std::size_t kTaper = 1;                                    // the body after the socket
  constexpr double kSlope = 0.5 / 20.02, kLoose = 1e-3, kRest = 0.16;  // [–], [m], [s]
  const double s = std::sin(std::atan(kSlope)), c = std::cos(std::atan(kSlope));
  std::vector<Check> checks;
  Figure figure{"Pressed in by 200 N, let go, and pulled until it comes loose",
                "way of the taper [µm]",
                "axial force on it by the socket [N]",
                {}};
  for (const double mu : {0.02, 0.1, 0.2}) {
    Pull pull;
    // Pressed, friction holds back; pulled, it holds: N (sin + μ cos) and N (μ cos − sin).
    const double by_hand = pull.in * (mu * c - s) / (mu * c + s);
    pull.out = 1.2 * std::max(0.0, by_hand);
    Simulation simulation =
        scene.Start({fmt::format("contact_models.default.friction.mu_s={}", mu),
                     fmt::format("contact_models.default.friction.mu_c={}", mu)});
    Curve curve{fmt::format("μ {}", mu), {}, {}};
    double held = 0.0, at_rest = 0.0, start = simulation.State()[kTaper].X_WB.p.z, moved = 0.0;
    while (!simulation.Done() && std::fabs(moved) < kLoose) {
      simulation.SetWrench(kTaper, {0, 0, pull.At(simulation.Time())});
      scene.Step(simulation);
      const BodyState& taper = simulation.State()[kTaper];
      moved = taper.X_WB.p.z - start;
      held = std::max(held, -taper.contact_force.z);
      if (simulation.Time() < kRest) at_rest = moved;
      curve.Add(1e6 * moved, taper.contact_force.z);
    }
    figure.curves.push_back(std::move(curve));
    if (by_hand < 0.0) {
      checks.push_back({fmt::format("comes out by itself, μ {} below the slope {:.4f}", mu, kSlope),
                        "1", 1.0, moved > 0.9 * kLoose ? 1.0 : 0.0, 0.5, "it moves by 1 mm"});
      continue;
    }
    checks.push_back({fmt::format("holds itself, μ {}: way after it is let go", mu), "mm", 0.0,
                      1e3 * at_rest, 0.5, "pressed in by the give of its walls, 0.2 mm and less"});
    checks.push_back({fmt::format("what pulls it out, μ {}, by hand", mu), "N", by_hand, held,
                      0.01 * by_hand,
                      "the walls part slowly: damping, inertia and the bristle's give"});
    checks.push_back({fmt::format("comes loose, μ {}", mu), "1", 1.0,
                      moved > 0.9 * kLoose ? 1.0 : 0.0, 0.5, "it moves by 1 mm"});
  }
  scene.Draw(std::move(figure));
  return checks;
}

namespace {

constexpr std::size_t kTrueRing = 1, kFacetedRing = 3;  // bodies of the scene
constexpr double kRingWeight = 0.1 * 9.81;              // [N]

/** How a ring goes in a run of the row. */
struct RingRun {
  Curve height, force, turn;  ///< [mm], [N] upwards, [degree] about its own axis
  double turned = 0.0;        ///< the largest turn [degree]
  double carried = 0.0;       ///< mean vertical force over the last third [N]
  Vec3 p;                     ///< of its centre at the end [m]
  double speed = 0.0;         ///< at the end [m/s]
  double normal = 0.0;        ///< sum of the normal forces at the end [N]
  double lifted = 0.0;        ///< how far a pull of twice its weight lifts it from kPull on [m]
};

constexpr double kPull = 1.0;  // [s]

RingRun Drop(const RowScene& scene, std::size_t which, const char* label, bool pull,
             const std::vector<std::string>& edits) {
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  std::vector<std::string> all = edits;
  all.emplace_back(which == kTrueRing
                       ? "contacts=[{bodies: [ring, cone], model: true_surfaces}]"
                       : "contacts=[{bodies: [faceted_ring, faceted_cone], model: facets}]");
  Simulation simulation = scene.Start(all);
  RingRun run;
  for (Curve* curve : {&run.height, &run.force, &run.turn}) curve->label = label;
  double turned = 0.0, impulse = 0.0, over = 0.0, from = std::nan("");
  const double duration = simulation.GetScene().duration;
  while (!simulation.Done()) {
    const double before = simulation.Time();
    if (pull && before >= kPull - 1e-9 && std::isnan(from)) {
      from = simulation.State()[which].X_WB.p.z;
      simulation.SetWrench(static_cast<int>(which), {0, 0, 2.0 * kRingWeight});
    }
    scene.Step(simulation);
    const double t = simulation.Time();
    const BodyState& ring = simulation.State()[which];
    turned += kDegrees * Dot(ring.w_WB, ring.X_WB.R * Vec3{0, 0, 1}) * (t - before);
    run.turned = std::max(run.turned, std::fabs(turned));
    if (t > 2.0 / 3.0 * duration) {
      impulse += ring.contact_force.z * (t - before);
      over += t - before;
    }
    run.height.Add(t, 1e3 * ring.X_WB.p.z);
    run.force.Add(t, ring.contact_force.z);
    run.turn.Add(t, turned);
  }
  const BodyState& ring = simulation.State()[which];
  run.carried = impulse / over;
  run.p = ring.X_WB.p;
  run.speed = Norm(ring.v_WB);
  run.lifted = ring.X_WB.p.z - from;
  for (const ContactReport& contact : simulation.Contacts()) run.normal += contact.f_n;
  return run;
}

}  // namespace

std::vector<Check> RockNStack(const RowScene& scene) {
  constexpr double kSlope = 0.15, kTube = 0.012, kRing = 0.05, kBase = 0.05;  // [–], [m]
  // A rigid ring: its tube's centre is a tube's radius from the cone's line.
  const double seat = (kTube * std::hypot(1.0, kSlope) - kRing + kBase) / kSlope;
  const std::vector<std::string> coarse = {"engine.tolerance=1e-2"};
  RingRun rocks = Drop(scene, kTrueRing, "true surfaces", false, coarse);
  std::vector<std::string> upright = coarse;
  upright.emplace_back("bodies.ring.pose={position: [0, 0, 0.0813]}");
  const RingRun rests = Drop(scene, kTrueRing, "true surfaces, dropped upright", false, upright);
  RingRun facets = Drop(scene, kFacetedRing, "facets", false, {});
  RingRun wedged = Drop(scene, kFacetedRing, "facets, with friction", true,
                        {"contact_models.facets.friction={model: bristle, mu_s: 0.3, mu_c: 0.3}"});
  std::vector<Check> checks = {
      {"true surfaces: turn about the ring's axis in 1.5 s", "degree", 0.0, rocks.turned, 0.1,
       "none but the error of overlaps known to 1e-2"},
      {"true surfaces: force over the weight, mean of 0.5 s", "1", 1.0, rocks.carried / kRingWeight,
       0.02, "it rocks on, without friction: its momentum changes by 0.01 N s at most"},
      {"true surfaces, upright: force at the end over the weight", "1", 1.0,
       rests.carried / kRingWeight, 1e-3, "what is left of its ringing"},
      {"true surfaces, upright: seat of a rigid ring", "mm", 1e3 * seat, 1e3 * rests.p.z, 0.3,
       "the walls give by 30 µm, seven times of it along the axis"},
      {"facets: force over the weight, mean of 0.5 s", "1", 1.0, facets.carried / kRingWeight, 0.02,
       "it rocks on, without friction: its momentum changes by 0.01 N s at most"},
      {"facets: turn about the ring's axis", "degree", 10.0, facets.turned, 9.0,
       "it starts 10 degrees off the cone's facets, and they line up; 0 would be none"},
      {"facets, friction: speed when it is pulled by twice its weight", "m/s", 0.0, wedged.speed,
       1e-6, "μ 0.3 is above the slope 0.15: it wedges"},
      {"facets, friction: normal forces over those of the weight alone", "1", 3.0,
       wedged.normal * kSlope / std::hypot(1.0, kSlope) / kRingWeight, 1.9,
       "more than 1: what pressed it in stays in the walls"},
      {"facets, friction: lifted by that pull", "mm", 0.0, 1e3 * wedged.lifted, 0.05,
       "the bristles give"}};
  scene.Draw({"Height of the ring",
              "time [s]",
              "height [mm]",
              {facets.height, wedged.height, rocks.height}});
  scene.Draw({"Force on the ring",
              "time [s]",
              "vertical force [N]",
              {facets.force, wedged.force, rocks.force}});
  scene.Draw({"Turn of the ring about its axis",
              "time [s]",
              "turn [degree]",
              {facets.turn, wedged.turn, rocks.turn}});
  return checks;
}

}  // namespace intervox::host
