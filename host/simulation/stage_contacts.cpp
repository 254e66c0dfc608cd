// Contacts of a stage: given to the solver, and added to the rates and powers.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "host/contact/prefetch.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/passivity.h"
#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

/** Powers are compared with the sum of their magnitudes and with what the force does at rest. */
constexpr double kRounding = 1e-12;
constexpr double kRestSpeed = 1e-3;  // [m/s]

/** Whether a power that must dissipate creates energy, beyond its terms' rounding: of a body at
 rest there is nothing else. */
bool Creates(const StageContact& contact) {
  const ContactPower& p = contact.power;
  const double sliding = p.friction - (p.bristle - p.bristle_spin);
  const double worst = std::min({p.normal, sliding, p.spinning - p.bristle_spin, p.rolling});
  const double scale = std::fabs(p.elastic) + std::fabs(p.normal) + std::fabs(p.friction) +
                       std::fabs(p.spinning) + std::fabs(p.rolling) + std::fabs(p.bristle) +
                       Norm(contact.force) * kRestSpeed;
  return worst < -kRounding * scale;
}

}  // namespace

/** Makes the active contacts ready for the solver, states at y*. In a group of many bodies the
 wrenches go on by themselves for a first guess, which saves a sweep of most stages; what their
 rates lack is added once the wrenches are known. */
void GroupStage::GatherContacts(double t, std::span<const double> y, bool only_new) {
  const std::span<Contact> contacts = s_.patches.contacts;
  const double ahead = t - s_.solved_at;  // 0: a stage that has moved
  if (ahead != 0.0) s_.solved_for = ahead;
  s_.solved_at = t;
  const double by = PerStage();
  s_.flags.resize(contacts.size());
  ForEach(contacts.size(), [&](std::size_t c) {
    Contact& contact = contacts[c];
    s_.flags[c] = contact.active && !(only_new && contact.solved);
    if (contact.active) return;
    contact.solved = false;
    contact.f_n = 0.0;
    contact.force = contact.torque = contact.force_rate = contact.torque_rate = Vec3{};
  });
  s_.contact_of.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (s_.flags[c] != 0) s_.contact_of.push_back(c);
  }
  s_.contacts.resize(s_.contact_of.size());
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const std::size_t c = s_.contact_of[k];
    PrefetchAhead(k, s_.contacts.size(),
                  [&](std::size_t soon) { return &contacts[s_.contact_of[soon]]; });
    Contact& contact = contacts[c];
    s_.contacts[k] = &contact;
    contact.model = rules_.Rule(contact.body_i, contact.body_j).model.get();
    contact.patch = nullptr;
    contact.moved = contact.turned = Vec3{};
    contact.depth_power = 0.0;
    if (c < s_.last_overlaps.size()) {
      const LastOverlap& last = s_.last_overlaps[c];
      contact.moved = last.moved;
      contact.turned = last.turned;
      contact.depth_power = last.power;
    }
    s_.contacts[k]->state = contact.accepted + layout_.Slot(y, c);
    if (!HasManyBodies()) {
      contact.rate = PatchState{};
      return;
    }
    const auto go_on = [&](Vec3* wrench, Vec3* rate) {
      const Vec3 guess = *wrench + ahead * *rate;
      *rate = (ahead != 0.0 ? Vec3{} : *rate) - by * *wrench;
      *wrench = guess;
    };
    go_on(&contact.force, &contact.force_rate);
    go_on(&contact.torque, &contact.torque_rate);
  });
  FindQuadratures();
}

/** A contact's wrench on its bodies; adds its work on driven ones. */
ContactEffect GroupStage::EffectOf(const Contact& contact, std::span<double> power) const {
  const Vec3& a = contact.geometry.p_WC;
  ContactEffect effect;
  effect.force = contact.force;
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1.0 : -1.0;
    const auto b = static_cast<std::size_t>(side == 0 ? contact.body_i : contact.body_j);
    const Vec3 force = sign * contact.force;
    effect.row[side] = group_.row_of[b];
    if (effect.row[side] >= 0) {
      effect.moment[side] = Cross(a - Body(b).p_WM, force) + sign * contact.torque;
      continue;
    }
    if (Body(b).kind != BodyKind::kDriven) continue;
    // What the contact gives to a driven body, its drive has to take out.
    const StageBody& driven = s_.bodies[b];
    power[kDrivenWork] -= Dot(force, driven.v + Cross(driven.w, a - driven.p_WM)) +
                          sign * Dot(contact.torque, driven.w);
  }
  return effect;
}

/** Adds what acting contacts have to the rates and powers, calling before(k) for the k-th of them
 first. Bodies take it in the contacts' order. */
template <class Before>
void GroupStage::AddContacts(std::span<const std::size_t> acting, std::span<const Contact> contacts,
                             const Before& before, std::span<double> rate,
                             std::span<double> power) {
  s_.effects.resize(acting.size());
  s_.powers.assign(RangesOf(acting.size()), {});
  const auto add = [&](std::size_t k, std::span<double> sum) {
    const std::size_t c = acting[k];
    const Contact& contact = contacts[c];
    layout_.SetSlot(contact.rate, rate, c);
    s_.effects[k] = EffectOf(contact, sum);
    const ContactPower& p = contact.power;
    if (!rules_.Rule(contact.body_i, contact.body_j).model->HasPotential()) {
      sum[kElasticWork] += p.elastic;
    }
    sum[kNormalLoss] += p.normal;
    sum[kBoundLoss] += p.bound;
    sum[kFrictionWork] += p.friction;
    sum[kSpinningWork] += p.spinning;
    sum[kRollingLoss] += p.rolling;
    sum[kBristleStored] += p.bristle;
    sum[kSpinStored] += p.bristle_spin;
    sum[kRelaxationWork] += contact.relaxation_power;
    power[StateLayout::BristleQuadrature(c)] = p.bristle;
    power[StateLayout::FoundationQuadrature(c)] = FoundationPower(contact);
  };
  host::ForRanges(
      acting.size(), s_.threads, [&](std::size_t r, std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          PrefetchAhead(k, end, [&](std::size_t soon) { return &contacts[acting[soon]]; });
          before(k);
          add(k, s_.powers[r]);
        }
      });
  for (const ContactEffect& effect : s_.effects) {
    for (int side = 0; side < 2; ++side) {
      if (effect.row[side] < 0) continue;
      double* row = StateLayout::Momentum(rate, static_cast<std::size_t>(effect.row[side]));
      const Vec3 force = side == 0 ? effect.force : -effect.force;
      WriteVec3(ReadVec3(row) + force, row);
      WriteVec3(ReadVec3(row + 3) + effect.moment[side], row + 3);
    }
  }
  for (const auto& part : s_.powers) {
    for (std::size_t q = 0; q < kQuadratures; ++q) power[q] += part[q];
  }
}

