// Level sets from OpenVDB files: what was written reads back, and what is no level set is refused.
#include "geometry/openvdb/level_set_grid.h"

#include <gtest/gtest.h>
#include <nanovdb/util/IO.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>
#include <openvdb/tools/LevelSetUtil.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "geometry/openvdb/rasterize.h"
#include "tests/geometry/grids.h"

namespace intervox::geometry {
namespace {

using openvdb::FloatGrid;

std::filesystem::path InTemp(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("intervox_level_set_" + name);
}

void Write(const std::filesystem::path& path, const openvdb::GridPtrVec& grids) {
  openvdb::io::File(path.string()).write(grids);
}

FloatGrid::Ptr Ball() {
  return openvdb::tools::createLevelSetSphere<FloatGrid>(1.0f, openvdb::Vec3f(3, 4, 5), 0.1f, 3.0f);
}

void ExpectRefusal(const std::filesystem::path& path, const std::string& part) {
  try {
    ReadVdb(path, testing::Serially);
    ADD_FAILURE() << "no refusal: " << part;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
  }
}

TEST(ReadVdb, WhatWasWrittenReadsBack) {
  const auto cells = testing::CellsOf(Torus{0.5, 0.2});
  const std::filesystem::path path = InTemp("torus.vdb");
  Rasterize(cells, 0.02, 3, "torus", path);
  const VdbLevelSet read = ReadVdb(path, testing::Serially);
  const auto made = MakeLevelSet(cells, 0.02, 3, testing::Serially);
  EXPECT_NEAR(read.field->voxel_size, 0.02, 1e-12);
  EXPECT_NEAR(read.field->band, 3, 1e-6);
  EXPECT_EQ(Norm(read.p_FG), 0);
  EXPECT_EQ(read.field->lower, made->lower);
  EXPECT_EQ(read.field->upper, made->upper);
  const GridView a = read.field->View(), b = made->View();
  for (int n = 0; n < 4000; ++n) {
    const Vec3 u{-40 + 80 * std::fmod(0.618 * n, 1), -40 + 80 * std::fmod(0.414 * n, 1),
                 -14 + 28 * std::fmod(0.732 * n, 1)};
    ASSERT_NEAR(Evaluate(a, u).value, Evaluate(b, u).value, 1e-5);
  }
  std::filesystem::remove(path);
}

TEST(ReadVdb, KnowsWhereTheGridStands) {
  const std::filesystem::path path = InTemp("ball.vdb");
  const FloatGrid::Ptr ball = Ball();
  ball->transform().postTranslate(openvdb::Vec3d(0.05, -7, 0));
  Write(path, {ball});
  const VdbLevelSet read = ReadVdb(path, testing::Serially);
  EXPECT_NEAR(read.p_FG.x, 0.05, 1e-12);
  EXPECT_NEAR(read.p_FG.y, -7, 1e-12);
  const Vec3 surface = Vec3{3, 4, 5} + Vec3{0.05, -7, 0} + Vec3{0, 0, 1};
  EXPECT_NEAR(Evaluate(read.field->View(), (surface - read.p_FG) / 0.1).value, 0, 0.03);
  std::filesystem::remove(path);
}

TEST(ReadVdb, RefusesWhatIsNoLevelSet) {
  const std::filesystem::path path = InTemp("bad.vdb");
  ExpectRefusal(InTemp("absent.vdb"), "no such file");
  const FloatGrid::Ptr fog = Ball();
  openvdb::tools::sdfToFogVolume(*fog);
  fog->setName("smoke");
  Write(path, {fog});
  ExpectRefusal(path, "'smoke' (fog volume of float)");
  Write(path, {Ball(), Ball()});
  ExpectRefusal(path, "one level set");
  Write(path, {});
  ExpectRefusal(path, "nothing");
  const FloatGrid::Ptr stretched = Ball();
  stretched->transform().postScale(openvdb::Vec3d(1, 1, 2));
  Write(path, {stretched});
  ExpectRefusal(path, "no cubes along the axes");
  const FloatGrid::Ptr turned = Ball();
  turned->transform().postRotate(0.5, openvdb::math::Z_AXIS);
  Write(path, {turned});
  ExpectRefusal(path, "no cubes along the axes");
  const FloatGrid::Ptr empty = FloatGrid::create(0.3f);
  empty->setGridClass(openvdb::GRID_LEVEL_SET);
  empty->setTransform(openvdb::math::Transform::createLinearTransform(0.1));
  Write(path, {empty});
  ExpectRefusal(path, "no voxel is active");
  // Half a ball: levels jump from one end of the band to the other.
  const FloatGrid::Ptr half = Ball();
  half->clip(openvdb::math::CoordBBox(openvdb::Coord(0, 0, 0), openvdb::Coord(30, 100, 100)));
  Write(path, {half});
  ExpectRefusal(path, "the surface is open");
  std::filesystem::remove(path);
}

TEST(ReadVdb, RefusesDamagedFiles) {
  const std::filesystem::path path = InTemp("damaged.vdb");
  Write(path, {Ball()});
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (const double share : {0.0, 0.01, 0.1, 0.5, 0.9, 0.999}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    ExpectRefusal(path, "");
  }
  std::ofstream(path, std::ios::binary) << std::string(100000, '\0');
  ExpectRefusal(path, "not a whole OpenVDB file");
  // Sizes that lie: four bytes anywhere become the largest number.
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 24) {
    std::string damaged = whole;
    for (std::size_t k = at; k < std::min(at + 4, whole.size()); ++k) damaged[k] = '\x7f';
    std::ofstream(path, std::ios::binary) << damaged;
    try {
      ReadVdb(path, testing::Serially);
    } catch (const std::runtime_error&) {  // values may change unseen, sizes may not
    }
  }
  std::filesystem::remove(path);
}

/** Writes grids as NanoVDB files, of any kind of floats. */
template <class Float>
void WriteNano(const std::filesystem::path& path, const std::vector<FloatGrid::Ptr>& grids,
               nanovdb::ChecksumMode mode = nanovdb::ChecksumMode::Default) {
  std::vector<nanovdb::GridHandle<>> handles;
  for (const FloatGrid::Ptr& grid : grids) {
    handles.push_back(nanovdb::openToNanoVDB<nanovdb::HostBuffer, openvdb::FloatTree, Float>(
        *grid, nanovdb::StatsMode::Default, mode));
  }
  nanovdb::io::writeGrids(path.string(), handles);
}

/** The largest difference of two fields around a ball of R = 1 at a place. */
double FarthestApart(const VdbLevelSet& a, const VdbLevelSet& b, const Vec3& place) {
  double most = 0;
  const GridView of_a = a.field->View(), of_b = b.field->View();
  for (int n = 0; n < 4000; ++n) {
    const Vec3 x =
        place + Vec3{-1.5 + 3 * std::fmod(0.618 * n, 1), -1.5 + 3 * std::fmod(0.414 * n, 1),
                     -1.5 + 3 * std::fmod(0.732 * n, 1)};
    const double level = Evaluate(of_a, (x - a.p_FG) / a.field->voxel_size).value;
    most =
        std::max(most, std::fabs(level - Evaluate(of_b, (x - b.p_FG) / b.field->voxel_size).value));
  }
  return most;
}

TEST(ReadVdb, NanoVdbHoldsTheSame) {
  const std::filesystem::path open = InTemp("same.vdb"), nano = InTemp("same.nvdb");
  const FloatGrid::Ptr ball = Ball();
  ball->transform().postTranslate(openvdb::Vec3d(0.05, -7, 0));
  Write(open, {ball});
  const Vec3 place = Vec3{3, 4, 5} + Vec3{0.05, -7, 0};
  const VdbLevelSet expected = ReadVdb(open, testing::Serially);
  for (const auto mode : {nanovdb::ChecksumMode::Disable, nanovdb::ChecksumMode::Full}) {
    WriteNano<float>(nano, {ball}, mode);
    const VdbLevelSet read = ReadVdb(nano, testing::Serially);
    EXPECT_EQ(read.field->nodes, expected.field->nodes);
    EXPECT_EQ(read.field->places, expected.field->places);
    EXPECT_EQ(Norm(read.p_FG - expected.p_FG), 0);
  }
  // Quantised floats: six voxels of the band in 16, 256 and 65,536 steps.
  WriteNano<nanovdb::Fp4>(nano, {ball});
  EXPECT_NEAR(FarthestApart(ReadVdb(nano, testing::Serially), expected, place), 0.2, 0.2);
  WriteNano<nanovdb::Fp8>(nano, {ball});
  EXPECT_LT(FarthestApart(ReadVdb(nano, testing::Serially), expected, place), 0.02);
  WriteNano<nanovdb::Fp16>(nano, {ball});
  EXPECT_LT(FarthestApart(ReadVdb(nano, testing::Serially), expected, place), 1e-4);
  WriteNano<nanovdb::FpN>(nano, {ball});
  EXPECT_LT(FarthestApart(ReadVdb(nano, testing::Serially), expected, place), 0.1);
  std::filesystem::remove(open);
  std::filesystem::remove(nano);
}

TEST(ReadVdb, WhatWasWrittenAsNanoVdbReadsBack) {
  const auto cells = testing::CellsOf(Torus{0.5, 0.2});
  const std::filesystem::path open = InTemp("ring.vdb"), nano = InTemp("ring.nvdb");
  const RasterReport to_open = Rasterize(cells, 0.02, 3, "torus", open);
  const RasterReport to_nano = Rasterize(cells, 0.02, 3, "torus", nano);
  EXPECT_EQ(to_open.active_voxels, to_nano.active_voxels);
  EXPECT_EQ(ReadVdb(open, testing::Serially).field->nodes,
            ReadVdb(nano, testing::Serially).field->nodes);
  std::filesystem::remove(open);
  std::filesystem::remove(nano);
}

TEST(ReadVdb, RefusesNanoVdbFilesThatAreNoLevelSet) {
  const std::filesystem::path path = InTemp("bad.nvdb");
  const FloatGrid::Ptr fog = Ball();
  openvdb::tools::sdfToFogVolume(*fog);
  fog->setName("smoke");
  WriteNano<float>(path, {fog});
  ExpectRefusal(path, "'smoke' (FOG of float)");
  WriteNano<float>(path, {Ball(), Ball()});
  ExpectRefusal(path, "one level set");
  const FloatGrid::Ptr stretched = Ball();
  stretched->transform().postScale(openvdb::Vec3d(1, 1, 2));
  WriteNano<float>(path, {stretched});
  ExpectRefusal(path, "no cubes along the axes");
  const FloatGrid::Ptr turned = Ball();
  turned->transform().postRotate(0.5, openvdb::math::Z_AXIS);
  WriteNano<float>(path, {turned});
  ExpectRefusal(path, "no cubes along the axes");
  WriteNano<float>(path, {Ball()}, nanovdb::ChecksumMode::Full);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (const double share : {0.0, 0.01, 0.1, 0.5, 0.9, 0.999}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    ExpectRefusal(path, "");
  }
  // With its checksum a damaged file is refused, wherever it is.
  for (std::size_t at = whole.size() / 3; at < whole.size(); at += 1 + whole.size() / 24) {
    std::string damaged = whole;
    for (std::size_t k = at; k < std::min(at + 4, whole.size()); ++k) damaged[k] = '\x7f';
    std::ofstream(path, std::ios::binary) << damaged;
    if (damaged != whole) ExpectRefusal(path, "");
  }
  std::filesystem::remove(path);
}

/** Writes a ball as a NanoVDB file without a checksum, once `damage` has changed its grid. */
template <class Damage>
void WriteDamaged(const std::filesystem::path& path, const Damage& damage) {
  std::vector<nanovdb::GridHandle<>> handles;
  handles.push_back(nanovdb::openToNanoVDB<nanovdb::HostBuffer, openvdb::FloatTree, float>(
      *Ball(), nanovdb::StatsMode::Default, nanovdb::ChecksumMode::Disable));
  damage(handles.front().grid<float>());
  nanovdb::io::writeGrids(path.string(), handles);
}

TEST(ReadVdb, RefusesNanoVdbGridsThatNoTreeCanBe) {
  const std::filesystem::path path = InTemp("no_tree.nvdb");
  WriteDamaged(path, [](nanovdb::FloatGrid* grid) {
    for (std::uint32_t n = 0; n < grid->tree().nodeCount(0); ++n) {
      const int far = 4096 * static_cast<int>(n);
      grid->tree().getFirstNode<0>()[n].data()->mBBoxMin = nanovdb::Coord(far, 0, 0);
    }
  });
  ExpectRefusal(path, "outside their nodes");
  for (const double scale : {0.0, std::nan(""), 1e300}) {
    WriteDamaged(path, [&](nanovdb::FloatGrid* grid) {
      for (double& of_scale : grid->data()->mMap.mMatD) of_scale = scale;
    });
    ExpectRefusal(path, "Write it anew");
  }
  std::filesystem::remove(path);
}

/** Threads of OpenVDB's that come and go for as long as this lives. */
class BusyThreads {
 public:
  BusyThreads()
      : thread_([this] {
          while (!done_) {
            tbb::parallel_for(0, 1000, [this](int) { count_.fetch_add(1); });
            std::this_thread::sleep_for(std::chrono::microseconds(count_ % 50));
          }
        }) {}
  ~BusyThreads() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::atomic<long> count_ = 0;
  std::thread thread_;
};

// A child process has none of its parent's threads: what asked them for help would wait for ever.
TEST(ReadVdb, TakesNoTimeBesideBusyThreads) {
  const std::filesystem::path open = InTemp("busy.vdb"), nano = InTemp("busy.nvdb");
  const std::filesystem::path damaged = InTemp("busy_damaged.vdb");
  Write(open, {Ball()});
  WriteNano<float>(nano, {Ball()}, nanovdb::ChecksumMode::Full);
  std::filesystem::copy_file(open, damaged, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(damaged, 9 * std::filesystem::file_size(open) / 10);
  const BusyThreads busy;
  for (int n = 0; n < 300; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    ReadVdb(open, testing::Serially);
    ReadVdb(nano, testing::Serially);
    ExpectRefusal(damaged, "not a whole OpenVDB file");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    ASSERT_LT(taken.count(), 20) << n;
  }
  for (const auto& path : {open, nano, damaged}) std::filesystem::remove(path);
}

}  // namespace
}  // namespace intervox::geometry
