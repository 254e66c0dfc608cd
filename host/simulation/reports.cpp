#include "host/simulation/reports.h"

#include "host/contact/prefetch.h"
#include "host/simulation/for_each.h"

namespace intervox::host {
namespace {

/** What a contact does to its bodies; `force` and `torque` are on body i, at a point. */
struct Wrench {
  bool acts = false;
  int body_i = -1, body_j = -1;
  Vec3 at, force, torque;
};

}  // namespace

void ReportBodies(const State& from, int threads, std::vector<BodyState>* out) {
  out->resize(from.bodies.size());
  ForEach(out->size(), threads, [&](std::size_t b) {
    const RigidBody& body = from.bodies[b];
    BodyState& state = (*out)[b];
    state = {};
    state.X_WB = from.poses[b];
    state.q_WB = body.q_WB;
    state.p_WM = body.p_WM;
    state.v_WM = body.v;
    state.w_WB = body.w;
    state.v_WB = body.v + Cross(body.w, state.X_WB.p - body.p_WM);
  });
  const std::vector<Contact>& contacts = from.patches.contacts;
  thread_local std::vector<Wrench> acting;
  acting.resize(contacts.size());
  const std::span<Wrench> wrenches = acting;
  ForEach(contacts.size(), threads, [&](std::size_t c) {
    PrefetchAhead(c, contacts.size(), [&](std::size_t soon) { return &contacts[soon]; });
    const Contact& contact = contacts[c];
    wrenches[c] = {contact.active,        contact.body_i, contact.body_j,
                   contact.geometry.p_WC, contact.force,  contact.torque};
  });
  for (const Wrench& wrench : wrenches) {
    if (!wrench.acts) continue;
    const auto act = [&](int index, double sign) {
      BodyState& state = (*out)[static_cast<std::size_t>(index)];
      const Vec3 force = sign * wrench.force;
      state.contact_force += force;
      state.contact_torque += Cross(wrench.at - state.X_WB.p, force) + sign * wrench.torque;
    };
    act(wrench.body_i, 1.0);
    act(wrench.body_j, -1.0);
  }
}

void ReportContacts(const State& from, std::vector<ContactReport>* out) {
  out->clear();
  for (const Contact& contact : from.patches.contacts) {
    if (!contact.active) continue;
    const RigidBody& i = from.bodies[static_cast<std::size_t>(contact.body_i)];
    const RigidBody& j = from.bodies[static_cast<std::size_t>(contact.body_j)];
    const Vec3& c = contact.geometry.p_WC;
    ContactReport& report = out->emplace_back();
    report.id = contact.id;
    report.body_i = contact.body_i;
    report.body_j = contact.body_j;
    report.pairs = contact.pairs;
    report.geometry = contact.geometry;
    report.state = contact.accepted;
    report.latch = contact.latch;
    report.f_n = contact.f_n;
    report.force = contact.force;
    report.torque = contact.torque;
    report.v_c = i.v + Cross(i.w, c - i.p_WM) - j.v - Cross(j.w, c - j.p_WM);
    report.since = contact.since;
  }
}

void ReportSensors(const World& world, const std::vector<BodyState>& bodies,
                   std::vector<SensorReading>* out) {
  out->resize(world.scene.sensors.size());
  for (std::size_t s = 0; s < out->size(); ++s) {
    const SensorSettings& sensor = world.scene.sensors[s];
    const BodyState& body = bodies[static_cast<std::size_t>(world.sensor_bodies[s])];
    const int axes = world.sensor_axes[s];
    const Pose X_WR = axes < 0 ? Pose{} : bodies[static_cast<std::size_t>(axes)].X_WB;
    const Pose X_WS = body.X_WB * sensor.X_BS;
    const Pose X_RS = Inverse(X_WR) * X_WS;
    const Vec3 arm = X_WS.p - body.X_WB.p;
    SensorReading& out_s = (*out)[s];
    out_s.position = X_RS.p;
    out_s.orientation = ToQuaternion(X_RS.R);
    out_s.velocity = TransposeTimes(X_WR.R, body.v_WB + Cross(body.w_WB, arm));
    out_s.angular_velocity = TransposeTimes(X_WR.R, body.w_WB);
    out_s.force = TransposeTimes(X_WR.R, body.contact_force);
    out_s.torque = TransposeTimes(X_WR.R, body.contact_torque - Cross(arm, body.contact_force));
  }
}

void UpdateFigures(const std::vector<BodyState>& bodies, RunFigures* figures) {
  figures->peak_force.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    Vec3& peak = figures->peak_force[b];
    peak = Max(peak, Abs(bodies[b].contact_force));
  }
}

}  // namespace intervox::host
