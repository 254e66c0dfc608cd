// Grouping: which overlapping cell pairs of two bodies make one patch.

#include <algorithm>
#include <functional>

#include "host/contact/disjoint_sets.h"
#include "host/contact/patches/group_run.h"

namespace intervox::host {
namespace {

bool Agree(const Vec3& a, const Vec3& b) {
  const double dot = Dot(a, b);
  return dot > 0 && dot * dot >= kPatchCosine * kPatchCosine * SquaredNorm(a) * SquaredNorm(b);
}

/** A heap with the least on top. */
void Push(int value, std::vector<int>* heap) {
  heap->push_back(value);
  std::push_heap(heap->begin(), heap->end(), std::greater<>());
}

int Pop(std::vector<int>* heap) {
  std::pop_heap(heap->begin(), heap->end(), std::greater<>());
  const int value = heap->back();
  heap->pop_back();
  return value;
}

bool LaterGap(const GroupGap& x, const GroupGap& y) {
  return x.gap != y.gap ? x.gap > y.gap : x.g != y.g ? x.g > y.g : x.h > y.h;
}

}  // namespace

GroupRun::GroupRun(const PatchRules& rules, std::span<const ActivePair> pairs,
                   PatchScratch* scratch)
    : pairs_(pairs), s_(*scratch) {
  s_.table.Clear();
  s_.area_vector.clear();
  s_.square.clear();
  for (const ActivePair& pair : pairs) {
    s_.table.Add(CellsOf(pair));
    s_.area_vector.push_back(pair.metrics.area_vector);
    s_.square.push_back(SquaredNorm(pair.metrics.area_vector));
  }
  s_.first_near.clear();
  s_.near.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    s_.first_near.push_back(s_.near.size());
    s_.table.VisitNeighbours(rules, k, [&](std::size_t l) {
      if (l != k) s_.near.push_back(static_cast<int>(l));
    });
  }
  s_.first_near.push_back(s_.near.size());
  s_.group_of.assign(pairs.size(), -1);
  s_.sums.clear();
}

std::span<const int> GroupRun::Near(int k) const {
  const std::size_t begin = s_.first_near[At(k)], end = s_.first_near[At(k) + 1];
  return {s_.near.data() + begin, end - begin};
}

const Vec3& GroupRun::AreaVector(int k) const { return s_.area_vector[At(k)]; }

int GroupRun::Run(int first, std::vector<int>* group_of) {
  Grow();
  MergeGroups();
  JoinUndirected();
  // Numbers without the gaps that merging left, in the same order.
  int count = 0;
  s_.label.assign(s_.parent.size(), -1);
  for (std::size_t g = 0; g < s_.parent.size(); ++g) {
    if (s_.parent[g] == static_cast<int>(g)) s_.label[g] = count++;
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    group_of->push_back(first + (s_.group_of[k] >= 0 ? s_.label[At(s_.group_of[k])] : count++));
  }
  return count;
}

void GroupRun::Grow() {
  s_.order.clear();
  for (int k = 0; k < Count(); ++k) {
    if (HasDirection(AreaVector(k), pairs_[At(k)].metrics.volume)) s_.order.push_back(k);
  }
  std::sort(s_.order.begin(), s_.order.end(), [&](int k, int l) {
    const double a = s_.square[At(k)], b = s_.square[At(l)];
    return a != b ? a > b : k < l;
  });
  s_.rank_of.assign(pairs_.size(), -1);
  for (std::size_t r = 0; r < s_.order.size(); ++r) {
    s_.rank_of[At(s_.order[r])] = static_cast<int>(r);
  }
  s_.queued.assign(pairs_.size(), -1);  // group for which a pair has been queued last
  for (const int seed : s_.order) {
    if (s_.group_of[At(seed)] < 0) GrowFrom(seed);
  }
}

void GroupRun::GrowFrom(int seed) {
  const int g = static_cast<int>(s_.sums.size());
  s_.sums.emplace_back();
  const auto take = [&](int k, int pass_at) {
    s_.group_of[At(k)] = g;
    s_.sums.back().Add(pairs_[At(k)].metrics);
    for (const int l : Near(k)) {
      const int rank = s_.rank_of[At(l)];
      if (rank < 0 || s_.group_of[At(l)] >= 0 || s_.queued[At(l)] == g) continue;
      s_.queued[At(l)] = g;
      if (rank > pass_at) {
        Push(rank, &s_.now);
      } else {
        s_.next.push_back(rank);
      }
    }
  };
  s_.now.clear();
  s_.next.clear();
  take(seed, -1);
  for (bool changed = true; changed;) {
    changed = false;
    while (!s_.now.empty()) {
      const int rank = Pop(&s_.now);
      const int k = s_.order[At(rank)];
      if (Agree(AreaVector(k), s_.sums.back().s)) {
        take(k, rank);
        changed = true;
      } else {
        s_.next.push_back(rank);
      }
    }
    std::swap(s_.now, s_.next);
    std::make_heap(s_.now.begin(), s_.now.end(), std::greater<>());
  }
}

