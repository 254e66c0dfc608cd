#include "host/results/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "host/scene/error.h"

namespace intervox::host {
namespace {

constexpr const char* kSchema = "intervox/results/1";

struct EnergyTerm {
  const char* name;
  double EnergyAudit::*value;
};

constexpr std::array<EnergyTerm, 12> kEnergies = {{
    {"kinetic", &EnergyAudit::kinetic},
    {"gravity", &EnergyAudit::gravity},
    {"elastic", &EnergyAudit::elastic},
    {"bristle", &EnergyAudit::bristle},
    {"dissipated_normal", &EnergyAudit::dissipated_normal},
    {"dissipated_sliding", &EnergyAudit::dissipated_sliding},
    {"dissipated_spinning", &EnergyAudit::dissipated_spinning},
    {"dissipated_rolling", &EnergyAudit::dissipated_rolling},
    {"work_applied", &EnergyAudit::work_applied},
    {"work_driven", &EnergyAudit::work_driven},
    {"work_relaxation", &EnergyAudit::work_relaxation},
    {"balance", &EnergyAudit::balance},
}};

/** Slashes would make groups. */
std::string GroupName(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name.empty() || name == "." ? "_" : name;
}

void PutVector(ColumnFile& file, int column, const Vec3& v) {
  file.Put(column, std::array<double, 3>{v.x, v.y, v.z});
}

void PutQuaternion(ColumnFile& file, int column, const Quaternion& q) {
  file.Put(column, std::array<double, 4>{q.w, q.x, q.y, q.z});
}

}  // namespace

Recorder::Recorder(ColumnFile file, const Scene& scene) : file_(std::move(file)) {
  time_ = file_.Column("time", 1, "s");
  const auto frame = [&](const std::string& group, const std::string& prefix) {
    FrameColumns c;
    c.position = file_.Column(group + "/position", 3, "m");
    c.orientation = file_.Column(group + "/orientation", 4, "1");
    c.velocity = file_.Column(group + "/velocity", 3, "m/s");
    c.angular_velocity = file_.Column(group + "/angular_velocity", 3, "rad/s");
    c.force = file_.Column(group + "/" + prefix + "force", 3, "N");
    c.torque = file_.Column(group + "/" + prefix + "torque", 3, "N*m");
    return c;
  };
  for (const BodySettings& body : scene.bodies) {
    bodies_.push_back(frame("bodies/" + GroupName(body.name), "contact_"));
  }
  for (const SensorSettings& sensor : scene.sensors) {
    sensors_.push_back(frame("sensors/" + GroupName(sensor.name), ""));
  }
  for (const EnergyTerm& term : kEnergies) {
    energies_.push_back(file_.Column(std::string("energy/") + term.name, 1, "J"));
  }
  const auto patch = [&](const char* name, int width, const char* units, bool integer = false) {
    return file_.Column(std::string("patches/") + name, width, units, integer);
  };
  patch_.time_index = patch("time_index", 1, "1", true);
  patch_.id = patch("id", 1, "1", true);
  patch_.body_i = patch("body_i", 1, "1", true);
  patch_.body_j = patch("body_j", 1, "1", true);
  patch_.pairs = patch("pairs", 1, "1", true);
  patch_.time = patch("time", 1, "s");
  patch_.volume = patch("volume", 1, "m^3");
  patch_.centroid = patch("centroid", 3, "m");
  patch_.normal = patch("normal", 3, "1");
  patch_.area_vector = patch("area_vector", 3, "m^2");
  patch_.inertia = patch("inertia", 9, "m^5");
  patch_.f_n = patch("normal_force", 1, "N");
  patch_.force = patch("force", 3, "N");
  patch_.torque = patch("torque", 3, "N*m");
  patch_.velocity = patch("velocity", 3, "m/s");
  patch_.z = patch("bristle", 3, "m");
  patch_.theta = patch("bristle_angle", 1, "rad");
  patch_.s_dw = patch("dwell", 1, "1");
  patch_.volume_offset = patch("volume_offset", 1, "m^3");
  patch_.v_i = patch("approach_speed", 1, "m/s");
  patch_.a = patch("damping_factor", 1, "s/m");
  patch_.since = patch("since", 1, "s");
  for (const auto& [name, units] :
       {std::pair{"time", "s"}, std::pair{"body_i", "1"}, std::pair{"body_j", "1"},
        std::pair{"approach_speed", "m/s"}, std::pair{"peak_force", "N"}}) {
    impacts_.push_back(file_.Column(std::string("impacts/") + name, 1, units));
  }
}

Recorder Recorder::Create(const std::filesystem::path& path, const Simulation& simulation,
                          const Provenance& provenance) {
  const Scene& scene = simulation.GetScene();
  ColumnFile file = ColumnFile::Create(path);
  file.SetAttribute("schema", kSchema);
  file.SetAttribute("scene", ToYaml(scene));
  file.SetAttribute("source", scene.source);
  file.SetAttribute("name", scene.name);
  file.SetAttribute("program_version", provenance.version);
  file.SetAttribute("commit", provenance.commit);
  file.SetAttribute("device", provenance.device);
  file.SetAttribute("seed", 0.0);
  std::string names;
  for (const BodySettings& body : scene.bodies) names += (names.empty() ? "" : "\n") + body.name;
  file.SetAttribute("bodies", names);
  Recorder recorder(std::move(file), scene);
  recorder.file_.Flush();
  return recorder;
}

Recorder Recorder::Resume(const std::filesystem::path& path, const Simulation& simulation) {
  const Scene& scene = simulation.GetScene();
  ColumnFile file = ColumnFile::Append(path);
  if (file.Attribute("schema") != kSchema || file.Attribute("scene") != ToYaml(scene)) {
    throw InputError(path.string() +
                     ": results: they are of another scene or other --set values. Repeat the "
                     "command that began them, or run without --resume.");
  }
  const std::vector<double> times = file.Values("time");
  const std::vector<double> indices = file.Values("patches/time_index");
  Recorder recorder(std::move(file), scene);
  const auto keep = std::upper_bound(times.begin(), times.end(), simulation.Time());
  recorder.samples_ = keep - times.begin();
  recorder.last_time_ = recorder.samples_ > 0 ? *(keep - 1) : -1.0;
  const auto patches =
      std::lower_bound(indices.begin(), indices.end(), static_cast<double>(recorder.samples_));
  const int first_patch = recorder.patch_.time_index;
  const int last_patch = recorder.patch_.since;
  for (int column = 0; column <= last_patch; ++column) {
    recorder.file_.Truncate(column,
                            column >= first_patch ? patches - indices.begin() : recorder.samples_);
  }
  return recorder;
}

void Recorder::Sample(const Simulation& simulation) {
  if (simulation.Time() <= last_time_) return;
  last_time_ = simulation.Time();
  file_.Put(time_, last_time_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyState& body = simulation.State()[i];
    PutVector(file_, bodies_[i].position, body.X_WB.p);
    PutQuaternion(file_, bodies_[i].orientation, body.q_WB);
    PutVector(file_, bodies_[i].velocity, body.v_WB);
    PutVector(file_, bodies_[i].angular_velocity, body.w_WB);
    PutVector(file_, bodies_[i].force, body.contact_force);
    PutVector(file_, bodies_[i].torque, body.contact_torque);
  }
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const SensorReading& reading = simulation.Sensors()[i];
    PutVector(file_, sensors_[i].position, reading.position);
    PutQuaternion(file_, sensors_[i].orientation, reading.orientation);
    PutVector(file_, sensors_[i].velocity, reading.velocity);
    PutVector(file_, sensors_[i].angular_velocity, reading.angular_velocity);
    PutVector(file_, sensors_[i].force, reading.force);
    PutVector(file_, sensors_[i].torque, reading.torque);
  }
  for (std::size_t i = 0; i < energies_.size(); ++i) {
    file_.Put(energies_[i], simulation.Energy().*kEnergies[i].value);
  }
  for (const ContactReport& contact : simulation.Contacts()) PutPatch(contact, last_time_);
  ++samples_;
}

