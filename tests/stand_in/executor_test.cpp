// The Cuda executor on devices that are several, small, old or broken: what a user is told, and
// what is left of the caller's own state.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device/batch.h"
#include "cuda/device/cells.cuh"
#include "tests/cuda/families.h"
#include "tests/cuda/grid_queries.h"
#include "tests/cuda/same_bits.h"
#include "tests/stand_in/machine.h"

namespace intervox {
namespace {

using stand_in::TheMachine;
using testing::Random;

class Executor : public ::testing::Test {
 protected:
  void SetUp() override { TheMachine() = {}; }
  void TearDown() override {
    TheMachine() = {};
    cudaSetDevice(0);
    cudaGetLastError();
  }

  static std::string MessageOf(const std::vector<PairQuery>& queries, int device = 0,
                               int threads = 1) {
    try {
      Engine({Device::kCuda, threads, device}).Compute(queries);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  }
  static void ExpectIn(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
    }
  }
  static int SameAsSerial(const std::vector<PairQuery>& queries, int device, int threads = 1) {
    const auto serial = Engine({Device::kSerial}).Compute(queries);
    const auto cuda = Engine({Device::kCuda, threads, device}).Compute(queries);
    int same = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) same += testing::SameBits(serial[i], cuda[i]);
    return same;
  }

  // The pairs of each launch of a kernel, by a part of its name.
  static std::vector<int> LaunchesOf(const std::string& kernel) {
    std::vector<int> pairs;
    for (const auto& launch : TheMachine().launches) {
      if (launch.kernel.find(kernel) != std::string::npos) pairs.push_back(launch.pairs);
    }
    return pairs;
  }
  static int PairsOf(const std::string& kernel) {
    const std::vector<int> pairs = LaunchesOf(kernel);
    return std::accumulate(pairs.begin(), pairs.end(), 0);
  }

  std::vector<testing::Family> families_ = testing::AllFamilies();
  std::vector<PairQuery> queries_ = testing::RandomQueries(families_, 98);
};

TEST_F(Executor, KeepsDevicesApartAndTheCallersOwn) {
  cudaSetDevice(1);
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  EXPECT_EQ(SameAsSerial(queries_, 1), 98);
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 1);
  for (const int k : {0, 1}) {
    EXPECT_TRUE(std::any_of(TheMachine().launches.begin(), TheMachine().launches.end(),
                            [&](const auto& launch) { return launch.device == k; }));
  }
}

TEST_F(Executor, ServesSeveralThreadsAtOnce) {
  std::vector<int> same(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < same.size(); ++k) {
    threads.emplace_back([&, k] { same[k] = SameAsSerial(queries_, static_cast<int>(k % 2)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 98));
}

TEST_F(Executor, ReusesItsMemory) {
  SameAsSerial(queries_, 0);
  const std::size_t bytes = stand_in::BytesInUse(0);
  EXPECT_GT(bytes, 0U);
  for (int i = 0; i < 3; ++i) SameAsSerial(queries_, 0);
  EXPECT_EQ(stand_in::BytesInUse(0), bytes);
}

TEST_F(Executor, BoundsEveryLaunch) {
  const auto many = testing::RandomQueries(families_, 1100);
  EXPECT_EQ(SameAsSerial(many, 0), 1100);
  int most = 0;
  for (const auto& launch : TheMachine().launches) most = std::max(most, launch.pairs);
  EXPECT_EQ(most, 512);  // 256 for each of two multiprocessors
  EXPECT_EQ(PairsOf("Begin"), 1100);
}

// Three chunks, two of them at once: each pair is computed once, by one of the two.
TEST_F(Executor, HasTwoChunksUnderWay) {
  const auto many = testing::RandomQueries(families_, 1100);
  for (const int threads : {0, 2}) {
    TheMachine().launches.clear();
    EXPECT_EQ(SameAsSerial(many, 1, threads), 1100);
    for (const auto& launch : TheMachine().launches) EXPECT_EQ(launch.device, 1);
    EXPECT_EQ(PairsOf("Begin"), 1100);
  }
  // Where one fails, the call does, with its message, and the next call is served.
  TheMachine().kernel_to_refuse = "AskPolar";
  ExpectIn(MessageOf(many, 1, 2), {"cuda:1", "launching the kernel AskPolar"});
  TheMachine().kernel_to_refuse.clear();
  EXPECT_EQ(SameAsSerial(many, 1, 2), 1100);
}

// Boxes and balls in turn, one chunk of each: the first has no curved pairs, the second no planes.
TEST_F(Executor, BringsLikePairsTogether) {
  const testing::Cell box = testing::BoxCell({1, 1, 1});
  const testing::Cell other = testing::CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}})[0];
  std::vector<PairQuery> queries;
  for (int i = 0; i < 1024; ++i) {
    const testing::Cell* cell = i % 2 == 0 ? &box : &other;
    queries.push_back({cell, cell, {}, {Mat3::Identity(), {0.5, 0.25, 0.125}}});
  }
  EXPECT_EQ(SameAsSerial(queries, 0), 1024);
  EXPECT_EQ(LaunchesOf("TakePlanes").size(), 1U);
  EXPECT_EQ(LaunchesOf("ReadyPair").size(), 1U);
}

