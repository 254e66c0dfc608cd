// The study's orders on a small slice: what the documentation claims of each rule.
#include "host/study/voxel_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/scene/reader.h"
#include "host/scene/text.h"
#include "host/study/scene_queries.h"

namespace intervox::host {
namespace {

PairsFile BallsAndBlock() {
  return ParsePairs(
      "schema: intervox/pairs/1\n"
      "shapes:\n"
      "  ball: {sphere: {radius: 0.02}}\n"
      "  ground: {half_space: {normal: [0.1, 0.2, 1], offset: 0}}\n"
      "pairs:\n"
      "  - {name: balls, a: ball, b: ball, pose_b: {position: [0.021, 0.011, 0.027]}}\n"
      "  - {name: ground, a: ball, b: ground, pose_a: {position: [0.001, 0, 0.017]}}\n",
      "study.yaml");
}

TEST(SlowVoxelStudy, OrdersAreTheDocumentedOnes) {
  StudySettings settings;
  settings.voxel_sizes = {4e-3, 2.83e-3, 2e-3, 1.41e-3, 1e-3};
  settings.rules = {LeafRule::kCenter, LeafRule::kFraction, LeafRule::kClip, LeafRule::kVoxel};
  settings.tolerances = {1e-4};
  const std::vector<StudyRow> rows = StudyVoxels(BallsAndBlock(), settings);
  ASSERT_EQ(rows.size(), 40u);
  const std::vector<StudyOrder> orders = OrdersOf(rows);
  ASSERT_EQ(orders.size(), 8u);
  for (const StudyOrder& o : orders) {
    SCOPED_TRACE(o.pair + " " + std::to_string(static_cast<int>(o.rule)));
    if (o.rule == LeafRule::kClip || o.rule == LeafRule::kVoxel) {
      // In coarse voxels clip takes off less than samples add: its error falls faster than h².
      if (o.rule == LeafRule::kVoxel) {
        EXPECT_NEAR(o.volume, 2, 0.25);
      } else {
        EXPECT_GT(o.volume, 1.75);
      }
      EXPECT_GT(o.area, 1.5);
      EXPECT_GT(o.centroid, 1.2);
      EXPECT_GT(o.inertia, 1.5);
      const auto finest = std::find_if(rows.begin(), rows.end(), [&](const StudyRow& r) {
        return r.pair == o.pair && r.rule == o.rule && r.voxel_size == 1e-3;
      });
      // The error of clip is not smooth in the voxel size.
      EXPECT_LT(o.extrapolated, (o.rule == LeafRule::kVoxel ? 0.5 : 1.5) * finest->volume_error);
    } else {
      EXPECT_GT(o.volume, 0.8);
    }
  }
  for (const StudyRow& row : rows) {
    EXPECT_GT(row.exact_volume, 0);
    EXPECT_GT(row.seconds, 0);
    EXPECT_NEAR(row.volume_error, std::fabs(row.volume / row.exact_volume - 1), 1e-12);
  }
}

// Errors of several sizes of a shape are one row: a count is right by chance where voxels fit it.
TEST(SlowVoxelStudy, CenterAndFractionHaveTheirOrders) {
  PairsFile file = ParsePairs(
      "schema: intervox/pairs/1\n"
      "shapes:\n"
      "  ball0: {sphere: {radius: 0.0187}}\n"
      "  ball1: {sphere: {radius: 0.0191}}\n"
      "  ball2: {sphere: {radius: 0.0196}}\n"
      "  ball3: {sphere: {radius: 0.0202}}\n"
      "  ball4: {sphere: {radius: 0.0207}}\n"
      "  ball5: {sphere: {radius: 0.0213}}\n"
      "  block0: {box: {size: [0.0303, 0.0407, 0.0193]}}\n"
      "  block1: {box: {size: [0.0317, 0.0391, 0.0211]}}\n"
      "  block2: {box: {size: [0.0287, 0.0373, 0.0227]}}\n"
      "  block3: {box: {size: [0.0293, 0.0419, 0.0199]}}\n"
      "  block4: {box: {size: [0.0331, 0.0349, 0.0217]}}\n"
      "  block5: {box: {size: [0.0279, 0.0359, 0.0239]}}\n"
      "pairs:\n"
      "  - {name: b0, a: ball0, b: ball0, pose_b: {position: [-0.0319, 0.0053, 0.0158]}}\n"
      "  - {name: b1, a: ball1, b: ball1, pose_b: {position: [-0.0284, 0.0221, 0.0017]}}\n"
      "  - {name: b2, a: ball2, b: ball2, pose_b: {position: [0.0187, -0.0132, 0.0278]}}\n"
      "  - {name: b3, a: ball3, b: ball3, pose_b: {position: [0.0061, 0.0293, -0.0200]}}\n"
      "  - {name: b4, a: ball4, b: ball4, pose_b: {position: [0.0205, 0.0223, 0.0201]}}\n"
      "  - {name: b5, a: ball5, b: ball5, pose_b: {position: [-0.0031, -0.0283, 0.0231]}}\n"
      "  - {name: k0, a: block0, b: block0, pose_b: {position: [-0.0223, 0.0037, 0.011], "
      "quaternion: [0.74, 0.05, 0.48, 0.34]}}\n"
      "  - {name: k1, a: block1, b: block1, pose_b: {position: [-0.0199, 0.0155, 0.0012], "
      "quaternion: [0.25, -0.4, 0.01, -0.23]}}\n"
      "  - {name: k2, a: block2, b: block2, pose_b: {position: [0.0131, -0.0092, 0.0195], "
      "quaternion: [0.9, 0.2, -0.1, 0.3]}}\n"
      "  - {name: k3, a: block3, b: block3, pose_b: {position: [0.0043, 0.0205, -0.014], "
      "quaternion: [0.5, -0.3, 0.6, 0.1]}}\n"
      "  - {name: k4, a: block4, b: block4, pose_b: {position: [0.0173, 0.0117, 0.0109], "
      "quaternion: [0.3, 0.7, -0.2, 0.5]}}\n"
      "  - {name: k5, a: block5, b: block5, pose_b: {position: [-0.0087, -0.0191, 0.0121], "
      "quaternion: [0.8, -0.1, 0.2, -0.6]}}\n",
      "study.yaml");
  for (PosedPair& pair : file.pairs) pair.name.resize(1);
  StudySettings settings;
  for (int k = 0; k < 12; ++k) settings.voxel_sizes.push_back(2e-3 * std::pow(0.2, k / 11.0));
  settings.rules = {LeafRule::kCenter, LeafRule::kFraction};
  settings.tolerances = {1e-4};
  const std::vector<StudyOrder> orders = OrdersOf(StudyVoxels(file, settings));
  ASSERT_EQ(orders.size(), 4u);
  for (const StudyOrder& o : orders) {
    SCOPED_TRACE(o.pair + " " + std::to_string(static_cast<int>(o.rule)) + ": V " +
                 std::to_string(o.volume) + ", S " + std::to_string(o.area));
    if (o.rule == LeafRule::kFraction) {
      EXPECT_NEAR(o.volume, 2, 0.2);
      EXPECT_NEAR(o.area, 1.5, 0.5);
    } else {
      // A count's errors on curved faces cancel, on flat ones that lie along voxels they do not.
      EXPECT_NEAR(o.volume, o.pair == "b" ? 2 : 1, 0.4);
      EXPECT_NEAR(o.area, 1, 0.3);
    }
  }
}

TEST(VoxelStudy, ExactRulesHaveRowsOfEachTolerance) {
  StudySettings settings;
  settings.voxel_sizes = {4e-3};
  settings.rules = {LeafRule::kColumn, LeafRule::kFraction, LeafRule::kPolar, LeafRule::kVoxel,
                    LeafRule::kPolytope};
  settings.tolerances = {1e-2, 1e-4};
  EXPECT_DOUBLE_EQ(ReferenceTolerance(settings), 1e-6);
  const std::vector<StudyRow> rows = StudyVoxels(BallsAndBlock(), settings);
  ASSERT_EQ(rows.size(), 14u);  // for each pair fraction, voxel twice, polar and column twice
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const StudyRow& row = rows[k];
    EXPECT_NE(row.rule, LeafRule::kPolytope);  // it takes no balls
    EXPECT_EQ(row.tolerance > 0, row.rule != LeafRule::kFraction);
    EXPECT_EQ(row.voxel_size > 0, IsOfGrids(row.rule));
    if (!IsOfGrids(row.rule)) {
      EXPECT_LT(row.volume_error, row.tolerance);
    }
  }
  EXPECT_EQ(rows[3].rule, LeafRule::kColumn);
  EXPECT_EQ(rows[3].tolerance, 1e-2);
  EXPECT_EQ(rows[4].tolerance, 1e-4);
  const std::vector<StudyOrder> orders = OrdersOf(rows);
  ASSERT_EQ(orders.size(), 6u);  // of the rules of grids alone
  EXPECT_EQ(orders[1].tolerance, 1e-2);
  EXPECT_EQ(orders[2].tolerance, 1e-4);
  const std::string picture = StudyPicture(rows);
  EXPECT_EQ(picture.find("nan"), std::string::npos);
  EXPECT_EQ(picture.find("inf"), std::string::npos);
  EXPECT_NE(picture.find(">column 0.0001<"), std::string::npos);
  settings.rules = {LeafRule::kFraction};
  EXPECT_EQ(ReferenceTolerance(settings), 1e-4);
  settings = {};
  settings.rules = {LeafRule::kColumn};
  settings.tolerances = {1e-3, 1e-7};
  const std::vector<StudyRow> columns = StudyVoxels(BallsAndBlock(), settings);
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_LT(columns[0].work, columns[1].work);
  EXPECT_EQ(StudyPicture(columns).find("nan"), std::string::npos);
}

TEST(VoxelStudy, AnOrderIsTheSlopeInLogarithms) {
  std::vector<StudyRow> rows(3);
  for (int k = 0; k < 3; ++k) {
    rows[static_cast<std::size_t>(k)].voxel_size = std::pow(2.0, k);
    rows[static_cast<std::size_t>(k)].volume_error = 5 * std::pow(8.0, k);
    rows[static_cast<std::size_t>(k)].centroid_error = k == 0 ? 1 : 0;
  }
  const StudyOrder order = OrdersOf(rows).front();
  EXPECT_NEAR(order.volume, 3, 1e-12);
  EXPECT_TRUE(std::isnan(order.centroid));
}

TEST(VoxelStudy, ExtrapolationRemovesAnErrorOfOrderTwo) {
  std::vector<StudyRow> rows(3);
  const double sizes[] = {4, 2, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    rows[k].voxel_size = sizes[k];
    rows[k].exact_volume = 10;
    rows[k].volume = 10 + 0.1 * sizes[k] * sizes[k] + (k == 0 ? 5 : 0);
  }
  EXPECT_NEAR(OrdersOf(rows).front().extrapolated, 0, 1e-14);
  rows.resize(1);
  EXPECT_TRUE(std::isnan(OrdersOf(rows).front().extrapolated));
}

TEST(VoxelStudy, ThreadsChangeTimesAlone) {
  StudySettings settings;
  settings.voxel_sizes = {4e-3};
  settings.rules = {LeafRule::kClip};
  settings.engines = {{Device::kSerial, 1, 0}, {Device::kThreads, 2, 0}};
  settings.tolerances = {1e-3};
  const std::vector<StudyRow> rows = StudyVoxels(BallsAndBlock(), settings);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].threads, 1);
  EXPECT_EQ(rows[1].threads, 2);
  EXPECT_EQ(rows[0].volume, rows[1].volume);
  EXPECT_EQ(rows[0].area_error, rows[1].area_error);
}

