#include "host/simulation/contact_scales.h"

#include <algorithm>
#include <cmath>

#include "host/bodies/loads.h"
#include "host/contact/patch_depth.h"

namespace intervox::host {
namespace {

constexpr double kOnsetShare = 1e-3;      // of √(g L)
constexpr double kOnsetPerStep = 2.5e-6;  // of L/h
constexpr double kFallen = 200.0;         // onset speeds that loads add to a contact on its way
constexpr double kDifference = 1e-3;      // relative, for the slope of a force

StageBody AsStageBody(const RigidBody& body, const Pose& X_WB) {
  StageBody out;
  out.p_WM = body.p_WM;
  if (body.kind != BodyKind::kFree) return out;
  out.inverse_mass = body.inverse_mass;
  out.inverse_inertia_W = InverseInertiaW(body, X_WB.R);
  return out;
}

/** How the force of a point grows with its depth [N/m]. */
double PointStiffness(const ContactModel& model, const PatchGeometry& g, const PatchLatch& latch) {
  if (!(g.V > 0.0)) return 0.0;
  NormalForce slope;
  model.PointForce(g.V, latch, &slope);
  return std::max(0.0, slope.f_e);
}

/** What a body gives way by there, along n [1/kg]. */
double PointMobility(const PatchGeometry& g, const StageBody& body) {
  if (body.inverse_mass == 0.0 && Trace(body.inverse_inertia_W) == 0.0) return 0.0;
  const Vec3 arm = Cross(g.p_WC - body.p_WM, g.n);
  return body.inverse_mass + Dot(arm, body.inverse_inertia_W * arm);
}

}  // namespace

double PatchRadius(const PatchGeometry& g) {
  if (g.is_point) return 0.0;
  return g.V > 0.0 ? std::sqrt(std::max(0.0, Trace(g.J_W) / g.V)) : 0.0;
}

double ElasticEnergy(const ContactModel& model, const PatchGeometry& g, const PatchLatch& latch,
                     double V_o) {
  const double S = Norm(g.S), V_r = std::max(0.0, g.V - V_o);
  if (!(g.V > 0.0)) return 0.0;
  if (model.normal->HasCurve()) {
    const LoadingCurve curve = model.normal->Curve(latch);
    if (model.normal->Conserves()) return latch.form * WorkOf(curve, V_r, 1.0);
    return WorkOf(curve, V_r, DepthPower(g, S)) * MeanDepth(g, S) / g.V;
  }
  if (model.normal->Conserves()) {
    // What a surface holds that recovers by itself, it does not give to the bodies.
    if (model.normal->Recovers() && g.V <= latch.V_max) return 0.0;
    const double held = model.normal->Recovers() ? model.normal->Potential(latch.V_max) : 0.0;
    const double w = model.normal->Potential(g.V) - held;
    return latch.form * w;
  }
  const double p = DepthPower(g, S);
  return p / (p + 1.0) * model.Force(V_r, S, latch).f_e * (V_r / g.V) * MeanDepth(g, S);
}

double ElasticEnergyError(const ContactModel& model, const PatchGeometry& g,
                          const PatchLatch& latch) {
  const double S = Norm(g.S);
  if (!(g.V > 0.0) || !(S > 0.0) || model.normal->Conserves()) return 0.0;
  // p/(p + 1) changes with p by 1/(p + 1)².
  return 0.25 * DepthPowerError(g, S) * model.Force(g.V, S, latch).f_e * MeanDepth(g, S);
}

double Frequency(const ContactModel& model, const PatchGeometry& g, const PatchLatch& latch,
                 const StageBody& i, const StageBody& j) {
  if (g.is_point) {
    const double slope = PointStiffness(model, g, latch);
    return std::sqrt(slope * (PointMobility(g, i) + PointMobility(g, j)));
  }
  const double S = Norm(g.S);
  if (!(g.V > 0.0) || !(S > 0.0)) return 0.0;
  const bool conserves = model.normal->Conserves();
  const Vec3 direction = conserves ? g.S / S : g.n, lever = conserves ? g.G / S : Vec3{};
  const Vec3 a_i = Cross(g.p_WC - i.p_WM, direction) + lever;
  const Vec3 a_j = Cross(g.p_WC - j.p_WM, direction) + lever;
  const double r = PatchRadius(g);
  const double W = i.inverse_mass + j.inverse_mass + Dot(a_i, i.inverse_inertia_W * a_i) +
                   Dot(a_j, j.inverse_inertia_W * a_j) +
                   r * r * (Trace(i.inverse_inertia_W) + Trace(j.inverse_inertia_W));
  if (model.normal->HasCurve()) {
    return std::sqrt(latch.form * SlopeNear(model.normal->Curve(latch), g.V) * S * W);
  }
  // The force of a law that conserves grows with the area too: S ∝ V^(1 − 1/p).
  const double p = conserves ? DepthPower(g, S) : 1.0;
  const double f = model.Force(g.V, S, latch).f_e;
  const double further =
      model.Force((1.0 + kDifference) * g.V, (1.0 + kDifference * (1.0 - 1.0 / p)) * S, latch).f_e;
  return std::sqrt(std::max(0.0, (further - f) / (kDifference * g.V) * S * W));
}

double Frequency(const World& world, const BodyGroup& group, const Contact& contact) {
  const auto i = static_cast<std::size_t>(contact.body_i);
  const auto j = static_cast<std::size_t>(contact.body_j);
  const PairRule* rule = world.Rule(group.bodies[i], group.bodies[j]);
  return Frequency(*rule->model, contact.geometry, contact.latch,
                   AsStageBody(group.state[i], group.poses[i]),
                   AsStageBody(group.state[j], group.poses[j]));
}

constexpr double kBegun = 1e-12;  // share of a volume that a patch has as it begins

double DampingRate(const World& world, const BodyGroup& group, const Contact& contact) {
  const PatchGeometry& g = contact.geometry;
  if (!contact.active || !(g.V > 0.0)) return 0.0;
  const auto i = static_cast<std::size_t>(contact.body_i);
  const auto j = static_cast<std::size_t>(contact.body_j);
  const ContactModel& model = *world.Rule(group.bodies[i], group.bodies[j])->model;
  NormalForce slope;
  // A patch's damping that grows with its volume begins with nothing.
  const double b = g.is_point ? model.PointForce(g.V, contact.latch, &slope).b
                              : model.Force(kBegun * g.V, Norm(g.S), contact.latch).b;
  return -b * (PointMobility(g, AsStageBody(group.state[i], group.poses[i])) +
               PointMobility(g, AsStageBody(group.state[j], group.poses[j])));
}

double SmallerSize(const World& world, const BodyGroup& group, int i, int j) {
  double size = 0.0;
  for (const int b : {i, j}) {
    const BodyCells& cells =
        world.SizeOf(static_cast<std::size_t>(group.bodies[static_cast<std::size_t>(b)]));
    if (cells.bounded && (size == 0.0 || 2.0 * cells.radius < size)) size = 2.0 * cells.radius;
  }
  return size;
}

double OnsetSpeed(const World& world, const BodyGroup& group, int i, int j) {
  const double L = SmallerSize(world, group, i, j);
  const double g = Norm(world.scene.gravity);
  const double per_step = kOnsetPerStep * L / world.step;
  return g > 0.0 ? std::fmin(per_step, kOnsetShare * std::sqrt(g * L)) : per_step;
}

Vec3 LoadAcceleration(const World& world, const BodyGroup& group, int body) {
  const auto b = static_cast<std::size_t>(body);
  const RigidBody& rigid = group.state[b];
  if (rigid.kind != BodyKind::kFree) return {};
  const BodySettings& settings = world.scene.bodies[static_cast<std::size_t>(group.bodies[b])];
  const AppliedLoad applied =
      AverageLoad(settings, group.poses[b], rigid.p_WM, group.time, group.time);
  return world.scene.gravity + rigid.inverse_mass * (applied.force + rigid.input.force);
}

double LoadSpeed(const World& world, const ContactModel& model, const BodyGroup& group,
                 const Contact& contact, double* rate) {
  const PatchGeometry& g = contact.geometry;
  const auto i = static_cast<std::size_t>(contact.body_i);
  const auto j = static_cast<std::size_t>(contact.body_j);
  const double V_o = contact.accepted.V_o, V_r = std::max(0.0, g.V - V_o);
  const double a = std::sqrt(std::max(SquaredNorm(LoadAcceleration(world, group, contact.body_i)),
                                      SquaredNorm(LoadAcceleration(world, group, contact.body_j))));
  const double f = model.Force(V_r, Norm(g.S), contact.latch).f_e;
  const double W = PointMobility(g, AsStageBody(group.state[i], group.poses[i])) +
                   PointMobility(g, AsStageBody(group.state[j], group.poses[j]));
  *rate = 0.0;
  if (!(a > 0.0) || !(f * W > 0.0)) return 0.0;
  const double E = ElasticEnergy(model, g, contact.latch, V_o);
  if (E > 0.0) *rate = std::sqrt(a * f / (2.0 * E));
  return std::sqrt(2.0 * E * W) * std::min(1.0, a / (f * W));
}

bool BeginsFast(const World& world, const BodyGroup& group, const Contact& contact, double v_n,
                double length) {
  const double speed = OnsetSpeed(world, group, contact.body_i, contact.body_j);
  if (v_n < -speed) return true;
  const Vec3 a = LoadAcceleration(world, group, contact.body_i) -
                 LoadAcceleration(world, group, contact.body_j);
  const double gained = -Dot(contact.geometry.n, a) * length;
  return gained > kFallen * speed;
}

Vec3 WayOfPoint(const Pose& from, const Pose& to, const Vec3& p) {
  return to * TransposeTimes(from.R, p - from.p) - p;
}

}  // namespace intervox::host
