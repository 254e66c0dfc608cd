// Inheritance: what patches take over from the contacts that their cell pairs belonged to.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "cuda/device/executor.h"
#include "host/contact/patches/patches.h"
#include "host/contact/prefetch.h"

namespace intervox::host {
namespace {

/** Sorts what mostly is sorted. */
template <class List, class Before>
void SortOnce(List* list, const Before& before) {
  if (!std::is_sorted(list->begin(), list->end(), before)) {
    std::sort(list->begin(), list->end(), before);
  }
}

constexpr int kGrain = 256;  // groups that go to a thread together

/** Lists which part of each contact went to each group: by group, then in the order of the pairs.
 Sets the volume that is left of each contact. */
void CollectShares(std::span<const ActivePair> pairs, const Grouping& grouping,
                   std::size_t contacts, PatchScratch* scratch) {
  std::vector<int>& order = scratch->order;
  const std::vector<int>& contact_of = scratch->contact_of;
  scratch->contact_volume.assign(contacts, 0.0);
  order.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (contact_of[k] < 0) continue;
    scratch->contact_volume[static_cast<std::size_t>(contact_of[k])] += pairs[k].metrics.volume;
    order.push_back(static_cast<int>(k));
  }
  const auto group = [&](int k) { return grouping.group_of[static_cast<std::size_t>(k)]; };
  const auto contact = [&](int k) { return contact_of[static_cast<std::size_t>(k)]; };
  SortOnce(&order, [&](int k, int l) {
    if (group(k) != group(l)) return group(k) < group(l);
    return contact(k) != contact(l) ? contact(k) < contact(l) : k < l;
  });
  std::vector<PatchShare>& shares = scratch->shares;
  shares.clear();
  for (const int k : order) {
    const bool known =
        !shares.empty() && shares.back().group == group(k) && shares.back().contact == contact(k);
    if (!known) shares.push_back({group(k), contact(k), k, 0.0});
    shares.back().volume += pairs[static_cast<std::size_t>(k)].metrics.volume;
  }
  SortOnce(&shares, [](const PatchShare& x, const PatchShare& y) {
    return x.group != y.group ? x.group < y.group : x.first < y.first;
  });
  scratch->first_share.assign(static_cast<std::size_t>(grouping.count) + 1, 0);
  for (const PatchShare& share : shares) {
    ++scratch->first_share[static_cast<std::size_t>(share.group) + 1];
  }
  for (std::size_t g = 1; g < scratch->first_share.size(); ++g) {
    scratch->first_share[g] += scratch->first_share[g - 1];
  }
}

/** Finds the heir of each contact: the group that most of its volume went to; −1: none. */
void FindHeirs(std::size_t contacts, PatchScratch* scratch) {
  std::vector<int>& heir = scratch->heir;  // as an index into the shares first
  const std::vector<PatchShare>& shares = scratch->shares;
  heir.assign(contacts, -1);
  for (std::size_t s = 0; s < shares.size(); ++s) {
    int& best = heir[static_cast<std::size_t>(shares[s].contact)];
    if (best >= 0) {
      const PatchShare& known = shares[static_cast<std::size_t>(best)];
      if (shares[s].volume < known.volume) continue;
      if (shares[s].volume == known.volume && shares[s].first > known.first) continue;
    }
    best = static_cast<int>(s);
  }
  for (int& best : heir) {
    if (best >= 0) best = shares[static_cast<std::size_t>(best)].group;
  }
}

/** The contact that a group goes on as, by the larger share of volume: one whose heir it is. Null:
 it is new. */
const Contact* PredecessorOf(int group, std::span<const PatchShare> shares,
                             std::span<const Contact> contacts, std::span<const int> heir_of) {
  double largest = 0.0;
  const Contact* predecessor = nullptr;
  for (const PatchShare& share : shares) {
    const auto c = static_cast<std::size_t>(share.contact);
    if (heir_of[c] != group || !(share.volume > largest)) continue;
    largest = share.volume;
    predecessor = &contacts[c];
  }
  return predecessor;
}

/** Gives a contact its previous normal, that of the larger share. */
void TakeNormal(std::span<const PatchShare> shares, std::span<const Contact> contacts,
                Contact* heir) {
  double largest = 0.0;
  for (const PatchShare& share : shares) {
    if (!(share.volume > largest)) continue;
    const Contact& old = contacts[static_cast<std::size_t>(share.contact)];
    largest = share.volume;
    heir->has_normal = old.has_normal;
    heir->n_accepted = old.n_accepted;
  }
}

/** Gives a contact the wrench and the levers of the only one that it comes from. */
void TakeWrench(const Contact& old, Contact* heir) {
  heir->has_lever = old.has_lever;
  heir->lever_i = old.lever_i;
  heir->lever_j = old.lever_j;
  heir->solved = old.solved;
  heir->f_n = old.f_n;
  heir->force = old.force;
  heir->torque = old.torque;
  heir->force_rate = old.force_rate;
  heir->torque_rate = old.torque_rate;
  heir->power = old.power;
  heir->relaxation_power = old.relaxation_power;
  heir->rate = old.rate;
  if (old.has_normal && heir->has_normal) {
    const Mat3 turn = SmallestRotation(old.n_accepted, heir->n_accepted);
    heir->rate.z = turn * old.rate.z;
    heir->rate.z_j = turn * old.rate.z_j;
  }
}

/** Adds the part of a contact's memory of its depth that its cell pairs took along: volumes and
 their rates add up. */
void AddMemory(const PatchLatch& old, double part, PatchLatch* sum) {
  sum->V_max += part * old.V_max;
  sum->V_last += part * old.V_last;
  sum->V_rate_last += part * old.V_rate_last;
}

/** Adds up what merging contacts remember of their depth, so that together they neither press nor
 store more than before. Their lines are springs side by side that the same approach lets go. */
class MergingMemory {
 public:
  void Add(const Contact& old, double part) {
    const PatchLatch& latch = old.latch;
    const double area = part * Norm(old.geometry.S), V = part * latch.V_last;
    const double V_max = part * latch.V_max, u = latch.V_max > 0 ? latch.unloading : 1.0;
    const bool is_pressed = V >= V_max;
    all_pressed_ = all_pressed_ && latch.V_last >= kClimbed * latch.V_max;
    by_line_ = by_line_ && u > 0;
    areas_ += area;
    if (u > 0) slopes_ += area / u;
    V_ += V;
    V_max_ += V_max;
    deepest_ += std::fmax(V_max, V);
    if (u > 0) force_ += is_pressed ? V : std::clamp((V - (1 - u) * V_max) / u, 0.0, V);
  }

