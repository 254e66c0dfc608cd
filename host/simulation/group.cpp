#include "host/simulation/group.h"

#include <algorithm>

#include "host/simulation/for_each.h"

namespace intervox::host {

void SetVelocities(const World& world, BodyGroup* group, int threads) {
  ForEach(group->bodies.size(), threads, [&](std::size_t b) {
    RigidBody& body = group->state[b];
    if (body.kind == BodyKind::kFixed) return;
    if (body.kind == BodyKind::kFree) {
      group->poses[b] = SetVelocities(&body);
    } else {
      const auto index = static_cast<std::size_t>(group->bodies[b]);
      PlaceDrivenBody(world.scene.bodies[index], group->time, &body, &group->poses[b]);
    }
  });
}

void PlaceDrivenBody(const BodySettings& settings, double t, RigidBody* body, Pose* X_WB) {
  const FrameMotion motion = DriveAt(settings, body->input, t);
  *X_WB = motion.X_WF;
  body->q_WB = motion.q_WF;
  body->p_WM = motion.X_WF * body->p_BM;
  body->w = motion.w_WF;
  body->v = motion.v_WF + Cross(motion.w_WF, body->p_WM - motion.X_WF.p);
}

void TakeOut(const State& state, int threads, BodyGroup* group) {
  std::sort(group->bodies.begin(), group->bodies.end());
  group->bodies.erase(std::unique(group->bodies.begin(), group->bodies.end()), group->bodies.end());
  group->free.clear();
  group->row_of.resize(group->bodies.size());
  group->state.resize(group->bodies.size());
  group->poses.resize(group->bodies.size());
  ForEach(group->bodies.size(), threads, [&](std::size_t k) {
    const auto b = static_cast<std::size_t>(group->bodies[k]);
    group->state[k] = state.bodies[b];
    group->poses[k] = state.poses[b];
  });
  for (std::size_t k = 0; k < group->bodies.size(); ++k) {
    const bool is_free = group->state[k].kind == BodyKind::kFree;
    group->row_of[k] = is_free ? static_cast<int>(group->free.size()) : -1;
    if (is_free) group->free.push_back(static_cast<int>(k));
  }
  group->joints.clear();
  group->joint_readings.clear();
  group->joint_error = 0.0;
  group->patches.held.clear();
  group->patches.next_id = state.patches.next_id;
  group->patches.undefined_normals = 0;
  group->time = state.time;
  group->ledger = {};
  group->impacts.clear();
  group->peaks.clear();
  group->gains.clear();
  group->arrests.clear();
}

int LocalIndex(const BodyGroup& group, int body) {
  const auto at = std::lower_bound(group.bodies.begin(), group.bodies.end(), body);
  return static_cast<int>(at - group.bodies.begin());
}

void PutBodiesBack(const BodyGroup& group, int threads, State* state) {
  ForEach(group.free.size(), threads, [&](std::size_t f) {
    const auto body = static_cast<std::size_t>(group.free[f]);
    const auto b = static_cast<std::size_t>(group.bodies[body]);
    state->bodies[b] = group.state[body];
    state->poses[b] = group.poses[body];
  });
}

void PutBack(std::size_t first_contact, int threads, BodyGroup* from, State* state) {
  std::vector<Contact>& contacts = state->patches.contacts;
  const bool all = from->patches.contacts.size() == contacts.size();
  if (all) std::swap(contacts, from->patches.contacts);
  const BodyGroup& group = *from;
  const auto global = [&](int body) { return group.bodies[static_cast<std::size_t>(body)]; };
  // Contacts that are new get their ids in the order of the groups.
  const std::uint64_t first_new = group.first_id;
  const auto first_impact = static_cast<std::int64_t>(state->impacts.size());
  for (ImpactRecord impact : group.impacts) {
    impact.body_i = global(impact.body_i);
    impact.body_j = global(impact.body_j);
    state->impacts.push_back(impact);
  }
  const auto impact_index = [&](std::int64_t impact) {
    return impact <= kNewImpact ? first_impact + (kNewImpact - impact) : impact;
  };
  for (const auto& [impact, force] : group.peaks) {
    double& peak = state->impacts[static_cast<std::size_t>(impact_index(impact))].peak_force;
    peak = std::max(peak, force);
  }
  const std::uint64_t shift = state->patches.next_id - first_new;
  ForEach(group.patches.contacts.size(), threads, [&](std::size_t c) {
    Contact& contact = contacts[first_contact + c];
    if (!all) contact = group.patches.contacts[c];
    contact.body_i = global(contact.body_i);
    contact.body_j = global(contact.body_j);
    contact.impact = impact_index(contact.impact);
    if (contact.id >= first_new) contact.id += shift;
  });
  state->patches.next_id += group.patches.next_id - first_new;
  for (Held held : group.patches.held) {
    held.cells.i = global(held.cells.i);
    held.cells.j = global(held.cells.j);
    held.contact += static_cast<int>(first_contact);
    state->patches.held.push_back(held);
  }
  state->patches.undefined_normals += group.patches.undefined_normals;
  state->ledger.Add(group.ledger);
  for (std::size_t k = 0; k < group.joint_readings.size(); ++k) {
    state->joints[static_cast<std::size_t>(group.joints[k].joint)] = group.joint_readings[k];
  }
  state->joint_error = std::max(state->joint_error, group.joint_error);
  for (const EnergyGain& gain : group.gains) {
    if (state->gains.size() < kMostGains) state->gains.push_back(gain);
  }
  for (const ArrestRecord& arrest : group.arrests) {
    if (state->arrests.size() < kMostGains) state->arrests.push_back(arrest);
  }
}

}  // namespace intervox::host
