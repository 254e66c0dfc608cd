// The Cuda executor, where there is a device: a thread's bits do not depend on what the other
// threads of its warp do. The machines that run PTX and SASS without a device give each thread a
// warp of its own, and cannot see it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/cuda/same_bits.h"

namespace intervox {
namespace {

// How many queries have other metrics than expected when they are asked in batches of a size.
int CountDifferent(const std::vector<PairQuery>& queries, std::size_t batch, const Engine& cuda,
                   const std::vector<InterferenceMetrics>& expected) {
  int different = 0;
  const std::span<const PairQuery> all(queries);
  for (std::size_t begin = 0; begin < all.size(); begin += batch) {
    const auto metrics = cuda.Compute(all.subspan(begin, std::min(batch, all.size() - begin)));
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      different += !testing::SameBits(metrics[k], expected[begin + k]);
    }
  }
  return different;
}

TEST(GpuWarps, GiveAPairTheSameBitsBesideAnyOthers) {
  std::unique_ptr<Engine> cuda;
  try {
    cuda = std::make_unique<Engine>(EngineOptions{Device::kCuda});
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  auto families = testing::AllFamilies();
  families.pop_back();  // the torus, of which one pair takes a second
  constexpr int kQueries = 12000, kOrders = 2;
  auto queries = testing::RandomQueries(families, kQueries);
  std::mt19937 random(1);
  for (const double tolerance : {1e-3, 1e-4, 1e-6}) {
    for (PairQuery& query : queries) query.tolerance = tolerance;
    for (int order = 0; order < kOrders; ++order) {
      std::shuffle(queries.begin(), queries.end(), random);
      const auto expected = Engine().Compute(queries);
      // The executor brings like pairs together; small batches leave unlike ones in a warp.
      for (const std::size_t batch : {std::size_t{64}, std::size_t{300}, queries.size()}) {
        EXPECT_EQ(CountDifferent(queries, batch, *cuda, expected), 0)
            << "tolerance " << tolerance << ", order " << order << ", batch " << batch;
      }
    }
  }
}

}  // namespace
}  // namespace intervox
