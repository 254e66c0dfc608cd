#include "geometry/grid/make_level_set.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "geometry/free_memory.h"
#include "geometry/grid/signed_distance.h"

namespace intervox::geometry {
namespace {

/** Most places of a grid: 2,500 voxels along each axis of a cube, 430 MB of index. */
constexpr double kMostPlaces = 1 << 25;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string Text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/** Bytes of a block. */
constexpr double kBlockBytes =
    kBlockNodes * (sizeof(float) + sizeof(std::int8_t)) + kEighths * sizeof(Extent);
/** Of the memory that is free, what blocks may take. */
constexpr double kMostShare = 0.75;

/** Refuses blocks that need more of the memory that is free than they may take. */
void RequireMemory(double blocks, double free, double voxel_size) {
  const double need = blocks * kBlockBytes;
  if (need <= kMostShare * free) return;
  throw std::invalid_argument("a voxel size of " + Text(voxel_size) + " m needs " +
                              Text(need / 1e9) + " GB for " + Text(blocks) + " blocks, and " +
                              Text(free / 1e9) + " GB are free; use voxels of " +
                              Text(2 * voxel_size * std::sqrt(need / free)) + " m or more");
}

/** Blocks whose time is told before all are read, where there are at least kManyBlocks. */
constexpr std::size_t kSampled = 32, kManyBlocks = 20'000;
/** The longest that a grid may take to make [s]. */
constexpr double kLongest = 3600;

/** Refuses blocks that would take more than an hour, by the time of a few that lie apart. */
void RequireTime(std::span<const int> places, const std::function<void(int place)>& read,
                 double voxel_size) {
  if (places.size() < kManyBlocks) return;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < kSampled; ++k) read(places[k * places.size() / kSampled]);
  const std::chrono::duration<double> sampled = std::chrono::steady_clock::now() - start;
  const auto count = static_cast<double>(places.size());
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  const double time = sampled.count() / kSampled * count / cores;
  if (time <= kLongest) return;
  throw std::invalid_argument("a voxel size of " + Text(voxel_size) + " m makes " + Text(count) +
                              " blocks of 8 x 8 x 8 voxels near the surface, which would take " +
                              Text(time / 3600) + " hours here; use voxels of " +
                              Text(1.1 * voxel_size * std::sqrt(time / kLongest)) + " m or more");
}

std::size_t CountOf(const std::array<int, 3>& size) {
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
         static_cast<std::size_t>(size[2]);
}

std::array<int, 3> PlaceAt(const std::array<int, 3>& size, int place) {
  return {place / (size[1] * size[2]), place / size[2] % size[1], place % size[2]};
}

std::array<int, 3> FirstNode(const std::array<int, 3>& origin, const std::array<int, 3>& at) {
  return {origin[0] + kBlockEdge * at[0], origin[1] + kBlockEdge * at[1],
          origin[2] + kBlockEdge * at[2]};
}

/** What one block adds to the whole. */
struct BlockFacts {
  bool varies = false;  // not all nodes at the same end of the band
  bool inside = false;  // its first node
  double square = 0;    // of the steepest voxel's slope
  std::int64_t active = 0;
  std::array<int, 3> lower{kBlockEdge, kBlockEdge, kBlockEdge};  // of the nodes that are inside
  std::array<int, 3> upper{-1, -1, -1};
  Extent extent{kInfinity, -kInfinity};
};

BlockFacts Examine(const float* f, float band) {
  BlockFacts facts;
  facts.inside = f[0] < 0;
  for (int n = 0; n < kBlockNodes; ++n) {
    facts.extent.lo = std::min(facts.extent.lo, f[n]);
    facts.extent.hi = std::max(facts.extent.hi, f[n]);
    if (f[n] > 0) continue;
    const std::array<int, 3> at = PlaceAt({kBlockSide, kBlockSide, kBlockSide}, n);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      facts.lower[axis] = std::min(facts.lower[axis], at[axis]);
      facts.upper[axis] = std::max(facts.upper[axis], at[axis]);
    }
  }
  facts.varies = facts.extent.lo < facts.extent.hi || std::fabs(f[0]) < band;
  if (!facts.varies) return facts;
  constexpr int kStep[3] = {kBlockSide * kBlockSide, kBlockSide, 1};
  for (int i = 0; i < kBlockEdge; ++i) {
    for (int j = 0; j < kBlockEdge; ++j) {
      for (int k = 0; k < kBlockEdge; ++k) {
        const float* c = f + (i * kBlockSide + j) * kBlockSide + k;
        facts.active += std::fabs(c[0]) < band ? 1 : 0;
        // The gradient's components are means of the four edges along each axis.
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
          const int a = kStep[axis], b = kStep[(axis + 1) % 3], d = kStep[(axis + 2) % 3];
          double most = 0;
          for (const int edge : {0, b, d, b + d}) {
            most = std::max(most, std::fabs(static_cast<double>(c[edge + a]) - c[edge]));
          }
          square += most * most;
        }
        facts.square = std::max(facts.square, square);
      }
    }
  }
  return facts;
}

