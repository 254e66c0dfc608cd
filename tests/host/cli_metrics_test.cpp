// `intervox metrics`: JSON, single shapes, voxels, poses in bulk.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli_call.h"
#include "host/results/column_file.h"
#include "npy_file.h"

namespace intervox {
namespace {

// A grid of a ball of 0.02 m on voxels of 0.1 m has a third of its volume, and only scenes said so.
TEST(Cli, PairsWarnOfVoxelsNearTheShapesSize) {
  const fs::path folder = Folder("coarse_pairs");
  const std::string text =
      "schema: intervox/pairs/1\nshapes:\n  ball: {sphere: {radius: 0.02}}\n  fine: {grid: {of: "
      "ball, voxel_size: 2e-3}}\n  coarse: {grid: {of: ball, voxel_size: 0.1}}\npairs:\n  - {name: "
      "one, a: coarse, b: fine}\n  - {name: two, a: {grid: {of: ball, voxel_size: 0.05}}, b: "
      "fine}\n";
  const std::string file = Write(folder / "pairs.yaml", text);
  const auto told = [](const Outcome& outcome, const std::string& place) {
    return outcome.text.find(place + ": on a grid of voxels of 0.") != std::string::npos &&
           outcome.text.find("only 0.04 m thick") != std::string::npos;
  };
  for (const std::string command : {"info ", "metrics ", "overlaps "}) {
    const Outcome outcome = Call(command + file);
    EXPECT_TRUE(told(outcome, "shapes.coarse")) << outcome.text;
    EXPECT_TRUE(told(outcome, "two.a")) << outcome.text;
    EXPECT_FALSE(told(outcome, "shapes.fine")) << outcome.text;
  }
  EXPECT_FALSE(told(Call("metrics --json " + file, false), "shapes.coarse")) << "within JSON";
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
  for (const char* key : {"centroid", "inertia", "area_vector", "area_moment", "volume_bounds",
                          "volume_error", "volume_bias"}) {
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

TEST(Cli, CertifiedVolumes) {
  const fs::path folder = Folder("certify");
  const std::string pairs =
      Write(folder / "pairs.yaml",
            "schema: intervox/pairs/1\n"
            "shapes:\n"
            "  ball: {sphere: {radius: 0.1}}\n"
            "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
            "  grid: {grid: {of: {sphere: {radius: 0.1}}, voxel_size: 0.02}}\n"
            "pairs:\n"
            "  - {name: touch, a: ball, b: floor, pose_a: {position: [0, 0, 0.09]}}\n"
            "  - {name: apart, a: ball, b: floor, pose_a: {position: [0, 0, 0.2]}}\n"
            "  - {name: voxels, a: grid, b: floor, pose_a: {position: [0, 0, 0.09]}}\n");
  const Outcome outcome = Call("metrics " + pairs + " --certify --tolerance 1e-3 --json", false);
  EXPECT_EQ(outcome.status, 0);
  const auto json = nlohmann::json::parse(outcome.text);
  const double d = 0.01, R = 0.1, V = 3.14159265358979323846 * d * d * (R - d / 3);
  const double lower = json[0]["volume_enclosure"][0], upper = json[0]["volume_enclosure"][1];
  EXPECT_LE(lower, V * (1 + 1e-14));
  EXPECT_GE(upper, V * (1 - 1e-14));
  EXPECT_LE(upper - lower, 2e-3 * lower);
  EXPECT_EQ(json[0]["enclosure_status"], "ok");
  EXPECT_EQ(json[1]["enclosure_status"], "disjoint");
  EXPECT_EQ(json[1]["volume_enclosure"], nlohmann::json({0.0, 0.0}));
  EXPECT_EQ(json[2]["enclosure_status"], "ok");
  const double of_grid = json[2]["volume"], error = json[2]["volume_error"];
  EXPECT_LE(json[2]["volume_enclosure"][0].get<double>(), of_grid + error);
  EXPECT_GE(json[2]["volume_enclosure"][1].get<double>(), of_grid - error);
  EXPECT_LT(json[2]["volume_enclosure"][1].get<double>(), lower);  // voxels take away
  const Outcome table = Call("metrics " + pairs + " --certify", false);
  EXPECT_NE(table.text.find("V, at least [m3]"), std::string::npos) << table.text;
  EXPECT_EQ(Call("metrics " + pairs + " --certify --leaf-rule clip", false).status, 2);
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

TEST(Cli, MetricsStateTheBiasOfGrids) {
  const std::string ball = "{sphere: {radius: 0.02}}", at = "position: [0.023, 0.018, 0.0241]";
  const auto grid = [&](const std::string& of, const std::string& more) {
    return "{grid: {of: " + of + ", voxel_size: 1e-3" + more + "}}";
  };
  const std::string pairs =
      Write(Folder("bias") / "pairs.yaml",
            "schema: intervox/pairs/1\nshapes:\n  ball: " + ball + "\n  grid: " + grid(ball, "") +
                "\n  less: " + grid(ball, ", unbiased: true") +
                "\n  hole: {difference: [{box: {size: [0.05, 0.05, 0.05]}}, ball]}\n  wall: " +
                grid("hole", "") + "\npairs:\n  - {a: grid, b: grid, pose_b: {" + at +
                ", rpy_deg: [10, 20, 30]}}\n  - {a: grid, b: ball, pose_b: {" + at +
                "}}\n  - {a: ball, b: ball, pose_b: {" + at +
                "}}\n  - {a: less, b: less, pose_b: {" + at +
                ", rpy_deg: [10, 20, 30]}}\n  - {a: wall, b: {sphere: {radius: 0.018}}, pose_b: "
                "{position: [1.5e-3, 2e-3, 1e-3]}}\n");
  const Outcome outcome = Call("metrics " + pairs + " --json", false);
  const auto json = nlohmann::json::parse(outcome.text);
  const auto number = [&](int row, const char* key) { return json[row][key].get<double>(); };
  const double V = number(2, "volume");
  const double depth = 0.04 - std::sqrt(0.023 * 0.023 + 0.018 * 0.018 + 0.0241 * 0.0241);
  const double bias = -2 * 1e-6 / (3 * 0.02 * depth);  // of two grids, over V
  EXPECT_NEAR(number(0, "volume_bias") / V, bias, 0.05 * std::abs(bias));
  EXPECT_NEAR(number(1, "volume_bias") / V, bias / 2, 0.05 * std::abs(bias));
  for (const int row : {0, 1}) {
    EXPECT_NEAR(number(row, "volume") - number(row, "volume_bias"), V, 0.02 * std::abs(bias) * V);
  }
  EXPECT_TRUE(json[2]["volume_bias"].is_null());
  EXPECT_TRUE(json[3]["volume_bias"].is_null());
  EXPECT_NEAR(number(3, "volume"), V, 0.02 * std::abs(bias) * V);
  // A concave wall has too much.
  EXPECT_GT(number(4, "volume_bias"), 0);
  const auto solid =
      nlohmann::json::parse(Call("metrics " + pairs + " --json --shape grid", false).text);
  const double full = 4.0 / 3 * 3.14159265358979323846 * 8e-6;
  EXPECT_NEAR(solid[0]["volume"].get<double>() - solid[0]["volume_bias"].get<double>(), full,
              1e-5 * full);
}

TEST(Cli, MetricsByVoxelsAreNotJudgedByATolerance) {
  const std::string pairs =
      Write(Folder("voxels") / "ball.yaml",
            "schema: intervox/pairs/1\nshapes:\n  ball: {sphere: {radius: 1}}\n");
  const auto ball = [&](const std::string& options) {
    const Outcome outcome = Call("metrics " + pairs + " --json " + options, false);
    nlohmann::json json = nlohmann::json::parse(outcome.text)[0];
    json["exit"] = outcome.status;
    return json;
  };
  const double exact = 4.0 / 3 * 3.14159265358979323846;
  const auto coarse = ball("--voxel-size 0.1 --leaf-rule center");
  EXPECT_EQ(coarse["status"], "ok");
  EXPECT_EQ(coarse["exit"], 0);
  const double error = std::abs(coarse["volume"].get<double>() - exact);
  EXPECT_GT(error, 1e-4 * exact);  // what the default tolerance would not let pass
  EXPECT_LT(error, coarse["volume_error"].get<double>());
  const auto fine = ball("--voxel-size 0.02 --leaf-rule center");
  EXPECT_LT(fine["volume_error"].get<double>(), 0.4 * coarse["volume_error"].get<double>());
  EXPECT_EQ(ball("--voxel-size 0.5 --leaf-rule clip")["status"], "ok");
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

}  // namespace
}  // namespace intervox
