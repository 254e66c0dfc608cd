// One stage: sums by the grouping that is held, and what becomes of new cell pairs.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "cuda/device/executor.h"
#include "host/contact/patches/patches.h"
#include "host/contact/prefetch.h"

namespace intervox::host {
namespace {

constexpr int kGrain = 256;  // contacts that go to a thread together

/** Whether a contact, as it is at this stage, and a new pair may be one convex overlap. */
bool MayJoin(const Contact& contact, const ActivePair& pair) {
  if (!contact.active) return false;
  MetricsSum held, added;
  held.Add(contact.geometry);
  added.Add(pair.metrics);
  return MayBeOneConvexOverlap(held, added);
}

/** Lets new pairs join contacts from neighbour to neighbour; only what no chain reaches starts a
 contact, the largest first. A pass tries new pairs in ascending order; a pair is tried again only
 when a neighbour of it has joined. */
class Joining {
 public:
  Joining(const PatchRules& rules, std::span<const ActivePair> pairs, Patches* patches,
          PatchScratch* scratch)
      : rules_(rules), pairs_(pairs), patches_(*patches), s_(*scratch) {}

  /** `scratch->contact_of` of the pairs is known, and will be of those that are held then. */
  void Run(std::size_t capacity) {
    MakeTable();
    Pass();
    s_.order.clear();
    for (std::size_t t = 0; t < s_.table.size(); ++t) {
      if (contact_of_[t] < 0) s_.order.push_back(static_cast<int>(t));
    }
    const auto volume = [&](int t) { return PairAt(t).metrics.volume; };
    std::sort(s_.order.begin(), s_.order.end(),
              [&](int t, int u) { return volume(t) != volume(u) ? volume(t) > volume(u) : t < u; });
    for (const int t : s_.order) {
      if (patches_.contacts.size() >= capacity) break;
      if (contact_of_[static_cast<std::size_t>(t)] >= 0) continue;
      const int whole = OfWholePair(t);
      Hold(t, whole >= 0 ? whole : Start(PairAt(t)), -1);
      Pass();
    }
    Finish();
  }

 private:
  const ActivePair& PairAt(int t) const {
    return pairs_[static_cast<std::size_t>(s_.pair_of[static_cast<std::size_t>(t)])];
  }

  /** The table of held and overlapping pairs. */
  void MakeTable() {
    s_.table.Clear();
    s_.pair_of.clear();
    s_.settings.clear();
    s_.contact_of_run.clear();
    contact_of_.clear();
    s_.now.clear();
    s_.next.clear();
    const std::vector<Held>& held = patches_.held;
    for (std::size_t h = 0, k = 0; h < held.size() || k < pairs_.size();) {
      const bool has_pair =
          k < pairs_.size() && (h == held.size() || !(held[h].cells < CellsOf(pairs_[k])));
      const bool is_held =
          h < held.size() && (k == pairs_.size() || !(CellsOf(pairs_[k]) < held[h].cells));
      s_.table.Add(is_held ? held[h].cells : CellsOf(pairs_[k]));
      s_.pair_of.push_back(has_pair ? static_cast<int>(k) : -1);
      contact_of_.push_back(is_held ? held[h].contact : -1);
      if (!is_held) s_.now.push_back(static_cast<int>(s_.table.size()) - 1);
      if (s_.table.runs() > s_.settings.size()) {
        const CellPair& pair = s_.table[s_.table.size() - 1];
        s_.settings.push_back(&rules_.Settings(pair.i, pair.j));
        s_.contact_of_run.push_back(-1);
      }
      if (is_held) s_.contact_of_run.back() = held[h].contact;
      k += has_pair ? 1 : 0;
      h += is_held ? 1 : 0;
    }
    s_.queued.assign(s_.table.size(), 0);
    for (const int t : s_.now) s_.queued[static_cast<std::size_t>(t)] = 1;
  }

