// Contacts of a stage: given to the solver, and added to the rates and powers.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

/** Powers are compared with the sum of their magnitudes and with what the force does at rest. */
constexpr double kRounding = 1e-12;
constexpr double kRestSpeed = 1e-3;  // [m/s]
/** What the elastic work of a contact may err by, in shares of what its own damping takes: stages
 of a heavily damped contact integrate both coarsely. */
constexpr double kDampingError = 0.02;

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

/** The active contacts as the solver takes them, states at y*. */
void GroupStage::GatherContacts(std::span<const double> y, bool only_new) {
  s_.contact_of.clear();
  const std::span<Contact> contacts = s_.patches.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Contact& contact = contacts[c];
    if (!contact.active) {
      contact.solved = false;
      contact.f_n = 0.0;
      contact.force = contact.torque = Vec3{};
      continue;
    }
    if (only_new && contact.solved) continue;
    s_.contact_of.push_back(c);
  }
  s_.contacts.resize(s_.contact_of.size());
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const std::size_t c = s_.contact_of[k];
    const Contact& contact = contacts[c];
    StageContact& out = s_.contacts[k];
    out = {};
    out.body_i = contact.body_i;
    out.body_j = contact.body_j;
    out.model = rules_.Rule(contact.body_i, contact.body_j).model.get();
    out.geometry = contact.geometry;
    out.latch = contact.latch;
    out.state = contact.state + layout_.Slot(y, c);
    out.f_n = contact.f_n;
    out.force = contact.force;
    out.torque = contact.torque;
  });
  FindQuadratures();
}

/** Adds a contact's wrench to the rates of its bodies, and to the work of driven ones. */
void GroupStage::AddWrench(const Contact& contact, std::span<double> rate,
                           std::span<double> power) const {
  const Vec3& a = contact.geometry.p_WC;
  const auto act = [&](int body, double sign) {
    const auto b = static_cast<std::size_t>(body);
    const Vec3 force = sign * contact.force;
    const int f = group_.row_of[b];
    if (f >= 0) {
      double* row = StateLayout::Momentum(rate, static_cast<std::size_t>(f));
      const Vec3 moment = Cross(a - Body(b).p_WM, force) + sign * contact.torque;
      WriteVec3(ReadVec3(row) + force, row);
      WriteVec3(ReadVec3(row + 3) + moment, row + 3);
    } else {
      // What the contact gives to a driven body, its drive has to take out.
      const StageBody& driven = s_.bodies[b];
      power[kDrivenWork] -= Dot(force, driven.v + Cross(driven.w, a - driven.p_WM)) +
                            sign * Dot(contact.torque, driven.w);
    }
  };
  act(contact.body_i, 1.0);
  act(contact.body_j, -1.0);
}

/** Wrenches, rates and powers of the contacts, from the solver's. */
void GroupStage::StoreContacts(std::span<double> rate, std::span<double> power) {
  const std::span<Contact> contacts = s_.patches.contacts;
  std::atomic<std::int64_t> creating{0};
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    const StageContact& out = s_.contacts[k];
    const std::size_t c = s_.contact_of[k];
    Contact& contact = contacts[c];
    contact.f_n = out.f_n;
    contact.force = out.force;
    contact.torque = out.torque;
    contact.rate = out.rate;
    contact.power = out.power;
    contact.solved = true;
    if (Creates(out)) ++creating;
    contact.relaxation_power = 0.0;
    if (out.rate.V_o != 0.0 && HasDirection(out.geometry.S, out.geometry.V)) {
      // The offset falls: at rest, V_r grows by −V̇_o as if pressed in by −V̇_o/|S|.
      const double V_r = std::fmax(0.0, out.geometry.V - out.state.V_o);
      const double S = Norm(out.geometry.S);
      const double f_e = out.model->Force(V_r, S, out.latch).f_e;
      contact.relaxation_power = -f_e * out.rate.V_o / S;
    }
  });
  counters().creating_contacts += creating;
  for (const std::size_t c : s_.contact_of) AddContact(c, rate, power);
}

/** Adds what a contact has to the rates and powers. */
void GroupStage::AddContact(std::size_t c, std::span<double> rate, std::span<double> power) const {
  const Contact& contact = s_.patches.contacts[c];
  layout_.SetSlot(contact.rate, rate, c);
  AddWrench(contact, rate, power);
  if (!rules_.Rule(contact.body_i, contact.body_j).model->HasPotential()) {
    power[kElasticWork] += contact.power.elastic;
  }
  power[kNormalLoss] += contact.power.normal;
  power[kBoundLoss] += contact.power.bound;
  power[kFrictionWork] += contact.power.friction;
  power[kSpinningWork] += contact.power.spinning;
  power[kRollingLoss] += contact.power.rolling;
  power[kBristleStored] += contact.power.bristle;
  power[kSpinStored] += contact.power.bristle_spin;
  power[kRelaxationWork] += contact.relaxation_power;
  power[StateLayout::BristleQuadrature(c)] = contact.power.bristle;
  const ContactPower& p = contact.power;
  power[StateLayout::FoundationQuadrature(c)] =
      contact.relaxation_power - p.elastic + p.bound + kDampingError * (p.normal - p.bound);
}

void GroupStage::Forces(double t, double h_gamma, std::span<double> y, std::span<double> rate,
                        std::span<double> power) {
  std::fill(power.begin(), power.end(), 0.0);
  SetStageBodies(t, h_gamma, y);
  AddHolders(t, h_gamma);
  if (substep_.adaptive) FollowApproach();
  GatherContacts(y, false);
  if (h_gamma > 0.0) SetJoints(t);
  SolveVelocities(h_gamma);
  StoreLoads(rate);
  StoreContacts(rate, power);
  if (h_gamma > 0.0) {
    StoreJoints(rate, power);
  } else {
    SolveJointForces(t, rate, power);
  }
  // y from the rates: what bodies gain is what the wrenches gave, to rounding.
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += h_gamma * rate[k];
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
  for (std::size_t c = 0; c < s_.patches.contacts.size(); ++c) {
    if (s_.patches.contacts[c].active) AddContact(c, s_.first_rate, s_.first_power);
  }
  SolveJointForces(substep_.start, s_.first_rate, s_.first_power);
  AddAppliedPower(0.0, s_.y, s_.first_power);
}

void GroupStage::SolveNewContacts() {
  // Without a guess the result is a function of the state alone.
  for (Contact& contact : s_.patches.contacts) {
    if (contact.solved) continue;
    contact.f_n = 0.0;
    contact.force = contact.torque = Vec3{};
  }
  s_.first_rate.resize(s_.y.size());
  s_.first_power.assign(s_.a.size(), 0.0);
  SetStageBodies(substep_.start, 0.0, s_.y);
  GatherContacts(s_.y, true);
  host::SolveStage(0.0, s_.bodies, s_.contacts);
  StoreContacts(s_.first_rate, s_.first_power);
}

}  // namespace intervox::host
