#include "host/simulation/sudden_points.h"

#include <algorithm>
#include <vector>

#include "host/simulation/contact_scales.h"

namespace intervox::host {
namespace {

constexpr int kBisections = 60;

/** How far the bodies of a trial have moved into each other at a point since its start [m]. */
double PressedIn(const BodyGroup& group, const StageScratch& scratch, const PatchGeometry& g, int i,
                 int j) {
  const auto way = [&](int body) {
    const auto b = static_cast<std::size_t>(body);
    return -WayOfPoint(scratch.poses[b], group.poses[b], g.p_WC);
  };
  return Dot(g.n, way(j) - way(i));
}

/** What a point stores at another depth [J]. */
double EnergyAt(const ContactModel& model, const Contact& contact, double depth) {
  PatchGeometry g = contact.geometry;
  g.V = depth;
  return ElasticEnergy(model, g, contact.latch, contact.accepted.V_o);
}

/** Moves a point's offset so that it stores an energy, less than it does. */
void MoveOffset(const ContactModel& model, double energy, Contact* contact) {
  double low = 0.0, high = contact->geometry.V;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    (EnergyAt(model, *contact, middle) > energy ? high : low) = middle;
  }
  contact->latch.offset += contact->geometry.V - low;
  contact->geometry.V = low;
  contact->solved = false;
}

}  // namespace

bool TakeFromSuddenPoints(const StageTools& tools, const BodyGroup& group, double gain,
                          StageScratch* scratch) {
  const GroupRules rules(*tools.world, group);
  const std::vector<Contact>& before = group.patches.contacts;
  std::vector<Contact>& contacts = scratch->patches.contacts;
  std::vector<double> jumps(contacts.size(), 0.0);
  double all = 0.0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    const ContactModel& model = *rules.Rule(contact.body_i, contact.body_j).model;
    if (contact.pairs == 0 || !contact.geometry.is_point || !model.HasPotential()) continue;
    const PatchGeometry& g = contact.geometry;
    const double then = c < before.size() ? before[c].geometry.V : 0.0;
    const double pressed =
        std::max(0.0, then + PressedIn(group, *scratch, g, contact.body_i, contact.body_j));
    Contact smooth = contact;
    if (c < before.size()) smooth.latch.form = before[c].latch.form;
    jumps[c] = std::max(
        0.0, EnergyAt(model, contact, g.V) - EnergyAt(model, smooth, std::min(pressed, g.V)));
    all += jumps[c];
  }
  if (!(all > 0.0)) return false;
  const double share = std::min(1.0, gain / all);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!(jumps[c] > 0.0)) continue;
    const ContactModel& model = *rules.Rule(contacts[c].body_i, contacts[c].body_j).model;
    MoveOffset(model, EnergyAt(model, contacts[c], contacts[c].geometry.V) - share * jumps[c],
               &contacts[c]);
  }
  return true;
}

}  // namespace intervox::host
