#include "host/contact/patches/pair_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace intervox::host {
namespace {

/** What a pair costs about, and the work from which threads pay [µs]. Decides who computes, never
 what: the result has the same bits. */
constexpr double kMissCost = 0.7;
constexpr double kPolytopeCost = 1.5;
constexpr double kCurvedCost = 5.0;
constexpr double kThreadedCost = 100.0;

/** Margin of the lists, as a share of the smaller body's radius. */
constexpr double kListMargin = 0.02;
/** Rounding allowance of distances that proofs rest on. */
constexpr double kRounding = 1e-6;
/** Growing a cell costs a query: worth it when it spares this many. */
constexpr double kWorthGrowing = 3.0;

/** Whether the engine has shown, by bounds and planes alone, that there is no overlap. */
bool CertainlyDisjoint(const InterferenceMetrics& metrics) {
  return metrics.status == Status::kDisjoint && !(metrics.volume_hi > 0) &&
         (metrics.rule == LeafRule::kAuto || metrics.rule == LeafRule::kPolytope);
}

}  // namespace

void PairFinder::AddBodyPair(int body_i, int body_j, const BodyCells* cells_i,
                             const BodyCells* cells_j) {
  BodyPairCells pair;
  pair.i = body_i;
  pair.j = body_j;
  pair.cells_i = cells_i;
  pair.cells_j = cells_j;
  pair.movable = cells_i->bounded || cells_j->bounded;
  body_pairs_.push_back(std::move(pair));
}

/** Adds the way since the last call; the list stays while it holds. */
void PairFinder::Travel(const Pose& X_IJ, BodyPairCells* pair) const {
  if (pair->listed && pair->movable) {
    // A point of the bounded body seen from the other one; nothing moves an infinite list.
    pair->moved = pair->cells_j->bounded
                      ? Displacement(X_IJ, pair->X_last, *pair->cells_j)
                      : Displacement(Inverse(X_IJ), Inverse(pair->X_last), *pair->cells_i);
    pair->travel += pair->moved;
  }
  pair->X_last = X_IJ;
  if (!pair->listed || pair->travel > pair->listed_until) ListCandidates(X_IJ, pair);
}

void PairFinder::ListCandidates(const Pose& X_IJ, BodyPairCells* pair) const {
  const BodyCells& I = *pair->cells_i;
  const BodyCells& J = *pair->cells_j;
  const double radius = J.bounded && I.bounded ? std::fmin(I.radius, J.radius)
                        : J.bounded            ? J.radius
                                               : I.radius;
  const double margin = kListMargin * radius;
  pair->listed = true;
  pair->listed_until = pair->travel + margin;
  pair->candidates.clear();
  if (I.bounded && J.bounded) {
    const double gap = Norm(X_IJ * J.center - I.center) - I.radius - J.radius;
    if (gap > margin) {
      // Far apart: the empty list holds until the balls can meet.
      pair->listed_until = pair->travel + (1 - kRounding) * gap;
      return;
    }
  }
  const Pose X_JI = Inverse(X_IJ);
  for (std::size_t a = 0; a < I.boxes.size(); ++a) {
    const CellBox& box = I.boxes[a];
    const std::size_t first = pair->candidates.size();
    const double reach =
        box.bounded ? (1 + kRounding) * (box.radius + margin) : std::numeric_limits<double>::max();
    J.tree.AnyWithin(X_JI * box.center, reach, [&](int b) {
      const double gap = BoxGap(box, J.boxes[static_cast<std::size_t>(b)], X_IJ, margin);
      if (gap > margin) return false;
      Candidate candidate;
      candidate.a = static_cast<int>(a);
      candidate.b = b;
      candidate.apart_until = pair->movable ? pair->travel + (1 - kRounding) * gap : -1.0;
      candidate.grow_from.fill(pair->travel);
      pair->candidates.push_back(candidate);
      return false;
    });
    std::sort(pair->candidates.begin() + static_cast<std::ptrdiff_t>(first), pair->candidates.end(),
              [](const Candidate& x, const Candidate& y) { return x.b < y.b; });
  }
}

