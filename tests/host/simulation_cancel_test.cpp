// A step that is given up: the state stays what it was, whenever that happens.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/host/pile_of_boxes.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;

/** Boxes that tumble on a floor, far from each other. */
std::string Tumbling(int boxes, const std::string& step) {
  std::string text =
      "duration: 1000\nintegrator: {step: " + step +
      "}\nshapes:\n  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
      "  box: {box: {size: [0.1, 0.1, 0.1]}}\n"
      "contact_models: {default: {normal: {model: gonthier, stiffness: 1e8, restitution: 0.9}, "
      "friction: {model: bristle}}}\n"
      "bodies:\n  floor: {shape: floor, fixed: true}\n";
  for (int b = 0; b < boxes; ++b) {
    const std::string k = std::to_string(b);
    text += "  box" + k + ": {shape: box, mass: 1, pose: {position: [" + k +
            ", 0, 0.12], rpy_deg: [20, 10, " + k + "]}}\n";
  }
  return text;
}

/** Gives up at the n-th question. */
struct AtQuestion {
  int left;
  bool operator()() { return left-- == 0; }
};

TEST(SimulationCancel, AStepGivenUpAnywhereLeavesTheStateAndItsFuture) {
  Simulation simulation = FromText(Tumbling(2, "5e-3"));
  for (int k = 0; k < 20; ++k) simulation.Step();
  Simulation undisturbed = simulation.Clone();
  const std::vector<unsigned char> before = simulation.Save();
  const SimulationCounters counters = simulation.Counters();
  int given_up = 0;
  for (int question = 0;; ++question) {
    if (simulation.Step(AtQuestion{question})) break;
    ++given_up;
    ASSERT_EQ(simulation.Save(), before) << "given up at question " << question;
    ASSERT_EQ(simulation.Counters().stages, counters.stages) << "given up at question " << question;
  }
  EXPECT_GT(given_up, 3);
  undisturbed.Step();
  EXPECT_EQ(simulation.Counters().stages, undisturbed.Counters().stages);
  for (int k = 0; k < 20; ++k) {
    simulation.Step();
    undisturbed.Step();
  }
  for (std::size_t b = 0; b < simulation.State().size(); ++b) {
    EXPECT_EQ(Norm(simulation.State()[b].X_WB.p - undisturbed.State()[b].X_WB.p), 0.0);
    EXPECT_EQ(Norm(simulation.State()[b].w_WB - undisturbed.State()[b].w_WB), 0.0);
  }
}

TEST(SimulationCancel, AFirstStepGivenUpLeavesASimulationAtItsStart) {
  Simulation simulation = FromText(Tumbling(1, "1e-3"));
  EXPECT_FALSE(simulation.Step([] { return true; }));
  EXPECT_TRUE(simulation.AtStart());
  EXPECT_EQ(simulation.Time(), 0.0);
  EXPECT_TRUE(simulation.Step([] { return false; }));
  EXPECT_FALSE(simulation.AtStart());
}

TEST(SimulationCancel, ThreadsAllGiveUpAndOnlyTheCallerIsAsked) {
  Simulation simulation(host::ParseScene(PileOfBoxes(50), "pile.yaml", {}),
                        EngineOptions{Device::kThreads, 2});
  const std::vector<unsigned char> before = simulation.Save();
  std::set<std::thread::id> asked;
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
  EXPECT_FALSE(simulation.Step([&] {
    asked.insert(std::this_thread::get_id());
    return passed() > std::chrono::milliseconds(100);
  }));
  EXPECT_LT(passed(), std::chrono::seconds(5));
  EXPECT_EQ(asked, std::set<std::thread::id>{std::this_thread::get_id()});
  EXPECT_EQ(simulation.Save(), before);
}

}  // namespace
}  // namespace intervox
