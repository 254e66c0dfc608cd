#include "cuda/rules/grid/pair.h"

#include <cmath>
#include <limits>
#include <vector>

#include "cuda/pair_frame.h"

namespace intervox::cuda {
namespace {

using geometry::Cell;
using geometry::GridPart;
using geometry::kBlockEdge;
using internal::grid::GridLevel;
using internal::grid::GridSide;

/** −1, 0 or 1. */
template <class T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

/** Which of two grids has the voxels that count: the finer, else by content and relative pose, so
 that neither swapping the cells nor moving both changes it. @returns less than 0 for the first.
 @param X_AB  B's cell in A's. */
int CompareGrids(const GridPart& a, const GridPart& b, const Pose& X_AB, const Pose& X_BA) {
  int order = Compare(a.voxel_size, b.voxel_size);
  if (order == 0) order = Compare(a.field->checksum, b.field->checksum);
  // Along a direction that symmetric poses do not have.
  const Vec3 odd{0.5411961, 0.6823278, 0.4915567};
  if (order == 0) order = Compare(Dot(odd, X_AB.p), Dot(odd, X_BA.p));
  return order != 0 ? order : Compare(Dot(odd, X_AB.R * odd), Dot(odd, X_BA.R * odd));
}

/** B's frame in A's; positions are subtracted before anything is rotated. */
Pose Between(const Pose& X_WA, const Pose& X_WB) {
  return {Transpose(X_WA.R) * X_WB.R, TransposeTimes(X_WA.R, X_WB.p - X_WA.p)};
}

/** How far planes between blocks are moved [voxels]. */
constexpr double kBesideNodes = 1e-7;

bool IsWhole(const GridPart& part) {
  return part.lower == std::array<int, 3>{} && part.upper == part.field->size;
}

/** The frame F of the lattice: the grid's axes, its origin at node `middle`. */
struct Lattice {
  Pose X_LF;  ///< in the frame of the cell that has the grid
  int middle[3] = {};
  GridDomain domain;
};

/** The voxels of the lattice's window that a box [lower, upper] in the grid's frame meets; false
 when there are none. */
bool PlaceDomain(const GridPart& part, const Vec3& lower, const Vec3& upper, Lattice* lattice) {
  lattice->domain.h = part.voxel_size;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const int origin = part.field->origin[a];
    const int low = origin + kBlockEdge * part.lower[a], high = origin + kBlockEdge * part.upper[a];
    const double l = std::floor(lower[axis] / part.voxel_size);
    const double u = std::ceil(upper[axis] / part.voxel_size);
    int first = l > low ? l < high ? static_cast<int>(l) : high : low;
    int last = u < high ? u > low ? static_cast<int>(u) : low : high;
    // Whole tiles from the window's end, which is a block's.
    first -= (first - low) % internal::grid::kTileEdge;
    last += (high - last) % internal::grid::kTileEdge;
    if (first >= last) return false;
    constexpr int kTwo = 2 * internal::grid::kTileEdge;
    lattice->middle[axis] = low + (first + last - 2 * low) / kTwo * internal::grid::kTileEdge;
    lattice->domain.block[axis] = low - lattice->middle[axis];
    lattice->domain.voxels.first[axis] = first - lattice->middle[axis];
    lattice->domain.voxels.count[axis] = last - first;
  }
  lattice->X_LF = part.X_CG * Pose{Mat3::Identity(),
                                   part.voxel_size * Vec3{static_cast<double>(lattice->middle[0]),
                                                          static_cast<double>(lattice->middle[1]),
                                                          static_cast<double>(lattice->middle[2])}};
  return true;
}

GridSide SideOf(const GridPart& part, const Pose& X_FG, int body) {
  return internal::grid::MakeSide(part.field->View(), X_FG, part.voxel_size, body);
}

/** The calling thread's tile, with room for all sides that a pair may have. */
internal::grid::Tile* TileOfThread() {
  using internal::grid::kTileSides;
  thread_local std::vector<double> room(internal::grid::TileBytes(kTileSides) / sizeof(double));
  return internal::grid::TileIn(room.data(), kTileSides);
}

/** Moves metrics from the frame F to the world. */
void TurnToWorld(const Pose& X_WF, InterferenceMetrics* m) {
  m->p_WC = X_WF * m->p_WC;
  m->J_W = X_WF.R * m->J_W * Transpose(X_WF.R);
  m->area_vector = X_WF.R * m->area_vector;
  m->area_moment = X_WF.R * m->area_moment;
}

}  // namespace

