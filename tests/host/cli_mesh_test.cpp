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
  const auto expect_read = [](const Outcome& read, const std::string& what) {
    if (read.text.find("use a program with OpenVDB") != std::string::npos) return;  // hollow parts
    EXPECT_EQ(read.status, 0) << what << ": " << read.text;
  };
  for (const std::string kind : {"stl", "obj", "glb"}) {
    expect_read(written("peg_drop.yaml", kind), kind);
  }
  for (const std::string scene :
       {"ball_in_groove.yaml", "battery_box.yaml", "peg_insertion.yaml", "tippe_top.yaml"}) {
    expect_read(written(scene, "stl"), scene);
  }
}

}  // namespace
}  // namespace intervox
