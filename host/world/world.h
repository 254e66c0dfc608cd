/** @file A scene made ready: names resolved, shapes cut into cells, bodies weighed, contact models
 made. The one place where a scene's settings are judged together. */
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/bodies/rigid_body.h"
#include "host/joints/joint.h"
#include "host/world/pair_rules.h"
#include "host/world/solids.h"
#include "integrators/tableau.h"

namespace intervox::host {

/** The boxes of each body's cells. Bodies of one shape share theirs. */
class BoxesOfBodies {
 public:
  /** Those of body b; without any box for a body without cells. */
  const BodyCells& operator[](std::size_t b) const { return *of_body_[b]; }
  /** Adds a body. The boxes must outlive this object; null: none. */
  void Add(const BodyCells* boxes);

 private:
  std::vector<const BodyCells*> of_body_;
};

/** What a simulation is made of and does not change. Not movable: cells are pointed to. What bodies
 share is held once, in `solids` and `rules`. */
struct World {
  Scene scene;
  const integrators::Tableau* tableau = nullptr;
  double step = 0.0;  ///< [s]
  Solids solids;
  /** By body, in body frames, cut around hollow faces; empty for a body without cells. */
  std::vector<std::span<const geometry::Cell>> cells;
  std::vector<std::span<const geometry::Cell>> whole;  ///< by body, as the shapes have them
  BoxesOfBodies boxes;                                 ///< of `cells`
  BoxesOfBodies bare_boxes;                 ///< of the cells that contacts by pairs of cells use
  BoxesOfBodies merged_boxes;               ///< of the cells that contacts in points use
  std::vector<const SolidCells*> solid_of;  ///< by body; null: it has none
  std::vector<RigidBody> start;             ///< bodies at t = 0
  std::vector<int> free_bodies;             ///< indices, ascending
  PairRules rules;                          ///< of all pairs of bodies
  std::vector<Joint> joints;                ///< in the scene's order
  std::vector<int> sensor_bodies;           ///< body of each sensor
  std::vector<int> sensor_axes;             ///< body whose frame a sensor resolves in; −1: world
  std::vector<std::string> warnings;        ///< remarks on settings that are taken nevertheless
  std::uint64_t fingerprint = 0;            ///< of all that a checkpoint must agree with

  /** How bodies i and j touch; null where they cannot. See PairRules::Find. */
  const PairRule* Rule(int i, int j) const { return rules.Find(i, j); }

  /** The boxes of the cells of a body by which it touches another in points. */
  const BodyCells* PointBoxes(std::size_t body, std::size_t other) const {
    const SolidCells *solid = solid_of[body], *touched_by = solid_of[other];
    // A half-space tells by the corners of all cells which of them are the body's.
    const bool bounded = touched_by != nullptr && touched_by->is_bounded;
    if (bounded && solid != nullptr && !solid->convex_boxes.cells.empty()) {
      return &solid->convex_boxes;
    }
    if (touched_by == nullptr || solid == nullptr || solid->unsplit_boxes.cells.empty()) {
      return &merged_boxes[body];
    }
    const double below = touched_by->touches_whole_below;
    const bool whole = std::isinf(below) || solid->widest_hollow < below;
    return whole ? &solid->unsplit_boxes : &merged_boxes[body];
  }

  /** The boxes that tell how large body b is: those of merged cells where any are, since cuts
   change no size. */
  const BodyCells& SizeOf(std::size_t b) const {
    return merged_boxes[b].cells.empty() ? boxes[b] : merged_boxes[b];
  }

  World() = default;
  /** With the solids of another world at hand. */
  explicit World(const Solids& like) : solids(like) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;
};

/** Makes a world of a scene.
 @param like  a world whose solids serve here too, where shapes are the same; may be null
 @throws InputError naming file and line where the scene has them, key, what is wrong and the
 remedy. */
std::unique_ptr<World> MakeWorld(Scene scene, const World* like = nullptr);

}  // namespace intervox::host