/** The rows of a shape on the ground. */
std::vector<StudyRow> RowsOf(const std::string& shape, std::vector<double> voxel_sizes,
                             std::vector<std::string>* notes = nullptr,
                             LeafRule rule = LeafRule::kClip) {
  const PairsFile file = ParsePairs(
      "schema: intervox/pairs/1\n"
      "shapes:\n"
      "  thing: " +
          shape +
          "\n"
          "  ground: {half_space: {normal: [0.1, 0.2, 1], offset: 0}}\n"
          "pairs:\n"
          "  - {name: pair, a: thing, b: ground, pose_a: {position: [0.001, 0, 0.01]}}\n",
      "study.yaml");
  StudySettings settings;
  settings.voxel_sizes = std::move(voxel_sizes);
  settings.rules = {rule};
  settings.tolerances = {1e-4};
  if (notes != nullptr) *notes = StudyNotes(file, settings);
  return StudyVoxels(file, settings);
}

// A file in which one shape was a grid was refused.
TEST(VoxelStudy, AGridIsMadeAnewOfWhatItWasMadeOf) {
  std::vector<std::string> notes;
  const std::vector<StudyRow> exact = RowsOf("{sphere: {radius: 0.02}}", {4e-3, 2e-3}, &notes);
  EXPECT_TRUE(notes.empty());
  for (const std::string grid :
       {"{grid: {of: {sphere: {radius: 0.02}}, voxel_size: 7e-3}}",
        "{grid: {of: {sphere: {radius: 20}}, voxel_size: 1, half_width: 5}, scale: 0.001}"}) {
    const std::vector<StudyRow> rows = RowsOf(grid, {4e-3, 2e-3}, &notes);
    ASSERT_EQ(rows.size(), 2u);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("compared with the shape that it was made of"), std::string::npos);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(rows[k].exact_volume, exact[k].exact_volume, 1e-12 * exact[k].exact_volume);
      EXPECT_NEAR(rows[k].volume, exact[k].volume, 1e-6 * exact[k].volume);
      EXPECT_NEAR(rows[k].area_error, exact[k].area_error, 1e-5);
    }
  }
  // The half of the bias that it is free of is most of its error.
  const std::vector<StudyRow> unbiased =
      RowsOf("{grid: {of: {sphere: {radius: 0.02}}, voxel_size: 1e-3, unbiased: true}}", {2e-3});
  EXPECT_LT(unbiased[0].volume_error, 0.5 * exact[1].volume_error);
}

