#include "host/batch/quantity.h"

#include <cmath>
#include <stdexcept>

#include "host/input/nearest.h"

namespace intervox::host {
namespace {

/** A vector of a body, and of a sensor, by the word for it. */
struct VectorWord {
  const char* word;
  Vec3 (*of_body)(const BodyState&);
  Vec3 (*of_sensor)(const SensorReading&);
  bool length_only = false;
};

constexpr VectorWord kVectors[] = {
    {"position", [](const BodyState& b) { return b.X_WB.p; },
     [](const SensorReading& s) { return s.position; }},
    {"velocity", [](const BodyState& b) { return b.v_WB; },
     [](const SensorReading& s) { return s.velocity; }},
    {"speed", [](const BodyState& b) { return b.v_WB; },
     [](const SensorReading& s) { return s.velocity; }, true},
    {"angular_velocity", [](const BodyState& b) { return b.w_WB; },
     [](const SensorReading& s) { return s.angular_velocity; }},
    {"angular_speed", [](const BodyState& b) { return b.w_WB; },
     [](const SensorReading& s) { return s.angular_velocity; }, true},
    {"force", [](const BodyState& b) { return b.contact_force; },
     [](const SensorReading& s) { return s.force; }},
    {"torque", [](const BodyState& b) { return b.contact_torque; },
     [](const SensorReading& s) { return s.torque; }},
};
constexpr const char* kOrientation = "orientation";

/** A number of the whole simulation by its word. */
struct SceneWord {
  const char* word;
  double (*read)(const Simulation&);
};

constexpr SceneWord kSceneWords[] = {
    {"time", [](const Simulation& s) { return s.Time(); }},
    {"kinetic_energy", [](const Simulation& s) { return s.Energy().kinetic; }},
    {"energy_gap", [](const Simulation& s) { return s.Energy().balance; }},
    {"contacts", [](const Simulation& s) { return static_cast<double>(s.Contacts().size()); }},
    {"impacts", [](const Simulation& s) { return static_cast<double>(s.Impacts().size()); }},
};

double Part(const Vec3& v, int index) {
  return index < 0 ? Norm(v) : index == 0 ? v.x : index == 1 ? v.y : v.z;
}

double Part(const Quaternion& q, int index) {
  return index == 0 ? q.w : index == 1 ? q.x : index == 2 ? q.y : q.z;
}

/** Index of a name in a list of named things; −1: none. */
template <class Named>
int Find(const std::vector<Named>& list, const std::string& name) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

void RequireIndex(const std::string& word, int index, int count, bool required) {
  if (index < count && (index >= 0 || !required)) return;
  throw std::invalid_argument("'" + word + "' has " + std::to_string(count) +
                              " components. Give an index from [0] to [" +
                              std::to_string(count - 1) + "].");
}

[[noreturn]] void RefuseName(const std::string& name, const Scene& scene) {
  std::vector<std::string> names;
  for (const BodySettings& body : scene.bodies) names.push_back(body.name);
  for (const SensorSettings& sensor : scene.sensors) names.push_back(sensor.name);
  throw std::invalid_argument("no body or sensor is named '" + name + "'. " + Suggest(name, names));
}

}  // namespace

bool AsksOfBody(std::string_view word) {
  for (const VectorWord& vector : kVectors) {
    if (word == vector.word) return true;
  }
  return word == kOrientation;
}

std::vector<std::string> QuantityNames() {
  std::vector<std::string> names{kOrientation};
  for (const VectorWord& vector : kVectors) names.emplace_back(vector.word);
  for (const SceneWord& word : kSceneWords) names.emplace_back(word.word);
  return names;
}

std::optional<Quantity> SceneQuantity(std::string_view word) {
  for (const SceneWord& known : kSceneWords) {
    if (word == known.word) return known.read;
  }
  return std::nullopt;
}

Quantity BodyQuantity(const std::string& word, const std::string& name, int index,
                      const Scene& scene) {
  const int body = Find(scene.bodies, name);
  const int sensor = Find(scene.sensors, name);
  if (body < 0 && sensor < 0) RefuseName(name, scene);
  const auto k = static_cast<std::size_t>(body >= 0 ? body : sensor);
  if (word == kOrientation) {
    RequireIndex(word, index, 4, true);
    if (body >= 0) return [=](const Simulation& s) { return Part(s.State()[k].q_WB, index); };
    return [=](const Simulation& s) { return Part(s.Sensors()[k].orientation, index); };
  }
  for (const VectorWord& vector : kVectors) {
    if (word != vector.word) continue;
    if (vector.length_only && index >= 0) {
      throw std::invalid_argument("'" + word + "' is one number. Leave the index out.");
    }
    RequireIndex(word, index, 3, false);
    if (body >= 0) {
      return
          [=, of = vector.of_body](const Simulation& s) { return Part(of(s.State()[k]), index); };
    }
    return
        [=, of = vector.of_sensor](const Simulation& s) { return Part(of(s.Sensors()[k]), index); };
  }
  throw std::invalid_argument("'" + word + "' is unknown. " + Suggest(word, QuantityNames()));
}

}  // namespace intervox::host
