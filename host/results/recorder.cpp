#include "host/results/recorder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "host/contact/patch_depth.h"
#include "host/input/error.h"
#include "host/results/run_number.h"

namespace intervox::host {
namespace {

constexpr const char* kSchema = "intervox/results/1";

/** One column: how a row of it is read off a source, as `width` numbers. */
template <class Source>
struct ColumnOf {
  const char* name;
  int width;
  const char* units;
  void (*read)(const Source& source, double* row);
  bool integer = false;
};

void Write(const Vec3& v, double* row) {
  row[0] = v.x;
  row[1] = v.y;
  row[2] = v.z;
}

void Write(const Quaternion& q, double* row) {
  row[0] = q.w;
  row[1] = q.x;
  row[2] = q.y;
  row[3] = q.z;
}

constexpr int kWidest = 9;

constexpr ColumnOf<BodyState> kBody[] = {
    {"position", 3, "m", [](const BodyState& s, double* row) { Write(s.X_WB.p, row); }},
    {"orientation", 4, "1", [](const BodyState& s, double* row) { Write(s.q_WB, row); }},
    {"velocity", 3, "m/s", [](const BodyState& s, double* row) { Write(s.v_WB, row); }},
    {"angular_velocity", 3, "rad/s", [](const BodyState& s, double* row) { Write(s.w_WB, row); }},
    {"contact_force", 3, "N", [](const BodyState& s, double* row) { Write(s.contact_force, row); }},
    {"contact_torque", 3, "N*m",
     [](const BodyState& s, double* row) { Write(s.contact_torque, row); }},
};

constexpr ColumnOf<SensorReading> kSensor[] = {
    {"position", 3, "m", [](const SensorReading& s, double* row) { Write(s.position, row); }},
    {"orientation", 4, "1", [](const SensorReading& s, double* row) { Write(s.orientation, row); }},
    {"velocity", 3, "m/s", [](const SensorReading& s, double* row) { Write(s.velocity, row); }},
    {"angular_velocity", 3, "rad/s",
     [](const SensorReading& s, double* row) { Write(s.angular_velocity, row); }},
    {"force", 3, "N", [](const SensorReading& s, double* row) { Write(s.force, row); }},
    {"torque", 3, "N*m", [](const SensorReading& s, double* row) { Write(s.torque, row); }},
};

/** The columns of a joint that leaves a shift free, one that leaves a turn free, and of all. */
constexpr ColumnOf<JointReading> kShift[] = {
    {"displacement", 1, "m", [](const JointReading& j, double* row) { *row = j.coordinate; }},
    {"rate", 1, "m/s", [](const JointReading& j, double* row) { *row = j.rate; }},
    {"drive", 1, "N", [](const JointReading& j, double* row) { *row = j.drive; }},
};
constexpr ColumnOf<JointReading> kTurn[] = {
    {"angle", 1, "rad", [](const JointReading& j, double* row) { *row = j.coordinate; }},
    {"rate", 1, "rad/s", [](const JointReading& j, double* row) { *row = j.rate; }},
    {"drive", 1, "N*m", [](const JointReading& j, double* row) { *row = j.drive; }},
};
constexpr ColumnOf<JointReading> kJoint[] = {
    {"force", 3, "N", [](const JointReading& j, double* row) { Write(j.force, row); }},
    {"torque", 3, "N*m", [](const JointReading& j, double* row) { Write(j.torque, row); }},
    {"error", 1, "1", [](const JointReading& j, double* row) { *row = j.error; }},
};

/** The columns of a joint's free coordinate, if it has one. */
std::span<const ColumnOf<JointReading>> CoordinateColumns(JointType type) {
  if (type == JointType::kRevolute) return kTurn;
  if (type == JointType::kPrismatic) return kShift;
  return {};
}

constexpr ColumnOf<EnergyAudit> kEnergy[] = {
    {"kinetic", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.kinetic; }},
    {"gravity", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.gravity; }},
    {"elastic", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.elastic; }},
    {"bristle", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.bristle; }},
    {"dissipated_normal", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.dissipated_normal; }},
    {"dissipated_sliding", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.dissipated_sliding; }},
    {"dissipated_spinning", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.dissipated_spinning; }},
    {"dissipated_rolling", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.dissipated_rolling; }},
    {"dissipated_numerical", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.dissipated_numerical; }},
    {"work_applied", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.work_applied; }},
    {"work_driven", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.work_driven; }},
    {"work_relaxation", 1, "J",
     [](const EnergyAudit& e, double* row) { *row = e.work_relaxation; }},
    {"balance", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.balance; }},
    {"law_gain", 1, "J", [](const EnergyAudit& e, double* row) { *row = e.law_gain; }},
};

