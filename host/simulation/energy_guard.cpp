#include "host/simulation/energy_guard.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/simulation/contact_scales.h"
#include "host/simulation/passivity.h"

namespace intervox::host {
namespace {

/** ω times the substep up to which it resolves a contact. */
constexpr double kResolvedPhase = 0.5;
/** A substep may gain these shares of what it moves. */
constexpr double kUnresolvedShare = 1e-3;
constexpr double kResolvedShare = 1e-2;
/** Bodies may gain this share of what has gone through them since the start, in resolved substeps:
 a mode that grows by less than a substep may gain is seen here. */
constexpr double kShareSinceStart = 1e-3;
/** A substep may gain this share of what has gone through the bodies since the start from passive
 contacts that have nothing. Else it is taken from the bodies. */
constexpr double kUnbackedShare = 1e-7;
/** Passive contacts may give this share of what has gone through the bodies since the start before
 what was put into them is seen to be gone. */
constexpr double kOverdraftShare = 1e-4;
/** Rounding of a substep's energies, in shares of their terms. */
constexpr double kRounding = 1e-14;

/** What a law makes in a substep, as normals turn, is below this share of what the substep moves.
 Stages that say more are not believed. */
constexpr double kMostByLaw = 1.0;

/** Between contacts that have a potential all energy is a function of the state, so what a substep
 errs by is known. A scheme of order p, on smooth motion, errs by less than this times (ωτ)^(p+1)
 of what moves; at a kink of the force, by more. */
constexpr double kSmoothShare = 0.1;
/** What else errs: bodies that turn, holders, rounding. */
constexpr double kOtherShare = 1e-10;
/** A contact's force that changes by no more than this factor tells what its law gave. */
constexpr double kSteady = 2.0;

/** Onsets are located to ωτ ≤ 2e-3; (ωτ)² of what moves is stored by then. */
constexpr double kBegunShare = 4e-6;

/** Joints do no work, so between bodies that joints alone hold all energy is a function of the
 state as well. Where light bodies whip round, a substep errs by more than this share of what moves.
 */
constexpr double kJointShare = 1e-5;

/** Elastic energy of contacts [J]. */
struct StoredEnergy {
  double all = 0.0;
  double potential = 0.0;  ///< of those that have one
  double unseen = 0.0;     ///< of the others that have acted at no stage: they begin with it
  double begun = 0.0;      ///< of those with a potential that have acted at no stage
  double rounding = 0.0;
  bool is_paid_for = false;  ///< whether there is a contact that IsPaidFor
};

/** Adds what a contact stores. */
void AddStored(const GroupRules& rules, const Contact& contact, StoredEnergy* sum) {
  if (contact.pairs == 0 || !contact.has_normal) return;
  const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
  const double energy = ElasticEnergy(model, contact.geometry, contact.latch, contact.accepted.V_o);
  sum->all += energy;
  sum->rounding += ElasticEnergyError(model, contact.geometry, contact.latch);
  sum->is_paid_for = sum->is_paid_for || IsPaidFor(model);
  if (model.HasPotential()) {
    sum->potential += energy;
    if (!contact.solved) sum->begun += energy;
  } else if (!contact.solved && model.relaxation_time == 0.0) {
    sum->unseen += energy;  // what relaxes begins without a force
  }
}

/** Sums add(k, &part) over each range of k < count; valid until this thread's next call. */
template <class Sum, class Add>
const std::vector<Sum>& PartSums(std::size_t count, int threads, const Add& add) {
  thread_local std::vector<Sum> kept;
  std::vector<Sum>& parts = kept;
  parts.assign(RangesOf(count), Sum{});
  ForRanges(count, threads, [&](std::size_t r, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) add(k, &parts[r]);
  });
  return parts;
}

StoredEnergy Stored(const StageTools& tools, const BodyGroup& group, const Patches& patches,
                    int threads) {
  const GroupRules rules(*tools.world, group);
  const auto add = [&](std::size_t c, StoredEnergy* sum) {
    AddStored(rules, patches.contacts[c], sum);
  };
  StoredEnergy sum;
  for (const StoredEnergy& part : PartSums<StoredEnergy>(patches.contacts.size(), threads, add)) {
    sum.all += part.all;
    sum.potential += part.potential;
    sum.unseen += part.unseen;
    sum.begun += part.begun;
    sum.rounding += part.rounding;
    sum.is_paid_for = sum.is_paid_for || part.is_paid_for;
  }
  return sum;
}

/** What contacts store after a trial whose stages are not believed. */
OverlapChange ByOverlaps(const StageTools& tools, const BodyGroup& group, const Patches& patches,
                         int threads) {
  const GroupRules rules(*tools.world, group);
  const std::vector<Contact>& known = group.patches.contacts;
  const auto add = [&](std::size_t c, OverlapChange* sum) {
    const Contact& after = patches.contacts[c];
    const Contact* before = c < known.size() ? &known[c] : nullptr;
    const ContactModel& model = *rules.Rule(after.body_i, after.body_j).model;
    const OverlapChange change = StoredByOverlap(model, before, after);
    sum->all += change.all;
    sum->free += change.free;
  };
  OverlapChange sum;
  for (const OverlapChange& part : PartSums<OverlapChange>(patches.contacts.size(), threads, add)) {
    sum.all += part.all;
    sum.free += part.free;
  }
  return sum;
}

/** What the bristles of a group's contacts can give back in a trial [J]: what sliding has put in,
 or what their law says that they hold at the larger of the loads before and after. */
double BristleEnergy(const StageTools& tools, const BodyGroup& group, const Patches& after,
                     int threads) {
  const GroupRules rules(*tools.world, group);
  const auto add = [&](std::size_t c, double* sum) {
    const Contact& contact = group.patches.contacts[c];
    if (contact.pairs == 0) return;
    const double twist = PatchRadius(contact.geometry) * contact.accepted.theta;
    const double load = std::fmax(contact.f_n, after.contacts[c].f_n);
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    *sum +=
        std::fmax(contact.bristle_energy,
                  model.friction->Stored(load, SquaredNorm(contact.accepted.z) + twist * twist));
  };
  double sum = 0.0;
  for (const double part : PartSums<double>(group.patches.contacts.size(), threads, add)) {
    sum += part;
  }
  return sum;
}

/** Kinetic and gravity's energy of a free body before and after a trial [J]. */
struct BodyChange {
  double before = 0.0;  ///< kinetic
  double fall = 0.0;    ///< what gravity gave
  double change = 0.0;  ///< of both
  double rounding = 0.0;
};

BodyChange ChangeOf(const StageTools& tools, const BodyGroup& group, std::size_t f,
                    const StageScratch& scratch) {
  const RigidBody& body = group.state[static_cast<std::size_t>(group.free[f])];
  const Vec3 weight = body.mass * tools.world->scene.gravity;
  RigidBody after = BodyAtEnd(group, f, scratch);
  SetVelocities(&after);
  BodyChange out;
  out.before = KineticEnergy(body);
  out.fall = Dot(weight, after.p_WM - body.p_WM);
  out.change = KineticEnergy(after) - out.before - out.fall;
  out.rounding = kRounding * (out.before + Norm(weight) * Norm(body.p_WM));
  // No better is it known where bodies are put back onto their joints.
  if (!group.joints.empty()) out.rounding += kJointsClosed * Norm(weight);
  return out;
}

/** Whether a trial's error is that of its joints alone. */
bool ErrsByJoints(const BodyGroup& group, const StageScratch& scratch) {
  return !group.joints.empty() && scratch.holder_bodies.empty() && scratch.patches.contacts.empty();
}

/** Whether that error is judged. A scheme of order 1 errs by more, always. */
bool JudgesJoints(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch) {
  return ErrsByJoints(group, scratch) && tools.world->tableau->order > 1;
}

/** What putting joints right took, where nothing but joints makes energy of what the stages have
 made or lost before: a body of little inertia spins by the stages' error, and putting it back takes
 just that.
 @param balance  what the substep errs by in all [J]; @param taken  by putting joints right [J] */
double TakenByJoints(double balance, double taken, bool alone) {
  const double made = balance + taken;
  if (!alone || !(made * taken > 0.0)) return taken;
  return taken - std::copysign(std::fmin(std::fabs(made), std::fabs(taken)), taken);
}

/** Whether a motion drives one of a group's joints: then putting bodies back onto the joint is the
 motion's work, and no error of a trial. */
bool MotionDrivesJoints(const StageTools& tools, const BodyGroup& group) {
  const auto driven = [&](int body) {
    return body >= 0 && group.state[static_cast<std::size_t>(body)].kind == BodyKind::kDriven;
  };
  return std::any_of(group.joints.begin(), group.joints.end(), [&](const GroupJoint& joint) {
    return driven(joint.body_a) || driven(joint.body_b) ||
           !tools.world->joints[static_cast<std::size_t>(joint.joint)].motion.empty();
  });
}

/** What the holders of a group's bodies do in a trial. */
struct HolderChange {
  double before = 0.0, after = 0.0;  ///< stored in springs [J]
  double fastest = 0.0;              ///< frequency [rad/s]
  double rounding = 0.0;             ///< [J]
};

HolderChange HoldersOf(const StageTools& tools, const BodyGroup& group, double length,
                       const StageScratch& scratch) {
  HolderChange out;
  for (const std::size_t b : scratch.holder_bodies) {
    const BodySettings& settings =
        tools.world->scene.bodies[static_cast<std::size_t>(group.bodies[b])];
    const Holder& holder = *settings.holder;
    const RigidBody& body = group.state[b];
    const RigidBody end = BodyAtEnd(group, static_cast<std::size_t>(group.row_of[b]), scratch);
    const auto energy = [&](const RigidBody& at, double t) {
      return EnergyOf(holder, DriveAt(settings, body.input, t),
                      FramePose(at, at.p_WM, ToRotation(at.q_WB)), at.q_WB);
    };
    const HolderEnergy first = energy(body, group.time), last = energy(end, group.time + length);
    out.before += first.stored;
    out.after += last.stored;
    out.rounding += first.rounding + last.rounding;
    out.fastest = std::fmax(out.fastest, FrequencyBound(holder, body));
  }
  return out;
}

/** What a contact's elastic force takes from its bodies while they move from the accepted state to
 a trial's end [J]: its wrench at either end times their motion. Where the force is one of the depth
 that is all that the patch stores more, to third order, also where it swings. */
double WorkIn(const BodyGroup& group, const StageScratch& scratch, const Contact& before,
              double f_before, const Contact& after, double f_after) {
  const auto moved = [&](int body, const Vec3& p, bool from_end) {
    const auto b = static_cast<std::size_t>(body);
    const Pose &start = group.poses[b], &end = scratch.poses[b];
    return from_end ? -WayOfPoint(end, start, p) : WayOfPoint(start, end, p);
  };
  const auto taken = [&](const Contact& at, double f, bool from_end) {
    const Vec3& p = at.geometry.p_WC;
    const Vec3 apart = moved(at.body_i, p, from_end) - moved(at.body_j, p, from_end);
    return -at.geometry.turn * f * Dot(at.geometry.n, apart);
  };
  return 0.5 * (taken(before, f_before, false) + taken(after, f_after, true));
}

/** What the law of a contact gave in a trial [J]; 0 where its force changes too much to tell. */
double GivenByLaw(const GroupRules& rules, const BodyGroup& group, const StageScratch& scratch,
                  const Contact& before, const Contact& after) {
  if (before.pairs == 0 || after.pairs == 0 || !before.has_normal || !after.has_normal) return 0.0;
  const ContactModel& model = *rules.Rule(after.body_i, after.body_j).model;
  if (model.HasPotential() || IsPaidFor(model) || after.geometry.is_point) return 0.0;
  const double V_o = after.accepted.V_o;
  const auto force = [&](const Contact& at) {
    return model.Force(std::fmax(0.0, at.geometry.V - V_o), Norm(at.geometry.S), at.latch).f_e;
  };
  const double f_before = force(before), f_after = force(after);
  if (!(std::fmax(f_before, f_after) <= kSteady * std::fmin(f_before, f_after))) return 0.0;
  return ElasticEnergy(model, after.geometry, after.latch, V_o) -
         ElasticEnergy(model, before.geometry, before.latch, V_o) -
         WorkIn(group, scratch, before, f_before, after, f_after);
}

}  // namespace