/** Adds the contacts that have been solved for to the rates and powers; notes their frequencies,
 and whether one of them Misses. */
void GroupStage::StoreContacts(double h_gamma, std::span<double> rate, std::span<double> power) {
  const std::span<Contact> contacts = s_.patches.contacts;
  const double by = PerStage();
  std::atomic<std::int64_t> creating{0};
  std::atomic<bool> misses{false};
  s_.frequencies.resize(s_.contacts.size());
  const auto store = [&](std::size_t k) {
    Contact& contact = contacts[s_.contact_of[k]];
    if (HasManyBodies()) {
      contact.force_rate += by * contact.force;
      contact.torque_rate += by * contact.torque;
    }
    contact.solved = true;
    if (Creates(contact)) ++creating;
    contact.relaxation_power = 0.0;
    const PatchGeometry& g = contact.geometry;
    if (contact.rate.V_o != 0.0 && HasDirection(g.S, g.V)) {
      // The offset falls: at rest, V_r grows by −V̇_o as if pressed in by −V̇_o/|S|.
      const double V_r = std::max(0.0, g.V - s_.contacts[k]->state.V_o);
      const double S = Norm(g.S);
      const double f_e = contact.model->Force(V_r, S, contact.latch).f_e;
      contact.relaxation_power = -f_e * contact.rate.V_o / S;
    }
    s_.frequencies[k] = Frequency(*contact.model, g, contact.latch,
                                  s_.bodies[static_cast<std::size_t>(contact.body_i)],
                                  s_.bodies[static_cast<std::size_t>(contact.body_j)]);
    if (h_gamma > 0.0 && !misses && Misses(k, h_gamma)) misses = true;
  };
  AddContacts(s_.contact_of, contacts, store, rate, power);
  misses_ = misses;
  counters().creating_contacts += creating;
}

void GroupStage::Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
                        std::span<double> power) {
  ForRanges(power.size(), [&](std::size_t begin, std::size_t end) {
    std::fill(power.data() + begin, power.data() + end, 0.0);
  });
  SetStageBodies(t, h_gamma, y);
  AddHolders(t, h_gamma);
  if (substep_.adaptive) FollowApproach();
  GatherContacts(t, y, false);
  if (h_gamma > 0.0) SetJoints(t);
  SolveVelocities(h_gamma);
  StoreLoads(rate);
  StoreContacts(h_gamma, rate, power);
  if (h_gamma > 0.0) {
    StoreJoints(rate, power);
  } else {
    SolveJointForces(t, rate, power);
  }
  // y from the rates: what bodies gain is what the wrenches gave, to rounding.
  ForEach(VelocitiesInUse(y.size()), [&](std::size_t k) { y[k] += h_gamma * rate[k]; });
  AddAppliedPower(h_gamma, y, power);
}

void GroupStage::LoadFirstStage() {
  s_.first_rate.resize(s_.y.size());
  s_.first_power.assign(s_.a.size(), 0.0);
  SetStageBodies(substep_.start, 0.0, s_.y);
  AddHolders(substep_.start, 0.0);
  for (std::size_t k = 0; k < s_.holders.size(); ++k) {
    EvaluateHolder(s_.bodies[s_.holder_bodies[k]], &s_.holders[k]);
  }
  StoreLoads(s_.first_rate);
  const std::span<const Contact> contacts = group_.patches.contacts;
  s_.flags.resize(contacts.size());
  ForEach(contacts.size(), [&](std::size_t c) { s_.flags[c] = contacts[c].active; });
  s_.acting.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (s_.flags[c] != 0) s_.acting.push_back(c);
  }
  AddContacts(
      s_.acting, contacts, [](std::size_t /*k*/) {}, s_.first_rate, s_.first_power);
  SolveJointForces(substep_.start, s_.first_rate, s_.first_power);
  AddAppliedPower(0.0, s_.y, s_.first_power);
}

void GroupStage::SolveNewContacts() {
  // Without a guess the result is a function of the state alone.
  ForEach(s_.patches.contacts.size(), [&](std::size_t c) {
    Contact& contact = s_.patches.contacts[c];
    if (contact.solved) return;
    contact.f_n = 0.0;
    contact.force = contact.torque = contact.force_rate = contact.torque_rate = Vec3{};
  });
  s_.first_rate.resize(s_.y.size());
  s_.first_power.assign(s_.a.size(), 0.0);
  SetStageBodies(substep_.start, 0.0, s_.y);
  GatherContacts(substep_.start, s_.y, true);
  host::SolveStage(0.0, s_.bodies, s_.contacts);
  StoreContacts(0.0, s_.first_rate, s_.first_power);
}

}  // namespace intervox::host
