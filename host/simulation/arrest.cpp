#include "host/simulation/arrest.h"

#include "host/simulation/accept.h"

namespace intervox::host {
namespace {

double KineticEnergyOf(const BodyGroup& group) {
  double sum = 0.0;
  for (const int body : group.free) {
    sum += KineticEnergy(group.state[static_cast<std::size_t>(body)]);
  }
  return sum;
}

/** Inertia about the point c, world axes [kg·m²]. */
Mat3 InertiaAbout(const RigidBody& body, const Vec3& c) {
  const Mat3 R = ToRotation(body.q_WB);
  const Vec3 d = body.p_WM - c;
  return R * body.inertia_M * Transpose(R) +
         body.mass * (SquaredNorm(d) * Mat3::Identity() + -1.0 * Outer(d, d));
}

/** Gives free bodies the velocities of one rigid body with their momenta. */
void MoveAsOne(BodyGroup* group) {
  double mass = 0.0;
  Vec3 momentum, moment;
  for (const RigidBody& body : group->state) {
    mass += body.mass;
    momentum += body.momentum;
    moment += body.mass * body.p_WM;
  }
  const Vec3 c = moment / mass, v = momentum / mass;
  Vec3 spin;
  Mat3 inertia = Mat3::Zero();
  for (const RigidBody& body : group->state) {
    spin += body.spin + Cross(body.p_WM - c, body.momentum);
    inertia = inertia + InertiaAbout(body, c);
  }
  const Vec3 w = Inverse(inertia) * spin;
  for (RigidBody& body : group->state) {
    body.momentum = body.mass * (v + Cross(w, body.p_WM - c));
    body.spin = InertiaAbout(body, body.p_WM) * w;
  }
}

}  // namespace

double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch) {
  const double before = KineticEnergyOf(*group);
  if (group->free.size() == group->state.size()) {
    MoveAsOne(group);
  } else {
    for (const int body : group->free) {
      RigidBody& rigid = group->state[static_cast<std::size_t>(body)];
      rigid.momentum = rigid.spin = {};
    }
  }
  SetVelocities(*tools.world, group);
  for (Contact& contact : group->patches.contacts) contact.solved = false;
  SolveNewContacts(tools, group, scratch);
  const double taken = before - KineticEnergyOf(*group);
  group->ledger.numerical += taken;
  return taken;
}

}  // namespace intervox::host
