#include "host/study/voxel_study.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/input/error.h"
#include "host/scene/grids.h"
#include "host/scene/shape_metrics.h"

namespace intervox::host {
namespace {

/** Queries are timed at most so often, and so long [s]. */
constexpr int kMostRepeats = 20;
constexpr double kTimed = 0.05;

double FrobeniusNorm(const Mat3& A) {
  return std::sqrt(SquaredNorm(A.row0) + SquaredNorm(A.row1) + SquaredNorm(A.row2));
}

bool IsBounded(const std::vector<geometry::Cell>& cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](const geometry::Cell& cell) { return cell.bounded; });
}

/** Cells of shapes, exact and as grids, made once each. */
class Cells {
 public:
  explicit Cells(double half_width) : half_width_(half_width) {}

  /** The cells at a voxel size; 0 has the exact ones. */
  const std::vector<geometry::Cell>& At(const geometry::ShapePtr& shape, double voxel_size) {
    const auto [entry, fresh] = cells_.try_emplace({shape.get(), voxel_size});
    if (fresh) entry->second = Make(shape, voxel_size);
    return entry->second;
  }

 private:
  std::vector<geometry::Cell> Make(const geometry::ShapePtr& shape, double voxel_size) const {
    std::vector<geometry::Cell> cells = geometry::ToCells(*shape);
    if (voxel_size == 0 || !IsBounded(cells)) return cells;
    return geometry::ToCells(GridOf(shape, voxel_size, half_width_));
  }

  double half_width_;
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

}  // namespace

std::vector<StudyRow> StudyVoxels(const PairsFile& file, const StudySettings& settings) {
  const Engine engine({Device::kSerial, 1, 0});
  Cells cells(settings.half_width);
  std::vector<StudyRow> rows;
  for (const PosedPair& pair : file.pairs) {
    const auto measure = [&](double voxel_size, LeafRule rule) {
      return MeasurePair(engine, cells.At(pair.a, voxel_size), cells.At(pair.b, voxel_size),
                         pair.X_WA, pair.X_WB, {settings.tolerance, 0.0, rule})
          .sum;
    };
    try {
      const InterferenceMetrics exact = measure(0, LeafRule::kAuto);
      if (!(exact.volume > 0)) continue;
      for (const double voxel_size : settings.voxel_sizes) {
        for (const LeafRule rule : settings.rules) {
          double least = std::numeric_limits<double>::infinity(), spent = 0;
          StudyRow row;
          for (int k = 0; k < kMostRepeats && spent < kTimed; ++k) {
            const auto start = std::chrono::steady_clock::now();
            const InterferenceMetrics m = measure(voxel_size, rule);
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
            // The first call also makes the grids.
            if (k > 0) least = std::min(least, time.count());
            spent += k > 0 ? time.count() : 0;
            row = Compare(m, exact);
          }
          row.pair = pair.name;
          row.rule = rule;
          row.voxel_size = voxel_size;
          row.seconds = least;
          rows.push_back(row);
        }
      }
    } catch (const std::invalid_argument& error) {
      throw InputError(pair.place + ": " + pair.name + ": " + error.what());
    }
  }
  return rows;
}

std::vector<StudyOrder> OrdersOf(const std::vector<StudyRow>& rows) {
  std::vector<StudyOrder> orders;
  for (const StudyRow& row : rows) {
    const bool known = std::any_of(orders.begin(), orders.end(), [&](const StudyOrder& o) {
      return o.pair == row.pair && o.rule == row.rule;
    });
    if (known) continue;
    const auto slope = [&](double StudyRow::*error) {
      std::vector<std::pair<double, double>> points;
      for (const StudyRow& r : rows) {
        if (r.pair == row.pair && r.rule == row.rule) points.emplace_back(r.voxel_size, r.*error);
      }
      return Slope(points);
    };
    orders.push_back({row.pair, row.rule, slope(&StudyRow::volume_error),
                      slope(&StudyRow::centroid_error), slope(&StudyRow::inertia_error),
                      slope(&StudyRow::area_error)});
  }
  return orders;
}

}  // namespace intervox::host
