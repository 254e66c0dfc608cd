/** @file The rules of grouping as plain loops over all pairs, quadratic and cubic: what they say,
 word for word, against which the fast ones are held. One pair of bodies only. */
#pragma once

#include <algorithm>
#include <vector>

#include "host/contact/patches/patches.h"

namespace intervox::host::testing {

class QuadraticPatches {
 public:
  /** The pairs of which patches grow and merge, all of the same two bodies. */
  QuadraticPatches(const PatchRules& rules, std::span<const ActivePair> pairs)
      : rules_(rules), pairs_(pairs) {}

  /** The group of each pair; numbers may leave gaps. */
  std::vector<int> Group() {
    group_of_.assign(pairs_.size(), -1);
    GroupBodyPair(0, pairs_.size());
    return group_of_;
  }

  /** How often two groups became one. */
  int merged() const { return merged_; }

  /** Lets the pairs join the patches; what the held pairs are afterwards. */
  void Join(std::size_t capacity, std::vector<Contact>* contacts, std::vector<Held>* held);

 private:
  static bool Agree(const Vec3& a, const Vec3& b) {
    const double dot = Dot(a, b);
    return dot > 0 && dot * dot >= kPatchCosine * kPatchCosine * SquaredNorm(a) * SquaredNorm(b);
  }
  bool AreNear(int body, int a, int b) const {
    const auto near = rules_.Neighbours(body, a);
    return a == b || std::find(near.begin(), near.end(), b) != near.end();
  }
  bool Near(const ActivePair& p, int a, int b) const {
    return AreNear(p.i, p.a, a) && AreNear(p.j, p.b, b);
  }
  bool Near(const ActivePair& p, const ActivePair& q) const { return Near(p, q.a, q.b); }
  static bool MayJoin(const Contact& contact, const ActivePair& pair) {
    if (!contact.active) return false;
    MetricsSum one, added;
    one.Add(contact.geometry);
    added.Add(pair.metrics);
    return MayBeOneConvexOverlap(one, added);
  }
  bool GroupsTouch(std::size_t begin, std::size_t end, int g, int h, const Vec3* direction) const;
  void JoinUndirected(std::size_t begin, std::size_t end);
  void JoinGroups(std::size_t begin, std::size_t end, int first);
  void GroupBodyPair(std::size_t begin, std::size_t end);
  void SumHeld(const std::vector<Held>& held, std::vector<Contact>* contacts) const;
  int BestContact(const ActivePair& pair, const std::vector<Contact>& contacts,
                  const std::vector<Held>& held) const;

  struct Parts {
    MetricsSum sum;
  };
  const PatchRules& rules_;
  std::span<const ActivePair> pairs_;
  std::vector<int> group_of_;
  std::vector<Parts> groups_;
  std::vector<std::size_t> order_;
  int merged_ = 0;
};

inline bool QuadraticPatches::GroupsTouch(std::size_t begin, std::size_t end, int g, int h,
                                          const Vec3* direction) const {
  const auto counts = [&](std::size_t k, int group) {
    return group_of_[k] == group &&
           (direction == nullptr || Agree(pairs_[k].metrics.area_vector, *direction));
  };
  for (std::size_t k = begin; k < end; ++k) {
    if (!counts(k, g)) continue;
    for (std::size_t l = begin; l < end; ++l) {
      if (counts(l, h) && Near(pairs_[k], pairs_[l])) return true;
    }
  }
  return false;
}

inline void QuadraticPatches::JoinUndirected(std::size_t begin, std::size_t end) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = begin; k < end; ++k) {
      if (group_of_[k] >= 0) continue;
      double largest = -1.0;
      for (std::size_t l = begin; l < end; ++l) {
        if (group_of_[l] < 0 || !Near(pairs_[k], pairs_[l])) continue;
        const double size = SquaredNorm(pairs_[l].metrics.area_vector);
        if (size <= largest) continue;
        largest = size;
        group_of_[k] = group_of_[l];
      }
      changed = changed || group_of_[k] >= 0;
    }
  }
  for (std::size_t k = begin; k < end; ++k) {
    if (group_of_[k] >= 0) continue;
    group_of_[k] = static_cast<int>(groups_.size());
    groups_.push_back({});
  }
}

inline void QuadraticPatches::JoinGroups(std::size_t begin, std::size_t end, int first) {
  const auto sum_of = [&](int g) -> MetricsSum& {
    return groups_[static_cast<std::size_t>(g)].sum;
  };
  const int last = static_cast<int>(groups_.size());
  const auto gap_of = [&](int g, int h) {
    const Vec3 s = sum_of(g).s + sum_of(h).s;
    const bool alike = Agree(sum_of(g).s, s) && Agree(sum_of(h).s, s);
    if (alike && GroupsTouch(begin, end, g, h, &s)) return 0.0;
    const double gap = ConvexGap(sum_of(g), sum_of(h));
    return gap <= 1.0 && GroupsTouch(begin, end, g, h, nullptr) ? gap : 2.0;
  };
  for (;;) {
    int into = -1, from = -1;
    double least = 2.0;
    for (int g = first; g < last && least > 0; ++g) {
      for (int h = g + 1; h < last && least > 0; ++h) {
        if (sum_of(g).pairs == 0 || sum_of(h).pairs == 0) continue;
        const double gap = gap_of(g, h);
        if (gap >= least) continue;
        least = gap;
        into = g;
        from = h;
      }
    }
    if (into < 0) return;
    ++merged_;
    sum_of(into).Add(sum_of(from));
    sum_of(from) = {};
    for (std::size_t k = begin; k < end; ++k) {
      if (group_of_[k] == from) group_of_[k] = into;
    }
  }
}

