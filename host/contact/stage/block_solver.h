/** @file The solution of a linear system with the slope of an island of many bodies. */
#pragma once

#include <span>
#include <vector>

#include "host/contact/stage/block_factor.h"
#include "host/contact/stage/gmres.h"
#include "host/contact/stage/island_slope.h"

namespace intervox::host::internal {

/** What IslandMatrix is for few bodies, block-sparse: GMRES with incomplete factors, which is cheap
 as long as few contacts are stiff against the step, and exact factors where it does not converge
 soon or the island is small. Incomplete factors are kept as long as they serve: slopes change
 little from one sweep of Newton's method to the next. */
class BlockSolver {
 public:
  /** Rows of the incomplete factors that go to a thread together. */
  static constexpr int kPart = 128;

  /** Starts over for an island.
   @param points    its contacts; they must stay until the next call
   @param contacts  which bodies each has
   @param bodies    by their numbers
   @param order     of the bodies in incomplete factors: kPart consecutive ones lie together */
  void Begin(std::span<StagePoint* const> points, std::span<const BodyPair> contacts,
             std::span<const IslandBody> bodies, std::span<const int> order, int threads);
  /** Takes a contact's slope right after its evaluation, when it is at hand; what acts on friction
   through the load counts, and how its weight follows the velocities. */
  void Take(std::size_t contact) { slope_.Take(contact, *points_[contact]); }
  /** Tells whether all slopes of the last evaluation have been taken so and are to be used. */
  void HasTaken(bool all) { taken_ = all; }
  /** x = −(slope)⁻¹ f at the contacts' last evaluation; false if it is singular. The scaled
   residual falls by `tolerance`. `coupled` counts the load's effect on friction. */
  bool SolveNegative(std::span<const double> f, bool coupled, double tolerance, int threads,
                     std::span<double> x);

 private:
  enum class Method { kIterative, kExact, kPatient };

  bool SolveIteratively(double tolerance, int threads);
  void SolvePatiently(double tolerance, int threads);

  IslandSlope slope_;
  BlockFactor factor_;
  Gmres gmres_;
  Method method_ = Method::kIterative;
  Method planned_ = Method::kPatient;  // with which the island began; kPatient: none has
  bool taken_ = false;                 // the slopes of the last evaluation are known
  bool factored_ = false;              // the incomplete factors are those of slopes of this island
  double rate_ = 0.0;  // by which they let the residual fall when they were new, a logarithm
  std::span<StagePoint* const> points_;
  std::span<const int> order_;                           // the bodies'; valid during a solve
  std::vector<double> rhs_, solution_, part_, product_;  // by places
};

}  // namespace intervox::host::internal