  std::size_t RunOf(int t) const {
    return static_cast<std::size_t>(s_.table.RunOf(static_cast<std::size_t>(t)));
  }
  bool IsPerCellPair(int t) const { return s_.settings[RunOf(t)]->per_cell_pair; }

  /** The contact of all cell pairs of the two bodies; −1: none yet, or each has its own. */
  int OfWholePair(int t) const {
    return s_.settings[RunOf(t)]->whole_pair ? s_.contact_of_run[RunOf(t)] : -1;
  }

  /** Passes over the queued pairs until none joins. `now` is a heap, the first pair on top. */
  void Pass() {
    while (!s_.now.empty()) {
      std::make_heap(s_.now.begin(), s_.now.end(), std::greater<>());
      while (!s_.now.empty()) {
        std::pop_heap(s_.now.begin(), s_.now.end(), std::greater<>());
        const int t = s_.now.back();
        s_.now.pop_back();
        s_.queued[static_cast<std::size_t>(t)] = 0;
        const int contact = BestNeighbour(t);
        if (contact >= 0) Hold(t, contact, t);
      }
      std::swap(s_.now, s_.next);
    }
  }

  /** The contact that a new pair joins: that of a neighbour which faces most alike; −1: none. */
  int BestNeighbour(int t) const {
    if (IsPerCellPair(t)) return -1;
    if (s_.settings[RunOf(t)]->whole_pair) return OfWholePair(t);
    const ActivePair& pair = PairAt(t);
    const Vec3& S = pair.metrics.area_vector;
    const bool directed = HasDirection(S, pair.metrics.volume);
    const double size = Norm(S);
    int best = -1;
    double best_value = 0.0;
    s_.table.VisitNeighbours(rules_, static_cast<std::size_t>(t), [&](std::size_t u) {
      if (contact_of_[u] < 0) return;
      const Contact& contact = patches_.contacts[static_cast<std::size_t>(contact_of_[u])];
      double value = Norm(contact.geometry.S);  // a pair without direction: the largest neighbour
      if (directed) {
        value = contact.has_normal ? Dot(contact.n_accepted, S) / size : 0.0;
        if (value < kPatchCosine && !MayJoin(contact, pair)) return;
      }
      if (best >= 0 && !(value > best_value)) return;
      best = contact_of_[u];
      best_value = value;
    });
    return best;
  }

  /** Gives a pair to a contact. Its neighbours are tried after it in this pass, or in the next. */
  void Hold(int t, int contact, int pass_at) {
    contact_of_[static_cast<std::size_t>(t)] = contact;
    s_.contact_of_run[RunOf(t)] = contact;
    if (IsPerCellPair(t)) return;
    s_.table.VisitNeighbours(rules_, static_cast<std::size_t>(t), [&](std::size_t u) {
      if (contact_of_[u] >= 0 || s_.queued[u] != 0) return;
      s_.queued[u] = 1;
      const int index = static_cast<int>(u);
      if (index < pass_at) {
        s_.next.push_back(index);
      } else {
        s_.now.push_back(index);
        std::push_heap(s_.now.begin(), s_.now.end(), std::greater<>());
      }
    });
  }

  /** Starts a provisional contact. */
  int Start(const ActivePair& pair) {
    Contact contact;
    contact.id = patches_.next_id++;
    contact.body_i = pair.i;
    contact.body_j = pair.j;
    if (HasDirection(pair.metrics.area_vector, pair.metrics.volume)) {
      contact.n_accepted = Normalized(pair.metrics.area_vector);
      contact.has_normal = true;
    }
    patches_.contacts.push_back(contact);
    return static_cast<int>(patches_.contacts.size()) - 1;
  }

  void Finish() {
    patches_.held.clear();
    for (std::size_t t = 0; t < s_.table.size(); ++t) {
      const int pair = s_.pair_of[t];
      if (pair >= 0) s_.contact_of[static_cast<std::size_t>(pair)] = contact_of_[t];
      if (contact_of_[t] >= 0) patches_.held.push_back({s_.table[t], contact_of_[t]});
    }
  }

