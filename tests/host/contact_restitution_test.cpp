// The restitution over the speed, its messages, and the dissipation of two materials.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/restitution.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

/** Settings of a law with a restitution that is a map. */
ModelSettings With(const ParameterGroup& group, const std::string& law = "gonthier") {
  ModelSettings settings{law, {{"stiffness", 1e6}}, {}};
  settings.groups["restitution"] = group;
  return settings;
}

Restitution Of(const ModelSettings& settings) {
  const Material none;
  Parameters p("normal", settings, none, none);
  return {p, 0.0};
}

Restitution Table(const std::vector<double>& speeds, const std::vector<double>& values) {
  return Of(With({{}, {{"speeds", speeds}, {"values", values}}}));
}

// Values of scipy.interpolate.PchipInterpolator; speeds a hundredth and a hundred times.
TEST(RestitutionOverSpeed, ATableIsPchip) {
  struct Case {
    std::vector<double> speeds, values;
    std::vector<std::pair<double, double>> expected;
  };
  const std::vector<Case> cases = {
      {{0.02, 0.1, 0.5, 1, 4},
       {0.95, 0.9, 0.9, 0.6, 0.3},
       {{0.02, 0.95},
        {0.05, 0.925634765625},
        {0.3, 0.9},
        {0.6, 0.8721049180327869},
        {0.9, 0.6444196721311475},
        {1.5, 0.506056466302368},
        {3, 0.3318761384335155},
        {4, 0.3}}},
      {{0, 1, 2.5},
       {0.2, 0.8, 0.7},
       {{0.3, 0.4570000000000001},
        {0.9, 0.791},
        {1.2, 0.799762962962963},
        {2, 0.7703703703703704}}},
      {{0, 0.1, 2.5, 2.6},
       {0.9, 0.89, 0.5, 0.49},
       {{0.05, 0.8952235576923078}, {1.2, 0.7135894097222222}, {2.55, 0.49477644230769235}}},
      {{0, 1, 1.01, 1.02},
       {0.1, 0.11, 0.6, 0.59},
       {{0.3, 0.10028928174143653},
        {0.9, 0.10731479081041838},
        {1.003, 0.21588365009269295},
        {1.015, 0.5987500000000001}}},
      {{1, 3}, {0.9, 0.5}, {{1.5, 0.8}, {2.5, 0.6}}}};
  for (const Case& c : cases) {
    for (const double factor : {0.01, 1.0, 100.0}) {
      std::vector<double> speeds;
      for (const double speed : c.speeds) speeds.push_back(factor * speed);
      const Restitution e = Table(speeds, c.values);
      EXPECT_FALSE(e.IsConstant());
      for (const auto& [v, expected] : c.expected) {
        EXPECT_NEAR(e.At(factor * v), expected, 1e-13) << v << " " << factor;
      }
      EXPECT_EQ(e.At(0.0), c.values.front());
      EXPECT_EQ(e.At(100 * speeds.back()), c.values.back());
    }
  }
}

TEST(RestitutionOverSpeed, ATableIsMonotoneBetweenItsPoints) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> speeds = {any(random)}, values = {0.01 + 0.99 * any(random)};
    const int n = 2 + trial % 6;
    for (int k = 1; k < n; ++k) {
      speeds.push_back(speeds.back() + std::pow(10.0, 8 * any(random) - 4));
      values.push_back(0.01 + 0.99 * any(random));
    }
    const Restitution e = Table(speeds, values);
    for (std::size_t k = 0; k + 1 < speeds.size(); ++k) {
      const double sign = values[k + 1] > values[k] ? 1.0 : -1.0;
      double before = values[k];
      for (int s = 1; s <= 100; ++s) {
        const double at = e.At(speeds[k] + (speeds[k + 1] - speeds[k]) * s / 100);
        EXPECT_GE(sign * (at - before), -1e-12) << trial << " " << k << " " << s;
        before = at;
      }
      EXPECT_NEAR(before, values[k + 1], 1e-12);
    }
  }
}