/** The candidates of a body pair that may touch now. */
void PairFinder::AddQueries(std::size_t body_pair, const Pose& X_WI, const Pose& X_WJ) {
  BodyPairCells& pair = body_pairs_[body_pair];
  const Pose X_IJ{Transpose(X_WI.R) * X_WJ.R, TransposeTimes(X_WI.R, X_WJ.p - X_WI.p)};
  Travel(X_IJ, &pair);
  constexpr double kAll = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < pair.candidates.size(); ++k) {
    Candidate& c = pair.candidates[k];
    if (pair.travel < c.apart_until) continue;
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    if (!c.met) {
      const double gap = BoxGap(pair.cells_i->boxes[a], pair.cells_j->boxes[b], X_IJ, kAll);
      if (gap > 0) {
        if (pair.movable) c.apart_until = pair.travel + (1 - kRounding) * gap;
        continue;
      }
    }
    const bool flat = pair.cells_i->cells[a].polytope && pair.cells_j->cells[b].polytope;
    cost_ += !c.met ? kMissCost : flat ? kPolytopeCost : kCurvedCost;
    queries_.push_back({&pair.cells_i->cells[a], &pair.cells_j->cells[b], X_WI, X_WJ,
                        settings_.tolerance, settings_.voxel_size, settings_.rule,
                        settings_.volume_floor});
    queried_.push_back({static_cast<int>(body_pair), c.a, c.b, {}});
    candidate_of_.push_back(k);
  }
}

/** Looks how far apart two cells are that the engine has found disjoint. */
void PairFinder::ProveApart(const PairQuery& query, BodyPairCells* pair, Candidate* candidate) {
  if (!pair->movable) return;
  const auto a = static_cast<std::size_t>(candidate->a), b = static_cast<std::size_t>(candidate->b);
  for (std::size_t k = 0; k < kGrowth.size(); ++k) {
    const GrownCell& grown_i = pair->cells_i->grown[a][k];
    const GrownCell& grown_j = pair->cells_j->grown[b][k];
    const bool grow_j = grown_j.cell.has_value();
    const GrownCell& grown = grow_j ? grown_j : grown_i;
    if (!grown.cell.has_value() || grown.distance < kWorthGrowing * pair->moved) return;
    if (pair->travel < candidate->grow_from[k]) continue;
    PairQuery wider = query;
    (grow_j ? wider.b : wider.a) = &*grown.cell;
    // Bounds and planes are all that counts here: what they leave open is not worth integrating.
    wider.rule = LeafRule::kPolytope;
    ++query_count_;
    if (CertainlyDisjoint(ComputeMetrics(wider))) {
      candidate->apart_until = pair->travel + (1 - kRounding) * grown.distance;
      return;
    }
    // They are nearer than that, and will be for a while.
    candidate->grow_from[k] = pair->travel + 0.5 * grown.distance;
  }
}

std::span<const ActivePair> PairFinder::Find(std::span<const Pose> X_WB) {
  queries_.clear();
  queried_.clear();
  candidate_of_.clear();
  active_.clear();
  cost_ = 0.0;
  for (std::size_t k = 0; k < body_pairs_.size(); ++k) {
    AddQueries(k, X_WB[static_cast<std::size_t>(body_pairs_[k].i)],
               X_WB[static_cast<std::size_t>(body_pairs_[k].j)]);
  }
  metrics_.resize(queries_.size());
  if (cost_ >= kThreadedCost && engine_->options().device != Device::kSerial) {
    engine_->Compute(queries_, metrics_);
  } else {
    for (std::size_t q = 0; q < queries_.size(); ++q) metrics_[q] = ComputeMetrics(queries_[q]);
  }
  query_count_ += static_cast<std::int64_t>(queries_.size());
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const InterferenceMetrics& metrics = metrics_[q];
    if (metrics.status != Status::kOk && metrics.status != Status::kDisjoint) ++failure_count_;
    const bool usable = metrics.status == Status::kOk || metrics.status == Status::kToleranceNotMet;
    BodyPairCells& pair = body_pairs_[static_cast<std::size_t>(queried_[q].body_pair)];
    Candidate& candidate = pair.candidates[candidate_of_[q]];
    candidate.met = usable && metrics.volume > 0;
    if (candidate.met) {
      active_.push_back(queried_[q]);
      active_.back().metrics = metrics;
    } else if (CertainlyDisjoint(metrics)) {
      ProveApart(queries_[q], &pair, &candidate);
    }
  }
  return active_;
}

}  // namespace intervox::host
