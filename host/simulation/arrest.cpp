#include "host/simulation/arrest.h"

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "host/contact/disjoint_sets.h"
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

/** Gives a free body the momenta that it has at rest on another. */
void MoveWith(const RigidBody& anchor, RigidBody* body) {
  body->momentum = body->mass * (anchor.v + Cross(anchor.w, body->p_WM - anchor.p_WM));
  body->spin = InertiaAbout(*body, body->p_WM) * anchor.w;
}

/** Free bodies of a group that touch each other in a trial. */
struct TouchingBodies {
  std::vector<std::size_t> free;      ///< index into the group's free bodies
  const RigidBody* anchor = nullptr;  ///< a fixed or driven body that they touch
  bool moves_as_one = true;           ///< whether all fixed and driven ones move as that does
};

/** What touches in a trial; without bodies that touch nothing, or such as do not move as one. */
std::vector<TouchingBodies> FindTouching(const BodyGroup& group, const StageScratch& scratch) {
  std::vector<int> parent(group.state.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto is_free = [&](int b) { return group.row_of[static_cast<std::size_t>(b)] >= 0; };
  const auto touch = [](const Contact& contact) { return contact.active && contact.pairs > 0; };
  for (const Contact& contact : scratch.patches.contacts) {
    if (touch(contact) && is_free(contact.body_i) && is_free(contact.body_j)) {
      Unite(parent, contact.body_i, contact.body_j);
    }
  }
  std::vector<TouchingBodies> of(group.state.size());
  const auto set_of = [&](int b) -> TouchingBodies& {
    return of[static_cast<std::size_t>(FindRoot(parent, b))];
  };
  for (std::size_t f = 0; f < group.free.size(); ++f) set_of(group.free[f]).free.push_back(f);
  for (const Contact& contact : scratch.patches.contacts) {
    if (!touch(contact) || is_free(contact.body_i) == is_free(contact.body_j)) continue;
    const bool is_i = is_free(contact.body_i);
    TouchingBodies& set = set_of(is_i ? contact.body_i : contact.body_j);
    const RigidBody& other =
        group.state[static_cast<std::size_t>(is_i ? contact.body_j : contact.body_i)];
    if (set.anchor == nullptr) set.anchor = &other;
    const bool rests = SquaredNorm(other.v) + SquaredNorm(other.w) + SquaredNorm(set.anchor->v) +
                           SquaredNorm(set.anchor->w) ==
                       0.0;
    set.moves_as_one = set.moves_as_one && (rests || set.anchor == &other);
  }
  std::erase_if(of, [](const TouchingBodies& set) {
    return set.free.empty() || !set.moves_as_one || (set.anchor == nullptr && set.free.size() < 2);
  });
  return of;
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

bool SlowDown(const BodyGroup& group, double energy, StageScratch* scratch) {
  std::vector<std::size_t> rows;
  std::vector<RigidBody> moving, stopped, relative;
  bool driven = false;
  for (const TouchingBodies& touching : FindTouching(group, *scratch)) {
    std::vector<RigidBody> bodies;
    for (const std::size_t f : touching.free) {
      rows.push_back(f);
      bodies.push_back(BodyAtEnd(group, f, *scratch));
      SetVelocities(&bodies.back());
      moving.push_back(bodies.back());
    }
    if (touching.anchor == nullptr) {
      MoveAsOne(bodies);
    } else {
      for (RigidBody& body : bodies) MoveWith(*touching.anchor, &body);
      driven = driven || touching.anchor->kind == BodyKind::kDriven;
    }
    stopped.insert(stopped.end(), bodies.begin(), bodies.end());
  }
  relative = moving;
  for (std::size_t k = 0; k < moving.size(); ++k) {
    relative[k].momentum = moving[k].momentum - stopped[k].momentum;
    relative[k].spin = moving[k].spin - stopped[k].spin;
    SetVelocities(&relative[k]);
  }
  const double most = KineticEnergyOf(relative);
  if (!(energy <= kMostSlowed * most && std::isfinite(most))) return false;
  const double share = std::sqrt(1.0 - energy / most), before = KineticEnergyOf(moving);
  for (std::size_t k = 0; k < moving.size(); ++k) {
    RigidBody& at = moving[k];
    at.momentum = stopped[k].momentum + share * relative[k].momentum;
    at.spin = stopped[k].spin + share * relative[k].spin;
    SetVelocities(&at);
    const Vec3 O = group.state[static_cast<std::size_t>(group.free[rows[k]])].p_WM;
    double* row = StateLayout::Momentum(std::span<double>(scratch->y), rows[k]);
    WriteVec3(at.momentum, row);
    WriteVec3(at.spin + Cross(at.p_WM - O, at.momentum), row + 3);
  }
  // What slowing against a moving body gives or takes is its drive's.
  if (driven) scratch->a[kDrivenWork] += KineticEnergyOf(moving) - before + energy;
  return true;
}

}  // namespace intervox::host
