/** @file The slope of an island's stage equation, dF/dy = M + H Σ Jᵀ C J, and the solution of a
 linear system with it. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/stage_drag.h"
#include "host/contact/stage/stage_point.h"

namespace intervox::host::internal {

/** Dense, for few bodies: six unknowns for each body (v, then ω), rows padded to whole vectors with
 the right-hand side in the first padding column. Zero blocks cost next to nothing in the
 elimination. */
class IslandMatrix {
 public:
  /** Starts over with zeros, for `bodies` bodies. Allocates only when larger than ever before. */
  void Reset(std::size_t bodies);
  /** The same with the multipliers of scalar constraints among the unknowns. Elimination goes in
   the order of the places, and costs little where what depends on each other has near places.
   @param bodies       first place of each body's six unknowns
   @param constraints  place of each multiplier */
  void Reset(std::span<const std::size_t> bodies, std::span<const std::size_t> constraints);
  /** Adds a body's mass and inertia [kg], [kg·m²]. */
  void AddBody(std::size_t body, double mass, const Mat3& inertia);
  /** Adds hγ K of a body's drag. */
  void AddDrag(std::size_t body, const DragInertia& drag);
  /** Adds H Jᵀ C J of a contact between these bodies; `coupled` counts the load's effect on
   friction. */
  void AddContact(const StagePoint& point, const BodyPair& bodies, bool coupled);
  /** Adds another matrix of the same bodies. */
  void Add(const IslandMatrix& other);
  /** Adds the row Jᵀ of a body, six numbers, to the constraint of this number: J on its row, Jᵀ on
   its column. */
  void AddConstraint(std::size_t number, std::size_t body, const double* J);
  /** Sets a constraint's diagonal. */
  void SetCompliance(std::size_t number, double compliance);
  /** Adds factor g gᵀ, with g given by its parts on two bodies of first unknowns `first`, −1: none.
   */
  void AddProduct(double factor, const int first[2], const double g[2][6]);
  /** Takes the three unknowns from `first` on out: their step will be 0. */
  void Lock(std::size_t first);
  /** x = −(matrix)⁻¹ f by elimination with row pivots, which destroys the matrix; false if it is
   singular. */
  bool SolveNegative(std::span<const double> f, std::span<double> x);

 private:
  double* Row(std::size_t i) { return values_.data() + i * stride_; }

  std::size_t PlaceOf(std::size_t unknown) const {
    return unknown < 6 * body_at_.size() ? body_at_[unknown / 6] + unknown % 6
                                         : constraint_at_[unknown - 6 * body_at_.size()];
  }
  void Clear();
  void FindProfile();
  bool SolveOneBody(std::span<const double> f, std::span<double> x);

  std::size_t n_ = 0;
  std::size_t stride_ = 0;
  std::vector<double> values_;
  std::vector<std::size_t> body_at_, constraint_at_;  // places of the unknowns
  std::vector<std::size_t> last_;   // last column of each row that need not be zero
  std::vector<std::size_t> reach_;  // last row that may reach each column
  std::vector<double> ordered_;     // solution by places
};

}  // namespace intervox::host::internal