TEST(VoxelStudy, AShapeWithoutSurfacesIsComparedWithItsFinestGrid) {
  const std::string lattice =
      "{lattice: {kind: gyroid, period: 0.02, thickness: 0.006, size: [0.02, 0.02, 0.02], "
      "voxel_size: ";
  for (const double own : {1e-3, 3e-3}) {
    std::vector<std::string> notes;
    const std::vector<StudyRow> rows =
        RowsOf(lattice + Text(own) + "}}", {3e-3, 1.5e-3}, &notes, LeafRule::kVoxel);
    ASSERT_EQ(rows.size(), 2u);
    ASSERT_EQ(notes.size(), 1u);
    const std::string finest = own < 1.5e-3 ? "voxels of 0.001 m" : "voxels of 0.0015 m";
    EXPECT_NE(notes[0].find(finest), std::string::npos) << notes[0];
    EXPECT_GT(rows[0].volume_error, 1e-3);
    // What stands for the exact one is the finest that there is.
    if (own > 1.5e-3) {
      EXPECT_EQ(rows[1].volume_error, 0);
    } else {
      EXPECT_GT(rows[1].volume_error, 1e-4);
    }
  }
}

TEST(VoxelStudy, CheapestIsTheFastestThatIsGoodEnough) {
  std::vector<StudyRow> rows(4);
  for (std::size_t k = 0; k < 4; ++k) {
    rows[k].pair = k < 3 ? "a" : "b";
    rows[k].exact_volume = 2;
    rows[k].volume_error = std::pow(0.1, static_cast<double>(k % 3 + 1));  // 0.1, 0.01, 0.001
    rows[k].seconds = static_cast<double>(k + 1);
  }
  const std::vector<StudyRow> cheapest = CheapestWithin(rows, 0.05);
  ASSERT_EQ(cheapest.size(), 1u);  // none of b
  EXPECT_EQ(cheapest[0].seconds, 2);
}

