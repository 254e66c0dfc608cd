/** @file Posed pairs for the tests of the leaf rules: made from surfaces, or read from data/oracle.
 */
#pragma once

#include <yaml-cpp/yaml.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuda/prepare.h"
#include "cuda/team.h"
#include "geometry/cell.h"
#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "tests/cuda/pairs.h"

namespace intervox::cuda::testing {

using geometry::BoxSurfaces;
using geometry::Surface;
using intervox::testing::Frobenius;
using intervox::testing::Random;

/** The pair of two sets of surfaces, given in one frame, with origin p_L and a box around Ω. */
inline LocalPair MakePair(const std::vector<Surface>& a, const std::vector<Surface>& b,
                          const Vec3& p_L, const Vec3& lower, const Vec3& upper, double tolerance) {
  LocalPair pair;
  for (int curved = 0; curved < 2; ++curved) {
    for (int body = 0; body < 2; ++body) {
      for (const Surface& s : body == 0 ? a : b) {
        if ((s.kind != geometry::SurfaceKind::kPlane) != (curved == 1)) continue;
        LocalSurface& local = pair.surface[pair.count++];
        local.surface = Pose{Mat3::Identity(), -p_L} * s;
        local.body = static_cast<std::int8_t>(body);
        local.weight = s.cut ? 0.0 : body == 0 ? -0.5 : 0.5;
      }
    }
    if (curved == 0) pair.planes = pair.count;
  }
  pair.p_WL = p_L;
  pair.lower = lower - p_L;
  pair.upper = upper - p_L;
  pair.tolerance = tolerance;
  return pair;
}

/** The surfaces moved by X. */
inline std::vector<Surface> Moved(const Pose& X, std::vector<Surface> surfaces) {
  for (Surface& s : surfaces) s = X * s;
  return surfaces;
}

/** What a rule says of a pair. */
struct Answer {
  RuleResult result;
  Moments moments;
  InterferenceMetrics metrics;  ///< nothing unless V > 0
};

/** Asks a rule: result = rule(pair, &moments). */
template <class Rule>
Answer Ask(const LocalPair& pair, const Rule& rule) {
  Answer answer;
  answer.result = rule(pair, &answer.moments);
  if (answer.moments.v > 0) answer.metrics = ToMetrics(answer.moments, pair.p_WL);
  return answer;
}

/** One posed pair of the reference set and its metrics. */
struct ReferencePair {
  std::string name;
  geometry::Cell a, b;
  Pose X_WA, X_WB;
  double volume = 0;
  Vec3 centroid;
  Mat3 inertia;
};

/** Three numbers of a YAML node. */
inline Vec3 ReadVec3(const YAML::Node& node) {
  return {node[0].as<double>(), node[1].as<double>(), node[2].as<double>()};
}

/** A pose with position and quaternion (w, x, y, z). */
inline Pose ReadPose(const YAML::Node& node) {
  Pose X;
  if (!node) return X;
  const YAML::Node q = node["quaternion"];
  X.p = ReadVec3(node["position"]);
  if (q) {
    X.R = ToRotation(Normalized(
        Quaternion{q[0].as<double>(), q[1].as<double>(), q[2].as<double>(), q[3].as<double>()}));
  }
  return X;
}

/** The surfaces of one convex shape of the reference set. */
inline std::vector<Surface> ReadSurfaces(const YAML::Node& shape) {
  using namespace geometry;
  if (const YAML::Node s = shape["sphere"]) {
    const double r = s["radius"].as<double>();
    return {MakeEllipsoid({r, r, r})};
  }
  if (const YAML::Node s = shape["ellipsoid"]) return {MakeEllipsoid(ReadVec3(s["radii"]))};
  if (const YAML::Node s = shape["torus"]) {
    return {MakeTorus(s["major_radius"].as<double>(), s["minor_radius"].as<double>())};
  }
  if (const YAML::Node s = shape["half_space"]) {
    return {MakePlane(ReadVec3(s["normal"]), s["offset"].as<double>())};
  }
  if (const YAML::Node s = shape["box"]) return BoxSurfaces(ReadVec3(s["size"]));
  if (const YAML::Node s = shape["cylinder"]) {
    const double h = 0.5 * s["height"].as<double>();
    return {MakeCylinder(s["radius"].as<double>()), MakePlane({0, 0, 1}, h),
            MakePlane({0, 0, -1}, h)};
  }
  if (const YAML::Node s = shape["cone"]) {
    const double r0 = s["radius_bottom"].as<double>(), r1 = s["radius_top"].as<double>();
    const double height = s["height"].as<double>(), slope = std::fabs(r0 - r1) / height;
    Pose X;
    X.p = {0, 0, (r0 > r1 ? 1 : -1) * (std::max(r0, r1) / slope - 0.5 * height)};
    if (r0 > r1) X.R = Mat3::Diagonal({1, -1, -1});
    std::vector<Surface> out{MakeCone(slope, std::max(r0, r1) / slope, X)};
    if (r0 > 0) out.push_back(MakePlane({0, 0, -1}, 0.5 * height));
    if (r1 > 0) out.push_back(MakePlane({0, 0, 1}, 0.5 * height));
    return out;
  }
  std::vector<Vec3> points;
  for (const YAML::Node& p : shape["convex"]["vertices"]) points.push_back(ReadVec3(p));
  std::vector<Surface> out;
  // Every plane through three points that has the others on one side, once.
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < points.size(); ++j) {
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (i >= j || i >= k || j == k) continue;
        const Vec3 n = Normalized(Cross(points[j] - points[i], points[k] - points[i]));
        bool outer = true, seen = false;
        for (const Vec3& p : points) outer = outer && Dot(n, p - points[i]) < 1e-12;
        for (const Surface& s : out) {
          seen = seen ||
                 (Norm(s.PlaneNormal() - n) < 1e-9 && std::fabs(Dot(n, s.o - points[i])) < 1e-9);
        }
        if (outer && !seen) out.push_back(MakePlane(n, points[i]));
      }
    }
  }
  return out;
}

