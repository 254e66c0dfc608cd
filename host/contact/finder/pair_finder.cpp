#include "host/contact/finder/pair_finder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include "cuda/device/executor.h"
#include "cuda/proved_apart.h"
#include "cuda/rules/grid/pair.h"
#include "cuda/wall/wall_clearance.h"
#include "geometry/faces.h"
#include "host/contact/finder/repeated_points.h"
#include "host/contact/points/curvature.h"
#include "host/contact/prefetch.h"

namespace intervox::host {
namespace {

/** About what a pair costs, and the work from which threads pay [µs]. These decide who computes,
 never what: the result has the same bits. */
constexpr double kMissCost = 0.7;
constexpr double kPolytopeCost = 1.5;
constexpr double kCurvedCost = 5.0;
constexpr double kThreadedCost = 100.0;

/** Near pairs that are looked through together, and queries that are computed together. */
constexpr std::size_t kRange = 256;
constexpr int kGrain = 16;

/** The cells of so many queries stay in a core's cache from one stage to the next. */
constexpr std::size_t kInCache = 256;

/** Margin of the lists, as a share of the smaller body's radius. */
constexpr double kListMargin = 0.02;
/** Rounding allowance of distances that proofs rest on. */
constexpr double kRounding = 1e-6;
/** Share of a cell's size that is a small distance beside it. */
constexpr double kNearby = 0.05;
/** Growing a cell costs a query: worth it when it spares this many. */
constexpr double kWorthGrowing = 3.0;

/** Whether the engine has shown, by bounds and planes alone, that there is no overlap. */
bool CertainlyDisjoint(const InterferenceMetrics& metrics) {
  return metrics.status == Status::kDisjoint && !(metrics.volume_hi > 0) &&
         (metrics.rule == LeafRule::kAuto || metrics.rule == LeafRule::kPolytope);
}

/** Whether a bound of the relative motion exists: one of the bodies is bounded. */
bool IsMovable(const NearPair& pair) { return pair.cells_i->bounded || pair.cells_j->bounded; }

/** Makes the Verlet list anew. */
void ListCandidates(const Pose& X_IJ, const NearPair& pair) {
  const BodyCells& I = *pair.cells_i;
  const BodyCells& J = *pair.cells_j;
  SeparationCache& cache = *pair.cache;
  const double radius = J.bounded && I.bounded ? std::fmin(I.radius, J.radius)
                        : J.bounded            ? J.radius
                                               : I.radius;
  const double margin = kListMargin * radius;
  cache.listed = true;
  // A trial that flies off would leave a travel beside which no other is seen.
  cache.travel = 0.0;
  cache.listed_until = margin;
  cache.candidates.clear();
  if (I.bounded && J.bounded) {
    const double gap = Norm(X_IJ * J.center - I.center) - I.radius - J.radius;
    if (gap > margin) {
      // Far apart: the empty list holds until the balls can meet.
      cache.listed_until = (1 - kRounding) * gap;
      return;
    }
  }
  const Pose X_JI = Inverse(X_IJ);
  for (std::size_t a = 0; a < I.boxes.size(); ++a) {
    const CellBox& box = I.boxes[a];
    const std::size_t first = cache.candidates.size();
    const double reach =
        box.bounded ? (1 + kRounding) * (box.radius + margin) : std::numeric_limits<double>::max();
    J.tree.AnyWithin(X_JI * box.center, reach, [&](int b) {
      const double gap = BoxGap(box, J.boxes[static_cast<std::size_t>(b)], X_IJ, margin);
      if (gap > margin) return false;
      SeparationCache::Candidate candidate;
      candidate.a = static_cast<int>(a);
      candidate.b = b;
      candidate.apart_until = IsMovable(pair) ? (1 - kRounding) * gap : -1.0;
      candidate.grow_from.fill(0.0);
      if (pair.points) {
        candidate.kind = points::KindOf(I.cells[a], J.cells[static_cast<std::size_t>(b)]);
        // Hertz' law has a stiffness of its own for each point, and no weights.
        if (candidate.kind == points::PairKind::kRing && pair.curvatures) {
          candidate.kind = points::PairKind::kAny;
        }
      }
      cache.candidates.push_back(candidate);
      return false;
    });
    std::sort(cache.candidates.begin() + static_cast<std::ptrdiff_t>(first), cache.candidates.end(),
              [](const auto& x, const auto& y) { return x.b < y.b; });
  }
}

/** Adds the way since the last call; the list stays while it holds. */
void Travel(const Pose& X_IJ, const NearPair& pair) {
  SeparationCache& cache = *pair.cache;
  if (cache.listed && IsMovable(pair)) {
    // A point of the bounded body seen from the other one; nothing moves an infinite list.
    cache.moved = pair.cells_j->bounded
                      ? Displacement(X_IJ, cache.X_last, *pair.cells_j)
                      : Displacement(Inverse(X_IJ), Inverse(cache.X_last), *pair.cells_i);
    cache.travel += cache.moved;
  }
  cache.X_last = X_IJ;
  // Both may be infinite.
  if (!cache.listed || !(cache.travel < cache.listed_until)) ListCandidates(X_IJ, pair);
}

/** Looks how far apart two cells are that the engine has found disjoint. */
void ProveApart(const PairQuery& query, const NearPair& pair, SeparationCache::Candidate* candidate,
                FinderCounters* counters) {
  if (!IsMovable(pair)) return;
  const SeparationCache& cache = *pair.cache;
  const auto a = static_cast<std::size_t>(candidate->a), b = static_cast<std::size_t>(candidate->b);
  for (std::size_t k = 0; k < kGrowth.size(); ++k) {
    const GrownCell& grown_j = pair.cells_j->Grown(b)[k];
    const bool grow_j = grown_j.cell.has_value();
    const GrownCell& grown = grow_j ? grown_j : pair.cells_i->Grown(a)[k];
    if (!grown.cell.has_value() || grown.distance < kWorthGrowing * cache.moved) return;
    if (cache.travel < candidate->grow_from[k]) continue;
    PairQuery wider = query;
    (grow_j ? wider.b : wider.a) = &*grown.cell;
    ++counters->queries;
    if (ProvedApart(wider)) {
      candidate->apart_until = cache.travel + (1 - kRounding) * grown.distance;
      return;
    }
    // They are nearer than that, and will be for a while.
    candidate->grow_from[k] = cache.travel + 0.5 * grown.distance;
  }
}

/** Adds how the gap curves at a pair's point, or over its overlap. */
void SetCurvatures(const points::Curvatures& gap, ActivePair* active) {
  active->k_1 = gap.k_1;
  active->k_2 = gap.k_2;
  active->d_1 = gap.d_1;
}

/** What a contact sees of a point: its depth for V, its normal for S, no moments. */
ActivePair PointPair(const PairQuery& query, const NearPair& pair,
                     const SeparationCache::Candidate& candidate,
                     const points::PointContact& point) {
  ActivePair out{pair.i, pair.j, candidate.a, candidate.b, {}, {}, point.feature};
  out.weight = point.weight;
  out.nearby = kNearby * std::min(geometry::SizeOf(*query.a), geometry::SizeOf(*query.b));
  if (pair.curvatures) SetCurvatures(points::CurvaturesOfGap(query, point), &out);
  out.metrics.status = Status::kOk;
  out.metrics.volume = -point.x;
  out.metrics.p_WC = 0.5 * (point.p_WA + point.p_WB);
  out.metrics.area_vector = point.n;
  return out;
}

/** How the gap between the faces curves in which an overlap lies. */
points::Curvatures CurvaturesOfOverlap(const PairQuery& query, const InterferenceMetrics& metrics) {
  const double S = Norm(metrics.area_vector);
  const Vec3 n = S > 0.0 ? metrics.area_vector / S : Vec3{0, 0, 1};
  return points::CurvaturesOfFaces(query, metrics.p_WC, n);
}

/** Finds the points of a candidate that touches in points: the first goes to `first`, the others to
 `further`. Returns whether there is one; where there is none, one on a cut face goes there. */
bool TouchInPoints(PairQuery query, const NearPair& pair, SeparationCache::Candidate* candidate,
                   ActivePair* first, std::vector<ActivePair>* further) {
  thread_local std::vector<points::PointContact> found;
  found.clear();
  query.volume_floor = 0.0;  // the force is of a depth, however small the volume
  std::optional<points::PointContact> on_cut;
  const double gap = points::FindPoints(query, candidate->kind, pair.power, &found, &on_cut);
  candidate->met = !found.empty();
  if (gap > 0.0 && IsMovable(pair)) {
    candidate->apart_until = pair.cache->travel + (1 - kRounding) * gap;
  }
  if (found.size() > 1) {
    std::sort(found.begin(), found.end(),
              [](const auto& x, const auto& y) { return x.feature < y.feature; });
  }
  if (found.empty() && on_cut) further->push_back(PointPair(query, pair, *candidate, *on_cut));
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (k == 0) *first = PointPair(query, pair, *candidate, found[k]);
    if (k > 0) further->push_back(PointPair(query, pair, *candidate, found[k]));
  }
  return !found.empty();
}

/** Adds the candidates of a near pair that may touch now. */
void AddPlaces(const NearPair& pair, std::size_t index, std::span<const Pose> X_WB,
               FinderScratch::Range* range) {
  SeparationCache& cache = *pair.cache;
  const Pose& X_WI = X_WB[static_cast<std::size_t>(pair.i)];
  const Pose& X_WJ = X_WB[static_cast<std::size_t>(pair.j)];
  const Pose X_IJ{Transpose(X_WI.R) * X_WJ.R, TransposeTimes(X_WI.R, X_WJ.p - X_WI.p)};
  Travel(X_IJ, pair);
  constexpr double kAll = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < cache.candidates.size(); ++k) {
    SeparationCache::Candidate& c = cache.candidates[k];
    if (cache.travel < c.apart_until) continue;
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    if (!c.met) {
      double gap = BoxGap(pair.cells_i->boxes[a], pair.cells_j->boxes[b], X_IJ, kAll);
      if (!(gap > 0))
        gap = WallClearance({&pair.cells_i->cells[a], &pair.cells_j->cells[b], X_WI, X_WJ});
      if (gap > 0) {
        if (IsMovable(pair)) c.apart_until = cache.travel + (1 - kRounding) * gap;
        continue;
      }
    }
    const bool flat = pair.cells_i->cells[a].polytope && pair.cells_j->cells[b].polytope;
    range->cost += !c.met ? kMissCost : flat ? kPolytopeCost : kCurvedCost;
    range->places.push_back({index, k});
  }
}

