// `intervox study`: its files, threads, the cheapest setting, a scene's own contacts.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli_call.h"
#include "host/results/column_file.h"

namespace intervox {
namespace {

bool Says(const Outcome& outcome, const std::string& word) {
  return outcome.text.find(word) != std::string::npos;
}

TEST(Cli, StudyOfPairs) {
  const fs::path folder = Folder("study_pairs");
  const std::string pairs =
      Write(folder / "pairs.yaml",
            "schema: intervox/pairs/1\n"
            "shapes:\n"
            "  ball: {sphere: {radius: 0.02}}\n"
            "  ground: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
            "pairs:\n"
            "  - {name: sunk, a: ball, b: ground, pose_a: {position: [0.001, 0, 0.016]}}\n"
            "  - {name: apart, a: ball, b: ground, pose_a: {position: [0, 0, 0.1]}}\n");
  const std::string out = (folder / "out").string();
  const Outcome outcome = Call("study " + pairs +
                               " --voxel-sizes 4e-3,2e-3 --leaf-rules clip,fraction "
                               "--threads 1,2 --force-error 1 --stiffness 1e6 -o " +
                               out);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(Says(outcome, "cheapest for a force error of 1 N")) << outcome.text;
  EXPECT_TRUE(Says(outcome, "is 0.01 m")) << outcome.text;  // (1/1e6)^(1/3)
  EXPECT_TRUE(Says(outcome, "left out, as they do not overlap: apart\n")) << outcome.text;
  const Outcome exact =
      Call("study " + pairs + " --leaf-rules auto,polytope --tolerances 1e-3,1e-6 -o " + out + "2");
  EXPECT_EQ(exact.status, 0) << exact.text;
  EXPECT_TRUE(Says(exact, "the rule polytope does not take: sunk")) << exact.text;
  const host::ColumnFile of_exact = host::ColumnFile::Read(out + "2/study.h5");
  EXPECT_EQ(of_exact.Values("tolerance"), (std::vector<double>{1e-3, 1e-6}));
  const Outcome sizeless = Call("study " + pairs + " -o " + out + "2");
  EXPECT_EQ(sizeless.status, 2);
  EXPECT_TRUE(Says(sizeless, "--voxel-sizes: is missing")) << sizeless.text;
  // The limit was printed as 0.000000, and 0 was not within it.
  const Outcome none = Call("study " + pairs + " --voxel-sizes 0 -o " + out);
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(Says(none, "1e-12")) << none.text;
  const Outcome one =
      Call("study " + pairs + " --voxel-sizes 4e-3 --leaf-rules clip -o " + out + "1");
  EXPECT_FALSE(Says(one, "nan")) << one.text;
  const host::ColumnFile file = host::ColumnFile::Read(out + "/study.h5");
  EXPECT_EQ(file.Attribute("schema"), "intervox/study/1");
  EXPECT_EQ(file.Attribute("pairs"), "sunk");
  EXPECT_EQ(file.Attribute("rules"), "clip\nfraction");
  const std::vector<double> sizes{4e-3, 4e-3, 4e-3, 4e-3, 2e-3, 2e-3, 2e-3, 2e-3};
  EXPECT_EQ(file.Values("voxel_size"), sizes);
  const std::vector<double> threads{1, 2, 1, 2, 1, 2, 1, 2}, rules{0, 0, 1, 1, 0, 0, 1, 1};
  EXPECT_EQ(file.Values("threads"), threads);
  EXPECT_EQ(file.Values("rule"), rules);
  EXPECT_EQ(file.Values("volume")[0], file.Values("volume")[1]);
  std::stringstream csv;
  csv << std::ifstream(out + "/study.csv").rdbuf();
  EXPECT_EQ(csv.str().substr(0, 48), "pair,rule,voxel_size,device,threads,queries,volu");
  EXPECT_EQ(file.Attribute("devices"), "cpu");
  EXPECT_TRUE(fs::exists(out + "/study.svg"));
  const Outcome half = Call("study " + pairs + " --voxel-sizes 4e-3 --force-error 1 -o " + out);
  EXPECT_EQ(half.status, 2);
  EXPECT_TRUE(Says(half, "it needs --stiffness")) << half.text;
  const Outcome nowhere = Call("study " + pairs + " --voxel-sizes 4e-3 -o /proc/none");
  EXPECT_EQ(nowhere.status, 2);  // before the work, whose table was printed first
  EXPECT_FALSE(Says(nowhere, "V error")) << nowhere.text;
  const std::string wall =
      Write(folder / "wall.yaml",
            "schema: intervox/pairs/1\n"
            "shapes:\n"
            "  wall: {lattice: {kind: gyroid, period: 0.01, thickness: 2e-3, size: [0.02, 0.02, "
            "0.02]}}\n"
            "  ground: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
            "pairs: [{name: rests, a: wall, b: ground}]\n");
  const Outcome thin = Call("study " + wall + " --voxel-sizes 2e-3 --leaf-rules clip -o " + out);
  EXPECT_EQ(thin.status, 2);
  EXPECT_TRUE(Says(thin, "wall.yaml:5: rests: the wall is thinner than two voxels")) << thin.text;
  const Outcome unknown = Call("study " + pairs + " --voxel-sizes 4e-3 --device cpu,gpu -o " + out);
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(Says(unknown, "unknown device 'gpu'. Write auto, cpu, cuda or cuda:0."))
      << unknown.text;
}

TEST(Cli, StudyHasRowsOfADeviceWhereThereIsOne) {
  const fs::path folder = Folder("study_device");
  const std::string out = (folder / "out").string();
  const Outcome outcome = Call("study " INTERVOX_DATA_DIR
                               "/examples/pairs.yaml --voxel-sizes 4e-3 --leaf-rules clip "
                               "--device cpu,cuda -o " +
                               out);
  if (outcome.status != 0) {  // there is none
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(Says(outcome, "--device: ")) << outcome.text;
    EXPECT_TRUE(Says(outcome, "Use --device cpu.")) << outcome.text;
    return;
  }
  const host::ColumnFile file = host::ColumnFile::Read(out + "/study.h5");
  EXPECT_EQ(file.Attribute("devices"), "cpu\ncuda:0");
  EXPECT_EQ(file.Values("device")[1], 1);
  EXPECT_EQ(file.Values("volume")[0], file.Values("volume")[1]);
}

TEST(Cli, StudyOfASceneTakesItsContacts) {
  const fs::path folder = Folder("study_scene");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out").string();
  const Outcome outcome =
      Call("study " + scene + " --voxel-sizes 1e-2 --leaf-rules clip --samples 60 -o " + out);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(Says(outcome, "in contact at 60 times")) << outcome.text;
  const host::ColumnFile file = host::ColumnFile::Read(out + "/study.h5");
  ASSERT_EQ(file.Values("queries").size(), 1u);
  EXPECT_GT(file.Values("queries")[0], 1);
}

}  // namespace
}  // namespace intervox
