/** @file The size of an ellipsoid's large face, of which no closure of the boundary tells anything:
 its parts add up wherever the boundary runs, and its error estimate holds for the worst pole. */
#include <gtest/gtest.h>

#include "tests/cuda/flux_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;

constexpr double kPi = std::numbers::pi;
constexpr double kEnclosure = 4;  // estimates that enclose the truth, as the planner has it
constexpr Vec3 kX{1, 0, 0}, kZ{0, 0, 1};

// An ellipsoid from which a cone's tip cuts a corner, in a pose where the opposite of the cone's
// axis leaves the ellipsoid a tenth of a radian from the edge: rules of 3 and 7 nodes agree there.
FluxPair BallAndTip(double shift) {
  const Mat3 ball{{0.33324360560105393, -0.69262693010745713, 0.63970042599323707},
                  {-0.76323336696389277, 0.20017469264436516, 0.61433290647473371},
                  {-0.55355535123325206, -0.69296322277207023, -0.46192904758888842}};
  const Mat3 tip{{-0.20360185766098837, 0.001422260620956288, 0.97905273644054591},
                 {-0.098885360811176243, -0.99491515254724194, -0.019118698939572992},
                 {0.97404721085491452, -0.10070658571625105, 0.20270721402835468}};
  const Vec3 centre{0.1506231853902098 + shift, -0.34348522228650613, 0.24115222009008574};
  const Vec3 middle{-0.27712300607264351, -0.24688590508974417, 0.0039384519434650933};
  const Vec3 e = tip.Col(2), apex = middle + 0.35 * e;
  FluxPair pair(2.0, 1e-3);
  pair.Add(MakeEllipsoid({0.5, 0.4, 0.3}, {ball, centre}), 0);
  // A cone that opens against e: half angle 0.4 over 0.7.
  return pair.Add(MakeCone(0.4, 0.7, {Mat3::FromColumns(tip.Col(0), -tip.Col(1), -e), apex}), 1);
}

TEST(FluxPole, CornerOfAnEllipsoid) {
  const double whole = 4 * kPi / 3 * 0.06;
  for (int i = -300; i <= 300; ++i) {
    FluxPair pair = BallAndTip(1e-6 * i * std::fabs(i));
    Moments in, out;
    const RuleResult first = pair.Run(&in);
    pair.pair.surface[1].surface = Outside(pair.pair.surface[1].surface);
    const RuleResult second = pair.Run(&out);
    ASSERT_TRUE(first.accepted && second.accepted) << i;
    EXPECT_NEAR(in.v + out.v, whole, first.error + second.error + 1e-14) << i;
  }
}

// Whatever pole the sums start from, the estimate of every piece holds.
void CheckPoles(const FluxPair& pair) {
  internal::flux::FluxModel model;
  ASSERT_TRUE(internal::flux::MakeFluxModel(pair.pair, 0.0, &model));
  int round = 0;
  while (model.curve[round].ruled) ++round;
  model.a = model.curve[round].o;
  internal::flux::Recentre(pair.pair, &model);
  internal::flux::FluxMemory memory;
  const internal::flux::FluxPanels& panels = memory.panels;
  internal::flux::FluxSums edges;
  ASSERT_TRUE(internal::flux::ListPanels(model, &memory, &edges));
  FluxRandom random(21);
  int near = 0;
  for (int i = 0; i < panels.count; ++i) {
    for (int trial = 0; trial < 1000; ++trial) {
      Vec3 y;
      if (!internal::flux::PatchPoint(model, round, panels.panel[i], random.Uniform(0, 1), 1, &y) &&
          !internal::flux::PatchPoint(model, round, panels.panel[i], random.Uniform(0, 1), 0, &y)) {
        break;
      }
      internal::flux::PatchPole pole;
      const double apart = std::pow(10.0, random.Uniform(-3, 0));
      pole.e = -Normalized(y + apart * random.Direction());
      const auto coarse = internal::flux::IntegratePanel(model, panels.panel[i], pole, false, 0, 1);
      internal::flux::PanelSums fine;
      for (int k = 0; k < 128; ++k) {
        const auto part = internal::flux::IntegratePanel(model, panels.panel[i], pole, true,
                                                         k / 128.0, (k + 1) / 128.0);
        fine.sums += part.sums;
        fine.volume_error += part.volume_error;
      }
      if (fine.volume_error > 1e-9) continue;
      ++near;
      EXPECT_LE(std::fabs(coarse.sums.x.v - fine.sums.x.v),
                kEnclosure * coarse.volume_error + fine.volume_error + 1e-14)
          << "piece " << i << ", " << apart << " from its boundary";
    }
  }
  EXPECT_GT(near, 500);
}