/** The extents of 2³, 4³, … places together, behind those of the places. */
void AddCoarseExtents(std::array<int, 3> size, std::vector<Extent>* extents) {
  std::size_t from = 0;
  while (size[0] > 1 || size[1] > 1 || size[2] > 1) {
    const std::array<int, 3> half{(size[0] + 1) / 2, (size[1] + 1) / 2, (size[2] + 1) / 2};
    const std::size_t to = extents->size();
    extents->resize(to + CountOf(half), {kInfinity, -kInfinity});
    for (int i = 0; i < size[0]; ++i) {
      for (int j = 0; j < size[1]; ++j) {
        for (int k = 0; k < size[2]; ++k) {
          const auto fine = static_cast<std::size_t>((i * size[1] + j) * size[2] + k);
          const auto coarse = static_cast<std::size_t>((i / 2 * half[1] + j / 2) * half[2] + k / 2);
          const Extent& e = (*extents)[from + fine];
          Extent& sum = (*extents)[to + coarse];
          sum = {std::min(sum.lo, e.lo), std::max(sum.hi, e.hi)};
        }
      }
    }
    from = to;
    size = half;
  }
}

/** A node's ψ(L) = L/(1 + (L/0.3)⁴) as GridView keeps it, L the sum of second differences [voxels]:
 a ball of R voxels has 2/R, and beyond 0.3 there is an edge. */
std::int8_t MakeBend(double L) {
  constexpr double kEdge = 0.3, kSteps = 127;
  const double q = L / kEdge * (L / kEdge), bend = L / (1 + q * q);
  const double root = std::round(kSteps * std::sqrt(std::fabs(bend) / kMostBend));
  return static_cast<std::int8_t>(bend < 0 ? -root : root);
}

/** The extents of a block's eighths. */
void FindEighths(const float* f, Extent* eighths) {
  constexpr int kHalf = kBlockEdge / 2;
  for (int n = 0; n < kEighths; ++n, ++eighths) {
    *eighths = {kInfinity, -kInfinity};
    for (int i = 0; i <= kHalf; ++i) {
      for (int j = 0; j <= kHalf; ++j) {
        const float* row =
            f + ((kHalf * (n >> 2) + i) * kBlockSide + kHalf * (n >> 1 & 1) + j) * kBlockSide +
            kHalf * (n & 1);
        const auto [lo, hi] = std::minmax_element(row, row + kHalf + 1);
        eighths->lo = std::min(eighths->lo, *lo);
        eighths->hi = std::max(eighths->hi, *hi);
      }
    }
  }
}

/** The bends of a block's nodes; none where a node or one beside it is at the end of the band. */
void FindBends(const GridView& grid, const std::array<int, 3>& place, std::int8_t* bends) {
  constexpr int kStep[3] = {kBlockSide * kBlockSide, kBlockSide, 1};
  const auto first = [&](int x, int y, int z) -> const float* {
    const int at[3] = {x, y, z};
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] < 0 || at[axis] >= grid.size[axis]) return nullptr;
    }
    const std::int32_t block = BlockAt(grid, x, y, z);
    return block < 0 ? nullptr : grid.nodes + static_cast<std::ptrdiff_t>(block) * kBlockNodes;
  };
  const float* f = first(place[0], place[1], place[2]);
  const float* beside[3][2];
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, 1}) {
      std::array<int, 3> at = place;
      at[static_cast<std::size_t>(axis)] += 2 * side - 1;
      beside[axis][side] = first(at[0], at[1], at[2]);
    }
  }
  for (int n = 0; n < kBlockNodes; ++n) {
    const std::array<int, 3> at = PlaceAt({kBlockSide, kBlockSide, kBlockSide}, n);
    double L = -6.0 * f[n];
    bool known = std::fabs(f[n]) < grid.band;
    for (int axis = 0; axis < 3; ++axis) {
      const int in = at[static_cast<std::size_t>(axis)], step = kStep[axis];
      for (const int side : {0, 1}) {
        const bool within = side == 0 ? in > 0 : in < kBlockEdge;
        const float* const block = within ? f : beside[axis][side];
        int to = n + (2 * side - 1) * step;
        // The next block begins, or ends, where this one ends.
        if (!within) to = n + (1 - 2 * side) * (kBlockEdge - 1) * step;
        known = known && block != nullptr && std::fabs(block[to]) < grid.band;
        if (known) L += block[to];
      }
    }
    bends[n] = known ? MakeBend(L) : std::int8_t{0};
  }
}

