// The rules by which cell pairs become patches, on metrics made by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

/** A row of cells, each the neighbour of the next. */
std::vector<geometry::Cell> Row(int count) {
  std::vector<geometry::Cell> cells(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    auto& cell = cells[static_cast<std::size_t>(k)];
    if (k > 0) cell.neighbours.push_back(k - 1);
    if (k + 1 < count) cell.neighbours.push_back(k + 1);
  }
  return cells;
}

/** A flat overlap of a strip 0.1 wide whose normal is turned by `degrees` about y. */
ActivePair Pair(int b, double x, double area, double depth, double degrees = 0) {
  const double angle = degrees * 3.14159265358979 / 180;
  ActivePair pair;
  pair.j = 1;
  pair.b = b;
  pair.metrics.volume = area * depth;
  pair.metrics.p_WC = {x, 0, 0};
  pair.metrics.area_vector = area * Vec3{std::sin(angle), 0, std::cos(angle)};
  pair.metrics.status = Status::kOk;
  const double l = area / 0.1;
  pair.metrics.J_W = pair.metrics.volume / 12 * Mat3::Diagonal({0.01, l * l, 0.01 + l * l});
  return pair;
}

class PatchRulesTest : public ::testing::Test {
 protected:
  PatchRulesTest() : cells_i_(Row(1)), cells_j_(Row(6)), patches_({}, cells_i_, cells_j_) {}
  std::vector<geometry::Cell> cells_i_, cells_j_;
  testing::TwoBodyPatches patches_;
};

TEST_F(PatchRulesTest, NeighboursThatFaceTheSameWayAreOnePatch) {
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4), Pair(1, 0.1, 0.01, 1e-4, 20),
                              Pair(2, 0.2, 0.01, 1e-4, 90), Pair(4, 0.4, 0.01, 1e-4, 90)},
                  0);
  ASSERT_EQ(patches_.contacts().size(), 3U);  // 0 and 1; 2; 4, which touches none of them
  EXPECT_EQ(patches_.contacts()[0].pairs, 2);
  const PatchGeometry& g = patches_.contacts()[0].geometry;
  EXPECT_NEAR(g.V, 2e-6, 1e-20);
  EXPECT_NEAR(g.p_WC.x, 0.05, 1e-15);
  EXPECT_NEAR(std::acos(g.n.z) * 180 / 3.14159265, 10, 1e-5);
  // Two strips of 0.1 side by side are one of 0.2: V/12 l² about y.
  EXPECT_NEAR(g.J_W(1, 1), 2e-6 / 12 * 0.04, 1e-18);
}

TEST_F(PatchRulesTest, GroupingDoesNotDependOnWhichPairIsLargest) {
  // −20°, 0°, 20°: all within 25° of their sum, whichever one grows first.
  for (const int largest : {0, 1, 2}) {
    testing::TwoBodyPatches patches({}, cells_i_, cells_j_);
    std::vector<ActivePair> pairs;
    for (int k = 0; k < 3; ++k) {
      pairs.push_back(Pair(k, 0.1 * k, k == largest ? 0.012 : 0.01, 1e-4, 20.0 * (k - 1)));
    }
    patches.Accept(pairs, 0);
    EXPECT_EQ(patches.contacts().size(), 1U) << largest;
  }
}

TEST_F(PatchRulesTest, ASliverWithoutDirectionGoesWithItsLargestNeighbour) {
  ActivePair sliver = Pair(1, 0.1, 1e-9, 1e-3);
  sliver.metrics.area_vector = {};
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4), sliver, Pair(2, 0.2, 0.02, 1e-4, 80)}, 0);
  ASSERT_EQ(patches_.contacts().size(), 2U);
  EXPECT_EQ(patches_.contacts()[0].pairs + patches_.contacts()[1].pairs, 3);
  for (const Contact& contact : patches_.contacts()) {
    EXPECT_EQ(contact.pairs, contact.geometry.n.x > 0.5 ? 2 : 1);
  }
}