/** A patch in a sample. */
struct PatchRow {
  const ContactReport& contact;
  std::int64_t sample;
  double time;
};

constexpr ColumnOf<PatchRow> kPatch[] = {
    {"time_index", 1, "1",
     [](const PatchRow& p, double* row) { *row = static_cast<double>(p.sample); }, true},
    {"id", 1, "1", [](const PatchRow& p, double* row) { *row = static_cast<double>(p.contact.id); },
     true},
    {"body_i", 1, "1", [](const PatchRow& p, double* row) { *row = p.contact.body_i; }, true},
    {"body_j", 1, "1", [](const PatchRow& p, double* row) { *row = p.contact.body_j; }, true},
    {"pairs", 1, "1", [](const PatchRow& p, double* row) { *row = p.contact.pairs; }, true},
    {"time", 1, "s", [](const PatchRow& p, double* row) { *row = p.time; }},
    {"volume", 1, "m^3", [](const PatchRow& p, double* row) { *row = Volume(p.contact.geometry); }},
    {"depth", 1, "m", [](const PatchRow& p, double* row) { *row = Depth(p.contact.geometry); }},
    {"centroid", 3, "m",
     [](const PatchRow& p, double* row) { Write(p.contact.geometry.p_WC, row); }},
    {"normal", 3, "1", [](const PatchRow& p, double* row) { Write(p.contact.geometry.n, row); }},
    {"area_vector", 3, "m^2",
     [](const PatchRow& p, double* row) { Write(AreaVector(p.contact.geometry), row); }},
    {"inertia", 9, "m^5",
     [](const PatchRow& p, double* row) {
       for (int i = 0; i < 3; ++i) Write(p.contact.geometry.J_W.Row(i), row + 3 * i);
     }},
    {"normal_force", 1, "N", [](const PatchRow& p, double* row) { *row = p.contact.f_n; }},
    {"force", 3, "N", [](const PatchRow& p, double* row) { Write(p.contact.force, row); }},
    {"torque", 3, "N*m", [](const PatchRow& p, double* row) { Write(p.contact.torque, row); }},
    {"velocity", 3, "m/s", [](const PatchRow& p, double* row) { Write(p.contact.v_c, row); }},
    {"bristle", 3, "m", [](const PatchRow& p, double* row) { Write(p.contact.state.z, row); }},
    {"bristle_angle", 1, "rad",
     [](const PatchRow& p, double* row) { *row = p.contact.state.theta; }},
    {"dwell", 1, "1", [](const PatchRow& p, double* row) { *row = p.contact.state.s_dw; }},
    {"volume_offset", 1, "m^3",
     [](const PatchRow& p, double* row) {
       *row = p.contact.geometry.is_point ? 0.0 : p.contact.state.V_o;
     }},
    {"approach_speed", 1, "m/s",
     [](const PatchRow& p, double* row) { *row = p.contact.latch.v_i; }},
    {"damping_factor", 1, "s/m", [](const PatchRow& p, double* row) { *row = p.contact.latch.a; }},
    {"since", 1, "s", [](const PatchRow& p, double* row) { *row = p.contact.since; }},
};

