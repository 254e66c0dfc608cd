#include "cuda/certify/search.h"

#include <algorithm>
#include <cmath>

#include "geometry/make_surface.h"

namespace intervox::cuda::internal::certify {
namespace {

using geometry::Bounds;

/** Room for the rounding of a box' volume, relative. */
constexpr double kRoom = 2e-14;
/** Bounds of cells are taken larger by this: more than what they may be off by. */
constexpr double kWider = 1e-9;
/** Along an axis where levels change by less than this share of the most, no box is divided. */
constexpr double kFlat = 0.02;
/** Boxes narrower than this are divided no further. */
constexpr double kNarrowest = 64 * kGrain;
/** Rotations that are tried at most. */
constexpr std::size_t kMostFrames = 7;
/** Divisions to find where the overlap is, and again in each frame that is compared. */
constexpr int kTrialSplits = 30;
constexpr int kSectorSplits = 10;

/** Ordered by what is not known, then by age. */
bool KnowsMore(const KnownBox& x, const KnownBox& y) {
  const double gx = x.upper - x.lower, gy = y.upper - y.lower;
  return gx < gy || (gx == gy && x.order > y.order);
}

double VolumeOf(const Box& box) {
  const Vec3 span = box.upper - box.lower;
  return span.x * span.y * span.z;
}

/** The part of a box that is left, to whole voxels along axes where the box has several. */
Box ToVoxels(Box part, const Box& box, double voxel) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!(box.upper[axis] - box.lower[axis] > voxel)) continue;
    part.lower[axis] = voxel * std::floor(part.lower[axis] / voxel);
    part.upper[axis] = voxel * std::ceil(part.upper[axis] / voxel);
  }
  return part;
}

/** Whether a part has all blocks of its grid. */
bool IsWhole(const geometry::GridPart& part) {
  return part.lower == std::array<int, 3>{} && part.upper == part.field->size;
}

}  // namespace

/** A frame with the boxes in it so far. */
struct Search::Trial {
  Frame frame;
  std::vector<KnownBox> open, closed;

  /** What contains all boxes. */
  Region Rest() const {
    Box hull{{1, 1, 1}, {-1, -1, -1}};
    for (const auto* list : {&open, &closed}) {
      for (const KnownBox& known : *list) {
        hull.lower = Min(hull.lower, known.box.lower);
        hull.upper = Max(hull.upper, known.box.upper);
      }
    }
    return {frame.p + frame.F * hull.Centre(), frame.F * Mat3::Diagonal(hull.Half())};
  }
  /** No box is left: the overlap is empty. */
  bool IsEmpty() const { return open.empty() && closed.empty(); }
  /** Nothing is left to be found out: so it is for planes, whose polytope is exact. */
  bool IsNarrow() const {
    constexpr double kNarrow = 1e-10;
    return open.size() == 1 && closed.empty() &&
           open[0].upper - open[0].lower <= kNarrow * open[0].lower;
  }
  /** What is not known, summed. */
  double Gap() const {
    double gap = 0;
    for (const KnownBox& box : open) gap += box.upper - box.lower;
    return gap;
  }
};

Search::Trial Search::Try(const Region& region, int splits) {
  Trial trial;
  trial.frame.p = region.p;
  trial.frame.F = region.edges;
  trial.frame.determinant = std::fabs(Determinant(region.edges));
  for (int body = 0; body < 2; ++body) {
    for (const geometry::Surface& s : cells_.cell[body]->surfaces) {
      trial.frame.levels.push_back(MapLevel(s, cells_.X[body], region.p, region.edges));
    }
  }
  KnownBox whole;
  whole.box = {{-1, -1, -1}, {1, 1, 1}};
  if (Look(trial.frame, &whole)) trial.open.push_back(whole);
  Spend(&trial, splits);
  return trial;
}