// Each query with cells of its own, so that the table of cells grows.
TEST_F(Executor, TakesManyCells) {
  std::vector<testing::Cell> cells;
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    cells.push_back(testing::BoxCell({random.Uniform(0.5, 1), random.Uniform(0.5, 1), 1}));
  }
  std::vector<PairQuery> queries;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    queries.push_back({&cells[i], &cells[(7 * i + 1) % cells.size()], random.RandomPose(0.3),
                       random.RandomPose(0.3)});
  }
  EXPECT_EQ(SameAsSerial(queries, 0), 1000);
}

// Every pair of balls, ellipsoids, cylinders … goes through the kernels; the few for which one
// takes long are left to the host, unless they ask for that rule.
TEST_F(Executor, LeavesAFewLongPairsToTheHost) {
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  EXPECT_GT(PairsOf("ReadyPair"), 50);
  EXPECT_GT(PairsOf("AskPolar"), 20);
  EXPECT_EQ(PairsOf("AskColumn"), 0);
  for (std::size_t i = 0; i < 50; ++i) queries_[i].rule = LeafRule::kColumn;
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  EXPECT_GT(PairsOf("AskColumn"), 40);  // some are apart
}

TEST_F(Executor, TakesManyLongPairs) {
  std::vector<PairQuery> some, queries;
  for (const PairQuery& query : testing::RandomQueries(families_, 700)) {
    if (ComputeMetrics(query).rule == LeafRule::kColumn) some.push_back(query);
  }
  ASSERT_FALSE(some.empty());
  for (std::size_t i = 0; i < 120; ++i) queries.push_back(some[i % some.size()]);
  EXPECT_EQ(SameAsSerial(queries, 0), 120);
  EXPECT_EQ(PairsOf("AskColumn"), 120);
}

// Levels of pairs with grids are summed on the device, however few of their lanes fit at once.
TEST_F(Executor, SumsGridsOnTheDevice) {
  const testing::GridCells cells;
  const auto queries = testing::GridQueries(cells, 150);
  EXPECT_EQ(SameAsSerial(queries, 0), 150);
  const std::vector<int> launches = LaunchesOf("SumGridLanes");
  ASSERT_GT(launches.size(), 4U);
  EXPECT_LE(*std::max_element(launches.begin(), launches.end()), 512);
  // Room for the fields, the stacks and a few tiles at once.
  TheMachine().launches.clear();
  TheMachine().devices.resize(6);  // one of which the process has asked nothing yet
  TheMachine().devices[5].memory = std::size_t{36} << 20;
  EXPECT_EQ(SameAsSerial(queries, 5), 150);
  const std::vector<int> small = LaunchesOf("SumGridLanes");
  EXPECT_GT(small.size(), launches.size());
  EXPECT_EQ(TheMachine().launches.size(), small.size());
}

