/** @file The slope of an island of many bodies, and the solution of a linear system with it. */
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/stage/block_factor.h"
#include "host/contact/stage/block_matrix.h"
#include "host/contact/stage/gmres.h"
#include "host/contact/stage/stage_drag.h"
#include "host/contact/stage/stage_point.h"

namespace intervox::host::internal {

/** What IslandMatrix is for few bodies, block-sparse: GMRES with incomplete factors, which is cheap
 as long as few contacts are stiff against the step, and exact factors where it does not converge
 soon or the island is small. */
class BlockSolver {
 public:
  /** Rows of the incomplete factors that go to a thread together. */
  static constexpr int kPart = 128;

  /** Starts over for an island.
   @param points  its contacts, rows set
   @param order   of its bodies in incomplete factors: kPart consecutive ones lie together */
  void Begin(std::span<StagePoint* const> points, std::span<const int> order, int threads);
  /** Starts over with zeros. */
  void Reset(int threads) { matrix_.Clear(threads); }
  /** Adds a body's mass and inertia [kg], [kg·m²]. */
  void AddBody(std::size_t body, double mass, const Mat3& inertia);
  /** Adds hγ K of a body's drag. */
  void AddDrag(std::size_t body, const DragInertia& drag);
  /** Adds H Jᵀ C J of the contact of this number; `coupled` counts the load's effect on friction.
   Calls for contacts without a body in common may be made at once. */
  void AddContact(std::size_t number, const StagePoint& point, bool coupled);
  /** Takes the three unknowns from `first` on out: their step will be 0. */
  void Lock(std::size_t first);
  /** x = −(matrix)⁻¹ f, which scales the matrix; false if it is singular. The residual, entries
   times `row`, falls by `tolerance`. `column`: the size of each unknown. */
  bool SolveNegative(std::span<const double> f, std::span<const double> row,
                     std::span<const double> column, double tolerance, int threads,
                     std::span<double> x);

 private:
  /** The four blocks of a contact; −1: none. */
  struct Places {
    int at[2][2];
  };
  enum class Method { kIterative, kExact, kPatient };

  BlockMatrix matrix_;
  BlockFactor factor_;
  Gmres gmres_;
  Method method_ = Method::kIterative;
  std::vector<Places> places_;
  std::vector<std::array<int, 2>> pairs_;
  std::span<const int> order_;  // the bodies'; valid during a solve
  std::vector<double> rhs_, part_, product_;
};

}  // namespace intervox::host::internal