bool Search::Look(const Frame& frame, KnownBox* known) {
  ++boxes_;
  known->frame = static_cast<std::int32_t>(frames_.size());
  known->order = made_++;
  const bool all = known->count < 0;
  const int candidates = all ? static_cast<int>(frame.Count()) : known->count;
  std::array<std::uint16_t, 10> candidate = known->active;
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const Vec3 c = known->box.Centre(), h = known->box.Half();
    scratch_.clear();
    for (int n = 0; n < candidates; ++n) {
      const int s = all ? n : candidate[static_cast<std::size_t>(n)];
      BoxLevel whole = frame.Over(static_cast<std::size_t>(s), c, h);
      const Bounds range = RangeOf(whole);
      if (range.lo >= 0) return false;
      if (range.hi <= 0) continue;
      whole.index = s;
      if (static_cast<std::size_t>(s) < frame.levels.size()) {
        scratch_.push_back(whole);
        continue;
      }
      const GridLevels levels =
          Divided(frame.grids[static_cast<std::size_t>(s) - frame.levels.size()], c, h, whole);
      for (int i = 0; i < levels.count; ++i) {
        scratch_.push_back(levels.level[i]);
        scratch_.back().index = s;
      }
    }
    Box box = known->box;
    for (const BoxLevel& level : scratch_) {
      Box shrunk = known->box;
      if (!Shrink(level, &shrunk)) return false;
      if (frame.voxel > 0) shrunk = ToVoxels(shrunk, known->box, frame.voxel);
      box.lower = Max(box.lower, shrunk.lower);
      box.upper = Min(box.upper, shrunk.upper);
      if (!(box.lower.x < box.upper.x && box.lower.y < box.upper.y && box.lower.z < box.upper.z)) {
        return false;
      }
    }
    const bool far = VolumeOf(box) < 0.9 * VolumeOf(known->box);
    if (!far || round + 1 == kRounds) break;
    known->box = box;
  }
  known->count = 0;
  for (std::size_t n = 0; n < scratch_.size(); ++n) {
    if (n > 0 && scratch_[n].index == scratch_[n - 1].index) continue;
    const auto at = static_cast<std::size_t>(known->count);
    if (at == known->active.size()) {
      known->count = -1;
      break;
    }
    known->active[at] = static_cast<std::uint16_t>(scratch_[n].index);
    ++known->count;
  }
  const Bounds share = ShareWithin(scratch_);
  const double volume = frame.determinant * VolumeOf(known->box);
  known->lower = (1 - kRoom) * share.lo * volume;
  known->upper = (1 + kRoom) * share.hi * volume;
  return known->upper > 0;
}

Vec3 Search::ChangeOver(const Frame& frame, const KnownBox& known) {
  const Vec3 c = known.box.Centre(), h = known.box.Half();
  Vec3 change;
  const bool all = known.count < 0;
  const int count = all ? static_cast<int>(frame.Count()) : known.count;
  for (int n = 0; n < count; ++n) {
    const std::size_t s =
        all ? static_cast<std::size_t>(n) : known.active[static_cast<std::size_t>(n)];
    const BoxLevel level = frame.Over(s, c, h);
    change += Abs(level.g) + Abs(level.a);
    // What is not known of a grid is due to the box' size.
    if (s >= frame.levels.size()) {
      change += (level.high - level.low) / std::max({h.x, h.y, h.z}) * h;
    }
  }
  return change;
}

void Search::Divide(const Frame& frame, const KnownBox& known, std::vector<KnownBox>* out) {
  std::array<KnownBox, 2> best;
  int best_count = -1;
  double least = 0;
  const Vec3 change = ChangeOver(frame, known);
  const double most = std::max({change.x, change.y, change.z});
  // Down to voxels there is nothing to choose.
  const Vec3 span = known.box.upper - known.box.lower;
  const double longest = std::max({span.x, span.y, span.z});
  const bool coarse = frame.voxel > 0 && longest > frame.voxel;
  for (int axis = 0; axis < 3; ++axis) {
    if (coarse && (span[axis] < longest || best_count >= 0)) continue;
    const double lo = known.box.lower[axis], hi = known.box.upper[axis];
    if (hi - lo < kNarrowest || (!coarse && change[axis] < kFlat * most)) continue;
    std::array<KnownBox, 2> child{known, known};
    double middle = 0.5 * (lo + hi);
    if (frame.voxel > 0 && hi - lo > frame.voxel) {
      middle = frame.voxel * std::floor(middle / frame.voxel);
    }
    child[0].box.upper[axis] = child[1].box.lower[axis] = middle;
    double gap = 0;
    int count = 0;
    for (int k = 0; k < 2; ++k) {
      KnownBox& half = child[static_cast<std::size_t>(k)];
      if (!Look(frame, &half)) continue;
      gap += half.upper - half.lower;
      if (k == 1 && count == 0) child[0] = half;
      ++count;
    }
    // Nothing gained by any: the longest.
    const double worth = gap - 1e-3 * (hi - lo) * (known.upper - known.lower);
    if (best_count >= 0 && worth >= least) continue;
    least = worth;
    best = child;
    best_count = count;
  }
  for (int k = 0; k < best_count; ++k) out->push_back(best[static_cast<std::size_t>(k)]);
  if (best_count < 0) out->push_back(known);
}

