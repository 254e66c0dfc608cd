// Threads: a bolt's volume by the formula, and a nut on it that clears, bears on its flanks, or is
// half a pitch off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "geometry/primitives/pieces.h"
#include "host/scene/pairs.h"
#include "host/scene/shape_metrics.h"

namespace intervox::host {
namespace {

using geometry::Thread;
constexpr double kPi = std::numbers::pi;

// M16 as loose as its tolerances allow [mm].
constexpr Thread kBolt{7.841, 6.65, 2, 12, 0.3193, 60, 48};
constexpr Thread kNut{7.103, 8.15, 2, 6, 0.5918, 60, 48};

std::vector<geometry::Cell> CellsOf(const Thread& thread, double scale = 1) {
  geometry::Shape shape;
  shape.primitive = thread;
  shape.scale = scale;
  return geometry::ToCells(shape);
}

/** The width of a ridge along z. */
double Width(const Thread& t, double radius) {
  return t.crest + 2 * std::tan(t.flank_deg * kPi / 360) * std::fabs(t.radius - radius);
}

/** 2π s ∫ r f(r) dr over the depth that bolt and nut share, s what polygons leave of circles. */
template <class F>
double Integral(double from, double to, int sides, const F& f) {
  constexpr int kSteps = 2000;
  double sum = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double r = from + (k + 0.5) * (to - from) / kSteps;
    sum += r * f(r) * (to - from) / kSteps;
  }
  return sum * sides * std::sin(2 * kPi / sides);
}

InterferenceMetrics Overlap(const Thread& nut, const Thread& bolt, double z, double turn,
                            double scale = 1) {
  const Pose X{ToRotation(Quaternion{std::cos(0.5 * turn), 0, 0, std::sin(0.5 * turn)}),
               {0, 0, scale * z}};
  return MeasurePair(Engine(), CellsOf(nut, scale), CellsOf(bolt, scale), X, {},
                     {.tolerance = 1e-6})
      .sum;
}

TEST(PartsThread, ABoltIsItsFormula) {
  for (const int sides : {12, 48}) {
    for (const double scale : {1e-3, 1.0, 1e2}) {
      Thread bolt = kBolt;
      bolt.sides = sides;
      const double core =
          0.5 * sides * std::sin(2 * kPi / sides) * bolt.root_radius * bolt.root_radius * 12;
      const double ridge = 6 * Integral(bolt.root_radius, bolt.radius, sides,
                                        [&](double r) { return Width(bolt, r); });
      const InterferenceMetrics m =
          MeasureSolid(Engine(), CellsOf(bolt, scale), {.tolerance = 1e-9}).sum;
      const double volume = m.volume / (scale * scale * scale);
      // Flanks fold outwards, by less than a share of the pitch over the sides.
      EXPECT_GT(volume, core + ridge);
      EXPECT_LT(volume, core + ridge * (1 + 0.3 / sides));
      EXPECT_LT(Norm(m.p_WC), 2e-3 * scale);
    }
  }
}

TEST(PartsThread, ANutClearsItsBoltWhereverItIsScrewedTo) {
  for (const double turn : {0.0, 0.3, 2.0, 3.5, -5.0}) {
    EXPECT_EQ(Overlap(kNut, kBolt, 1 + turn / kPi, turn).volume, 0) << turn;
    EXPECT_GT(Overlap(kNut, kBolt, 1.5 + turn / kPi, turn).volume, 10) << turn;
  }
}

TEST(PartsThread, FlanksBearByTheFormula) {
  // At every radius the ridges leave the same gap.
  const double gap = 0.5 * (2 - Width(kBolt, 7.5) - Width(kNut, 7.5));
  EXPECT_NEAR(gap, 0.1184, 1e-4);
  const double area = 3 * Integral(kNut.radius, kBolt.radius, 48, [](double) { return 1.0; });
  for (const double scale : {1e-3, 1.0, 1e2}) {
    for (const double side : {-1.0, 1.0}) {
      const InterferenceMetrics m = Overlap(kNut, kBolt, 1 + side * 0.25, 0, scale);
      EXPECT_NEAR(m.volume, area * (0.25 - gap) * std::pow(scale, 3), 0.03 * m.volume);
      // Moving the nut further on grows the overlap by the area that bears.
      EXPECT_NEAR(std::fabs(m.area_vector.z), area * scale * scale, 0.03 * area * scale * scale);
    }
  }
}

TEST(PartsThread, HalfAPitchOffTheRidgesMeet) {
  const double volume = 3 * Integral(kNut.radius, kBolt.radius, 48, [](double r) {
                          return std::min(Width(kBolt, r), Width(kNut, r));
                        });
  EXPECT_NEAR(Overlap(kNut, kBolt, 0, 0).volume, volume, 0.01 * volume);
}

TEST(PartsThread, ALeftHandedOneIsTheMirrorImage) {
  Thread left = kBolt, nut = kNut;
  left.pitch = nut.pitch = -2;
  const auto volume = [](const Thread& t) {
    return MeasureSolid(Engine(), CellsOf(t), {.tolerance = 1e-9}).sum.volume;
  };
  EXPECT_NEAR(volume(left), volume(kBolt), 1e-9 * volume(kBolt));
  EXPECT_EQ(Overlap(nut, left, 1 - 0.3 / kPi, 0.3).volume, 0);
  EXPECT_GT(Overlap(kNut, left, 1, 0).volume, 10);
}

TEST(PartsThread, BadSizesAreRefused) {
  const auto refusal = [](Thread t) -> std::string {
    try {
      geometry::ToPieces(t, "part");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [](auto change) {
    Thread t = kBolt;
    change(&t);
    return t;
  };
  for (const auto& [thread, word] : std::vector<std::pair<Thread, std::string>>{
           {with([](Thread* t) { t->sides = 2; }), "sides"},
           {with([](Thread* t) { t->sides = 1001; }), "sides"},
           {with([](Thread* t) { t->pitch = 0; }), "pitch"},
           {with([](Thread* t) { t->pitch = NAN; }), "pitch"},
           {with([](Thread* t) { t->length = -1; }), "length"},
           {with([](Thread* t) { t->crest = 0; }), "crest"},
           {with([](Thread* t) { t->radius = t->root_radius; }), "depth"},
           {with([](Thread* t) { t->flank_deg = 170; }), "flank_deg"},
           {with([](Thread* t) { t->crest = 1; }), "width at the root"},
           {with([](Thread* t) { t->length = 1e5; }), "number of pieces"}}) {
    EXPECT_NE(refusal(thread).find(word), std::string::npos) << word << ": " << refusal(thread);
  }
}

TEST(PartsThread, TheExampleIsWhatItsNamesSay) {
  const PairsFile file = LoadPairs(std::string(INTERVOX_DATA_DIR) + "/examples/bolt.yaml");
  for (const PosedPair& pair : file.pairs) {
    if (pair.name.starts_with("tight")) continue;  // as many cells again, and the same
    const ShapeMetrics m = MeasurePair(Engine(), geometry::ToCells(*pair.a),
                                       geometry::ToCells(*pair.b), pair.X_WA, pair.X_WB, {});
    const bool meets = pair.name.find("flanks") != std::string::npos ||
                       pair.name.find("without") != std::string::npos ||
                       pair.name.find("off") != std::string::npos;
    EXPECT_EQ(m.sum.volume > 0, meets) << pair.name;
  }
}

}  // namespace
}  // namespace intervox::host
