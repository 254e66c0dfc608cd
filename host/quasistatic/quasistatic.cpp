#include "host/quasistatic/quasistatic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "host/contact/parameters.h"
#include "host/input/error.h"
#include "host/input/nearest.h"
#include "host/world/world.h"

namespace intervox::host {
namespace {

/** The damping rate times a step. */
constexpr double kDampingPerStep = 0.05;
/** A load for bodies that nothing pulls [m/s²]. */
constexpr double kLeastLoad = 1.0;
/** Steps in a row with small residuals that are rest. */
constexpr int kRests = 5;
/** Steps on the way to a point. */
constexpr int kSteps = 50;

/** What damps a body. */
struct Damped {
  int body = 0;
  double mass = 0.0;     ///< [kg]
  double inertia = 0.0;  ///< mean [kg·m²]
  double radius = 0.0;   ///< of gyration [m]
  double load = 0.0;     ///< of what pulls it [N]
  double rate = 0.0;     ///< of damping [1/s]
};

/** A scene for backward Euler whose bodies are damped and whose motions stand still. */
struct Damping {
  Scene scene;
  std::vector<Damped> bodies;
};

/** What acts at the start acts for ever. */
void HoldLoads(BodySettings* body) {
  std::erase_if(body->wrenches,
                [](const AppliedWrench& wrench) { return wrench.from > 0.0 || wrench.to <= 0.0; });
  for (AppliedWrench& wrench : body->wrenches) {
    wrench.to = std::numeric_limits<double>::infinity();
  }
}

void HoldStill(const BodySettings& body, PrescribedMotion* motion) {
  const FrameMotion at = DriveAt(body, {}, 0.0);
  motion->keys = {{0.0, at.X_WF.p, {}, at.q_WF, {}}};
}

/** Fixes a body to a carrier without a shape, which goes along the path and pauses at each point.
 */
void Carry(const Insertion& insertion, const Vec3& direction, const BodySettings& body,
           Scene* scene) {
  BodySettings carrier;
  carrier.name = "carrier of " + body.name;
  carrier.X_WB = body.X_WB;
  carrier.motion = PrescribedMotion{};
  const Quaternion q = ToQuaternion(body.X_WB.R);
  for (int k = 0; k <= 2 * insertion.points; ++k) {
    const int point = (k + 1) / 2;
    const double way = insertion.depth * point / insertion.points;
    carrier.motion->keys.push_back({k * insertion.pause, body.X_WB.p + way * direction, {}, q, {}});
  }
  JointSettings joint;
  joint.name = carrier.name;
  joint.type = JointType::kFixed;
  joint.bodies = {body.name, carrier.name};
  joint.frame.point = body.X_WB.p;
  scene->joints.push_back(joint);
  scene->bodies.push_back(carrier);
}

Damping Damp(const Scene& given) {
  Damping out{given, {}};
  Scene& scene = out.scene;
  scene.integrator.method = "be1";
  for (BodySettings& body : scene.bodies) {
    if (body.motion) HoldStill(body, &*body.motion);
    if (body.holder) HoldStill(body, &body.holder->target);
    HoldLoads(&body);
    body.v_WB = body.w_WB = {};
  }
  const auto world = MakeWorld(scene);
  double step = 1.0;
  for (const int index : world->free_bodies) {
    const auto b = static_cast<std::size_t>(index);
    BodySettings& body = scene.bodies[b];
    const RigidBody& rigid = world->start[b];
    Damped damped{index, rigid.mass, Trace(rigid.inertia_M) / 3.0, 0.0, 0.0, 0.0};
    damped.radius = std::sqrt(1.5 * damped.inertia / rigid.mass);
    damped.load = rigid.mass * std::fmax(Norm(scene.gravity), kLeastLoad);
    for (const AppliedWrench& wrench : body.wrenches) damped.load += Norm(wrench.force);
    damped.rate = std::sqrt(damped.load / (rigid.mass * damped.radius));
    if (!body.holder) {
      body.holder = Holder{};
      body.holder->target.keys = {{0.0, body.X_WB.p, {}, ToQuaternion(body.X_WB.R), {}}};
    }
    const double force = damped.rate * damped.mass, torque = damped.rate * damped.inertia;
    body.holder->damping = body.holder->damping + Vec3{force, force, force};
    body.holder->rotational_damping =
        body.holder->rotational_damping + Vec3{torque, torque, torque};
    step = std::fmin(step, kDampingPerStep / damped.rate);
    out.bodies.push_back(damped);
  }
  scene.integrator.step = out.bodies.empty() ? 1e-3 : step;
  scene.duration = 1e9 * scene.integrator.step;
  return out;
}

/** Bodies on their way to rest. */
class Settling {
 public:
  Settling(const Damping& damping, const SettleOptions& options)
      : damping_(damping), options_(options), simulation_(damping.scene) {
    residuals_.resize(damping.bodies.size());
  }