// Callers that meet at new fields, on two devices, each with threads of its own.
TEST_F(Executor, ServesSeveralThreadsWithGrids) {
  const testing::GridCells cells;
  const auto queries = testing::GridQueries(cells, 80);
  std::vector<int> same(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < same.size(); ++k) {
    const auto device = static_cast<int>(k % 2);
    threads.emplace_back([&, k, device] { same[k] = SameAsSerial(queries, device, 2); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 80));
  EXPECT_GT(PairsOf("SumGridLanes"), 0);
}

// A few lanes are left to the host: those of blocks, of which one has eight at most.
TEST_F(Executor, LeavesFewLanesOfGridsToTheHost) {
  const testing::GridCells cells;
  const auto of_blocks = [&](std::size_t count) {
    std::vector<PairQuery> queries;
    for (std::size_t i = 0; i < count; ++i) {
      const testing::Cell& block = cells.blocks[i % cells.blocks.size()];
      const Vec3 p{0.5 + 0.01 * static_cast<double>(i), 0.25, 0.125};
      queries.push_back({&block, &block, {}, {Mat3::Identity(), p}});
      queries.back().rule = LeafRule::kClip;
    }
    return queries;
  };
  EXPECT_EQ(SameAsSerial(of_blocks(12), 0), 12);
  EXPECT_EQ(PairsOf("SumGridLanes"), 0);
  EXPECT_EQ(SameAsSerial(of_blocks(64), 0), 64);
  EXPECT_GT(PairsOf("SumGridLanes"), 0);
}

// A field is copied once, stays while its owner lives, and then makes room for the next.
TEST_F(Executor, KeepsTheFieldsOfGrids) {
  const auto compute = [](const testing::GridCells& cells) {
    EXPECT_EQ(SameAsSerial(testing::GridQueries(cells, 60), 1), 60);
    return stand_in::BytesInUse(1);
  };
  std::size_t first = 0;
  {
    const testing::GridCells cells;
    compute(cells);
    first = compute(cells);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(compute(cells), first);
  }
  for (int i = 0; i < 3; ++i) {
    const testing::GridCells cells;  // the same, but not the same objects
    EXPECT_EQ(compute(cells), first);
  }
}

TEST_F(Executor, SaysWhatToDoWithoutMemoryForGrids) {
  const testing::GridCells cells;
  const auto queries = testing::GridQueries(cells, 60);
  TheMachine().devices.resize(8);  // two of which the process has asked nothing yet
  const auto& device = TheMachine().devices[6];
  const std::size_t stacks =
      device.stack * static_cast<std::size_t>(device.threads_of_multiprocessor * 2);
  TheMachine().devices[6].memory = stacks;
  ExpectIn(MessageOf(queries, 6), {"cuda:6", "allocating", "Free memory on the device",
                                   "use the devices serial or threads"});
  // Enough for the fields, but not for a block's tiles.
  TheMachine().devices[7].memory = stacks + (std::size_t{2} << 20);
  ExpectIn(MessageOf(queries, 7),
           {"cuda:7", "too little for 64 lanes of grids", "Free memory on the device"});
  TheMachine().kernel_to_refuse = "SumGridLanes";
  ExpectIn(MessageOf(queries), {"cuda:0", "launching the kernel SumGridLanes over", "lanes"});
  TheMachine().kernel_to_refuse.clear();
  EXPECT_EQ(SameAsSerial(queries, 0), 60);
}

TEST_F(Executor, NumbersEachCellOnce) {
  std::vector<testing::Cell> cells(1000, testing::BoxCell({1, 1, 1}));
  cells[500] = families_[0].cell;
  cuda::DeviceCells numbers;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_EQ(numbers.NumberOf(cells[i]), static_cast<std::int32_t>(i));
    }
  }
  EXPECT_EQ(numbers.KindOf(0), numbers.KindOf(999));
  EXPECT_NE(numbers.KindOf(0), numbers.KindOf(500));
}