/** FNV-1a over 32-bit words. */
void AddToChecksum(std::uint32_t word, std::uint64_t* checksum) {
  *checksum = (*checksum ^ word) * 1099511628211u;
}

std::uint64_t Checksum(const LevelSet& grid) {
  std::uint64_t checksum = 14695981039346656037u;
  for (const int i : grid.origin) AddToChecksum(static_cast<std::uint32_t>(i), &checksum);
  for (const int i : grid.size) AddToChecksum(static_cast<std::uint32_t>(i), &checksum);
  for (const std::int32_t i : grid.places) AddToChecksum(static_cast<std::uint32_t>(i), &checksum);
  for (const float f : grid.nodes) AddToChecksum(std::bit_cast<std::uint32_t>(f), &checksum);
  return checksum;
}

/** Descends the octree over the places: the distance at a cube's centre bounds that of all its
 nodes, since it changes no faster than the point moves. */
class PlaceFinder {
 public:
  PlaceFinder(const SignedDistance& distance, double voxel_size, double half_width,
              const std::array<int, 3>& origin, const std::array<int, 3>& size)
      : distance_(distance),
        voxel_size_(voxel_size),
        half_width_(half_width),
        origin_(origin),
        size_(size),
        kinds_(CountOf(size), PlaceKind::kOutside) {}

  std::vector<PlaceKind> Find(const RangeLoop& loop) {
    int edge = 1;
    while (edge < std::max({size_[0], size_[1], size_[2]})) edge *= 2;
    Descend({0, 0, 0}, edge, [&](const std::array<int, 3>& at) { apart_.push_back(at); });
    loop(static_cast<int>(apart_.size()), [&](int begin, int end) {
      for (int n = begin; n < end; ++n) Descend(apart_[static_cast<std::size_t>(n)], kApart, {});
    });
    return std::move(kinds_);
  }

 private:
  using At = std::array<int, 3>;
  /** Edge of the cubes that go to threads [places]. */
  static constexpr int kApart = 8;

  /** Hands cubes of kApart to `leave`, where there is one. */
  void Descend(const At& at, int edge, const std::function<void(const At&)>& leave) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] >= size_[axis]) return;
    }
    if (edge == kApart && leave) return leave(at);
    const double middle = 0.5 * kBlockEdge * edge;
    const std::array<int, 3> node = FirstNode(origin_, at);
    const double reach = (std::sqrt(3.0) * middle + half_width_) * voxel_size_;
    const double f =
        distance_(voxel_size_ * Vec3{node[0] + middle, node[1] + middle, node[2] + middle}, reach);
    if (std::fabs(f) >= reach) {
      Fill(at, edge, f > 0 ? PlaceKind::kOutside : PlaceKind::kInside);
      return;
    }
    if (edge == 1) {
      Fill(at, 1, PlaceKind::kBand);
      RequireMemory(++found_, free_, voxel_size_);
      return;
    }
    const int half = edge / 2;
    for (int k = 0; k < 8; ++k) {
      Descend({at[0] + ((k & 4) != 0 ? half : 0), at[1] + ((k & 2) != 0 ? half : 0),
               at[2] + ((k & 1) != 0 ? half : 0)},
              half, leave);
    }
  }

  void Fill(const std::array<int, 3>& at, int edge, PlaceKind kind) {
    for (int i = at[0]; i < std::min(at[0] + edge, size_[0]); ++i) {
      for (int j = at[1]; j < std::min(at[1] + edge, size_[1]); ++j) {
        for (int k = at[2]; k < std::min(at[2] + edge, size_[2]); ++k) {
          kinds_[static_cast<std::size_t>((i * size_[1] + j) * size_[2] + k)] = kind;
        }
      }
    }
  }

  const SignedDistance& distance_;
  double voxel_size_;
  double half_width_;
  std::array<int, 3> origin_;
  std::array<int, 3> size_;
  std::vector<PlaceKind> kinds_;
  std::vector<At> apart_;
  double free_ = FreeMemory();
  std::atomic<int> found_ = 0;
};

}  // namespace