TEST_F(PatchRulesTest, MergingKeepsForceAndLosesOnlyWhatAMeanCannotHold) {
  // 0 and 2 are apart until 1 joins them.
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4), Pair(2, 0.2, 0.01, 3e-4)}, 0);
  ASSERT_EQ(patches_.contacts().size(), 2U);
  Contact &a = patches_.contacts()[0], &b = patches_.contacts()[1];
  a.accepted = {{1e-6, 0, 0}, 1e-4, 0.2, 1e-7, {4e-6, 0, 0}, 2e-4};
  b.accepted = {{0, 2e-6, 0}, 3e-4, 0.6, 2e-7, {0, 8e-6, 0}, 6e-4};
  a.f_n = 100;
  b.f_n = 300;
  a.bristle_energy = 0.5 * 1e5 * 100 * 1e-12;
  b.bristle_energy = 0.5 * 1e5 * 300 * 4e-12;
  a.latched = b.latched = true;
  a.latch = {0.1, -4, 0, 1, 3e-6, 0.2, 1e-6, -5e-4};
  b.latch = {0.4, -1, 0, 1, 4e-6, 0.6, 3e-6, 2e-4};
  const double energy = a.bristle_energy + b.bristle_energy;
  const std::uint64_t larger = b.id;
  const PatchChanges changes = patches_.Accept(
      std::vector{Pair(0, 0, 0.01, 1e-4), Pair(1, 0.1, 0.01, 2e-4), Pair(2, 0.2, 0.01, 3e-4)}, 1);
  ASSERT_EQ(patches_.contacts().size(), 1U);
  const Contact& merged = patches_.contacts()[0];
  EXPECT_EQ(merged.id, larger);
  EXPECT_EQ(merged.since, 0.0);
  EXPECT_EQ(merged.phase, ContactPhase::kAccepted);
  // f z is the same: 100 (1, 0) + 300 (0, 2) = 400 (0.25, 1.5) µN·m.
  EXPECT_NEAR(merged.accepted.z.x, 0.25e-6, 1e-18);
  EXPECT_NEAR(merged.accepted.z.y, 1.5e-6, 1e-18);
  EXPECT_NEAR(merged.accepted.theta, 2.5e-4, 1e-15);
  EXPECT_NEAR(merged.accepted.s_dw, 0.5, 1e-14);
  EXPECT_NEAR(merged.accepted.V_o, 3e-7, 1e-20);
  EXPECT_NEAR(merged.accepted.z_j.x, 1e-6, 1e-18);
  EXPECT_NEAR(merged.accepted.z_j.y, 6e-6, 1e-18);
  EXPECT_NEAR(merged.accepted.theta_j, 5e-4, 1e-15);
  EXPECT_NEAR(merged.f_n, 400, 1e-12);
  // V a is the same: (1 (−4) + 3 (−1))/4; and a v_i stays constant.
  EXPECT_NEAR(merged.latch.a, -1.75, 1e-12);
  EXPECT_NEAR(merged.latch.a * merged.latch.v_i, -0.4, 1e-12);
  // Volumes add up, and so do their rates; slopes 1/u are a mean by area.
  EXPECT_NEAR(merged.latch.V_max, 7e-6, 1e-18);
  EXPECT_NEAR(merged.latch.V_last, 4e-6, 1e-18);
  EXPECT_NEAR(merged.latch.V_rate_last, -3e-4, 1e-16);
  EXPECT_NEAR(merged.latch.unloading, 0.3, 1e-14);
  // The share of Σ F z² that is left as F |z̄|², of both springs; the rest is counted as lost.
  const double left = 400 * (0.0625e-12 + 2.25e-12 + 1e-12 + 36e-12);
  const double squares = 100 * (1e-12 + 16e-12) + 300 * (4e-12 + 64e-12);
  const double held = energy * left / squares;
  EXPECT_NEAR(merged.bristle_energy, held, 1e-9 * held);
  EXPECT_NEAR(changes.bristle_energy_lost, energy - held, 1e-9 * held);
  EXPECT_GT(changes.bristle_energy_lost, 0);
}

// Over the loading stiffness: what Stronge's line presses with.
double LineForce(const PatchLatch& latch, double V) {
  if (V >= latch.V_max) return V;
  const double u = latch.unloading;
  return std::fmax(0.0, V - (1 - u) * latch.V_max) / u;
}

