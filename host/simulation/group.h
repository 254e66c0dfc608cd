/** @file Bodies that step together: what of a state belongs to them, taken out and put back. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuda/device/executor.h"
#include "host/contact/finder/pair_finder.h"
#include "host/simulation/for_each.h"
#include "host/simulation/state.h"
#include "host/world/world.h"

namespace intervox::host {

/** A joint of a group. */
struct GroupJoint {
  int joint = 0;                 ///< index into World::joints
  int body_a = -1, body_b = -1;  ///< index into the group's bodies; −1: the world
};

/** The bodies that may touch within one step, and the fixed and driven ones that they may touch: a
 small world of its own. All indices of bodies in `near`, `patches` and `impacts` count its bodies;
 their order is the scene's. */
struct BodyGroup {
  std::vector<int> bodies;         ///< index into Scene::bodies of each, ascending
  std::vector<int> free;           ///< those that are free, ascending
  std::vector<int> row_of;         ///< of each body, its place in `free`; −1: not free
  std::vector<RigidBody> state;    ///< at the accepted time
  std::vector<Pose> poses;         ///< of their frames, likewise
  std::vector<NearPair> near;      ///< ascending
  std::vector<GroupJoint> joints;  ///< in the scene's order
  Patches patches;
  double time = 0.0;  ///< accepted [s]

  // What its substeps have done since it was taken out.
  EnergyLedger ledger;
  std::vector<ImpactRecord> impacts;  ///< new ones; their contacts have impact = −2 − index
  /// Forces at accepted substeps, by the contact's impact.
  std::vector<std::pair<std::int64_t, double>> peaks;
  std::vector<EnergyGain> gains;
  std::vector<ArrestRecord> arrests;
  std::vector<JointReading> joint_readings;  ///< of each joint at the accepted time
  double joint_error = 0.0;                  ///< largest of its accepted substeps
  std::uint64_t first_id = 0;                ///< contacts from this id on are new
};

/** Sets velocities and frames' poses from the momenta, and those of driven bodies at the time. */
void SetVelocities(const World& world, BodyGroup* group, int threads = 1);

/** Sets a driven body's place and velocities at time t. */
void PlaceDrivenBody(const BodySettings& settings, double t, RigidBody* body, Pose* X_WB);

/** Fills a group from the accepted state, `bodies` being listed in any order. Near pairs and
 contacts are left to be set. */
void TakeOut(const State& state, int threads, BodyGroup* group);

/** Copies a group's free bodies into the state. */
void PutBodiesBack(const BodyGroup& group, int threads, State* state);

/** Local index of a body of the group. */
int LocalIndex(const BodyGroup& group, int body);

/** Adds a group's contacts and sums to the state, which has room for all contacts and takes this
 group's from `first_contact` on; cell pairs held were cleared before the first group. New contacts
 get their ids in the order of the groups. The group's contacts mean nothing any more, but their
 number stays. */
void PutBack(std::size_t first_contact, int threads, BodyGroup* group, State* state);

/** Calls act(g, t) for all groups, which may use t threads: large ones one after the other on all
 threads, then the others at once. */
template <class Act>
void ForGroups(std::span<const BodyGroup> groups, int threads, const Act& act) {
  const auto large = [&](std::size_t g) { return groups[g].bodies.size() > kStageGrain; };
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (large(g)) act(g, threads);
  }
  constexpr int kTogether = 8;  // their bodies are few
  cuda::ForEach(groups.size(), kTogether, threads, [&](std::size_t g) {
    if (!large(g)) act(g, 1);
  });
}

/** Patch rules of a group's bodies. */
class GroupRules final : public PatchRules {
 public:
  /** Both must outlive this. */
  GroupRules(const World& world, const BodyGroup& group) : world_(world), group_(group) {
    if (group.near.size() != 1) return;
    i_ = group.near[0].i;
    j_ = group.near[0].j;
    rule_ = world.Rule(Global(i_), Global(j_));
  }
  /** How two bodies of the group touch; they must be able to. */
  const PairRule& Rule(int i, int j) const {
    return rule_ != nullptr && i == i_ && j == j_ ? *rule_ : *world_.Rule(Global(i), Global(j));
  }
  const PatchSettings& Settings(int i, int j) const override { return Rule(i, j).patches; }
  bool HavePoints() const override { return world_.rules.HavePoints(); }
  std::span<const int> Neighbours(int body, int cell) const override {
    const auto b = static_cast<std::size_t>(Global(body));
    return world_.cells[b][static_cast<std::size_t>(cell)].neighbours;
  }

 private:
  int Global(int body) const { return group_.bodies[static_cast<std::size_t>(body)]; }

  const World& world_;
  const BodyGroup& group_;
  int i_ = -1, j_ = -1;  ///< where only two bodies are near each other: these
  const PairRule* rule_ = nullptr;
};

/** The largest impact index that a contact may have while its record is the group's. */
inline constexpr std::int64_t kNewImpact = -2;

}  // namespace intervox::host