  Simulation& simulation() { return simulation_; }
  int steps() const { return steps_; }
  double Residual(std::size_t k) const { return residuals_[k]; }

  /** One step. @return whether nothing moves that is not balanced */
  bool Step() {
    const std::vector<BodyState> before(simulation_.State().begin(), simulation_.State().end());
    simulation_.Step();
    ++steps_;
    bool rests = true;
    for (std::size_t k = 0; k < damping_.bodies.size(); ++k) {
      const Damped& damped = damping_.bodies[k];
      const auto b = static_cast<std::size_t>(damped.body);
      const BodyState& now = simulation_.State()[b];
      // What is not balanced accelerates the body and drags it against its damper.
      const double per_step = 1.0 / damping_.scene.integrator.step;
      const Vec3 force =
          damped.mass * (per_step * (now.v_WM - before[b].v_WM) + damped.rate * now.v_WM);
      const Vec3 torque =
          damped.inertia * (per_step * (now.w_WB - before[b].w_WB) + damped.rate * now.w_WB);
      residuals_[k] = Norm(force) + Norm(torque) / damped.radius;
      rests = rests && residuals_[k] <= options_.tolerance * damped.load;
    }
    return rests;
  }

  /** Steps until bodies rest. */
  void Settle() {
    for (int rests = 0, k = 0; rests < kRests; ++k) {
      rests = Step() ? rests + 1 : 0;
      if (k > options_.most_steps) Fail();
    }
  }

  /** Takes so many steps, by the last of which bodies must rest. */
  void Pause(int steps) {
    bool rests = false;
    for (int k = 0; k < steps; ++k) rests = Step();
    if (!rests) Fail();
  }

 private:
  [[noreturn]] void Fail() const {
    std::size_t worst = 0;
    for (std::size_t k = 1; k < residuals_.size(); ++k) {
      if (residuals_[k] / damping_.bodies[k].load >
          residuals_[worst] / damping_.bodies[worst].load) {
        worst = k;
      }
    }
    const auto b = static_cast<std::size_t>(damping_.bodies[worst].body);
    const BodyState& state = simulation_.State()[b];
    const bool touches = Norm(state.contact_force) > 0.0;
    throw std::runtime_error(
        "no equilibrium was found within " + std::to_string(steps_) + " steps: body " +
        damping_.scene.bodies[b].name + " still moves at " + NumberText(Norm(state.v_WM), 3) +
        " m/s, and " + NumberText(residuals_[worst], 3) + " N on it are not balanced. " +
        (touches ? "It slides, creeps or rolls: use friction that sticks, more steps, or a larger "
                   "tolerance."
                 : "Nothing touches it: put something under it, or give it a holder."));
  }

