#include "host/world/world.h"

#include <cmath>
#include <stdexcept>

#include "geometry/hollows.h"
#include "geometry/neighbours.h"
#include "host/input/error.h"
#include "host/world/checksum.h"

namespace intervox::host {
namespace {

[[noreturn]] void Fail(const Scene& scene, const std::string& key, const std::string& what) {
  throw InputError(scene.path.string() + ": " + key + ": " + what);
}

std::vector<geometry::Cell> CellsOf(const Scene& scene, const BodySettings& body) {
  const auto listed = scene.listed_cells.find(body.name);
  if (listed != scene.listed_cells.end()) {
    std::vector<geometry::Cell> cells = listed->second;
    try {
      geometry::RequireDisjoint(cells, "bodies." + body.name);
    } catch (const std::invalid_argument& error) {
      throw InputError(scene.path.string() + ": " + error.what());
    }
    geometry::LinkNeighbours(cells);
    return cells;
  }
  if (body.shape.empty()) return {};
  const auto shape = scene.shapes.find(body.shape);
  if (shape == scene.shapes.end() || shape->second == nullptr) {
    Fail(scene, "bodies." + body.name + ".shape",
         "\"" + body.shape + "\" is not a shape of the scene. Name one of `shapes`.");
  }
  const auto cut = scene.shape_cells.find(shape->second);
  if (cut != scene.shape_cells.end()) return cut->second;
  try {
    return geometry::ToCells(*shape->second);
  } catch (const std::invalid_argument& error) {
    Fail(scene, "shapes." + body.shape, error.what());
  }
}

std::vector<geometry::Cell> WithoutCuts(std::vector<geometry::Cell> cells) {
  for (geometry::Cell& cell : cells) {
    for (geometry::Surface& surface : cell.surfaces) surface.cut = false;
  }
  return cells;
}

int BodyIndex(const Scene& scene, const std::string& name) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].name == name) return static_cast<int>(b);
  }
  return -1;
}

/** Bare cells of the bodies that have contacts by pairs of cells.
 @param whole  the cells of each body as its shape has them. */
void AddBareCells(const std::vector<std::vector<geometry::Cell>>& whole, World* world) {
  const std::size_t bodies = whole.size();
  world->bare_cells.resize(bodies);
  world->bare_boxes.resize(bodies);
  for (const WorldPair& pair : world->pairs) {
    if (!pair.patches.per_cell_pair) continue;
    for (const int body : {pair.body_i, pair.body_j}) {
      const auto b = static_cast<std::size_t>(body);
      if (!world->bare_cells[b].empty()) continue;
      world->bare_cells[b] = WithoutCuts(whole[b]);
      world->bare_boxes[b] = MakeBodyCells(world->bare_cells[b]);
    }
  }
}

void AddSensors(World* world) {
  const Scene& scene = world->scene;
  for (const SensorSettings& sensor : scene.sensors) {
    const int body = BodyIndex(scene, sensor.body);
    if (body < 0) {
      Fail(scene, "sensors." + sensor.name + ".body",
           "\"" + sensor.body + "\" is not a body of the scene. Name one of `bodies`.");
    }
    int axes = -1;
    if (!sensor.resolve_in.empty() && sensor.resolve_in != "world") {
      axes = BodyIndex(scene, sensor.resolve_in);
      if (axes < 0) {
        Fail(scene, "sensors." + sensor.name + ".resolve_in",
             "\"" + sensor.resolve_in +
                 "\" is not a body of the scene. Name one of `bodies`, or world.");
      }
    }
    world->sensor_bodies.push_back(body);
    world->sensor_axes.push_back(axes);
  }
}

std::uint64_t Fingerprint(const World& world) {
  Checksum sum;
  sum.AddText(world.scene.source);
  sum.AddText(world.scene.integrator.method);
  sum.Add(world.step);
  sum.Add(world.scene.gravity);
  sum.Add(world.scene.engine.tolerance);
  sum.Add(world.scene.engine.voxel_size);
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
  sum.Add(static_cast<std::int64_t>(world.pairs.size()));
  return sum.value();
}

}  // namespace

std::unique_ptr<World> MakeWorld(Scene scene) {
  auto world = std::make_unique<World>();
  world->scene = std::move(scene);
  const Scene& s = world->scene;
  world->tableau = integrators::FindTableau(s.integrator.method);
  if (world->tableau == nullptr) {
    std::string known;
    for (const integrators::Tableau& tableau : integrators::AllTableaus()) {
      known += (known.empty() ? "" : ", ") + std::string(tableau.name);
    }
    Fail(s, "integrator.method",
         "\"" + s.integrator.method + "\" is not known. Use one of: " + known + ".");
  }
  world->step = s.integrator.step;
  if (!(world->step > 0) || !std::isfinite(world->step)) {
    Fail(s, "integrator.step", "must be positive (" + std::to_string(world->step) + ").");
  }
  std::vector<std::vector<geometry::Cell>> whole;
  for (const BodySettings& body : s.bodies) {
    whole.push_back(CellsOf(s, body));
    world->start.push_back(MakeRigidBody(s, body, whole.back()));
    world->cells.push_back(geometry::SplitHollows(whole.back()));
  }
  for (std::size_t b = 0; b < s.bodies.size(); ++b) {
    world->boxes.push_back(MakeBodyCells(world->cells[b]));
    if (world->start[b].kind == BodyKind::kFree) world->free_bodies.push_back(static_cast<int>(b));
  }
  std::vector<bool> has_cells;
  for (const auto& cells : world->cells) has_cells.push_back(!cells.empty());
  world->rules = PairRules(s, world->start, has_cells);
  const auto bodies = static_cast<int>(s.bodies.size());
  for (int i = 0; i < bodies; ++i) {
    for (int j = i + 1; j < bodies; ++j) {
      const PairRule* rule = world->Rule(i, j);
      if (rule != nullptr) world->pairs.push_back({i, j, rule->model, rule->patches});
    }
  }
  AddBareCells(whole, world.get());
  AddSensors(world.get());
  world->fingerprint = Fingerprint(*world);
  return world;
}

}  // namespace intervox::host
