// What holds for every registered law and pair of laws: a ball strikes a box in free space. Laws
// and parameters are those of docs/models.md, so a law that is added is tested with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/registry.h"
#include "host/input/error.h"
#include "host/simulation.h"
#include "tests/host/models_page.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

/** Units of which a kilogram, a metre and a second are so many. Powers of two: no rounding. */
struct Units {
  double kg = 1.0, m = 1.0, s = 1.0;

  double Of(double mass, double length, double time) const {
    return std::pow(kg, mass) * std::pow(m, length) * std::pow(s, time);
  }
};

/** A number of the table's default column, at the name's place where there are several. */
double Standard(const std::string& text, std::size_t place, double without) {
  const std::vector<std::string> all = testing::Split(text, ',');
  if (all.empty()) return without;
  try {
    return std::stod(all[std::min(place, all.size() - 1)]);
  } catch (const std::exception&) {
    return without;
  }
}

/** How many of the given units the unit of a parameter is. Fails for one that it does not know. */
double UnitOf(std::string unit, const Units& units, double p, double q) {
  const double newton = units.Of(1, 1, -2);
  const std::map<std::string, double> known = {
      {"–", 1.0},
      {"s", units.s},
      {"m", units.m},
      {"m/s", units.m / units.s},
      {"s/m", units.s / units.m},
      {"1/m", 1.0 / units.m},
      {"N/m", newton / units.m},
      {"N/m³", newton / std::pow(units.m, 3)},
      {"N/m^p", newton / std::pow(units.m, p)},
      {"N/m^n", newton / std::pow(units.m, p)},
      {"N·s/m", newton * units.s / units.m},
      {"N·s/m^1.5", newton * units.s / std::pow(units.m, 1.5)},
      {"N·s/m^(q+1)", newton * units.s / std::pow(units.m, q + 1)},
      {"J/m^(3m)", newton * units.m / std::pow(units.m, 3 * p)}};
  const auto found = known.find(unit);
  EXPECT_NE(found, known.end()) << "docs/models.md: unit '" << unit << "' is new to this test";
  return found == known.end() ? 1.0 : found->second;
}

/** A law of the page, and the units of its numbers. */
struct Law {
  testing::PageSection section;
  std::size_t place = 0;  ///< of its name in the heading
  ModelSettings settings;

  /** The settings in other units: what has a number by default is given, so that it changes too. */
  ModelSettings In(const Units& units, ContactGeometry geometry) const {
    const auto parameter = [&](const char* key, double without) {
      const auto given = settings.parameters.find(key);
      if (given != settings.parameters.end()) return given->second;
      const auto listed = section.parameters.find(key);
      return listed == section.parameters.end() ? without
                                                : Standard(listed->second.standard, place, without);
    };
    const double p = parameter("exponent", 1.0), q = parameter("damping_exponent", 1.0);
    ModelSettings out = settings;
    for (const auto& [key, listed] : section.parameters) {
      const auto given = settings.parameters.find(key);
      const bool is_given = given != settings.parameters.end();
      const double value = is_given ? given->second : Standard(listed.standard, place, -1.0);
      const std::vector<std::string> all = testing::Split(listed.unit, ',');
      // Several units: of volumes and of points, or of the names one after the other.
      const bool by_name =
          section.names.size() == all.size() && all.front().find("m³") == std::string::npos;
      const std::size_t which = by_name ? place : geometry == ContactGeometry::kPoints ? 1 : 0;
      const std::string unit = all[std::min(which, all.size() - 1)];
      if (unit == "–" || (!is_given && !(value > 0.0))) continue;
      out.parameters[key] = value * UnitOf(unit, units, p, q);
    }
    return out;
  }
};

/** The laws of a part, one for each example of the page. Examples with a load leave constants to
 heuristics, which know a length and g and so follow no change of units. */
std::vector<Law> Laws(const std::string& part) {
  std::vector<Law> laws;
  for (const testing::PageSection& section : testing::SectionsOfPage()) {
    if (section.part != part) continue;
    for (const ModelSettings& settings : section.examples) {
      if (settings.parameters.contains("load")) continue;
      const auto at = std::find(section.names.begin(), section.names.end(), settings.model);
      laws.push_back({section, static_cast<std::size_t>(at - section.names.begin()), settings});
    }
  }
  return laws;
}

/** Four laws, and what bodies touch in. */
struct Model {
  Law normal, friction, rolling, spinning;
  ContactGeometry geometry = ContactGeometry::kVolumes;

  std::string Name() const {
    return normal.settings.model + " " + friction.settings.model + " " + rolling.settings.model +
           " " + spinning.settings.model +
           (geometry == ContactGeometry::kPoints ? " points" : " volumes");
  }
  ContactModelSettings In(const Units& units) const {
    ContactModelSettings out;
    out.geometry = geometry;
    out.normal = normal.In(units, geometry);
    out.friction = friction.In(units, geometry);
    out.rolling = rolling.In(units, geometry);
    out.spinning = spinning.In(units, geometry);
    return out;
  }
};