/** Puts the points after the first of each place behind it. */
void InsertFurther(std::size_t count, FinderScratch* scratch, std::vector<ActivePair>* out) {
  std::vector<ActivePair>& all = scratch->all;
  all.clear();
  for (std::size_t q = 0; q < count; ++q) {
    all.push_back((*out)[q]);
    std::vector<ActivePair>& further = scratch->further[q];
    all.insert(all.end(), further.begin(), further.end());
    further.clear();
  }
  std::swap(*out, all);
}

/** Whether one of two bodies has parts that overlap. */
bool HasOverlaps(const NearPair& pair) { return pair.cells_i->overlap || pair.cells_j->overlap; }

/** Leaves out what parts that overlap repeat, of each pair of bodies that has some. */
void LeaveOutOfOverlaps(std::span<const NearPair> pairs, std::span<const Pose> X_WB,
                        std::vector<ActivePair>* active) {
  std::erase_if(*active, [](const ActivePair& point) { return point.i < 0; });
  std::size_t begin = 0;
  for (const NearPair& pair : pairs) {
    std::size_t end = begin;
    while (end < active->size() && (*active)[end].i == pair.i && (*active)[end].j == pair.j) ++end;
    if (HasOverlaps(pair) && end > begin + 1) {
      LeaveOutRepeated(pair, X_WB[static_cast<std::size_t>(pair.i)],
                       X_WB[static_cast<std::size_t>(pair.j)],
                       std::span(*active).subspan(begin, end - begin));
    }
    begin = end;
  }
}

