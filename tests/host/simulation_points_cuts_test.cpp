// Cuts change nothing where bodies touch in points: force, sensor load and rest are the whole's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/solid.h"
#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** The text of a half-space whose normal points to +1 or −1 along n, through p. */
std::string Side(const Vec3& n, const Vec3& p, double sign) {
  const Vec3 m = (sign / Norm(n)) * n;
  return fmt::format("{{half_space: {{normal: [{:.17g}, {:.17g}, {:.17g}], offset: {:.17g}}}}}",
                     m.x, m.y, m.z, Dot(m, p));
}

/** A plane through p across n. */
struct Plane {
  Vec3 n, p;
};

/** A cell and its text in a scene. */
struct Part {
  geometry::Cell cell;
  std::string text;
};

/** A shape of one cell, centred. */
Part PartOf(geometry::Primitive primitive, const std::string& text) {
  geometry::Shape shape;
  shape.primitive = std::move(primitive);
  return {geometry::ToCells(shape)[0], text};
}

/** The `cells:` of a body: a shape cut by planes one after the other; with `only` each cuts but the
 first part, so that faces end within faces. */
std::string CellsOf(const Part& whole, const std::vector<Plane>& planes, bool only) {
  std::vector<Part> parts{whole};
  for (const Plane& plane : planes) {
    std::vector<Part> next;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto halves =
          geometry::Halves(parts[k].cell, geometry::MakePlane(Normalized(plane.n), plane.p));
      if ((only && k > 0) || halves.size() == 1) {
        next.push_back(parts[k]);
        continue;
      }
      for (const double sign : {1.0, -1.0}) {
        next.push_back(
            {halves[sign > 0.0 ? 0 : 1], parts[k].text + ", " + Side(plane.n, plane.p, sign)});
      }
    }
    parts = std::move(next);
  }
  std::string text;
  for (const Part& part : parts) {
    text += (text.empty() ? "" : ", ") + ("{intersection: [" + part.text + "]}");
  }
  return "cells: [" + text + "]";
}

/** What is compared at the end. */
struct Rest {
  Pose X;
  Vec3 force, torque;
  std::size_t contacts = 0;
};

/** A part that falls onto a base whose sensor feels it. */
Rest Fall(const std::string& base, const std::string& part) {
  Simulation simulation = testing::FromText(
      fmt::format("duration: 0.8\nintegrator: {{step: 500.0e-6}}\n"
                  "contact_models:\n  default:\n    geometry: points\n"
                  "    normal: {{model: gonthier, stiffness: 1e6, exponent: 1, restitution: 0.3}}\n"
                  "    friction: {{model: bristle, mu_s: 0.4, mu_c: 0.4}}\n"
                  "bodies:\n  base: {{{}, fixed: true, pose: {{position: [0, 0, -0.1]}}}}\n"
                  "  part: {{{}, mass: 0.3, center_of_mass: [0.01, 0, 0], inertia: [1e-3, 1.1e-3, "
                  "1.2e-3], pose: {{position: [0.02, 0, 0.06], rpy_deg: [5, 3, 10]}}}}\n"
                  "sensors:\n  scale: {{body: base}}\n",
                  base, part),
      2);
  testing::RunToEnd(&simulation);
  Rest rest;
  rest.X = simulation.State()[1].X_WB;
  rest.force = simulation.Sensors()[0].force;
  rest.torque = simulation.Sensors()[0].torque;
  rest.contacts = simulation.Contacts().size();
  return rest;
}

constexpr double kSame = 1e-9;

void ExpectSame(const Rest& cut, const Rest& whole, const std::string& what) {
  EXPECT_LT(Norm(cut.X.p - whole.X.p), kSame) << what;
  for (int k = 0; k < 3; ++k) EXPECT_LT(Norm(cut.X.R.Col(k) - whole.X.R.Col(k)), kSame) << what;
  EXPECT_LT(Norm(cut.force - whole.force), kSame * 0.3 * 9.81) << what;
  EXPECT_LT(Norm(cut.torque - whole.torque), kSame * 0.3 * 9.81) << what;
  EXPECT_EQ(cut.contacts, whole.contacts) << what;
}

