// Points over the patches of contacts whose friction is distributed.
#include <algorithm>

#include "host/contact/patch_depth.h"
#include "host/simulation/stage.h"

namespace intervox::host {
namespace {

bool IsDistributed(const ContactModel& model) { return model.friction->IsDistributed(); }

}  // namespace

/** The posed cell pairs of each contact whose friction is distributed; of others none. */
void GroupStage::ListHeldPairs() {
  const Patches& patches = s_.patches;
  std::vector<std::size_t>& first = s_.first_held;
  first.assign(patches.contacts.size() + 2, 0);
  const auto counts = [&](const Held& held) {
    return IsDistributed(*rules_.Rule(held.cells.i, held.cells.j).model);
  };
  for (const Held& held : patches.held) {
    if (counts(held)) ++first[static_cast<std::size_t>(held.contact) + 2];
  }
  for (std::size_t c = 2; c < first.size(); ++c) first[c] += first[c - 1];
  s_.held_pairs.resize(first.back());
  for (const Held& held : patches.held) {
    if (!counts(held)) continue;
    const auto i = static_cast<std::size_t>(held.cells.i),
               j = static_cast<std::size_t>(held.cells.j);
    const auto near = std::lower_bound(group_.near.begin(), group_.near.end(), held.cells,
                                       [](const NearPair& a, const CellPair& b) {
                                         return std::pair(a.i, a.j) < std::pair(b.i, b.j);
                                       });
    PairQuery& query = s_.held_pairs[first[static_cast<std::size_t>(held.contact) + 1]++];
    if (near == group_.near.end() || near->i != held.cells.i || near->j != held.cells.j) {
      query = {};  // bodies that are apart: the contact does not act
      continue;
    }
    query.a = &near->cells_i->cells[static_cast<std::size_t>(held.cells.a)];
    query.b = &near->cells_j->cells[static_cast<std::size_t>(held.cells.b)];
    query.X_WA = s_.poses[i];
    query.X_WB = s_.poses[j];
  }
}

/** Gives the gathered contacts whose friction is distributed the points of their patches. */
void GroupStage::FindQuadratures() {
  if (!tools_.world->rules.HaveDistributed()) return;
  const auto distributed = [](const StageContact* contact) {
    return IsDistributed(*contact->model);
  };
  if (std::none_of(s_.contacts.begin(), s_.contacts.end(), distributed)) return;
  ListHeldPairs();
  if (s_.quadratures.size() < s_.contacts.size()) s_.quadratures.resize(s_.contacts.size());
  ForEach(s_.contacts.size(), [&](std::size_t k) {
    StageContact& contact = *s_.contacts[k];
    const std::size_t c = s_.contact_of[k];
    const std::size_t begin = s_.first_held[c], end = s_.first_held[c + 1];
    if (!distributed(&contact) || begin == end) return;
    const PatchGeometry& g = contact.geometry;
    ComputePatchQuadrature(std::span(s_.held_pairs).subspan(begin, end - begin),
                           {g.p_WC, g.n, SecondMoment(g), g.V}, &s_.quadratures[k]);
    contact.patch = &s_.quadratures[k];
  });
}

}  // namespace intervox::host
