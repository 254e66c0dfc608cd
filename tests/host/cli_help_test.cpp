// What the command line says of itself, and of words and files that it does not take.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli_call.h"

namespace intervox {
namespace {

bool Says(const Outcome& outcome, const std::string& word) {
  return outcome.text.find(word) != std::string::npos;
}

const std::vector<std::string>& Commands() {
  static const std::vector<std::string> commands = {
      "run",    "validate", "metrics", "info",       "export",   "rasterize",
      "render", "help",     "version", "completion", "overlaps", "distance"};
  return commands;
}

TEST(Cli, AMisspeltCommandNamesTheNearest) {
  for (const auto& [typed, meant] : {std::pair{"rnu", "run"},
                                     {"metric", "metrics"},
                                     {"exprot", "export"},
                                     {"RENDER", "render"},
                                     {"help rnu", "run"}}) {
    const Outcome outcome = Call(typed);
    EXPECT_EQ(outcome.status, 2) << typed;
    EXPECT_TRUE(Says(outcome, "Did you mean '" + std::string(meant) + "'?")) << outcome.text;
  }
  const Outcome far = Call("completely-else scene.yaml");
  EXPECT_EQ(far.status, 2);
  EXPECT_TRUE(Says(far, "'intervox help' lists all")) << far.text;
}

TEST(Cli, HelpAndVersion) {
  const Outcome all = Call("help");
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.text, Call("--help").text);
  for (const std::string& command : Commands()) EXPECT_TRUE(Says(all, command)) << command;
  for (const std::string command : {"run", "metrics", "overlaps", "distance", "render"}) {
    const Outcome one = Call("help " + command);
    EXPECT_EQ(one.status, 0);
    EXPECT_EQ(one.text, Call(command + " --help").text);
    EXPECT_TRUE(Says(one, "--out")) << one.text;
  }
  const Outcome version = Call("version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.text, Call("--version").text);
}

/** What a command of the shell prints. */
std::string Printed(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text(4096, '\0');
  text.resize(fread(text.data(), 1, text.size(), pipe));
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/** What bash offers after these words. */
std::string Completed(const fs::path& script, const std::string& words) {
  const std::string ask =
      ". " + script.string() + "; COMP_WORDS=(intervox " + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _intervox; echo ${COMPREPLY[*]}";
  return Printed("bash -c '" + ask + "'");
}

TEST(Cli, BashCompletesCommandsOptionsAndWords) {
  const fs::path script = Folder("bash") / "completion";
  const Outcome outcome = Call("completion bash");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  Write(script, outcome.text);
  EXPECT_EQ(Completed(script, "ru"), "run\n");
  for (const std::string& command : Commands()) {
    EXPECT_NE(Completed(script, "\"\"").find(command), std::string::npos) << command;
  }
  EXPECT_EQ(Completed(script, "run --res"), "--resume\n");
  EXPECT_EQ(Completed(script, "run scene.yaml --js"), "--json\n");
  EXPECT_EQ(Completed(script, "metrics pairs.yaml --leaf-rule poly"), "polytope\n");
  EXPECT_EQ(Completed(script, "completion z"), "zsh\n");
  EXPECT_EQ(Completed(script, "help exp"), "export\n");
  EXPECT_EQ(Completed(script, "run sc"), "\n");  // bash offers files
}

TEST(Cli, ZshCompletionHoldsAllCommandsAndOptions) {
  const Outcome outcome = Call("completion zsh");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(outcome.text.rfind("#compdef intervox\n", 0), 0u);
  for (const std::string& command : Commands()) {
    EXPECT_TRUE(Says(outcome, "'" + command + ":")) << command;
    EXPECT_TRUE(Says(outcome, "    " + command + ")")) << command;
  }
  for (const char* option : {"'--resume[", "'--leaf-rule[", "'--frames[", "'-o["}) {
    EXPECT_TRUE(Says(outcome, option)) << option;
  }
  if (std::system("command -v zsh > /dev/null") == 0) {
    const fs::path script = Folder("zsh") / "_intervox";
    Write(script, outcome.text);
    EXPECT_EQ(std::system(("zsh -n " + script.string()).c_str()), 0);
    // Sourcing it makes it known.
    EXPECT_EQ(Printed("zsh -fc 'autoload -U compinit; compinit -u -D; source " + script.string() +
                      "; echo $_comps[intervox]' 2>&1"),
              "_intervox\n");
  }
  EXPECT_EQ(Call("completion fish").status, 2);
}

// A file of another kind is answered with what it is and with the command that takes it.
TEST(Cli, AWrongKindOfFileNamesItsCommand) {
  const fs::path folder = Folder("kinds");
  const std::string at = folder.string() + "/";
  const std::string pairs = kData + "/examples/pairs.yaml";
  Write(folder / "scene.yaml", kScene);
  Write(folder / "box.stl", "solid box\nendsolid box\n");
  Write(folder / "part.STEP", "ISO-10303-21;\n");
  Write(folder / "batch.yaml", "# a comment\nschema: intervox/batch/1\nscene: scene.yaml\n");
  H5Fclose(H5Fcreate((at + "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  ASSERT_EQ(Call("run -q " + at + "scene.yaml -o " + at + "out.h5").status, 0);
  Write(folder / "runs.yaml",
        "schema: intervox/batch/1\nscene: scene.yaml\nnumber: 1\noutcomes: {a: time}\n");
  ASSERT_EQ(Call("batch -q " + at + "runs.yaml -o " + at + "runs").status, 0);
  const struct {
    std::string arguments, is, use;
  } calls[] = {
      {"run " + pairs, "a file of pairs", "'intervox metrics'"},
      {"run " + at + "out.h5", "results of 'run'", "'intervox info'"},
      {"run " + at + "out.checkpoint", "a checkpoint", "--resume"},
      {"run " + at + "box.stl", "a part of another program", "'intervox info'"},
      {"run " + at + "batch.yaml", "a batch", "'intervox batch'"},
      {"validate " + pairs, "a file of pairs", "'intervox metrics'"},
      {"metrics " + at + "out.h5", "results of 'run'", "'intervox info'"},
      {"metrics " + at + "part.STEP", "a CAD model", "Write it as a mesh"},
      {"export " + at + "scene.yaml", "a scene", "'intervox run'"},
      {"export " + at + "other.h5", "not Intervox's", "'intervox run'"},
      {"info " + at + "other.h5", "not Intervox's", "'intervox run'"},
      {"export " + at + "runs/batch.h5", "the table of a batch", "'intervox report'"},
      {"info " + at + "runs/batch.h5", "the table of a batch", "'intervox report'"},
      {"report " + at + "runs/batch.h5", "the table of a batch", "takes its folder"},
      {"info " + at + "out.checkpoint", "a checkpoint", "--resume"},
      {"render " + at + "scene.yaml", "a scene", "'intervox run'"},
      {"rasterize " + at + "out.h5", "results of 'run'", "'intervox info'"},
      {"mesh " + at + "batch.yaml", "a batch", "'intervox batch'"},
      {"mesh " + at + "other.h5", "not Intervox's", "'intervox run'"},
      {"export --vtk " + at + "vtk " + at + "other.h5", "not Intervox's", "'intervox run'"},
      {"batch " + pairs, "a file of pairs", "'intervox metrics'"},
      {"run --replay " + at + "scene.yaml -o " + at + "b.h5", "a scene", "'intervox run'"},
      {"report " + at + "batch.yaml", "a batch", "the folder that 'intervox batch' made"},
      {"fit --model stick " + at + "out.h5", "results of 'run'", "measurements as CSV"},
  };
  for (const auto& [arguments, is, use] : calls) {
    const Outcome outcome = Call(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << ": " << outcome.text;
    if (Says(outcome, "built without OpenVDB")) continue;
    EXPECT_TRUE(Says(outcome, "this is " + is) || Says(outcome, is)) << outcome.text;
    EXPECT_TRUE(Says(outcome, use)) << outcome.text;
  }
  // A scene has shapes, which `metrics` measures.
  EXPECT_EQ(Call("metrics " + at + "scene.yaml --shape ball").status, 0);
}

TEST(Cli, StandardInputIsReadWhereAFileIs) {
  const fs::path folder = Folder("stdin");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const Outcome run = Call("run -q - -o " + out + " < " + scene);
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_EQ(Call("info --scene " + out).text, Call("info --scene " + scene).text);
  EXPECT_EQ(Call("info --scene - < " + scene).text, Call("info --scene " + scene).text);
  const std::string pairs = kData + "/examples/pairs.yaml";
  const Outcome metrics = Call("metrics - < " + pairs);
  EXPECT_EQ(metrics.status, Call("metrics " + pairs).status);
  EXPECT_TRUE(Says(metrics, "V [m3]")) << metrics.text;
  EXPECT_EQ(Call("validate - < " + scene).status, 0);
  const Outcome nameless = Call("run - < " + scene);
  EXPECT_EQ(nameless.status, 2);
  EXPECT_TRUE(Says(nameless, "--out")) << nameless.text;
  const Outcome bad = Call("run - -o " + out, true, "echo 'schema: intervox/scene/2\nfoo: 1' | ");
  EXPECT_EQ(bad.status, 2);
  EXPECT_TRUE(Says(bad, "standard input:2: foo")) << bad.text;
  // A file of that name is not taken for it.
  const std::string there = "cd " + folder.string() + " && cp out.h5 ./- && ";
  const Outcome beside = Call("info --scene - < " + scene, true, there);
  EXPECT_EQ(beside.text, Call("info --scene " + scene).text);
  EXPECT_EQ(Call("overlaps - < " + pairs, true, there).status, Call("overlaps " + pairs).status);
}

TEST(Cli, NothingIsWrittenToAFileNamedDash) {
  const fs::path folder = Folder("dash");
  const std::string there = "cd " + folder.string() + " && ";
  const std::string scene = Write(folder / "scene.yaml", kScene);
  ASSERT_EQ(Call("run -q scene.yaml -o out.h5", true, there).status, 0);
  const std::string pairs = kData + "/examples/pairs.yaml";
  const std::string batch = kData + "/batches/peg_loose.yaml";
  const std::size_t files = std::distance(fs::directory_iterator(folder), {});
  for (const std::string& arguments :
       {"run " + scene + " -o -", std::string("run --replay out.h5 -o -"),
        std::string("export out.h5 -o -"), std::string("export out.h5 --vtk -"),
        std::string("render out.h5 -o -"), "rasterize " + pairs + " --shape ball -o -",
        "mesh " + scene + " -o -", "batch " + batch + " --number 1 -o -",
        "batch " + batch + " --only 1 -o -", std::string("validate --report -"),
        "study " + pairs + " --voxel-sizes 0.1 -o -", "report " + folder.string() + " -o -"}) {
    const Outcome outcome = Call(arguments, true, there);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(Says(outcome, "standard output takes no files")) << arguments << outcome.text;
  }
  EXPECT_EQ(static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})), files);
}

// Nothing that a file or an argument holds reaches the terminal as a command to it, or floods it.
TEST(Cli, MessagesAreFitForATerminal) {
  const fs::path folder = Folder("terminal");
  const std::string escape =
      Write(folder / "escape.yaml", std::string(kScene) + "\"\\x1b[2Jkey\": 1\n");
  const std::string named =
      Write(folder / "named.yaml", "schema: intervox/scene/2\nname: \"a\\e]0;title\\x07b\"\n");
  const std::string large =
      Write(folder / "large.yaml",
            "schema: intervox/scene/2\nduration: " + std::string(1 << 22, 'y') + "\n");
  const std::vector<std::string> calls = {"run " + escape,
                                          "run " + named,
                                          "run " + large,
                                          "run " + escape + " --set a=\033[2J",
                                          "\"$(printf 'ru\\033[2Jn')\"",
                                          "run \"$(printf 'no\\033[2Jfile')\"",
                                          "run " + escape + " --\033[31mflag",
                                          "metrics " + large + " --shape \033[31m"};
  for (const std::string& call : calls) {
    const Outcome outcome = Call(call);
    EXPECT_EQ(outcome.status, 2) << outcome.text;
    EXPECT_LT(outcome.text.size(), 1000u);
    for (const char c : outcome.text) {
      EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20) << outcome.text;
    }
  }
  EXPECT_TRUE(Says(Call("run " + escape), "\\x1b")) << "the byte is not shown";
}

TEST(Cli, SillyInputIsRefusedAtItsKey) {
  const fs::path folder = Folder("silly");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string run = "run -q " + scene + " -o " + (folder / "o.h5").string();
  const Outcome steps = Call(run + " --set duration=1e5 --set integrator.step=1e-8");
  EXPECT_EQ(steps.status, 2) << steps.text;
  EXPECT_TRUE(Says(steps, "duration: asks for 1e+13 steps")) << steps.text;
  std::string path = "a";
  for (int i = 0; i < 64; ++i) path += ".a";
  const Outcome deep = Call(run + " --set " + path + "=1");
  EXPECT_EQ(deep.status, 2);
  EXPECT_TRUE(Says(deep, "a path of 65 keys")) << deep.text;
  const Outcome shallow = Call(run + " --set " + path.substr(2) + "=1");
  EXPECT_EQ(shallow.status, 2);
  EXPECT_TRUE(Says(shallow, "unknown key 'a'")) << shallow.text;
  EXPECT_FALSE(fs::exists(folder / "o.h5"));
  // A header of NumPy's that says there are -1 rows.
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 7), }";
  header.resize(117, ' ');
  const std::string start("\x93NUMPY\x01\x00\x76\x00", 10);
  const std::string poses = Write(folder / "poses.npy", start + header + "\n");
  const std::string one = Write(folder / "pairs.yaml",
                                "schema: intervox/pairs/1\nshapes: {b: {sphere: {radius: 1}}}\n"
                                "pairs: [{a: b, b: b}]\n");
  const Outcome rows =
      Call("metrics " + one + " --poses " + poses + " -o " + (folder / "o.h5").string());
  EXPECT_EQ(rows.status, 2);
  EXPECT_TRUE(Says(rows, "negative")) << rows.text;
  const Outcome no_scene = Call("info --scene " + one);
  EXPECT_EQ(no_scene.status, 2);
  EXPECT_TRUE(Says(no_scene, "holds no scene")) << no_scene.text;
}

}  // namespace
}  // namespace intervox
