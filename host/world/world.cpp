#include "host/world/world.h"

#include <algorithm>
#include <cmath>

#include "geometry/bounds.h"
#include "geometry/grid/grid_cells.h"
#include "geometry/solid.h"
#include "host/contact/friction_bristle.h"
#include "host/contact/parameters.h"
#include "host/input/nearest.h"
#include "host/parts/part.h"
#include "host/scene/grids.h"
#include "host/world/body_names.h"
#include "host/world/checksum.h"
#include "integrators/adaptive.h"

namespace intervox::host {
namespace {

bool IsAdaptive(const Scene& scene) {
  return integrators::FindAdaptiveMethod(scene.integrator.method) != nullptr;
}

void ResolveIntegrator(World* world) {
  const Scene& scene = world->scene;
  const auto fail = [&](const std::string& key, const std::string& what) {
    FailAt(scene.integrator.places.Of(key), scene.path.string(), "integrator." + key, what);
  };
  const bool adaptive = IsAdaptive(scene);
  if (adaptive && !integrators::HasAdaptiveMethods()) {
    fail("method", "\"" + scene.integrator.method +
                       "\" needs SUNDIALS, which this program was built without. Install "
                       "libsundials-dev and build it again, or use ark3.");
  }
  // Whatever looks at the stages of an adaptive method finds those of an explicit scheme.
  world->tableau = integrators::FindTableau(adaptive ? "rk5" : scene.integrator.method);
  if (world->tableau == nullptr) {
    std::string known;
    for (const integrators::Tableau& tableau : integrators::AllTableaus()) {
      known += (known.empty() ? "" : ", ") + std::string(tableau.name);
    }
    for (const integrators::AdaptiveMethod& method : integrators::AllAdaptiveMethods()) {
      known += ", " + std::string(method.name);
    }
    fail("method", "\"" + scene.integrator.method + "\" is not known. Use one of: " + known + ".");
  }
  world->step = scene.integrator.step;
  if (!(world->step > 0) || !std::isfinite(world->step)) {
    fail("step", "must be positive (" + NumberText(world->step) + "). Give a step in s.");
  }
}

void RequireMaterial(const Scene& scene, const BodySettings& body) {
  if (body.material.empty() || scene.materials.contains(body.material)) return;
  FailAt(body.places.Of("material"), scene.path.string(), "bodies." + body.name + ".material",
         "no material is named '" + body.material + "'. " +
             Suggest(body.material, Names(scene.materials)));
}

/** Mass properties by integration need a bounded solid. */
void RequireBounded(const Scene& scene, const BodySettings& body, const SolidCells& solid) {
  const bool weighed = !body.fixed && !body.motion && !(body.inertia && body.mass);
  if (!weighed || solid.boxes.bounded) return;
  const auto cell = std::find_if(solid.whole.begin(), solid.whole.end(),
                                 [](const geometry::Cell& c) { return !c.bounded; });
  const std::string key = body.cells.empty() ? "shape" : "cells";
  FailAt(body.places.Of(key), scene.path.string(), "bodies." + body.name + "." + key,
         "the cell '" + cell->name +
             "' is infinite, so the free body has no inertia. Fix the body, bound its shape, or "
             "give mass and inertia.");
}

void AddBody(const BodySettings& body, World* world) {
  const Scene& scene = world->scene;
  RequireMaterial(scene, body);
  const SolidCells* solid = world->solids.Of(scene, body);
  SolidMass mass;
  if (solid != nullptr) {
    RequireBounded(scene, body, *solid);
    mass = [=](double density) { return world->solids.Mass(*solid, density); };
  }
  const RigidBody start = MakeRigidBody(scene, body, mass);
  if (start.kind == BodyKind::kFree) {
    world->free_bodies.push_back(static_cast<int>(world->start.size()));
  }
  world->start.push_back(start);
  using Cells = std::span<const geometry::Cell>;
  world->cells.push_back(solid != nullptr ? solid->Cells() : Cells{});
  world->whole.push_back(solid != nullptr ? Cells(solid->whole) : Cells{});
  world->boxes.Add(solid != nullptr ? &solid->boxes : nullptr);
  world->bare_boxes.Add(solid != nullptr ? &solid->bare_boxes : nullptr);
  world->merged_boxes.Add(solid != nullptr ? &solid->merged_boxes : nullptr);
  world->solid_of.push_back(solid);
}

/** Rays through a contact's cells find the points of distributed friction; grids have other cells.
 */
void RefuseDistributedOnGrids(const World& world) {
  if (!world.rules.HaveDistributed()) return;
  const int bodies = static_cast<int>(world.cells.size());
  for (int b = 0; b < bodies; ++b) {
    if (!geometry::HasGrid(world.cells[static_cast<std::size_t>(b)])) continue;
    for (int other = 0; other < bodies; ++other) {
      const PairRule* rule = world.Rule(b, other);
      if (rule == nullptr || !rule->model->friction->IsDistributed()) continue;
      FailAt(world.scene.contact_models.at(rule->name).friction.places.Of("model"),
             world.scene.path.string(), "contact_models." + rule->name + ".friction.model",
             "\"distributed\" has no points over grids, and body " +
                 world.scene.bodies[static_cast<std::size_t>(b)].name +
                 " is one. Use representation: exact for the body, or another friction model.");
    }
  }
}

void AddRules(const BodyNames& names, World* world) {
  std::vector<bool> has_cells;
  for (const auto& cells : world->cells) has_cells.push_back(!cells.empty());
  std::vector<std::pair<int, int>> apart;  // bodies whose joint keeps them from touching
  for (const Joint& joint : world->joints) {
    if (!joint.contact && joint.body_b >= 0) apart.emplace_back(joint.body_a, joint.body_b);
  }
  world->rules = PairRules(world->scene, names, world->start, has_cells, apart);
  RefuseDistributedOnGrids(*world);
  bool bare = false, points = false;
  for (const PairRule& rule : world->rules.All()) {
    bare = bare || rule.patches.BareCells();
    points = points || rule.patches.points;
    for (const std::string& warning : rule.model->warnings) {
      const std::string text = "contact_models." + rule.name + "." + warning;
      const auto end = world->warnings.end();
      if (std::find(world->warnings.begin(), end, text) == end) world->warnings.push_back(text);
    }
  }
  if (bare) world->solids.AddBareCells();
  if (points) world->solids.AddMergedCells();
}

/** Methods that choose their steps evaluate contacts by the hundred in each; on a grid an
 evaluation takes milliseconds. */
void WarnOfSlowGrids(World* world) {
  if (!IsAdaptive(world->scene)) return;
  const int bodies = static_cast<int>(world->cells.size());
  const auto name = [&](int b) { return world->scene.bodies[static_cast<std::size_t>(b)].name; };
  for (int b = 0; b < bodies; ++b) {
    if (!geometry::HasGrid(world->cells[static_cast<std::size_t>(b)])) continue;
    for (int other = 0; other < bodies; ++other) {
      if (world->Rule(b, other) == nullptr) continue;
      world->warnings.push_back(
          "integrator.method: " + world->scene.integrator.method +
          " evaluates contacts some hundred times in each step, and that of " + name(b) + " and " +
          name(other) + ", on a grid, takes milliseconds a time. Use method ark3, or " +
          "representation: exact for " + name(b) + ", or larger voxels.");
      return;
    }
  }
}

/** What is thinner than a few voxels loses much of its volume, and all of its shape, on a grid. */
void WarnOfCoarseGrids(World* world) {
  for (const BodySettings& body : world->scene.bodies) {
    const auto found = world->scene.shapes.find(body.shape);
    if (found == world->scene.shapes.end() || found->second == nullptr) continue;
    const std::string coarse = CoarseGridText(*found->second);
    if (!coarse.empty()) world->warnings.push_back("bodies." + body.name + ".shape: " + coarse);
  }
}

/** A part that was drawn in millimetres and read in metres is a thousand times too large; one far
 from its origin has lost digits. */
void WarnOfParts(World* world) {
  for (const std::string& lost : world->scene.part_warnings) world->warnings.push_back(lost);
  for (std::size_t b = 0; b < world->whole.size(); ++b) {
    const BodySettings& body = world->scene.bodies[b];
    if (body.part.empty()) continue;
    const std::string doubt =
        UnitDoubt(body.part, geometry::BoundsInPose(world->whole[b], Pose::Identity()));
    if (!doubt.empty()) world->warnings.push_back("bodies." + body.name + ": " + doubt);
  }
}

/** An explicit scheme throws bodies off holders that vibrate too fast for its steps. */
void WarnOfStiffHolders(World* world) {
  const int last = world->tableau->stages - 1;
  if (world->tableau->a_implicit[last][last] != 0.0 || IsAdaptive(world->scene)) return;
  // Undamped springs: rk3 and rk4 are stable up to 1.7 and 2.8 rad a step, rk1 and rk2 nowhere.
  constexpr double kStable = 1.7;
  const double h = world->step;
  for (std::size_t b = 0; b < world->start.size(); ++b) {
    const BodySettings& body = world->scene.bodies[b];
    if (!body.holder || world->start[b].kind != BodyKind::kFree) continue;
    const Holder& holder = *body.holder;
    const auto largest = [](const Vec3& v) { return std::max({v.x, v.y, v.z}); };
    const double compliance = world->start[b].inverse_mass;
    const Mat3& turning = world->start[b].inverse_inertia_M;
    const double turning_trace = turning(0, 0) + turning(1, 1) + turning(2, 2);
    const double spring = std::sqrt(std::max(largest(holder.stiffness) * compliance,
                                             largest(holder.rotational_stiffness) * turning_trace));
    const double damper = std::max(largest(holder.damping) * compliance,
                                   largest(holder.rotational_damping) * turning_trace);
    const double turn = h * std::max(spring, damper);
    if (turn <= kStable) continue;
    world->warnings.push_back("bodies." + body.name + ".holder: too stiff for steps of " +
                              NumberText(h) + " s by the explicit method " +
                              std::string(world->tableau->name) +
                              ", which will throw the body off. Use steps below " +
                              NumberText(h * kStable / turn) + " s, or method ark3.");
  }
}

/** Bristles give way by a length that knows nothing of the bodies' size: small ones slide by
 several of theirs before they stick. */
void WarnOfSoftBristles(World* world) {
  constexpr double kShare = 0.1;  // of a body's extent
  const auto& models = world->scene.contact_models;
  const auto by_default = [&](const PairRule& rule) {
    const auto model = models.find(rule.name);
    return model != models.end() && model->second.friction.model == "bristle" &&
           !model->second.friction.parameters.contains("sigma_0");
  };
  const std::span<const PairRule> rules = world->rules.All();
  if (std::none_of(rules.begin(), rules.end(), by_default)) return;
  const int bodies = static_cast<int>(world->cells.size());
  for (int b = 0; b < bodies; ++b) {
    const auto& cells = world->cells[static_cast<std::size_t>(b)];
    if (world->start[static_cast<std::size_t>(b)].kind != BodyKind::kFree || cells.empty())
      continue;
    const geometry::Aabb box = geometry::BoundsInPose(cells, Pose::Identity());
    const Vec3 size = box.upper - box.lower;
    const double extent = std::max({size.x, size.y, size.z});
    if (!(kDefaultDeflection > kShare * extent)) continue;
    for (int other = 0; other < bodies; ++other) {
      const PairRule* rule = world->Rule(b, other);
      if (rule == nullptr || !by_default(*rule)) continue;
      world->warnings.push_back(
          "contact_models." + rule->name +
          ".friction.sigma_0: not given, and by default bristles " + "give way by " +
          NumberText(kDefaultDeflection) + " m before they slip; body " +
          world->scene.bodies[static_cast<std::size_t>(b)].name + " is " + NumberText(extent, 3) +
          " m long. Give sigma_0: mu_s over a deflection that is small against it, such as " +
          NumberText(1.0 / (1e-3 * extent), 3) + " times mu_s.");
      return;
    }
  }
}

void AddSensors(const BodyNames& names, World* world) {
  for (const SensorSettings& sensor : world->scene.sensors) {
    const std::string key = "sensors." + sensor.name;
    world->sensor_bodies.push_back(
        names.Require(sensor.body, sensor.places.Of("body"), key + ".body"));
    const bool in_world = sensor.resolve_in.empty() || sensor.resolve_in == "world";
    world->sensor_axes.push_back(in_world ? -1
                                          : names.Require(sensor.resolve_in,
                                                          sensor.places.Of("resolve_in"),
                                                          key + ".resolve_in"));
  }
}

std::uint64_t Fingerprint(const World& world) {
  Checksum sum;
  sum.AddText(world.scene.source);
  sum.AddText(world.scene.integrator.method);
  sum.Add(world.step);
  if (IsAdaptive(world.scene)) sum.Add(world.scene.integrator.tolerance);
  sum.Add(world.scene.gravity);
  sum.Add(world.scene.engine.tolerance);
  sum.Add(world.scene.engine.voxel_size.value_or(0.0));
  for (std::size_t b = 0; b < world.start.size(); ++b) {
    const RigidBody& body = world.start[b];
    sum.AddText(world.scene.bodies[b].name);
    sum.Add(static_cast<std::int64_t>(body.kind));
    sum.Add(static_cast<std::int64_t>(world.cells[b].size()));
    sum.Add(body.mass);
    sum.Add(body.p_WM);
    sum.Add(body.momentum);
    sum.Add(body.spin);
  }
  for (const Joint& joint : world.joints) sum.AddText(joint.name);
  sum.Add(static_cast<std::int64_t>(world.rules.All().size()));
  return sum.value();
}

}  // namespace

void BoxesOfBodies::Add(const BodyCells* boxes) {
  static const BodyCells none;
  of_body_.push_back(boxes != nullptr ? boxes : &none);
}

std::unique_ptr<World> MakeWorld(Scene scene, const World* like) {
  auto world = like != nullptr ? std::make_unique<World>(like->solids) : std::make_unique<World>();
  world->scene = std::move(scene);
  ResolveIntegrator(world.get());
  const BodyNames names(world->scene);
  for (const BodySettings& body : world->scene.bodies) AddBody(body, world.get());
  world->joints = MakeJoints(world->scene, names, world->start);
  AddRules(names, world.get());
  AddSensors(names, world.get());
  WarnOfParts(world.get());
  WarnOfStiffHolders(world.get());
  WarnOfSlowGrids(world.get());
  WarnOfCoarseGrids(world.get());
  WarnOfSoftBristles(world.get());
  world->fingerprint = Fingerprint(*world);
  return world;
}

}  // namespace intervox::host
