#include "host/simulation/late_onset.h"

#include <cmath>
#include <span>
#include <vector>

#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

/** Groups of fewer bodies are cut at every onset. */
constexpr std::size_t kManyBodies = 16;
/** Of the energy of the motion along the force, pressing may take this share at most. */
constexpr double kMostTaken = 0.5;

/** The free bodies at a trial's end, with their velocities. */
class TrialEnd {
 public:
  TrialEnd(const BodyGroup& group, StageScratch* scratch) : group_(group), s_(*scratch) {}

  /** A body of the group as it moves at the end. */
  RigidBody At(int body) const {
    const auto b = static_cast<std::size_t>(body);
    const int f = group_.row_of[b];
    if (f >= 0) {
      RigidBody out = BodyAtEnd(group_, static_cast<std::size_t>(f), s_);
      SetVelocities(&out);
      return out;
    }
    RigidBody out = group_.state[b];
    out.v = s_.bodies[b].v;
    out.w = s_.bodies[b].w;
    out.p_WM = s_.bodies[b].p_WM;
    return out;
  }

  /** Adds an impulse at a point and an angular one to a body, and what it takes from a drive. */
  void Push(int body, const RigidBody& at, const Vec3& p, const Vec3& impulse,
            const Vec3& angular) {
    const auto b = static_cast<std::size_t>(body);
    const int f = group_.row_of[b];
    if (f < 0) {
      s_.a[kDrivenWork] -= Dot(impulse, at.v + Cross(at.w, p - at.p_WM)) + Dot(angular, at.w);
      return;
    }
    double* row = StateLayout::Momentum(std::span<double>(s_.y), static_cast<std::size_t>(f));
    WriteVec3(ReadVec3(row) + impulse, row);
    WriteVec3(ReadVec3(row + 3) + Cross(p - group_.state[b].p_WM, impulse) + angular, row + 3);
  }

 private:
  const BodyGroup& group_;
  StageScratch& s_;
};

/** How fast a body moves along a unit force at a point with a moment, and how far it gives way. */
struct Along {
  double speed = 0.0, mobility = 0.0;
};

Along MotionAlong(const RigidBody& body, const Vec3& p, const Vec3& force, const Vec3& moment) {
  const Vec3 arm = Cross(p - body.p_WM, force) + moment;
  Along out{Dot(force, body.v) + Dot(arm, body.w), 0.0};
  if (body.kind != BodyKind::kFree) return out;
  out.mobility =
      body.inverse_mass * SquaredNorm(force) + Dot(arm, TurnOf(body, ToRotation(body.q_WB), arm));
  return out;
}

/** Begins one contact, and gives its bodies what it owes them. */
void BeginLate(const ContactModel& model, TrialEnd* end, Contact* contact, StageScratch* scratch) {
  const PatchGeometry& g = contact->geometry;
  const RigidBody i = end->At(contact->body_i), j = end->At(contact->body_j);
  const bool conserves = model.normal->Conserves();
  const double S = Norm(g.S);
  const Vec3 force = conserves ? (1.0 / S) * g.S : g.turn * g.n;
  const Vec3 moment = conserves ? (1.0 / S) * g.G : g.twist;
  const Along of_i = MotionAlong(i, g.p_WC, force, moment);
  const Along of_j = MotionAlong(j, g.p_WC, force, moment);
  const double v = of_i.speed - of_j.speed, W = of_i.mobility + of_j.mobility;
  if (!(v < 0.0) || !(W > 0.0)) return;
  model.Begin(g.V, v, true, &contact->latch, &contact->accepted);
  model.BeginForm(g, &contact->latch);
  contact->latched = true;
  const double stored = ElasticEnergy(model, g, contact->latch, 0.0);
  const double damped = -contact->latch.a * -v * stored;
  const double taken = std::fmin(stored + damped, kMostTaken * v * v / (2.0 * W));
  const double impulse = (-v - std::sqrt(v * v - 2.0 * W * taken)) / W;
  scratch->a[kNormalLoss] += taken - std::fmin(stored, taken);
  end->Push(contact->body_i, i, g.p_WC, impulse * force, impulse * moment);
  end->Push(contact->body_j, j, g.p_WC, -impulse * force, -impulse * moment);
}

}  // namespace

bool StepsPastOnsets(const BodyGroup& group) {
  return group.free.size() >= kManyBodies && group.joints.empty();
}

void BeginLateContacts(const StageTools& tools, const BodyGroup& group, double length,
                       StageScratch* scratch) {
  const GroupRules rules(*tools.world, group);
  TrialEnd end(group, scratch);
  for (Contact& contact : scratch->patches.contacts) {
    if (contact.phase != ContactPhase::kProvisional || contact.latched || !contact.has_normal ||
        contact.pairs == 0 || !(Norm(contact.geometry.S) > 0.0)) {
      continue;
    }
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (model.relaxation_time > 0.0) continue;
    if (BeginsFast(*tools.world, group, contact, ApproachVelocity(group, contact), length)) {
      BeginLate(model, &end, &contact, scratch);
    }
  }
}

}  // namespace intervox::host
