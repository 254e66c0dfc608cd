/** @file What commands on posed pairs share: options, cells of shapes, rows of JSON and tables. */
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geometry/cell.h"
#include "geometry/shape.h"
#include "host/cli/bulk.h"
#include "host/cli/cli.h"
#include "host/scene/pairs.h"

namespace intervox::cli {

/** What a command takes that asks something of the posed pairs of a file, or of one at many poses.
 */
struct PairsOptions {
  std::string file;
  bool json = false;
  BulkOptions bulk;
  int threads = 0;
};

/** Adds the file, --json, --poses, --out and --threads. */
void AddPairsOptions(CLI::App* command, PairsOptions* options);

/** The pairs of a file. @throws host::InputError where there are none, or it is of another kind. */
PairsFile ReadPairs(const std::string& file, const char* command);

/** Cells of shapes, cut once each. A shape that cannot be cut gives a reason instead. */
class CellStore {
 public:
  /** @param unbiased  grids are taken without their bias (host::Unbiased). */
  explicit CellStore(bool unbiased = false) : unbiased_(unbiased) {}
  /** The cells of a shape, or why there are none. */
  struct Solid {
    std::vector<geometry::Cell> cells;
    std::string fault;
  };
  /** The solid of a shape, which is cut when it is first asked for. */
  const Solid& Of(const geometry::ShapePtr& shape);
  /** Why one of a pair's shapes cannot be cut, with its place; empty: both can. */
  std::string FaultOf(const PosedPair& pair);

 private:
  bool unbiased_;
  std::map<const geometry::Shape*, Solid> solids_;
};

/** A vector as JSON. */
nlohmann::ordered_json Numbers(const Vec3& v);

/** A vector as three columns of a table. */
std::string Triple(const Vec3& v);

/** Calls f, and returns the time that it took [s]. */
template <class F>
double Seconds(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/** Prints rows as one JSON array. */
template <class Row, class ToJson>
void PrintJson(const std::vector<Row>& rows, const ToJson& to_json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& row : rows) all.push_back(to_json(row));
  std::cout << all.dump(1) << '\n';
}

/** The width of a table's first column. */
template <class Row>
std::size_t NameWidth(const std::vector<Row>& rows) {
  std::size_t width = 4;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  return width;
}

/** Prints, below a table, what was wrong with its rows. */
template <class Row, class ReasonOf>
void PrintReasons(const std::vector<Row>& rows, const ReasonOf& reason_of) {
  for (const Row& row : rows) {
    const std::string& reason = reason_of(row);
    if (!reason.empty()) std::cout << row.name << ": " << reason << '\n';
  }
}

}  // namespace intervox::cli