  const PatchRules& rules_;
  std::span<const ActivePair> pairs_;
  Patches& patches_;
  PatchScratch& s_;
  std::vector<int>& contact_of_ = s_.table_contact;
};

}  // namespace

void SortByPart(std::span<const int> part_of, std::size_t parts, PatchScratch* scratch) {
  std::vector<std::size_t>& first = scratch->first_of;
  first.assign(parts + 2, 0);
  for (const int part : part_of) {
    if (part >= 0) ++first[static_cast<std::size_t>(part) + 2];
  }
  for (std::size_t c = 2; c < first.size(); ++c) first[c] += first[c - 1];
  scratch->sorted.resize(first.back());
  for (std::size_t k = 0; k < part_of.size(); ++k) {
    if (part_of[k] < 0) continue;
    scratch->sorted[first[static_cast<std::size_t>(part_of[k]) + 1]++] = static_cast<int>(k);
  }
}

void FindHeld(const Patches& patches, std::span<const ActivePair> pairs, int threads,
              std::vector<int>* contact_of) {
  contact_of->resize(pairs.size());
  const auto find = [&](int begin, int end) {
    const auto before = [](const Held& held, const CellPair& cells) { return held.cells < cells; };
    auto held = std::lower_bound(patches.held.begin(), patches.held.end(),
                                 CellsOf(pairs[static_cast<std::size_t>(begin)]), before);
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const CellPair cells = CellsOf(pairs[k]);
      while (held != patches.held.end() && held->cells < cells) ++held;
      const bool found = held != patches.held.end() && held->cells == cells;
      (*contact_of)[k] = found ? held->contact : -1;
    }
  };
  cuda::ParallelFor(static_cast<int>(pairs.size()), kGrain, threads, find);
}

void HandOver(const PatchRules& rules, std::span<const ActivePair> pairs, Patches* patches,
              std::vector<int>* contact_of) {
  const auto is_new_point = [&](std::size_t k) {
    return (*contact_of)[k] < 0 && rules.Settings(pairs[k].i, pairs[k].j).points;
  };
  std::size_t first = 0;
  while (first < pairs.size() && !is_new_point(first)) ++first;
  if (patches->held.empty() || first == pairs.size()) return;
  std::vector<bool> seen(patches->contacts.size(), false);
  for (const int contact : *contact_of) {
    if (contact >= 0) seen[static_cast<std::size_t>(contact)] = true;
  }
  std::vector<std::size_t> lost;  // places in `held`, ascending, of points that are none now
  for (std::size_t h = 0; h < patches->held.size(); ++h) {
    const auto c = static_cast<std::size_t>(patches->held[h].contact);
    const Contact& contact = patches->contacts[c];
    if (seen[c] || !contact.has_normal || !contact.geometry.is_point) continue;
    lost.push_back(h);
  }
  const auto before = [&](std::size_t h, const ActivePair& pair) {
    const CellPair& cells = patches->held[h].cells;
    return std::tie(cells.i, cells.j) < std::tie(pair.i, pair.j);
  };
  bool moved = false;
  for (std::size_t k = first; k < pairs.size() && !lost.empty(); ++k) {
    const ActivePair& pair = pairs[k];
    if (!is_new_point(k)) continue;
    auto nearest = lost.end();
    double least = pair.nearby;
    for (auto h = std::lower_bound(lost.begin(), lost.end(), pair, before); h != lost.end(); ++h) {
      const Held& held = patches->held[*h];
      if (held.cells.i != pair.i || held.cells.j != pair.j) break;
      const PatchGeometry& was = patches->contacts[static_cast<std::size_t>(held.contact)].geometry;
      const double way = Norm(pair.metrics.p_WC - was.p_WC);
      if (!(way < least) || Dot(pair.metrics.area_vector, was.n) < kPatchCosine) continue;
      least = way;
      nearest = h;
    }
    if (nearest == lost.end()) continue;
    (*contact_of)[k] = patches->held[*nearest].contact;
    patches->held[*nearest].cells = CellsOf(pair);
    lost.erase(nearest);
    moved = true;
  }
  if (!moved) return;
  std::sort(patches->held.begin(), patches->held.end(),
            [](const Held& one, const Held& two) { return one.cells < two.cells; });
}

