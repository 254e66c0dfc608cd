#include "host/simulation/arrest.h"

#include <cmath>
#include <span>
#include <vector>

#include "host/simulation/accept.h"

namespace intervox::host {
namespace {

/** At most this share of what bodies move against each other with is taken from a substep. */
constexpr double kMostSlowed = 0.5;

double KineticEnergyOf(std::span<const RigidBody> bodies) {
  double sum = 0.0;
  for (const RigidBody& body : bodies) sum += KineticEnergy(body);
  return sum;
}

/** Inertia about the point c, world axes [kg·m²]. */
Mat3 InertiaAbout(const RigidBody& body, const Vec3& c) {
  const Mat3 R = ToRotation(body.q_WB);
  const Vec3 d = body.p_WM - c;
  return R * body.inertia_M * Transpose(R) +
         body.mass * (SquaredNorm(d) * Mat3::Identity() + -1.0 * Outer(d, d));
}

/** Gives free bodies the momenta of one rigid body that has all of theirs. */
void MoveAsOne(std::span<RigidBody> bodies) {
  double mass = 0.0;
  Vec3 momentum, moment;
  for (const RigidBody& body : bodies) {
    mass += body.mass;
    momentum += body.momentum;
    moment += body.mass * body.p_WM;
  }
  const Vec3 c = moment / mass, v = momentum / mass;
  Vec3 spin;
  Mat3 inertia = Mat3::Zero();
  for (const RigidBody& body : bodies) {
    spin += body.spin + Cross(body.p_WM - c, body.momentum);
    inertia = inertia + InertiaAbout(body, c);
  }
  const Vec3 w = Inverse(inertia) * spin;
  for (RigidBody& body : bodies) {
    body.momentum = body.mass * (v + Cross(w, body.p_WM - c));
    body.spin = InertiaAbout(body, body.p_WM) * w;
  }
}

/** Stops free bodies against each other, and against what else is in their group. */
void Stop(const BodyGroup& group, std::span<RigidBody> bodies) {
  if (group.free.size() == group.state.size()) {
    MoveAsOne(bodies);
  } else {
    for (RigidBody& body : bodies) body.momentum = body.spin = {};
  }
}

}  // namespace

double Arrest(const StageTools& tools, BodyGroup* group, StageScratch* scratch) {
  std::vector<RigidBody> bodies;
  for (const int body : group->free) bodies.push_back(group->state[static_cast<std::size_t>(body)]);
  const double before = KineticEnergyOf(bodies);
  Stop(*group, bodies);
  for (std::size_t f = 0; f < bodies.size(); ++f) {
    group->state[static_cast<std::size_t>(group->free[f])] = bodies[f];
  }
  SetVelocities(*tools.world, group);
  for (Contact& contact : group->patches.contacts) contact.solved = false;
  SolveNewContacts(tools, group, scratch);
  for (RigidBody& body : bodies) SetVelocities(&body);
  const double taken = before - KineticEnergyOf(bodies);
  group->ledger.numerical += taken;
  return taken;
}

bool SlowDown(const BodyGroup& group, double gain, StageScratch* scratch) {
  std::vector<RigidBody> moving;
  for (std::size_t f = 0; f < group.free.size(); ++f) {
    moving.push_back(BodyAtEnd(group, f, *scratch));
    SetVelocities(&moving.back());
  }
  std::vector<RigidBody> stopped = moving;
  Stop(group, stopped);
  for (RigidBody& body : stopped) SetVelocities(&body);
  // The stopped bodies' motion and the rest are orthogonal in the metric of the masses.
  const double relative = KineticEnergyOf(moving) - KineticEnergyOf(stopped);
  if (!(gain <= kMostSlowed * relative)) return false;
  const double share = std::sqrt(1.0 - gain / relative);
  for (std::size_t f = 0; f < moving.size(); ++f) {
    const Vec3 p = stopped[f].momentum + share * (moving[f].momentum - stopped[f].momentum);
    const Vec3 L = stopped[f].spin + share * (moving[f].spin - stopped[f].spin);
    const Vec3 O = group.state[static_cast<std::size_t>(group.free[f])].p_WM;
    double* at = StateLayout::Momentum(std::span<double>(scratch->y), f);
    WriteVec3(p, at);
    WriteVec3(L + Cross(moving[f].p_WM - O, p), at + 3);
  }
  return true;
}

}  // namespace intervox::host
