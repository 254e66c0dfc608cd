// Cutting a solid into cells must not change what it does: no wrench, no motion, no friction state.
#include <gtest/gtest.h>

#include <cmath>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictional;
using scenes::MakeScene;
using scenes::Solid;

/** A shape cut by `cuts` planes along each of two axes: (cuts + 1)² parts, each one cell; empty
 ones are left out. */
std::vector<geometry::ShapePtr> Tiles(const geometry::ShapePtr& shape, int cuts, double pitch,
                                      double shift, int first_axis = 0) {
  const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<geometry::ShapePtr> parts{shape};
  for (int axis = first_axis; axis < first_axis + 2; ++axis) {
    std::vector<geometry::ShapePtr> finer;
    for (const geometry::ShapePtr& part : parts) {
      for (int k = 0; k <= cuts; ++k) {
        const auto offset = [&](int plane) { return pitch * (plane - 0.5 * (cuts - 1)) + shift; };
        auto tile = std::make_shared<geometry::Shape>();
        tile->operation = geometry::Operation::kIntersection;
        tile->children = {part};
        if (k > 0) {
          tile->children.push_back(Solid(geometry::HalfSpace{-axes[axis], -offset(k - 1)}, "low"));
        }
        if (k < cuts) {
          tile->children.push_back(Solid(geometry::HalfSpace{axes[axis], offset(k)}, "high"));
        }
        try {
          if (cuts > 0) geometry::ToCells(*tile);
          finer.push_back(cuts > 0 ? tile : part);
        } catch (const std::invalid_argument&) {
          // The planes reach beyond the shape: this part is empty.
        }
      }
    }
    parts = finer;
  }
  return parts;
}

struct Cuts {
  int floor = 0;
  int box = 0;
};

Scene SlidingBox(const Cuts& cuts, const Vec3& v, const Vec3& w) {
  Scene scene = MakeScene(Frictional(1e9, 0.5, 0.2));
  scene.shapes["floor"] = Solid(geometry::Box{{0.8, 0.8, 0.1}}, "floor", {{}, {0, 0, -0.05}});
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.08, 0.05}}, "box");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.back().cells = Tiles(scene.shapes["floor"], cuts.floor, 0.031, 0.004);
  // At rest depth: m g = k_v A d.
  const double depth = 2.0 * 9.81 / (1e9 * 0.008);
  scene.bodies.push_back(Free("box", "box", 2.0, {0, 0, 0.025 - depth}, v, w));
  scene.bodies.back().cells = Tiles(scene.shapes["box"], cuts.box, 0.013, 0.002);
  return scene;
}

/** Friction states of a contact. */
struct PatchRecord {
  Vec3 z;
  double theta = 0, s_dw = 0, since = 0;
};

struct Trace {
  std::vector<BodyState> states;
  std::vector<PatchRecord> patches;  // the one with the largest force
  int pairs = 0;
};

Trace Simulate(const Scene& scene, int steps, int body = 1) {
  Simulation simulation(scene);
  Trace trace;
  for (int k = 0; k < steps; ++k) {
    simulation.Step();
    trace.states.push_back(simulation.State()[static_cast<std::size_t>(body)]);
    PatchRecord record;
    double f_n = -1;
    for (const ContactReport& contact : simulation.Contacts()) {
      if (contact.body_i != 0 || contact.f_n <= f_n) continue;  // those with the floor
      f_n = contact.f_n;
      record = {contact.state.z, contact.state.theta, contact.state.s_dw, contact.since};
      trace.pairs = std::max(trace.pairs, contact.pairs);
    }
    trace.patches.push_back(record);
  }
  return trace;
}

/** The same motion, wrenches and friction states, with tolerances on wrenches relative to the load.
 */
void ExpectSame(const Trace& a, const Trace& b, double weight) {
  double force = 0, torque = 0, speed = 0, bristle = 0, dwell = 0;
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t k = 0; k < a.states.size(); ++k) {
    force = std::fmax(force, Norm(a.states[k].contact_force - b.states[k].contact_force));
    torque = std::fmax(torque, Norm(a.states[k].contact_torque - b.states[k].contact_torque));
    speed = std::fmax(speed, Norm(a.states[k].v_WM - b.states[k].v_WM));
    const PatchRecord &p = a.patches[k], &q = b.patches[k];
    bristle = std::fmax(bristle, Norm(p.z - q.z) + 0.03 * std::fabs(p.theta - q.theta));
    dwell = std::fmax(dwell, std::fabs(p.s_dw - q.s_dw));
    EXPECT_NEAR(p.since, q.since, 1e-6) << "friction restarted at step " << k;  // a located onset
  }
  EXPECT_LT(force, 1e-3 * weight);
  EXPECT_LT(torque, 1e-3 * weight * 0.05);
  // Rounding may decide how an impact is cut into substeps: by the error of one.
  EXPECT_LT(speed, 1e-4);
  // A thousandth, as of the forces: whole faces and those that an edge cuts go by different rules.
  EXPECT_LT(bristle, 2e-9);  // bristles bend by μ/σ₀ = 2e-6 m
  EXPECT_LT(dwell, 2e-4);
}

class TilesTest : public ::testing::TestWithParam<Cuts> {};

TEST_P(TilesTest, RestIsTheSame) {
  const Trace whole = Simulate(SlidingBox({}, {}, {}), 200);
  const Trace cut = Simulate(SlidingBox(GetParam(), {}, {}), 200);
  ExpectSame(whole, cut, 2 * 9.81);
  EXPECT_GT(cut.pairs, 3);
}