namespace {

/** What follows from a geometry with its normal. */
void Activate(const PatchSettings& settings, Contact* contact) {
  PatchGeometry& geometry = contact->geometry;
  if (!contact->has_normal) contact->n_accepted = geometry.n;
  contact->has_normal = true;
  geometry.R_n = SmallestRotation(contact->n_accepted, geometry.n);
  contact->active = contact->phase != ContactPhase::kProvisional || settings.born_in_stages;
}

}  // namespace

void FinishGeometry(const PatchSettings& settings, const MetricsSum& sum, Contact* contact,
                    std::int64_t* undefined_normals) {
  contact->active = false;
  contact->pairs = sum.pairs;
  if (sum.pairs == 0) return;
  PatchGeometry& geometry = contact->geometry;
  sum.Finish(&geometry);
  if (settings.whole_pair) {  // the gradient of V is along S, whatever the walls
    geometry.S_wall = geometry.twist = {};
    geometry.turn = 1.0;
  }
  const Vec3* n_prev = contact->has_normal ? &contact->n_accepted : nullptr;
  if (!ChooseNormal(settings.normal, geometry, n_prev, &geometry.n)) {
    ++*undefined_normals;
    return;
  }
  Activate(settings, contact);
}

namespace {

/** Sets a contact's geometry from its only point. */
void TakePoint(const PatchSettings& settings, const ActivePair& pair, Contact* contact) {
  PatchGeometry& geometry = contact->geometry;
  geometry.is_point = true;
  geometry.V = std::fmax(0.0, pair.metrics.volume - contact->latch.offset);
  geometry.p_WC = pair.metrics.p_WC;
  geometry.n = geometry.S = pair.metrics.area_vector;
  geometry.k_1 = pair.k_1;
  geometry.k_2 = pair.k_2;
  geometry.weight = pair.weight;
  contact->pairs = 1;
  Activate(settings, contact);
}

/** Gives a patch the greatest curvatures of its pairs' gaps. */
void TakeCurvatures(std::span<const ActivePair> pairs, std::span<const int> own,
                    PatchGeometry* geometry) {
  geometry->k_1 = geometry->k_2 = -HUGE_VAL;
  for (const int k : own) {
    const ActivePair& pair = pairs[static_cast<std::size_t>(k)];
    if (pair.k_1 > geometry->k_1) geometry->d_1 = pair.d_1;
    geometry->k_1 = std::max(geometry->k_1, pair.k_1);
    geometry->k_2 = std::max(geometry->k_2, pair.k_2);
  }
}

}  // namespace

void SumPairs(const PatchSettings& settings, std::span<const ActivePair> pairs,
              std::span<const int> own, Contact* contact, std::int64_t* undefined_normals) {
  if (settings.points && !own.empty()) {
    TakePoint(settings, pairs[static_cast<std::size_t>(own.back())], contact);
    return;
  }
  MetricsSum sum;
  for (const int k : own) {
    const ActivePair& pair = pairs[static_cast<std::size_t>(k)];
    sum.Add(pair.metrics);
    sum.AddWall(pair.metrics, pair.wall);
  }
  FinishGeometry(settings, sum, contact, undefined_normals);
  if (settings.curvatures) TakeCurvatures(pairs, own, &contact->geometry);
}

