/** @file The study of voxel size against accuracy: the grids' rules against the exact ones. */
#pragma once

#include <string>
#include <vector>

#include "cuda/engine.h"
#include "host/scene/pairs.h"
#include "host/told.h"

namespace intervox::host {

/** What a study varies. */
struct StudySettings {
  std::vector<double> voxel_sizes;  ///< [m], each at least one voxel across every shape
  std::vector<LeafRule> rules;      ///< by IsOfGrids with each size, others of the exact shapes
  /// Each with its rows: on several threads or a device it is given many queries at once. No bits
  /// change.
  std::vector<EngineOptions> engines = {EngineOptions{Device::kSerial, 1, 0}};
  /// Each with its rows of the rule voxel and of the exact shapes' rules; others know none.
  std::vector<double> tolerances = {1e-6};
  double half_width = 3.0;  ///< of the grids' bands [voxels]
  Told told;                ///< hears which fraction of the rows is done
};

/** Whether a rule takes grids in a study: center, fraction, clip and voxel do. */
bool IsOfGrids(LeafRule rule);

/** What the exact metrics of a study are measured to: the finest of its tolerances, and where exact
 rules are compared with them a hundredth of it, if that can be had. */
double ReferenceTolerance(const StudySettings& settings);

/** One pair by one rule at one voxel size and tolerance; errors are against the exact shapes'
 metrics. Pairs of one name are one row: volumes are summed, errors are means weighted by the exact
 volumes. */
struct StudyRow {
  std::string pair;
  LeafRule rule = LeafRule::kAuto;
  double voxel_size = 0.0;      ///< [m]; 0: of the exact shapes
  double tolerance = 0.0;       ///< relative, of V; 0: the rule knows none
  int threads = 1;              ///< of the engine; on a device 0
  std::string device = "cpu";   ///< where it computed: cpu, or cuda:0
  int queries = 1;              ///< pairs of that name that overlap
  double volume = 0.0;          ///< V [m³]
  double exact_volume = 0.0;    ///< V of the exact shapes [m³]
  double volume_error = 0.0;    ///< |V − V₀| / V₀
  double centroid_error = 0.0;  ///< |p − p₀| over the radius of gyration
  double inertia_error = 0.0;   ///< |J − J₀| / |J₀|, Frobenius norms
  double area_error = 0.0;      ///< |S − S₀| / |S₀|; 0 where S₀ is 0
  double seconds = 0.0;  ///< of one query, of several at once their share; the least of several
  int work = 0;          ///< undecided voxels
};

/** The orders of a pair's errors in the voxel size: least-squares slopes in logarithms. NaN where
 fewer than two sizes have an error above zero. */
struct StudyOrder {
  std::string pair;
  LeafRule rule = LeafRule::kAuto;
  double tolerance = 0.0;
  double volume = 0.0;
  double centroid = 0.0;
  double inertia = 0.0;
  double area = 0.0;
  /** |V* − V₀| / V₀ of Richardson's extrapolation V* from the two finest sizes, for errors of order
   2; NaN where there is one size. */
  double extrapolated = 0.0;
};

/** Measures every pair of a file with both shapes as grids of each size, by each rule. Unbounded
 shapes, and level sets of files, stay as they are; pairs whose exact overlap is empty are left out.
 A grid of a shape is compared with that shape. Of what exists as a grid only, triangles of a file
 and lattices, the finest grid stands for the exact shape, by the rule voxel. Rules that do not
 take a pair have no row of it.
 @throws InputError at the pair's place where a shape has no grid of a size. */
std::vector<StudyRow> StudyVoxels(const PairsFile& file, const StudySettings& settings);

/** What to say of the shapes that are grids already, a line each. */
std::vector<std::string> StudyNotes(const PairsFile& file, const StudySettings& settings);

/** The orders for each pair, rule of grids and tolerance, in the rows' order. */
std::vector<StudyOrder> OrdersOf(const std::vector<StudyRow>& rows);

/** The rows that are the fastest of their pair with an error of V of at most `volume` [m³]: of a
 force over the foundation's stiffness. Pairs of which none is that good have no row. */
std::vector<StudyRow> CheapestWithin(const std::vector<StudyRow>& rows, double volume);

/** A picture (SVG) of the errors of V and of the times against the voxel size, both logarithmic,
 with the orders at the lines. */
std::string StudyPicture(const std::vector<StudyRow>& rows);

}  // namespace intervox::host
