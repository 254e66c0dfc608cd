#include "host/simulation.h"

#include <chrono>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>

#include "host/contact/parameters.h"
#include "host/scene/keys.h"
#include "host/simulation/checkpoint.h"
#include "host/simulation/dynamics.h"
#include "host/simulation/reports.h"

namespace intervox {

namespace {

const char* KindName(host::BodyKind kind) {
  return kind == host::BodyKind::kFree     ? "free"
         : kind == host::BodyKind::kDriven ? "driven by a motion"
                                           : "fixed";
}

/** Throws where a component is not what a scene may say in this place. */
void RequireIn(const host::Range& range, const char* call, const char* name, const Vec3& v) {
  for (int i = 0; i < 3; ++i) {
    if (v[i] >= range.lo && v[i] <= range.hi) continue;
    throw std::invalid_argument(
        std::string(call) + ": " + name + "[" + std::to_string(i) + "]: the value " +
        host::NumberText(v[i]) + " is out of range. Give a number from " +
        host::NumberText(range.lo) + " to " + host::NumberText(range.hi) + ".");
  }
}

}  // namespace

struct Simulation::Implementation {
  Implementation(Scene scene, const EngineOptions& options, const host::World* like = nullptr)
      : engine(options), world(host::MakeWorld(std::move(scene), like)), dynamics(*world, engine) {
    dynamics.Start();
    Report();
  }
  /** Shares the world, and leaves the log of inputs. */
  Implementation(const Implementation& other)
      : engine(other.engine.options()),
        world(other.world),
        dynamics(engine, other.dynamics),
        bodies(other.bodies),
        sensors(other.sensors),
        energy(other.energy),
        figures(other.figures),
        at_start(other.at_start) {}

  void Report() {
    host::ReportBodies(dynamics.state(), engine.options().threads, &bodies);
    has_contacts = false;
    host::ReportSensors(*world, bodies, &sensors);
    energy = dynamics.Audit();
    host::UpdateFigures(bodies, &figures);
  }

  /** Makes the reports of the contacts when they are asked for: few steps are looked at. */
  std::span<const ContactReport> Contacts() const {
    const std::lock_guard<std::mutex> lock(reporting);
    if (!has_contacts) host::ReportContacts(dynamics.state(), &contacts);
    has_contacts = true;
    return contacts;
  }

  const BodySettings& Settings(int body) const {
    return world->scene.bodies[static_cast<std::size_t>(body)];
  }

  /** Throws where there is no such body, or it moves in another way. */
  void Require(int body, host::BodyKind kind, const char* call) const {
    const auto& bodies_now = dynamics.state().bodies;
    if (body < 0 || static_cast<std::size_t>(body) >= bodies_now.size()) {
      throw std::invalid_argument(std::string(call) + ": there is no body " + std::to_string(body) +
                                  ". The scene has " + std::to_string(bodies_now.size()) + ".");
    }
    const host::BodyKind is = bodies_now[static_cast<std::size_t>(body)].kind;
    if (is == kind) return;
    throw std::invalid_argument(std::string(call) + ": body " + Settings(body).name + " is " +
                                KindName(is) + ". Only a body that is " + KindName(kind) +
                                " takes this input.");
  }

  /** Throws where a joint holds the body, which a jump would tear off. A place, if given, is none
   where the body is there already. */
  void RequireUnjoined(int body, const char* call, const Pose* place = nullptr) const {
    constexpr double kSame = 1e-9;  // [m], and of a rotation's entries
    const Pose& now = dynamics.state().poses[static_cast<std::size_t>(body)];
    if (place != nullptr && Norm(place->p - now.p) <= kSame &&
        Norm(place->R.row0 - now.R.row0) + Norm(place->R.row1 - now.R.row1) <= kSame) {
      return;
    }
    for (const host::Joint& joint : world->joints) {
      if (joint.body_a != body && joint.body_b != body) continue;
      throw std::invalid_argument(std::string(call) + ": body " + Settings(body).name +
                                  " is held by joint " + joint.name +
                                  ". Place it in the scene, where the joint is made.");
    }
  }

