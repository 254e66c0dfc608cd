#include "host/cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace intervox::cli {
namespace {

const ImpactRecord* Largest(const Simulation& simulation, double ImpactRecord::*value) {
  const std::span<const ImpactRecord> impacts = simulation.Impacts();
  const auto largest = std::max_element(
      impacts.begin(), impacts.end(),
      [&](const ImpactRecord& a, const ImpactRecord& b) { return a.*value < b.*value; });
  return largest == impacts.end() ? nullptr : &*largest;
}

std::string Names(const Simulation& simulation, const ImpactRecord& impact) {
  const auto& bodies = simulation.GetScene().bodies;
  return bodies[static_cast<std::size_t>(impact.body_i)].name + " on " +
         bodies[static_cast<std::size_t>(impact.body_j)].name;
}

nlohmann::ordered_json ImpactJson(const Simulation& simulation, const ImpactRecord* impact) {
  if (impact == nullptr) return nullptr;
  const auto& bodies = simulation.GetScene().bodies;
  nlohmann::ordered_json j;
  j["time"] = impact->t;
  j["bodies"] = {bodies[static_cast<std::size_t>(impact->body_i)].name,
                 bodies[static_cast<std::size_t>(impact->body_j)].name};
  j["approach_speed"] = impact->approach_speed;
  j["peak_force"] = impact->peak_force;
  return j;
}

nlohmann::ordered_json Numbers(const Vec3& v) { return {v.x, v.y, v.z}; }

/** The figures that JSON and the results' attributes share, by name. */
std::vector<std::pair<std::string, double>> Figures(const Simulation& simulation, double wall,
                                                    double begin) {
  const double resting = simulation.RestingFor();
  const SimulationCounters& counters = simulation.Counters();
  return {{"impacts", static_cast<double>(simulation.Impacts().size())},
          {"rest_time", resting > 0 ? simulation.Time() - resting : -1.0},
          {"steps", static_cast<double>(counters.steps)},
          {"pairs", static_cast<double>(counters.pairs)},
          {"unconverged_stages", static_cast<double>(counters.unconverged_stages)},
          {"engine_failures", static_cast<double>(counters.engine_failures)},
          {"substeps", static_cast<double>(counters.substeps)},
          {"dissipative_substeps", static_cast<double>(counters.dissipative_substeps)},
          {"redone_substeps", static_cast<double>(counters.redone_substeps)},
          {"slowed_substeps", static_cast<double>(counters.slowed_substeps)},
          {"gaining_substeps", static_cast<double>(counters.gaining_substeps)},
          {"arrests", static_cast<double>(counters.arrests)},
          {"creating_contacts", static_cast<double>(counters.creating_contacts)},
          {"bounded_contacts", static_cast<double>(counters.bounded_contacts)},
          {"largest_fall", simulation.Energy().largest_fall},
          {"wall_time", wall},
          {"real_time_factor", wall > 0 ? (simulation.Time() - begin) / wall : 0.0},
          {"slowest_step", counters.slowest_step}};
}

/** The energies as they are now: what laws without a potential gave, and what bounds of passive
 contacts took of it, stands neither in what is stored nor in what is dissipated. */
std::string EnergyText(const EnergyAudit& e) {
  std::string text = fmt::format(
      "  energy [J]       kinetic {:.4g}, gravity {:.4g}, stored {:.4g}, work {:.4g}\n"
      "    dissipated     {:.4g}: normal {:.4g}, sliding {:.4g}, spinning {:.4g}, rolling {:.4g}, "
      "numerical {:.4g}\n",
      e.kinetic, e.gravity, e.Stored() + e.bristle,
      e.work_applied + e.work_driven + e.work_relaxation, e.Dissipated() - e.bound_loss,
      e.dissipated_normal - e.bound_loss, e.dissipated_sliding, e.dissipated_spinning,
      e.dissipated_rolling, e.dissipated_numerical);
  constexpr double kWorthSaying = 1e-3;  // of all that is named here
  const double all = e.kinetic + std::fabs(e.gravity) + e.Dissipated();
  if (std::fabs(e.law_gain) + e.bound_loss > kWorthSaying * all) {
    text += fmt::format("    by the law     {:.3g} {}", std::fabs(e.law_gain),
                        e.law_gain > 0 ? "given that nothing put in" : "kept of what was put in");
    if (e.bound_loss > 0) {
      text += fmt::format("; {:.3g} more was given and taken back at once", e.bound_loss);
    }
    text += '\n';
  }
  return text + fmt::format("    left over      {:.3g}, by the integrator\n", e.balance);
}

}  // namespace

