// `intervox mesh`: what it writes of the shipped scenes is read back as closed parts.
#include <gtest/gtest.h>

#include "cli_call.h"

namespace intervox {
namespace {

// Where surfaces nearly touch vertices fell together, and degenerate and double triangles were
// written, of single precision more of them.
TEST(Cli, MeshesOfScenesAreReadBack) {
  const fs::path folder = Folder("mesh");
  const auto written = [&](const std::string& scene, const std::string& kind) {
    const std::string out = (folder / ("scene." + kind)).string();
    const Outcome outcome = Call("mesh " + kData + "/scenes/" + scene + " -o " + out);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    return Call("info " + out);
  };
  for (const std::string kind : {"stl", "obj", "glb"}) {
    const Outcome read = written("battery_box.yaml", kind);
    EXPECT_EQ(read.status, 0) << kind << ": " << read.text;
  }
  for (const std::string scene :
       {"ball_in_groove.yaml", "peg_drop.yaml", "peg_insertion.yaml", "tippe_top.yaml"}) {
    const Outcome read = written(scene, "stl");
    EXPECT_EQ(read.status, 0) << scene << ": " << read.text;
  }
}

}  // namespace
}  // namespace intervox
