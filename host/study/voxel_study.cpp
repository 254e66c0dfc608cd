#include "host/study/voxel_study.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/contact/parameters.h"
#include "host/input/error.h"
#include "host/scene/shape_metrics.h"
#include "host/study/regrid.h"

namespace intervox::host {
namespace {

/** Queries are timed at most so often, and so long [s]. */
constexpr int kMostRepeats = 20;
constexpr double kTimed = 0.05;
/** Queries for each thread, where there are several. */
constexpr int kCopies = 8;
/** Queries for a device, which is fast at many alone. */
constexpr int kDeviceCopies = 1024;
/** The finest tolerance that the exact rules take. */
constexpr double kFinestTolerance = 1e-9;

double FrobeniusNorm(const Mat3& A) {
  return std::sqrt(SquaredNorm(A.row0) + SquaredNorm(A.row1) + SquaredNorm(A.row2));
}

/** Voxels of the grid that stands for a shape without surfaces: the finest that there is. */
double FinestOf(const geometry::Shape& shape, const StudySettings& settings) {
  double finest = VoxelSizeOf(shape);
  for (const double h : settings.voxel_sizes) finest = std::min(finest, h);
  return finest;
}

/** Cells of shapes, exact and as grids, made once each. */
class Cells {
 public:
  explicit Cells(const StudySettings& settings) : settings_(settings) {}

  /** The cells at a voxel size; 0 has the exact ones, or what stands for them. */
  const std::vector<geometry::Cell>& At(const geometry::ShapePtr& shape, double voxel_size) {
    const auto [entry, fresh] = cells_.try_emplace({shape.get(), voxel_size});
    if (fresh) entry->second = Make(shape, voxel_size);
    return entry->second;
  }

 private:
  std::vector<geometry::Cell> Make(const geometry::ShapePtr& shape, double voxel_size) const {
    if (voxel_size == 0 && OriginOf(*shape) != Origin::kMeasured) return CellsBehind(*shape);
    return CellsOfGrid(shape, voxel_size > 0 ? voxel_size : FinestOf(*shape, settings_),
                       settings_.half_width);
  }

  const StudySettings& settings_;
  std::map<std::pair<const geometry::Shape*, double>, std::vector<geometry::Cell>> cells_;
};

StudyRow Compare(const InterferenceMetrics& m, const InterferenceMetrics& exact) {
  StudyRow row;
  row.volume = m.volume;
  row.exact_volume = exact.volume;
  row.work = m.work;
  row.volume_error = std::fabs(m.volume - exact.volume) / exact.volume;
  if (!(m.volume > 0)) {
    row.centroid_error = row.inertia_error = row.area_error = 1;
    return row;
  }
  const Mat3& J = exact.J_W;
  const double gyration = std::sqrt((J(0, 0) + J(1, 1) + J(2, 2)) / (2 * exact.volume));
  row.centroid_error = Norm(m.p_WC - exact.p_WC) / gyration;
  row.inertia_error = FrobeniusNorm(m.J_W - J) / FrobeniusNorm(J);
  const double area = Norm(exact.area_vector);
  // A body inside the other has no area vector but for rounding.
  const bool has_area = area * gyration > 1e-9 * exact.volume;
  row.area_error = has_area ? Norm(m.area_vector - exact.area_vector) / area : 0;
  return row;
}

double Slope(const std::vector<std::pair<double, double>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, error] : points) {
    if (!(error > 0)) continue;
    const double u = std::log(size), v = std::log(error);
    n += 1;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  const double spread = n * xx - x * x;
  return n >= 2 && spread > 0 ? (n * xy - x * y) / spread
                              : std::numeric_limits<double>::quiet_NaN();
}

/** Adds a query's errors, weighted by its volume. */
void Add(const StudyRow& one, StudyRow* sum) {
  const double V = one.exact_volume;
  sum->volume += one.volume;
  sum->exact_volume += V;
  sum->volume_error += V * one.volume_error;
  sum->centroid_error += V * one.centroid_error;
  sum->inertia_error += V * one.inertia_error;
  sum->area_error += V * one.area_error;
  sum->work += one.work;
}

/** Pairs of one name with their exact metrics; those that do not overlap are left out. */
struct Group {
  std::vector<const PosedPair*> pairs;
  std::vector<InterferenceMetrics> exact;
};

class Study {
 public:
  explicit Study(const StudySettings& settings) : settings_(settings), cells_(settings_) {
    for (const EngineOptions& options : settings.engines) engines_.emplace_back(options);
  }