TEST_F(PatchRulesTest, MergingPressesAndStoresNoMoreThanThePartsByStrongesOrChatterjeesLine) {
  // One after another: as deep, deep and shallow, one that was never pressed so far.
  struct Case {
    double V_max[2], V[2], u[2], S[2];
  };
  const Case cases[] = {{{3, 3}, {2.9, 2.9}, {0.05, 0.9}, {0.01, 0.01}},
                        {{3, 1}, {2.999, 0.8}, {0.0025, 0.9}, {0.01, 0.02}},
                        {{5, 0}, {4.98, 3}, {0.0025, 0}, {0.01, 0.03}},
                        {{1, 4}, {5, 3.9}, {0.3, 0.04}, {0.02, 0.01}},
                        {{1, 4}, {5, 3.9}, {0.5, 0.5}, {0.02, 0.01}}};
  for (const Case& c : cases) {
    testing::TwoBodyPatches patches({}, cells_i_, cells_j_);
    patches.Accept(
        std::vector{Pair(0, 0, c.S[0], 1e-6 * c.V[0]), Pair(2, 0.2, c.S[1], 1e-6 * c.V[1])}, 0);
    ASSERT_EQ(patches.contacts().size(), 2U);
    double line = 0, stored = 0, straight = 0;
    for (int k = 0; k < 2; ++k) {
      Contact& part = patches.contacts()[static_cast<std::size_t>(k)];
      part.latched = true;
      part.latch.V_max = 1e-6 * c.V_max[k];
      part.latch.V_last = 1e-6 * c.V[k];
      part.latch.unloading = c.u[k];
      const double f = LineForce(part.latch, part.latch.V_last);
      const double u = c.V_max[k] > 0 ? c.u[k] : 1.0;
      const double V = part.latch.V_last;
      line += f;
      stored += 0.5 * u * f * f / c.S[k];
      straight += 0.5 * u * V * V / c.S[k];
    }
    patches.Accept(std::vector{Pair(0, 0, c.S[0], 1e-6 * c.V[0]), Pair(1, 0.1, 1e-12, 1e-18),
                               Pair(2, 0.2, c.S[1], 1e-6 * c.V[1])},
                   1);
    ASSERT_EQ(patches.contacts().size(), 1U);
    const PatchLatch& merged = patches.contacts()[0].latch;
    const double V = 1e-6 * (c.V[0] + c.V[1]), S = c.S[0] + c.S[1];
    const double f = LineForce(merged, V), u = merged.unloading;
    EXPECT_LE(f, line * (1 + 1e-9)) << c.V_max[0];
    EXPECT_LE(0.5 * u * f * f / S, stored * (1 + 1e-9)) << c.V_max[0];
    EXPECT_LE(0.5 * u * V * V / S, straight * (1 + 1e-9)) << c.V_max[0];
    EXPECT_GE(merged.V_max, V * (1 - 1e-12));
  }
}

TEST_F(PatchRulesTest, OneThatIsPressedAndOneThatPartsMergeToWhatBothWerePressedTo) {
  patches_.Accept(std::vector{Pair(0, 0, 0.02, 5e-6), Pair(2, 0.2, 0.01, 3.9e-6)}, 0);
  for (int k = 0; k < 2; ++k) {  // of a law with one line for all
    PatchLatch& latch = patches_.contacts()[static_cast<std::size_t>(k)].latch;
    patches_.contacts()[static_cast<std::size_t>(k)].latched = true;
    latch.V_last = k == 0 ? 5e-6 : 3.9e-6;
    latch.V_max = k == 0 ? 1e-6 : 4e-6;
  }
  patches_.Accept(
      std::vector{Pair(0, 0, 0.02, 5e-6), Pair(1, 0.1, 1e-12, 1e-18), Pair(2, 0.2, 0.01, 3.9e-6)},
      1);
  ASSERT_EQ(patches_.contacts().size(), 1U);
  EXPECT_NEAR(patches_.contacts()[0].latch.V_max, 9e-6, 1e-18);
  EXPECT_EQ(patches_.contacts()[0].latch.unloading, 0.0);
}