  /** Sets how far the heir was pressed, and what it gives back. */
  void Set(PatchLatch* latch) const {
    latch->V_max = V_max_;
    if (!(V_max_ > 0)) return;
    if (!all_pressed_) latch->V_max = deepest_;
    if (!by_line_ || !(slopes_ > 0)) return;  // the law has one line for all
    const double u = latch->unloading = areas_ / slopes_;
    if (all_pressed_ || !(u < 1)) return;
    // Stronge's line of this slope presses with the parts' force from there.
    latch->V_max = std::fmax(latch->V_max, (V_ - u * force_) / (1 - u));
  }

 private:
  static constexpr double kClimbed = 1.5;  // V_max from which every curve is the loading line

  double areas_ = 0.0, slopes_ = 0.0, V_ = 0.0, V_max_ = 0.0, deepest_ = 0.0;
  double force_ = 0.0;  // over the loading slope [m³]
  bool all_pressed_ = true, by_line_ = true;
};

/** Gives a contact the means over its ancestors; `heir` has its normal already.
 @param shares  what came from each ancestor.
 @return bristle energy lost [J] */
double InheritStates(std::span<const PatchShare> shares, std::span<const Contact> contacts,
                     std::span<const double> contact_volume, Contact* heir) {
  double weights = 0.0, volumes = 0.0, squares = 0.0, slowness = 0.0;
  PatchState mean;
  PatchLatch memory;
  MergingMemory merging;
  double a = 0.0, energy = 0.0;
  int ancestors = 0;
  double force = 0.0;
  for (const PatchShare& share : shares) {
    force += contacts[static_cast<std::size_t>(share.contact)].f_n;
  }
  for (const PatchShare& share : shares) {
    const auto c = static_cast<std::size_t>(share.contact);
    const Contact& old = contacts[c];
    const double part = share.volume / contact_volume[c];
    const double w = force > 0 ? old.f_n * part : share.volume;
    const bool turns = old.has_normal && heir->has_normal;
    const Mat3 turn = turns ? SmallestRotation(old.n_accepted, heir->n_accepted) : Mat3::Identity();
    const Vec3 z = turns ? turn * old.accepted.z : old.accepted.z, z_j = turn * old.accepted.z_j;
    ++ancestors;
    weights += w;
    mean.z += w * z;
    mean.theta += w * old.accepted.theta;
    mean.z_j += w * z_j;
    mean.theta_j += w * old.accepted.theta_j;
    mean.s_dw += w * old.accepted.s_dw;
    mean.V_o += part * old.accepted.V_o;
    squares += w * (SquaredNorm(z) + SquaredNorm(z_j));
    energy += part * old.bristle_energy;
    heir->foundation_energy += part * old.foundation_energy;
    heir->f_n += part * old.f_n;
    heir->force += part * old.force;
    if (old.latched) {
      heir->latched = true;
      memory.quiet = volumes > 0 ? std::fmin(memory.quiet, old.latch.quiet) : old.latch.quiet;
      volumes += share.volume;
      a += share.volume * old.latch.a;
      AddMemory(old.latch, part, &memory);
      merging.Add(old, part);
      memory.form = old.latch.form;  // of points, which neither split nor merge
      memory.offset = heir->latch.offset;
      // a is proportional to 1/v_i, so 1/v_i is averaged like a.
      slowness += old.latch.v_i > 0 ? share.volume / old.latch.v_i : 0.0;
    }
    if (old.phase != ContactPhase::kProvisional) {
      heir->phase = ContactPhase::kAccepted;
      heir->since = std::fmin(heir->since, old.since);
    }
  }
  if (ancestors == 0) {
    heir->foundation_energy = HUGE_VAL;
    return 0.0;
  }
  if (weights > 0) {
    mean.z = mean.z / weights;
    mean.theta /= weights;
    mean.z_j = mean.z_j / weights;
    mean.theta_j /= weights;
    mean.s_dw /= weights;
  }
  heir->accepted = mean;
  if (volumes > 0) {
    memory.v_i = slowness > 0 ? volumes / slowness : 0.0;
    memory.a = a / volumes;
    if (ancestors > 1) merging.Set(&memory);
    heir->latch = memory;
  }
  if (ancestors == 1) {
    // Exactly as it was: no rounding from a mean of one.
    for (const PatchShare& share : shares) {
      const Contact& old = contacts[static_cast<std::size_t>(share.contact)];
      heir->latch.v_i = old.latch.v_i;
      heir->latch.a = old.latch.a;
      heir->latch.bound = old.latch.bound;
      heir->latch.unloading = old.latch.unloading;
      heir->accepted.theta = old.accepted.theta;
      heir->accepted.theta_j = old.accepted.theta_j;
      heir->accepted.s_dw = old.accepted.s_dw;
      if (share.volume >= contact_volume[static_cast<std::size_t>(share.contact)]) {
        TakeWrench(old, heir);
      }
    }
    heir->bristle_energy = energy;
    return 0.0;
  }
  // A load that falls can leave a negative energy in bristles; merging neither loses nor gains it.
  const double kept = squares > 0 && energy > 0
                          ? weights * (SquaredNorm(mean.z) + SquaredNorm(mean.z_j)) / squares
                          : 1.0;
  heir->bristle_energy = kept * energy;
  return (1 - kept) * energy;
}

std::span<const PatchShare> SharesOf(std::size_t group, const PatchScratch& scratch) {
  const std::size_t first = scratch.first_share[group];
  return {scratch.shares.data() + first, scratch.first_share[group + 1] - first};
}

/** Numbers the groups that are new, and finds the place of each in the order of the ids. */
void PlaceGroups(std::span<const Contact> before, std::size_t groups, std::uint64_t* next_id,
                 PatchScratch* scratch) {
  constexpr std::uint64_t kNone = 0;  // contacts are numbered from 1
  std::vector<std::uint64_t>& id = scratch->id_of_group;
  std::vector<int>& order = scratch->order;
  std::vector<int>& place = scratch->contact_of_group;
  id.resize(groups);
  order.resize(groups);
  place.resize(groups);
  cuda::ForEach(groups, kGrain, scratch->threads, [&](std::size_t g) {
    const int at = static_cast<int>(g);
    const Contact* predecessor = PredecessorOf(at, SharesOf(g, *scratch), before, scratch->heir);
    id[g] = predecessor != nullptr ? predecessor->id : kNone;
    order[g] = at;
  });
  for (std::uint64_t& one : id) {
    if (one == kNone) one = (*next_id)++;
  }
  SortOnce(&order, [&](int g, int h) {
    return id[static_cast<std::size_t>(g)] < id[static_cast<std::size_t>(h)];
  });
  for (std::size_t at = 0; at < groups; ++at) {
    place[static_cast<std::size_t>(order[at])] = static_cast<int>(at);
  }
}

/** Makes the contact of a group. */
void MakeHeir(const PatchRules& rules, std::span<const ActivePair> pairs,
              std::span<const Contact> before, std::size_t g, double t,
              std::int64_t* undefined_normals, PatchScratch* scratch, Contact* heir) {
  *heir = Contact{};
  const std::span<const int> own = PairsOf(g, *scratch);
  heir->body_i = pairs[static_cast<std::size_t>(own.back())].i;
  heir->body_j = pairs[static_cast<std::size_t>(own.back())].j;
  const std::span<const PatchShare> shares = SharesOf(g, *scratch);
  const Contact* predecessor = PredecessorOf(static_cast<int>(g), shares, before, scratch->heir);
  if (predecessor != nullptr) heir->impact = predecessor->impact;
  TakeNormal(shares, before, heir);
  heir->id = scratch->id_of_group[g];
  heir->phase = ContactPhase::kFresh;
  if (predecessor != nullptr) {  // an offset follows its point out
    heir->latch.offset = std::fmin(predecessor->latch.offset,
                                   pairs[static_cast<std::size_t>(own.back())].metrics.volume);
  }
  SumPairs(rules.Settings(heir->body_i, heir->body_j), pairs, own, heir, undefined_normals);
  heir->n_accepted = heir->geometry.n;
  heir->has_normal = heir->active;
  heir->geometry.R_n = Mat3::Identity();
  heir->since = t;
  scratch->lost[g] = InheritStates(shares, before, scratch->contact_volume, heir);
}

}  // namespace

