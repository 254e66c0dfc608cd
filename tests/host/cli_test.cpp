// The executable as scripts see it: exit status, messages, JSON, interrupts, resumed runs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "host/results/column_file.h"

namespace intervox {
namespace {

namespace fs = std::filesystem;

const std::string kProgram = INTERVOX_EXECUTABLE;
const std::string kData = INTERVOX_DATA_DIR;

struct Outcome {
  int status = -1;
  std::string text;  // standard output and error together
};

Outcome Call(const std::string& arguments, bool with_errors = true) {
  const std::string command = kProgram + " " + arguments + (with_errors ? " 2>&1" : " 2>/dev/null");
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  std::size_t count = 0;
  while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    outcome.text.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

fs::path Folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("intervox_cli_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string Write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path.string();
}

const char* const kScene =
    "schema: intervox/scene/1\n"
    "name: drop\n"
    "duration: 0.3\n"
    "integrator: {step: 1e-3}\n"
    "shapes:\n"
    "  ball: {sphere: {radius: 0.1}}\n"
    "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
    "contact_models:\n"
    "  default: {normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}}\n"
    "bodies:\n"
    "  floor: {shape: floor, fixed: true}\n"
    "  ball: {shape: ball, mass: 2, pose: {position: [0, 0, 0.15]}, velocity: {linear: [0.1, 0, "
    "0]}}\n"
    "sensors: {s: {body: ball}}\n"
    "output: {every: 2e-3, checkpoint_every: 0.05}\n";

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
  EXPECT_EQ(Call("run " + good + " -o " + folder.string() + "/o.h5 --resume").status, 2);
  EXPECT_EQ(Call("run " + good + " -o " + folder.string() + "/o.h5 --set duration=x").status, 2);
  EXPECT_FALSE(fs::exists(folder / "o.h5"));
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
      {run + "none.h5 --resume", "no such file"},
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
      {"info " + at + "binary.yaml", "corrupt"},
      {"export " + at + "binary.yaml", "corrupt"},
      {"render " + at + "binary.yaml", "corrupt"},
      {"render " + at + "nowhere.h5", "no such file"},
      {"rasterize " + at + "good.yaml --shape ball -o /nowhere/o.vdb", "does not exist"},
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
  EXPECT_GE(refused, 8);  // those that were cut off at least; a number that changed is read
}

TEST(Cli, MetricsJson) {
  const fs::path folder = Folder("metrics");
  const std::string pairs =
      Write(folder / "pairs.yaml",
            "schema: intervox/pairs/1\n"
            "shapes:\n"
            "  ball: {sphere: {radius: 0.1}}\n"
            "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
            "  step: {union: [{box: {size: [1, 1, 1]}}, {box: {size: [1, 1, "
            "2]}, pose: {position: [1, 0, 0.5]}}]}\n"
            "pairs:\n"
            "  - {name: touch, a: ball, b: floor, pose_a: {position: [0, 0, 0.09]}}\n"
            "  - {name: apart, a: ball, b: floor, pose_a: {position: [0, 0, 0.2]}}\n"
            "  - {name: sunk, a: step, b: floor, pose_a: {position: [0, 0, 0.4]}}\n"
            "  - {name: endless, a: floor, b: floor}\n");
  const Outcome outcome = Call("metrics " + pairs + " --tolerance 1e-6 --json", false);
  EXPECT_EQ(outcome.status, 1);  // one pair is unbounded
  const auto json = nlohmann::json::parse(outcome.text);
  ASSERT_EQ(json.size(), 4u);
  // A cap of depth d: V = π d² (R − d/3), area of the flat side π (2 R d − d²).
  const double d = 0.01, R = 0.1, pi = 3.14159265358979323846;
  EXPECT_NEAR(json[0]["volume"].get<double>() / (pi * d * d * (R - d / 3)), 1.0, 1e-6);
  EXPECT_NEAR(json[0]["area_vector"][2].get<double>() / (pi * (2 * R * d - d * d)), 1.0, 1e-5);
  EXPECT_EQ(json[0]["status"], "ok");
  EXPECT_GE(json[0]["cells"].get<int>(), 1);
  EXPECT_GE(json[0]["seconds"].get<double>(), 0.0);
  EXPECT_EQ(json[1]["status"], "disjoint");
  EXPECT_EQ(json[1]["volume"], 0.0);
  for (const char* key :
       {"centroid", "inertia", "area_vector", "area_moment", "volume_bounds", "volume_error"}) {
    EXPECT_TRUE(json[1].contains(key) && json[1][key].is_null()) << key;
  }
  // Two cells: 1 × 1 × 0.1 at x = 0 and 1 × 1 × 0.1 at x = 1, summed about (0.5, 0, −0.05).
  EXPECT_NEAR(json[2]["volume"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(json[2]["centroid"][0].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(json[2]["inertia"][1][1].get<double>(), 0.2 * (4.0 + 0.01) / 12, 1e-12);
  EXPECT_NEAR(json[2]["area_vector"][2].get<double>(), 2.0, 1e-12);
  EXPECT_EQ(json[3]["status"], "unbounded");
  EXPECT_TRUE(json[3]["volume"].is_null());
  EXPECT_TRUE(json[3].contains("reason"));
}

TEST(Cli, MetricsOfShapesAndFullPrecision) {
  const fs::path folder = Folder("shapes");
  const std::string pairs =
      Write(folder / "shapes.yaml",
            "schema: intervox/pairs/1\nshapes:\n  a: {box: {size: [0.1, 0.2, 0.3]}, pose: "
            "{position: [1, 2, 3]}}\n  f: {half_space: {normal: [0, 0, 1], offset: 0}}\n");
  const Outcome all = Call("metrics " + pairs + " --json", false);
  EXPECT_EQ(all.status, 1);  // the half-space is infinite
  const auto json = nlohmann::json::parse(all.text);
  EXPECT_EQ(json[1]["status"], "unbounded");
  const Outcome one = Call("metrics " + pairs + " --json --shape a", false);
  EXPECT_EQ(one.status, 0);
  const auto box = nlohmann::json::parse(one.text)[0];
  EXPECT_NEAR(box["volume"].get<double>(), 0.006, 1e-16);
  EXPECT_NEAR(box["centroid"][1].get<double>(), 2.0, 1e-14);
  EXPECT_NEAR(box["inertia"][0][0].get<double>(), 0.006 * (0.04 + 0.09) / 12, 1e-16);
  EXPECT_EQ(Call("metrics " + pairs + " --shape b").status, 2);
  EXPECT_NE(Call("metrics " + pairs + " --shape a").text.find("V [m3]"), std::string::npos);
}

std::string Npy(const fs::path& path, const std::vector<double>& values, const std::string& shape) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream stream(path, std::ios::binary);
  stream << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 255)
         << static_cast<char>(header.size() >> 8) << header;
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(8 * values.size()));
  return path.string();
}

TEST(Cli, BulkPoses) {
  const fs::path folder = Folder("bulk");
  const std::string pairs =
      Write(folder / "pair.yaml",
            "schema: intervox/pairs/1\npairs:\n  - {a: {box: {size: [1, 1, 1]}}, "
            "b: {half_space: {normal: [0, 0, 1], offset: 0}}}\n");
  std::vector<double> poses;
  for (int i = 0; i < 100; ++i) {
    for (const double x : {0.0, 0.0, 0.5 - 0.001 * i, 1.0, 0.0, 0.0, 0.0}) poses.push_back(x);
  }
  const std::string npy = Npy(folder / "poses.npy", poses, "(100, 7)");
  const std::string out = (folder / "out.h5").string();
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + npy + " -o " + out).status, 0);
  const std::vector<double> volume = host::ColumnFile::Read(out).Values("volume");
  ASSERT_EQ(volume.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(volume[i], 0.001 * static_cast<double>(i), 1e-12);
  }
  // NumPy reads the .npz archive, its checksums are right, and it holds the same bits.
  const std::string npz = (folder / "out.npz").string();
  ASSERT_EQ(Call("metrics " + pairs + " --poses " + npy + " -o " + npz).status, 0);
  const std::string script = Write(
      folder / "same.py",
      "import sys, zipfile, h5py, numpy\n"
      "hdf5, npz = h5py.File(sys.argv[1]), numpy.load(sys.argv[2])\n"
      "assert zipfile.ZipFile(sys.argv[2]).testzip() is None\n"
      "assert set(hdf5) == set(npz.files) - {'schema', 'program_version'}, npz.files\n"
      "assert npz['schema'].item() == b'intervox/metrics/1'\n"
      "for name in hdf5:\n"
      "    a, b = hdf5[name][()], npz[name]\n"
      "    assert a.dtype == b.dtype and a.shape == b.shape, (name, a.dtype, b.dtype, b.shape)\n"
      "    assert a.tobytes() == b.tobytes(), name\n");
  EXPECT_EQ(std::system(("/usr/bin/python3 " + script + " " + out + " " + npz).c_str()), 0);
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + npy + " -o /nowhere/out.npz").status, 2);
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + npy).status, 2);
  const std::string wrong = Npy(folder / "wrong.npy", poses, "(70, 10)");
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + wrong + " -o " + out).status, 2);
  const std::string cut = Npy(folder / "cut.npy", poses, "(101, 7)");
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + cut + " -o " + out).status, 2);
  poses[3] = 0;
  const std::string zero = Npy(folder / "zero.npy", poses, "(100, 7)");
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + zero + " -o " + out).status, 2);
  for (const double value : {1e300, std::nan(""), std::numeric_limits<double>::infinity()}) {
    poses[3] = 1;
    poses[9] = value;
    const std::string far = Npy(folder / "far.npy", poses, "(100, 7)");
    const Outcome outcome = Call("metrics " + pairs + " --poses " + far + " -o " + out);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.text.find("row 1"), std::string::npos) << outcome.text;
  }
  EXPECT_EQ(Call("metrics " + pairs + " --poses " + pairs + " -o " + out).status, 2);
}