/** Asks for the cells of the places that follow, whose memory in large scenes lies far apart: for
 the cells themselves first and, when these have come, for their surfaces and corners. */
void PrefetchCells(std::span<const NearPair> pairs, std::span<const FinderScratch::Place> places,
                   std::size_t done) {
  constexpr std::size_t kCells = 16, kSurfaces = 8;  // places ahead
  const auto cells_of = [&](std::size_t at) {
    const NearPair& pair = pairs[places[at].pair];
    const SeparationCache::Candidate& candidate = pair.cache->candidates[places[at].candidate];
    return std::array{&pair.cells_i->cells[static_cast<std::size_t>(candidate.a)],
                      &pair.cells_j->cells[static_cast<std::size_t>(candidate.b)]};
  };
  if (done + kCells < places.size()) {
    for (const geometry::Cell* cell : cells_of(done + kCells)) Prefetch(cell);
  }
  if (done + kSurfaces >= places.size()) return;
  for (const geometry::Cell* cell : cells_of(done + kSurfaces)) {
    Prefetch(cell->surfaces.data(), cell->surfaces.size());
    const geometry::Corners& corners = cell->corners;
    Prefetch(corners.p_C.data(), corners.p_C.size());
    Prefetch(corners.half_edges.data(), corners.half_edges.size());
    Prefetch(corners.faces.data(), corners.faces.size());
  }
}

