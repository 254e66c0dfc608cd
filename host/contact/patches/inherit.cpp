// Inheritance: what patches take over from the contacts that their cell pairs belonged to.

#include <algorithm>
#include <cmath>

#include "host/contact/patches/patch_set.h"

namespace intervox::host {

void PatchSet::CollectShares(std::span<const ActivePair> pairs) {
  shares_.clear();
  contact_volume_.assign(contacts_.size(), 0.0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const int contact = FindHeld(pairs[k]);
    if (contact < 0) continue;
    const double volume = pairs[k].metrics.volume;
    contact_volume_[static_cast<std::size_t>(contact)] += volume;
    const auto at = std::find_if(shares_.begin(), shares_.end(), [&](const Share& share) {
      return share.group == group_of_[k] && share.contact == contact;
    });
    if (at == shares_.end()) {
      shares_.push_back({group_of_[k], contact, volume});
    } else {
      at->volume += volume;
    }
  }
}

/** The group that most of a contact's volume went to; −1: none. */
int PatchSet::Heir(int contact) const {
  const Share* best = nullptr;
  for (const Share& share : shares_) {
    if (share.contact == contact && (best == nullptr || share.volume > best->volume)) best = &share;
  }
  return best == nullptr ? -1 : best->group;
}

/** Means over the ancestors of a group; `heir` has its normal already.
 @return bristle energy lost [J] */
double PatchSet::InheritStates(int group, Contact* heir) const {
  double weights = 0.0, volumes = 0.0, squares = 0.0, slowness = 0.0;
  PatchState mean;
  double a = 0.0, energy = 0.0;
  int ancestors = 0;
  double force = 0.0;
  for (const Share& share : shares_) {
    if (share.group != group) continue;
    force += contacts_[static_cast<std::size_t>(share.contact)].f_n;
  }
  for (const Share& share : shares_) {
    if (share.group != group) continue;
    const auto c = static_cast<std::size_t>(share.contact);
    const Contact& old = contacts_[c];
    const double part = share.volume / contact_volume_[c];
    const double w = force > 0 ? old.f_n * part : share.volume;
    const Vec3 z = old.has_normal && heir->has_normal
                       ? SmallestRotation(old.n_accepted, heir->n_accepted) * old.state.z
                       : old.state.z;
    ++ancestors;
    weights += w;
    mean.z += w * z;
    mean.theta += w * old.state.theta;
    mean.s_dw += w * old.state.s_dw;
    mean.V_o += part * old.state.V_o;
    squares += w * SquaredNorm(z);
    energy += part * old.bristle_energy;
    heir->f_n += part * old.f_n;
    heir->force += part * old.force;
    heir->peak_f_n = std::fmax(heir->peak_f_n, old.peak_f_n);
    if (old.latched) {
      heir->latched = true;
      volumes += share.volume;
      a += share.volume * old.latch.a;
      // a is proportional to 1/v_i, so 1/v_i is averaged like a.
      slowness += old.latch.v_i > 0 ? share.volume / old.latch.v_i : 0.0;
    }
    if (!old.provisional) {
      heir->fresh = false;
      heir->since = std::fmin(heir->since, old.since);
    }
  }
  if (ancestors == 0) return 0.0;
  if (weights > 0) {
    mean.z = mean.z / weights;
    mean.theta /= weights;
    mean.s_dw /= weights;
  }
  heir->state = mean;
  if (volumes > 0) heir->latch = {slowness > 0 ? volumes / slowness : 0.0, a / volumes};
  if (ancestors == 1) {
    // Exactly as it was: no rounding from a mean of one.
    for (const Share& share : shares_) {
      if (share.group != group) continue;
      const Contact& old = contacts_[static_cast<std::size_t>(share.contact)];
      heir->latch = old.latch;
      heir->state.theta = old.state.theta;
      heir->state.s_dw = old.state.s_dw;
    }
    heir->bristle_energy = energy;
    return 0.0;
  }
  // What the load has made negative is no loss of the merging's.
  const double kept = squares > 0 && energy > 0 ? weights * SquaredNorm(mean.z) / squares : 1.0;
  heir->bristle_energy = kept * energy;
  return (1 - kept) * energy;
}

PatchChanges PatchSet::Accept(std::span<const ActivePair> pairs, double t) {
  PatchChanges changes;
  if (!grouped_) GroupPairs(pairs);
  grouped_ = false;
  CollectShares(pairs);
  next_contacts_.assign(groups_.size(), Contact{});
  // Ids and the previous normal go with the larger share.
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Contact& heir = next_contacts_[g];
    double largest = 0.0;
    for (const Share& share : shares_) {
      if (share.group != static_cast<int>(g)) continue;
      const Contact& old = contacts_[static_cast<std::size_t>(share.contact)];
      if (share.volume > largest) {
        largest = share.volume;
        heir.has_normal = old.has_normal;
        heir.n_accepted = old.n_accepted;
      }
    }
    largest = 0.0;
    for (const Share& share : shares_) {
      if (share.group != static_cast<int>(g) || Heir(share.contact) != static_cast<int>(g) ||
          share.volume <= largest) {
        continue;
      }
      const Contact& old = contacts_[static_cast<std::size_t>(share.contact)];
      largest = share.volume;
      heir.id = old.id;
      heir.impact = old.impact;
    }
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    Contact& heir = next_contacts_[static_cast<std::size_t>(group_of_[k])];
    heir.body_pair = pairs[k].body_pair;
    heir.sum.Add(pairs[k].metrics);
  }
  // Groups merged into another are empty: drop them, with ids for those that have none yet.
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Contact& heir = next_contacts_[g];
    if (heir.sum.pairs == 0) continue;
    heir.provisional = false;
    FinishGeometry(&heir);
    heir.n_accepted = heir.geometry.n;
    heir.has_normal = heir.active;
    heir.geometry.R_n = Mat3::Identity();
    heir.fresh = true;
    heir.since = t;
    changes.bristle_energy_lost += InheritStates(static_cast<int>(g), &heir);
    if (heir.id == 0) heir.id = next_id_++;
    if (heir.fresh) ++changes.born;
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (contact_volume_[c] > 0) continue;
    changes.bristle_energy_lost += std::fmax(0.0, contacts_[c].bristle_energy);
    if (!contacts_[c].provisional) ++changes.retired;
  }
  // New order: by id. `order_` maps sorted place to group.
  order_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (next_contacts_[g].sum.pairs > 0) order_.push_back(g);
  }
  std::sort(order_.begin(), order_.end(), [&](std::size_t g, std::size_t h) {
    return next_contacts_[g].id < next_contacts_[h].id;
  });
  contacts_.clear();
  for (const std::size_t g : order_) contacts_.push_back(next_contacts_[g]);
  held_.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto g = static_cast<std::size_t>(group_of_[k]);
    const auto place = std::find(order_.begin(), order_.end(), g) - order_.begin();
    held_.push_back({pairs[k].body_pair, pairs[k].a, pairs[k].b, static_cast<int>(place)});
  }
  return changes;
}

}  // namespace intervox::host
