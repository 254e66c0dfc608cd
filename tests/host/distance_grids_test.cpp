// Distances of grids: closed forms, a minimiser of its own, motion, order, sizes, blocks.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "geometry/solid.h"
#include "host/distance/distance.h"
#include "tests/geometry/grids.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Box;
using geometry::Cell;
using geometry::HalfSpace;
using geometry::Leaf;
using geometry::Random;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using testing::GridCell;
using Cells = std::vector<Cell>;

TEST(DistanceGrids, Explore) {
  Random random(3);
  const Cells ball{GridCell(Sphere{20}, 1)}, box{GridCell(Box{{20, 16, 12}}, 1)},
      torus{GridCell(Torus{12, 5}, 1)},
      floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0})), ex_ball = ToCells(*Leaf(Sphere{20})),
      ex_box = ToCells(*Leaf(Box{{20, 16, 12}})), ex_torus = ToCells(*Leaf(Torus{12, 5}));
  const std::vector<std::pair<const char*, const Cells*>> all = {
      {"gball", &ball},   {"gbox", &box},   {"gtorus", &torus},  {"floor", &floor},
      {"ball", &ex_ball}, {"box", &ex_box}, {"torus", &ex_torus}};
  for (int i = 0; i < 3; ++i) {
    for (const auto& [name, cells] : all) {
      for (int k = 0; k < 3; ++k) {
        Pose X{k == 0 ? Mat3::Identity() : random.Rotation(), 60.0 * random.Direction()};
        if (cells == &floor) X.p.z = -60;
        if (cells == &floor) X.R = Mat3::Identity();
        const Pose Y{k == 0 ? Mat3::Identity() : random.Rotation(), {}};
        const auto start = std::chrono::steady_clock::now();
        const Separation out = MeasureDistance(*all[i].second, *cells, Y, X);
        const double t =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        printf("%-7s %-7s %d  %-14s d %.12g gap %.2e boxes %d %.2f ms\n", all[i].first, name, k,
               out.status == Status::kOk ? "ok" : out.reason.c_str(), out.distance,
               out.distance - out.lower, out.boxes, 1e3 * t);
      }
    }
  }
}

}  // namespace
}  // namespace intervox::host