constexpr ColumnOf<ImpactRecord> kImpact[] = {
    {"time", 1, "s", [](const ImpactRecord& i, double* row) { *row = i.t; }},
    {"body_i", 1, "1", [](const ImpactRecord& i, double* row) { *row = i.body_i; }},
    {"body_j", 1, "1", [](const ImpactRecord& i, double* row) { *row = i.body_j; }},
    {"approach_speed", 1, "m/s",
     [](const ImpactRecord& i, double* row) { *row = i.approach_speed; }},
    {"peak_force", 1, "N", [](const ImpactRecord& i, double* row) { *row = i.peak_force; }},
};

/** @throws InputError unless a file holds results of this scene. */
void RequireSameScene(const ColumnFile& file, const std::filesystem::path& path,
                      const Scene& scene) {
  if (file.Attribute("schema") == kSchema && file.Attribute("scene") == ToYaml(scene)) return;
  throw InputError(path.string() +
                   ": results: they are of another scene or other --set values. Repeat the "
                   "command that began them, or run without --resume.");
}

/** Makes the columns of a table under a group. */
template <class Source>
std::vector<int> MakeColumns(std::span<const ColumnOf<Source>> table, const std::string& group,
                             ColumnFile* file) {
  std::vector<int> columns;
  for (const ColumnOf<Source>& column : table) {
    columns.push_back(
        file->Column(group + "/" + column.name, column.width, column.units, column.integer));
  }
  return columns;
}

/** Adds one row to each column of a table. */
template <class Source>
void PutRow(std::span<const ColumnOf<Source>> table, std::span<const int> columns,
            const Source& source, ColumnFile* file) {
  double row[kWidest];
  for (std::size_t k = 0; k < table.size(); ++k) {
    table[k].read(source, row);
    if (table[k].integer) {
      file->PutInteger(columns[k], static_cast<std::int64_t>(row[0]));
    } else {
      file->Put(columns[k], {row, static_cast<std::size_t>(table[k].width)});
    }
  }
}

}  // namespace

Recorder::Recorder(ColumnFile file, const Scene& scene) : file_(std::move(file)), inputs_(&file_) {
  std::size_t longest = 0;
  for (const BodySettings& body : scene.bodies) longest = std::max(longest, body.name.size());
  file_.Reserve("bodies", scene.bodies.size(), longest);
  file_.ExpectRows(static_cast<std::int64_t>(
      std::fmin(std::ceil(scene.duration / scene.output.every) + 2.0, 1e9)));
  time_ = file_.Column("time", 1, "s");
  for (const BodySettings& body : scene.bodies) {
    bodies_.push_back(MakeColumns<BodyState>(kBody, "bodies/" + body.name, &file_));
  }
  for (const SensorSettings& sensor : scene.sensors) {
    sensors_.push_back(MakeColumns<SensorReading>(kSensor, "sensors/" + sensor.name, &file_));
  }
  for (const JointSettings& joint : scene.joints) {
    const std::string group = "joints/" + joint.name;
    std::vector<int>& columns = joints_.emplace_back();
    columns = MakeColumns<JointReading>(CoordinateColumns(joint.type), group, &file_);
    const std::vector<int> others = MakeColumns<JointReading>(kJoint, group, &file_);
    columns.insert(columns.end(), others.begin(), others.end());
  }
  energies_ = MakeColumns<EnergyAudit>(kEnergy, "energy", &file_);
  file_.ExpectRows(std::numeric_limits<std::int64_t>::max());
  patches_ = MakeColumns<PatchRow>(kPatch, "patches", &file_);
  impacts_ = MakeColumns<ImpactRecord>(kImpact, "impacts", &file_);
}

Recorder Recorder::Create(const std::filesystem::path& path, const Simulation& simulation,
                          const Provenance& provenance, std::optional<double> every) {
  Scene scene = simulation.GetScene();
  scene.output.every = every.value_or(scene.output.every);
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
  const std::uint64_t run = NewRunNumber();
  file.SetAttribute("run", RunNumberText(run));
  Recorder recorder(std::move(file), scene);
  recorder.run_ = run;
  recorder.inputs_.Begin(simulation, &recorder.file_);
  return recorder;
}

