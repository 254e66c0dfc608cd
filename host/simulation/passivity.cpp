#include "host/simulation/passivity.h"

#include <algorithm>
#include <cmath>

#include "host/contact/patch_depth.h"
#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** Share of U below which an account is short. */
constexpr double kBacked = 0.97;
/** The speed at which an empty account gives no force, in shares of the speed ω V/|S| that U would
 give to the bodies. */
constexpr double kCreep = 0.05;
/** The same of contacts that IsPaidFor, where substeps are implicit: explicit methods err by
 dampers that are as strong. */
constexpr double kCreepOfPaid = 0.01;
/** Stages of a trial that does not resolve a contact are believed where the trapezoid of the powers
 at the trial's ends differs from them by this share of the larger power at most: the contact does
 not swing, it slides or is pressed as its loads move. */
constexpr double kSteady = 0.2;
/** What the elastic work of a contact may err by, in shares of what its own damping takes: stages
 of a heavily damped contact integrate both coarsely. */
constexpr double kDampingError = 0.02;
/** An account forgets in this time what the law drew from it, so that small amounts, as at each
 turn of a part that rolls, need not add up [s]. */
constexpr double kForgets = 100.0;

/** U, what pressing into an overlap of this depth takes at least: that of a face of even depth. */
double AtLeast(const ContactModel& model, const Contact& contact) {
  const PatchGeometry& g = contact.geometry;
  const double S = Norm(g.S), V_r = std::fmax(0.0, g.V - contact.accepted.V_o);
  if (!(V_r > 0.0)) return 0.0;
  if (model.normal->HasCurve()) {
    return g.turn * WorkOf(model.normal->Curve(contact.latch), V_r, 1.0) * MeanDepth(g, S) / g.V;
  }
  return 0.5 * g.turn * model.Force(V_r, S, contact.latch).f_e * (V_r / g.V) * MeanDepth(g, S);
}

/** What a contact holds by its overlap. */
double ByOverlap(const ContactModel& model, const Contact& contact) {
  return ElasticEnergy(model, contact.geometry, contact.latch, contact.accepted.V_o);
}

/** How far a spring of the contact's slope is pressed by what it holds, in shares of the depth: 1
 where force is in proportion to depth, e² at Stronge's turn, from which the dent stays. */
double SpringDepth(const ContactModel& model, const Contact& contact) {
  const double V = contact.geometry.V, V_r = std::fmax(0.0, V - contact.accepted.V_o);
  if (!model.normal->HasCurve() || !(V_r > 0.0)) return 1.0;
  const LoadingCurve curve = model.normal->Curve(contact.latch);
  return std::sqrt(2.0 * WorkOf(curve, V_r, 1.0) / SlopeNear(curve, V)) / V;
}

/** The speed that U would give to the bodies. Where walls on several sides press, or all of a body
 is inside the other, S falls to 0: the area is then the one that MeanDepth has the depth of. */
double SpeedOfU(const StageTools& tools, const ContactModel& model, const BodyGroup& group,
                const Contact& contact) {
  const PatchGeometry& g = contact.geometry;
  const double S = Norm(g.S), depth = SpringDepth(model, contact) * MeanDepth(g, S);
  if (!(g.V > 2.0 * S * MeanDepth(g, S))) return Frequency(*tools.world, group, contact) * depth;
  Contact level = contact;
  level.geometry.S = (g.V / MeanDepth(g, S)) * g.n;
  return Frequency(*tools.world, group, level) * depth;
}

/** Whether a contact's foundation takes `work` in a time h, at a power without swings. */
bool IsSteady(const Contact& before, const Contact& after, double work, double h) {
  const double first = h * FoundationPower(before), last = h * FoundationPower(after);
  const double most = kSteady * std::fmax(std::fabs(first), std::fabs(last));
  return std::fabs(work - 0.5 * (first + last)) <= most;
}

}  // namespace

double FoundationPower(const Contact& contact) {
  const ContactPower& p = contact.power;
  return contact.relaxation_power - p.elastic + p.bound + kDampingError * (p.normal - p.bound);
}

bool IsPaidFor(const ContactModel& model) { return model.IsBounded() && model.normal->HasCurve(); }

