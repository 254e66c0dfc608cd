#include "host/simulation/place_body.h"

#include <cmath>
#include <utility>

#include "host/simulation/group.h"

namespace intervox::host {
namespace {

/** Places nearer than this share of a body's radius are the same. */
constexpr double kSamePlace = 1e-9;

/** Ends the contacts of a body. */
void EndContacts(int body, State* state) {
  Patches& patches = state->patches;
  const auto ends = [body](int i, int j) { return i == body || j == body; };
  std::vector<int> place;
  std::vector<Contact> kept;
  for (const Contact& contact : patches.contacts) {
    if (ends(contact.body_i, contact.body_j)) {
      place.push_back(-1);
      state->ledger.bristle_lost += std::fmax(0.0, contact.bristle_energy);
    } else {
      place.push_back(static_cast<int>(kept.size()));
      kept.push_back(contact);
    }
  }
  patches.contacts = std::move(kept);
  std::erase_if(patches.held, [&](const Held& held) { return ends(held.cells.i, held.cells.j); });
  for (Held& held : patches.held) held.contact = place[static_cast<std::size_t>(held.contact)];
}

}  // namespace

void PlaceDriven(const World& world, State* state) {
  for (std::size_t b = 0; b < state->bodies.size(); ++b) {
    if (state->bodies[b].kind != BodyKind::kDriven) continue;
    PlaceDrivenBody(world.scene.bodies[b], state->time, &state->bodies[b], &state->poses[b]);
  }
}

bool PlaceBody(const World& world, int body, const PrescribedMotion::Key& at, State* state) {
  const auto b = static_cast<std::size_t>(body);
  RigidBody& rigid = state->bodies[b];
  const bool is_free = rigid.kind == BodyKind::kFree;
  const FrameMotion motion = Evaluate(at, at.t);
  const BodyCells& cells = world.boxes[b];
  if (!is_free && cells.bounded &&
      Displacement(motion.X_WF, state->poses[b], cells) <= kSamePlace * cells.radius) {
    // It goes on from where it is: contacts last.
    rigid.input.drives = true;
    rigid.input.drive = at;
    return false;
  }
  EndContacts(body, state);
  if (is_free) {
    rigid.q_WB = motion.q_WF;
    rigid.p_WM = motion.X_WF * rigid.p_BM;
    rigid.momentum = rigid.mass * (motion.v_WF + Cross(motion.w_WF, rigid.p_WM - motion.X_WF.p));
    const Mat3& R = motion.X_WF.R;
    rigid.spin = R * (rigid.inertia_M * TransposeTimes(R, motion.w_WF));
    state->poses[b] = SetVelocities(&rigid);
  } else {
    rigid.input.drives = true;
    rigid.input.drive = at;
    PlaceDriven(world, state);
  }
  return true;
}

}  // namespace intervox::host
