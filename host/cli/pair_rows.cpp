#include "host/cli/pair_rows.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/cli/file_kind.h"
#include "host/cli/warn.h"
#include "host/input/error.h"
#include "host/scene/grids.h"

namespace intervox::cli {

void AddPairsOptions(CLI::App* command, PairsOptions* options) {
  command->add_option("file", options->file, "Pairs file, intervox/pairs/1; -: standard input")
      ->required();
  command->add_flag("--json", options->json, "Print one JSON array in full precision");
  AddBulkOptions(command, &options->bulk);
  command->add_option("--threads", options->threads, "For --poses; 0: all cores")
      ->check(CLI::Range(0, 4096));
}

PairsFile ReadPairs(const std::string& file, const char* command) {
  RequireKind(file, command, {FileKind::kPairs});
  PairsFile pairs = LoadPairs(file);
  if (pairs.pairs.empty()) {
    throw host::InputError(file + ": document: no pairs. Add 'pairs' of posed shapes.");
  }
  Warn(pairs.warnings);
  return pairs;
}

const CellStore::Solid& CellStore::Of(const geometry::ShapePtr& shape) {
  const auto [entry, fresh] = solids_.try_emplace(shape.get());
  if (fresh) {
    try {
      entry->second.cells = geometry::ToCells(unbiased_ ? host::Unbiased(*shape) : *shape);
    } catch (const std::invalid_argument& error) {
      entry->second.fault = error.what();
    }
  }
  return entry->second;
}

std::string CellStore::FaultOf(const PosedPair& pair) {
  for (const geometry::ShapePtr& shape : {pair.a, pair.b}) {
    const std::string& fault = Of(shape).fault;
    if (!fault.empty()) return pair.place + ": " + fault;
  }
  return {};
}

nlohmann::ordered_json Numbers(const Vec3& v) { return {v.x, v.y, v.z}; }

std::string Triple(const Vec3& v) { return fmt::format("{:12.5g}{:12.5g}{:12.5g}", v.x, v.y, v.z); }

}  // namespace intervox::cli