/** One to five planes: across an axis, through an edge or a corner, or anywhere. */
std::vector<Plane> RandomPlanes(int count, const Vec3& half, std::mt19937* engine) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Plane> planes;
  for (int k = 0; k < count; ++k) {
    Vec3 n{uniform(*engine), uniform(*engine), uniform(*engine)};
    Vec3 p{0.6 * half.x * n.y, 0.6 * half.y * n.z, 0.6 * half.z * n.x};
    if (k % 3 == 0) n = {1, 0, 0};
    if (k % 3 == 1) p = half;                                                  // a corner
    if (k % 3 == 2) n = {half.y, (*engine)() % 2 == 0 ? half.x : -half.x, 0};  // along a diagonal
    if (k % 3 == 2) p = {half.x, n.y > 0 ? -half.y : half.y, 0};
    planes.push_back({n, p});
  }
  return planes;
}

TEST(CutsInPoints, OfAPartOnATableChangeNothing) {
  std::mt19937 engine(5);
  const std::vector<Vec3> points = {
      {0.05, 0.03, -0.025}, {-0.05, 0.03, -0.025}, {0.02, -0.04, -0.025}, {-0.02, -0.04, -0.025},
      {0.03, 0, 0.03},      {-0.03, 0.01, 0.025},  {0, 0.03, 0.03}};
  std::string vertices;
  for (const Vec3& p : points) {
    vertices += (vertices.empty() ? "" : ", ") + fmt::format("[{}, {}, {}]", p.x, p.y, p.z);
  }
  const std::vector<Part> shapes = {
      PartOf(geometry::Box{{0.1, 0.07, 0.05}}, "{box: {size: [0.1, 0.07, 0.05]}}"),
      PartOf(geometry::Convex{points}, "{convex: {vertices: [" + vertices + "]}}"),
      PartOf(geometry::Cylinder{0.05, 0.05}, "{cylinder: {radius: 0.05, height: 0.05}}"),
      PartOf(geometry::Ellipsoid{{0.05, 0.04, 0.025}},
             "{ellipsoid: {radii: [0.05, 0.04, 0.025]}}")};
  const std::vector<std::string> bases = {"shape: {half_space: {normal: [0, 0, 1], offset: 0.1}}",
                                          "shape: {box: {size: [1, 1, 0.2]}}"};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    for (const std::string& base : bases) {
      if (k > 1 && &base == &bases[1]) continue;
      const Rest whole = Fall(base, "shape: " + shapes[k].text);
      EXPECT_NEAR(whole.force.z, -0.3 * 9.81, k > 1 ? 0.1 : 1e-6) << k;
      for (int count = 1; count < 5; ++count) {
        const auto planes = RandomPlanes(count, {0.05, 0.035, 0.025}, &engine);
        for (const bool only : {false, true}) {
          ExpectSame(Fall(base, CellsOf(shapes[k], planes, only)), whole,
                     fmt::format("shape {}, {} cuts{}", k, count, only ? ", T" : ""));
        }
      }
    }
  }
}

// The table and the box are both cut, and the box lies with one edge over the table's rim.
TEST(CutsInPoints, OfATableUnderABoxChangeNothing) {
  std::mt19937 engine(6);
  const Part box = PartOf(geometry::Box{{0.1, 0.07, 0.05}}, "{box: {size: [0.1, 0.07, 0.05]}}");
  const Part table = PartOf(geometry::Box{{0.09, 1, 0.2}}, "{box: {size: [0.09, 1, 0.2]}}");
  const Rest whole = Fall("shape: " + table.text, "shape: " + box.text);
  EXPECT_NEAR(whole.force.z, -0.3 * 9.81, 1e-6);
  for (int count = 1; count < 4; ++count) {
    const auto planes = RandomPlanes(count, {0.045, 0.5, 0.1}, &engine);
    const auto others = RandomPlanes(count, {0.05, 0.035, 0.025}, &engine);
    for (const bool only : {false, true}) {
      ExpectSame(Fall(CellsOf(table, planes, only), CellsOf(box, others, !only)), whole,
                 fmt::format("{} cuts{}", count, only ? ", T" : ""));
    }
  }
}

