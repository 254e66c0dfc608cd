// Islands: what contacts connect is solved together, each in the order of its first contact.
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "host/contact/stage/stage_island.h"

namespace intervox::host {
namespace {

using internal::StagePoint;

bool IsFree(const StageBody& body) {
  return body.inverse_mass > 0.0 || Trace(body.inverse_inertia_W) > 0.0;
}

class StageSolver {
 public:
  StageResult Solve(double H, std::span<StageBody> bodies, std::span<StageContact> contacts);

 private:
  int Root(int body) const {
    while (parent_[static_cast<std::size_t>(body)] != body) {
      body = parent_[static_cast<std::size_t>(body)];
    }
    return body;
  }
  void Connect();
  void Collect(std::size_t first, int root);

  std::span<StageBody> bodies_;
  std::vector<int> parent_;  // of each body, towards the root of its island
  std::vector<int> row_of_;  // first unknown of each body within its island, −1: none yet
  std::vector<StagePoint> points_;
  internal::StageIsland island_;
};

/** Unites the free bodies that contacts connect. */
void StageSolver::Connect() {
  parent_.resize(bodies_.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const StagePoint& point : points_) {
    if (!point.active || !IsFree(*point.body_i) || !IsFree(*point.body_j)) continue;
    const int i = Root(point.contact->body_i), j = Root(point.contact->body_j);
    parent_[static_cast<std::size_t>(std::max(i, j))] = std::min(i, j);
  }
  row_of_.assign(bodies_.size(), -1);
}

/** Gathers an island from its first contact on. */
void StageSolver::Collect(std::size_t first, int root) {
  for (std::size_t c = first; c < points_.size(); ++c) {
    StagePoint& point = points_[c];
    if (!point.active || point.row_i >= 0 || point.row_j >= 0) continue;
    const auto row = [&](int b, StageBody* body) {
      if (!IsFree(*body) || Root(b) != root) return -1;
      int& at = row_of_[static_cast<std::size_t>(b)];
      if (at < 0) at = island_.AddBody(body);
      return at;
    };
    point.row_i = row(point.contact->body_i, point.body_i);
    point.row_j = row(point.contact->body_j, point.body_j);
    if (point.row_i >= 0 || point.row_j >= 0) island_.AddPoint(&point);
  }
}

StageResult StageSolver::Solve(double H, std::span<StageBody> bodies,
                               std::span<StageContact> contacts) {
  bodies_ = bodies;
  StageResult result;
  points_.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    points_[c].Prepare(H, bodies, &contacts[c]);
  }
  if (H == 0.0) {
    for (StagePoint& point : points_) point.Evaluate(false);
  } else {
    Connect();
    for (std::size_t first = 0; first < points_.size(); ++first) {
      StagePoint& start = points_[first];
      if (!start.active || start.row_i >= 0 || start.row_j >= 0) continue;
      const int seed = IsFree(*start.body_i) ? start.contact->body_i : start.contact->body_j;
      if (!IsFree(bodies[static_cast<std::size_t>(seed)])) {
        start.Evaluate(false);
        continue;
      }
      island_.Clear(H);
      Collect(first, Root(seed));
      island_.Solve(&result);
    }
  }
  for (const StagePoint& point : points_) point.Finish();
  return result;
}

}  // namespace

StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact> contacts) {
  thread_local StageSolver solver;
  return solver.Solve(h_gamma, bodies, contacts);
}

}  // namespace intervox::host
