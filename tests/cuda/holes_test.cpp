// Pairs with holes as signed sums of pairs without (H1): against solid and bore apart, against
// columns, and where the hole is missed, fills, or hardly leaves a wall.
#include "cuda/rules/holes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/rules/flux/rule.h"
#include "tests/cuda/families.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCell;
using geometry::MakePlane;
using geometry::Surface;
using testing::Cell;
using testing::Random;

const Vec3 kUp{0, 0, 1};

Surface Rod(const Vec3& p, double radius, const Vec3& axis = kUp) {
  return geometry::MakeCylinder(radius, {geometry::FrameAlong(axis), p});
}

/** A cone about z from its apex on. */
Surface Tip(const Vec3& apex, double slope) {
  return geometry::MakeCone(slope, 0.5, {Mat3::Identity(), apex});
}

Surface Ball(const Vec3& p, double radius) {
  return geometry::MakeEllipsoid({radius, radius, radius}, {Mat3::Identity(), p});
}

/** A solid with a hole, the same without it, and what of the solid is in the hole. */
struct Hollow {
  std::string name;
  Cell cell, filled, plug;
};

Hollow Drilled(const std::string& name, std::vector<Surface> solid, const Surface& hole,
               bool within) {
  Hollow out;
  out.name = name;
  out.filled = MakeCell(solid, "filled");
  std::vector<Surface> plug = solid, hollow = solid;
  if (within)
    std::erase_if(plug, [](const Surface& s) { return s.kind != geometry::SurfaceKind::kPlane; });
  plug.push_back(hole);
  hollow.push_back(Complement(hole));
  out.plug = MakeCell(plug, "plug");
  out.cell = MakeCell(hollow, "hollow");
  return out;
}

std::vector<Surface> Ends(double half) { return {MakePlane(kUp, half), MakePlane(-kUp, half)}; }

std::vector<Surface> With(std::vector<Surface> planes, const Surface& s) {
  planes.push_back(s);
  return planes;
}

/** Tubes with walls of so many of their radius, an eccentric one, a funnel, shells and a plate. */
std::vector<Hollow> Hollows(double wall) {
  const double R = 0.4, r = (1 - wall) * R;
  const Surface rod = Rod({}, R);
  const Vec3 off{0.4 * (R - r), 0.3 * (R - r), 0};
  return {
      Drilled("tube", With(Ends(0.3), rod), Rod({}, r), true),
      Drilled("eccentric tube", With(Ends(0.3), rod), Rod(off, 0.9 * r, -kUp), true),
      Drilled("funnel", With(Ends(0.3), Tip({0, 0, -1}, 0.4)), Tip({0, 0, -1 + wall}, 0.4), true),
      Drilled("half a shell", {MakePlane(kUp, 0), Ball({}, R)}, Ball({}, r), true),
      Drilled("plate", testing::BoxCell({1, 1, 0.5}).surfaces, Rod({}, 0.3), false)};
}

InterferenceMetrics Measure(const Cell& a, const Cell& b, const Pose& X_AB, double tolerance,
                            LeafRule rule = LeafRule::kAuto) {
  PairQuery query{&a, &b, {}, X_AB};
  query.tolerance = tolerance;
  query.rule = rule;
  return ComputeMetrics(query);
}

std::vector<Cell> Others() {
  return {testing::CellsOf(geometry::Sphere{0.2})[0],
          testing::CellsOf(geometry::Ellipsoid{{0.5, 0.3, 0.2}})[0],
          testing::CellsOf(geometry::Cylinder{0.2, 0.8})[0],
          testing::CellsOf(geometry::Cone{0.3, 0.1, 0.7})[0],
          testing::CellsOf(geometry::Torus{0.3, 0.1})[0]};
}

/** Whether an ellipsoid bounds the cell. */
bool IsRound(const Cell& cell) {
  return std::any_of(cell.surfaces.begin(), cell.surfaces.end(),
                     [](const Surface& s) { return s.kind == geometry::SurfaceKind::kEllipsoid; });
}

/** Whether no columns or leaves were needed. */
bool IsSharp(const InterferenceMetrics& m) {
  return m.rule != LeafRule::kColumn && m.rule != LeafRule::kClip;
}

TEST(Holes, LeaveWhatSolidsHaveLessTheirPlugs) {
  Random random(5);
  int asked = 0, met = 0, sharp = 0;
  for (const double wall : {0.5, 0.1, 1e-2}) {
    for (const Hollow& hollow : Hollows(wall)) {
      for (const Cell& other : Others()) {
        // Two ellipsoids and a plane are for columns, with a hole or without.
        if (IsRound(hollow.filled) && IsRound(other)) continue;
        for (int k = 0; k < 6; ++k) {
          const Pose X = random.RandomPose(0.45);
          const InterferenceMetrics m = Measure(hollow.cell, other, X, 1e-9);
          const InterferenceMetrics filled = Measure(hollow.filled, other, X, 1e-10);
          const InterferenceMetrics plug = Measure(hollow.plug, other, X, 1e-10);
          const double v = filled.volume - plug.volume;
          // Terms of flux err by 1e-12 of V more than they state.
          const double error = m.volume_error + filled.volume_error + plug.volume_error +
                               1e-11 * filled.volume + 1e-13;
          EXPECT_NEAR(m.volume, v, error) << hollow.name << " " << wall;
          if (!(m.volume > 1e-6) || !IsSharp(filled) || !IsSharp(plug)) continue;
          ++asked;
          met += m.status == Status::kOk;
          // Columns may meet 1e-9, too, where terms do not.
          sharp += IsSharp(m) || IsSharp(Measure(hollow.cell, other, X, 1e-4));
          if (!IsSharp(m)) continue;
          const Vec3 S = filled.area_vector - plug.area_vector;
          // The plug's wall faces the other way, and its weight is that of the hole.
          EXPECT_LT(Norm(m.area_vector - S), 1e-6) << hollow.name << " " << wall;
          const Vec3 first = filled.volume * filled.p_WC - plug.volume * plug.p_WC;
          EXPECT_LT(Norm(m.volume * m.p_WC - first), 1e-8);
        }
      }
    }
  }
  EXPECT_GT(asked, 200);
  EXPECT_GT(sharp, 0.95 * asked);
  EXPECT_GT(met, 0.95 * asked);
}

