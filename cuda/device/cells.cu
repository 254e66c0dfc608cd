// The cells of a batch, flat: one array after the other in one allocation of the device.
#include "cuda/device/cells.cuh"

#include <algorithm>

#include "cuda/device/executor.h"

namespace intervox::cuda {

namespace {

// Where a pointer's search in a table of `size` slots, a power of two, starts.
std::size_t SlotOf(const geometry::Cell* cell, std::size_t size) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(cell) * kGolden) >> 32) &
         (size - 1);
}

std::uint8_t KindOf(const geometry::Cell& cell) {
  std::uint32_t kind = 0;
  for (const geometry::Surface& surface : cell.surfaces) {
    constexpr std::uint32_t kBase = 31;
    kind = kBase * kind + static_cast<std::uint32_t>(surface.kind) + 1;
  }
  return static_cast<std::uint8_t>(kind % DeviceCells::kKinds);
}

// Where arrays of all cells start in the allocation, and how far a cell's own are from there.
struct Layout {
  std::size_t views, surfaces, corners, half_edges, faces, bounds, bytes;
};
struct Offset {
  std::size_t surface = 0, corner = 0, half_edge = 0, face = 0;
};

// Each cell's offsets, and last what all cells take.
std::vector<Offset> OffsetsOf(const std::vector<const geometry::Cell*>& cells) {
  std::vector<Offset> offsets;
  offsets.reserve(cells.size() + 1);
  Offset at;
  for (const geometry::Cell* cell : cells) {
    const CellView view = MakeView(*cell);
    offsets.push_back(at);
    at.surface += static_cast<std::size_t>(view.surface_count);
    at.corner += static_cast<std::size_t>(view.corner_count);
    at.half_edge += static_cast<std::size_t>(view.half_edge_count);
    at.face += static_cast<std::size_t>(view.face_count);
  }
  offsets.push_back(at);
  return offsets;
}

Layout LayoutOf(std::size_t cells, const Offset& all) {
  Layout layout{};
  const auto place = [&](std::size_t bytes) {
    constexpr std::size_t kAlignment = 256;
    const std::size_t begin = layout.bytes;
    layout.bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  };
  layout.views = place(cells * sizeof(CellView));
  layout.surfaces = place(all.surface * sizeof(geometry::Surface));
  layout.corners = place(all.corner * sizeof(Vec3));
  layout.half_edges = place(all.half_edge * sizeof(geometry::HalfEdge));
  layout.faces = place(all.face * sizeof(geometry::CornerFace));
  layout.bounds = place(cells * sizeof(geometry::OrientedBox));
  return layout;
}

// Copies `count` values to their place of the host's copy; returns that of the device's.
template <class T>
const T* CopyTo(const T* from, std::int32_t count, std::size_t at, char* host, const char* d_all) {
  std::copy(from, from + count, reinterpret_cast<T*>(host + at));
  return reinterpret_cast<const T*>(d_all + at);
}

}  // namespace

std::int32_t DeviceCells::NumberOf(const geometry::Cell& cell) {
  if (2 * cells_.size() >= slots_.size()) Grow();
  std::size_t at = SlotOf(&cell, slots_.size());
  for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
    if (cells_[static_cast<std::size_t>(slots_[at])] == &cell) return slots_[at];
  }
  const auto number = static_cast<std::int32_t>(cells_.size());
  slots_[at] = number;
  cells_.push_back(&cell);
  kinds_.push_back(cuda::KindOf(cell));
  return number;
}

void DeviceCells::Grow() {
  constexpr std::size_t kFirst = 64;
  slots_.assign(slots_.empty() ? kFirst : 2 * slots_.size(), -1);
  for (std::size_t number = 0; number < cells_.size(); ++number) {
    std::size_t at = SlotOf(cells_[number], slots_.size());
    while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::int32_t>(number);
  }
}

void DeviceCells::Upload(int threads, DeviceState* state) {
  const std::vector<Offset> offsets = OffsetsOf(cells_);
  const Layout layout = LayoutOf(cells_.size(), offsets.back());
  auto* const d_all = state->cells.Of<char>(layout.bytes);
  auto* const host = state->host_cells.Of<char>(layout.bytes);
  auto* const views = reinterpret_cast<CellView*>(host + layout.views);
  constexpr int kCopiedTogether = 256;
  ForEach(cells_.size(), kCopiedTogether, threads, [&](std::size_t i) {
    const Offset& at = offsets[i];
    CellView view = MakeView(*cells_[i]);
    view.surfaces = CopyTo(view.surfaces, view.surface_count,
                           layout.surfaces + at.surface * sizeof(*view.surfaces), host, d_all);
    view.corners = CopyTo(view.corners, view.corner_count,
                          layout.corners + at.corner * sizeof(*view.corners), host, d_all);
    view.half_edges =
        CopyTo(view.half_edges, view.half_edge_count,
               layout.half_edges + at.half_edge * sizeof(*view.half_edges), host, d_all);
    view.faces = CopyTo(view.faces, view.face_count, layout.faces + at.face * sizeof(*view.faces),
                        host, d_all);
    view.bounds = CopyTo(view.bounds, 1, layout.bounds + i * sizeof(*view.bounds), host, d_all);
    views[i] = view;
  });
  state->Upload(d_all, host, layout.bytes);
  state->Wait("copying cells to the device");
  d_views_ = reinterpret_cast<const CellView*>(d_all + layout.views);
}

}  // namespace intervox::cuda
