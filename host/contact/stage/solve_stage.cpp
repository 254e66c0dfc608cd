// Islands: what contacts connect is solved together, each in the order of its first contact.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/device/executor.h"
#include "host/contact/disjoint_sets.h"
#include "host/contact/stage/stage_island.h"

namespace intervox::host {
namespace {

using internal::StagePoint;

constexpr int kGrain = 256;   // contacts that go to a thread together
constexpr int kIslands = 16;  // islands that do
constexpr int kLarge = 1000;  // contacts from which on an island gets all threads

bool IsFree(const StageBody& body) {
  return body.inverse_mass > 0.0 || Trace(body.inverse_inertia_W) > 0.0;
}

class StageSolver {
 public:
  StageResult Solve(double H, std::span<StageBody> bodies, std::span<StageContact* const> contacts,
                    int threads, std::span<StageJoint> joints);

 private:
  /** What of a contact, or behind them of a joint, tells the islands apart. */
  struct Link {
    int body_i = 0, body_j = 0;
    int row_i = -1, row_j = -1;  // −1: not free
    bool active = false, free_i = false, free_j = false;
  };

  int OnlyFree() const;
  void SolveOne(int body, int threads, StageResult* result);
  void Connect();
  void Number();
  void SolveIslands(int threads, StageResult* result);
  Link LinkOf(const StagePoint& point) const;
  Link LinkOf(const StageJoint& joint) const;
  void AddJoint(const Link& link, StageJoint* joint, internal::StageIsland* out);
  void Gather(int island, internal::StageIsland* out);

