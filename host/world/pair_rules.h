/** @file Which two bodies may touch, and how: one rule for all pairs of a kind. */
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "host/bodies/rigid_body.h"
#include "host/contact/contact_model.h"
#include "host/contact/patches/patches.h"
#include "host/world/body_names.h"

namespace intervox::host {

/** How two bodies touch. All pairs with the same contact model, materials and foundation thickness
 share one. */
struct PairRule {
  std::string name;  ///< of the contact model
  std::shared_ptr<const ContactModel> model;
  PatchSettings patches;
};

/** The rules of all pairs of bodies: memory linear in bodies and contacts, plus, for each contact
 model, the square of the number of different materials. Immutable once made. */
class PairRules {
 public:
  PairRules() = default;
  /** Makes the contact model of every kind of pair that can touch.
   @param bodies  as they start; @param has_cells  of each body
   @param apart  pairs of bodies that do not touch whatever the contacts say
   @throws InputError for a contact of unknown bodies or models, for one that stands twice, and for
   a model that refuses its parameters, naming the first pair of bodies that meets it. */
  PairRules(const Scene& scene, const BodyNames& names, std::span<const RigidBody> bodies,
            const std::vector<bool>& has_cells, std::span<const std::pair<int, int>> apart = {});

  /** The rule of two bodies, or null where they cannot touch: by a contact "none" or no contact at
   all, because neither is free, or because one has no cells. The order of i and j does not matter;
   the model's body i is the lower index. Takes a few nanoseconds. */
  const PairRule* Find(int i, int j) const;
  /** All rules, each once, in the order in which the scene's pairs meet them. */
  std::span<const PairRule> All() const { return rules_; }
  /** Whether one of them is for contact in points. */
  bool HavePoints() const { return have_points_; }
  /** Whether one of them has friction that is distributed over a patch. */
  bool HaveDistributed() const { return have_distributed_; }

 private:
  static constexpr int kNoEntry = INT_MAX;
  struct Body {
    int material = 0;      ///< index of its kind: material and foundation thickness
    int entry = kNoEntry;  ///< first contact of this body with "*"
    bool free = false;     ///< moved by forces
    bool cells = false;    ///< has any
    bool by_name = false;  ///< a contact names it together with another body
  };
  struct Met;

  int Entry(int i, int j) const;
  bool AreApart(int i, int j) const;
  void ReadEntries(const Scene& scene, const BodyNames& names);
  void ReadBodies(const Scene& scene, std::span<const RigidBody> bodies,
                  const std::vector<bool>& has_cells);
  std::pair<int, int> FirstPair(const std::vector<int>& group_i, const std::vector<int>& group_j,
                                int entry) const;
  std::vector<Met> MetKinds() const;
  std::size_t Cell(int model, int material_i, int material_j) const;

  std::vector<Body> bodies_;
  std::vector<int> models_;  ///< of each contact, the index of its model; −1: none
  std::unordered_map<std::uint64_t, int> named_;  ///< first contact of two named bodies
  std::unordered_set<std::uint64_t> apart_;       ///< pairs that do not touch
  int entry_of_all_ = kNoEntry;                   ///< first contact of "*" with "*"
  std::size_t materials_ = 0;
  std::vector<std::int32_t> table_;  ///< index into rules_ by model and materials; −1: not met
  std::vector<PairRule> rules_;
  bool have_points_ = false, have_distributed_ = false;
};

}  // namespace intervox::host
