// How far a stage's geometry is from the implicit position, and the way there.
#include <algorithm>
#include <cmath>

#include "host/bodies/motion.h"
#include "host/simulation/contact_scales.h"
#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

/** The geometry is evaluated again at the implicit position where that changes a contact's V, or
 its moment over the patch's radius, by more than this share of what is there. */
constexpr double kMiss = 0.1;
/** The same for a dissipative step, which is safe only where it has converged. */
constexpr double kDissipativeMiss = 0.01;
/** Bounds of Aitken's relaxation. */
constexpr double kLeastRelaxation = 0.05, kMostRelaxation = 2.0;

}  // namespace

void GroupStage::WatchFrequencies() {
  for (std::size_t k = 0; k < s_.contacts.size(); ++k) {
    s_.fastest = std::fmax(s_.fastest, s_.frequencies[k]);
    const std::size_t c = s_.contact_of[k];
    if (c < s_.followed.size() && s_.followed[c]) {
      s_.fastest_followed = std::fmax(s_.fastest_followed, s_.frequencies[k]);
    }
  }
}

/** Notes where the contacts of the accepted state overlap. */
void GroupStage::BeginOverlaps() {
  const std::span<const Contact> contacts = group_.patches.contacts;
  s_.last_overlaps.assign(contacts.size(), {});
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    const double S = Norm(contact.geometry.S);
    LastOverlap& last = s_.last_overlaps[c];
    last.known = contact.active && contact.geometry.V > 0.0 && S > 0.0;
    if (!last.known) continue;
    last.mean_depth = contact.geometry.V / S;
    for (int side = 0; side < 2; ++side) {
      const RigidBody& body =
          Body(static_cast<std::size_t>(side == 0 ? contact.body_i : contact.body_j));
      last.center[side] = body.p_WM;
      last.turn[side] = body.q_WB;
    }
  }
}

/** Contacts whose bodies no longer overlap press on as they did where they were evaluated last,
 where the solution comes back to there: without them the iteration would jump between the two
 sides of a face for ever. Two evaluations tell how V grows, which rounding of a thin patch's
 moments hides: V ∝ depth^p has V/|S| = depth/p. */
void GroupStage::FollowOverlaps() {
  constexpr double kLeastChange = 0.01;  // of the depth, from which on two evaluations tell
  const std::span<Contact> contacts = s_.patches.contacts;
  s_.last_overlaps.resize(contacts.size());
  ForEach(contacts.size(), [&](std::size_t c) {
    Contact& contact = contacts[c];
    LastOverlap& last = s_.last_overlaps[c];
    const ContactModel& model = *rules_.Rule(contact.body_i, contact.body_j).model;
    const PatchGeometry& g = contact.geometry;
    if (g.is_point || model.normal->Conserves() || model.friction->IsDistributed()) return;
    last.moved = last.turned = Vec3{};
    last.left = contact.pairs == 0 && last.known;
    if (!last.left && !(contact.active && g.V > 0.0)) return;
    const std::size_t bodies[2] = {static_cast<std::size_t>(contact.body_i),
                                   static_cast<std::size_t>(contact.body_j)};
    Vec3 moved, turned;
    for (int side = 0; side < 2 && last.known; ++side) {
      const std::size_t b = bodies[side];
      const double sign = side == 0 ? 1.0 : -1.0;
      const Quaternion q = last.turn[side];
      const Vec3 angle = ToRotationVector(s_.quaternions[b] * Quaternion{q.w, -q.x, -q.y, -q.z});
      moved += sign * (s_.centers[b] - last.center[side] + Cross(angle, g.p_WC - s_.centers[b]));
      turned += sign * angle;
    }
    const double S = Norm(g.S);
    const double way = S > 0.0 ? -(Dot(g.S, moved) + Dot(g.G, turned)) / S : 0.0;  // deeper
    if (last.left) {
      contact.active = true;
      last.moved = moved;
      last.turned = turned;
      // What is left was no deeper than this.
      const double most = -way / last.mean_depth;
      if (last.power > most) last.power = 0.5 * (1.0 + std::fmax(1.0, most));
      return;
    }
    const double depth = S > 0.0 ? g.V / S : 0.0, change = depth - last.mean_depth;
    if (last.known && std::fabs(change) > kLeastChange * std::fmax(depth, last.mean_depth)) {
      last.power = std::clamp(way / change, 1.0, 3.0);
    }
    last.known = S > 0.0;
    last.mean_depth = depth;
    for (int side = 0; side < 2; ++side) {
      last.center[side] = s_.centers[bodies[side]];
      last.turn[side] = s_.quaternions[bodies[side]];
    }
  });
}