TEST(VoxelStudy, TakesASceneWithItsOwnContacts) {
  const Scene scene = ParseScene(
      "schema: intervox/scene/2\n"
      "duration: 0.2\n"
      "integrator: {step: 1e-3}\n"
      "shapes:\n"
      "  ball: {sphere: {radius: 0.02}}\n"
      "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "contact_models:\n"
      "  default: {normal: {model: gonthier, stiffness: 1e6, restitution: 0.1}}\n"
      "bodies:\n"
      "  floor: {shape: floor, fixed: true}\n"
      "  ball: {shape: ball, mass: 0.3, pose: {position: [0, 0, 0.02]}}\n",
      "scene.yaml");
  const PairsFile file = QueriesOf(scene, 8);
  ASSERT_GE(file.pairs.size(), 4u);
  StudySettings settings;
  settings.voxel_sizes = {2e-3};
  settings.rules = {LeafRule::kClip};
  const std::vector<StudyRow> rows = StudyVoxels(file, settings);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pair, file.pairs[0].name);
  EXPECT_EQ(rows[0].queries, static_cast<int>(file.pairs.size()));
  EXPECT_LT(rows[0].volume_error, 0.5);
}

TEST(VoxelStudy, PictureHasALineForEachRule) {
  StudyRow row;
  row.pair = "a < b";
  row.rule = LeafRule::kClip;
  row.voxel_size = 1e-3;
  row.volume_error = row.seconds = 1e-4;
  const std::string picture = StudyPicture({row});
  EXPECT_NE(picture.find("a &lt; b"), std::string::npos);
  EXPECT_NE(picture.find(">clip<"), std::string::npos);
  EXPECT_EQ(picture.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace intervox::host