  /** The key of a motion from now on. */
  PrescribedMotion::Key KeyAt(const char* call, const Pose& X, const Vec3& v, const Vec3& w) const {
    RequireIn(host::kLength, call, "position", X.p);
    for (int i = 0; i < 3; ++i) RequireIn(host::kAny, call, "rotation", X.R.Col(i));
    RequireIn(host::kAny, call, "velocity", v);
    RequireIn(host::kAny, call, "angular velocity", w);
    return {dynamics.state().time, X.p, v, ToQuaternion(X.R), w};
  }

  /** Before an input takes effect. */
  void Log(Input::Kind kind, int body, const Pose& X, const Vec3& linear, const Vec3& angular) {
    at_start = false;
    const std::shared_ptr<InputLog> kept = log.lock();
    if (!kept) return;
    const host::State& state = dynamics.state();
    kept->push_back({kind, body, state.counters.steps, state.time, X, linear, angular});
  }

  Engine engine;
  std::shared_ptr<const host::World> world;
  host::Dynamics dynamics;
  std::vector<BodyState> bodies;
  mutable std::mutex reporting;  ///< of the next two, so that threads may read together
  mutable std::vector<ContactReport> contacts;
  mutable bool has_contacts = false;  ///< of the state as it is
  std::vector<SensorReading> sensors;
  EnergyAudit energy;
  host::RunFigures figures;
  std::weak_ptr<InputLog> log;
  bool at_start = true;
};

Simulation::Simulation(Scene scene, EngineOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(scene), options)) {}
Simulation::Simulation(Scene scene, const Simulation& like)
    : implementation_(std::make_unique<Implementation>(std::move(scene),
                                                       like.implementation_->engine.options(),
                                                       like.implementation_->world.get())) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::Step() { Step({}); }

bool Simulation::Step(const std::function<bool()>& cancelled) {
  const auto start = std::chrono::steady_clock::now();
  Implementation& self = *implementation_;
  if (!self.dynamics.Step(cancelled)) return false;
  self.at_start = false;
  self.Report();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  double& slowest = self.dynamics.counters().slowest_step;
  slowest = std::fmax(slowest, took.count());
  return true;
}

bool Simulation::Run(double until, const std::function<bool(Simulation&)>& each) {
  if (std::isnan(until)) throw std::invalid_argument("Run: until is not a number.");
  const double end = std::fmin(until, GetScene().duration) - 0.5 * implementation_->world->step;
  while (Time() < end) {
    Step();
    if (each && !each(*this)) return false;
  }
  return true;
}

double Simulation::Time() const { return implementation_->dynamics.state().time; }

bool Simulation::Done() const {
  // Half a step of slack: n steps of h must reach n h whatever the rounding of both.
  return Time() >= GetScene().duration - 0.5 * implementation_->world->step;
}

std::span<const BodyState> Simulation::State() const { return implementation_->bodies; }

std::span<const ContactReport> Simulation::Contacts() const { return implementation_->Contacts(); }

std::span<const SensorReading> Simulation::Sensors() const { return implementation_->sensors; }

std::span<const JointReading> Simulation::Joints() const {
  return implementation_->dynamics.state().joints;
}

double Simulation::LargestJointError() const {
  return implementation_->dynamics.state().joint_error;
}

const EnergyAudit& Simulation::Energy() const { return implementation_->energy; }

std::span<const ImpactRecord> Simulation::Impacts() const {
  return implementation_->dynamics.state().impacts;
}

std::span<const Vec3> Simulation::PeakForces() const { return implementation_->figures.peak_force; }

std::span<const ArrestRecord> Simulation::Arrests() const {
  return implementation_->dynamics.state().arrests;
}

std::span<const EnergyGain> Simulation::Gains() const {
  return implementation_->dynamics.state().gains;
}

double Simulation::RestingFor() const {
  return Time() - implementation_->dynamics.state().moving_until;
}

const SimulationCounters& Simulation::Counters() const {
  return implementation_->dynamics.state().counters;
}

const Scene& Simulation::GetScene() const { return implementation_->world->scene; }

std::span<const std::string> Simulation::Warnings() const {
  return implementation_->world->warnings;
}

std::span<const geometry::Cell> Simulation::Cells(int body) const {
  return implementation_->world->cells.at(static_cast<std::size_t>(body));
}