  void Take(const PosedPair& pair) {
    const InterferenceMetrics exact =
        Measure(engines_.front(), pair, {LeafRule::kAuto, 0, ReferenceTolerance(settings_)});
    if (!(exact.volume > 0)) return;
    const auto [entry, fresh] = groups_.try_emplace(pair.name);
    if (fresh) names_.push_back(pair.name);
    entry->second.pairs.push_back(&pair);
    entry->second.exact.push_back(exact);
  }

  std::vector<StudyRow> Rows() {
    std::vector<StudyRow> rows;
    const std::vector<Way> ways = Ways();
    const double count = static_cast<double>(names_.size() * ways.size() * engines_.size());
    double done = 0;
    for (const std::string& name : names_) {
      for (const Way& way : ways) {
        for (std::size_t k = 0; k < engines_.size(); ++k) {
          StudyRow row = RowOf(groups_[name], way, engines_[k]);
          row.pair = name;
          row.rule = way.rule;
          row.voxel_size = way.voxel_size;
          row.tolerance = way.tolerance;
          const EngineOptions& options = settings_.engines[k];
          const bool on_device = options.device == Device::kCuda;
          row.threads = on_device ? 0 : options.threads;
          if (on_device) row.device = "cuda:" + std::to_string(options.cuda_device);
          // A rule that does not take the shapes measures nothing.
          if (IsOfGrids(way.rule) || row.volume > 0) rows.push_back(row);
          Tell(settings_.told, ++done / count);
        }
      }
    }
    return rows;
  }

 private:
  /** How a query is measured. */
  struct Way {
    LeafRule rule = LeafRule::kAuto;
    double voxel_size = 0.0;  ///< 0: of the exact shapes
    double tolerance = 0.0;   ///< 0: the rule knows none
  };

  std::vector<Way> Ways() const {
    std::vector<Way> ways;
    for (const double voxel_size : settings_.voxel_sizes) {
      for (const LeafRule rule : settings_.rules) {
        if (!IsOfGrids(rule)) continue;
        if (rule != LeafRule::kVoxel) {
          ways.push_back({rule, voxel_size, 0});
          continue;
        }
        for (const double tolerance : settings_.tolerances) {
          ways.push_back({rule, voxel_size, tolerance});
        }
      }
    }
    for (const LeafRule rule : settings_.rules) {
      if (IsOfGrids(rule)) continue;
      for (const double tolerance : settings_.tolerances) ways.push_back({rule, 0, tolerance});
    }
    return ways;
  }

  /** How often a query is measured at once: on several threads often enough for each of them. */
  static int CopiesFor(const Engine& engine) {
    switch (engine.options().device) {
      case Device::kSerial:
        return 1;
      case Device::kCuda:
        return kDeviceCopies;
      default:
        return kCopies * engine.options().threads;
    }
  }

  InterferenceMetrics Measure(const Engine& engine, const PosedPair& pair, const Way& way,
                              int copies = 1) {
    // A tolerance that the rule does not know bounds nothing.
    const double tolerance = way.tolerance > 0 ? way.tolerance
                                               : *std::min_element(settings_.tolerances.begin(),
                                                                   settings_.tolerances.end());
    const auto count = static_cast<std::size_t>(copies);
    std::vector<InterferenceMetrics> sums(count);
    try {
      MeasurePoses(engine, cells_.At(pair.a, way.voxel_size), cells_.At(pair.b, way.voxel_size),
                   std::vector<Pose>(count, pair.X_WA), std::vector<Pose>(count, pair.X_WB),
                   {tolerance, 0.0, way.rule}, sums);
    } catch (const std::invalid_argument& error) {
      throw InputError(pair.place + ": " + pair.name + ": " + error.what());
    }
    return sums.front();
  }

  StudyRow RowOf(const Group& group, const Way& way, const Engine& engine) {
    StudyRow sum;
    double least = std::numeric_limits<double>::infinity(), spent = 0;
    for (int k = 0; k < kMostRepeats && spent < kTimed; ++k) {
      sum = {};
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < group.pairs.size(); ++i) {
        Add(Compare(Measure(engine, *group.pairs[i], way, CopiesFor(engine)), group.exact[i]),
            &sum);
      }
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (k == 0) continue;  // the first call also makes the grids
      least = std::min(least, time.count());
      spent += time.count();
    }
    for (double StudyRow::*error : {&StudyRow::volume_error, &StudyRow::centroid_error,
                                    &StudyRow::inertia_error, &StudyRow::area_error}) {
      sum.*error /= sum.exact_volume;
    }
    sum.queries = static_cast<int>(group.pairs.size());
    sum.seconds = least / (sum.queries * CopiesFor(engine));
    return sum;
  }

  StudySettings settings_;
  Cells cells_;
  std::vector<Engine> engines_;
  std::map<std::string, Group> groups_;
  std::vector<std::string> names_;
};