/** Gives places without a point the one that they have on a cut face, where it is the body's. */
void TakePointsOnCuts(std::span<const NearPair> pairs, std::span<const Pose> X_WB,
                      FinderScratch* scratch, std::vector<ActivePair>* out) {
  thread_local std::vector<std::size_t> at;
  thread_local std::vector<ActivePair> points;
  const std::vector<FinderScratch::Place>& places = scratch->places;
  for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const NearPair& pair = pairs[places[begin].pair];
    at.clear();
    points.clear();
    for (; end < places.size() && places[end].pair == places[begin].pair; ++end) {
      std::vector<ActivePair>& on_cut = scratch->further[end];
      if ((*out)[end].i >= 0 || on_cut.empty()) continue;
      at.push_back(end);
      points.push_back(on_cut.front());
      on_cut.clear();
    }
    LeaveOutOnCuts(pair, X_WB[static_cast<std::size_t>(pair.i)],
                   X_WB[static_cast<std::size_t>(pair.j)], points);
    for (std::size_t k = 0; k < at.size(); ++k) {
      pair.cache->candidates[places[at[k]].candidate].met = points[k].i >= 0;
      (*out)[at[k]] = points[k];
    }
  }
}

}  // namespace

PairQuery PairFinder::QueryOf(const NearPair& pair, const SeparationCache::Candidate& candidate,
                              std::span<const Pose> X_WB) const {
  PairQuery query{&pair.cells_i->cells[static_cast<std::size_t>(candidate.a)],
                  &pair.cells_j->cells[static_cast<std::size_t>(candidate.b)],
                  X_WB[static_cast<std::size_t>(pair.i)],
                  X_WB[static_cast<std::size_t>(pair.j)],
                  settings_.tolerance,
                  settings_.voxel_size,
                  settings_.rule,
                  settings_.volume_floor};
  // Its V is continuous and has S and G as its gradient, which a tolerance's levels have not.
  if (query.rule == LeafRule::kAuto && cuda::HasGrid(query)) query.rule = LeafRule::kClip;
  return query;
}

/** Lists the candidates that may touch now, in order. @return about what they cost [µs] */
double PairFinder::Ask(std::span<const NearPair> pairs, std::span<const Pose> X_WB,
                       FinderScratch* scratch) const {
  const std::size_t count = (pairs.size() + kRange - 1) / kRange;
  if (scratch->ranges.size() < count) scratch->ranges.resize(count);
  cuda::ForEach(count, 1, scratch->threads, [&](std::size_t r) {
    FinderScratch::Range& range = scratch->ranges[r];
    range.places.clear();
    range.cost = 0.0;
    const std::size_t last = std::min(pairs.size(), (r + 1) * kRange);
    for (std::size_t k = r * kRange; k < last; ++k) AddPlaces(pairs[k], k, X_WB, &range);
  });
  double cost = 0.0;
  scratch->places.clear();
  for (std::size_t r = 0; r < count; ++r) {
    const FinderScratch::Range& range = scratch->ranges[r];
    scratch->places.insert(scratch->places.end(), range.places.begin(), range.places.end());
    cost += range.cost;
  }
  return cost;
}

