#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cuda/engine.h"
#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Shape;
using geometry::ShapePtr;
using testing::Frobenius;

Vec3 ToVec3(const YAML::Node& n) {
  return {n[0].as<double>(), n[1].as<double>(), n[2].as<double>()};
}

Pose ToPose(const YAML::Node& n) {
  Pose X;
  if (n && n["position"]) X.p = ToVec3(n["position"]);
  if (n && n["quaternion"]) {
    const YAML::Node q = n["quaternion"];
    X.R = ToRotation(Normalized(
        Quaternion{q[0].as<double>(), q[1].as<double>(), q[2].as<double>(), q[3].as<double>()}));
  }
  return X;
}

geometry::Primitive ToPrimitive(const std::string& key, const YAML::Node& n) {
  const auto number = [&](const char* name) { return n[name].as<double>(); };
  if (key == "half_space") return geometry::HalfSpace{ToVec3(n["normal"]), number("offset")};
  if (key == "box") return geometry::Box{ToVec3(n["size"])};
  if (key == "sphere") return geometry::Sphere{number("radius")};
  if (key == "ellipsoid") return geometry::Ellipsoid{ToVec3(n["radii"])};
  if (key == "cylinder") return geometry::Cylinder{number("radius"), number("height")};
  if (key == "torus") return geometry::Torus{number("major_radius"), number("minor_radius")};
  if (key == "cone") {
    return geometry::Cone{number("radius_bottom"), number("radius_top"), number("height")};
  }
  if (key != "convex") throw std::runtime_error("unknown shape " + key);
  geometry::Convex convex;
  for (const YAML::Node& p : n["vertices"]) convex.vertices.push_back(ToVec3(p));
  return convex;
}

ShapePtr ToShape(const YAML::Node& n) {
  auto shape = std::make_shared<Shape>();
  shape->X = ToPose(n["pose"]);
  if (n["difference"]) {
    shape->operation = geometry::Operation::kDifference;
    for (const YAML::Node& child : n["difference"]) shape->children.push_back(ToShape(child));
    return shape;
  }
  for (const auto& entry : n) {
    const std::string key = entry.first.as<std::string>();
    if (key != "pose") shape->primitive = ToPrimitive(key, entry.second);
  }
  return shape;
}

struct OraclePair {
  std::string name;
  std::vector<geometry::Cell> a, b;
  Pose X_WA, X_WB;
};

struct Total {
  double volume = 0, error = 0, lo = 0, hi = 0;
  Vec3 p_WC;
  Mat3 J_W = Mat3::Zero();
  bool ok = true;
};

// Sums over the pairs of cells; moments by the parallel axes' theorem.
Total Sum(const OraclePair& pair, double tolerance) {
  Total total;
  std::vector<InterferenceMetrics> parts;
  for (const geometry::Cell& a : pair.a) {
    for (const geometry::Cell& b : pair.b) {
      PairQuery q;
      q.a = &a;
      q.b = &b;
      q.X_WA = pair.X_WA;
      q.X_WB = pair.X_WB;
      q.tolerance = tolerance;
      const InterferenceMetrics m = ComputeMetrics(q);
      if (m.status == Status::kDisjoint) continue;
      total.ok = total.ok && m.status == Status::kOk;
      total.volume += m.volume;
      total.error += m.volume_error;
      total.lo += m.volume_lo;
      total.hi += m.volume_hi;
      parts.push_back(m);
    }
  }
  if (parts.empty() || !(total.volume > 0)) {
    total.ok = false;
    return total;
  }
  Vec3 moment;
  const Vec3 origin = parts[0].p_WC;
  for (const InterferenceMetrics& m : parts) moment += m.volume * (m.p_WC - origin);
  total.p_WC = origin + moment / total.volume;
  for (const InterferenceMetrics& m : parts) {
    const Vec3 d = m.p_WC - total.p_WC;
    total.J_W =
        total.J_W + m.J_W + m.volume * (Mat3::Diagonal(Dot(d, d) * Vec3{1, 1, 1}) - Outer(d, d));
  }
  return total;
}

class Oracle : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string folder = std::string(INTERVOX_DATA_DIR) + "/oracle/";
    const YAML::Node file = YAML::LoadFile(folder + "pairs.yaml");
    for (const YAML::Node& n : file["pairs"]) {
      OraclePair pair;
      pair.name = n["name"].as<std::string>();
      pair.a = geometry::ToCells(*ToShape(file["shapes"][n["a"].as<std::string>()]));
      pair.b = geometry::ToCells(*ToShape(file["shapes"][n["b"].as<std::string>()]));
      pair.X_WA = ToPose(n["pose_a"]);
      pair.X_WB = ToPose(n["pose_b"]);
      pairs_.push_back(std::move(pair));
    }
    std::ifstream(folder + "expected.json") >> expected_;
  }
  static void TearDownTestSuite() { pairs_.clear(); }

  static void Check(double tolerance) {
    ASSERT_EQ(pairs_.size(), 50u);
    for (const OraclePair& pair : pairs_) {
      const auto& e = expected_.at(pair.name);
      const Total m = Sum(pair, tolerance);
      const double V = e.at("volume");
      const Vec3 c{e["centroid"][0], e["centroid"][1], e["centroid"][2]};
      Mat3 J;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) J(i, j) = e["inertia"][i][j];
      }
      const double r = std::sqrt(0.5 * Trace(J) / V);
      EXPECT_TRUE(m.ok) << pair.name << " error " << m.error / V;
      EXPECT_NEAR(m.volume / V, 1, tolerance) << pair.name;
      EXPECT_LE(Norm(m.p_WC - c), tolerance * (r + 1e-9)) << pair.name;
      EXPECT_LE(Frobenius(m.J_W - J), 5 * tolerance * Frobenius(J)) << pair.name;
      EXPECT_LE(m.lo, V * (1 + 1e-9)) << pair.name;
      EXPECT_GE(m.hi, V * (1 - 1e-9)) << pair.name;
    }
  }

  static std::vector<OraclePair> pairs_;
  static nlohmann::json expected_;
};

std::vector<OraclePair> Oracle::pairs_;
nlohmann::json Oracle::expected_;

TEST_F(Oracle, AllPairsTo1em3) { Check(1e-3); }
TEST_F(Oracle, AllPairsTo1em4) { Check(1e-4); }
TEST_F(Oracle, AllPairsTo1em6) { Check(1e-6); }

}  // namespace
}  // namespace intervox
