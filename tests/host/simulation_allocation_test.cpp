// The steady state allocates nothing, and steps cost little.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// Out of line, so that the compiler does not see a malloc behind one and a free behind the other.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace intervox {
namespace {

TEST(SimulationAllocationTest, StepsAllocateNothingOnceGrown) {
  Scene scene = scenes::MakeScene(scenes::Frictional(1e8, 0.5, 0.3));
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies = {scenes::Fixed("floor", "floor"),
                  scenes::Free("a", "box", 1, {0, 0, 0.051}, {0.3, 0, 0}, {0, 0, 2}),
                  scenes::Free("b", "box", 1, {0.02, 0, 0.152}, {0.1, 0, 0})};
  Simulation simulation(scene, {Device::kSerial, 1, 0});
  while (simulation.Time() < 0.3) simulation.Step();
  ASSERT_GT(simulation.Contacts().size(), 1U);
  const long before = allocations;
  while (simulation.Time() < 0.5) simulation.Step();
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace intervox