OverlapChange StoredByOverlap(const ContactModel& model, const Contact* before,
                              const Contact& after) {
  const double then = before != nullptr ? ByOverlap(model, *before) : 0.0;
  const double now = after.pairs > 0 && after.has_normal ? ByOverlap(model, after) : 0.0;
  if (!IsPaidFor(model)) return {now - then, 0.0};
  const double account = before != nullptr ? before->foundation_energy : 0.0;
  const double change = std::fmax(now - then, std::fmin(-account, 0.0));
  return {change, std::fmax(0.0, change) + std::fmax(0.0, account - then)};
}

void ChargeFoundations(const StageTools& tools, const EnergyCheck& check, const BodyGroup& group,
                       double h, StageScratch* scratch) {
  const GroupRules rules(*tools.world, group);
  const std::vector<Contact>& before = group.patches.contacts;
  ForEach(scratch->patches.contacts.size(), scratch->threads, [&](std::size_t c) {
    Contact& contact = scratch->patches.contacts[c];
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (!model.IsBounded()) return;
    const bool acts = contact.pairs > 0 && contact.has_normal;
    const double work = scratch->a[StateLayout::FoundationQuadrature(c)];
    const Contact* then = c < before.size() ? &before[c] : nullptr;
    const bool is_seen = then != nullptr && then->active && then->solved && acts && contact.solved;
    const bool are_believed =
        check.by_stages || (is_seen && !IsPaidFor(model) && IsSteady(*then, contact, work, h));
    if (!are_believed) {
      const OverlapChange stored = StoredByOverlap(model, then, contact);
      contact.foundation_energy += stored.all - check.unpaid * stored.free;
    } else if (acts && !contact.solved && model.relaxation_time == 0.0) {
      contact.foundation_energy += ByOverlap(model, contact);  // it begins with it
    } else {
      contact.foundation_energy += work;
    }
  });
}

bool BoundContact(const StageTools& tools, const ContactModel& model, double h,
                  const BodyGroup& group, Contact* contact) {
  const double held = contact->active ? ByOverlap(model, *contact) : 0.0;
  double& account = contact->foundation_energy;
  if (!std::isfinite(account)) account = held;
  account += std::fmin(1.0, h / kForgets) * std::fmax(0.0, held - account);
  const double U = contact->active ? AtLeast(model, *contact) : 0.0;
  double bound = 0.0;
  const bool is_short = account < kBacked * U;
  if (is_short) {
    const double speed = SpeedOfU(tools, model, group, *contact);
    const double lack = 1.0 - std::fmax(0.0, account) / (kBacked * U);
    const double creep = IsPaidFor(model) && tools.IsImplicit() ? kCreepOfPaid : kCreep;
    bound = speed > 0.0 ? lack / (creep * speed) : 0.0;
  }
  if (bound != contact->latch.bound) {
    contact->latch.bound = bound;
    contact->solved = false;
  }
  return is_short;
}

double Overdraft(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch) {
  const GroupRules rules(*tools.world, group);
  double sum = 0.0;
  for (std::size_t c = 0; c < group.patches.contacts.size(); ++c) {
    const double given = -scratch.a[StateLayout::FoundationQuadrature(c)];
    if (!(given > 0.0)) continue;
    const double account = std::fmax(0.0, group.patches.contacts[c].foundation_energy);
    if (!(given > account)) continue;
    const Contact& contact = scratch.patches.contacts[c];
    if (IsPaidFor(*rules.Rule(contact.body_i, contact.body_j).model)) sum += given - account;
  }
  return sum;
}

bool LacksEnergy(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch) {
  const GroupRules rules(*tools.world, group);
  for (std::size_t c = 0; c < group.patches.contacts.size(); ++c) {
    const Contact& contact = scratch.patches.contacts[c];
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (!model.IsBounded() || !contact.active) continue;
    const double account =
        contact.foundation_energy + scratch.a[StateLayout::FoundationQuadrature(c)];
    if (contact.latch.bound > 0.0 || account < kBacked * AtLeast(model, contact)) return true;
  }
  return false;
}

}  // namespace intervox::host