inline void QuadraticPatches::GroupBodyPair(std::size_t begin, std::size_t end) {
  const auto first_group = static_cast<int>(groups_.size());
  order_.clear();
  for (std::size_t k = begin; k < end; ++k) {
    if (HasDirection(pairs_[k].metrics.area_vector, pairs_[k].metrics.volume)) order_.push_back(k);
  }
  std::sort(order_.begin(), order_.end(), [&](std::size_t k, std::size_t l) {
    const double a = SquaredNorm(pairs_[k].metrics.area_vector);
    const double b = SquaredNorm(pairs_[l].metrics.area_vector);
    return a != b ? a > b : k < l;
  });
  // Grow from the largest area vector: neighbours that agree with the sum so far.
  for (const std::size_t seed : order_) {
    if (group_of_[seed] >= 0) continue;
    const auto g = static_cast<int>(groups_.size());
    group_of_[seed] = g;
    groups_.push_back({});
    MetricsSum& sum = groups_.back().sum;
    sum.Add(pairs_[seed].metrics);
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t k : order_) {
        if (group_of_[k] >= 0 || !Agree(pairs_[k].metrics.area_vector, sum.s)) continue;
        const bool touches = std::any_of(order_.begin(), order_.end(), [&](std::size_t l) {
          return group_of_[l] == g && Near(pairs_[k], pairs_[l]);
        });
        if (!touches) continue;
        group_of_[k] = g;
        sum.Add(pairs_[k].metrics);
        changed = true;
      }
    }
  }
  JoinGroups(begin, end, first_group);
  JoinUndirected(begin, end);
}

inline int QuadraticPatches::BestContact(const ActivePair& pair,
                                         const std::vector<Contact>& contacts,
                                         const std::vector<Held>& held) const {
  const Vec3& S = pair.metrics.area_vector;
  const bool directed = HasDirection(S, pair.metrics.volume);
  const double size = Norm(S);
  int best = -1;
  double best_value = 0.0;
  for (const Held& h : held) {
    if (!Near(pair, h.cells.a, h.cells.b)) continue;
    const Contact& contact = contacts[static_cast<std::size_t>(h.contact)];
    double value = Norm(contact.geometry.S);
    if (directed) {
      value = contact.has_normal ? Dot(contact.n_accepted, S) / size : 0.0;
      if (value < kPatchCosine && !MayJoin(contact, pair)) continue;
    }
    if (best < 0 || value > best_value) {
      best = h.contact;
      best_value = value;
    }
  }
  return best;
}

/** Contacts as the held pairs make them now. */
inline void QuadraticPatches::SumHeld(const std::vector<Held>& held,
                                      std::vector<Contact>* contacts) const {
  std::int64_t undefined = 0;
  for (std::size_t c = 0; c < contacts->size(); ++c) {
    Contact& contact = (*contacts)[c];
    MetricsSum sum;
    for (const ActivePair& p : pairs_) {
      for (const Held& h : held) {
        if (h.contact != static_cast<int>(c) || h.cells != CellsOf(p)) continue;
        sum.Add(p.metrics);
        sum.AddWall(p.metrics, p.wall);
      }
    }
    FinishGeometry(rules_.Settings(contact.body_i, contact.body_j), sum, &contact, &undefined);
  }
}

inline void QuadraticPatches::Join(std::size_t capacity, std::vector<Contact>* contacts,
                                   std::vector<Held>* held) {
  const auto before = [](const Held& x, const Held& y) { return x.cells < y.cells; };
  const auto hold = [&](const ActivePair& pair, int contact) {
    const Held one{{pair.i, pair.j, pair.a, pair.b}, contact};
    held->insert(std::lower_bound(held->begin(), held->end(), one, before), one);
  };
  SumHeld(*held, contacts);
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const ActivePair& p = pairs_[k];
    if (!std::binary_search(held->begin(), held->end(), Held{{p.i, p.j, p.a, p.b}, 0}, before)) {
      open.push_back(k);
    }
  }
  while (!open.empty()) {
    bool joined = false;
    for (std::size_t& k : open) {
      const int contact = BestContact(pairs_[k], *contacts, *held);
      if (contact < 0) continue;
      hold(pairs_[k], contact);
      k = pairs_.size();
      joined = true;
    }
    std::erase(open, pairs_.size());
    if (joined || open.empty()) continue;
    const auto largest = std::max_element(open.begin(), open.end(), [&](auto k, auto l) {
      return pairs_[k].metrics.volume < pairs_[l].metrics.volume;
    });
    const ActivePair& pair = pairs_[*largest];
    open.erase(largest);
    if (contacts->size() >= capacity) continue;
    Contact contact;
    if (HasDirection(pair.metrics.area_vector, pair.metrics.volume)) {
      contact.n_accepted = Normalized(pair.metrics.area_vector);
      contact.has_normal = true;
    }
    hold(pair, static_cast<int>(contacts->size()));
    contacts->push_back(contact);
  }
}

}  // namespace intervox::host::testing
