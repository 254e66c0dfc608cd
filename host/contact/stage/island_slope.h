/** @file The slope of the equation of an island of many bodies. */
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_pattern.h"
#include "host/contact/stage/stage_blocks.h"

namespace intervox::host::internal {

/** A free body of an island of many. */
struct IslandBody {
  double mass = 0.0;                  ///< [kg]
  Mat3 inertia = Mat3::Zero();        ///< [kg·m²]
  const DragInertia* drag = nullptr;  ///< null: none
  /// What entries are multiplied by: the body's rows and columns. Unknowns with 0 are locked: their
  /// rows and columns are the identity's.
  std::array<double, 6> row{}, column{};
};

/** dF/dy = M + H Σ Jᵀ C J, scaled by rows and columns, six unknowns for each body. It is kept as
 what it is made of, which is smaller than its blocks: products go from contact to contact, and rows
 of blocks are made when factors are. Bodies have places, contacts lie in the order of these. */
class IslandSlope {
 public:
  /** Where it has blocks, by places. */
  const BlockPattern& Pattern() const { return pattern_; }
  /** Starts over for an island. What follows from the contacts and the order alone is kept where
   both are the last island's, as they mostly are in the stages of a step.
   @param contacts  which bodies each has
   @param order   number of the body at each place
   @param part    bodies with consecutive places that go to a thread together
   @return whether the pattern is another than before */
  bool Begin(std::span<const BodyPair> contacts, std::span<const IslandBody> bodies,
             std::span<const int> order, int part, int threads);
  /** Takes the slope of a contact at its last evaluation, near which the solution is expected:
   weights of friction follow the velocities. */
  void Take(std::size_t contact, const StagePoint& point) {
    if (const int k = slope_of_[contact]; k >= 0)
      Set(static_cast<std::size_t>(k), point, true, true);
  }
  /** Takes those of all contacts, with weights as they are. `coupled` counts the load's effect on
   friction. */
  void Update(std::span<StagePoint* const> points, bool coupled, int threads);
  /** y = A x, with x before it is divided by the columns' scales: true velocities. */
  void Multiply(std::span<const double> x, std::span<double> y, int threads) const;
  /** Writes the blocks of a row in the order of the pattern, columns kBlockStride doubles apart. */
  void Row(int place, double* blocks) const;
  /** The body at a place. */
  const IslandBody& Body(int place) const { return bodies_[static_cast<std::size_t>(place)]; }

 private:
  /** A contact of a body. */
  struct Side {
    int slope = 0;
    int side = 0;
    int block = -1;  // of the other body in the row, from its first on; −1: not free
  };

  void Set(std::size_t k, const StagePoint& point, bool coupled, bool follow);
  void SortContacts();
  void ListSides();
  void FindBlocks(int threads);
  void MultiplyPart(int part, const double* x, double* y) const;

  BlockPattern pattern_;
  int part_ = 0;
  std::vector<BodyPair> contacts_;
  std::vector<int> order_;
  std::vector<IslandBody> bodies_;          // by places
  std::vector<ContactSlope> slopes_;        // by the first place of their bodies
  std::vector<int> number_;                 // of each slope, the contact
  std::vector<int> slope_of_;               // of each contact; −1: it does not act
  std::vector<int> first_;                  // slope of each place, one more at the end
  std::vector<int> second_, second_first_;  // slopes whose second body is in a later part, by parts
  std::vector<Side> sides_;
  std::vector<int> side_first_;  // of each place, one more at the end
  std::vector<std::array<int, 2>> pairs_;
  std::vector<int> place_;
};

}  // namespace intervox::host::internal