/** Adds the surfaces of a cell that bounds over the domain do not decide. @returns false when the
 cell is outside; where there are too many surfaces no rule takes the pair. */
bool GridPair::AddSurfaces(const Cell& cell, const Pose& X_FC, int body) {
  Vec3 c, half;
  for (int axis = 0; axis < 3; ++axis) {
    half[axis] = 0.5 * domain_.h * domain_.voxels.count[axis];
    c[axis] = domain_.h * domain_.voxels.first[axis] + half[axis];
  }
  for (const geometry::Surface& surface : cell.surfaces) {
    LocalSurface local;
    local.surface = X_FC * surface;
    local.weight = surface.cut ? 0.0 : body == 0 ? -0.5 : 0.5;
    internal::MappedSurface side = internal::MapSurface(local, {}, Mat3::Identity());
    if (cell.grid.field != nullptr) {
      // Planes between blocks stand a little up their axes: a face of the grid along one of them is
      // then a face of one block, and not of the plane.
      const double up = kBesideNodes * cell.grid.voxel_size;
      side.c += ((&surface - cell.surfaces.data()) & 1) != 0 ? -up : up;
    }
    const geometry::Bounds g = internal::BoundsOver(side, c, half);
    // The most that is subtracted, at cells of two voxels.
    const double bias = std::fabs(internal::grid::BiasOf(side, 2 * domain_.h));
    if (g.lo > bias) return false;
    if (g.hi < -bias) continue;
    if (static_cast<int>(surfaces_.size()) == kMaxSurfaces - model_.grids) {
      progress_.open = false;
      return true;
    }
    constants_.push_back(side.c);
    surfaces_.push_back(side);
  }
  return true;
}

bool GridPair::Place(const PairQuery& query, InterferenceMetrics* metrics) {
  *metrics = {};
  if (!internal::IsFinite(query.X_WA.p) || !internal::IsFinite(query.X_WB.p) ||
      !internal::IsRotation(query.X_WA.R) || !internal::IsRotation(query.X_WB.R) ||
      !(query.tolerance > 0)) {
    metrics->status = Status::kInvalid;
    return false;
  }
  query_ = &query;
  // L has the lattice, O is the other cell.
  const GridPart &a = query.a->grid, &b = query.b->grid;
  const bool first = a.field != nullptr &&
                     (b.field == nullptr || CompareGrids(a, b, Between(query.X_WA, query.X_WB),
                                                         Between(query.X_WB, query.X_WA)) <= 0);
  const Cell &L = first ? *query.a : *query.b, &O = first ? *query.b : *query.a;
  const Pose &X_WL = first ? query.X_WA : query.X_WB, &X_WO = first ? query.X_WB : query.X_WA;
  const int body = first ? 0 : 1;
  const Pose X_LO = Between(X_WL, X_WO);

  Vec3 lower = -std::numeric_limits<double>::infinity() * Vec3{1, 1, 1}, upper = -lower;
  const Pose X_GL = Inverse(L.grid.X_CG);
  const auto cut = [&](const geometry::OrientedBox& box, const Pose& X_GC, double beyond) {
    const Pose X = X_GC * box.X;
    const Mat3 M{Abs(X.R.row0), Abs(X.R.row1), Abs(X.R.row2)};
    const Vec3 reach = M * box.half + beyond * Vec3{1, 1, 1};
    lower = Max(lower, X.p - reach);
    upper = Min(upper, X.p + reach);
  };
  cut(L.bounds, X_GL, 0);
  // Levels without their bias vanish beyond a curved surface.
  const bool curved = O.grid.field == nullptr && !O.polytope;
  if (O.bounded) cut(O.bounds, X_GL * X_LO, curved ? L.grid.voxel_size : 0);
  Lattice lattice;
  if (!PlaceDomain(L.grid, lower, upper, &lattice)) return false;
  domain_ = lattice.domain;
  X_WF_ = {X_WL.R * lattice.X_LF.R, X_WL * lattice.X_LF.p};

  const Pose X_FO = Inverse(lattice.X_LF) * X_LO;
  model_.grids = 0;
  model_.grid[model_.grids++] = SideOf(L.grid, Inverse(lattice.X_LF) * L.grid.X_CG, body);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    model_.at_origin[axis] = lattice.middle[axis] - L.grid.field->origin[a];
  }
  fields_[0] = &L.grid.field;
  fields_[1] = nullptr;
  if (O.grid.field != nullptr) {
    model_.grid[model_.grids++] = SideOf(O.grid, X_FO * O.grid.X_CG, 1 - body);
    fields_[1] = &O.grid.field;
  }
  progress_ = BeginLevels(domain_, query.rule == LeafRule::kAuto ? LeafRule::kVoxel : query.rule);
  surfaces_.clear();
  constants_.clear();
  const bool whole = O.grid.field != nullptr && IsWhole(O.grid);
  if (!whole && !AddSurfaces(O, X_FO, 1 - body)) return false;
  progress_.extrapolates = model_.grids == 2;
  for (const internal::MappedSurface& surface : surfaces_) {
    progress_.extrapolates |= surface.kind == geometry::SurfaceKind::kTorus;
  }
  return true;
}

