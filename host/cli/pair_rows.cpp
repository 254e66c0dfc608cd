#include "host/cli/pair_rows.h"

#include <fmt/format.h>

#include <stdexcept>

namespace intervox::cli {

const CellStore::Solid& CellStore::Of(const geometry::ShapePtr& shape) {
  const auto [entry, fresh] = solids_.try_emplace(shape.get());
  if (fresh) {
    try {
      entry->second.cells = geometry::ToCells(*shape);
    } catch (const std::invalid_argument& error) {
      entry->second.fault = error.what();
    }
  }
  return entry->second;
}

nlohmann::ordered_json Numbers(const Vec3& v) { return {v.x, v.y, v.z}; }

std::string Triple(const Vec3& v) { return fmt::format("{:12.5g}{:12.5g}{:12.5g}", v.x, v.y, v.z); }

}  // namespace intervox::cli