TEST(Cli, RunWritesResultsAndASummary) {
  const fs::path folder = Folder("run");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  const Outcome outcome = Call("run " + scene + " -o " + out);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  for (const char* word :
       {"impacts", "peak", "at rest since", "dissipated", "real time", "steps"}) {
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word;
  }
  const host::ColumnFile file = host::ColumnFile::Read(out);
  EXPECT_EQ(file.Attribute("schema"), "intervox/results/1");
  EXPECT_NE(file.Attribute("scene").find("name: \"drop\""), std::string::npos);
  EXPECT_EQ(file.Attribute("source"), kScene);
  EXPECT_FALSE(file.Attribute("commit").empty());
  EXPECT_FALSE(file.Attribute("device").empty());
  const std::vector<double> time = file.Values("time");
  ASSERT_EQ(time.size(), 151u);  // 0, 2, …, 300 ms
  EXPECT_NEAR(time[100], 0.2, 1e-12);
  const std::vector<double> position = file.Values("bodies/ball/position");
  // Free fall by 0.05 m takes 0.101 s.
  EXPECT_NEAR(position[3 * 50 + 2], 0.15 - 0.5 * 9.81 * 0.1 * 0.1, 1e-9);
  for (const host::ColumnInfo& column : file.Columns()) {
    EXPECT_FALSE(column.units.empty()) << column.name;
    const bool sampled =
        column.name.rfind("patches/", 0) != 0 && column.name.rfind("impacts/", 0) != 0;
    if (sampled) {
      EXPECT_EQ(column.rows, 151) << column.name;
    }
  }
  const std::vector<double> index = file.Values("patches/time_index");
  ASSERT_FALSE(index.empty());
  EXPECT_TRUE(std::is_sorted(index.begin(), index.end()));
  EXPECT_EQ(file.Values("patches/normal").size(), 3 * index.size());
  EXPECT_GE(file.Values("impacts/peak_force").size(), 1u);

  EXPECT_EQ(Call("info " + out).status, 0);
  EXPECT_EQ(Call("info " + scene).status, 0);
  EXPECT_EQ(Call("info " + kData + "/examples/pairs.yaml").status, 0);
  // Cells say which CSG node they come from.
  const Outcome cells = Call("info --cells " + kData + "/scenes/battery_box.yaml");
  EXPECT_NE(cells.text.find("hull"), std::string::npos) << cells.text;
  EXPECT_NE(cells.text.find("socket"), std::string::npos) << cells.text;
  const Outcome effective = Call("info --scene " + out);
  EXPECT_EQ(effective.text, file.Attribute("scene"));
  const std::string csv = (folder / "csv").string();
  EXPECT_EQ(Call("export " + out + " -o " + csv).status, 0);
  std::ifstream energy(csv + "/energy.csv");
  std::string head;
  std::getline(energy, head);
  EXPECT_EQ(head.substr(0, 8), "time [s]");
  EXPECT_NE(head.find("kinetic [J]"), std::string::npos) << head;
  EXPECT_TRUE(fs::exists(csv + "/bodies_ball.csv"));
  std::ifstream patches(csv + "/patches.csv");
  std::getline(patches, head);
  EXPECT_EQ(head.substr(0, 8), "time [s]");
}