TEST_P(TilesTest, SlidingAndSpinningAcrossTheCutsIsTheSame) {
  const Vec3 v{0.6, 0.25, 0}, w{0, 0, 3};
  const Trace whole = Simulate(SlidingBox({}, v, w), 1200);
  const Trace cut = Simulate(SlidingBox(GetParam(), v, w), 1200);
  ExpectSame(whole, cut, 2 * 9.81);
  EXPECT_GT(cut.pairs, 3);
}

TEST_P(TilesTest, AgainstAWallIsTheSame) {
  // Pressed onto the floor and against a wall, both cut, and pulled along the wall.
  const auto scene = [&](const Cuts& cuts) {
    Scene s = SlidingBox(cuts, {0.3, 0.2, 0}, {});
    s.shapes["wall"] = Solid(geometry::Box{{0.1, 0.8, 0.8}}, "wall", {{}, {0.105, 0, 0}});
    s.bodies.push_back(Fixed("wall", "wall"));
    s.bodies.back().cells = Tiles(s.shapes["wall"], cuts.floor, 0.031, 0.003, 1);
    s.bodies[1].wrenches.push_back({0, 1, {10, 5, 0}, {}, {}, false});
    return s;
  };
  const Trace whole = Simulate(scene({}), 800);
  const Trace cut = Simulate(scene(GetParam()), 800);
  // The impact on the wall, some 600 N, comes on top of the weight.
  ExpectSame(whole, cut, 100.0);
}

/** A body of one shape on a tiled floor, or on the same floor in one piece. */
Scene OnTiles(int cuts, const geometry::Primitive& primitive, double height, const Quaternion& q,
              const Vec3& v, const Vec3& w, double stiffness = 1e8) {
  Scene scene = MakeScene(Frictional(stiffness, 0.5, 0.2));
  scene.shapes["floor"] = Solid(geometry::Box{{0.8, 0.8, 0.1}}, "floor", {{}, {0, 0, -0.05}});
  scene.shapes["body"] = Solid(primitive, "body");
  scene.bodies.push_back(Fixed("floor", "floor"));
  scene.bodies.back().cells = Tiles(scene.shapes["floor"], cuts, 0.031, 0.004);
  scene.bodies.push_back(Free("body", "body", 2.0, {0, 0, height}, v, w));
  scene.bodies.back().X_WB.R = ToRotation(q);
  return scene;
}

struct Rolling {
  const char* name;
  geometry::Primitive primitive;
  double height;
  Quaternion q;
};

void PrintTo(const Rolling& r, std::ostream* out) { *out << r.name; }

class CurvedOnTilesTest : public ::testing::TestWithParam<Rolling> {};

// Contacts that span a cut while they slide, roll and spin: wrenches with rolling and spinning
// torques, bristles and dwell as on the floor in one piece. Soft, so that a contact is wide.
TEST_P(CurvedOnTilesTest, SlidesRollsAndSpinsAcrossTheCutsAsOnOnePiece) {
  const auto& [name, primitive, height, q] = GetParam();
  const Vec3 v{0.5, 0.21, 0}, w{-2, 4, 15};
  for (const double stiffness : {1e7, 1e9}) {
    const Trace whole = Simulate(OnTiles(0, primitive, height, q, v, w, stiffness), 800);
    const Trace cut = Simulate(OnTiles(7, primitive, height, q, v, w, stiffness), 800);
    ExpectSame(whole, cut, 2 * 9.81);
    EXPECT_GT(cut.pairs, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, CurvedOnTilesTest,
                         ::testing::Values(Rolling{"ball", geometry::Sphere{0.05}, 0.05, {}},
                                           Rolling{"capsule",
                                                   geometry::Capsule{0.03, 0.06},
                                                   0.03,
                                                   {std::sqrt(0.5), std::sqrt(0.5), 0, 0}},
                                           Rolling{"cylinder",
                                                   geometry::Cylinder{0.03, 0.06},
                                                   0.03,
                                                   {std::sqrt(0.5), std::sqrt(0.5), 0, 0}},
                                           Rolling{"edge",
                                                   geometry::Box{{0.08, 0.06, 0.08}},
                                                   0.04 * std::sqrt(2.0),
                                                   {std::cos(M_PI / 8), 0, std::sin(M_PI / 8), 0}}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PairsModeTest, EveryPairIsItsOwnContactAndRestarts) {
  // The thesis' mode, for contrast: a sub-model of its own for each pair of cells.
  Scene scene = SlidingBox({3, 0}, {0.6, 0.25, 0}, {0, 0, 3});
  scene.contact_models["default"].cells = ContactCells::kPairs;
  Simulation simulation(scene);
  std::size_t most = 0;
  bool restarted = false;
  for (int k = 0; k < 600; ++k) {
    simulation.Step();
    most = std::max(most, simulation.Contacts().size());
    for (const ContactReport& contact : simulation.Contacts()) {
      EXPECT_EQ(contact.pairs, 1);
      restarted = restarted || contact.since > 0;
    }
  }
  EXPECT_GT(most, 4U);
  EXPECT_TRUE(restarted);
}

INSTANTIATE_TEST_SUITE_P(Cuts, TilesTest,
                         ::testing::Values(Cuts{1, 0}, Cuts{3, 0}, Cuts{7, 0}, Cuts{0, 1},
                                           Cuts{0, 3}, Cuts{0, 7}, Cuts{3, 3}),
                         [](const auto& info) {
                           return "floor" +
                                  std::to_string((info.param.floor + 1) * (info.param.floor + 1)) +
                                  "box" +
                                  std::to_string((info.param.box + 1) * (info.param.box + 1));
                         });

}  // namespace
}  // namespace intervox