PatchChanges Accept(const PatchRules& rules, std::span<const ActivePair> pairs,
                    const Grouping& grouping, double t, Patches* patches, PatchScratch* scratch) {
  PatchChanges changes;
  FindHeld(*patches, pairs, scratch->threads, &scratch->contact_of);
  HandOver(rules, pairs, patches, &scratch->contact_of);
  const std::span<const Contact> before = patches->contacts;
  const auto groups = static_cast<std::size_t>(grouping.count);
  CollectShares(pairs, grouping, before.size(), scratch);
  FindHeirs(before.size(), scratch);
  PlaceGroups(before, groups, &patches->next_id, scratch);
  SortByPart(grouping.group_of, groups, scratch);
  scratch->contacts.resize(groups);
  scratch->lost.resize(groups);
  std::atomic<std::int64_t> undefined{0};
  std::atomic<int> born{0};
  const auto make = [&](int begin, int end) {
    std::int64_t count = 0;
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      PrefetchAhead(g, static_cast<std::size_t>(end), [&](std::size_t soon) {
        return &scratch->contacts[static_cast<std::size_t>(scratch->contact_of_group[soon])];
      });
      // An heir mostly stands where its ancestor stood.
      PrefetchAhead(g, std::min(static_cast<std::size_t>(end), before.size()),
                    [&](std::size_t soon) { return &before[soon]; });
      Contact& heir = scratch->contacts[static_cast<std::size_t>(scratch->contact_of_group[g])];
      MakeHeir(rules, pairs, before, g, t, &count, scratch, &heir);
      if (heir.phase == ContactPhase::kFresh) ++born;
    }
    undefined += count;
  };
  cuda::ParallelFor(static_cast<int>(groups), kGrain, scratch->threads, make);
  patches->undefined_normals += undefined;
  changes.born = born;
  for (const double lost : scratch->lost) changes.bristle_energy_lost += lost;
  for (std::size_t c = 0; c < before.size(); ++c) {
    if (scratch->contact_volume[c] > 0) continue;
    changes.bristle_energy_lost += std::fmax(0.0, before[c].bristle_energy);
    if (before[c].phase != ContactPhase::kProvisional) ++changes.retired;
  }
  std::swap(patches->contacts, scratch->contacts);
  patches->held.resize(pairs.size());
  cuda::ForEach(pairs.size(), kGrain, scratch->threads, [&](std::size_t k) {
    const auto g = static_cast<std::size_t>(grouping.group_of[k]);
    patches->held[k] = {CellsOf(pairs[k]), scratch->contact_of_group[g]};
  });
  return changes;
}

void SortContacts(Patches* patches) {
  std::vector<int> order(patches->contacts.size()), place(order.size());
  std::iota(order.begin(), order.end(), 0);
  const auto id = [&](int c) { return patches->contacts[static_cast<std::size_t>(c)].id; };
  std::sort(order.begin(), order.end(), [&](int c, int d) { return id(c) < id(d); });
  std::vector<Contact> sorted;
  sorted.reserve(order.size());
  for (const int c : order) {
    place[static_cast<std::size_t>(c)] = static_cast<int>(sorted.size());
    sorted.push_back(patches->contacts[static_cast<std::size_t>(c)]);
  }
  patches->contacts.swap(sorted);
  for (Held& held : patches->held) held.contact = place[static_cast<std::size_t>(held.contact)];
  std::sort(patches->held.begin(), patches->held.end(),
            [](const Held& a, const Held& b) { return a.cells < b.cells; });
}

}  // namespace intervox::host
