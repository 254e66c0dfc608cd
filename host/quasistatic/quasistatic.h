/** @file Questions without dynamics: where a scene's bodies rest, and what it takes to push a part
 along a line. */
#pragma once

#include <string>
#include <vector>

#include "host/simulation.h"

namespace intervox::host {

/** When bodies count as resting. */
struct SettleOptions {
  double tolerance = 1e-6;  ///< force that is not balanced, in shares of a body's loads
  int most_steps = 20000;   ///< of backward Euler
};

/** A free body at rest. */
struct SettledBody {
  int body = 0;           ///< index into Scene::bodies
  BodyState state;        ///< with its pose and contact force
  double residual = 0.0;  ///< force that is not balanced [N]
};

/** A static equilibrium. */
struct Equilibrium {
  std::vector<SettledBody> bodies;      ///< the free ones, in the scene's order
  std::vector<ContactReport> contacts;  ///< that carry them
  int steps = 0;
};

/** Finds where the bodies of a scene come to rest from where they start, under the loads of its
 start: gravity, holders, wrenches that act at t = 0. Driven bodies stand where they are then.
 Bodies move with next to no inertia: each is damped against the world at the rate √(a/r), a being
 the load per mass and r its radius of gyration, and stepped by backward Euler, with all of the
 contacts' own friction. So of several equilibria it is the one downhill, which friction may end
 before.
 @throws std::runtime_error naming the body that still moves, its speed and its residual, where
 there is none within the steps; InputError for a scene without free bodies. */
Equilibrium Settle(const Scene& scene, const SettleOptions& options = {});

/** A path on which a part is pushed. */
struct Insertion {
  std::string body;    ///< its name
  Vec3 along;          ///< direction of the path, world axes; of any length
  double depth = 0.0;  ///< length of the path [m]
  int points = 25;     ///< at which forces are taken
  double pause = 0.1;  ///< time of the way to a point [s]; longer than bristles take to settle
};

/** Forces at one depth. */
struct InsertionPoint {
  double depth = 0.0;     ///< commanded [m]
  double position = 0.0;  ///< of the body's frame along the path [m]
  double push = 0.0;      ///< that contacts resist with, along the path [N]
  double across = 0.0;    ///< size of their force across it [N]
  double torque = 0.0;    ///< size of their torque about the body's frame [N·m]
  int contacts = 0;
};

/** The force over the depth as a body is pushed along a line, quasi-statically: it stops at each
 depth until forces stay. A body with a holder follows it as the holder's target moves, and gives
 way across by its stiffness; any other is moved rigidly. Free bodies settle as in Settle().
 @throws InputError for a body that there is not, or that is fixed, a direction of no length, a
 depth or a number of points that is not above 0; std::runtime_error where forces do not settle. */
std::vector<InsertionPoint> InsertionForce(const Scene& scene, const Insertion& insertion,
                                           const SettleOptions& options = {});

}  // namespace intervox::host