// An L is no cell. Cut in other ways, through its convex corners too, it stands as it stood.
TEST(CutsInPoints, OfAnLOnAFloorChangeNothing) {
  const Part box = PartOf(geometry::Box{{0.1, 0.07, 0.05}}, "{box: {size: [0.1, 0.07, 0.05]}}");
  // The quarter x > 0, y > 0 is missing.
  const std::string arm = box.text + ", " + Side({1, 0, 0}, {}, 1);
  const std::string wide = box.text + ", " + Side({0, 1, 0}, {}, 1);
  const std::string short_arm = arm + ", " + Side({0, 1, 0}, {}, -1);
  const std::string by_x = "{intersection: [" + arm + "]}";
  const std::string right = wide + ", " + Side({1, 0, 0}, {}, -1);
  const Vec3 corner{0.05, -0.035, -0.025}, outer{-0.05, -0.035, -0.025}, top{-0.05, 0.035, -0.025};
  const auto halves = [&](const std::string& part, const Vec3& n, const Vec3& p) {
    return "{intersection: [" + part + ", " + Side(n, p, 1) + "]}, {intersection: [" + part + ", " +
           Side(n, p, -1) + "]}";
  };
  const std::string base = "shape: {half_space: {normal: [0, 0, 1], offset: 0.1}}";
  const Rest whole = Fall(base, "cells: [" + by_x + ", {intersection: [" + right + "]}]");
  EXPECT_NEAR(whole.force.z, -0.3 * 9.81, 1e-6);
  EXPECT_GE(whole.contacts, 3u);
  ExpectSame(Fall(base, "cells: [" + by_x + ", " + halves(right, {0.3, 1, 0.2}, corner) + "]"),
             whole, "one corner");
  ExpectSame(Fall(base, "cells: [" + halves(arm, {1, -0.4, 0.1}, outer) + ", " +
                            halves(right, {0.3, 1, -0.2}, corner) + "]"),
             whole, "two corners");
  ExpectSame(
      Fall(base, "cells: [" + halves(short_arm, {1, 1, 0}, top) + ", {intersection: [" + arm +
                     ", " + Side({0, 1, 0}, {}, 1) + "]}, {intersection: [" + right + "]}]"),
      whole, "across");
}

/** A part that is pressed onto a base, 3 ms later. */
Simulation Press(const std::string& base, const std::string& part, const std::string& pose) {
  Simulation simulation = testing::FromText(
      "duration: 3e-3\nintegrator: {step: 1e-3}\ncontact_models: {default: {geometry: points, "
      "normal: {model: gonthier, stiffness: 1e5, exponent: 1, restitution: 0.3}, friction: "
      "{model: coulomb, mu: 0.3}}}\nbodies:\n  base: {shape: " +
          base + ", fixed: true}\n  part: {shape: " + part + ", mass: 1, pose: " + pose +
          ", velocity: {linear: [0.1, 0.1, 0]}}\n",
      2);
  testing::RunToEnd(&simulation);
  return simulation;
}