  double H_ = 0.0;
  std::span<StageBody> bodies_;
  std::span<StageJoint> joints_;
  std::vector<int> parent_;      // of each body in a contact, towards the root of its island
  std::vector<int> row_of_;      // first unknown of each of them within its island, −1: none yet
  std::vector<int> island_of_;   // of each root, −1: none yet
  std::vector<int> of_contact_;  // island of each contact, −1: no body of it is free
  std::vector<int> start_;       // first contact of each island in order_, and the end
  std::vector<int> order_;       // contacts, island by island
  std::vector<int> next_;        // place in order_ for the next contact of each island
  std::vector<StageResult> results_;
  std::vector<StagePoint> room_;  // for the points of the stage that had most
  std::span<StagePoint> points_;
  std::vector<internal::FirstGuess> guesses_;  // of each contact
  std::vector<Link> links_;                    // of each contact
};

/** The only free body, where joints hold none; −1: there are more. */
int StageSolver::OnlyFree() const {
  int only = -1;
  if (!joints_.empty()) return only;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (!IsFree(bodies_[b])) continue;
    if (only >= 0) return -1;
    only = static_cast<int>(b);
  }
  return only;
}

/** Solves for the only free body: all contacts that act on it are one island. */
void StageSolver::SolveOne(int body, int threads, StageResult* result) {
  thread_local internal::StageIsland island;
  island.Clear(H_);
  const int number = island.AddBody(&bodies_[static_cast<std::size_t>(body)]) / 6;
  bool has_points = false;
  for (std::size_t c = 0; c < points_.size(); ++c) {
    const Link& link = links_[c];
    if (link.active && (link.free_i || link.free_j)) {
      island.AddPoint(&points_[c], &guesses_[c],
                      {link.free_i ? number : -1, link.free_j ? number : -1, true});
      has_points = true;
    } else {
      points_[c].Evaluate(false);
    }
  }
  if (has_points) island.Solve(threads, result);
}

/** Unites the free bodies that contacts connect. */
void StageSolver::Connect() {
  for (const Link& link : links_) {
    for (const int body : {link.body_i, link.body_j}) {
      if (body < 0) continue;  // a joint to the world
      parent_[static_cast<std::size_t>(body)] = body;
      row_of_[static_cast<std::size_t>(body)] = island_of_[static_cast<std::size_t>(body)] = -1;
    }
  }
  for (const Link& link : links_) {
    if (!link.active || !link.free_i || !link.free_j) continue;
    Unite(parent_, link.body_i, link.body_j);
  }
}

/** Numbers the islands in the order of their first contacts and lists the contacts of each. */
void StageSolver::Number() {
  of_contact_.assign(links_.size(), -1);
  start_.assign(1, 0);
  for (std::size_t c = 0; c < links_.size(); ++c) {
    const Link& link = links_[c];
    if (!link.active || !(link.free_i || link.free_j)) continue;
    const int root = FindRoot(parent_, link.free_i ? link.body_i : link.body_j);
    int& island = island_of_[static_cast<std::size_t>(root)];
    if (island < 0) {
      island = static_cast<int>(start_.size()) - 1;
      start_.push_back(0);
    }
    of_contact_[c] = island;
    ++start_[static_cast<std::size_t>(island) + 1];
  }
  for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
  order_.resize(static_cast<std::size_t>(start_.back()));
  next_.assign(start_.begin(), start_.end() - 1);
  for (std::size_t c = 0; c < links_.size(); ++c) {
    if (of_contact_[c] < 0) continue;
    order_[static_cast<std::size_t>(next_[static_cast<std::size_t>(of_contact_[c])]++)] =
        static_cast<int>(c);
  }
}

StageSolver::Link StageSolver::LinkOf(const StagePoint& point) const {
  return {static_cast<int>(point.body_i - bodies_.data()),
          static_cast<int>(point.body_j - bodies_.data()),
          -1,
          -1,
          point.active,
          IsFree(*point.body_i),
          IsFree(*point.body_j)};
}

StageSolver::Link StageSolver::LinkOf(const StageJoint& joint) const {
  const auto is_free = [&](int body) {
    return body >= 0 && IsFree(bodies_[static_cast<std::size_t>(body)]);
  };
  return {joint.body_a, joint.body_b, -1, -1, true, is_free(joint.body_a), is_free(joint.body_b)};
}

void StageSolver::AddJoint(const Link& link, StageJoint* joint, internal::StageIsland* out) {
  const auto body = [&](int b) { return b < 0 ? nullptr : &bodies_[static_cast<std::size_t>(b)]; };
  const int rows[2] = {link.row_i, link.row_j};
  StageBody* const bodies[2] = {body(link.body_i), body(link.body_j)};
  out->AddJoint(joint, rows, bodies);
}

/** Gathers an island's bodies, contacts and joints. */
void StageSolver::Gather(int island, internal::StageIsland* out) {
  out->Clear(H_);
  const auto k = static_cast<std::size_t>(island);
  const auto contact = [&](int at) {
    return static_cast<std::size_t>(order_[static_cast<std::size_t>(at)]);
  };
  for (int at = start_[k]; at < start_[k + 1]; ++at) {
    Link& link = links_[contact(at)];
    const auto row = [&](int b, bool is_free) {
      if (!is_free) return -1;
      int& first = row_of_[static_cast<std::size_t>(b)];
      if (first < 0) first = out->AddBody(&bodies_[static_cast<std::size_t>(b)]);
      return first;
    };
    link.row_i = row(link.body_i, link.free_i);
    link.row_j = row(link.body_j, link.free_j);
    const auto number = [](int row) { return row < 0 ? -1 : row / 6; };
    if (const std::size_t c = contact(at); c < points_.size()) {
      out->AddPoint(&points_[c], &guesses_[c],
                    {number(link.row_i), number(link.row_j), link.active});
    } else {
      AddJoint(link, &joints_[c - points_.size()], out);
    }
  }
}

StageResult StageSolver::Solve(double H, std::span<StageBody> bodies,
                               std::span<StageContact* const> contacts, int threads,
                               std::span<StageJoint> joints) {
  H_ = H;
  bodies_ = bodies;
  joints_ = joints;
  if (room_.size() < contacts.size()) room_.resize(contacts.size());
  points_ = std::span(room_).first(contacts.size());
  guesses_.resize(contacts.size());
  links_.resize(contacts.size());
  const auto ask_ahead_of = [&](std::size_t c) {
    PrefetchAhead(c, contacts.size(), [&](std::size_t soon) { return contacts[soon]; });
    PrefetchAhead(c, contacts.size(), [&](std::size_t soon) { return &points_[soon]; });
  };
  cuda::ForEach(contacts.size(), kGrain, threads, [&](std::size_t c) {
    ask_ahead_of(c);
    points_[c].Prepare(H, bodies, contacts[c]);
    links_[c] = LinkOf(points_[c]);
    guesses_[c] = points_[c].Guess();
  });
  StageResult result;
  if (H == 0.0) {
    for (StagePoint& point : points_) point.Evaluate(false);
  } else if (const int only = OnlyFree(); only >= 0) {
    SolveOne(only, static_cast<int>(points_.size()) > kLarge ? threads : 1, &result);
  } else {
    for (const StageJoint& joint : joints_) links_.push_back(LinkOf(joint));
    for (std::vector<int>* list : {&parent_, &row_of_, &island_of_}) {
      if (list->size() < bodies.size()) list->resize(bodies.size());
    }
    Connect();
    Number();
    for (std::size_t c = 0; c < points_.size(); ++c) {
      if (of_contact_[c] < 0) points_[c].Evaluate(false);
    }
    SolveIslands(threads, &result);
  }
  cuda::ForEach(contacts.size(), kGrain, threads, [&](std::size_t c) {
    ask_ahead_of(c);
    points_[c].Finish();
  });
  return result;
}

/** Solves islands of many contacts one after the other, each on all threads, and the others at
 once, each on one. */
void StageSolver::SolveIslands(int threads, StageResult* result) {
  const std::size_t islands = start_.size() - 1;
  results_.assign(islands, StageResult{});
  const auto solve = [&](std::size_t island, int on) {
    thread_local internal::StageIsland stage_island;
    Gather(static_cast<int>(island), &stage_island);
    stage_island.Solve(on, &results_[island]);
  };
  const auto large = [&](std::size_t k) { return start_[k + 1] - start_[k] > kLarge; };
  for (std::size_t island = 0; island < islands; ++island) {
    if (large(island)) solve(island, threads);
  }
  cuda::ForEach(islands, kIslands, threads, [&](std::size_t island) {
    if (!large(island)) solve(island, 1);
  });
  for (const StageResult& one : results_) {
    result->iterations += one.iterations;
    result->residual = std::max(result->residual, one.residual);
    result->converged = result->converged && one.converged;
  }
}

}  // namespace

StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact* const> contacts, int threads,
                       std::span<StageJoint> joints) {
  thread_local StageSolver solver;
  return solver.Solve(h_gamma, bodies, contacts, threads, joints);
}

StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact> contacts, int threads) {
  thread_local std::vector<StageContact*> list;
  list.clear();
  for (StageContact& contact : contacts) list.push_back(&contact);
  return SolveStage(h_gamma, bodies, list, threads);
}

}  // namespace intervox::host
