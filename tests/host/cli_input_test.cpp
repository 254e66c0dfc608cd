// Bad input to the executable: exit status and message, never a crash.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"

namespace intervox {
namespace {

TEST(Cli, HelpVersionAndUsage) {
  EXPECT_EQ(Call("--help").status, 0);
  EXPECT_EQ(Call("--version").status, 0);
  EXPECT_EQ(Call("metrics --help").status, 0);
  EXPECT_EQ(Call("").status, 2);
  EXPECT_EQ(Call("metrix").status, 2);
  EXPECT_EQ(Call("metrics").status, 2);
  EXPECT_EQ(Call("metrics x.yaml --tolerance 2").status, 2);
  EXPECT_EQ(Call("metrics x.yaml --tolerance 1e-3 --voxel-size 1").status, 2);
  EXPECT_EQ(Call("metrics x.yaml --leaf-rule best").status, 2);
}

TEST(Cli, BadInputSaysWhereAndExitsWithTwo) {
  const fs::path folder = Folder("bad");
  const std::string scene = Write(folder / "scene.yaml", "schema: intervox/scene/1\nbodys: {}\n");
  const Outcome outcome = Call("run " + scene);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.text.find("scene.yaml:2: bodys"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("'bodies'"), std::string::npos) << outcome.text;
  EXPECT_EQ(Call("run /nowhere.yaml").status, 2);
  EXPECT_EQ(Call("metrics " + folder.string()).status, 2);
  EXPECT_EQ(Call("info /nowhere.h5").status, 2);
  EXPECT_EQ(Call("export " + scene).status, 2);
  const std::string good = Write(folder / "good.yaml", kScene);
  EXPECT_EQ(Call("run " + good + " -o /nowhere/out.h5").status, 2);
  EXPECT_EQ(Call("run " + good + " -o " + folder.string() + "/o.h5 --device warp").status, 2);
  EXPECT_EQ(Call("run " + good + " -o " + folder.string() + "/o.h5 --set duration=x").status, 2);
  EXPECT_FALSE(fs::exists(folder / "o.h5"));
}

// `validate` makes a scene ready as `run` does, and leaves nothing behind.
TEST(Cli, ValidateSaysWhatASceneHoldsOrWhereItIsWrong) {
  const fs::path folder = Folder("validate");
  const std::string good = Write(folder / "good.yaml", kScene);
  const Outcome valid = Call("validate " + good);
  EXPECT_EQ(valid.status, 0);
  EXPECT_EQ(valid.text, good + ": valid: 2 bodies, 1 free; 2 cells; 1 kinds of contact\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  const std::string hole =
      "{difference: [{box: {size: [1, 1, 1]}}, {cylinder: {radius: 0.2, height: 2}}]}";
  EXPECT_NE(Call("validate " + good + " --set 'shapes.ball=" + hole + "'").text.find("; 5 cells"),
            std::string::npos);
  const Outcome unknown = Call("validate " + good + " --set bodies.ball.shape=bal");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.text.find("bodies.ball.shape"), std::string::npos) << unknown.text;
  // What only making the world finds: the solid is empty.
  const std::string empty = "{difference: [{sphere: {radius: 1}}, {box: {size: [3, 3, 3]}}]}";
  const Outcome nothing = Call("validate " + good + " --set 'shapes.ball=" + empty + "'");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_NE(nothing.text.find("empty"), std::string::npos) << nothing.text;
  EXPECT_EQ(Call("validate /nowhere.yaml").status, 2);
}

// Each with its exit status and a word of the message; none may crash or hang.
TEST(Cli, BadFilesFoldersAndOptions) {
  const fs::path folder = Folder("bad_files");
  const std::string at = folder.string() + "/";
  Write(folder / "good.yaml", kScene);
  Write(folder / "empty.yaml", "");
  Write(folder / "binary.yaml", std::string("\x89HDF\r\n\x1a\n\0\0\xff\xfe", 12));
  fs::create_directories(folder / "folder");
  fs::create_directories(folder / "taken.checkpoint");
  const std::string run = "run -q " + at + "good.yaml -o " + at;
  const struct {
    std::string arguments, word;
  } calls[] = {
      {"run " + at + "empty.yaml", "empty"},
      {"run " + at + "binary.yaml", "not a text file"},
      {"run " + at + "folder", "not a regular file"},
      {run + "folder", "this is a folder"},
      {run + "taken.h5", "this is a folder"},
      {run + "taken.h5 --resume", "this is a folder"},
      {run + "good.yaml", "overwrite this input"},
      {run + "o.checkpoint", "the checkpoint's name"},
      {run + "../../../../dev/null", "not a regular file"},
      {"rasterize " + at + "good.yaml --shape ball -o " + at + "good.yaml", "overwrite this input"},
      {run + "o.h5 --set duration=", "no value"},
      {run + "o.h5 --set duration=.nan", "not finite"},
      {run + "o.h5 --set duration", "path=value"},
      {run + "o.h5 --set bodies.ball.mas=1", "'mass'"},
      {run + "o.h5 --set integrator.step=-1", "from 1e-12"},
      {run + "o.h5 --device cuda:x", "--device"},
      {run + "o.h5 --threads -1", "--threads"},
      {"metrics " + at + "good.yaml --tolerance 0", "from 1e-09 to 0.1"},
      {"metrics " + at + "good.yaml --tolerance nan", "from 1e-09 to 0.1"},
      {"metrics " + at + "good.yaml --voxel-size -1", "out of range"},
      {"metrics " + at + "good.yaml --shape cube", "no shape is named"},
      {"info " + at + "binary.yaml", "damaged"},
      {"info " + at + "folder", "the folder has no file of triangles, one of .stl"},
      {"info /dev/zero", "not a regular file"},
      {"export " + at + "binary.yaml", "damaged"},
      {"render " + at + "binary.yaml", "damaged"},
      {"render " + at + "nowhere.h5", "no such file"},
      {"rasterize " + at + "good.yaml --shape ball --voxel-size 1e-5", "below 15 µm"},
      {"rasterize " + at + "good.yaml --shape ball --voxel-size 0", "out of range"},
      {"rasterize " + at + "good.yaml --shape ball -o /nowhere/o.vdb", "does not exist"},
      {"rasterize " + at + "good.yaml --shape ball -o ball.ncdb", "unknown extension"},
  };
  for (const auto& [arguments, word] : calls) {
    const Outcome outcome = Call(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << ": " << outcome.text;
    if (outcome.text.find("built without OpenVDB") != std::string::npos) continue;
    EXPECT_NE(outcome.text.find(word), std::string::npos) << arguments << ": " << outcome.text;
    EXPECT_LT(outcome.text.size(), 400U) << arguments;
  }
  EXPECT_FALSE(fs::exists(folder / "o.h5"));
}

// A limit on files' sizes ends the writing as a full disk does, in the midst of a run.
// Who names a part alone has written no YAML: the message starts with the part's file.
TEST(Cli, InfoOfAnEmptySolidNamesFileAndShape) {
  const std::string path = Write(Folder("empty_solid") / "empty.yaml",
                                 "schema: intervox/pairs/1\nshapes:\n  s: {difference: [{sphere: "
                                 "{radius: 1}}, {sphere: {radius: 2}}]}\n");
  const Outcome empty = Call("info " + path);
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.text.find(path + ": shapes.s: shape 's': the solid is empty. Check"),
            std::string::npos)
      << empty.text;
}

TEST(Cli, InfoOfAPartNamesTheFileAndNoLineOfAScene) {
  const std::string sheet = (Folder("info_part") / "sheet.obj").string();
  Write(sheet, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const Outcome outcome = Call("info " + sheet);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.text.rfind("intervox: " + sheet + ": ", 0), 0U) << outcome.text;
  EXPECT_NE(outcome.text.find("open edges"), std::string::npos) << outcome.text;
  EXPECT_EQ(outcome.text.find("shapes."), std::string::npos) << outcome.text;
}

TEST(Cli, AFullDiskLeavesWhatWasWrittenReadable) {
  const fs::path folder = Folder("full");
  std::string text = kScene;
  // A second of computing or so, of which each quarter ends with a checkpoint.
  text.replace(text.find("step: 1e-3"), 10, "step: 2e-6");
  text.replace(text.find("every: 2e-3"), 11, "every: 2e-5");
  const std::string scene = Write(folder / "scene.yaml", text);
  const std::string out = (folder / "out.h5").string();
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  const std::string limit = std::to_string(fs::file_size(whole) / 640);  // in half KiB: 80 %
  const Outcome outcome = Call("run " + scene + " -o " + out, true, "ulimit -f " + limit + "; ");
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("out.h5: results: the disk is full"), std::string::npos)
      << outcome.text;
  EXPECT_NE(outcome.text.find("Make room, then go on with --resume"), std::string::npos);
  const host::ColumnFile all = host::ColumnFile::Read(whole);
  {
    const host::ColumnFile so_far = host::ColumnFile::Read(out);
    const std::size_t samples = so_far.Values("time").size();
    EXPECT_GT(samples, 2000u);
    EXPECT_LT(samples, 15001u);
    for (const std::string name : {"time", "bodies/ball/position", "energy/balance"}) {
      std::vector<double> expected = all.Values(name);
      expected.resize(samples * (name == "bodies/ball/position" ? 3 : 1));
      EXPECT_EQ(so_far.Values(name), expected) << name;
    }
  }
  // With more room it goes on from the last checkpoint.
  EXPECT_EQ(Call("run -q --resume " + scene + " -o " + out).status, 0);
  EXPECT_EQ(host::ColumnFile::Read(out).Values("energy/balance"), all.Values("energy/balance"));