GridView LevelSet::View() const {
  GridView view;
  view.nodes = nodes.data();
  view.bends = bends.data();
  view.places = places.data();
  view.extents = extents.data();
  view.eighths = eighths.data();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    view.origin[axis] = origin[axis];
    view.size[axis] = size[axis];
  }
  view.band = band;
  view.slope = slope;
  return view;
}

std::size_t BytesOf(const LevelSet& grid) {
  const auto bytes = [](const auto& values) { return values.size() * sizeof(values[0]); };
  return bytes(grid.nodes) + bytes(grid.bends) + bytes(grid.places) + bytes(grid.extents) +
         bytes(grid.eighths);
}

void PlaceBlocks(const Vec3& lower, const Vec3& upper, double voxel_size,
                 std::array<int, 3>* origin, std::array<int, 3>* size) {
  double places = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(std::fabs(lower[axis]) < 1 << 28) || !(std::fabs(upper[axis]) < 1 << 28)) {
      throw std::invalid_argument("a voxel size of " + Text(voxel_size) +
                                  " m makes the grid too large; use larger voxels");
    }
    const double first = std::floor(lower[axis] / kBlockEdge);
    const double count = std::floor(upper[axis] / kBlockEdge) + 1 - first;
    places *= count;
    (*origin)[static_cast<std::size_t>(axis)] = kBlockEdge * static_cast<int>(first);
    (*size)[static_cast<std::size_t>(axis)] = static_cast<int>(count);
  }
  if (places > kMostPlaces) {
    throw std::invalid_argument("a voxel size of " + Text(voxel_size) + " m makes " + Text(places) +
                                " blocks of 8 x 8 x 8 voxels around the solid, and " +
                                Text(kMostPlaces) + " is the most; use voxels of " +
                                Text(1.05 * voxel_size * std::cbrt(places / kMostPlaces)) +
                                " m or more");
  }
}