double ElasticChange(const StageTools& tools, const BodyGroup& group, const StageScratch& scratch) {
  return scratch.a[kRelaxationWork] - scratch.a[kElasticWork] +
         Stored(tools, group, scratch.patches, scratch.threads).potential -
         Stored(tools, group, group.patches, scratch.threads).potential;
}

EnergyCheck CheckEnergy(const StageTools& tools, const BodyGroup& group, const Substep& substep,
                        double planned, StageScratch* scratch_out) {
  const StageScratch& scratch = *scratch_out;
  std::vector<double>& changes = scratch_out->energy_changes;
  EnergyCheck check;
  const std::vector<double>& a = scratch.a;
  const double by_stages = a[kRelaxationWork] - a[kElasticWork];
  if (group.patches.contacts.empty() && scratch.patches.contacts.empty() &&
      scratch.holder_bodies.empty() && group.joints.empty() && tools.adaptive == nullptr) {
    changes.clear();
    check.resolved = true;
    check.elastic = by_stages;
    check.allowed = check.left = HUGE_VAL;
    return check;
  }
  check.resolved = !substep.dissipative && scratch.fastest * substep.length <= kResolvedPhase;
  double mechanical = 0.0, moved = 0.0, most = -HUGE_VAL;
  EnergyAccount account;
  changes.resize(group.free.size());
  thread_local std::vector<BodyChange> kept;
  std::vector<BodyChange>& bodies = kept;  // this thread's, on all threads
  bodies.resize(group.free.size());
  ForEach(bodies.size(), scratch.threads,
          [&](std::size_t f) { bodies[f] = ChangeOf(tools, group, f, scratch); });
  for (std::size_t f = 0; f < group.free.size(); ++f) {
    const BodyChange& body = bodies[f];
    changes[f] = body.change;
    const EnergyAccount& so_far = group.state[static_cast<std::size_t>(group.free[f])].account;
    account.passed += so_far.passed + std::fabs(body.change);
    account.gained += so_far.gained;
    mechanical += body.change;
    moved += body.before + std::fabs(body.fall);
    check.rounding += body.rounding;
    if (body.change > most) {
      most = body.change;
      check.body = group.free[f];
    }
  }
  const HolderChange held = HoldersOf(tools, group, substep.length, scratch);
  const bool holders_resolved = held.fastest * substep.length <= kResolvedPhase;
  check.holders = holders_resolved ? a[kHolderWork] : a[kTargetWork] - (held.after - held.before);
  check.rounding += held.rounding;
  const double work = a[kAppliedWork] + check.holders + a[kDrivenWork] + a[kRelaxationWork];
  const StoredEnergy before = Stored(tools, group, group.patches, scratch.threads);
  const StoredEnergy after = Stored(tools, group, scratch.patches, scratch.threads);
  moved += std::fabs(a[kAppliedWork]) + std::fabs(a[kDrivenWork]) + before.all;
  moved += std::fabs(holders_resolved ? a[kHolderWork] : a[kTargetWork]) +
           (holders_resolved ? 0.0 : held.before);
  const double known = after.unseen + after.potential - before.potential;
  const double by_law = by_stages + known - (after.all - before.all);
  check.resolved = check.resolved && std::fabs(by_law) <= kMostByLaw * moved;
  check.by_stages = check.resolved;
  const bool is_paid_for = before.is_paid_for || after.is_paid_for;
  check.gifts_unknown = is_paid_for && !check.by_stages;
  OverlapChange by_overlaps{after.all - before.all, 0.0};
  if (check.gifts_unknown) {
    by_overlaps = ByOverlaps(tools, group, scratch.patches, scratch.threads);
  }
  check.elastic = check.by_stages ? by_stages + known : by_overlaps.all;
  check.resolved = check.resolved && holders_resolved;
  check.rounding += after.rounding + before.rounding;
  // What bristles give back they have taken before.
  const double given_back =
      std::fmin(std::fmax(0.0, -a[kBristleStored]),
                BristleEnergy(tools, group, scratch.patches, scratch.threads));
  check.gain = mechanical + check.elastic - given_back - work;
  if (check.gain > 0.0 && by_overlaps.free > 0.0) {
    // Overlaps that grow as bodies turn tell of energy that nobody has paid. More than a little
    // is an error of the substep.
    const double unpaid =
        check.gain <= kResolvedShare * moved ? std::fmin(check.gain, by_overlaps.free) : 0.0;
    check.unpaid = unpaid / by_overlaps.free;
    check.elastic -= unpaid;
    check.gain -= unpaid;
  }
  if (scratch.diverged) check.gain = std::numeric_limits<double>::quiet_NaN();
  if (MotionDrivesJoints(tools, group)) check.gain -= scratch.projected;
  check.moved = moved;
  check.allowed = (check.resolved ? kResolvedShare : kUnresolvedShare) * moved;
  check.allowed = std::fmax(check.rounding, check.allowed);
  if (check.gifts_unknown) {
    check.backed = std::fmax(check.rounding, kUnbackedShare * (account.passed + moved));
    check.allowed = std::fmax(check.backed, check.allowed);
  }
  // Where the contacts' vibrations are not resolved, the law's own share is not known apart.
  check.left =
      check.resolved ? kShareSinceStart * (account.passed + moved) - account.gained : HUGE_VAL;
  if (is_paid_for && check.by_stages) {
    check.overdraft = Overdraft(tools, group, scratch);
    check.allowed_overdraft = kOverdraftShare * (account.passed + moved);
  }
  double losses = 0.0;
  for (const double loss : LossesOf(a)) losses += loss;
  check.balance = mechanical + check.elastic - work + a[kBristleStored] + losses;
  if (!holders_resolved) {
    // What has gone is the dampers' as far as they can have taken it.
    const double damped = std::clamp(a[kHolderLoss], 0.0, std::fmax(0.0, -check.balance));
    check.holders -= damped;
    check.balance += damped;
  }
  check.projected = TakenByJoints(check.balance, -scratch.projected, ErrsByJoints(group, scratch));
  check.numerical = check.resolved ? check.projected : -check.balance;
  if (check.resolved && before.potential + after.potential > 0.0) {
    check.error = check.balance;
    const int power = tools.world->tableau->order + 1;
    check.allowed_error =
        (kSmoothShare * std::pow(scratch.fastest * planned, power) + kOtherShare) * moved +
        tools.world->scene.engine.tolerance * (before.potential + after.potential) +
        std::fmin(after.begun, kBegunShare * moved);
  } else if (check.resolved && JudgesJoints(tools, group, scratch)) {
    check.error = check.balance;
    check.allowed_error = kJointShare * moved + check.rounding;
  }
  return check;
}

