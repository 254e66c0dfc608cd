// What the guard on energy notes of each body.
#include "host/simulation/energy_guard.h"

#include <gtest/gtest.h>

#include "host/simulation/group.h"

namespace intervox::host {
namespace {

/** Bodies whose energies a substep changes [J], and what it gained [J]. */
BodyGroup After(const std::vector<double>& changes, double gain) {
  BodyGroup group;
  group.state.resize(changes.size());
  for (std::size_t f = 0; f < changes.size(); ++f) group.free.push_back(static_cast<int>(f));
  StageScratch scratch{*integrators::FindTableau("ark3")};
  scratch.a.resize(kQuadratures);
  scratch.energy_changes = changes;
  EnergyCheck check;
  check.resolved = check.by_stages = true;
  check.gain = gain;
  AddToLedger(check, scratch, &group);
  return group;
}

// A heavy body is pressed into a floor while a light one flies beside it. Once on its own, the
// light one had gained more than it may.
TEST(EnergyAccounts, GainsAreNoneOfBodiesInFlight) {
  const double flies = 3e-15;
  for (const std::vector<double>& changes :
       {std::vector{-150.0, flies}, std::vector{150.0, flies}, std::vector{-150.0, -flies}}) {
    const BodyGroup group = After(changes, 1.3);
    EXPECT_DOUBLE_EQ(group.state[0].account.passed, 150.0);
    EXPECT_NEAR(group.state[0].account.gained, 1.3, 1e-12);
    EXPECT_LT(group.state[1].account.gained, 1e-12);
  }
}

TEST(EnergyAccounts, BodiesShareGainsAsEnergyGoesThroughThem) {
  const BodyGroup group = After({-30.0, 10.0}, 2.0);
  EXPECT_DOUBLE_EQ(group.state[0].account.gained, 1.5);
  EXPECT_DOUBLE_EQ(group.state[1].account.gained, 0.5);
}

}  // namespace
}  // namespace intervox::host
