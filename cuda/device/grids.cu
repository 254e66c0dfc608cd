// Pairs with a grid on the device: all pairs' next levels together, a thread for each of their
// lanes.
#include "cuda/device/grids.cuh"

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "cuda/device/executor.h"
#include "cuda/device/state.cuh"
#include "cuda/rules/grid/pair.h"

namespace intervox::cuda {

namespace {

using geometry::GridView;
using geometry::LevelSet;
using internal::clip::ClipSums;
using internal::grid::GridLevel;

// A core of the host sums so many lanes while a thread of the device sums one.
constexpr int kFewOfThread = 100;

// A pair of blocks has at most this many lanes with voxels: so many pairs are placed together.
constexpr int kLanesOfBlocks = 8;

// A field on the device.
struct KeptField {
  std::weak_ptr<const LevelSet> owner;
  Memory nodes, bends, places, extents, eighths;
  GridView view;

  explicit KeptField(int device)
      : nodes(device, Memory::Place::kDevice),
        bends(device, Memory::Place::kDevice),
        places(device, Memory::Place::kDevice),
        extents(device, Memory::Place::kDevice),
        eighths(device, Memory::Place::kDevice) {}
};

// The fields on all devices. A field whose owner is gone is freed when the next one comes.
class Fields {
 public:
  static Fields& All() {
    static Fields* const fields = new Fields;  // outlives the driver: freed by nobody
    return *fields;
  }

  // The view of a field on the device, to which it is copied where it is new.
  GridView ViewOf(const std::shared_ptr<const LevelSet>& field, int device, DeviceState* state) {
    const std::lock_guard lock(mutex_);
    Kept& kept = kept_[device];
    const auto found = kept.find(field.get());
    if (found != kept.end() && !found->second->owner.expired()) return found->second->view;
    std::erase_if(kept, [](const auto& entry) { return entry.second->owner.expired(); });
    auto added = std::make_unique<KeptField>(device);
    added->owner = field;
    added->view = field->View();
    const auto copy = [&](const auto& values, Memory* memory, auto** d_values) {
      const std::size_t bytes = values.size() * sizeof(values[0]);
      *d_values = nullptr;
      if (bytes == 0) return;  // no block holds a surface
      void* const d_all = memory->Reserve(bytes);
      state->Upload(d_all, values.data(), bytes);
      *d_values = static_cast<std::remove_reference_t<decltype(*d_values)>>(d_all);
    };
    copy(field->nodes, &added->nodes, &added->view.nodes);
    copy(field->bends, &added->bends, &added->view.bends);
    copy(field->places, &added->places, &added->view.places);
    copy(field->extents, &added->extents, &added->view.extents);
    copy(field->eighths, &added->eighths, &added->view.eighths);
    state->Wait("copying a grid to the device");
    const GridView view = added->view;
    kept[field.get()] = std::move(added);
    return view;
  }

 private:
  using Kept = std::unordered_map<const LevelSet*, std::unique_ptr<KeptField>>;

