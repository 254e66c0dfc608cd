/** @file Patches: cell pairs of two bodies that make one contact.

 Which cell pairs belong together is decided at accepted steps and held through a step's stages;
 cell pairs that appear within a step join the neighbouring patch that faces the same way, or start
 a provisional one. See docs/simulation.md, "Patches".

 Patches are a value, and what is done with them are functions of it. With n cell pairs that have k
 neighbours each, all cost about n k log n; none allocates in the steady state. */
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "host/contact/finder/pair_finder.h"
#include "host/contact/patches/metrics_sum.h"
#include "host/contact/patches/pair_table.h"

namespace intervox::host {

/** Cell pairs whose normals are within this angle of their patch's are one contact: its cosine
 (25°). So are those that may be one convex overlap (MayBeOneConvexOverlap), whatever their normals:
 a cut through an edge that stands on a floor leaves its two sides with normals far apart. Half of
 this angle is far above the tilt that a cut gives a sliver. The angle between the walls of a
 corner, or between a taper's opposite sides, is far above twice this angle. */
inline constexpr double kPatchCosine = 0.90630778703664996;

/** Where a contact is in its life. */
enum class ContactPhase : std::uint8_t {
  kProvisional,  ///< born within the current step, not yet accepted
  kFresh,        ///< accepted in the last step for the first time
  kAccepted,     ///< accepted before
};

/** One contact. A stage solves for it in place: between stages its geometry is that evaluated last,
 and wrench, rates and power are those found last. Body j is above body i. */
struct Contact : StageContact {
  std::uint64_t id = 0;  ///< unique in a run, ascending with the time of birth
  int pairs = 0;         ///< cell pairs with overlap now
  ContactPhase phase = ContactPhase::kProvisional;
  bool active = false;      ///< overlap and normal exist at the geometry evaluated last
  bool latched = false;     ///< its latch has been set
  bool solved = false;      ///< force, torque, rate and power are of the geometry evaluated last
  bool has_normal = false;  ///< n_accepted is set
  bool has_lever = false;   ///< lever_i and lever_j are set
  double relaxation_power = 0;  ///< of the moving relaxation offset, found last [W]
  /// Of a group of many bodies: by how much they have changed since the stage before [N/s],
  /// [N·m/s].
  Vec3 force_rate, torque_rate;
  Vec3 n_accepted;             ///< normal at the last accepted step; at birth for a provisional one
  PatchState accepted;         ///< state at the last accepted step
  double accepted_form = 1.0;  ///< the latch's form at the last accepted step
  double weight_share = 1.0;   ///< that over the point's weight
  double since = 0.0;          ///< birth [s]
  double bristle_energy = 0.0;  ///< stored in its bristles [J]
  /// Put into its foundation and not yet given back [J]; infinite where its beginning was not seen.
  double foundation_energy = 0.0;
  Vec3 lever_i, lever_j;  ///< from the bodies' centres across n, at the last accepted step [m]
  double lever_speed = HUGE_VAL;  ///< of the slower of them over the last accepted substep [m/s]
  std::int64_t impact = -1;       ///< index of its impact record