bool Recorder::IsComplete(const std::filesystem::path& path, const Scene& scene) {
  const ColumnFile file = ColumnFile::Read(path);
  RequireSameScene(file, path, scene);
  return !file.Attribute("summary_steps").empty();
}

Recorder Recorder::Resume(const std::filesystem::path& path, const Simulation& simulation,
                          const ResultsMark& mark) {
  const Scene& scene = simulation.GetScene();
  ColumnFile file = ColumnFile::Append(path);
  const auto refuse = [&](const std::string& what) {
    throw InputError(path.string() + ": results: " + what + " run without --resume.");
  };
  RequireSameScene(file, path, scene);
  const std::uint64_t run = RunNumberOf(file.Attribute("run"));
  if (mark.run != 0 && run != mark.run) {
    refuse("they are of another run than the checkpoint beside them. Restore them, or");
  }
  const std::vector<double> times = file.Values("time");
  const std::vector<double> indices = file.Values("patches/time_index");
  Recorder recorder(std::move(file), scene);
  recorder.run_ = run;
  const auto keep = std::upper_bound(times.begin(), times.end(), simulation.Time());
  recorder.samples_ = keep - times.begin();
  recorder.last_time_ = recorder.samples_ > 0 ? *(keep - 1) : -1.0;
  const std::int64_t patches =
      std::lower_bound(indices.begin(), indices.end(), static_cast<double>(recorder.samples_)) -
      indices.begin();
  if (mark.run != 0 && (recorder.samples_ != mark.samples || patches != mark.patches)) {
    refuse("they hold " + std::to_string(recorder.samples_) + " samples and " +
           std::to_string(patches) + " patches up to the checkpoint, which was taken after " +
           std::to_string(mark.samples) + " and " + std::to_string(mark.patches) +
           ". Restore the file that belongs to it, or");
  }
  const int first_patch = recorder.patches_.front();
  for (int column = 0; column < first_patch; ++column) {
    recorder.file_.Truncate(column, recorder.samples_);
  }
  for (const int column : recorder.patches_) recorder.file_.Truncate(column, patches);
  recorder.inputs_.Resume(simulation, &recorder.file_);
  return recorder;
}

ResultsMark Recorder::Mark() const { return {run_, samples_, file_.Rows(patches_.front())}; }

void Recorder::Sample(const Simulation& simulation) {
  if (simulation.Time() <= last_time_) return;
  last_time_ = simulation.Time();
  file_.Put(time_, last_time_);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    PutRow<BodyState>(kBody, bodies_[i], simulation.State()[i], &file_);
  }
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    PutRow<SensorReading>(kSensor, sensors_[i], simulation.Sensors()[i], &file_);
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const auto coordinate = CoordinateColumns(simulation.GetScene().joints[i].type);
    PutRow<JointReading>(coordinate, joints_[i], simulation.Joints()[i], &file_);
    PutRow<JointReading>(kJoint, std::span(joints_[i]).subspan(coordinate.size()),
                         simulation.Joints()[i], &file_);
  }
  PutRow<EnergyAudit>(kEnergy, energies_, simulation.Energy(), &file_);
  for (const ContactReport& contact : simulation.Contacts()) {
    PutRow<PatchRow>(kPatch, patches_, {contact, samples_, last_time_}, &file_);
  }
  ++samples_;
}

void Recorder::PutImpactsAndInputs(const Simulation& simulation) {
  for (const int column : impacts_) file_.Truncate(column, 0);
  for (const ImpactRecord& impact : simulation.Impacts()) {
    PutRow<ImpactRecord>(kImpact, impacts_, impact, &file_);
  }
  inputs_.Write(&file_);
}

void Recorder::Spill(const Simulation& simulation) {
  PutImpactsAndInputs(simulation);
  file_.Spill();
}

std::function<void()> Recorder::PrepareFlush(const Simulation& simulation) {
  PutImpactsAndInputs(simulation);
  return file_.PrepareFlush();
}

}  // namespace intervox::host
