/** @file What the kernels are given: a chunk of pairs in the device's memory, and which of them. */
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/plan.h"

namespace intervox::cuda {

namespace internal::grid {
struct GridLevel;
}
namespace internal::clip {
struct ClipSums;
}

/** The kernel that a pair waits for: a rule's number, or one of these. */
using Step = std::uint8_t;
/** Of Step: the outcome is there; the kernels before the rules. */
inline constexpr Step kDone = 255, kPlanesStep = 254, kPegStep = 253, kPrepareStep = 252;

/** The step in which a rule is asked. */
INTERVOX_HD constexpr Step StepOf(LeafRule rule) { return static_cast<Step>(rule); }

/** A query as it is copied to the device: its cells by their numbers in a table. */
struct PairRecord {
  Pose X_WA;  ///< pose of A's frame in the world
  Pose X_WB;  ///< pose of B's frame in the world
  double tolerance = 1e-3;
  double voxel_size = 0.0;    ///< [m]
  double volume_floor = 0.0;  ///< [m³]
  std::int32_t a = 0, b = 0;
  LeafRule rule = LeafRule::kAuto;
};

/** The query of a record, by views of a table's cells. */
INTERVOX_HD inline PairView ViewOf(const PairRecord& record, const CellView* cells) {
  return {cells[record.a],  cells[record.b],   record.X_WA, record.X_WB,
          record.tolerance, record.voxel_size, record.rule, record.volume_floor};
}

/** Arrays with an entry for each pair of a chunk, on the device, and the numbers of those that the
 launch is for. */
struct Batch {
  const PairRecord* d_records = nullptr;
  const CellView* d_cells = nullptr;  ///< of all of the batch
  PairView* d_pairs = nullptr;        ///< made of the records by the first kernel
  Workspace<>* d_workspaces = nullptr;
  Progress* d_progress = nullptr;
  PairOutcome* d_outcomes = nullptr;
  Step* d_steps = nullptr;
  void* d_memory = nullptr;  ///< one ColumnMemory, FluxMemory … for each entry of the list
  const std::int32_t* d_list = nullptr;
  std::int32_t count = 0;  ///< of the list
  // Of grids' lanes alone, whose list has lane l of level i as kLanes i + l.
  const internal::grid::GridLevel* d_levels = nullptr;
  internal::clip::ClipSums* d_sums = nullptr;  ///< of each entry of the list
  std::int32_t grid_sides = 0;                 ///< for which a thread's tile has room
};

/** Bytes of the device that one pair of a chunk takes, but for its rule's memory. */
inline constexpr std::size_t kBytesOfPair =
    sizeof(PairRecord) + sizeof(PairView) + sizeof(Workspace<>) + sizeof(Progress) +
    sizeof(PairOutcome) + sizeof(Step) + sizeof(std::int32_t);

/** Threads of a block, and blocks for which a multiprocessor has registers. */
inline constexpr int kThreadsPerBlock = 64, kBlocksPerMultiprocessor = 4;

}  // namespace intervox::cuda
