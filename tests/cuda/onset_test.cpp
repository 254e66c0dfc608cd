#include <gtest/gtest.h>

#include "cuda/engine.h"
#include "geometry/hollows.h"
#include "tests/cuda/families.h"
#include "tests/samples.h"

namespace intervox {
namespace {

using geometry::Cell;
using testing::AllFamilies;
using testing::HoledBoxCells;
using testing::MoreSolids;
using testing::Random;

using Cells = std::vector<Cell>;

struct Named {
  std::string name;
  Cells cells;
};

std::vector<Named> ManySolids() {
  std::vector<Named> solids;
  for (const auto& family : AllFamilies()) solids.push_back({family.name, {family.cell}});
  for (const auto& solid : MoreSolids()) solids.push_back({solid.name, solid.cells});
  solids.push_back({"half-space", {testing::HalfSpaceCell({0, 0, 1}, 0)}});
  solids.push_back({"thin torus", testing::CellsOf(geometry::Torus{0.4, 0.05})});
  solids.push_back({"holed", HoledBoxCells({1, 1, 0.5}, 0.25)});
  for (Named& solid : solids) solid.cells = geometry::SplitHollows(solid.cells);
  return solids;
}

/** Two solids of which one moves along a line. */
struct Approach {
  const Named *a, *b;
  Pose X_WA, X_WB;
  Vec3 direction;

  double VolumeAt(double t) const {
    double sum = 0;
    Pose X = X_WA;
    X.p += t * direction;
    for (const Cell& ca : a->cells) {
      for (const Cell& cb : b->cells) {
        PairQuery query{&ca, &cb, X, X_WB};
        query.tolerance = 1e-3;
        sum += ComputeMetrics(query).volume;
      }
    }
    return sum;
  }
};

/** V begins where two solids touch, with nothing, and is found at every depth from there on: a
 contact that is missed until it is deep would begin with a blow. */
void ExpectNoHoles(const Approach& at) {
  const std::string names = at.a->name + " and " + at.b->name;
  constexpr double kApart = 8;
  double in = 0, out = kApart;
  if (!(at.VolumeAt(in) > 0) || at.VolumeAt(out) > 0) return;
  for (int i = 0; i < 70 && out - in > 2e-15; ++i) {
    const double middle = 0.5 * (in + out);
    (at.VolumeAt(middle) > 0 ? in : out) = middle;
  }
  const double deeper = at.VolumeAt(in - 1e-3);
  EXPECT_GT(deeper, 0) << names;
  EXPECT_LT(at.VolumeAt(in), 1e-8 * deeper) << names;
  for (double depth = 1e-9; depth < 2e-2; depth *= 3) {
    EXPECT_GT(at.VolumeAt(in - depth), 0) << names << " at a depth of " << depth;
  }
}

void ExpectNoHoles(int pairs, unsigned seed) {
  const std::vector<Named> solids = ManySolids();
  Random random(seed);
  const auto any = [&] {
    return static_cast<std::size_t>(random.Uniform(0, 0.999 * static_cast<double>(solids.size())));
  };
  for (int i = 0; i < pairs; ++i) {
    const std::size_t a = any(), b = any();
    const Pose X_WA = random.RandomPose(0.3), X_WB = random.RandomPose(0.0);
    ExpectNoHoles({&solids[a], &solids[b], X_WA, X_WB, random.Direction()});
  }
}

TEST(Onset, IsFoundAndWithoutAJump) { ExpectNoHoles(40, 1); }

TEST(SlowOnset, IsFoundAndWithoutAJump) { ExpectNoHoles(intervox::testing::Samples(100), 2); }

}  // namespace
}  // namespace intervox
