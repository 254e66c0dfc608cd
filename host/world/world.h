/** @file What a simulation is made of and does not change: cells, body pairs, models, loads. */
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/bodies/rigid_body.h"
#include "host/world/pair_rules.h"
#include "integrators/tableau.h"

namespace intervox::host {

/** Two bodies that may touch. */
struct WorldPair {
  int body_i = 0;
  int body_j = 0;
  std::shared_ptr<const ContactModel> model;  ///< of its rule
  PatchSettings patches;
};

/** A scene made ready: plain, immutable while it runs. Not movable: cells are pointed to. */
struct World {
  Scene scene;
  const integrators::Tableau* tableau = nullptr;
  double step = 0.0;  ///< [s]
  /** By body, in body frames, cut around hollow faces. */
  std::vector<std::vector<geometry::Cell>> cells;
  /** As the shapes have them and with no face a cut, of bodies with contacts by pairs of cells. */
  std::vector<std::vector<geometry::Cell>> bare_cells;
  std::vector<BodyCells> boxes;       ///< of `cells`
  std::vector<BodyCells> bare_boxes;  ///< of `bare_cells`
  std::vector<RigidBody> start;       ///< bodies at t = 0
  std::vector<int> free_bodies;       ///< indices, ascending
  std::vector<WorldPair> pairs;
  PairRules rules;                 ///< of all pairs of bodies
  std::vector<int> sensor_bodies;  ///< body of each sensor
  std::vector<int> sensor_axes;    ///< body whose frame a sensor resolves in; −1: world
  std::uint64_t fingerprint = 0;   ///< of all that a checkpoint must agree with

  /** How bodies i and j touch; null where they cannot. See PairRules::Find. */
  const PairRule* Rule(int i, int j) const { return rules.Find(i, j); }

  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
};

/** Makes a world of a scene.
 @throws InputError naming file, key, what is wrong and the remedy. */
std::unique_ptr<World> MakeWorld(Scene scene);

}  // namespace intervox::host