void Search::Spend(Trial* trial, int splits) {
  double lower = 0, gap = 0;
  for (int n = 0; n < splits && !trial->open.empty() && !trial->IsNarrow(); ++n) {
    DivideOne(trial->frame, &trial->open, &trial->closed, &lower, &gap);
  }
}

void Search::DivideOne(const Frame& frame, std::vector<KnownBox>* open,
                       std::vector<KnownBox>* closed, double* lower, double* gap) {
  std::pop_heap(open->begin(), open->end(), KnowsMore);
  const KnownBox known = open->back();
  open->pop_back();
  if (!(known.upper > known.lower)) return closed->push_back(known);
  children_.clear();
  Divide(frame, known, &children_);
  *lower -= known.lower;
  *gap -= known.upper - known.lower;
  const bool stuck = children_.size() == 1 && children_[0].order == known.order;
  for (KnownBox& child : children_) {
    child.frame = known.frame;
    *lower += child.lower;
    *gap += child.upper - child.lower;
    (stuck ? closed : open)->push_back(child);
    if (!stuck) std::push_heap(open->begin(), open->end(), KnowsMore);
  }
}

void Search::AddPair(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA,
                     const Pose& X_LB) {
  const auto torus_of = [](const geometry::Cell& cell) {
    return std::find_if(cell.surfaces.begin(), cell.surfaces.end(),
                        [](const auto& s) { return s.kind == geometry::SurfaceKind::kTorus; });
  };
  const bool first = torus_of(a) != a.surfaces.end();
  const geometry::Cell& ring = first ? a : b;
  const auto torus = torus_of(ring);
  if (torus == ring.surfaces.end()) {
    AddPart(a, b, X_LA, X_LB, kTrialSplits);
    return;
  }
  // A box follows a ring for a short way only. Any directions will do: these are about even.
  constexpr int kQuarter = 4;
  constexpr double kDirections[kQuarter][2] = {{1, 0}, {0.92, 0.38}, {0.71, 0.71}, {0.38, 0.92}};
  const auto wall = [&](int n) {
    const double* d = kDirections[n % kQuarter];
    const int turns = n / kQuarter % 4;
    const double x = turns == 0 ? d[0] : turns == 1 ? -d[1] : turns == 2 ? -d[0] : d[1];
    const double y = turns == 0 ? d[1] : turns == 1 ? d[0] : turns == 2 ? -d[1] : -d[0];
    return geometry::MakePlane(Normalized(torus->R * Vec3{y, -x, 0}), torus->o);
  };
  for (int n = 0; n < 4 * kQuarter; ++n) {
    geometry::Cell sector = ring;
    sector.surfaces.push_back(wall(n));
    sector.surfaces.push_back(geometry::Complement(wall(n + 1)));
    AddPart(first ? sector : a, first ? b : sector, X_LA, X_LB, kSectorSplits);
  }
}

void Search::AddPart(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA,
                     const Pose& X_LB, int splits) {
  cells_ = {{&a, &b}, {X_LA, X_LB}};
  const bool first =
      a.bounded && (!b.bounded || SquaredNorm(a.bounds.half) <= SquaredNorm(b.bounds.half));
  const geometry::OrientedBox& bounds = cells_.cell[first ? 0 : 1]->bounds;
  const Pose X_LD = cells_.X[first ? 0 : 1] * bounds.X;
  const Vec3 size = Abs(X_LD.p) + bounds.half;
  const double margin = kWider * (size.x + size.y + size.z);
  const Vec3 half = bounds.half + Vec3{margin, margin, margin};
  // Closer and closer to where the overlap may be, across the contact found there.
  Region region{X_LD.p, X_LD.R * Mat3::Diagonal(half)};
  constexpr int kZooms = 8;
  Axes axes;
  for (int zoom = 0; zoom < kZooms; ++zoom) {
    Trial trial = Try(region, splits);
    if (trial.IsEmpty()) return;
    if (trial.IsNarrow()) return Keep(&trial);
    const Region rest = trial.Rest();
    axes = FindAxes(cells_, rest);
    const bool narrower = rest.Volume() < 0.5 * region.Volume();
    if (axes.contact.empty() || !narrower) {
      region = rest;
      break;
    }
    region = Around(rest, axes.contact[0]);
  }
  std::vector<Mat3> all = axes.contact;
  all.insert(all.end(), axes.solids.begin(), axes.solids.end());
  if (all.empty()) all.push_back(X_LD.R);
  if (all.size() > kMostFrames) all.resize(kMostFrames);
  Trial best;
  double least = 0;
  for (const Mat3& R : all) {
    const Trial wide = Try(Around(region, R), splits);
    if (wide.IsEmpty()) return;
    // Again in what is left, which is as narrow in these axes as the region was in its own.
    Trial trial = Try(Around(wide.Rest(), R), splits);
    if (trial.IsEmpty()) return;
    if (trial.IsNarrow()) return Keep(&trial);
    const double gap = trial.Gap();
    if (!best.IsEmpty() && gap >= least) continue;
    least = gap;
    best = std::move(trial);
  }
  Keep(&best);
}