 private:
  using StageContact::state;  // of a stage: who has a contact means `accepted`
};

/** How the cell pairs of two bodies are grouped. */
struct PatchSettings {
  NormalRule normal;
  bool per_cell_pair = false;  ///< every cell pair is its own contact: the thesis' mode, and points
  bool whole_pair = false;     ///< all cell pairs of the two bodies are one contact
  bool points = false;         ///< bodies touch in points, each its own contact, not in volumes
  bool curvatures = false;     ///< contacts know the curvatures of the gap
  double power = 2.5;          ///< of the depth in the energy of points [–]
  bool born_in_stages = true;  ///< contacts act from within a step, not only from accepted steps
  /** Whether cut faces count, too: in the thesis' mode. */
  bool BareCells() const { return per_cell_pair && !points; }
};

/** What grouping asks about the bodies. The answers may not change during a run. */
class PatchRules : public CellNeighbours {
 public:
  /** How the cell pairs of bodies i < j are grouped; the reference stays valid. */
  virtual const PatchSettings& Settings(int i, int j) const = 0;
  /** Whether any two bodies may touch in points. */
  virtual bool HavePoints() const { return true; }
};

/** What tells a pair from others. */
inline CellPair CellsOf(const ActivePair& pair) {
  return {pair.i, pair.j, pair.a, pair.b, pair.point};
}

/** A cell pair and the contact it belongs to. */
struct Held {
  CellPair cells;
  int contact = 0;  ///< index into Patches::contacts
};

/** The contacts of all bodies and the grouping that they hold. */
struct Patches {
  std::vector<Contact> contacts;  ///< by ascending id, provisional ones last
  std::vector<Held> held;         ///< by ascending cell pair
  std::uint64_t next_id = 1;
  std::int64_t undefined_normals = 0;  ///< contacts without a normal, counted at each evaluation
};

/** A grouping of a list of cell pairs: groups 0 … count − 1, none of them empty. */
struct Grouping {
  std::vector<int> group_of;  ///< of each cell pair of the list
  int count = 0;
};

/** What a change of contacts did. */
struct PatchChanges {
  double bristle_energy_lost = 0.0;  ///< of retired and merged bristles [J], ≥ 0
  int born = 0;
  int retired = 0;
};

/** The part of a contact's cell pairs that went to a group. */
struct PatchShare {
  int group = 0;
  int contact = 0;
  int first = 0;        ///< the first such cell pair
  double volume = 0.0;  ///< of those cell pairs now [m³]
};

/** A touching pair of groups that may be merged, g < h; the least comes first. */
struct GroupGap {
  double gap = 0.0;  ///< 0: they face the same way; up to 1: ConvexGap
  int g = 0;
  int h = 0;
  int version_g = 0;  ///< how often g had grown by merging
  int version_h = 0;
};

/** Working memory of grouping, kept between calls; its contents mean nothing outside. */
struct PatchScratch {
  int threads = 1;                    ///< for sums over the contacts; changes no result
  std::vector<std::size_t> first_of;  ///< of each contact or group, in `sorted`, and the end
  std::vector<int> sorted;            ///< cell pairs, contact by contact or group by group
  PairTable table;
  std::vector<int> table_contact, pair_of;     ///< of each cell pair of the table
  std::vector<const PatchSettings*> settings;  ///< of each run of the table
  std::vector<int> contact_of_run;             ///< a contact of each run of the table; −1: none
  std::vector<int> contact_of;                 ///< of each cell pair given
  std::vector<int> order, rank_of, now, next, queued;
  // Groups of one pair of bodies.
  std::vector<std::size_t> first_near;  ///< of each cell pair, in `near`; one more at the end
  std::vector<int> near;                ///< neighbours among the cell pairs
  std::vector<Vec3> area_vector;        ///< of each cell pair [m²]
  std::vector<double> square;           ///< its square [m⁴]
  std::vector<int> group_of;
  std::vector<MetricsSum> sums;
  std::vector<GroupGap> gaps;
  std::vector<int> parent, version, size, seen, label;
  std::vector<int> first_member, last_member, next_member;  ///< lists of groups' cell pairs
  std::vector<int> first_link, last_link, next_link, link;  ///< lists of neighbouring groups
  // Inheritance.
  std::vector<PatchShare> shares;
  std::vector<double> contact_volume;
  std::vector<int> contact_of_group, group_of_contact, heir;
  std::vector<std::uint64_t> id_of_group;
  std::vector<double> lost;  ///< bristle energy, of each group [J]
  std::vector<std::size_t> first_share;
  std::vector<Contact> contacts;
};

/** Sums the overlapping pairs of one stage into the contacts, by the grouping held. New pairs join
 or start provisional contacts, appended in order, at most until `capacity` contacts exist; what
 does not fit waits for the accepted step. Sets geometry with n and R_n, and `active`.
 @param pairs  ascending, as from PairFinder. */
void Evaluate(const PatchRules& rules, std::span<const ActivePair> pairs, std::size_t capacity,
              Patches* patches, PatchScratch* scratch);

/** Groups cell pairs as an accepted step would: a function of the pairs alone, see
 docs/simulation.md.
 @param pairs  ascending, as from PairFinder. */
void Group(const PatchRules& rules, std::span<const ActivePair> pairs, PatchScratch* scratch,
           Grouping* grouping);

/** Whether Accept with this grouping would put pairs of one contact into two, or of two into one;
 provisional contacts are not counted. The patches are those of an evaluation of these pairs. */
bool Regroups(const Patches& patches, std::span<const ActivePair> pairs, const Grouping& grouping,
              PatchScratch* scratch);

/** Regroups at an accepted step: contacts are born, merged, split and retired, bristles turned into
 the new normals. Geometry and `active` are set as by Evaluate, R_n is the identity.

 Rule: a patch takes over the states of the contacts that its cell pairs belonged to. z, θ and s_dw
 are their mean weighted with the share of normal force brought along, the offset V_o is the sum of
 their shares, a is the mean weighted with volume, so force and torque are continuous; what a law
 remembers of the volume is shared out and summed like the volume. A split
 copies z, θ, s_dw and the latch. Bristle energy that a mean cannot hold is lost. The id goes with
 the larger share of volume.
 @param grouping  of these pairs, by Group.
 @param t         the accepted time, for `since` [s] */
PatchChanges Accept(const PatchRules& rules, std::span<const ActivePair> pairs,
                    const Grouping& grouping, double t, Patches* patches, PatchScratch* scratch);

/** Sets contact_of[k] to the contact that holds pairs[k]; −1: none. */
void FindHeld(const Patches& patches, std::span<const ActivePair> pairs, int threads,
              std::vector<int>* contact_of);

/** Gives points that no contact holds to contacts whose own point is none any more, where one is
 near the other and faces the same way: a point that moves on into a body's next cell, or from one
 feature to the next, goes on as the contact that it was.
 @param contact_of  from FindHeld; what is given is known there and in `patches->held` then. */
void HandOver(const PatchRules& rules, std::span<const ActivePair> pairs, Patches* patches,
              std::vector<int>* contact_of);

/** Lists the cell pairs of each contact or group, ascending, in `scratch`'s first_of and sorted.
 @param part_of  the contact or group of each cell pair; −1: none */
void SortByPart(std::span<const int> part_of, std::size_t parts, PatchScratch* scratch);

/** Those of one of them, after SortByPart. */
inline std::span<const int> PairsOf(std::size_t part, const PatchScratch& scratch) {
  const std::size_t first = scratch.first_of[part];
  return {scratch.sorted.data() + first, scratch.first_of[part + 1] - first};
}

/** Puts contacts into the order of their ids, and the grouping into that of its cell pairs. */
void SortContacts(Patches* patches);

/** Sets a contact's geometry and `active` from its cell pairs. */
void SumPairs(const PatchSettings& settings, std::span<const ActivePair> pairs,
              std::span<const int> own, Contact* contact, std::int64_t* undefined_normals);

/** The same from the sum over them; they are no points. */
void FinishGeometry(const PatchSettings& settings, const MetricsSum& sum, Contact* contact,
                    std::int64_t* undefined_normals);

}  // namespace intervox::host