TEST(RestitutionOverSpeed, PowersAreJohnsonsAndTheirKin) {
  // Above the speed at which it yields e falls by a half with 16 times the speed.
  const Restitution johnson = Of(With({{{"speed", 0.05}}, {}}));
  EXPECT_EQ(johnson.At(0.0), 1.0);
  EXPECT_EQ(johnson.At(0.05), 1.0);
  EXPECT_NEAR(johnson.At(0.8), 0.5, 1e-15);
  EXPECT_NEAR(johnson.At(500.0), 0.1, 1e-15);
  EXPECT_EQ(johnson.At(5e8), 0.01);
  const Restitution measured =
      Of(With({{{"speed", 2.0}, {"value", 0.6}, {"power", 0.5}, {"most", 0.9}}, {}}));
  EXPECT_EQ(measured.At(2.0), 0.6);
  EXPECT_NEAR(measured.At(8.0), 0.3, 1e-15);
  EXPECT_EQ(measured.At(0.5), 0.9);  // 1.2 without the cap
  for (const double factor : {0.01, 100.0}) {
    EXPECT_NEAR(Of(With({{{"speed", 0.05 * factor}}, {}})).At(0.8 * factor), 0.5, 1e-15);
    const double power = 0.25 * factor;
    EXPECT_NEAR(Of(With({{{"speed", 0.05}, {"power", power}}, {}})).At(0.055),
                std::max(0.01, std::pow(1.1, -power)), 1e-14);
  }
  EXPECT_EQ(Of(With({{{"speed", 1.0}, {"value", 0.7}, {"power", 0.0}}, {}})).At(1e5), 0.7);
}

TEST(RestitutionOverSpeed, LossesGrowWithAPowerAndTheSlopeIsTheirFirst) {
  const Restitution soft = Of(With({{{"loss", 0.3}, {"exponent", 0.2}}, {}}));
  EXPECT_EQ(soft.At(0.0), 1.0);
  EXPECT_NEAR(soft.At(1.0), 0.7, 1e-15);
  EXPECT_NEAR(soft.At(32.0), 0.4, 1e-15);
  EXPECT_EQ(soft.At(1e6), 0.01);
  ModelSettings slope{"gonthier", {{"restitution_slope", 0.2}}, {}};
  const Restitution by_slope = Of(slope), by_loss = Of(With({{{"loss", 0.2}}, {}}));
  for (const double v : {0.0, 0.01, 1.0, 3.0, 100.0}) {
    EXPECT_EQ(by_slope.At(v), by_loss.At(v));
    EXPECT_NEAR(by_slope.At(v), std::max(0.01, 1 - 0.2 * v), 1e-15);
  }
  for (const double factor : {0.01, 100.0}) {
    EXPECT_NEAR(Of(With({{{"loss", 0.2 * factor}}, {}})).At(1.0 / factor), 0.8, 1e-15);
  }
}

