#include "host/simulation/accept.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>

#include "host/contact/prefetch.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/joint_steps.h"
#include "host/simulation/passivity.h"

namespace intervox::host {

namespace {

/** Depths that differ by this share are the same but for rounding. */
constexpr double kSameDepth = 1e-9;
/** Points weigh no less than this share of what they should. */
constexpr double kLeastShare = 1e-6;

}  // namespace

void SolveNewContacts(const StageTools& tools, BodyGroup* group, StageScratch* scratch) {
  const bool known =
      std::all_of(group->patches.contacts.begin(), group->patches.contacts.end(),
                  [](const Contact& contact) { return contact.solved || !contact.active; });
  if (known) return;
  const Substep none{group->time, 0.0, false, false};
  GroupStage stage(tools, *group, none, scratch);
  stage.LoadState();
  stage.SolveNewContacts();
  std::swap(group->patches, scratch->patches);
}

namespace {

void MoveBodies(const StageTools& tools, double t, const StageScratch& scratch, BodyGroup* group) {
  ForEach(group->free.size(), scratch.threads, [&](std::size_t f) {
    MoveToEnd(f, scratch, &group->state[static_cast<std::size_t>(group->free[f])]);
  });
  group->time = t;
  SetVelocities(*tools.world, group, scratch.threads);
}

/** Moves what a contact's law remembers of the depth, where it has one. What the contact stores
 less by it has been lost in pressing, h being the time since the state before [s]. */
void MoveMemory(const ContactModel& model, double v_n, double h, Contact* contact,
                EnergyLedger* ledger) {
  const PatchGeometry& g = contact->geometry;
  const double V_o = contact->accepted.V_o, V_max = contact->latch.V_max;
  const double before = ElasticEnergy(model, g, contact->latch, V_o);
  model.Remember(std::fmax(0.0, g.V - V_o), -Norm(g.S) * v_n, h, &contact->latch);
  if (contact->latch.V_max == V_max) return;
  double lost = before - ElasticEnergy(model, g, contact->latch, V_o);
  // In shares: of a small rest, what stages err by in all of the work must not make it short.
  if (before > 0.0) {
    const double share = lost / before;
    double& account = contact->foundation_energy;
    // What was never put in cannot be lost.
    if (model.IsBounded()) lost = share * std::fmin(before, std::fmax(0.0, account));
    if (account > 0.0) account *= 1.0 - share;  // a debt stays
  }
  ledger->elastic -= lost;
  ledger->work[kNormalLoss] += lost;
  contact->solved = false;
}

/** Takes over the weights that the points of two cells have now. Of points of one depth the sum
 stays; of others the potential that the weights make is not in the forces. What the points then
 store less is lost. More they may store by what normal damping has taken before, and else all weigh
 less than they should by one share: moving weights gives no energy. */
void MoveWeightsOf(const GroupRules& rules, std::span<Contact* const> points,
                   EnergyLedger* ledger) {
  const ContactModel& model = *rules.Rule(points[0]->body_i, points[0]->body_j).model;
  const bool has_moved = std::any_of(points.begin(), points.end(), [](const Contact* point) {
    return point->latch.form != point->geometry.weight;
  });
  if (!has_moved || model.normal->FollowsCurvature()) return;
  const auto stored = [&] {
    double sum = 0.0;
    for (const Contact* point : points) {
      sum += ElasticEnergy(model, point->geometry, point->latch, point->accepted.V_o);
    }
    return sum;
  };
  const double before = stored();
  for (Contact* point : points) {
    point->solved = point->solved && point->latch.form == point->geometry.weight;
    point->latch.form = point->geometry.weight;
  }
  double after = stored();
  const double most = before + std::fmax(0.0, ledger->work[kNormalLoss]);
  if (after > most) {
    const double share = std::fmax(kLeastShare, most / after);
    for (Contact* point : points) {
      point->latch.form *= share;
      point->solved = false;
    }
    after *= share;
  }
  ledger->elastic -= before - after;
  ledger->work[kNormalLoss] += before - after;
}

/** Moves the weights of all points. */
void MoveWeights(const GroupRules& rules, BodyGroup* group) {
  if (!rules.HavePoints()) return;
  thread_local std::vector<Contact*> points;
  Patches& patches = group->patches;
  for (std::size_t begin = 0, end = 0; begin < patches.held.size(); begin = end) {
    points.clear();
    for (;
         end < patches.held.size() && SameCells(patches.held[end].cells, patches.held[begin].cells);
         ++end) {
      Contact& contact = patches.contacts[static_cast<std::size_t>(patches.held[end].contact)];
      if (contact.active && contact.geometry.is_point) points.push_back(&contact);
    }
    if (!points.empty()) MoveWeightsOf(rules, points, &group->ledger);
  }
}

/** Remembers the form at the accepted state. */
void KeepForm(Contact* contact) {
  contact->accepted_form = contact->latch.form;
  contact->weight_share = contact->latch.form / contact->geometry.weight;
}

/** Latches a contact at the accepted state. A latch that moves changes the contact's force. */
void MoveLatch(const ContactModel& model, bool on_purpose, double v_n, Contact* contact) {
  if (contact->latched) {
    const double a = contact->latch.a;
    model.Accept(v_n, &contact->latch);
    if (contact->latch.a != a) contact->solved = false;
    return;
  }
  model.Begin(contact->geometry.V, v_n, on_purpose, &contact->latch, &contact->accepted);
  model.BeginForm(contact->geometry, &contact->latch);
  contact->latched = true;
  contact->solved = false;
}

/** Whether two points of two cells were and are of one depth, as those are that lie beside the
 deepest of a ring on either side and run along it as it turns. */
bool AreTwins(const Contact& a, const Contact& b) {
  const auto same = [](double x, double y) { return std::fabs(x - y) <= kSameDepth * (x + y); };
  return same(a.geometry.V, b.geometry.V) && same(a.latch.V_last, b.latch.V_last) &&
         Dot(a.geometry.n, b.geometry.n) > 1.0 - kSameDepth;
}

/** Gives twins the mean of their approach velocities, which is that of their depth: each by itself
 approaches faster or slower than it deepens. */
void ShareApproach(const Patches& patches, std::span<const char> remembers,
                   std::vector<double>* v_n) {
  thread_local std::vector<double> own;
  own = *v_n;
  for (std::size_t begin = 0, end = 0; begin < patches.held.size(); begin = end) {
    while (end < patches.held.size() &&
           SameCells(patches.held[end].cells, patches.held[begin].cells)) {
      ++end;
    }
    for (std::size_t k = begin; end - begin > 1 && k < end; ++k) {
      const auto c = static_cast<std::size_t>(patches.held[k].contact);
      if (remembers[c] == 0 || !patches.contacts[c].geometry.is_point) continue;
      double sum = 0.0;
      int twins = 0;
      for (std::size_t l = begin; l < end; ++l) {
        const auto d = static_cast<std::size_t>(patches.held[l].contact);
        if (remembers[d] == 0 || !AreTwins(patches.contacts[c], patches.contacts[d])) continue;
        sum += own[d];
        ++twins;
      }
      (*v_n)[c] = sum / twins;
    }
  }
}

/** Latches the speed with which the load of a contact that lasts presses it, once that of its
 impact is forgotten. */
void FollowLoad(const World& world, const ContactModel& model, const BodyGroup& group, double v_n,
                double h, Contact* contact) {
  if (model.latch != ContactModel::Latch::kLoad || contact->phase != ContactPhase::kAccepted) {
    return;
  }
  const double a = contact->latch.a;
  double rate = 0.0;
  const double speed = LoadSpeed(world, model, group, *contact, &rate);
  model.FollowLoad(speed, &contact->latch);
  if (speed > 0.0) {
    model.Forget(v_n, speed, h * rate / (2.0 * std::numbers::pi), &contact->latch);
  }
  contact->solved = contact->solved && contact->latch.a == a;
}

/** Moves the latches of contacts as they were grouped in the substep, h after the state before [s].
 */
void MoveLatches(const World& world, const GroupRules& rules, double h, BodyGroup* group,
                 StageScratch* scratch) {
  MoveWeights(rules, group);
  std::vector<Contact>& contacts = group->patches.contacts;
  scratch->flags.assign(contacts.size(), 0);
  ForEach(contacts.size(), scratch->threads, [&](std::size_t c) {
    PrefetchAhead(c, contacts.size(), [&](std::size_t soon) { return &contacts[soon]; });
    if (!contacts[c].active) return;
    const ContactModel& model = *rules.Rule(contacts[c].body_i, contacts[c].body_j).model;
    const double v = ApproachVelocity(*group, contacts[c]);
    MoveLatch(model, false, v, &contacts[c]);
    FollowLoad(world, model, *group, v, h, &contacts[c]);
    scratch->flags[c] = model.normal->Remembers();
  });
  const bool none = std::none_of(scratch->flags.begin(), scratch->flags.end(),
                                 [](char remembers) { return remembers != 0; });
  if (none) return;
  thread_local std::vector<double> v_n;
  v_n.assign(contacts.size(), 0.0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (scratch->flags[c] != 0) v_n[c] = ApproachVelocity(*group, contacts[c]);
  }
  ShareApproach(group->patches, scratch->flags, &v_n);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (scratch->flags[c] == 0) continue;
    const ContactModel& model = *rules.Rule(contacts[c].body_i, contacts[c].body_j).model;
    MoveMemory(model, v_n[c], h, &contacts[c], &group->ledger);
  }
}

/** Refuses contacts whose stiffness is to come from curvatures that Hertz' law is not for. */
void CheckForms(const World& world, const BodyGroup& group) {
  for (const Contact& contact : group.patches.contacts) {
    if (contact.latch.form > 0.0) continue;
    const auto name = [&](int body) {
      const int b = group.bodies[static_cast<std::size_t>(body)];
      return world.scene.bodies[static_cast<std::size_t>(b)].name;
    };
    throw std::runtime_error(
        "t = " + std::to_string(group.time) + " s: bodies " + name(contact.body_i) + " and " +
        name(contact.body_j) +
        " touch at an edge, at a corner, along a line or on flats, where Hertz' law has no "
        "stiffness. Give their contact model normal.stiffness, or normal.radius.");
  }
}

/** How fast the lever of a contact's wrench on its free bodies has moved over the last `h`. */
void WatchLever(double h, const BodyGroup& group, Contact* contact) {
  double speed = HUGE_VAL;
  for (const int body : {contact->body_i, contact->body_j}) {
    const auto b = static_cast<std::size_t>(body);
    if (group.row_of[b] < 0) continue;
    const PatchGeometry& g = contact->geometry;
    const Vec3 arm = g.p_WC - group.state[b].p_WM;
    const Vec3 lever = arm - Dot(arm, g.n) * g.n;
    Vec3& before = body == contact->body_i ? contact->lever_i : contact->lever_j;
    if (contact->has_lever && h > 0.0) speed = std::fmin(speed, Norm(lever - before) / h);
    before = lever;
  }
  contact->lever_speed = speed;
  contact->has_lever = true;
}

/** Records the flagged contacts. */
void RecordImpacts(const World& world, BodyGroup* group, StageScratch* scratch) {
  std::vector<Contact>& contacts = group->patches.contacts;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (scratch->flags[c] == 0) continue;
    Contact& contact = contacts[c];
    if (contact.phase == ContactPhase::kFresh) {
      contact.phase = ContactPhase::kAccepted;
      if (contact.latch.v_i > OnsetSpeed(world, *group, contact.body_i, contact.body_j)) {
        contact.impact = kNewImpact - static_cast<std::int64_t>(group->impacts.size());
        group->impacts.push_back(
            {contact.since, contact.body_i, contact.body_j, contact.latch.v_i, 0.0});
      }
    }
    if (contact.impact != -1) group->peaks.emplace_back(contact.impact, contact.f_n);
  }
}