// The flat side of an L has an edge inside, where its long block ends and the short one goes on.
// The long one's face is covered in part there, and capsules and ellipsoids feel none of it.
TEST(CutsInPoints, OfAnLAreNotFeltByRoundParts) {
  const std::string box = "{box: {size: [3, 1, 1]}, pose: {position: [1.5, 0.5, -0.5]}}";
  const std::string with_leg =
      "{union: [{box: {size: [1, 1, 3]}, pose: {position: [0.5, 0.5, -1.5]}}, "
      "{box: {size: [2, 1, 1]}, pose: {position: [2, 0.5, -0.5]}}]}";
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const std::string part :
       {"{capsule: {radius: 0.2, length: 0.6}}", "{ellipsoid: {radii: [0.2, 0.3, 0.25]}}"}) {
    for (int k = 0; k < 20; ++k) {
      // Lying, nearly, and across the edge.
      const std::string pose =
          fmt::format("{{position: [{}, 0.5, 0.195], quaternion: [0.7, {}, 0.7, {}]}}",
                      1.0 + 0.3 * any(engine), 0.1 * any(engine), 0.1 * any(engine));
      const BodyState on_box = Press(box, part, pose).State()[1],
                      on_l = Press(with_leg, part, pose).State()[1];
      EXPECT_LT(Norm(on_box.v_WB - on_l.v_WB), 1e-9) << part << pose;
      EXPECT_LT(Norm(on_box.w_WB - on_l.w_WB), 1e-9) << part << pose;
      EXPECT_GT(on_box.v_WB.z, -0.028);  // it falls no more
    }
  }
}

/** Some bodies that are no single cell, each written in several ways, in boxes from corner to
 corner. */
struct Written {
  std::string name;
  std::vector<std::vector<std::pair<Vec3, Vec3>>> ways;
};

std::vector<Written> Unions() {
  return {{"L",
           {{{{0, 0, -1}, {3, 1, 0}}, {{0, 0, -3}, {1, 1, 0}}},
            {{{0, 0, -3}, {1, 1, 0}}, {{1, 0, -1}, {3, 1, 0}}},
            {{{0, 0, -3}, {1, 1, -1}},
             {{0, 0, -1}, {1, 0.4, 0}},
             {{0, 0.4, -1}, {3, 1, 0}},
             {{1, 0, -1}, {3, 0.4, 0}}}}},
          {"plus",
           {{{{-0.5, 0, -1}, {2.5, 1, 0}}, {{0.5, -1, -1}, {1.5, 2, 0}}},
            {{{0.5, -1, -1}, {1.5, 2, 0}}, {{-0.5, 0, -1}, {2.5, 1, 0}}}}},
          {"post",
           {{{{-0.5, -1, -1}, {2.5, 2, 0}}, {{1.1, 0.8, 0}, {2, 1.8, 1}}},
            {{{1.1, 0.8, -1}, {2, 1.8, 1}}, {{-0.5, -1, -1}, {2.5, 2, 0}}}}}};
}

std::string UnionOf(const std::vector<std::pair<Vec3, Vec3>>& boxes) {
  std::string text;
  for (const auto& [lower, upper] : boxes) {
    const Vec3 size = upper - lower, at = 0.5 * (lower + upper);
    text += fmt::format("{}{{box: {{size: [{}, {}, {}]}}, pose: {{position: [{}, {}, {}]}}}}",
                        text.empty() ? "" : ", ", size.x, size.y, size.z, at.x, at.y, at.z);
  }
  return "{union: [" + text + "]}";
}

/** Force and moment about the origin of all points of a scene [N, N·m], over the stiffness. The
 part's pose has the same bits however it was cut. */
std::pair<Vec3, Vec3> LoadAtStart(const std::string& base, const std::string& part,
                                  const std::string& pose) {
  const Simulation simulation = testing::FromText(
      "duration: 1\ncontact_models: {default: {geometry: points, normal: {model: gonthier, "
      "stiffness: 1e5, exponent: 1, restitution: 0.3}}}\nbodies:\n  base: {shape: " +
          base + ", fixed: true}\n  part: {shape: " + part +
          ", mass: 1, center_of_mass: [0, 0, 0], inertia: [1, 1, 1], pose: " + pose + "}\n",
      2);
  std::pair<Vec3, Vec3> load;
  for (const ContactReport& contact : simulation.Contacts()) {
    const auto& g = contact.geometry;
    load.first += g.weight * g.V * g.n;
    load.second += Cross(g.p_WC, g.weight * g.V * g.n);
  }
  return load;
}

