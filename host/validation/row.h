/** @file Rows of the validation: results of the literature, and what the program makes of them. */
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/simulation.h"

namespace intervox::host {

/** One number that a row compares. */
struct Check {
  std::string quantity;
  std::string unit;
  double expected = 0.0;
  double obtained = 0.0;
  double tolerance = 0.0;  ///< the largest |obtained − expected| that passes
  std::string why;         ///< why the tolerance is what it is

  /** Whether the two agree; a number that is not finite never does. */
  bool Passes() const;
};

/** A curve of a figure. */
struct Curve {
  std::string label;
  std::vector<double> x, y;
  bool reference = false;  ///< it comes from the source, or from an independent method

  /** Adds a point. */
  void Add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

/** A figure of a row, as the sources draw them. */
struct Figure {
  std::string title;
  std::string x, y;  ///< what the axes show, with units
  std::vector<Curve> curves;
  bool log_x = false;  ///< whether x is drawn to a logarithmic scale
};

/** Gives a row the simulations of its scene, and takes its figures. */
class RowScene {
 public:
  /** @param file  the scene's. @param edits  `path=value`, applied after the row's own.
   @param told  is told how much simulated time has passed [s]. @param figures  where figures go */
  RowScene(std::filesystem::path file, std::vector<std::string> edits,
           std::function<void(double)> told, std::vector<Figure>* figures);
  /** The simulation at its start. @param edits  `path=value`, as LoadScene takes them. */
  Simulation Start(const std::vector<std::string>& edits = {}) const;
  /** Goes one step on. */
  void Step(Simulation& simulation) const;
  /** Adds a figure; curves of many points are thinned to the extremes of each stretch. */
  void Draw(Figure figure) const;

 private:
  std::filesystem::path file_;
  std::vector<std::string> edits_;
  std::function<void(double)> told_;
  std::vector<Figure>* figures_;
};

/** A row: where its numbers come from, and the function that obtains them. */
struct Row {
  std::string name;
  std::string source;
  std::string scene;  ///< file in the folder of scenes
  double simulated;   ///< time that its simulations take, about [s]
  std::vector<Check> (*run)(const RowScene& scene);
};

/** All rows, in the table's order. */
std::span<const Row> Rows();

// Impacts.
/** Restitution of single impacts, Gonthier 5.1.1. */
std::vector<Check> SingleImpact(const RowScene& scene);
/** A ball that bounces until it rests, Azad and Featherstone. */
std::vector<Check> BouncingDrop(const RowScene& scene);
/** Force over indentation in one impact, Gonthier 5.1.1. */
std::vector<Check> ForceLoops(const RowScene& scene);
/** Restitution over the logarithm of the speed, Azad and Featherstone's figures 3 to 5. */
std::vector<Check> RestitutionLog(const RowScene& scene);
/** What scaling stiffness and damping does to one impact, Azad and Featherstone (11). */
std::vector<Check> AzadScaling(const RowScene& scene);

// Impulse laws and rigid contact, beside compliant contact.
/** Impulse laws of one collision by hand, and what a stiff spring makes of three. */
std::vector<Check> ImpulseLaws(const RowScene& scene);
/** A rod that drops on its end, Ullrich 6.3. */
std::vector<Check> RodDrop(const RowScene& scene);
/** A rod that slides on a rough floor, Painlevé's problem. */
std::vector<Check> PainleveRod(const RowScene& scene);
/** A chair on four legs: a complementarity problem with many solutions, Ullrich 5.5. */
std::vector<Check> FourLeggedChair(const RowScene& scene);

// Rolling.
/** A ball that ends in rolling down an incline, Gonthier 5.1.3. */
std::vector<Check> BallOnIncline(const RowScene& scene);
/** A ball that swings in a cylinder, Gonthier 5.1.3. */
std::vector<Check> BallInCylinder(const RowScene& scene);

/** The same swing with contact in volumes, which comes to rest, Gonthier 5.2.1. */
std::vector<Check> BallInCylinderVolume(const RowScene& scene);
/** A ball that rolls over a table's edge, Gonthier 5.2.1. */
std::vector<Check> BallOverEdge(const RowScene& scene);
/** A tippe-top that turns over, Gonthier 5.2.2. */
std::vector<Check> TippeTop(const RowScene& scene);
/** A ball that slides until it rolls. */
std::vector<Check> RollingOnset(const RowScene& scene);
// Solvers.
/** Fixed steps of order 3 and TR-BDF2 on a ball on a table, Gonthier 5.2. */
std::vector<Check> SolverStudy(const RowScene& scene);

// Joints.
/** A double pendulum that strikes a floor, slides and sticks, Gonthier 5.1.3. */
std::vector<Check> DoublePendulumOnFloor(const RowScene& scene);
/** A double pendulum's single impact and what it takes, Gonthier 5.1.3. */
std::vector<Check> PendulumImpact(const RowScene& scene);
/** A half-sphere on a force plate, Gonthier 5.1.4. */
std::vector<Check> ForcePlate(const RowScene& scene);
/** A reversible pendulum: inertia by Steiner's theorem. */
std::vector<Check> Steiner(const RowScene& scene);

// Friction.
/** Bowden and Leben's block on a belt, Gonthier 5.1.2. */
std::vector<Check> StickSlip(const RowScene& scene);
/** Friction over the slip, Drake's curve. */
std::vector<Check> StribeckRow(const RowScene& scene);
/** Sliding and spinning at once: limit surfaces of four patches. */
std::vector<Check> LimitSurface(const RowScene& scene);
/** A box that is pushed and sticks. */
std::vector<Check> BoxPush(const RowScene& scene);

// Parts in parts.
/** A ring that drops on a cone, exact and with facets, the toolkit's example. */
std::vector<Check> RockNStack(const RowScene& scene);
/** A taper that holds itself, and what pulls it out. */
std::vector<Check> MorseTaper(const RowScene& scene);
/** A battery box that falls into its worksite, Gonthier 5.2.2. */
std::vector<Check> BatteryBox(const RowScene& scene);

}  // namespace intervox::host
