/** @file Patches: cell pairs of one body pair that make one contact.

 Which cell pairs belong together is decided at accepted steps and held through a step's stages;
 cell pairs that appear within a step join the neighbouring patch that faces the same way, or start
 a provisional one. See docs/simulation.md, "Patches". */
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/contact/patches/metrics_sum.h"
#include "host/contact/patches/pair_finder.h"

namespace intervox::host {

/** Cell pairs whose normals are within this angle of their patch's are one contact: its cosine
 (25°). So are those that may be one convex overlap (MayBeOneConvexOverlap), whatever their normals:
 a cut through an edge that stands on a floor leaves its two sides with normals far apart. Half of
 it is far above the tilt that a cut gives a sliver, and the angle between the walls of a corner or
 a taper's opposite sides is far above twice it. */
inline constexpr double kPatchCosine = 0.90630778703664996;

/** One contact. */
struct Contact {
  std::uint64_t id = 0;     ///< unique in a run, ascending with the time of birth
  int body_pair = 0;        ///< index into the body pairs
  int pairs = 0;            ///< cell pairs with overlap now
  bool provisional = true;  ///< born within the current step: not yet accepted
  bool fresh = false;       ///< accepted in the last step for the first time
  bool latched = false;     ///< its latch has been set
  bool active = false;      ///< overlap and normal exist at the geometry evaluated last
  bool has_normal = false;  ///< n_accepted is set
  Vec3 n_accepted;          ///< normal at the last accepted step; at birth for a provisional one
  PatchGeometry geometry;   ///< evaluated last
  PatchState state;         ///< at the last accepted step
  PatchLatch latch;
  double since = 0.0;           ///< birth [s]
  double bristle_energy = 0.0;  ///< stored in its bristles [J]
  double peak_f_n = 0.0;        ///< largest so far [N]
  double f_n = 0.0;             ///< found last: guess of the next stage, weight in merging [N]
  Vec3 force;                   ///< found last, on body i at the centroid [N]
  Vec3 torque;                  ///< found last, about the centroid [N·m]
  std::int64_t impact = -1;     ///< index of its impact record
  MetricsSum sum;               ///< of the geometry evaluated last
};

/** How the cell pairs of a body pair are grouped. */
struct PatchSettings {
  NormalRule normal;
  bool per_cell_pair = false;  ///< the thesis' mode: every cell pair its own contact
  bool born_in_stages = true;  ///< contacts act from within a step, not only from accepted steps
};

/** What a change of contacts did. */
struct PatchChanges {
  double bristle_energy_lost = 0.0;  ///< of retired and merged bristles [J], ≥ 0
  int born = 0;
  int retired = 0;
};

/** The contacts of all body pairs. Allocates nothing in the steady state. */
class PatchSet {
 public:
  /** Adds a body pair; in the same order as in the PairFinder. The cells give the neighbours. */
  void AddBodyPair(const PatchSettings& settings, std::span<const geometry::Cell> cells_i,
                   std::span<const geometry::Cell> cells_j);

  /** Sums the overlapping pairs of one stage into the contacts, by the grouping held. New pairs
   join or start provisional contacts, appended in order, at most until `capacity` contacts exist;
   what does not fit waits for the accepted step. Sets geometry with n and R_n, and `active`. */
  void Evaluate(std::span<const ActivePair> pairs, std::size_t capacity);

  /** Whether Accept of these pairs would put pairs of one contact into two, or of two into one;
   provisional contacts are not counted. To be asked after Evaluate of the same pairs; Accept then
   takes the grouping from here. */
  bool Regroups(std::span<const ActivePair> pairs);

  /** Regroups at an accepted step: contacts are born, merged, split and retired, bristles turned
   into the new normals. Geometry and `active` are set as by Evaluate, R_n is the identity.

   Rule: a patch takes over the states of the contacts that its cell pairs belonged to. z, θ and
   s_dw are their mean weighted with the share of normal force brought along, the offset V_o is the
   sum of their shares, a is the mean weighted with volume, so force and torque are continuous. A
   split copies z, θ, s_dw and the latch. Bristle energy that a mean cannot hold is lost. The id
   goes with the larger share of volume.
   @param t  the accepted time, for `since` [s] */
  PatchChanges Accept(std::span<const ActivePair> pairs, double t);

