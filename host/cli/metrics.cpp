// `intervox metrics`: a table or JSON of the overlaps of posed pairs, or of shapes themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>

#include "cuda/certify/certify.h"
#include "host/cli/bulk.h"
#include "host/cli/cli.h"
#include "host/cli/file_kind.h"
#include "host/cli/pair_rows.h"
#include "host/cli/validators.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/input/nearest.h"
#include "host/scene/grids.h"
#include "host/scene/names.h"
#include "host/scene/pairs.h"
#include "host/scene/shape_metrics.h"

namespace intervox::cli {
namespace {

using host::InputError;
using host::ShapeMetrics;

struct MetricsArguments {
  std::string file;
  double tolerance = 1e-4;
  double voxel_size = 0.0;
  std::string rule = "auto";
  bool json = false;
  std::string shape;
  BulkOptions bulk;
  std::string device = "auto";
  int threads = 0;
  bool certify = false;
};

struct Row {
  std::string name;
  ShapeMetrics metrics;
  double seconds = 0.0;
  std::optional<double> bias;  ///< of V, where there are grids [m³]
  std::optional<VolumeEnclosure> enclosure;
};

host::MeasureOptions Measure(const MetricsArguments& options) {
  return {options.tolerance, options.voxel_size, *host::ValueOf<LeafRule>(options.rule)};
}

template <class F>
Row Timed(const std::string& name, F&& measure) {
  Row row{name, {}, 0.0, {}, {}};
  row.seconds = Seconds([&] { row.metrics = measure(); });
  return row;
}

/** Adds what grids cost: V less what their fields without bias have in common. */
template <class F>
void AddBias(Row* row, F&& measure_unbiased) {
  const InterferenceMetrics& m = row->metrics.sum;
  if (m.volume > 0) row->bias = m.volume - measure_unbiased().sum.volume;
}

ShapeMetrics Faulty(const std::string& reason) {
  ShapeMetrics out;
  out.sum.status = Status::kInvalid;
  out.reason = reason;
  return out;
}

/** Adds the enclosure of V; where there is none, or a wide one, the reason says so. */
void Certify(const PosedPair& pair, std::span<const geometry::Cell> a,
             std::span<const geometry::Cell> b, const MetricsArguments& options, Row* row) {
  VolumeEnclosure& found = row->enclosure.emplace();
  row->seconds += Seconds(
      [&] { found = CertifyVolume(a, b, pair.X_WA, pair.X_WB, {.tolerance = options.tolerance}); });
  std::string& reason = row->metrics.reason;
  if (!reason.empty()) return;
  if (found.status == Status::kToleranceNotMet) {
    reason = fmt::format(
        "the enclosure of the volume is wider than the tolerance after {} boxes. Raise the "
        "tolerance, or do without --certify: volume_error is an estimate",
        found.boxes);
  } else if (found.status == Status::kInvalid) {
    reason =
        "a pose is not finite or no rotation, and the overlap has no enclosure. Give finite "
        "numbers";
  } else if (found.status == Status::kUnbounded) {
    reason = "two cells are infinite, and their overlap has no enclosure. Bound one of the shapes";
  }
}

std::vector<Row> MeasurePairs(const Engine& engine, const PairsFile& file,
                              const MetricsArguments& options) {
  CellStore store, unbiased(true);
  std::vector<Row> rows;
  for (const PosedPair& pair : file.pairs) {
    const std::string fault = store.FaultOf(pair);
    const CellStore::Solid &a = store.Of(pair.a), &b = store.Of(pair.b);
    rows.push_back(Timed(pair.name, [&] {
      if (!fault.empty()) return Faulty(fault);
      return MeasurePair(engine, a.cells, b.cells, pair.X_WA, pair.X_WB, Measure(options));
    }));
    if (options.certify && fault.empty()) Certify(pair, a.cells, b.cells, options, &rows.back());
    if (!options.json || !(host::HasBias(*pair.a) || host::HasBias(*pair.b))) continue;
    AddBias(&rows.back(), [&] {
      return MeasurePair(engine, unbiased.Of(pair.a).cells, unbiased.Of(pair.b).cells, pair.X_WA,
                         pair.X_WB, Measure(options));
    });
  }
  return rows;
}

std::vector<Row> MeasureShapes(const Engine& engine, const PairsFile& file,
                               const MetricsArguments& options) {
  CellStore store, unbiased(true);
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (const auto& [name, shape] : file.shapes) {
    names.push_back(name);
    if (!options.shape.empty() && name != options.shape) continue;
    const CellStore::Solid& solid = store.Of(shape);
    rows.push_back(Timed(name, [&] {
      if (!solid.fault.empty()) return Faulty(solid.fault);
      return MeasureSolid(engine, solid.cells, Measure(options));
    }));
    if (!options.json || !host::HasBias(*shape)) continue;
    const CellStore::Solid& without_bias = unbiased.Of(shape);
    AddBias(&rows.back(),
            [&] { return MeasureSolid(engine, without_bias.cells, Measure(options)); });
  }
  if (!options.shape.empty() && rows.empty()) {
    throw InputError(options.file + ": --shape: no shape is named '" + options.shape + "'. " +
                     host::Suggest(options.shape, names));
  }
  if (rows.empty()) {
    throw InputError(options.file + ": document: neither pairs nor shapes. Add one of them.");
  }
  return rows;
}

nlohmann::ordered_json ToJson(const Row& row) {
  const InterferenceMetrics& m = row.metrics.sum;
  const bool measured = m.status == Status::kOk || m.status == Status::kToleranceNotMet;
  nlohmann::ordered_json j;
  j["name"] = row.name;
  j["volume"] = nullptr;
  for (const char* key : {"centroid", "inertia", "area_vector", "area_moment", "volume_bounds",
                          "volume_error", "volume_bias"}) {
    j[key] = nullptr;
  }
  if (m.status == Status::kDisjoint) j["volume"] = 0.0;
  if (measured) {
    j["volume"] = m.volume;
    if (m.volume_hi > 0) j["volume_bounds"] = {m.volume_lo, m.volume_hi};
    j["volume_error"] = m.volume_error;
    if (row.bias) j["volume_bias"] = *row.bias;
  }
  if (measured && m.volume > 0) {
    j["centroid"] = Numbers(m.p_WC);
    j["inertia"] = {Numbers(m.J_W.row0), Numbers(m.J_W.row1), Numbers(m.J_W.row2)};
    j["area_vector"] = Numbers(m.area_vector);
    j["area_moment"] = Numbers(m.area_moment);
  }
  if (row.enclosure) {
    j["volume_enclosure"] = nullptr;
    if (std::isfinite(row.enclosure->upper)) {
      j["volume_enclosure"] = {row.enclosure->lower, row.enclosure->upper};
    }
    j["enclosure_status"] = host::WordOf(row.enclosure->status);
  }
  j["status"] = host::WordOf(m.status);
  if (!row.metrics.reason.empty()) j["reason"] = row.metrics.reason;
  j["cells"] = m.work;
  j["seconds"] = row.seconds;
  return j;
}

void PrintTable(const std::vector<Row>& rows, bool solids) {
  const std::size_t width = NameWidth(rows);
  std::cout << fmt::format("{:<{}}  {:<17} {:>13} {:>9} {:>36} {:>36} {:>7} {:>9}\n", "name", width,
                           "status", "V [m3]", "error", "centroid [m]",
                           solids ? "inertia xx, yy, zz [m5]" : "area vector [m2]", "cells",
                           "time [us]");
  for (const Row& row : rows) {
    const InterferenceMetrics& m = row.metrics.sum;
    const std::string status = host::WordOf(m.status);
    if (!(m.volume > 0)) {
      const std::string volume = m.status == Status::kDisjoint ? "0" : "-";
      std::cout << fmt::format("{:<{}}  {:<17} {:>13} {:>9} {:>36} {:>36} {:>7} {:>9.1f}\n",
                               row.name, width, status, volume, "-", "-", "-", m.work,
                               1e6 * row.seconds);
      continue;
    }
    const Vec3 last = solids ? Vec3{m.J_W(0, 0), m.J_W(1, 1), m.J_W(2, 2)} : m.area_vector;
    std::cout << fmt::format("{:<{}}  {:<17} {:>13.7g} {:>9.1e} {} {} {:>7} {:>9.1f}\n", row.name,
                             width, status, m.volume, m.volume_error, Triple(m.p_WC), Triple(last),
                             m.work, 1e6 * row.seconds);
  }
  PrintReasons(rows, [](const Row& row) -> const std::string& { return row.metrics.reason; });
}

/** What --certify found, in digits that keep it true. */
void PrintEnclosures(const std::vector<Row>& rows) {
  const std::size_t width = NameWidth(rows);
  std::cout << fmt::format("{:<{}}  {:<17} {:>23} {:>23} {:>10} {:>8} {:>9}\n", "name", width,
                           "enclosure", "V, at least [m3]", "V, at most [m3]", "half width",
                           "boxes", "time [us]");
  for (const Row& row : rows) {
    if (!row.enclosure) continue;
    const VolumeEnclosure& e = *row.enclosure;
    const bool known = std::isfinite(e.upper);
    const std::string half_width =
        known && e.lower > 0 ? fmt::format("{:.1e}", 0.5 * (e.upper - e.lower) / e.lower) : "-";
    std::cout << fmt::format(
        "{:<{}}  {:<17} {:>23} {:>23} {:>10} {:>8} {:>9.1f}\n", row.name, width,
        host::WordOf(e.status), known ? fmt::format("{:.17g}", e.lower) : "-",
        known ? fmt::format("{:.17g}", e.upper) : "-", half_width, e.boxes, 1e6 * row.seconds);
  }
}

/** Whether each pair, or each shape where there are no pairs, has voxels of its own. */
bool AllHaveGrids(const PairsFile& file) {
  const auto is_grid = [](const geometry::ShapePtr& shape) {
    return shape->operation == geometry::Operation::kGrid;
  };
  if (file.pairs.empty()) {
    return std::all_of(file.shapes.begin(), file.shapes.end(),
                       [&](const auto& named) { return is_grid(named.second); });
  }
  return std::all_of(file.pairs.begin(), file.pairs.end(),
                     [&](const PosedPair& pair) { return is_grid(pair.a) || is_grid(pair.b); });
}

int RunMetrics(const MetricsArguments& options) {
  RequireKind(options.file, "metrics", {FileKind::kPairs, FileKind::kScene});
  const PairsFile file = LoadPairs(options.file);
  Warn(file.warnings);
  const Engine engine = MakeEngine(ParseDevice(options.device, options.threads));
  if (options.rule == "center" && options.voxel_size == 0 && !AllHaveGrids(file)) {
    throw InputError("command line: --leaf-rule: center counts voxels. Give --voxel-size too.");
  }
  if (!options.bulk.poses.empty()) {
    const BulkPair pair = ReadBulk(file, options.file, options.bulk);
    return MeasureBulk(engine, pair, options.bulk.out, Measure(options));
  }
  const bool solids = !options.shape.empty() || file.pairs.empty();
  if (solids && options.certify) {
    throw InputError(options.file + ": --certify: there are no pairs. Name some under pairs.");
  }
  const std::vector<Row> rows =
      solids ? MeasureShapes(engine, file, options) : MeasurePairs(engine, file, options);
  if (options.json) {
    PrintJson(rows, ToJson);
  } else {
    if (options.certify) PrintEnclosures(rows);
    PrintTable(rows, solids);
  }
  const auto holds = [](Status status) {
    return status == Status::kOk || status == Status::kDisjoint;
  };
  for (const Row& row : rows) {
    if (!holds(row.metrics.sum.status)) return kFailed;
    if (row.enclosure && !holds(row.enclosure->status)) return kFailed;
  }
  return kDone;
}

}  // namespace

void AddMetrics(CLI::App& app, int& status) {
  const auto options = std::make_shared<MetricsArguments>();
  CLI::App* command =
      app.add_subcommand("metrics", "Measure the overlaps of posed pairs of shapes");
  command->add_option("file", options->file, "Pairs file, intervox/pairs/1; -: standard input")
      ->required();
  auto* tolerance = command->add_option("--tolerance", options->tolerance,
                                        "Relative, of the volume [1e-9, 0.1]; default 1e-4");
  tolerance->check(InRange(1e-9, 0.1));
  command
      ->add_option("--voxel-size", options->voxel_size,
                   "Leaf size [m] of the rules clip and center, "
                   "instead of a tolerance")
      ->check(InRange(1e-12, 1e6))
      ->excludes(tolerance);
  const std::vector<std::string> rules = host::WordsOf<LeafRule>();
  command
      ->add_option("--leaf-rule", options->rule, fmt::format("One of: {}", fmt::join(rules, ", ")))
      ->check(CLI::IsMember(rules));
  command->add_flag("--json", options->json, "Print one JSON array in full precision");
  auto* shape = command->add_option("--shape", options->shape, "Measure this shape itself");
  AddBulkOptions(command, &options->bulk);
  command
      ->add_flag("--certify", options->certify,
                 "Also enclose each volume between bounds that are proved, to the tolerance")
      ->excludes(shape)
      ->excludes("--poses")
      ->excludes("--voxel-size")
      ->excludes("--leaf-rule");
  command->add_option("--device", options->device, "auto, cpu, cuda or cuda:k");
  command->add_option("--threads", options->threads, "0: all cores")->check(CLI::Range(0, 4096));
  command->callback([options, &status] { status = RunMetrics(*options); });
}

}  // namespace intervox::cli