void Recorder::PutPatch(const ContactReport& contact, double time) {
  file_.PutInteger(patch_.time_index, samples_);
  file_.PutInteger(patch_.id, static_cast<std::int64_t>(contact.id));
  file_.PutInteger(patch_.body_i, contact.body_i);
  file_.PutInteger(patch_.body_j, contact.body_j);
  file_.PutInteger(patch_.pairs, contact.pairs);
  file_.Put(patch_.time, time);
  file_.Put(patch_.volume, contact.geometry.V);
  PutVector(file_, patch_.centroid, contact.geometry.p_WC);
  PutVector(file_, patch_.normal, contact.geometry.n);
  PutVector(file_, patch_.area_vector, contact.geometry.S);
  for (int i = 0; i < 3; ++i) PutVector(file_, patch_.inertia, contact.geometry.J_W.Row(i));
  file_.Put(patch_.f_n, contact.f_n);
  PutVector(file_, patch_.force, contact.force);
  PutVector(file_, patch_.torque, contact.torque);
  PutVector(file_, patch_.velocity, contact.v_c);
  PutVector(file_, patch_.z, contact.state.z);
  file_.Put(patch_.theta, contact.state.theta);
  file_.Put(patch_.s_dw, contact.state.s_dw);
  file_.Put(patch_.volume_offset, contact.state.V_o);
  file_.Put(patch_.v_i, contact.latch.v_i);
  file_.Put(patch_.a, contact.latch.a);
  file_.Put(patch_.since, contact.since);
}

void Recorder::Flush(const Simulation& simulation) {
  std::array<std::vector<double>, 5> columns;
  for (const ImpactRecord& impact : simulation.Impacts()) {
    columns[0].push_back(impact.t);
    columns[1].push_back(impact.body_i);
    columns[2].push_back(impact.body_j);
    columns[3].push_back(impact.approach_speed);
    columns[4].push_back(impact.peak_force);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) file_.Replace(impacts_[i], columns[i]);
  file_.Flush();
}

}  // namespace intervox::host