  /** The contacts by ascending id, provisional ones last. */
  std::span<Contact> contacts() { return contacts_; }
  /** The contacts by ascending id, provisional ones last. */
  std::span<const Contact> contacts() const { return contacts_; }
  /** Contacts so far whose normal was undefined, counted at each evaluation. */
  std::int64_t undefined_normals() const { return undefined_normals_; }
  /** Sets that count, after a restore. */
  void SetUndefinedNormals(std::int64_t count) { undefined_normals_ = count; }

  /** A cell pair and the contact it belongs to. */
  struct Held {
    int body_pair = 0;
    int a = 0;
    int b = 0;
    int contact = 0;  ///< index into contacts()
    /** Lexicographic by body pair, a, b. */
    bool operator<(const Held& o) const {
      return body_pair != o.body_pair ? body_pair < o.body_pair : a != o.a ? a < o.a : b < o.b;
    }
  };
  /** The grouping, by ascending body pair, a, b. */
  std::span<const Held> held() const { return held_; }

  /** Everything that a checkpoint must hold besides contacts and grouping. */
  struct Memory {
    std::uint64_t next_id = 1;
    std::int64_t undefined_normals = 0;
  };
  /** For a checkpoint. */
  Memory memory() const { return {next_id_, undefined_normals_}; }
  /** From a checkpoint: contacts and grouping as they were. */
  void Restore(std::span<const Contact> contacts, std::span<const Held> held, const Memory& memory);

 private:
  /** Cells of a body that share a cut face, or are the same, as a bit table. */
  struct Adjacency {
    std::size_t count = 0;
    std::vector<std::uint8_t> near;
    bool operator()(int a, int b) const {
      return near[static_cast<std::size_t>(a) * count + static_cast<std::size_t>(b)] != 0;
    }
  };
  struct BodyPairPatches {
    PatchSettings settings;
    Adjacency cells_i, cells_j;
  };
  /** A patch being grouped. */
  struct Group {
    MetricsSum sum;
  };

  bool Near(const ActivePair& pair, int a, int b) const;
  int FindHeld(const ActivePair& pair) const;
  int Join(const ActivePair& pair) const;
  void Hold(const ActivePair& pair, int contact);
  bool StartProvisional(const ActivePair& pair, std::size_t capacity);
  void FinishGeometry(Contact* contact);
  bool Near(const ActivePair& p, const ActivePair& q) const { return Near(p, q.a, q.b); }
  void GroupPairs(std::span<const ActivePair> pairs);
  bool GroupsTouch(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end, int g,
                   int h, const Vec3* direction) const;
  void JoinGroups(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end, int first);
  void JoinUndirected(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end);
  void GroupBodyPair(std::span<const ActivePair> pairs, std::size_t begin, std::size_t end);
  void CollectShares(std::span<const ActivePair> pairs);
  int Heir(int contact) const;
  double InheritStates(int group, Contact* heir) const;

  std::vector<BodyPairPatches> body_pairs_;
  std::vector<Contact> contacts_;
  std::vector<Held> held_;
  std::uint64_t next_id_ = 1;
  std::int64_t undefined_normals_ = 0;
  bool grouped_ = false;  ///< groups_ and group_of_ are of the pairs evaluated last
  // Working memory, kept between calls.
  std::vector<int> group_of_;
  std::vector<std::size_t> order_;
  std::vector<Group> groups_;
  std::vector<Contact> next_contacts_;
  struct Share {
    int group = 0;
    int contact = 0;
    double volume = 0.0;
  };
  std::vector<Share> shares_;
  std::vector<double> contact_volume_;
  std::vector<int> contact_of_group_, group_of_contact_;
};

}  // namespace intervox::host