void Simulation::SetWrench(int body, const Vec3& force, const Vec3& torque, const Vec3& point) {
  Implementation& self = *implementation_;
  self.Require(body, host::BodyKind::kFree, "SetWrench");
  RequireIn(host::kAny, "SetWrench", "force", force);
  RequireIn(host::kAny, "SetWrench", "torque", torque);
  RequireIn(host::kLength, "SetWrench", "point", point);
  self.Log(Input::Kind::kWrench, body, {Mat3::Identity(), point}, force, torque);
  host::BodyInput& input = self.dynamics.Input(body);
  input.force = force;
  input.torque = torque;
  input.p_BP = point;
}

void Simulation::SetHolderTarget(int body, const Pose& X_WT, const Vec3& v, const Vec3& w) {
  Implementation& self = *implementation_;
  self.Require(body, host::BodyKind::kFree, "SetHolderTarget");
  if (!self.Settings(body).holder) {
    throw std::invalid_argument("SetHolderTarget: body " + self.Settings(body).name +
                                " has no holder. Give it one in the scene.");
  }
  const PrescribedMotion::Key drive = self.KeyAt("SetHolderTarget", X_WT, v, w);
  self.Log(Input::Kind::kHolderTarget, body, X_WT, v, w);
  host::BodyInput& input = self.dynamics.Input(body);
  input.drive = drive;
  input.drives = true;
}

void Simulation::SetMotion(int body, const Pose& X_WB, const Vec3& v, const Vec3& w) {
  Implementation& self = *implementation_;
  self.Require(body, host::BodyKind::kDriven, "SetMotion");
  const PrescribedMotion::Key key = self.KeyAt("SetMotion", X_WB, v, w);
  self.RequireUnjoined(body, "SetMotion", &X_WB);
  self.Log(Input::Kind::kMotion, body, X_WB, v, w);
  self.dynamics.Place(body, key);
  self.Report();
}

void Simulation::SetState(int body, const Pose& X_WB, const Vec3& v, const Vec3& w) {
  Implementation& self = *implementation_;
  self.Require(body, host::BodyKind::kFree, "SetState");
  const PrescribedMotion::Key key = self.KeyAt("SetState", X_WB, v, w);
  self.RequireUnjoined(body, "SetState");
  self.Log(Input::Kind::kState, body, X_WB, v, w);
  self.dynamics.Place(body, key);
  self.Report();
}

void Simulation::Apply(const Input& input) {
  switch (input.kind) {
    case Input::Kind::kWrench:
      return SetWrench(input.body, input.linear, input.angular, input.X.p);
    case Input::Kind::kHolderTarget:
      return SetHolderTarget(input.body, input.X, input.linear, input.angular);
    case Input::Kind::kMotion:
      return SetMotion(input.body, input.X, input.linear, input.angular);
    case Input::Kind::kState:
      return SetState(input.body, input.X, input.linear, input.angular);
  }
  throw std::invalid_argument("Apply: there is no such kind of input.");
}

void Simulation::KeepInputs(const std::weak_ptr<InputLog>& log) const {
  implementation_->log = log;
}

bool Simulation::AtStart() const { return implementation_->at_start; }

Simulation Simulation::Clone() const {
  return Simulation(std::make_unique<Implementation>(*implementation_));
}

Simulation::Simulation(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

std::vector<unsigned char> Simulation::Save() const {
  const Implementation& self = *implementation_;
  return host::MakeCheckpoint(*self.world, self.dynamics.state(), self.figures);
}

void Simulation::Restore(std::span<const unsigned char> bytes) {
  Implementation& self = *implementation_;
  self.dynamics.Restore(host::FromCheckpoint(bytes, "in memory", *self.world, &self.figures));
  self.at_start = false;
  self.Report();
}

void Simulation::Save(const std::filesystem::path& path) const { PrepareSave(path)(); }

std::function<void()> Simulation::PrepareSave(const std::filesystem::path& path) const {
  const Implementation& self = *implementation_;
  return [path, bytes = host::MakeCheckpoint(*self.world, self.dynamics.state(), self.figures)] {
    host::WriteCheckpoint(path, bytes);
  };
}

void Simulation::Restore(const std::filesystem::path& path) {
  Implementation& self = *implementation_;
  self.dynamics.Restore(host::ReadCheckpoint(path, *self.world, &self.figures));
  self.at_start = false;
  self.Report();
}

}  // namespace intervox
