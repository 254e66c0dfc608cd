/** @file What commands that measure posed pairs share: cells of shapes, and how vectors are
 * written. */
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geometry/cell.h"
#include "geometry/shape.h"

namespace intervox::cli {

/** Cells of shapes, cut once each. A shape that cannot be cut gives a reason instead. */
class CellStore {
 public:
  /** The cells of a shape, or why there are none. */
  struct Solid {
    std::vector<geometry::Cell> cells;
    std::string fault;
  };
  /** The solid of a shape, which is cut when it is first asked for. */
  const Solid& Of(const geometry::ShapePtr& shape);

 private:
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

}  // namespace intervox::cli