void Search::AddGridPair(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_LA,
                         const Pose& X_LB) {
  const bool first = a.grid.field != nullptr &&
                     (b.grid.field == nullptr || a.grid.voxel_size <= b.grid.voxel_size);
  const geometry::Cell &own = first ? a : b, &other = first ? b : a;
  const Pose X_LG = (first ? X_LA : X_LB) * own.grid.X_CG, &X_LO = first ? X_LB : X_LA;
  const geometry::LevelSet& field = *own.grid.field;
  // A cube of 2^k voxels, so that halving it leads to voxels, exactly.
  double lower[3], upper[3], edge = 2;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int from = field.origin[axis] + geometry::kBlockEdge * own.grid.lower[axis];
    const int to = field.origin[axis] + geometry::kBlockEdge * own.grid.upper[axis];
    // Beyond the voxels around the nodes that are inside there is nothing.
    lower[axis] = std::max(from, field.lower[axis] - 1);
    upper[axis] = std::min(to, field.upper[axis] + 1);
    if (!(lower[axis] < upper[axis])) return;
    while (edge < upper[axis] - lower[axis]) edge *= 2;
  }
  const double half = 0.5 * edge;
  const Vec3 middle = Vec3{lower[0], lower[1], lower[2]} + half * Vec3{1, 1, 1};
  Trial trial;
  Frame& frame = trial.frame;
  frame.p = X_LG * (own.grid.voxel_size * middle);
  frame.F = own.grid.voxel_size * half * X_LG.R;
  frame.determinant = std::fabs(Determinant(frame.F));
  frame.voxel = 2 / edge;
  frame.grids.push_back({field.View(), middle, Mat3::Diagonal(half * Vec3{1, 1, 1}), 0});
  const bool whole = other.grid.field != nullptr && IsWhole(other.grid);
  if (other.grid.field != nullptr) {
    frame.grids.push_back(MapGrid(other.grid, X_LO * other.grid.X_CG, frame.p, frame.F));
  }
  // Planes around a whole grid bound nothing that its field does not.
  if (!whole) {
    for (const geometry::Surface& s : other.surfaces) {
      frame.levels.push_back(MapLevel(s, X_LO, frame.p, frame.F));
    }
  }
  KnownBox all;
  all.box.lower = {-1, -1, -1};
  for (int axis = 0; axis < 3; ++axis) {
    all.box.upper[axis] = (upper[axis] - lower[axis]) / half - 1;
  }
  if (!Look(frame, &all)) return;
  trial.open.push_back(all);
  Keep(&trial);
}

void Search::Keep(Trial* trial) {
  frames_.push_back(std::move(trial->frame));
  closed_.insert(closed_.end(), trial->closed.begin(), trial->closed.end());
  for (const KnownBox& known : trial->open) {
    open_.push_back(known);
    std::push_heap(open_.begin(), open_.end(), KnowsMore);
  }
}

void Search::Run(double tolerance, std::int64_t most) {
  const Bounds sum = Sum();
  double lower = sum.lo, gap = sum.hi - sum.lo;
  while (!open_.empty() && boxes_ < most && gap > 1.99 * tolerance * lower) {
    const auto frame = static_cast<std::size_t>(open_.front().frame);
    DivideOne(frames_[frame], &open_, &closed_, &lower, &gap);
  }
}

Bounds Search::Sum() const {
  Bounds sum{0, 0};
  for (const auto* list : {&open_, &closed_}) {
    for (const KnownBox& known : *list) {
      sum.lo += known.lower;
      sum.hi += known.upper;
    }
  }
  const double room = 1.2e-16 * static_cast<double>(open_.size() + closed_.size() + 2);
  return {(1 - room) * sum.lo, (1 + room) * sum.hi};
}

}  // namespace intervox::cuda::internal::certify