TEST(Holes, AgreeWithColumns) {
  Random random(6);
  int asked = 0;
  for (const Hollow& hollow : Hollows(0.25)) {
    for (const Cell& other : Others()) {
      for (int k = 0; k < 3; ++k) {
        const Pose X = random.RandomPose(0.45);
        const InterferenceMetrics m = Measure(hollow.cell, other, X, 1e-6);
        const InterferenceMetrics c = Measure(hollow.cell, other, X, 1e-5, LeafRule::kColumn);
        if (c.status != Status::kOk || !(c.volume > 1e-5)) continue;
        ++asked;
        EXPECT_NEAR(m.volume, c.volume, 2 * (m.volume_error + c.volume_error)) << hollow.name;
        EXPECT_LT(Norm(m.area_vector - c.area_vector), 1e-3 * std::pow(c.volume, 2.0 / 3));
        EXPECT_LT(Norm(m.p_WC - c.p_WC), 1e-4);
      }
    }
  }
  EXPECT_GT(asked, 30);
}

TEST(Holes, OfTwoSolidsAreFourTerms) {
  Random random(7);
  const std::vector<Hollow> all = Hollows(0.3);
  int asked = 0, sharp = 0;
  for (int k = 0; k < 40; ++k) {
    const Hollow &p = all[static_cast<std::size_t>(k % 3)],
                 &q = all[static_cast<std::size_t>(k / 3 % 3)];
    const Pose X = random.RandomPose(0.4);
    const InterferenceMetrics m = Measure(p.cell, q.cell, X, 1e-9);
    const auto v = [&](const Cell& a, const Cell& b) { return Measure(a, b, X, 1e-10).volume; };
    const double expected =
        v(p.filled, q.filled) - v(p.plug, q.filled) - v(p.filled, q.plug) + v(p.plug, q.plug);
    EXPECT_NEAR(m.volume, expected, 1e-8 * expected + m.volume_error + 1e-14) << p.name << q.name;
    if (!(m.volume > 1e-5)) continue;
    // To 1e-9 columns may be better.
    ++asked;
    sharp += IsSharp(Measure(p.cell, q.cell, X, 1e-4));
  }
  EXPECT_GT(asked, 20);
  EXPECT_GT(sharp, 0.9 * asked);
}

TEST(Holes, MissedOrFilledOnesAreNone) {
  const Hollow tube = Hollows(0.25)[0];  // radii 0.4 and 0.3
  const Cell ball = testing::CellsOf(geometry::Ellipsoid{{0.05, 0.04, 0.03}})[0];
  const double whole = 4.0 / 3 * 3.14159265358979323846 * 0.05 * 0.04 * 0.03;
  const Mat3 R = Random(1).Rotation();
  const auto at = [&](double x) { return Measure(tube.cell, ball, {R, {x, 0.01, 0.02}}, 1e-9); };
  EXPECT_EQ(at(0.1).volume, 0) << "in the hole";
  EXPECT_NEAR(at(0.35).volume, whole, 1e-9 * whole) << "in the wall";
  EXPECT_EQ(at(0.5).volume, 0) << "beside";
  EXPECT_GT(at(0.3).volume, 0.1 * whole);
  EXPECT_LT(at(0.3).volume, 0.9 * whole);
}

TEST(Holes, LieWithinWhatIsAroundThem) {
  LocalPair pair;
  pair.lower = {-1, -1, -1};
  pair.upper = {1, 1, 1};
  const auto within = [&](const Surface& in, const Surface& out) {
    return internal::LiesWithin(in, out, pair);
  };
  const Surface rod = Rod({0.1, 0, 0}, 0.5);
  EXPECT_TRUE(within(Rod({0.3, 0, 5}, 0.29, -kUp), rod));
  EXPECT_FALSE(within(Rod({0.3, 0, 5}, 0.31, -kUp), rod));
  EXPECT_FALSE(within(Rod({0.1, 0, 0}, 0.5), rod)) << "the same";
  EXPECT_FALSE(within(Rod({0.1, 0, 0}, 0.3, Normalized(Vec3{0, 0.01, 1})), rod)) << "not along it";
  // Along z from −1 to 1 a cone of the slope 0.2 from z = −2 on has radii of 0.2 to 0.6.
  const Surface cone = Tip({0.1, 0, -2}, 0.2);
  EXPECT_FALSE(within(cone, rod));
  EXPECT_TRUE(within(Tip({0.1, 0, -1.4}, 0.2), rod));
  EXPECT_TRUE(within(Tip({0.1, 0, -1.9}, 0.2), cone));
  EXPECT_FALSE(within(Tip({0.1, 0, -1.9}, 0.25), cone)) << "they cross at z = −1.5";
  EXPECT_FALSE(within(Rod({0.1, 0, 0}, 0.21), cone));
  EXPECT_TRUE(within(Rod({0.1, 0, 0}, 0.19), cone));
  EXPECT_TRUE(within(Ball({0.1, 0, 0}, 0.3), Ball({}, 0.41)));
  EXPECT_FALSE(within(Ball({0.1, 0, 0}, 0.3), Ball({}, 0.39)));
}

}  // namespace
}  // namespace intervox::cuda