void GroupRun::Link(int g, int h) {
  const int node = static_cast<int>(s_.link.size());
  s_.link.push_back(h);
  s_.next_link.push_back(-1);
  if (s_.first_link[At(g)] < 0) {
    s_.first_link[At(g)] = node;
  } else {
    s_.next_link[At(s_.last_link[At(g)])] = node;
  }
  s_.last_link[At(g)] = node;
}

void GroupRun::ListGroups() {
  const std::size_t groups = s_.sums.size();
  s_.parent.resize(groups);
  for (std::size_t g = 0; g < groups; ++g) s_.parent[g] = static_cast<int>(g);
  s_.version.assign(groups, 0);
  s_.size.assign(groups, 0);
  s_.seen.assign(groups, -1);
  for (auto* list : {&s_.first_member, &s_.last_member, &s_.first_link, &s_.last_link}) {
    list->assign(groups, -1);
  }
  s_.next_member.assign(pairs_.size(), -1);
  s_.link.clear();
  s_.next_link.clear();
  s_.gaps.clear();
  for (int k = 0; k < Count(); ++k) {
    const int g = s_.group_of[At(k)];
    if (g < 0) continue;
    ++s_.size[At(g)];
    if (s_.first_member[At(g)] < 0) {
      s_.first_member[At(g)] = k;
    } else {
      s_.next_member[At(s_.last_member[At(g)])] = k;
    }
    s_.last_member[At(g)] = k;
  }
  for (int g = 0; g < static_cast<int>(groups); ++g) {
    for (int k = s_.first_member[At(g)]; k >= 0; k = s_.next_member[At(k)]) {
      for (const int l : Near(k)) {
        const int h = s_.group_of[At(l)];
        if (h < 0 || h == g || s_.seen[At(h)] == g) continue;
        s_.seen[At(h)] = g;
        Link(g, h);
      }
    }
  }
}

bool GroupRun::FaceOneWay(int g, int h) {
  const Vec3 s = s_.sums[At(g)].s + s_.sums[At(h)].s;
  if (!Agree(s_.sums[At(g)].s, s) || !Agree(s_.sums[At(h)].s, s)) return false;
  if (s_.size[At(g)] > s_.size[At(h)]) std::swap(g, h);
  for (int k = s_.first_member[At(g)]; k >= 0; k = s_.next_member[At(k)]) {
    if (!Agree(AreaVector(k), s)) continue;
    for (const int l : Near(k)) {
      const int group = s_.group_of[At(l)];
      if (group >= 0 && FindRoot(s_.parent, group) == h && Agree(AreaVector(l), s)) return true;
    }
  }
  return false;
}

void GroupRun::AddGap(int g, int h) {
  if (g > h) std::swap(g, h);
  const double gap = FaceOneWay(g, h) ? 0.0 : ConvexGap(s_.sums[At(g)], s_.sums[At(h)]);
  if (!(gap <= 1.0)) return;
  s_.gaps.push_back({gap, g, h, s_.version[At(g)], s_.version[At(h)]});
  std::push_heap(s_.gaps.begin(), s_.gaps.end(), LaterGap);
}

void GroupRun::Merge(int g, int h) {
  s_.sums[At(g)].Add(s_.sums[At(h)]);
  s_.parent[At(h)] = g;
  s_.size[At(g)] += s_.size[At(h)];
  ++s_.version[At(g)];
  s_.next_member[At(s_.last_member[At(g)])] = s_.first_member[At(h)];
  s_.last_member[At(g)] = s_.last_member[At(h)];
  s_.next_link[At(s_.last_link[At(g)])] = s_.first_link[At(h)];
  // The neighbours of both: each once, by the group that it is in now.
  ++stamp_;
  s_.seen[At(g)] = stamp_;
  int kept = -1;
  for (int node = s_.first_link[At(g)]; node >= 0; node = s_.next_link[At(node)]) {
    const int x = FindRoot(s_.parent, s_.link[At(node)]);
    if (s_.seen[At(x)] == stamp_) continue;
    s_.seen[At(x)] = stamp_;
    s_.link[At(node)] = x;
    if (kept < 0) {
      s_.first_link[At(g)] = node;
    } else {
      s_.next_link[At(kept)] = node;
    }
    kept = node;
    AddGap(g, x);
  }
  if (kept < 0) {
    s_.first_link[At(g)] = -1;
  } else {
    s_.next_link[At(kept)] = -1;
  }
  s_.last_link[At(g)] = kept;
}