namespace {

/** Sums the pairs of each contact. Returns how many normals were undefined. */
std::int64_t SumContacts(const PatchRules& rules, std::span<const ActivePair> pairs,
                         Patches* patches, PatchScratch* scratch) {
  SortByPart(scratch->contact_of, patches->contacts.size(), scratch);
  std::atomic<std::int64_t> undefined{0};
  const auto add_up = [&](int begin, int end) {
    std::int64_t count = 0;
    for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
      PrefetchAhead(c, static_cast<std::size_t>(end),
                    [&](std::size_t soon) { return &patches->contacts[soon]; });
      Contact& contact = patches->contacts[c];
      SumPairs(rules.Settings(contact.body_i, contact.body_j), pairs, PairsOf(c, *scratch),
               &contact, &count);
    }
    undefined += count;
  };
  cuda::ParallelFor(static_cast<int>(patches->contacts.size()), kGrain, scratch->threads, add_up);
  return undefined;
}

}  // namespace

namespace {

/** What the points of two cells had at the accepted state. */
struct AcceptedPoints {
  bool lost = false;   ///< one of them is none any more
  double share = 1.0;  ///< of their weights
};

AcceptedPoints AcceptedOf(const Patches& patches, const ActivePair& pair) {
  AcceptedPoints out;
  CellPair cells = CellsOf(pair);
  cells.point = std::numeric_limits<int>::min();
  auto held =
      std::lower_bound(patches.held.begin(), patches.held.end(), cells,
                       [](const Held& one, const CellPair& key) { return one.cells < key; });
  for (; held != patches.held.end() && SameCells(held->cells, cells); ++held) {
    const Contact& contact = patches.contacts[static_cast<std::size_t>(held->contact)];
    if (contact.phase == ContactPhase::kProvisional) continue;
    out.lost = out.lost || contact.pairs == 0;
    out.share = contact.weight_share;
  }
  return out;
}

/** Where points of two cells have come or gone since the accepted state, gives the others the
 weights of now. What is taken from one goes to another at once, so the sum of their energies does
 not jump. */
void FollowWeights(const PatchRules& rules, std::span<const ActivePair> pairs,
                   std::span<const int> contact_of, Patches* patches) {
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    bool has_new = false, has_moved = false;
    for (; end < pairs.size() && SameCells(CellsOf(pairs[end]), CellsOf(pairs[begin])); ++end) {
      if (contact_of[end] < 0) continue;
      const Contact& contact = patches->contacts[static_cast<std::size_t>(contact_of[end])];
      has_new = has_new || contact.phase == ContactPhase::kProvisional;
      has_moved = has_moved || contact.latch.form != pairs[end].weight;
    }
    if (!has_moved && !has_new) continue;
    const ActivePair& first = pairs[begin];
    const PatchSettings& settings = rules.Settings(first.i, first.j);
    if (!settings.points || settings.curvatures) continue;
    const AcceptedPoints accepted = AcceptedOf(*patches, first);
    const bool has_changed = has_new || accepted.lost;
    for (std::size_t k = begin; k < end; ++k) {
      if (contact_of[k] < 0) continue;
      Contact& contact = patches->contacts[static_cast<std::size_t>(contact_of[k])];
      contact.latch.form = has_changed ? accepted.share * pairs[k].weight : contact.accepted_form;
    }
  }
}

}  // namespace

void Evaluate(const PatchRules& rules, std::span<const ActivePair> pairs, std::size_t capacity,
              Patches* patches, PatchScratch* scratch) {
  FindHeld(*patches, pairs, scratch->threads, &scratch->contact_of);
  HandOver(rules, pairs, patches, &scratch->contact_of);
  const bool has_new = std::any_of(scratch->contact_of.begin(), scratch->contact_of.end(),
                                   [](int contact) { return contact < 0; });
  if (has_new) {
    // What joins a contact is judged by the contact as it is now, not as it was a stage before.
    SumContacts(rules, pairs, patches, scratch);
    Joining(rules, pairs, patches, scratch).Run(capacity);
  }
  patches->undefined_normals += SumContacts(rules, pairs, patches, scratch);
  if (rules.HavePoints()) FollowWeights(rules, pairs, scratch->contact_of, patches);
}

}  // namespace intervox::host