  const std::string at = folder.string() + "/";
  for (const std::string& arguments :
       {"export " + whole + " -o " + at + "csv",
        "export " + whole + " --frames at=0 --vtk " + at + "vtk",
        "mesh " + scene + " --shape ball --deviation 1e-5 -o " + at + "ball.stl",
        "render " + whole + " -o " + at + "pictures --frames at=0 --size 600x400",
        "rasterize " + scene + " --shape ball -o " + at + "ball.vdb"}) {
    const Outcome cut = Call(arguments, true, "ulimit -f 16; ");
    EXPECT_TRUE(cut.status == 1 || cut.status == 2) << arguments << ": " << cut.text;
    if (arguments.starts_with("rasterize") && cut.status == 2) continue;  // without OpenVDB
    EXPECT_NE(cut.text.find("annot"), std::string::npos) << cut.text;
    EXPECT_NE(cut.text.find(at), std::string::npos) << "its file: " << cut.text;
    EXPECT_NE(cut.text.find("writable"), std::string::npos) << cut.text;
  }
  // What could not be written is not there by half.
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    EXPECT_FALSE(name.ends_with(".new") || name.ends_with(".png") || name.ends_with(".stl"))
        << name;
    EXPECT_TRUE(!name.ends_with(".csv") || TextOf(entry.path()).ends_with("\n")) << name;
  }
  EXPECT_EQ(Call("metrics " + kData + "/examples/pairs.yaml > /dev/full").status, 1);
}

