#include "host/study/scene_queries.h"

#include <memory>
#include <set>
#include <utility>

#include "host/simulation.h"

namespace intervox::host {
namespace {

/** A body's shape; of cells that are listed their union. */
geometry::ShapePtr ShapeOf(const Scene& scene, const BodySettings& body) {
  if (!body.shape.empty()) return scene.shapes.at(body.shape);
  if (body.cells.size() == 1) return body.cells.front();
  auto all = std::make_shared<geometry::Shape>();
  all->operation = geometry::Operation::kUnion;
  all->children = body.cells;
  all->name = body.name;
  return all;
}

}  // namespace

PairsFile QueriesOf(const Scene& scene, int samples, const std::function<bool()>& cancelled) {
  Simulation simulation(scene);
  std::vector<geometry::ShapePtr> shapes;
  for (const BodySettings& body : scene.bodies) shapes.push_back(ShapeOf(scene, body));
  PairsFile file;
  for (int k = 1; k <= samples; ++k) {
    const double until = scene.duration * k / samples;
    while (!simulation.Done() && simulation.Time() < until) {
      if (cancelled && cancelled()) return file;
      simulation.Step();
    }
    std::set<std::pair<int, int>> bodies;  // several contacts may be of the same two
    for (const ContactReport& contact : simulation.Contacts()) {
      bodies.emplace(contact.body_i, contact.body_j);
    }
    for (const auto& [i, j] : bodies) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      PosedPair pair;
      pair.name = scene.bodies[a].name + " on " + scene.bodies[b].name;
      pair.a = shapes[a];
      pair.b = shapes[b];
      pair.X_WA = simulation.State()[a].X_WB;
      pair.X_WB = simulation.State()[b].X_WB;
      pair.place = scene.path.string();
      file.pairs.push_back(std::move(pair));
    }
  }
  return file;
}

}  // namespace intervox::host
