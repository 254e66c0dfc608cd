// Where a torus' section runs along the columns: all folds are found, however the tube lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/rules/column/ring_breaks.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda::internal::column {
namespace {

using intervox::testing::Random;

/** A section of a torus alone, whose columns lean by `lean` out of the torus' plane and whose own
 plane leans by `tilt` out of it. */
PlaneSection RandomSection(double lean, double tilt, Random* random) {
  const double turn = random->Uniform(0, 6.28), over = random->Uniform(0, 6.28);
  PlaneSection section;
  section.V = {std::sqrt(1 - lean * lean) * std::cos(turn),
               std::sqrt(1 - lean * lean) * std::sin(turn), lean};
  const Vec3 up = Normalized(Vec3{tilt * std::cos(over), tilt * std::sin(over), 1.0});
  section.U = Normalized(Cross(section.V, up));
  section.rings = true;
  section.curves = 1;
  section.curve[0].ring = true;
  return section;
}

/** Folds of the section, ascending. */
std::vector<double> FoldsOf(const PlaneSection& section, const LocalPair& pair) {
  SectionBreaks breaks;
  AddRingFolds(section, 0, pair, &breaks);
  return {breaks.u, breaks.u + breaks.count};
}

// Between two folds as many columns' ends lie above each other everywhere.
TEST(RingFolds, ColumnsHaveOtherPartsBeyondFoldsAlone) {
  constexpr int kColumns = 2000;
  Random random(1);
  int changes = 0, missed = 0;
  for (int n = 0; n < 300; ++n) {
    const double lean = n % 5 == 0 ? 0.0 : random.LogUniform(1e-9, 1);
    const double tilt = n % 7 == 0 ? 0.0 : random.LogUniform(1e-9, 100);
    const double stout = random.LogUniform(0.02, 0.98), R = random.LogUniform(0.01, 100);
    PlaneSection section = RandomSection(lean, tilt, &random);
    const Vec3 W = Cross(section.U, section.V);
    const double rise = std::sqrt(W.x * W.x + W.y * W.y);
    section.P = random.Uniform(-1, 1) * (R * rise + stout * R) * W;
    const double reach = 1.001 * (1 + stout) * R;
    section.u_lo = section.v_lo = -reach;
    section.u_hi = section.v_hi = reach;
    const geometry::Surface torus = geometry::MakeTorus(R, stout * R);
    const LocalPair pair = testing::MakePair({torus}, {}, {}, {-1, -1, -1}, {1, 1, 1}, 1e-6);
    const std::vector<double> folds = FoldsOf(section, pair);
    const double step = 2 * reach / kColumns;
    int before = 0;
    for (int k = 0; k <= kColumns; ++k) {
      const double u = -reach + k * step;
      const Vec3 p = section.P + u * section.U;
      const int ends = geometry::internal::TorusCrossings(torus, p, section.V).count;
      if (ends != before) {
        ++changes;
        missed += std::none_of(folds.begin(), folds.end(), [&](double fold) {
          return fold > u - 1.001 * step && fold < u + 0.001 * step;
        });
      }
      before = ends;
    }
  }
  EXPECT_GT(changes, 600);
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace intervox::cuda::internal::column
