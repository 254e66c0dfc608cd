// `intervox mesh`: what it writes of the shipped scenes is read back as closed parts.
#include <gtest/gtest.h>

#include "cli_call.h"
#include "host/scene/text.h"

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

// A block of a few centimetres at 1e5 m lost a quarter of its volume in a .stl, and the command
// printed a difference of 1e-16.
TEST(Cli, MeshSaysWhatSinglePrecisionLoses) {
  const fs::path folder = Folder("mesh_single");
  for (const double size : {0.01, 1.0, 100.0}) {
    for (const double away : {0.0, 10.0, 1e3, 1e6}) {
      const std::string s = host::Text(size), x = host::Text(away * size);
      const std::string file = Write(
          folder / "far.yaml", "schema: intervox/pairs/1\nshapes:\n  a: {box: {size: [" + s + ", " +
                                   s + ", " + s + "]}, pose: {position: [" + x + ", 0, 0]}}\n");
      for (const std::string kind : {"stl", "obj", "glb"}) {
        const std::string out = (folder / ("far." + kind)).string();
        const Outcome outcome = Call("mesh " + file + " -o " + out);
        EXPECT_EQ(outcome.status, 0);
        EXPECT_EQ(outcome.text.find("far." + kind + ": a: it lies so far") != std::string::npos,
                  kind == "stl" && away >= 1e3)
            << outcome.text;
      }
      // Corners are printed to a millionth of the extent along their axis, wherever they are.
      const std::string slim =
          Write(folder / "slim.yaml",
                "schema: intervox/pairs/1\nshapes: {a: {box: {size: [1e-6, 1e-9, 1e4]}}}\n");
      EXPECT_NE(Call("info " + slim).text.find("[-5e-07, -5e-10, -5000] to [5e-07, 5e-10, 5000]"),
                std::string::npos)
          << Call("info " + slim).text;
      if (size != 1.0 || away != 1e6) continue;
      EXPECT_NE(Call("info " + file).text.find("within [999999.5, -0.5, -0.5] to [1000000.5, 0.5"),
                std::string::npos)
          << Call("info " + file).text;
    }
  }
}

}  // namespace
}  // namespace intervox