TEST(FluxPole, EveryPoleOfASheetsEdge) { CheckPoles(BallAndTip(0)); }

TEST(FluxPole, EveryPoleOfAPlanesEdge) {
  FluxPair pair(2.0);
  pair.Add(MakePlane(Normalized(Vec3{1, 2, 3}), 0.1), 1);
  CheckPoles(pair.Add(MakeEllipsoid({0.5, 0.4, 0.3}), 0));
}

TEST(FluxPole, RoundHoleThroughABall) {
  // What a centred hole leaves depends on its length alone, wherever the ball's face is seen from.
  for (double hole : {0.01, 0.1, 0.25, 0.4, 0.49}) {
    FluxPair pair(0.6, 1e-9);
    pair.Add(MakeEllipsoid({0.5, 0.5, 0.5}), 0);
    pair.Add(Outside(MakeCylinder(hole, Along(Vec3{1, 2, 3}, {}))), 1);
    Moments m;
    const RuleResult result = pair.Run(&m);
    ASSERT_TRUE(result.accepted) << hole;
    const double half = std::sqrt(0.25 - hole * hole);
    EXPECT_NEAR(m.v, 4 * kPi / 3 * half * half * half, 1e-11) << hole;
  }
}

TEST(FluxPole, BallThatTouches) {
  // No boundary but a point or a circle: all of the ball or nothing.
  Moments m;
  FluxPair inside(0.6);
  inside.Add(MakeEllipsoid({0.5, 0.5, 0.5}), 0).Add(MakeCylinder(0.5, Along(kX, {})), 1);
  const RuleResult all = inside.Run(&m);
  ASSERT_TRUE(all.accepted);
  EXPECT_NEAR(m.v, kPi / 6, 1e-8 + all.error);
  FluxPair outside(0.6);
  outside.Add(MakePlane(kZ, -0.5), 1).Add(MakeEllipsoid({0.5, 0.5, 0.5}), 0);
  const RuleResult none = outside.Run(&m);
  ASSERT_TRUE(none.accepted);
  EXPECT_NEAR(m.v, 0.0, 1e-9);
}

TEST(FluxPole, EllipsoidBesideWhatItDoesNotBound) {
  // A cone's tip behind a plane, half a metre from the middle of a dimple: all as without it.
  for (double depth : {1e-5, 1e-4, 1e-3, 1e-2}) {
    FluxPair tip(2 * depth, 1e-3);
    tip.Add(MakePlane(Normalized(Vec3{0.1, 0.2, 1}), depth), 1);
    tip.Add(MakeCone(0.4, 0.7, {}), 0);
    FluxPair dimpled = tip;
    dimpled.Add(Outside(MakeEllipsoid({0.4, 0.45, 0.35}, Along({1, 2, 3}, {0.3, 0.3, 0.3}))), 1);
    Moments alone, beside;
    const RuleResult first = tip.Run(&alone), second = dimpled.Run(&beside);
    ASSERT_TRUE(first.accepted && second.accepted);
    EXPECT_LE(second.error, 1e-5 * alone.v) << depth;
    EXPECT_NEAR(beside.v, alone.v, 1e-9 * alone.v) << depth;
    EXPECT_NEAR(Trace(beside.second), Trace(alone.second), 1e-9 * Trace(alone.second)) << depth;
  }
}

}  // namespace
}  // namespace intervox::cuda
