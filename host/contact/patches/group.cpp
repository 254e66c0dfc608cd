// Grouping: which overlapping cell pairs of a body pair make one patch.

#include <algorithm>

#include "host/contact/patches/patch_set.h"

namespace intervox::host {
namespace {

bool Agree(const Vec3& a, const Vec3& b) {
  const double dot = Dot(a, b);
  return dot > 0 && dot * dot >= kPatchCosine * kPatchCosine * SquaredNorm(a) * SquaredNorm(b);
}

}  // namespace

/** Whether a pair of each are neighbours; with a direction, pairs that agree with it. */
bool PatchSet::GroupsTouch(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end,
                           int g, int h, const Vec3* direction) const {
  const auto counts = [&](std::size_t k, int group) {
    return group_of_[k] == group &&
           (direction == nullptr || Agree(pairs[k].metrics.area_vector, *direction));
  };
  for (std::size_t k = begin; k < end; ++k) {
    if (!counts(k, g)) continue;
    for (std::size_t l = begin; l < end; ++l) {
      if (counts(l, h) && Near(pairs[k], pairs[l])) return true;
    }
  }
  return false;
}

/** A pair without a direction goes with its neighbour of the largest S. */
void PatchSet::JoinUndirected(std::span<const ActivePair> pairs, std::size_t begin,
                              std::size_t end) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = begin; k < end; ++k) {
      if (group_of_[k] >= 0) continue;
      double largest = -1.0;
      for (std::size_t l = begin; l < end; ++l) {
        if (group_of_[l] < 0 || !Near(pairs[k], pairs[l])) continue;
        const double size = SquaredNorm(pairs[l].metrics.area_vector);
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

/** Two groups are one that both agree with their common sum, so that the order of growth does not
 matter, or that may be one convex overlap: the nearest ones first, because a sliver may belong to
 many, and in which order these come is decided by rounding. Groups that agree do so through pairs
 that agree: two feet on a plate are not one for the sake of a sliver that is next to both. */
void PatchSet::JoinGroups(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end,
                          int first) {
  const auto sum_of = [&](int g) -> MetricsSum& {
    return groups_[static_cast<std::size_t>(g)].sum;
  };
  const int last = static_cast<int>(groups_.size());
  const auto gap_of = [&](int g, int h) {
    const Vec3 s = sum_of(g).s + sum_of(h).s;
    const bool alike = Agree(sum_of(g).s, s) && Agree(sum_of(h).s, s);
    if (alike && GroupsTouch(pairs, begin, end, g, h, &s)) return 0.0;
    const double gap = ConvexGap(sum_of(g), sum_of(h));
    return gap <= 1.0 && GroupsTouch(pairs, begin, end, g, h, nullptr) ? gap : 2.0;
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
    sum_of(into).Add(sum_of(from));
    sum_of(from) = {};
    for (std::size_t k = begin; k < end; ++k) {
      if (group_of_[k] == from) group_of_[k] = into;
    }
  }
}

void PatchSet::GroupBodyPair(std::span<const ActivePair> pairs, std::size_t begin,
                             std::size_t end) {
  const auto first_group = static_cast<int>(groups_.size());
  order_.clear();
  for (std::size_t k = begin; k < end; ++k) {
    if (HasDirection(pairs[k].metrics.area_vector, pairs[k].metrics.volume)) order_.push_back(k);
  }
  std::sort(order_.begin(), order_.end(), [&](std::size_t k, std::size_t l) {
    const double a = SquaredNorm(pairs[k].metrics.area_vector);
    const double b = SquaredNorm(pairs[l].metrics.area_vector);
    return a != b ? a > b : k < l;
  });
  // Grow from the largest area vector: neighbours that agree with the sum so far.
  for (const std::size_t seed : order_) {
    if (group_of_[seed] >= 0) continue;
    const auto g = static_cast<int>(groups_.size());
    group_of_[seed] = g;
    groups_.push_back({});
    MetricsSum& sum = groups_.back().sum;
    sum.Add(pairs[seed].metrics);
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t k : order_) {
        if (group_of_[k] >= 0 || !Agree(pairs[k].metrics.area_vector, sum.s)) continue;
        const bool touches = std::any_of(order_.begin(), order_.end(), [&](std::size_t l) {
          return group_of_[l] == g && Near(pairs[k], pairs[l]);
        });
        if (!touches) continue;
        group_of_[k] = g;
        sum.Add(pairs[k].metrics);
        changed = true;
      }
    }
  }
  JoinGroups(pairs, begin, end, first_group);
  JoinUndirected(pairs, begin, end);
}

void PatchSet::GroupPairs(std::span<const ActivePair> pairs) {
  group_of_.assign(pairs.size(), -1);
  groups_.clear();
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end].body_pair == pairs[begin].body_pair) ++end;
    const auto bodies = static_cast<std::size_t>(pairs[begin].body_pair);
    if (body_pairs_[bodies].settings.per_cell_pair) {
      for (std::size_t k = begin; k < end; ++k) {
        group_of_[k] = static_cast<int>(groups_.size());
        groups_.push_back({});
      }
    } else {
      GroupBodyPair(pairs, begin, end);
    }
  }
}

bool PatchSet::Regroups(std::span<const ActivePair> pairs) {
  if (pairs.size() < 2) return false;
  GroupPairs(pairs);
  grouped_ = true;
  contact_of_group_.assign(groups_.size(), -1);
  group_of_contact_.assign(contacts_.size(), -1);
  const auto differs = [](int* known, int seen) {
    if (*known < 0) *known = seen;
    return *known != seen;
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const int contact = FindHeld(pairs[k]);
    if (contact < 0 || contacts_[static_cast<std::size_t>(contact)].provisional) continue;
    const int group = group_of_[k];
    if (differs(&contact_of_group_[static_cast<std::size_t>(group)], contact) ||
        differs(&group_of_contact_[static_cast<std::size_t>(contact)], group)) {
      return true;
    }
  }
  return false;
}

}  // namespace intervox::host