// Tables of an HDF5 file carry checksums: whatever bytes are wrong, a message and no crash.
TEST(Cli, CorruptResultsAreRefusedOrRead) {
  const fs::path folder = Folder("corrupt");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string(), bad = (folder / "bad.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out + " --set duration=0.02").status, 0);
  std::ostringstream whole;
  whole << std::ifstream(out, std::ios::binary).rdbuf();
  std::vector<std::size_t> used;  // most of the file is empty room
  for (std::size_t i = 0; i < whole.view().size(); ++i) {
    if (whole.view()[i] != 0) used.push_back(i);
  }
  std::mt19937_64 random(3);
  int refused = 0;
  for (int k = 0; k < 40; ++k) {
    std::string bytes = whole.str();
    for (int flips = k % 4 == 0 ? 1 : 16; flips > 0; --flips) {
      bytes[used[random() % used.size()]] = static_cast<char>(random());
    }
    if (k % 5 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(bad, std::ios::binary) << bytes;
    const Outcome outcome = Call((k % 2 == 0 ? "info " : "export -o " + bad + ".csv ") + bad);
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 2)
        << k << ": " << outcome.status << " " << outcome.text;
    refused += outcome.status == 2 ? 1 : 0;
  }
  EXPECT_GE(refused, 36);  // some bytes are in room that is kept free
}

// An option takes what stands behind it and no file that follows.
TEST(Cli, OptionsMayStandBeforeFiles) {
  for (const char* call :
       {"run --set duration=1", "batch --set duration=1", "validate --set duration=1",
        "settle --set duration=1", "render --camera zoom=2", "render --cut a:0,0,1,0",
        "render --translucent a=0.5", "report --over a --over b", "study --voxel-sizes 0.1,0.2",
        "study --voxel-sizes 0.1 --leaf-rules clip", "study --voxel-sizes 0.1 --threads 1",
        "study --voxel-sizes 0.1 --device cpu",
        "insertion-force --body a --depth 1 --along 0,0,-1"}) {
    const Outcome outcome = Call(std::string(call) + " no_such_file");
    EXPECT_EQ(outcome.status, 2) << call;
    EXPECT_NE(outcome.text.find("intervox: no_such_file: "), std::string::npos)
        << call << ": " << outcome.text;
  }
}

TEST(Cli, SaysWhatThereIsToChooseFrom) {
  const fs::path folder = Folder("choose");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string inline_only =
      Write(folder / "inline.yaml",
            "schema: intervox/pairs/1\npairs:\n  - {a: {box: {size: [1, "
            "1, 1]}}, b: {sphere: {radius: 0.5}}}\n");
  const std::string out = (folder / "out.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out).status, 0);
  for (const auto& [call, words] :
       {std::pair{"mesh " + inline_only + " -o " + (folder / "x.stl").string(),
                  "no shape has a name there"},
        {"render " + out + " --frames at=0.1,9", "Give times from 0 to 0.3 s."},
        {"render " + out + " --frames at=-1", "Give times from 0 to 0.3 s."},
        {"insertion-force " + scene + " --body bal --along 0,0,-1 --depth 0.1",
         "Did you mean 'ball'?"}}) {
    const Outcome outcome = Call(call);
    EXPECT_EQ(outcome.status, 2) << call;
    EXPECT_NE(outcome.text.find(words), std::string::npos) << call << ": " << outcome.text;
  }
}

}  // namespace
}  // namespace intervox