/** Has points begin without energy that no stage has had room for: they act from where they are. */
void BeginUnseenPoints(const GroupRules& rules, std::vector<Contact>* contacts) {
  for (Contact& contact : *contacts) {
    if (contact.latched || !contact.geometry.is_point) continue;
    if (!rules.Rule(contact.body_i, contact.body_j).patches.born_in_stages) continue;
    contact.latch.offset += contact.geometry.V;
    contact.geometry.V = 0.0;
  }
}

/** Takes the grouping of the scratch's cell pairs into the accepted contacts.
 @param sees_points  of those that are new a stage has had all but what it had no room for */
void Regroup(const StageTools& tools, const GroupRules& rules, bool on_purpose, bool sees_points,
             double h, BodyGroup* group, StageScratch* scratch) {
  const PatchChanges changes = Accept(rules, scratch->active, scratch->grouping, group->time,
                                      &group->patches, &scratch->grouping_scratch);
  group->ledger.bristle_lost += changes.bristle_energy_lost;
  std::vector<Contact>& contacts = group->patches.contacts;
  if (sees_points && rules.HavePoints()) BeginUnseenPoints(rules, &contacts);
  MoveWeights(rules, group);
  scratch->flags.resize(contacts.size());
  std::atomic<std::int64_t> bounded{0};
  std::atomic<bool> has_forms{true}, solved{true};
  ForEach(contacts.size(), scratch->threads, [&](std::size_t c) {
    PrefetchAhead(c, contacts.size(), [&](std::size_t soon) { return &contacts[soon]; });
    Contact& contact = contacts[c];
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (contact.active) {
      MoveLatch(model, on_purpose, ApproachVelocity(*group, contact), &contact);
    }
    KeepForm(&contact);
    if (!(contact.latch.form > 0.0)) has_forms = false;
    if (model.IsBounded() && BoundContact(tools, model, h, *group, &contact)) ++bounded;
    WatchLever(h, *group, &contact);
    if (!contact.solved && contact.active) solved = false;
    scratch->flags[c] = contact.phase == ContactPhase::kFresh || contact.impact != -1;
  });
  if (!has_forms) CheckForms(*tools.world, *group);
  scratch->counters.bounded_contacts += bounded;
  if (!solved) {
    SolveNewContacts(tools, group, scratch);
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      scratch->flags[c] = contacts[c].phase == ContactPhase::kFresh || contacts[c].impact != -1;
    }
  }
  RecordImpacts(*tools.world, group, scratch);
}

}  // namespace

