#include "host/simulation.h"

#include <chrono>
#include <cmath>

#include "host/simulation/checkpoint.h"
#include "host/simulation/dynamics.h"
#include "host/simulation/reports.h"

namespace intervox {

struct Simulation::Implementation {
  Implementation(Scene scene, const EngineOptions& options)
      : engine(options), world(host::MakeWorld(std::move(scene))), dynamics(*world, engine) {
    dynamics.Start();
    Report();
  }

  void Report() {
    host::ReportBodies(dynamics.state(), &bodies);
    host::ReportContacts(dynamics.state(), &contacts);
    host::ReportSensors(*world, bodies, &sensors);
    energy = dynamics.Audit();
    host::UpdateFigures(bodies, &figures);
  }

  Engine engine;
  std::unique_ptr<host::World> world;
  host::Dynamics dynamics;
  std::vector<BodyState> bodies;
  std::vector<ContactReport> contacts;
  std::vector<SensorReading> sensors;
  EnergyAudit energy;
  host::RunFigures figures;
};

Simulation::Simulation(Scene scene, EngineOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(scene), options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::Step() {
  const auto start = std::chrono::steady_clock::now();
  Implementation& self = *implementation_;
  self.dynamics.Step();
  self.Report();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  double& slowest = self.dynamics.counters().slowest_step;
  slowest = std::fmax(slowest, took.count());
}

double Simulation::Time() const { return implementation_->dynamics.state().time; }

bool Simulation::Done() const {
  // Half a step of slack: n steps of h must reach n h whatever the rounding of both.
  return Time() >= GetScene().duration - 0.5 * implementation_->world->step;
}

std::span<const BodyState> Simulation::State() const { return implementation_->bodies; }

std::span<const ContactReport> Simulation::Contacts() const { return implementation_->contacts; }

std::span<const SensorReading> Simulation::Sensors() const { return implementation_->sensors; }

const EnergyAudit& Simulation::Energy() const { return implementation_->energy; }

std::span<const ImpactRecord> Simulation::Impacts() const {
  return implementation_->dynamics.state().impacts;
}

std::span<const Vec3> Simulation::PeakForces() const { return implementation_->figures.peak_force; }

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
  self.Report();
}

}  // namespace intervox