TEST_F(Executor, LaunchesARuleForItsOwnPairsOnly) {
  const testing::Cell box = testing::BoxCell({1, 1, 1});
  const std::vector<PairQuery> boxes(10, {&box, &box, {}, {Mat3::Identity(), {0.5, 0.25, 0.125}}});
  EXPECT_EQ(SameAsSerial(boxes, 0), 10);
  ASSERT_EQ(TheMachine().launches.size(), 2U);
  EXPECT_NE(TheMachine().launches[1].kernel.find("TakePlanes"), std::string::npos);
}

TEST_F(Executor, TakesFewerPairsWhereMemoryIsShort) {
  // Room for the stacks and for about 100 pairs: a half of what is free is theirs.
  const auto& device = TheMachine().devices[0];
  const std::size_t stacks = TheMachine().stack_of_kernels *
                             static_cast<std::size_t>(device.threads_of_multiprocessor * 2);
  TheMachine().devices[0].memory =
      stand_in::BytesInUse(0) + stacks + 200 * cuda::kBytesOfPair + (std::size_t{4} << 20);
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
}

// What one of two chunks holds from earlier calls is not room for the other.
TEST_F(Executor, HasTwoChunksUnderWayInAnyMemory) {
  families_.pop_back();  // the torus, which takes longest
  const auto many = testing::RandomQueries(families_, 1100);
  for (const std::size_t mebibytes : {30, 40}) {
    for (std::size_t less = 1; less <= 3; ++less) {
      TheMachine().devices[1].memory = stand_in::BytesInUse(1) + (mebibytes << 20) / less;
      EXPECT_EQ(SameAsSerial(many, 1, 2), 1100) << mebibytes << " MiB over " << less;
    }
  }
}

TEST_F(Executor, SaysWhatToDoWithoutMemory) {
  // Devices of which the process has asked nothing yet.
  TheMachine().devices.resize(4);
  TheMachine().devices[2].memory = std::size_t{5} << 20;
  ExpectIn(MessageOf(queries_, 2), {"cuda:2", "MiB of memory are free", "Free memory on the device",
                                    "use the devices serial or threads"});
  // Enough for the pairs, but not for the stacks of a kernel.
  TheMachine().devices[3].memory = std::size_t{100} << 20;
  TheMachine().stack_of_kernels = 64 << 10;
  ExpectIn(MessageOf(queries_, 3),
           {"cuda:3", "the kernel Begin needs", "MiB for stacks", "Free memory on the device"});
}

TEST_F(Executor, NamesCodeThatIsNotThere) {
  TheMachine().devices[1].has_code = false;
  TheMachine().devices[1].major = 7;
  TheMachine().devices[1].minor = 5;
  ExpectIn(MessageOf(queries_, 1), {"cuda:1", "7.5", "-DCMAKE_CUDA_ARCHITECTURES=75", "serial"});
  ExpectIn(MessageOf(queries_, 2), {"cuda:2 is not there", "2 CUDA device(s)"});
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Executor, LeavesTheCallersErrorToTheCaller) {
  TheMachine().devices.resize(5);  // one of which the process has asked nothing yet
  cudaMalloc(nullptr, std::size_t{1} << 60);
  EXPECT_EQ(SameAsSerial(queries_, 4), 98);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(Executor, NamesTheKernelThatFails) {
  TheMachine().kernel_to_refuse = "AskPolar";
  ExpectIn(MessageOf(queries_), {"cuda:0", "launching the kernel AskPolar", "pairs"});
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  TheMachine().kernel_to_refuse.clear();
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  TheMachine().kernel_to_break = "AskSlice";
  ExpectIn(MessageOf(queries_), {"cuda:0", "running the kernel AskSlice", "illegal memory"});
  // The other device works on.
  TheMachine().kernel_to_break.clear();
  EXPECT_EQ(SameAsSerial(queries_, 1), 98);
}

}  // namespace
}  // namespace intervox
