#include "host/simulation/group_finder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/bodies/loads.h"
#include "host/contact/disjoint_sets.h"
#include "host/simulation/for_each.h"

namespace intervox::host {
namespace {

/** A body's reach in a step exceeds its way at constant speed by this factor, and by this share of
 its radius. */
constexpr double kReachFactor = 1.25;
constexpr double kReachShare = 1e-3;
/** A reach that was too small becomes this multiple of the way that the body took. */
constexpr double kWider = 1.5;

/** Whether an index is that of a free body; −1 is the world. */
bool IsFree(const State& state, int body) {
  return body >= 0 && state.bodies[static_cast<std::size_t>(body)].kind == BodyKind::kFree;
}

/** Bodies near nothing that step together: as many as the caches hold. */
constexpr std::size_t kAloneTogether = 128;

}  // namespace

GroupFinder::GroupFinder(const World& world, int threads)
    : world_(world),
      broad_phase_([&world](int i, int j) { return world.Rule(i, j) != nullptr; }, threads),
      widened_(world.start.size(), 1.0),
      reach_(world.start.size(), 0.0),
      threads_(threads) {}

/** A bound on how far any point of the body moves within h, unless contacts drive it. */
double GroupFinder::ReachOf(const State& state, std::size_t b, double h) const {
  const RigidBody& body = state.bodies[b];
  const BodyCells& cells = world_.boxes[b];
  const double radius = cells.bounded ? cells.radius : 0.0;
  if (body.kind == BodyKind::kFixed) return 0.0;
  const Vec3 arm = state.poses[b] * cells.center - body.p_WM;
  double way = (Norm(body.v) + Norm(body.w) * (radius + Norm(arm))) * h;
  if (body.kind == BodyKind::kFree) {
    way += (Norm(world_.scene.gravity) + Norm(body.input.force) * body.inverse_mass) * h * h;
    for (const AppliedWrench& wrench : world_.scene.bodies[b].wrenches) {
      way += Norm(wrench.force) * body.inverse_mass * h * h;
    }
  } else {
    const FrameMotion end = DriveAt(world_.scene.bodies[b], body.input, state.time + h);
    way = std::fmax(way, Displacement(end.X_WF, state.poses[b], cells));
  }
  return widened_[b] * (kReachFactor * way + kReachShare * radius);
}

/** Free bodies that are near each other have one root. */
void GroupFinder::ConnectBodies(const State& state) {
  parent_.resize(state.bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const IndexPair& pair : near_) {
    if (state.bodies[static_cast<std::size_t>(pair.i)].kind != BodyKind::kFree ||
        state.bodies[static_cast<std::size_t>(pair.j)].kind != BodyKind::kFree) {
      continue;
    }
    Unite(parent_, pair.i, pair.j);
  }
  for (const Joint& joint : world_.joints) {
    if (!IsFree(state, joint.body_a) || !IsFree(state, joint.body_b)) continue;
    Unite(parent_, joint.body_a, joint.body_b);
  }
}

std::size_t GroupFinder::AddGroup() {
  if (groups_.size() == group_count_) groups_.emplace_back();
  groups_[group_count_].bodies.clear();
  return group_count_++;
}

/** Bodies that are near nothing have no contacts, so nothing connects them: they share groups. */
void GroupFinder::Find(const State& state, double h) {
  const std::size_t bodies = state.bodies.size();
  placed_.resize(bodies);
  ForEach(bodies, threads_, [&](std::size_t b) {
    reach_[b] = ReachOf(state, b, h);
    placed_[b] = {&world_.boxes[b], state.poses[b], reach_[b],
                  state.bodies[b].kind != BodyKind::kFixed};
  });
  broad_phase_.Find(placed_, &near_);
  caches_.Update(near_, &near_caches_);
  ConnectBodies(state);

  constexpr int kAlone = -2;
  group_of_.assign(bodies, -1);
  for (const int b : world_.free_bodies) group_of_[static_cast<std::size_t>(b)] = kAlone;
  for (const IndexPair& pair : near_) {
    for (const int b : {pair.i, pair.j}) {
      int& group = group_of_[static_cast<std::size_t>(b)];
      if (group == kAlone) group = -1;  // near something: numbered below
    }
  }
  for (const Joint& joint : world_.joints) {
    for (const int b : {joint.body_a, joint.body_b}) {
      if (b >= 0 && group_of_[static_cast<std::size_t>(b)] == kAlone) {
        group_of_[static_cast<std::size_t>(b)] = -1;
      }
    }
  }
  group_count_ = 0;
  int alone = -1;
  for (const int body : world_.free_bodies) {
    const auto b = static_cast<std::size_t>(body);
    const int root = FindRoot(parent_, body);
    if (group_of_[b] == kAlone) {
      if (alone < 0 || groups_[static_cast<std::size_t>(alone)].bodies.size() == kAloneTogether) {
        alone = static_cast<int>(AddGroup());
      }
      group_of_[b] = alone;
    } else if (root == body) {
      group_of_[b] = static_cast<int>(AddGroup());
    } else {
      group_of_[b] = group_of_[static_cast<std::size_t>(root)];
    }
    groups_[static_cast<std::size_t>(group_of_[b])].bodies.push_back(body);
  }
  Fill(state);
}

/** Gives the groups their near pairs, the other bodies in these, and their contacts. */
void GroupFinder::Fill(const State& state) {
  const auto group_of_pair = [&](int i, int j) {
    const int group = group_of_[static_cast<std::size_t>(i)];
    return static_cast<std::size_t>(group >= 0 ? group : group_of_[static_cast<std::size_t>(j)]);
  };
  for (const IndexPair& pair : near_) {
    std::vector<int>& bodies = groups_[group_of_pair(pair.i, pair.j)].bodies;
    for (const int b : {pair.i, pair.j}) {
      if (group_of_[static_cast<std::size_t>(b)] < 0) bodies.push_back(b);
    }
  }
  const auto group_of_joint = [&](const Joint& joint) {
    return group_of_pair(joint.body_a, joint.body_b >= 0 ? joint.body_b : joint.body_a);
  };
  for (const Joint& joint : world_.joints) {
    std::vector<int>& bodies = groups_[group_of_joint(joint)].bodies;
    for (const int b : {joint.body_a, joint.body_b}) {
      if (b >= 0 && group_of_[static_cast<std::size_t>(b)] < 0) bodies.push_back(b);
    }
  }
  local_body_.resize(state.bodies.size());
  ForGroups(groups(), threads_, [&](std::size_t g, int threads) {
    BodyGroup& group = groups_[g];
    TakeOut(state, threads, &group);
    for (const int body : group.free) {
      const int b = group.bodies[static_cast<std::size_t>(body)];
      local_body_[static_cast<std::size_t>(b)] = body;
    }
  });
  const auto local_in = [&](const BodyGroup& group, int body) {
    const auto b = static_cast<std::size_t>(body);
    return group_of_[b] >= 0 ? local_body_[b] : LocalIndex(group, body);
  };
  // Numbers within the groups first, so that threads can fill them.
  const auto number = [&](std::size_t count, const auto& group_of, std::vector<int>* local) {
    counts_.assign(group_count_, 0);
    local->resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      (*local)[k] = static_cast<int>(counts_[group_of(k)]++);
    }
  };
  for (std::size_t k = 0; k < world_.joints.size(); ++k) {
    const Joint& joint = world_.joints[k];
    BodyGroup& group = groups_[group_of_joint(joint)];
    const auto local = [&](int body) { return body < 0 ? -1 : local_in(group, body); };
    group.joints.push_back({static_cast<int>(k), local(joint.body_a), local(joint.body_b)});
  }
  number(
      near_.size(), [&](std::size_t k) { return group_of_pair(near_[k].i, near_[k].j); },
      &local_near_);
  for (std::size_t g = 0; g < group_count_; ++g) groups_[g].near.resize(counts_[g]);
  ForEach(near_.size(), threads_, [&](std::size_t k) {
    const auto [i, j] = near_[k];
    BodyGroup& group = groups_[group_of_pair(i, j)];
    const PatchSettings& settings = world_.Rule(i, j)->patches;
    const auto boxes = [&](int body, int other) {
      const auto b = static_cast<std::size_t>(body);
      if (settings.points) return world_.PointBoxes(b, static_cast<std::size_t>(other));
      return &(settings.BareCells() ? world_.bare_boxes : world_.boxes)[b];
    };
    group.near[static_cast<std::size_t>(local_near_[k])] = {
        local_in(group, i), local_in(group, j), boxes(i, j),         boxes(j, i),
        near_caches_[k],    settings.points,    settings.curvatures, settings.power};
  });
  const std::vector<Contact>& contacts = state.patches.contacts;
  number(
      contacts.size(),
      [&](std::size_t c) { return group_of_pair(contacts[c].body_i, contacts[c].body_j); },
      &local_contact_);
  for (std::size_t g = 0; g < group_count_; ++g) groups_[g].patches.contacts.resize(counts_[g]);
  ForEach(contacts.size(), threads_, [&](std::size_t c) {
    const Contact& contact = contacts[c];
    BodyGroup& group = groups_[group_of_pair(contact.body_i, contact.body_j)];
    Contact& local = group.patches.contacts[static_cast<std::size_t>(local_contact_[c])];
    local = contact;
    local.body_i = local_in(group, contact.body_i);
    local.body_j = local_in(group, contact.body_j);
  });
  for (const Held& held : state.patches.held) {
    BodyGroup& group = groups_[group_of_pair(held.cells.i, held.cells.j)];
    Held local = held;
    local.cells.i = local_in(group, held.cells.i);
    local.cells.j = local_in(group, held.cells.j);
    local.contact = local_contact_[static_cast<std::size_t>(held.contact)];
    group.patches.held.push_back(local);
  }
  for (std::size_t g = 0; g < group_count_; ++g) {
    groups_[g].first_id = groups_[g].patches.next_id;
  }
}

bool GroupFinder::StayedWithinReach(const State& before) {
  bool stayed = true;
  for (std::size_t g = 0; g < group_count_; ++g) {
    const BodyGroup& group = groups_[g];
    for (const int body : group.free) {
      const auto local = static_cast<std::size_t>(body);
      const auto b = static_cast<std::size_t>(group.bodies[local]);
      const BodyCells& cells = world_.boxes[b];
      const double way = Displacement(group.poses[local], before.poses[b], cells);
      if (!(way > reach_[b])) continue;
      widened_[b] *= kWider * way / reach_[b];
      stayed = false;
    }
  }
  return stayed;
}

}  // namespace intervox::host