GridLevel GridPair::Level() {
  GridLevel level = internal::grid::LevelOfCells(domain_, progress_.level, progress_.rule);
  if (progress_.rule != LeafRule::kCenter) {
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      surfaces_[i].c = constants_[i] - internal::grid::BiasOf(surfaces_[i], level.edge);
    }
  }
  model_.surface = surfaces_.data();
  model_.surfaces = static_cast<int>(surfaces_.size());
  model_.lifted = internal::grid::GoesByBlocks(progress_.rule);
  for (int s = 0; s < model_.grids; ++s) SetNodes(level.edge, model_.lifted, &model_.grid[s]);
  level.model = model_;
  return level;
}

void GridPair::Take(const internal::clip::ClipSums& sums) {
  TakeLevel(domain_, query_->tolerance, query_->volume_floor, sums, &progress_);
}

InterferenceMetrics GridPair::Conclude() const {
  InterferenceMetrics out;
  const RuleResult& result = progress_.result;
  const internal::clip::ClipSums& sums = progress_.sums;
  const LeafRule rule = progress_.rule;
  if (!result.accepted) {
    const internal::center::VoxelBlock& n = domain_.voxels;
    const double h = domain_.h;
    out.status = Status::kToleranceNotMet;
    out.rule = rule;
    out.volume_hi = out.volume_error = h * h * h * n.count[0] * n.count[1] * n.count[2];
    return out;
  }
  if (sums.v > 0) {
    out = ToMetrics(Mapped(Mat3::Identity(), {}, sums, sums.s, sums.t), {});
    const bool met = rule != LeafRule::kVoxel || result.error <= query_->tolerance * sums.v ||
                     result.error <= query_->volume_floor;
    out.status = met ? Status::kOk : Status::kToleranceNotMet;
  } else if (rule == LeafRule::kVoxel && result.error > query_->volume_floor) {
    out.status = Status::kToleranceNotMet;
  }
  out.rule = rule;
  out.work = result.work;
  out.volume_error = result.error;
  constexpr double kEnclosure = 4.0;  // errors that enclose the truth, as for the other rules
  const double reach = kEnclosure * result.error;
  out.volume_lo = out.volume > reach ? out.volume - reach : 0.0;
  out.volume_hi = out.volume + reach;
  if (out.volume > 0) TurnToWorld(X_WF_, &out);
  return out;
}

void SumOpenLevels(GridPair* pair) {
  if (!pair->open()) return;
  internal::grid::Tile* const tile = TileOfThread();
  while (pair->open()) pair->Take(internal::grid::SumLevel(pair->Level(), tile));
}

void SumOpenLevels(GridPair* pair, const geometry::RangeLoop& loop) {
  using internal::clip::ClipSums;
  while (pair->open()) {
    const GridLevel level = pair->Level();
    const internal::center::LatticeParts parts = internal::grid::PartsOf(level);
    std::vector<ClipSums> sums(static_cast<std::size_t>(parts.Count()));
    loop(parts.Count(), [&](int begin, int end) {
      internal::grid::Tile* const tile = TileOfThread();
      for (int i = begin; i < end; ++i) {
        sums[static_cast<std::size_t>(i)] = internal::grid::SumPart(level, parts, i, tile);
      }
    });
    pair->Take(SumInLanes<ClipSums>(parts.Count(),
                                    [&](int i) { return sums[static_cast<std::size_t>(i)]; }));
  }
}

InterferenceMetrics ComputeGridPair(const PairQuery& query) {
  thread_local GridPair pair;
  InterferenceMetrics out;
  if (!pair.Place(query, &out)) return out;
  SumOpenLevels(&pair);
  return pair.Conclude();
}

InterferenceMetrics ComputeGridPair(const PairQuery& query, const geometry::RangeLoop& loop) {
  GridPair pair;  // not the thread's: while it waits for the loop it may take another pair
  InterferenceMetrics out;
  if (!pair.Place(query, &out)) return out;
  SumOpenLevels(&pair, loop);
  return pair.Conclude();
}

}  // namespace intervox::cuda