void BookWhatLawsGave(const StageTools& tools, const StageScratch& scratch, BodyGroup* group) {
  const GroupRules rules(*tools.world, *group);
  const std::vector<Contact>& known = group->patches.contacts;
  const auto add = [&](std::size_t c, double* sum) {
    *sum += GivenByLaw(rules, *group, scratch, known[c], scratch.patches.contacts[c]);
  };
  double given = 0.0;
  for (const double part : PartSums<double>(known.size(), scratch.threads, add)) given += part;
  group->ledger.elastic -= given;
  group->ledger.numerical += given;
}

void AddToLedger(const EnergyCheck& check, const StageScratch& scratch, BodyGroup* group) {
  EnergyLedger& ledger = group->ledger;
  for (std::size_t q = 0; q < kQuadratures; ++q) ledger.work[q] += scratch.a[q];
  ledger.work[kHolderWork] += check.holders - scratch.a[kHolderWork];
  ledger.elastic += check.elastic;
  ledger.numerical += check.numerical;
  if (check.gifts_unknown) {  // what bounds took of these gifts is not told apart either
    ledger.work[kNormalLoss] -= scratch.a[kBoundLoss];
    ledger.work[kBoundLoss] -= scratch.a[kBoundLoss];
    ledger.numerical += scratch.a[kBoundLoss];
  }
  ledger.projected += check.projected;
  double passed = 0.0, gained = 0.0;
  for (std::size_t f = 0; f < scratch.energy_changes.size(); ++f) {
    passed += std::fabs(scratch.energy_changes[f]);
    gained += group->state[static_cast<std::size_t>(group->free[f])].account.gained;
  }
  // A gain belongs to the bodies that energy goes through, up or down: those in flight beside them
  // change by rounding. An error that comes and goes is no growth: what a substep loses by its
  // error, not to friction or damping, is taken off, down to nothing.
  const double share =
      check.resolved && check.gain > check.rounding && passed > 0.0 ? check.gain / passed : 0.0;
  const double lost =
      check.resolved && check.gain < 0.0 ? std::fmax(check.gain, check.balance) : 0.0;
  const double kept = lost < 0.0 && gained > 0.0 ? std::fmax(0.0, 1.0 + lost / gained) : 1.0;
  for (std::size_t f = 0; f < scratch.energy_changes.size(); ++f) {
    const double change = scratch.energy_changes[f];
    EnergyAccount& account = group->state[static_cast<std::size_t>(group->free[f])].account;
    account.passed += std::fabs(change);
    account.gained = kept * account.gained + share * std::fabs(change);
  }
}

}  // namespace intervox::host