void AcceptSubstep(const StageTools& tools, const Substep& substep, double t, BodyGroup* group,
                   StageScratch* scratch) {
  const GroupRules rules(*tools.world, *group);
  const StateLayout layout{group->free.size(), 0};
  std::swap(group->patches, scratch->patches);
  ForEach(group->patches.contacts.size(), scratch->threads, [&](std::size_t c) {
    Contact& contact = group->patches.contacts[c];
    contact.accepted = contact.accepted + layout.Slot(scratch->y, c);
    contact.bristle_energy += scratch->a[StateLayout::BristleQuadrature(c)];
    // The last stage of an explicit scheme is not its result.
    if (!tools.IsImplicit()) contact.solved = false;
  });
  MoveBodies(tools, t, *scratch, group);
  // Latches first as the contacts were grouped until now: a patch that merges brings its own.
  MoveLatches(*tools.world, rules, substep.length, group, scratch);
  Regroup(tools, rules, false, !substep.adaptive, substep.length, group, scratch);
}

void StartGroup(const StageTools& tools, BodyGroup* group, StageScratch* scratch) {
  const GroupRules rules(*tools.world, *group);
  const Substep none{group->time, 0.0, false, false};
  GroupStage stage(tools, *group, none, scratch);
  stage.FindPairs();
  Evaluate(rules, scratch->active, group->patches.contacts.size(), &group->patches,
           &scratch->grouping_scratch);
  for (Contact& contact : group->patches.contacts) contact.solved = false;
  Group(rules, scratch->active, &scratch->grouping_scratch, &scratch->grouping);
  Regroup(tools, rules, true, false, 0.0, group, scratch);
  ReadJoints(tools, group, scratch);
}

}  // namespace intervox::host