std::string SummaryJson(const Simulation& simulation, double wall, double begin) {
  const Scene& scene = simulation.GetScene();
  const EnergyAudit& energy = simulation.Energy();
  nlohmann::ordered_json j;
  j["name"] = scene.name;
  j["time"] = simulation.Time();
  for (const auto& [name, value] : Figures(simulation, wall, begin)) j[name] = value;
  j["fastest_impact"] = ImpactJson(simulation, Largest(simulation, &ImpactRecord::approach_speed));
  j["hardest_impact"] = ImpactJson(simulation, Largest(simulation, &ImpactRecord::peak_force));
  j["bodies"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyState& state = simulation.State()[i];
    j["bodies"][scene.bodies[i].name] = {
        {"position", Numbers(state.X_WB.p)},
        {"orientation", {state.q_WB.w, state.q_WB.x, state.q_WB.y, state.q_WB.z}},
        {"peak_force", Numbers(simulation.PeakForces()[i])},
        {"last_force", Numbers(state.contact_force)}};
  }
  if (!scene.joints.empty()) {
    j["largest_joint_error"] = simulation.LargestJointError();
    j["joint_projection"] = energy.joint_projection;
    for (std::size_t i = 0; i < scene.joints.size(); ++i) {
      const JointReading& joint = simulation.Joints()[i];
      j["joints"][scene.joints[i].name] = {{"coordinate", joint.coordinate},
                                           {"rate", joint.rate},
                                           {"force", Numbers(joint.force)},
                                           {"torque", Numbers(joint.torque)},
                                           {"drive", joint.drive}};
    }
  }
  j["energy"] = {{"kinetic", energy.kinetic},
                 {"gravity", energy.gravity},
                 {"elastic", energy.elastic},
                 {"bristle", energy.bristle},
                 {"dissipated_normal", energy.dissipated_normal},
                 {"dissipated_sliding", energy.dissipated_sliding},
                 {"dissipated_spinning", energy.dissipated_spinning},
                 {"dissipated_rolling", energy.dissipated_rolling},
                 {"dissipated_numerical", energy.dissipated_numerical},
                 {"work_applied", energy.work_applied},
                 {"work_driven", energy.work_driven},
                 {"work_relaxation", energy.work_relaxation},
                 {"balance", energy.balance},
                 {"law_gain", energy.law_gain},
                 {"bound_loss", energy.bound_loss}};
  return j.dump(1);
}

std::string SummaryText(const Simulation& simulation, double wall, double begin) {
  const Scene& scene = simulation.GetScene();
  const EnergyAudit& energy = simulation.Energy();
  const SimulationCounters& counters = simulation.Counters();
  std::string text = fmt::format("{}: {:g} s simulated\n", scene.name, simulation.Time());
  text += fmt::format("  impacts          {}\n", simulation.Impacts().size());
  if (const ImpactRecord* fast = Largest(simulation, &ImpactRecord::approach_speed)) {
    text += fmt::format("    fastest        {:.4g} m/s at {:.4g} s, {}\n", fast->approach_speed,
                        fast->t, Names(simulation, *fast));
  }
  if (const ImpactRecord* hard = Largest(simulation, &ImpactRecord::peak_force)) {
    text += fmt::format("    hardest        {:.4g} N, began at {:.4g} s, {}\n", hard->peak_force,
                        hard->t, Names(simulation, *hard));
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed) continue;
    const Vec3& p = simulation.PeakForces()[i];
    const Vec3& last = simulation.State()[i].contact_force;
    text += fmt::format("  {}: peak |force|   x {:.4g} N, y {:.4g} N, z {:.4g} N\n",
                        scene.bodies[i].name, p.x, p.y, p.z);
    text += fmt::format("  {}: last force     x {:.6g} N, y {:.6g} N, z {:.6g} N\n",
                        scene.bodies[i].name, last.x, last.y, last.z);
  }
  const double resting = simulation.RestingFor();
  text += resting > 0
              ? fmt::format("  at rest since    {:.4g} s (slow against the scene's own speeds)\n",
                            simulation.Time() - resting)
              : std::string("  at rest since    - (still moving)\n");
  text += EnergyText(energy);
  if (!scene.joints.empty()) {
    text += fmt::format(
        "    at joints      {:.3g} of the numerical, by putting bodies back onto them\n"
        "  joints           {}, largest error {:.2g} m or rad\n",
        energy.joint_projection, scene.joints.size(), simulation.LargestJointError());
  }
  if (energy.largest_fall > 0.0) {
    text += fmt::format("    largest fall   {:.3g} of a dissipated energy, by negative weights\n",
                        energy.largest_fall);
  }
  text += fmt::format("  steps            {} ({} stages, {} unconverged, {} engine failures)\n",
                      counters.steps, counters.stages, counters.unconverged_stages,
                      counters.engine_failures);
  text += fmt::format("  substeps         {} ({} dissipative, {} done again, {} gained energy)\n",
                      counters.substeps, counters.dissipative_substeps, counters.redone_substeps,
                      counters.gaining_substeps);
  if (counters.bounded_contacts > 0) {
    text += fmt::format(
        "    bounded        {} contacts, summed over substeps: they had given back what they got\n",
        counters.bounded_contacts);
  }
  if (counters.slowed_substeps > 0) {
    text += fmt::format(
        "    slowed         {} substeps: what they gained was taken from their "
        "motion\n",
        counters.slowed_substeps);
  }
  if (counters.arrests > 0) {
    text += fmt::format("    arrests        {}\n", counters.arrests);
  }
  text +=
      fmt::format("  wall time        {:.3g} s, {:.3g} x real time, slowest step {:.3g} ms\n", wall,
                  wall > 0 ? (simulation.Time() - begin) / wall : 0.0, 1e3 * counters.slowest_step);
  return text;
}

void WriteSummary(const Simulation& simulation, double wall, double begin,
                  host::Recorder& recorder) {
  for (const auto& [name, value] : Figures(simulation, wall, begin)) {
    recorder.Set("summary_" + name, value);
  }
}

}  // namespace intervox::cli
