// Fits to synthetic measurements: the true parameters lie in 95 % of the 95 % intervals.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "host/fit/fit.h"
#include "host/input/error.h"

namespace intervox::host {
namespace {

TEST(StudentQuantile, IsTheTables) {
  EXPECT_NEAR(StudentQuantile(5), 2.5706, 5e-4);
  EXPECT_NEAR(StudentQuantile(10), 2.2281, 1e-4);
  EXPECT_NEAR(StudentQuantile(30), 2.0423, 1e-4);
  EXPECT_NEAR(StudentQuantile(1000), 1.9623, 1e-4);
}

/** An experiment: rows without noise, the noise, the truth. */
struct Experiment {
  std::string model;
  FitConditions conditions;
  std::function<Measurements(std::mt19937&)> measure;
  std::map<std::string, double> truth;
};

Measurements Table(std::vector<std::string> names, std::size_t rows) {
  Measurements out{"test.csv", std::move(names), {}};
  out.columns.assign(out.names.size(), std::vector<double>(rows));
  return out;
}

double Noise(std::mt19937& random, double deviation) {
  return std::normal_distribution<double>(0.0, deviation)(random);
}

/** Experiments whose stiffnesses are a hundredth or a hundred times the middle ones. */
std::vector<Experiment> Experiments(double factor) {
  std::vector<Experiment> out;
  out.push_back({"force_depth",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"depth", "force"}, 40);
                   for (std::size_t k = 0; k < 40; ++k) {
                     const double z = 1e-4 * static_cast<double>(k + 1) / 40;
                     m.columns[0][k] = z;
                     m.columns[1][k] = factor * (1e7 * std::pow(z, 1.4) + Noise(random, 0.3));
                   }
                   return m;
                 },
                 {{"stiffness", 1e7 * factor}, {"exponent", 1.4}}});
  out.push_back({"force_depth",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"depth", "rate", "force"}, 60);
                   for (std::size_t k = 0; k < 60; ++k) {
                     const double phase = 3.14159 * (static_cast<double>(k) + 0.5) / 60;
                     const double z = 1e-4 * std::sin(phase), rate = 0.5 * std::cos(phase);
                     m.columns[0][k] = z;
                     m.columns[1][k] = rate;
                     m.columns[2][k] = factor * (1e7 * std::pow(z, 1.5) * (1 + 1.5 * 0.3 * rate) +
                                                 Noise(random, 0.2));
                   }
                   return m;
                 },
                 {{"stiffness", 1e7 * factor}, {"exponent", 1.5}, {"dissipation", 0.3}}});
  out.push_back({"force_linear",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"depth", "rate", "force"}, 30);
                   for (std::size_t k = 0; k < 30; ++k) {
                     const double phase = 0.2 * static_cast<double>(k);
                     m.columns[0][k] = 1e-3 * (1 + std::sin(phase));
                     m.columns[1][k] = 0.1 * std::cos(phase);
                     m.columns[2][k] = factor * (2e4 * m.columns[0][k] + 30 * m.columns[1][k] +
                                                 Noise(random, 1.0));
                   }
                   return m;
                 },
                 {{"stiffness", 2e4 * factor}, {"damping", 30 * factor}}});
  out.push_back({"restitution",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"approach_speed", "rebound_speed"}, 12);
                   for (std::size_t k = 0; k < 12; ++k) {
                     const double v = factor * 0.1 * static_cast<double>(k + 1);
                     m.columns[0][k] = v;
                     m.columns[1][k] = 0.62 * v + Noise(random, 0.01 * factor);
                   }
                   return m;
                 },
                 {{"restitution", 0.62}}});
  out.push_back({"restitution_slope",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"approach_speed", "rebound_speed"}, 12);
                   for (std::size_t k = 0; k < 12; ++k) {
                     const double v = 0.2 * factor * static_cast<double>(k + 1);
                     m.columns[0][k] = v;
                     m.columns[1][k] = (1 - 0.2 / factor * v) * v + Noise(random, 0.01 * factor);
                   }
                   return m;
                 },
                 {{"restitution_slope", 0.2 / factor}}});
  out.push_back({"restitution_power",
                 {},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"approach_speed", "rebound_speed"}, 20);
                   for (std::size_t k = 0; k < 20; ++k) {
                     const double v = factor * 0.3 * std::pow(1.2, static_cast<double>(k));
                     m.columns[0][k] = v;
                     m.columns[1][k] =
                         std::pow(0.1 * factor / v, 0.25) * v + Noise(random, 0.01 * factor);
                   }
                   return m;
                 },
                 {{"restitution.speed", 0.1 * factor}, {"restitution.power", 0.25}}});
  out.push_back({"stick",
                 {25.0, 9.81},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"displacement", "force"}, 60);
                   for (std::size_t k = 0; k < 60; ++k) {
                     const double x = 4e-6 * static_cast<double>(k) / factor;
                     m.columns[0][k] = x;
                     m.columns[1][k] = 25 * std::min(4e3 * factor * x, 0.45) + Noise(random, 0.1);
                   }
                   return m;
                 },
                 {{"sigma_0", 4e3 * factor}, {"mu_s", 0.45}}});
  out.push_back({"slide",
                 {25.0, 9.81},
                 [=](std::mt19937& random) {
                   Measurements m = Table({"velocity", "force"}, 60);
                   for (std::size_t k = 0; k < 60; ++k) {
                     const double s = 0.05 * static_cast<double>(k + 1);  // of v_S
                     m.columns[0][k] = (k % 2 == 0 ? 1 : -1) * 0.02 * factor * s;
                     m.columns[1][k] = (k % 2 == 0 ? 25 : -25) * (0.3 + 0.2 * std::exp(-s * s)) +
                                       Noise(random, 0.05);
                   }
                   return m;
                 },
                 {{"mu_s", 0.5}, {"mu_c", 0.3}, {"v_stribeck", 0.02 * factor}}});
  out.push_back({"ringing",
                 {0.0, 9.81},
                 [=](std::mt19937& random) {
                   // σ₀ = ω²/g, σ₁ = 2 ζ ω/g.
                   const double omega = 200 * std::sqrt(factor), zeta = 0.06;
                   Measurements m = Table({"time", "displacement"}, 300);
                   for (std::size_t k = 0; k < 300; ++k) {
                     const double t = 0.1 * static_cast<double>(k) / omega;
                     m.columns[0][k] = 5.0 + t;
                     m.columns[1][k] = 1e-3 +
                                       1e-4 * std::exp(-zeta * omega * t) *
                                           std::cos(std::sqrt(1 - zeta * zeta) * omega * t + 0.7) +
                                       Noise(random, 3e-6);
                   }
                   return m;
                 },
                 {{"sigma_0", 4e4 * factor / 9.81},
                  {"sigma_1", 2 * 0.06 * 200 * std::sqrt(factor) / 9.81},
                  {"frequency", 200 * std::sqrt(factor)},
                  {"damping_ratio", 0.06}}});
  return out;
}