// What a step is cut for.
TEST_F(PatchRulesTest, AskingForARegroupingSeesMergesAndSplitsOnly) {
  const ActivePair left = Pair(0, 0, 0.01, 1e-4), middle = Pair(1, 0.1, 0.01, 2e-4);
  const ActivePair right = Pair(2, 0.2, 0.01, 3e-4);
  const auto asks = [&](std::vector<ActivePair> pairs) {
    patches_.Evaluate(pairs, 16);
    return patches_.Regroups(pairs);
  };
  patches_.Accept(std::vector{left, right}, 0);
  EXPECT_FALSE(asks({left, right}));
  EXPECT_FALSE(asks({right}));               // one has ended
  EXPECT_TRUE(asks({left, middle, right}));  // the middle joins the two
  patches_.Accept(std::vector{left, middle, right}, 1);
  EXPECT_FALSE(asks({left, middle, right}));
  EXPECT_FALSE(asks({left, middle}));
  EXPECT_TRUE(asks({left, right}));  // without the middle they are two
}

TEST_F(PatchRulesTest, SplittingCopiesStatesAndSharesEnergy) {
  patches_.Accept(
      std::vector{Pair(0, 0, 0.01, 1e-4), Pair(1, 0.1, 0.01, 1e-4), Pair(2, 0.2, 0.01, 3e-4)}, 0);
  Contact& whole = patches_.contacts()[0];
  whole.accepted = {{1e-6, 2e-6, 0}, 1e-4, 0.7, 5e-7, {3e-6, 0, 0}, 2e-4};
  whole.bristle_energy = 8.0;
  whole.f_n = 400;
  whole.latched = true;
  whole.latch = {0.2, -3, 0, 1, 8e-6, 0.3, 5e-6, 1e-3};
  const std::uint64_t id = whole.id;
  const PatchChanges changes =
      patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4), Pair(2, 0.2, 0.01, 3e-4)}, 1);
  ASSERT_EQ(patches_.contacts().size(), 2U);
  EXPECT_EQ(changes.bristle_energy_lost, 0.0);
  EXPECT_EQ(changes.born, 0);
  double energy = 0, offset = 0, deepest = 0;
  for (const Contact& part : patches_.contacts()) {
    EXPECT_EQ(part.accepted.z, (Vec3{1e-6, 2e-6, 0}));
    EXPECT_EQ(part.accepted.theta, 1e-4);
    EXPECT_EQ(part.accepted.s_dw, 0.7);
    EXPECT_EQ(part.accepted.z_j, (Vec3{3e-6, 0, 0}));
    EXPECT_EQ(part.accepted.theta_j, 2e-4);
    EXPECT_EQ(part.latch.unloading, 0.3);
    deepest += part.latch.V_max;
    EXPECT_EQ(part.latch.a, -3);
    EXPECT_EQ(part.latch.v_i, 0.2);
    EXPECT_EQ(part.since, 0.0);
    EXPECT_EQ(part.id == id, part.geometry.V > 2e-6);  // the larger part keeps the id
    energy += part.bristle_energy;
    offset += part.accepted.V_o;
  }
  EXPECT_NEAR(energy, 8.0, 1e-14);
  EXPECT_NEAR(offset, 5e-7, 1e-20);
  EXPECT_NEAR(deepest, 8e-6, 1e-18);
}

TEST_F(PatchRulesTest, BristlesTurnWithTheNormalAtFullLength) {
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4)}, 0);
  patches_.contacts()[0].accepted.z = {3e-6, 4e-6, 0};
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-4, 30)}, 1);
  const Contact& turned = patches_.contacts()[0];
  EXPECT_NEAR(Norm(turned.accepted.z), 5e-6, 1e-20);
  EXPECT_NEAR(Dot(turned.accepted.z, turned.geometry.n), 0, 1e-20);
  EXPECT_NEAR(turned.accepted.z.y, 4e-6, 1e-20);  // along the axis of the turn
}

