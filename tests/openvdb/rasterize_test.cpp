#include "geometry/openvdb/rasterize.h"

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <tbb/global_control.h>

#include <cmath>
#include <numbers>

#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

std::filesystem::path InTemp(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("intervox_rasterize_" + name);
}

Cell Ball(double radius) {
  Cell cell;
  cell.surfaces = {MakeEllipsoid({radius, radius, radius})};
  cell.bounds = {Pose::Identity(), {radius, radius, radius}};
  return cell;
}

TEST(Rasterize, BallHasTrueDistancesAndItsVolume) {
  const std::vector<Cell> cells{Ball(0.5)};
  const double h = 0.02;
  const std::filesystem::path path = InTemp("ball.vdb");
  const RasterReport report = Rasterize(cells, h, 3, "ball", path);
  const double exact = 4.0 / 3 * std::numbers::pi * 0.125;
  EXPECT_NEAR(report.volume / exact, 1, 2e-3);

  openvdb::initialize();
  openvdb::io::File file(path.string());
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("ball"));
  file.close();
  EXPECT_EQ(grid->getGridClass(), openvdb::GRID_LEVEL_SET);
  EXPECT_EQ(static_cast<std::int64_t>(grid->activeVoxelCount()), report.active_voxels);
  std::int64_t count = 0;
  for (auto it = grid->cbeginValueOn(); it; ++it) {
    const openvdb::Vec3d p = grid->indexToWorld(it.getCoord());
    ASSERT_NEAR(*it, p.length() - 0.5, 1e-6);
    ASSERT_LT(std::fabs(*it), 3 * h);
    ++count;
  }
  // The band is a shell of thickness 6 h.
  const double shell =
      4.0 / 3 * std::numbers::pi * (std::pow(0.5 + 3 * h, 3) - std::pow(0.5 - 3 * h, 3));
  EXPECT_NEAR(static_cast<double>(count) * h * h * h / shell, 1, 0.02);
  // Off the band the sign tells inside from outside.
  EXPECT_FLOAT_EQ(grid->tree().getValue(openvdb::Coord(0, 0, 0)), static_cast<float>(-3 * h));
  EXPECT_FLOAT_EQ(grid->tree().getValue(openvdb::Coord(100, 0, 0)), static_cast<float>(3 * h));
  std::filesystem::remove(path);
}

TEST(Rasterize, VolumeConvergesWithTheVoxels) {
  const std::vector<Cell> cells{Ball(0.5)};
  const double exact = 4.0 / 3 * std::numbers::pi * 0.125;
  const std::filesystem::path path = InTemp("converges.vdb");
  const double coarse = std::fabs(Rasterize(cells, 0.08, 3, "ball", path).volume - exact);
  const double fine = std::fabs(Rasterize(cells, 0.02, 3, "ball", path).volume - exact);
  EXPECT_LT(fine, 0.25 * coarse);
  std::filesystem::remove(path);
}

TEST(Rasterize, SameBytesForAnyNumberOfThreads) {
  const std::vector<Cell> cells{Ball(0.5)};
  const auto values = [&](const std::string& name) {
    const std::filesystem::path path = InTemp(name);
    Rasterize(cells, 0.04, 3, "ball", path);
    openvdb::initialize();
    openvdb::io::File file(path.string());
    file.open();
    const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("ball"));
    file.close();
    std::vector<float> all;
    for (auto it = grid->cbeginValueOn(); it; ++it) all.push_back(*it);
    std::filesystem::remove(path);
    return all;
  };
  const std::vector<float> many = values("many.vdb");
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(many, values("one.vdb"));
}

TEST(Rasterize, RefusesBadParametersAndPaths) {
  const std::vector<Cell> cells{Ball(0.5)};
  EXPECT_THROW(Rasterize(cells, 0, 3, "a", InTemp("a.vdb")), std::invalid_argument);
  EXPECT_THROW(Rasterize(cells, 0.1, 1, "a", InTemp("a.vdb")), std::invalid_argument);
  EXPECT_THROW(Rasterize(cells, 1e-5, 3, "a", InTemp("a.vdb")), std::invalid_argument);
  const std::vector<Cell> large{Ball(50)};
  EXPECT_THROW(Rasterize(large, 2e-5, 3, "a", InTemp("a.vdb")), std::invalid_argument);
  try {
    Rasterize(cells, 0.1, 3, "a", "/nowhere/at/all.vdb");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.vdb"), std::string::npos);
  }
}

}  // namespace
}  // namespace intervox::geometry