// Of 200 trials a 95 % interval holds the truth in 190, give or take 3.1: four of these are
// allowed.
TEST(FitModel, IntervalsHoldTheTruthAtTheirRate) {
  for (const double factor : {0.01, 1.0, 100.0}) {
    for (const Experiment& experiment : Experiments(factor)) {
      std::mt19937 random(11);
      std::map<std::string, int> held;
      constexpr int kTrials = 200;
      for (int trial = 0; trial < kTrials; ++trial) {
        const Fit fit =
            FitModel(experiment.model, experiment.measure(random), experiment.conditions);
        ASSERT_EQ(fit.parameters.size(), experiment.truth.size()) << experiment.model;
        for (const FittedParameter& p : fit.parameters) {
          const double truth = experiment.truth.at(p.name);
          if (p.low <= truth && truth <= p.high) ++held[p.name];
          ASSERT_LT(p.low, p.high);
        }
      }
      for (const auto& [name, truth] : experiment.truth) {
        EXPECT_NEAR(held[name], 190, 12) << experiment.model << " " << name << " " << factor;
      }
    }
  }
}

// Without noise the truth comes back.
TEST(FitModel, FindsTheTruthWithoutNoise) {
  Measurements m = Table({"depth", "rate", "force"}, 50);
  for (std::size_t k = 0; k < 50; ++k) {
    const double z = 2e-5 * static_cast<double>(k + 1),
                 rate = 0.3 * std::cos(0.4 * static_cast<double>(k));
    m.columns[0][k] = z;
    m.columns[1][k] = rate;
    m.columns[2][k] = 3e8 * std::pow(z, 1.5) * (1 + 1.5 * 0.2 * rate);
  }
  const Fit fit = FitModel("force_depth", m, {});
  EXPECT_NEAR(fit.parameters[0].value / 3e8, 1.0, 1e-6);
  EXPECT_NEAR(fit.parameters[1].value, 1.5, 1e-7);
  EXPECT_NEAR(fit.parameters[2].value, 0.2, 1e-7);
}