void PairFinder::Find(std::span<const NearPair> pairs, std::span<const Pose> X_WB,
                      FinderScratch* scratch, std::vector<ActivePair>* out) const {
  const double cost = Ask(pairs, X_WB, scratch);
  const std::size_t count = scratch->places.size();
  const EngineOptions& options = engine_->options();
  const bool batch = options.device == Device::kCuda && cost >= kThreadedCost;
  if (batch) {
    scratch->queries.clear();
    for (const auto& [pair, candidate] : scratch->places) {
      scratch->queries.push_back(
          QueryOf(pairs[pair], pairs[pair].cache->candidates[candidate], X_WB));
    }
    scratch->metrics.resize(count);
    engine_->Compute(scratch->queries, scratch->metrics);
  }
  out->resize(count);
  std::atomic<std::int64_t> failures{0}, more{0};
  std::atomic<bool> gaps{false}, several{false}, on_cuts{false};
  scratch->further.resize(std::max(count, scratch->further.size()));
  const auto look = [&](int begin, int end) {
    FinderCounters counted;
    for (auto q = static_cast<std::size_t>(begin); q < static_cast<std::size_t>(end); ++q) {
      if (count > kInCache) PrefetchCells(pairs, scratch->places, q);
      const NearPair& pair = pairs[scratch->places[q].pair];
      SeparationCache::Candidate& candidate = pair.cache->candidates[scratch->places[q].candidate];
      const PairQuery query = QueryOf(pair, candidate, X_WB);
      ActivePair& active = (*out)[q];
      if (pair.points) {
        std::vector<ActivePair>& others = scratch->further[q];
        if (TouchInPoints(query, pair, &candidate, &active, &others)) {
          if (!others.empty()) several = true;
        } else {
          active.i = -1;
          gaps = true;
          if (!others.empty()) on_cuts = true;
        }
        continue;
      }
      active = {pair.i,
                pair.j,
                candidate.a,
                candidate.b,
                batch ? scratch->metrics[q] : ComputeMetrics(query),
                {},
                0};
      const InterferenceMetrics& metrics = active.metrics;
      if (metrics.status != Status::kOk && metrics.status != Status::kDisjoint) ++counted.failures;
      const bool usable =
          metrics.status == Status::kOk || metrics.status == Status::kToleranceNotMet;
      candidate.met = usable && metrics.volume > 0;
      if (candidate.met) {
        active.wall = MeanOnWall(query, metrics);
        if (pair.curvatures) SetCurvatures(CurvaturesOfOverlap(query, metrics), &active);
        continue;
      }
      gaps = true;
      active.i = -1;
      if (CertainlyDisjoint(metrics)) ProveApart(query, pair, &candidate, &counted);
    }
    failures += counted.failures;
    more += counted.queries;
  };
  const bool threaded = cost >= kThreadedCost && options.device != Device::kSerial;
  cuda::ParallelFor(static_cast<int>(count), kGrain, threaded ? options.threads : 1, look);
  if (on_cuts) TakePointsOnCuts(pairs, X_WB, scratch, out);
  if (several) InsertFurther(count, scratch, out);
  if (std::any_of(pairs.begin(), pairs.end(), HasOverlaps)) {
    LeaveOutOfOverlaps(pairs, X_WB, out);
    gaps = true;
  }
  if (gaps) std::erase_if(*out, [](const ActivePair& active) { return active.i < 0; });
  scratch->counters.queries += static_cast<std::int64_t>(count) + more;
  scratch->counters.failures += failures;
}

}  // namespace intervox::host