/** Whether the implicit position is so far from where the geometry of the k-th acting contact was
 evaluated that the linear change of its wrench does not hold. */
bool GroupStage::Misses(std::size_t k, double h_gamma) const {
  const double limit = substep_.dissipative ? kDissipativeMiss : kMiss;
  const StageContact& contact = *s_.contacts[k];
  const PatchGeometry& g = contact.geometry;
  const double S = Norm(g.S);
  if (!(g.V > 0.0) || !(S > 0.0)) return false;
  const std::size_t c = s_.contact_of[k];
  if (c < s_.last_overlaps.size() && s_.last_overlaps[c].left) return contact.f_n > 0.0;
  const auto turn = [&](int b) {
    const StageBody& body = s_.bodies[static_cast<std::size_t>(b)];
    return body.has_offset ? body.dtheta + h_gamma * body.w : Vec3{};
  };
  const auto move = [&](int b, const Vec3& turned) {
    const StageBody& body = s_.bodies[static_cast<std::size_t>(b)];
    return body.has_offset ? body.dx + h_gamma * body.v + Cross(turned, g.p_WC - body.p_WM)
                           : Vec3{};
  };
  const Vec3 turn_i = turn(contact.body_i), turn_j = turn(contact.body_j);
  const Vec3 moved = move(contact.body_i, turn_i) - move(contact.body_j, turn_j);
  if (g.is_point) return std::fabs(Dot(g.S, moved)) > limit * g.V;
  const Vec3 turned = turn_i - turn_j;
  const double volume = std::fabs(Dot(g.S, moved) + Dot(g.G, turned));
  const double tilt = Norm(turned - Dot(turned, g.n) * g.n) * PatchRadius(g);
  return volume + tilt * S > limit * g.V;
}

/** Moves the bodies to the implicit position, by Aitken's relaxation in the norm of the masses: a
 plain move may jump between the two sides of a face for ever. */
void GroupStage::MoveToImplicitPosition(double h_gamma, int iteration) {
  s_.x_next.resize(s_.x_star.size());
  for (std::size_t f = 0; f < group_.free.size(); ++f) {
    const auto b = static_cast<std::size_t>(group_.free[f]);
    const StageBody& body = s_.bodies[b];
    const Quaternion dq = QuaternionRate(body.w, s_.quaternions[b]);
    const Quaternion q = StateLayout::Turn(s_.x_star, f);
    const std::span<const double> x_star = s_.x_star;
    WriteVec3(ReadVec3(StateLayout::Center(x_star, f)) + h_gamma * body.v,
              StateLayout::Center(std::span<double>(s_.x_next), f));
    StateLayout::SetTurn(
        {q.w + h_gamma * dq.w, q.x + h_gamma * dq.x, q.y + h_gamma * dq.y, q.z + h_gamma * dq.z},
        s_.x_next, f);
  }
  Project(s_.x_next);
  s_.miss.resize(s_.x_next.size());
  for (std::size_t k = 0; k < s_.miss.size(); ++k) s_.miss[k] = s_.x_next[k] - s_.x_now[k];
  if (iteration > 0) {
    double along = 0.0, square = 0.0;
    for (std::size_t f = 0; f < group_.free.size(); ++f) {
      const RigidBody& body = Body(static_cast<std::size_t>(group_.free[f]));
      const double inertia =
          4.0 / 3.0 * Trace(body.inertia_M);  // |dq|² is a quarter of the angle's
      for (std::size_t k = 7 * f; k < 7 * f + 7; ++k) {
        const double mass = k < 7 * f + 3 ? body.mass : inertia;
        const double change = s_.miss[k] - s_.miss_before[k];
        along += mass * s_.miss_before[k] * change;
        square += mass * change * change;
      }
    }
    if (square > 0.0) {
      relaxation_ = std::clamp(-relaxation_ * along / square, kLeastRelaxation, kMostRelaxation);
    }
  } else {
    relaxation_ = 1.0;
  }
  std::swap(s_.miss, s_.miss_before);
  for (std::size_t k = 0; k < s_.x_now.size(); ++k) s_.x_now[k] += relaxation_ * s_.miss_before[k];
  Project(s_.x_now);
  PlaceFree(s_.x_now);
  for (std::size_t k = 0; k < s_.x_now.size(); ++k) s_.offset[k] = s_.x_star[k] - s_.x_now[k];
}

}  // namespace intervox::host