// One parameter: s² = Σ r²/(n − 1), and the interval is t s/√Σ v² to either side.
TEST(FitModel, HasTheIntervalOfAProportion) {
  Measurements m = Table({"approach_speed", "rebound_speed"}, 6);
  double vv = 0.0, vb = 0.0, rr = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    const double v = 0.3 * static_cast<double>(k + 1), b = 0.5 * v + (k % 2 == 0 ? 0.02 : -0.03);
    m.columns[0][k] = v;
    m.columns[1][k] = b;
    vv += v * v;
    vb += v * b;
  }
  for (std::size_t k = 0; k < 6; ++k) {
    const double r = m.columns[1][k] - vb / vv * m.columns[0][k];
    rr += r * r;
  }
  const Fit fit = FitModel("restitution", m, {});
  const double s = std::sqrt(rr / 5);
  EXPECT_NEAR(fit.deviation, s, 1e-9);
  EXPECT_NEAR(fit.parameters[0].value, vb / vv, 1e-9);
  EXPECT_NEAR(fit.parameters[0].high - fit.parameters[0].value, 2.5706 * s / std::sqrt(vv),
              5e-4 * s);
}

std::string MessageOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FitModel, SaysWhatIsWrong) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Measurements m = Table({"depth", "force"}, 40);
  expect(MessageOf([&] { FitModel("forces", m, {}); }), "Use one of: force_depth");
  expect(MessageOf([&] { FitModel("stick", m, {1.0, 9.81}); }), "has no column \"displacement\"");
  for (std::size_t k = 0; k < 40; ++k) m.columns[0][k] = m.columns[1][k] = 1.0;
  expect(MessageOf([&] { FitModel("force_depth", m, {}); }), "do not tell the parameters");
  Measurements few = Table({"approach_speed", "rebound_speed"}, 3);
  expect(MessageOf([&] { FitModel("restitution", few, {}); }), "has 3 rows of use");
  Measurements pull = Table({"displacement", "force"}, 30);
  expect(MessageOf([&] { FitModel("stick", pull, {}); }), "--load");
}

TEST(Measurements, AreReadWithTheirLines) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "intervox-fit.csv";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  write("# a test rig\ndepth, force\r\n1e-3, 2\n\n2e-3,4.5\n");
  const Measurements m = ReadMeasurements(path.string());
  EXPECT_EQ(m.names, (std::vector<std::string>{"depth", "force"}));
  EXPECT_EQ(*m.Find("force"), (std::vector<double>{2.0, 4.5}));
  EXPECT_EQ(m.Find("rate"), nullptr);
  const auto expect = [&](const std::string& text, const std::string& part) {
    write(text);
    const std::string message = MessageOf([&] { ReadMeasurements(path.string()); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect("depth,force\n1,2\n3\n", "intervox-fit.csv:3: has 1 numbers");
  expect("depth,force\n1,x\n", "intervox-fit.csv:2: force: \"x\" is not a finite number");
  expect("depth,force\n1,nan\n", "\"nan\" is not a finite number");
  expect("", "is empty");
  EXPECT_NE(MessageOf([] { ReadMeasurements("/no/such.csv"); }).find("cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace intervox::host