/** A place from which the same is seen: turned, moved, and moving on. */
struct Frame {
  Pose X;
  Vec3 v;
};

/** A ball strikes a box that floats, off its middle, sliding and spinning. @param step  [s] */
Scene Strike(const Model& model, double step, const Units& units, const Frame& frame) {
  const double m = units.m, rate = 1.0 / units.s;
  Scene scene = scenes::MakeScene(model.In(units), step * units.s);
  scene.gravity = {};
  scene.duration = 0.03 * units.s;
  scene.shapes["box"] =
      scenes::Solid(geometry::Box{m * Vec3{0.5, 0.5, 0.2}}, "box", Pose{Mat3::Identity(), {}});
  scene.shapes["ball"] = scenes::Solid(geometry::Sphere{0.1 * m}, "ball");
  scene.bodies = {scenes::Free("box", "box", 3.0 * units.kg, {}),
                  scenes::Free("ball", "ball", 1.0 * units.kg, m * Vec3{0.05, -0.03, 0.20001},
                               m * rate * Vec3{0.3, 0.1, -1.0}, rate * Vec3{2.0, -3.0, 5.0})};
  for (BodySettings& body : scene.bodies) {
    body.X_WB = Pose{frame.X.R, frame.X.R * body.X_WB.p + m * frame.X.p};
    body.v_WB = frame.X.R * body.v_WB + m * rate * frame.v;
    body.w_WB = frame.X.R * body.w_WB;
  }
  return scene;
}

/** The bodies' motion at the end, in the first frame and in SI units. */
struct End {
  double t = 0.0;
  std::vector<Vec3> motion;  ///< p, v and ω of each body
  double touched = -1.0;     ///< when [s]; below 0: never
  double left = 0.0;         ///< when the contact had ended [s]
};

/** Runs until shortly after the contact. @param watch  is told each step */
template <class Watch>
End Run(const Model& model, double step, const Units& units, const Frame& frame,
        const Watch& watch) {
  EngineOptions options;
  options.threads = 1;
  Simulation simulation(Strike(model, step, units, frame), options);
  End end;
  int after = 0;
  while (!simulation.Done() && after < 3) {
    simulation.Step();
    const bool touches = !simulation.Contacts().empty();
    if (touches && end.touched < 0.0) end.touched = simulation.Time() / units.s;
    if (end.touched >= 0.0 && !touches && after++ == 0) end.left = simulation.Time() / units.s;
    watch(simulation);
  }
  end.t = simulation.Time() / units.s;
  for (const BodyState& body : simulation.State()) {
    const Vec3 p = (1.0 / units.m) * body.X_WB.p - frame.X.p - end.t * frame.v;
    const Vec3 v = (units.s / units.m) * body.v_WB - frame.v;
    end.motion.push_back(TransposeTimes(frame.X.R, p));
    end.motion.push_back(TransposeTimes(frame.X.R, v));
    end.motion.push_back(units.s * TransposeTimes(frame.X.R, body.w_WB));
  }
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << model.Name();
  EXPECT_EQ(simulation.Counters().creating_contacts, 0) << model.Name();
  return end;
}

double Held(const EnergyAudit& e) { return e.kinetic + e.elastic + e.bristle; }

/** Momentum, and angular momentum about the origin. */
std::array<Vec3, 2> Momenta(const Simulation& simulation) {
  constexpr double kMasses[] = {3.0, 1.0};
  constexpr Vec3 kInertias[] = {{3.0 * 0.29 / 12, 3.0 * 0.29 / 12, 3.0 * 0.5 / 12},
                                {0.004, 0.004, 0.004}};
  Vec3 P, L;
  for (std::size_t k = 0; k < 2; ++k) {
    const BodyState& body = simulation.State()[k];
    const Vec3 w = TransposeTimes(body.X_WB.R, body.w_WB);
    P += kMasses[k] * body.v_WM;
    L += Cross(body.p_WM, kMasses[k] * body.v_WM) + body.X_WB.R * Scaled(kInertias[k], w);
  }
  return {P, L};
}

