/** @file The posed pairs of data/oracle with their independent volumes, read without the host. */
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox::testing {

/** Two posed cells and what their overlap measures. */
struct OraclePair {
  std::string name;
  Cell a, b;
  Pose X_WA, X_WB;
  double volume = 0;  ///< [m³]
  Vec3 centroid;
  Mat3 inertia;  ///< about the centroid, of unit density

  /** The pair as the engine is asked for it. */
  PairQuery Query(double tolerance) const { return {&a, &b, X_WA, X_WB, tolerance}; }
};

/** Three numbers of a YAML node. */
inline Vec3 ReadVec3(const YAML::Node& n) {
  return {n[0].as<double>(), n[1].as<double>(), n[2].as<double>()};
}

/** A pose with position and quaternion (w, x, y, z); the identity where there is none. */
inline Pose ReadPose(const YAML::Node& n) {
  Pose X;
  if (n && n["position"]) X.p = ReadVec3(n["position"]);
  if (n && n["quaternion"]) {
    const YAML::Node q = n["quaternion"];
    X.R = ToRotation(Normalized(
        Quaternion{q[0].as<double>(), q[1].as<double>(), q[2].as<double>(), q[3].as<double>()}));
  }
  return X;
}

/** A primitive by its key. */
inline geometry::Primitive ReadPrimitive(const std::string& key, const YAML::Node& n) {
  const auto number = [&](const char* name) { return n[name].as<double>(); };
  if (key == "half_space") return geometry::HalfSpace{ReadVec3(n["normal"]), number("offset")};
  if (key == "box") return geometry::Box{ReadVec3(n["size"])};
  if (key == "sphere") return geometry::Sphere{number("radius")};
  if (key == "ellipsoid") return geometry::Ellipsoid{ReadVec3(n["radii"])};
  if (key == "cylinder") return geometry::Cylinder{number("radius"), number("height")};
  if (key == "torus") return geometry::Torus{number("major_radius"), number("minor_radius")};
  if (key == "cone") {
    return geometry::Cone{number("radius_bottom"), number("radius_top"), number("height")};
  }
  if (key != "convex") throw std::runtime_error("unknown shape " + key);
  geometry::Convex convex;
  for (const YAML::Node& p : n["vertices"]) convex.vertices.push_back(ReadVec3(p));
  return convex;
}

/** A primitive or a difference, with its pose. */
inline geometry::ShapePtr ReadShape(const YAML::Node& n) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->X = ReadPose(n["pose"]);
  if (n["difference"]) {
    shape->operation = geometry::Operation::kDifference;
    for (const YAML::Node& child : n["difference"]) shape->children.push_back(ReadShape(child));
    return shape;
  }
  for (const auto& entry : n) {
    const std::string key = entry.first.as<std::string>();
    if (key != "pose") shape->primitive = ReadPrimitive(key, entry.second);
  }
  return shape;
}

/** All pairs of data/oracle; each of its shapes is one cell. */
inline const std::vector<OraclePair>& OraclePairs() {
  static const std::vector<OraclePair> kPairs = [] {
    const std::string folder = INTERVOX_DATA_DIR "/oracle/";
    const YAML::Node file = YAML::LoadFile(folder + "pairs.yaml");
    const nlohmann::json expected = nlohmann::json::parse(std::ifstream(folder + "expected.json"));
    const auto cell = [&](const YAML::Node& name) {
      const auto cells = geometry::ToCells(*ReadShape(file["shapes"][name.as<std::string>()]));
      if (cells.size() != 1) throw std::runtime_error(name.as<std::string>() + ": several cells");
      return cells[0];
    };
    std::vector<OraclePair> pairs;
    for (const YAML::Node& node : file["pairs"]) {
      OraclePair pair;
      pair.name = node["name"].as<std::string>();
      pair.a = cell(node["a"]);
      pair.b = cell(node["b"]);
      pair.X_WA = ReadPose(node["pose_a"]);
      pair.X_WB = ReadPose(node["pose_b"]);
      const nlohmann::json& e = expected.at(pair.name);
      pair.volume = e["volume"];
      for (int i = 0; i < 3; ++i) {
        pair.centroid[i] = e["centroid"][i];
        for (int j = 0; j < 3; ++j) pair.inertia(i, j) = e["inertia"][i][j];
      }
      pairs.push_back(std::move(pair));
    }
    return pairs;
  }();
  return kPairs;
}

/** The largest of the errors that the checker of data/oracle looks at: of V, relative; of the
 centroid, over the radius of gyration; of J, relative, a fifth. At most the tolerance. */
inline double WorstError(const InterferenceMetrics& m, const OraclePair& pair) {
  const double v = std::fabs(m.volume / pair.volume - 1);
  const double r = std::sqrt(0.5 * Trace(pair.inertia) / pair.volume);
  const double c = Norm(m.p_WC - pair.centroid) / (r + 1e-9);
  const double j = 0.2 * Frobenius(m.J_W - pair.inertia) / Frobenius(pair.inertia);
  return std::max({v, c, j});
}

}  // namespace intervox::testing
