// The Cuda executor on devices that are several, small, old or broken: what a user is told, and
// what is left of the caller's own state.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device/batch.h"
#include "tests/cuda/families.h"
#include "tests/cuda/same_bits.h"
#include "tests/stand_in/machine.h"

namespace intervox {
namespace {

using stand_in::TheMachine;

class Executor : public ::testing::Test {
 protected:
  void SetUp() override { TheMachine() = {}; }
  void TearDown() override {
    TheMachine() = {};
    cudaSetDevice(0);
    cudaGetLastError();
  }

  static std::string MessageOf(const std::vector<PairQuery>& queries, int device = 0) {
    try {
      Engine({Device::kCuda, 1, device}).Compute(queries);
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
  static int SameAsSerial(const std::vector<PairQuery>& queries, int device) {
    const auto serial = Engine({Device::kSerial}).Compute(queries);
    const auto cuda = Engine({Device::kCuda, 1, device}).Compute(queries);
    int same = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) same += testing::SameBits(serial[i], cuda[i]);
    return same;
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
  const auto many = testing::RandomQueries(families_, 700);
  EXPECT_EQ(SameAsSerial(many, 0), 700);
  int most = 0, begun = 0;
  for (const auto& launch : TheMachine().launches) {
    most = std::max(most, launch.pairs);
    if (launch.kernel.find("Begin") != std::string::npos) begun += launch.pairs;
  }
  EXPECT_EQ(most, 256);  // 128 for each of two multiprocessors
  EXPECT_EQ(begun, 700);
}

// Every pair of balls, ellipsoids, cylinders … goes through the kernels, and none by the CPU.
TEST_F(Executor, GivesEveryPairToTheDevice) {
  EXPECT_EQ(SameAsSerial(queries_, 0), 98);
  int prepared = 0, polar = 0, column = 0;
  for (const auto& launch : TheMachine().launches) {
    if (launch.kernel.find("ReadyPair") != std::string::npos) prepared += launch.pairs;
    if (launch.kernel.find("AskPolar") != std::string::npos) polar += launch.pairs;
    if (launch.kernel.find("AskColumn") != std::string::npos) column += launch.pairs;
  }
  EXPECT_GT(prepared, 50);
  EXPECT_GT(polar, 20);
  EXPECT_GT(polar, column);
  EXPECT_GT(column, 0);
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