TEST(RestitutionOverSpeed, BadOnesAreRefusedWithTheirKey) {
  const auto message = [](const ParameterGroup& group, const std::string& law = "gonthier",
                          double slope = -1.0) {
    ContactModelSettings settings;
    settings.normal = With(group, law);
    if (law == "linear" || law == "lee_wang") settings.geometry = ContactGeometry::kPoints;
    if (slope >= 0.0) settings.normal.parameters["restitution_slope"] = slope;
    try {
      MakeContactModel(settings, {}, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto table = [](std::vector<double> speeds, std::vector<double> values) {
    return ParameterGroup{{}, {{"speeds", std::move(speeds)}, {"values", std::move(values)}}};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message(table({0, 1}, {0.9, 0.5})), "accepted");
  EXPECT_EQ(message(table({0, 1, 1}, {0.9, 0.6, 0.5})),
            "normal.restitution.speeds[2]: 1 is not above the speed before it, 1, by 1e-12 m/s or "
            "more. Sort the table by speed.");
  EXPECT_NE(message(table({0, 1e-310, 1}, {0.9, 0.6, 0.5})).find("speeds[1]: 1e-310 is not above"),
            std::string::npos);
  EXPECT_EQ(message(table({0, 1}, {0.9, 1.1})),
            "normal.restitution.values[1]: 1.1 is above 1 (allowed: 0.01 to 1). Use 0.01 for a "
            "dead impact, 1 for an elastic one.");
  EXPECT_EQ(message(table({0, 1}, {0, 1})),
            "normal.restitution.values[0]: 0 is below 0.01 (allowed: 0.01 to 1). Use 0.01 for a "
            "dead impact, 1 for an elastic one.");
  EXPECT_EQ(message(table({-1, 1}, {0.5, 1})),
            "normal.restitution.speeds[0]: -1 is below 0 (allowed: 0 to 1e+06). Give approach "
            "speeds in m/s.");
  EXPECT_NE(message(table({0, nan}, {0.5, 1})).find("speeds[1]: nan is not a number (allowed: 0"),
            std::string::npos);
  EXPECT_NE(message(table({0, 1}, {nan, 1})).find("values[0]: nan is not a number (allowed: 0.01"),
            std::string::npos);
  EXPECT_EQ(message(table({0, 1, 2}, {0.9, 0.6})),
            "normal.restitution.values: 2 numbers for 3 speeds. Give one e for each speed.");
  EXPECT_EQ(message(table({1}, {0.9})),
            "normal.restitution.speeds: a table has two speeds or more. Give more, or one number "
            "as restitution.");
  EXPECT_EQ(message({{}, {{"speeds", {0, 1}}}}),
            "normal.restitution.values: is missing. Give one number for each of the speeds.");
  EXPECT_EQ(message({{}, {{"values", {0, 1}}}}),
            "normal.restitution.speeds: is missing. Give one number for each of the values.");
  EXPECT_EQ(message({{{"power", 0.3}}, table({0, 1}, {0.9, 0.5}).lists}),
            "normal.restitution.power: stands beside speeds, which goes with values. Remove one "
            "of them.");
  EXPECT_EQ(message({{{"loss", 0.3}, {"power", 0.3}}, {}}),
            "normal.restitution.power: stands beside loss, which goes with exponent. Remove one "
            "of them.");
  EXPECT_EQ(message({{{"powr", 0.3}, {"speed", 1}}, {}}),
            "normal.restitution.powr: stands beside speed, which goes with most, power, value. "
            "Remove one of them.");
  EXPECT_NE(message({{{"value", 0.3}}, {}}).find("normal.restitution.speed: is missing"),
            std::string::npos);
  EXPECT_EQ(message({{{"speed", 1}, {"power", 101}}, {}}),
            "normal.restitution.power: 101 is above 100 (allowed: 0 to 100). Give 0.25 for metals "
            "that yield, 0 for a constant.");
  EXPECT_EQ(message({{{"speed", 1}}, {}}, "gonthier", 0.2),
            "normal.restitution_slope: stands beside restitution, which is a map. Remove one of "
            "them.");
  const std::string constant = "\" has a constant damping, from which e follows. Give damping ";
  for (const std::string law : {"linear", "lee_wang"}) {
    EXPECT_NE(message({{{"speed", 1}}, {}}, law).find("restitution: the model \"" + law + constant),
              std::string::npos);
  }
}

TEST(RestitutionOverSpeed, AMapStandsForNoOtherNumber) {
  ContactModelSettings settings;
  settings.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
  settings.normal.groups["v_small"] = {{{"speed", 1}}, {}};
  try {
    MakeContactModel(settings, {}, {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "normal.v_small: is a map. Give one number.");
  }
}

// e beside a slope was passed over in silence.
TEST(RestitutionOverSpeed, AnEBesideASlopeIsTold) {
  ContactModelSettings settings;
  settings.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution_slope", 0.2}}, {}};
  EXPECT_TRUE(MakeContactModel(settings, {}, {})->warnings.empty());
  settings.normal.parameters["restitution"] = 1.0;
  EXPECT_TRUE(MakeContactModel(settings, {}, {})->warnings.empty());
  settings.normal.parameters["restitution"] = 0.8;
  const auto model = MakeContactModel(settings, {}, {});
  ASSERT_EQ(model->warnings.size(), 1U);
  EXPECT_NE(model->warnings[0].find("normal.restitution: 0.8 is not used"), std::string::npos);
}

// Where e rises with the speed, a second, faster push must not heal what the first has crushed.
TEST(RestitutionOverSpeed, NoTurnLiftsACurve) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0.0, 1.0);
  for (const std::string law : {"stronge", "chatterjee"}) {
    for (int trial = 0; trial < 2000; ++trial) {
      ContactModelSettings settings;
      settings.geometry = ContactGeometry::kPoints;
      settings.normal = With({{},
                              {{"speeds", {0.1, 1, 10}},
                               {"values",
                                {0.01 + 0.99 * any(random), 0.01 + 0.99 * any(random),
                                 trial % 3 == 0 ? 1.0 : any(random) * 0.9 + 0.1}}}},
                             law);
      const auto model = MakeContactModel(settings, {}, {});
      PatchLatch latch;
      double V_p = 1e-3 * any(random);
      for (int turn = 0; turn < 4; ++turn) {
        latch.v_i += 10 * any(random) * any(random);
        const LoadingCurve before = model->normal->Curve(latch);
        V_p = std::max(V_p, before.V_2) * (1.0 + 1e-9 + any(random));
        // No step goes past all that the patch has to give back.
        const double V = V_p * (1.0 - 1e-5 * any(random));
        model->normal->Turn(V_p, V, &latch);
        const LoadingCurve after = model->normal->Curve(latch);
        for (int k = 0; k <= 300; ++k) {
          const double at = 3 * V_p * k / 300;
          EXPECT_LE(ForceOf(after, at), ForceOf(before, at) + 1e-12 * 1e6 * V_p)
              << law << " " << trial << " turn " << turn << " at " << at / V_p;
        }
      }
    }
  }
}

/** The α that Hunt and Crossley's law takes of two materials. */
double Taken(const Material& i, const Material& j, ContactGeometry geometry,
             const std::string& law = "hunt_crossley") {
  ContactModelSettings settings;
  settings.geometry = geometry;
  settings.normal = {law, {{"stiffness", 1e7}}, {}};
  const double a = MakeContactModel(settings, i, j)->normal->DampingFactor(3.0);
  EXPECT_NEAR(a, MakeContactModel(settings, j, i)->normal->DampingFactor(3.0), -1e-14 * a);
  EXPECT_EQ(a, MakeContactModel(settings, i, j)->normal->DampingFactor(0.03));
  return -a / 1.5;
}

// d = (E₂ d₁ + E₁ d₂)/(E₁ + E₂): what gives way more decides. Moduli and d a hundred times apart.
TEST(PairDissipation, IsDrakes) {
  for (const double factor : {0.01, 1.0, 100.0}) {
    for (const double d_factor : {0.01, 1.0, 100.0}) {
      Material a, b;
      a.youngs_modulus = 3e6;
      b.youngs_modulus = 3e6 * factor;
      a.dissipation = 0.4;
      b.dissipation = 0.1 * d_factor;
      const double E_1 = 3e6, E_2 = 3e6 * factor, d_2 = 0.1 * d_factor;
      const double expected = (E_2 * 0.4 + E_1 * d_2) / (E_1 + E_2);
      for (const auto geometry : {ContactGeometry::kPoints, ContactGeometry::kVolumes}) {
        for (const char* law : {"hunt_crossley", "marhefka_orin"}) {
          EXPECT_NEAR(Taken(a, b, geometry, law), expected, 1e-14 * expected) << factor;
        }
      }
    }
  }
}

TEST(PairDissipation, FollowsFoundationsOfVolumesAndPlaneModuliAtPoints) {
  Material a, b;
  a.dissipation = 0.4;
  b.dissipation = 0.1;
  for (const auto geometry : {ContactGeometry::kPoints, ContactGeometry::kVolumes}) {
    EXPECT_NEAR(Taken(a, b, geometry), 0.25, 1e-15);  // nothing is known: as alike ones
  }
  a.youngs_modulus = 1e6;
  b.youngs_modulus = 1e6;
  b.poisson_ratio = 0.0;
  a.poisson_ratio = 0.5;  // E/(1 − ν²) is 4/3 and 1
  EXPECT_NEAR(Taken(a, b, ContactGeometry::kPoints), (0.4 + 4.0 / 3 * 0.1) / (1 + 4.0 / 3), 1e-15);
  a.foundation_stiffness = 1e8;
  b.foundation_stiffness = 3e8;
  EXPECT_NEAR(Taken(a, b, ContactGeometry::kVolumes), 0.75 * 0.4 + 0.25 * 0.1, 1e-15);
  EXPECT_NEAR(Taken(a, b, ContactGeometry::kPoints), (0.4 + 4.0 / 3 * 0.1) / (1 + 4.0 / 3), 1e-15);
  // What has no modulus is rigid beside what has one.
  Material soft = a, rigid = b;
  rigid.youngs_modulus.reset();
  EXPECT_NEAR(Taken(soft, rigid, ContactGeometry::kPoints), 0.4, 1e-15);
  // A body without a dissipation takes the other's, and 0 is one.
  rigid.dissipation.reset();
  soft.dissipation = 0.0;
  EXPECT_EQ(Taken(soft, rigid, ContactGeometry::kPoints), 0.0);
}

TEST(PairDissipation, WhatTheModelGivesComesFirstAndMixturesAreTold) {
  Material a, b;
  a.dissipation = 0.4;
  b.dissipation = 0.1;
  a.restitution = b.restitution = 0.9;
  ContactModelSettings settings;
  const auto make = [&](std::map<std::string, double> parameters) {
    parameters["stiffness"] = 1e7;
    settings.normal = {"hunt_crossley", parameters, {}};
    return MakeContactModel(settings, a, b);
  };
  EXPECT_NEAR(make({})->normal->DampingFactor(2.0), -1.5 * 0.25, 1e-15);
  ASSERT_EQ(make({})->notes.size(), 1U);
  EXPECT_EQ(make({})->notes[0], "normal.dissipation = 0.25 s/m, of the materials");
  EXPECT_TRUE(make({})->warnings.empty());
  EXPECT_NEAR(make({{"dissipation", 0.7}})->normal->DampingFactor(2.0), -1.5 * 0.7, 1e-15);
  EXPECT_NEAR(make({{"restitution", 0.8}})->normal->DampingFactor(2.0), -1.5 * 0.2 / 2, 1e-15);
  EXPECT_NEAR(make({{"restitution_slope", 0.1}})->normal->DampingFactor(2.0), -1.5 * 0.2 / 2,
              1e-15);
  for (const char* key : {"restitution", "restitution_slope"}) {
    try {
      make({{"dissipation", 0.7}, {key, 0.8}});
      FAIL() << key;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   "normal.dissipation: stands beside restitution. Remove one of them.");
    }
  }
  b.dissipation.reset();
  ASSERT_EQ(make({})->warnings.size(), 1U);
  EXPECT_NE(make({})->warnings[0].find("normal.dissipation: 0.4 s/m is that of one material: the "
                                       "other has restitution alone"),
            std::string::npos);
  b.restitution.reset();
  EXPECT_TRUE(make({})->warnings.empty());
  // Other laws go by the restitution, and say what the dissipation is for where there is none.
  settings.normal = {"lankarani_nikravesh", {{"stiffness", 1e7}}, {}};
  EXPECT_NEAR(MakeContactModel(settings, a, b)->normal->DampingFactor(2.0), -0.75 * (1 - 0.81) / 2,
              1e-15);
  a.restitution.reset();
  try {
    MakeContactModel(settings, a, b);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "normal.restitution: is missing. Use 0.01 for a dead impact, 1 for an elastic "
                 "one. The dissipation of materials is for hunt_crossley and marhefka_orin.");
  }
}

}  // namespace
}  // namespace intervox::host