TEST_F(PatchRulesTest, NewPairsWithinAStepJoinAlongTheChainOrStartAProvisionalContact) {
  patches_.Accept(std::vector{Pair(3, 0.3, 0.01, 1e-4)}, 0);
  // 1 reaches 3 through 2 only; 0 faces elsewhere.
  patches_.Evaluate(std::vector{Pair(0, 0, 0.01, 1e-4, 90), Pair(1, 0.1, 0.01, 1e-4),
                                Pair(2, 0.2, 0.01, 1e-4), Pair(3, 0.3, 0.01, 1e-4)},
                    10);
  ASSERT_EQ(patches_.contacts().size(), 2U);
  EXPECT_EQ(patches_.contacts()[0].pairs, 3);
  EXPECT_NE(patches_.contacts()[0].phase, ContactPhase::kProvisional);
  EXPECT_EQ(patches_.contacts()[1].pairs, 1);
  EXPECT_EQ(patches_.contacts()[1].phase, ContactPhase::kProvisional);
  // Held through the step: 0 stays where it is, and 3 may be gone for a stage.
  patches_.Evaluate(std::vector{Pair(0, 0, 0.01, 1e-4, 90), Pair(1, 0.1, 0.01, 1e-4)}, 10);
  EXPECT_EQ(patches_.contacts()[0].pairs, 1);
  EXPECT_EQ(patches_.contacts()[1].pairs, 1);
  // No room: the pair waits for the accepted step.
  patches_.Evaluate(std::vector{Pair(5, 0.5, 0.01, 1e-4)}, 2);
  EXPECT_EQ(patches_.contacts().size(), 2U);
  EXPECT_FALSE(patches_.contacts()[0].active);
}

TEST_F(PatchRulesTest, NewPairsWithinAStepJoinUpTo25Degrees) {
  for (const double degrees : {20.0, 30.0, 45.0, 60.0}) {
    testing::TwoBodyPatches patches({}, cells_i_, cells_j_);
    patches.Accept(std::vector{Pair(0, 0, 0.01, 1e-4)}, 0);
    patches.Evaluate(std::vector{Pair(0, 0, 0.01, 1e-4), Pair(1, 0.1, 0.01, 1e-4, degrees)}, 10);
    EXPECT_EQ(patches.contacts().size(), degrees < 25 ? 1u : 2u) << degrees;
  }
}

TEST_F(PatchRulesTest, AContainedCellKeepsItsLastNormal) {
  patches_.Accept(std::vector{Pair(0, 0, 0.01, 1e-2, 40)}, 0);
  const Vec3 n = patches_.contacts()[0].geometry.n;
  ActivePair contained = Pair(0, 0, 0.01, 1e-2);
  contained.metrics.area_vector = {};
  patches_.Accept(std::vector{contained}, 1);
  EXPECT_TRUE(patches_.contacts()[0].active);
  EXPECT_EQ(patches_.contacts()[0].geometry.n, n);
  EXPECT_EQ(patches_.undefined_normals(), 0);
  // A first contact without a direction has no normal to keep: no force, and it is counted.
  testing::TwoBodyPatches fresh({}, cells_i_, cells_j_);
  fresh.Accept(std::vector{contained}, 0);
  EXPECT_FALSE(fresh.contacts()[0].active);
  EXPECT_EQ(fresh.undefined_normals(), 1);
}

/** Half of an edge of 90° that stands 1 mm deep on a floor, 10 cm long, cut through its ridge. */
MetricsSum HalfEdge(double sign, double y = 0) {
  const double d = 1e-3, L = 0.1, V = 0.5 * d * d * L;
  const Mat3 E = V * Mat3{{d * d / 18, 0, sign * d * d / 36},
                          {0, L * L / 12, 0},
                          {sign * d * d / 36, 0, d * d / 18}};
  const Vec3 S{-sign * 0.5 * d * L, 0, d * L};
  return {{sign * d / 3, y, -d / 3}, V, {}, E, S, {}, 1, Norm(S)};
}