/** The cell of a shape; a difference must remove one convex hole that passes through. */
inline geometry::Cell ReadCell(const YAML::Node& shape, const std::string& name) {
  const YAML::Node difference = shape["difference"];
  if (!difference) return geometry::MakeCell(ReadSurfaces(shape), name);
  std::vector<Surface> surfaces = ReadSurfaces(difference[0]);
  const Surface hole = ReadPose(difference[1]["pose"]) * ReadSurfaces(difference[1]).front();
  surfaces.push_back(geometry::Complement(hole));
  return geometry::MakeCell(surfaces, name);
}

/** All pairs of data/oracle. */
inline const std::vector<ReferencePair>& References() {
  static const std::vector<ReferencePair> kPairs = [] {
    const std::string folder = INTERVOX_DATA_DIR "/oracle/";
    const YAML::Node file = YAML::LoadFile(folder + "pairs.yaml");
    const nlohmann::json expected = nlohmann::json::parse(std::ifstream(folder + "expected.json"));
    std::vector<ReferencePair> pairs;
    for (const YAML::Node& node : file["pairs"]) {
      ReferencePair pair;
      pair.name = node["name"].as<std::string>();
      pair.a = ReadCell(file["shapes"][node["a"].as<std::string>()], "a");
      pair.b = ReadCell(file["shapes"][node["b"].as<std::string>()], "b");
      pair.X_WA = ReadPose(node["pose_a"]);
      pair.X_WB = ReadPose(node["pose_b"]);
      const nlohmann::json& e = expected[pair.name];
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

/** The pair in its local frame, as the planner hands it to a rule. */
inline LocalPair LocalPairOf(const ReferencePair& reference, double tolerance, bool* swapped) {
  PairQuery query{&reference.a, &reference.b, reference.X_WA, reference.X_WB, tolerance};
  PairFrame frame;
  LocalPair pair;
  pair.tolerance = tolerance;
  static SmallPolyhedron polyhedron;
  if (MakePairFrame(MakeView(query), &frame)) Prepare(frame, &polyhedron, &pair);
  *swapped = frame.swapped;
  return pair;
}

/** The largest error over its allowance: V to the tolerance, the centroid to tolerance × radius of
 gyration, J to five times the tolerance. 1 just passes. */
inline double WorstError(const InterferenceMetrics& m, const ReferencePair& reference,
                         double tolerance) {
  const double v = std::fabs(m.volume - reference.volume) / reference.volume;
  const double r = std::sqrt(0.5 * Trace(reference.inertia) / reference.volume);
  const double c = Norm(m.p_WC - reference.centroid) / (r + 1e-9);
  const double j = 0.2 * Frobenius(m.J_W - reference.inertia) / Frobenius(reference.inertia);
  return std::max({v, c, j}) / tolerance;
}

}  // namespace intervox::cuda::testing