// Two overlapping pieces of a part press as the part does, 5 to 20 % of it deep.
TEST(CutsInPoints, ByUnionsOfWhatOverlapsChangeNoLoadHoweverDeep) {
  const std::string parts[] = {
      "{box: {size: [0.6, 0.5, 0.4]}}",
      "{convex: {vertices: [[-0.3, -0.2, -0.2], [0.3, -0.2, -0.2], [0.2, 0.3, -0.2], [-0.2, 0.1, "
      "0.2], [0.1, 0, 0.2]]}}",
      "{cylinder: {radius: 0.3, height: 0.4}}",
      "{capsule: {radius: 0.2, length: 0.6}}",
      "{sphere: {radius: 0.2}}",
      "{cone: {radius_bottom: 0.2, radius_top: 0.05, height: 0.4}}",
      "{ellipsoid: {radii: [0.3, 0.25, 0.2]}}",
      "{torus: {major_radius: 0.25, minor_radius: 0.17}}",
      "{difference: [{cylinder: {radius: 0.3, height: 0.4}}, {cylinder: {radius: 0.2, height: "
      "1}}]}",
      "{difference: [{cylinder: {radius: 0.3, height: 0.4}}, {cone: {radius_bottom: 0.1, "
      "radius_top: 0.25, height: 0.5}}]}",
      "{difference: [{box: {size: [0.6, 0.5, 0.4]}}, {cylinder: {radius: 0.15, height: 1}}]}",
      "{difference: [{box: {size: [0.6, 0.5, 0.4]}}, {sphere: {radius: 0.15}, pose: {position: [0, "
      "0, -0.25]}}]}"};
  const std::string bases[] = {
      "{half_space: {normal: [0, 0, 1], offset: 0}}",
      "{box: {size: [1, 1, 1]}, pose: {position: [0.5, 0, -0.5]}}",
      "{cylinder: {radius: 0.25, height: 1}, pose: {position: [0.1, 0, -0.5]}}",
      "{sphere: {radius: 0.5}, pose: {position: [0, 0, -0.5]}}",
      "{cylinder: {radius: 0.3, height: 2}, pose: {position: [0, 0, -0.3], rpy_deg: [90, 0, 0]}}"};
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> any(-1, 1);
  int pressed = 0;
  for (const std::string& part : parts) {
    for (const std::string& base : bases) {
      for (int k = 0; k < 8; ++k) {
        const double tilt = k % 4 < 2 ? 0.0 : 0.05;
        const std::string pose =
            fmt::format("{{position: [{}, {}, {}], quaternion: [1, {}, {}, {}]}}",
                        0.1 * any(engine), 0.1 * any(engine), 0.15 + 0.03 * any(engine),
                        tilt * any(engine), tilt * any(engine), any(engine));
        const Vec3 n =
            k % 2 == 0 ? Vec3{0, 0, 1} : Normalized(Vec3{any(engine), any(engine), any(engine)});
        const double over = 0.04 + 0.03 * any(engine);
        const std::string cut = "{union: [{intersection: [" + part + ", " + Side(n, over * n, 1) +
                                "]}, {intersection: [" + part + ", " + Side(n, -over * n, -1) +
                                "]}]}";
        const auto [force, torque] = LoadAtStart(base, part, pose);
        const auto [force_cut, torque_cut] = LoadAtStart(base, cut, pose);
        EXPECT_LE(Norm(force_cut - force), 1e-9 * Norm(force)) << base << part << pose;
        EXPECT_LE(Norm(torque_cut - torque), 1e-9 * Norm(force)) << base << part << pose;
        pressed += Norm(force) > 0.02 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(pressed, 300);
}

// Boxes, hulls, cylinders and capsules feel the same union however it was cut, and where it is flat
// they feel the block that it is there.
TEST(CutsInPoints, OfUnionsAreFeltByNoPart) {
  const std::string long_block = UnionOf({{{0, 0, -1}, {3, 1, 0}}});
  const std::string part_of[] = {
      "{box: {size: [0.6, 0.5, 0.4]}}",
      "{convex: {vertices: [[-0.3, -0.2, -0.2], [0.3, -0.2, -0.2], [0.2, 0.3, -0.2], [-0.2, 0.1, "
      "0.2], [0.1, 0, 0.2]]}}",
      "{cylinder: {radius: 0.3, height: 0.4}}", "{capsule: {radius: 0.2, length: 0.6}}"};
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const Written& base : Unions()) {
    for (const std::string& part : part_of) {
      for (int k = 0; k < 8; ++k) {
        const double tilt = k % 2 == 0 ? 0.0 : 0.01;
        const bool lies = part.find("capsule") != std::string::npos;
        const std::string pose = fmt::format(
            "{{position: [{}, {}, 0.199], quaternion: [{}, {}, {}, {}]}}", 1.0 + 0.4 * any(engine),
            0.5 + 0.3 * any(engine), lies ? 0.7 : 1.0, tilt * any(engine),
            lies ? 0.7 : tilt * any(engine), lies ? 0.0 : any(engine));
        const Simulation first = Press(UnionOf(base.ways[0]), part, pose);
        const auto compare = [&](const Simulation& other) {
          const BodyState &a = first.State()[1], &b = other.State()[1];
          EXPECT_LT(Norm(a.v_WB - b.v_WB), 1e-9) << base.name << part << pose;
          EXPECT_LT(Norm(a.w_WB - b.w_WB), 1e-9) << base.name << part << pose;
          EXPECT_EQ(first.Contacts().size(), other.Contacts().size()) << base.name << part << pose;
        };
        for (std::size_t w = 1; w < base.ways.size(); ++w) {
          compare(Press(UnionOf(base.ways[w]), part, pose));
        }
        if (base.name == "L") compare(Press(long_block, part, pose));
      }
    }
  }
}

// An L lies on a large block, on its side and on its foot, by the corners by which it lies on a
// half-space, and with the same forces.
TEST(CutsInPoints, OfAnLLieOnABlockAsOnAPlane) {
  const auto lie = [](const std::string& floor, const std::string& shape, const char* turn) {
    Simulation simulation = testing::FromText(
        "duration: 0.3\nintegrator: {step: 1e-3}\ncontact_models: {default: {geometry: points, "
        "normal: {model: gonthier, stiffness: 1e5, exponent: 1, restitution: 0.3}, friction: "
        "{model: bristle, mu_s: 0.3, mu_c: 0.3}}}\nbodies:\n  floor: {shape: " +
            floor + ", fixed: true}\n  part: {shape: " + shape +
            ", mass: 5, center_of_mass: [0.9, 0.5, -0.9], inertia: [4, 5, 6], pose: {position: "
            "[0, 0, 0], rpy_deg: " +
            turn + "}}\n",
        2);
    testing::RunToEnd(&simulation);
    return simulation;
  };
  const std::vector<Written> unions = Unions();
  const struct {
    const char* turn;
    double lowest;
    std::size_t corners;
  } cases[] = {{"[90, 0, 0]", 0.0, 5}, {"[180, 0, 0]", 0.0, 4}, {"[0, 0, 0]", -3.0, 4}};
  for (const auto& at : cases) {
    const std::string half_space =
        fmt::format("{{half_space: {{normal: [0, 0, 1], offset: {}}}}}", at.lowest);
    const std::string block = fmt::format(
        "{{box: {{size: [20, 20, 2]}}, pose: {{position: [0, 0, {}]}}}}", at.lowest - 1.0);
    const Simulation on_plane = lie(half_space, UnionOf(unions[0].ways[0]), at.turn);
    EXPECT_EQ(on_plane.Contacts().size(), at.corners) << at.turn;
    for (const auto& way : unions[0].ways) {
      const Simulation on_block = lie(block, UnionOf(way), at.turn);
      EXPECT_EQ(on_block.Contacts().size(), at.corners) << at.turn;
      EXPECT_LT(Norm(on_block.State()[1].X_WB.p - on_plane.State()[1].X_WB.p), 1e-7) << at.turn;
    }
  }
}

// A ball that rolls over a seam between two cells, one with a hole and so not to be merged, goes on
// with its contact: its bristle, its latch and its impact.
TEST(CutsInPoints, OfABlockBesideAHoleAreRolledOverInOneContact) {
  const auto roll = [](const std::string& base) {
    Simulation simulation = testing::FromText(
        "duration: 0.4\nintegrator: {step: 1e-3}\ncontact_models: {default: {geometry: points, "
        "normal: {model: gonthier, stiffness: 1e5, exponent: 1, restitution: 0.3}, friction: "
        "{model: bristle, mu_s: 0.3, mu_c: 0.3}}}\nbodies:\n  base: {shape: " +
            base +
            ", fixed: true}\n  part: {shape: {sphere: {radius: 0.2}}, mass: 1, pose: {position: "
            "[0.8, 0.5, 0.21]}, velocity: {linear: [1, 0.1, 0]}}\n",
        2);
    testing::RunToEnd(&simulation);
    return simulation;
  };
  const std::string whole = "{box: {size: [3, 1, 1]}, pose: {position: [1.5, 0.5, -0.5]}}";
  const std::string holed =
      "{difference: [{box: {size: [1, 1, 1]}, pose: {position: [0.5, 0.5, -0.5]}}, {cylinder: "
      "{radius: 0.1, height: 0.6}, pose: {position: [0.3, 0.5, -1]}}]}";
  const std::string seamed =
      "{union: [" + holed + ", {box: {size: [2, 1, 1]}, pose: {position: [2, 0.5, -0.5]}}]}";
  const Simulation one = roll(whole), two = roll(seamed);
  EXPECT_GT(two.State()[1].X_WB.p.x, 1.1);
  ASSERT_EQ(two.Contacts().size(), 1u);
  EXPECT_EQ(two.Contacts()[0].id, one.Contacts()[0].id);
  EXPECT_EQ(two.Contacts()[0].since, one.Contacts()[0].since);
  EXPECT_EQ(two.Impacts().size(), one.Impacts().size());
  EXPECT_LT(Norm(two.State()[1].X_WB.p - one.State()[1].X_WB.p), 1e-9);
  EXPECT_LT(Norm(two.State()[1].w_WB - one.State()[1].w_WB), 1e-9);
}

// A dimple cuts its block into sectors through the block's corners: none of them has the corner for
// itself, and it sank into what it fell on until another point was found, centimetres deep.
TEST(PointsOnCuts, ACornerThatACutGoesThroughIsFelt) {
  Simulation simulation = testing::FromText(
      "duration: 0.1\nintegrator: {step: 2.5e-4}\ncontact_models: {default: {geometry: points, "
      "normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}, friction: {model: none}, "
      "rolling: {model: none}, spinning: {model: none}}}\nbodies:\n  post: {shape: {cylinder: "
      "{radius: 0.3, height: 0.2}}, fixed: true, pose: {position: [0, 0, -0.1]}}\n  part: {shape: "
      "{difference: [{box: {size: [0.08, 0.08, 0.05]}}, {sphere: {radius: 0.04}, pose: {position: "
      "[0, 0, 0.043]}}]}, mass: 1, pose: {position: [0, 0, 0.08], quaternion: [0.3647, 0.2798, "
      "0.8805, 0.1159]}}\n",
      2);
  testing::RunToEnd(&simulation);
  EXPECT_GT(simulation.State()[1].X_WB.p.z, 0.02);
  EXPECT_GT(simulation.Impacts().size(), 0u);
}

}  // namespace
}  // namespace intervox