TEST(OneConvexOverlap, JoinsTheHalvesOfAnEdgeButNotWhatIsApart) {
  const MetricsSum left = HalfEdge(-1), right = HalfEdge(1);
  EXPECT_LT(Dot(left.s, right.s), kPatchCosine * Norm(left.s) * Norm(right.s));
  EXPECT_TRUE(MayBeOneConvexOverlap(left, right));
  EXPECT_TRUE(MayBeOneConvexOverlap(left, HalfEdge(1, 0.08)));   // sharing a part of their length
  EXPECT_FALSE(MayBeOneConvexOverlap(left, HalfEdge(1, 0.25)));  // two edges, end to end, a gap
  MetricsSum tiny = HalfEdge(1, 0.25);  // far away, and too small to change the sum
  tiny.v *= 1e-6;
  tiny.e = 1e-10 * tiny.e;
  tiny.s = 1e-4 * tiny.s;
  tiny.size *= 1e-4;
  EXPECT_FALSE(MayBeOneConvexOverlap(left, tiny));
  // The floor and the wall of a corner, each ten times as wide as deep; opposite walls.
  const double d = 1e-3, w = 1e-2, V = d * w * w;
  const auto plate = [&](const Vec3& n, const Vec3& p) {
    const double wide = w * w / 12, thin = d * d / 12;
    const Mat3 E = V * (wide * Mat3::Identity() + (thin - wide) * Outer(n, n));
    return MetricsSum{p, V, {}, E, w * w * n, {}, 1, w * w};
  };
  const MetricsSum floor = plate({0, 0, 1}, {w / 2, 0, 0});
  EXPECT_FALSE(MayBeOneConvexOverlap(floor, plate({1, 0, 0}, {0, 0, w / 2})));
  EXPECT_FALSE(MayBeOneConvexOverlap(floor, plate({0, 0, -1}, {w / 2, 0, 2 * d})));
  EXPECT_TRUE(MayBeOneConvexOverlap(floor, plate({0, 0, 1}, {3 * w / 2, 0, 0})));
}

TEST(PatchNormalTest, EigenvectorIsUsedOnlyWhereItsGapSaysSomething) {
  NormalRule rule;
  rule.eigenvector = true;
  PatchGeometry flat;
  flat.V = 1e-6;
  const double tilt = 0.1;
  const Mat3 R{
      {std::cos(tilt), 0, std::sin(tilt)}, {0, 1, 0}, {-std::sin(tilt), 0, std::cos(tilt)}};
  flat.J_W = R * Mat3::Diagonal({1.0e-9, 1.3e-9, 2.2e-9}) * Transpose(R);
  flat.S = {0, 0, 0.01};
  Vec3 n;
  ASSERT_TRUE(ChooseNormal(rule, flat, nullptr, &n));
  EXPECT_NEAR(n.x, std::sin(tilt), 1e-12);
  EXPECT_NEAR(n.z, std::cos(tilt), 1e-12);
  rule.eigenvector = false;
  ASSERT_TRUE(ChooseNormal(rule, flat, nullptr, &n));
  EXPECT_EQ(n, (Vec3{0, 0, 1}));

  rule.eigenvector = true;  // a line contact: two moments are the same to 2e-5
  flat.J_W = R * Mat3::Diagonal({1e-12, 1.00002e-9, 1.0e-9}) * Transpose(R);
  ASSERT_TRUE(ChooseNormal(rule, flat, nullptr, &n));
  EXPECT_EQ(n, (Vec3{0, 0, 1}));
}

// A point that was found deep acts beyond that depth; where it leaves it comes back as any other.
TEST(PointPatches, ActBeyondTheirOffsetWhichFollowsThemOut) {
  PatchSettings settings;
  settings.points = settings.per_cell_pair = true;
  const std::vector<geometry::Cell> cells = Row(1);
  testing::TwoBodyPatches patches(settings, cells, cells);
  const auto at = [](double depth) { return std::vector{Pair(0, 0, 1, depth)}; };
  patches.Accept(at(4e-3), 0);
  ASSERT_EQ(patches.contacts().size(), 1U);
  EXPECT_DOUBLE_EQ(patches.contacts()[0].geometry.V, 4e-3);
  patches.contacts()[0].latched = true;
  patches.contacts()[0].latch.offset = 3e-3;
  patches.Evaluate(at(5e-3), 8);
  EXPECT_NEAR(patches.contacts()[0].geometry.V, 2e-3, 1e-15);
  patches.Accept(at(5e-3), 1);
  EXPECT_NEAR(patches.contacts()[0].geometry.V, 2e-3, 1e-15);
  patches.Accept(at(2e-3), 2);
  EXPECT_EQ(patches.contacts()[0].geometry.V, 0);
  patches.Accept(at(4e-3), 3);
  EXPECT_NEAR(patches.contacts()[0].geometry.V, 2e-3, 1e-15);
}

}  // namespace
}  // namespace intervox::host