/** What must hold at each step, and what must be the same from elsewhere and in other units. */
void ExpectInvariants(const Model& model) {
  SCOPED_TRACE(model.Name());
  // A hundred steps a contact, whatever the law.
  const auto ignore = [](const Simulation&) {};
  const End coarse = Run(model, 5e-5, {}, {}, ignore);
  ASSERT_GT(coarse.left, coarse.touched);
  ASSERT_GE(coarse.touched, 0.0);
  const double step = std::max(5e-6, 0.01 * (coarse.left - coarse.touched));
  double before = -1.0, largest_gain = 0.0;
  std::array<Vec3, 2> start{};
  const End end = Run(model, step, {}, {}, [&](const Simulation& simulation) {
    const double now = Held(simulation.Energy());
    if (before >= 0.0) largest_gain = std::max(largest_gain, now - before);
    const std::array<Vec3, 2> momenta = Momenta(simulation);
    if (before < 0.0) start = momenta;
    before = now;
    ASSERT_LT(Norm(momenta[0] - start[0]), 1e-12);
    ASSERT_LT(Norm(momenta[1] - start[1]), 1e-12);
    for (const ContactReport& contact : simulation.Contacts()) {
      ASSERT_GE(contact.f_n, 0.0) << simulation.Time();  // never tensile
      ASSERT_GE(Dot(contact.force, contact.geometry.n), 0.0) << simulation.Time();
    }
    const BodyState &box = simulation.State()[0], &ball = simulation.State()[1];
    const double size = Norm(ball.contact_force);
    ASSERT_LE(Norm(box.contact_force + ball.contact_force), 1e-12 * size);
    // About one point, the moments are opposite too.
    const Vec3 moment = box.contact_torque + ball.contact_torque +
                        Cross(box.X_WB.p, box.contact_force) +
                        Cross(ball.X_WB.p, ball.contact_force);
    ASSERT_LE(Norm(moment), 1e-12 * size);
  });
  EXPECT_LT(largest_gain, 5e-6);  // of 0.65 J: a step's error, and chatterjee's jump between steps
  const Frame elsewhere{{ToRotation(Normalized(Quaternion{0.3, -0.7, 0.2, 0.5})), {4.0, -2.0, 1.0}},
                        {0.7, -1.1, 0.4}};
  const Units other{1.0 / 1024, 8.0, 16.0};
  // A law that remembers turns between two accepted steps, to 2e-4 of e.
  const double off =
      MakeContactModel(model.In({}), {}, {})->normal->Remembers() ? 1e-3 : 1e-4;  // [m/s], [rad/s]
  // Rounding moves where onsets are found within a step, by up to 1e-3 of it; units do not round.
  for (const bool moved : {true, false}) {
    const End again =
        moved ? Run(model, step, {}, elsewhere, ignore) : Run(model, step, other, {}, ignore);
    EXPECT_NEAR(again.t, end.t, 1e-9) << (moved ? "frame" : "units");
    for (std::size_t k = 0; k < end.motion.size(); ++k) {
      EXPECT_LT(Norm(again.motion[k] - end.motion[k]), moved ? off : 1e-9)
          << (moved ? "frame " : "units ") << k << " " << again.motion[k].x << " "
          << end.motion[k].x;
    }
  }
}

/** Whether the laws go together. */
bool Fits(const Model& model) {
  try {
    const Simulation made(Strike(model, 1e-4, {}, {}));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Law Named(const std::string& part, const std::string& name) {
  for (const Law& law : Laws(part)) {
    if (law.settings.model == name) return law;
  }
  ADD_FAILURE() << "docs/models.md has no " << part << " " << name;
  return {};
}

/** All pairs of normal and friction laws, or each with one of the other kind. */
void ExpectOfPairs(bool all) {
  std::set<std::string> normals, frictions;
  const Law no_rolling = Named("rolling", "none"), no_spinning = Named("spinning", "none");
  for (const Law& normal : Laws("normal")) {
    for (const Law& friction : Laws("friction")) {
      if (!all && normal.settings.model != "gonthier" && friction.settings.model != "bristle") {
        continue;
      }
      for (const auto geometry : {ContactGeometry::kVolumes, ContactGeometry::kPoints}) {
        const Model model{normal, friction, no_rolling, no_spinning, geometry};
        if (!Fits(model)) continue;
        normals.insert(normal.settings.model);
        frictions.insert(friction.settings.model);
        ExpectInvariants(model);
      }
    }
  }
  for (const auto& [name, make] : NormalLaws()) {
    if (name == "stiffening" || name.starts_with("test_")) continue;  // of this suite
    EXPECT_TRUE(normals.contains(name)) << name;
  }
  for (const auto& [name, make] : FrictionLaws()) {
    if (name.starts_with("test_")) continue;
    EXPECT_TRUE(frictions.contains(name)) << name;
  }
}

TEST(ContactInvariants, OfEveryNormalAndEveryFrictionLaw) { ExpectOfPairs(false); }

TEST(SlowContactInvariants, OfEveryNormalLawWithEveryFrictionLaw) { ExpectOfPairs(true); }

TEST(ContactInvariants, OfEveryRollingLawWithEverySpinningLaw) {
  std::set<std::string> rollings, spinnings;
  for (const Law& rolling : Laws("rolling")) {
    for (const Law& spinning : Laws("spinning")) {
      const Model model{Named("normal", "gonthier"), Named("friction", "bristle"), rolling,
                        spinning, ContactGeometry::kVolumes};
      ASSERT_TRUE(Fits(model)) << model.Name();
      rollings.insert(rolling.settings.model);
      spinnings.insert(spinning.settings.model);
      ExpectInvariants(model);
    }
  }
  for (const auto& [name, make] : RollingLaws()) EXPECT_TRUE(rollings.contains(name)) << name;
  for (const auto& [name, make] : SpinningLaws()) EXPECT_TRUE(spinnings.contains(name)) << name;
}

}  // namespace
}  // namespace intervox::host