std::shared_ptr<const LevelSet> JoinBlocks(const std::array<int, 3>& origin,
                                           const std::array<int, 3>& size,
                                           std::span<const PlaceKind> kinds,
                                           const BlockReader& read, double voxel_size, double band,
                                           const RangeLoop& loop) {
  std::vector<int> band_places;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == PlaceKind::kBand) band_places.push_back(static_cast<int>(i));
  }
  RequireMemory(static_cast<double>(band_places.size()), FreeMemory(), voxel_size);
  const auto read_at = [&](int place, float* f) {
    read(FirstNode(origin, PlaceAt(size, place)), f);
  };
  std::array<float, kBlockNodes> sampled;
  RequireTime(
      band_places, [&](int place) { read_at(place, sampled.data()); }, voxel_size);
  auto grid = std::make_shared<LevelSet>();
  grid->origin = origin;
  grid->size = size;
  grid->voxel_size = voxel_size;
  grid->band = static_cast<float>(band);
  grid->nodes.resize(band_places.size() * kBlockNodes);
  std::vector<BlockFacts> facts(band_places.size());
  loop(static_cast<int>(band_places.size()), [&](int begin, int end) {
    for (int n = begin; n < end; ++n) {
      float* f = grid->nodes.data() + static_cast<std::ptrdiff_t>(n) * kBlockNodes;
      read_at(band_places[static_cast<std::size_t>(n)], f);
      const auto most = static_cast<float>(band);
      for (int i = 0; i < kBlockNodes; ++i) f[i] = std::clamp(f[i], -most, most);
      facts[static_cast<std::size_t>(n)] = Examine(f, most);
    }
  });

  const auto end = static_cast<float>(band);
  grid->places.resize(kinds.size());
  grid->extents.resize(kinds.size());
  grid->lower = {std::numeric_limits<int>::max(), std::numeric_limits<int>::max(),
                 std::numeric_limits<int>::max()};
  grid->upper = {std::numeric_limits<int>::min(), std::numeric_limits<int>::min(),
                 std::numeric_limits<int>::min()};
  double square = 0;
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::array<int, 3> at = PlaceAt(size, static_cast<int>(i));
    const std::array<int, 3> first = FirstNode(origin, at);
    bool inside = kinds[i] == PlaceKind::kInside;
    std::array<int, 3> lower{0, 0, 0}, upper{kBlockEdge, kBlockEdge, kBlockEdge};
    bool varies = false;
    if (kinds[i] == PlaceKind::kBand) {
      const BlockFacts& block = facts[next];
      varies = block.varies;
      inside = block.inside;
      if (varies) {
        std::copy_n(grid->nodes.begin() + static_cast<std::ptrdiff_t>(next * kBlockNodes),
                    kBlockNodes,
                    grid->nodes.begin() + static_cast<std::ptrdiff_t>(kept * kBlockNodes));
        grid->places[i] = static_cast<std::int32_t>(kept++);
        grid->extents[i] = {block.extent.lo > -end ? block.extent.lo : -kInfinity,
                            block.extent.hi < end ? block.extent.hi : kInfinity};
        square = std::max(square, block.square);
        grid->active += block.active;
        inside = block.extent.lo <= 0;
        lower = block.lower;
        upper = block.upper;
      }
      ++next;
    }
    if (!varies) {
      grid->places[i] = inside ? kAbsentInside : kAbsentOutside;
      grid->extents[i] = inside ? Extent{-kInfinity, -end} : Extent{end, kInfinity};
    }
    if (!inside) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid->lower[axis] = std::min(grid->lower[axis], first[axis] + lower[axis]);
      grid->upper[axis] = std::max(grid->upper[axis], first[axis] + upper[axis]);
    }
  }
  grid->nodes.resize(kept * kBlockNodes);
  grid->nodes.shrink_to_fit();
  grid->slope = std::sqrt(square);
  if (grid->upper[0] < grid->lower[0]) {
    throw std::invalid_argument(
        "no node of the grid is inside the solid; use smaller voxels than " + Text(voxel_size) +
        " m");
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid->lower[axis] <= origin[axis] ||
        grid->upper[axis] >= origin[axis] + kBlockEdge * size[axis]) {
      throw std::invalid_argument(
          "the level set is not closed: its inside reaches the end of its voxels. Give a grid with "
          "a band on both sides of the whole surface");
    }
  }
  AddCoarseExtents(size, &grid->extents);
  grid->bends.resize(grid->nodes.size());
  grid->eighths.resize(kept * kEighths);
  const GridView view = grid->View();
  loop(static_cast<int>(kinds.size()), [&](int from, int to) {
    for (int place = from; place < to; ++place) {
      const std::int32_t block = grid->places[static_cast<std::size_t>(place)];
      if (block < 0) continue;
      const auto first = static_cast<std::ptrdiff_t>(block) * kBlockNodes;
      FindBends(view, PlaceAt(size, place), grid->bends.data() + first);
      FindEighths(view.nodes + first,
                  grid->eighths.data() + static_cast<std::ptrdiff_t>(block) * kEighths);
    }
  });
  grid->checksum = Checksum(*grid);
  return grid;
}

void RequireGridSizes(double voxel_size, double half_width) {
  if (!(voxel_size > 0) || !std::isfinite(voxel_size)) {
    throw std::invalid_argument("the voxel size must be positive, got " + Text(voxel_size));
  }
  if (!(half_width >= kLeastHalfWidth) || !(half_width <= kMostHalfWidth)) {
    throw std::invalid_argument("the half width must be 2 to 100 voxels, got " + Text(half_width));
  }
}

std::shared_ptr<const LevelSet> MakeLevelSet(std::span<const Cell> cells, double voxel_size,
                                             double half_width, const RangeLoop& loop) {
  RequireGridSizes(voxel_size, half_width);
  const SignedDistance distance(cells);
  // One voxel beyond the band: every node there is outside.
  const double margin = half_width + 1;
  std::array<int, 3> origin{}, size{};
  PlaceBlocks(distance.Lower() / voxel_size - margin * Vec3{1, 1, 1},
              distance.Upper() / voxel_size + margin * Vec3{1, 1, 1}, voxel_size, &origin, &size);
  const std::vector<PlaceKind> kinds =
      PlaceFinder(distance, voxel_size, half_width, origin, size).Find(loop);
  const double reach = half_width * voxel_size;
  const auto level = [&](const Vec3& u) { return distance(voxel_size * u, reach) / voxel_size; };
  return JoinBlocks(origin, size, kinds, ByNode(level), voxel_size, half_width, loop);
}

}  // namespace intervox::geometry
