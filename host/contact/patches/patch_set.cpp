#include "host/contact/patches/patch_set.h"

#include <algorithm>

namespace intervox::host {
namespace {

/** Whether a contact, as it was evaluated last, and a new pair may be one convex overlap. */
bool MayJoin(const Contact& contact, const ActivePair& pair) {
  if (!contact.active) return false;
  MetricsSum held, added;
  held.Add(contact.geometry);
  added.Add(pair.metrics);
  return MayBeOneConvexOverlap(held, added);
}

}  // namespace

void PatchSet::AddBodyPair(const PatchSettings& settings, std::span<const geometry::Cell> cells_i,
                           std::span<const geometry::Cell> cells_j) {
  const auto adjacency = [](std::span<const geometry::Cell> cells) {
    Adjacency out;
    out.count = cells.size();
    out.near.assign(out.count * out.count, 0);
    for (std::size_t a = 0; a < cells.size(); ++a) {
      out.near[a * out.count + a] = 1;
      for (const int b : cells[a].neighbours) {
        const auto k = static_cast<std::size_t>(b);
        out.near[a * out.count + k] = out.near[k * out.count + a] = 1;
      }
    }
    return out;
  };
  body_pairs_.push_back({settings, adjacency(cells_i), adjacency(cells_j)});
}

bool PatchSet::Near(const ActivePair& pair, int a, int b) const {
  const BodyPairPatches& bodies = body_pairs_[static_cast<std::size_t>(pair.body_pair)];
  return bodies.cells_i(pair.a, a) && bodies.cells_j(pair.b, b);
}

int PatchSet::FindHeld(const ActivePair& pair) const {
  const Held key{pair.body_pair, pair.a, pair.b, 0};
  const auto at = std::lower_bound(held_.begin(), held_.end(), key);
  return at != held_.end() && !(key < *at) ? at->contact : -1;
}

int PatchSet::Join(const ActivePair& pair) const {
  const auto& settings = body_pairs_[static_cast<std::size_t>(pair.body_pair)].settings;
  if (settings.per_cell_pair) return -1;
  const Vec3& S = pair.metrics.area_vector;
  const bool directed = HasDirection(S, pair.metrics.volume);
  const double size = Norm(S);
  int best = -1;
  double best_value = 0.0;
  for (const Held& held : held_) {
    if (held.body_pair != pair.body_pair || !Near(pair, held.a, held.b)) continue;
    const Contact& contact = contacts_[static_cast<std::size_t>(held.contact)];
    double value = Norm(contact.geometry.S);  // a pair without direction: the largest neighbour
    if (directed) {
      value = contact.has_normal ? Dot(contact.n_accepted, S) / size : 0.0;
      if (value < kPatchCosine && !MayJoin(contact, pair)) continue;
    }
    if (best < 0 || value > best_value) {
      best = held.contact;
      best_value = value;
    }
  }
  return best;
}

void PatchSet::FinishGeometry(Contact* contact) {
  contact->active = false;
  contact->pairs = contact->sum.pairs;
  if (contact->sum.pairs == 0) return;
  PatchGeometry& geometry = contact->geometry;
  contact->sum.Finish(&geometry);
  const PatchSettings& settings =
      body_pairs_[static_cast<std::size_t>(contact->body_pair)].settings;
  const Vec3* n_prev = contact->has_normal ? &contact->n_accepted : nullptr;
  if (!ChooseNormal(settings.normal, geometry, n_prev, &geometry.n)) {
    ++undefined_normals_;
    return;
  }
  if (!contact->has_normal) {
    contact->n_accepted = geometry.n;
    contact->has_normal = true;
  }
  geometry.R_n = SmallestRotation(contact->n_accepted, geometry.n);
  contact->active = !contact->provisional || settings.born_in_stages;
}

void PatchSet::Hold(const ActivePair& pair, int contact) {
  const Held held{pair.body_pair, pair.a, pair.b, contact};
  held_.insert(std::lower_bound(held_.begin(), held_.end(), held), held);
}

bool PatchSet::StartProvisional(const ActivePair& pair, std::size_t capacity) {
  if (contacts_.size() >= capacity) return false;
  Contact contact;
  contact.id = next_id_++;
  contact.body_pair = pair.body_pair;
  if (HasDirection(pair.metrics.area_vector, pair.metrics.volume)) {
    contact.n_accepted = Normalized(pair.metrics.area_vector);
    contact.has_normal = true;
  }
  Hold(pair, static_cast<int>(contacts_.size()));
  contacts_.push_back(contact);
  return true;
}

void PatchSet::Evaluate(std::span<const ActivePair> pairs, std::size_t capacity) {
  grouped_ = false;
  for (Contact& contact : contacts_) contact.sum = {};
  order_.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (FindHeld(pairs[k]) < 0) order_.push_back(k);
  }
  // New pairs join from neighbour to neighbour; only what no chain reaches starts a contact.
  while (!order_.empty()) {
    bool joined = false;
    for (std::size_t& k : order_) {
      const int contact = Join(pairs[k]);
      if (contact < 0) continue;
      Hold(pairs[k], contact);
      k = pairs.size();
      joined = true;
    }
    std::erase(order_, pairs.size());
    if (joined || order_.empty()) continue;
    std::size_t largest = 0;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (pairs[order_[i]].metrics.volume > pairs[order_[largest]].metrics.volume) largest = i;
    }
    StartProvisional(pairs[order_[largest]], capacity);
    order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(largest));
  }
  for (const ActivePair& pair : pairs) {
    const int contact = FindHeld(pair);
    if (contact >= 0) contacts_[static_cast<std::size_t>(contact)].sum.Add(pair.metrics);
  }
  for (Contact& contact : contacts_) FinishGeometry(&contact);
}

void PatchSet::Restore(std::span<const Contact> contacts, std::span<const Held> held,
                       const Memory& memory) {
  contacts_.assign(contacts.begin(), contacts.end());
  held_.assign(held.begin(), held.end());
  next_id_ = memory.next_id;
  undefined_normals_ = memory.undefined_normals;
  grouped_ = false;
}

}  // namespace intervox::host