/** Richardson's extrapolation from the two finest sizes, for errors of order 2. */
double Extrapolated(const std::vector<const StudyRow*>& rows) {
  const StudyRow* fine = nullptr;
  const StudyRow* coarse = nullptr;
  for (const StudyRow* row : rows) {
    if (fine == nullptr || row->voxel_size < fine->voxel_size) {
      coarse = fine;
      fine = row;
    } else if (row->voxel_size > fine->voxel_size &&
               (coarse == nullptr || row->voxel_size < coarse->voxel_size)) {
      coarse = row;
    }
  }
  if (coarse == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const double h2 = fine->voxel_size * fine->voxel_size;
  const double H2 = coarse->voxel_size * coarse->voxel_size;
  const double V = (H2 * fine->volume - h2 * coarse->volume) / (H2 - h2);
  return std::fabs(V / fine->exact_volume - 1);
}

}  // namespace

bool IsOfGrids(LeafRule rule) {
  return rule == LeafRule::kCenter || rule == LeafRule::kFraction || rule == LeafRule::kClip ||
         rule == LeafRule::kVoxel;
}

double ReferenceTolerance(const StudySettings& settings) {
  double finest = 1;
  for (const double tolerance : settings.tolerances) finest = std::min(finest, tolerance);
  if (std::all_of(settings.rules.begin(), settings.rules.end(), IsOfGrids)) return finest;
  return std::max(kFinestTolerance, 0.01 * finest);
}

std::vector<StudyRow> StudyVoxels(const PairsFile& file, const StudySettings& settings) {
  Study study(settings);
  for (const PosedPair& pair : file.pairs) study.Take(pair);
  return study.Rows();
}

std::vector<std::string> StudyNotes(const PairsFile& file, const StudySettings& settings) {
  std::vector<std::string> notes;
  const auto look = [&](const geometry::ShapePtr& shape) {
    if (shape->operation != geometry::Operation::kGrid) return;
    const Origin origin = OriginOf(*shape);
    const double h = origin == Origin::kMeasured ? FinestOf(*shape, settings) : VoxelSizeOf(*shape);
    const std::string voxels = "voxels of " + NumberText(h, 4) + " m";
    std::string note = shape->name;
    if (origin == Origin::kExact) {
      note +=
          ": a grid already. It is made anew of each voxel size, and compared with the shape "
          "that it was made of.";
    } else if (origin == Origin::kMeasured) {
      note +=
          ": it exists as a grid only. It is made anew of each voxel size, and compared with "
          "its grid of " +
          voxels + ", the finest.";
    } else {
      note += ": a level set of " + voxels + " from a file, which stays as it is.";
    }
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const PosedPair& pair : file.pairs) {
    look(pair.a);
    look(pair.b);
  }
  return notes;
}

std::vector<StudyOrder> OrdersOf(const std::vector<StudyRow>& rows) {
  std::vector<StudyOrder> orders;
  for (const StudyRow& row : rows) {
    if (!(row.voxel_size > 0)) continue;
    const bool known = std::any_of(orders.begin(), orders.end(), [&](const StudyOrder& o) {
      return o.pair == row.pair && o.rule == row.rule && o.tolerance == row.tolerance;
    });
    if (known) continue;
    std::vector<const StudyRow*> mine;
    for (const StudyRow& r : rows) {
      if (r.pair == row.pair && r.rule == row.rule && r.tolerance == row.tolerance &&
          r.threads == row.threads && r.device == row.device)
        mine.push_back(&r);
    }
    const auto slope = [&](double StudyRow::*error) {
      std::vector<std::pair<double, double>> points;
      points.reserve(mine.size());
      for (const StudyRow* r : mine) points.emplace_back(r->voxel_size, r->*error);
      return Slope(points);
    };
    orders.push_back({row.pair, row.rule, row.tolerance, slope(&StudyRow::volume_error),
                      slope(&StudyRow::centroid_error), slope(&StudyRow::inertia_error),
                      slope(&StudyRow::area_error), Extrapolated(mine)});
  }
  return orders;
}

std::vector<StudyRow> CheapestWithin(const std::vector<StudyRow>& rows, double volume) {
  std::vector<StudyRow> cheapest;
  for (const StudyRow& row : rows) {
    if (row.volume_error * row.exact_volume / row.queries > volume) continue;
    const auto known = std::find_if(cheapest.begin(), cheapest.end(),
                                    [&](const StudyRow& r) { return r.pair == row.pair; });
    if (known == cheapest.end()) {
      cheapest.push_back(row);
    } else if (row.seconds < known->seconds) {
      *known = row;
    }
  }
  return cheapest;
}

}  // namespace intervox::host