  const Damping& damping_;
  SettleOptions options_;
  Simulation simulation_;
  std::vector<double> residuals_;  ///< of each damped body [N]
  int steps_ = 0;
};

int RequireBody(const Scene& scene, const std::string& name) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].name != name) continue;
    if (scene.bodies[b].fixed) {
      throw InputError("body " + name +
                       " is fixed, so it cannot be pushed. Push a free or driven "
                       "one.");
    }
    return static_cast<int>(b);
  }
  std::vector<std::string> names;
  for (const BodySettings& body : scene.bodies) names.push_back(body.name);
  throw InputError("no body is named '" + name + "'. " + Suggest(name, names));
}

}  // namespace

Equilibrium Settle(const Scene& scene, const SettleOptions& options) {
  const Damping damping = Damp(scene);
  if (damping.bodies.empty()) {
    throw InputError("the scene has no free body, so nothing can settle. Free one.");
  }
  Settling settling(damping, options);
  settling.Settle();
  Equilibrium out;
  out.steps = settling.steps();
  for (std::size_t k = 0; k < damping.bodies.size(); ++k) {
    const int body = damping.bodies[k].body;
    out.bodies.push_back({body, settling.simulation().State()[static_cast<std::size_t>(body)],
                          settling.Residual(k)});
  }
  const auto contacts = settling.simulation().Contacts();
  out.contacts.assign(contacts.begin(), contacts.end());
  return out;
}

std::vector<InsertionPoint> InsertionForce(const Scene& scene, const Insertion& insertion,
                                           const SettleOptions& options) {
  const int body = RequireBody(scene, insertion.body);
  const auto b = static_cast<std::size_t>(body);
  const double length = Norm(insertion.along);
  if (!(length > 0.0) || !std::isfinite(length)) {
    throw InputError("the direction of the insertion has no length. Give one as 0,0,-1.");
  }
  if (!(insertion.depth > 0.0) || insertion.points < 1 || !(insertion.pause > 0.0)) {
    throw InputError("depth, points and pause of an insertion must be above 0.");
  }
  const Vec3 d = (1.0 / length) * insertion.along;
  const bool held = scene.bodies[b].holder.has_value();
  Damping damping = Damp(scene);
  if (!held) {
    damping.scene.bodies[b].motion.reset();
    Carry(insertion, d, scene.bodies[b], &damping.scene);
  }
  double& step = damping.scene.integrator.step;
  step = insertion.pause / std::ceil(insertion.pause / std::fmin(step, insertion.pause / kSteps));
  const auto steps = static_cast<int>(std::lround(insertion.pause / step));
  const double advance = insertion.depth / insertion.points;
  Settling settling(damping, options);
  Simulation& simulation = settling.simulation();
  const Vec3 origin = simulation.State()[b].X_WB.p;
  const FrameMotion target = held ? DriveAt(damping.scene.bodies[b], {}, 0.0) : FrameMotion{};
  const auto drive = [&](double depth, const Vec3& v) {
    if (held) {
      simulation.SetHolderTarget(body, {target.X_WF.R, target.X_WF.p + depth * d}, v);
    }
  };
  std::vector<InsertionPoint> out;
  for (int point = 1; point <= insertion.points; ++point) {
    drive((point - 1) * advance, (advance / insertion.pause) * d);
    for (int k = 0; k < steps; ++k) settling.Step();
    drive(point * advance, {});
    if (held) {
      settling.Settle();
    } else {
      settling.Pause(steps);
    }
    const BodyState& state = simulation.State()[b];
    InsertionPoint at;
    at.depth = point * advance;
    at.position = Dot(state.X_WB.p - origin, d);
    at.push = -Dot(state.contact_force, d);
    at.across = Norm(state.contact_force + at.push * d);
    at.torque = Norm(state.contact_torque);
    for (const ContactReport& contact : simulation.Contacts()) {
      at.contacts += contact.body_i == body || contact.body_j == body ? 1 : 0;
    }
    out.push_back(at);
  }
  return out;
}

}  // namespace intervox::host