  std::mutex mutex_;
  std::unordered_map<int, Kept> kept_;
};

// A pair under way, with its grids' views on the device.
struct Placed {
  GridPair pair;
  bool placed = false;  // false: its outcome is there
  GridView d_views[2];
};

// The pairs of a group whose next level is to be summed, and their lanes.
struct Round {
  std::vector<Placed*> open;
  std::vector<GridLevel> levels;
  std::size_t lanes = 0, surfaces = 0;
  int sides = 0;  // the most of a pair
};

Round NextRound(std::vector<Placed>* group) {
  Round round;
  for (Placed& placed : *group) {
    if (!placed.placed || !placed.pair.open()) continue;
    round.open.push_back(&placed);
    round.levels.push_back(placed.pair.Level());
    const GridLevel& level = round.levels.back();
    round.lanes += static_cast<std::size_t>(LanesOf(level));
    round.surfaces += static_cast<std::size_t>(level.model.surfaces);
    round.sides = std::max(round.sides, level.model.grids + level.model.surfaces);
  }
  return round;
}

// How many lanes go through the device at once.
std::size_t LanesAtOnce(const DeviceState& state, int sides, int device) {
  const std::size_t free = FreeMemory(device);
  const std::size_t bytes =
      internal::grid::TileBytes(sides) + sizeof(ClipSums) + sizeof(std::int32_t);
  const std::size_t room = ((free + state.memory.size()) / kShareOfFree) / bytes;
  return state.ThreadsWithin(room, free, "lanes of grids");
}

// Sums the levels of a round on the device, and hands them to their pairs.
void SumOnDevice(Round* round, int device, DeviceState* state) {
  Batch batch;
  const std::size_t n = round->levels.size();
  auto* const d_levels = state->levels.Of<GridLevel>(n);
  auto* const levels = state->host_levels.Of<GridLevel>(n);
  auto* const d_surfaces = state->surfaces.Of<internal::MappedSurface>(round->surfaces);
  auto* const surfaces = state->host_surfaces.Of<internal::MappedSurface>(round->surfaces);
  auto* const list = state->host_list.Of<std::int32_t>(round->lanes);
  auto* const sums = state->host_sums.Of<ClipSums>(round->lanes);
  std::size_t surface = 0, lane = 0;
  for (std::size_t i = 0; i < n; ++i) {
    GridLevel& level = levels[i] = round->levels[i];
    for (int k = 0; k < level.model.grids; ++k) {
      level.model.grid[k].view = round->open[i]->d_views[k];
    }
    std::copy_n(level.model.surface, level.model.surfaces, surfaces + surface);
    level.model.surface = d_surfaces + surface;
    surface += static_cast<std::size_t>(level.model.surfaces);
    for (int l = 0; l < LanesOf(level); ++l) {
      list[lane++] = static_cast<std::int32_t>(i) * kLanes + l;
    }
  }
  state->Upload(d_levels, levels, n * sizeof(GridLevel));
  if (round->surfaces > 0)
    state->Upload(d_surfaces, surfaces, round->surfaces * sizeof(internal::MappedSurface));
  const std::size_t most = std::min(LanesAtOnce(*state, round->sides, device), round->lanes);
  auto* const d_list = state->list.Of<std::int32_t>(most);
  batch.d_sums = state->sums.Of<ClipSums>(most);
  batch.d_memory = state->memory.Reserve(most * internal::grid::TileBytes(round->sides));
  batch.d_list = d_list;
  batch.d_levels = d_levels;
  batch.grid_sides = round->sides;
  for (std::size_t begin = 0; begin < round->lanes; begin += most) {
    const std::size_t count = std::min(most, round->lanes - begin);
    batch.count = static_cast<std::int32_t>(count);
    state->Upload(d_list, list + begin, count * sizeof(list[0]));
    state->Launch(GridKernel(), batch);
    state->Download(sums + begin, batch.d_sums, count * sizeof(ClipSums));
  }
  lane = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int lanes = LanesOf(round->levels[i]);
    round->open[i]->pair.Take(internal::grid::AddLanes(sums + lane, lanes));
    lane += static_cast<std::size_t>(lanes);
  }
}

}  // namespace

void ComputeGridsOnCuda(std::span<const PairQuery> queries, std::span<const std::size_t> numbers,
                        std::span<InterferenceMetrics> metrics, int device, int threads) {
  const StateLease state(device);
  const std::size_t most = state->MostThreads();
  const std::size_t few = static_cast<std::size_t>(kFewOfThread * ThreadsOf(threads));
  std::vector<Placed> group(std::min(numbers.size(), most / kLanesOfBlocks));
  for (std::size_t begin = 0; begin < numbers.size(); begin += group.size()) {
    group.resize(std::min(group.size(), numbers.size() - begin));
    const auto each = [&](int grain, const auto& body) {
      ForEach(group.size(), grain, threads,
              [&](std::size_t i) { body(&group[i], numbers[begin + i]); });
    };
    constexpr int kPlacedTogether = 16;
    each(kPlacedTogether, [&](Placed* placed, std::size_t query) {
      placed->placed = placed->pair.Place(queries[query], &metrics[query]);
    });
    for (Placed& placed : group) {
      for (int k = 0; placed.placed && k < 2; ++k) {
        const auto* field = placed.pair.field(k);
        if (field != nullptr) placed.d_views[k] = Fields::All().ViewOf(*field, device, &*state);
      }
    }
    Round round = NextRound(&group);
    for (; round.lanes >= few; round = NextRound(&group)) SumOnDevice(&round, device, &*state);
    each(1, [&](Placed* placed, std::size_t query) {
      if (!placed->placed) return;
      SumOpenLevels(&placed->pair);
      metrics[query] = placed->pair.Conclude();
    });
  }
}

}  // namespace intervox::cuda