void GroupRun::MergeGroups() {
  ListGroups();
  stamp_ = static_cast<int>(s_.sums.size());
  for (int g = 0; g < static_cast<int>(s_.sums.size()); ++g) {
    for (int node = s_.first_link[At(g)]; node >= 0; node = s_.next_link[At(node)]) {
      if (s_.link[At(node)] > g) AddGap(g, s_.link[At(node)]);
    }
  }
  while (!s_.gaps.empty()) {
    std::pop_heap(s_.gaps.begin(), s_.gaps.end(), LaterGap);
    const GroupGap least = s_.gaps.back();
    s_.gaps.pop_back();
    const bool current = s_.parent[At(least.g)] == least.g && s_.parent[At(least.h)] == least.h &&
                         s_.version[At(least.g)] == least.version_g &&
                         s_.version[At(least.h)] == least.version_h;
    if (current) Merge(least.g, least.h);
  }
  for (int& group : s_.group_of) {
    if (group >= 0) group = FindRoot(s_.parent, group);
  }
}

void GroupRun::JoinUndirected() {
  s_.now.clear();
  s_.next.clear();
  s_.queued.assign(pairs_.size(), 0);
  for (int k = 0; k < Count(); ++k) {
    if (s_.group_of[At(k)] >= 0) continue;
    s_.now.push_back(k);
    s_.queued[At(k)] = 1;
  }
  while (!s_.now.empty()) {
    std::make_heap(s_.now.begin(), s_.now.end(), std::greater<>());
    while (!s_.now.empty()) {
      const int k = Pop(&s_.now);
      s_.queued[At(k)] = 0;
      double largest = -1.0;
      for (const int l : Near(k)) {
        if (s_.group_of[At(l)] < 0) continue;
        if (s_.square[At(l)] <= largest) continue;
        largest = s_.square[At(l)];
        s_.group_of[At(k)] = s_.group_of[At(l)];
      }
      if (s_.group_of[At(k)] < 0) continue;
      for (const int l : Near(k)) {
        if (s_.group_of[At(l)] >= 0 || s_.queued[At(l)] != 0) continue;
        s_.queued[At(l)] = 1;
        if (l > k) {
          Push(l, &s_.now);
        } else {
          s_.next.push_back(l);
        }
      }
    }
    std::swap(s_.now, s_.next);
  }
}

void Group(const PatchRules& rules, std::span<const ActivePair> pairs, PatchScratch* scratch,
           Grouping* grouping) {
  grouping->group_of.clear();
  grouping->count = 0;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    const int i = pairs[begin].i, j = pairs[begin].j;
    while (end < pairs.size() && pairs[end].i == i && pairs[end].j == j) ++end;
    if (end - begin == 1) {
      grouping->group_of.push_back(grouping->count++);
    } else if (rules.Settings(i, j).whole_pair) {
      grouping->group_of.insert(grouping->group_of.end(), end - begin, grouping->count++);
    } else if (rules.Settings(i, j).per_cell_pair) {
      for (std::size_t k = begin; k < end; ++k) grouping->group_of.push_back(grouping->count++);
    } else {
      GroupRun run(rules, pairs.subspan(begin, end - begin), scratch);
      grouping->count += run.Run(grouping->count, &grouping->group_of);
    }
  }
}

bool Regroups(const Patches& patches, std::span<const ActivePair> pairs, const Grouping& grouping,
              PatchScratch* scratch) {
  FindHeld(patches, pairs, scratch->threads, &scratch->contact_of);
  scratch->contact_of_group.assign(static_cast<std::size_t>(grouping.count), -1);
  scratch->group_of_contact.assign(patches.contacts.size(), -1);
  const auto differs = [](int* known, int seen) {
    if (*known < 0) *known = seen;
    return *known != seen;
  };
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const int held = scratch->contact_of[k];
    if (held < 0) continue;
    const auto contact = static_cast<std::size_t>(held);
    if (patches.contacts[contact].phase == ContactPhase::kProvisional) continue;
    const int group = grouping.group_of[k];
    if (differs(&scratch->contact_of_group[static_cast<std::size_t>(group)], held) ||
        differs(&scratch->group_of_contact[contact], group)) {
      return true;
    }
  }
  return false;
}

}  // namespace intervox::host
