#include "host/contact/finder/body_broad_phase.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "cuda/device/executor.h"

namespace intervox::host {
namespace {

/** The list's margin: this share of the body's smallest extent, and more reaches, so that a list
 lasts some steps of a fast body. Of a body with a large reach it is bounded by the body's size. */
constexpr double kSizeShare = 0.05;
constexpr double kReaches = 4.0;
constexpr double kMostShare = 0.25;
constexpr std::size_t kGrain = 256;  // bodies that go to a thread together

bool HasCells(const PlacedBody& body) {
  return body.cells != nullptr && !body.cells->boxes.empty();
}

geometry::Aabb Grown(const geometry::Aabb& box, double by) {
  const Vec3 g{by, by, by};
  return {box.lower - g, box.upper + g};
}

/** Whether `inner` lies in `outer`; false where one of them is not a number. */
bool Contains(const geometry::Aabb& outer, const geometry::Aabb& inner) {
  return outer.lower.x <= inner.lower.x && inner.upper.x <= outer.upper.x &&
         outer.lower.y <= inner.lower.y && inner.upper.y <= outer.upper.y &&
         outer.lower.z <= inner.lower.z && inner.upper.z <= outer.upper.z;
}

/** The margin of a body; one that does not move needs room for a change of its reach only. */
double Margin(const PlacedBody& body) {
  if (!body.moves) return body.reach;
  const Vec3 d = body.cells->box.upper - body.cells->box.lower;
  const double least = std::fmin(std::fmin(d.x, d.y), d.z);
  const double most = std::fmax(std::fmax(d.x, d.y), d.z);
  return kSizeShare * least + std::fmin(kReaches * body.reach, body.reach + kMostShare * most);
}

}  // namespace

/** Whether each body is what it was when the list was made, within the box that it had. Uses the
 grown boxes of this call. */
bool BodyBroadPhase::IsListGood(std::span<const PlacedBody> bodies) const {
  std::atomic<bool> good{true};
  cuda::ForEach(bodies.size(), static_cast<int>(kGrain), threads_, [&](std::size_t b) {
    const PlacedBody& body = bodies[b];
    const Listed& then = listed_[b];
    const bool same = body.cells == then.cells && (!body.moves || then.moves);
    const bool within = !HasCells(body) || !body.cells->bounded || Contains(then.box, grown_[b]);
    if (!same || !within) good = false;
  });
  return good;
}

void BodyBroadPhase::MakeList(std::span<const PlacedBody> bodies) {
  ++lists_made_;
  listed_.resize(bodies.size());
  bounded_.clear();
  unbounded_.clear();
  fat_.clear();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const PlacedBody& body = bodies[b];
    listed_[b] = {body.cells, {}, body.moves};
    if (!HasCells(body)) continue;
    (body.cells->bounded ? bounded_ : unbounded_).push_back(static_cast<int>(b));
    if (!body.cells->bounded) continue;
    listed_[b].box = Grown(grown_[b], Margin(body));
    fat_.push_back(listed_[b].box);
  }
  box_pairs_.Find(fat_, &fat_pairs_, threads_);
  // Pairs ascend in the order of the bounded bodies, which ascends itself.
  first_.assign(bodies.size() + 1, 0);
  neighbours_.clear();
  std::size_t next = 0;  // body whose neighbours come next
  for (const IndexPair& pair : fat_pairs_) {
    const int i = bounded_[static_cast<std::size_t>(pair.i)];
    const int j = bounded_[static_cast<std::size_t>(pair.j)];
    const bool moves =
        bodies[static_cast<std::size_t>(i)].moves || bodies[static_cast<std::size_t>(j)].moves;
    if (!moves || !may_touch_(i, j)) continue;
    for (; next <= static_cast<std::size_t>(i); ++next) first_[next] = neighbours_.size();
    neighbours_.push_back(j);
  }
  for (; next < first_.size(); ++next) first_[next] = neighbours_.size();
}

/** Whether an unbounded body and any other one with cells are near. */
bool BodyBroadPhase::AreNear(std::span<const PlacedBody> bodies, int unbounded, int other) const {
  const PlacedBody& U = bodies[static_cast<std::size_t>(unbounded)];
  const PlacedBody& B = bodies[static_cast<std::size_t>(other)];
  if (!U.moves && !B.moves) return false;
  if (B.cells->bounded) {
    // The box has its body's reach already: the ball gets it here, and the plane its own.
    const double gap = UnboundedGap(*U.cells, U.X_WB, grown_[static_cast<std::size_t>(other)],
                                    B.X_WB * B.cells->center, B.cells->radius + B.reach);
    if (gap > U.reach) return false;
  }
  return may_touch_(std::min(unbounded, other), std::max(unbounded, other));
}

/** Adds the near pairs of body i with later ones, ascending. */
void BodyBroadPhase::ListNear(std::span<const PlacedBody> bodies, std::size_t i,
                              std::vector<IndexPair>* near) const {
  const auto add = [&](int j) { near->push_back({static_cast<std::int32_t>(i), j}); };
  if (!HasCells(bodies[i])) return;
  if (!bodies[i].cells->bounded) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      const int other = static_cast<int>(j);
      if (HasCells(bodies[j]) && AreNear(bodies, static_cast<int>(i), other)) add(other);
    }
    return;
  }
  auto next = std::upper_bound(unbounded_.begin(), unbounded_.end(), static_cast<int>(i));
  const auto add_unbounded_before = [&](int end) {
    for (; next != unbounded_.end() && *next < end; ++next) {
      if (AreNear(bodies, *next, static_cast<int>(i))) add(*next);
    }
  };
  for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
    const auto j = static_cast<std::size_t>(neighbours_[k]);
    if (!bodies[i].moves && !bodies[j].moves) continue;
    add_unbounded_before(neighbours_[k]);
    if (geometry::Overlap(grown_[i], grown_[j])) add(neighbours_[k]);
  }
  add_unbounded_before(static_cast<int>(bodies.size()));
}

void BodyBroadPhase::Find(std::span<const PlacedBody> bodies, std::vector<IndexPair>* near) {
  near->clear();
  grown_.resize(bodies.size());
  cuda::ForEach(bodies.size(), static_cast<int>(kGrain), threads_, [&](std::size_t b) {
    const PlacedBody& body = bodies[b];
    if (!HasCells(body) || !body.cells->bounded) return;
    grown_[b] = Grown(WorldBox(*body.cells, body.X_WB), body.reach);
  });
  if (listed_.size() != bodies.size() || !IsListGood(bodies)) MakeList(bodies);
  const std::size_t ranges = (bodies.size() + kGrain - 1) / kGrain;
  if (near_of_.size() < ranges) near_of_.resize(ranges);
  cuda::ForEach(ranges, 1, threads_, [&](std::size_t r) {
    near_of_[r].clear();
    const std::size_t last = std::min(bodies.size(), (r + 1) * kGrain);
    for (std::size_t i = r * kGrain; i < last; ++i) ListNear(bodies, i, &near_of_[r]);
  });
  for (std::size_t r = 0; r < ranges; ++r) {
    near->insert(near->end(), near_of_[r].begin(), near_of_[r].end());
  }
}

}  // namespace intervox::host