void ExpectSameData(const std::string& a, const std::string& b) {
  const host::ColumnFile x = host::ColumnFile::Read(a);
  const host::ColumnFile y = host::ColumnFile::Read(b);
  const std::vector<host::ColumnInfo> columns = x.Columns();
  ASSERT_EQ(columns.size(), y.Columns().size());
  for (const host::ColumnInfo& column : columns) {
    const std::vector<double> u = x.Values(column.name);
    const std::vector<double> v = y.Values(column.name);
    ASSERT_EQ(u.size(), v.size()) << column.name;
    EXPECT_EQ(std::memcmp(u.data(), v.data(), 8 * u.size()), 0) << column.name;
  }
}

// Starts a run, interrupts it when its results have grown, and returns how it ended.
int Interrupted(const std::string& scene, const std::string& out, int signal) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string program = kProgram;
    execl(program.c_str(), program.c_str(), "run", scene.c_str(), "-o", out.c_str(), "-q",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::string checkpoint = fs::path(out).replace_extension(".checkpoint").string();
  // The program tries for an empty file first, to see whether it may write there.
  const auto saved = [&] {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(checkpoint, error);
    return !error && size > 0 && fs::exists(out);
  };
  for (int i = 0; i < 4000 && !saved(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string LongScene() {
  std::string text = kScene;
  const std::size_t at = text.find("step: 1e-3");
  return text.replace(at, 10, "step: 5e-6");  // slow enough to be interrupted
}

TEST(Cli, InterruptedAndResumedEqualsUninterrupted) {
  const fs::path folder = Folder("resume");
  const std::string scene = Write(folder / "scene.yaml", LongScene());
  const std::string whole = (folder / "whole.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + whole).status, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string out = (folder / ("cut" + std::to_string(signal) + ".h5")).string();
    const int status = Interrupted(scene, out, signal);
    EXPECT_EQ(status, signal == SIGKILL ? 128 + SIGKILL : 1);
    const std::vector<double> so_far = host::ColumnFile::Read(out).Values("time");
    EXPECT_LT(so_far.size(), 151u) << "the run ended before the signal";
    const Outcome resumed = Call("run -q --resume " + scene + " -o " + out);
    EXPECT_EQ(resumed.status, 0) << resumed.text;
    ExpectSameData(whole, out);
  }
}

TEST(Cli, ResumeRefusesAnotherSceneAndATruncatedCheckpoint) {
  const fs::path folder = Folder("refuse");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string out = (folder / "out.h5").string();
  ASSERT_EQ(Call("run -q " + scene + " -o " + out).status, 0);
  EXPECT_EQ(Call("run -q --resume " + scene + " -o " + out + " --set bodies.ball.mass=3").status,
            2);
  const fs::path checkpoint = folder / "out.checkpoint";
  ASSERT_TRUE(fs::exists(checkpoint));
  fs::resize_file(checkpoint, fs::file_size(checkpoint) / 2);
  const Outcome outcome = Call("run -q --resume " + scene + " -o " + out);
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  EXPECT_NE(outcome.text.find("checkpoint"), std::string::npos) << outcome.text;
  EXPECT_EQ(host::ColumnFile::Read(out).Values("time").size(), 151u);  // still readable
}

TEST(Cli, ThreadsDoNotChangeBits) {
  const fs::path folder = Folder("threads");
  const std::string scene = Write(folder / "scene.yaml", kScene);
  const std::string one = (folder / "one.h5").string();
  const std::string two = (folder / "two.h5").string();
  ASSERT_EQ(Call("run -q --threads 1 " + scene + " -o " + one).status, 0);
  ASSERT_EQ(Call("run -q --threads 3 " + scene + " -o " + two).status, 0);
  ExpectSameData(one, two);
}

}  // namespace
}  // namespace intervox
